//! Windows of a plan's land, from its tiles or from its recipe.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use upland_core::grid::LEVELS;
use upland_core::{Error, Heightfield, Region, Result, Window, Work};

use super::between::{Curve, Position, Samples};
use super::open_land::OpenLand;
use super::step::MissingTiles;
use super::tiles::TileFile;
use crate::outputs::Output;
use crate::plan::PassKind;
use crate::worker::blocks_of;

/// How much coarser than the plan's level the land is that takes the place of missing tiles.
const COARSE: i32 = 4;

/// Samples along the side of land that is made at once.
const MADE: u32 = 2048;

/// Blocks that are read before their samples are copied.
const AT_ONCE: usize = 32;

/// Threads that wait for a network at the same time.
const WAITING: usize = 8;

/// Side of the blocks of tiles.
const SIDE: usize = upland_core::formats::cog::CogHeights::SIDE;

/// Values of a window, row by row: heights and then layers.
type Fields = Vec<Vec<f32>>;

/// What is wanted of the land.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    layers: &'a [&'a str],
    missing: MissingTiles,
}

/// A part of a window: its columns and rows there.
#[derive(Clone)]
struct Part {
    columns: Range<usize>,
    rows: Range<usize>,
}

/// A block of a tile with samples of a window.
struct Job {
    field: usize,
    /// The part that is lost if the block is damaged: all that its tile has of the window.
    tile: usize,
    file: Arc<TileFile>,
    level: usize,
    block: [usize; 2],
    /// The part with the block's samples.
    part: Part,
    /// Where the first of these lies in the block, and how far they are apart.
    first: [usize; 2],
    apart: usize,
}

impl OpenLand {
    /// The heights and the layers of a region.
    ///
    /// # Errors
    /// When the store cannot be read, and those of the recipe's steps.
    pub(super) fn fill(
        &self,
        region: &Region,
        layers: &[&str],
        missing: MissingTiles,
        work: &Work,
    ) -> Result<Vec<Heightfield>> {
        let wanted = Wanted { layers, missing };
        let fields = if region.domain() == self.domain {
            self.window(region.window(), wanted, work)?
        } else {
            self.stretched(region, wanted, work)?
        };
        fields.into_iter().map(|values| Heightfield::new(region.grid(), values)).collect()
    }

    fn window(&self, window: Window, wanted: Wanted, work: &Work) -> Result<Fields> {
        work.check()?;
        let own = self.plan.land.level;
        let coarser = window.level - own;
        let is_coarse = wanted.missing == MissingTiles::Coarse;
        if is_coarse && coarser < 0 {
            return self.interpolated(window, own, wanted, work);
        }
        // Land in place of tiles that are missing.
        let other = |window: Window, work: &Work| match wanted.missing {
            MissingTiles::Coarse if coarser < COARSE => self.interpolated(window, own + COARSE, wanted, work),
            _ => self.made(window, wanted, work),
        };
        let outputs: Vec<Option<&Output>> =
            (0..=wanted.layers.len()).map(|field| self.output(field, wanted)).collect();
        let has_all = outputs.iter().all(Option::is_some);
        // With coarse land, levels may differ, but a recipe's own bits need the recipe.
        let is_read = (0..=self.coarsest()).contains(&coarser)
            && (is_coarse || has_all && (coarser == 0 || self.is_exact));
        if !is_read {
            return other(window, work);
        }
        let count = window.size[0] as usize * window.size[1] as usize;
        let mut fields = vec![vec![0.0; count]; outputs.len()];
        let [read, made] = [work.part(0.0, 0.5), work.part(0.5, 1.0)];
        let mut lost = self.read(window, &outputs, &mut fields, &read)?;
        if !has_all {
            // Layers without tiles.
            let made = other(window, &made)?;
            for ((field, values), _) in
                fields.iter_mut().zip(made).zip(&outputs).filter(|(_, output)| output.is_none())
            {
                *field = values;
            }
        }
        lost.retain(|part| !part.columns.is_empty() && !part.rows.is_empty());
        let blocks = blocks_around(&lost, window);
        for (number, block) in blocks.iter().enumerate() {
            let share = |number: usize| number as f32 / blocks.len() as f32;
            let values = other(*block, &made.part(share(number), share(number + 1)))?;
            for part in lost.iter().filter_map(|part| overlap(part, *block, window)) {
                for (field, values) in fields.iter_mut().zip(&values) {
                    copy(values, *block, field, window, &part);
                }
            }
        }
        Ok(fields)
    }

