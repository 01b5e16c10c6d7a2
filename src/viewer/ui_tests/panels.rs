//! Panels as used with a screen reader or the keyboard, and what is shown in a land's own view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::input::keyboard::Key;
use bevy::prelude::*;
use bevy::window::WindowCloseRequested;
use bevy_egui::egui::accesskit::Role;

use super::Driven;
use crate::plots::PlotKind;
use crate::plugin::{ScatterFailed, TerrainStatus};
use crate::recipe::preset::Preset;
use crate::recipe::{Bookmark, Flight, MaskKind, Recipe, Step, Waypoint};
use crate::render::texture_view::TextureView;
use crate::scatter::Rule;
use crate::viewer::build::playback::Player;
use crate::viewer::document::Document;
use crate::viewer::session::status_message::Message;
use crate::viewer::tools::point_editor::Drawing;
use crate::viewer::tools::sculpt::{BrushKind, Sculpting};
use crate::viewer::views::difference::DifferenceView;
use crate::viewer::views::plots::Inside;
use crate::water::River;
use crate::{Cache, Error, Work};

/// Roles that a screen reader reports as controls.
const CONTROLS: [Role; 12] = [
    Role::Button,
    Role::CheckBox,
    Role::RadioButton,
    Role::Slider,
    Role::SpinButton,
    Role::ComboBox,
    Role::TextInput,
    Role::MultilineTextInput,
    Role::ColorWell,
    Role::Link,
    Role::Splitter,
    Role::ScrollBar,
];

pub(super) fn land(name: &str, steps: &str) -> Recipe {
    let text =
        format!("(version: 1, name: \"{name}\", seed: 1, size: (33, 33), cell: 30.0, steps: [{steps}])");
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// A land with something in every section.
fn full() -> Recipe {
    let mut recipe = Preset::find("river-valley").unwrap().recipe().unwrap().with_longer_side(65);
    let mut masked = Step::from_name("scale").unwrap();
    masked.mask.mask = MaskKind::Slope;
    recipe.steps.push(masked);
    let (from, look) = ((0.0, 900.0, 900.0), (0.0, 0.0, 0.0));
    recipe.bookmarks = ["Lake", "Pass"].map(|name| Bookmark { name: name.into(), from, look }).to_vec();
    let waypoints = [1.0, 2.0].map(|after| Waypoint { after, from, look }).to_vec();
    recipe.flights = vec![Flight { name: "Valley".into(), waypoints }];
    recipe.scatter.push(Rule::new("spruce", 100.0, 4.0));
    recipe
}

/// The label of the button in egui's colour picker that copies a colour, which we cannot change.
const COPY_OF_EGUI: &str = "📋";

/// The controls without a name, and the names of all others. A symbol alone is not a name, because a screen
/// reader cannot say what it means.
fn heard(driven: &mut Driven) -> (Vec<String>, BTreeSet<String>) {
    let (mut nameless, mut names) = (Vec::new(), BTreeSet::new());
    for (_, node) in &driven.tree().nodes {
        match node.label().filter(|name| name.chars().any(char::is_alphanumeric)) {
            Some(name) => drop(names.insert(name.to_owned())),
            None if CONTROLS.contains(&node.role()) && node.label() != Some(COPY_OF_EGUI) => {
                let shown = node.label().or(node.value());
                nameless.push(format!("{:?} of {shown:?} at {:?}", node.role(), node.bounds()));
            }
            None => {}
        }
    }
    (nameless, names)
}

/// The ids of controls whose role and name occur only once. The focus, an open menu and a value being typed
/// belong to an id.
fn identities(driven: &mut Driven) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::<String, Vec<u64>>::new();
    for (id, node) in driven.tree().nodes.iter().filter(|(_, node)| CONTROLS.contains(&node.role())) {
        let name = format!("{:?} {}", node.role(), node.label().unwrap_or_default());
        all.entry(name).or_default().push(id.0);
    }
    let only = |(name, ids): (String, Vec<u64>)| (ids.len() == 1).then(|| (name, ids[0]));
    all.into_iter().filter_map(only).collect()
}

