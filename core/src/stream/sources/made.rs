//! A tile as its source has made it, and facts about its chunks for the level of detail.

use std::sync::Arc;

use glam::{DVec2, Vec2, Vec3};
use half::f16;

use crate::error::{Error, Result};
use crate::grid::layer::MOST_SHIFTED;
use crate::grid::{finite_rise, is_hole, on_triangles};
use crate::stream::drawing::chunk::{QUADS, TILE_CHUNKS};
use crate::stream::shape::LandShape;
use crate::stream::tile::{LandTile, TILE_BORDER, TILE_CELLS, TILE_TEXELS};

/// Samples along a side of the heights from which a tile is made: its own with its border, and one more on
/// every side for the gradients of the outermost.
pub const TILE_HEIGHTS: usize = TILE_TEXELS + 2;

/// The number of chunks in a tile.
pub const CHUNKS_IN_TILE: usize = (TILE_CHUNKS * TILE_CHUNKS) as usize;

/// The data that a source makes for a tile. All planes are row by row from the north-west.
#[derive(Clone, Debug, PartialEq)]
pub struct TileData {
    /// Heights in metres, [`TILE_HEIGHTS`]² of them: sample (0, 0) lies [`TILE_BORDER`] + 1 samples north and
    /// west of the tile's corner. Where a bounded land ends, the heights of its border continue.
    pub heights: Vec<f32>,
    /// How far the ground at each height lies east and south of its sample, metres; empty where all ground
    /// lies on its samples. Shifts beyond 100 m are clamped to that.
    pub shifts: Vec<[f32; 2]>,
    /// Where there is no ground: the layer `hole` at each height, 0 to 1; empty for land without holes. Where
    /// a bounded land ends, its border continues as for heights.
    pub holes: Vec<f32>,
    /// Rise per metre east and south, [`TILE_TEXELS`]² of them; with `None` they follow from the heights. The
    /// gradients of shifted ground always follow from its shape.
    pub gradients: Option<Vec<[f32; 2]>>,
    /// Colours, [`TILE_TEXELS`]² of them: texel (0, 0) belongs to the cell [`TILE_BORDER`] cells north and
    /// west of the tile's corner. sRGB-encoded, and in the last channel the visible share of the sky.
    pub colours: Vec<[u8; 4]>,
    /// Splat weights of the same cells as the colours, four types a layer, layer after layer: 0 to 255.
    pub weights: Vec<[u8; 4]>,
}

impl TileData {
    /// Memory of its planes, in bytes.
    pub(in crate::stream) fn bytes(&self) -> u64 {
        let Self { heights, shifts, holes, gradients, colours, weights } = self;
        let rises = gradients.as_deref().unwrap_or_default();
        let numbers = size_of_val(&heights[..]) + size_of_val(&holes[..]);
        let pairs = size_of_val(&shifts[..]) + size_of_val(rises);
        (numbers + pairs + size_of_val(&colours[..]) + size_of_val(&weights[..])) as u64
    }
}

/// Facts about a chunk that decide its level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkFacts {
    /// The lowest height, metres.
    pub low: f32,
    /// The highest.
    pub high: f32,
    /// How far the ground lies from that of the next coarser level, metres: twice the root mean square, which
    /// about one sample in twenty exceeds. At the edge of a hole, at least half the distance between samples.
    pub error: f32,
    /// The farthest that ground lies from its sample along either axis, metres.
    pub spread: f32,
}

/// A tile ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeTile {
    /// Its place and level.
    pub tile: LandTile,
    /// Heights in metres, [`TILE_TEXELS`]² of them.
    pub heights: Arc<[f32]>,
    /// Facts about its chunks, row by row.
    pub facts: [ChunkFacts; CHUNKS_IN_TILE],
    /// How many strokes of a brush its heights include.
    pub strokes: usize,
    /// The data that only drawing needs.
    pub texels: TileTexels,
}

/// The data of a tile that are drawn in addition to its heights, [`TILE_TEXELS`]² of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileTexels {
    /// How far the ground lies east and south of each sample, metres; empty where it lies on its samples.
    pub shifts: Arc<[[f16; 2]]>,
    /// The layer `hole` at each height, 0 to 1: there is no ground where it is above
    /// [`HOLE_FROM`](crate::grid::HOLE_FROM). Empty for land without holes.
    pub holes: Arc<[f16]>,
    /// Rise per metre east and south at each height; empty where the ground is shifted.
    pub gradients: Vec<[f16; 2]>,
    /// The ground's normal at each height, of any length, where the ground is shifted; the last number is 0.
    pub normals: Vec<[f16; 4]>,
    /// As in [`TileData`].
    pub colours: Vec<[u8; 4]>,
    /// As in [`TileData`].
    pub weights: Arc<[[u8; 4]]>,
}

