//! The chunks that are drawn: for each pair of a terrain and a camera a set of its own, so that each
//! camera has its own level of detail.
//!
//! Private render layers would have kept the sets apart too, but then every light of a game would
//! have to be put on them. Instead all sets are on the terrain's layers, and what Bevy found visible
//! is filtered: a camera, and the shadows thrown for it, keep their own chunks.

use std::collections::HashMap;

use bevy::asset::AssetEventSystems;
use bevy::asset::RenderAssetUsages;
use bevy::camera::CameraUpdateSystems;
use bevy::camera::primitives::{Aabb, Frustum};
use bevy::camera::visibility::{
    CascadesVisibleEntities, CubemapVisibleEntities, NoAutoAabb, RenderLayers, VisibilitySystems,
    VisibleEntities, VisibleMeshEntities,
};
use bevy::ecs::entity::EntityHashMap;
use bevy::light::SimulationLightSystems;
use bevy::mesh::{Indices, MeshTag, PrimitiveTopology};
use bevy::prelude::*;

use crate::lod::{Chunk, Pyramid, QUADS, Ranges, select, select_where};
use crate::plugin::material::{TerrainExtension, TerrainMaterial, TerrainUniform, ground_material};
use crate::plugin::terrain::{HeightMapping, TerrainGround};
use crate::plugin::view::TerrainView;

/// A chunk of a terrain as a camera sees it. Its transform holds its north-west corner and its size.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerrainChunk {
    /// The terrain, which is also the parent.
    pub terrain: Entity,
    /// The camera that it is drawn for, and no other.
    pub camera: Entity,
    /// Its place in the quadtree.
    pub chunk: Chunk,
}

/// The grid that every chunk of every terrain is drawn with.
#[derive(Resource)]
pub(crate) struct ChunkMesh(Handle<Mesh>);

/// The chunks of a terrain, by camera.
#[derive(Component, Default)]
pub(crate) struct ChunkSets(EntityHashMap<ChunkSet>);

/// The chunks of a terrain for one camera.
#[derive(Default)]
struct ChunkSet {
    material: Handle<TerrainMaterial>,
    drawn: HashMap<Chunk, Entity>,
    /// Hidden entities that wait to be used again.
    spare: Vec<Entity>,
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
    }
}

/// How a terrain is placed and mapped, and what it is drawn on.
type TerrainParts = (
    Entity,
    Ref<'static, TerrainGround>,
    Ref<'static, HeightMapping>,
    &'static GlobalTransform,
    Option<Ref<'static, RenderLayers>>,
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

/// Chooses each camera's chunks and brings the entities into line.
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
        let refresh =
            ground.is_changed() || mapping.is_changed() || layers.as_ref().is_some_and(Ref::is_changed);
        let layers = layers.map(|layers| RenderLayers::clone(&layers)).unwrap_or_default();
        let sees =
            |camera_layers: Option<&RenderLayers>| camera_layers.unwrap_or_default().intersects(&layers);

        sets.0.retain(|camera, set| {
            let stays = cameras.get(*camera).is_ok_and(|(.., layers)| sees(layers));
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
            let land = Land { pyramid: &ground.pyramid, mapping: *mapping, placement };
            let Some(choice) = choose(projection, frustum, eye, &view, land) else { continue };
            let set = sets.0.entry(camera).or_default();
            let material =
                material(&ground, &mapping, placement, &view, eye.translation(), choice.near_range);
            update_material(set, material, &mut materials);
            let template = ChunkTemplate { terrain, camera, mesh: &mesh.0, layers: &layers };
            update_entities(set, choice.chunks, &template, refresh, &mut commands, |chunk| {
                Placed::new(chunk, land)
            });
        }
    }
}

/// A terrain's shape and where it is.
#[derive(Clone, Copy)]
struct Land<'a> {
    pyramid: &'a Pyramid,
    mapping: HeightMapping,
    placement: &'a GlobalTransform,
}

/// What a camera sees of a terrain.
struct Choice {
    chunks: Vec<Chunk>,
    /// World distance up to which the finest level reaches; infinite where nothing morphs.
    near_range: f32,
}

/// How far the finest level may reach, in cells, whatever a telescope asks for: some 3000 chunks.
const MAX_NEAR_CELLS: f32 = 1024.0;

