//! Snow on its way down, in one sweep over the land.
//!
//! Each sample holds what [`held`] says; the rest goes to its lower neighbours, in proportion to their slopes
//! (Quinn et al. 1991). A share of what comes by settles, the more the gentler the ground, and all that finds
//! room where friction has used up the energy of its fall. No sample comes before all those that are higher,
//! so each is complete when its turn comes, and has no more than its slope holds afterwards.
//!
//! An avalanche is tens of metres wide and finds its way over the land as smoothed over this width; what a
//! sample holds depends on the ground itself.

use rayon::prelude::*;

use super::held::{held, steepest};
use super::margin::{Margin, circle};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::smooth::smoothed;
use crate::grid::{Grid, Heightfield};

/// Standard deviation over which avalanches smooth the ground that they find, metres: as two means over the
/// width of one, 60 m, would have.
const DEVIATION: f32 = 24.5;

/// The tangent of the slope from which nothing settles, 45°, and the way over level ground on which e-fold
/// less remains moving, metres.
const MOVES: f32 = 1.0;
const SETTLES: f32 = 60.0;

/// The thickest that snow which comes by settles, metres.
const HEAP: f32 = 15.0;

/// Samples after which it asks whether to go on.
pub(super) const BREATH: usize = 1 << 9;

/// A sample whose turn has been.
const DONE: u8 = u8::MAX;

/// What a part of the flow to a neighbour in the circle weighs: its drop times the length of contour towards
/// it, divided by the way.
const PARTS: [f32; 8] = [1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5];

/// 1 / the length of the way to each neighbour, in cells.
const PER_LENGTH: [f32; 8] = {
    let diagonal = std::f32::consts::FRAC_1_SQRT_2;
    [1.0, diagonal, 1.0, diagonal, 1.0, diagonal, 1.0, diagonal]
};

/// The height that an avalanche loses to friction for each metre of its way: the angle from where it breaks
/// off to where it stops, 22°.
const DRAG: f32 = 0.4;

/// Snow on its way. All fields have a margin.
pub(super) struct Slide {
    pub(super) width: usize,
    pub(super) depth: usize,
    pub(super) stride: usize,
    pub(super) cell: f32,
    /// The ground that avalanches find.
    pub(super) way: Vec<f32>,
    /// How much lies there, and how much may.
    pub(super) snow: Vec<f32>,
    pub(super) most: Vec<f32>,
    /// What has come by so far, and that times the height up to which its energy would carry it.
    pub(super) moving: Vec<f32>,
    pub(super) energy: Vec<f32>,
    /// How many higher neighbours haven't had their turn.
    higher: Vec<u8>,
    /// What is left where there is no lower neighbour.
    pub(super) rest: Vec<(usize, f32)>,
    pub(super) left: f64,
}

impl Slide {
    pub(super) fn new(bare: &Heightfield, lying: &Heightfield, work: &Work) -> Result<Self> {
        let Grid { width, depth, cell } = bare.grid();
        let ground = Margin::around(bare, work)?;
        let (stride, around) = (ground.stride, ground.circle());
        let inner = stride..stride * (depth + 1);
        let mut most = vec![0.0f32; ground.values.len()];
        most[inner.clone()].par_chunks_mut(stride).enumerate().try_for_each(|(row, most)| {
            work.check()?;
            for (column, most) in most[1..=width].iter_mut().enumerate() {
                let at = (row + 1) * stride + 1 + column;
                let own = ground.values[at];
                let drops = around.map(|step| (own - ground.values[at.wrapping_add_signed(step)]) / cell);
                *most = held(steepest(drops));
            }
            Ok::<_, crate::Error>(())
        })?;
        drop(ground);
        let Margin { values: way, .. } = Margin::around(&smoothed(bare, DEVIATION, work)?, work)?;
        let mut higher = vec![0u8; way.len()];
        higher[inner].par_chunks_mut(stride).enumerate().try_for_each(|(row, higher)| {
            work.check()?;
            let rows: [&[f32]; 3] = std::array::from_fn(|below| &way[(row + below) * stride..][..stride]);
            // Nothing comes from beyond the border.
            let [has_north, has_south] = [row > 0, row + 1 < depth];
            for column in 1..=width {
                let own = rows[1][column];
                let mut count = 0;
                for (there, known) in [(rows[0], has_north), (rows[1], true), (rows[2], has_south)] {
                    count += u8::from(known && there[column] > own);
                    count += u8::from(known && column > 1 && there[column - 1] > own);
                    count += u8::from(known && column < width && there[column + 1] > own);
                }
                higher[column] = count;
            }
            Ok::<_, crate::Error>(())
        })?;
        let mut snow = vec![0.0f32; way.len()];
        snow[stride..stride * (depth + 1)].par_chunks_mut(stride).enumerate().for_each(|(row, snow)| {
            snow[1..=width].copy_from_slice(lying.row(row));
        });
        let [moving, energy] = [(); 2].map(|()| vec![0.0f32; way.len()]);
        Ok(Self {
            width,
            depth,
            stride,
            cell,
            way,
            snow,
            most,
            moving,
            energy,
            higher,
            rest: Vec::new(),
            left: 0.0,
        })
    }

