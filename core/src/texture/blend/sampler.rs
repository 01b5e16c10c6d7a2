//! A terrain type's tiling picture under the texels of a map.
//!
//! The texels of a map all have one size on the ground. So the picture is shrunk once, until its texels are
//! no smaller than the map's, each the mean of the area it covers in linear light, and then interpolated. A
//! picture that is smaller than a texel of the map becomes its mean colour.

use std::sync::Arc;

use glam::Vec4;
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, memory};
use crate::texture::colour::srgb::{LINEAR, srgb_from_linear};
use crate::texture::texels::RUN;
use crate::texture::tile::{Tile, Tiling};

use super::blocks::Blocks;

/// Texels of the whole land between two whose positions in the picture are computed exactly; positions
/// between are counted from the first. So a texel's position has the same bits wherever runs begin.
const COUNTED: usize = 256;

/// The most texels of a picture that [`COUNTED`] texels of the map can touch, since none is smaller than a
/// texel of the map.
const REACH: usize = COUNTED + 2;

/// Pictures of fewer bytes are made without checking for memory.
const LEAST_ASKED_FOR: usize = 64 << 20;

/// 1.5 · 2²³: adding it to a number rounds the number to a whole one and leaves that in the lowest bits.
const ROUNDED: f32 = 12_582_912.0;

/// The material of a terrain type on a map. Clones share the picture.
#[derive(Clone)]
pub(crate) enum TypeMaterial {
    /// A uniform colour: the picture's mean, as it is blended.
    Even([f32; 3]),
    /// A picture.
    Picture(Sampler),
}

/// A picture shrunk for a map.
#[derive(Clone)]
pub(crate) struct Sampler {
    /// Row by row, longer than the period by the length that a run reaches beyond it. Channels are shares of
    /// 65535.
    texels: Arc<Vec<[u16; 4]>>,
    /// Columns until the picture repeats (mirrored ones are stored as well), and rows (which are not).
    period: usize,
    rows: usize,
    mirror: bool,
    /// Texels of the picture per texel of the map, at most 1.
    step: [f64; 2],
    /// The number of the first texel, counted over the whole land.
    origin: [i64; 2],
    /// Factors of the channels: the brightest value of each, over 65535.
    scale: [f32; 4],
}

/// A picture's texels interpolated to a row of the map.
#[derive(Default)]
pub(crate) struct SamplerRow {
    /// The map's row.
    row: Option<usize>,
    /// Each texel, and the difference from it to the next.
    texels: Vec<[Vec4; 2]>,
    /// Which blocks of [`RUN`] texels have been computed.
    known: Vec<bool>,
}

