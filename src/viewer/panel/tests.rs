//! Buttons, keys and the palette do the same, and refuse the same for the same reasons.

use std::collections::BTreeSet;
use std::path::PathBuf;

use bevy_egui::egui::{self, accesskit};

use super::controls::action_button::ActionButtons as _;
use super::{palette, shortcuts};
use crate::recipe::{Bookmark, Flight, Recipe, Step, Waypoint};
use crate::viewer::actions::{Action, ActionQueue, Forecast, Hour, WindowState, refused};
use crate::viewer::document::Document;
use crate::viewer::document::lesson::HELD_BY_LESSON;

/// A recipe for which the palette has entries of every kind.
fn recipe() -> Recipe {
    let mut recipe = Recipe::new("Land", (9, 9), 10.0);
    recipe.steps = vec![Step::from_name("river").unwrap()];
    recipe.bookmarks = vec![Bookmark::default(); 2];
    recipe.flights = vec![Flight { waypoints: vec![Waypoint::default(); 2], ..Flight::default() }];
    recipe
}

/// The name of an action's variant.
fn variant(action: &Action) -> String {
    let text = format!("{action:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_owned()
}

/// The actions of the palette, with the keys that it names.
fn of_palette() -> Vec<(&'static str, Action)> {
    palette::actions_of(&recipe(), &[PathBuf::from("lands/alps.tif")])
}

/// All that a lesson forbids.
fn forbidden() -> Vec<Action> {
    vec![
        Action::NewSeed,
        Action::Become(Box::new(recipe())),
        Action::AddStep(Box::new(Step::from_name("river").unwrap())),
        Action::Paste(0),
        Action::DrawOnLand,
        Action::Hour(Hour::Noon),
        Action::Weather(Forecast::Fair),
        Action::Season(0.5),
        Action::KeepView,
        Action::Bookmark,
        Action::Record,
        Action::MoveWaypoint([0, 0]),
    ]
}

/// What a lesson refuses: the state of the window while it is given.
fn in_lesson() -> ActionQueue {
    let mut actions = ActionQueue::default();
    actions.state = WindowState::of(Some(&Document::of_lesson(recipe())), 1);
    actions
}

/// Draws the button of an action for three frames, with a click on it. Returns whether it is disabled.
fn click(actions: &mut ActionQueue, action: &Action) -> bool {
    let context = egui::Context::default();
    context.enable_accesskit();
    let (mut place, mut is_disabled) = (egui::Pos2::ZERO, false);
    for pressed in [None, Some(true), Some(false)] {
        let button = |pressed| egui::Event::PointerButton {
            pos: place,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        let events = pressed.map(button).into_iter();
        let events = [egui::Event::PointerMoved(place)].into_iter().chain(events).collect();
        let mut output = context.run_ui(egui::RawInput { events, ..Default::default() }, |ui| {
            place = actions.button(ui, "Do it", "", action.clone()).rect.center();
        });
        // Nothing is drawn, so the font's picture is not needed.
        output.textures_delta.clear();
        let nodes = output.platform_output.accesskit_update.unwrap().nodes;
        let is_button = |node: &accesskit::Node| node.label() == Some("Do it");
        is_disabled = nodes.iter().any(|(_, node)| is_button(node) && node.is_disabled());
    }
    is_disabled
}

#[test]
fn what_a_lesson_forbids_is_refused_to_buttons_keys_and_the_palette_alike() {
    let free = WindowState::of(Some(&Document::new(recipe(), None)), 1);
    let forbidden = forbidden();
    for action in &forbidden {
        let mut actions = in_lesson();
        assert_eq!(refused(action, &free), None, "{action:?}");
        assert_eq!(actions.refused(action), Some(HELD_BY_LESSON), "{action:?}");
        assert!(click(&mut actions, action), "the button of {action:?} is disabled");
        assert!(actions.take().is_empty(), "{action:?}");
        actions.state = free.clone();
        assert!(!click(&mut actions, action) && actions.take().len() == 1, "{action:?}");
    }
    let names: BTreeSet<String> = forbidden.iter().map(variant).collect();
    let (palette, keys) = (of_palette(), shortcuts::tests::of_keys());
    let of_all = palette.iter().map(|(_, action)| action).chain(keys.iter().map(|(_, action)| action));
    for action in of_all {
        let reason = in_lesson().refused(action) == Some(HELD_BY_LESSON);
        assert_eq!(reason, names.contains(&variant(action)), "{action:?}");
    }
}

#[test]
fn every_key_does_what_the_palette_says() {
    let palette = of_palette();
    for (keys, action) in shortcuts::tests::of_keys() {
        let is_named = |named: &str| named.split(", ").any(|other| other == keys);
        let named: Vec<&Action> =
            palette.iter().filter(|(named, _)| is_named(named)).map(|(_, action)| action).collect();
        match action {
            Action::Palette => assert!(named.is_empty()),
            _ => assert_eq!(named.iter().map(|other| variant(other)).collect::<Vec<_>>(), [variant(&action)]),
        }
    }
}

/// Actions that only buttons do, because they need what is next to the button, and the panels with those.
const OF_BUTTONS: [(&str, &str); 8] = [
    ("WritePlot", include_str!("content.rs")),
    ("Edit", include_str!("content.rs")),
    ("Become", include_str!("gallery.rs")),
    ("KeepView", include_str!("landscape/recipe.rs")),
    ("GoTo", include_str!("landscape/tours.rs")),
    ("MoveWaypoint", include_str!("landscape/tours.rs")),
    ("Nearest", include_str!("landscape/scatter.rs")),
    ("CancelNearest", include_str!("landscape/scatter.rs")),
];

#[test]
fn every_action_can_be_reached() {
    let source = include_str!("../actions/action.rs");
    let (_, variants) = source.split_once("pub(crate) enum Action {\n").unwrap();
    let name = |line: &str| {
        let line = line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase))?;
        Some(line.split(|sign: char| !sign.is_alphanumeric()).next()?.to_owned())
    };
    let all: BTreeSet<String> = variants.lines().filter_map(name).collect();
    let mut reached: BTreeSet<String> = of_palette().iter().map(|(_, action)| variant(action)).collect();
    reached.extend(shortcuts::tests::of_keys().iter().map(|(_, action)| variant(action)));
    for (name, panel) in OF_BUTTONS {
        assert!(reached.insert(name.to_owned()), "the palette or a key does {name}");
        assert!(panel.contains(&format!("Action::{name}")), "{name}");
    }
    assert_eq!(reached, all);
}
