//! Renders a planet into a PNG.

use std::time::{Duration, Instant};

use bevy::camera::Exposure;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap};
use bevy::math::DVec3;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::render::view::ColorGrading;

use super::still::Waiting;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::planet::PlanetLand;
use crate::plugin::{
    Headless, Pending, Planet, PlanetBudget, PlanetCamera, PlanetPlugin, PlanetStatus, Quality,
};
use crate::recipe::Recipe;

/// A place over a planet: degrees north of the equator, degrees east, and metres above the ground or the sea.
pub type PlanetPlace = [f32; 3];

/// A picture of a planet to be rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanetShot {
    /// Metres, in [`RADII`](crate::planet::RADII).
    pub radius: f64,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Position of the eye; by default in orbit, where all of the planet is seen.
    pub from: Option<PlanetPlace>,
    /// The point in the centre of the picture. By default the planet's centre from orbit, and the horizon in
    /// the north from near the ground.
    pub look: Option<PlanetPlace>,
    /// At low and medium quality quads are coarser, and there are no shadows.
    pub quality: Quality,
    /// How long rendering may take before it fails.
    pub time_limit: Duration,
}

/// Light of the sun outside of the air, lux.
const SUNLIGHT: f32 = 128_000.0;

/// Between two frames in which nodes are made and nothing is drawn.
const PAUSE: Duration = Duration::from_millis(4);

/// Metres below which shadows are seen, and the view is by default along the ground.
const NEAR: f64 = 60_000.0;

/// How low and how high over the ground or the sea an eye may be, metres.
const LOWEST: f32 = 1.0;
const HIGHEST: f32 = 1e9;

/// Half of the vertical angle of view, degrees.
const HALF_VIEW: f32 = 25.0;

/// Makes the planet of `recipe` and renders it. The sun is the recipe's, as it is seen from the place under
/// the eye; from orbit it is in the west.
///
/// # Errors
/// When the eye or the point it looks at is nowhere, or the eye under the ground; when there is no graphics
/// device, not even a software one; those of [`PlanetLand::new`]; when the time limit passes.
pub fn render_planet(recipe: &Recipe, shot: &PlanetShot, work: &Work) -> Result<image::RgbaImage> {
    check_place("from", shot.from, LOWEST)?;
    check_place("look", shot.look, -HIGHEST)?;
    let land = PlanetLand::new(recipe, shot.radius, work)?;
    let mut headless = Headless::new(shot.size.0, shot.size.1)?;
    work.stage("draw", 1);
    let sight = Sight::new(recipe, &land, shot, work)?;
    let camera = spawn_scene(&mut headless, recipe, shot, &sight);
    let begun = Instant::now();
    let mut waiting = Waiting::default();
    wait_for_nodes(&mut headless, shot.time_limit, begun, &mut waiting, work)?;
    if let Some(mut camera) = headless.app_mut().world_mut().get_mut::<Camera>(camera) {
        camera.is_active = true;
    }
    headless.settle_while(shot.time_limit.saturating_sub(begun.elapsed()), |pending| {
        waiting.report(pending, work);
        work.check()
    })?;
    headless.last_frame()
}

/// The eye, what it looks at, and the sun. Positions are in metres from the planet's centre.
struct Sight {
    /// The position of the eye.
    from: DVec3,
    /// Away from the planet's centre, at the eye.
    up: DVec3,
    /// Level, to the north.
    north: DVec3,
    /// The direction of view.
    forward: Vec3,
    /// Metres between the eye and the planet's sphere.
    above: f64,
    /// Whether the eye is so near that shadows are seen.
    is_near: bool,
    /// The direction to the sun.
    to_sun: DVec3,
    /// The sun's elevation, radians.
    elevation: f64,
}

