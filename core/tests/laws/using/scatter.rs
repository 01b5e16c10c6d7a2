//! Objects that stand on a land by rules: spaced, within their limits, the same in whatever order they are
//! asked for.

use std::collections::BTreeSet;

use upland_core::scatter::{Object, Rectangle, Rule, Scatter, TypeLimits};
use upland_core::sculpt::{Stroke, Strokes, Tool};
use upland_core::stream::LandTile;
use upland_core::texture::{Factors, LayerLimits, Limits, factors};
use upland_core::{Cache, Preset, Recipe, Window, Work};

fn recipe(text: &str) -> Recipe {
    Recipe::from_ron(&format!("(version: 1, name: \"Land\", seed: 5, {text})"), "land.ron").unwrap()
}

/// Hills with a sea, 1280 metres wide.
fn hills(rules: Vec<Rule>) -> Recipe {
    let text = "size: (129, 129), cell: 10, steps: [fbm(height: 300)], water: (sea: true, sea_level: -40)";
    let mut hills = recipe(text);
    hills.scatter = rules;
    hills
}

/// A wood with undergrowth, clumps, leaning stones, on dry ground that is not steep.
fn wood() -> Vec<Rule> {
    let slope = Limits::new(0.0, 28.0, 6.0);
    vec![
        Rule { radius: 1.2, slope, clumping: 0.8, ..Rule::new("spruce", 450.0, 3.0) },
        Rule { radius: 1.5, slope, ..Rule::new("birch", 60.0, 4.0) },
        Rule { radius: 2.0, lean: 0.8, tilt: 15.0, sink: 0.3, ..Rule::new("boulder", 12.0, 8.0) },
        Rule { radius: 0.4, seed: 9, ..Rule::new("hazel", 200.0, 2.0) },
    ]
}

fn scatter(recipe: &Recipe) -> Scatter {
    Scatter::new(recipe, 0, &Cache::default(), &Work::new()).unwrap()
}

fn square(x: f64, z: f64, side: f64) -> Rectangle {
    Rectangle { low: [x, z], high: [x + side, z + side] }
}

fn all_of(recipe: &Recipe) -> Vec<Object> {
    let scatter = scatter(recipe);
    let land = scatter.rectangle_of(recipe.shown().unwrap().window());
    scatter.within(land, &Work::new()).unwrap()
}

fn by_id(mut objects: Vec<Object>) -> Vec<Object> {
    objects.sort_by_key(|object| object.id);
    objects
}

/// Checks that objects keep the distances that rules ask for.
fn check_distances(objects: &[Object], rules: &[Rule]) {
    let mut sorted: Vec<&Object> = objects.iter().collect();
    sorted.sort_by(|one, other| one.position.x.total_cmp(&other.position.x));
    for (index, one) in sorted.iter().enumerate() {
        let near = sorted[index + 1..].iter().take_while(|other| other.position.x - one.position.x < 12.0);
        for other in near {
            let [rule, other_rule] = [one, other].map(|object| &rules[object.rule as usize]);
            let least = match one.rule == other.rule {
                true => f64::from(rule.spacing),
                false if rule.radius > 0.0 && other_rule.radius > 0.0 => {
                    f64::from(rule.radius) + f64::from(other_rule.radius)
                }
                false => 0.0,
            };
            let distance = one.position.with_y(0.0).distance(other.position.with_y(0.0));
            assert!(distance >= least - 1e-9, "{distance} m between {} and {}", rule.name, other_rule.name);
        }
    }
}

#[test]
fn objects_keep_their_distances_over_the_borders_of_tiles() {
    let recipe = hills(wood());
    let scatter = scatter(&recipe);
    let work = Work::new();
    let mut objects = Vec::new();
    for row in 0..10 {
        for column in 0..10 {
            let tile = square(f64::from(column) * 64.0, f64::from(row) * 64.0, 64.0);
            objects.extend(scatter.within(tile, &work).unwrap());
        }
    }
    assert!(objects.len() > 1000);
    check_distances(&objects, &recipe.scatter);
    let ids: BTreeSet<u64> = objects.iter().map(|object| object.id).collect();
    assert_eq!(ids.len(), objects.len());
}

