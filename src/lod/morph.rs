//! Geomorphing: vertices move from their level's grid onto the next coarser one as distance grows.
//!
//! Twin of `shaders/cdlod.wgsl`; the functions have the same names there.

use glam::{IVec2, Vec2, Vec3};

use crate::lod::{Chunk, QUADS};
use crate::{Grid, Heightfield};

/// The share of a level's range at which its vertices begin to morph. Twin of `MORPH_START` in
/// `shaders/cdlod.wgsl`.
pub const MORPH_START: f32 = 0.65;

/// The share of a level's range at which its vertices have reached the coarser grid: slightly below 1, so
/// that rounding errors on one side cannot open a crack. Twin of `MORPH_END` in `shaders/cdlod.wgsl`.
pub const MORPH_END: f32 = 0.98;

/// The distance from the eye up to which each level is used: level n up to `near · 2^n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// The finest level's range, above 0, in the unit in which distances are given. If infinite, no vertex
    /// morphs.
    pub near: f32,
    /// Vertices don't morph onto grids coarser than this level's.
    pub coarsest: u32,
}

impl Ranges {
    /// Ranges for a field whose finest level extends to `near`. Vertices may morph onto grids three levels
    /// coarser than the coarsest chunk, which then still has 4 × 4 quads.
    pub fn new(near: f32, grid: Grid) -> Self {
        Self { near, coarsest: Chunk::coarsest_level(grid) + 3 }
    }

    /// The distance at which a level ends.
    pub fn range(self, level: u32) -> f32 {
        self.near * (1u32 << level.min(31)) as f32
    }

    /// How far a vertex of a level has morphed onto the next coarser grid at a distance from the eye, in
    /// [0, 1].
    pub fn morph(self, level: u32, distance: f32) -> f32 {
        if level >= self.coarsest {
            return 0.0;
        }
        ((distance / self.range(level) - MORPH_START) / (MORPH_END - MORPH_START)).clamp(0.0, 1.0)
    }

    /// The drawn position of a chunk's vertex, in metres from the centre of the field: vertex (0, 0) is the
    /// north-west one, ([`QUADS`], [`QUADS`]) the south-east one.
    pub fn displace(self, field: &Heightfield, chunk: Chunk, vertex: (u32, u32), eye: Vec3) -> Vec3 {
        let mut level = chunk.level;
        // In quads of the level, from the field's north-west corner.
        let mut index =
            IVec2::new((chunk.column * QUADS + vertex.0) as i32, (chunk.row * QUADS + vertex.1) as i32);
        loop {
            let fine = position(field, index, level);
            let moved = self.morph(level, fine.distance(eye));
            if moved == 0.0 {
                return fine;
            }
            let coarse_index = index >> IVec2::ONE;
            if moved < 1.0 {
                let coarse = position(field, coarse_index, level + 1);
                // Written so that a coordinate that is equal on both grids, as at the border, is unchanged
                // to the bit.
                return fine + (coarse - fine) * moved;
            }
            (index, level) = (coarse_index, level + 1);
        }
    }
}

/// The position of a level's grid point, in metres from the centre of the field, clamped to the border.
fn position(field: &Heightfield, index: IVec2, level: u32) -> Vec3 {
    let grid = field.grid();
    let last = IVec2::new(grid.width as i32 - 1, grid.depth as i32 - 1);
    let sample = (index << level as i32).min(last);
    let p = sample.as_vec2() * grid.cell - grid.extent() * 0.5;
    from_plan(p, field.at(sample.x as usize, sample.y as usize))
}

fn from_plan(p: Vec2, height: f32) -> Vec3 {
    Vec3::new(p.x, height, p.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shader_has_the_same_numbers() {
        let shader = include_str!("../../shaders/cdlod.wgsl");
        assert!(shader.contains(&format!("const QUADS: i32 = {QUADS};")));
        assert!(shader.contains(&format!("const MORPH_START: f32 = {MORPH_START};")));
        assert!(shader.contains(&format!("const MORPH_END: f32 = {MORPH_END};")));
    }

    #[test]
    fn a_vertex_moves_from_its_level_to_the_next_and_stays_within_the_land() {
        let grid = Grid::new(70, 50, 1.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| (column + row) as f32);
        let ranges = Ranges::new(100.0, grid);
        let chunk = Chunk { level: 0, column: 1, row: 0 };
        let at =
            |distance: f32| ranges.displace(&field, chunk, (3, 5), Vec3::new(0.5, 40.0 + distance, -19.5));
        assert_eq!(at(10.0), Vec3::new(0.5, 40.0, -19.5), "near: its own sample");
        assert_eq!(at(99.0), Vec3::new(-0.5, 38.0, -20.5), "at the end of the range: the coarser grid's");
        let morph = |distance: f32| ranges.morph(0, distance);
        assert_eq!((morph(100.0 * MORPH_START), morph(100.0 * MORPH_END)), (0.0, 1.0));
        assert!((morph(50.0 * (MORPH_START + MORPH_END)) - 0.5).abs() < 1e-4, "half way, half moved");
        for vertex in [(0, 0), (32, 0), (32, 32), (17, 31)] {
            for distance in [5.0, 130.0, 900.0, 1e6] {
                let p = ranges.displace(
                    &field,
                    Chunk { level: 0, column: 2, row: 1 },
                    vertex,
                    Vec3::Y * distance,
                );
                assert!(p.x.abs() <= 34.5 && p.z.abs() <= 24.5, "{p}");
            }
        }
    }
}
