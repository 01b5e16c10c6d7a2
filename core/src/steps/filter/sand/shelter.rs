//! The shadows that ground casts on the wind.

use rayon::prelude::*;

use super::rows::{BAND, Beyond, Samples};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;

/// Lower than any ground: no shadow.
pub(super) const NOTHING: i32 = -(1 << 30);

/// One of the strides in which shadows are cast: samples to the place upwind, and how far the shadow falls on
/// the way, in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    pub columns: i64,
    pub rows: i64,
    pub drop: i32,
}

/// Lengthens all shadows by a stride: `after` becomes the highest of each sample's shadow and that upwind
/// less its drop. With strides of 1, 2, 4, … samples each sample is shaded by all upwind, after as many
/// passes as the number of samples has digits in base two.
pub(super) fn cast(
    shadow: Samples<'_>,
    after: &mut [i32],
    stride: Stride,
    beyond: Beyond<'_>,
    work: &Work,
) -> Result<()> {
    let width = shadow.width;
    let bands = after.par_chunks_mut(BAND * width).enumerate();
    bands.try_for_each(|(band, after)| {
        for (index, after) in after.chunks_exact_mut(width).enumerate() {
            work.check()?;
            let row = band * BAND + index;
            shadow.copy_row(row as i64 - stride.rows, -stride.columns, beyond, after);
            let here = &shadow.values[row * width..][..width];
            in_wide_registers(Cast { here, drop: stride.drop, after });
        }
        Ok(())
    })
}

struct Cast<'a> {
    here: &'a [i32],
    drop: i32,
    after: &'a mut [i32],
}

impl Loop for Cast<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let samples = self.here.iter().zip(self.after);
        samples.for_each(|(here, after)| *after = (*after - self.drop).max(*here));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tower_shades_what_lies_downwind_of_it() -> Result<()> {
        let (width, depth) = (32, 3);
        let mut shadow = vec![0; width * depth];
        shadow[width + 4] = 100;
        for power in 0..5 {
            let mut after = vec![0; width * depth];
            let stride = Stride { columns: 1 << power, rows: 0, drop: 7 << power };
            cast(
                Samples { values: &shadow, width, depth },
                &mut after,
                stride,
                Beyond::Value(NOTHING),
                &Work::new(),
            )?;
            shadow = after;
        }
        for column in 0..32 {
            let expected = if column < 4 { 0 } else { (100 - 7 * (column - 4)).max(0) };
            assert_eq!(shadow[width + column as usize], expected, "{column}");
            assert_eq!((shadow[column as usize], shadow[2 * width + column as usize]), (0, 0));
        }
        Ok(())
    }
}
