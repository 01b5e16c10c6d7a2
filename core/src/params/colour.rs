//! Colours in text: "#rrggbb", or three numbers such as (0.1, 0.45, 0.2) for a colour between the 8-bit
//! levels.

use serde::{Deserialize, Deserializer, de::Error as _};

/// Parses "#rrggbb" into sRGB-encoded red, green and blue, each in [0, 1].
pub(crate) fn from_hex(text: &str) -> Option<[f32; 3]> {
    let digits = text.strip_prefix('#')?;
    // `from_str_radix` would accept a sign, too.
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some([16, 8, 0].map(|shift| (value >> shift & 255) as f32 / 255.0))
}

/// "#rrggbb", each channel rounded to 8 bits.
pub(crate) fn to_hex(colour: [f32; 3]) -> String {
    levels_to_hex(levels(colour))
}

/// "#rrggbb" if that is exactly this colour.
pub(crate) fn to_exact_hex(colour: [f32; 3]) -> Option<String> {
    let hex = to_hex(colour);
    // Colours between two levels would be changed by this form; they are written as numbers.
    (from_hex(&hex) == Some(colour)).then_some(hex)
}

/// "#rrggbb" from 8-bit channels.
pub(crate) fn levels_to_hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Each channel rounded to 8 bits.
fn levels(colour: [f32; 3]) -> [u8; 3] {
    colour.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

/// Checks a channel given as a number; the error is the message.
pub(crate) fn check_channel(channel: f32) -> Result<(), String> {
    if (0.0..=1.0).contains(&channel) {
        return Ok(());
    }
    Err(format!("{channel} is outside 0 to 1; a colour has red, green and blue, each from 0 to 1"))
}

/// The message for text that is not a colour.
pub(crate) fn refused(text: &str) -> String {
    format!("\"{text}\" is not a colour; write red, green and blue as \"#7a8c4f\"")
}

/// One colour of a list, read from "#rrggbb".
pub(crate) struct Levels(pub(crate) [u8; 3]);

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let colour = from_hex(&text).ok_or_else(|| D::Error::custom(refused(&text)))?;
        Ok(Self(levels(colour)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        assert_eq!(from_hex("#ff0033"), Some([1.0, 0.0, 0.2]));
        for wrong in ["", "#", "ff0033", "#ff003", "#ff00334", "#ff00g3", "#+f0033", "#äöü"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
        assert_eq!(to_hex([1.0, 0.0, 0.2]), "#ff0033");
    }
}
