//! From one grid of a [`Pile`] to the next coarser one, whose samples are blocks of two by two, and back.
//!
//! The last column or row of an odd number lies in no block: the coarser grids end there.

use rayon::prelude::*;

use super::{BAND, Pile, SPAN, WALL};
use crate::compute::work::Work;
use crate::error::Result;

impl Pile {
    /// Hands the loose material of all samples that give something away to the coarser grid. Everything else is
    /// solid ground there.
    pub(super) fn hand_to(&self, coarser: &mut Self, work: &Work) -> Result<()> {
        let (width, stride) = (coarser.width, coarser.stride);
        let inside = SPAN * stride..(SPAN + coarser.depth) * stride;
        let surface = coarser.surface[inside.clone()].par_chunks_mut(stride);
        let rows = surface.zip(coarser.loose[inside].par_chunks_mut(stride)).enumerate();
        rows.try_for_each(|(row, (surface, loose))| {
            work.check()?;
            let samples = surface[SPAN..SPAN + width].iter_mut().zip(&mut loose[SPAN..SPAN + width]);
            for (column, (surface, loose)) in samples.enumerate() {
                let block = Block::of(self, column, row);
                *loose = block.moving() / 4;
                // Four of the highest surfaces together still fit.
                *surface = (block.base.iter().sum::<i32>() >> 2) + *loose;
            }
            Ok(())
        })?;
        coarser.before.copy_from_slice(&coarser.surface);
        coarser.changed.fill(1);
        Ok(())
    }

    /// Takes the loose material back. Each block gets what has come into it.
    pub(super) fn pour_from(&mut self, coarser: &Self, work: &Work) -> Result<()> {
        let (width, stride, across) = (self.width, self.stride, self.tiles_across());
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        let fields = self.surface[inside.clone()].par_chunks_mut(BAND * stride);
        let fields = fields.zip(self.loose[inside.clone()].par_chunks_mut(BAND * stride));
        let fields = fields.zip(self.change[inside].par_chunks(BAND * stride));
        let bands = fields.zip(self.changed.par_chunks_mut(across)).enumerate();
        bands.try_for_each(|(band, (((surface, loose), given), changed))| {
            for pair in 0..surface.len() / (2 * stride) {
                let row = band * (BAND / 2) + pair;
                if row >= coarser.depth {
                    break;
                }
                work.check()?;
                let now = coarser.loose_of_row(row);
                for column in 0..width / 2 {
                    let first = 2 * pair * stride + SPAN + 2 * column;
                    let places = [first, first + 1, first + stride, first + stride + 1];
                    let mut block = Block::default();
                    for (number, place) in places.into_iter().enumerate() {
                        let moving = if given[place] < 0 { loose[place] } else { 0 };
                        block.base[number] = surface[place] - moving;
                        block.loose[number] = moving;
                    }
                    let whole = block.moving();
                    if now[column] == whole / 4 {
                        continue;
                    }
                    changed[2 * column / super::STRETCH] = 1;
                    // What the division by four left over has stayed here.
                    let rise = match whole {
                        0 => coarser.leans(column, row),
                        _ => coarser.has_risen(column, row),
                    };
                    let poured = block.poured(4 * now[column] + whole % 4, rise);
                    for (number, place) in places.into_iter().enumerate() {
                        surface[place] = block.base[number] + poured[number];
                        loose[place] += poured[number] - block.loose[number];
                    }
                }
            }
            Ok(())
        })
    }

    /// By how much the surface has risen more to the east and to the south over half a sample, since material was
    /// handed over: the gentler of the slopes to both sides, and 0 where they face each other.
    fn has_risen(&self, column: usize, row: usize) -> [i32; 2] {
        let here = (row + SPAN) * self.stride + SPAN + column;
        let risen = |place: usize| self.surface[place] - self.before[place];
        [1, self.stride].map(|step| {
            let [before, after] = [risen(here) - risen(here - step), risen(here + step) - risen(here)];
            if (before > 0) != (after > 0) {
                return 0;
            }
            (if before.abs() < after.abs() { before } else { after }) / 2
        })
    }

    /// By how much material that has come to a sample rises to the east and to the south over half a sample: towards
    /// the higher ground that it came from, up to the angle of repose.
    fn leans(&self, column: usize, row: usize) -> [i32; 2] {
        let here = (row + SPAN) * self.stride + SPAN + column;
        let most = self.repose.rises[0] as i32;
        [1, self.stride].map(|step| {
            let [before, after] = [here - step, here + step].map(|there| match self.surface[there] {
                WALL => 0,
                height => (height - self.surface[here]).clamp(0, most),
            });
            (if before > after { -before } else { after }) / 2
        })
    }
}

/// Two by two samples: north-west, north-east, south-west, south-east.
#[derive(Default)]
struct Block {
    /// The ground on which what moves lies.
    base: [i32; 4],
    /// What moves.
    loose: [i32; 4],
}

impl Block {
    fn of(pile: &Pile, column: usize, row: usize) -> Self {
        let first = (2 * row + SPAN) * pile.stride + SPAN + 2 * column;
        let mut block = Self::default();
        let places = [first, first + 1, first + pile.stride, first + pile.stride + 1];
        for (number, place) in places.into_iter().enumerate() {
            let moving = if pile.change[place] < 0 { pile.loose[place] } else { 0 };
            block.base[number] = pile.surface[place] - moving;
            block.loose[number] = moving;
        }
        block
    }

    fn moving(&self) -> i32 {
        self.loose.iter().sum()
    }

    /// The parts of `volume` on each sample. Where material lay before, its surface rises or sinks as that of the
    /// coarser grid did; where none did, it leans on the ground that it came from.
    fn poured(&self, volume: i32, [east, south]: [i32; 2]) -> [i32; 4] {
        let rise = [-east - south, east - south, south - east, east + south].map(|rise| rise / 2);
        let lay_before = self.moving() > 0;
        let plane: [i32; 4] = std::array::from_fn(|at| {
            rise[at] + if lay_before { self.base[at] + self.loose[at] } else { 0 }
        });
        // How high each sample's ground is above the plane.
        let above: [i32; 4] = std::array::from_fn(|number| self.base[number] - plane[number]);
        let mut lowest_first = [0usize, 1, 2, 3];
        lowest_first.sort_unstable_by_key(|number| (above[*number], *number));
        let mut poured = [0; 4];
        let mut below = 0i64;
        for (index, number) in lowest_first.into_iter().enumerate() {
            below += i64::from(above[number]);
            let covered = index as i64 + 1;
            let level = (i64::from(volume) + below).div_euclid(covered);
            let next = lowest_first.get(index + 1).map(|next| i64::from(above[*next]));
            if next.is_none_or(|next| level <= next) {
                let left_over = (i64::from(volume) + below).rem_euclid(covered);
                for (order, number) in lowest_first[..=index].iter().enumerate() {
                    let more = i64::from((order as i64) < left_over);
                    poured[*number] = (level - i64::from(above[*number]) + more) as i32;
                }
                break;
            }
        }
        poured
    }
}
