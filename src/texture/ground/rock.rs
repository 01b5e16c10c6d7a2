//! Bare rock, weathered: faces broken every way, a few open joints, grain, iron stains, lichen.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::blades::spread;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::cracks::{self, Crack};
use super::noise::{Cells, Dice, Noise, unit};
use crate::texture::Tile;

const SEED: u64 = 1111;

pub(super) fn make() -> Tile {
    let rock = Rock::new();
    let canvas = Canvas::new(|p| rock.spot(p));
    canvas.finish(&Finish { cavities: 0.9, relief: 1.0, evenness: 0.7 })
}

struct Rock {
    bend: Noise,
    faces: [Cells; 3],
    joints: Canvas,
    rough: Noise,
    grain: Noise,
    stain: Noise,
    lichen: [Cells; 3],
    colonies: Noise,
    ragged: Noise,
}

impl Rock {
    fn new() -> Self {
        let noise = |index: u64, cells: i32| Noise::new(SEED + index, cells);
        Self {
            bend: noise(0, 6),
            faces: [
                Cells::stretched(SEED + 1, 5, 8),
                Cells::stretched(SEED + 2, 13, 17),
                Cells::new(SEED + 3, 40),
            ],
            joints: joints(),
            rough: noise(5, 14),
            grain: noise(6, 340),
            stain: noise(7, 6),
            lichen: [Cells::new(SEED + 8, 56), Cells::new(SEED + 9, 31), Cells::new(SEED + 11, 19)],
            colonies: noise(12, 7),
            ragged: noise(10, 90),
        }
    }

    fn spot(&self, p: Vec2) -> Spot {
        let bent = p + 0.022 * self.bend.warp(4, p);
        let (large, large_id) = self.faces[0].facets(1.5, bent);
        let (middle, middle_id) = self.faces[1].facets(1.4, bent);
        let (small, _) = self.faces[2].facets(1.3, p + 0.004 * self.ragged.warp(1, p));
        let (rough, grain) = (self.rough.fbm(6, 0.62, p), self.grain.fbm(2, 0.8, p));
        let crack = cracks::at(&self.joints, p + 0.002 * self.ragged.warp(2, p));
        // Smooth where water and ice have ground it, flaky elsewhere.
        let flaky = smooth(-0.5, 0.6, self.bend.fbm(2, 0.5, p + 0.4));
        let height = 0.11 * large
            + mix(0.02, 0.045, flaky) * middle
            + mix(0.003, 0.012, flaky) * small
            + 0.010 * rough
            + 0.0013 * grain
            - 0.03 * crack;

        let greys = rgbs([0x55524d, 0x706c66, 0x878279, 0xa09a8f]);
        let tone = 0.48
            + 0.17 * rough
            + 0.24 * grain
            + 0.22 * (unit(large_id, 40) - 0.5)
            + 0.24 * (unit(middle_id, 40) - 0.5)
            + 0.25 * (small - 0.2);
        let stain = self.stain.fbm(5, 0.6, bent) + 0.3 * rough;
        let mut colour = ramp(&greys, tone);
        colour = colour.lerp(rgb(0x84694f) * (1.0 + 0.2 * grain), 0.4 * smooth(0.3, 1.1, stain));
        colour *= mix(1.0, 0.8, smooth(-0.3, -1.0, stain)) * mix(1.0, 0.45, crack);
        let (lichen, cover) = self.lichen(p, grain);
        let cover = cover * (1.0 - crack);
        Spot {
            height: height + 0.0012 * cover,
            colour: colour.lerp(lichen, cover),
            roughness: mix(0.8 - 0.06 * grain, 0.95, cover),
        }
    }

    /// Round spots with a ragged edge, in colonies: their colour, and how much they hide.
    fn lichen(&self, p: Vec2, grain: f32) -> (Vec3, f32) {
        let tints = rgbs([0x92958a, 0x9c9d8e, 0x868a78, 0x8e8457, 0x4a4944]);
        let ragged = p + 0.0045 * self.ragged.warp(3, p);
        let colony = self.colonies.fbm(2, 0.6, p);
        let mut result = (Vec3::ZERO, 0.0);
        for cells in &self.lichen {
            let cell = cells.nearest(ragged);
            let size = 0.46 * unit(cell.id, 12) * mix(0.4, 1.0, unit(cell.id, 20));
            if unit(cell.id, 28) > 0.42 + 0.45 * colony || size < 0.08 {
                continue;
            }
            let distance = cell.to_centre.length() / size;
            let ring = mix(0.85, 1.08, smooth(0.3, 0.95, distance));
            let cover = smooth(1.0, 0.8, distance) * smooth(-0.8, 0.2, grain + 0.5 * distance);
            let tint = tints[(unit(cell.id, 4) * 5.0) as usize];
            if 0.75 * cover > result.1 {
                result = (tint * ring * (1.0 + 0.22 * grain), 0.75 * cover);
            }
        }
        result
    }
}

/// Two families of joints, at an angle to each other, and some strays.
fn joints() -> Canvas {
    const COUNT: usize = 60;
    let mut canvas = cracks::none();
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 20, index);
        let size = dice.unit();
        let family = [0.35, 1.75, dice.within(0.0, 3.1)][index % 3];
        let crack = Crack {
            root: spread(COUNT, SIZE, index, &mut dice),
            heading: family + 0.18 * dice.bell(),
            length: mix(0.12, 1.5, size * size),
            width: mix(0.006, 0.022, size),
            jag: 0.3,
            depth: mix(0.35, 1.0, size),
            branches: 1.5,
        };
        crack.draw(&mut canvas, &mut dice);
    }
    canvas
}
