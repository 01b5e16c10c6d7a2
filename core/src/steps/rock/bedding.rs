//! Layered rock under a land: where its beds lie, and what they withstand.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::sequence::Sequence;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Region};
use crate::noise::{BAND, Basis, NodeRows, Octave, Samples, hash_along, mix, signed_unit, stream, stretches};

/// Lengths of the waves of folds, as shares of the distance from one to the next, and their heights.
const FOLDS: [(f64, f32); 3] = [(1.0, 1.0), (0.47, 0.35), (0.21, 0.12)];

/// How far a fault is from where it would be if all were equally far apart, as a share of that distance.
const UNEVEN: f64 = 0.35;

/// How far folds bend a fault, as a share of the distance to the next one.
const WAVERS: f64 = 0.12;

/// Rock in beds, hard and soft by turns, under all of a land: what the step `strata` lays. Where a bed lies
/// follows from the place alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Bedding {
    /// Mean thickness of a bed, metres.
    pub(crate) thickness: f64,
    /// Resistance of the hardest bed to rivers, in [0, 1].
    pub(crate) hardness: f64,
    /// The steepest slopes on which the softest and the hardest bed stand, metres per metre.
    pub(crate) steepest: [f64; 2],
    /// How steeply the beds slope, metres per metre, and towards which compass bearing, radians.
    pub(crate) dip: (f64, f64),
    /// How far folds bend the beds up and down, metres, and the distance from one to the next, metres.
    pub(crate) folds: (f32, f64),
    /// How far faults move the beds up and down at most, metres, and the distance from one to the next.
    pub(crate) faults: (f32, f64),
    pub(crate) seed: u64,
    sequence: Arc<Sequence>,
}

/// The random streams of beds, faults and folds.
const BED_STREAM: u64 = 0x6265_6473;
const FAULT_STREAM: u64 = 0x6661_756C;
const FOLD_STREAM: u64 = 0x666F_6C64;

impl Bedding {
    /// Level beds of 60 m, a `share` of them hard, as uneven as `uneven` says: both from 0 to 1.
    pub(crate) fn level((share, uneven): (f32, f32), seed: u64) -> Self {
        let sequence = Sequence::new(f64::from(share), f64::from(uneven), stream(seed, BED_STREAM));
        Self {
            thickness: 60.0,
            hardness: 0.9,
            steepest: [0.5, 2.0],
            dip: (0.0, 0.0),
            folds: (0.0, 1000.0),
            faults: (0.0, 1000.0),
            seed,
            sequence: Arc::new(sequence),
        }
    }

    pub(super) fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// Rise of the beds' plane in metres per metre to the east and to the south.
    pub(crate) fn plane(&self) -> [f64; 2] {
        let (fall, toward) = self.dip;
        // Where beds fall, a place lies higher among them. z grows to the south, so north counts as negative.
        [libm::sin(toward) * fall, -libm::cos(toward) * fall]
    }

