//! The known ground, from the finest samples in memory: under a place, and along a line.
//!
//! Its surface consists of the triangles of the finest resident tiles. A line is followed from tile to tile,
//! from coarse to fine; tiles and chunks whose range of heights it doesn't reach are skipped.

use glam::{DVec2, DVec3};

use super::overhang::{entered, surfaces_over};
use super::samples::{GroundAt, Holes, Quad, Samples, weights_in};
use crate::grid::Heightfield;
use crate::sculpt::Sculpture;
use crate::stream::drawing::chunk::{Chunk, QUADS};
use crate::stream::residency::{Drawn, Residency};
use crate::stream::tile::{LandTile, TILE_CELLS};

/// The ground of a land as far as it is in memory. Places are in metres east of the land's sample (0, 0),
/// upwards, and south of it.
#[derive(Clone, Copy, Debug)]
pub struct KnownGround<'a> {
    residency: &'a Residency,
    /// All samples of level 0, and the lowest and highest of them.
    field: Option<(&'a Heightfield, (f32, f32))>,
    /// Strokes that the field lacks.
    sculpture: Option<&'a Sculpture>,
    /// The layer of holes at the samples of level 0.
    holes: Option<&'a Heightfield>,
}

impl<'a> KnownGround<'a> {
    /// The ground of the resident tiles.
    pub fn new(residency: &'a Residency) -> Self {
        Self { residency, field: None, sculpture: None, holes: None }
    }

    /// With the samples of a field, whose lowest and highest height are `range`, where tiles are coarser than
    /// level 0 or missing. A field that is not all of the land at level 0 is not used.
    pub fn with_field(self, field: &'a Heightfield, range: (f32, f32)) -> Self {
        let (grid, shape) = (field.grid(), self.residency.shape());
        let is_all =
            shape.size.is_some_and(|size| size.map(|side| side as usize) == [grid.width, grid.depth]);
        Self { field: (is_all && grid.cell == shape.cell).then_some((field, range)), ..self }
    }

    /// With strokes, which tiles include and the field doesn't.
    pub fn with_strokes(self, sculpture: Option<&'a Sculpture>) -> Self {
        Self { sculpture, ..self }
    }

    /// With the layer `hole` of the field's samples, for land that has one.
    pub fn with_holes(self, holes: Option<&'a Heightfield>) -> Self {
        let holes = holes.filter(|holes| self.field.is_some_and(|(field, _)| field.grid() == holes.grid()));
        Self { holes, ..self }
    }

    /// Whether there is a hole at a place on the land. On land that overhangs, this is the place of the
    /// samples, and shifted ground may still cover it.
    pub fn is_hole(&self, x: f64, z: f64) -> bool {
        let has_place = self.residency.shape().has_place(x, z);
        has_place && self.samples_at(x, z).is_some_and(|samples| samples.is_hole(x, z))
    }

    /// All surfaces of the ground above and below a place, the highest first: several where it overhangs.
    /// Empty where there is no land, or nothing is known of it.
    pub fn all_at(&self, x: f64, z: f64) -> Vec<GroundAt> {
        if self.residency.spread() > 0.0 {
            return surfaces_over(self.residency, DVec2::new(x, z));
        }
        self.at(x, z).into_iter().collect()
    }

    /// The ground at a place, the highest where it overhangs; `None` where there is no land or a hole in it,
    /// or nothing is known of it.
    pub fn at(&self, x: f64, z: f64) -> Option<GroundAt> {
        if self.residency.spread() > 0.0
            && let Some(highest) = surfaces_over(self.residency, DVec2::new(x, z)).into_iter().next()
        {
            return Some(highest);
        }
        if !self.has_land(DVec2::new(x, z)) {
            return None;
        }
        let samples = self.samples_at(x, z)?;
        (!samples.is_hole(x, z)).then(|| samples.ground(x, z))
    }

