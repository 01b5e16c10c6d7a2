//! One small picture for all plants, drawn by code: strips of bark, and cards of leaves, needles and blades.
//!
//! Bark lies in strips as tall as the picture, so that it repeats along v. Leaves are neutral in colour: the
//! vertices' colours, which follow the season, are multiplied in.

use std::f32::consts::PI;

use glam::{Vec2, Vec3, vec2};

use super::random::Random;

/// Texels along a side.
const SIDE: usize = 1024;

/// Leaves are drawn with this many samples along a side of a texel.
const SAMPLES: usize = 3;

/// What is less opaque than this is cut out.
pub const ALPHA_CUT: f32 = 0.5;

/// A part of the atlas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Patch {
    Rough,
    Birch,
    Smooth,
    Palm,
    Stone,
    Spruce,
    BeechTwig,
    BirchTwig,
    HazelTwig,
    BareTwig,
    Blade,
    Ear,
    Juniper,
    Frond,
    Daisy,
    Poppy,
    Bell,
    Herb,
}

impl Patch {
    const BARKS: [Self; 5] = [Self::Rough, Self::Birch, Self::Smooth, Self::Palm, Self::Stone];
    const CARDS: [Self; 13] = [
        Self::Spruce,
        Self::BeechTwig,
        Self::BirchTwig,
        Self::HazelTwig,
        Self::BareTwig,
        Self::Blade,
        Self::Ear,
        Self::Juniper,
        Self::Frond,
        Self::Daisy,
        Self::Poppy,
        Self::Bell,
        Self::Herb,
    ];

    /// The left and upper edge, width and height, in texels.
    fn place(self) -> [usize; 4] {
        match self {
            Self::Rough => [0, 0, 96, SIDE],
            Self::Birch => [96, 0, 128, SIDE],
            Self::Smooth => [224, 0, 64, SIDE],
            Self::Palm => [288, 0, 64, SIDE],
            Self::Stone => [352, 0, 160, SIDE],
            Self::Spruce => [512, 0, 256, 256],
            Self::BeechTwig => [768, 0, 256, 256],
            Self::BirchTwig => [512, 256, 256, 256],
            Self::HazelTwig => [768, 256, 256, 256],
            Self::BareTwig => [512, 512, 256, 256],
            Self::Blade => [768, 512, 128, 256],
            Self::Ear => [896, 512, 128, 256],
            Self::Juniper => [512, 768, 128, 256],
            Self::Frond => [640, 768, 128, 256],
            Self::Daisy => [768, 768, 128, 128],
            Self::Poppy => [896, 768, 128, 128],
            Self::Bell => [768, 896, 128, 128],
            Self::Herb => [896, 896, 128, 128],
        }
    }

    /// A place on a card: from (0, 0) at its upper left to (1, 1).
    pub(super) fn leaf(self, u: f32, v: f32) -> Vec2 {
        let [x, y, width, height] = self.place().map(|texels| texels as f32);
        // Half a texel inside, so that neighbours do not bleed in.
        vec2(x + 0.5 + u * (width - 1.0), y + 0.5 + v * (height - 1.0)) / SIDE as f32
    }

    /// A place on bark: `u` from edge to edge of the strip, `v` without limits.
    pub(super) fn bark(self, u: f32, v: f32) -> Vec2 {
        let [x, _, width, _] = self.place().map(|texels| texels as f32);
        vec2((x + 2.0 + u * (width - 4.0)) / SIDE as f32, v)
    }
}

/// A picture with opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Texels along x.
    pub width: usize,
    /// Texels along y.
    pub height: usize,
    /// sRGB and opacity, row by row from the top.
    pub texels: Vec<[u8; 4]>,
}

/// The leaves and barks of all plants in one picture of 1024² texels.
#[derive(Clone, Debug)]
pub struct Atlas {
    picture: Picture,
}

