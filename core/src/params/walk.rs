//! Walks over parameters, including those in groups and lists.

use super::colour::check_channel;
use super::param::{MAX_COLOURS, NO_FILE, NO_LAYER};
use super::value::Within;
use super::write::is_written;
use super::{List, MAX_POINTS, Param, Params, Reading, Value};
use crate::error::{Error, Result};

/// Calls `visitor` with every parameter that is not a group, and its path; members of groups in their
/// order, entries of lists by index, as in `types.2.elevation.min`. An absent optional value is reported as
/// absent.
pub fn each(params: &dyn Params, visitor: &mut dyn FnMut(&str, &Param, Reading<'_>)) {
    each_in(params, "", None, visitor);
}

fn each_in(
    params: &dyn Params,
    path: &str,
    group: Option<&Param>,
    visitor: &mut dyn FnMut(&str, &Param, Reading<'_>),
) {
    params.read(&mut |param, value| {
        // Limits of the group's own place narrow those of its parts: the same group has other ranges in
        // metres and in degrees.
        let narrowed = group.map(|group| param.within(group));
        let param = narrowed.as_ref().unwrap_or(param);
        each_of(&format!("{path}{}", param.name), param, value, visitor);
    });
}

fn each_of(
    path: &str,
    param: &Param,
    value: Reading<'_>,
    visitor: &mut dyn FnMut(&str, &Param, Reading<'_>),
) {
    match value {
        Reading::Group(group) => each_in(group, &format!("{path}."), Some(param), visitor),
        Reading::List(list) => {
            for (index, item) in items(list) {
                // A list's range limits its length, so it says nothing about the numbers in it.
                each_in(item, &format!("{path}.{index}."), None, visitor);
            }
        }
        Reading::Optional(optional) => match optional.reading() {
            Some(value) => each_of(path, &param.once_there(), value, visitor),
            None => visitor(path, param, value),
        },
        value => visitor(path, param, value),
    }
}

/// As [`each`], for changing values. Lists and optional values are visited before their contents, so that
/// they can be filled.
pub fn each_mut(params: &mut dyn Params, visitor: &mut dyn FnMut(&str, &Param, Value<'_>)) {
    each_mut_in(params, "", visitor);
}

fn each_mut_in(params: &mut dyn Params, path: &str, visitor: &mut dyn FnMut(&str, &Param, Value<'_>)) {
    params.visit(&mut |param, value| each_mut_of(&format!("{path}{}", param.name), param, value, visitor));
}

fn each_mut_of(
    path: &str,
    param: &Param,
    value: Value<'_>,
    visitor: &mut dyn FnMut(&str, &Param, Value<'_>),
) {
    match value {
        Value::Group(group) => each_mut_in(&mut Within { param, group }, &format!("{path}."), visitor),
        Value::List(list) => {
            // The list itself first: the visitor may add entries, which are visited then.
            visitor(path, param, Value::List(&mut *list));
            for index in 0..list.count() {
                if let Some(item) = list.item_mut(index) {
                    each_mut_in(item, &format!("{path}.{index}."), visitor);
                }
            }
        }
        Value::Optional(optional) => {
            visitor(path, param, Value::Optional(&mut *optional));
            if let Some(value) = optional.value() {
                each_mut_of(path, &param.once_there(), value, visitor);
            }
        }
        value => visitor(path, param, value),
    }
}

/// The entries of a list with their indices.
fn items(list: &dyn List) -> impl Iterator<Item = (usize, &dyn Params)> {
    (0..list.count()).filter_map(|index| Some((index, list.item(index)?)))
}

/// `path` with former names of parameters replaced by their present ones. Parts that are not found in
/// `params` stay as they are.
pub(crate) fn present_path(params: &dyn Params, path: &str) -> String {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let mut present = None;
    params.read(&mut |param, value| {
        if param.is_called(name) {
            let rest = rest.map_or_else(String::new, |rest| format!(".{}", present_path_in(value, rest)));
            present = Some(format!("{}{rest}", param.name));
        }
    });
    present.unwrap_or_else(|| path.to_owned())
}

fn present_path_in(value: Reading<'_>, path: &str) -> String {
    match value {
        Reading::Group(group) => present_path(group, path),
        Reading::Optional(optional) if let Some(value) = optional.reading() => present_path_in(value, path),
        Reading::List(list) if let Some((index, rest)) = path.split_once('.') => {
            let item = index.parse().ok().and_then(|index| list.item(index));
            item.map_or_else(|| path.to_owned(), |item| format!("{index}.{}", present_path(item, rest)))
        }
        _ => path.to_owned(),
    }
}

/// Checks that every value of `params` is accepted, so that it can be written and read again: for values that
/// a program has set. Errors call `params` by `name`.
///
/// # Errors
/// [`Error::Parameter`] for the first value that is not accepted, with its path and what would be.
pub fn check(params: &dyn Params, name: &str) -> Result<()> {
    check_in(params, name, None, "")
}

/// As [`check`], but checks only the parameters whose name is `chosen`, and not whether all agree with each
/// other.
pub(crate) fn check_chosen(params: &dyn Params, chosen: impl Fn(&str) -> bool) -> Result<()> {
    let mut outcome = Ok(());
    params.read(&mut |param, value| {
        if outcome.is_ok() && chosen(param.name) {
            outcome = check_value(param, value, param.name, "");
        }
    });
    outcome
}

/// `people` is the display name of the thing that is checked, if it has one.
fn check_in(params: &dyn Params, path: &str, group: Option<&Param>, people: &str) -> Result<()> {
    if let Some(forms) = params.forms() {
        // The value has one of several forms: check the one that it has.
        return forms.inner().map_or(Ok(()), |inner| check_in(inner, path, group, people));
    }
    let mut outcome = Ok(());
    params.read(&mut |param, value| {
        if outcome.is_ok() {
            let narrowed = group.map(|group| param.within(group));
            let param = narrowed.as_ref().unwrap_or(param);
            let path = if path.is_empty() { param.name.to_owned() } else { format!("{path}.{}", param.name) };
            outcome = check_value(param, value, &path, people);
        }
    });
    outcome?;
    params.law().map_err(|reason| Error::parameter(format!("{path}{people}"), reason))
}

fn check_value(param: &Param, value: Reading<'_>, path: &str, people: &str) -> Result<()> {
    let all = |numbers: &[f32]| numbers.iter().try_for_each(|&number| param.check(f64::from(number)));
    let at_most = |count: usize, most: usize| {
        if count > most { Err(format!("there are {count} entries; give at most {most}")) } else { Ok(()) }
    };
    let outcome = match value {
        // A group without any written part counts as missing.
        _ if param.required && !is_written(value) => Err(MISSING.into()),
        Reading::Float(number) => all(&[number]),
        Reading::Int(number) => param.check(f64::from(number)),
        Reading::Size(size) => param.check_size(size),
        Reading::Points(points) => at_most(points.len(), MAX_POINTS)
            .and_then(|()| points.iter().try_for_each(|point| all(&point.to_array()))),
        Reading::Place((x, y, z)) => all(&[x, y, z]),
        Reading::Colour(colour) => colour.into_iter().try_for_each(check_channel),
        Reading::Colours(colours) => at_most(colours.len(), MAX_COLOURS),
        Reading::File(file) if param.required && file.text().is_empty() => Err(NO_FILE.into()),
        Reading::Name(name) if param.required && name.as_str().is_empty() => Err(NO_LAYER.into()),
        Reading::Seed(_)
        | Reading::Flag(_)
        | Reading::Choice(_)
        | Reading::File(_)
        | Reading::Name(_)
        | Reading::Text(_) => Ok(()),
        Reading::Group(group) => return check_in(group, path, Some(param), people),
        Reading::Optional(optional) => match optional.reading() {
            Some(value) => return check_value(&param.once_there(), value, path, people),
            None => Ok(()),
        },
        Reading::List(list) => {
            param
                .check_count(list.count())
                .map_err(|reason| Error::parameter(format!("{path}{people}"), reason))?;
            for (index, item) in items(list) {
                // An index alone says little to people, who know entries by their names.
                let name = name_of(item).filter(|name| !name.is_empty());
                let people = name.map_or(String::new(), |name| format!(" ({name})"));
                check_in(item, &format!("{path}.{index}"), None, &people)?;
            }
            Ok(())
        }
    };
    outcome.map_err(|reason| Error::parameter(format!("{path}{people}"), reason))
}

/// The message for a required value that is missing.
const MISSING: &str = "is missing; it has to be given";

/// The display name of something, if it has a text parameter `name`.
#[doc(hidden)]
pub fn name_of(params: &dyn Params) -> Option<String> {
    let mut name = None;
    params.read(&mut |param, value| {
        if let (Reading::Text(text), "name") = (value, param.name) {
            name = Some(text.to_owned());
        }
    });
    name
}
