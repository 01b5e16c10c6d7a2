//! Plots of the land.

use std::fmt::Debug;
use std::hash::Hash;

use bevy_egui::egui::{self, Color32, RichText};
use egui_plot::{
    AxisHints, Bar, BarChart, GridInput, GridMark, HoverPosition, Legend, Line, LineStyle, PlotPoints,
    Points, Polygon, Text,
};

use crate::analysis::plots::{Axis, Plot, PlotFormat, PlotKind, Scale, Series, SeriesKind};
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::views::plots::Inside;

/// Colours that people with red-green colour blindness can tell apart too, after M. Okabe and K. Ito (2008),
/// each for dark and for light panels, as hexadecimal digits of red, green and blue.
const COLOURS: [[u32; 2]; 5] = [
    [0x56b4e9, 0x0072b2],
    [0xe69f00, 0xd55e00],
    [0x5fae6e, 0x009e73],
    [0xf0e442, 0x4a3c00],
    [0xcc79a7, 0xa8447c],
];

/// Names and descriptions of all kinds.
const KINDS: [(PlotKind, &str, &str); 15] = [
    (PlotKind::Heights, "Heights", "How much of the land lies at each height"),
    (
        PlotKind::Hypsometry,
        "Hypsometry",
        "The share of the land above each height: convex for young land, concave for old",
    ),
    (PlotKind::Slopes, "Slopes", "How much of the land has each slope"),
    (PlotKind::Aspects, "Aspects", "The directions that slopes face"),
    (PlotKind::SlopeRose, "Slope rose", "The steepness of the ground that faces each direction"),
    (
        PlotKind::Spectrum,
        "Spectrum",
        "The share of waves of each length in the relief; a straight line for a fractal",
    ),
    (
        PlotKind::Variogram,
        "Variogram",
        "How much heights differ at each distance; a straight line for a fractal",
    ),
    (
        PlotKind::SlopeArea,
        "Slope–area",
        "The steepness of rivers by the area that they drain; a straight line for eroded land",
    ),
    (PlotKind::Profile, "Profile", "Heights along a line"),
    (
        PlotKind::Geomorphons,
        "Geomorphons",
        "How much of the land has each of ten forms, such as ridge or valley",
    ),
    (
        PlotKind::LongProfile,
        "Long profile",
        "The largest river and its tributaries from the source to the end",
    ),
    (
        PlotKind::Chi,
        "Chi",
        "The heights of rivers over χ: a straight line for land in balance with its uplift",
    ),
    (
        PlotKind::Ksn,
        "Steepness",
        "How steep rivers are for the area that they drain: steep where uplift is fast",
    ),
    (PlotKind::Hack, "Hack's law", "The lengths of rivers by the area that they drain"),
    (PlotKind::Basins, "Basins", "The areas of basins by rank"),
];

/// Draws the plots. Returns the plot to write to a file, and its format.
pub(crate) fn show(ui: &mut egui::Ui, inside: &mut Inside) -> Option<(Plot, PlotFormat)> {
    let mut kept = None;
    ui.horizontal_wrapped(|ui| {
        for (kind, name, tip) in KINDS {
            ui.selectable_value(&mut inside.kind, kind, name).tip(tip);
        }
    });
    if inside.kind == PlotKind::Profile {
        ui.horizontal(|ui| {
            let tip = "Draw the line by two clicks on the land; without one, the profile runs from west to east across the middle";
            if ui.button("Draw a line").tip(tip).clicked() {
                inside.line.begin();
            }
            if inside.line.ends().is_some() && ui.button("Across the middle").clicked() {
                inside.line.clear();
            }
            ui.label(RichText::new(inside.line.hint()).color(style::quiet(ui)));
        });
    }
    ui.separator();
    match inside.plot() {
        None if inside.is_busy() => {
            ui.centered_and_justified(egui::Ui::spinner);
        }
        None => {
            ui.label(RichText::new("waiting for the land").color(style::quiet(ui)));
        }
        Some(Err(reason)) => {
            ui.label(RichText::new(reason).color(style::error(ui)));
        }
        Some(Ok(plot)) => {
            kept = chart(ui, plot, inside.kind, inside.is_current());
        }
    }
    kept
}

