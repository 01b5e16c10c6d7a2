//! Talus: steep rock crumbles, and its debris slides down into cones and aprons at the foot.
//!
//! The land is rock under debris, h = r + d. Bare rock crumbles where it is steep, dr/dt = −w e^(−d/δ):
//! debris that stays covers the rock and protects it, as soil does (Heimsath et al. 1997). Debris moves to
//! each neighbour that lies below its angle of repose, all samples at once, after Musgrave, Kolb and Mace
//! (1989); the layer, the sixteen directions, whole numbers for the volume and the coarser grids are ours.
//!
//! Its reach is all of the land: debris slides on until it rests, however far that is, so no halo is wide
//! enough for every land.
//!
//! Memory: 5.3 more fields: three of whole numbers on the full grid, as many as 1.3 on the coarser ones, and
//! one for the strength of the rock, later for the new heights.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{DEBRIS, HARDNESS};
use crate::grid::{Grid, Heightfield, memory};
use crate::noise::stream;
use crate::params::params;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::filter::loose::pile::{self, Pile};
use crate::steps::number::brief;
use crate::steps::rock::Variety;
use crate::steps::{Ground, Operation, estimate, step};

params! {
    /// Lets steep rock crumble and its debris slide down until it rests: cones under gullies, aprons under
    /// cliffs. Debris that an earlier step left in the layer `debris` slides as well. Where the layer
    /// `hardness` is 1, rock doesn't crumble. It writes `debris`, the thickness of the loose rock.
    pub struct Talus {
        /// Angle of repose: the steepest slope on which debris rests, along any of sixteen directions.
        pub repose: f32 = 34.0, "°" in 5.0..=60.0;
        /// How much rock crumbles away where it is steep and stays bare.
        pub crumble: f32 = 6.0, "m" in 0.0..=500.0;
        /// Slope from which rock crumbles.
        pub slope_min: f32 = 42.0, "°" in 0.0..=85.0;
        /// Difference in slope below that over which less rock crumbles.
        pub slope_release: f32 = 4.0, "°" in 0.0..=45.0;
        /// Volume of the debris of one cubic metre of rock: there are gaps between the pieces.
        pub bulking: f32 = 1.3, "" in 1.0..=2.0;
        /// How much the rock's strength varies from place to place: at 0 all of it crumbles alike.
        pub variety: f32 = 0.6, "" in 0.0..=2.0;
        /// Distance from one weak part of the rock to the next.
        pub patches: f32 = 120.0, "m" in 1.0..=100000.0, log;
    }
}

/// Thickness of debris under which rock crumbles e times more slowly, metres.
const COVER: f64 = 0.5;

/// In how many rounds the rock crumbles: between them debris slides, and cliffs become bare again.
const ROUNDS: usize = 8;

/// Iterations of the full grid before and after those of coarser grids, in each round, and in each slide
/// after the last one.
const IN_ROUND: usize = 4;
const IN_SLIDE: usize = 16;

/// The most slides after the last round, and iterations of the full grid after these: enough for every land
/// that was tried, and an end for others.
const LAST_SLIDES: usize = 60;
const LAST_ITERATIONS: usize = 4000;

/// Excess over the angle of repose at which debris rests, degrees.
const RESTS: f32 = 0.06;

/// Excess from which debris that has come to rest moves again, degrees. Larger, so that rounding heights does
/// not move any.
const WAKES: f32 = 0.09;

/// The thickest debris that is read from a layer, metres.
const THICKEST: f32 = 10_000.0;

impl Operation for Talus {
    step!("talus", "Talus", Filter);

    fn formula(&self) -> Option<String> {
        let [repose, crumble, slope, bulking] =
            [self.repose, self.crumble, self.slope_min, self.bulking].map(brief);
        let rock = match self.variety {
            0.0 => String::new(),
            variety => format!(" (1 + {} N)", brief(variety)),
        };
        Some(format!(
            "h = r + d,  ∂r/∂t = −{crumble} e^(−2 d){rock} (1 − hardness) s\n\
             ∂d/∂t = −{bulking} ∂r/∂t − ∇·q,  s: slopes from {slope}°\n\
             q to each of 16 neighbours ∝ max(0, Δh − tan {repose}° · Δx),  until all rests"
        ))
    }

