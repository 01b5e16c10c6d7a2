//! The nodes of planets: made in the background, shown as the camera needs them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

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
use crate::Error;
use crate::planet::{Coarser, Node, NodeMesh, PlanetEye, PlanetLand, Selection, select};
use crate::plugin::device::{DeviceLimits, land_sampler};
use crate::plugin::events::report_failure;
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::jobs::{Done, FrameBudget, Job, JobQueue};
use crate::plugin::material::{DrawnCover, PreparedCover, ground_material};
use crate::plugin::owned::spawn_owned;
use crate::texture::WeightMap;

/// A planet's land and nodes, as far as they have been made.
#[derive(Component)]
pub(super) struct Streamed {
    building: Option<Job<Surveyed>>,
    land: Option<Arc<PlanetLand>>,
    textures: Option<DrawnTextures>,
    nodes: HashMap<Node, Shown>,
    jobs: JobQueue<Node, MadeNode>,
    ground: Handle<PlanetMaterial>,
    water: Handle<PlanetMaterial>,
    frame: u64,
}

/// A land, and the ground textures of its terrain types.
struct Surveyed {
    land: PlanetLand,
    cover: Option<PreparedCover>,
    /// For each channel of weights the types, by their indices, that it sums.
    channels: Vec<Vec<usize>>,
}

/// The ground textures of the terrain types of a planet, on the device.
struct DrawnTextures {
    cover: DrawnCover,
    /// For each channel of weights the types, by their indices, that it sums.
    channels: Vec<Vec<usize>>,
    sampler: bevy::image::ImageSampler,
}

/// A node, made in the background.
struct MadeNode {
    mesh: NodeMesh,
    coarser: Option<Coarser>,
    weights: Option<WeightMap>,
}

/// Frames after which uploaded meshes can be drawn. Until then the nodes that they replace are still drawn,
/// since there would be a hole otherwise.
const UPLOAD: u64 = 2;

/// A node that has been made.
struct Shown {
    /// The frame in which it was uploaded.
    arrived: u64,
    centre: DVec3,
    /// The lowest and the highest, metres.
    heights: (f32, f32),
    /// The mesh that its quarters morph into with the distance; `None` where it could not be made.
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

impl Shown {
    /// A node that could not be made: a hole, which is never tried again.
    fn nothing(frame: u64) -> Self {
        Self {
            arrived: frame,
            centre: DVec3::ZERO,
            heights: (0.0, 0.0),
            mesh: None,
            entities: Vec::new(),
            used: frame,
            drawn: 0,
            since: f64::MIN,
        }
    }
}

/// The assets of nodes.
#[derive(SystemParam)]
pub(super) struct Looks<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<PlanetMaterial>>,
    images: ResMut<'w, Assets<Image>>,
}

/// The device's abilities.
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
    arrays: Res<TextureArrays>,
    device: Device,
) {
    let limits = device.limits();
    for (entity, planet, before) in &planets {
        let entities = before.into_iter().flat_map(|before| before.nodes.values());
        entities.flat_map(|shown| &shown.entities).for_each(|&entity| commands.entity(entity).try_despawn());
        let (recipe, radius) = (planet.recipe.clone(), planet.radius);
        let ground = PlanetMaterial { base: ground_material(false), extension: PlanetExtension::far() };
        let water = PlanetMaterial { base: sea_base(), extension: PlanetExtension::far_sea() };
        let arrays = arrays.clone();
        let survey = move |work: &crate::Work| {
            let land = PlanetLand::new(&recipe, radius, work)?;
            let cover = land.ground_cover(work)?;
            // With the types that lie nowhere in the survey: there is more land than it looks at.
            let (cover, types) = PreparedCover::new(&cover, true, limits, &arrays, work)?;
            Ok(Surveyed { land, cover, channels: types.channels().drawn().to_vec() })
        };
        let streamed = Streamed {
            building: Some(Job::start_long(survey)),
            land: None,
            textures: None,
            nodes: HashMap::new(),
            jobs: JobQueue::default(),
            ground: materials.add(ground),
            water: materials.add(water),
            frame: 0,
        };
        commands.entity(entity).try_insert((streamed, PlanetStatus::Building));
    }
}

