//! Ripples: what wind makes of sand. Waves across the wind, gentle towards it and steep away from it.
//!
//! Their phase is that of straight waves plus the angle of a random vector, two gradient noises. Around the
//! points where both are 0 that angle goes through a full turn, so that there a crest ends between two others
//! or splits in two, as the crests of real ripples do (Tricard et al., "Procedural Phasor Noise", 2019,
//! explain why phases have such points).

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::{BAND, stream};
use crate::params::params;
use crate::steps::filter::detail::lattice::floor;
use crate::steps::filter::detail::micro_detail::{self, MicroDetail, On, resolved_share};
use crate::steps::filter::detail::slope_field::SlopeField;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;
use crate::steps::number::brief;
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Ripples on sand, across the wind, and the larger waves that smaller ones lie on.
    pub struct Ripples {
        /// Distance from crest to crest of the largest waves.
        pub length: f32 = 6.0, "m" in 0.02..=5000.0, log;
        /// Height of their crests above their troughs. Smaller waves are lower in proportion.
        pub height: f32 = 0.25, "m" in 0.0..=500.0;
        /// Number of octaves: how often smaller waves lie on larger ones. Octaves with waves shorter than
        /// four samples fade; below two samples they are left out.
        pub octaves: f32 = 3.0, "" in 1.0..=10.0;
        /// Lacunarity: how many times shorter the waves of each octave are than those of the octave before.
        pub lacunarity: f32 = 4.0, "" in 1.5..=8.0;
        /// Compass bearing that the wind blows from.
        pub bearing: f32 = 270.0, "°" in 0.0..=360.0;
        /// How far crests run before they end or split, on average, as a multiple of `length`.
        pub run: f32 = 8.0, "" in 1.0..=100.0, log;
        /// Share of a wave that faces the wind; the rest is its steep side.
        pub lean: f32 = 0.7, "" in 0.05..=0.95;
        /// Slope from which there are ripples.
        pub slope_min: f32 = 0.0, "°" in 0.0..=90.0;
        /// Slope up to which there are ripples. 90 means no limit.
        pub slope_max: f32 = 25.0, "°" in 0.0..=90.0;
        /// Difference in slope beyond the limits over which they fade out.
        pub slope_release: f32 = 7.0, "°" in 0.0..=90.0;
    }
}

/// How far the wind turns from each octave to the next.
const TURN: f32 = 17.0;

impl MicroDetail for Ripples {
    fn limits(&self) -> Result<SlopeLimits> {
        SlopeLimits::new(self.slope_min, self.slope_max, self.slope_release)
    }

    fn is_seen(&self, region: &Region, seed: u64) -> bool {
        !self.octaves(region, seed).is_empty()
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
        let noises: Vec<_> =
            octaves.iter().map(|octave| [1, 2].map(|part| octave.noise(self.run, region, part))).collect();
        let xs: Vec<f64> = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
        work.stage("ripples", grid.depth);
        let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(Scratch::default, |scratch, (band, heights)| {
            let (first, rows) = (band * BAND, heights.len() / grid.width);
            let (mut east, mut south) = (vec![0.0; heights.len()], vec![0.0; heights.len()]);
            for (octave, [to_east, to_south]) in octaves.iter().zip(&noises) {
                to_east(first, &mut east, scratch, work)?;
                to_south(first, &mut south, scratch, work)?;
                let vectors = east.chunks_exact(grid.width).zip(south.chunks_exact(grid.width));
                for (row, (heights, vectors)) in heights.chunks_exact_mut(grid.width).zip(vectors).enumerate()
                {
                    work.check()?;
                    let z = region.z_in_metres(first + row);
                    let vectors = vectors.0.iter().zip(vectors.1);
                    let heights = heights.iter_mut().zip(slopes.of_row(first + row)).zip(&xs).zip(vectors);
                    for (((height, slope), x), (east, south)) in heights {
                        let share = limits.share(*slope);
                        if share > 0.0 {
                            *height += share * octave.wave([*x, z], [*east, *south], self.lean);
                        }
                    }
                }
            }
            work.advance(rows);
            Ok(())
        })
    }
}

impl Operation for Ripples {
    step!("ripples", "Ripples of sand", Filter);

