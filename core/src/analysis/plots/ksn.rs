//! Channel steepness: how steep rivers are for the area that drains through them.

use super::chi::{check_concavity, unit};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::quantile::quantile;
use super::river_network::{REFERENCE, RiverNetwork, name_of_basin};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Basins whose trunk is drawn and whose median is noted.
const BASINS: usize = 4;
/// Samples of a river over which its steepness is measured.
const OVER: usize = 20;

/// The channel steepness k_sn = S·A^θ along the trunks of a land's four largest basins, in m^2θ over the
/// distance from where the river ends; θ is `concavity`, from 0 to 1. After Wobus and others, "Tectonics from
/// topography" (2006). The steepness is the rise over 20 samples of a river, as long as χ is over them
/// ([`chi`](super::chi())): on any one sample of a grid it is chance. Rivers begin as in that plot; on lakes
/// k_sn is 0.
///
/// Where the land is in balance, k_sn is (U/K)^(1/n): it is high where land is uplifted fast or rock is hard.
///
/// It notes the median and both quartiles of all rivers, and the median of each of the four basins.
///
/// # Errors
/// As those of [`chi`](super::chi()).
pub fn ksn(field: &Heightfield, concavity: f64, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    check_concavity(concavity)?;
    let network = RiverNetwork::of(field, sea_level, work)?;
    let rivers = network.rivers(work)?;
    let (chi, distances, basins) = (rivers.chi(concavity, REFERENCE), rivers.distances(), rivers.basins());
    let scale = libm::pow(REFERENCE, concavity);
    // The middle of the stretch that begins at a place, km, and its steepness; `None` where a river ends.
    let measured = |place: usize| {
        let down = std::iter::successors(Some(place), |place| rivers.next(*place)).take(OVER + 1);
        let last = down.last().filter(|last| *last != place)?;
        let steepness = scale * (rivers.level(place) - rivers.level(last)) / (chi[place] - chi[last]);
        Some([(distances[place] + distances[last]) * 0.5e-3, steepness]).filter(|point| point[1].is_finite())
    };
    let of = |basin: Option<usize>| {
        let places =
            (0..basins.len()).filter(|place| basin.is_none_or(|basin| basins[*place] as usize == basin));
        let mut found: Vec<f32> =
            places.filter_map(measured).map(|[_, steepness]| steepness as f32).collect();
        found.sort_unstable_by(f32::total_cmp);
        found
    };
    let unit = unit(concavity);
    let axis = Axis::new("distance from where the river ends", "km", Scale::Linear);
    let mut plot = Plot::new("Channel steepness", axis, Axis::new("k_sn", &unit, Scale::Linear));
    for (index, end) in rivers.ends().take(BASINS).enumerate() {
        work.check()?;
        let mut points: Vec<[f64; 2]> = rivers.trunk(end).into_iter().filter_map(measured).collect();
        // The middles of short stretches near the end may lie in another order.
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        if !points.is_empty() {
            plot.add(format!("trunk, {}", name_of_basin(index)), SeriesKind::Line, points);
        }
    }
    let all = of(None);
    if !all.is_empty() {
        for (name, share) in
            [("lower quartile", 0.25), ("median of all rivers", 0.5), ("upper quartile", 0.75)]
        {
            plot.note(name, quantile(&all, share), &unit);
        }
    }
    for index in 0..BASINS {
        let of_basin = of(Some(index));
        if !of_basin.is_empty() {
            plot.note(&format!("median, {}", name_of_basin(index)), quantile(&of_basin, 0.5), &unit);
        }
    }
    plot.note("θ", concavity, "");
    drop(rivers);
    network.remark(&mut plot);
    work.check()?;
    Ok(plot)
}
