//! Dunes: wind lifts sand, carries it in hops and lays it down, and what becomes too steep slides.
//!
//! After Werner, "Eolian dunes: computer simulations and attractor interpretation" (1995): sand that lands
//! stays with a chance of 0.6 on sand and of 0.4 on rock, and always where ground upwind shelters it, under
//! 15°. As by Nilles, Günther and Müller (2024) chances are shares here: each sample gives some of its sand,
//! and of what lands on it a share stays and the rest hops on in the next step. All samples are computed at
//! once, each from the state before, in whole numbers: so no sand is lost, and threads change nothing.
//!
//! Chance makes Werner's dunes grow; shares alone would leave level sand level. Here dunes grow as in the
//! linear theory of Jackson and Hunt (1975): wind is stronger on slopes that face it and on ground that
//! bulges, and what it carries follows with a delay. The second part is the Hilbert transform of the slope
//! along the wind, here a sum over five distances that double; it has no scale of its own, so that dunes of
//! all sizes get the same shape. As by Kroy, Sauermann and Herrmann (2002) the wind sees crests with the
//! eddies behind them filled, down to the shadow. And sand that hops rolls aside where the ground falls
//! across the wind, which ties crests together; otherwise they break into short pieces.
//!
//! In the last steps the wind dies down: what is on its way over rock comes to the dunes.
//!
//! Lengths are counted in hops, whatever the distance between samples: dunes look the same on finer land.
//! The reach is all of the land: winds carry sand from one border to the other.
//!
//! Memory: 7 more fields of whole numbers: rock, sand, sand on its way, the surface and three for what a step
//! computes.

use super::blow::{LIFTED, PUSH, RISE, STRONGEST};
use super::desert::{BYTES, Desert, Heaps, Rim, Scale};
use super::slides::Around;
use super::wind::{WindRose, Winds};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::SAND;
use crate::grid::{Grid, Heightfield, memory};
use crate::params::{choice, params};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Site, estimate, step};

choice! {
    /// What happens to sand at the border.
    pub enum SandBorder {
        /// Sand that is blown over the border comes in on the opposite side: there is as much as before.
        Through = "through",
        /// As `through`, and shadows and slides cross the border, too: for land that tiles.
        Wrap = "wrap",
        /// Sand that is blown over the border is gone, and none comes in.
        Open = "open",
    }
}

params! {
    /// Wind blows sand over any land and piles it up into dunes: crests across the wind, crescents where
    /// sand is scarce, long crests along two winds, stars where winds come from all around. Mountains
    /// shelter sand behind them, and steep rock sheds it. The sand is in the layer `sand`, in metres: sand
    /// that an earlier step left there is blown, too, and the rock under it stays as it is. Finds all the
    /// sand again that it began with, unless the border is open.
    pub struct Dunes {
        /// Thickness of the sand that is laid over the land before the wind blows, in the mean.
        pub supply: f32 = 15.0, "m" in 0.0..=1000.0;
        /// Distance from crest to crest of the dunes that grow first. The longer the wind blows, the fewer
        /// and the larger are those that are left. Below 23 samples it counts as 23.
        pub spacing: f32 = 250.0, "m" in 0.1..=50000.0, log;
        /// Steps of the wind: how long it blows.
        pub steps: u32 = 300, "" in 0.0..=5000.0;
        /// How many winds there are.
        pub winds: Winds = Winds::One;
        /// Compass bearing that the wind blows from; of two winds, the middle between them.
        pub bearing: f32 = 270.0, "°" in 0.0..=360.0;
        /// Angle between two winds.
        pub apart: f32 = 120.0, "°" in 0.0..=180.0;
        /// Share of the time in which the second of two winds blows, the one farther clockwise.
        pub second: f32 = 0.5, "" in 0.0..=1.0;
        /// How far the wind turns to both sides from step to step.
        pub gusts: f32 = 15.0, "°" in 0.0..=90.0;
        /// Angle of repose: steeper sand slides.
        pub repose: f32 = 33.0, "°" in 10.0..=60.0;
        /// What happens to sand at the border.
        pub border: SandBorder = SandBorder::Through;
    }
}

/// Hops in the distance between the first crests.
const HOPS: f64 = 14.0;

/// The shortest hop, in samples: the shape of a dune takes some.
const SHORTEST: f64 = 1.6;

/// The longest, in samples.
const LONGEST: f64 = 4096.0;

/// How sand is laid: small waves from which dunes begin to grow. Star dunes gather little sand from far away,
/// so that they begin as heaps.
const HEAPS: Heaps = Heaps { distance: 6.0, height: 0.5 };
const FAR_HEAPS: Heaps = Heaps { distance: 13.0, height: 1.5 };

