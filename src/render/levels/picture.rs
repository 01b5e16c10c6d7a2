//! The comparison as a picture: four panes of one land.

use std::time::{Duration, Instant};

use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::math::DVec3;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use image::{Rgba, RgbaImage, imageops};

use super::caption::{Numbers, caption};
use super::land::Compared;
use super::measure::{ChunkParts, eye_of, of_brute_force, of_chunks, of_roam, of_tin};
use super::wire::{WireMaterial, Wires, middle_of, of_triangles};
use super::{Way, layer};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::mesh::RoamEye;
use crate::plugin::{
    DebugView, FloatingOrigin, Quality, RiverSurface, Sky, TerrainSides, TerrainStatistics, TerrainView,
    WaterSurface, load_wire_shader, origin_of,
};
use crate::render::scene;
use crate::render::still::{OffscreenScene, Waiting};
use crate::{Cache, Recipe};

/// Pixels between two panes, and their colour.
const GAP: u32 = 2;
const BETWEEN: Rgba<u8> = Rgba([14, 16, 18, 255]);

/// A picture of levels of detail compared.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelsShot {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Position of the eye in metres; by default the recipe's.
    pub from: Option<[f32; 3]>,
    /// The point in the centre of each pane in metres; by default the recipe's.
    pub look: Option<[f32; 3]>,
    /// The quality of CDLOD.
    pub quality: Quality,
    /// The largest error of CDLOD and ROAM on the screen, in pixels; by default that of the quality.
    pub pixel_error: Option<f32>,
    /// The largest distance of a sample from the TIN, in metres; by default a 400th of the land's range of
    /// heights.
    pub tin_error: Option<f32>,
    /// How long rendering may take before it fails.
    pub time_limit: Duration,
}

/// Draws a land in four ways, as wireframes with what each costs: CDLOD and ROAM above, a TIN and all samples
/// below.
///
/// # Errors
/// When there is no graphics device, when the land or a mesh of it cannot be made, when a number is outside
/// its range, and when the time limit passes.
pub fn render_levels(recipe: &Recipe, shot: &LevelsShot, work: &Work) -> Result<RgbaImage> {
    let positive = |error: Option<f32>, name| match error {
        Some(error) if !(error.is_finite() && error > 0.0) => Err(Error::parameter(
            name,
            format!("{error} is not an error that a mesh can keep; give more than 0"),
        )),
        _ => Ok(()),
    };
    positive(shot.pixel_error, "--pixel-error")?;
    positive(shot.tin_error, "--tin-error")?;
    let (width, height) = shot.size;
    if width < 64 || height < 64 {
        let reason = format!("{width}×{height} pixels are too few for four panes; give 64×64 or more");
        return Err(Error::parameter("size", reason));
    }
    let size = ((width - GAP) / 2, (height - GAP) / 2);
    let cache = Cache::default();
    let mut scene = OffscreenScene::with_cache(recipe, size, shot.quality, &cache, work)?;
    let from = shot.from.map_or(scene::first_view(recipe, None).0, Vec3::from);
    let place = from.as_dvec3().xz() - origin_of(recipe);
    let land = Compared::new(recipe, &cache, place, shot.tin_error, work)?;
    let mut panes = Panes::new(&mut scene, recipe, shot, land);

    let mut picture = RgbaImage::from_pixel(width, height, BETWEEN);
    for way in Way::ALL {
        let (mut pane, numbers) = panes.draw(&mut scene, way, shot.time_limit, work)?;
        caption(way, Some(numbers), None).draw_into(&mut pane);
        let index = way.index() as u32;
        let corner = [index % 2 * (size.0 + GAP), index / 2 * (size.1 + GAP)].map(i64::from);
        imageops::replace(&mut picture, &pane, corner[0], corner[1]);
    }
    Ok(picture)
}

/// State to draw the panes one after the other.
struct Panes {
    land: Compared,
    /// Where the north-west sample stands in the world.
    corner: DVec3,
    pixel_error: f32,
    material: Handle<WireMaterial>,
}

