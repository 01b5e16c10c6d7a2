//! A tile as its source has made it, and what level of detail needs to know of its chunks.

use std::sync::Arc;

use half::f16;

use super::chunk::{QUADS, TILE_CHUNKS};
use super::tile::{LandTile, TILE_BORDER, TILE_TEXELS};
use crate::error::{Error, Result};

/// Samples along a side of the heights that a tile is made from: its own with its border, and one more on
/// every side for the gradients of the outermost.
pub const TILE_HEIGHTS: usize = TILE_TEXELS + 2;

/// How many chunks a tile has.
pub const CHUNKS_IN_TILE: usize = (TILE_CHUNKS * TILE_CHUNKS) as usize;

/// What a source makes of a tile. All planes are row by row from the north-west.
#[derive(Clone, Debug, PartialEq)]
pub struct TileData {
    /// Heights in metres, [`TILE_HEIGHTS`]² of them: sample (0, 0) lies [`TILE_BORDER`] + 1 samples north and
    /// west of the tile's corner. Where a bounded land ends, its border goes on.
    pub heights: Vec<f32>,
    /// Rise per metre east and south, [`TILE_TEXELS`]² of them; `None`: that of the heights.
    pub gradients: Option<Vec<[f32; 2]>>,
    /// Colours, [`TILE_TEXELS`]² of them: texel (0, 0) is that of the cell [`TILE_BORDER`] cells north and
    /// west of the tile's corner. sRGB-encoded, and the share of the sky that is seen.
    pub colours: Vec<[u8; 4]>,
    /// Splat weights of the cells as the colours', four types a layer, layer after layer: 0 to 255.
    pub weights: Vec<[u8; 4]>,
}

/// What level of detail knows of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkFacts {
    /// The lowest height, metres.
    pub low: f32,
    /// The highest.
    pub high: f32,
    /// How far the ground lies from that of the next coarser level, metres: twice the root of the mean
    /// square, which about one sample in twenty exceeds.
    pub error: f32,
}

/// A tile ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeTile {
    /// Which it is.
    pub tile: LandTile,
    /// Heights in metres, [`TILE_TEXELS`]² of them.
    pub heights: Arc<[f32]>,
    /// Of its chunks, row by row.
    pub facts: [ChunkFacts; CHUNKS_IN_TILE],
    /// What only drawing needs.
    pub texels: TileTexels,
}

/// What is drawn of a tile beside its heights, [`TILE_TEXELS`]² of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileTexels {
    /// Rise per metre east and south at each height.
    pub gradients: Vec<[f16; 2]>,
    /// As of [`TileData`].
    pub colours: Vec<[u8; 4]>,
    /// As of [`TileData`].
    pub weights: Arc<[[u8; 4]]>,
}

impl MadeTile {
    /// Prepares what a source has made. `cell` is the distance between the tile's samples, metres.
    ///
    /// # Errors
    /// When a plane does not have the size that it should have, or a height is not a number.
    pub fn new(tile: LandTile, data: TileData, cell: f32) -> Result<Self> {
        let TileData { heights, gradients, colours, weights } = data;
        let texels = TILE_TEXELS * TILE_TEXELS;
        let fits = heights.len() == TILE_HEIGHTS * TILE_HEIGHTS
            && gradients.as_ref().is_none_or(|gradients| gradients.len() == texels)
            && colours.len() == texels
            && weights.len().is_multiple_of(texels);
        if !fits {
            let reason = format!(
                "has {} heights, {} colours and {} weights in place of {}, {texels} and a multiple of that",
                heights.len(),
                colours.len(),
                weights.len(),
                TILE_HEIGHTS * TILE_HEIGHTS,
            );
            return Err(Error::parameter("tile", reason));
        }
        if let Some(height) = heights.iter().find(|height| !height.is_finite()) {
            return Err(Error::parameter("tile", format!("has a height of {height}")));
        }
        let gradients = gradients.unwrap_or_else(|| gradients_of(&heights, cell));
        let inner: Vec<f32> = heights.chunks_exact(TILE_HEIGHTS).skip(1).take(TILE_TEXELS).fold(
            Vec::with_capacity(texels),
            |mut inner, row| {
                inner.extend_from_slice(&row[1..=TILE_TEXELS]);
                inner
            },
        );
        let facts = std::array::from_fn(|number| facts_of(&inner, number as i32));
        let half = |rise: f32| f16::from_f32(rise.clamp(f16::MIN.to_f32(), f16::MAX.to_f32()));
        let gradients = gradients.into_iter().map(|rise| rise.map(half)).collect();
        let texels = TileTexels { gradients, colours, weights: weights.into() };
        Ok(Self { tile, heights: inner.into(), facts, texels })
    }

    /// The height of a sample, counted from the tile's north-west corner: −[`TILE_BORDER`] to 131.
    pub fn height(&self, column: i64, row: i64) -> f32 {
        self.heights[place(column, row)]
    }
}

