//! Tiles of land that strokes of a brush have changed.
//!
//! A tile that no stroke touches is that of the land before them. One that is touched gets its heights and holes from the
//! strokes before anything else is made of it, so that colours, weights and normals are those of the new ground. What is drawn
//! already need not wait for that: [`Residency::sculpt`] changes the heights of resident tiles at once, and only those
//! texels that a stroke reaches.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec2, Vec3};
use half::f16;

use super::chunk::QUADS;
use super::made::{ChunkFacts, MadeTile, Samples, TILE_HEIGHTS, TileData};
use super::relief::{Relief, drawn_holes};
use super::residency::{Known, Residency, range_of};
use super::shape::LandShape;
use super::source::TileSource;
use super::tile::{LandTile, TILE_BORDER, TILE_TEXELS};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Window;
use crate::sculpt::{Before, EVERYWHERE, Places, Sculpture};

/// A source whose land strokes have changed.
pub struct SculptedSource {
    land: Arc<dyn TileSource>,
    sculpture: Arc<Sculpture>,
    /// Whether any stroke changes heights.
    has_ground: bool,
    /// Whether any stroke cuts a hole.
    has_holes: bool,
}

impl SculptedSource {
    /// The land that strokes make of that of another source.
    pub fn new(land: Arc<dyn TileSource>, sculpture: Arc<Sculpture>) -> Self {
        let has_ground = sculpture.changes(0..usize::MAX, EVERYWHERE);
        let has_holes = land.has_holes() || sculpture.has_holes();
        Self { land, sculpture, has_ground, has_holes }
    }
}

impl TileSource for SculptedSource {
    fn shape(&self) -> LandShape {
        self.land.shape()
    }

    fn weight_layers(&self) -> usize {
        self.land.weight_layers()
    }

    fn is_shifted(&self) -> bool {
        self.land.is_shifted()
    }

    fn has_holes(&self) -> bool {
        self.has_holes
    }

    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        let mut heights = self.land.heights(window, work)?;
        let cell = libm::ldexp(f64::from(self.shape().cell), window.level);
        let [x, z] = [0, 1].map(|axis| {
            let along = 0..i64::from(window.size[axis]);
            along.map(|index| (window.first[axis] + index) as f64 * cell).collect::<Vec<f64>>()
        });
        let before = |window: Window| self.land.heights(window, work);
        self.sculpture.change(&mut heights, Places { x: &x, z: &z }, &before, work)?;
        Ok(heights)
    }

    fn most_shifted(&self) -> f32 {
        self.land.most_shifted()
    }

    /// Strokes have samples of their own on the finest tiles, also where the land between its samples is level triangles.
    fn finest_ground(&self) -> i32 {
        if self.has_ground { self.shape().finest } else { self.land.finest_ground() }
    }

    fn relief(&self, window: Window, work: &Work) -> Result<Relief> {
        let Relief { mut heights, shifts, mut holes, .. } = self.land.relief(window, work)?;
        let [x, z] = places_in(window, &self.shape());
        let (places, before) = (Places { x: &x, z: &z }, |window: Window| self.land.heights(window, work));
        self.sculpture.change(&mut heights, places, &before, work)?;
        if self.has_holes {
            // Where there is no hole the layer is 0.
            holes.resize(heights.len(), f16::ZERO);
            cut_drawn(&self.sculpture, 0..usize::MAX, &mut holes, places);
        }
        Relief::new(window, heights, shifts, holes)
    }

    /// Those of the land before strokes.
    fn layers(&self, place: DVec2, names: &[&str], work: &Work) -> Result<Vec<f32>> {
        self.land.layers(place, names, work)
    }

    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
        let made = match self.sculpture.touches(0..usize::MAX, reach_of(tile, &self.shape())) {
            true => self.land.make_sculpted(tile, &self.sculpture, work)?,
            false => self.land.make(tile, work)?,
        };
        Ok(MadeTile { strokes: self.sculpture.len(), ..made })
    }
}

