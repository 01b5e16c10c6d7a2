//! How much memory there is, asked before much of it is taken.

use crate::error::{Error, Result};
use crate::heightfield::Grid;

/// Refuses work on a field of `grid` that would need `bytes`, when that is more than is free. Where the
/// system doesn't tell how much is free nothing is refused.
///
/// # Errors
/// [`Error::Size`] naming both amounts.
pub(crate) fn require(grid: Grid, bytes: u64) -> Result<()> {
    refuse(grid, bytes, free())
}

fn refuse(grid: Grid, bytes: u64, free: Option<u64>) -> Result<()> {
    match free {
        Some(free) if bytes > free => {
            let (need, have) = (gibibytes(bytes), gibibytes(free));
            let reason = format!("need {need} GiB of memory to be made, and {have} GiB are free; use fewer");
            Err(Error::Size { width: grid.width, depth: grid.depth, reason })
        }
        _ => Ok(()),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 30))
}

/// Bytes that can be taken without swapping, as Linux estimates them.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_is_free_is_refused_with_both_amounts() {
        let grid = Grid::new(4096, 2048, 1.0).unwrap();
        assert!(refuse(grid, 3 << 30, Some(3 << 30)).is_ok());
        assert!(refuse(grid, u64::MAX, None).is_ok());
        let message = refuse(grid, 3 << 30, Some(1 << 29)).unwrap_err().to_string();
        assert_eq!(
            message,
            "4096×2048 samples need 3.0 GiB of memory to be made, and 0.5 GiB are free; use fewer"
        );
    }
}
