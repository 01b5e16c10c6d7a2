//! Diamond-square: midpoint displacement of a square, level by level (Fournier, Fussell and
//! Carpenter 1982; the wrapping and the open border after the lecture).
//!
//! Randomness is hashed from a point's position on the lattice of its level, so the points of a level may
//! be computed in any order, on any number of threads, and don't depend on the number of levels.
//!
//! Each level is a lattice of its own, computed row by row from the one before, which has a quarter of its
//! points. Only the points that the land and later levels need are computed.

mod subdivision;

use self::subdivision::Subdivision;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::memory;
use crate::grid::{Grid, Heightfield, Region};
use crate::noise::{hash, signed_unit, stream};
use crate::params::{choice, params};
use crate::resize::catmull_rom_around;
use crate::steps::generate::Generate;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, estimate, step};

choice! {
    /// The heights of the corners of the first square.
    pub enum Corners {
        /// All at height 0.
        Zero = "zero",
        /// Random, within the first displacement.
        Random = "random",
        /// Four given heights.
        Given = "given",
    }
}

choice! {
    /// How opposite borders of wrapping land become equal.
    pub enum DiamondSeam {
        /// They are one line: positions are counted modulo 2^n.
        Equal = "equal",
        /// They don't. A mistake, kept to demonstrate it: positions are counted modulo 2^n + 1, so that each
        /// border has random numbers of its own, although its means look at the ground beyond the other.
        Unequal = "unequal",
    }
}

params! {
    /// Diamond-square, a fractal by midpoint displacement, equally rough everywhere. Sizes of 2^n + 1
    /// samples show the same land with more levels; other sizes show a different part of it. With wrapping,
    /// every size shows the same land.
    pub struct DiamondSquare {
        /// Largest displacement d of the first level, up or down.
        pub height: f32 = 1000.0, "m" in 0.0..=12000.0;
        /// Hurst exponent H: after each level d is multiplied by 2^(−H). Near 0 is rough, above 1 smooth.
        /// Older recipes call it `roughness`.
        pub hurst: f32 = 0.9, "" in 0.0..=4.0, was roughness;
        /// Makes opposite borders meet, so that copies of the land tile: one cell beyond the last sample
        /// comes the first again.
        pub wrap: bool = false;
        /// How opposite borders become equal, with `wrap`; `unequal` is a common mistake that leaves a seam,
        /// kept to demonstrate it.
        pub seam: DiamondSeam = DiamondSeam::Equal;
        /// The heights of the corners of the first square.
        pub corners: Corners = Corners::Zero;
        /// Height of the north-west corner, with `corners: given`.
        pub north_west: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the north-east corner, with `corners: given` and no wrapping.
        pub north_east: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the south-west corner, with `corners: given` and no wrapping.
        pub south_west: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the south-east corner, with `corners: given` and no wrapping.
        pub south_east: f32 = 0.0, "m" in -12000.0..=12000.0;
    }
}

