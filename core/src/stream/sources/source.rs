//! Sources of tiles.

use std::collections::hash_map::Entry;

use glam::DVec2;
use half::f16;
use rustc_hash::FxHashMap;

use super::made::{MadeTile, place as place_in_tile};
use super::relief::{Relief, checked};
use super::sculpted_tile;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::MOST_SHIFTED;
use crate::grid::{Heightfield, Window};
use crate::sculpt::Sculpture;
use crate::steps::no_layer;
use crate::stream::query::overhang::{highest_over, moved};
use crate::stream::query::samples::{GroundAt, ground_in, weights_in};
use crate::stream::shape::LandShape;
use crate::stream::tile::{LandTile, TILE_BORDER, TILE_CELLS};

/// A land that is made tile by tile: a recipe, a finished landscape, an elevation file.
///
/// Several tiles are made in parallel, on different threads, and in any order. The same tile must have the
/// same bits each time. Tiles of two levels should agree where their samples coincide: where they don't, the
/// ground moves as the eye comes closer.
pub trait TileSource: Send + Sync {
    /// Where there is land.
    fn shape(&self) -> LandShape;

    /// Layers of splat weights, of four types each, that are drawn of its tiles. Tiles may have more layers
    /// after these, which only answer queries for the ground cover.
    fn weight_layers(&self) -> usize {
        0
    }

    /// Whether its ground may lie away from its samples: all tiles of such land have shifts.
    fn is_shifted(&self) -> bool {
        false
    }

    /// Whether its ground may have holes: all tiles of such land have a layer for them.
    fn has_holes(&self) -> bool {
        false
    }

    /// Makes a tile that [`shape`](Self::shape) has.
    ///
    /// # Errors
    /// Those of the source, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile>;

    /// The heights of a window that lies on the land, row by row, metres, for strokes that need the ground
    /// around. Levels need not be those of tiles.
    ///
    /// By default interpolated linearly between the samples of tiles.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        heights_of_tiles(self, window, work)
    }

    /// Whether [`heights`](Self::heights) of a level are, bit for bit, those of its tiles.
    fn tells_by_tiles(&self, level: i32) -> bool {
        (self.shape().finest..=self.shape().coarsest).contains(&level)
    }

    /// Makes a tile of this land as strokes have changed it. Its other data follow the new ground as far as
    /// the source supports it; by default colours and weights stay as they are.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    fn make_sculpted(&self, tile: LandTile, sculpture: &Sculpture, work: &Work) -> Result<MadeTile> {
        let made = self.make(tile, work)?;
        let before = |window: Window| self.heights(window, work);
        sculpted_tile::of_made(made, &self.shape(), sculpture, &before, work)
    }

    /// The farthest that ground lies from its sample along either axis, metres.
    fn most_shifted(&self) -> f32 {
        if self.is_shifted() { MOST_SHIFTED } else { 0.0 }
    }

    /// The finest level whose ground differs from that of the next coarser one: below it triangles are only
    /// divided. This is the level of the finest tiles or a coarser one.
    fn finest_ground(&self) -> i32 {
        self.shape().finest
    }

    /// The ground of a window of samples, with the same bits as in tiles, without the data that only drawing
    /// needs: of any size, at a level that has tiles. Beyond the border of bounded land the border continues.
    ///
    /// Sources that can make heights without colours should override this: the default cuts the window out of
    /// tiles.
    ///
    /// # Errors
    /// As [`make`](Self::make); when the window is too large or too far away, or there are no tiles of its
    /// level.
    fn relief(&self, window: Window, work: &Work) -> Result<Relief> {
        relief_of_tiles(self, window, work)
    }

    /// The ground at a place on the land, in metres from sample (0, 0), as in tiles of the finest level: the
    /// highest where it overhangs.
    ///
    /// # Errors
    /// As [`make`](Self::make); when there is no land at the place, or a hole in it.
    fn ground(&self, place: DVec2, work: &Work) -> Result<ExactGround> {
        let shape = self.shape();
        let tile = finest_tile(&shape, place)?;
        let made = self.make(tile, work)?;
        let (x, z) = (place.x, place.y);
        if self.is_shifted()
            && let Some(highest) = highest_of_tiles(self, tile, place, work)?
        {
            return Ok(highest);
        }
        // Where shifted land has no ground, a hole may be the reason.
        if made.has_hole_at(place, &shape) {
            return Err(no_ground(place));
        }
        Ok(ExactGround {
            ground: ground_in(&made.heights, tile, &shape, x, z),
            weights: weights_in(&made.texels.weights, tile, &shape, x, z).collect(),
        })
    }

    /// The values of layers, by name, at a place on the land, in metres from sample (0, 0).
    ///
    /// # Errors
    /// As [`ground`](Self::ground), and when there is no layer of such a name. By default sources have no
    /// layers.
    fn layers(&self, place: DVec2, names: &[&str], work: &Work) -> Result<Vec<f32>> {
        let _ = (place, work);
        names.iter().map(|name| Err(no_layer("layers", name, []))).collect()
    }
}

