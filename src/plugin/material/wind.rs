//! The wind.

use bevy::prelude::*;

/// The wind in which plants move and low clouds drift. A resource; change it at any time. Gusts that run over
/// the land go on from where they are in wind of another speed; in wind from elsewhere other plants lean, so
/// turn it slowly.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default)]
pub struct Wind {
    /// Where it comes from, degrees clockwise from north. Default 250.
    pub bearing: f32,
    /// Metres per second; 0: calm. Default 4.
    pub speed: f32,
}

impl Default for Wind {
    fn default() -> Self {
        Self { bearing: 250.0, speed: 4.0 }
    }
}

impl Wind {
    /// Metres per second east and south.
    pub fn velocity(self) -> Vec2 {
        let (sine, cosine) = self.bearing.to_radians().sin_cos();
        let velocity = Vec2::new(-sine, cosine) * self.speed;
        if velocity.is_finite() { velocity } else { Vec2::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_blows_from_where_it_comes() {
        let from = |bearing| Wind { bearing, speed: 2.0 }.velocity();
        assert!(from(0.0).distance(Vec2::new(0.0, 2.0)) < 1e-5, "from the north to the south");
        assert!(from(270.0).distance(Vec2::new(2.0, 0.0)) < 1e-5, "from the west to the east");
        assert_eq!(from(f32::NAN), Vec2::ZERO);
    }
}
