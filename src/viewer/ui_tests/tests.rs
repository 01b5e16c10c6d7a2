//! User actions and their effects.

use std::path::Path;

use bevy::app::AppExit;
use bevy::ecs::message::Messages;
use bevy::ecs::system::RunSystemOnce;
use bevy::input::ButtonState;
use bevy::input::keyboard::Key;
use bevy::prelude::*;
use bevy::window::WindowCloseRequested;
use bevy_egui::egui::accesskit::Role;

use super::Driven;
use crate::lessons::Mistake;
use crate::plugin::{TerrainGround, WorldOrigin};
use crate::recipe::{Recipe, Step};
use crate::viewer::build::playback::Player;
use crate::viewer::build::step_stack::StackView;
use crate::viewer::build::terrain_override::TerrainOverride;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::links::SharedLight;
use crate::viewer::files::export::Exporting;
use crate::viewer::files::output::OutputKind;
use crate::viewer::files::recent::{Browsing, Purpose};
use crate::viewer::files::screenshot::Screenshots;
use crate::viewer::panel::{Edited, recipe_as_seen};
use crate::viewer::session::ViewOf;
use crate::viewer::session::status_message::Message;
use crate::viewer::views::plots::Inside;
use crate::viewer::views::split_view::{Arrangement, Sharing};

/// A small land of noise, about a kilometre wide.
pub(super) fn land(name: &str, seed: u64) -> Recipe {
    let text = format!(
        "(version: 1, name: \"{name}\", seed: {seed}, size: (33, 33), cell: 30.0, \
         steps: [fbm(height: 300.0, frequency: 3.0, octaves: 4.0)])"
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// The sum of all heights of the first land, exact to the bit.
fn sum_of_heights(driven: &mut Driven) -> u64 {
    driven.settle();
    let ground = driven.of_landscapes::<TerrainGround>()[0].unwrap();
    let heights = ground.landscape.heightfield.heights();
    heights.iter().fold(0, |sum: u64, height| sum.rotate_left(5) ^ u64::from(height.to_bits()))
}

fn ends(driven: &Driven) -> bool {
    !driven.app.world().resource::<Messages<AppExit>>().is_empty()
}

/// Where frames are slow, Ctrl P is over before the next frame begins.
#[test]
fn a_chord_within_a_frame_counts_and_leaves_no_modifier() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    let is_open =
        |driven: &mut Driven| driven.names().iter().any(|name| name.contains("Gallery of landscapes"));
    assert!(!is_open(&mut driven));
    let chord = [(KeyCode::ControlLeft, Key::Control), (KeyCode::KeyP, Key::Character("p".into()))];
    driven.press_within(&chord, 0);
    assert!(is_open(&mut driven));
    driven.press(&[(KeyCode::Escape, Key::Escape)]);
    assert!(!is_open(&mut driven));
    driven.press(&chord[1..]);
    assert!(!is_open(&mut driven), "P alone opens nothing");

    // An N typed into the list within the same frame is not read as Ctrl N, which would open a new land.
    let [control, p] = chord;
    let n = (KeyCode::KeyN, Key::Character("n".into()));
    for (key, state) in [
        (&control, ButtonState::Pressed),
        (&p, ButtonState::Pressed),
        (&p, ButtonState::Released),
        (&control, ButtonState::Released),
        (&n, ButtonState::Pressed),
        (&n, ButtonState::Released),
    ] {
        driven.key(key, state);
    }
    driven.frames(5);
    assert_eq!(driven.document(0).recipe.name, "Hills");
    assert!(driven.names().iter().any(|name| name.ends_with(" Command")), "the list is open");
}

/// Takes some seconds, because the land is built and shown three times.
#[test]
fn dragging_a_slider_changes_the_land_and_undo_brings_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    let (before, recipe) = (sum_of_heights(&mut driven), driven.document(0).recipe.clone());
    let slider = driven.find(Role::Slider, "octaves");
    driven.drag(slider.center(), slider.center() + Vec2::X * 30.0);
    assert_ne!(driven.document(0).recipe, recipe);
    driven.until("the land follows", |driven| sum_of_heights(driven) != before);
    // A drag is a single step of the history.
    driven.frames(60);
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!(driven.document(0).recipe, recipe);
    driven.until("the land is as before", |driven| sum_of_heights(driven) == before);
}

