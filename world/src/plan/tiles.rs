//! The tiles of a plan's land: rectangles of its samples, numbered row by row.

use upland_core::Window;

use super::document::{Pass, Plan};
use crate::outputs::Output;

/// A tile of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Its number.
    pub number: u32,
    /// Its column, from west to east.
    pub column: u32,
    /// Its row, from north to south.
    pub row: u32,
    /// Its samples. Tiles don't share any.
    pub samples: Window,
}

impl Tile {
    /// Its name, such as `x0003_y0007`.
    pub fn name(&self) -> String {
        format!("x{:04}_y{:04}", self.column, self.row)
    }
}

impl Plan {
    /// How many tiles the land has.
    pub fn tile_count(&self) -> u32 {
        let [columns, rows] = self.tiles();
        columns.saturating_mul(rows)
    }

    /// How many tiles of a pass have an object: one that ends the land with a single column or row of samples
    /// has no colours.
    pub fn tiles_with_objects(&self, pass: &Pass) -> u64 {
        let between = pass.kind.is_tiled() && pass.outputs.iter().all(Output::is_between_samples);
        let [columns, rows] = if between {
            self.land.size.map(|side| side.saturating_sub(1).div_ceil(self.tile))
        } else {
            pass.tiles
        };
        u64::from(columns) * u64::from(rows)
    }

    /// The tile with this number; `None` beyond the last one.
    pub fn tile_at(&self, number: u32) -> Option<Tile> {
        let [columns, _] = self.tiles();
        (number < self.tile_count()).then(|| {
            let (column, row) = (number % columns, number / columns);
            let (mut samples, place) = (self.window(), [column, row]);
            for axis in [0, 1] {
                // In 64 bits: the last tile may end where 32 bits do.
                let first = u64::from(place[axis]) * u64::from(self.tile);
                samples.first[axis] += first as i64;
                samples.size[axis] = u64::from(self.tile).min(u64::from(self.land.size[axis]) - first) as u32;
            }
            Tile { number, column, row, samples }
        })
    }

    /// The window whose cells a tile of colours covers. It has a sample more along x and z than the tile of
    /// heights, which the next tile begins with; where the land ends there is none. `None` for a tile without
    /// cells, at the end of a land with one sample more than its tiles cover.
    pub fn cells_of(&self, tile: &Tile) -> Option<Window> {
        let mut window = tile.samples;
        for axis in [0, 1] {
            let end = self.land.first[axis] + i64::from(self.land.size[axis]);
            let next = window.first[axis] + i64::from(window.size[axis]);
            window.size[axis] += u32::from(next < end);
        }
        (!window.size.contains(&1)).then_some(window)
    }

    /// The values of an output in a tile, along x and z; `None` if it has none there.
    pub fn size_in(&self, output: &Output, tile: &Tile) -> Option<[u32; 2]> {
        if output.is_between_samples() {
            self.cells_of(tile).map(|window| window.size.map(|side| side - 1))
        } else {
            Some(tile.samples.size)
        }
    }

    /// The objects of a tile of a pass.
    pub fn keys_of<'a>(&'a self, pass: &'a Pass, tile: Tile) -> impl Iterator<Item = (&'a Output, String)> {
        let has_values = move |output: &&Output| self.size_in(output, &tile).is_some();
        pass.outputs.iter().filter(has_values).map(move |output| (output, output.key(tile.column, tile.row)))
    }
}
