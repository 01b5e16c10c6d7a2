//! Parameters that carry their own description: name, value, range, unit and one line of explanation.
//!
//! `params!` declares a struct and the description of its fields in one place. Reading and writing recipes,
//! the panel's rows, the command line's `--set`, the tables of `upland steps` and the tests of ranges all
//! follow from it.
//!
//! A parameter may itself be a struct of parameters (a group), a list of such structs, or optional, so that
//! whole textures are declared in the same way as single steps.

pub(crate) mod colour;
pub(crate) mod lists;
mod name;
mod place;
mod points;
mod read;
mod reason;
mod text;
mod value;
mod walk;
mod write;

use std::ops::RangeInclusive;

pub(crate) use read::{Key, as_struct, read_named, set_from_map};
pub(crate) use reason::reason_in;
#[doc(hidden)]
pub use text::{ron_options, set_in, set_whole_from_text};
pub(crate) use write::fields;

pub use name::Name;
pub(crate) use name::is_name;
pub use points::MAX_POINTS;
pub use text::set_from_text;
#[doc(hidden)]
pub use value::Within;
pub use value::{Choice, Forms, List, Optional, Parameter, Reading, Value};
#[doc(hidden)]
pub use walk::name_of;
pub(crate) use walk::present_path;
pub use walk::{check, each, each_mut};

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

/// Something that has parameters.
pub trait Params {
    /// Shows every parameter to `visitor`, in order, to be read.
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>));

    /// Shows every parameter to `visitor`, in the same order, to be read or changed.
    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>));

    /// What the struct as a whole does, for people.
    fn doc(&self) -> &'static str;

    /// The struct's name, which a recipe may write before the parenthesis.
    fn type_name(&self) -> &'static str {
        ""
    }

    /// Checks the values against each other, after each has passed its own range.
    ///
    /// # Errors
    /// What is wrong and what would be accepted, for people.
    fn law(&self) -> Result<(), String> {
        Ok(())
    }

    /// Called after the user has changed the parameter `changed`. May adjust others, such as a minimum that
    /// has to stay below its maximum.
    fn follow(&mut self, changed: &str) {
        let _ = changed;
    }

    /// The available forms, for a value that is one of several forms (an enum) and not a struct.
    fn forms(&self) -> Option<&dyn Forms> {
        None
    }

    /// As [`forms`](Self::forms), to be changed.
    fn forms_mut(&mut self) -> Option<&mut dyn Forms> {
        None
    }
}

/// Declares a struct of parameters: their names, defaults, units, ranges and explanations. It derives
/// [`Params`](crate::params::Params), `Default`, `Clone`, `Debug` and `PartialEq`.
///
/// After the default come, where they apply, the unit and the range, then any of these words: `log` for a
/// logarithmic slider, `odd` or `even` where only such whole numbers are accepted, `required` for a value
/// that a recipe must give, `bare` for an optional value that is written without `Some`, `was NAME` for the
/// name in older recipes, `unlimited below` or `unlimited above` for a limit that has no effect at that end
/// of the range.
///
/// ```
/// # use upland_core as upland;
/// upland::params! {
///     /// What the whole does.
///     pub struct Hills {
///         /// What this one does.
///         pub height: f32 = 100.0, "m" in 0.0..=9000.0, log;
///         /// What that one does.
///         pub wrap: bool = false;
///     }
/// }
/// assert_eq!(Hills::default().height, 100.0);
/// ```
///
/// A field may be another struct of parameters, a `Vec` of such structs, whose range is the number of its
/// entries, or an `Option`. A group's range and unit apply to the numbers in it that have none of their
/// own. After the struct may come `law FUNCTION;`, which checks values against each other, and `follow
/// FUNCTION;`, which is called with the name of the value that the user has changed: see
/// [`Params::law`](crate::params::Params::law) and [`Params::follow`](crate::params::Params::follow).
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $doc:literal])+
        pub struct $Struct:ident {
            $(
                $(#[doc = $field_doc:literal])+
                pub $field:ident: $Type:ty = $default:expr
                $(, $unit:literal in $range:expr)? $(, $flag:ident $($word:ident)?)*;
            )*
        }
        $(law $law:expr;)?
        $(follow $follow:expr;)?
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Struct {
            $(
                $(#[doc = $field_doc])+
                $(#[doc = concat!("\n\nIn `", stringify!($range), "` ", $unit, ".")])?
                #[doc = concat!("\n\nDefault `", stringify!($default), "`.")]
                pub $field: $Type,
            )*
        }

        impl Default for $Struct {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::params::Params for $Struct {
            #[allow(unused_variables)]
            fn read(
                &self,
                visitor: &mut dyn FnMut(&$crate::params::Param, $crate::params::Reading<'_>),
            ) {
                $(
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($flag $($word)?,)*);
                    visitor(&param, $crate::params::Parameter::reading(&self.$field));
                )*
            }

            #[allow(unused_variables)]
            fn visit(
                &mut self,
                visitor: &mut dyn FnMut(&$crate::params::Param, $crate::params::Value<'_>),
            ) {
                $(
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($flag $($word)?,)*);
                    visitor(&param, $crate::params::Parameter::value(&mut self.$field));
                )*
            }

            fn doc(&self) -> &'static str {
                concat!($($doc, "\n"),+).trim()
            }

            fn type_name(&self) -> &'static str {
                stringify!($Struct)
            }

            $(
                fn law(&self) -> ::std::result::Result<(), ::std::string::String> {
                    $law(self)
                }
            )?

            $(
                fn follow(&mut self, changed: &str) {
                    $follow(self, changed);
                }
            )?
        }

        impl $crate::params::Parameter for $Struct {
            fn reading(&self) -> $crate::params::Reading<'_> {
                $crate::params::Reading::Group(self)
            }

            fn value(&mut self) -> $crate::params::Value<'_> {
                $crate::params::Value::Group(self)
            }
        }
    };
}
pub(crate) use params;