impl MadeTile {
    /// Prepares the data of a source. `cell` is the distance between the tile's samples, metres.
    ///
    /// # Errors
    /// When a plane has the wrong size, or a height is not a number.
    pub fn new(tile: LandTile, data: TileData, cell: f32) -> Result<Self> {
        let TileData { heights, shifts, holes, gradients, colours, weights } = data;
        let texels = TILE_TEXELS * TILE_TEXELS;
        let fits = heights.len() == TILE_HEIGHTS * TILE_HEIGHTS
            && (shifts.is_empty() || shifts.len() == heights.len())
            && (holes.is_empty() || holes.len() == heights.len())
            && gradients.as_ref().is_none_or(|gradients| gradients.len() == texels)
            && colours.len() == texels
            && weights.len().is_multiple_of(texels);
        if !fits {
            let reason = format!(
                "has {} heights, {} shifts, {} holes, {} colours and {} weights in place of {}, none or as many, none \
                 or as many, {texels} and a multiple of that",
                heights.len(),
                shifts.len(),
                holes.len(),
                colours.len(),
                weights.len(),
                TILE_HEIGHTS * TILE_HEIGHTS,
            );
            return Err(Error::parameter("tile", reason));
        }
        if let Some(height) = heights.iter().find(|height| !height.is_finite()) {
            return Err(Error::parameter("tile", format!("has a height of {height}")));
        }
        if let Some(shift) = shifts.as_flattened().iter().find(|shift| !shift.is_finite()) {
            return Err(Error::parameter("tile", format!("has a shift of {shift}")));
        }
        if let Some(share) = holes.iter().find(|share| !share.is_finite()) {
            return Err(Error::parameter("tile", format!("has a hole of {share}")));
        }
        let (shifts, holes) = (drawn_shifts(shifts), drawn_holes(holes));
        // Clamped to the largest finite half: infinity would become NaN in the shader's interpolation.
        let half = |rise: f32| f16::from_f32(rise.clamp(f16::MIN.to_f32(), f16::MAX.to_f32()));
        let (mut slopes, mut normals) = (Vec::new(), Vec::new());
        if shifts.is_empty() {
            let gradients = gradients.unwrap_or_else(|| gradients_of(&heights, cell));
            slopes = gradients.into_iter().map(|rise| rise.map(half)).collect();
        } else {
            let normal = |normal: Vec3| normal.extend(0.0).to_array().map(half);
            normals = normals_of(&heights, &shifts, cell).into_iter().map(normal).collect();
        }
        let (heights, shifts, holes) = (inner(&heights), inner(&shifts), inner(&holes));
        let samples = Samples { heights: &heights, shifts: &shifts, holes: &holes, cell };
        let facts = std::array::from_fn(|number| samples.facts(0, number as i32));
        let (shifts, holes, weights) = (shifts.into(), holes.into(), weights.into());
        let texels = TileTexels { shifts, holes, gradients: slopes, normals, colours, weights };
        Ok(Self { tile, heights: heights.into(), facts, strokes: 0, texels })
    }

    /// The height of a sample, counted from the tile's north-west corner: −[`TILE_BORDER`] to 131.
    pub fn height(&self, column: i64, row: i64) -> f32 {
        self.heights[place(column, row)]
    }

    /// Whether there is no ground in the middle of a cell, counted like samples: for users that have ground
    /// in a whole cell or none, such as a physics engine's heightfield.
    pub fn is_hole(&self, column: i64, row: i64) -> bool {
        is_hole(hole_in(&self.texels.holes, [column, row], [0.5; 2]))
    }

    /// Whether the edge of a hole crosses a cell, counted like samples: some of its corners have ground and
    /// others don't.
    pub fn is_hole_edge(&self, column: i64, row: i64) -> bool {
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(east, south)| {
            self.texels
                .holes
                .get(place(column + east, row + south))
                .is_some_and(|share| is_hole(share.to_f32()))
        });
        corners.contains(&true) && corners.contains(&false)
    }

    /// Whether there is no ground at a place, metres from the land's sample (0, 0), as it is drawn: exact
    /// between samples. Places outside the tile count as those of its border.
    pub fn has_hole_at(&self, place: DVec2, shape: &LandShape) -> bool {
        !self.texels.holes.is_empty() && is_hole(hole_at(&self.texels.holes, self.tile, shape, place))
    }
}

