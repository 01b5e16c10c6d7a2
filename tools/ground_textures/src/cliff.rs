//! A cliff of layered rock, seen from the front: hard and soft beds from north to south, their edges
//! broken into blocks and chips, upright joints, iron stains and streaks of water.

use glam::Vec2;

use super::SIZE;
use super::blades::spread;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::cracks::{self, Crack};
use super::noise::{Cells, Dice, Noise, sheets, unit};
use upland_core::texture::Tile;

const SEED: u64 = 1212;
/// Beds on the tile.
const BEDS: usize = 27;

pub(super) fn make() -> Tile {
    let cliff = Cliff::new();
    let canvas = Canvas::new(|p| cliff.spot(p));
    canvas.finish(&Finish { cavities: 0.75, relief: 0.85, evenness: 0.6 })
}

struct Bed {
    /// Where it begins and how thick it is, in tiles from the north.
    top: f32,
    thickness: f32,
    /// How far it stands out, metres.
    out: f32,
    /// 0 soft, 1 hard.
    hard: f32,
    tone: f32,
}

struct Cliff {
    beds: Vec<Bed>,
    bend: Noise,
    wobble: Noise,
    rough: Noise,
    lamina: Noise,
    grain: Noise,
    scales: Noise,
    streak: Noise,
    blocks: Cells,
    chips: Cells,
    flakes: Cells,
    joints: Canvas,
    stain: Noise,
}

impl Cliff {
    fn new() -> Self {
        Self {
            beds: beds(),
            bend: Noise::stretched(SEED + 1, 3, 3),
            wobble: Noise::stretched(SEED + 2, 18, 26),
            rough: Noise::new(SEED + 3, 18),
            lamina: Noise::stretched(SEED + 4, 7, 120),
            grain: Noise::new(SEED + 5, 360),
            scales: Noise::stretched(SEED + 11, 8, 15),
            streak: Noise::stretched(SEED + 6, 50, 5),
            blocks: Cells::stretched(SEED + 7, 9, 13),
            chips: Cells::stretched(SEED + 8, 22, 34),
            flakes: Cells::stretched(SEED + 9, 50, 80),
            joints: joints(),
            stain: Noise::stretched(SEED + 10, 7, 9),
        }
    }

    fn spot(&self, p: Vec2) -> Spot {
        let dip = Vec2::new(0.0, 0.014 * self.bend.fbm(3, 0.5, p));
        let bent = p + dip + 0.005 * self.wobble.warp(4, p);
        let down = bent.y - bent.y.floor();
        let index = self.beds.iter().rposition(|bed| bed.top <= down).unwrap_or(0);
        let bed = &self.beds[index];
        let next = &self.beds[(index + 1) % BEDS];
        let (from_top, from_bottom) = ((down - bed.top) * SIZE, (bed.top + bed.thickness - down) * SIZE);
        let seam = from_top.min(from_bottom);

        let (rough, grain) = (self.rough.fbm(6, 0.62, p), self.grain.fbm(2, 0.8, p));
        let lamina = self.lamina.fbm(3, 0.65, bent);
        let (block, block_id) = self.blocks.facets(1.4, bent + 0.01 * index as f32);
        let (chip, chip_id) = self.chips.facets(1.3, bent);
        let (flake, flake_id) = self.flakes.facets(1.4, bent);
        let scaling = 0.5 + 0.5 * self.scales.fbm(5, 0.55, p + 0.004 * self.wobble.warp(3, p));
        let (sheet, rim) = sheets(6.0 * scaling, 0.06);
        let joint = cracks::at(&self.joints, p + 0.002 * self.wobble.warp(3, p)) * mix(0.35, 1.0, bed.hard);

        // Beds meet in a hollow that comes and goes; the edge of a hard one is worn round.
        let worn = 0.011 * (1.0 + 0.9 * rough).clamp(0.3, 2.2);
        let open = smooth(-0.5, 0.5, self.wobble.fbm(2, 0.6, p + 0.3));
        let hollow = smooth(worn, 0.0, seam) * mix(0.25, 1.0, open);
        // What stands out falls back to the bed below it over a hand's breadth.
        let out = mix(next.out, bed.out, smooth(0.0, 0.035, from_bottom + 0.006 * rough));
        let soft = 1.0 - bed.hard;
        let height = out
            + 0.15 * mix(0.5, 1.0, bed.hard) * block
            + mix(0.045, 0.075, bed.hard) * chip
            + mix(0.024, 0.018, bed.hard) * flake
            - 0.014 * hollow
            - 0.03 * joint
            + 0.007 * rough
            + mix(0.012, 0.016, bed.hard) * sheet
            + mix(0.0015, 0.005, soft) * lamina
            + 0.0012 * grain;

        let rocks = rgbs([0x655b4f, 0x877a69, 0xa39480, 0xbfb09b]);
        let shade = 0.47
            + 0.5 * (bed.tone - 0.5)
            + 0.15 * rough
            + 0.26 * grain
            + 0.18 * rim
            + 0.05 * (sheet - 3.0)
            + 0.09 * lamina * (1.0 + soft)
            + 0.2 * (unit(block_id, 40) - 0.5)
            + 0.2 * (unit(chip_id, 40) - 0.5)
            + 0.22 * (unit(flake_id, 40) - 0.5);
        let mut colour = ramp(&rocks, shade);
        colour = colour.lerp(rgb(0x5f5b57) * (1.0 + 0.25 * grain + 0.2 * lamina), 0.45 * soft);
        let stain = self.stain.fbm(4, 0.6, bent) + 0.35 * self.streak.fbm(3, 0.6, p);
        colour = colour.lerp(rgb(0x8a6748) * (1.0 + 0.2 * grain), 0.36 * smooth(0.25, 1.1, stain));
        colour *= mix(1.0, 0.84, smooth(0.2, 1.0, -self.streak.fbm(4, 0.6, p + 0.5)));
        colour *= mix(1.0, 0.55, hollow) * mix(1.0, 0.5, joint);
        Spot { height, colour, roughness: mix(0.94, 0.82, bed.hard) - 0.05 * grain }
    }
}

fn beds() -> Vec<Bed> {
    let mut dice = Dice::new(SEED, 0);
    let thicknesses: Vec<f32> =
        (0..BEDS).map(|_| 0.2 + dice.unit() * dice.unit() * dice.unit() * 4.0).collect();
    let sum: f32 = thicknesses.iter().sum();
    let mut top = 0.0;
    let bed = |thickness: f32| {
        let thickness = thickness / sum;
        let hard = dice.unit();
        let out = mix(-0.045, 0.055, hard) + 0.008 * dice.signed();
        let bed = Bed { top, thickness, out, hard, tone: dice.unit() };
        top += thickness;
        bed
    };
    thicknesses.into_iter().map(bed).collect()
}

/// Upright joints, and some aslant.
fn joints() -> Canvas {
    const COUNT: usize = 70;
    let mut canvas = cracks::none();
    for index in 0..COUNT {
        let mut dice = Dice::new(SEED + 20, index);
        let size = dice.unit();
        let upright = std::f32::consts::FRAC_PI_2 + 0.22 * dice.bell();
        let crack = Crack {
            root: spread(COUNT, SIZE, index, &mut dice),
            heading: if dice.chance(0.2) { dice.within(0.4, 2.7) } else { upright },
            length: mix(0.08, 0.8, size * size),
            width: mix(0.004, 0.011, size),
            jag: 0.2,
            depth: mix(0.4, 1.0, size),
            branches: 0.3,
        };
        crack.draw(&mut canvas, &mut dice);
    }
    canvas
}