#[test]
fn some_rules_alone_place_what_they_place_among_all_whatever_was_asked_before() {
    let endless = Preset::find("endless-highlands").unwrap().recipe().unwrap();
    for recipe in [hills(wood()), endless] {
        let (scatter, work) = (scatter(&recipe), Work::new());
        let rules = recipe.scatter.len();
        let mut count = 0;
        for n in 0..12 {
            // Within a block of samples, over the borders of several, and larger than one.
            let side = [16.0, 37.5, 150.0][n % 3];
            let part = square(400.0 + 61.0 * n as f64, 700.0 - 23.0 * n as f64, side);
            let all = scatter.within(part, &work).unwrap();
            for chosen in [vec![0], vec![rules - 1], (0..rules).filter(|rule| rule % 2 == 1).collect()] {
                let is_chosen = |rule: usize| chosen.contains(&rule);
                let of_rules = scatter.of_rules(part, is_chosen, &work).unwrap();
                let among_all: Vec<Object> =
                    all.iter().filter(|object| is_chosen(object.rule as usize)).copied().collect();
                assert!(of_rules == among_all, "{}: {chosen:?} of {part:?}", recipe.name);
                count += of_rules.len();
            }
        }
        assert!(count > 50, "{}: {count}", recipe.name);
    }
}

#[test]
fn tiles_are_the_same_in_any_order_and_beside_any_others() {
    let recipe = hills(wood());
    let whole = by_id(all_of(&recipe));
    let work = Work::new();
    let mut tiles: Vec<Rectangle> =
        (0..64).map(|n| square(f64::from(n % 8) * 160.0, f64::from(n / 8) * 160.0, 160.0)).collect();
    for _ in 0..2 {
        tiles.reverse();
        // Each from a land of its own in the second round.
        let one = scatter(&recipe);
        let objects = tiles.iter().flat_map(|tile| one.within(*tile, &work).unwrap()).collect();
        assert!(by_id(objects) == whole);
    }
    let alone = scatter(&recipe).within(tiles[20], &work).unwrap();
    let inside = |object: &&Object| tiles[20].has(object.position.x, object.position.z);
    assert_eq!(by_id(alone), whole.iter().filter(inside).copied().collect::<Vec<_>>());
}

#[test]
fn any_number_of_threads_places_the_same() {
    let recipe = hills(wood());
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| all_of(&recipe))
    };
    assert!(on(1) == on(32));
}

#[test]
fn windows_of_endless_land_have_the_objects_of_larger_ones() {
    let mut endless = recipe("size: endless, cell: 8, steps: [fbm(height: 300)]");
    endless.scatter = wood();
    let shade = Factors::default().with(&factors::CONVEXITY, Limits::new(0.2, 1.0, 0.1));
    endless.scatter.push(Rule { factors: shade, ..Rule::new("juniper", 80.0, 2.0) });
    let work = Work::new();
    let large = scatter(&endless).within(square(-300.0, -260.0, 512.0), &work).unwrap();
    let other = scatter(&endless);
    for (x, z) in [(-300.0, -260.0), (-44.0, -4.0), (-44.0, -260.0), (100.5, 7.25)] {
        let part = square(x, z, 100.0);
        let inside = large.iter().filter(|object| part.has(object.position.x, object.position.z));
        assert_eq!(by_id(other.within(part, &work).unwrap()), by_id(inside.copied().collect()));
    }
    assert!(large.iter().any(|object| object.rule == 4));
    let far = LandTile { level: 0, column: -300_000, row: 40_000 };
    assert!(!other.tile(far, &work).unwrap().is_empty());
}

