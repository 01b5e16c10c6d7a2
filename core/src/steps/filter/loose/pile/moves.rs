//! The two loops of an iteration of a [`Pile`](super::Pile): how much every sample gives away, and what
//! it receives from its neighbours.
//!
//! A sample that receives computes what its neighbour gives it by the same expression as the neighbour did, so
//! nothing is lost or made, and no two threads write to the same sample.

use crate::compute::wide::Loop;

/// Samples that a loop works on at a time: its tables then fit into the L1 cache.
pub(super) const STRETCH: usize = 64;

/// Columns and rows from a sample to its neighbours: along the axes, along the diagonals, and a knight's moves
/// between these. Each odd place holds the opposite of the one before it.
///
/// Along eight directions a heap would become an octagonal pyramid, up to 8 % too steep between them; along
/// sixteen it is 3 %.
pub(in crate::steps::filter::loose) const MOVES: [[isize; 2]; 16] = [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1],
    [-1, -1],
    [1, -1],
    [-1, 1],
    [2, 1],
    [-2, -1],
    [2, -1],
    [-2, 1],
    [1, 2],
    [-1, -2],
    [1, -2],
    [-1, 2],
];

/// Rows and columns that a move spans at most.
pub(super) const SPAN: usize = 2;

/// Rounding may make the parts of what is given a little larger than the whole.
const LESS: f32 = 0.999_99;

/// The most units that a sample gives away in an iteration.
const MOST: f32 = 8_388_607.0;

/// Bits that the number of a move takes.
const MOVE_BITS: u32 = 4;
const MOVE_MASK: i32 = (1 << MOVE_BITS) - 1;

/// The share of its excess over its neighbours, weighed, that a sample gives away in an iteration. All weights
/// together are 7.6: a sample to which all neighbours give does not rise above them.
const GIVEN: f32 = 1.0 / 8.0;

/// Samples whose sums are held in registers at the same time.
const GROUP: usize = 16;

/// `N` values from `at` on.
#[inline(always)]
fn piece<T: Copy + Default, const N: usize>(values: &[T], at: usize) -> [T; N] {
    let mut piece = [T::default(); N];
    piece.copy_from_slice(&values[at..at + N]);
    piece
}

/// What a sample may rise above its neighbours, in units of height.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repose {
    /// How much higher than the neighbour after each move it may be.
    pub(super) rises: [f32; 16],
    /// The length of each move, in cells, and 1 / its square.
    lengths: [f32; 16],
    weights: [f32; 16],
    /// Up to this excess per cell of the way it rests.
    pub(super) tolerance: f32,
}

impl Repose {
    /// Rests up to a rise of `rise` per cell, and moves from one of `tolerance` more.
    pub(super) fn new(rise: f32, tolerance: f32) -> Self {
        let lengths = MOVES.map(|[columns, rows]| ((columns * columns + rows * rows) as f32).sqrt());
        Self {
            rises: lengths.map(|length| rise * length),
            lengths,
            weights: lengths.map(|length| 1.0 / (length * length)),
            tolerance,
        }
    }
}

/// Computes how much of its loose material each sample of a stretch gives away, and in which parts. Returns
/// whether any gives something.
pub(super) struct Give<'a> {
    pub(super) repose: &'a Repose,
    pub(super) surface: &'a [i32],
    pub(super) around: [&'a [i32]; 16],
    pub(super) loose: &'a [i32],
    /// What each unit of excess over a neighbour moves to it.
    pub(super) share: &'a mut [f32],
    /// What is left over by rounding, and the steepest move, which it takes.
    pub(super) rest: &'a mut [i32],
    /// Minus all that is given.
    pub(super) change: &'a mut [i32],
}

