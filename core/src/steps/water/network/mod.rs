//! River networks: where rivers meet, their water joins and no bed rises.
//!
//! The order in which rivers are listed has no effect. They are planned from the largest to the smallest:
//! each follows its own course from its source to where it first meets a larger one, bends into that one's
//! bed and ends there, at its level. The rest of its course is not dug. A river that begins in another
//! leaves it at its level. Water levels follow the land, but are never higher than upstream, across all
//! rivers; then waterfalls are eased, in the main river first, because the others end at its level.
//!
//! Rivers without water are valleys. They are dug before those with water, which may run in them; and a
//! valley within a wider one is dug after that one.

mod strand;
mod valleys;

use std::collections::HashMap;

use glam::Vec2;

use self::strand::{Link, Strand, edge};
use self::valleys::{end_valleys, layers};
use super::Carve;
use super::course::{Course, Passed, Section};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::math::smoothstep::smoothstep;

/// How much lower than a river of an earlier step another must be to cut through it, metres.
const LOWER: f32 = 0.01;

/// Digs waterways, each with its seed, into `field`, and returns their courses in the same order. The order
/// has no other effect: where rivers meet, the smaller ends in the larger, at its level. The rest of its
/// course is dropped; if nothing remains the course is empty.
///
/// `earlier` are rivers of earlier steps, which later steps may have covered since. A river ends in one of
/// them where it meets it, unless it is lower there: then it cuts through, and the earlier one ends in it.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) when an earlier river was made for another grid;
/// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation, which leaves the field
/// half changed.
pub fn dig(
    field: &mut Heightfield,
    waterways: &[(&dyn Carve, u64)],
    earlier: &mut [Course],
    work: &Work,
) -> Result<Vec<Course>> {
    earlier.iter().try_for_each(|course| course.check_grid(field.grid()))?;
    work.stage("river", 2 * waterways.len());
    let plan = |number: usize, field: &Heightfield| {
        let (waterway, seed) = waterways[number];
        waterway.course(field, seed, work)
    };
    let courses = (0..waterways.len()).map(|number| plan(number, field)).collect::<Result<Vec<_>>>()?;
    work.advance(waterways.len());
    layers_of(field, courses, plan, earlier, work)
}

/// Lowers `field` to the beds of rivers made for its grid, joined as by [`dig`], and returns their courses
/// in the same order.
///
/// ```
/// # use upland_core as upland;
/// use glam::vec2;
/// use upland::water::{Channel, Course, carve_together};
/// use upland::{Grid, Heightfield, Work};
///
/// let mut land = Heightfield::flat(Grid::new(101, 101, 10.0)?, 100.0);
/// let course = |width, points: &[_]| {
///     let channel = Channel { width, depth: 8.0, bank: 20.0, fill: 0.5 };
///     Course::through(points, channel, land.grid(), &Work::new())
/// };
/// let main = course(60.0, &[vec2(0.0, 500.0), vec2(1000.0, 500.0)])?;
/// let crossing = course(30.0, &[vec2(400.0, 0.0), vec2(400.0, 1000.0)])?;
/// let rivers = carve_together(&mut land, vec![main, crossing], &Work::new())?;
/// // The smaller river ends in the larger one.
/// assert!(rivers[1].points().all(|point| point.y < 505.0));
/// assert_eq!(land.at(40, 80), 100.0);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// As [`dig`].
pub fn carve_together(field: &mut Heightfield, rivers: Vec<Course>, work: &Work) -> Result<Vec<Course>> {
    rivers.iter().try_for_each(|course| course.check_grid(field.grid()))?;
    carve_with(field, rivers, &mut [], work)
}

/// As [`carve_together`], where rivers of earlier steps are `earlier`, as in [`dig`].
pub(super) fn carve_with(
    field: &mut Heightfield,
    rivers: Vec<Course>,
    earlier: &mut [Course],
    work: &Work,
) -> Result<Vec<Course>> {
    earlier.iter().try_for_each(|course| course.check_grid(field.grid()))?;
    work.stage("river", rivers.len());
    let planned = rivers.clone();
    layers_of(field, rivers, |number, _| Ok(planned[number].clone()), earlier, work)
}

