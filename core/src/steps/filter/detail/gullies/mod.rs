//! Gullies computed from a sample's position and the slope around it alone: the look of erosion without
//! simulating water. After Clay John's "Eroded Terrain Noise" (2018), Felix Westin's reworking of it (2023)
//! and Rune Skovbo Johansen's "Advanced Terrain Erosion Filter" (2025); the code is ours.
//!
//! Each octave adds waves whose crests run down the slope ([`waves`]). The sides of such a wave slope
//! across it; that is added to the land's slope, and the next octave, of shorter waves, follows the sum:
//! its gullies run down the sides of the larger ones and into them. Three fades keep forms clean:
//! * level ground has no waves; their strength grows with the slope;
//! * on crests and gully floors finer octaves fade, so that both stay unbroken lines;
//! * there, a faded octave is replaced not by 0 but by the state of the coarser octave: 1 on a crest, −1 on
//!   a floor. So crests get the height of all octaves and are as sharp as the finest. For the first octave
//!   the land's curvature takes that part: summits and ridges rise, hollows and valleys sink.
//!
//! The slope is that of the land smoothed over [`Gullies::size`]: finer detail does not turn the gullies.
//! Where land is finer than level 0 the slope is interpolated between the samples of level 0, so all levels
//! have the same gullies; on endless land, where the gullies are many samples wide, between those of a
//! coarser level. Lengths are metres, on bounded land too: gullies belong to a slope, whose height is in
//! metres, and not to the size of a map.

mod cells;
mod waves;

use std::ops::Range;

use rayon::prelude::*;

use crate::compute::wide::over_in_wide_registers;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::math::smoothstep::smoothstep;
use crate::noise::{BAND, stream, stretches};
use crate::params::params;
use crate::resize::catmull_rom_between;
use crate::steps::filter::{Border, Mean};
use crate::steps::number::{brief, counted, subscript};
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};
use cells::{Cells, PivotRows};
use waves::{Measure, Rise, Slopes, Start, WAVES, Waves};

params! {
    /// Carves branching gullies down the slopes, from each sample's position and slope alone: for endless
    /// land, and where river erosion takes too long. Crests rise by as much as gullies sink.
    pub struct Gullies {
        /// Height from the floors of the largest gullies to the crests between them, all octaves together.
        pub depth: f32 = 120.0, "m" in 0.0..=5000.0;
        /// Distance from one of the largest gullies to the next.
        pub size: f32 = 700.0, "m" in 1.0..=100000.0, log;
        /// Number of octaves: how often smaller gullies branch from larger ones. Octaves with gullies less
        /// than four samples apart fade; below two samples they are left out.
        pub octaves: f32 = 5.0, "" in 1.0..=12.0;
        /// Lacunarity: how many times closer together the gullies of each octave are than those of the
        /// octave before.
        pub lacunarity: f32 = 2.0, "" in 1.5..=4.0;
        /// Depth of each octave's gullies as a share of the octave before.
        pub gain: f32 = 0.5, "" in 0.1..=0.9;
        /// Slope from which gullies have their full depth; on gentler slopes they are shallower, on level
        /// ground there are none.
        pub steepness: f32 = 25.0, "°" in 1.0..=80.0;
        /// Angle at which the first branches leave the largest gullies.
        pub branching: f32 = 40.0, "°" in 0.0..=75.0;
        /// Width of crests and floors: near 0 they are sharp edges, at 1 everything is round.
        pub rounding: f32 = 0.4, "" in 0.02..=1.0;
    }
}

/// Distance to each side, in [`Gullies::size`], over which the land is smoothed and over which its slope is
/// measured.
const SLOPE: f32 = 0.25;

/// Samples to each side over which the land is smoothed that are enough to measure its slope: on endless land
/// with twice as many or more at level 0 it is measured at a coarser level.
const ENOUGH: u32 = 32;

/// Samples that one thread carves at least.
const WORTH_A_STATE: usize = 1 << 12;

impl Operation for Gullies {
    step!("gullies", "Gullies", Filter);

