//! Setting parameters from text by their paths, as `--set` does: `octaves`, `light.bearing`,
//! `types.2.elevation.min`, `types.snow.elevation.min`.

use serde::de::DeserializeSeed;

use super::param::{NO_FILE, NO_LAYER};
use super::place::axis;
use super::points::PointsSeed;
use super::read::{FieldSeed, WholeSeed};
use super::reason::reason_of;
use super::value::Within;
use super::walk::{self, name_of};
use super::{List, Name, Param, Params, Reading, Value, colour, names};
use crate::error::Error;

/// The text that removes an optional value.
const NONE: &str = "none";

/// How many of a list's entries an error names at most.
const MOST_NAMES: usize = 12;

/// The RON dialect of recipes.
#[doc(hidden)]
pub fn ron_options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
}

/// Sets the parameter at `path` from text, as `--set` does. Inside a group the path continues with a point
/// and a name; inside a list with the index of an entry, from 0, or its name. An optional value is created
/// when something in it is set, and removed by `none`. A group, a list or an optional value may also be
/// given whole, in RON.
///
/// ```
/// # use upland_core as upland;
/// use upland::params::set_from_text;
///
/// let mut texture = upland::texture::Texture::temperate();
/// set_from_text(&mut texture, "types.snow.elevation.min", "0.5")?;
/// set_from_text(&mut texture, "light.bearing", "300")?;
/// assert_eq!(texture.types.last().map(|snow| snow.elevation.min), Some(0.5));
/// assert_eq!(texture.light.map(|light| light.bearing), Some(300.0));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When there is no such parameter or it does not accept the text; the message lists what is available.
/// Some of the change may have been made by then.
pub fn set_from_text(params: &mut dyn Params, path: &str, text: &str) -> crate::Result<()> {
    set_in(params, "", path, text).map_err(|reason| Error::parameter(path, reason))
}

/// As [`set_from_text`]; errors call `params` by `name` and continue the path from there.
#[doc(hidden)]
pub fn set_in(params: &mut dyn Params, name: &str, path: &str, text: &str) -> Result<(), String> {
    set(params, name, path, text)?;
    // Afterwards the values must also agree with each other, and required files must be named.
    walk::check(params, name).map_err(|error| error.to_string())
}

/// As [`set_in`] where the path begins at `params`, but checks only the parameter that the path begins with:
/// for a whole recipe, in which the user may have other mistakes to correct.
pub(crate) fn set_part(params: &mut dyn Params, path: &str, text: &str) -> Result<(), String> {
    set(params, "", path, text)?;
    let (part, _) = parted(path);
    walk::check_chosen(params, |name| name == part).map_err(|error| error.to_string())
}

/// Replaces all of `params` by what a recipe would write for it.
#[doc(hidden)]
pub fn set_whole_from_text(params: &mut dyn Params, text: &str) -> Result<(), String> {
    let accepted = accepted_whole(params);
    from_recipe(WholeSeed { params, place: "" }, text, &accepted)
}

/// What is accepted for all of `params`.
fn accepted_whole(params: &dyn Params) -> String {
    match params.forms() {
        Some(forms) => format!("one of {}", forms.names().join(", ")),
        None => format!("any of {} in parentheses", names(params).join(", ")),
    }
}

/// Reads a whole value. Where the text is something else entirely, the error says what is `accepted`: RON's
/// own would name Rust types.
fn from_recipe<'t>(
    seed: impl DeserializeSeed<'t, Value = ()>,
    text: &'t str,
    accepted: &str,
) -> Result<(), String> {
    use ron::Error::{
        ExpectedArray, ExpectedDifferentStructName, ExpectedNamedStructLike, ExpectedStructLike,
        ExpectedStructName,
    };
    ron_options().from_str_seed(text, seed).map_err(|error| match error.code {
        ExpectedArray
        | ExpectedStructLike
        | ExpectedNamedStructLike(_)
        | ExpectedStructName(_)
        | ExpectedDifferentStructName { .. } => format!("`{text}` is not {accepted}"),
        code => reason_of(code),
    })
}

