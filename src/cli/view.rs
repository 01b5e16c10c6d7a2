//! `upland view`: the window; where there is no display, a PNG of the same scene.

use std::path::{Path, PathBuf};

use super::{Failure, Outcome, arguments, land, progress, report};
use crate::lessons::Lesson;
use crate::picture;
use crate::plugin::Quality;
use crate::recipe::preset::Preset;
use crate::viewer::{self, Document, MAX_LANDSCAPES, Shot};

pub(super) fn run(arguments: &arguments::ViewArguments) -> Outcome {
    let mut names = arguments.files.clone();
    if names.is_empty() {
        names.push(Preset::all()[0].name.to_owned());
    }
    if names.len() > MAX_LANDSCAPES {
        let message =
            format!("{} landscapes are too many side by side; at most {MAX_LANDSCAPES}", names.len());
        return Err(Failure::Usage(message));
    }
    let mut documents = Vec::new();
    for name in &names {
        let recipe = land::recipe(name, arguments.size, &arguments.changes)?;
        let path = Path::new(name).exists().then(|| PathBuf::from(name));
        // Saving its land must not take the place of the lesson.
        let path = path.filter(|path| Lesson::read(path).is_err());
        documents.push(Document::new(recipe, path));
    }
    match &arguments.stills {
        Some(folder) => take_stills(documents, arguments.quality, folder),
        None => show(documents, arguments.quality),
    }
}

/// Takes pictures of all that the window has.
fn take_stills(documents: Vec<Document>, quality: Option<Quality>, folder: &Path) -> Outcome {
    let display = viewer::Display::open().map_err(|reason| Failure::Usage(format!("--stills: {reason}")))?;
    ended(viewer::take_stills(display, documents, quality, folder.to_owned())?)
}

/// Opens landscapes in the window; without a display, draws each into a picture.
pub(super) fn show(documents: Vec<Document>, quality: Option<Quality>) -> Outcome {
    let display = match viewer::Display::open() {
        Ok(display) => display,
        Err(reason) => return without_display(&reason, &documents, quality),
    };
    ended(viewer::view(display, documents, quality)?)
}

/// What the window's end means for the program.
pub(super) fn ended(exit: bevy::app::AppExit) -> Outcome {
    match exit {
        bevy::app::AppExit::Success => Ok(()),
        bevy::app::AppExit::Error(_) => Err(Failure::Quiet),
    }
}

fn without_display(reason: &str, documents: &[Document], quality: Option<Quality>) -> Outcome {
    let quality = quality.unwrap_or(Shot::default().quality);
    let shot = Shot { quality, ..Shot::default() };
    for document in documents {
        let path = viewer::free_name(&document.recipe.name, "png")?;
        report(&format!("{reason}; drawing {} instead", path.display()));
        let drawn = progress::with_bar(|work| viewer::render(&document.recipe, &shot, work))?;
        picture::write_drawn(&path, &drawn)?;
    }
    Ok(())
}
