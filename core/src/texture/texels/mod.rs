//! The data under the texels of a map: the ground, noise, a painted map. All of it is read row by row, in
//! runs of texels.

mod mottle;
mod painted;
mod surface;
mod taps;

pub(crate) use mottle::{Mottle, MottleRow};
pub(crate) use painted::{PaintedRun, PreparedMap};
pub(crate) use surface::{GroundRun, Surface, SurfaceRow, range};
pub(crate) use taps::tap;

/// Texels in a run: enough for wide registers, few enough to stay in the L1 cache. Runs begin at multiples of
/// it on the painted map; a texel has the same bits wherever its run begins.
pub(crate) const RUN: usize = 256;
