//! How large a recipe's land is and how far apart its samples lie, and the same land with another number of
//! samples.

use super::skin::PREVIEW_TEXELS;
use super::{CELLS, Recipe};
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, MAX_SAMPLES, Region, Window};
use crate::params;

impl Recipe {
    /// The grid of the land.
    ///
    /// # Errors
    /// When size or cell is impossible. A cell above [`CELLS`] is accepted here, because previews of the
    /// largest land have such cells.
    pub fn grid(&self) -> Result<Grid> {
        self.grid_of(self.size)
    }

    /// A grid of this many samples, as far apart as the land's.
    fn grid_of(&self, (width, depth): (u32, u32)) -> Result<Grid> {
        if self.cell < *CELLS.start() {
            params::check_chosen(self, |name| name == "cell")?;
        }
        Grid::new(width as usize, depth as usize, self.cell)
    }

    /// The domain of this recipe's land.
    ///
    /// # Errors
    /// When size, cell or unit is impossible.
    pub fn domain(&self) -> Result<Domain> {
        match self.unit {
            Some(unit) => Domain::endless(self.cell, unit),
            None if u64::from(self.size.0) * u64::from(self.size.1) <= MAX_SAMPLES as u64 => {
                Ok(Domain::of(self.grid()?))
            }
            // Each side by itself: of land that cannot be held as a whole there are windows.
            None => {
                let (columns, rows) = (self.grid_of((self.size.0, 1))?, self.grid_of((1, self.size.1))?);
                Ok(Domain::of(Grid { depth: rows.depth, ..columns }))
            }
        }
    }

    /// The region that [`build`](Self::build) makes: all of a bounded land; on endless land, `size` samples
    /// around the origin.
    ///
    /// # Errors
    /// As [`domain`](Self::domain).
    pub fn shown(&self) -> Result<Region> {
        let (width, depth) = self.size;
        let domain = self.domain()?;
        let first = |side: u32| if domain.is_endless() { -i64::from(side / 2) } else { 0 };
        domain.region(Window { level: 0, first: [first(width), first(depth)], size: [width, depth] })
    }

    /// The same land with `samples` along its longer side; the extent stays the same. A single sample has
    /// no extent, so to and from one the cell stays the same instead.
    ///
    /// The cell may end up outside [`CELLS`]; [`resized`](Self::resized) refuses that.
    pub fn with_longer_side(&self, samples: u32) -> Self {
        let (width, depth) = self.size;
        let samples = samples.max(1);
        if samples == 1 || width.max(depth) <= 1 {
            return Self { size: (samples, samples), ..self.clone() };
        }
        // By gaps and not by samples: the land keeps its extent.
        let scale = (samples - 1) as f32 / (width.max(depth) - 1) as f32;
        let scaled = |count: u32| ((count.saturating_sub(1) as f32 * scale).round() as u32).saturating_add(1);
        Self { size: (scaled(width), scaled(depth)), cell: self.cell / scale, ..self.clone() }
    }

    /// As [`with_longer_side`](Self::with_longer_side), checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the number of samples or the cell is not accepted for recipes.
    pub fn resized(&self, samples: u32) -> Result<Self> {
        let resized = self.with_longer_side(samples);
        resized.check().map_err(|error| {
            let (width, depth) = self.size;
            let reason = format!("with {samples} samples along the longer side of {width}×{depth}, {error}");
            Error::parameter("size", reason)
        })?;
        Ok(resized)
    }

    /// A version that is quick to build: `samples` along the longer side, and at most three texels a
    /// sample.
    pub fn preview(&self, samples: u32) -> Self {
        let mut preview = self.with_longer_side(samples);
        preview.texture = self.drawn_texture().of_few_texels(samples, PREVIEW_TEXELS);
        preview
    }

    /// This land with at most `samples` along the longer side; of endless land the unit east and south of its
    /// origin.
    pub(crate) fn of_one_unit(&self, samples: u32) -> Result<Self> {
        let mut bounded = self.clone();
        if let Some(unit) = bounded.unit.take() {
            (bounded.size, bounded.cell) = ((samples, samples), unit / (samples - 1) as f32);
            return Ok(bounded);
        }
        let (width, depth) = bounded.size;
        if width.max(depth) > samples { bounded.resized(samples) } else { Ok(bounded) }
    }
}
