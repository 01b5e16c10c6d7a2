//! Pictures of any size, films, and exported files of the land in the window, made in the background.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::prelude::*;

use super::output::Output;
use crate::compute::work::{Progress, Work};
use crate::error::{Error, Result};
use crate::files::remove_unfinished;
use crate::picture;
use crate::plugin::Job;
use crate::render::film::{Film, render_tour_with};
use crate::render::still::{Shot, render_with};
use crate::render::video::FilmWriter;
use crate::viewer::session::DocumentRequest;
use crate::viewer::session::status_message::Message;
use crate::{Cache, Recipe, Tour};

/// The end of the program waits this long for a cancelled job.
const PATIENCE: Duration = Duration::from_secs(3);

/// What to export.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// A picture of the view.
    Picture(Box<Shot>),
    /// A film of a tour.
    Film(Film, Tour),
    /// A file for other programs.
    Output(Output),
}

/// The export in progress.
#[derive(Resource, Default)]
pub(crate) struct Exporting {
    job: Option<Job<String>>,
    begun: Option<Instant>,
    /// The file or folder that is being written.
    path: PathBuf,
    /// Whether the window closes once it is finished.
    pub closes: bool,
    /// Whether it is a file for other programs rather than a picture.
    is_output: bool,
}

impl Exporting {
    /// Starts exporting a land to a file or a folder. An export in progress is cancelled.
    pub fn begin(&mut self, order: Order, recipe: Recipe, cache: Cache, path: PathBuf) {
        (self.begun, self.closes) = (Some(Instant::now()), false);
        self.path.clone_from(&path);
        self.is_output = matches!(order, Order::Output(_));
        self.job = Some(Job::start_long(move |work| draw(&order, &recipe, &cache, path, work)));
    }

