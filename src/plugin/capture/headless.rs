//! Rendering without a window: a Bevy app that renders into a texture and reads its pixels back.
//!
//! A picture is complete when every pipeline is compiled, every terrain is built and all its tiles that are
//! needed are there with what is scattered on them, the light of every sky is computed and a few more frames
//! have passed. A fixed number of frames would not be reliable, so the wait is bounded by a time limit
//! instead.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bevy::app::{PluginsState, TerminalCtrlCHandlerPlugin};
use bevy::asset::RenderAssetUsages;
use bevy::camera::{CameraUpdateSystems, RenderTarget};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::RenderPlugin;
use bevy::render::error_handler::RenderErrorHandler;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    BufferDescriptor, BufferUsages, CachedPipelineState, CommandEncoderDescriptor, Extent3d, MapMode,
    PipelineCache, PollType, TexelCopyBufferInfo, TexelCopyBufferLayout, TextureDimension, TextureFormat,
    TextureUsages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::GpuImage;
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use image::RgbaImage;

use crate::plugin::device::{DeviceFailure, LeanViewsPlugin, note_failure, require_graphics_device};
use crate::plugin::jobs::task_pools;
use crate::plugin::planet::PlanetStatus;
use crate::plugin::scatter::{ScatterBudget, Scattering};
use crate::plugin::sky::Dawning;
use crate::plugin::stream::{Stream, TerrainBudget};
use crate::plugin::terrain::TerrainStatus;
use crate::{Error, Result};

/// Frames without a waiting pipeline or terrain before a picture counts as complete: what is finished in
/// one frame is extracted in the next and drawn in the one after.
const QUIET_FRAMES: u32 = 4;

/// The longest side of a picture, in pixels.
pub const MAX_PICTURE_SIDE: u32 = 16384;

/// A Bevy app without a window, and the texture that it renders into.
///
/// A graphics device that is lost ends no program here: the next picture is an error that says so. Set Bevy's
/// [`RenderErrorHandler`] to do otherwise.
///
/// Its time stands still, so that moving water looks the same in every run; set [`TimeUpdateStrategy`] to
/// change that.
///
/// ```no_run
/// use bevy::prelude::*;
/// use std::time::Duration;
///
/// let mut headless = upland::plugin::Headless::new(256, 144)?;
/// let target = headless.target();
/// headless.app_mut().world_mut().spawn((Camera3d::default(), target));
/// let picture = headless.capture(Duration::from_secs(60))?;
/// assert_eq!(picture.dimensions(), (256, 144));
/// # Ok::<(), upland::Error>(())
/// ```
#[doc(alias("screenshot", "offscreen"))]
pub struct Headless {
    app: App,
    size: UVec2,
    colours: Handle<Image>,
    floats: Handle<Image>,
}

