mod strokes;

use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::recipe::preset::Preset;

fn land(seed: u64) -> Recipe {
    let mut recipe = Recipe::new("Land", (3, 3), 1.0);
    recipe.seed = seed;
    recipe
}

/// Writes a recipe and sets its modification time to this second, because times of files are coarse.
fn write(path: &Path, seed: u64, second: u64) {
    std::fs::write(path, land(seed).to_ron().unwrap()).unwrap();
    touch(path, second);
}

fn touch(path: &Path, second: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
}

fn open(path: &Path) -> Document {
    Document::new(Recipe::read(path).unwrap(), Some(path.to_owned()))
}

#[test]
fn changes_are_undone_and_redone_one_by_one() {
    let mut document = Document::new(land(0), None);
    for seed in [1, 2] {
        document.recipe.seed = seed;
        document.settle();
    }
    assert!(document.undo() && document.recipe.seed == 1);
    assert!(document.undo() && document.recipe.seed == 0);
    assert!(!document.undo() && !document.is_unsaved());
    assert!(document.redo() && document.redo() && document.recipe.seed == 2);
    assert!(!document.redo());
}

#[test]
fn redoing_loses_no_change_in_progress() {
    let mut document = Document::new(land(0), None);
    document.recipe.seed = 1;
    assert!(document.undo() && document.can_redo());
    document.recipe.cell = 2.0;
    assert!(!document.can_redo() && !document.redo());
    assert_eq!((document.recipe.seed, document.recipe.cell), (0, 2.0));
    assert!(document.undo() && document.recipe == land(0));
    assert!(document.redo() && document.recipe.cell == 2.0);
}

#[test]
fn the_history_describes_changes_and_can_go_to_any_state() {
    let mut document = Document::new(land(0), None);
    for seed in [1, 2, 3] {
        document.recipe.seed = seed;
        document.settle();
    }
    document.show(land(9), None);
    let all = ["as it was opened", "seed 0 → 1", "seed 1 → 2", "seed 2 → 3", "opened Land"];
    assert_eq!(document.history(), (all.to_vec(), 4));
    for (index, seed) in [(1, 1), (4, 9), (0, 0), (2, 2), (2, 2), (7, 9)] {
        document.go_to(index);
        assert_eq!((document.recipe.seed, document.history()), (seed, (all.to_vec(), index.min(4))));
    }
}

#[test]
fn a_named_change_is_one_step_unless_it_changes_nothing() {
    let mut document = Document::new(land(0), None);
    document.recipe.seed = 1;
    document.change_as("nothing".into(), |_| {});
    document.recipe.seed = 2;
    document.change_as("grew".into(), |recipe| recipe.cell = 2.0);
    document.recipe.seed = 3;
    document.settle();
    let all = ["as it was opened", "seed 0 → 1", "seed 1 → 2", "grew", "seed 2 → 3"];
    assert_eq!(document.history(), (all.to_vec(), 4));
    document.go_to(2);
    assert_eq!((document.recipe.seed, document.recipe.cell), (2, 1.0));
}

#[test]
fn changes_in_a_lesson_are_not_unsaved_but_those_after_it_are() {
    let mut document = Document::new(land(0), None);
    document.recipe.seed = 1;
    document.show_lesson(land(5));
    document.recipe.seed = 6;
    assert!(!document.is_unsaved() && document.unsaved().is_none());
    document.undo();
    document.undo();
    assert!(document.recipe.seed == 1 && document.is_unsaved(), "as before the lesson");
    document.redo();
    document.redo();
    document.end_lesson();
    assert!(document.recipe.seed == 6 && !document.is_unsaved());
    document.recipe.seed = 7;
    assert!(document.is_unsaved());
}

#[test]
fn every_change_by_a_path_can_be_undone() {
    let mut document = Document::new(land(0), None);
    let mut states = vec![document.recipe.clone()];
    for (path, value) in [
        ("texture", "arid"),
        ("texture.types.2.elevation.min", "0.3"),
        ("texture.types.sand.factors.wetness.max", "0.5"),
        ("texture.light.bearing", "300"),
        ("texture.season", "0.5"),
        ("water.sea", "true"),
        ("sun.elevation", "12"),
        ("view.from.y", "900"),
        ("view", "none"),
        ("name", "Another"),
    ] {
        document.recipe.set(path, value).unwrap();
        document.settle();
        states.push(document.recipe.clone());
    }
    for state in states.iter().rev().skip(1) {
        assert!(document.undo());
        assert_eq!(document.recipe, *state);
    }
    for state in states.iter().skip(1) {
        assert!(document.redo());
        assert_eq!(document.recipe, *state);
    }
}

