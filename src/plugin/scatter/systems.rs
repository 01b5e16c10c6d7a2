//! The systems: from a terrain's rules to the entities that draw its objects.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::RenderLayers;
use bevy::math::{DVec2, DVec3};
use bevy::pbr::DistanceFog;
use bevy::prelude::*;

use super::cells::Watcher;
use super::components::{ScatterBudget, ScatterFailed, ScatterStatistics, TerrainScatter, Wind};
use super::draw::{CameraSet, Drawing, ImpostorTemplates};
use super::looks::{Looks, Wardrobe};
use super::material::{ScatterMaterial, Seen, ground_uniform};
use super::objects::ScatterObjects;
use super::pool::InstancePool;
use super::spawned::Spawning;
use super::state::{Base, Changed, Scattering, is_alike};
use super::wear::Wear;
use crate::Error;
use crate::plants::Season;
use crate::plugin::chunks::{ChunkSets, eye};
use crate::plugin::device::TexelPatches;
use crate::plugin::events::tell_failure;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{DebugView, HeightMapping, LandPlacement, TerrainMaterial, TerrainView};
use crate::plugin::stream::Stream;
use crate::plugin::terrain::{TerrainChanged, TerrainGround, TerrainStatus};
use crate::scatter::Scatter;
use crate::stream::{Eye, KnownGround};

/// The share of a long frame that may be worked in it, where that is more than the budget.
const SHARE_OF_FRAME: f32 = 0.02;

/// Metres above the highest ground from which on an eye counts as being above it: objects are that high.
const ABOVE: f64 = 50.0;

/// Ends what is scattered on a terrain that has lost its ground.
pub(super) fn clear(
    removed: On<Remove, TerrainGround>,
    mut terrains: Query<&mut Scattering>,
    mut commands: Commands,
) {
    if let Ok(mut scattering) = terrains.get_mut(removed.entity) {
        scattering.end(&mut commands);
    }
}

type TerrainParts = (
    Entity,
    &'static TerrainScatter,
    &'static TerrainStatus,
    Option<&'static TerrainGround>,
    Option<&'static Stream>,
    &'static HeightMapping,
    (&'static GlobalTransform, &'static PrecisePlace),
    Option<&'static RenderLayers>,
    Option<&'static ChunkSets>,
    &'static mut Scattering,
);

type CameraParts = (
    Entity,
    &'static Camera,
    &'static Frustum,
    &'static GlobalTransform,
    Option<&'static TerrainView>,
    Option<&'static DistanceFog>,
    Option<&'static RenderLayers>,
);

/// A camera that sees a terrain.
struct View {
    camera: Entity,
    eye: Eye,
    seen: Seen,
    settings: TerrainView,
}

/// The assets that are made here.
type Made<'w> = (
    ResMut<'w, Assets<Mesh>>,
    ResMut<'w, Assets<Image>>,
    ResMut<'w, Assets<ScatterMaterial>>,
    Res<'w, Assets<TerrainMaterial>>,
    ResMut<'w, TexelPatches>,
);

