//! A flight that is drawn, without a window: every frame is completed before the next.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use bevy::camera::visibility::VisibleEntities;
use bevy::core_pipeline::core_3d::Opaque3d;
use bevy::diagnostic::DiagnosticsStore;
use bevy::pbr::Shadow;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::render_phase::{BinnedPhaseItem, ViewBinnedRenderPhases};
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use glam::DVec2;

use super::path::{Flight, Path, covers};
use super::report::{Drawing, Run, Spread};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::plugin::{
    Headless, Quality, Stream, TerrainChunk, TerrainGround, TerrainStatistics, TerrainView, WorldOrigin,
    is_software_device,
};
use crate::recipe::Recipe;
use crate::render::OffscreenScene;
use crate::stream::DrawnChunk;

/// How long loading everything visible from the start may take: as long as it needs.
const PATIENCE: Duration = Duration::MAX;

/// How often the start is corrected while finer ground arrives.
const CORRECTIONS: usize = 6;

/// The size of the picture and the most frames of a flight, on a graphics card and on a software device,
/// unless the user gives others.
const CARD: ((u32, u32), usize) = ((1920, 1080), usize::MAX);
const SOFTWARE: ((u32, u32), usize) = ((640, 360), 10);

/// The requested picture and flight.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) size: Option<(u32, u32)>,
    pub(super) frames: Option<usize>,
    pub(super) seconds: f64,
    pub(super) quality: Option<Quality>,
}

/// The graphics device.
struct Device {
    name: String,
    is_software: bool,
    /// The quality that it can probably draw.
    quality: Quality,
}

impl Device {
    fn find() -> Result<Self> {
        // One pixel: only the name of the device is asked for.
        let mut headless = Headless::new(1, 1)?;
        headless.update();
        let adapter = headless.app().world().get_resource::<RenderAdapterInfo>();
        let adapter = adapter.ok_or_else(|| Error::parameter("renderer", "the renderer did not start"))?;
        Ok(Self {
            name: adapter.name.clone(),
            is_software: is_software_device(adapter),
            quality: Quality::for_device(adapter),
        })
    }
}

/// A land that is drawn.
pub(super) struct DrawnLand {
    scene: OffscreenScene,
    size: (u32, u32),
    device: String,
    frames: usize,
    seconds: f64,
}

impl DrawnLand {
    /// Builds a land.
    pub(super) fn new(recipe: &Recipe, asked: Asked, work: &Work) -> Result<Self> {
        let device = Device::find()?;
        let (usual_size, usual_frames) = if device.is_software { SOFTWARE } else { CARD };
        let size = asked.size.unwrap_or(usual_size);
        let quality = asked.quality.unwrap_or(device.quality);
        // As in a window of that size, whose picture is then enlarged.
        let drawn = [size.0, size.1].map(|side| ((side as f32 * quality.render_scale()) as u32).max(1));
        let mut scene = OffscreenScene::new(recipe, drawn.into(), quality, work)?;
        scene.headless.app_mut().add_plugins(RenderDiagnosticsPlugin);
        Ok(Self {
            scene,
            size,
            device: device.name,
            frames: asked.frames.unwrap_or(usual_frames),
            seconds: asked.seconds,
        })
    }

    /// Flies after everything that is visible from the start has arrived.
    pub(super) fn fly(&mut self, flight: &Flight, work: &Work) -> Result<Run> {
        work.stage(format!("{}: tiles", flight.name), 1);
        let mut path = self.start(flight)?;
        work.stage(flight.name.clone(), 1000);
        let mut measured = Measured::default();
        let mut run = Run { name: flight.name.clone(), device: self.device.clone(), ..Run::default() };
        let begun = Instant::now();
        let (mut last, mut edited, mut shown) = (0.0, 0.0, 0);
        // The flight runs in real time: the slower the frames, the farther apart they are.
        while measured.frames.len() < self.frames {
            let now = begun.elapsed().as_secs_f64();
            if now > self.seconds {
                break;
            }
            let done = (now / self.seconds).max(measured.frames.len() as f64 / self.frames as f64);
            let done = (done * 1000.0) as usize;
            work.advance(done.saturating_sub(shown));
            shown = shown.max(done);
            work.check()?;
            if flight.edits && now > edited + 1.0 {
                edited = now;
                // The whole path of an edit without changing the land, so that frames stay comparable.
                self.stream(|stream| stream.make_all_again())?;
            }
            let metres = flight.speed * (now - last);
            last = now;
            self.stream(|stream| path.move_on(stream.residency(), flight.altitude, metres))?;
            self.put(&path)?;
            self.frame(&mut measured);
            self.count(&path, &mut run)?;
        }
        self.scene.check()?;
        run.frames = measured.frames.len();
        run.frame = Spread::of(&mut measured.frames);
        run.systems = Spread::of(&mut measured.systems);
        run.latency = Spread::of(&mut measured.latencies);
        let passes = measured.passes.into_iter();
        run.drawing = Some(Drawing {
            quality: self.scene.quality.name(),
            size: self.size,
            cpu: Spread::of(&mut measured.cpu),
            passes: passes.map(|(name, mut times)| (name, Spread::of(&mut times))).collect(),
            shadow_draws_max: measured.shadow_draws,
        });
        Ok(run)
    }

