//! Dry sand that the wind has rippled.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::canvas::{Canvas, Finish, Spot};
use super::colour::{mix, ramp, rgb, rgbs, smooth};
use super::noise::{Dice, Noise, direction};
use super::stones::{Form, Stone};
use upland_core::texture::Tile;

const SEED: u64 = 707;
/// Ripples that fit on the tile, southward.
const RIPPLES: f32 = 34.0;

pub(super) fn make() -> Tile {
    let (bend, grain, fine) = (Noise::new(SEED, 5), Noise::new(SEED + 1, 500), Noise::new(SEED + 2, 60));
    let (swell, dark) = (Noise::new(SEED + 3, 4), Noise::new(SEED + 4, 16));
    let waves = Waves::new();
    let sands = rgbs([0xa08660, 0xb39a72, 0xc4ac84, 0xd0ba95]);
    let minerals = rgb(0x6e5b45);
    let mut canvas = Canvas::new(|p| {
        let warped = p + 0.014 * bend.warp(3, p);
        let ripple = waves.at(warped);
        let fade = mix(0.55, 1.0, smooth(-0.6, 0.3, swell.fbm(2, 0.5, p)));
        let (grain, fine) = (grain.fbm(2, 0.9, p), fine.fbm(3, 0.6, p));
        let height = 0.0062 * fade * ripple + 0.0006 * grain + 0.0009 * fine;
        // Coarse grains lie on the crests, heavy dark ones in the troughs.
        let heavy = smooth(0.3, -1.0, ripple) * smooth(-0.9, 0.9, dark.fbm(4, 0.7, p) + 0.4 * grain) * 0.38;
        let shade = 0.5 + 0.17 * ripple * fade + 0.22 * grain + 0.1 * fine;
        Spot { height, colour: ramp(&sands, shade).lerp(minerals, heavy), roughness: 0.92 }
    });
    grit(&mut canvas);
    canvas.finish(&Finish { cavities: 0.8, relief: 1.0, evenness: 0.8 })
}

/// Scattered coarse grains and bits of shell.
fn grit(canvas: &mut Canvas) {
    let tints = rgbs([0x8a7a66, 0x6f6253, 0xd8ccb4, 0xa89a86]);
    for index in 0..700 {
        let mut dice = Dice::new(SEED + 5, index);
        let mut stone = Stone::new(Form::Pebble, dice.within(0.003, 0.008), 0.6, &mut dice);
        stone.colour = dice.pick(&tints);
        stone.lay(canvas, dice.place(SIZE), 0.3, |_| Vec3::ONE);
    }
}

/// Ripples as the phase of a sum of short wave packets, all of one wavelength but of wandering
/// direction (after Tricard et al., "Procedural Phasor Noise", 2019): every crest is as high as the
/// next, and crests fork where packets meet.
struct Waves {
    packets: Vec<Packet>,
}

struct Packet {
    centre: Vec2,
    /// Radians per tile.
    wave: Vec2,
    phase: f32,
}

/// Packets along a side of the tile.
const PACKETS: usize = 14;

impl Waves {
    fn new() -> Self {
        let lean = Noise::new(SEED + 6, 3);
        let packet = |index: usize| {
            let mut dice = Dice::new(SEED + 7, index);
            let square = Vec2::new((index % PACKETS) as f32, (index / PACKETS) as f32);
            let centre = (square + Vec2::new(dice.unit(), dice.unit())) / PACKETS as f32;
            let angle = std::f32::consts::FRAC_PI_2 + 0.30 * lean.fbm(2, 0.5, centre) + 0.1 * dice.bell();
            let wave = direction(angle) * (RIPPLES * std::f32::consts::TAU);
            // Roughly in phase with a plane wave, so that crests are long.
            let phase = RIPPLES * std::f32::consts::TAU * centre.y + 0.55 * dice.bell();
            Packet { centre, wave, phase }
        };
        Self { packets: (0..PACKETS * PACKETS).map(packet).collect() }
    }

    /// −1 in the troughs to 1 on the crests.
    fn at(&self, p: Vec2) -> f32 {
        let square = (p * PACKETS as f32).floor();
        let mut sum = Vec2::ZERO;
        for dz in -2..=2 {
            for dx in -2..=2 {
                let (x, z) = (square.x as i32 + dx, square.y as i32 + dz);
                let side = PACKETS as i32;
                let (column, row) = (x.rem_euclid(side), z.rem_euclid(side));
                let packet = &self.packets[(row * side + column) as usize];
                let copy = Vec2::new((x - column) as f32, (z - row) as f32) / PACKETS as f32;
                let to = p - packet.centre - copy;
                let distance = (to * PACKETS as f32).length() / 2.0;
                if distance < 1.0 {
                    let window = (1.0 - distance * distance) * (1.0 - distance * distance);
                    sum += direction(packet.phase + to.dot(packet.wave)) * window;
                }
            }
        }
        let round = sum / sum.length().max(1e-5);
        // Steeper on the lee side: the wave leans by a part of its second harmonic.
        let second = 2.0 * round.x * round.y;
        (round.x + 0.28 * second) / 1.1
    }
}
