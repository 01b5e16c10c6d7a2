//! How much of a land has each of the ten forms of ground.

use super::par_rows::{check_finite, histogram_rows, sample_area_quarters};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::analysis::geomorphons::{GeomorphonOptions, LandForm};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// The geomorphons of a land: the share of its area that has each of ten forms of ground, in percent, as
/// [`geomorphons`](crate::geomorphons::geomorphons) tells them apart with 30 samples of each line of sight
/// and a flatness of 1°. A sample at the border stands for half a cell.
///
/// It notes the share of high forms (peak, ridge, spur), of even slopes, and of low forms (hollow, valley,
/// pit).
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(60, 60, 10.0)?;
/// let ramp = upland::Heightfield::from_fn(grid, |column, _| 2.0 * column as f32);
/// let plot = upland::plots::geomorphons(&ramp, &upland::Work::new())?;
/// assert_eq!(plot.series[0].points[0], [1.0, 0.0]); // Nothing is flat.
/// assert!(plot.value("even slopes").unwrap() > 90.0);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a height is not finite; [`Error::Size`](crate::Error::Size) if there is too little memory, and
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn geomorphons(field: &Heightfield, work: &Work) -> Result<Plot> {
    check_finite(field, work)?;
    let grid = field.grid();
    let forms = crate::analysis::geomorphons::geomorphons(field, &GeomorphonOptions::default(), work)?;
    let areas = histogram_rows("forms", (grid.depth, LandForm::ALL.len()), work, |row, areas| {
        for column in 0..grid.width {
            areas[forms[row * grid.width + column] as usize] += sample_area_quarters(grid, column, row);
        }
    })?;
    let all = areas.iter().sum::<u64>() as f64;
    let share = |form: LandForm| 100.0 * areas[form as usize] as f64 / all;

    let shares = Axis::new("share of the area", "%", Scale::Linear);
    let mut plot = Plot::new("Geomorphons", Axis::new("form", "", Scale::Names(&LandForm::NAMES)), shares);
    let bars = LandForm::ALL.iter().enumerate().map(|(index, form)| [index as f64 + 1.0, share(*form)]);
    plot.add("forms", SeriesKind::Bars { width: 1.0 }, bars.collect());
    let of = |forms: [LandForm; 3]| forms.into_iter().map(share).sum::<f64>();
    plot.note("high forms: peaks, ridges, spurs", of([LandForm::Peak, LandForm::Ridge, LandForm::Spur]), "%");
    plot.note("even slopes", share(LandForm::Slope), "%");
    plot.note(
        "low forms: hollows, valleys, pits",
        of([LandForm::Hollow, LandForm::Valley, LandForm::Pit]),
        "%",
    );
    Ok(plot)
}
