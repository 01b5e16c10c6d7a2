//! Where blocks of tiles in stores are kept on this machine, and how many.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use crate::plan::cache_folder;

/// The variable with the most GiB of blocks.
const MOST_GIB: &str = "UPLAND_CACHE_GIB";

/// Unless the variable says otherwise.
const DEFAULT_GIB: f64 = 8.0;

/// The folder of blocks in the folder of the cache.
const BLOCKS: &str = "blocks";

/// How blocks of tiles in stores are kept on this machine's disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCacheSettings {
    /// Their folder. Processes may share it.
    pub folder: PathBuf,
    /// The most bytes that they take; 0 keeps none.
    pub most_bytes: u64,
}

impl Default for DiskCacheSettings {
    /// The folder `blocks` in that of the variable `UPLAND_CACHE`, or else in the user's cache folder; at
    /// most 8 GiB, or as many as the variable `UPLAND_CACHE_GIB` says.
    fn default() -> Self {
        let given = std::env::var(MOST_GIB).ok().and_then(|text| text.trim().parse::<f64>().ok());
        let gib = given.filter(|gib| gib.is_finite() && *gib >= 0.0).unwrap_or(DEFAULT_GIB);
        Self { folder: cache_folder().join(BLOCKS), most_bytes: (gib * f64::from(1u32 << 30)) as u64 }
    }
}

static SETTINGS: RwLock<Option<DiskCacheSettings>> = RwLock::new(None);

/// Sets how blocks of tiles in stores are kept, for lands that are opened from now on. Those in folders of
/// this machine are never kept a second time.
pub fn set_disk_cache(settings: DiskCacheSettings) {
    *SETTINGS.write().unwrap_or_else(PoisonError::into_inner) = Some(settings);
}

/// The settings in effect.
pub(super) fn disk_cache() -> DiskCacheSettings {
    SETTINGS.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}
