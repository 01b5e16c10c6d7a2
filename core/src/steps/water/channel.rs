//! The cross-section of a river: that of all of it, and those near other rivers.

/// The cross-section of a river.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Width from edge to edge, metres, at least 0.
    pub width: f32,
    /// Depth of the bed's middle below the edges, metres, at least 0.
    pub depth: f32,
    /// Distance from the edge to where the valley's side reaches the original land, metres, at least 0.
    pub bank: f32,
    /// Depth of the water as a share of `depth`.
    pub fill: f32,
}

impl Channel {
    /// Depth of the water over the middle of the bed, metres.
    pub(super) fn water(self) -> f32 {
        self.fill * self.depth
    }

    /// The cross-section far from other rivers.
    pub(super) fn section(self) -> Section {
        Section { half: self.width / 2.0, rim: self.depth - self.water(), water: self.water() }
    }
}

/// The cross-section of a river at a point, where other rivers make it differ from the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Section {
    /// Distance from the curve to the edge, metres.
    pub(super) half: f32,
    /// Height of the edge above the water, metres.
    pub(super) rim: f32,
    /// Depth of the water over the middle of the bed, metres.
    pub(super) water: f32,
}

impl Section {
    /// Linear interpolation towards `other`.
    pub(super) fn lerp(self, other: Self, share: f32) -> Self {
        let between = |here: f32, there: f32| here + (there - here) * share;
        Self {
            half: between(self.half, other.half),
            rim: between(self.rim, other.rim),
            water: between(self.water, other.water),
        }
    }
}
