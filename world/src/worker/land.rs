//! The land of a plan, as what makes its tiles needs it.

use upland_core::elevation::raster::MapPlace;
use upland_core::{Cache, Recipe, Window};

use crate::plan::Plan;

/// An object that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub key: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The land of a plan.
pub(super) struct PlannedLand {
    pub(super) plan: Plan,
    /// Its files are in place.
    pub(super) recipe: Recipe,
    /// What neighbouring blocks share.
    pub(super) cache: Cache,
    /// Where the whole rectangle lies.
    pub(super) place: MapPlace,
}

impl PlannedLand {
    /// Where samples of a window of the plan's level lie.
    pub(super) fn place_of(&self, window: Window) -> MapPlace {
        let whole = self.plan.window();
        let last = |window: Window| window.first[1] + i64::from(window.size[1]);
        let first = [(window.first[0] - whole.first[0]) as f64, (last(whole) - last(window)) as f64];
        self.place.of_samples(first, [1.0; 2])
    }
}
