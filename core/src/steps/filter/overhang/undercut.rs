//! Undercutting: waves, sand and frost hollow a slope out at its foot, and what is above overhangs.
//!
//! Heights stay as they are. The ground on a slope is moved along its way up, into the slope, by a vector
//! that the layers [`SHIFT`] hold: most a little above a line, less above, not at all from the hollow's
//! height on. So the land is no longer a function of place, as "vertex displacement by a vector" of the
//! lecture has it.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{HARDNESS, MOST_SHIFTED, SHIFT, SHIFT_EAST, SHIFT_SOUTH};
use crate::grid::{Domain, Grid, Heightfield, LEVELS, Region};
use crate::math::smoothstep::smoothstep;
use crate::params::{choice, params};
use crate::resize::catmull_rom_between;
use crate::steps::filter::detail::slope_limits::SlopeLimits;
use crate::steps::number::{SMOOTHSTEP, brief, plus};
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

choice! {
    /// What the height of a hollow is counted from.
    pub enum Above {
        /// A level: that of the sea, or of a lake.
        Level = "level",
        /// The lowest ground within `reach`: the sand around a rock.
        Foot = "foot",
    }
}

params! {
    /// Hollows slopes out at their foot, so that what is above overhangs: sea cliffs, mushroom rocks. The
    /// heights stay as they are; the ground is moved into the slope. The layer `hardness` withstands it.
    pub struct Undercut {
        /// How far the hollow reaches into the slope.
        pub depth: f32 = 5.0, "m" in 0.0..=50.0;
        /// What the hollow's height is counted from.
        pub above: Above = Above::Level;
        /// The level of the line along which the hollow is made.
        pub level: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// How high above the line it ends.
        pub height: f32 = 14.0, "m" in 0.1..=500.0, log;
        /// At which share of its height the hollow is deepest.
        pub middle: f32 = 0.25, "" in 0.0..=1.0;
        /// How far around each place the foot of its slope is searched for, and the slope itself is measured.
        pub reach: f32 = 30.0, "m" in 1.0..=500.0, log;
        /// Slope from which ground is hollowed.
        pub slope_min: f32 = 35.0, "°" in 0.0..=90.0;
        /// Difference in slope below that over which it fades out.
        pub slope_release: f32 = 10.0, "°" in 0.0..=90.0;
    }
}

/// How far below the line the hollow begins, as a share of its height.
const LIP: f32 = 0.12;

/// The way up is that of a plane fitted to this share of the reach on either side.
const PLANE: f32 = 0.25;

/// Samples within that are enough.
const SAMPLES: f32 = 4.0;

impl Operation for Undercut {
    step!("undercut", "Undercut slopes", Filter);

