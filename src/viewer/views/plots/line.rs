//! The line of a profile.

use bevy::math::Vec2;

/// A line over the land, in metres from its middle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// Whether clicks set its ends.
    pub is_drawn: bool,
    pub(super) from: Option<Vec2>,
    pub(super) to: Option<Vec2>,
}

impl Line {
    /// Both ends; `None` while one is missing.
    pub fn ends(&self) -> Option<[Vec2; 2]> {
        Some([self.from?, self.to?])
    }

    /// Waits for its first end.
    pub fn begin(&mut self) {
        *self = Self { is_drawn: true, ..Self::default() };
    }

    /// Takes it away.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What there is to do next, for people.
    pub fn hint(&self) -> &'static str {
        match (self.is_drawn, self.from) {
            (false, _) => "",
            (true, None) => "Click on the land where it begins",
            (true, Some(_)) => "Click where it ends; Esc cancels",
        }
    }

    /// Sets the next end, unless it is where the first one is.
    pub(super) fn set(&mut self, place: Vec2) {
        match self.from {
            None => self.from = Some(place),
            Some(from) if from.distance(place) > 0.0 => {
                (self.to, self.is_drawn) = (Some(place), false);
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_make_a_line_and_a_double_click_none() {
        let mut line = Line::default();
        line.begin();
        assert!(line.hint().contains("begins"));
        line.set(Vec2::new(1.0, 2.0));
        line.set(Vec2::new(1.0, 2.0));
        assert_eq!(line.ends(), None, "both clicks at one place");
        assert!(line.is_drawn && line.hint().contains("ends"));
        line.set(Vec2::new(5.0, 2.0));
        assert_eq!(line.ends(), Some([Vec2::new(1.0, 2.0), Vec2::new(5.0, 2.0)]));
        assert!(!line.is_drawn && line.hint().is_empty());
        line.begin();
        assert_eq!(line.ends(), None);
    }
}
