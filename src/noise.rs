//! Noise as a pure function of place and seed: an integer hash of lattice points, and rows of
//! lattice noise over a grid.
//!
//! Gradient noise is Ken Perlin's ("Improving Noise", 2002, with its quintic fade). A grid shares
//! most of its work: along one row the four corners of a lattice cell collapse into two straight
//! lines, one from each side, and a sample is the blend of the two.

use std::sync::LazyLock;

use noise::NoiseFn;

use crate::heightfield::Grid;
use crate::params::choice;

/// Spreads the bits of a number over all 64, reversibly.
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    bits ^ (bits >> 32)
}

/// A seed of its own for stream number `stream` of `seed`.
pub(crate) fn stream(seed: u64, stream: u64) -> u64 {
    mix(mix(seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_add(stream.wrapping_mul(0xA076_1D64_78BD_642F)))
}

/// 64 random bits of a lattice point.
pub(crate) fn hash(seed: u64, x: i64, z: i64) -> u64 {
    let bits = mix(seed ^ (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mix(bits ^ (z as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
}

/// A number in [−1, 1) from random bits: the highest 24, so that every value is exact.
pub(crate) fn signed_unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u64 << 23) as f32 - 1.0
}

choice! {
    /// The function N(p) that the fractals are summed from. All stay within [−1, 1].
    pub enum Basis {
        /// Perlin's gradient noise: rounded hills, zero at the lattice points.
        Gradient = "gradient",
        /// Random heights at lattice points: blockier.
        Value = "value",
        /// Gustavson's simplex noise: less tied to the axes.
        Simplex = "simplex",
        /// Worley's cellular noise: distance to the nearest of scattered points.
        Cellular = "cellular",
    }
}

/// Unit vectors all round, times √2 so that the noise made of them reaches ±1.
static GRADIENTS: LazyLock<[[f32; 2]; 256]> = LazyLock::new(|| {
    std::array::from_fn(|index| {
        let angle = (index as f64 + 0.5) * std::f64::consts::TAU / 256.0;
        let radius = std::f64::consts::SQRT_2;
        [(radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32]
    })
});

/// One octave of noise over a grid: what is the same for all rows.
pub(crate) struct Octave {
    kind: Kind,
    frequency: f64,
    grid: Grid,
}

enum Kind {
    Lattice(Lattice),
    Simplex(noise::Simplex, [f64; 2]),
    Cellular(u64, [f64; 2]),
}

struct Lattice {
    basis: Basis,
    seed: u64,
    /// Where the grid's first sample lies on the lattice, so that octaves don't share zeros.
    origin: [f64; 2],
    first_node: i64,
    /// `run[i]..run[i + 1]` are the columns between lattice nodes `i` and `i + 1`.
    runs: Vec<usize>,
    /// Place between the two nodes, and its fade, for every column.
    place: Vec<[f32; 2]>,
}

/// What one thread keeps while it walks down the rows of an [`Octave`].
#[derive(Clone, Default)]
pub(crate) struct Walk {
    /// Lattice row whose values are held.
    held: Option<i64>,
    north: Vec<[f32; 2]>,
    south: Vec<[f32; 2]>,
    /// For every node, height at it and rise per lattice step east, on the present row.
    lines: Vec<[f32; 2]>,
}

impl Octave {
    /// Noise with `frequency` features along the grid's longer side.
    pub(crate) fn new(basis: Basis, seed: u64, frequency: f64, grid: Grid) -> Self {
        let origin = [
            (mix(seed) >> 11) as f64 / (1u64 << 53) as f64,
            (mix(seed ^ 1) >> 11) as f64 / (1u64 << 53) as f64,
        ];
        // The crate's tables take 32 bits of seed; the origin carries the others.
        let kind = match basis {
            Basis::Gradient | Basis::Value => {
                Kind::Lattice(Lattice::new(basis, seed, origin, frequency, grid))
            }
            Basis::Simplex => Kind::Simplex(noise::Simplex::new(seed as u32), origin),
            Basis::Cellular => Kind::Cellular(seed, origin),
        };
        Self { kind, frequency, grid }
    }

    /// The noise along one row of the grid.
    pub(crate) fn row(&self, row: usize, walk: &mut Walk, out: &mut [f32]) {
        let z = self.grid.unit_from_index(row) * self.frequency;
        let x = |column| self.grid.unit_from_index(column) * self.frequency;
        match &self.kind {
            Kind::Lattice(lattice) => lattice.row(z + lattice.origin[1], walk, out),
            Kind::Simplex(simplex, origin) => out.iter_mut().enumerate().for_each(|(column, out)| {
                let value = simplex.get([x(column) + origin[0], z + origin[1]]);
                *out = value.clamp(-1.0, 1.0) as f32;
            }),
            Kind::Cellular(seed, origin) => out.iter_mut().enumerate().for_each(|(column, out)| {
                *out = cellular(*seed, x(column) + origin[0], z + origin[1]);
            }),
        }
    }
}

impl Lattice {
    fn new(basis: Basis, seed: u64, origin: [f64; 2], frequency: f64, grid: Grid) -> Self {
        let mut runs = vec![0];
        let mut place = Vec::with_capacity(grid.width);
        let first_node = origin[0].floor() as i64;
        for column in 0..grid.width {
            let p_in_lattice = grid.unit_from_index(column) * frequency + origin[0];
            let node = p_in_lattice.floor();
            let along = (p_in_lattice - node) as f32;
            place.push([along, fade(along)]);
            while runs.len() <= (node as i64 - first_node) as usize {
                runs.push(column);
            }
        }
        runs.push(grid.width);
        Self { basis, seed, origin, first_node, runs, place }
    }

    fn row(&self, z_in_lattice: f64, walk: &mut Walk, out: &mut [f32]) {
        let node = z_in_lattice.floor();
        self.hold(node as i64, walk);
        let south_of_node = (z_in_lattice - node) as f32;
        let blend = fade(south_of_node);
        // Gradient noise: corner · distance. Both corners of a column of the lattice, blended north
        // to south, leave one straight line in x. Value noise is the same with level lines.
        walk.lines.clear();
        walk.lines.extend(walk.north.iter().zip(&walk.south).map(|(north, south)| match self.basis {
            Basis::Value => [north[0] + (south[0] - north[0]) * blend, 0.0],
            _ => {
                let (a, b) = (north[1] * south_of_node, south[1] * (south_of_node - 1.0));
                [a + (b - a) * blend, north[0] + (south[0] - north[0]) * blend]
            }
        }));
        for (run, lines) in self.runs.windows(2).zip(walk.lines.windows(2)) {
            let [[west, west_rise], [east, east_rise]] = [lines[0], lines[1]];
            let columns = run[0]..run[1];
            for (out, [along, blend]) in out[columns.clone()].iter_mut().zip(&self.place[columns]) {
                let from_west = west + west_rise * along;
                let from_east = east + east_rise * (along - 1.0);
                *out = from_west + (from_east - from_west) * blend;
            }
        }
    }

    /// Makes `walk` hold the lattice rows `row` and `row + 1`.
    fn hold(&self, row: i64, walk: &mut Walk) {
        if walk.held == Some(row) {
            return;
        }
        if walk.held == Some(row - 1) {
            std::mem::swap(&mut walk.north, &mut walk.south);
        } else {
            self.fill_nodes(row, &mut walk.north);
        }
        self.fill_nodes(row + 1, &mut walk.south);
        walk.held = Some(row);
    }

    fn fill_nodes(&self, row: i64, nodes: &mut Vec<[f32; 2]>) {
        let gradients = &*GRADIENTS;
        nodes.clear();
        nodes.extend((0..self.runs.len() as i64).map(|node| {
            let bits = hash(self.seed, self.first_node + node, row);
            match self.basis {
                Basis::Value => [signed_unit(bits), 0.0],
                _ => gradients[(bits >> 56) as usize],
            }
        }));
    }
}

/// Distance to the nearest of one random point a lattice cell, 0 as −1 and a cell's side as 1
/// (Worley, "A Cellular Texture Basis Function", 1996).
fn cellular(seed: u64, x: f64, z: f64) -> f32 {
    let (cell_x, cell_z) = (x.floor(), z.floor());
    let mut nearest = f64::INFINITY;
    for (dx, dz) in (-1..=1).flat_map(|dz| (-1..=1).map(move |dx| (dx, dz))) {
        let bits = hash(seed, cell_x as i64 + dx, cell_z as i64 + dz);
        let jitter = |bits: u32| f64::from(bits) / f64::from(u32::MAX);
        let to_x = cell_x + dx as f64 + jitter(bits as u32) - x;
        let to_z = cell_z + dz as f64 + jitter((bits >> 32) as u32) - z;
        nearest = nearest.min(to_x * to_x + to_z * to_z);
    }
    (2.0 * nearest.sqrt() - 1.0).min(1.0) as f32
}

/// Perlin's quintic: 0 and 1 stay, first and second derivatives vanish there.
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octave(basis: Basis, frequency: f64, side: usize) -> Vec<f32> {
        let grid = Grid::new(side, side, 1.0).unwrap();
        let octave = Octave::new(basis, 7, frequency, grid);
        let mut walk = Walk::default();
        let mut heights = vec![0.0; side * side];
        for (row, out) in heights.chunks_mut(side).enumerate() {
            octave.row(row, &mut walk, out);
        }
        heights
    }

    #[test]
    fn every_basis_stays_within_one_and_uses_most_of_it() {
        for basis in [Basis::Gradient, Basis::Value, Basis::Simplex, Basis::Cellular] {
            let heights = octave(basis, 61.3, 512);
            let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
            let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert!(low >= -1.0 && high <= 1.0, "{basis:?}: {low} to {high}");
            assert!(low < -0.7 && high > 0.4, "{basis:?}: {low} to {high}");
        }
    }

    #[test]
    fn a_point_has_one_height_at_every_resolution() {
        for basis in [Basis::Gradient, Basis::Value, Basis::Simplex, Basis::Cellular] {
            let (small, large) = (octave(basis, 9.7, 65), octave(basis, 9.7, 129));
            for row in 0..65 {
                for column in 0..65 {
                    assert_eq!(small[row * 65 + column], large[2 * row * 129 + 2 * column]);
                }
            }
        }
    }

    #[test]
    fn rows_do_not_depend_on_the_order_they_are_asked_in() {
        let grid = Grid::new(40, 40, 1.0).unwrap();
        let octave = Octave::new(Basis::Gradient, 3, 13.0, grid);
        let (mut forward, mut fresh) = (Walk::default(), [0.0; 40]);
        let mut walked = [0.0; 40];
        for row in 0..40 {
            octave.row(row, &mut forward, &mut walked);
            octave.row(row, &mut Walk::default(), &mut fresh);
            assert_eq!(walked, fresh);
        }
    }

    #[test]
    fn gradient_noise_has_no_steps() {
        let side = 2048;
        let heights = octave(Basis::Gradient, 8.0, side);
        let steepest = heights
            .chunks(side)
            .flat_map(|row| row.windows(2).map(|pair| (pair[1] - pair[0]).abs()))
            .fold(0.0, f32::max);
        assert!(steepest < 0.02, "{steepest}");
    }
}
