//! Plots as pictures: SVG 1.1, on white, in colours that people with any kind of colour vision tell apart
//! (Okabe and Ito, "Color universal design", 2008), and by dashes and shapes too.
//!
//! The width of letters depends on the program that draws them. So widths are estimated generously, and texts
//! that could overlap have room of their own: the legend and the numbers are in a column next to the plot,
//! labels that would touch the one before are left out, long lines are broken.

use std::fmt::Write;

use super::number::number;
use super::plot::{Axis, Plot, Scale, Series, SeriesKind};
use crate::error::is_harmful;

/// The picture, in pixels; a long column makes it higher.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 500.0;
/// What lies around the plot.
const TOP: f64 = 56.0;
const BOTTOM: f64 = 62.0;
/// The column on the right.
const COLUMN: f64 = 650.0;
const RIGHT: f64 = 880.0;
/// Sizes of letters, and the greatest mean width of a letter as a share of its size.
const TEXT: f64 = 12.0;
const TITLE: f64 = 18.0;
const LETTER: f64 = 0.62;
/// Between the lines of the column.
const LINE: f64 = 18.0;

const MEASURED: [&str; 4] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7"];
const FITTED: [&str; 2] = ["#d55e00", "#222222"];
const DASHES: [&str; 2] = ["8 4", "2 4"];

/// A plot as an SVG of 900 × 500 pixels, higher if its numbers need more room: title, axes with ticks at
/// round numbers or powers of ten, and in a column on the right the legend, the numbers and the remarks.
pub fn svg(plot: &Plot) -> String {
    let (drawn, height) = drawn(plot);
    format!("{}{drawn}</svg>\n", opened(&plot.title, WIDTH, height))
}

/// Plots as one SVG with a title, two side by side in each row.
pub fn sheet(title: &str, plots: &[Plot]) -> String {
    let all: Vec<(String, f64)> = plots.iter().map(drawn).collect();
    let mut picture = Picture::default();
    let style = format!("font-size=\"{:.0}\" font-weight=\"bold\"", 1.3 * TITLE);
    picture.text([24.0, 40.0], &cut(title, 2.0 * WIDTH - 48.0, 1.4 * TITLE), &style);
    let mut y = 52.0;
    for row in all.chunks(2) {
        for (index, (drawn, _)) in row.iter().enumerate() {
            let x = index as f64 * WIDTH;
            let _ = writeln!(picture.0, "<g transform=\"translate({x} {y})\">\n{drawn}</g>");
        }
        y += row.iter().fold(0.0, |most: f64, (_, height)| most.max(*height));
    }
    format!("{}{}</svg>\n", opened(title, 2.0 * WIDTH, y), picture.0)
}

/// The beginning of an SVG of this size: its header, its title and its background.
fn opened(title: &str, width: f64, height: f64) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"{TEXT}\">\n\
         <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(title)
    )
}

/// A plot without the header of a file, and its height.
fn drawn(plot: &Plot) -> (String, f64) {
    // The column at the side first: the picture is as high as it needs.
    let mut column = Picture::default();
    let end = column.column(plot);
    let height = HEIGHT.max(end + 20.0).ceil();
    let mut picture = Picture::default();
    let title = cut(&plot.title, RIGHT - 24.0, TITLE * 1.1);
    let style = format!("font-size=\"{TITLE}\" font-weight=\"bold\"");
    picture.text([24.0, 34.0], &title, &style);
    if plot.is_polar() {
        picture.rose(plot, height);
    } else {
        picture.chart(plot, height);
    }
    (picture.0 + &column.0, height)
}

/// An SVG that is being written.
#[derive(Default)]
struct Picture(String);

/// Part of an axis: the values at its ends, the pixels they lie at, and its marks.
struct Span {
    scale: Scale,
    values: [f64; 2],
    pixels: [f64; 2],
    /// Places with a label.
    marks: Vec<(f64, String)>,
    /// Places between them that have a fine line only.
    fine: Vec<f64>,
}

