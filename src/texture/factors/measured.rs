//! Measuring factors, and keeping what was measured for as long as it holds.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::files::Stamp;
use crate::grid::memory;
use crate::grid::{Grid, Layers};
use crate::steps::no_layer;
use crate::steps::water::Course;
use crate::texture::surroundings::Layer;

use super::{Factor, Factors, Land, climate, shade, shape, wet};

impl Factor {
    /// Measures the factor on every sample of a land. The same on any number of threads; lengths are in
    /// metres, so that it hardly depends on how far samples are apart.
    ///
    /// ```
    /// use upland::texture::{Factor, Land};
    /// use upland::{Grid, Heightfield, Work};
    ///
    /// let ramp = Heightfield::from_fn(Grid::new(3, 1, 1000.0)?, |column, _| 1000.0 * column as f32);
    /// let warmth = Factor::Temperature.measure(Land::dry(&ramp), &Work::new())?;
    /// assert!(warmth.at(0, 0) > 0.8 && warmth.at(2, 0) < 0.6);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when a river was made for another grid,
    /// [`Error::Size`](crate::Error::Size) when there is too little memory, and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn measure(self, land: Land, work: &Work) -> Result<Layer> {
        let grid = land.field.grid();
        memory::require(grid, self.bytes_a_sample() * grid.count() as u64)?;
        match self {
            Self::Wetness => wet::wetness(land, work),
            Self::Concavity => shape::concavity(land.field, work),
            Self::Convexity => shape::convexity(land.field, work),
            Self::Shade => shade::shade(land.field, work),
            Self::Temperature => climate::temperature(land, work),
            Self::Moisture => climate::moisture(land, work),
            Self::WaterNearness => wet::water_nearness(land, work),
        }
    }

    /// Bytes that measuring it takes at most for each sample, beside the land.
    pub fn bytes_a_sample(self) -> u64 {
        match self {
            Self::Wetness | Self::Moisture | Self::WaterNearness => 15,
            Self::Concavity | Self::Convexity => 7,
            Self::Shade => 8,
            Self::Temperature => 3,
        }
    }

    /// Whether it changes with the sea or the rivers, the ground being the same.
    fn depends_on_water(self) -> bool {
        matches!(self, Self::Wetness | Self::Temperature | Self::Moisture | Self::WaterNearness)
    }
}

/// A layer of `value(row, values)`, which fills one row with numbers that are cut to 0 to 1.
pub(super) fn layer_from_rows(
    grid: Grid,
    work: &Work,
    value: impl Fn(usize, &mut [f32]) -> Result<()> + Sync,
) -> Result<Layer> {
    let mut values = vec![0; grid.count()];
    let rows = values.par_chunks_mut(grid.width).enumerate();
    rows.try_for_each_init(
        || vec![0.0f32; grid.width],
        |floats, (row, values)| {
            work.check()?;
            value(row, floats)?;
            for (value, float) in values.iter_mut().zip(floats.iter()) {
                *value = (float.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16;
            }
            work.advance(1);
            Ok::<_, crate::Error>(())
        },
    )?;
    Layer::fine(grid, values)
}

/// The factors of one field that have been asked for.
#[derive(Clone, Debug, Default)]
pub(in crate::texture) struct Measured {
    sea_level: Option<f32>,
    rivers: Vec<Course>,
    factors: BTreeMap<Factor, Arc<Layer>>,
    masks: BTreeMap<String, Mask>,
    /// What steps have written of the land.
    land: Layers,
    /// How far the samples lie within limits of these layers, by the limits.
    within: BTreeMap<String, Arc<Layer>>,
}

/// A picture as it was when it was read.
#[derive(Clone, Debug)]
struct Mask {
    layer: Arc<Layer>,
    stamp: Option<Stamp>,
    note: Option<String>,
}

impl Measured {
    /// Measures what a type asks for and isn't known.
    pub(in crate::texture) fn prepare(&mut self, land: Land, factors: &Factors, work: &Work) -> Result<()> {
        if self.sea_level != land.sea_level || self.rivers != land.rivers {
            self.factors.retain(|factor, _| !factor.depends_on_water());
            (self.sea_level, self.rivers) = (land.sea_level, land.rivers.to_vec());
        }
        for (factor, _) in factors.used() {
            if let Entry::Vacant(unknown) = self.factors.entry(factor) {
                unknown.insert(Arc::new(factor.measure(land, work)?));
            }
        }
        if let Some(limits) = &factors.layer
            && let Entry::Vacant(unknown) = self.within.entry(limits.key())
        {
            let name = limits.name.as_str();
            let layer = self.land.get(name);
            let layer = layer.ok_or_else(|| no_layer("factors.layer", name, self.land.names()))?;
            memory::require(layer.grid(), 2 * layer.grid().count() as u64)?;
            unknown.insert(Arc::new(limits.influence(layer, work)?));
        }
        if let Some(mask) = &factors.mask {
            let (name, stamp) = (mask.picture.layer(), mask.picture.stamp());
            if self.masks.get(&name).is_none_or(|known| known.stamp != stamp) {
                let (layer, note) = mask.picture.over(land.field.grid(), work)?;
                self.masks.insert(name, Mask { layer: Arc::new(layer), stamp, note });
            }
        }
        Ok(())
    }

    /// Forgets what is not known from the heights: the pictures that were read, and layers.
    pub(in crate::texture) fn forget_pictures(&mut self) {
        self.masks.clear();
        self.set_land(Layers::default());
    }

    /// Says what steps have written of the land.
    pub(in crate::texture) fn set_land(&mut self, layers: Layers) {
        self.land = layers;
        self.within.clear();
    }

    /// Bytes of all layers.
    pub(in crate::texture) fn bytes(&self) -> u64 {
        let masks = self.masks.values().map(|mask| &mask.layer);
        let all = self.factors.values().chain(masks).chain(self.within.values());
        all.map(|layer| layer.bytes()).sum::<u64>() + self.land.bytes()
    }

    /// All layers, by their names.
    pub(in crate::texture) fn layers(&self) -> impl Iterator<Item = (String, &Arc<Layer>)> {
        let factors = self.factors.iter().map(|(factor, layer)| (factor.name().to_owned(), layer));
        let masks = self.masks.iter().map(|(name, mask)| (name.clone(), &mask.layer));
        factors.chain(masks).chain(self.within.iter().map(|(name, layer)| (name.clone(), layer)))
    }

    /// The layer of this name.
    pub(in crate::texture) fn layer(&self, name: &str) -> Option<&Layer> {
        let factor = self.factors.iter().find(|(factor, _)| factor.name() == name).map(|(_, layer)| layer);
        let mask = || self.masks.get(name).map(|mask| &mask.layer);
        factor.or_else(mask).or_else(|| self.within.get(name)).map(Arc::as_ref)
    }

    /// What there is to say about the masks.
    pub(in crate::texture) fn notes(&self) -> impl Iterator<Item = &str> {
        self.masks.values().filter_map(|mask| mask.note.as_deref())
    }
}
