//! An agent that computes the costs of the land, finds the cheapest path over a pass, and walks it.
//!
//! `cargo run --example agents` opens a window on mountains; it needs the feature `viewer` for the window.

mod common;

use bevy::prelude::*;
use upland::Preset;
use upland::agents::{CostRules, Pace};
use upland::plugin::{CostArea, Terrain, TerrainCosts, TerrainPlugin, TerrainQuery, TerrainReady};

/// Its start and its goal: x and z, metres.
const FROM: Vec2 = Vec2::new(-1400.0, 6900.0);
const TO: Vec2 = Vec2::new(800.0, -2400.0);

pub(crate) fn main() -> AppExit {
    let mut app = App::new();
    app.add_plugins((common::plugins(), TerrainPlugin))
        .add_systems(Startup, setup)
        .add_systems(Update, (find_way, walk).chain())
        .add_observer(ask);
    app.run()
}

/// The agent, and the remaining points of its path.
#[derive(Component, Default)]
struct Agent {
    way: Vec<Vec3>,
}

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let land = Preset::find("high-range").and_then(|preset| preset.recipe().ok());
    let Some(land) = land else { return };
    commands.spawn(Terrain::from(land.with_longer_side(1025)));
    commands.spawn((
        Agent::default(),
        Mesh3d(meshes.add(Capsule3d::new(60.0, 160.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.95, 0.2, 0.1))),
        Transform::from_xyz(FROM.x, 0.0, FROM.y),
    ));
    commands.spawn((
        DirectionalLight { shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(-1.0, 0.7, 0.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(-7500.0, 6500.0, 9000.0).looking_at(Vec3::new(0.0, 1200.0, 0.0), Vec3::Y),
    ));
}

/// As soon as the land is ready, the agent requests the costs of its ground. The answer takes some frames.
fn ask(
    ready: On<TerrainReady>,
    terrains: TerrainQuery,
    agents: Query<(Entity, &Transform), With<Agent>>,
    mut commands: Commands,
) {
    let rules = CostRules { max_slope: 38.0, pace: Pace::Tobler, ..default() };
    for (agent, place) in &agents {
        // All ground within 12 km, with samples about 25 m apart.
        if let Some(costs) = terrains.costs(ready.entity, place.translation, 12_000.0, 25.0, &rules) {
            // As a component of the agent the request is withdrawn if the agent is despawned.
            commands.entity(agent).insert(costs);
        }
    }
}

/// When the costs are known, it finds its path.
fn find_way(
    terrains: TerrainQuery,
    mut agents: Query<(Entity, &mut Agent, &mut TerrainCosts)>,
    mut commands: Commands,
) {
    for (entity, mut agent, mut costs) in &mut agents {
        let area: CostArea = match costs.take() {
            None => continue,
            Some(Ok(area)) => area,
            Some(Err(error)) => {
                error!("the costs are not known: {error}");
                continue;
            }
        };
        let [from, to] = [FROM, TO].map(|end| Vec3::new(end.x, 0.0, end.y));
        match terrains.path(&area, from, to) {
            Ok(way) => {
                info!("the path has {} bends", way.len());
                agent.way = way;
            }
            Err(error) => error!("there is no path: {error}"),
        }
        // Kept for the next search, which may start from here.
        commands.entity(entity).remove::<TerrainCosts>().insert(area);
    }
}

/// Walks on, a thousand times as fast as a hiker, on the ground as it is known now.
fn walk(
    time: Res<Time>,
    terrains: TerrainQuery,
    mut agents: Query<(&mut Agent, &mut Transform)>,
    mut gizmos: Gizmos,
) {
    for (mut agent, mut place) in &mut agents {
        gizmos.linestrip(agent.way.iter().map(|point| *point + 20.0 * Vec3::Y), Color::WHITE);
        let Some(next) = agent.way.first().copied() else { continue };
        let ahead = (next - place.translation).xz();
        let step = 1400.0 * time.delta_secs();
        if ahead.length() <= step {
            agent.way.remove(0);
        }
        let step = ahead.clamp_length_max(step);
        place.translation += Vec3::new(step.x, 0.0, step.y);
        // The ground again in each frame: it becomes finer as the camera comes nearer.
        if let Some(ground) = terrains.ground(place.translation) {
            place.translation.y = ground.position.y + 140.0;
        }
    }
}