/// The [`Param`] of one field of `params!`.
#[doc(hidden)]
#[macro_export]
macro_rules! param {
    ($field:ident, [$($doc:literal)+] $($unit:literal in $range:expr)?, $($flag:ident $($word:ident)?,)*) => {{
        #[allow(unused_mut)]
        let mut param = $crate::params::Param {
            doc: concat!($($doc, "\n"),+).trim(),
            ..$crate::params::Param::new(stringify!($field))
        };
        $( param.unit = $unit; param.range = $range; )?
        $( $crate::param_flag!(param, $flag $($word)?); )*
        param
    }};
}
pub(crate) use param;

/// Applies one of the words after a field of `params!`.
#[doc(hidden)]
#[macro_export]
macro_rules! param_flag {
    ($param:ident, log) => {
        $param.logarithmic = true
    };
    ($param:ident, odd) => {
        $param.parity = Some($crate::params::Parity::Odd)
    };
    ($param:ident, even) => {
        $param.parity = Some($crate::params::Parity::Even)
    };
    ($param:ident, required) => {
        $param.required = true
    };
    ($param:ident, bare) => {
        $param.bare = true
    };
    ($param:ident, was $old:ident) => {
        $param.was = Some(stringify!($old))
    };
    ($param:ident, unlimited below) => {
        $param.unlimited = Some($crate::params::RangeEnd::Below)
    };
    ($param:ident, unlimited above) => {
        $param.unlimited = Some($crate::params::RangeEnd::Above)
    };
}

/// Implements serde for structs of parameters and for types with forms, so that RON can read and write them
/// directly.
macro_rules! in_recipes {
    ($($Type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::params::as_struct::serialize(self, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::params::as_struct::deserialize(from)
            }
        }
    )+};
}
pub(crate) use in_recipes;

