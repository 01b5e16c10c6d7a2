//! The entities that draw batches for a camera.

use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::math::{DVec2, DVec3};
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use rustc_hash::FxHashMap;

use super::batch::{Batch, BatchKey, Look3d, chosen};
use super::cells::{Cell, CellKey, distances};
use super::material::{ScatterExtension, ScatterMaterial, ScatterUniform, Seen, key};
use super::mesh_library::plant_material;
use super::rule_table::{IMPOSTORS, PLANTS, RuleTable};
use super::template::{IMPOSTOR_COPIES, impostor_shape};
use crate::plugin::material::{LandPlacement, Shading, TerrainUniform};
use crate::plugin::owned::spawn_owned;
use crate::plugin::stream::PoolTextures;
use crate::plugin::terrain::TerrainGround;

/// How far a camera may move before a cell is looked at again: metres, and a share of its distance.
const SLACK: f32 = 0.5;
const SLACK_TO_DISTANCE: f32 = 0.02;

/// How far the ground may be drawn above or below where objects were placed, metres, and as a share of the
/// distance between samples of the land.
const SPREAD: f32 = 1.0;
const SPREAD_TO_CELL: f32 = 0.5;

/// Draws a batch, for one camera alone.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct ScatterBatch {
    pub(super) terrain: Entity,
    pub(super) camera: Entity,
}

/// The templates of impostors, which all share, from the largest on.
#[derive(Resource)]
pub(super) struct ImpostorTemplates([Handle<Mesh>; IMPOSTOR_COPIES.len()]);

impl FromWorld for ImpostorTemplates {
    fn from_world(world: &mut World) -> Self {
        let mut meshes = world.resource_mut::<Assets<Mesh>>();
        Self(IMPOSTOR_COPIES.map(|copies| meshes.add(impostor_shape().repeated(copies))))
    }
}

/// The batches and materials with which a camera draws a terrain's objects.
#[derive(Default)]
pub(super) struct CameraSet {
    pub(super) materials: Vec<Handle<ScatterMaterial>>,
    /// The anchor of the materials.
    pub(super) anchor: Option<IVec2>,
    pub(super) seen: Option<(Seen, f32)>,
    drawn: FxHashMap<CellKey, DrawnCell>,
    /// Where the next turn begins among the cells.
    turn: usize,
    /// Entities that wait to be used again.
    spare: Vec<Entity>,
}

/// The batches of a cell.
struct DrawnCell {
    version: u64,
    /// Where the camera was when they were chosen, and how far from there they are right.
    eye: DVec3,
    slack: f64,
    batches: Vec<(BatchKey, Entity)>,
    objects: usize,
}

/// The most entities that wait.
const MOST_SPARE: usize = 512;

/// Data that the entities of a set share.
pub(super) struct Drawing<'a> {
    pub(super) terrain: Entity,
    pub(super) camera: Entity,
    pub(super) layers: &'a RenderLayers,
    pub(super) placement: GlobalTransform,
    /// Where the land's sample (0, 0) lies from the entity.
    pub(super) origin: DVec2,
    pub(super) land: &'a LandPlacement,
    /// Metres between the land's samples.
    pub(super) cell: f32,
    pub(super) eye: DVec3,
    pub(super) seen: Seen,
    pub(super) shadows: f32,
    pub(super) templates: &'a ImpostorTemplates,
}

impl CameraSet {
    /// Forgets a cell.
    pub(super) fn forget(&mut self, cell: CellKey, commands: &mut Commands) {
        let Some(drawn) = self.drawn.remove(&cell) else { return };
        for (_, entity) in drawn.batches {
            self.put_away(entity, commands);
        }
    }

    fn put_away(&mut self, entity: Entity, commands: &mut Commands) {
        if self.spare.len() < MOST_SPARE {
            commands.entity(entity).try_insert(Visibility::Hidden);
            self.spare.push(entity);
        } else {
            commands.entity(entity).try_despawn();
        }
    }

    /// Despawns everything.
    pub(super) fn clear(self, commands: &mut Commands) {
        let entities = self.drawn.into_values().flat_map(|drawn| drawn.batches).map(|(_, entity)| entity);
        for entity in entities.chain(self.spare) {
            commands.entity(entity).try_despawn();
        }
    }

