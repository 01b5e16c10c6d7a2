//! Long profiles of rivers over χ.

use super::plot::{Axis, Plot, Scale, SeriesKind};
use super::river_network::{REFERENCE, RiverNetwork, name_of_basin};
use crate::compute::work::Work;
use crate::drainage::Rivers;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Basins whose trunk is drawn.
const BASINS: usize = 3;
/// Samples of tributaries that are drawn, at most.
const MOST_DRAWN: usize = 2000;

/// The heights of the rivers of a land's three largest basins over χ = ∫ (A₀/A)^θ dx, metres, which is 0
/// where a river ends; θ is `concavity`, from 0 to 1, and A₀ 1 km². The trunk of each is a line, the other
/// rivers of the largest basin are dots. After Perron and Royden, "An integral approach to bedrock river
/// profile analysis" (2013): where uplift, rock and climate are alike and the land is in balance with them,
/// all of a basin lies on one straight line. A kink in it is a knickpoint; a tributary above the trunk has
/// steeper water.
///
/// Rivers begin where 0.1 km² drain through a sample, but at least 50 samples, and on small land at most a
/// hundredth of it.
///
/// It notes the slope of the least-squares line of the largest basin as channel steepness k_sn = dz/dχ · A₀^θ
/// in m^2θ, the share of the variance of heights that this line explains, and the θ between 0.05 and 0.95
/// with which it explains most.
///
/// # Errors
/// When the land has no rivers or no relief, `concavity` is outside its range, or a height is not finite;
/// [`Error::Size`] if there is too little memory, and [`Error::Cancelled`].
pub fn chi(field: &Heightfield, concavity: f64, sea_level: Option<f32>, work: &Work) -> Result<Plot> {
    check_concavity(concavity)?;
    let network = RiverNetwork::of(field, sea_level, work)?;
    let rivers = network.rivers(work)?;
    let (chi, basins) = (rivers.chi(concavity, REFERENCE), rivers.basins());
    let point = |place: usize| [chi[place], rivers.level(place)];
    let first: Vec<usize> = (0..basins.len()).filter(|place| basins[*place] == 0).collect();
    let trunks: Vec<Vec<usize>> = rivers.ends().take(BASINS).map(|end| rivers.trunk(end)).collect();

    let axis = Axis::new("χ", "m", Scale::Linear);
    let mut plot = Plot::new("Rivers over χ", axis, Axis::new("height", "m", Scale::Linear));
    let mut trunk = trunks.first().cloned().unwrap_or_default();
    trunk.sort_unstable();
    let beside: Vec<usize> =
        first.iter().copied().filter(|place| trunk.binary_search(place).is_err()).collect();
    let every = beside.len().div_ceil(MOST_DRAWN).max(1);
    if !beside.is_empty() {
        let mut points: Vec<[f64; 2]> = beside.iter().step_by(every).copied().map(point).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        plot.add("tributaries, largest basin", SeriesKind::Points, points);
    }
    for (index, trunk) in trunks.iter().enumerate() {
        let name = format!("trunk, {}", name_of_basin(index));
        plot.add(name, SeriesKind::Line, trunk.iter().copied().map(point).collect());
    }
    let of = |concavity: f64| line(&rivers, &first, &rivers.chi(concavity, REFERENCE));
    if let Some((slope, explained)) = line(&rivers, &first, &chi) {
        plot.note("k_sn, largest basin", slope * libm::pow(REFERENCE, concavity), &unit(concavity));
        plot.note("explained by a line", 100.0 * explained, "%");
        plot.note("straightest with θ", straightest(of, work)?, "");
    }
    plot.note("θ", concavity, "");
    plot.note("area, largest basin", rivers.ends().next().map(|end| rivers.area(end) * 1e-6), "km²");
    drop(rivers);
    network.remark(&mut plot);
    work.check()?;
    Ok(plot)
}

/// Refuses a concavity outside its range.
pub(super) fn check_concavity(concavity: f64) -> Result<()> {
    if (0.0..=1.0).contains(&concavity) {
        return Ok(());
    }
    Err(Error::parameter("concavity", format!("{concavity} is outside 0 to 1")))
}

/// The unit of k_sn.
pub(super) fn unit(concavity: f64) -> String {
    format!("m^{}", super::number::number(2.0 * concavity))
}

/// The slope of the least-squares line of heights over χ, and the share of the variance that it explains.
fn line(rivers: &Rivers<'_>, places: &[usize], chi: &[f64]) -> Option<(f64, f64)> {
    let count = places.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| places.iter().map(|place| of(*place)).sum::<f64>() / count;
    let (x, z) = (mean(&|place| chi[place]), mean(&|place| rivers.level(place)));
    let sums = places.iter().fold([0.0; 3], |[along, across, up], &place| {
        let (x, z) = (chi[place] - x, rivers.level(place) - z);
        [along + x * x, across + x * z, up + z * z]
    });
    let [along, across, up] = sums;
    let explained = across * across / (along * up);
    (explained.is_finite()).then_some((across / along, explained))
}

/// The concavity with which a line explains most, to 0.01.
fn straightest(of: impl Fn(f64) -> Option<(f64, f64)>, work: &Work) -> Result<Option<f64>> {
    let mut best = None;
    let mut look_at = |hundredths: i32| {
        work.check()?;
        let concavity = f64::from(hundredths) / 100.0;
        if let Some((_, explained)) = of(concavity)
            && best.is_none_or(|(_, most)| explained > most)
        {
            best = Some((hundredths, explained));
        }
        Ok::<_, Error>(best)
    };
    let mut coarse = None;
    for hundredths in (5..=95).step_by(5) {
        coarse = look_at(hundredths)?;
    }
    let Some((middle, _)) = coarse else { return Ok(None) };
    for hundredths in (middle - 4).max(5)..=(middle + 4).min(95) {
        coarse = look_at(hundredths)?;
    }
    Ok(coarse.map(|(hundredths, _)| f64::from(hundredths) / 100.0))
}