/// The chunks for a camera; `None` while the camera has no size yet, or the terrain none.
fn choose(
    camera: &Camera,
    frustum: &Frustum,
    eye: &GlobalTransform,
    view: &TerrainView,
    land: Land,
) -> Option<Choice> {
    let viewport_height = camera.physical_viewport_size()?.y as f32;
    let grid = land.pyramid.grid();
    let clip_from_view = camera.clip_from_view();
    // Pixels that a metre covers: at a metre's distance, or everywhere without perspective.
    let pixels_per_metre = clip_from_view.y_axis.y.abs() * viewport_height * 0.5;
    let field_to_world = land.placement.affine();
    let world_per_field = field_to_world.matrix3.x_axis.length();
    if !(world_per_field.is_normal() && pixels_per_metre.is_normal()) {
        return None;
    }
    let pixels_per_cell = grid.cell * world_per_field * pixels_per_metre;
    let quad_pixels = view.quad_pixels.max(1.0);

    if clip_from_view.w_axis.w == 1.0 {
        // Without perspective one level is right for all that is seen, so nothing needs to morph;
        // what is beyond the picture's border stays coarse.
        let level = (quad_pixels / pixels_per_cell).log2().floor().clamp(0.0, 30.0) as u32;
        let chunks = select_where(land.pyramid, |chunk, _| {
            let placed = Placed::new(chunk, land);
            chunk.level <= level
                || !frustum.intersects_obb(&placed.bounds, &placed.global.affine(), true, true)
        });
        return Some(Choice { chunks, near_range: f32::INFINITY });
    }
    let near_cells = (pixels_per_metre / quad_pixels).clamp(f32::MIN_POSITIVE, MAX_NEAR_CELLS);
    let near_in_field = near_cells * grid.cell;
    let eye_in_field = field_to_world.inverse().transform_point3(eye.translation());
    let ranges = Ranges::new(near_in_field, grid);
    let chunks = select(land.pyramid, ranges, eye_in_field, |height| land.mapping.map(height));
    Some(Choice { chunks, near_range: near_in_field * world_per_field })
}

fn material(
    ground: &TerrainGround,
    mapping: &HeightMapping,
    placement: &GlobalTransform,
    view: &TerrainView,
    eye: Vec3,
    near_range: f32,
) -> TerrainExtension {
    let grid = ground.pyramid.grid();
    let (low, high) = ground.pyramid.bounds(ground.pyramid.root()).unwrap_or_default();
    let uniform = TerrainUniform {
        world_from_field: placement.to_matrix(),
        extent: grid.extent(),
        last: IVec2::new(grid.width as i32 - 1, grid.depth as i32 - 1),
        cell: grid.cell,
        scale: mapping.scale,
        bias: mapping.bias,
        // The largest finite number stands for infinity, which shaders need not know.
        near_range: near_range.min(f32::MAX),
        coarsest: Ranges::new(near_range, grid).coarsest,
        debug_view: view.debug as u32,
        contour_step: round_step((high - low) * mapping.scale.abs() / 20.0),
        detail: if view.detail.is_finite() { view.detail } else { 0.0 },
        shadow_eye: eye.extend(0.0),
    };
    TerrainExtension {
        uniform,
        heights: ground.heights.clone(),
        gradients: ground.gradients.clone(),
        colours: ground.colours.clone(),
        shading: view.shading,
    }
}

/// The next 1, 2 or 5 times a power of ten; 1 for no step.
fn round_step(step: f32) -> f32 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f32.powf(step.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&round| round >= step)
        .unwrap_or(power * 10.0)
}

/// How far the eye may move before shadows are told of it, as a share of the near range: less than
/// what [`MORPH_END`](crate::lod::MORPH_END) leaves free, so that no crack opens.
const SHADOW_EYE_LAG: f32 = 0.01;

/// Changes a set's material only where it differs: a change binds its textures anew.
fn update_material(
    set: &mut ChunkSet,
    mut extension: TerrainExtension,
    materials: &mut Assets<TerrainMaterial>,
) {
    let before = materials.get(&set.material);
    if let Some(before) = before.map(|material| material.extension.uniform) {
        let uniform = &mut extension.uniform;
        if before.shadow_eye.distance(uniform.shadow_eye) < SHADOW_EYE_LAG * uniform.near_range {
            uniform.shadow_eye = before.shadow_eye;
        }
    }
    match before {
        None => set.material = materials.add(TerrainMaterial { base: ground_material(), extension }),
        Some(material) if !is_same(&material.extension, &extension) => {
            if let Some(mut material) = materials.get_mut(&set.material) {
                material.extension = extension;
            }
        }
        Some(_) => {}
    }
}

fn is_same(a: &TerrainExtension, b: &TerrainExtension) -> bool {
    a.uniform == b.uniform
        && a.shading == b.shading
        && a.heights == b.heights
        && a.gradients == b.gradients
        && a.colours == b.colours
}

