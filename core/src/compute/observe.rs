//! Work that is observed: how steps show their frames.

use std::sync::Arc;

use super::frames::{Frame, Moment, Observed, Observer};
use super::panics::without_panic;
use super::work::Work;
use crate::error::{Error, Result};

impl Work {
    /// The same work, whose frames are shown to `observer`. Clones made from this handle show them too;
    /// earlier clones don't. The land has the same bits with and without an observer.
    ///
    /// Observed steps are slower and take up to four more fields of memory: fractals compute each frame
    /// from the first octave on. Steps whose result comes from a [`Cache`](crate::Cache) don't run, so they
    /// have no frames.
    ///
    /// ```
    /// # use upland_core as upland;
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

    /// The same work for a computation inside a step whose rounds are not the step's own, such as the noise
    /// of a domain warp: its progress is reported, its frames are not.
    #[must_use]
    pub fn unobserved(&self) -> Self {
        let mut work = self.clone();
        work.observed = None;
        work
    }

    /// Whether there is an observer.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observed.is_some()
    }

    /// The round numbers, ascending, after which to stop for a frame when rounds are computed in one go:
    /// those of the frames that the observer wants, and always `of` itself. Without an observer that is `of`
    /// alone.
    pub fn pauses(&self, what: &'static str, of: usize) -> impl Iterator<Item = usize> + Clone {
        let first = if self.is_observed() { 1.min(of) } else { of };
        // If the observer fails here, the frame is made all the same, and reports the failure.
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

    /// Whether the observer wants the frame after `number` rounds; there is none after 0.
    pub(crate) fn wants(&self, what: &'static str, number: usize, of: usize) -> Result<bool> {
        let Some(Observed { observer, step }) = &self.observed else { return Ok(false) };
        let moment = Moment { step: *step, what, number, of };
        guarded(&moment, || number > 0 && observer.wants(&moment))
    }

    /// Shows the observer a frame. Fails if the observer cancelled the work.
    pub(crate) fn show(&self, frame: &Frame<'_>) -> Result<()> {
        let Some(Observed { observer, step }) = &self.observed else { return Ok(()) };
        let frame = Frame { moment: Moment { step: *step, ..frame.moment }, ..*frame };
        guarded(&frame.moment, || observer.see(&frame))?;
        // An observer may cancel the work while it looks.
        self.check()
    }
}

/// Runs the observer's code; a panic there is reported as the observer's, not the step's.
fn guarded<T>(moment: &Moment, run: impl FnOnce() -> T) -> Result<T> {
    without_panic(run).map_err(|said| {
        Error::parameter("observer", format!("failed at {moment} because of a bug in it: {said}"))
    })
}
