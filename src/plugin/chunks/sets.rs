//! Chunk entities: a set for each pair of a terrain and a camera, so that each camera has its own level of
//! detail.

use std::collections::HashMap;

use bevy::asset::AssetEventSystems;
use bevy::camera::CameraUpdateSystems;
use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::{NoAutoAabb, RenderLayers, VisibilitySystems};
use bevy::ecs::entity::EntityHashMap;
use bevy::light::SimulationLightSystems;
use bevy::mesh::MeshTag;
use bevy::prelude::*;

use super::choose::{Placed, choose};
use super::mesh::chunk_mesh;
use super::visibility::keep_own_chunks;
use crate::lod::Chunk;
use crate::plugin::material::{
    HeightMapping, TerrainExtension, TerrainMaterial, TerrainShape, TerrainView, ground_material,
};
use crate::plugin::terrain::TerrainGround;

/// A chunk of a terrain for a camera. Its transform is that of its north-west corner, scaled by its size.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerrainChunk {
    /// The terrain, which is also the parent.
    pub terrain: Entity,
    /// The only camera that it is drawn for.
    pub camera: Entity,
    /// Its level and its position in the quadtree.
    pub chunk: Chunk,
}

/// The mesh that every chunk of every terrain is drawn with.
#[derive(Resource)]
pub(crate) struct ChunkMesh(Handle<Mesh>);

/// The chunks of a terrain, by camera.
#[derive(Component, Default)]
pub(crate) struct ChunkSets {
    by_camera: EntityHashMap<ChunkSet>,
    /// The terrain's render layers, which all its chunks share.
    layers: RenderLayers,
}

impl ChunkSets {
    /// One of the cameras, the same in every frame.
    pub(crate) fn first_camera(&self) -> Option<Entity> {
        self.by_camera.keys().min().copied()
    }
}

/// The chunks of a terrain for one camera.
#[derive(Default)]
struct ChunkSet {
    material: Handle<TerrainMaterial>,
    drawn: HashMap<Chunk, Entity>,
    /// Hidden entities that are kept for reuse.
    spare: Vec<Entity>,
    /// Set when the ground, the height mapping or the layers have changed.
    is_stale: bool,
}

pub(crate) struct ChunksPlugin;

impl Plugin for ChunksPlugin {
    fn build(&self, app: &mut App) {
        let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(chunk_mesh());
        app.insert_resource(ChunkMesh(mesh)).add_systems(
            PostUpdate,
            (
                update_chunks
                    .after(TransformSystems::Propagate)
                    .after(CameraUpdateSystems)
                    .after(VisibilitySystems::UpdateFrusta)
                    .before(AssetEventSystems)
                    .before(VisibilitySystems::VisibilityPropagate)
                    .before(VisibilitySystems::CalculateBounds)
                    .before(SimulationLightSystems::CheckLightVisibility),
                keep_own_chunks
                    .after(VisibilitySystems::CheckVisibility)
                    .after(SimulationLightSystems::CheckLightVisibility),
            ),
        );
        app.add_observer(clear);
    }
}

/// Despawns the chunks of a terrain that has lost its ground.
fn clear(removed: On<Remove, TerrainGround>, terrains: Query<&ChunkSets>, mut commands: Commands) {
    let Ok(sets) = terrains.get(removed.entity) else { return };
    for &chunk in sets.by_camera.values().flat_map(|set| set.drawn.values().chain(&set.spare)) {
        commands.entity(chunk).try_despawn();
    }
    commands.entity(removed.entity).try_remove::<ChunkSets>();
}

/// The placement of a terrain, its height mapping and its ground.
type TerrainParts = (
    Entity,
    Ref<'static, TerrainGround>,
    Ref<'static, HeightMapping>,
    &'static GlobalTransform,
    Option<&'static RenderLayers>,
    Option<&'static mut ChunkSets>,
);

/// What a camera's level of detail depends on.
type CameraParts = (
    Entity,
    &'static Camera,
    &'static Frustum,
    &'static GlobalTransform,
    Option<&'static TerrainView>,
    Option<&'static RenderLayers>,
);

