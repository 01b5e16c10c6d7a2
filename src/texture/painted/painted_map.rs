//! A painted map of terrain types in a texture: each type with an id lies where the map says so.
//!
//! The map is enlarged, its corners are rounded, and its borders are frayed by noise; between four
//! cells the types mix.

use glam::Vec2;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::params::{in_recipes, params};

use super::type_map::TypeMap;
use crate::texture::bake::surface::TILE;
use crate::texture::types::TerrainType;

/// A type that the map puts elsewhere is farther from qualifying than any that it puts here.
const ELSEWHERE: f32 = 1e6;

/// Noise moves no border farther than this, cells: across every map there can be.
const MOST_CELLS: f32 = 1e9;

params! {
    /// Which picture says where the types with an id lie, and how it is brought to the texture's size.
    /// Its outermost pixels lie on the land's border, as the samples of imported heights do.
    ///
    /// ```
    /// let texture: upland::texture::Texture = ron::from_str(
    ///     r##"(map: Some((file: "types.png", majority: 9, roughen: 40)), types: [
    ///         (id: Some(0), name: "water", colour: "#2b4a5e"),
    ///         (id: Some(1), name: "sand", colour: "#c8b482"),
    ///     ])"##,
    /// )?;
    /// assert_eq!(texture.map.unwrap().scale, 16);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct PaintedMap {
        /// A palette image, PNG or BMP, whose indices are the types' ids; with `colours` any picture of
        /// 8 bits a channel.
        pub file: FilePath = FilePath::default(), required;
        /// What colour stands for id 0, 1, 2 …; in a recipe "#rrggbb". Without any the picture's own
        /// indices count.
        pub colours: Vec<[u8; 3]> = Vec::new(), "colours" in 0.0..=256.0;
        /// Every pixel becomes so many cells along each side; types mix over the width of a cell.
        pub scale: u32 = 16, "cells a pixel" in 1.0..=64.0;
        /// Side of the window of the majority filter that rounds the blocks' corners: an odd number, 1 for
        /// none.
        pub majority: u32 = 1, "cells" in 1.0..=255.0;
        /// How far noise moves the borders.
        pub roughen: f32 = 0.0, "m" in 0.0..=100_000.0;
    }
    law PaintedMap::has_a_middle;
}

in_recipes!(PaintedMap);

impl PaintedMap {
    /// The map in `file`, with nothing else said.
    pub fn new(file: FilePath) -> Self {
        Self { file, ..Self::default() }
    }

    /// Reads the picture.
    ///
    /// # Errors
    /// As [`TypeMap::read`].
    pub fn read(&self) -> Result<TypeMap> {
        self.file.read_with(
            |path| TypeMap::read(path, &self.colours),
            |path, bytes| TypeMap::read_bytes(path, bytes, &self.colours),
        )
    }

    /// What is wrong with the window, if anything.
    fn has_a_middle(&self) -> Result<(), String> {
        if self.majority % 2 == 1 {
            return Ok(());
        }
        let (window, odd) = (self.majority, self.majority + 1);
        Err(format!("majority is {window}; a window has a middle, so give an odd number such as {odd}"))
    }
}

/// A painted map made ready for `columns × rows` texels over a field.
pub(crate) struct Cover {
    map: TypeMap,
    columns: Axis,
    rows: Axis,
}

/// The map along one side.
struct Axis {
    /// The number, on the whole map, of the first texel.
    origin: i64,
    cells: usize,
    /// Cells from one texel to the next, and where the first texel lies.
    cells_per_texel: f32,
    first: f32,
    /// Cells that noise moves a border at most.
    roughen: f32,
}

/// A row's or a column's place between two cells.
struct Between {
    before: usize,
    after: usize,
    share: f32,
}

/// The four cells around each texel of a run.
pub(crate) struct CoverRun {
    ids: [[u8; 4]; TILE],
    shares: [[f32; 4]; TILE],
}

impl Cover {
    /// Reads the picture, and sees to it that each of its ids has a type. The picture lies over a map of so
    /// many texels and metres; what is painted begins at texel `origin` of it.
    pub(crate) fn new(
        source: &PaintedMap,
        types: &[TerrainType],
        (texels, metres): ([f32; 2], Vec2),
        origin: [i64; 2],
        work: &Work,
    ) -> Result<Self> {
        let map = source.read()?;
        let counts = map.counts();
        if let Some(id) = (0..=255u8)
            .find(|&id| counts[usize::from(id)] > 0 && types.iter().all(|kind| kind.id != Some(id)))
        {
            let count = counts[usize::from(id)];
            let reason = format!("{count} pixels of the map have the id {id}; give a type with `id: {id}`");
            return Err(Error::parameter("texture.types", reason));
        }
        let axis = |axis: usize, pixels: usize| Axis {
            origin: origin[axis],
            ..Axis::new(source, pixels, texels[axis], metres[axis])
        };
        let (columns, rows) = (axis(0, map.width()), axis(1, map.depth()));
        Ok(Self { map: map.enlarged(source.scale, source.majority, work)?, columns, rows })
    }

    /// The cells around the run of texels that begins at `start`; noise in [−1, 1] moves the places.
    pub(crate) fn read_run(
        &self,
        row: usize,
        start: usize,
        (east, south): (&[f32; TILE], &[f32; TILE]),
        out: &mut CoverRun,
    ) {
        let (ids, width) = (self.map.ids(), self.map.width());
        for index in 0..TILE {
            let x = self.columns.between(start + index, east[index]);
            let z = self.rows.between(row, south[index]);
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
            // The middle of the first pixel lies on the border.
            first: (0.5 * pixels_per_texel + 0.5) * scale - 0.5,
            // On a land of no size at all a metre is no number of cells.
            roughen: if source.roughen > 0.0 {
                (source.roughen * cells_per_metre).min(MOST_CELLS)
            } else {
                0.0
            },
        }
    }

    fn between(&self, texel: usize, noise: f32) -> Between {
        let place =
            self.first + (self.origin + texel as i64) as f32 * self.cells_per_texel + self.roughen * noise;
        let place = place.clamp(0.0, (self.cells - 1) as f32);
        let before = place as usize;
        Between { before, after: (before + 1).min(self.cells - 1), share: place - before as f32 }
    }
}

impl CoverRun {
    /// Nothing read yet.
    pub(crate) const EMPTY: Self = Self { ids: [[0; 4]; TILE], shares: [[0.0; 4]; TILE] };

    /// How much of a texel the map leaves to a type: 1 for one without an id.
    pub(crate) fn share(&self, id: Option<u8>, index: usize) -> f32 {
        let Some(id) = id else { return 1.0 };
        let cells = self.ids[index].iter().zip(&self.shares[index]);
        cells.map(|(&cell, &share)| if cell == id { share } else { 0.0 }).sum()
    }

    /// Leaves of a type's weights what the map leaves to it.
    pub(crate) fn limit(&self, id: Option<u8>, weights: &mut [f32; TILE]) {
        if id.is_some() {
            for (index, weight) in weights.iter_mut().enumerate() {
                *weight *= self.share(id, index);
            }
        }
    }

    /// What adds to a type's distance from qualifying.
    pub(crate) fn distance(&self, id: Option<u8>, index: usize) -> f32 {
        ELSEWHERE * (1.0 - self.share(id, index))
    }
}
