//! The sun and a clear sky that works on every device, software ones included.
//!
//! The physics is done on the CPU, once per place of the sun ([`Daylight`]); the shader reads a small
//! table. Bevy's `Atmosphere` computes the like in compute shaders that crash software drivers.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::asset::{RenderAssetUsages, embedded_asset};
use bevy::camera::Exposure;
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::{
    AmbientLight, CascadeShadowConfig, CascadeShadowConfigBuilder, DirectionalLightShadowMap,
    NotShadowCaster, NotShadowReceiver,
};
use bevy::mesh::PrimitiveTopology;
use bevy::pbr::{DistanceFog, Material, MaterialPlugin};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, Extent3d, ShaderType, TextureDimension, TextureFormat};
use bevy::render::view::ColorGrading;
use bevy::shader::{ShaderRef, load_shader_library};

use super::look;
use crate::{Daylight, Sun};

/// Draws every [`Sky`] and dresses every [`SkyCamera`].
#[derive(Clone, Debug)]
pub struct SkyPlugin {
    /// Texels along each side of the sun's shadow maps, a power of two; one map per cascade.
    pub shadow_map_size: usize,
}

impl Default for SkyPlugin {
    fn default() -> Self {
        Self { shadow_map_size: 2048 }
    }
}

/// The steps of [`SkyPlugin`], in `PostUpdate` before transforms are propagated.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkySystems;

impl Plugin for SkyPlugin {
    fn build(&self, app: &mut App) {
        load_shader_library!(app, "../../shaders/noise.wgsl");
        load_shader_library!(app, "../../shaders/sky.wgsl");
        embedded_asset!(app, "../../shaders/sky_backdrop.wgsl");
        app.add_plugins(MaterialPlugin::<BackdropMaterial>::default())
            .insert_resource(DirectionalLightShadowMap { size: self.shadow_map_size.next_power_of_two() })
            .add_systems(
                PostUpdate,
                (build_skies, share_layers, dress_cameras)
                    .chain()
                    .in_set(SkySystems)
                    .before(TransformSystems::Propagate),
            );
    }
}

/// The sun and the sky round it. Spawn one, and cameras with [`SkyCamera`].
///
/// The entity becomes the sun's [`DirectionalLight`] and the parent of the backdrop. With
/// [`RenderLayers`] it serves the cameras that share a layer with it, so that two landscapes side by
/// side can each have their own; without, it serves all.
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
#[derive(Component, Clone, Debug, PartialEq)]
#[require(DirectionalLight, Transform, Visibility)]
pub struct Sky {
    /// Where the sun stands.
    pub sun: Sun,
    /// How far one sees, metres, above 0: a dark hill at this distance is all but lost in haze.
    pub visibility: f32,
    /// How much of the sky high, thin clouds cover, in \[0, 1\].
    pub clouds: f32,
    /// How far from the camera the ground is shadowed, metres, above 0.
    pub shadow_distance: f32,
    /// Shadow maps between the camera and that distance, 1 to 4; 0 for no shadows. More are sharper
    /// and slower.
    pub shadow_cascades: usize,
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            sun: Sun::default(),
            visibility: 160_000.0,
            clouds: 0.3,
            shadow_distance: 20_000.0,
            shadow_cascades: 4,
        }
    }
}

/// A camera that sees a [`Sky`]: the sky sets its exposure, ambient light and fog.
///
/// It also works without [`Hdr`](bevy::camera::Hdr); with it, and with bloom, the sun glows.
#[derive(Component, Clone, Debug, Default, PartialEq)]
#[require(Camera3d, Exposure, AmbientLight, DistanceFog)]
#[require(Tonemapping = tonemapping(), ColorGrading = look::grading())]
pub struct SkyCamera {
    /// Stops by which pictures are brighter (above 0) or darker than by the automatic exposure.
    pub exposure_compensation: f32,
}

/// The best tone mapping there is without asking Bevy for more than the features in use.
fn tonemapping() -> Tonemapping {
    if cfg!(feature = "viewer") {
        Tonemapping::TonyMcMapface
    } else {
        Tonemapping::SomewhatBoringDisplayTransform
    }
}

/// A high dynamic range with a glow round what is very bright, to be spawned beside [`SkyCamera`].
#[cfg(feature = "viewer")]
pub fn sky_camera_effects() -> impl Bundle {
    (bevy::camera::Hdr, bevy::post_process::bloom::Bloom::NATURAL)
}

/// What was made for a [`Sky`].
#[derive(Component, Clone, Debug)]
pub(super) struct BuiltSky {
    pub(super) daylight: Daylight,
    pub(super) table: Handle<Image>,
    pub(super) uniform: SkyUniform,
    backdrop: Entity,
}

