//! The nodes of planets: made in the background, shown as the camera needs them.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::math::DVec3;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::components::{Planet, PlanetBudget, PlanetCamera, PlanetFailed, PlanetStatus};
use super::material::{PlanetExtension, PlanetMaterial, sea_base, tag, weights_image};
use super::meshes::{ground_mesh, sea_mesh};
use crate::planet::{Coarser, Node, NodeMesh, PlanetEye, PlanetLand, select};
use crate::plugin::device::{DeviceLimits, land_sampler};
use crate::plugin::events::tell_failure;
use crate::plugin::material::{DrawnCover, PreparedCover, ground_material};
use crate::plugin::stream::Job;
use crate::plugin::tiles::TileStacks;
use crate::texture::WeightMap;

/// What has been made of a planet.
#[derive(Component)]
pub(super) struct Streamed {
    building: Option<Job<Surveyed>>,
    land: Option<Arc<PlanetLand>>,
    worn: Option<Worn>,
    nodes: HashMap<Node, Shown>,
    jobs: HashMap<Node, Job<Made>>,
    ground: Handle<PlanetMaterial>,
    water: Handle<PlanetMaterial>,
    frame: u64,
}

/// A land, and what its terrain types wear.
struct Surveyed {
    land: PlanetLand,
    cover: Option<PreparedCover>,
    /// For each channel of weights the types, by their indices, that it sums.
    channels: Vec<Vec<usize>>,
}

/// What the terrain types of a planet wear, on the device.
struct Worn {
    cover: DrawnCover,
    /// For each channel of weights the types, by their indices, that it sums.
    channels: Vec<Vec<usize>>,
    sampler: bevy::image::ImageSampler,
}

/// A node, made in the background.
struct Made {
    mesh: NodeMesh,
    coarser: Option<Coarser>,
    weights: Option<WeightMap>,
}

/// Frames after which what was uploaded can be drawn. Until then what it takes the place of is drawn on: there would be
/// a hole.
const UPLOAD: u64 = 2;

/// A node that has been made.
struct Shown {
    /// The frame in which it was uploaded.
    arrived: u64,
    centre: DVec3,
    /// The lowest and the highest, metres.
    heights: (f32, f32),
    /// What its quarters become with the distance; none where it could not be made.
    mesh: Option<Arc<NodeMesh>>,
    /// Its ground and its sea; none where it could not be made.
    entities: Vec<Entity>,
    /// The frame in which it, or a part of it, was drawn last.
    used: u64,
    /// The frame in which it itself was drawn last.
    drawn: u64,
    /// The time at which it took its parent's place, seconds.
    since: f64,
}

/// Where meshes and what they look like are kept.
#[derive(SystemParam)]
pub(super) struct Looks<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<PlanetMaterial>>,
    images: ResMut<'w, Assets<Image>>,
}

/// What the device can do.
#[derive(SystemParam)]
pub(super) struct Device<'w> {
    device: Option<Res<'w, RenderDevice>>,
    adapter: Option<Res<'w, RenderAdapterInfo>>,
}

impl Device<'_> {
    fn limits(&self) -> DeviceLimits {
        DeviceLimits::new(self.device.as_deref(), self.adapter.as_deref())
    }
}

/// Starts surveying the land of new and changed planets.
pub(super) fn begin(
    mut commands: Commands,
    planets: Query<(Entity, &Planet, Option<&Streamed>), Changed<Planet>>,
    mut materials: ResMut<Assets<PlanetMaterial>>,
    stacks: Res<TileStacks>,
    device: Device,
) {
    let limits = device.limits();
    for (entity, planet, before) in &planets {
        let entities = before.into_iter().flat_map(|before| before.nodes.values());
        entities.flat_map(|shown| &shown.entities).for_each(|&entity| commands.entity(entity).try_despawn());
        let (recipe, radius) = (planet.recipe.clone(), planet.radius);
        let ground = PlanetMaterial { base: ground_material(false), extension: PlanetExtension::far() };
        let water = PlanetMaterial { base: sea_base(), extension: PlanetExtension::far_sea() };
        let stacks = stacks.clone();
        let survey = move |work: &crate::Work| {
            let land = PlanetLand::new(&recipe, radius, work)?;
            let cover = land.ground_cover(work)?;
            let (cover, types) = PreparedCover::new(&cover, true, limits, &stacks, work)?;
            Ok(Surveyed { land, cover, channels: types.channels().drawn().to_vec() })
        };
        let streamed = Streamed {
            building: Some(Job::start_long(survey)),
            land: None,
            worn: None,
            nodes: HashMap::new(),
            jobs: HashMap::new(),
            ground: materials.add(ground),
            water: materials.add(water),
            frame: 0,
        };
        commands.entity(entity).try_insert((streamed, PlanetStatus::Building));
    }
}

