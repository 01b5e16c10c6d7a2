//! How the land lies: its slope at the recipe's own spacing. Steps that add detail far below that spacing go by
//! it, so that neither their own detail nor that of other steps changes where they act, and every level has the
//! same stones on the same slope.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::{mix, stream};
use crate::resize::catmull_rom_between;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;
use crate::steps::{Ground, Needs, Operation, Reach};

/// Samples of level 0 to each side between which the slope is measured.
const APART: f32 = 1.0;

/// At level 0 and coarser ones the slope is measured between the neighbouring samples of the window's own level: one is looked
/// at on every side.
const BESIDE: u32 = 1;

/// How steep the land is at every sample of a region, and how far it bends down from there.
pub(super) struct Lie {
    slope: Heightfield,
    bend: Heightfield,
}

impl Lie {
    /// Measured between neighbours.
    fn measured(field: &Heightfield, work: &Work) -> Result<Self> {
        let Grid { width, depth, cell } = field.grid();
        let beside = |index: usize, count: usize| [index.saturating_sub(1), (index + 1).min(count - 1)];
        let per_metre = |[before, after]: [usize; 2]| 1.0 / ((after - before).max(1) as f32 * cell);
        let [mut slope, mut bend] = [(); 2].map(|()| Heightfield::flat(field.grid(), 0.0));
        for row in 0..depth {
            work.check()?;
            let [north_of, south_of] = beside(row, depth);
            let (own, north, below) = (field.row(row), field.row(north_of), field.row(south_of));
            let per_south = per_metre([north_of, south_of]);
            let out = row * width..(row + 1) * width;
            let outs = slope.heights_mut()[out.clone()].iter_mut().zip(&mut bend.heights_mut()[out]);
            for (column, (slope, bend)) in outs.enumerate() {
                let [west_of, east_of] = beside(column, width);
                let east = (own[east_of] - own[west_of]) * per_metre([west_of, east_of]);
                let south = (below[column] - north[column]) * per_south;
                *slope = (east * east + south * south).sqrt();
                // At the land's border it bends along the border only.
                let over = |[before, after]: [usize; 2], height: [f32; 2]| {
                    if after - before == 2 { own[column] - 0.5 * (height[0] + height[1]) } else { 0.0 }
                };
                let across = over([west_of, east_of], [own[west_of], own[east_of]]);
                *bend = (across + over([north_of, south_of], [north[column], below[column]])) / cell;
            }
        }
        Ok(Self { slope, bend })
    }

    /// On curves between the samples of level 0, where the ground is finer and knows those
    /// [around](Self::around) it; without the bend unless that is wanted, which then is 0.
    fn of(ground: &Ground, with_bend: bool, work: &Work) -> Result<Self> {
        let Some(around) = ground.context() else { return Self::measured(&ground.heights, work) };
        let Self { slope, bend } = Self::measured(&around.heights, work)?;
        let finer = |field| catmull_rom_between(&field, around.region(), ground.region(), work);
        let bend = if with_bend { finer(bend)? } else { Heightfield::flat(ground.heights.grid(), 0.0) };
        Ok(Self { slope: finer(slope)?, bend })
    }

    /// What a step that goes by it must know of the land.
    pub(super) fn reach(domain: Domain) -> Reach {
        Reach::Near(APART * domain.cell())
    }

    /// The land that such a step looks at around a finer window.
    fn around(window: &Region) -> Result<Option<Needs>> {
        Needs::coarser(window, 0, APART, false)
    }

    /// The tangent of the slope at the samples of a row.
    pub(super) fn of_row(&self, row: usize) -> &[f32] {
        self.slope.row(row)
    }

    /// How far the land bends down from the samples of a row: on a straight crest the tangent of its sides,
    /// in a hollow below 0.
    pub(super) fn bend_of_row(&self, row: usize) -> &[f32] {
        self.bend.row(row)
    }
}

/// A filter that adds detail far below the land's own spacing, by how the land lies there.
pub(super) trait NearGround: Operation {
    /// Whether it goes by how the land bends, too.
    const GOES_BY_BEND: bool = false;

    /// The slopes on which it acts.
    ///
    /// # Errors
    /// When their limits are not possible.
    fn slopes(&self) -> Result<Slopes>;

    /// Whether there is anything of it at the distance between a region's samples.
    fn is_seen(&self, region: &Region, seed: u64) -> bool;

