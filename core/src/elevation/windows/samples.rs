//! The samples of a file as they are stored, at any columns and rows.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compute::recently_used::RecentlyUsed;
use crate::compute::work::Work;
use crate::elevation::formats::raw::r16::Layout;
use crate::elevation::formats::tiff::blocks::{Block, BlockIndex, TiffBlocks};
use crate::error::{Error, Result};
use crate::files::{self, ReadAt};

/// Where samples come from.
pub(super) enum Samples {
    /// A TIFF, block by block.
    Blocks { blocks: Box<TiffBlocks>, cache: RecentlyUsed<BlockIndex, Block> },
    /// Raw numbers.
    Raw(Box<Layout>),
    /// All samples, in memory, row by row.
    Held { size: [usize; 2], heights: Vec<f32> },
}

/// The bytes of a file, and its name.
pub(super) struct Bytes {
    pub(super) path: PathBuf,
    pub(super) at: Box<dyn ReadAt>,
}

/// Whether decoded blocks are cached for the next window.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// Two columns of a raw file are read together if at most this many bytes lie between them.
const GAP: usize = 16 << 10;
/// Bytes of a raw file that are read together.
const AT_ONCE: usize = 1 << 20;
/// The most bytes that all threads together take to gather samples, unless one alone needs more.
const TOGETHER: u64 = 256 << 20;

impl Samples {
    pub(super) fn size(&self) -> [usize; 2] {
        match self {
            Self::Blocks { blocks, .. } => blocks.land_size(),
            Self::Raw(layout) => layout.turn().land_size(layout.size),
            Self::Held { size, .. } => *size,
        }
    }

    /// Whether reading distant samples costs as much as reading all between them, because these must be
    /// unpacked too.
    pub(super) fn are_packed(&self) -> bool {
        matches!(self, Self::Blocks { .. })
    }

    /// The number of rows that should be read together, starting at a multiple of it.
    pub(super) fn band(&self) -> usize {
        match self {
            Self::Blocks { blocks, .. } => blocks.band(),
            Self::Raw(_) | Self::Held { .. } => 1,
        }
    }

    /// The most bytes that all threads take to gather samples.
    pub(super) fn working_bytes(&self) -> u64 {
        self.thread_bytes().saturating_mul(self.threads() as u64)
    }

    /// The number of threads that gather samples together: fewer than there are where blocks are large.
    fn threads(&self) -> usize {
        // Blocks may be huge; fewer threads then share the memory.
        let most = TOGETHER / self.thread_bytes().max(1);
        (most.max(1) as usize).min(rayon::current_num_threads())
    }

    /// The most bytes that a thread takes to gather samples.
    fn thread_bytes(&self) -> u64 {
        match self {
            Self::Blocks { blocks, .. } => blocks.working_bytes(),
            Self::Raw(_) => AT_ONCE as u64,
            Self::Held { .. } => 0,
        }
    }

    /// The heights at all pairs of these columns and rows, both ascending, row by row; NaN where there is a
    /// hole, and never infinite.
    ///
    /// # Errors
    /// When the file can't be read or is damaged, when a height is infinite; [`Error::Cancelled`].
    pub(super) fn gather(
        &self,
        bytes: &Bytes,
        columns: &[usize],
        rows: &[usize],
        keep: Keep,
        work: &Work,
    ) -> Result<Vec<f32>> {
        if columns.is_empty() || rows.is_empty() {
            return Ok(Vec::new());
        }
        let heights = match self {
            Self::Blocks { blocks, cache } => {
                let turn = blocks.ground.turn;
                let [i, j] = turn.in_file(blocks.size, columns, rows);
                let file = Blocks { bytes, blocks, cache, keep, threads: self.threads() };
                turn.undone([i.len(), j.len()], file.gather(&i, &j, work)?)
            }
            Self::Raw(layout) => {
                let turn = layout.turn();
                let [i, j] = turn.in_file(layout.size, columns, rows);
                turn.undone([i.len(), j.len()], raw(bytes, layout, &i, &j, work)?)
            }
            Self::Held { size, heights } => {
                let row = |&row: &usize| columns.iter().map(move |column| heights[row * size[0] + column]);
                rows.iter().flat_map(row).collect()
            }
        };
        match heights.par_iter().position_first(|height| height.is_infinite()) {
            None => Ok(heights),
            Some(index) => {
                let (column, row) = (columns[index % columns.len()], rows[index / columns.len()]);
                let reason = format!("the height at column {column}, row {row} is {}", heights[index]);
                Err(Error::file(&bytes.path, reason))
            }
        }
    }
}