impl TypeMaterial {
    /// Prepares a tile for a map whose texels have this width and depth in metres. With `colour`, in linear
    /// light, the tile is multiplied so that this is its mean. `linear` says whether colours are blended in
    /// linear light, or as sRGB values.
    ///
    /// # Errors
    /// When a picture cannot be read or there is too little memory, and [`Error::Cancelled`].
    pub(crate) fn new(
        tiling: &Tiling,
        texel: [f64; 2],
        colour: Option<[f32; 3]>,
        linear: bool,
        work: &Work,
    ) -> Result<Self> {
        work.check()?;
        let kept = tiling.read_kept()?;
        let (tile, mean) = (&kept.tile, kept.mean);
        let metres_per_texel = f64::from(tiling.size) / tile.width.max(tile.depth) as f64;
        // How many of the picture's texels one of the map's covers, and the size of the picture shrunk by
        // that.
        let size = [tile.width, tile.depth];
        let shrunk = [0, 1].map(|axis| {
            let within = (texel[axis] / metres_per_texel).max(1.0);
            // Rounded down: a texel of the shrunk picture is never smaller than one of the map, on which
            // `REACH` relies.
            ((size[axis] as f64 / within) as usize).max(1)
        });
        // Averaged in linear light in any case; only the result is encoded if types are blended as sRGB.
        let encode = |value: f32| if linear { value } else { srgb_from_linear(value.min(1.0)) };
        let factor = |channel: usize| match colour {
            Some(colour) if mean[channel] > 0.0 => f64::from(colour[channel]) / mean[channel],
            _ => 1.0,
        };
        if shrunk == [1, 1] {
            let even = colour.unwrap_or(mean.map(|mean| mean as f32));
            return Ok(Self::Even(even.map(encode)));
        }
        // A channel that is black everywhere cannot be scaled, so the colour is added.
        let added = [0, 1, 2].map(|channel| match colour {
            Some(colour) if mean[channel] <= 0.0 => colour[channel],
            _ => 0.0,
        });
        let factors = [0, 1, 2].map(factor);
        let wanted = |channel: usize, value: f32| {
            encode((f64::from(value) * factors[channel]) as f32 + added[channel])
        };
        let brightest =
            [0, 1, 2].map(|channel| wanted(channel, LINEAR[usize::from(kept.brightest[channel])]));

        let mirror = tiling.mirror;
        let period = if mirror { 2 * shrunk[0] } else { shrunk[0] };
        // Rows continue periodically by REACH, so that a run never has to wrap around.
        let stride = period + REACH;
        ask_for_memory((stride, shrunk[1]), size_of::<[u16; 4]>())
            .map_err(|reason| Error::parameter(format!("tile {}", tiling.image.text()), reason))?;
        let mut texels = vec![[0; 4]; stride * shrunk[1]];
        texels.par_chunks_mut(stride).enumerate().try_for_each(|(row, out)| {
            work.check()?;
            let line = shrink_row(tile, shrunk, row, work)?;
            for (column, out) in out.iter_mut().enumerate() {
                let column = column % period;
                let from = if column < line.len() { column } else { period - 1 - column };
                for (channel, out) in out[..3].iter_mut().enumerate() {
                    let value = wanted(channel, line[from][channel]);
                    // Scaled by the brightest value, so that each channel uses all 16 bits.
                    let share = if brightest[channel] > 0.0 { value / brightest[channel] } else { 0.0 };
                    *out = (share.min(1.0) * 65535.0 + 0.5) as u16;
                }
            }
            Ok::<_, crate::Error>(())
        })?;
        let step = [0, 1].map(|axis| {
            let metres = size[axis] as f64 * metres_per_texel;
            // Along an axis with a single texel there is nothing to step through.
            if shrunk[axis] == 1 { 0.0 } else { shrunk[axis] as f64 * texel[axis] / metres }
        });
        let [red, green, blue] = brightest.map(|value| value / 65535.0);
        let scale = [red, green, blue, 0.0];
        let texels = Arc::new(texels);
        Ok(Self::Picture(Sampler { texels, period, rows: shrunk[1], mirror, step, origin: [0; 2], scale }))
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Even(_) => 0,
            Self::Picture(sampler) => size_of_val(&sampler.texels[..]) as u64,
        }
    }

    /// The same on a map whose first texel has this number, counted over the whole land.
    pub(crate) fn beginning_at(self, origin: [i64; 2]) -> Self {
        match self {
            Self::Even(colour) => Self::Even(colour),
            Self::Picture(sampler) => Self::Picture(Sampler { origin, ..sampler }),
        }
    }
}

impl Sampler {
    /// Reads the colours of the run of texels that begins at `start`, a multiple of [`RUN`], in `blocks`
    /// alone. The fourth channel is 1.
    #[inline(always)]
    pub(crate) fn read(
        &self,
        (row, start): (usize, usize),
        blocks: &Blocks,
        line: &mut SamplerRow,
        colours: &mut [[f32; 4]; RUN],
    ) {
        if line.row != Some(row) {
            line.row = Some(row);
            line.texels.resize(self.period + REACH, [Vec4::ZERO; 2]);
            line.known.clear();
            line.known.resize(line.texels.len().div_ceil(RUN), false);
        }
        // In f32 within COUNTED texels, where the sum has digits to spare; the first of them is placed in
        // f64.
        let step = self.step[0] as f32;
        let (mut firsts, mut shares) = ([0u32; RUN], [0.0; RUN]);
        let mut done = 0;
        while done < RUN {
            let texel = self.origin[0] + (start + done) as i64;
            let beyond = texel.rem_euclid(COUNTED as i64) as usize;
            let count = (COUNTED - beyond).min(RUN - done);
            let (first, along) = place(texel - beyond as i64, self.step[0], self.period);
            // The range of the picture's texels that these reach, with one to spare for rounding.
            let reach = |index: usize| first + (index as f32 * step) as usize;
            for block in reach(beyond).saturating_sub(1) / RUN..=(reach(beyond + count) + 3) / RUN {
                if let Some(known @ false) = line.known.get_mut(block) {
                    *known = true;
                    self.read_block(row, block * RUN, &mut line.texels);
                }
            }
            let part = firsts[done..].iter_mut().zip(&mut shares[done..]).take(count);
            for (index, (texel, share)) in (beyond..).zip(part) {
                let place = along + index as f32 * step;
                // Rounds place − 1/2, which is the floor of place up to ties; a tie gives share 1 of the
                // texel before, the same colour.
                let rounded = (place - 0.5) + ROUNDED;
                *texel = first as u32 + (rounded.to_bits() & 0xFFFF);
                *share = place - (rounded - ROUNDED);
            }
            done += count;
        }
        let line = &line.texels;
        blocks.each(|index| {
            // A vector of four from one address, where the compiler would gather single numbers.
            let [texel, more] = line[firsts[index] as usize];
            colours[index] = (texel + more * shares[index]).to_array();
        });
    }

