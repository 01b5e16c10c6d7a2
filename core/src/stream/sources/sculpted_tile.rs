//! What strokes of a brush make of a tile.

use std::ops::Range;

use glam::Vec3;
use half::f16;

use super::made::{MadeTile, Samples, TileData, drawn_holes};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Window;
use crate::sculpt::{Before, Places, Sculpture};
use crate::stream::shape::LandShape;
use crate::stream::tile::{LandTile, TILE_BORDER, TILE_TEXELS};

/// The rectangle in which strokes change a tile: west, north, east, south, metres.
pub(in crate::stream) fn reach_of(tile: LandTile, shape: &LandShape) -> [f64; 4] {
    // One more than the border, for the gradients of the outermost texels.
    let border = f64::from(shape.cell_at(tile.level)) * (TILE_BORDER + 1) as f64;
    let (low, high) = tile.rectangle(shape.cell);
    [low.x - border, low.y - border, high.x + border, high.y + border]
}

/// The positions of the samples of a tile, with `border` more on every side: metres from the land's sample
/// (0, 0). Where a bounded land ends, positions end, too.
pub(in crate::stream) fn places_of(tile: LandTile, shape: &LandShape, border: i64) -> [Vec<f64>; 2] {
    places_in(tile.window(border as u32), shape)
}

/// The positions of the samples of a window: metres from the land's sample (0, 0). Where a bounded land ends,
/// positions end, too.
pub(in crate::stream) fn places_in(window: Window, shape: &LandShape) -> [Vec<f64>; 2] {
    let cell = libm::ldexp(f64::from(shape.cell), window.level);
    let end = shape.extent().map(|extent| extent.to_array());
    [0, 1].map(|axis| {
        let place = |index: i64| {
            let place = (window.first[axis] + index) as f64 * cell;
            end.map_or(place, |end| place.clamp(0.0, end[axis]))
        };
        (0..i64::from(window.size[axis])).map(place).collect()
    })
}

/// Lets strokes change the layer of holes in its drawn precision. An empty layer gets values if any stroke
/// cuts it. Strokes preserve the order of values, so rounding before or after gives the same.
pub(in crate::stream) fn cut_drawn(
    sculpture: &Sculpture,
    strokes: Range<usize>,
    holes: &mut Vec<f16>,
    places: Places,
) {
    if !sculpture.changes_holes(strokes.clone(), places.bounds()) {
        return;
    }
    let count = places.x.len() * places.z.len();
    let mut exact: Vec<f32> = holes.iter().map(|share| share.to_f32()).collect();
    exact.resize(count, 0.0);
    sculpture.cut(strokes, &mut exact, places);
    if !holes.is_empty() || exact.iter().any(|share| *share > 0.0) {
        *holes = drawn_holes(exact);
    }
}

/// Lets all strokes change the data of a tile: its heights and its layer of holes.
pub(in crate::stream) fn change_data(
    data: &mut TileData,
    sculpture: &Sculpture,
    places: Places,
    before: &Before,
    work: &Work,
) -> Result<()> {
    sculpture.change(&mut data.heights, places, before, work)?;
    if sculpture.changes_holes(0..usize::MAX, places.bounds()) {
        // Where there is no hole the layer is 0.
        data.holes.resize(data.heights.len(), 0.0);
        sculpture.cut(0..usize::MAX, &mut data.holes, places);
    }
    Ok(())
}

/// A tile with the heights and holes that strokes make of its own. Everything except its gradients stays.
pub(in crate::stream) fn of_made(
    made: MadeTile,
    shape: &LandShape,
    sculpture: &Sculpture,
    before: &Before,
    work: &Work,
) -> Result<MadeTile> {
    let MadeTile { tile, heights, mut texels, strokes, .. } = made;
    let mut changed = heights.to_vec();
    let [x, z] = places_of(tile, shape, TILE_BORDER);
    let places = Places { x: &x, z: &z };
    sculpture.change(&mut changed, places, before, work)?;
    let mut holes = texels.holes.to_vec();
    cut_drawn(sculpture, 0..usize::MAX, &mut holes, places);
    texels.holes = holes.into();
    let all = [0..TILE_TEXELS, 0..TILE_TEXELS];
    let ground = Ground { heights: &changed, shifts: &texels.shifts, cell: shape.cell_at(tile.level) };
    if texels.shifts.is_empty() {
        texels.gradients = ground.gradients(&all);
    } else {
        texels.normals = ground.normals(&all);
    }
    let cell = shape.cell_at(tile.level);
    let samples = Samples { heights: &changed, shifts: &texels.shifts, holes: &texels.holes, cell };
    let facts = std::array::from_fn(|number| samples.facts(0, number as i32));
    Ok(MadeTile { tile, heights: changed.into(), facts, strokes, texels })
}

/// The ground of a tile's own samples.
pub(in crate::stream) struct Ground<'a> {
    pub(in crate::stream) heights: &'a [f32],
    pub(in crate::stream) shifts: &'a [[f16; 2]],
    pub(in crate::stream) cell: f32,
}

/// Columns and rows of a tile's texels.
pub(in crate::stream) type Rect = [Range<usize>; 2];

impl Ground<'_> {
    /// The neighbouring samples on both sides, as far as there are any, and how many cells they span.
    fn span(index: usize) -> (usize, usize, f32) {
        let (before, after) = (index.saturating_sub(1), (index + 1).min(TILE_TEXELS - 1));
        (before, after, (after - before) as f32)
    }

    pub(in crate::stream) fn gradients(&self, [columns, rows]: &Rect) -> Vec<[f16; 2]> {
        let mut out = Vec::with_capacity(columns.len() * rows.len());
        for row in rows.clone() {
            let (north, south, down) = Self::span(row);
            for column in columns.clone() {
                let (west, east, right) = Self::span(column);
                let at = |column: usize, row: usize| self.heights[row * TILE_TEXELS + column];
                let rise = [
                    (at(east, row) - at(west, row)) / (right * self.cell),
                    (at(column, south) - at(column, north)) / (down * self.cell),
                ];
                out.push(rise.map(half));
            }
        }
        out
    }

    pub(in crate::stream) fn normals(&self, [columns, rows]: &Rect) -> Vec<[f16; 4]> {
        let at = |column: usize, row: usize| {
            let index = row * TILE_TEXELS + column;
            let [east, south] = self.shifts.get(index).map_or([0.0; 2], |shift| shift.map(f16::to_f32));
            Vec3::new(east, self.heights[index], south)
        };
        let mut out = Vec::with_capacity(columns.len() * rows.len());
        for row in rows.clone() {
            let (north, south, down) = Self::span(row);
            for column in columns.clone() {
                let (west, east, right) = Self::span(column);
                let to_east = (at(east, row) - at(west, row)) / (right * self.cell) + Vec3::X;
                let to_south = (at(column, south) - at(column, north)) / (down * self.cell) + Vec3::Z;
                out.push(to_south.cross(to_east).extend(0.0).to_array().map(half));
            }
        }
        out
    }
}

fn half(number: f32) -> f16 {
    f16::from_f32(number.clamp(f16::MIN.to_f32(), f16::MAX.to_f32()))
}
