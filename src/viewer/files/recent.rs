//! Recently opened files, including lessons, and the system's file dialogs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use bevy::prelude::*;
use bevy::tasks::{IoTaskPool, Task, block_on, poll_once};
use rfd::{AsyncFileDialog, FileHandle};
use serde::{Deserialize, Serialize};

use super::output::OutputKind;
use crate::analysis::plots::PlotFormat;
use crate::elevation::formats::is_readable;
use crate::error::{Error, Result};
use crate::files::{self, FileKind, replace_file};
use crate::lessons::RonFile;
use crate::recipe::Recipe;
use crate::render::video::VIDEOS;
use crate::steps::generate::Import;
use crate::viewer::document::Document;
use crate::viewer::document::lesson::CurrentLesson;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{DocumentRequest, directories};

/// The maximum number of files in the list.
const MOST: usize = 12;

/// Extensions of files that can be opened: recipes and lessons, and elevation.
const LANDS: &[&str] =
    &["ron", "tif", "tiff", "png", "exr", "asc", "r16", "raw", "flt", "bil", "bip", "bsq", "bmp", "hgt"];
const ELEVATION: &[&str] = LANDS.split_at(1).1;

/// Extensions of pictures.
const PICTURES: &[&str] = &["png", "bmp"];

/// Recently opened files, the latest first.
#[derive(Resource, Default)]
pub(crate) struct Recent {
    paths: Vec<PathBuf>,
    file: Option<PathBuf>,
}

/// The content of the list's file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredList {
    recent: Vec<PathBuf>,
}

impl Recent {
    /// The list in a file. A file that is damaged or cannot be read counts as empty.
    fn kept(file: Option<PathBuf>) -> Self {
        let read = |path: &PathBuf| {
            let text = String::from_utf8(files::read(path, FileKind::Recipe).ok()?).ok()?;
            ron::from_str::<StoredList>(&text).ok()
        };
        let mut paths = file.as_ref().and_then(read).map(|stored| stored.recent).unwrap_or_default();
        paths.truncate(MOST);
        Self { paths, file }
    }

    /// The files, the latest first.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Moves a file to the front, and writes the list to its file.
    fn add(&mut self, path: PathBuf) -> Result<()> {
        if self.paths.first() == Some(&path) {
            return Ok(());
        }
        self.paths.retain(|known| *known != path);
        self.paths.insert(0, path);
        self.paths.truncate(MOST);
        let Some(file) = &self.file else { return Ok(()) };
        let stored = StoredList { recent: self.paths.clone() };
        let Ok(text) = ron::ser::to_string_pretty(&stored, ron::ser::PrettyConfig::new()) else {
            return Ok(());
        };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make", error))?;
        }
        replace_file(file, |out| {
            std::io::Write::write_all(out, text.as_bytes()).map_err(|error| Error::io(file, "write", error))
        })
    }
}

/// The purpose that a file is chosen for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// Opening it in place of this document.
    Open(Entity),
    /// Saving this document to it.
    SaveAs(Entity),
    /// Writing a plot to it.
    Plot(PlotFormat),
    /// Drawing a picture to it.
    Picture,
    /// Drawing a film to it, as a video.
    Video,
    /// Drawing the pictures of a film into it: it is a folder.
    Frames,
    /// Exporting a file for other programs to it.
    Output(OutputKind),
    /// Naming it in a parameter of this document.
    Parameter(Entity, FileToRead),
}

/// A file that a recipe reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileToRead {
    /// Heights, or a picture that is read as heights.
    Elevation,
    /// A picture.
    Picture,
    /// Strokes of the brush.
    Strokes,
}

impl FileToRead {
    /// Its name in the dialog, and its extensions.
    fn filter(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Elevation => ("Elevation and pictures", ELEVATION),
            Self::Picture => ("Pictures", PICTURES),
            Self::Strokes => ("Strokes", &["ron", "json"]),
        }
    }
}

