//! The exact viewshed: a horizon that is raised ring by ring.
//!
//! In an octant let t be the step divided by the ring, from 0 on the axis to 1 on the diagonal, and let slope
//! be the rise from the eye divided by the distance along the axis, in metres per cell. Central projection
//! takes straight lines to straight lines: every edge between two neighbouring samples is a straight piece in
//! the plane of t and slope. So the horizon is the upper envelope of all nearer edges, a chain of straight
//! pieces, and a sample is seen unless it lies below it. This is the floating horizon that removes hidden
//! lines of surfaces (Wright, "A two-space solution to the hidden line problem for plotting functions of two
//! variables", 1973), kept as pieces and not as heights at pixels.
//!
//! Rounding moves the horizon a little, and by how much is bounded. Where a sample is nearer to its horizon
//! than that, the line of sight decides, so that the result is equal to it everywhere.

use std::ops::Range;

use super::counts::SightCounts;
use super::line_of_sight::{Eye, Ground};
use super::octant::Octant;
use crate::compute::work::Work;
use crate::error::Result;

/// Parts of an octant that are searched at the same time, each an equal part of t; a power of two, so that
/// their limits are exact.
pub(super) const SECTORS: usize = 4;

/// The largest rounding error of a slope, as a share of the greatest number of metres that occurs: about 40
/// roundings by 2⁻⁵³ of sums that are at most five times that number make less than 2⁻⁴⁵.
const NOISE: f64 = 1.0 / (1u64 << 45) as f64;

/// Marks the samples of one part of an octant that the eye sees, and returns their number. `target` is the
/// height of the targets above the ground, `range` the lowest and the highest height of the land.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn look(
    ground: &Ground,
    eye: &Eye,
    target: f64,
    range: (f32, f32),
    octant: &Octant,
    sector: usize,
    seen: &SightCounts,
    work: &Work,
) -> Result<usize> {
    let (low, high) = (f64::from(range.0), f64::from(range.1));
    let reach = octant.reach as f64;
    let farthest_drop = 2.0 * reach * reach * ground.drop;
    let greatest = low.abs().max(high.abs()) + eye.elevation.abs() + target + farthest_drop;
    // Where the eye lies on level ground every difference is 0, which nothing rounds.
    let is_level = low == high && eye.elevation == low && target == 0.0 && ground.drop == 0.0;
    let noise = if is_level { 0.0 } else { NOISE * greatest };
    let mut view = View { ground, eye, target, octant, noise, rings: Rings::default() };
    let mut horizon = Horizon::of_sector(sector);
    let mut count = 0;
    for ring in 1..=octant.reach {
        work.check()?;
        let steps = horizon.steps(ring, octant);
        // From here on the whole sector lies beyond the border.
        if horizon.start * ring as f64 > octant.breadth.max(1) as f64 {
            work.advance(octant.reach + 1 - ring);
            break;
        }
        // One step more on each side, for the edges that cross the sector's limits.
        view.read(ring, steps.start.saturating_sub(1)..steps.end + 1);
        count += view.mark(ring, steps, &horizon, seen);
        view.raise(ring, &mut horizon);
        work.advance(1);
    }
    Ok(count)
}

/// The search of a part of an octant from one eye.
struct View<'a> {
    ground: &'a Ground<'a>,
    eye: &'a Eye,
    target: f64,
    octant: &'a Octant,
    /// The largest rounding error of a slope.
    noise: f64,
    rings: Rings,
}

/// The rises from the eye to the samples of two neighbouring rings, in metres, by their steps.
#[derive(Default)]
struct Rings {
    near: Vec<f64>,
    here: Vec<f64>,
}

