//! Writes films: as numbered pictures in a folder or, through ffmpeg, as a video.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};

use image::RgbaImage;

use super::film::Film;
use crate::elevation::formats;
use crate::error::{Error, Result};
use crate::files::WritingProgram;
use crate::picture;

/// Extensions of videos, and what ffmpeg calls their formats.
pub(crate) const VIDEOS: [(&str, &str); 4] =
    [("mp4", "mp4"), ("mkv", "matroska"), ("webm", "webm"), ("mov", "mov")];

/// No more bytes of ffmpeg's messages are kept than this.
const SAID: u64 = 4000;

/// Writes the pictures of a film into a folder or a video.
pub struct FilmWriter(Sink);

enum Sink {
    Folder { path: PathBuf, count: usize },
    Video { path: PathBuf, to: ChildStdin },
}

impl FilmWriter {
    /// Makes a film: `draw` hands its pictures to the writer. Returns what has been written, in words.
    ///
    /// `path` is an empty folder, the name of a new one, which has no extension, or the name of a video
    /// (.mp4, .mkv, .webm, .mov), which needs ffmpeg. A folder keeps what was drawn even if drawing fails
    /// later. A video appears when it is finished: half of one would play as if it were whole.
    ///
    /// # Errors
    /// When the name has another extension, when the folder holds something, when a video's sides are odd,
    /// when ffmpeg cannot be started or fails; and those of `draw`.
    pub fn record(path: &Path, film: &Film, draw: impl FnOnce(&mut Self) -> Result<()>) -> Result<String> {
        match format_of(path)? {
            None => {
                let mut writer = Self(Sink::folder(path)?);
                draw(&mut writer)?;
                Ok(writer.0.description())
            }
            Some(format) => {
                check_sides(path, film)?;
                formats::replace_by(path, |temporary| {
                    let ffmpeg = start(path, temporary, format, film)?;
                    film_with(&ffmpeg, path, draw)
                })
            }
        }
    }

    /// Takes the next picture.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take(&mut self, index: usize, drawn: &RgbaImage) -> Result<()> {
        match &mut self.0 {
            Sink::Folder { path, count } => {
                *count += 1;
                picture::write_drawn(&path.join(format!("{index:05}.png")), drawn)
            }
            Sink::Video { path, to } => {
                to.write_all(drawn.as_raw()).map_err(|error| Error::io(&*path, "write", error))
            }
        }
    }
}

impl Sink {
    /// A new or empty folder.
    fn folder(path: &Path) -> Result<Self> {
        if path.is_file() {
            let reason = "is a file; the pictures need a folder, so give another name, or that of a video such as \
                          tour.mp4";
            return Err(Error::file(path, reason));
        }
        std::fs::create_dir_all(path).map_err(|error| Error::io(path, "create", error))?;
        let mut inside = std::fs::read_dir(path).map_err(|error| Error::io(path, "read", error))?;
        if inside.next().is_some() {
            let reason = "holds something already; the pictures need an empty folder, or a new one, or the name of a \
                          video such as tour.mp4";
            return Err(Error::file(path, reason));
        }
        Ok(Self::Folder { path: path.to_owned(), count: 0 })
    }

    fn description(&self) -> String {
        match self {
            Self::Folder { path, count } => format!("{count} pictures in {}", path.display()),
            Self::Video { path, .. } => path.display().to_string(),
        }
    }
}

/// Whether a film at a path is a video, not a folder of pictures.
pub(crate) fn is_video(path: &Path) -> bool {
    matches!(format_of(path), Ok(Some(_)))
}

/// ffmpeg's name for the format of a video; `None` for a folder. A new folder's name has no extension,
/// because `film.avi` is meant as a video.
///
/// # Errors
/// When the extension is not one of a video.
fn format_of(path: &Path) -> Result<Option<&'static str>> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if let Some((_, format)) = VIDEOS.iter().find(|(name, _)| **name == *extension) {
        return Ok(Some(format));
    }
    if extension.is_empty() || path.is_dir() {
        return Ok(None);
    }
    let known = VIDEOS.map(|(name, _)| format!(".{name}")).join(", ");
    let reason = format!(
        "films are not written as .{extension}; there is {known}, and a name without an extension makes a folder of \
         pictures"
    );
    Err(Error::file(path, reason))
}

/// Colours of videos are kept for every second pixel.
fn check_sides(path: &Path, film: &Film) -> Result<()> {
    let (width, height) = film.size;
    // The format yuv420p, which all players know, has one colour for two by two pixels.
    if width % 2 + height % 2 == 0 {
        return Ok(());
    }
    let even = (width.next_multiple_of(2), height.next_multiple_of(2));
    let reason = format!("videos have even sides, not {width}×{height}; {}×{} would do", even.0, even.1);
    Err(Error::file(path, reason))
}