    fn formula(&self) -> Option<String> {
        let [depth, height, min] = [self.depth, self.height, self.slope_min].map(brief);
        let above_line = match self.above {
            Above::Level if self.level == 0.0 => "h".to_owned(),
            Above::Level => format!("(h{})", plus(-self.level)),
            Above::Foot => "(h − foot)".to_owned(),
        };
        let [middle, lip, begin, rest] = [self.middle, LIP, self.middle + LIP, 1.0 - self.middle].map(brief);
        let above = match self.middle {
            1.0 => "0".to_owned(),
            _ => format!("1 − S((u − {middle}) / {rest})"),
        };
        Some(format!(
            "shift = {depth} · P(u) (1 − hardness) ∇h / |∇h|,  u = {above_line} / {height}\n\
             P(u) = S((u + {lip}) / {begin}) for u ≤ {middle}, else {above}\n\
             {SMOOTHSTEP};  slopes from {min}°"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let samples = |metres: f32| (metres / grid.cell).round().clamp(1.0, grid.longer() as f32);
        estimate::of_samples(grid, 60.0 + 2.0 * f64::from(samples(self.reach * PLANE)))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Near(self.reach)
    }

    fn uses(&self, name: &str) -> bool {
        name != "level" || self.above == Above::Level
    }

    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let cell = window.domain().cell();
        // The coarsest level that still has four samples within the plane's radius.
        let level = libm::log2f(self.reach * PLANE / (SAMPLES * cell)).floor() as i32;
        let coarser = Needs::coarser(window, level.max(*LEVELS.start()), self.reach / cell, false)?;
        Ok(coarser.unwrap_or(Needs::within(Reach::Near(self.reach), window)))
    }

    fn reads(&self) -> Vec<&str> {
        vec![HARDNESS, SHIFT_EAST, SHIFT_SOUTH]
    }

    fn writes(&self) -> Vec<&str> {
        SHIFT.to_vec()
    }

    fn shifts_by(&self) -> f32 {
        self.depth
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        // The heights don't change: without a request for shifts nothing is left to do.
        if !SHIFT.iter().any(|name| ground.wants(name)) {
            return work.check();
        }
        let limits = SlopeLimits::new(self.slope_min, 90.0, self.slope_release)?;
        let slope = match ground.context() {
            None => SlopeAround::measured(&ground.heights, self, work)?,
            Some(around) => {
                let SlopeAround { east, south, foot } = SlopeAround::measured(&around.heights, self, work)?;
                // The plane was fitted to coarse land, as a slope over many metres; between its samples it is
                // smooth.
                let finer = |field| catmull_rom_between(&field, around.region(), ground.region(), work);
                SlopeAround { east: finer(east)?, south: finer(south)?, foot: foot.map(finer).transpose()? }
            }
        };
        let Grid { width, depth, .. } = ground.grid();
        let (hardness, before) = (ground.layers().get(HARDNESS), SHIFT.map(|name| ground.layers().get(name)));
        let [mut east, mut south] = [(); 2].map(|()| Heightfield::flat(ground.grid(), 0.0));
        work.stage("undercut", depth);
        let rows = east.heights_mut().par_chunks_mut(width).zip(south.heights_mut().par_chunks_mut(width));
        rows.enumerate().try_for_each(|(row, (east, south))| {
            work.check()?;
            for column in 0..width {
                let up = [slope.east.at(column, row), slope.south.at(column, row)];
                let steep = (up[0] * up[0] + up[1] * up[1]).sqrt();
                let line = slope.foot.as_ref().map_or(self.level, |foot| foot.at(column, row));
                // Hard rock resists: at hardness 1 nothing is undercut.
                let into = self.depth
                    * self.profile(ground.heights.at(column, row) - line)
                    * limits.share(steep)
                    * (1.0 - hardness.map_or(0.0, |hardness| hardness.at(column, row)));
                // `up` has the length `steep`; divided by it, a direction is left. Level ground has none.
                let per_rise = if into > 0.0 && steep > 0.0 { into / steep } else { 0.0 };
                for (axis, shift) in [&mut east[column], &mut south[column]].into_iter().enumerate() {
                    let before = before[axis].map_or(0.0, |before| before.at(column, row));
                    *shift = (before + up[axis] * per_rise).clamp(-MOST_SHIFTED, MOST_SHIFTED);
                }
            }
            work.advance(1);
            Ok::<_, Error>(())
        })?;
        ground.write_layer(SHIFT_EAST, east);
        ground.write_layer(SHIFT_SOUTH, south);
        Ok(())
    }

    /// Copies nothing: the heights stay as they are.
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let mut changed = ground.clone();
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }
}

impl Undercut {
    /// The share of the depth at a height above the line, metres.
    fn profile(&self, above: f32) -> f32 {
        let share = above / self.height;
        // With `middle` at 1 the second branch divides by 0: S clamps the infinite quotient to 1, and the
        // profile ends.
        if share <= self.middle {
            smoothstep((share + LIP) / (self.middle + LIP))
        } else {
            1.0 - smoothstep((share - self.middle) / (1.0 - self.middle))
        }
    }
}

/// How the land rises around every sample, and how low it is there.
struct SlopeAround {
    /// Rise per metre of the plane that fits best.
    east: Heightfield,
    south: Heightfield,
    /// The lowest ground, if hollows are counted from there.
    foot: Option<Heightfield>,
}

