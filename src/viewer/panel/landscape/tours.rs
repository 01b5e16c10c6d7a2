//! Bookmarks, recorded flights, and tours along them.

use std::collections::HashSet;

use bevy_egui::egui::{self, RichText};

use crate::error::Result;
use crate::params;
use crate::recipe::{Bookmark, Flight, Waypoint};
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::Document;
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The maximum number of letters of a name.
const LETTERS: usize = 80;

/// Height of a flight's list of waypoints beyond which it scrolls, logical pixels.
const LIST: f32 = 170.0;

/// The pilot's present activity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flown {
    /// Whether a tour or a flight is in progress.
    pub on_tour: bool,
    /// The length of the recording in seconds; `None` if no flight is being recorded.
    pub recorded: Option<f32>,
}

/// The list of bookmarks.
pub(crate) fn bookmarks(ui: &mut egui::Ui, all: &mut Vec<Bookmark>, flown: Flown, actions: &mut ActionQueue) {
    let mut removed = None;
    for (index, place) in all.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            if style::sign(ui.button("➡"), "Go there").clicked() {
                actions.send(Action::Visit(index));
            }
            let field = egui::TextEdit::singleline(&mut place.name).desired_width(200.0);
            style::called(ui.add(field.char_limit(LETTERS)), &format!("Name of bookmark {}", index + 1));
            if style::sign(ui.small_button("✖"), "Remove this bookmark").clicked() {
                removed = Some(index);
            }
        });
    }
    if let Some(index) = removed {
        all.remove(index);
    }
    ui.horizontal(|ui| {
        let tip = "Keep the present view as a bookmark; it is saved with the recipe";
        actions.button(ui, "Bookmark", tip, Action::Bookmark);
        let text = if flown.on_tour { "Stop the tour" } else { "Tour" };
        let tip = "Fly from bookmark to bookmark; any flying key stops the tour";
        actions.button(ui, text, tip, Action::Tour);
    });
}

/// The list of recorded flights, which can be flown again and whose waypoints can be edited.
pub(crate) fn flights(ui: &mut egui::Ui, all: &mut Vec<Flight>, flown: Flown, actions: &mut ActionQueue) {
    let mut removed = None;
    for (index, flight) in all.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            let play = actions.button(ui, "▶", "", Action::Fly(index));
            style::sign(play, "Fly it again; any flying key stops it");
            let field = egui::TextEdit::singleline(&mut flight.name).desired_width(200.0);
            style::called(ui.add(field.char_limit(LETTERS)), &format!("Name of flight {}", index + 1));
            if style::sign(ui.small_button("✖"), "Remove this flight").clicked() {
                removed = Some(index);
            }
        });
        let seconds: f32 = flight.waypoints.iter().skip(1).map(|waypoint| waypoint.after).sum();
        let title = format!("{} waypoints, {seconds:.0} s", flight.waypoints.len());
        let title = RichText::new(title).color(style::quiet(ui));
        egui::CollapsingHeader::new(title).id_salt(("flight", index)).show_unindented(ui, |ui| {
            waypoints(ui, index, flight, actions);
        });
    }
    if let Some(index) = removed {
        all.remove(index);
    }
    let (text, tip) = match flown.recorded {
        Some(seconds) => {
            (format!("⏹ End the flight ({seconds:.0} s)"), "Keep the recorded flight in the recipe")
        }
        None => {
            ("⏺ Record a flight".to_owned(), "Record your flight from now on; it can be filmed and edited")
        }
    };
    actions.button(ui, text, tip, Action::Record);
}

