//! The slope–area plot: how steep the ground is over the area that drains through it.
//!
//! After Flint, "Stream gradient as a function of order, magnitude, and discharge" (1974): along rivers S =
//! k·A^−θ. Where stream power and uplift are in balance the concavity θ is the ratio m/n of the exponents of
//! area and slope.

use super::fit::power_law;
use super::par_rows::{check_finite, map_rows, without_relief};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::quantile::quantile;
use super::thinned::thinned;
use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules};
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Bins of areas for each factor of ten.
const BINS_A_DECADE: f64 = 6.0;
/// A bin with fewer samples is left out.
const FEWEST: usize = 10;
/// Samples that drain through the least of what is fitted: below are hillslopes. The first of which enough
/// bins are left.
const RIVERS_FROM: [f64; 2] = [1000.0, 100.0];
/// Bins that a line needs.
const FEWEST_BINS: usize = 4;

/// The median slope (metres per metre) of the ground over its drainage area (km²), in six bins for each
/// factor of ten, with quartiles. Water runs to the steepest of the eight neighbours, over the border or into
/// the sea, which reaches inland from the border up to the height `sea_level`, if there is one. A sample's
/// slope is that towards the sample it drains to. Samples without fall (floors of hollows, outlets) and bins
/// of fewer than 10 samples are left out.
///
/// It notes the concavity θ, the negative slope of the least-squares line through the logarithms of the
/// medians, with every bin counting alike, from 1000 samples' area on, or from 100 on small land where fewer
/// than four bins would be left; and the areas between which it was fitted. Without four such bins there is
/// no line, and a remark says so.
///
/// Of land with more than 2049 samples on a side every second, third … sample is looked at, and a remark says
/// so.
///
/// # Errors
/// When no ground falls, or a height is not finite; [`Error::Size`] when there is too little memory, and
/// [`Error::Cancelled`].
pub fn slope_area(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    check_finite(field, work)?;
    let (field, thinned) = thinned(field)?;
    let grid = field.grid();
    let rules = DrainageRules { sea: sea_level.unwrap_or(f32::NEG_INFINITY), ..DrainageRules::default() };
    let drainage = Drainage::of(&field, &rules, work)?;
    let per_sample = f64::from(grid.cell) * f64::from(grid.cell) * 1e-6;
    let bins = bin_of(grid.count() as u32) + 1;
    // Slopes, and the logarithms of areas: their mean is where a bin lies.
    let of_rows = map_rows("slopes and areas", grid.depth, work, |row| {
        let mut found = vec![(Vec::new(), 0.0); bins];
        for sample in row * grid.width..(row + 1) * grid.width {
            let (area, slope) = (drainage.areas()[sample], drainage.slope(sample));
            if slope > 0.0 {
                let (slopes, logs) = &mut found[bin_of(area)];
                slopes.push(slope);
                *logs += libm::log(f64::from(area) * per_sample);
            }
        }
        found
    })?;
    let mut quartiles = [(); 3].map(|()| Vec::new());
    for bin in 0..bins {
        let mut slopes: Vec<f32> = of_rows.iter().flat_map(|row| &row[bin].0).copied().collect();
        if slopes.len() >= FEWEST {
            let logs: f64 = of_rows.iter().map(|row| row[bin].1).sum();
            let area = libm::exp(logs / slopes.len() as f64);
            slopes.sort_unstable_by(f32::total_cmp);
            for (quarter, points) in quartiles.iter_mut().enumerate() {
                points.push([area, quantile(&slopes, (quarter + 1) as f64 / 4.0)]);
            }
        }
    }
    let [lower, median, upper] = quartiles;
    if median.is_empty() {
        let (low, high) = field.range_while(work)?;
        if low == high {
            return Err(without_relief("no water runs there", low));
        }
        let reason = format!(
            "fewer than {FEWEST} samples of any area drain to lower ground, of {} × {}; give larger land",
            grid.width, grid.depth
        );
        return Err(Error::parameter("heights", reason));
    }
    let from = |samples: f64| median.iter().filter(move |point| point[0] >= samples * per_sample);
    let is_enough = |samples: &f64| from(*samples).count() >= FEWEST_BINS;
    let rivers: Vec<[f64; 2]> =
        RIVERS_FROM.into_iter().find(is_enough).into_iter().flat_map(from).copied().collect();
    let fit = power_law(rivers.iter().map(|&point| (point, 1.0)));

    let area = Axis::new("drainage area", "km²", Scale::Log);
    let mut plot = Plot::new("Slope and drainage area", area, Axis::new("slope", "m/m", Scale::Log));
    plot.add("lower quartile", SeriesKind::Line, lower);
    plot.add("upper quartile", SeriesKind::Line, upper);
    let range = [rivers.first().map_or(0.0, |point| point[0]), rivers.last().map_or(0.0, |point| point[0])];
    match fit {
        Some(fit) => {
            plot.add("least squares", SeriesKind::Dashes, fit.ends(range));
            plot.note("concavity θ", -fit.slope, "");
            plot.note("fitted from", range[0], "km²");
            plot.note("fitted to", range[1], "km²");
        }
        None => plot.remarks.push(format!(
            "No line was fitted: fewer than {FEWEST_BINS} bins of areas hold rivers, of {} samples or more.",
            RIVERS_FROM[1]
        )),
    }
    plot.add("median", SeriesKind::Points, median);
    plot.remarks.extend(thinned);
    Ok(plot)
}

/// The bin of a drainage area in samples, 1 or more.
fn bin_of(samples: u32) -> usize {
    (libm::log10(f64::from(samples)) * BINS_A_DECADE) as usize
}