impl Headless {
    /// An app with Bevy's default plugins and a target of `width × height` pixels. Add plugins before the
    /// first [`capture`](Self::capture); entities may be spawned and despawned at any time.
    ///
    /// # Errors
    /// When a side is 0 or above [`MAX_PICTURE_SIDE`], or when there is no graphics device, not even
    /// a software one.
    pub fn new(width: u32, height: u32) -> Result<Self> {
        if !(1..=MAX_PICTURE_SIDE).contains(&width) || !(1..=MAX_PICTURE_SIDE).contains(&height) {
            let reason =
                format!("{width}×{height} pixels cannot be drawn; give 1 to {MAX_PICTURE_SIDE} a side");
            return Err(Error::parameter("size", reason));
        }
        require_graphics_device()?;
        let mut app = App::new();
        // `DontExit`: without a window Bevy's default would end the app in its first frame.
        let plugins = DefaultPlugins
            .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
            // Otherwise pipelines are compiled on other threads, and frames are drawn without what waits for
            // them.
            .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
            .set(task_pools())
            // So the picture of an update is complete when the update returns.
            .disable::<PipelinedRenderingPlugin>()
            // The program that uses this has handlers of its own for Ctrl C.
            .disable::<TerminalCtrlCHandlerPlugin>();
        #[cfg(feature = "viewer")]
        let plugins = plugins
            .disable::<bevy::winit::WinitPlugin>()
            // Logging is global to the process, so its owner decides.
            .disable::<bevy::log::LogPlugin>();
        app.add_plugins(plugins)
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO))
            .insert_resource(RenderErrorHandler(note_failure));
        app.add_plugins(LeanViewsPlugin);
        let size = UVec2::new(width, height);
        let mut images = app.world_mut().resource_mut::<Assets<Image>>();
        let colours = images.add(target_image(size, TextureFormat::Rgba8UnormSrgb));
        // Only the handle: most pictures never need the image.
        let floats = images.reserve_handle();
        app.insert_resource(FloatTarget { image: floats.clone(), size })
            // Before the cameras look for their targets, which must be there: they do so at the start, too.
            .add_systems(PostStartup, make_float_target.before(CameraUpdateSystems))
            .add_systems(PostUpdate, make_float_target.before(CameraUpdateSystems));
        Ok(Self { app, size, colours, floats })
    }

    /// The app, read-only.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The app, to add plugins to and to change its world.
    pub fn app_mut(&mut self) -> &mut App {
        &mut self.app
    }

    /// The render target for [`capture`](Self::capture): 8-bit sRGB. A component, to be spawned together with
    /// `Camera3d`.
    pub fn target(&self) -> RenderTarget {
        RenderTarget::Image(self.colours.clone().into())
    }

    /// The render target for [`capture_floats`](Self::capture_floats): four linear 32-bit floats a pixel. It
    /// takes memory from the first frame on in which a camera has it.
    pub fn float_target(&self) -> RenderTarget {
        RenderTarget::Image(self.floats.clone().into())
    }

    /// Runs frames until the picture is complete and returns it.
    ///
    /// # Errors
    /// When a shader does not compile, the graphics device is lost, or the picture is not complete within
    /// `time_limit`.
    pub fn capture(&mut self, time_limit: Duration) -> Result<RgbaImage> {
        self.settle(time_limit)?;
        self.last_frame()
    }

    /// The picture as the last frame left it, complete or not.
    ///
    /// # Errors
    /// When the graphics device does not hand it over.
    pub fn last_frame(&self) -> Result<RgbaImage> {
        let pixels = self.read(&self.colours, 4)?;
        RgbaImage::from_raw(self.size.x, self.size.y, pixels)
            .ok_or_else(|| failure("lost a part of the picture"))
    }

    /// As [`capture`](Self::capture), for cameras on the [`float_target`](Self::float_target): red, green,
    /// blue and alpha of each pixel, row by row from the top.
    ///
    /// # Errors
    /// As for [`capture`](Self::capture), and when no camera ever had that target.
    pub fn capture_floats(&mut self, time_limit: Duration) -> Result<Vec<[f32; 4]>> {
        self.settle(time_limit)?;
        if !self.app.world().resource::<Assets<Image>>().contains(&self.floats) {
            return Err(failure("no camera draws floats; give one the `float_target`"));
        }
        let bytes = self.read(&self.floats.clone(), 16)?;
        let float = |bytes: &[u8], at: usize| {
            f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Ok(bytes.chunks_exact(16).map(|p| [float(p, 0), float(p, 4), float(p, 8), float(p, 12)]).collect())
    }

    /// Runs one frame, and waits until the device has rendered it.
    pub fn update(&mut self) {
        self.finish_plugins();
        self.app.update();
        // A window's swap chain keeps the program from running ahead of the device; here only this wait does.
        if let Some(device) = self.app.world().get_resource::<RenderDevice>() {
            let _ = device.poll(PollType::wait_indefinitely());
        }
    }

    /// Runs frames until no build, pipeline or sky is pending. [`TerrainBudget`] and [`ScatterBudget`], which
    /// spread work for the sake of even frames, are ignored meanwhile, because these frames are not shown.
    ///
    /// # Errors
    /// As for [`capture`](Self::capture).
    pub fn settle(&mut self, time_limit: Duration) -> Result<()> {
        self.settle_while(time_limit, |_| Ok(()))
    }

    /// As [`settle`](Self::settle), until `go_on` fails, which gets after each frame what is still pending.
    ///
    /// # Errors
    /// As for [`settle`](Self::settle), and those of `go_on`.
    pub(crate) fn settle_while(
        &mut self,
        time_limit: Duration,
        go_on: impl FnMut(Option<&Pending>) -> Result<()>,
    ) -> Result<()> {
        let kept = self.budgets();
        let (upload_bytes, main_thread_ms) = (usize::MAX, f32::INFINITY);
        self.set_budgets(
            kept.0.map(|budget| TerrainBudget { upload_bytes, main_thread_ms, ..budget }),
            kept.1.map(|budget| ScatterBudget { upload_bytes, main_thread_ms, ..budget }),
        );
        let settled = self.update_until_settled(time_limit, go_on);
        // Also after an error, so that the app goes on as its owner has set it.
        self.set_budgets(kept.0, kept.1);
        settled
    }

    fn budgets(&self) -> (Option<TerrainBudget>, Option<ScatterBudget>) {
        let world = self.app.world();
        (world.get_resource().copied(), world.get_resource().copied())
    }

    fn set_budgets(&mut self, tiles: Option<TerrainBudget>, scatter: Option<ScatterBudget>) {
        let world = self.app.world_mut();
        if let Some(tiles) = tiles {
            world.insert_resource(tiles);
        }
        if let Some(scatter) = scatter {
            world.insert_resource(scatter);
        }
    }

    fn update_until_settled(
        &mut self,
        time_limit: Duration,
        mut go_on: impl FnMut(Option<&Pending>) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        let mut quiet_frames = 0;
        loop {
            self.update();
            if let Some(DeviceFailure(reason)) = self.app.world().get_resource() {
                return Err(failure(reason));
            }
            let waiting_for = self.waiting_for();
            go_on(waiting_for.as_ref())?;
            // One frame is not enough: what becomes ready in it may order something else.
            quiet_frames = if waiting_for.is_none() { quiet_frames + 1 } else { 0 };
            if quiet_frames >= QUIET_FRAMES {
                // Only now: while shaders are being loaded, Bevy's pipelines pass through states of failure.
                return self.broken_pipeline().map_or(Ok(()), |reason| Err(failure(reason)));
            }
            if start.elapsed() > time_limit {
                let waiting_for =
                    waiting_for.map_or_else(|| "the last frames".into(), |pending| pending.what);
                let reason = format!(
                    "the picture is not complete after {:.0} s, still waiting for {waiting_for}; allow more time",
                    time_limit.as_secs_f32()
                );
                return Err(failure(reason));
            }
        }
    }

    /// The first thing that is still pending; `None` when the picture is complete.
    fn waiting_for(&mut self) -> Option<Pending> {
        let world = self.app.world_mut();
        // In the order in which things depend on each other, so that the message names the cause: tiles wait
        // for a build, plants for tiles.
        let mut terrains = world.query::<&TerrainStatus>();
        let building = terrains.iter(world).filter(|status| !status.is_settled()).count();
        if building > 0 {
            return Some(counted(building, "terrain").into());
        }
        let mut streams = world.query::<&Stream>();
        let pending = streams.iter(world).filter(|stream| !stream.is_settled()).count();
        if pending > 0 {
            let what = format!("the tiles of {}", counted(pending, "terrain"));
            return Some(Pending::in_parts(what, "tiles", streams.iter(world).map(Stream::needed)));
        }
        let mut scattering = world.query::<&Scattering>();
        let pending = scattering.iter(world).filter(|scattering| !scattering.is_settled()).count();
        if pending > 0 {
            let what = format!("what is scattered on {}", counted(pending, "terrain"));
            let needed = scattering.iter(world).map(Scattering::needed);
            return Some(Pending::in_parts(what, "patches of objects", needed));
        }
        let planets =
            world.query::<&PlanetStatus>().iter(world).filter(|planet| !planet.is_settled()).count();
        if planets > 0 {
            return Some(format!("the nodes of {}", counted(planets, "planet")).into());
        }
        let computing = world.query_filtered::<(), With<Dawning>>().iter(world).count();
        if computing > 0 {
            return Some(format!("the light of {computing} skies").into());
        }
        let cache = self.pipelines()?;
        let waiting = cache.waiting_pipelines().count();
        (waiting > 0).then(|| {
            let reason = self.broken_pipeline().map_or(String::new(), |reason| format!(" ({reason})"));
            format!("{}{reason}", counted(waiting, "graphics pipeline")).into()
        })
    }

    /// The first pipeline that failed, and why.
    fn broken_pipeline(&self) -> Option<String> {
        self.pipelines()?.pipelines().find_map(|pipeline| match &pipeline.state {
            CachedPipelineState::Err(error) => Some(format!("a graphics pipeline failed: {error}")),
            _ => None,
        })
    }

    fn pipelines(&self) -> Option<&PipelineCache> {
        self.app.get_sub_app(RenderApp)?.world().get_resource::<PipelineCache>()
    }

    /// Runs `finish` and `cleanup` of the plugins once the device is ready; only the first call has an
    /// effect.
    fn finish_plugins(&mut self) {
        if self.app.plugins_state() == PluginsState::Cleaned {
            return;
        }
        // The device is asked for in a task of Bevy's, which runs on this thread.
        while self.app.plugins_state() == PluginsState::Adding {
            bevy::tasks::tick_global_task_pools_on_main_thread();
        }
        self.app.finish();
        self.app.cleanup();
    }

    /// Copies a target's pixels from the device, `bytes_per_pixel` each.
    fn read(&self, image: &Handle<Image>, bytes_per_pixel: u32) -> Result<Vec<u8>> {
        if let Some(DeviceFailure(reason)) = self.app.world().get_resource() {
            return Err(failure(reason));
        }
        let world = self.app.sub_app(RenderApp).world();
        let (Some(device), Some(queue), Some(images)) = (
            world.get_resource::<RenderDevice>(),
            world.get_resource::<RenderQueue>(),
            world.get_resource::<RenderAssets<GpuImage>>(),
        ) else {
            return Err(failure("the renderer did not start"));
        };
        let texture = &images.get(image).ok_or_else(|| failure("the target was not made"))?.texture;
        let row = self.size.x * bytes_per_pixel;
        // Texture copies have rows padded to a multiple of 256 bytes.
        let padded_row = RenderDevice::align_copy_bytes_per_row(row as usize);
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("picture"),
            size: padded_row as u64 * u64::from(self.size.y),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
        let layout =
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_row as u32), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            TexelCopyBufferInfo { buffer: &buffer, layout },
            texture.size(),
        );
        queue.submit([encoder.finish()]);

        let outcome = Arc::new(Mutex::new(None));
        let slice = buffer.slice(..);
        let reported = outcome.clone();
        slice.map_async(MapMode::Read, move |result| {
            if let Ok(mut outcome) = reported.lock() {
                *outcome = Some(result);
            }
        });
        // The callback runs within `poll`, on this thread.
        let polled = device.poll(PollType::wait_indefinitely());
        let mapped = matches!(outcome.lock().as_deref(), Ok(Some(Ok(()))));
        if polled.is_err() || !mapped {
            return Err(failure("the graphics device did not hand over the picture"));
        }
        let bytes = slice.get_mapped_range();
        Ok(bytes.chunks_exact(padded_row).flat_map(|padded| &padded[..row as usize]).copied().collect())
    }
}

