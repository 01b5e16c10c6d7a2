//! A part of a land that is painted separately, as if all of the land were there.

use glam::Vec2;

use crate::grid::Region;

/// The place of a field's texels on the map of the whole land, and how many there are along each of the
/// field's cells. Tiles and noise are placed by it, so that they continue from part to part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// The number of the field's first texel along x and z, counted over the whole land.
    pub(super) origin: [i64; 2],
    /// Texels along a cell.
    pub(super) texels: u32,
    /// Texels of the whole land along x and z, and its metres; on endless land those of a unit.
    pub(super) whole: ([f32; 2], Vec2),
}

impl Part {
    /// The part over a region, with `texels` along each of its cells.
    pub(crate) fn over(region: &Region, texels: u32) -> Self {
        let (window, domain) = (region.window(), region.domain());
        let extent = domain.extent_in_units().unwrap_or([1.0; 2]);
        // In f64: texels of a whole land at a fine level exceed what f32 counts exactly.
        let in_unit = f64::from(texels) / domain.in_units(window.level, 1);
        let metres = extent.map(|side| (side * f64::from(domain.unit())) as f32);
        Self {
            origin: window.first.map(|first| first * i64::from(texels)),
            texels,
            whole: (extent.map(|side| (side * in_unit) as f32), metres.into()),
        }
    }

    /// The region to make for painting the cells of another. It has a sample more on every side, where there
    /// is land, because slopes are differences.
    ///
    /// # Errors
    /// When it would be too large.
    pub(crate) fn region_around(region: &Region) -> crate::Result<Region> {
        region.grown_by(1)
    }

    /// Texels over a field with this many samples along a side.
    pub(super) fn along(&self, samples: usize) -> usize {
        // A region of a single sample still has a texel.
        ((samples - 1) * self.texels as usize).max(1)
    }
}
