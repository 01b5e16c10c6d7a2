//! Ledges: layers of rock that weather out of a slope as benches and faces, cracked into blocks.
//!
//! Layers are levels of a function of place: height, plus a plane (dip) and noise (folds). Each octave has
//! layers of its own, of random thickness; within a layer the land is pressed towards a bench below and a
//! face above, the more the harder the layer is. The next octave, of thinner layers, goes by the heights that
//! the octave before has made: so the faces of the large ledges have small ones, and benches few. Cracks
//! divide each octave into blocks, which lie a little higher or lower among the layers and are a little
//! tilted: faces have corners, edges and facets.

mod blocks;

use rayon::prelude::*;

use self::blocks::{Column, Columns, Recent};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::math::smoothstep::smoothstep;
use crate::noise::{BAND, NodeRows, hash_along, stream};
use crate::params::params;
use crate::steps::filter::detail::lattice::{RotatedLattice, floor, unit};
use crate::steps::filter::detail::micro_detail::{self, MicroDetail, On, resolved_share};
use crate::steps::filter::detail::slope_field::SlopeField;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;
use crate::steps::number::{brief, sum};
use crate::steps::{Bedding, Ground, Needs, Operation, Reach, estimate, step};

params! {
    /// Weathers steep ground into the benches and faces of rock in layers, cracked into blocks. Gives slopes
    /// detail far below the land's own spacing; seen from afar it changes little. After a step `strata` its
    /// ledges lie in the hard beds, with their dip and folds in place of its own.
    pub struct Ledges {
        /// Height of the largest ledges, on average.
        pub thickness: f32 = 12.0, "m" in 0.1..=1000.0, log;
        /// Number of octaves: thinner layers within the thicker ones. Octaves with ledges less than four
        /// samples high fade; below two samples they are left out.
        pub octaves: f32 = 5.0, "" in 1.0..=10.0;
        /// Lacunarity: how many times thinner the layers of each octave are than those of the octave before.
        pub lacunarity: f32 = 2.3, "" in 1.5..=8.0;
        /// 0 leaves the land as it is; at 1 the hardest layers have level benches.
        pub relief: f32 = 0.8, "" in 0.0..=1.0;
        /// How far blocks of rock between cracks stand out.
        pub joints: f32 = 0.5, "" in 0.0..=1.0;
        /// How steeply the layers slope.
        pub dip: f32 = 6.0, "°" in 0.0..=60.0;
        /// Compass bearing towards which they slope.
        pub bearing: f32 = 120.0, "°" in 0.0..=360.0;
        /// How far they are bent up and down.
        pub fold: f32 = 20.0, "m" in 0.0..=2000.0;
        /// Distance from one such bend to the next.
        pub fold_size: f32 = 600.0, "m" in 1.0..=100000.0, log;
        /// Slope from which there are ledges.
        pub slope_min: f32 = 34.0, "°" in 0.0..=90.0;
        /// Slope up to which there are ledges. 90 means no limit.
        pub slope_max: f32 = 90.0, "°" in 0.0..=90.0;
        /// Difference in slope beyond the limits over which they fade out.
        pub slope_release: f32 = 5.0, "°" in 0.0..=90.0;
        /// How much steeper crests count than they are, and hollows less: 1 for as steep as the sides of a
        /// crest. Rock comes out on crests and summits, and soil lies in hollows.
        pub crests: f32 = 1.0, "" in 0.0..=4.0;
        /// How far noise moves the limits, so that rock comes out of the ground in patches.
        pub slope_roughen: f32 = 10.0, "°" in 0.0..=90.0;
        /// Distance from one such patch to the next.
        pub patches: f32 = 80.0, "m" in 0.1..=100000.0, log;
    }
}

/// Octaves of the folds. Finer ones than these have no part in the look of large layers.
const FOLDS: f32 = 2.0;

/// How far noise moves the edges of ledges, in thicknesses of a layer.
const WAVER: f32 = 0.5;

/// Length of that noise, in thicknesses.
const WAVER_LENGTH: f64 = 4.0;

/// Side of the blocks between cracks, in thicknesses.
const BLOCK: f64 = 1.3;

/// Half the width of an edge between blocks, in samples.
const EDGE: f64 = 1.5;

/// Smallest half width of an edge, as a share of a block. Sharper ones have no room for finer octaves.
const CHAMFER: f64 = 0.12;