impl SlopeAround {
    fn measured(field: &Heightfield, undercut: &Undercut, work: &Work) -> Result<Self> {
        let cell = field.grid().cell;
        let samples = |metres: f32| ((metres / cell).round() as usize).max(1);
        let radius = samples(undercut.reach * PLANE);
        let Grid { width, depth, .. } = field.grid();
        let (across, down) = (Reached::of(radius, width), Reached::of(radius, depth));
        // In the plane z = a + e·x + s·y that fits a square best, e is the sum of x·z over that of x².
        let sums = along_rows(field, across.radius, work, (0.0, 0.0), |wide, sums| {
            for (index, away) in across.away().enumerate() {
                // Offset by offset over whole rows, not sample by sample: the inner loop has no dependence
                // and is vectorised.
                let heights = &wide[index..][..sums.len()];
                for ((all, moment), height) in sums.iter_mut().zip(heights) {
                    *all += height;
                    *moment += away as f32 * height;
                }
            }
            // Beyond the border all samples have the border's height, so their sums are products.
            if across.beyond > 0.0 {
                let [west, east] = [wide[0], wide[wide.len() - 1]];
                for (all, moment) in sums {
                    *all += across.beyond * (west + east);
                    *moment += across.moment_beyond * (east - west);
                }
            }
        })?;
        let side = (2 * radius + 1) as f32;
        // Σ x² over the square, and `cell` once, so that quotients are slopes and not rises per sample.
        let squares: f32 = (1..=radius).map(|away| 2.0 * (away * away) as f32).sum::<f32>() * side * cell;
        let [mut east, mut south] = [(); 2].map(|()| Heightfield::flat(field.grid(), 0.0));
        let rows = east.heights_mut().par_chunks_mut(width).zip(south.heights_mut().par_chunks_mut(width));
        rows.enumerate().try_for_each(|(row, (east, south))| {
            work.check()?;
            for away in down.away() {
                let from = row.saturating_add_signed(away).min(depth - 1) * width;
                // Rows were summed already, so columns add sums: 2 · (2 r + 1) terms for each sample and not
                // (2 r + 1)².
                for (column, (all, moment)) in sums[from..from + width].iter().enumerate() {
                    east[column] += moment / squares;
                    south[column] += away as f32 * all / squares;
                }
            }
            if down.beyond > 0.0 {
                let (first, last) = (&sums[..width], &sums[(depth - 1) * width..]);
                for (column, (first, last)) in first.iter().zip(last).enumerate() {
                    east[column] += down.beyond * (first.1 + last.1) / squares;
                    south[column] += down.moment_beyond * (last.0 - first.0) / squares;
                }
            }
            Ok::<_, Error>(())
        })?;
        let foot = match undercut.above {
            Above::Level => None,
            Above::Foot => Some(lowest(field, samples(undercut.reach), work)?),
        };
        Ok(Self { east, south, foot })
    }
}

/// The samples along an axis within a radius. There may be many more than the land has: beyond its border all
/// have the border's height, so they need not be visited one by one.
struct Reached {
    /// How far samples are visited one by one, in samples.
    radius: usize,
    /// How many lie farther away on either side.
    beyond: f32,
    /// The sum of their distances, in samples.
    moment_beyond: f32,
}

impl Reached {
    /// Within a radius, where the land has `count` samples along the axis: at that distance all samples are
    /// beyond its border.
    fn of(radius: usize, count: usize) -> Self {
        let near = radius.min(count);
        let up_to = |radius: usize| radius as f64 * (radius as f64 + 1.0) / 2.0;
        let moment_beyond = (up_to(radius) - up_to(near)) as f32;
        Self { radius: near, beyond: (radius - near) as f32, moment_beyond }
    }

    /// The distances of the samples that are visited.
    fn away(&self) -> impl Iterator<Item = isize> + use<> {
        -(self.radius as isize)..=self.radius as isize
    }
}

/// Fills each row by `fill`, which gets the row with `radius` more samples on either side. Beyond the border
/// these repeat the sample at the border.
fn along_rows<T: Send + Sync + Copy>(
    field: &Heightfield,
    radius: usize,
    work: &Work,
    start: T,
    fill: impl Fn(&[f32], &mut [T]) + Sync,
) -> Result<Vec<T>> {
    let Grid { width, depth, .. } = field.grid();
    let mut made = vec![start; width * depth];
    made.par_chunks_mut(width).enumerate().try_for_each_init(Vec::new, |wide, (row, out)| {
        work.check()?;
        let row = field.row(row);
        wide.clear();
        wide.extend(std::iter::repeat_n(row[0], radius));
        wide.extend_from_slice(row);
        wide.extend(std::iter::repeat_n(row[width - 1], radius));
        fill(wide, out);
        Ok::<_, Error>(())
    })?;
    Ok(made)
}

