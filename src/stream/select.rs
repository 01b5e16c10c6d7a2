//! Which chunks of resident tiles are drawn for an eye.

use glam::DVec2;

use super::chunk::Chunk;
use super::eye::{Eye, away, corners};
use super::residency::{Drawn, Known, Residency};
use super::tile::LandTile;

impl Residency {
    /// The chunks to draw for an eye, coarser with distance. They cover the land within its reach once, as far
    /// as the coarsest tiles are resident.
    pub fn select(&self, eye: &Eye, drawn: Drawn) -> Vec<Chunk> {
        let mut chosen = Vec::new();
        if !eye.is_somewhere() {
            return chosen;
        }
        let place = DVec2::new(eye.position.x, eye.position.z);
        for root in
            self.shape().roots(place, eye.far.min(1e7)).into_iter().filter(|root| self.can_draw(*root))
        {
            for chunk in Chunk::of_tile(root) {
                self.choose(chunk, eye, drawn, &mut chosen);
            }
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
        let cell = 1.0 / f64::from(eye.ranges.most);
        let level = libm::log2(cell / f64::from(self.shape().cell)).floor();
        (level.clamp(-64.0, 64.0) as i32).clamp(self.shape().finest, self.shape().coarsest)
    }

    fn choose(&self, chunk: Chunk, eye: &Eye, drawn: Drawn, chosen: &mut Vec<Chunk>) {
        if !self.shape().has_chunk(chunk) {
            return;
        }
        let Some(known) = self.known(chunk) else { return };
        if self.is_split(chunk, known, eye, drawn) {
            for child in chunk.children() {
                self.choose(child, eye, drawn, chosen);
            }
        } else {
            chosen.push(chunk);
        }
    }

    fn is_split(&self, chunk: Chunk, known: Known, eye: &Eye, drawn: Drawn) -> bool {
        if chunk.level <= self.shape().finest {
            return false;
        }
        let is_finer_there = || self.has(chunk.children()[0].tile());
        let (north_west, south_east) = chunk.rectangle(self.shape().cell);
        let (low, high) = corners(
            north_west - self.spread(),
            south_east + self.spread(),
            drawn.range(known.low, known.high),
        );
        if eye.is_orthographic {
            // One level is right everywhere, so nothing morphs; what is outside the picture stays coarse.
            return chunk.level > self.flat_level(eye) && eye.sees(low, high) && is_finer_there();
        }
        // A chunk that reaches into the range of the next finer level is split. So everything drawn coarser
        // lies beyond that range, where the finer chunks' vertices have morphed onto the coarser grid. Those
        // on its east and south border belong to the chunks there.
        let distance = away(eye.position, low, high);
        let cell = self.shape().cell_at(chunk.level - 1);
        if distance >= f64::from(eye.ranges.farthest(cell)) || !is_finer_there() {
            return false;
        }
        let reaches = |known: Known| {
            distance < f64::from(eye.ranges.range(cell, known.finer * drawn.scale.abs() as f32))
        };
        let beside = || [(1, 0), (0, 1), (1, 1)].map(|(columns, rows)| chunk.beside(columns, rows));
        reaches(known) || beside().into_iter().filter_map(|chunk| self.known(chunk)).any(reaches)
    }
}
