//! Nothing is lost: questions before anything could be, and changes that are left behind.

use super::*;
use crate::viewer::document::autosave::AutosavePlugin;
use crate::viewer::document::count_revisions;
use bevy::ecs::message::Messages;
use std::time::Duration;

/// The app without a window: documents, questions, and the autosave below `root`.
fn app(root: &Path) -> App {
    let mut app = App::new();
    app.init_resource::<StatusMessage>().init_resource::<Time>().add_plugins((
        AutosavePlugin { root: Some(root.to_owned()) },
        ConfirmPlugin { left_in: Some(root.to_owned()) },
    ));
    app.add_systems(PreUpdate, count_revisions);
    app
}

fn land(seed: u64) -> Recipe {
    let mut recipe = Recipe::new("Land", (3, 3), 1.0);
    recipe.seed = seed;
    recipe
}

/// Opens a land from a file with seed 1, and changes the seed to `seed`.
fn open(app: &mut App, path: &Path, seed: u64) -> Entity {
    write(path, 1);
    let mut document = Document::new(Recipe::read(path).unwrap(), Some(path.to_owned()));
    document.recipe.seed = seed;
    Landscapes::spawn(app.world_mut(), document)
}

fn write(path: &Path, seed: u64) {
    std::fs::write(path, land(seed).to_ron().unwrap()).unwrap();
}

fn seed_in(path: &Path) -> u64 {
    Recipe::read(path).unwrap().seed
}

fn document(app: &App, entity: Entity) -> &Document {
    app.world().get::<Document>(entity).unwrap()
}

fn pass(app: &mut App, seconds: f32) {
    app.world_mut().resource_mut::<Time>().advance_by(Duration::from_secs_f32(seconds));
    app.update();
}

fn close(app: &mut App) {
    let window = Entity::PLACEHOLDER;
    app.world_mut().write_message(WindowCloseRequested { window });
    app.update();
}

fn request(app: &mut App, request: DocumentRequest) {
    app.world_mut().write_message(request);
    app.update();
}

fn say(app: &mut App, answer: ConfirmChoice) {
    app.world_mut().write_message(answer);
    app.update();
}

fn question(app: &App) -> Option<&Confirm> {
    app.world().resource::<Confirmation>().open.as_ref()
}

fn ends(app: &App) -> bool {
    !app.world().resource::<Messages<AppExit>>().is_empty()
}

fn message(app: &App) -> &StatusMessage {
    app.world().resource::<StatusMessage>()
}

/// The changes kept below `root`, as the next start would find them if the program were killed now.
fn kept(app: &App, root: &Path) -> (tempfile::TempDir, Vec<Unsaved>) {
    app.world().resource::<Autosave>().finish();
    let killed = tempfile::tempdir().unwrap();
    for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        let copy = killed.path().join(folder.file_name().unwrap());
        std::fs::create_dir(&copy).unwrap();
        for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
        }
    }
    let (left, notes) = find_left(killed.path());
    assert_eq!(notes, [""; 0]);
    let changes = left.into_iter().flat_map(|left| left.changes).map(|change| change.unsaved);
    (killed, changes.collect())
}

#[test]
fn a_window_without_changes_closes_immediately() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = app(&folder.path().join("kept"));
    open(&mut app, &folder.path().join("a.ron"), 1);
    close(&mut app);
    assert!(ends(&app));
}

#[test]
fn closing_asks_about_changes_and_names_the_documents_that_have_some() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut app = app(&path("kept"));
    let last = open(&mut app, &path("d.ron"), 4);
    let unchanged = open(&mut app, &path("b.ron"), 1);
    let first = open(&mut app, &path("a.ron"), 2);
    app.insert_resource(Landscapes::of([first, unchanged, last]));
    close(&mut app);
    assert!(!ends(&app));
    match question(&app) {
        Some(Confirm::Unsaved { request: DocumentRequest::Close, documents }) => {
            assert_eq!(*documents, [first, last])
        }
        other => panic!("{other:?}"),
    }
    say(&mut app, ConfirmChoice::Cancel);
    assert!(!ends(&app) && question(&app).is_none() && document(&app, first).is_unsaved());

    close(&mut app);
    // Closing again changes nothing.
    close(&mut app);
    say(&mut app, ConfirmChoice::Save);
    assert!(ends(&app) && question(&app).is_none());
    assert_eq!(["a.ron", "b.ron", "d.ron"].map(|name| seed_in(&path(name))), [2, 1, 4]);
}

