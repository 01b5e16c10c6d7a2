//! A custom step: ripples of sand across the wind, in recipes, in `--set`, in the panel with sliders.
//!
//! `cargo run --release --example custom_step` shows it; `cargo run --release --example custom_step -- steps
//! ripples` lists its parameters, and all other commands of upland know it too.

use std::process::ExitCode;

use upland::steps::{Ground, Kind, Operation, Reach, register};
use upland::{Domain, Result, Work, params};

params! {
    /// Ripples of sand across the wind.
    pub struct Ripples {
        /// From trough to crest.
        pub height: f32 = 12.0, "m" in 0.0..=500.0;
        /// From crest to crest.
        pub length: f32 = 120.0, "m" in 1.0..=5000.0, log;
        /// Where the wind blows to, as a compass bearing.
        pub bearing: f32 = 60.0, "°" in 0.0..=360.0;
    }
}

impl Operation for Ripples {
    fn name(&self) -> &'static str {
        "ripples"
    }

    fn title(&self) -> &'static str {
        "Sand ripples"
    }

    fn kind(&self) -> Kind {
        Kind::Filter
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let region = *ground.region();
        let (east, north) = libm::sincos(f64::from(self.bearing).to_radians());
        for (row, heights) in ground.heights.heights_mut().chunks_mut(region.grid().width).enumerate() {
            work.check()?;
            for (column, height) in heights.iter_mut().enumerate() {
                let along = region.x_in_metres(column) * east - region.z_in_metres(row) * north;
                let wave = libm::sin(along / f64::from(self.length) * std::f64::consts::TAU);
                *height += self.height / 2.0 * wave as f32;
            }
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    register::<Ripples>().expect("no other step is called ripples");
    upland::cli::main()
}
