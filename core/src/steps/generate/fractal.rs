//! The common part of the fractals: octaves of noise, combined sample by sample.

use std::cell::Cell;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::math::smoothstep::smoothstep;
use crate::noise::{self, BAND, Basis, NodeRows, Octave, Samples, stretches};
use crate::params::Choice;
use crate::steps::estimate;
use crate::steps::number::{brief, counted, subscript};

/// The octaves of a fractal. Octave i is lacunarityⁱ times as fine as the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Octaves {
    pub(super) basis: Basis,
    /// Features of the first octave per unit.
    pub(super) frequency: f32,
    pub(super) lacunarity: f32,
    /// Number of octaves; a fraction weights the last one.
    pub(super) count: f32,
    /// Hurst exponent H of the weights wᵢ = lacunarity^(−i·H).
    pub(super) hurst: f32,
    /// Whether octaves that there are too few samples for are left out.
    pub(super) fade: bool,
}

/// A thread's working memory. It is reused over many bands and by later steps, because a small window has
/// only a few bands, and clearing the memory takes as long as one of them. Its earlier contents are never
/// read.
#[derive(Default)]
pub(crate) struct Scratch(Option<Box<Room>>);

struct Room {
    lines: NodeRows,
    samples: Box<Samples>,
}

thread_local! {
    /// What the thread's last step has left.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

impl Scratch {
    fn room(&mut self) -> &mut Room {
        let new = || Box::new(Room { lines: NodeRows::default(), samples: Samples::new(0.0, 0.0) });
        self.0.get_or_insert_with(|| ROOM.take().unwrap_or_else(new))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(room) = self.0.take() {
            // A thread that ends needs none.
            _ = ROOM.try_with(|left| left.set(Some(room)));
        }
    }
}

/// The state of one sample between octaves.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// The value that becomes the height.
    pub(super) value: f32,
    /// What an octave passes on to the next one in addition to the value.
    pub(super) weight: f32,
}

/// The weight of an octave.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    /// wᵢ = lacunarity^(−i·H).
    pub(super) weight: f32,
    /// The share of the octave that is used, in (0, 1]; below 1 only for the last one.
    pub(super) share: f32,
}

impl Octaves {
    /// Number of octaves, whole or partial.
    fn len(&self) -> u32 {
        self.count.ceil() as u32
    }

    /// The weights of all octaves in order.
    pub(super) fn weights(&self) -> Vec<Weight> {
        let of = |index: u32| {
            let exponent = -f64::from(index) * f64::from(self.hurst);
            // In f64 and by `libm`: a power in f32 of the platform would differ in its last bits.
            let weight = libm::pow(f64::from(self.lacunarity), exponent) as f32;
            Weight { weight, share: (self.count - index as f32).min(1.0) }
        };
        (0..self.len()).map(of).collect()
    }

    /// How much is left of an octave where samples are far apart.
    fn left(&self, index: usize, region: Region) -> f32 {
        if !self.fade {
            return 1.0;
        }
        let finer = libm::pow(f64::from(self.lacunarity), index as f64);
        let length = f64::from(region.domain().unit()) / (f64::from(self.frequency) * finer);
        // From 0 at two samples a feature, the Nyquist limit, to 1 at four.
        smoothstep(((length / f64::from(region.grid().cell)) as f32 - 2.0) / 2.0)
    }

    /// About how many seconds of one processor core the sum takes.
    pub(super) fn seconds(&self, grid: Grid) -> f64 {
        // Nanoseconds per sample, and per point of the lattice, which has more points than there are samples
        // if features are smaller than the samples' spacing.
        let (sample, place) = match self.basis {
            Basis::Gradient | Basis::Value => (0.6, 8.0),
            Basis::Simplex => (8.0, 0.0),
            Basis::Cellular => (20.0, 0.0),
        };
        let (mut features, mut nanoseconds) = (f64::from(self.frequency), 2.0);
        for _ in 0..self.len() {
            let places = (features / grid.longer() as f64).min(1.0);
            nanoseconds += sample + place * places * places;
            features *= f64::from(self.lacunarity);
        }
        estimate::of_samples(grid, nanoseconds)
    }

    /// The largest possible absolute value of the weighted sum.
    pub(super) fn bound(&self) -> f32 {
        self.weights().iter().map(|octave| octave.weight * octave.share).sum()
    }

