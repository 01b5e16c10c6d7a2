//! The entities of each sky, and the cameras that see it.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::camera::{ClearColorConfig, Exposure, Hdr};
use bevy::light::{
    AmbientLight, CascadeShadowConfig, CascadeShadowConfigBuilder, NotShadowCaster, NotShadowReceiver,
};
use bevy::pbr::DistanceFog;
use bevy::prelude::*;

use super::backdrop::{BackdropMaterial, SkyUniform, table_image, view_filling_triangle};
use super::components::{ClearedTo, Sky, SkyCamera};
use super::dawning::Dawning;
use super::look;
use crate::math::luminance::luminance;
use crate::plugin::material::{AmbientShape, DebugView, Submersion, TerrainView};
use crate::plugin::owned::{insert_with, spawn_owned};
use crate::{Daylight, Sun};

/// The tables and light that were built for a [`Sky`].
#[derive(Component, Clone, Debug)]
pub(crate) struct BuiltSky {
    pub(crate) daylight: Daylight,
    pub(crate) table: Handle<Image>,
    pub(crate) uniform: SkyUniform,
    ambient: AmbientShape,
    pub(super) backdrop: Entity,
}

#[cfg(test)]
impl BuiltSky {
    /// With light alone: no backdrop is drawn.
    pub(crate) fn bare(daylight: Daylight) -> Self {
        let uniform = SkyUniform::default();
        let ambient = AmbientShape::default();
        Self { daylight, table: Handle::default(), uniform, ambient, backdrop: Entity::PLACEHOLDER }
    }
}

/// Bitwise equality, so that a sun with NaN equals itself.
fn is_same(a: Sun, b: Sun) -> bool {
    let bits = |sun: Sun| [sun.bearing.to_bits(), sun.elevation.to_bits()];
    bits(a) == bits(b)
}

/// Marks a [`Sky`] without render layers of its own, which takes over those of the cameras. Reflected, so that
/// a scene holds it together with the layers: without it, those would count as the game's.
#[derive(Component, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub(super) struct ServesAllCameras;

/// Starts computing the light of every changed sun, one at a time per sky, and updates each sky whose light
/// is ready.
pub(super) fn build_skies(
    mut commands: Commands,
    mut skies: Query<(
        Entity,
        Ref<Sky>,
        Option<&mut Dawning>,
        Option<&mut BuiltSky>,
        Option<&RenderLayers>,
        &mut DirectionalLight,
        &mut CascadeShadowConfig,
        &mut Transform,
    )>,
    mut backdrops: Query<&mut MeshMaterial3d<BackdropMaterial>>,
    mut images: ResMut<Assets<Image>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<BackdropMaterial>>,
) {
    for (entity, sky, mut dawning, built, layers, mut light, mut cascades, mut transform) in &mut skies {
        let is_computing = dawning.as_ref().is_some_and(|dawning| !dawning.has_ended());
        let ended = dawning.as_mut().filter(|_| !is_computing);
        let asked = match &ended {
            Some(dawning) => Some(dawning.sun),
            None => built.as_ref().map(|built| built.daylight.sun),
        };
        let is_asked = asked.is_some_and(|asked| is_same(asked, sky.sun));
        let has_ended = ended.is_some();
        let fresh = ended.and_then(|dawning| dawning.light());
        // While one is computed another is not started: a game that moves the sun in every frame gets each
        // light that is ready, and not a queue of them.
        if !is_computing && !is_asked && (sky.is_changed() || has_ended) {
            insert_with::<Sky>(&mut commands.entity(entity), Dawning::new(sky.sun));
        } else if has_ended {
            commands.entity(entity).try_remove::<Dawning>();
        }

        let (daylight, table) = match (fresh, &built) {
            (Some(daylight), _) => {
                let table = images.add(table_image(&daylight));
                (daylight, table)
            }
            (None, Some(built)) if sky.is_changed() => (built.daylight.clone(), built.table.clone()),
            (None, Some(_)) => continue,
            // The first light is not there yet.
            (None, None) => {
                light.illuminance = 0.0;
                continue;
            }
        };
        let overcast = look::overcast(sky.low_clouds);
        let under = look::under_clouds(&daylight, overcast);
        let illuminance = light_in_lux(&under);
        // Bevy has a brightness and a colour; the colour divided by the luminance keeps their product.
        light.illuminance = luminance(illuminance);
        light.color = look::colour(illuminance / light.illuminance);
        // A sun below the horizon casts no shadows that could be seen.
        light.shadow_maps_enabled = sky.shadow_cascades > 0 && daylight.sun.elevation > -1.0;
        *cascades = cascade_config(&sky);
        *transform = Transform::default().looking_to(-daylight.sun.direction(), Vec3::Y);

        let low = built.as_ref().map_or_else(default, |built| built.uniform.low);
        let uniform = SkyUniform::new(&sky, &under, low);
        let ambient = look::ambient_shape(&daylight, overcast);
        let material = MeshMaterial3d(materials.add(BackdropMaterial { sky: uniform, table: table.clone() }));
        match built {
            Some(mut built) => {
                if let Ok(mut backdrop) = backdrops.get_mut(built.backdrop) {
                    *backdrop = material;
                }
                *built = BuiltSky { daylight, table, uniform, ambient, backdrop: built.backdrop };
            }
            None => {
                let mesh = Mesh3d(meshes.add(view_filling_triangle()));
                let invisible_to_lights = (NotShadowCaster, NotShadowReceiver, NoFrustumCulling);
                let bundle = (ChildOf(entity), mesh, material, invisible_to_lights, Transform::default());
                let backdrop = spawn_owned::<Sky>(&mut commands, entity, bundle).id();
                let mut sky = commands.entity(entity);
                insert_with::<Sky>(&mut sky, BuiltSky { daylight, table, uniform, ambient, backdrop });
                if layers.is_none() {
                    insert_with::<Sky>(&mut sky, (ServesAllCameras, RenderLayers::default()));
                }
            }
        }
    }
}

