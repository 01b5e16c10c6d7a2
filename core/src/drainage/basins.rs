//! Basins, and the order of streams.

use super::areas::counted_donors;
use super::ways::Ways;
use crate::compute::work::Work;
use crate::error::Result;

/// Numbers the basins by their size, and returns the number of every sample.
pub(super) fn numbered(
    ways: &Ways,
    areas: &[u32],
    is_sea: impl Fn(usize) -> bool,
    work: &Work,
) -> Result<Vec<u32>> {
    let width = ways.grid.width;
    // The outlets of all basins. Sea bed into which nothing runs isn't one.
    let mut outlets: Vec<u32> = Vec::new();
    for row in 0..ways.grid.depth {
        work.check()?;
        outlets.extend((row * width..(row + 1) * width).filter_map(|here| {
            let is_outlet = ways.receiver(here).is_none() && !(is_sea(here) && areas[here] == 1);
            is_outlet.then_some(here as u32)
        }));
    }
    outlets.sort_by_key(|here| std::cmp::Reverse(areas[*here as usize]));
    const UNKNOWN: u32 = u32::MAX;
    let mut basins = vec![UNKNOWN; ways.of.len()];
    for (number, here) in outlets.iter().enumerate() {
        basins[*here as usize] = number as u32 + 1;
    }
    let mut path = Vec::new();
    for row in 0..ways.grid.depth {
        work.check()?;
        for first in row * width..(row + 1) * width {
            let mut here = first;
            while basins[here] == UNKNOWN
                && let Some(there) = ways.receiver(here)
            {
                path.push(here as u32);
                here = there;
            }
            let basin = if basins[here] == UNKNOWN { 0 } else { basins[here] };
            basins[here] = basin;
            path.drain(..).for_each(|here| basins[here as usize] = basin);
        }
    }
    // Neither the sea itself nor the mouths of its rivers belong to a basin.
    for (here, basin) in basins.iter_mut().enumerate() {
        if is_sea(here) {
            *basin = 0;
        }
    }
    Ok(basins)
}

/// The order of the stream at every sample; 0 where fewer than `from` samples drain through.
pub(super) fn orders(ways: &Ways, areas: &[u32], from: u32, work: &Work) -> Result<Vec<u8>> {
    let width = ways.grid.width;
    // Set where two streams of the highest order so far have met.
    const TWO: u8 = 0x80;
    let is_stream = |here: usize| areas[here] >= from;
    let mut orders = vec![0_u8; ways.of.len()];
    // How many streams have not arrived yet at each sample. Areas grow downstream, so a stream always drains
    // to a stream.
    let mut missing = counted_donors(ways, work)?;
    for here in 0..ways.of.len() {
        if here % width == 0 {
            work.check()?;
        }
        if !is_stream(here)
            && let Some(there) = ways.receiver(here)
        {
            missing[there] -= 1;
        }
    }
    let mut sources: Vec<u32> = Vec::new();
    sources.extend(
        (0..ways.of.len()).filter(|here| is_stream(*here) && missing[*here] == 0).map(|here| here as u32),
    );
    for (number, source) in sources.into_iter().enumerate() {
        if number % 1024 == 0 {
            work.check()?;
        }
        let mut here = source as usize;
        orders[here] = 1;
        while let Some(there) = ways.receiver(here) {
            let (order, so_far) = (orders[here], &mut orders[there]);
            match order.cmp(&(*so_far & !TWO)) {
                std::cmp::Ordering::Greater => *so_far = order,
                std::cmp::Ordering::Equal => *so_far |= TWO,
                std::cmp::Ordering::Less => {}
            }
            missing[there] -= 1;
            if missing[there] > 0 {
                break;
            }
            if orders[there] & TWO != 0 {
                orders[there] = (orders[there] & !TWO) + 1;
            }
            here = there;
        }
    }
    Ok(orders)
}
