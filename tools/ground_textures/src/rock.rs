//! Bare rock, weathered: faces broken every way, a few open joints, grain, iron stains, lichen.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::blades::spread;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::cracks::{self, Crack};
use super::noise::{Cells, Dice, Noise, sheets, unit};
use upland_core::texture::Tile;

const SEED: u64 = 1111;

pub(super) fn make() -> Tile {
    let rock = Rock::new();
    let canvas = Canvas::new(|p| rock.spot(p));
    canvas.finish(&Finish { cavities: 0.8, relief: 1.0, evenness: 0.85 })
}

struct Rock {
    bend: Noise,
    faces: [Cells; 3],
    joints: Canvas,
    rough: Noise,
    grain: Noise,
    scales: Noise,
    specks: Noise,
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
            scales: noise(14, 9),
            specks: noise(15, 512),
            stain: noise(7, 6),
            lichen: [Cells::new(SEED + 8, 56), Cells::new(SEED + 9, 31), Cells::new(SEED + 11, 19)],
            colonies: noise(12, 7),
            ragged: noise(10, 90),
        }
    }

    fn spot(&self, p: Vec2) -> Spot {
        let bent = p + 0.022 * self.bend.warp(4, p);
        let (large, large_id) = self.faces[0].facets(1.3, bent);
        let (middle, middle_id) = self.faces[1].facets(1.4, bent);
        let (small, small_id) = self.faces[2].facets(1.3, p + 0.004 * self.ragged.warp(1, p));
        let (rough, grain) = (self.rough.fbm(6, 0.62, p), self.grain.fbm(2, 0.8, p));
        let scaling = 0.5 + 0.5 * self.scales.fbm(5, 0.55, p + 0.006 * self.ragged.warp(2, p));
        let (sheet, rim) = sheets(6.0 * scaling, 0.06);
        let speck = self.specks.mosaic(p);
        let speck = smooth(0.8, 0.95, speck) - smooth(-0.85, -0.97, speck);
        let crack = cracks::at(&self.joints, p + 0.002 * self.ragged.warp(2, p));
        // Smooth where water and ice have ground it, flaky elsewhere.
        let flaky = smooth(-0.5, 0.6, self.bend.fbm(2, 0.5, p + 0.4));
        let height = 0.14 * large
            + mix(0.06, 0.13, flaky) * middle
            + mix(0.012, 0.034, flaky) * small
            + 0.008 * rough
            + 0.011 * sheet
            + 0.0013 * grain
            - 0.02 * crack;

        let greys = rgbs([0x4f4c47, 0x706c65, 0x8d877d, 0xaba497]);
        let tone = 0.48
            + 0.17 * rough
            + 0.30 * grain
            + 0.3 * speck
            + 0.16 * rim
            + 0.05 * (sheet - 3.0)
            + 0.1 * (unit(large_id, 40) - 0.5)
            + 0.12 * (unit(middle_id, 40) - 0.5)
            + 0.2 * (unit(small_id, 40) - 0.5);
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
            let (id, to_centre) = cells.nearest(ragged);
            let size = 0.46 * unit(id, 12) * mix(0.4, 1.0, unit(id, 20));
            if unit(id, 28) > 0.42 + 0.45 * colony || size < 0.08 {
                continue;
            }
            let distance = to_centre.length() / size;
            let ring = mix(0.85, 1.08, smooth(0.3, 0.95, distance));
            let cover = smooth(1.0, 0.8, distance) * smooth(-0.8, 0.2, grain + 0.5 * distance);
            let tint = tints[(unit(id, 4) * 5.0) as usize];
            if 0.75 * cover > result.1 {
                result = (tint * ring * (1.0 + 0.22 * grain), 0.75 * cover);
            }
        }
        result
    }
}

/// Two families of joints, at an angle to each other, and some strays.
fn joints() -> Canvas {
    const COUNT: usize = 42;
    let mut canvas = cracks::none();
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 20, index);
        let size = dice.unit();
        let family = [0.35, 1.75, dice.within(0.0, 3.1)][index % 3];
        let crack = Crack {
            root: spread(COUNT, SIZE, index, &mut dice),
            heading: family + 0.18 * dice.bell(),
            length: mix(0.12, 1.5, size * size),
            width: mix(0.003, 0.011, size),
            jag: 0.22,
            depth: mix(0.35, 1.0, size),
            branches: 0.5,
        };
        crack.draw(&mut canvas, &mut dice);
    }
    canvas
}
