//! A cache of recently read tiles, so that moving a slider doesn't decode them again.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::files::{FilePath, Stamp};

use super::tiling::{Tile, Tiling};

/// The number of cached tiles, and the most texels of one of them.
const KEPT: usize = 16;
const KEPT_TEXELS: usize = 2 << 20;

/// A tile that has been read, with values that depend on all of its texels: computing them takes more time
/// than a small preview of a land has.
pub(crate) struct KeptTile {
    pub(crate) tile: Tile,
    /// The mean of its colours, in linear light.
    pub(crate) mean: [f64; 3],
    /// The highest level of each channel.
    pub(crate) brightest: [u8; 3],
}

impl KeptTile {
    fn new(tile: Tile) -> Self {
        let brightest = tile.colours.iter().fold([0; 3], |brightest, colour| {
            std::array::from_fn(|channel| colour[channel].max(brightest[channel]))
        });
        Self { mean: tile.mean_light(), brightest, tile }
    }
}

/// A cached tile, and what identifies its file.
struct Read {
    image: FilePath,
    stamp: Option<Stamp>,
    tile: Arc<KeptTile>,
}

/// The oldest first.
static READ: Mutex<Vec<Read>> = Mutex::new(Vec::new());

impl Tiling {
    /// As [`read`](Self::read), decoding the pictures again only when their file has changed.
    pub(crate) fn read_kept(&self) -> Result<Arc<KeptTile>> {
        let image = &self.image;
        // Size and time of the file: a tile that was painted over is read again.
        let stamp = image.stamp(&image.on_disk());
        let kept = || READ.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is held for the search only: reading a tile takes long.
        if let Some(known) = kept().iter().find(|known| known.image == *image && known.stamp == stamp) {
            return Ok(known.tile.clone());
        }
        let tile = Arc::new(KeptTile::new(self.read()?));
        // Huge tiles are not kept: their memory is worth more than the time to read them again.
        if tile.tile.colours.len() <= KEPT_TEXELS {
            let mut kept = kept();
            // A tile that was read before a change of the file is of no use any more.
            kept.retain(|known| known.image != *image);
            if kept.len() >= KEPT {
                // The first is the one that was read longest ago.
                kept.remove(0);
            }
            kept.push(Read { image: image.clone(), stamp, tile: tile.clone() });
        }
        Ok(tile)
    }
}