#[test]
fn key_menu_and_palette_open_a_new_landscape_and_undo_brings_the_old_one_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let name = |driven: &mut Driven| driven.document(0).recipe.name.clone();
    driven.command(KeyCode::KeyN, "n");
    driven.frames(4);
    assert!(name(&mut driven) == "Untitled" && !driven.document(0).is_unsaved());
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!(name(&mut driven), "Hills");

    // With unsaved changes, a question comes first.
    driven.click("A new random seed");
    let seed = driven.document(0).recipe.seed;
    driven.click("File");
    driven.frames(4);
    driven.click("New   Ctrl N");
    driven.frames(4);
    driven.click("Cancel");
    driven.frames(4);
    assert_eq!(name(&mut driven), "Hills");
    driven.order("New landscape");
    driven.frames(4);
    driven.click("Open without saving");
    driven.frames(4);
    assert_eq!(name(&mut driven), "Untitled");
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!((name(&mut driven), driven.document(0).recipe.seed), ("Hills".to_owned(), seed));
}

/// Takes three seconds, because a land is built and the window is closed twice.
#[test]
fn closing_asks_about_changes() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.click("A new random seed");
    assert_ne!(driven.document(0).recipe.seed, 1);
    let close = |driven: &mut Driven| {
        let window = driven.window;
        driven.app.world_mut().write_message(WindowCloseRequested { window });
        driven.frames(4);
    };
    close(&mut driven);
    driven.click("Cancel");
    assert!(!ends(&driven) && !driven.has(Role::Button, "Cancel"));
    close(&mut driven);
    driven.click("Close without saving");
    assert!(ends(&driven));
}

#[test]
fn closing_asks_about_a_picture_that_is_being_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.app.insert_resource(Exporting::drawing(folder.path().join("hills.png")));
    driven.command(KeyCode::KeyQ, "q");
    assert!(driven.says("hills.png") && !ends(&driven), "{:?}", driven.names());
    driven.click("Cancel");
    assert!(!ends(&driven) && !driven.has(Role::Button, "Cancel"));
    driven.command(KeyCode::KeyQ, "q");
    driven.click("Close when finished");
    driven.frames(4);
    assert!(!ends(&driven) && driven.says("The window will close when drawing is finished"));
    driven.command(KeyCode::KeyQ, "q");
    driven.click("Stop and close");
    assert!(ends(&driven));
}

#[test]
fn changes_are_kept_in_case_the_program_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.click("A new random seed");
    let seed = format!("seed: {}", driven.document(0).recipe.seed);
    // A program that is killed leaves what is on the disk now.
    let is_kept = |folder: &Path| {
        let files = walk(&folder.join("kept"));
        files.iter().any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(&seed)))
    };
    driven.until("it is kept", |_| is_kept(folder.path()));
}

/// All files in a folder and its subfolders.
pub(super) fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    inside.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_dropped_recipe_opens_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    let mut drop = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        driven.drop_file(&path);
        driven.document(0).recipe.name.clone()
    };
    assert_eq!(drop("dunes.ron", &land("Dunes", 4).to_ron().unwrap()), "Dunes");
    assert_eq!(drop("damaged.ron", "(version: 1, name:"), "Dunes");
    assert_eq!(drop("notes.txt", "nothing"), "Dunes");
    assert_eq!(drop("picture.png", "no picture"), "Dunes");
    assert!(driven.has(Role::Button, "Dismiss"), "the last refusal is shown");
}