    /// The tiles' output with a field: heights for 0, and then the layers.
    fn output(&self, field: usize, wanted: Wanted) -> Option<&Output> {
        let outputs = &self.plan.pass(PassKind::Heights)?.outputs;
        outputs.iter().find(|output| match (field.checked_sub(1), output) {
            (None, Output::Heights) => true,
            (Some(layer), Output::Layer(name)) => name == wanted.layers[layer],
            _ => false,
        })
    }

    /// Reads what tiles have of a window of the plan's level or a coarser one. Returns the parts that they
    /// don't have.
    fn read(
        &self,
        window: Window,
        outputs: &[Option<&Output>],
        fields: &mut Fields,
        work: &Work,
    ) -> Result<Vec<Part>> {
        let runs = [0, 1].map(|axis| self.runs(window, axis));
        let mut parts = Vec::new();
        let mut tiles = Vec::new();
        for (row, rows) in &runs[1] {
            for (column, columns) in &runs[0] {
                parts.push(Part { columns: columns.clone(), rows: rows.clone() });
                tiles.push(column.zip(*row));
            }
        }
        work.stage("read tiles", parts.len());
        // Whether heads are there is asked for many tiles at the same time.
        let opened = self.at_once(&tiles, |tile: &Option<(u32, u32)>| {
            work.check()?;
            let found = tile.map(|(column, row)| self.files(column, row, outputs)).transpose();
            work.advance(1);
            Ok(found?.flatten())
        })?;
        let mut is_lost: Vec<bool> = opened.iter().map(Option::is_none).collect();
        let mut jobs = Vec::new();
        for (number, files) in opened.iter().enumerate() {
            for (field, file) in files.iter().flatten().enumerate() {
                if let (Some(file), Some((column, row))) = (file, tiles[number]) {
                    self.list_blocks(window, &parts[number], (column, row), file, (field, number), &mut jobs);
                }
            }
        }
        for some in jobs.chunks(AT_ONCE) {
            let blocks = self.at_once(some, |job: &Job| {
                work.check()?;
                self.tiles.block(&job.file, job.level, job.block)
            })?;
            for (job, block) in some.iter().zip(blocks) {
                match block {
                    Some(block) => job.copy(&block, &mut fields[job.field], window),
                    None => is_lost[job.tile] = true,
                }
            }
        }
        let lost = parts.into_iter().zip(is_lost).filter(|(_, is_lost)| *is_lost);
        Ok(lost.map(|(part, _)| part).collect())
    }

    /// The files of all outputs of a tile; `None` if one is missing.
    fn files(
        &self,
        column: u32,
        row: u32,
        outputs: &[Option<&Output>],
    ) -> Result<Option<Vec<Option<Arc<TileFile>>>>> {
        let Some(tile) = self.plan.tile_at(row * self.plan.tiles()[0] + column) else { return Ok(None) };
        let mut files = Vec::new();
        for output in outputs {
            files.push(match output {
                None => None,
                Some(output) => match self.tiles.find(&self.worker, output, &tile)? {
                    None => return Ok(None),
                    found => found,
                },
            });
        }
        Ok(Some(files))
    }