    /// The noise of an octave in formulas.
    pub(super) fn noise(&self) -> String {
        format!("Nᵢ({} x · {}ⁱ)", brief(self.frequency), brief(self.lacunarity))
    }

    /// The weights of the octaves and the kind of noise in formulas.
    pub(super) fn formula(&self) -> String {
        let weights = self.weights_formula(|last, share| format!("w{last} × {share}"));
        format!("{weights},  N: {}", self.noise_kind())
    }

    /// The kind of noise in formulas.
    pub(super) fn noise_kind(&self) -> &'static str {
        self.basis.names()[self.basis.index()]
    }

    /// The weights and the number of the octaves in formulas; `partial` says what becomes of the last one, by
    /// its index and its share.
    pub(super) fn weights_formula(&self, partial: impl Fn(String, String) -> String) -> String {
        let partial = match self.count.fract() {
            0.0 => String::new(),
            share => format!(",  {}", partial(subscript(self.len() - 1), brief(share))),
        };
        let (lacunarity, hurst) = (brief(self.lacunarity), brief(self.hurst));
        let faded = if self.fade { ", fine ones fade" } else { "" };
        format!("wᵢ = {lacunarity}^(−{hurst} i),  {}{faded}{partial}", counted('i', self.len()))
    }

    /// How values without a bound become heights up to `height`, in formulas: see
    /// [`fill_rescaled`](Self::fill_rescaled).
    pub(super) fn formula_of_range(height: f32) -> String {
        let height = brief(height);
        format!("h = {height} · (v − a) / (b − a),  kept within 0 … {height},  v from a to b")
    }

    /// The noise of all octaves over a region.
    fn over(&self, region: Region, seed: u64) -> Vec<Octave> {
        let of = |index: u32| {
            let finer = libm::pow(f64::from(self.lacunarity), f64::from(index));
            let seed = noise::stream(seed, u64::from(index));
            Octave::new(self.basis, seed, f64::from(self.frequency) * finer, region)
        };
        (0..self.len()).map(of).collect()
    }

    /// Fills a field with the samples of [`bands`](Self::bands). Observers see the land of the first
    /// octave, of the first two, and so on, each computed from the first octave on.
    pub(super) fn fill<Combine: Fn(f32, Sample) -> Sample>(
        &self,
        region: Region,
        seed: u64,
        (stage, work): (&str, &Work),
        first: Sample,
        combine: impl Fn(Weight) -> Combine + Sync,
        height: impl Fn(f32) -> f32 + Sync,
    ) -> Result<Heightfield> {
        let all = self.len() as usize;
        let make = self.first_octaves(region, seed, first, combine, height);
        let grid = region.grid();
        let of_octaves = |count: usize| {
            work.stage(stage, grid.depth);
            let mut field = Heightfield::flat(grid, 0.0);
            let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
            let fewest = WORTH_A_THREAD.div_ceil(grid.width * BAND);
            bands.with_min_len(fewest).try_for_each_init(Scratch::default, |scratch, (band, heights)| {
                make(count, band * BAND, heights, scratch, work)?;
                work.advance(heights.len() / grid.width);
                Ok(())
            })?;
            Ok(field)
        };
        // Observers see each sum as the generator would return it, so it is computed from the first octave
        // again.
        for count in 1..all {
            work.frame("octave", count, all, || of_octaves(count))?;
        }
        let field = of_octaves(all)?;
        work.frame("octave", all, all, || Ok(&field))?;
        Ok(field)
    }

    /// Returns a function that computes at most [`BAND`] rows of a field, starting at a given one. Samples
    /// begin as `first`; for each octave, `combine(octave)` maps the octave's noise N and the sample to the
    /// next sample; `height` maps the last one to a height.
    pub(super) fn bands<Combine: Fn(f32, Sample) -> Sample>(
        self,
        region: Region,
        seed: u64,
        first: Sample,
        combine: impl Fn(Weight) -> Combine + Sync,
        height: impl Fn(f32) -> f32 + Sync,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync {
        let all = self.len() as usize;
        let make = self.first_octaves(region, seed, first, combine, height);
        move |row, heights, scratch, work| make(all, row, heights, scratch, work)
    }

    /// As [`bands`](Self::bands), for the first octaves only.
    fn first_octaves<Combine: Fn(f32, Sample) -> Sample>(
        self,
        region: Region,
        seed: u64,
        first: Sample,
        combine: impl Fn(Weight) -> Combine + Sync,
        height: impl Fn(f32) -> f32 + Sync,
    ) -> impl Fn(usize, usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync {
        let weights = self.weights().into_iter().enumerate();
        let weights = weights
            .map(|(index, weight)| Weight { share: weight.share * self.left(index, region), ..weight });
        let octaves: Vec<(Octave, Weight)> = self.over(region, seed).into_iter().zip(weights).collect();
        // The first one is needed to begin with.
        let there = octaves.iter().take_while(|(_, weight)| weight.share > 0.0).count().max(1);
        let grid = region.grid();
        move |count, row, heights, scratch, work| {
            let Room { lines, samples } = scratch.room();
            let rows = row..row + heights.len() / grid.width;
            // Octaves are the inner loop: the samples of a stretch stay in the L1 cache while all are added.
            for stretch in stretches(grid) {
                for (index, (octave, weight)) in octaves[..count.min(there)].iter().enumerate() {
                    work.check()?;
                    let combine = combine(*weight);
                    let next = |noise, sample| {
                        let next = combine(noise, sample);
                        (next.value, next.weight)
                    };
                    let (rows, lines, samples) = (rows.clone(), &mut *lines, &mut **samples);
                    // The first octave does not read the samples, so they aren't initialised.
                    if index == 0 {
                        octave.combine(&stretch, rows, lines, samples, |noise, _, _| next(noise, first));
                    } else {
                        octave.combine(&stretch, rows, lines, samples, |noise, value, weight| {
                            next(noise, Sample { value, weight })
                        });
                    }
                }
                for (row, values) in heights.chunks_mut(grid.width).zip(&samples.values) {
                    row[stretch.clone()]
                        .iter_mut()
                        .zip(values)
                        .for_each(|(out, value)| *out = height(*value));
                }
            }
            Ok(())
        }
    }
}

/// Samples that one thread makes at least: waking another takes as long as making some thousands of them.
const WORTH_A_THREAD: usize = 1 << 15;

/// Declares the parameters of a fractal, as `params!` does: height, frequency and Hurst exponent with the
/// given defaults, then its own, `basis` among them.
macro_rules! fractal {
    (
        $(#[doc = $doc:literal])+
        pub struct $Fractal:ident {
            $(#[doc = $height_doc:literal])+
            height: $height:literal,
            frequency: $frequency:literal,
            hurst: $hurst:literal;
            $($own:tt)+
        }
    ) => {
        $crate::params::params! {
            $(#[doc = $doc])+
            pub struct $Fractal {
                $(#[doc = $height_doc])+
                pub height: f32 = $height, "m" in 0.0..=12000.0;
                /// Features of the first octave per unit: along the longer side, or in `unit` metres of
                /// endless land.
                pub frequency: f32 = $frequency, "" in 0.05..=1024.0, log;
                /// Lacunarity: how many times finer each octave is than the one before.
                pub lacunarity: f32 = 2.0, "" in 1.1..=8.0;
                /// Number of octaves; a fraction adds that share of the next one.
                pub octaves: f32 = 9.0, "" in 1.0..=16.0;
                /// Hurst exponent H: 1 is smooth; near 0 every octave is as strong as the first.
                pub hurst: f32 = $hurst, "" in 0.0..=2.0;
                /// Leaves out octaves that there are too few samples for: they fade from four samples a
                /// feature to two. So detail can go on below the land's own spacing without becoming noise
                /// where samples are farther apart; there the height of a place depends on the level.
                pub fade: bool = false;
                $($own)+
            }
        }
    };
}
pub(super) use fractal;

/// The [`Octaves`] of a struct of [`fractal!`].
macro_rules! octaves_of {
    ($fractal:expr) => {
        $crate::steps::generate::fractal::Octaves {
            basis: $fractal.basis,
            frequency: $fractal.frequency,
            lacunarity: $fractal.lacunarity,
            count: $fractal.octaves,
            hurst: $fractal.hurst,
            fade: $fractal.fade,
        }
    };
}
pub(super) use octaves_of;