/// Takes four seconds, because two lands are built and drawn many times.
#[test]
fn two_lands_share_one_picture_with_a_line_to_drag() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    driven.settle();
    let widths = |driven: &mut Driven| {
        let views = driven.views();
        (views[0], views[1])
    };
    let (first, second) = widths(&mut driven);
    assert!((first.width() - second.width()).abs() <= 2.0 && first.max.x < second.min.x);
    driven.click("Swipe");
    assert_eq!(driven.app.world().resource::<Arrangement>().sharing, Sharing::Swipe);
    let line = Vec2::new((first.max.x + second.min.x) / 2.0, 500.0);
    driven.drag(line, line - Vec2::X * 200.0);
    driven.frames(3);
    let (narrow, wide) = widths(&mut driven);
    assert!((first.width() - narrow.width() - 200.0).abs() < 6.0, "{narrow:?}");
    assert_eq!((narrow.min.x, wide.max.x), (first.min.x, second.max.x));
    let mut cameras = driven.app.world_mut().query::<(&Camera, &ViewOf)>();
    assert!(cameras.iter(driven.app.world()).all(|(camera, _)| camera.sub_camera_view.is_some()));

    driven.click("Close this landscape");
    driven.frames(4);
    assert_eq!((driven.landscapes(), driven.document(0).recipe.name.as_str()), (1, "Downs"));
    assert!(!driven.has(Role::Button, "Close this landscape"), "the last one stays");
}

#[test]
fn the_second_land_shows_the_difference_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    driven.settle();
    let worn = |driven: &mut Driven| {
        let all = driven.of_landscapes::<TerrainOverride>().into_iter().enumerate();
        all.filter(|(_, worn)| worn.is_some()).map(|(index, _)| index).collect::<Vec<_>>()
    };
    let before = sum_of_heights(&mut driven);
    driven.order("Difference");
    driven.until("it is open", |driven| driven.has(Role::CheckBox, "On the land"));
    let place = driven.find(Role::CheckBox, "On the land").center();
    driven.click_at(place);
    driven.until("it is shown", |driven| worn(driven) == [1]);
    driven.settle();
    // The player replaces it on its land, and gives the land back.
    driven.order("Watch the steps work");
    driven.until("the player has it", |driven| worn(driven) == [0]);
    driven.order("Watch the steps work");
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.until("the difference has it again", |driven| worn(driven) == [1]);
    driven.order("Close all");
    driven.until("no land is overridden", |driven| worn(driven).is_empty());
    driven.until("the lands are as before", |driven| sum_of_heights(driven) == before);
}

#[test]
fn a_copy_is_at_its_lands_place_after_the_origin_has_moved() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.app.world_mut().resource_mut::<Pilot>().put(Vec3::new(0.0, 900.0, -9000.0), Vec3::ZERO);
    driven.until("the origin has moved", |driven| {
        driven.app.world().resource::<WorldOrigin>().0.length() > 4000.0
    });
    driven.order("Compare with a copy");
    driven.until("there are two", |driven| driven.landscapes() == 2);
    driven.settle();
    let lands = driven.of_landscapes::<Transform>();
    let places: Vec<Vec3> = lands.into_iter().map(|land| land.unwrap().translation).collect();
    assert!(places[0] == places[1] && places[0].length() > 4000.0, "{places:?}");
}

/// The place of the first land's view.
pub(super) fn place(driven: &mut Driven) -> Rect {
    driven.views()[0]
}

#[test]
fn a_screenshot_without_panels_only_shows_the_land() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    driven.settle();
    driven.app.world_mut().resource_mut::<Message>().error("Something went wrong");
    driven.frames(2);
    // Whether the captured frame has the message, the buttons of a view, and its land's name.
    let take = |driven: &mut Driven| {
        driven.app.world_mut().resource_mut::<Screenshots>().is_wanted = true;
        driven.frames(1);
        let said = driven.has(Role::Label, "Something went wrong");
        let named = driven.names().iter().any(|name| name.ends_with(" Hills"));
        (said, driven.has(Role::Button, "Close this landscape"), named)
    };
    let has_marks = |driven: &Driven| {
        driven.app.world().resource::<GizmoConfigStore>().iter().all(|(_, config, _)| config.enabled)
    };
    assert_eq!(take(&mut driven), (true, true, true));
    assert!(has_marks(&driven) && driven.has(Role::Button, "Fly"));
    driven.press(&[(KeyCode::F9, Key::F9)]);
    driven.frames(3);
    assert!(driven.has(Role::Label, "Something went wrong") && !driven.has(Role::Button, "Fly"));
    assert_eq!(take(&mut driven), (false, false, true));
    assert!(!has_marks(&driven));
    driven.frames(1);
    assert!(
        driven.has(Role::Label, "Something went wrong") && driven.has(Role::Button, "Close this landscape")
    );
    assert!(has_marks(&driven));
}