/// The values of a source's layers at a place on the land, in metres from sample (0, 0): interpolated between
/// the four samples around it.
pub(in crate::stream) fn between(layers: &[&Heightfield], share: DVec2) -> Vec<f32> {
    let at = |layer: &&Heightfield| layer.sample(share.as_vec2() * layer.grid().cell);
    layers.iter().map(at).collect()
}

/// The ground at a place, as exactly as a source has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactGround {
    /// Height and rise.
    pub ground: GroundAt,
    /// The splat weights of all channels there, 0 to 255: four for each layer.
    pub weights: Vec<u8>,
}

/// The highest ground over a place, from its tile and those around whose ground may reach there; `None` if
/// there is none.
fn highest_of_tiles<S: TileSource + ?Sized>(
    source: &S,
    tile: LandTile,
    place: DVec2,
    work: &Work,
) -> Result<Option<ExactGround>> {
    let shape = source.shape();
    let cell = shape.cell_at(tile.level);
    // Ground of tiles as far away as the greatest shift may lie over the place.
    let around = (MOST_SHIFTED / (cell * TILE_CELLS as f32)).ceil() as i32;
    let tiles =
        (-around..=around).flat_map(|row| (-around..=around).map(move |column| tile.beside(column, row)));
    let mut highest: Option<ExactGround> = None;
    for tile in tiles.filter(|tile| shape.has(*tile)) {
        let made = source.make(tile, work)?;
        let end = shape.extent().unwrap_or(DVec2::INFINITY);
        let first = tile.first_sample();
        let at = |column: i64, row: i64| {
            let p = DVec2::new((first[0] + column) as f64, (first[1] + row) as f64) * f64::from(cell);
            let index = place_in_tile(column, row);
            let shift = made.texels.shifts.get(index).copied().unwrap_or_default();
            moved(p.min(end), made.heights[index], shift)
        };
        let hole = |column: i64, row: i64| {
            made.texels.holes.get(place_in_tile(column, row)).map_or(0.0, |share| share.to_f32())
        };
        let Some(found) = highest_over(place, [0..TILE_CELLS, 0..TILE_CELLS], at, hole) else { continue };
        if highest.as_ref().is_none_or(|highest| found.height > f64::from(highest.ground.height)) {
            let middle = found.cell.map(|number| number as f64 + 0.5);
            let middle =
                (DVec2::from(first.map(|first| first as f64)) + DVec2::from(middle)) * f64::from(cell);
            let weights = weights_in(&made.texels.weights, tile, &shape, middle.x, middle.y).collect();
            highest = Some(ExactGround { ground: found.ground(tile.level, cell), weights });
        }
    }
    Ok(highest)
}

/// The heights of a window from tiles of its level, or of the nearest level that has tiles.
fn heights_of_tiles<S: TileSource + ?Sized>(source: &S, window: Window, work: &Work) -> Result<Vec<f32>> {
    let shape = source.shape();
    let level = window.level.clamp(shape.finest, shape.coarsest);
    let spacing = libm::ldexp(f64::from(shape.cell), window.level);
    // Each tile is made once for the window, however many of its samples are needed.
    let mut tiles: FxHashMap<LandTile, MadeTile> = FxHashMap::default();
    let mut heights = Vec::with_capacity(window.size.iter().map(|side| *side as usize).product());
    for row in 0..i64::from(window.size[1]) {
        for column in 0..i64::from(window.size[0]) {
            let [x, z] =
                [window.first[0] + column, window.first[1] + row].map(|index| index as f64 * spacing);
            let tile = shape.tile_at(level, x, z);
            let made = match tiles.entry(tile) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(missing) => missing.insert(source.make(tile, work)?),
            };
            heights.push(ground_in(&made.heights, tile, &shape, x, z).height);
        }
    }
    Ok(heights)
}

