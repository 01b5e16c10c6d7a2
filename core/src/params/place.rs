//! A place in space, as `(0, 250.5, -90)` in recipes and on the command line.

use std::fmt;

use serde::de::{self, DeserializeSeed, SeqAccess};

use super::Param;

/// The numbers of a place, as paths name them.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Reads a place, every number of it in the range of the parameter.
pub(super) struct PlaceSeed<'p>(pub(super) &'p Param);

impl<'de> DeserializeSeed<'de> for PlaceSeed<'_> {
    type Value = (f32, f32, f32);

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(AXES.len(), self)
    }
}

impl<'de> de::Visitor<'de> for PlaceSeed<'_> {
    type Value = (f32, f32, f32);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a place such as (0, 250.5, -90)")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Self::Value, A::Error> {
        let mut next = |index| {
            let number: Option<f32> = numbers.next_element()?;
            let number = number.ok_or_else(|| de::Error::invalid_length(index, &self))?;
            // Checked here, so that a recipe's error points at the number.
            self.0.check(f64::from(number)).map_err(de::Error::custom)?;
            Ok(number)
        };
        Ok((next(0)?, next(1)?, next(2)?))
    }
}

/// The coordinate of a place that a path calls `axis`, to be changed.
///
/// # Errors
/// When there is no such axis.
pub(super) fn axis<'a>(place: &'a mut (f32, f32, f32), axis: &str) -> Result<&'a mut f32, String> {
    let numbers = [&mut place.0, &mut place.1, &mut place.2];
    let found = AXES.iter().zip(numbers).find(|(name, _)| **name == axis);
    found.map(|(_, number)| number).ok_or_else(|| format!("it has {}", AXES.join(", ")))
}