/// It takes long because the land is built three times, and a line stays for some seconds.
#[test]
fn a_road_that_finds_its_route_shows_it_and_gives_its_points_away() {
    let folder = tempfile::tempdir().unwrap();
    let road = "road(points: [])";
    let mut endless = land("Endless", &format!("{road}, fbm(height: 60)"));
    endless.unit = Some(2000.0);
    let mut driven = Driven::open(vec![land("Hills", road), endless], folder.path());
    // The first step is unfolded; the land before it is flat.
    driven.settle();
    driven.until("the route is known", |driven| driven.has(Role::Button, "Edit its points"));
    assert!(driven.says(" m long, from "), "{:?}", driven.names());
    assert!(driven.has(Role::Button, "Go there") && driven.says("Show line"));
    let laid =
        driven.document(0).recipe.with_found_routes(&Cache::default(), &Work::new()).unwrap().into_owned();
    // It may lie below the edge of the window.
    let panel = driven.find(Role::Button, "Gallery").center() + Vec2::Y * 100.0;
    for _ in 0..20 {
        if driven.find(Role::Button, "Edit its points").max.y > 600.0 {
            driven.scroll(panel, 3.0);
        }
    }
    assert!(driven.is_chosen("Show line"));
    driven.click("Go there");
    driven.until("the line doesn't hide the road", |driven| !driven.is_chosen("Show line"));
    driven.click("Edit its points");
    assert_eq!(driven.document(0).recipe.steps, laid.steps);
    assert!(driven.app.world().resource::<Drawing>().is_on(), "its points can be dragged");
    driven.settle();
    driven.frames(4);
    assert!(!driven.has(Role::Button, "Edit its points") && driven.says(" m long, from "));
    driven.command(KeyCode::KeyZ, "z");
    driven.until("its points are found again", |driven| driven.has(Role::Button, "Edit its points"));

    driven.edit(1);
    driven.settle();
    driven.frames(10);
    assert!(driven.says("On endless land it finds no route"), "{:?}", driven.names());
    assert!(!driven.has(Role::Button, "Edit its points"));
}

#[test]
fn controls_keep_their_ids_when_others_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![full()], folder.path());
    driven.settle();
    driven.frames(4);
    let mut known = identities(&mut driven);
    let mut changed = BTreeSet::new();
    let mut see = |driven: &mut Driven, what: &str| {
        driven.app.update();
        for (name, id) in identities(driven) {
            if *known.entry(name.clone()).or_insert(id) != id {
                changed.insert(format!("{name}, {what}"));
                known.insert(name, id);
            }
        }
    };
    let change = |driven: &mut Driven, change: &dyn Fn(&mut Recipe)| {
        let mut documents = driven.app.world_mut().query::<&mut Document>();
        change(&mut documents.single_mut(driven.app.world_mut()).unwrap().recipe);
    };
    let status = |driven: &mut Driven| {
        let mut lands = driven.app.world_mut().query::<&TerrainStatus>();
        lands.single(driven.app.world()).unwrap().clone()
    };

    // The land is rebuilt.
    change(&mut driven, &|recipe| recipe.seed += 1);
    driven.until("it is building", |driven| matches!(status(driven), TerrainStatus::Building { .. }));
    driven.until("it is built", |driven| {
        see(driven, "while it is built");
        matches!(status(driven), TerrainStatus::Ready)
    });
    // The pointer is over the ground, and a message appears.
    driven.point(Vec2::new(640.0, 500.0));
    (0..4).for_each(|_| see(&mut driven, "over the ground"));
    driven.order("Copy the camera's place");
    (0..4).for_each(|_| see(&mut driven, "with a message"));
    // The player opens before it has frames.
    driven.order("Watch the steps work");
    driven.until("it is recorded", |driven| {
        see(driven, "while it is recorded");
        driven.app.world().resource::<Player>().frame().is_some()
    });
    (0..20).for_each(|_| see(&mut driven, "recorded"));
    // The land fails, and succeeds again.
    change(&mut driven, &|recipe| recipe.steps.push(Step::from_name("import").unwrap()));
    driven.until("it has failed", |driven| {
        see(driven, "while it fails");
        matches!(status(driven), TerrainStatus::Failed(_))
    });
    (0..4).for_each(|_| see(&mut driven, "failed"));
    change(&mut driven, &|recipe| drop(recipe.steps.pop()));
    driven.until("it is built", |driven| {
        see(driven, "built again");
        matches!(status(driven), TerrainStatus::Ready)
    });
    assert!(known.len() > 60, "{}", known.len());
    assert!(changed.is_empty(), "{} controls changed:\n{changed:#?}", changed.len());
}

