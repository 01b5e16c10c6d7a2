//! What waves do to each place of a shore: how far they come over open water (fetch), from where, and
//! whether they push sand along.
//!
//! The idea that fetch and the waves' angle to the shore decide how fast rock coasts retreat is that of
//! Palermo et al., "NEWTS1.0" (2024). Rays run through the field of distances to the shore in steps as long
//! as these allow (sphere tracing, Hart 1996), so 32 of them cost a few hundred looks, however long they are.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Bearings from which waves come.
pub(super) const BEARINGS: usize = 32;

/// Waves grow over open water up to this distance, metres.
pub(super) const LONGEST: f32 = 20_000.0;

/// How many nodes a thread looks from before it asks whether to go on.
const BLOCK: usize = 16;

/// Where waves come from: a share for each bearing, clockwise from north; their mean is 1.
#[derive(Clone, Debug)]
pub(super) struct Winds {
    shares: [f32; BEARINGS],
    ways: [[f32; 2]; BEARINGS],
}

impl Winds {
    /// Most waves come from `bearing`, degrees clockwise from north. With `from_all_sides` 1 all bearings are
    /// alike; with 0 only those within 90° of it count, by the square of the cosine.
    pub fn new(bearing: f32, from_all_sides: f32) -> Self {
        let angle = |number: usize| number as f64 * std::f64::consts::TAU / BEARINGS as f64;
        let main = f64::from(bearing).to_radians();
        let mut shares = std::array::from_fn(|number| {
            let along = libm::cos(angle(number) - main).max(0.0);
            let all = f64::from(from_all_sides.clamp(0.0, 1.0));
            // Four squares of cosines over half a circle sum to as much as one over all of it.
            (all + (1.0 - all) * 4.0 * along * along) as f32
        });
        let mean = shares.iter().sum::<f32>() / BEARINGS as f32;
        shares.iter_mut().for_each(|share| *share /= mean);
        let ways =
            std::array::from_fn(|number| [libm::sin(angle(number)) as f32, -libm::cos(angle(number)) as f32]);
        Self { shares, ways }
    }
}

/// What waves do at a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waves {
    /// Exposure: 1 on a straight shore of an open sea with waves from all sides, 0 without any.
    pub exposure: f64,
    /// How strongly they push sand to the next node, in the same unit; negative to the one before.
    pub drift: f64,
    /// How much that falls as the shore turns towards the next node, in each radian.
    pub turning: f64,
}

/// The waves at some places of a shore; `signed` is the distance to it in metres, negative at sea. Each place
/// has the directions along the shore and out to sea.
pub(super) fn at(
    signed: &Heightfield,
    places: &[[f32; 2]],
    directions: &[[[f32; 2]; 2]],
    winds: &Winds,
    work: &Work,
) -> Result<Vec<Waves>> {
    let mut waves = vec![Waves::default(); places.len()];
    waves.par_chunks_mut(BLOCK).enumerate().try_for_each(|(block, waves)| {
        work.check()?;
        for (waves, at) in waves.iter_mut().zip(block * BLOCK..) {
            *waves = at_node(signed, places[at], directions[at], winds);
        }
        Ok::<_, crate::Error>(())
    })?;
    Ok(waves)
}

fn at_node(signed: &Heightfield, node: [f32; 2], [along, out]: [[f32; 2]; 2], winds: &Winds) -> Waves {
    // On a straight shore of an open sea the cosines sum to this.
    let whole = BEARINGS as f32 / std::f32::consts::PI;
    let (mut exposure, mut drift, mut turning) = (0.0, 0.0, 0.0);
    for (way, share) in winds.ways.iter().zip(winds.shares) {
        let towards = way[0] * out[0] + way[1] * out[1];
        if towards <= 0.02 || share == 0.0 {
            continue;
        }
        let side = way[0] * along[0] + way[1] * along[1];
        let energy = share * fetch(signed, node, out, *way) / (LONGEST * whole);
        exposure += energy * towards;
        drift -= energy * towards * side;
        turning += energy * towards * towards;
    }
    Waves { exposure: f64::from(exposure), drift: f64::from(drift), turning: f64::from(turning) }
}

/// How far open water reaches from a node, metres, at most [`LONGEST`]. Beyond the land's border is open sea.
fn fetch(signed: &Heightfield, node: [f32; 2], out: [f32; 2], way: [f32; 2]) -> f32 {
    let grid = signed.grid();
    let (cell, field) = (grid.cell, signed.heights());
    // Off the shore, so that its own roughness doesn't hide the sea.
    let start = [node[0] + 1.2 * out[0], node[1] + 1.2 * out[1]];
    let mut gone = 0.0;
    while gone * cell < LONGEST {
        let (x, z) = (start[0] + gone * way[0], start[1] + gone * way[1]);
        if x < -0.5 || z < -0.5 || x >= grid.width as f32 - 0.5 || z >= grid.depth as f32 - 0.5 {
            return LONGEST;
        }
        let distance = field[(z + 0.5) as usize * grid.width + (x + 0.5) as usize];
        if distance > 0.0 {
            return gone * cell;
        }
        // The nearest sample is up to 0.71 samples away.
        gone += (-distance / cell - 0.75).max(0.7);
    }
    LONGEST
}
