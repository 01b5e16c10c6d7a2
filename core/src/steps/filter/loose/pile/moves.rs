//! What an iteration of a [`Pile`](super::Pile) does to a block of samples.
//!
//! A block is worked on row by row in a [`Window`] of a few rows, which stays in the nearest cache: how far
//! each sample lies beyond its angle of repose over its neighbours, what share of that it gives away, what
//! flows, and last the new surface. Between two samples something can flow one way only, so that a signed
//! number holds it, and both ends read the same. Blocks overlap: what flows over the border between two of
//! them is computed twice, from the same heights by the same expressions, and no two threads write to the
//! same sample.

use std::array::from_fn;
use std::ops::Range;

use crate::compute::wide::Loop;

/// Columns and rows of a tile. Even, so that the blocks of the coarser grid lie in one tile, and more than
/// the moves of two iterations span.
pub(super) const STRETCH: usize = 120;
pub(super) const BAND: usize = 8;

/// The height of the wall around the land, higher than any surface, and low enough for differences to fit.
pub(super) const WALL: i32 = 1 << 30;

/// Columns and rows from a sample to the neighbours it moves to; it also moves to their opposites. Along the
/// axes, along the diagonals, and a knight's moves between these.
///
/// Along eight directions a heap would become an octagonal pyramid, up to 8 % too steep between them; along
/// sixteen it is 3 %.
pub(in crate::steps::filter::loose) const MOVES: [[isize; 2]; 8] =
    [[1, 0], [0, 1], [1, 1], [-1, 1], [2, 1], [-2, 1], [1, 2], [-1, 2]];

/// Which of the three lengths each move has.
const KIND: [usize; 8] = [0, 0, 1, 1, 2, 2, 2, 2];

/// The squares of the lengths, in cells.
const SQUARES: [f32; 3] = [1.0, 2.0, 5.0];

/// The share of its excess over its neighbours, weighed, that a sample gives away in an iteration. All
/// weights together are 7.6: a sample to which all neighbours give does not rise above them.
const GIVEN: f32 = 1.0 / 8.0;

/// The most units that a sample gives away in an iteration: so many fit into [`rounded`].
const MOST: f32 = 4_000_000.0;

/// Sums of f32 may make the parts of what is given a little larger than the whole.
const LESS: f32 = 0.999_99;

/// Rounding may add half a unit to each of sixteen parts.
const ROUNDING: i32 = 8;

/// Layers of fewer units are not divided: all goes down the steepest way.
const DUST: i32 = 32;

/// Samples of a row that are worked on beside those of a block, to the west and to the east.
const MARGIN: usize = 8;

/// Samples in a row of a window.
const ROW: usize = 2 * MARGIN + STRETCH.next_multiple_of(16) + 16;

/// Rows from a sample to the farthest that its change depends on: those that it receives from, and theirs.
const REACH: usize = 4;

/// What a sample may rise above its neighbours, in units of height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repose {
    /// How much higher than the neighbour it may be, for each of the three lengths.
    pub(super) rises: [f32; 3],
    /// Up to this excess per cell of the way it rests.
    pub(super) tolerance: f32,
}

impl Repose {
    /// Rests up to a rise of `rise` per cell, and moves from one of `tolerance` more.
    pub(super) fn new(rise: f32, tolerance: f32) -> Self {
        Self { rises: SQUARES.map(|square| rise * square.sqrt()), tolerance }
    }
}

/// Land that a block lies in: the surface and the solid ground under what is loose.
#[derive(Clone, Copy)]
pub(super) struct Land<'a> {
    pub(super) surface: &'a [i32],
    pub(super) solid: &'a [i32],
    pub(super) width: usize,
}

impl Land<'_> {
    /// Samples of a row from a margin before `column` on, and the part of a window's row that they fill. Both
    /// are empty outside the land.
    fn row(&self, row: isize, column: usize) -> (Range<usize>, Range<usize>) {
        let here = usize::try_from(row).ok().map(|row| row * self.width);
        let Some(here) = here.filter(|here| *here < self.surface.len()) else { return (0..0, 0..0) };
        let (first, end) = (column.saturating_sub(MARGIN), (column + ROW - MARGIN).min(self.width));
        let to = first + MARGIN - column;
        (here + first..here + end, to..to + end - first)
    }
}

