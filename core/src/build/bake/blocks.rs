//! The analysis of the land around a window, in blocks, where the land is only made in windows: endless land,
//! and land that is too large.
//!
//! Sky view, shadows, wetness and others depend on distant land. Here they are computed in blocks with a
//! margin around each; where the land ends, blocks and margins end with it. The blocks' positions are fixed,
//! whatever window is asked for, so that a sample has the same bits in every window; and they are kept,
//! because neighbouring windows need the same ones.

use super::measured::Measured;
use crate::analysis::factors::WETNESS;
use crate::analysis::{FactorReach, Land, ShareMap, TerrainAnalysis};
use crate::build::Cache;
use crate::build::cache::Keepable;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{Domain, Region, Window};
use crate::recipe::Recipe;
use crate::steps::Kind;
use crate::texture::{Fade, Prepared};

/// Side of a block, samples.
const BLOCK: i64 = 256;

/// The most blocks that a window may need; for more, ask at a coarser level.
const MOST_BLOCKS: usize = 1024;

/// Samples along the side of the lattice on which the height range of a land is measured, at most, and the
/// units that it covers where the land is endless.
const RANGE_SIDE: u32 = 129;
const RANGE_UNITS: f64 = 8.0;

/// The analysis of a block.
struct Block {
    known: TerrainAnalysis,
    wetness: Option<ShareMap>,
}

impl Keepable for Block {
    fn bytes(&self) -> u64 {
        self.known.bytes() + self.wetness.as_ref().map_or(0, ShareMap::bytes)
    }
}

/// The lowest and the highest height.
struct Range(f32, f32);

impl Keepable for Range {
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64
    }
}

