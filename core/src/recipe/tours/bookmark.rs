//! Bookmarks: places of a land that are worth seeing; flights, as they were recorded; and tours along either.

use glam::Vec3;

use crate::params::{in_recipes, params};
use crate::recipe::limits::{self, PLACES};

/// The most bookmarks of a recipe.
pub(in crate::recipe) const MOST_BOOKMARKS: usize = 200;

/// The most flights of a recipe, and the most waypoints of a flight.
pub(in crate::recipe) const MOST_FLIGHTS: usize = 50;
const MOST_WAYPOINTS: usize = 2000;

/// Seconds from one bookmark to the next on a tour.
const LEG: f32 = 7.0;

params! {
    /// A place that is worth seeing, in metres: x east and z south of the centre of the land, y up.
    pub struct Bookmark {
        /// What it is called.
        pub name: String = String::new(), required;
        /// Position of the eye.
        pub from: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
        /// The point in the centre of the picture.
        pub look: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
    }
}

in_recipes!(Bookmark);

params! {
    /// A place on a flight.
    pub struct Waypoint {
        /// Seconds since the one before; of no meaning for the first.
        pub after: f32 = 1.0, "s" in 0.05..=600.0, required;
        /// Position of the eye, metres: x east and z south of the centre of the land, y up.
        pub from: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
        /// The point in the centre of the picture.
        pub look: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in limits::from(&PLACES), required;
    }
}

in_recipes!(Waypoint);

params! {
    /// A flight, as it was recorded or written down.
    pub struct Flight {
        /// What it is called.
        pub name: String = String::new(), required;
        /// The places that it goes through, in order.
        pub waypoints: Vec<Waypoint> = Vec::new(), "waypoints" in 0.0..=MOST_WAYPOINTS as f64, required;
    }
}

in_recipes!(Flight);

impl Flight {
    /// The most waypoints of a flight.
    pub const MOST_WAYPOINTS: usize = MOST_WAYPOINTS;
}

/// A flight through places, in order, without a halt and without a kink.
#[derive(Clone, Debug, PartialEq)]
pub struct Tour {
    /// Seconds since it began, positions of the eye, and points that are looked at: times rise. In 64 bits,
    /// because adding a twentieth of a second to twelve days changes nothing in 32.
    sights: Vec<(f64, Vec3, Vec3)>,
}

impl Tour {
    /// A tour of these places; `None` of fewer than two.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Bookmark, Tour};
    ///
    /// let place = |x: f32| Bookmark { name: x.to_string(), from: (x, 900.0, 0.0), look: (x, 0.0, -500.0) };
    /// let tour = Tour::of(&[place(0.0), place(1000.0), place(4000.0)]).unwrap();
    /// let (from, _) = tour.sight(0.5 * tour.seconds());
    /// assert_eq!(from, [1000.0, 900.0, 0.0], "in the middle of the time at the second of three");
    /// ```
    pub fn of(places: &[Bookmark]) -> Option<Self> {
        let sight = |(index, place): (usize, &Bookmark)| {
            (f64::from(LEG) * index as f64, Vec3::from(place.from), Vec3::from(place.look))
        };
        (places.len() > 1).then(|| Self { sights: places.iter().enumerate().map(sight).collect() })
    }

    /// A flight, as it was recorded; `None` of fewer than two waypoints.
    pub fn along(flight: &Flight) -> Option<Self> {
        let mut time = 0.0;
        let sight = |(index, waypoint): (usize, &Waypoint)| {
            // What a program has set to nothing, or to no number, takes a little time.
            let after = if waypoint.after.is_finite() { waypoint.after.max(0.05) } else { 0.05 };
            time += if index == 0 { 0.0 } else { f64::from(after) };
            (time, Vec3::from(waypoint.from), Vec3::from(waypoint.look))
        };
        let sights: Vec<_> = flight.waypoints.iter().enumerate().map(sight).collect();
        (sights.len() > 1).then_some(Self { sights })
    }

