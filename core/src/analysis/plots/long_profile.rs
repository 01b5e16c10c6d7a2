//! The long profile of a land's largest river.

use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::river_network::RiverNetwork;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Tributaries that are drawn.
const TRIBUTARIES: usize = 3;

/// The long profile of the river that drains most of a land: its height in metres over the distance from
/// where it ends, in km, with its three largest tributaries. The trunk follows, at each confluence, the
/// branch that drains more. Where a lake is in the way it is the lake's level. Rivers begin as in
/// [`chi`](super::chi()).
///
/// It notes the trunk's length, fall and mean gradient, the area that it drains, and its concavity index:
/// twice the mean depth of the profile below the straight line between its ends, as a share of its fall
/// (after Langbein, "Profiles of rivers of uniform discharge", 1964). That is 0 for an even slope, positive
/// where a river is steeper near its source, and 1 at most.
///
/// # Errors
/// When the land has no rivers or no relief, or a height is not finite; [`Error::Size`](crate::Error::Size)
/// if there is too little memory, and [`Error::Cancelled`](crate::Error::Cancelled).
pub fn long_profile(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    let network = RiverNetwork::of(field, sea_level, work)?;
    let rivers = network.rivers(work)?;
    let distances = rivers.distances();
    let trunk = rivers.ends().next().map_or_else(Vec::new, |end| rivers.trunk(end));
    let profile = |places: &[usize]| -> Vec<[f64; 2]> {
        places.iter().map(|&place| [distances[place] * 1e-3, rivers.level(place)]).collect()
    };
    let axis = Axis::new("distance from where the river ends", "km", Scale::Linear);
    let mut plot = Plot::new("Long profile", axis, Axis::new("height", "m", Scale::Linear));
    for (index, mouth) in rivers.tributaries(&trunk).into_iter().take(TRIBUTARIES).enumerate() {
        // From the trunk on, so that the lines meet.
        let branch: Vec<usize> = rivers.next(mouth).into_iter().chain(rivers.trunk(mouth)).collect();
        plot.add(format!("tributary {}", index + 1), SeriesKind::Line, profile(&branch));
    }
    let points = profile(&trunk);
    if let (Some(&[_, low]), Some(&[length, high])) = (points.first(), points.last()) {
        let fall = high - low;
        plot.note("length", length, "km");
        plot.note("fall", fall, "m");
        if length > 0.0 {
            plot.note("mean gradient", fall / length, "m/km");
        }
        if length > 0.0 && fall > 0.0 {
            let below: f64 =
                points.windows(2).map(|two| (two[1][0] - two[0][0]) * (two[0][1] + two[1][1]) / 2.0).sum();
            let mean = below / length;
            plot.note("concavity index", 2.0 * ((low + high) / 2.0 - mean) / fall, "");
        }
    }
    plot.add("trunk", SeriesKind::Line, points);
    plot.note("drains", trunk.first().map(|end| rivers.area(*end) * 1e-6), "km²");
    drop(rivers);
    network.remark(&mut plot);
    work.check()?;
    Ok(plot)
}
