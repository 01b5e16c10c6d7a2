//! Layouts of the uniforms of Rust.

use std::any::TypeId;

use bevy::reflect::{TypeInfo, Typed};
use bevy::render::render_resource::ShaderType;
use bevy::render::render_resource::encase::private::StructMetadata;

use super::facts::{Layout, Part};

/// The layout that `T` is written to the device in. `known` holds the layouts of its members that are
/// structures.
pub(super) fn layout<T, const N: usize>(known: &[(TypeId, &Layout)]) -> Layout
where
    T: Typed + ShaderType<ExtraMetadata = StructMetadata<N>>,
{
    let TypeInfo::Struct(info) = T::type_info() else { panic!("{} is no structure", T::type_path()) };
    assert_eq!(info.field_len(), N);
    let parts = info.iter().zip(T::METADATA.extra.offsets).flat_map(|(field, offset)| {
        let (ty, times) = match field.type_info() {
            Some(TypeInfo::Array(array)) => (array.item_ty(), format!("[{}]", array.capacity())),
            _ => (*field.ty(), String::new()),
        };
        let name = format!("{}{times}", field.name());
        match known.iter().find(|(known, _)| *known == ty.id()) {
            Some((_, layout)) => layout.parts_of(&name, offset).collect(),
            None => vec![Part { offset, name, kind: kind(ty.path()) }],
        }
    });
    Layout { size: T::min_size().get(), parts: parts.collect() }
}

/// The WGSL of a type.
fn kind(path: &str) -> String {
    let kind = match path {
        "f32" | "i32" | "u32" => path,
        "glam::Vec2" => "vec2<f32>",
        "glam::Vec3" => "vec3<f32>",
        "glam::Vec4" => "vec4<f32>",
        "glam::IVec2" => "vec2<i32>",
        "glam::IVec3" => "vec3<i32>",
        "glam::UVec4" => "vec4<u32>",
        "glam::Mat4" => "mat4x4<f32>",
        _ => panic!("which type of WGSL {path} is, nobody has written down here yet"),
    };
    kind.to_owned()
}