#[test]
fn escape_closes_windows_one_at_a_time_and_cancels_drawing() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let escape = |driven: &mut Driven| {
        driven.press(&[(KeyCode::Escape, Key::Escape)]);
        driven.frames(2);
    };
    driven.order("Watch the steps work");
    driven.order("Picture or film");
    driven.frames(4);
    assert!(driven.has(Role::Button, "Draw"));
    driven.order("Open a file");
    driven.frames(4);
    escape(&mut driven);
    assert!(driven.has(Role::Button, "Draw") && !driven.has(Role::TextInput, "Path of a file"));
    escape(&mut driven);
    assert!(!driven.has(Role::Button, "Draw"));
    assert!(driven.app.world().resource::<Player>().open, "the player below stays open");
    escape(&mut driven);
    assert!(!driven.app.world().resource::<Player>().open);

    driven.order("Picture or film");
    driven.app.insert_resource(Exporting::drawing(folder.path().join("hills.png")));
    driven.frames(4);
    assert!(driven.has(Role::Button, "Cancel"));
    escape(&mut driven);
    driven.until("it is cancelled", |driven| driven.says("Drawing cancelled"));
    assert!(driven.has(Role::Button, "Draw"), "the window stays open for another try");
    escape(&mut driven);
    assert!(!driven.has(Role::Button, "Draw"));
    driven.order("Keys");
    driven.frames(4);
    assert!(driven.says("rise, sink"));
    escape(&mut driven);
    // The window fades out.
    driven.until("the keys are gone", |driven| !driven.says("rise, sink"));

    let mistake = Mistake::all()[0].title;
    driven.order(&format!("Mistake: {mistake}"));
    driven.frames(4);
    assert!(driven.says("The fix"));
    escape(&mut driven);
    driven.until("the mistake is no longer explained", |driven| !driven.says("The fix"));
}

#[test]
fn a_mistake_is_explained_only_while_one_of_its_lands_is_edited() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let mistake = format!("Mistake: {}", Mistake::all()[0].title);
    let is_told = |driven: &mut Driven| {
        // Windows fade out.
        driven.frames(30);
        driven.says("The fix")
    };
    driven.order(&mistake);
    assert!(is_told(&mut driven));
    // Changing its land doesn't end that; opening another land in its place does.
    driven.order("Another random seed");
    assert!(is_told(&mut driven));
    driven.command(KeyCode::KeyZ, "z");
    driven.order("New landscape");
    assert_eq!(driven.document(0).recipe.name, "Untitled");
    assert!(!is_told(&mut driven));

    // A mistake is not explained either over a land that kept the place of its own.
    driven.click("A new random seed");
    driven.order(&mistake);
    driven.click("Cancel");
    assert!(!is_told(&mut driven));
    driven.order(&mistake);
    driven.click("Open without saving");
    assert!(is_told(&mut driven));

    // Next to other lands, it is explained while one of its own is edited.
    driven.click("Show both");
    driven.until("there are two", |driven| driven.landscapes() == 2);
    assert!(is_told(&mut driven));
    driven.edit(1);
    assert!(is_told(&mut driven), "the right land counts too");
    driven.order("Compare with a copy");
    driven.until("there are three", |driven| driven.landscapes() == 3);
    driven.edit(2);
    driven.order("Another random seed");
    driven.order("New landscape");
    driven.click("Open without saving");
    assert!(!is_told(&mut driven));
    driven.edit(0);
    assert!(is_told(&mut driven));
}

