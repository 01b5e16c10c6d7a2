//! Frames go on while all of rayon's threads are busy, as they are while a land is built: no system waits
//! for them. In a process of its own, since it keeps them busy. Needs a Vulkan device, a software one will
//! do.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::own_process::in_own_process;
use crate::scene::*;
use bevy::prelude::*;
use upland::plugin::{
    HeightMapping, Sky, SkyCamera, SkyPlugin, Terrain, TerrainGround, TerrainSides, TerrainSkin,
    TerrainStatus, TerrainView, WaterPlugin,
};
use upland::{Skin, Sun};

/// When threads stop being busy whatever happens, so that a frame that waits for them ends, and fails.
const PATIENCE: Duration = Duration::from_secs(300);

/// Keeps all of rayon's threads busy until it is dropped.
struct Busy {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    gave_up: Arc<AtomicBool>,
}

impl Busy {
    fn new() -> Self {
        let busy = Self { is_over: Arc::default(), gave_up: Arc::default() };
        let count = Arc::new(AtomicUsize::new(0));
        let (is_over, gave_up, counted) = (busy.is_over.clone(), busy.gave_up.clone(), count.clone());
        rayon::spawn_broadcast(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            let (is_over, changed) = &*is_over;
            let is_over = is_over.lock().unwrap();
            let (is_over, _) = changed.wait_timeout_while(is_over, PATIENCE, |is_over| !*is_over).unwrap();
            gave_up.fetch_or(!*is_over, Ordering::SeqCst);
        });
        while count.load(Ordering::SeqCst) < rayon::current_num_threads() {
            std::thread::yield_now();
        }
        busy
    }

    fn check(&self) {
        assert!(!self.gave_up.load(Ordering::SeqCst), "a frame waited for rayon");
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.is_over.0.lock().unwrap() = true;
        self.is_over.1.notify_all();
    }
}

/// Takes some seconds: the sky, the sea and the ground are drawn, whose shaders have to be compiled.
#[test]
fn frames_go_on_while_all_of_rayons_threads_are_busy() {
    if !in_own_process("busy::frames_go_on_while_all_of_rayons_threads_are_busy") {
        return;
    }
    let mut headless = stage(32, 18);
    headless.app_mut().add_plugins((SkyPlugin { shadow_map_size: 256 }, WaterPlugin));
    let target = headless.target();
    let landscape = painted(65, 65, 20.0);
    let flooded = Arc::new(upland::Landscape { sea_level: Some(50.0), ..(*landscape).clone() });
    let world = headless.app_mut().world_mut();
    let terrain = world.spawn((Terrain::ready(flooded.clone()), TerrainSides::default())).id();
    let sky = world.spawn(Sky::default()).id();
    let pose = Transform::from_xyz(0.0, 900.0, 900.0).looking_at(Vec3::ZERO, Vec3::Y);
    let camera = camera(&mut headless, target, TerrainView::default(), pose);
    headless.app_mut().world_mut().entity_mut(camera).insert(SkyCamera::default());
    headless.settle(TIME_LIMIT).unwrap();

    let other = ridges(33, 33, 40.0);

    let busy = Busy::new();
    let sun = Sun { bearing: 33.0, elevation: 11.0 };
    let world = headless.app_mut().world_mut();
    world.entity_mut(sky).insert(Sky { sun, ..Sky::default() });
    // A second one, whose light nobody has yet.
    world.spawn((Sky::default(), bevy::camera::visibility::RenderLayers::layer(7)));
    world.entity_mut(terrain).insert((
        TerrainSides { depth: 0.1, ..default() },
        HeightMapping { scale: 2.0, bias: 5.0 },
        TerrainSkin { skin: Skin::Arid, seed: 1 },
    ));
    let follows = |headless: &upland::plugin::Headless| {
        let light = headless.app().world().get::<Transform>(sky).unwrap();
        light.forward().dot(-sun.direction()) > 0.9999
    };
    while !follows(&headless) {
        headless.update();
        busy.check();
    }
    // The last one is built as long as threads are busy.
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::heightfield(other));
    for _ in 0..5 {
        headless.update();
        busy.check();
    }
    let status = headless.app().world().get::<TerrainStatus>(terrain).unwrap().clone();
    assert!(!status.is_settled(), "nothing was to be had of rayon: {status:?}");
    let before = &headless.app().world().get::<TerrainGround>(terrain).unwrap().landscape;
    assert!(Arc::ptr_eq(before, &flooded), "the old land stays");

    drop(busy);
    headless.settle(TIME_LIMIT).unwrap();
    assert_eq!(headless.app().world().get(terrain), Some(&TerrainStatus::Ready));
}