/// Sets the parameter at `rest`, a path within `params`; `so_far` is the path of `params`.
fn set(params: &mut dyn Params, so_far: &str, rest: &str, text: &str) -> Result<(), String> {
    let (name, deeper) = parted(rest);
    let mut outcome = None;
    params.visit(&mut |param, value| {
        if param.is_called(name) {
            let path = if so_far.is_empty() { name.to_owned() } else { format!("{so_far}.{name}") };
            outcome = Some(set_value(param, value, &path, deeper, text));
        }
    });
    match outcome {
        Some(outcome) => outcome?,
        None => {
            let known = names(params).join(", ");
            return Err(match (so_far, list_of(params)) {
                ("", _) => format!("there is no such parameter; there are {known}"),
                // A number instead of a name, in a group that has a list: an entry of that list is meant.
                (place, Some(list)) if name.parse::<usize>().is_ok() => {
                    format!("there is no `{name}`; the entries of `{place}` are `{place}.{list}.0` and so on")
                }
                (place, _) => format!("there is no `{name}`; `{place}` has {known}"),
            });
        }
    }
    params.follow(name);
    Ok(())
}

/// The name of the first list in `params`.
fn list_of(params: &dyn Params) -> Option<&'static str> {
    let mut found = None;
    params.read(&mut |param, value| {
        if matches!(value, Reading::List(_)) {
            found = found.or(Some(param.name));
        }
    });
    found
}

fn parted(path: &str) -> (&str, Option<&str>) {
    match path.split_once('.') {
        Some((name, deeper)) => (name, Some(deeper)),
        None => (path, None),
    }
}

fn set_value(
    param: &Param,
    value: Value<'_>,
    path: &str,
    deeper: Option<&str>,
    text: &str,
) -> Result<(), String> {
    match (value, deeper) {
        (Value::Optional(optional), None) if text == NONE => optional.clear(),
        (Value::Optional(optional), deeper) => {
            // A value created for this alone must not stay if the text is refused.
            let was_there = optional.reading().is_some();
            let set = set_value(&param.once_there(), optional.insert(), path, deeper, text);
            if set.is_err() && !was_there {
                optional.clear();
            }
            return set;
        }
        (Value::Group(group), Some(deeper)) => {
            return set(&mut Within { param, group }, path, deeper, text);
        }
        (Value::List(list), Some(deeper)) => {
            let (name, deeper) = parted(deeper);
            let item = item(list, path, name)?;
            return match deeper {
                Some(deeper) => set(item, &format!("{path}.{name}"), deeper, text),
                None => set_whole_from_text(item, text),
            };
        }
        (Value::Place(place), Some(name)) => {
            let number = axis(place, name).map_err(|reason| format!("there is no `{name}`; {reason}"))?;
            return assign(param, Value::Float(number), text);
        }
        (value @ (Value::Group(_) | Value::List(_) | Value::Colours(_) | Value::Place(_)), None) => {
            let accepted = param.accepted(value.reading());
            return from_recipe(FieldSeed { param, place: "", value }, text, &accepted);
        }
        (value @ Value::Colour(_), None) if text.starts_with('(') => {
            let accepted = param.accepted(value.reading());
            return from_recipe(FieldSeed { param, place: "", value }, text, &accepted);
        }
        (value, None) => return assign(param, value, text),
        (value, Some(_)) => {
            let accepted = param.accepted(value.reading());
            return Err(format!("`{path}` has no parts; it is {accepted}"));
        }
    }
    Ok(())
}