/// The rows that a thread works on at a time. Rows take turns: row `n` is in place `n` modulo their number.
pub(super) struct Window {
    surface: [[i32; ROW]; 3],
    loose: [i32; ROW],
    /// How much higher than allowed each sample is than the neighbour after each move; less than 0 where that
    /// is higher than allowed.
    excess: [[[f32; ROW]; 8]; 3],
    /// What each unit of excess moves, for each of the three lengths.
    share: [[[f32; ROW]; 3]; 3],
    /// What flows after each move, as [`rounded`] gives it.
    flow: [[[i32; ROW]; 8]; 3],
    /// Whether nothing flows in a row.
    is_still: [bool; 3],
    /// The sum of the excesses over neighbours at each of the three lengths, and the largest.
    sums: [[f32; ROW]; 3],
    most: [[f32; ROW]; 3],
    /// Whether a sample gives dust away, and what of it each receives less what it gives.
    is_dust: [i32; ROW],
    dust: [[i32; ROW]; 5],
}

impl Window {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            surface: [[0; ROW]; 3],
            loose: [0; ROW],
            excess: [[[0.0; ROW]; 8]; 3],
            share: [[[0.0; ROW]; 3]; 3],
            flow: [[[0; ROW]; 8]; 3],
            is_still: [false; 3],
            sums: [[0.0; ROW]; 3],
            most: [[0.0; ROW]; 3],
            is_dust: [0; ROW],
            dust: [[0; ROW]; 5],
        })
    }

    #[inline(always)]
    fn load_surface(&mut self, land: &Land, row: isize, column: usize) {
        let own = &mut self.surface[turn::<3>(row)];
        let (from, to) = land.row(row, column);
        own[..to.start].fill(WALL);
        own[to.end..].fill(WALL);
        own[to].copy_from_slice(&land.surface[from]);
    }

    #[inline(always)]
    fn load_loose(&mut self, land: &Land, row: isize, column: usize) {
        let (from, to) = land.row(row, column);
        self.loose[..to.start].fill(0);
        self.loose[to.end..].fill(0);
        let samples = land.surface[from.clone()].iter().zip(&land.solid[from]);
        for (loose, (surface, solid)) in self.loose[to].iter_mut().zip(samples) {
            *loose = surface - solid;
        }
    }

    /// Computes how far the samples of a row lie beyond the angle of repose.
    #[inline(always)]
    fn excesses(&mut self, repose: &Repose, row: isize, within: Range<usize>) {
        let excess = &mut self.excess[turn::<3>(row)];
        let own = &self.surface[turn::<3>(row)][within.clone()];
        for ((excess, [columns, rows]), kind) in excess.iter_mut().zip(MOVES).zip(KIND) {
            let there = &self.surface[turn::<3>(row + rows)][shifted(&within, columns)];
            let rise = repose.rises[kind];
            for ((excess, own), there) in excess[within.clone()].iter_mut().zip(own).zip(there) {
                let above = (own - there) as f32;
                let allowed = if above < rise { above } else { rise };
                let allowed = if allowed > -rise { allowed } else { -rise };
                *excess = above - allowed;
            }
        }
    }

    /// Computes what the samples of a row give away.
    #[inline(always)]
    fn shares(&mut self, repose: &Repose, row: isize, within: Range<usize>) {
        let excess = &self.excess;
        let ahead = |number: usize| &excess[turn::<3>(row)][number][within.clone()];
        let behind = |number: usize| {
            let [columns, rows] = MOVES[number];
            &excess[turn::<3>(row - rows)][number][shifted(&within, -columns)]
        };
        let length = within.len();
        let [straight, diagonal, knights] = &mut self.sums;
        let [most_straight, most_diagonal, most_knights] = &mut self.most;
        add_up([0, 1].map(ahead), [0, 1].map(behind), &mut straight[..length], &mut most_straight[..length]);
        add_up([2, 3].map(ahead), [2, 3].map(behind), &mut diagonal[..length], &mut most_diagonal[..length]);
        let last = [4, 5, 6, 7];
        add_up(last.map(ahead), last.map(behind), &mut knights[..length], &mut most_knights[..length]);
        let [shares, diagonal_shares, knights_shares] = &mut self.share[turn::<3>(row)];
        divide(
            repose.tolerance,
            &self.loose[within.clone()],
            [straight, diagonal, knights].map(|sums| &sums[..length]),
            [most_straight, most_diagonal, most_knights].map(|most| &most[..length]),
            &mut shares[within.clone()],
            &mut self.is_dust[within.clone()],
        );
        let others = diagonal_shares[within.clone()].iter_mut().zip(&mut knights_shares[within.clone()]);
        for ((diagonal, knights), share) in others.zip(&shares[within]) {
            *diagonal = share * (1.0 / SQUARES[1]);
            *knights = share * (1.0 / SQUARES[2]);
        }
    }

    /// Lets a sample with little on it give all of that to the steepest neighbour.
    fn drop_dust(&mut self, row: isize, at: usize) {
        let mut steepest = (0.0, [0, 0]);
        for (number, [columns, rows]) in MOVES.into_iter().enumerate() {
            let length = SQUARES[KIND[number]].sqrt();
            let ahead = self.excess[turn::<3>(row)][number][at];
            let behind = self.excess[turn::<3>(row - rows)][number][at.wrapping_add_signed(-columns)];
            for (excess, way) in [(ahead, [columns, rows]), (-behind, [-columns, -rows])] {
                if excess / length > steepest.0 {
                    steepest = (excess / length, way);
                }
            }
        }
        let [columns, rows] = steepest.1;
        self.dust[turn::<5>(row)][at] -= self.loose[at];
        self.dust[turn::<5>(row + rows)][at.wrapping_add_signed(columns)] += self.loose[at];
    }

    /// Whether any of some samples gives a share of its excess away, and whether any gives dust.
    #[inline(always)]
    fn gives(&self, row: isize, within: Range<usize>) -> [bool; 2] {
        let shares = self.share[turn::<3>(row)][0][within.clone()].iter();
        let dust = self.is_dust[within].iter().fold(0, |any, is| any | is);
        [shares.fold(0, |any, share| any | share.to_bits()) != 0, dust != 0]
    }

    /// Writes the surface of a row without what lies on samples that give something away.
    #[inline(always)]
    fn hold_back(&self, row: isize, surface: &[i32], solid: &[i32], next: &mut [i32]) {
        let gives = self.share[turn::<3>(row)][0][MARGIN..].iter().zip(&self.is_dust[MARGIN..]);
        for ((next, (surface, solid)), (share, dust)) in
            next.iter_mut().zip(surface.iter().zip(solid)).zip(gives)
        {
            *next = if *share > 0.0 || *dust != 0 { *solid } else { *surface };
        }
    }

    /// Computes what flows from and to the samples of a row after each move, if any `gives` something.
    #[inline(always)]
    fn flows(&mut self, row: isize, within: Range<usize>, gives: bool) {
        let flow = &mut self.flow[turn::<3>(row)];
        let was_still = std::mem::replace(&mut self.is_still[turn::<3>(row)], !gives);
        if !gives {
            if !was_still {
                flow.iter_mut().for_each(|flow| flow.fill(rounded(0.0)));
            }
            return;
        }
        let excess = &self.excess[turn::<3>(row)];
        for (((flow, excess), [columns, rows]), kind) in flow.iter_mut().zip(excess).zip(MOVES).zip(KIND) {
            let own = &self.share[turn::<3>(row)][kind][within.clone()];
            let there = &self.share[turn::<3>(row + rows)][kind][shifted(&within, columns)];
            let shares = own.iter().zip(there);
            let samples = flow[within.clone()].iter_mut().zip(&excess[within.clone()]).zip(shares);
            for ((flow, excess), (own, there)) in samples {
                // One of the two is 0.
                *flow = rounded(larger(*excess, 0.0) * own + smaller(*excess, 0.0) * there);
            }
        }
    }

    /// Writes the new surface of a row. Returns whether it differs from the old one.
    #[inline(always)]
    fn changes(&self, row: isize, surface: &[i32], next: &mut [i32]) -> bool {
        let within = MARGIN..MARGIN + next.len();
        let ahead = from_fn(|number| &self.flow[turn::<3>(row)][number][within.clone()]);
        let behind = from_fn(|number| {
            let [columns, rows] = MOVES[number];
            &self.flow[turn::<3>(row - rows)][number][shifted(&within, -columns)]
        });
        change(ahead, behind, &self.dust[turn::<5>(row)][within.clone()], surface, next)
    }
}

