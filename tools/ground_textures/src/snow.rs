//! Wind-packed snow: low drifts with a sharp lee edge, crust, and the sparkle of single crystals.

use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgbs, smooth};
use super::noise::{Noise, sheets};
use upland_core::texture::Tile;

const SEED: u64 = 909;

pub(super) fn make() -> Tile {
    let (drift, bend) = (Noise::stretched(SEED, 5, 12), Noise::new(SEED + 1, 4));
    let (crust, grain) = (Noise::stretched(SEED + 2, 26, 70), Noise::new(SEED + 3, 500));
    let (glint, soft) = (Noise::new(SEED + 4, 1024), Noise::new(SEED + 5, 9));
    let snows = rgbs([0xc9d3df, 0xdfe5ec, 0xeef1f4, 0xf6f7f8]);
    let canvas = Canvas::new(|p| {
        let bent = p + 0.03 * bend.warp(2, p);
        // Sheets of snow, each ending in a lip on the lee side.
        let (layers, lip) = sheets(2.2 * (0.5 + 0.5 * drift.fbm(3, 0.5, bent)), 0.32);
        let crust = crust.fbm(3, 0.55, bent);
        let crusted = smooth(-0.2, 0.5, soft.fbm(2, 0.5, p));
        let grain = grain.fbm(2, 0.8, p);
        let height = 0.010 * layers + 0.0032 * crust * mix(0.35, 1.0, crusted) + 0.0009 * grain;
        let sparkle = smooth(0.985, 1.0, glint.mosaic(p));
        let shade = 0.62 + 0.10 * crust * crusted + 0.12 * grain + 0.06 * lip + 0.3 * sparkle;
        Spot { height, colour: ramp(&snows, shade), roughness: mix(0.78, 0.25, sparkle) - 0.1 * crusted }
    });
    canvas.finish(&Finish { cavities: 0.5, relief: 1.0, evenness: 0.8 })
}
