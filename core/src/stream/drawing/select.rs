//! Selects the chunks of resident tiles that are drawn for an eye.

use std::cell::OnceCell;

use glam::DVec2;

use super::chunk::{Chunk, ChunkPart, DrawnChunk};
use super::eye::{Eye, corners};
use super::ranges::{LevelRange, Ranges};
use crate::stream::residency::{ChunkBounds, Drawn, Residency, ResidentGround};
use crate::stream::tile::LandTile;

impl Residency {
    /// The chunks to draw for an eye, coarser with distance. They cover the land within its reach once, as
    /// far as the coarsest tiles are resident. Each chunk comes with its bounds.
    pub fn select(&self, eye: &Eye, drawn: Drawn) -> Vec<(DrawnChunk, ChunkBounds)> {
        if !eye.is_somewhere() {
            return Vec::new();
        }
        let place = DVec2::new(eye.position.x, eye.position.z);
        let mut choice = Choice::new(self, eye, drawn);
        // Bounded, so that an eye that sees to infinity asks for a finite number of roots.
        for root in self.shape().roots(place, eye.far.min(1e7)) {
            let Some(tile) = Beside::new(self, root).filter(|_| self.can_draw(root)) else { continue };
            let chunk = Chunk { level: self.shape().coarsest_drawn(), column: root.column, row: root.row };
            let Some(known) = tile.known(chunk) else { continue };
            choice.choose(chunk, known, &tile);
        }
        choice.chosen
    }

    /// Whether a coarsest tile can be drawn: the vertices on its east and south border belong to its
    /// neighbours, which must be resident, too.
    fn can_draw(&self, root: LandTile) -> bool {
        let is_there = |tile: LandTile| !self.shape().has(tile) || self.has(tile);
        self.has(root)
            && is_there(root.beside(1, 0))
            && is_there(root.beside(0, 1))
            && is_there(root.beside(1, 1))
    }

    /// The level at which an orthographic projection is drawn.
    pub fn flat_level(&self, eye: &Eye) -> i32 {
        let shape = self.shape();
        let level = |ranges: Ranges| {
            let cell = 1.0 / f64::from(ranges.most);
            libm::log2(cell / f64::from(shape.cell)).floor().clamp(-64.0, 64.0) as i32
        };
        let of_whole_land = level(eye.ranges.of_whole_land()).clamp(shape.coarsest, shape.coarsest_drawn());
        level(eye.ranges).clamp(shape.finest, of_whole_land)
    }

    /// The ranges of a level, for an eye with these ranges.
    pub(in crate::stream) fn ranges_of(&self, level: i32, ranges: Ranges) -> Ranges {
        if level < self.shape().coarsest { ranges } else { ranges.of_whole_land() }
    }
}

/// A selection of chunks in progress.
struct Choice<'a> {
    residency: &'a Residency,
    eye: &'a Eye,
    drawn: Drawn,
    /// The level of an orthographic projection.
    flat_level: Option<i32>,
    /// For each level of chunks, from the finest on.
    ranges: Vec<LevelRange>,
    chosen: Vec<(DrawnChunk, ChunkBounds)>,
}

impl<'a> Choice<'a> {
    fn new(residency: &'a Residency, eye: &'a Eye, drawn: Drawn) -> Self {
        let shape = residency.shape();
        let of_level = |level| residency.ranges_of(level, eye.ranges).of_level(shape.cell_at(level));
        Self {
            residency,
            eye,
            drawn,
            flat_level: eye.is_orthographic.then(|| residency.flat_level(eye)),
            ranges: (shape.finest..=shape.coarsest_drawn()).map(of_level).collect(),
            chosen: Vec::new(),
        }
    }

    /// Chooses a chunk that has land, drawn with the samples of a tile: whole, or quarter by quarter, each as
    /// fine as necessary.
    fn choose(&mut self, chunk: Chunk, known: &ChunkBounds, tile: &Beside<'a>) {
        if !self.choose_quarters(chunk, known, tile) {
            self.chosen.push((DrawnChunk { chunk, part: ChunkPart::Whole }, *known));
        }
    }

