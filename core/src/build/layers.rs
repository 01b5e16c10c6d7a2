//! Which layers a recipe's steps write, and layers of windows.
//!
//! A layer is kept only if a step or a mask reads it, or if it was asked for; others are not written.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::window::keep_samples;
use super::{Cache, Key, StepGroup};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{HOLE, MOST_SHIFTED, ROAD, SHIFT, WATER_DEPTH};
use crate::grid::{Heightfield, Layers, Region, Window};
use crate::recipe::{Recipe, Skin};
use crate::resize::{bilinear_over, samples_of};
use crate::steps::water::WaterBuffer;
use crate::steps::{Ground, no_layer};
use crate::texture::Fade;

impl Recipe {
    /// The names of the layers of the finished land that can be asked for: those that its steps write, and
    /// [`WATER_DEPTH`].
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Worn", (65, 65), 30.0);
    /// recipe.steps.extend(["fbm", "erode"].map(|name| upland::Step::from_name(name).unwrap()));
    /// assert_eq!(recipe.layers(), ["deposit", "flow", "water_depth", "wear"]);
    /// ```
    pub fn layers(&self) -> Vec<String> {
        let mut there = BTreeSet::new();
        self.steps.iter().filter(|step| step.is_done()).for_each(|step| step.write_into(&mut there));
        there.insert(WATER_DEPTH.into());
        there.into_iter().collect()
    }

    /// Whether a step moves the ground sideways, so that it can overhang: the land is then drawn with the layers
    /// `shift_east` and `shift_south`.
    pub fn is_shifted(&self) -> bool {
        !self.shifts().is_empty()
    }

    /// The layers of shifts that its steps write.
    #[doc(hidden)]
    pub fn shifts(&self) -> Vec<&'static str> {
        let mut there = BTreeSet::new();
        self.steps.iter().filter(|step| step.is_done()).for_each(|step| step.write_into(&mut there));
        SHIFT.into_iter().filter(|name| there.contains(*name)).collect()
    }

    /// Whether a step takes ground away: the land is then drawn, asked and exported with the layer `hole`.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Mine", (65, 65), 30.0);
    /// recipe.steps.extend(["fbm", "hole"].map(|name| upland::Step::from_name(name).unwrap()));
    /// assert!(recipe.has_holes());
    /// recipe.steps[1].mixing.on = false;
    /// assert!(!recipe.has_holes());
    /// ```
    pub fn has_holes(&self) -> bool {
        let mut there = BTreeSet::new();
        self.steps.iter().filter(|step| step.is_done()).for_each(|step| step.write_into(&mut there));
        there.contains(HOLE)
    }

    /// Whether a step makes roads or pads, so that the land has the layer `road`: ready-made textures show
    /// gravel there.
    pub fn has_roads(&self) -> bool {
        let mut there = BTreeSet::new();
        self.steps.iter().filter(|step| step.is_done()).for_each(|step| step.write_into(&mut there));
        there.contains(ROAD)
    }

    /// The texture that is drawn: the recipe's, with gravel on roads added to a ready-made one.
    pub fn drawn_texture(&self) -> Cow<'_, Skin> {
        let is_as_it_is = matches!(self.texture, Skin::Custom(_)) || !self.has_roads();
        if is_as_it_is { Cow::Borrowed(&self.texture) } else { Cow::Owned(self.texture.with_roads()) }
    }

    /// The textures that are drawn, and how they blend into each other.
    pub fn fade(&self) -> Fade {
        self.drawn_texture().fade()
    }

    /// The layers that its ground is made of beside the heights: shifts and holes.
    pub(crate) fn ground_layers(&self) -> Vec<&'static str> {
        self.shifts().into_iter().chain(self.has_holes().then_some(HOLE)).collect()
    }

    /// The farthest that its steps move ground along either axis, metres, at most [`MOST_SHIFTED`].
    pub(crate) fn most_shifted(&self) -> f32 {
        let done = self.steps.iter().filter(|step| step.is_done());
        done.map(|step| step.operation.shifts_by()).sum::<f32>().min(MOST_SHIFTED)
    }

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
    pub(super) fn ground_with(
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
        let region = self.domain()?.region(window)?;
        let mut ground = self.ground_in(&region, layers, Some(cache), work)?;
        if layers.contains(&WATER_DEPTH) && ground.layers().get(WATER_DEPTH).is_none() {
            let depth = self.water_in(&ground, cache, work)?;
            ground.write_layer(WATER_DEPTH, depth);
        }
        Ok(ground)
    }

    /// Depth of water on all of the land.
    fn water_on(&self, ground: &Ground, work: &Work) -> Result<Heightfield> {
        let depths = WaterBuffer::depths_on(&ground.heights, self.sea_level(), &ground.rivers, work)?;
        Heightfield::new(ground.grid(), depths)
    }

    /// Depth of water in a window: the sea's follows the window's own heights, that of rivers is
    /// interpolated between the samples of the whole land.
    fn water_in(&self, ground: &Ground, cache: &Cache, work: &Work) -> Result<Heightfield> {
        let mut depth = WaterBuffer::depths_on(&ground.heights, self.sea_level(), &[], work)?;
        if !ground.rivers.is_empty() {
            let all = self.build_layers(&[WATER_DEPTH], cache, work)?;
            let base = all.layer(WATER_DEPTH)?;
            if ground.region().level() >= 0 {
                return samples_of(base, ground.region(), work);
            }
            let rivers = WaterBuffer::depths_on(&all.heights, None, &all.rivers, work)?;
            let rivers = bilinear_over(&Heightfield::new(all.grid(), rivers)?, ground.region(), work)?;
            depth.iter_mut().zip(rivers.heights()).for_each(|(depth, river)| *depth = depth.max(*river));
            let mut depth = Heightfield::new(ground.grid(), depth)?;
            keep_samples(&mut depth, base, ground.region());
            return Ok(depth);
        }
        Heightfield::new(ground.grid(), depth)
    }
}