/// Removes the nodes of a planet that is none any more.
pub(super) fn clear(removed: On<Remove, Planet>, planets: Query<&Streamed>, mut commands: Commands) {
    let Ok(streamed) = planets.get(removed.entity) else { return };
    let entities = streamed.nodes.values().flat_map(|shown| &shown.entities);
    entities.for_each(|&entity| commands.entity(entity).try_despawn());
    commands.entity(removed.entity).try_remove::<(Streamed, PlanetStatus)>();
}

/// The camera that planets are drawn for.
struct View {
    eye: PlanetEye,
    /// Where nodes are placed around.
    origin: Vec3,
}

impl View {
    /// The first camera, if it can see anything.
    fn of_first(cameras: &Query<(&PlanetCamera, &Camera, &Projection, &Transform)>) -> Option<Self> {
        let (camera, view, projection, turned) = cameras.iter().next()?;
        let size = view.physical_viewport_size().filter(|_| camera.position.is_finite())?;
        let Projection::Perspective(perspective) = projection else { return None };
        // Pixels of a metre at a distance of a metre.
        let pixels = f64::from(size.y) / 2.0 / libm::tan(f64::from(perspective.fov) / 2.0);
        let eye = PlanetEye { position: camera.position, pixels, quad_pixels: camera.quad_pixels.max(0.5) };
        Some(Self { eye, origin: turned.translation })
    }
}

