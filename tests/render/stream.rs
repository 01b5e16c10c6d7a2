//! What must be in every frame of a flight, whatever has arrived. These tests need a Vulkan device, a
//! software one will do.
use crate::scene::*;
use bevy::prelude::*;
use upland::plugin::{
    FloatingOrigin, FloatingOriginPlugin, Headless, Terrain, TerrainBudget, TerrainStatus, TerrainView,
    WorldOrigin,
};
use upland::{Cache, Preset, Recipe};

/// Land without an end, below a camera that sees nothing but ground.
struct Flight {
    headless: Headless,
    terrain: Entity,
    camera: Entity,
    recipe: Recipe,
    cache: Cache,
}

impl Flight {
    fn new(from: Vec3, budget: TerrainBudget) -> Self {
        let mut recipe = Preset::find("endless-highlands").unwrap().recipe().unwrap();
        recipe.size = (65, 65);
        let cache = Cache::default();
        let mut headless = stage(96, 54);
        headless.app_mut().add_plugins(FloatingOriginPlugin).insert_resource(budget);
        let terrain = headless.app_mut().world_mut().spawn(Terrain::from_recipe(recipe.clone(), &cache)).id();
        let target = headless.target();
        let pose = Transform::from_translation(from).looking_to(Vec3::new(0.8, -0.9, 0.3), Vec3::Y);
        let camera = camera(&mut headless, target, TerrainView::LIGHT, pose);
        headless.app_mut().world_mut().entity_mut(camera).insert(FloatingOrigin);
        let mut flight = Self { headless, terrain, camera, recipe, cache };
        while !flight.is_ready() {
            flight.headless.update();
        }
        // Bevy prepares a new material within a few frames.
        for _ in 0..5 {
            flight.headless.update();
        }
        flight
    }

    fn is_ready(&self) -> bool {
        match self.headless.app().world().get(self.terrain) {
            Some(TerrainStatus::Failed(error)) => panic!("{error}"),
            status => status == Some(&TerrainStatus::Ready),
        }
    }

    fn fly(&mut self, way: Vec3) {
        let mut pose = self.headless.app_mut().world_mut().get_mut::<Transform>(self.camera).unwrap();
        pose.translation += way;
        pose.rotate_y(0.02);
        self.headless.update();
    }

    fn edit(&mut self, seed: u64) {
        self.recipe.seed = seed;
        let terrain = Terrain::from_recipe(self.recipe.clone(), &self.cache);
        self.headless.app_mut().world_mut().entity_mut(self.terrain).insert(terrain);
    }

    /// How many pixels show no ground.
    fn holes(&self) -> usize {
        self.headless.last_frame().unwrap().pixels().filter(|pixel| pixel.0 == MAGENTA).count()
    }
}

#[test]
fn no_frame_of_a_flight_has_a_hole_while_tiles_arrive_and_the_land_changes() {
    for (budget, way) in [
        (TerrainBudget::default(), Vec3::new(3.0, -0.5, 1.0)),
        (TerrainBudget { device_bytes: 0, upload_bytes: 0, ..default() }, Vec3::new(70.0, 0.0, 10.0)),
    ] {
        let mut flight = Flight::new(Vec3::new(100.0, 3000.0, -50.0), budget);
        for frame in 0..45 {
            flight.fly(way);
            assert_eq!(flight.holes(), 0, "frame {frame}");
            if frame % 20 == 19 {
                flight.edit(frame);
            }
        }
    }
}

#[test]
fn a_thousand_kilometres_away_is_ground_too_and_a_camera_that_is_nowhere_does_no_harm() {
    let mut flight = Flight::new(Vec3::new(0.0, 3000.0, 0.0), TerrainBudget::default());
    for nowhere in
        [Vec3::NAN, Vec3::new(1e9, 900.0, 0.0), Vec3::new(0.0, -20_000.0, 0.0), Vec3::splat(f32::MAX)]
    {
        let place = |flight: &mut Flight, place: Vec3| {
            let mut pose = flight.headless.app_mut().world_mut().get_mut::<Transform>(flight.camera).unwrap();
            pose.translation = place;
        };
        place(&mut flight, nowhere);
        flight.headless.update();
        flight.headless.update();
        let origin = flight.headless.app().world().resource::<WorldOrigin>().0.as_vec3();
        let back = if origin.is_finite() { -origin } else { Vec3::ZERO };
        place(&mut flight, back + Vec3::Y * 3000.0);
    }
    flight.fly(Vec3::new(1e6, 0.0, -7e5));
    let picture = flight.headless.capture(TIME_LIMIT).unwrap();
    assert!(picture.pixels().all(|pixel| pixel.0 != MAGENTA));
    let origin = flight.headless.app().world().resource::<WorldOrigin>().0;
    assert!((origin.x - 1e6).abs() < 5000.0 && (origin.z + 7e5).abs() < 5000.0, "{origin}");
}