impl Span {
    /// An axis from the lowest to the highest value that is drawn; `round` goes on to round numbers at both
    /// ends.
    fn of(axis: &Axis, [low, high]: [f64; 2], round: bool) -> Self {
        let mut span =
            Self { scale: axis.scale, values: [low, high], pixels: [0.0; 2], marks: vec![], fine: vec![] };
        if axis.scale == Scale::Log {
            span.log();
            return span;
        }
        if let Scale::Names(names) = axis.scale {
            let mark = |(index, name): (usize, &&str)| (index as f64 + 1.0, (*name).to_owned());
            span.marks = names.iter().enumerate().map(mark).collect();
            return span;
        }
        // A single value has no extent to scale by.
        if low == high {
            let wider = (0.05 * low.abs()).max(0.5);
            span.values = [low - wider, high + wider];
        }
        // About seven marks, which is few enough to read and enough to estimate between.
        let step = round_step((span.values[1] - span.values[0]) / 7.0);
        if round {
            span.values = [(span.values[0] / step).floor() * step, (span.values[1] / step).ceil() * step];
        }
        span.marks = span.even_marks(step);
        span
    }

    /// Marks at the multiples of a step.
    fn even_marks(&self, step: f64) -> Vec<(f64, String)> {
        let [low, high] = self.values;
        // As many as tell neighbouring marks apart.
        let decimals = (-step.log10()).ceil().max(0.0) as usize;
        let largest = low.abs().max(high.abs()).max(step);
        let digits = (largest.log10().floor() - step.log10().floor()).max(0.0) as usize;
        let label = |value: f64| match step {
            1e-5..1e7 => format!("{value:.decimals$}"),
            _ if value == 0.0 => "0".to_owned(),
            _ => format!("{value:.digits$e}"),
        };
        // A step is at least a millionth of the values, or they are all alike.
        let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
        // Bounded, since rounding near the limits of f64 could make any number of marks.
        let count = (last - first).clamp(0.0, 100.0) as usize;
        let values = (0..=count).map(|index| (first + index as f64) * step);
        // Not −0.
        values
            .map(|value| if value == 0.0 { 0.0 } else { value })
            .map(|value| (value, label(value)))
            .collect()
    }

    /// Marks at powers of ten, on short axes also at twice and five times them.
    fn log(&mut self) {
        let [low, high] = self.values;
        // A little room at both ends, in proportion, as the scale is logarithmic.
        let pad = if low == high { 2.0 } else { (high / low).powf(0.03) };
        self.values = [low / pad, high * pad];
        let [low, high] = self.values;
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let decades = (high / low).log10();
        let every = (decades / 7.0).ceil().max(1.0) as i32;
        let plain = first >= -3 && last <= 5;
        let label = |digit: i32, exponent: i32| match (plain, digit) {
            (true, _) => number(f64::from(digit) * 10f64.powi(exponent)),
            (false, 1) => format!("10{}", superscript(exponent)),
            (false, _) => format!("{digit}·10{}", superscript(exponent)),
        };
        for exponent in first..=last {
            for digit in 1..10 {
                let value = f64::from(digit) * 10f64.powi(exponent);
                if !(low..=high).contains(&value) {
                    continue;
                }
                let named = digit == 1 && exponent.rem_euclid(every) == 0;
                if named || decades < 3.0 && (digit == 2 || digit == 5) {
                    self.marks.push((value, label(digit, exponent)));
                } else if every == 1 || digit == 1 {
                    self.fine.push(value);
                }
            }
        }
        // Less than a decade may contain no such mark: then marks are even.
        if self.marks.len() < 2 {
            let marks = self.even_marks(round_step((high - low) / 4.0));
            self.marks = marks.into_iter().filter(|(value, _)| (low..=high).contains(value)).collect();
            self.fine.clear();
        }
    }

    /// The pixel of a value.
    fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let along = match self.scale {
            Scale::Log => (value / low).ln() / (high / low).ln(),
            _ => (value - low) / (high - low),
        };
        self.pixels[0] + (self.pixels[1] - self.pixels[0]) * along
    }

    /// The labels that there is room for, at their pixels.
    fn labels(&self, room: impl Fn(&str) -> f64) -> Vec<(f64, &str)> {
        let mut labels: Vec<(f64, &str)> = Vec::new();
        for (value, label) in &self.marks {
            let pixel = self.at(*value);
            // Labels that would overlap the one before are left out.
            let is_free = labels
                .last()
                .is_none_or(|(last, before)| (pixel - last).abs() >= (room(label) + room(before)) / 2.0);
            labels.extend(is_free.then_some((pixel, label.as_str())));
        }
        labels
    }
}