fn waypoints(ui: &mut egui::Ui, index: usize, flight: &mut Flight, actions: &mut ActionQueue) {
    let (mut removed, mut split) = (None, None);
    let row = ui.spacing().interact_size.y;
    let area =
        egui::ScrollArea::vertical().id_salt(("waypoints", index)).max_height(LIST).min_scrolled_height(LIST);
    let count = flight.waypoints.len();
    area.auto_shrink([false, true]).show_rows(ui, row, count, |ui, rows| {
        for (number, waypoint) in rows.clone().zip(&mut flight.waypoints[rows]) {
            ui.horizontal(|ui| {
                if style::sign(ui.small_button("➡"), "Go there").clicked() {
                    actions.send(Action::GoTo(waypoint.from.into(), waypoint.look.into()));
                }
                let here = egui::Button::new("here").small();
                let tip = "Move it to where you are now";
                actions.add(ui, here, tip, Action::MoveWaypoint([index, number]));
                if number > 0 {
                    let after = egui::DragValue::new(&mut waypoint.after);
                    let after = after.range(0.05..=600.0).speed(0.02).suffix(" s").max_decimals(2);
                    let tip = "Seconds since the previous waypoint";
                    style::called(ui.add(after).tip(tip), tip);
                } else {
                    ui.label("start");
                }
                let may_grow = count < Flight::MOST_WAYPOINTS && number + 1 < count;
                let add = ui.add_enabled(may_grow, egui::Button::new("➕").small());
                if style::sign(add, "Insert a waypoint halfway to the next").clicked() {
                    split = Some(number);
                }
                if style::sign(ui.small_button("✖"), "Remove this waypoint").clicked() {
                    removed = Some(number);
                }
            });
        }
    });
    if let Some(number) = split {
        divide(&mut flight.waypoints, number);
    }
    if let Some(number) = removed {
        flight.waypoints.remove(number);
    }
}

/// Inserts a waypoint halfway to the next, also in time.
fn divide(waypoints: &mut Vec<Waypoint>, number: usize) {
    let Some([before, next]) = waypoints.get_mut(number..number + 2) else { return };
    let middle =
        |a: (f32, f32, f32), b: (f32, f32, f32)| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0, (a.2 + b.2) / 2.0);
    next.after = (next.after / 2.0).max(0.05);
    let added = Waypoint {
        after: next.after,
        from: middle(before.from, next.from),
        look: middle(before.look, next.look),
    };
    waypoints.insert(number + 1, added);
}

/// Keeps the present view as a bookmark of the recipe. Only that is checked here and below: what else is in
/// the recipe may be half typed.
///
/// # Errors
/// When the recipe has no room for it.
pub(crate) fn keep_bookmark(document: &mut Document, pilot: &Pilot) -> Result<()> {
    let (from, look) = pilot.sight();
    let recipe = &mut document.recipe;
    let name = free_name("Place", recipe.bookmarks.iter().map(|place| &*place.name));
    recipe.add_bookmark(Bookmark { name, from: from.into(), look: look.into() })
}

/// Begins to record a flight, or ends it and keeps it in the recipe.
///
/// # Errors
/// When the recipe has no room for it. The recording goes on: the flight can be kept once the reason is gone.
pub(crate) fn record(document: &mut Document, pilot: &mut Pilot) -> Result<()> {
    let recipe = &mut document.recipe;
    if pilot.recorded().is_none() {
        pilot.begin_recording();
        return Ok(());
    }
    let name = free_name("Flight", recipe.flights.iter().map(|flight| &*flight.name));
    recipe.add_flight(Flight { name, waypoints: pilot.flight_until_now() })?;
    pilot.end_recording();
    Ok(())
}

/// Moves a waypoint to where the eye is: the indices of its flight and of itself.
///
/// # Errors
/// When the eye is where no waypoint may be.
pub(crate) fn move_waypoint(
    document: &mut Document,
    pilot: &Pilot,
    [flight, place]: [usize; 2],
) -> Result<()> {
    let (from, look) = pilot.sight();
    let flights = &mut document.recipe.flights;
    if let Some(waypoint) = flights.get_mut(flight).and_then(|of| of.waypoints.get_mut(place)) {
        let moved = Waypoint { from: from.into(), look: look.into(), ..waypoint.clone() };
        params::check(&moved, &format!("flights.{flight}.waypoints.{place}"))?;
        *waypoint = moved;
    }
    Ok(())
}