/// The entry of a list that a path calls `name`: its index, or its own name if no other has it.
fn item<'a>(list: &'a mut dyn List, path: &str, name: &str) -> Result<&'a mut dyn Params, String> {
    let count = list.count();
    let called = |index: &usize| list.item(*index).and_then(name_of).is_some_and(|known| known == name);
    // An index comes first: a name made of digits can still be reached by its index.
    let index = match name.parse().ok().filter(|index| *index < count) {
        Some(index) => Some(index),
        None => match (0..count).filter(called).collect::<Vec<_>>()[..] {
            [first, second, ..] => {
                return Err(format!(
                    "`{path}` has several entries called {name}; give the index of one: {first}, {second} …"
                ));
            }
            [only] => Some(only),
            [] => None,
        },
    };
    let Some(index) = index else {
        let known: Vec<_> = (0..count).filter_map(|index| list.item(index).and_then(name_of)).collect();
        let mut reason = format!("there is no {name} in `{path}`; it has {count}, counted from 0");
        if !known.is_empty() && known.len() <= MOST_NAMES {
            reason += &format!(": {}", known.join(", "));
        }
        return Err(reason);
    };
    list.item_mut(index).ok_or_else(|| format!("`{path}` has no {index}"))
}

fn assign(param: &Param, value: Value<'_>, text: &str) -> Result<(), String> {
    let accepted = param.accepted(value.reading());
    try_assign(param, value, text)
        .map_err(|reason| reason.unwrap_or_else(|| format!("`{text}` is not {accepted}")))
}

/// The error is `None` where the text is of the wrong type entirely.
fn try_assign(param: &Param, value: Value<'_>, text: &str) -> Result<(), Option<String>> {
    match value {
        Value::Float(value) => {
            let number: f32 = text.parse().map_err(|_| None)?;
            param.check(f64::from(number))?;
            *value = number;
        }
        Value::Int(value) => *value = whole(param, text)?,
        Value::Byte(value) => *value = whole(param, text)? as u8,
        Value::Short(value) => *value = whole(param, text)? as u16,
        Value::Seed(value) => *value = text.parse().map_err(|_| None)?,
        Value::Size(value) => {
            let size = size_of(text).ok_or_else(|| {
                const NUMBERS: &str = "two numbers of samples, such as (1025, 513) or 1025x513";
                param.or.map(|word| format!("`{text}` is neither {NUMBERS}, nor {word}"))
            })?;
            param.check_size(size)?;
            *value = size;
        }
        Value::Flag(value) => {
            *value = text.parse().map_err(|_| format!("`{text}` is neither true nor false"))?;
        }
        Value::Choice(choice) => {
            let index = choice.names().iter().position(|name| *name == text).ok_or(None)?;
            choice.set_index(index);
        }
        Value::File(_) if param.required && text.is_empty() => return Err(Some(NO_FILE.into())),
        Value::File(file) => file.set(text),
        Value::Points(points) => *points = PointsSeed(param).read(text)?,
        Value::Name(_) if param.required && text.is_empty() => return Err(Some(NO_LAYER.into())),
        Value::Name(name) => *name = Name::new(text)?,
        Value::Text(value) => text.clone_into(value),
        Value::Colour(value) => *value = colour::from_hex(text).ok_or_else(|| colour::refused(text))?,
        Value::Colours(_) | Value::Place(_) | Value::Group(_) | Value::List(_) | Value::Optional(_) => {
            return Err(None);
        }
    }
    Ok(())
}

/// Two numbers of samples, as `(1025, 513)` or as `1025x513`.
fn size_of(text: &str) -> Option<(u32, u32)> {
    let (width, depth) = text.trim_matches(['(', ')']).split_once([',', 'x'])?;
    Some((width.trim().parse().ok()?, depth.trim().parse().ok()?))
}

fn whole(param: &Param, text: &str) -> Result<u32, Option<String>> {
    // As i64, so that −1 is outside the range, and not `not a number`.
    let number: i64 = text.parse().map_err(|_| None)?;
    param.check(number as f64)?;
    // The range, which was checked, is within 0 to 2³² − 1.
    Ok(number as u32)
}
