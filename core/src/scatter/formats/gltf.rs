//! glTF 2.0 with instances (`EXT_mesh_gpu_instancing`): a simple mesh for each rule, and a node that draws it
//! at the place of every object. As GLB, or as text with the binary part embedded.
//!
//! Khronos Group, "glTF 2.0 Specification"; "EXT_mesh_gpu_instancing".

use base64::prelude::{BASE64_STANDARD, Engine as _};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

use super::format::{Format, Placed, Target};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::gltf::{self, Buffer, Component, FilledBuffer, Purpose};
use crate::scatter::Object;
use crate::scatter::kinds::{Kind, StandIn};

pub(super) const TEXT: Format = Format {
    name: "glTF",
    extension: "gltf",
    about: "glTF 2.0 with EXT_mesh_gpu_instancing, one text file; simple meshes as placeholders",
    write: write_text,
};

pub(super) const BINARY: Format = Format {
    name: "GLB",
    extension: "glb",
    about: "glTF 2.0 with EXT_mesh_gpu_instancing, binary; simple meshes as placeholders",
    write: write_binary,
};

/// The extension that draws a mesh many times.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// The most objects of a file: each takes 40 bytes, and a GLB has at most 4 GiB.
const MOST: usize = 100_000_000;

fn write_binary(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    let content = Content::of(target, placed, work)?;
    let FilledBuffer { buffer, bytes } = content.parts;
    let description = buffer.describe(content.scene, None);
    target.write(gltf::before_buffer(&description, bytes.len() as u64))?;
    target.write(&bytes)
}

fn write_text(target: &mut Target, placed: &Placed, work: &Work) -> Result<()> {
    let content = Content::of(target, placed, work)?;
    let FilledBuffer { buffer, bytes } = content.parts;
    let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes));
    target.write(buffer.describe(content.scene, Some(uri)).to_string())
}

/// The content of a file: its buffer, and the scene.
#[derive(Default)]
struct Content {
    parts: FilledBuffer,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    scene: Value,
}

impl Content {
    fn of(target: &Target, placed: &Placed, work: &Work) -> Result<Self> {
        if placed.objects.len() > MOST {
            let count = placed.objects.len();
            let reason =
                format!("{count} objects; a glTF file has at most {MOST} here: write several windows");
            return Err(Error::file(target.path, reason));
        }
        let mut content = Content::default();
        for (number, rule) in placed.rules.iter().enumerate() {
            work.check()?;
            // One pass for each rule: there are few rules, and objects need not be sorted.
            let objects: Vec<&Object> =
                placed.objects.iter().filter(|object| object.rule as usize == number).collect();
            if !objects.is_empty() {
                let mesh = content.mesh(&rule.object, &Kind::of(&rule.object).mesh());
                content.node(&rule.name, mesh, &objects, placed);
            }
            work.advance(objects.len());
        }
        let nodes: Vec<usize> = (0..content.nodes.len()).collect();
        if nodes.is_empty() {
            // glTF has no empty lists, and no empty buffers.
            let scene = json!({ "scene": 0, "scenes": [{ "name": "objects" }] });
            let parts = FilledBuffer { buffer: Buffer::without_parts(4), bytes: vec![0; 4] };
            return Ok(Self { parts, scene, ..content });
        }
        content.scene = json!({
            "scene": 0,
            "scenes": [{ "name": "objects", "nodes": nodes }],
            "extensionsUsed": [INSTANCING],
            "extensionsRequired": [INSTANCING],
            "materials": [{
                "name": "stand-in",
                "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 },
            }],
            "nodes": std::mem::take(&mut content.nodes),
            "meshes": std::mem::take(&mut content.meshes),
        });
        Ok(content)
    }

    /// Adds a vector of floats for each of `count` things; returns the index of their accessor.
    fn add_floats(
        &mut self,
        floats: impl Iterator<Item = f32>,
        (count, kind): (usize, &str),
        purpose: Purpose,
        more: Value,
    ) -> usize {
        let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
        let view = self.parts.part(&bytes, purpose);
        self.parts.buffer.accessor(view, count as u64, Component::Float, kind, more)
    }

    fn mesh(&mut self, name: &str, mesh: &StandIn) -> usize {
        let count = mesh.positions.len();
        let corner = |pick: fn(Vec3, Vec3) -> Vec3| {
            mesh.positions.iter().copied().reduce(pick).unwrap_or_default().to_array()
        };
        let limits = json!({ "min": corner(Vec3::min), "max": corner(Vec3::max) });
        let floats =
            |vectors: &[Vec3]| vectors.iter().flat_map(|vector| vector.to_array()).collect::<Vec<_>>();
        let mut vertices = |vectors: &[Vec3], more| {
            self.add_floats(floats(vectors).into_iter(), (count, "VEC3"), Purpose::Vertices, more)
        };
        let positions = vertices(&mesh.positions, limits);
        let normals = vertices(&mesh.normals, Value::Null);
        // glTF's vertex colours are linear.
        let colour = |colour: &[u8; 3]| colour.map(linear).into_iter().chain([255]);
        let colours: Vec<u8> = mesh.colours.iter().flat_map(colour).collect();
        let view = self.parts.part(&colours, Purpose::Vertices);
        let normalized = json!({ "normalized": true });
        let colours =
            self.parts.buffer.accessor(view, count as u64, Component::UnsignedByte, "VEC4", normalized);
        self.meshes.push(json!({ "name": name, "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals, "COLOR_0": colours },
            "material": 0,
        }] }));
        self.meshes.len() - 1
    }

    /// Adds a node that draws a mesh at the place of each of these objects. The node lies in their midst, so
    /// that positions on endless land keep their millimetres.
    fn node(&mut self, name: &str, mesh: usize, objects: &[&Object], placed: &Placed) {
        let places: Vec<DVec3> = objects.iter().map(|object| placed.place(object)).collect();
        let low = places.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = places.iter().copied().reduce(DVec3::max).unwrap_or_default();
        // Whole metres, which f32 holds exactly up to 16,777 km.
        let middle = ((low + high) / 2.0).round();
        let count = objects.len();
        let mut add = |floats: &mut dyn Iterator<Item = f32>, kind| {
            self.add_floats(floats, (count, kind), Purpose::Other, Value::Null)
        };
        // Differences in f64, and only then f32: far from the origin f32 steps by centimetres.
        let mut from_middle = places.iter().flat_map(|place| (*place - middle).as_vec3().to_array());
        let translation = add(&mut from_middle, "VEC3");
        let rotation = add(&mut objects.iter().flat_map(|object| object.rotation().to_array()), "VEC4");
        let scale = add(&mut objects.iter().flat_map(|object| [object.size; 3]), "VEC3");
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

/// A channel of an sRGB-encoded colour in linear light, the encoding of glTF's vertex colours.
fn linear(channel: u8) -> u8 {
    (crate::texture::LINEAR[channel as usize] * 255.0 + 0.5) as u8
}