/// Takes in cells that have been placed, orders those that cameras need, and keeps the entities that draw them.
pub(super) fn update_scatter(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    cameras: Query<CameraParts, With<Camera3d>>,
    mut changes: MessageReader<TerrainChanged>,
    (objects, mut wardrobe): (Res<ScatterObjects>, ResMut<Wardrobe>),
    (budget, wind, templates): (Res<ScatterBudget>, Res<Wind>, Res<ImpostorTemplates>),
    (mut meshes, mut images, mut materials, grounds, mut patches): Made,
    mut statistics: ResMut<ScatterStatistics>,
    mut last: Local<Option<Instant>>,
) {
    let begun = Instant::now();
    *statistics = ScatterStatistics::default();
    let frame = last.replace(begun).map_or(0.0, |last| (begun - last).as_secs_f32() * 1e3);
    let budget =
        ScatterBudget { main_thread_ms: budget.main_thread_ms.max(SHARE_OF_FRAME * frame), ..*budget };
    wardrobe.follow(&objects);
    let mut changed: HashMap<Entity, Changed> = HashMap::new();
    for TerrainChanged { terrain, area } in changes.read() {
        let change = area.map_or(Changed::All, Changed::Area);
        changed.entry(*terrain).and_modify(|before| *before = before.and(change)).or_insert(change);
    }
    let mut is_worn = false;

    for (
        terrain,
        settings,
        status,
        ground,
        stream,
        mapping,
        (transform, place),
        layers,
        sets,
        mut scattering,
    ) in &mut terrains
    {
        let scattering = scattering.bypass_change_detection();
        if let Some(change) = changed.get(&terrain).filter(|_| scattering.source.is_some()) {
            scattering.changed = Some(scattering.changed.map_or(*change, |before| before.and(*change)));
        }
        let (Some(ground), Some(stream)) = (ground, stream) else {
            scattering.is_drawn = true;
            continue;
        };
        let source = ground.recipe.as_ref();
        let has_rules = source.is_some_and(|source| source.recipe().followed_rules().next().is_some());
        if !settings.on || settings.distance.is_nan() || settings.distance <= 0.0 || !has_rules {
            // A land that is about to have other rules keeps those that it has.
            if !settings.on || *status == TerrainStatus::Ready {
                scattering.end(&mut commands);
            }
            continue;
        }
        let Some(land) = LandPlacement::new(place.or(transform), ground.origin, *mapping) else {
            // Nowhere, and so without plants. All is placed anew when it is somewhere again.
            scattering.end(&mut commands);
            continue;
        };
        is_worn = true;

        // The land as it is, once it is.
        if let Some(source) = source.filter(|_| *status == TerrainStatus::Ready) {
            let known = scattering.source.as_ref();
            let is_known = known.is_some_and(|known| Arc::ptr_eq(known, source));
            let is_like = is_known || known.is_some_and(|known| is_alike(known.recipe(), source.recipe()));
            if !is_like || (scattering.changed.is_some() && !scattering.is_preparing()) {
                scattering.prepare(source.clone());
            } else if !is_known {
                scattering.source = Some(source.clone());
            }
        }
        if let Some(Err(error)) = scattering.receive_scatter() {
            tell_once(&mut commands, terrain, scattering, "", Arc::new(error));
        }

        // What its rules draw.
        let season =
            source.map_or_else(Season::default, |source| settings.season.on(&source.recipe().texture));
        let is_worn_out = (scattering.season, scattering.edits) != (season, objects.edits());
        if is_worn_out {
            (scattering.season, scattering.edits) = (season, objects.edits());
            scattering.wear = None;
            scattering.told.clear();
        }
        let density = if settings.density.is_nan() { 1.0 } else { settings.density.clamp(0.0, 1.0) };
        if scattering.density != density {
            scattering.density = density;
            scattering.clear_cells(&mut commands);
            scattering.plan_anew();
        }
        let shape = *stream.shape();
        if let Some(scatter) = scattering.scatter.clone().filter(|_| scattering.wear.is_none()) {
            let mut rules = Vec::new();
            let mut is_pending = false;
            for (number, rule) in scatter.recipe().followed_rules() {
                match wardrobe.looks(&rule.object, season, &objects) {
                    Looks::Made(made) => rules.push((number, rule, made)),
                    Looks::Pending => is_pending = true,
                    Looks::Failed(error) => {
                        tell_once(&mut commands, terrain, scattering, &rule.object, error);
                    }
                }
            }
            scattering.awaits_looks = is_pending;
            if !is_pending {
                let mut wear = Wear::new(rules, &shape, &mut images);
                for (number, error) in std::mem::take(&mut wear.left_out) {
                    let object = object_of(&scatter, number);
                    tell_once(&mut commands, terrain, scattering, object, Arc::new(error));
                }
                scattering.put_on(wear, &mut commands);
            }
        }
        if scattering.pool.is_none() {
            scattering.pool = Some(InstancePool::new(budget.device_bytes, &mut images));
        }

        let layers = layers.unwrap_or_default();
        let textures = stream.textures();
        let base = Base {
            layers: layers.clone(),
            mapping: *mapping,
            origin: ground.origin,
            table: textures.table.id(),
        };
        if scattering.base.as_ref() != Some(&base) {
            scattering.base = Some(base);
            scattering.sets.drain().for_each(|(_, set)| set.clear(&mut commands));
        }
        let sees = |other: Option<&RenderLayers>| other.unwrap_or_default().intersects(layers);
        let stays = |camera: &Entity| cameras.get(*camera).is_ok_and(|(.., layers)| sees(layers));
        let gone: Vec<Entity> = scattering.sets.keys().filter(|camera| !stays(camera)).copied().collect();
        for camera in gone {
            if let Some(set) = scattering.sets.remove(&camera) {
                set.clear(&mut commands);
            }
        }

        // Where cameras are.
        let range = stream.residency().height_range().unwrap_or(ground.height_range());
        let (low, high) = land.drawn().range(range.0, range.1);
        let (mut views, mut watchers) = (Vec::new(), Vec::new());
        for (camera, picture, frustum, transform, view, fog, camera_layers) in &cameras {
            if !picture.is_active || !sees(camera_layers) {
                continue;
            }
            let view = view.copied().unwrap_or_default();
            let Some(eye) = eye(picture, frustum, transform, &view, fog, &land) else { continue };
            let seen = Seen::new(&eye, settings.distance);
            let forward = land.land_from_world.transform_vector3(transform.forward().as_dvec3());
            watchers.push(watcher(&eye, seen, forward.normalize_or_zero(), picture, [low, high]));
            views.push(View { camera, eye, seen, settings: view });
        }
        if let Some(error) = scattering.receive(&watchers, &budget, begun, &mut patches, &mut commands) {
            tell_once(&mut commands, terrain, scattering, "", Arc::new(error));
        }
        scattering.plan(&watchers, stream, f64::from(frame) * 1e-3, &mut commands);

        // What they see.
        let Scattering { cells, order, wear, pool, sets: own_sets, spawned, is_drawn, .. } = scattering;
        *is_drawn = true;
        let (Some(wear), Some(pool), Some(atlas)) = (wear.as_ref(), pool.as_ref(), wardrobe.atlas()) else {
            continue;
        };
        for View { camera, eye, seen, settings: view } in &views {
            let seen_ground = sets.and_then(|sets| sets.seen_by(*camera, &grounds));
            let Some(seen_ground) = seen_ground.filter(|_| view.debug == DebugView::None) else {
                if let Some(set) = own_sets.remove(camera) {
                    set.clear(&mut commands);
                }
                continue;
            };
            let set: &mut CameraSet = own_sets.entry(*camera).or_default();
            let uniform = ground_uniform(seen_ground, &land, eye, set.anchor);
            let sway = if settings.sway.is_finite() { settings.sway.clamp(0.0, 10.0) } else { 1.0 };
            let scatter = seen.uniform(wind.velocity() * sway);
            let worn = (uniform, scatter, view.shading);
            let pool_images = [&pool.pages_image, &pool.instances];
            let has_new = set.dress(wear, atlas, pool_images, textures, worn, &mut materials);
            let look = (*seen, settings.shadows);
            if has_new || set.seen != Some(look) {
                set.seen = Some(look);
                set.look_again();
            }
            let drawing = Drawing {
                terrain,
                camera: *camera,
                layers,
                placement: *transform,
                origin: ground.origin,
                land: &land,
                cell: shape.cell,
                eye: eye.position,
                seen: *seen,
                shadows: settings.shadows,
                templates: &templates,
            };
            let is_over = || begun.elapsed().as_secs_f32() * 1e3 > budget.main_thread_ms;
            *is_drawn &= set.update(cells, order, wear, &drawing, &mut commands, is_over);
        }
        if wear.rules.iter().any(|rule| rule.made.spawner.is_some()) {
            let known = KnownGround::new(stream.residency());
            let height = |x: f64, z: f64| known.at(x, z).map(|at| mapping.map(at.height));
            let eyes: Vec<DVec3> = views.iter().map(|view| view.eye.position).collect();
            let spawning = Spawning { terrain, eyes: &eyes, origin: ground.origin, ground: &height };
            *is_drawn &= spawned.update(cells, wear, &spawning, &mut commands);
        }
        if let Some(scatter) = scattering.scatter.clone() {
            for (number, said) in scattering.spawned.take_panics() {
                let object = object_of(&scatter, number);
                let error = Error::panic(format!("the spawner of `{object}`"), said);
                tell_once(&mut commands, terrain, scattering, object, Arc::new(error));
            }
        }
        scattering.report(&mut statistics);
    }
    if is_worn {
        wardrobe.receive(&mut meshes, &mut images);
    }
    statistics.systems_ms += begun.elapsed().as_secs_f32() * 1e3;
}