impl Generate for DiamondSquare {
    /// Observers see each level as a lattice of its own, with half the point spacing of the level before.
    /// Where the land is cut out of a larger square, the lattice may extend beyond it.
    ///
    /// A grid that is not 2ⁿ + 1 samples across is the north-west part of the next larger square.
    ///
    /// Wrapping land of `w × d` samples has a period of `w` columns and `d` rows, as filters with `border:
    /// wrap` expect. It is made of squares of 2ⁿ samples, the next power of two, side by side along the
    /// longer side, and resampled to the grid by Catmull-Rom interpolation across the borders. 512 × 512 or
    /// 512 × 256 samples need no resampling.
    ///
    /// With `seam: unequal` it is a part of 2ⁿ + 1 samples a side, as if it didn't wrap.
    ///
    /// # Errors
    /// With `wrap`, when there isn't enough free memory for the squares. They have up to six times as many
    /// samples as the grid; with `seam: unequal` it is one square over the longer side of the grid, of up to
    /// 4·l² samples where that side has l, however short the other is.
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let grid = region.grid();
        if self.reads_across() {
            // The smallest 2ⁿ whose 2ⁿ + 1 points hold the longer side.
            let side = (grid.longer() - 1).next_power_of_two().max(1);
            let square = Grid::new(side + 1, side + 1, grid.cell)?;
            // Memory for the finest lattice, the two before it, and the part of it that is kept.
            memory::require(grid, 4 * (square.count() as u64 * 3 / 2 + grid.count() as u64))?;
            let sizes = self.sizes([side + 1; 2], [1, 1], side);
            let land = self.subdivide(square, &sizes, seed, work)?;
            show_last(&land, &sizes, work)?;
            return Ok(Heightfield::from_fn(grid, |column, row| land.at(column, row)));
        }
        if !self.wrap {
            let side = (grid.longer() - 1).next_power_of_two().max(1);
            let sizes = self.sizes([grid.width, grid.depth], [1, 1], side);
            let field = self.subdivide(grid, &sizes, seed, work)?;
            show_last(&field, &sizes, work)?;
            return Ok(field);
        }
        let squares = squares_over(grid);
        // Without `- 1` here: on land that wraps the last sample is followed by the first, so n samples have
        // n gaps.
        let side = grid.width.div_ceil(squares[0]).max(grid.depth.div_ceil(squares[1])).next_power_of_two();
        let [width, depth] = squares.map(|count| count * side);
        let is_resized = (width, depth) != (grid.width, grid.depth);
        // The lattice covers the same metres as the grid, with more or fewer samples.
        let lattice = Grid { width, depth, cell: grid.cell * (grid.width as f32 / width as f32) };
        // Memory for the finest lattice and the two before it, each with a quarter of the samples of the
        // next, or for the finest and the field.
        let (finest, field) = (lattice.count() as u64, grid.count() as u64);
        memory::require(grid, 4 * (finest + (finest / 4 + finest / 16).max(field)))?;
        let sizes = self.sizes([width, depth], squares, side);
        let land = self.subdivide(lattice, &sizes, seed, work)?;
        let land = if is_resized { catmull_rom_around(&land, grid, work)? } else { land };
        show_last(&land, &sizes, work)?;
        Ok(land)
    }
}

impl Operation for DiamondSquare {
    step!("diamond_square", "Diamond-square", Generator);

    fn uses(&self, name: &str) -> bool {
        match name {
            "seam" => self.wrap,
            "north_west" => self.corners == Corners::Given,
            "north_east" | "south_west" | "south_east" => {
                self.corners == Corners::Given && !self.has_one_border()
            }
            _ => true,
        }
    }

