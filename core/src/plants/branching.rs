//! Branching after Weber and Penn, "Creation and Rendering of Realistic Trees" (1995): each order of branches
//! has a number, an angle from its parent, a length by its position on it, and a curve. Our addition are the
//! sprays, which represent the last orders of twigs with their leaves.

use glam::Vec3;

use super::atlas::Patch;
use super::form::{Form, Merge, Spray, Stem};
use super::mesh::Material;
use super::random::Random;
use super::turn::{across, level, raised, turned};

/// The angle between leaves in a spiral: no two lie above each other.
const GOLDEN_ANGLE: f32 = 137.507_77;

/// The length of branches by their position on the parent: Weber and Penn's shapes, and a dome.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Conical,
    Dome,
    Tapered,
    Flame,
    Even,
}

impl Shape {
    /// The share of the greatest length at a share of the way from the crown's top to its base.
    fn at(self, from_top: f32) -> f32 {
        let sine = |x: f32| libm::sinf(std::f32::consts::PI * x);
        match self {
            Self::Conical => 0.03 + 0.97 * from_top,
            Self::Dome => 0.42 + 0.58 * sine(0.08 + 0.70 * from_top),
            Self::Tapered => 0.5 + 0.5 * from_top,
            Self::Flame if from_top <= 0.7 => 0.22 + 0.78 * from_top / 0.7,
            Self::Flame => (1.0 - from_top) / 0.3 * 0.6 + 0.4,
            Self::Even => 1.0,
        }
    }
}

/// One order of branches.
pub(super) struct Order {
    /// How many a parent of full length has.
    pub(super) count: f32,
    /// How many leave the parent at one height; 1 makes a spiral.
    pub(super) whorl: usize,
    /// Shares of the parent between which they leave it.
    pub(super) from: f32,
    pub(super) to: f32,
    /// Metres, of the longest; or a share of the parent's length where `of_parent`.
    pub(super) length: f32,
    pub(super) of_parent: bool,
    pub(super) shape: Shape,
    /// Degrees from the parent's direction, for the lowest and for the highest.
    pub(super) angle: [f32; 2],
    /// Degrees that a branch rises over its length, below 0 droops: the lowest and the highest.
    pub(super) rise: [f32; 2],
    /// Degrees of random turns at each of its segments.
    pub(super) wander: f32,
    /// The radius at its foot as a share of the parent's there.
    pub(super) thickness: f32,
    pub(super) segments: usize,
    /// Whether they leave the parent to its two sides only, as in flat sprays.
    pub(super) flat: bool,
}

/// The foliage of the branches of the last order.
pub(super) struct Foliage {
    /// Sprays on a branch of full length of the order that carries them.
    pub(super) count: f32,
    /// The first order that carries them; those before the last do so on their outer half.
    pub(super) order: usize,
    /// The share of a branch before the first.
    pub(super) from: f32,
    /// Length of a spray in metres, and half its width as a share of it.
    pub(super) length: f32,
    pub(super) half_width: f32,
    /// Degrees from the branch's direction.
    pub(super) angle: f32,
    /// Degrees that sprays hang below that.
    pub(super) droop: f32,
    /// Degrees by which they are rolled around themselves, at most, either way.
    pub(super) roll: f32,
    pub(super) patch: Patch,
    /// Linear colours, and how much they differ from spray to spray.
    pub(super) colours: [Vec3; 2],
}

/// A tree or bush.
pub(super) struct Branching {
    /// Metres, from the foot to the highest point.
    pub(super) height: f32,
    /// Radius of the trunk at breast height or of each stem of a bush at its foot, metres.
    pub(super) radius: f32,
    /// Stems from the ground.
    pub(super) trunks: usize,
    /// Degrees that stems lean outwards; 0 for a single trunk.
    pub(super) lean: f32,
    /// Degrees of random turns at each segment of a trunk.
    pub(super) wander: f32,
    /// How much wider the trunk is at the ground than above, a share.
    pub(super) flare: f32,
    /// The radius at the trunk's top as a share of that at its foot.
    pub(super) taper: f32,
    pub(super) orders: Vec<Order>,
    pub(super) foliage: Foliage,
    /// Height of the middle of the ellipsoid to which branches are cut, and its half width and half height,
    /// as shares of the height (Weber and Penn's pruning); without it branches are not cut.
    pub(super) envelope: Option<[f32; 3]>,
    pub(super) bark: Patch,
    /// Linear colour of bark: trunk, twigs.
    pub(super) wood: [Vec3; 2],
    /// Linear colour of the trunk at the ground, and up to which share of the height it turns into the other.
    pub(super) base: (Vec3, f32),
    pub(super) share_of_stems: [f32; 3],
    pub(super) roundness: f32,
}

/// The start of a branch: its position, direction, length and thickness.
struct Start {
    foot: Vec3,
    direction: Vec3,
    length: f32,
    radius: f32,
    rise: f32,
    sway: f32,
    phase: f32,
}

