//! Components that a game spawns: skies, and cameras that see them.

use bevy::camera::Exposure;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::AmbientLight;
use bevy::pbr::DistanceFog;
use bevy::prelude::*;
use bevy::render::view::ColorGrading;

use super::look;
use crate::Sun;
use crate::plugin::material::{AmbientShape, CloudsUniform, Drift, Submersion};
use crate::plugin::setup::needs;

/// The sun and the sky. Spawn one, and cameras with [`SkyCamera`].
///
/// The entity becomes the sun's [`DirectionalLight`] and the parent of the backdrop. With
/// [`RenderLayers`](bevy::camera::visibility::RenderLayers) it serves the cameras that share a layer with it,
/// so that two landscapes side by side can each have their own. Without, it serves all, and takes over the
/// layers of the [`SkyCamera`]s.
///
/// After a change of the sun, the new light is computed in the background, in about 10 ms; until then the
/// old one stays. A new sky starts dark. Removing the component removes light and backdrop.
///
/// ```
/// use bevy::prelude::*;
/// use upland::{Sun, plugin::{Sky, SkyCamera}};
///
/// fn setup(mut commands: Commands) {
///     commands.spawn(Sky { sun: Sun { bearing: 240.0, elevation: 12.0 }, ..default() });
///     commands.spawn((SkyCamera::default(), Transform::from_xyz(0.0, 800.0, 0.0)));
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[component(on_add = needs("SkyPlugin", "Sky"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(DirectionalLight, Transform, Visibility, CloudDrift)]
pub struct Sky {
    /// The position of the sun.
    pub sun: Sun,
    /// Visibility, metres, above 0: the distance at which a dark hill has all but vanished in haze.
    pub visibility: f32,
    /// Coverage by high, thin clouds, in \[0, 1\].
    pub clouds: f32,
    /// Coverage by low clouds with flat bases, in \[0, 1\]. They drift with the [`Wind`](crate::plugin::Wind)
    /// where there is one, and what they take of the sun's light is missing on land, water and plants. Above
    /// 0.8 the sky grows overcast: the sun's light fades and that of the sky turns grey. Default 0: none, and
    /// nothing is computed for them.
    ///
    /// They are drawn for eyes below them, and fade out as an eye rises to their base.
    pub low_clouds: f32,
    /// Height of the low clouds' base, metres of the world. Not finite: there are none. Default 2000.
    pub cloud_base: f32,
    /// Distance from the camera up to which there are shadows, metres, above 0.
    pub shadow_distance: f32,
    /// Number of shadow cascades, 1 to 4; 0 for no shadows. More are sharper and slower.
    pub shadow_cascades: usize,
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            sun: Sun::default(),
            visibility: 160_000.0,
            clouds: 0.3,
            low_clouds: 0.0,
            cloud_base: 2000.0,
            shadow_distance: 20_000.0,
            shadow_cascades: 4,
        }
    }
}

/// How far the low clouds of a sky have drifted, east and south.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(super) struct CloudDrift(pub(super) [Drift; 2]);

/// A camera that sees a [`Sky`]: the sky sets its exposure, ambient light and fog, and the colour that it is
/// cleared to, unless its [`ClearColorConfig`](bevy::camera::ClearColorConfig) is set: that is seen while the
/// pipelines of the sky are compiled, at first and after a change of its samples or of HDR.
///
/// It also works without [`Hdr`](bevy::camera::Hdr); with it, and with bloom, the sun glows.
///
/// By day the exposure is that of the sun, whose light on a slope is some 70,000 lx, so lamps of a house look
/// black. A [`PointLight`] of L lumens gives L / 4πd² lux at d metres: a cave that is to be seen from outside
/// takes a million or two. Towards dusk exposure follows the daylight down, and lamps of real brightness
/// begin to show; `exposure_compensation` opens the eye where one goes in.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[component(on_add = needs("SkyPlugin", "SkyCamera"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Camera3d, Exposure, AmbientLight, DistanceFog, Submersion, ClearedTo, AmbientShape, CloudsUniform)]
#[require(Tonemapping = tonemapping(), ColorGrading = look::grading())]
pub struct SkyCamera {
    /// Exposure compensation relative to the automatic exposure, in stops; above 0 is brighter.
    pub exposure_compensation: f32,
}

/// The colour that a sky clears a camera to. Reflected, so that a scene holds it together with the camera's
/// colour: without it, that would count as set by the game.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub(super) struct ClearedTo {
    /// The haze of the sky that the camera sees, once it sees one.
    pub(super) haze: Option<Color>,
    /// What the camera was last set to clear to.
    pub(super) colour: Option<Color>,
}

/// The best tone mapping that needs no additional features of Bevy.
fn tonemapping() -> Tonemapping {
    if cfg!(feature = "render") {
        Tonemapping::TonyMcMapface
    } else {
        Tonemapping::SomewhatBoringDisplayTransform
    }
}

/// HDR and bloom, to be spawned together with [`SkyCamera`].
#[cfg(feature = "render")]
pub fn sky_camera_effects() -> impl Bundle {
    (bevy::camera::Hdr, bevy::post_process::bloom::Bloom::NATURAL)
}
