//! Which actions are refused now, and why. Buttons, the palette and keys all ask here.

use super::Action;
use crate::recipe::Recipe;
use crate::viewer::document::Document;
use crate::viewer::files::confirm::no_place;
use crate::viewer::session::{DocumentRequest, Tab};
use crate::viewer::tools::point_editor::has_points;

const ONE_BOOKMARK: &str = "A tour needs two bookmarks; keep another place with “Bookmark this place”";
const ONE_WAYPOINT: &str = "A flight needs two places";
const ONE_LANDSCAPE: &str = "This needs two landscapes; open another next to this one";
const NO_POINTS: &str = "No step has points to draw; add a river, a road or a hole first";
const NOTHING_TO_UNDO: &str = "There is nothing to undo";
const NOTHING_TO_REDO: &str = "There is nothing to redo";

/// The state that decides whether an action is possible.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowState {
    /// How many landscapes are open.
    pub landscapes: usize,
    /// Why no other can be opened next to them.
    pub no_place: Option<String>,
    /// Why the edited land must not be changed: a lesson holds it.
    pub held: Option<&'static str>,
    /// Why it cannot have another step.
    pub no_room: Option<String>,
    /// Why no other flight can be recorded.
    pub no_flight: Option<String>,
    /// Whether one of its steps has points.
    pub has_points: bool,
    /// How many bookmarks it has.
    pub bookmarks: usize,
    /// How many places each of its flights has.
    pub flights: Vec<usize>,
    pub can_undo: bool,
    pub can_redo: bool,
    /// Whether points are being drawn on the land.
    pub is_drawing: bool,
    pub is_on_tour: bool,
    pub is_recording: bool,
}

impl WindowState {
    /// The state of a window with this many landscapes, in which this one is edited.
    pub fn of(edited: Option<&Document>, landscapes: usize) -> Self {
        let state = Self { landscapes, no_place: no_place(landscapes), ..Self::default() };
        let Some(document) = edited else { return state };
        let recipe = &document.recipe;
        let most = Recipe::MOST_FLIGHTS;
        let no_flight = (recipe.flights.len() >= most).then(|| {
            format!("There are {most} flights, the most that a recipe can have; remove one to record another")
        });
        Self {
            held: document.held_by_lesson(),
            no_room: recipe.check_room(1).err().map(|error| error.to_string()),
            no_flight,
            has_points: recipe.steps.iter().any(has_points),
            bookmarks: recipe.bookmarks.len(),
            flights: recipe.flights.iter().map(|flight| flight.waypoints.len()).collect(),
            can_undo: document.can_undo(),
            can_redo: document.can_redo(),
            ..state
        }
    }
}

/// Whether an action changes the edited land. Undo and redo do not count, because they only go between
/// earlier states.
fn changes_land(action: &Action) -> bool {
    use Action::{
        AddStep, Become, Bookmark, DrawOnLand, Hour, KeepView, MoveWaypoint, NewSeed, Paste, Record, Season,
        Weather,
    };
    matches!(
        action,
        NewSeed
            | Become(_)
            | AddStep(_)
            | Paste(_)
            | DrawOnLand
            | Hour(_)
            | Weather(_)
            | Season(_)
            | KeepView
            | Bookmark
            | Record
            | MoveWaypoint(_)
    )
}

