//! Stones: scree and boulders, as bumps with facets on a few lattices of squares, one stone in each.
//!
//! A stone lies within its square, so that a sample looks at one square of each lattice; lattices of
//! different sizes are turned against each other, which hides them. Where a stone lies is a hash of its
//! square, as in Worley's cellular noise (1996).

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::math::smoothstep::smoothstep;
use crate::noise::{BAND, hash, mix, stream};
use crate::params::params;
use crate::steps::filter::detail::lattice::{LatticePoint, RotatedLattice, unit};
use crate::steps::filter::detail::micro_detail::{self, MicroDetail, On, resolved_share};
use crate::steps::filter::detail::slope_field::SlopeField;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;
use crate::steps::number::brief;
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Strews stones over the ground, in patches: scree on steep slopes, boulders in valleys.
    pub struct Stones {
        /// Width of the largest stones.
        pub size: f32 = 1.5, "m" in 0.02..=200.0, log;
        /// Number of octaves: smaller stones between the larger ones. Octaves with stones less than four
        /// samples wide fade; below two samples they are left out.
        pub octaves: f32 = 4.0, "" in 1.0..=10.0;
        /// Lacunarity: how many times smaller the stones of each octave are than those of the octave before.
        pub lacunarity: f32 = 1.9, "" in 1.2..=8.0;
        /// Share of the places for a stone that have one.
        pub cover: f32 = 0.5, "" in 0.0..=1.0;
        /// Height of a stone, as a share of its width.
        pub height: f32 = 0.35, "" in 0.0..=2.0;
        /// Distance from one patch with many stones to the next.
        pub patches: f32 = 60.0, "m" in 0.1..=100000.0, log;
        /// How much patches differ: at 0 there are as many stones everywhere.
        pub patchiness: f32 = 0.7, "" in 0.0..=2.0;
        /// Slope from which there are stones.
        pub slope_min: f32 = 0.0, "°" in 0.0..=90.0;
        /// Slope up to which there are stones. 90 means no limit.
        pub slope_max: f32 = 90.0, "°" in 0.0..=90.0;
        /// Difference in slope beyond the limits over which stones become fewer.
        pub slope_release: f32 = 6.0, "°" in 0.0..=90.0;
    }
}

/// Largest radius of a stone, in sides of its square.
const RADIUS: f32 = 0.46;

/// What a sum of two distances is multiplied by to cut off the corners of a rectangle.
const CORNER: f32 = 0.72;

/// How steep the sides of a stone are.
const STEEP: f32 = 2.6;

/// The directions in which stones may lie: cosines and sines.
const WAYS: usize = 32;

impl MicroDetail for Stones {
    fn limits(&self) -> Result<SlopeLimits> {
        SlopeLimits::new(self.slope_min, self.slope_max, self.slope_release)
    }

    fn is_seen(&self, region: &Region, seed: u64) -> bool {
        self.cover > 0.0 && !self.octaves(region, seed).is_empty()
    }