/// Shifts with the precision with which they are drawn.
pub(in crate::stream) fn drawn_shifts(shifts: Vec<[f32; 2]>) -> Vec<[f16; 2]> {
    let drawn = |metres: f32| f16::from_f32(metres.clamp(-MOST_SHIFTED, MOST_SHIFTED));
    shifts.into_iter().map(|shift| shift.map(drawn)).collect()
}

/// The layer of holes with the precision with which it is drawn.
pub(in crate::stream) fn drawn_holes(holes: Vec<f32>) -> Vec<f16> {
    holes.into_iter().map(|share| f16::from_f32(share.clamp(0.0, 1.0))).collect()
}

/// The layer `hole` of a tile at a place on the land, metres.
pub(in crate::stream) fn hole_at(holes: &[f16], tile: LandTile, shape: &LandShape, at: DVec2) -> f32 {
    let cell = f64::from(shape.cell_at(tile.level));
    let first = tile.first_sample();
    let in_tile = at / cell - DVec2::new(first[0] as f64, first[1] as f64);
    let corner = in_tile.floor().clamp(DVec2::ZERO, DVec2::splat((TILE_CELLS - 1) as f64));
    let share = (in_tile - corner).clamp(DVec2::ZERO, DVec2::ONE);
    hole_in(holes, [corner.x as i64, corner.y as i64], share.to_array())
}

/// The layer `hole` of a tile within a cell, at shares of it to the east and south; 0 for land without holes.
fn hole_in(holes: &[f16], [column, row]: [i64; 2], share: [f64; 2]) -> f32 {
    let at = |column: i64, row: i64| holes.get(place(column, row)).map_or(0.0, |share| share.to_f32());
    let row_of = |row: i64| [at(column, row), at(column + 1, row)];
    on_triangles(row_of(row), row_of(row + 1), share)
}

/// The tile's own part of a plane that has one more value on every side; empty for an empty plane.
fn inner<T: Copy>(plane: &[T]) -> Vec<T> {
    let rows = plane.chunks_exact(TILE_HEIGHTS).skip(1).take(TILE_TEXELS);
    rows.flat_map(|row| &row[1..=TILE_TEXELS]).copied().collect()
}

/// The index at which a sample, counted from the tile's north-west corner, is stored.
pub(in crate::stream) fn place(column: i64, row: i64) -> usize {
    (row + TILE_BORDER) as usize * TILE_TEXELS + (column + TILE_BORDER) as usize
}

pub(in crate::stream) fn gradients_of(heights: &[f32], cell: f32) -> Vec<[f32; 2]> {
    let scale = 0.5 / cell;
    let mut gradients = Vec::with_capacity(TILE_TEXELS * TILE_TEXELS);
    for row in 1..=TILE_TEXELS {
        let at = |row: usize| &heights[row * TILE_HEIGHTS..][..TILE_HEIGHTS];
        let (north, here, south) = (at(row - 1), at(row), at(row + 1));
        let columns = 1..=TILE_TEXELS;
        gradients.extend(columns.map(|column| {
            let rises = [here[column + 1] - here[column - 1], south[column] - north[column]];
            rises.map(|rise| finite_rise(rise * scale))
        }));
    }
    gradients
}

/// The normals of shifted ground, of any length: the cross product of its change to the south and to the
/// east.
fn normals_of(heights: &[f32], shifts: &[[f16; 2]], cell: f32) -> Vec<Vec3> {
    let scale = 0.5 / cell;
    let mut normals = Vec::with_capacity(TILE_TEXELS * TILE_TEXELS);
    for row in 1..=TILE_TEXELS {
        for column in 1..=TILE_TEXELS {
            let at = |column: usize, row: usize| {
                let index = row * TILE_HEIGHTS + column;
                let [east, south] = shifts[index].map(f16::to_f32);
                Vec3::new(east, heights[index], south)
            };
            // The horizontal part is bounded by the shifts; only the rise can be beyond all bounds.
            let finite = |along: Vec3| along.with_y(finite_rise(along.y));
            let east = finite((at(column + 1, row) - at(column - 1, row)) * scale + Vec3::X);
            let south = finite((at(column, row + 1) - at(column, row - 1)) * scale + Vec3::Z);
            normals.push(south.cross(east));
        }
    }
    normals
}

