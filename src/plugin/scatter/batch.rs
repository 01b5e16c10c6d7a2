//! Which batches of a cell a camera draws: levels of detail by distance, as few batches as will do.

use bevy::prelude::*;

use super::cells::{Cell, Run, distances};
use super::instance::{BLOCK, PAGE};
use super::material::Seen;
use super::rule_table::{IMPOSTORS, Level, Look};
use super::template::IMPOSTOR_COPIES;

/// Bits of a tag for the first block. Twin of `TAG_BITS` in `shaders/scatter_instance.wgsl`.
const TAG_BITS: u32 = 24;

/// The share of a level's reach over which it fades into the next. Twin of `FADE` in
/// `shaders/scatter_instance.wgsl`.
const FADE: f32 = 0.125;

/// Copies of a template that are drawn at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BatchKey {
    /// The first block and the level.
    pub(super) tag: u32,
    /// Copies that its template holds.
    pub(super) copies: u32,
    pub(super) throws_shadow: bool,
    /// The look whose template it is; of impostors of several looks the first.
    pub(super) look: usize,
}

/// A batch that a camera draws.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) key: BatchKey,
    /// Around all of what it draws, metres from the cell's corner and from height 0.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    /// Objects in it.
    pub(super) count: usize,
    pub(super) material: usize,
}

/// How a camera looks at a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look3d {
    /// In the cell's own space.
    pub(super) eye: Vec3,
    pub(super) seen: Seen,
    /// How far it may move before it is asked again, metres.
    pub(super) slack: f32,
    /// Distance up to which shadows are cast, metres.
    pub(super) shadows: f32,
}

impl Look3d {
    /// The least and the greatest distance of a point in a box, as levels count it.
    fn distances(&self, low: Vec3, high: Vec3) -> (f32, f32) {
        let (nearest, farthest) = match self.seen.flat_distance {
            Some(distance) => (distance, distance),
            None => distances(self.eye, low, high),
        };
        // As if the camera had moved by the slack already, so that the choice holds until it has.
        ((nearest - self.slack).max(0.0), farthest + self.slack)
    }

    /// The distances between which anything is seen of a level, and between which it is seen in full.
    fn ranges(&self, level: &Level) -> [f32; 2] {
        let reach = self.seen.reach;
        // From where the level before begins to fade into this one: over that distance both are drawn.
        [level.from * (1.0 - FADE) * reach, level.until * reach]
    }

    /// Whether anything of a level may be seen at some distance between two.
    fn sees(&self, level: &Level, (nearest, farthest): (f32, f32)) -> bool {
        let [from, until] = self.ranges(level);
        nearest < until && farthest > from
    }
}

/// The batches of a cell that a camera draws, sorted by their keys.
pub(super) fn chosen(cell: &Cell, looks: &[Look], at: &Look3d) -> Vec<Batch> {
    let mut batches = Vec::new();
    let (nearest, farthest) = at.distances(cell.low, cell.high);
    let is_impostor_alone = |run: &Run| {
        let seen: Vec<&Level> =
            looks[run.look].levels.iter().filter(|level| at.sees(level, (nearest, farthest))).collect();
        matches!(seen[..], [level] if level.template.is_none())
    };
    // Runs with impostors come first in a cell, so that all that are far enough away form one range of
    // objects.
    let alone = cell.runs.iter().take_while(|run| is_impostor_alone(run)).count();
    if let (Some(first), Some(last)) = (cell.runs[..alone].first(), cell.runs[..alone].last()) {
        let end = last.first + last.count;
        let all = looks[first.look].shadows && nearest < at.shadows;
        let level = looks[first.look].levels.len() - 1;
        let radius = cell.runs[..alone].iter().map(|run| looks[run.look].radius).fold(0.0, f32::max);
        // Each look counts its levels from 0, and those before the impostor may be several.
        let is_alike = cell.runs[..alone].iter().all(|run| looks[run.look].levels.len() == level + 1);
        if is_alike {
            let count: usize = cell.runs[..alone].iter().map(|run| run.count).sum();
            // One batch for all plants of a distant cell, whatever their looks are: impostors share a mesh
            // and a material, and each object's page knows its look.
            let sizes = cut(first.first, end - first.first, &IMPOSTOR_COPIES);
            let parts = sizes.len().max(1);
            for (number, (start, copies)) in sizes.into_iter().enumerate() {
                batches.push(Batch {
                    key: key(start, level, copies, all, first.look),
                    low: cell.low - radius,
                    high: cell.high + radius,
                    // For statistics only: how the objects are spread over the parts is not known, but the
                    // sum is right.
                    count: if number == 0 { count - count / parts * (parts - 1) } else { count / parts },
                    material: IMPOSTORS,
                });
            }
        } else {
            cell.runs[..alone].iter().for_each(|run| of_run(run, looks, at, &mut batches));
        }
    }
    cell.runs[alone..].iter().for_each(|run| of_run(run, looks, at, &mut batches));
    // The same order in every run, whatever the order of threads was.
    batches.sort_unstable_by_key(|batch| batch.key);
    batches
}

