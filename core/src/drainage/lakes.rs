//! Lakes: hollows that hold water up to the lowest way out or, in a dry climate, up to a lower level.

use std::ops::Range;

use super::flats::{each_flat, turn_to};
use super::rules::DrainageRules;
use super::ways::{ENDS, Ways};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// A lake.
#[derive(Clone, Debug, PartialEq)]
pub struct Lake {
    /// Height of its surface, metres. Where it is dry, the height of its lowest ground.
    pub level: f32,
    /// Height at which it overflows, metres: `level` if it is full.
    pub sill: f32,
    /// The sample over which it overflows, counted row by row.
    pub spill: usize,
    /// Its lowest sample; the first of samples of equal height.
    pub deepest: usize,
    /// How many samples lie under water.
    pub samples: u32,
    /// How many samples drain into it, those of the lake included.
    pub area: u32,
    /// Volume of its water, cubic metres.
    pub volume: f64,
}

impl Lake {
    /// Whether it is full, so that water leaves it.
    pub fn is_full(&self) -> bool {
        self.level == self.sill
    }
}

/// Gives level ground its ways, and finds the lakes: level water with lower ground beneath. They are sorted
/// by their spills.
pub(super) fn find(
    ground: &Heightfield,
    surface: &Heightfield,
    ways: &mut Ways,
    work: &Work,
) -> Result<Vec<Lake>> {
    let heights = ground.heights();
    let cell = f64::from(ground.grid().cell);
    let mut lakes = Vec::new();
    let mut gatherer = Gatherer::new(ground.grid());
    each_flat(surface, ways, work, |_, flat| {
        let (level, spill) = (flat.level, flat.spill);
        // One piece of level ground may connect several lakes.
        for first in flat.samples.iter().map(|here| *here as usize) {
            if heights[first] >= level || gatherer.has(first) {
                continue;
            }
            let samples = gatherer.around(first, |here| heights[here] < level, work)?;
            let (mut deepest, mut depths) = (first, 0.0);
            for here in samples.iter().map(|here| *here as usize) {
                // The order of the samples, and with it the sum, is always the same.
                depths += f64::from(level) - f64::from(heights[here]);
                if (heights[here], here) < (heights[deepest], deepest) {
                    deepest = here;
                }
            }
            let (samples, volume) = (samples.len() as u32, depths * cell * cell);
            lakes.push(Lake { level, sill: level, spill, deepest, samples, area: 0, volume });
        }
        Ok(())
    })?;
    lakes.sort_unstable_by_key(|lake| (lake.spill, lake.deepest));
    Ok(lakes)
}

/// Lowers the lakes that lose more water than they get, and turns the ways around each to its lowest ground.
/// Returns whether there are any.
pub(super) fn limit_by_climate(
    lakes: &mut [Lake],
    (ground, surface): (&Heightfield, &mut Heightfield),
    ways: &mut Ways,
    areas: &[u32],
    rules: &DrainageRules,
    work: &Work,
) -> Result<bool> {
    // Whole numbers of a thousandth of a millimetre, so that the balance has no rounding: at most 10⁹ a
    // sample. Every sample counts at most once in what a group of lakes gets, in what it loses and in what
    // the lakes upstream keep from it, and the largest land has 2³⁰ samples. So each of the three is at most
    // 1.1 · 10¹⁸, and the balance between −2.2 · 10¹⁸ and 1.1 · 10¹⁸; an i64 holds 9.2 · 10¹⁸.
    let whole = |metres: f64| (metres.clamp(0.0, 1e3) * 1e6).round() as i64;
    let (runoff, evaporation) = (whole(rules.runoff), whole(rules.evaporation));
    if evaporation == 0 || lakes.is_empty() {
        return Ok(false);
    }
    // Lakes that overflow at the same sample stand level with each other, and share what they get.
    let groups: Vec<Range<usize>> = lakes
        .chunk_by(|one, other| one.spill == other.spill)
        .scan(0, |first, group| {
            let range = *first..*first + group.len();
            *first = range.end;
            Some(range)
        })
        .collect();
    let next = next_groups(lakes, &groups, surface, ways, work)?;
    // The water that lakes upstream keep from each group: what they lose, and all that runs into closed ones.
    let mut lost = vec![0_i64; groups.len()];
    let mut order: Vec<usize> = (0..groups.len()).collect();
    // Water runs from higher lakes to lower ones.
    let sill = |group: usize| lakes[groups[group].start].sill;
    order.sort_by(|&one, &other| sill(other).total_cmp(&sill(one)));
    let (mut level_ground, mut waters) = (Gatherer::new(ground.grid()), Gatherer::new(ground.grid()));
    let mut any = false;
    for group in order {
        work.check()?;
        let lakes = &mut lakes[groups[group].clone()];
        let all = i64::from(areas[lakes[0].spill]) * runoff;
        let gets = all - lost[group];
        let loses = lakes.iter().map(|lake| i64::from(lake.samples)).sum::<i64>() * evaporation;
        if let Some(next) = next[group] {
            lost[next] += all - (gets - loses).max(0);
        }
        if gets < loses {
            any = true;
            let covered = (gets.max(0) / evaporation) as usize;
            lower(lakes, covered, (ground, surface), ways, (&mut level_ground, &mut waters), work)?;
        }
    }
    Ok(any)
}