impl Picture {
    fn text(&mut self, [x, y]: [f64; 2], text: &str, style: &str) {
        let _ = writeln!(self.0, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{}</text>", escaped(text));
    }

    fn line(&mut self, [x0, y0]: [f64; 2], [x1, y1]: [f64; 2], colour: &str) {
        let _ = writeln!(
            self.0,
            "<line x1=\"{x0:.1}\" y1=\"{y0:.1}\" x2=\"{x1:.1}\" y2=\"{y1:.1}\" stroke=\"{colour}\"/>"
        );
    }

    /// A plot over two axes at right angles.
    fn chart(&mut self, plot: &Plot, height: f64) {
        let is_bars = plot.series.iter().any(|series| matches!(series.kind, SeriesKind::Bars { .. }));
        let round = plot.y.scale == Scale::Linear;
        let mut x = Span::of(&plot.x, range(plot, 0), false);
        let mut y = Span::of(&plot.y, range(plot, 1), round);
        let (top, bottom) = (TOP, height - BOTTOM);
        y.pixels = [bottom, top];
        let widest = y.marks.iter().map(|(_, label)| width(label, TEXT)).fold(0.0, f64::max);
        let left = (46.0 + widest).ceil();
        x.pixels = [left, COLUMN - 34.0];
        let right = x.pixels[1];

        for (span, is_x) in [(&x, true), (&y, false)] {
            let fine = span.fine.iter().map(|value| (*value, "#f1f1f1"));
            let marks = span.marks.iter().map(|(value, _)| (*value, "#dddddd"));
            for (value, colour) in fine.chain(marks) {
                let at = span.at(value);
                let ends = if is_x { [[at, top], [at, bottom]] } else { [[left, at], [right, at]] };
                self.line(ends[0], ends[1], colour);
            }
        }
        let (mut measured, mut fitted) = (0, 0);
        for series in &plot.series {
            // Fitted series have colours of their own, so both are counted.
            let count = if series.kind == SeriesKind::Dashes { &mut fitted } else { &mut measured };
            self.series(series, *count, &x, &y);
            *count += 1;
        }
        let _ = writeln!(
            self.0,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#777777\"/>",
            right - left,
            bottom - top
        );
        if is_bars && y.values[0] < 0.0 {
            self.line([left, y.at(0.0)], [right, y.at(0.0)], "#777777");
        }
        let names = matches!(x.scale, Scale::Names(_));
        // Names are longer than numbers: they stand in two rows, in turns.
        let labels = x.labels(|label| if names { 0.0 } else { width(label, TEXT) + 8.0 });
        for (index, (at, label)) in labels.into_iter().enumerate() {
            let below = match (names, index % 2) {
                (false, _) => 18.0,
                (true, 0) => 15.0,
                (true, _) => 29.0,
            };
            self.text([at, bottom + below], label, "text-anchor=\"middle\" fill=\"#333333\"");
        }
        for (at, label) in y.labels(|_| TEXT + 4.0) {
            self.text([left - 8.0, at + 4.0], label, "text-anchor=\"end\" fill=\"#333333\"");
        }
        self.text([(left + right) / 2.0, bottom + 44.0], &plot.x.to_string(), "text-anchor=\"middle\"");
        let middle = (top + bottom) / 2.0;
        let style = format!("text-anchor=\"middle\" transform=\"rotate(-90 24 {middle:.1})\"");
        self.text([24.0, middle], &plot.y.to_string(), &style);
    }

    fn series(&mut self, series: &Series, index: usize, x: &Span, y: &Span) {
        let colour = colour(series.kind, index);
        match series.kind {
            SeriesKind::Bars { width } => {
                // Bars begin at 0, or at the border nearest to it.
                let base = y.at(0.0_f64.clamp(y.values[0], y.values[1]));
                for [at, value] in series.points.iter().filter(|point| point[1] != 0.0) {
                    let (from, to, end) = (x.at(at - width / 2.0), x.at(at + width / 2.0), y.at(*value));
                    // A gap where there is room for one.
                    let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
                    let _ = writeln!(
                        self.0,
                        "<rect x=\"{from:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\"/>",
                        end.min(base),
                        to - from - gap,
                        (base - end).abs()
                    );
                }
            }
            SeriesKind::Points => {
                for [at, value] in &series.points {
                    self.dot([x.at(*at), y.at(*value)], index, colour);
                }
            }
            SeriesKind::Line | SeriesKind::Dashes => {
                let points: Vec<[f64; 2]> = series.points.iter().map(|[a, b]| [x.at(*a), y.at(*b)]).collect();
                let mut path = String::new();
                for (index, [x, y]) in thinned(&points).into_iter().enumerate() {
                    let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { "M" } else { " L" });
                }
                let dashes = dashes(series.kind, index);
                let _ = writeln!(
                    self.0,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{dashes}/>"
                );
            }
        }
    }