impl Atlas {
    /// Draws the atlas. It is the same for all plants and seasons.
    pub fn new() -> Self {
        let mut picture = Picture { width: SIDE, height: SIDE, texels: vec![[0; 4]; SIDE * SIDE] };
        for patch in Patch::BARKS {
            paint_bark(&mut picture, patch);
        }
        for patch in Patch::CARDS {
            paint_card(&mut picture, patch);
        }
        Self { picture }
    }

    /// The picture at full size.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The picture and its halves down to one texel. Leaves keep their coverage: in every level as large a
    /// share of each card is opaque as in the first (Castaño 2010, "Computing Alpha Mipmaps").
    pub fn mips(&self) -> Vec<Picture> {
        let mut mips = vec![self.picture.clone()];
        let covered = Patch::CARDS.map(|patch| coverage(&self.picture, patch, 1, 1.0));
        // Halved from what was halved, before its opacity was scaled.
        let mut last = self.picture.clone();
        while last.width > 1 {
            last = halved(&last);
            let mut level = last.clone();
            let shrink = SIDE / level.width;
            for (patch, covered) in Patch::CARDS.into_iter().zip(covered) {
                keep_coverage(&mut level, patch, shrink, covered);
            }
            mips.push(level);
        }
        mips
    }

    /// The linear colour and the opacity at a place: the nearest texel, repeated beyond the borders.
    pub(super) fn at(&self, uv: Vec2) -> (Vec3, f32) {
        let texel = |share: f32| ((share - share.floor()) * SIDE as f32) as usize % SIDE;
        let [red, green, blue, alpha] = self.picture.texels[texel(uv.y) * SIDE + texel(uv.x)];
        (Vec3::new(LINEAR(red), LINEAR(green), LINEAR(blue)), f32::from(alpha) / 255.0)
    }
}

impl Default for Atlas {
    fn default() -> Self {
        Self::new()
    }
}

/// Linear light of an sRGB byte, by a quadratic and a cubic term that are near enough for pictures.
const LINEAR: fn(u8) -> f32 = |byte| {
    let s = f32::from(byte) / 255.0;
    s * (s * (s * 0.305_306_01 + 0.682_171_1) + 0.012_522_878)
};

/// The share of a card that is opaque, when its opacity is multiplied by `scale`.
fn coverage(picture: &Picture, patch: Patch, shrink: usize, scale: f32) -> f32 {
    let (mut opaque, mut all) = (0, 0);
    for index in texels_of(picture, patch, shrink) {
        all += 1;
        opaque += usize::from(f32::from(picture.texels[index][3]) / 255.0 * scale >= ALPHA_CUT);
    }
    opaque as f32 / all.max(1) as f32
}

/// The texels of a card in a picture that is so many times smaller.
fn texels_of(picture: &Picture, patch: Patch, shrink: usize) -> impl Iterator<Item = usize> + use<> {
    let [x, y, width, height] = patch.place().map(|texels| texels / shrink);
    let stride = picture.width;
    (y..y + height).flat_map(move |row| (x..x + width).map(move |column| row * stride + column))
}

/// Scales a card's opacity until as large a share of it is opaque as `covered`.
fn keep_coverage(picture: &mut Picture, patch: Patch, shrink: usize, covered: f32) {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..16 {
        let middle = (low + high) / 2.0;
        if coverage(picture, patch, shrink, middle) < covered { low = middle } else { high = middle }
    }
    for index in texels_of(picture, patch, shrink) {
        let alpha = &mut picture.texels[index][3];
        *alpha = (f32::from(*alpha) * high).clamp(0.0, 255.0) as u8;
    }
}

/// Half as large: means of four texels.
fn halved(picture: &Picture) -> Picture {
    let (width, height) = (picture.width / 2, picture.height / 2);
    let texel = |index: usize| {
        let (x, y) = (2 * (index % width), 2 * (index / width));
        let at = |dx, dy| picture.texels[(y + dy) * picture.width + x + dx];
        let four = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
        std::array::from_fn(|channel| {
            let sum: u32 = four.iter().map(|texel| u32::from(texel[channel])).sum();
            ((sum + 2) / 4) as u8
        })
    };
    Picture { width, height, texels: (0..width * height).map(texel).collect() }
}