/// Declares an enum that is a parameter: its first variant is the default.
#[macro_export]
macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        pub enum $Enum:ident {
            $(#[doc = $first_doc:literal])+ $First:ident = $first_name:literal,
            $($(#[doc = $variant_doc:literal])+ $Variant:ident = $name:literal,)*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $Enum {
            $(#[doc = $first_doc])+
            #[default]
            $First,
            $($(#[doc = $variant_doc])+ $Variant,)*
        }

        impl $crate::params::Choice for $Enum {
            fn names(&self) -> &'static [&'static str] {
                &[$first_name, $($name),*]
            }

            fn docs(&self) -> &'static [&'static str] {
                const { &[concat!($($first_doc,)+).trim_ascii(), $(concat!($($variant_doc,)+).trim_ascii()),*] }
            }

            fn index(&self) -> usize {
                *self as usize
            }

            fn set_index(&mut self, index: usize) {
                if let Some(variant) = [Self::$First, $(Self::$Variant),*].get(index) {
                    *self = *variant;
                }
            }
        }

        impl $crate::params::Parameter for $Enum {
            fn reading(&self) -> $crate::params::Reading<'_> {
                $crate::params::Reading::Choice(self)
            }

            fn value(&mut self) -> $crate::params::Value<'_> {
                $crate::params::Value::Choice(self)
            }
        }
    };
}
pub(crate) use choice;

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

    /// What the parameter accepts, for people: "a number from 0 to 16 m", "true or false" …
    pub fn accepted(&self, value: Reading<'_>) -> String {
        let numbers = self.limits();
        match value {
            Reading::Float(_) => format!("a number from {numbers}"),
            Reading::Int(_) => match self.parity {
                None => format!("a whole number from {numbers}"),
                Some(Parity::Odd) if self.range.contains(&0.0) => {
                    format!("an odd number or 0, from {numbers}")
                }
                Some(Parity::Odd) => format!("an odd number from {numbers}"),
                Some(Parity::Even) => format!("an even number from {numbers}"),
            },
            Reading::Flag(_) => "true or false".into(),
            Reading::Choice(choice) => format!("one of {}", choice.names().join(", ")),
            Reading::File(_) => "the path of a file".into(),
            Reading::Name(_) => Name::ACCEPTED.into(),
            Reading::Points(_) => {
                format!("a list of places such as [(0.5, 0.0), (0.4, 1.0)], their numbers {numbers}")
            }
            Reading::Text(_) => "a text".into(),
            Reading::Colour(_) => "red, green and blue such as \"#7a8c4f\"".into(),
            Reading::Colours(_) => "a list of colours such as [\"#7a8c4f\", \"#2b4a5e\"]".into(),
            Reading::Place(_) => {
                format!("three numbers x, y and z such as (0, 250.5, -90), each from {numbers}")
            }
            Reading::Group(group) => match group.forms() {
                Some(forms) => format!("one of {}", forms.names().join(", ")),
                None => format!("any of {} in parentheses", names(group).join(", ")),
            },
            Reading::List(_) => "a list in brackets".into(),
            Reading::Optional(optional) => {
                let mut accepted = String::new();
                optional.usual(&mut |value| accepted = self.accepted(value));
                accepted + ", or none"
            }
        }
    }

    pub(crate) fn check(&self, number: f64) -> Result<(), String> {
        // Compared as f32: an f32 of 0.1 is not the f64 0.1.
        let (low, high) = (*self.range.start() as f32, *self.range.end() as f32);
        if (low..=high).contains(&(number as f32)) {
            return self.check_parity(number);
        }
        Err(format!("{} is outside {}", said(number as f32), self.limits()))
    }

    /// The range in messages.
    fn limits(&self) -> String {
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
    let size = format!("{number}").len();
    if size > 16 { format!("{number:e}") } else { format!("{number}") }
}

