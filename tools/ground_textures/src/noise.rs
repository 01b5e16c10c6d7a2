//! Noise that wraps at the tile's edge: its lattice has a whole number of cells across the tile, and the hash
//! gets a lattice point's number modulo that.

use glam::Vec2;

use super::colour::smooth;
use super::hash::{hash, hash_along, hash_of_column, signed_unit, stream};

/// A kind of noise: its seed and how many lattice cells lie along the tile's side, east and south.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    seed: u64,
    cells: [i32; 2],
}

/// Where a point lies among scattered centres.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Random bits of the nearest centre.
    pub(super) id: u64,
    /// From the point to the nearest centre, in cells.
    pub(super) to_centre: Vec2,
    /// Distance to the border between the two nearest centres, in cells.
    pub(super) border: f32,
}

impl Noise {
    /// Noise with `cells` features along either side of the tile.
    pub(super) fn new(seed: u64, cells: i32) -> Self {
        Self::stretched(seed, cells, cells)
    }

    /// Noise with features of another length than width.
    pub(super) fn stretched(seed: u64, east: i32, south: i32) -> Self {
        Self { seed: stream(seed, 0), cells: [east, south] }
    }

    fn bits(&self, x: i32, z: i32) -> u64 {
        hash(self.seed, i64::from(x.rem_euclid(self.cells[0])), i64::from(z.rem_euclid(self.cells[1])))
    }

    fn on_lattice(&self, p: Vec2) -> Vec2 {
        p * Vec2::new(self.cells[0] as f32, self.cells[1] as f32)
    }

    /// Perlin's gradient noise at `p`, in tiles: about −0.8 to 0.8.
    pub(super) fn gradient(&self, p: Vec2) -> f32 {
        let (west, north, t) = split(self.on_lattice(p));
        let column = |x: i32| hash_of_column(self.seed, i64::from(x.rem_euclid(self.cells[0])));
        let columns = [column(west), column(west + 1)];
        let rows = [north, north + 1].map(|z| i64::from(z.rem_euclid(self.cells[1])));
        let corner = |dx: usize, dz: usize| {
            let bits = hash_along(columns[dx], rows[dz]);
            let slope = Vec2::new(signed_unit(bits), signed_unit(bits << 24));
            slope.dot(t - Vec2::new(dx as f32, dz as f32))
        };
        let fade = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1));
        let (north, south) = (a + (b - a) * fade.x, c + (d - c) * fade.x);
        1.6 * (north + (south - north) * fade.y)
    }

    /// The random number of the lattice square at `p`, −1 to 1: no blend, a mosaic.
    pub(super) fn mosaic(&self, p: Vec2) -> f32 {
        let (west, north, _) = split(self.on_lattice(p));
        signed_unit(self.bits(west, north))
    }

    /// Gradient noise of `octaves` sizes, each half as large as the one before and `gain` as strong;
    /// mostly within −1 to 1.
    pub(super) fn fbm(&self, octaves: u64, gain: f32, p: Vec2) -> f32 {
        self.sum(octaves, gain, |noise| noise.gradient(p))
    }

    fn sum(&self, octaves: u64, gain: f32, noise: impl Fn(Self) -> f32) -> f32 {
        let (mut sum, mut weight, mut weights) = (0.0, 1.0, 0.0);
        for octave in 0..octaves {
            sum += weight * noise(self.octave(octave));
            weights += weight * weight;
            weight *= gain;
        }
        1.3 * sum / weights.sqrt()
    }

    fn octave(&self, octave: u64) -> Self {
        Self { seed: stream(self.seed, octave), cells: self.cells.map(|cells| cells << octave) }
    }

    /// A displacement that bends shapes at `p`: two independent fBm.
    pub(super) fn warp(&self, octaves: u64, p: Vec2) -> Vec2 {
        let other = Self { seed: stream(self.seed, 1000), ..*self };
        Vec2::new(self.fbm(octaves, 0.5, p), other.fbm(octaves, 0.5, p))
    }
}

/// The distance in cells within which centres are searched.
const REACH: i32 = 3;

/// One random centre a lattice cell.
pub(super) struct Cells {
    cells: [i32; 2],
    /// Random bits of each centre, and where it lies from its cell's north-west corner.
    centres: Vec<(u64, Vec2)>,
}

impl Cells {
    /// `cells` centres along either side of the tile.
    pub(super) fn new(seed: u64, cells: i32) -> Self {
        Self::stretched(seed, cells, cells)
    }

