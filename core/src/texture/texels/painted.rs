//! A painted map under a run of texels: the share of each texel that it leaves to a terrain type.
//!
//! The map is enlarged, its corners are rounded, and noise frays its borders. A texel lies between the
//! centres of four of its cells, whose types mix.

use std::sync::Arc;

use glam::Vec2;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::texture::painted::{PaintedMap, TypeMap};
use crate::texture::types::TerrainType;

use super::RUN;

/// A type that the map puts elsewhere is farther from qualifying than any type that it puts here.
const ELSEWHERE: f32 = 1e6;

/// The farthest that noise moves a border, cells: across any possible map.
const MOST_CELLS: f32 = 1e9;

/// A painted map prepared for reading texel by texel.
pub(crate) struct PreparedMap {
    map: Arc<TypeMap>,
    columns: Axis,
    rows: Axis,
}

/// How texels lie over the map's cells along one axis.
struct Axis {
    /// The number of the first texel, counted over the whole land.
    origin: i64,
    cells: usize,
    /// Cells from one texel to the next, and the position of texel 0 in cells.
    cells_per_texel: f32,
    first: f32,
    /// The most cells by which noise moves a border.
    roughen: f32,
}

/// The two cells whose centres are on both sides of a place along an axis, and the share of the way to the
/// second.
struct Tap {
    before: usize,
    after: usize,
    share: f32,
}

/// The ids of the four cells around each texel of a run, and each cell's share of the texel.
pub(crate) struct PaintedRun {
    ids: [[u16; 4]; RUN],
    shares: [[f32; 4]; RUN],
}

impl PreparedMap {
    /// Reads a picture and enlarges it.
    ///
    /// # Errors
    /// When it cannot be read or enlarged, or one of its ids has no type; [`Error::Cancelled`].
    pub(crate) fn read(source: &PaintedMap, types: &[TerrainType], work: &Work) -> Result<TypeMap> {
        let map = source.read()?;
        let is_known = |id: u16| types.iter().any(|kind| kind.id == Some(id));
        if let Some((id, count)) = map.counts().into_iter().find(|(id, _)| !is_known(*id)) {
            let reason = format!("{count} pixels of the map have the id {id}; give a type with `id: {id}`");
            return Err(Error::parameter("texture.types", reason));
        }
        map.enlarged(source.scale, source.majority, work)
    }

    /// The picture that was [read](Self::read), over a land with this many `texels` and `metres`. Texels are
    /// counted from number `origin` of that land.
    pub(crate) fn new(
        source: &PaintedMap,
        map: Arc<TypeMap>,
        (texels, metres): ([f32; 2], Vec2),
        origin: [i64; 2],
    ) -> Self {
        let axis = |axis: usize, cells: usize| Axis {
            origin: origin[axis],
            ..Axis::new(source, cells / source.scale as usize, texels[axis], metres[axis])
        };
        let (columns, rows) = (axis(0, map.width()), axis(1, map.depth()));
        Self { map, columns, rows }
    }

    /// Reads the run of a row that begins at texel `start`; noise in [−1, 1] moves its texels' positions.
    pub(crate) fn read_run(
        &self,
        row: usize,
        start: usize,
        (east, south): (&[f32; RUN], &[f32; RUN]),
        out: &mut PaintedRun,
    ) {
        let (ids, width) = (self.map.ids(), self.map.width());
        for index in 0..RUN {
            let x = self.columns.tap(start + index, east[index]);
            let z = self.rows.tap(row, south[index]);
            let (north, south) = (z.before * width, z.after * width);
            let corners = [north + x.before, north + x.after, south + x.before, south + x.after];
            out.ids[index] = corners.map(|cell| ids[cell]);
            let (west, north) = (1.0 - x.share, 1.0 - z.share);
            out.shares[index] = [west * north, x.share * north, west * z.share, x.share * z.share];
        }
    }
}

impl Axis {
    fn new(source: &PaintedMap, pixels: usize, texels: f32, metres: f32) -> Self {
        let scale = source.scale as f32;
        let steps = (pixels - 1) as f32;
        let pixels_per_texel = steps / texels;
        let cells_per_metre = if metres > 0.0 { steps * scale / metres } else { 0.0 };
        Self {
            origin: 0,
            cells: pixels * source.scale as usize,
            cells_per_texel: pixels_per_texel * scale,
            // The centre of the first pixel lies on the land's border.
            first: (0.5 * pixels_per_texel + 0.5) * scale - 0.5,
            // On a land without extent, metres cannot be converted to cells.
            roughen: if source.roughen > 0.0 {
                (source.roughen * cells_per_metre).min(MOST_CELLS)
            } else {
                0.0
            },
        }
    }

    fn tap(&self, texel: usize, noise: f32) -> Tap {
        let place =
            self.first + (self.origin + texel as i64) as f32 * self.cells_per_texel + self.roughen * noise;
        // Beyond the border the map's outermost cells continue, also where noise leads there.
        let place = place.clamp(0.0, (self.cells - 1) as f32);
        let before = place as usize;
        Tap { before, after: (before + 1).min(self.cells - 1), share: place - before as f32 }
    }
}

impl PaintedRun {
    /// Nothing read yet.
    pub(crate) const EMPTY: Self = Self { ids: [[0; 4]; RUN], shares: [[0.0; 4]; RUN] };

    /// The share of a texel that the map leaves to the type with an id; 1 for a type without one.
    pub(crate) fn share(&self, id: Option<u16>, index: usize) -> f32 {
        let Some(id) = id else { return 1.0 };
        let cells = self.ids[index].iter().zip(&self.shares[index]);
        cells.map(|(&cell, &share)| if cell == id { share } else { 0.0 }).sum()
    }

    /// Multiplies a type's weights by the shares that the map leaves to it.
    pub(crate) fn limit(&self, id: Option<u16>, weights: &mut [f32; RUN]) {
        if id.is_some() {
            for (index, weight) in weights.iter_mut().enumerate() {
                *weight *= self.share(id, index);
            }
        }
    }

    /// The map's addition to a type's distance from qualifying.
    pub(crate) fn distance(&self, id: Option<u16>, index: usize) -> f32 {
        ELSEWHERE * (1.0 - self.share(id, index))
    }
}
