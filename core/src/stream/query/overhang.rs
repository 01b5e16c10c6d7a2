//! Queries of ground that may lie away from its samples, so that there may be several surfaces over a place.
//!
//! Tiles, chunks and cells whose box a query misses are skipped. A box is wider than its samples by as much
//! as their ground may be shifted.

use std::ops::Range;

use glam::{DVec2, DVec3, Vec3};
use half::f16;

use super::samples::GroundAt;
use crate::grid::is_hole;
use crate::stream::drawing::chunk::{Chunk, QUADS, TILE_CHUNKS};
use crate::stream::residency::Residency;
use crate::stream::sources::made::place;
use crate::stream::tile::{LandTile, TILE_CELLS};

/// Surfaces over a place that lie closer together than this share of a cell are one: the place is on an edge.
const SAME: f64 = 1e-6;

/// What to find.
enum Query {
    /// All surfaces above and below a place.
    Over(DVec2),
    /// Where a line first enters the ground: its start, its direction and length, and whether land is drawn
    /// upside down.
    Along { from: DVec3, way: DVec3, is_inverted: bool },
}

/// A search through the finest resident tiles, in metres from sample (0, 0) and in heights of the land.
pub(in crate::stream) struct Search<'a> {
    residency: &'a Residency,
    query: Query,
    found: Vec<(f64, GroundAt)>,
    /// The share of the line at which it first met ground so far.
    nearest: f64,
}

/// All surfaces above and below a place, the highest first.
pub(in crate::stream) fn surfaces_over(residency: &Residency, place: DVec2) -> Vec<GroundAt> {
    if !place.is_finite() {
        return Vec::new();
    }
    let mut search =
        Search { residency, query: Query::Over(place), found: Vec::new(), nearest: f64::INFINITY };
    let spread = residency.spread();
    for root in residency.shape().roots(place, spread) {
        search.tile(root);
    }
    let mut found = search.found;
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.dedup_by(|b, a| {
        (a.0 - b.0).abs() <= SAME * f64::from(a.1.cell) && (a.1.normal.y < 0.0) == (b.1.normal.y < 0.0)
    });
    found.into_iter().map(|(_, ground)| ground).collect()
}

/// The share of a line over tiles of the coarsest level, `roots`, at which it first enters the ground, and
/// that ground.
pub(in crate::stream) fn entered(
    residency: &Residency,
    (from, way): (DVec3, DVec3),
    is_inverted: bool,
    roots: impl Iterator<Item = (LandTile, f64)>,
) -> Option<(f64, GroundAt)> {
    let query = Query::Along { from, way, is_inverted };
    let mut search = Search { residency, query, found: Vec::new(), nearest: f64::INFINITY };
    let mut seen: Vec<LandTile> = Vec::new();
    for (root, until) in roots {
        for column in -1..=1 {
            for row in -1..=1 {
                // Shifted ground of the tiles around may lie here.
                let root = root.beside(column, row);
                if !seen.contains(&root) {
                    seen.push(root);
                    search.tile(root);
                }
            }
        }
        if search.nearest <= until {
            break;
        }
        // Only roots of the last two steps, nine each, can be met again.
        let last = seen.len().saturating_sub(18);
        seen.drain(..last);
    }
    search.found.pop()
}

