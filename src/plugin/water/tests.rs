//! Which water is drawn, as far as it needs no renderer.

use std::sync::Arc;
use std::time::Duration;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::*;
use crate::plugin::chunks::tests::{FLAWED, camera, game, settle, update_until};
use crate::plugin::material::{HeightMapping, Submersion};
use crate::plugin::owned::{losses, run_and_lose};
use crate::plugin::sky::BuiltSky;
use crate::plugin::terrain::Terrain;
use crate::steps::water::RiverSheet;
use crate::{Daylight, Grid, Heightfield, Landscape, Sun};

/// A beach from -50 to 50 m, in the sea.
fn beach() -> Terrain {
    let grid = Grid::new(21, 11, 10.0).unwrap();
    let field = Heightfield::from_fn(grid, |column, _| column as f32 * 5.0 - 50.0);
    let bare = Arc::unwrap_or_clone(TerrainGround::bare(field).landscape);
    Terrain::ready(Arc::new(Landscape { sea_level: Some(5.0), ..bare }))
}

#[test]
fn land_that_cannot_be_where_it_is_has_no_water_to_see_or_to_be_in() {
    let mut app = game();
    app.init_asset::<WaterMaterial>().init_resource::<SeaMesh>().init_resource::<BareBed>().add_systems(
        PostUpdate,
        (
            (submerge, flood_terrains).chain().before(TransformSystems::Propagate),
            fill_waters::<WaterSurface>.after(update_chunks),
        ),
    );
    app.world_mut().spawn((BuiltSky::bare(Daylight::new(Sun::default())), RenderLayers::default()));
    let diver = camera(&mut app, Transform::from_xyz(-80.0, -20.0, 0.0));
    let terrain = settle(&mut app, beach());
    let is_drawn = |app: &mut App| {
        let mut drawn = app.world_mut().query_filtered::<(), (
            With<WaterSurface>,
            With<Mesh3d>,
            With<MeshMaterial3d<WaterMaterial>>,
        )>();
        drawn.iter(app.world()).count() == 1
    };
    let is_under = |app: &App| app.world().get::<Submersion>(diver).is_some_and(|now| now.is_under_water());
    update_until(&mut app, is_drawn);
    app.update();
    assert!(is_under(&app));
    for flawed in FLAWED {
        app.world_mut().entity_mut(terrain).insert(flawed);
        app.update();
        let with_mesh = app
            .world_mut()
            .query_filtered::<(), (With<WaterSurface>, With<Mesh3d>)>()
            .iter(app.world())
            .count();
        assert_eq!(with_mesh, 0, "{flawed:?}");
        assert!(!is_under(&app), "{flawed:?}");
        app.world_mut().entity_mut(terrain).insert(Transform::default());
        update_until(&mut app, is_drawn);
        assert!(is_under(&app));
    }
}

#[test]
fn water_without_a_sky_on_its_layers_is_missed() {
    let mut world = World::new();
    let lacks = |world: &mut World| world.run_system_cached(lacks_sky).unwrap();
    assert!(!lacks(&mut world), "there is no water");
    let water = world.spawn(WaterSurface::new(0.0)).id();
    assert!(lacks(&mut world));
    let sky = world.spawn(Sky::default()).id();
    assert!(!lacks(&mut world));
    world.entity_mut(water).insert(RenderLayers::layer(3));
    assert!(lacks(&mut world));
    world.entity_mut(sky).insert(RenderLayers::from_layers(&[0, 3]));
    assert!(!lacks(&mut world));
}

#[test]
fn no_water_is_spawned_for_a_terrain_that_is_gone() {
    let mut ground = TerrainGround::bare(Heightfield::flat(Grid::new(3, 3, 10.0).unwrap(), 0.0));
    let bare = Arc::unwrap_or_clone(ground.landscape);
    ground.landscape = Arc::new(Landscape { sea_level: Some(5.0), ..bare });
    ground.rivers = Arc::new(RiverSheet {
        positions: vec![[0.0; 3]; 3],
        velocities: vec![[0.0; 2]; 3],
        depths: vec![1.0; 3],
        froude: vec![0.0; 3],
        indices: vec![0, 1, 2],
        mouths: None,
        cell: 1.0,
    });
    let watered = |lose: fn(EntityWorldMut)| {
        let count = |world: &mut World| {
            let mut waters = world.query_filtered::<(), Or<(With<WaterSurface>, With<RiverSurface>)>>();
            waters.iter(world).count()
        };
        let terrain = (ground.clone(), HeightMapping::default());
        let [mut sea, mut river] = [World::new(), World::new()];
        let [of_sea, of_river] = [&mut sea, &mut river].map(|world| world.spawn(terrain.clone()).id());
        run_and_lose(&mut sea, flood_terrains, of_sea, lose);
        run_and_lose(&mut river, water_terrains, of_river, lose);
        [count(&mut sea), count(&mut river)]
    };
    assert_eq!(watered(|_| ()), [1, 1]);
    for lose in losses::<TerrainGround>() {
        assert_eq!(watered(lose), [0, 0]);
    }
}

#[test]
fn water_whose_speed_is_changed_goes_on_from_where_it_is() {
    let mut app = game();
    app.init_asset::<WaterMaterial>().init_resource::<SeaMesh>().init_resource::<BareBed>();
    app.add_systems(Update, (fill_waters::<WaterSurface>, fill_waters::<RiverSurface>));
    let mut time = Time::<()>::default();
    time.advance_by(Duration::from_secs(5000));
    app.insert_resource(time);
    app.world_mut().spawn((BuiltSky::bare(Daylight::new(Sun::default())), RenderLayers::default()));
    let sea = app.world_mut().spawn(WaterSurface::new(0.0)).id();
    let river = app.world_mut().spawn(RiverSurface::new(Arc::default())).id();
    // Where the shader draws the longest waves of the sea, and the pattern of the river.
    let drawn = |app: &mut App| {
        app.update();
        let [sea, river] = [sea, river].map(|water| {
            let material = app.world().get::<MeshMaterial3d<WaterMaterial>>(water).unwrap();
            app.world().resource::<Assets<WaterMaterial>>().get(material).unwrap().water
        });
        let clock = app.world().resource::<Time>().elapsed_secs_wrapped_f64();
        let way = DVec2::new(0.35, 1.0) * clock * f64::from(sea.wave_speed) * 2.0;
        let patterns = f64::from(river.past_patterns) + clock * f64::from(river.wave_speed) / 5.0;
        (sea.waves[0].units() + way / DVec2::new(96.0, 48.0), patterns.rem_euclid(512.0))
    };
    let (waves, patterns) = drawn(&mut app);
    for speed in [5.0, 0.0, f32::NAN, -1.0, 3.0] {
        app.world_mut().get_mut::<WaterSurface>(sea).unwrap().wave_speed = speed;
        app.world_mut().get_mut::<RiverSurface>(river).unwrap().haste = speed;
        let (waves_then, patterns_then) = drawn(&mut app);
        assert!(waves_then.distance(waves) < 1e-3, "{speed}: {waves_then} instead of {waves}");
        assert!((patterns_then - patterns).abs() < 1e-3, "{speed}: {patterns_then} instead of {patterns}");
    }
}
