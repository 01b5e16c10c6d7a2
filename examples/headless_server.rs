//! A server: no window, no renderer, no graphics device. Players walk over endless land, and the server knows
//! the ground under their feet, from queries and from colliders for a physics engine of its own.
//!
//! `cargo run --release --example headless_server` runs until it is stopped; with `-- --ticks 100` it ends
//! after this many ticks, once all colliders have been made.

use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use upland::plugin::{
    ColliderNeed, ColliderStatistics, GroundProbe, Terrain, TerrainAnchor, TerrainColliderPlugin,
    TerrainFailed, TerrainPlugin, TerrainQuery, TerrainReady, terrains_ready,
};
use upland::{Cache, Preset};

/// A server's tick, and the metres that a player walks in it.
const TICK: Duration = Duration::from_millis(33);
const STEP: f32 = 0.15;

pub(crate) fn main() -> AppExit {
    let ticks = std::env::args().skip_while(|argument| argument != "--ticks").nth(1);
    let ticks = ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(u64::MAX);
    App::new()
        .add_plugins((
            MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(TICK)),
            // Bevy's plugins that upland needs without a renderer: transforms, and assets for recipes.
            TransformPlugin,
            AssetPlugin::default(),
            TerrainPlugin,
            TerrainColliderPlugin,
        ))
        .add_observer(|_: On<TerrainReady>| println!("the land is there"))
        .add_observer(|failed: On<TerrainFailed>, mut exit: MessageWriter<AppExit>| {
            eprintln!("{}", failed.error);
            exit.write(AppExit::error());
        })
        .init_resource::<CollidersAreThere>()
        .add_systems(Startup, setup)
        .add_systems(Update, (walk, hear, count_colliders, end_after(ticks)).chain().run_if(terrains_ready))
        .run()
}

/// A player, by name, and the direction of its walk.
#[derive(Component)]
struct Player(&'static str, Vec3);

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("endless-highlands").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Terrain::from_recipe(recipe, &Cache::default()));
    for (name, place, way) in
        [("Ada", Vec3::new(50.0, 0.0, -20.0), Vec3::X), ("Blaise", Vec3::new(-4e4, 0.0, 9e4), Vec3::Z)]
    {
        // An anchor keeps fine tiles around its entity, as a camera does in a game that draws.
        let anchor = TerrainAnchor { reach: 150.0, spacing: 1.0 };
        // This keeps ground for bodies around it: an entity with a `TerrainCollider` for each tile.
        let need = ColliderNeed::default();
        commands.spawn((Player(name, way), Transform::from_translation(place), anchor, need));
    }
    Ok(())
}

/// Walks on the ground as far as it is known; it becomes finer as tiles arrive.
fn walk(
    mut commands: Commands,
    terrains: TerrainQuery,
    terrain: Single<Entity, With<Terrain>>,
    mut players: Query<(&Player, &mut Transform)>,
    mut ticks: Local<u64>,
) {
    *ticks += 1;
    for (player, mut pose) in &mut players {
        pose.translation += player.1 * STEP;
        let Some(ground) = terrains.ground(pose.translation) else { continue };
        pose.translation.y = ground.position.y;
        if *ticks % 30 == 1 {
            println!("{} stands at {:.2}, known to {:.2} m", player.0, pose.translation, ground.spacing);
            // A probe returns the exact ground from the recipe itself, after some ticks.
            if let Some(probe) = terrains.probe(*terrain, pose.translation) {
                commands.spawn(probe);
            }
        }
    }
}

fn hear(
    mut commands: Commands,
    terrains: TerrainQuery,
    mut probes: Query<(Entity, &mut GroundProbe)>,
) -> Result {
    for (entity, mut probe) in &mut probes {
        if let Some(answer) = terrains.answer(&mut probe) {
            println!("exactly, it was {:.3} m", answer?.point.position.y);
            commands.entity(entity).despawn();
        }
    }
    Ok(())
}

/// Whether all colliders that the players need have existed at some time.
#[derive(Resource, Default)]
struct CollidersAreThere(bool);

/// Prints once how many colliders there are. A game with a physics engine of its own would give each of them
/// its shape here; the plugins for avian and rapier do that for these engines.
fn count_colliders(statistics: Res<ColliderStatistics>, mut are_there: ResMut<CollidersAreThere>) {
    let is_making = statistics.ordered > 0 || statistics.waiting > 0;
    if !are_there.0 && statistics.tiles > 0 && !is_making {
        are_there.0 = true;
        println!("{} collider tiles have come, {} KiB", statistics.tiles, statistics.bytes / 1024);
    }
}

/// Ends after this many ticks, when all colliders have arrived and no probe is pending.
fn end_after(
    ticks: u64,
) -> impl FnMut(MessageWriter<AppExit>, Local<u64>, Query<(), With<GroundProbe>>, Res<CollidersAreThere>) {
    move |mut exit, mut run, open, colliders| {
        *run += 1;
        if *run >= ticks && open.is_empty() && colliders.0 {
            exit.write(AppExit::Success);
        }
    }
}
