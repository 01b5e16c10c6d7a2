//! Late-summer grassland: straw in tussocks, bare soil between them, a little green left.

use super::SIZE;
use super::blades::{Blade, spread};
use super::canvas::{Canvas, Finish, Path, Spot};
use super::colour::{mix, ramp, rgbs, smooth};
use super::noise::{Dice, Noise, direction};
use super::stones::{Form, Stone};
use upland_core::texture::Tile;

const SEED: u64 = 303;
const TUSSOCKS: usize = 760;

pub(super) fn make() -> Tile {
    let (lumps, grit) = (Noise::new(SEED, 24), Noise::new(SEED + 1, 400));
    let soil = rgbs([0x4a3c28, 0x67553a, 0x85714f]);
    let mut canvas = Canvas::new(|p| {
        let lump = lumps.fbm(5, 0.6, p);
        let shade = 0.5 + 0.3 * lump + 0.35 * grit.gradient(p);
        Spot { height: 0.012 * lump + 0.002 * grit.gradient(p), colour: ramp(&soil, shade), roughness: 0.95 }
    });
    pebbles(&mut canvas);
    litter(&mut canvas);
    tussocks(&mut canvas);
    canvas.change(|_, spot| spot.colour *= mix(0.62, 1.04, smooth(-0.005, 0.06, spot.height)));
    canvas.finish(&Finish { cavities: 0.5, relief: 0.25, evenness: 0.7 })
}

fn pebbles(canvas: &mut Canvas) {
    let tints = rgbs([0x8a7d68, 0x9c917e, 0x75695a]);
    for index in 0..500 {
        let mut dice = Dice::new(SEED + 2, index);
        let mut stone = Stone::new(Form::Pebble, dice.within(0.006, 0.016), 0.6, &mut dice);
        stone.colour = dice.pick(&tints);
        stone.lay(canvas, dice.place(SIZE), 0.4, |_| glam::Vec3::ONE);
    }
}

/// Broken straw on the ground.
fn litter(canvas: &mut Canvas) {
    const COUNT: usize = 30_000;
    let straw = rgbs([0x7d6a44, 0x95814f, 0xa9955f, 0x6a593a]);
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 3, index);
        let root = spread(COUNT, SIZE, index, &mut dice);
        let low = canvas.at(root).height + dice.within(0.002, 0.012);
        let colour = dice.pick(&straw) * dice.within(0.75, 1.15);
        Blade {
            root,
            path: Path {
                heading: dice.within(0.0, 6.3),
                bend: 0.5 * dice.bell(),
                length: dice.within(0.02, 0.11),
            },
            width: dice.within(0.002, 0.005),
            rise: [low, low + 0.003, low],
            colours: [colour, colour],
            roughness: 0.85,
        }
        .draw(canvas);
    }
}

/// Blades that lean outward from the middle of their tussock, and with the wind.
fn tussocks(canvas: &mut Canvas) {
    let (wind, tone) = (Noise::new(SEED + 4, 6), Noise::new(SEED + 5, 12));
    let straw = rgbs([0x8b7445, 0xa88f5c, 0xbfa873, 0xd0bb8c]);
    let greens = rgbs([0x6a6c36, 0x7d7c40, 0x8f8b4e]);
    for tussock in 0..TUSSOCKS {
        let mut dice = Dice::new(SEED + 6, tussock);
        let middle = spread(TUSSOCKS, SIZE, tussock, &mut dice);
        let wind = 0.9 + 1.3 * wind.fbm(2, 0.5, middle / SIZE);
        let size = 0.45 + 1.0 * dice.unit() * dice.unit();
        let green = if dice.chance(0.22) { dice.within(0.2, 0.7) } else { 0.05 };
        let shade = 0.5 + 0.25 * tone.fbm(2, 0.6, middle / SIZE) + 0.12 * dice.bell();
        for _ in 0..(95.0 * size) as usize {
            let out = dice.direction();
            let lean = dice.direction() * dice.unit() + out * 0.3 + direction(wind) * 0.6;
            let length = size * dice.within(0.09, 0.27);
            let top = length * dice.within(0.25, 0.7);
            let colours = if dice.chance(green) { &greens[..] } else { &straw[..] };
            let tip = ramp(colours, shade + 0.4 * dice.bell()) * dice.within(0.8, 1.15);
            Blade {
                root: middle + out * (0.15 * size * dice.unit()),
                path: Path { heading: libm::atan2f(lean.y, lean.x), bend: 0.9 * dice.bell(), length },
                width: dice.within(0.002, 0.005),
                rise: [0.01, top, top * dice.within(0.2, 0.9)],
                colours: [tip * 0.6, tip],
                roughness: 0.78,
            }
            .draw(canvas);
        }
    }
}
