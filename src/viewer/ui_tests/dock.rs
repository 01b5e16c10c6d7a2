//! Where panels are, and that they hide neither the land nor each other.

use bevy::input::keyboard::Key;
use bevy::prelude::*;
use bevy::window::WindowResized;
use bevy_egui::egui::accesskit::Role;

use super::Driven;
use super::tests::{land, place};
use crate::viewer::session::settings::Settings;
use crate::viewer::session::{Home, Tab};

#[test]
fn docked_panels_are_next_to_the_land_and_never_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let before = place(&mut driven);
    assert!((before.min.x - 368.0).abs() < 4.0 && before.max.x == 1280.0, "{before:?}");
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.frames(4);
    let beside = place(&mut driven);
    let play = driven.find(Role::Button, "Previous step");
    assert!(beside.max.y < before.max.y - 100.0 && play.min.y > beside.max.y, "{beside:?} {play:?}");
    assert!(beside.min == before.min, "its other sides stay");

    // A border can be dragged, and panels keep their widths when the window grows.
    let border = Vec2::new(beside.min.x - 1.0, beside.center().y);
    driven.drag(border, border + Vec2::X * 60.0);
    driven.frames(3);
    let narrow = place(&mut driven);
    assert!((narrow.min.x - beside.min.x - 60.0).abs() < 3.0, "{narrow:?}");
    let mut window = driven.app.world_mut().get_mut::<Window>(driven.window).unwrap();
    window.resolution.set_physical_resolution(1600, 900);
    driven.frames(4);
    let larger = place(&mut driven);
    assert!((larger.min.x - narrow.min.x).abs() < 2.0 && larger.max.x == 1600.0, "{larger:?}");

    // All panels are hidden together, and the one at the bottom can be closed by itself.
    driven.press(&[(KeyCode::F9, Key::F9)]);
    driven.frames(3);
    let alone = place(&mut driven);
    assert_eq!(alone, Rect::new(0.0, 0.0, 1600.0, 900.0), "without the status line too");
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.frames(4);
    assert_eq!(place(&mut driven), larger, "opening a panel shows all panels as before");
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.frames(4);
    assert_eq!(place(&mut driven).min, larger.min);
    let without = place(&mut driven).max.y;
    assert!(larger.max.y < without && without < alone.max.y, "{without}: above the status line");
    assert!(!driven.has(Role::Button, "Previous step"));
}

#[test]
fn text_and_panels_follow_the_size_of_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let left = |driven: &mut Driven, width, height| {
        let mut window = driven.app.world_mut().get_mut::<Window>(driven.window).unwrap();
        window.resolution.set_physical_resolution(width, height);
        let resized = WindowResized { window: driven.window, width: width as f32, height: height as f32 };
        driven.app.world_mut().write_message(resized);
        driven.frames(6);
        let button = driven.find(Role::Button, "Gallery").height();
        (place(driven).min.x, button)
    };
    let (small, button) = left(&mut driven, 1280, 720);
    let (large, larger_button) = left(&mut driven, 2560, 1440);
    assert!((large / small - 1.33).abs() < 0.03, "{small} {large}");
    assert!((larger_button / button - 1.33).abs() < 0.1, "{button} {larger_button}");
    assert_eq!(left(&mut driven, 1280, 720), (small, button));

    // A width set by the user stays.
    let border = Vec2::new(place(&mut driven).min.x - 1.0, 300.0);
    driven.drag(border, border + Vec2::X * 60.0);
    driven.frames(3);
    let chosen = place(&mut driven).min.x;
    assert!((left(&mut driven, 2560, 1440).0 - chosen).abs() < 2.0);
}

#[test]
fn the_keys_cover_no_panel() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let land = place(&mut driven);
    driven.press(&[(KeyCode::F1, Key::F1)]);
    driven.frames(20);
    let row = driven.find(Role::Label, "rise, sink");
    assert!(row.min.x > land.min.x && row.max.x < land.max.x, "{row:?} over {land:?}");
    driven.press(&[(KeyCode::Escape, Key::Escape)]);
    for panel in ["Open a file", "Picture or film"] {
        driven.order(panel);
        driven.frames(20);
        let browse = driven.find(Role::Button, "Browse …");
        assert!(browse.min.x > land.min.x && browse.max.x < land.max.x, "{panel}: {browse:?} over {land:?}");
        driven.order("Close all");
    }
}