/// Sets which layers every group must keep, given those asked for of the finished land.
///
/// # Errors
/// When a layer that a mask names or that is asked for isn't written by any step; the message lists those
/// available.
pub(super) fn tell(groups: &mut [StepGroup], asked: &[&str]) -> Result<()> {
    let mut there = BTreeSet::new();
    let mut wanted: BTreeSet<String> = asked.iter().map(|name| String::from(*name)).collect();
    for index in 0..groups.len() {
        let (before, later) = groups.split_at_mut(index + 1);
        let group = &mut before[index];
        if let Some(name) = group.step.masked_by() {
            if !there.contains(name) {
                return group.named(Err(not_written_yet(name, &there, later)));
            }
            wanted.insert(name.into());
        }
        wanted.extend(group.step.operation.reads().into_iter().map(String::from));
        group.step.write_into(&mut there);
        group.needs = there.clone();
    }
    for name in asked {
        if !there.contains(*name) && *name != WATER_DEPTH {
            return Err(no_layer("layer", name, there.iter().map(String::as_str).chain([WATER_DEPTH])));
        }
    }
    let wanted = Arc::new(wanted);
    for group in groups {
        group.needs.retain(|name| wanted.contains(name));
        group.wanted = wanted.clone();
    }
    Ok(())
}

/// The error for a mask of a layer that no step before it writes: which step after it does, or what there is.
fn not_written_yet(name: &str, there: &BTreeSet<String>, later: &[StepGroup]) -> Error {
    let Some(writer) = later.iter().find(|group| group.step.operation.writes().contains(&name)) else {
        return no_layer("mask_layer", name, there.iter().map(String::as_str));
    };
    let reason =
        format!("the layer `{name}` is written later, by {}; move that step before this one", writer.label());
    Error::parameter("mask_layer", reason)
}

/// Resamples the layers of a whole land at level 0 to a region of it.
pub(super) fn over(layers: &Layers, region: &Region, work: &Work) -> Result<Layers> {
    layers.map(|layer| {
        if region.level() >= 0 {
            return samples_of(layer, region, work);
        }
        let mut finer = bilinear_over(layer, region, work)?;
        keep_samples(&mut finer, layer, region);
        Ok(finer)
    })
}
