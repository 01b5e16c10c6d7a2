//! A road over hills, a yard beside it, and a car that drives there and back. Every few seconds a point of the road is
//! moved: the land is as it was where the road has been.
//!
//! `cargo run --release --example roads` opens a window; it needs the feature `viewer` for that. Space moves the point at
//! once.

use bevy::prelude::*;
use upland::plugin::{Sky, SkyCamera, SkyPlugin, Terrain, TerrainPlugin, TerrainQuery};
use upland::{Cache, Recipe};

/// Metres along a side of the land, as the recipe says.
const SIDE: f32 = 1024.0;

/// Seconds between two moves of the point.
const MOVES: f32 = 6.0;

fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins(DefaultPlugins);
    game(&mut app);
    app.run()
}

/// What there is beside Bevy's own plugins.
pub fn game(app: &mut App) {
    app.add_plugins((TerrainPlugin, SkyPlugin::default()))
        .insert_resource(Plan { moved: 0, cache: Cache::default() })
        .add_systems(Startup, setup)
        .add_systems(Update, (build, drive));
}

/// Where the road is to be.
#[derive(Resource)]
struct Plan {
    /// How many times its point has been moved.
    moved: u32,
    /// What has been built before, so that only what changes is built anew.
    cache: Cache,
}

impl Plan {
    /// The road's points, as shares of the land's sides.
    fn points(&self) -> [Vec2; 5] {
        let bend = if self.moved.is_multiple_of(2) { 0.3 } else { 0.62 };
        [(0.02, 0.4), (0.25, 0.48), (0.5, bend), (0.75, 0.55), (0.98, 0.45)].map(Vec2::from)
    }

    /// The land is a list of steps, and a road is one of them: nothing is ever dug for good.
    fn recipe(&self) -> upland::Result<Recipe> {
        let mut recipe = Recipe::from_ron(RECIPE, "a road")?;
        let points = self.points().map(|point| format!("({}, {})", point.x, point.y));
        recipe.set("steps.road.points", &format!("[{}]", points.join(", ")))?;
        Ok(recipe)
    }
}

/// Terrain types depend on the layer that roads and platforms write: made ground is gravel, and no grass grows there.
const RECIPE: &str = r##"(
    version: 1, name: "A road", seed: 4, size: (257, 257), cell: 4,
    steps: [
        fbm(height: 130, frequency: 2.5),
        platform(points: [(0.27, 0.43)], turn: 20, reach: 40),
        road(width: 8, max_grade: 7, reach: 50),
    ],
    texture: custom(elevation_unit: metres, types: [
        (name: "grass", colour: "#5f7338", tile: (image: "grass", size: 4), slope: (max: 30, release: 8),
            factors: (layer: (name: "road", max: 0.2, release: 0.6)), variation: 0.4),
        (name: "soil", colour: "#7d6b50", tile: (image: "scree", size: 6), slope: (min: 30, release: 6),
            factors: (layer: (name: "road", max: 0.2, release: 0.6)), variation: 0.3),
        (name: "gravel", colour: "#8f877b", tile: (image: "gravel", size: 3),
            factors: (layer: (name: "road", min: 0.8, release: 0.6))),
    ]),
)"##;

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
    let pose = Transform::from_xyz(-120.0, 150.0, 330.0).looking_at(Vec3::new(0.0, 20.0, -40.0), Vec3::Y);
    commands.spawn((SkyCamera::default(), pose));
}

/// Gives the terrain another recipe when the road is to be elsewhere: it is drawn anew, the nearest tiles first.
fn build(
    mut commands: Commands,
    mut plan: ResMut<Plan>,
    terrain: Option<Single<Entity, With<Terrain>>>,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    time: Res<Time>,
) -> Result {
    let due = (time.elapsed_secs() / MOVES) as u32;
    let Some(terrain) = terrain else {
        commands.spawn(Terrain::from_recipe(plan.recipe()?, &plan.cache));
        return Ok(());
    };
    if keys.is_some_and(|keys| keys.just_pressed(KeyCode::Space)) || due > plan.moved {
        plan.moved += 1;
        commands.entity(*terrain).insert(Terrain::from_recipe(plan.recipe()?, &plan.cache));
    }
    Ok(())
}

/// Drives from point to point, on the ground that queries find.
fn drive(
    time: Res<Time>,
    plan: Res<Plan>,
    terrains: TerrainQuery,
    mut car: Single<&mut Transform, With<Car>>,
) {
    let points = plan.points();
    let last = (points.len() - 1) as f32;
    let share = 0.5 - 0.5 * (0.2 * time.elapsed_secs()).cos();
    let at = |share: f32| {
        let place = (share.clamp(0.0, 1.0) * last).min(last - 1e-3);
        let (index, rest) = (place as usize, place.fract());
        let place = (points[index].lerp(points[index + 1], rest) - 0.5) * SIDE;
        terrains.ground(Vec3::new(place.x, 0.0, place.y)).map(|ground| (ground.position, ground.normal))
    };
    let (Some((here, up)), Some((ahead, _))) = (at(share), at(share + 0.01)) else { return };
    car.translation = here + 0.9 * Vec3::Y;
    if ahead.distance(here) > 0.1 {
        car.look_at(ahead + 0.9 * Vec3::Y, up);
    }
}
