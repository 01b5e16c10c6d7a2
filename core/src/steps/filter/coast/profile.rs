//! A shore from its side: cliff, platform and beach as heights over the distance to the shore.

use crate::math::smoothstep::smoothstep;

/// What the profile of a shore depends on. Lengths in metres, slopes as rise over run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    pub sea_level: f32,
    /// Metres between samples.
    pub cell: f32,
    /// Slope of cliffs.
    pub cliff: f32,
    /// Slope of beaches above and just below the sea.
    pub beach: f32,
    /// How high the beach reaches above the sea.
    pub berm: f32,
}

/// Depth of a platform at the foot of the cliff, and how much deeper it is where it is oldest, metres.
const PLATFORM: [f32; 2] = [1.0, 2.0];

/// Retreat from which a platform is that deep, metres.
const FULL: f32 = 20.0;

/// Slope of the rock between the platform and the foot of the cliff, and of the bed seaward of the platform.
const FOOT: f32 = 0.12;
const BED: f32 = 0.02;

/// Depth of a beach from which it falls more steeply, and how steeply.
const CLOSURE: f32 = 4.0;
const FRONT: f32 = 0.7;

/// Depth below which no sand of a beach is looked for, below [`CLOSURE`], metres.
const DEEPEST: f32 = 40.0;

/// Width of a beach below which its sand lies lower, metres.
const NARROW: f32 = 12.0;

/// Slope at which the sand sinks along the shore where a beach ends.
const ENDS: f32 = 3.0;

impl Profile {
    /// Height of the rock that was at `height`, `away` metres inland of the rock's shore, which has retreated
    /// by `retreat` metres. Never higher than before.
    pub fn rock(&self, height: f32, away: f32, retreat: f32) -> f32 {
        if retreat <= 0.0 {
            return height;
        }
        let cut = self.sea_level
            + if away > 0.0 { self.cliff_at(away, retreat) } else { -Self::platform(-away, retreat) };
        if cut >= height {
            return height;
        }
        // A shore that hasn't retreated by a sample has no cliff yet. Off the platform only shoals are cut,
        // and what is left of islands.
        let off = smoothstep((-away - retreat) / (retreat + 4.0 * self.cell));
        let shoal = smoothstep(1.0 + (height - self.sea_level) / (PLATFORM[0] + PLATFORM[1]));
        height + (cut - height) * smoothstep(retreat / self.cell) * (1.0 - off).max(shoal)
    }

    /// The cliff above the sea. It begins gently, over one sample, so that contours don't follow the samples.
    fn cliff_at(&self, away: f32, retreat: f32) -> f32 {
        let foot = 0.5 * self.cell;
        let run = (away - foot).max(0.0);
        let rounded = if run < 2.0 * self.cell { run * run / (4.0 * self.cell) } else { run - self.cell };
        // Steeper far from the shore: what lies there is no cliff.
        let beyond = (away - 2.0 * retreat - 20.0 * self.cell).max(0.0);
        FOOT * away + self.cliff * (rounded + 4.0 * beyond)
    }

    /// Depth of the platform: the farther from the foot of the cliff, the older and the deeper.
    fn platform(away: f32, retreat: f32) -> f32 {
        let beyond = (BED * (away - retreat).max(0.0)).min(PLATFORM[1]);
        let depth = PLATFORM[0] + PLATFORM[1] * (away / retreat).min(1.0) + beyond;
        (depth * (retreat / FULL).min(1.0)).min(FOOT * away)
    }

    /// How far seaward of the shore sand may lie, metres.
    pub fn seaward(&self) -> f32 {
        CLOSURE / self.beach + DEEPEST / FRONT
    }

    /// Height of a beach `away` metres inland of the shore that is `width` metres in front of the rock's.
    pub fn beach(&self, away: f32, width: f32) -> f32 {
        let rise = self.beach * away;
        let surface = if rise > self.berm {
            // Behind the berm it falls gently.
            self.berm
        } else if rise < -CLOSURE {
            -CLOSURE + (FRONT / self.beach) * (rise + CLOSURE)
        } else {
            rise
        };
        // Where the beach ends along the shore it sinks below the rock, and so it does inland of the rock's
        // shore.
        let narrow = (1.0 - width / NARROW.max(2.5 * self.cell)).clamp(0.0, 1.0);
        let inland = (away - width).max(0.0);
        let sinks = (self.berm + CLOSURE - ENDS * away.min(0.0)) * narrow;
        self.sea_level + surface - sinks - 0.5 * self.beach * inland
    }
}