/// Steps in which the wind dies down in the end, and how strong it still is in the last.
const DYING: usize = 24;
const WEAKEST: f64 = 0.1;

/// The most rounds of slides after the last step: as a rule fewer leave nothing too steep.
const SETTLING: usize = 200;

impl Operation for Dunes {
    step!("dunes", "Dunes", Filter);

    fn formula(&self) -> Option<String> {
        let hop = self.spacing / HOPS as f32;
        let [repose, lifted, hop] = [self.repose, LIFTED as f32 * hop, hop].map(brief);
        let [push, rise, strongest] = [PUSH, RISE, STRONGEST].map(brief);
        Some(format!(
            "q = {lifted} m · f is lifted and lands {hop} m downwind; 0.6 stay, on rock 0.4\n\
             f = 1 + {push} s + {rise} H(s),  s = ∂h/∂x,  0 ≤ f ≤ {strongest};  in shadow (15°) all stays\n\
             {} steps;  sand steeper than {repose}° slides",
            self.steps
        ))
    }

    fn note(&self, cell: f32) -> Option<String> {
        let least = (HOPS * SHORTEST) as f32 * cell;
        (self.supply > 0.0 && self.spacing < least).then(|| {
            let [cell, least] = [cell, least].map(brief);
            format!(
                "dunes are {least} m apart at least: samples are {cell} m apart, too far for smaller ones"
            )
        })
    }

    /// Dunes that the samples can show, and enough sand for them.
    fn suit(&mut self, site: &Site) {
        let least = 2.0 * (HOPS * SHORTEST) as f32 * site.cell;
        self.spacing = self.spacing.max(least).min(50_000.0);
        self.supply = (0.08 * self.spacing).min(1000.0);
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 1000.0 + 70.0 * f64::from(self.steps))
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "apart" | "second" => self.winds == Winds::Two,
            _ => true,
        }
    }

    fn reads(&self) -> Vec<&str> {
        vec![SAND]
    }

    fn writes(&self) -> Vec<&str> {
        vec![SAND]
    }

    /// Land without sand stays as it is. Sand in the layer counts as part of the heights.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let grid = ground.grid();
        memory::require(grid, BYTES * grid.count() as u64)?;
        let hop = f64::from(self.spacing) / HOPS / f64::from(grid.cell);
        let scale = Scale {
            hop: hop.clamp(SHORTEST, LONGEST),
            repose: libm::tan(f64::from(self.repose).to_radians()),
        };
        let rim = Rim { returns: self.border != SandBorder::Open, wraps: self.border == SandBorder::Wrap };
        let wind = WindRose {
            winds: self.winds,
            bearing: f64::from(self.bearing),
            apart: f64::from(self.apart),
            second: f64::from(self.second),
            gusts: f64::from(self.gusts),
        };
        let before = ground.layers().get(SAND);
        let has_sand = match before {
            Some(sand) => sand.range_while(work)?.1 > 0.0,
            None => false,
        };
        if self.supply == 0.0 && !has_sand {
            work.check()?;
            if ground.wants(SAND) {
                ground.write_layer(SAND, Heightfield::flat(grid, 0.0));
            }
            return Ok(());
        }
        let mut desert = Desert::new(&ground.heights, before, self.supply, (scale, rim), work)?;
        let heaps = if self.winds == Winds::Around { FAR_HEAPS } else { HEAPS };
        desert.lay(self.supply, heaps, seed, work)?;
        let steps = self.steps as usize;
        work.stage("dunes", steps + 1);
        for number in 0..steps {
            desert.blow((wind.direction(number), strength(steps - number)), number, work)?;
            if number + 1 < steps {
                desert.slide(Around::Eight, work)?;
                let show = || self.seen(&desert, &ground.heights, work);
                work.frame("step", number + 1, steps, show)?;
            }
            work.advance(1);
        }
        desert.calm(work)?;
        for _ in 0..SETTLING {
            if !desert.slide(Around::Sixteen, work)? {
                break;
            }
        }
        desert.heights(&mut ground.heights, work)?;
        if ground.wants(SAND) {
            ground.write_layer(SAND, desert.thickness(work)?);
        }
        work.frame("step", steps, steps, || Ok(&ground.heights))?;
        work.advance(1);
        Ok(())
    }
}

/// How much the wind lifts when so many steps are left, as a share of what it lifts before it dies down.
fn strength(left: usize) -> f64 {
    let share = (left as f64 / DYING as f64).min(1.0);
    WEAKEST + (1.0 - WEAKEST) * share * share
}

impl Dunes {
    /// The land as it is now.
    fn seen(&self, desert: &Desert, before: &Heightfield, work: &Work) -> Result<Heightfield> {
        let mut heights = before.copy_while(work)?;
        desert.heights(&mut heights, work)?;
        Ok(heights)
    }
}