/// Adds up by how much samples are too high above the neighbours after some moves and their opposites, and
/// looks for the most.
#[inline(always)]
fn add_up<const N: usize>(ahead: [&[f32]; N], behind: [&[f32]; N], sums: &mut [f32], most: &mut [f32]) {
    let count = sums.len();
    let most = &mut most[..count];
    let [ahead, behind] = [ahead, behind].map(|rows| rows.map(|row| &row[..count]));
    for at in 0..count {
        let (mut given, mut least) = ([0.0; 2], [0.0; 2]);
        for number in 0..N {
            let (ahead, behind) = (ahead[number][at], behind[number][at]);
            given[0] += larger(ahead, 0.0);
            given[1] += smaller(behind, 0.0);
            least = [larger(least[0], ahead), smaller(least[1], behind)];
        }
        sums[at] = given[0] - given[1];
        most[at] = larger(least[0], -least[1]);
    }
}

/// Computes what each unit of excess moves, and which samples give dust away, from sums for the three
/// lengths.
#[inline(always)]
fn divide(
    tolerance: f32,
    loose: &[i32],
    sums: [&[f32]; 3],
    most: [&[f32]; 3],
    shares: &mut [f32],
    dust: &mut [i32],
) {
    let count = shares.len();
    let (loose, dust) = (&loose[..count], &mut dust[..count]);
    let [sums, most] = [sums, most].map(|rows| rows.map(|row| &row[..count]));
    let [half, fifth] = [1.0 / SQUARES[1], 1.0 / SQUARES[2]];
    for at in 0..count {
        let sum = sums[0][at] + sums[1][at] * half + sums[2][at] * fifth;
        let [straight, diagonal, knights] = most.map(|most| most[at]);
        let largest = larger(straight, larger(diagonal * half, knights * fifth));
        let steepest = larger(straight, larger(diagonal * 0.707_106_77, knights * 0.447_213_6));
        let out = smaller(GIVEN * sum, smaller(MOST, (loose[at] - ROUNDING) as f32));
        let share = LESS * out / sum;
        // At least one part must be a unit, or nothing ever comes of it.
        let is_enough = mask(loose[at] >= DUST) & mask(share * largest > 0.51);
        let slides = mask(steepest > tolerance);
        shares[at] = f32::from_bits(share.to_bits() & (slides & is_enough) as u32);
        dust[at] = slides & mask(loose[at] > 0) & mask(loose[at] < DUST);
    }
}

