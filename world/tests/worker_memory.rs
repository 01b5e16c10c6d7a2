//! The memory that a worker takes for a tile, which is measured alone in its process.

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use upland_core::{Recipe, Work};
use upland_world::{NewPlan, PassKind, Plan, Store, Worker};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;

/// A tile of 4096² heights has 64 MiB. Made at once it would take three times as much for its steps.
#[test]
fn a_tile_is_made_in_blocks_and_takes_little_more_than_its_heights_and_its_object() {
    let text =
        r#"(version: 1, name: "Land", size: (4096, 4096), cell: 20, steps: [fbm(octaves: 1), terrace()])"#;
    let recipe = Recipe::from_ron(text, "land.ron").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::folder(folder.path()));
    let new = NewPlan { tile: 4096, ..NewPlan::default() };
    assert!(new.draw(&recipe, &Work::new()).unwrap().write(&store).unwrap());
    let plan = Plan::read(&store).unwrap();
    let planned = plan.pass(PassKind::Heights).unwrap().memory as usize;
    let worker = Worker::open(store, plan, false, &Work::new()).unwrap();
    // Each thread packs a block of its own, about 2 MiB, and a worker gets its share of the cores.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let object = threads.install(|| worker.run(PassKind::Heights, 0, &Work::new())).unwrap() as usize;
    let peak = MEMORY.peak_usage() - before;
    let (heights, blocks) = (64 * MIB, 80 * MIB);
    assert!(peak > heights, "the heights alone take more than {} MiB", peak / MIB);
    // The object's vector may have grown to twice its length.
    let expected = heights + (2 * object).max(blocks);
    assert!(
        peak < expected && expected < planned,
        "{} MiB, of {} and {} planned",
        peak / MIB,
        expected / MIB,
        planned / MIB
    );
}
