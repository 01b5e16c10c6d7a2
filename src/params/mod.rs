//! Parameters that know themselves: name, value, range, unit and one line of explanation.
//!
//! `params!` declares a struct and everything that is known of its fields in one place. From it
//! come the recipe's reading and writing, the panel's sliders, the command line's `--set`, the
//! documentation's tables and the ranges that the tests walk.

pub(crate) mod lists;
mod name;
mod points;

use std::fmt;
use std::ops::RangeInclusive;

use glam::Vec2;
use serde::de::{self, DeserializeSeed, MapAccess};

use crate::error::{Error, Result};
use crate::files::FilePath;
use points::PointsSeed;

pub use name::Name;
pub(crate) use name::is_name;
pub use points::MAX_POINTS;

/// What is known of a parameter beside its value.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name in recipes.
    pub name: &'static str,
    /// What it does, for people.
    pub doc: &'static str,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// The numbers it accepts, alone or in a list; everything for what is no number.
    pub range: RangeInclusive<f64>,
    /// Whether a slider for it should be logarithmic.
    pub logarithmic: bool,
}

/// The value of a parameter, to be read or changed.
pub enum Value<'a> {
    /// A real number.
    Float(&'a mut f32),
    /// A whole number.
    Int(&'a mut u32),
    /// On or off.
    Flag(&'a mut bool),
    /// One of several names.
    Choice(&'a mut dyn Choice),
    /// A file.
    File(&'a mut FilePath),
    /// The name of a layer.
    Name(&'a mut Name),
    /// Places on the land, at most [`MAX_POINTS`], as shares of its sides: x from west (0) to east
    /// (1), y from north (0) to south (1). The parameter's range is that of every number.
    Points(&'a mut Vec<Vec2>),
}

/// The value of a parameter, to be read. See [`Value`].
#[derive(Clone, Copy)]
pub enum Reading<'a> {
    /// A real number.
    Float(f32),
    /// A whole number.
    Int(u32),
    /// On or off.
    Flag(bool),
    /// One of several names.
    Choice(&'a dyn Choice),
    /// A file.
    File(&'a FilePath),
    /// The name of a layer.
    Name(&'a Name),
    /// Places on the land.
    Points(&'a [Vec2]),
}

impl Value<'_> {
    /// The same, only to be read.
    pub fn reading(&self) -> Reading<'_> {
        match self {
            Self::Float(value) => Reading::Float(**value),
            Self::Int(value) => Reading::Int(**value),
            Self::Flag(value) => Reading::Flag(**value),
            Self::Choice(choice) => Reading::Choice(&**choice),
            Self::File(file) => Reading::File(file),
            Self::Name(name) => Reading::Name(name),
            Self::Points(points) => Reading::Points(points),
        }
    }
}

/// Something that has parameters.
pub trait Params {
    /// Shows every parameter to `visitor`, in order, to be read.
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>));

    /// Shows every parameter to `visitor`, in the same order, to be read or changed.
    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>));

    /// What the thing as a whole does, for people.
    fn doc(&self) -> &'static str;
}

/// A parameter that is one of several names.
pub trait Choice {
    /// The names, in order.
    fn names(&self) -> &'static [&'static str];
    /// What each name means, in the same order.
    fn docs(&self) -> &'static [&'static str];
    /// Which one it is.
    fn index(&self) -> usize;
    /// Makes it number `index`; a number too large changes nothing.
    fn set_index(&mut self, index: usize);
}

/// A Rust type that can be a parameter.
pub trait Parameter {
    /// The value, to be read.
    fn reading(&self) -> Reading<'_>;

    /// The value, to be read or changed.
    fn value(&mut self) -> Value<'_>;
}

impl Parameter for f32 {
    fn reading(&self) -> Reading<'_> {
        Reading::Float(*self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Float(self)
    }
}

impl Parameter for u32 {
    fn reading(&self) -> Reading<'_> {
        Reading::Int(*self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Int(self)
    }
}

impl Parameter for bool {
    fn reading(&self) -> Reading<'_> {
        Reading::Flag(*self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Flag(self)
    }
}

impl Parameter for FilePath {
    fn reading(&self) -> Reading<'_> {
        Reading::File(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::File(self)
    }
}

impl Parameter for Name {
    fn reading(&self) -> Reading<'_> {
        Reading::Name(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Name(self)
    }
}

impl Parameter for Vec<Vec2> {
    fn reading(&self) -> Reading<'_> {
        Reading::Points(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Points(self)
    }
}

/// Declares a struct of parameters: their names, defaults, units, ranges and what they do. With it come
/// [`Params`](crate::params::Params), `Default`, `Clone`, `Debug` and `PartialEq`. After the default stand, where there are any, the
/// unit and the range, and `log` where a slider should be logarithmic.
///
/// ```
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
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $doc:literal])+
        pub struct $Struct:ident {
            $(
                $(#[doc = $field_doc:literal])+
                pub $field:ident: $Type:ty = $default:expr $(, $unit:literal in $range:expr)? $(, $log:ident)?;
            )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Struct {
            $(
                $(#[doc = $field_doc])+
                $(#[doc = concat!("\n\nIn `", stringify!($range), "` ", $unit, ".")])?
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
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($log)?);
                    visitor(&param, $crate::params::Parameter::reading(&self.$field));
                )*
            }

            #[allow(unused_variables)]
            fn visit(
                &mut self,
                visitor: &mut dyn FnMut(&$crate::params::Param, $crate::params::Value<'_>),
            ) {
                $(
                    let param = $crate::param!($field, [$($field_doc)+] $($unit in $range)?, $($log)?);
                    visitor(&param, $crate::params::Parameter::value(&mut self.$field));
                )*
            }

            fn doc(&self) -> &'static str {
                concat!($($doc, "\n"),+).trim()
            }
        }
    };
}
pub(crate) use params;