/// Removes what was built for a sky that is gone.
pub(super) fn clear(
    removed: On<Remove, Sky>,
    skies: Query<(Option<&BuiltSky>, Has<ServesAllCameras>)>,
    mut commands: Commands,
) {
    let Ok((built, serves_all)) = skies.get(removed.entity) else { return };
    if let Some(built) = built {
        commands.entity(built.backdrop).try_despawn();
    }
    let mut sky = commands.entity(removed.entity);
    sky.try_remove::<(BuiltSky, Dawning, DirectionalLight, CascadeShadowConfig)>();
    if serves_all {
        sky.try_remove::<(ServesAllCameras, RenderLayers)>();
    }
}

/// Puts a sky that serves all cameras on all their layers, and every backdrop on those of its sky.
pub(super) fn share_layers(
    cameras: Query<Option<&RenderLayers>, With<SkyCamera>>,
    mut skies: Query<
        (Entity, &BuiltSky, Option<&mut RenderLayers>, Option<Ref<ServesAllCameras>>),
        Without<SkyCamera>,
    >,
    backdrops: Query<Option<&RenderLayers>, (Without<SkyCamera>, Without<BuiltSky>)>,
    mut commands: Commands,
) {
    for (entity, built, layers, serves_all) in &mut skies {
        let Some(mut layers) = layers else {
            // Its own layers were removed.
            commands.entity(entity).try_insert((ServesAllCameras, RenderLayers::default()));
            continue;
        };
        match serves_all {
            // A system doesn't see its own writes of the previous run as changes, so this one is the game's.
            Some(serves_all) if layers.is_changed() && !serves_all.is_changed() => {
                commands.entity(entity).try_remove::<ServesAllCameras>();
            }
            Some(_) => {
                let all = cameras
                    .iter()
                    .fold(RenderLayers::none(), |all, layers| all.union(layers.unwrap_or_default()));
                layers.set_if_neq(all);
            }
            None => {}
        }
        if backdrops.get(built.backdrop).is_ok_and(|current| current != Some(&*layers)) {
            commands.entity(built.backdrop).try_insert(layers.clone());
        }
    }
}

