//! Meshes displaced on the device against meshes displaced on the CPU. These tests need a Vulkan device, a
//! software one will do.
use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use image::RgbaImage;
use upland::Heightfield;
use upland::plugin::{
    DisplacedMaterial, Displacement, DisplacementFailed, DisplacementPlugin, HeightMapLayout, TerrainView,
};

use crate::scene::{TIME_LIMIT, brightness, camera, ridges, stage, sun};

const SIDE: usize = 65;
const CELL: f32 = 30.0;

/// A level mesh with a vertex at every sample of a field.
fn level(field: &Heightfield) -> Mesh {
    let grid = field.grid();
    let place = |index: usize| (index % grid.width, index / grid.width);
    let positions: Vec<[f32; 3]> = (0..grid.count())
        .map(place)
        .map(|(x, z)| [(x as f32 - 32.0) * CELL, 0.0, (z as f32 - 32.0) * CELL])
        .collect();
    let uvs: Vec<[f32; 2]> =
        (0..grid.count()).map(place).map(|(x, z)| [x as f32 / 64.0, z as f32 / 64.0]).collect();
    let mut indices = vec![];
    for (x, z) in (0..grid.count()).map(place).filter(|&(x, z)| x + 1 < grid.width && z + 1 < grid.depth) {
        let [a, b] = [z * grid.width + x, (z + 1) * grid.width + x].map(|index| index as u32);
        indices.extend([a, b, a + 1, a + 1, b, b + 1]);
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::all())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; positions.len()])
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U32(indices))
}

/// What is drawn of a mesh.
enum Drawn {
    Displaced(Displacement),
    AsItIs,
}

fn picture(mesh: Mesh, drawn: impl FnOnce(&mut Assets<Image>) -> Drawn, size: f32) -> RgbaImage {
    let mut headless = stage(200, 140);
    headless.app_mut().add_plugins(DisplacementPlugin);
    let target = headless.target();
    let pose = Transform::from_xyz(0.2 * size, 0.75 * size, size).looking_at(Vec3::ZERO, Vec3::Y);
    camera(&mut headless, target, TerrainView::default(), pose);
    sun(&mut headless, Vec3::new(-1.0, 0.5, 0.3));
    let world = headless.app_mut().world_mut();
    let drawn = drawn(&mut world.resource_mut::<Assets<Image>>());
    let base =
        StandardMaterial { base_color: Color::srgb(0.6, 0.5, 0.4), perceptual_roughness: 0.9, ..default() };
    let mesh = Mesh3d(world.resource_mut::<Assets<Mesh>>().add(mesh));
    match drawn {
        Drawn::Displaced(extension) => {
            let material = DisplacedMaterial { base, extension };
            let material = world.resource_mut::<Assets<DisplacedMaterial>>().add(material);
            world.spawn((mesh, MeshMaterial3d(material)));
        }
        Drawn::AsItIs => {
            let material = world.resource_mut::<Assets<StandardMaterial>>().add(base);
            world.spawn((mesh, MeshMaterial3d(material)));
        }
    }
    headless.capture(TIME_LIMIT).unwrap()
}

/// The mean difference of brightness, 0 to 255, and the share of pixels that differ by more than 12.
fn difference(a: &RgbaImage, b: &RgbaImage) -> (f32, f32) {
    let by: Vec<f32> =
        a.pixels().zip(b.pixels()).map(|(a, b)| (brightness(a) - brightness(b)).abs()).collect();
    let far = by.iter().filter(|by| **by > 12.0).count();
    (by.iter().sum::<f32>() / by.len() as f32, far as f32 / by.len() as f32)
}

