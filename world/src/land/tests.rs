//! Lands in a store that is not a folder, with blocks on this machine's disk.

use std::sync::{Arc, LazyLock};

use tempfile::TempDir;
use upland_core::{Cache, Recipe, Window, Work};

use super::open_land::OpenLand;
use super::step::MissingTiles;
use super::*;
use crate::{NewPlan, PassKind, Plan, Store, Worker};

/// Blocks of all tests; never those of the user.
static DISK: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    set_disk_cache(DiskCacheSettings { folder: folder.path().join("blocks"), most_bytes: 1 << 30 });
    folder
});

fn recipe(size: &str, steps: &str) -> Recipe {
    let text = format!(r#"(version: 1, name: "Land", seed: 3, size: {size}, cell: 20, steps: [{steps}])"#);
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// A plan in a store in memory, with all tiles.
fn planned(recipe: &Recipe, new: &NewPlan) -> Store {
    LazyLock::force(&DISK);
    let store = Store::in_memory();
    assert!(new.draw(recipe, &Work::new()).unwrap().write(&store).unwrap());
    let worker =
        Worker::open(Arc::new(store.twin()), Plan::read(&store).unwrap(), false, &Work::new()).unwrap();
    let plan = worker.plan().clone();
    for pass in plan.passes.iter().filter(|pass| pass.kind != PassKind::Index) {
        let count = if pass.kind == PassKind::Base { 1 } else { plan.tile_count() };
        (0..count).for_each(|tile| _ = worker.run(pass.kind, tile, &Work::new()).unwrap());
    }
    store
}

fn same(land: &OpenLand, recipe: &Recipe, window: &str) {
    let window: Window = window.parse().unwrap();
    let region = recipe.domain().unwrap().region(window).unwrap();
    let found = land.fill(&region, &[], MissingTiles::Make, &Work::new()).unwrap();
    let expected = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights;
    assert!(
        found[0].heights().iter().zip(expected.heights()).all(|(a, b)| a.to_bits() == b.to_bits()),
        "{window}"
    );
}

#[test]
fn land_of_a_store_is_read_once_and_then_from_the_disk() {
    let recipe = recipe("(300, 200)", "fbm(), erode(), gullies()");
    let store = planned(&recipe, &NewPlan { tile: 128, ..NewPlan::default() });
    let all = ["0:0,0,300x200", "-1:200,100,90x61", "1:3,4,40x50"];
    let land = OpenLand::of(store.twin()).unwrap();
    all.iter().for_each(|window| same(&land, &recipe, window));
    // The store loses its tiles and pieces of the base; only the lists stay.
    for object in store.list("").unwrap() {
        if !object.key.ends_with(".json") {
            store.remove(&object.key).unwrap();
        }
    }
    let again = OpenLand::of(store.twin()).unwrap();
    all.iter().for_each(|window| same(&again, &recipe, window));
    assert_eq!(again.tiles.read_count(), 6, "tiles come from the disk");
}

#[test]
fn many_threads_read_one_land() {
    let recipe = recipe("(700, 600)", "fbm(octaves: 3)");
    let store = planned(&recipe, &NewPlan { tile: 600, ..NewPlan::default() });
    let land = OpenLand::of(store).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (land, recipe) = (&land, &recipe);
            scope.spawn(move || {
                for window in ["0:0,0,700x600", "0:500,490,150x70", "1:20,30,300x200", "2:0,0,175x150"] {
                    same(land, recipe, window);
                }
                assert_eq!(land.tiles.read_count(), 2, "thread {thread}");
            });
        }
    });
}
