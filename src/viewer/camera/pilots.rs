//! A pilot for each view that is not linked with the others. The pilot that mouse and keys control is the
//! resource [`Pilot`]; the others wait here.

use std::collections::HashMap;

use bevy::prelude::*;

use super::pilot::Pilot;
use crate::viewer::document::links::Links;
use crate::viewer::session::Selection;

/// The view that a pilot belongs to: all linked views, or that of a single document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Seat {
    #[default]
    Linked,
    Own(Entity),
}

/// Pilots that mouse and keys don't control at present.
#[derive(Resource, Default)]
pub(crate) struct Pilots {
    /// The view whose pilot is the resource [`Pilot`].
    at: Seat,
    waiting: HashMap<Seat, Pilot>,
}

impl Pilots {
    /// The pilot of a document's view, if the resource [`Pilot`] belongs to another view.
    pub fn waiting(&self, document: Entity, links: &Links) -> Option<&Pilot> {
        let seat = if links.camera { Seat::Linked } else { Seat::Own(document) };
        (seat != self.at).then(|| self.waiting.get(&seat)).flatten()
    }
}

/// Gives control to the pilot of the edited document.
pub(crate) fn change_seats(
    mut pilots: ResMut<Pilots>,
    mut pilot: ResMut<Pilot>,
    selection: Res<Selection>,
    documents: Query<(Entity, &Links)>,
) {
    let pilots = pilots.bypass_change_detection();
    let is_own = |seat: &Seat| match seat {
        Seat::Linked => true,
        Seat::Own(document) => documents.get(*document).is_ok_and(|(.., links)| !links.camera),
    };
    // A view that is unlinked stays where it is. One that is linked again moves to the others, and its
    // recording continues there.
    let comes_back = |seat: &Seat| match seat {
        Seat::Linked => false,
        Seat::Own(document) => documents.get(*document).is_ok_and(|(.., links)| links.camera),
    };
    let mut now = pilot.clone();
    let mut back: Vec<Pilot> =
        pilots.waiting.extract_if(|seat, _| comes_back(seat)).map(|(_, pilot)| pilot).collect();
    pilots.waiting.retain(|seat, _| is_own(seat));
    for (document, ..) in documents.iter().filter(|(.., links)| !links.camera) {
        let seat = Seat::Own(document);
        if seat != pilots.at {
            let from = pilots.waiting.get(&Seat::Linked).unwrap_or(&now).for_another_view();
            pilots.waiting.entry(seat).or_insert(from);
        }
    }
    let wanted = selection.edited().map_or(Seat::Linked, Seat::Own);
    let wanted = if is_own(&wanted) { wanted } else { Seat::Linked };
    if wanted != pilots.at {
        let before = std::mem::replace(&mut pilots.at, wanted);
        let next = pilots.waiting.remove(&wanted);
        if let Some(mut next) = next {
            next.take_mouse(&mut now);
            *pilot = next;
        }
        if comes_back(&before) {
            back.push(now);
        } else if is_own(&before) {
            pilots.waiting.insert(before, now);
        }
    }
    let linked = match pilots.at {
        Seat::Linked => Some(pilot.bypass_change_detection()),
        Seat::Own(_) => pilots.waiting.get_mut(&Seat::Linked),
    };
    if let Some(linked) = linked {
        back.into_iter().for_each(|pilot| linked.take_recording(pilot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Flight, Tour, Waypoint};
    use bevy::math::DVec3;

    /// Two views whose cameras are linked; the first is edited.
    fn two_views() -> (App, [Entity; 2]) {
        let mut app = App::new();
        app.init_resource::<Pilots>().init_resource::<Pilot>().add_systems(Update, change_seats);
        let views: [Entity; 2] = std::array::from_fn(|_| app.world_mut().spawn(Links::default()).id());
        app.insert_resource(Selection::editing(views[0]));
        (app, views)
    }

    #[test]
    fn recordings_and_tours_stay_with_their_pilot() {
        let (mut app, views) = two_views();
        let waypoint = |x: f32| Waypoint { after: 9.0, from: (x, 0.0, 0.0), look: (x, 0.0, -9.0) };
        let flight = Flight { name: "Low".into(), waypoints: vec![waypoint(0.0), waypoint(90.0)] };
        let mut pilot = app.world_mut().resource_mut::<Pilot>();
        pilot.begin_recording();
        pilot.tour(Tour::along(&flight));
        let does = |app: &mut App| {
            app.update();
            let pilot = app.world().resource::<Pilot>();
            (pilot.recorded().is_some(), pilot.is_on_tour())
        };
        assert_eq!(does(&mut app), (true, true));
        app.world_mut().get_mut::<Links>(views[1]).unwrap().camera = false;
        assert_eq!(does(&mut app), (true, true));
        app.insert_resource(Selection::editing(views[1]));
        assert_eq!(does(&mut app), (false, false), "this view neither records nor flies");
        app.insert_resource(Selection::editing(views[0]));
        assert_eq!(does(&mut app), (true, true));
    }

    #[test]
    fn a_recording_continues_when_its_view_is_linked_again() {
        for edited in [0, 1] {
            let (mut app, views) = two_views();
            let link = |app: &mut App, is_linked: bool| {
                app.world_mut().get_mut::<Links>(views[1]).unwrap().camera = is_linked;
                app.update();
            };
            let edit = |app: &mut App, number: usize| {
                app.insert_resource(Selection::editing(views[number]));
                app.update();
            };
            let recorded = |app: &App| app.world().resource::<Pilot>().recorded().is_some();
            link(&mut app, false);
            edit(&mut app, 1);
            app.world_mut().resource_mut::<Pilot>().begin_recording();
            edit(&mut app, edited);
            assert_eq!(recorded(&app), edited == 1);
            link(&mut app, true);
            assert!(recorded(&app), "independent of the edited view: {edited}");
            app.update();
            assert!(recorded(&app));
            // A recording of land that is closed ends with it.
            app.world_mut().resource_mut::<Pilot>().end_recording();
            link(&mut app, false);
            edit(&mut app, 1);
            app.world_mut().resource_mut::<Pilot>().begin_recording();
            app.world_mut().despawn(views[1]);
            edit(&mut app, 0);
            assert!(!recorded(&app));
        }
    }

    #[test]
    fn an_unlinked_view_stays_where_it_is_while_the_others_move() {
        let (mut app, views) = two_views();
        let at = |app: &App, number: usize| {
            let links = app.world().get::<Links>(views[number]).unwrap();
            let waiting = app.world().resource::<Pilots>().waiting(views[number], links);
            waiting.unwrap_or(app.world().resource::<Pilot>()).place.x
        };
        let fly = |app: &mut App, x: f64| {
            app.update();
            app.world_mut().resource_mut::<Pilot>().place = DVec3::X * x;
        };
        fly(&mut app, 1.0);
        assert_eq!([at(&app, 0), at(&app, 1)], [1.0, 1.0]);
        app.world_mut().get_mut::<Links>(views[1]).unwrap().camera = false;
        fly(&mut app, 2.0);
        assert_eq!([at(&app, 0), at(&app, 1)], [2.0, 1.0]);
        app.insert_resource(Selection::editing(views[1]));
        fly(&mut app, 3.0);
        assert_eq!([at(&app, 0), at(&app, 1)], [2.0, 3.0]);
        app.insert_resource(Selection::editing(views[0]));
        fly(&mut app, 4.0);
        assert_eq!([at(&app, 0), at(&app, 1)], [4.0, 3.0]);
        app.insert_resource(Selection::editing(views[1]));
        app.update();
        app.world_mut().get_mut::<Links>(views[1]).unwrap().camera = true;
        app.update();
        assert_eq!([at(&app, 0), at(&app, 1)], [4.0, 4.0], "it moves to the others");
    }
}
