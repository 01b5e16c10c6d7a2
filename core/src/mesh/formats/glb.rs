//! glTF 2.0 in one binary file (GLB): Khronos Group, "glTF 2.0 Specification", section 4.4 for the container.
//!
//! Y is up, as in the land; the texture lies within.

use serde_json::{Value, json};

use super::format::{Amount, Format, Target, Texture, TexturePlace, put_floats};
use crate::compute::work::Work;
use crate::error::Result;
use crate::mesh::Mesh;

pub(super) const FORMAT: Format = Format {
    name: "glTF",
    extension: "glb",
    about: "glTF 2.0, binary; Y up; the texture lies within",
    texture: TexturePlace::Inside,
    check,
    write,
};

/// Bytes of a position, a normal and a place in the texture.
const POSITION: u64 = 12;
const NORMAL: u64 = 12;
const UV: u64 = 8;

/// Bytes before the content of a chunk: its length and its kind; and of the file: magic, version and length.
const CHUNK_HEADER: u64 = 8;
const FILE_HEADER: u64 = 12;

/// More bytes than the description of the content takes.
const DESCRIPTION: u64 = 1 << 16;

/// More vertices or triangles than fit, and few enough to count their bytes.
const MANY: u64 = 1 << 40;

// Numbers of glTF, as OpenGL has them.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Where everything lies in the binary chunk.
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

    /// Whether indices have 16 bits. The largest of them is reserved.
    fn is_short(&self) -> bool {
        self.vertices <= u64::from(u16::MAX)
    }

    /// Bytes of every part: positions, normals, places in the texture, indices, texture.
    fn parts(&self) -> [u64; 5] {
        let index = if self.is_short() { 2 } else { 4 };
        let vertices = self.vertices;
        [POSITION * vertices, NORMAL * vertices, UV * vertices, 3 * index * self.triangles, self.texture]
    }

    /// Bytes of all parts, each filled up to a multiple of four.
    fn length(&self) -> u64 {
        self.parts().into_iter().map(|bytes| bytes.next_multiple_of(4)).sum()
    }
}

fn check(amount: Amount) -> Result<(), String> {
    let clipped =
        Amount { vertices: amount.vertices.min(MANY), triangles: amount.triangles.min(MANY), ..amount };
    let length = Layout::of(clipped).length() + DESCRIPTION;
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
    let mut description = description(&layout, mesh).to_string().into_bytes();
    description.resize(description.len().next_multiple_of(4), b' ');
    let length = FILE_HEADER + 2 * CHUNK_HEADER + description.len() as u64 + layout.length();
    let number = |number: u64| (number as u32).to_le_bytes();
    target.write(&[*b"glTF", number(2), number(length)].concat())?;
    target.write(&[number(description.len() as u64), *b"JSON"].concat())?;
    target.write(&description)?;
    target.write(&[number(layout.length()), *b"BIN\0"].concat())?;
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

/// What the binary chunk holds, in JSON.
fn description(layout: &Layout, mesh: &Mesh) -> Value {
    let mut begin = 0;
    let views: Vec<Value> = layout
        .parts()
        .into_iter()
        .zip([Some(VERTICES), Some(VERTICES), Some(VERTICES), Some(INDICES), None])
        .filter(|(bytes, _)| *bytes > 0)
        .map(|(bytes, target)| {
            let mut view = json!({ "buffer": 0, "byteOffset": begin, "byteLength": bytes });
            if let Some(target) = target {
                view["target"] = json!(target);
            }
            begin += bytes.next_multiple_of(4);
            view
        })
        .collect();
    let accessor = |view: usize, count: u64, component: u32, kind: &str| json!({ "bufferView": view, "count": count, "componentType": component, "type": kind });
    let index = if layout.is_short() { UNSIGNED_SHORT } else { UNSIGNED_INT };
    let mut positions = accessor(0, layout.vertices, FLOAT, "VEC3");
    let (low, high) = mesh.bounds();
    positions["min"] = json!(low.to_array());
    positions["max"] = json!(high.to_array());
    let mut surface = json!({ "metallicFactor": 0.0, "roughnessFactor": 1.0 });
    let mut all = json!({
        "asset": { "version": "2.0", "generator": concat!("upland ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "land", "mesh": 0 }],
        "meshes": [{ "name": "land", "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 },
            "indices": 3,
            "material": 0,
        }] }],
        "buffers": [{ "byteLength": layout.length() }],
        "bufferViews": views,
        "accessors": [
            positions,
            accessor(1, layout.vertices, FLOAT, "VEC3"),
            accessor(2, layout.vertices, FLOAT, "VEC2"),
            accessor(3, 3 * layout.triangles, index, "SCALAR"),
        ],
    });
    if layout.texture > 0 {
        const REPEAT_NO: u32 = 33071;
        const LINEAR: u32 = 9729;
        const LINEAR_MIPMAP_LINEAR: u32 = 9987;
        surface["baseColorTexture"] = json!({ "index": 0 });
        all["images"] = json!([{ "bufferView": 4, "mimeType": "image/png" }]);
        all["samplers"] = json!([{
            "magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, "wrapS": REPEAT_NO, "wrapT": REPEAT_NO
        }]);
        all["textures"] = json!([{ "sampler": 0, "source": 0 }]);
    }
    all["materials"] = json!([{ "name": "ground", "pbrMetallicRoughness": surface }]);
    all
}