/// A plot with its notes, drawn under an id of its own. Returns it, if it is to be written to a file, and the
/// format; one that is not current must not be.
pub(super) fn chart(
    ui: &mut egui::Ui,
    plot: &Plot,
    id: impl Hash + Debug,
    is_current: bool,
) -> Option<(Plot, PlotFormat)> {
    let mut kept = None;
    ui.add_enabled_ui(is_current, |ui| {
        kept = keep(ui, plot).map(|format| (plot.clone(), format));
        notes(ui, plot);
    });
    draw(ui, plot, id);
    kept
}

/// The plot's title, and buttons that write it to a file. Returns the format that the user selected.
pub(crate) fn keep(ui: &mut egui::Ui, plot: &Plot) -> Option<PlotFormat> {
    let mut kept = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(&plot.title).strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            for (format, tip) in
                [(PlotFormat::Svg, "Save it as a drawing"), (PlotFormat::Csv, "Save its points as a table")]
            {
                if ui.button(format.extension().to_uppercase()).tip(tip).clicked() {
                    kept = Some(format);
                }
            }
        });
    });
    kept
}

/// Describes a position in a plot, in the units of its axes. `at` is given as the plot is drawn: as
/// logarithms on logarithmic axes, as distances east and north of the middle on a rose. `name` is the series
/// that the position belongs to, if any.
pub(crate) fn read_at(plot: &Plot, name: Option<&str>, at: [f64; 2]) -> String {
    if plot.is_polar() {
        return wedge_at(plot, at);
    }
    let at = [(&plot.x, at[0]), (&plot.y, at[1])];
    let mut lines = Vec::from_iter(name.filter(|name| !name.is_empty()).map(str::to_owned));
    lines.extend(at.map(|(axis, value)| {
        let value = if axis.scale == Scale::Log { 10f64.powf(value) } else { value };
        match axis.scale.name_of(value.round()) {
            Some(name) => format!("{}: {name}", axis.label),
            None => in_words(axis, value),
        }
    }));
    lines.join("\n")
}

/// The wedge of a rose in the direction of a position.
fn wedge_at(plot: &Plot, [east, north]: [f64; 2]) -> String {
    let bearing = east.atan2(north).to_degrees();
    let away = |other: f64| ((other - bearing + 180.0).rem_euclid(360.0) - 180.0).abs();
    let wedges = plot.series.iter().flat_map(|series| &series.points);
    let nearest = wedges.min_by(|a, b| away(a[0]).total_cmp(&away(b[0])));
    nearest.map_or_else(String::new, |[bearing, length]| {
        format!("{}\n{}", in_words(&plot.x, *bearing), in_words(&plot.y, *length))
    })
}

/// A value on an axis, with the axis's label and unit.
fn in_words(axis: &Axis, value: f64) -> String {
    let space = if matches!(&*axis.unit, "" | "°") { "" } else { " " };
    format!("{}: {}{space}{}", axis.label, label(value), axis.unit)
}

/// What was measured, and additional remarks.
fn notes(ui: &mut egui::Ui, plot: &Plot) {
    ui.horizontal_wrapped(|ui| {
        for note in &plot.notes {
            // Non-breaking spaces, so that names and numbers with units are not split at the end of a line.
            let whole = |text: &str| text.replace(' ', "\u{a0}");
            ui.label(RichText::new(whole(&note.name)).color(style::quiet(ui)));
            ui.label(whole(&note.to_string()));
            ui.add_space(6.0);
        }
    });
    for remark in &plot.remarks {
        ui.label(RichText::new(remark).color(style::quiet(ui)).italics().size(style::points(ui, 12.0)));
    }
}

