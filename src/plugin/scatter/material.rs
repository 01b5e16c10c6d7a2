//! The material of scattered objects: Bevy's standard one, whose vertices stand where objects are placed.

use bevy::math::{DAffine3, DMat4, DVec3};
use bevy::mesh::VertexAttributeDescriptor;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, ShaderType};
use bevy::shader::ShaderDefVal;

use super::template::scatter_attributes;
use crate::plugin::material::{Drift, EarlierTime, LandPlacement, Shading, TerrainUniform};
use crate::plugin::shaders::{
    Extension, SCATTER_SHADER, extend_standard_material, in_order, set_definitions,
};
use crate::stream::Eye;

/// The material of batches.
pub(crate) type ScatterMaterial = ExtendedMaterial<StandardMaterial, ScatterExtension>;

/// The bindings of scattered objects' shader. Every change of a material costs time for each of the thousands
/// of batches that have it, so nothing of it changes while a camera moves.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
#[bind_group_data(ScatterKey)]
pub(crate) struct ScatterExtension {
    // The ground's tiles, as in `TerrainExtension`.
    #[uniform(100)]
    pub(crate) ground: TerrainUniform,
    #[texture(101, sample_type = "u_int")]
    pub(crate) table: Handle<Image>,
    #[texture(103, dimension = "2d_array", sample_type = "float", filterable = false)]
    pub(crate) heights: Handle<Image>,
    #[uniform(113)]
    pub(crate) scatter: ScatterUniform,
    #[texture(114, sample_type = "u_int")]
    pub(crate) pages: Handle<Image>,
    #[texture(115, sample_type = "u_int")]
    pub(crate) instances: Handle<Image>,
    #[texture(116, sample_type = "float", filterable = false)]
    pub(crate) looks: Handle<Image>,
    #[texture(117, dimension = "2d_array")]
    #[sampler(118)]
    pub(crate) albedo: Option<Handle<Image>>,
    #[texture(119, dimension = "2d_array")]
    pub(crate) normals: Option<Handle<Image>>,
    pub(crate) key: ScatterKey,
}

/// Twin of `Scatter` in `shaders/scatter_instance.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct ScatterUniform {
    pub(crate) wind: Vec2,
    pub(crate) reach: f32,
    pub(crate) flat_distance: f32,
    pub(crate) past_seconds: f32,
    pub(crate) gust_speed: f32,
    pub(crate) past_gust: f32,
}

/// The properties that need separate pipelines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ScatterKey {
    pub(crate) is_impostor: bool,
    pub(crate) is_shifted: bool,
    pub(crate) is_simple: bool,
    pub(crate) has_far_shadows: bool,
    pub(crate) has_clouds: bool,
}

impl From<&ScatterExtension> for ScatterKey {
    fn from(extension: &ScatterExtension) -> Self {
        extension.key
    }
}

impl ScatterKey {
    /// The shader definitions of both stages.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        set_definitions([
            (self.is_impostor, "SCATTER_IMPOSTOR"),
            (self.is_shifted, "TERRAIN_SHIFTED"),
            (self.is_simple, "TERRAIN_SIMPLE"),
            (self.has_far_shadows, "TERRAIN_FAR_SHADOWS"),
            (self.has_clouds, "TERRAIN_CLOUDS"),
            // Bevy sets these where a mesh has its own attribute of texture coordinates; ours is another, see
            // `template.rs`.
            (true, "VERTEX_UVS"),
            (true, "VERTEX_UVS_A"),
        ])
    }
}

impl Extension for ScatterExtension {
    const SHADER: Handle<Shader> = SCATTER_SHADER;

    fn definitions(key: &ScatterKey) -> Vec<ShaderDefVal> {
        key.definitions()
    }

    fn attributes(_of_pass: &[ShaderDefVal]) -> Option<Vec<VertexAttributeDescriptor>> {
        Some(in_order(scatter_attributes()))
    }

    fn adjust(key: &ScatterKey, descriptor: &mut RenderPipelineDescriptor) {
        if key.is_impostor {
            // An impostor turns to whatever it is drawn for, and has no back.
            descriptor.primitive.cull_mode = None;
        }
    }
}

extend_standard_material!(ScatterExtension);

/// Distance of the eye from the anchor at which another sample becomes the anchor, metres: so places relative
/// to it are precise to a millimetre.
const ANCHOR_LAG: f64 = 2048.0;

/// Steps for each doubling of what depends on the size of a camera's picture, so that it seldom changes.
const STEPS: f32 = 8.0;

/// Pixels that a radian spans where objects are drawn as far as their looks say: a picture 1080 pixels high
/// that shows 50°.
const PIXELS: f64 = 1158.0;

