//! Levels of detail compared: the same land four times, as wireframes, by the methods that there are.

mod caption;
mod error_bounds;
mod land;
mod measure;
mod picture;
mod wire;

pub use picture::{LevelsShot, render_levels};

use bevy::camera::visibility::RenderLayers;

pub(crate) use caption::{Numbers, caption};
pub(crate) use land::Compared;
pub(crate) use measure::{ChunkParts, eye_of, of_brute_force, of_chunks, of_roam, of_tin};
pub(crate) use wire::{WireMaterial, middle_of, of_triangles};

/// The first of the render layers of the panes: landscapes have those before.
const FIRST_LAYER: usize = 10;

/// A way to draw a land with fewer triangles than it has samples, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As everywhere in upland: a quadtree of grids, each as fine as its distance needs, with vertices that
    /// move from one level to the next. After Strugar, Journal of Graphics, GPU, and Game Tools 14(4), 2009.
    Cdlod,
    /// Right triangles, halved for the eye in every frame.
    Roam,
    /// A triangulated irregular network: the fewest triangles for an error in metres, independent of the
    /// view.
    Tin,
    /// Every sample, always.
    BruteForce,
}

impl Way {
    /// All, as they are shown: row by row.
    pub const ALL: [Self; 4] = [Self::Cdlod, Self::Roam, Self::Tin, Self::BruteForce];

    /// Its place among all.
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|way| *way == self).unwrap_or(0)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Cdlod => "CDLOD: grids of a quadtree",
            Self::Roam => "ROAM: right triangles, halved for the eye",
            Self::Tin => "TIN: irregular triangles, the same from everywhere",
            Self::BruteForce => "Brute force: every sample",
        }
    }
}

/// The render layer of a pane.
pub(crate) fn layer(pane: usize) -> RenderLayers {
    RenderLayers::layer(layer_number(pane))
}

/// The number of that layer.
pub(crate) fn layer_number(pane: usize) -> usize {
    FIRST_LAYER + pane
}