#[test]
fn a_hint_about_flying_is_shown_until_a_key_is_pressed_and_a_tour_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    assert!(driven.says("fly   (E up") && driven.has(Role::Button, "Take the five-minute tour"));
    driven.press(&[(KeyCode::KeyW, Key::Character("w".into()))]);
    driven.frames(20);
    assert!(!driven.says("fly   (E up"), "the hint is gone");
    assert!(driven.has(Role::Button, "Not now"));

    driven.click("Take the five-minute tour");
    driven.frames(20);
    assert!(driven.says("1 of 9") && !driven.says("✔ done") && !driven.has(Role::Button, "Not now"));
    driven.hold_key(KeyCode::KeyW, Key::Character("w".into()), 60);
    driven.frames(2);
    assert!(driven.says("✔ done"));
    for page in 2..=6 {
        driven.click("Next");
        driven.frames(4);
        assert!(driven.says(&format!("{page} of 9")), "{:?}", driven.names());
    }
    assert!(!driven.says("✔ done"));
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.frames(4);
    assert!(driven.says("✔ done"), "the player is open");
    driven.click("End the tour");
    driven.until("it has ended", |driven| !driven.says("of 9"));
    assert!(!driven.has(Role::Button, "Take the five-minute tour"), "it is not offered again");
    driven.order("Guided tour");
    driven.frames(20);
    assert!(driven.says("1 of 9"), "but its command starts it");
}

#[test]
fn heights_are_exported_from_the_menu_with_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.click("File");
    driven.frames(4);
    driven.click("Export …");
    driven.frames(20);
    assert!(driven.has(Role::Button, "Splat maps") && driven.has(Role::TextInput, "File to write"));
    let path = folder.path().join("hills.tif");
    let mut browsing = driven.app.world_mut().resource_mut::<Browsing>();
    browsing.chosen = Some((Purpose::Output(OutputKind::Heights), path.clone()));
    driven.frames(4);
    driven.click("Export");
    driven.until("it is written", |driven| driven.says("Exported hills.tif in"));
    assert!(driven.says("33 × 33 samples, 30 m apart") && driven.says("kB"), "{:?}", driven.names());
    assert!(std::fs::metadata(&path).unwrap().len() > 33 * 33);
    driven.frames(4);
    assert!(driven.says("Exporting again replaces this file"));
    driven.press(&[(KeyCode::Escape, Key::Escape)]);
    driven.until("the window is closed", |driven| !driven.has(Role::Button, "Splat maps"));
}

#[test]
fn everyday_words_of_the_palette_change_time_and_season() {
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = land("Hills", 1);
    recipe.texture = crate::recipe::Skin::Woodland;
    let mut driven = Driven::open(vec![recipe], folder.path());
    driven.settle();
    driven.order("night");
    assert!(driven.document(0).recipe.sun.elevation < 0.0);
    driven.order("noon");
    assert!(driven.document(0).recipe.sun.elevation > 10.0);
    driven.order("overcast");
    assert_eq!(driven.document(0).recipe.weather.clouds, 1.0);
    driven.order("weather clear");
    assert_eq!(driven.document(0).recipe.weather.clouds, 0.0);
    driven.order("winter");
    assert_eq!(driven.document(0).recipe.texture, crate::recipe::Skin::Woodland.in_season(0.75));
    driven.order("planet");
    assert!(driven.says("upland render"), "{:?}", driven.names());
}

#[test]
fn undo_in_a_text_field_applies_to_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.order("Another random seed");
    driven.frames(60);
    let seed = driven.document(0).recipe.seed;
    driven.order("Save as");
    driven.frames(4);
    assert!(driven.has(Role::TextInput, "Path of a file"));
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!(driven.document(0).recipe.seed, seed);
    driven.press(&[(KeyCode::Escape, Key::Escape)]);
    driven.frames(4);
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!(driven.document(0).recipe.seed, 1);
    driven.command(KeyCode::KeyY, "y");
    assert_eq!(driven.document(0).recipe.seed, seed);
}

#[test]
fn alt_with_a_function_key_is_left_to_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    let is_open = |driven: &Driven| driven.app.world().resource::<Inside>().open;
    driven.press(&[(KeyCode::AltLeft, Key::Alt), (KeyCode::F4, Key::F4)]);
    assert!(!is_open(&driven));
    driven.press(&[(KeyCode::F4, Key::F4)]);
    assert!(is_open(&driven));
}