/// The wind that plants of a terrain sway in.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwayingWind {
    /// Metres per second east and south.
    wind: Vec2,
    /// How fast gusts run over the land, radians per second.
    gust_speed: f32,
    /// How far they had run when the shaders' clock was last at 0, radians.
    past_gust: f32,
    earlier: EarlierTime,
}

impl SwayingWind {
    /// The present wind; `gusts` say how far those of the terrain have run.
    pub(super) fn new(wind: Vec2, gusts: &mut Drift, time: Option<&Time>) -> Self {
        // Gusts run faster in strong wind.
        let gust_speed = 0.6 + 0.12 * wind.length();
        let past_gust = gusts.follow(f64::from(gust_speed), time).rem_euclid(std::f64::consts::TAU) as f32;
        Self { wind, gust_speed, past_gust, earlier: EarlierTime::of(time) }
    }
}

/// How a camera sees what is scattered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    /// Multiple of distances.
    pub(super) reach: f32,
    /// The distance that stands for every object's, for parallel projections.
    pub(super) flat_distance: Option<f32>,
}

impl Seen {
    pub(super) fn new(eye: &Eye, distance: f32) -> Self {
        let stepped = |number: f32| ((number.log2() * STEPS).round() / STEPS).exp2();
        let distance = if distance.is_finite() { distance.clamp(0.0, 100.0) } else { 1.0 };
        if eye.is_orthographic {
            // The distance at which a perspective view would show objects as large.
            let flat = stepped((PIXELS / eye.pixels.max(1e-9)) as f32);
            return Self { reach: distance, flat_distance: Some(flat) };
        }
        // With fewer pixels distant objects are smaller on the screen, so they are left out sooner.
        let pixels = stepped(((eye.pixels / PIXELS) as f32).clamp(0.25, 4.0));
        Self { reach: distance * pixels, flat_distance: None }
    }

    pub(super) fn uniform(
        self,
        SwayingWind { wind, gust_speed, past_gust, earlier }: SwayingWind,
    ) -> ScatterUniform {
        ScatterUniform {
            wind,
            gust_speed,
            past_gust,
            reach: self.reach.max(1e-6),
            flat_distance: self.flat_distance.unwrap_or(-1.0),
            // Whole loops leave plants as they are.
            past_seconds: earlier.in_loops().1,
        }
    }
}

/// The ground's uniform for scattered objects: that of the ground's own shader, without the parts that change
/// as a camera moves.
pub(super) fn ground_uniform(
    seen: &TerrainUniform,
    placement: &LandPlacement,
    eye: &Eye,
    before: Option<IVec2>,
) -> TerrainUniform {
    let cell = f64::from(seen.cell);
    let here = DVec3::new(eye.position.x / cell, 0.0, eye.position.z / cell).round();
    let here = here.clamp(DVec3::splat(-1e9), DVec3::splat(1e9));
    let here = IVec2::new(here.x as i32, here.z as i32);
    // Farther than for the ground, since a change of the anchor touches thousands of batches, and a
    // millimetre is enough for a plant.
    let lag = ANCHOR_LAG / cell;
    let anchor = before.filter(|before| before.as_dvec2().distance(here.as_dvec2()) < lag).unwrap_or(here);
    let p = anchor.as_dvec2() * cell;
    let world_from_anchor = placement.world_from_land * DAffine3::from_translation(DVec3::new(p.x, 0.0, p.y));
    // The pressure on tiles changes it often; in steps it seldom changes the material.
    let texel_reach = ((seen.texel_reach.log2() * STEPS).round() / STEPS).exp2();
    TerrainUniform {
        world_from_anchor: DMat4::from(world_from_anchor).as_mat4(),
        anchor,
        last: seen.last,
        cell: seen.cell,
        world_scale: seen.world_scale,
        scale: seen.scale,
        bias: seen.bias,
        finest: seen.finest,
        coarsest: seen.coarsest,
        flat_level: seen.flat_level,
        texel_reach,
        highest: seen.highest,
        far_steps: seen.far_steps,
        ambient_east: seen.ambient_east,
        ambient_up: seen.ambient_up,
        ambient_bow: seen.ambient_bow,
        ambient_south: seen.ambient_south,
        clouds: seen.clouds,
        ..default()
    }
}

pub(super) fn key(
    is_impostor: bool,
    is_shifted: bool,
    shading: Shading,
    ground: &TerrainUniform,
) -> ScatterKey {
    ScatterKey {
        is_impostor,
        is_shifted,
        is_simple: shading == Shading::Simple,
        has_far_shadows: ground.far_steps > 0,
        has_clouds: ground.clouds.exist(),
    }
}
