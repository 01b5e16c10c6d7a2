//! Frames: what a step has come to so far, handed out to whoever watches it work.
//!
//! A [`Work`] may carry an [`Observer`]. A step that goes on in rounds (octaves, levels, faults, passes) shows
//! it the land after each: the very numbers that the next round begins with, or that the algorithm would
//! leave if it ended there. With nobody watching all of this is one look at an empty place.

use std::fmt;
use std::sync::Arc;

use super::panics::without_panic;
use super::work::Work;
use crate::error::{Error, Result};

/// When a frame was taken: after which round of which step. As text it is for people: "octave 3 of 9".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Moment {
    /// The step of the recipe that is being done: its number, from 0, and its name. `None` where a step is
    /// done by itself, without a recipe.
    pub step: Option<(usize, &'static str)>,
    /// What rounds are called: "octave", "fault", "level", "pass". A recipe shows what a step leaves in the
    /// end, masked and blended, as the one round called [`RESULT`](Self::RESULT).
    pub what: &'static str,
    /// How many rounds are done, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Moment {
    /// What the last frame of every step of a recipe is called.
    pub const RESULT: &'static str = "result";

    /// Whether this moment is among `count` that are spread evenly over all rounds. The last one always is,
    /// unless `count` is 0.
    ///
    /// ```
    /// use upland::Moment;
    ///
    /// let chosen = |of| (1..=of).filter(move |number| Moment::new("fault", *number, of).is_one_of(3));
    /// assert!(chosen(9).eq([3, 6, 9]));
    /// assert!(chosen(2).eq([1, 2]));
    /// ```
    pub fn is_one_of(&self, count: usize) -> bool {
        let chosen = |rounds: usize| rounds as u128 * count as u128 / self.of.max(1) as u128;
        chosen(self.number) > chosen(self.number.saturating_sub(1))
    }

    /// The moment when so many rounds are done, without a recipe.
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

/// The land at a moment. Its grid may be coarser than that of the step: algorithms that begin on coarse
/// lattices hand those out, over the same land.
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

/// Watches steps work. A function of a [`Frame`] is one that wants to see everything.
///
/// It is asked and told on the thread that does the step, which waits for it; frames of one step come in
/// order. Should it panic, the work ends with an error that says so.
pub trait Observer: Send + Sync {
    /// Whether it wants to see a frame: one that nobody wants isn't made. It may be asked several times of
    /// one, also before its turn, and says the same each time.
    fn wants(&self, _moment: &Moment) -> bool {
        true
    }

    /// Is shown a frame that it wanted.
    fn see(&self, frame: &Frame<'_>);
}

impl<F: Fn(&Frame<'_>) + Send + Sync> Observer for F {
    fn see(&self, frame: &Frame<'_>) {
        self(frame);
    }
}

/// An observer at work, and the step that it watches.
#[derive(Clone)]
pub(super) struct Observed {
    observer: Arc<dyn Observer>,
    step: Option<(usize, &'static str)>,
}

impl fmt::Debug for Observed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Observed({:?})", self.step)
    }
}

impl Work {
    /// The same work, whose frames `observer` is shown. Clones of this handle show them too; those that
    /// were made before don't. The land has the same bits whether or not anybody watches.
    ///
    /// A watched step takes longer and up to four further fields of memory: fractals make each frame from
    /// the first octave on. What a [`Cache`](crate::Cache) remembers isn't made again, so it has no frames.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use upland::generate::{Fault, Generate};
    /// use upland::{Frame, Grid, Work};
    ///
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let observer = {
    ///     let seen = seen.clone();
    ///     move |frame: &Frame| seen.lock().unwrap().push((frame.moment.to_string(), frame.to_heightfield()))
    /// };
    /// let work = Work::new().observed_by(observer);
    /// let land = Fault { faults: 3, ..Fault::default() }.generate(Grid::new(9, 9, 10.0)?, 7, &work)?;
    /// let seen = seen.lock().unwrap();
    /// assert_eq!(seen.iter().map(|(label, _)| &**label).collect::<Vec<_>>(), [
    ///     "fault 1 of 3",
    ///     "fault 2 of 3",
    ///     "fault 3 of 3",
    /// ]);
    /// assert_eq!(seen[2].1, land);
    /// # Ok::<(), upland::Error>(())
    /// ```
    #[must_use]
    pub fn observed_by(mut self, observer: impl Observer + 'static) -> Self {
        self.observed = Some(Observed { observer: Arc::new(observer), step: None });
        self
    }

    /// The same work for something that a step needs on its way, whose rounds are none of its own: noise that
    /// bends the land, for one. Its progress is told, its frames are not.
    #[must_use]
    pub fn unobserved(&self) -> Self {
        let mut work = self.clone();
        work.observed = None;
        work
    }

    /// Whether anybody watches.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observed.is_some()
    }

    /// Where to pause when `of` rounds are done in one go: the numbers of the frames that are wanted, upwards,
    /// and in the end `of` in any case. With nobody watching that is all.
    pub fn pauses(&self, what: &'static str, of: usize) -> impl Iterator<Item = usize> + Clone {
        let first = if self.is_observed() { 1.min(of) } else { of };
        (first..=of).filter(move |number| *number == of || self.wants(what, *number, of).unwrap_or(true))
    }

    /// The same work, for a step of a recipe.
    pub(crate) fn in_step(&self, number: usize, name: &'static str) -> Self {
        let mut work = self.clone();
        if let Some(observed) = &mut work.observed {
            observed.step = Some((number, name));
        }
        work
    }

    /// Whether somebody wants to see what there is after so many rounds; after none there is nothing.
    pub(crate) fn wants(&self, what: &'static str, number: usize, of: usize) -> Result<bool> {
        let Some(Observed { observer, step }) = &self.observed else { return Ok(false) };
        let moment = Moment { step: *step, what, number, of };
        guarded(&moment, || number > 0 && observer.wants(&moment))
    }

    /// Shows the observer a frame. It may have cancelled the work meanwhile.
    pub(crate) fn show(&self, frame: &Frame<'_>) -> Result<()> {
        let Some(Observed { observer, step }) = &self.observed else { return Ok(()) };
        let frame = Frame { moment: Moment { step: *step, ..frame.moment }, ..*frame };
        guarded(&frame.moment, || observer.see(&frame))?;
        self.check()
    }
}

/// Runs what an observer does; should that panic, it is no mistake of the step's.
fn guarded<T>(moment: &Moment, run: impl FnOnce() -> T) -> Result<T> {
    without_panic(run).map_err(|said| {
        Error::parameter(
            "observer",
            format!("has failed at {moment}; that is a mistake in it, which says: {said}"),
        )
    })
}
