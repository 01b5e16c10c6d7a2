//! What is measured of a land to compare it with another.

use rayon::prelude::*;

use super::curvature::slope_and_curvatures;
use super::distribution::Distribution;
use crate::analysis::geomorphons::{GeomorphonOptions, LandForm, geomorphons};
use crate::analysis::plots::spectrum;
use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules};
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// Samples that a side needs.
const FEWEST: usize = 32;
/// Samples above the sea that a land needs.
const FEWEST_DRY: usize = 500;

/// Bands of wavelengths for each factor of two.
const BANDS_AN_OCTAVE: f64 = 2.0;
/// The exponent by which power is levelled within a band: the middle of what real land has.
const LEVELLED: f64 = 3.0;

/// Where a river begins: its area times the square of its slope is at least this, m².
pub(super) const CHANNEL: f64 = 4000.0;
/// Other such limits, of which the density is drawn: powers of two from here on, m².
const FIRST_LIMIT: f64 = 250.0;
const LIMITS: i32 = 9;
/// Samples that drain to the beginning of a river at least.
const CHANNEL_SAMPLES: u32 = 8;

/// The measures of a land. All are shares or densities, so that they don't depend on how large it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The spacing of samples at which it was measured, metres.
    pub cell: f32,
    /// Slopes, degrees.
    pub slope: Distribution,
    /// Curvatures along the steepest way down, 1/km, positive where the ground bulges.
    pub profile_curvature: Distribution,
    /// Curvatures across it.
    pub tangential_curvature: Distribution,
    /// Shares of the ten forms of ground, in the order of [`LandForm::ALL`]; their sum is 1.
    pub forms: [f64; 10],
    /// Wavelengths in metres, two in each octave, and the power spectral density there in m⁴, from the
    /// shortest on.
    pub spectrum: Vec<[f64; 2]>,
    /// The exponent β of the spectrum, if it has one.
    pub beta: Option<f64>,
    /// The standard deviation of heights less their mean plane, metres. It grows with the size of a land.
    pub deviation: f64,
    /// Heights as shares of the way from the lowest to the highest.
    pub hypsometry: Distribution,
    /// The length of rivers in km for each km² of land, where a river begins as soon as its area times the
    /// square of its slope is 4000 m².
    pub drainage_density: f64,
    /// The same with other limits, in m², in place of 4000 m².
    pub drainage_densities: Vec<[f64; 2]>,
}

impl Signature {
    /// Measures a land at the spacing of its samples. Ground that isn't higher than `sea`, if there is one,
    /// is left out of everything but the spectrum, in which it is level.
    ///
    /// # Errors
    /// When a height isn't finite, the land is level, has fewer than 32 samples on a side, or lies under the
    /// sea but for fewer than 500 samples; [`Error::Size`] if there is too little memory, and
    /// [`Error::Cancelled`].
    pub fn of(field: &Heightfield, sea: Option<f32>, work: &Work) -> Result<Self> {
        let grid = field.grid();
        if grid.width.min(grid.depth) < FEWEST {
            let reason = format!(
                "are too few to compare at a spacing of {} m, which needs {FEWEST} on each side; give a larger land",
                grid.cell
            );
            return Err(Error::Size { width: grid.width, depth: grid.depth, reason });
        }
        if !field.is_finite_while(work)? {
            return Err(Error::parameter("heights", "one is not a number of metres; give finite heights"));
        }
        let sea = sea.unwrap_or(f32::NEG_INFINITY);
        let dry = field.heights().par_iter().filter(|height| **height > sea).count();
        if dry < FEWEST_DRY {
            let reason = match dry {
                0 => format!("all of it lies under the sea, at or below {sea} m; give land above it"),
                _ => format!("only {dry} samples lie above the sea at {sea} m; {FEWEST_DRY} are needed"),
            };
            return Err(Error::parameter("heights", reason));
        }
        let (low, high) = field.range_while(work)?;
        if low.max(sea) >= high {
            let reason = format!("the land has no relief, all of it is at {high} m; give land with hills");
            return Err(Error::parameter("heights", reason));
        }
        let [slope, profile_curvature, tangential_curvature] = shapes(field, sea, work)?;
        let Waves { spectrum, beta, deviation } = spectrum_of(field, sea, work)?;
        let (drainage_density, drainage_densities) = densities(field, sea, dry, work)?;
        let dry_heights: Vec<f32> = field.heights().iter().copied().filter(|height| *height > sea).collect();
        let lowest = dry_heights.iter().copied().fold(f32::INFINITY, f32::min);
        let span = f64::from(high) - f64::from(lowest);
        let relative = |height: f32| ((f64::from(height) - f64::from(lowest)) / span) as f32;
        let hypsometry =
            if span > 0.0 { Distribution::of(dry_heights.into_iter().map(relative).collect()) } else { None };
        let without =
            || Error::parameter("heights", "the land above the sea has no relief; give land with hills");
        Ok(Self {
            cell: grid.cell,
            slope,
            profile_curvature,
            tangential_curvature,
            forms: forms_of(field, sea, work)?,
            spectrum,
            beta,
            deviation,
            hypsometry: hypsometry.ok_or_else(without)?,
            drainage_density,
            drainage_densities,
        })
    }
}

