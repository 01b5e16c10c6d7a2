//! The size of a recipe's land in a file: two numbers of samples, or `endless` with a unit in metres.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::limits;
use crate::params::read_named;

/// Represents endless land until the unit has been read. No land has 0 samples.
pub(super) const ENDLESS: (u32, u32) = (0, 0);

/// Samples of endless land that are built by default.
pub(super) const SHOWN: (u32, u32) = (1025, 1025);

/// Default unit of endless land, metres.
pub(super) const UNIT: f32 = 10_000.0;

/// The forms of the size in a file.
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

pub(super) fn read_shown<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<(u32, u32)>, D::Error> {
    let shown = read_named("shown", "two numbers of samples such as (1025, 513)", deserializer)?;
    limits::check_size(shown).map_err(|reason| de::Error::custom(format!("`shown`: {reason}")))?;
    Ok(Some(shown))
}