    /// The finest known samples at a place on the land.
    pub(in crate::stream) fn samples_at(&self, x: f64, z: f64) -> Option<Samples<'a>> {
        // At level 0 and finer the tile is as exact as the field or more; coarser tiles are worse than the
        // field.
        match (self.residency.finest_at(x, z), self.field) {
            (Some(tile), None) => Samples::of_tile(self.residency, tile),
            (Some(tile), Some(_)) if tile.level <= 0 => Samples::of_tile(self.residency, tile),
            _ => self.samples_of_field(),
        }
    }

    /// Whether ground may lie away from its samples.
    pub(in crate::stream) fn may_overhang(&self) -> bool {
        self.residency.spread() > 0.0
    }

    pub(in crate::stream) fn residency(&self) -> &'a Residency {
        self.residency
    }

    /// All samples of level 0.
    pub(in crate::stream) fn samples_of_field(&self) -> Option<Samples<'a>> {
        let (field, _) = self.field?;
        Some(Samples::of_field((field, self.holes, self.sculpture), self.residency.shape()))
    }

    /// Whether there is land at a place.
    pub fn has_land(&self, place: DVec2) -> bool {
        self.residency.shape().has_place(place.x, place.y)
    }

    /// Where the land ends.
    pub(in crate::stream) fn end(&self) -> DVec2 {
        self.residency.shape().extent().unwrap_or(DVec2::INFINITY)
    }

    /// The first place at which the line from `from` to `to` enters the ground, as it is `drawn`, and the
    /// ground there. Where nothing overhangs, as [`meeting`](Self::meeting), which ignores overhangs.
    pub fn entered(&self, from: DVec3, to: DVec3, drawn: Drawn) -> Option<(DVec3, GroundAt)> {
        if self.residency.spread() == 0.0 || drawn.scale == 0.0 {
            let met = self.meeting(from, to, drawn)?;
            // Not `at`: on the edge of a hole, rounding must not lose the ground that was met.
            return Some((met, self.samples_at(met.x, met.z)?.ground(met.x, met.z)));
        }
        let way = to - from;
        if !(from.is_finite() && way.is_finite()) {
            return None;
        }
        // Shifted ground may lie beyond the land's border.
        let shape = self.residency.shape();
        let march = March { ground: *self, from, way, drawn, is_above: false };
        let side = march.tile_side(shape.coarsest);
        let part = shape.crossed_within(from, way, self.residency.spread())?;
        let roots = Parts::new(&march, side, part).map(|part| {
            let middle = march.middle(part);
            (shape.tile_at(shape.coarsest, middle.x, middle.z), part.1)
        });
        let in_land = |p: DVec3| DVec3::new(p.x, (p.y - drawn.bias) / drawn.scale, p.z);
        let along = (in_land(from), in_land(to) - in_land(from));
        let (share, ground) = entered(self.residency, along, drawn.scale < 0.0, roots)?;
        Some((march.at(share), ground))
    }

    /// The first place at which the line from `from` to `to` passes from above the ground, as it is `drawn`,
    /// to below it; `None` if it doesn't, or where nothing is known. Passing upwards through the ground
    /// doesn't count, and neither does passing through a hole. Both ends must be finite; the work grows with
    /// the number of coarsest tiles on the line.
    pub fn meeting(&self, from: DVec3, to: DVec3, drawn: Drawn) -> Option<DVec3> {
        let way = to - from;
        if !(from.is_finite() && way.is_finite()) {
            return None;
        }
        let (start, end) = self.residency.shape().crossed(from, way)?;
        let mut march = March { ground: *self, from, way, drawn, is_above: false };
        let coarsest = self.residency.shape().coarsest;
        for part in Parts::new(&march, march.tile_side(coarsest), (start, end)) {
            let root = self.residency.shape().tile_at(coarsest, march.middle(part).x, march.middle(part).z);
            if let Some(met) = march.tile(root, part) {
                return Some(march.at(met));
            }
        }
        None
    }
}

impl Residency {
    /// The ground at a place, in metres from sample (0, 0), from the finest resident tile there; `None` where
    /// there is no land or a hole in it, or no tile.
    pub fn ground_at(&self, x: f64, z: f64) -> Option<GroundAt> {
        KnownGround::new(self).at(x, z)
    }

    /// The splat weights of all channels, 0 to 255, at a place, in metres from sample (0, 0), from the finest
    /// resident tile there; `None` where there is no land, or no tile.
    pub fn weights_at(&self, x: f64, z: f64) -> Option<impl Iterator<Item = u8>> {
        let tile = self.finest_at(x, z).filter(|_| self.shape().has_place(x, z))?;
        Some(weights_in(self.weights(tile)?, tile, self.shape(), x, z))
    }
}

