//! Reading parameters from a recipe. An unknown field, one given twice, a missing required one or a value
//! that is not accepted is an error at its place in the file.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess};

use super::colour::{self, Levels};
use super::param::{MAX_COLOURS, NO_FILE, NO_LAYER};
use super::place::PlaceSeed;
use super::points::PointsSeed;
use super::value::Within;
use super::{List, Name, Optional, Param, Params, Reading, Value, lists, names};

/// Reads parameters from a map of a recipe; those that it doesn't give stay as they are.
pub(crate) fn set_from_map<'de, A: MapAccess<'de>>(
    params: &mut dyn Params,
    map: &mut A,
) -> Result<(), A::Error> {
    set_in(params, "", map)
}

/// `place` is the prefix of names in errors: empty, or the path so far with a trailing point.
fn set_in<'de, A: MapAccess<'de>>(params: &mut dyn Params, place: &str, map: &mut A) -> Result<(), A::Error> {
    set_fields(params, place, map, None)
}

/// Fields of a file in addition to the parameters of the thing that it describes.
pub(crate) trait Further<'de, A: MapAccess<'de>> {
    /// Their names, and whether a file must give them. A parameter may be among them, whose value is then
    /// read here.
    fn fields(&self) -> &'static [(&'static str, bool)];

    /// Reads the value of the field `name`.
    fn read(&mut self, name: &str, map: &mut A) -> Result<(), A::Error>;

    /// The error for a field whose name is neither one of these nor that of a parameter.
    fn unknown(&self, name: &str, params: &dyn Params) -> A::Error;
}

/// Reads parameters from a map that may have `further` fields as well.
pub(crate) fn set_fields<'de, A: MapAccess<'de>>(
    params: &mut dyn Params,
    place: &str,
    map: &mut A,
    mut further: Option<&mut dyn Further<'de, A>>,
) -> Result<(), A::Error> {
    let fields = further.as_ref().map_or(&[][..], |further| further.fields());
    // Names as they are now: an old and a new name of one parameter are the same, and given twice.
    let mut given = Vec::new();
    while let Some(Key(name)) = map.next_key()? {
        let field = fields.iter().map(|(field, _)| *field).find(|field| *field == name);
        let mut found = field;
        params.read(&mut |param, _| {
            if param.is_called(&name) {
                found = Some(param.name);
            }
        });
        let Some(known) = found else {
            return Err(match &further {
                Some(further) => further.unknown(&name, params),
                None => unknown(&name, &names(params)),
            });
        };
        if given.contains(&known) {
            return Err(de::Error::duplicate_field(known));
        }
        given.push(known);
        if let (Some(further), Some(field)) = (&mut further, field) {
            further.read(field, map)?;
            continue;
        }
        let mut outcome = Ok(());
        // The value is read inside the visitor, because its place can't be borrowed any longer than that.
        params.visit(&mut |param, value| {
            if param.name == known {
                // Line and column say which part of a document is meant, so that its path can be short.
                let is_part = further.is_some() && has_parts(value.reading());
                let nameless = is_part.then(|| Param { name: "", ..param.clone() });
                let param = nameless.as_ref().unwrap_or(param);
                outcome = map.next_value_seed(FieldSeed { param, place, value });
            }
        });
        outcome?;
    }
    let mut required = fields.iter().filter(|(_, is_required)| *is_required).map(|(name, _)| *name);
    let mut missing = required.find(|name| !given.contains(name));
    params.read(&mut |param, _| {
        if param.required && !given.contains(&param.name) {
            missing = missing.or(Some(param.name));
        }
    });
    if let Some(name) = missing {
        return Err(de::Error::missing_field(name));
    }
    // Last, because it compares values with each other.
    params.law().map_err(|reason| de::Error::custom(named(place.trim_end_matches('.'), reason)))
}