#[test]
fn undoing_another_landscape_brings_the_file_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    document.recipe.seed = 2;
    document.show(Recipe::new("Preset", (5, 5), 1.0), None);
    assert!(document.path().is_none() && !document.is_unsaved());

    assert!(document.undo());
    assert_eq!(document.path(), Some(path.as_path()));
    assert!(document.recipe.seed == 2 && document.is_unsaved());
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()));
    assert!(!document.is_unsaved() && Recipe::read(&path).unwrap().seed == 2);

    assert!(document.redo());
    assert!(document.path().is_none() && document.recipe.name == "Preset");
}

#[test]
fn saving_keeps_the_comments_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    let commented =
        "// Mine.\n(version: 1, name: \"Land\", size: (3, 3), cell: 1, steps: [\n// Up.\nflat(height: 5)])";
    std::fs::write(&path, commented).unwrap();
    let mut document = open(&path);
    document.recipe.steps.insert(0, crate::recipe::Step::from_name("fbm").unwrap());
    document.save().unwrap();
    let saved = text(&path);
    assert!(
        saved.starts_with("// Mine.\n(\n") && saved.contains("\n        // Up.\n        flat("),
        "{saved}"
    );
    document.save().unwrap();
    assert_eq!((text(&path), document.recipe.clone()), (saved.clone(), Recipe::read(&path).unwrap()));

    // Comments that another program wrote into the file are kept too, also in copies and files saved
    // elsewhere.
    std::fs::write(&path, saved.replace("Up.", "Upwards.")).unwrap();
    document.save_over().unwrap();
    assert!(text(&path).contains("// Upwards."));
    let other = folder.path().join("other.ron");
    let mut copy = Document::copy_of(&document, document.recipe.clone());
    copy.write(other.clone()).unwrap();
    assert_eq!(text(&other), text(&path));
    std::fs::remove_file(&path).unwrap();
    document.write(folder.path().join("third.ron")).unwrap();
    assert_eq!(text(&folder.path().join("third.ron")), text(&other));
}

#[test]
fn paths_mean_the_same_files_after_saving_in_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    [&first, &second].into_iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n";
    std::fs::write(first.join("a.asc"), grid).unwrap();
    let path = first.join("land.ron");
    let text =
        "// Mine.\n(version: 1, name: \"Land\", size: (2, 2), cell: 10, steps: [import(file: \"a.asc\")])";
    std::fs::write(&path, text).unwrap();
    let mut document = open(&path);
    for seed in [1, 2] {
        document.recipe.seed = seed;
        document.settle();
    }
    document.save().unwrap();
    assert_eq!(document.moved_paths(), 0);
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"a.asc\""));

    let other = second.join("land.ron");
    let is_right = |path: &Path| {
        let field = Recipe::read(path).unwrap().build_heightfield(&crate::Work::new()).unwrap();
        field.heights() == [1.0, 2.0, 3.0, 4.0]
    };
    document.write(other.clone()).unwrap();
    assert!(document.moved_paths() == 1 && is_right(&other) && !document.is_unsaved());
    assert!(std::fs::read_to_string(&other).unwrap().starts_with("// Mine."));
    assert_eq!(document.recipe, Recipe::read(&other).unwrap());
    // After undo, paths mean the same files, also when saved there or kept in case of a crash.
    assert!(document.undo() && document.recipe.seed == 1);
    let from_there = |recipe: &Recipe| {
        let mut read = Recipe::from_ron(&recipe.to_ron().unwrap(), "land.ron").unwrap();
        read.set_folder(&second);
        read
    };
    assert_eq!(from_there(&document.recipe), document.recipe);
    assert_eq!(document.save().unwrap(), Saved::To(other.clone()));
    assert!(is_right(&other) && document.undo());
    assert_eq!(document.save().unwrap(), Saved::To(other.clone()));
    assert!(is_right(&other) && Recipe::read(&other).unwrap().seed == 0);
}

#[test]
fn saving_keeps_comments_after_opening_and_restoring() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("canyon.ron");
    let said = "// Crests upside down are canyons";
    let mut document = Document::new(land(1), None);
    document.show(Preset::find("canyon").unwrap().recipe().unwrap(), None);
    document.write(path.clone()).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains(said));
    document.recipe.seed = 77;
    let mut restored = Document::restored(document.unsaved().unwrap());
    assert_eq!(restored.save().unwrap(), Saved::To(path.clone()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(said) && text.contains("seed: 77"), "{text}");
    // Comments that another program writes while it is open.
    std::fs::write(&path, format!("{text}// Later.\n")).unwrap();
    touch(&path, 9);
    assert_eq!(restored.reread().unwrap().unwrap(), Reread::Shown);
    let other = folder.path().join("other.ron");
    restored.write(other.clone()).unwrap();
    assert!(std::fs::read_to_string(&other).unwrap().ends_with(")\n// Later.\n"));
}