/// The error for a place in a hole.
pub(in crate::stream) fn no_ground(place: DVec2) -> Error {
    let reason =
        format!("({}, {}) m from the first sample is in a hole, where there is no ground", place.x, place.y);
    Error::parameter(PLACE, reason)
}

/// Whether an error means that there is no ground at a place.
#[doc(hidden)]
pub fn is_no_ground(error: &Error) -> bool {
    matches!(error, Error::Parameter { name, .. } if name == PLACE)
}

/// The name in errors about a place.
const PLACE: &str = "place";

/// The finest tile at a place.
///
/// # Errors
/// When there is no land.
pub(in crate::stream) fn finest_tile(shape: &LandShape, place: DVec2) -> Result<LandTile> {
    let tile = shape.tile_at(shape.finest, place.x, place.y);
    // There is also none where tiles can no longer be counted.
    let is_counted = place.abs().max_element() < f64::from(1 << 30) * f64::from(shape.cell_at(shape.finest));
    if !shape.has_place(place.x, place.y) || !(is_counted || shape.size.is_some()) {
        let reason = format!("({}, {}) m from the first sample is not on the land", place.x, place.y);
        return Err(Error::parameter(PLACE, reason));
    }
    Ok(tile)
}

/// Cuts a window out of the tiles that contain it.
fn relief_of_tiles<S: TileSource + ?Sized>(source: &S, window: Window, work: &Work) -> Result<Relief> {
    let shape = source.shape();
    checked(&shape, window)?;
    let [width, depth] = window.size.map(|side| side as usize);
    let mut heights = vec![0.0; width * depth];
    let mut shifts = if source.is_shifted() { vec![[f16::ZERO; 2]; width * depth] } else { Vec::new() };
    let mut holes = if source.has_holes() { vec![f16::ZERO; width * depth] } else { Vec::new() };
    let (columns, rows) = (spans(&shape, window, 0), spans(&shape, window, 1));
    for (row, down) in &rows {
        for (column, along) in &columns {
            let tile = LandTile { level: window.level, column: *column, row: *row };
            let made = source.make(tile, work)?;
            let first = tile.first_sample();
            // Beyond the land's end its border continues.
            let in_tile = |index: usize, axis: usize| {
                let sample = window.first[axis] + index as i64 - first[axis];
                sample.clamp(-TILE_BORDER, TILE_CELLS + TILE_BORDER - 1)
            };
            for z in down.clone() {
                for x in along.clone() {
                    let index = place_in_tile(in_tile(x, 0), in_tile(z, 1));
                    heights[z * width + x] = made.heights[index];
                    if let (Some(shift), Some(found)) =
                        (shifts.get_mut(z * width + x), made.texels.shifts.get(index))
                    {
                        *shift = *found;
                    }
                    if let (Some(hole), Some(found)) =
                        (holes.get_mut(z * width + x), made.texels.holes.get(index))
                    {
                        *hole = *found;
                    }
                }
            }
        }
    }
    Relief::new(window, heights, shifts, holes)
}

/// Along an axis, the tiles that have a window's samples, and which samples of the window each has.
fn spans(shape: &LandShape, window: Window, axis: usize) -> Vec<(i32, std::ops::Range<usize>)> {
    // The last sample belongs to the last tile, which has it in its border.
    let end = shape.last_at(window.level).map(|last| ((last[axis] - 1) / TILE_CELLS).max(0));
    let mut spans: Vec<(i32, std::ops::Range<usize>)> = Vec::new();
    for index in 0..window.size[axis] as usize {
        let tile = (window.first[axis] + index as i64).div_euclid(TILE_CELLS);
        let tile = end.map_or(tile, |end| tile.clamp(0, end)) as i32;
        match spans.last_mut() {
            Some((last, span)) if *last == tile => span.end = index + 1,
            _ => spans.push((tile, index..index + 1)),
        }
    }
    spans
}