/// Value noise that repeats after `period` cells along y, in [0, 1].
fn noise(p: Vec2, period: i64, seed: u64) -> f32 {
    let cell = p.floor();
    let t = p - cell;
    let t = t * t * (Vec2::splat(3.0) - 2.0 * t);
    let value = |dx: i64, dy: i64| {
        let (x, y) = (cell.x as i64 + dx, (cell.y as i64 + dy).rem_euclid(period));
        0.5 * (crate::noise::signed_unit(crate::noise::hash(seed, x, y)) + 1.0)
    };
    let top = value(0, 0) + (value(1, 0) - value(0, 0)) * t.x;
    let bottom = value(0, 1) + (value(1, 1) - value(0, 1)) * t.x;
    top + (bottom - top) * t.y
}

/// Octaves of it, with `cells` of the first from top to bottom of the atlas, longer than wide by `stretch`.
fn octaves(x: f32, y: f32, cells: i64, stretch: f32, seed: u64) -> f32 {
    let (mut sum, mut weight) = (0.0, 0.5);
    for octave in 0..4u32 {
        let cells = cells << octave;
        let scale = cells as f32 / SIDE as f32;
        sum += weight * noise(vec2(x * scale * stretch, y * scale), cells, seed + u64::from(octave));
        weight *= 0.5;
    }
    sum / 0.9375
}

fn paint_bark(picture: &mut Picture, patch: Patch) {
    let [left, _, width, height] = patch.place();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let (px, py) = (x as f32, y as f32);
        let colour = match patch {
            Patch::Birch => birch_bark(px, py),
            Patch::Palm => palm_bark(px, py),
            Patch::Smooth => {
                let spots = octaves(px, py, 24, 0.6, 11);
                Vec3::splat(0.62 + 0.3 * spots) + Vec3::new(0.0, 0.01, 0.0)
            }
            Patch::Stone => {
                let grain = octaves(px, py, 16, 1.0, 31);
                let speck = octaves(px, py, 128, 1.0, 37);
                Vec3::splat(0.62 + 0.26 * grain + 0.34 * (speck - 0.5))
            }
            _ => {
                // Ridges run along the stem, broken by cracks across it.
                let ridge = octaves(px, py, 32, 3.6, 1);
                let crack = octaves(px, py, 40, 1.0, 5);
                let depth = ((ridge - 0.30) * 3.0).clamp(0.0, 1.0) * ((crack - 0.22) * 4.0).clamp(0.35, 1.0);
                Vec3::splat(0.36 + 0.56 * depth) + 0.12 * (octaves(px, py, 64, 1.0, 9) - 0.5)
            }
        };
        let byte = |share: f32| (share.clamp(0.0, 1.0) * 255.0) as u8;
        picture.texels[y * SIDE + left + x] = [byte(colour.x), byte(colour.y), byte(colour.z), 255];
    }
}

/// White with dark lenticels across, and black scars here and there.
fn birch_bark(x: f32, y: f32) -> Vec3 {
    let paper = 0.86 + 0.14 * octaves(x, y, 32, 0.3, 21);
    let line = octaves(x, y, 128, 0.10, 23);
    let scar = octaves(x, y, 14, 0.45, 25);
    let dark = ((line - 0.70) * 14.0).clamp(0.0, 0.6).max(((scar - 0.70) * 14.0).clamp(0.0, 0.95));
    let warm = Vec3::new(1.0, 0.985, 0.95) * paper;
    warm.lerp(Vec3::new(0.14, 0.12, 0.11), dark)
}

/// Scars of fallen leaves: rings.
fn palm_bark(x: f32, y: f32) -> Vec3 {
    let wobble = 10.0 * octaves(x, y, 16, 1.0, 41);
    let ring = ((y + wobble) / 32.0).rem_euclid(1.0);
    let groove = if ring < 0.16 { 0.45 } else { 0.75 + 0.25 * ring };
    Vec3::splat(groove * (0.75 + 0.3 * octaves(x, y, 48, 2.5, 43)))
}

