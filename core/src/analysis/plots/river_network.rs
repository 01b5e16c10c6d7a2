//! The rivers that plots are made of.

use super::par_rows::{check_finite, without_relief};
use super::plot::Plot;
use super::thinned::thinned;
use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules, Rivers};
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// The drainage area at which rivers begin, m², where land is neither small nor coarse.
const BEGIN: f64 = 1e5;
/// Samples that drain to the beginning of a river at least: fewer have no shape.
const FEWEST: f64 = 50.0;
/// The largest share of all samples that drain to the beginning of a river.
const MOST: f64 = 0.01;

/// The reference area A₀ of χ, m².
pub(super) const REFERENCE: f64 = 1e6;

/// The drainage of a land, and which of its samples are rivers.
pub(super) struct RiverNetwork {
    pub(super) drainage: Drainage,
    /// Samples that drain through the beginning of a river.
    pub(super) from: u32,
    per_sample: f64,
    remark: Option<String>,
}

impl RiverNetwork {
    /// The rivers of `field`, which end at the border and in the sea: samples through which at least 0.1 km²
    /// drains, but not less than 50 samples, and not more than a hundredth of all unless that is less than
    /// 50.
    pub(super) fn of(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Self> {
        check_finite(field, work)?;
        let (low, high) = field.range_while(work)?;
        if low == high {
            return Err(without_relief("no water runs there", low));
        }
        let (field, remark) = thinned(field)?;
        let rules = DrainageRules { sea: sea_level.unwrap_or(f32::NEG_INFINITY), ..DrainageRules::default() };
        let drainage = Drainage::of(&field, &rules, work)?;
        let grid = field.grid();
        let per_sample = f64::from(grid.cell) * f64::from(grid.cell);
        let most = (grid.count() as f64 * MOST).max(FEWEST);
        let from = (BEGIN / per_sample).ceil().clamp(FEWEST, most) as u32;
        Ok(Self { drainage, from, per_sample, remark })
    }

    /// The rivers, which are at least one sample.
    pub(super) fn rivers(&self, work: &Work) -> Result<Rivers<'_>> {
        let (areas, from) = (self.drainage.areas(), self.from);
        let rivers =
            self.drainage.rivers(|sample| areas[sample] >= from && !self.drainage.is_sea(sample), work)?;
        if rivers.samples().is_empty() {
            let reason = format!(
                "there is no river: nowhere {from} samples, {} km², drain to one place above the sea; give larger land",
                self.km2(from)
            );
            return Err(Error::parameter("heights", reason));
        }
        Ok(rivers)
    }

    /// The area of this many samples, km².
    pub(super) fn km2(&self, samples: u32) -> f64 {
        f64::from(samples) * self.per_sample * 1e-6
    }

    /// Adds where rivers begin, and what a reader should know besides.
    pub(super) fn remark(self, plot: &mut Plot) {
        plot.note("rivers begin at", self.km2(self.from), "km²");
        plot.remarks.extend(self.remark);
    }
}

/// The name of the basin with this index.
pub(super) fn name_of_basin(index: usize) -> String {
    match index {
        0 => "largest basin".to_owned(),
        _ => format!("basin {}", index + 1),
    }
}