    fn formula(&self) -> Option<String> {
        let [half, gain, size, lacunarity, steepness, rounding] =
            [self.depth / 2.0, self.gain, self.size, self.lacunarity, self.steepness, self.rounding]
                .map(brief);
        let octaves = self.octaves.ceil() as u32;
        let partial = match self.octaves.fract() {
            0.0 => String::new(),
            share => format!(", g{} × {}", subscript(octaves - 1), brief(share)),
        };
        let count = counted('i', octaves);
        Some(format!(
            "h′ = h + {half} · Σ gᵢ vᵢ / Σ gᵢ,  vᵢ = vᵢ₋₁ + (cos φᵢ − vᵢ₋₁) sᵢ\n\
             gᵢ = {gain}ⁱ,  {count}{partial};  φᵢ across slopes, {size} m / {lacunarity}ⁱ long\n\
             sᵢ₊₁ = sᵢ m(|sin φᵢ| / {rounding}),  s₀ = m(slope / tan {steepness}°),  m(t) = 2t − t²"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 20.0 + 9.0 * f64::from(self.octaves))
    }

    fn reach(&self, domain: Domain) -> Reach {
        let samples = self.samples(domain);
        Reach::Near((samples.to_each_side + samples.apart) as f32 * domain.cell())
    }

    /// It looks at land around at its own level too: where that only has to be seen, nothing is carved.
    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let domain = window.domain();
        let samples = self.samples(domain);
        let reach = (samples.to_each_side + samples.apart) as f32;
        if let Some(coarser) = Needs::coarser(window, self.level(domain), reach, false)? {
            return Ok(coarser);
        }
        // So far is looked at least, however coarse the samples are.
        let coarse = if window.level() > 0 { 2 } else { 0 };
        let region = window.grown(reach * domain.cell())?.grown_by(coarse)?;
        if region.window() == window.window() {
            return Ok(Needs::within(self.reach(domain), window));
        }
        Ok(Needs::Context { region, alone: false })
    }

    /// On finer land the slope is that of the land around, on curves between its samples.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let (region, around) = (*ground.region(), ground.context().cloned());
        self.carve(&mut ground.heights, &region, seed, work, |field| {
            let work = &work.unobserved();
            let Some(around) = around else {
                return Ok(Slope::Measured(Smooth::new(self, field, &region, work)?));
            };
            if around.region().level() > region.level() {
                return Ok(Slope::Between(self.slope_between(&around, &region, work)?));
            }
            let smooth = Smooth::new(self, &around.heights, around.region(), work)?;
            Ok(Slope::Measured(smooth.from(&region)))
        })
    }
}

/// How the slope is measured, in samples of level 0.
struct Distances {
    /// Half the side of the square whose mean is taken.
    to_each_side: u32,
    /// From the sample to those whose difference is the slope.
    apart: u32,
}

impl Gullies {
    /// Carves them into `field`, whose slope before is known if there are any. Observers see the land with
    /// the gullies of the first octave, of the first two, and so on.
    fn carve(
        &self,
        field: &mut Heightfield,
        region: &Region,
        seed: u64,
        work: &Work,
        slope: impl FnOnce(&Heightfield) -> Result<Slope>,
    ) -> Result<()> {
        let octaves = self.octaves(region, seed);
        if octaves.is_empty() {
            return Ok(());
        }
        let grid = field.grid();
        let slope = slope(field)?;
        let per_steep = 1.0 / libm::tanf(self.steepness.to_radians());
        let state = || (vec![Slopes::LEVEL; BAND], PivotRows::new(), Default::default());
        let apply = |octaves: &[Octave], field: &mut Heightfield| {
            work.stage("gullies", grid.depth);
            let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
            // A thread's state is 100 KiB, which must be cleared: too much for one or two bands of a small
            // window.
            let bands = bands.with_min_len(WORTH_A_STATE.div_ceil(grid.width * BAND));
            bands.try_for_each_init(state, |(states, lines, scratch), (band, heights)| {
                let rows = band * BAND..band * BAND + heights.len() / grid.width;
                for stretch in stretches(grid) {
                    for (row, state) in rows.clone().zip(&mut *states) {
                        let rise = slope.of_row(row, &stretch, scratch);
                        over_in_wide_registers(&Start { rise, per_steep }, state, &mut ());
                    }
                    for octave in octaves {
                        work.check()?;
                        // Squares of another octave have the same numbers, so the rows of this one are
                        // forgotten.
                        lines.forget();
                        for (row, state) in rows.clone().zip(&mut *states) {
                            octave.apply(row, &stretch, lines, state);
                        }
                    }
                    for (heights, state) in heights.chunks_exact_mut(grid.width).zip(&*states) {
                        let heights = heights[stretch.clone()].iter_mut();
                        heights.zip(&state.raised).for_each(|(height, raised)| *height += raised);
                    }
                }
                work.advance(rows.len());
                Ok(())
            })
        };
        let all = octaves.len();
        for count in 1..all {
            work.frame("octave", count, all, || {
                let mut first = field.copy_while(work)?;
                apply(&octaves[..count], &mut first)?;
                Ok(first)
            })?;
        }
        apply(&octaves, field)?;
        work.frame("octave", all, all, || Ok(&*field))
    }

