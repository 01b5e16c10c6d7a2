//! Roads, platforms and stamps: their laws, and that they leave no trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec2, Vec2};
use proptest::prelude::*;
use upland_core::filter::{Platform, PlatformHeight, Road, Stamp, StampBlend};
use upland_core::generate::Fbm;
use upland_core::grid::Domain;
use upland_core::scatter::{Rule, Scatter};
use upland_core::steps::Operation;
use upland_core::stream::{RecipeSource, TileSource};
use upland_core::texture::LayerLimits;
use upland_core::{Cache, FilePath, Grid, Heightfield, Landscape, Recipe, Step, Window, Work};

/// Hills of 2560 m, 250 m high, and these steps.
fn hills(steps: impl IntoIterator<Item = Step>) -> Recipe {
    let mut recipe = Recipe::new("Hills", (257, 257), 10.0);
    recipe.steps = vec![Step::new(Fbm { height: 250.0, octaves: 7.0, ..Fbm::default() })];
    recipe.steps.extend(steps);
    recipe
}

fn winding() -> Road {
    let points = [(0.08, 0.2), (0.4, 0.3), (0.55, 0.7), (0.9, 0.75)].map(Vec2::from).to_vec();
    Road { points, reach: 120.0, camber: 0.0, ..Road::default() }
}

fn built(recipe: &Recipe) -> Heightfield {
    recipe.build_heightfield(&Work::new()).unwrap()
}

