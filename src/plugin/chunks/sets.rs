//! Chunk entities: a set for each pair of a terrain and a camera, so that each camera has its own level of
//! detail.

use std::collections::HashMap;
use std::time::Instant;

use bevy::asset::AssetEventSystems;
use bevy::camera::CameraUpdateSystems;
use bevy::camera::primitives::{Aabb, Frustum};
use bevy::camera::visibility::{NoAutoAabb, RenderLayers, VisibilitySystems};
use bevy::ecs::entity::EntityHashMap;
use bevy::light::SimulationLightSystems;
use bevy::mesh::MeshTag;
use bevy::prelude::*;

use super::choose::{Placed, eye};
use super::mesh::chunk_mesh;
use super::visibility::keep_own_chunks;
use crate::plugin::device::TexelPatches;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{
    HeightMapping, LandPlacement, SeenLand, Submersion, TerrainExtension, TerrainMaterial, TerrainUniform,
    TerrainView, ground_material,
};
use crate::plugin::stream::{Stream, TerrainBudget, TerrainStatistics};
use crate::plugin::terrain::{BuildSystems, TerrainFailed, TerrainGround};
use crate::stream::{Chunk, Known};

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

    /// The ground as that camera sees it, once it does.
    pub(crate) fn first_seen<'a>(
        &self,
        materials: &'a Assets<TerrainMaterial>,
    ) -> Option<&'a TerrainUniform> {
        let set = self.by_camera.get(&self.first_camera()?)?;
        Some(&materials.get(&set.material)?.extension.uniform)
    }
}

/// The chunks of a terrain for one camera.
#[derive(Default)]
struct ChunkSet {
    material: Handle<TerrainMaterial>,
    drawn: HashMap<Chunk, DrawnChunk>,
    /// Hidden entities that are kept for reuse.
    spare: Vec<Entity>,
    /// Set when the ground, the height mapping or the layers have changed.
    is_stale: bool,
}

impl ChunkSet {
    fn entities(&self) -> impl Iterator<Item = Entity> {
        self.drawn.values().map(|drawn| drawn.entity).chain(self.spare.iter().copied())
    }
}

/// A chunk's entity, and what was known of its ground when it was placed.
#[derive(Clone, Copy)]
struct DrawnChunk {
    entity: Entity,
    known: Known,
}

pub(crate) struct ChunksPlugin;