    /// The slope of the land `around`, on curves between its samples.
    fn slope_between(&self, around: &Ground, region: &Region, work: &Work) -> Result<[Heightfield; 3]> {
        let coarser = around.region();
        let smooth = Smooth::new(self, &around.heights, coarser, work)?;
        // Only where the curves need it.
        let inner = region.at_coarser(coarser.level(), 2)?;
        let grid = inner.grid();
        let [west, north] =
            [0, 1].map(|axis| (inner.window().first[axis] - coarser.window().first[axis]) as usize);
        let mut scratch = Scratch::default();
        let mut fields: [_; 3] = std::array::from_fn(|_| Heightfield::flat(grid, 0.0));
        for row in 0..grid.depth {
            work.check()?;
            let Rise { east, south, bend } =
                smooth.of_row(north + row, &(west..west + grid.width), &mut scratch);
            for (field, values) in fields.iter_mut().zip([east, south, bend]) {
                field.heights_mut()[row * grid.width..][..grid.width].copy_from_slice(values);
            }
        }
        let [east, south, bend] = fields.map(|field| catmull_rom_between(&field, &inner, region, work));
        Ok([east?, south?, bend?])
    }

    fn samples(&self, domain: Domain) -> Distances {
        // Land that ends needs nothing beyond its end.
        let most = domain.size().map_or(1 << 28, |[width, depth]| width.max(depth));
        let samples = ((SLOPE * self.size / domain.cell()).round() as u32).min(most);
        Distances { to_each_side: samples, apart: samples.max(1) }
    }

    /// The level at which the slope is measured, and between whose samples it is interpolated at finer ones.
    fn level(&self, domain: Domain) -> i32 {
        // Land that ends is made as a whole at level 0 and has the slope that is measured there.
        if !domain.is_endless() {
            return 0;
        }
        (self.samples(domain).to_each_side / ENOUGH).max(1).ilog2() as i32
    }

    /// The octaves that there are enough samples for.
    fn octaves(&self, region: &Region, seed: u64) -> Vec<Octave> {
        let count = self.octaves.ceil() as u32;
        let share = |index: u32| (self.octaves - index as f32).min(1.0);
        let gain = |index: u32| libm::powf(self.gain, index as f32);
        let sum: f32 = (0..count).map(|index| share(index) * gain(index)).sum();
        let (turn, rounding) = (libm::tanf(self.branching.to_radians()), self.rounding);
        let octave = |index: u32| {
            let finer = libm::pow(f64::from(self.lacunarity), f64::from(index));
            let length = f64::from(self.size) / finer;
            let samples = (length / f64::from(region.grid().cell)) as f32;
            // Divided by the sum of all octaves, also of those left out: coarse levels lack detail but don't
            // become higher.
            let height = self.depth / 2.0 / sum * gain(index) * share(index);
            Octave {
                cells: Cells::new(stream(seed, u64::from(index)), length * f64::from(WAVES), region),
                height: height * smoothstep((samples - 2.0) / 2.0),
                // A wave of the octave is gainⁱ as high and lacunarityⁱ as short, so its sides are as much
                // steeper.
                turn: turn * gain(index) * finer as f32,
                rounding,
            }
        };
        (0..count).map(octave).take_while(|octave| octave.height > 0.0).collect()
    }
}

/// The constants of an octave.
struct Octave {
    cells: Cells,
    height: f32,
    turn: f32,
    rounding: f32,
}