/// A card while it is drawn, in samples: larger than its patch by [`SAMPLES`].
struct Canvas {
    width: usize,
    height: usize,
    samples: Vec<Option<Vec3>>,
}

impl Canvas {
    /// Fills what `inside` says: it is asked at places from (0, 0) at the lower middle up to (±half width, 1)
    /// as shares of the height, within a box around `from` and `to` that is wider by `margin`.
    fn fill(&mut self, (from, to, margin): (Vec2, Vec2, f32), inside: impl Fn(Vec2) -> Option<Vec3>) {
        let height = self.height as f32;
        let middle = self.width as f32 / 2.0;
        let low = from.min(to) - margin;
        let high = from.max(to) + margin;
        let column = |x: f32| (middle + x * height).clamp(0.0, self.width as f32) as usize;
        let row = |y: f32| ((1.0 - y) * height).clamp(0.0, height) as usize;
        let (columns, rows) = (column(low.x)..column(high.x), row(high.y)..row(low.y));
        for y in rows {
            for x in columns.clone() {
                let p = vec2((x as f32 + 0.5 - middle) / height, 1.0 - (y as f32 + 0.5) / height);
                if let Some(colour) = inside(p) {
                    self.samples[y * self.width + x] = Some(colour);
                }
            }
        }
    }

    /// A line that becomes thinner from `from` to `to`.
    fn line(&mut self, from: Vec2, to: Vec2, (thick, thin): (f32, f32), colour: Vec3) {
        let along = to - from;
        let length = along.length_squared().max(1e-9);
        self.fill((from, to, thick), |p| {
            let t = ((p - from).dot(along) / length).clamp(0.0, 1.0);
            let radius = thick + (thin - thick) * t;
            ((p - from - along * t).length_squared() < radius * radius).then_some(colour)
        });
    }

    /// A leaf from its stalk to its tip; `outline` gives half its width, as a share of its length, at a share
    /// of its length.
    fn leaf(&mut self, foot: Vec2, tip: Vec2, outline: impl Fn(f32) -> f32, light: f32, veins: f32) {
        let along = tip - foot;
        let length = along.length().max(1e-6);
        let (along, side) = (along / length, along.perp() / length);
        self.fill((foot, tip, 0.6 * length), |p| {
            let t = (p - foot).dot(along) / length;
            let away = (p - foot).dot(side) / length;
            if !(0.0..=1.0).contains(&t) {
                return None;
            }
            let half = outline(t);
            if away.abs() > half {
                return None;
            }
            // A pale midrib, veins that leave it slantwise, and one half in more light than the other.
            let vein = ((t - 0.9 * away.abs()) * veins).rem_euclid(1.0);
            let mut shade = light * (0.92 + 0.08 * away.signum() + if vein < 0.22 { 0.07 } else { 0.0 });
            if away.abs() < 0.025 {
                shade *= 1.18;
            }
            // Darker towards the edge and the stalk.
            shade *= 1.0 - 0.18 * (away.abs() / half.max(1e-4)) - 0.12 * (1.0 - t);
            Some(Vec3::new(shade, shade, shade * 0.92))
        });
    }
}

const WOOD: Vec3 = Vec3::new(0.44, 0.36, 0.30);

