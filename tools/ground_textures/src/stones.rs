//! Brush: stones, rounded by water or broken into facets, that come to rest on the ground.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::canvas::{Canvas, Spot};
use super::colour::{mix, smooth};
use super::noise::{Dice, Noise, direction};

/// How a stone is shaped.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Rounded by water, lumpy.
    Pebble,
    /// Broken: flat facets that meet in edges.
    Broken,
}

/// One stone, in metres.
pub(super) struct Stone {
    form: Form,
    /// Half of its longer side.
    radius: f32,
    /// Unit vector along that, and its narrower side's share of it.
    along: Vec2,
    narrow: f32,
    /// Height over its widest outline.
    thick: f32,
    /// Rise per metre of its top, east and south.
    lean: Vec2,
    /// Lumps of the outline: two and three waves round it.
    lumps: [Vec2; 2],
    /// Facets: unit outward direction, steepness, height over the middle (of 1).
    facets: Vec<(Vec2, f32, f32)>,
    /// Of its upper side.
    pub(super) colour: Vec3,
    pub(super) roughness: f32,
    /// Where its own markings begin.
    shift: Vec2,
}

impl Stone {
    /// A stone of a form and size, shaped at random.
    pub(super) fn new(form: Form, radius: f32, flatness: f32, dice: &mut Dice) -> Self {
        let narrow = dice.within(0.55, 0.95);
        let lump = |dice: &mut Dice, size: f32| dice.direction() * size * dice.unit();
        let lumps = [lump(dice, 0.10), lump(dice, 0.12)];
        let mut facets = Vec::new();
        if form == Form::Broken {
            let count = 5 + (dice.unit() * 4.0) as usize;
            let first = dice.within(0.0, std::f32::consts::TAU);
            for index in 0..count {
                // All round, so that the stone is bounded.
                let angle =
                    first + (index as f32 + 0.7 * dice.signed() * 0.5) * std::f32::consts::TAU / count as f32;
                let steepness = dice.within(1.2, 3.5);
                facets.push((direction(angle), steepness, steepness * dice.within(0.72, 1.0)));
            }
            for _ in 0..2 + (dice.unit() * 2.0) as usize {
                facets.push((dice.direction(), dice.within(0.15, 0.9), dice.within(0.75, 1.1)));
            }
        }
        Self {
            form,
            radius,
            along: dice.direction(),
            narrow,
            thick: radius * flatness * dice.within(0.7, 1.2),
            lean: dice.direction() * dice.within(0.0, 0.3),
            lumps,
            facets,
            colour: Vec3::ONE,
            roughness: 0.8,
            shift: dice.place(1.0),
        }
    }

    /// Height over the widest outline, metres, and how light its facet is; nothing outside it.
    fn height(&self, offset: Vec2) -> Option<(f32, f32)> {
        let place =
            Vec2::new(offset.dot(self.along), offset.dot(self.along.perp()) / self.narrow) / self.radius;
        match self.form {
            Form::Pebble => {
                let distance = place.length();
                let round = place / distance.max(1e-4);
                let two = Vec2::new(round.x * round.x - round.y * round.y, 2.0 * round.x * round.y);
                let three = round.rotate(two);
                let lumpy = 1.0 + self.lumps[0].dot(two) + self.lumps[1].dot(three);
                let r = distance * lumpy * 1.06;
                let square = r * r;
                // Flatter on top than a ball.
                (r < 1.0).then(|| (self.thick * libm::sqrtf(1.0 - square * square.min(1.0)), 1.0))
            }
            Form::Broken => {
                let top = 1.0 + 0.25 * self.lumps[0].dot(place);
                let (mut height, mut light) = (top, 1.06);
                for &(out, steepness, level) in &self.facets {
                    let facet = level - steepness * place.dot(out);
                    // Edges are worn round over a tenth of the stone's thickness.
                    let blend = ((0.08 - (height - facet).abs()) / 0.08).max(0.0);
                    if facet < height {
                        (height, light) = (facet, 1.1 - 0.1 * steepness);
                    }
                    height -= blend * blend * 0.02;
                }
                (height > 0.0).then_some((self.thick * height, light))
            }
        }
    }

    /// Lays it on the ground, sunk by a share of its thickness. `mark` gives its colour a factor from
    /// a place in its own markings, in metres.
    pub(super) fn lay(&self, canvas: &mut Canvas, centre: Vec2, sunk: f32, mark: impl Fn(Vec2) -> Vec3) {
        let base = canvas.height_around(centre, self.radius * 0.8) - sunk * self.thick;
        canvas.stamp(centre, self.radius * 1.25, |offset| {
            let (height, light) = self.height(offset)?;
            let rim = smooth(0.0, 0.5, height / self.thick);
            Some(Spot {
                height: base + height + offset.dot(self.lean) * 0.5,
                colour: self.colour * mark(offset + self.shift * SIZE) * light * mix(0.72, 1.0, rim),
                roughness: self.roughness,
            })
        });
    }
}

/// A lower place than most: the lowest of a few at random.
pub(super) fn hollow(canvas: &Canvas, radius: f32, tries: usize, dice: &mut Dice) -> Vec2 {
    let places = (0..tries).map(|_| dice.place(SIZE));
    let lowest = places.map(|place| (canvas.height_around(place, radius), place));
    lowest.reduce(|a, b| if b.0 < a.0 { b } else { a }).map_or(Vec2::ZERO, |(_, place)| place)
}

/// The radius of stone `index` when sizes follow a power law, largest first: few large, many small.
pub(super) fn sorted_radius(index: usize, largest: f32, smallest: f32, large: f32) -> f32 {
    (largest * libm::powf(1.0 + index as f32 / large, -0.5)).max(smallest)
}

/// Grain, bands and specks on stones: factors for a colour at a place in metres.
pub(super) struct Markings {
    grain: Noise,
    cloud: Noise,
}

impl Markings {
    pub(super) fn new(seed: u64) -> Self {
        Self { grain: Noise::new(seed, 512), cloud: Noise::new(seed + 1, 90) }
    }

    /// The factor; `strength` about 0.2.
    pub(super) fn at(&self, place: Vec2, strength: f32) -> Vec3 {
        let p = place / SIZE;
        let shade = 0.6 * self.cloud.fbm(2, 0.6, p) + 0.7 * self.grain.gradient(p);
        Vec3::splat(1.0 + strength * shade)
    }
}
