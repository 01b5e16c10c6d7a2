//! The polygon file format (Stanford PLY), binary. Z is up; vertices have normals, and with a texture `s` and
//! `t`, which begin at the bottom of the picture.

use super::format::{Amount, Format, Target, Texture, TexturePlace, put_floats, z_up};
use crate::compute::work::Work;
use crate::error::Result;
use crate::mesh::Mesh;

pub(super) const FORMAT: Format = Format {
    name: "PLY",
    extension: "ply",
    about: "Stanford PLY, binary; Z up; the texture lies beside, as .png",
    texture: TexturePlace::Beside { material: false },
    check,
    write,
};

fn check(Amount { vertices, .. }: Amount) -> Result<(), String> {
    if vertices <= i32::MAX as u64 {
        return Ok(());
    }
    Err(format!("{vertices} vertices; PLY counts at most {} of them: allow a larger error", i32::MAX))
}

fn write(target: &mut Target, mesh: &Mesh, work: &Work) -> Result<()> {
    let picture = match &target.texture {
        Some(Texture::Beside { picture, .. }) => Some(picture.clone()),
        _ => None,
    };
    let mut properties = vec!["x", "y", "z", "nx", "ny", "nz"];
    let mut header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment upland {}: metres, Z up\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(picture) = &picture {
        // A convention of MeshLab, which other programs have adopted; the format itself has no textures.
        header += &format!("comment TextureFile {picture}\n");
        properties.extend(["s", "t"]);
    }
    header += &format!("element vertex {}\n", mesh.positions.len());
    properties.iter().for_each(|property| header += &format!("property float {property}\n"));
    header += &format!(
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.triangles.len()
    );
    target.write(header.as_bytes())?;
    // Positions, normals and texture places stand together in a line of PLY.
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    target.write_all(&vertices, work, |&vertex, bytes| {
        let vertex = vertex as usize;
        put_floats(z_up(mesh.positions[vertex]).to_array(), bytes);
        put_floats(z_up(mesh.normals[vertex]).to_array(), bytes);
        if picture.is_some() {
            put_floats([mesh.uvs[vertex].x, 1.0 - mesh.uvs[vertex].y], bytes);
        }
    })?;
    work.advance(mesh.positions.len());
    target.write_all(&mesh.triangles, work, |triangle, bytes| {
        bytes.push(3);
        triangle.iter().for_each(|&vertex| bytes.extend(vertex.to_le_bytes()));
    })?;
    work.advance(mesh.triangles.len());
    Ok(())
}