impl Branching {
    pub(super) fn grow(&self, seed: u64) -> Form {
        let mut form = Form {
            share_of_stems: self.share_of_stems,
            budget: [6000, 1500, 300],
            roundness: self.roundness,
            ..Form::default()
        };
        let mut random = Random::new(seed, 1);
        let turn = 360.0 * random.unit();
        for trunk in 0..self.trunks {
            // Each part has a random stream of its own, so that a change in one leaves the others as they
            // were.
            let mut random = random.part();
            let place = if self.trunks == 1 { 0.0 } else { random.within(0.3, 1.0) };
            let azimuth = level(turn + GOLDEN_ANGLE * trunk as f32);
            let lean = self.lean * place * random.about(0.2);
            let shorter = if self.trunks == 1 { 1.0 } else { 1.0 - 0.35 * place * random.unit() };
            let start = Start {
                foot: azimuth * (0.035 * self.height * place),
                direction: turned(Vec3::Y, Vec3::Y.cross(azimuth), lean.to_radians()),
                length: self.height * shorter * if self.trunks == 1 { 1.0 } else { 1.04 },
                radius: self.radius * (0.75 + 0.25 * shorter),
                rise: if self.trunks == 1 { 0.0 } else { -0.35 * lean },
                sway: 0.0,
                phase: random.unit(),
            };
            self.grow_stem(&mut form, 0, start, 1.0, &mut random);
        }
        form
    }

    /// Grows a stem of this order, and everything on it. `full` is its length as a share of the longest of
    /// its order.
    fn grow_stem(&self, form: &mut Form, order: usize, start: Start, full: f32, random: &mut Random) {
        let stem = self.stem(order, &start, random);
        if let Some(next) = self.orders.get(order) {
            self.branch_out(form, next, order, &stem, &start, full, random);
        }
        // The leader ends in leaves, too.
        if order == 0 {
            self.add_sprays(form, order, &stem, 0.5, random);
        }
        let carries = order > 0 && self.foliage.order <= order;
        if carries {
            self.add_sprays(form, order, &stem, full, random);
        }
        form.stems.push(stem);
    }

