//! The fast viewshed: reference planes that are carried outwards.
//!
//! Every sample keeps the lowest height at which it is seen. That of the next ring follows from the plane
//! through the eye and the two nearest samples of the ring within: Wang, Robinson and White, "Generating
//! viewsheds without using sightlines" (Photogrammetric Engineering and Remote Sensing, 2000), which GDAL's
//! viewshed uses too. Written as slopes from the eye, the plane is a linear interpolation between the two.
//!
//! A sample knows only two of the ring within, not all on its line of sight, so that the edges of what is
//! hidden blur with the distance.

use std::ops::Range;

use super::counts::SightCounts;
use super::line_of_sight::{Eye, Ground};
use super::octant::Octant;
use crate::compute::wide::{LoopOver, over_in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::math::simd::larger;

/// Rings that are read and marked together: where they run along columns, this is the number of samples of a
/// row.
const BLOCK: usize = 32;

/// Marks the samples of an octant that the eye sees, and returns their number. `target` is the height of the
/// targets above the ground.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn look(
    ground: &Ground,
    eye: &Eye,
    target: f64,
    octant: &Octant,
    seen: &SightCounts,
    work: &Work,
) -> Result<usize> {
    let most = octant.reach.min(octant.breadth) + 1;
    let mut block = Block { most, rises: vec![0.0; BLOCK * most], marks: vec![0; BLOCK * most] };
    let mut horizon = vec![0.0; most + 1];
    let mut raised = horizon.clone();
    let mut count = 0;
    let mut first = 1;
    while first <= octant.reach {
        work.check()?;
        let rings = first..(first + BLOCK).min(octant.reach + 1);
        block.read(ground, eye, octant, rings.clone());
        for (ring, (rises, marks)) in
            rings.clone().zip(block.rises.chunks(most).zip(block.marks.chunks_mut(most)))
        {
            let steps = ring.min(octant.breadth) + 1;
            let planes = Planes {
                ring,
                horizon: &horizon[..steps + 1],
                rises: &rises[..steps],
                target: target as f32,
                drop: ground.drop as f32,
            };
            over_in_wide_registers(&planes, &mut &mut raised[1..][..steps], &mut &mut marks[..steps]);
            // The next ring may ask for one step more, with no weight.
            if steps < most {
                raised[steps + 1] = raised[steps];
            }
            std::mem::swap(&mut horizon, &mut raised);
        }
        count += block.mark(octant, rings.clone(), seen);
        work.advance(rings.len());
        first = rings.end;
    }
    Ok(count)
}

/// Some neighbouring rings, `most` values each.
struct Block {
    most: usize,
    /// Rises from the eye in metres.
    rises: Vec<f32>,
    /// 1 for what is seen.
    marks: Vec<u8>,
}

impl Block {
    fn read(&mut self, ground: &Ground, eye: &Eye, octant: &Octant, rings: Range<usize>) {
        let heights = ground.field.heights();
        let elevation = eye.elevation as f32;
        let most = self.most;
        let rises = &mut self.rises;
        octant.visit(
            rings.clone(),
            |_| 0..most,
            |ring, step, index| {
                rises[(ring - rings.start) * most + step] = heights[index] - elevation;
            },
        );
    }

    fn mark(&self, octant: &Octant, rings: Range<usize>, seen: &SightCounts) -> usize {
        let mut count = 0;
        octant.visit(
            rings.clone(),
            |ring| octant.steps(ring),
            |ring, step, index| {
                if self.marks[(ring - rings.start) * self.most + step] == 1 {
                    seen.add(index);
                    count += 1;
                }
            },
        );
        count
    }
}

/// The step from a ring's horizon to the next ring's.
struct Planes<'a> {
    /// The next ring.
    ring: usize,
    /// The horizon of the ring within, in slopes: metres per cell along the axis. Step 0 is at index 1.
    horizon: &'a [f32],
    /// Rises of the next ring's samples.
    rises: &'a [f32],
    target: f32,
    /// Metres that ground at a distance of one cell lies lower on a round planet.
    drop: f32,
}

impl LoopOver<&mut [f32], &mut [u8]> for Planes<'_> {
    #[inline(always)]
    fn run(&self, raised: &mut &mut [f32], marks: &mut &mut [u8]) {
        let count = self.rises.len();
        let (before, here) = (&self.horizon[..count], &self.horizon[1..][..count]);
        let (raised, marks) = (&mut raised[..count], &mut marks[..count]);
        let ring = self.ring as f32;
        let per_ring = 1.0 / ring;
        for step in 0..count {
            // Through i32, for which all machines have a wide conversion.
            let aside = step as i32 as f32;
            let share = aside * per_ring;
            let plane = before[step] * share + here[step] * (1.0 - share);
            let rise = self.rises[step] - self.drop * (ring * ring + aside * aside);
            let slope = rise * per_ring;
            // The first ring has nothing before it.
            let is_seen = self.ring == 1 || (rise + self.target) * per_ring >= plane;
            marks[step] = u8::from(is_seen);
            raised[step] = if self.ring == 1 { slope } else { larger(plane, slope) };
        }
    }
}
