//! One small picture for all plants, drawn by code: strips of bark, and cards of leaves, needles and blades.
//!
//! Bark lies in strips as tall as the picture, so that it repeats along v. Leaves are neutral in colour: the
//! vertices' colours, which follow the season, are multiplied in.

mod bark;
mod canvas;
mod cards;
mod mips;

use glam::{Vec2, Vec3, vec2};

use self::bark::paint_bark;
use self::cards::paint_card;
use self::mips::{coverage, halved, keep_coverage};

/// Texels along a side.
const SIDE: usize = 1024;

/// What is less opaque than this is cut out.
pub const ALPHA_CUT: f32 = 0.5;

/// A part of the atlas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Patch {
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
    const BARKS: [Self; 5] = [Self::Rough, Self::Birch, Self::Smooth, Self::Palm, Self::Stone];
    const CARDS: [Self; 13] = [
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
    fn place(self) -> [usize; 4] {
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
    pub(super) fn leaf(self, u: f32, v: f32) -> Vec2 {
        let [x, y, width, height] = self.place().map(|texels| texels as f32);
        // Half a texel inside, so that neighbours do not bleed in.
        vec2(x + 0.5 + u * (width - 1.0), y + 0.5 + v * (height - 1.0)) / SIDE as f32
    }

    /// A place on bark: `u` from edge to edge of the strip, `v` without limits.
    pub(super) fn bark(self, u: f32, v: f32) -> Vec2 {
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

/// The leaves and barks of all plants in one picture of 1024² texels.
#[derive(Clone, Debug)]
pub struct Atlas {
    picture: Picture,
}

impl Atlas {
    /// Draws the atlas. It is the same for all plants and seasons.
    pub fn new() -> Self {
        let mut picture = Picture { width: SIDE, height: SIDE, texels: vec![[0; 4]; SIDE * SIDE] };
        for patch in Patch::BARKS {
            paint_bark(&mut picture, patch);
        }
        for patch in Patch::CARDS {
            paint_card(&mut picture, patch);
        }
        Self { picture }
    }

    /// The picture at full size.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The picture and its halves down to one texel. Leaves keep their coverage: in every level as large a
    /// share of each card is opaque as in the first (Castaño 2010, "Computing Alpha Mipmaps").
    pub fn mips(&self) -> Vec<Picture> {
        let mut mips = vec![self.picture.clone()];
        let covered = Patch::CARDS.map(|patch| coverage(&self.picture, patch, 1, 1.0));
        // Halved from what was halved, before its opacity was scaled.
        let mut last = self.picture.clone();
        while last.width > 1 {
            last = halved(&last);
            let mut level = last.clone();
            let shrink = SIDE / level.width;
            for (patch, covered) in Patch::CARDS.into_iter().zip(covered) {
                keep_coverage(&mut level, patch, shrink, covered);
            }
            mips.push(level);
        }
        mips
    }

    /// The linear colour and the opacity at a place: the nearest texel, repeated beyond the borders.
    pub(super) fn at(&self, uv: Vec2) -> (Vec3, f32) {
        let texel = |share: f32| ((share - share.floor()) * SIDE as f32) as usize % SIDE;
        let [red, green, blue, alpha] = self.picture.texels[texel(uv.y) * SIDE + texel(uv.x)];
        (Vec3::new(LINEAR(red), LINEAR(green), LINEAR(blue)), f32::from(alpha) / 255.0)
    }
}

impl Default for Atlas {
    fn default() -> Self {
        Self::new()
    }
}

/// Linear light of an sRGB byte, by a polynomial of third degree, which is off by less than 0.002: near enough for
/// pictures.
const LINEAR: fn(u8) -> f32 = |byte| {
    let s = f32::from(byte) / 255.0;
    s * (s * (s * 0.305_306_01 + 0.682_171_1) + 0.012_522_878)
};

/// A share as a byte of a texel.
fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0) as u8
}
