//! Lists in a recipe, all of limited length: an entry of three letters may take a thousand bytes of memory.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

/// Reads a list of at most `MOST` entries.
pub(crate) fn at_most<'de, const MOST: usize, T, D>(from: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    from.deserialize_seq(List::<MOST, T>(PhantomData))
}

struct List<const MOST: usize, T>(PhantomData<T>);

impl<'de, const MOST: usize, T: Deserialize<'de>> Visitor<'de> for List<MOST, T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {MOST} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        // No capacity by the file's own count, which may be made up.
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            // Checked while reading: a list may not fit in memory before it is checked as a whole.
            if entries.len() == MOST {
                return Err(A::Error::custom(format!("a list of more than {MOST} entries; leave some out")));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}
