//! Baking a window: texels have the same bits in every window of a level.
//!
//! Weights follow from the window's own heights. Factors that depend on distant land (sky view, shadows,
//! wetness and others) are computed on all of a bounded land at level 0, and interpolated linearly between
//! its samples. On endless land they are computed in blocks with a margin around each; the blocks'
//! positions are fixed, whatever window is asked for.

use super::{Cache, Recipe};
use crate::analysis::{Factor, Land, Layer, Surroundings};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, Region, Window};
use crate::texture::{Fade, FadeBaker, MapWindow, Part, Prepared};

/// Side, in samples, of a block on endless land.
const BLOCK: i64 = 256;

/// Margin around a block that its factors can depend on, samples.
const MARGIN: u32 = 128;

/// The most blocks that a window may need; for more, ask at a coarser level.
const MOST_BLOCKS: usize = 1024;

/// Samples along the side of the lattice on which the height range of endless land is measured, and the
/// units that it covers.
const RANGE_SIDE: u32 = 129;
const RANGE_UNITS: f64 = 8.0;

/// A window of a land, prepared for painting.
pub struct WindowBake {
    fade: Fade,
    /// The window and its surroundings.
    field: Heightfield,
    prepared: Prepared,
    part: Part,
    /// The window's texels on the map over `field`.
    texels: MapWindow,
    wetness: Option<Layer>,
    sea_level: Option<f32>,
    seed: u64,
}

impl WindowBake {
    /// The baker for it. Only the texels of [`texels`](Self::texels) are valid.
    ///
    /// # Errors
    /// As [`Fade::baker`].
    pub fn baker(&self, weights: bool, work: &Work) -> Result<FadeBaker<'_>> {
        let land = Land { field: &self.field, sea_level: self.sea_level, rivers: &[] };
        self.fade.baker_of_part(land, &self.prepared, weights, self.seed, Some(self.part), work)
    }

    /// The window's texels on the baker's map.
    pub fn texels(&self) -> MapWindow {
        self.texels
    }

    /// The heights that the baker's map covers: those of the window and some around it.
    pub fn field(&self) -> &Heightfield {
        &self.field
    }

    /// Wetness at the samples of [`field`](Self::field), if it was asked for.
    pub fn wetness(&self) -> Option<&Layer> {
        self.wetness.as_ref()
    }

    /// Notes for the user about the preparation, such as that a mask was resampled.
    pub fn notes(&self) -> &[String] {
        &self.prepared.notes
    }
}

