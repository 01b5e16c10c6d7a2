//! How soon the window shows the effect of an action. Run with `-- --nocapture` to see the times; no test
//! depends on them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::input::ButtonState;
use bevy::input::keyboard::Key;
use bevy::prelude::*;
use bevy_egui::egui::accesskit::Role;

use super::{Driven, FRAME};
use crate::compute::work::Work;
use crate::grid::Heightfield;
use crate::plugin::{Stream, TerrainGround};
use crate::recipe::Recipe;
use crate::recipe::preset::Preset;
use crate::stream::KnownGround;
use crate::texture::ColourMap;
use crate::viewer::build::frame_diff::FrameChange;
use crate::viewer::build::playback::Player;
use crate::viewer::views::gallery::{Gallery, Picture};

fn land() -> Recipe {
    Preset::find("high-range").unwrap().recipe().unwrap().with_longer_side(513)
}

fn heights(driven: &mut Driven) -> Option<Heightfield> {
    let mut grounds = driven.app.world_mut().query::<&TerrainGround>();
    grounds.iter(driven.app.world()).next().map(|ground| ground.landscape.heightfield.clone())
}

/// Heights of the drawn tiles, along a line over the land.
fn drawn(driven: &mut Driven) -> Vec<f32> {
    let mut streams = driven.app.world_mut().query::<&Stream>();
    let Some(stream) = streams.iter(driven.app.world()).next() else { return Vec::new() };
    let known = KnownGround::new(stream.residency());
    (1..64).filter_map(|step| known.at(400.0 * f64::from(step), 12_345.0)).map(|at| at.height).collect()
}

/// Prints the milliseconds until something happened, for all repetitions.
fn report(what: &str, mut taken: Vec<f32>) {
    taken.sort_by(f32::total_cmp);
    let (middle, most) = (taken[taken.len() / 2], taken[taken.len() - 1]);
    println!("{what}: median {middle:.0} ms of {}, at most {most:.0} ms", taken.len());
}

fn timed(driven: &mut Driven, what: &str, mut has_happened: impl FnMut(&mut Driven) -> bool) -> f32 {
    let begun = Instant::now();
    driven.until(what, |driven| has_happened(driven));
    begun.elapsed().as_secs_f32() * 1000.0
}

/// Runs a frame of a sixtieth of a second, as on a screen, and sleeps for the rest of it, so that background
/// jobs have that time. Returns the milliseconds that the frame took.
fn frame(driven: &mut Driven) -> f32 {
    let begun = Instant::now();
    driven.app.update();
    let taken = begun.elapsed();
    std::thread::sleep(Duration::from_secs_f32(FRAME).saturating_sub(taken));
    taken.as_secs_f32() * 1000.0
}

/// Frames without a change after which no finer land is expected any more.
const REST: usize = 30;

/// Drags the slider of octaves over a land. Reports after how many frames a change is visible, and how long
/// frames take meanwhile.
fn drag(driven: &mut Driven, what: &str, mut has_changed: impl FnMut(&mut Driven) -> bool) {
    driven.settle();
    driven.frames(40);
    let slider = driven.find(Role::Slider, "octaves");
    driven.point(slider.center());
    driven.button(ButtonState::Pressed);
    report("    a frame before", (0..30).map(|_| frame(driven)).collect());
    let (mut seen, mut times) = (Vec::new(), Vec::new());
    for step in 1..=8 {
        has_changed(driven);
        let recipe = driven.document(0).recipe.clone();
        driven.pointer_to(slider.center() + Vec2::X * 7.0 * step as f32);
        times.push(frame(driven));
        if driven.document(0).recipe == recipe {
            continue;
        }
        let mut frames = 0;
        while !has_changed(driven) {
            times.push(frame(driven));
            frames += 1;
            assert!(frames < 10_000, "{what}");
        }
        seen.push(frames);
        // Waits for finer land, which must not be taken for the next change.
        let mut rested = 0;
        while rested < REST {
            times.push(frame(driven));
            rested = if has_changed(driven) { 0 } else { rested + 1 };
        }
    }
    assert!(seen.len() > 2, "the slider moves: {seen:?}");
    report("    a frame while it is dragged", times);
    seen.sort_unstable();
    println!("{what}: median {} frames after the change; all: {seen:?}", seen[seen.len() / 2]);
}

#[test]
fn land_that_is_made_immediately_follows_a_slider() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"(version: 1, name: "Hills", seed: 3, size: (1025, 1025), cell: 20,
        steps: [fbm(height: 900, octaves: 6), gullies(size: 80), terrace(step: 40, amount: 0.3)], texture: temperate)"#;
    let mut driven = Driven::open(vec![Recipe::from_ron(text, "hills.ron").unwrap()], folder.path());
    let mut before = Vec::new();
    drag(&mut driven, "a slider of land that is made immediately, until it is drawn", |driven| {
        let now = drawn(driven);
        std::mem::replace(&mut before, now.clone()) != now
    });
}

