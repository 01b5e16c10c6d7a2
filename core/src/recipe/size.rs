//! The size of a recipe's land in a file: two numbers of samples, or `endless` with a unit in metres.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Recipe, limits};
use crate::params::read_named;

/// Represents endless land until the unit has been read. No land has 0 samples.
const ENDLESS: (u32, u32) = (0, 0);

/// Samples of endless land that are built by default.
pub(super) const SHOWN: (u32, u32) = (1025, 1025);

/// Default unit of endless land, metres.
pub(super) const UNIT: f32 = 10_000.0;

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.unit.is_some() {
            return Self::serialize(&Self { size: ENDLESS, ..self.clone() }, serializer);
        }
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut recipe = Self::deserialize(deserializer)?;
        if recipe.size == ENDLESS {
            recipe.size = SHOWN;
            recipe.unit.get_or_insert(UNIT);
        } else if recipe.unit.is_some() {
            return Err(de::Error::custom(
                "`unit` is for endless land; leave it out, or write `size: endless`: the longer side is the unit of \
                 land that has one",
            ));
        }
        Ok(recipe)
    }
}

/// What a file may have as the size.
#[derive(Deserialize, Serialize)]
enum Size {
    #[serde(rename = "endless")]
    Endless,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Either {
    Samples((u32, u32)),
    Named(Size),
}

pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(u32, u32), D::Error> {
    let wrong = |_| de::Error::custom("`size` takes two numbers of samples such as (1025, 513), or endless");
    match Either::deserialize(deserializer).map_err(wrong)? {
        Either::Named(Size::Endless) => Ok(ENDLESS),
        Either::Samples(size) => {
            limits::check_size(size).map_err(|reason| de::Error::custom(format!("`size`: {reason}")))?;
            Ok(size)
        }
    }
}

pub(super) fn write<S: Serializer>(size: &(u32, u32), serializer: S) -> Result<S::Ok, S::Error> {
    if *size == ENDLESS { Size::Endless.serialize(serializer) } else { size.serialize(serializer) }
}

pub(super) fn read_unit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
    let unit = read_named("unit", "a number of metres", deserializer)?;
    limits::check_unit(unit).map_err(|reason| de::Error::custom(format!("`unit`: {reason}")))?;
    Ok(Some(unit))
}
