//! The ground's material: Bevy's standard one, displaced by the height texture.

use bevy::material::OpaqueRendererMethod;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::{ShaderDefVal, ShaderRef};

use super::cover::CoverUniform;
use super::ground::{GroundTextures, TerrainShape};
use super::place::counted;
use super::view::{Shading, TerrainView};
use crate::Grid;
use crate::lod::Ranges;
use crate::plugin::shaders::TERRAIN_SHADER;

/// The material of chunks.
pub(crate) type TerrainMaterial = ExtendedMaterial<StandardMaterial, TerrainExtension>;

/// The terrain's extension of the standard material. Each pair of a camera and a terrain has its own,
/// sharing textures.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug, PartialEq)]
#[bind_group_data(TerrainKey)]
pub(crate) struct TerrainExtension {
    #[uniform(100)]
    pub(crate) uniform: TerrainUniform,
    #[texture(101, sample_type = "float", filterable = false)]
    pub(crate) heights: Handle<Image>,
    #[texture(102)]
    #[sampler(103)]
    pub(crate) gradients: Handle<Image>,
    #[texture(104)]
    #[sampler(105)]
    pub(crate) colours: Handle<Image>,
    #[uniform(106)]
    pub(crate) cover: CoverUniform,
    #[texture(107, dimension = "2d_array")]
    pub(crate) weights: Option<Handle<Image>>,
    #[texture(108, dimension = "2d_array")]
    #[sampler(109)]
    pub(crate) tile_ratios: Option<Handle<Image>>,
    #[texture(110, dimension = "2d_array")]
    pub(crate) tile_reliefs: Option<Handle<Image>>,
    pub(crate) shading: Shading,
}

/// How far the eye may move before shadow passes are updated, as a share of the near range: less than
/// [`MORPH_END`](crate::lod::MORPH_END) leaves free, so that no crack opens.
const SHADOW_EYE_LAG: f32 = 0.01;

/// Distance of the eye from the anchor at which another sample becomes the anchor, metres: so f32 positions
/// relative to it are precise to some hundredths of a millimetre.
const ANCHOR_LAG: f32 = 256.0;

/// Spacing of the coarsest grain's lattice points, in cells of the field and at most in metres.
const GRAIN_CELLS: f32 = 2.5;
const MAX_GRAIN: f32 = 40.0;

impl TerrainExtension {
    /// How a camera at `eye` sees a terrain whose finest level extends to `near_range`. Small movements
    /// leave the values of `before` unchanged, so that the material is not rebound.
    pub(crate) fn new(
        textures: &GroundTextures,
        land: TerrainShape,
        view: &TerrainView,
        eye: Vec3,
        near_range: f32,
        before: Option<&Self>,
    ) -> Self {
        let grid = land.pyramid.grid();
        // The largest finite number represents infinity, which WGSL does not guarantee.
        let near_range = near_range.min(f32::MAX);
        let before = before.map(|before| &before.uniform);
        let is_near = |shadow_eye: &Vec4| shadow_eye.xyz().distance(eye) < SHADOW_EYE_LAG * near_range;
        let shadow_eye = before.map(|before| before.shadow_eye).filter(is_near).unwrap_or(eye.extend(0.0));
        let anchor = anchor(grid, land.placement, eye, before.map(|before| before.anchor));
        let anchor_in_metres = anchor.as_dvec2() * f64::from(grid.cell);
        let grain_size = (grid.cell * GRAIN_CELLS).min(MAX_GRAIN);
        let [(x, x_rest), (y, y_rest)] = (anchor_in_metres / f64::from(grain_size)).to_array().map(counted);
        let (low, high) = land.height_range();
        let uniform = TerrainUniform {
            world_from_field: land.placement.to_matrix(),
            extent: grid.extent(),
            last: IVec2::new(grid.width as i32 - 1, grid.depth as i32 - 1),
            cell: grid.cell,
            scale: land.mapping.scale,
            bias: land.mapping.bias,
            near_range,
            coarsest: Ranges::new(near_range, grid).coarsest,
            debug_view: view.debug as u32,
            contour_step: round_step((high - low) * land.mapping.scale.abs() / 20.0),
            detail: if view.detail.is_finite() { view.detail } else { 0.0 },
            shadow_eye,
            detail_range: view.detail_range,
            grain_size,
            anchor,
            grain_whole: IVec2::new(x, y),
            grain_rest: Vec2::new(x_rest, y_rest),
        };
        // Textures that aren't drawn are not bound.
        let cover = textures.cover.as_ref().filter(|_| uniform.detail > 0.0 && view.detail_range > 0.0);
        Self {
            uniform,
            heights: textures.heights.clone(),
            gradients: textures.gradients.clone(),
            colours: textures.colours.clone(),
            cover: cover.map(|cover| cover.uniform.anchored(anchor_in_metres)).unwrap_or_default(),
            weights: cover.map(|cover| cover.weights.clone()),
            tile_ratios: cover.map(|cover| cover.tiles.ratios.clone()),
            tile_reliefs: cover.map(|cover| cover.tiles.reliefs.clone()),
            shading: view.shading,
        }
    }
}

