//! How far the work on a terrain is.

use bevy::prelude::*;

/// The progress of a terrain.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub enum TerrainStatus {
    /// Spawned, not begun, or waiting for its recipe to load.
    #[default]
    Waiting,
    /// Being built.
    Building {
        /// The name of the present stage, for people.
        stage: String,
        /// Share of this stage that is done, in [0, 1].
        fraction: f32,
    },
    /// Drawn, up to date with its source and skin.
    Ready,
    /// The source or the skin failed, with this message. What was drawn before stays.
    Failed(String),
}

/// The share of the present work on a terrain that is done, in \[0, 1\]: for the bar of a loading screen. It
/// is 0 while the terrain waits for its recipe, only grows while it is built or repainted, and is 1 once it
/// is ready or has failed. With a new source or skin it begins at 0 again.
///
/// [`TerrainStatus::Building`] describes the present stage alone, and there are many stages.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::OverallProgress;
///
/// #[derive(Component)]
/// struct Bar;
///
/// fn fill(terrains: Query<&OverallProgress>, mut bar: Single<&mut Transform, With<Bar>>) {
///     let shares: Vec<f32> = terrains.iter().map(|progress| progress.0).collect();
///     bar.scale.x = shares.iter().sum::<f32>() / shares.len().max(1) as f32;
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct OverallProgress(pub f32);

impl TerrainStatus {
    /// Whether nothing will change without a new event: ready or failed.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Ready | Self::Failed(_))
    }
}