/// Sets every camera's exposure, ambient light and fog for the sky that it sees.
pub(super) fn dress_cameras(
    skies: Query<(Ref<BuiltSky>, &Sky, Ref<RenderLayers>), Without<SkyCamera>>,
    mut cameras: Query<(
        Ref<SkyCamera>,
        Option<Ref<RenderLayers>>,
        &mut Exposure,
        (&mut AmbientLight, &mut AmbientShape),
        (&mut DistanceFog, &mut ClearedTo),
        Ref<Submersion>,
    )>,
) {
    for (camera, camera_layers, mut exposure, mut ambient, (mut fog, mut cleared_to), submersion) in
        &mut cameras
    {
        let (ambient, shape) = &mut ambient;
        let default_layers = RenderLayers::default();
        let layers = camera_layers.as_deref().unwrap_or(&default_layers);
        let Some((built, sky, sky_layers)) = skies.iter().find(|(.., sky)| sky.intersects(layers)) else {
            cleared_to.haze = None;
            continue;
        };
        let moved = camera_layers.as_ref().is_some_and(|layers| layers.is_changed());
        let has_seen = cleared_to.haze.is_some();
        let is_changed = camera.is_changed() || moved || built.is_changed() || sky_layers.is_changed();
        let is_same = has_seen && !is_changed;
        // A game's own changes of exposure and fog stay until the sky or the camera changes.
        if is_same && !submersion.is_changed() {
            continue;
        }
        let overcast = look::overcast(sky.low_clouds);
        let daylight = &look::under_clouds(&built.daylight, overcast);
        *exposure = look::exposure(daylight);
        exposure.ev100 -= camera.exposure_compensation + look::adapted(*submersion);
        **ambient = look::ambient(daylight);
        shape.set_if_neq(built.ambient);
        let light = light_in_lux(daylight);
        *fog = if submersion.is_under_water() {
            look::water(daylight, light, *submersion, exposure.exposure())
        } else {
            look::fog(daylight, light, (sky.visibility.max(1.0), overcast), exposure.exposure())
        };
        cleared_to.haze = Some(fog.color);
    }
}

/// Clears each camera to the colour of its haze, unless its game has set how it is cleared. A camera that no
/// longer sees a sky is cleared as before.
pub(super) fn clear_cameras(
    mut cameras: Query<(&mut Camera, &mut ClearedTo, Has<SkyCamera>, Has<Hdr>, Option<&TerrainView>)>,
) {
    for (mut camera, mut cleared_to, sees_sky, has_hdr, view) in &mut cameras {
        let haze = cleared_to.haze.filter(|_| sees_sky);
        let colour = haze.map(|haze| match view {
            // Ground adds to what is there, once for each time that it is shaded.
            Some(TerrainView { debug: DebugView::Overdraw, .. }) => Color::BLACK,
            _ => look::clear_colour(haze, has_hdr),
        });
        let must_change = match camera.clear_color {
            ClearColorConfig::Default => colour.is_some(),
            ClearColorConfig::Custom(shown) => cleared_to.colour == Some(shown) && colour != Some(shown),
            ClearColorConfig::None => false,
        };
        if must_change {
            camera.clear_color = colour.map_or(ClearColorConfig::Default, ClearColorConfig::Custom);
            cleared_to.colour = colour;
        }
    }
}

/// Illuminance of the directional light, lux. It never becomes 0: the glow of the fog is a multiple of it,
/// and at dusk the fog still glows.
fn light_in_lux(daylight: &Daylight) -> Vec3 {
    daylight.sun_illuminance.max(Vec3::splat(0.5))
}

