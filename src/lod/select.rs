//! Chunk selection for an eye.

use glam::{Vec2, Vec3};

use crate::lod::{Chunk, Pyramid, Ranges};

/// The chunks to draw for an eye, coarser with distance. They cover the field exactly once.
///
/// `eye` is in metres from the centre of the field, `ranges` in metres; `drawn_height` maps a height of the
/// field to the height at which it is drawn, and must be monotonic.
pub fn select(pyramid: &Pyramid, ranges: Ranges, eye: Vec3, drawn_height: impl Fn(f32) -> f32) -> Vec<Chunk> {
    // A chunk that reaches into the range of the next finer level is split. So everything drawn coarser
    // lies beyond that range, where the finer chunks' vertices have morphed onto the coarser grid.
    select_where(pyramid, |chunk, (low, high)| {
        let (a, b) = (drawn_height(low), drawn_height(high));
        let bounds = (a.min(b), a.max(b));
        distance_to_chunk(pyramid, chunk, bounds, eye) >= ranges.range(chunk.level - 1)
    })
}

/// The coarsest chunks that are fine enough, by a predicate of a chunk and its lowest and highest height in
/// metres; level 0 always is. They cover the field exactly once.
pub fn select_where(pyramid: &Pyramid, is_fine_enough: impl Fn(Chunk, (f32, f32)) -> bool) -> Vec<Chunk> {
    let mut chosen = Vec::new();
    choose(pyramid, pyramid.root(), &is_fine_enough, &mut chosen);
    chosen
}

fn choose(
    pyramid: &Pyramid,
    chunk: Chunk,
    is_fine_enough: &impl Fn(Chunk, (f32, f32)) -> bool,
    chosen: &mut Vec<Chunk>,
) {
    // No bounds means no land.
    let Some(bounds) = pyramid.bounds(chunk) else { return };
    if chunk.level == 0 || is_fine_enough(chunk, bounds) {
        chosen.push(chunk);
    } else {
        for child in chunk.children() {
            choose(pyramid, child, is_fine_enough, chosen);
        }
    }
}

/// Distance from the eye to the nearest point of a chunk's bounding box; 0 inside.
fn distance_to_chunk(pyramid: &Pyramid, chunk: Chunk, (low, high): (f32, f32), eye: Vec3) -> f32 {
    let grid = pyramid.grid();
    let (north_west, south_east) = chunk.rectangle(grid);
    let centre = grid.extent() * 0.5;
    let corner = |p: Vec2, height: f32| Vec3::new(p.x - centre.x, height, p.y - centre.y);
    eye.distance(eye.clamp(corner(north_west, low), corner(south_east, high)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::lod::QUADS;
    use crate::{Grid, Heightfield};

    fn hills(width: usize, depth: usize) -> Heightfield {
        let grid = Grid::new(width, depth, 2.0).unwrap();
        Heightfield::from_fn(grid, |column, row| {
            let hash = (column as u32).wrapping_mul(0x9E37_79B1) ^ (row as u32).wrapping_mul(0x85EB_CA77);
            (hash.wrapping_mul(0x2545_F491) >> 24) as f32 * 0.3 + column as f32 * 0.1
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn chosen_chunks_cover_the_land_exactly_once(
            width in 1usize..300, depth in 1usize..300, near in 1.0f32..400.0,
            x in -600.0f32..600.0, y in -50.0f32..500.0, z in -600.0f32..600.0,
        ) {
            let field = hills(width, depth);
            let pyramid = Pyramid::new(&field);
            let chunks = select(&pyramid, Ranges::new(near, field.grid()), Vec3::new(x, y, z), |h| h);
            let (cells_x, cells_z) = ((width - 1).max(1), (depth - 1).max(1));
            let mut covered = vec![0; cells_x * cells_z];
            for chunk in chunks {
                let first = chunk.first_sample();
                for row in (first.y..first.y + chunk.cells()).take_while(|&row| (row as usize) < cells_z) {
                    for column in (first.x..first.x + chunk.cells()).take_while(|&c| (c as usize) < cells_x) {
                        covered[row as usize * cells_x + column as usize] += 1;
                    }
                }
            }
            prop_assert!(covered.iter().all(|&count| count == 1));
        }

        #[test]
        fn neighbouring_chunks_meet_without_a_crack(
            width in 40usize..260, depth in 40usize..260, near in 20.0f32..150.0,
            x in -300.0f32..300.0, y in 0.0f32..150.0, z in -300.0f32..300.0,
        ) {
            let field = hills(width, depth);
            let ranges = Ranges::new(near, field.grid());
            let eye = Vec3::new(x, y, z);
            let chunks = select(&Pyramid::new(&field), ranges, eye, |h| h);
            // A crack-free surface is a closed sheet: each edge of its triangles, apart from those
            // that have shrunk to nothing, is used once in either direction, or lies on the border.
            let mut edges: HashMap<[[u32; 3]; 2], i32> = HashMap::new();
            for chunk in &chunks {
                let at = |column, row| {
                    let p = ranges.displace(&field, *chunk, (column, row), eye);
                    p.to_array().map(f32::to_bits)
                };
                for (row, column) in (0..QUADS).flat_map(|row| (0..QUADS).map(move |column| (row, column))) {
                    let (nw, ne) = (at(column, row), at(column + 1, row));
                    let (sw, se) = (at(column, row + 1), at(column + 1, row + 1));
                    for triangle in [[nw, sw, ne], [ne, sw, se]] {
                        for side in 0..3 {
                            let (a, b) = (triangle[side], triangle[(side + 1) % 3]);
                            if a < b {
                                *edges.entry([a, b]).or_default() += 1;
                            } else if b < a {
                                *edges.entry([b, a]).or_default() -= 1;
                            }
                        }
                    }
                }
            }
            let extent = field.grid().extent() * 0.5;
            for ([a, b], count) in edges {
                let [a, b] = [a, b].map(|p| Vec3::from_array(p.map(f32::from_bits)));
                let on_border = |p: Vec3| p.x.abs() == extent.x || p.z.abs() == extent.y;
                prop_assert!(count == 0 || (on_border(a) && on_border(b)), "{a} to {b}: {count}");
            }
        }
    }

    #[test]
    fn the_eye_stands_on_the_finest_level_and_sees_the_coarse_far_away() {
        let field = hills(1025, 1025);
        let pyramid = Pyramid::new(&field);
        let eye = Vec3::new(-1000.0, 40.0, -1000.0);
        let chunks = select(&pyramid, Ranges::new(200.0, field.grid()), eye, |h| h);
        let level_at = |column: u32, row: u32| {
            let inside = |c: &&Chunk| {
                let first = c.first_sample();
                (first.x..first.x + c.cells()).contains(&column)
                    && (first.y..first.y + c.cells()).contains(&row)
            };
            chunks.iter().find(inside).unwrap().level
        };
        assert_eq!(level_at(12, 12), 0);
        assert!(level_at(1000, 1000) >= 3);
        assert!(chunks.len() < 150, "{}", chunks.len());
    }

    #[test]
    fn one_level_covers_the_land_alone() {
        let pyramid = Pyramid::new(&hills(100, 65));
        assert_eq!(select_where(&pyramid, |chunk, _| chunk.level == 0).len(), 4 * 2);
        assert_eq!(select_where(&pyramid, |_, _| true), [pyramid.root()]);
    }
}