#[test]
fn a_slider_shows_a_preview_while_it_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land()], folder.path());
    let mut before = Vec::new();
    drag(&mut driven, "a slider's preview, until it is drawn", |driven| {
        let now = drawn(driven);
        std::mem::replace(&mut before, now.clone()) != now
    });

    driven.button(ButtonState::Released);
    driven.settle();
    driven.frames(60);
    driven.settle();
    // Finished lands are kept, so undo and redo build nothing again.
    let (mut seen, mut whole) = (Vec::new(), Vec::new());
    for key in [(KeyCode::KeyZ, "z"), (KeyCode::KeyY, "y"), (KeyCode::KeyZ, "z"), (KeyCode::KeyY, "y")] {
        let before = (drawn(&mut driven), heights(&mut driven));
        let begun = Instant::now();
        driven.command(key.0, key.1);
        timed(&mut driven, "the other land is visible", |driven| drawn(driven) != before.0);
        seen.push(begun.elapsed().as_secs_f32() * 1000.0);
        timed(&mut driven, "all of the other land", |driven| heights(driven) != before.1);
        whole.push(begun.elapsed().as_secs_f32() * 1000.0);
        driven.settle();
        driven.frames(40);
        driven.settle();
    }
    report("undo and redo, until the other land is visible", seen);
    report("undo and redo, until all of it is known", whole);
}

#[test]
fn the_gallery_opens_immediately_and_its_pictures_follow() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![Recipe::new("Land", (9, 9), 1.0)], folder.path());
    driven.settle();
    let begun = Instant::now();
    driven.press(&[(KeyCode::F2, Key::F2)]);
    driven.until("the gallery is there", |driven| {
        driven.names().iter().any(|name| name.ends_with("Landscapes"))
    });
    report("the gallery", vec![begun.elapsed().as_secs_f32() * 1000.0]);
    let is_drawn = |driven: &mut Driven| {
        driven.app.world_mut().resource_scope(|_, mut gallery: Mut<Gallery>| {
            let cards = gallery.cards(&Recipe::new("Land", (9, 9), 1.0)).unwrap().to_vec();
            let first = &cards[0];
            matches!(gallery.pictures.get(first.key, &first.recipe), Picture::Drawn(_))
        })
    };
    let taken = timed(&mut driven, "the first picture is there", is_drawn);
    report("the first of its pictures, never drawn before", vec![taken]);
}

/// Whether the land shows these heights and colours.
fn shows(driven: &mut Driven, heights: &Heightfield, colour: &ColourMap) -> bool {
    let mut grounds = driven.app.world_mut().query::<&TerrainGround>();
    let ground = grounds.iter(driven.app.world()).next();
    ground
        .is_some_and(|ground| ground.landscape.heightfield == *heights && ground.landscape.colour == *colour)
}

/// Scrubs through a recorded build, with the colours of changes or those of the ground. With `patience`, it
/// also waits for the finer ground of each frame.
fn scrub(what: &str, shows_changes: bool, patience: bool) {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land()], folder.path());
    driven.settle();
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.until("it is recorded", |driven| {
        let player = driven.app.world().resource::<Player>();
        !player.is_recording() && !player.recording().frames().is_empty()
    });
    let recipe = driven.document(0).recipe.clone();
    let recording = Arc::new(driven.app.world().resource::<Player>().recording().clone());
    let count = recording.frames().len();
    driven.app.world_mut().resource_mut::<Player>().is_playing = false;
    driven.settle();
    let (mut taken, mut finer) = (Vec::new(), Vec::new());
    for share in [0, 9, 3, 7, 1, 8, 5, 2, 6, 4] {
        let frame = share * (count - 1) / 9;
        let heights = &*recording.frames()[frame].heights;
        let work = Work::new();
        let (soon, looked_at) = if shows_changes {
            let change = FrameChange::between(recording.before(frame).map(|frame| &*frame.heights), heights);
            (change.colours(), change.colours())
        } else {
            let bakes = [recipe.bake_sketch(heights, &work), recipe.bake_preview(heights, &work)];
            let [sketch, ground] = bakes.map(|baked| baked.unwrap().colour);
            (sketch, ground)
        };
        let mut player = driven.app.world_mut().resource_mut::<Player>();
        player.shows_changes = shows_changes;
        player.go_to(frame);
        taken.push(timed(&mut driven, "the moment", |driven| shows(driven, heights, &soon)));
        if patience {
            finer.push(timed(&mut driven, "finer ground", |driven| shows(driven, heights, &looked_at)));
        }
    }
    report(what, taken);
    if patience {
        report("    its finer ground, after that", finer);
    }
}

#[test]
fn scrubbing_shows_any_frame_of_a_build() {
    scrub("a frame of a build, with its changes", true, false);
}

#[test]
fn scrubbing_shows_the_ground_of_a_frame_and_finer_ground_follows() {
    scrub("a frame of a build, with its ground", false, true);
}

#[test]
fn scrubbing_shows_a_frame_while_finer_ground_of_another_is_made() {
    scrub("a frame of a build, with its ground, without waiting", false, false);
}