impl Sight {
    /// # Errors
    /// Those of measuring the ground under a place.
    fn new(recipe: &Recipe, land: &PlanetLand, shot: &PlanetShot, work: &Work) -> Result<Self> {
        let at = |place: PlanetPlace| -> Result<DVec3> {
            let direction = direction_of(place);
            let ground = land.height_towards(direction, work)?;
            let ground = land.sea_level().map_or(ground, |sea| ground.max(sea));
            Ok(direction * (shot.radius + f64::from(ground) + f64::from(place[2])))
        };
        let from = match shot.from {
            Some(place) => at(place)?,
            None => direction_of([18.0, 0.0, 0.0]) * orbit(shot),
        };
        let up = from.normalize();
        let above = from.length() - shot.radius;
        let is_near = above < NEAR.min(0.2 * shot.radius);
        // At a pole any direction is east.
        let east = DVec3::Y.cross(up).normalize_or(DVec3::X);
        let north = up.cross(east);
        let look = match shot.look {
            Some(place) => at(place)?,
            None if is_near => from + north * above.max(100.0) - up * (0.12 * above.max(100.0)),
            None => DVec3::ZERO,
        };
        // From orbit a sun behind the eye would leave no shadow, and one at its zenith no terminator.
        let sun = if is_near { [recipe.sun.bearing, recipe.sun.elevation] } else { [290.0, 34.0] };
        let [bearing, elevation] = sun.map(|angle| f64::from(angle).to_radians());
        let level = north * libm::cos(bearing) + east * libm::sin(bearing);
        let to_sun = level * libm::cos(elevation) + up * libm::sin(elevation);
        let forward = (look - from).normalize_or(-up).as_vec3();
        Ok(Self { from, up, north, forward, above, is_near, to_sun, elevation })
    }

    /// The direction that is upright in the picture: away from the planet, or north for a view straight down.
    fn upright(&self) -> Vec3 {
        let is_level = self.forward.cross(self.up.as_vec3()).length() > 1e-3;
        if is_level { self.up.as_vec3() } else { self.north.as_vec3() }
    }
}

/// The distance from the planet's centre at which all of the planet fits into the picture, metres.
fn orbit(shot: &PlanetShot) -> f64 {
    let aspect = shot.size.0 as f32 / shot.size.1 as f32;
    let narrower = HALF_VIEW.to_radians().min((HALF_VIEW.to_radians().tan() * aspect).atan());
    // The planet's edge is a tangent from the eye: sin(half of the view) = radius ÷ distance. 1.12 leaves a
    // margin.
    shot.radius / libm::sin(f64::from(narrower)) * 1.12
}

/// Spawns the planet, its sun and a camera that draws nothing yet; returns the camera.
fn spawn_scene(headless: &mut Headless, recipe: &Recipe, shot: &PlanetShot, sight: &Sight) -> Entity {
    let target = headless.target();
    let app = headless.app_mut();
    app.add_plugins(PlanetPlugin);
    let world = app.world_mut();
    world.insert_resource(ClearColor(Color::BLACK));
    world.insert_resource(DirectionalLightShadowMap { size: shot.quality.shadow_map_size() });
    // A picture needs all of its nodes together, and no camera flies on and leaves some behind.
    world.insert_resource(PlanetBudget { uploads: 64, jobs: 8, fade: Duration::ZERO, kept: usize::MAX });
    let is_fine = matches!(shot.quality, Quality::High | Quality::Ultra);
    let shadows = CascadeShadowConfigBuilder {
        num_cascades: 3,
        minimum_distance: 1.0,
        first_cascade_far_bound: (sight.above as f32 * 1.5).clamp(150.0, 20_000.0),
        maximum_distance: (sight.above as f32 * 25.0).clamp(6_000.0, 150_000.0),
        ..default()
    };
    world.spawn((
        DirectionalLight {
            illuminance: SUNLIGHT,
            shadow_maps_enabled: sight.is_near && is_fine,
            ..default()
        },
        shadows.build(),
        Transform::default().looking_to(-sight.to_sun.as_vec3(), Vec3::Y),
    ));
    world.spawn(Planet::new(recipe.clone(), shot.radius));
    let quad_pixels = if is_fine { 2.0 } else { 4.0 };
    let projection = PerspectiveProjection {
        fov: 2.0 * HALF_VIEW.to_radians(),
        near: 0.5,
        far: (sight.from.length() + 2.0 * shot.radius) as f32,
        ..default()
    };
    // Same grading as `SkyCamera`.
    let mut grading = ColorGrading::default();
    grading.global.post_saturation = 1.12;
    let camera = world.spawn((
        PlanetCamera { quad_pixels, ..PlanetCamera::at(sight.from) },
        Projection::Perspective(projection),
        Transform::default().looking_to(sight.forward, sight.upright()),
        Exposure { ev100: exposure(sight.is_near, sight.elevation) },
        (Tonemapping::TonyMcMapface, grading, DebandDither::Enabled, Bloom::NATURAL, shot.quality.msaa()),
        // Frames in which nodes are still being made would only take time.
        (Camera { is_active: false, ..default() }, target),
    ));
    camera.id()
}