    /// Interpolates a block of texels between the two rows of the picture around a row of the map.
    #[inline(always)]
    fn read_block(&self, row: usize, first: usize, line: &mut [[Vec4; 2]]) {
        let rows = if self.mirror { 2 * self.rows } else { self.rows };
        let (north, down) = place(self.origin[1] + row as i64, self.step[1], rows);
        let stride = self.period + REACH;
        // One more, for the difference from the last one.
        let reach = first..(first + RUN + 1).min(stride);
        let texels = |row: usize| {
            let row = if row < self.rows { row } else { 2 * self.rows - 1 - row };
            &self.texels[row * stride..][reach.clone()]
        };
        let mut between = [[0.0; 4]; RUN + 1];
        let both = texels(north).iter().zip(texels((north + 1) % rows));
        for (out, (north, south)) in between.iter_mut().zip(both) {
            for lane in 0..4 {
                let (north, south) = (f32::from(north[lane]), f32::from(south[lane]));
                out[lane] = (north + (south - north) * down) * self.scale[lane];
            }
        }
        // The fourth channel is 1 everywhere, so that it can sum up the weights.
        between.iter_mut().for_each(|texel| texel[3] = 1.0);
        for (out, two) in line[first..].iter_mut().zip(between.windows(2)) {
            let (texel, next) = (Vec4::from_array(two[0]), Vec4::from_array(two[1]));
            *out = [texel, next - texel];
        }
    }
}

/// The last texel of a picture before the middle of texel `index` of the map, and the share of the way to the
/// next.
fn place(index: i64, step: f64, period: usize) -> (usize, f32) {
    // From the middle of the map's texel to the middles of the picture's, hence the two halves.
    let place = ((index as f64 + 0.5) * step - 0.5).rem_euclid(period as f64);
    let first = place.floor();
    // `rem_euclid` may round up to the period itself.
    ((first as usize).min(period - 1), (place - first) as f32)
}

/// Checks memory for a picture with this many bytes per texel; small pictures are not checked.
fn ask_for_memory((width, depth): (usize, usize), per_texel: usize) -> Result<(), String> {
    let bytes = width * depth * per_texel;
    if bytes < LEAST_ASKED_FOR {
        return Ok(());
    }
    memory::require(Grid { width, depth, cell: 1.0 }, bytes as u64).map_err(|error| match error {
        Error::Size { width, depth, reason } => format!("{width}×{depth} texels {reason}"),
        error => error.to_string(),
    })
}

/// A row of the picture shrunk to a size, in linear light: each texel the mean of the area it covers.
fn shrink_row(tile: &Tile, [columns, rows]: [usize; 2], row: usize, work: &Work) -> Result<Vec<[f32; 3]>> {
    let mut line = vec![[0.0; 3]; columns];
    for (north, down) in covered(tile.depth, rows, row) {
        work.check()?;
        let texels = &tile.colours[north * tile.width..][..tile.width];
        for (column, out) in line.iter_mut().enumerate() {
            for (west, across) in covered(tile.width, columns, column) {
                let colour = texels[west];
                for (out, level) in out.iter_mut().zip(colour) {
                    *out += LINEAR[usize::from(level)] * (across * down);
                }
            }
        }
    }
    Ok(line)
}

/// Which of `from` texels number `index` of `to` covers, and the share that each has in it.
fn covered(from: usize, to: usize, index: usize) -> impl Iterator<Item = (usize, f32)> {
    let per = from as f64 / to as f64;
    let (begin, end) = (index as f64 * per, (index + 1) as f64 * per);
    let texels = begin as usize..(end.ceil() as usize).min(from);
    texels.map(move |texel| {
        let inside = end.min((texel + 1) as f64) - begin.max(texel as f64);
        (texel, (inside / per) as f32)
    })
}