/// Takes ten seconds, because it opens every panel in every mode. No other test notices a control without a
/// name.
#[test]
fn every_control_in_every_panel_and_mode_has_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![full()], folder.path());
    driven.settle();
    let (mut nameless, mut names) = (Vec::new(), BTreeSet::new());
    let mut hear = |driven: &mut Driven, mode: &str| {
        driven.frames(4);
        let (without, with) = heard(driven);
        nameless.extend(without.into_iter().map(|control| format!("{mode}: {control}")));
        names.extend(with);
    };
    let open_type = |driven: &mut Driven| {
        let mut views = driven.app.world_mut().query::<&mut TextureView>();
        views.iter_mut(driven.app.world_mut()).for_each(|mut view| view.opened = Some(0));
    };
    // All sections, menus and lists are unfolded.
    open_type(&mut driven);
    driven.context().memory_mut(|memory| memory.set_everything_is_visible(true));
    hear(&mut driven, "the editor");
    driven.order("Show: Viewshed");
    hear(&mut driven, "viewshed");
    driven.order("Show: Landscape");
    driven.context().memory_mut(|memory| memory.set_everything_is_visible(false));

    for shelf in ["Landscapes", "Generators", "Lessons", "Mistakes", "Neighbours", "One parameter"] {
        driven.order(&format!("Shelf of the gallery: {shelf}"));
        hear(&mut driven, shelf);
    }
    for panel in ["Probe a sample", "Frame times by pass", "Keys", "Open a file", "Save as"] {
        driven.order("Close all");
        driven.order(panel);
        hear(&mut driven, panel);
    }
    driven.order("Close all");
    driven.order("Sculpt by hand");
    driven.app.world_mut().resource_mut::<Sculpting>().kind = BrushKind::Paint;
    hear(&mut driven, "the brush");
    driven.order("Close all");
    driven.order("Picture or film");
    hear(&mut driven, "a picture");
    driven.click("Film");
    hear(&mut driven, "a film");
    driven.order("Close all");
    driven.order("Look inside");
    for kind in PlotKind::ALL {
        driven.app.world_mut().resource_mut::<Inside>().kind = kind;
        driven.until("the plot is made", |driven| {
            let inside = driven.app.world().resource::<Inside>();
            inside.plot().is_some() && !inside.is_busy()
        });
        hear(&mut driven, &kind.to_string());
    }
    driven.order("Close all");
    driven.order("Watch the steps work");
    driven.until("it is recorded", |driven| driven.app.world().resource::<Player>().frame().is_some());
    hear(&mut driven, "the player");
    driven.order("Close all");
    driven.order("Levels of detail compared");
    hear(&mut driven, "levels");
    driven.order("Close all");
    driven.command(KeyCode::KeyP, "p");
    hear(&mut driven, "the palette");
    driven.press(&[(KeyCode::Escape, Key::Escape)]);

    driven.order("Compare with a copy");
    driven.until("there are two", |driven| driven.landscapes() == 2);
    driven.settle();
    hear(&mut driven, "side by side");
    driven.order("Swipe");
    hear(&mut driven, "swipe");
    driven.order("Difference");
    let context = driven.context();
    driven.until("both are compared", |driven| {
        driven.app.world_mut().resource_mut::<DifferenceView>().found(&context).is_some()
    });
    hear(&mut driven, "the difference");

    driven.order("Close all");
    driven.click("A new random seed");
    let window = driven.window;
    driven.app.world_mut().write_message(WindowCloseRequested { window });
    hear(&mut driven, "a question");
    driven.click("Cancel");
    driven.command(KeyCode::KeyZ, "z");
    driven.order("Mistake:");
    hear(&mut driven, "a mistake");
    driven.order("Close all");
    driven.order("Lesson: brownian");
    hear(&mut driven, "a lesson");

    assert!(nameless.is_empty(), "{} controls have no name:\n{}", nameless.len(), nameless.join("\n"));
    for drawn in [
        "Frame of the build",
        "Bars of elevation",
        "Bearing, degrees clockwise from north",
        "Drag row 1",
        "Line between left and right",
        "Map of the difference: click to go there",
        "Close the Probe panel",
    ] {
        assert!(names.contains(drawn), "{drawn} in {names:?}");
    }
}

