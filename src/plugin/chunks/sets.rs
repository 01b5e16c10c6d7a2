//! Chunk entities: a set for each pair of a terrain and a camera, so that each camera has its own level of
//! detail.

use std::time::Instant;

use bevy::camera::primitives::{Aabb, Frustum};
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;

use super::choose::{Placed, eye};
use super::pieces::{PartMeshes, PieceKind, PieceTemplate, Pieces};
use crate::plugin::device::TexelPatches;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{
    AmbientShape, CloudsUniform, EarlierTime, HeightMapping, LandPlacement, SeenLand, Submersion,
    TerrainCanopy, TerrainExtension, TerrainMaterial, TerrainUniform, TerrainView, TerrainViewshed, WallLook,
    ground_material,
};
use crate::plugin::stream::{Stream, TerrainBudget, TerrainStatistics};
use crate::plugin::terrain::{
    TerrainAnchor, TerrainFailed, TerrainGround, TerrainSides, TerrainTileEvents, report_failure,
    report_tiles,
};
use crate::stream::{ChunkBounds, DrawnChunk, Eye};

/// The meshes that every chunk of every terrain is drawn with.
#[derive(Resource)]
pub(crate) struct ChunkMeshes {
    pub(super) ground: PartMeshes,
    pub(super) walls: PartMeshes,
}

/// The chunks of a terrain, by camera.
#[derive(Component, Default)]
pub(crate) struct ChunkSets {
    by_camera: EntityHashMap<ChunkSet>,
    /// The terrain's render layers, which all its chunks share.
    layers: RenderLayers,
}

impl ChunkSets {
    /// The cameras that chunks are drawn for.
    pub(crate) fn cameras(&self) -> impl Iterator<Item = Entity> {
        self.by_camera.keys().copied()
    }

    /// One of the cameras, the same in every frame.
    pub(crate) fn first_camera(&self) -> Option<Entity> {
        // By entity: the order of a hash map may change from frame to frame.
        self.cameras().min()
    }

    /// The ground as that camera sees it, once it does.
    pub(crate) fn first_seen<'a>(
        &self,
        materials: &'a Assets<TerrainMaterial>,
    ) -> Option<&'a TerrainUniform> {
        self.seen_by(self.first_camera()?, materials)
    }

    /// The ground as a camera sees it, once it does.
    pub(crate) fn seen_by<'a>(
        &self,
        camera: Entity,
        materials: &'a Assets<TerrainMaterial>,
    ) -> Option<&'a TerrainUniform> {
        let set = self.by_camera.get(&camera)?;
        Some(&materials.get(&set.material)?.extension.uniform)
    }
}

/// The chunks of a terrain for one camera.
#[derive(Default)]
struct ChunkSet {
    material: Handle<TerrainMaterial>,
    ground: Pieces,
    walls: Option<Walls>,
    /// Set when the ground, the height mapping, the layers or the sides have changed.
    is_stale: bool,
}

/// The walls under the border of a terrain with sides.
#[derive(Default)]
struct Walls {
    material: Handle<TerrainMaterial>,
    pieces: Pieces,
}

impl ChunkSet {
    fn entities(&self) -> impl Iterator<Item = Entity> {
        self.ground.entities().chain(self.walls.iter().flat_map(|walls| walls.pieces.entities()))
    }
}

/// Despawns the chunks of a terrain that has lost its ground.
pub(super) fn clear(removed: On<Remove, TerrainGround>, terrains: Query<&ChunkSets>, mut commands: Commands) {
    let Ok(sets) = terrains.get(removed.entity) else { return };
    for chunk in sets.by_camera.values().flat_map(ChunkSet::entities) {
        commands.entity(chunk).try_despawn();
    }
    commands.entity(removed.entity).try_remove::<ChunkSets>();
}

