//! Frames: intermediate results of a step, shown to an observer while the step works.
//!
//! A [`Work`](super::work::Work) may carry an [`Observer`]. A step that works in rounds (octaves, levels,
//! faults, passes) shows it the land after each round: exactly the heights that the next round starts from,
//! or that the algorithm would return if it stopped there. Without an observer the cost is one check of an
//! `Option`.

use std::fmt;
use std::sync::Arc;

/// When a frame was taken: after which round of which step. It displays as "octave 3 of 9".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Moment {
    /// Index, from 0, and name of the recipe's step that is running; `None` for a step that runs outside a
    /// recipe.
    pub step: Option<(usize, &'static str)>,
    /// What a round is: "octave", "fault", "level", "pass". The finished result of a recipe's step, masked
    /// and blended, counts as the one round [`RESULT`](Self::RESULT).
    pub what: &'static str,
    /// Number of the round that has just ended, from 1.
    pub number: usize,
    /// Number of rounds in all.
    pub of: usize,
}

impl Moment {
    /// The name of the round that is the finished result of a recipe's step.
    pub const RESULT: &'static str = "result";

    /// Whether this moment is among `count` that are spread evenly over all rounds. The last round always
    /// is, unless `count` is 0.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::Moment;
    ///
    /// let chosen = |of| (1..=of).filter(move |number| Moment::new("fault", *number, of).is_one_of(3));
    /// assert!(chosen(9).eq([3, 6, 9]));
    /// assert!(chosen(2).eq([1, 2]));
    /// ```
    pub fn is_one_of(&self, count: usize) -> bool {
        // In 128 bits, because the product of two counts may exceed 64. A round is chosen where the share of
        // rounds that are due passes a whole number.
        let chosen = |rounds: usize| rounds as u128 * count as u128 / self.of.max(1) as u128;
        chosen(self.number) > chosen(self.number.saturating_sub(1))
    }

    /// The moment after round `number` of `of`, outside a recipe.
    pub fn new(what: &'static str, number: usize, of: usize) -> Self {
        Self { step: None, what, number, of }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.what, self.of) {
            (Self::RESULT, 1) => formatter.write_str(self.what),
            (what, of) => write!(formatter, "{what} {} of {of}", self.number),
        }
    }
}

/// The land at a moment. Its grid may be coarser than the step's: algorithms that start on coarse lattices
/// hand those out, over the same area.
///
/// [`to_heightfield`](Self::to_heightfield) keeps it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// When it was taken.
    pub moment: Moment,
    /// Samples along +X.
    pub width: usize,
    /// Samples along +Z.
    pub depth: usize,
    /// Metres between samples.
    pub cell: f32,
    /// Heights in metres, row by row.
    pub heights: &'a [f32],
}

/// Watches steps work. Any `Fn(&Frame)` is an observer that wants every frame.
///
/// Both methods are called on the thread that runs the step, which waits for them; the frames of one step
/// come in order. A panic of the observer ends the work with [`Error::Parameter`](crate::Error::Parameter).
pub trait Observer: Send + Sync {
    /// Whether it wants to see a frame; a frame that is not wanted is not made. It may be asked several
    /// times for the same frame, also ahead of time, and must give the same answer each time.
    fn wants(&self, _moment: &Moment) -> bool {
        true
    }

    /// Receives a frame that it wanted.
    fn see(&self, frame: &Frame<'_>);
}

impl<F: Fn(&Frame<'_>) + Send + Sync> Observer for F {
    fn see(&self, frame: &Frame<'_>) {
        self(frame);
    }
}

/// An observer, and the step that it watches.
#[derive(Clone)]
pub(super) struct Observed {
    pub(super) observer: Arc<dyn Observer>,
    pub(super) step: Option<(usize, &'static str)>,
}

impl fmt::Debug for Observed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Observed({:?})", self.step)
    }
}
