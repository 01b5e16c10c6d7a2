//! Heightfields as frames for observers.

use std::borrow::Borrow;

use super::{Grid, Heightfield};
use crate::compute::frames::{Frame, Moment};
use crate::compute::work::Work;
use crate::error::Result;

impl Work {
    /// Shows the observer the land after round `number` of `of` rounds called `what`. `field` is called
    /// only if there is an observer that wants this frame; without one the cost is one comparison. The last
    /// round's frame must be the step's result.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Grid, Heightfield, Work};
    ///
    /// let work = Work::new().observed_by(|frame: &upland::Frame| assert_eq!(frame.heights, [1.0]));
    /// let field = Heightfield::flat(Grid::new(1, 1, 1.0)?, 1.0);
    /// work.frame("pass", 1, 2, || Ok(&field))?;
    /// Work::new().frame("pass", 2, 2, || -> upland::Result<Heightfield> { unreachable!() })?;
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the observer panics,
    /// [`Error::Cancelled`](crate::Error::Cancelled) when it cancelled the work, and the errors of `field`.
    #[inline]
    pub fn frame<Field: Borrow<Heightfield>>(
        &self,
        what: &'static str,
        number: usize,
        of: usize,
        field: impl FnOnce() -> Result<Field>,
    ) -> Result<()> {
        if !self.is_observed() || !self.wants(what, number, of)? {
            return Ok(());
        }
        let field = field()?;
        let field: &Heightfield = field.borrow();
        self.show(&Frame::new(Moment::new(what, number, of), field))
    }
}

impl<'a> Frame<'a> {
    /// A frame of a field.
    fn new(moment: Moment, field: &'a Heightfield) -> Self {
        let Grid { width, depth, cell } = field.grid();
        Self { moment, width, depth, cell, heights: field.heights() }
    }

    /// The shape of the frame, which may be coarser than the step's.
    pub fn grid(&self) -> Grid {
        Grid { width: self.width, depth: self.depth, cell: self.cell }
    }

    /// A copy to keep.
    pub fn to_heightfield(&self) -> Heightfield {
        let mut field = Heightfield::flat(self.grid(), 0.0);
        field.heights_mut().copy_from_slice(self.heights);
        field
    }
}