/// Writes the new surface.
#[inline(always)]
fn change(ahead: [&[i32]; 8], behind: [&[i32]; 8], dust: &[i32], surface: &[i32], next: &mut [i32]) -> bool {
    let count = next.len();
    let [dust, surface] = [dust, surface].map(|row| &row[..count]);
    let [ahead, behind] = [ahead, behind].map(|rows| rows.map(|row| &row[..count]));
    let mut any = 0;
    for at in 0..count {
        let mut change = dust[at];
        // As many are added as subtracted, so that what `rounded` adds cancels out.
        for number in 0..8 {
            change = change.wrapping_add(behind[number][at]).wrapping_sub(ahead[number][at]);
        }
        next[at] = surface[at] + change;
        any |= change;
    }
    any != 0
}

/// All bits or none.
#[inline(always)]
fn mask(is_so: bool) -> i32 {
    -i32::from(is_so)
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The place of a row among `N` that take turns.
#[inline(always)]
fn turn<const N: usize>(row: isize) -> usize {
    // Rows of a block begin a little before the land.
    (row + 15) as usize % N
}

#[inline(always)]
fn shifted(range: &Range<usize>, columns: isize) -> Range<usize> {
    range.start.wrapping_add_signed(columns)..range.end.wrapping_add_signed(columns)
}

/// The nearest whole number to one of at most [`MOST`], plus a constant: the last bit of an f32 from 2²³ to
/// 2²⁴ counts ones.
#[inline(always)]
fn rounded(number: f32) -> i32 {
    (number + 12_582_912.0).to_bits() as i32
}

/// Which tiles may give something away, and marks on those that do and those that change.
pub(super) struct Tiles<'a> {
    pub(super) across: usize,
    pub(super) down: usize,
    pub(super) awake: &'a [u8],
    pub(super) tile: usize,
    /// Of the rows of tiles from `first` on.
    pub(super) first: usize,
    pub(super) giving: &'a mut [u8],
    pub(super) changed: &'a mut [u8],
}

impl Tiles<'_> {
    /// Of the row of tiles that a row of samples lies in: the tiles to the west, here, and to the east.
    #[inline(always)]
    fn are_awake(&self, row: isize) -> [bool; 3] {
        let Some(band) = usize::try_from(row).ok().map(|row| row / BAND).filter(|band| *band < self.down)
        else {
            return [false; 3];
        };
        let here = band * self.across + self.tile;
        [
            self.tile > 0 && self.awake[here - 1] > 0,
            self.awake[here] > 0,
            self.tile + 1 < self.across && self.awake[here + 1] > 0,
        ]
    }

    #[inline(always)]
    fn mark(&self, row: isize) -> usize {
        (row as usize / BAND - self.first) * self.across + self.tile
    }
}

