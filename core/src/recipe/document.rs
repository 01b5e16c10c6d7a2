//! The form of a recipe in a file: its parameters, with the version of the format before them and its steps
//! among them, and with `endless` as the size of endless land.

use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::limits::{MOST_STEPS, SHOWN, UNIT};
use super::{Recipe, Step};
use crate::params::{self, FieldSeed, Further, Param, Params, Reading, Value, lists, read_named, set_fields};

/// The version of the format, for reading and writing.
const VERSION: u32 = 1;

/// The name of the struct in a file, which may stand before the parenthesis.
const NAME: &str = "Recipe";

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_endless = self.unit.is_some();
        let shown = Some(self.size).filter(|size| is_endless && *size != SHOWN);
        let mut count = 2 + usize::from(shown.is_some());
        params::fields(self, |_, _| {
            count += 1;
            Ok::<(), S::Error>(())
        })?;
        let mut file = serializer.serialize_struct(NAME, count)?;
        file.serialize_field("version", &VERSION)?;
        params::fields(self, |name, field| {
            if name == "water" {
                // The steps stand between the size of the land and its look.
                if let Some(shown) = shown {
                    file.serialize_field("shown", &shown)?;
                }
                file.serialize_field("steps", &self.steps)?;
            }
            if name == "size" && is_endless {
                return file.serialize_field(name, &Word::Endless);
            }
            file.serialize_field(name, field)
        })?;
        file.end()
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(NAME, &[], Reader)
    }
}

/// The word that stands in place of a size.
#[derive(Deserialize, Serialize)]
enum Word {
    #[serde(rename = "endless")]
    Endless,
}

/// The forms of the size in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Size {
    Samples((u32, u32)),
    Endless(#[allow(dead_code, reason = "there is one word")] Word),
}

/// Reads a size as the parameter accepts it: `None` for endless land.
struct SizeSeed<'p>(&'p Param);

impl<'de> DeserializeSeed<'de> for SizeSeed<'_> {
    type Value = Option<(u32, u32)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let Self(param) = self;
        let wrong = |reason| de::Error::custom(format!("`size`: {reason}"));
        match Size::deserialize(deserializer) {
            Ok(Size::Endless(_)) => Ok(None),
            Ok(Size::Samples(size)) => param.check_size(size).map(|()| Some(size)).map_err(wrong),
            // The error of the last form alone would name types of Rust.
            Err(_) => Err(wrong(format!("it takes {}", param.accepted(Reading::Size(SHOWN))))),
        }
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Recipe;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a recipe in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Recipe, A::Error> {
        let (mut recipe, mut document) = (Recipe::default(), Document::default());
        set_fields(&mut recipe, "", &mut map, Some(&mut document))?;
        document.complete(recipe).map_err(de::Error::custom)
    }
}

/// The fields of a file that are not simply a parameter of the recipe.
#[derive(Default)]
struct Document {
    /// `None` for endless land.
    size: Option<(u32, u32)>,
    /// For endless land, the recipe's size.
    shown: Option<(u32, u32)>,
    steps: Vec<Step>,
}

impl Document {
    /// The recipe with these fields too.
    ///
    /// # Errors
    /// When land with a size has fields that are only for endless land.
    fn complete(self, recipe: Recipe) -> Result<Recipe, &'static str> {
        let (size, unit) = match self.size {
            Some(_) if recipe.unit.is_some() => {
                return Err(
                    "`unit` is for endless land; leave it out, or write `size: endless`: the longer side is the unit of \
                     land that has one",
                );
            }
            Some(_) if self.shown.is_some() => {
                return Err("`shown` is for endless land; leave it out, or write `size: endless`");
            }
            Some(size) => (size, None),
            None => (self.shown.unwrap_or(SHOWN), Some(recipe.unit.unwrap_or(UNIT))),
        };
        Ok(Recipe { size, unit, steps: self.steps, ..recipe })
    }
}

impl<'de, A: MapAccess<'de>> Further<'de, A> for Document {
    fn fields(&self) -> &'static [(&'static str, bool)] {
        &[("version", true), ("size", true), ("shown", false), ("steps", true)]
    }

    fn read(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let declared = || params::declared(&Recipe::default(), "size").unwrap_or(Param::new("size"));
        match name {
            "version" => map.next_value::<Version>().map(|_| ()),
            "size" => map.next_value_seed(SizeSeed(&declared())).map(|size| self.size = size),
            "shown" => {
                let (param, shown) =
                    (Param { name: "shown", or: None, ..declared() }, self.shown.insert(SHOWN));
                map.next_value_seed(FieldSeed { param: &param, place: "", value: Value::Size(shown) })
            }
            _ => map.next_value().map(|Steps(steps)| self.steps = steps),
        }
    }

    fn unknown(&self, name: &str, params: &dyn Params) -> A::Error {
        let own = <Self as Further<'de, A>>::fields(self).iter().map(|(field, _)| *field);
        let mut known: Vec<&str> = own.filter(|field| *field != "size").collect();
        known.extend(params::names(params));
        de::Error::custom(format!(
            "there is no field `{name}` in `{NAME}`; there are {}. Or a bracket that closes is missing before it",
            known.join(", ")
        ))
    }
}

/// The version of the format, which must be the present one.
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let version: u32 = read_named("version", &format!("{VERSION}"), deserializer)?;
        if version == VERSION {
            return Ok(Self);
        }
        Err(de::Error::custom(format!(
            "`version`: {version} is not known here; this program reads version {VERSION}"
        )))
    }
}

/// The steps of a file.
struct Steps(Vec<Step>);

impl<'de> Deserialize<'de> for Steps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lists::at_most::<MOST_STEPS, _, _>(deserializer).map(Self)
    }
}
