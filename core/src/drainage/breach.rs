//! Breaching: a way out is cut for the water of each hollow.
//!
//! After Lindsay, "Efficient hybrid breaching-filling sink removal methods for flow path enforcement in
//! digital elevation models" (2016). The cut follows the way from the lowest sill back into the hollow along
//! which the highest ground is lowest, so that it is nowhere deeper than it must be.

use super::flats::{each_flat, turn_to};
use super::flood;
use super::ways::{Outlets, Ways};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Breaches the hollows of `ground` whose lakes would be smaller than `below` square metres.
pub(super) fn breach(ground: &mut Heightfield, outlets: &Outlets<'_>, below: f64, work: &Work) -> Result<()> {
    let is_outlet = |sample, height| outlets.is_outlet(sample, height);
    let surface = flood::filled(ground, is_outlet, flood::TILE, work)?;
    let mut ways = Ways::down(&surface, outlets, work)?;
    let cell = f64::from(ground.grid().cell);
    let heights = ground.heights_mut();
    let mut is_lake = vec![false; heights.len()];
    // Where the water of breached hollows leaves their level.
    let mut exits = Vec::new();
    each_flat(&surface, &mut ways, work, |ways, flat| {
        let under_water = flat.samples.iter().filter(|here| heights[**here as usize] < flat.level);
        let count = under_water.clone().count();
        if count as f64 * cell * cell >= below {
            under_water.for_each(|here| is_lake[*here as usize] = true);
        } else if count > 0 {
            let reached = turn_to(flat.spill, flat.samples, (heights, surface.heights()), ways, work)?;
            // From the upper ends of the ways downstream, so that no ground further down is higher.
            for here in reached.into_iter().rev().map(|here| here as usize) {
                match ways.receiver(here) {
                    Some(there) if surface.heights()[there] == flat.level => {
                        heights[there] = heights[there].min(heights[here]);
                    }
                    _ => exits.push(here),
                }
            }
        }
        Ok(())
    })?;
    for exit in exits {
        work.check()?;
        let (mut here, cut) = (exit, heights[exit]);
        // Lower ground drains already: other hollows on the way have been cut down to their own lowest
        // sample.
        while let Some(there) = ways.receiver(here)
            && heights[there] > cut
            && !is_lake[there]
        {
            heights[there] = cut;
            here = there;
        }
    }
    Ok(())
}
