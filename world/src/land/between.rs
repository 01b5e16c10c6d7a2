//! Heights between samples.

use rayon::prelude::*;

/// Where a sample lies along an axis: the index of the one before it, and the share of the way to the next.
pub(super) type Position = (i64, f64);

/// Values at samples of a rectangle, row by row.
pub(super) struct Samples<'a> {
    pub(super) values: &'a [f32],
    /// The index of the first column and row.
    pub(super) first: [i64; 2],
    /// Columns and rows; at least one of each.
    pub(super) size: [u32; 2],
}

/// How values between samples follow from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Curve {
    /// Catmull-Rom splines (Catmull and Rom, "A class of local interpolating splines", 1974): smooth, through
    /// the samples.
    Smooth,
    /// Straight lines, which never leave the range of the values around.
    Straight,
}

impl Curve {
    /// The weights of the two samples before and the two after.
    fn weights(self, t: f64) -> [f64; 4] {
        match self {
            Self::Straight => [0.0, 1.0 - t, t, 0.0],
            Self::Smooth => [
                ((2.0 - t) * t - 1.0) * t / 2.0,
                ((3.0 * t - 5.0) * t * t + 2.0) / 2.0,
                ((4.0 - 3.0 * t) * t + 1.0) * t / 2.0,
                (t - 1.0) * t * t / 2.0,
            ],
        }
    }
}

/// A place between four samples of a row or a column.
struct Tap {
    places: [usize; 4],
    weights: [f64; 4],
}

impl Samples<'_> {
    /// The values at all pairs of these columns and rows, row by row. Beyond the rectangle its border
    /// continues. A value depends on its position and the samples around alone, so that it is the same in
    /// every window.
    pub(super) fn at(&self, columns: &[Position], rows: &[Position], curve: Curve) -> Vec<f32> {
        let taps = |axis: usize, positions: &[Position]| -> Vec<Tap> {
            let last = i64::from(self.size[axis]) - 1;
            let place = |index: i64| (index - self.first[axis]).clamp(0, last) as usize;
            let tap = |&(index, share): &Position| Tap {
                places: [-1, 0, 1, 2].map(|offset| place(index + offset)),
                weights: curve.weights(share),
            };
            positions.iter().map(tap).collect()
        };
        let (across, down) = (taps(0, columns), taps(1, rows));
        let width = self.size[0] as usize;
        // Along rows first, into as many rows as there were.
        let mut wide = vec![0.0; columns.len() * self.size[1] as usize];
        wide.par_chunks_mut(columns.len().max(1)).zip(self.values.par_chunks(width)).for_each(
            |(out, line)| {
                for (out, tap) in out.iter_mut().zip(&across) {
                    *out = tap.of(|place| line[place]);
                }
            },
        );
        let mut values = vec![0.0; columns.len() * rows.len()];
        values.par_chunks_mut(columns.len().max(1)).zip(&down).for_each(|(out, tap)| {
            for (column, out) in out.iter_mut().enumerate() {
                *out = tap.of(|place| wide[place * columns.len() + column]);
            }
        });
        values
    }
}

impl Tap {
    fn of(&self, value: impl Fn(usize) -> f32) -> f32 {
        let products =
            self.places.iter().zip(&self.weights).map(|(place, weight)| f64::from(value(*place)) * weight);
        products.sum::<f64>() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_pass_through_the_samples_and_follow_planes() {
        let size = [7, 5];
        let plane = |x: f64, z: f64| 3.0 * x - 2.0 * z + 10.0;
        let values: Vec<f32> =
            (0..35).map(|index| plane(f64::from(index % 7), f64::from(index / 7)) as f32).collect();
        let samples = Samples { values: &values, first: [0, 0], size };
        for curve in [Curve::Smooth, Curve::Straight] {
            let own = |count: i64| (0..count).map(|index| (index, 0.0)).collect::<Vec<_>>();
            assert_eq!(samples.at(&own(7), &own(5), curve), values);
            let between = samples.at(&[(2, 0.25), (3, 0.5)], &[(1, 0.75), (2, 0.0)], curve);
            let expected =
                [(2.25, 1.75), (3.5, 1.75), (2.25, 2.0), (3.5, 2.0)].map(|(x, z)| plane(x, z) as f32);
            assert_eq!(between, expected);
            let beyond = samples.at(&[(-9, 0.5), (40, 0.1)], &[(0, 0.0)], curve);
            assert_eq!(beyond, [values[0], values[6]]);
        }
    }

    #[test]
    fn a_part_gives_the_same_bits() {
        let values: Vec<f32> = (0..100).map(|index| ((index * 37) % 11) as f32).collect();
        let whole = Samples { values: &values, first: [-3, 4], size: [10, 10] };
        let inner: Vec<f32> = (2..8).flat_map(|row| values[row * 10 + 1..row * 10 + 9].to_vec()).collect();
        let part = Samples { values: &inner, first: [-2, 6], size: [8, 6] };
        let (columns, rows) = ([(0, 0.3), (2, 0.7)], [(7, 0.1), (8, 0.9)]);
        assert_eq!(whole.at(&columns, &rows, Curve::Smooth), part.at(&columns, &rows, Curve::Smooth));
    }
}