/// How far a place lies from a line, metres.
fn distance(line: &[DVec2], place: DVec2) -> f64 {
    let to = |pair: &[DVec2]| {
        let along = pair[1] - pair[0];
        let share = ((place - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        place.distance(pair[0] + along * share)
    };
    line.windows(2).map(to).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn no_road_is_steeper_than_its_grade(
        max_grade in 2.0f32..20.0, balance in 0.0f32..=1.0, ease in 0.0f32..150.0, seed in 0u64..50,
    ) {
        let road = Road { max_grade, balance, ease, ..winding() };
        let mut recipe = hills([Step::new(road.clone())]);
        recipe.seed = seed;
        let line = road.places(&recipe.domain().unwrap());
        let rise = steepest(&recipe, &line, &Cache::default());
        prop_assert!(rise <= f64::from(max_grade) / 100.0 + 2e-3, "{rise} of {max_grade} %");
    }
}

/// The steepest rise of the ground along the line of a road, at three places of it.
fn steepest(recipe: &Recipe, line: &[DVec2], cache: &Cache) -> f64 {
    // Between samples the road is lower than on its line, by its camber.
    let camber =
        recipe.steps.iter().find_map(|step| step.operation_as::<Road>()).map_or(0.0, |road| road.camber);
    let cell = f64::from(recipe.cell) / 128.0;
    let rises = [0.1, 0.5, 0.83].map(|share| {
        let from = (line.len() as f64 * share) as usize;
        let part = &line[from..from + 6];
        let low = part.iter().fold(DVec2::INFINITY, |low, p| low.min(*p)) / cell - 2.0;
        let high = part.iter().fold(DVec2::NEG_INFINITY, |high, p| high.max(*p)) / cell + 3.0;
        let first = [low.x.floor() as i64, low.y.floor() as i64];
        let size =
            [high.x.ceil() as i64 - first[0], high.y.ceil() as i64 - first[1]].map(|side| side as u32 + 1);
        let window = Window { level: -7, first, size };
        let field = recipe.build_window(window, cache, &Work::new()).unwrap().heights;
        let height = |p: DVec2| {
            let at = p - DVec2::new(first[0] as f64, first[1] as f64) * cell;
            f64::from(field.sample(at.as_vec2()))
        };
        let slack = f64::from(camber) / 100.0 * cell;
        let rise = |pair: &[DVec2]| {
            ((height(pair[1]) - height(pair[0])).abs() - slack).max(0.0) / pair[0].distance(pair[1])
        };
        part.windows(2).map(rise).fold(0.0, f64::max)
    });
    rises.into_iter().fold(0.0, f64::max)
}

/// A steep island of 12 km with a road that finds its own route.
fn steep_island(seed: u64) -> Recipe {
    let mut recipe = Recipe::new("Steep island", (257, 257), 48.0);
    (recipe.seed, recipe.water.sea) = (seed, true);
    recipe.steps = vec![Step::new(Fbm { height: 2500.0, ..Fbm::default() })];
    for name in ["island", "road"] {
        recipe.add_step(Step::from_name(name).unwrap(), None);
    }
    recipe
}

/// Whether two segments cross or touch.
fn is_crossed(one: &[DVec2], other: &[DVec2]) -> bool {
    let parts = |line: &[DVec2], points: &[DVec2]| {
        let side = |point: DVec2| (line[1] - line[0]).perp_dot(point - line[0]);
        side(points[0]) * side(points[1]) <= 0.0
    };
    // Segments of one straight line don't meet where they lie behind one another.
    let low = |segment: &[DVec2]| segment[0].min(segment[1]);
    let high = |segment: &[DVec2]| segment[0].max(segment[1]);
    let is_beside = low(one).cmpgt(high(other)).any() || low(other).cmpgt(high(one)).any();
    !is_beside && parts(one, other) && parts(other, one)
}

/// How often a line crosses itself.
fn crossings(line: &[DVec2]) -> usize {
    let longest = line.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
    let segments: Vec<&[DVec2]> = line.windows(2).collect();
    let crossed = |first: usize| {
        let mut second = first + 2;
        let mut found = 0;
        while second < segments.len() {
            let away = segments[first][0].distance(segments[second][0]);
            found += usize::from(away <= 2.0 * longest && is_crossed(segments[first], segments[second]));
            // The line needs at least this many segments to come near.
            second += ((away / longest - 2.0) as usize).max(1);
        }
        found
    };
    (0..segments.len()).map(crossed).sum()
}

#[test]
fn a_road_that_finds_its_route_keeps_to_the_land_and_its_grade_and_never_crosses_itself() {
    let mut widest_creek = 0.0f64;
    for seed in 0..60 {
        let recipe = steep_island(seed);
        let (cache, work) = (Cache::default(), Work::new());
        let laid = recipe.with_found_routes(&cache, &work).unwrap();
        let line = laid.steps[2].operation.places(&laid.domain().unwrap());
        assert!(line.len() > 100, "seed {seed} has a road");
        let bare = Recipe { steps: recipe.steps[..2].to_vec(), ..recipe.clone() };
        let land = built(&bare);
        assert_eq!(crossings(&line), 0, "seed {seed}");
        let (mut wet, mut longest_wet) = (0.0, 0.0f64);
        for pair in line.windows(2) {
            let is_wet = land.sample(pair[0].as_vec2()) <= 0.0;
            wet = if is_wet { wet + pair[0].distance(pair[1]) } else { 0.0 };
            longest_wet = longest_wet.max(wet);
        }
        widest_creek = widest_creek.max(longest_wet);
        if seed % 20 == 0 {
            let rise = steepest(&recipe, &line, &cache);
            assert!(rise <= 0.08 + 2e-3, "seed {seed}: {rise}");
        }
    }
    // Its first nodes lie 192 m apart, those of the refined search as far as samples.
    assert!(widest_creek < 1.0, "{widest_creek} m through the sea");
}

#[test]
fn a_road_goes_round_inlets_far_narrower_than_the_nodes_it_knows_first() {
    // 4 km of land with samples 4 m apart, of which the first search knows one in 64 m.
    let grid = Grid::new(1025, 513, 4.0).unwrap();
    let line_on = |inlets: &[(f32, f32)]| {
        let land = Heightfield::from_fn(grid, |column, row| {
            let [x, y] = [column as f32 * 4.0, row as f32 / 512.0];
            let is_wet = inlets.iter().any(|(at, width)| (x - at).abs() < width / 2.0 && y > 0.2);
            if is_wet { -5.0 } else { 20.0 }
        });
        let (domain, road) = (Domain::of(grid), Road { points: Vec::new(), lowest: 2.0, ..Road::default() });
        let heights_at = |places: &[DVec2]| -> Result<Vec<f32>, upland_core::Error> {
            Ok(places.iter().map(|place| land.sample(place.as_vec2())).collect())
        };
        let first = heights_at(&road.places(&domain)).unwrap();
        let line = road.places_after(&domain, &first, &heights_at, &Work::new()).unwrap();
        let lowest = heights_at(&line).unwrap().into_iter().fold(f32::MAX, f32::min);
        (line, lowest)
    };
    let (line, lowest) = line_on(&[(1000.0, 24.0), (2080.0, 40.0), (3072.0, 28.0)]);
    assert!(lowest >= 2.0, "{lowest} m");
    assert_eq!(crossings(&line), 0);
    let (line, _) = line_on(&[]);
    assert!(line.iter().all(|place| (place.y - 1024.0).abs() < 1.0), "where it is dry, nothing changes");
}

/// A steep island with a river down its largest valley and a road that finds its route.
fn island_with_river(seed: u32) -> Recipe {
    let text = format!(
        r##"(version: 1, name: "River", size: (257, 257), cell: 48, seed: {seed}, steps: [
            fbm(height: 1400), island(),
            river(course: valleys, sea: -200, width: 144, depth: 19, bank: 144),
            road(points: [], lowest: -198, width: 93, reach: 800, ease: 500),
        ])"##
    );
    Recipe::from_ron(&text, "").unwrap()
}

