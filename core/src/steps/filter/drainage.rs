//! Drainage: fills, breaches or keeps the hollows of any land, and writes where its water runs.
//!
//! The computation is in [`drainage`](crate::drainage); this is its step.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::drainage::{Drainage as Network, DrainageRules, ENDS, Hollows, LEADS_TO};
use crate::error::{Error, Result};
use crate::grid::layer::{BASIN, FLOW, FLOW_DIRECTION, HOLE, LAKE_DEPTH, LAKE_LEVEL, STREAM_ORDER};
use crate::grid::{Grid, Heightfield};
use crate::params::{choice, params};
use crate::steps::number::brief;
use crate::steps::water::River;
use crate::steps::{Ground, Operation, Site, estimate, step};

choice! {
    /// What becomes of hollows: ground that lies lower than the lowest way out of it.
    pub enum HollowGround {
        /// They stay, and hold lakes.
        Keep = "keep",
        /// They are filled with ground up to the lowest way out.
        Fill = "fill",
        /// A way out is cut for their water, no deeper than it must be.
        Breach = "breach",
    }
}

params! {
    /// Where the water of a land runs: fills its hollows, cuts a way out of them, or leaves them to lakes,
    /// and writes drainage areas, basins, the order of streams and lakes as layers. It works on any land,
    /// also on imported land, and changes no heights where hollows are kept. Let it come after all steps that
    /// change the land's valleys.
    pub struct Drainage {
        /// What becomes of hollows.
        pub hollows: HollowGround = HollowGround::Keep;
        /// Hollows are breached if their lake would be smaller than this: elevation data have many of one
        /// sample.
        pub smallest_lake: f32 = 0.01, "km²" in 0.0..=1000.0, log;
        /// Height of the sea. Ground below it is sea bed if the sea reaches it from the land's border, and
        /// can otherwise hold a lake. At the lowest value there is no sea.
        pub sea: f32 = 0.0, "m" in -12000.0..=12000.0, unlimited below;
        /// Whether water leaves the land over its border. If it doesn't, it leaves into the sea alone, and on
        /// land without a sea at the lowest place.
        pub open_border: bool = true;
        /// Water that runs off the land in a year. It matters only where lakes lose water.
        pub runoff: f32 = 400.0, "mm" in 0.0..=10000.0;
        /// Water that lakes lose to the air in a year, less what rains on them. A lake that loses more than
        /// it gets is not full and has no outflow. At 0 all lakes are full.
        pub evaporation: f32 = 0.0, "mm" in 0.0..=10000.0;
        /// Drainage area from which water runs in a stream that is counted in `stream_order`.
        pub stream_from: f32 = 0.5, "km²" in 0.0..=10000.0, log;
    }
}

impl Drainage {
    fn rules(&self) -> DrainageRules {
        let has_sea = self.sea > River::NO_SEA;
        DrainageRules {
            sea: if has_sea { self.sea } else { f32::NEG_INFINITY },
            open_border: self.open_border,
            hollows: match self.hollows {
                HollowGround::Keep => Hollows::Keep,
                HollowGround::Fill => Hollows::Fill,
                HollowGround::Breach => Hollows::Breach,
            },
            smallest_lake: f64::from(self.smallest_lake) * 1e6,
            runoff: f64::from(self.runoff) * 1e-3,
            evaporation: f64::from(self.evaporation) * 1e-3,
        }
    }

    /// Whether it leaves all heights as they are.
    fn keeps_ground(&self) -> bool {
        self.hollows == HollowGround::Keep && self.smallest_lake == 0.0
    }

    /// Drainage area from which a stream is counted, in samples of `grid`.
    fn stream_samples(&self, grid: Grid) -> u32 {
        let samples = f64::from(self.stream_from) * 1e6 / square_metres(grid);
        // Every sample drains at least itself.
        samples.ceil().clamp(1.0, f64::from(u32::MAX)) as u32
    }

    /// Writes the layers that will be read.
    fn write_layers(&self, network: &Network, ground: &mut Ground, work: &Work) -> Result<()> {
        let grid = ground.grid();
        if ground.wants(FLOW) {
            let per_sample = square_metres(grid) * 1e-6;
            let flow = |samples: u32| (f64::from(samples) * per_sample) as f32;
            let mut layer = layer_of(grid, work, |here| flow(network.areas()[here]))?;
            let flows = layer.heights_mut();
            // All of a lake passes on the same water.
            network.each_lake(work, |lake, samples| {
                samples.iter().for_each(|here| flows[*here as usize] = flow(lake.area));
            })?;
            ground.write_layer(FLOW, layer);
        }
        if ground.wants(FLOW_DIRECTION) {
            ground.write_layer(FLOW_DIRECTION, layer_of(grid, work, |here| bearing(network.ways()[here]))?);
        }
        if ground.wants(LAKE_LEVEL) {
            ground.write_layer(LAKE_LEVEL, network.surface().clone());
        }
        if ground.wants(LAKE_DEPTH) {
            let (surface, bed) = (network.surface().heights(), network.ground().heights());
            ground.write_layer(LAKE_DEPTH, layer_of(grid, work, |here| surface[here] - bed[here])?);
        }
        if ground.wants(BASIN) {
            let basins = network.basins(work)?;
            ground.write_layer(BASIN, layer_of(grid, work, |here| basins[here] as f32)?);
        }
        if ground.wants(STREAM_ORDER) {
            let orders = network.orders(self.stream_samples(grid), work)?;
            let layer =
                layer_of(
                    grid,
                    work,
                    |here| if network.is_sea(here) { 0.0 } else { f32::from(orders[here]) },
                )?;
            ground.write_layer(STREAM_ORDER, layer);
        }
        Ok(())
    }
}