fn paint_card(picture: &mut Picture, patch: Patch) {
    let [left, top, width, height] = patch.place();
    let mut canvas = Canvas {
        width: width * SAMPLES,
        height: height * SAMPLES,
        samples: vec![None; width * height * SAMPLES * SAMPLES],
    };
    let random = &mut Random::new(0x1eaf, patch as u64);
    match patch {
        Patch::Spruce => needles(&mut canvas, random, 0.44, 0.062, 26),
        Patch::Juniper => juniper(&mut canvas, random),
        Patch::BeechTwig => twig(&mut canvas, random, (0.14, 0.42), &ovate, 8.0),
        Patch::BirchTwig => birch_twig(&mut canvas, random),
        Patch::HazelTwig => twig(&mut canvas, random, (0.18, 0.85), &round, 7.0),
        Patch::BareTwig => bare(&mut canvas, random),
        Patch::Blade => blade(&mut canvas),
        Patch::Ear => ear(&mut canvas, random),
        Patch::Frond => frond(&mut canvas, random),
        Patch::Daisy => daisy(&mut canvas, random),
        Patch::Poppy => poppy(&mut canvas, random),
        Patch::Bell => bell(&mut canvas, random),
        _ => herb(&mut canvas, random),
    }
    let drawn: Vec<Vec3> = canvas.samples.iter().flatten().copied().collect();
    let mean = drawn.iter().copied().sum::<Vec3>() / drawn.len().max(1) as f32;
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        for (dy, dx) in (0..SAMPLES).flat_map(|dy| (0..SAMPLES).map(move |dx| (dy, dx))) {
            let sample = canvas.samples[(y * SAMPLES + dy) * canvas.width + x * SAMPLES + dx];
            sum += sample.unwrap_or_default();
            count += usize::from(sample.is_some());
        }
        // Beside a leaf lies its colour, so that filtering brings in none that is not a leaf's.
        let colour = if count > 0 { sum / count as f32 } else { mean };
        let byte = |share: f32| (share.clamp(0.0, 1.0) * 255.0) as u8;
        let alpha = (count * 255 / (SAMPLES * SAMPLES)) as u8;
        // Nothing touches the border, so that neighbours stay apart in small levels.
        let is_border = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
        let alpha = if is_border { 0 } else { alpha };
        picture.texels[(top + y) * SIDE + left + x] = [byte(colour.x), byte(colour.y), byte(colour.z), alpha];
    }
}

fn ovate(t: f32) -> f32 {
    0.34 * libm::sinf(std::f32::consts::PI * libm::powf(t, 0.8))
}

fn round(t: f32) -> f32 {
    let tip = ((1.0 - t) / 0.16).clamp(0.0, 1.0);
    0.46 * libm::sqrtf(libm::sinf(std::f32::consts::PI * libm::powf(t, 0.95)).max(0.0)) * (0.25 + 0.75 * tip)
}

/// A triangle with rounded corners and teeth.
fn serrate(t: f32) -> f32 {
    let tooth = 0.025 * (t * 9.0).rem_euclid(1.0);
    let body = if t < 0.25 { libm::sqrtf(t / 0.25) } else { (1.0 - t) / 0.75 };
    (0.40 * body - tooth).max(0.0)
}

/// A place on the gentle curve of a twig, and its direction.
fn on_twig(t: f32, bow: f32) -> (Vec2, Vec2) {
    (vec2(bow * t * (1.0 - t), 0.97 * t), vec2(bow * (1.0 - 2.0 * t), 0.97).normalize())
}