    /// Makes all cells be checked again.
    pub(super) fn look_again(&mut self) {
        // No distance is that small, so every cell is looked at again, and keeps what it draws until its
        // turn.
        self.drawn.values_mut().for_each(|drawn| drawn.slack = -1.0);
    }

    pub(super) fn batches(&self) -> usize {
        self.drawn.values().map(|drawn| drawn.batches.len()).sum()
    }

    pub(super) fn drawn(&self) -> usize {
        self.drawn.values().map(|drawn| drawn.objects).sum()
    }

    /// Draws what has changed for the camera, until `is_over`; whether all of it has been.
    pub(super) fn update(
        &mut self,
        cells: &FxHashMap<CellKey, Cell>,
        order: &[CellKey],
        table: &RuleTable,
        drawing: &Drawing,
        commands: &mut Commands,
        is_over: impl Fn() -> bool,
    ) -> bool {
        let mut changed = 0;
        // Begins where the last frame had no time left, so that every cell has its turn.
        for step in 0..order.len() {
            let at = (self.turn + step) % order.len();
            let key = order[at];
            let Some(cell) = cells.get(&key) else { continue };
            let is_right = self.drawn.get(&key).is_some_and(|drawn| {
                drawn.version == cell.version && drawn.eye.distance(drawing.eye) <= drawn.slack
            });
            if is_right {
                continue;
            }
            // Time is asked for only now and then.
            if changed > 0 && changed % 4 == 0 && is_over() {
                self.turn = at;
                return false;
            }
            changed += 1;
            self.draw(key, cell, table, drawing, commands);
        }
        true
    }

    fn draw(
        &mut self,
        key: CellKey,
        cell: &Cell,
        table: &RuleTable,
        drawing: &Drawing,
        commands: &mut Commands,
    ) {
        let mapping = drawing.land.mapping;
        // Bounds are counted in heights as drawn.
        let raised = |p: Vec3| p.with_y(mapping.map(p.y));
        let eye = cell.local(drawing.eye);
        let nearest = distances(eye, raised(cell.low), raised(cell.high)).0;
        // Far cells may wait longer: a step towards them changes their distance by a small share.
        let slack = SLACK + SLACK_TO_DISTANCE * nearest;
        // Levels are chosen where objects were placed, which exaggeration moves.
        let eye_at_scale = match mapping.scale {
            scale if scale.abs() > 1e-3 => eye.with_y((eye.y - mapping.bias) / scale),
            // Flattened land has no height to divide by.
            _ => eye.with_y(cell.low.y + eye.y - mapping.bias),
        };
        let look = Look3d { eye: eye_at_scale, seen: drawing.seen, slack, shadows: drawing.shadows };
        let batches = match cell.pages {
            0 => Vec::new(),
            _ => chosen(cell, &table.looks, &look),
        };
        let before = self.drawn.remove(&key);
        let is_same = before.as_ref().is_some_and(|before| before.version == cell.version);
        let (mut kept, mut gone) = (FxHashMap::default(), Vec::new());
        for (batch, entity) in before.into_iter().flat_map(|before| before.batches) {
            if is_same {
                kept.insert(batch, entity);
            } else {
                gone.push(entity);
            }
        }
        let mut drawn = Vec::with_capacity(batches.len());
        let mut objects = 0;
        let mut missing = Vec::new();
        for batch in batches {
            objects += batch.count;
            match kept.remove(&batch.key) {
                Some(entity) => drawn.push((batch.key, entity)),
                None => missing.push(batch),
            }
        }
        gone.extend(kept.into_values());
        for entity in gone {
            self.put_away(entity, commands);
        }
        for batch in missing {
            let entity = self.put(cell, &batch, table, drawing, commands);
            drawn.push((batch.key, entity));
        }
        let slack = f64::from(slack);
        let drawn = DrawnCell { version: cell.version, eye: drawing.eye, slack, batches: drawn, objects };
        self.drawn.insert(key, drawn);
    }

