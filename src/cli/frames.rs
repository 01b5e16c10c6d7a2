//! `upland generate --frames`: writes the intermediate results of steps as numbered files into a folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::arguments;
use super::report::Failure;
use crate::compute::frames::{Frame, Moment, Observer};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::recipe::Recipe;

/// The most frames of a step, spread evenly over its rounds; its result comes in addition.
const AT_MOST: usize = 100;

/// Where frames are written, if they are requested.
pub(super) struct Frames {
    writer: Option<Arc<Writer>>,
}

struct Writer {
    folder: PathBuf,
    /// The output's extension: frames have the same format.
    extension: OsString,
    /// Indices of the steps whose frames are requested.
    steps: Vec<usize>,
    written: AtomicUsize,
    failed: Mutex<Option<Error>>,
}

impl Frames {
    /// Creates the folder, or accepts an empty one. Call it within [`together`](super::outputs::together), so
    /// that frames are moved into place with its other files.
    pub(super) fn begin(
        arguments: &arguments::FramesArguments,
        recipe: &Recipe,
        output: &Path,
    ) -> Result<Self, Failure> {
        let Some(folder) = &arguments.folder else { return Ok(Self { writer: None }) };
        let steps = chosen(arguments.of.as_deref(), recipe)?;
        formats::create_folder(folder)?;
        let mut inside = fs::read_dir(folder).map_err(|error| Error::io(folder, "read", error))?;
        if inside.next().is_some() {
            let reason = "is not empty; frames need an empty folder, or a new one";
            return Err(Error::file(folder, reason).into());
        }
        let writer = Writer {
            folder: folder.clone(),
            extension: output.extension().unwrap_or_default().to_owned(),
            steps,
            written: AtomicUsize::new(0),
            failed: Mutex::new(None),
        };
        Ok(Self { writer: Some(Arc::new(writer)) })
    }

    /// Runs `build` and writes its frames. If one cannot be written, the build is cancelled and the error
    /// returned.
    pub(super) fn during<T>(&self, work: &Work, build: impl FnOnce(&Work) -> Result<T>) -> Result<T> {
        let Some(writer) = &self.writer else { return build(work) };
        let observer = Writing { writer: writer.clone(), work: work.clone() };
        // The clone shares progress and cancellation with `work`.
        let built = build(&work.clone().observed_by(observer));
        // The writer's error is the cause; the build itself only says that it was cancelled.
        let failed = writer.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_or(built, Err)
    }
}

/// Indices of the selected steps: all, the one of this index, or those of this name.
fn chosen(of: Option<&str>, recipe: &Recipe) -> Result<Vec<usize>, Failure> {
    let done: Vec<(usize, &str)> = recipe.done().map(|(number, step)| (number, step.name())).collect();
    let is_meant = |number: usize, name: &str| of.is_none_or(|of| of == name || of.parse() == Ok(number));
    let meant: Vec<usize> =
        done.iter().filter(|(number, name)| is_meant(*number, name)).map(|(number, _)| *number).collect();
    match of {
        Some(of) if meant.is_empty() => {
            let there: Vec<String> = done.iter().map(|(number, name)| format!("{number} ({name})")).collect();
            Err(Failure::Usage(format!("--frames-of: no step `{of}` runs; there are {}", there.join(", "))))
        }
        _ => Ok(meant),
    }
}

/// Writes the frames of a build.
struct Writing {
    writer: Arc<Writer>,
    work: Work,
}

impl Observer for Writing {
    fn wants(&self, moment: &Moment) -> bool {
        moment.step.is_some_and(|(number, _)| self.writer.steps.contains(&number))
            && moment.is_one_of(AT_MOST)
    }

    fn see(&self, frame: &Frame<'_>) {
        let Writer { folder, extension, written, failed, .. } = &*self.writer;
        let Moment { step, what, number, .. } = frame.moment;
        let (place, name) = step.unwrap_or((0, "step"));
        // Frames are numbered as they come, so that an alphabetical list of files is in their order.
        let count = written.fetch_add(1, Ordering::Relaxed) + 1;
        let label = format!("{count:05}-{place}-{name}-{what}-{number}").replace([' ', '_'], "-");
        let path = folder.join(label).with_extension(extension);
        let raster = Raster::from(frame.to_heightfield());
        if let Err(error) = formats::write(path, &raster, &WriteOptions::default()) {
            // Only the first error counts: the others follow from it.
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.work.cancel();
        }
    }
}