#[test]
fn windows_of_bounded_land_have_the_objects_of_the_whole() {
    // Its level makes it a land of windows, whose samples are the land's own.
    let recipe = hills(wood());
    let windows = Scatter::new(&recipe, -1, &Cache::default(), &Work::new()).unwrap();
    let work = Work::new();
    let part = |x, z| windows.within(square(x, z, 200.0), &work).unwrap();
    let all = windows.within(square(900.0, 0.0, 400.0), &work).unwrap();
    let parts = [part(900.0, 0.0), part(1100.0, 0.0), part(900.0, 200.0), part(1100.0, 200.0)].concat();
    assert!(!all.is_empty() && by_id(all) == by_id(parts));
    assert!(part(5000.0, 0.0).is_empty() && part(-5000.0, 0.0).is_empty());
}

#[test]
fn there_are_as_many_as_the_density_says_where_all_is_allowed() {
    for (density, spacing) in [(5.0, 3.0), (100.0, 3.0), (300.0, 4.0), (900.0, 2.5), (20_000.0, 0.5)] {
        let mut plain = Recipe::new("Plain", (33, 33), 10.0);
        plain.scatter = vec![Rule::new("grass", density, spacing)];
        let objects = scatter(&plain).within(square(10.0, 20.0, 250.0), &Work::new()).unwrap();
        let wanted = f64::from(density) * 6.25;
        let bound = 0.02 * wanted + 4.0 * wanted.sqrt();
        assert!((objects.len() as f64 - wanted).abs() < bound, "{} in place of {wanted}", objects.len());
    }
}

#[test]
fn every_object_stands_within_the_limits_of_its_rule() {
    let rules = vec![
        Rule { elevation: Limits::new(20.0, 50.0, 5.0), ..Rule::new("spruce", 300.0, 2.0) },
        Rule { slope: Limits::new(10.0, 20.0, 2.0), ..Rule::new("juniper", 300.0, 2.0) },
        Rule { water_depth: Limits::new(0.5, 3.0, 0.0), ..Rule::new("reed", 2000.0, 0.5) },
        Rule { water_distance: Limits::new(20.0, 60.0, 10.0), ..Rule::new("palm", 300.0, 2.0) },
        Rule::new("stone", 300.0, 2.0),
    ];
    let recipe = hills(rules);
    let work = Work::new();
    let ground = recipe.build_layers(&["water_depth"], &Cache::default(), &work).unwrap();
    let (heights, depth) = (&ground.heights, ground.layer("water_depth").unwrap());
    let objects = all_of(&recipe);
    let count = |rule: u32| objects.iter().filter(|object| object.rule == rule).count();
    assert!((0..5).all(|rule| count(rule) > 20), "{:?}", [0, 1, 2, 3, 4].map(count));
    for object in &objects {
        let place = object.position.as_vec3();
        let under = glam::Vec2::new(place.x, place.z);
        assert!((heights.sample(under) - place.y).abs() < 0.01);
        let slope = heights.normal(under).y.acos().to_degrees();
        match object.rule {
            0 => assert!((15.0..=55.0).contains(&place.y), "{place}"),
            1 => assert!((7.9..=22.1).contains(&slope), "{slope}"),
            2 => assert!((0.49..=3.01).contains(&depth.sample(under)), "{}", depth.sample(under)),
            _ => assert!(place.y >= -40.0 - 1e-3 && depth.sample(under) < 1e-3, "{place}"),
        }
    }
}

/// Signs beside roads, spruces away from them, cones on them, and stones wherever they like.
fn roadside() -> Vec<Rule> {
    vec![
        Rule { road_distance: Limits::new(1.0, 4.0, 0.0), ..Rule::new("sign", 2000.0, 1.0) },
        Rule { road_distance: Limits::new(20.0, 1000.0, 10.0), ..Rule::new("spruce", 300.0, 2.0) },
        Rule { road_distance: Limits::new(0.0, 0.0, 0.0), ..Rule::new("cone", 300.0, 2.0) },
        Rule::new("stone", 300.0, 2.0),
    ]
}

/// Checks where objects stand along a straight road from west to east, 8 m wide; how many there are of each
/// rule.
fn check_roadside(objects: &[Object], middle: f64) -> [usize; 4] {
    let mut counts = [0; 4];
    for object in objects {
        let away = ((object.position.z - middle).abs() - 4.0).max(0.0);
        match object.rule {
            0 => assert!((1.0 - 1e-4..=4.0 + 1e-4).contains(&away), "{away}"),
            1 => assert!(away > 10.0 - 1e-4, "{away}"),
            2 => assert!(away < 1e-4, "{away}"),
            _ => {}
        }
        counts[object.rule as usize] += 1;
    }
    counts
}