/// A land of noise that is turned upside down, of which only the noise is shown.
fn with_its_first_step_alone(folder: &Path) -> Driven {
    let mut recipe = land("Hills", 1);
    recipe.steps.push(Step::from_name("invert").unwrap());
    let mut driven = Driven::open(vec![recipe], folder);
    driven.settle();
    let mut views = driven.app.world_mut().query::<&mut StackView>();
    views.single_mut(driven.app.world_mut()).unwrap().solo = Some(0);
    driven.frames(4);
    driven.settle();
    driven
}

#[test]
fn a_picture_shows_a_solo_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = with_its_first_step_alone(folder.path());
    let seen =
        |mut of: Query<Edited>, light: Res<SharedLight>| recipe_as_seen(&of.single_mut().unwrap(), &light);
    let on = |driven: &mut Driven| {
        let recipe = driven.app.world_mut().run_system_once(seen).unwrap();
        recipe.steps.iter().map(|step| step.mixing.on).collect::<Vec<_>>()
    };
    assert_eq!(on(&mut driven), [true, false]);
    let mut views = driven.app.world_mut().query::<&mut StackView>();
    views.single_mut(driven.app.world_mut()).unwrap().solo = None;
    assert_eq!(on(&mut driven), [true, true]);
}

#[test]
fn plots_show_a_solo_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = with_its_first_step_alone(folder.path());
    driven.order("Look inside");
    let plot = |driven: &mut Driven| {
        driven.until("the plot is there", |driven| {
            let inside = driven.app.world().resource::<Inside>();
            !inside.is_busy() && inside.plot().is_some()
        });
        driven.app.world().resource::<Inside>().plot().cloned().unwrap().unwrap()
    };
    let alone = plot(&mut driven);
    let mut views = driven.app.world_mut().query::<&mut StackView>();
    views.single_mut(driven.app.world_mut()).unwrap().solo = None;
    driven.until("the plot has changed", |driven| {
        let inside = driven.app.world().resource::<Inside>();
        inside.plot().is_some_and(|plot| plot.as_ref() != Ok(&alone))
    });
}

#[test]
fn panels_become_light_and_dark() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    let is_dark = |driven: &mut Driven| driven.context().global_style().visuals.dark_mode;
    assert!(is_dark(&mut driven));
    let mut order = |wanted: &str| {
        driven.order(wanted);
        is_dark(&mut driven)
    };
    assert!(!order("Light panels"));
    assert!(order("Panels follow the system"), "if the system reports no theme");
    assert!(order("Dark panels"));
}

/// Takes three seconds, because it waits for a whole build.
#[test]
fn a_build_is_played_and_scrubbed() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.until("it is recorded", |driven| {
        !driven.app.world().resource::<Player>().recording().frames().is_empty()
    });
    let last = driven.app.world().resource::<Player>().recording().frames().len() - 1;
    assert!(last >= 4, "one per octave, and the step's result");
    let at = |driven: &mut Driven, key: (KeyCode, Key)| {
        driven.press(&[key]);
        driven.app.world().resource::<Player>().at()
    };
    assert_eq!(at(&mut driven, (KeyCode::End, Key::End)), last);
    assert_eq!(at(&mut driven, (KeyCode::Home, Key::Home)), 0);
    assert_eq!(at(&mut driven, (KeyCode::ArrowRight, Key::ArrowRight)), 1);

    // The palette can do the same.
    let mut after = |order: &str| {
        driven.order(order);
        let player = driven.app.world().resource::<Player>();
        (player.at(), player.is_playing)
    };
    assert_eq!(after("Last frame of the build"), (last, false));
    assert_eq!(after("Previous frame of the build"), (last - 1, false));
    assert_eq!(after("First frame of the build"), (0, false));
    assert_eq!(after("Next frame of the build"), (1, false));
    assert!(after("Play the build").1 && !after("Play the build").1);
}