/// The placement of a terrain, its height mapping, its ground and its tiles, its sides.
type TerrainParts = (
    Entity,
    Ref<'static, TerrainGround>,
    &'static mut Stream,
    Ref<'static, HeightMapping>,
    (&'static GlobalTransform, &'static PrecisePlace),
    Option<Ref<'static, TerrainSides>>,
    Option<&'static RenderLayers>,
    (Option<&'static TerrainViewshed>, Option<&'static TerrainCanopy>),
    Option<&'static mut ChunkSets>,
    Option<&'static mut TerrainTileEvents>,
);

/// The components that a camera's level of detail depends on.
type CameraParts = (
    Entity,
    &'static Camera,
    &'static Frustum,
    &'static GlobalTransform,
    Option<&'static TerrainView>,
    (Option<&'static Submersion>, Option<&'static AmbientShape>, Option<&'static CloudsUniform>),
    Option<&'static DistanceFog>,
    Option<&'static RenderLayers>,
);

/// A camera that sees a terrain.
struct View {
    camera: Entity,
    eye: Eye,
    eye_in_world: Vec3,
    settings: TerrainView,
    submersion: Submersion,
    ambient: AmbientShape,
    clouds: CloudsUniform,
}

/// A terrain as all cameras draw it.
struct DrawnLand<'a> {
    terrain: Entity,
    ground: &'a TerrainGround,
    stream: &'a Stream,
    land: &'a LandPlacement,
    placement: &'a GlobalTransform,
    layers: &'a RenderLayers,
    walls: Option<WallLook>,
    earlier: EarlierTime,
    viewshed: Option<&'a TerrainViewshed>,
    canopy: Option<&'a TerrainCanopy>,
    meshes: &'a ChunkMeshes,
}

/// Whether a camera's layers are among a terrain's.
fn sees(layers: &RenderLayers, of_camera: Option<&RenderLayers>) -> bool {
    of_camera.unwrap_or_default().intersects(layers)
}

/// Takes in tiles that have been made, orders those that cameras need, selects each camera's chunks and
/// updates their entities.
pub(crate) fn update_chunks(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    cameras: Query<CameraParts, With<Camera3d>>,
    anchors: Query<(&TerrainAnchor, &GlobalTransform)>,
    meshes: Res<ChunkMeshes>,
    (mut materials, mut patches): (ResMut<Assets<TerrainMaterial>>, ResMut<TexelPatches>),
    (budget, time): (Res<TerrainBudget>, Option<Res<Time>>),
    mut statistics: ResMut<TerrainStatistics>,
) {
    let begun = Instant::now();
    *statistics = TerrainStatistics::default();
    let mut frame = budget.frame();
    for (
        terrain,
        ground,
        mut stream,
        mapping,
        (placement, place),
        sides,
        layers,
        (viewshed, canopy),
        sets,
        events,
    ) in &mut terrains
    {
        // It changes in every frame; marking it would wake up everything that filters by `Changed<Stream>`.
        let stream = stream.bypass_change_detection();
        // Before the plan, so that tiles which have arrived are not ordered again, and are drawn in this
        // frame.
        if let Some(error) = stream.receive(&mut frame, &mut patches) {
            report_failure(&mut commands, TerrainFailed::new(terrain, error));
        }
        // They exist once the command has run, so chunks are chosen from the next frame on.
        let Some(mut sets) = sets else {
            commands.entity(terrain).try_insert(ChunkSets::default());
            continue;
        };
        let layers = layers.unwrap_or_default();
        let is_stale =
            ground.is_changed() || mapping.is_changed() || sides.as_ref().is_some_and(Ref::is_changed);
        let shape = stream.residency().shape();
        let walls = sides.as_deref().and_then(|sides| sides.walls(shape, ground.height_range(), *mapping));
        sets.follow(layers, is_stale, walls.is_some(), &cameras, &mut commands);
        let Some(land) = LandPlacement::new(place.or(placement), ground.origin, *mapping) else {
            // Nowhere, and so not drawn.
            sets.clear(&mut commands);
            continue;
        };
        let views = follow_cameras(stream, &cameras, layers, &land);
        let of_anchors = anchors.iter().filter_map(|(anchor, transform)| anchor.eye(transform, &land));
        let eyes: Vec<Eye> = views.iter().map(|view| view.eye.clone()).chain(of_anchors).collect();
        // One plan for all eyes: each tile is ordered once, for the eye that needs it most.
        stream.plan(&eyes, land.drawn(), &mut patches);
        if let Some(mut events) = events {
            report_tiles(&mut commands, terrain, events.bypass_change_detection(), stream, &land);
        }
        let drawn = DrawnLand {
            terrain,
            ground: &ground,
            stream,
            land: &land,
            placement,
            layers,
            walls,
            viewshed,
            canopy,
            earlier: EarlierTime::of(time.as_deref()),
            meshes: &meshes,
        };
        for view in &views {
            let set = sets.by_camera.entry(view.camera).or_default();
            set.draw(view, &drawn, &mut materials, &mut commands);
        }
        stream.report(&mut statistics);
    }
    statistics.systems_ms = begun.elapsed().as_secs_f32() * 1e3;
}

