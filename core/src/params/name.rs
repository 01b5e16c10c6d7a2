//! A name as a parameter, such as that of a layer.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The most characters of a name.
const LONGEST: usize = 64;

/// A name: at most 64 lower-case letters, digits and underscores, beginning with a letter. It may be empty,
/// which names nothing.
///
/// ```
/// # use upland_core as upland;
/// use upland::params::Name;
///
/// assert_eq!(Name::new("wet_2")?.as_str(), "wet_2");
/// assert!(Name::new("").is_ok() && Name::new("Wet meadow").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// What is accepted, for people.
    pub(crate) const ACCEPTED: &str = "a name of lower-case letters, digits and underscores such as \"flow\"";

    /// Checks that `text` is a name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if text.is_empty() || (is_name(&text) && text.len() <= LONGEST) {
            return Ok(Self(text));
        }
        Err(format!("`{text}` is not {}, at most {LONGEST} of them, a letter first", Self::ACCEPTED))
    }

    /// A name that is known to be valid.
    pub(crate) fn of(name: &'static str) -> Self {
        Self(name.into())
    }

    /// The name as text; empty where nothing is named.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether RON reads it as an identifier, and `--set` as one part of a path.
pub(crate) fn is_name(name: &str) -> bool {
    let rest =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.chars().all(rest)
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_recipes_and_paths_can_hold_is_a_name() {
        for name in ["", "a", "flow", "wet_2", &"a".repeat(LONGEST)] {
            assert_eq!(Name::new(name).as_ref().map(Name::as_str), Ok(name));
        }
        for name in ["A", "2a", "_a", "a b", "a.b", "ü", &"a".repeat(LONGEST + 1)] {
            let said = Name::new(name).unwrap_err();
            assert!(said.starts_with(&format!("`{name}` is not a name of lower-case letters")), "{said}");
        }
    }
}
