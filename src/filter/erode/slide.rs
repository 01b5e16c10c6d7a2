//! Slopes that are too steep slide down.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::drainage::Drainage;
use super::rock::Limit;
use super::ways::{NEIGHBOURS, OUTLET};
use crate::error::Result;
use crate::work::Work;

/// How much steeper than the way of the water the ground may be on its sides.
pub(super) const BANK: f32 = 1.4;

/// Rows of a band, which slides at once.
const BAND: usize = 32;

/// Takes the heights out of the drainage's cells and lowers all that stands too steeply above one of its
/// neighbours: what is left is the highest land below them on which nothing does.
///
/// Whoever slides still stands above the neighbour, so every way down stays one. Bands of rows slide side
/// by side, then those between their middles, until nobody moves any more.
pub(super) fn slide(
    drainage: &mut Drainage,
    heights: &mut [f32],
    limit: &Limit<'_>,
    base_level: f32,
    work: &Work,
) -> Result<()> {
    let width = drainage.grid.width;
    drainage.kept().zip(heights.par_chunks_mut(width)).try_for_each(|(cells, heights)| {
        work.check()?;
        let rows = cells.iter_mut().zip(heights);
        rows.for_each(|(cell, height)| *height = f32::from_bits(*cell.get_mut()));
        Ok(())
    })?;
    let slope = Slope { drainage, limit, base_level };
    let (mut first, mut shift) = (true, 0);
    loop {
        let moved = AtomicBool::new(false);
        let start = (shift * width).min(heights.len());
        let bands = heights[start..].par_chunks_mut(BAND * width).enumerate();
        bands.try_for_each_init(Band::default, |loaded, (band, heights)| {
            let row = shift + band * BAND;
            if !first {
                // Within the bands of the round before all stands; what has moved beside their borders lies
                // in the middle now.
                let middle = BAND / 2 - 1..(BAND / 2 + 1).min(heights.len() / width);
                if middle.len() < 2 {
                    return Ok(());
                }
                loaded.load(
                    &slope,
                    &heights[middle.start * width..middle.end * width],
                    row + middle.start,
                    work,
                )?;
                if loaded.stands() {
                    return Ok(());
                }
            }
            loaded.load(&slope, heights, row, work)?;
            if !loaded.stands() {
                loaded.slide(work)?;
                loaded.store(heights);
                moved.store(true, Ordering::Relaxed);
            }
            Ok(())
        })?;
        if !first && !moved.into_inner() {
            return Ok(());
        }
        (first, shift) = (false, BAND / 2 - shift);
    }
}

/// What decides how steep ground may be.
struct Slope<'a> {
    drainage: &'a Drainage,
    limit: &'a Limit<'a>,
    base_level: f32,
}

/// A band of rows, with one more sample at every side, higher than all.
#[derive(Default)]
struct Band {
    /// Samples of a row, with those at its ends.
    width: usize,
    heights: Vec<f32>,
    /// Steepest rise per metre along the water's way; infinite for what does not slide.
    limits: Vec<f32>,
    ways: Vec<u8>,
    /// Metres to the neighbours: of every sample, or one for all.
    away: Vec<[f32; 8]>,
    base_level: f32,
}

impl Band {
    fn load(&mut self, slope: &Slope<'_>, heights: &[f32], first: usize, work: &Work) -> Result<()> {
        let Slope { drainage, limit, base_level } = *slope;
        let inner = drainage.grid.width;
        self.width = inner + 2;
        self.base_level = base_level;
        let count = (heights.len() / inner + 2) * self.width;
        self.heights.clear();
        self.heights.resize(count, f32::INFINITY);
        self.limits.clear();
        self.limits.resize(count, f32::INFINITY);
        self.ways.clear();
        self.ways.resize(count, 0);
        self.away.clear();
        let mut links = drainage.links(first);
        if let Some(straight) = drainage.even() {
            self.away.push(straight);
        } else {
            self.away.resize(count, [1.0; 8]);
        }
        for (index, heights) in heights.chunks_exact(inner).enumerate() {
            work.check()?;
            let row = first + index;
            let start = (index + 1) * self.width + 1;
            self.heights[start..start + inner].copy_from_slice(heights);
            for column in 0..inner {
                let way = drainage.ways.get(row * inner + column);
                self.ways[start + column] = way as u8;
                if way < OUTLET {
                    self.limits[start + column] = limit.at(column, row);
                }
            }
            if self.away.len() > 1 {
                links.go_to(row);
                for column in 0..inner {
                    self.away[start + column] = links.around(column);
                }
            }
        }
        Ok(())
    }

    fn store(&self, heights: &mut [f32]) {
        let inner = self.width - 2;
        for (heights, line) in
            heights.chunks_exact_mut(inner).zip(self.heights.chunks_exact(self.width).skip(1))
        {
            heights.copy_from_slice(&line[1..=inner]);
        }
    }

    /// The height that a sample may have beside its neighbours in some `directions`, at the most.
    #[inline(always)]
    fn most<const N: usize>(&self, here: usize, directions: [usize; N]) -> f32 {
        let (limit, own) = (self.limits[here], usize::from(self.ways[here]));
        let away = if self.away.len() == 1 { &self.away[0] } else { &self.away[here] };
        let mut most = f32::INFINITY;
        for direction in directions {
            let (columns, rows) = NEIGHBOURS[direction];
            let there = here.wrapping_add_signed(rows * self.width as isize + columns);
            let foot = self.heights[there].max(self.base_level);
            let rise = limit * away[direction] * if direction == own { 1.0 } else { BANK };
            most = most.min((foot + rise).max(foot.next_up()));
        }
        most
    }

    /// Whether nothing has to slide.
    fn stands(&self) -> bool {
        let mut all = self.width + 1..self.heights.len() - self.width - 1;
        all.all(|here| self.heights[here] <= self.most(here, [0, 1, 2, 3, 4, 5, 6, 7]))
    }

    /// Lets everything slide until it stands.
    fn slide(&mut self, work: &Work) -> Result<()> {
        let width = self.width;
        let rows = self.heights.len() / width - 2;
        let mut moves = true;
        while moves {
            moves = false;
            let mut lower = |band: &mut Self, here: usize, most: f32| {
                if band.heights[here] > most {
                    band.heights[here] = most;
                    moves = true;
                }
            };
            for row in 1..=rows {
                work.check()?;
                let line = row * width + 1..(row + 1) * width - 1;
                for here in line.clone() {
                    let most = self.most(here, [0, 1, 2, 3]);
                    lower(self, here, most);
                }
                for here in line.rev() {
                    let most = self.most(here, [4]);
                    lower(self, here, most);
                }
            }
            for row in (1..=rows).rev() {
                work.check()?;
                let line = row * width + 1..(row + 1) * width - 1;
                for here in line.clone().rev() {
                    let most = self.most(here, [4, 5, 6, 7]);
                    lower(self, here, most);
                }
                for here in line {
                    let most = self.most(here, [3]);
                    lower(self, here, most);
                }
            }
        }
        Ok(())
    }
}
