//! Files of plants: GLB (Khronos Group, "glTF 2.0 Specification") and Wavefront OBJ. Both use the atlas: a
//! GLB contains it, an OBJ comes with a PNG and a file of materials.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3};
use png::{ColorType, Encoder};
use serde_json::{Value, json};

use super::atlas::{ALPHA_CUT, Atlas, Picture};
use super::mesh::PlantMesh;
use crate::error::{Error, Result};
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
/// has to name the files beside it.
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
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
const REPEAT: u32 = 10497;
const LINEAR: u32 = 9729;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;

fn glb(mesh: &PlantMesh, picture: &[u8]) -> Vec<u8> {
    let floats = |of: &dyn Fn(&super::PlantVertex) -> Vec<f32>| -> Vec<u8> {
        mesh.vertices.iter().flat_map(of).flat_map(f32::to_le_bytes).collect()
    };
    let three = |v: Vec3| v.to_array().to_vec();
    let two = |v: Vec2| v.to_array().to_vec();
    let parts = [
        floats(&|vertex| three(vertex.position)),
        floats(&|vertex| three(vertex.normal)),
        floats(&|vertex| two(vertex.uv)),
        floats(&|vertex| three(vertex.colour)),
        floats(&|vertex| vec![vertex.wind, vertex.phase]),
        mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect(),
        picture.to_vec(),
    ];
    let mut binary: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let mut view = json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": part.len() });
        match index {
            0..5 => view["target"] = json!(VERTICES),
            5 => view["target"] = json!(INDICES),
            _ => {}
        }
        views.push(view);
        binary.extend(part);
        binary.resize(binary.len().next_multiple_of(4), 0);
    }
    let mut text = description(mesh, views, binary.len()).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let number = |number: usize| (number as u32).to_le_bytes();
    let mut file = [*b"glTF", number(2), number(12 + 8 + text.len() + 8 + binary.len())].concat();
    file.extend([number(text.len()), *b"JSON"].concat());
    file.extend(text);
    file.extend([number(binary.len()), *b"BIN\0"].concat());
    file.extend(binary);
    file
}

/// The content of the binary chunk, in JSON.
fn description(mesh: &PlantMesh, views: Vec<Value>, length: usize) -> Value {
    let count = mesh.vertices.len();
    let accessor = |view: usize, count: usize, component: u32, kind: &str| json!({ "bufferView": view, "count": count, "componentType": component, "type": kind });
    let (low, high) = mesh.bounds();
    let mut positions = accessor(0, count, FLOAT, "VEC3");
    positions["min"] = json!(low.to_array());
    positions["max"] = json!(high.to_array());
    json!({
        "asset": { "version": "2.0", "generator": concat!("upland ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "plant", "mesh": 0 }],
        "meshes": [{ "name": "plant", "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3, "_WIND": 4 },
            "indices": 5,
            "material": 0,
        }] }],
        "buffers": [{ "byteLength": length }],
        "bufferViews": views,
        "accessors": [
            positions,
            accessor(1, count, FLOAT, "VEC3"),
            accessor(2, count, FLOAT, "VEC2"),
            accessor(3, count, FLOAT, "VEC3"),
            accessor(4, count, FLOAT, "VEC2"),
            accessor(5, 3 * mesh.triangles.len(), UNSIGNED_INT, "SCALAR"),
        ],
        "images": [{ "bufferView": 6, "mimeType": "image/png" }],
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
    })
}
