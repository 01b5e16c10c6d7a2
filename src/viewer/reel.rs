//! What a film is kept in: numbered pictures in a folder or, through ffmpeg, a video.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use image::RgbaImage;

use super::film::Film;
use crate::elevation::formats;
use crate::error::{Error, Result};
use crate::picture;

/// Extensions of videos; anything else is a folder.
const VIDEOS: [&str; 4] = ["mp4", "mkv", "webm", "mov"];

/// Where the pictures of a film go.
pub struct Reel(Sink);

enum Sink {
    Folder { path: PathBuf, count: usize },
    Video { path: PathBuf, ffmpeg: Child, to: Option<ChildStdin> },
}

impl Reel {
    /// Makes a film: `film` is handed a reel that takes its pictures. Returns what there is now, in words.
    ///
    /// `path` is a new or empty folder, or the name of a video (.mp4, .mkv, .webm, .mov), which needs ffmpeg. A video that
    /// was not finished is removed, and a folder keeps what was drawn.
    ///
    /// # Errors
    /// When the folder holds something, when a video's sides are odd, when ffmpeg cannot be started or fails; and those of
    /// `film`.
    pub fn record(path: &Path, film: &Film, draw: impl FnOnce(&mut Self) -> Result<()>) -> Result<String> {
        let mut reel = Self(Sink::open(path, film)?);
        let made = draw(&mut reel);
        // What ffmpeg says explains why nothing could be written to it.
        let told = reel.0.close(made.is_ok());
        match (told, made) {
            (Ok(told), Ok(())) => Ok(told),
            (Ok(_), Err(error)) | (Err(error), Ok(())) => Err(error),
            // What was given up ends ffmpeg's work too.
            (Err(_), Err(Error::Cancelled)) => Err(Error::Cancelled),
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Takes the next picture.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take(&mut self, index: usize, drawn: &RgbaImage) -> Result<()> {
        self.0.take(index, drawn)
    }
}

fn is_video(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| VIDEOS.contains(&&*extension))
}

impl Sink {
    /// A new or empty folder, or a video.
    fn open(path: &Path, film: &Film) -> Result<Self> {
        if is_video(path) {
            return Self::video(path, film);
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

    fn video(path: &Path, film: &Film) -> Result<Self> {
        formats::check_folder(path)?;
        let (width, height) = film.size;
        if width % 2 + height % 2 > 0 {
            let reason = format!("videos have even sides, not {width}×{height}; give --size another");
            return Err(Error::file(path, reason));
        }
        let mut command = Command::new("ffmpeg");
        command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-s", &format!("{width}x{height}"), "-r", &film.rate.to_string(), "-i", "-"]);
        // A name that begins with a dash is no option.
        let safe = if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) };
        command.args(["-pix_fmt", "yuv420p"]).arg(safe);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut ffmpeg = spawned.map_err(|error| {
            let reason = format!(
                "needs ffmpeg, which cannot be started ({error}); install it, or give a folder for numbered pictures"
            );
            Error::file(path, reason)
        })?;
        let to = ffmpeg.stdin.take();
        Ok(Self::Video { path: path.to_owned(), ffmpeg, to })
    }

    fn take(&mut self, index: usize, drawn: &RgbaImage) -> Result<()> {
        match self {
            Self::Folder { path, count } => {
                *count += 1;
                picture::write_drawn(&path.join(format!("{index:05}.png")), drawn)
            }
            Self::Video { path, to, .. } => match to.as_mut().map(|to| to.write_all(drawn.as_raw())) {
                Some(Ok(())) => Ok(()),
                Some(Err(error)) => Err(Error::io(&*path, "write", error)),
                None => Err(Error::file(&*path, "ffmpeg takes no pictures")),
            },
        }
    }

    /// Ends it, and tells what there is now. A video that was not `finished` is removed: its half would play as if it
    /// were whole.
    fn close(self, finished: bool) -> Result<String> {
        match self {
            Self::Folder { path, count } => Ok(format!("{count} pictures in {}", path.display())),
            Self::Video { path, mut ffmpeg, to } => {
                // ffmpeg ends its file when nothing more comes.
                drop(to);
                let mut said = String::new();
                if let Some(errors) = &mut ffmpeg.stderr {
                    let _ = errors.take(4000).read_to_string(&mut said);
                }
                let status = ffmpeg.wait().map_err(|error| Error::io(&path, "write", error))?;
                if status.success() && finished {
                    return Ok(path.display().to_string());
                }
                let _ = std::fs::remove_file(&path);
                if status.success() {
                    return Ok(format!("{} was not finished, and is removed", path.display()));
                }
                let said = said.lines().last().unwrap_or("it says nothing").to_owned();
                Err(Error::file(&path, format!("ffmpeg has failed: {said}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn videos_are_told_from_folders_by_their_extension() {
        assert!(is_video(Path::new("tour.mp4")) && is_video(Path::new("a/tour.WEBM")));
        assert!(!is_video(Path::new("tour")) && !is_video(Path::new("tour.frames")));
    }

    #[test]
    fn a_folder_that_holds_something_and_odd_sides_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        let refused = Sink::open(folder.path(), &Film::default()).err().unwrap().to_string();
        assert!(refused.contains("empty folder"), "{refused}");
        let odd = Film { size: (33, 20), ..Film::default() };
        let refused = Sink::open(&folder.path().join("tour.mp4"), &odd).err().unwrap().to_string();
        assert!(refused.contains("even sides"), "{refused}");
    }

    #[test]
    fn pictures_are_numbered_in_a_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let mut sink = Sink::open(&path, &Film::default()).unwrap();
        for index in 0..3 {
            sink.take(index, &RgbaImage::new(4, 2)).unwrap();
        }
        assert!(sink.close(true).unwrap().starts_with("3 pictures"));
        assert!(path.join("00002.png").exists());
    }
}