    fn add(
        &self,
        field: &mut Heightfield,
        region: &Region,
        seed: u64,
        On { slopes, limits, .. }: On<'_>,
        work: &Work,
    ) -> Result<()> {
        let octaves = self.octaves(region, seed);
        let grid = field.grid();
        let patches = Fbm {
            height: 2.0 * self.patchiness,
            frequency: region.domain().unit() / self.patches,
            octaves: 3.0,
            hurst: 0.6,
            fade: true,
            ..Fbm::default()
        };
        let patches = patches.bands(*region, stream(seed, PATCH_STREAM));
        // A table of directions, since a sine for each sample would cost more than all the rest of a stone.
        let angle = |way: usize| way as f64 * std::f64::consts::TAU / WAYS as f64;
        let ways: [[f32; 2]; WAYS] =
            std::array::from_fn(|way| [libm::cos(angle(way)) as f32, libm::sin(angle(way)) as f32]);
        let xs: Vec<f64> = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
        work.stage("stones", grid.depth);
        let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(Scratch::default, |scratch, (band, heights)| {
            let (first, rows) = (band * BAND, heights.len() / grid.width);
            let slope = (first..first + rows).flat_map(|row| slopes.of_row(row));
            let shares: Vec<f32> = slope.map(|slope| limits.share(*slope)).collect();
            // Bands without a suitable slope are common, and need no noise.
            if shares.iter().all(|share| *share == 0.0) {
                work.advance(rows);
                return work.check();
            }
            let mut covers = vec![0.0; heights.len()];
            patches(first, &mut covers, scratch, work)?;
            for (cover, share) in covers.iter_mut().zip(shares) {
                *cover = self.cover * (1.0 + *cover) * share;
            }
            for (row, heights) in heights.chunks_exact_mut(grid.width).enumerate() {
                work.check()?;
                let z = region.z_in_metres(first + row);
                let covers = &covers[row * grid.width..][..grid.width];
                for ((height, x), cover) in heights.iter_mut().zip(&xs).zip(covers) {
                    if *cover > 0.0 {
                        *height +=
                            octaves.iter().map(|octave| octave.stone(*x, z, *cover, &ways)).sum::<f32>();
                    }
                }
            }
            work.advance(rows);
            Ok(())
        })
    }
}

impl Operation for Stones {
    step!("stones", "Stones", Filter);

