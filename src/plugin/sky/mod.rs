//! The sun and a clear sky that work on every device, including software renderers.
//!
//! The physics is computed on the CPU, once per position of the sun ([`Daylight`](crate::Daylight)), on a
//! background thread; the shader reads a small table. Bevy's `Atmosphere` uses compute shaders, which crash
//! software drivers.

mod backdrop;
mod clouds;
mod components;
mod dawning;
mod look;
mod skies;

use bevy::light::DirectionalLightShadowMap;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;

use super::floating_origin::FloatingOriginSystems;
use super::setup::{complain_if_late, draws, is_first};
use super::shaders::load_sky_shaders;
pub(crate) use backdrop::BackdropMaterial;
pub(crate) use backdrop::SkyUniform;
#[cfg(test)]
pub(crate) use backdrop::view_filling_triangle;
#[cfg(feature = "render")]
pub use components::sky_camera_effects;
pub use components::{Sky, SkyCamera};
pub(crate) use dawning::Dawning;
pub(crate) use skies::BuiltSky;

/// Draws every [`Sky`], and sets exposure, ambient light and fog of every [`SkyCamera`].
#[derive(Clone, Debug)]
pub struct SkyPlugin {
    /// Texels along each side of the sun's shadow maps, a power of two; one map per cascade. It is put into
    /// Bevy's `DirectionalLightShadowMap`: a game that has one of its own inserts that after this plugin.
    pub shadow_map_size: usize,
}

impl Default for SkyPlugin {
    fn default() -> Self {
        Self { shadow_map_size: 2048 }
    }
}

/// The systems of [`SkyPlugin`], in `PostUpdate` before transform propagation.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkySystems;

impl Plugin for SkyPlugin {
    fn build(&self, app: &mut App) {
        if !is_first::<Self>(app) {
            return;
        }
        app.register_type::<Sky>().register_type::<SkyCamera>();
        // No game knows these, but scenes have to hold them.
        app.register_type::<components::ClearedTo>().register_type::<skies::ServesAllCameras>();
        if !draws(app) {
            return;
        }
        load_sky_shaders(app);
        app.add_plugins(MaterialPlugin::<BackdropMaterial>::default())
            .insert_resource(DirectionalLightShadowMap { size: self.shadow_map_size.next_power_of_two() })
            .add_systems(
                // In this order: layers follow the sky that has been built, and cameras take the sky on
                // their layers.
                PostUpdate,
                (
                    skies::build_skies,
                    clouds::drift_clouds,
                    skies::share_layers,
                    skies::dress_cameras,
                    clouds::shade_cameras,
                    skies::clear_cameras,
                )
                    .chain()
                    // Clouds stay over their land where the world is moved.
                    .after(FloatingOriginSystems)
                    .in_set(SkySystems)
                    // Before propagation, so that the light's new direction is drawn in this frame.
                    .before(TransformSystems::Propagate),
            )
            .add_observer(skies::clear);
    }

    fn finish(&self, app: &mut App) {
        complain_if_late(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}
