//! Files of meshes, read back by other readers and measured against the field.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3, vec2, vec3};
use upland_core::generate::{Fbm, Generate};
use upland_core::mesh::formats::{self, files};
use upland_core::mesh::{Bound, Mesh, Method, Triangulation};
use upland_core::texture::ColourMap;
use upland_core::{Error, Grid, Heightfield, Work};

/// What a reader found, in the land's own axes: X east, Y up, Z south, and pictures from the top down.
#[derive(Default)]
struct Found {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<Vec2>,
    triangles: Vec<[u32; 3]>,
}

const ERROR: f32 = 1.5;

fn land() -> (Heightfield, Mesh) {
    let grid = Grid::new(60, 41, 12.5).unwrap();
    let field =
        Fbm { height: 300.0, octaves: 7.0, ..Fbm::default() }.generate(grid, 11, &Work::new()).unwrap();
    let triangulation = Triangulation::new(&field, Method::Tin, Bound::Error(ERROR), &Work::new()).unwrap();
    let mesh = Mesh::new(&field, &triangulation);
    (field, mesh)
}

/// Red grows to the east, green to the south.
fn colours() -> ColourMap {
    let texels =
        (0..32 * 16).map(|index| [(index % 32 * 8) as u8, (index / 32 * 16) as u8, 7, 255]).collect();
    ColourMap { width: 32, depth: 16, texels }
}

fn written(folder: &Path, name: &str, mesh: &Mesh, texture: Option<&ColourMap>) -> PathBuf {
    let path = folder.join(name);
    formats::write(&path, mesh, texture, &Work::new()).unwrap();
    path
}

/// Checks that the picture in these bytes is [`colours`].
fn check_picture(bytes: &[u8]) {
    let picture = image::load_from_memory(bytes).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (32, 16));
    assert_eq!(picture.into_raw(), colours().opaque().concat());
}

/// Checks a mesh that was read against the one that was written and against the field: every sample is as
/// near to it as was asked for.
fn check(found: &Found, mesh: &Mesh, field: &Heightfield, name: &str) {
    assert_eq!(found.triangles.len(), mesh.triangles.len(), "{name}");
    let corner = |mesh: &[Vec3], triangle: &[u32; 3]| triangle.map(|vertex| mesh[vertex as usize]);
    for (theirs, ours) in found.triangles.iter().zip(&mesh.triangles) {
        assert_eq!(corner(&found.positions, theirs), corner(&mesh.positions, ours), "{name}");
        if !found.normals.is_empty() {
            assert_eq!(corner(&found.normals, theirs), corner(&mesh.normals, ours), "{name}");
        }
        if !found.uvs.is_empty() {
            for (theirs, ours) in theirs.iter().zip(ours) {
                let (theirs, ours) = (found.uvs[*theirs as usize], mesh.uvs[*ours as usize]);
                assert!((theirs - ours).abs().max_element() < 1e-6, "{name}: {theirs} {ours}");
            }
        }
    }
    let Grid { width, depth, cell } = field.grid();
    let middle = field.grid().extent() / 2.0;
    let mut seen = vec![false; width * depth];
    for triangle in &found.triangles {
        let [a, b, c] = corner(&found.positions, triangle).map(|p| p.as_dvec3());
        let area = |a: glam::DVec3, b: glam::DVec3, c: glam::DVec3| (b - a).cross(c - a).y;
        let low = (a.min(b).min(c).as_vec3() + vec3(middle.x, 0.0, middle.y)) / cell;
        let high = (a.max(b).max(c).as_vec3() + vec3(middle.x, 0.0, middle.y)) / cell;
        for row in low.z.round() as usize..=high.z.round() as usize {
            for column in low.x.round() as usize..=high.x.round() as usize {
                let place = vec2(column as f32, row as f32) * cell - middle;
                let p = vec3(place.x, field.at(column, row), place.y).as_dvec3();
                let shares = [area(p, b, c), area(a, p, c), area(a, b, p)].map(|share| share / area(a, b, c));
                if shares.iter().all(|&share| share >= -1e-9) {
                    let height = shares[0] * a.y + shares[1] * b.y + shares[2] * c.y;
                    assert!((p.y - height).abs() <= f64::from(ERROR) + 1e-6, "{name}: {height} at {p}");
                    seen[row * width + column] = true;
                }
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen), "{name}: a sample lies in no triangle");
}

fn y_up(p: [f32; 3]) -> Vec3 {
    vec3(p[0], p[2], -p[1])
}

fn read_glb(bytes: &[u8]) -> (Found, gltf::Gltf) {
    let file = gltf::Gltf::from_slice(bytes).unwrap();
    let mut found = Found::default();
    let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| file.blob.as_deref());
    found.positions = reader.read_positions().unwrap().map(Vec3::from).collect();
    found.normals = reader.read_normals().unwrap().map(Vec3::from).collect();
    found.uvs = reader.read_tex_coords(0).unwrap().into_f32().map(Vec2::from).collect();
    let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    found.triangles = indices.as_chunks().0.to_vec();
    (found, file)
}