#[test]
fn closing_asks_about_drawing_and_then_about_changes() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = app(&folder.path().join("kept"));
    open(&mut app, &folder.path().join("a.ron"), 2);
    app.insert_resource(Exporting::drawing(folder.path().join("a.png")));
    close(&mut app);
    assert!(matches!(question(&app), Some(Confirm::Drawing(path)) if path.ends_with("a.png")));
    // Closing again changes nothing.
    close(&mut app);
    say(&mut app, ConfirmChoice::Cancel);
    assert!(!ends(&app) && question(&app).is_none());
    assert!(app.world().resource::<Exporting>().unfinished().is_some(), "drawing continues");

    close(&mut app);
    say(&mut app, ConfirmChoice::Wait);
    assert!(!ends(&app) && question(&app).is_none());
    assert!(app.world().resource::<Exporting>().closes);
    close(&mut app);
    say(&mut app, ConfirmChoice::Discard);
    assert!(matches!(question(&app), Some(Confirm::Unsaved { request: DocumentRequest::Close, .. })));
    say(&mut app, ConfirmChoice::Discard);
    assert!(ends(&app));
}

#[test]
fn closing_does_not_ask_about_cancelled_drawing() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = app(&folder.path().join("kept"));
    let mut exporting = Exporting::drawing(folder.path().join("a.png"));
    exporting.cancel();
    app.insert_resource(exporting);
    close(&mut app);
    assert!(ends(&app));
}

#[test]
fn closing_without_saving_leaves_the_file_unchanged_and_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
    let mut app = app(&root);
    open(&mut app, &path, 2);
    pass(&mut app, 2.0);
    pass(&mut app, 2.0);
    assert_eq!(kept(&app, &root).1.len(), 1);
    close(&mut app);
    say(&mut app, ConfirmChoice::Discard);
    assert!(ends(&app) && seed_in(&path) == 1);
    assert!(kept(&app, &root).1.is_empty());
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0);
}

#[test]
fn opening_another_landscape_asks_first_and_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ron");
    let mut app = app(&folder.path().join("kept"));
    let opened = open(&mut app, &path, 2);
    let preset = || DocumentRequest::Show {
        document: opened,
        recipe: Box::new(Recipe::new("Preset", (5, 5), 1.0)),
        path: None,
    };
    request(&mut app, preset());
    assert!(matches!(question(&app), Some(Confirm::Unsaved { request: DocumentRequest::Show { .. }, .. })));
    say(&mut app, ConfirmChoice::Cancel);
    assert_eq!(document(&app, opened).recipe.seed, 2);

    request(&mut app, preset());
    say(&mut app, ConfirmChoice::Discard);
    assert!(document(&app, opened).recipe.name == "Preset" && seed_in(&path) == 1);
    assert!(app.world_mut().get_mut::<Document>(opened).unwrap().undo());
    assert_eq!(document(&app, opened).path(), Some(path.as_path()));
    assert!(document(&app, opened).is_unsaved());

    request(&mut app, preset());
    say(&mut app, ConfirmChoice::Save);
    assert!(document(&app, opened).recipe.name == "Preset" && seed_in(&path) == 2);
    // Without changes there is no question.
    request(&mut app, preset());
    assert!(question(&app).is_none());
}