#[test]
fn a_road_never_dams_a_river_and_crosses_it_on_bridges() {
    let (mut bridges, mut lands) = (0, 0);
    for seed in 0..16 {
        let recipe = island_with_river(seed);
        let cache = Cache::default();
        let land = recipe.build_layers(&[], &cache, &Work::new()).unwrap();
        let bare = Recipe { steps: recipe.steps[..3].to_vec(), ..recipe.clone() };
        let before = built(&bare);
        let river = &land.rivers[0];
        let mut bed = river.bed();
        assert!(bed.all(|(column, row)| land.heights.at(column, row) == before.at(column, row)), "{seed}");
        bridges += land.bridges.len();
        lands += usize::from(land.bridges.len() > 1);
        let laid = recipe.with_found_routes(&cache, &Work::new()).unwrap();
        let line = laid.steps[3].operation.places(&laid.domain().unwrap());
        let course: Vec<DVec2> = river.points().map(|point| point.as_dvec2()).collect();
        for bridge in &land.bridges {
            // It leads across: its ends lie on different sides of the river.
            let [from, to] = [bridge.line[0], bridge.line[bridge.line.len() - 1]];
            let ends = [from, to].map(|end| DVec2::new(end.x.into(), end.z.into()));
            assert!(course.windows(2).any(|of_river| is_crossed(of_river, &ends)), "seed {seed}: {ends:?}");
            let deck: Vec<DVec2> = bridge.line.iter().map(|p| DVec2::new(p.x.into(), p.z.into())).collect();
            assert!(
                deck.iter().all(|place| distance(&line, *place) < 0.1),
                "seed {seed}: it lies on the road"
            );
            for end in [&bridge.line[0], bridge.line.last().unwrap()] {
                let place = DVec2::new(end.x.into(), end.z.into());
                assert!(distance(&course, place) > 72.0, "seed {seed}: it ends on a bank");
                assert!(end.y + 0.1 >= before.sample(place.as_vec2()), "seed {seed}: as high as the bank");
            }
        }
    }
    assert!(bridges > 1, "{bridges} bridges");
    assert!(lands <= 3, "{lands} roads cross the river more than once");
}

