//! Snow: what falls in a winter and hasn't melted yet, drifted by the wind and slid off steep ground.
//!
//! The year is added up in steps of five days ([`year`]): temperature falls by 6.5 K a kilometre, and snow
//! melts by a temperature index with the sun on the slope, after Hock, "A distributed temperature-index ice-
//! and snowmelt model including potential direct solar radiation" (1999); mountains cast shadows. Wind takes
//! snow from ground that faces it and leaves it in the lee ([`drift`]; Winstral et al. 2002). Steep ground
//! holds no more than a depth that depends on its slope ([`held`]; Bernhardt and Schulz 2010); the rest runs
//! down as avalanches until it settles ([`avalanches`]).
//!
//! Its reach is all of the land: no halo is as wide as every avalanche is long.
//!
//! Memory: at most 7 more fields.

mod avalanches;
mod drift;
mod heap;
mod held;
mod horizon;
mod margin;
mod slide;
mod spread;
mod sun;
#[cfg(test)]
mod tests;
mod year;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::SNOW;
use crate::grid::{Grid, Heightfield, memory};
use crate::params::params;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Site, estimate, step};
use drift::Drift;
use held::{HELD, POWER};
use year::{Climate, INCREASE, LAPSE, MELT, MELT_BY_SUN, THICKEST, Year};

params! {
    /// Lays the snow of a winter over the land: more the higher the ground, less on slopes in the sun,
    /// drifted into the lee of crests, and slid off steep ground into cones below it. The heights rise by it.
    /// It writes the layer `snow`, its thickness, which counts the snow of earlier steps as well.
    pub struct Snow {
        /// Mean temperature of the year at height 0: it falls by 6.5 K for every 1000 m.
        pub temperature: f32 = 11.0, "°C" in -40.0..=40.0;
        /// How much warmer than the mean the warmest day is, and how much colder the coldest.
        pub swing: f32 = 9.0, "K" in 0.0..=40.0;
        /// Settled snow that would fall in a year at height 0 if it were always cold enough; 6 % more falls
        /// for every 100 m of height.
        pub snowfall: f32 = 1.8, "m" in 0.0..=50.0;
        /// Day of the year that it shows, counted from the first of January. In the north the year of snow
        /// begins with the first of September, in the south half a year later.
        pub day: f32 = 110.0, "days" in 0.0..=365.0;
        /// Latitude, which says how high the sun stands; north of the equator above 0.
        pub latitude: f32 = 47.0, "°" in -90.0..=90.0;
        /// Bearing that the wind blows from: 270 is the west.
        pub wind: f32 = 270.0, "°" in 0.0..=360.0;
        /// Share of the snow that the wind takes from ground that faces it.
        pub drift: f32 = 0.6, "" in 0.0..=1.0;
        /// How far the wind carries snow, and how far upwind ground gives shelter.
        pub reach: f32 = 200.0, "m" in 1.0..=1000.0, log;
        /// Share of what steep ground doesn't hold that slides down: at 0 there are no avalanches, at 1 no
        /// snow is thicker than 3.6 m on slopes of 30°, 1.6 m at 45° and 0.9 m at 60°, measured upright.
        pub avalanches: f32 = 1.0, "" in 0.0..=1.0;
    }
}

/// Bytes that are needed for each sample.
const BYTES: u64 = 28;

/// Parts of the work after each of which the land is shown.
const PARTS: usize = 3;

impl Operation for Snow {
    step!("snow", "Snow", Filter);

    /// In April snow lies on the upper two thirds of the heights.
    fn suit(&mut self, site: &Site) {
        if let Some((low, high)) = site.range {
            // The mean temperature of the year at the snow line, with the other parameters as they come.
            const AT_LINE: f32 = 3.7;
            let low = site.sea_level.map_or(low, |sea| sea.max(low)).min(high);
            let line = low + (high - low) / 3.0;
            self.temperature = (AT_LINE + LAPSE * line).round().clamp(-40.0, 40.0);
        }
    }

    fn formula(&self) -> Option<String> {
        let [temperature, swing, snowfall] = [self.temperature, self.swing, self.snowfall].map(brief);
        let [lapse, increase, melt, by_sun, held, power] =
            [LAPSE, INCREASE, MELT, MELT_BY_SUN, HELD, POWER].map(brief);
        Some(format!(
            "T = {temperature} + {swing} cos(2π (t − 200) / 365) − {lapse} h\n\
             ∂d/∂t = {snowfall} / 365 (1 + {increase} h) f(T) − ({melt} + {by_sun} I) T⁺ / 300\n\
             f: 1 to 0 °C, 0 from 2 °C,  I: sun, W/m²,  d ≤ {held} s^({power}), slope s in °"
        ))
    }

    fn reads(&self) -> Vec<&str> {
        vec![SNOW]
    }

    fn writes(&self) -> Vec<&str> {
        vec![SNOW]
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "wind" | "reach" => self.drift > 0.0,
            _ => true,
        }
    }

    fn note(&self, cell: f32) -> Option<String> {
        (self.drift > 0.0 && self.reach < cell).then(|| {
            let [reach, cell] = [self.reach, cell].map(brief);
            format!("wind carries snow {reach} m, and samples are {cell} m apart: nothing drifts")
        })
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 600.0)
    }

    /// Snow of an earlier step in the layer `snow` lies there when the year begins, and is part of the
    /// heights. Ground on which as much lies as before keeps its bits. Avalanches may leave the land over its
    /// border.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let grid = ground.grid();
        memory::require(grid, BYTES * grid.count() as u64)?;
        let before = ground.layers.shared(SNOW).cloned();
        let before = |column: usize, row: usize| {
            before.as_ref().map_or(0.0, |before| before.at(column, row).clamp(0.0, THICKEST))
        };
        let mut lying = Heightfield::flat(grid, 0.0);
        lying.change_while(work, |column, row, lying| *lying = before(column, row))?;
        let mut bare = ground.heights.clone();
        if ground.layers.get(SNOW).is_some() {
            bare.unshare_while(work)?;
            bare.change_while(work, |column, row, height| *height -= before(column, row))?;
        }
        let shown = |lying: &Heightfield| -> Result<Heightfield> {
            let mut heights = bare.copy_while(work)?;
            heights.change_while(work, |column, row, height| *height += lying.at(column, row))?;
            Ok(heights)
        };
        self.year().pass(&bare, &mut lying, work)?;
        work.frame("part", 1, PARTS, || shown(&lying))?;
        if let Some(drift) = Drift::new(self.wind, self.drift, self.reach, grid) {
            drift.blow(&bare, &mut lying, work)?;
        }
        work.frame("part", 2, PARTS, || shown(&lying))?;
        if self.avalanches > 0.0 {
            avalanches::slide(&bare, &mut lying, self.avalanches, work)?;
        }
        ground.heights.change_while(work, |column, row, height| {
            let lying = lying.at(column, row);
            if lying != before(column, row) {
                *height = bare.at(column, row) + lying;
            }
        })?;
        if ground.wants(SNOW) {
            ground.write_layer(SNOW, lying);
        }
        work.frame("part", PARTS, PARTS, || Ok(&ground.heights))
    }
}

impl Snow {
    fn year(&self) -> Year {
        Year::of(&Climate {
            temperature: self.temperature,
            swing: self.swing,
            snowfall: self.snowfall,
            day: self.day,
            latitude: self.latitude,
        })
    }
}
