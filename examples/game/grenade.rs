//! Grenades: they fly in a ballistic arc, and leave a crater where they hit the ground.

use bevy::prelude::*;
use upland::plugin::{TerrainQuery, TerrainStrokes};
use upland::sculpt::{Stroke, Tool};

use super::walker::Walker;
use super::{GRAVITY, LONGEST_FRAME, cave};

/// Speed in the direction of the eyes, and additional upward speed, metres per second.
const THROWN: f32 = 24.0;
const TOSSED: f32 = 4.0;

/// The radius of a crater's stroke, metres: its bowl is half as wide. Depth and rim are in metres.
const RADIUS: f32 = 14.0;
const DEPTH: f32 = 2.8;
const RIM: f32 = 0.7;

/// Height below which a grenade that has missed the land is removed, metres.
const LOST: f32 = -300.0;

/// A flying grenade.
#[derive(Component)]
pub struct Grenade {
    /// Metres per second.
    velocity: Vec3,
}

pub fn throw(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    buttons: Res<ButtonInput<MouseButton>>,
    eyes: Single<&Transform, With<Walker>>,
) {
    if buttons.just_pressed(MouseButton::Left) {
        commands.spawn((
            Grenade { velocity: THROWN * eyes.forward() + TOSSED * Vec3::Y },
            Mesh3d(meshes.add(Sphere::new(0.12))),
            MeshMaterial3d(materials.add(Color::srgb(0.05, 0.06, 0.04))),
            Transform::from_translation(eyes.translation),
        ));
    }
}

pub fn fly(
    mut commands: Commands,
    time: Res<Time>,
    terrains: TerrainQuery,
    terrain: Single<(Entity, &mut TerrainStrokes)>,
    mut grenades: Query<(Entity, &mut Grenade, &mut Transform)>,
) -> Result {
    let (terrain, mut strokes) = terrain.into_inner();
    let seconds = time.delta_secs().min(LONGEST_FRAME);
    for (entity, mut grenade, mut place) in &mut grenades {
        grenade.velocity.y -= GRAVITY * seconds;
        let way = grenade.velocity * seconds;
        // Within a frame the arc is nearly straight.
        let hit = Dir3::new_and_length(way).ok().and_then(|(direction, length)| {
            terrains.cast_ray_on(terrain, Ray3d::new(place.translation, direction), length)
        });
        place.translation += way;
        if let Some(ground) = hit {
            // Strokes are placed on the land, wherever that is in the world.
            if let Some(middle) = terrains.on_land(terrain, ground.position) {
                let middle = [middle.x, middle.z];
                // It is drawn in this frame, and part of the ground for all queries from the next one on.
                strokes.make(Stroke::at(Tool::Crater { depth: DEPTH, rim: RIM }, middle, RADIUS))?;
                let bare = Tool::Paint { kind: "rock".to_owned() };
                strokes.make(Stroke::at(bare, middle, 0.6 * RADIUS).with_falloff(0.5))?;
            }
            commands.entity(entity).despawn();
        } else if place.translation.y < cave::floor(place.translation).unwrap_or(LOST) {
            // Inside the cave there is no land to dig.
            commands.entity(entity).despawn();
        }
    }
    Ok(())
}
