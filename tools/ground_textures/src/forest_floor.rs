//! The floor of a broad-leaved wood: years of brown leaves over dark mould, twigs, some moss, a few
//! shoots of green.

use glam::Vec2;

use super::SIZE;
use super::blades::{Blade, spread};
use super::canvas::{Canvas, Finish, Path, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::leaves::Leaf;
use super::noise::{Dice, Noise};
use upland_core::texture::Tile;

const SEED: u64 = 404;

pub(super) fn make() -> Tile {
    let (lumps, grit, moss) = (Noise::new(SEED, 12), Noise::new(SEED + 1, 300), Noise::new(SEED + 2, 6));
    let mould = rgbs([0x1f170f, 0x33261a, 0x4a3a28]);
    let mosses = rgbs([0x2f3a14, 0x4f5d22, 0x738036]);
    let mut canvas = Canvas::new(|p| {
        let (lump, grit) = (lumps.fbm(5, 0.55, p), grit.fbm(2, 0.8, p));
        let moss = smooth(0.25, 0.5, moss.fbm(4, 0.6, p));
        let mould = ramp(&mould, 0.5 + 0.3 * lump + 0.35 * grit);
        Spot {
            height: 0.012 * lump + 0.003 * grit + moss * (0.016 + 0.004 * grit),
            colour: mould.lerp(ramp(&mosses, 0.5 + 0.5 * grit), moss),
            roughness: 0.95,
        }
    });
    leaves(&mut canvas, 5_200, 0.0);
    twigs(&mut canvas, 170, 0.012);
    leaves(&mut canvas, 3_800, 0.012);
    twigs(&mut canvas, 110, 0.03);
    leaves(&mut canvas, 1_000, 0.026);
    shoots(&mut canvas);
    canvas.change(|_, spot| spot.colour *= mix(0.62, 1.04, smooth(-0.01, 0.045, spot.height)));
    canvas.finish(&Finish { cavities: 0.6, relief: 0.6, evenness: 0.7 })
}

/// A layer of leaves of two trees; the deeper, the darker and more rotten.
fn leaves(canvas: &mut Canvas, count: usize, layer: f32) {
    let seed = SEED + 10 + count as u64;
    let fresh = rgbs([0x7d5b3c, 0x8c6a46, 0x9a7c57, 0x6e4c33, 0x85623f, 0xa38a66, 0x735338]);
    let rotten = rgbs([0x4d3b2b, 0x5c4935, 0x6b5740, 0x43342a]);
    let bare = Noise::new(SEED + 3, 7);
    for index in 0..count {
        let mut dice = Dice::new(seed, index);
        let centre = spread(count, SIZE, index, &mut dice);
        if bare.fbm(3, 0.6, centre / SIZE) + 0.5 * dice.bell() > 0.75 {
            continue;
        }
        let oak = dice.chance(0.35);
        let length = if oak { dice.within(0.08, 0.14) } else { dice.within(0.055, 0.10) };
        let is_fresh = dice.chance(0.35 + 10.0 * layer);
        let colour = if is_fresh { dice.pick(&fresh) } else { dice.pick(&rotten) } * dice.within(0.8, 1.15);
        Leaf {
            centre,
            along: dice.direction(),
            length,
            width: if oak { dice.within(0.5, 0.62) } else { dice.within(0.48, 0.68) },
            lobes: if oak { 2.5 } else { 0.0 },
            lobe_depth: if oak { 0.3 } else { 0.0 },
            height: canvas.height_around(centre, length * 0.4) + layer * 0.2 + dice.within(0.004, 0.012),
            curl: 0.007 * dice.bell(),
            lean: dice.direction() * dice.within(0.0, 0.22),
            colour,
            rib: colour * 1.5,
            roughness: dice.within(0.6, 0.85),
        }
        .draw(canvas);
    }
}

/// Twigs, each with a few side twigs, lying on what is below.
fn twigs(canvas: &mut Canvas, count: usize, height: f32) {
    let barks = rgbs([0x3a2d22, 0x54453a, 0x6b5d4f, 0x83776a]);
    for index in 0..count {
        let mut dice = Dice::new(SEED + 20 + count as u64, index);
        let root = dice.place(SIZE);
        let size = dice.unit();
        let length = mix(0.06, 0.55, size * size);
        let width = mix(0.004, 0.016, size * size);
        let path = Path { heading: dice.within(0.0, 6.3), bend: 0.6 * dice.bell(), length };
        let bark = dice.pick(&barks);
        let base = canvas.height_around(root, 0.03).max(height);
        twig(canvas, root, path, width, base, bark);
        for _ in 0..(length * 7.0) as usize {
            let along = dice.within(0.25, 0.9);
            // The bend is small: the chord is close enough to start from.
            let from =
                root + super::noise::direction(path.heading + 0.5 * path.bend * along) * length * along;
            let side = if dice.chance(0.5) { 0.7 } else { -0.7 };
            let path = Path {
                heading: path.heading + path.bend * along + side,
                bend: 0.5 * dice.bell(),
                length: length * dice.within(0.15, 0.4),
            };
            twig(canvas, from, path, width * 0.5, base, bark);
        }
    }
}

fn twig(canvas: &mut Canvas, root: Vec2, path: Path, width: f32, base: f32, bark: glam::Vec3) {
    let half_width = |along: f32| 0.5 * width * mix(1.0, 0.45, along);
    let rings = path.length * 90.0;
    canvas.stroke(root, path, half_width, |along, across| {
        let round = libm::sqrtf(1.0 - 0.96 * across * across);
        let ring = (along * rings - (along * rings).floor() - 0.5).abs();
        Spot {
            height: base + 0.5 * width * (1.0 + round),
            colour: bark * mix(0.55, 1.1, round) * mix(0.9, 1.05, ring * 2.0),
            roughness: 0.85,
        }
    });
}

/// Grass and seedlings.
fn shoots(canvas: &mut Canvas) {
    let greens = rgbs([0x4c5f2c, 0x5d7039, 0x728046]);
    for index in 0..90 {
        let mut dice = Dice::new(SEED + 30, index);
        let middle = spread(90, SIZE, index, &mut dice);
        let green = dice.pick(&greens);
        for _ in 0..3 + (dice.unit() * 7.0) as usize {
            let length = dice.within(0.04, 0.12);
            Blade {
                root: middle + dice.direction() * 0.012,
                path: Path { heading: dice.within(0.0, 6.3), bend: dice.bell(), length },
                width: dice.within(0.004, 0.008),
                rise: [0.02, 0.02 + length * 0.5, 0.03 + length * 0.3],
                colours: [green * 0.6, green],
                roughness: 0.6,
            }
            .draw(canvas);
        }
        if dice.chance(0.4) {
            for leaf in 0..4 {
                let along = dice.direction();
                Leaf {
                    centre: middle + along * 0.022,
                    along,
                    length: 0.04,
                    width: 0.6,
                    lobes: 0.0,
                    lobe_depth: 0.0,
                    height: 0.05 + 0.005 * leaf as f32,
                    curl: 0.003,
                    lean: along * 0.2,
                    colour: green,
                    rib: rgb(0xa0ac70),
                    roughness: 0.6,
                }
                .draw(canvas);
            }
        }
    }
}