impl Recipe {
    /// Prepares a window for painting, with `texels` texels along each of its cells: 1, 2, 4 … 256. A
    /// window of W × D samples has W − 1 × D − 1 cells; the texture's own resolution has no effect. A texel
    /// has the same bits in every window of its level.
    ///
    /// ```
    /// use upland::{Cache, Preset, Work};
    ///
    /// let recipe = Preset::find("downs").unwrap().recipe()?.with_longer_side(65);
    /// let (cache, work) = (Cache::default(), Work::new());
    /// let ready = recipe.prepare_window("-1:20,30,33x17".parse()?, 2, false, &cache, &work)?;
    /// let colour = ready.baker(false, &work)?.paint(ready.texels(), &work)?.colour;
    /// assert_eq!((colour.width, colour.depth), (64, 32));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build_window`](Self::build_window); when `texels` has another value; when the window has no
    /// cell; and those of the baker.
    pub fn prepare_window(
        &self,
        window: Window,
        texels: u32,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<WindowBake> {
        if !(texels.is_power_of_two() && texels <= 256) {
            let reason = format!("{texels} texels along a cell are not possible; give 1, 2, 4 … or 256");
            return Err(Error::parameter("texels", reason));
        }
        let region = self.domain()?.region(window)?;
        if window.size.contains(&1) {
            let reason = format!("{window} has no cell to paint; give at least 2 samples along either side");
            return Err(Error::parameter("window", reason));
        }
        let around = Part::region_around(&region, texels)?;
        let field = self.ground_in(&around, &[], Some(cache), work)?.heights;
        let fade = self.texture.fade();
        let (prepared, wetness) = match self.domain()?.whole() {
            Some(whole) => self.known_of_all(&fade, &whole, &around, wetness, cache, work)?,
            None => self.known_of_blocks(&fade, &around, wetness, cache, work)?,
        };
        let offset = [0, 1].map(|axis| (window.first[axis] - around.window().first[axis]) as usize);
        let [column, row] = offset.map(|samples| samples * texels as usize);
        let [width, depth] = window.size.map(|side| (side as usize - 1) * texels as usize);
        Ok(WindowBake {
            fade,
            field,
            prepared,
            part: Part::over(&around, texels),
            texels: MapWindow { column, row, width, depth },
            wetness,
            sea_level: self.sea_level(),
            seed: self.seed,
        })
    }

    /// Prepares a region of bounded land.
    fn known_of_all(
        &self,
        fade: &Fade,
        whole: &Region,
        around: &Region,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<(Prepared, Option<Layer>)> {
        let (ground, key) = self.ground_with(&fade.layers(), Some(cache), work)?;
        let land = self.land(&ground.heights, &ground.rivers);
        let known = key.and_then(|key| cache.surroundings(key));
        let known = known.unwrap_or_else(|| Surroundings::new(&ground.heights));
        let known = known.with_land_layers(ground.layers().clone());
        let prepared = fade.prepare(land, Some(known), work)?;
        if let Some(key) = key {
            cache.keep_surroundings(key, prepared.surroundings().clone().without_pictures());
        }
        let wetness = match wetness {
            true => Some(Factor::Wetness.measure(land, work)?.in_region(whole, around)),
            false => None,
        };
        Ok((prepared.in_region(fade, whole, around, work)?, wetness))
    }

    /// Prepares a region of endless land.
    fn known_of_blocks(
        &self,
        fade: &Fade,
        around: &Region,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<(Prepared, Option<Layer>)> {
        let domain = around.domain();
        let level = around.level().max(0);
        // The blocks that hold the region's samples and their neighbours, at the blocks' level.
        let shift = (level - around.level()) as u32;
        let along = |axis: usize| {
            let (first, size) = (around.window().first[axis], i64::from(around.window().size[axis]));
            (first >> shift).div_euclid(BLOCK)..=(((first + size - 1) >> shift) + 1).div_euclid(BLOCK)
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
        let range = self.range_of_endless(cache, work)?;
        let block = |first: [i64; 2], size: [usize; 2]| {
            let first = first.map(|number| number * BLOCK);
            domain.region(Window { level, first, size: size.map(|count| count as u32 * BLOCK as u32) })
        };
        let mut known = Vec::new();
        let mut wet = Vec::new();
        for z in rows.clone() {
            for x in columns.clone() {
                let inner = block([x, z], [1, 1])?;
                let outer = inner.grown_by(MARGIN)?;
                let ground = self.build_window_layers(outer.window(), &fade.layers(), cache, work)?;
                let land = self.land(&ground.heights, &[]);
                let written = ground.layers().clone();
                let surroundings = Surroundings::new(&ground.heights).with_land_layers(written);
                let prepared = fade.prepare(land, Some(surroundings), work)?;
                known.push(prepared.surroundings().in_region(&outer, &inner));
                if wetness {
                    wet.push(Factor::Wetness.measure(land, work)?.in_region(&outer, &inner));
                }
            }
        }
        let all = block([*columns.start(), *rows.start()], counts)?;
        let surroundings = Surroundings::of_blocks(&all, counts, &known, range);
        let wetness = wetness.then(|| Layer::of_blocks(&all, counts, &wet.iter().collect::<Vec<_>>()));
        // Notes tell of pictures that were resampled to the land: here one lies over a unit, whatever its size.
        let prepared = Prepared::of(surroundings, fade, &all, Vec::new(), work)?;
        let wetness = wetness.map(|layer| layer.in_region(&all, around));
        Ok((prepared.in_region(fade, &all, around, work)?, wetness))
    }

    /// The lowest and highest height of endless land, for limits given as shares of the range: measured on
    /// a lattice around the origin.
    fn range_of_endless(&self, cache: &Cache, work: &Work) -> Result<(f32, f32)> {
        let domain = self.domain()?;
        let cells = RANGE_UNITS / domain.in_units(0, 1) / f64::from(RANGE_SIDE - 1);
        let level = (libm::log2(cells).round() as i32).clamp(-20, 20);
        let first = [-i64::from(RANGE_SIDE / 2); 2];
        let region = domain.region(Window { level, first, size: [RANGE_SIDE; 2] })?;
        Ok(self.ground_in(&region, &[], Some(cache), work)?.heights.range())
    }
}