    /// A disc, or in every second series a diamond.
    fn dot(&mut self, [x, y]: [f64; 2], index: usize, colour: &str) {
        let _ = match index % 2 {
            0 => writeln!(self.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\"/>"),
            _ => {
                writeln!(self.0, "<path d=\"M{x:.1} {:.1} l4 4 l-4 4 l-4 -4 Z\" fill=\"{colour}\"/>", y - 4.0)
            }
        };
    }

    /// A plot of wedges around a middle, with a scale below it.
    fn rose(&mut self, plot: &Plot, height: f64) {
        let (left, right) = (24.0, COLUMN - 34.0);
        let (top, bottom) = (TOP + 18.0, height - BOTTOM - 24.0);
        let radius = ((right - left - 60.0).min(bottom - top) / 2.0).floor();
        let (x, y) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let highest = plot
            .series
            .iter()
            .flat_map(|series| &series.points)
            .fold(0.0, |most: f64, point| most.max(point[1]));
        let mut out = Span::of(&plot.y, [0.0, if highest > 0.0 { highest } else { 1.0 }], true);
        out.pixels = [0.0, radius];
        let toward = |bearing: f64, length: f64| {
            let angle = bearing.to_radians();
            [x + length * angle.sin(), y - length * angle.cos()]
        };
        for (value, _) in &out.marks {
            let _ = writeln!(
                self.0,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"none\" stroke=\"#dddddd\"/>",
                out.at(*value)
            );
        }
        for (index, name) in ["N", "NE", "E", "SE", "S", "SW", "W", "NW"].into_iter().enumerate() {
            let bearing = 45.0 * index as f64;
            self.line([x, y], toward(bearing, radius), "#dddddd");
            let [at, baseline] = toward(bearing, radius + 16.0);
            self.text([at, baseline + 4.0], name, "text-anchor=\"middle\" fill=\"#333333\"");
        }
        for (index, series) in plot.series.iter().enumerate() {
            let SeriesKind::Bars { width } = series.kind else { continue };
            for [bearing, value] in series.points.iter().filter(|point| point[1] > 0.0) {
                let length = out.at(*value);
                // Below 180° in all, or the arc would take the other way round.
                let half = (width / 2.0).min(89.9) * if width > 6.0 { 0.94 } else { 1.0 };
                let ([x0, y0], [x1, y1]) = (toward(bearing - half, length), toward(bearing + half, length));
                let _ = writeln!(
                    self.0,
                    "<path d=\"M{x:.1} {y:.1} L{x0:.2} {y0:.2} A{length:.2} {length:.2} 0 0 1 {x1:.2} {y1:.2} Z\" \
                     fill=\"{}\" fill-opacity=\"0.85\"/>",
                    colour(series.kind, index)
                );
            }
        }
        // The scale, from the middle to the east.
        let below = y + radius + 42.0;
        out.pixels = [x, x + radius];
        self.line([x, below], [x + radius, below], "#777777");
        let marks: Vec<f64> = out.marks.iter().map(|(value, _)| out.at(*value)).collect();
        marks.into_iter().for_each(|at| self.line([at, below], [at, below + 5.0], "#777777"));
        for (at, label) in out.labels(|label| width(label, TEXT) + 8.0) {
            self.text([at, below + 19.0], label, "text-anchor=\"middle\" fill=\"#333333\"");
        }
        self.text([x - 12.0, below + 8.0], &plot.y.to_string(), "text-anchor=\"end\"");
    }