/// The drawn ground of a tile, [`TILE_TEXELS`]² of each; shifts and holes may be empty.
pub(in crate::stream) struct Samples<'a> {
    pub(in crate::stream) heights: &'a [f32],
    pub(in crate::stream) shifts: &'a [[f16; 2]],
    pub(in crate::stream) holes: &'a [f16],
    /// Metres between samples.
    pub(in crate::stream) cell: f32,
}

/// How far the edge of a hole may move when every other sample is left out, as a share of the distance
/// between samples.
const EDGE_OFF: f32 = 0.5;

impl Samples<'_> {
    /// Facts about a chunk `coarser` levels above the tile (0: its own level); `number` counts that level's
    /// chunks row by row.
    pub(in crate::stream) fn facts(&self, coarser: i32, number: i32) -> ChunkFacts {
        let Self { heights, shifts, holes, cell } = *self;
        let quads = i64::from(QUADS);
        let side = TILE_CHUNKS >> coarser;
        let first = [number % side, number / side].map(|place| i64::from(place) * quads);
        let index =
            |column: i64, row: i64| place((first[0] + column) << coarser, (first[1] + row) << coarser);
        let at = |column: i64, row: i64| heights[index(column, row)];
        let shift = |column: i64, row: i64| Vec2::from(shifts[index(column, row)].map(f16::to_f32));
        let (mut low, mut high, mut spread) = (f32::INFINITY, f32::NEG_INFINITY, 0.0f32);
        let (mut has_ground, mut has_none) = (false, false);
        let mut squares = 0.0f64;
        for row in 0..=quads {
            for column in 0..=quads {
                let height = at(column, row);
                (low, high) = (low.min(height), high.max(height));
                if let Some(share) = holes.get(index(column, row)) {
                    *(if is_hole(share.to_f32()) { &mut has_none } else { &mut has_ground }) = true;
                }
                // The coarser ground passes through every other sample, and its quads have their diagonal
                // from the north-east to the south-west.
                let between = match (column & 1, row & 1) {
                    (0, 0) => [(column, row); 2],
                    (1, 0) => [(column - 1, row), (column + 1, row)],
                    (0, 1) => [(column, row - 1), (column, row + 1)],
                    _ => [(column + 1, row - 1), (column - 1, row + 1)],
                };
                let coarser = between.map(|(column, row)| at(column, row));
                // A vertex that both levels share has no error, to the bit.
                let coarser = if between[0] == between[1] { height } else { 0.5 * (coarser[0] + coarser[1]) };
                // In f64: squares of large heights would overflow f32.
                squares += f64::from(height - coarser).powi(2);
                if !shifts.is_empty() {
                    let own = shift(column, row);
                    let coarser = between.map(|(column, row)| shift(column, row));
                    squares += f64::from(own.distance_squared(0.5 * (coarser[0] + coarser[1])));
                    spread = spread.max(own.abs().max_element());
                }
            }
        }
        let count = ((quads + 1) * (quads + 1)) as f64;
        let of_ground = 2.0 * (squares / count).sqrt() as f32;
        let of_edges = if has_ground && has_none { EDGE_OFF * libm::ldexpf(cell, coarser) } else { 0.0 };
        ChunkFacts { low, high, error: of_ground.max(of_edges), spread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::layer::MOST_SHIFTED;

    const TILE: LandTile = LandTile { level: 0, column: 0, row: 0 };

    fn data(height: impl Fn(i64, i64) -> f32) -> TileData {
        let first = -TILE_BORDER - 1;
        let side = TILE_HEIGHTS as i64;
        let places = (0..side * side).map(|index| (first + index % side, first + index / side));
        TileData {
            heights: places.map(|(column, row)| height(column, row)).collect(),
            shifts: Vec::new(),
            holes: Vec::new(),
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
        // The sixth chunk of the second row: it begins at column 80 and row 16.
        let facts = made.facts[TILE_CHUNKS as usize + 5];
        assert_eq!((facts.low, facts.high), (3.0 * 80.0 - 8.0 * 32.0, 3.0 * 96.0 - 8.0 * 16.0));
    }

    #[test]
    fn the_error_is_that_of_omitting_every_other_sample() {
        // Every other column is 4 m high, so half of the samples lie 4 m off, or 2 m for those on diagonals.
        let made = MadeTile::new(TILE, data(|column, _| 4.0 * (column & 1) as f32), 1.0).unwrap();
        let share = f64::from(QUADS / 2) / f64::from(QUADS + 1);
        let expected = 2.0 * (share * 16.0).sqrt() as f32;
        assert!(made.facts.iter().all(|facts| (facts.error - expected).abs() < 1e-5), "{:?}", made.facts[0]);
    }

    #[test]
    fn the_edge_of_a_hole_is_an_error_of_half_a_cell_and_its_inside_none() {
        let mut holed = data(|_, _| 7.0);
        let side = TILE_HEIGHTS as i64;
        // No ground west of column 24: in the first chunk of each row, and in half of the second.
        let column = |index: i64| index % side - TILE_BORDER - 1;
        holed.holes = (0..side * side).map(|index| if column(index) < 24 { 1.0 } else { 0.0 }).collect();
        let made = MadeTile::new(TILE, holed, 3.0).unwrap();
        for (number, facts) in made.facts.iter().enumerate() {
            let expected = if number as i32 % TILE_CHUNKS == 1 { 1.5 } else { 0.0 };
            assert_eq!(facts.error, expected, "chunk {number}");
        }
        let TileTexels { shifts, holes, .. } = &made.texels;
        let samples = Samples { heights: &made.heights, shifts, holes, cell: 3.0 };
        // One chunk of the next level has the edge, with cells twice as wide.
        assert_eq!([0, 1].map(|number| samples.facts(1, number).error), [3.0, 0.0]);
    }

    #[test]
    fn shifted_ground_has_the_normals_and_facts_of_its_new_shape() {
        // A plane that rises 2 m per metre to the east and is stretched to three times its width: 2 m in 3.
        let mut shifted = data(|column, _| 2.0 * column as f32);
        let first = -TILE_BORDER - 1;
        let columns = (0..TILE_HEIGHTS * TILE_HEIGHTS).map(|index| first + (index % TILE_HEIGHTS) as i64);
        shifted.shifts = columns.map(|column| [2.0 * column as f32 / 8.0, -1.0]).collect();
        let made = MadeTile::new(TILE, shifted.clone(), 1.0).unwrap();
        assert!(made.texels.gradients.is_empty());
        for normal in &made.texels.normals {
            let [east, up, south, rest] = normal.map(f16::to_f32);
            assert_eq!((east / up, south / up, rest), (-2.0 / 1.25, 0.0, 0.0));
        }
        assert!(made.facts.iter().all(|facts| facts.error == 0.0));
        assert_eq!(made.facts[TILE_CHUNKS as usize - 1].spread, 32.0);
        // The largest shift.
        shifted.shifts.iter_mut().for_each(|shift| shift[0] = 1e9);
        let made = MadeTile::new(TILE, shifted.clone(), 1.0).unwrap();
        assert!(made.facts.iter().all(|facts| facts.spread == MOST_SHIFTED));
        // Every other column of level ground 4 m to the south.
        let mut zigzag = data(|_, _| 7.0);
        zigzag.shifts = (0..TILE_HEIGHTS * TILE_HEIGHTS)
            .map(|index| [0.0, 4.0 * ((first + (index % TILE_HEIGHTS) as i64) & 1) as f32])
            .collect();
        let made = MadeTile::new(TILE, zigzag, 1.0).unwrap();
        let share = f64::from(QUADS / 2) / f64::from(QUADS + 1);
        assert!((made.facts[0].error - 2.0 * (share * 16.0).sqrt() as f32).abs() < 1e-5);
    }

    #[test]
    fn planes_of_the_wrong_size_are_refused() {
        let refused = |data: TileData| MadeTile::new(TILE, data, 1.0).unwrap_err().to_string();
        let mut short = data(|_, _| 1.0);
        short.heights.pop();
        assert!(refused(short).contains("19043 heights"), "the number is reported");
        let mut shifted = data(|_, _| 1.0);
        shifted.shifts = vec![[0.0; 2]; 7];
        assert!(refused(shifted.clone()).contains("7 shifts"));
        shifted.shifts = vec![[0.0, f32::INFINITY]; TILE_HEIGHTS * TILE_HEIGHTS];
        assert!(refused(shifted).contains("a shift of inf"));
        let mut uneven = data(|_, _| 1.0);
        uneven.weights.push([0; 4]);
        assert!(refused(uneven).contains("1 weights"));
        let mut hole = data(|_, _| 1.0);
        hole.heights[77] = f32::NAN;
        assert!(refused(hole).contains("NaN"));
    }
}
