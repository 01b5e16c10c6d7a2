//! The grids of an erosion, from the coarsest to the full one.

use super::jitter::Jitter;
use super::land::ErodingLand;
use super::original::Original;
use super::params::Erode;
use super::pass::Pass;
use super::rock::Rock;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::stream;
use crate::resize::{bilinear, catmull_rom};
use crate::steps::rock::{Bedding, Beds};

/// Samples along the longer side of the coarsest grid; each finer grid has twice as many cells.
const COARSEST: usize = 65;

/// The grids of an erosion from the coarsest to the full one, and how far it has come: each grid begins with
/// the heights of the coarser one.
pub(super) struct Pyramid<'a> {
    erode: &'a Erode,
    rock: Rock,
    /// Resistance of the full grid's samples to rivers.
    hardness: Option<&'a Heightfield>,
    /// The beds of its rock.
    bedding: Option<&'a Bedding>,
    coarser: Option<(Heightfield, Jitter)>,
    /// What slides down on the coarser grid in each τ, if rivers drop sediment.
    slides: Option<Heightfield>,
    full: Grid,
    /// The full grid's index in the ladder.
    index: usize,
    seed: u64,
}

impl<'a> Pyramid<'a> {
    /// Erodes all grids coarser than the field's, so that the full one is left. `None` if there is nothing to
    /// do.
    pub(super) fn coarse_to_fine(
        erode: &'a Erode,
        field: &Heightfield,
        (hardness, bedding): (Option<&'a Heightfield>, Option<&'a Bedding>),
        seed: u64,
        work: &Work,
    ) -> Result<Option<Self>> {
        let (low, high) = field.range_while(work)?;
        // Level land has no slope that a river could follow.
        if low == high || erode.age == 0.0 {
            return Ok(None);
        }
        let full = field.grid();
        let rock = Rock::new(erode, full, stream(seed, ROCK), work)?;
        let (coarser, slides) = (None, None);
        let mut pyramid = Self { erode, rock, hardness, bedding, coarser, slides, full, index: 0, seed };
        for grid in ladder(full) {
            let begin = pyramid.upsample(grid, work)?;
            let mut heights = catmull_rom(field, grid, work)?;
            let original = Original::keep(&heights, erode.base_level, work)?;
            // Bilinear, because cubics overshoot and a hardness must stay within [0, 1].
            let hardness = hardness.map(|layer| bilinear(layer, grid, work)).transpose()?;
            let slides = pyramid.slides.take();
            let begin = (begin, slides);
            let beds = pyramid.beds_under(grid, work)?;
            let rock = (hardness.as_ref(), beds.as_ref());
            let land = pyramid.run_pass((&mut heights, original), begin, rock, None, work)?;
            // Only the node positions are needed to upsample; the drainage's memory is freed before the next
            // grid.
            let (jitter, slides) = land.into_jitter(pyramid.years(), work)?;
            (pyramid.coarser, pyramid.slides) = (Some((heights, jitter)), slides);
            pyramid.index += 1;
        }
        Ok(Some(pyramid))
    }

    /// The heights that the full grid starts from, if there was a coarser one.
    pub(super) fn start_heights(&mut self, work: &Work) -> Result<Option<Heightfield>> {
        self.upsample(self.full, work)
    }

    /// Erodes the full grid, and returns its drainage areas if they are wanted.
    pub(super) fn erode_full_grid(
        &self,
        land: (&mut Heightfield, Original<'_>),
        begin: Option<Heightfield>,
        wants_flow: bool,
        work: &Work,
    ) -> Result<Option<Heightfield>> {
        let mut flow = None;
        let begin = (begin, self.slides.clone());
        let beds = self.beds_under(self.full, work)?;
        let rock = (self.hardness, beds.as_ref());
        let mut land = self.run_pass(land, begin, rock, wants_flow.then_some(&mut flow), work)?;
        land.build_deltas((self.years(), stream(self.seed, DELTAS)), work)?;
        Ok(flow)
    }

    /// The beds under a grid of the land, if its rock has any.
    fn beds_under(&self, grid: Grid, work: &Work) -> Result<Option<Beds<'a>>> {
        self.bedding.map(|bedding| Beds::under(bedding, grid, work)).transpose()
    }

    /// The length of a step on the present grid, in units of τ.
    fn years(&self) -> f32 {
        self.erode.age * Pass::number(self.index).years
    }

    /// Resamples the heights of the coarser grid to the next one, and drops them.
    fn upsample(&mut self, grid: Grid, work: &Work) -> Result<Option<Heightfield>> {
        // Taken, so that the coarser heights are freed before the finer grid's drainage is allocated.
        let coarser = self.coarser.take();
        coarser.map(|(heights, jitter)| jitter.upsample(&heights, grid, work)).transpose()
    }

    /// Runs the pass of one grid.
    fn run_pass<'b>(
        &'b self,
        (heights, original): (&'b mut Heightfield, Original<'b>),
        (begin, slides): (Option<Heightfield>, Option<Heightfield>),
        (hardness, beds): (Option<&'b Heightfield>, Option<&'b Beds<'b>>),
        flow: Option<&mut Option<Heightfield>>,
        work: &Work,
    ) -> Result<ErodingLand<'b>> {
        let grid = heights.grid();
        let pass = Pass::number(self.index);
        work.stage(format!("erosion at {}×{}", grid.width, grid.depth), pass.steps);
        let rock = (self.rock.under(grid, pass.gentler, beds), hardness);
        // Bilinear, because cubics overshoot and nothing slides upwards.
        let slides = slides.map(|slides| bilinear(&slides, grid, work)).transpose()?;
        // Only the full grid is sampled at its own points. Coarser ones keep displaced nodes, so that their
        // rivers don't follow eight directions.
        let settled = (grid == self.full, stream(self.seed, self.index as u64), self.years());
        let mut land =
            ErodingLand::new(self.erode, (heights, original), (begin, slides), rock, settled, work)?;
        // Observers see the steps of all grids counted as one series.
        let before = (0..self.index).map(|index| Pass::number(index).steps).sum();
        let all = (0..=ladder(self.full).len()).map(|index| Pass::number(index).steps).sum();
        land.run_pass(&pass, (before, all), flow, work)?;
        Ok(land)
    }
}

/// The random streams of the rock and of the shores of deltas; the grids use smaller numbers.
const ROCK: u64 = 99;
const DELTAS: u64 = 98;

/// The grids up to, but without, `full`, coarse to fine.
pub(super) fn ladder(full: Grid) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut longer = COARSEST;
    // A coarser grid that has more than three quarters of the full one's samples a side would cost almost as
    // much as the full one and add little to it.
    while longer * 4 <= full.longer() * 3 {
        let scale = (longer - 1) as f64 / (full.longer() - 1) as f64;
        let side = |count: usize| ((count - 1) as f64 * scale).round() as usize + 1;
        let cell = (f64::from(full.cell) / scale) as f32;
        grids.push(Grid { width: side(full.width), depth: side(full.depth), cell });
        // Sides of 2ⁿ + 1, whatever the size of the field: the coarse grids, and with them the great valleys,
        // are always the same.
        longer = 2 * longer - 1;
    }
    grids
}