/// The system's dialog, while it is open.
#[derive(Resource, Default)]
pub(crate) struct Browsing {
    task: Option<(Purpose, Task<Option<PathBuf>>)>,
    begun: f32,
    /// The chosen file, until the panel that needs it takes it.
    pub chosen: Option<(Purpose, PathBuf)>,
}

/// If a dialog ends without a choice in less than this many seconds, the system has no dialog, because no
/// user is that fast.
const NOT_THERE: f32 = 1.0;

impl Browsing {
    /// Opens the system's dialog, unless one is open.
    pub fn begin(&mut self, purpose: Purpose, near: Option<&Path>) {
        if self.task.is_some() {
            return;
        }
        let mut dialog = AsyncFileDialog::new();
        if let Some(folder) = near.and_then(Path::parent).filter(|folder| folder.is_dir()) {
            dialog = dialog.set_directory(folder);
        }
        let asked = ask(dialog, purpose, near.and_then(Path::file_name));
        let task = IoTaskPool::get().spawn(async move { asked.await.map(|file| file.path().to_owned()) });
        (self.task, self.begun) = (Some((purpose, task)), 0.0);
    }

    /// Takes the chosen file, if it is for such a purpose.
    pub fn take(&mut self, is_wanted: impl FnOnce(Purpose) -> bool) -> Option<(Purpose, PathBuf)> {
        self.chosen.take_if(|(purpose, _)| is_wanted(*purpose))
    }

    /// Whether a dialog is open.
    pub fn is_open(&self) -> bool {
        self.task.is_some()
    }
}

/// The outcome of a dialog.
type Choice = Pin<Box<dyn Future<Output = Option<FileHandle>> + Send>>;

/// Opens a dialog for a purpose. `name` is suggested for a file to write.
fn ask(dialog: AsyncFileDialog, purpose: Purpose, name: Option<&OsStr>) -> Choice {
    let written = |dialog: AsyncFileDialog, title: &str, usual: String| {
        let name = name.map_or(usual, |name| name.to_string_lossy().into_owned());
        dialog.set_title(title).set_file_name(name)
    };
    match purpose {
        Purpose::Open(_) => {
            let dialog = dialog.set_title("Open a landscape or a lesson");
            let dialog = dialog.add_filter("Recipes, lessons and elevation", LANDS);
            #[cfg(feature = "world")]
            let dialog = dialog.add_filter("Plans", &["json"]);
            Box::pin(dialog.add_filter("All files", &["*"]).pick_file())
        }
        Purpose::SaveAs(_) => {
            let dialog = written(dialog, "Save the landscape as", "landscape.ron".to_owned());
            Box::pin(dialog.add_filter("Recipes", &["ron"]).save_file())
        }
        Purpose::Plot(format) => {
            let extension = format.extension();
            let dialog = written(dialog, "Save the plot as", format!("plot.{extension}"));
            Box::pin(dialog.add_filter(extension.to_uppercase(), &[extension]).save_file())
        }
        Purpose::Picture => {
            let dialog = written(dialog, "Save the picture as", "picture.png".to_owned());
            Box::pin(dialog.add_filter("Pictures", PICTURES).save_file())
        }
        Purpose::Video => {
            let dialog = written(dialog, "Save the film as", "film.mp4".to_owned());
            let videos = VIDEOS.map(|(extension, _)| extension);
            Box::pin(dialog.add_filter("Videos", &videos).save_file())
        }
        Purpose::Frames => {
            Box::pin(dialog.set_title("Choose a folder for the film's pictures").pick_folder())
        }
        Purpose::Output(kind) => {
            let extensions: Vec<&str> =
                kind.extensions().into_iter().map(|(extension, _)| extension).collect();
            let dialog = written(dialog, "Export as", format!("landscape.{}", extensions[0]));
            Box::pin(dialog.add_filter("Files of this kind", &extensions).save_file())
        }
        Purpose::Parameter(_, file) => {
            let (name, extensions) = file.filter();
            let dialog = dialog.set_title("Choose a file").add_filter(name, extensions);
            Box::pin(dialog.add_filter("All files", &["*"]).pick_file())
        }
    }
}

