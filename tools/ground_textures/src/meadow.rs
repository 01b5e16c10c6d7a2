//! An old meadow: long grass of many greens, clover, broad-leaved herbs, and flowers here and there.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::blades::{Blade, spread};
use super::canvas::{Canvas, Finish, Path, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::leaves::Leaf;
use super::noise::{Dice, Noise};
use upland_core::texture::Tile;

const SEED: u64 = 202;

pub(super) fn make() -> Tile {
    let lumps = Noise::new(SEED, 30);
    let soil = rgbs([0x1b1a0e, 0x2a2715, 0x37321c]);
    let mut canvas = Canvas::new(|p| {
        let lump = lumps.fbm(4, 0.6, p);
        Spot { height: 0.01 * lump, colour: ramp(&soil, 0.5 + 0.5 * lump), roughness: 0.95 }
    });
    blades(&mut canvas, 40_000, 0.6);
    clover(&mut canvas);
    herbs(&mut canvas);
    blades(&mut canvas, 34_000, 1.0);
    canvas.change(|_, spot| spot.colour *= mix(0.36, 1.05, smooth(0.0, 0.085, spot.height)));
    flowers(&mut canvas);
    canvas.finish(&Finish { cavities: 0.5, relief: 0.22, evenness: 0.7 })
}

fn blades(canvas: &mut Canvas, count: usize, tall: f32) {
    let seed = SEED + count as u64;
    let (tone, comb) = (Noise::new(SEED + 2, 16), Noise::new(SEED + 3, 7));
    let greens = rgbs([0x3f5a26, 0x4f6e2c, 0x678036, 0x7f9344, 0x96a055]);
    let (root, dry) = (rgb(0x2a3815), rgbs([0xa49560, 0xbcae78]));
    for index in 0..count {
        let mut dice = Dice::new(seed, index);
        let place = spread(count, SIZE, index, &mut dice);
        let p = place / SIZE;
        let heading = 3.5 * comb.fbm(2, 0.5, p) + 1.5 * dice.bell();
        let heading = if dice.chance(0.3) { dice.within(0.0, 6.3) } else { heading };
        let length = dice.within(0.07, 0.19) * tall;
        let top = length * dice.within(0.3, 0.65);
        let is_dry = dice.chance(0.05);
        let shade = 0.5 + 0.4 * tone.fbm(3, 0.6, p) + 0.3 * dice.bell();
        let tip = if is_dry { dice.pick(&dry) } else { ramp(&greens, shade) } * dice.within(0.85, 1.15);
        Blade {
            root: place,
            path: Path { heading, bend: 1.3 * dice.bell(), length },
            width: dice.within(0.003, 0.009),
            rise: [0.0, top, top * dice.within(0.3, 0.9)],
            colours: [root.lerp(tip, 0.35), tip],
            roughness: dice.within(0.55, 0.75),
        }
        .draw(canvas);
    }
}

/// Three round leaflets with a pale mark, in patches.
fn clover(canvas: &mut Canvas) {
    let patch = Noise::new(SEED + 4, 6);
    for index in 0..9_000 {
        let mut dice = Dice::new(SEED + 5, index);
        let centre = spread(9_000, SIZE, index, &mut dice);
        if patch.fbm(2, 0.6, centre / SIZE) + 0.4 * dice.bell() < 0.35 {
            continue;
        }
        let (height, size) = (dice.within(0.035, 0.075), dice.within(0.009, 0.016));
        let colour = rgb(0x56743a) * dice.within(0.75, 1.2);
        let first = dice.direction();
        let third = Vec2::new(-0.5, 0.866);
        let mut out = first;
        for _ in 0..3 {
            canvas.stamp(centre + out * size * 0.95, size, |offset| {
                let distance = offset.length() / size;
                let mark = smooth(0.18, 0.05, ((offset + out * size).length() / size - 0.95).abs());
                (distance < 1.0).then(|| Spot {
                    height: height - 0.003 * distance,
                    colour: colour * mix(1.05, 0.85, distance) * mix(1.0, 1.35, mark),
                    roughness: 0.6,
                })
            });
            out = third.rotate(out);
        }
    }
}

/// Rosettes of lance-shaped leaves: plantain and dandelion.
fn herbs(canvas: &mut Canvas) {
    const COUNT: usize = 210;
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 6, index);
        let centre = spread(COUNT, SIZE, index, &mut dice);
        let leaves = 5 + (dice.unit() * 5.0) as usize;
        let (length, toothed) = (dice.within(0.06, 0.12), dice.chance(0.4));
        let colour = rgb(0x52752f).lerp(rgb(0x6b8a45), dice.unit());
        let first = dice.within(0.0, 6.3);
        for leaf in 0..leaves {
            let angle = first + (leaf as f32 + 0.4 * dice.signed()) * std::f32::consts::TAU / leaves as f32;
            let along = super::noise::direction(angle);
            let length = length * dice.within(0.7, 1.1);
            Leaf {
                centre: centre + along * length * 0.5,
                along: -along,
                length,
                width: dice.within(0.2, 0.3),
                lobes: if toothed { 4.0 } else { 0.0 },
                lobe_depth: if toothed { 0.5 } else { 0.0 },
                height: dice.within(0.035, 0.06),
                curl: 0.006,
                lean: along * dice.within(-0.1, 0.3),
                colour: colour * dice.within(0.8, 1.15),
                rib: rgb(0xa3b277),
                roughness: 0.58,
            }
            .draw(canvas);
        }
    }
}

/// Buttercups, daisies and a few violet heads, above the grass.
fn flowers(canvas: &mut Canvas) {
    const COUNT: usize = 190;
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 7, index);
        let centre = spread(COUNT, SIZE, index, &mut dice);
        let kind = dice.unit();
        let (petal, eye, petals, size) = match kind {
            k if k < 0.45 => (rgb(0xe0bf28), rgb(0xb08a18), 5.0, 0.011),
            k if k < 0.8 => (rgb(0xe6e4dc), rgb(0xd0a828), 9.0, 0.012),
            _ => (rgb(0x8a6fa8), rgb(0x6b4f88), 6.0, 0.010),
        };
        let size = size * dice.within(0.75, 1.2);
        let turn = dice.within(0.0, 6.3);
        canvas.stamp(centre, size, |offset| {
            let distance = offset.length() / size;
            let angle = libm::atan2f(offset.y, offset.x);
            let edge = 0.82 + 0.18 * libm::cosf(petals * angle + turn);
            (distance < edge).then(|| flower_spot(distance, petal, eye))
        });
    }
}

fn flower_spot(distance: f32, petal: Vec3, eye: Vec3) -> Spot {
    Spot {
        height: 0.14 - 0.004 * distance,
        colour: eye.lerp(petal * mix(0.85, 1.0, distance), smooth(0.3, 0.45, distance)),
        roughness: 0.6,
    }
}
