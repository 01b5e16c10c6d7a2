//! The form of a recipe in a file: with the version of the format, and with `endless` as the size of endless
//! land.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::bookmark::{MOST_BOOKMARKS, MOST_FLIGHTS};
use super::limits::MOST_STEPS;
use super::size::{self, ENDLESS, SHOWN, UNIT};
use super::{Bookmark, Flight, Recipe, Skin, Step, View, Water, limits};
use crate::params::{self, lists, read_named};
use crate::rules::{MOST_RULES, Rule};
use crate::sky::sun::Sun;

/// The version of the format, for reading and writing.
const VERSION: u32 = 1;

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Document::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Document::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}

/// The fields of a file, in order. [`Recipe`] explains those with the same names.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Recipe")]
struct Document {
    #[serde(deserialize_with = "known_version")]
    version: u32,
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    #[serde(default, deserialize_with = "any_seed")]
    seed: u64,
    #[serde(deserialize_with = "size::read", serialize_with = "size::write")]
    size: (u32, u32),
    #[serde(deserialize_with = "possible_cell")]
    cell: f32,
    #[serde(default, deserialize_with = "size::read_unit", skip_serializing_if = "Option::is_none")]
    unit: Option<f32>,
    /// For endless land, the recipe's size.
    #[serde(default, deserialize_with = "size::read_shown", skip_serializing_if = "Option::is_none")]
    shown: Option<(u32, u32)>,
    #[serde(deserialize_with = "lists::at_most::<MOST_STEPS, _, _>")]
    steps: Vec<Step>,
    #[serde(default, with = "params::as_struct")]
    water: Water,
    #[serde(default)]
    texture: Skin,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_RULES, _, _>"
    )]
    scatter: Vec<Rule>,
    #[serde(default, skip_serializing_if = "is_false")]
    bare: bool,
    #[serde(default, with = "params::as_struct")]
    sun: Sun,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    view: Option<View>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_BOOKMARKS, _, _>"
    )]
    bookmarks: Vec<Bookmark>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "lists::at_most::<MOST_FLIGHTS, _, _>"
    )]
    flights: Vec<Flight>,
}

impl From<Recipe> for Document {
    fn from(recipe: Recipe) -> Self {
        let is_endless = recipe.unit.is_some();
        Self {
            version: VERSION,
            name: recipe.name,
            about: recipe.about,
            seed: recipe.seed,
            size: if is_endless { ENDLESS } else { recipe.size },
            cell: recipe.cell,
            unit: recipe.unit,
            shown: Some(recipe.size).filter(|size| is_endless && *size != SHOWN),
            steps: recipe.steps,
            water: recipe.water,
            texture: recipe.texture,
            scatter: recipe.scatter,
            bare: recipe.bare,
            sun: recipe.sun,
            view: recipe.view,
            bookmarks: recipe.bookmarks,
            flights: recipe.flights,
        }
    }
}

impl TryFrom<Document> for Recipe {
    type Error = &'static str;

    /// # Errors
    /// When land with a size has fields that are only for endless land.
    fn try_from(document: Document) -> Result<Self, Self::Error> {
        // A size of 0 × 0 can't be written as numbers, so it is free to mean endless land.
        let is_endless = document.size == ENDLESS;
        if !is_endless && document.unit.is_some() {
            return Err(
                "`unit` is for endless land; leave it out, or write `size: endless`: the longer side is the unit of \
                 land that has one",
            );
        }
        if !is_endless && document.shown.is_some() {
            return Err("`shown` is for endless land; leave it out, or write `size: endless`");
        }
        Ok(Self {
            name: document.name,
            about: document.about,
            seed: document.seed,
            size: if is_endless { document.shown.unwrap_or(SHOWN) } else { document.size },
            cell: document.cell,
            unit: is_endless.then(|| document.unit.unwrap_or(UNIT)),
            steps: document.steps,
            water: document.water,
            texture: document.texture,
            scatter: document.scatter,
            bare: document.bare,
            sun: document.sun,
            view: document.view,
            bookmarks: document.bookmarks,
            flights: document.flights,
        })
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn known_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = read_named("version", &format!("{VERSION}"), deserializer)?;
    if version == VERSION {
        return Ok(version);
    }
    Err(de::Error::custom(format!(
        "`version`: {version} is not known here; this program reads version {VERSION}"
    )))
}

fn any_seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    read_named("seed", &format!("a whole number from 0 to {}", u64::MAX), deserializer)
}

fn possible_cell<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let cell = read_named("cell", "a number of metres", deserializer)?;
    limits::check_cell(cell).map_err(|reason| de::Error::custom(format!("`cell`: {reason}")))?;
    Ok(cell)
}