/// Adds the list and the dialogs.
pub(crate) fn add(app: &mut App) {
    let file = directories::state().map(|folder| folder.join("recent.ron"));
    app.insert_resource(Recent::kept(file))
        .init_resource::<Browsing>()
        .add_systems(Update, (remember, browse));
}

/// Adds the files of documents to the list, and that of a lesson when it starts.
fn remember(
    documents: Query<&Document, Changed<Document>>,
    teaching: Option<Res<CurrentLesson>>,
    mut recent: ResMut<Recent>,
    mut message: ResMut<Message>,
    mut has_failed: Local<bool>,
) {
    let begun = teaching.filter(|teaching| teaching.is_changed());
    let lesson = begun.and_then(|teaching| teaching.0.as_ref()?.path.clone());
    let lesson = lesson.and_then(|path| std::path::absolute(path).ok());
    let read = documents.iter().filter(|document| document.unread().is_none());
    for path in read.filter_map(Document::absolute_path).chain(lesson) {
        if recent.paths.first() == Some(&path) {
            continue;
        }
        let kept = recent.add(path);
        // Reported once only, because the land itself isn't affected.
        if let Err(error) = kept
            && !std::mem::replace(&mut *has_failed, true)
        {
            message.error(format!("The list of recent files cannot be kept: {error}"));
        }
    }
}

/// Receives the choice made in the system's dialog.
fn browse(mut browsing: ResMut<Browsing>, time: Res<Time>, mut message: ResMut<Message>) {
    let browsing = browsing.bypass_change_detection();
    let Some((purpose, task)) = &mut browsing.task else { return };
    browsing.begun += time.delta_secs();
    let Some(chosen) = block_on(poll_once(task)) else { return };
    match chosen {
        Some(path) => browsing.chosen = Some((*purpose, path)),
        None if browsing.begun < NOT_THERE => {
            message.report("No file dialog is available on this system; type the path instead");
        }
        None => {}
    }
    browsing.task = None;
}

/// Opens a file in place of a document, asking first if that has unsaved changes. A recipe, elevation or a
/// plan is opened as a landscape, a lesson is started.
///
/// # Errors
/// When the file is damaged, or is none of these.
pub(crate) fn request_to_open(document: Entity, path: &Path) -> Result<DocumentRequest> {
    let file = Some(path.to_owned());
    #[cfg(feature = "world")]
    if let Some(place) = path.to_str().filter(|name| upland_world::is_plan(name)) {
        return Ok(DocumentRequest::OpenPlan { document, place: place.to_owned() });
    }
    if is_readable(path) {
        let recipe = Box::new(Recipe::from_elevation_in_proportion(path)?);
        return Ok(DocumentRequest::Show { document, recipe, path: file });
    }
    Ok(match RonFile::read(path)? {
        RonFile::Recipe(recipe) => DocumentRequest::Show { document, recipe, path: file },
        RonFile::Lesson(lesson) => DocumentRequest::Learn { document, lesson, path: file },
    })
}