#[test]
fn a_file_changed_elsewhere_is_only_replaced_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let (path, beside) = (folder.path().join("a.ron"), folder.path().join("a-2.ron"));
    let mut app = app(&folder.path().join("kept"));
    let opened = open(&mut app, &path, 2);
    write(&path, 77);
    request(&mut app, DocumentRequest::Save(opened));
    assert!(matches!(question(&app), Some(Confirm::ChangedElsewhere { then: None, .. })));
    say(&mut app, ConfirmChoice::Cancel);
    assert!(seed_in(&path) == 77 && document(&app, opened).is_unsaved());

    // Closing finds the change too, and continues after the answer.
    close(&mut app);
    say(&mut app, ConfirmChoice::Save);
    assert!(matches!(
        question(&app),
        Some(Confirm::ChangedElsewhere { then: Some(DocumentRequest::Close), .. })
    ));
    assert!(!ends(&app));
    say(&mut app, ConfirmChoice::SaveBeside);
    assert!(ends(&app));
    assert_eq!((seed_in(&path), seed_in(&beside)), (77, 2));

    write(&beside, 78);
    app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = 3;
    request(&mut app, DocumentRequest::Save(opened));
    say(&mut app, ConfirmChoice::Overwrite);
    assert_eq!(seed_in(&beside), 3);
}

#[test]
fn a_failure_to_save_keeps_the_window_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("below/a.ron");
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let mut app = app(&folder.path().join("kept"));
    open(&mut app, &path, 2);
    std::fs::remove_dir_all(folder.path().join("below")).unwrap();
    close(&mut app);
    say(&mut app, ConfirmChoice::Save);
    assert!(!ends(&app) && question(&app).is_none());
    assert!(
        message(&app).is_error && message(&app).text.contains("does not exist"),
        "{}",
        message(&app).text
    );
}

#[test]
fn changes_are_kept_after_a_pause_and_forgotten_once_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
    std::fs::create_dir(&root).unwrap();
    let mut app = app(&root);
    let opened = open(&mut app, &path, 2);
    let change = |app: &mut App, seed| {
        app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = seed;
        pass(app, 0.5);
    };
    change(&mut app, 3);
    change(&mut app, 4);
    assert!(kept(&app, &root).1.is_empty(), "editing goes on");
    pass(&mut app, 2.0);
    let (_, changes) = kept(&app, &root);
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].recipe.seed, changes[0].path.as_deref()), (4, Some(path.as_path())));
    // Editing without a pause.
    (10..40).for_each(|seed| change(&mut app, seed));
    assert!(kept(&app, &root).1[0].recipe.seed >= 10);
    request(&mut app, DocumentRequest::Save(opened));
    pass(&mut app, 2.0);
    assert!(kept(&app, &root).1.is_empty());
}

#[test]
fn an_unsaved_copy_is_kept_with_the_paths_of_its_files() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n";
    std::fs::write(elsewhere.path().join("a.asc"), grid).unwrap();
    let text = "(version: 1, name: \"Land\", size: (2, 2), cell: 10, steps: [import(file: \"a.asc\")])";
    let path = elsewhere.path().join("land.ron");
    std::fs::write(&path, text).unwrap();
    let mut recipe = Recipe::read(&path).unwrap();
    recipe.seed = 5;
    // Its folder is the program's current one, rather than that of its files.
    let mut copy = Document::new(land(1), None);
    copy.recipe = recipe;
    let mut app = app(folder.path());
    Landscapes::spawn(app.world_mut(), copy);
    (0..2).for_each(|_| pass(&mut app, 2.0));
    let (_folder, kept) = kept(&app, folder.path());
    let heights = kept[0].recipe.build_heightfield(&crate::Work::new()).unwrap();
    assert_eq!((heights.heights(), kept[0].recipe.seed), (&[1.0, 2.0, 3.0, 4.0][..], 5));
}

