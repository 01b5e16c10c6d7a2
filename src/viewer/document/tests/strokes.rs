//! Strokes of a brush, which have files of their own. Saving and undoing lose none, in any order.

use super::*;
use crate::sculpt::{Stroke, Tool};

/// Adds a stroke, and settles.
fn raise(document: &mut Document, by: f32) {
    let mut strokes = document.recipe.strokes().unwrap();
    strokes.push(Stroke::at(Tool::Raise { by }, [0.0, 0.0], 50.0)).unwrap();
    let folder = document.path().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    document.recipe.set_strokes(&strokes, &folder);
    document.settle();
}

/// The height to which strokes have raised the corner.
fn height(recipe: &Recipe) -> f32 {
    recipe.build_heightfield(&crate::Work::new()).unwrap().at(0, 0)
}

fn in_file(path: &Path) -> f32 {
    height(&Recipe::read(path).unwrap())
}

/// A land in `land.ron` in a folder, raised by a metre and saved.
fn saved(folder: &Path) -> (Document, PathBuf) {
    let path = folder.join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    raise(&mut document, 1.0);
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()));
    assert_eq!((in_file(&path), document.is_unsaved()), (1.0, false));
    (document, path)
}

#[test]
fn undoing_brings_back_strokes_that_were_saved_over() {
    let folder = tempfile::tempdir().unwrap();
    let (mut document, path) = saved(folder.path());
    raise(&mut document, 2.0);
    document.save().unwrap();
    assert_eq!(in_file(&path), 3.0);
    assert!(document.undo() && document.is_unsaved());
    assert_eq!((height(&document.recipe), in_file(&path)), (1.0, 3.0));
    // The document kept in case of a crash has the strokes that are shown.
    assert_eq!(height(&Document::restored(document.unsaved().unwrap()).recipe), 1.0);
    document.save().unwrap();
    assert_eq!(in_file(&path), 1.0);
    assert!(document.redo());
    assert_eq!((height(&document.recipe), in_file(&path)), (3.0, 1.0));
    assert!(document.undo() && document.undo());
    assert_eq!(height(&document.recipe), 0.0);
}

#[test]
fn undoing_past_save_as_leaves_the_strokes_of_the_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut document, path) = saved(folder.path());
    raise(&mut document, 2.0);
    let other = folder.path().join("other.ron");
    document.write(other.clone()).unwrap();
    assert_eq!((in_file(&path), in_file(&other)), (1.0, 3.0));
    // The undone state names the file of the first land.
    assert!(document.undo());
    raise(&mut document, 4.0);
    assert_eq!(document.save().unwrap(), Saved::To(other.clone()));
    assert_eq!((in_file(&path), in_file(&other)), (1.0, 5.0));
    assert!(document.undo());
    document.save().unwrap();
    assert_eq!((in_file(&path), in_file(&other)), (1.0, 1.0));
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["land.ron", "land.strokes.ron", "other.ron", "other.strokes.ron"]);
}

#[test]
fn strokes_of_another_window_are_not_replaced_without_asking() {
    let folder = tempfile::tempdir().unwrap();
    let (mut document, path) = saved(folder.path());
    let mut other = open(&path);
    raise(&mut other, 2.0);
    other.save().unwrap();
    // The recipe itself is the same as before, because it names the same file.
    raise(&mut document, 4.0);
    let of_strokes = folder.path().join("land.strokes.ron");
    assert_eq!(document.save().unwrap(), Saved::ChangedElsewhere(of_strokes.clone()));
    assert_eq!(in_file(&path), 3.0);
    document.save_over().unwrap();
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()), "the file is known now");
    // Without strokes to write, nothing is replaced; a deleted file has nothing to lose.
    raise(&mut other, 8.0);
    std::fs::remove_file(of_strokes).unwrap();
    assert_eq!(other.save().unwrap(), Saved::To(path));
}

#[test]
fn a_failure_to_write_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut document, path) = saved(folder.path());
    raise(&mut document, 2.0);
    let nowhere = folder.path().join("not/there/land.ron");
    assert!(document.write(nowhere).is_err());
    assert_eq!((document.path(), height(&document.recipe), in_file(&path)), (Some(&*path), 3.0, 1.0));
    assert!(document.is_unsaved() && document.undo());
    assert_eq!(height(&document.recipe), 1.0);
}

#[test]
fn strokes_written_before_a_failure_count_as_own() {
    let folder = tempfile::tempdir().unwrap();
    let (mut document, path) = saved(folder.path());
    raise(&mut document, 2.0);
    let text = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(document.save_over().is_err() && document.is_unsaved());
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, text).unwrap();
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()));
    assert_eq!((in_file(&path), height(&document.recipe)), (3.0, 3.0));
}