impl Octave {
    fn apply(&self, row: usize, stretch: &Range<usize>, lines: &mut PivotRows, state: &mut Slopes) {
        let (place, lines) = self.cells.around(stretch, row, lines);
        let &Self { height, turn, rounding, .. } = self;
        let waves = Waves { lines, along: place.along, height, turn, rounding, width: stretch.len() };
        over_in_wide_registers(&waves, state, &mut ());
    }
}

/// The slope of the land before the first octave.
enum Slope {
    /// Measured at every sample.
    Measured(Smooth),
    /// The rise towards the east and the south, and the bend of the land, at every sample, interpolated
    /// between the samples of a coarser level.
    Between([Heightfield; 3]),
}

/// Room for a row of slopes.
#[derive(Default)]
struct Scratch {
    rise: Rise,
    west: Vec<f32>,
    east: Vec<f32>,
}

impl Slope {
    fn of_row<'a>(&self, row: usize, stretch: &Range<usize>, scratch: &'a mut Scratch) -> &'a Rise {
        match self {
            Self::Measured(smooth) => smooth.of_row(row, stretch, scratch),
            Self::Between(fields) => {
                let Rise { east, south, bend } = &mut scratch.rise;
                for (field, out) in fields.iter().zip([east, south, bend]) {
                    out.clear();
                    out.extend_from_slice(&field.row(row)[stretch.clone()]);
                }
                &scratch.rise
            }
        }
    }
}

/// The land as the gullies see it.
struct Smooth {
    heights: Heightfield,
    region: Region,
    /// How many rows of it lie north of the first that is asked for, and how many columns west.
    first: [usize; 2],
    /// Samples to those whose difference is the slope.
    apart: usize,
    /// For every column: 1 divided by the metres between the samples east and west of it.
    per_east: Vec<f32>,
}

impl Smooth {
    fn new(gullies: &Gullies, field: &Heightfield, region: &Region, work: &Work) -> Result<Self> {
        let measure = gullies.samples(region.domain());
        let mean = Mean { size: 2 * measure.to_each_side + 1, border: Border::Clamp };
        let mut heights = field.copy_while(work)?;
        mean.smooth(&mut heights, region, work)?;
        let apart = (region.samples(f64::from(measure.apart)).round() as usize).max(1);
        let width = field.grid().width;
        let per_east = (0..width).map(|column| {
            let [west, east] = beside(column, apart, width);
            per_metre(east - west, region)
        });
        Ok(Self { heights, region: *region, first: [0; 2], apart, per_east: per_east.collect() })
    }

    /// The same, with rows and columns counted from those of a region within.
    fn from(self, inner: &Region) -> Self {
        let first = [inner.row(0) - self.region.row(0), inner.column(0) - self.region.column(0)];
        Self { first: first.map(|samples| samples as usize), ..self }
    }

    fn of_row<'a>(&self, row: usize, stretch: &Range<usize>, scratch: &'a mut Scratch) -> &'a Rise {
        let [north, west] = self.first;
        let (row, stretch) = (row + north, stretch.start + west..stretch.end + west);
        let (grid, region) = (self.heights.grid(), &self.region);
        let Scratch { rise, west, east } = scratch;
        let own = self.heights.row(row);
        west.clear();
        east.clear();
        for column in stretch.clone() {
            let [to_west, to_east] = beside(column, self.apart, grid.width);
            west.push(own[to_west]);
            east.push(own[to_east]);
        }
        for line in [&mut rise.east, &mut rise.south, &mut rise.bend] {
            line.resize(stretch.len(), 0.0);
        }
        let [north, south] = beside(row, self.apart, grid.depth);
        let measure = Measure {
            own: &own[stretch.clone()],
            north: &self.heights.row(north)[stretch.clone()],
            south: &self.heights.row(south)[stretch.clone()],
            west,
            east,
            per_east: &self.per_east[stretch.clone()],
            per_south: per_metre(south - north, region),
            per_bend: per_metre(2 * self.apart, region),
        };
        over_in_wide_registers(&measure, rise, &mut ());
        rise
    }
}

/// Indices of the samples `apart` before and after `index`, clamped to the field.
fn beside(index: usize, apart: usize, count: usize) -> [usize; 2] {
    [index.saturating_sub(apart), (index + apart).min(count - 1)]
}

