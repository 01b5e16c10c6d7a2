//! What waves do to a coast, in metres: the numbers that all of its parts share.

use super::profile::Profile;
use super::waves::Winds;

/// Rounds in which a coast changes: in each, the waves come to the shore that the one before has left.
pub(super) const ROUNDS: usize = 8;

/// How strong waves are, and what they do in all rounds together.
#[derive(Clone, Debug)]
pub(super) struct Surf {
    pub profile: Profile,
    pub winds: Winds,
    /// Retreat of a shore without waves, metres.
    pub sheltered: f32,
    /// Further retreat at an exposure of 1, metres.
    pub exposed: f32,
    /// Share of the rock that stays as sand.
    pub sand: f32,
    /// Sand that waves can carry past a place at an exposure of 1, m³.
    pub carried: f64,
    /// Width of a beach behind which rock retreats half as fast, metres.
    pub protects: f32,
    /// Length over which waves at neighbouring places are alike, metres.
    pub alike: f64,
}

impl Surf {
    /// How far rock retreats in one round, metres, behind `width` metres of beach. `weakness` is the share
    /// that its strength leaves.
    pub fn retreat(&self, exposure: f32, weakness: f32, width: f32) -> f32 {
        let bare = (self.sheltered + self.exposed * exposure) / ROUNDS as f32;
        let width = width.max(0.0) / self.protects;
        bare * weakness / (1.0 + width * width)
    }

    /// The volume of sand on samples `cell` metres apart, of which it gets the distances to the shore and to
    /// the rock's shore and the height of the rock, if the shore moves out by `gain` metres.
    pub fn volume(&self, samples: &[[f32; 3]], gain: f32, cell: f32) -> f64 {
        let thickness = |[shore, rock, height]: &[f32; 3]| {
            let shore = rock.max(shore + gain);
            f64::from((self.profile.beach(shore, shore - rock) - height).max(0.0))
        };
        samples.iter().map(thickness).sum::<f64>() * f64::from(cell) * f64::from(cell)
    }
}
