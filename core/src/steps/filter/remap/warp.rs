//! Domain warp: every point takes the height of a point nearby, displaced by noise (Perlin and Hoffert's
//! "hypertexture", later Quilez).

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::{BAND, stream};
use crate::params::params;
use crate::steps::generate::fractal::Scratch;
use crate::steps::generate::{Fbm, Generate};
use crate::steps::number::brief;
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Bends and folds the land horizontally: straight ridges become winding ones.
    pub struct Warp {
        /// Largest displacement of a point, as a share of the longer side, or of `unit` on endless land.
        pub reach: f32 = 0.05, "" in 0.0..=1.0;
        /// Bends per unit: along the longer side, or in `unit` metres of endless land.
        pub frequency: f32 = 3.0, "" in 0.05..=256.0, log;
        /// Octaves of the displacement noise.
        pub octaves: f32 = 4.0, "" in 1.0..=12.0;
    }
}

/// Up to this many samples, a halo costs less than finding out where a window is moved to.
const FEW: f32 = 12.0;

/// Samples around those that points are moved to: two for the curves between them, one for rounding.
const AROUND: u32 = 3;

impl Operation for Warp {
    step!("warp", "Domain warp", Filter);

    fn formula(&self) -> Option<String> {
        let bend = Fbm { frequency: self.frequency, octaves: self.octaves, ..Fbm::default() };
        let [noise, weights] = bend.shape_formula();
        let reach = brief(self.reach);
        Some(format!("h′(x) = h(x + {reach} · (F₁(x), F₂(x))),  F(x) = Σ wᵢ {noise} / Σ wᵢ\n{weights}"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let bend = Fbm { frequency: self.frequency, octaves: self.octaves, ..Fbm::default() };
        2.0 * bend.seconds(grid) + estimate::of_samples(grid, 30.0)
    }

    fn reach(&self, domain: Domain) -> Reach {
        Reach::Near(self.reach * domain.unit() + 2.0 * domain.cell())
    }

    /// In a window the heights come from where the window is moved to.
    fn looks_at(&self, window: &Region, seed: u64, work: &Work) -> Result<Needs> {
        let (bend, cell) = (self.bend(window), window.grid().cell);
        let domain = window.domain();
        // All of a land already has every height that can be fetched. For a window the exact region takes a
        // second computation of the displacements, which is not worth it for a small reach.
        if window.is_whole() || self.reach * domain.unit() < FEW * cell {
            if window.level() >= 0 {
                return Ok(Needs::within(self.reach(domain), window));
            }
            // A point is moved by a few samples here, while two cells of level 0 would be thousands.
            let halo = window.samples_within(self.reach * domain.unit()).saturating_add(AROUND);
            return Ok(Needs::Halo(halo));
        }
        let along = |axis: u64| {
            let (low, high) = bend.make(window, stream(seed, axis), &work.unobserved())?.range_while(work)?;
            // Outwards to whole samples, so that the region holds every place it is moved to.
            Ok::<_, Error>([(low / cell).floor() as i64, (high / cell).ceil() as i64])
        };
        // Two samples more, for the curves between them.
        Ok(Needs::Context { region: window.moved([along(1)?, along(2)?], 2), alone: true })
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        // The heights themselves hold the eastward displacement until they are replaced, and the southward
        // one is made a few rows at a time: one more field is enough.
        let east = self.bend(&region).make(&region, stream(seed, 1), &work.unobserved())?;
        let before = std::mem::replace(&mut ground.heights, east);
        let Some(context) = ground.context().cloned() else {
            return self.fetch(&mut ground.heights, &region, (&before, &region), seed, work);
        };
        // The context has heights of its own; the others would only take memory until the end.
        drop(before);
        self.fetch(&mut ground.heights, &region, (&context.heights, context.region()), seed, work)
    }
}

impl Warp {
    /// How far points are moved, east or south, as heights.
    fn bend(&self, region: &Region) -> Fbm {
        let reach = self.reach * region.domain().unit();
        Fbm { height: reach, frequency: self.frequency, octaves: self.octaves, ..Fbm::default() }
    }

    /// Replaces eastward displacements by heights of the source.
    fn fetch(
        &self,
        field: &mut Heightfield,
        region: &Region,
        (source, from): (&Heightfield, &Region),
        seed: u64,
        work: &Work,
    ) -> Result<()> {
        let grid = field.grid();
        let bend_south = self.bend(region).bands(*region, stream(seed, 2));
        // Between windows of one level, so the difference is in whole samples.
        let [x, z] = [region.column(0) - from.column(0), region.row(0) - from.row(0)];
        work.stage("warp", grid.depth);
        let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(Scratch::default, |scratch, (band, heights)| {
            // One band at a time: a second whole field would double the memory.
            let mut south = vec![0.0; heights.len()];
            bend_south(band * BAND, &mut south, scratch, work)?;
            let rows = heights.chunks_exact_mut(grid.width).zip(south.chunks_exact(grid.width));
            for (index, (heights, south)) in rows.enumerate() {
                work.check()?;
                let row = z + (band * BAND + index) as i64;
                in_wide_registers(FetchRow { source, from: [x, row], cell: grid.cell, heights, south });
                work.advance(1);
            }
            Ok(())
        })
    }
}

/// A row of eastward displacements that heights of the source take the place of.
struct FetchRow<'a> {
    source: &'a Heightfield,
    /// The sample of the source that the first of the row coincides with.
    from: [i64; 2],
    cell: f32,
    heights: &'a mut [f32],
    south: &'a [f32],
}

impl Loop for FetchRow<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let [x, row] = self.from;
        for (column, (height, south)) in (x..).zip(self.heights.iter_mut().zip(self.south)) {
            let moved = Vec2::new(*height, *south) / self.cell;
            // The place is given as a sample and a small difference: their sum in f32 would lose digits far
            // from the origin.
            *height = self.source.sample_smooth_beside([column, row], moved);
        }
    }
}