/// Where a sample, counted from the tile's north-west corner, is stored.
pub(super) fn place(column: i64, row: i64) -> usize {
    (row + TILE_BORDER) as usize * TILE_TEXELS + (column + TILE_BORDER) as usize
}

fn gradients_of(heights: &[f32], cell: f32) -> Vec<[f32; 2]> {
    let scale = 0.5 / cell;
    let mut gradients = Vec::with_capacity(TILE_TEXELS * TILE_TEXELS);
    for row in 1..=TILE_TEXELS {
        let at = |row: usize| &heights[row * TILE_HEIGHTS..][..TILE_HEIGHTS];
        let (north, here, south) = (at(row - 1), at(row), at(row + 1));
        let columns = 1..=TILE_TEXELS;
        gradients.extend(columns.map(|column| {
            [(here[column + 1] - here[column - 1]) * scale, (south[column] - north[column]) * scale]
        }));
    }
    gradients
}

/// The facts of chunk `number` of a tile.
fn facts_of(heights: &[f32], number: i32) -> ChunkFacts {
    let quads = i64::from(QUADS);
    let first = [number % TILE_CHUNKS, number / TILE_CHUNKS].map(|place| i64::from(place) * quads);
    let at = |column: i64, row: i64| heights[place(first[0] + column, first[1] + row)];
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    let mut squares = 0.0f64;
    for row in 0..=quads {
        for column in 0..=quads {
            let height = at(column, row);
            (low, high) = (low.min(height), high.max(height));
            // The coarser ground passes through every other sample, and its quads have their diagonal from the
            // north-east to the south-west.
            let coarser = match (column & 1, row & 1) {
                (0, 0) => height,
                (1, 0) => 0.5 * (at(column - 1, row) + at(column + 1, row)),
                (0, 1) => 0.5 * (at(column, row - 1) + at(column, row + 1)),
                _ => 0.5 * (at(column + 1, row - 1) + at(column - 1, row + 1)),
            };
            squares += f64::from(height - coarser).powi(2);
        }
    }
    let count = ((quads + 1) * (quads + 1)) as f64;
    ChunkFacts { low, high, error: 2.0 * (squares / count).sqrt() as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: LandTile = LandTile { level: 0, column: 0, row: 0 };

    fn data(height: impl Fn(i64, i64) -> f32) -> TileData {
        let first = -TILE_BORDER - 1;
        let side = TILE_HEIGHTS as i64;
        let places = (0..side * side).map(|index| (first + index % side, first + index / side));
        TileData {
            heights: places.map(|(column, row)| height(column, row)).collect(),
            gradients: None,
            colours: vec![[1, 2, 3, 4]; TILE_TEXELS * TILE_TEXELS],
            weights: Vec::new(),
        }
    }

    #[test]
    fn a_plane_has_its_gradient_everywhere_and_no_error() {
        let made =
            MadeTile::new(TILE, data(|column, row| 3.0 * column as f32 - 8.0 * row as f32), 2.0).unwrap();
        assert!(made.texels.gradients.iter().all(|rise| rise.map(f16::to_f32) == [1.5, -4.0]));
        assert_eq!((made.height(-4, -4), made.height(131, 0)), (20.0, 393.0));
        assert!(made.facts.iter().all(|facts| facts.error == 0.0));
        // The sixth chunk of the second row: from column 80 and row 16 on.
        let facts = made.facts[TILE_CHUNKS as usize + 5];
        assert_eq!((facts.low, facts.high), (3.0 * 80.0 - 8.0 * 32.0, 3.0 * 96.0 - 8.0 * 16.0));
    }

    #[test]
    fn the_error_is_that_of_leaving_every_other_sample_out() {
        // Every other column is 4 m high: half of the samples lie 4 m off, or 2 for those on diagonals.
        let made = MadeTile::new(TILE, data(|column, _| 4.0 * (column & 1) as f32), 1.0).unwrap();
        let share = f64::from(QUADS / 2) / f64::from(QUADS + 1);
        let expected = 2.0 * (share * 16.0).sqrt() as f32;
        assert!(made.facts.iter().all(|facts| (facts.error - expected).abs() < 1e-5), "{:?}", made.facts[0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |data: TileData| MadeTile::new(TILE, data, 1.0).unwrap_err().to_string();
        let mut short = data(|_, _| 1.0);
        short.heights.pop();
        assert!(refused(short).contains("19043 heights"), "the number is told");
        let mut uneven = data(|_, _| 1.0);
        uneven.weights.push([0; 4]);
        assert!(refused(uneven).contains("1 weights"));
        let mut hole = data(|_, _| 1.0);
        hole.heights[77] = f32::NAN;
        assert!(refused(hole).contains("NaN"));
    }
}
