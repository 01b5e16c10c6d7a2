//! What holds of the core as a whole, a folder for each kind of law. One program, so that what they share is
//! linked once; what counts memory is in the program `memory`.

mod building;
mod painting;
mod questions;
mod steps;
mod using;

/// How many cases a random test that takes long tries: `few`, or as many times more as `UPLAND_TEST_TIMES`
/// says, which `scripts/test all` sets.
fn cases(few: u32) -> u32 {
    let times = std::env::var("UPLAND_TEST_TIMES").ok().and_then(|times| times.parse().ok());
    few * times.unwrap_or(1)
}
