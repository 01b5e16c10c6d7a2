//! Glaciers: ice that flows by its own weight wears valleys down to troughs.
//!
//! The ice follows the shallow-ice approximation ([`ice`]); it gains and loses by height, and slides over its
//! bed, which it wears away in proportion to its speed, and more where it pulls blocks off ([`wear`]), at a
//! right angle ([`bed`]). The bed changes a thousand times more slowly than the ice, so the time is divided
//! into rounds: in each, the ice adjusts to bed and climate for some years, and then wears the bed down for
//! all the years of the round ([`glaciation`]). In the end the ice retreats step by step and leaves moraines
//! ([`moraine`]).
//!
//! The ice has a grid of its own, coarser than that of most lands, and half as fine in most rounds ([`land`]):
//! it is the same for every size of field, and so is the landform. Its reach is all of the land.
//!
//! Memory: ten more fields, and 290 bytes for each sample of the ice's grid.

mod bed;
mod flow;
mod glaciation;
mod ice;
mod land;
#[cfg(test)]
mod laws;
mod moraine;
mod params;
#[cfg(test)]
mod tests;
mod wear;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{DEBRIS, DEPOSIT, HARDNESS, ICE, WEAR};
use crate::grid::{Grid, Heightfield, memory};
use crate::noise::stream;
use crate::steps::number::brief;
use crate::steps::rock::Variety;
use crate::steps::{Ground, Operation, Site, estimate, step};
use glaciation::{Climate, GRADIENT, ROUNDS};
use land::Leaves;
pub use params::Glacier;

/// Keeps the rock's strength independent of other noise of the same seed.
const PATCHES: u64 = 0x676c_6163;

/// Distance from one closely jointed place to the next, metres, and the least wear anywhere.
const PATCH: f32 = 1000.0;
const LEAST: f32 = 0.3;

/// Metres between samples from which on glaciers are too narrow for them.
const COARSE: f32 = 100.0;

impl Operation for Glacier {
    step!("glacier", "Glaciers", Filter);

    /// The line lies half-way up the land.
    fn suit(&mut self, site: &Site) {
        if let Some((low, high)) = site.range {
            let low = site.sea_level.map_or(low, |sea| low.max(sea));
            self.line = (0.5 * (low + high)).round().clamp(-12_000.0, 12_000.0);
        }
    }

    fn formula(&self) -> Option<String> {
        let [line, swing, snow, slope] = [self.line, self.swing, self.snowfall, self.max_slope].map(brief);
        let [age, gradient, thick] = [self.age / 1000.0, GRADIENT as f32, wear::THICK as f32].map(brief);
        let worn = brief(1e4 * wear::ERODIBILITY as f32 * self.strength);
        Some(format!(
            "∂H/∂t = b + ∇·((Γ H⁵ + Σ H³) |∇s|² ∇s),  u = Σ H² |∇s|³,  s = h + H\n\
             b = min({gradient} (s − L), {snow}),  L = {line} … {line} + {swing}\n\
             ∂h/∂t = −{worn} · 10⁻⁴ u √(1 + |∇h|²) H / (H + {thick}),  {age} ka,  ≤ {slope}°"
        ))
    }

    fn reads(&self) -> Vec<&str> {
        vec![DEBRIS, HARDNESS, ICE]
    }

    fn writes(&self) -> Vec<&str> {
        vec![WEAR, DEPOSIT, DEBRIS, ICE]
    }

    fn note(&self, cell: f32) -> Option<String> {
        (cell > COARSE).then(|| {
            format!("samples are {} m apart: most valleys of glaciers are not much wider", brief(cell))
        })
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let seconds =
            land::steps(grid).into_iter().map(|(grid, steps)| grid.count() as f64 * steps as f64 * 130.0);
        estimate::in_seconds(seconds.sum::<f64>() + 300.0 * grid.count() as f64)
    }

    /// Ground that no ice has reached keeps its bits, apart from walls that were undercut. What is worn away
    /// and doesn't lie in moraines has left the land. Ice of an earlier step is taken away first.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let grid = ground.grid();
        memory::require(grid, 40 * grid.count() as u64 + land::bytes_of_ice(grid))?;
        let climate = Climate {
            line: f64::from(self.line),
            swing: f64::from(self.swing),
            snowfall: f64::from(self.snowfall),
            years: f64::from(self.age),
            strength: f64::from(self.strength),
            steepest: libm::tan(f64::from(self.max_slope).to_radians()),
        };
        let leaves = Leaves { moraines: 0.01 * f64::from(self.moraines), rise: f64::from(self.warming) };
        let hardness = ground.layers.shared(HARDNESS).cloned();
        let variety = Variety { amount: self.variety, patches: PATCH, least: LEAST };
        let weakness = (self.variety > 0.0 || hardness.is_some())
            .then(|| variety.weakness(ground.region(), hardness.as_deref(), stream(seed, PATCHES), work))
            .transpose()?;
        let mut bare = ground.heights.clone();
        if let Some(ice) = ground.layers.shared(ICE).cloned() {
            bare.unshare_while(work)?;
            bare.change_while(work, |column, row, height| *height -= ice.at(column, row).max(0.0))?;
        }
        // On a thread of the pool from the beginning: there, small tasks are done without waking another one.
        let after = rayon::scope(|_| land::glaciated(&bare, weakness.as_ref(), climate, leaves, work))?;
        drop(weakness);
        // A comparison instead of `max`, so that 0 and not −0 is written.
        let rise = |column, row, sign: f32| {
            let change = sign * (after.ground.at(column, row) - bare.at(column, row));
            if change > 0.0 { change } else { 0.0 }
        };
        for (name, sign) in [(WEAR, -1.0), (DEPOSIT, 1.0)] {
            if ground.wants(name) {
                let mut layer = Heightfield::flat(grid, 0.0);
                layer.change_while(work, |column, row, value| *value = rise(column, row, sign))?;
                ground.write_layer(name, layer);
            }
        }
        if ground.wants(DEBRIS) {
            let before = ground.layers.shared(DEBRIS).cloned();
            let mut debris = after.moraines.copy_while(work)?;
            if let Some(before) = before {
                debris.change_while(work, |column, row, value| {
                    // What lay there goes first.
                    *value += (before.at(column, row).max(0.0) - rise(column, row, -1.0)).max(0.0);
                })?;
            }
            ground.write_layer(DEBRIS, debris);
        }
        let heights = after.with_ice(work)?;
        if ground.wants(ICE) {
            ground.write_layer(ICE, after.ice.unwrap_or_else(|| Heightfield::flat(grid, 0.0)));
        }
        ground.heights = heights;
        work.frame("round", ROUNDS, ROUNDS, || Ok(&ground.heights))
    }
}
