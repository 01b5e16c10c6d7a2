//! What else than height and slope decides where a terrain type lies: water, the ground's shape,
//! shade, climate, a user's picture.

use serde::{Deserialize, Serialize};

use super::types::Limits;

/// Limits beyond elevation and slope; what is left out doesn't matter to the type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factors {}

impl Factors {
    /// Whether nothing but elevation and slope decides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The limits, each with the name of the layer of the [`Surroundings`](super::Surroundings) that it
    /// is about.
    pub(super) fn limits(&self) -> Vec<(String, Limits)> {
        Vec::new()
    }

    /// What is wrong with these limits, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
