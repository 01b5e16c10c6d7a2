//! The basins of a land by their size.

use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::river_network::{RiverNetwork, name_of_basin};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Samples of a basin at least: smaller ones are slivers along the border.
const FEWEST: u32 = 10;
/// Basins whose hypsometric integral is noted.
const NOTED: usize = 3;

/// The areas of a land's basins in km² over their rank, the largest first: all land that drains to one place
/// on the border, in the sea or in a lake without an outflow. Basins of fewer than 10 samples are left out.
///
/// It notes how many there are, the largest area and its share of the land above the sea, and the
/// hypsometric integral of the three largest basins, (mean − lowest)/(highest − lowest) of their heights.
///
/// # Errors
/// When the land has no relief or no basin, or a height is not finite; [`Error::Size`] if there is too little
/// memory, and [`Error::Cancelled`].
pub fn basins(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    let network = RiverNetwork::of(field, sea_level, work)?;
    let basins = network.drainage.basins(work)?;
    let ground = network.drainage.ground();
    let width = ground.grid().width;
    // Samples, the lowest and the highest height, and the sum of heights.
    let mut found: Vec<(u32, [f32; 2], f64)> = Vec::new();
    for (row, basins) in basins.chunks(width).enumerate() {
        work.check()?;
        for (&basin, &height) in basins.iter().zip(ground.row(row)).filter(|(basin, _)| **basin > 0) {
            let basin = basin as usize;
            if found.len() < basin {
                found.resize(basin, (0, [f32::INFINITY, f32::NEG_INFINITY], 0.0));
            }
            let (samples, [low, high], sum) = &mut found[basin - 1];
            (*samples, *low, *high) = (*samples + 1, low.min(height), high.max(height));
            *sum += f64::from(height);
        }
    }
    let all: u32 = found.iter().map(|basin| basin.0).sum();
    // Outlets in the sea belong to no basin, so sizes may be out of order by one.
    found.retain(|basin| basin.0 >= FEWEST);
    found.sort_by_key(|basin| std::cmp::Reverse(basin.0));
    if found.is_empty() {
        let reason =
            format!("fewer than {FEWEST} samples drain to any place above the sea; give larger land");
        return Err(Error::parameter("heights", reason));
    }
    let area = |samples: u32| network.km2(samples);
    let axis = Axis::new("rank", "", Scale::Log);
    let mut plot = Plot::new("Basins", axis, Axis::new("area", "km²", Scale::Log));
    let points = found.iter().enumerate().map(|(rank, basin)| [rank as f64 + 1.0, area(basin.0)]);
    plot.add("basins", SeriesKind::Points, points.collect());
    plot.note("basins", found.len() as f64, "");
    plot.note("area, largest basin", area(found[0].0), "km²");
    plot.note("its share of the land", 100.0 * f64::from(found[0].0) / f64::from(all), "%");
    for (index, (samples, [low, high], sum)) in found.iter().take(NOTED).enumerate() {
        let (low, high) = (f64::from(*low), f64::from(*high));
        let integral = (sum / f64::from(*samples) - low) / (high - low);
        plot.note(&format!("hypsometric integral, {}", name_of_basin(index)), integral, "");
    }
    network.remark(&mut plot);
    plot.notes.retain(|note| note.name != "rivers begin at");
    Ok(plot)
}
