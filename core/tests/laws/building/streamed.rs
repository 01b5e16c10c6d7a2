//! Tiles of a land that are made one after the other, or several at a time, with one cache: each is as if it
//! were the only one.

use rayon::prelude::*;
use upland_core::grid::Window;
use upland_core::texture::Baked;
use upland_core::{Cache, Heightfield, Preset, Recipe, Work};

/// Endless land whose terrain types ask for everything that depends on distant land.
const EVERYTHING: &str = r##"(
    version: 1, name: "Everything", seed: 5, size: endless, cell: 20, unit: 8000, water: (sea: true),
    steps: [
        fbm(height: 700, octaves: 5), paint(layer: "hardness", value: 0.4, mask: height, mask_min: 0, mask_release: 200),
        warp(reach: 0.03), gullies(size: 300, depth: 40, octaves: 3),
    ],
    texture: custom(
        light: (bearing: 300, elevation: 25),
        types: [
            (name: "ground", colour: "#6b6350"),
            (name: "wet", colour: "#3d5a30", factors: (wetness: (min: 0.4, release: 0.3))),
            (name: "shady", colour: "#2b3b27", factors: (shade: (min: 0.3, release: 0.3), moisture: (min: 0.2, release: 0.3))),
            (name: "hard", colour: "#7f786c", factors: (layer: (name: "hardness", min: 0.2, release: 0.3))),
            (name: "hollow", colour: "#35423c", factors: (concavity: (min: 0.3, release: 0.2), temperature: (max: 0.6))),
        ],
    ),
)"##;

/// A small tile, as few samples as have neighbours in other blocks.
fn tile(level: i32, column: i64, row: i64) -> Window {
    Window { level, first: [32 * column - 4, 32 * row - 4], size: [41; 2] }
}

fn everything() -> Recipe {
    Recipe::from_ron(EVERYTHING, "everything.ron").unwrap()
}

fn highlands() -> Recipe {
    Preset::find("endless-highlands").unwrap().recipe().unwrap()
}

/// What is made of a tile: heights, colours and shares.
fn made(recipe: &Recipe, tile: Window, cache: &Cache) -> (Heightfield, Baked) {
    let work = Work::new();
    let heights = recipe.build_window(tile, cache, &work).unwrap().heights;
    let ready = recipe.prepare_window(tile, 1, true, cache, &work).unwrap();
    let painted = ready.baker(true, &work).unwrap().paint(ready.texels(), &work).unwrap();
    (heights, painted)
}

/// Asserts that two ways to a tile lead to the same bits.
fn same(one: &(Heightfield, Baked), other: &(Heightfield, Baked), what: &str) {
    let bits =
        |field: &Heightfield| field.heights().iter().map(|height| height.to_bits()).collect::<Vec<_>>();
    assert!(bits(&one.0) == bits(&other.0), "heights: {what}");
    assert!(one.1.colour == other.1.colour, "colours: {what}");
    assert!(one.1.weights == other.1.weights, "shares: {what}");
}

/// Whether anything was looked at that surrounds the land, since the last time.
fn looked_around(work: &Work) -> bool {
    work.finish().iter().any(|stage| ["light", "shadows"].contains(&stage.name.as_str()))
}

#[test]
fn a_tile_is_the_same_whatever_was_made_before_it() {
    for recipe in [everything(), highlands()] {
        for level in [-5, 0, 4] {
            let cache = Cache::default();
            // Across the border of blocks, which lie 256 samples apart.
            let tiles: Vec<_> = (6..10).map(|column| tile(level, column, 7)).collect();
            let one_by_one: Vec<_> = tiles.iter().map(|tile| made(&recipe, *tile, &cache)).collect();
            for (tile, one) in tiles.iter().zip(&one_by_one).rev().step_by(2) {
                let what = format!("{}, {tile}", recipe.name);
                same(one, &made(&recipe, *tile, &cache), &what);
                same(one, &made(&recipe, *tile, &Cache::new(0)), &what);
            }
        }
    }
}

#[test]
fn what_a_small_cache_has_dropped_is_made_again_and_is_the_same() {
    let recipe = highlands();
    // Room for a block, and not for two.
    let (small, large) = (Cache::new(100_000), Cache::default());
    for column in [3, 11, 3, 11] {
        let tile = tile(0, column, 3);
        same(&made(&recipe, tile, &small), &made(&recipe, tile, &large), &tile.to_string());
        assert!(small.bytes() <= 100_000, "{}", small.bytes());
    }
}

#[test]
fn tiles_made_at_once_are_the_same_on_any_number_of_threads() {
    let recipe = everything();
    let tiles: Vec<_> = (0..8).map(|number| tile(0, 6 + number % 4, 7 + number / 4)).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let cache = Cache::default();
        let all = || tiles.par_iter().map(|tile| made(&recipe, *tile, &cache)).collect::<Vec<_>>();
        pool.install(all)
    };
    let one = on(1);
    for threads in [2, 32] {
        for ((tile, one), other) in tiles.iter().zip(&one).zip(on(threads)) {
            same(one, &other, &format!("{tile} on {threads} threads"));
        }
    }
}

#[test]
fn the_second_tile_looks_at_nothing_that_the_first_one_has_seen() {
    let bounded = Preset::find("high-range").unwrap().recipe().unwrap().with_longer_side(129);
    for recipe in [everything(), highlands(), bounded] {
        let (cache, work) = (Cache::default(), Work::new());
        let prepare = |recipe: &Recipe, column| {
            recipe.prepare_window(tile(-1, column, 2), 1, false, &cache, &work).unwrap();
            looked_around(&work)
        };
        assert!(prepare(&recipe, 1) && !prepare(&recipe, 2), "{}", recipe.name);
        // Colours have nothing to do with what lies around, shadows have.
        let mut other = recipe.clone();
        other.texture = other.texture.with(&|texture| texture.types[0].colour = Some([0.2; 3]));
        assert!(!prepare(&other, 2), "{}", recipe.name);
        other.texture = other.texture.with(&|texture| {
            texture.light = Some(upland_core::texture::Light { elevation: 11.0, ..Default::default() });
        });
        assert!(prepare(&other, 2), "{}", recipe.name);
        other.seed += 1;
        assert!(prepare(&other, 2), "{}", recipe.name);
    }
}

/// Materials of every size of texel, and several blocks, within the cache's budget.
#[test]
fn what_is_kept_of_tiles_stays_within_the_budget() {
    let recipe = Preset::find("dune-sea").unwrap().recipe().unwrap().with_longer_side(129);
    let cache = Cache::new(3 << 20);
    for level in [-4, -2, 0, -3, -4] {
        let fresh = made(&recipe, tile(level, 1, 2), &Cache::default());
        same(&made(&recipe, tile(level, 1, 2), &cache), &fresh, &level.to_string());
        assert!(cache.bytes() <= 3 << 20, "{}", cache.bytes());
    }
}