    /// Chooses a chunk quarter by quarter, if any of them must be drawn finer, and all of them can be.
    fn choose_quarters(&mut self, chunk: Chunk, known: &ChunkBounds, tile: &Beside<'a>) -> bool {
        let shape = *self.residency.shape();
        if chunk.level <= shape.finest {
            return false;
        }
        let away = self.away(chunk, self.drawn.range(known.low, known.high));
        if !self.may_be_split(chunk, known, tile, away) {
            return false;
        }
        let children = chunk.children();
        // All four belong to the same tile.
        let Some((finer, _)) = children[0].drawn_with(shape.coarsest) else { return false };
        let finer_tile;
        let tile = if finer == tile.tile {
            tile
        } else if let Some(finer) = Beside::new(self.residency, finer) {
            finer_tile = finer;
            &finer_tile
        } else {
            return false;
        };
        let is_finer = self.are_finer(children, tile, away);
        if !is_finer.contains(&true) {
            return false;
        }
        for ((child, part), is_finer) in children.into_iter().zip(ChunkPart::QUARTERS).zip(is_finer) {
            if !shape.has_chunk(child) {
                continue;
            }
            match tile.known(child).filter(|_| is_finer) {
                Some(known) => self.choose(child, known, tile),
                None => self.chosen.push((DrawnChunk { chunk, part }, *known)),
            }
        }
        true
    }

    /// Whether any quarter of a chunk may have to be drawn finer. `away` are the squared distances of the
    /// quarters.
    fn may_be_split(&self, chunk: Chunk, known: &ChunkBounds, tile: &Beside, away: [f64; 4]) -> bool {
        if let Some(flat) = self.flat_level {
            // In an orthographic projection one level is right everywhere; outside the picture it stays
            // coarse.
            let (north_west, south_east) = chunk.rectangle(self.residency.shape().cell);
            let (spread, heights) = (self.residency.spread(), self.drawn.range(known.low, known.high));
            let (low, high) = corners(north_west - spread, south_east + spread, heights);
            return chunk.level > flat && self.eye.sees(low, high);
        }
        let (range, nearest) = (self.range(chunk.level - 1), away.into_iter().fold(f64::INFINITY, f64::min));
        // Most are far beyond their range whatever their errors, or far within it.
        nearest < range.nearest
            || nearest < range.farthest && range.has(nearest, self.drawn_error(tile.most_finer(chunk)))
    }

    /// Which quarters of a chunk must be drawn finer, with the samples of a tile.
    ///
    /// In an orthographic projection nothing morphs, and all of it is at one level. Otherwise these are the
    /// quarters that reach into the range of their own level. The others are drawn as a part of the chunk:
    /// there its vertices have morphed onto the coarser grid, including those that it shares with its
    /// neighbours. While a tile fades in, its heights are mixed with the coarser tile's, so the heights of
    /// the whole chunk count.
    fn are_finer(&self, children: [Chunk; 4], tile: &Beside, away: [f64; 4]) -> [bool; 4] {
        if self.flat_level.is_some() {
            return [true; 4];
        }
        let range = self.range(children[0].level);
        if away.iter().all(|away| *away < range.nearest) {
            return [true; 4];
        }
        let errors = tile.most_errors(children[0]);
        std::array::from_fn(|quarter| range.has(away[quarter], self.drawn_error(errors[quarter])))
    }

    fn range(&self, level: i32) -> &LevelRange {
        &self.ranges[(level - self.residency.shape().finest) as usize]
    }

    fn drawn_error(&self, error: f32) -> f32 {
        // Heights are drawn scaled, and their errors with them.
        error * self.drawn.scale.abs() as f32
    }

