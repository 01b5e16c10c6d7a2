//! Strokes on recipes' land: the same bits wherever they are made, in steps, in tiles and on other machines;
//! and the ground's texture follows them.

use std::sync::Arc;

use upland_core::sculpt::{Sculpture, Stroke, Strokes, Tool};
use upland_core::stream::{
    Channels, LandTile, LandscapeSource, RecipeSource, SculptedSource, TILE_TEXELS, TileSource,
};
use upland_core::{Cache, Recipe, Window, Work};

/// A recipe of these steps, 129² samples or without end, 10 m apart.
fn recipe(size: &str, steps: &str) -> Recipe {
    let text = format!(
        r##"(version: 1, name: "Land", seed: 4, size: {size}, cell: 10, steps: [{steps}], texture: custom(types: [
                (name: "meadow", colour: "#00ff00", slope: (max: 20)),
                (name: "rock", colour: "#808080", slope: (min: 20)),
                (name: "sand", colour: "#ffff00", slope: (min: 89)),
            ]))"##
    );
    let mut recipe = Recipe::from_ron(&text, "land.ron").unwrap();
    recipe.set_folder(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
    recipe
}

const HILLS: &str = "tests/data/strokes/hills.strokes.ron";
const LAND: &str = "fbm(height: 200, frequency: 3, octaves: 6), gaussian(sigma: 1)";

fn hills() -> Strokes {
    Strokes::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(HILLS)).unwrap()
}

fn heights(recipe: &Recipe, window: &str) -> Vec<f32> {
    let window: Window = window.parse().unwrap();
    let ground = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap();
    ground.heights.heights().to_vec()
}

#[test]
fn all_of_the_land_windows_and_endless_land_have_the_same_strokes() {
    let step = format!(r#"strokes(file: "{HILLS}")"#);
    let with = recipe("(129, 129)", &format!("{LAND}, {step}"));
    let without = recipe("(129, 129)", LAND);
    let all = with.build_heightfield(&Work::new()).unwrap();
    assert!(all.heights() != without.build_heightfield(&Work::new()).unwrap().heights());
    for window in ["0:0,0,129x129", "0:20,10,30x40", "0:33,25,1x1"] {
        let part = heights(&with, window);
        let Window { first, size, .. } = window.parse().unwrap();
        for row in 0..size[1] as usize {
            let all = &all.row(first[1] as usize + row)[first[0] as usize..][..size[0] as usize];
            assert_eq!(&part[row * size[0] as usize..][..size[0] as usize], all, "{window}");
        }
    }
    // Steps after them see the new ground, and a muted step makes none.
    let muted = recipe("(129, 129)", &format!("{LAND}, strokes(file: \"{HILLS}\", on: false)"));
    assert_eq!(heights(&muted, "0:0,0,129x129"), heights(&without, "0:0,0,129x129"));
    let endless = recipe("endless", &format!("fbm(height: 200), {step}"));
    let [wide, part] = ["-1:0,0,120x100", "-1:50,30,20x20"].map(|window| heights(&endless, window));
    for row in 0..20 {
        assert_eq!(&part[row * 20..][..20], &wide[(30 + row) * 120 + 50..][..20]);
    }
    assert!(wide != heights(&recipe("endless", "fbm(height: 200)"), "-1:0,0,120x100"));
}

#[test]
fn what_a_game_sculpts_is_what_the_step_makes_of_the_saved_strokes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.strokes.ron");
    hills().write(&path).unwrap();
    for (size, land) in [("(129, 129)", LAND), ("endless", "fbm(height: 200)")] {
        let bare = recipe(size, land);
        let step = format!("{land}, strokes(file: {path:?})");
        let with = recipe(size, &step);
        let (cache, work, channels) = (Cache::default(), Work::new(), vec![vec![0], vec![1], vec![2]]);
        let source = RecipeSource::of(bare, &cache, 2.0, channels.clone(), None).unwrap();
        let sculpture = Sculpture::new(source.shape().domain(), &Strokes::read(&path).unwrap());
        let live = SculptedSource::new(Arc::new(source), Arc::new(sculpture));
        let saved = RecipeSource::of(with, &Cache::default(), 2.0, channels, None).unwrap();
        for (level, column, row) in [(0, 0, 0), (-1, 0, 0), (-2, 1, 0), (-2, 1, 1), (1, 0, 0)] {
            let tile = LandTile { level, column, row };
            let [live, saved] =
                [&live as &dyn TileSource, &saved].map(|source| source.make(tile, &work).unwrap());
            assert!(live.heights == saved.heights, "{size} {tile:?}");
            assert_eq!(live.strokes, hills().len());
        }
    }
}