#[test]
fn objects_keep_their_distance_from_roads_at_every_level() {
    let text = "size: (129, 129), cell: 10, steps: [fbm(height: 60), road(points: [(0.0, 0.5), (1.0, 0.5)], width: 8)]";
    let mut land = recipe(text);
    land.scatter = roadside();
    let around = square(300.0, 540.0, 200.0);
    for level in [0, -1] {
        let scatter = Scatter::new(&land, level, &Cache::default(), &Work::new()).unwrap();
        let counts = check_roadside(&scatter.within(around, &Work::new()).unwrap(), 640.0);
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
    // Without the road nobody keeps away from it, and nobody stands beside it.
    land.set("steps.1.on", "false").unwrap();
    let objects = scatter(&land).within(around, &Work::new()).unwrap();
    let count = |rule: u32| objects.iter().filter(|object| object.rule == rule).count();
    assert_eq!((count(0), count(2)), (0, 0));
    let on_the_line = |object: &&Object| object.rule == 1 && (object.position.z - 640.0).abs() < 14.0;
    assert!(objects.iter().filter(on_the_line).count() > 20);
}

#[test]
fn distances_from_roads_are_the_same_in_every_window_of_endless_land() {
    let text = "size: endless, cell: 8, unit: 1000, \
                steps: [fbm(height: 60), road(points: [(-1.0, 0.0), (1.0, 0.0)], width: 8)]";
    let mut land = recipe(text);
    land.scatter = roadside();
    let work = Work::new();
    let large = scatter(&land).within(square(-150.0, -150.0, 300.0), &work).unwrap();
    let counts = check_roadside(&large, 0.0);
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    let other = scatter(&land);
    for (x, z) in [(-150.0, -150.0), (-40.0, -20.5), (12.0, 3.0), (33.25, 50.0)] {
        let part = square(x, z, 60.0);
        let inside = large.iter().filter(|object| part.has(object.position.x, object.position.z));
        assert_eq!(by_id(other.within(part, &work).unwrap()), by_id(inside.copied().collect()), "{x}, {z}");
    }
    // Far away from any road there are trees, and nothing that stands beside or on one.
    let far = other.within(square(60_000.0, 0.0, 100.0), &work).unwrap();
    assert!(far.iter().all(|object| object.rule == 1 || object.rule == 3));
    assert!(far.iter().filter(|object| object.rule == 1).count() > 100);
}

#[test]
fn soft_edges_thin_out() {
    let mut level = recipe("size: (65, 65), cell: 10, steps: [flat(height: 30)]");
    level.scatter = vec![Rule::new("grass", 3000.0, 1.0)];
    let all = all_of(&level).len() as f64;
    for (min, release, expected) in
        [(100.0, 140.0, 0.5), (100.0, 87.5, 0.2), (30.0, 0.0, 1.0), (31.0, 1.0, 0.0)]
    {
        level.scatter[0].elevation = Limits::new(min, 200.0, release);
        let share = all_of(&level).len() as f64 / all;
        assert!((share - expected).abs() < 0.01, "{share} in place of {expected}");
    }
}

#[test]
fn layers_types_and_patches_limit_rules() {
    let text = "size: (129, 129), cell: 10, steps: [fbm(height: 300), erode()]";
    let limits = |name: &str, min, max| LayerLimits {
        name: upland_core::params::Name::new(name).unwrap(),
        min,
        max,
        release: 0.0,
    };
    let mut land = recipe(text);
    land.scatter = vec![
        Rule { layers: vec![limits("flow", Some(0.0005), None)], ..Rule::new("alder", 300.0, 2.0) },
        Rule { layers: vec![limits("flow", None, Some(0.0005))], ..Rule::new("pine", 300.0, 2.0) },
        Rule {
            types: vec![TypeLimits { name: "rock".into(), share: Limits::new(0.5, 1.0, 0.0) }],
            ..Rule::new("stone", 300.0, 2.0)
        },
        Rule { clumping: 1.0, ..Rule::new("flowers", 1000.0, 1.0) },
    ];
    let ground = land.build_layers(&["flow"], &Cache::default(), &Work::new()).unwrap();
    let flow = ground.layer("flow").unwrap();
    let objects = all_of(&land);
    for object in &objects {
        let flow = flow.sample(glam::Vec2::new(object.position.x as f32, object.position.z as f32));
        assert!(object.rule != 0 || flow > 0.00049);
        assert!(object.rule != 1 || flow < 0.00051);
    }
    let count = |rule: u32| objects.iter().filter(|object| object.rule == rule).count() as f64;
    let full = 300.0 * 163.84;
    let counts = [0, 1, 2].map(count);
    assert!(counts.iter().all(|count| *count > 0.001 * full && *count < 0.999 * full), "{counts:?}");
    assert!((0.3..0.7).contains(&(count(3) / 163_840.0)), "{}", count(3));
}

#[test]
fn a_painted_mask_limits_rules() {
    // The west is black and the east white.
    let mut png = std::io::Cursor::new(Vec::new());
    let picture = image::GrayImage::from_fn(64, 64, |x, _| image::Luma([if x < 32 { 0 } else { 255 }]));
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut land = recipe(
        "size: (129, 129), cell: 10, steps: [fbm(height: 300)], scatter: [(name: \"alder\", object: \"alder\", density: 300, \
         spacing: 3, factors: (mask: (file: \"woods.png\", min: 0.5)))]",
    );
    land.hold_files(|path| path.ends_with("woods.png").then(|| Ok(png.get_ref().as_slice().into())));
    let objects = all_of(&land);
    let full = 300.0 * 163.84;
    assert!((0.4 * full..0.55 * full).contains(&(objects.len() as f64)), "{}", objects.len());
    assert!(objects.iter().all(|object| object.position.x > 600.0), "in the east alone");
}

#[test]
fn objects_are_turned_sized_and_sunk_as_their_rule_says() {
    let mut land = hills(wood());
    land.scatter[2].size.min = 2.0;
    land.scatter[2].size.max = 3.0;
    land.scatter[0].turn = 90.0;
    let field = land.build_heightfield(&Work::new()).unwrap();
    for object in all_of(&land) {
        let rule = &land.scatter[object.rule as usize];
        assert!((rule.size.min..=rule.size.max).contains(&object.size));
        assert!((0.0..=rule.turn).contains(&object.turn));
        let under = glam::Vec2::new(object.position.x as f32, object.position.z as f32);
        let sunk = field.sample(under) - object.position.y as f32;
        assert!((sunk - rule.sink * object.size).abs() < 0.01);
        let normal = field.normal(under);
        let off = object.up.angle_between(glam::Vec3::Y.lerp(normal, rule.lean)).to_degrees();
        assert!(off <= rule.tilt + 0.1, "{off}");
        assert!((object.rotation() * glam::Vec3::Y).distance(object.up) < 1e-3);
    }
}

#[test]
fn bare_land_and_rules_that_are_off_have_nothing() {
    let mut land = hills(wood());
    land.scatter[1].on = false;
    assert!(all_of(&land).iter().all(|object| object.rule != 1));
    land.set("bare", "true").unwrap();
    assert_eq!(all_of(&land), []);
    assert!(land.to_ron().unwrap().contains("bare: true"));
}

#[test]
fn an_edit_of_one_rule_leaves_the_places_of_the_others() {
    let land = hills(wood());
    let mut edited = land.clone();
    edited.set("scatter.hazel.density", "50").unwrap();
    edited.set("scatter.birch.on", "false").unwrap();
    let first =
        |recipe: &Recipe| all_of(recipe).into_iter().filter(|object| object.rule == 0).collect::<Vec<_>>();
    assert_eq!(first(&land), first(&edited));
}

#[test]
fn recipes_without_rules_gain_no_field() {
    for preset in Preset::all() {
        let mut recipe = preset.recipe().unwrap();
        recipe.scatter.clear();
        let text = recipe.to_ron().unwrap();
        assert!(!text.contains("\n    scatter:") && !text.contains("\n    bare:"), "{}", preset.name);
    }
    let land = hills(wood());
    assert_eq!(Recipe::from_ron(&land.to_ron().unwrap(), "again.ron").unwrap(), land);
}

#[test]
fn rules_are_set_by_index_and_by_name() {
    let mut land = hills(wood());
    land.set("scatter.0.density", "200").unwrap();
    land.set("scatter.boulder.slope.max", "12").unwrap();
    land.set("scatter.boulder.factors.wetness.max", "0.5").unwrap();
    assert_eq!((land.scatter[0].density, land.scatter[2].slope.max), (200.0, 12.0));
    assert_eq!(land.scatter[2].factors.get(&factors::WETNESS).map(|limits| limits.max), Some(0.5));
    for (path, text, expected) in [
        ("scatter.0.density", "5000", "at most 645 objects"),
        ("scatter.0.density", "NaN", "density"),
        ("scatter.4.density", "5", "there is no 4 in `scatter`"),
        ("scatter.0.spacings", "5", "has name, object"),
        ("scatter.0.object", "../a b", "is not a name"),
        ("bare", "perhaps", "neither true nor false"),
    ] {
        let error = land.set(path, text).unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    land.set("scatter", "[(name: \"a\", object: \"b\")]").unwrap();
    assert_eq!(land.scatter.len(), 1);
    land.set("scatter", "[]").unwrap();
    assert!(land.scatter.is_empty());
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let said = |recipe: &Recipe, level, rectangle| {
        let scatter = Scatter::new(recipe, level, &Cache::default(), &Work::new());
        let objects = scatter.and_then(|scatter| scatter.within(rectangle, &Work::new()));
        objects.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let land = hills(wood());
    assert_eq!(said(&land, 0, square(0.0, 0.0, 10.0)), "");
    assert!(said(&land, 99, square(0.0, 0.0, 10.0)).contains("level 99"));
    assert!(said(&land, 0, square(0.0, 0.0, f64::NAN)).contains("not a rectangle"));
    assert!(said(&land, 0, square(0.0, 0.0, -5.0)).contains("not a rectangle"));
    assert!(said(&land, 0, square(0.0, 0.0, 1e6)).contains("use parts of"));
    assert!(said(&land, 0, square(1e300, 0.0, 10.0)).contains("not a rectangle"));
    let with = |change: &dyn Fn(&mut Rule)| {
        let mut land = hills(wood());
        change(&mut land.scatter[3]);
        said(&land, 0, square(0.0, 0.0, 10.0))
    };
    let types = vec![TypeLimits { name: "cheese".into(), ..TypeLimits::default() }];
    assert!(with(&|rule| rule.types = types.clone()).contains("no terrain type `cheese`; it has"));
    assert!(with(&|rule| rule.density = f32::NAN).contains("scatter.3.density"));
    assert!(with(&|rule| rule.object = "a\n".into()).contains("is not a name"));
    let text = "name: \"a\", object: \"b\", layers: [(name: \"flow\")]";
    let mut flowless = hills(vec![]);
    flowless.set("scatter", &format!("[({text})]")).unwrap();
    let error = said(&flowless, 0, square(0.0, 0.0, 10.0));
    assert!(error.contains("flow"), "{error}");
}

#[test]
fn all_of_a_land_is_placed_in_parts_and_no_more_than_allowed() {
    let land = hills(wood());
    let scatter = scatter(&land);
    let rectangle = square(-50.0, 33.0, 1700.0);
    let work = Work::new();
    let all = scatter.all_within(rectangle, 1_000_000, &work).unwrap();
    assert_eq!(by_id(all.clone()), by_id(scatter.within(rectangle, &work).unwrap()));
    assert_eq!(scatter.all_within(rectangle, all.len(), &work).unwrap(), all);
    let error = scatter.all_within(rectangle, all.len() - 1, &work).unwrap_err().to_string();
    assert!(error.contains(&format!("more than {} objects", all.len() - 1)), "{error}");
    for side in [f64::NAN, f64::INFINITY, -1.0, 1e11] {
        assert!(scatter.all_within(square(0.0, 0.0, side), 10, &work).is_err());
    }
}

#[test]
fn files_hold_every_object() {
    use upland_core::scatter::formats::{Placed, formats, write};
    let land = hills(wood());
    let objects = all_of(&land);
    let folder = tempfile::tempdir().unwrap();
    let placed = Placed { objects: &objects, rules: &land.scatter, middle: [640.0, 640.0] };
    let work = Work::new();
    let write = |name: &str| {
        let path = folder.path().join(name);
        write(&path, &placed, &work).unwrap();
        std::fs::read(path).unwrap()
    };
    assert_eq!(formats().len(), 4);
    let csv = String::from_utf8(write("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), objects.len() + 1);
    for (line, object) in csv.lines().skip(1).zip(&objects) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 11);
        assert_eq!(u64::from_str_radix(cells[0], 16), Ok(object.id));
        assert_eq!(cells[2], land.scatter[object.rule as usize].object);
        assert!((cells[3].parse::<f64>().unwrap() + 640.0 - object.position.x).abs() < 0.001);
    }
    let json: serde_json::Value = serde_json::from_slice(&write("a.JSON")).unwrap();
    assert_eq!(json["objects"].as_array().unwrap().len(), objects.len());
    assert_eq!(json["rules"][2]["object"], "boulder");
    // The reader does not know the extension that the file requires.
    for name in ["a.glb", "a.gltf"] {
        let file = gltf::Gltf::from_slice_without_validation(&write(name)).unwrap();
        let document = file.document.clone().into_json();
        assert!(document.extensions_required.iter().any(|name| name == "EXT_mesh_gpu_instancing"));
        assert_eq!((document.nodes.len(), document.meshes.len()), (4, 4), "{name}");
        let counts = document.accessors.iter().filter(|accessor| accessor.buffer_view.is_some());
        assert!(counts.clone().count() == 4 * 6);
        let bytes = document.buffers[0].byte_length.0 as usize;
        assert_eq!(file.blob.map_or(bytes, |blob| blob.len()), bytes);
        for view in &document.buffer_views {
            assert!(view.byte_offset.unwrap_or_default().0 + view.byte_length.0 <= bytes as u64);
        }
    }
}

#[test]
fn placing_ends_when_it_is_cancelled() {
    let land = hills(wood());
    let scatter = scatter(&land);
    let work = Work::new();
    work.cancel();
    assert!(matches!(scatter.within(square(0.0, 0.0, 500.0), &work), Err(upland_core::Error::Cancelled)));
}

/// The largest share of points, for spacings of a metre on a hectare; docs/scatter.md names it.
#[test]
fn the_most_objects_on_a_hectare_are_known() {
    assert_eq!(Rule::new("stone", 1.0, 1.0).most().round(), 5812.0);
}

#[test]
fn presets_with_rules_place_something() {
    let mut with_rules = 0;
    for preset in Preset::all() {
        let recipe = preset.recipe().unwrap();
        if recipe.scatter.is_empty() {
            continue;
        }
        with_rules += 1;
        let small = if recipe.unit.is_some() { recipe } else { recipe.with_longer_side(129) };
        let cell = f64::from(small.cell);
        let scatter = scatter(&small);
        let places = [[0.3, 0.3], [0.5, 0.5], [0.7, 0.4], [0.4, 0.7], [0.6, 0.6], [0.2, 0.6]];
        let found: usize = places
            .map(|place| {
                let [x, z] = place.map(|share| share * 128.0 * cell);
                let tile = square(x, z, 200.0);
                let objects = scatter.within(tile, &Work::new()).unwrap();
                check_distances(&objects, &small.scatter);
                objects.len()
            })
            .iter()
            .sum();
        assert!(found > 50, "{}: {found}", preset.name);
    }
    assert!(with_rules >= 4);
}

#[test]
fn nothing_stands_where_strokes_have_cleared_the_ground() {
    let mut recipe = hills(vec![Rule::new("hazel", 1200.0, 1.5)]);
    let all = by_id(all_of(&recipe));
    let [crater, cleared] = [[400.0, 400.0], [800.0, 700.0]];
    let strokes = vec![
        Stroke::at(Tool::Crater { depth: 12.0, rim: 3.0 }, crater, 120.0),
        Stroke::at(Tool::Clear {}, cleared, 90.0),
    ];
    recipe.set_strokes(&Strokes::of(strokes).unwrap(), std::path::Path::new(""));
    let left = by_id(all_of(&recipe));
    let away =
        |object: &Object, place: [f64; 2]| (object.position.x - place[0]).hypot(object.position.z - place[1]);
    let count = |objects: &[Object], place, from, to| {
        objects.iter().filter(|object| (from..to).contains(&away(object, place))).count()
    };
    assert!(count(&all, crater, 0.0, 60.0) > 20 && count(&left, crater, 0.0, 60.0) == 0, "within the rim");
    // Half of all are left where the brush has half of its strength.
    let [before, after] = [&all, &left].map(|objects| count(objects, cleared, 40.0, 50.0) as f64);
    assert!(before > 100.0 && (after / before - 0.5).abs() < 0.12, "{before} {after}");
    assert!(count(&left, cleared, 0.0, 15.0) * 20 < count(&all, cleared, 0.0, 15.0));
    // Elsewhere stands what stood there.
    let far = |objects: &[Object]| -> Vec<u64> {
        let is_far = |object: &&Object| away(object, crater) > 130.0 && away(object, cleared) > 95.0;
        objects.iter().filter(is_far).map(|object| object.id).collect()
    };
    assert_eq!(far(&all), far(&left));
    // A part of the land has what the whole has.
    let part = square(700.0, 600.0, 200.0);
    let is_in = |object: &&Object| part.has(object.position.x, object.position.z);
    let of_all: Vec<Object> = left.iter().filter(is_in).copied().collect();
    assert_eq!(by_id(scatter(&recipe).within(part, &Work::new()).unwrap()), of_all);
}

fn case(name: &str) -> Recipe {
    Recipe::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name))
        .unwrap()
}

/// Tables of cells as wide as the spacing would take 65 and 5 GB.
#[test]
fn few_objects_of_a_small_spacing_are_placed_on_all_of_a_wide_land() {
    for (file, expected) in [("scatter_abort.ron", 16_384), ("scatter_groups_memory.ron", 3_277)] {
        let count = all_of(&case(file)).len();
        // Points of a grid touch the border by chance.
        assert!(count.abs_diff(expected) * 20 < expected, "{file}: {count}");
    }
}

#[test]
fn windows_and_rectangles_anywhere_have_an_answer() {
    let land = hills(wood());
    let scatter = scatter(&land);
    for first in [i64::MIN, i64::MIN + 1, -1, i64::MAX - 1, i64::MAX] {
        for size in [0, 1, u32::MAX] {
            for level in [-20, 0, 20] {
                let Rectangle { low, high } =
                    scatter.rectangle_of(Window { level, first: [first; 2], size: [size; 2] });
                assert!(low.into_iter().chain(high).all(f64::is_finite), "{first} {size} {level}");
            }
        }
    }
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e12, -1e12, f64::MAX, 0.0];
    for low in numbers {
        for high in numbers {
            let rectangle = Rectangle { low: [low; 2], high: [high; 2] };
            for objects in [
                scatter.within(rectangle, &Work::new()),
                scatter.of_rules(rectangle, |_| true, &Work::new()),
                scatter.all_within(rectangle, 10, &Work::new()),
            ] {
                assert!(objects.is_err() || objects.is_ok_and(|objects| objects.is_empty()), "{rectangle:?}");
            }
        }
    }
    for end in [i32::MIN, i32::MAX] {
        for level in [i32::MIN, -20, 0, 20, i32::MAX] {
            let tile = LandTile { level, column: end, row: end };
            _ = scatter.tile(tile, &Work::new());
            _ = (tile.parent(), tile.children(), tile.window(4), tile.rectangle(1.0));
        }
    }
}
