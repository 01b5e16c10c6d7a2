//! Lessons in the window.

use std::path::Path;

use bevy::prelude::*;
use bevy_egui::egui::accesskit::Role;

use super::Driven;
use super::tests::land;
use crate::viewer::actions::{Action, ActionQueue, Hour};
use crate::viewer::document::lesson::HELD_BY_LESSON;
use crate::viewer::files::recent::Recent;

pub(super) const LESSON: &str = r#"(
    version: 1, title: "Short", family: "Tests",
    recipe: inline(
        version: 1, name: "Ground", size: (33, 33), cell: 30, steps: [fbm(height: 300.0, octaves: 4.0)],
    ),
    pages: [
        slider(path: "steps.0.height", label: "Highest", low: 100, high: 500),
        slider(path: "steps.0.lacunarity", label: "Finer", locked: true),
        question(
            ask: "First?", answers: ["This", "That"], right: 0, show: {"steps.0.octaves": 2}, reveal: "Revealed.",
        ),
        slider(path: "steps.0.octaves", label: "Many", low: 1, high: 8),
        question(ask: "Second?", answers: ["Up", "Down"], right: 1, reveal: "Told."),
        text("The end."),
    ],
)"#;

/// Writes a file and drops it on the window, where the pointer is.
pub(super) fn drop_file(driven: &mut Driven, path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    driven.drop_file(path);
    driven.frames(2);
}

#[test]
fn a_dropped_lesson_starts_and_continues_when_questions_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lesson.ron");
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    drop_file(&mut driven, &path, LESSON);
    assert_eq!(driven.document(0).recipe.name, "Ground");
    assert_eq!(driven.app.world().resource::<Recent>().paths().first(), Some(&path));
    let number = |driven: &mut Driven, path: &str| driven.document(0).recipe.number(path).unwrap().value;
    let is_ahead =
        |driven: &mut Driven| ["Many", "Second?", "Told.", "The end."].map(|of_later| !driven.says(of_later));
    assert!(driven.says("0 of 2 questions") && !driven.says("Revealed."));
    assert_eq!(is_ahead(&mut driven), [true; 4], "{:?}", driven.names());

    // A free slider before the question can be moved, a locked one cannot.
    let [free, held] = ["Highest", "Finer"].map(|name| driven.find(Role::Slider, name).center());
    driven.drag(held, held + Vec2::X * 40.0);
    assert_eq!(
        (number(&mut driven, "steps.0.lacunarity"), number(&mut driven, "steps.0.height")),
        (2.0, 300.0)
    );
    driven.drag(free, free + Vec2::X * 40.0);
    assert_ne!(number(&mut driven, "steps.0.height"), 300.0);

    // Without a selected answer, the button does nothing.
    driven.click("Answer and see");
    assert_eq!((number(&mut driven, "steps.0.octaves"), is_ahead(&mut driven)), (4.0, [true; 4]));
    let choice = driven.find(Role::RadioButton, "This").center();
    driven.click_at(choice);
    driven.click("Answer and see");
    driven.frames(4);
    assert_eq!(number(&mut driven, "steps.0.octaves"), 2.0, "the land shows it");
    assert!(driven.says("Revealed.") && driven.says("1 of 2 questions, 1 right"));
    assert_eq!(is_ahead(&mut driven), [false, false, true, true], "{:?}", driven.names());
    let asked_about = driven.find(Role::Slider, "Many").center();
    driven.drag(asked_about, asked_about + Vec2::X * 40.0);
    assert_ne!(number(&mut driven, "steps.0.octaves"), 2.0);

    // A reader who doesn't know the answer can continue too.
    driven.click("Show me");
    driven.frames(4);
    assert!(driven.says("2 of 2 questions, 1 right"), "{:?}", driven.names());
    assert_eq!(is_ahead(&mut driven), [false; 4]);
    driven.click("Restart");
    driven.frames(4);
    assert!(driven.says("0 of 2 questions") && is_ahead(&mut driven) == [true; 4]);
    assert_eq!(number(&mut driven, "steps.0.octaves"), 4.0);
}

