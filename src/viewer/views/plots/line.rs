//! The line of a profile.

use bevy::math::Vec2;

/// A line over the land, in metres from its middle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// Whether clicks set its end points.
    pub is_drawn: bool,
    pub(super) from: Option<Vec2>,
    pub(super) to: Option<Vec2>,
}

impl Line {
    /// Both end points; `None` while one is missing.
    pub fn ends(&self) -> Option<[Vec2; 2]> {
        Some([self.from?, self.to?])
    }

    /// Waits for its first end point.
    pub fn begin(&mut self) {
        *self = Self { is_drawn: true, ..Self::default() };
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What to do next, for the user.
    pub fn hint(&self) -> &'static str {
        match (self.is_drawn, self.from) {
            (false, _) => "",
            (true, None) => "Click on the land where the line begins",
            (true, Some(_)) => "Click where the line ends; Esc cancels",
        }
    }

    /// Sets the next end point, unless it is at the first one.
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
    fn two_clicks_make_a_line_and_a_double_click_does_not() {
        let mut line = Line::default();
        line.begin();
        assert!(line.hint().contains("begins"));
        line.set(Vec2::new(1.0, 2.0));
        line.set(Vec2::new(1.0, 2.0));
        assert_eq!(line.ends(), None, "both clicks at the same place");
        assert!(line.is_drawn && line.hint().contains("ends"));
        line.set(Vec2::new(5.0, 2.0));
        assert_eq!(line.ends(), Some([Vec2::new(1.0, 2.0), Vec2::new(5.0, 2.0)]));
        assert!(!line.is_drawn && line.hint().is_empty());
        line.begin();
        assert_eq!(line.ends(), None);
    }
}
