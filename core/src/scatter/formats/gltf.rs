//! glTF 2.0 with instances (`EXT_mesh_gpu_instancing`): a simple mesh for each rule, and a node that draws it wherever
//! an object stands. As GLB, or as text with the binary part within.
//!
//! Khronos Group, "glTF 2.0 Specification"; "EXT_mesh_gpu_instancing".

use glam::{DVec3, Vec3};
use serde_json::{Value, json};

use super::format::{Format, Placed, Target};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::scatter::Object;
use crate::scatter::kinds::{Kind, StandIn};

pub(super) const TEXT: Format = Format {
    name: "glTF",
    extension: "gltf",
    about: "glTF 2.0 with EXT_mesh_gpu_instancing, one text with all within; simple meshes stand in",
    write: write_text,
};

pub(super) const BINARY: Format = Format {
    name: "GLB",
    extension: "glb",
    about: "glTF 2.0 with EXT_mesh_gpu_instancing, binary; simple meshes stand in",
    write: write_binary,
};

/// The extension that draws a mesh many times.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

// Numbers of glTF, as OpenGL has them.
const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const VERTICES: u32 = 34962;

/// More objects than fit into the 4 GiB of a GLB: each takes 40 bytes.
const MOST: usize = 100_000_000;

fn write_binary(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    let (mut description, bytes) = content(target, placed, work)?;
    description["buffers"] = json!([{ "byteLength": bytes.len() }]);
    let mut description = description.to_string().into_bytes();
    description.resize(description.len().next_multiple_of(4), b' ');
    let number = |number: usize| (number as u32).to_le_bytes();
    let length = 12 + 8 + description.len() + 8 + bytes.len();
    target.write([*b"glTF", number(2), number(length)].concat())?;
    target.write([number(description.len()), *b"JSON"].concat())?;
    target.write(&description)?;
    target.write([number(bytes.len()), *b"BIN\0"].concat())?;
    target.write(&bytes)
}

fn write_text(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    let (mut description, bytes) = content(target, placed, work)?;
    let uri = format!("data:application/octet-stream;base64,{}", base64(&bytes));
    description["buffers"] = json!([{ "byteLength": bytes.len(), "uri": uri }]);
    target.write(description.to_string())
}

/// What a file holds in JSON, but for its buffer, and the bytes of that.
#[derive(Default)]
struct Content {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

fn content(target: &Target, placed: &Placed, work: &Work) -> Result<(Value, Vec<u8>)> {
    if placed.objects.len() > MOST {
        let count = placed.objects.len();
        let reason = format!("{count} objects; a glTF file has at most {MOST} here: write several windows");
        return Err(Error::file(target.path, reason));
    }
    let mut content = Content::default();
    for (number, rule) in placed.rules.iter().enumerate() {
        work.check()?;
        let objects: Vec<&Object> =
            placed.objects.iter().filter(|object| object.rule as usize == number).collect();
        if !objects.is_empty() {
            let mesh = content.mesh(&rule.object, &Kind::of(&rule.object).mesh());
            content.node(&rule.name, mesh, &objects, placed);
        }
        work.advance(objects.len());
    }
    let nodes: Vec<usize> = (0..content.nodes.len()).collect();
    let mut all = json!({
        "asset": { "version": "2.0", "generator": concat!("upland ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "name": "objects", "nodes": nodes }],
    });
    if nodes.is_empty() {
        // glTF has no empty lists.
        all["scenes"] = json!([{ "name": "objects" }]);
        return Ok((all, vec![0; 4]));
    }
    all["extensionsUsed"] = json!([INSTANCING]);
    all["extensionsRequired"] = json!([INSTANCING]);
    all["materials"] = json!([{
        "name": "stand-in",
        "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 },
    }]);
    all["nodes"] = Value::Array(content.nodes);
    all["meshes"] = Value::Array(content.meshes);
    all["bufferViews"] = Value::Array(content.views);
    all["accessors"] = Value::Array(content.accessors);
    Ok((all, content.bytes))
}

impl Content {
    /// Adds numbers; returns the index of their accessor.
    fn add(&mut self, bytes: &[u8], count: usize, target: Option<u32>, mut accessor: Value) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        accessor["bufferView"] = json!(self.views.len());
        accessor["count"] = json!(count);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn mesh(&mut self, name: &str, mesh: &StandIn) -> usize {
        let count = mesh.positions.len();
        let corner = |pick: fn(Vec3, Vec3) -> Vec3| {
            mesh.positions.iter().copied().reduce(pick).unwrap_or_default().to_array()
        };
        let positions = json!({
            "componentType": FLOAT, "type": "VEC3", "min": corner(Vec3::min), "max": corner(Vec3::max),
        });
        let vectors = |vectors: &[Vec3]| floats(vectors.iter().flat_map(|vector| vector.to_array()));
        let positions = self.add(&vectors(&mesh.positions), count, Some(VERTICES), positions);
        let normals = json!({ "componentType": FLOAT, "type": "VEC3" });
        let normals = self.add(&vectors(&mesh.normals), count, Some(VERTICES), normals);
        let colour = |colour: &[u8; 3]| colour.map(linear).into_iter().chain([255]);
        let colours: Vec<u8> = mesh.colours.iter().flat_map(colour).collect();
        let accessor = json!({ "componentType": UNSIGNED_BYTE, "normalized": true, "type": "VEC4" });
        let colours = self.add(&colours, count, Some(VERTICES), accessor);
        self.meshes.push(json!({ "name": name, "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals, "COLOR_0": colours },
            "material": 0,
        }] }));
        self.meshes.len() - 1
    }

    /// Adds a node that draws a mesh wherever one of these stands. It lies in their midst, so that places on endless
    /// land keep their millimetres.
    fn node(&mut self, name: &str, mesh: usize, objects: &[&Object], placed: &Placed) {
        let places: Vec<DVec3> = objects.iter().map(|object| placed.place(object)).collect();
        let low = places.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = places.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let middle = ((low + high) / 2.0).round();
        let count = objects.len();
        let vector = json!({ "componentType": FLOAT, "type": "VEC3" });
        let from_middle = places.iter().flat_map(|place| (*place - middle).as_vec3().to_array());
        let translation = self.add(&floats(from_middle), count, None, vector.clone());
        let rotations = floats(objects.iter().flat_map(|object| object.rotation().to_array()));
        let accessor = json!({ "componentType": FLOAT, "type": "VEC4" });
        let rotation = self.add(&rotations, count, None, accessor);
        let scale =
            self.add(&floats(objects.iter().flat_map(|object| [object.size; 3])), count, None, vector);
        self.nodes.push(json!({
            "name": name,
            "mesh": mesh,
            "translation": middle.to_array(),
            "extensions": { INSTANCING: { "attributes": {
                "TRANSLATION": translation, "ROTATION": rotation, "SCALE": scale,
            } } },
        }));
    }
}

fn floats(floats: impl Iterator<Item = f32>) -> Vec<u8> {
    floats.flat_map(f32::to_le_bytes).collect()
}

/// A channel of an sRGB-encoded colour in linear light, in which glTF has the colours of vertices.
fn linear(channel: u8) -> u8 {
    (crate::texture::LINEAR[channel as usize] * 255.0 + 0.5) as u8
}

/// Bytes as text: RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| three.get(index).map_or(0, |byte| u32::from(*byte));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            let is_there = letter <= three.len();
            let index = (bits >> (18 - 6 * letter)) as usize & 63;
            text.push(if is_there { LETTERS[index] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_standard_has_it() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let encoded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), encoded);
    }
}
