//! What a plan's tiles hold, and the names of their objects.

use serde::{Deserialize, Serialize};
use upland_core::texture::TYPES_PER_SPLAT_MAP;

/// A kind of values of a land; each has a folder of tiles, and a list of them (VRT).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Heights in metres, at the samples.
    Heights,
    /// A layer with this name, at the samples.
    Layer(String),
    /// Colours of the ground, between the samples: red, green and blue.
    Colours,
    /// The weights of terrain types, between the samples: of four types from 4 × this number on.
    Weights(u32),
}

impl Output {
    /// Its folder.
    pub fn folder(&self) -> String {
        match self {
            Self::Heights => "heights".into(),
            Self::Layer(name) => format!("layer-{}", in_names(name)),
            Self::Colours => "colours".into(),
            Self::Weights(number) => format!("weights-{number}"),
        }
    }

    /// The name of a tile's object.
    pub fn key(&self, column: u32, row: u32) -> String {
        format!("{}/x{column:04}_y{row:04}.tif", self.folder())
    }

    /// The name of the list of its tiles.
    pub fn index_key(&self) -> String {
        format!("{}.vrt", self.folder())
    }

    /// Whether it has values between the samples, and not at them.
    pub fn is_between_samples(&self) -> bool {
        matches!(self, Self::Colours | Self::Weights(_))
    }

    /// Bytes of a value in memory.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Heights | Self::Layer(_) => 4,
            Self::Colours => 3,
            Self::Weights(_) => TYPES_PER_SPLAT_MAP as u64,
        }
    }

    /// Bytes of a value in an object with its overviews, as measured of `endless-highlands`; land may take
    /// half of it or twice as much.
    pub fn packed_bytes(&self) -> f64 {
        match self {
            Self::Heights | Self::Layer(_) => 3.8,
            Self::Colours => 2.2,
            Self::Weights(_) => 1.0,
        }
    }
}

/// A layer's name in the name of a folder: letters, digits, spaces and a few signs as they are, others as
/// their codes.
fn in_names(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_alphanumeric() || " _-".contains(letter) {
            text.push(letter);
        } else {
            let mut bytes = [0; 4];
            letter.encode_utf8(&mut bytes).bytes().for_each(|byte| text += &format!("={byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layers_cannot_leave_their_folder() {
        assert_eq!(Output::Layer("Höhe 2".into()).key(3, 7), "layer-Höhe 2/x0003_y0007.tif");
        assert_eq!(Output::Layer("../a/b".into()).folder(), "layer-=2e=2e=2fa=2fb");
        assert_eq!(Output::Weights(1).key(12_345, 0), "weights-1/x12345_y0000.tif");
    }
}
