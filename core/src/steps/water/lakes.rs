//! Lakes in the hollows of a land, at levels of their own.
//!
//! Where they lie and how high they stand is found by [`drainage`](crate::drainage); this is the step.

use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules, Hollows};
use crate::error::Result;
use crate::grid::layer::{HOLE, LAKE_DEPTH, LAKE_LEVEL};
use crate::grid::{Grid, Heightfield};
use crate::params::params;
use crate::steps::number::brief;
use crate::steps::water::{Lake, Marks, River};
use crate::steps::{Ground, Operation, Site, estimate, step};

params! {
    /// Water in the hollows of a land: each lake is level, and stands as high as the lowest way out of its
    /// hollow or, in a dry climate, lower. The ground stays as it is, so let lakes come after all steps that
    /// change it. They take the place of the lakes of an earlier step.
    pub struct Lakes {
        /// Lakes of a smaller area stay dry: elevation data have many hollows of one sample.
        pub smallest: f32 = 0.01, "km²" in 0.0..=1000.0, log;
        /// Lakes that are nowhere deeper than this stay dry.
        pub shallowest: f32 = 0.5, "m" in 0.0..=1000.0;
        /// Height of the sea. Ground below it is sea bed if the sea reaches it from the land's border, and
        /// can otherwise hold a lake. At the lowest value there is no sea.
        pub sea: f32 = 0.0, "m" in -12000.0..=12000.0, unlimited below;
        /// Whether water leaves the land over its border. If it doesn't, lakes can lie at the border too.
        pub open_border: bool = true;
        /// Water that runs off the land in a year. It matters only where lakes lose water.
        pub runoff: f32 = 400.0, "mm" in 0.0..=10000.0;
        /// Water that lakes lose to the air in a year, less what rains on them. A lake that loses more than
        /// it gets is not full and has no outflow. At 0 all lakes are full.
        pub evaporation: f32 = 0.0, "mm" in 0.0..=10000.0;
    }
}

impl Lakes {
    fn rules(&self) -> DrainageRules {
        DrainageRules {
            sea: if self.sea > River::NO_SEA { self.sea } else { f32::NEG_INFINITY },
            open_border: self.open_border,
            hollows: Hollows::Keep,
            smallest_lake: 0.0,
            runoff: f64::from(self.runoff) * 1e-3,
            evaporation: f64::from(self.evaporation) * 1e-3,
        }
    }

    /// The lakes of a land, those with the first outlets first. Water that reaches a hole leaves the land
    /// there.
    fn found(&self, ground: &Ground, work: &Work) -> Result<Vec<Lake>> {
        let holes = ground.layers().shared(HOLE).cloned();
        let drainage = Drainage::with_holes(&ground.heights, holes.as_deref(), &self.rules(), work)?;
        found_in(&drainage, f64::from(self.smallest) * 1e6, self.shallowest, work)
    }
}

/// The lakes of a drainage that are at least so large, in square metres, and deeper than `shallowest`.
pub(super) fn found_in(
    drainage: &Drainage,
    smallest: f64,
    shallowest: f32,
    work: &Work,
) -> Result<Vec<Lake>> {
    let ground = drainage.ground();
    let grid = ground.grid();
    let mut marks = Marks::new(grid);
    let mut lakes = Vec::new();
    drainage.each_lake(work, |hollow, wet| {
        let area = wet.len() as f64 * f64::from(grid.cell) * f64::from(grid.cell);
        let depth = hollow.level - ground.heights()[hollow.deepest];
        if !wet.is_empty() && area >= smallest && depth > shallowest {
            lakes.push(Lake::new(ground, hollow, wet, depth, &mut marks));
        }
    })?;
    Ok(lakes)
}

impl Operation for Lakes {
    step!("lakes", "Lakes", Waterway);

    /// They lie above the sea, if there is one.
    fn suit(&mut self, site: &Site) {
        self.sea = site.sea_level.map_or(River::NO_SEA, |level| level.clamp(River::NO_SEA, 12_000.0));
    }

    fn reads(&self) -> Vec<&str> {
        vec![HOLE]
    }

    fn writes(&self) -> Vec<&str> {
        vec![LAKE_LEVEL, LAKE_DEPTH]
    }

    fn uses(&self, name: &str) -> bool {
        name != "runoff" || self.evaporation > 0.0
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let lakes = self.found(ground, work)?;
        let field = &ground.heights;
        let level = ground.wants(LAKE_LEVEL).then(|| over(&lakes, field, field.clone(), |_, level| level));
        let depth = ground.wants(LAKE_DEPTH).then(|| {
            let dry = Heightfield::flat(field.grid(), 0.0);
            over(&lakes, field, dry, |here, level| level - field.heights()[here])
        });
        for (name, layer) in [(LAKE_LEVEL, level), (LAKE_DEPTH, depth)] {
            if let Some(layer) = layer {
                ground.write_layer(name, layer);
            }
        }
        ground.lakes = lakes;
        Ok(())
    }

    fn formula(&self) -> Option<String> {
        let ways = if self.open_border { "border or sea" } else { "sea" };
        let level = match self.evaporation {
            0.0 => "l = f".to_owned(),
            evaporation => {
                format!("l = f, or lower where {} A = {} · its area", brief(self.runoff), brief(evaporation))
            }
        };
        Some(format!(
            "f: least, over all ways to {ways}, of the highest h on the way\n\
             {level};  depth = l − h, where h < l\n\
             area ≥ {} km²;  greatest depth > {} m",
            brief(self.smallest),
            brief(self.shallowest)
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 220.0)
    }
}

/// A layer with `value(sample, level)` on the samples of `field` under water.
fn over(
    lakes: &[Lake],
    field: &Heightfield,
    mut layer: Heightfield,
    value: impl Fn(usize, f32) -> f32,
) -> Heightfield {
    let width = field.grid().width;
    let values = layer.heights_mut();
    for lake in lakes {
        for (column, row) in lake.bed(field) {
            let here = row * width + column;
            values[here] = value(here, lake.level());
        }
    }
    layer
}