/// The distributions of slope and of both curvatures, of samples that have eight dry neighbours.
fn shapes(field: &Heightfield, sea: f32, work: &Work) -> Result<[Distribution; 3]> {
    let Grid { width, depth, .. } = field.grid();
    work.stage("slopes and curvatures", depth - 2);
    let rows = (1..depth - 1).into_par_iter().map(|row| {
        work.check()?;
        let is_dry = |column: usize| {
            (row - 1..row + 2)
                .all(|row| field.row(row)[column - 1..column + 2].iter().all(|height| *height > sea))
        };
        let columns = (1..width - 1).filter(|column| is_dry(*column));
        let found: Vec<[f32; 3]> = columns.map(|column| slope_and_curvatures(field, column, row)).collect();
        work.advance(1);
        Ok(found)
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let mut all = [(); 3].map(|()| Vec::new());
    for found in rows.iter().flatten() {
        all.iter_mut().zip(found).for_each(|(all, value)| all.push(*value));
    }
    let [slope, along, across] = all.map(Distribution::of);
    let whole = slope.zip(along).zip(across).map(|((slope, along), across)| [slope, along, across]);
    whole.ok_or_else(|| Error::parameter("heights", "no sample above the sea has only such neighbours"))
}

/// The shares of the forms of ground above the sea.
fn forms_of(field: &Heightfield, sea: f32, work: &Work) -> Result<[f64; 10]> {
    let forms = geomorphons(field, &GeomorphonOptions::default(), work)?;
    let mut counts = [0_u64; LandForm::ALL.len()];
    for (form, height) in forms.iter().zip(field.heights()) {
        counts[*form as usize] += u64::from(*height > sea);
    }
    let all: u64 = counts.iter().sum();
    Ok(counts.map(|count| count as f64 / all as f64))
}

/// What the spectrum says.
struct Waves {
    spectrum: Vec<[f64; 2]>,
    beta: Option<f64>,
    deviation: f64,
}

/// The power in bands of wavelengths that are the same for all lands, β, and the standard deviation.
fn spectrum_of(field: &Heightfield, sea: f32, work: &Work) -> Result<Waves> {
    let is_wet = field.heights().par_iter().any(|height| *height < sea);
    let level =
        is_wet.then(|| Heightfield::from_fn(field.grid(), |column, row| field.at(column, row).max(sea)));
    let field = level.as_ref().unwrap_or(field);
    let plot = spectrum(field, None, work)?;
    let grid = field.grid();
    let cell = f64::from(grid.cell);
    let shorter = grid.width.min(grid.depth).min(crate::analysis::plots::MAX_TRANSFORMED) as f64 * cell;
    // Of longer waves there are too few to tell, shorter ones the averaging of samples has weakened.
    let (from, to) = (4.0 * cell, shorter / 4.0);
    let band = |wavelength: f64| (BANDS_AN_OCTAVE * libm::log2(wavelength)).round();
    let mut bands: Vec<(f64, f64, f64)> = Vec::new();
    // Frequencies rise, so wavelengths fall.
    for [frequency, power] in plot.series[0].points.iter().rev() {
        let wavelength = 1.0 / frequency;
        if !(from..=to).contains(&wavelength) {
            continue;
        }
        let number = band(wavelength);
        // Levelled to the middle of the band: it doesn't matter where in it the rings of a land lie.
        let middle = libm::exp2(number / BANDS_AN_OCTAVE);
        let levelled = libm::log(*power) - LEVELLED * libm::log(wavelength / middle);
        match bands.last_mut().filter(|band| band.0 == number) {
            Some((_, count, sum)) => (*count, *sum) = (*count + 1.0, *sum + levelled),
            None => bands.push((number, 1.0, levelled)),
        }
    }
    let point = |(number, count, sum): (f64, f64, f64)| {
        [libm::exp2(number / BANDS_AN_OCTAVE), libm::exp(sum / count)]
    };
    Ok(Waves {
        spectrum: bands.into_iter().map(point).collect(),
        beta: plot.value("exponent β"),
        deviation: plot.value("standard deviation").unwrap_or(0.0),
    })
}

/// The drainage density in km/km², and that with several limits.
///
/// Channels begin by A·S² after Montgomery and Dietrich, "Channel initiation and the problem of landscape
/// scale" (1992).
fn densities(field: &Heightfield, sea: f32, dry: usize, work: &Work) -> Result<(f64, Vec<[f64; 2]>)> {
    let drainage = Drainage::of(field, &DrainageRules { sea, ..DrainageRules::default() }, work)?;
    let cell = f64::from(field.grid().cell);
    let area = dry as f64 * cell * cell;
    let density = |limit: f64| {
        let begins = |sample: usize| {
            let slope = f64::from(drainage.slope(sample));
            let samples = drainage.areas()[sample];
            samples >= CHANNEL_SAMPLES
                && f64::from(samples) * cell * cell * slope * slope >= limit
                && !drainage.is_sea(sample)
        };
        // Metres of river for each m², of which 1000 are a km for each km².
        Ok::<_, Error>(1e3 * drainage.rivers(begins, work)?.length() / area)
    };
    let limit = |doublings: i32| FIRST_LIMIT * f64::from(1 << doublings);
    let several = (0..LIMITS).map(|index| Ok([limit(index), density(limit(index))?]));
    Ok((density(CHANNEL)?, several.collect::<Result<_>>()?))
}