fn square_metres(grid: Grid) -> f64 {
    f64::from(grid.cell) * f64::from(grid.cell)
}

/// A layer whose value at each sample is `value(sample)`.
fn layer_of(grid: Grid, work: &Work, value: impl Fn(usize) -> f32 + Sync) -> Result<Heightfield> {
    let mut layer = Heightfield::flat(grid, 0.0);
    layer.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, values)| {
        work.check()?;
        let first = row * grid.width;
        values.iter_mut().enumerate().for_each(|(column, to)| *to = value(first + column));
        Ok::<_, Error>(())
    })?;
    Ok(layer)
}

/// The compass bearing of a way, degrees in (0, 360]; 0 where water ends.
fn bearing(way: u8) -> f32 {
    if way == ENDS {
        return 0.0;
    }
    match LEADS_TO[usize::from(way)] {
        (1, -1) => 45.0,
        (1, 0) => 90.0,
        (1, 1) => 135.0,
        (0, 1) => 180.0,
        (-1, 1) => 225.0,
        (-1, 0) => 270.0,
        (-1, -1) => 315.0,
        // As wind from the north is: 0 would be a calm.
        _ => 360.0,
    }
}

impl Operation for Drainage {
    step!("drainage", "Drainage", Filter);

    /// Lakes lie above the sea, if there is one.
    fn suit(&mut self, site: &Site) {
        self.sea = site.sea_level.map_or(River::NO_SEA, |level| level.clamp(River::NO_SEA, 12_000.0));
    }

    fn reads(&self) -> Vec<&str> {
        vec![HOLE]
    }

    fn writes(&self) -> Vec<&str> {
        vec![FLOW, FLOW_DIRECTION, BASIN, STREAM_ORDER, LAKE_LEVEL, LAKE_DEPTH]
    }

    fn uses(&self, name: &str) -> bool {
        let has_lakes = self.hollows == HollowGround::Keep;
        match name {
            "smallest_lake" | "evaporation" => has_lakes,
            "runoff" => has_lakes && self.evaporation > 0.0,
            _ => true,
        }
    }

    /// Water that reaches a [hole](crate::grid::layer::HOLE) leaves the land there.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let wants_layers = self.writes().iter().any(|name| ground.wants(name));
        if self.keeps_ground() && !wants_layers {
            return Ok(());
        }
        let holes = ground.layers().shared(HOLE).cloned();
        let network = Network::with_holes(&ground.heights, holes.as_deref(), &self.rules(), work)?;
        work.frame("hollows", 1, 1, || Ok(network.ground()))?;
        if !self.keeps_ground() {
            ground.heights = network.ground().clone();
        }
        if wants_layers {
            self.write_layers(&network, ground, work)?;
        }
        Ok(())
    }

    fn formula(&self) -> Option<String> {
        let leaves = if self.open_border { "border or sea" } else { "sea" };
        let ground = match (self.hollows, self.evaporation) {
            (HollowGround::Fill, _) => "h′ = f".to_owned(),
            (HollowGround::Breach, _) => "h′ = least h upstream, along the lowest way out".to_owned(),
            (HollowGround::Keep, 0.0) => "lake where h < f, up to f".to_owned(),
            (HollowGround::Keep, evaporation) => format!(
                "lake where h < f, up to f or {} A = {} · its area",
                brief(self.runoff),
                brief(evaporation)
            ),
        };
        let small = match self.smallest_lake {
            small if small > 0.0 && self.hollows == HollowGround::Keep => {
                format!(";  none below {} km²", brief(small))
            }
            _ => String::new(),
        };
        Some(format!(
            "f: least, over all ways to {leaves}, of the highest h on the way\n\
             {ground}{small}\n\
             A = own ground + Σ A of the neighbours whose steepest way leads here"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // Breaching floods the land once more.
        estimate::of_samples(grid, if self.keeps_ground() { 200.0 } else { 380.0 })
    }
}
