//! Geomorphons: the ten most common forms of ground, told apart by what is seen from each sample.
//!
//! After Jasiewicz and Stepinski, "Geomorphons – a pattern recognition approach to classification and mapping
//! of landforms" (2013). From a sample eight lines of sight run along the axes and the diagonals. On each the
//! steepest way up and the steepest way down to any sample of the line decide whether the ground there is
//! higher, lower or level; how many of the eight are higher and how many lower names the form. What decides
//! is thus the size of the form itself, up to the length of the lines, and not a fixed window.

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::drainage::LEADS_TO;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, memory};
use crate::math::simd::{larger, smaller};

/// A form of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LandForm {
    /// Level ground.
    Flat,
    /// Higher than everything around.
    Peak,
    /// A crest, lower to both sides.
    Ridge,
    /// The upper edge of a slope, level above.
    Shoulder,
    /// A slope that bulges, between two hollows.
    Spur,
    /// An even slope, as high on one side as it is low on the other.
    Slope,
    /// A slope that is hollowed out, between two spurs.
    Hollow,
    /// The lower edge of a slope, level below.
    Footslope,
    /// A valley floor, higher to both sides.
    Valley,
    /// Lower than everything around.
    Pit,
}

/// The number of directions in which the ground is lower (rows) and higher (columns) gives the form. More
/// than eight together are impossible.
const FORMS: [[LandForm; 9]; 9] = {
    use LandForm::*;
    [
        [Flat, Flat, Flat, Footslope, Footslope, Valley, Valley, Valley, Pit],
        [Flat, Flat, Footslope, Footslope, Footslope, Valley, Valley, Valley, Flat],
        [Flat, Shoulder, Slope, Slope, Hollow, Hollow, Valley, Flat, Flat],
        [Shoulder, Shoulder, Slope, Slope, Slope, Hollow, Flat, Flat, Flat],
        [Shoulder, Shoulder, Spur, Slope, Slope, Flat, Flat, Flat, Flat],
        [Ridge, Ridge, Spur, Spur, Flat, Flat, Flat, Flat, Flat],
        [Ridge, Ridge, Ridge, Flat, Flat, Flat, Flat, Flat, Flat],
        [Ridge, Ridge, Flat, Flat, Flat, Flat, Flat, Flat, Flat],
        [Peak, Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat],
    ]
};

impl LandForm {
    /// All forms, from level ground and high forms to low ones.
    pub const ALL: [Self; 10] = {
        use LandForm::*;
        [Flat, Peak, Ridge, Shoulder, Spur, Slope, Hollow, Footslope, Valley, Pit]
    };

    /// Their names, in the same order.
    pub const NAMES: [&'static str; 10] =
        ["flat", "peak", "ridge", "shoulder", "spur", "slope", "hollow", "footslope", "valley", "pit"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The form of the same ground turned upside down.
    #[must_use]
    pub fn turned_over(self) -> Self {
        match self {
            Self::Flat => Self::Flat,
            Self::Peak => Self::Pit,
            Self::Ridge => Self::Valley,
            Self::Shoulder => Self::Footslope,
            Self::Spur => Self::Hollow,
            Self::Slope => Self::Slope,
            Self::Hollow => Self::Spur,
            Self::Footslope => Self::Shoulder,
            Self::Valley => Self::Ridge,
            Self::Pit => Self::Peak,
        }
    }
}

/// How forms are told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomorphonOptions {
    /// Samples of each line of sight, 1 to 1000: how large a form can be.
    pub search: usize,
    /// A line on which the steepest ways up and down differ by no more than this is level, degrees, 0 to 45.
    pub flatness: f64,
}

impl Default for GeomorphonOptions {
    fn default() -> Self {
        Self { search: 30, flatness: 1.0 }
    }
}

/// The form of the ground at every sample, row by row.
///
/// On each line the angle of the steepest way up and that of the steepest way down, negative where it falls,
/// are added: the ground there is higher if the sum is above the flatness, and lower if it is below its
/// negative. Lines have the same number of samples in all directions, so diagonals look farther. A line ends
/// at the border of the land; a direction without any sample counts as level. Samples whose heights are not
/// finite are flat.
///
/// Off the border the forms are those of Whitebox Workflows 2.0.6, which takes lines that reach the border
/// for level.
///
/// ```
/// # use upland_core as upland;
/// use upland::geomorphons::{GeomorphonOptions, LandForm, geomorphons};
///
/// let grid = upland::Grid::new(41, 41, 10.0)?;
/// let cone = upland::Heightfield::from_fn(grid, |column, row| {
///     -3.0 * (column as f32 - 20.0).hypot(row as f32 - 20.0)
/// });
/// let forms = geomorphons(&cone, &GeomorphonOptions::default(), &upland::Work::new())?;
/// assert_eq!(forms[20 * 41 + 20], LandForm::Peak);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When an option is outside its range; [`Error::Size`] if there is too little memory, and
/// [`Error::Cancelled`].
pub fn geomorphons(field: &Heightfield, options: &GeomorphonOptions, work: &Work) -> Result<Vec<LandForm>> {
    let GeomorphonOptions { search, flatness } = *options;
    if !(1..=1000).contains(&search) {
        return Err(Error::parameter("search", format!("{search} is outside 1 to 1000 samples")));
    }
    if !(0.0..=45.0).contains(&flatness) {
        return Err(Error::parameter("flatness", format!("{flatness} is outside 0 to 45°")));
    }
    let grid = field.grid();
    memory::require(grid, grid.count() as u64)?;
    let flatness = libm::tan(flatness.to_radians()) as f32;
    let lines = LEADS_TO.map(|(columns, rows)| {
        let is_diagonal = columns != 0 && rows != 0;
        let step = if is_diagonal { std::f32::consts::SQRT_2 } else { 1.0 };
        Line { columns, rows, step: grid.cell * step }
    });
    let mut forms = vec![LandForm::Flat; grid.count()];
    work.stage("geomorphons", grid.depth);
    forms.par_chunks_mut(grid.width).enumerate().try_for_each(|(row, forms)| {
        work.check()?;
        in_wide_registers(Sight { field, row, lines: &lines, search, flatness, forms });
        work.advance(1);
        Ok::<_, Error>(())
    })?;
    Ok(forms)
}

/// Samples of a row that are looked at together: their slopes stay in registers.
const LANES: usize = 32;

/// The lines of sight in one direction.
struct Line {
    columns: isize,
    rows: isize,
    /// From sample to sample, metres.
    step: f32,
}

/// All lines of sight from a row.
struct Sight<'a> {
    field: &'a Heightfield,
    row: usize,
    lines: &'a [Line; 8],
    search: usize,
    /// The tangent of the flatness.
    flatness: f32,
    /// The forms of its samples.
    forms: &'a mut [LandForm],
}

