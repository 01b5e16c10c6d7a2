//! A comparison as a page of six plots.

use std::io::Write;
use std::path::Path;

use super::comparison::{Comparison, Measure};
use super::distribution::Distribution;
use super::signature::Signature;
use crate::analysis::geomorphons::LandForm;
use crate::analysis::plots::{Axis, Note, Plot, Scale, Series, SeriesKind, sheet};
use crate::error::{Error, Result};
use crate::files::replace_file;

/// The comparison as an SVG: slopes, curvatures, geomorphons, spectra, hypsometric curves and drainage
/// densities of both lands, each with its distance, two plots side by side. Where a plot shows how much of a
/// land lies below a value, the area between the two curves is the distance.
pub fn page(comparison: &Comparison) -> String {
    let [first, second] = &comparison.names;
    sheet(&format!("{first} and {second}"), &comparison.plots())
}

/// Refuses a name that isn't one of a page: pages are written as .svg.
///
/// # Errors
/// [`Error::File`] for another extension.
pub fn check_page(path: &Path) -> Result<()> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return Ok(());
    }
    Err(Error::file(path, "the page of plots is written as .svg; give it this extension"))
}

/// Writes a comparison as a page to a .svg file, which is replaced as a whole.
///
/// # Errors
/// As [`check_page`], and when the file cannot be written.
pub fn write_page(path: impl AsRef<Path>, comparison: &Comparison) -> Result<()> {
    let path = path.as_ref();
    check_page(path)?;
    let text = page(comparison);
    replace_file(path, |file| {
        file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}

impl Comparison {
    /// The six plots of its page: slopes, curvatures, geomorphons, spectra, hypsometric curves and drainage
    /// densities, each with a series of either land, and with its distances as notes.
    pub fn plots(&self) -> [Plot; 6] {
        let measures = self.measures();
        let plot = |title: &str, x: Axis, y: Axis, names: &[&str]| Plot {
            title: title.to_owned(),
            x,
            y,
            series: Vec::new(),
            notes: measures.iter().filter(|measure| names.contains(&measure.name)).flat_map(notes).collect(),
            remarks: Vec::new(),
        };
        let share = || axis("share of the land below", "%", Scale::Linear);
        let cumulative = |of: fn(&Signature) -> &Distribution| {
            move |land: &Signature| -> Vec<[f64; 2]> {
                of(land).points().map(|[value, share]| [value, 100.0 * share]).collect()
            }
        };
        let mut slopes = plot("Slopes", axis("slope", "°", Scale::Linear), share(), &["slope"]);
        add(&mut slopes, self, "", SeriesKind::Line, cumulative(|land| &land.slope));

        let mut curvatures = plot(
            "Curvatures",
            axis("curvature, positive where the ground bulges", "1/km", Scale::Linear),
            share(),
            &["profile curvature", "tangential curvature"],
        );
        // The tails are long and thin.
        let most =
            self.signatures.iter().flat_map(|land| [&land.profile_curvature, &land.tangential_curvature]);
        let most = most.flat_map(|of| [-of.quantile(0.02), of.quantile(0.98)]).fold(0.0, f64::max);
        let within = |points: Vec<[f64; 2]>| -> Vec<[f64; 2]> {
            points.into_iter().filter(|point| point[0].abs() <= most).collect()
        };
        let profile = cumulative(|land| &land.profile_curvature);
        add(&mut curvatures, self, ", profile", SeriesKind::Line, |land| within(profile(land)));
        let tangential = cumulative(|land| &land.tangential_curvature);
        add(&mut curvatures, self, ", tangential", SeriesKind::Dashes, |land| within(tangential(land)));

        let mut forms = plot(
            "Geomorphons",
            axis("form", "", Scale::Names(&LandForm::NAMES)),
            axis("share of the land", "%", Scale::Linear),
            &["geomorphons"],
        );
        for (index, (name, land)) in self.names.iter().zip(&self.signatures).enumerate() {
            // Side by side at each form.
            let beside = 0.79 + 0.42 * index as f64;
            let bar = |(form, share): (usize, &f64)| [form as f64 + beside, 100.0 * share];
            let points = land.forms.iter().enumerate().map(bar).collect();
            forms.series.push(Series { name: name.clone(), kind: SeriesKind::Bars { width: 0.4 }, points });
        }

        let mut waves = plot(
            "Power spectra",
            axis("wavelength", "m", Scale::Log),
            axis("power spectral density", "m⁴", Scale::Log),
            &["spectrum", "spectral exponent"],
        );
        add(&mut waves, self, "", SeriesKind::Line, |land| land.spectrum.clone());

        let mut hypsometry = plot(
            "Hypsometric curves",
            axis("share of the land below", "%", Scale::Linear),
            axis("height, from the lowest to the highest", "%", Scale::Linear),
            &["hypsometry"],
        );
        add(&mut hypsometry, self, "", SeriesKind::Line, |land| {
            land.hypsometry.points().map(|[height, share]| [100.0 * share, 100.0 * height]).collect()
        });

        let mut rivers = plot(
            "Drainage density",
            axis("rivers begin where area · slope² is", "m²", Scale::Log),
            axis("length of rivers", "km/km²", Scale::Linear),
            &["drainage density"],
        );
        add(&mut rivers, self, "", SeriesKind::Line, |land| land.drainage_densities.clone());
        [slopes, curvatures, forms, waves, hypsometry, rivers]
    }
}

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), unit: unit.to_owned(), scale }
}

/// A series of each land.
fn add(
    plot: &mut Plot,
    comparison: &Comparison,
    suffix: &str,
    kind: SeriesKind,
    points: impl Fn(&Signature) -> Vec<[f64; 2]>,
) {
    for (name, land) in comparison.names.iter().zip(&comparison.signatures) {
        plot.series.push(Series { name: format!("{name}{suffix}"), kind, points: points(land) });
    }
}

/// The distance in a measure, and what it is within the second land.
fn notes(measure: &Measure) -> impl Iterator<Item = Note> {
    let note = |name: &str, value: Option<f64>| {
        let (name, unit) = (format!("{name}, {}", measure.name), measure.distance_unit.to_owned());
        value.map(|value| Note { name, value: rounded(value), unit })
    };
    [note("distance", measure.distance), note("within", measure.within)].into_iter().flatten()
}

/// To three digits: more would say what measuring another part of the land would not.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