#[test]
fn a_road_makes_a_detour_round_the_source_of_a_river() {
    // Level land with a river from the middle to the south, across the straight way.
    let recipe = |mouth: &str| {
        let text = format!(
            r#"(version: 1, name: "Source", size: (257, 257), cell: 10, steps: [
                flat(height: 20), river(points: [(0.5, 0.47), {mouth}], width: 40, bank: 20),
                road(points: []),
            ])"#
        );
        Recipe::from_ron(&text, "")
            .unwrap()
            .build_layers(&[], &Cache::default(), &Work::new())
            .unwrap()
            .bridges
            .len()
    };
    assert_eq!(recipe("(0.5, 1.1)"), 0, "it goes round the source");
    assert_eq!(recipe("(0.5, 0.7), (0.4, -0.1), (0.3, 1.1)"), 1, "no way leads round it");
}

#[test]
fn a_road_by_hand_crosses_a_river_on_a_bridge_in_all_windows() {
    let text = r#"(version: 1, name: "Bridge", size: (257, 257), cell: 4, steps: [
        fbm(height: 60), river(points: [(0.5, -0.1), (0.45, 0.5), (0.55, 1.1)], width: 40, bank: 30),
        road(points: [(0.1, 0.5), (0.9, 0.55)], width: 8),
    ])"#;
    let recipe = Recipe::from_ron(text, "").unwrap();
    let land = recipe.build(&Work::new()).unwrap();
    assert_eq!(land.bridges.len(), 1);
    assert_eq!(land.bridges[0].width, 8.0 + 2.0 * 1.5);
    let window = Window { level: 0, first: [100, 90], size: [60, 70] };
    for cache in [Cache::default(), Cache::new(0)] {
        let part = recipe.build_window(window, &cache, &Work::new()).unwrap();
        for row in 0..70 {
            for column in 0..60 {
                let whole = land.heightfield.at(100 + column, 90 + row);
                assert_eq!(part.heights.at(column, row).to_bits(), whole.to_bits(), "{column}, {row}");
            }
        }
    }
    let dry = Recipe::from_ron(&text.replace("bank: 30", "bank: 30, fill: 0"), "").unwrap();
    assert!(dry.build(&Work::new()).unwrap().bridges.is_empty(), "a valley without water is filled up");
}

#[test]
fn a_route_that_a_road_has_found_is_kept_with_the_land() {
    let checks_of_search = |cache: &Cache| {
        let checks = Arc::new(AtomicUsize::new(0));
        let counted = checks.clone();
        let work = Work::watched(move |_| _ = counted.fetch_add(1, Ordering::Relaxed));
        let laid = steep_island(0).with_found_routes(cache, &work).unwrap().into_owned();
        (checks.load(Ordering::Relaxed), laid)
    };
    let (of_search, laid) = checks_of_search(&Cache::default());
    let cache = Cache::default();
    steep_island(0).build_ground_with(&cache, &Work::new()).unwrap();
    let (after_build, kept) = checks_of_search(&cache);
    assert_eq!(laid, kept);
    assert!(20 * after_build < of_search, "{after_build} checks, and {of_search} of a search");
}

