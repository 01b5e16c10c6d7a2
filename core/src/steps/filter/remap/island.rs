//! Island falloff: lowers the land towards its border.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::params::{choice, params};
use crate::steps::number::{SMOOTHSTEP, brief};
use crate::steps::{Ground, Operation, Reach, step};

choice! {
    /// The shape of an island's coast.
    pub enum Outline {
        /// An ellipse that touches the four borders.
        Round = "round",
        /// The border itself, with rounded corners.
        Square = "square",
    }
}

params! {
    /// Lowers the land towards its border, so that it becomes an island. Steps after it may raise the border
    /// above the sea or drown the middle, so let it come after those that make land.
    pub struct Island {
        /// How far the border is lowered.
        pub depth: f32 = 1500.0, "m" in 0.0..=12000.0;
        /// Share of the way from the middle to the border within which nothing changes.
        pub inner: f32 = 0.45, "" in 0.0..=0.99;
        /// The shape of the coast.
        pub outline: Outline = Outline::Round;
    }
}

impl Operation for Island {
    step!("island", "Island falloff", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (region, grid) = (*ground.region(), ground.grid());
        work.stage("island", grid.depth);
        // Never called on endless land, which has no border.
        let sides = region.domain().size().unwrap_or([1; 2]);
        // In samples of level 0, so that windows of every level have the same outline.
        let level_0 = |index: i64| libm::ldexp(index as f64, region.level()) as f32;
        let from_middle = |index: i64, side: u32| match side {
            1 => 0.0,
            _ => 2.0 * level_0(index) / (side - 1) as f32 - 1.0,
        };
        ground.heights.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, heights)| {
            work.check()?;
            let z = from_middle(region.row(row), sides[1]);
            for (column, height) in heights.iter_mut().enumerate() {
                let x = from_middle(region.column(column), sides[0]);
                let way = match self.outline {
                    Outline::Round => (x * x + z * z).sqrt(),
                    // Two roots instead of a power: IEEE 754 defines how roots are rounded, so all machines
                    // give the same bits.
                    Outline::Square => ((x * x) * (x * x) + (z * z) * (z * z)).sqrt().sqrt(),
                };
                let t = ((way - self.inner) / (1.0 - self.inner)).clamp(0.0, 1.0);
                // `smoothstep` with another order of multiplication, which rounds differently: golden
                // hashes depend on it.
                *height -= self.depth * t * t * (3.0 - 2.0 * t);
            }
            work.advance(1);
            Ok(())
        })
    }

    fn formula(&self) -> Option<String> {
        let (depth, inner, rest) = (brief(self.depth), brief(self.inner), brief(1.0 - self.inner));
        let way = match self.outline {
            Outline::Round => "√(x² + z²)",
            Outline::Square => "(x⁴ + z⁴)^¼",
        };
        Some(format!(
            "h′ = h − {depth} · S((r − {inner}) / {rest}),  r = {way},  −1 ≤ x, z ≤ 1\n{SMOOTHSTEP}"
        ))
    }

    fn reach(&self, domain: Domain) -> Reach {
        if domain.is_endless() { Reach::Whole } else { Reach::Point }
    }
}
