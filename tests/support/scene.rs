//! A small landscape, a scene around it, and what the tests of the renderer measure in pictures.

use std::sync::Arc;
use std::time::Duration;

use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap};
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{Headless, Terrain, TerrainPlugin, TerrainView};
use upland::texture::ColourMap;
use upland::{Grid, Heightfield, Landscape};

pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(300);
/// A colour that no landscape has.
pub(crate) const MAGENTA: [u8; 4] = [255, 0, 255, 255];

/// Ridges of noise, 900 m high at most, highest in the north-west.
pub(crate) fn ridges(width: usize, depth: usize, cell: f32) -> Heightfield {
    let grid = Grid::new(width, depth, cell).unwrap();
    Heightfield::from_fn(grid, |column, row| {
        let (x, z) = (grid.unit_from_index(column) as f32, grid.unit_from_index(row) as f32);
        let mut height = 0.0;
        for octave in 0..7 {
            let frequency = 4.0 * (1 << octave) as f32;
            height += (1.0 - value_noise(x * frequency, z * frequency).abs()) / (1 << octave) as f32;
        }
        let to_north_west = (1.3 - (x * x + z * z).sqrt()).max(0.2);
        (height - 0.9).max(0.0) * 700.0 * to_north_west
    })
}

fn value_noise(x: f32, z: f32) -> f32 {
    let lattice = |x: f32, z: f32| {
        let hash = (x as u32).wrapping_mul(0x9E37_79B1) ^ (z as u32).wrapping_mul(0x85EB_CA77);
        let hash = (hash ^ (hash >> 15)).wrapping_mul(0x2C1B_3C6D);
        (hash ^ (hash >> 12)) as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (x0, z0) = (x.floor(), z.floor());
    let (tx, tz) = (smooth(x - x0), smooth(z - z0));
    let row = |z| lattice(x0, z) + (lattice(x0 + 1.0, z) - lattice(x0, z)) * tx;
    row(z0) + (row(z0 + 1.0) - row(z0)) * tz
}

/// A landscape all in one colour.
pub(crate) fn plain(heightfield: Heightfield, colour: [u8; 4]) -> Arc<Landscape> {
    let colour = ColourMap { width: 1, depth: 1, texels: vec![colour] };
    Arc::new(Landscape::new(heightfield, colour))
}

/// Ridges in the colours of their heights and slopes.
pub(crate) fn painted(width: usize, depth: usize, cell: f32) -> Arc<Landscape> {
    let heightfield = ridges(width, depth, cell);
    let (_, high) = heightfield.range();
    let texels = (0..width * depth)
        .map(|index| {
            let (column, row) = (index % width, index / width);
            let share = heightfield.at(column, row) / high;
            match (share, heightfield.slope_at(column, row)) {
                (_, slope) if slope > 38.0 => [105, 98, 92, 255],
                (share, _) if share > 0.6 => [235, 238, 245, 255],
                (share, _) if share > 0.3 => [70, 88, 45, 255],
                _ => [110, 125, 62, 255],
            }
        })
        .collect();
    let colour = ColourMap { width, depth, texels };
    Arc::new(Landscape::new(heightfield, colour))
}

/// An app with the terrain plugin, small shadow maps and a magenta background.
pub(crate) fn stage(width: u32, height: u32) -> Headless {
    let mut headless = Headless::new(width, height).unwrap();
    headless
        .app_mut()
        .add_plugins(TerrainPlugin)
        .insert_resource(ClearColor(Color::srgb_u8(255, 0, 255)))
        .insert_resource(DirectionalLightShadowMap { size: 1024 });
    headless
}

/// A sun that shines from a direction.
pub(crate) fn sun(headless: &mut Headless, from: Vec3) -> Entity {
    let shadows = CascadeShadowConfigBuilder {
        num_cascades: 2,
        first_cascade_far_bound: 800.0,
        maximum_distance: 6000.0,
        ..default()
    };
    let sun = DirectionalLight { illuminance: 10_000.0, shadow_maps_enabled: true, ..default() };
    let placement = Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y);
    headless.app_mut().world_mut().spawn((sun, shadows.build(), placement)).id()
}

/// A camera without anything that changes colours after lighting.
pub(crate) fn camera(
    headless: &mut Headless,
    target: RenderTarget,
    view: TerrainView,
    pose: Transform,
) -> Entity {
    let camera = (Camera3d::default(), Tonemapping::None, DebandDither::Disabled, Msaa::Off);
    headless.app_mut().world_mut().spawn((camera, target, view, pose)).id()
}

pub(crate) fn spawn(headless: &mut Headless, landscape: &Arc<Landscape>) -> Entity {
    headless.app_mut().world_mut().spawn(Terrain::ready(landscape.clone())).id()
}

/// How bright a pixel is, 0 to 255.
pub(crate) fn brightness(pixel: &image::Rgba<u8>) -> f32 {
    let [red, green, blue, _] = pixel.0.map(f32::from);
    (red + green + blue) / 3.0
}

/// Pixels where the ground is missing: the background's colour below the highest ground of their
/// column.
pub(crate) fn holes(picture: &RgbaImage) -> usize {
    let (width, height) = picture.dimensions();
    (0..width)
        .map(|x| {
            let is_background = |y: &u32| picture.get_pixel(x, *y).0 == MAGENTA;
            let first_ground = (0..height).find(|y| !is_background(y)).unwrap_or(height);
            (first_ground..height).filter(is_background).count()
        })
        .sum()
}
