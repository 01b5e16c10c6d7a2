//! The cards of the atlas: twigs with leaves or needles, blades and fronds, and flowers.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, vec2};

use super::canvas::{Canvas, SAMPLES};
use super::patch::{Patch, Picture, SIDE, byte};
use crate::plants::random::Random;

const WOOD: Vec3 = Vec3::new(0.44, 0.36, 0.30);

/// Paints a card; a strip of bark is left as it is.
pub(super) fn paint_card(picture: &mut Picture, patch: Patch) {
    let [left, top, width, height] = patch.place();
    let mut canvas = Canvas {
        width: width * SAMPLES,
        height: height * SAMPLES,
        samples: vec![None; width * height * SAMPLES * SAMPLES],
    };
    // Each card has a random stream of its own, so that a change of one leaves all others as they are.
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
        Patch::Herb => herb(&mut canvas),
        Patch::Rough | Patch::Birch | Patch::Smooth | Patch::Palm | Patch::Stone => return,
    }
    let drawn: Vec<Vec3> = canvas.samples.iter().flatten().copied().collect();
    // For empty texels, whose colour filtering mixes in at the edges.
    let mean = drawn.iter().copied().sum::<Vec3>() / drawn.len().max(1) as f32;
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        for (dy, dx) in (0..SAMPLES).flat_map(|dy| (0..SAMPLES).map(move |dx| (dy, dx))) {
            let sample = canvas.samples[(y * SAMPLES + dy) * canvas.width + x * SAMPLES + dx];
            sum += sample.unwrap_or_default();
            count += usize::from(sample.is_some());
        }
        // Texels next to a leaf have its colour, so that filtering brings in no other colour.
        let colour = if count > 0 { sum / count as f32 } else { mean };
        let alpha = (count * 255 / (SAMPLES * SAMPLES)) as u8;
        // The border stays empty, so that neighbours stay apart in small levels.
        let is_border = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
        let alpha = if is_border { 0 } else { alpha };
        picture.texels[(top + y) * SIDE + left + x] = [byte(colour.x), byte(colour.y), byte(colour.z), alpha];
    }
}

fn ovate(t: f32) -> f32 {
    0.34 * libm::sinf(PI * libm::powf(t, 0.8))
}

fn round(t: f32) -> f32 {
    let tip = ((1.0 - t) / 0.16).clamp(0.0, 1.0);
    0.46 * libm::sqrtf(libm::sinf(PI * libm::powf(t, 0.95)).max(0.0)) * (0.25 + 0.75 * tip)
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

/// A twig with side twigs, and leaves of this size along all of them, `apart` of their lengths apart.
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

/// Thin hanging twigs, with small leaves on long stalks.
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
    // The lower ones first: shoots nearer to the tip are on top.
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
    // A queue instead of recursion; new shoots are put at its end, so that thick ones are drawn first.
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
        let reach = 0.13 * libm::sinf(PI * (0.15 + 0.8 * t)) * random.within(0.3, 1.0);
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
        let angle = TAU * (petal as f32 + 0.4 * random.signed()) / 21.0;
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
fn herb(canvas: &mut Canvas) {
    canvas.leaf(vec2(0.0, 0.01), vec2(0.0, 0.98), |t| 0.30 * libm::sinf(PI * libm::powf(t, 1.4)), 0.9, 8.0);
}