/// The cameras that see a terrain, and how fast each moves over it: tiles are ordered ahead of them.
fn follow_cameras(
    stream: &mut Stream,
    cameras: &Query<CameraParts, With<Camera3d>>,
    layers: &RenderLayers,
    land: &LandPlacement,
) -> Vec<View> {
    stream.keep_cameras(|camera| cameras.contains(camera));
    let mut views = Vec::new();
    for (camera, picture, frustum, transform, view, (submersion, ambient, clouds), fog, of_camera) in cameras
    {
        // An inactive camera orders no tiles, but `ChunkSets::follow` keeps its chunks for when it is active
        // again.
        if !picture.is_active || !sees(layers, of_camera) {
            continue;
        }
        let settings = view.copied().unwrap_or_default();
        let Some(mut eye) = eye(picture, frustum, transform, &settings, fog, land) else { continue };
        eye.velocity = stream.velocity(camera, eye.position);
        views.push(View {
            camera,
            eye,
            eye_in_world: transform.translation(),
            settings,
            submersion: submersion.copied().unwrap_or_default(),
            ambient: ambient.copied().unwrap_or_default(),
            clouds: clouds.copied().unwrap_or_default(),
        });
    }
    views
}

impl ChunkSets {
    /// Despawns the sets of cameras that are gone or see other layers, and walls where there are none any
    /// more.
    fn follow(
        &mut self,
        layers: &RenderLayers,
        is_stale: bool,
        has_walls: bool,
        cameras: &Query<CameraParts, With<Camera3d>>,
        commands: &mut Commands,
    ) {
        let is_stale = is_stale || self.layers != *layers;
        self.layers = layers.clone();
        self.by_camera.retain(|camera, set| {
            let stays = cameras.get(*camera).is_ok_and(|(.., of_camera)| sees(layers, of_camera));
            set.is_stale |= is_stale;
            if let Some(walls) = set.walls.take_if(|_| !has_walls) {
                walls.pieces.entities().for_each(|wall| commands.entity(wall).try_despawn());
            }
            if !stays {
                set.despawn(commands);
            }
            stays
        });
    }

    /// Despawns everything.
    fn clear(&mut self, commands: &mut Commands) {
        self.by_camera.drain().for_each(|(_, set)| set.despawn(commands));
    }
}

impl ChunkSet {
    fn despawn(&self, commands: &mut Commands) {
        self.entities().for_each(|chunk| commands.entity(chunk).try_despawn());
    }