/// Whether a value has parameters of its own, or may have.
pub(crate) fn has_parts(value: Reading<'_>) -> bool {
    match value {
        Reading::Group(_) | Reading::List(_) => true,
        Reading::Optional(optional) => {
            let mut has = false;
            optional.usual(&mut |value| has = has_parts(value));
            has
        }
        _ => false,
    }
}

fn named(name: &str, reason: impl fmt::Display) -> String {
    if name.is_empty() { reason.to_string() } else { format!("`{name}`: {reason}") }
}

/// Reads and writes a struct of parameters as one struct of a recipe: `#[serde(with = …)]`.
pub(crate) mod as_struct {
    use serde::de::DeserializeSeed;
    use serde::ser::Serialize;

    use super::super::write::Whole;
    use super::{Params, WholeSeed};

    /// Writes every parameter.
    pub(crate) fn serialize<T: Params, S: serde::Serializer>(
        params: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Whole(params).serialize(serializer)
    }

    /// Reads a struct of parameters; those that are not given keep their defaults.
    pub(crate) fn deserialize<'de, T: Params + Default, D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let mut params = T::default();
        WholeSeed { params: &mut params, place: "" }.deserialize(deserializer)?;
        Ok(params)
    }
}

/// Reads all parameters of a struct, or one of several forms.
pub(super) struct WholeSeed<'a> {
    pub(super) params: &'a mut dyn Params,
    /// The prefix of names in errors: empty, or the path so far with a trailing point.
    pub(super) place: &'a str,
}

impl<'de> DeserializeSeed<'de> for WholeSeed<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let name = self.params.type_name();
        match self.params.forms() {
            Some(_) => deserializer.deserialize_enum(name, &[], self),
            None => deserializer.deserialize_struct(name, &[], self),
        }
    }
}

