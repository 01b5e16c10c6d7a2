//! Scree: broken stones of all sizes, from blocks of a forearm's length to grit, at rest on one another.

use super::SIZE;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{ramp, rgb, rgbs, smooth};
use super::noise::{Dice, Noise};
use super::stones::{Form, Markings, Stone, hollow, sorted_radius};
use upland_core::texture::Tile;

const SEED: u64 = 505;

pub(super) fn make() -> Tile {
    let (lumps, grit) = (Noise::new(SEED, 14), Noise::new(SEED + 1, 256));
    let fines = rgbs([0x3d3832, 0x575047, 0x6f675b]);
    let mut canvas = Canvas::new(|p| {
        let (lump, grit) = (lumps.fbm(4, 0.5, p), grit.fbm(2, 0.8, p));
        Spot {
            height: 0.01 * lump + 0.004 * grit,
            colour: ramp(&fines, 0.5 + 0.2 * lump + 0.4 * grit),
            roughness: 0.95,
        }
    });
    stones(&mut canvas);
    canvas.finish(&Finish { cavities: 0.9, relief: 1.0, evenness: 0.6 })
}

fn stones(canvas: &mut Canvas) {
    let markings = Markings::new(SEED + 2);
    let lichen = Noise::new(SEED + 3, 70);
    let greys = rgbs([0x77746d, 0x88847c, 0x98938a, 0x817b74, 0x908677, 0x75726f, 0x9f978a]);
    let (rust, pale) = (rgb(0x86684c), rgb(0xa7a79a));
    const COUNT: usize = 20_000;
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 4, index);
        let radius = sorted_radius(index, 0.15, 0.009, 120.0) * dice.within(0.75, 1.15);
        let mut stone = Stone::new(Form::Broken, radius, dice.within(0.5, 0.9), &mut dice);
        let rusty = if dice.chance(0.14) { dice.within(0.2, 0.8) } else { 0.0 };
        stone.colour = dice.pick(&greys).lerp(rust, rusty) * dice.within(0.82, 1.15);
        stone.roughness = dice.within(0.75, 0.92);
        let place = hollow(canvas, radius, if radius > 0.03 { 10 } else { 4 }, &mut dice);
        let spotted = dice.chance(0.3);
        stone.lay(canvas, place, dice.within(0.1, 0.35), |p| {
            let spot = smooth(0.45, 0.6, lichen.fbm(2, 0.6, p / SIZE));
            let factor = markings.at(p, 0.22);
            if spotted { factor * (1.0 + spot * (pale / greys[1] - 1.0) * 0.6) } else { factor }
        });
    }
}