/// The sample that positions near `eye` are relative to: the one there, or still that of `before`.
fn anchor(grid: Grid, placement: &GlobalTransform, eye: Vec3, before: Option<IVec2>) -> IVec2 {
    let last = IVec2::new(grid.width as i32 - 1, grid.depth as i32 - 1);
    let eye_in_field = placement.affine().inverse().transform_point3(eye);
    let eye_in_grid = (eye_in_field.xz() + grid.extent() * 0.5) / grid.cell;
    let lag = (ANCHOR_LAG / grid.cell).max(1.0);
    before
        .filter(|before| before.cmple(last).all() && before.as_vec2().distance(eye_in_grid) < lag)
        .unwrap_or_else(|| eye_in_grid.round().as_ivec2().clamp(IVec2::ZERO, last))
}

/// The next larger 1, 2 or 5 times a power of ten; 1 if there is no step.
fn round_step(step: f32) -> f32 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f32.powf(step.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&round| round >= step)
        .unwrap_or(power * 10.0)
}

/// Twin of `Field` in `shaders/field.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct TerrainUniform {
    pub(crate) world_from_field: Mat4,
    pub(crate) extent: Vec2,
    pub(crate) last: IVec2,
    pub(crate) cell: f32,
    pub(crate) scale: f32,
    pub(crate) bias: f32,
    pub(crate) near_range: f32,
    pub(crate) coarsest: u32,
    pub(crate) debug_view: u32,
    pub(crate) contour_step: f32,
    pub(crate) detail: f32,
    pub(crate) shadow_eye: Vec4,
    pub(crate) detail_range: f32,
    pub(crate) grain_size: f32,
    pub(crate) anchor: IVec2,
    pub(crate) grain_whole: IVec2,
    pub(crate) grain_rest: Vec2,
}

const _: () = assert!(size_of::<TerrainUniform>() == 160);

/// The properties that need separate pipelines.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TerrainKey {
    is_simple: bool,
}

impl From<Shading> for TerrainKey {
    fn from(shading: Shading) -> Self {
        Self { is_simple: shading == Shading::Simple }
    }
}

impl From<&TerrainExtension> for TerrainKey {
    fn from(extension: &TerrainExtension) -> Self {
        extension.shading.into()
    }
}

impl TerrainKey {
    /// The shader definitions of the fragment stage.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        if self.is_simple { vec!["TERRAIN_SIMPLE".into()] } else { vec![] }
    }
}

impl MaterialExtension for TerrainExtension {
    fn vertex_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    // The shadow passes use it as well.
    fn prepass_vertex_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    fn prepass_fragment_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    fn specialize(
        _pipeline: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _layout: &MeshVertexBufferLayoutRef,
        key: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.extend(key.bind_group_data.definitions());
        }
        Ok(())
    }
}

/// The standard material of the terrain: dry, rough ground, always forward rendered, because there is no
/// deferred pass with displacement.
pub(crate) fn ground_material() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 0.95,
        reflectance: 0.2,
        opaque_render_method: OpaqueRendererMethod::Forward,
        ..default()
    }
}