fn draw(ui: &mut egui::Ui, plot: &Plot, id: impl Hash + Debug) {
    let colours = COLOURS.map(|both| style::by_theme(ui.visuals(), both));
    let base = egui_plot::Plot::new(("plot", id)).legend(Legend::default()).allow_scroll(false);
    let base = base.label_formatter(|hovered| Some(read(plot, hovered)));
    if plot.is_polar() {
        let rose = base.data_aspect(1.0).show_axes(false).show_grid(false);
        let wedges = rose_of(plot, &colours);
        let lengths = plot.series.iter().flat_map(|series| &series.points).map(|[_, length]| *length);
        let most = lengths.fold(0.0, f64::max).max(f64::MIN_POSITIVE) * 1.12;
        rose.show(ui, |into| {
            for (x, y, wind) in [(0.0, most, "N"), (most, 0.0, "E"), (0.0, -most, "S"), (-most, 0.0, "W")] {
                into.text(Text::new("", [x, y].into(), RichText::new(wind).strong()));
            }
            wedges.into_iter().for_each(|wedge| into.polygon(wedge));
        });
        return;
    }
    let scale = plot.x.scale;
    let (x, y) = (scale == Scale::Log, plot.y.scale == Scale::Log);
    let along = |is_log: bool, value: f64| if is_log { value.max(f64::MIN_POSITIVE).log10() } else { value };
    let points = |series: &Series| -> PlotPoints<'static> {
        series.points.iter().map(|[a, b]| [along(x, *a), along(y, *b)]).collect()
    };
    let back = |is_log: bool, value: f64| if is_log { 10f64.powf(value) } else { value };
    let across = AxisHints::new_x().label(plot.x.to_string()).label_spacing(30.0..=44.0);
    let upwards = AxisHints::new_y().label(plot.y.to_string());
    let chart = base
        .custom_x_axes(vec![across.formatter(move |mark, _| match scale {
            Scale::Names(_) => scale.name_of(mark.value).unwrap_or_default().to_owned(),
            _ => label(back(x, mark.value)),
        })])
        .custom_y_axes(vec![upwards.formatter(move |mark, _| label(back(y, mark.value)))]);
    let chart = chart.x_grid_spacer(match scale {
        Scale::Log => decades,
        Scale::Names(_) => whole_numbers,
        _ => even_steps_across,
    });
    let chart = chart.y_grid_spacer(if y { decades } else { even_steps });
    chart.show(ui, |into| {
        for (index, series) in plot.series.iter().enumerate() {
            let colour = colours[index % colours.len()];
            match series.kind {
                SeriesKind::Line => {
                    into.line(Line::new(&*series.name, points(series)).color(colour).width(1.8))
                }
                SeriesKind::Dashes => into.line(
                    Line::new(&*series.name, points(series))
                        .color(colour)
                        .width(1.8)
                        .style(LineStyle::dashed_loose()),
                ),
                SeriesKind::Points => {
                    into.add(Points::new(&*series.name, points(series)).color(colour).radius(2.6))
                }
                SeriesKind::Bars { width } => {
                    let bar = |[at, height]: &[f64; 2]| Bar::new(*at, *height).width(width * 0.94);
                    let bars = series.points.iter().map(bar).collect();
                    let (of, name) = (plot.clone(), series.name.clone());
                    let words = move |bar: &Bar, _: &BarChart| {
                        read_at(&of, Some(&name), [along(x, bar.argument), along(y, bar.value)])
                    };
                    let chart = BarChart::new(&*series.name, bars).color(colour);
                    into.add(chart.element_formatter(Box::new(words)));
                }
            }
        }
    });
}

/// Describes what is under the pointer.
pub(crate) fn read(plot: &Plot, hovered: &HoverPosition) -> String {
    match hovered {
        HoverPosition::NearDataPoint { plot_name, position, .. } => {
            read_at(plot, Some(plot_name), [position.x, position.y])
        }
        HoverPosition::Elsewhere { position } => read_at(plot, None, [position.x, position.y]),
    }
}

/// The wedges of a rose.
fn rose_of(plot: &Plot, colours: &[Color32]) -> Vec<Polygon<'static>> {
    let mut wedges = Vec::new();
    for (index, series) in plot.series.iter().enumerate() {
        let SeriesKind::Bars { width } = series.kind else { continue };
        for [bearing, length] in &series.points {
            // Bearings run clockwise from north, which is up.
            let at = |bearing: f64, length: f64| {
                let angle = bearing.to_radians();
                [length * angle.sin(), length * angle.cos()]
            };
            let arc = (0..=8).map(|step| at(bearing + width * (f64::from(step) / 8.0 - 0.5) * 0.94, *length));
            let outline: PlotPoints = std::iter::once([0.0, 0.0]).chain(arc).collect();
            let colour = colours[index % colours.len()];
            wedges.push(
                Polygon::new(&*series.name, outline)
                    .stroke((1.0, colour))
                    .fill_color(colour.gamma_multiply(0.5)),
            );
        }
    }
    wedges
}