/// Digs layer after layer. `plan` computes a river's course again, on the land left by the layers before.
fn layers_of(
    field: &mut Heightfield,
    mut courses: Vec<Course>,
    plan: impl Fn(usize, &Heightfield) -> Result<Course>,
    earlier: &mut [Course],
    work: &Work,
) -> Result<Vec<Course>> {
    let layers = layers(&courses, work)?;
    // After all earlier ones, so that ranks go on growing from step to step.
    let mut rank = earlier.iter().map(|course| course.rank + 1).max().unwrap_or(0);
    let last = layers.iter().copied().max().unwrap_or(0);
    for layer in 0..=last {
        let numbers: Vec<usize> = (0..courses.len()).filter(|number| layers[*number] == layer).collect();
        let mut together = Vec::new();
        for &number in &numbers {
            let planned = std::mem::replace(&mut courses[number], Course::none(field.grid()));
            // Layers after the first are planned again, on the land into which the wider valleys have been
            // dug.
            together.push(if layer == 0 { planned } else { plan(number, field)? });
        }
        // A valley ignores the water of earlier steps.
        let has_water = together.iter().any(|course| course.channel.water() > 0.0);
        let fixed: &mut [Course] = if has_water { &mut *earlier } else { &mut [] };
        let dug = Network::new(field, fixed, work)?.carve(field, together, fixed, rank, work)?;
        for (number, course) in numbers.iter().zip(dug) {
            courses[*number] = course;
        }
        rank += numbers.len();
    }
    if last > 0 {
        end_valleys(field, &mut courses, &layers);
    }
    Ok(courses)
}

/// The state of a river relative to another one while its course is followed.
#[derive(Clone, Copy)]
enum Regard {
    /// It began in the other and hasn't left it yet.
    Leaves,
    /// Within this many samples of this point it cannot meet the other.
    Away(Vec2, f32),
    /// It cuts through the other.
    Cuts,
}

/// The part of a river's course between the river that it leaves and the one that it enters.
struct OwnStretch {
    course: Course,
    /// The first point beyond the river that it leaves.
    out: usize,
    /// Where it leaves another river.
    source: Option<Link>,
    /// Where it enters another river.
    mouth: Option<Link>,
    /// The strands that it cuts through.
    cuts: Vec<usize>,
}

impl OwnStretch {
    /// Finds the samples that it passes again, after its points have changed.
    fn retrace(&mut self, work: &Work) -> Result<()> {
        let none = Course::none(self.course.grid);
        self.course = std::mem::replace(&mut self.course, none).traced(work)?;
        Ok(())
    }

    /// Whether it flows back into the river that it came from.
    fn is_circle(&self) -> bool {
        matches!((self.source, self.mouth), (Some(source), Some(mouth))
            if source.strand == mouth.strand && mouth.point <= source.point)
    }
}

/// Where a river meets another: the last point of its own course, and the point of the other next to it.
struct Meeting {
    strand: usize,
    leaves: usize,
    beside: usize,
}

/// How far a river follows its own course.
struct Walk {
    /// Index of the point where it begins, and of that from which it may meet others again.
    head: usize,
    out: usize,
    source: Option<Link>,
    meeting: Option<Meeting>,
    /// Earlier rivers that it cuts through.
    cuts: Vec<usize>,
}

/// The last point up to which a course near another river follows its own curve: where it enters the
/// other's bed, or is closest to it.
fn approach(course: &Course, from: usize, other: &Strand, inner: f32) -> usize {
    let (mut here, mut away) = (from, other.nearest(course.points[from]).1);
    while away > inner && here + 1 < course.points.len() {
        let next = course.points[here + 1];
        let next_away = other.nearest(next).1;
        if next_away >= away || course.sample_at(next).is_none() {
            break;
        }
        (here, away) = (here + 1, next_away);
    }
    here
}

/// The rivers placed so far, the largest first; those of earlier steps come before all others.
struct Network {
    strands: Vec<Strand>,
    /// Which river passes a sample, and at which of its points.
    taken: HashMap<usize, Link>,
}

impl Network {
    /// The network of the rivers of earlier steps.
    fn new(field: &Heightfield, fixed: &[Course], work: &Work) -> Result<Self> {
        let mut network = Self { strands: Vec::new(), taken: HashMap::new() };
        for (river, level) in super::surfaces::surfaces(field, fixed) {
            work.check()?;
            let strand = Strand { is_fixed: true, level, ..Strand::new(fixed[river].clone(), river) };
            network.take(strand);
        }
        Ok(network)
    }