    /// Calls a function that reads the store, for some at the same time.
    fn at_once<T: Sync, R: Send>(
        &self,
        all: &[T],
        read: impl Fn(&T) -> Result<R> + Send + Sync,
    ) -> Result<Vec<R>> {
        if self.tiles.are_near() || all.len() < 2 {
            return all.par_iter().map(read).collect();
        }
        // Threads that wait for a network would keep others from computing.
        let share = all.len().div_ceil(WAITING);
        let read = &read;
        let parts: Vec<Result<Vec<R>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = all
                .chunks(share)
                .map(|some| scope.spawn(move || some.iter().map(read).collect::<Result<Vec<R>>>()))
                .collect();
            let joined = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| {
                    Err(Error::parameter("plan", "a thread that reads tiles has failed; try again"))
                })
            });
            joined.collect()
        });
        Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The tiles along an axis that a window lies on, and which of its samples lie on each; no tile beyond
    /// the plan's rectangle.
    fn runs(&self, window: Window, axis: usize) -> Vec<(Option<u32>, Range<usize>)> {
        let land = &self.plan.land;
        let coarser = window.level - land.level;
        let tile_of = |index: usize| {
            let place = self.in_plan(window, axis, index, coarser);
            (0..i64::from(land.size[axis]))
                .contains(&place)
                .then(|| (place / i64::from(self.plan.tile)) as u32)
        };
        let mut runs: Vec<(Option<u32>, Range<usize>)> = Vec::new();
        for index in 0..window.size[axis] as usize {
            let tile = tile_of(index);
            match runs.last_mut() {
                Some((last, run)) if *last == tile => run.end += 1,
                _ => runs.push((tile, index..index + 1)),
            }
        }
        runs
    }

    /// A column or row of a window among the samples of the plan's rectangle. It may lie outside.
    fn in_plan(&self, window: Window, axis: usize, index: usize, coarser: i32) -> i64 {
        ((window.first[axis] + index as i64) << coarser) - self.plan.land.first[axis]
    }

    /// Lists the blocks of a tile that have samples of a part of a window.
    fn list_blocks(
        &self,
        window: Window,
        part: &Part,
        (column, row): (u32, u32),
        file: &Arc<TileFile>,
        (field, tile): (usize, usize),
        jobs: &mut Vec<Job>,
    ) {
        let coarser = window.level - self.plan.land.level;
        let starts = [part.columns.start, part.rows.start];
        let ends = [part.columns.end, part.rows.end];
        // Where the first sample lies in the tile.
        let in_tile = [0, 1].map(|axis| {
            let corner = i64::from([column, row][axis]) * i64::from(self.plan.tile);
            (self.in_plan(window, axis, starts[axis], coarser) - corner) as usize
        });
        // An overview has every 2^k-th sample from the tile's first on: of no use unless these are among
        // them.
        let shared = in_tile[0].trailing_zeros().min(in_tile[1].trailing_zeros()) as usize;
        let level = (coarser as usize).min(file.levels() - 1).min(shared);
        let apart = 1usize << (coarser as usize - level);
        let runs = [0, 1].map(|axis| {
            let mut runs: Vec<(usize, usize, Range<usize>)> = Vec::new();
            for index in starts[axis]..ends[axis] {
                let place = (in_tile[axis] >> level) + (index - starts[axis]) * apart;
                match runs.last_mut() {
                    Some((block, _, run)) if *block == place / SIDE => run.end += 1,
                    _ => runs.push((place / SIDE, place % SIDE, index..index + 1)),
                }
            }
            runs
        });
        for (down, z, rows) in &runs[1] {
            for (across, x, columns) in &runs[0] {
                let part = Part { columns: columns.clone(), rows: rows.clone() };
                let (file, block, first) = (file.clone(), [*across, *down], [*x, *z]);
                jobs.push(Job { field, tile, file, level, block, part, first, apart });
            }
        }
    }

    /// The recipe's own window.
    fn made(&self, window: Window, wanted: Wanted, work: &Work) -> Result<Fields> {
        let cache = self.cache(wanted.layers)?;
        if wanted.layers.is_empty() {
            return Ok(vec![self.recipe().build_window(window, &cache, work)?.heights.into_heights()]);
        }
        let ground = self.recipe().build_window_layers(window, wanted.layers, &cache, work)?;
        let layers = wanted.layers.iter().map(|name| Ok(ground.layer(name)?.heights().to_vec()));
        let layers = layers.collect::<Result<Vec<_>>>()?;
        Ok(std::iter::once(ground.heights.into_heights()).chain(layers).collect())
    }

    /// A window between the samples of a coarser level.
    fn interpolated(&self, window: Window, level: i32, wanted: Wanted, work: &Work) -> Result<Fields> {
        let finer = level - window.level;
        let positions = [0, 1].map(|axis| {
            let position = |index: u32| {
                let index = window.first[axis] + i64::from(index);
                let share = (index & ((1 << finer) - 1)) as f64 / (1i64 << finer) as f64;
                (index >> finer, share)
            };
            (0..window.size[axis]).map(position).collect::<Vec<Position>>()
        });
        self.at(level, &positions, wanted, work)
    }

    /// The values at positions between the samples of a level.
    fn at(&self, level: i32, positions: &[Vec<Position>; 2], wanted: Wanted, work: &Work) -> Result<Fields> {
        let size = self.domain.size_at(level);
        let span = |axis: usize| {
            let indices = || positions[axis].iter().map(|(index, _)| *index);
            let (first, last) = (indices().min().unwrap_or(0) - 1, indices().max().unwrap_or(0) + 2);
            match size {
                Some(size) => {
                    let most = size[axis] as i64 - 1;
                    (first.clamp(0, most), last.clamp(0, most))
                }
                None => (first, last),
            }
        };
        let spans = [span(0), span(1)];
        let first = spans.map(|(first, _)| first);
        let size = spans.map(|(first, last)| u32::try_from(last - first + 1).unwrap_or(u32::MAX));
        let window = Window { level, first, size };
        // Refuses one that is too large.
        self.domain.region(window)?;
        let fields = self.window(window, wanted, work)?;
        let of = |(number, values): (usize, Vec<f32>)| {
            let samples = Samples { values: &values, first, size };
            // Layers have limits that curves would leave.
            let curve = if number == 0 { Curve::Smooth } else { Curve::Straight };
            samples.at(&positions[0], &positions[1], curve)
        };
        Ok(fields.into_iter().enumerate().map(of).collect())
    }

    /// A region of land with another number of samples than the plan's, over the same ground, as small
    /// pictures show it.
    fn stretched(&self, region: &Region, wanted: Wanted, work: &Work) -> Result<Fields> {
        let (own, window) = (region.domain(), region.window());
        let ratios = match (own.size(), self.domain.size()) {
            (Some(own), Some(plan)) => {
                let cells = |side: u32| f64::from(side.max(2) - 1);
                [0, 1].map(|axis| cells(plan[axis]) / cells(own[axis]))
            }
            (None, None) => [f64::from(own.cell()) / f64::from(self.domain.cell()); 2],
            (_, plan) => {
                let form = if plan.is_some() { "a size" } else { "no end" };
                return Err(Error::parameter(
                    "plan",
                    format!("its land has {form}; give the recipe the plan's"),
                ));
            }
        };
        // The coarsest level whose samples are no farther apart than the region's.
        let apart = ratios.map(|ratio| ratio * power_of_two(window.level));
        let is_close_enough = |level: &i32| power_of_two(*level) <= apart[0].min(apart[1]);
        let level = LEVELS.rev().find(is_close_enough).unwrap_or(*LEVELS.start());
        let positions = [0, 1].map(|axis| {
            let position = |index: u32| {
                let place =
                    (window.first[axis] + i64::from(index)) as f64 * apart[axis] / power_of_two(level);
                (place.floor() as i64, place - place.floor())
            };
            (0..window.size[axis]).map(position).collect::<Vec<Position>>()
        });
        self.at(level, &positions, wanted, work)
    }
}