#[test]
fn a_river_older_than_the_sea_ends_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    driven.order("Add step: River");
    driven.settle();
    let sea = |driven: &mut Driven| {
        let steps = &driven.document(0).recipe.steps;
        steps[1].operation_as::<River>().unwrap().sea
    };
    assert!(sea(&mut driven) < -11_000.0, "no ground is sea");
    assert!(!driven.says("12000"), "such depths are not shown: {:?}", driven.names());
    driven.order("Section: Water");
    driven.frames(40);
    let tick = driven.find(Role::CheckBox, "sea").center();
    driven.click_at(tick);
    driven.frames(4);
    assert!(driven.document(0).recipe.water.sea);
    assert_eq!(sea(&mut driven), 0.0);
}

#[test]
fn an_added_rule_is_drawn_unless_the_quality_is_low() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    driven.order("Section: Plants");
    driven.frames(40);
    driven.click("Add a rule");
    driven.frames(4);
    let rule = driven.document(0).recipe.scatter[0].clone();
    assert!(rule.slope.max < 90.0 && rule.elevation.max < 10_000.0, "{rule:?}");
    assert!(driven.says("doesn't draw plants and rocks"), "{:?}", driven.names());
    driven.click("Use quality medium");
    driven.frames(4);
    assert!(!driven.says("doesn't draw plants and rocks"));
}

#[test]
fn plants_that_cannot_be_drawn_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    let cause = Arc::new(Error::parameter("object", "nobody knows what it looks like"));
    let (object, error) = ("menhir".to_owned(), cause.to_string());
    driven.app.world_mut().write_message(ScatterFailed { entity: Entity::PLACEHOLDER, object, error, cause });
    driven.frames(2);
    let said = &driven.app.world().resource::<Message>().text;
    assert!(said.contains("`menhir`: object: nobody knows"), "{said}");
}

#[test]
fn enter_adds_the_step_with_the_typed_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    // Folded, so that the button below the list is on the screen.
    driven.click("Unfold Fractional Brownian motion");
    driven.frames(20);
    let add = |driven: &mut Driven, wanted: &str| {
        driven.click("Add step …");
        driven.frames(4);
        for letter in wanted.chars() {
            driven.press(&[(KeyCode::KeyA, Key::Character(letter.to_string().into()))]);
        }
        driven.press(&[(KeyCode::Enter, Key::Enter)]);
        driven.frames(4);
        let steps = &driven.document(0).recipe.steps;
        (steps.len(), steps.last().map(|step| step.name()))
    };
    // Other steps before it have this word in their names too.
    assert_eq!(add(&mut driven, "river"), (2, Some("river")));
    // No step has this name, so nothing is added.
    driven.click("Unfold River");
    driven.frames(20);
    assert_eq!(add(&mut driven, "no such step").0, 2);
}

#[test]
fn the_path_of_a_file_has_a_button_for_the_dialog() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Valley", "import(file: \"valley.asc\")")], folder.path());
    driven.frames(20);
    let [field, button] = [(Role::TextInput, "file"), (Role::Button, "Browse … for file")]
        .map(|(role, name)| driven.find(role, name));
    assert!(field.max.x < button.min.x && (field.center().y - button.center().y).abs() < 4.0);
    let [land] = driven.views()[..] else { panic!("{} views", driven.landscapes()) };
    assert!(button.max.x < land.min.x && field.width() > 100.0, "{field:?} {button:?} {land:?}");
}

