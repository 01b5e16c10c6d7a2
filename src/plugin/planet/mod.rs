//! Planets: a recipe's endless land around a sphere, streamed as meshes from orbit to the ground, with sea
//! and air.
//!
//! Spawn a [`Planet`], a camera with [`PlanetCamera`] and a directional light. Positions are in 64 bits from
//! the planet's centre; what is drawn is placed again around the camera in every frame, so that nothing
//! jitters.

mod air;
mod components;
mod material;
mod meshes;
mod streamed;
#[cfg(test)]
mod tests;

use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

#[cfg(test)]
pub(crate) use air::{AirMaterial, AirUniform};
pub use components::{Planet, PlanetBudget, PlanetCamera, PlanetFailed, PlanetStatus};
#[cfg(test)]
pub(crate) use material::{PlanetKey, PlanetMaterial, locations as planet_attributes};
#[cfg(test)]
pub(crate) use meshes::ground_mesh;

use super::ground_textures::TextureArrays;
use super::setup::{complain_if_late, draws, is_first};
use super::shaders::load_planet_shaders;

/// Draws every [`Planet`]. Needs Bevy's default plugins.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanetPlugin;

impl Plugin for PlanetPlugin {
    // An inline function becomes machine code in the crate that calls it. Bevy makes thousands of functions
    // for each material, and so only a game that adds this plugin has to build them.
    #[inline]
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<Planet>()
            .register_type::<PlanetStatus>()
            .register_type::<PlanetCamera>()
            .register_type::<PlanetBudget>()
            .register_type::<PlanetFailed>()
            .add_message::<PlanetFailed>();
        if !draws(app) {
            return;
        }
        load_planet_shaders(app);
        app.init_resource::<PlanetBudget>()
            .init_resource::<TextureArrays>()
            .add_plugins((
                MaterialPlugin::<air::AirMaterial>::default(),
                MaterialPlugin::<material::PlanetMaterial>::default(),
            ))
            .add_observer(streamed::clear)
            .add_observer(air::clear)
            .add_systems(
                PostUpdate,
                (streamed::begin, streamed::stream, air::follow)
                    .chain()
                    // Before propagation: nodes are placed around the camera in each frame, and these places
                    // have to reach the world's transforms in the same one.
                    .before(TransformSystems::Propagate)
                    .before(bevy::camera::visibility::VisibilitySystems::CalculateBounds),
            );
    }

    fn finish(&self, app: &mut App) {
        complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}
