//! The position of a chunk's vertex: geomorphing from its level's grid onto coarser ones with distance.
//! Twin of `shaders/cdlod.wgsl`, and twin of `shaders/land.wgsl`.
//!
//! After Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps" (2009), with four
//! changes. A vertex may morph through several levels, so the drawn surface depends only on the grid point
//! and the eye, and neighbouring chunks agree whatever their levels are. How far a level reaches follows from
//! the errors of its chunks. Where a tile is not resident, vertices at its border lie on the coarser grid.
//! And levels that are coarser than all tiles use the coarsest tiles' samples, each level every other one of
//! the level before.

use glam::{DVec3, Vec3};
use half::f16;

use super::chunk::{Chunk, QUADS, first_of_coarser};
use super::eye::Eye;
use super::ranges::Ranges;
use super::table::{Entry, OPEN_NORTH, OPEN_NORTH_WEST, OPEN_WEST};
use crate::stream::residency::{Drawn, Residency};
use crate::stream::sources::made::place;
use crate::stream::tile::{LandTile, TILE_CELLS};

/// The ground as it is drawn for an eye.
pub struct Surface<'a> {
    residency: &'a Residency,
    drawn: Drawn,
    ranges: Ranges,
    /// The level below which vertices lie on coarser grids, in an orthographic projection.
    flat_level: Option<i32>,
    /// The sample of the finest level to which positions are relative.
    anchor: [i64; 2],
    /// The eye, in metres from the anchor.
    eye: Vec3,
}

impl<'a> Surface<'a> {
    /// The ground as `eye` sees it.
    pub fn new(residency: &'a Residency, eye: &Eye, drawn: Drawn) -> Self {
        let shape = residency.shape();
        let cell = f64::from(shape.cell_at(shape.finest));
        // A whole sample near the eye: differences from it are small whole numbers, which f32 holds exactly.
        let anchor = [eye.position.x, eye.position.z].map(|place| (place / cell).round() as i64);
        let from = DVec3::new(anchor[0] as f64 * cell, 0.0, anchor[1] as f64 * cell);
        Self {
            residency,
            drawn,
            ranges: eye.ranges,
            flat_level: eye.is_orthographic.then(|| residency.flat_level(eye)),
            anchor,
            eye: (eye.position - from).as_vec3(),
        }
    }

    /// The position of a chunk's vertex, in metres from the sample next to the eye: vertex (0, 0) is the
    /// north-west one, ([`QUADS`], [`QUADS`]) the south-east one. `None` where no tile is resident.
    pub fn displace(&self, chunk: Chunk, vertex: (i32, i32)) -> Option<Vec3> {
        let quads = i64::from(QUADS);
        let mut level = chunk.level;
        let mut index = [
            i64::from(chunk.column) * quads + i64::from(vertex.0),
            i64::from(chunk.row) * quads + i64::from(vertex.1),
        ];
        let mut fine: Option<(Vec3, f32)> = None;
        loop {
            // At levels coarser than all tiles, samples are some of the coarsest tile's.
            let coarser = (level - self.residency.shape().coarsest).max(0);
            let sample = self.on_land(level, index).map(|place| place << coarser);
            let on_land = self.on_land(level - coarser, sample);
            if let Some(entry) = self.own(level - coarser, on_land) {
                let p = self.position(entry, on_land);
                if let Some((fine, moved)) = fine {
                    // Written so that a coordinate that is equal on both grids, as at the border, keeps all
                    // of its bits.
                    return Some(fine + (p - fine) * moved);
                }
                let moved = self.moved(entry, coarser, on_land, p);
                if moved == 0.0 {
                    return Some(p);
                }
                if moved < 1.0 {
                    fine = Some((p, moved));
                }
            }
            if level >= self.residency.shape().coarsest_drawn() {
                return None;
            }
            // The next coarser level has every other sample; odd ones go to the north-western one.
            (level, index) = (level + 1, index.map(|place| place >> 1));
        }
    }

    fn on_land(&self, level: i32, index: [i64; 2]) -> [i64; 2] {
        self.residency
            .shape()
            .last_at(level)
            .map_or(index, |last| [index[0].min(last[0]), index[1].min(last[1])])
    }

    /// The tile that a sample belongs to: that of the cell to its south-east, or the last tile.
    fn owner(&self, level: i32, index: [i64; 2]) -> LandTile {
        let last = self.residency.shape().last_at(level).unwrap_or([i64::MAX; 2]);
        let number = |axis: usize| index[axis].min((last[axis] - 1).max(0)).div_euclid(TILE_CELLS) as i32;
        LandTile { level, column: number(0), row: number(1) }
    }