/// Gathers samples of a raw file.
fn raw(bytes: &Bytes, layout: &Layout, columns: &[usize], rows: &[usize], work: &Work) -> Result<Vec<f32>> {
    let (pixel, own) = (layout.pixel_bytes(), layout.bytes());
    // Neighbours are read together, distant columns on their own.
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, &column) in columns.iter().enumerate() {
        match runs.last_mut() {
            Some(run)
                if pixel.saturating_mul(column - columns[run.end - 1]) <= GAP
                    && pixel.saturating_mul(column - columns[run.start]) < AT_ONCE =>
            {
                run.end += 1;
            }
            _ => runs.push(index..index + 1),
        }
    }
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            Error::file(&bytes.path, "the file ends too early; it is cut short")
        }
        _ => files::failed(&bytes.path, error),
    };
    let mut heights = vec![0.0; columns.len() * rows.len()];
    heights.par_chunks_mut(columns.len()).zip(rows).try_for_each_init(Vec::new, |read, (out, &row)| {
        work.check()?;
        for run in &runs {
            let [start, last] =
                [columns[run.start], columns[run.end - 1]].map(|column| layout.place(column, row));
            read.resize((last - start) as usize + own, 0);
            bytes.at.read_exact_at(start, read).map_err(failed)?;
            for (out, column) in out[run.clone()].iter_mut().zip(&columns[run.clone()]) {
                *out = layout.height(&read[(layout.place(*column, row) - start) as usize..]);
            }
        }
        Ok(())
    })?;
    Ok(heights)
}

/// Gathers samples of a file in blocks.
struct Blocks<'a> {
    bytes: &'a Bytes,
    blocks: &'a TiffBlocks,
    cache: &'a RecentlyUsed<BlockIndex, Block>,
    keep: Keep,
    threads: usize,
}

impl Blocks<'_> {
    fn gather(&self, columns: &[usize], rows: &[usize], work: &Work) -> Result<Vec<f32>> {
        let across = runs(columns, |column| self.blocks.block_of([column, rows[0]]).1[0]);
        let down = runs(rows, |row| self.blocks.block_of([columns[0], row]).1[1]);
        let mut heights = vec![0.0; columns.len() * rows.len()];
        // One row of blocks after another, to hold little memory in addition to the result; several rows
        // together where that is needed to keep all threads busy.
        let at_once = (4 * self.threads).div_ceil(across.len()).max(1);
        for down in down.chunks(at_once) {
            let pairs: Vec<_> =
                down.iter().flat_map(|rows| across.iter().map(move |columns| (columns, rows))).collect();
            // Longer runs of work for each task are rayon's only way to use fewer threads.
            let fewest = if self.threads < rayon::current_num_threads() {
                pairs.len().div_ceil(self.threads)
            } else {
                1
            };
            let picked: Vec<BlockHeights> = pairs
                .par_iter()
                .with_min_len(fewest)
                .map(|(across, down)| {
                    work.check()?;
                    self.pick(&columns[(*across).clone()], &rows[(*down).clone()])
                })
                .collect::<Result<_>>()?;
            for ((across, down), picked) in pairs.iter().zip(&picked) {
                let lines = heights[down.start * columns.len()..down.end * columns.len()]
                    .chunks_exact_mut(columns.len())
                    .map(|line| &mut line[(*across).clone()]);
                match picked {
                    BlockHeights::Flat(height) => lines.for_each(|line| line.fill(*height)),
                    BlockHeights::Heights(heights) => lines
                        .zip(heights.chunks_exact(across.len()))
                        .for_each(|(line, heights)| line.copy_from_slice(heights)),
                }
            }
        }
        Ok(heights)
    }

    /// The heights at pairs of columns and rows that all lie in one block.
    fn pick(&self, columns: &[usize], rows: &[usize]) -> Result<BlockHeights> {
        let (index, first) = self.blocks.block_of([columns[0], rows[0]]);
        let block = self.block(index)?;
        Ok(match &*block {
            Block::Flat(height) => BlockHeights::Flat(*height),
            Block::Heights { width, heights } => {
                let row = |&row: &usize| {
                    let line = &heights[(row - first[1]) * width..][..*width];
                    columns.iter().map(move |column| line[column - first[0]])
                };
                BlockHeights::Heights(rows.iter().flat_map(row).collect())
            }
        })
    }

    fn block(&self, index: BlockIndex) -> Result<Arc<Block>> {
        if let Some(block) = self.cache.get(&index) {
            return Ok(block);
        }
        // Not under the cache's lock: unpacking takes long, and other threads need other blocks.
        let block = Arc::new(self.blocks.read_block(&self.bytes.path, &*self.bytes.at, index)?);
        if self.keep == Keep::Yes {
            self.cache.put(index, &block, block.bytes());
        }
        Ok(block)
    }
}

/// The heights from one block.
enum BlockHeights {
    Flat(f32),
    Heights(Vec<f32>),
}

/// The ranges of consecutive `places` that have the same `block`.
fn runs(places: &[usize], block: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for (index, &place) in places.iter().enumerate() {
        let block = block(place);
        match runs.last_mut() {
            Some((last, run)) if *last == block => run.end += 1,
            _ => runs.push((block, index..index + 1)),
        }
    }
    runs.into_iter().map(|(_, run)| run).collect()
}