impl Search<'_> {
    fn tile(&mut self, tile: LandTile) {
        let Some((low, high)) = self.residency.range(tile) else { return };
        let shape = self.residency.shape();
        if !self.meets(tile.rectangle(shape.cell), self.residency.spread(), (low, high)) {
            return;
        }
        let is_finer = tile.children().map(|child| tile.level > shape.finest && self.residency.has(child));
        for (child, is_there) in tile.children().into_iter().zip(is_finer) {
            if is_there {
                self.tile(child);
            }
        }
        if is_finer.contains(&false) {
            self.own(tile, is_finer);
        }
    }

    /// Examines the cells of a tile itself, except in quarters for which there are finer tiles.
    fn own(&mut self, tile: LandTile, is_finer: [bool; 4]) {
        let (residency, shape) = (self.residency, self.residency.shape());
        let (Some(heights), Some(shifts)) = (residency.heights(tile), residency.shifts(tile)) else { return };
        let holes = residency.holes(tile).map(|holes| &**holes).unwrap_or_default();
        let first = tile.first_sample();
        let cell = f64::from(shape.cell_at(tile.level));
        let end = shape.extent().unwrap_or(DVec2::INFINITY);
        let at = |column: i64, row: i64| {
            let index = place(column, row);
            let p = (DVec2::new((first[0] + column) as f64, (first[1] + row) as f64) * cell).min(end);
            let hole = holes.get(index).map_or(0.0, |share| share.to_f32());
            (moved(p, heights[index], shifts.get(index).copied().unwrap_or_default()), hole)
        };
        for chunk in Chunk::of_tile(tile).filter(|chunk| shape.has_chunk(*chunk)) {
            let number = chunk.in_tile() as i32;
            let (column, row) = (number % TILE_CHUNKS, number / TILE_CHUNKS);
            let half = TILE_CHUNKS / 2;
            if is_finer[(row / half * 2 + column / half) as usize] {
                continue;
            }
            let Some(known) = residency.known(chunk) else { continue };
            let rectangle = chunk.rectangle(shape.cell);
            if !self.meets(rectangle, f64::from(known.spread), (known.low, known.high)) {
                continue;
            }
            let quads = i64::from(QUADS);
            let (column, row) = (i64::from(column) * quads, i64::from(row) * quads);
            for row in row..row + quads {
                for column in column..column + quads {
                    let (west, east) = (column, (column + 1).min(TILE_CELLS));
                    let (north, south) = (row, (row + 1).min(TILE_CELLS));
                    let [north_east, south_west] = [at(east, north), at(west, south)];
                    self.triangle([at(west, north), south_west, north_east], tile.level);
                    self.triangle([at(east, south), north_east, south_west], tile.level);
                }
            }
        }
    }

    /// Whether the query meets a box over a rectangle that is widened by `by` on all sides.
    fn meets(&self, (low, high): (DVec2, DVec2), by: f64, heights: (f32, f32)) -> bool {
        let (low, high) = (low - by, high + by);
        match self.query {
            Query::Over(place) => place.cmpge(low).all() && place.cmple(high).all(),
            Query::Along { from, way, .. } => {
                let low = DVec3::new(low.x, f64::from(heights.0), low.y);
                let high = DVec3::new(high.x, f64::from(heights.1), high.y);
                // Ends at the nearest ground so far: boxes behind it are skipped.
                let (mut start, mut end) = (0.0f64, self.nearest.min(1.0));
                for axis in 0..3 {
                    if way[axis] == 0.0 {
                        if from[axis] < low[axis] || from[axis] > high[axis] {
                            return false;
                        }
                        continue;
                    }
                    let a = (low[axis] - from[axis]) / way[axis];
                    let b = (high[axis] - from[axis]) / way[axis];
                    (start, end) = (start.max(a.min(b)), end.min(a.max(b)));
                }
                // Level ground is a box without height: rounding must not miss it.
                start <= end + 1e-12 * (1.0 + end.abs())
            }
        }
    }

    /// Examines a triangle whose corners run anticlockwise as seen from outside.
    /// Each corner comes with its value of the layer of holes.
    fn triangle(&mut self, corners: [(DVec3, f32); 3], level: i32) {
        let [a, b, c] = corners.map(|(corner, _)| corner);
        // Not of unit length: only its sign and ratios are used until ground is found.
        let normal = (b - a).cross(c - a);
        let shares = match self.query {
            Query::Over(place) => match shares_over(place, [a, b, c]) {
                Some(shares) => shares,
                None => return,
            },
            Query::Along { from, way, is_inverted } => {
                let towards = normal.dot(way);
                // Passing out of the ground doesn't count.
                if towards == 0.0 || (towards > 0.0) != is_inverted {
                    return;
                }
                let share = normal.dot(a - from) / towards;
                if !((0.0..=1.0).contains(&share) && share < self.nearest) {
                    return;
                }
                let p = from + way * share - a;
                let area = normal.length_squared();
                // Barycentric shares of the second and third corner.
                [p.cross(c - a).dot(normal) / area, (b - a).cross(p).dot(normal) / area]
            }
        };
        if !is_inside(shares) || has_hole(corners.map(|(_, hole)| hole), shares) {
            return;
        }
        let p = a + (b - a) * shares[0] + (c - a) * shares[1];
        let cell = self.residency.shape().cell_at(level);
        let normal = normal.normalize_or(DVec3::Y).as_vec3();
        let ground = GroundAt { level, cell, height: p.y as f32, normal };
        match self.query {
            Query::Over(_) => self.found.push((p.y, ground)),
            Query::Along { from, way, .. } => {
                self.nearest = (p - from).dot(way) / way.length_squared();
                self.found = vec![(self.nearest, ground)];
            }
        }
    }
}

