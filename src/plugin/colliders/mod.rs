//! Colliders of terrains: streamed round the bodies that need ground, as plain data, and with the features
//! `avian` and `rapier` as static rigid bodies of these engines.

#[cfg(feature = "avian")]
mod avian;
mod components;
mod placed;
#[cfg(feature = "rapier")]
mod rapier;
#[cfg(any(feature = "avian", feature = "rapier"))]
mod shape;
mod streamed;
#[cfg(test)]
mod tests;
mod worker;

use bevy::prelude::*;

#[cfg(feature = "avian")]
pub use avian::AvianTerrainPlugin;
pub use components::{
    AwaitsGround, ColliderNeed, ColliderStatistics, TerrainCollider, TerrainColliderOf, TerrainColliders,
    TerrainCollidersFailed,
};
#[cfg(feature = "rapier")]
pub use rapier::RapierTerrainPlugin;

use super::setup::is_first;
use super::terrain::TerrainChanged;

/// The systems that make terrain colliders, in [`PostUpdate`] after transforms have been propagated: so
/// physics that runs in a later frame or after it finds ground.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TerrainColliderSystems;

/// Makes colliders of every terrain round each entity with a [`ColliderNeed`], as plain data: each is an
/// entity with a [`TerrainCollider`], to which the adapter of a physics engine adds a shape.
///
/// `AvianTerrainPlugin` and `RapierTerrainPlugin`, behind the features `avian` and `rapier`, do that for
/// these engines, and add this plugin themselves. Adding it more than once is the same as once.
///
/// Needs Bevy's `TransformPlugin` and `Time`, and [`TerrainPlugin`](super::TerrainPlugin) for terrains; no
/// camera, and no renderer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerrainColliderPlugin;

impl Plugin for TerrainColliderPlugin {
    fn is_unique(&self) -> bool {
        false
    }

    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.insert_resource(worker::Worker::new())
            .init_resource::<ColliderStatistics>()
            .init_resource::<Time>()
            .add_message::<TerrainChanged>()
            .register_type::<ColliderNeed>()
            .register_type::<AwaitsGround>()
            .register_type::<ColliderStatistics>()
            .register_type::<TerrainCollidersFailed>()
            .register_type::<TerrainCollider>()
            .register_type::<TerrainColliderOf>()
            .register_type::<TerrainColliders>()
            .add_message::<TerrainCollidersFailed>()
            // Where bodies are is known once transforms have been propagated.
            .configure_sets(PostUpdate, TerrainColliderSystems.after(TransformSystems::Propagate))
            .add_systems(
                PostUpdate,
                (streamed::attach, streamed::stream).chain().in_set(TerrainColliderSystems),
            )
            .add_observer(streamed::end)
            .add_observer(streamed::forget_body);
    }
}