#[test]
fn its_sides_have_the_slopes_asked_for() {
    // A dam over level land, and a road through a ridge.
    let across = |steps: Vec<Step>, row: f32| {
        let mut recipe = Recipe::new("Across", (201, 201), 1.0);
        recipe.steps = steps;
        let field = built(&recipe);
        move |away: usize| field.at(row as usize, 100 + away)
    };
    let points = vec![Vec2::new(-0.5, 0.5), Vec2::new(1.5, 0.5)];
    let road = Road { points, width: 8.0, shoulder: 2.0, camber: 3.0, reach: 90.0, ..Road::default() };
    let dam = Road { lowest: 15.0, fill: 30.0, ..road.clone() };
    let height = across(vec![Step::from_name("flat").unwrap(), Step::new(dam)], 100.0);
    assert!(height(0) == 15.0 && (height(4) - 14.88).abs() < 1e-5, "{} {}", height(0), height(4));
    let edge = 15.0 - 0.03 * 6.0;
    assert!((height(6) - edge).abs() < 1e-4);
    let fall = 30f32.to_radians().tan();
    for beyond in [1, 5, 20] {
        assert!((height(6 + beyond) - (edge - fall * beyond as f32)).abs() < 1e-3, "{beyond}");
    }
    assert_eq!(height(40), 0.0, "there the foot has been reached");

    // A pit in land that lies at 20 m.
    let high = Step::new(upland_core::generate::Flat { height: 20.0 });
    let cut = Platform {
        from: PlatformHeight::Fixed,
        height: 8.0,
        cut: 40.0,
        width: 30.0,
        length: 30.0,
        reach: 80.0,
        ..Platform::default()
    };
    let height = across(vec![high, Step::new(cut)], 100.0);
    let rise = 40f32.to_radians().tan();
    assert_eq!((height(0), height(15)), (8.0, 8.0));
    for beyond in [1, 5, 10] {
        assert!((height(15 + beyond) - (8.0 + rise * beyond as f32)).abs() < 1e-3, "{beyond}");
    }
    assert_eq!(height(45), 20.0);
}

#[test]
fn a_road_moved_later_leaves_no_trace() {
    let road = winding();
    let (cache, work) = (Cache::default(), Work::new());
    let build = |recipe: &Recipe| recipe.build_with(&cache, &work).unwrap().heightfield;
    let mut recipe = hills([Step::new(road.clone())]);
    let before = build(&recipe);
    let bare = build(&hills([]));
    assert_ne!(before, bare);
    let set = |recipe: &mut Recipe, points: &str| recipe.set("steps.road.points", points).unwrap();
    set(&mut recipe, "[(0.1, 0.9), (0.9, 0.95)]");
    let moved = build(&recipe);
    let domain = recipe.domain().unwrap();
    let reach = f64::from(road.width) / 2.0 + f64::from(road.shoulder + road.reach);
    let new_line = recipe.steps[1].operation.places(&domain);
    let old_line = road.places(&domain);
    let mut was_changed = 0;
    for (index, height) in moved.heights().iter().enumerate() {
        let place = DVec2::new((index % 257) as f64, (index / 257) as f64) * 10.0;
        if distance(&new_line, place) > reach {
            assert_eq!(*height, bare.heights()[index], "{place}");
        }
        if distance(&old_line, place) > reach {
            assert_eq!(before.heights()[index], bare.heights()[index], "{place}");
        }
        was_changed += usize::from(before.heights()[index] != bare.heights()[index]);
    }
    assert!(was_changed > 500);
    set(&mut recipe, "[(0.08, 0.2), (0.4, 0.3), (0.55, 0.7), (0.9, 0.75)]");
    assert_eq!(build(&recipe), before);
    recipe.steps[1].mixing.on = false;
    assert_eq!(build(&recipe), bare);
}

#[test]
fn a_road_can_begin_on_another() {
    let main = winding();
    let domain = hills([]).domain().unwrap();
    let joint = main.places(&domain)[300];
    let points = vec![(joint / 2560.0).as_vec2(), Vec2::new(0.7, 0.2)];
    let (main, branch) = (Road { width: 12.0, ..main }, Road { points, max_grade: 50.0, ..winding() });
    let with = |steps: Vec<Step>| {
        // The same land, with samples that are nearer to each other than a road is wide.
        let mut recipe = hills(steps);
        (recipe.size, recipe.cell) = ((1025, 1025), 2.5);
        let cell = 2.5 / 16.0;
        let first = [(joint.x / cell) as i64, (joint.y / cell) as i64];
        let window = Window { level: -4, first, size: [2, 2] };
        recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights.at(0, 0)
    };
    let (alone, both) = (with(vec![Step::new(main.clone())]), with(vec![Step::new(main), Step::new(branch)]));
    assert!((alone - both).abs() < 0.3, "{alone}, then {both}");
}

