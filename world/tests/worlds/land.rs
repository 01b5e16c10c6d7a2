//! A plan's land has the bits of its recipe's, whatever is there of its tiles.

use std::fs;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use upland_core::formats::cog::{CogImage, CogSamples, encode};
use upland_core::{Cache, Heightfield, Recipe, Step, Window, Work};
use upland_world::{
    DiskCacheSettings, MissingTiles, NewPlan, Planned as PlannedStep, open, set_disk_cache, take_notes,
};

use super::server::Server;
use super::{Planned, recipe};

/// Notes and settings are those of the process.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    take_notes();
    guard
}

/// Blocks of all tests; never those of the user.
static DISK: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    set_disk_cache(DiskCacheSettings { folder: folder.path().join("blocks"), most_bytes: 1 << 30 });
    folder
});

/// Numbers as if by chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// A window of a land at a level, around its plan if it is endless.
    fn window(&mut self, recipe: &Recipe, level: i32, around: Window) -> Window {
        let land = recipe.domain().unwrap().size_at(level);
        let mut window = Window { level, first: [0; 2], size: [1; 2] };
        for axis in [0, 1] {
            let most = land.map_or(60, |size| size[axis].min(90));
            window.size[axis] = 1 + self.below(most) as u32;
            window.first[axis] = match land {
                Some(size) => self.below(size[axis] - u64::from(window.size[axis]) + 1) as i64,
                None => {
                    let start = around.first[axis] as f64 * f64::powi(2.0, around.level - level);
                    start as i64 + self.below(120) as i64 - 60
                }
            };
        }
        window
    }
}

fn heights(recipe: &Recipe, window: Window, cache: &Cache) -> Heightfield {
    recipe
        .build_window(window, cache, &Work::new())
        .unwrap_or_else(|error| panic!("{window}: {error}"))
        .heights
}

fn bits(field: &Heightfield) -> Vec<u32> {
    field.heights().iter().map(|height| height.to_bits()).collect()
}

/// Compares windows of all levels with those of the recipe.
fn check(planned: &Planned, recipe: &Recipe, chance: &mut Chance, what: &str) {
    let land = open(planned.root().to_str().unwrap()).unwrap();
    let own = Cache::default();
    for level in -2..=5 {
        for _ in 0..3 {
            let window = chance.window(recipe, level, planned.worker.plan().window());
            // Nothing is remembered from one window to the next.
            let found = heights(&land, window, &Cache::new(0));
            assert!(bits(&found) == bits(&heights(recipe, window, &own)), "{what}: {window}");
        }
    }
}