/// A twig with side twigs, and leaves along all of them: so large, and so many of their lengths apart.
fn twig(
    canvas: &mut Canvas,
    random: &mut Random,
    (size, apart): (f32, f32),
    outline: &dyn Fn(f32) -> f32,
    veins: f32,
) {
    let mut leaves: Vec<(Vec2, Vec2)> = Vec::new();
    let (foot, _) = on_twig(0.0, 0.12);
    let mut last = foot;
    for step in 1..=10 {
        let (p, _) = on_twig(step as f32 / 10.0 * 0.9, 0.12);
        canvas.line(last, p, (0.009 - 0.0006 * step as f32, 0.008 - 0.0006 * step as f32), WOOD);
        last = p;
    }
    let shoots = 8;
    for shoot in 0..=shoots {
        let t = 0.10 + 0.78 * shoot as f32 / shoots as f32;
        let (p, direction) = on_twig(t, 0.12);
        let hand = if shoot % 2 == 0 { 1.0 } else { -1.0 };
        let angle = if shoot == shoots { 0.0 } else { hand * (0.95 - 0.35 * t) };
        let heading = direction.rotate(vec2(libm::cosf(angle), libm::sinf(angle)));
        let length = (0.40 - 0.26 * t) * random.about(0.15);
        let end = p + heading * length;
        canvas.line(p, end, (0.005, 0.003), WOOD);
        let count = (length / (size * apart)).ceil().max(2.0) as usize;
        for leaf in 0..=count {
            let at = p.lerp(end, leaf as f32 / count as f32);
            let hand = if leaf % 2 == 0 { 1.0 } else { -1.0 };
            let turn = if leaf == count { 0.2 } else { 0.85 } * hand * random.about(0.35);
            leaves.push((at, heading.rotate(vec2(libm::cosf(turn), libm::sinf(turn)))));
        }
    }
    for (at, heading) in leaves {
        let length = size * random.about(0.22);
        let half_width = canvas.width as f32 / canvas.height as f32 / 2.0 - 0.01;
        let tip = at + heading * length;
        // A leaf that would leave the card turns back into it.
        let tip = vec2(tip.x.clamp(-half_width, half_width), tip.y.clamp(0.01, 0.99));
        canvas.leaf(at, tip, outline, random.within(0.62, 0.98), veins);
    }
}

/// Thin twigs that hang, with small leaves on long stalks.
fn birch_twig(canvas: &mut Canvas, random: &mut Random) {
    for shoot in 0..7 {
        let x = (shoot as f32 - 3.0) * 0.065;
        let sway = random.signed() * 0.10;
        let top = vec2(x * 0.25, 0.01);
        let length = random.within(0.68, 0.96);
        let at = |t: f32| top + vec2(x * 1.9 * t + sway * t * t, length * t);
        for step in 0..12 {
            let (a, b) = (step as f32 / 12.0, (step + 1) as f32 / 12.0);
            canvas.line(at(a), at(b), (0.004, 0.003), WOOD * 0.8);
        }
        for leaf in 1..13 {
            let t = leaf as f32 / 12.5;
            let hand = if leaf % 2 == 0 { 1.0 } else { -1.0 };
            let turn = hand * random.within(0.5, 1.2);
            let heading = vec2(libm::sinf(turn), libm::cosf(turn));
            let stalk = at(t) + heading * 0.022;
            let tip = stalk + heading * random.within(0.062, 0.090);
            let tip = vec2(tip.x.clamp(-0.485, 0.485), tip.y.clamp(0.01, 0.985));
            canvas.line(at(t), stalk, (0.003, 0.002), WOOD);
            canvas.leaf(stalk, tip, serrate, random.within(0.66, 1.0), 6.0);
        }
    }
}

/// A flat spray of conifer twigs, all with needles.
fn needles(canvas: &mut Canvas, random: &mut Random, side: f32, needle: f32, density: usize) {
    let mut shoots = vec![(vec2(0.0, 0.0), vec2(0.0, 0.97))];
    for pair in 0..9 {
        let t = 0.06 + 0.09 * pair as f32;
        for hand in [-1.0, 1.0] {
            let length = side * (1.35 - 0.95 * t) * random.about(0.15);
            let angle = hand * (0.98 - 0.3 * t) * random.about(0.12);
            let from = vec2(0.0, 0.97 * (t + 0.03 * random.unit()));
            let to = from + length * vec2(libm::sinf(angle), libm::cosf(angle));
            shoots.push((from, to));
        }
    }
    // The lower ones first: what is nearer to the tip lies on top.
    for (from, to) in shoots {
        let along = to - from;
        let length = along.length();
        let count = (density as f32 * length / 0.5).max(6.0) as usize * 2;
        canvas.line(from, to, (0.007, 0.004), WOOD);
        for index in 0..count {
            let at = from + along * (index as f32 / count as f32);
            let hand = if index % 2 == 0 { 1.0 } else { -1.0 };
            let angle = hand * random.within(0.45, 0.95);
            let heading = (along / length).rotate(vec2(libm::cosf(angle), libm::sinf(angle)));
            let tip = at + heading * needle * random.about(0.2);
            let light = random.within(0.55, 1.0) * (0.8 + 0.2 * index as f32 / count as f32);
            canvas.line(at, tip, (0.0068, 0.003), Vec3::new(light, light, light * 0.95));
        }
    }
}