/// Ledges have their full height from the slope whose tangent is the reciprocal of this. A gentler one has no
/// room for them: faces would be pits and towers.
const ROOM: f32 = 2.2;

/// How much of a bench is left of the slope.
const BENCH: f32 = 0.12;

/// Largest distance of a layer's border from where it would be if all were alike, in thicknesses.
const UNEVEN: f32 = 0.35;

/// How much lower the land becomes where it is pressed into ledges, in thicknesses; the mean of all layers.
const LOWERED: f32 = 0.13;

impl MicroDetail for Ledges {
    const NEEDS_BEND: bool = true;

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
        On { slopes, limits, bedding }: On<'_>,
        work: &Work,
    ) -> Result<()> {
        let octaves = self.octaves(region, seed);
        let grid = field.grid();
        let per_unit = region.domain().unit();
        let folds = Fbm {
            height: self.fold,
            frequency: per_unit / self.fold_size,
            octaves: FOLDS,
            fade: true,
            ..Fbm::default()
        };
        let folds = folds.bands(*region, stream(seed, FOLD_STREAM));
        let patches = limits.roughened(self.slope_roughen, self.patches, region, stream(seed, PATCH_STREAM));
        let wavers: Vec<_> = octaves.iter().map(|octave| octave.waver(region)).collect();
        let (toward, rise) =
            (f64::from(self.bearing).to_radians(), libm::tan(f64::from(self.dip).to_radians()));
        // The layers' tilted plane: z grows to the south, so the northern part is negative.
        let own = [libm::sin(toward) * rise, -libm::cos(toward) * rise];
        let plane = bedding.map_or(own, Bedding::plane);
        let beds = bedding.map(|bedding| (bedding, bedding.bends(region)));
        let xs: Vec<f64> = (0..grid.width).map(|column| region.x_in_metres(column)).collect();
        work.stage("ledges", grid.depth);
        let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(Scratch::default, |scratch, (band, heights)| {
            let (first, rows) = (band * BAND, heights.len() / grid.width);
            let mut shares = vec![0.0; heights.len()];
            patches(first, &mut shares, scratch, work)?;
            for (row, shares) in shares.chunks_exact_mut(grid.width).enumerate() {
                let of_row = slopes.of_row(first + row).iter().zip(slopes.bend_of_row(first + row));
                for (share, (slope, bend)) in shares.iter_mut().zip(of_row) {
                    // Gentle ground has no room for ledges, which would be wider than what they stand on.
                    let room = (slope * ROOM).min(1.0);
                    *share = room * limits.share(slope + self.crests * bend + *share);
                }
            }
            // Most bands of a land are too gentle, and need no noise.
            if shares.iter().all(|share| *share == 0.0) {
                work.advance(rows);
                return work.check();
            }
            let mut steep: Vec<f32> =
                (first..first + rows).flat_map(|row| slopes.of_row(row)).copied().collect();
            let (mut bent, mut wavering) = (vec![0.0; heights.len()], vec![0.0; heights.len()]);
            match &beds {
                None => folds(first, &mut bent, scratch, work)?,
                Some((bedding, bends)) => {
                    bends.of_rows(first..first + rows, &mut bent, &mut NodeRows::default());
                    // Soft rock has no ledges.
                    for (row, shares) in shares.chunks_exact_mut(grid.width).enumerate() {
                        let z = region.z_in_metres(first + row) * plane[1];
                        let samples = row * grid.width..(row + 1) * grid.width;
                        let heights = heights[samples.clone()].iter().zip(&bent[samples]).zip(&xs);
                        for (share, ((height, bent), x)) in shares.iter_mut().zip(heights) {
                            let level = x * plane[0] + z + f64::from(*bent) + f64::from(*height);
                            *share *= bedding.hardness_at(level);
                        }
                    }
                }
            }
            for (octave, waver) in octaves.iter().zip(&wavers) {
                waver(first, &mut wavering, scratch, work)?;
                let mut known = Known::default();
                for row in 0..rows {
                    work.check()?;
                    let z = region.z_in_metres(first + row);
                    let samples = row * grid.width..(row + 1) * grid.width;
                    let shares = shares[samples.clone()].iter().zip(&mut steep[samples.clone()]);
                    let noise = bent[samples.clone()].iter().zip(&wavering[samples.clone()]);
                    let heights = heights[samples].iter_mut().zip(shares).zip(&xs).zip(noise);
                    for (((height, (share, slope)), x), (bent, waver)) in heights {
                        // Most ground has no ledges at all, so its slope need not be looked at.
                        if *share == 0.0 {
                            continue;
                        }
                        let share = share * octave.left(*slope);
                        if share > 0.0 {
                            // By the height that the octave before has made: thin layers follow the faces of
                            // thick ones.
                            let level = x * plane[0] + z * plane[1] + f64::from(*bent) + f64::from(*height);
                            let Change { raised, steeper } =
                                octave.change(level, [*x, z], *waver, &mut known);
                            *height += share * raised;
                            *slope *= 1.0 + share * (steeper - 1.0);
                        }
                    }
                }
            }
            work.advance(rows);
            Ok(())
        })
    }
}