#[test]
fn a_lesson_starts_at_its_top_and_answers_keep_the_scroll_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let panel = Vec2::new(170.0, 500.0);
    let begin = |driven: &mut Driven, lesson: &str| {
        driven.order(lesson);
        driven.frames(4);
        driven.find(Role::Button, "Show me").min.y
    };
    let tops = ["Lesson: brownian", "Lesson: faults"].map(|lesson| begin(&mut driven, lesson));
    driven.click("End lesson");
    driven.frames(4);
    let tops_of =
        |driven: &mut Driven| ["Gallery", "All generators"].map(|name| driven.find(Role::Button, name).min.y);
    let [gallery, generators] = tops_of(&mut driven);
    driven.scroll(panel, 100.0);
    let scrolled = tops_of(&mut driven);
    assert!(scrolled[1] < generators, "the editor is scrolled");
    assert_eq!(scrolled[0], gallery, "but for the bar above it");
    assert_eq!(begin(&mut driven, "Lesson: brownian"), tops[0]);

    driven.scroll(panel, 3.0);
    let place = driven.find(Role::Button, "Show me").min.y;
    assert!(place < tops[0]);
    driven.frames(20);
    assert_eq!(driven.find(Role::Button, "Show me").min.y, place, "the scroll position stays");
    assert_eq!(begin(&mut driven, "Lesson: faults"), tops[1], "the next one starts at its top");
}

#[test]
fn a_dropped_lesson_asks_about_changes_first_and_a_damaged_one_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lesson.ron");
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.click("A new random seed");
    let seed = driven.document(0).recipe.seed;
    drop_file(&mut driven, &path, &LESSON.replace("path: \"steps.0.octaves\"", "path: \"steps.0.octets\""));
    assert!(driven.says("steps.0.octets") && !driven.has(Role::Button, "Cancel"), "{:?}", driven.names());
    drop_file(&mut driven, &path, "(version: 1)");
    assert!(driven.says("neither a recipe") && driven.says("nor a lesson"), "{:?}", driven.names());
    assert_eq!(driven.document(0).recipe.seed, seed);

    drop_file(&mut driven, &path, LESSON);
    driven.click("Cancel");
    driven.frames(4);
    assert!(driven.document(0).recipe.seed == seed && !driven.says("of 2 questions"));
    drop_file(&mut driven, &path, LESSON);
    driven.click("Start without saving");
    driven.frames(6);
    assert!(driven.document(0).recipe.name == "Ground" && driven.says("0 of 2 questions"));
}

#[test]
fn a_lesson_can_be_dropped_on_any_landscape() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    driven.settle();
    driven.order("Hide or show the panels");
    driven.point(Vec2::new(1200.0, 300.0));
    drop_file(&mut driven, &folder.path().join("lesson.ron"), LESSON);
    assert_eq!([0, 1].map(|number| driven.document(number).recipe.name.clone()), ["Hills", "Ground"]);
    assert!(driven.says("0 of 2 questions"), "{:?}", driven.names());
}

#[test]
fn only_the_sliders_of_a_lesson_change_its_land_until_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    drop_file(&mut driven, &folder.path().join("lesson.ron"), LESSON);
    let before = driven.document(0).recipe.clone();
    let edits = [
        "Another random seed",
        "Add step: River",
        "Bookmark this place",
        "Record a flight: start or stop",
        "Draw on the land: the points of a step",
        "Paste steps at the end",
    ];
    for edit in edits {
        driven.order(edit);
        assert!(driven.says(HELD_BY_LESSON), "{edit}: {:?}", driven.names());
        driven.click("Dismiss");
        assert!(driven.document(0).recipe == before, "{edit}");
    }
    for action in [Action::KeepView, Action::Season(0.75), Action::Hour(Hour::Night)] {
        driven.app.world_mut().resource_mut::<ActionQueue>().send(action.clone());
        driven.frames(3);
        assert!(driven.says(HELD_BY_LESSON), "{action:?}: {:?}", driven.names());
        driven.click("Dismiss");
        assert!(driven.document(0).recipe == before, "{action:?}");
    }
    driven.click("End lesson");
    driven.order(edits[0]);
    assert_ne!(driven.document(0).recipe.seed, before.seed);
    assert!(driven.document(0).is_unsaved(), "it is the user's own now");
}

#[test]
fn the_land_of_an_answer_is_marked_while_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    drop_file(&mut driven, &folder.path().join("lesson.ron"), LESSON);
    let choice = driven.find(Role::RadioButton, "This").center();
    driven.click_at(choice);
    driven.click("Answer and see");
    // Long enough for the change to become a step of the history.
    driven.frames(60);
    let lands = ["On the land", "As at the beginning"];
    assert_eq!(lands.map(|land| driven.is_chosen(land)), [true, false]);
    driven.command(KeyCode::KeyZ, "z");
    driven.frames(2);
    assert_eq!(lands.map(|land| driven.is_chosen(land)), [false, true]);
}