/// Why an action is not possible now; `None` if it is.
pub(crate) fn refused<'a>(action: &Action, now: &'a WindowState) -> Option<&'a str> {
    if let Some(reason) = now.held.filter(|_| changes_land(action)) {
        return Some(reason);
    }
    let unless = |is_possible: bool, reason: &'static str| (!is_possible).then_some(reason);
    match action {
        Action::Copy
        | Action::OtherSeed
        | Action::Document(DocumentRequest::Beside(_) | DocumentRequest::Copy { .. }) => {
            now.no_place.as_deref()
        }
        Action::Panel(Tab::Difference | Tab::Likeness, to) => {
            unless(now.landscapes > 1 || !to.of(false), ONE_LANDSCAPE)
        }
        Action::AddStep(_) => now.no_room.as_deref(),
        Action::Undo => unless(now.can_undo, NOTHING_TO_UNDO),
        Action::Redo => unless(now.can_redo, NOTHING_TO_REDO),
        Action::DrawOnLand => unless(now.has_points || now.is_drawing, NO_POINTS),
        Action::Tour => unless(now.bookmarks > 1 || now.is_on_tour, ONE_BOOKMARK),
        Action::Record if !now.is_recording => now.no_flight.as_deref(),
        Action::Fly(index) => unless(now.flights.get(*index).is_none_or(|places| *places > 1), ONE_WAYPOINT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Hour, Switch};
    use super::*;
    use crate::recipe::{Bookmark, Flight, Step, Waypoint};
    use crate::viewer::session::MAX_LANDSCAPES;

    fn refused_with(action: &Action, recipe: &Recipe, landscapes: usize) -> String {
        let document = Document::new(recipe.clone(), None);
        let state = WindowState::of(Some(&document), landscapes);
        refused(action, &state).unwrap_or_default().to_owned()
    }

    #[test]
    fn what_is_not_possible_is_refused_until_it_is() {
        let bare = Recipe::new("Land", (9, 9), 10.0);
        let mut full = bare.clone();
        full.bookmarks = vec![Bookmark::default(); 2];
        full.flights = vec![Flight { waypoints: vec![Waypoint::default(); 2], ..Flight::default() }];
        full.steps = vec![Step::from_name("river").unwrap()];
        let mut short = bare.clone();
        short.flights = vec![Flight::default()];
        for (action, recipe, reason) in [
            (Action::Tour, &bare, ONE_BOOKMARK),
            (Action::DrawOnLand, &bare, NO_POINTS),
            (Action::Undo, &bare, NOTHING_TO_UNDO),
            (Action::Redo, &bare, NOTHING_TO_REDO),
            (Action::Fly(0), &short, ONE_WAYPOINT),
        ] {
            assert_eq!(refused_with(&action, recipe, 1), reason, "{action:?}");
        }
        for action in [Action::Tour, Action::DrawOnLand, Action::Fly(0), Action::Record] {
            assert_eq!(refused_with(&action, &full, 1), "", "{action:?}");
        }
        full.flights = vec![Flight::default(); Recipe::MOST_FLIGHTS];
        assert!(refused_with(&Action::Record, &full, 1).contains("50 flights"));
        full.steps = vec![Step::from_name("invert").unwrap(); 1000];
        let step = Box::new(Step::from_name("invert").unwrap());
        assert!(refused_with(&Action::AddStep(step), &full, 1).contains("at most 1000"));
    }

    #[test]
    fn the_number_of_landscapes_limits_what_opens_beside_them() {
        let recipe = Recipe::new("Land", (9, 9), 10.0);
        let beside = Action::Document(DocumentRequest::Beside(Box::new(recipe.clone())));
        for action in [Action::Copy, Action::OtherSeed, beside] {
            assert_eq!(refused_with(&action, &recipe, MAX_LANDSCAPES - 1), "");
            assert_ne!(refused_with(&action, &recipe, MAX_LANDSCAPES), "");
        }
        for tab in [Tab::Difference, Tab::Likeness] {
            let alone = |to| refused_with(&Action::Panel(tab, to), &recipe, 1);
            assert_eq!([Switch::On, Switch::Off].map(alone), [ONE_LANDSCAPE, ""]);
            assert_eq!(refused_with(&Action::Panel(tab, Switch::On), &recipe, 2), "");
        }
    }

    #[test]
    fn a_lesson_holds_its_land() {
        let recipe = Recipe::new("Land", (9, 9), 10.0);
        let state = WindowState::of(Some(&Document::of_lesson(recipe.clone())), 1);
        for action in [Action::NewSeed, Action::Hour(Hour::Noon), Action::Become(Box::new(recipe.clone()))] {
            assert!(refused(&action, &state).is_some_and(|reason| Some(reason) == state.held), "{action:?}");
        }
        assert_eq!(refused(&Action::Save, &state), None);
        let free = WindowState::of(Some(&Document::new(recipe, None)), 1);
        assert_eq!(refused(&Action::NewSeed, &free), None);
    }
}