/// What all chunks of a set have in common.
struct ChunkTemplate<'a> {
    terrain: Entity,
    camera: Entity,
    mesh: &'a Handle<Mesh>,
    layers: &'a RenderLayers,
}

/// What differs from chunk to chunk.
struct Placed {
    transform: Transform,
    global: GlobalTransform,
    bounds: Aabb,
}

impl Placed {
    fn new(chunk: Chunk, land: Land) -> Self {
        let grid = land.pyramid.grid();
        let size = chunk.cells() as f32 * grid.cell;
        let (north_west, south_east) = chunk.rectangle(grid);
        let origin = north_west - grid.extent() * 0.5;
        let transform = Transform::from_xyz(origin.x, 0.0, origin.y).with_scale(Vec3::new(size, 1.0, size));
        let (low, high) = land.pyramid.bounds(chunk).unwrap_or_default();
        let heights = [land.mapping.map(low), land.mapping.map(high)];
        let part = (south_east - north_west) / size;
        let bounds = Aabb::from_min_max(
            Vec3::new(0.0, heights[0].min(heights[1]), 0.0),
            Vec3::new(part.x, heights[0].max(heights[1]), part.y),
        );
        Self { transform, global: *land.placement * transform, bounds }
    }
}

/// Gives each chosen chunk an entity: the one that it has, a spare one, or a new one.
fn update_entities(
    set: &mut ChunkSet,
    chosen: Vec<Chunk>,
    template: &ChunkTemplate,
    refresh: bool,
    commands: &mut Commands,
    place: impl Fn(Chunk) -> Placed,
) {
    let mut before = std::mem::take(&mut set.drawn);
    let mut missing = Vec::new();
    for chunk in chosen {
        match before.remove(&chunk) {
            Some(entity) if !refresh => drop(set.drawn.insert(chunk, entity)),
            Some(entity) => {
                set.spare.push(entity);
                missing.push(chunk);
            }
            None => missing.push(chunk),
        }
    }
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

/// Takes other cameras' chunks out of what a camera and the shadows for it were found to show.
fn keep_own_chunks(
    chunks: Query<&TerrainChunk>,
    terrains: Query<(Entity, &ChunkSets)>,
    mut cameras: Query<(Entity, &mut VisibleEntities), With<Camera3d>>,
    mut suns: Query<&mut CascadesVisibleEntities>,
    mut points: Query<&mut CubemapVisibleEntities>,
    mut spots: Query<&mut VisibleMeshEntities>,
) {
    let is_seen_by =
        |entity: Entity, camera: Entity| chunks.get(entity).map_or(true, |chunk| chunk.camera == camera);
    for (camera, mut visible) in &mut cameras {
        for entities in visible.entities.values_mut() {
            entities.retain(|&entity| is_seen_by(entity, camera));
        }
    }
    for mut sun in &mut suns {
        for (&camera, cascades) in &mut sun.entities {
            for cascade in cascades {
                cascade.entities.retain(|&entity| is_seen_by(entity, camera));
            }
        }
    }
    // The shadows of lamps are the same for all cameras: one camera's chunks throw them.
    let lamp_cameras: EntityHashMap<Entity> =
        terrains.iter().filter_map(|(terrain, sets)| Some((terrain, *sets.0.keys().min()?))).collect();
    let throws_shadow = |entity: &Entity| {
        chunks.get(*entity).map_or(true, |chunk| lamp_cameras.get(&chunk.terrain) == Some(&chunk.camera))
    };
    for mut point in &mut points {
        for face in point.iter_mut() {
            face.entities.retain(throws_shadow);
        }
    }
    for mut spot in &mut spots {
        spot.entities.retain(throws_shadow);
    }
}

/// A flat grid of [`QUADS`]² quads over the unit square, +x east, +z south. Each quad is cut from
/// its north-east to its south-west corner, as [`sample_surface`] does.
///
/// [`sample_surface`]: crate::Heightfield::sample_surface
fn chunk_mesh() -> Mesh {
    let side = QUADS + 1;
    let points = (0..side * side).map(|index| {
        let (column, row) = (index % side, index / side);
        [column, row].map(|count| count as f32 / QUADS as f32)
    });
    let positions: Vec<[f32; 3]> = points.clone().map(|[x, z]| [x, 0.0, z]).collect();
    let uvs: Vec<[f32; 2]> = points.collect();
    let indices = (0..QUADS * QUADS).flat_map(|index| {
        let nw = (index / QUADS * side + index % QUADS) as u16;
        let (ne, sw, se) = (nw + 1, nw + side as u16, nw + side as u16 + 1);
        [nw, sw, ne, ne, sw, se]
    });
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U16(indices.collect()))
}
