//! The name and length of a file that is read, and checks of what its header claims.

use std::path::Path;

use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files;
use crate::grid::{Grid, memory};

/// The name and length of a file; for messages and for checking its claims.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    pub(super) path: &'a Path,
    /// Bytes in all.
    pub(super) len: u64,
}

/// The most bytes that one byte of a file can unpack to: deflate reaches 1032, a full LZW table about 2600.
const MOST_COMPRESSED: u64 = 4096;

impl Label<'_> {
    /// An error about this file.
    pub(super) fn error(self, reason: impl Into<String>) -> Error {
        Error::file(self.path, reason)
    }

    /// The system's error while reading this file.
    pub(super) fn io_error(self, error: std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return self.error("the file ends too early; it is cut short");
        }
        files::failed(self.path, error)
    }

    /// Refuses a size that is 0, too large, or impossible for a file this short, before memory is allocated.
    /// `bits` are the bits of one sample in the file, uncompressed.
    pub(super) fn check_size(self, width: usize, depth: usize, bits: usize) -> Result<()> {
        let grid = Grid::new(width, depth, 1.0).map_err(|error| self.error(error.to_string()))?;
        let needed = (width as u64 * depth as u64).saturating_mul(bits as u64) / 8;
        if needed / MOST_COMPRESSED > self.len {
            let len = self.len;
            let reason =
                format!("its header promises {width}×{depth} samples, which {len} bytes cannot hold");
            return Err(self.error(reason + "; the file is cut short or damaged"));
        }
        // The heights are built while the decoded bytes are still held.
        let heights = 4 * grid.count() as u64;
        memory::require(grid, needed.saturating_add(heights)).map_err(|error| self.error(error.to_string()))
    }

    /// Refuses to read `width × depth` samples when the necessary `bytes` are not free. Call
    /// [`check_size`](Self::check_size) first.
    pub(super) fn require(self, width: usize, depth: usize, bytes: u64) -> Result<()> {
        let grid = Grid { width, depth, cell: 1.0 };
        memory::require(grid, bytes).map_err(|error| self.error(error.to_string()))
    }

    /// Adds this file's name to the raster's own errors.
    pub(super) fn named(self, raster: Result<Raster>) -> Result<Raster> {
        raster.map_err(|error| match error {
            Error::File { .. } | Error::Io { .. } => error,
            other => self.error(other.to_string()),
        })
    }
}