#[test]
fn roads_say_where_they_are_and_nothing_grows_there() {
    let road = Road { width: 30.0, shoulder: 20.0, ..winding() };
    let mut recipe = hills([Step::new(road.clone())]);
    let ground = recipe.build_layers(&["road"], &Cache::default(), &Work::new()).unwrap();
    let line = road.places(&recipe.domain().unwrap());
    for (index, share) in ground.layer("road").unwrap().heights().iter().enumerate() {
        let place = DVec2::new((index % 257) as f64, (index / 257) as f64) * 10.0;
        let expected = (1.0 - (distance(&line, place) - 15.0) / 20.0).clamp(0.0, 1.0);
        assert!((f64::from(*share) - expected).abs() < 1e-5, "{place}: {share}");
    }
    let clear = LayerLimits {
        name: upland_core::params::Name::new("road").unwrap(),
        min: None,
        max: Some(0.0),
        release: 0.0,
    };
    recipe.scatter = vec![Rule { layers: vec![clear], ..Rule::new("spruce", 300.0, 3.0) }];
    let scatter = Scatter::new(&recipe, 0, &Cache::default(), &Work::new()).unwrap();
    let all = scatter.rectangle_of(recipe.shown().unwrap().window());
    let objects = scatter.all_within(all, 10_000_000, &Work::new()).unwrap();
    assert!(objects.len() > 10_000);
    for object in objects {
        let place = DVec2::new(object.position.x, object.position.z);
        assert!(distance(&line, place) > 15.0, "{place}");
    }
}

#[test]
fn the_road_is_painted_as_sharply_as_its_tiles_are_fine() {
    let text = r##"(version: 1, name: "Paint", size: (129, 129), cell: 20, steps: [
        fbm(height: 30), road(points: [(0.0, 0.503), (1.0, 0.503)], width: 10, shoulder: 0),
    ], texture: custom(occlusion: 0, types: [
        (name: "black", colour: "#000000", factors: (layer: (name: "road", max: 0.4, release: 0.2))),
        (name: "white", colour: "#ffffff", factors: (layer: (name: "road", min: 0.6, release: 0.2))),
    ]))"##;
    let recipe = Recipe::from_ron(text, "paint.ron").unwrap();
    let source = RecipeSource::new(recipe, &Cache::default(), 0.6, Vec::new(), &Work::new()).unwrap();
    let shape = source.shape();
    let cell = f64::from(shape.cell_at(shape.finest));
    assert!(cell <= 0.625);
    let middle = 0.503 * 2560.0;
    let tile = shape.tile_at(shape.finest, 1280.0, middle);
    let made = source.make(tile, &Work::new()).unwrap();
    let first = tile.first_sample();
    let mut seen = [0; 2];
    for row in 0..128 {
        let away = ((first[1] + row) as f64 + 0.5) * cell - middle;
        let texel = made.texels.colours[(4 + row as usize) * 136 + 4 + 64][0];
        if (away.abs() - 5.0).abs() < 2.0 * cell {
            continue;
        }
        let is_road = away.abs() < 5.0;
        seen[usize::from(is_road)] += 1;
        assert_eq!(texel > 128, is_road, "{away} m from the middle: {texel}");
    }
    assert!(seen.iter().all(|count| *count > 8), "{seen:?}");
}

#[test]
fn edits_of_roads_are_drawn_at_once() {
    let recipe = hills([Step::new(winding())]);
    let cache = Cache::default();
    let source = RecipeSource::new(recipe.clone(), &cache, 10.0, Vec::new(), &Work::new()).unwrap();
    let mut edited = recipe;
    edited.set("steps.road.points", "[(0, 0), (1, 1)]").unwrap();
    assert!(source.edited(&edited, &cache).is_some());
}

