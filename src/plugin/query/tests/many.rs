//! Many questions at once, water, shores, lines of sight and layers.

use super::*;

/// Positions over a square and outside it, and some that are nowhere.
fn positions() -> Vec<Vec3> {
    let chance = |number: usize, factor: usize| ((number * factor + 7) % 997) as f32 / 997.0 - 0.5;
    let mut positions: Vec<Vec3> = (0..700)
        .map(|number| Vec3::new(chance(number, 401), chance(number, 13), chance(number, 211)) * 260.0)
        .collect();
    positions.extend([Vec3::NAN, Vec3::new(f32::INFINITY, 0.0, 0.0), Vec3::splat(f32::MAX), Vec3::ZERO]);
    positions
}

#[test]
fn many_questions_have_the_answers_of_each_alone_on_lands_that_are_moved_turned_and_scaled() {
    let mut app = game();
    let turned = Transform::from_xyz(5.0, 7.0, -3.0)
        .with_rotation(Quat::from_rotation_y(0.7))
        .with_scale(Vec3::splat(1.5));
    let first = settle(&mut app, Terrain::ready(Arc::new(beach())), turned);
    let second = settle(&mut app, Terrain::ready(Arc::new(beach())), Transform::from_xyz(90.0, 20.0, 0.0));
    let waiting = app.world_mut().spawn(Terrain::from(Recipe::new("Later", (9, 9), 10.0))).id();
    ask(&mut app, move |terrains| {
        let positions = positions();
        let all = terrains.grounds(&positions);
        let mut kept = vec![None; 3];
        terrains.grounds_into(&positions, &mut kept);
        assert_eq!(all, kept);
        for (position, ground) in positions.iter().zip(&all) {
            assert_eq!(*ground, terrains.ground(*position), "{position}");
            assert_eq!(terrains.slope(*position), ground.map(|ground| ground.slope()));
        }
        let waters = terrains.waters(&positions);
        for (position, water) in positions.iter().zip(&waters) {
            assert_eq!(*water, terrains.water(*position), "{position}");
        }
        assert!(waters.iter().flatten().count() > 20 && waters.len() == positions.len());
        assert!(all.iter().flatten().any(|point| point.terrain == first));
        assert!(all.iter().flatten().any(|point| point.terrain == second) && all.contains(&None));
        for terrain in [first, second] {
            let mut heights = vec![7.0; positions.len()];
            assert!(terrains.heights(terrain, &positions, &mut heights));
            for (position, height) in positions.iter().zip(&heights) {
                let alone = terrains.ground_of(terrain, *position).map(|ground| ground.position.y);
                // NaN where there is none.
                let many = Some(*height).filter(|height| !height.is_nan());
                assert_eq!(alone.map(f32::to_bits), many.map(f32::to_bits), "{position}");
            }
            assert!(!terrains.heights(terrain, &positions, &mut heights[1..]) && heights[1].is_nan());
        }
        // Before it is built.
        let mut heights = [7.0];
        assert!(!terrains.heights(waiting, &[Vec3::ZERO], &mut heights) && heights[0].is_nan());
        assert!(terrains.probes(waiting, &[Vec3::ZERO], &[]).is_none());
        assert!(!terrains.type_shares(waiting, &[Vec3::ZERO], &mut heights) && heights[0].is_nan());
        assert!(terrains.type_names(waiting).is_empty() && terrains.waters(&[]).is_empty());
        assert_eq!(terrains.grounds(&[]), []);
    });
}

#[test]
fn far_from_the_origin_answers_are_those_of_each_alone() {
    let mut app = game();
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), Transform::from_xyz(1e6, 0.0, -1e6));
    // The world's origin is far away; the land's place is known precisely.
    let moved = PrecisePlace(Some(DAffine3::from_translation(DVec3::new(1e6, 0.0, -1e6))));
    app.world_mut().entity_mut(land).insert(moved);
    ask(&mut app, move |terrains| {
        let positions: Vec<Vec3> =
            positions().into_iter().map(|position| position + Vec3::new(1e6, 0.0, -1e6)).collect();
        let grounds = terrains.grounds(&positions);
        assert!(grounds.iter().flatten().count() > 100);
        for (position, ground) in positions.iter().zip(grounds) {
            assert_eq!(ground, terrains.ground(*position));
        }
    });
}