#[test]
fn a_window_can_have_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    for (width, height) in [(1, 1), (340, 20), (20, 2000), (7680, 4320), (1280, 720)] {
        let mut window = driven.app.world_mut().get_mut::<Window>(driven.window).unwrap();
        window.resolution.set_physical_resolution(width, height);
        driven.frames(4);
    }
    driven.settle();
    assert_eq!(driven.landscapes(), 2);
}

/// Buttons that the monkey must not press, because they write into the folder that the tests run in, or end
/// the program. For the same reason it has neither the Enter key nor the command palette.
const FORBIDDEN: [&str; 10] =
    ["Save", "Draw", "Make film", "Browse", "CSV", "SVG", "Export", "Write", "Close without", "Open"];

/// Takes some seconds, because each act is several frames of the whole window. It has found more mistakes
/// than any other test of the panels.
#[test]
fn a_monkey_at_the_controls_breaks_nothing() {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    let acts = std::env::var("UPLAND_MONKEY").ok().and_then(|acts| acts.parse().ok()).unwrap_or(40);
    let seed = std::env::var("UPLAND_MONKEY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    let mut random = SmallRng::seed_from_u64(seed);
    let plain = |code: KeyCode, key: Key| vec![(code, key)];
    let keys = [
        plain(KeyCode::Escape, Key::Escape),
        plain(KeyCode::F1, Key::F1),
        plain(KeyCode::F2, Key::F2),
        plain(KeyCode::F3, Key::F3),
        plain(KeyCode::F4, Key::F4),
        plain(KeyCode::F5, Key::F5),
        plain(KeyCode::F6, Key::F6),
        plain(KeyCode::F9, Key::F9),
        plain(KeyCode::KeyL, Key::Character("l".into())),
        plain(KeyCode::KeyV, Key::Character("v".into())),
        vec![(KeyCode::ControlLeft, Key::Control), (KeyCode::KeyZ, Key::Character("z".into()))],
        vec![(KeyCode::ControlLeft, Key::Control), (KeyCode::KeyY, Key::Character("y".into()))],
    ];
    for act in 0..acts {
        let controls = driven.controls();
        let window = Rect::new(0.0, 0.0, 1280.0, 720.0);
        let is_forbidden = |name: &str| FORBIDDEN.iter().any(|word| name.contains(word));
        let (forbidden, allowed): (Vec<_>, Vec<_>) = controls
            .into_iter()
            .filter(|(.., place)| window.contains(place.center()))
            .partition(|(_, name, _)| is_forbidden(name));
        let is_safe = |at: Vec2| !forbidden.iter().any(|(.., place)| place.inflate(2.0).contains(at));
        let allowed: Vec<_> = allowed.into_iter().filter(|(.., place)| is_safe(place.center())).collect();
        let did = match random.random_range(0..10) {
            0 | 1 => {
                let keys = &keys[random.random_range(0..keys.len())];
                driven.press(keys);
                format!("pressed {keys:?}")
            }
            // Also outside of controls: on the land, on borders, on lines.
            2 => {
                let place = Vec2::new(random.random_range(350.0..1270.0), random.random_range(5.0..690.0));
                if is_safe(place) {
                    driven.click_at(place);
                }
                format!("clicked at {place}")
            }
            _ if allowed.is_empty() => continue,
            choice => {
                let (role, name, place) = &allowed[random.random_range(0..allowed.len())];
                if choice < 6 && matches!(role, Role::Slider | Role::SpinButton) {
                    let by = Vec2::new(random.random_range(-80.0..80.0), random.random_range(-5.0..5.0));
                    driven.drag(place.center(), place.center() + by);
                } else {
                    driven.click_at(place.center());
                }
                format!("used {role:?} {name:?}")
            }
        };
        driven.frames(2);
        for number in 0..driven.landscapes() {
            let document = driven.document(number);
            let checked = document.recipe.check();
            assert!(checked.is_ok(), "act {act}, {did}: {checked:?}");
        }
        assert!(!ends(&driven), "act {act}, {did}");
    }
    // All of it can be undone.
    for _ in 0..acts {
        driven.command(KeyCode::KeyZ, "z");
    }
}
