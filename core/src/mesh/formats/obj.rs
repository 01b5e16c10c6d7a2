//! Wavefront OBJ, and MTL for its material: text, Y up, as most programs read OBJ.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::format::{Amount, Format, Target, Texture, TexturePlace};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::replace_file;
use crate::mesh::Mesh;

pub(super) const FORMAT: Format = Format {
    name: "OBJ",
    extension: "obj",
    about: "Wavefront OBJ, text; Y up; the texture lies beside, as .png and .mtl",
    texture: TexturePlace::Beside { material: true },
    check,
    write,
};

/// The name of the material.
const MATERIAL: &str = "ground";

/// Text has no limits of its own.
fn check(_: Amount) -> Result<(), String> {
    Ok(())
}

fn write(target: &mut Target, mesh: &Mesh, work: &Work) -> Result<()> {
    let mut header = format!("# upland {}: metres, Y up\n", env!("CARGO_PKG_VERSION"));
    if let Some(Texture::Beside { material, .. }) = &target.texture {
        let _ = writeln!(header, "mtllib {material}");
    }
    target.write(header.as_bytes())?;
    target.write_all(&mesh.positions, work, |p, bytes| {
        // Rust writes the shortest text that reads back as the same float.
        let _ = writeln!(bytes, "v {} {} {}", p.x, p.y, p.z);
    })?;
    // In OBJ, pictures begin at the bottom.
    target.write_all(&mesh.uvs, work, |uv, bytes| {
        let _ = writeln!(bytes, "vt {} {}", uv.x, 1.0 - uv.y);
    })?;
    target.write_all(&mesh.normals, work, |normal, bytes| {
        let _ = writeln!(bytes, "vn {} {} {}", normal.x, normal.y, normal.z);
    })?;
    work.advance(mesh.positions.len());
    target.write(b"o land\n")?;
    if target.texture.is_some() {
        target.write(format!("usemtl {MATERIAL}\n").as_bytes())?;
    }
    target.write_all(&mesh.triangles, work, |triangle, bytes| {
        // Numbers begin with 1.
        let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
        let _ = writeln!(bytes, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}");
    })?;
    work.advance(mesh.triangles.len());
    Ok(())
}

/// Writes the file of the material, which names the picture.
pub(super) fn write_material(path: &Path, picture: &str) -> Result<()> {
    let text = format!("newmtl {MATERIAL}\nKa 1 1 1\nKd 1 1 1\nKs 0 0 0\nillum 1\nmap_Kd {picture}\n");
    replace_file(path, |file| {
        file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}