/// Marks a [`Sky`] that came without render layers and follows all cameras.
#[derive(Component)]
struct ServesAllCameras;

/// What shaders know of a sky. Twin: `Sky` in shaders/sky.wgsl.
#[derive(Clone, Copy, Debug, Default, ShaderType)]
pub(super) struct SkyUniform {
    sun_direction: Vec3,
    clouds: f32,
    sun_disc: Vec3,
    sunlight_on_clouds: Vec3,
    sunlight: Vec3,
    skylight: Vec3,
}

impl SkyUniform {
    fn new(sky: &Sky, daylight: &Daylight) -> Self {
        Self {
            sun_direction: sky.sun.direction(),
            clouds: sky.clouds.clamp(0.0, 1.0),
            // The real one is a thousand times brighter than any screen; its hue is what shows.
            sun_disc: 60.0 * daylight.sun_illuminance / 110_000.0,
            sunlight_on_clouds: daylight.sun_illuminance_on_clouds,
            sunlight: daylight.sun_illuminance,
            skylight: daylight.sky_illuminance,
        }
    }
}

/// The sky as the material of a triangle that fills the view.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct BackdropMaterial {
    #[uniform(0)]
    sky: SkyUniform,
    #[texture(1, sample_type = "float", filterable = false)]
    table: Handle<Image>,
}

impl Material for BackdropMaterial {
    fn vertex_shader() -> ShaderRef {
        "embedded://upland/plugin/../../shaders/sky_backdrop.wgsl".into()
    }

    fn fragment_shader() -> ShaderRef {
        Self::vertex_shader()
    }

    fn alpha_mode(&self) -> AlphaMode {
        // Nothing is masked out, but masked things are drawn after opaque ones: pixels that land
        // covers are then not shaded twice.
        AlphaMode::Mask(0.0)
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }
}

fn build_skies(
    mut commands: Commands,
    mut skies: Query<
        (
            Entity,
            &Sky,
            Option<&mut BuiltSky>,
            Option<&RenderLayers>,
            &mut DirectionalLight,
            &mut CascadeShadowConfig,
            &mut Transform,
        ),
        Changed<Sky>,
    >,
    mut backdrops: Query<&mut MeshMaterial3d<BackdropMaterial>>,
    mut images: ResMut<Assets<Image>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<BackdropMaterial>>,
) {
    for (entity, sky, built, layers, mut light, mut cascades, mut transform) in &mut skies {
        let known = built.as_ref().filter(|built| built.daylight.sun == sky.sun);
        let (daylight, table) = match known {
            Some(built) => (built.daylight.clone(), built.table.clone()),
            None => {
                let daylight = Daylight::new(sky.sun);
                let table = images.add(table_image(&daylight));
                (daylight, table)
            }
        };
        let illuminance = light_in_lux(&daylight);
        light.illuminance = look::luminance(illuminance);
        light.color = look::colour(illuminance / light.illuminance);
        light.shadow_maps_enabled = sky.shadow_cascades > 0 && sky.sun.elevation > -1.0;
        *cascades = cascade_config(sky);
        *transform = Transform::default().looking_to(-sky.sun.direction(), Vec3::Y);

        let uniform = SkyUniform::new(sky, &daylight);
        let material = MeshMaterial3d(materials.add(BackdropMaterial { sky: uniform, table: table.clone() }));
        match built {
            Some(mut built) => {
                if let Ok(mut backdrop) = backdrops.get_mut(built.backdrop) {
                    *backdrop = material;
                }
                *built = BuiltSky { daylight, table, uniform, backdrop: built.backdrop };
            }
            None => {
                let mesh = Mesh3d(meshes.add(view_filling_triangle()));
                let invisible_to_lights = (NotShadowCaster, NotShadowReceiver, NoFrustumCulling);
                let backdrop = commands
                    .spawn((ChildOf(entity), mesh, material, invisible_to_lights, Transform::default()))
                    .id();
                let mut sky = commands.entity(entity);
                sky.insert(BuiltSky { daylight, table, uniform, backdrop });
                if layers.is_none() {
                    sky.insert((ServesAllCameras, RenderLayers::default()));
                }
            }
        }
    }
}