    /// Whether a sample lies on the land and not in the margin.
    pub(super) fn is_land(&self, at: usize) -> bool {
        let (row, column) = (at / self.stride, at % self.stride);
        (1..=self.depth).contains(&row) && (1..=self.width).contains(&column)
    }

    /// The height of the snow on the way.
    pub(super) fn surface(&self, at: usize) -> f32 {
        self.way[at] + self.snow[at]
    }

    /// How much more lies down on a sample, up to `more`.
    pub(super) fn room(&self, at: usize, more: f32) -> f32 {
        more.min(self.most[at].min(HEAP) - self.snow[at]).max(0.0)
    }

    pub(super) fn sweep(&mut self, avalanches: f32, work: &Work) -> Result<()> {
        let around = circle(self.stride);
        let mut ready: Vec<usize> = Vec::new();
        let mut count = 0;
        for row in 1..=self.depth {
            for first in row * self.stride + 1..row * self.stride + 1 + self.width {
                if self.higher[first] != 0 {
                    continue;
                }
                // The last that has become ready comes next: its neighbours are still in the cache.
                ready.push(first);
                while let Some(at) = ready.pop() {
                    count += 1;
                    if count % BREATH == 0 {
                        work.check()?;
                        work.advance(1);
                    }
                    self.pass_on(at, around, avalanches, &mut ready);
                }
            }
        }
        Ok(())
    }

    /// Hands on what a sample doesn't hold.
    fn pass_on(&mut self, at: usize, around: [isize; 8], avalanches: f32, ready: &mut Vec<usize>) {
        self.higher[at] = DONE;
        let there = around.map(|step| at.wrapping_add_signed(step));
        let own = self.way[at];
        let drops = there.map(|there| own - self.way[there]);
        for (there, drop) in there.into_iter().zip(drops) {
            // The margin's samples have no turn.
            if drop > 0.0 && self.higher[there] != DONE {
                let higher = &mut self.higher[there];
                *higher = higher.wrapping_sub(1);
                if *higher == 0 && self.is_land(there) {
                    ready.push(there);
                }
            }
        }
        let loose = avalanches * (self.snow[at] - self.most[at]).max(0.0);
        let moving = self.moving[at] + loose;
        if moving <= 0.0 {
            return;
        }
        self.snow[at] -= loose;
        let mut steepest = 0.0f32;
        let mut sum = 0.0f32;
        for (number, drop) in drops.into_iter().enumerate() {
            if drop > 0.0 {
                steepest = steepest.max(drop * PER_LENGTH[number]);
                sum += drop * PARTS[number];
            }
        }
        // How far below the height that its energy would carry it to.
        let energy = (self.energy[at] + loose * own) / moving - own;
        let settles = if sum <= 0.0 || energy < 0.0 {
            self.room(at, moving)
        } else {
            self.settled(at, moving, steepest / self.cell)
        };
        self.snow[at] += settles;
        let moving = moving - settles;
        if moving <= 0.0 {
            return;
        }
        if sum <= 0.0 {
            self.rest.push((at, moving));
            return;
        }
        let share = moving / sum;
        for number in 0..8 {
            if drops[number] > 0.0 {
                let part = share * drops[number] * PARTS[number];
                let there = there[number];
                self.moving[there] += part;
                self.energy[there] += part * (own + energy - DRAG * self.cell / PER_LENGTH[number]);
                if !self.is_land(there) {
                    self.left += f64::from(part);
                }
            }
        }
    }

    /// How much of what comes by settles where the ground falls by `tangent`.
    pub(super) fn settled(&self, at: usize, moving: f32, tangent: f32) -> f32 {
        let gentle = (1.0 - tangent * (1.0 / MOVES)).max(0.0);
        let lengths = gentle * gentle * self.cell * (1.0 / SETTLES);
        let room = self.most[at].min(HEAP) - self.snow[at];
        (moving * lengths / (1.0 + lengths)).min(room.max(0.0))
    }
}
