//! Shade: how much of a day's direct sunlight the ground misses.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, normal_from_gradient};
use crate::sky::sun::Sun;

use super::layer::Layer;
use super::shadow::sun_view;

/// The latitude whose sun is followed, degrees north.
pub const LATITUDE: f32 = 45.0;

/// The sun's declination in degrees: 0, that of an equinox.
pub const DECLINATION: f32 = 0.0;

/// Hours from one position of the sun to the next.
const STEP: f32 = 1.0;

/// The share of a day's direct sunlight that the ground misses, compared with level ground under an open sky.
pub(super) fn shade(field: &Heightfield, work: &Work) -> Result<Layer> {
    let grid = field.grid();
    let suns = day();
    let mut light_of_day = vec![0.0f32; grid.count()];
    for sun in &suns {
        let to_sun = sun.direction();
        let seen = sun_view(field, *sun, work)?;
        let rows = light_of_day.par_chunks_mut(grid.width).enumerate();
        rows.try_for_each(|(row, day)| {
            work.check()?;
            for (column, day) in day.iter_mut().enumerate() {
                let normal = normal_from_gradient(field.gradient_at(column, row));
                *day += normal.dot(to_sun).max(0.0) * seen.at(column, row);
            }
            Ok::<_, crate::Error>(())
        })?;
    }
    let open: f32 = suns.iter().map(|sun| sun.direction().y).sum();
    work.stage("shade", grid.depth);
    Layer::from_rows(grid, work, |row, values| {
        for (value, light) in values.iter_mut().zip(&light_of_day[row * grid.width..]) {
            *value = 1.0 - light / open;
        }
        Ok(())
    })
}

/// Where the sun stands from sunrise to sunset, [`STEP`] by step.
fn day() -> Vec<Sun> {
    let (latitude, declination) = (LATITUDE.to_radians(), DECLINATION.to_radians());
    let hours = (0..).map(|index| (index as f32 + 0.5) * STEP - 12.0).take_while(|hour| *hour < 12.0);
    let suns = hours.map(|hour| {
        // The hour angle; then the direction of the sun towards east, north and up.
        let angle = (15.0 * hour).to_radians();
        let level = libm::cosf(declination);
        let east = -level * libm::sinf(angle);
        let north =
            libm::sinf(declination) * libm::cosf(latitude) - level * libm::cosf(angle) * libm::sinf(latitude);
        let up =
            libm::sinf(declination) * libm::sinf(latitude) + level * libm::cosf(angle) * libm::cosf(latitude);
        Sun {
            bearing: libm::atan2f(east, north).to_degrees().rem_euclid(360.0),
            elevation: libm::asinf(up.clamp(-1.0, 1.0)).to_degrees(),
        }
    });
    suns.filter(|sun| sun.elevation > 0.0).collect()
}