/// Starts ffmpeg, which makes of raw pictures a video `path`, for now under the name `temporary`.
fn start(path: &Path, temporary: &Path, format: &str, film: &Film) -> Result<WritingProgram> {
    let (width, height) = film.size;
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &film.rate.to_string(), "-i", "-"]);
    // A name that begins with a dash would be read as an option.
    let safe = if temporary.is_absolute() { temporary.to_owned() } else { Path::new(".").join(temporary) };
    command.args(["-pix_fmt", "yuv420p", "-f", format]).arg(safe);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    WritingProgram::start(&mut command).map_err(|error| {
        let reason = format!(
            "needs ffmpeg, which cannot be started ({error}); install it, or give a folder for numbered pictures"
        );
        Error::file(path, reason)
    })
}

/// Hands ffmpeg the pictures that `draw` draws.
fn film_with(
    ffmpeg: &WritingProgram,
    path: &Path,
    draw: impl FnOnce(&mut FilmWriter) -> Result<()>,
) -> Result<String> {
    let failed = |error| Error::io(path, "write", error);
    let (to, errors) = {
        let mut child = ffmpeg.child();
        (child.stdin.take(), child.stderr.take())
    };
    let (Some(to), Some(errors)) = (to, errors) else {
        return Err(Error::file(path, "ffmpeg takes no pictures"));
    };
    // Read while it works: a pipe that is full stops the program that writes into it.
    let listener = std::thread::spawn(move || {
        let mut said = String::new();
        let mut errors = errors;
        let _ = errors.by_ref().take(SAID).read_to_string(&mut said);
        // The rest is read too and thrown away: ffmpeg would wait if the pipe were full.
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        said
    });
    let mut writer = FilmWriter(Sink::Video { path: path.to_owned(), to });
    let made = draw(&mut writer);
    let written = writer.0.description();
    // ffmpeg ends its file when its input is closed.
    drop(writer);
    if matches!(made, Err(Error::Cancelled)) {
        // It would otherwise finish encoding what it has.
        let _ = ffmpeg.child().kill();
    }
    let status = ffmpeg.wait().map_err(failed)?;
    let said = listener.join().unwrap_or_default();
    if !status.success() && matches!(made, Ok(()) | Err(Error::Io { .. })) {
        // ffmpeg's own message explains why nothing could be written to it.
        let said = said.lines().last().unwrap_or("it says nothing").to_owned();
        return Err(Error::file(path, format!("ffmpeg has failed: {said}")));
    }
    made.map(|()| written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn videos_are_told_from_folders_by_their_extension() {
        let formats = ["tour.mp4", "a/tour.WEBM", "tour.mkv", "tour", "a.b/tour", ".mp4"];
        let found = formats.map(|name| format_of(Path::new(name)).unwrap());
        assert_eq!(found, [Some("mp4"), Some("webm"), Some("matroska"), None, None, None]);
        let folder = tempfile::Builder::new().suffix(".frames").tempdir().unwrap();
        assert_eq!(format_of(folder.path()).unwrap(), None, "a folder that is there may have any name");
    }

    #[test]
    fn another_extension_is_refused_with_those_that_are_known_and_nothing_is_made() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["film.avi", "film.gif", "land.ron", "film.0"] {
            let path = folder.path().join(name);
            let nothing = |_: &mut FilmWriter| panic!("nothing is drawn");
            let refused = FilmWriter::record(&path, &Film::default(), nothing).unwrap_err().to_string();
            assert!(refused.contains(".mp4, .mkv, .webm, .mov") && refused.contains("folder"), "{refused}");
            assert!(!path.exists(), "{name}");
        }
    }

    #[test]
    fn a_folder_that_holds_something_a_file_and_odd_sides_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        let nothing = |_: &mut FilmWriter| panic!("nothing is drawn");
        let refused = FilmWriter::record(folder.path(), &Film::default(), nothing).unwrap_err().to_string();
        assert!(refused.contains("empty folder"), "{refused}");
        let file = folder.path().join("notes");
        std::fs::write(&file, "mine").unwrap();
        let file = FilmWriter::record(&file, &Film::default(), nothing);
        assert!(file.unwrap_err().to_string().contains("is a file"));
        let odd = Film { size: (33, 20), ..Film::default() };
        let refused =
            FilmWriter::record(&folder.path().join("tour.mp4"), &odd, nothing).unwrap_err().to_string();
        assert!(refused.contains("33×20") && refused.contains("34×20 would do"), "{refused}");
    }

    #[test]
    fn pictures_are_numbered_in_a_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let told = FilmWriter::record(&path, &Film::default(), |writer| {
            (0..3).try_for_each(|index| writer.take(index, &RgbaImage::new(4, 2)))
        });
        assert!(told.unwrap().starts_with("3 pictures"));
        assert!(path.join("00002.png").exists());
    }
}