    fn reads(&self) -> Vec<&str> {
        vec![DEBRIS, HARDNESS]
    }

    fn writes(&self) -> Vec<&str> {
        vec![DEBRIS]
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "slope_min" | "slope_release" | "bulking" | "variety" => self.crumble > 0.0,
            "patches" => self.crumble > 0.0 && self.variety > 0.0,
            _ => true,
        }
    }

    fn note(&self, cell: f32) -> Option<String> {
        (self.crumble > 0.0 && self.slope_min < self.repose).then(|| {
            let [slope, repose] = [self.slope_min, self.repose].map(brief);
            format!(
                "rock crumbles from {slope}°, and debris rests up to {repose}°: much of it stays where it is, \
                 on samples {} m apart",
                brief(cell)
            )
        })
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 60_000.0)
    }

    /// The volume of debris is exact to 2⁻¹⁶ m a sample on land up to 4 km high, and to as many digits on any
    /// other. Nothing leaves over the border. Ground that nothing happens to keeps its bits.
    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let before = ground.layers.shared(DEBRIS).cloned();
        let hardness = ground.layers.shared(HARDNESS).cloned();
        let region = *ground.region();
        let heights = &mut ground.heights;
        memory::require(heights.grid(), (pile::BYTES + 4) * heights.grid().count() as u64)?;
        let mut talus = Sliding::new(self, heights, before.as_deref(), work)?;
        let mut rounds = 0;
        if self.crumble > 0.0 {
            let variety = Variety { amount: self.variety, patches: self.patches, least: 0.0 };
            let weakness = variety.weakness(&region, hardness.as_deref(), stream(seed, PATCHES), work)?;
            let limits = SlopeLimits::new(self.slope_min, 90.0, self.slope_release)?;
            work.stage("talus crumbles", ROUNDS);
            while rounds < ROUNDS && talus.crumble(self, &weakness, limits, work)? {
                rounds += 1;
                talus.pile.slide(IN_ROUND, work)?;
                work.advance(1);
                if rounds < ROUNDS {
                    work.frame("round", rounds, ROUNDS, || talus.heights(heights, before.as_deref(), work))?;
                }
            }
        }
        work.stage("talus comes to rest", LAST_SLIDES);
        for _ in 0..LAST_SLIDES {
            if !talus.pile.slide(IN_SLIDE, work)? {
                break;
            }
            work.advance(1);
        }
        talus.pile.iterate(LAST_ITERATIONS, work)?;
        let after = talus.heights(heights, before.as_deref(), work)?;
        if ground.wants(DEBRIS) {
            let layer = talus.layer(&ground.heights, before.as_deref(), work)?;
            ground.write_layer(DEBRIS, layer);
        }
        ground.heights = after;
        if rounds == ROUNDS {
            work.frame("round", ROUNDS, ROUNDS, || Ok(&ground.heights))?;
        }
        Ok(())
    }
}

/// Keeps the rock's strength independent of other noise of the same seed.
const PATCHES: u64 = 0x7461_6c75;

/// Debris that slides over rock, in whole units.
struct Sliding {
    pile: Pile,
    units: Units,
    grid: Grid,
}

/// Heights as whole numbers of units above a base.
#[derive(Clone, Copy)]
struct Units {
    base: f64,
    per_metre: f64,
}

impl Units {
    /// Units of 2⁻¹⁶ m or, between samples less than a metre apart, smaller ones; larger ones where heights
    /// would not fit otherwise.
    fn new(base: f64, range: f64, cell: f32) -> Self {
        let finer = libm::floor(-libm::log2(f64::from(cell))).clamp(0.0, 8.0);
        let fitting = libm::floor(libm::log2(f64::from(pile::HIGHEST) / range.max(1e-9)));
        Self { base, per_metre: libm::exp2((16.0 + finer).min(fitting)) }
    }