    /// Adds its detail, where it is seen, to land that lies so.
    ///
    /// # Errors
    /// As [`Operation::apply`].
    fn add(
        &self,
        field: &mut Heightfield,
        region: &Region,
        seed: u64,
        land: (&Lie, Slopes),
        work: &Work,
    ) -> Result<()>;
}

/// Changes a ground by such a step.
pub(super) fn apply<Step: NearGround>(
    step: &Step,
    ground: &mut Ground,
    seed: u64,
    work: &Work,
) -> Result<()> {
    let region = *ground.region();
    let slopes = step.slopes()?;
    if !step.is_seen(&region, seed) {
        return Ok(());
    }
    let lie = Lie::of(ground, Step::GOES_BY_BEND, work)?;
    step.add(&mut ground.heights, &region, seed, (&lie, slopes), work)
}

/// What such a step looks at: nothing where nothing of it is seen.
pub(super) fn looks_at(step: &impl NearGround, window: &Region, seed: u64) -> Result<Needs> {
    if !step.is_seen(window, seed) {
        return Ok(Needs::Halo(0));
    }
    Ok(Lie::around(window)?.unwrap_or(Needs::Halo(BESIDE)))
}

/// Height of noise that is seldom higher than 1 or lower than -1.
const NOISE: f32 = 4.0;

/// Slopes on which a step acts.
pub(in crate::steps::filter) struct Slopes {
    /// Tangents of the lower limit: where it begins to act, and from where it acts in full.
    lower: [f32; 2],
    /// Of the upper limit: up to where it acts in full, and where it ends.
    upper: [f32; 2],
}

impl Slopes {
    /// In degrees: it acts in full from `min` to `max` and fades over `release` beyond. 0° and 90° are no
    /// limits.
    ///
    /// # Errors
    /// When `min` is above `max`.
    pub(in crate::steps::filter) fn new(min: f32, max: f32, release: f32) -> Result<Self> {
        if min > max {
            let reason = format!("{min} is above `slope_max`, {max}; swap them");
            return Err(Error::parameter("slope_min", reason));
        }
        // A vertical slope has no tangent.
        let tangent = |degrees: f32| libm::tanf(degrees.clamp(0.0, 89.0).to_radians());
        let lower = if min > 0.0 { [tangent(min - release), tangent(min)] } else { [-1.0, -0.5] };
        let upper =
            if max < 89.0 { [tangent(max), tangent(max + release)] } else { [f32::MAX / 2.0, f32::MAX] };
        Ok(Self { lower, upper })
    }

    /// Noise to be added to the tangent of a slope, so that limits are where the slope is `degrees` more or
    /// less, in patches of so many metres.
    pub(in crate::steps::filter) fn roughened(
        &self,
        degrees: f32,
        patches: f32,
        region: &Region,
        seed: u64,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync + use<> {
        let limit = if self.lower[1] > 0.0 { self.lower[1] } else { self.upper[0].min(1.0) };
        let per_radian = 1.0 + limit * limit;
        let noise = Fbm {
            height: NOISE * per_radian * degrees.to_radians(),
            frequency: region.domain().unit() / patches,
            octaves: 4.0,
            hurst: 0.6,
            fade: true,
            ..Fbm::default()
        };
        noise.bands(*region, seed)
    }

    /// How much it acts where the tangent of the slope is this, from 0 to 1.
    #[inline]
    pub(in crate::steps::filter) fn share(&self, slope: f32) -> f32 {
        let [begin, full] = self.lower;
        if slope < full {
            return if slope <= begin { 0.0 } else { (slope - begin) / (full - begin) };
        }
        let [full, end] = self.upper;
        if slope > full {
            return if slope >= end { 0.0 } else { (end - slope) / (end - full) };
        }
        1.0
    }
}

/// A lattice of squares, turned so that neither its lines nor those of others show.
pub(super) struct Squares {
    per_side: f64,
    /// Cosine and sine of the angle by which it is turned.
    turn: [f64; 2],
    origin: [f64; 2],
}

/// A point on a lattice: its square, and the place within, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) square: [i64; 2],
    pub(super) along: [f32; 2],
}

