//! The ground of a land or of a window with some of its layers.

use super::land_build::LandBuild;
use super::resampled::resampled;
use super::stored::river_water_of;
use crate::build::groups::StepGroup;
use crate::build::stored_ground::StoredField;
use crate::build::{Cache, Key};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{Heightfield, Region, Window};
use crate::recipe::Recipe;
use crate::steps::Ground;
use crate::steps::water::{WaterBuffer, Waters};

impl Recipe {
    /// Builds the ground after all steps, with these layers. What `cache` remembers is reused.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Cache, Work};
    ///
    /// let mut recipe = upland::Recipe::new("Worn", (65, 65), 30.0);
    /// recipe.steps.extend(["fbm", "erode"].map(|name| upland::Step::from_name(name).unwrap()));
    /// let ground = recipe.build_layers(&["flow"], &Cache::default(), &Work::new())?;
    /// let (least, most) = ground.layer("flow")?.range();
    /// // A sample drains its own ground at least, and never more than all there is.
    /// assert_eq!(least, 0.0009);
    /// assert!(most > 10.0 * least && most <= 65.0 * 65.0 * least * 1.001);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build_ground`](Self::build_ground), and when no step writes one of the layers; the message
    /// lists those available.
    pub fn build_layers(&self, layers: &[&str], cache: &Cache, work: &Work) -> Result<Ground> {
        Ok(self.ground_with(layers, Some(cache), work)?.0)
    }

    /// The finished ground with these layers, and its key in the cache.
    pub(in crate::build) fn ground_with(
        &self,
        layers: &[&str],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<(Ground, Option<Key>)> {
        let (mut ground, key) = self.ground(layers, cache, work)?;
        if layers.contains(&WATER_DEPTH) && ground.layers().get(WATER_DEPTH).is_none() {
            let depth = self.water_on(&ground, work)?;
            ground.write_layer(WATER_DEPTH, depth);
        }
        Ok((ground, key))
    }

    /// As [`build_window`](Self::build_window), with these layers. Coarser samples are samples of the whole
    /// land's layers; finer ones are interpolated, unless the step can compute them from their position.
    ///
    /// # Errors
    /// As [`build_window`](Self::build_window) and [`build_layers`](Self::build_layers).
    pub fn build_window_layers(
        &self,
        window: Window,
        layers: &[&str],
        cache: &Cache,
        work: &Work,
    ) -> Result<Ground> {
        self.layers_in(&self.domain()?.region(window)?, layers, cache, work)
    }

    /// As [`build_window_layers`](Self::build_window_layers), for a region.
    pub(in crate::build) fn layers_in(
        &self,
        region: &Region,
        layers: &[&str],
        cache: &Cache,
        work: &Work,
    ) -> Result<Ground> {
        let mut ground = self.ground_in(region, layers, Some(cache), work)?;
        if layers.contains(&WATER_DEPTH) && ground.layers().get(WATER_DEPTH).is_none() {
            let depth = self.water_in(&ground, cache, work)?;
            ground.write_layer(WATER_DEPTH, depth);
        }
        Ok(ground)
    }

    /// Depth of water on all of the land.
    fn water_on(&self, ground: &Ground, work: &Work) -> Result<Heightfield> {
        let depths = WaterBuffer::depths_on(&ground.heights, ground.waters(self.sea_level()), work)?;
        Heightfield::new(ground.grid(), depths)
    }

    /// Depth of water in a window: the sea's follows the window's own heights, that of rivers and
    /// lakes is interpolated between the samples of the whole land.
    pub(in crate::build) fn water_in(
        &self,
        ground: &Ground,
        cache: &Cache,
        work: &Work,
    ) -> Result<Heightfield> {
        let sea = Waters { sea_level: self.sea_level(), ..Waters::default() };
        let mut depth = WaterBuffer::depths_on(&ground.heights, sea, work)?;
        if let Some(rivers) = self.river_water_in(ground.region(), cache, work)? {
            // The deeper of the two, as where a river meets the sea.
            depth.iter_mut().zip(rivers.heights()).for_each(|(depth, river)| *depth = depth.max(*river));
        }
        Heightfield::new(ground.grid(), depth)
    }

    /// Depth of the water of rivers and lakes in a region; `None` if no step makes any.
    fn river_water_in(&self, region: &Region, cache: &Cache, work: &Work) -> Result<Option<Heightfield>> {
        let groups = self.groups(&[WATER_DEPTH])?;
        if !groups.iter().any(StepGroup::leaves_water) {
            return Ok(None);
        }
        let build = LandBuild::of(self, &groups, region.level(), Some(cache), work)?;
        if let Some(stored) = build.stored(groups.len()) {
            return build.part_of_stored_layer(&*stored, &StoredField::RiverWater, region).map(Some);
        }
        let (all, key) = self.ground_with(&[], Some(cache), work)?;
        let all = cache.one_of(key.map(|key| key.of("river water")), || river_water_of(&all, work))?;
        resampled(&all, region, work).map(Some)
    }
}
