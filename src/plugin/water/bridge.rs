//! The bridges on which roads cross rivers: decks with parapets, on piers that stand in the beds.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use crate::Heightfield;
use crate::plugin::material::HeightMapping;
use crate::plugin::owned::spawn_owned;
use crate::plugin::terrain::TerrainGround;
use crate::water::Bridge;

/// Colours of the stone and of the roadway, linear.
const STONE: [f32; 4] = [0.34, 0.32, 0.29, 1.0];
const ROADWAY: [f32; 4] = [0.21, 0.19, 0.17, 1.0];
/// Width of a bridge whose parapets and piers have the usual size, metres; those of others grow with it.
const USUAL_WIDTH: f32 = 10.0;
/// Distance of piers, and how far they reach into the bed, metres on a bridge of the usual width.
const PIERS_APART: f32 = 24.0;
const FOOTING: f32 = 3.0;
/// The deck lies this much above the road, metres: in its plane the two would flicker.
const LIFT: f32 = 0.05;

/// The bridges of a terrain, stored on the terrain's entity.
#[derive(Component)]
pub(super) struct Bridged(pub(super) Entity);

/// Gives every terrain with bridges a mesh of them, and removes it with them.
pub(super) fn bridge_terrains(
    mut commands: Commands,
    terrains: Query<
        (Entity, &TerrainGround, &HeightMapping, Option<&RenderLayers>, Option<&Bridged>),
        Or<(Changed<TerrainGround>, Changed<HeightMapping>, Changed<RenderLayers>)>,
    >,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (entity, ground, mapping, layers, bridged) in &terrains {
        // There are few of them, so they are simply made again.
        if let Some(&Bridged(before)) = bridged {
            commands.entity(before).try_despawn();
            commands.entity(entity).try_remove::<Bridged>();
        }
        let landscape = &ground.landscape;
        if landscape.bridges.is_empty() {
            continue;
        }
        let origin = Vec3::new(ground.origin.x as f32, 0.0, ground.origin.y as f32);
        let bundle = (
            ChildOf(entity),
            Mesh3d(meshes.add(bridges_mesh(&landscape.bridges, &landscape.heightfield, *mapping))),
            MeshMaterial3d(materials.add(StandardMaterial { perceptual_roughness: 0.9, ..default() })),
            Transform::from_translation(origin),
            layers.cloned().unwrap_or_default(),
        );
        let bridges = spawn_owned::<TerrainGround>(&mut commands, entity, bundle).id();
        commands.entity(entity).try_insert(Bridged(bridges));
    }
}

/// The bridges over this land, in metres from its sample (0, 0), at their drawn heights.
pub(crate) fn bridges_mesh(bridges: &[Bridge], land: &Heightfield, mapping: HeightMapping) -> Mesh {
    let mut faces = Faces::default();
    for bridge in bridges {
        let line: Vec<Vec3> =
            bridge.line.iter().map(|p| Vec3::new(p.x, mapping.map(p.y) + LIFT, p.z)).collect();
        // A section at each point; piers between the ends alone.
        faces.deck(&line, bridge.width);
        let scale = (bridge.width / USUAL_WIDTH).max(0.5);
        let mut since = 0.0;
        for pair in line.windows(2) {
            since += pair[0].distance(pair[1]);
            let beyond = pair[1].distance(line[line.len() - 1]);
            if since < PIERS_APART * scale || beyond < 0.5 * PIERS_APART * scale {
                continue;
            }
            since = 0.0;
            let bed = mapping.map(land.sample(Vec2::new(pair[1].x, pair[1].z)));
            faces.pier(pair, bed - FOOTING * scale, bridge.width);
        }
    }
    faces.mesh()
}

/// Flat faces, each with corners of its own.
#[derive(Default)]
struct Faces {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

impl Faces {
    /// A face with four corners, counterclockwise as seen from outside.
    fn add(&mut self, corners: [Vec3; 4], colour: [f32; 4]) {
        let normal = (corners[2] - corners[0]).cross(corners[3] - corners[1]).normalize_or(Vec3::Y);
        let first = self.positions.len() as u32;
        self.positions.extend(corners.map(|corner| corner.to_array()));
        self.normals.extend([normal.to_array(); 4]);
        self.colours.extend([colour; 4]);
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
    }