fn key(first: usize, level: usize, copies: usize, throws_shadow: bool, look: usize) -> BatchKey {
    let tag = (first / BLOCK) as u32 | (level as u32) << TAG_BITS;
    BatchKey { tag, copies: copies as u32, throws_shadow, look }
}

/// Cuts a run into batches of some of these sizes, the largest first: where each begins, and its size.
fn cut(first: usize, count: usize, sizes: &[usize]) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < count {
        let left = count - at;
        // The largest template that would be at least half full, or the smallest: a batch draws the vertices
        // of all its copies, empty ones too.
        let fits = sizes.iter().copied().find(|size| *size <= left || *size < 2 * left);
        let size = fits.or(sizes.last().copied()).unwrap_or(PAGE);
        parts.push((first + at, size));
        at += size;
    }
    parts
}

/// The batches of a run.
fn of_run(run: &Run, looks: &[Look], at: &Look3d, batches: &mut Vec<Batch>) {
    let look = &looks[run.look];
    let whole = at.distances(run.low, run.high);
    for (number, level) in look.levels.iter().enumerate() {
        if !at.sees(level, whole) {
            continue;
        }
        let sizes: &[usize] = match &level.template {
            Some((_, copies)) => &[*copies],
            // The largest template serves whole cells only.
            None => &IMPOSTOR_COPIES[1..],
        };
        let [from, until] = at.ranges(level);
        // The usual case of a cell that lies within one level: its batches need not be looked at one by one.
        let is_all = whole.0 >= from && whole.1 <= until;
        for (start, copies) in cut(run.first, run.count, sizes) {
            let objects = start - run.first..(start - run.first + copies).min(run.count);
            let spheres = &run.spheres[objects.start / BLOCK..objects.end.div_ceil(BLOCK)];
            let (low, high) = spheres.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), sphere| {
                let middle = sphere.truncate();
                (low.min(middle - sphere.w), high.max(middle + sphere.w))
            });
            let there = at.distances(low, high);
            if !is_all && !at.sees(level, there) {
                continue;
            }
            let throws_shadow = look.shadows && there.0 < at.shadows;
            batches.push(Batch {
                key: key(start, number, copies, throws_shadow, run.look),
                low: low - look.radius,
                high: high + look.radius,
                count: objects.len(),
                material: level.material,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::scatter::Object;

    fn look(template: usize) -> Look {
        let level = |from, until, copies: Option<usize>| Level {
            from,
            until,
            template: copies.map(|copies| (Handle::default(), copies)),
            material: if copies.is_some() { 0 } else { IMPOSTORS },
        };
        let levels = vec![
            level(0.0, 20.0, Some(template)),
            level(20.0, 60.0, Some(4 * template)),
            level(60.0, 1000.0, None),
        ];
        Look { levels, shadows: true, radius: 5.0 }
    }

    /// A cell of 200 × 200 m with objects 5 m apart, of two looks.
    fn cell() -> Cell {
        let objects: Vec<Object> = (0..1600u64)
            .map(|index| Object {
                id: index,
                rule: 0,
                position: bevy::math::DVec3::new(
                    (index % 40) as f64 * 5.0 + 1.0,
                    0.0,
                    (index / 40) as f64 * 5.0 + 1.0,
                ),
                up: Vec3::Y,
                turn: 0.0,
                size: 1.0,
            })
            .collect();
        let mut runs = Vec::new();
        let mut first = 640;
        for variant in 0..2 {
            let own = objects.iter().filter(|object| object.id % 2 == variant).map(|object| (object, 0.0));
            let packs = super::super::instance::Packs::new(own.collect(), [0.0; 2], 200.0);
            let count = packs.packed.len();
            let (low, high) = (Vec3::ZERO, Vec3::new(200.0, 0.0, 200.0));
            let objects = default();
            runs.push(Run {
                look: variant as usize,
                first,
                count,
                spheres: packs.spheres,
                low,
                high,
                objects,
            });
            first += count.div_ceil(PAGE) * PAGE;
        }
        let (low, high) = (Vec3::ZERO, Vec3::new(200.0, 0.0, 200.0));
        Cell {
            version: 0,
            is_stale: false,
            first_page: 10,
            pages: 26,
            runs,
            corner: default(),
            low,
            high,
            objects: 1600,
        }
    }

    fn at(eye: Vec3) -> Look3d {
        Look3d { eye, seen: Seen { reach: 1.0, flat_distance: None }, slack: 1.0, shadows: 100.0 }
    }

    #[test]
    fn every_object_is_in_a_batch_of_each_level_that_it_is_seen_at() {
        let (cell, looks) = (cell(), [look(4), look(8)]);
        for eye in [Vec3::new(50.0, 2.0, 80.0), Vec3::new(-30.0, 1.0, 20.0), Vec3::new(-700.0, 90.0, 0.0)] {
            let at = at(eye);
            let batches = chosen(&cell, &looks, &at);
            let keys: BTreeSet<_> = batches.iter().map(|batch| batch.key).collect();
            assert_eq!(keys.len(), batches.len(), "no batch is drawn twice");
            for run in &cell.runs {
                for index in 0..run.count {
                    let sphere = run.spheres[index / BLOCK];
                    let distance = sphere.truncate().distance(eye);
                    for (number, level) in looks[run.look].levels.iter().enumerate() {
                        let [from, until] = at.ranges(level);
                        if distance - sphere.w < until && distance + sphere.w > from {
                            let instance = run.first + index;
                            let holds = |batch: &&Batch| {
                                let first = (batch.key.tag & 0xff_ffff) as usize * BLOCK;
                                (first..first + batch.key.copies as usize).contains(&instance)
                                    && (batch.key.tag >> TAG_BITS) as usize == number
                            };
                            assert_eq!(batches.iter().filter(holds).count(), 1, "{index} at {distance} m");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_distant_cell_is_few_batches_and_one_out_of_reach_none() {
        let (cell, looks) = (cell(), [look(4), look(8)]);
        let far = chosen(&cell, &looks, &at(Vec3::new(-500.0, 2.0, 100.0)));
        assert!(far.len() <= 2, "{far:?}");
        assert!(far.iter().all(|batch| batch.material == IMPOSTORS && !batch.key.throws_shadow));
        assert!(chosen(&cell, &looks, &at(Vec3::new(-1100.0, 2.0, 100.0))).is_empty());
        let near = chosen(&cell, &looks, &at(Vec3::new(100.0, 2.0, 100.0)));
        assert!(near.iter().any(|batch| batch.key.throws_shadow && batch.material == 0));
    }

    #[test]
    fn from_parallel_rays_everything_is_drawn_at_one_level() {
        let (cell, looks) = (cell(), [look(4), look(8)]);
        let seen = Seen { reach: 1.0, flat_distance: Some(40.0) };
        let at = Look3d { seen, slack: 0.0, ..at(Vec3::new(0.0, 5000.0, 0.0)) };
        let batches = chosen(&cell, &looks, &at);
        assert!(!batches.is_empty() && batches.iter().all(|batch| batch.key.tag >> TAG_BITS == 1));
    }

    #[test]
    fn the_shader_has_the_same_numbers() {
        let shader = include_str!("../../../shaders/scatter_instance.wgsl");
        assert!(shader.contains(&format!("const TAG_BITS: u32 = {TAG_BITS}u;")));
        assert!(shader.contains(&format!("const FADE: f32 = {FADE};")));
    }
}
