//! The parts of the atlas: where each bark and each card lies in the picture.

use glam::{Vec2, vec2};

/// Texels along a side.
pub(super) const SIDE: usize = 1024;

/// Texels less opaque than this are cut out.
pub const ALPHA_CUT: f32 = 0.5;

/// A part of the atlas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::plants) enum Patch {
    Rough,
    Birch,
    Smooth,
    Palm,
    Stone,
    Spruce,
    BeechTwig,
    BirchTwig,
    HazelTwig,
    BareTwig,
    Blade,
    Ear,
    Juniper,
    Frond,
    Daisy,
    Poppy,
    Bell,
    Herb,
}

impl Patch {
    pub(super) const BARKS: [Self; 5] = [Self::Rough, Self::Birch, Self::Smooth, Self::Palm, Self::Stone];
    pub(super) const CARDS: [Self; 13] = [
        Self::Spruce,
        Self::BeechTwig,
        Self::BirchTwig,
        Self::HazelTwig,
        Self::BareTwig,
        Self::Blade,
        Self::Ear,
        Self::Juniper,
        Self::Frond,
        Self::Daisy,
        Self::Poppy,
        Self::Bell,
        Self::Herb,
    ];

    /// The left and upper edge, width and height, in texels.
    pub(super) fn place(self) -> [usize; 4] {
        match self {
            Self::Rough => [0, 0, 96, SIDE],
            Self::Birch => [96, 0, 128, SIDE],
            Self::Smooth => [224, 0, 64, SIDE],
            Self::Palm => [288, 0, 64, SIDE],
            Self::Stone => [352, 0, 160, SIDE],
            Self::Spruce => [512, 0, 256, 256],
            Self::BeechTwig => [768, 0, 256, 256],
            Self::BirchTwig => [512, 256, 256, 256],
            Self::HazelTwig => [768, 256, 256, 256],
            Self::BareTwig => [512, 512, 256, 256],
            Self::Blade => [768, 512, 128, 256],
            Self::Ear => [896, 512, 128, 256],
            Self::Juniper => [512, 768, 128, 256],
            Self::Frond => [640, 768, 128, 256],
            Self::Daisy => [768, 768, 128, 128],
            Self::Poppy => [896, 768, 128, 128],
            Self::Bell => [768, 896, 128, 128],
            Self::Herb => [896, 896, 128, 128],
        }
    }

    /// A place on a card: from (0, 0) at its upper left to (1, 1).
    pub(in crate::plants) fn leaf(self, u: f32, v: f32) -> Vec2 {
        let [x, y, width, height] = self.place().map(|texels| texels as f32);
        // Half a texel inside, so that neighbours do not bleed in.
        vec2(x + 0.5 + u * (width - 1.0), y + 0.5 + v * (height - 1.0)) / SIDE as f32
    }

    /// A place on bark: `u` from edge to edge of the strip, `v` without limits.
    pub(in crate::plants) fn bark(self, u: f32, v: f32) -> Vec2 {
        let [x, _, width, _] = self.place().map(|texels| texels as f32);
        vec2((x + 2.0 + u * (width - 4.0)) / SIDE as f32, v)
    }
}

/// A picture with opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Texels along x.
    pub width: usize,
    /// Texels along y.
    pub height: usize,
    /// sRGB and opacity, row by row from the top.
    pub texels: Vec<[u8; 4]>,
}

/// A share as a byte of a texel.
pub(super) fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0) as u8
}