    /// The resident tile that a sample belongs to, if all others that meet there are resident, too: otherwise
    /// the ground on the other side is coarser.
    fn own(&self, level: i32, index: [i64; 2]) -> Option<Entry> {
        let entry = self.residency.table().resident(self.owner(level, index))?;
        let first = entry.tile.first_sample();
        let on_west = index[0] == first[0];
        let on_north = index[1] == first[1];
        let mut shared = 0;
        if on_west {
            shared |= OPEN_WEST;
        }
        if on_north {
            shared |= OPEN_NORTH;
        }
        if on_west && on_north {
            shared |= OPEN_NORTH_WEST;
        }
        (entry.open & shared == 0).then_some(entry)
    }

    /// How far a vertex has moved onto the next coarser grid, from one that is `coarser` levels above its
    /// tile.
    fn moved(&self, entry: Entry, coarser: i32, index: [i64; 2], p: Vec3) -> f32 {
        let shape = self.residency.shape();
        let level = entry.tile.level + coarser;
        if level >= shape.coarsest_drawn() {
            return 0.0;
        }
        if let Some(flat_level) = self.flat_level {
            return if level < flat_level { 1.0 } else { 0.0 };
        }
        let first = entry.tile.first_sample();
        let quads = i64::from(QUADS) << coarser;
        let [column, row] =
            [0, 1].map(|axis| ((index[axis] - first[axis]).min(TILE_CELLS - 1) / quads) as usize);
        let chunk = first_of_coarser(coarser) + row * (TILE_CELLS / quads) as usize + column;
        let error = self.residency.table().error(entry.slot, chunk);
        let ranges = self.residency.ranges_of(level, self.ranges);
        let range = ranges.range(shape.cell_at(level), error * self.drawn.scale.abs() as f32);
        Ranges::morph(range, p.distance(self.eye))
    }

    /// The position of a sample of a resident tile.
    fn position(&self, entry: Entry, index: [i64; 2]) -> Vec3 {
        let shape = self.residency.shape();
        let finer = entry.tile.level - shape.finest;
        let end = shape.last().map_or([i64::MAX; 2], |last| last.map(|place| place << -shape.finest.min(0)));
        let cell = shape.cell_at(shape.finest);
        // Subtracted as whole numbers first; the shader does the same, so both have the same bits.
        let [x, z] =
            [0, 1].map(|axis| (((index[axis] << finer).min(end[axis]) - self.anchor[axis]) as f32) * cell);
        let Vec3 { x: east, y: height, z: south } = self.ground(entry, index);
        Vec3::new(x + east, height * self.drawn.scale as f32 + self.drawn.bias as f32, z + south)
    }

    /// A resident tile's sample, as far as the tile has faded in: its height, and how far it lies east and
    /// south of its place.
    fn ground(&self, entry: Entry, index: [i64; 2]) -> Vec3 {
        let first = entry.tile.first_sample();
        let Some(own) = self.samples(entry.tile) else { return Vec3::ZERO };
        let own = own(place(index[0] - first[0], index[1] - first[1]));
        let parent = entry.tile.parent();
        let Some(samples) = self.samples(parent).filter(|_| entry.fade < 1.0) else { return own };
        let first = parent.first_sample();
        let at = |column: i64, row: i64| {
            samples(place((index[0] >> 1) - first[0] + column, (index[1] >> 1) - first[1] + row))
        };
        // The middle of the edge, or of the diagonal, that the parent draws there.
        let coarse = match (index[0] & 1, index[1] & 1) {
            (0, 0) => at(0, 0),
            (1, 0) => 0.5 * (at(0, 0) + at(1, 0)),
            (0, 1) => 0.5 * (at(0, 0) + at(0, 1)),
            _ => 0.5 * (at(1, 0) + at(0, 1)),
        };
        coarse + (own - coarse) * entry.fade
    }

    /// The samples of a resident tile, by their index: shift to the east, height, shift to the south.
    fn samples(&self, tile: LandTile) -> Option<impl Fn(usize) -> Vec3> {
        let (heights, shifts) = (self.residency.heights(tile)?, self.residency.shifts(tile)?);
        Some(move |index: usize| {
            let [east, south] = shifts.get(index).map_or([0.0; 2], |shift| shift.map(f16::to_f32));
            Vec3::new(east, heights[index], south)
        })
    }
}
