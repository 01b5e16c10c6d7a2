//! Layers: named values for every sample of a land, in addition to its heights.
//!
//! The names in [`LAYERS`] have a fixed meaning. Any other name may be painted, and the steps and rules that
//! read it give it a meaning.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Heightfield, Region};
use crate::compute::work::Work;
use crate::error::{Error, Result};

/// Depth of standing or flowing water, metres.
pub const WATER_DEPTH: &str = "water_depth";
/// Drainage area: the land that drains through a sample, square kilometres.
pub const FLOW: &str = "flow";
/// Where water flows to from a sample: the compass bearing, degrees, 360 for north; 0 where it ends.
pub const FLOW_DIRECTION: &str = "flow_direction";
/// The number of the basin that a sample lies in: 1 for the largest, 0 for the sea.
pub const BASIN: &str = "basin";
/// The order of the stream at a sample, after Strahler; 0 where there is none.
pub const STREAM_ORDER: &str = "stream_order";
/// Height of the water's surface where there is a lake, and of the ground everywhere else, metres.
pub const LAKE_LEVEL: &str = "lake_level";
/// Depth of the lake at a sample, metres; 0 where there is none.
pub const LAKE_DEPTH: &str = "lake_depth";
/// How much lower erosion has left the ground, metres.
pub const WEAR: &str = "wear";
/// How much higher erosion has left the ground, metres.
pub const DEPOSIT: &str = "deposit";
/// Thickness of the loose rock on solid ground, metres: it is part of the heights.
pub const DEBRIS: &str = "debris";
/// How thick loose sand lies on the rock, metres. It is part of the heights.
pub const SAND: &str = "sand";
/// Thickness of the snow on the ground, metres: it is part of the heights.
pub const SNOW: &str = "snow";
/// Thickness of the ice that lies on the ground, metres: it is part of the heights.
pub const ICE: &str = "ice";
/// Resistance of the ground to rivers, waves and ice, in [0, 1].
pub const HARDNESS: &str = "hardness";
/// How hard the bed of rock at the surface is, in [0, 1]: 1 for the hardest.
pub const BED_HARDNESS: &str = "bed_hardness";
/// How far east of its sample the ground lies, metres.
pub const SHIFT_EAST: &str = "shift_east";
/// How far south of its sample the ground lies, metres.
pub const SHIFT_SOUTH: &str = "shift_south";
/// Both: with them each sample is moved by a vector and not only up and down, so that land can overhang. The
/// vertical part is in the heights.
pub const SHIFT: [&str; 2] = [SHIFT_EAST, SHIFT_SOUTH];

/// Where there is no ground: above [`HOLE_FROM`](super::HOLE_FROM), in [0, 1].
pub const HOLE: &str = "hole";

/// Built ground, roads and platforms, in [0, 1]: 1 on the carriageway, falling to 0 over the shoulder.
pub const ROAD: &str = "road";

/// The farthest that ground is moved along either axis, metres: the renderer stores shifts in 16 bits, to 6
/// cm at this length and to a millimetre at 2 m.
pub const MOST_SHIFTED: f32 = 100.0;

/// The meaning of a layer's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerInfo {
    /// Its name in recipes.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// The unit of its values; empty for shares.
    pub unit: &'static str,
    /// The lowest value that it may hold.
    pub low: f32,
    /// The highest value that it may hold; infinite if unbounded.
    pub high: f32,
    /// The scale that shows it best.
    pub scale: LayerScale,
    /// What its values say, for people.
    pub about: &'static str,
}

/// The scale that shows the values of a layer best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerScale {
    /// An even one.
    Linear,
    /// A logarithmic one: most values are small, and a few are very large.
    Logarithmic,
    /// A colour for each value: the numbers are names, and greater ones aren't more.
    Numbers,
}