impl<'de> de::Visitor<'de> for WholeSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.params.forms() {
            Some(forms) => write!(formatter, "one of {}", forms.names().join(", ")),
            None => write!(formatter, "parameters in parentheses"),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        set_in(self.params, self.place, &mut map)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let (Key(name), variant) = access.variant()?;
        let known = self.params.forms().map_or(&[][..], |forms| forms.names());
        let forms = known.iter().position(|known| *known == name).zip(self.params.forms_mut());
        let Some((index, forms)) = forms else {
            return Err(de::Error::custom(format!("unknown `{name}`; there are {}", known.join(", "))));
        };
        match forms.take(index) {
            Some(params) => variant.newtype_variant_seed(WholeSeed { params, place: self.place }),
            None => variant.unit_variant(),
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

/// The error for an unknown field.
fn unknown<E: de::Error>(name: &str, known: &[&str]) -> E {
    if known.is_empty() {
        return E::custom(format!("unknown field `{name}`; there are none here"));
    }
    E::custom(format!("unknown field `{name}`; there are {}", known.join(", ")))
}

/// Reads one field. An error that does not name the field, because the value is of the wrong type, gets the
/// field's name and what it accepts.
pub(crate) fn read_named<'de, T: de::Deserialize<'de>, D: serde::Deserializer<'de>>(
    name: &str,
    accepted: &str,
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(deserializer).map_err(|error| type_error(name, accepted, &error))
}

/// The error for a value of the wrong type, with the field's name and what it accepts.
fn type_error<E: de::Error>(name: &str, accepted: &str, error: &E) -> E {
    // The parser's own messages use names of Rust types. Only their text is known here; `reason` explains the
    // errors whose codes are known.
    E::custom(match error.to_string().as_str() {
        "Expected float" | "Expected integer" => {
            format!("`{name}`: it takes {accepted}; write numbers without quotes and without a unit")
        }
        "Expected string" => {
            format!("`{name}`: it takes {accepted}; write it in straight quotes: \"…\"")
        }
        "Expected end of string" => {
            format!("`{name}`: the text is not closed; close it with a quote")
        }
        "Expected boolean" => format!("`{name}`: it takes {accepted}"),
        said => format!("`{name}`: {said}; it takes {accepted}"),
    })
}

/// Reads one parameter; `place` is the prefix of its name in errors.
pub(crate) struct FieldSeed<'p, 'v> {
    pub(crate) param: &'p Param,
    pub(crate) place: &'p str,
    pub(crate) value: Value<'v>,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { param, place, value } = self;
        let name = format!("{place}{}", param.name);
        let accepted = param.accepted(value.reading());
        let read = match value {
            // These report their errors themselves.
            Value::Group(group) => {
                let place = if name.is_empty() { name } else { name + "." };
                return WholeSeed { params: &mut Within { param, group }, place: &place }
                    .deserialize(deserializer);
            }
            Value::List(list) => {
                return deserializer.deserialize_seq(ListSeed { param, name: &name, list });
            }
            Value::Optional(optional) if param.bare => {
                let (param, value) = (&param.once_there(), optional.insert());
                return FieldSeed { param, place, value }.deserialize(deserializer);
            }
            Value::Optional(optional) => {
                return deserializer.deserialize_option(OptionSeed { param, place, optional });
            }
            Value::Float(_) => deserializer.deserialize_f32(FieldSeed { param, place, value }),
            // Read as any value, so that the error can quote numbers such as -1 and 3.5 as they were written.
            Value::Int(_) | Value::Byte(_) | Value::Short(_) => {
                deserializer.deserialize_any(FieldSeed { param, place, value })
            }
            Value::Seed(_) => deserializer.deserialize_u64(FieldSeed { param, place, value }),
            Value::Size(size) => <(u32, u32)>::deserialize(deserializer).map(|read| {
                param.check_size(read)?;
                *size = read;
                Ok(())
            }),
            Value::Flag(_) => deserializer.deserialize_bool(FieldSeed { param, place, value }),
            Value::Choice(_) => deserializer.deserialize_identifier(FieldSeed { param, place, value }),
            Value::File(_) | Value::Name(_) | Value::Text(_) => {
                deserializer.deserialize_str(FieldSeed { param, place, value })
            }
            // "#7a8c4f" or three numbers.
            Value::Colour(_) => deserializer.deserialize_any(FieldSeed { param, place, value }),
            Value::Points(points) => PointsSeed(param).deserialize(deserializer).map(|read| {
                *points = read;
                Ok(())
            }),
            Value::Colours(colours) => lists::at_most::<MAX_COLOURS, Levels, D>(deserializer).map(|read| {
                *colours = read.into_iter().map(|Levels(levels)| levels).collect();
                Ok(())
            }),
            Value::Place(place) => PlaceSeed(param).deserialize(deserializer).map(|read| {
                *place = read;
                Ok(())
            }),
        };
        match read {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(de::Error::custom(named(&name, reason))),
            Err(error) => Err(type_error(&name, &accepted, &error)),
        }
    }
}