/// Lines at the powers of ten, and thin ones at their multiples.
fn decades(input: GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    if !(low.is_finite() && high.is_finite() && high - low < 400.0) {
        return Vec::new();
    }
    let mut marks = Vec::new();
    for power in low.floor() as i32 - 1..=high.ceil() as i32 {
        for multiple in 1..10 {
            let value = f64::from(power) + f64::from(multiple).log10();
            if (low..=high).contains(&value) {
                // The step size determines how strongly egui_plot draws a line, and whether it has a number.
                let step_size = if multiple == 1 { 1.0 } else { 0.1 };
                marks.push(GridMark { value, step_size });
            }
        }
    }
    marks
}

/// A line at each whole number, with its name.
fn whole_numbers(input: GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    if !(low.is_finite() && high.is_finite() && high - low < 400.0) {
        return Vec::new();
    }
    let numbers = low.ceil() as i64..=high.floor() as i64;
    numbers.map(|number| GridMark { value: number as f64, step_size: 1.0 }).collect()
}

/// Lines at multiples of 1, 2 or 5 times a power of ten. Every fourth or fifth has a number, so that even a
/// low plot has several; with egui_plot's own lines, at powers of ten, it might have only one.
pub(crate) fn even_steps(input: GridInput) -> Vec<GridMark> {
    steps(input, 4.0)
}

/// The same for a horizontal axis, where numbers need more room: every tenth line has one.
pub(crate) fn even_steps_across(input: GridInput) -> Vec<GridMark> {
    steps(input, 10.0)
}

/// Lines at multiples of 1, 2 or 5 times a power of ten; those that are multiples of at least `apart` steps
/// have numbers.
fn steps(input: GridInput, apart: f64) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let thin = round_step(input.base_step_size);
    let thick = round_step(thin * apart);
    let count = (high - low) / thin;
    if !(low.is_finite() && high.is_finite() && count.is_finite() && count < 1000.0) {
        return Vec::new();
    }
    let multiples = (low / thin).ceil() as i64..=(high / thin).floor() as i64;
    let per_thick = (thick / thin).round() as i64;
    let mark = |multiple: i64| GridMark {
        value: multiple as f64 * thin,
        step_size: if multiple % per_thick == 0 { thick } else { thin },
    };
    multiples.map(mark).collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below this.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    // Tolerates values that were rounded down slightly.
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * power);
    steps.into_iter().find(|step| *step >= least * 0.999_999).unwrap_or(10.0 * power)
}