impl<'a> Samples<'a> {
    pub(in crate::stream) fn of_tile(residency: &'a Residency, tile: LandTile) -> Option<Self> {
        let samples = Self::of_heights(residency.heights(tile)?, tile, residency.shape());
        let holes = residency.holes(tile).filter(|holes| !holes.is_empty());
        Some(Self { holes: holes.map_or(Holes::None, |holes| Holes::Tile(holes)), ..samples })
    }
}

/// A search along a line, from its start, for ground.
struct March<'a> {
    ground: KnownGround<'a>,
    from: DVec3,
    way: DVec3,
    drawn: Drawn,
    /// Whether the last place that was examined is above the ground.
    is_above: bool,
}

/// A part of a line: the shares of it at which the part begins and ends.
type Part = (f64, f64);

impl<'a> March<'a> {
    fn at(&self, share: f64) -> DVec3 {
        self.from + self.way * share
    }

    fn middle(&self, (start, end): Part) -> DVec3 {
        self.at(0.5 * (start + end))
    }

    fn residency(&self) -> &'a Residency {
        self.ground.residency
    }

    fn tile_side(&self, level: i32) -> f64 {
        f64::from(self.residency().shape().cell_at(level)) * TILE_CELLS as f64
    }

    /// Follows a part over a tile. Returns the share of the line at which it meets the ground.
    fn tile(&mut self, tile: LandTile, part: Part) -> Option<f64> {
        let Some((low, high)) = self.residency().range(tile) else {
            return self.field(part);
        };
        // A tile's range includes those of finer tiles that have been resident, but not of other finer
        // samples.
        if (self.ground.field.is_none() || tile.level <= 0)
            && let Some(met) = self.skip(part, (low, high))
        {
            return met;
        }
        if tile.level <= self.residency().shape().finest {
            return self.own(tile, part);
        }
        for part in Parts::new(self, self.tile_side(tile.level - 1), part) {
            let middle = self.middle(part);
            let child = self.residency().shape().tile_at(tile.level - 1, middle.x, middle.z);
            let met = if self.residency().has(child) {
                self.tile(child, part)
            } else if tile.level > 0 && self.ground.field.is_some() {
                self.field(part)
            } else {
                self.own(tile, part)
            };
            if met.is_some() {
                return met;
            }
        }
        None
    }

    /// Follows a part over the cells of a tile itself.
    fn own(&mut self, tile: LandTile, part: Part) -> Option<f64> {
        let samples = Samples::of_tile(self.residency(), tile)?;
        let side = f64::from(samples.cell) * f64::from(QUADS);
        for part in Parts::new(self, side, part) {
            let middle = self.middle(part);
            let number = |place: f64| (place / side).floor() as i32;
            let chunk = Chunk { level: tile.level, column: number(middle.x), row: number(middle.z) };
            let known = self.residency().known(chunk).filter(|_| chunk.tile() == tile);
            let met = match known.and_then(|known| self.skip(part, (known.low, known.high))) {
                Some(met) => met,
                None => self.cells(&samples, part),
            };
            if met.is_some() {
                return met;
            }
        }
        None
    }

    /// The rectangle under a part, with a margin of one cell: west, north, east, south.
    fn over(&self, (start, end): Part, cell: f32) -> [f64; 4] {
        let (a, b, cell) = (self.at(start), self.at(end), f64::from(cell));
        [a.x.min(b.x) - cell, a.z.min(b.z) - cell, a.x.max(b.x) + cell, a.z.max(b.z) + cell]
    }

    /// Follows a part over the samples of level 0.
    fn field(&mut self, part: Part) -> Option<f64> {
        let (Some((_, range)), Some(samples)) = (self.ground.field, self.ground.samples_of_field()) else {
            // Nothing is known here.
            self.is_above = false;
            return None;
        };
        let sculpture = self.ground.sculpture;
        for part in Parts::new(self, f64::from(samples.cell) * f64::from(QUADS), part) {
            // Strokes may have made heights outside the field's range.
            let is_sculpted = sculpture
                .is_some_and(|sculpture| sculpture.changes(0..usize::MAX, self.over(part, samples.cell)));
            let met = match self.skip(part, range).filter(|_| !is_sculpted) {
                Some(met) => met,
                None => self.cells(&samples, part),
            };
            if met.is_some() {
                return met;
            }
        }
        None
    }

    fn cells(&mut self, samples: &Samples, part: Part) -> Option<f64> {
        Parts::new(self, samples.cell.into(), part).find_map(|part| self.cell(samples, part))
    }

    /// Follows a part over one cell.
    fn cell(&mut self, samples: &Samples, (start, end): Part) -> Option<f64> {
        let middle = self.middle((start, end));
        let quad = samples.quad(middle.x, middle.z);
        // Below 0 north-west of the cell's diagonal, above 0 south-east of it.
        let before = quad.across(flat(self.at(start))) - 1.0;
        let after = quad.across(flat(self.at(end))) - 1.0;
        // The line crosses the diagonal: both triangles, in the order in which it meets them.
        if before * after < 0.0 {
            let diagonal = start + (end - start) * before / (before - after);
            self.triangle((samples, &quad), (start, diagonal), before > 0.0)
                .or_else(|| self.triangle((samples, &quad), (diagonal, end), after > 0.0))
        } else {
            self.triangle((samples, &quad), (start, end), before + after > 0.0)
        }
    }

    fn triangle(
        &mut self,
        (samples, quad): (&Samples, &Quad),
        (start, end): Part,
        is_south_east: bool,
    ) -> Option<f64> {
        let [before, after] = [start, end].map(|share| {
            let p = self.at(share);
            let (height, _) = quad.plane(flat(p), is_south_east);
            p.y - (height * self.drawn.scale + self.drawn.bias)
        });
        let was_above = std::mem::replace(&mut self.is_above, after >= 0.0);
        // Below ground, and above it just before: the line passed through the step between tiles of two
        // levels.
        let met = if before < 0.0 {
            was_above.then_some(start)
        } else {
            (after < 0.0).then(|| start + (end - start) * before / (before - after))
        };
        // Through a hole it continues below the ground.
        met.filter(|met| {
            let p = self.at(*met);
            !samples.is_hole(p.x, p.z)
        })
    }

    /// Skips a part that lies entirely above or below these heights; outer `None` if it doesn't.
    fn skip(&mut self, (start, end): Part, (low, high): (f32, f32)) -> Option<Option<f64>> {
        let (low, high) = self.drawn.range(low, high);
        let (a, b) = (self.at(start).y, self.at(end).y);
        if a.min(b) > high {
            self.is_above = true;
            return Some(None);
        }
        if a.max(b) < low {
            // As between triangles: the line came from above, so it passed down through a step between
            // levels.
            let was_above = std::mem::replace(&mut self.is_above, false);
            let p = self.at(start);
            return Some((was_above && !self.ground.is_hole(p.x, p.z)).then_some(start));
        }
        None
    }
}