/// What `params!` knows of one field.
#[doc(hidden)]
#[macro_export]
macro_rules! param {
    ($field:ident, [$($doc:literal)+] $($unit:literal in $range:expr)?, $($log:ident)?) => {{
        #[allow(unused_mut, unused_assignments)]
        let (mut unit, mut range) = ("", f64::NEG_INFINITY..=f64::INFINITY);
        $( unit = $unit; range = $range; )?
        $crate::params::Param {
            name: stringify!($field),
            doc: concat!($($doc, "\n"),+).trim(),
            unit,
            range,
            logarithmic: 0 $( + { let _ = stringify!($log); 1 })? > 0,
        }
    }};
}

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
    /// What the parameter accepts, for people: "a number from 0 to 16 m", "true or false" …
    pub fn accepted(&self, value: Reading<'_>) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let numbers = format!("{} to {}{unit}", self.range.start(), self.range.end());
        match value {
            Reading::Float(_) => format!("a number from {numbers}"),
            Reading::Int(_) => format!("a whole number from {numbers}"),
            Reading::Flag(_) => "true or false".into(),
            Reading::Choice(choice) => format!("one of {}", choice.names().join(", ")),
            Reading::File(_) => "the path of a file".into(),
            Reading::Name(_) => Name::ACCEPTED.into(),
            Reading::Points(_) => {
                format!("a list of places such as [(0.5, 0.0), (0.4, 1.0)], their numbers {numbers}")
            }
        }
    }

    pub(crate) fn check(&self, number: f64) -> Result<(), String> {
        // Compared as f32, because 0.1 is not the same number in both.
        let (low, high) = (*self.range.start() as f32, *self.range.end() as f32);
        if (low..=high).contains(&(number as f32)) {
            return Ok(());
        }
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        Err(format!("{} is outside {low} to {high}{unit}", number as f32))
    }
}

/// The names of all parameters of `params`.
pub fn names(params: &dyn Params) -> Vec<&'static str> {
    let mut names = Vec::new();
    params.read(&mut |param, _| names.push(param.name));
    names
}

/// Sets the parameter called `name` from text, as `--set` does.
///
/// # Errors
/// When there is no such parameter, or the text is not a value that it accepts.
pub fn set_from_text(params: &mut dyn Params, name: &str, text: &str) -> Result<()> {
    let mut outcome = None;
    params.visit(&mut |param, value| {
        if param.name == name {
            let accepted = param.accepted(value.reading());
            outcome = Some(assign(param, value, text).map_err(|reason| {
                Error::parameter(name, reason.unwrap_or_else(|| format!("`{text}` is not {accepted}")))
            }));
        }
    });
    outcome.unwrap_or_else(|| {
        let known = names(params).join(", ");
        Err(Error::parameter(name, format!("there is no such parameter; there are {known}")))
    })
}

