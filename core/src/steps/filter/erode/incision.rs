//! How deep rivers cut in a step, and how steep the ground beside them may be.

use super::drainage::DueSample;
use super::original::Original;
use super::params::Erode;
use super::rock::Limit;
use crate::grid::Heightfield;

/// The gentlest slope that debris flows make, metres per metre: below, they come to rest.
const DEBRIS_FLOW: f32 = 0.05;

/// What decides how deep rivers cut in a step.
pub(super) struct Incision<'a> {
    pub(super) erode: &'a Erode,
    pub(super) original: &'a Original<'a>,
    pub(super) limit: &'a Limit<'a>,
    pub(super) hardness: Option<&'a Heightfield>,
    /// Rivers don't cut below this, and nothing is raised above `highest`.
    pub(super) lowest: f32,
    pub(super) highest: f32,
    /// The length of the step in units of the uplift's time constant τ.
    pub(super) years: f32,
    pub(super) cell: f32,
    pub(super) width: usize,
    /// Slope of rivers, in fall per metre, where they leave the field over its border.
    pub(super) border_fall: f32,
    /// How far the ground is assumed to fall in the first cell beyond the border.
    pub(super) falls_beyond: Vec<(usize, f32)>,
    /// Half the width of a valley's floor, as a share of √(drainage area · sediment).
    pub(super) floor_width: f32,
}

impl Incision<'_> {
    /// K·Δt·√A at a sample through which this many drain, and its rock's softness in [0, 1].
    /// `falls` are the lower and the upper height between which it cuts.
    pub(super) fn power(&self, place: (usize, usize), falls: (f32, f32), samples: f32) -> (f32, f32) {
        // A = samples · cell².
        let power = self.erode.strength * self.years * samples.sqrt() * self.cell;
        let softness = self.softness(place, falls);
        // Where all rock is alike the factor is exactly 1.
        (power * softness, softness)
    }

    /// How soft the rock is between two heights: 1 − hardness, times the softness of its beds; in [0, 1].
    pub(super) fn softness(&self, (column, row): (usize, usize), falls: (f32, f32)) -> f32 {
        // Clamped, because the layer may come from a step or a file that exceeds 0 to 1.
        let softness = self.hardness.map_or(1.0, |hardness| (1.0 - hardness.at(column, row)).clamp(0.0, 1.0));
        softness * self.limit.softness((column, row), falls)
    }

    /// How much lower a river is assumed to lie one cell beyond the border: it keeps its slope there, up to
    /// the steepest one at which rock stands.
    pub(super) fn fall_beyond(&self, (column, row): (usize, usize), height: f32) -> f32 {
        let sample = row * self.width + column;
        let beyond = self.falls_beyond.binary_search_by_key(&sample, |fall| fall.0);
        let least = self.border_fall * self.cell;
        beyond.map_or(least, |index| {
            let steepest = self.limit.at((column, row), height, self.cell) * self.cell;
            self.falls_beyond[index].1.min(steepest).max(least)
        })
    }

    /// The steepest stable slope at a sample through which this many drain, as a share of its rock's: debris
    /// flows run down hollows that are gentler than the spurs between them (Stock and Dietrich 2003; the
    /// formula is ours).
    fn gentler(&self, samples: f32) -> f32 {
        let from = self.erode.debris_flows * 1e6;
        if from == 0.0 {
            return 1.0;
        }
        // What a sample gets from others: on a coarse grid it is large itself.
        let area = (samples - 1.0).max(0.0) * self.cell * self.cell;
        1.0 / (1.0 + libm::powf(area / from, 0.8))
    }

    /// The height at which a sample stands if the river would leave it at `height`: rock that is too steep
    /// above the sample downstream slides.
    pub(super) fn stands(&self, due: &DueSample, height: f32, (downstream, distance): (f32, f32)) -> f32 {
        let gentler = self.gentler(due.area);
        // Most samples are gentler than the weakest rock allows; only for others is the rock interpolated.
        if height > downstream + self.limit.least() * gentler * distance {
            let limited = |limit: f32| (limit * gentler).max(limit.min(DEBRIS_FLOW));
            height.min(self.limit.above((due.column, due.row), (downstream, distance), limited))
        } else {
            height
        }
    }

    /// Half the width of the valley floor along a river, metres: rivers that carry sediment plane their
    /// banks.
    pub(super) fn floor(&self, samples: f32) -> f32 {
        self.floor_width * (self.erode.sediment * samples).sqrt() * self.cell
    }

    /// The ground of a lake after the step's uplift.
    pub(super) fn raised_bed(&self, sample: usize, height: f32) -> f32 {
        (height + self.years * self.original.height(sample)) / (1.0 + self.years)
    }

    /// The new height of a sample whose cell holds h + Δt·h₀, or h where it is an outlet.
    pub(super) fn height_without_sediment(&self, due: &DueSample) -> f32 {
        let &DueSample { column, row, cell: kept, area, downstream } = due;
        let years = self.years;
        let Some((downstream, distance)) = downstream else {
            // As if the next sample downstream lay one cell beyond the border.
            let below = kept - self.fall_beyond((column, row), kept);
            let cut = self.power((column, row), (below, kept), area).0 / self.cell;
            // Cells of outlets hold the plain height, so the uplift is still to be added.
            let risen = kept + years * self.original.height(row * self.width + column);
            return ((risen + cut * below) / (1.0 + years + cut)).max(self.lowest);
        };
        // The sea stands above its bed, and rivers end at its surface.
        let downstream = downstream.max(self.erode.base_level);
        let before = match self.limit.beds().is_some() {
            // The height before the step, up to rounding.
            true => kept - years * self.original.height(row * self.width + column),
            false => kept,
        };
        let cut = self.power((column, row), (downstream, before), area).0 / distance;
        // Backward Euler of ∂h/∂t = (h₀ − h) − K√A·(h − downstream)/distance: h′ is a weighted mean of
        // three heights and stable for any Δt.
        let height = (kept + cut * downstream) / (1.0 + years + cut);
        let stands = self.stands(due, height, (downstream, distance));
        // Strictly above the sample downstream, so that the land never has a pit or a level river.
        stands.max(downstream.next_up())
    }
}