/// 1 divided by the metres between samples; finite also where a row has one sample only.
fn per_metre(samples: usize, region: &Region) -> f32 {
    1.0 / (samples.max(1) as f32 * region.grid().cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::error::Error;
    use crate::grid::{Grid, Window};
    use crate::params;
    use crate::recipe::Recipe;
    use crate::steps::generate::{Fbm, Generate};

    fn gullied(gullies: &Gullies, land: &Heightfield, seed: u64) -> Result<Heightfield> {
        let mut gullied = land.clone();
        gullies.apply_to(&mut gullied, seed, &Work::new())?;
        Ok(gullied)
    }

    fn hills() -> Result<Heightfield> {
        let fbm = Fbm { height: 900.0, frequency: 2.0, ..Fbm::default() };
        fbm.generate(Grid::new(300, 200, 20.0)?, 4, &Work::new())
    }

    #[test]
    fn no_depth_changes_nothing() -> Result<()> {
        let land = hills()?;
        assert_eq!(gullied(&Gullies { depth: 0.0, ..Gullies::default() }, &land, 1)?, land);
        assert_ne!(gullied(&Gullies::default(), &land, 1)?, land);
        Ok(())
    }

    #[test]
    fn crests_rise_and_floors_sink_by_half_the_depth_at_most_and_use_most_of_it() -> Result<()> {
        let land = hills()?;
        for (octaves, gain) in [(1.0, 0.5), (5.0, 0.5), (6.5, 0.8)] {
            let gullies = Gullies { depth: 100.0, octaves, gain, steepness: 10.0, ..Gullies::default() };
            let changed = gullied(&gullies, &land, 1)?;
            let rise = |(after, before): (&f32, &f32)| after - before;
            let rises: Vec<f32> = changed.heights().iter().zip(land.heights()).map(rise).collect();
            let (low, high) = rises
                .iter()
                .fold((0.0, 0.0), |(low, high): (f32, f32), rise| (low.min(*rise), high.max(*rise)));
            assert!((-50.001..-35.0).contains(&low), "{octaves}: {low}");
            assert!((35.0..50.001).contains(&high), "{octaves}: {high}");
        }
        Ok(())
    }

    #[test]
    fn level_land_stays_level_to_the_last_bit() -> Result<()> {
        let land = Heightfield::flat(Grid::new(90, 70, 10.0)?, 123.4);
        assert_eq!(gullied(&Gullies::default(), &land, 1)?, land);
        Ok(())
    }

    #[test]
    fn gentle_slopes_have_shallower_gullies_than_steep_ones() -> Result<()> {
        let deepest = |slope: f32| -> Result<f32> {
            let ramp = Heightfield::from_fn(Grid::new(200, 200, 20.0)?, |_, row| slope * 20.0 * row as f32);
            let changed = gullied(&Gullies::default(), &ramp, 1)?;
            let rise = |(after, before): (&f32, &f32)| (after - before).abs();
            Ok(changed.heights().iter().zip(ramp.heights()).map(rise).fold(0.0, f32::max))
        };
        let [flat, gentle, steep] = [deepest(0.005)?, deepest(0.1)?, deepest(0.6)?];
        assert!(flat < 0.1 * steep && gentle > 3.0 * flat && gentle < 0.8 * steep, "{flat} {gentle} {steep}");
        Ok(())
    }

    /// On a plane that falls towards the south the first octave's gullies run from north to south, and on
    /// any plane they run down it.
    #[test]
    fn gullies_run_down_the_slope() -> Result<()> {
        let side = 300;
        for (east, south) in [(0.0, -0.6), (0.6, 0.0), (0.4, 0.4)] {
            let grid = Grid::new(side, side, 20.0)?;
            let ramp =
                Heightfield::from_fn(grid, |column, row| 20.0 * (east * column as f32 + south * row as f32));
            let gullies = Gullies { octaves: 1.0, ..Gullies::default() };
            let changed = gullied(&gullies, &ramp, 1)?;
            let raised =
                |column: usize, row: usize| f64::from(changed.at(column, row) - ramp.at(column, row));
            let (mut along, mut across) = (0.0, 0.0);
            let length = f64::from((east * east + south * south).sqrt());
            let (east, south) = (f64::from(east) / length, f64::from(south) / length);
            for row in 30..side - 30 {
                for column in 30..side - 30 {
                    let to_east = raised(column + 1, row) - raised(column - 1, row);
                    let to_south = raised(column, row + 1) - raised(column, row - 1);
                    along += (to_east * east + to_south * south).powi(2);
                    across += (to_south * east - to_east * south).powi(2);
                }
            }
            // Where cells are at odds, gullies bend and fork: by more where the squares are crossed aslant.
            assert!(across > 4.0 * along, "{east}, {south}: {across} across, {along} along");
        }
        Ok(())
    }

    /// Finer octaves leave the largest gullies to both sides and don't all run the same way.
    #[test]
    fn finer_gullies_branch_from_larger_ones() -> Result<()> {
        let grid = Grid::new(300, 300, 10.0)?;
        let ramp = Heightfield::from_fn(grid, |_, row| -6.0 * row as f32);
        // How much of the second octave's relief is along the slope.
        let along = |branching: f32| -> Result<f64> {
            let both = Gullies { octaves: 2.0, branching, ..Gullies::default() };
            let one = Gullies { octaves: 1.0, depth: both.depth / (1.0 + both.gain), ..both.clone() };
            let (both, one) = (gullied(&both, &ramp, 1)?, gullied(&one, &ramp, 1)?);
            let fine = |column: usize, row: usize| f64::from(both.at(column, row) - one.at(column, row));
            let (mut along, mut across) = (0.0, 0.0);
            for row in 50..250 {
                for column in 50..250 {
                    along += (fine(column, row + 1) - fine(column, row)).powi(2);
                    across += (fine(column + 1, row) - fine(column, row)).powi(2);
                }
            }
            Ok(along / across)
        };
        let (straight, branched) = (along(0.0)?, along(45.0)?);
        assert!(branched > 2.0 * straight, "{branched}, and {straight} without branching");
        Ok(())
    }

    /// A finer level measures the same slope, and so has the same gullies.
    #[test]
    fn levels_have_the_same_gullies() -> Result<()> {
        let recipe = Recipe::from_ron(
            "(version: 1, name: \"Gullies\", seed: 6, size: endless, cell: 10, unit: 8000, steps: [
                fbm(height: 900, frequency: 2, octaves: 5), gullies(octaves: 4)])",
            "gullies.ron",
        )?;
        let at = |level: i32| {
            let size = [200 << -level, 200 << -level].map(|side: u32| side + 1);
            let window = Window { level, first: [-50 << -level, 700 << -level], size };
            Ok::<_, Error>(recipe.build_window(window, &Cache::default(), &Work::new())?.heights)
        };
        let (coarse, fine) = (at(0)?, at(-2)?);
        for row in 0..=200 {
            for column in 0..=200 {
                let difference = (coarse.at(column, row) - fine.at(column << 2, row << 2)).abs();
                assert!(difference < 0.01, "{difference} at column {column}, row {row}");
            }
        }
        Ok(())
    }

    /// Waves for which there are no samples are left out: they would be noise.
    #[test]
    fn waves_shorter_than_two_samples_are_left_out() -> Result<()> {
        let gullies = Gullies { size: 400.0, octaves: 12.0, ..Gullies::default() };
        let heights = |cell: f32| -> Result<Vec<f32>> {
            let region = Region::from(Grid::new(9, 9, cell)?);
            Ok(gullies.octaves(&region, 1).iter().map(|octave| octave.height).collect())
        };
        // 400 m, 200, 100, and 50, which is two samples.
        assert_eq!(heights(25.0)?.len(), 3);
        let (coarse, fine) = (heights(40.0)?, heights(1.0)?);
        assert_eq!(coarse.len(), 3);
        assert!(coarse[0] == fine[0] && coarse[1] == fine[1] && coarse[2] < fine[2]);
        assert!(heights(200.0)?.is_empty());
        Ok(())
    }

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        for (name, value) in [
            ("depth", "-1"),
            ("size", "0.5"),
            ("octaves", "13"),
            ("lacunarity", "1"),
            ("gain", "1"),
            ("steepness", "0"),
            ("branching", "90"),
            ("rounding", "0"),
        ] {
            let mut gullies = Gullies::default();
            let said =
                params::set_from_text(&mut gullies, name, value).map_err(|error: Error| error.to_string());
            assert!(said.as_ref().is_err_and(|said| said.contains("outside")), "{name}: {said:?}");
        }
    }
}
