//! What a parameter accepts, in words.

use super::Name;
use super::param::{Param, Parity};
use super::value::{Reading, names};

impl Param {
    /// What the parameter accepts, for people: "a number from 0 to 16 m", "true or false" …
    pub fn accepted(&self, value: Reading<'_>) -> String {
        let numbers = self.limits();
        match value {
            Reading::Float(_) => format!("a number from {numbers}"),
            Reading::Int(_) => match self.parity {
                None => format!("a whole number from {numbers}"),
                Some(Parity::Odd) if self.range.contains(&0.0) => {
                    format!("an odd number or 0, from {numbers}")
                }
                Some(Parity::Odd) => format!("an odd number from {numbers}"),
                Some(Parity::Even) => format!("an even number from {numbers}"),
            },
            Reading::Seed(_) => format!("a whole number from 0 to {}", u64::MAX),
            Reading::Size(_) => {
                let (low, high) = (self.range.start(), self.range.end());
                let or = self.or.map_or_else(String::new, |word| format!(", or {word}"));
                format!("two numbers of samples such as (1025, 513), each from {low} to {high}{or}")
            }
            Reading::Flag(_) => "true or false".into(),
            Reading::Choice(choice) => format!("one of {}", choice.names().join(", ")),
            Reading::File(_) => "the path of a file".into(),
            Reading::Name(_) => Name::ACCEPTED.into(),
            Reading::Points(_) => {
                format!("a list of places such as [(0.5, 0.0), (0.4, 1.0)], their numbers {numbers}")
            }
            Reading::Text(_) => "a text".into(),
            Reading::Colour(_) => "red, green and blue such as \"#7a8c4f\"".into(),
            Reading::Colours(_) => "a list of colours such as [\"#7a8c4f\", \"#2b4a5e\"]".into(),
            Reading::Place(_) => {
                format!("three numbers x, y and z such as (0, 250.5, -90), each from {numbers}")
            }
            Reading::Group(group) => match group.forms() {
                Some(forms) => format!("one of {}", forms.names().join(", ")),
                None => format!("any of {} in parentheses", names(group).join(", ")),
            },
            Reading::List(_) => "a list in brackets".into(),
            Reading::Optional(optional) => {
                let mut accepted = String::new();
                // An absent value has no kind, so its usual one is described.
                optional.usual(&mut |value| accepted = self.accepted(value));
                accepted + ", or none"
            }
        }
    }
}