/// Tells of an object once for each terrain; of all of them if it has no name.
fn tell_once(
    commands: &mut Commands,
    terrain: Entity,
    scattering: &mut Scattering,
    object: &str,
    error: Arc<Error>,
) {
    if scattering.told.insert(object.to_owned()) {
        tell_failure(commands, ScatterFailed::new(terrain, object, error));
    }
}

/// The object of a rule, by the rule's index in the recipe.
fn object_of(scatter: &Scatter, number: usize) -> &str {
    scatter.recipe().scatter.get(number).map_or("", |rule| &rule.object)
}

/// Where a camera is, for planning. Heights are as drawn, and lie between `low` and `high` on all of the land.
fn watcher(eye: &Eye, seen: Seen, forward: DVec3, camera: &Camera, [low, high]: [f64; 2]) -> Watcher {
    let flat = seen.flat_distance.map(|distance| {
        let size = camera.physical_viewport_size().unwrap_or_default().as_dvec2();
        let aside = 0.5 * size.length() / eye.pixels.max(1e-9);
        // Seen at an angle it reaches farther.
        (aside / forward.y.abs().max(0.2) + (high - low), f64::from(distance))
    });
    let mut place = DVec2::new(eye.position.x, eye.position.z);
    if flat.is_some() && forward.y.abs() > 0.05 {
        let way = ((low + high) / 2.0 - eye.position.y) / forward.y;
        place += DVec2::new(forward.x, forward.z) * way;
    }
    Watcher {
        place,
        above: (eye.position.y - high - ABOVE).max(0.0),
        ahead: DVec2::new(forward.x, forward.z),
        reach: f64::from(seen.reach),
        flat,
    }
}
