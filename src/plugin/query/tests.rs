//! Questions to terrains. None of it takes a graphics card, and no camera is near: only the coarsest tiles
//! are known.

mod costs;
mod many;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::ecs::system::RunSystemOnce;
use bevy::math::{DAffine3, DVec3};
use bevy::prelude::*;

use super::*;
use crate::plugin::device::TexelUploadPlugin;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::HeightMapping;
use crate::plugin::terrain::{BuildPlugin, Terrain, TerrainGround, TerrainStatus};
use crate::steps::water::{Carve, Lakes, River};
use crate::steps::{Ground, Operation};
use crate::{Grid, Heightfield, Landscape, Recipe, Work};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

fn game() -> App {
    let mut app = App::new();
    app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default(), TexelUploadPlugin))
        .add_plugins(TransformPlugin)
        .init_asset::<Image>()
        .init_asset::<Mesh>()
        .init_asset::<StandardMaterial>()
        .add_plugins(BuildPlugin);
    app
}

fn settle(app: &mut App, terrain: impl Into<Terrain>, placement: Transform) -> Entity {
    let terrain = app.world_mut().spawn((terrain.into(), placement)).id();
    let start = Instant::now();
    while app.world().get(terrain) != Some(&TerrainStatus::Ready) {
        assert!(
            start.elapsed() < PATIENCE && !matches!(app.world().get(terrain), Some(TerrainStatus::Failed(_)))
        );
        app.update();
    }
    app.update();
    terrain
}

fn ask<T: Send + 'static>(
    app: &mut App,
    question: impl FnOnce(TerrainQuery) -> T + Send + Sync + 'static,
) -> T {
    let mut question = Some(question);
    let ask = move |terrains: TerrainQuery| question.take().map(|question| question(terrains));
    app.world_mut().run_system_once(ask).unwrap().unwrap()
}

fn exactly(app: &mut App, terrain: Entity, position: Vec3) -> crate::Result<ExactPoint> {
    let mut probe = ask(app, move |terrains| terrains.probe(terrain, position)).unwrap();
    assert_eq!(probe.terrain(), terrain);
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < PATIENCE);
        let (answer, back) = ask(app, move |terrains| (terrains.answer(&mut probe), probe));
        probe = back;
        if let Some(answer) = answer {
            let again = ask(app, move |terrains| terrains.answer(&mut probe).is_none());
            assert!(again, "it is answered once");
            return answer;
        }
        app.update();
    }
}

/// Ground that rises by a half towards the east, from -50 to 50 m, in the sea.
fn beach() -> Landscape {
    let field =
        Heightfield::from_fn(Grid::new(21, 11, 10.0).unwrap(), |column, _| column as f32 * 5.0 - 50.0);
    Landscape { sea_level: Some(5.0), ..Arc::unwrap_or_clone(TerrainGround::bare(field).landscape) }
}

#[test]
fn slope_water_and_spacing_are_those_of_the_world() {
    let mut app = game();
    let placement = Transform::from_xyz(0.0, 7.0, 0.0).with_scale(Vec3::splat(2.0));
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), placement);
    let [wet, dry] = [-100.0, 100.0].map(|x| Vec3::new(x, 0.0, 3.0));
    let (wet, dry) =
        ask(&mut app, move |terrains| (terrains.ground(wet).unwrap(), terrains.ground(dry).unwrap()));
    for (point, x) in [(wet, -100.0), (dry, 100.0)] {
        assert_eq!(point.terrain, land);
        assert!((point.position - Vec3::new(x, 7.0 + 0.5 * x, 3.0)).length() < 1e-3, "{point:?}");
        assert!((point.slope() - 0.5f32.atan().to_degrees()).abs() < 1e-3);
        assert_eq!(point.spacing, 20.0);
    }
    assert_eq!((wet.water, wet.depth()), (Some(17.0), 60.0));
    assert_eq!((dry.water, dry.depth()), (None, 0.0));
    // Heights are drawn as a mapping says.
    app.world_mut().entity_mut(land).insert(HeightMapping { scale: 0.5, bias: 1.0 });
    let wet = ask(&mut app, |terrains| terrains.ground(Vec3::new(-100.0, 0.0, 3.0)).unwrap());
    assert!((wet.position.y + 16.0).abs() < 1e-3 && (wet.slope() - 0.25f32.atan().to_degrees()).abs() < 1e-3);
    assert_eq!(wet.water, Some(14.0));
}

