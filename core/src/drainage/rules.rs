//! Assumptions about the water of a land.

/// What becomes of hollows: ground that lies lower than the lowest way out of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hollows {
    /// They stay, and hold lakes.
    #[default]
    Keep,
    /// They are filled with ground, up to the lowest way out. Filling never lowers ground.
    Fill,
    /// A way out is cut where the ground has to be lowered least. Breaching never raises ground.
    Breach,
}

/// How water leaves a land, and what becomes of its hollows.
#[derive(Clone, Debug, PartialEq)]
pub struct DrainageRules {
    /// Height of the sea, metres; −∞ if there is none. Ground that is not higher, and from which water can
    /// reach the border without rising above the sea, is sea bed.
    pub sea: f32,
    /// Whether water leaves over the border. If it doesn't, it leaves only into the sea or, without a sea, at
    /// the lowest sample.
    pub open_border: bool,
    /// What becomes of hollows.
    pub hollows: Hollows,
    /// Hollows whose lake would be smaller than this are breached first, square metres.
    pub smallest_lake: f64,
    /// Water that runs off the land, metres a year, clamped to [0, 1000].
    pub runoff: f64,
    /// Water that a lake loses by evaporation, less what rains on it, metres a year, clamped to [0, 1000]. A
    /// lake that loses more than it gets is not full and has no outflow. At 0 all lakes are full.
    pub evaporation: f64,
}

impl Default for DrainageRules {
    fn default() -> Self {
        Self {
            sea: f32::NEG_INFINITY,
            open_border: true,
            hollows: Hollows::Keep,
            smallest_lake: 0.0,
            runoff: 0.5,
            evaporation: 0.0,
        }
    }
}
