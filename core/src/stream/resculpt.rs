//! Strokes on resident tiles: what changes of their texels.

use std::sync::Arc;

use half::f16;

use super::drawing::chunk::{QUADS, TILE_CHUNKS};
use super::residency::{ChunkBounds, Residency, range_of};
use super::sources::made::{CHUNKS_IN_TILE, ChunkFacts, Samples};
use super::sources::sculpted_tile::{Ground, Rect, cut_drawn, places_of, reach_of};
use super::tile::{LandTile, TILE_BORDER, TILE_TEXELS};
use crate::sculpt::{Places, Sculpture};

/// The changed texels of a resident tile: a rectangle of them, row by row.
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
    /// The unchanged shifts of the ground there; empty for unshifted ground.
    pub shifts: Vec<[f16; 2]>,
    /// The layer of holes there; empty for tiles without any.
    pub holes: Vec<f16>,
    /// Rise per metre east and south; empty where the ground is shifted.
    pub gradients: Vec<[f16; 2]>,
    /// Normals, where the ground is shifted.
    pub normals: Vec<[f16; 4]>,
}

impl Residency {
    /// Applies the strokes before number `end` to the resident tiles that they touch, as far as the strokes
    /// are ready, and returns the changes, for the device. All touched tiles are to be remade, because more
    /// than their heights may change; they are drawn as they are until then.
    pub fn sculpt(&mut self, sculpture: &Sculpture, end: usize) -> Vec<Resculpted> {
        let mut tiles: Vec<LandTile> = self.behind(end);
        // From fine to coarse, because the bounds of coarse tiles include those of finer ones.
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
        self.remake_tile(tile);
        if !sculpture.is_ready(strokes.clone(), bounds) {
            return None;
        }
        self.set_strokes(tile, end);
        let reached = sculpture.reach(strokes.clone(), bounds)?;
        let [x, z] = places_of(tile, &shape, TILE_BORDER);
        let within = |places: &[f64], low: f64, high: f64| {
            let first = places.partition_point(|place| *place < low);
            // Gradients change one texel farther out.
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
        let (gradients, normals) = if shifts.is_empty() {
            (ground.gradients(&rect), Vec::new())
        } else {
            (Vec::new(), ground.normals(&rect))
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
            let place = [number % TILE_CHUNKS, number / TILE_CHUNKS];
            (0..2).all(|axis| {
                let start = TILE_BORDER as usize + place[axis] as usize * quads;
                // A chunk's error reads one sample beyond its quads, at the middles of coarser edges.
                rect[axis].start <= start + quads + 1 && start <= rect[axis].end + 1
            })
        };
        let cell = shape.cell_at(tile.level);
        let samples = Samples { heights: &heights, shifts: &shifts, holes: &holes, cell };
        // Chunks without a changed sample keep their facts, which also hold bounds of finer tiles.
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
        facts: [Option<ChunkFacts>; CHUNKS_IN_TILE],
    ) {
        if let Some(resident) = self.resident_mut(tile) {
            (resident.ground.heights, resident.ground.holes) = (heights, holes);
            for (known, facts) in resident.ground.chunks.iter_mut().zip(facts) {
                if let Some(facts) = facts {
                    *known = ChunkBounds::from(facts);
                }
            }
            resident.range = range_of(&resident.ground.chunks);
        }
        self.measure_coarser(tile);
        self.gather(tile);
    }
}

/// A rectangle of a tile's plane; empty for an empty plane.
fn cut<T: Copy>(plane: &[T], [columns, rows]: &Rect) -> Vec<T> {
    if plane.is_empty() {
        return Vec::new();
    }
    rows.clone().flat_map(|row| &plane[row * TILE_TEXELS..][columns.clone()]).copied().collect()
}