impl Operation for Ledges {
    step!("ledges", "Ledges of rock", Filter);

    fn formula(&self) -> Option<String> {
        let [thickness, octaves, lacunarity, relief] =
            [self.thickness, self.octaves, self.lacunarity, self.relief].map(brief);
        let fold = brief(self.fold);
        let dip = if self.dip == 0.0 { String::new() } else { format!(" + d tan {}°", brief(self.dip)) };
        let layers = format!("(hᵢ{dip} + F) / Tᵢ");
        let layers = sum(&[(1.0, "", &layers), (self.joints, " ", "B")]);
        let [min, max, bench, lowered] = [self.slope_min, self.slope_max, BENCH, LOWERED].map(brief);
        Some(format!(
            "hᵢ₊₁ = hᵢ + {relief} s Tᵢ (c t (P(u) − u) + {lowered}),  0.4 ≤ c ≤ 1,  {octaves} octaves i\n\
             Tᵢ = {thickness} / {lacunarity}ⁱ,  b + t u = {layers}\n\
             F: folds of {fold} m, B: blocks;  P(u) = {bench} u, then to 1;  s: {min} … {max}°"
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

impl Ledges {
    /// The octaves that there are enough samples for.
    fn octaves(&self, region: &Region, seed: u64) -> Vec<Octave> {
        let octave = |index: u32| {
            let finer = libm::powf(self.lacunarity, index as f32);
            let thickness = self.thickness / finer;
            let seed = stream(seed, u64::from(index));
            let share = (self.octaves - index as f32).min(1.0);
            let side = f64::from(thickness) * BLOCK;
            Octave {
                thickness,
                per_thickness: 1.0 / f64::from(thickness),
                relief: self.relief * share * resolved_share(thickness, region),
                samples: thickness / region.grid().cell,
                joints: self.joints,
                // At least as wide as samples can show: a sharper edge would be ragged.
                edge: (EDGE * f64::from(region.grid().cell) / side).clamp(CHAMFER, 0.45) as f32,
                // Cracks of all sizes run nearly the same two ways.
                blocks: RotatedLattice::new(side, 0.7 + 0.23 * f64::from(index), seed),
                blocks_seed: stream(seed, 3),
                seed,
            }
        };
        (0..self.octaves.ceil() as u32).map(octave).take_while(|octave| octave.relief > 0.0).collect()
    }
}

/// Keeps the folds and the patches independent of the octaves.
const FOLD_STREAM: u64 = 0x666F_6C64;
const PATCH_STREAM: u64 = 0x7061_7463;

struct Octave {
    thickness: f32,
    per_thickness: f64,
    relief: f32,
    /// Thickness of a layer, in samples.
    samples: f32,
    joints: f32,
    /// Width of the edges of blocks, as a share of a block.
    edge: f32,
    blocks: RotatedLattice,
    blocks_seed: u64,
    seed: u64,
}

/// What an octave makes of a sample.
struct Change {
    /// By how many metres it is raised.
    raised: f32,
    /// How many times steeper it becomes.
    steeper: f32,
}

impl Octave {
    /// The noise that moves the edges, in thicknesses.
    fn waver(
        &self,
        region: &Region,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync + use<> {
        let length = f64::from(self.thickness) * WAVER_LENGTH;
        let noise = Fbm {
            height: WAVER,
            frequency: (f64::from(region.domain().unit()) / length) as f32,
            octaves: 2.0,
            hurst: 0.8,
            fade: true,
            ..Fbm::default()
        };
        noise.bands(*region, stream(self.seed, 1))
    }

    /// What becomes of a sample `level` metres up through the layers.
    #[inline]
    fn change(&self, level: f64, [x, z]: [f64; 2], waver: f32, known: &mut Known) -> Change {
        let waver = f64::from(waver);
        let stands = f64::from(self.stands(self.blocks.position(x, z), waver, &mut known.columns));
        let place = level * self.per_thickness + waver + stands;
        let number = floor(place);
        let within = (place - number as f64) as f32;
        // Neighbouring samples mostly lie in the same layers, whose hashes are remembered.
        let layers = known.layers.of(number, || self.layers(number));
        // Its border may lie on the other side.
        let own = usize::from(within >= layers.borders[1]) + usize::from(within >= 1.0 + layers.borders[2]);
        let (low, high) = (layers.borders[own] - 1.0, layers.borders[own + 1]);
        let thick = high - low;
        let up = (within - own as f32 - low) / thick;
        // The bench, and the face above it. A steep face would have no room for the layers of finer octaves.
        let bits = layers.bits[own];
        let bench = 0.2 + 0.4 * unit(bits, 1);
        let upper_edge = BENCH * bench;
        let (pressed, steeper) = if up < bench {
            (BENCH * up, BENCH)
        } else {
            let per_up = 1.0 / (1.0 - bench);
            let rise = (up - bench) * per_up;
            let face = 1.0 - upper_edge;
            (upper_edge + face * rise * (0.6 + 0.4 * rise), face * per_up * (0.6 + 0.8 * rise))
        };
        let pressing = self.relief * (0.4 + 0.6 * unit(bits, 2));
        Change {
            raised: self.thickness * ((pressed - up) * thick * pressing + LOWERED * self.relief),
            steeper: 1.0 + pressing * (steeper - 1.0),
        }
    }

    /// How much is left of it on a slope: a layer is no farther across than high on 45°, and less on what is
    /// steeper.
    #[inline]
    fn left(&self, slope: f32) -> f32 {
        if slope <= 1.0 { 1.0 } else { smoothstep((self.samples / slope - 2.0) / 2.0) }
    }

    /// By how many thicknesses the block at a place stands out. From one block to the next this is no step:
    /// samples would make teeth of it.
    #[inline]
    fn stands(&self, [across, along]: [f64; 2], waver: f64, known: &mut Columns) -> f32 {
        if self.joints == 0.0 {
            return 0.0;
        }
        let (across, along) = (across + waver, along - 0.7 * waver);
        let number = floor(across);
        let within = (across - number as f64) as f32;
        let column = known.of(number, || Column::new(self.blocks_seed, number));
        let stands = self.stands_in(column, within, along);
        match self.towards(within) {
            (0, _) => self.joints * stands,
            (beside, share) => {
                let column = known.of(number + beside, || Column::new(self.blocks_seed, number + beside));
                let other = self.stands_in(column, within - beside as f32, along);
                self.joints * (stands + share * (other - stands))
            }
        }
    }

    /// The same on the blocks of one column, as bricks and not as tiles.
    #[inline]
    fn stands_in(&self, column: &mut Column, across: f32, along: f64) -> f32 {
        let along = along * column.blocks_per_side + column.shift;
        let row = floor(along);
        let within = (along - row as f64) as f32;
        let stands = column.block(row).stands([across, within]);
        match self.towards(within) {
            (0, _) => stands,
            (beside, share) => {
                let other = column.block(row + beside).stands([across, within - beside as f32]);
                stands + share * (other - stands)
            }
        }
    }

    /// The neighbour whose edge is near, -1 or 1, and its share: half on the border between the two.
    #[inline]
    fn towards(&self, within: f32) -> (i64, f32) {
        // Halfway between blocks at the edge itself, so that both sides agree there.
        let (beside, far) = if within < 0.5 { (-1, within) } else { (1, 1.0 - within) };
        if far >= self.edge { (0, 0.0) } else { (beside, 0.5 - 0.5 * far / self.edge) }
    }

    #[inline]
    fn layers(&self, number: i64) -> Layers {
        let bits = [-1, 0, 1, 2].map(|beside| hash_along(self.seed, number + beside));
        Layers { bits, borders: bits.map(border) }
    }
}

/// Blocks and layers that earlier samples lay in. The next sample, and the one below it in the next row,
/// mostly lie in the same ones, and their random numbers take longer than everything else.
#[derive(Default)]
struct Known {
    columns: Columns,
    layers: Recent<Layers, 16>,
}

/// The layer below that with a number, itself, and two above it.
struct Layers {
    bits: [u64; 4],
    borders: [f32; 4],
}

/// The lower border of a layer, in thicknesses from where it would be if all were alike.
#[inline]
fn border(bits: u64) -> f32 {
    UNEVEN * (2.0 * unit(bits, 0) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::grid::{Grid, Window};
    use crate::recipe::Recipe;

    fn ramp(slope: f32) -> Result<Heightfield> {
        Ok(Heightfield::from_fn(Grid::new(300, 120, 0.25)?, |column, _| 0.25 * slope * column as f32))
    }

    fn weathered(ledges: &Ledges, land: &Heightfield) -> Result<Heightfield> {
        let mut changed = land.clone();
        ledges.apply_to(&mut changed, 4, &Work::new())?;
        Ok(changed)
    }

    #[test]
    fn ledges_lie_on_steep_ground_only() -> Result<()> {
        let gentle = ramp(0.15)?;
        assert_eq!(weathered(&Ledges::default(), &gentle)?, gentle);
        let steep = ramp(1.2)?;
        assert_ne!(weathered(&Ledges::default(), &steep)?, steep);
        assert_eq!(weathered(&Ledges { relief: 0.0, ..Ledges::default() }, &steep)?, steep);
        Ok(())
    }

    #[test]
    fn without_cracks_and_noise_a_slope_still_rises_to_benches_and_faces() -> Result<()> {
        let octave = Octave {
            thickness: 4.0,
            per_thickness: 0.25,
            relief: 1.0,
            samples: 20.0,
            edge: 0.1,
            joints: 0.0,
            blocks: RotatedLattice::new(4.0, 0.0, 1),
            blocks_seed: 2,
            seed: 5,
        };
        let mut known = Known::default();
        let heights: Vec<f32> = (-4000..4000)
            .map(|step| f64::from(step) * 0.02)
            .map(|level| level as f32 + octave.change(level, [0.0; 2], 0.0, &mut known).raised)
            .collect();
        let rises: Vec<f32> = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(rises.iter().all(|rise| *rise > -1e-4), "ledges never hang over");
        assert!(rises.iter().filter(|rise| **rise < 0.012).count() > 1500, "benches");
        assert!(rises.iter().filter(|rise| **rise > 0.03).count() > 1000, "faces");
        // The land as a whole stays where it was.
        let (mean, all) = (heights.iter().sum::<f32>() / heights.len() as f32, 0.25 * 4.0);
        assert!(mean.abs() < all, "{mean}");
        Ok(())
    }

    #[test]
    fn blocks_stand_out_differently_and_meet_without_a_step() -> Result<()> {
        let ledges = Ledges { joints: 1.0, octaves: 1.0, ..Ledges::default() };
        let octaves = ledges.octaves(&Grid::new(9, 9, 0.1)?.into(), 7);
        for octave in &octaves {
            let mut known = Columns::default();
            let places = (0..60_000).map(|step| f64::from(step) * 1e-3);
            let stands: Vec<f32> =
                places.map(|along| octave.stands([along, 0.3 * along], 0.0, &mut known)).collect();
            let steps = stands.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            assert!(steps.fold(0.0, f32::max) < 0.03);
            assert!(stands.iter().any(|stands| *stands > 0.5) && stands.iter().any(|stands| *stands < -0.5));
        }
        assert_eq!(octaves.len(), 1);
        Ok(())
    }

    #[test]
    fn ledges_that_samples_are_too_far_apart_for_are_left_out() -> Result<()> {
        let text = "(version: 1, name: \"Land\", size: endless, cell: 16, steps: [
            fbm(height: 1000, frequency: 6, octaves: 2), ledges(thickness: 6, slope_min: 0)])";
        let with = Recipe::from_ron(text, "land.ron")?;
        let mut without = with.clone();
        without.steps.pop();
        let build = |recipe: &Recipe, level| {
            let window = Window { level, first: [0, 0], size: [40, 40] };
            recipe.build_window(window, &Cache::default(), &Work::new()).map(|ground| ground.heights)
        };
        for level in [0, 2, -1] {
            assert_eq!(build(&with, level)?, build(&without, level)?, "level {level}");
        }
        assert_ne!(build(&with, -4)?, build(&without, -4)?);
        Ok(())
    }
}