    /// Cells of another length than width.
    pub(super) fn stretched(seed: u64, east: i32, south: i32) -> Self {
        let noise = Noise::stretched(seed, east, south);
        let centre = |index: i32| {
            let bits = noise.bits(index % east, index / east);
            (bits, 0.5 + 0.48 * Vec2::new(signed_unit(bits), signed_unit(bits << 24)))
        };
        Self { cells: [east, south], centres: (0..east * south).map(centre).collect() }
    }

    /// The centres near `p`, in tiles, by how many cells they are away from its own (up to
    /// [`REACH`] each way): random bits, and the way there in cells.
    fn around(&self, p: Vec2) -> impl Fn((i32, i32)) -> (u64, Vec2) {
        let [east, south] = self.cells;
        let (west, north, t) = split(p * Vec2::new(east as f32, south as f32));
        let wrapped = |first: i32, cells: i32| -> [i32; 2 * REACH as usize + 1] {
            std::array::from_fn(|index| (first - REACH + index as i32).rem_euclid(cells))
        };
        let (columns, rows) = (wrapped(west, east), wrapped(north, south));
        move |(dx, dz)| {
            let (column, row) = (columns[(dx + REACH) as usize], rows[(dz + REACH) as usize]);
            let (bits, centre) = self.centres[(row * east + column) as usize];
            (bits, Vec2::new(dx as f32, dz as f32) + centre - t)
        }
    }

    /// The nearest centre to `p`, in tiles: random bits, and the way there in cells.
    pub(super) fn nearest(&self, p: Vec2) -> (u64, Vec2) {
        let (bits, to, _) = home(&self.around(p));
        (bits, to)
    }

    /// As [`nearest`](Self::nearest), and the distance to the border of its neighbourhood, in cells
    /// (after Inigo Quilez, "Voronoi Borders").
    pub(super) fn with_border(&self, p: Vec2) -> Cell {
        let centre = self.around(p);
        let (id, to_centre, home) = home(&centre);
        let mut border = f32::INFINITY;
        for place in around(2, home).filter(|&place| place != home) {
            let (_, to) = centre(place);
            let across = to - to_centre;
            border = border.min((to_centre + to).dot(across) * 0.5 / across.length().max(1e-6));
        }
        Cell { id, to_centre, border }
    }

    /// Facets that meet in edges, as on broken rock: the highest of planes that lean every way, one
    /// round every centre. About 0 to 1; `lean` is how steep they are, and the number of the facet.
    pub(super) fn facets(&self, lean: f32, p: Vec2) -> (f32, u64) {
        let centre = self.around(p);
        let mut highest = (f32::NEG_INFINITY, 0);
        for place in around(2, (0, 0)) {
            let (bits, to) = centre(place);
            let way = Vec2::new(unit(bits, 8) - 0.5, unit(bits, 16) - 0.5);
            // Far from its centre a plane bends down, so that it never reaches beyond the cells around.
            let height = 0.5 * unit(bits, 24) + lean * way.dot(to) - 0.6 * to.length_squared();
            if height > highest.0 {
                highest = (height, bits);
            }
        }
        highest
    }
}

/// Which cell the nearest centre is in: its bits, the way there, and the cell.
fn home(centre: &impl Fn((i32, i32)) -> (u64, Vec2)) -> (u64, Vec2, (i32, i32)) {
    let mut nearest = (0, Vec2::splat(9.0), (0, 0));
    for place in around(1, (0, 0)) {
        let (bits, to) = centre(place);
        if to.length_squared() < nearest.1.length_squared() {
            nearest = (bits, to, place);
        }
    }
    nearest
}

/// A number in [0, 1) from eight random bits, beginning at `shift`.
pub(super) fn unit(bits: u64, shift: u32) -> f32 {
    (bits >> shift & 255) as f32 / 256.0
}

/// Sheets that lie on one another, as on scaling rock or drifted snow, from a smooth height `level`
/// whose whole numbers are their edges: the height, rising by 1 a sheet within `sharp` of one, and how
/// much a place is an edge's upper rim (to 1) or its foot (to −1).
pub(super) fn sheets(level: f32, sharp: f32) -> (f32, f32) {
    let step = level.floor();
    let t = level - step;
    let edge = smooth(0.0, sharp, t);
    let rim = edge * smooth(4.0 * sharp, sharp, t);
    (step + edge * (0.8 + 0.2 * t), rim - smooth(1.0 - 1.5 * sharp, 1.0, t))
}