/// A sky that serves all cameras is on all their layers; every backdrop on those of its sky.
fn share_layers(
    cameras: Query<Option<&RenderLayers>, With<SkyCamera>>,
    mut skies: Query<(&BuiltSky, &mut RenderLayers, Has<ServesAllCameras>), Without<SkyCamera>>,
    backdrops: Query<Option<&RenderLayers>, (Without<SkyCamera>, Without<BuiltSky>)>,
    mut commands: Commands,
) {
    for (built, mut layers, serves_all) in &mut skies {
        if serves_all {
            let all = cameras
                .iter()
                .fold(RenderLayers::none(), |all, layers| all.union(layers.unwrap_or_default()));
            layers.set_if_neq(all);
        }
        if backdrops.get(built.backdrop).is_ok_and(|current| current != Some(&*layers)) {
            commands.entity(built.backdrop).insert(layers.clone());
        }
    }
}

/// Gives every camera the exposure, the ambient light and the fog of the sky it sees.
fn dress_cameras(
    skies: Query<(Ref<BuiltSky>, &Sky, Ref<RenderLayers>), Without<SkyCamera>>,
    mut cameras: Query<(
        Ref<SkyCamera>,
        Option<Ref<RenderLayers>>,
        &mut Exposure,
        &mut AmbientLight,
        &mut DistanceFog,
    )>,
) {
    for (camera, camera_layers, mut exposure, mut ambient, mut fog) in &mut cameras {
        let default_layers = RenderLayers::default();
        let layers = camera_layers.as_deref().unwrap_or(&default_layers);
        let Some((built, sky, sky_layers)) = skies.iter().find(|(.., sky)| sky.intersects(layers)) else {
            continue;
        };
        let moved = camera_layers.as_ref().is_some_and(|layers| layers.is_changed());
        if !(camera.is_changed() || moved || built.is_changed() || sky_layers.is_changed()) {
            continue;
        }
        let daylight = &built.daylight;
        *exposure = look::exposure(daylight);
        exposure.ev100 -= camera.exposure_compensation;
        *ambient = look::ambient(daylight);
        *fog = look::fog(daylight, light_in_lux(daylight), sky.visibility.max(1.0), exposure.exposure());
    }
}

/// What the directional light sheds, in lux. It never goes out altogether: the glow of the fog is a
/// multiple of it, and at dusk the fog glows while the sun is down.
fn light_in_lux(daylight: &Daylight) -> Vec3 {
    daylight.sun_illuminance.max(Vec3::splat(0.5))
}

fn cascade_config(sky: &Sky) -> CascadeShadowConfig {
    let count = sky.shadow_cascades.clamp(1, 4);
    let farthest = sky.shadow_distance.max(1.0);
    CascadeShadowConfigBuilder {
        num_cascades: count,
        minimum_distance: 0.0,
        maximum_distance: farthest,
        // Each cascade reaches three to four times as far as the one before it.
        first_cascade_far_bound: farthest / 3.4f32.powi(count as i32 - 1),
        overlap_proportion: 0.15,
    }
    .build()
}

/// The table of a sky as an image that shaders read texel by texel.
fn table_image(daylight: &Daylight) -> Image {
    let size = Extent3d {
        width: Daylight::COLUMNS as u32,
        height: 2 * Daylight::ROWS as u32,
        depth_or_array_layers: 1,
    };
    let texels = daylight.table().flat_map(|radiance| radiance.extend(1.0).to_array());
    let bytes = texels.flat_map(f32::to_le_bytes).collect();
    let format = TextureFormat::Rgba32Float;
    Image::new(size, TextureDimension::D2, bytes, format, RenderAssetUsages::RENDER_WORLD)
}

fn view_filling_triangle() -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD).with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        vec![[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shader_reads_the_table_that_is_made() {
        let shader = include_str!("../../shaders/sky.wgsl");
        for line in [
            format!("const COLUMNS: i32 = {};", Daylight::COLUMNS),
            format!("const ROWS: i32 = {};", Daylight::ROWS),
            format!("const HAZE_ANISOTROPY: f32 = {};", Daylight::HAZE_ANISOTROPY),
        ] {
            assert!(shader.contains(&line), "{line}");
        }
        let bytes = table_image(&Daylight::new(Sun::default())).data.map(|data| data.len());
        assert_eq!(bytes, Some(2 * Daylight::COLUMNS * Daylight::ROWS * 16));
    }

    #[test]
    fn cascades_reach_as_far_as_asked() {
        for count in 0..6 {
            let sky = Sky { shadow_cascades: count, shadow_distance: 5_000.0, ..default() };
            let bounds = cascade_config(&sky).bounds;
            assert_eq!(bounds.len(), count.clamp(1, 4));
            assert!(bounds.last().is_some_and(|last| (last - 5_000.0).abs() < 1.0), "{bounds:?}");
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