/// Each with all tiles, with some of them missing, and with none.
#[test]
fn windows_have_the_bits_of_the_recipe_whichever_tiles_are_there() {
    let _alone = alone();
    let endless = Recipe { unit: Some(3000.0), ..recipe("(65, 65)", "fbm(), warp(), gullies()") };
    let mut chance = Chance(7);
    for (recipe, window, tile) in [
        (recipe("(150, 97)", "fbm(octaves: 9), terrace()"), None, 64),
        (recipe("(150, 97)", "fbm(), gullies(), gaussian(sigma: 2)"), None, 80),
        (recipe("(150, 97)", "fbm(), erode(), terrace()"), None, 64),
        (
            recipe("(97, 150)", "fbm(), normalize(high: 500), fbm(height: 20, blend: add)"),
            Some("-1:11,7,101x70"),
            64,
        ),
        (
            recipe("(97, 65)", "fbm(), erode(), river(), road(points: [(0.2, 0.1), (0.8, 0.9)], width: 40)"),
            Some("0:3,7,80x50"),
            64,
        ),
        (recipe("(65, 49)", "fbm(), erode(), river(), stones()"), Some("-1:3,7,101x70"), 64),
        (endless, Some("0:-1000000,77,130x70"), 96),
    ] {
        let window = window.map(|window| window.parse().unwrap());
        let planned = Planned::new(&recipe, &NewPlan { tile, window, ..NewPlan::default() });
        let steps = recipe.steps.iter().map(Step::name).collect::<Vec<_>>().join(", ");
        check(&planned, &recipe, &mut chance, &format!("{steps}, nothing is there"));
        planned.work();
        check(&planned, &recipe, &mut chance, &format!("{steps}, all is there"));
        for (number, entry) in fs::read_dir(planned.root().join("heights")).unwrap().enumerate() {
            if number % 2 == 0 {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
        }
        check(&planned, &recipe, &mut chance, &format!("{steps}, half of it is there"));
    }
    assert_eq!(take_notes(), [""; 0]);
}

#[test]
fn overviews_of_large_tiles_are_the_coarser_levels() {
    let _alone = alone();
    let recipe = recipe("(1500, 1100)", "fbm(octaves: 3)");
    // A rectangle at an odd place, whose tiles don't begin at samples of coarser levels.
    for window in [None, Some("0:101,35,1300x1001".parse().unwrap())] {
        let planned = Planned::new(&recipe, &NewPlan { tile: 1024, window, ..NewPlan::default() });
        planned.work();
        let land = open(planned.root().to_str().unwrap()).unwrap();
        let cache = Cache::default();
        for window in
            ["1:300,200,400x300", "2:0,0,375x275", "3:5,7,150x120", "4:2,1,80x60", "0:990,600,60x500"]
        {
            let window: Window = window.parse().unwrap();
            assert!(
                bits(&heights(&land, window, &cache)) == bits(&heights(&recipe, window, &cache)),
                "{window}"
            );
        }
    }
}

#[test]
fn layers_come_from_tiles_and_from_the_recipe() {
    let _alone = alone();
    let recipe = recipe("(150, 97)", "fbm(), erode(), gullies()");
    let work = Work::new();
    for layers in [vec![], vec!["flow".to_owned()]] {
        let planned = Planned::new(&recipe, &NewPlan { tile: 64, layers, ..NewPlan::default() });
        planned.work();
        let land = open(planned.root().to_str().unwrap()).unwrap();
        let cache = Cache::default();
        for window in ["0:40,30,77x50", "-1:90,60,51x33", "2:1,1,20x15"] {
            let window = window.parse().unwrap();
            let found = land.build_window_layers(window, &["flow", "wear"], &cache, &work).unwrap();
            let expected = recipe.build_window_layers(window, &["flow", "wear"], &cache, &work).unwrap();
            for name in ["flow", "wear"] {
                assert_eq!(
                    bits(found.layer(name).unwrap()),
                    bits(expected.layer(name).unwrap()),
                    "{window} {name}"
                );
            }
            assert_eq!(bits(&found.heights), bits(&expected.heights));
        }
        let error =
            land.build_window_layers("0:0,0,9x9".parse().unwrap(), &["snow"], &cache, &work).unwrap_err();
        assert!(error.to_string().contains("`snow`") && error.to_string().contains("flow"), "{error}");
    }
}

/// A tile of a plan with the same height everywhere: the only way to tell that a tile is read.
fn flat_tile(planned: &Planned, number: u32, height: f32) -> Vec<u8> {
    let (plan, work) = (planned.worker.plan(), Work::new());
    let tile = plan.tile_at(number).unwrap();
    let [width, depth] = tile.samples.size.map(|side| side as usize);
    let heights = vec![height; width * depth];
    let metadata =
        [("UPLAND_PLAN", plan.hash.clone()), ("UNITTYPE", "m".into()), ("UPLAND_TILE", tile.name())];
    let metadata = metadata.map(|(name, text)| (name.to_owned(), text));
    // Where the tile lies, counted from the south-western corner as maps do.
    let whole = plan.window();
    let from_south =
        whole.first[1] + i64::from(whole.size[1]) - (tile.samples.first[1] + i64::from(tile.samples.size[1]));
    let first = [(tile.samples.first[0] - whole.first[0]) as f64, from_south as f64];
    let place = plan.place(planned.worker.recipe(), &work).unwrap().of_samples(first, [1.0; 2]);
    let (samples, place) = (CogSamples::Heights(&heights), Some(&place));
    encode(&CogImage { width, depth, samples, place, nodata: None, metadata: &metadata }, &work).unwrap()
}

#[test]
fn tiles_are_read_where_levels_are_samples_of_each_other_and_else_at_their_own() {
    let _alone = alone();
    for (steps, levels) in [("fbm()", &[0, 1, 2][..]), ("fbm(), gullies()", &[0])] {
        let recipe = recipe("(129, 129)", steps);
        let planned = Planned::new(&recipe, &NewPlan { tile: 64, ..NewPlan::default() });
        fs::create_dir_all(planned.root().join("heights")).unwrap();
        fs::write(planned.root().join("heights/x0001_y0000.tif"), flat_tile(&planned, 1, 4321.0)).unwrap();
        let land = open(planned.root().to_str().unwrap()).unwrap();
        for level in -1..=3 {
            let side = recipe.domain().unwrap().size_at(level).unwrap()[0] as u32;
            let whole = Window { level, first: [0, 0], size: [side; 2] };
            let found = heights(&land, whole, &Cache::new(0));
            let flat = found.heights().iter().filter(|height| **height == 4321.0).count();
            let expected = if levels.contains(&level) { (64usize >> level).pow(2) } else { 0 };
            assert_eq!(flat, expected, "{steps} at {level}");
        }
    }
}

#[test]
fn damaged_and_foreign_tiles_count_as_missing_with_one_note_each() {
    let _alone = alone();
    let recipe = recipe("(129, 129)", "fbm(), gullies()");
    let planned = Planned::new(&recipe, &NewPlan { tile: 64, ..NewPlan::default() });
    planned.work();
    let other = Planned::new(&recipe, &NewPlan { tile: 65, ..NewPlan::default() });
    other.work();
    let path = planned.root().join("heights/x0001_y0000.tif");
    let whole = fs::read(&path).unwrap();
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        ("nothing".into(), Vec::new()),
        ("text".into(), b"<html>not found</html>".to_vec()),
        ("another plan's".into(), fs::read(other.root().join("heights/x0001_y0000.tif")).unwrap()),
        ("another tile".into(), fs::read(planned.root().join("heights/x0000_y0001.tif")).unwrap()),
        ("a smaller tile".into(), fs::read(planned.root().join("heights/x0002_y0002.tif")).unwrap()),
        ("the beginning of a flat one".into(), flat_tile(&planned, 1, 1.0)[..700].to_vec()),
    ];
    for length in (1..whole.len()).step_by(whole.len() / 20) {
        cases.push((format!("{length} bytes"), whole[..length].to_vec()));
    }
    for at in (0..whole.len() - 4).step_by(193) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        cases.push((format!("byte {at} changed"), changed));
    }
    let cache = Cache::default();
    let windows = ["0:50,20,60x50", "0:0,0,129x129"].map(|window| window.parse::<Window>().unwrap());
    let mut noted = 0;
    for (what, bytes) in cases {
        fs::write(&path, &bytes).unwrap();
        let land = open(planned.root().to_str().unwrap()).unwrap();
        for window in windows {
            let found = heights(&land, window, &Cache::new(0));
            assert!(bits(&found) == bits(&heights(&recipe, window, &cache)), "{what}: {window}");
        }
        let notes = take_notes();
        assert!(notes.len() <= 1, "{what}: {notes:?}");
        // Neither the length before a block nor the repetition of its end are read.
        assert!(what.contains("changed") || notes.len() == 1, "{what} is not noticed");
        assert!(
            notes.iter().all(|note| note.contains("x0001_y0000.tif") && note.contains("--repair")),
            "{notes:?}"
        );
        noted += notes.len();
    }
    assert!(noted > 30, "{noted}");
}