    /// The folds and faults of a region.
    pub(crate) fn bends(&self, region: &Region) -> Bends<'_> {
        let ((fold, length), (throw, _)) = (self.folds, self.faults);
        let unit = f64::from(region.domain().unit());
        let octave = |(share, height): (f64, f32)| {
            let seed = stream(self.seed, FOLD_STREAM ^ share.to_bits());
            (Octave::new(Basis::Gradient, seed, unit / (length * share), *region), height)
        };
        let bent = fold > 0.0 || throw > 0.0;
        Bends { bedding: self, region: *region, octaves: bent.then(|| FOLDS.map(octave)) }
    }

    /// How far up the block between two faults has moved, as a share of the throw.
    fn thrown(&self, place: f64) -> f32 {
        let seed = mix(stream(self.seed, FAULT_STREAM));
        let edge = |number: i64| UNEVEN * f64::from(signed_unit(hash_along(seed, number)));
        let number = place.floor();
        let (within, number) = (place - number, number as i64);
        // The fault between two blocks may lie on either side of the whole number.
        let block = if within < edge(number) {
            number - 1
        } else if within >= 1.0 + edge(number + 1) {
            number + 1
        } else {
            number
        };
        0.5 + 0.5 * signed_unit(hash_along(!seed, block))
    }

    /// How much higher among the beds every sample of a region lies than it would above level ones: metres.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn offsets(&self, region: &Region, work: &Work) -> Result<Heightfield> {
        let grid = region.grid();
        let mut offsets = Heightfield::flat(grid, 0.0);
        let ([east, south], bends) = (self.plane(), self.bends(region));
        let bands = offsets.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(NodeRows::default, |lines, (band, offsets)| {
            work.check()?;
            let (first, rows) = (band * BAND, offsets.len() / grid.width);
            bends.of_rows(first..first + rows, offsets, lines);
            for (row, offsets) in offsets.chunks_mut(grid.width).enumerate() {
                let z = region.z_in_metres(first + row) * south;
                for (column, offset) in offsets.iter_mut().enumerate() {
                    *offset = (region.x_in_metres(column) * east + z + f64::from(*offset)) as f32;
                }
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(offsets)
    }

    /// How much of what the hardest bed withstands the rock withstands at a place among the beds, metres
    /// above their plane: in [0, 1].
    pub(crate) fn hardness_at(&self, level: f64) -> f32 {
        self.sequence.hardness(level / self.thickness) as f32
    }

    /// How hard the bed is that comes out at the surface, for every sample of a region with these heights.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn exposed(&self, region: &Region, heights: &Heightfield, work: &Work) -> Result<Heightfield> {
        let mut exposed = self.offsets(region, work)?;
        let width = heights.grid().width;
        work.stage("beds", heights.grid().depth);
        let rows = exposed.heights_mut().par_chunks_mut(width).zip(heights.heights().par_chunks(width));
        rows.try_for_each(|(exposed, heights)| {
            work.check()?;
            for (offset, height) in exposed.iter_mut().zip(heights) {
                *offset = self.hardness_at(f64::from(*offset) + f64::from(*height));
            }
            work.advance(1);
            Ok::<_, crate::Error>(())
        })?;
        Ok(exposed)
    }
}

/// The folds and faults of the beds under a region.
pub(crate) struct Bends<'a> {
    bedding: &'a Bedding,
    region: Region,
    /// The waves of the folds and how high they are; `None` where nothing bends or breaks the beds.
    octaves: Option<[(Octave, f32); 3]>,
}

impl Bends<'_> {
    /// How much higher among the beds places lie than above level ones, because of folds and faults: metres,
    /// for some rows of the region, at most [`BAND`].
    pub(crate) fn of_rows(&self, rows: Range<usize>, out: &mut [f32], lines: &mut NodeRows) {
        let Some(octaves) = &self.octaves else { return out.fill(0.0) };
        let Self { bedding, region, .. } = self;
        let ((fold, _), (throw, apart), (_, toward)) = (bedding.folds, bedding.faults, bedding.dip);
        let along = [libm::sin(toward), -libm::cos(toward)];
        let grid = region.grid();
        for stretch in stretches(grid) {
            let mut samples = Samples::new(0.0, 0.0);
            for (octave, height) in octaves {
                octave.combine(&stretch, rows.clone(), lines, &mut samples, |noise, sum, weight| {
                    (sum + height * noise, weight)
                });
            }
            for ((row, out), bent) in rows.clone().zip(out.chunks_mut(grid.width)).zip(&samples.values) {
                for ((column, out), bent) in stretch.clone().zip(&mut out[stretch.clone()]).zip(bent) {
                    *out = fold * bent;
                    if throw > 0.0 {
                        let (x, z) = (region.x_in_metres(column), region.z_in_metres(row));
                        let place = (x * along[0] + z * along[1]) / apart + WAVERS * f64::from(*bent);
                        *out += throw * bedding.thrown(place);
                    }
                }
            }
        }
    }
}
