//! Landscapes that were built and are kept: going back to one of them builds nothing.

use std::sync::Arc;

use super::Landscape;
use super::measured::key_of;
use crate::build::Cache;
use crate::build::cache::{Keepable, Key};
use crate::compute::work::Work;
use crate::error::Result;
use crate::recipe::Recipe;

/// A cache keeps a landscape only if it has room for this many of them; the rest of the room is for the
/// results of steps, without which every change is slow.
const AT_LEAST: u64 = 4;

impl Keepable for Landscape {
    fn bytes(&self) -> u64 {
        let cover = self.cover.as_ref().map_or(0, |cover| cover.weights.shares.len() as u64);
        let rivers: u64 = self.rivers.iter().map(crate::steps::water::Course::bytes).sum();
        let lakes: u64 = self.lakes.iter().map(crate::steps::water::Lake::bytes).sum();
        let bridges: u64 = self.bridges.iter().map(crate::steps::water::Bridge::bytes).sum();
        let samples = self.heightfield.grid().count() as u64;
        4 * (samples + self.colour.texels.len() as u64)
            + cover
            + self.layers.bytes()
            + rivers
            + lakes
            + bridges
    }
}

impl Recipe {
    /// As [`build_with`](Self::build_with), but the landscape is kept as well. One that was kept earlier is
    /// returned as it is, with the [`stages`](Landscape::stages) of its build.
    ///
    /// # Errors
    /// As [`build_with`](Self::build_with).
    #[doc(hidden)]
    pub fn finished(&self, cache: &Cache, work: &Work) -> Result<Arc<Landscape>> {
        let key = self.finished_key()?;
        if let Some(known) = key.and_then(|key| cache.other(key)) {
            return Ok(known);
        }
        let made = Arc::new(self.build_with(cache, work)?);
        if let Some(key) = key {
            cache.keep_small(key, &made);
        }
        Ok(made)
    }

    /// Something derived from the finished landscape, with a key hashed with `what`, if it is kept.
    pub(crate) fn kept_of_finished<T: Keepable>(
        &self,
        what: impl std::hash::Hash,
        cache: &Cache,
    ) -> Option<Arc<T>> {
        cache.other(self.finished_key().ok()??.of(what))
    }

    /// Keeps something derived from the finished landscape, with a key hashed with `what`.
    ///
    /// # Errors
    /// As [`build_with`](Self::build_with), where a recipe is not possible.
    pub(crate) fn keep_of_finished<T: Keepable>(
        &self,
        what: impl std::hash::Hash,
        made: &Arc<T>,
        cache: &Cache,
    ) -> Result<()> {
        if let Some(key) = self.finished_key()? {
            cache.keep_small(key.of(what), made);
        }
        Ok(())
    }

    /// Whether the finished landscape is kept.
    #[doc(hidden)]
    pub fn is_finished(&self, cache: &Cache) -> bool {
        let key = self.finished_key().ok().flatten();
        key.is_some_and(|key| cache.other::<Landscape>(key).is_some())
    }

    /// The key of the finished landscape; `None` if a file that it depends on is missing.
    fn finished_key(&self) -> Result<Option<Key>> {
        let fade = self.fade();
        let land = self.last_key(&self.kept_layers(&fade))?;
        let sea = self.sea_level().map(f32::to_bits);
        Ok(land.zip(key_of(&fade)).map(|(land, textures)| land.of((textures, "finished", sea))))
    }
}

impl Cache {
    /// Stores something, unless it would take more than its part of the room.
    fn keep_small<T: Keepable>(&self, key: Key, made: &Arc<T>) {
        // A large result would push out the steps' results, which make the next edit quick.
        if made.bytes() <= self.budget() / AT_LEAST {
            self.keep_other(key, made);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    #[test]
    fn a_landscape_is_built_once_and_again_after_any_change_that_shows() {
        let recipe = Preset::find("river-valley").unwrap().recipe().unwrap().with_longer_side(65);
        let (cache, work) = (Cache::default(), Work::new());
        assert!(!recipe.is_finished(&cache));
        let first = recipe.finished(&cache, &work).unwrap();
        assert!(recipe.is_finished(&cache));
        assert!(Arc::ptr_eq(&first, &recipe.finished(&cache, &work).unwrap()));
        let built = recipe.build(&work).unwrap();
        assert_eq!(*first, Landscape { stages: first.stages.clone(), ..built });

        let changes: [fn(&mut Recipe); 5] = [
            |recipe| recipe.seed += 1,
            |recipe| recipe.steps[0].mixing.on = false,
            |recipe| recipe.texture = crate::Skin::Arid,
            |recipe| recipe.water.sea = !recipe.water.sea,
            |recipe| recipe.cell *= 2.0,
        ];
        for change in changes {
            let mut other = recipe.clone();
            change(&mut other);
            assert!(!other.is_finished(&cache));
        }
        let mut same = recipe.clone();
        (same.name, same.sun.elevation, same.weather.clouds) = ("Another name".into(), 12.0, 0.5);
        assert!(same.is_finished(&cache), "none of them is seen in the landscape");
    }

    #[test]
    fn the_time_that_the_ground_took_is_a_part_of_that_of_the_landscape() {
        let recipe = Preset::find("downs").unwrap().recipe().unwrap().with_longer_side(65);
        let begun = std::time::Instant::now();
        let (built, of_ground) = recipe.build_timed(&Cache::default(), &Work::new()).unwrap();
        assert!(of_ground < begun.elapsed());
        let again = recipe.build(&Work::new()).unwrap();
        assert_eq!(built, Landscape { stages: built.stages.clone(), ..again });
    }

    #[test]
    fn what_takes_too_much_room_is_not_kept() {
        let recipe = Preset::find("downs").unwrap().recipe().unwrap().with_longer_side(65);
        let bytes = recipe.build(&Work::new()).unwrap().bytes();
        for (budget, is_kept) in [(bytes * AT_LEAST, true), (bytes * AT_LEAST - 1, false)] {
            let cache = Cache::new(budget);
            recipe.finished(&cache, &Work::new()).unwrap();
            assert_eq!(recipe.is_finished(&cache), is_kept);
        }
    }
}