/// Updates the app until the planet has all of its nodes.
///
/// # Errors
/// When the planet fails, the time limit passes or the work is cancelled.
fn wait_for_nodes(
    headless: &mut Headless,
    time_limit: Duration,
    begun: Instant,
    waiting: &mut Waiting,
    work: &Work,
) -> Result<()> {
    loop {
        headless.update();
        work.check()?;
        let world = headless.app_mut().world_mut();
        let status = world.query::<&PlanetStatus>().iter(world).next();
        match status {
            Some(PlanetStatus::Failed(error)) => return Err(Error::parameter("planet", error.clone())),
            Some(status) if status.is_settled() => return Ok(()),
            _ => waiting.report(Some(&pending(status)), work),
        }
        if begun.elapsed() > time_limit {
            let reason = format!(
                "the picture is not complete after {:.0} s, still waiting for the nodes of the planet; allow more time",
                time_limit.as_secs_f32()
            );
            return Err(Error::parameter("renderer", reason));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The reason why a planet's picture is not complete yet.
fn pending(status: Option<&PlanetStatus>) -> Pending {
    match status {
        Some(PlanetStatus::Drawn { nodes: (there, left), .. }) => {
            let parts = Some(("nodes", there + left, *there));
            Pending { what: "the nodes of the planet".to_owned(), parts }
        }
        _ => "the land of the planet".to_owned().into(),
    }
}

/// The exposure for ground under a sun at this elevation, radians: from orbit that of daylight; near the
/// ground an eye opens for a low sun, though by less than the light fades.
fn exposure(is_near: bool, elevation: f64) -> f32 {
    const DAYLIGHT: f32 = 13.9;
    /// The sky's part of the light that level ground gets from a sun at its zenith.
    const SKY: f32 = 0.1;
    const OPENED: f32 = 0.7;
    let lit = libm::sin(elevation).max(0.0) as f32 + SKY;
    if is_near { DAYLIGHT + OPENED * lit.log2() } else { DAYLIGHT }
}

/// Refuses a place whose latitude is not possible, and one that is lower than `lowest` metres above the
/// ground.
fn check_place(name: &str, place: Option<PlanetPlace>, lowest: f32) -> Result<()> {
    let Some([latitude, longitude, height]) = place else { return Ok(()) };
    if !(-90.0..=90.0).contains(&latitude) || !longitude.is_finite() {
        let reason = format!(
            "{latitude}, {longitude} is not a place on the planet; give degrees north, -90 to 90, and degrees east"
        );
        return Err(Error::parameter(name, reason));
    }
    if !(lowest..=HIGHEST).contains(&height) {
        let reason = format!(
            "{height} m is not a possible height above the ground or the sea; give {lowest} to {HIGHEST} m"
        );
        return Err(Error::parameter(name, reason));
    }
    Ok(())
}

/// The direction of a place from the planet's centre: the poles lie on the y axis, (0, 0) on the z axis.
fn direction_of([latitude, longitude, _]: PlanetPlace) -> DVec3 {
    let [latitude, longitude] = [latitude, longitude].map(|angle| f64::from(angle).to_radians());
    let level = libm::cos(latitude);
    DVec3::new(level * libm::sin(longitude), libm::sin(latitude), level * libm::cos(longitude))
}