    fn formula(&self) -> Option<String> {
        let [length, height, lacunarity, octaves] =
            [self.length, self.height, self.lacunarity, self.octaves].map(brief);
        let [lean, rest, min, max] = [self.lean, 1.0 - self.lean, self.slope_min, self.slope_max].map(brief);
        Some(format!(
            "h′ = h + Σ {height} / {lacunarity}ⁱ · s (u (0.35 + 0.65 u) − 0.4),  {octaves} octaves i\n\
             u = min(f / {lean}, (1 − f) / {rest}),  f = φ − ⌊φ⌋,  on slopes {min} … {max}°\n\
             φ = d {lacunarity}ⁱ / {length} + arg N / 2π,  d: metres downwind,  s = min(1, 4 |N|)"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 20.0 + 25.0 * f64::from(self.octaves))
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

impl Ripples {
    /// The octaves that there are enough samples for.
    fn octaves(&self, region: &Region, seed: u64) -> Vec<Octave> {
        let octave = |index: u32| {
            let finer = libm::powf(self.lacunarity, index as f32);
            let length = self.length / finer;
            let share = (self.octaves - index as f32).min(1.0);
            let from = f64::from((self.bearing + TURN * index as f32).to_radians());
            let per_metre = 1.0 / f64::from(length);
            Octave {
                length,
                height: self.height / finer * share * resolved_share(length, region),
                wind: [-libm::sin(from) * per_metre, libm::cos(from) * per_metre],
                seed: stream(seed, u64::from(index)),
            }
        };
        (0..self.octaves.ceil() as u32).map(octave).take_while(|octave| octave.height > 0.0).collect()
    }
}

struct Octave {
    length: f32,
    height: f32,
    /// Where the wind blows to, in waves per metre.
    wind: [f64; 2],
    seed: u64,
}

impl Octave {
    /// One part of the vector whose angle is added to the phase.
    fn noise(
        &self,
        run: f32,
        region: &Region,
        part: u64,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync + use<> {
        let frequency = region.domain().unit() / (self.length * run);
        let noise = Fbm { height: 1.0, frequency, octaves: 2.0, ..Fbm::default() };
        noise.bands(*region, stream(self.seed, part))
    }

    #[inline]
    fn wave(&self, [x, z]: [f64; 2], [east, south]: [f32; 2], lean: f32) -> f32 {
        let angle = libm::atan2f(south, east) / std::f32::consts::TAU;
        // In f64 up to here: metres far from the origin times waves per metre have no fraction left in f32.
        let phase = x * self.wind[0] + z * self.wind[1] + f64::from(angle);
        let along = (phase - floor(phase) as f64) as f32;
        let up = if along < lean { along / lean } else { (1.0 - along) / (1.0 - lean) };
        // Where a crest ends there is no wave.
        let strength = (4.0 * (east * east + south * south).sqrt()).min(1.0);
        // Troughs are wide and crests narrow.
        self.height * strength * (up * (0.35 + 0.65 * up) - 0.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn rippled(ripples: &Ripples, land: &Heightfield) -> Result<Heightfield> {
        let mut changed = land.clone();
        ripples.apply_to(&mut changed, 4, &Work::new())?;
        Ok(changed)
    }

    #[test]
    fn ripples_are_as_high_as_they_are_said_to_be_and_lie_around_the_ground() -> Result<()> {
        let land = Heightfield::flat(Grid::new(300, 200, 0.2)?, 10.0);
        let ripples = Ripples { octaves: 1.0, ..Ripples::default() };
        let (low, high) = rippled(&ripples, &land)?.range();
        assert!((9.89..9.93).contains(&low) && (10.12..10.16).contains(&high), "{low} to {high}");
        assert_eq!(rippled(&Ripples { height: 0.0, ..ripples }, &land)?, land);
        Ok(())
    }

    #[test]
    fn the_steep_side_lies_away_from_the_wind() -> Result<()> {
        let land = Heightfield::flat(Grid::new(400, 100, 0.1)?, 0.0);
        for (bearing, lean, rising) in [(270.0, 0.8, true), (90.0, 0.8, false), (270.0, 0.2, false)] {
            let ripples = Ripples { octaves: 1.0, run: 50.0, lean, bearing, ..Ripples::default() };
            let land = rippled(&ripples, &land)?;
            let pairs = land.heights().chunks(400).flat_map(|row| row.windows(2));
            let up = pairs.filter(|pair| pair[1] > pair[0]).count();
            assert_eq!(up > 20_000, rising, "{bearing}: {up}");
        }
        Ok(())
    }

    #[test]
    fn steep_slopes_have_none() -> Result<()> {
        let ramp = Heightfield::from_fn(Grid::new(99, 99, 0.2)?, |column, _| 0.2 * column as f32);
        assert_eq!(rippled(&Ripples::default(), &ramp)?, ramp);
        Ok(())
    }
}
