//! What is said of a parameter: its name, unit, range and explanation.

use std::ops::RangeInclusive;

/// The most colours of a list: as many as a byte can index.
pub(super) const MAX_COLOURS: usize = 256;

/// The message for a required file that is not named.
pub(super) const NO_FILE: &str = "names no file; give the path of one";

/// The message for a required layer that is not named.
pub(super) const NO_LAYER: &str = "names no layer; give its name";

/// The description of a parameter: everything but its value.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name in recipes.
    pub name: &'static str,
    /// What it does, for people.
    pub doc: &'static str,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// Accepted numbers: of the value itself, of every coordinate in a list of places, or of every number in
    /// a group that has no range of its own. For other lists, the accepted number of entries. Unbounded where
    /// there are no numbers.
    pub range: RangeInclusive<f64>,
    /// Which whole numbers of the range are accepted, if not all.
    pub parity: Option<Parity>,
    /// Whether a slider for it should be logarithmic.
    pub logarithmic: bool,
    /// Whether a recipe must give it.
    pub required: bool,
    /// For optional parameters: whether the value is written without `Some`, where RON would ask for it.
    pub bare: bool,
    /// Whether a file leaves it out while it is empty: an empty text or list, false, or a group
    /// with its defaults.
    pub unless_empty: bool,
    /// A word that a file or `--set` may have in place of the value. Its meaning is known to the owner of the
    /// parameter.
    pub or: Option<&'static str>,
    /// Its name in older recipes, which is still read.
    pub was: Option<&'static str>,
    /// The end of the range at which a limit has no effect, if the value is such a limit.
    pub unlimited: Option<RangeEnd>,
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// The lower end.
    Below,
    /// The upper end.
    Above,
}

/// Which of all whole numbers are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// Odd ones, as of a window that has a middle; and 0, if the range has it.
    Odd,
    /// Even ones.
    Even,
}

impl Param {
    /// A parameter of which only the name is given: no unit, no bounds.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            doc: "",
            unit: "",
            range: f64::NEG_INFINITY..=f64::INFINITY,
            parity: None,
            logarithmic: false,
            required: false,
            bare: false,
            unless_empty: false,
            or: None,
            was: None,
            unlimited: None,
        }
    }

    /// The value at which a limit has no effect, if the parameter is such a limit.
    pub fn no_limit(&self) -> Option<f64> {
        self.unlimited.map(|end| match end {
            RangeEnd::Below => *self.range.start(),
            RangeEnd::Above => *self.range.end(),
        })
    }

    /// Whether a recipe may use `name` for it: its name or its former one.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.was == Some(name)
    }

    /// The same parameter as a member of `group`: also limited to the group's range, and with the group's
    /// unit if it has none of its own.
    pub(crate) fn within(&self, group: &Self) -> Self {
        let (start, end) =
            (self.range.start().max(*group.range.start()), self.range.end().min(*group.range.end()));
        let unit = if self.unit.is_empty() { group.unit } else { self.unit };
        Self { unit, range: start..=end, ..self.clone() }
    }

    /// The description of an optional parameter's value: the same, but required.
    #[doc(hidden)]
    pub fn once_there(&self) -> Self {
        Self { required: true, ..self.clone() }
    }

    pub(crate) fn check(&self, number: f64) -> Result<(), String> {
        // Compared as f32: an f32 of 0.1 is not the f64 0.1.
        let (low, high) = (*self.range.start() as f32, *self.range.end() as f32);
        if (low..=high).contains(&(number as f32)) {
            return self.check_parity(number);
        }
        Err(format!("{} is outside {}", said(number as f32), self.limits()))
    }

    /// Checks two numbers of samples.
    pub(crate) fn check_size(&self, (width, depth): (u32, u32)) -> Result<(), String> {
        let is_accepted = |side: u32| self.range.contains(&f64::from(side));
        if is_accepted(width) && is_accepted(depth) {
            return Ok(());
        }
        Err(format!("{width}×{depth} is outside {}", self.limits()))
    }

    /// Checks how many entries a list has.
    pub(super) fn check_count(&self, count: usize) -> Result<(), String> {
        let most = *self.range.end();
        if count as f64 <= most {
            return self.check(count as f64);
        }
        let what = if self.unit.is_empty() { "entries" } else { self.unit };
        Err(format!("there are {count} {what}; give at most {most}"))
    }

    /// The range in messages.
    pub(super) fn limits(&self) -> String {
        // An end that began as an f32 is written as one: as an f64, 1e11 would be 99999997952.
        let written = |end: f64| {
            let short = end as f32;
            if f64::from(short) == end { said(short) } else { said(end) }
        };
        let [low, high] = [*self.range.start(), *self.range.end()].map(written);
        format!("{low} to {high}{}", self.suffix())
    }

    fn check_parity(&self, number: f64) -> Result<(), String> {
        if self.has_parity(number) {
            return Ok(());
        }
        let what = if self.parity == Some(Parity::Odd) { "even" } else { "odd" };
        let others: Vec<String> = [number - 1.0, number + 1.0]
            .into_iter()
            .filter(|other| self.range.contains(other))
            .map(|other| other.to_string())
            .collect();
        Err(format!("{number} is {what}; use {}", others.join(" or ")))
    }

    fn has_parity(&self, number: f64) -> bool {
        match self.parity {
            None => true,
            // 0 is accepted as well: ranges in which it has no meaning begin above it.
            Some(Parity::Odd) => number == 0.0 || number % 2.0 == 1.0,
            Some(Parity::Even) => number % 2.0 == 0.0,
        }
    }

    /// The accepted number of the range nearest to `number`, in the direction in which the user moved it from
    /// `before`.
    pub fn fitting(&self, number: u32, before: u32) -> u32 {
        let (low, high) =
            (self.range.start().max(0.0) as u32, self.range.end().min(f64::from(u32::MAX)) as u32);
        let number = number.clamp(low, high);
        if self.has_parity(f64::from(number)) {
            return number;
        }
        match number {
            // Onwards in the direction of the change: backwards a slider or an arrow key would stick.
            _ if number < high && (number > before || number == low) => number + 1,
            _ => number - 1,
        }
    }

    /// The unit as it follows a number.
    fn suffix(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }
}

/// A number for people, in scientific notation where there would be too many digits to count.
fn said<Number: Into<f64> + std::fmt::Display + std::fmt::LowerExp>(number: Number) -> String {
    // Beyond 16 characters digits can't be counted at a glance.
    let size = format!("{number}").len();
    if size > 16 { format!("{number:e}") } else { format!("{number}") }
}