    fn take(&mut self, strand: Strand) {
        let number = self.strands.len();
        for passed in &strand.course.passed {
            let link = Link { strand: number, point: passed.point };
            self.taken.entry(passed.index).or_insert(link);
        }
        self.strands.push(strand);
    }

    /// Joins rivers to the network and digs them; returns their courses in the same order.
    fn carve(
        mut self,
        field: &mut Heightfield,
        mut courses: Vec<Course>,
        fixed: &mut [Course],
        rank: usize,
        work: &Work,
    ) -> Result<Vec<Course>> {
        let mut order: Vec<usize> = (0..courses.len()).collect();
        // From the largest to the smallest: each joins rivers that are there already.
        order.sort_by(|a, b| courses[*a].by_size(&courses[*b]));
        let first = self.strands.len();
        for (place, &number) in order.iter().enumerate() {
            let course = std::mem::replace(&mut courses[number], Course::none(field.grid()));
            self.join(field, course, number, work)?;
            if let Some(strand) = self.strands.get_mut(first + place) {
                strand.course.rank = rank + place;
            }
        }
        self.section_all(first);
        self.level_all(field, first, work)?;
        let is_alone =
            self.strands[first..].iter().filter(|strand| !strand.course.passed.is_empty()).count() < 2;
        // Where beds overlap, each is dug from the land as it was, not from another's bed. One river needs no
        // copy.
        let before = (!is_alone).then(|| field.heights().to_vec());
        for place in first..self.strands.len() {
            self.dig(field, before.as_deref(), place, work)?;
            work.advance(1);
        }
        self.drain(field, first);
        for strand in self.strands {
            let list = if strand.is_fixed { &mut *fixed } else { &mut courses[..] };
            list[strand.number] = strand.course;
        }
        Ok(courses)
    }

    /// Finds how far a river follows its own course, and adds it to the network.
    fn join(&mut self, field: &Heightfield, course: Course, number: usize, work: &Work) -> Result<()> {
        if self.strands.iter().all(|other| other.course.points.is_empty()) {
            let mut strand = Strand::new(course, number);
            strand.find_level(field);
            self.take(strand);
            return Ok(());
        }
        let own = edge(&course);
        let course = self.turned_downhill(field, course, own, work)?;
        let Some(walk) = self.walk(field, &course, work)? else {
            self.take(Strand::new(course.emptied(), number));
            return Ok(());
        };
        let stretch = self.own_stretch(course, walk, work)?;
        if stretch.is_circle() || stretch.course.points.len() < 2 || stretch.course.passed.is_empty() {
            self.take(Strand::new(stretch.course.emptied(), number));
            return Ok(());
        }
        let OwnStretch { course, source, mouth, cuts, .. } = stretch;
        let mut strand = Strand { source, mouth, ..Strand::new(course, number) };
        if let Some(link) = mouth {
            self.enter(&mut strand, link, own);
        }
        if let Some(link) = source {
            self.leave(&mut strand, link);
        }
        strand.find_level(field);
        let place = self.strands.len();
        for other in cuts {
            self.cut(other, &strand, place, work)?;
        }
        self.take(strand);
        Ok(())
    }

    /// A course with its source at the upper end; `own` is the distance of its edge, in samples.
    fn turned_downhill(&self, field: &Heightfield, course: Course, own: f32, work: &Work) -> Result<Course> {
        let cell = course.grid.cell;
        course.turned_downhill(work, |column, row, point| {
            // From where it meets another river, it has that river's water.
            let near = self.strands.iter().find_map(|other| {
                let (beside, away) = other.nearest(point);
                let bank = other.course.channel.bank / cell;
                (away <= own + other.edge() + bank).then(|| other.level[beside])
            });
            near.map_or(f32::INFINITY, |level| level).min(field.at(column, row))
        })
    }