/// Short upright shoots with sharp needles.
fn juniper(canvas: &mut Canvas, random: &mut Random) {
    for shoot in 0..11 {
        let t = shoot as f32 / 10.0;
        let from = vec2(0.0, 0.02 + 0.62 * t);
        let hand = if shoot % 2 == 0 { 1.0 } else { -1.0 };
        let angle = if shoot == 10 { 0.0 } else { hand * random.within(0.35, 0.6) };
        let to = from + (0.34 - 0.04 * t) * vec2(libm::sinf(angle), libm::cosf(angle));
        canvas.line(from, to, (0.006, 0.003), WOOD);
        for index in 0..60 {
            let at = from.lerp(to, index as f32 / 60.0);
            let turn = random.signed() * 1.2;
            let heading = (to - from).normalize().rotate(vec2(libm::cosf(turn), libm::sinf(turn)));
            let tip = at + heading * 0.055;
            let tip = vec2(tip.x.clamp(-0.24, 0.24), tip.y.min(0.985));
            let light = random.within(0.5, 1.0);
            canvas.line(at, tip, (0.0075, 0.002), Vec3::new(light, light, light));
        }
    }
    canvas.line(vec2(0.0, 0.0), vec2(0.0, 0.7), (0.008, 0.004), WOOD);
}

/// Twigs without leaves.
fn bare(canvas: &mut Canvas, random: &mut Random) {
    let mut shoots = vec![(vec2(0.0, 0.0), 0.0f32, 0.92f32, 0.0085f32)];
    let mut next = 0;
    while next < shoots.len() && shoots.len() < 90 {
        let (from, angle, length, thick) = shoots[next];
        next += 1;
        if length < 0.10 {
            continue;
        }
        for child in 0..7 {
            let t = 0.22 + 0.70 * child as f32 / 7.0;
            let hand = if child % 2 == 0 { 1.0 } else { -1.0 };
            let at = from + t * length * vec2(libm::sinf(angle), libm::cosf(angle));
            shoots.push((
                at,
                angle + hand * random.within(0.4, 0.75),
                length * (0.50 - 0.25 * t) * random.about(0.2),
                thick * 0.68,
            ));
        }
    }
    for (from, angle, length, thick) in shoots {
        let to = from + length * vec2(libm::sinf(angle), libm::cosf(angle));
        let to = vec2(to.x.clamp(-0.49, 0.49), to.y.clamp(0.01, 0.99));
        canvas.line(from, to, (thick, thick * 0.6), Vec3::splat(random.within(0.7, 0.95)));
    }
}

fn blade(canvas: &mut Canvas) {
    canvas.fill((vec2(-0.2, 0.0), vec2(0.2, 1.0), 0.0), |p| {
        let half = 0.17 * (1.0 - libm::powf(p.y, 2.2)) * (0.7 + 0.3 * (p.y * 4.0).min(1.0));
        let light = 0.62 + 0.36 * p.y - if p.x.abs() < 0.02 { 0.08 } else { 0.0 } + 0.06 * p.x.signum();
        (p.x.abs() < half).then_some(Vec3::new(light, light, light * 0.9))
    });
}

/// A stalk of grass with its panicle.
fn ear(canvas: &mut Canvas, random: &mut Random) {
    let straw = Vec3::new(0.92, 0.86, 0.70);
    canvas.line(vec2(0.0, 0.0), vec2(0.0, 0.9), (0.017, 0.010), straw * 0.8);
    for grain in 0..60 {
        let t = grain as f32 / 60.0;
        let hand = if grain % 2 == 0 { 1.0 } else { -1.0 };
        let at = vec2(0.0, 0.55 + 0.38 * t);
        let reach = 0.13 * libm::sinf(std::f32::consts::PI * (0.15 + 0.8 * t)) * random.within(0.3, 1.0);
        let tip = at + vec2(hand * reach, 0.06);
        canvas.line(at, tip, (0.005, 0.003), straw * 0.8);
        canvas.leaf(
            tip,
            tip + vec2(hand * 0.012, 0.045),
            |t| 0.3 * libm::sinf(PI * t),
            random.within(0.75, 1.0),
            1.0,
        );
    }
}

