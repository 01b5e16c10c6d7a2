//! What holds of the core as a whole, a module for each part of it. One program, so that what they share is
//! linked once; what counts memory is in the program `memory`.

mod agents;
mod baking;
mod cache;
mod cancel;
mod earthworks;
mod extremes;
mod factors;
mod filters;
mod frames;
mod generators;
mod golden;
mod holes;
mod layers;
mod lessons;
mod mesh;
mod mesh_files;
mod mistakes;
mod painted;
mod parameters;
mod plants;
mod plots;
mod questions;
mod read_back;
mod recipe;
mod rivers;
mod scatter;
mod sculpt;
mod sets;
mod spectrum;
mod streamed;
mod texture;
mod threads;
mod tiles;
mod viewshed;
mod water;
mod windows;

/// How many cases a random test that takes long tries: `few`, or as many times more as `UPLAND_TEST_TIMES`
/// says, which `scripts/test all` sets.
fn cases(few: u32) -> u32 {
    let times = std::env::var("UPLAND_TEST_TIMES").ok().and_then(|times| times.parse().ok());
    few * times.unwrap_or(1)
}