    /// The stretch of a course that it doesn't share with other rivers, as far as it was walked along.
    fn own_stretch(&self, mut course: Course, walk: Walk, work: &Work) -> Result<OwnStretch> {
        let Walk { head, out, source, meeting, cuts } = walk;
        let mut mouth = None;
        if let Some(Meeting { strand, leaves, beside }) = meeting {
            let point = course.bent_into(leaves, &self.strands[strand].course, beside);
            mouth = Some(Link { strand, point });
        }
        course.behead(head);
        if source.is_some() || mouth.is_some() {
            course = course.traced(work)?;
        }
        let mut stretch = OwnStretch { course, out: out - head, source, mouth, cuts };
        self.begin_after_source(&mut stretch, work)?;
        self.end_in_mouth(&mut stretch, work)?;
        let source = stretch.source;
        stretch.course.source = source.and_then(|link| self.strands[link.strand].sample(link.point));
        Ok(stretch)
    }

    /// The river whose bed a sample is in, unless that is one of those that are cut through.
    fn taken_by(&self, index: usize, cuts: &[usize]) -> Option<Link> {
        self.taken.get(&index).filter(|link| !cuts.contains(&link.strand)).copied()
    }

    /// Where the river leaves another, its own bed begins after the last sample of the other's bed.
    fn begin_after_source(&self, stretch: &mut OwnStretch, work: &Work) -> Result<()> {
        let is_taken = |passed: &Passed, cuts: &[usize]| self.taken_by(passed.index, cuts).is_some();
        let passed = &stretch.course.passed;
        let shared =
            passed.iter().rposition(|passed| passed.point < stretch.out && is_taken(passed, &stretch.cuts));
        let Some(last) = shared else { return Ok(()) };
        let Passed { index, point, .. } = passed[last];
        stretch.source = self.taken.get(&index).copied().or(stretch.source);
        stretch.course.behead(point);
        stretch.out -= point.min(stretch.out);
        stretch.retrace(work)?;
        for passed in &mut stretch.course.passed {
            passed.bed &= passed.point >= stretch.out || !is_taken(passed, &stretch.cuts);
        }
        Ok(())
    }

    /// Where the river meets another, it ends at the first sample of the other's bed.
    fn end_in_mouth(&self, stretch: &mut OwnStretch, work: &Work) -> Result<()> {
        let is_taken = |passed: &Passed, cuts: &[usize]| self.taken_by(passed.index, cuts).is_some();
        let mut passed = stretch.course.passed.iter();
        let end = passed.find(|passed| passed.point >= stretch.out && is_taken(passed, &stretch.cuts));
        let Some(&Passed { index, point, .. }) = end else { return Ok(()) };
        stretch.mouth = self.taken_by(index, &stretch.cuts);
        stretch.course.points.truncate(point + 1);
        stretch.course.along.truncate(point + 1);
        stretch.retrace(work)?;
        let passed = &mut stretch.course.passed;
        while passed.pop_if(|passed| passed.index != index).is_some() {}
        for passed in passed {
            passed.bed &=
                passed.point >= stretch.out || !is_taken(passed, &stretch.cuts) || passed.index == index;
        }
        stretch.course.mouth = Some(index);
        Ok(())
    }

    /// Whether a point is within the edges of the river of a link, or at most `more` samples beyond them.
    /// There the water is that river's.
    fn is_beside(&self, link: Link, point: Vec2, more: f32) -> bool {
        let other = &self.strands[link.strand];
        other.nearest(point).1 <= other.edge() + more
    }

    /// Sets where a strand enters the river that it ends in; `own` is the distance of its edge, in samples.
    fn enter(&self, strand: &mut Strand, mouth: Link, own: f32) {
        let points = &strand.course.points;
        // Slightly before the edges touch: there is hardly a bank between them.
        let first_beside = |more: f32| {
            let outside = |point: &Vec2| !self.is_beside(mouth, *point, more);
            points.iter().rposition(outside).map_or(0, |outside| outside + 1).min(points.len() - 1)
        };
        let (meets, enters) = (first_beside(0.0), first_beside(1.5 * own + 2.0));
        // Upstream of the whole confluence, because the other river flows down to it.
        let beside = self.strands[mouth.strand].nearest(points[enters]).0;
        let breadth = (2.0 * (1.5 * own + 2.0)) as usize;
        strand.rules = beside.min(mouth.point).saturating_sub(breadth);
        (strand.course.meets, strand.enters) = (meets, enters);
    }

