//! The material of all water, standing and flowing.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::camera::visibility::RenderLayers;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{Material, MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::{ShaderDefVal, ShaderRef};

use crate::plugin::sky::{BuiltSky, SkyUniform};

/// Twin: `Water` in shaders/water.wgsl.
#[derive(Clone, Copy, Debug, Default, ShaderType)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct WaterUniform {
    pub(crate) above: SkyUniform,
    pub(crate) extent: Vec2,
    pub(crate) cell: f32,
    pub(crate) level: f32,
    pub(crate) height_scale: f32,
    pub(crate) height_bias: f32,
    pub(crate) clarity: f32,
    pub(crate) wind: f32,
    pub(crate) wave_speed: f32,
    pub(crate) lift: f32,
}

#[derive(Asset, AsBindGroup, TypePath, Clone)]
#[bind_group_data(WaterKey)]
pub(crate) struct WaterMaterial {
    #[uniform(0)]
    pub(crate) water: WaterUniform,
    #[texture(1, sample_type = "float", filterable = false)]
    pub(crate) table: Handle<Image>,
    #[texture(2, sample_type = "float", filterable = false)]
    pub(crate) heights: Handle<Image>,
    pub(crate) kind: WaterKind,
}

/// The kind of water that a material is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WaterKind {
    Standing,
    Flowing,
}

impl WaterKind {
    /// The shader definitions of both stages.
    pub(crate) fn definitions(self) -> Vec<ShaderDefVal> {
        match self {
            Self::Standing => vec![],
            Self::Flowing => vec!["RIVER".into()],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WaterKey(WaterKind);

impl From<&WaterMaterial> for WaterKey {
    fn from(material: &WaterMaterial) -> Self {
        Self(material.kind)
    }
}

impl Material for WaterMaterial {
    fn vertex_shader() -> ShaderRef {
        "embedded://upland/plugin/water/../../../shaders/water.wgsl".into()
    }

    fn fragment_shader() -> ShaderRef {
        Self::vertex_shader()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Premultiplied
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _pipeline: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _layout: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        let definitions = key.bind_group_data.0.definitions();
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.extend(definitions.clone());
        }
        descriptor.vertex.shader_defs.extend(definitions);
        // Visible from below too, for a camera under water.
        descriptor.primitive.cull_mode = None;
        Ok(())
    }
}

/// A water component that is drawn.
pub(super) trait DrawnWater: Component {
    fn mesh(&self) -> Mesh;

    /// Its material under a sky.
    fn material(&self, sky: &BuiltSky) -> WaterMaterial;
}

/// Gives every water its mesh, and updates its material when it or its sky has changed.
pub(super) fn fill_waters<W: DrawnWater>(
    mut commands: Commands,
    mut waters: Query<(
        Entity,
        Ref<W>,
        Option<Ref<RenderLayers>>,
        Has<Mesh3d>,
        Option<&MeshMaterial3d<WaterMaterial>>,
    )>,
    skies: Query<(Ref<BuiltSky>, Ref<RenderLayers>)>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<WaterMaterial>>,
) {
    for (entity, water, layers, has_mesh, material) in &mut waters {
        let default_layers = RenderLayers::default();
        let own_layers = layers.as_deref().unwrap_or(&default_layers);
        let Some((sky, sky_layers)) = skies.iter().find(|(_, sky)| sky.intersects(own_layers)) else {
            continue;
        };
        if water.is_changed() || !has_mesh {
            commands.entity(entity).insert(Mesh3d(meshes.add(water.mesh())));
        }
        let moved = layers.is_some_and(|layers| layers.is_changed()) || sky_layers.is_changed();
        if water.is_changed() || sky.is_changed() || moved || material.is_none() {
            commands.entity(entity).insert(MeshMaterial3d(materials.add(water.material(&sky))));
        }
    }
}
