//! `upland view`: the window; where there is no display, a PNG of the same scene.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lesson;
use crate::cli::report::{Failure, Outcome, ended, note, report_error};
use crate::cli::{arguments, drawing, land, outputs};
use crate::lessons::{Lesson, RonFile};
use crate::picture;
use crate::plugin::Quality;
use crate::recipe::Recipe;
use crate::recipe::preset::Preset;
use crate::render::{Shot, render};
use crate::viewer::{self, Document, MAX_LANDSCAPES};
use image::RgbaImage;

pub(in crate::cli) fn run(arguments: &arguments::ViewArguments) -> Outcome {
    let mut names = arguments.files.clone();
    if names.is_empty() {
        names.push(Preset::all()[0].name.to_owned());
    }
    if names.len() > MAX_LANDSCAPES {
        let message =
            format!("{} landscapes are too many side by side; at most {MAX_LANDSCAPES}", names.len());
        return Err(Failure::Usage(message));
    }
    if let Some((name, lesson)) = lone_lesson(&names, arguments) {
        return lesson::open(name, lesson, Some(PathBuf::from(name)), arguments.quality);
    }
    let mut documents = Vec::new();
    let found = land::recipes(&names, arguments.size, &arguments.changes)?;
    for (name, found) in names.iter().zip(found) {
        documents.push(match found {
            Ok(recipe) => document(name, recipe),
            Err(error) => Document::unread_file(Path::new(name), error.to_string()),
        });
    }
    match &arguments.stills {
        Some(folder) => take_stills(documents, arguments.quality, folder),
        None => show(documents, arguments.quality),
    }
}

/// The lesson, if exactly one file is named and it is a lesson. Only sliders may change a lesson's land: with
/// other changes the file is opened as a landscape.
fn lone_lesson<'a>(names: &'a [String], arguments: &arguments::ViewArguments) -> Option<(&'a str, Lesson)> {
    let arguments::Changes { seed, cell, set } = &arguments.changes;
    let is_changed = seed.is_some() || cell.is_some() || !set.is_empty() || arguments.size.is_some();
    let [name] = names else { return None };
    if is_changed || arguments.stills.is_some() {
        return None;
    }
    lesson_in(Path::new(name)).map(|lesson| (name.as_str(), lesson))
}

/// The lesson in a file, if it has one.
fn lesson_in(path: &Path) -> Option<Lesson> {
    let is_ron = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron"));
    if !is_ron {
        return None;
    }
    match RonFile::read(path) {
        Ok(RonFile::Lesson(lesson)) => Some(*lesson),
        _ => None,
    }
}

/// The document for a name.
fn document(name: &str, recipe: Recipe) -> Document {
    let path = Path::new(name).exists().then(|| PathBuf::from(name));
    let Some(path) = path else { return Document::new(recipe, None) };
    if lesson_in(&path).is_some() {
        note(&format!(
            "{name} is a lesson; its land is shown. To take the lesson, open it alone and unchanged"
        ));
        // Without the file's path: saving the land must not replace the lesson.
        return Document::new(recipe, None);
    }
    Document::new(recipe, Some(path))
}

/// Takes pictures of all parts of the window.
fn take_stills(documents: Vec<Document>, quality: Option<Quality>, folder: &Path) -> Outcome {
    let display = viewer::Display::open().map_err(|reason| Failure::Usage(format!("--stills: {reason}")))?;
    ended(viewer::take_stills(display, documents, quality, folder.to_owned())?)
}

/// Opens landscapes in the window; without a display, draws each into a picture, if all files can be read.
pub(super) fn show(documents: Vec<Document>, quality: Option<Quality>) -> Outcome {
    let display = match viewer::Display::open() {
        Ok(display) => display,
        Err(reason) => return without_display(&reason, &documents, quality),
    };
    ended(viewer::view(display, documents, quality)?)
}

fn without_display(reason: &str, documents: &[Document], quality: Option<Quality>) -> Outcome {
    let unread: Vec<&str> = documents.iter().filter_map(Document::unread).collect();
    if !unread.is_empty() {
        unread.iter().for_each(|reason| report_error(reason));
        return Err(Failure::Quiet);
    }
    let quality = quality.unwrap_or(Shot::default().quality);
    let shot = Shot { quality, time_limit: Duration::MAX, ..Shot::default() };
    let mut pictures: Vec<(PathBuf, RgbaImage)> = Vec::new();
    for document in documents {
        let name = &document.recipe.name;
        let mut path = viewer::free_name(name, "png")?;
        // Several may have the same name, and none of their pictures exists yet.
        for number in 2.. {
            if pictures.iter().all(|(taken, _)| *taken != path) {
                break;
            }
            path = viewer::free_name(&format!("{name} {number}"), "png")?;
        }
        note(&format!("{reason}; drawing {} instead", path.display()));
        let drawn = drawing::draw(|work| render(&document.recipe, &shot, work))?;
        pictures.push((path, drawn));
    }
    let ((), written) = outputs::together(|| {
        Ok(pictures.iter().try_for_each(|(path, drawn)| picture::write_drawn(path, drawn))?)
    })?;
    if let Some((_, drawn)) = pictures.first() {
        written.report(&drawing::content(drawn));
    }
    Ok(())
}