fn assign(param: &Param, value: Value<'_>, text: &str) -> Result<(), Option<String>> {
    match value {
        Value::Float(value) => {
            let number: f32 = text.parse().map_err(|_| None)?;
            param.check(f64::from(number))?;
            *value = number;
        }
        Value::Int(value) => {
            let number: i64 = text.parse().map_err(|_| None)?;
            param.check(number as f64)?;
            *value = number as u32;
        }
        Value::Flag(value) => *value = text.parse().map_err(|_| None)?,
        Value::Choice(choice) => {
            let index = choice.names().iter().position(|name| *name == text).ok_or(None)?;
            choice.set_index(index);
        }
        Value::File(file) => file.set(text),
        Value::Name(name) => *name = Name::new(text)?,
        Value::Points(points) => *points = PointsSeed(param).read(text)?,
    }
    Ok(())
}

/// Reads parameters from a map of a recipe; those that are not there stay as they are. What is unknown, given
/// twice or not accepted is an error at its place in the file.
pub(crate) fn set_from_map<'de, A: MapAccess<'de>>(
    params: &mut dyn Params,
    map: &mut A,
) -> Result<(), A::Error> {
    let known = names(params);
    let mut given = vec![false; known.len()];
    while let Some(Key(name)) = map.next_key()? {
        let Some(index) = known.iter().position(|known| *known == name) else {
            return Err(unknown(&name, &known));
        };
        if std::mem::replace(&mut given[index], true) {
            return Err(de::Error::duplicate_field(known[index]));
        }
        let mut outcome = Ok(());
        params.visit(&mut |param, value| {
            if param.name == name {
                outcome = map.next_value_seed(ValueSeed { param, value });
            }
        });
        outcome?;
    }
    Ok(())
}

/// Reads and writes a struct of parameters as one struct of a recipe: `#[serde(with = …)]`.
pub(crate) mod as_struct {
    use std::fmt;
    use std::marker::PhantomData;

    use serde::de::{self, MapAccess};
    use serde::ser::SerializeStruct;

    use super::{Params, fields, names, set_from_map};

    /// Writes every parameter.
    pub(crate) fn serialize<T: Params, S: serde::Serializer>(
        params: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Params", names(params).len())?;
        fields(params, |name, value| out.serialize_field(name, value))?;
        out.end()
    }

    /// Reads parameters; those that are not there keep their default.
    pub(crate) fn deserialize<'de, T: Params + Default, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        deserializer.deserialize_struct("", &[], Reader(PhantomData))
    }

    struct Reader<T>(PhantomData<T>);

    impl<'de, T: Params + Default> de::Visitor<'de> for Reader<T> {
        type Value = T;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "parameters in parentheses")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
            let mut params = T::default();
            set_from_map(&mut params, &mut map)?;
            Ok(params)
        }
    }
}

/// The name of a field, as RON reads it.
pub(crate) struct Key(pub(crate) String);

impl<'de> serde::Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl de::Visitor<'_> for Reader {
            type Value = Key;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a name")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Key, E> {
                Ok(Key(name.to_owned()))
            }
        }
        deserializer.deserialize_identifier(Reader)
    }
}

/// The error for a field that nobody knows.
fn unknown<E: de::Error>(name: &str, known: &[&str]) -> E {
    if known.is_empty() {
        return E::custom(format!("unknown field `{name}`; there are none here"));
    }
    E::custom(format!("unknown field `{name}`; there are {}", known.join(", ")))
}

/// Reads one field; an error that doesn't name it, because the value is of another kind altogether, gets
/// its name and what it takes.
pub(crate) fn read_named<'de, T: de::Deserialize<'de>, D: serde::Deserializer<'de>>(
    name: &str,
    accepted: &str,
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(deserializer).map_err(|error| of_another_kind(name, accepted, &error))
}

fn of_another_kind<E: de::Error>(name: &str, accepted: &str, error: &E) -> E {
    E::custom(format!("`{name}`: {error}; it takes {accepted}"))
}

struct ValueSeed<'p, 'v> {
    param: &'p Param,
    value: Value<'v>,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { param, value } = self;
        let accepted = param.accepted(value.reading());
        let read = match value {
            Value::Float(_) => deserializer.deserialize_f32(ValueSeed { param, value }),
            // Whatever it is, so that -1 and 3.5 are told as they are.
            Value::Int(_) => deserializer.deserialize_any(ValueSeed { param, value }),
            Value::Flag(_) => deserializer.deserialize_bool(ValueSeed { param, value }),
            Value::Choice(_) => deserializer.deserialize_identifier(ValueSeed { param, value }),
            Value::File(_) | Value::Name(_) => deserializer.deserialize_str(ValueSeed { param, value }),
            Value::Points(points) => PointsSeed(param).deserialize(deserializer).map(|read| {
                *points = read;
                Ok(())
            }),
        };
        match read {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(de::Error::custom(format!("`{}`: {reason}", param.name))),
            Err(error) => Err(of_another_kind(param.name, &accepted, &error)),
        }
    }
}

