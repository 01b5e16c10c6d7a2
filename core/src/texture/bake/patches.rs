//! Baking a map in patches, one after another, so that it may be larger than memory.

use crate::compute::work::Work;
use crate::error::{Error, Result};

use super::baked::Baked;
use super::baker::Baker;
use super::window::MapWindow;

/// The most patches of a map: those of the largest one then have 64 texels a side.
const MAX_PATCHES: usize = 1 << 20;

/// How a map is divided into patches: as equal as whole texels allow, together exactly the map.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::Patches;
/// let patches = Patches::new((4096, 2048), 4, 2)?;
/// assert_eq!(patches.window(3, 1).column, 3072);
/// assert_eq!(patches.row_by_row().len(), 8);
/// assert_eq!(patches.nearest_first(4000.0, 0.0)[0], (3, 0));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patches {
    size: (usize, usize),
    columns: usize,
    rows: usize,
}

impl Patches {
    /// A map of `size` texels along +X and +Z in `columns × rows` patches.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there are no patches, more than texels along a side, or more than a million.
    pub fn new(size: (usize, usize), columns: usize, rows: usize) -> Result<Self> {
        if columns == 0 || rows == 0 || columns > size.0 || rows > size.1 {
            let (width, depth) = size;
            let reason = format!(
                "{width}×{depth} texels cannot be cut into {columns}×{rows} patches; \
                 give from 1 to {width} columns and from 1 to {depth} rows"
            );
            return Err(Error::parameter("patches", reason));
        }
        if columns.checked_mul(rows).is_none_or(|count| count > MAX_PATCHES) {
            let reason = format!("{columns}×{rows} are too many; give at most {MAX_PATCHES} in all");
            return Err(Error::parameter("patches", reason));
        }
        Ok(Self { size, columns, rows })
    }

    /// The fewest patches that have at most `side` texels a side.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `side` or the map is 0.
    pub fn at_most(size: (usize, usize), side: usize) -> Result<Self> {
        let count = |texels: usize| if side == 0 { 0 } else { texels.div_ceil(side) };
        Self::new(size, count(size.0), count(size.1))
    }

    /// Patches along +X.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Patches along +Z.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The texels of a patch.
    pub fn window(&self, column: usize, row: usize) -> MapWindow {
        // Whole texels, whose parts differ by one at most; neighbours share the same division, so none is
        // missed.
        let part = |index: usize, count: usize, texels: usize| index * texels / count;
        let (x, z) = (part(column, self.columns, self.size.0), part(row, self.rows, self.size.1));
        let width = part(column + 1, self.columns, self.size.0) - x;
        let depth = part(row + 1, self.rows, self.size.1) - z;
        MapWindow { column: x, row: z, width, depth }
    }

    /// Column and row of every patch, row by row from the north-west.
    pub fn row_by_row(&self) -> Vec<(usize, usize)> {
        let Self { columns, rows, .. } = *self;
        (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))).collect()
    }

    /// Column and row of every patch, by the distance of its middle from a place, which is given in texels
    /// from the map's north-west corner.
    pub fn nearest_first(&self, x: f32, z: f32) -> Vec<(usize, usize)> {
        let away = |&(column, row): &(usize, usize)| {
            let MapWindow { column, row, width, depth } = self.window(column, row);
            let middle = |first: usize, count: usize| first as f32 + 0.5 * count as f32;
            let (x, z) = (middle(column, width) - x, middle(row, depth) - z);
            x * x + z * z
        };
        let mut patches = self.row_by_row();
        // A stable sort: equally near patches stay in their order, row by row.
        patches.sort_by(|a, b| away(a).total_cmp(&away(b)));
        patches
    }
}

/// A patch that has been baked.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Its number along +X.
    pub column: usize,
    /// Its number along +Z.
    pub row: usize,
    /// Its texels on the map.
    pub window: MapWindow,
    /// The result for them.
    pub baked: Baked,
}

/// A painter of any part of a map: a [`Baker`], or a [`FadeBaker`](crate::texture::FadeBaker) for textures
/// that fade into each other.
pub trait PaintWindow {
    /// Texels of the whole map along +X and +Z.
    fn size(&self) -> (usize, usize);

    /// Paints a part of the map, as part of a stage of `work` that has begun.
    ///
    /// # Errors
    /// As [`Baker::paint`].
    fn paint_window(&self, window: MapWindow, work: &Work) -> Result<Baked>;
}

impl PaintWindow for Baker<'_> {
    fn size(&self) -> (usize, usize) {
        Baker::size(self)
    }

    fn paint_window(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        Baker::paint_window(self, window, work)
    }
}

/// Bakes patches one after another, each on all cores, and passes each to `sink`, which may write it to disk
/// and drop it. `order` gives their columns and rows. Joined they are the whole map, bit for bit.
///
/// # Errors
/// As [`Baker::paint`], and those of `sink`, which end the work.
pub fn bake_patches(
    baker: &impl PaintWindow,
    patches: &Patches,
    order: &[(usize, usize)],
    mut sink: impl FnMut(Patch) -> Result<()>,
    work: &Work,
) -> Result<()> {
    if let Some(&(column, row)) =
        order.iter().find(|(column, row)| *column >= patches.columns || *row >= patches.rows)
    {
        let reason = format!(
            "there is no patch in column {column}, row {row} of {}×{}",
            patches.columns, patches.rows
        );
        return Err(Error::parameter("patches", reason));
    }
    let windows = order.iter().map(|&(column, row)| (column, row, patches.window(column, row)));
    // One stage for all patches, counted in rows, so that progress doesn't begin again with each.
    work.stage("texture", windows.clone().map(|(_, _, window)| window.depth).sum());
    for (column, row, window) in windows {
        let baked = baker.paint_window(window, work)?;
        sink(Patch { column, row, window, baked })?;
    }
    Ok(())
}