    /// Lets an entity draw a batch.
    fn put(
        &mut self,
        cell: &Cell,
        batch: &Batch,
        table: &RuleTable,
        drawing: &Drawing,
        commands: &mut Commands,
    ) -> Entity {
        let level = (batch.key.tag >> 24) as usize;
        let template =
            table.looks[batch.key.look].levels.get(level).and_then(|level| level.template.as_ref());
        let mesh = match template {
            Some((mesh, _)) => mesh.clone(),
            None => {
                let sizes = IMPOSTOR_COPIES.iter().position(|copies| *copies == batch.key.copies as usize);
                drawing.templates.0[sizes.unwrap_or_default()].clone()
            }
        };
        let spread = SPREAD + SPREAD_TO_CELL * drawing.cell;
        let (low, high) = drawing.land.drawn().range(batch.low.y - spread, batch.high.y + spread);
        let corner = (drawing.origin + cell.corner).as_vec2();
        let bounds = Aabb::from_min_max(
            Vec3::new(corner.x + batch.low.x, low as f32, corner.y + batch.low.z),
            Vec3::new(corner.x + batch.high.x, high as f32, corner.y + batch.high.z),
        );
        let material = self.materials.get(batch.material).cloned().unwrap_or_default();
        let what = (
            Mesh3d(mesh),
            MeshMaterial3d(material),
            MeshTag(batch.key.tag),
            bounds,
            drawing.placement,
            Visibility::Inherited,
            drawing.layers.clone(),
        );
        let throws_shadow = batch.key.throws_shadow;
        let mut entity = match self.spare.pop() {
            Some(entity) => {
                let mut entity = commands.entity(entity);
                entity.try_insert(what);
                entity
            }
            None => {
                let batch = ScatterBatch { terrain: drawing.terrain, camera: drawing.camera };
                // `NoAutoAabb`, since the mesh's own box is that of a single plant at the origin.
                let bundle = (what, NoAutoAabb, ChildOf(drawing.terrain), batch);
                spawn_owned::<TerrainGround>(commands, drawing.terrain, bundle)
            }
        };
        if throws_shadow {
            entity.try_remove::<NotShadowCaster>();
        } else {
            entity.try_insert(NotShadowCaster);
        }
        entity.id()
    }

    /// Keeps the materials in step with the ground. Returns whether batches need other ones.
    pub(super) fn bind(
        &mut self,
        table: &RuleTable,
        atlas: &Handle<Image>,
        [pages, instances]: [&Handle<Image>; 2],
        textures: &PoolTextures,
        (ground, scatter, shading): (TerrainUniform, ScatterUniform, Shading),
        materials: &mut Assets<ScatterMaterial>,
    ) -> bool {
        let mut is_new = false;
        for slot in 0..table.materials() {
            let is_impostor = slot == IMPOSTORS;
            let [albedo, normals] = match &table.impostors {
                Some([albedo, normals]) if is_impostor => [Some(albedo.clone()), Some(normals.clone())],
                _ => [None, None],
            };
            let extension = ScatterExtension {
                ground,
                table: textures.table.clone(),
                heights: textures.heights.clone(),
                scatter,
                pages: pages.clone(),
                instances: instances.clone(),
                looks: table.image.clone(),
                albedo,
                normals,
                key: key(is_impostor, textures.is_shifted, shading, &ground),
            };
            let known = self.materials.get(slot).cloned().filter(|handle| materials.contains(handle));
            match known {
                Some(handle) => {
                    let is_same = materials.get(&handle).is_some_and(|known| known.extension == extension);
                    if !is_same && let Some(mut material) = materials.get_mut(&handle) {
                        material.extension = extension;
                    }
                }
                None => {
                    let base = match slot {
                        PLANTS => plant_material(Some(atlas.clone())),
                        IMPOSTORS => plant_material(None),
                        own => table.own[own - IMPOSTORS - 1].clone(),
                    };
                    let handle = materials.add(ScatterMaterial { base, extension });
                    // A material that is gone takes those behind it with it: slots are counted from the
                    // first.
                    self.materials.truncate(slot);
                    self.materials.push(handle);
                    is_new = true;
                }
            }
        }
        self.anchor = Some(ground.anchor);
        is_new
    }
}