    /// Draws what a camera sees of a terrain in this frame.
    fn draw(
        &mut self,
        view: &View,
        drawn: &DrawnLand,
        materials: &mut Assets<TerrainMaterial>,
        commands: &mut Commands,
    ) {
        let &DrawnLand { stream, land, .. } = drawn;
        let residency = stream.residency();
        let seen = SeenLand {
            residency,
            textures: stream.textures(),
            cover: drawn.ground.cover.as_ref(),
            placement: land,
            height_range: drawn.ground.height_range(),
            eye: &view.eye,
            eye_in_world: view.eye_in_world,
            view: &view.settings,
            submersion: &view.submersion,
            ambient: view.ambient,
            clouds: view.clouds,
            earlier: drawn.earlier,
            walls: drawn.walls,
            viewshed: drawn.viewshed,
            canopy: drawn.canopy,
        };
        // The extension before is passed on because its anchor is kept while the eye stays near it.
        update_material(&mut self.material, materials, |before| TerrainExtension::new(&seen, before));
        let is_stale = std::mem::take(&mut self.is_stale);
        let chosen = residency.select(&view.eye, land.drawn());
        let template = PieceTemplate {
            terrain: drawn.terrain,
            camera: view.camera,
            meshes: &drawn.meshes.ground,
            material: &self.material,
            layers: drawn.layers,
            finest: residency.shape().finest,
            kind: PieceKind::Ground,
        };
        self.ground.update(chosen.iter().copied(), is_stale, &template, commands, |chunk, known| {
            drawn.place(Placed::new(chunk, known, residency.shape(), drawn.ground.origin, land))
        });
        if let Some(look) = drawn.walls {
            let walls = self.walls.get_or_insert_default();
            walls.draw(look, &chosen, is_stale, (template, drawn), materials, commands);
        }
    }
}

impl Walls {
    /// Draws a wall under each chosen chunk at the border, in the material of the ground.
    fn draw(
        &mut self,
        look: WallLook,
        chosen: &[(DrawnChunk, ChunkBounds)],
        is_stale: bool,
        (ground, drawn): (PieceTemplate, &DrawnLand),
        materials: &mut Assets<TerrainMaterial>,
        commands: &mut Commands,
    ) {
        let of_ground = materials.get(ground.material).map(|material| material.extension.of_walls());
        let Some(of_walls) = of_ground else { return };
        update_material(&mut self.material, materials, |_| of_walls);
        let template = PieceTemplate {
            meshes: &drawn.meshes.walls,
            material: &self.material,
            kind: PieceKind::Wall,
            ..ground
        };
        let shape = drawn.stream.residency().shape();
        let at_border = chosen.iter().copied().filter(|(chunk, _)| shape.is_at_border(chunk.place()));
        self.pieces.update(at_border, is_stale, &template, commands, |chunk, known| {
            let placed = Placed::new(chunk, known, shape, drawn.ground.origin, drawn.land);
            drawn.place(placed.down_to(look.foot))
        });
    }
}

impl DrawnLand<'_> {
    /// Where a chunk is drawn: its transform, that in the world, and its bounds.
    fn place(&self, placed: Placed) -> (Transform, GlobalTransform, Aabb) {
        (placed.transform, *self.placement * placed.transform, placed.bounds)
    }
}

/// Changes a material only if it differs, because a change rebinds its textures.
fn update_material(
    material: &mut Handle<TerrainMaterial>,
    materials: &mut Assets<TerrainMaterial>,
    extension: impl FnOnce(Option<&TerrainExtension>) -> TerrainExtension,
) {
    // `get` for the comparison: `get_mut` alone would mark the material as changed.
    let before = materials.get(&*material).map(|material| &material.extension);
    let extension = extension(before);
    match before {
        None => {
            let base = ground_material(extension.has_holes);
            *material = materials.add(TerrainMaterial { base, extension });
        }
        Some(before) if *before != extension => {
            let has_holes = (before.has_holes != extension.has_holes).then_some(extension.has_holes);
            if let Some(mut material) = materials.get_mut(&*material) {
                if let Some(has_holes) = has_holes {
                    material.base = ground_material(has_holes);
                }
                material.extension = extension;
            }
        }
        Some(_) => {}
    }
}
