//! The entities that draw chunks of one kind, ground or walls, of one terrain for one camera.

use std::collections::HashMap;

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::mesh::MeshTag;
use bevy::prelude::*;

use super::sets::TerrainChunk;
use super::visibility::TerrainWall;
use crate::plugin::material::TerrainMaterial;
use crate::stream::{Chunk, Known};

/// The entities that are drawn, and hidden ones that are kept for reuse.
#[derive(Default)]
pub(super) struct Pieces {
    drawn: HashMap<Chunk, Piece>,
    spare: Vec<Entity>,
}

/// A chunk's entity, and what was known of its ground when it was placed.
#[derive(Clone, Copy)]
struct Piece {
    entity: Entity,
    known: Known,
}

/// What all pieces share.
pub(super) struct PieceTemplate<'a> {
    pub(super) terrain: Entity,
    pub(super) camera: Entity,
    pub(super) mesh: &'a Handle<Mesh>,
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
        self.drawn.values().map(|piece| piece.entity).chain(self.spare.iter().copied())
    }

    /// Gives each chosen chunk an entity: its present one, a spare one, or a new one. If they are stale, all are
    /// placed anew.
    pub(super) fn update(
        &mut self,
        chosen: impl Iterator<Item = (Chunk, Known)>,
        is_stale: bool,
        template: &PieceTemplate,
        commands: &mut Commands,
        place: impl Fn(Chunk, Known) -> (Transform, GlobalTransform, Aabb),
    ) {
        let kept = self.spare.len();
        let mut before = std::mem::take(&mut self.drawn);
        let mut missing = Vec::new();
        for (chunk, known) in chosen {
            match before.remove(&chunk) {
                Some(piece) if !is_stale => {
                    if piece.known != known {
                        commands.entity(piece.entity).insert(place(chunk, known).2);
                    }
                    self.drawn.insert(chunk, Piece { known, ..piece });
                }
                Some(piece) => {
                    self.spare.push(piece.entity);
                    missing.push((chunk, known));
                }
                None => missing.push((chunk, known)),
            }
        }
        self.spare.extend(before.into_values().map(|piece| piece.entity));
        for (chunk, known) in missing {
            let placed = place(chunk, known);
            let entity = self.spare.pop().unwrap_or_else(|| template.spawn(commands));
            template.put(&mut commands.entity(entity), chunk, placed);
            self.drawn.insert(chunk, Piece { entity, known });
        }
        // What was there before is hidden already.
        for &entity in self.spare.iter().skip(kept) {
            commands.entity(entity).insert(Visibility::Hidden);
        }
    }
}

impl PieceTemplate<'_> {
    fn spawn(&self, commands: &mut Commands) -> Entity {
        let shared = (
            ChildOf(self.terrain),
            Mesh3d(self.mesh.clone()),
            MeshMaterial3d(self.material.clone()),
            NoAutoAabb,
        );
        let mut entity = commands.spawn(shared);
        if self.kind == PieceKind::Wall {
            entity.insert((TerrainWall { camera: self.camera }, NotShadowCaster));
        }
        entity.id()
    }

    fn put(&self, entity: &mut EntityCommands, chunk: Chunk, placed: (Transform, GlobalTransform, Aabb)) {
        entity.insert((placed, MeshTag(chunk.pack(self.finest)), Visibility::Inherited, self.layers.clone()));
        if self.kind == PieceKind::Ground {
            entity.insert(TerrainChunk { terrain: self.terrain, camera: self.camera, chunk });
        }
    }
}
