//! Building landscapes in the background. These tests need a Vulkan device, a software one will do.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::scene::*;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use upland::plugin::{
    Headless, Terrain, TerrainFailed, TerrainGround, TerrainQuery, TerrainReady, TerrainStatus, TerrainView,
};
use upland::{Error, Grid, Heightfield, Landscape, Work};

const GREY: [u8; 4] = [128, 128, 128, 255];

fn flat(height: f32) -> upland::Landscape {
    let field = Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), height);
    Arc::unwrap_or_clone(plain(field, GREY))
}

/// What terrains reported, in order.
fn listen(headless: &mut Headless) -> Arc<Mutex<Vec<String>>> {
    let log = Arc::new(Mutex::new(vec![]));
    let (ready, failed) = (log.clone(), log.clone());
    headless
        .app_mut()
        .add_observer(move |_: On<TerrainReady>| ready.lock().unwrap().push("ready".to_owned()))
        .add_observer(move |event: On<TerrainFailed>| failed.lock().unwrap().push(event.error.clone()));
    log
}

fn height(headless: &Headless, terrain: Entity) -> Option<f32> {
    let ground = headless.app().world().get::<TerrainGround>(terrain)?;
    Some(ground.landscape.heightfield.at(0, 0))
}

fn status(headless: &Headless, terrain: Entity) -> TerrainStatus {
    headless.app().world().get::<TerrainStatus>(terrain).unwrap().clone()
}

/// Runs frames until `done`, until the time limit at most.
fn update_until(headless: &mut Headless, mut done: impl FnMut(&mut Headless) -> bool) {
    let start = Instant::now();
    while !done(headless) {
        assert!(start.elapsed() < TIME_LIMIT, "it takes too long");
        headless.update();
    }
}

