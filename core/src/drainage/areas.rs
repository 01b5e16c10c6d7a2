//! Drainage areas: how many samples drain through each sample, itself included.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rayon::prelude::*;

use super::ways::Ways;
use crate::compute::work::Work;
use crate::error::{Error, Result};

/// Rows whose springs one thread takes at a time.
const ROWS: usize = 32;

/// Adds up the areas from the springs downwards, on all threads: the sum of whole numbers is the same in any
/// order.
pub(super) fn accumulated(ways: &Ways, work: &Work) -> Result<Vec<u32>> {
    let width = ways.grid.width;
    let areas: Vec<AtomicU32> = (0..ways.of.len()).into_par_iter().map(|_| AtomicU32::new(1)).collect();
    // Samples whose donors have all arrived also count 0, so springs need a number of their own.
    let missing: Vec<AtomicU8> = counted_donors(ways, work)?
        .into_par_iter()
        .map(|donors| AtomicU8::new(if donors == 0 { SPRING } else { donors }))
        .collect();
    (0..ways.grid.depth.div_ceil(ROWS)).into_par_iter().try_for_each(|block| {
        work.check()?;
        let last = ((block + 1) * ROWS * width).min(ways.of.len());
        for spring in block * ROWS * width..last {
            if missing[spring].load(Ordering::Relaxed) != SPRING {
                continue;
            }
            let (mut here, mut area) = (spring, 1);
            while let Some(there) = ways.receiver(here) {
                areas[there].fetch_add(area, Ordering::Relaxed);
                // The last donor goes on, and must see what all others have added.
                if missing[there].fetch_sub(1, Ordering::AcqRel) != 1 {
                    break;
                }
                (here, area) = (there, areas[there].load(Ordering::Relaxed));
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(areas.into_iter().map(AtomicU32::into_inner).collect())
}

/// In place of a number of donors: nothing drains here.
const SPRING: u8 = u8::MAX;

/// How many neighbours drain to each sample.
pub(super) fn counted_donors(ways: &Ways, work: &Work) -> Result<Vec<u8>> {
    let mut donors = vec![0; ways.of.len()];
    donors.par_chunks_mut(ways.grid.width).enumerate().try_for_each(|(row, donors)| {
        work.check()?;
        ways.count_donors(row, donors);
        Ok::<_, Error>(())
    })?;
    Ok(donors)
}