    /// Moves the camera to the start of flights, and waits for everything that is visible from there.
    fn start(&mut self, flight: &Flight) -> Result<Path> {
        self.scene.headless.settle(PATIENCE)?;
        self.scene.check()?;
        let mut path = self.stream(|stream| Path::new(stream.shape()))?;
        // The height of the start depends on the ground, which becomes finer while tiles arrive.
        for _ in 0..CORRECTIONS {
            self.stream(|stream| path.settle(stream.residency(), flight.altitude))?;
            self.put(&path)?;
            self.scene.headless.settle(PATIENCE)?;
            if self.stream(|stream| path.is_settled(stream.residency(), flight.altitude))? {
                break;
            }
        }
        // Tiles that have arrived so far don't belong to the flight.
        self.scene.headless.update();
        Ok(path)
    }

    fn stream<T>(&mut self, with: impl FnOnce(&mut Stream) -> T) -> Result<T> {
        let terrain = self.scene.terrain;
        let stream = self.scene.world().get_mut::<Stream>(terrain);
        let mut stream = stream.ok_or_else(|| Error::parameter("terrain", "there is none to fly over"))?;
        Ok(with(&mut stream))
    }

    /// Moves the camera to the flight's position.
    fn put(&mut self, path: &Path) -> Result<()> {
        let (terrain, camera) = (self.scene.terrain, self.scene.camera);
        let world = self.scene.world();
        let ground = world.get::<TerrainGround>(terrain);
        let corner = ground.ok_or_else(|| Error::parameter("terrain", "there is none to fly over"))?.origin;
        // The floating origin may have moved the world.
        let origin = world.get_resource::<WorldOrigin>().map_or(bevy::math::DVec3::ZERO, |origin| origin.0);
        let at = path.position() + bevy::math::DVec3::new(corner.x, 0.0, corner.y) - origin;
        let pose = Transform::from_translation(at.as_vec3()).looking_to(Path::AHEAD.as_vec3(), Vec3::Y);
        world.entity_mut(camera).insert(pose);
        Ok(())
    }

    /// Draws a frame and measures it.
    fn frame(&mut self, measured: &mut Measured) {
        let begun = Instant::now();
        self.scene.headless.app_mut().update();
        let cpu = begun.elapsed();
        if let Some(device) = self.scene.world().get_resource::<RenderDevice>() {
            let _ = device.poll(PollType::wait_indefinitely());
        }
        measured.frames.push(begun.elapsed().as_secs_f64() * 1e3);
        measured.cpu.push(cpu.as_secs_f64() * 1e3);
        let world = self.scene.world();
        let statistics = world.resource::<TerrainStatistics>();
        measured.systems.push(statistics.systems_ms.into());
        measured.latencies.extend(statistics.latencies_ms.iter().map(|latency| f64::from(*latency)));
        for diagnostic in world.resource::<DiagnosticsStore>().iter() {
            let path = diagnostic.path().as_str();
            let name = path.strip_prefix("render/").and_then(|path| path.strip_suffix("/elapsed_gpu"));
            // If a pass did not run in this frame, its latest time belongs to an earlier one.
            let latest = diagnostic.measurement().filter(|latest| latest.time >= begun);
            if let (Some(name), Some(latest)) = (name, latest) {
                measured.passes.entry(name.to_owned()).or_default().push(latest.value);
            }
        }
        let shadows = self.draws::<Shadow>();
        measured.shadow_draws = measured.shadow_draws.max(shadows);
    }

    /// Counts what is drawn now.
    fn count(&mut self, path: &Path, run: &mut Run) -> Result<()> {
        run.draws_max = run.draws_max.max(self.draws::<Opaque3d>());
        let shape = self.stream(|stream| *stream.shape())?;
        let camera = self.scene.camera;
        let world = self.scene.world();
        let mut chunks = world.query::<(&TerrainChunk, &Visibility)>();
        let shown = chunks.iter(world).filter(|(_, visibility)| **visibility != Visibility::Hidden);
        let shown: HashSet<DrawnChunk> = shown.map(|(chunk, _)| chunk.drawn()).collect();
        let far = world.get::<TerrainView>(camera).map_or(0.0, |view| f64::from(view.distance));
        let place = path.position();
        run.holes += usize::from(!covers(&shape, DVec2::new(place.x, place.z), far, &shown));
        let visible =
            world.get::<VisibleEntities>(camera).into_iter().flat_map(|visible| visible.entities.values());
        let seen = visible.flatten().filter_map(|entity| world.get::<TerrainChunk>(*entity));
        run.triangles_max = run.triangles_max.max(seen.map(|chunk| chunk.part.triangles()).sum());
        let statistics = world.resource::<TerrainStatistics>();
        run.gpu_bytes_max = run.gpu_bytes_max.max(statistics.device_bytes);
        run.cpu_bytes_max = run.cpu_bytes_max.max(statistics.memory_bytes);
        run.tiles_max = run.tiles_max.max(statistics.tiles);
        run.pressure_max = run.pressure_max.max(statistics.texel_factor);
        Ok(())
    }

    /// The most draws of a phase in any view.
    fn draws<P: BinnedPhaseItem>(&self) -> usize {
        let world = self.scene.headless.app().sub_app(RenderApp).world();
        let Some(phases) = world.get_resource::<ViewBinnedRenderPhases<P>>() else { return 0 };
        let draws = phases.values().map(|phase| {
            phase.multidrawable_meshes.len() + phase.batchable_meshes.len() + phase.unbatchable_meshes.len()
        });
        draws.max().unwrap_or(0)
    }
}

/// Times of frames, milliseconds.
#[derive(Default)]
struct Measured {
    frames: Vec<f64>,
    cpu: Vec<f64>,
    systems: Vec<f64>,
    latencies: Vec<f64>,
    passes: BTreeMap<String, Vec<f64>>,
    shadow_draws: usize,
}