/// A build that goes on until it is cancelled, and counts how often that was.
fn endless(started: Arc<AtomicUsize>, cancelled: Arc<AtomicUsize>) -> Terrain {
    Terrain::build(move |work: &Work| {
        started.fetch_add(1, Ordering::SeqCst);
        work.stage("waiting", 2);
        work.advance(1);
        let start = Instant::now();
        while start.elapsed() < TIME_LIMIT {
            if work.is_cancelled() {
                cancelled.fetch_add(1, Ordering::SeqCst);
                return Err(Error::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(flat(-1.0))
    })
}

#[test]
fn a_newer_build_cancels_the_one_under_way_which_never_blocks_a_frame() {
    let mut headless = stage(16, 16);
    let log = listen(&mut headless);
    let (started, cancelled) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let slow = endless(started.clone(), cancelled.clone());
    let terrain = headless.app_mut().world_mut().spawn(slow).id();
    update_until(&mut headless, |_| started.load(Ordering::SeqCst) == 1);
    headless.update();
    headless.update();
    let expected = TerrainStatus::Building { stage: "waiting".into(), fraction: 0.5 };
    assert_eq!(status(&headless, terrain), expected);

    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::build(|_| Ok(flat(7.0))));
    headless.settle(TIME_LIMIT).unwrap();
    assert_eq!(cancelled.load(Ordering::SeqCst), 1);
    assert_eq!(height(&headless, terrain), Some(7.0));
    assert_eq!(*log.lock().unwrap(), ["ready"], "the cancelled build is silent");
}

#[test]
fn a_terrain_that_goes_cancels_its_build() {
    let mut headless = stage(16, 16);
    let (started, cancelled) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let slow = endless(started.clone(), cancelled.clone());
    let terrain = headless.app_mut().world_mut().spawn(slow).id();
    update_until(&mut headless, |_| started.load(Ordering::SeqCst) == 1);
    headless.app_mut().world_mut().despawn(terrain);
    update_until(&mut headless, |_| cancelled.load(Ordering::SeqCst) == 1);
}

#[test]
fn the_old_landscape_stays_until_the_new_one_is_ready_and_when_it_fails() {
    let mut headless = stage(64, 64);
    let log = listen(&mut headless);
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    let pose = Transform::from_xyz(0.0, 120.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    camera(&mut headless, target, default(), pose);
    let terrain = headless.app_mut().world_mut().spawn(Terrain::build(|_| Ok(flat(3.0)))).id();
    let before = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(status(&headless, terrain), TerrainStatus::Ready);

    let failing = Terrain::build(|_| Err(Error::parameter("gain", "5 is too much; at most 4")));
    headless.app_mut().world_mut().entity_mut(terrain).insert(failing);
    assert!(headless.capture(TIME_LIMIT).unwrap() == before, "the picture is the old one");
    assert_eq!(status(&headless, terrain), TerrainStatus::Failed("gain: 5 is too much; at most 4".into()));
    assert_eq!(height(&headless, terrain), Some(3.0));

    let broken = Terrain::build(|_| panic!("a bug"));
    headless.app_mut().world_mut().entity_mut(terrain).insert(broken);
    headless.settle(TIME_LIMIT).unwrap();
    assert!(headless.capture(TIME_LIMIT).unwrap() == before, "nor does a panic take it away");

    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::build(|_| Ok(flat(60.0))));
    assert!(headless.capture(TIME_LIMIT).unwrap() != before);
    assert_eq!(height(&headless, terrain), Some(60.0));
    let log = log.lock().unwrap();
    assert_eq!(log[0], "ready");
    assert!(log[1].contains("at most 4") && log[2].contains("a bug"), "{log:?}");
    assert_eq!(log[3], "ready");
}

#[test]
fn a_field_wider_than_any_texture_of_the_device_is_drawn_with_water_too() {
    let mut headless = stage(16, 16);
    let field = Heightfield::flat(Grid::new(70_000, 3, 1.0).unwrap(), 0.0);
    let terrain = spawn(&mut headless, &plain(field.clone(), GREY));
    let target = headless.target();
    let pose = Transform::from_xyz(34_980.0, 4.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z);
    camera(&mut headless, target, TerrainView::default(), pose);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(status(&headless, terrain), TerrainStatus::Ready);
    assert!(picture.get_pixel(8, 8).0 != MAGENTA && picture.get_pixel(8, 0).0 == MAGENTA);

    let wet = Landscape { sea_level: Some(1.0), ..(*plain(field, GREY)).clone() };
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::ready(Arc::new(wet)));
    headless.settle(TIME_LIMIT).unwrap();
    assert_eq!(status(&headless, terrain), TerrainStatus::Ready);
}

#[test]
fn the_ground_can_be_asked_for_under_any_point() {
    let mut headless = stage(16, 16);
    let grid = Grid::new(11, 11, 10.0).unwrap();
    // Rises by 0.5 towards the east.
    let slope = Heightfield::from_fn(grid, |column, _| column as f32 * 5.0);
    let low = spawn(&mut headless, &plain(slope, GREY));
    let high = spawn(&mut headless, &plain(Heightfield::flat(grid, 0.0), GREY));
    let world = headless.app_mut().world_mut();
    world.entity_mut(low).insert(Transform::from_xyz(0.0, 10.0, 0.0).with_scale(Vec3::splat(2.0)));
    world.entity_mut(high).insert(Transform::from_xyz(80.0, 500.0, 0.0));
    headless.settle(TIME_LIMIT).unwrap();
    let answers = headless
        .app_mut()
        .world_mut()
        .run_system_once(move |terrains: TerrainQuery| {
            (
                terrains.ground(Vec3::new(-50.0, 0.0, 3.0)),
                terrains.ground(Vec3::new(70.0, -9.0, 3.0)).map(|ground| ground.terrain),
                terrains.ground_of(low, Vec3::new(101.0, 0.0, 0.0)),
            )
        })
        .unwrap();
    let ground = answers.0.unwrap();
    assert_eq!(ground.terrain, low);
    // 50 m west of the middle of a field of 200 m: a quarter of the way up to 2 · 50 m, and 10 m.
    assert!((ground.position - Vec3::new(-50.0, 35.0, 3.0)).length() < 1e-3, "{ground:?}");
    assert!((ground.normal - Vec3::new(-0.5, 1.0, 0.0).normalize()).length() < 1e-5, "{ground:?}");
    assert_eq!(answers.1, Some(high), "the higher of two");
    assert_eq!(answers.2, None, "beyond the border");
}