/// All cells within `reach` of `home`.
fn around(reach: i32, home: (i32, i32)) -> impl Iterator<Item = (i32, i32)> {
    (-reach..=reach).flat_map(move |dz| (-reach..=reach).map(move |dx| (home.0 + dx, home.1 + dz)))
}

/// The lattice cell of a place, and where in it the place lies.
fn split(p: Vec2) -> (i32, i32, Vec2) {
    let floor = p.floor();
    (floor.x as i32, floor.y as i32, p - floor)
}

/// Random numbers for one of many shapes: a hash of the seed, its number and how many were drawn.
pub(super) struct Dice {
    seed: u64,
    drawn: u64,
}

impl Dice {
    /// The dice of shape number `index`.
    pub(super) fn new(seed: u64, index: usize) -> Self {
        Self { seed: stream(seed, index as u64), drawn: 0 }
    }

    fn bits(&mut self) -> u64 {
        self.drawn += 1;
        stream(self.seed, self.drawn)
    }

    /// A number in [−1, 1).
    pub(super) fn signed(&mut self) -> f32 {
        signed_unit(self.bits())
    }

    /// A number in [0, 1).
    pub(super) fn unit(&mut self) -> f32 {
        0.5 * self.signed() + 0.5
    }

    /// A number from `low` to `high`.
    pub(super) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A number near 0, rarely beyond ±1: the mean of three even ones, stretched.
    pub(super) fn bell(&mut self) -> f32 {
        (self.signed() + self.signed() + self.signed()) * 0.6
    }

    /// True once in `1 / share` times.
    pub(super) fn chance(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    /// A direction.
    pub(super) fn direction(&mut self) -> Vec2 {
        direction(self.within(0.0, std::f32::consts::TAU))
    }

    /// A place on a tile of `side` metres.
    pub(super) fn place(&mut self, side: f32) -> Vec2 {
        Vec2::new(self.unit(), self.unit()) * side
    }

    /// One of several.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[((self.unit() * from.len() as f32) as usize).min(from.len() - 1)]
    }
}

/// The unit vector of an angle, radians from east towards south.
pub(super) fn direction(angle: f32) -> Vec2 {
    Vec2::new(libm::cosf(angle), libm::sinf(angle))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places whose coordinates stay exact when whole tiles are added.
    fn places() -> impl Iterator<Item = Vec2> {
        (0..400).map(|index| Vec2::new((index * 37 % 256) as f32, (index * 101 % 256) as f32) / 256.0)
    }

    #[test]
    fn noise_wraps_exactly() {
        let (noise, cells) = (Noise::stretched(3, 8, 16), Cells::new(4, 8));
        for p in places() {
            for tiles in [Vec2::new(1.0, 0.0), Vec2::new(0.0, 1.0), Vec2::new(-2.0, 3.0)] {
                assert_eq!(noise.fbm(3, 0.5, p), noise.fbm(3, 0.5, p + tiles));
                assert_eq!(noise.mosaic(p), noise.mosaic(p + tiles));
                assert_eq!(cells.nearest(p), cells.nearest(p + tiles));
                assert_eq!(cells.facets(1.0, p), cells.facets(1.0, p + tiles));
            }
        }
    }

    #[test]
    fn borders_are_where_another_centre_is_as_near() {
        let cells = Cells::new(5, 8);
        for p in places() {
            let cell = cells.with_border(p);
            assert!(cell.border >= 0.0);
            // A little less than that far in any direction, the nearest centre is still the same.
            for step in 0..8 {
                let way = direction(step as f32 * 0.785) * 0.99 * cell.border / 8.0;
                assert_eq!(cells.nearest(p + way).0, cell.id);
            }
        }
    }

    #[test]
    fn dice_are_even() {
        let mut dice = Dice::new(1, 2);
        let thrown: Vec<f32> = (0..10_000).map(|_| dice.signed()).collect();
        let mean = |of: fn(f32) -> f32| thrown.iter().map(|number| of(*number)).sum::<f32>() / 10_000.0;
        assert!(mean(|number| number).abs() < 0.03, "{}", mean(|number| number));
        // Even from -1 to 1: a third.
        let square = mean(|number| number * number);
        assert!((square - 1.0 / 3.0).abs() < 0.01, "{square}");
    }
}