/// The position of the ground of a sample.
pub(in crate::stream) fn moved(sample: DVec2, height: f32, shift: [f16; 2]) -> DVec3 {
    let [east, south] = shift.map(f16::to_f64);
    DVec3::new(sample.x + east, f64::from(height), sample.y + south)
}

/// How far along from a triangle's first corner to its second and to its third a vertical line meets its
/// plane; `None` if the triangle is vertical.
fn shares_over(place: DVec2, [a, b, c]: [DVec3; 3]) -> Option<[f64; 2]> {
    let p = DVec3::new(place.x, 0.0, place.y) - a;
    let across = |u: DVec3, v: DVec3| u.z * v.x - u.x * v.z;
    let area = across(b - a, c - a);
    (area != 0.0).then(|| [across(p, c - a) / area, across(b - a, p) / area])
}

/// Whether these shares give a point of the triangle.
fn is_inside([to_second, to_third]: [f64; 2]) -> bool {
    // A little wider than the triangle, so that a point on an edge is not lost to both of its triangles;
    // `SAME` removes the double.
    let edge = -1e-9;
    to_second >= edge && to_third >= edge && to_second + to_third <= 1.0 - edge
}

/// Whether there is a hole at the point with these shares in a triangle with these corners.
fn has_hole([first, second, third]: [f32; 3], [to_second, to_third]: [f64; 2]) -> bool {
    let rise = |corner: f32| f64::from(corner) - f64::from(first);
    is_hole((f64::from(first) + rise(second) * to_second + rise(third) * to_third) as f32)
}

/// The highest surface over a place.
pub(in crate::stream) struct Highest {
    /// Metres.
    pub(in crate::stream) height: f64,
    /// Of unit length.
    pub(in crate::stream) normal: Vec3,
    /// Column and row of the cell that is drawn there.
    pub(in crate::stream) cell: [i64; 2],
}

impl Highest {
    /// As ground of a level, with `cell` metres between samples.
    pub(in crate::stream) fn ground(&self, level: i32, cell: f32) -> GroundAt {
        GroundAt { level, cell, height: self.height as f32, normal: self.normal }
    }
}

/// The highest surface over a place among cells of these columns and rows. `at` gives the positions of their
/// corners and `hole` their values of the layer of holes; `None` if there is none.
pub(in crate::stream) fn highest_over(
    place: DVec2,
    [columns, rows]: [Range<i64>; 2],
    at: impl Fn(i64, i64) -> DVec3,
    hole: impl Fn(i64, i64) -> f32,
) -> Option<Highest> {
    let mut highest: Option<Highest> = None;
    for row in rows {
        for column in columns.clone() {
            let [nw, ne] = [at(column, row), at(column + 1, row)];
            let [sw, se] = [at(column, row + 1), at(column + 1, row + 1)];
            let (south_west, north_east) = ([column, row + 1], [column + 1, row]);
            let triangles = [
                ([nw, sw, ne], [[column, row], south_west, north_east]),
                ([se, ne, sw], [[column + 1, row + 1], north_east, south_west]),
            ];
            for ([a, b, c], corners) in triangles {
                let Some(shares) = shares_over(place, [a, b, c]).filter(|shares| is_inside(*shares)) else {
                    continue;
                };
                if has_hole(corners.map(|[column, row]| hole(column, row)), shares) {
                    continue;
                }
                let height = a.y + (b.y - a.y) * shares[0] + (c.y - a.y) * shares[1];
                if highest.as_ref().is_none_or(|highest| height > highest.height) {
                    let normal = (b - a).cross(c - a).normalize_or(DVec3::Y).as_vec3();
                    highest = Some(Highest { height, normal, cell: [column, row] });
                }
            }
        }
    }
    highest
}