    fn formula(&self) -> Option<String> {
        let [size, octaves, lacunarity, cover, height] =
            [self.size, self.octaves, self.lacunarity, self.cover, self.height].map(brief);
        let [min, max] = [self.slope_min, self.slope_max].map(brief);
        let patches = match self.patchiness {
            0.0 => String::new(),
            patchiness => format!(" (1 + {} N)", brief(2.0 * patchiness)),
        };
        Some(format!(
            "h′ = h + Σ {height} Dᵢ S(6 (c − ρ)) · max(0, min({} (1 − 1.08 r), top, end))\n\
             Dᵢ = {size} / {lacunarity}ⁱ · (½ + ½ σ²),  {octaves} octaves i,  S(t) = 3t² − 2t³\n\
             c = {cover}{patches} s,  s: slopes {min} … {max}°,  ρ, σ: random, 0 … 1",
            brief(STEEP)
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 20.0 + 60.0 * f64::from(self.octaves))
    }

    fn reach(&self, domain: Domain) -> Reach {
        SlopeField::reach(domain)
    }

    fn looks_at(&self, window: &Region, seed: u64, _work: &Work) -> Result<Needs> {
        micro_detail::looks_at(self, window, seed)
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        micro_detail::apply(self, ground, seed, work)
    }
}

impl Stones {
    /// The octaves that there are enough samples for.
    fn octaves(&self, region: &Region, seed: u64) -> Vec<Octave> {
        let octave = |index: u32| {
            let size = self.size / libm::powf(self.lacunarity, index as f32);
            let seed = stream(seed, u64::from(index));
            let share = (self.octaves - index as f32).min(1.0);
            let side = f64::from(size / (2.0 * RADIUS));
            Octave {
                height: self.height * size / RADIUS * share * resolved_share(size, region),
                // The golden angle: no two lattices lie alike.
                squares: RotatedLattice::new(side, 2.399_963 * f64::from(index + 1), seed),
                seed,
            }
        };
        (0..self.octaves.ceil() as u32).map(octave).take_while(|octave| octave.height > 0.0).collect()
    }
}

/// Keeps the patches independent of the octaves.
const PATCH_STREAM: u64 = 0x7061_7463;

struct Octave {
    /// Height of a stone whose radius is one side of a square.
    height: f32,
    squares: RotatedLattice,
    seed: u64,
}

impl Octave {
    /// The height above the ground of the stone at a place, if there is one.
    #[inline]
    fn stone(&self, x: f64, z: f64, cover: f32, ways: &[[f32; 2]; WAYS]) -> f32 {
        let LatticePoint { square: [column, row], along } = LatticePoint::new(self.squares.position(x, z));
        let bits = hash(self.seed, column, row);
        let there = smoothstep((cover - unit(bits, 0)) * 6.0);
        if there == 0.0 {
            return 0.0;
        }
        // More small ones than large ones.
        let large = unit(bits, 1);
        let radius = RADIUS * (0.5 + 0.5 * large * large);
        // The stone's middle stays a radius away from the sides, so that it never reaches into another
        // square.
        let free = 1.0 - 2.0 * radius;
        let from = |axis: usize| (along[axis] - radius - free * unit(bits, 2 + axis as u32)) / radius;
        let (east, south) = (from(0), from(1));
        if east * east + south * south >= 1.0 {
            return 0.0;
        }
        // The first hash's 64 bits are used up; its hash gives four more numbers.
        let more = mix(bits);
        let [cosine, sine] = ways[(more & (WAYS as u64 - 1)) as usize];
        let (long, short) = (east * cosine + south * sine, south * cosine - east * sine);
        // Narrower than long, with eight sides, and a top of two facets.
        let short = short * (1.0 + 0.6 * unit(more, 1));
        let (to_end, to_side) = (long.abs(), short.abs());
        let out = to_end.max(to_side).max(CORNER * (to_end + to_side));
        let sides = STEEP * (1.0 - 1.08 * out);
        let top = 0.7 + (0.5 * unit(more, 2) - 0.25) * long + (0.5 * unit(more, 3) - 0.25) * short;
        let end = 0.95 - 0.5 * long + 0.3 * short;
        (self.height * radius * there) * sides.min(top).min(end).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn level() -> Result<Heightfield> {
        Ok(Heightfield::flat(Grid::new(200, 160, 0.1)?, 3.0))
    }

    fn strewn(stones: &Stones, land: &Heightfield) -> Result<Heightfield> {
        let mut changed = land.clone();
        stones.apply_to(&mut changed, 4, &Work::new())?;
        Ok(changed)
    }

    #[test]
    fn stones_lie_on_the_ground_and_are_no_higher_than_they_may_be() -> Result<()> {
        let stones = Stones { octaves: 1.0, patchiness: 0.0, ..Stones::default() };
        let land = strewn(&stones, &level()?)?;
        let (low, high) = land.range();
        assert_eq!(low, 3.0);
        // No more than 0.75 m wide to each side, of which the height is a half, and facets 1.3 at most.
        assert!((3.2..3.0 + 1.5 * 0.5 * 1.3).contains(&high), "{high}");
        Ok(())
    }

    #[test]
    fn more_cover_is_more_stones() -> Result<()> {
        let share = |cover: f32| -> Result<usize> {
            let stones = Stones { cover, patchiness: 0.0, ..Stones::default() };
            let land = strewn(&stones, &level()?)?;
            Ok(land.heights().iter().filter(|height| **height > 3.0).count())
        };
        let shares = [share(0.0)?, share(0.2)?, share(0.5)?, share(1.0)?];
        assert!(shares[0] == 0 && shares.windows(2).all(|pair| pair[0] + 1000 < pair[1]), "{shares:?}");
        Ok(())
    }

    #[test]
    fn stones_stay_off_slopes_beyond_their_limits() -> Result<()> {
        let stones = Stones { slope_min: 25.0, slope_max: 38.0, slope_release: 3.0, ..Stones::default() };
        for (slope, has) in [(0.1, false), (0.6, true), (1.2, false)] {
            let grid = Grid::new(200, 160, 0.1)?;
            let ramp = Heightfield::from_fn(grid, |column, _| 0.1 * slope * column as f32);
            assert_eq!(strewn(&stones, &ramp)? != ramp, has, "{slope}");
        }
        Ok(())
    }
}