    fn stem(&self, order: usize, start: &Start, random: &mut Random) -> Stem {
        let segments = if order == 0 { 10 } else { self.orders[order - 1].segments };
        let wander = if order == 0 { self.wander } else { self.orders[order - 1].wander };
        let (mut p, mut direction) = (start.foot, start.direction);
        let (mut points, mut radii, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for segment in 0..=segments {
            let t = segment as f32 / segments as f32;
            points.push(p);
            radii.push(self.radius_at(order, start.radius, t, p.y));
            colours.push(self.colour_at(order, t));
            direction = raised(direction, start.rise / segments as f32);
            if wander > 0.0 {
                let (side, over) = across(direction);
                direction = turned(direction, side, (wander * random.signed()).to_radians());
                direction = turned(direction, over, (wander * random.signed()).to_radians());
                if order == 0 && self.trunks == 1 {
                    // A trunk that wandered returns to above its foot.
                    let home = (Vec3::new(-p.x, 0.0, -p.z) / self.height) * 0.5;
                    direction = (direction + home).normalize();
                }
            }
            p += direction * (start.length / segments as f32);
        }
        let sway_of_order = [0.10, 0.30, 0.25, 0.15][order.min(3)];
        let sway = [start.sway, start.sway + sway_of_order];
        let order = order as u32;
        Stem {
            points,
            radii,
            colours,
            moss: None,
            bark: self.bark,
            sway,
            phase: start.phase,
            cut: false,
            order,
        }
    }

    fn radius_at(&self, order: usize, radius: f32, t: f32, height: f32) -> f32 {
        if order > 0 {
            return radius * (1.0 - 0.85 * t);
        }
        let flare = self.flare * libm::expf(-height / (2.2 * self.radius.max(0.01)));
        radius * (1.0 - (1.0 - self.taper) * t + flare)
    }

    fn colour_at(&self, order: usize, t: f32) -> Vec3 {
        match order {
            0 => {
                let (base, up_to) = self.base;
                let share = if up_to > 0.0 { (t / up_to).clamp(0.0, 1.0) } else { 1.0 };
                let trunk = base.lerp(self.wood[0], share);
                trunk.lerp(self.wood[1], ((t - 0.75) * 3.0).clamp(0.0, 1.0))
            }
            1 => self.wood[0].lerp(self.wood[1], (0.35 + 1.2 * t).min(1.0)),
            _ => self.wood[1],
        }
    }

    fn branch_out(
        &self,
        form: &mut Form,
        next: &Order,
        order: usize,
        parent: &Stem,
        start: &Start,
        full: f32,
        random: &mut Random,
    ) {
        let count = (next.count * full).round().max(1.0) as usize;
        let whorls = count.div_ceil(next.whorl);
        let turn = 360.0 * random.unit();
        for child in 0..count {
            let mut random = random.part();
            let (whorl, within) = (child / next.whorl, child % next.whorl);
            let jitter = if next.whorl > 1 { 0.25 * random.unit() } else { random.unit() };
            let place = (whorl as f32 + jitter) / whorls as f32;
            let t = next.from + (next.to - next.from) * place.min(1.0);
            let (p, direction, radius) = at_share(parent, t);
            let azimuth = if next.flat {
                180.0 * (child % 2) as f32 + 24.0 * random.signed()
            } else if next.whorl > 1 {
                // The golden ratio's share of a gap, so that whorls never stand above each other.
                let spiral = 0.381_966 * whorl as f32;
                turn + 360.0 * (within as f32 + spiral) / next.whorl as f32 + 14.0 * random.signed()
            } else {
                turn + GOLDEN_ANGLE * child as f32 + 20.0 * random.signed()
            };
            let (side, over) = across(direction);
            let (sine, cosine) = libm::sincosf(azimuth.to_radians());
            let outwards = side * cosine + over * sine;
            let angle = (next.angle[0] + (next.angle[1] - next.angle[0]) * place) * random.about(0.12);
            let (sine, cosine) = libm::sincosf(angle.to_radians());
            let ratio = next.shape.at(1.0 - place) * random.about(0.14);
            let unit = if next.of_parent { next.length * start.length } else { next.length };
            let heading = (direction * cosine + outwards * sine).normalize();
            let length = self.pruned(p, heading, unit * ratio);
            let child = Start {
                foot: p,
                direction: heading,
                length,
                radius: (radius * next.thickness).min(radius * 0.9) * (0.4 + 0.6 * ratio),
                rise: next.rise[0] + (next.rise[1] - next.rise[0]) * place,
                sway: parent.sway[0] + (parent.sway[1] - parent.sway[0]) * t * t,
                phase: if order == 0 { random.unit() } else { start.phase },
            };
            let full = if next.of_parent { full * ratio } else { ratio };
            // Bounded: random factors multiply from order to order.
            self.grow_stem(form, order + 1, child, full.min(1.2), &mut random);
        }
    }

    /// The length of a branch within the envelope; at least a third of it stays.
    fn pruned(&self, foot: Vec3, direction: Vec3, length: f32) -> f32 {
        let Some([middle, width, height]) = self.envelope else { return length };
        let unit = Vec3::new(1.0 / width, 1.0 / height, 1.0 / width) / self.height;
        let from = (foot - Vec3::Y * (middle * self.height)) * unit;
        let along = direction * unit;
        // Where the ray leaves the unit ball.
        let (a, b, c) = (along.length_squared(), from.dot(along), from.length_squared() - 1.0);
        let root = b * b - a * c;
        let leaves = if root > 0.0 { (root.sqrt() - b) / a } else { 0.0 };
        leaves.clamp(0.33 * length, length)
    }

    fn add_sprays(&self, form: &mut Form, order: usize, stem: &Stem, full: f32, random: &mut Random) {
        let foliage = &self.foliage;
        let is_last = order == self.orders.len();
        let count = (foliage.count * full).round().max(2.0) as usize;
        let count = if is_last { count } else { count.div_ceil(2) };
        let from = match order {
            0 => 0.93,
            _ if is_last => foliage.from,
            _ => foliage.from.max(0.6),
        };
        for index in 0..=count {
            let mut random = random.part();
            let is_tip = index == count;
            let t = (from + (1.0 - from) * (index as f32 + 0.5 * random.unit()) / count as f32).min(1.0);
            let (p, direction, _) = at_share(stem, t);
            let (side, over) = across(direction);
            let hand = if index % 2 == 0 { 1.0 } else { -1.0 };
            let angle = if is_tip { 0.0 } else { foliage.angle * random.about(0.25) };
            let (sine, cosine) = libm::sincosf(angle.to_radians());
            let heading =
                direction * cosine + (side * hand + over * (0.5 * random.signed())).normalize() * sine;
            let heading = raised(heading.normalize(), -foliage.droop * random.about(0.35));
            let (flat, _) = across(heading);
            let flat = turned(flat, heading, (foliage.roll * random.signed()).to_radians());
            // Short branches have short twigs.
            let length = foliage.length * random.about(0.22) * (0.45 + 0.55 * full.min(1.0));
            let sway = stem.sway[0] + (stem.sway[1] - stem.sway[0]) * t * t;
            let colour = foliage.colours[0].lerp(foliage.colours[1], random.unit());
            form.sprays.push(Spray {
                foot: p,
                along: heading * length,
                across: flat * (length * foliage.half_width),
                bend: Vec3::ZERO,
                patch: foliage.patch,
                material: if foliage.patch == Patch::BareTwig { Material::Bark } else { Material::Leaf },
                colour: colour * random.about(0.10),
                sway: [sway, sway + 0.2],
                phase: stem.phase,
                merge: Merge::Both,
            });
        }
    }
}

/// The point, direction and radius at a share of a stem's points.
pub(super) fn at_share(stem: &Stem, t: f32) -> (Vec3, Vec3, f32) {
    let segments = stem.points.len() - 1;
    let along = t.clamp(0.0, 1.0) * segments as f32;
    let index = (along as usize).min(segments - 1);
    let share = along - index as f32;
    let (a, b) = (stem.points[index], stem.points[index + 1]);
    let radius = stem.radii[index] + (stem.radii[index + 1] - stem.radii[index]) * share;
    (a.lerp(b, share), (b - a).normalize_or(Vec3::Y), radius)
}
