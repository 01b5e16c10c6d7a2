//! Land of plans in a game.
use std::sync::Arc;

use crate::scene::*;
use upland::plugin::{Terrain, TerrainGround};
use upland::world::{NewPlan, PassKind, Plan, Store, Worker};
use upland::{Cache, Recipe, Work};

/// With half of its tiles made, and one of these damaged.
#[test]
fn a_terrain_of_a_plan_has_the_recipes_heights() {
    let text = r#"(version: 1, name: "Downs", seed: 2, size: (129, 97), cell: 20, water: (sea: true),
        steps: [fbm(height: 300), terrace()], texture: arid)"#;
    let recipe = Recipe::from_ron(text, "downs.ron").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::folder(folder.path()));
    let plan = NewPlan { tile: 64, ..NewPlan::default() }.draw(&recipe, &Work::new()).unwrap();
    assert!(plan.write(&store).unwrap());
    let worker = Worker::open(store.clone(), Plan::read(&store).unwrap(), false, &Work::new()).unwrap();
    for tile in 0..3 {
        worker.run(PassKind::Heights, tile, &Work::new()).unwrap();
    }
    let damaged = folder.path().join("heights/x0001_y0000.tif");
    let mut bytes = std::fs::read(&damaged).unwrap();
    let end = bytes.len() - 50;
    bytes[end] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();

    let planned = upland::world::open(folder.path().to_str().unwrap()).unwrap();
    let mut headless = stage(16, 16);
    let terrain = headless.app_mut().world_mut().spawn(Terrain::from(planned)).id();
    headless.settle(TIME_LIMIT).unwrap();
    let ground = headless.app().world().get::<TerrainGround>(terrain).expect("it is ready");
    let own = recipe.build_layers(&[], &Cache::default(), &Work::new()).unwrap().heights;
    let bits = |heights: &[f32]| heights.iter().map(|height| height.to_bits()).collect::<Vec<_>>();
    assert!(bits(ground.landscape.heightfield.heights()) == bits(own.heights()));
    assert_eq!(ground.landscape.sea_level, recipe.sea_level());
    let notes = upland::world::take_notes();
    assert!(notes.iter().any(|note| note.contains("x0001_y0000.tif")), "{notes:?}");
}
