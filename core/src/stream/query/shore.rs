//! The nearest shore: where the ground rises through the surface of the sea or of a river.
//!
//! Ground and rivers are triangles, and on a triangle both are planes, so shores are straight pieces on them
//! and are found exactly. Tiles and blocks of cells are examined from the nearest on; those farther away than
//! the nearest shore so far are skipped, as are tiles and chunks that are entirely above or below the sea.

use std::ops::Range;

use glam::DVec2;

use super::ground::KnownGround;
use super::samples::Samples;
use super::water::LandWater;
use crate::stream::drawing::chunk::{Chunk, QUADS};
use crate::stream::tile::LandTile;

/// Cells along a side of the blocks that are skipped or examined as a whole.
const BLOCK: i64 = QUADS as i64;

/// A place where water meets dry ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shore {
    /// Metres east and south of the land's sample (0, 0).
    pub place: DVec2,
    /// Height of the water there, and so of the ground, metres.
    pub level: f32,
    /// Metres to it, measured horizontally.
    pub distance: f64,
}

impl KnownGround<'_> {
    /// The shore that is nearest to a place on the land, in metres from its sample (0, 0), at most `reach`
    /// metres away, on the finest known ground. The border of the land is not a shore, and neither is the
    /// edge of a hole. On ground that overhangs, its samples count. `None` if there is none, and for places
    /// and distances that are not finite, or without land.
    ///
    /// The time grows with the ground within `reach` on land whose samples of level 0 are known, and with the
    /// length of the shores on other land.
    pub fn nearest_shore(&self, place: DVec2, water: &LandWater, reach: f64) -> Option<Shore> {
        let shape = self.residency().shape();
        let has_water = water.sea_level().is_some() || water.rivers().is_some();
        if !(has_water && self.has_land(place) && reach.is_finite() && reach >= 0.0) {
            return None;
        }
        let mut search = Search { ground: self, water, place, nearest: reach, found: None };
        let mut roots = shape.roots(place, reach);
        search.sort(&mut roots);
        for root in roots {
            if self.residency().has(root) {
                search.tile(root);
            } else {
                search.field_in(root);
            }
        }
        search.found
    }
}

struct Search<'a> {
    ground: &'a KnownGround<'a>,
    water: &'a LandWater<'a>,
    place: DVec2,
    /// The greatest distance at which a shore is still of interest.
    nearest: f64,
    found: Option<Shore>,
}