/// The word with the first number that makes an unused name.
fn free_name<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let taken: HashSet<&str> = names.collect();
    let mut names = (1..=taken.len() + 1).map(|number| format!("{word} {number}"));
    names.find(|name| !taken.contains(&**name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::scatter::Rule;
    use crate::viewer::actions::{WindowState, refused};

    #[test]
    fn a_waypoint_is_inserted_halfway_and_the_time_stays() {
        let at = |x: f32| Waypoint { after: 4.0, from: (x, 0.0, 2.0 * x), look: (0.0, x, 0.0) };
        let mut waypoints = vec![at(0.0), at(10.0), at(20.0)];
        divide(&mut waypoints, 0);
        assert_eq!(waypoints.len(), 4);
        assert_eq!(waypoints[1], Waypoint { after: 2.0, from: (5.0, 0.0, 10.0), look: (0.0, 5.0, 0.0) });
        assert_eq!(waypoints.iter().skip(1).map(|waypoint| waypoint.after).sum::<f32>(), 8.0);
        divide(&mut waypoints, 3);
        assert_eq!(waypoints.len(), 4, "none is inserted after the last");
    }

    #[test]
    fn bookmarks_and_flights_are_kept_despite_invalid_values_elsewhere() {
        let mut document = Document::new(Recipe::new("Land", (9, 9), 10.0), None);
        document.recipe.scatter.push(Rule::new("", 100.0, 4.0));
        assert!(document.recipe.check().is_err(), "an object has a name");
        let mut pilot = Pilot::default();
        keep_bookmark(&mut document, &pilot).unwrap();
        record(&mut document, &mut pilot).unwrap();
        assert!(pilot.recorded().is_some());
        record(&mut document, &mut pilot).unwrap();
        assert!(pilot.recorded().is_none());
        assert_eq!((document.recipe.bookmarks.len(), document.recipe.flights.len()), (1, 1));

        // One of its waypoints is moved to the camera.
        let at = Waypoint { after: 1.0, from: (0.0, 0.0, 0.0), look: (9.0, 0.0, 0.0) };
        document.recipe.flights[0].waypoints = vec![at; 2];
        move_waypoint(&mut document, &pilot, [0, 1]).unwrap();
        assert_eq!(document.recipe.flights[0].waypoints[1].from, pilot.sight().0.into());
    }

    #[test]
    fn a_flight_needs_room_in_the_recipe_to_be_recorded_and_kept() {
        let mut document = Document::new(Recipe::new("Land", (9, 9), 10.0), None);
        let mut pilot = Pilot::default();
        document.recipe.flights = vec![Flight::default(); Recipe::MOST_FLIGHTS];
        let state = WindowState::of(Some(&document), 1);
        let reason = refused(&Action::Record, &state).unwrap_or_default();
        assert!(reason.contains("There are 50 flights, the most"), "{reason}");

        document.recipe.flights.pop();
        assert_eq!(refused(&Action::Record, &WindowState::of(Some(&document), 1)), None);
        record(&mut document, &mut pilot).unwrap();
        document.recipe.flights.push(Flight::default());
        let reason = record(&mut document, &mut pilot).unwrap_err().to_string();
        assert!(reason.contains("there are 50") && pilot.recorded().is_some(), "{reason}");
        document.recipe.flights.pop();
        record(&mut document, &mut pilot).unwrap();
        assert_eq!((document.recipe.flights.len(), pilot.recorded()), (Recipe::MOST_FLIGHTS, None));

        document.recipe.bookmarks = vec![Bookmark::default(); Recipe::MOST_BOOKMARKS];
        let reason = keep_bookmark(&mut document, &pilot).unwrap_err().to_string();
        assert!(reason.contains("there are 200") && document.recipe.bookmarks.len() == 200, "{reason}");
    }

    #[test]
    fn new_bookmarks_and_flights_have_unused_names() {
        let mut document = Document::new(Recipe::new("Land", (9, 9), 10.0), None);
        let mut pilot = Pilot::default();
        let keep = |document: &mut Document, pilot: &mut Pilot| {
            keep_bookmark(document, pilot).unwrap();
            for _ in 0..2 {
                record(document, pilot).unwrap();
            }
        };
        let names = |document: &Document| {
            let places = document.recipe.bookmarks.iter().map(|place| place.name.clone());
            places.chain(document.recipe.flights.iter().map(|flight| flight.name.clone())).collect::<Vec<_>>()
        };
        (0..2).for_each(|_| keep(&mut document, &mut pilot));
        assert_eq!(names(&document), ["Place 1", "Place 2", "Flight 1", "Flight 2"]);
        document.recipe.bookmarks.remove(0);
        document.recipe.flights.remove(0);
        keep(&mut document, &mut pilot);
        assert_eq!(names(&document), ["Place 2", "Place 1", "Flight 2", "Flight 1"]);
        keep(&mut document, &mut pilot);
        assert_eq!(names(&document), ["Place 2", "Place 1", "Place 3", "Flight 2", "Flight 1", "Flight 3"]);
    }
}