    fn thickness(self, metres: f32) -> i32 {
        (f64::from(metres.clamp(0.0, THICKEST)) * self.per_metre).round() as i32
    }

    /// The surface and the rock under the debris.
    fn of(self, height: f32, debris: f32) -> (i32, i32) {
        // The surface and not the rock is rounded: its slopes decide what moves.
        let surface = ((f64::from(height) - self.base) * self.per_metre).round() as i32;
        (surface, surface - self.thickness(debris))
    }

    fn height(self, surface: i32) -> f32 {
        (self.base + f64::from(surface) / self.per_metre) as f32
    }
}

impl Sliding {
    /// Debris of an earlier step on the rock under it.
    fn new(talus: &Talus, heights: &Heightfield, debris: Option<&Heightfield>, work: &Work) -> Result<Self> {
        let grid = heights.grid();
        let (low, high) = heights.range_while(work)?;
        let thickest = debris.map(|debris| debris.range_while(work)).transpose()?;
        let thickest = thickest.map_or(0.0, |(_, thickest)| thickest.clamp(0.0, THICKEST));
        let made = 4.0 * f64::from(talus.crumble) * f64::from(talus.bulking);
        let base = f64::from(low) - f64::from(thickest) - made;
        let units = Units::new(base, f64::from(high) - base + made, grid.cell);
        let per_cell = |degrees: f32| {
            let rise = f64::from(grid.cell) * units.per_metre * libm::tan(f64::from(degrees).to_radians());
            rise as f32
        };
        let rise = per_cell(talus.repose);
        let beyond = |excess: f32| (per_cell(talus.repose + excess) - rise).max(1.0);
        let mut pile = Pile::new(grid, rise, beyond(RESTS));
        pile.change_rows(work, |row, surface, rock, _| {
            let samples = surface.iter_mut().zip(rock).zip(heights.row(row)).enumerate();
            for (column, ((surface, rock), height)) in samples {
                (*surface, *rock) = units.of(*height, debris.map_or(0.0, |debris| debris.at(column, row)));
            }
            true
        })?;
        pile.wake(beyond(WAKES), work)?;
        Ok(Self { pile, units, grid })
    }

    /// Turns rock into debris where it is steep, for one round. Returns whether any crumbles.
    fn crumble(
        &mut self,
        talus: &Talus,
        weakness: &Heightfield,
        limits: SlopeLimits,
        work: &Work,
    ) -> Result<bool> {
        let Grid { width, depth, cell } = self.grid;
        let per_metre = self.units.per_metre;
        let most = f64::from(talus.crumble) * per_metre / ROUNDS as f64;
        let per_sample = 1.0 / (f64::from(cell) * per_metre);
        // For all samples before any changes, since slopes are measured between them.
        self.pile.plan_rows(work, |pile, row, crumbled| {
            let [north, south] = [row.saturating_sub(1), (row + 1).min(depth - 1)];
            let across = per_sample / (south - north).max(1) as f64;
            let [north, south] = [north, south].map(|row| pile.surface_of_row(row));
            let (own, rock) = (pile.surface_of_row(row), pile.solid_of_row(row));
            for (column, (crumbled, weakness)) in crumbled.iter_mut().zip(weakness.row(row)).enumerate() {
                let [west, east] = [column.saturating_sub(1), (column + 1).min(width - 1)];
                let along = f64::from(own[east] - own[west]) * (per_sample / (east - west).max(1) as f64);
                let down = f64::from(south[column] - north[column]) * across;
                let share = limits.share((along * along + down * down).sqrt() as f32);
                *crumbled = if share > 0.0 {
                    let cover = libm::exp(-f64::from(own[column] - rock[column]) / (COVER * per_metre));
                    (most * cover * f64::from(share * *weakness)) as i32
                } else {
                    0
                };
            }
            Ok(())
        })?;
        self.pile.change_rows(work, |_, surface, rock, crumbled| {
            let mut any = false;
            for ((surface, rock), crumbled) in surface.iter_mut().zip(rock).zip(crumbled) {
                let debris = (f64::from(*crumbled) * f64::from(talus.bulking)).round() as i32;
                *surface += debris - crumbled;
                *rock -= crumbled;
                any |= *crumbled > 0;
            }
            any
        })
    }