/// A number on an axis, with three digits.
fn label(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".to_owned(),
        ..1e-3 | 1e5.. => {
            let text = format!("{value:.2e}");
            let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => {
            let digits = (2.0 - size.log10().floor()).clamp(0.0, 5.0) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_axes_have_three_digits() {
        let written = [
            (0.0, "0"),
            (1e-4, "1e-4"),
            (-2.341e-4, "-2.34e-4"),
            (0.001, "0.001"),
            (0.25, "0.25"),
            (-12.5, "-12.5"),
            (1234.0, "1234"),
            (99_999.0, "99999"),
            (1e5, "1e5"),
            (2.5e6, "2.5e6"),
            (9.999e9, "1e10"),
        ];
        assert_eq!(written.map(|(value, _)| label(value)), written.map(|(_, text)| text));
    }

    #[test]
    fn colours_of_series_can_be_told_apart() {
        use crate::math::vision::{CATEGORIES, all_apart, linear_from_hex};
        for theme in [0, 1] {
            let colours = COLOURS.map(|both| linear_from_hex(both[theme]));
            assert_eq!(all_apart(&colours, CATEGORIES), Ok(()), "{theme}");
        }
    }

    #[test]
    fn every_kind_has_a_name() {
        assert_eq!(KINDS.map(|(kind, ..)| kind), PlotKind::ALL);
    }

    /// A plot over two axes with these units.
    fn plot(units: [&str; 2], scales: [Scale; 2], points: Vec<[f64; 2]>) -> Plot {
        let axis = |index: usize, label: &str| Axis {
            label: label.to_owned(),
            unit: units[index].to_owned(),
            scale: scales[index],
        };
        let series = Series { name: "measured".into(), kind: SeriesKind::Bars { width: 90.0 }, points };
        let (notes, remarks) = (Vec::new(), Vec::new());
        let (x, y) = (axis(0, "distance"), axis(1, "share"));
        Plot { title: "Plot".into(), x, y, series: vec![series], notes, remarks }
    }

    #[test]
    fn the_pointer_reads_values_in_their_units_on_all_axes() {
        let linear = plot(["m", "%"], [Scale::Linear; 2], Vec::new());
        assert_eq!(read_at(&linear, None, [1200.0, 0.25]), "distance: 1200 m\nshare: 0.25 %");
        let log = plot(["1/m", ""], [Scale::Log; 2], Vec::new());
        assert_eq!(read_at(&log, Some("measured"), [-2.0, 3.0]), "measured\ndistance: 0.01 1/m\nshare: 1000");
        let half = plot(["m", "m"], [Scale::Log, Scale::Linear], Vec::new());
        assert_eq!(read_at(&half, None, [2.0, 2.0]), "distance: 100 m\nshare: 2 m");
        let winds = vec![[0.0, 10.0], [90.0, 20.0], [180.0, 30.0], [270.0, 40.0]];
        let rose = plot(["°", "%"], [Scale::Polar, Scale::Linear], winds);
        assert_eq!(read_at(&rose, None, [-3.0, 0.5]), "distance: 270°\nshare: 40 %");
        assert_eq!(read_at(&rose, None, [0.1, 7.0]), "distance: 0°\nshare: 10 %");
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let labels = [0.0, 0.5, 20.0, 1500.0, 0.001, 2e7, 1e-5, -0.25].map(label);
        assert_eq!(labels, ["0", "0.5", "20", "1500", "0.001", "2e7", "1e-5", "-0.25"]);
    }

    #[test]
    fn even_steps_are_round_and_some_of_them_have_numbers() {
        let marks = |low: f64, high: f64, base_step_size: f64| {
            even_steps(GridInput { bounds: (low, high), base_step_size })
        };
        // A plot of 90 pixels over heights of 700 m, with lines at least 8 pixels apart.
        let low = marks(-520.0, 180.0, 700.0 * 8.0 / 90.0);
        assert_eq!(
            low.iter().map(|mark| mark.value).collect::<Vec<_>>(),
            [-500., -400., -300., -200., -100., 0., 100.]
        );
        let numbered = |marks: &[GridMark]| -> Vec<f64> {
            let most = marks.iter().map(|mark| mark.step_size).fold(0.0, f64::max);
            marks.iter().filter(|mark| mark.step_size == most).map(|mark| mark.value).collect()
        };
        assert_eq!(numbered(&low), [-500.0, 0.0]);
        let tenths: Vec<f64> = numbered(&marks(0.0, 1.0, 0.02)).iter().map(|value| value * 10.0).collect();
        assert_eq!(
            tenths.iter().map(|tenth| tenth.round()).collect::<Vec<_>>(),
            (0..=10).map(f64::from).collect::<Vec<_>>()
        );
        let across = even_steps_across(GridInput { bounds: (0.0, 7000.0), base_step_size: 150.0 });
        assert_eq!(numbered(&across), [0.0, 2000.0, 4000.0, 6000.0]);
        for base in [1e-30, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0, 7.0, 1e12] {
            let (thin, thick) = (round_step(base), round_step(round_step(base) * 4.0));
            assert!(thin >= base * 0.999 && thin <= base * 2.51);
            let per_thick = thick / thin;
            assert!((per_thick - per_thick.round()).abs() < 1e-9 && (4.0..=5.0).contains(&per_thick.round()));
        }
        for (low, high, base) in
            [(f64::NAN, 1.0, 0.1), (0.0, f64::INFINITY, 0.1), (0.0, 1.0, 0.0), (0.0, 1e9, 0.1)]
        {
            assert!(marks(low, high, base).is_empty());
        }
    }

    #[test]
    fn decades_have_multiples_between_them_and_absurd_bounds_have_no_lines() {
        let marks = decades(GridInput { bounds: (-1.0, 1.0), base_step_size: 0.1 });
        assert_eq!(marks.iter().filter(|mark| mark.step_size == 1.0).count(), 3);
        assert_eq!(marks.len(), 19);
        for bounds in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e9, 1e9)] {
            assert!(decades(GridInput { bounds, base_step_size: 0.1 }).is_empty());
        }
    }
}
