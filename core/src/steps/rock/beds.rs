//! The beds of layered rock under the samples of one grid.

use super::bedding::Bedding;
use super::sequence::Profile;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The gentlest slope that any bed stands at, metres per metre: a cotangent must be finite.
const GENTLEST: f64 = 1e-3;

/// The beds under the samples of one grid of a land.
pub(crate) struct Beds<'a> {
    bedding: &'a Bedding,
    /// How much higher among the beds each sample lies than above level ones, metres.
    offsets: Heightfield,
    per_thickness: f64,
    profile: Profile<'a>,
    /// The gentlest of the steepest slopes, metres per metre.
    gentlest: f32,
}

impl<'a> Beds<'a> {
    /// The beds under all of a land on this grid.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn under(bedding: &'a Bedding, grid: Grid, work: &Work) -> Result<Self> {
        let offsets = bedding.offsets(&grid.into(), work)?;
        let [soft, hard] = bedding.steepest.map(|slope| 1.0 / slope.max(GENTLEST));
        let profile = Profile::new(bedding.sequence(), |hardness| soft + (hard - soft) * hardness);
        let gentlest = (1.0 / soft.max(hard)) as f32;
        Ok(Self { bedding, offsets, per_thickness: 1.0 / bedding.thickness, profile, gentlest })
    }

    /// The position of a height at a sample in the sequence of beds.
    fn position(&self, sample: usize, height: f32) -> f64 {
        let level = f64::from(height) + f64::from(self.offsets.heights()[sample]);
        level * self.per_thickness
    }

    /// How soft the rock of a sample is for rivers between two heights: in [0, 1]. A river that falls from
    /// one to the other cuts every bed between, and most slowly the hardest.
    pub(crate) fn softness(&self, sample: usize, low: f32, high: f32) -> f32 {
        let (low, high) = (self.position(sample, low.min(high)), self.position(sample, high));
        let hard = self.bedding.sequence().mean(low, high);
        // Falls add up: so do the reciprocals.
        let soft = 1.0 - self.bedding.hardness;
        (soft / (soft + hard * (1.0 - soft))) as f32
    }

    /// The gentlest of the steepest slopes, metres per metre.
    pub(crate) fn gentlest(&self) -> f32 {
        self.gentlest
    }

    /// How far the steepest slope through the beds of a sample has gone across at a height, metres from where
    /// the beds begin: a slope between two heights is too steep if it is shorter than the difference.
    pub(crate) fn across(&self, sample: usize, height: f32) -> f64 {
        self.profile.across(self.position(sample, height)) * self.bedding.thickness
    }

    /// The height at which the steepest slope has gone so far across.
    pub(crate) fn height(&self, sample: usize, across: f64) -> f32 {
        let level = self.profile.position(across * self.per_thickness) * self.bedding.thickness;
        (level - f64::from(self.offsets.heights()[sample])) as f32
    }
}