    /// The heights now. Samples to which nothing has happened keep those `before`.
    fn heights(
        &self,
        before: &Heightfield,
        debris: Option<&Heightfield>,
        work: &Work,
    ) -> Result<Heightfield> {
        self.field(before, debris, work, |surface, _, height, _| match surface {
            Some(surface) => self.units.height(surface),
            None => height,
        })
    }

    /// The thickness of the debris now.
    fn layer(&self, before: &Heightfield, debris: Option<&Heightfield>, work: &Work) -> Result<Heightfield> {
        self.field(before, debris, work, |surface, loose, _, debris| match surface {
            Some(_) => (f64::from(loose) / self.units.per_metre) as f32,
            None => debris.clamp(0.0, THICKEST),
        })
    }

    /// `of` gets the surface, if that or the debris have changed, the debris, and both before.
    fn field(
        &self,
        before: &Heightfield,
        debris: Option<&Heightfield>,
        work: &Work,
        of: impl Fn(Option<i32>, i32, f32, f32) -> f32 + Sync,
    ) -> Result<Heightfield> {
        let mut field = before.copy_while(work)?;
        let rows = field.heights_mut().par_chunks_mut(self.grid.width).enumerate();
        rows.try_for_each(|(row, heights)| {
            work.check()?;
            let samples = self.pile.surface_of_row(row).iter().zip(self.pile.solid_of_row(row));
            for (column, (height, (surface, rock))) in heights.iter_mut().zip(samples).enumerate() {
                let debris = debris.map_or(0.0, |debris| debris.at(column, row));
                let changed = self.units.of(*height, debris) != (*surface, *rock);
                *height = of(changed.then_some(*surface), surface - rock, *height, debris);
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::filter::loose::pile::MOVES;

    /// Debris of this layer on land of these heights, after the step.
    fn settled(talus: &Talus, heights: &Heightfield, layers: &[(&str, &Heightfield)]) -> Result<Ground> {
        let mut ground = Ground::new(heights.clone());
        for (name, layer) in layers {
            ground.write_layer(name, (*layer).clone());
        }
        talus.apply(&mut ground, 3, &Work::new())?;
        Ok(ground)
    }

    /// Rough hills with cliffs: 0 to about 500 m, terraces of 90 m with steep faces.
    fn cliffs(width: usize, depth: usize, cell: f32) -> Result<Heightfield> {
        let grid = Grid::new(width, depth, cell)?;
        Ok(Heightfield::from_fn(grid, |column, row| {
            let (x, z) = (cell * column as f32, cell * row as f32);
            let wave = |length: f32| libm::sinf(x / length + 1.0) * libm::cosf(z / length + 0.3);
            let hills = 250.0 + 180.0 * wave(210.0) + 60.0 * wave(83.0) + 9.0 * wave(17.0);
            let bench = libm::floorf(hills / 90.0);
            let face = ((hills / 90.0 - bench - 0.4) / 0.2).clamp(0.0, 1.0);
            90.0 * (bench + face) + 0.2 * hills
        }))
    }

    fn volume(field: &Heightfield) -> f64 {
        field.heights().iter().map(|height| f64::from(*height)).sum()
    }

    /// The steepest slope of debris down to any of the sixteen neighbours, degrees.
    fn steepest_debris(ground: &Ground) -> Result<f32> {
        let (heights, debris) = (&ground.heights, ground.layer(DEBRIS)?);
        let Grid { width, depth, cell } = heights.grid();
        let mut steepest = 0.0f32;
        for row in 0..depth {
            for column in 0..width {
                if debris.at(column, row) <= 0.0 {
                    continue;
                }
                for [columns, rows] in MOVES.into_iter().flat_map(|[x, z]| [[x, z], [-x, -z]]) {
                    let there = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
                    if there.0 < width && there.1 < depth {
                        let length = cell * ((columns * columns + rows * rows) as f32).sqrt();
                        let drop = heights.at(column, row) - heights.at(there.0, there.1);
                        steepest = steepest.max(drop / length);
                    }
                }
            }
        }
        Ok(libm::atanf(steepest).to_degrees())
    }

    #[test]
    fn no_rock_is_lost_or_made() -> Result<()> {
        for (width, depth, cell) in [(131, 97, 5.0), (200, 64, 11.0)] {
            let land = cliffs(width, depth, cell)?;
            let talus = Talus { bulking: 1.0, crumble: 8.0, ..Talus::default() };
            let ground = settled(&talus, &land, &[])?;
            let debris = volume(ground.layer(DEBRIS)?);
            assert!(debris > 0.2 * land.heights().len() as f64, "{debris}");
            let (before, after) = (volume(&land), volume(&ground.heights));
            assert!((before - after).abs() < 1e-6 * debris.max(1e-3 * before), "{before} {after} {debris}");
            // With gaps between the pieces land rises by as much as they are.
            let bulky = settled(&Talus { bulking: 1.5, ..talus }, &land, &[])?;
            let debris = volume(bulky.layer(DEBRIS)?);
            let gaps = volume(&bulky.heights) - before;
            assert!((gaps - debris / 3.0).abs() < 1e-4 * debris, "{gaps} {debris}");
        }
        Ok(())
    }

    #[test]
    fn debris_rests_nowhere_steeper_than_its_angle_of_repose() -> Result<()> {
        for (repose, cell) in [(34.0, 5.0), (28.0, 9.0), (45.0, 2.0)] {
            let land = cliffs(150, 110, cell)?;
            let talus = Talus { repose, slope_min: 40.0, ..Talus::default() };
            let ground = settled(&talus, &land, &[])?;
            let steepest = steepest_debris(&ground)?;
            assert!(steepest < repose + 0.1 && steepest > repose - 1.0, "{steepest}° of {repose}°");
        }
        Ok(())
    }

    #[test]
    fn a_heaped_column_becomes_a_round_cone() -> Result<()> {
        const MIDDLE: usize = 80;
        let grid = Grid::new(2 * MIDDLE + 1, 2 * MIDDLE + 1, 1.0)?;
        // Radii of 49, 39 and 19 samples.
        for (repose, height) in [(33.0, 9000.0), (42.0, 6000.0), (34.0, 540.0)] {
            let column = Heightfield::from_fn(grid, |column, row| {
                let is_there = column.abs_diff(MIDDLE).max(row.abs_diff(MIDDLE)) <= 1;
                if is_there { height } else { 0.0 }
            });
            let talus = Talus { repose, crumble: 0.0, ..Talus::default() };
            let ground = settled(&talus, &column, &[(DEBRIS, &column)])?;
            assert_eq!(volume(&ground.heights).round(), 9.0 * f64::from(height));
            let field = &ground.heights;
            // V = π R³ tan φ / 3.
            let rise = libm::tanf(f32::to_radians(repose));
            let radius = libm::cbrtf(27.0 * height / (std::f32::consts::PI * rise));
            let apex = field.at(MIDDLE, MIDDLE) / (radius * rise);
            assert!((apex - 1.0).abs() < 0.03, "{apex}");
            // Where the surface reaches a share of the height of the analytic cone, on sixteen bearings, as a
            // share of where that does: on the flank, and just above the foot.
            for level in [0.5, 0.05] {
                let distance = |bearing: usize| {
                    let angle = std::f32::consts::TAU * bearing as f32 / 16.0;
                    let along = glam::vec2(libm::cosf(angle), libm::sinf(angle));
                    let lower = |away: f32| {
                        let there = glam::Vec2::splat(MIDDLE as f32) + away * along;
                        field.sample(there) < level * radius * rise
                    };
                    (0..8000).map(|step| 0.01 * step as f32).find(|away| lower(*away)).unwrap_or(0.0)
                };
                let shares: Vec<f32> =
                    (0..16).map(|bearing| distance(bearing) / ((1.0 - level) * radius)).collect();
                assert!(
                    shares.iter().all(|share| (share - 1.0).abs() < 0.03),
                    "{radius}, {level}: {shares:?}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn land_at_rest_stays_as_it_is() -> Result<()> {
        let land = cliffs(150, 110, 5.0)?;
        let first = settled(&Talus::default(), &land, &[])?;
        let only_slides = Talus { crumble: 0.0, ..Talus::default() };
        let again = settled(&only_slides, &first.heights, &[(DEBRIS, first.layer(DEBRIS)?)])?;
        assert!(again.heights == first.heights);
        assert!(again.layer(DEBRIS)? == first.layer(DEBRIS)?);
        Ok(())
    }

    #[test]
    fn gentle_rock_and_hard_rock_do_not_crumble() -> Result<()> {
        let grid = Grid::new(120, 80, 5.0)?;
        let hills = Heightfield::from_fn(grid, |column, row| {
            30.0 * libm::sinf(column as f32 / 11.0) * libm::cosf(row as f32 / 9.0)
        });
        let ground = settled(&Talus::default(), &hills, &[])?;
        assert!(ground.heights == hills);
        assert_eq!(ground.layer(DEBRIS)?.range(), (0.0, 0.0));
        let steep = cliffs(150, 110, 5.0)?;
        let hard = Heightfield::flat(steep.grid(), 1.0);
        assert!(settled(&Talus::default(), &steep, &[(HARDNESS, &hard)])?.heights == steep);
        Ok(())
    }

    #[test]
    fn debris_lies_below_the_rock_that_it_came_from() -> Result<()> {
        let land = cliffs(150, 110, 5.0)?;
        let ground = settled(&Talus::default(), &land, &[])?;
        let debris = ground.layer(DEBRIS)?;
        // Where most of it lies the ground has risen, and it is gentle.
        let deep: Vec<usize> = (0..debris.heights().len()).filter(|at| debris.heights()[*at] > 3.0).collect();
        assert!(deep.len() > 300, "{}", deep.len());
        let risen = deep.iter().filter(|at| ground.heights.heights()[**at] > land.heights()[**at]).count();
        assert!(risen as f32 > 0.98 * deep.len() as f32, "{risen} of {}", deep.len());
        Ok(())
    }

    #[test]
    fn any_number_of_threads_makes_the_same_land() -> Result<()> {
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| settled(&Talus::default(), &cliffs(150, 61, 5.0)?, &[]))
        };
        let one = made(1)?;
        assert!(one == made(2)? && one == made(7)?);
        Ok(())
    }

    #[test]
    fn any_size_and_any_height_can_be_covered_with_talus() -> Result<()> {
        for (width, depth) in [(1, 1), (2, 1), (1, 7), (3, 50), (300, 2), (17, 16), (33, 35)] {
            for scale in [0.0, 1.0, 1e4, 1e28] {
                let land = Heightfield::from_fn(Grid::new(width, depth, 5.0)?, |column, row| {
                    scale * ((column * 7919 + row * 104_729) % 97) as f32
                });
                let heap = Heightfield::from_fn(land.grid(), |column, row| ((column + row) % 3) as f32 * 9.0);
                let ground = settled(&Talus::default(), &land, &[(DEBRIS, &heap)])?;
                assert!(ground.heights.heights().iter().all(|height| height.is_finite()), "{width}×{depth}");
            }
        }
        Ok(())
    }
}
