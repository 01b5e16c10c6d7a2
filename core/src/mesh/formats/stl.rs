//! Binary STL: only triangles and their normals. Z is up, as for 3D printers.

use super::format::{Amount, Format, Target, TexturePlace, put_floats, z_up};
use crate::compute::work::Work;
use crate::error::Result;
use crate::mesh::Mesh;

pub(super) const FORMAT: Format = Format {
    name: "STL",
    extension: "stl",
    about: "binary STL, for 3D printing; Z up; no texture",
    texture: TexturePlace::Nowhere,
    check,
    write,
};

/// Bytes of the text at the beginning, which must not begin with "solid": programs would read it as a text
/// file.
const HEADER: usize = 80;

fn check(Amount { triangles, .. }: Amount) -> Result<(), String> {
    if triangles <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(format!("{triangles} triangles; STL counts at most {} triangles: allow a larger error", u32::MAX))
}

fn write(target: &mut Target, mesh: &Mesh, work: &Work) -> Result<()> {
    let mut header = format!("upland {}: metres, Z up", env!("CARGO_PKG_VERSION")).into_bytes();
    header.resize(HEADER, 0);
    target.write(&header)?;
    target.write(&(mesh.triangles.len() as u32).to_le_bytes())?;
    work.advance(mesh.positions.len());
    target.write_all(&mesh.triangles, work, |triangle, bytes| {
        let corners = triangle.map(|vertex| mesh.positions[vertex as usize]);
        // In f64: the sides of small triangles are differences of large floats.
        let [a, b, c] = corners.map(|corner| z_up(corner).as_dvec3());
        let normal = (b - a).cross(c - a).normalize_or_zero().as_vec3();
        put_floats(normal.to_array(), bytes);
        corners.iter().for_each(|&corner| put_floats(z_up(corner).to_array(), bytes));
        // The attribute count of each triangle, which the format leaves unused.
        bytes.extend([0; 2]);
    })?;
    work.advance(mesh.triangles.len());
    Ok(())
}
