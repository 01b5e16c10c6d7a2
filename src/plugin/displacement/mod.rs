//! Displacement of any mesh: its vertices are moved along their normals by a height map, on the device.
//!
//! It stands alone: the chunks of a terrain have a material of their own.

mod material;
mod meshes;

use bevy::camera::visibility::VisibilitySystems;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

#[cfg(test)]
pub(crate) use material::DisplacementUniform;
pub use material::{DisplacedMaterial, Displacement, HeightMapLayout, height_map};
pub use meshes::DisplacementFailed;

use super::setup::{complain_if_late, draws, is_first};
use super::shaders::load_displacement_shader;

/// Draws meshes with a [`DisplacedMaterial`]. Needs Bevy's default plugins.
///
/// A mesh without normals or texture coordinates cannot be displaced: a [`DisplacementFailed`] event says so,
/// once, and it is drawn as it is, with the material's base.
#[derive(Clone, Copy, Debug, Default)]
pub struct DisplacementPlugin;

impl Plugin for DisplacementPlugin {
    // An inline function becomes machine code in the crate that calls it. Bevy makes thousands of functions
    // for each material, and so only a game that adds this plugin has to build them.
    #[inline]
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<Displacement>()
            .register_type::<DisplacementFailed>()
            .add_message::<DisplacementFailed>();
        if !draws(app) {
            return;
        }
        load_displacement_shader(app);
        app.add_plugins(MaterialPlugin::<DisplacedMaterial>::default())
            // Before Bevy computes bounds of its own.
            .add_systems(PostUpdate, meshes::look_over.before(VisibilitySystems::CalculateBounds));
    }

    fn finish(&self, app: &mut App) {
        complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}