    /// Squared distances from the eye to the boxes around a chunk's quarters, with heights as they are drawn.
    fn away(&self, chunk: Chunk, heights: (f64, f64)) -> [f64; 4] {
        let (north_west, south_east) = chunk.rectangle(self.residency.shape().cell);
        let (place, spread) = (self.eye.position, self.residency.spread());
        // All four quarters share these heights, and each side belongs to two of them: five one-dimensional
        // distances instead of twelve.
        let above = outside(place.y, heights).powi(2);
        let (middle, [west, east]) = (0.5 * (north_west + south_east), [north_west.x, south_east.x]);
        let [north, south] = [north_west.y, south_east.y];
        let aside =
            |place: f64, first: f64, last: f64| outside(place, (first - spread, last + spread)).powi(2);
        let (west, east) = (aside(place.x, west, middle.x), aside(place.x, middle.x, east));
        let (north, south) =
            (aside(place.z, north, middle.y) + above, aside(place.z, middle.y, south) + above);
        [west + north, east + north, west + south, east + south]
    }
}

/// A resident tile, and those to its east, south and south-east, which are looked up when they are first
/// needed.
struct Beside<'a> {
    residency: &'a Residency,
    tile: LandTile,
    own: &'a ResidentGround,
    others: [OnceCell<Option<&'a ResidentGround>>; 3],
}

impl<'a> Beside<'a> {
    fn new(residency: &'a Residency, tile: LandTile) -> Option<Self> {
        let own = residency.ground_of(tile)?;
        Some(Self { residency, tile, own, others: Default::default() })
    }

    /// The bounds of a chunk with which one of them is drawn.
    fn known(&self, chunk: Chunk) -> Option<&'a ChunkBounds> {
        let (tile, number) = chunk.drawn_with(self.residency.shape().coarsest)?;
        let other = match (tile.column != self.tile.column, tile.row != self.tile.row) {
            (false, false) => return self.own.known(number),
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
        };
        let other = *self.others[other].get_or_init(|| self.residency.ground_of(tile));
        other?.known(number)
    }

    /// The greatest error of a chunk's quarters, and of the chunks next to them.
    fn most_finer(&self, chunk: Chunk) -> f32 {
        let mut most = 0.0f32;
        for known in self.square::<2>(chunk).as_flattened().iter().flatten() {
            most = most.max(known.finer);
        }
        most
    }

    /// For four chunks, of which this is the first, the greatest error of each and of those to its east,
    /// south and south-east: the vertices on its border belong to them.
    fn most_errors(&self, first: Chunk) -> [f32; 4] {
        let mut errors = [[0.0f32; 3]; 3];
        for (row, known) in errors.iter_mut().zip(self.square::<3>(first)) {
            for (error, known) in row.iter_mut().zip(known) {
                *error = known.map_or(0.0, |known| known.error);
            }
        }
        let most = |row: usize, column: usize| {
            let [north, south] = [&errors[row], &errors[row + 1]];
            north[column].max(north[column + 1]).max(south[column].max(south[column + 1]))
        };
        [most(0, 0), most(0, 1), most(1, 0), most(1, 1)]
    }

    /// The bounds of a chunk of the first tile, and of those to its east and south, in rows.
    fn square<const N: usize>(&self, chunk: Chunk) -> [[Option<&'a ChunkBounds>; N]; N] {
        let mut square = [[None; N]; N];
        let of_one = chunk.square_in_tile(self.residency.shape().coarsest, N as i32);
        for (row, known) in square.iter_mut().enumerate() {
            for (column, known) in known.iter_mut().enumerate() {
                // Inside one tile, indices are added; only at its eastern and southern border are other tiles
                // looked up.
                *known = match of_one {
                    Some((number, side)) => self.own.known(number + row * side + column),
                    None => self.known(chunk.beside(column as i32, row as i32)),
                };
            }
        }
        square
    }
}

/// The distance of a number from a range; 0 inside.
fn outside(number: f64, (low, high): (f64, f64)) -> f64 {
    (low - number).max(number - high).max(0.0)
}