#[test]
fn missing_tiles_are_drawn_coarse_without_gaps_or_seams() {
    let _alone = alone();
    let recipe = recipe("(385, 385)", "fbm(height: 300, octaves: 4), gullies()");
    let planned = Planned::new(&recipe, &NewPlan { tile: 64, ..NewPlan::default() });
    planned.work();
    fs::remove_file(planned.root().join("heights/x0001_y0001.tif")).unwrap();
    let mut land = open(planned.root().to_str().unwrap()).unwrap();
    land.set("steps.0.missing", "coarse").unwrap();
    assert_eq!(land.steps[0].operation_as::<PlannedStep>().unwrap().missing, MissingTiles::Coarse);
    let (cache, own) = (Cache::new(0), Cache::default());
    let whole = Window { level: 0, first: [0, 0], size: [385; 2] };
    let (found, expected) = (heights(&land, whole, &cache), heights(&recipe, whole, &own));
    let mut apart = 0.0f32;
    for (index, (found, expected)) in found.heights().iter().zip(expected.heights()).enumerate() {
        let is_missing = (64..128).contains(&(index % 385)) && (64..128).contains(&(index / 385));
        assert!(is_missing || found.to_bits() == expected.to_bits(), "sample {index}");
        apart = apart.max((found - expected).abs());
    }
    assert!((0.01..200.0).contains(&apart), "{apart} m");
    // A window of it, and finer and coarser ones, agree with it.
    let part = heights(&land, "0:70,70,50x40".parse().unwrap(), &cache);
    assert!((0..40).all(|row| part.row(row) == &found.row(70 + row)[70..120]));
    let finer = heights(&land, "-2:280,280,33x33".parse().unwrap(), &cache);
    assert_eq!(finer.at(4, 8), found.at(71, 72));
    let coarser = heights(&land, "1:0,0,193x193".parse().unwrap(), &cache);
    assert_eq!(coarser.at(10, 90), found.at(20, 180));
}