/// The names of all parameters of `params`.
pub fn names(params: &dyn Params) -> Vec<&'static str> {
    let mut names = Vec::new();
    params.read(&mut |param, _| names.push(param.name));
    names
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;

    choice! {
        /// A shape.
        pub enum Shape {
            /// Round.
            Round = "round",
            /// Square.
            Square = "square",
        }
    }

    params! {
        /// A thing for the tests.
        pub struct Thing {
            /// How high.
            pub height: f32 = 10.0, "m" in 0.1..=100.0, log;
            /// How many.
            pub count: u32 = 3, "" in 1.0..=8.0;
            /// How wide.
            pub window: u32 = 5, "" in 0.0..=10.0, odd;
            /// How deep.
            pub row: u32 = 4, "" in 3.0..=9.0, even;
            /// Which.
            pub shape: Shape = Shape::Round;
            /// Whether.
            pub wrap: bool = false;
            /// Where.
            pub places: Vec<Vec2> = Vec::new(), "" in 0.0..=1.0;
            /// What it is called.
            pub label: Name = Name::default();
        }
    }

    #[test]
    fn a_struct_is_known_from_its_declaration() {
        let mut thing = Thing::default();
        assert_eq!(thing.doc(), "A thing for the tests.");
        let mut seen = Vec::new();
        thing.visit(&mut |param, _| seen.push((param.name, param.doc, param.unit, param.logarithmic)));
        assert_eq!(seen[0], ("height", "How high.", "m", true));
        assert_eq!(seen[5], ("wrap", "Whether.", "", false));
    }

    #[test]
    fn text_sets_what_it_names() {
        let mut thing = Thing::default();
        for (name, text) in [
            ("height", "0.1"),
            ("count", "8"),
            ("shape", "square"),
            ("wrap", "true"),
            ("places", "[(0, 1), (0.5, 0.25)]"),
            ("label", "wet_2"),
        ] {
            set_from_text(&mut thing, name, text).unwrap();
        }
        let places = vec![Vec2::new(0.0, 1.0), Vec2::new(0.5, 0.25)];
        let label = Name::new("wet_2").unwrap();
        assert_eq!(
            thing,
            Thing { height: 0.1, count: 8, shape: Shape::Square, wrap: true, places, label, ..thing.clone() }
        );
    }

    #[test]
    fn refusals_say_what_would_be_accepted() {
        let mut thing = Thing::default();
        let mut say = |name, text| set_from_text(&mut thing, name, text).unwrap_err().to_string();
        assert_eq!(say("height", "1000"), "height: 1000 is outside 0.1 to 100 m");
        assert_eq!(say("height", "NaN"), "height: NaN is outside 0.1 to 100 m");
        assert_eq!(say("count", "-2"), "count: -2 is outside 1 to 8");
        assert_eq!(say("count", "two"), "count: `two` is not a whole number from 1 to 8");
        assert_eq!(say("count", "2.5"), "count: `2.5` is not a whole number from 1 to 8");
        assert_eq!(say("window", "6"), "window: 6 is even; use 5 or 7");
        assert_eq!(say("window", "10"), "window: 10 is even; use 9");
        assert_eq!(say("window", "x"), "window: `x` is not an odd number or 0, from 0 to 10");
        assert_eq!(say("row", "3"), "row: 3 is odd; use 4");
        assert_eq!(say("row", "x"), "row: `x` is not an even number from 3 to 9");
        assert_eq!(say("height", "tall"), "height: `tall` is not a number from 0.1 to 100 m");
        assert_eq!(say("shape", "flat"), "shape: `flat` is not one of round, square");
        assert_eq!(say("places", "[(0, 1), (2, 1)]"), "places: place 2: 2 is outside 0 to 1");
        assert_eq!(
            say("places", "0.5"),
            "places: `0.5` is not a list of places such as [(0.5, 0.0), (0.4, 1.0)], their numbers 0 to 1"
        );
        assert!(say("label", "Wet").starts_with("label: `Wet` is not a name of lower-case letters"));
        assert_eq!(
            say("width", "1"),
            "width: there is no such parameter; there are height, count, window, row, shape, wrap, places, label"
        );
        assert_eq!(thing, Thing::default());
    }

    #[test]
    fn all_errors_describe_a_range_in_the_same_words() {
        let (from_f32, whole) = (f64::from(-1e11f32)..=f64::from(1e11f32), 0.0..=f64::from(u32::MAX));
        let cases = [
            (from_f32, "-100000000000 to 100000000000 m"),
            (whole, "0 to 4294967295 m"),
            (0.1..=0.3, "0.1 to 0.3 m"),
        ];
        for (range, words) in cases {
            let param = Param { unit: "m", range, ..Param::new("place") };
            assert_eq!(param.check(f64::NAN), Err(format!("NaN is outside {words}")));
            assert_eq!(param.accepted(Reading::Float(0.0)), format!("a number from {words}"));
            assert!(param.accepted(Reading::Place((0.0, 0.0, 0.0))).ends_with(words));
        }
    }

    #[test]
    fn a_whole_number_moves_on_to_the_next_accepted_one() {
        let mut params = Vec::new();
        Thing::default().read(&mut |param, _| params.push(param.clone()));
        let fitting = |name: &str, number, before| {
            params.iter().find(|param| param.name == name).unwrap().fitting(number, before)
        };
        assert_eq!([fitting("window", 6, 5), fitting("window", 6, 7), fitting("window", 2, 1)], [7, 5, 3]);
        assert_eq!([fitting("window", 0, 1), fitting("window", 10, 9), fitting("window", 99, 9)], [0, 9, 9]);
        assert_eq!(
            [fitting("row", 3, 4), fitting("row", 0, 4), fitting("row", 9, 8), fitting("row", 6, 4)],
            [4, 4, 8, 6]
        );
        assert_eq!(fitting("count", 4, 3), 4);
    }
}