#[test]
fn a_displaced_plane_is_the_land_displaced_on_the_cpu_with_its_shadows() {
    let field = ridges(SIDE, SIDE, CELL);
    let mut on_cpu = level(&field);
    let grid = field.grid();
    let Some(VertexAttributeValues::Float32x3(positions)) = on_cpu.attribute_mut(Mesh::ATTRIBUTE_POSITION)
    else {
        panic!("positions are vectors")
    };
    for (index, position) in positions.iter_mut().enumerate() {
        position[1] = field.at(index % grid.width, index / grid.width);
    }
    let normals: Vec<[f32; 3]> = (0..grid.count())
        .map(|index| {
            let (x, z) = (index % grid.width, index / grid.width);
            let along = |low: (usize, usize), high: (usize, usize)| {
                let apart = (high.0 - low.0 + high.1 - low.1) as f32 * CELL;
                (field.at(high.0, high.1) - field.at(low.0, low.1)) / apart
            };
            let east = along((x.max(1) - 1, z), ((x + 1).min(SIDE - 1), z));
            let south = along((x, z.max(1) - 1), (x, (z + 1).min(SIDE - 1)));
            Vec3::new(-east, 1.0, -south).normalize().to_array()
        })
        .collect();
    on_cpu.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals);
    let size = SIDE as f32 * CELL;
    let cpu = picture(on_cpu, |_| Drawn::AsItIs, size);
    let flat = picture(level(&field), |_| Drawn::AsItIs, size);
    let device =
        picture(level(&field), |images| Drawn::Displaced(Displacement::of_heightfield(&field, images)), size);
    // Vertices are the same. Normals are interpolated over triangles on the one and over quads on the other,
    // which differs within the quads of sharp ridges alone.
    let (mean, far) = difference(&cpu, &device);
    assert!(mean < 2.0 && far < 0.03, "mean difference {mean}, {far} of all pixels far off");
    let (mean, far) = difference(&flat, &device);
    assert!(mean > 5.0 && far > 0.2, "it is displaced: {mean}, {far}");
}

#[test]
fn a_sphere_displaced_by_a_level_map_is_a_larger_sphere() {
    let sphere = |radius: f32| Sphere::new(radius).mesh().uv(64, 32);
    let larger = picture(sphere(1.5), |_| Drawn::AsItIs, 3.0);
    let displaced = picture(
        sphere(1.0),
        |images| {
            let size = Extent3d { width: 4, height: 2, depth_or_array_layers: 1 };
            let texels = [0.25f32; 8].iter().flat_map(|value| value.to_le_bytes()).collect();
            let usages = RenderAssetUsages::RENDER_WORLD;
            let map = Image::new(size, TextureDimension::D2, texels, TextureFormat::R32Float, usages);
            let map = images.add(map);
            Drawn::Displaced(Displacement {
                bias: 0.25,
                layout: HeightMapLayout::Globe,
                ..Displacement::new(map, 1.0)
            })
        },
        3.0,
    );
    let (mean, far) = difference(&larger, &displaced);
    assert!(mean < 0.5 && far < 0.002, "mean difference {mean}, {far} of all pixels far off");
}

/// The errors that were told.
#[derive(Resource, Default)]
struct Told(Vec<String>);

#[test]
fn a_mesh_without_normals_or_texture_coordinates_is_told_once_and_drawn_as_it_is() {
    let mut headless = stage(32, 32);
    headless.app_mut().add_plugins(DisplacementPlugin).init_resource::<Told>();
    headless.app_mut().add_observer(|failed: On<DisplacementFailed>, mut told: ResMut<Told>| {
        told.0.push(failed.error.clone());
    });
    let target = headless.target();
    let pose = Transform::from_xyz(0.0, 2.0, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
    camera(&mut headless, target, TerrainView::default(), pose);
    let world = headless.app_mut().world_mut();
    let material = DisplacedMaterial {
        base: StandardMaterial { unlit: true, ..Color::WHITE.into() },
        extension: Displacement::new(Handle::default(), 1.0),
    };
    let material = world.resource_mut::<Assets<DisplacedMaterial>>().add(material);
    let mut bare = Mesh::from(Plane3d::default().mesh().size(8.0, 8.0));
    bare.remove_attribute(Mesh::ATTRIBUTE_UV_0);
    bare.remove_attribute(Mesh::ATTRIBUTE_NORMAL);
    let bare = world.resource_mut::<Assets<Mesh>>().add(bare);
    world.spawn((Mesh3d(bare), MeshMaterial3d(material)));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(picture.get_pixel(16, 16).0, [255; 4]);
    let told = &headless.app().world().resource::<Told>().0;
    let [told] = &told[..] else { panic!("told {} times", told.len()) };
    assert!(told.contains("no normals and no texture coordinates"), "{told}");
}