impl Loop for Give<'_> {
    type Done = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { repose, surface, around, loose, share, rest, change } = self;
        let count = surface.len().min(STRETCH);
        let (surface, loose) = (&surface[..count], &loose[..count]);
        let (share, rest, change) = (&mut share[..count], &mut rest[..count], &mut change[..count]);
        if loose.iter().fold(0, |any, loose| any | loose) == 0 {
            share.fill(0.0);
            rest.fill(0);
            change.fill(0);
            return false;
        }
        let mut excesses = [[0.0f32; STRETCH]; 16];
        let (mut sum, mut steepest) = ([0.0f32; STRETCH], [0i32; STRETCH]);
        // Four moves at a time, so that sums are read and written less often.
        for first in [0, 4, 8, 12] {
            let there: [&[i32]; 4] = std::array::from_fn(|number| &around[first + number][..count]);
            let [a, b, c, d] = &mut excesses[first..first + 4] else { return false };
            for at in 0..count {
                let one = |number: usize| {
                    let (rise, weight) = (repose.rises[first + number], repose.weights[first + number]);
                    let excess = excess(surface[at], there[number][at], rise, weight);
                    (excess, steepness(excess * repose.lengths[first + number], first + number))
                };
                let moves = [one(0), one(1), one(2), one(3)];
                (a[at], b[at], c[at], d[at]) = (moves[0].0, moves[1].0, moves[2].0, moves[3].0);
                sum[at] += (moves[0].0 + moves[1].0) + (moves[2].0 + moves[3].0);
                let pairs = [moves[0].1.max(moves[1].1), moves[2].1.max(moves[3].1)];
                steepest[at] = steepest[at].max(pairs[0].max(pairs[1]));
            }
        }
        let rests = steepness(repose.tolerance, 15);
        let mut given = [0i32; STRETCH];
        let mut any = 0;
        for at in 0..count {
            let wanted = if steepest[at] > rests { whole(GIVEN * sum[at]) } else { 0 };
            let out = wanted.min(loose[at]);
            given[at] = out;
            any |= out;
            share[at] = if out > 0 { LESS * (out as f32 / sum[at]) } else { 0.0 };
        }
        let mut parts = [0i32; STRETCH];
        if any != 0 {
            for [a, b, c, d] in excesses.as_chunks::<4>().0 {
                for at in 0..count {
                    let share = share[at];
                    let pairs =
                        [part(share, a[at]) + part(share, b[at]), part(share, c[at]) + part(share, d[at])];
                    parts[at] += pairs[0] + pairs[1];
                }
            }
        }
        for at in 0..count {
            rest[at] = ((given[at] - parts[at]) << MOVE_BITS) | (steepest[at] & MOVE_MASK);
            change[at] = -given[at];
        }
        any != 0
    }
}

/// How steep a move is, and which it is, as a number that is the larger the steeper: an f32 that is not negative
/// is ordered as its bits are, and the last of these hold the number of the move.
#[inline(always)]
fn steepness(slope: f32, number: usize) -> i32 {
    (slope.to_bits() as i32 & !MOVE_MASK) | number as i32
}

/// Adds to each sample of a stretch what its neighbours give it. Returns whether anything changes.
pub(super) struct Take<'a> {
    pub(super) repose: &'a Repose,
    pub(super) surface: &'a [i32],
    /// The surface of the neighbours, what each unit of excess moves, and what is left over by rounding.
    pub(super) around: [(&'a [i32], &'a [f32], &'a [i32]); 16],
    pub(super) change: &'a mut [i32],
}

impl Loop for Take<'_> {
    type Done = bool;

    #[inline(always)]
    fn run(mut self) -> bool {
        let count = self.surface.len();
        let mut any = false;
        let mut at = 0;
        while at + GROUP <= count {
            any |= self.group::<GROUP>(at);
            at += GROUP;
        }
        while at < count {
            any |= self.group::<1>(at);
            at += 1;
        }
        any
    }
}

impl Take<'_> {
    /// The samples from `at` on, so few that their sums stay in registers.
    #[inline(always)]
    fn group<const N: usize>(&mut self, at: usize) -> bool {
        let surface = piece::<i32, N>(self.surface, at);
        let mut taken = piece::<i32, N>(self.change, at);
        for number in 0..16 {
            let (there, shares, rests) = self.around[number];
            let there = piece::<i32, N>(there, at);
            let (shares, rests) = (piece::<f32, N>(shares, at), piece::<i32, N>(rests, at));
            // A move is as long as its opposite.
            let (rise, weight) = (self.repose.rises[number], self.repose.weights[number]);
            let back = number as i32 ^ 1;
            for lane in 0..N {
                let is_steepest = rests[lane] & MOVE_MASK == back;
                let left_over = if is_steepest { rests[lane] >> MOVE_BITS } else { 0 };
                taken[lane] +=
                    part(shares[lane], excess(there[lane], surface[lane], rise, weight)) + left_over;
            }
        }
        self.change[at..at + N].copy_from_slice(&taken);
        taken.iter().fold(0, |any, taken| any | taken) != 0
    }
}

/// How much higher than allowed `here` is above `there`, divided by the square of the way: what moves over a way
/// of that length then carries as much for each degree too steep, in whatever direction, and heaps stay round.
#[inline(always)]
fn excess(here: i32, there: i32, rise: f32, weight: f32) -> f32 {
    let excess = (here - there) as f32 - rise;
    if excess > 0.0 { excess * weight } else { 0.0 }
}

/// The part that goes to a neighbour.
#[inline(always)]
fn part(share: f32, excess: f32) -> i32 {
    whole(share * excess)
}

/// The whole number at or just below a number that is not negative. Beyond [`MOST`] it is that. A plain
/// conversion also has to look for numbers that no integer can be, and would not be vectorised.
#[inline(always)]
fn whole(number: f32) -> i32 {
    // From 2²³ on the last bit of an f32 counts ones.
    const SHIFT: f32 = 8_388_608.0;
    let below = number - 0.5;
    let below = if below > 0.0 { below } else { 0.0 };
    let below = if below < MOST { below } else { MOST };
    (below + SHIFT).to_bits() as i32 - SHIFT.to_bits() as i32
}