/// The layers with a fixed meaning.
pub const LAYERS: [LayerInfo; 19] = [
    LayerInfo {
        name: WATER_DEPTH,
        title: "Water depth",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How deep the sea and the rivers stand; 0 on dry land. Every finished land has it.",
    },
    LayerInfo {
        name: FLOW,
        title: "Drainage area",
        unit: "km²",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Logarithmic,
        about: "How much land drains through a sample, its own ground included.",
    },
    LayerInfo {
        name: FLOW_DIRECTION,
        title: "Flow direction",
        unit: "°",
        low: 0.0,
        high: 360.0,
        scale: LayerScale::Linear,
        about: "Where water flows to from a sample: the compass bearing, 360 for north; 0 where it ends.",
    },
    LayerInfo {
        name: BASIN,
        title: "Basin",
        unit: "",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Numbers,
        about: "The basin that a sample lies in: 1 for the largest, 0 for the sea.",
    },
    LayerInfo {
        name: STREAM_ORDER,
        title: "Stream order",
        unit: "",
        low: 0.0,
        high: 32.0,
        scale: LayerScale::Linear,
        about: "The order of the stream after Strahler: 1 at the sources, one more where two of equal order meet, 0 off the streams.",
    },
    LayerInfo {
        name: LAKE_LEVEL,
        title: "Lake level",
        unit: "m",
        low: f32::NEG_INFINITY,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "Height of the water's surface where there is a lake, and of the ground everywhere else.",
    },
    LayerInfo {
        name: LAKE_DEPTH,
        title: "Lake depth",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How deep the lake is; 0 where there is none.",
    },
    LayerInfo {
        name: WEAR,
        title: "Wear",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How much lower erosion has left the ground.",
    },
    LayerInfo {
        name: DEPOSIT,
        title: "Deposit",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How much higher erosion has left the ground.",
    },
    LayerInfo {
        name: DEBRIS,
        title: "Debris",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How thick loose rock lies on solid ground: scree, moraines. It is part of the heights.",
    },
    LayerInfo {
        name: SAND,
        title: "Sand",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How thick loose sand lies on the rock: what wind blows. It is part of the heights.",
    },
    LayerInfo {
        name: SNOW,
        title: "Snow",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How thick snow lies on the ground. It is part of the heights.",
    },
    LayerInfo {
        name: ICE,
        title: "Ice",
        unit: "m",
        low: 0.0,
        high: f32::INFINITY,
        scale: LayerScale::Linear,
        about: "How thick the glaciers are that lie on the ground. They are part of the heights.",
    },
    LayerInfo {
        name: HARDNESS,
        title: "Hardness",
        unit: "",
        low: 0.0,
        high: 1.0,
        scale: LayerScale::Linear,
        about: "How well the ground withstands water and ice: 0 not more than usual, 1 so well that they cut nothing.",
    },
    LayerInfo {
        name: BED_HARDNESS,
        title: "Hardness of the bed",
        unit: "",
        low: 0.0,
        high: 1.0,
        scale: LayerScale::Linear,
        about: "How hard the bed of rock at the surface is: 1 for the hardest, 0 for the softest.",
    },
    LayerInfo {
        name: SHIFT_EAST,
        title: "Shift to the east",
        unit: "m",
        low: -MOST_SHIFTED,
        high: MOST_SHIFTED,
        scale: LayerScale::Linear,
        about: "How far east of its sample the ground stands: so it can overhang.",
    },
    LayerInfo {
        name: SHIFT_SOUTH,
        title: "Shift to the south",
        unit: "m",
        low: -MOST_SHIFTED,
        high: MOST_SHIFTED,
        scale: LayerScale::Linear,
        about: "How far south of its sample the ground stands: so it can overhang.",
    },
    LayerInfo {
        name: HOLE,
        title: "Hole",
        unit: "",
        low: 0.0,
        high: 1.0,
        scale: LayerScale::Linear,
        about: "Where there is no ground: above 0.5. The hole's edge is where the values between samples are 0.5.",
    },
    LayerInfo {
        name: ROAD,
        title: "Road",
        unit: "",
        low: 0.0,
        high: 1.0,
        scale: LayerScale::Linear,
        about: "Where the ground is made: 1 on the carriageway of a road and on platforms, falling to 0 over the shoulder.",
    },
];

impl LayerInfo {
    /// The description of the layer `name`; `None` for a painted one of any other name.
    pub fn of(name: &str) -> Option<&'static Self> {
        LAYERS.iter().find(|layer| layer.name == name)
    }

    /// The scale that shows the layer `name` best: an even one where none is known.
    pub fn scale_of(name: &str) -> LayerScale {
        Self::of(name).map_or(LayerScale::Linear, |layer| layer.scale)
    }

    /// The unit of the layer `name`; empty where it has none or none is known.
    pub fn unit_of(name: &str) -> &'static str {
        Self::of(name).map_or("", |layer| layer.unit)
    }
}

/// Layers over the same samples, sorted by name. Clones share the values until one is changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers(BTreeMap<String, Arc<Heightfield>>);

impl Layers {
    /// The layer called `name`, if there is one.
    pub fn get(&self, name: &str) -> Option<&Heightfield> {
        self.0.get(name).map(|layer| &**layer)
    }