/// Makes the nodes that the camera needs, shows those that are chosen, and places them around the camera.
pub(super) fn stream(
    mut commands: Commands,
    mut planets: Query<(Entity, &mut Streamed, &mut PlanetStatus, Option<&RenderLayers>), With<Planet>>,
    cameras: Query<(&PlanetCamera, &Camera, &Projection, &Transform)>,
    mut nodes: Query<(&mut Transform, &mut Visibility, &mut MeshTag), Without<PlanetCamera>>,
    mut looks: Looks,
    device: Device,
    (budget, time): (Res<PlanetBudget>, Res<Time>),
) {
    for (entity, mut streamed, mut status, layers) in &mut planets {
        let streamed = &mut *streamed;
        if let Some(outcome) = streamed.building.as_mut().and_then(Job::outcome) {
            streamed.building = None;
            match outcome {
                Ok(Surveyed { land, cover, channels }) => {
                    streamed.land = Some(Arc::new(land));
                    streamed.worn = cover.map(|cover| Worn {
                        channels,
                        cover: cover.upload(&mut looks.images),
                        sampler: land_sampler(device.limits()),
                    });
                }
                Err(error) => {
                    *status = PlanetStatus::Failed(error.to_string());
                    tell_failure(&mut commands, PlanetFailed::new(entity, error));
                }
            }
        }
        let Some(land) = streamed.land.clone() else { continue };
        let Some((camera, view, projection, turned)) = cameras.iter().next() else { continue };
        let (Some(size), true) = (view.physical_viewport_size(), camera.position.is_finite()) else {
            continue;
        };
        let Projection::Perspective(perspective) = projection else { continue };
        streamed.frame += 1;
        let arrived = receive(&mut commands, entity, streamed, &land, layers, &mut looks, &budget);

        let pixels = f64::from(size.y) / 2.0 / libm::tan(f64::from(perspective.fov) / 2.0);
        let eye = PlanetEye { position: camera.position, pixels, quad_pixels: camera.quad_pixels.max(0.5) };
        let (there, now) = (&streamed.nodes, streamed.frame);
        let is_there = |shown: &&Shown| shown.arrived + UPLOAD <= now;
        let made = |node: Node| there.get(&node).filter(is_there).map(|shown| shown.heights);
        let selection = select(&land, &eye, &made);
        for &node in &selection.wanted {
            if streamed.nodes.contains_key(&node) {
                continue;
            }
            if streamed.jobs.len() >= budget.jobs.max(1) {
                break;
            }
            let land = land.clone();
            let parent = node.parent().and_then(|parent| streamed.nodes.get(&parent)?.mesh.clone());
            streamed.jobs.entry(node).or_insert_with(|| {
                Job::start(move |work| {
                    let mut mesh = land.mesh(node, work)?;
                    let weights = mesh.weights.take();
                    let coarser = parent.and_then(|parent| mesh.coarser(&parent));
                    Ok(Made { mesh, coarser, weights })
                })
            });
        }
        let waiting = selection.wanted.len() + usize::from(arrived);
        *status = PlanetStatus::Drawn { land: land.clone(), nodes: (selection.drawn.len(), waiting) };

        mark(streamed, &selection.drawn, time.elapsed_secs_f64());
        // Quarters that wait for the others would be forgotten and made again for ever.
        let beside = selection.wanted.iter().filter_map(|node| Some(node.parent()?.children()));
        for node in beside.flatten() {
            if let Some(shown) = streamed.nodes.get_mut(&node) {
                shown.used = streamed.frame;
            }
        }
        let begins = eye.morph_begins();
        for (&node, shown) in &streamed.nodes {
            let is_drawn = shown.drawn == streamed.frame;
            let seen = if is_drawn { Visibility::Inherited } else { Visibility::Hidden };
            let place = (shown.centre - camera.position).as_vec3() + turned.translation;
            let reach = node.parent().map_or(f64::MAX, |parent| eye.splitting_distance(&land, parent.depth));
            let age = time.elapsed_secs_f64() - shown.since;
            let left = if budget.fade.is_zero() { 0.0 } else { 1.0 - age / budget.fade.as_secs_f64() };
            let tag = MeshTag(tag(reach, begins, left.clamp(0.0, 1.0) as f32));
            for &entity in &shown.entities {
                let Ok((mut transform, mut visibility, mut tagged)) = nodes.get_mut(entity) else { continue };
                visibility.set_if_neq(seen);
                if !is_drawn {
                    continue;
                }
                tagged.set_if_neq(tag.clone());
                if transform.translation != place {
                    transform.translation = place;
                }
            }
        }
        forget(&mut commands, streamed, budget.kept);
    }
}

