//! The entities that draw chunks of one kind, ground or walls, of one terrain for one camera.

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use rustc_hash::FxHashMap;

use super::components::{TerrainChunk, TerrainWall};
use crate::plugin::material::TerrainMaterial;
use crate::plugin::owned::spawn_owned;
use crate::plugin::terrain::TerrainGround;
use crate::stream::{ChunkBounds, ChunkPart, DrawnChunk};

/// The entities that are drawn, and hidden ones that are kept for reuse.
#[derive(Default)]
pub(super) struct Pieces {
    drawn: FxHashMap<DrawnChunk, Piece>,
    /// How often they have been updated.
    updates: u32,
    /// By the number of the part whose mesh they have.
    spare: [Vec<Entity>; PARTS],
}

const PARTS: usize = ChunkPart::ALL.len();

/// The meshes of a chunk's parts, by their number.
pub(super) type PartMeshes = [Handle<Mesh>; PARTS];

/// An entity, and what was known of its ground when it was placed.
#[derive(Clone, Copy)]
struct Piece {
    entity: Entity,
    known: ChunkBounds,
    /// The update that chose it last.
    chosen: u32,
}

/// The values that all pieces share.
pub(super) struct PieceTemplate<'a> {
    pub(super) terrain: Entity,
    pub(super) camera: Entity,
    pub(super) meshes: &'a PartMeshes,
    pub(super) material: &'a Handle<TerrainMaterial>,
    pub(super) layers: &'a RenderLayers,
    /// The land's finest level.
    pub(super) finest: i32,
    pub(super) kind: PieceKind,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum PieceKind {
    Ground,
    Wall,
}

impl Pieces {
    pub(super) fn entities(&self) -> impl Iterator<Item = Entity> {
        self.drawn.values().map(|piece| piece.entity).chain(self.spare.iter().flatten().copied())
    }

    /// Gives what is chosen of each chunk an entity: its present one, a spare one, or a new one. If they are
    /// stale, all are placed again.
    pub(super) fn update(
        &mut self,
        chosen: impl Iterator<Item = (DrawnChunk, ChunkBounds)>,
        is_stale: bool,
        template: &PieceTemplate,
        commands: &mut Commands,
        place: impl Fn(DrawnChunk, ChunkBounds) -> (Transform, GlobalTransform, Aabb),
    ) {
        let kept = self.spare.each_ref().map(Vec::len);
        self.updates = self.updates.wrapping_add(1);
        let now = self.updates;
        let (mut missing, mut stay) = (Vec::new(), 0);
        for (drawn, known) in chosen {
            match self.drawn.get_mut(&drawn) {
                Some(piece) if !is_stale => {
                    // Its mesh, tag and place depend on the chunk alone; the heights within, on tiles that
                    // have arrived.
                    if piece.known != known {
                        commands.entity(piece.entity).try_insert(place(drawn, known).2);
                        piece.known = known;
                    }
                    piece.chosen = now;
                    stay += 1;
                }
                _ => missing.push((drawn, known)),
            }
        }
        // In most frames every piece stays, and then the list is not touched.
        if stay < self.drawn.len() {
            let spare = &mut self.spare;
            self.drawn.retain(|drawn, piece| {
                let stays = piece.chosen == now;
                if !stays {
                    // Hidden and used again: spawning and despawning would change archetypes and Bevy's lists
                    // of meshes in every frame of a flight.
                    spare[drawn.part.number()].push(piece.entity);
                }
                stays
            });
        }
        for (drawn, known) in missing {
            let placed = place(drawn, known);
            let spare = self.spare[drawn.part.number()].pop();
            let entity = spare.unwrap_or_else(|| template.spawn(drawn.part, commands));
            template.put(&mut commands.entity(entity), drawn, placed);
            self.drawn.insert(drawn, Piece { entity, known, chosen: now });
        }
        // The pieces that were spare before are hidden already.
        for (spare, kept) in self.spare.iter().zip(kept) {
            for &entity in spare.iter().skip(kept) {
                commands.entity(entity).try_insert(Visibility::Hidden);
            }
        }
    }
}

impl PieceTemplate<'_> {
    fn spawn(&self, part: ChunkPart, commands: &mut Commands) -> Entity {
        let shared = (
            ChildOf(self.terrain),
            Mesh3d(self.meshes[part.number()].clone()),
            MeshMaterial3d(self.material.clone()),
            // Otherwise Bevy would compute the box of the flat mesh, and cull mountains.
            NoAutoAabb,
        );
        let mut entity = spawn_owned::<TerrainGround>(commands, self.terrain, shared);
        // Walls stand under the edge of the ground, which already casts the shadow.
        if self.kind == PieceKind::Wall {
            entity.try_insert((TerrainWall { camera: self.camera }, NotShadowCaster));
        }
        entity.id()
    }

    fn put(
        &self,
        entity: &mut EntityCommands,
        DrawnChunk { chunk, part }: DrawnChunk,
        placed: (Transform, GlobalTransform, Aabb),
    ) {
        // The transform in the world as well: Bevy's propagation has run before the chunks are chosen.
        entity.try_insert((
            placed,
            // The only number that Bevy passes to the shader for each instance, so that all chunks share mesh
            // and material and are drawn by a few commands.
            MeshTag(chunk.pack(self.finest)),
            Visibility::Inherited,
            self.layers.clone(),
        ));
        if self.kind == PieceKind::Ground {
            entity.try_insert(TerrainChunk { terrain: self.terrain, camera: self.camera, chunk, part });
        }
    }
}
