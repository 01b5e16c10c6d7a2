//! Old lake ice: blue-grey and clear between milky patches, white fractures through its depth, bubbles
//! in swarms, frost on top.

use super::SIZE;
use super::blades::spread;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::cracks::{self, Crack};
use super::noise::{Cells, Dice, Noise};
use upland_core::texture::Tile;

const SEED: u64 = 1010;

pub(super) fn make() -> Tile {
    let (milk, bend, fine) = (Noise::new(SEED, 5), Noise::new(SEED + 1, 8), Noise::new(SEED + 2, 60));
    let cracks = fractures();
    let hair = Cells::new(SEED + 5, 26);
    let (frost, rime, swell) = (Noise::new(SEED + 6, 7), Noise::new(SEED + 7, 300), Noise::new(SEED + 8, 6));
    let deep = rgbs([0x5b7888, 0x7d98a5, 0xa3b8c0, 0xc3d1d6]);
    let white = rgb(0xe3eaed);
    let mut canvas = Canvas::new(|p| {
        let bent = p + 0.02 * bend.warp(3, p);
        let (fine, rime) = (fine.fbm(4, 0.6, p), rime.fbm(2, 0.8, p));
        let milky = 0.42 + 0.22 * milk.fbm(5, 0.6, bent) + 0.06 * fine;
        let mut colour = ramp(&deep, milky);
        // Fractures, and the veil beside them where their plane dips into the ice.
        let (crack, veil) = (cracks::at(&cracks[0], bent), cracks::at(&cracks[1], bent));
        let border = hair.with_border(bent + 0.003 * fine).border;
        let hair = 0.3 * smooth(0.04, 0.0, border) * smooth(0.0, 0.5, milk.gradient(p + 0.37));
        colour = colour.lerp(white, (veil * (0.7 + 0.5 * fine)).clamp(0.0, 0.55));
        let crack = crack.max(hair);
        colour = colour.lerp(white, crack * 0.85);
        let frosty = smooth(0.1, 0.75, frost.fbm(4, 0.6, p) + 0.35 * rime);
        colour = colour.lerp(white * mix(0.88, 1.02, 0.5 + 0.5 * rime), 0.32 * frosty);
        Spot {
            height: 0.006 * swell.fbm(2, 0.5, p) + 0.0006 * fine - 0.0025 * crack + 0.0009 * rime * frosty,
            colour,
            roughness: mix(mix(0.14, 0.35, crack), 0.62, frosty),
        }
    });
    bubbles(&mut canvas);
    canvas.finish(&Finish { cavities: 0.3, relief: 1.0, evenness: 0.75 })
}

/// Long cracks with branches, and on a second canvas the wide veils at one side of some.
fn fractures() -> [Canvas; 2] {
    let mut canvases = [cracks::none(), cracks::none()];
    for index in 0..64 {
        let mut dice = Dice::new(SEED + 11, index);
        let size = dice.unit();
        let crack = Crack {
            root: spread(64, SIZE, index, &mut dice),
            heading: dice.within(0.0, 6.3),
            length: mix(0.2, 3.2, size * size),
            width: mix(0.003, 0.012, size),
            jag: 0.07,
            depth: mix(0.45, 1.0, size),
            branches: 0.55,
        };
        if dice.chance(0.6) {
            let veil = Crack { width: 16.0 * crack.width, depth: 0.33 * crack.depth, branches: 0.0, ..crack };
            veil.draw(&mut canvases[1], &mut Dice::new(SEED + 12, index));
        }
        crack.draw(&mut canvases[0], &mut Dice::new(SEED + 12, index));
    }
    canvases
}

/// White discs under the surface, in swarms: they change the colour and nothing else.
fn bubbles(canvas: &mut Canvas) {
    let swarm = Noise::new(SEED + 9, 7);
    let white = rgb(0xdce7ec);
    for index in 0..9_000 {
        let mut dice = Dice::new(SEED + 10, index);
        let centre = spread(9_000, SIZE, index, &mut dice);
        if swarm.fbm(3, 0.6, centre / SIZE) + 0.25 * dice.bell() < 0.45 {
            continue;
        }
        let size = dice.within(0.003, 0.013) * dice.within(0.5, 1.0);
        let strength = dice.within(0.3, 0.8);
        let under = *canvas.at(centre);
        canvas.stamp(centre, size, |offset| {
            let distance = offset.length() / size;
            let share = strength * mix(0.55, 1.0, smooth(0.5, 0.9, distance)) * smooth(1.0, 0.85, distance);
            (distance < 1.0).then(|| Spot {
                colour: under.colour.lerp(white, share),
                height: under.height + 1e-4,
                ..under
            })
        });
    }
}