/// The message after opening a file. For elevation, it mentions by how much heights are scaled, if at all.
pub(crate) fn opened_with(path: &Path, recipe: &Recipe) -> String {
    let import = recipe.steps.first().and_then(|step| step.operation_as::<Import>());
    match import.map(|import| import.scale).filter(|scale| is_readable(path) && *scale != 1.0) {
        Some(scale) => format!(
            "Opened {}: its heights, too large for a land of this size, were multiplied by {scale}; see “scale” in the first step",
            path.display()
        ),
        None => format!("Opened {}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elevation::formats::formats;
    use crate::lessons::ShippedLesson;
    use crate::viewer::document::lesson::GivenLesson;

    #[test]
    fn the_latest_file_is_first_and_none_is_listed_twice() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("upland/recent.ron");
        let mut recent = Recent::kept(Some(file.clone()));
        for name in ["a", "b", "a", "c", "c"] {
            recent.add(PathBuf::from(name)).unwrap();
        }
        assert_eq!(recent.paths(), ["c", "a", "b"].map(PathBuf::from));
        assert_eq!(Recent::kept(Some(file.clone())).paths(), recent.paths());
        for number in 0..20 {
            recent.add(PathBuf::from(format!("{number}"))).unwrap();
        }
        assert_eq!(recent.paths().len(), MOST);
    }

    #[test]
    fn a_damaged_list_counts_as_empty_and_a_failure_to_write_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recent.ron");
        for damaged in ["", "(recent: [1])", "(recent: [\"a\"], more: 1)", "((((", "\u{0}"] {
            std::fs::write(&file, damaged).unwrap();
            assert!(Recent::kept(Some(file.clone())).paths().is_empty(), "{damaged}");
        }
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(Recent::kept(Some(file.clone())).paths().is_empty());
        let mut recent = Recent::kept(Some(file.join("below/a/file.ron")));
        assert!(recent.add(PathBuf::from("x")).is_err());
        assert_eq!(recent.paths().len(), 1, "it stays in the list until the program ends");
    }

    #[test]
    fn all_offered_extensions_can_be_read() {
        assert_eq!(LANDS[0], "ron");
        for extension in ELEVATION {
            assert!(is_readable(format!("land.{extension}")), "{extension}");
        }
        for format in formats().iter().filter(|format| format.can_read()) {
            assert!(format.extensions.iter().all(|own| ELEVATION.contains(own)), "{}", format.name);
        }
    }

    #[test]
    fn landscapes_and_lessons_can_be_opened_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            request_to_open(Entity::PLACEHOLDER, &path).map_err(|error| error.to_string())
        };
        let lesson = ShippedLesson::find("faults").unwrap().text;
        // The name of the file doesn't matter.
        for name in ["lesson.ron", "lesson.txt", "lesson"] {
            match open(name, lesson).unwrap() {
                DocumentRequest::Learn { lesson, path, .. } => {
                    assert_eq!((&*lesson.title, path), ("Broken ground", Some(folder.path().join(name))));
                }
                other => panic!("{other:?}"),
            }
        }
        let recipe = "(version: 1, name: \"Hills\", size: (9, 9), cell: 1, steps: [fbm()])";
        assert!(
            matches!(open("hills.ron", recipe), Ok(DocumentRequest::Show { recipe, path: Some(_), .. }) if recipe.name == "Hills")
        );
        let refused = open("notes.ron", "(version: 1, name:").unwrap_err();
        assert!(refused.contains("notes.ron:1:"), "{refused}");
        let refused = open("notes.ron", &lesson.replace("start: 20.0", "begin: 20.0")).unwrap_err();
        assert!(refused.contains("notes.ron:") && refused.contains("begin"), "{refused}");
        for name in ["notes.ron", "notes.txt"] {
            let refused = open(name, "Buy milk").unwrap_err();
            assert!(refused.contains("neither a recipe") && refused.contains("nor a lesson"), "{refused}");
        }
        assert!(request_to_open(Entity::PLACEHOLDER, &folder.path().join("none.tif")).is_err());
    }

    #[test]
    fn the_file_of_a_lesson_is_remembered_when_it_begins() {
        let mut app = App::new();
        app.insert_resource(Recent::kept(None)).init_resource::<Message>().add_systems(Update, remember);
        let lesson = ShippedLesson::find("faults").unwrap().lesson().unwrap();
        let mut begin = |path: Option<&str>| {
            let given = GivenLesson::new(lesson.clone(), path.map(PathBuf::from));
            app.insert_resource(CurrentLesson(Some(given)));
            app.update();
            app.world().resource::<Recent>().paths().to_owned()
        };
        let [first, second] = ["first.ron", "second.ron"].map(|name| std::path::absolute(name).unwrap());
        assert_eq!(begin(Some("first.ron")), std::slice::from_ref(&first));
        assert_eq!(begin(None), std::slice::from_ref(&first));
        assert_eq!(begin(Some("second.ron")), [second, first]);
    }
}