    /// An export that runs until it is cancelled.
    #[cfg(test)]
    pub fn drawing(path: PathBuf) -> Self {
        let job = Job::start_long(|work| {
            loop {
                work.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        Self { job: Some(job), begun: Some(Instant::now()), path, closes: false, is_output: false }
    }

    /// The progress of the export and the seconds since it began; `None` if there is none.
    pub fn progress(&self) -> Option<(Progress, f32)> {
        let job = self.job.as_ref()?;
        Some((job.progress(), self.begun.map_or(0.0, |begun| begun.elapsed().as_secs_f32())))
    }

    /// Whether an export to this path is in progress.
    pub fn is_drawing(&self, path: &Path) -> bool {
        // One of the paths may come from a dialog, which returns absolute paths.
        let same = |a: &Path, b: &Path| std::path::absolute(a).ok() == std::path::absolute(b).ok();
        self.job.is_some() && same(&self.path, path)
    }

    /// Whether the export has been cancelled, and will end after the frame that is being drawn.
    pub fn is_given_up(&self) -> bool {
        self.job.as_ref().is_some_and(Job::is_cancelled)
    }

    /// The file or folder that would not be finished if the window were closed now.
    pub fn unfinished(&self) -> Option<&Path> {
        (self.job.is_some() && !self.is_given_up()).then_some(&*self.path)
    }

    /// Cancels the export.
    pub fn cancel(&mut self) {
        if let Some(job) = &self.job {
            job.cancel();
        }
    }
}

impl Drop for Exporting {
    /// Waits for the cancelled job to remove what it has half written.
    fn drop(&mut self) {
        self.cancel();
        let begun = Instant::now();
        while let Some(job) = &mut self.job
            && job.outcome().is_none()
        {
            if begun.elapsed() > PATIENCE {
                // A single picture may take longer than that, so this removes the file in its place.
                remove_unfinished();
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Adds the export, and the system that reports its outcome.
pub(crate) fn add(app: &mut App) {
    app.init_resource::<Exporting>().add_message::<DocumentRequest>().add_systems(Update, report);
}

/// Reports the outcome, and closes the window if that was waiting for it and the export succeeded. After a
/// failure the window stays open, so that the user can read the message.
fn report(
    mut exporting: ResMut<Exporting>,
    mut message: ResMut<Message>,
    mut requests: MessageWriter<DocumentRequest>,
) {
    let exporting = exporting.bypass_change_detection();
    let Some(outcome) = exporting.job.as_mut().and_then(Job::outcome) else { return };
    exporting.job = None;
    if std::mem::take(&mut exporting.closes) && outcome.is_ok() {
        requests.write(DocumentRequest::Close);
    }
    match outcome {
        Ok(summary) if exporting.is_output => {
            message.report_file("Exported", &exporting.path);
            message.text += &format!("\n{summary}");
        }
        Ok(summary) if summary == exporting.path.display().to_string() => {
            message.report_file("Saved", &exporting.path);
        }
        Ok(summary) => message.report(format!("Saved {summary}")),
        Err(Error::Cancelled) if exporting.is_output => {
            message.report("Export cancelled; no file was written")
        }
        Err(Error::Cancelled) => message.report("Drawing cancelled"),
        Err(error) => message.error(error.to_string()),
    }
}

fn draw(order: &Order, recipe: &Recipe, cache: &Cache, path: PathBuf, work: &Work) -> Result<String> {
    match order {
        Order::Picture(shot) => {
            picture::check(&path)?;
            let drawn = render_with(recipe, shot, cache, work)?;
            work.check()?;
            picture::write_drawn(&path, &drawn)?;
            Ok(path.display().to_string())
        }
        Order::Output(output) => {
            let summary = output.write(recipe, cache, &path, work)?;
            let files = output.files(recipe, &path)?;
            let bytes: u64 = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
            Ok(format!("{summary}\n{}", in_bytes(bytes)))
        }
        Order::Film(film, tour) => FilmWriter::record(&path, film, |writer| {
            render_tour_with((recipe, cache), tour, film, work, |index, drawn| writer.take(index, &drawn))
        }),
    }
}

/// A number of bytes, in the largest unit that gives at least 1.
fn in_bytes(bytes: u64) -> String {
    let size = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.1} kB", size / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

/// Whether ffmpeg is in one of the folders of PATH.
pub(crate) fn has_ffmpeg() -> bool {
    let name = format!("ffmpeg{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(&name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Bookmark;

    /// The message after an export, and whether it is an error.
    fn message_after(order: Order, recipe: Recipe, path: PathBuf, cancelled: bool) -> (String, bool) {
        let mut app = App::new();
        app.init_resource::<Message>();
        add(&mut app);
        let mut exporting = app.world_mut().resource_mut::<Exporting>();
        exporting.begin(order, recipe, Cache::default(), path);
        if cancelled {
            exporting.cancel();
        }
        let begun = Instant::now();
        while app.world().resource::<Message>().text.is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(120));
            app.update();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(app.world().resource::<Exporting>().progress().is_none());
        let message = app.world().resource::<Message>();
        (message.text.clone(), message.is_error)
    }

    #[test]
    fn a_waiting_window_closes_after_the_export_and_stays_open_if_that_fails() {
        let closes = |outcome: fn() -> Result<String>| {
            let mut app = App::new();
            app.init_resource::<Message>();
            add(&mut app);
            let job = Some(Job::start_long(move |_| outcome()));
            app.insert_resource(Exporting {
                job,
                begun: None,
                path: PathBuf::new(),
                closes: true,
                is_output: false,
            });
            while app.world().resource::<Exporting>().progress().is_some() {
                app.update();
                std::thread::sleep(Duration::from_millis(1));
            }
            let requests = app.world().resource::<bevy::ecs::message::Messages<DocumentRequest>>();
            requests.iter_current_update_messages().any(|request| matches!(request, DocumentRequest::Close))
        };
        assert!(closes(|| Ok("a.png".to_owned())));
        assert!(!closes(|| Err(Error::file("a.png", "the disk is full"))));
    }

    #[test]
    fn a_failed_export_is_reported_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let land = || Recipe::new("Plain", (5, 5), 10.0);
        let picture = || Order::Picture(Box::default());
        let (text, is_error) = message_after(picture(), land(), folder.path().join("plain.gif"), false);
        assert!(is_error && text.contains("plain.gif") && text.contains(".png or .bmp"), "{text}");
        let (text, is_error) = message_after(picture(), land(), folder.path().join("none/plain.png"), false);
        assert!(is_error && text.contains("none"), "{text}");
        let place = |x: f32| Bookmark { name: "a".into(), from: (x, 9.0, 0.0), look: (0.0, 0.0, 0.0) };
        let film = Order::Film(Film::default(), Tour::of(&[place(0.0), place(1.0)]).unwrap());
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        let (text, is_error) = message_after(film, land(), folder.path().to_owned(), false);
        assert!(is_error && text.contains("empty folder"), "{text}");
        let (text, is_error) = message_after(picture(), land(), folder.path().join("plain.png"), true);
        assert!(!is_error && text.contains("cancelled"), "{text}");
        assert!(!folder.path().join("plain.png").exists());
    }
}