    /// Sets where a strand leaves the river that it begins in.
    fn leave(&self, strand: &mut Strand, source: Link) {
        let outside = |point: &Vec2| !self.is_beside(source, *point, 0.0);
        let last = strand.course.points.len() - 1;
        let parts = strand.course.points.iter().position(outside).unwrap_or(last).min(last);
        strand.course.parts = parts;
        for passed in &mut strand.course.passed {
            passed.bed &= passed.point >= parts;
        }
    }

    /// Ends a river of an earlier step where the new one, whose index in `strands` will be `place`, is lower.
    fn cut(&mut self, other: usize, by: &Strand, place: usize, work: &Work) -> Result<()> {
        let points: HashMap<usize, usize> =
            // Reversed, so that of several points at one sample the first one stays.
            by.course.passed.iter().rev().map(|passed| (passed.index, passed.point)).collect();
        let old = &mut self.strands[other];
        let Some(end) = old.course.passed.iter().position(|passed| points.contains_key(&passed.index)) else {
            return Ok(());
        };
        let Passed { index, point, .. } = old.course.passed[end];
        for passed in &old.course.passed[end..] {
            if self.taken.get(&passed.index).is_some_and(|link| link.strand == other) {
                self.taken.remove(&passed.index);
            }
        }
        let mut course = old.course.clone().ended_at(end, work)?;
        course.mouth = Some(index);
        old.mouth = Some(Link { strand: place, point: points[&index] });
        old.level.truncate(point + 1);
        old.course = course;
        Ok(())
    }