#[test]
fn land_over_the_web_is_read_by_ranges_and_kept() {
    let _alone = alone();
    LazyLock::force(&DISK);
    let recipe = recipe("(1200, 900)", "fbm(octaves: 3)");
    let planned = Planned::new(&recipe, &NewPlan { tile: 600, ..NewPlan::default() });
    planned.work();
    fs::remove_file(planned.root().join("heights/x0001_y0001.tif")).unwrap();
    let server = Server::start(planned.folder.path());
    let place = format!("{}/große Welt/plan.json", server.address());
    let land = open(&place).unwrap();
    let windows =
        ["0:100,100,200x100", "0:550,560,90x80", "1:0,0,600x450"].map(|window| window.parse().unwrap());
    let own = Cache::default();
    let same = |land: &Recipe| {
        for window in windows {
            let found = heights(land, window, &Cache::new(0));
            assert!(bits(&found) == bits(&heights(&recipe, window, &own)), "{window}");
        }
    };
    same(&land);
    let asked = server.take_asked();
    let tiles = asked.iter().filter(|path| path.ends_with(".tif")).count();
    assert!((3..=24).contains(&tiles), "{asked:?}");
    // What was read is on the disk now; only what is missing is asked for once more.
    same(&open(&place).unwrap());
    let asked = server.take_asked();
    assert!(
        asked.iter().all(|path| path.ends_with("plan.json") || path.ends_with("x0001_y0001.tif")),
        "{asked:?}"
    );
    server.refuse();
    let error = open(&place).unwrap_err().to_string();
    assert!(error.starts_with(&server.address()) && error.contains("refuses access"), "{error}");
    // A land that is open draws what it knows, and reports what it cannot read.
    heights(&land, windows[0], &Cache::new(0));
    fs::remove_dir_all(DISK.path().join("blocks")).unwrap();
    let far = land.build_window("0:0,700,50x50".parse().unwrap(), &Cache::new(0), &Work::new());
    assert!(far.unwrap_err().to_string().contains("/heights/x0000_y0001.tif"));
}

