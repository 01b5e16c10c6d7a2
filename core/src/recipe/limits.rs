//! Limits on the size of land, shared by recipes, the command line, resizing and the panel.

use std::ops::RangeInclusive;

/// Accepted metres between the samples of a recipe.
pub const CELLS: RangeInclusive<f32> = 0.001..=1_000_000.0;

/// Accepted samples along each side of a recipe. Land with more than
/// [`MAX_SAMPLES`](crate::MAX_SAMPLES) in all can only be made in windows.
pub const SIDES: RangeInclusive<u32> = 1..=65_536;

/// Accepted coordinates of a viewpoint, in metres from the centre of the land.
pub const PLACES: RangeInclusive<f32> = -1e11..=1e11;

/// Samples of endless land that are built by default.
pub(super) const SHOWN: (u32, u32) = (1025, 1025);

/// Default unit of endless land, metres.
pub(super) const UNIT: f32 = 10_000.0;

/// Limits as the range of a parameter.
pub(super) fn from<T: Copy + Into<f64>>(limits: &RangeInclusive<T>) -> RangeInclusive<f64> {
    (*limits.start()).into()..=(*limits.end()).into()
}

/// The most steps of a recipe.
pub(super) const MOST_STEPS: usize = 1000;

/// Checks how many of something there are; the error is the message.
pub(crate) fn check_count(count: usize, most: usize, what: &str) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!("there are {count} {what}; give at most {most}"))
}

#[cfg(test)]
mod tests {
    use super::super::tours::{MOST_BOOKMARKS, MOST_FLIGHTS};
    use super::super::{Bookmark, Flight, Recipe, Sets, Skin, Step, Waypoint};
    use super::*;
    use crate::params::MAX_POINTS;
    use crate::rules::{MOST_RULES, Rule};
    use crate::steps::water::River;
    use crate::texture::{MAX_SETS, TerrainType, Texture};

    #[test]
    fn lists_that_are_as_long_as_they_may_be_are_read_again_and_longer_ones_are_refused_before() {
        type Fill = fn(&mut Recipe, usize);
        let lists: [(&str, usize, Fill); 8] = [
            ("steps", MOST_STEPS, |recipe, count| {
                recipe.steps = vec![Step::from_name("invert").unwrap(); count];
            }),
            ("steps.0.points", MAX_POINTS, |recipe, count| {
                recipe.steps =
                    vec![Step::new(River { points: vec![glam::Vec2::ZERO; count], ..River::default() })];
            }),
            ("scatter", MOST_RULES, |recipe, count| {
                recipe.scatter = vec![Rule::new("spruce", 1.0, 1.0); count];
            }),
            ("bookmarks", MOST_BOOKMARKS, |recipe, count| {
                recipe.bookmarks = vec![Bookmark::default(); count];
            }),
            ("flights", MOST_FLIGHTS, |recipe, count| recipe.flights = vec![Flight::default(); count]),
            ("flights.0.waypoints", Flight::MOST_WAYPOINTS, |recipe, count| {
                recipe.flights =
                    vec![Flight { waypoints: vec![Waypoint::default(); count], ..Flight::default() }];
            }),
            ("texture.sets", MAX_SETS, |recipe, count| {
                let sets = vec![Skin::Arid; count];
                recipe.texture = Skin::Sets(Sets { sets, ..Sets::default() });
            }),
            ("texture.types", 256, |recipe, count| {
                let types = vec![TerrainType::new("rock", [0.5; 3]); count];
                recipe.texture = Skin::Custom(Texture { types, ..Texture::default() });
            }),
        ];
        for (name, most, fill) in lists {
            let mut recipe = Recipe::new("Land", (9, 9), 1.0);
            let is_read =
                |recipe: &Recipe| Recipe::from_ron(&recipe.to_ron_unchecked().unwrap(), "land.ron").is_ok();
            fill(&mut recipe, most);
            recipe.check().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(is_read(&recipe), "{name}");
            fill(&mut recipe, most + 1);
            assert!(!is_read(&recipe), "{name}");
            assert!(recipe.to_ron().is_err(), "{name}");
            let said = recipe.check().unwrap_err().to_string();
            assert!(said.starts_with(&format!("{name}: ")) && said.contains(&most.to_string()), "{said}");
        }
    }

    #[test]
    fn of_sets_that_fade_there_are_two_at_least() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.texture = Skin::Sets(Sets { sets: vec![Skin::Arid], ..Sets::default() });
        assert!(recipe.check().unwrap_err().to_string().contains("2 to 64"));
    }
}