    fn formula(&self) -> Option<String> {
        let (d, hurst) = (brief(self.height), brief(self.hurst));
        let corners = match self.corners {
            Corners::Zero => "0".to_owned(),
            Corners::Random => format!("{d} ξ"),
            Corners::Given if self.has_one_border() => brief(self.north_west),
            Corners::Given => {
                [self.north_west, self.north_east, self.south_west, self.south_east].map(brief).join(", ")
            }
        };
        Some(format!(
            "h = mean of the 4 corners or neighbours around + dₖ ξ,  ξ random from −1 to 1\n\
             dₖ = {d} · 2^(−{hurst} k),  k = 0, 1, 2 …: centres of squares, then of edges\n\
             first corners: {corners}"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // The smallest square of 2^n that holds the land.
        let side = grid.longer().next_power_of_two() as f64;
        estimate::in_seconds(8.0 * side * side)
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

/// Shows observers the last level, which is the finished land.
fn show_last(land: &Heightfield, sizes: &[[usize; 2]], work: &Work) -> Result<()> {
    let levels = sizes.len() - 1;
    work.frame(LEVEL, levels, levels, || Ok(land))
}

/// The name of the rounds that observers see.
const LEVEL: &str = "level";

/// Number of squares side by side along X and Z that stretches wrapping land of this shape the least.
fn squares_over(grid: Grid) -> [usize; 2] {
    let (longer, shorter) = (grid.longer() as u128, grid.width.min(grid.depth) as u128);
    // Compared by ratio: n squares are best until the ratio is √(n·(n + 1)). No common shape is near such a
    // value, so all sizes of a land get the same number.
    let mut count = (longer / shorter).max(1);
    if longer * longer > shorter * shorter * count * (count + 1) {
        count += 1;
    }
    if grid.width >= grid.depth { [count as usize, 1] } else { [1, count as usize] }
}

impl DiamondSquare {
    /// Whether each border is displaced by itself, although its means look at the ground beyond the other.
    fn reads_across(&self) -> bool {
        self.wrap && self.seam == DiamondSeam::Unequal
    }

    /// Whether opposite borders are one line.
    fn has_one_border(&self) -> bool {
        self.wrap && self.seam == DiamondSeam::Equal
    }

    /// Computes lattice after lattice, with these sizes; the last one is `grid`.
    fn subdivide(&self, grid: Grid, sizes: &[[usize; 2]], seed: u64, work: &Work) -> Result<Heightfield> {
        work.stage("diamond-square", sizes.iter().map(|size| size[1]).sum());
        let mut lattice = self.corners(sizes[0], seed);
        let borders = (self.has_one_border(), self.reads_across());
        let mut range = self.height;
        let mut field = Heightfield::flat(grid, 0.0);
        for (number, pair) in sizes.windows(2).enumerate() {
            // A stream for each level, because places of different levels have the same indices.
            let seed = stream(seed, number as u64);
            let level = Subdivision::new(&lattice, pair[0], pair[1], borders, range, seed);
            // The finest level goes straight into the field, without a copy.
            if number + 2 == sizes.len() {
                level.make(field.heights_mut(), work)?;
                return Ok(field);
            }
            let mut finer = vec![0.0; pair[1][0] * pair[1][1]];
            level.make(&mut finer, work)?;
            lattice = finer;
            work.frame(LEVEL, number + 1, sizes.len() - 1, || {
                let [width, depth] = pair[1];
                // Exact: powers of two only change the exponent of the cell.
                let apart = libm::exp2f((sizes.len() - 2 - number) as f32);
                Heightfield::new(Grid { width, depth, cell: grid.cell * apart }, lattice.clone())
            })?;
            range *= libm::exp2f(-self.hurst);
        }
        // A side of one cell has nothing between its corners, so no level has filled the field.
        field.heights_mut().copy_from_slice(&lattice);
        Ok(field)
    }

    /// Columns and rows of the lattices, that of the corners first, for `squares` with `side` cells each.
    /// The last one is `finest`.
    fn sizes(&self, finest: [usize; 2], squares: [usize; 2], side: usize) -> Vec<[usize; 2]> {
        let mut sizes = vec![finest];
        // From the finest lattice to the coarsest, since only the finest has a known size; then turned round.
        for across in (0..side.trailing_zeros()).rev().map(|level| 1 << level) {
            let finer = sizes[sizes.len() - 1];
            sizes.push(match self.has_one_border() {
                true => squares.map(|count| count * across),
                // Beyond the last wanted point there is a centre, and then a corner, unless the border
                // comes first.
                false => finer.map(|count| ((count - 1) / 2 + 1).min(across) + 1),
            });
        }
        sizes.reverse();
        sizes
    }

    /// The lattice of corners.
    fn corners(&self, [width, depth]: [usize; 2], seed: u64) -> Vec<f32> {
        let given = [[self.north_west, self.north_east], [self.south_west, self.south_east]];
        let corner = |row: usize, column: usize| match self.corners {
            Corners::Zero => 0.0,
            Corners::Given if self.has_one_border() => self.north_west,
            Corners::Given => given[row][column],
            Corners::Random => {
                // A stream that no level has: levels count up from 0.
                self.height * signed_unit(hash(stream(seed, u64::MAX), column as i64, row as i64))
            }
        };
        (0..depth).flat_map(|row| (0..width).map(move |column| corner(row, column))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(generator: &DiamondSquare, side: usize, seed: u64) -> Heightfield {
        generator.generate(Grid::new(side, side, 1.0).unwrap(), seed, &Work::new()).unwrap()
    }

    #[test]
    fn without_displacement_the_given_corners_are_blended() {
        let corners = DiamondSquare {
            height: 0.0,
            corners: Corners::Given,
            north_west: 1.0,
            north_east: 2.0,
            south_west: 3.0,
            south_east: 6.0,
            ..Default::default()
        };
        let field = make(&corners, 3, 0);
        assert_eq!([field.at(0, 0), field.at(2, 0), field.at(0, 2), field.at(2, 2)], [1.0, 2.0, 3.0, 6.0]);
        assert_eq!(field.at(1, 1), 3.0);
        assert_eq!(field.at(1, 0), (1.0 + 2.0 + 3.0) / 3.0);
        assert_eq!(field.at(0, 1), (1.0 + 3.0 + 3.0) / 3.0);
    }

    /// Heights are linear in what is random: the influence of one corner is what it gives alone.
    #[test]
    fn each_corner_has_its_own_influence() {
        let with = |north_west, south_east| {
            let corners = Corners::Given;
            make(&DiamondSquare { height: 0.0, corners, north_west, south_east, ..Default::default() }, 9, 0)
        };
        let (west, east, both) = (with(8.0, 0.0), with(0.0, -4.0), with(8.0, -4.0));
        for index in 0..81 {
            let sum = west.heights()[index] + east.heights()[index];
            assert!((both.heights()[index] - sum).abs() < 1e-5);
        }
        // The centre takes a quarter of the corner's 8; the border's middle takes a third of both; the middle
        // of the quarter takes a fourth of the corner, the two border's middles and the centre.
        let border = (8.0 + 2.0) / 3.0;
        assert_eq!([west.at(4, 4), west.at(4, 0)], [2.0, border]);
        assert!((west.at(2, 2) - (8.0 + 2.0 + 2.0 * border) / 4.0).abs() < 1e-6);
    }

    /// The corners are 0. The centre of the square and the middle of its edge are displaced by uniform
    /// numbers in (−d₀, d₀) and (−d₁, d₁), whose variances are d₀²/3 and d₁²/3.
    #[test]
    fn the_first_middle_of_an_edge_has_the_variance_of_its_border() {
        let hurst = 0.5;
        let (d0, d1) = (1.0f64, 1.0);
        for (wrap, side, share) in [(true, 2, 0.25), (false, 3, 1.0 / 9.0)] {
            let generator = DiamondSquare { height: 1.0, hurst, wrap, ..Default::default() };
            let runs = 20_000;
            let square: f64 =
                (0..runs).map(|seed| f64::from(make(&generator, side, seed).at(1, 0)).powi(2)).sum();
            // Wrapping, the centre is counted twice among the four, so half of it: a quarter of its
            // variance. At an open border it is one of three: a ninth.
            let expected = share * d0 * d0 / 3.0 + d1 * d1 / 3.0;
            // Standard error of a variance estimate from 20 000 runs is about 1 %.
            assert!((square / f64::from(runs as u32) / expected - 1.0).abs() < 0.04, "wrap {wrap}");
        }
    }

    #[test]
    fn wrapped_land_tiles() {
        let generator = DiamondSquare { wrap: true, hurst: 1.5, ..Default::default() };
        let field = make(&generator, 64, 9);
        let step = |a: f32, b: f32| (a - b).abs();
        let inside = (0..63).map(|x| step(field.at(x, 20), field.at(x + 1, 20))).fold(0.0, f32::max);
        let across = (0..64).map(|z| step(field.at(63, z), field.at(0, z))).fold(0.0, f32::max);
        assert!(across < 3.0 * inside, "{across} against {inside}");
    }

    /// How much neighbouring columns differ on average, at most inside and over the border; and rows.
    fn steps(field: &Heightfield) -> [(f32, f32); 2] {
        let Grid { width, depth, .. } = field.grid();
        let mean = |count: usize, step: &dyn Fn(usize) -> f32| {
            (0..count).map(|index| step(index).abs()).sum::<f32>() / count as f32
        };
        let between = |across: usize, mean: &dyn Fn(usize) -> f32| {
            let inside = (0..across - 1).map(mean).fold(0.0, f32::max);
            (inside, mean(across - 1))
        };
        let columns = |x: usize| mean(depth, &|z| field.at((x + 1) % width, z) - field.at(x, z));
        let rows = |z: usize| mean(width, &|x| field.at(x, (z + 1) % depth) - field.at(x, z));
        [between(width, &columns), between(depth, &rows)]
    }

    /// The mistake: what should be one line of ground are two.
    #[test]
    fn unequal_seams_leave_a_step_that_equal_ones_do_not() {
        let make_with =
            |seam, side| make(&DiamondSquare { wrap: true, hurst: 1.2, seam, ..Default::default() }, side, 9);
        let wrong = make_with(DiamondSeam::Unequal, 257);
        for (inside, across) in steps(&wrong) {
            assert!(across > 2.0 * inside, "{across} against {inside}");
        }
        for (inside, across) in steps(&make_with(DiamondSeam::Equal, 257)) {
            assert!(across <= 1.1 * inside, "{across} against {inside}");
        }
        // A smaller land is a part of the same one.
        let part = make_with(DiamondSeam::Unequal, 200);
        assert!((0..200).all(|row| part.row(row) == &wrong.row(row)[..200]));
    }

    #[test]
    fn wrapped_land_of_every_size_tiles() {
        let generator = DiamondSquare { wrap: true, hurst: 1.2, ..Default::default() };
        let generate = |width, depth| {
            generator.generate(Grid::new(width, depth, 1.0).unwrap(), 9, &Work::new()).unwrap()
        };
        for (width, depth) in [(257, 257), (300, 200), (200, 300), (513, 129), (97, 350), (256, 100)] {
            for (inside, across) in steps(&generate(width, depth)) {
                // As everywhere, but for the chance in a mean of a hundred.
                assert!(across <= 1.1 * inside, "{width}×{depth}: {across} against {inside}");
            }
        }
        // A part of it does not: that is what would be seen.
        let tile = generate(256, 256);
        let part = Heightfield::from_fn(Grid::new(200, 200, 1.0).unwrap(), |x, z| tile.at(x, z));
        assert!(steps(&part).iter().all(|(inside, across)| *across > 3.0 * inside));
        for (width, depth) in (2..14).flat_map(|width| (2..14).map(move |depth| (width, depth))) {
            let field = generate(width, depth);
            assert!(field.heights().iter().all(|height| height.is_finite()), "{width}×{depth}");
        }
        for (width, depth) in [(1, 1), (1, 9), (1000, 2), (3, 700), (5, 1)] {
            assert_eq!(generate(width, depth).grid().width, width);
        }
    }

    #[test]
    fn every_size_of_wrapped_land_is_the_same_landform() {
        let generator = DiamondSquare { wrap: true, ..Default::default() };
        let generate = |width, depth| {
            generator.generate(Grid::new(width, depth, 1.0).unwrap(), 3, &Work::new()).unwrap()
        };
        for sizes in [
            [(257, 257), (513, 513), (1025, 1025), (256, 256), (300, 300)],
            [(257, 129), (513, 257), (1025, 513), (256, 128), (300, 150)],
            [(257, 172), (769, 513), (1025, 683), (1536, 1024), (384, 256)],
        ] {
            let (width, depth) = sizes[0];
            let first = generate(width, depth);
            for (other_width, other_depth) in &sizes[1..] {
                let other = generate(*other_width, *other_depth);
                // The same place of the tile, between the other's samples.
                let pairs = (0..width * depth).map(|index| {
                    let (column, row) = (index % width, index / width);
                    let x = column as f32 * *other_width as f32 / width as f32;
                    let z = row as f32 * *other_depth as f32 / depth as f32;
                    (f64::from(first.heights()[index]), f64::from(other.sample(glam::vec2(x, z))))
                });
                let [mut n, mut a, mut b, mut aa, mut bb, mut ab] = [0.0; 6];
                for (x, y) in pairs {
                    (n, a, b, aa, bb, ab) = (n + 1.0, a + x, b + y, aa + x * x, bb + y * y, ab + x * y);
                }
                let correlation = (n * ab - a * b) / ((n * aa - a * a) * (n * bb - b * b)).sqrt();
                assert!(correlation > 0.99, "{width} and {other_width}: {correlation}");
            }
        }
    }

    /// The square in place, point by point, as the lecture has it.
    fn directly(generator: &DiamondSquare, side: usize, seed: u64) -> Vec<f32> {
        let (wrap, stride) = (generator.wrap, if generator.wrap { side } else { side + 1 });
        let size = if wrap { [1; 2] } else { [2; 2] };
        let corners = generator.corners(size, seed);
        let mut heights = vec![0.0; stride * stride];
        for (index, corner) in corners.into_iter().enumerate() {
            heights[index / size[0] * side * stride + index % size[0] * side] = corner;
        }
        let (mut step, mut range) = (side, generator.height);
        while step > 1 {
            let half = step / 2;
            let seed = stream(seed, (side / step).trailing_zeros().into());
            let near = |place: usize, ahead: bool| match (ahead, wrap) {
                (false, false) => place.checked_sub(half),
                (true, false) => Some(place + half).filter(|place| *place < stride),
                (false, true) => Some((place + side - half) % side),
                (true, true) => Some((place + half) % side),
            };
            for square in [false, true] {
                for (z, x) in
                    (0..stride).step_by(half).flat_map(|z| (0..stride).step_by(half).map(move |x| (z, x)))
                {
                    let (odd_x, odd_z) = (x / half % 2 == 1, z / half % 2 == 1);
                    let [w, e, n, s] = [near(x, false), near(x, true), near(z, false), near(z, true)];
                    let around = match (square, odd_x, odd_z) {
                        (false, true, true) => [(w, n), (e, n), (w, s), (e, s)],
                        (true, true, false) | (true, false, true) => {
                            [(w, Some(z)), (e, Some(z)), (Some(x), n), (Some(x), s)]
                        }
                        _ => continue,
                    };
                    let around: Vec<f32> =
                        around.iter().filter_map(|&(x, z)| Some(heights[z? * stride + x?])).collect();
                    let mean = around.iter().sum::<f32>() / around.len() as f32;
                    let random = signed_unit(hash(seed, (x / half) as i64, (z / half) as i64));
                    heights[z * stride + x] = mean + range * random;
                }
            }
            (step, range) = (half, range * libm::exp2f(-generator.hurst));
        }
        heights
    }

    #[test]
    fn levels_made_row_by_row_are_what_each_point_gives_by_itself() {
        for (wrap, sides) in [(true, [1, 2, 4, 64, 128]), (false, [1, 2, 4, 64, 128])] {
            for side in sides {
                let generator = DiamondSquare { wrap, corners: Corners::Random, ..Default::default() };
                let stride = if wrap { side } else { side + 1 };
                let (field, direct) = (make(&generator, stride, 5), directly(&generator, side, 5));
                assert_eq!(field.heights(), direct, "{side} {wrap}");
            }
        }
    }

    #[test]
    fn any_size_is_a_cut_of_the_next_square() {
        let generator = DiamondSquare::default();
        let (cut, whole) = (
            generator.generate(Grid::new(40, 23, 1.0).unwrap(), 4, &Work::new()).unwrap(),
            make(&generator, 65, 4),
        );
        for row in 0..23 {
            assert_eq!(cut.row(row), &whole.row(row)[..40]);
        }
        for (width, depth) in [(34, 1), (35, 2), (64, 33), (40, 65), (33, 65), (3, 50)] {
            let cut = generator.generate(Grid::new(width, depth, 1.0).unwrap(), 4, &Work::new()).unwrap();
            for row in 0..depth {
                assert_eq!(cut.row(row), &whole.row(row)[..width], "{width}×{depth}");
            }
        }
    }
}
