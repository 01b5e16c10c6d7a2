//! One small picture for all plants, drawn by code: strips of bark, and cards of leaves, needles and blades.
//!
//! Bark lies in strips as tall as the picture, so that it repeats along v. Leaves are neutral in colour: the
//! vertices' colours, which follow the season, are multiplied in.

mod bark;
mod canvas;
mod cards;
mod mips;
mod patch;

use glam::{Vec2, Vec3};

use self::bark::paint_bark;
use self::cards::paint_card;
use self::mips::{coverage, halved, keep_coverage};
pub(super) use self::patch::Patch;
use self::patch::SIDE;
pub use self::patch::{ALPHA_CUT, Picture};

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

    /// The picture and its halves down to one texel. Leaves keep their coverage: in every level the same
    /// share of each card is opaque as in the first (Castaño 2010, "Computing Alpha Mipmaps").
    pub fn mips(&self) -> Vec<Picture> {
        let mut mips = vec![self.picture.clone()];
        // Means of opacity shrink below the cut, so that far crowns would lose their leaves.
        let covered = Patch::CARDS.map(|patch| coverage(&self.picture, patch, 1, 1.0));
        // Halved from the previous level before its opacity was scaled.
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
        // The `%` is for shares just below 1, which rounding may bring to SIDE.
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

/// Linear light of an sRGB byte, by a polynomial of third degree with an error below 0.002: accurate enough
/// for pictures.
const LINEAR: fn(u8) -> f32 = |byte| {
    let s = f32::from(byte) / 255.0;
    s * (s * (s * 0.305_306_01 + 0.682_171_1) + 0.012_522_878)
};