#[test]
fn the_ground_below_is_that_under_the_feet_and_no_land_over_the_head() {
    let mut app = game();
    let level = |height| {
        Landscape::clone(
            &TerrainGround::bare(Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), height)).landscape,
        )
    };
    let [low, high] = [10.0, 50.0]
        .map(|height| settle(&mut app, Terrain::ready(Arc::new(level(height))), Transform::IDENTITY));
    let found = ask(&mut app, |terrains| {
        let below =
            |y: f32| terrains.ground_below(Vec3::new(3.0, y, -4.0)).map(|at| (at.terrain, at.position.y));
        [9.0, 10.0, 49.0, 51.0, f32::NAN].map(below)
    });
    assert_eq!(found, [None, Some((low, 10.0)), Some((low, 10.0)), Some((high, 50.0)), None]);
    let beside = ask(&mut app, |terrains| terrains.ground_below(Vec3::new(300.0, 90.0, 0.0)).is_none());
    assert!(beside);
}

#[test]
fn ground_of_tilted_land_lies_along_the_lands_own_upright_axis() {
    let mut app = game();
    let tilt = Quat::from_euler(EulerRot::YXZ, 0.4, 0.5, -0.3);
    let placement = Transform::from_xyz(40.0, 7.0, -9.0).with_rotation(tilt).with_scale(Vec3::splat(2.0));
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), placement);
    let up = tilt * Vec3::Y;
    ask(&mut app, move |terrains| {
        for (x, z) in [(-60.0, 3.0), (-20.0, -30.0), (11.0, 20.0), (70.0, -40.0)] {
            // The ground of the beach is half as high as it lies to the east.
            let expected = placement.transform_point(Vec3::new(x, x / 2.0, z));
            for above in [-30.0, 0.01, 25.0] {
                let position = expected + up * above;
                let point = terrains.ground(position).unwrap();
                assert!((point.position - expected).length() < 1e-2, "{point:?} in place of {expected}");
                let normal = tilt * Vec3::new(-0.5, 1.0, 0.0).normalize();
                assert!((point.normal - normal).length() < 1e-3, "{point:?}");
                // The sea stands 5 m high in the land, and twice that in the world.
                let depth = (5.0 - x / 2.0).max(0.0) * 2.0;
                assert!((point.depth() - depth).abs() < 1e-2, "{point:?}");
                let water = terrains.water(position);
                assert_eq!(water.is_some(), depth > 0.0);
                if let Some(water) = water {
                    assert!((water.surface - (expected + up * depth)).length() < 1e-2, "{water:?}");
                    assert!((water.depth - depth).abs() < 1e-2 && point.water == Some(water.surface.y));
                }
                let below = terrains.ground_below(position);
                assert_eq!(below.is_some(), above > 0.0, "{above}");
                let surfaces = terrains.surfaces_of(land, position);
                for point in surfaces.iter().chain(&below) {
                    assert!((point.position - expected).length() < 1e-2, "{point:?}");
                }
                assert_eq!(surfaces.len(), 1);
                assert_eq!(terrains.grounds(&[position]), [Some(point)]);
                let mut heights = [0.0];
                assert!(terrains.heights(land, &[position], &mut heights));
                assert_eq!(heights, [point.position.y]);
            }
            let ray = Ray3d::new(expected + up * 50.0, Dir3::new(-up).unwrap());
            let met = terrains.cast_ray(ray, 100.0).unwrap();
            assert!((met.position - expected).length() < 1e-2, "{met:?}");
            let aslant = Ray3d::new(expected + Vec3::Y * 50.0, Dir3::NEG_Y);
            let met = terrains.cast_ray(aslant, 100.0).unwrap();
            assert!((met.position - expected).length() < 1e-2, "the world's own vertical: {met:?}");
        }
    });
}

#[test]
fn a_river_is_water_where_its_surface_is_above_the_ground() {
    let mut field = Heightfield::flat(Grid::new(100, 80, 10.0).unwrap(), 50.0);
    let river = River::default().carve(&mut field, 1, &Work::new()).unwrap();
    let middle = river.points().nth(river.points().count() / 2).unwrap() - field.grid().extent() * 0.5;
    let bare = Arc::unwrap_or_clone(TerrainGround::bare(field).landscape);
    let mut app = game();
    settle(
        &mut app,
        Terrain::ready(Arc::new(Landscape { rivers: vec![river], ..bare })),
        Transform::default(),
    );
    let row: Vec<GroundPoint> = ask(&mut app, move |terrains| {
        let place = move |step: i32| Vec3::new(middle.x, 0.0, middle.y + step as f32 * 2.0);
        (-150..150).filter_map(|step| terrains.ground(place(step))).collect()
    });
    let wet: Vec<&GroundPoint> = row.iter().filter(|point| point.water.is_some()).collect();
    assert!(!wet.is_empty() && wet.len() < row.len() / 2, "{} of {}", wet.len(), row.len());
    assert!(wet.iter().all(|point| point.depth() > 0.0 && point.water.unwrap() < 50.0));
}