impl Recipe {
    /// The analysis of the land around a region, and the samples of the blocks at which it was measured.
    ///
    /// # Errors
    /// When the region is too large, those of the steps and of [`Fade::prepare`], and [`Error::Cancelled`].
    pub(super) fn measured_in_blocks(
        &self,
        fade: &Fade,
        around: &Region,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<(Region, Measured)> {
        let domain = around.domain();
        // Windows finer than level 0 use the blocks of level 0, because factors are measured on its samples.
        let level = around.level().max(0);
        // The blocks that hold the region's samples and their neighbours, at the blocks' level.
        let shift = (level - around.level()) as u32;
        let along = |axis: usize| {
            let (first, size) = (around.window().first[axis], i64::from(around.window().size[axis]));
            let last = ((first + size - 1) >> shift) + 1;
            // Beyond the border there are no neighbours.
            let last = domain.size_at(level).map_or(last, |land| last.min(land[axis] as i64 - 1));
            (first >> shift).div_euclid(BLOCK)..=last.div_euclid(BLOCK)
        };
        let (columns, rows) = (along(0), along(1));
        let counts = [&columns, &rows].map(|range| (range.end() - range.start() + 1) as usize);
        if counts[0].saturating_mul(counts[1]) > MOST_BLOCKS {
            let reason = format!(
                "touches {}×{} blocks of {BLOCK}×{BLOCK} samples whose surroundings would have to be known; at most \
                 {MOST_BLOCKS} at once, which 7680×7680 samples never exceed",
                counts[0], counts[1]
            );
            return Err(Error::parameter("window", reason));
        }
        let land = self.last_key(&fade.layers())?;
        // From a lattice on the land, not on the window: shares of height must be the same in all windows.
        let range = cache.one_of(land.map(|key| key.of("range")), || self.range_on_lattice(cache, work))?;
        let all = region_of(&domain, level, [*columns.start(), *rows.start()], counts)?;
        let needs = fade.needs();
        if needs.is_empty() && !wetness {
            fade.check()?;
            let known = TerrainAnalysis::of(all.grid(), (range.0, range.1));
            return Ok((all, Measured { prepared: known_over(&all, known, fade, work)?, wetness: None }));
        }
        let numbers: Vec<_> = rows.clone().flat_map(|z| columns.clone().map(move |x| [x, z])).collect();
        // As bits, because floats can't be hashed.
        let sea = self.sea_level().map(f32::to_bits);
        let key = |number: &[i64; 2]| land.map(|key| key.of(("block", &needs, sea, wetness, level, number)));
        let keys: Vec<_> = numbers.iter().map(key).collect();
        let blocks = cache.all_of(&keys, |missing| {
            let missing: Vec<_> = missing.iter().map(|&index| numbers[index]).collect();
            // Neighbouring blocks are made from one window, since their margins overlap.
            let mut made = Vec::new();
            for some in joined(&missing) {
                made.extend(self.blocks(fade, level, some, wetness, cache, work)?);
            }
            Ok(made)
        })?;
        let known: Vec<_> = blocks.iter().map(|block| &block.known).collect();
        let known = TerrainAnalysis::of_blocks(&all, counts, &known, (range.0, range.1));
        let wet: Option<Vec<_>> = blocks.iter().map(|block| block.wetness.as_ref()).collect();
        let wetness = wet.map(|wet| ShareMap::of_blocks(&all, counts, &wet));
        Ok((all, Measured { prepared: known_over(&all, known, fade, work)?, wetness }))
    }

    /// The analyses of some blocks, given by their numbers. The land that several of them look at is made
    /// once.
    fn blocks(
        &self,
        fade: &Fade,
        level: i32,
        numbers: &[[i64; 2]],
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<Vec<Block>> {
        let domain = self.domain()?;
        let margin = margin(fade, wetness, domain.cell_at(level));
        let [x, z] = [0, 1].map(|axis| {
            let along = || numbers.iter().map(|number| number[axis]);
            (along().min().unwrap_or(0), along().max().unwrap_or(0))
        });
        let counts = [x, z].map(|(first, last)| (last - first + 1) as usize);
        let all = region_of(&domain, level, [x.0, z.0], counts)?.grown_by(margin)?;
        let ground = self.build_window_layers(all.window(), &fade.layers(), cache, work)?;
        let depends_on_rivers = self.depends_on_rivers(fade, wetness);
        let block = |number: &[i64; 2]| {
            let inner = region_of(&domain, level, *number, [1, 1])?;
            let outer = inner.grown_by(margin)?;
            // Each block as if it were alone, with the same margin: its bits don't depend on its neighbours.
            let ground = ground.clone().cut(&outer, work)?;
            let written = ground.layers().clone();
            // Rivers and lakes belong to all of the land; a block gets the depth of its water. Its layer of
            // that name may be a painted one.
            let depths = depends_on_rivers.then(|| self.water_in(&ground, cache, work)).transpose()?;
            let parts = Land { rivers: &[], lakes: &[], ..self.land(&ground) };
            let land = Land { depths: depths.as_ref(), ..parts };
            let first = (inner.window().first[1] - outer.window().first[1]) as usize;
            let rows = first..first + inner.grid().depth;
            let analysis = TerrainAnalysis::new(&ground.heights).only(rows).with_land_layers(written);
            let prepared = fade.prepare(land, Some(analysis), work)?;
            let wetness = match wetness {
                true => Some(WETNESS.measure(land, work)?.in_region(&outer, &inner)),
                false => None,
            };
            Ok(Block { known: prepared.analysis().in_region(&outer, &inner), wetness })
        };
        numbers.iter().map(block).collect()
    }

    /// Whether something that is measured depends on the water of rivers or lakes.
    fn depends_on_rivers(&self, fade: &Fade, wetness: bool) -> bool {
        let has_rivers = self.done().any(|(_, step)| step.operation.kind() == Kind::Waterway);
        has_rivers && (wetness || fade.factors().iter().any(|factor| factor.depends_on_water))
    }

    /// The layers that colours and weights of its land need where it is measured in blocks.
    #[doc(hidden)]
    pub fn layers_of_colours(&self) -> Vec<String> {
        let fade = self.fade();
        let mut layers = fade.layers();
        layers.extend(self.depends_on_rivers(&fade, false).then_some(WATER_DEPTH));
        layers.sort_unstable();
        layers.dedup();
        layers.into_iter().map(str::to_owned).collect()
    }

    /// The lowest and highest height, for limits given as shares of the range: measured on a lattice over all
    /// of bounded land, and around the origin of endless land.
    fn range_on_lattice(&self, cache: &Cache, work: &Work) -> Result<Range> {
        let domain = self.domain()?;
        let window = match domain.size() {
            None => {
                let cells = RANGE_UNITS / domain.in_units(0, 1) / f64::from(RANGE_SIDE - 1);
                let level = (libm::log2(cells).round() as i32).clamp(-20, 20);
                Window { level, first: [-i64::from(RANGE_SIDE / 2); 2], size: [RANGE_SIDE; 2] }
            }
            Some(size) => {
                let cells = size.map(|side| side - 1);
                let is_enough = |level: &i32| cells.iter().all(|cells| cells >> level < RANGE_SIDE);
                let level = (0..20).find(is_enough).unwrap_or(20);
                Window { level, first: [0; 2], size: cells.map(|cells| (cells >> level) + 1) }
            }
        };
        let region = domain.region(window)?;
        let (low, high) = self.ground_in(&region, &[], Some(cache), work)?.heights.range();
        Ok(Range(low, high))
    }
}

/// The analysis at the samples of blocks, with the pictures of the textures.
fn known_over(all: &Region, known: TerrainAnalysis, fade: &Fade, work: &Work) -> Result<Prepared> {
    // Notes report pictures that were resampled to the land; here every picture is, whatever its size.
    Prepared::of(known, fade, all, Vec::new(), work)
}

/// The samples of blocks side by side, from block number `first` on: what there is of them.
fn region_of(domain: &Domain, level: i32, first: [i64; 2], counts: [usize; 2]) -> Result<Region> {
    let first = first.map(|number| number * BLOCK);
    let size = [0, 1].map(|axis| {
        let side = counts[axis] as i64 * BLOCK;
        domain.size_at(level).map_or(side, |land| side.min(land[axis] as i64 - first[axis])) as u32
    });
    domain.region(Window { level, first, size })
}

/// The margin of blocks, in samples that are `cell` metres apart: as wide as the sky view and the shadows ask
/// for, and wider where a factor looks farther.
fn margin(fade: &Fade, wetness: bool, cell: f32) -> u32 {
    let factors = fade.factors().into_iter().chain(wetness.then_some(&WETNESS));
    let margins = factors.map(|factor| factor.reach.margin(cell));
    margins.fold(FactorReach::FAR.margin(cell), u32::max).next_multiple_of(8)
}

/// The blocks whose land is made together: all of them, if they lie within two by two; otherwise, to save
/// memory, each by itself.
fn joined(numbers: &[[i64; 2]]) -> impl Iterator<Item = &[[i64; 2]]> {
    let near = |axis: usize| {
        let along = || numbers.iter().map(|number| number[axis]);
        along().max().zip(along().min()).is_none_or(|(last, first)| last - first < 2)
    };
    numbers.chunks(if near(0) && near(1) { numbers.len().max(1) } else { 1 })
}