#[test]
fn water_is_as_deep_as_it_is_drawn_and_shores_are_where_it_ends() {
    let mut app = game();
    // Twice as large, and turned so that east is north.
    let placement = Transform::from_xyz(0.0, 7.0, 0.0)
        .with_scale(Vec3::splat(2.0))
        .with_rotation(Quat::from_rotation_y(90f32.to_radians()));
    let land = settle(&mut app, Terrain::ready(Arc::new(beach())), placement);
    ask(&mut app, move |terrains| {
        // The sea at 5 m meets the ground 10 m east of the land's middle: 20 m to the north in the world.
        let wet = terrains.water(Vec3::new(3.0, 0.0, 60.0)).unwrap();
        assert_eq!((wet.terrain, wet.current), (land, Vec3::ZERO));
        assert!((wet.surface - Vec3::new(3.0, 17.0, 60.0)).length() < 1e-3, "{wet:?}");
        let ground = terrains.ground(Vec3::new(3.0, 0.0, 60.0)).unwrap();
        assert!((wet.depth - ground.depth()).abs() < 1e-3 && (wet.depth - 40.0).abs() < 1e-3, "{wet:?}");
        assert_eq!(terrains.water(Vec3::new(3.0, 0.0, -60.0)), None);
        for z in [60.0, -60.0] {
            let shore = terrains.nearest_shore(Vec3::new(3.0, 99.0, z), 100.0).unwrap();
            assert!((shore.position - Vec3::new(3.0, 17.0, -20.0)).length() < 1e-3, "{shore:?}");
            assert!((shore.distance - (z + 20.0).abs()).abs() < 1e-3, "{shore:?}");
            assert_eq!(terrains.nearest_shore(Vec3::new(3.0, 0.0, z), 35.0), None);
        }
        for bad in [f32::NAN, f32::INFINITY, -1.0] {
            assert_eq!(terrains.nearest_shore(Vec3::new(3.0, 0.0, 60.0), bad), None);
            assert_eq!(terrains.water(Vec3::new(bad * 1e9, 0.0, 60.0)), None);
        }
        assert_eq!(terrains.nearest_shore(Vec3::NAN, 100.0), None);
        assert_eq!(terrains.nearest_shore(Vec3::new(3.0, 0.0, 9000.0), 1e4), None);
        // Layers: the depth in the land's own metres.
        let depth = terrains.layer(land, "water_depth", Vec3::new(3.0, 0.0, 60.0)).unwrap();
        assert!((depth - 20.0).abs() < 1e-3, "{depth}");
        assert_eq!(terrains.layer(land, "water_depth", Vec3::new(3.0, 0.0, -60.0)), Some(0.0));
        assert_eq!(terrains.layer(land, "flow", Vec3::ZERO), None);
        assert_eq!(terrains.layer(land, "water_depth", Vec3::new(0.0, 0.0, 9000.0)), None);
    });
}

#[test]
fn a_river_flows_downhill_in_the_world() {
    let grid = Grid::new(100, 80, 10.0).unwrap();
    let mut field = Heightfield::from_fn(grid, |column, _| 90.0 - column as f32 * 0.5);
    let river = River { bearing: 90.0, meander: 30.0, ..River::default() };
    let river = river.carve(&mut field, 1, &Work::new()).unwrap();
    let middle = river.points().nth(river.points().count() / 2).unwrap() - grid.extent() * 0.5;
    let bare = Arc::unwrap_or_clone(TerrainGround::bare(field).landscape);
    let mut app = game();
    let turned =
        Transform::from_rotation(Quat::from_rotation_y(180f32.to_radians())).with_scale(Vec3::splat(3.0));
    settle(&mut app, Terrain::ready(Arc::new(Landscape { rivers: vec![river], ..bare })), turned);
    let (water, shore) = ask(&mut app, move |terrains| {
        let there = Vec3::new(-middle.x, 0.0, -middle.y) * 3.0;
        (terrains.water(there).unwrap(), terrains.nearest_shore(there, 500.0).unwrap())
    });
    // Eastwards in the land, which is westwards in the world, and three times as large.
    assert!(water.current.x < -0.6 && water.current.y == 0.0 && water.current.length() < 21.1, "{water:?}");
    assert!(water.depth > 3.0 && water.depth < 3.0 * 8.0, "{water:?}");
    assert!(shore.distance > 30.0 && shore.distance < 110.0, "{shore:?}");
}

