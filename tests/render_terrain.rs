//! What must be in pictures of terrains. These tests need a Vulkan device, a software one will do.
#![cfg(feature = "bevy")]

mod common;

use bevy::prelude::*;
use common::*;
use upland::plugin::{DebugView, Shading, TerrainView};

#[test]
fn scratch() {
    let mut headless = stage(640, 360);
    let landscape = painted(1025, 1025, 8.0);
    spawn(&mut headless, &landscape);
    sun(&mut headless, Vec3::new(-1.0, 0.7, 0.6));
    let pose = Transform::from_xyz(1500.0, 1100.0, 3500.0).looking_at(Vec3::new(-800.0, 100.0, 0.0), Vec3::Y);
    let target = headless.target();
    let camera = camera(&mut headless, target, TerrainView::default(), pose);
    let now = std::time::Instant::now();
    for (name, shading, debug) in [
        ("full", Shading::Full, DebugView::None),
        ("simple", Shading::Simple, DebugView::None),
        ("slope", Shading::Simple, DebugView::Slope),
        ("contours", Shading::Simple, DebugView::Contours),
        ("normals", Shading::Simple, DebugView::Normals),
        ("levels", Shading::Simple, DebugView::Levels),
    ] {
        headless.app_mut().world_mut().entity_mut(camera).insert(TerrainView { shading, debug, ..default() });
        let picture = headless.capture(TIME_LIMIT).unwrap();
        picture.save(format!("/tmp/s/render-{name}.png")).unwrap();
        println!("{name} {:?} holes {}", now.elapsed(), holes(&picture));
    }
}
