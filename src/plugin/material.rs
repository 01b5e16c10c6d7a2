//! The ground's material: Bevy's standard one, displaced by the height texture.

use bevy::material::OpaqueRendererMethod;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;

use crate::plugin::shaders::TERRAIN_SHADER;
use crate::plugin::view::Shading;

/// What chunks are drawn with.
pub(crate) type TerrainMaterial = ExtendedMaterial<StandardMaterial, TerrainExtension>;

/// What the terrain adds to the standard material. Each camera's view of a terrain has one of its
/// own, over the same textures.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
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
    pub(crate) shading: Shading,
}

/// Twin of `Field` in `shaders/field.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
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
}

const _: () = assert!(size_of::<TerrainUniform>() == 128);

/// What needs a pipeline of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TerrainKey {
    is_simple: bool,
}

impl From<&TerrainExtension> for TerrainKey {
    fn from(extension: &TerrainExtension) -> Self {
        Self { is_simple: extension.shading == Shading::Simple }
    }
}

impl MaterialExtension for TerrainExtension {
    fn vertex_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        TERRAIN_SHADER.into()
    }

    // Drives the shadow passes as well.
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
        if let Some(fragment) = &mut descriptor.fragment
            && key.bind_group_data.is_simple
        {
            fragment.shader_defs.push("TERRAIN_SIMPLE".into());
        }
        Ok(())
    }
}

/// The standard material under the terrain: dry, rough ground, always drawn forward, as the
/// displacement has no deferred stage.
pub(crate) fn ground_material() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 0.95,
        reflectance: 0.2,
        opaque_render_method: OpaqueRendererMethod::Forward,
        ..default()
    }
}
