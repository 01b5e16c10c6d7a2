//! Which chunks of resident tiles are drawn for an eye.

use glam::{DVec2, DVec3};

use super::chunk::{Chunk, ChunkPart, DrawnChunk};
use super::eye::{Eye, away, corners};
use super::ranges::Ranges;
use super::residency::{Drawn, Known, Residency};
use super::tile::LandTile;

impl Residency {
    /// The chunks to draw for an eye, coarser with distance. They cover the land within its reach once, as far
    /// as the coarsest tiles are resident.
    pub fn select(&self, eye: &Eye, drawn: Drawn) -> Vec<DrawnChunk> {
        let mut chosen = Vec::new();
        if !eye.is_somewhere() {
            return chosen;
        }
        let place = DVec2::new(eye.position.x, eye.position.z);
        for root in
            self.shape().roots(place, eye.far.min(1e7)).into_iter().filter(|root| self.can_draw(*root))
        {
            let chunk = Chunk { level: self.shape().coarsest_drawn(), column: root.column, row: root.row };
            self.choose(chunk, eye, drawn, &mut chosen);
        }
        chosen
    }

    /// Whether a coarsest tile can be drawn: the vertices on its east and south border belong to its
    /// neighbours.
    fn can_draw(&self, root: LandTile) -> bool {
        let is_there = |tile: LandTile| !self.shape().has(tile) || self.has(tile);
        self.has(root)
            && is_there(root.beside(1, 0))
            && is_there(root.beside(0, 1))
            && is_there(root.beside(1, 1))
    }

    /// The level that an orthographic projection is drawn at.
    pub fn flat_level(&self, eye: &Eye) -> i32 {
        let shape = self.shape();
        let level = |ranges: Ranges| {
            let cell = 1.0 / f64::from(ranges.most);
            libm::log2(cell / f64::from(shape.cell)).floor().clamp(-64.0, 64.0) as i32
        };
        let of_whole_land = level(eye.ranges.of_whole_land()).clamp(shape.coarsest, shape.coarsest_drawn());
        level(eye.ranges).clamp(shape.finest, of_whole_land)
    }

    /// Chooses a chunk whole, or quarter by quarter, each as fine as it has to be.
    fn choose(&self, chunk: Chunk, eye: &Eye, drawn: Drawn, chosen: &mut Vec<DrawnChunk>) {
        if !self.shape().has_chunk(chunk) {
            return;
        }
        let Some(known) = self.known(chunk) else { return };
        let children = chunk.children();
        let is_finer = self.is_split(chunk, known, eye, drawn).then(|| {
            // In an orthographic projection nothing morphs, and all of it is at one level.
            children.map(|child| eye.is_orthographic || self.is_reached(child, known, eye, drawn))
        });
        let Some(is_finer) = is_finer.filter(|is_finer| is_finer.contains(&true)) else {
            chosen.push(DrawnChunk { chunk, part: ChunkPart::Whole });
            return;
        };
        for ((child, part), is_finer) in children.into_iter().zip(ChunkPart::QUARTERS).zip(is_finer) {
            if is_finer {
                self.choose(child, eye, drawn, chosen);
            } else if self.shape().has_chunk(child) {
                chosen.push(DrawnChunk { chunk, part });
            }
        }
    }

    /// Whether any quarter of a chunk may have to be drawn finer, and all of them can be.
    fn is_split(&self, chunk: Chunk, known: Known, eye: &Eye, drawn: Drawn) -> bool {
        // All four are of the same tile.
        if chunk.level <= self.shape().finest || self.known(chunk.children()[0]).is_none() {
            return false;
        }
        let (low, high) = self.box_of(chunk, known, drawn);
        if eye.is_orthographic {
            // One level is right everywhere; what is outside the picture stays coarse.
            return chunk.level > self.flat_level(eye) && eye.sees(low, high);
        }
        let range = Range { level: chunk.level - 1, error: |known| known.finer };
        self.is_within(chunk, away(eye.position, low, high), range, eye, drawn)
    }

    /// Whether a quarter of a chunk reaches into the range of its own level. What doesn't is drawn as a part of the chunk:
    /// there its vertices have morphed onto the coarser grid, also those that it shares with what is beside it.
    ///
    /// While a tile comes in, its heights are mixed with the coarser tile's. So those of the whole chunk count.
    fn is_reached(&self, quarter: Chunk, of_chunk: Known, eye: &Eye, drawn: Drawn) -> bool {
        let (low, high) = self.box_of(quarter, of_chunk, drawn);
        let range = Range { level: quarter.level, error: |known| known.error };
        self.is_within(quarter, away(eye.position, low, high), range, eye, drawn)
    }

    /// Whether a distance is within a range of a chunk, or of those that its vertices on the east and south border belong
    /// to.
    fn is_within(&self, chunk: Chunk, distance: f64, range: Range, eye: &Eye, drawn: Drawn) -> bool {
        let (ranges, cell) = (self.ranges_of(range.level, eye.ranges), self.shape().cell_at(range.level));
        if distance >= f64::from(ranges.farthest(cell)) {
            return false;
        }
        let reaches = |known: Known| {
            let error = (range.error)(known) * drawn.scale.abs() as f32;
            distance < f64::from(ranges.range(cell, error))
        };
        let border = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let chunks = border.into_iter().map(|(columns, rows)| chunk.beside(columns, rows));
        chunks.filter_map(|chunk| self.known(chunk)).any(reaches)
    }

    /// The ranges of a level, where an eye has these.
    pub(super) fn ranges_of(&self, level: i32, ranges: Ranges) -> Ranges {
        if level < self.shape().coarsest { ranges } else { ranges.of_whole_land() }
    }

    /// Two corners of the box that holds a chunk, drawn at heights that are known.
    fn box_of(&self, chunk: Chunk, heights: Known, drawn: Drawn) -> (DVec3, DVec3) {
        let (north_west, south_east) = chunk.rectangle(self.shape().cell);
        let range = drawn.range(heights.low, heights.high);
        corners(north_west - self.spread(), south_east + self.spread(), range)
    }
}

/// What the range of a level follows from, beside the eye: an error of each chunk.
struct Range {
    level: i32,
    error: fn(Known) -> f32,
}
