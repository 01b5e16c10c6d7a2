//! Profiles: the heights along a line over a land, and those of a line that was made as one.

use glam::Vec2;

use super::par_rows::check_finite;
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// The heights of a land along the straight line between two places, given in metres east (x) and south (y)
/// of its north-west corner: bilinear between samples, at even steps of at most one cell. It notes what
/// [`line_profile`] does.
///
/// ```
/// # use upland_core as upland;
/// use glam::vec2;
/// let grid = upland::Grid::new(9, 9, 10.0)?;
/// let ramp = upland::Heightfield::from_fn(grid, |column, _| column as f32);
/// let plot = upland::plots::profile(&ramp, [vec2(0.0, 40.0), vec2(20.0, 40.0)], &upland::Work::new())?;
/// assert_eq!(plot.series[0].points, [[0.0, 0.0], [10.0, 1.0], [20.0, 2.0]]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a place lies outside the land, both are the same, or a height is not finite; [`Error::Cancelled`].
pub fn profile(field: &Heightfield, [from, to]: [Vec2; 2], work: &Work) -> Result<Plot> {
    let (grid, extent) = (field.grid(), field.grid().extent());
    for (name, place) in [("from", from), ("to", to)] {
        if !(place.cmpge(Vec2::ZERO).all() && place.cmple(extent).all()) {
            let reason = format!(
                "({}, {}) lies outside the land, which reaches {} m east and {} m south of its north-west corner",
                place.x, place.y, extent.x, extent.y
            );
            return Err(Error::parameter(name, reason));
        }
    }
    if from == to {
        return Err(Error::parameter("to", "both ends of the profile are one place; give another"));
    }
    check_finite(field, work)?;
    let (start, way) = (from.as_dvec2(), to.as_dvec2() - from.as_dvec2());
    // Not one step more because a length was rounded.
    let steps = ((way.length() / f64::from(grid.cell) - 1e-6).ceil() as usize).max(1);
    let heights: Vec<f32> = (0..=steps)
        .map(|step| field.sample((start + way * (step as f64 / steps as f64)).as_vec2()))
        .collect();
    line_profile(&heights, way.length())
}

/// Heights in metres at even distances along a line `length` metres long, such as those of
/// [`generate::profile`](crate::generate::profile).
///
/// It notes the length, the lowest and the highest height, how much the line rises and falls in all, and its
/// steepest slope.
///
/// ```
/// # use upland_core as upland;
/// let plot = upland::plots::line_profile(&[0.0, 30.0, 10.0], 40.0)?;
/// assert_eq!(["climb", "descent"].map(|name| plot.value(name)), [Some(30.0), Some(20.0)]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// With fewer than two heights, one that is not finite, or a length that is not above 0.
pub fn line_profile(heights: &[f32], length: f64) -> Result<Plot> {
    if heights.len() < 2 {
        let reason = format!("a profile of {} has no length; give 2 or more", heights.len());
        return Err(Error::parameter("heights", reason));
    }
    if !heights.iter().all(|height| height.is_finite()) {
        return Err(Error::parameter("heights", "one is not a number of metres; give finite heights"));
    }
    if !(length.is_finite() && length > 0.0) {
        return Err(Error::parameter("length", format!("{length} is not a length; give metres above 0")));
    }
    let step = length / (heights.len() - 1) as f64;
    let rises = || heights.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0]));
    let points = heights.iter().enumerate().map(|(index, &height)| [step * index as f64, f64::from(height)]);
    let range =
        heights.iter().fold([f32::MAX, f32::MIN], |[low, high], &height| [low.min(height), high.max(height)]);

    let distance = Axis::new("distance", "m", Scale::Linear);
    let mut plot = Plot::new("Profile", distance, Axis::new("height", "m", Scale::Linear));
    plot.add("profile", SeriesKind::Line, points.collect());
    plot.note("length", length, "m");
    plot.note("lowest", f64::from(range[0]), "m");
    plot.note("highest", f64::from(range[1]), "m");
    plot.note("climb", rises().filter(|rise| *rise > 0.0).sum::<f64>(), "m");
    // Not −0 where there is none.
    plot.note("descent", rises().filter(|rise| *rise < 0.0).fold(0.0, |sum, rise| sum - rise), "m");
    let steepest = rises().fold(0.0, |most: f64, rise| most.max(rise.abs())) / step;
    plot.note("steepest", libm::atan(steepest).to_degrees(), "°");
    Ok(plot)
}
