//! Lists of places on the land, as `[(0.5, 0.0), (0.4, 1.0)]` in recipes and on the command line.

use std::fmt;

use glam::Vec2;
use serde::de::{self, Deserialize, DeserializeSeed, SeqAccess};
use serde::ser::SerializeSeq;

use crate::params::Param;

/// The most places that a list may have.
pub const MAX_POINTS: usize = 1000;

/// Reads a list of at most [`MAX_POINTS`] places, every coordinate within the range of `param`.
pub(crate) struct PointsSeed<'p>(pub(crate) &'p Param);

impl PointsSeed<'_> {
    /// Reads the list from text. The error is `None` where the text is not a list of places at all.
    pub(crate) fn read(self, text: &str) -> Result<Vec<Vec2>, Option<String>> {
        ron::Options::default().from_str_seed(text, self).map_err(|error| match error.code {
            ron::Error::Message(reason) => Some(reason),
            _ => None,
        })
    }
}

impl<'de> DeserializeSeed<'de> for PointsSeed<'_> {
    type Value = Vec<Vec2>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> de::Visitor<'de> for PointsSeed<'_> {
    type Value = Vec<Vec2>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of places such as [(0.5, 0.0), (0.4, 1.0)]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut points = Vec::new();
        while let Some(point) =
            list.next_element_seed(PointSeed { param: self.0, number: points.len() + 1 })?
        {
            points.push(point);
        }
        Ok(points)
    }
}

/// Reads place number `index` of the list.
struct PointSeed<'p> {
    param: &'p Param,
    number: usize,
}

impl<'de> DeserializeSeed<'de> for PointSeed<'_> {
    type Value = Vec2;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Vec2, D::Error> {
        // Before the point is read, so that a made-up file can't fill the memory.
        if self.number > MAX_POINTS {
            return Err(de::Error::custom(format!("more than {MAX_POINTS} places are too many")));
        }
        deserializer.deserialize_tuple(2, self)
    }
}

impl<'de> de::Visitor<'de> for PointSeed<'_> {
    type Value = Vec2;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a place such as (0.5, 0.0)")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Vec2, A::Error> {
        let mut next = |index| {
            let number = pair.next_element_seed(NumberSeed(&self))?;
            number.ok_or_else(|| de::Error::invalid_length(index, &self))
        };
        Ok(Vec2::new(next(0)?, next(1)?))
    }
}

/// Reads one coordinate of a place.
struct NumberSeed<'p>(&'p PointSeed<'p>);

impl<'de> DeserializeSeed<'de> for NumberSeed<'_> {
    type Value = f32;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<f32, D::Error> {
        let PointSeed { param, number } = self.0;
        // Checked here and not for the whole list, so that the error points at this number in the recipe.
        let given = f32::deserialize(deserializer)?;
        param
            .check(f64::from(given))
            .map_err(|reason| de::Error::custom(format!("place {number}: {reason}")))?;
        Ok(given)
    }
}

/// Writes a list as [`PointsSeed`] reads it.
pub(crate) fn serialize<S: serde::Serializer>(points: &[Vec2], serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(points.len()))?;
    for point in points {
        list.serialize_element(&(point.x, point.y))?;
    }
    list.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Vec2>, Option<String>> {
        let param = Param { range: -1.0..=2.0, ..Param::new("points") };
        PointsSeed(&param).read(text)
    }

    #[test]
    fn lists_are_read_as_they_are_written() {
        for points in [vec![], vec![Vec2::new(0.1, -0.75)], vec![Vec2::new(1.0 / 3.0, 2.0), Vec2::ZERO]] {
            let mut text = Vec::new();
            let mut writer = ron::Serializer::new(WriteInto(&mut text), None).unwrap();
            serialize(&points, &mut writer).unwrap();
            assert_eq!(read(std::str::from_utf8(&text).unwrap()), Ok(points));
        }
        assert_eq!(read(" [ (0, 1,), (-1, 2) ] "), Ok(vec![Vec2::new(0.0, 1.0), Vec2::new(-1.0, 2.0)]));
    }

    #[test]
    fn invalid_lists_and_numbers_out_of_range_are_refused() {
        for text in ["", "0.1", "(0, 1)", "[0, 1]", "[(0)]", "[(0, 1, 2)]", "[(0, 1)", "[(a, b)]", "[[0, 1]]"]
        {
            assert_eq!(read(text), Err(None), "{text}");
        }
        assert_eq!(read("[(0, 1), (0, 3)]"), Err(Some("place 2: 3 is outside -1 to 2".into())));
        assert_eq!(read("[(NaN, 1)]"), Err(Some("place 1: NaN is outside -1 to 2".into())));
        assert_eq!(read("[(0, inf)]"), Err(Some("place 1: inf is outside -1 to 2".into())));
        let many = |count| read(&format!("[{}]", "(0,0),".repeat(count)));
        assert_eq!(many(MAX_POINTS).map(|points| points.len()), Ok(MAX_POINTS));
        assert_eq!(many(MAX_POINTS + 1), Err(Some("more than 1000 places are too many".into())));
    }

    /// A text that RON can write into.
    struct WriteInto<'t>(&'t mut Vec<u8>);

    impl fmt::Write for WriteInto<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
}