/// A hollow 20 m deep in ground 50 m high, with a lake.
fn tarn() -> Landscape {
    let field = Heightfield::from_fn(Grid::new(81, 61, 10.0).unwrap(), |column, row| {
        let away = (column as f32 - 40.0).hypot(row as f32 - 30.0);
        50.0 - 20.0 * (1.0 - away / 15.0).max(0.0)
    });
    let mut ground = Ground::new(field.clone());
    Lakes::default().apply(&mut ground, 1, &Work::new()).unwrap();
    assert_eq!(ground.lakes.len(), 1);
    Landscape { lakes: ground.lakes, ..Arc::unwrap_or_clone(TerrainGround::bare(field).landscape) }
}

#[test]
fn a_lake_is_still_water_at_its_own_level() {
    let mut app = game();
    let land = settle(&mut app, Terrain::ready(Arc::new(tarn())), Transform::default());
    ask(&mut app, move |terrains| {
        let middle = Vec3::new(0.0, 0.0, 0.0);
        let point = terrains.ground(middle).unwrap();
        assert_eq!(point.water, Some(50.0));
        assert!((point.depth() - 20.0).abs() < 1e-3, "{point:?}");
        let water = terrains.water(middle).unwrap();
        assert_eq!((water.surface.y, water.current), (50.0, Vec3::ZERO), "{water:?}");
        assert_eq!(
            terrains.layer(land, "water_depth", middle).map(|depth| (depth - 20.0).abs() < 1e-3),
            Some(true)
        );
        for x in [-170.0, 170.0, 300.0] {
            assert_eq!(terrains.ground(Vec3::new(x, 0.0, 0.0)).unwrap().water, None);
        }
        // Just within its shore, which is 150 m away.
        assert!(terrains.ground(Vec3::new(-144.0, 0.0, 0.0)).unwrap().water.is_some());
    });
}

#[test]
fn rays_meet_what_is_under_them_and_questions_without_a_place_have_no_answer() {
    let mut app = game();
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), Transform::from_xyz(0.0, 7.0, 0.0));
    let down = |x: f32, z: f32| Ray3d::new(Vec3::new(x, 900.0, z), Dir3::NEG_Y);
    let met = ask(&mut app, move |terrains| terrains.cast_ray(down(31.0, -4.0), 1e4)).unwrap();
    assert!((met.position - Vec3::new(31.0, 22.5, -4.0)).length() < 1e-3, "{met:?}");
    let level = Ray3d::new(Vec3::new(-99.0, 32.0, 2.0), Dir3::X);
    let met = ask(&mut app, move |terrains| terrains.cast_ray_on(land, level, f32::INFINITY)).unwrap();
    assert!((met.position - Vec3::new(50.0, 32.0, 2.0)).length() < 1e-3, "{met:?}");
    let misses = ask(&mut app, move |terrains| {
        let mut answers = vec![terrains.cast_ray(down(500.0, 0.0), 1e4), terrains.cast_ray(level, 100.0)];
        for far in [0.0, -5.0, f32::NAN, f32::NEG_INFINITY] {
            answers.push(terrains.cast_ray(down(0.0, 0.0), far));
        }
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            let mut nowhere = level;
            nowhere.origin.x = bad;
            answers.push(terrains.cast_ray(nowhere, 1e4));
            answers.push(terrains.ground(Vec3::new(bad, 0.0, 0.0)));
            answers.push(terrains.ground_of(land, Vec3::new(0.0, 0.0, bad)));
            assert!(terrains.probe(land, Vec3::new(0.0, 0.0, bad)).is_none());
        }
        let somewhere = terrains.ground(Vec3::ZERO).unwrap();
        assert_eq!(terrains.types(&somewhere), []);
        assert_eq!(terrains.types(&GroundPoint { position: Vec3::NAN, ..somewhere }), []);
        answers
    });
    assert!(misses.iter().all(Option::is_none), "{misses:?}");
}