impl Search<'_> {
    fn away(&self, (low, high): (DVec2, DVec2)) -> f64 {
        self.place.distance(self.place.clamp(low, high))
    }

    fn sort(&self, tiles: &mut [LandTile]) {
        let cell = self.ground.residency().shape().cell;
        // The nearest first: a shore found there rules out most of the others without examining them.
        tiles.sort_by(|a, b| self.away(a.rectangle(cell)).total_cmp(&self.away(b.rectangle(cell))));
    }

    /// Whether there may be a shore of the sea between these heights.
    fn meets_sea(&self, low: f32, high: f32) -> bool {
        self.water.sea_level().is_some_and(|level| low <= level && level <= high)
    }

    /// Examines a resident tile, and finer ones within its area.
    fn tile(&mut self, tile: LandTile) {
        let (residency, ground) = (self.ground.residency(), self.ground);
        let shape = residency.shape();
        if self.away(tile.rectangle(shape.cell)) > self.nearest {
            return;
        }
        // A tile's bounds include those of finer tiles, but not of samples that were never in a tile.
        let knows_all = ground.samples_of_field().is_none() || tile.level <= 0;
        if let Some((low, high)) =
            residency.range(tile).filter(|_| knows_all && self.water.rivers().is_none())
            && !self.meets_sea(low, high)
        {
            return;
        }
        if tile.level <= shape.finest {
            self.own(tile, tile);
            return;
        }
        let mut children = tile.children();
        self.sort(&mut children);
        for child in children.into_iter().filter(|child| shape.has(*child)) {
            if residency.has(child) {
                self.tile(child);
            } else if tile.level > 0 && ground.samples_of_field().is_some() {
                self.field_in(child);
            } else {
                self.own(tile, child);
            }
        }
    }

    /// Examines the cells of a resident tile within the area of another, which is itself or a part of it.
    fn own(&mut self, tile: LandTile, part: LandTile) {
        let Some(samples) = Samples::of_tile(self.ground.residency(), tile) else { return };
        self.part(&samples, part, Some(tile));
    }

    /// Examines the samples of level 0 within the area of a tile, if they are known.
    fn field_in(&mut self, tile: LandTile) {
        let Some(samples) = self.ground.samples_of_field() else { return };
        self.part(&samples, tile, None);
    }

    /// Examines samples within the area of a tile of any level; `tile` is the tile that they belong to.
    fn part(&mut self, samples: &Samples, part: LandTile, tile: Option<LandTile>) {
        let (low, high) = part.rectangle(self.ground.residency().shape().cell);
        let cell = f64::from(samples.cell);
        // Tiles begin at samples of all finer levels; parts finer than the samples don't occur.
        let along = |low: f64, high: f64, axis: usize| {
            // Exact up to rounding: corners of tiles are samples, so the nearest whole number is meant.
            let first = (low / cell).round() as i64 - samples.first[axis];
            let end = (high / cell).round() as i64 - samples.first[axis];
            first.clamp(0, samples.cells[axis])..end.clamp(0, samples.cells[axis])
        };
        self.cells(samples, [along(low.x, high.x, 0), along(low.y, high.y, 1)], tile);
    }

    /// Examines a rectangle of cells, the nearest part first.
    fn cells(&mut self, samples: &Samples, [columns, rows]: [Range<i64>; 2], tile: Option<LandTile>) {
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let cell = f64::from(samples.cell);
        let place = |column: i64, row: i64| {
            DVec2::new((samples.first[0] + column) as f64, (samples.first[1] + row) as f64) * cell
        };
        let rectangle = |columns: &Range<i64>, rows: &Range<i64>| {
            (place(columns.start, rows.start), place(columns.end, rows.end))
        };
        if self.away(rectangle(&columns, &rows)) > self.nearest {
            return;
        }
        let sides = [columns.end - columns.start, rows.end - rows.start];
        if sides[0].max(sides[1]) <= BLOCK {
            self.block(samples, [columns, rows], tile);
            return;
        }
        // In the middle of the longer side, at the border of a block.
        let split = |range: &Range<i64>| {
            let blocks = (range.end - range.start + BLOCK - 1) / BLOCK / 2;
            range.start + blocks * BLOCK
        };
        let mut parts = if sides[0] >= sides[1] {
            let middle = split(&columns);
            [[columns.start..middle, rows.clone()], [middle..columns.end, rows]]
        } else {
            let middle = split(&rows);
            [[columns.clone(), rows.start..middle], [columns, middle..rows.end]]
        };
        let away = |part: &[Range<i64>; 2]| self.away(rectangle(&part[0], &part[1]));
        if away(&parts[1]) < away(&parts[0]) {
            parts.swap(0, 1);
        }
        for part in parts {
            self.cells(samples, part, tile);
        }
    }

    fn block(&mut self, samples: &Samples, [columns, rows]: [Range<i64>; 2], tile: Option<LandTile>) {
        let has_rivers = self.has_rivers(samples, &columns, &rows);
        // A chunk's bounds say where the sea is, and nothing about rivers, whose levels vary.
        if !has_rivers && let Some(tile) = tile {
            let [first_column, first_row] = [columns.start, rows.start].map(|first| (first / BLOCK) as i32);
            let side = (crate::stream::tile::TILE_CELLS / BLOCK) as i32;
            let (column, row) = (tile.column * side + first_column, tile.row * side + first_row);
            let known = self.ground.residency().known(Chunk { level: tile.level, column, row });
            if known.is_some_and(|known| !self.meets_sea(known.low, known.high)) {
                return;
            }
        }
        for row in rows {
            for column in columns.clone() {
                self.cell(samples, [column, row], has_rivers);
            }
        }
    }

    /// Whether rivers may have a surface on cells of these samples.
    fn has_rivers(&self, samples: &Samples, columns: &Range<i64>, rows: &Range<i64>) -> bool {
        let Some((rivers, grid)) = self.water.rivers() else { return false };
        let on_grid = |range: &Range<i64>, axis: usize, count: usize| {
            let cell = |number: i64| at_level_0(samples.first[axis] + number, samples.level);
            let (first, last) = (cell(range.start), cell(range.end - 1));
            first.clamp(0, count as i64) as usize..(last + 1).clamp(0, count as i64) as usize
        };
        rivers.has_any(grid, on_grid(columns, 0, grid.width), on_grid(rows, 1, grid.depth))
    }

    /// Examines the shores on the two triangles of a cell.
    fn cell(&mut self, samples: &Samples, [column, row]: [i64; 2], has_rivers: bool) {
        let ground = samples.corners(column, row).map(f64::from);
        let rivers = if has_rivers { self.levels(samples, [column, row]) } else { None };
        let sea = self.water.sea_level().map_or(f64::NEG_INFINITY, f64::from);
        let lowest = ground.into_iter().fold(f64::INFINITY, f64::min);
        let highest = ground.into_iter().fold(f64::NEG_INFINITY, f64::max);
        if rivers.is_none() && (lowest >= sea || highest < sea) {
            return;
        }
        let cell = f64::from(samples.cell);
        let at = |column: i64, row: i64| {
            let p = DVec2::new((samples.first[0] + column) as f64, (samples.first[1] + row) as f64);
            (p * cell).min(samples.end)
        };
        let places = [at(column, row), at(column + 1, row), at(column, row + 1), at(column + 1, row + 1)];
        let corner = |index: usize| Corner {
            place: places[index],
            sea: sea - ground[index],
            river: rivers.map_or(f64::NEG_INFINITY, |levels| levels[index] - ground[index]),
            ground: ground[index],
        };
        // The diagonal runs from the north-east to the south-west.
        for triangle in [[0, 1, 2], [3, 2, 1]] {
            self.triangle(triangle.map(corner));
        }
    }

    /// The heights of the rivers at the corners of a cell, which lies in one cell of level 0.
    fn levels(&self, samples: &Samples, number: [i64; 2]) -> Option<[f64; 4]> {
        let (rivers, grid) = self.water.rivers()?;
        let number = [0, 1].map(|axis| samples.first[axis] + number[axis]);
        let cell = number.map(|number| at_level_0(number, samples.level));
        let is_there = cell[0] >= 0 && cell[1] >= 0 && samples.level <= 0;
        if !(is_there && cell[0] < grid.width as i64 && cell[1] < grid.depth as i64) {
            return None;
        }
        let [nw, ne, sw, se] = rivers.levels_of_cell(grid, cell.map(|cell| cell as usize))?.map(f64::from);
        let finer = libm::ldexp(1.0, samples.level);
        let from = [0, 1].map(|axis| number[axis] as f64 * finer - cell[axis] as f64);
        Some([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[east, south]| {
            let (x, z) = (from[0] + east * finer, from[1] + south * finer);
            if x + z <= 1.0 {
                nw + (ne - nw) * x + (sw - nw) * z
            } else {
                se + (sw - se) * (1.0 - x) + (ne - se) * (1.0 - z)
            }
        }))
    }

    fn triangle(&mut self, corners: [Corner; 3]) {
        // Where one water lies above both the other and the ground, that water has a shore there.
        if let Some(shore) = crossing(&corners, |corner| corner.sea) {
            let other = shore.map(|corner| corner.river);
            self.piece(shore, other);
        }
        if corners.iter().all(|corner| corner.river > f64::NEG_INFINITY)
            && let Some(shore) = crossing(&corners, |corner| corner.river)
        {
            let other = shore.map(|corner| corner.sea);
            self.piece(shore, other);
        }
    }

    /// Examines a piece of the shore of one water, except where the other water covers it.
    fn piece(&mut self, [a, b]: [Corner; 2], covered: [f64; 2]) {
        let (start, end) = match covered.map(|depth| depth > 0.0) {
            [true, true] => return,
            [false, false] => (0.0, 1.0),
            // One end is covered by the other water. Both depths are linear along the piece, so the covered
            // part ends where they cross.
            [is_start, _] => {
                let share = match covered[0] - covered[1] {
                    across if across.is_finite() && across != 0.0 => covered[0] / across,
                    _ => return,
                };
                if is_start { (share, 1.0) } else { (0.0, share) }
            }
        };
        let way = b.place - a.place;
        let along = match way.length_squared() {
            squared if squared > 0.0 => (self.place - a.place).dot(way) / squared,
            _ => 0.0,
        };
        let share = along.clamp(start, end);
        let place = a.place + way * share;
        let distance = self.place.distance(place);
        let is_nearer = self.found.is_none_or(|found| distance < found.distance);
        if distance <= self.nearest && is_nearer && !self.ground.is_hole(place.x, place.y) {
            self.nearest = distance;
            let level = (a.ground + (b.ground - a.ground) * share) as f32;
            self.found = Some(Shore { place, level, distance });
        }
    }
}

