//! Whether something of a changed land is drawn yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{Result, Work};

/// How long the build of all the land waits for its first tile.
const PATIENCE: Duration = Duration::from_millis(100);

/// Set as soon as a tile of a changed land is drawn, while all of it is still to be built.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstShown(Arc<AtomicBool>);

impl FirstShown {
    pub(super) fn set(&self) {
        // The flag publishes no other memory, so the weakest order is enough.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Waits a moment until a tile is drawn. The build takes all cores; on few of them the tile that the eye
    /// waits for would be made several frames later.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn wait(&self, work: &Work) -> Result<()> {
        let begun = Instant::now();
        while !self.0.load(Ordering::Relaxed) && begun.elapsed() < PATIENCE {
            work.check()?;
            // A condition variable would need the waiting thread to wake up for cancellation, too; the build
            // has a thread of its own, which may sleep.
            std::thread::sleep(Duration::from_millis(1));
        }
        work.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn a_build_waits_for_the_first_tile_or_not_for_ever_and_ends_when_it_is_cancelled() {
        let (first, work) = (FirstShown::default(), Work::new());
        assert!(first.wait(&work).is_ok(), "nothing is drawn, as where there is no camera");
        first.set();
        assert!(first.wait(&work).is_ok());
        work.cancel();
        assert!(matches!(first.wait(&work), Err(Error::Cancelled)));
        assert!(matches!(FirstShown::default().wait(&work), Err(Error::Cancelled)));
    }
}