#[test]
fn fold_state_and_focus_follow_a_step_moved_by_arrow_keys() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm(), gaussian(), terrace()")], folder.path());
    driven.settle();
    for name in ["Unfold Fractional Brownian motion", "Unfold Gaussian"] {
        driven.click(name);
        driven.frames(20);
    }
    // The names of steps from top to bottom, derived from the places of their rows and of the number shown.
    let seen = |driven: &mut Driven| {
        let place = |name: &str, driven: &mut Driven| driven.find(Role::Button, name).center().y;
        let sigma = driven.find(Role::Slider, "sigma").center().y;
        let [fbm, gaussian, terraces] = ["Fractional Brownian motion", "Gaussian", "Terraces"]
            .map(|name| place(&format!("Unfold {name}"), driven));
        assert!(!driven.has(Role::Slider, "octaves"));
        let next = [fbm, terraces].into_iter().filter(|other| *other > gaussian).fold(f32::MAX, f32::min);
        assert!(gaussian < sigma && sigma < next, "{gaussian}, {sigma}, {next}");
        let order: Vec<&str> = driven.document(0).recipe.steps.iter().map(|step| step.name()).collect();
        order.join(" ")
    };
    assert_eq!(seen(&mut driven), "fbm gaussian terrace");
    let focused = |driven: &mut Driven| {
        let update = driven.tree();
        let node = update.nodes.iter().find(|(id, _)| *id == update.focus);
        node.and_then(|(_, node)| node.label()).unwrap_or_default().to_owned()
    };
    for _ in 0..100 {
        if focused(&mut driven) != "Drag row 2" {
            driven.press(&[(KeyCode::Tab, Key::Tab)]);
        }
    }
    assert_eq!(focused(&mut driven), "Drag row 2");
    let arrow = |driven: &mut Driven, code: KeyCode, key: Key| {
        driven.press(&[(code, key)]);
        driven.frames(4);
    };
    arrow(&mut driven, KeyCode::ArrowDown, Key::ArrowDown);
    assert_eq!(seen(&mut driven), "fbm terrace gaussian");
    assert_eq!(focused(&mut driven), "Drag row 3");
    arrow(&mut driven, KeyCode::ArrowUp, Key::ArrowUp);
    arrow(&mut driven, KeyCode::ArrowUp, Key::ArrowUp);
    assert_eq!(seen(&mut driven), "gaussian fbm terrace");
    let moved = driven.document(0).history().0.into_iter().filter(|label| *label == "moved Gaussian");
    assert_eq!(moved.count(), 3);
    driven.command(KeyCode::KeyZ, "z");
    driven.frames(4);
    assert_eq!(seen(&mut driven), "fbm gaussian terrace");
}

#[test]
fn the_line_of_a_midpoint_displacement_can_be_saved() {
    let folder = tempfile::tempdir().unwrap();
    // Also while later steps change the land.
    let mut driven = Driven::open(vec![land("Ridges", "midpoint(levels: 4), gaussian()")], folder.path());
    driven.settle();
    assert!(!driven.has(Role::Button, "CSV"));
    driven.order("Watch the steps work");
    driven.until("it is recorded", |driven| driven.app.world().resource::<Player>().frame().is_some());
    for _ in 0..2 {
        driven.frames(2);
        assert!(driven.has(Role::Button, "CSV") && driven.has(Role::Button, "SVG"));
        driven.press(&[(KeyCode::End, Key::End)]);
    }
}

#[test]
fn the_map_shows_both_sides_of_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Faults", "fault(faults: 3, lines: points)")], folder.path());
    driven.settle();
    driven.order("Watch the steps work");
    driven.until("it is recorded", |driven| driven.app.world().resource::<Player>().frame().is_some());
    driven.frames(4);
    let says = |driven: &mut Driven, verb: &str| {
        driven.names().iter().any(|name| name.contains(verb) && name.contains("% of the land by"))
    };
    assert!(says(&mut driven, "raises") && says(&mut driven, "lowers"), "{:?}", driven.names());
    const MAP: &str = "Map of what the frame changes";
    let (map, controls) = (driven.find(Role::Image, MAP), driven.find(Role::CheckBox, "show changes"));
    assert!((map.width() - map.height()).abs() < 1.5 && map.min.x > controls.max.x, "{map:?} {controls:?}");
    driven.click_at(controls.center());
    driven.frames(2);
    assert!(!driven.has(Role::Image, MAP) && !says(&mut driven, "raises"));
}