#[test]
fn ground_hides_what_lies_behind_it_from_both_sides() {
    let mut app = game();
    // A wall from north to south.
    let field = Heightfield::from_fn(
        Grid::new(21, 11, 10.0).unwrap(),
        |column, _| if column == 10 { 30.0 } else { 0.0 },
    );
    let placement = Transform::from_xyz(0.0, 100.0, 0.0);
    let land = settle(&mut app, Terrain::ready(TerrainGround::bare(field).landscape), placement);
    ask(&mut app, move |terrains| {
        let eye = |x: f32, y: f32| Vec3::new(x, 100.0 + y, 4.0);
        for (from, to) in [(eye(-60.0, 2.0), eye(60.0, 3.0)), (eye(60.0, 3.0), eye(-60.0, 2.0))] {
            let LineOfSight::Blocked(point) = terrains.line_of_sight(from, to) else { panic!("the wall") };
            assert_eq!(point.terrain, land);
            // The first slope of the wall.
            assert!(
                (point.position.x.abs() - 9.2).abs() < 0.5 && point.position.x * from.x > 0.0,
                "{point:?}"
            );
        }
        assert!(terrains.line_of_sight(eye(-60.0, 32.0), eye(60.0, 31.0)).is_clear());
        assert!(terrains.line_of_sight(eye(-60.0, 2.0), eye(-20.0, 0.0)).is_clear(), "feet on the ground");
        assert!(!terrains.line_of_sight(eye(-60.0, 2.0), eye(-20.0, -0.5)).is_clear(), "in the ground");
        assert!(terrains.line_of_sight(eye(-6000.0, 2.0), eye(-3000.0, -50.0)).is_clear(), "beside the land");
        for nowhere in [Vec3::NAN, Vec3::splat(f32::INFINITY), Vec3::splat(1e9)] {
            assert_eq!(terrains.line_of_sight(nowhere, eye(0.0, 50.0)), LineOfSight::Nowhere);
            assert_eq!(terrains.line_of_sight(eye(0.0, 50.0), nowhere), LineOfSight::Nowhere);
        }
    });
}

#[test]
fn exact_answers_come_together_with_any_layer_by_name() {
    let mut app = game();
    let text = r##"(
        version: 1, name: "Worn", size: (65, 65), cell: 16, steps: [fbm(height: 200), erode()],
        texture: custom(types: [(name: "moss", colour: "#305020")]),
    )"##;
    let land = settle(&mut app, Recipe::from_ron(text, "worn.ron").unwrap(), Transform::default());
    let hear = |app: &mut App, mut probes: GroundProbes| {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < PATIENCE);
            let (answers, back) = ask(app, move |terrains| (terrains.answers(&mut probes), probes));
            probes = back;
            if let Some(answers) = answers {
                assert!(ask(app, move |terrains| terrains.answers(&mut probes).is_none()), "once");
                return answers;
            }
            app.update();
        }
    };
    let positions =
        [Vec3::new(12.3, 5.0, -45.6), Vec3::new(9e3, 0.0, 0.0), Vec3::NAN, Vec3::new(-100.0, 0.0, 77.0)];
    let asked =
        ask(&mut app, move |terrains| terrains.probes(land, &positions, &["flow", "water_depth"])).unwrap();
    let answers = hear(&mut app, asked).unwrap();
    assert_eq!(answers.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true]);
    for (position, answer) in positions.iter().zip(&answers) {
        let Some(answer) = answer else { continue };
        let alone = exactly(&mut app, land, *position).unwrap();
        assert_eq!((answer.point, &answer.types), (alone.point, &alone.types));
        assert!(answer.layers[0] >= 0.000_255 && answer.layers[1] == 0.0, "{:?}", answer.layers);
    }
    let asked = ask(&mut app, move |terrains| terrains.probes(land, &positions[..1], &["roads"])).unwrap();
    let error = hear(&mut app, asked).unwrap_err().to_string();
    assert!(error.contains("`roads`") && error.contains("flow"), "{error}");
    let asked = ask(&mut app, move |terrains| terrains.probes(land, &positions[..1], &[])).unwrap();
    app.world_mut().despawn(land);
    assert!(hear(&mut app, asked).unwrap_err().to_string().contains("gone"));
}
