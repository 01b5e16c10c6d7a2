//! Sculpting while playing: strokes on terrains, drawn in the frame in which they are made.

mod apply;
mod components;
mod paint;
#[cfg(test)]
mod tests;

use bevy::prelude::*;

pub use components::{StrokeApplied, StrokeChange, StrokeFailed, TerrainStrokes};

use super::terrain::TerrainSystems;

/// The systems in which strokes reach the ground: in `PostUpdate`. Systems after them find the new ground.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SculptSystems;

/// Lets terrains with [`TerrainStrokes`] be sculpted.
pub(super) struct SculptPlugin;

impl Plugin for SculptPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<StrokeApplied>()
            .add_message::<StrokeFailed>()
            .register_type::<TerrainStrokes>()
            .register_type::<StrokeApplied>()
            .register_type::<StrokeFailed>()
            .add_systems(
                PostUpdate,
                // Strokes reach the tiles in their own frame: after new land is there, and before chunks are
                // chosen by the heights of tiles.
                (apply::apply_strokes, paint::check_paint)
                    .chain()
                    .in_set(SculptSystems)
                    .after(TerrainSystems::Build)
                    .before(TerrainSystems::Choose),
            )
            .add_observer(apply::end);
    }
}
