//! Terraces: quantises heights into steps.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::math::smoothstep::smoothstep;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::number::{SMOOTHSTEP, brief};
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Shapes the land into steps, like mesas or rice terraces.
    pub struct Terrace {
        /// Height of a step.
        pub step: f32 = 150.0, "m" in 0.1..=5000.0, log;
        /// 0 leaves the land as it is, 1 makes every step level with a vertical edge.
        pub sharpness: f32 = 0.6, "" in 0.0..=1.0;
    }
}

impl Operation for Terrace {
    step!("terrace", "Terraces", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let edge = self.edge();
        each_height(ground, "terraces", work, |height| {
            let steps = height / self.step;
            let floor = steps.floor();
            let smooth = smoothstep((steps - floor - edge) / (1.0 - edge));
            self.step * (floor + (steps - floor) + (smooth - (steps - floor)) * self.sharpness)
        })
    }

    fn formula(&self) -> Option<String> {
        if self.sharpness == 0.0 {
            return Some("h′ = h".to_owned());
        }
        let (step, sharpness, edge) = (brief(self.step), brief(self.sharpness), self.edge());
        let (begin, rest) = (brief(edge), brief(1.0 - edge));
        Some(format!(
            "h′ = {step} · (u + {sharpness} (S((f − {begin}) / {rest}) − f))\n\
             u = h / {step},  f = u − ⌊u⌋,  {SMOOTHSTEP}"
        ))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
}

impl Terrace {
    /// Within a step the profile is level up to this share of it, then rises smoothly.
    fn edge(&self) -> f32 {
        // Not 1, or the rise of a step would have no length and divide by 0.
        self.sharpness.min(0.999)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Heightfield};

    /// Of a step of 100 m, level up to the share `edge` and then a smooth rise, the height at a share.
    fn smooth_rise(share: f32, edge: f32) -> f32 {
        let rise = if share > edge { (share - edge) / (1.0 - edge) } else { 0.0 };
        100.0 * rise * rise * (3.0 - 2.0 * rise)
    }

    #[test]
    fn terraces_keep_the_order_of_heights_and_the_edges_of_steps() -> Result<()> {
        for sharpness in [0.0, 0.4, 1.0] {
            let mut ramp = Heightfield::from_fn(Grid::new(401, 1, 1.0)?, |column, _| column as f32 - 200.0);
            Terrace { step: 100.0, sharpness }.apply_to(&mut ramp, 0, &Work::new())?;
            assert!(ramp.heights().windows(2).all(|pair| pair[1] >= pair[0] - 1e-3), "{sharpness}");
            assert_eq!([ramp.at(0, 0), ramp.at(200, 0), ramp.at(300, 0)], [-200.0, 0.0, 100.0]);
            // How high the middle of a step lies: half up, and level when it is sharp.
            let middle = 50.0 * (1.0 - sharpness) + sharpness * smooth_rise(0.5, sharpness);
            for column in [50, 150, 250, 350] {
                let above = ramp.at(column, 0) - 100.0 * (column as f32 / 100.0).floor() + 200.0;
                assert!((above - middle).abs() < 1e-3, "{sharpness}: {above} instead of {middle}");
            }
        }
        Ok(())
    }
}
