//! Shade: how much of a day's direct sunlight the ground misses.

use rayon::prelude::*;

use super::factor::{Factor, FactorReach};
use crate::analysis::land::Land;
use crate::analysis::shade_day::ShadeDay;
use crate::analysis::shadow::sun_view;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::normal_from_gradient;
use crate::sky::sun::{SolarTime, Sun};

/// The share of a day's direct sunlight that the ground misses, compared with level ground under an open
/// sky: by turning away, and by lying in the shadow of other ground. At 45° north at an equinox, unless
/// another [`ShadeDay`] is given; 0 on slopes that get more than level ground.
pub static SHADE: Factor = Factor {
    reach: FactorReach::FAR,
    bytes_a_sample: 8,
    depends_on_water: false,
    depends_on_day: true,
    ..Factor::new("shade", "Share of a day's sun that the ground misses: 0 in full sun to 1.", measure)
};

/// Hours from one position of the sun to the next.
const STEP: f32 = 1.0;

/// The share of a day's direct sunlight that the ground misses, compared with level ground under an open sky.
/// Where the sun does not rise on that day, all of it.
fn measure(Land { field, .. }: Land, day: ShadeDay, work: &Work) -> Result<ShareMap> {
    let grid = field.grid();
    let suns = suns_of(day);
    let mut light_of_day = vec![0.0f32; grid.count()];
    for sun in &suns {
        let to_sun = sun.direction();
        let seen = sun_view(field, *sun, work)?;
        let rows = light_of_day.par_chunks_mut(grid.width).enumerate();
        rows.try_for_each(|(row, day)| {
            work.check()?;
            for (column, day) in day.iter_mut().enumerate() {
                let normal = normal_from_gradient(field.gradient_at(column, row));
                // Lambert's cosine for the direct light, and nothing for ground that faces away.
                *day += normal.dot(to_sun).max(0.0) * seen.at(column, row);
            }
            Ok::<_, crate::Error>(())
        })?;
    }
    let open: f32 = suns.iter().map(|sun| sun.direction().y).sum();
    work.stage("shade", grid.depth);
    ShareMap::from_rows(grid, work, |row, values| {
        for (value, light) in values.iter_mut().zip(&light_of_day[row * grid.width..]) {
            *value = if open > 0.0 { 1.0 - light / open } else { 1.0 };
        }
        Ok(())
    })
}

/// Where the sun stands from sunrise to sunset, [`STEP`] by step.
fn suns_of(ShadeDay { latitude, day }: ShadeDay) -> Vec<Sun> {
    // The middle of each step, so that sums approximate the integral over the day best.
    let hours = (0..).map(|index| (index as f32 + 0.5) * STEP).take_while(|hour| *hour < 24.0);
    let suns = hours.map(|hour| SolarTime { latitude, day, hour }.sun());
    suns.filter(|sun| sun.elevation > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Heightfield};

    /// The shade of a ramp that falls by 30° to the north (1) or to the south (-1).
    fn of_ramp(towards: f32, latitude: f32, day: u32) -> f32 {
        let fall = towards * 10.0 * libm::tanf(30.0f32.to_radians());
        let ramp = Heightfield::from_fn(Grid::new(3, 9, 10.0).unwrap(), |_, row| fall * row as f32);
        measure(Land::dry(&ramp), ShadeDay { latitude, day }, &Work::new()).unwrap().at(1, 4)
    }

    #[test]
    fn the_shady_side_is_that_away_from_the_equator() {
        for (latitude, shady) in [(50.0, 1.0), (-50.0, -1.0)] {
            assert!(of_ramp(shady, latitude, 81) > 0.5 && of_ramp(-shady, latitude, 81) == 0.0, "{latitude}");
        }
        // In summer the sun is high: a northern slope misses less of it than in winter.
        assert!(of_ramp(1.0, 50.0, 172) < 0.3 && of_ramp(1.0, 50.0, 355) == 1.0);
    }

    #[test]
    fn on_a_day_without_sunrise_all_is_shade() {
        assert_eq!(of_ramp(1.0, 80.0, 355), 1.0);
        assert_eq!(of_ramp(-1.0, 80.0, 355), 1.0);
    }
}