/// Steps with a stamp, whose file is held.
fn stamped(size: &str, stamp: &str) -> Recipe {
    let text = format!(
        "(version: 1, name: \"Stamped\", {size}, steps: [fbm(height: 90, octaves: 6), {stamp}, platform(points: [(0.3, 0.3)])])"
    );
    let mut recipe = Recipe::from_ron(&text, "stamped.ron").unwrap();
    let rows: Vec<String> = (0..40i32)
        .map(|row| {
            (0..40i32).map(|column| ((column * 7 + row * row) % 23).to_string()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let grid = format!("ncols 40\nnrows 40\nxllcorner 0\nyllcorner 0\ncellsize 5\n{}\n", rows.join("\n"));
    recipe.hold_files(|path| path.ends_with("a.asc").then(|| Ok(grid.as_bytes().into())));
    recipe
}

#[test]
fn windows_of_stamped_land_have_its_bits() {
    for mode in ["add", "max", "replace"] {
        let stamp =
            format!("stamp(file: \"a.asc\", mode: {mode}, scale: 9, turn: 30, width: 900, length: 700)");
        let recipe = stamped("size: (129, 129), cell: 20", &stamp);
        let (cache, work) = (Cache::default(), Work::new());
        let whole = recipe.build_heightfield(&work).unwrap();
        for (first, side) in [([0, 0], 129), ([40, 50], 40), ([63, 63], 2), ([100, 0], 29)] {
            let window = Window { level: 0, first, size: [side; 2] };
            let part = recipe.build_window(window, &cache, &work).unwrap().heights;
            let coarse = Window { level: 1, first: [first[0] / 2, first[1] / 2], size: [side / 2 + 1; 2] };
            let coarse_part = recipe.build_window(coarse, &cache, &work).unwrap().heights;
            for (row, column) in
                (0..side as usize).flat_map(|row| (0..side as usize).map(move |column| (row, column)))
            {
                let (x, z) = (first[0] as usize + column, first[1] as usize + row);
                assert_eq!(part.at(column, row).to_bits(), whole.at(x, z).to_bits(), "{mode}: {x}, {z}");
            }
            for (row, column) in
                (0..side as usize / 2).flat_map(|row| (0..side as usize / 2).map(move |c| (row, c)))
            {
                let (x, z) = ((coarse.first[0] as usize + column) * 2, (coarse.first[1] as usize + row) * 2);
                assert_eq!(
                    coarse_part.at(column, row).to_bits(),
                    whole.at(x, z).to_bits(),
                    "{mode}: {x}, {z}"
                );
            }
        }
    }
}

#[test]
fn endless_land_has_stamps_roads_and_platforms_far_from_its_origin() {
    let recipe = stamped(
        "unit: 1000, size: endless, cell: 4",
        "stamp(file: \"a.asc\", points: [(700, -300)], mode: max), road(points: [(699.5, -300.2), (700.6, -299.9)])",
    );
    let mut bare = recipe.clone();
    bare.steps.truncate(1);
    let window = |x: i64, z: i64, side: u32| Window { level: 0, first: [x, z], size: [side; 2] };
    let (cache, work) = (Cache::default(), Work::new());
    let [with, without] = [&recipe, &bare]
        .map(|recipe| recipe.build_window(window(174_900, -75_100, 200), &cache, &work).unwrap().heights);
    let changed = with.heights().iter().zip(without.heights()).filter(|(a, b)| a != b).count();
    assert!(changed > 5000, "{changed}");
    let part = recipe.build_window(window(174_950, -75_050, 60), &Cache::default(), &work).unwrap().heights;
    for (row, column) in (0..60).flat_map(|row| (0..60).map(move |column| (row, column))) {
        assert_eq!(part.at(column, row).to_bits(), with.at(column + 50, row + 50).to_bits());
    }
}

#[test]
fn stamps_of_files_that_are_not_there_are_told_with_their_step() {
    let missing = Stamp { file: FilePath::new("nowhere.png"), mode: StampBlend::Max, ..Stamp::default() };
    let recipe = hills([Step::new(missing)]);
    let said = recipe.build_heightfield(&Work::new()).unwrap_err().to_string();
    assert!(said.contains("nowhere.png"), "{said}");
    let window = Window { level: -1, first: [0, 0], size: [9, 9] };
    let said = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap_err().to_string();
    assert!(said.contains("nowhere.png"), "{said}");
    let said = hills([Step::new(Stamp::default())]).build_heightfield(&Work::new()).unwrap_err().to_string();
    assert!(said.contains("steps.1 (stamp)") && said.contains("names no file"), "{said}");
}

#[test]
fn a_platform_of_a_mask_is_mixed_with_the_land() {
    let mut half = Step::new(Platform { from: PlatformHeight::Fixed, height: 100.0, ..Platform::default() });
    half.mixing.amount = 0.5;
    let mut recipe = Recipe::new("Half", (41, 41), 4.0);
    recipe.steps = vec![Step::from_name("flat").unwrap(), half];
    assert_eq!(built(&recipe).at(20, 20), 50.0);
    assert_eq!(Grid::new(41, 41, 4.0).unwrap(), built(&recipe).grid());
}

#[test]
fn ready_made_textures_lay_gravel_on_roads_and_leave_all_other_land_as_it_was() {
    let land = |texture: &str, road: &str| {
        let text = format!(
            r#"(version: 1, name: "Land", seed: 5, size: (65, 65), cell: 10, steps: [fbm(height: 40, frequency: 2), {road}],
                texture: {texture})"#
        );
        Recipe::from_ron(&text, "land.ron").unwrap().preview(65)
    };
    let road = "road(points: [(0, 0.5), (1, 0.5)], width: 60, reach: 40)";
    let moss = r##"custom(types: [(name: "moss", colour: "#305020")], resolution: 512)"##;
    let sets = "sets(sets: [temperate, seasons(season: 0.5)], at: 0.5)";
    for texture in ["temperate", "woodland", "arid", "seasons(season: 0.75)", sets, moss] {
        let (with, without) = (land(texture, road), land(texture, ""));
        let is_ready_made = texture != moss;
        let [crossed, bare] = [&with, &without].map(|recipe| recipe.build(&Work::new()).unwrap());
        let names = |landscape: &Landscape| {
            let cover = landscape.cover.as_ref().unwrap();
            cover.types.iter().filter(|kind| kind.name == "road").count()
        };
        assert_eq!(names(&crossed) > 0, is_ready_made, "{texture}");
        assert_eq!(names(&bare), 0, "{texture}");
        // Along the middle of the road, grey as gravel.
        let map = &crossed.colour;
        let row = &map.texels[map.depth / 2 * map.width..][..map.width];
        let mean = [0, 1, 2]
            .map(|channel| row.iter().map(|texel| f32::from(texel[channel])).sum::<f32>() / row.len() as f32);
        let is_grey =
            mean.iter().zip([150.0, 141.0, 128.0]).all(|(mean, gravel)| (mean - gravel).abs() < 16.0);
        assert_eq!(is_grey, is_ready_made, "{texture}: {mean:?}");
        // In the tiles that are drawn near the eye, too.
        let window: Window = "-1:40,40,33x33".parse().unwrap();
        let ready = with.prepare_window(window, 1, false, &Cache::default(), &Work::new()).unwrap();
        let baker = ready.baker(true, &Work::new()).unwrap();
        assert_eq!(baker.types().any(|kind| kind.name == "road"), is_ready_made, "{texture}");
        // The recipe itself stays unchanged.
        assert_eq!(without.drawn_texture().as_ref(), &without.texture);
    }
}