impl View<'_> {
    /// Turns to a ring and reads some of its steps.
    fn read(&mut self, ring: usize, steps: Range<usize>) {
        let Rings { near, here } = &mut self.rings;
        std::mem::swap(near, here);
        here.resize(steps.end.max(here.len()), 0.0);
        let heights = self.ground.field.heights();
        for step in steps {
            // Beyond the border the ground goes on as it is there; nothing is looked for there.
            let on_land = step.min(self.octant.breadth);
            let squared = (ring * ring + step * step) as f64;
            let height = f64::from(heights[self.octant.index(ring, on_land)]);
            here[step] = height - self.eye.elevation - self.ground.drop * squared;
        }
    }

    /// Marks the samples among some steps of a ring that lie above the horizon, and returns how many do.
    fn mark(&self, ring: usize, steps: Range<usize>, horizon: &Horizon, seen: &SightCounts) -> usize {
        let owned = self.octant.steps(ring);
        let steps = steps.start.max(owned.start)..steps.end.min(owned.end);
        let mut pieces = horizon.pieces.as_slice();
        let mut count = 0;
        for step in steps {
            let t = step as f64 / ring as f64;
            // Steps and pieces both go from small t to large ones, so the search never turns back.
            while pieces.get(1).is_some_and(|next| next.start <= t) {
                pieces = &pieces[1..];
            }
            let above = (self.rings.here[step] + self.target) / ring as f64 - pieces[0].at(t);
            // Surely above, surely below, or too close to tell: only the last needs the slow line of sight.
            let is_seen = if above >= pieces[0].slack + self.noise {
                true
            } else if above < -self.noise {
                false
            } else {
                self.is_clear(ring, step)
            };
            if is_seen {
                seen.add(self.octant.index(ring, step));
                count += 1;
            }
        }
        count
    }

    /// Whether the line of sight to a sample is clear.
    fn is_clear(&self, ring: usize, step: usize) -> bool {
        let index = self.octant.index(ring, step);
        let width = self.ground.field.grid().width;
        let place = [index % width, index / width];
        let elevation = self.ground.height(place) + self.target;
        self.ground.is_clear(self.eye, &Eye { place, elevation })
    }

    /// Raises the horizon to the edges along a ring, and to those between it and the ring before.
    fn raise(&self, ring: usize, horizon: &mut Horizon) {
        let breadth = self.octant.breadth.max(1);
        let end = horizon.limit.min(breadth as f64 / ring as f64);
        let first = (horizon.start * ring as f64) as usize;
        horizon.fresh.clear();
        for step in first..ring.min(breadth) {
            let start = (step as f64 / ring as f64).max(horizon.start);
            if start >= end && step > first {
                break;
            }
            let along = self.edge_along(ring, step);
            let mut along_from = start;
            // Rays between the sample and the one before it on the ring within cross the edge between the
            // two. Both edges start in the sample, so the steeper one is the higher one.
            if step > 0 && step < ring {
                let across = self.edge_across(ring, step);
                let across_end = step as f64 / (ring - 1) as f64;
                if across.rise > along.rise && across_end > start {
                    horizon.fresh.push(Piece { start, ..across });
                    along_from = across_end;
                }
            }
            if along_from < end.min((step + 1) as f64 / ring as f64) || horizon.fresh.is_empty() {
                horizon.fresh.push(Piece { start: along_from, ..along });
            }
        }
        horizon.raise(end, self.noise);
    }

    /// The edge from a step of a ring to the next.
    fn edge_along(&self, ring: usize, step: usize) -> Piece {
        let here = &self.rings.here;
        let rise = here[step + 1] - here[step];
        let at_0 = (here[step] - step as f64 * rise) / ring as f64;
        Piece { start: 0.0, at_0, rise, slack: 2.0 * self.noise }
    }

    /// The edge from a step, which is not 0, of the ring within to the same step of a ring.
    fn edge_across(&self, ring: usize, step: usize) -> Piece {
        let at_0 = self.rings.here[step] - self.rings.near[step];
        let rise = (self.rings.near[step] - (ring - 1) as f64 * at_0) / step as f64;
        Piece { start: 0.0, at_0, rise, slack: 2.0 * self.noise }
    }
}

/// A straight piece of the horizon, up to where the next begins.
#[derive(Clone, Copy)]
struct Piece {
    /// Its first t.
    start: f64,
    /// Its slope at t = 0.
    at_0: f64,
    /// By how much its slope grows from t = 0 to t = 1.
    rise: f64,
    /// By how much edges that were found lower may be higher because of rounding.
    slack: f64,
}

impl Piece {
    fn at(&self, t: f64) -> f64 {
        self.at_0 + self.rise * t
    }
}

/// The horizon of a sector.
struct Horizon {
    /// The sector's first and last t.
    start: f64,
    limit: f64,
    pieces: Vec<Piece>,
    /// The edges to which it is raised next.
    fresh: Vec<Piece>,
    /// The horizon after they are taken in.
    raised: Vec<Piece>,
}

impl Horizon {
    /// A horizon below everything.
    fn of_sector(sector: usize) -> Self {
        let limit = |sector: usize| sector as f64 / SECTORS as f64;
        let start = limit(sector);
        let pieces = vec![Piece { start, at_0: f64::NEG_INFINITY, rise: 0.0, slack: 0.0 }];
        Self { start, limit: limit(sector + 1), pieces, fresh: Vec::new(), raised: Vec::new() }
    }