fn cascade_config(sky: &Sky) -> CascadeShadowConfig {
    let count = sky.shadow_cascades.clamp(1, 4);
    let farthest = sky.shadow_distance.max(1.0);
    CascadeShadowConfigBuilder {
        num_cascades: count,
        minimum_distance: 0.0,
        maximum_distance: farthest,
        // Each cascade extends three to four times as far as the one before.
        first_cascade_far_bound: farthest / 3.4f32.powi(count as i32 - 1),
        overlap_proportion: 0.15,
    }
    .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::owned::{losses, run_and_lose};

    fn app() -> App {
        let mut app = App::new();
        app.init_resource::<Assets<Image>>()
            .init_resource::<Assets<Mesh>>()
            .init_resource::<Assets<BackdropMaterial>>()
            .add_systems(PostUpdate, (build_skies, share_layers).chain())
            .add_observer(clear);
        app
    }

    /// A copy of an entity as a scene has it: of its components that are registered.
    fn loaded(app: &mut App, entity: Entity) -> Entity {
        let registry = app.world().resource::<AppTypeRegistry>().clone();
        let registry = registry.read();
        let copy = app.world_mut().spawn_empty().id();
        for registration in registry.iter() {
            let Some(reflected) = registration.data::<ReflectComponent>() else { continue };
            let value = reflected.reflect(app.world().entity(entity)).map(|value| value.to_dynamic());
            if let Some(value) = value {
                reflected.insert(&mut app.world_mut().entity_mut(copy), &*value, &registry);
            }
        }
        copy
    }

    #[test]
    fn skies_and_cameras_out_of_a_scene_follow_the_sun_and_the_cameras() {
        let mut app = app();
        app.add_plugins(crate::plugin::SkyPlugin::default());
        app.register_type::<Camera>().register_type::<RenderLayers>();
        app.add_systems(PostUpdate, (dress_cameras, clear_cameras).chain().after(share_layers));
        let sky = app.world_mut().spawn(Sky::default()).id();
        let camera = app.world_mut().spawn((SkyCamera::default(), RenderLayers::layer(2))).id();
        settle(&mut app);
        let of_game = ClearColorConfig::Custom(Color::srgb(1.0, 0.0, 0.0));
        let red = app.world_mut().spawn((SkyCamera::default(), RenderLayers::layer(2))).id();
        app.world_mut().get_mut::<Camera>(red).unwrap().clear_color = of_game;
        app.update();
        let luminance_of = |app: &App, camera| match app.world().get::<Camera>(camera).unwrap().clear_color {
            ClearColorConfig::Custom(colour) => luminance(colour.to_linear().to_vec3()),
            other => panic!("{other:?}"),
        };
        let noon = luminance_of(&app, camera);

        let [sky, camera, red] = [sky, camera, red].map(|entity| {
            let copy = loaded(&mut app, entity);
            app.world_mut().despawn(entity);
            copy
        });
        for layer in [2, 3] {
            app.world_mut().entity_mut(camera).insert(RenderLayers::layer(layer));
            app.world_mut().entity_mut(red).insert(RenderLayers::layer(layer));
            settle(&mut app);
            assert_eq!(layers(&app, sky), RenderLayers::layer(layer));
        }
        app.world_mut().get_mut::<Sky>(sky).unwrap().sun.elevation = -6.0;
        settle(&mut app);
        assert!(luminance_of(&app, camera) < noon);
        let clear_color = app.world().get::<Camera>(red).unwrap().clear_color;
        assert_eq!(format!("{clear_color:?}"), format!("{of_game:?}"));
    }

    #[test]
    fn a_camera_that_counts_how_often_ground_is_shaded_is_cleared_to_black() {
        let mut app = app();
        app.add_plugins(crate::plugin::SkyPlugin::default());
        app.add_systems(PostUpdate, (dress_cameras, clear_cameras).chain().after(share_layers));
        app.world_mut().spawn(Sky::default());
        let camera = app.world_mut().spawn((SkyCamera::default(), TerrainView::default())).id();
        let mut is_black = |debug| {
            app.world_mut().get_mut::<TerrainView>(camera).unwrap().debug = debug;
            settle(&mut app);
            match app.world().get::<Camera>(camera).unwrap().clear_color {
                ClearColorConfig::Custom(colour) => luminance(colour.to_linear().to_vec3()) == 0.0,
                other => panic!("{other:?}"),
            }
        };
        let views = [DebugView::None, DebugView::Overdraw, DebugView::Slope];
        assert_eq!(views.map(&mut is_black), [false, true, false]);
    }

    /// Runs frames until nothing is computed, and some more.
    fn settle(app: &mut App) {
        let start = std::time::Instant::now();
        for _ in 0..3 {
            app.update();
            while app.world_mut().query::<&Dawning>().iter(app.world()).count() > 0 {
                assert!(start.elapsed().as_secs() < 120, "the light never comes");
                app.update();
            }
        }
    }

    fn layers(app: &App, entity: Entity) -> RenderLayers {
        app.world().get::<RenderLayers>(entity).unwrap().clone()
    }

    #[test]
    fn layers_that_a_game_gives_a_sky_stay_and_without_them_it_follows_the_cameras() {
        let mut app = app();
        let sky = app.world_mut().spawn(Sky::default()).id();
        app.world_mut().spawn((SkyCamera::default(), RenderLayers::layer(2)));
        settle(&mut app);
        assert_eq!(layers(&app, sky), RenderLayers::layer(2));

        // Its own, even where they are those that it has.
        for own in [RenderLayers::layer(2), RenderLayers::layer(5)] {
            app.world_mut().entity_mut(sky).insert(own.clone());
            let camera = app.world_mut().spawn((SkyCamera::default(), RenderLayers::layer(3))).id();
            settle(&mut app);
            assert_eq!(layers(&app, sky), own);
            let backdrop = app.world().get::<BuiltSky>(sky).unwrap().backdrop;
            assert_eq!(layers(&app, backdrop), own);
            app.world_mut().despawn(camera);
            app.world_mut().entity_mut(sky).remove::<RenderLayers>();
            settle(&mut app);
            assert_eq!(layers(&app, sky), RenderLayers::layer(2));
        }

        let with_own = app.world_mut().spawn((Sky::default(), RenderLayers::layer(9))).id();
        settle(&mut app);
        assert_eq!(layers(&app, with_own), RenderLayers::layer(9));
    }

    #[test]
    fn the_light_follows_the_sun_also_where_it_is_nowhere() {
        let mut app = app();
        let sky = app.world_mut().spawn(Sky::default()).id();
        app.update();
        assert_eq!(app.world().get::<DirectionalLight>(sky).unwrap().illuminance, 0.0, "not there yet");
        for elevation in [32.0, 5.0, f32::NAN, 60.0] {
            let sun = Sun { elevation, ..Sun::default() };
            app.world_mut().get_mut::<Sky>(sky).unwrap().sun = sun;
            settle(&mut app);
            assert!(is_same(app.world().get::<BuiltSky>(sky).unwrap().daylight.sun, sun), "{elevation}");
        }
        // Moved while the light of another place is computed.
        for elevation in [10.0, 20.0, 30.0] {
            app.world_mut().get_mut::<Sky>(sky).unwrap().sun.elevation = elevation;
            app.update();
        }
        settle(&mut app);
        assert_eq!(app.world().get::<BuiltSky>(sky).unwrap().daylight.sun.elevation, 30.0);
        let light = app.world().get::<DirectionalLight>(sky).unwrap().illuminance;
        // Changes that cost nothing are applied without waiting.
        app.world_mut().get_mut::<Sky>(sky).unwrap().clouds = 0.9;
        app.update();
        assert_eq!(app.world().get::<BuiltSky>(sky).unwrap().uniform.clouds, 0.9);
        assert_eq!(app.world().get::<DirectionalLight>(sky).unwrap().illuminance, light);
    }

    #[test]
    fn a_sky_that_is_taken_away_leaves_nothing() {
        let mut app = app();
        let sky = app.world_mut().spawn(Sky::default()).id();
        settle(&mut app);
        let backdrop = app.world().get::<BuiltSky>(sky).unwrap().backdrop;
        app.world_mut().entity_mut(sky).remove::<Sky>();
        app.update();
        assert!(app.world().get_entity(backdrop).is_err());
        let left = app.world().entity(sky);
        assert!(!left.contains::<DirectionalLight>() && !left.contains::<RenderLayers>());
    }

    #[test]
    fn no_backdrop_is_spawned_for_a_sky_that_is_gone() {
        for lose in losses::<Sky>() {
            let mut app = app();
            let sky = app.world_mut().spawn(Sky::default()).id();
            app.update();
            while !app.world().get::<Dawning>(sky).unwrap().has_ended() {
                std::thread::yield_now();
            }
            run_and_lose(app.world_mut(), build_skies, sky, lose);
            let drawn = |app: &mut App| {
                let mut drawn =
                    app.world_mut().query_filtered::<(), With<MeshMaterial3d<BackdropMaterial>>>();
                drawn.iter(app.world()).count()
            };
            assert_eq!(drawn(&mut app), 0);
            // If the sky comes back, it is drawn.
            if let Ok(mut sky) = app.world_mut().get_entity_mut(sky) {
                assert!(!sky.contains::<BuiltSky>() && !sky.contains::<RenderLayers>());
                sky.insert(Sky::default());
                settle(&mut app);
                assert_eq!(drawn(&mut app), 1);
            }
        }
    }

    #[test]
    fn cameras_are_cleared_to_the_haze_unless_a_game_says_what_to() {
        let mut app = app();
        app.add_systems(PostUpdate, (dress_cameras, clear_cameras).chain().after(share_layers));
        app.world_mut().spawn(Sky::default());
        let camera = |app: &mut App, clear_color, hdr| {
            let camera = Camera { clear_color, ..default() };
            let camera = app.world_mut().spawn((SkyCamera::default(), camera)).id();
            if hdr {
                app.world_mut().entity_mut(camera).insert(Hdr);
            }
            camera
        };
        let own = ClearColorConfig::Custom(Color::srgb(1.0, 0.0, 0.0));
        let plain = camera(&mut app, ClearColorConfig::Default, false);
        let hdr = camera(&mut app, ClearColorConfig::Default, true);
        let red = camera(&mut app, own, true);
        let transparent = camera(&mut app, ClearColorConfig::None, false);
        settle(&mut app);
        let luminance_of = |app: &App, camera| match app.world().get::<Camera>(camera).unwrap().clear_color {
            ClearColorConfig::Custom(colour) => luminance(colour.to_linear().to_vec3()),
            other => panic!("{other:?}"),
        };
        assert!((0.1..1.0).contains(&luminance_of(&app, plain)), "{}", luminance_of(&app, plain));
        let haze = app.world().get::<DistanceFog>(hdr).unwrap().color.to_linear().to_vec3();
        assert!((luminance_of(&app, hdr) - luminance(haze)).abs() < 1e-4);
        let clear_color = |camera| format!("{:?}", app.world().get::<Camera>(camera).unwrap().clear_color);
        assert_eq!(clear_color(red), format!("{own:?}"));
        assert_eq!(clear_color(transparent), format!("{:?}", ClearColorConfig::None));
        // A game may give a camera back.
        app.world_mut().get_mut::<Camera>(red).unwrap().clear_color = ClearColorConfig::Default;
        app.update();
        assert!((luminance_of(&app, red) - luminance(haze)).abs() < 1e-4);
        // It follows the sun down, and a change of HDR.
        let noon = luminance_of(&app, plain);
        app.world_mut().entity_mut(plain).insert(Hdr);
        app.update();
        assert!(luminance_of(&app, plain) > noon);
        let mut skies = app.world_mut().query::<&mut Sky>();
        skies.single_mut(app.world_mut()).unwrap().sun.elevation = -6.0;
        settle(&mut app);
        assert!(luminance_of(&app, plain) < noon);
        // It ends with `SkyCamera`, and with the sky.
        let is_left = |app: &App, camera| {
            !matches!(app.world().get::<Camera>(camera).unwrap().clear_color, ClearColorConfig::Default)
        };
        app.world_mut().entity_mut(hdr).remove::<SkyCamera>();
        app.update();
        assert!(!is_left(&app, hdr) && is_left(&app, plain));
        let sky = app.world_mut().query_filtered::<Entity, With<Sky>>().single(app.world()).unwrap();
        app.world_mut().entity_mut(sky).remove::<Sky>();
        app.update();
        assert!(!is_left(&app, plain));
    }

    #[test]
    fn cascades_reach_as_far_as_asked() {
        for count in 0..6 {
            let sky = Sky { shadow_cascades: count, shadow_distance: 5_000.0, ..default() };
            let bounds = cascade_config(&sky).bounds;
            assert_eq!(bounds.len(), count.clamp(1, 4));
            assert!(bounds.last().is_some_and(|last| (last - 5_000.0).abs() < 1.0), "{bounds:?}");
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
