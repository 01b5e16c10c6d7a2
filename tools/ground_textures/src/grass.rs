//! Grazed grass: a hundred thousand short blades in every direction, some of them dry.

use super::SIZE;
use super::blades::{Blade, spread};
use super::canvas::{Canvas, Finish, Path, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::noise::{Dice, Noise};
use upland_core::texture::Tile;

const SEED: u64 = 101;

pub(super) fn make() -> Tile {
    let lumps = Noise::new(SEED, 40);
    let soil = rgbs([0x1e1c10, 0x2e2a18, 0x3a3520]);
    let mut canvas = Canvas::new(|p| {
        let lump = lumps.fbm(4, 0.6, p);
        Spot { height: 0.008 * lump, colour: ramp(&soil, 0.5 + 0.5 * lump), roughness: 0.95 }
    });
    thatch(&mut canvas);
    blades(&mut canvas);
    let depth = Noise::new(SEED + 9, 30);
    canvas.change(|p, spot| {
        // Light fades between the blades.
        let depth = smooth(-0.005, 0.05 + 0.006 * depth.gradient(p), spot.height);
        spot.colour *= mix(0.42, 1.05, depth);
    });
    canvas.finish(&Finish { cavities: 0.45, relief: 0.22, evenness: 0.7 })
}

/// Old blades at the bottom.
fn thatch(canvas: &mut Canvas) {
    let straw = rgbs([0x5d5230, 0x786a3e, 0x4a4526]);
    const COUNT: usize = 26_000;
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 1, index);
        let low = dice.within(0.0, 0.012);
        let colour = dice.pick(&straw) * dice.within(0.7, 1.1);
        Blade {
            root: spread(COUNT, SIZE, index, &mut dice),
            path: Path { heading: dice.within(0.0, 6.3), bend: dice.bell(), length: dice.within(0.03, 0.09) },
            width: 0.004,
            rise: [low, low + 0.004, low],
            colours: [colour, colour],
            roughness: 0.9,
        }
        .draw(canvas);
    }
}

fn blades(canvas: &mut Canvas) {
    const COUNT: usize = 110_000;
    let (tone, lush, comb) = (Noise::new(SEED + 2, 14), Noise::new(SEED + 3, 9), Noise::new(SEED + 4, 10));
    let greens = rgbs([0x4f6226, 0x5f7330, 0x70803a, 0x7f8a46, 0x8d9350]);
    let (root, dry) = (rgb(0x2f3a16), rgbs([0x9a8a55, 0xb0a06a, 0x857a4a]));
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 5, index);
        let place = spread(COUNT, SIZE, index, &mut dice);
        let p = place / SIZE;
        let lush = 0.5 + 0.5 * lush.fbm(2, 0.6, p);
        // Half of the blades follow the way the patch is combed.
        let combed = 3.0 * comb.fbm(2, 0.5, p) + 0.9 * dice.bell();
        let heading = if dice.chance(0.35) { combed } else { dice.within(0.0, 6.3) };
        let length = dice.within(0.035, 0.085) * mix(0.8, 1.25, lush);
        let top = length * dice.within(0.25, 0.75);
        let is_dry = dice.chance(mix(0.10, 0.02, lush));
        let shade = 0.5 + 0.35 * tone.fbm(3, 0.6, p) + 0.3 * dice.bell();
        let tip = if is_dry { dice.pick(&dry) } else { ramp(&greens, shade) } * dice.within(0.85, 1.15);
        Blade {
            root: place,
            path: Path { heading, bend: 1.1 * dice.bell(), length },
            width: dice.within(0.003, 0.0065),
            rise: [0.0, top, top * dice.within(0.5, 1.0)],
            colours: [if is_dry { tip * 0.7 } else { root.lerp(tip, 0.3) }, tip],
            roughness: dice.within(0.62, 0.8),
        }
        .draw(canvas);
    }
}
