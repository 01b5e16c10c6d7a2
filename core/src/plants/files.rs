//! Files of plants: GLB (Khronos Group, "glTF 2.0 Specification") and Wavefront OBJ. Both use the atlas: a
//! GLB contains it, an OBJ comes with a PNG and a file of materials.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use png::{ColorType, Encoder};
use serde_json::{Value, json};

use super::atlas::{ALPHA_CUT, Atlas, Picture};
use super::mesh::PlantMesh;
use crate::error::{Error, Result};
use crate::files::gltf::{self, Component, FilledBuffer, Purpose};
use crate::files::{check_replaceable, replace_file, replace_together, write_png_rows};

/// The formats for plants.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Glb,
    Obj,
}

fn format_of(path: &Path) -> Result<Format> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "glb" => Ok(Format::Glb),
        "obj" => Ok(Format::Obj),
        _ => Err(Error::file(
            path,
            "the mesh of a plant is written as .glb or .obj; give it one of these extensions",
        )),
    }
}

/// The files that [`write()`] makes for this name.
///
/// # Errors
/// When the extension is neither `.glb` nor `.obj`, and when an OBJ's name isn't plain text, since its text
/// has to name the files next to it.
pub fn files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    if format_of(path)? == Format::Glb {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.file_name().and_then(|name| name.to_str());
    if name.is_none_or(|name| name.chars().any(char::is_control)) {
        let reason = "OBJ names its texture in plain text, which this name is not; give another";
        return Err(Error::file(path, reason));
    }
    Ok(vec![path.to_owned(), path.with_extension("png"), path.with_extension("mtl")])
}

/// Writes a plant's triangles and the atlas; the extension of `path` decides the format. All files are
/// replaced together: after a failure existing files are unchanged. A GLB also has the vertices' colours, and
/// their wind and phase as the attribute `_WIND`.
///
/// # Errors
/// As for [`files`], when there are no triangles, and when a file cannot be written.
pub fn write(path: impl AsRef<Path>, mesh: &PlantMesh, atlas: &Atlas) -> Result<()> {
    let path = path.as_ref();
    let format = format_of(path)?;
    let files = files(path)?;
    files.iter().try_for_each(check_replaceable)?;
    if mesh.triangles.is_empty() {
        return Err(Error::file(path, "the plant has no triangles; grow one with some"));
    }
    let picture = png_of(path, atlas.picture())?;
    match format {
        Format::Glb => write_bytes(path, &glb(mesh, &picture)),
        Format::Obj => {
            let name =
                |index: usize| files[index].file_name().unwrap_or_default().to_string_lossy().into_owned();
            let write = || {
                write_bytes(&files[1], &picture)?;
                write_bytes(&files[2], material(&name(1)).as_bytes())?;
                write_bytes(path, obj(mesh, &name(2)).as_bytes())
            };
            replace_together(write).map(|((), _)| ())
        }
    }
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    replace_file(path, |file| file.write_all(bytes).map_err(|error| Error::io(path, "write", error)))
}

fn png_of(path: &Path, picture: &Picture) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(ColorType::Rgba);
    let rows = picture.texels.chunks(picture.width).map(<[[u8; 4]]>::as_flattened);
    write_png_rows(path, encoder, Vec::new(), rows)?;
    Ok(bytes)
}

/// Linear colours become factors of the picture: OBJ has no vertex colours that all programs read.
fn obj(mesh: &PlantMesh, material: &str) -> String {
    let mut text = format!("# upland {}: metres, Y up\nmtllib {material}\n", env!("CARGO_PKG_VERSION"));
    for vertex in &mesh.vertices {
        let (p, c) = (vertex.position, vertex.colour);
        let _ = writeln!(text, "v {} {} {} {} {} {}", p.x, p.y, p.z, c.x, c.y, c.z);
    }
    for vertex in &mesh.vertices {
        // In OBJ, pictures begin at the bottom.
        let _ = writeln!(text, "vt {} {}", vertex.uv.x, 1.0 - vertex.uv.y);
    }
    for vertex in &mesh.vertices {
        let normal = vertex.normal;
        let _ = writeln!(text, "vn {} {} {}", normal.x, normal.y, normal.z);
    }
    text.push_str("o plant\nusemtl plant\n");
    for triangle in &mesh.triangles {
        // Numbers begin with 1.
        let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
        let _ = writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}");
    }
    text
}

fn material(picture: &str) -> String {
    format!(
        "newmtl plant\nKa 1 1 1\nKd 1 1 1\nKs 0 0 0\nillum 1\nmap_Kd {picture}\nmap_d -imfchan m {picture}\n"
    )
}

// Numbers of glTF, the same as in OpenGL.
const REPEAT: u32 = 10497;
const LINEAR: u32 = 9729;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;

fn glb(mesh: &PlantMesh, picture: &[u8]) -> Vec<u8> {
    let mut parts = FilledBuffer::default();
    let count = mesh.vertices.len() as u64;
    let (low, high) = mesh.bounds();
    let limits = json!({ "min": low.to_array(), "max": high.to_array() });
    let mut vertices = |floats: &dyn Fn(&super::PlantVertex) -> Vec<f32>, kind: &str, more: Value| {
        let bytes: Vec<u8> = mesh.vertices.iter().flat_map(floats).flat_map(f32::to_le_bytes).collect();
        let view = parts.part(&bytes, Purpose::Vertices);
        parts.buffer.accessor(view, count, Component::Float, kind, more)
    };
    let positions = vertices(&|vertex| vertex.position.to_array().to_vec(), "VEC3", limits);
    let normals = vertices(&|vertex| vertex.normal.to_array().to_vec(), "VEC3", Value::Null);
    let uvs = vertices(&|vertex| vertex.uv.to_array().to_vec(), "VEC2", Value::Null);
    let colours = vertices(&|vertex| vertex.colour.to_array().to_vec(), "VEC3", Value::Null);
    let wind = vertices(&|vertex| vec![vertex.wind, vertex.phase], "VEC2", Value::Null);
    let indices: Vec<u8> = mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
    let view = parts.part(&indices, Purpose::Indices);
    let count = 3 * mesh.triangles.len() as u64;
    let indices = parts.buffer.accessor(view, count, Component::UnsignedInt, "SCALAR", Value::Null);
    let picture = parts.part(picture, Purpose::Other);
    let scene = json!({
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "plant", "mesh": 0 }],
        "meshes": [{ "name": "plant", "primitives": [{
            "attributes": {
                "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs, "COLOR_0": colours, "_WIND": wind,
            },
            "indices": indices,
            "material": 0,
        }] }],
        "images": [{ "bufferView": picture, "mimeType": "image/png" }],
        "samplers": [{
            "magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, "wrapS": REPEAT, "wrapT": REPEAT
        }],
        "textures": [{ "sampler": 0, "source": 0 }],
        "materials": [{
            "name": "plant",
            "pbrMetallicRoughness": {
                "baseColorTexture": { "index": 0 }, "metallicFactor": 0.0, "roughnessFactor": 0.9
            },
            "alphaMode": "MASK",
            "alphaCutoff": ALPHA_CUT,
            "doubleSided": true,
        }],
    });
    let FilledBuffer { buffer, bytes } = parts;
    [gltf::before_buffer(&buffer.describe(scene, None), bytes.len() as u64), bytes].concat()
}
