//! Two lands side by side: their measures, and the distance in each.

use std::fmt;

use serde::Serialize;

use super::resampled::coarsened;
use super::signature::Signature;
use crate::analysis::geomorphons::LandForm;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// The measures of two lands, and how far apart they are in each.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Their names.
    pub names: [String; 2],
    /// Their measures at the wider of their two spacings.
    pub signatures: [Signature; 2],
    /// The measures of the second land's quarters, if all four can be measured.
    pub quarters: Option<[Signature; 4]>,
}

/// A measure of two lands and the distance between them in it. Distances are 0 for lands that are alike in
/// it, and the same from one to the other and back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// What is compared.
    pub name: &'static str,
    /// Which number of each land is given.
    pub number: &'static str,
    /// This number of both lands, if they have it.
    pub values: [Option<f64>; 2],
    /// The unit of the numbers; empty for plain ones.
    pub unit: &'static str,
    /// The distance, if both have it.
    pub distance: Option<f64>,
    /// The unit of the distance.
    pub distance_unit: &'static str,
    /// The mean distance between two quarters of the second land: what a distance of one kind of land from
    /// itself is.
    pub within: Option<f64>,
}

/// Compares two lands at the wider of the spacings of their samples: the finer one is averaged to it.
/// They needn't have the same size, nor lie in the same place. `seas` are the heights of their seas, if they
/// have one.
///
/// # Errors
/// As those of [`Signature::of`], with the name of the land.
pub fn compare(lands: [(&str, &Heightfield); 2], seas: [Option<f32>; 2], work: &Work) -> Result<Comparison> {
    let cell = lands[0].1.grid().cell.max(lands[1].1.grid().cell);
    let named = |index: usize, error: Error| match error {
        Error::Parameter { name, reason } => Error::parameter(format!("{}: {name}", lands[index].0), reason),
        Error::Size { width, depth, reason } => {
            Error::Size { width, depth, reason: format!("of {} {reason}", lands[index].0) }
        }
        other => other,
    };
    let coarse = |index: usize| {
        let (_, land) = lands[index];
        if !land.is_finite_while(work)? {
            return Err(named(index, holes()));
        }
        coarsened(land, cell, work)
    };
    let coarse = [coarse(0)?, coarse(1)?];
    let signature =
        |index: usize| Signature::of(&coarse[index], seas[index], work).map_err(|error| named(index, error));
    let signatures = [signature(0)?, signature(1)?];
    let quarters = quarters_of(&coarse[1], seas[1], work)?;
    Ok(Comparison { names: lands.map(|(name, _)| name.to_owned()), signatures, quarters })
}