impl Panes {
    fn new(scene: &mut OffscreenScene, recipe: &Recipe, shot: &LevelsShot, land: Compared) -> Self {
        let app = scene.headless.app_mut();
        load_wire_shader(app);
        app.add_plugins(MaterialPlugin::<WireMaterial>::default());
        scene.aim(recipe, shot.from, shot.look, DebugView::Wireframe);
        let (terrain, camera) = (scene.terrain, scene.camera);
        let world = scene.world();
        // The world must not be moved: what has been measured is counted from the present origin.
        world.entity_mut(camera).remove::<FloatingOrigin>();
        world.entity_mut(terrain).insert(TerrainSides::default());
        let mut view = world.get_mut::<TerrainView>(camera).expect("a camera of a scene has a view");
        let pixel_error = shot.pixel_error.unwrap_or(view.pixel_error);
        view.pixel_error = pixel_error;
        // Each way has a layer of its own, and the light is on all of them: the camera sees one way at a
        // time.
        let layers = (0..Way::ALL.len()).map(layer).fold(RenderLayers::layer(1), |all, one| all.union(&one));
        let skies: Vec<Entity> = world.query_filtered::<Entity, With<Sky>>().iter(world).collect();
        skies.into_iter().for_each(|sky| {
            world.entity_mut(sky).insert(layers.clone());
        });
        let material = world.resource_mut::<Assets<WireMaterial>>().add(WireMaterial::default());
        let corner = land.corner + origin_of(recipe);
        Self { land, corner: DVec3::new(corner.x, 0.0, corner.y), pixel_error, material }
    }

    fn draw(
        &mut self,
        scene: &mut OffscreenScene,
        way: Way,
        time_limit: Duration,
        work: &Work,
    ) -> Result<(RgbaImage, Numbers)> {
        let camera = scene.camera;
        let waiting = || Waiting::of(format!("draw {} of {}", way.index() + 1, Way::ALL.len()));
        if way == Way::Cdlod {
            // Water exists only after the first frames of the land; then it can be hidden.
            scene.capture(time_limit, waiting(), work)?;
            // Meshes are of the ground alone.
            let mut waters = scene
                .world()
                .query_filtered::<&mut Visibility, Or<(With<WaterSurface>, With<RiverSurface>)>>();
            waters.iter_mut(scene.world()).for_each(|mut water| *water = Visibility::Hidden);
            let picture = scene.capture(time_limit, waiting(), work)?;
            let eye = self.eye(scene)?;
            let world = scene.world();
            let update_ms = world.resource::<TerrainStatistics>().systems_ms;
            let mut chunks = world.query::<ChunkParts>();
            let mut errors = HashMap::default();
            let numbers =
                of_chunks(chunks.iter(world), &self.land, &mut errors, self.corner, &eye, update_ms);
            return Ok((picture, numbers));
        }
        let eye = self.eye(scene)?;
        let (wires, numbers): (Wires, Numbers) = match way {
            Way::Roam => {
                let begun = Instant::now();
                let mesh = self.land.roam.mesh(&eye);
                let wires = of_triangles(self.land.roam.field(), &mesh.triangles);
                // Includes the making of the device's mesh: ROAM has new triangles in every frame.
                let update_ms = begun.elapsed().as_secs_f32() * 1e3;
                (wires, of_roam(&mesh, &self.land, update_ms))
            }
            Way::Tin => (std::mem::take(&mut self.land.tin_wires), of_tin(&self.land, Some(&eye))),
            Way::Cdlod | Way::BruteForce => {
                (std::mem::take(&mut self.land.grid_wires), of_brute_force(&self.land))
            }
        };
        let place = (self.corner + middle_of(self.land.roam.field())).as_vec3();
        let world = scene.world();
        let mesh = world.resource_mut::<Assets<Mesh>>().add(wires.into_mesh());
        // The mesh spans the whole land, so nothing is gained by culling it.
        let drawn = (Mesh3d(mesh), MeshMaterial3d(self.material.clone()), NoFrustumCulling);
        let drawn = world.spawn((drawn, Transform::from_translation(place), layer(way.index()))).id();
        world.entity_mut(camera).insert(layer(way.index()));
        let picture = scene.capture(time_limit, waiting(), work)?;
        scene.world().despawn(drawn);
        Ok((picture, numbers))
    }

    fn eye(&self, scene: &mut OffscreenScene) -> Result<RoamEye> {
        let camera = scene.camera;
        let camera = scene.world().entity(camera);
        let parts = camera.get_components::<(&Camera, &Frustum, &GlobalTransform)>().ok();
        let eye = parts.and_then(|(camera, frustum, transform)| {
            eye_of(camera, frustum, transform, self.pixel_error, self.corner)
        });
        eye.ok_or_else(|| Error::parameter("camera", "it has no picture to look at"))
    }
}