/// What is read is right, or why it is not.
impl de::Visitor<'_> for ValueSeed<'_, '_> {
    type Value = Result<(), String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.param.accepted(self.value.reading()))
    }

    fn visit_bool<E: de::Error>(self, given: bool) -> Result<Self::Value, E> {
        Ok(match self.value {
            Value::Flag(value) => {
                *value = given;
                Ok(())
            }
            _ => self.refuse(given),
        })
    }

    fn visit_f64<E: de::Error>(self, given: f64) -> Result<Self::Value, E> {
        Ok(match self.value {
            Value::Float(value) => self.param.check(given).map(|()| *value = given as f32),
            // With its point, because 3.0 is not taken for a 3.
            _ => self.refuse(format!("{given:?}")),
        })
    }

    fn visit_u64<E: de::Error>(self, given: u64) -> Result<Self::Value, E> {
        Ok(match self.value {
            Value::Float(value) => self.param.check(given as f64).map(|()| *value = given as f32),
            Value::Int(value) => self.param.check(given as f64).map(|()| *value = given as u32),
            _ => self.refuse(given),
        })
    }

    fn visit_i64<E: de::Error>(self, given: i64) -> Result<Self::Value, E> {
        match (u64::try_from(given), &self.value) {
            (Ok(given), _) => self.visit_u64(given),
            // No whole number below 0 is accepted by any parameter.
            (Err(_), Value::Int(_)) => Ok(self.param.check(given as f64)),
            (Err(_), _) => self.visit_f64(given as f64),
        }
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<Self::Value, E> {
        Ok(match self.value {
            Value::File(file) => {
                file.set(given);
                Ok(())
            }
            Value::Name(name) => Name::new(given).map(|given| *name = given),
            Value::Choice(choice) => match choice.names().iter().position(|name| *name == given) {
                Some(index) => {
                    choice.set_index(index);
                    Ok(())
                }
                None => Err(format!("`{given}` is not one of {}", choice.names().join(", "))),
            },
            _ => self.refuse(format!("\"{given}\"")),
        })
    }

    /// What RON makes of a name where any value may stand.
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(self.refuse("this"))
    }
}

impl ValueSeed<'_, '_> {
    fn refuse(&self, given: impl fmt::Display) -> Result<(), String> {
        Err(format!("{given} is not {}", self.param.accepted(self.value.reading())))
    }
}

/// Hands every parameter to `write` as something that serde can write. The counterpart of
/// [`set_from_map`].
pub(crate) fn fields<E>(
    params: &dyn Params,
    mut write: impl FnMut(&'static str, &Reading<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut outcome = Ok(());
    params.read(&mut |param, value| {
        if outcome.is_ok() {
            outcome = write(param.name, &value);
        }
    });
    outcome
}

impl serde::Serialize for Reading<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Reading::Float(value) => serializer.serialize_f32(*value),
            Reading::Int(value) => serializer.serialize_u32(*value),
            Reading::Flag(value) => serializer.serialize_bool(*value),
            Reading::File(file) => serializer.serialize_str(file.text()),
            Reading::Name(name) => serializer.serialize_str(name.as_str()),
            Reading::Points(points) => points::serialize(points, serializer),
            // As RON writes the variants of an enum: a bare name.
            Reading::Choice(choice) => {
                let index = choice.index();
                serializer.serialize_unit_variant("Choice", index as u32, choice.names()[index])
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(seen[3], ("wrap", "Whether.", "", false));
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
        assert_eq!(thing, Thing { height: 0.1, count: 8, shape: Shape::Square, wrap: true, places, label });
    }

    #[test]
    fn what_is_not_accepted_is_refused_with_what_would_be() {
        let mut thing = Thing::default();
        let mut say = |name, text| set_from_text(&mut thing, name, text).unwrap_err().to_string();
        assert_eq!(say("height", "1000"), "height: 1000 is outside 0.1 to 100 m");
        assert_eq!(say("height", "NaN"), "height: NaN is outside 0.1 to 100 m");
        assert_eq!(say("count", "-2"), "count: -2 is outside 1 to 8");
        assert_eq!(say("count", "two"), "count: `two` is not a whole number from 1 to 8");
        assert_eq!(say("count", "2.5"), "count: `2.5` is not a whole number from 1 to 8");
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
            "width: there is no such parameter; there are height, count, shape, wrap, places, label"
        );
        assert_eq!(thing, Thing::default());
    }
}