/// Notes which nodes are drawn in this frame, and which of them have just taken the place of a coarser one.
fn mark(streamed: &mut Streamed, drawn: &[Node], now: f64) {
    let frame = streamed.frame;
    for &node in drawn {
        let ancestors = || std::iter::successors(node.parent(), |node| node.parent());
        let was_drawn = |node: &Node| streamed.nodes.get(node).is_some_and(|shown| shown.drawn + 1 == frame);
        let is_finer = !was_drawn(&node) && ancestors().any(|node| was_drawn(&node));
        for node in ancestors().chain([node]) {
            if let Some(shown) = streamed.nodes.get_mut(&node) {
                shown.used = frame;
            }
        }
        if let Some(shown) = streamed.nodes.get_mut(&node) {
            shown.drawn = frame;
            if is_finer {
                shown.since = now;
            }
        }
    }
}

/// Uploads what has been made. Whether anything was: it is placed in the next frame.
fn receive(
    commands: &mut Commands,
    planet: Entity,
    streamed: &mut Streamed,
    land: &PlanetLand,
    layers: Option<&RenderLayers>,
    looks: &mut Looks,
    budget: &PlanetBudget,
) -> bool {
    let mut outcomes = Vec::new();
    for (node, job) in &mut streamed.jobs {
        if outcomes.len() < budget.uploads.max(1)
            && let Some(outcome) = job.outcome()
        {
            outcomes.push((*node, outcome));
        }
    }
    let any = !outcomes.is_empty();
    for (node, outcome) in outcomes {
        streamed.jobs.remove(&node);
        let mut shown = Shown {
            arrived: streamed.frame,
            centre: DVec3::ZERO,
            heights: (0.0, 0.0),
            mesh: None,
            entities: Vec::new(),
            used: streamed.frame,
            drawn: 0,
            since: f64::MIN,
        };
        match outcome {
            Ok(Made { mesh: made, coarser, weights }) => {
                (shown.centre, shown.heights) = (made.centre, (made.low, made.high));
                let mut spawn = |mesh: Mesh, material: Handle<PlanetMaterial>, is_sea: bool| {
                    let drawn = (Mesh3d(looks.meshes.add(mesh)), MeshMaterial3d(material), MeshTag(0));
                    let mut spawned =
                        commands.spawn((drawn, Transform::default(), Visibility::Hidden, ChildOf(planet)));
                    layers.map(|layers| spawned.insert(layers.clone()));
                    if is_sea {
                        // It would throw its own shadow on the ground under it.
                        spawned.insert(NotShadowCaster);
                    }
                    shown.entities.push(spawned.id());
                };
                let cell = land.cell_at(node.depth) as f32;
                if let Some(mesh) = sea_mesh(&made, coarser.as_ref(), cell) {
                    let material = match land.is_covered(node) {
                        true => looks.materials.add(PlanetMaterial {
                            base: sea_base(),
                            extension: PlanetExtension::near_sea(land, node),
                        }),
                        false => streamed.water.clone(),
                    };
                    spawn(mesh, material, true);
                }
                let material = match land.is_covered(node) {
                    true => {
                        let worn = streamed.worn.as_ref().zip(weights);
                        let worn = worn.map(|(Worn { cover, channels, sampler }, weights)| {
                            (cover, looks.images.add(weights_image(&weights, channels, sampler)))
                        });
                        let extension = PlanetExtension::near(land, node, worn);
                        looks.materials.add(PlanetMaterial { base: ground_material(false), extension })
                    }
                    false => streamed.ground.clone(),
                };
                spawn(ground_mesh(&made, coarser.as_ref()), material, false);
                shown.mesh = Some(Arc::new(made));
            }
            // It counts as made, or it would be tried again in every frame.
            Err(error) => tell_failure(commands, PlanetFailed::new(planet, error)),
        }
        streamed.nodes.insert(node, shown);
    }
    any
}

/// Removes nodes that were drawn longest ago, if there are too many.
fn forget(commands: &mut Commands, streamed: &mut Streamed, kept: usize) {
    if streamed.nodes.len() <= kept {
        return;
    }
    let mut unused: Vec<(u64, Node)> = streamed
        .nodes
        .iter()
        .filter(|(node, shown)| node.depth > 0 && shown.used + 60 < streamed.frame)
        .map(|(node, shown)| (shown.used, *node))
        .collect();
    unused.sort_unstable();
    for (_, node) in unused.into_iter().take(streamed.nodes.len() - kept) {
        let shown = streamed.nodes.remove(&node);
        shown
            .into_iter()
            .flat_map(|shown| shown.entities)
            .for_each(|entity| commands.entity(entity).try_despawn());
    }
}