/// Leaflets of a palm side by side; the rachis lies along the lower edge.
fn frond(canvas: &mut Canvas, random: &mut Random) {
    for leaflet in 0..7 {
        let x = -0.25 + 0.5 * (leaflet as f32 + 0.5) / 7.0;
        let length = random.within(0.86, 0.98);
        let light = random.within(0.7, 1.0);
        let drift = random.signed() * 0.02;
        canvas.fill((vec2(x - 0.05, 0.0), vec2(x + 0.05, length), 0.01), |p| {
            let t = p.y / length;
            let away = p.x - x - drift * t;
            let half = 0.030 * (1.0 - libm::powf(t.clamp(0.0, 1.0), 2.5));
            let light = light * if away > 0.0 { 1.0 } else { 0.80 };
            let rib = if away.abs() < 0.003 { 1.15 } else { 1.0 };
            (away.abs() < half).then_some(Vec3::new(light, light, light * 0.85) * rib)
        });
    }
}

fn daisy(canvas: &mut Canvas, random: &mut Random) {
    let middle = vec2(0.0, 0.5);
    for petal in 0..21 {
        let angle = std::f32::consts::TAU * (petal as f32 + 0.4 * random.signed()) / 21.0;
        let heading = vec2(libm::cosf(angle), libm::sinf(angle));
        let light = random.within(0.86, 1.0);
        let white = |t: f32| 0.17 * libm::sqrtf(libm::sinf(PI * (0.1 + 0.85 * t)).max(0.0));
        canvas.leaf(middle + 0.10 * heading, middle + 0.48 * heading, white, light * 1.08, 1.0);
    }
    canvas.fill((middle, middle, 0.15), |p| {
        let away = (p - middle).length();
        (away < 0.14).then_some(Vec3::new(0.97, 0.76, 0.12) * (1.0 - 1.6 * away))
    });
}

/// A petal, dark at its foot.
fn poppy(canvas: &mut Canvas, random: &mut Random) {
    let broad = |t: f32| 0.52 * libm::powf(libm::sinf(PI * (0.04 + 0.86 * t)).max(0.0), 0.6);
    canvas.leaf(vec2(0.0, 0.02), vec2(0.0, 0.97), broad, random.within(0.92, 1.0), 14.0);
    canvas.leaf(vec2(0.0, 0.02), vec2(0.0, 0.30), |t| 0.35 * libm::sinf(PI * t), 0.12, 1.0);
}

/// A spike of small blue bells.
fn bell(canvas: &mut Canvas, random: &mut Random) {
    canvas.line(vec2(0.0, 0.0), vec2(0.0, 0.95), (0.016, 0.008), Vec3::new(0.35, 0.5, 0.3));
    for flower in 0..22 {
        let t = flower as f32 / 22.0;
        let hand = if flower % 2 == 0 { 1.0 } else { -1.0 };
        let at = vec2(0.0, 0.10 + 0.82 * t);
        let size = 0.24 * (1.0 - 0.65 * t);
        let tip = at + size * vec2(hand * random.within(0.5, 1.0), random.signed() * 0.35);
        canvas.leaf(at, tip, |t| 0.10 + 0.30 * t * t, random.within(0.75, 1.0), 3.0);
    }
}

/// A rosette leaf.
fn herb(canvas: &mut Canvas, _: &mut Random) {
    canvas.leaf(vec2(0.0, 0.01), vec2(0.0, 0.98), |t| 0.30 * libm::sinf(PI * libm::powf(t, 1.4)), 0.9, 8.0);
}