/// 2^exponent, exactly.
fn power_of_two(exponent: i32) -> f64 {
    let power = f64::from(1u32 << exponent.unsigned_abs().min(31));
    if exponent < 0 { 1.0 / power } else { power }
}

impl Job {
    /// Copies the block's samples to their place among those of a window.
    fn copy(&self, block: &[f32], values: &mut [f32], window: Window) {
        let size = self.file.size(self.level);
        let width = SIDE.min(size[0] - self.block[0] * SIDE);
        for (number, row) in self.part.rows.clone().enumerate() {
            let line = &block[(self.first[1] + number * self.apart) * width..][..width];
            let out = &mut values[row * window.size[0] as usize..][self.part.columns.clone()];
            for (out, value) in out.iter_mut().zip(line[self.first[0]..].iter().step_by(self.apart)) {
                *out = *value;
            }
        }
    }
}

/// Blocks of a window, without those that overlap none of the parts.
fn blocks_around(parts: &[Part], window: Window) -> Vec<Window> {
    let Some(first) = parts.first() else { return Vec::new() };
    let around = parts.iter().fold(first.clone(), |around, part| Part {
        columns: around.columns.start.min(part.columns.start)..around.columns.end.max(part.columns.end),
        rows: around.rows.start.min(part.rows.start)..around.rows.end.max(part.rows.end),
    });
    let start = [around.columns.start, around.rows.start];
    let first = [0, 1].map(|axis| window.first[axis] + start[axis] as i64);
    let size = [around.columns.len() as u32, around.rows.len() as u32];
    let mut blocks = blocks_of(Window { first, size, ..window }, MADE);
    blocks.retain(|block| parts.iter().any(|part| overlap(part, *block, window).is_some()));
    blocks
}

/// The overlap of a part of a window and a block of it, if there is one.
fn overlap(part: &Part, block: Window, window: Window) -> Option<Part> {
    let range = |axis: usize, own: &Range<usize>| {
        let first = (block.first[axis] - window.first[axis]) as usize;
        own.start.max(first)..own.end.min(first + block.size[axis] as usize)
    };
    let common = Part { columns: range(0, &part.columns), rows: range(1, &part.rows) };
    (!common.columns.is_empty() && !common.rows.is_empty()).then_some(common)
}

/// Copies the values of a part of a window from a block of it.
fn copy(values: &[f32], block: Window, into: &mut [f32], window: Window, part: &Part) {
    let [x, z] = [0, 1].map(|axis| (block.first[axis] - window.first[axis]) as usize);
    for row in part.rows.clone() {
        let line = &values[(row - z) * block.size[0] as usize..][..block.size[0] as usize];
        let out = &mut into[row * window.size[0] as usize..][part.columns.clone()];
        out.copy_from_slice(&line[part.columns.start - x..part.columns.end - x]);
    }
}