/// The lowest ground within `radius` samples along both axes.
fn lowest(field: &Heightfield, radius: usize, work: &Work) -> Result<Heightfield> {
    let Grid { width, depth, cell } = field.grid();
    // Beyond the length of the land there is only the border's height.
    let (across, radius) = (radius.min(width), radius.min(depth));
    let in_rows = along_rows(field, across, work, f32::INFINITY, |wide, out| {
        let mut lows = wide.to_vec();
        // Two runs may overlap: a minimum counts nothing twice.
        let apart = lowest_of_runs(&mut lows, 2 * across + 1, 1);
        out.iter_mut().enumerate().for_each(|(column, low)| *low = lows[column].min(lows[column + apart]));
    })?;
    // The same down the columns: rows take the place of samples.
    let mut lows = Vec::with_capacity((depth + 2 * radius) * width);
    // The border's row goes on beyond the border, as the samples of rows did.
    for row in 0..depth + 2 * radius {
        work.check()?;
        let row = row.clamp(radius, radius + depth - 1) - radius;
        lows.extend_from_slice(&in_rows[row * width..][..width]);
    }
    let apart = lowest_of_runs(&mut lows, 2 * radius + 1, width);
    let lowest = (0..width * depth).map(|index| lows[index].min(lows[index + apart * width])).collect();
    Heightfield::new(Grid { width, depth, cell }, lowest)
}