impl Loop for Sight<'_> {
    type Done = ();

    #[inline(always)]
    fn run(mut self) {
        let all = std::mem::take(&mut self.forms);
        for (block, forms) in all.chunks_mut(LANES).enumerate() {
            let (mut lower, mut higher) = ([0_u32; LANES], [0_u32; LANES]);
            for line in self.lines {
                let (up, down) = self.steepest(line, block * LANES, forms.len());
                for lane in 0..LANES {
                    // tan (a + b) = (tan a + tan b) / (1 − tan a · tan b); the sum of two steep ways up or
                    // down is more than a right angle, where the divisor is negative. Without any sample the
                    // sum is −∞ + ∞, which is neither.
                    let sum = up[lane] + down[lane];
                    let level = self.flatness * larger(1.0 - up[lane] * down[lane], 0.0);
                    lower[lane] += u32::from(sum < -level);
                    higher[lane] += u32::from(sum > level);
                }
            }
            for ((form, lower), higher) in forms.iter_mut().zip(lower).zip(higher) {
                *form = FORMS[lower as usize][higher as usize];
            }
        }
    }
}

impl Sight<'_> {
    /// The steepest ways up and down along a line from each of `count` samples, metres a metre.
    #[inline(always)]
    fn steepest(&self, line: &Line, first: usize, count: usize) -> ([f32; LANES], [f32; LANES]) {
        let (mut up, mut down) = ([f32::NEG_INFINITY; LANES], [f32::INFINITY; LANES]);
        let grid = self.field.grid();
        let here = &self.field.row(self.row)[first..first + count];
        // Steps to the border of the land.
        let room = |way: isize, before: usize, count: usize| match way {
            -1 => before,
            0 => usize::MAX,
            _ => count - 1 - before,
        };
        let most = self.search.min(room(line.rows, self.row, grid.depth));
        let there = |step: usize| self.field.row(self.row.wrapping_add_signed(line.rows * step as isize));
        let room_of = |column: usize| room(line.columns, column, grid.width);
        let mut done = 0;
        if let Ok(here) = <&[f32; LANES]>::try_from(here) {
            done = most.min(room_of(first)).min(room_of(first + LANES - 1));
            for step in 1..=done {
                let inverse = 1.0 / (step as f32 * line.step);
                let from = first.wrapping_add_signed(line.columns * step as isize);
                let there = &there(step)[from..][..LANES];
                for lane in 0..LANES {
                    let slope = (there[lane] - here[lane]) * inverse;
                    up[lane] = larger(slope, up[lane]);
                    down[lane] = smaller(slope, down[lane]);
                }
            }
        }
        // At the borders, sample by sample.
        for (lane, here) in here.iter().enumerate() {
            for step in done + 1..=most.min(room_of(first + lane)) {
                let column = (first + lane).wrapping_add_signed(line.columns * step as isize);
                let slope = (there(step)[column] - here) * (1.0 / (step as f32 * line.step));
                up[lane] = larger(slope, up[lane]);
                down[lane] = smaller(slope, down[lane]);
            }
        }
        (up, down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn forms(field: &Heightfield) -> Vec<LandForm> {
        geomorphons(field, &GeomorphonOptions::default(), &Work::new()).unwrap()
    }

    /// Heights without any order, in a range of 20 m.
    fn rough(width: usize, depth: usize) -> Heightfield {
        Heightfield::from_fn(Grid::new(width, depth, 10.0).unwrap(), |column, row| {
            let bits = (column * 7919 + row * 104_729) as u32;
            (bits.wrapping_mul(0x2C1B_3C6D) >> 12) as f32 / 52_429.0 + (column as f32 * 0.11).sin() * 30.0
        })
    }

    #[test]
    fn turned_over_each_form_becomes_its_opposite() {
        let land = rough(131, 77);
        let over = Heightfield::from_fn(land.grid(), |column, row| -land.at(column, row));
        for (form, over) in forms(&land).into_iter().zip(forms(&over)) {
            assert_eq!(form.turned_over(), over);
        }
        for (lower, row) in FORMS.iter().enumerate() {
            for (higher, form) in row.iter().enumerate().take(9 - lower) {
                assert_eq!(form.turned_over(), FORMS[higher][lower], "{lower} lower, {higher} higher");
            }
        }
    }

    #[test]
    fn a_quarter_turn_turns_the_forms() {
        let land = rough(90, 61);
        let turned =
            Heightfield::from_fn(Grid::new(61, 90, 10.0).unwrap(), |column, row| land.at(row, 60 - column));
        let (forms, of_turned) = (forms(&land), forms(&turned));
        for row in 0..90 {
            for column in 0..61 {
                assert_eq!(of_turned[row * 61 + column], forms[(60 - column) * 90 + row]);
            }
        }
    }

    #[test]
    fn simple_ground_has_the_form_that_its_name_says() {
        let form = |height: &(dyn Fn(f32, f32) -> f32 + Sync)| {
            let land = Heightfield::from_fn(Grid::new(81, 81, 10.0).unwrap(), |column, row| {
                height(10.0 * (column as f32 - 40.0), 10.0 * (row as f32 - 40.0))
            });
            forms(&land)[40 * 81 + 40]
        };
        assert_eq!(form(&|_, _| 7.0), LandForm::Flat);
        assert_eq!(form(&|x, z| 0.02 * x - 0.002 * z), LandForm::Slope, "1.1° up and 1.1° down");
        assert_eq!(form(&|x, z| 0.004 * (x + z)), LandForm::Flat);
        assert_eq!(form(&|x, z| 0.5 * x + 0.3 * z), LandForm::Slope);
        assert_eq!(form(&|x, z| -x.hypot(z)), LandForm::Peak);
        assert_eq!(form(&|x, z| x.hypot(z)), LandForm::Pit);
        assert_eq!(form(&|x, _| -x.abs()), LandForm::Ridge);
        assert_eq!(form(&|_, z| z.abs()), LandForm::Valley);
        assert_eq!(form(&|x, _| -0.4 * x.max(0.0)), LandForm::Shoulder);
        assert_eq!(form(&|x, _| 0.4 * x.max(0.0)), LandForm::Footslope);
        assert_eq!(form(&|x, z| -0.2 * z.abs() + 0.3 * x), LandForm::Spur);
        assert_eq!(form(&|x, z| 0.2 * z.abs() + 0.3 * x), LandForm::Hollow);
    }

    /// The walls of a pit are far steeper than 45°: the sum of both angles is more than a right angle.
    #[test]
    fn steep_walls_are_higher_and_not_lower() {
        let shaft = Heightfield::from_fn(Grid::new(9, 9, 1.0).unwrap(), |column, row| {
            if (column, row) == (4, 4) { 0.0 } else { 1e4 }
        });
        assert_eq!(forms(&shaft)[40], LandForm::Pit);
        let tower = Heightfield::from_fn(shaft.grid(), |column, row| -shaft.at(column, row));
        assert_eq!(forms(&tower)[40], LandForm::Peak);
    }

    #[test]
    fn no_line_of_sight_looks_farther_than_it_may() {
        let near = rough(90, 90);
        let mut far = near.clone();
        far.heights_mut()[45 * 90 + 45] += 500.0;
        let options = GeomorphonOptions { search: 12, ..GeomorphonOptions::default() };
        let [near, far] = [near, far].map(|land| geomorphons(&land, &options, &Work::new()).unwrap());
        for (index, (near, far)) in near.iter().zip(&far).enumerate() {
            let away = (index % 90).abs_diff(45).max((index / 90).abs_diff(45));
            assert!(near == far || away <= 12, "{away} samples away");
        }
        assert_ne!(near, far);
    }

    #[test]
    fn any_size_has_forms_and_options_out_of_range_are_refused() {
        for (width, depth) in [(1, 1), (1, 7), (33, 1), (32, 2), (65, 31)] {
            assert_eq!(forms(&rough(width, depth)).len(), width * depth);
        }
        assert_eq!(forms(&rough(1, 1)), [LandForm::Flat]);
        for options in [
            GeomorphonOptions { search: 0, flatness: 1.0 },
            GeomorphonOptions { search: 1001, flatness: 1.0 },
            GeomorphonOptions { search: 30, flatness: 46.0 },
            GeomorphonOptions { search: 30, flatness: f64::NAN },
        ] {
            let error = geomorphons(&rough(5, 5), &options, &Work::new()).unwrap_err();
            assert!(error.to_string().contains("is outside"), "{error}");
        }
    }
}
