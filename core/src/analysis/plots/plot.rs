//! A plot of any kind: axes, what is drawn over them, and measured numbers.

use std::fmt;

use super::number::number;

/// A plot: series of points over two axes, and numbers that sum them up.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What it shows, for people.
    pub title: String,
    /// The horizontal axis; of a rose, the bearing in degrees clockwise from north.
    pub x: Axis,
    /// The vertical axis; of a rose, the distance from its middle.
    pub y: Axis,
    /// The series, from the bottom to the top.
    pub series: Vec<Series>,
    /// What has been measured.
    pub notes: Vec<Note>,
    /// What a reader should know besides, such as that only a part of the land was looked at: a sentence
    /// each.
    pub remarks: Vec<String>,
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity along it.
    pub label: String,
    /// In which unit; empty for plain numbers.
    pub unit: String,
    /// How values become places on it.
    pub scale: Scale,
}

/// How values become places on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By their logarithms. All values are above 0.
    Log,
    /// As angles, in degrees clockwise from north at the top. The other axis runs outwards from the middle.
    Polar,
    /// In proportion, with a name in place of each whole number from 1 on.
    Names(&'static [&'static str]),
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are, for the legend.
    pub name: String,
    /// How they are drawn.
    pub kind: SeriesKind,
    /// Values along the horizontal and the vertical axis, from left to right. All are finite.
    pub points: Vec<[f64; 2]>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SeriesKind {
    /// Joined by straight lines.
    Line,
    /// The same, dashed: what is fitted or expected, and not measured.
    Dashes,
    /// A dot each.
    Points,
    /// Bars of this width around each x, from 0 upwards; on a polar axis wedges, their width in degrees.
    Bars {
        /// The width, in the unit of the horizontal axis.
        width: f64,
    },
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What it is.
    pub name: String,
    /// The number. It is finite.
    pub value: f64,
    /// Its unit; empty for plain numbers.
    pub unit: String,
}

impl Plot {
    pub(super) fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, series: Vec::new(), notes: Vec::new(), remarks: Vec::new() }
    }

    pub(super) fn add(&mut self, name: impl Into<String>, kind: SeriesKind, points: Vec<[f64; 2]>) {
        self.series.push(Series { name: name.into(), kind, points });
    }

    /// Adds a number, unless there is none.
    pub(super) fn note(&mut self, name: &str, value: impl Into<Option<f64>>, unit: &str) {
        if let Some(value) = value.into().filter(|value| value.is_finite()) {
            self.notes.push(Note { name: name.to_owned(), value, unit: unit.to_owned() });
        }
    }

    /// The number called `name`, if it was measured.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.notes.iter().find(|note| note.name == name).map(|note| note.value)
    }

    /// Whether it is a rose.
    pub fn is_polar(&self) -> bool {
        self.x.scale == Scale::Polar
    }
}

impl Scale {
    /// The name of a value on an axis of names.
    pub fn name_of(self, value: f64) -> Option<&'static str> {
        let Self::Names(names) = self else { return None };
        // Below 1 and NaN become 0, which is no name's number.
        let index = (value as usize).checked_sub(1)?;
        names.get(index).copied().filter(|_| value.fract() == 0.0)
    }
}

impl Axis {
    pub(super) fn new(label: &str, unit: &str, scale: Scale) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), scale }
    }
}

/// The label with the unit behind it, in brackets.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)?;
        if self.unit.is_empty() { Ok(()) } else { write!(f, " ({})", self.unit) }
    }
}

/// The number, to five digits, with its unit and without its name.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&number(self.value))?;
        match self.unit.as_str() {
            "" => Ok(()),
            "°" => f.write_str("°"),
            unit => write!(f, " {unit}"),
        }
    }
}
