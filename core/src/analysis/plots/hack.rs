//! Hack's law: how long a river is for the area that it drains.

use super::fit::power_law;
use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::quantile::quantile;
use super::river_network::RiverNetwork;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Bins of areas for each factor of ten.
const BINS_A_DECADE: f64 = 6.0;
/// A bin with fewer samples is left out.
const FEWEST: usize = 5;
/// Bins that a line needs.
const FEWEST_BINS: usize = 4;

/// The length of rivers in km over the area in km² that they drain, both at each sample of a river: the
/// longest way on which water reaches it. In six bins for each factor of ten of the area, the median with
/// both quartiles; bins of fewer than 5 samples are left out. Rivers begin as in [`chi`](super::chi()); under
/// lakes there are none.
///
/// It notes Hack's exponent h, the slope of the least-squares line through the logarithms of the medians, and
/// the length at 1 km²: L = c·Aʰ. Hack, "Studies of longitudinal stream profiles in Virginia and Maryland"
/// (1957), found 0.6; most real land has 0.5 to 0.6. Basins of one shape at all sizes have 0.5. With fewer
/// than four bins there is no line, and a remark says so.
///
/// # Errors
/// When the land has no rivers or no relief, or a height is not finite; [`Error::Size`](crate::Error::Size)
/// if there is too little memory, and [`Error::Cancelled`](crate::Error::Cancelled).
pub fn hack(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    let network = RiverNetwork::of(field, sea_level, work)?;
    let rivers = network.rivers(work)?;
    let lengths = network.drainage.lengths(work)?;
    let [surface, ground] =
        [network.drainage.surface(), network.drainage.ground()].map(|heights| heights.heights());
    let mut bins: Vec<(Vec<f32>, f64)> = Vec::new();
    for (place, &sample) in rivers.samples().iter().enumerate() {
        // Under a lake, ways run side by side to its outlet: as long as a river, they drain next to nothing.
        if surface[sample as usize] > ground[sample as usize] {
            continue;
        }
        let samples = network.drainage.areas()[sample as usize];
        let bin = (libm::log10(f64::from(samples)) * BINS_A_DECADE) as usize;
        if bins.len() <= bin {
            bins.resize(bin + 1, (Vec::new(), 0.0));
        }
        bins[bin].0.push((lengths[sample as usize] * 1e-3) as f32);
        bins[bin].1 += libm::log(rivers.area(place) * 1e-6);
    }
    let mut quartiles = [(); 3].map(|()| Vec::new());
    for (lengths, logs) in bins.iter_mut().filter(|(lengths, _)| lengths.len() >= FEWEST) {
        work.check()?;
        let area = libm::exp(*logs / lengths.len() as f64);
        lengths.sort_unstable_by(f32::total_cmp);
        for (quarter, points) in quartiles.iter_mut().enumerate() {
            points.push([area, quantile(lengths, (quarter + 1) as f64 / 4.0)]);
        }
    }
    let [lower, median, upper] = quartiles;
    let axis = Axis::new("drainage area", "km²", Scale::Log);
    let mut plot = Plot::new("Hack's law", axis, Axis::new("length", "km", Scale::Log));
    let fit = power_law(median.iter().map(|&point| (point, 1.0))).filter(|_| median.len() >= FEWEST_BINS);
    plot.add("lower quartile", SeriesKind::Line, lower);
    plot.add("upper quartile", SeriesKind::Line, upper);
    match fit {
        Some(fit) => {
            let range = [median[0][0], median[median.len() - 1][0]];
            plot.add("least squares", SeriesKind::Dashes, fit.ends(range));
            plot.note("Hack's exponent h", fit.slope, "");
            plot.note("length at 1 km²", fit.at(1.0), "km");
            plot.note("fitted from", range[0], "km²");
            plot.note("fitted to", range[1], "km²");
        }
        None => plot.remarks.push(format!(
            "No line was fitted: fewer than {FEWEST_BINS} bins of areas hold {FEWEST} samples of rivers."
        )),
    }
    plot.add("median", SeriesKind::Points, median);
    drop(rivers);
    network.remark(&mut plot);
    work.check()?;
    Ok(plot)
}