#[test]
fn tiles_of_all_of_the_land_and_windows_are_sculpted_alike() {
    let recipe = recipe("(129, 129)", "fbm(height: 200, octaves: 7), ridged(height: 90, blend: add)");
    let (cache, work, channels) = (Cache::default(), Work::new(), vec![vec![0], vec![1], vec![2]]);
    let whole = RecipeSource::new(recipe.clone(), &cache, 2.5, channels.clone(), &work).unwrap();
    let windows = RecipeSource::of(recipe.clone(), &cache, 2.5, channels, None).unwrap();
    let landscape = Arc::new(recipe.build_with(&cache, &work).unwrap());
    let picture: Arc<dyn TileSource> =
        Arc::new(LandscapeSource::new(landscape, &Channels::default()).unwrap());
    let shape = whole.shape();
    let sources: [Arc<dyn TileSource>; 2] = [Arc::new(whole), Arc::new(windows)];
    let sculpted = |source: &Arc<dyn TileSource>, strokes: &Strokes| {
        SculptedSource::new(source.clone(), Arc::new(Sculpture::new(shape.domain(), strokes)))
    };
    let [whole, windows] = [&sources[0], &sources[1]].map(|source| sculpted(source, &hills()));
    // A finished landscape has no land between its samples that tools could look at.
    let by_place = hills().iter().filter(|stroke| !stroke.tool.looks_around()).cloned().collect();
    let by_place = Strokes::of(by_place).unwrap();
    let [simple, picture] = [&sources[0], &picture].map(|source| sculpted(source, &by_place));
    for level in -2..=shape.coarsest {
        for (column, row) in [(0, 0), (1, 0), (1, 1)] {
            let tile = LandTile { level, column, row };
            if !shape.has(tile) {
                continue;
            }
            let [a, b] = [&whole, &windows].map(|source| source.make(tile, &work).unwrap());
            assert!(a.heights == b.heights && a.facts == b.facts, "{tile:?}");
            if level >= 0 {
                let [a, b] = [&simple, &picture].map(|source| source.make(tile, &work).unwrap());
                assert!(a.heights == b.heights, "{tile:?}");
            }
        }
    }
}

/// The share of a channel at a place of the finest tile there.
fn share(source: &dyn TileSource, x: f64, z: f64, channel: usize) -> u8 {
    let ground = source.ground(glam::DVec2::new(x, z), &Work::new()).unwrap();
    ground.weights[channel]
}

#[test]
fn types_follow_the_new_slopes_and_paint_covers_them() {
    let recipe = recipe("(129, 129)", "flat(height: 100)");
    let (cache, work, channels) = (Cache::default(), Work::new(), vec![vec![0], vec![1], vec![2]]);
    let source = Arc::new(RecipeSource::new(recipe, &cache, 5.0, channels, &work).unwrap());
    let strokes = Strokes::of(vec![
        Stroke::at(Tool::Raise { by: 200.0 }, [600.0, 600.0], 150.0),
        Stroke::at(Tool::Paint { kind: "sand".into() }, [300.0, 900.0], 60.0).with_falloff(0.0),
        Stroke::at(Tool::Paint { kind: "nowhere".into() }, [900.0, 300.0], 60.0),
    ])
    .unwrap();
    let sculpture = Arc::new(Sculpture::new(source.shape().domain(), &strokes));
    let sculpted = SculptedSource::new(source.clone(), sculpture);
    for (place, channel) in
        [([600.0, 525.0], 1), ([300.0, 900.0], 2), ([900.0, 300.0], 0), ([100.0, 100.0], 0)]
    {
        let [x, z] = place;
        assert_eq!(share(&sculpted, x, z, channel), 255, "{place:?}");
        assert_eq!(share(&*source, x, z, 0), 255, "before all was meadow");
    }
    // As coarse tiles, whose colours are a picture's, have it.
    let tile = LandTile { level: 0, column: 0, row: 0 };
    let made = sculpted.make(tile, &work).unwrap();
    let colour = |x: usize, z: usize| made.texels.colours[(z / 10 + 4) * TILE_TEXELS + x / 10 + 4];
    assert_eq!(colour(300, 900)[..3], [255, 255, 0]);
    assert_eq!(colour(100, 100)[..3], [0, 255, 0]);
    assert!(colour(600, 525)[0] > 100 && colour(600, 525)[2] > 100, "{:?}", colour(600, 525));
}

