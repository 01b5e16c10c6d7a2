//! Fields with one more sample all around, so that every sample has eight neighbours.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// Values of a land and of a margin around it.
pub(super) struct Margin {
    pub(super) values: Vec<f32>,
    pub(super) stride: usize,
}

impl Margin {
    /// A field whose margin goes on as it falls or rises towards the border.
    pub(super) fn around(field: &Heightfield, work: &Work) -> Result<Self> {
        let Grid { width, depth, .. } = field.grid();
        let stride = width + 2;
        let mut values = vec![0.0; stride * (depth + 2)];
        let on = |border: f32, inner: f32| 2.0 * border - inner;
        values[stride..][..stride * depth].par_chunks_mut(stride).enumerate().try_for_each(
            |(row, values)| {
                work.check()?;
                let own = field.row(row);
                values[1..=width].copy_from_slice(own);
                values[0] = on(own[0], own[1.min(width - 1)]);
                values[width + 1] = on(own[width - 1], own[width.saturating_sub(2)]);
                Ok::<_, crate::Error>(())
            },
        )?;
        for (margin, border, inner) in
            [(0, 1, 2.min(depth)), (depth + 1, depth, depth.saturating_sub(1).max(1))]
        {
            for column in 0..stride {
                let value = |row: usize| values[row * stride + column];
                values[margin * stride + column] = on(value(border), value(inner));
            }
        }
        Ok(Self { values, stride })
    }

    /// Steps to the eight neighbours in a circle, from the one to the east over the south.
    pub(super) fn circle(&self) -> [isize; 8] {
        circle(self.stride)
    }
}

/// As [`Margin::circle`].
pub(super) fn circle(stride: usize) -> [isize; 8] {
    let row = stride as isize;
    [1, row + 1, row, row - 1, -1, -row - 1, -row, 1 - row]
}