    /// How long it takes, seconds.
    pub fn seconds(&self) -> f32 {
        self.sights[self.sights.len() - 1].0 as f32
    }

    /// Position of the eye and the point that is looked at, metres, `seconds` after it began. Before the
    /// beginning and after the end those there.
    ///
    /// Between two places it is the cubic that has at each of them the velocity of the straight way from the
    /// place before it to the one after: where times are even, a Catmull-Rom spline.
    pub fn sight(&self, seconds: f32) -> ([f32; 3], [f32; 3]) {
        let last = self.sights.len() - 1;
        // NaN counts as the beginning. The end is compared in the form of `seconds`, which may be rounded
        // down.
        let end_of_all = self.sights[last].0;
        let time = if seconds >= self.seconds() { end_of_all } else { f64::from(seconds.max(0.0)) };
        // Between the first and the last leg, so that both ends of it exist.
        let leg = self.sights.partition_point(|(at, ..)| *at <= time).clamp(1, last) - 1;
        let (begin, end) = (self.sights[leg].0, self.sights[leg + 1].0);
        let duration = (end - begin) as f32;
        // A leg of no duration is over immediately.
        let t = if duration > 0.0 { (time - begin) as f32 / duration } else { 1.0 };
        // The cubic Hermite polynomials, whose velocities are per second and so are scaled by the leg's
        // length.
        let weights = [
            (1.0 + 2.0 * t) * (1.0 - t) * (1.0 - t),
            t * t * (3.0 - 2.0 * t),
            t * (1.0 - t) * (1.0 - t) * duration,
            t * t * (t - 1.0) * duration,
        ];
        let point = |of: fn(&(f64, Vec3, Vec3)) -> Vec3| {
            let velocity = |index: usize| {
                // Catmull and Rom's velocity, over uneven times; at both ends there is a neighbour on one
                // side only.
                let (a, b) = (&self.sights[index.saturating_sub(1)], &self.sights[(index + 1).min(last)]);
                let duration = (b.0 - a.0) as f32;
                if duration > 0.0 { (of(b) - of(a)) / duration } else { Vec3::ZERO }
            };
            let points = [of(&self.sights[leg]), of(&self.sights[leg + 1]), velocity(leg), velocity(leg + 1)];
            points.into_iter().zip(weights).map(|(point, weight)| point * weight).sum::<Vec3>()
        };
        (point(|(_, from, _)| *from).to_array(), point(|(.., look)| *look).to_array())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    fn place(name: &str, x: f32) -> Bookmark {
        Bookmark { name: name.into(), from: (x, 100.0, 2.0 * x), look: (x + 50.0, 0.0, 0.0) }
    }

    #[test]
    fn a_tour_goes_through_every_bookmark_and_stays_at_its_ends() {
        let places = [place("a", 0.0), place("b", 900.0), place("c", -300.0), place("d", 50.0)];
        let tour = Tour::of(&places).unwrap();
        for (number, place) in places.iter().enumerate() {
            let (from, look) = tour.sight(LEG * number as f32);
            assert!(Vec3::from(from).abs_diff_eq(Vec3::from(place.from), 1e-3), "{}", place.name);
            assert!(Vec3::from(look).abs_diff_eq(Vec3::from(place.look), 1e-3));
        }
        assert_eq!(tour.sight(-5.0), tour.sight(0.0));
        assert_eq!(tour.sight(1e9), tour.sight(tour.seconds()));
        assert_eq!(tour.sight(f32::NAN), tour.sight(0.0));
        assert_eq!((Tour::of(&places[..1]), Tour::of(&[])), (None, None));
    }

    #[test]
    fn the_eye_moves_without_jumps_and_without_kinks() {
        let tour = Tour::of(&[place("a", 0.0), place("b", 900.0), place("c", -300.0)]).unwrap();
        let at = |step: i32| Vec3::from(tour.sight(0.01 * step as f32).0);
        let speed = |step: i32| (at(step + 1) - at(step)) / 0.01;
        for step in 1..(100.0 * tour.seconds()) as i32 - 2 {
            assert!((speed(step) - speed(step - 1)).length() < 20.0, "{step}");
        }
    }

    fn flight(afters: &[f32]) -> Flight {
        let waypoint = |(index, after): (usize, &f32)| {
            let x = 100.0 * (index * index) as f32;
            Waypoint { after: *after, from: (x, 50.0, -x), look: (0.0, 0.0, 0.0) }
        };
        Flight { name: "Low".into(), waypoints: afters.iter().enumerate().map(waypoint).collect() }
    }

    #[test]
    fn a_flight_takes_the_times_that_it_was_flown_in() {
        let flown = flight(&[9.0, 1.0, 4.0, 0.5]);
        let tour = Tour::along(&flown).unwrap();
        assert_eq!(tour.seconds(), 5.5, "the first has nothing before it");
        for (time, waypoint) in [0.0, 1.0, 5.0, 5.5].into_iter().zip(&flown.waypoints) {
            let (from, _) = tour.sight(time);
            assert!(Vec3::from(from).abs_diff_eq(Vec3::from(waypoint.from), 1e-3), "{time}");
        }
        // The velocity is the same before and after a place, although times differ.
        for time in [1.0, 5.0] {
            let at = |time: f32| Vec3::from(tour.sight(time).0);
            let (before, after) =
                ((at(time) - at(time - 0.001)) / 0.001, (at(time + 0.001) - at(time)) / 0.001);
            assert!(before.distance(after) < 0.05 * before.length(), "{before} {after}");
        }
        assert_eq!((Tour::along(&flight(&[1.0])), Tour::along(&Flight::default())), (None, None));
        assert!(Tour::along(&flight(&[1.0, f32::NAN, 0.0])).unwrap().seconds() > 0.0);
    }

    #[test]
    fn the_last_leg_of_the_longest_flight_is_flown_too() {
        let mut afters = [600.0; MOST_WAYPOINTS];
        afters[MOST_WAYPOINTS - 1] = 0.05;
        // A program may have numbers that no recipe may have: a leg so long that the next adds nothing.
        for longest in [flight(&afters), flight(&[1.0, 1e30, 1.0]), flight(&[1.0, 2.0, f32::INFINITY])] {
            let tour = Tour::along(&longest).unwrap();
            let last = &longest.waypoints[longest.waypoints.len() - 1];
            assert_eq!(tour.sight(tour.seconds()).0, <[f32; 3]>::from(last.from));
            for share in [0.0, 0.3, 0.999, 1.0] {
                let (from, look) = tour.sight(share * tour.seconds());
                assert!(Vec3::from(from).is_finite() && Vec3::from(look).is_finite(), "{from:?} {look:?}");
            }
        }
    }

    #[test]
    fn a_tour_goes_along_the_bookmarks_or_a_flight_of_that_name() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        let refused = |recipe: &Recipe, name| recipe.tour(name).unwrap_err().to_string();
        assert!(refused(&recipe, None).contains("at least two"));
        assert!(refused(&recipe, Some("Low")).contains("it has none"));
        recipe.flights = vec![flight(&[1.0]), Flight { name: "High".into(), ..flight(&[1.0, 3.0]) }];
        recipe.bookmarks = vec![place("a", 0.0), place("b", 900.0)];
        assert!(refused(&recipe, Some("Low")).contains("1 places"));
        assert!(refused(&recipe, Some("low")).contains("Low, High"));
        assert_eq!(recipe.tour(Some("High")).unwrap().seconds(), 3.0);
        assert_eq!(recipe.tour(None).unwrap().seconds(), LEG);
    }