#[test]
fn a_server_that_is_busy_and_loses_connections_is_asked_again() {
    let _alone = alone();
    LazyLock::force(&DISK);
    let recipe = recipe("(300, 200)", "fbm(octaves: 3)");
    let planned = Planned::new(&recipe, &NewPlan { tile: 160, ..NewPlan::default() });
    planned.work();
    let server = Server::start(planned.folder.path());
    server.be_unreliable();
    let land = open(&format!("{}/große Welt/plan.json", server.address())).unwrap();
    let window = "0:100,100,150x80".parse().unwrap();
    let found = heights(&land, window, &Cache::new(0));
    assert!(bits(&found) == bits(&heights(&recipe, window, &Cache::default())));
    assert_eq!(take_notes(), [""; 0], "no tile counts as damaged");
    let asked = server.take_asked();
    assert!(asked.iter().filter(|path| path.ends_with(".tif")).count() > 8, "{asked:?}");
}

#[test]
fn recipes_name_plans_and_have_their_colours_at_other_sizes_too() {
    let _alone = alone();
    upland_world::register().unwrap();
    let recipe = recipe("(257, 193)", "fbm(height: 300, octaves: 3)");
    let planned = Planned::new(&recipe, &NewPlan { tile: 100, ..NewPlan::default() });
    planned.work();
    let land = open(planned.root().join("plan.json").to_str().unwrap()).unwrap();
    assert_eq!((&land.name, land.texture == recipe.texture), (&recipe.name, true));
    // It is a document like others.
    let read = Recipe::from_ron(&land.to_ron().unwrap(), "land.ron").unwrap();
    assert_eq!(read, land);
    let text = r#"(version: 1, name: "Own", size: (257, 193), cell: 20, steps: [
        planned(plan: "große Welt/plan.json"), scale(factor: 2)])"#;
    let mut own = Recipe::from_ron(text, "own.ron").unwrap();
    own.set_folder(planned.folder.path());
    let (whole, expected) =
        (own.build_heightfield(&Work::new()).unwrap(), recipe.build_heightfield(&Work::new()).unwrap());
    assert!(whole.heights().iter().zip(expected.heights()).all(|(own, planned)| *own == 2.0 * planned));
    // A small picture of it.
    let small = land.with_longer_side(65).build_heightfield(&Work::new()).unwrap();
    for (column, row) in [(0, 0), (10, 20), (64, 48)] {
        assert_eq!(small.at(column, row), expected.at(4 * column, 4 * row));
    }
    let odd = land.with_longer_side(100).build_heightfield(&Work::new()).unwrap();
    let (low, high) = expected.range();
    assert!(odd.heights().iter().all(|height| (low - 9.0..high + 9.0).contains(height)));
}

#[test]
fn what_is_no_plan_is_refused_with_what_would_do() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str| open(name).unwrap_err().to_string();
    let said = refused(folder.path().to_str().unwrap());
    assert!(said.contains("plan.json: does not exist; `upland plan"), "{said}");
    fs::write(folder.path().join("plan.json"), r#"{"upland_plan": 99, "program": "9.1.0"}"#).unwrap();
    let said = refused(folder.path().to_str().unwrap());
    assert!(said.contains("made by upland 9.1.0 (format 99)") && said.contains("plan again"), "{said}");
    let said = refused("ftp://host/plan.json");
    assert!(said.contains("s3://BUCKET"), "{said}");
    let said = refused("s3://KEY:secret-word@bucket/plan.json");
    assert!(said.contains("environment") && !said.contains("secret-word"), "{said}");
    let unnamed = r#"(version: 1, name: "Own", size: (9, 9), cell: 20, steps: [planned()])"#;
    let unnamed = Recipe::from_ron(unnamed, "own.ron").unwrap().build_heightfield(&Work::new());
    assert!(unnamed.unwrap_err().to_string().contains("names no plan; give"));
}