    /// The deck along a line, with a parapet on either side.
    fn deck(&mut self, line: &[Vec3], width: f32) {
        let scale = (width / USUAL_WIDTH).max(0.5);
        let (half, inner) = (width / 2.0, width / 2.0 - 0.35 * scale);
        let (parapet, below) = (scale, -1.2 * scale);
        // Across and up, clockwise as seen along the line: what lies between two corners is a side.
        let section = [
            (-half, below),
            (-half, parapet),
            (-inner, parapet),
            (-inner, 0.0),
            (inner, 0.0),
            (inner, parapet),
            (half, parapet),
            (half, below),
        ];
        let at = |index: usize, (across, up): (f32, f32)| {
            let [before, after] = [index.saturating_sub(1), (index + 1).min(line.len() - 1)];
            let along = (line[after] - line[before]).with_y(0.0).normalize_or(Vec3::X);
            line[index] + along.cross(Vec3::Y) * across + Vec3::Y * up
        };
        for index in 0..line.len() - 1 {
            for side in 0..section.len() {
                let (from, to) = (section[side], section[(side + 1) % section.len()]);
                let colour = if side == 3 { ROADWAY } else { STONE };
                self.add([at(index, from), at(index, to), at(index + 1, to), at(index + 1, from)], colour);
            }
        }
        // Its ends: the slab, and the two parapets on it.
        for (index, is_last) in [(0, false), (line.len() - 1, true)] {
            for [low, high] in [
                [(-half, below), (half, 0.0)],
                [(-half, 0.0), (-inner, parapet)],
                [(inner, 0.0), (half, parapet)],
            ] {
                let corners = [low, (high.0, low.1), high, (low.0, high.1)].map(|corner| at(index, corner));
                let [a, b, c, d] = corners;
                self.add(if is_last { [b, a, d, c] } else { [a, b, c, d] }, STONE);
            }
        }
    }

    /// A pier below the end of a piece of the line, down to a height.
    fn pier(&mut self, piece: &[Vec3], low: f32, width: f32) {
        let scale = (width / USUAL_WIDTH).max(0.5);
        let along = (piece[1] - piece[0]).with_y(0.0).normalize_or(Vec3::X);
        let across = along.cross(Vec3::Y) * (0.4 * width);
        let along = along * (0.6 * scale);
        let (top, foot) = (piece[1] - Vec3::Y * scale, piece[1].with_y(low));
        if foot.y >= top.y {
            return;
        }
        let around = [-across - along, across - along, across + along, -across + along];
        for side in 0..4 {
            let (from, to) = (around[side], around[(side + 1) % 4]);
            self.add([foot + from, foot + to, top + to, top + from], STONE);
        }
    }

    fn mesh(self) -> Mesh {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colours)
            .with_inserted_indices(Indices::U32(self.indices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn faces_look_outwards_and_piers_stand_in_the_bed() {
        let land = Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), -4.0);
        let line: Vec<Vec3> = (0..=16).map(|x| Vec3::new(5.0 * x as f32, 3.0, 40.0)).collect();
        let bridge = Bridge { line, width: 10.0 };
        let mesh = bridges_mesh(&[bridge], &land, HeightMapping::default());
        let of = |attribute| mesh.attribute(attribute).unwrap().as_float3().unwrap().to_vec();
        let (positions, normals) = (of(Mesh::ATTRIBUTE_POSITION), of(Mesh::ATTRIBUTE_NORMAL));
        let corners: Vec<usize> = mesh.indices().unwrap().iter().collect();
        let lowest = positions.iter().map(|p| p[1]).fold(f32::MAX, f32::min);
        assert!(lowest < -4.0, "{lowest}");
        let mut volume = 0.0;
        for triangle in corners.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|corner| Vec3::from(positions[triangle[corner]]));
            let normal = Vec3::from(normals[triangle[0]]);
            assert!((b - a).cross(c - a).dot(normal) > 0.0, "the winding is that of the normal");
            volume += a.dot(b.cross(c)) / 6.0;
        }
        // Faces that looked inwards would make it negative. The slab alone has 80 × 10 × 1.2 m³.
        assert!(volume > 900.0, "{volume} m³");
        let is_roadway = |(p, n): (&[f32; 3], &[f32; 3])| n[1] > 0.99 && (p[1] - 3.0 - LIFT).abs() < 1e-4;
        assert!(positions.iter().zip(&normals).any(is_roadway), "one can drive on it");
    }
}