#[test]
fn types_have_the_names_of_the_recipe_and_exact_answers_are_finer() {
    let mut app = game();
    let text = r##"(
        version: 1, name: "Dunes", size: (33, 33), cell: 16, steps: [fbm(height: 90, octaves: 3)],
        texture: custom(types: [
            (name: "slopes", tile: (image: "sand")),
            (name: "tops", tile: (image: "dry_grass"), slope: (max: 12, release: 30)),
            (name: "rock", colour: "#666666", slope: (min: 20, release: 20)),
        ]),
    )"##;
    let recipe = Recipe::from_ron(text, "dunes.ron").unwrap();
    let land = settle(&mut app, recipe.clone(), Transform::default());
    let position = Vec3::new(12.3, 5.0, -45.6);
    let (point, types) = ask(&mut app, move |terrains| {
        let point = terrains.ground(position).unwrap();
        (point, terrains.types(&point))
    });
    let exact = exactly(&mut app, land, position).unwrap();
    assert_eq!(point.spacing, recipe.grid().unwrap().cell);
    assert!(exact.point.spacing <= 0.5 && exact.point.terrain == land, "{exact:?}");
    assert!((exact.point.position.xz() - position.xz()).length() < 1e-3);
    assert!((exact.point.position.y - point.position.y).abs() < 30.0, "{point:?} and {exact:?}");
    // Many together, some of which are outside the land.
    let places: Vec<Vec3> = (0..90).map(|step| Vec3::new(step as f32 * 7.0 - 300.0, 5.0, -45.6)).collect();
    ask(&mut app, move |terrains| {
        let names = terrains.type_names(land);
        assert_eq!(names.iter().map(|name| &**name).collect::<Vec<_>>(), ["slopes", "tops", "rock"]);
        let mut shares = vec![7.0; 270];
        assert!(terrains.type_shares(land, &places, &mut shares));
        let mut beside = 0;
        for (place, shares) in places.iter().zip(shares.chunks(3)) {
            let Some(point) = terrains.ground_of(land, *place) else {
                assert!(shares.iter().all(|share| share.is_nan()), "{place}");
                beside += 1;
                continue;
            };
            let alone = terrains.types(&GroundPoint { position: *place, ..point });
            let share =
                |name: &str| alone.iter().find(|kind| &*kind.name == name).map_or(0.0, |kind| kind.share);
            assert_eq!(shares, [share("slopes"), share("tops"), share("rock")], "{place}");
        }
        assert!((10..80).contains(&beside));
        assert!(!terrains.type_shares(land, &places, &mut shares[1..]) && shares[1].is_nan());
    });
    for types in [&types, &exact.types] {
        assert!(!types.is_empty() && types.is_sorted_by(|a, b| a.share >= b.share), "{types:?}");
        let sum: f32 = types.iter().map(|kind| kind.share).sum();
        assert!(
            types.iter().all(|kind| ["slopes", "tops", "rock"].contains(&&*kind.name) && kind.share > 0.0)
        );
        assert!((sum - 1.0).abs() < 0.02, "{types:?}");
    }
}

#[test]
fn an_exact_answer_is_precise_far_away_says_where_it_is_now_and_an_error_if_its_land_is_gone() {
    let mut app = game();
    let text = r##"(
        version: 1, name: "Hills", size: endless, cell: 16, unit: 4000, steps: [fbm(height: 300, octaves: 3)],
        texture: custom(types: [(name: "moss", colour: "#305020")]),
    )"##;
    let mut recipe = Recipe::from_ron(text, "hills.ron").unwrap();
    recipe.size = (65, 65);
    let land = settle(&mut app, recipe, Transform::default());
    let there = DVec3::new(1e6, 0.0, -1e6);
    let before = exactly(&mut app, land, there.as_vec3()).unwrap().point;
    // The world is moved while the question waits.
    let mut probe = ask(&mut app, move |terrains| terrains.probe(land, there.as_vec3())).unwrap();
    let moved = PrecisePlace(Some(DAffine3::from_translation(-there)));
    app.world_mut().entity_mut(land).insert(moved);
    let start = Instant::now();
    let after = loop {
        assert!(start.elapsed() < PATIENCE);
        let (answer, back) = ask(&mut app, move |terrains| (terrains.answer(&mut probe), probe));
        probe = back;
        match answer {
            Some(answer) => break answer.unwrap().point,
            None => app.update(),
        }
    };
    assert_eq!((after.position, after.normal), (Vec3::Y * before.position.y, before.normal));
    let probe = ask(&mut app, move |terrains| terrains.probe(land, Vec3::X)).unwrap();
    app.world_mut().despawn(land);
    let mut probe = probe;
    let error = loop {
        assert!(start.elapsed() < PATIENCE);
        let (answer, back) = ask(&mut app, move |terrains| (terrains.answer(&mut probe), probe));
        probe = back;
        match answer {
            Some(answer) => break answer.unwrap_err().to_string(),
            None => app.update(),
        }
    };
    assert!(error.contains("gone"), "{error}");
}