    /// The legend, the numbers and the remarks; returns where they end.
    fn column(&mut self, plot: &Plot) -> f64 {
        let mut y = TOP + 10.0;
        if plot.series.len() > 1 {
            let (mut measured, mut fitted) = (0, 0);
            for series in &plot.series {
                let count = if series.kind == SeriesKind::Dashes { &mut fitted } else { &mut measured };
                self.swatch(series.kind, *count, y - 4.0);
                *count += 1;
                for line in broken(&series.name, RIGHT - COLUMN - 36.0) {
                    self.text([COLUMN + 36.0, y], &line, "");
                    y += LINE;
                }
            }
            y += LINE / 2.0;
        }
        for note in &plot.notes {
            let value = note.to_string();
            let room = RIGHT - COLUMN - width(&value, TEXT) - 10.0;
            let lines = broken(&note.name, room.max(80.0));
            for line in &lines {
                self.text([COLUMN, y], line, "fill=\"#555555\"");
                y += LINE;
            }
            // Beside the last line of its name, or below a name that leaves no room.
            let baseline = if room < 80.0 { y } else { y - LINE };
            self.text([RIGHT, baseline], &value, "text-anchor=\"end\"");
            y = baseline + LINE;
        }
        if !plot.notes.is_empty() {
            y += LINE / 2.0;
        }
        for line in plot.remarks.iter().flat_map(|remark| broken(remark, RIGHT - COLUMN)) {
            self.text([COLUMN, y], &line, "fill=\"#555555\"");
            y += LINE;
        }
        y
    }

    /// What a series looks like, in the legend.
    fn swatch(&mut self, kind: SeriesKind, index: usize, y: f64) {
        let colour = colour(kind, index);
        match kind {
            SeriesKind::Bars { .. } => {
                let _ = writeln!(
                    self.0,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"14\" height=\"10\" fill=\"{colour}\"/>",
                    COLUMN + 7.0,
                    y - 5.0
                );
            }
            SeriesKind::Points => self.dot([COLUMN + 14.0, y], index, colour),
            SeriesKind::Line | SeriesKind::Dashes => {
                let dashes = dashes(kind, index);
                let _ = writeln!(
                    self.0,
                    "<path d=\"M{COLUMN} {y:.1} H{}\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}/>",
                    COLUMN + 28.0
                );
            }
        }
    }
}

/// The lowest and the highest value along the horizontal (0) or the vertical (1) axis, with the full width of
/// bars.
fn range(plot: &Plot, axis: usize) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for series in &plot.series {
        for point in &series.points {
            let values = match (series.kind, axis) {
                // Bars reach half their width to both sides, and down to 0.
                (SeriesKind::Bars { width }, 0) => [point[0] - width / 2.0, point[0] + width / 2.0],
                (SeriesKind::Bars { .. }, _) => [0.0, point[1]],
                _ => [point[axis]; 2],
            };
            for value in values {
                range = [range[0].min(value), range[1].max(value)];
            }
        }
    }
    // An empty plot has axes, too.
    if range[0] <= range[1] { range } else { [1.0, 1.0] }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= 0.999_999 * least);
    step.unwrap_or(10.0 * power)
}

fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |letter: char| letter.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    exponent.to_string().chars().map(digit).collect()
}

fn colour(kind: SeriesKind, index: usize) -> &'static str {
    match kind {
        SeriesKind::Dashes => FITTED[index % FITTED.len()],
        _ => MEASURED[index % MEASURED.len()],
    }
}

fn dashes(kind: SeriesKind, index: usize) -> String {
    match kind {
        SeriesKind::Dashes => format!(" stroke-dasharray=\"{}\"", DASHES[index % DASHES.len()]),
        _ => String::new(),
    }
}

/// A path that looks the same: of the points in one column of pixels the first, the lowest, the highest and
/// the last.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a[0].floor() == b[0].floor()) {
        if column.len() <= 4 {
            kept.extend(column);
            continue;
        }
        let by_height = |a: &usize, b: &usize| column[*a][1].total_cmp(&column[*b][1]);
        let last = column.len() - 1;
        let ends = [(0..=last).min_by(by_height).unwrap_or(0), (0..=last).max_by(by_height).unwrap_or(last)];
        let mut which = [0, ends[0], ends[1], last];
        which.sort_unstable();
        let which = which.chunk_by(|a, b| a == b).map(|same| same[0]);
        kept.extend(which.map(|index| column[index]));
    }
    kept
}