#[test]
fn a_glb_is_read_back_with_its_texture() {
    let (folder, (field, mesh)) = (tempfile::tempdir().unwrap(), land());
    for texture in [None, Some(&colours())] {
        let bytes = std::fs::read(written(folder.path(), "land.glb", &mesh, texture)).unwrap();
        let (found, file) = read_glb(&bytes);
        check(&found, &mesh, &field, "GLB");
        let bounds = file.accessors().next().unwrap();
        let (low, high) = mesh.bounds();
        let told =
            |value: gltf::json::Value| -> Vec<f32> { gltf::json::deserialize::from_value(value).unwrap() };
        assert_eq!(told(bounds.min().unwrap()), low.to_array());
        assert_eq!(told(bounds.max().unwrap()), high.to_array());
        let material = file.materials().next().unwrap().pbr_metallic_roughness();
        assert_eq!(material.metallic_factor(), 0.0);
        assert_eq!(material.base_color_texture().is_some(), texture.is_some());
        for image in file.images() {
            let gltf::image::Source::View { view, mime_type } = image.source() else { panic!("no view") };
            assert_eq!(mime_type, "image/png");
            check_picture(&file.blob.as_ref().unwrap()[view.offset()..view.offset() + view.length()]);
        }
        assert_eq!(file.images().count(), usize::from(texture.is_some()));
    }
}

#[test]
fn a_glb_of_more_vertices_than_16_bits_count_has_longer_indices() {
    let folder = tempfile::tempdir().unwrap();
    // One vertex fewer, as many and one more than there are short indices for.
    for (width, depth) in [(5, 13_107), (2, 32_768)] {
        let field = Heightfield::from_fn(Grid::new(width, depth, 1.0).unwrap(), |column, row| {
            (column * row % 7) as f32
        });
        let triangulation =
            Triangulation::new(&field, Method::Grid, Bound::Error(ERROR), &Work::new()).unwrap();
        let mesh = Mesh::new(&field, &triangulation);
        let bytes = std::fs::read(written(folder.path(), "long.glb", &mesh, None)).unwrap();
        let (found, file) = read_glb(&bytes);
        assert_eq!(found.triangles, mesh.triangles);
        let kind = file.accessors().nth(3).unwrap().data_type();
        let is_short = width * depth < 65_536;
        assert_eq!(kind == gltf::accessor::DataType::U16, is_short, "{width}×{depth}: {kind:?}");
    }
}

#[test]
fn an_obj_is_read_back_with_its_material() {
    let (folder, (field, mesh)) = (tempfile::tempdir().unwrap(), land());
    for texture in [None, Some(&colours())] {
        let path = written(folder.path(), "my land.obj", &mesh, texture);
        let (models, materials) = tobj::load_obj(&path, &tobj::GPU_LOAD_OPTIONS).unwrap();
        assert_eq!(models.len(), 1);
        let read = &models[0].mesh;
        let found = Found {
            positions: read.positions.as_chunks().0.iter().copied().map(Vec3::from_array).collect(),
            normals: read.normals.as_chunks().0.iter().copied().map(Vec3::from_array).collect(),
            uvs: read.texcoords.as_chunks().0.iter().map(|&[u, v]| vec2(u, 1.0 - v)).collect(),
            triangles: read.indices.as_chunks().0.to_vec(),
        };
        assert!(!found.normals.is_empty() && !found.uvs.is_empty());
        check(&found, &mesh, &field, "OBJ");
        if texture.is_some() {
            let material = &materials.unwrap()[read.material_id.unwrap()];
            assert_eq!(material.diffuse_texture.as_deref(), Some("my land.png"));
            check_picture(&std::fs::read(folder.path().join("my land.png")).unwrap());
        }
    }
}