/// The cell of level 0 that contains a cell of a level that is not coarser.
fn at_level_0(number: i64, level: i32) -> i64 {
    if level <= 0 { number >> -level } else { number << level }
}

/// A corner of a triangle, or a place on its sides.
#[derive(Clone, Copy)]
struct Corner {
    place: DVec2,
    /// How deep the ground lies under the sea and under a river; below 0 if it lies above.
    sea: f64,
    river: f64,
    ground: f64,
}

/// Where a depth is 0 on a triangle, from side to side; `None` if the triangle is entirely wet or dry.
fn crossing(corners: &[Corner; 3], depth: impl Fn(&Corner) -> f64) -> Option<[Corner; 2]> {
    let mut ends = [(0, 1), (1, 2), (2, 0)].into_iter().filter_map(|(from, to)| {
        let (a, b) = (&corners[from], &corners[to]);
        let (from, to) = (depth(a), depth(b));
        if (from > 0.0) == (to > 0.0) || !from.is_finite() || !to.is_finite() {
            return None;
        }
        let share = from / (from - to);
        // Equal infinities, as where there is no river, would give NaN.
        let between = |a: f64, b: f64| if a == b { a } else { a + (b - a) * share };
        Some(Corner {
            place: a.place.lerp(b.place, share),
            sea: between(a.sea, b.sea),
            river: between(a.river, b.river),
            ground: between(a.ground, b.ground),
        })
    });
    Some([ends.next()?, ends.next()?])
}
