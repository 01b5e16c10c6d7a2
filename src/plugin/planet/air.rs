//! The air of a planet: a triangle that fills the view, drawn last, and the light of the sky on the ground.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::math::DVec3;
use bevy::mesh::PrimitiveTopology;
use bevy::pbr::Material;
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, ShaderType};
use bevy::shader::ShaderRef;

use super::components::{Planet, PlanetCamera, PlanetStatus};
use crate::plugin::owned::spawn_owned;
use crate::plugin::shaders::AIR_SHADER;

/// Scale height of the Earth's air, metres, and the Earth's radius. That of other planets goes with the
/// fourth root of the radius: in proportion mountains would stand out of the air of small ones, and the
/// Earth's would drown them.
const EARTH_SCALE_HEIGHT: f64 = 8000.0;
const EARTH: f64 = 6_371_000.0;

/// Shares of light that the Earth's air scatters from straight above: by molecules (at 680, 550 and 440 nm)
/// and by haze.
const MOLECULES: Vec3 = Vec3::new(0.046, 0.108, 0.265);
const HAZE: f32 = 0.012;

/// Scale heights at which the air ends.
const TOP: f64 = 7.0;

/// Light of the sky at noon, lux, as a share of the sun's.
const SKYLIGHT: f32 = 0.13;

/// The least light, as a share of the sun's: that of stars and other cameras' sensitivity.
const LEAST: f32 = 0.0015;

/// Twin of `Air` in `shaders/air.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct AirUniform {
    up: Vec3,
    altitude: f32,
    molecules: Vec3,
    haze: f32,
    radius: f32,
    floor: f32,
    scale_height: f32,
    top: f32,
}

/// The material of the triangle.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
pub(crate) struct AirMaterial {
    #[uniform(0)]
    air: AirUniform,
}

impl Material for AirMaterial {
    fn vertex_shader() -> ShaderRef {
        AIR_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        AIR_SHADER.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Premultiplied
    }

    /// After everything else that is transparent.
    fn depth_bias(&self) -> f32 {
        // Bevy sorts transparent things by distance; the bias, which is added to it, is beyond any planet.
        1e12
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }
}

/// The triangle of a planet's air.
#[derive(Component)]
pub(super) struct Air(Entity);

/// Keeps the air that of its planet as the camera sees it, and the ambient light that of the sky there.
pub(super) fn follow(
    mut commands: Commands,
    planets: Query<(Entity, &Planet, &PlanetStatus, Option<&RenderLayers>)>,
    mut cameras: Query<(&PlanetCamera, &mut AmbientLight)>,
    suns: Query<(&DirectionalLight, &GlobalTransform)>,
    airs: Query<(&Air, &MeshMaterial3d<AirMaterial>)>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<AirMaterial>>,
) {
    let Some((camera, mut ambient)) = cameras.iter_mut().next() else { return };
    for (entity, planet, status, layers) in &planets {
        let PlanetStatus::Drawn { land, .. } = status else { continue };
        // `libm`, because functions of the standard library differ from system to system.
        let scale_height = EARTH_SCALE_HEIGHT * libm::pow(planet.radius / EARTH, 0.25);
        let floor = land.sea_level().unwrap_or(land.range().0);
        let away = camera.position.length();
        // A camera at the very centre has no upwards.
        let up = camera.position.normalize_or(DVec3::Y).as_vec3();
        let altitude = away - planet.radius;
        if let Some((sun, placed)) = suns.iter().next() {
            let height = up.dot(placed.back().into());
            // Twilight from 6 degrees below the horizon on.
            let daylight = ((height + 0.1) / 0.5).clamp(0.0, 1.0);
            // From space the day and the night side are seen together, and ambient light would light both.
            let within = (-(altitude / scale_height / 3.0)).exp() as f32 * planet.air.clamp(0.0, 1.0);
            let share = LEAST + SKYLIGHT * daylight * within;
            let brightness = sun.illuminance * share / std::f32::consts::PI;
            let colour = Color::srgb(0.80, 0.90, 1.0);
            if ambient.brightness != brightness || ambient.color != colour {
                (ambient.brightness, ambient.color) = (brightness, colour);
            }
        }
        let density = if planet.air.is_finite() { planet.air.max(0.0) } else { 0.0 };
        // Between the Earth's from space, which would veil the ground of a small planet, and the Earth's at
        // the ground.
        let density = density * (scale_height / EARTH_SCALE_HEIGHT).sqrt() as f32;
        let air = AirUniform {
            up,
            altitude: altitude as f32,
            molecules: MOLECULES * density,
            haze: HAZE * density,
            radius: planet.radius as f32,
            floor,
            scale_height: scale_height as f32,
            // Above seven scale heights is less than a thousandth of the air.
            top: floor + (TOP * scale_height) as f32,
        };
        match airs.iter().find(|(air, _)| air.0 == entity) {
            Some((_, handle)) => {
                if materials.get(handle).is_some_and(|before| before.air != air)
                    && let Some(mut material) = materials.get_mut(handle)
                {
                    material.air = air;
                }
            }
            None => {
                let bundle = (
                    Air(entity),
                    Mesh3d(meshes.add(triangle())),
                    MeshMaterial3d(materials.add(AirMaterial { air })),
                    (NoFrustumCulling, NotShadowCaster, ChildOf(entity)),
                );
                let mut spawned = spawn_owned::<Planet>(&mut commands, entity, bundle);
                layers.map(|layers| spawned.try_insert(layers.clone()));
            }
        }
    }
}

/// Removes the air of a planet that is none any more.
pub(super) fn clear(removed: On<Remove, Planet>, airs: Query<(Entity, &Air)>, mut commands: Commands) {
    let of_planet = airs.iter().filter(|(_, air)| air.0 == removed.entity);
    of_planet.for_each(|(entity, _)| commands.entity(entity).try_despawn());
}

/// A triangle that fills the view.
fn triangle() -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD).with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        vec![[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]],
    )
}