    /// Follows a course from its source; `None` when all of it lies within other rivers.
    fn walk(&self, field: &Heightfield, course: &Course, work: &Work) -> Result<Option<Walk>> {
        let points = &course.points;
        let on_land = |index: &usize| course.sample_at(points[*index]).is_some();
        let Some(first) = (0..points.len()).find(on_land) else {
            return Ok(None);
        };
        let own = edge(course);
        let reach = |other: &Strand| (own + other.edge()).max(1.0);
        let inner = |other: &Strand| (other.course.channel.width / 2.0 / course.grid.cell).max(1.0);
        let mut walk = Walk { head: 0, out: 0, source: None, meeting: None, cuts: Vec::new() };
        let mut regards: Vec<Regard> = Vec::new();
        for (number, other) in self.strands.iter().enumerate() {
            let from = points[first];
            let (point, away) = other.nearest(from);
            regards.push(if away <= reach(other) {
                walk.source = walk.source.or(Some(Link { strand: number, point }));
                Regard::Leaves
            } else {
                Regard::Away(from, away - reach(other))
            });
        }
        if walk.source.is_some() {
            (walk.head, walk.out) = (first, usize::MAX);
        }
        // The lowest water so far.
        let mut lowest = f32::INFINITY;
        let over_bed = course.channel.water() - course.channel.depth;
        'points: for index in (first..points.len()).filter(on_land) {
            if index % 256 == 0 {
                work.check()?;
            }
            let here = points[index];
            lowest = lowest.min(field.sample(here * course.grid.cell) + over_bed);
            for (number, other) in self.strands.iter().enumerate() {
                match regards[number] {
                    Regard::Cuts => continue,
                    // It can't have come near yet: no distance shrinks by more than the length of the way.
                    Regard::Away(from, free) if from.distance(here) < free => continue,
                    _ => {}
                }
                let (point, away) = other.nearest(here);
                if matches!(regards[number], Regard::Leaves) {
                    let is_source = walk.source.is_some_and(|link| link.strand == number);
                    if away > reach(other) {
                        regards[number] = Regard::Away(here, away - reach(other));
                        walk.out = if is_source { index } else { walk.out };
                    } else if is_source && away <= 0.5 * inner(other) {
                        walk.head = index;
                        walk.source = Some(Link { strand: number, point });
                    }
                } else if away > reach(other) {
                    regards[number] = Regard::Away(here, away - reach(other));
                } else if other.is_fixed && lowest < other.level[point] - LOWER {
                    regards[number] = Regard::Cuts;
                    walk.cuts.push(number);
                } else {
                    let leaves = approach(course, index, other, inner(other));
                    let beside = other.nearest(points[leaves]).0;
                    walk.meeting = Some(Meeting { strand: number, leaves, beside });
                    break 'points;
                }
            }
        }
        let last = points.len() - 1;
        if walk.meeting.is_none() && on_land(&last) {
            // It would end in the other's valley.
            let ends = self.strands.iter().enumerate().find_map(|(number, other)| {
                let (beside, away) = other.nearest(points[last]);
                let bank = other.course.channel.bank / course.grid.cell;
                (matches!(regards[number], Regard::Away(..)) && away <= reach(other) + bank)
                    .then_some(Meeting { strand: number, leaves: last, beside })
            });
            walk.meeting = ends;
        }
        if walk.out == usize::MAX {
            // It never leaves the river in which it began.
            let Some(meeting) = &walk.meeting else {
                return Ok(None);
            };
            walk.out = meeting.leaves;
        }
        Ok(Some(walk))
    }

    /// Adapts the cross-sections of rivers that meet: edges are level where they join, no river is wider
    /// than the one that it joins, and that one is at least as deep.
    fn section_all(&mut self, first: usize) {
        let links = |strand: &Strand| [strand.source, strand.mouth];
        let mut touched = vec![false; self.strands.len()];
        for (number, strand) in self.strands.iter().enumerate() {
            for link in links(strand).into_iter().flatten() {
                (touched[number], touched[link.strand]) = (true, true);
            }
        }
        for (strand, touched) in self.strands.iter_mut().zip(touched).skip(first) {
            let course = &mut strand.course;
            if touched || course.is_stream() {
                course.sections = (0..course.points.len()).map(|point| course.own_section(point)).collect();
            }
        }
        for number in first..self.strands.len() {
            let (source, mouth) = (self.strands[number].source, self.strands[number].mouth);
            if let Some(link) = source {
                self.taper(number, link, false);
            }
            if let Some(link) = mouth {
                self.taper(number, link, true);
            }
        }
        // The smaller rivers first: a deepened river may have to deepen the one that it joins.
        for number in (first..self.strands.len()).rev() {
            let strand = &self.strands[number];
            if let (Some(link), Some(end)) = (strand.mouth, strand.course.sections.last())
                && !self.strands[link.strand].is_fixed
            {
                let (water, over) = (end.water, 2.0 * strand.course.channel.width);
                self.strands[link.strand].course.deepen(link.point, water, over);
            }
        }
    }

    /// Fits the cross-section at a river's end, or at its source, into that of another.
    fn taper(&mut self, number: usize, link: Link, is_end: bool) {
        let other = &self.strands[link.strand];
        let into = other.course.own_section(link.point);
        let is_fixed = other.is_fixed;
        let course = &mut self.strands[number].course;
        let end = if is_end { course.points.len() - 1 } else { 0 };
        let own = course.own_section(end);
        let water = if !is_end || is_fixed { own.water.min(into.water) } else { own.water };
        let fit = Section { half: own.half.min(into.half), rim: into.rim, water };
        let over = (own.half + into.half).max(4.0 * course.grid.cell);
        let ends_at = course.along[end];
        for (section, along) in course.sections.iter_mut().zip(&course.along) {
            let away = (along - ends_at).abs() / over;
            if away < 1.0 {
                *section = fit.lerp(*section, smoothstep(away));
            }
        }
    }

    /// Computes the water level of each river on the present land, never higher than upstream.
    fn level_all(&mut self, field: &Heightfield, first: usize, work: &Work) -> Result<()> {
        if self.strands.len() - first < 2 {
            return Ok(());
        }
        // Levels only fall, and only to finitely many values, so this ends.
        let mut has_changed = true;
        let mut fresh = vec![true; self.strands.len()];
        while std::mem::take(&mut has_changed) {
            // From the smallest to the largest, as levels are handed down to the rivers that are joined.
            for number in (first..self.strands.len()).rev() {
                work.check()?;
                let strand = &mut self.strands[number];
                if !std::mem::take(&mut fresh[number]) || strand.course.points.is_empty() {
                    continue;
                }
                strand.find_level(field);
                let end = strand.level.last().copied().unwrap_or(f32::INFINITY);
                let mouth = strand.mouth.map(|link| (link.strand, strand.rules, end));
                let leaving = (first..self.strands.len()).filter_map(|branch| {
                    let link = self.strands[branch].source?;
                    (link.strand == number).then(|| (branch, 0, self.strands[number].level[link.point]))
                });
                let caps: Vec<_> = leaving.chain(mouth).collect();
                for (other, point, level) in caps {
                    let other_strand = &mut self.strands[other];
                    let known = other_strand.caps.iter_mut().find(|cap| cap.0 == point);
                    let lower = match known {
                        _ if other_strand.is_fixed => continue,
                        Some(known) if known.1 <= level => continue,
                        Some(known) => known,
                        None => {
                            other_strand.caps.push((point, level));
                            (fresh[other], has_changed) = (true, true);
                            continue;
                        }
                    };
                    lower.1 = level;
                    (fresh[other], has_changed) = (true, true);
                }
            }
        }
        Ok(())
    }

    /// Digs one river after the larger ones.
    fn dig(
        &mut self,
        field: &mut Heightfield,
        before: Option<&[f32]>,
        number: usize,
        work: &Work,
    ) -> Result<()> {
        let strand = &self.strands[number];
        if strand.course.passed.is_empty() {
            return Ok(());
        }
        let course = &strand.course;
        let water = course.channel.water();
        let mut caps = strand.bed_caps();
        let level_beside = |other: Link, point: &Vec2| {
            let other = &self.strands[other.strand];
            other.level[other.nearest(*point).0]
        };
        // In the valley of the river that it leaves, its water is not lower than that river's: within the
        // edges they are the same.
        let mut floors = Vec::new();
        if let Some(link) = strand.source {
            let other = &self.strands[link.strand];
            let valley = other.edge() + other.course.channel.bank / course.grid.cell;
            let within =
                course.points.iter().enumerate().take_while(|(number, point)| {
                    *number <= course.parts || other.nearest(**point).1 <= valley
                });
            floors = within.map(|(_, point)| level_beside(link, point) - water).collect();
            caps.extend(floors[..=course.parts].iter().copied().enumerate());
        }
        let mut bed = course.descending_bed(field, &caps, &floors);
        if let Some(link) = strand.mouth {
            // From there on the water is the other's.
            let end = self.strands[link.strand].level[link.point];
            let (own, joined) = bed.split_at_mut(strand.enters);
            let mut lowest = f32::INFINITY;
            for (bed, point) in joined.iter_mut().zip(&course.points[strand.enters..]) {
                lowest = lowest.min(level_beside(link, point)).max(end);
                *bed = lowest - water;
            }
            joined.last_mut().into_iter().for_each(|bed| *bed = end - water);
            let joined = joined[0];
            own.iter_mut().for_each(|bed| *bed = bed.max(joined));
        }
        // Where the water is another's, its waterfalls have been eased already.
        let own_from = strand.source.map(|_| course.parts);
        let own_to = strand.mouth.map(|_| strand.enters);
        let mut bed = course.eased(&bed, own_from, own_to);
        let level = bed.iter().map(|bed| bed + water).collect();
        for (bed, section) in bed.iter_mut().zip(&course.sections) {
            *bed -= section.water - water;
        }
        if !course.sections.is_empty() {
            // From the mouth upwards: no bed may lie below its continuation.
            for point in (1..bed.len()).rev() {
                bed[point - 1] = bed[point - 1].max(bed[point]);
            }
        }
        course.dig(field, before, &bed, work)?;
        self.strands[number].level = level;
        Ok(())
    }

    /// Lowers every bed to the lowest height upstream, across all rivers.
    fn drain(&self, field: &mut Heightfield, first: usize) {
        let is_cut = |strand: &&Strand| strand.mouth.is_some_and(|link| link.strand >= first);
        for strand in self.strands[..first].iter().filter(is_cut) {
            strand.course.drain(field);
        }
        // The smaller ones first, since they end in the larger ones.
        for strand in self.strands[first..].iter().rev() {
            let mut lowest = strand.course.drain(field);
            // For rivers of earlier steps, only what is too high is dug again.
            let (mut here, mut sample) = (strand, strand.course.mouth);
            while let Some(link) = sample.and_then(|sample| self.taken.get(&sample)) {
                let next = &self.strands[link.strand];
                if !next.is_fixed || std::ptr::eq(here, next) {
                    break;
                }
                lowest = next.course.drain_from(field, sample, lowest);
                (here, sample) = (next, next.course.mouth);
            }
        }
    }
}
