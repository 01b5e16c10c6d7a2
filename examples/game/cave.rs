//! A cave in the hill above the yard. The recipe's `hole` removes the slope at its mouth; the walls and the
//! floor behind it are the game's own.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;

/// The middle of the threshold, on the yard's southern edge. Here, and in `WIDTH` and `HEIGHT`, are the
/// numbers of `platform` and `hole` in island.ron: the land's side is 2048 m, and its middle is the origin.
const MOUTH: Vec3 = Vec3::new(96.0, 24.0, -452.0);

/// Metres from wall to wall, from the floor to the top of the mouth, and from the threshold southwards into
/// the hill.
const WIDTH: f32 = 8.0;
const HEIGHT: f32 = 7.0;
const LENGTH: f32 = 34.0;

/// The rise of the slope above the mouth per metre: tan 50°.
const SLOPE: f32 = 1.19;

/// How far walls and roof lie behind the edge of the hole, so that no gap shows, and how far they stay below
/// the slope, metres.
const BEHIND: f32 = 0.5;

/// The least distance from the walls, metres.
const BODY: f32 = 0.4;

/// The height of the cave's floor at a place; `None` outside the cave.
pub fn floor(place: Vec3) -> Option<f32> {
    let [across, inwards] = [(place.x - MOUTH.x).abs(), place.z - MOUTH.z];
    let is_within = across < WIDTH / 2.0 - BODY && (-BEHIND..LENGTH - BODY).contains(&inwards);
    is_within.then_some(MOUTH.y)
}

pub fn dig(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    // Visible from inside, whichever way its triangles face.
    let rock = StandardMaterial {
        base_color: Color::srgb(0.12, 0.11, 0.1),
        perceptual_roughness: 1.0,
        cull_mode: None,
        double_sided: true,
        ..default()
    };
    commands.spawn((
        Mesh3d(meshes.add(walls())),
        MeshMaterial3d(materials.add(rock)),
        // Its floor begins under the yard, where it must not show.
        Transform::from_translation(MOUTH - 0.03 * Vec3::Y),
    ));
    // Bright enough for the camera's exposure, which is set for the sun.
    commands.spawn((
        PointLight { color: Color::srgb(1.0, 0.7, 0.4), intensity: 2e6, range: 40.0, ..default() },
        Transform::from_translation(MOUTH + Vec3::new(0.0, 4.0, 0.7 * LENGTH)),
    ));
}

/// Floor, walls, roof and end, around the middle of the threshold: X east, Y up, Z into the hill.
fn walls() -> Mesh {
    let (side, roof) = (WIDTH / 2.0 + BEHIND, HEIGHT + BEHIND);
    // Where the ground above it is higher than the roof.
    let front = (roof + BEHIND) / SLOPE;
    let wall = |x: f32| [[x, 0.0, BEHIND], [x, 0.0, LENGTH], [x, roof, LENGTH], [x, roof, front]];
    let level = |y: f32, z: f32| [[-side, y, z], [side, y, z], [side, y, LENGTH], [-side, y, LENGTH]];
    let end = [[-side, 0.0, LENGTH], [side, 0.0, LENGTH], [side, roof, LENGTH], [-side, roof, LENGTH]];
    let quads = [level(0.0, -1.0), wall(-side), wall(side), level(roof, front), end];
    let corners: Vec<[f32; 3]> = quads.into_iter().flat_map(|[a, b, c, d]| [a, b, c, a, c, d]).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_computed_flat_normals()
}