/// The components of nodes that change as the camera moves.
type DrawnNodes<'w, 's> = Query<
    'w,
    's,
    (&'static mut Transform, &'static mut Visibility, &'static mut MeshTag),
    Without<PlanetCamera>,
>;

/// Makes the nodes that the camera needs, shows those that are chosen, and places them around the camera.
pub(super) fn stream(
    mut commands: Commands,
    mut planets: Query<(Entity, &mut Streamed, &mut PlanetStatus, Option<&RenderLayers>), With<Planet>>,
    cameras: Query<(&PlanetCamera, &Camera, &Projection, &Transform)>,
    mut nodes: DrawnNodes,
    mut looks: Looks,
    device: Device,
    (budget, time): (Res<PlanetBudget>, Res<Time>),
) {
    let now = time.elapsed_secs_f64();
    // Meshes are all about the same size, so that their number is what a frame may spend.
    let mut frame = FrameBudget::new(Instant::now(), f32::INFINITY, budget.uploads);
    for (entity, mut streamed, mut status, layers) in &mut planets {
        let streamed = &mut *streamed;
        if let Some(error) = streamed.receive_land(&mut looks.images, &device) {
            *status = PlanetStatus::Failed(error.to_string());
            report_failure(&mut commands, PlanetFailed::new(entity, error));
        }
        let Some(land) = streamed.land.clone() else { continue };
        let Some(view) = View::of_first(&cameras) else { continue };
        streamed.frame += 1;
        // In this order: what has arrived can be selected; what is selected is marked as used; only then is
        // what was used longest ago forgotten.
        let arrived = streamed.receive(entity, &land, layers, &mut looks, &mut frame, &mut commands);
        let selection = streamed.select(&land, &view.eye);
        streamed.order(&land, &selection.wanted, budget.jobs.max(1));
        let waiting = selection.wanted.len() + usize::from(arrived);
        *status = PlanetStatus::Drawn { land: land.clone(), nodes: (selection.drawn.len(), waiting) };

        streamed.mark(&selection, now);
        streamed.place(&land, &view, &budget, now, &mut nodes);
        streamed.forget(budget.kept, &mut commands);
    }
}

#[cfg(test)]
impl Streamed {
    pub(super) fn has_drawn_nodes(&self) -> bool {
        self.nodes.values().any(|shown| !shown.entities.is_empty())
    }
}

impl Streamed {
    /// Takes in the land, once it has been surveyed. Returns why it could not be.
    fn receive_land(&mut self, images: &mut Assets<Image>, device: &Device) -> Option<Error> {
        let outcome = self.building.as_mut().and_then(Job::outcome)?;
        self.building = None;
        let Surveyed { land, cover, channels } = match outcome {
            Ok(surveyed) => surveyed,
            Err(error) => return Some(error),
        };
        self.land = Some(Arc::new(land));
        self.textures = cover.map(|cover| DrawnTextures {
            channels,
            cover: cover.upload(images),
            sampler: land_sampler(device.limits()),
        });
        None
    }

    /// Uploads what has been made, as much as a frame may. Whether there was anything: it is placed in the
    /// next frame.
    fn receive(
        &mut self,
        planet: Entity,
        land: &PlanetLand,
        layers: Option<&RenderLayers>,
        looks: &mut Looks,
        frame: &mut FrameBudget,
        commands: &mut Commands,
    ) -> bool {
        frame.next_taker();
        let mut any = false;
        self.jobs.gather(|node| *node);
        while let Some(Done { key: node, outcome, .. }) = self.jobs.next_done(frame) {
            frame.spend(1);
            any = true;
            let shown = match outcome {
                Ok(made) => self.show(planet, (land, node), made, layers, looks, commands),
                Err(error) => {
                    if let Some(first) = self.jobs.first_failure(error) {
                        report_failure(commands, PlanetFailed::new(planet, first));
                    }
                    // It counts as made, or it would be tried again in every frame.
                    Shown::nothing(self.frame)
                }
            };
            self.nodes.insert(node, shown);
        }
        any
    }

    /// Spawns the ground of a node, and its sea if it has one.
    fn show(
        &self,
        planet: Entity,
        (land, node): (&PlanetLand, Node),
        made: MadeNode,
        layers: Option<&RenderLayers>,
        looks: &mut Looks,
        commands: &mut Commands,
    ) -> Shown {
        let MadeNode { mesh: made, coarser, weights } = made;
        let mut entities = Vec::new();
        let mut spawn = |mesh: Handle<Mesh>, material: Handle<PlanetMaterial>, is_sea: bool| {
            let drawn = (Mesh3d(mesh), MeshMaterial3d(material), MeshTag(0));
            let bundle = (drawn, Transform::default(), Visibility::Hidden, ChildOf(planet));
            let mut spawned = spawn_owned::<Planet>(commands, planet, bundle);
            layers.map(|layers| spawned.try_insert(layers.clone()));
            if is_sea {
                // It would cast its own shadow on the ground under it.
                spawned.try_insert(NotShadowCaster);
            }
            entities.push(spawned.id());
        };
        // Only nodes that are fine enough to be near the eye get textures and a material of their own.
        let is_covered = land.is_covered(node);
        let cell = land.cell_at(node.depth) as f32;
        if let Some(mesh) = sea_mesh(&made, coarser.as_ref(), cell) {
            let material = if is_covered {
                let extension = PlanetExtension::near_sea(land, node);
                looks.materials.add(PlanetMaterial { base: sea_base(), extension })
            } else {
                self.water.clone()
            };
            spawn(looks.meshes.add(mesh), material, true);
        }
        let material = if is_covered {
            let textures = self.textures.as_ref().zip(weights);
            let textures = textures.map(|(DrawnTextures { cover, channels, sampler }, weights)| {
                (cover, looks.images.add(weights_image(&weights, channels, sampler)))
            });
            let extension = PlanetExtension::near(land, node, textures);
            looks.materials.add(PlanetMaterial { base: ground_material(false), extension })
        } else {
            self.ground.clone()
        };
        spawn(looks.meshes.add(ground_mesh(&made, coarser.as_ref())), material, false);
        Shown {
            centre: made.centre,
            heights: (made.low, made.high),
            mesh: Some(Arc::new(made)),
            entities,
            ..Shown::nothing(self.frame)
        }
    }

    /// Which nodes an eye sees, and which are still to be made for it.
    fn select(&self, land: &PlanetLand, eye: &PlanetEye) -> Selection {
        let is_uploaded = |shown: &&Shown| shown.arrived + UPLOAD <= self.frame;
        select(land, eye, &|node| self.nodes.get(&node).filter(is_uploaded).map(|shown| shown.heights))
    }

    /// Orders the nodes that are wanted, the most urgent first, and cancels those that no longer are.
    fn order(&mut self, land: &Arc<PlanetLand>, wanted: &[Node], most: usize) {
        self.jobs.keep(|node| wanted.contains(node));
        for &node in wanted {
            if self.jobs.len() >= most {
                break;
            }
            // It has arrived, and is not on the device yet.
            if self.nodes.contains_key(&node) {
                continue;
            }
            let land = land.clone();
            // The parent's mesh, whose look the node takes on before the parent takes its place. A node
            // without one stays as it is.
            let parent = node.parent().and_then(|parent| self.nodes.get(&parent)?.mesh.clone());
            self.jobs.start(node, (), move |work| {
                let mut mesh = land.mesh(node, work)?;
                let weights = mesh.weights.take();
                let coarser = parent.and_then(|parent| mesh.coarser(&parent));
                Ok(MadeNode { mesh, coarser, weights })
            });
        }
    }

    /// Notes which nodes are drawn in this frame, and which of them have just taken the place of a coarser
    /// one.
    fn mark(&mut self, selection: &Selection, now: f64) {
        let frame = self.frame;
        for &node in &selection.drawn {
            let ancestors = || std::iter::successors(node.parent(), |node| node.parent());
            let was_drawn = |node: &Node| self.nodes.get(node).is_some_and(|shown| shown.drawn + 1 == frame);
            // It took the place of an ancestor that was drawn in the frame before: it was late, and fades in
            // from that.
            let is_finer = !was_drawn(&node) && ancestors().any(|node| was_drawn(&node));
            // Ancestors count as used: without them their descendants could not be drawn.
            for node in ancestors().chain([node]) {
                if let Some(shown) = self.nodes.get_mut(&node) {
                    shown.used = frame;
                }
            }
            if let Some(shown) = self.nodes.get_mut(&node) {
                shown.drawn = frame;
                if is_finer {
                    shown.since = now;
                }
            }
        }
        // Quarters that wait for the others would be forgotten and made again for ever.
        let quarters = selection.wanted.iter().filter_map(|node| Some(node.parent()?.children()));
        for node in quarters.flatten() {
            if let Some(shown) = self.nodes.get_mut(&node) {
                shown.used = frame;
            }
        }
    }

    /// Places what is drawn around the camera, and hides what isn't.
    fn place(&self, land: &PlanetLand, view: &View, budget: &PlanetBudget, now: f64, nodes: &mut DrawnNodes) {
        let View { eye, origin } = view;
        let begins = eye.morph_begins();
        for (&node, shown) in &self.nodes {
            let is_drawn = shown.drawn == self.frame;
            let seen = if is_drawn { Visibility::Inherited } else { Visibility::Hidden };
            // Subtracted in 64 bits; what is left is small near the eye.
            let place = (shown.centre - eye.position).as_vec3() + *origin;
            let reach = node.parent().map_or(f64::MAX, |parent| eye.splitting_distance(land, parent.depth));
            let age = now - shown.since;
            let left = if budget.fade.is_zero() { 0.0 } else { 1.0 - age / budget.fade.as_secs_f64() };
            let tag = MeshTag(tag(reach, begins, left.clamp(0.0, 1.0) as f32));
            for &entity in &shown.entities {
                let Ok((mut transform, mut visibility, mut tagged)) = nodes.get_mut(entity) else { continue };
                // Marking components of thousands of nodes as changed costs more than comparing them.
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
    }

    /// Removes nodes that were drawn longest ago, if there are too many.
    fn forget(&mut self, kept: usize, commands: &mut Commands) {
        if self.nodes.len() <= kept {
            return;
        }
        let mut unused: Vec<(u64, Node)> = self
            .nodes
            .iter()
            // The six coarsest nodes stay: from them everything else is reached. A second of rest keeps nodes
            // from being dropped and made again while a camera turns back and forth.
            .filter(|(node, shown)| node.depth > 0 && shown.used + 60 < self.frame)
            .map(|(node, shown)| (shown.used, *node))
            .collect();
        unused.sort_unstable();
        for (_, node) in unused.into_iter().take(self.nodes.len() - kept) {
            let shown = self.nodes.remove(&node);
            shown
                .into_iter()
                .flat_map(|shown| shown.entities)
                .for_each(|entity| commands.entity(entity).try_despawn());
        }
    }
}
