//! Films of a tour: a picture for every moment of a flight along a recipe's bookmarks.

use std::time::Duration;

use bevy::prelude::*;
use image::RgbaImage;

use super::compare::above_ground;
use super::still::{OffscreenScene, Waiting, parts_of};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::plugin::{DebugView, Quality, TerrainSides};
use crate::{Cache, Recipe, Tour};

/// A film to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Pictures a second, above 0.
    pub rate: f32,
    /// The quality, at the full resolution.
    pub quality: Quality,
    /// How long a picture may take before the film fails.
    pub time_limit: Duration,
}

impl Default for Film {
    /// 1280 × 720 pixels, 30 pictures a second, high quality, ten minutes a picture.
    fn default() -> Self {
        Self { size: (1280, 720), rate: 30.0, quality: Quality::High, time_limit: Duration::from_secs(600) }
    }
}

impl Film {
    /// How many pictures a tour has at this rate: the first at its beginning, the last at its end.
    pub fn pictures(&self, tour: &Tour) -> usize {
        (tour.seconds() * self.rate).round() as usize + 1
    }
}

/// Flies a tour over the land of `recipe` and hands each picture, with its index, to `take`. Where the way
/// leads through the ground, the eye is raised above it.
///
/// # Errors
/// When the recipe cannot be built, when the rate is impossible, when there is no graphics device, when the
/// time limit of a picture passes; those of `take`, and [`Error::Cancelled`].
pub fn render_tour(
    recipe: &Recipe,
    tour: &Tour,
    film: &Film,
    work: &Work,
    take: impl FnMut(usize, RgbaImage) -> Result<()>,
) -> Result<()> {
    render_tour_with((recipe, &Cache::default()), tour, film, work, take)
}

/// The same; what the cache remembers is reused.
pub(crate) fn render_tour_with(
    (recipe, cache): (&Recipe, &Cache),
    tour: &Tour,
    film: &Film,
    work: &Work,
    mut take: impl FnMut(usize, RgbaImage) -> Result<()>,
) -> Result<()> {
    if !(film.rate > 0.0 && film.rate <= 240.0) {
        let reason = format!("{} frames per second are not accepted; give up to 240", film.rate);
        return Err(Error::parameter("rate", reason));
    }
    let mut scene = OffscreenScene::with_cache(recipe, film.size, film.quality, cache, work)?;
    let terrain = scene.terrain;
    scene.world().entity_mut(terrain).insert(TerrainSides::default());
    let count = film.pictures(tour);
    for index in 0..count {
        work.check()?;
        let (from, look) = tour.sight(index as f32 / film.rate);
        let from = above_ground(recipe, cache, from, work)?;
        scene.aim(recipe, Some(from), Some(look), DebugView::None);
        scene.world().flush();
        // The ground under the eye was made in stages of its own.
        work.stage("draw", count * Waiting::WHOLE);
        work.advance(index * Waiting::WHOLE);
        let mut waiting = Waiting::default();
        scene.headless.settle_while(film.time_limit, |pending| {
            let parts = pending.and_then(parts_of).map_or(String::new(), |parts| format!(", {parts}"));
            work.rename(format!("draw: picture {} of {count}{parts}", index + 1));
            waiting.advance(pending, work);
            work.check()
        })?;
        let picture = scene.headless.last_frame()?;
        scene.check()?;
        take(index, picture)?;
        waiting.end(work);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Bookmark;

    #[test]
    fn a_film_has_a_picture_for_both_ends_and_every_moment_between() {
        let place = |x: f32| Bookmark { name: x.to_string(), from: (x, 9.0, 0.0), look: (0.0, 0.0, 0.0) };
        let tour = Tour::of(&[place(1.0), place(2.0)]).unwrap();
        let film = Film { rate: 2.0, ..Film::default() };
        assert_eq!(film.pictures(&tour), 15);
    }

    #[test]
    fn what_cannot_be_filmed_is_refused_before_anything_is_drawn() {
        let refused = |film: Film| {
            let none = |_, _| panic!("there is nothing to take");
            let place = Bookmark { name: "a".into(), from: (0.0, 9.0, 0.0), look: (0.0, 0.0, 0.0) };
            let tour = Tour::of(&[place.clone(), place]).unwrap();
            let recipe = Recipe::new("Plain", (5, 5), 10.0);
            render_tour(&recipe, &tour, &film, &Work::new(), none).unwrap_err().to_string()
        };
        for rate in [0.0, -1.0, f32::NAN, 1e9] {
            assert!(refused(Film { rate, ..Film::default() }).contains("up to 240"));
        }
    }
}