#[test]
fn a_step_paints_types_in_whole_lands_windows_and_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("painted.strokes.ron");
    let paint = Stroke::at(Tool::Paint { kind: "sand".into() }, [640.0, 320.0], 100.0).with_falloff(0.0);
    Strokes::of(vec![paint]).unwrap().write(&path).unwrap();
    let recipe = recipe("(129, 129)", &format!("flat(height: 100), strokes(file: {path:?})"));
    let land = recipe.build(&Work::new()).unwrap();
    let at = |x: f64, z: f64| {
        let place = |metres: f64, side: usize| (metres / 1280.0 * side as f64) as usize;
        let colour = &land.colour;
        colour.texels[place(z, colour.depth) * colour.width + place(x, colour.width)]
    };
    assert_eq!(
        (at(640.0, 320.0)[..3].to_vec(), at(640.0, 900.0)[..3].to_vec()),
        (vec![255, 255, 0], vec![0, 255, 0])
    );
    let cover = land.cover.unwrap();
    let sand = |column: usize, row: usize| cover.weights.shares[(row * cover.weights.width + column) * 3 + 2];
    assert_eq!((sand(64, 32), sand(64, 90)), (255, 0));
    let window: Window = "-1:120,60,9x9".parse().unwrap();
    let ready = recipe.prepare_window(window, 1, false, &Cache::default(), &Work::new()).unwrap();
    let baked = ready.baker(true, &Work::new()).unwrap().paint(ready.texels(), &Work::new()).unwrap();
    assert!(baked.colour.texels.iter().all(|texel| texel[..3] == [255, 255, 0]));
    // New land takes the paint with it.
    let over = format!("flat(height: 100), strokes(file: {path:?}), flat(height: 90)");
    let over = self::recipe("(129, 129)", &over).build(&Work::new()).unwrap();
    assert!(over.colour.texels.iter().all(|texel| texel[..3] == [0, 255, 0]));
}

#[test]
fn a_file_of_strokes_is_remembered_until_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.strokes.ron");
    let write = |by: f32| {
        let raise = Stroke::at(Tool::Raise { by }, [0.0, 0.0], 50.0);
        Strokes::of(vec![raise]).unwrap().write(&path).unwrap();
    };
    write(7.0);
    let recipe = recipe("(65, 65)", &format!("flat(height: 1), strokes(file: {path:?})"));
    let cache = Cache::default();
    let corner = |recipe: &Recipe| recipe.build_with(&cache, &Work::new()).unwrap().heightfield.at(0, 0);
    assert_eq!(corner(&recipe), 8.0);
    write(12.25);
    assert_eq!(corner(&recipe), 13.25);
    std::fs::remove_file(&path).unwrap();
    let error = recipe.build_with(&cache, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("mine.strokes.ron") && error.contains("no such file"), "{error}");
    std::fs::write(&path, "(version: 1, strokes: [(tool: raise(by: 4), path: [], radius: 5)])").unwrap();
    let error = recipe.build_with(&cache, &Work::new()).unwrap_err().to_string();
    assert!(error.contains("strokes.1.path: has 0 points"), "{error}");
    let unnamed = self::recipe("(65, 65)", "strokes()").build(&Work::new()).unwrap_err().to_string();
    assert!(unnamed.contains("steps.0 (strokes): file: names no file"), "{unnamed}");
}

#[test]
fn a_recipe_from_memory_holds_its_strokes() {
    let text =
        r#"(version: 1, name: "Held", size: (9, 9), cell: 10, steps: [strokes(file: "a.strokes.ron")])"#;
    let mut recipe = Recipe::from_ron(text, "held.ron").unwrap();
    let strokes = "(version: 1, strokes: [(tool: raise(by: 4), path: [(0, 0)], radius: 5)])";
    recipe.hold_files(|path| path.ends_with("a.strokes.ron").then(|| Ok(strokes.as_bytes().into())));
    assert_eq!(recipe.build_heightfield(&Work::new()).unwrap().at(0, 0), 4.0);
}

#[test]
fn paint_of_a_type_that_the_texture_does_not_have_is_noted() {
    let notes = |kind: &str| {
        let mut land = recipe("(33, 33)", "flat()").preview(33);
        let paint = Stroke::at(Tool::Paint { kind: kind.into() }, [100.0, 100.0], 50.0);
        land.set_strokes(&Strokes::of(vec![paint]).unwrap(), std::path::Path::new(""));
        land.build(&Work::new()).unwrap().notes.join("; ")
    };
    assert!(!notes("rock").contains("strokes paint"));
    assert!(notes("lava").contains("strokes paint lava") && notes("lava").contains("meadow, rock, sand"));
}
