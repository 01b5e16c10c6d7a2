//! glTF 2.0 in one binary file (GLB). Y is up, as in the land; the texture is embedded.

use serde_json::{Value, json};

use super::format::{Amount, Format, Target, Texture, TexturePlace, put_floats};
use crate::compute::work::Work;
use crate::error::Result;
use crate::files::gltf::{self, Buffer, Component, Purpose};
use crate::mesh::Mesh;

pub(super) const FORMAT: Format = Format {
    name: "glTF",
    extension: "glb",
    about: "glTF 2.0, binary; Y up; with the texture in the file",
    texture: TexturePlace::Inside,
    check,
    write,
};

/// Bytes of a position, a normal and a place in the texture.
const POSITION: u64 = 12;
const NORMAL: u64 = 12;
const UV: u64 = 8;

/// More vertices or triangles than fit, and few enough that their bytes can be counted.
const MANY: u64 = 1 << 40;

/// The layout of the binary chunk.
struct Layout {
    vertices: u64,
    triangles: u64,
    /// Bytes of the PNG; 0 without one.
    texture: u64,
}

impl Layout {
    fn of(amount: Amount) -> Self {
        let Amount { vertices, triangles, texture } = amount;
        Self { vertices, triangles, texture }
    }

    /// Whether indices have 16 bits. The largest 16-bit index is reserved.
    fn is_short(&self) -> bool {
        // 65,535 vertices have the numbers up to 65,534: glTF keeps the last one free, for restarting
        // primitives.
        self.vertices <= u64::from(u16::MAX)
    }

    /// Bytes of every part: positions, normals, places in the texture, indices, texture.
    fn parts(&self) -> [u64; 5] {
        let index = if self.is_short() { 2 } else { 4 };
        let vertices = self.vertices;
        [POSITION * vertices, NORMAL * vertices, UV * vertices, 3 * index * self.triangles, self.texture]
    }

    /// Bytes of all parts, each padded to a multiple of four.
    fn length(&self) -> u64 {
        self.parts().into_iter().map(|bytes| bytes.next_multiple_of(4)).sum()
    }
}

fn check(amount: Amount) -> Result<(), String> {
    let clipped =
        Amount { vertices: amount.vertices.min(MANY), triangles: amount.triangles.min(MANY), ..amount };
    let length = gltf::most_bytes(Layout::of(clipped).length());
    if length <= u64::from(u32::MAX) {
        return Ok(());
    }
    let Amount { vertices, triangles, .. } = amount;
    Err(format!(
        "{triangles} triangles with {vertices} vertices need {:.1} GiB; a glTF file has at most 4 GiB: allow a \
         larger error",
        length as f64 / (1u64 << 30) as f64
    ))
}

fn write(target: &mut Target, mesh: &Mesh, work: &Work) -> Result<()> {
    let texture = match target.texture {
        Some(Texture::Inside(bytes)) => bytes,
        _ => &[],
    };
    let layout = Layout {
        vertices: mesh.positions.len() as u64,
        triangles: mesh.triangles.len() as u64,
        texture: texture.len() as u64,
    };
    target.write(&gltf::before_buffer(&description(&layout, mesh), layout.length()))?;
    // Parts one after the other, as the description says. All but the indices have a multiple of 4 bytes.
    target.write_all(&mesh.positions, work, |p, bytes| put_floats(p.to_array(), bytes))?;
    target.write_all(&mesh.normals, work, |normal, bytes| put_floats(normal.to_array(), bytes))?;
    target.write_all(&mesh.uvs, work, |uv, bytes| put_floats(uv.to_array(), bytes))?;
    work.advance(mesh.positions.len());
    if layout.is_short() {
        target.write_all(&mesh.triangles, work, |triangle, bytes| {
            triangle.iter().for_each(|&index| bytes.extend((index as u16).to_le_bytes()));
        })?;
    } else {
        target.write_all(&mesh.triangles, work, |triangle, bytes| {
            triangle.iter().for_each(|&index| bytes.extend(index.to_le_bytes()));
        })?;
    }
    work.advance(mesh.triangles.len());
    let fill = |bytes: u64| vec![0; (bytes.next_multiple_of(4) - bytes) as usize];
    target.write(&fill(layout.parts()[3]))?;
    target.write(texture)?;
    target.write(&fill(layout.texture))
}

/// The description of the file.
fn description(layout: &Layout, mesh: &Mesh) -> Value {
    let [positions, normals, uvs, indices, texture] = layout.parts();
    let mut buffer = Buffer::default();
    let (low, high) = mesh.bounds();
    let limits = json!({ "min": low.to_array(), "max": high.to_array() });
    let mut vertices = |bytes, kind, more| {
        let view = buffer.part(bytes, Purpose::Vertices);
        buffer.accessor(view, layout.vertices, Component::Float, kind, more)
    };
    let positions = vertices(positions, "VEC3", limits);
    let normals = vertices(normals, "VEC3", Value::Null);
    let uvs = vertices(uvs, "VEC2", Value::Null);
    let index = if layout.is_short() { Component::UnsignedShort } else { Component::UnsignedInt };
    let view = buffer.part(indices, Purpose::Indices);
    let indices = buffer.accessor(view, 3 * layout.triangles, index, "SCALAR", Value::Null);
    let mut surface = json!({ "metallicFactor": 0.0, "roughnessFactor": 1.0 });
    let mut content = json!({
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "land", "mesh": 0 }],
        "meshes": [{ "name": "land", "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs },
            "indices": indices,
            "material": 0,
        }] }],
    });
    if texture > 0 {
        const CLAMP_TO_EDGE: u32 = 33071;
        const LINEAR: u32 = 9729;
        const LINEAR_MIPMAP_LINEAR: u32 = 9987;
        surface["baseColorTexture"] = json!({ "index": 0 });
        let view = buffer.part(texture, Purpose::Other);
        content["images"] = json!([{ "bufferView": view, "mimeType": "image/png" }]);
        content["samplers"] = json!([{
            "magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, "wrapS": CLAMP_TO_EDGE, "wrapT": CLAMP_TO_EDGE
        }]);
        content["textures"] = json!([{ "sampler": 0, "source": 0 }]);
    }
    content["materials"] = json!([{ "name": "ground", "pbrMetallicRoughness": surface }]);
    buffer.describe(content, None)
}