/// A thing that a picture waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// For people.
    pub what: String,
    /// The name of its parts, how many of them there will be as far as is known, and how many are there;
    /// `None` without parts, and before anything is known of them.
    pub parts: Option<(&'static str, usize, usize)>,
}

impl Pending {
    fn in_parts(what: String, name: &'static str, needed: impl Iterator<Item = (usize, usize)>) -> Self {
        let (needed, there) = needed.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        Self { what, parts: (needed > 0).then_some((name, needed, there)) }
    }
}

impl From<String> for Pending {
    /// Without parts.
    fn from(what: String) -> Self {
        Self { what, parts: None }
    }
}

/// The target for floats, which is made when a camera is to draw into it: at 16 bytes a pixel it is the
/// largest thing that a picture needs, and few need it.
#[derive(Resource)]
struct FloatTarget {
    image: Handle<Image>,
    size: UVec2,
}

/// Makes the target for floats once a camera has it.
fn make_float_target(
    floats: Res<FloatTarget>,
    targets: Query<&RenderTarget, Changed<RenderTarget>>,
    mut images: ResMut<Assets<Image>>,
) {
    let is_floats =
        |target: &RenderTarget| matches!(target, RenderTarget::Image(image) if image.handle == floats.image);
    if targets.iter().any(is_floats) && !images.contains(&floats.image) {
        let image = target_image(floats.size, TextureFormat::Rgba32Float);
        // It fails only if the handle is no longer valid, but the resource holds it.
        let _ = images.insert(&floats.image, image);
    }
}

/// An image to render into and to copy from. Its pixels are on the device only: `Image::new_target_texture`
/// would keep as many zeros here, and copy them once more to upload them.
fn target_image(size: UVec2, format: TextureFormat) -> Image {
    let size = Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 };
    let mut image = Image::new_uninit(size, TextureDimension::D2, format, RenderAssetUsages::all());
    image.texture_descriptor.usage |= TextureUsages::RENDER_ATTACHMENT;
    image
}

fn failure(reason: impl Into<String>) -> Error {
    Error::parameter("renderer", reason)
}

/// A number of things, for people: 1 terrain, 2 terrains.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