#[test]
fn an_stl_is_read_back_and_a_solid_is_closed() {
    let (folder, (field, mesh)) = (tempfile::tempdir().unwrap(), land());
    let read = |name: &str, mesh: &Mesh| {
        let file = std::fs::File::open(written(folder.path(), name, mesh, None)).unwrap();
        stl_io::read_stl(&mut BufReader::new(file)).unwrap()
    };
    let stl = read("land.stl", &mesh);
    let found = Found {
        positions: stl.vertices.iter().map(|vertex| y_up([vertex[0], vertex[1], vertex[2]])).collect(),
        triangles: stl.faces.iter().map(|face| face.vertices.map(|vertex| vertex as u32)).collect(),
        ..Found::default()
    };
    check(&found, &mesh, &field, "STL");
    assert!(stl.validate().is_err(), "land without a floor is not closed");
    let solid = mesh.with_skirt(20.0).unwrap();
    let stl = read("solid.stl", &solid);
    stl.validate().unwrap();
    for face in &stl.faces {
        let [a, b, c] = face.vertices.map(|vertex| y_up([0, 1, 2].map(|axis| stl.vertices[vertex][axis])));
        let normal = y_up([face.normal[0], face.normal[1], face.normal[2]]);
        assert!((b - a).cross(c - a).normalize().dot(normal) > 0.999);
    }
}

/// Reads a binary PLY of floats at vertices and triangles, as its header describes it.
fn read_ply(bytes: &[u8]) -> (Found, String) {
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    let count = |element: &str| -> usize {
        let start = format!("element {element} ");
        header.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap().parse().unwrap()
    };
    let properties: Vec<&str> =
        header.lines().filter_map(|line| line.strip_prefix("property float ")).collect();
    assert!(header.contains("property list uchar int vertex_indices\n"));
    let mut rest = &bytes[end..];
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken
    };
    let mut found = Found::default();
    for _ in 0..count("vertex") {
        let mut values: Vec<f32> = Vec::new();
        properties.iter().for_each(|_| values.push(f32::from_le_bytes(take(4).try_into().unwrap())));
        let value =
            |name: &str| properties.iter().position(|property| *property == name).map(|index| values[index]);
        let point = |names: [&str; 3]| y_up(names.map(|name| value(name).unwrap()));
        found.positions.push(point(["x", "y", "z"]));
        found.normals.push(point(["nx", "ny", "nz"]));
        found.uvs.extend(value("s").zip(value("t")).map(|(s, t)| vec2(s, 1.0 - t)));
    }
    for _ in 0..count("face") {
        assert_eq!(take(1), [3]);
        found.triangles.push([0; 3].map(|_| i32::from_le_bytes(take(4).try_into().unwrap()) as u32));
    }
    assert!(rest.is_empty());
    (found, header)
}

#[test]
fn a_ply_is_read_back_with_the_name_of_its_texture() {
    let (folder, (field, mesh)) = (tempfile::tempdir().unwrap(), land());
    for texture in [None, Some(&colours())] {
        let bytes = std::fs::read(written(folder.path(), "land.ply", &mesh, texture)).unwrap();
        let (found, header) = read_ply(&bytes);
        check(&found, &mesh, &field, "PLY");
        assert_eq!(found.uvs.len(), texture.map_or(0, |_| mesh.uvs.len()));
        assert_eq!(header.contains("comment TextureFile land.png\n"), texture.is_some());
    }
    check_picture(&std::fs::read(folder.path().join("land.png")).unwrap());
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let (folder, (_, mesh)) = (tempfile::tempdir().unwrap(), land());
    let left = || std::fs::read_dir(folder.path()).unwrap().count();
    for name in ["land.stl", "land.fbx", "land", "nowhere/land.glb"] {
        assert!(
            formats::write(folder.path().join(name), &mesh, Some(&colours()), &Work::new()).is_err(),
            "{name}"
        );
        assert_eq!(left(), 0, "{name}");
    }
    let colours = colours();
    let textures = |name: &str| if name == "land.stl" { vec![None] } else { vec![None, Some(&colours)] };
    for name in ["land.glb", "land.obj", "land.stl", "land.ply"] {
        for texture in textures(name) {
            let work = Work::new();
            work.cancel();
            let path = folder.path().join(name);
            assert!(matches!(formats::write(&path, &mesh, texture, &work), Err(Error::Cancelled)), "{name}");
            assert_eq!(left(), 0, "{name}: nor are the files beside it");
        }
    }
    assert_eq!(files("land.obj", true).unwrap().len(), 3);
}
