//! Valley floors: how far from its bed each river wanders.

use std::sync::atomic::AtomicU32;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;

/// How steeply a valley's floor rises from its river, metres per metre.
const RISES: f32 = 0.01;

/// The floors of a land's valleys, a value of each sample.
pub(super) struct Floors<'a> {
    pub(super) grid: Grid,
    /// How much further the floor of a valley reaches, metres; negative where there can be none.
    pub(super) reach: &'a mut [AtomicU32],
    /// The height of that floor.
    pub(super) height: &'a mut [AtomicU32],
}

impl Floors<'_> {
    /// Spreads floors from the rivers as far as they reach. Where two meet, the one that reaches further is
    /// taken.
    ///
    /// Distances come from two sweeps, of each sample from those before it and of each from those after it,
    /// and are up to 8 % too long between the axes and the diagonals (Borgefors 1986).
    pub(super) fn spread(&mut self, work: &Work) -> Result<()> {
        self.sweep(1, work)?;
        self.sweep(-1, work)
    }

    /// A sweep from the north-west (1) or from the south-east (−1).
    fn sweep(&mut self, onwards: isize, work: &Work) -> Result<()> {
        let Grid { width, depth, cell } = self.grid;
        let diagonal = cell * std::f32::consts::SQRT_2;
        let before = [
            (-onwards, 0, cell),
            (-onwards, -onwards, diagonal),
            (0, -onwards, cell),
            (onwards, -onwards, diagonal),
        ];
        let turned = |index: usize, count: usize| if onwards > 0 { index } else { count - 1 - index };
        for row in (0..depth).map(|row| turned(row, depth)) {
            work.check()?;
            for column in (0..width).map(|column| turned(column, width)) {
                let here = row * width + column;
                let mut reach = value(&mut self.reach[here]);
                if reach.is_sign_negative() {
                    continue;
                }
                for (columns, rows, away) in before {
                    // Beyond the first column or row the sum wraps round, far beyond the last.
                    let column = column.wrapping_add_signed(columns);
                    let row = row.wrapping_add_signed(rows);
                    if column >= width || row >= depth {
                        continue;
                    }
                    let there = row * width + column;
                    let reaches = value(&mut self.reach[there]) - away;
                    if reaches > reach {
                        reach = reaches;
                        *self.reach[here].get_mut() = reaches.to_bits();
                        let height = value(&mut self.height[there]) + RISES * away;
                        *self.height[here].get_mut() = height.to_bits();
                    }
                }
            }
        }
        Ok(())
    }
}

fn value(cell: &mut AtomicU32) -> f32 {
    f32::from_bits(*cell.get_mut())
}