/// Selects each camera's chunks and updates the entities.
pub(crate) fn update_chunks(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    cameras: Query<CameraParts, With<Camera3d>>,
    mesh: Res<ChunkMesh>,
    mut materials: ResMut<Assets<TerrainMaterial>>,
) {
    for (terrain, ground, mapping, placement, layers, sets) in &mut terrains {
        let Some(mut sets) = sets else {
            commands.entity(terrain).insert(ChunkSets::default());
            continue;
        };
        let layers = layers.unwrap_or_default();
        let is_stale = ground.is_changed() || mapping.is_changed() || sets.layers != *layers;
        sets.layers = layers.clone();
        let sees =
            |camera_layers: Option<&RenderLayers>| camera_layers.unwrap_or_default().intersects(layers);

        sets.by_camera.retain(|camera, set| {
            let stays = cameras.get(*camera).is_ok_and(|(.., layers)| sees(layers));
            set.is_stale |= is_stale;
            if !stays {
                for &chunk in set.drawn.values().chain(&set.spare) {
                    commands.entity(chunk).despawn();
                }
            }
            stays
        });

        for (camera, projection, frustum, eye, view, camera_layers) in &cameras {
            if !projection.is_active || !sees(camera_layers) {
                continue;
            }
            let view = view.copied().unwrap_or_default();
            let land = TerrainShape { pyramid: &ground.pyramid, mapping: *mapping, placement };
            let Some(choice) = choose(projection, frustum, eye, &view, land) else { continue };
            let set = sets.by_camera.entry(camera).or_default();
            update_material(set, &mut materials, |before| {
                TerrainExtension::new(
                    &ground.textures,
                    land,
                    &view,
                    eye.translation(),
                    choice.near_range,
                    before,
                )
            });
            let template = ChunkTemplate { terrain, camera, mesh: &mesh.0, layers };
            update_entities(set, choice.chunks, &template, &mut commands, |chunk| Placed::new(chunk, land));
        }
    }
}

/// Changes a set's material only if it differs, because a change rebinds its textures.
fn update_material(
    set: &mut ChunkSet,
    materials: &mut Assets<TerrainMaterial>,
    extension: impl FnOnce(Option<&TerrainExtension>) -> TerrainExtension,
) {
    let before = materials.get(&set.material).map(|material| &material.extension);
    let extension = extension(before);
    match before {
        None => set.material = materials.add(TerrainMaterial { base: ground_material(), extension }),
        Some(before) if *before != extension => {
            if let Some(mut material) = materials.get_mut(&set.material) {
                material.extension = extension;
            }
        }
        Some(_) => {}
    }
}

/// The components that all chunks of a set share.
struct ChunkTemplate<'a> {
    terrain: Entity,
    camera: Entity,
    mesh: &'a Handle<Mesh>,
    layers: &'a RenderLayers,
}

/// Gives each selected chunk an entity: its present one, a spare one, or a new one.
fn update_entities(
    set: &mut ChunkSet,
    chosen: Vec<Chunk>,
    template: &ChunkTemplate,
    commands: &mut Commands,
    place: impl Fn(Chunk) -> Placed,
) {
    let mut before = std::mem::take(&mut set.drawn);
    let mut missing = Vec::new();
    for chunk in chosen {
        match before.remove(&chunk) {
            Some(entity) if !set.is_stale => drop(set.drawn.insert(chunk, entity)),
            Some(entity) => {
                set.spare.push(entity);
                missing.push(chunk);
            }
            None => missing.push(chunk),
        }
    }
    set.is_stale = false;
    let newly_spare = before.into_values().collect::<Vec<_>>();
    set.spare.extend(&newly_spare);
    for chunk in missing {
        let placed = place(chunk);
        let varying = (
            placed.transform,
            placed.global,
            placed.bounds,
            MeshTag(chunk.pack()),
            Visibility::Inherited,
            TerrainChunk { terrain: template.terrain, camera: template.camera, chunk },
            template.layers.clone(),
        );
        let entity = match set.spare.pop() {
            Some(entity) => {
                commands.entity(entity).insert(varying);
                entity
            }
            None => commands
                .spawn((
                    ChildOf(template.terrain),
                    Mesh3d(template.mesh.clone()),
                    MeshMaterial3d(set.material.clone()),
                    NoAutoAabb,
                    varying,
                ))
                .id(),
        };
        set.drawn.insert(chunk, entity);
    }
    for entity in newly_spare.into_iter().filter(|entity| set.spare.contains(entity)) {
        commands.entity(entity).insert(Visibility::Hidden);
    }
}