/// Moves what is loose in a block, of at most [`STRETCH`] columns.
pub(super) struct Slide<'a> {
    pub(super) repose: &'a Repose,
    pub(super) land: Land<'a>,
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
    pub(super) tiles: Tiles<'a>,
    pub(super) window: &'a mut Window,
    /// The new surface of the rows from that of `tiles` on. If nothing is to move yet, it becomes the surface
    /// without what lies on samples that give something away.
    pub(super) next: &'a mut [i32],
    pub(super) moves: bool,
}

impl Loop for Slide<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { repose, land, columns, rows, tiles, window, next, moves } = self;
        let (width, count) = (land.width, columns.len());
        let reach = if moves { REACH } else { REACH / 2 } as isize;
        let half = REACH as isize / 2;
        let (first, end) = (rows.start as isize, rows.end as isize);
        let own = MARGIN..MARGIN + count;
        let beside = |samples: usize, multiple: usize| {
            MARGIN - samples..MARGIN - samples + (count + 2 * samples).next_multiple_of(multiple)
        };
        window.dust.iter_mut().for_each(|row| row.fill(0));
        window.is_still = [false; 3];
        // Whether something is given away, and whether dust comes or goes, in each row.
        let (mut gives, mut has_dust) = ([false; 3], [false; 5]);
        for row in first - reach..first - reach + half {
            window.load_surface(&land, row, columns.start);
        }
        for row in first - reach..if moves { end + half } else { end } {
            window.load_surface(&land, row + half, columns.start);
            if std::mem::take(&mut has_dust[turn::<5>(row + half)]) {
                window.dust[turn::<5>(row + half)].fill(0);
            }
            // Shares of this row and of the next two depend on these.
            if (row..=row + half).any(|row| tiles.are_awake(row) != [false; 3]) {
                window.excesses(repose, row, beside(REACH, 16));
            }
            if row < first - reach + half {
                continue;
            }
            let awake = tiles.are_awake(row);
            gives[turn::<3>(row)] = false;
            if awake == [false; 3] {
                window.share[turn::<3>(row)].iter_mut().for_each(|share| share.fill(0.0));
            } else {
                window.load_loose(&land, row, columns.start);
                window.shares(repose, row, beside(REACH / 2, 16));
                let parts = [0..own.start, own.clone(), own.end..ROW];
                for (part, _) in parts.into_iter().zip(awake).filter(|(_, awake)| !awake) {
                    window.share[turn::<3>(row)].iter_mut().for_each(|share| share[part.clone()].fill(0.0));
                    window.is_dust[part].fill(0);
                }
                if (first..end).contains(&row) && window.gives(row, own.clone()).contains(&true) {
                    tiles.giving[tiles.mark(row)] = 1;
                }
                if moves {
                    let reached = own.start - REACH / 2..own.end + REACH / 2;
                    let [gives_shares, gives_dust] = window.gives(row, reached.clone());
                    gives[turn::<3>(row)] = gives_shares;
                    if gives_dust {
                        (row - half..=row + half).for_each(|row| has_dust[turn::<5>(row)] = true);
                        for at in reached {
                            if window.is_dust[at] != 0 {
                                window.drop_dust(row, at);
                            }
                        }
                    }
                }
            }
            let samples = |row: isize| {
                let start = row as usize * width + columns.start;
                (
                    start..start + count,
                    start - tiles.first * BAND * width..start + count - tiles.first * BAND * width,
                )
            };
            if !moves {
                let (here, there) = samples(row);
                window.hold_back(row, &land.surface[here.clone()], &land.solid[here], &mut next[there]);
                continue;
            }
            if row < first {
                continue;
            }
            window.flows(row - half, beside(REACH / 2, 16), gives.contains(&true));
            if row >= first + half {
                let row = row - half;
                let (here, there) = samples(row);
                let (surface, next) = (&land.surface[here], &mut next[there]);
                if window.is_still == [true; 3] && !has_dust[turn::<5>(row)] {
                    next.copy_from_slice(surface);
                } else if window.changes(row, surface, next) {
                    tiles.changed[tiles.mark(row)] = 1;
                }
            }
        }
    }
}
