//! A road over hills, a yard next to it, and a car that drives there and back. Every few seconds a point of
//! the road is moved: where the road has been, the land is as before.
//!
//! `cargo run --release --example roads` opens a window; it needs the feature `viewer` for that. Space moves
//! the point immediately.

use bevy::prelude::*;
use upland::plugin::{Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery};
use upland::{Cache, Recipe};

/// Metres along a side of the land, as the recipe says.
const SIDE: f32 = 2048.0;

/// Seconds between two moves of the point.
const MOVES: f32 = 6.0;

pub(crate) fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins(DefaultPlugins);
    game(&mut app);
    app.run()
}

/// Everything besides Bevy's own plugins.
pub fn game(app: &mut App) {
    app.add_plugins((TerrainPlugin, SkyPlugin::default()))
        .insert_resource(Plan { moved: 0, cache: Cache::default(), line: Vec::new() })
        .add_systems(Startup, setup)
        .add_systems(Update, (build, drive));
}

/// The planned road.
#[derive(Resource)]
struct Plan {
    /// How often its point has been moved.
    moved: u32,
    /// Cached results, so that only changed parts are rebuilt.
    cache: Cache,
    /// The middle of the road, metres east and south of the land's middle, one to two metres apart.
    line: Vec<Vec2>,
}

impl Plan {
    /// The road's points, as shares of the land's sides.
    fn points(&self) -> [Vec2; 8] {
        let bend = if self.moved.is_multiple_of(2) { (0.3, 0.45) } else { (0.36, 0.62) };
        [(0.02, 0.85), (0.17, 0.63), bend, (0.43, 0.5), (0.55, 0.52), (0.72, 0.5), (0.86, 0.52), (0.98, 0.4)]
            .map(Vec2::from)
    }

    /// The land is a list of steps, and a road is one of them: nothing is ever dug permanently.
    fn terrain(&mut self) -> upland::Result<Terrain> {
        let mut recipe = Recipe::from_ron(RECIPE, "a road")?;
        let points = self.points().map(|point| format!("({}, {})", point.x, point.y));
        recipe.set("steps.road.points", &format!("[{}]", points.join(", ")))?;
        let domain = recipe.domain()?;
        let roads = recipe.steps.iter().filter(|step| step.name() == "road");
        // The places whose height a road must know are those of its centre line.
        let line = roads.flat_map(|road| road.operation.places(&domain));
        self.line = line.map(|place| place.as_vec2() - SIDE / 2.0).collect();
        Ok(Terrain::from_recipe(recipe, &self.cache))
    }
}

/// Terrain types depend on the layer that roads and platforms write: built ground is gravel, and nothing
/// grows there.
const RECIPE: &str = include_str!("roads.ron");

#[derive(Component)]
struct Car;

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    commands.spawn(Sky::default());
    commands.spawn((
        Car,
        Mesh3d(meshes.add(Cuboid::new(2.2, 1.6, 4.5))),
        MeshMaterial3d(materials.add(Color::srgb(0.75, 0.1, 0.05))),
        Transform::default(),
    ));
    let pose = Transform::from_xyz(-430.0, 330.0, 420.0).looking_at(Vec3::new(-250.0, 60.0, 0.0), Vec3::Y);
    commands.spawn((SkyCamera::default(), pose));
}

/// Gives the terrain another recipe when the road moves: it is redrawn, the nearest tiles first.
fn build(
    mut commands: Commands,
    mut plan: ResMut<Plan>,
    terrain: Option<Single<Entity, With<Terrain>>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    time: Res<Time>,
) -> Result {
    let due = (time.elapsed_secs() / MOVES) as u32;
    let Some(terrain) = terrain else {
        commands.spawn(plan.terrain()?);
        return Ok(());
    };
    if keys.is_some_and(|keys| keys.just_pressed(KeyCode::Space)) || due > plan.moved {
        plan.moved += 1;
        // Replaces the component; the land that is drawn stays until tiles of the new one have come.
        commands.entity(*terrain).insert(plan.terrain()?);
    }
    Ok(())
}

/// Drives along the road, on the ground that queries find.
fn drive(
    time: Res<Time>,
    plan: Res<Plan>,
    terrains: TerrainQuery,
    mut car: Single<&mut Transform, With<Car>>,
) {
    let share = 0.5 - 0.5 * (0.05 * time.elapsed_secs()).cos();
    let number = (share * plan.line.len() as f32) as usize;
    let at = |number: usize| {
        let place = plan.line.get(number)?;
        terrains.ground(Vec3::new(place.x, 0.0, place.y)).map(|ground| (ground.position, ground.normal))
    };
    // No ground yet: the car waits.
    let (Some((here, up)), Some((ahead, _))) = (at(number), at(number + 2)) else { return };
    car.translation = here + 0.9 * Vec3::Y;
    car.look_at(ahead + 0.9 * Vec3::Y, up);
}