#[test]
fn changes_that_could_not_be_read_again_replace_nothing_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kept");
    let mut app = app(&root);
    let opened = open(&mut app, &folder.path().join("a.ron"), 2);
    let change = |app: &mut App, cell| {
        app.world_mut().get_mut::<Document>(opened).unwrap().recipe.cell = cell;
        pass(app, 2.0);
        pass(app, 2.0);
        let changes = kept(app, &root).1;
        app.update();
        changes.iter().map(|unsaved| unsaved.recipe.cell).collect::<Vec<_>>()
    };
    assert_eq!(change(&mut app, 5.0), [5.0]);
    assert_eq!(change(&mut app, -1.0), [5.0]);
    let said = &message(&app).text;
    assert!(message(&app).is_error && said.contains("cannot be kept") && said.contains("cell"), "{said}");
    // It is reported once, and readable changes are kept again.
    app.world_mut().resource_mut::<StatusMessage>().dismiss();
    pass(&mut app, 31.0);
    assert_eq!(change(&mut app, -2.0), [5.0]);
    assert!(message(&app).text.is_empty(), "{}", message(&app).text);
    change(&mut app, 7.0);
    pass(&mut app, 31.0);
    assert_eq!(kept(&app, &root).1[0].recipe.cell, 7.0);
}

#[test]
fn changes_of_a_killed_window_are_offered_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
    let mut before = app(&root);
    open(&mut before, &path, 2);
    let other = Landscapes::spawn(before.world_mut(), Document::new(land(5), None));
    before.world_mut().get_mut::<Document>(other).unwrap().recipe.seed = 6;
    pass(&mut before, 2.0);
    pass(&mut before, 2.0);
    let (killed, changes) = kept(&before, &root);
    assert_eq!(changes.len(), 2);
    // While that window is open, its changes are offered to no other window.
    let (left, _) = find_left(&root);
    assert!(left.is_empty());

    let mut after = app(killed.path());
    let preset = Landscapes::spawn(after.world_mut(), Document::new(land(9), None));
    let same = open(&mut after, &path, 1);
    pass(&mut after, 0.1);
    match question(&after) {
        Some(Confirm::Left(lines)) => {
            assert_eq!(lines.len(), 2);
            assert!(lines[0].starts_with("Land (a.ron), ") && lines[1].starts_with("Land, "), "{lines:?}");
        }
        other => panic!("{other:?}"),
    }
    // The panel marks the documents as changed in each frame.
    for entity in [preset, same] {
        after.world_mut().get_mut::<Document>(entity).unwrap().set_changed();
    }
    say(&mut after, ConfirmChoice::Restore);
    assert_eq!(document(&after, same).recipe.seed, 2);
    assert_eq!(document(&after, preset).recipe.seed, 6);
    assert!(document(&after, same).is_unsaved() && document(&after, preset).is_unsaved());
    // They belong to this window now, and are not offered a second time.
    let (_, changes) = kept(&after, killed.path());
    let mut seeds: Vec<u64> = changes.iter().map(|unsaved| unsaved.recipe.seed).collect();
    seeds.sort();
    assert_eq!(seeds, [2, 6]);
    // A restored change can be undone, and is saved to its own file.
    request(&mut after, DocumentRequest::Save(same));
    assert_eq!(seed_in(&path), 2);
    assert!(after.world_mut().get_mut::<Document>(preset).unwrap().undo());
    assert_eq!(document(&after, preset).recipe.seed, 9);
}

#[test]
fn changes_left_behind_get_room_next_to_the_others_or_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (path, root) = (folder.path().join("a.ron"), folder.path().join("kept"));
    let mut before = app(&root);
    for number in 0..4 {
        open(&mut before, &folder.path().join(format!("{number}.ron")), 2);
    }
    pass(&mut before, 2.0);
    pass(&mut before, 2.0);
    let (killed, _) = kept(&before, &root);
    let mut after = app(killed.path());
    open(&mut after, &path, 3);
    pass(&mut after, 0.1);
    say(&mut after, ConfirmChoice::Restore);
    let mut documents = after.world_mut().query::<&Document>();
    assert_eq!(documents.iter(after.world()).count(), MAX_LANDSCAPES);
    assert!(documents.iter(after.world()).all(Document::is_unsaved));
    assert!(message(&after).text.contains("no room for 1 more"), "{}", message(&after).text);
    let (_, changes) = kept(&after, killed.path());
    assert_eq!(changes.len(), 4, "three that are open, one that waits");
}

