//! Writing parameters into a recipe.

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};

use super::{Param, Params, Reading, colour, points};

/// Passes every parameter that is to be written to `write`, as something that serde can serialise. The
/// counterpart of [`set_from_map`](super::set_from_map).
pub(crate) fn fields<E>(
    params: &dyn Params,
    mut write: impl FnMut(&'static str, &Field<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut outcome = Ok(());
    params.read(&mut |param, value| {
        if outcome.is_ok() && is_in_file(param, value) {
            outcome = write(param.name, &Field { param, value });
        }
    });
    outcome
}

/// Whether a file has the parameter.
fn is_in_file(param: &Param, value: Reading<'_>) -> bool {
    let is_empty = match value {
        Reading::Text(text) => text.is_empty(),
        Reading::List(list) => list.count() == 0,
        Reading::Flag(flag) => !flag,
        Reading::Group(group) => group.is_default(),
        _ => false,
    };
    is_written(value) && !(param.unless_empty && is_empty)
}

/// Whether there is anything to write: absent values, and groups that hold only such, are not written.
// Absent values are left out of a file, so that recipes hold only what was chosen.
pub(super) fn is_written(value: Reading<'_>) -> bool {
    match value {
        Reading::Optional(optional) => optional.reading().is_some(),
        Reading::Colours(colours) => !colours.is_empty(),
        Reading::Group(group) if group.forms().is_none() => {
            let mut any = false;
            group.read(&mut |_, value| any |= is_written(value));
            any
        }
        _ => true,
    }
}

/// A parameter and its value.
pub(crate) struct Field<'a> {
    param: &'a Param,
    value: Reading<'a>,
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Reading::Optional(optional) if !self.param.bare => match optional.reading() {
                Some(value) => serializer.serialize_some(&value),
                None => serializer.serialize_none(),
            },
            value => value.serialize(serializer),
        }
    }
}

impl Serialize for Reading<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Reading::Float(value) => serializer.serialize_f32(*value),
            Reading::Int(value) => serializer.serialize_u32(*value),
            Reading::Seed(value) => serializer.serialize_u64(*value),
            Reading::Size(size) => size.serialize(serializer),
            Reading::Flag(value) => serializer.serialize_bool(*value),
            Reading::File(file) => serializer.serialize_str(file.text()),
            Reading::Points(points) => points::serialize(points, serializer),
            Reading::Name(name) => serializer.serialize_str(name.as_str()),
            Reading::Text(text) => serializer.serialize_str(text),
            // Hexadecimal if that is exact, so that reading gives the same bits back.
            Reading::Colour(colour) => match colour::to_exact_hex(*colour) {
                Some(hex) => serializer.serialize_str(&hex),
                None => colour.serialize(serializer),
            },
            Reading::Colours(colours) => {
                serializer.collect_seq(colours.iter().map(|levels| colour::levels_to_hex(*levels)))
            }
            Reading::Place((x, y, z)) => {
                let mut place = serializer.serialize_tuple(3)?;
                [x, y, z].into_iter().try_for_each(|number| place.serialize_element(number))?;
                place.end()
            }
            // As RON writes the variants of an enum: a bare name.
            Reading::Choice(choice) => {
                let index = choice.index();
                serializer.serialize_unit_variant("Choice", index as u32, choice.names()[index])
            }
            Reading::Group(group) => Whole(*group).serialize(serializer),
            Reading::List(list) => {
                let mut out = serializer.serialize_seq(Some(list.count()))?;
                for item in (0..list.count()).filter_map(|index| list.item(index)) {
                    out.serialize_element(&Whole(item))?;
                }
                out.end()
            }
            Reading::Optional(optional) => match optional.reading() {
                Some(value) => value.serialize(serializer),
                None => serializer.serialize_none(),
            },
        }
    }
}

/// All parameters of a struct, or of one of several forms.
pub(super) struct Whole<'a>(pub(super) &'a dyn Params);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = match self.0.type_name() {
            // RON writes no name of a struct, but serde demands one.
            "" => "Params",
            name => name,
        };
        if let Some(forms) = self.0.forms() {
            let (index, form) = (forms.index(), forms.names()[forms.index()]);
            return match forms.inner() {
                Some(inner) => serializer.serialize_newtype_variant(name, index as u32, form, &Whole(inner)),
                None => serializer.serialize_unit_variant(name, index as u32, form),
            };
        }
        let mut count = 0;
        // serde wants the count before the fields.
        self.0.read(&mut |param, value| count += usize::from(is_in_file(param, value)));
        let mut out = serializer.serialize_struct(name, count)?;
        fields(self.0, |name, field| out.serialize_field(name, field))?;
        out.end()
    }
}
