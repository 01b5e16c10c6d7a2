//! Bookmarks: places of a land that are worth seeing, and a tour that goes from one to the next.

use glam::Vec3;

use super::limits::PLACES;
use crate::math::spline::catmull_rom;
use crate::params::{in_recipes, params};

/// The most bookmarks of a recipe.
pub(super) const MOST_BOOKMARKS: usize = 200;

/// Seconds from one bookmark to the next on a tour.
const LEG: f32 = 7.0;

params! {
    /// A place that is worth seeing, in metres: x east and z south of the centre of the land, y up.
    pub struct Bookmark {
        /// What it is called.
        pub name: String = String::new(), required;
        /// Position of the eye.
        pub from: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in places(), required;
        /// The point in the centre of the picture.
        pub look: (f32, f32, f32) = (0.0, 0.0, 0.0), "m" in places(), required;
    }
}

in_recipes!(Bookmark);

/// [`PLACES`] as the range of a parameter.
fn places() -> std::ops::RangeInclusive<f64> {
    f64::from(*PLACES.start())..=f64::from(*PLACES.end())
}

/// A flight along bookmarks: through each of them, in order, without a halt and without a kink.
#[derive(Clone, Debug, PartialEq)]
pub struct Tour {
    /// Positions of the eye, and points that are looked at.
    sights: Vec<(Vec3, Vec3)>,
}

impl Tour {
    /// A tour of these places; `None` of fewer than two.
    ///
    /// ```
    /// use upland::{Bookmark, Tour};
    ///
    /// let place = |x: f32| Bookmark { name: x.to_string(), from: (x, 900.0, 0.0), look: (x, 0.0, -500.0) };
    /// let tour = Tour::of(&[place(0.0), place(1000.0), place(4000.0)]).unwrap();
    /// let (from, _) = tour.sight(0.5 * tour.seconds());
    /// assert_eq!(from, [1000.0, 900.0, 0.0], "in the middle of the time at the second of three");
    /// ```
    pub fn of(places: &[Bookmark]) -> Option<Self> {
        let sights = places.iter().map(|place| (Vec3::from(place.from), Vec3::from(place.look)));
        (places.len() > 1).then(|| Self { sights: sights.collect() })
    }

    /// How long it takes, seconds.
    pub fn seconds(&self) -> f32 {
        LEG * (self.sights.len() - 1) as f32
    }

    /// Position of the eye and the point that is looked at, metres, so many seconds after it began: Catmull-Rom splines
    /// through those of the bookmarks. Before the beginning and after the end those there.
    pub fn sight(&self, seconds: f32) -> ([f32; 3], [f32; 3]) {
        let last = self.sights.len() - 1;
        // NaN is the beginning.
        let along = (seconds / LEG).max(0.0).min(last as f32);
        let leg = (along as usize).min(last - 1);
        let weights = catmull_rom(along - leg as f32);
        let sight = |index: isize| self.sights[index.clamp(0, last as isize) as usize];
        let sum = |of: fn((Vec3, Vec3)) -> Vec3| {
            let points = (-1..3).map(|offset| of(sight(leg as isize + offset)));
            points.zip(weights).map(|(point, weight)| point * weight).sum::<Vec3>()
        };
        (sum(|(from, _)| from).to_array(), sum(|(_, look)| look).to_array())
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
