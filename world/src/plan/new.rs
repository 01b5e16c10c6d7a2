//! What a plan is asked to make.

use upland_core::Window;

/// What a new plan shall make of a recipe's land.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPlan {
    /// The rectangle; `None` for all of a bounded land.
    pub window: Option<Window>,
    /// Samples along the side of a tile, 64 to 16,384.
    pub tile: u32,
    /// Whether tiles of colours are made.
    pub colours: bool,
    /// Whether tiles of splat weights are made; colours are made with them.
    pub weights: bool,
    /// The layers of which tiles are made.
    pub layers: Vec<String>,
}

impl Default for NewPlan {
    fn default() -> Self {
        Self { window: None, tile: 4096, colours: false, weights: false, layers: Vec::new() }
    }
}
