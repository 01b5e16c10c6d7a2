//! Sculpting while playing: hold the left mouse button on the land.
//!
//! `cargo run --release --example sculpt` opens a window; it needs the feature `viewer` for that. The keys 1
//! to 8 choose a tool, the mouse wheel the radius; Z undoes a stroke and Y redoes it, S saves all strokes and
//! L loads them. A stroke is drawn in the frame in which it is made; in a networked game each stroke would be
//! sent to the others.

mod common;

use bevy::input::mouse::AccumulatedMouseScroll;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use upland::Preset;
use upland::plugin::{
    Sky, SkyCamera, SkyPlugin, StrokeApplied, Terrain, TerrainPlugin, TerrainQuery, TerrainStrokes,
};
use upland::sculpt::{Stroke, Tool};

/// The file of saved strokes: on another machine they make the same land from the same recipe, bit for bit.
const FILE: &str = "sculpted.strokes.ron";

/// Strokes per second while the button is held.
const RATE: f32 = 20.0;

pub(crate) fn main() -> AppExit {
    App::new()
        .add_plugins((common::plugins(), TerrainPlugin, SkyPlugin::default()))
        .insert_resource(Brush { tool: 0, radius: 25.0, since: 1.0 / RATE })
        .add_systems(Startup, setup)
        .add_systems(Update, (choose, sculpt, history, send))
        .run()
}

/// The player's brush.
#[derive(Resource)]
struct Brush {
    tool: usize,
    /// Radius, metres.
    radius: f32,
    /// Seconds since its last stroke.
    since: f32,
}

const TOOLS: [(KeyCode, &str); 8] = [
    (KeyCode::Digit1, "raise"),
    (KeyCode::Digit2, "lower"),
    (KeyCode::Digit3, "flatten"),
    (KeyCode::Digit4, "smooth"),
    (KeyCode::Digit5, "erode"),
    (KeyCode::Digit6, "crater"),
    (KeyCode::Digit7, "ramp"),
    (KeyCode::Digit8, "paint"),
];

fn setup(mut commands: Commands) -> Result {
    let recipe = Preset::find("downs").ok_or("there is no such preset")?.recipe()?;
    commands.spawn(Sky { sun: recipe.sun, ..default() });
    // With this component a terrain can be sculpted.
    commands.spawn((Terrain::from(recipe), TerrainStrokes::default()));
    commands.spawn((
        SkyCamera::default(),
        Transform::from_xyz(0.0, 420.0, 420.0).looking_at(Vec3::new(0.0, 150.0, 0.0), Vec3::Y),
    ));
    Ok(())
}

fn choose(
    keys: Res<ButtonInput<KeyCode>>,
    scroll: Res<AccumulatedMouseScroll>,
    mut brush: ResMut<Brush>,
    mut window: Single<&mut Window, With<PrimaryWindow>>,
) {
    if let Some(tool) = TOOLS.iter().position(|(key, _)| keys.just_pressed(*key)) {
        brush.tool = tool;
    }
    brush.radius = (brush.radius * 1.1f32.powf(scroll.delta.y)).clamp(2.0, 300.0);
    window.title = format!("{}, {:.0} m", TOOLS[brush.tool].1, brush.radius);
}

fn sculpt(
    time: Res<Time>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    terrains: TerrainQuery,
    terrain: Single<(Entity, &mut TerrainStrokes)>,
    mut brush: ResMut<Brush>,
) -> Result {
    brush.since += time.delta_secs();
    // At a fixed rate, so that a faster machine does not dig deeper.
    let is_held = buttons.pressed(MouseButton::Left) && brush.since > 1.0 / RATE;
    if !(is_held || buttons.just_pressed(MouseButton::Left)) {
        return Ok(());
    }
    // Where the mouse points at the ground, and the same place on the land.
    let (camera, placement) = *camera;
    let ray = window.cursor_position().and_then(|cursor| camera.viewport_to_world(placement, cursor).ok());
    let Some(ground) = ray.and_then(|ray| terrains.cast_ray(ray, 50_000.0)) else { return Ok(()) };
    let (terrain, mut strokes) = terrain.into_inner();
    let Some(place) = terrains.on_land(terrain, ground.position) else { return Ok(()) };
    brush.since = 0.0;
    let (at, height) = ([place.x, place.z], place.y as f32);
    let stroke = match TOOLS[brush.tool].1 {
        "raise" => Stroke::at(Tool::Raise { by: 0.03 * brush.radius }, at, brush.radius),
        "lower" => Stroke::at(Tool::Lower { by: 0.03 * brush.radius }, at, brush.radius),
        "flatten" => Stroke::at(Tool::Flatten { to: height }, at, brush.radius).with_falloff(0.3),
        "smooth" => Stroke::at(Tool::Smooth {}, at, brush.radius).with_strength(0.5),
        "erode" => Stroke::at(Tool::Erode { drops: 0.1 }, at, brush.radius),
        "crater" => {
            let (depth, rim) = (0.2 * brush.radius, 0.05 * brush.radius);
            Stroke::at(Tool::Crater { depth, rim }, at, brush.radius)
        }
        "ramp" => {
            let end = [at[0], at[1] - 4.0 * f64::from(brush.radius)];
            let tool = Tool::Ramp { from: height, to: height + brush.radius };
            Stroke::along(tool, vec![at, end], brush.radius).with_falloff(0.5)
        }
        _ => Stroke::at(Tool::Paint { kind: "rock".into() }, at, brush.radius).with_falloff(0.4),
    };
    // It is drawn in this frame.
    strokes.make(stroke)?;
    Ok(())
}

fn history(keys: Res<ButtonInput<KeyCode>>, mut strokes: Single<&mut TerrainStrokes>) -> Result {
    if keys.just_pressed(KeyCode::KeyZ) {
        strokes.undo();
    }
    if keys.just_pressed(KeyCode::KeyY) {
        strokes.redo();
    }
    if keys.just_pressed(KeyCode::KeyS) {
        strokes.save(FILE)?;
    }
    if keys.just_pressed(KeyCode::KeyL) {
        strokes.load(FILE)?;
    }
    Ok(())
}

/// In a networked game, this sends the player's changes, and the others apply them with
/// `TerrainStrokes::receive_change`.
fn send(mut applied: MessageReader<StrokeApplied>) {
    for own in applied.read().filter(|applied| applied.is_own) {
        debug!("to be sent: {:?} {:?}", own.change, own.stroke);
    }
}