#[test]
fn tab_moves_the_focus_and_another_key_hides_the_panels() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    let focused = |driven: &mut Driven| driven.context().memory(|memory| memory.focused());
    assert!(focused(&mut driven).is_none());
    let tab = [(KeyCode::Tab, Key::Tab)];
    driven.press(&tab);
    let first = focused(&mut driven);
    assert!(first.is_some() && driven.has(Role::Button, "Gallery"), "the panels are still there");
    driven.press(&tab);
    assert_ne!(focused(&mut driven), first);
    driven.press(&[(KeyCode::F9, Key::F9)]);
    driven.frames(3);
    assert!(!driven.has(Role::Button, "Gallery"), "also while a control has the focus");
    driven.press(&[(KeyCode::F9, Key::F9)]);
    driven.frames(3);
    assert!(driven.has(Role::Button, "Gallery"));

    // Esc takes the focus from a control, and only closes the player if none has it.
    driven.order("Watch the steps work");
    let escape = [(KeyCode::Escape, Key::Escape)];
    let is_watched = |driven: &Driven| driven.app.world().resource::<Player>().open;
    driven.press(&tab);
    driven.press(&escape);
    assert!(focused(&mut driven).is_none() && is_watched(&driven));
    driven.press(&escape);
    assert!(!is_watched(&driven));
}

#[test]
fn the_palette_adds_bookmarks_and_records_flights() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    driven.order("Bookmark this place");
    driven.order("Bookmark this place");
    assert_eq!(driven.document(0).recipe.bookmarks.len(), 2);
    driven.order("Record a flight");
    driven.frames(200);
    driven.order("Record a flight");
    assert_eq!(driven.document(0).recipe.flights.len(), 1);
    driven.order("Shelf of the gallery: Neighbours");
    assert!(driven.has(Role::Button, "More"));
    let recipe = driven.document(0).recipe.clone();
    driven.until("the land was changed at random", |driven| {
        driven.click("Randomise");
        driven.document(0).recipe != recipe
    });
    assert_eq!(driven.document(0).recipe.steps[0].name(), "fbm");
    let radius = |driven: &Driven| driven.app.world().resource::<Sculpting>().radius;
    let before = radius(&driven);
    driven.order("Wider brush");
    assert!(radius(&driven) > before);
}

#[test]
fn both_of_two_flights_with_the_same_name_can_be_filmed() {
    let folder = tempfile::tempdir().unwrap();
    let mut recipe = land("Hills", "fbm()");
    let flight = |after: f32| {
        let place = |x: f32| Waypoint { after, from: (x, 900.0, 0.0), look: (x, 0.0, -500.0) };
        Flight { name: "Twice".into(), waypoints: vec![place(0.0), place(500.0)] }
    };
    recipe.flights = vec![flight(3.0), flight(5.0)];
    let mut driven = Driven::open(vec![recipe], folder.path());
    driven.settle();
    driven.order("Picture or film");
    driven.frames(4);
    driven.click("Film");
    driven.frames(4);
    let lasts = |driven: &mut Driven, seconds: &str| driven.has(Role::Label, seconds);
    assert!(lasts(&mut driven, "3 s, ") && !lasts(&mut driven, "5 s, "), "{:?}", driven.names());
    let of = driven.controls().into_iter().find(|(role, name, _)| *role == Role::ComboBox && name == "of");
    driven.click_at(of.expect("the list of flights").2.center());
    driven.frames(4);
    let second = driven.named("Twice (2)").unwrap_or_else(|| panic!("{:?}", driven.names())).center();
    driven.click_at(second);
    driven.frames(4);
    assert!(lasts(&mut driven, "5 s, ") && !lasts(&mut driven, "3 s, "), "{:?}", driven.names());
}