/// The rectangle in which strokes change a tile: west, north, east, south, metres.
pub(super) fn reach_of(tile: LandTile, shape: &LandShape) -> [f64; 4] {
    let border = f64::from(shape.cell_at(tile.level)) * (TILE_BORDER + 1) as f64;
    let (low, high) = tile.rectangle(shape.cell);
    [low.x - border, low.y - border, high.x + border, high.y + border]
}

/// Where the samples of a tile lie, with so many more on every side: metres from the land's sample (0, 0). Where a bounded land ends, they do.
pub(super) fn places_of(tile: LandTile, shape: &LandShape, border: i64) -> [Vec<f64>; 2] {
    places_in(tile.window(border as u32), shape)
}

/// Where the samples of a window lie: metres from the land's sample (0, 0). Where a bounded land ends, they do.
fn places_in(window: Window, shape: &LandShape) -> [Vec<f64>; 2] {
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

/// Lets strokes change the layer of holes as it is drawn; one that is empty gets values if any of them is cut. What strokes
/// make of a value keeps the order of values, so rounding before or after is the same.
fn cut_drawn(sculpture: &Sculpture, strokes: Range<usize>, holes: &mut Vec<f16>, places: Places) {
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

/// Lets all strokes change what a tile is made of: its heights and its layer of holes.
pub(super) fn change_data(
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

/// A tile with other heights and holes: those that strokes make of its own. Everything but its gradients stays.
pub(super) fn of_made(
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
    match texels.shifts.is_empty() {
        true => texels.gradients = ground.gradients(&all),
        false => texels.normals = ground.normals(&all),
    }
    let cell = shape.cell_at(tile.level);
    let samples = Samples { heights: &changed, shifts: &texels.shifts, holes: &texels.holes, cell };
    let facts = std::array::from_fn(|number| samples.facts(0, number as i32));
    Ok(MadeTile { tile, heights: changed.into(), facts, strokes, texels })
}

/// The ground of a tile's own samples.
struct Ground<'a> {
    heights: &'a [f32],
    shifts: &'a [[f16; 2]],
    cell: f32,
}

/// Columns and rows of a tile's texels.
type Rect = [Range<usize>; 2];

impl Ground<'_> {
    /// The change from a sample to the next on both sides of it, as far as there are any, and how many cells that spans.
    fn span(index: usize) -> (usize, usize, f32) {
        let (before, after) = (index.saturating_sub(1), (index + 1).min(TILE_TEXELS - 1));
        (before, after, (after - before) as f32)
    }

    fn gradients(&self, [columns, rows]: &Rect) -> Vec<[f16; 2]> {
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

    fn normals(&self, [columns, rows]: &Rect) -> Vec<[f16; 4]> {
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

/// What has changed of a resident tile's texels: a rectangle of them, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Resculpted {
    /// The slot that the tile lies in.
    pub slot: u32,
    /// The first column and row, counted from the tile's first texel.
    pub first: [usize; 2],
    /// How many columns and rows.
    pub size: [usize; 2],
    /// Heights, metres.
    pub heights: Vec<f32>,
    /// How far the ground stands beside them, as it was; empty where it doesn't.
    pub shifts: Vec<[f16; 2]>,
    /// The layer of holes at them; empty of tiles without any.
    pub holes: Vec<f16>,
    /// Rise per metre east and south; empty where the ground is shifted.
    pub gradients: Vec<[f16; 2]>,
    /// Normals, where it is.
    pub normals: Vec<[f16; 4]>,
}

impl Residency {
    /// Brings the resident tiles up to date with the strokes before number `end` that touch them, as far as is known what
    /// these make of their heights and holes, and returns what has changed, for the device. All that are touched are to be made anew,
    /// because more than their heights may follow; they are drawn as they are until they have been.
    pub fn sculpt(&mut self, sculpture: &Sculpture, end: usize) -> Vec<Resculpted> {
        let mut tiles: Vec<LandTile> = self.behind(end);
        // From fine to coarse, as what is known of coarse tiles includes what is known of finer ones.
        tiles.sort_unstable();
        tiles.into_iter().filter_map(|tile| self.sculpt_tile(tile, sculpture, end)).collect()
    }

    fn sculpt_tile(&mut self, tile: LandTile, sculpture: &Sculpture, end: usize) -> Option<Resculpted> {
        let shape = *self.shape();
        let strokes = self.strokes(tile)?..end;
        let bounds = reach_of(tile, &shape);
        if !sculpture.touches(strokes.clone(), bounds) {
            self.set_strokes(tile, end);
            return None;
        }
        self.make_tile_anew(tile);
        if !sculpture.is_ready(strokes.clone(), bounds) {
            return None;
        }
        self.set_strokes(tile, end);
        let reached = sculpture.reach(strokes.clone(), bounds)?;
        let [x, z] = places_of(tile, &shape, TILE_BORDER);
        let within = |places: &[f64], low: f64, high: f64| {
            let first = places.partition_point(|place| *place < low);
            // Rises change a texel farther.
            first.saturating_sub(1)..(places.partition_point(|place| *place <= high) + 1).min(TILE_TEXELS)
        };
        let rect = [within(&x, reached[0], reached[2]), within(&z, reached[1], reached[3])];
        let mut heights = self.heights(tile)?.to_vec();
        let places = Places { x: &x, z: &z };
        sculpture.change_at_once(strokes.clone(), &mut heights, places);
        let mut holes = self.holes(tile)?.to_vec();
        cut_drawn(sculpture, strokes, &mut holes, places);
        let shifts = self.shifts(tile)?.clone();
        let ground = Ground { heights: &heights, shifts: &shifts, cell: shape.cell_at(tile.level) };
        let (gradients, normals) = match shifts.is_empty() {
            true => (ground.gradients(&rect), Vec::new()),
            false => (Vec::new(), ground.normals(&rect)),
        };
        let changed = Resculpted {
            slot: self.slot(tile)?,
            first: [rect[0].start, rect[1].start],
            size: [rect[0].len(), rect[1].len()],
            heights: cut(&heights, &rect),
            shifts: cut(&shifts, &rect),
            holes: cut(&holes, &rect),
            gradients,
            normals,
        };
        let quads = QUADS as usize;
        let touched = |number: i32| {
            let place = [number % super::chunk::TILE_CHUNKS, number / super::chunk::TILE_CHUNKS];
            (0..2).all(|axis| {
                let start = TILE_BORDER as usize + place[axis] as usize * quads;
                rect[axis].start <= start + quads + 1 && start <= rect[axis].end + 1
            })
        };
        let cell = shape.cell_at(tile.level);
        let samples = Samples { heights: &heights, shifts: &shifts, holes: &holes, cell };
        let facts = |number: usize| touched(number as i32).then(|| samples.facts(0, number as i32));
        let facts = std::array::from_fn(facts);
        self.replace_ground(tile, heights.into(), holes.into(), facts);
        Some(changed)
    }

    fn replace_ground(
        &mut self,
        tile: LandTile,
        heights: Arc<[f32]>,
        holes: Arc<[f16]>,
        facts: [Option<ChunkFacts>; super::made::CHUNKS_IN_TILE],
    ) {
        if let Some(resident) = self.resident_mut(tile) {
            (resident.ground.heights, resident.ground.holes) = (heights, holes);
            for (known, facts) in resident.ground.chunks.iter_mut().zip(facts) {
                if let Some(facts) = facts {
                    *known = Known::from(facts);
                }
            }
            resident.range = range_of(&resident.ground.chunks);
        }
        self.measure_coarser(tile);
        self.gather(tile);
    }
}

/// A rectangle of a tile's plane; nothing of an empty one.
fn cut<T: Copy>(plane: &[T], [columns, rows]: &Rect) -> Vec<T> {
    if plane.is_empty() {
        return Vec::new();
    }
    rows.clone().flat_map(|row| &plane[row * TILE_TEXELS..][columns.clone()]).copied().collect()
}

const _: () = assert!(TILE_HEIGHTS == TILE_TEXELS + 2);