/// Makes each item the lowest of a run that begins with it. Two such runs, as far apart as the returned
/// number, together cover `length` items. Runs double in length, so that long ones take few comparisons. An
/// item is `stride` numbers.
fn lowest_of_runs(items: &mut [f32], length: usize, stride: usize) -> usize {
    let mut run = 1;
    while 2 * run <= length {
        // Upwards, so that the item `run` ahead still has the shorter run's minimum.
        for index in 0..items.len().saturating_sub(run * stride) {
            items[index] = items[index].min(items[index + run * stride]);
        }
        run *= 2;
    }
    length - run
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope of 45° to the east, from column 10 to 30, 1 m between samples.
    fn slope() -> Ground {
        let grid = Grid::new(41, 9, 1.0).unwrap();
        Ground::new(Heightfield::from_fn(grid, |column, _| (column as f32 - 10.0).clamp(0.0, 20.0)))
    }

    /// The same by looking at every sample within the radius, however far beyond the border.
    fn by_sums(field: &Heightfield, radius: isize, [column, row]: [usize; 2]) -> [f64; 2] {
        let Grid { width, depth, cell } = field.grid();
        let at = |x: isize, z: isize| {
            let index = |from: usize, by: isize, count: usize| from.saturating_add_signed(by).min(count - 1);
            f64::from(field.at(index(column, x, width), index(row, z, depth)))
        };
        let squares: f64 = (1..=radius).map(|away| (2 * away * away) as f64).sum::<f64>();
        let squares = squares * (2 * radius + 1) as f64 * f64::from(cell);
        let mut rises = [0.0; 2];
        for (x, z) in (-radius..=radius).flat_map(|x| (-radius..=radius).map(move |z| (x, z))) {
            rises[0] += x as f64 * at(x, z) / squares;
            rises[1] += z as f64 * at(x, z) / squares;
        }
        rises
    }

    #[test]
    fn a_reach_beyond_the_land_costs_no_more_than_the_land_and_finds_the_same() {
        let grid = Grid::new(9, 7, 1.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| (column * column + 3 * row) as f32);
        for radius in [5, 8, 9, 40] {
            let undercut =
                Undercut { reach: radius as f32 / PLANE, above: Above::Foot, ..Undercut::default() };
            let found = SlopeAround::measured(&field, &undercut, &Work::new()).unwrap();
            for place in [[0, 0], [4, 3], [8, 6], [2, 5]] {
                let [east, south] = by_sums(&field, radius, place);
                let at = |field: &Heightfield| f64::from(field.at(place[0], place[1]));
                let is_near =
                    |found: f64, expected: f64| (found - expected).abs() < 1e-4 * (1.0 + expected.abs());
                assert!(
                    is_near(at(&found.east), east) && is_near(at(&found.south), south),
                    "{radius} {place:?}"
                );
            }
            assert!(found.foot.unwrap().heights().iter().all(|low| *low == 0.0), "all of it is near enough");
        }
        // 500 m on land of some centimetres.
        let grid = Grid::new(65, 65, 0.001).unwrap();
        let field = Heightfield::from_fn(grid, |column, _| 0.001 * column as f32);
        let undercut = Undercut { reach: 500.0, above: Above::Foot, ..Undercut::default() };
        SlopeAround::measured(&field, &undercut, &Work::new()).unwrap();
        assert!(undercut.seconds(grid) < 0.01);
    }

    fn cut(undercut: &Undercut, ground: &Ground) -> Result<[Heightfield; 2]> {
        let mut ground = ground.clone();
        undercut.apply(&mut ground, 0, &Work::new())?;
        Ok(SHIFT.map(|name| ground.layer(name).unwrap().clone()))
    }

    const CUT: Undercut = Undercut {
        depth: 5.0,
        above: Above::Level,
        level: 0.0,
        height: 16.0,
        middle: 0.25,
        reach: 8.0,
        slope_min: 30.0,
        slope_release: 10.0,
    };

    #[test]
    fn a_slope_is_moved_up_itself_most_a_little_above_the_line() -> Result<()> {
        let [east, south] = cut(&CUT, &slope())?;
        assert!(south.heights().iter().all(|shift| shift.abs() < 1e-5));
        // 4 m above the line: all of the depth. At the hollow's height, and below the line's lip: nothing.
        assert!((east.at(14, 4) - 5.0).abs() < 1e-4, "{}", east.at(14, 4));
        assert_eq!((east.at(26, 4), east.at(38, 4), east.at(2, 4)), (0.0, 0.0, 0.0));
        assert!((14..25).all(|column| east.at(column, 4) > east.at(column + 1, 4)));
        // Deep enough, the ground 4 m up stands east of that 11 m up, which overhangs.
        let [east, _] = cut(&Undercut { depth: 12.0, ..CUT }, &slope())?;
        assert!(14.0 + east.at(14, 4) > 21.0 + east.at(21, 4));
        Ok(())
    }

    #[test]
    fn hard_rock_and_gentle_slopes_withstand() -> Result<()> {
        let mut hard = slope();
        let grid = hard.grid();
        hard.write_layer(HARDNESS, Heightfield::from_fn(grid, |_, row| if row < 4 { 1.0 } else { 0.5 }));
        let [east, _] = cut(&CUT, &hard)?;
        assert_eq!(east.at(14, 2), 0.0);
        assert!((east.at(14, 6) - 2.5).abs() < 1e-4);
        let [east, _] = cut(&Undercut { slope_min: 60.0, ..CUT }, &slope())?;
        assert!(east.heights().iter().all(|shift| *shift == 0.0));
        Ok(())
    }

    #[test]
    fn the_foot_is_the_lowest_ground_around_and_hollows_add_up() -> Result<()> {
        let mut high = slope();
        high.heights.heights_mut().iter_mut().for_each(|height| *height += 300.0);
        let level = cut(&CUT, &slope())?;
        let foot = Undercut { above: Above::Foot, level: -50.0, ..CUT };
        // Up to 8 samples from the foot it is the ground at the foot.
        let [east, _] = cut(&foot, &high)?;
        assert!((10..=18).all(|column| (east.at(column, 4) - level[0].at(column, 4)).abs() < 1e-3));
        for (name, shift) in SHIFT.iter().zip(level.clone()) {
            high.write_layer(name, shift);
        }
        let [twice, _] = cut(&foot, &high)?;
        assert!((twice.at(14, 4) - 2.0 * east.at(14, 4)).abs() < 1e-3);
        Ok(())
    }

    #[test]
    fn the_lowest_ground_is_that_of_the_square_around() -> Result<()> {
        let grid = Grid::new(23, 17, 1.0)?;
        let field = Heightfield::from_fn(grid, |column, row| ((column * 7919 + row * 104_729) % 101) as f32);
        for radius in [1, 2, 3, 4, 7, 8, 30] {
            let lowest = lowest(&field, radius, &Work::new())?;
            for (row, column) in (0..17).flat_map(|row| (0..23).map(move |column| (row, column))) {
                let [columns, rows] = [(column, 23), (row, 17)].map(|(middle, count): (usize, usize)| {
                    middle.saturating_sub(radius)..(middle + radius + 1).min(count)
                });
                let heights = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
                let expected =
                    heights.map(|(column, row)| field.at(column, row)).fold(f32::INFINITY, f32::min);
                assert_eq!(lowest.at(column, row), expected, "{column}, {row}, {radius}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_nobody_reads_is_not_written() -> Result<()> {
        let mut ground = slope().keeping(&[]);
        CUT.apply(&mut ground, 0, &Work::new())?;
        assert_eq!(ground.layers().names().count(), 0);
        let before = slope();
        assert_eq!(ground.heights, before.heights);
        Ok(())
    }
}
