//! The common part of all extensions of Bevy's standard material here: one shader for all passes, definitions
//! that follow from the material's key, and meshes with attributes of their own.

use bevy::mesh::{MeshVertexAttribute, MeshVertexBufferLayoutRef, VertexAttributeDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError};
use bevy::shader::ShaderDefVal;

/// An extension of the standard material. [`extend_standard_material`] implements Bevy's
/// [`MaterialExtension`](bevy::pbr::MaterialExtension) from it.
pub(crate) trait Extension: AsBindGroup + Sized {
    /// Draws the main pass, and the prepass, which the shadow passes use as well. There is no deferred pass.
    const SHADER: Handle<Shader>;

    /// The shader definitions of both stages.
    fn definitions(_key: &Self::Data) -> Vec<ShaderDefVal> {
        Vec::new()
    }

    /// The attributes of vertices, from Bevy's definitions of the pass; `None` for those that Bevy chooses.
    fn attributes(_of_pass: &[ShaderDefVal]) -> Option<Vec<VertexAttributeDescriptor>> {
        None
    }

    /// Changes what else differs from the standard material's pipeline.
    fn adjust(_key: &Self::Data, _descriptor: &mut RenderPipelineDescriptor) {}
}

/// Makes the pipeline of a pass that of an extension.
pub(crate) fn specialize<E: Extension>(
    descriptor: &mut RenderPipelineDescriptor,
    layout: &MeshVertexBufferLayoutRef,
    key: &E::Data,
) -> Result<(), SpecializedMeshPipelineError> {
    // Before our own definitions are added: locations depend on whether Bevy draws a prepass.
    let attributes = E::attributes(&descriptor.vertex.shader_defs);
    let definitions = E::definitions(key);
    // Passes of depth alone have no fragment stage.
    if let Some(fragment) = &mut descriptor.fragment {
        fragment.shader_defs.extend(definitions.iter().cloned());
    }
    descriptor.vertex.shader_defs.extend(definitions);
    if let Some(attributes) = attributes {
        descriptor.vertex.buffers = vec![layout.0.get_layout(&attributes)?];
    }
    E::adjust(key, descriptor);
    Ok(())
}

/// The names of those definitions that are set.
pub(crate) fn set_definitions<const N: usize>(all: [(bool, &'static str); N]) -> Vec<ShaderDefVal> {
    all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name.into()).collect()
}

/// Attributes at the locations 0, 1, ….
pub(crate) fn in_order(
    attributes: impl IntoIterator<Item = MeshVertexAttribute>,
) -> Vec<VertexAttributeDescriptor> {
    (0..).zip(attributes).map(|(location, attribute)| attribute.at_shader_location(location)).collect()
}

/// Implements Bevy's trait for an [`Extension`]. A macro, because a trait of another crate cannot be
/// implemented for all types that have one of our own.
macro_rules! extend_standard_material {
    ($extension:ty) => {
        impl bevy::pbr::MaterialExtension for $extension {
            fn vertex_shader() -> bevy::shader::ShaderRef {
                <Self as $crate::plugin::shaders::Extension>::SHADER.into()
            }

            fn fragment_shader() -> bevy::shader::ShaderRef {
                <Self as $crate::plugin::shaders::Extension>::SHADER.into()
            }

            // Without the prepass's stages shadow maps and depth would be those of the undisplaced mesh.
            fn prepass_vertex_shader() -> bevy::shader::ShaderRef {
                <Self as $crate::plugin::shaders::Extension>::SHADER.into()
            }

            fn prepass_fragment_shader() -> bevy::shader::ShaderRef {
                <Self as $crate::plugin::shaders::Extension>::SHADER.into()
            }

            fn specialize(
                _pipeline: &bevy::pbr::MaterialExtensionPipeline,
                descriptor: &mut bevy::render::render_resource::RenderPipelineDescriptor,
                layout: &bevy::mesh::MeshVertexBufferLayoutRef,
                key: bevy::pbr::MaterialExtensionKey<Self>,
            ) -> Result<(), bevy::render::render_resource::SpecializedMeshPipelineError> {
                $crate::plugin::shaders::specialize::<Self>(descriptor, layout, &key.bind_group_data)
            }
        }
    };
}
pub(crate) use extend_standard_material;