    /// The layer called `name`, shared.
    pub(crate) fn shared(&self, name: &str) -> Option<&Arc<Heightfield>> {
        self.0.get(name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Heightfield)> {
        self.0.iter().map(|(name, layer)| (name.as_str(), &**layer))
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Inserts a layer, replacing one of the same name.
    #[doc(hidden)]
    pub fn set(&mut self, name: impl Into<String>, layer: impl Into<Arc<Heightfield>>) {
        self.0.insert(name.into(), layer.into());
    }

    /// Removes all layers.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps only the layers whose name `wanted` accepts.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| wanted(name));
    }

    /// Memory taken by all values, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().map(|layer| 4 * layer.grid().count() as u64).sum()
    }

    /// Applies `change` to every layer.
    pub(crate) fn map(&self, change: impl Fn(&Heightfield) -> Result<Heightfield>) -> Result<Self> {
        let changed = self.0.iter().map(|(name, layer)| Ok((name.clone(), Arc::new(change(layer)?))));
        changed.collect::<Result<_>>().map(Self)
    }

    /// Crops the layers, which cover `region`, to `inner`.
    ///
    /// # Errors
    /// As [`Region::cut`].
    pub(crate) fn cut(self, region: &Region, inner: &Region, work: &Work) -> Result<Self> {
        // Without a copy where nothing is cut off.
        if region.window() == inner.window() {
            return Ok(self);
        }
        self.map(|layer| region.part(layer, inner, work))
    }

    /// Blends every layer of `new` into `self`: value = old + (new − old) · `share(column, row)`. A layer
    /// that `self` lacks counts as 0. Layers whose values both share are left alone.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn mix(
        &mut self,
        new: Self,
        work: &Work,
        share: impl Fn(usize, usize) -> f32 + Sync,
    ) -> Result<()> {
        for (name, new) in new.0 {
            let old = self.0.get(&name);
            // Equal pointers mean that the step did not touch the layer: there is nothing to mix.
            if old.is_some_and(|old| Arc::ptr_eq(old, &new)) {
                continue;
            }
            // Takes the new layer's own memory if it is not shared.
            let mut mixed = Arc::unwrap_or_clone(new);
            let width = mixed.grid().width;
            mixed.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, values)| {
                work.check()?;
                for (column, value) in values.iter_mut().enumerate() {
                    let old = old.map_or(0.0, |old| old.at(column, row));
                    // In this form the result is exactly `old` at a share of 0, and where old and new are
                    // equal.
                    *value = old + (*value - old) * share(column, row);
                }
                Ok::<_, Error>(())
            })?;
            self.set(name, mixed);
        }
        Ok(())
    }
}

/// Names as an error lists them: sorted, each once.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { "there is none".into() } else { format!("there are {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn a_blended_layer_lies_between_the_old_and_the_new_one() -> Result<()> {
        let grid = Grid::new(3, 1, 1.0)?;
        let (mut layers, mut new) = (Layers::default(), Layers::default());
        layers.set("old", Heightfield::flat(grid, 8.0));
        layers.set("kept", Heightfield::flat(grid, 5.0));
        new.set("old", Heightfield::flat(grid, 4.0));
        new.set("new", Heightfield::flat(grid, 4.0));
        new.set("kept", layers.shared("kept").unwrap().clone());
        layers.mix(new, &Work::new(), |column, _| 0.5 * column as f32)?;
        assert_eq!(layers.get("old").unwrap().heights(), [8.0, 6.0, 4.0]);
        assert_eq!(layers.get("new").unwrap().heights(), [0.0, 2.0, 4.0]);
        assert_eq!(layers.get("kept").unwrap().heights(), [5.0; 3]);
        assert_eq!(layers.names().collect::<Vec<_>>(), ["kept", "new", "old"]);
        assert_eq!(layers.bytes(), 36);
        Ok(())
    }

    #[test]
    fn known_layers_have_names_of_their_own() {
        for (index, layer) in LAYERS.iter().enumerate() {
            assert!(LAYERS[..index].iter().all(|other| other.name != layer.name));
            assert!(layer.low < layer.high && !layer.about.is_empty());
            assert_eq!(LayerInfo::of(layer.name), Some(layer));
        }
        assert_eq!(LayerInfo::of("painted"), None);
        assert_eq!((LayerInfo::unit_of(FLOW), LayerInfo::unit_of("painted")), ("km²", ""));
    }
}
