//! Colliders of terrains. None of it takes a graphics card or a camera.

#[cfg(feature = "avian")]
mod avian;
#[cfg(any(feature = "avian", feature = "rapier"))]
mod laws;
#[cfg(feature = "rapier")]
mod rapier;
mod streamed;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use bevy::time::{TimePlugin, TimeUpdateStrategy};

use super::worker::Worker;
use super::*;
use crate::plugin::device::TexelUploadPlugin;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::HeightMapping;
use crate::plugin::stream::Stream;
use crate::plugin::terrain::{BuildPlugin, Terrain, TerrainGround, TerrainStatus};
use crate::{Grid, Heightfield, Preset, Recipe, Work};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Frames in a second, which pass without waiting: as many as steps of physics.
const FRAMES: u32 = 64;

/// A game without a window or a renderer, as a server is.
fn game() -> App {
    let mut app = App::new();
    app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default(), TexelUploadPlugin))
        .add_plugins((TransformPlugin, TimePlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / FRAMES))
        .init_asset::<Image>()
        .init_asset::<Mesh>()
        .init_asset::<StandardMaterial>()
        .add_plugins((BuildPlugin, TerrainColliderPlugin));
    // Whether frames wait for tiles must not depend on how busy the machine is.
    app.world_mut().resource_mut::<Worker>().patience = f32::INFINITY;
    app
}

/// Spawns a terrain, and waits for it.
fn settle(app: &mut App, terrain: impl Into<Terrain>, placement: Transform) -> Entity {
    let terrain = app.world_mut().spawn((terrain.into(), placement)).id();
    let start = Instant::now();
    while app.world().get(terrain) != Some(&TerrainStatus::Ready) {
        let status = app.world().get::<TerrainStatus>(terrain);
        assert!(
            start.elapsed() < PATIENCE && !matches!(status, Some(TerrainStatus::Failed(_))),
            "{status:?}"
        );
        app.update();
    }
    app.update();
    terrain
}

/// Updates until all tiles that are needed are there.
fn finish(app: &mut App) {
    let start = Instant::now();
    loop {
        app.update();
        let statistics = app.world().resource::<ColliderStatistics>();
        if statistics.ordered == 0 && statistics.waiting == 0 {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{statistics:?}");
    }
    app.update();
}

fn preset(name: &str) -> Recipe {
    Preset::find(name).unwrap().recipe().unwrap()
}

/// Heights that rise by a half towards the east, with a ridge every 50 m.
fn ramp() -> Heightfield {
    Heightfield::from_fn(Grid::new(101, 81, 10.0).unwrap(), |column, row| {
        column as f32 * 5.0 + 20.0 * (row % 5 == 0) as u8 as f32
    })
}

/// The height of the ground at a place of the world, as a terrain has it exactly.
fn exact(app: &App, terrain: Entity, place: Vec3) -> Option<f32> {
    let entity = app.world().entity(terrain);
    let (stream, ground) = (entity.get::<Stream>()?, entity.get::<TerrainGround>()?);
    let (mapping, transform) = (entity.get::<HeightMapping>()?, entity.get::<GlobalTransform>()?);
    let placement = crate::plugin::material::LandPlacement::new(
        entity.get::<PrecisePlace>()?.or(transform),
        ground.origin,
        *mapping,
    )?;
    let p = placement.land_from_world.transform_point3(place.as_dvec3());
    let found = stream.source().ground(DVec2::new(p.x, p.z), &Work::new()).ok()?.ground;
    let drawn = DVec3::new(p.x, f64::from(mapping.map(found.height)), p.z);
    Some(placement.world_from_land.transform_point3(drawn).y as f32)
}

/// The highest ground of all colliders at a place of the world.
fn of_colliders(app: &mut App, place: Vec3) -> Option<f32> {
    let mut colliders = app.world_mut().query::<(&TerrainCollider, &Transform)>();
    let heights = colliders.iter(app.world()).filter_map(|(collider, transform)| {
        let p = (transform.rotation.inverse() * (place - transform.translation)) / collider.scale;
        let heights = collider.tile.mesh().heights_at(p.x, p.z);
        let drawn = heights.into_iter().map(|height| height * collider.scale.y);
        drawn.max_by(f32::total_cmp).map(|height| height + transform.translation.y)
    });
    heights.max_by(f32::total_cmp)
}

/// Places round another, within a distance.
fn around(place: Vec3, away: f32, count: u32) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |number| {
        let share = ((number * 37 % 101) as f32 + 0.5) / 101.0;
        place + Quat::from_rotation_y(number as f32 * 2.4) * Vec3::X * away * share.sqrt()
    })
}