/// For each group of lakes, the next group that its water reaches.
fn next_groups(
    lakes: &[Lake],
    groups: &[Range<usize>],
    surface: &Heightfield,
    ways: &Ways,
    work: &Work,
) -> Result<Vec<Option<usize>>> {
    const NONE: u32 = u32::MAX;
    let levels = surface.heights();
    // Which group each sample belongs to.
    let mut members = vec![NONE; levels.len()];
    let mut gatherer = Gatherer::new(surface.grid());
    for (number, group) in groups.iter().enumerate() {
        work.check()?;
        let Lake { sill, spill, .. } = lakes[group.start];
        for here in gatherer.around(spill, |here| levels[here] == sill, work)? {
            members[*here as usize] = number as u32;
        }
    }
    let mut next = Vec::with_capacity(groups.len());
    for (number, group) in groups.iter().enumerate() {
        work.check()?;
        let mut here = lakes[group.start].spill;
        let found = loop {
            let Some(there) = ways.receiver(here) else { break None };
            here = there;
            let member = members[here];
            if member != NONE && member as usize != number {
                break Some(member as usize);
            }
        };
        next.push(found);
    }
    Ok(next)
}

/// Finds connected samples, one group after another, each sample once.
pub(super) struct Gatherer {
    grid: Grid,
    /// One bit a sample.
    seen: Vec<u64>,
    samples: Vec<u32>,
}

impl Gatherer {
    pub(super) fn new(grid: Grid) -> Self {
        Self { grid, seen: vec![0; grid.count().div_ceil(64)], samples: Vec::new() }
    }

    /// Whether a sample belongs to a group that has been found.
    fn has(&self, here: usize) -> bool {
        self.seen[here / 64] >> (here % 64) & 1 == 1
    }

    /// The samples that are connected to `first` by samples that `belongs` accepts, beginning with `first`.
    /// Those of earlier groups are left out.
    pub(super) fn around(
        &mut self,
        first: usize,
        belongs: impl Fn(usize) -> bool,
        work: &Work,
    ) -> Result<&[u32]> {
        let Self { grid, seen, samples } = self;
        samples.clear();
        let mut add = |samples: &mut Vec<u32>, here: usize| {
            let (word, bit) = (&mut seen[here / 64], 1 << (here % 64));
            if *word & bit == 0 && belongs(here) {
                *word |= bit;
                samples.push(here as u32);
            }
        };
        add(samples, first);
        let mut next = 0;
        while let Some(&here) = samples.get(next) {
            if next % 65_536 == 65_535 {
                work.check()?;
            }
            next += 1;
            Ways::each_neighbour(*grid, here as usize, |_, there| add(samples, there));
        }
        Ok(samples)
    }
}

/// Lowers lakes that stand level with each other until they cover no more than `covered` samples, and turns
/// the ways of their beds towards the lowest ground.
fn lower(
    lakes: &mut [Lake],
    covered: usize,
    (ground, surface): (&Heightfield, &mut Heightfield),
    ways: &mut Ways,
    (level_ground, waters): (&mut Gatherer, &mut Gatherer),
    work: &Work,
) -> Result<()> {
    let (heights, levels) = (ground.heights(), surface.heights());
    let Lake { sill, spill, .. } = lakes[0];
    let mut bed = level_ground.around(spill, |here| levels[here] == sill, work)?.to_vec();
    let lowest_first =
        |one: usize, other: usize| heights[one].total_cmp(&heights[other]).then(one.cmp(&other));
    let deepest = lakes.iter().map(|lake| lake.deepest).min_by(|one, other| lowest_first(*one, *other));
    let deepest = deepest.unwrap_or(spill);
    ways.of[deepest] = ENDS;
    turn_to(deepest, &bed, (heights, levels), ways, work)?;
    bed.retain(|here| heights[*here as usize] < sill);
    bed.sort_unstable_by(|one, other| lowest_first(*one as usize, *other as usize));
    // The lowest samples are covered, up to the height of the first that isn't.
    let level = heights[bed[covered] as usize];
    bed.iter()
        .map(|here| *here as usize)
        .for_each(|here| surface.heights_mut()[here] = heights[here].max(level));
    let cell = f64::from(ground.grid().cell);
    for lake in lakes {
        let wet = waters.around(lake.deepest, |here| heights[here] < sill, work)?;
        let wet = wet.iter().map(|here| heights[*here as usize]).filter(|height| *height < level);
        (lake.samples, lake.volume) = (0, 0.0);
        for height in wet {
            lake.samples += 1;
            lake.volume += (f64::from(level) - f64::from(height)) * cell * cell;
        }
        lake.level = level.max(heights[lake.deepest]);
    }
    Ok(())
}
