//! Midpoint displacement of a line: halve every segment, displace its midpoint up or down at random, less
//! at every level.
//!
//! The midpoint of a segment becomes the mean of its ends plus a number uniform in (−d, d); after each
//! level d is multiplied by 2^(−H). A Hurst exponent H above 1 gives a smooth line, near 0 a rough one
//! (Fournier, Fussell and Carpenter 1982; the lecture on terrain).

use super::line::profile;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Heightfield, Region};
use crate::params::params;
use crate::steps::generate::{Generate, rows};
use crate::steps::number::{brief, counted};
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Midpoint displacement of a line: a jagged profile, extruded along a bearing into ridges and furrows.
    /// The same landscape at every resolution.
    pub struct Midpoint {
        /// Largest displacement d of the first midpoint, up or down; the ends are at 0.
        pub height: f32 = 800.0, "m" in 0.0..=12000.0;
        /// Hurst exponent H: after each level d is multiplied by 2^(−H). Near 0 is rough, above 1 smooth.
        /// Older recipes call it `roughness`.
        pub hurst: f32 = 0.9, "" in 0.0..=4.0, was roughness;
        /// Levels: the profile has 2^levels segments.
        pub levels: u32 = 10, "" in 0.0..=16.0;
        /// Compass bearing along which the ridges run.
        pub bearing: f32 = 30.0, "°" in 0.0..=360.0;
    }
}

impl Generate for Midpoint {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let levels = self.levels as usize;
        for level in 1..levels {
            work.frame("level", level, levels, || self.of_levels(level as u32, region, seed, work))?;
        }
        let field = self.of_levels(self.levels, region, seed, work)?;
        work.frame("level", levels, levels, || Ok(&field))?;
        Ok(field)
    }
}

impl Operation for Midpoint {
    step!("midpoint", "Midpoint displacement", Generator);

    fn formula(&self) -> Option<String> {
        if self.levels == 0 {
            return Some("h(x) = 0".to_owned());
        }
        let (d, hurst, levels) = (brief(self.height), brief(self.hurst), counted('k', self.levels));
        Some(format!(
            "h((a + b) / 2) = (h(a) + h(b)) / 2 + dₖ ξ,  ξ random from −1 to 1\n\
             dₖ = {d} · 2^(−{hurst} k),  {levels},  a profile across {}°",
            brief(self.bearing)
        ))
    }

    /// The line has two ends: beyond them, endless land would be level.
    fn reach(&self, domain: Domain) -> Reach {
        if domain.is_endless() { Reach::Whole } else { Reach::Point }
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

impl Midpoint {
    /// The land from a line of `levels` levels.
    fn of_levels(&self, levels: u32, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let profile = profile(levels, self.height, self.hurst, [0.0; 2], seed);
        let last = profile.len() - 1;
        // The profile lies across the bearing, at most from corner to corner of the land.
        let bearing = f64::from(self.bearing).to_radians();
        let (right_x, right_z) = (libm::cos(bearing), libm::sin(bearing));
        let [east, south] = region.domain().extent_in_units().unwrap_or([1.0; 2]);
        // Land of one sample has no diagonal; the smallest positive number keeps the division finite.
        let across = libm::sqrt(east * east + south * south).max(f64::MIN_POSITIVE);
        rows::fill(
            region,
            "midpoint displacement",
            work,
            || (),
            |(), row, heights| {
                let z = (region.z(row) - south / 2.0) * right_z;
                for (column, height) in heights.iter_mut().enumerate() {
                    let x = (region.x(column) - east / 2.0) * right_x;
                    // At the corners rounding may lead just past an end of the profile.
                    let place = ((x + z) / across + 0.5).clamp(0.0, 1.0) * last as f64;
                    // The last point ends the last segment and begins none.
                    let before = (place as usize).min(last.saturating_sub(1));
                    let along = (place - before as f64) as f32;
                    *height = profile[before] + (profile[before + 1] - profile[before]) * along;
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn ridges_run_along_their_bearing() -> Result<()> {
        let grid = Grid::new(65, 65, 1.0)?;
        let north = Midpoint { bearing: 0.0, ..Default::default() }.generate(grid, 4, &Work::new())?;
        assert!((0..65).all(|row| north.row(row) == north.row(0)));
        let (low, high) = north.range();
        assert!(high - low > 100.0, "{low} to {high}");
        let north_east = Midpoint { bearing: 45.0, ..Default::default() }.generate(grid, 4, &Work::new())?;
        for step in 0..60 {
            assert!((north_east.at(step, 60 - step) - north_east.at(30, 30)).abs() < 1.0);
        }
        Ok(())
    }
}
