//! The brush on the land.

use std::path::Path;

use bevy::input::ButtonState;
use bevy::input::keyboard::Key;
use bevy::prelude::*;

use super::Driven;
use super::lessons::{LESSON, drop_file};
use super::panels::land;
use super::tests::place;
use crate::plugin::{TerrainStatus, TerrainStrokes};
use crate::recipe::Step;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::Document;
use crate::viewer::document::lesson::HELD_BY_LESSON;
use crate::viewer::session::status_message::Message;
use crate::viewer::tools::sculpt::{BrushKind, Sculpting};

/// The number of strokes in the recipe, and of those on the terrain itself.
fn strokes(driven: &mut Driven) -> (usize, usize) {
    let mut lands = driven.app.world_mut().query::<(&Document, Option<&TerrainStrokes>)>();
    let (document, strokes) = lands.single(driven.app.world()).unwrap();
    let on_terrain = strokes.map_or(0, |strokes| strokes.strokes().len());
    (document.recipe.strokes().unwrap().len(), on_terrain)
}

/// Points the camera at the ground.
fn look_down(driven: &mut Driven) {
    driven.app.world_mut().resource_mut::<Pilot>().put(Vec3::new(0.0, 900.0, 300.0), Vec3::ZERO);
    driven.frames(3);
}

/// Hills, seen from above.
fn above_hills(folder: &Path) -> Driven {
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder);
    driven.settle();
    driven.frames(4);
    look_down(&mut driven);
    driven
}

#[test]
fn closing_the_brush_during_a_stroke_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = above_hills(folder.path());
    let mut before = 0;
    for key in [(KeyCode::Escape, Key::Escape), (KeyCode::F7, Key::F7)] {
        driven.order("Sculpt by hand");
        driven.frames(4);
        let middle = place(&mut driven).center();
        driven.point(middle);
        driven.button(ButtonState::Pressed);
        driven.frames(20);
        let (_, drawn) = strokes(&mut driven);
        assert!(drawn > 0, "{key:?}");
        driven.press(std::slice::from_ref(&key));
        assert!(!driven.app.world().resource::<Sculpting>().open, "{key:?}");
        let (kept, _) = strokes(&mut driven);
        assert!(kept >= before + drawn, "{key:?}: {kept} in the recipe, {drawn} drawn");
        driven.button(ButtonState::Released);
        driven.until("the strokes of the recipe are drawn", |driven| strokes(driven) == (kept, 0));
        driven.settle();
        before = kept;
    }
}

#[test]
fn strokes_on_a_land_do_not_appear_on_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = above_hills(folder.path());
    driven.order("Sculpt by hand");
    driven.frames(4);
    let middle = place(&mut driven).center();
    driven.point(middle);
    driven.button(ButtonState::Pressed);
    driven.frames(20);
    assert!(strokes(&mut driven).1 > 0);
    let mut documents = driven.app.world_mut().query::<&mut Document>();
    let mut document = documents.single_mut(driven.app.world_mut()).unwrap();
    document.show(land("Downs", "fbm()"), None);
    driven.frames(2);
    driven.button(ButtonState::Released);
    assert_eq!(strokes(&mut driven), (0, 0));
}

#[test]
fn a_land_that_fails_with_strokes_is_not_reported_as_building() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = above_hills(folder.path());
    let fails = |driven: &mut Driven| {
        let mut lands = driven.app.world_mut().query::<&TerrainStatus>();
        matches!(lands.single(driven.app.world()).unwrap(), TerrainStatus::Failed(_))
    };
    let mut documents = driven.app.world_mut().query::<&mut Document>();
    let mut document = documents.single_mut(driven.app.world_mut()).unwrap();
    document.recipe.steps.push(Step::from_name("import").unwrap());
    driven.until("it fails", fails);
    driven.order("Sculpt by hand");
    // A crater is a single stroke.
    driven.app.world_mut().resource_mut::<Sculpting>().kind = BrushKind::Crater;
    driven.frames(4);
    // The failure is shown in the middle of the view, so click elsewhere.
    let view = place(&mut driven);
    let below = view.center() + Vec2::Y * 0.35 * view.height();
    for count in 1..3 {
        driven.click_at(below);
        driven.frames(3);
        driven.until("it fails with the stroke too", fails);
        driven.frames(2);
        assert_eq!(strokes(&mut driven), (count, 0));
        let said = &driven.app.world().resource::<Message>().text;
        assert!(!said.contains("still being built"), "{said}");
    }
    let mut document = documents.single_mut(driven.app.world_mut()).unwrap();
    document.recipe.steps.retain(|step| step.name() != "import");
    driven.settle();
    driven.frames(2);
    assert_eq!(strokes(&mut driven), (2, 0));
}

#[test]
fn the_land_of_a_lesson_cannot_be_sculpted() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    drop_file(&mut driven, &folder.path().join("lesson.ron"), LESSON);
    driven.settle();
    driven.frames(4);
    look_down(&mut driven);
    driven.order("Sculpt by hand");
    driven.frames(4);
    let middle = place(&mut driven).center();
    driven.click_at(middle);
    assert_eq!(strokes(&mut driven), (0, 0));
    let said = &driven.app.world().resource::<Message>().text;
    assert_eq!(said, HELD_BY_LESSON);
}
