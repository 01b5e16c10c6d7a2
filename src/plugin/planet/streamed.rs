//! The nodes of planets: made in the background, shown as the camera needs them.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::math::DVec3;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use super::components::{Planet, PlanetBudget, PlanetCamera, PlanetFailed, PlanetStatus};
use crate::planet::{Node, NodeMesh, PlanetEye, PlanetLand, SeaMesh, indices, sea_indices, select};
use crate::plugin::stream::Job;

/// What has been made of a planet.
#[derive(Component)]
pub(super) struct Streamed {
    building: Option<Job<PlanetLand>>,
    land: Option<Arc<PlanetLand>>,
    nodes: HashMap<Node, Shown>,
    jobs: HashMap<Node, Job<NodeMesh>>,
    ground: Handle<StandardMaterial>,
    water: Handle<StandardMaterial>,
    frame: u64,
}

/// A node that has been made.
struct Shown {
    centre: DVec3,
    /// The lowest and the highest, metres.
    heights: (f32, f32),
    /// Its ground and its sea; none where it could not be made.
    entities: Vec<Entity>,
    /// The frame in which it, or a part of it, was drawn last.
    used: u64,
}

/// Starts surveying the land of new and changed planets.
pub(super) fn begin(
    mut commands: Commands,
    planets: Query<(Entity, &Planet, Option<&Streamed>), Changed<Planet>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (entity, planet, before) in &planets {
        let entities = before.into_iter().flat_map(|before| before.nodes.values());
        entities.flat_map(|shown| &shown.entities).for_each(|&entity| commands.entity(entity).despawn());
        let (recipe, radius) = (planet.recipe.clone(), planet.radius);
        let ground = StandardMaterial { perceptual_roughness: 0.95, reflectance: 0.2, ..default() };
        let water = StandardMaterial {
            perceptual_roughness: 0.22,
            reflectance: 0.35,
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        let streamed = Streamed {
            building: Some(Job::start_long(move |work| PlanetLand::new(&recipe, radius, work))),
            land: None,
            nodes: HashMap::new(),
            jobs: HashMap::new(),
            ground: materials.add(ground),
            water: materials.add(water),
            frame: 0,
        };
        commands.entity(entity).insert((streamed, PlanetStatus::Building));
    }
}

/// Makes the nodes that the camera needs, shows those that are chosen, and places them around the camera.
pub(super) fn stream(
    mut commands: Commands,
    mut planets: Query<(Entity, &mut Streamed, &mut PlanetStatus, Option<&RenderLayers>), With<Planet>>,
    cameras: Query<(&PlanetCamera, &Camera, &Projection, &Transform)>,
    mut nodes: Query<(&mut Transform, &mut Visibility), Without<PlanetCamera>>,
    mut meshes: ResMut<Assets<Mesh>>,
    budget: Res<PlanetBudget>,
) {
    for (entity, mut streamed, mut status, layers) in &mut planets {
        let streamed = &mut *streamed;
        if let Some(outcome) = streamed.building.as_mut().and_then(Job::outcome) {
            streamed.building = None;
            match outcome {
                Ok(land) => streamed.land = Some(Arc::new(land)),
                Err(error) => {
                    let error = error.to_string();
                    commands.trigger(PlanetFailed { entity, error: error.clone() });
                    *status = PlanetStatus::Failed(error);
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
        let arrived = receive(&mut commands, entity, streamed, &land, layers, &mut meshes, &budget);

        let pixels = f64::from(size.y) / 2.0 / libm::tan(f64::from(perspective.fov) / 2.0);
        let eye = PlanetEye { position: camera.position, pixels, quad_pixels: camera.quad_pixels.max(0.5) };
        let there = &streamed.nodes;
        let selection = select(&land, &eye, &|node| there.get(&node).map(|shown| shown.heights));
        for &node in &selection.wanted {
            if streamed.jobs.len() >= budget.jobs.max(1) {
                break;
            }
            let land = land.clone();
            streamed.jobs.entry(node).or_insert_with(|| Job::start(move |work| land.mesh(node, work)));
        }
        let waiting = selection.wanted.len() + usize::from(arrived);
        *status = PlanetStatus::Drawn { land, nodes: (selection.drawn.len(), waiting) };

        for node in &selection.drawn {
            let mut node = *node;
            loop {
                if let Some(shown) = streamed.nodes.get_mut(&node) {
                    shown.used = streamed.frame;
                }
                let Some(depth) = node.depth.checked_sub(1) else { break };
                node = Node { depth, column: node.column / 2, row: node.row / 2, ..node };
            }
        }
        let drawn: std::collections::HashSet<Node> = selection.drawn.into_iter().collect();
        for (node, shown) in &streamed.nodes {
            let seen = if drawn.contains(node) { Visibility::Inherited } else { Visibility::Hidden };
            let place = (shown.centre - camera.position).as_vec3() + turned.translation;
            for &entity in &shown.entities {
                let Ok((mut transform, mut visibility)) = nodes.get_mut(entity) else { continue };
                visibility.set_if_neq(seen);
                if transform.translation != place {
                    transform.translation = place;
                }
            }
        }
        forget(&mut commands, streamed, budget.kept);
    }
}

/// Uploads what has been made. Whether anything was: it is placed in the next frame.
fn receive(
    commands: &mut Commands,
    planet: Entity,
    streamed: &mut Streamed,
    land: &PlanetLand,
    layers: Option<&RenderLayers>,
    meshes: &mut Assets<Mesh>,
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
        let mut shown =
            Shown { centre: DVec3::ZERO, heights: (0.0, 0.0), entities: Vec::new(), used: streamed.frame };
        match outcome {
            Ok(made) => {
                (shown.centre, shown.heights) = (made.centre, (made.low, made.high));
                let mut spawn = |mesh: Mesh, material: &Handle<StandardMaterial>| {
                    let drawn = (Mesh3d(meshes.add(mesh)), MeshMaterial3d(material.clone()));
                    let mut spawned =
                        commands.spawn((drawn, Transform::default(), Visibility::Hidden, ChildOf(planet)));
                    layers.map(|layers| spawned.insert(layers.clone()));
                    shown.entities.push(spawned.id());
                };
                if let Some(sea) = &made.sea {
                    let cell = land.cell_at(node.depth) as f32;
                    if let Some(mesh) = sea_mesh(node, sea, cell) {
                        spawn(mesh, &streamed.water);
                    }
                }
                spawn(ground_mesh(made), &streamed.ground);
            }
            // It counts as made, or it would be tried again in every frame.
            Err(error) => commands.trigger(PlanetFailed { entity: planet, error: error.to_string() }),
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
            .for_each(|entity| commands.entity(entity).despawn());
    }
}

fn ground_mesh(made: NodeMesh) -> Mesh {
    let colours = made
        .colours
        .iter()
        .map(|&[red, green, blue, _]| Color::srgb_u8(red, green, blue).to_linear().to_f32_array());
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours.collect::<Vec<_>>())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, made.positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, made.normals)
        .with_inserted_indices(Indices::U32(indices(made.node.face)))
}

/// The sea over a node; `None` where no quad of it is under water.
fn sea_mesh(node: Node, sea: &SeaMesh, cell: f32) -> Option<Mesh> {
    /// Linear colours of shallow and of deep water, and the depths that make them, metres.
    const SHALLOW: Vec3 = Vec3::new(0.030, 0.155, 0.165);
    const DEEP: Vec3 = Vec3::new(0.004, 0.022, 0.060);
    const COLOURED: f32 = 40.0;
    const OPAQUE: f32 = 7.0;
    let indices = sea_indices(node.face, sea, cell);
    let colours = sea.depths.iter().map(|depth| {
        let depth = depth.max(0.0);
        let colour = SHALLOW.lerp(DEEP, 1.0 - (-depth / COLOURED).exp());
        colour.extend(0.25 + 0.75 * (1.0 - (-depth / OPAQUE).exp())).to_array()
    });
    (!indices.is_empty()).then(|| {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colours.collect::<Vec<_>>())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, sea.positions.clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, sea.normals.clone())
            .with_inserted_indices(Indices::U32(indices))
    })
}