    /// The steps of a ring that lie in the sector; its last t belongs to the next one, if there is one.
    fn steps(&self, ring: usize, octant: &Octant) -> Range<usize> {
        let ring_in_t = ring as f64;
        let first = (self.start * ring_in_t).ceil() as usize;
        let end = if self.limit < 1.0 { (self.limit * ring_in_t).ceil() as usize } else { ring + 1 };
        first..end.min(octant.breadth + 1).max(first)
    }

    /// Raises the horizon to the fresh edges, which go on to `end`, and ends it there.
    fn raise(&mut self, end: f64, noise: f64) {
        self.raised.clear();
        let (mut old, mut fresh) = (self.pieces.as_slice(), self.fresh.as_slice());
        let mut from = self.start;
        while from < end {
            let next = |pieces: &[Piece]| pieces.get(1).map_or(end, |next| next.start.min(end));
            let to = next(old).min(next(fresh));
            if from < to {
                add_higher(&mut self.raised, old[0], fresh[0], from..to, noise);
            }
            if to >= end {
                break;
            }
            if next(old) <= to {
                old = &old[1..];
            }
            if next(fresh) <= to {
                fresh = &fresh[1..];
            }
            from = to;
        }
        if !self.raised.is_empty() {
            std::mem::swap(&mut self.pieces, &mut self.raised);
        }
    }
}

/// Adds to `raised` the higher of two pieces, which may cross.
fn add_higher(raised: &mut Vec<Piece>, old: Piece, fresh: Piece, part: Range<f64>, noise: f64) {
    let by = [fresh.at(part.start) - old.at(part.start), fresh.at(part.end) - old.at(part.end)];
    // An edge that was found lower by less than twice the noise may be higher by as much.
    let lost = 2.0 * noise - by[0].abs().min(by[1].abs());
    if by[0] <= 0.0 && by[1] <= 0.0 {
        add(raised, Piece { start: part.start, slack: old.slack.max(fresh.slack + lost), ..old });
    } else if by[0] >= 0.0 && by[1] >= 0.0 {
        add(raised, Piece { start: part.start, slack: fresh.slack.max(old.slack + lost), ..fresh });
    } else {
        let crossing = part.start + (part.end - part.start) * (by[0] / (by[0] - by[1]));
        let slack = old.slack.max(fresh.slack) + 2.0 * noise;
        let (first, second) = if by[0] > 0.0 { (fresh, old) } else { (old, fresh) };
        add(raised, Piece { start: part.start, slack, ..first });
        add(raised, Piece { start: crossing.clamp(part.start, part.end), slack, ..second });
    }
}

/// Adds a piece at the end, or to the last one if it goes on along the same line.
fn add(raised: &mut Vec<Piece>, piece: Piece) {
    match raised.last_mut() {
        Some(last) if last.at_0 == piece.at_0 && last.rise == piece.rise => {
            last.slack = last.slack.max(piece.slack);
        }
        _ => raised.push(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(pieces: &[Piece], t: f64) -> f64 {
        pieces.iter().rfind(|piece| piece.start <= t).unwrap().at(t)
    }

    #[test]
    fn a_raised_horizon_is_the_higher_of_the_old_and_the_fresh() {
        let zigzag = |count: usize, phase: f64| -> Vec<Piece> {
            let piece = |index: usize| {
                let (start, rise) =
                    (index as f64 / count as f64, if index.is_multiple_of(2) { 3.0 } else { -2.0 });
                let at_start = (index as f64 * 1.7 + phase).sin();
                Piece { start, at_0: at_start - rise * start, rise, slack: 0.0 }
            };
            (0..count).map(piece).collect()
        };
        for (old, fresh) in [(1, 1), (1, 9), (7, 5), (16, 16), (40, 3)] {
            let (old, fresh) = (zigzag(old, 0.3), zigzag(fresh, 2.0));
            let (pieces, raised) = (old.clone(), Vec::new());
            let mut horizon = Horizon { start: 0.0, limit: 1.0, pieces, fresh: fresh.clone(), raised };
            horizon.raise(1.0, 0.0);
            assert!(horizon.pieces.is_sorted_by(|a, b| a.start <= b.start));
            for part in 0..1000 {
                // Beside every place where a piece begins.
                let t = (part as f64 + 0.37) / 1000.0;
                let expected = slope(&old, t).max(slope(&fresh, t));
                assert!((slope(&horizon.pieces, t) - expected).abs() < 1e-12, "at {t}");
            }
        }
    }
}