    #[test]
    fn what_is_added_is_checked_and_counted_whatever_else_is_in_the_recipe() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.cell = f32::NAN;
        assert!(recipe.check().is_err());
        for _ in 0..MOST_BOOKMARKS {
            recipe.add_bookmark(place("a", 0.0)).unwrap();
        }
        let full = recipe.add_bookmark(place("a", 0.0)).unwrap_err().to_string();
        assert!(full.contains("there are 200") && recipe.bookmarks.len() == MOST_BOOKMARKS, "{full}");
        recipe.bookmarks.pop();
        let wrong = recipe.add_bookmark(place("a", f32::NAN)).unwrap_err().to_string();
        assert!(wrong.contains("bookmarks.199"), "{wrong}");

        let longest = Flight { name: "Long".into(), waypoints: vec![Waypoint::default(); MOST_WAYPOINTS] };
        let mut longer = longest.clone();
        longer.waypoints.push(Waypoint::default());
        assert!(recipe.add_flight(longer).unwrap_err().to_string().contains("at most 2000"));
        assert!(recipe.add_flight(flight(&[1.0, f32::NAN])).is_err());
        assert!(recipe.flights.is_empty());
        recipe.add_flight(longest).unwrap();
        for _ in 1..MOST_FLIGHTS {
            recipe.add_flight(flight(&[1.0, 2.0])).unwrap();
        }
        let full = recipe.add_flight(flight(&[1.0, 2.0])).unwrap_err().to_string();
        assert!(full.contains("there are 50") && recipe.flights.len() == MOST_FLIGHTS, "{full}");
    }

    #[test]
    fn flights_are_kept_in_the_recipe_and_damaged_ones_are_refused() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.flights.push(flight(&[1.0, 2.0, 0.5]));
        let text = recipe.to_ron().unwrap();
        assert_eq!(Recipe::from_ron(&text, "land.ron").unwrap(), recipe);
        let damaged =
            [("2.0", "-2.0"), ("2.0", "NaN"), ("name: \"Low\"", "title: 1"), ("after: 2.0", "before: 2.0")];
        for (old, new) in damaged {
            let refused = Recipe::from_ron(&text.replacen(old, new, 1), "land.ron").unwrap_err().to_string();
            assert!(refused.starts_with("land.ron:"), "{refused}");
        }
        recipe.flights[0].waypoints[1].after = f32::INFINITY;
        assert!(recipe.check().unwrap_err().to_string().contains("flights.0.waypoints.1"));
        recipe.flights[0].waypoints[1].after = 2.0;
        recipe.flights[0].waypoints = vec![recipe.flights[0].waypoints[1].clone(); MOST_WAYPOINTS + 1];
        assert!(recipe.to_ron().is_err());
        assert!(Recipe::from_ron(&recipe.to_ron_unchecked().unwrap(), "land.ron").is_err());
    }

    #[test]
    fn bookmarks_are_kept_in_the_recipe_and_places_that_are_none_are_refused() {
        let text = |from: &str| {
            format!(
                r#"(version: 1, name: "Land", size: (9, 9), cell: 10, steps: [],
                bookmarks: [(name: "Summit", from: {from}, look: (0, 0, 0))])"#
            )
        };
        let recipe = Recipe::from_ron(&text("(1, 2, 3)"), "land.ron").unwrap();
        assert_eq!(recipe.bookmarks[0].name, "Summit");
        assert_eq!(Recipe::from_ron(&recipe.to_ron().unwrap(), "land.ron").unwrap(), recipe);
        let plain = Recipe::new("Plain", (9, 9), 1.0).to_ron().unwrap();
        assert!(!plain.contains("bookmarks"), "{plain}");
        for wrong in ["(1, 2)", "(1e30, 0, 0)", "(NaN, 0, 0)", "4"] {
            let refused = Recipe::from_ron(&text(wrong), "land.ron").unwrap_err().to_string();
            assert!(refused.starts_with("land.ron:2:"), "{refused}");
        }
        let mut changed = recipe.clone();
        changed.bookmarks[0].from.0 = f32::INFINITY;
        assert!(changed.check().is_err());
    }
}