/// The signatures of the four quarters of a land; `None` if one of them is too small, or has nothing to
/// measure.
fn quarters_of(land: &Heightfield, sea: Option<f32>, work: &Work) -> Result<Option<[Signature; 4]>> {
    let Grid { width, depth, cell } = land.grid();
    let (columns, rows) = (width / 2, depth / 2);
    let Ok(grid) = Grid::new(columns, rows, cell) else { return Ok(None) };
    let mut quarters = Vec::new();
    for (west, north) in [(0, 0), (width - columns, 0), (0, depth - rows), (width - columns, depth - rows)] {
        let quarter = Heightfield::from_fn(grid, |column, row| land.at(west + column, north + row));
        match Signature::of(&quarter, sea, work) {
            Ok(signature) => quarters.push(signature),
            Err(Error::Parameter { .. } | Error::Size { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(<[Signature; 4]>::try_from(quarters).ok())
}

/// The distances of all measures, in their order.
fn distances(a: &Signature, b: &Signature) -> [Option<f64>; 8] {
    [
        Some(a.slope.distance(&b.slope)),
        Some(a.profile_curvature.distance(&b.profile_curvature)),
        Some(a.tangential_curvature.distance(&b.tangential_curvature)),
        Some(100.0 * total_variation(&a.forms, &b.forms)),
        decibels(&a.spectrum, &b.spectrum),
        a.beta.zip(b.beta).map(|(a, b)| (a - b).abs()),
        Some(100.0 * a.hypsometry.distance(&b.hypsometry)),
        Some((a.drainage_density - b.drainage_density).abs()),
    ]
}

/// A measure: its name, the number of each land and its unit, and the unit of the distance.
type Row = (&'static str, &'static str, fn(&Signature) -> Option<f64>, &'static str, &'static str);

/// All measures, in their order.
const ROWS: [Row; 8] = [
    ("slope", "mean", |land| Some(land.slope.mean()), "°", "°"),
    ("profile curvature", "mean size", |land| Some(land.profile_curvature.mean_size()), "1/km", "1/km"),
    ("tangential curvature", "mean size", |land| Some(land.tangential_curvature.mean_size()), "1/km", "1/km"),
    ("geomorphons", "even slopes", |land| Some(100.0 * land.forms[LandForm::Slope as usize]), "%", "%"),
    ("spectrum", "standard deviation", |land| Some(land.deviation), "m", "dB"),
    ("spectral exponent", "β", |land| land.beta, "", ""),
    ("hypsometry", "integral", |land| Some(100.0 * land.hypsometry.mean()), "%", "%"),
    ("drainage density", "", |land| Some(land.drainage_density), "km/km²", "km/km²"),
];

impl Comparison {
    /// All measures.
    pub fn measures(&self) -> Vec<Measure> {
        let [a, b] = &self.signatures;
        let within = self.within();
        let measure = |(index, row): (usize, &Row)| {
            let (name, number, of, unit, distance_unit) = *row;
            let distance = distances(a, b)[index];
            Measure {
                name,
                number,
                values: [of(a), of(b)],
                unit,
                distance,
                distance_unit,
                within: within[index],
            }
        };
        ROWS.iter().enumerate().map(measure).collect()
    }

    /// The same comparison with another land in place of the first, averaged to the same spacing if its
    /// samples lie nearer together.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn with_first(
        &self,
        (name, land): (&str, &Heightfield),
        sea: Option<f32>,
        work: &Work,
    ) -> Result<Self> {
        let land = coarsened(land, self.signatures[1].cell, work)?;
        let signatures = [Signature::of(&land, sea, work)?, self.signatures[1].clone()];
        let names = [name.to_owned(), self.names[1].clone()];
        Ok(Self { names, signatures, quarters: self.quarters.clone() })
    }

    /// The distance in the measure called `name`.
    pub fn distance(&self, name: &str) -> Option<f64> {
        self.measures().into_iter().find(|measure| measure.name == name)?.distance
    }

    /// The mean distances between two quarters of the second land.
    fn within(&self) -> [Option<f64>; 8] {
        let mut means = [None; 8];
        let Some(quarters) = &self.quarters else { return means };
        for (index, mean) in means.iter_mut().enumerate() {
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            let all: Option<Vec<f64>> =
                pairs.map(|(a, b)| distances(&quarters[a], &quarters[b])[index]).collect();
            *mean = all.map(|all| all.iter().sum::<f64>() / all.len() as f64);
        }
        means
    }

    /// The comparison as JSON: the names, the spacing, all measures and the shares of the forms of ground.
    ///
    /// # Errors
    /// Never with numbers that were measured, which are finite.
    pub fn to_json(&self) -> Result<String> {
        let form = |form: LandForm| {
            let shares = self.signatures.each_ref().map(|land| land.forms[form as usize]);
            serde_json::json!({ "name": form.name(), "shares": shares })
        };
        let all = serde_json::json!({
            "lands": self.names,
            "cell": self.signatures[0].cell,
            "measures": self.measures(),
            "geomorphons": LandForm::ALL.map(form),
        });
        let text = serde_json::to_string_pretty(&all);
        text.map(|text| text + "\n")
            .map_err(|error| Error::parameter("json", format!("cannot be written: {error}")))
    }
}

impl Measure {
    /// Its name, the numbers of both lands, the distance, and the distance within the second land, with three
    /// digits and units; a dash for what couldn't be measured.
    pub fn in_words(&self) -> [String; 5] {
        let with_unit = |value: Option<f64>, unit: &str| match (value, unit) {
            (None, _) => "–".to_owned(),
            (Some(value), "" | "°") => format!("{}{unit}", digits(value)),
            (Some(value), unit) => format!("{} {unit}", digits(value)),
        };
        let name = match self.number {
            "" => self.name.to_owned(),
            number => format!("{} ({number})", self.name),
        };
        let [one, other] = self.values.map(|value| with_unit(value, self.unit));
        let [distance, within] =
            [self.distance, self.within].map(|value| with_unit(value, self.distance_unit));
        [name, one, other, distance, within]
    }
}

/// A table for people: a line for each measure, with the number of each land, their distance, and the
/// distance within the second land.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["", &self.names[0], &self.names[1], "distance", "within"].map(str::to_owned);
        let mut lines = vec![head];
        lines.extend(self.measures().iter().map(Measure::in_words));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3, 4].map(width);
        for [name, rest @ ..] in &lines {
            write!(f, "{name:0$}", widths[0])?;
            for (text, width) in rest.iter().zip(&widths[1..]) {
                write!(f, "  {text:>width$}")?;
            }
            writeln!(f)?;
        }
        write!(
            f,
            "Samples {} m apart. Distances of 0: alike in this. `within`: how far apart quarters of {} are.",
            self.signatures[0].cell, self.names[1]
        )
    }
}

/// The error for land with heights that are not finite.
fn holes() -> Error {
    Error::parameter("heights", "some are holes without a height; fill them first")
}

/// A number with three digits.
fn digits(value: f64) -> String {
    let before_point = if value == 0.0 { 0.0 } else { libm::floor(libm::log10(value.abs())) };
    format!("{value:.*}", (2.0 - before_point).clamp(0.0, 4.0) as usize).replace('-', "−")
}

/// The total variation distance of two lists of shares: the share of the land that has another form.
fn total_variation(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// The mean difference of power in decibels over the wavelengths that both have; `None` if there are none.
fn decibels(one: &[[f64; 2]], other: &[[f64; 2]]) -> Option<f64> {
    // Both are sorted, and the same band has the same bits.
    let shared = one.iter().filter_map(|[wavelength, power]| {
        let same = other.iter().find(|band| band[0] == *wavelength)?;
        Some(10.0 * (libm::log10(*power) - libm::log10(same[1])).abs())
    });
    let (count, sum) = shared.fold((0.0, 0.0), |(count, sum), one| (count + 1.0, sum + one));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_the_power_is_ten_decibels_where_both_have_waves() {
        let one = [[100.0, 5.0], [200.0, 40.0], [400.0, 7.0]];
        let other = [[200.0, 400.0], [400.0, 70.0], [800.0, 1.0]];
        assert!((decibels(&one, &other).unwrap() - 10.0).abs() < 1e-12);
        assert_eq!(decibels(&one[..1], &other), None);
    }

    #[test]
    fn shares_that_have_nothing_in_common_are_one_apart() {
        assert_eq!(total_variation(&[1.0, 0.0], &[0.0, 1.0]), 1.0);
        assert_eq!(total_variation(&[0.5, 0.25, 0.25], &[0.25, 0.5, 0.25]), 0.25);
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([12.345, 0.0, -0.01234, 1234.5].map(digits), ["12.3", "0.00", "−0.0123", "1234"]);
    }
}
