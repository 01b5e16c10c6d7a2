//! Drying mud: cracked into plates where it has dried, smooth and shining where it is still wet.

use glam::Vec3;

use super::SIZE;
use super::blades::{Blade, spread};
use super::canvas::{Canvas, Finish, Path, Spot};
use super::colour::{mix, ramp, rgbs, smooth};
use super::noise::{Cells, Dice, Noise, unit};
use super::stones::{Form, Stone};
use upland_core::texture::Tile;

const SEED: u64 = 808;

pub(super) fn make() -> Tile {
    let (wet, bend, fine) = (Noise::new(SEED, 6), Noise::new(SEED + 1, 20), Noise::new(SEED + 2, 110));
    let (plates, chips) = (Cells::new(SEED + 3, 18), Cells::new(SEED + 4, 46));
    let (lumps, grit) = (Noise::new(SEED + 5, 9), Noise::new(SEED + 6, 420));
    let width = Noise::new(SEED + 9, 12);
    let dry = rgbs([0x6a5a46, 0x7d6c56, 0x8f7f68]);
    let damp = rgbs([0x43382c, 0x524536, 0x605140]);
    let mut canvas = Canvas::new(|p| {
        let (fine, grit) = (fine.fbm(3, 0.6, p), grit.fbm(2, 0.8, p));
        let lump = lumps.fbm(4, 0.5, p);
        let wet = smooth(-0.7, 1.3, wet.fbm(4, 0.55, p) - 0.2 * lump);
        let bent = p + 0.009 * bend.warp(3, p);
        let (plate, chip) = (plates.with_border(bent), chips.with_border(bent + 0.002));
        let open = 1.0 - wet;
        // Plates part where it is dry; smaller cracks run through some of them.
        let wide =
            mix(0.012, 0.08, smooth(0.3, 0.95, open)) * (0.8 + 0.5 * width.fbm(3, 0.6, p)).clamp(0.25, 1.6);
        let crack = smooth(wide, wide * 0.35, plate.border) * smooth(0.15, 0.7, open);
        let split = unit(plate.id, 20) > 0.45;
        let hair = if split { smooth(0.06, 0.0, chip.border) * smooth(0.5, 0.9, open) } else { 0.0 };
        let edge = smooth(0.30, 0.06, plate.border) * smooth(0.35, 1.0, open);
        let tilt = plate.to_centre.dot(glam::Vec2::new(unit(plate.id, 30) - 0.5, unit(plate.id, 40) - 0.5));
        let height = 0.012 * lump
            + 0.0016 * fine * mix(1.0, 0.25, wet)
            + 0.0006 * grit * open
            + 0.006 * edge
            + open * 0.008 * tilt
            - 0.022 * crack
            - 0.004 * hair
            - 0.012 * wet;
        let shade = 0.5 + 0.25 * fine + 0.2 * grit * open + 0.15 * (unit(plate.id, 50) - 0.5) + 0.2 * edge;
        let colour = ramp(&dry, shade).lerp(ramp(&damp, 0.5 + 0.3 * fine), 0.7 * smooth(0.0, 1.0, wet));
        Spot {
            height,
            colour: colour * mix(1.0, 0.38, crack) * mix(1.0, 0.75, hair),
            roughness: mix(mix(0.92, 0.6, smooth(0.0, 0.5, wet)), 0.22, smooth(0.5, 1.0, wet)),
        }
    });
    litter(&mut canvas);
    canvas.finish(&Finish { cavities: 0.8, relief: 1.0, evenness: 0.75 })
}

/// Pebbles half sunk, bits of straw.
fn litter(canvas: &mut Canvas) {
    let tints = rgbs([0x6f665a, 0x857b6d, 0x5a5148]);
    for index in 0..260 {
        let mut dice = Dice::new(SEED + 7, index);
        let mut stone = Stone::new(Form::Pebble, dice.within(0.005, 0.018), 0.6, &mut dice);
        stone.colour = dice.pick(&tints);
        stone.lay(canvas, spread(260, SIZE, index, &mut dice), 0.5, |_| Vec3::ONE);
    }
    let straw = rgbs([0x8f7d58, 0x74634a]);
    for index in 0..220 {
        let mut dice = Dice::new(SEED + 8, index);
        let root = dice.place(SIZE);
        let low = canvas.at(root).height + 0.003;
        let colour = dice.pick(&straw);
        Blade {
            root,
            path: Path {
                heading: dice.within(0.0, 6.3),
                bend: 0.4 * dice.bell(),
                length: dice.within(0.02, 0.09),
            },
            width: 0.004,
            rise: [low, low + 0.002, low],
            colours: [colour, colour],
            roughness: 0.8,
        }
        .draw(canvas);
    }
}
