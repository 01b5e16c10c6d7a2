//! River gravel: pebbles of many rocks, rounded by water, packed close.

use glam::Vec3;

use super::SIZE;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgbs, smooth};
use super::noise::{Dice, Noise};
use super::stones::{Form, Markings, Stone, hollow, sorted_radius};
use upland_core::texture::Tile;

const SEED: u64 = 606;

pub(super) fn make() -> Tile {
    let (lumps, grit) = (Noise::new(SEED, 20), Noise::new(SEED + 1, 400));
    let sand = rgbs([0x4a4134, 0x665b49, 0x847760]);
    let mut canvas = Canvas::new(|p| {
        let (lump, grit) = (lumps.fbm(3, 0.5, p), grit.gradient(p));
        Spot {
            height: 0.006 * lump + 0.0015 * grit,
            colour: ramp(&sand, 0.5 + 0.15 * lump + 0.5 * grit),
            roughness: 0.95,
        }
    });
    pebbles(&mut canvas);
    canvas.finish(&Finish { cavities: 0.85, relief: 1.0, evenness: 0.6 })
}

fn pebbles(canvas: &mut Canvas) {
    let markings = Markings::new(SEED + 2);
    let bands = Noise::stretched(SEED + 3, 10, 130);
    // Limestone, granite, slate, sandstone, and the odd quartz and red jasper.
    let common = rgbs([0x8a857b, 0x9b958a, 0x74716c, 0x5d5c5b, 0x8b7a66, 0xa1907a, 0x7d6d5c, 0x6c675f]);
    let odd = rgbs([0xc9c3b6, 0x7b5244, 0xb9ad98, 0x4b4d50]);
    const COUNT: usize = 21_000;
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 4, index);
        let radius = sorted_radius(index, 0.06, 0.007, 640.0) * dice.within(0.85, 1.15);
        let mut stone = Stone::new(Form::Pebble, radius, dice.within(0.45, 0.75), &mut dice);
        stone.colour = if dice.chance(0.1) { dice.pick(&odd) } else { dice.pick(&common) };
        stone.colour *= dice.within(0.82, 1.15);
        stone.roughness = dice.within(0.55, 0.8);
        let place = hollow(canvas, radius, if radius > 0.02 { 8 } else { 4 }, &mut dice);
        let banded = dice.chance(0.25);
        stone.lay(canvas, place, dice.within(0.1, 0.4), |p| {
            let factor = markings.at(p, 0.16);
            if !banded {
                return factor;
            }
            let band = smooth(0.1, 0.4, bands.fbm(2, 0.6, p / SIZE));
            factor * Vec3::splat(mix(0.9, 1.25, band))
        });
    }
}