impl Plugin for ChunksPlugin {
    fn build(&self, app: &mut App) {
        let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(chunk_mesh());
        app.insert_resource(ChunkMesh(mesh)).init_resource::<TerrainStatistics>().add_systems(
            PostUpdate,
            (
                update_chunks
                    // An edit reaches the tiles in its own frame.
                    .after(BuildSystems)
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
    for chunk in sets.by_camera.values().flat_map(ChunkSet::entities) {
        commands.entity(chunk).try_despawn();
    }
    commands.entity(removed.entity).try_remove::<ChunkSets>();
}

/// The placement of a terrain, its height mapping, its ground and its tiles.
type TerrainParts = (
    Entity,
    Ref<'static, TerrainGround>,
    &'static mut Stream,
    Ref<'static, HeightMapping>,
    (&'static GlobalTransform, &'static PrecisePlace),
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
    Option<&'static Submersion>,
    Option<&'static RenderLayers>,
);

/// Takes in tiles that have been made, orders those that cameras need, selects each camera's chunks and updates
/// their entities.
pub(crate) fn update_chunks(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    cameras: Query<CameraParts, With<Camera3d>>,
    mesh: Res<ChunkMesh>,
    (mut materials, mut patches): (ResMut<Assets<TerrainMaterial>>, ResMut<TexelPatches>),
    budget: Res<TerrainBudget>,
    mut statistics: ResMut<TerrainStatistics>,
) {
    let begun = Instant::now();
    *statistics = TerrainStatistics::default();
    for (terrain, ground, mut stream, mapping, (placement, place), layers, sets) in &mut terrains {
        let stream = stream.bypass_change_detection();
        if let Some(error) = stream.receive(&budget, &mut patches) {
            commands.trigger(TerrainFailed { entity: terrain, error: error.to_string() });
        }
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
                for chunk in set.entities() {
                    commands.entity(chunk).despawn();
                }
            }
            stays
        });

        let origin = ground.origin;
        let Some(land) = LandPlacement::new(place.or(placement), origin, *mapping) else { continue };
        stream.keep_cameras(|camera| cameras.contains(camera));
        let mut views = Vec::new();
        for (camera, picture, frustum, transform, view, submersion, camera_layers) in &cameras {
            if !picture.is_active || !sees(camera_layers) {
                continue;
            }
            let view = view.copied().unwrap_or_default();
            let Some(mut eye) = eye(picture, frustum, transform, &view, &land) else { continue };
            eye.velocity = stream.velocity(camera, eye.position);
            let submersion = submersion.copied().unwrap_or_default();
            views.push((camera, transform.translation(), (view, submersion), eye));
        }
        let eyes: Vec<_> = views.iter().map(|(.., eye)| eye.clone()).collect();
        stream.plan(&eyes, land.drawn(), &mut patches);

        let residency = stream.residency();
        for (camera, eye_in_world, (view, submersion), eye) in &views {
            let seen = SeenLand {
                residency,
                textures: stream.textures(),
                cover: ground.cover.as_ref(),
                placement: &land,
                height_range: ground.height_range(),
                eye,
                eye_in_world: *eye_in_world,
                view,
                submersion,
            };
            let set = sets.by_camera.entry(*camera).or_default();
            update_material(set, &mut materials, |before| TerrainExtension::new(&seen, before));
            let chosen = residency.select(eye, land.drawn());
            let chosen = chosen.into_iter().filter_map(|chunk| Some((chunk, residency.known(chunk)?)));
            let shape = *residency.shape();
            let template =
                ChunkTemplate { terrain, camera: *camera, mesh: &mesh.0, layers, finest: shape.finest };
            update_entities(set, chosen, &template, &mut commands, |chunk, known| {
                let placed = Placed::new(chunk, known, &shape, origin, &land);
                (placed.transform, *placement * placed.transform, placed.bounds)
            });
        }
        stream.report(&mut statistics);
    }
    statistics.systems_ms = begun.elapsed().as_secs_f32() * 1e3;
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

/// What all chunks of a set share.
struct ChunkTemplate<'a> {
    terrain: Entity,
    camera: Entity,
    mesh: &'a Handle<Mesh>,
    layers: &'a RenderLayers,
    /// The land's finest level.
    finest: i32,
}

/// Gives each selected chunk an entity: its present one, a spare one, or a new one.
fn update_entities(
    set: &mut ChunkSet,
    chosen: impl Iterator<Item = (Chunk, Known)>,
    template: &ChunkTemplate,
    commands: &mut Commands,
    place: impl Fn(Chunk, Known) -> (Transform, GlobalTransform, Aabb),
) {
    let kept = set.spare.len();
    let mut before = std::mem::take(&mut set.drawn);
    let mut missing = Vec::new();
    for (chunk, known) in chosen {
        match before.remove(&chunk) {
            Some(drawn) if !set.is_stale => {
                if drawn.known != known {
                    commands.entity(drawn.entity).insert(place(chunk, known).2);
                }
                set.drawn.insert(chunk, DrawnChunk { known, ..drawn });
            }
            Some(drawn) => {
                set.spare.push(drawn.entity);
                missing.push((chunk, known));
            }
            None => missing.push((chunk, known)),
        }
    }
    set.is_stale = false;
    set.spare.extend(before.into_values().map(|drawn| drawn.entity));
    for (chunk, known) in missing {
        let varying = (
            place(chunk, known),
            MeshTag(chunk.pack(template.finest)),
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
        set.drawn.insert(chunk, DrawnChunk { entity, known });
    }
    // What was there before is hidden already.
    for &entity in set.spare.iter().skip(kept) {
        commands.entity(entity).insert(Visibility::Hidden);
    }
}
