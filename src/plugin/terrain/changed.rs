//! What a game hears when ground that it may have used is no longer as it was.

use bevy::math::DVec2;
use bevy::prelude::*;

/// Ground of a terrain has changed, or is about to: whatever was made from it before (colliders, paths, objects that
/// stand on it) is out of date. Sent in the frame of the change, before the tiles in question have been made anew.
///
/// Colours alone are no such change, nor is a finer tile of the same ground.
#[derive(Message, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct TerrainChanged {
    /// The terrain.
    pub terrain: Entity,
    /// Where: the north-west and the south-east corner, metres from the land's sample (0, 0); `None` for all of it.
    pub area: Option<[DVec2; 2]>,
}

impl TerrainChanged {
    /// All ground of a terrain has changed.
    pub fn everywhere(terrain: Entity) -> Self {
        Self { terrain, area: None }
    }
}