#[test]
fn a_file_changed_elsewhere_is_not_replaced_without_asking() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    document.recipe.seed = 2;
    // With the same time but different contents, the contents decide.
    write(&path, 77, 1);
    assert_eq!(document.save().unwrap(), Saved::ChangedElsewhere(path.clone()));
    assert!(document.is_unsaved() && Recipe::read(&path).unwrap().seed == 77);

    let mut beside = document.clone();
    let other = beside.new_path().unwrap();
    assert_eq!(other, folder.path().join("land-2.ron"));
    beside.write(other.clone()).unwrap();
    assert!(beside.path() == Some(other.as_path()) && Recipe::read(&other).unwrap().seed == 2);

    document.save_over().unwrap();
    assert_eq!(Recipe::read(&path).unwrap().seed, 2);
    document.recipe.seed = 3;
    assert_eq!(document.save().unwrap(), Saved::To(path));
}

#[test]
fn an_unreadable_file_is_not_replaced_without_asking_and_is_shown_once_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    std::fs::write(&path, "(version: 1, name:").unwrap();
    touch(&path, 1);
    let mut document = Document::unread_file(&path, "is damaged");
    assert_eq!((document.unread(), document.is_unsaved()), (Some("is damaged"), false));
    assert_eq!(document.recipe.name, "land.ron");
    assert_eq!(document.save().unwrap(), Saved::ChangedElsewhere(path.clone()));
    assert!(document.reread().is_none(), "it has not changed");
    write(&path, 3, 2);
    assert_eq!(document.reread().unwrap().unwrap(), Reread::Shown);
    assert!(document.unread().is_none() && document.recipe.seed == 3);

    let gone = folder.path().join("gone.ron");
    let mut document = Document::unread_file(&gone, "is not there");
    assert!(document.reread().is_none());
    write(&gone, 5, 3);
    assert_eq!(document.reread().unwrap().unwrap(), Reread::Shown);
    assert_eq!(document.recipe.seed, 5);
}

#[test]
fn a_file_that_was_only_touched_or_removed_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    document.recipe.seed = 2;
    touch(&path, 9);
    assert!(document.reread().is_none());
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()));
    std::fs::remove_file(&path).unwrap();
    document.recipe.seed = 3;
    assert_eq!(document.save().unwrap(), Saved::To(path.clone()));
    assert_eq!(Recipe::read(&path).unwrap().seed, 3);
}

#[test]
fn a_change_elsewhere_is_reported_once_and_shown_when_there_are_no_changes_here() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    document.recipe.seed = 2;
    write(&path, 3, 2);
    assert_eq!(document.reread().unwrap().unwrap(), Reread::Kept);
    assert!(document.reread().is_none());
    assert_eq!(document.recipe.seed, 2);
    document.undo();
    assert_eq!(document.reread().unwrap().unwrap(), Reread::Shown);
    assert!(document.recipe.seed == 3 && document.reread().is_none());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_file_is_refused_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    write(&path, 1, 1);
    let mut document = open(&path);
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let (report, reports) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let error = document.reread().unwrap().unwrap_err().to_string();
        document.recipe.seed = 2;
        let _ = report.send((error, document.save().unwrap(), document.save_over().is_err()));
    });
    // Reading an open pipe would never end.
    let (error, saved, refused) = reports.recv_timeout(Duration::from_secs(120)).expect("it still waits");
    assert!(error.contains("is a pipe") && refused, "{error}");
    assert_eq!(saved, Saved::ChangedElsewhere(path));
}

#[test]
fn any_name_makes_a_valid_file_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x".repeat(5000), "é".repeat(300), "\0\x1b[2J/../..".into(), String::new()] {
        let path = free_name_in(folder.path(), &name, "ron").unwrap();
        assert_eq!(path.parent(), Some(folder.path()));
        std::fs::write(&path, "").unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    let name = || free_name_in(folder.path(), "Hills film", "").unwrap();
    assert_eq!(name(), folder.path().join("hills-film"));
    std::fs::create_dir(name()).unwrap();
    assert_eq!(name(), folder.path().join("hills-film-2"));
}