#[test]
fn cancel_leaves_what_was_left_behind_and_discard_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kept");
    let mut before = app(&root);
    open(&mut before, &folder.path().join("a.ron"), 2);
    pass(&mut before, 2.0);
    pass(&mut before, 2.0);
    let (killed, _) = kept(&before, &root);
    for (answer, remains) in
        [(ConfirmChoice::Cancel, 1), (ConfirmChoice::Discard, 0), (ConfirmChoice::Cancel, 0)]
    {
        let mut after = app(killed.path());
        pass(&mut after, 0.1);
        assert_eq!(question(&after).is_some(), remains == 1 || answer == ConfirmChoice::Discard);
        say(&mut after, answer);
        assert_eq!(kept(&after, killed.path()).1.len(), remains);
    }
}

#[test]
fn damaged_files_are_reported_once_and_do_no_harm() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("window-dead");
    std::fs::create_dir_all(folder.join("4.ron")).unwrap();
    let whole = format!("// file: \"/nowhere/a.ron\"\n{}", land(7).to_ron().unwrap());
    let texts: [&[u8]; 4] =
        [b"", b"\xff\xfe", &whole.as_bytes()[..whole.len() / 2], b"(version: 1, name: 7)"];
    for (number, text) in texts.into_iter().enumerate() {
        std::fs::write(folder.join(format!("{number}.ron")), text).unwrap();
    }
    std::fs::write(folder.join("5.ron"), &whole).unwrap();
    let mut first = app(root.path());
    pass(&mut first, 0.1);
    let Some(Confirm::Left(lines)) = question(&first) else { panic!("the intact file is not offered") };
    assert!(lines.len() == 1 && lines[0].starts_with("Land (a.ron), "), "{lines:?}");
    let text = &message(&first).text;
    assert!(message(&first).is_error && text.lines().count() >= 5 && text.contains("0.damaged"), "{text}");
    say(&mut first, ConfirmChoice::Discard);
    first.world().resource::<Autosave>().finish();

    let mut second = app(root.path());
    pass(&mut second, 0.1);
    assert!(question(&second).is_none() && message(&second).text.is_empty(), "{}", message(&second).text);
    assert!(folder.join("2.damaged").exists());
}

#[test]
fn a_failing_disk_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kept");
    std::fs::write(&root, "a file where the folder should be").unwrap();
    let mut app = app(&root);
    let opened = open(&mut app, &folder.path().join("a.ron"), 2);
    let mut times = 0;
    for seed in 0..200 {
        app.world_mut().get_mut::<Document>(opened).unwrap().recipe.seed = 2 + seed;
        pass(&mut app, 1.5);
        pass(&mut app, 1.5);
        app.world().resource::<Autosave>().finish();
        times += usize::from(message(&app).text.contains("cannot be kept"));
        app.world_mut().resource_mut::<StatusMessage>().dismiss();
    }
    assert_eq!(times, 1);
    // Once the disk can be written again, changes are kept.
    std::fs::remove_file(&root).unwrap();
    (0..60).for_each(|_| pass(&mut app, 1.0));
    assert_eq!(kept(&app, &root).1.len(), 1);
}

#[test]
fn a_lasting_failure_is_reported_once_while_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kept");
    let mut app = app(&root);
    let [failing, kept] =
        [0, 1].map(|number| open(&mut app, &folder.path().join(format!("{number}.ron")), 2));
    let mut times = 0;
    let mut change = |app: &mut App, cell: f32| {
        for seed in 0..60 {
            app.world_mut().get_mut::<Document>(failing).unwrap().recipe.cell = cell - seed as f32;
            app.world_mut().get_mut::<Document>(kept).unwrap().recipe.seed = 2 + seed;
            (0..2).for_each(|_| pass(app, 1.5));
            app.world().resource::<Autosave>().finish();
            times += usize::from(message(app).text.contains("cannot be kept"));
            app.world_mut().resource_mut::<StatusMessage>().dismiss();
        }
        times
    };
    // A recipe with such a cell could not be read again.
    assert_eq!(change(&mut app, -1.0), 1);
    // After a success, another failure is reported.
    assert_eq!(change(&mut app, 500.0), 1);
    assert_eq!(change(&mut app, -1.0), 2);
}