/// Accepts what was read, or says why not.
impl<'de> de::Visitor<'de> for FieldSeed<'_, '_> {
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
            // With its point, because 3.0 is not accepted as a 3.
            _ => self.refuse(format!("{given:?}")),
        })
    }

    fn visit_u64<E: de::Error>(self, given: u64) -> Result<Self::Value, E> {
        Ok(match self.value {
            // `2` is as good a number as `2.0`.
            Value::Float(value) => self.param.check(given as f64).map(|()| *value = given as f32),
            // The range is within the type's, so the conversions below lose nothing once it is checked.
            Value::Int(value) => self.param.check(given as f64).map(|()| *value = given as u32),
            Value::Byte(value) => self.param.check(given as f64).map(|()| *value = given as u8),
            Value::Short(value) => self.param.check(given as f64).map(|()| *value = given as u16),
            Value::Seed(value) => {
                *value = given;
                Ok(())
            }
            _ => self.refuse(given),
        })
    }

    fn visit_i64<E: de::Error>(self, given: i64) -> Result<Self::Value, E> {
        match (u64::try_from(given), &self.value) {
            (Ok(given), _) => self.visit_u64(given),
            // No parameter accepts a negative whole number.
            (Err(_), Value::Int(_) | Value::Byte(_) | Value::Short(_)) => Ok(self.param.check(given as f64)),
            (Err(_), Value::Seed(_)) => Ok(self.refuse(given)),
            (Err(_), _) => self.visit_f64(given as f64),
        }
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<Self::Value, E> {
        Ok(match self.value {
            Value::File(_) if self.param.required && given.is_empty() => Err(NO_FILE.into()),
            Value::File(file) => {
                file.set(given);
                Ok(())
            }
            Value::Name(_) if self.param.required && given.is_empty() => Err(NO_LAYER.into()),
            Value::Name(name) => Name::new(given).map(|given| *name = given),
            Value::Text(text) => {
                given.clone_into(text);
                Ok(())
            }
            Value::Colour(colour) => match colour::from_hex(given) {
                Some(read) => {
                    *colour = read;
                    Ok(())
                }
                None => Err(colour::refused(given)),
            },
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

    /// The three numbers of a colour.
    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Self::Value, A::Error> {
        let Value::Colour(colour) = self.value else {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
        };
        let mut read = [0.0; 3];
        for (index, channel) in read.iter_mut().enumerate() {
            let number = numbers.next_element()?;
            *channel = number.ok_or_else(|| de::Error::invalid_length(index, &"three numbers"))?;
            // Reported here, so that a recipe's error points at the number.
            colour::check_channel(*channel).map_err(de::Error::custom)?;
        }
        *colour = read;
        Ok(Ok(()))
    }

    /// RON calls this for a bare name where any value may stand.
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(self.refuse("this"))
    }
}

impl FieldSeed<'_, '_> {
    fn refuse(&self, given: impl fmt::Display) -> Result<(), String> {
        Err(format!("{given} is not {}", self.param.accepted(self.value.reading())))
    }
}

/// Reads an optional value: `Some(…)` or `None` where RON asks for that.
struct OptionSeed<'p, 'v> {
    param: &'p Param,
    place: &'p str,
    optional: &'v mut dyn Optional,
}

impl<'de> de::Visitor<'de> for OptionSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Some(...) or None")
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.optional.clear();
        Ok(())
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let (param, value) = (&self.param.once_there(), self.optional.insert());
        FieldSeed { param, place: self.place, value }.deserialize(deserializer)
    }
}

/// Reads a list, which replaces the present entries.
struct ListSeed<'p, 'v> {
    param: &'p Param,
    /// The list's name in errors.
    name: &'p str,
    list: &'v mut dyn List,
}

impl<'de> de::Visitor<'de> for ListSeed<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {} entries", self.param.range.end())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        // A list that is given replaces the usual one.
        self.list.clear();
        loop {
            let index = self.list.count();
            let place = if self.name.is_empty() { String::new() } else { format!("{}.{index}.", self.name) };
            let (param, list) = (self.param, &mut *self.list);
            if entries.next_element_seed(ItemSeed { param, list, place: &place })?.is_none() {
                let enough = param.check_count(index);
                // Too few entries are noticed only at the end.
                return enough.map_err(|reason| de::Error::custom(named(self.name, reason)));
            }
        }
    }
}

/// Reads and appends one entry of a list.
struct ItemSeed<'p, 'v> {
    param: &'p Param,
    list: &'v mut dyn List,
    place: &'p str,
}

impl<'de> DeserializeSeed<'de> for ItemSeed<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        // Lists are bounded: an entry of three letters may take a thousand bytes of memory.
        if self.list.count() as f64 >= *self.param.range.end() {
            let most = self.param.range.end();
            return Err(de::Error::custom(format!("a list of more than {most} entries; leave some out")));
        }
        WholeSeed { params: self.list.add(), place: self.place }.deserialize(deserializer)
    }
}