#[test]
fn a_tooltip_is_next_to_the_panel_of_its_control() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let name = driven.find(Role::Label, "elevation");
    driven.point(name.center());
    driven.frames(120);
    let tip = driven.find(Role::Label, "Height of the sun above the horizon");
    assert!(tip.min.x >= place(&mut driven).min.x - 4.0, "{tip:?}");
    assert!(tip.min.y < name.max.y + 8.0, "at the height of its row: {tip:?} {name:?}");
}

#[test]
fn the_difference_is_next_to_both_lands_and_hides_neither() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1), land("Downs", 2)], folder.path());
    driven.settle();
    driven.order("Difference");
    driven.frames(6);
    let panel = driven.find(Role::Button, "Difference panel");
    let views = driven.views();
    for view in &views {
        assert!(view.min.x >= 366.0 && view.max.x <= panel.min.x + 1.0, "{view:?} {panel:?}");
        assert!(view.width() > 250.0 && view.height() > 250.0, "{view:?}");
    }
    assert_eq!(views.len(), 2);
}

#[test]
fn frame_times_and_plots_are_next_to_each_other_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let orders = ["Look inside", "Frame times by pass"];
    for orders in [orders, [orders[1], orders[0]]] {
        let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
        driven.settle();
        for order in orders {
            driven.order(order);
            driven.frames(6);
        }
        let [inside, times] =
            ["Look inside panel", "Frame times panel"].map(|name| driven.find(Role::Button, name).min.x);
        let (left, right) = if inside < times { (inside, times) } else { (times, inside) };
        let width = if inside < times { 460.0 } else { 396.0 };
        assert!(left >= place(&mut driven).min.x && left + width < right, "{inside} {times}");
    }
}

#[test]
fn a_panel_without_a_free_place_shares_the_title_bar_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let open = |driven: &mut Driven, orders: &[&str]| {
        for order in orders {
            driven.order(order);
            driven.frames(6);
        }
    };
    open(&mut driven, &["Sculpt by hand", "Look inside", "Frame times by pass"]);
    let [sculpt, inside, times] = ["Sculpt panel", "Look inside panel", "Frame times panel"]
        .map(|name| driven.find(Role::Button, name));
    // The largest panel shares its title bar; the other one is as free as before.
    assert!((times.min.y - inside.min.y).abs() < 1.0, "{inside:?} {times:?}");
    assert!(times.min.x >= inside.max.x - 1.0 && times.min.x < inside.max.x + 40.0, "{inside:?} {times:?}");
    assert!(inside.min.x + 460.0 < sculpt.min.x, "{inside:?} {sculpt:?}");
    // The user did not choose that place, so the panel opens by itself where there is room.
    let place_before = place(&mut driven);
    let border = Vec2::new(place_before.min.x - 1.0, place_before.center().y);
    driven.drag(border, border + Vec2::X * 20.0);
    driven.frames(3);
    open(&mut driven, &["Close all but the landscape", "Frame times by pass"]);
    let alone = driven.find(Role::Button, "Frame times panel");
    assert!(alone.min.x > place(&mut driven).max.x - 440.0, "{alone:?}");
    assert!(place(&mut driven).max.x > place_before.max.x - 1.0, "it is docked");
}

#[test]
fn the_panel_layout_is_kept_and_can_be_reset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.ron");
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.app.insert_resource(Settings::read(Some(file.clone())));
    let before = place(&mut driven);
    let border = Vec2::new(before.min.x - 1.0, before.center().y);
    driven.drag(border, border + Vec2::X * 80.0);
    driven.frames(3);
    let width = |home: Option<&Home>| match home {
        Some(Home::Beside(_, width)) => *width,
        other => panic!("{other:?}"),
    };
    let kept = Settings::read(Some(file.clone()));
    let wide = width(kept.kept().panels.get(&Tab::Recipe));
    assert!((wide - before.min.x - 79.0).abs() < 4.0, "{wide}");
    driven.order("Reset panel layout");
    driven.frames(2);
    assert_eq!(place(&mut driven), before);
}

#[test]
fn a_panel_is_docked_by_dragging_its_title() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let before = place(&mut driven);
    driven.press(&[(KeyCode::F6, Key::F6)]);
    driven.frames(6);
    assert_eq!(place(&mut driven), before, "it opens over the land");
    let title = driven.find(Role::Button, "Probe panel").center();
    driven.hold(title, Vec2::new(before.max.x - 15.0, before.max.y - 200.0));
    driven.frames(6);
    let beside = place(&mut driven);
    assert!(beside.min == before.min && beside.max.y == before.max.y, "{beside:?}");
    let width = before.max.x - beside.max.x;
    assert!((width - 500.0).abs() < 30.0, "as wide as it was over the land, {width}");
    assert!(driven.find(Role::Button, "Probe panel").min.x > beside.max.x);
}