/// How wide a text is at most.
fn width(text: &str, size: f64) -> f64 {
    // No font is at hand to measure by: LETTER is wider than most letters are.
    text.chars().count() as f64 * size * LETTER
}

/// A text in lines of at most `width` pixels, broken between words, and within a word that is longer than a
/// line.
fn broken(text: &str, room: f64) -> Vec<String> {
    let most = ((room / (TEXT * LETTER)) as usize).max(1);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last_mut().map_or(0, |line| line.chars().count());
            let gap = usize::from(line > 0);
            if line + gap + word.len() > most && line > 0 {
                lines.push(String::new());
                continue;
            }
            // A word longer than a line is cut, or it would leave the picture.
            let rest = word.split_off(word.len().min(most));
            if let Some(line) = lines.last_mut() {
                line.extend((gap > 0).then_some(' '));
                line.extend(&word);
            }
            if rest.is_empty() {
                break;
            }
            word = rest;
        }
    }
    lines
}

/// A text cut off where it would be too wide.
fn cut(text: &str, room: f64, size: f64) -> String {
    let most = (room / (size * LETTER)) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Escapes a text for XML, and removes characters that XML does not allow and marks that reverse text
/// direction.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&apos;",
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            // Control characters are invalid in XML; direction marks would reverse the rest of the picture's
            // text.
            letter if is_harmful(letter) => escaped.push(char::REPLACEMENT_CHARACTER),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_can_tell_series_apart() {
        use crate::math::vision::{CATEGORIES, all_apart, linear_from_hex};
        let colours: Vec<_> = MEASURED
            .iter()
            .chain(&FITTED)
            .map(|colour| linear_from_hex(u32::from_str_radix(&colour[1..], 16).unwrap()))
            .collect();
        assert_eq!(all_apart(&colours, CATEGORIES), Ok(()));
    }

    #[test]
    fn text_cannot_turn_or_end_what_follows_it() {
        assert_eq!(escaped("a\u{202e}b\u{1b}<\n\u{2066}"), "a\u{fffd}b\u{fffd}&lt; \u{fffd}");
    }

    #[test]
    fn steps_are_round() {
        for (least, step) in
            [(0.7, 1.0), (1.0, 1.0), (1.1, 2.0), (230.0, 500.0), (0.000_6, 0.001), (51.0, 100.0)]
        {
            assert!((round_step(least) / step - 1.0).abs() < 1e-9, "{least}: {}", round_step(least));
        }
    }

    #[test]
    fn an_axis_has_between_two_and_ten_labels_whatever_it_spans() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis::new("x", "m", scale);
            for low in [1e-12, 0.003, 0.99, 1.0, 7.0, 123_456.0] {
                for times in [1.0, 1.000_01, 1.3, 2.0, 9.0, 77.0, 1e4, 1e9, 1e20] {
                    let mut span = Span::of(&axis, [low, low * times], false);
                    span.pixels = [0.0, 540.0];
                    let labels = span.labels(|label| width(label, TEXT));
                    assert!((2..=10).contains(&labels.len()), "{scale:?} {low} × {times}: {labels:?}");
                    assert!(
                        labels.iter().all(|(at, _)| (-0.1..=540.1).contains(at)),
                        "{low} × {times}: {labels:?}"
                    );
                    let texts: Vec<_> = labels.iter().map(|(_, text)| text).collect();
                    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{low} × {times}: {texts:?}");
                }
            }
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_hold_what_they_can() {
        let room = |letters: usize| letters as f64 * TEXT * LETTER + 0.1;
        assert_eq!(broken("a few short words", room(9)), ["a few", "short", "words"]);
        assert_eq!(broken("unbreakable", room(4)), ["unbr", "eaka", "ble"]);
        assert_eq!(broken("", room(4)), [""]);
    }

    #[test]
    fn a_thinned_path_has_the_same_ends_and_peaks() {
        let points: Vec<[f64; 2]> = (0..10_000)
            .map(|index| [f64::from(index) / 100.0, if index == 4321 { 99.0 } else { f64::from(index % 7) }])
            .collect();
        let thin = thinned(&points);
        assert!(thin.len() <= 400, "{}", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[9999]));
        assert!(thin.contains(&points[4321]));
        assert!(thin.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }
}
