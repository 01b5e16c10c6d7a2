//! How far the edge of the land against the sky lies from that of the finest mesh. This test needs a Vulkan
//! device, a software one will do.
use std::collections::HashSet;

use crate::scene::*;
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{Headless, Quality, TerrainView};
use upland::{Preset, Work};

/// Pixels of a view along a side of one of its pictures here are so many: less is lost to their rounding.
const FINER: f32 = 2.0;
/// How far from where they should be pixels of a silhouette are counted as off, in pixels of a view.
const OFF: f32 = 2.0;

/// Where the ground ends: pixels of it beside the background.
fn silhouette(picture: &RgbaImage) -> HashSet<(i32, i32)> {
    let is_sky = |x: i32, y: i32| {
        let pixel = (x as u32, y as u32);
        x >= 0 && y >= 0 && picture.get_pixel_checked(pixel.0, pixel.1).is_some_and(|p| p.0 == MAGENTA)
    };
    let places = (0..picture.height() as i32).flat_map(|y| (0..picture.width() as i32).map(move |x| (x, y)));
    places
        .filter(|&(x, y)| {
            !is_sky(x, y) && [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].iter().any(|p| is_sky(p.0, p.1))
        })
        .collect()
}

/// How many pixels of a silhouette are farther than [`OFF`] from all of the true one.
fn off(drawn: &HashSet<(i32, i32)>, truth: &HashSet<(i32, i32)>) -> usize {
    let reach = (OFF * FINER) as i32;
    let near: Vec<(i32, i32)> = (-reach..=reach)
        .flat_map(|y| (-reach..=reach).map(move |x| (x, y)))
        .filter(|(x, y)| x * x + y * y < reach * reach)
        .collect();
    drawn.iter().filter(|(x, y)| !near.iter().any(|(dx, dy)| truth.contains(&(x + dx, y + dy)))).count()
}

struct Stand {
    headless: Headless,
    camera: Entity,
}

impl Stand {
    fn silhouette(&mut self, view: TerrainView, pose: Transform) -> HashSet<(i32, i32)> {
        let view = TerrainView {
            pixel_error: FINER * view.pixel_error,
            quad_pixels: FINER * view.quad_pixels,
            texel_pixels: FINER * view.texel_pixels,
            far_shadows: 0,
            ..view
        };
        self.headless.app_mut().world_mut().entity_mut(self.camera).insert((view, pose));
        silhouette(&self.headless.capture(TIME_LIMIT).unwrap())
    }
}

#[test]
fn silhouettes_of_ultra_quality_are_within_two_pixels_of_those_of_the_finest_mesh() {
    let recipe = Preset::find("wild-highlands").unwrap().recipe().unwrap().with_longer_side(513);
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    let side = field.grid().cell * 512.0;
    let place = |east: f32, south: f32, above: f32| {
        let height = field.at((east * 512.0) as usize, (south * 512.0) as usize);
        Vec3::new((east - 0.5) * side, height + above, (south - 0.5) * side)
    };
    let views = [
        (place(0.5, 0.9, 30.0), place(0.5, 0.5, 30.0)),
        (place(0.8, 0.2, 400.0), place(0.4, 0.5, 200.0)),
        (place(0.3, 0.3, 10.0), place(0.5, 0.5, 100.0)),
    ];
    let mut headless = stage((384.0 * FINER) as u32, (216.0 * FINER) as u32);
    spawn(&mut headless, &plain(field, [110, 125, 62, 255]));
    let target = headless.target();
    let camera = camera(&mut headless, target, TerrainView::LIGHT, Transform::IDENTITY);
    let mut stand = Stand { headless, camera };

    let finest =
        TerrainView { pixel_error: 0.01, quad_pixels: 0.5, texel_pixels: 0.25, ..TerrainView::LIGHT };
    let qualities = [Quality::Ultra, Quality::High, Quality::Low];
    let (mut pixels, mut pixels_off) = (0, [0; 3]);
    for (from, at) in views {
        let pose = Transform::from_translation(from).looking_at(at, Vec3::Y);
        let truth = stand.silhouette(finest, pose);
        assert!(truth.len() > 600, "there is a silhouette: {} pixels", truth.len());
        pixels += truth.len();
        for (quality, pixels_off) in qualities.iter().zip(&mut pixels_off) {
            let view = TerrainView { shading: TerrainView::LIGHT.shading, ..quality.view() };
            *pixels_off += off(&stand.silhouette(view, pose), &truth);
        }
    }
    let [ultra, high, low] = pixels_off;
    println!("of {pixels} pixels are off: ultra {ultra}, high {high}, low {low}");
    assert!(ultra * 1000 <= pixels, "{ultra} of {pixels} pixels are two pixels off or more");
    assert!(ultra <= high && high < low, "larger quads show: {pixels_off:?}");
}