impl Squares {
    /// Squares with sides of so many metres, turned by `angle` in radians.
    pub(super) fn new(side: f64, angle: f64, seed: u64) -> Self {
        let begin = |number: u64| (mix(stream(seed, number)) >> 11) as f64 / (1u64 << 53) as f64;
        Self {
            per_side: 1.0 / side,
            turn: [libm::cos(angle), libm::sin(angle)],
            origin: [begin(1), begin(2)],
        }
    }

    /// The position of a point, given in metres, in sides of a square.
    #[inline]
    pub(super) fn position(&self, x: f64, z: f64) -> [f64; 2] {
        let [cosine, sine] = self.turn;
        let [east, south] = self.origin;
        [(x * cosine + z * sine) * self.per_side + east, (z * cosine - x * sine) * self.per_side + south]
    }
}

impl Place {
    #[inline]
    pub(super) fn new(position: [f64; 2]) -> Self {
        let square = position.map(floor);
        let along = [0, 1].map(|axis| (position[axis] - square[axis] as f64) as f32);
        Self { square, along }
    }
}

/// The largest whole number that is not larger.
#[inline]
pub(super) fn floor(value: f64) -> i64 {
    let whole = value as i64;
    whole.saturating_sub(i64::from(whole as f64 > value))
}

/// How much of a feature of this length is left at a region's spacing: it fades from four samples to two.
pub(super) fn left(length: f32, region: &Region) -> f32 {
    crate::math::smoothstep::smoothstep((length / region.grid().cell - 2.0) / 2.0)
}

/// A number from 0 to 1 from 16 of a hash's bits.
#[inline]
pub(super) fn unit(bits: u64, number: u32) -> f32 {
    f32::from((bits >> (16 * number)) as u16) * (1.0 / 65_535.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Window;

    #[test]
    fn a_slope_is_full_between_its_limits_and_fades_beyond() -> Result<()> {
        let share = |slopes: &Slopes, degrees: f32| slopes.share(libm::tanf(degrees.to_radians()));
        let slopes = Slopes::new(30.0, 50.0, 10.0)?;
        assert_eq!(
            [0.0, 19.9, 30.1, 49.9, 60.1, 85.0].map(|at| share(&slopes, at)),
            [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
        );
        assert!((0.3..0.6).contains(&share(&slopes, 25.0)) && (0.3..0.6).contains(&share(&slopes, 55.0)));
        let all = Slopes::new(0.0, 90.0, 0.0)?;
        assert_eq!([0.0, 45.0, 89.9].map(|at| share(&all, at)), [1.0; 3]);
        let sharp = Slopes::new(20.0, 20.0, 0.0)?;
        assert_eq!([19.0, 21.0].map(|at| share(&sharp, at)), [0.0; 2]);
        let said = Slopes::new(9.0, 3.0, 0.0).err().map(|error| error.to_string());
        assert_eq!(said.as_deref(), Some("slope_min: 9 is above `slope_max`, 3; swap them"));
        Ok(())
    }

    #[test]
    fn the_slope_between_the_samples_of_a_plane_is_that_of_the_plane() -> Result<()> {
        let plane = |grid: Grid, x: f32, z: f32| {
            Heightfield::from_fn(grid, move |column, row| {
                0.3 * (x + grid.cell * column as f32) - 0.4 * (z + grid.cell * row as f32)
            })
        };
        let domain = Domain::endless(10.0, 1000.0)?;
        let region = domain.region(Window { level: -3, first: [40, 80], size: [30, 20] })?;
        let around = Lie::around(&region)?
            .and_then(|needs| needs.context())
            .ok_or_else(|| Error::parameter("window", "is not finer"))?;
        let land = plane(around.grid(), 10.0 * around.column(0) as f32, 10.0 * around.row(0) as f32);
        let ground = Ground::level_in(region).with_context(Some(Ground::level_in(around).with_heights(land)));
        let lie = Lie::of(&ground, true, &Work::new())?;
        for row in 0..20 {
            assert!(lie.of_row(row).iter().all(|slope| (slope - 0.5).abs() < 1e-3), "row {row}");
            assert!(lie.bend_of_row(row).iter().all(|bend| bend.abs() < 1e-3), "row {row}");
        }
        Ok(())
    }

    #[test]
    fn floors_are_floors() {
        let values = [-2.0, -1.5, -0.1, 0.0, 0.9, 3.0, 1e15];
        assert_eq!(values.map(floor), values.map(|value: f64| value.floor() as i64));
    }
}
