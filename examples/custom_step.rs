//! A custom step: regular waves in the ground, in recipes, in `--set`, and in the panel with sliders.
//!
//! `cargo run --release --example custom_step` shows it; `cargo run --release --example custom_step -- steps
//! waves` lists its parameters, and all other commands of upland know it, too.

use std::process::ExitCode;

use upland::steps::{Ground, Kind, Operation, Reach, register};
use upland::{Domain, Result, Work, params};

params! {
    /// Waves in the ground, all alike.
    pub struct Waves {
        /// From trough to crest.
        pub height: f32 = 12.0, "m" in 0.0..=500.0;
        /// From crest to crest.
        pub length: f32 = 120.0, "m" in 1.0..=5000.0, log;
        /// Where they run to, as a compass bearing.
        pub bearing: f32 = 60.0, "°" in 0.0..=360.0;
    }
}

impl Operation for Waves {
    fn name(&self) -> &'static str {
        "waves"
    }

    fn title(&self) -> &'static str {
        "Waves"
    }

    fn kind(&self) -> Kind {
        Kind::Filter
    }

    // Where only the sample itself is needed, tiles of endless land can be made one by one.
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        // `libm`, so that the same recipe makes the same bits on every system.
        let (east, north) = libm::sincos(f64::from(self.bearing).to_radians());
        for (row, heights) in ground.heights.heights_mut().chunks_mut(region.grid().width).enumerate() {
            // Often, so that a build can be cancelled.
            work.check()?;
            for (column, height) in heights.iter_mut().enumerate() {
                // In metres of the land and not in samples: at finer levels the waves are the same.
                let along = region.x_in_metres(column) * east - region.z_in_metres(row) * north;
                let wave = libm::sin(along / f64::from(self.length) * std::f64::consts::TAU);
                *height += self.height / 2.0 * wave as f32;
            }
        }
        Ok(())
    }
}

pub(crate) fn main() -> ExitCode {
    register::<Waves>().expect("no other step is called waves");
    upland::cli::main()
}