fn flat(p: DVec3) -> DVec2 {
    DVec2::new(p.x, p.z)
}

/// The parts of a line between the lines of a square grid.
struct Parts {
    lines: [Lines; 2],
    share: f64,
    end: f64,
}

impl Parts {
    fn new(march: &March, side: f64, (start, end): Part) -> Self {
        let lines = |from: f64, way: f64| Lines::new(from / side, way / side, start);
        Self {
            lines: [lines(march.from.x, march.way.x), lines(march.from.z, march.way.z)],
            share: start,
            end,
        }
    }
}

impl Iterator for Parts {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        // A vertical line has no length on the grid, and is one part.
        let next = self.lines.iter().map(Lines::next).fold(self.end, f64::min);
        let part = (self.share, next);
        self.lines.iter_mut().for_each(|lines| lines.pass(next));
        self.share = next;
        (part.0 < part.1).then_some(part)
    }
}

/// The shares of a line at which it crosses the grid lines of one direction.
struct Lines {
    first: f64,
    step: f64,
    /// The number of the next grid line.
    line: f64,
}

impl Lines {
    fn new(first: f64, step: f64, start: f64) -> Self {
        let here = first + step * start;
        // The line after the start even if the start lies on one; `pass` repairs what rounding does to that.
        let line = if step > 0.0 { here.floor() + 1.0 } else { here.ceil() - 1.0 };
        let mut lines = Self { first, step, line };
        lines.pass(start);
        lines
    }

    fn next(&self) -> f64 {
        if self.step == 0.0 { f64::INFINITY } else { (self.line - self.first) / self.step }
    }

    /// Advances to the first grid line after a share of the line.
    fn pass(&mut self, share: f64) {
        // A loop, because a step can round to the same share for several lines far from the origin.
        while self.next() <= share {
            self.line += self.step.signum();
        }
    }
}
