//! What a bake can be written as, besides its colours: maps of weights, of the strongest type, of
//! normals and of what was measured. All of them texel by texel over the same land.

use rayon::prelude::*;

use crate::grid::{Grid, Heightfield};

use crate::texture::analysis::surroundings::Layer;
use crate::texture::bake::WeightMap;
use crate::texture::bake::baker::Window;
use crate::texture::bake::surface::place;

/// Types that one splat map holds: one each in red, green, blue and alpha.
pub const TYPES_PER_SPLAT_MAP: usize = 4;

impl WeightMap {
    /// How many splat maps hold all types.
    pub fn splat_maps(&self) -> usize {
        self.types.div_ceil(TYPES_PER_SPLAT_MAP)
    }

    /// The weights of types 4 · `number` and the three after it as red, green, blue and alpha; 0 where
    /// there are no more types.
    ///
    /// ```
    /// use upland::texture::WeightMap;
    /// let shares = vec![10, 20, 30, 40, 155];
    /// let weights = WeightMap { width: 1, depth: 1, types: 5, shares, ..WeightMap::default() };
    /// assert_eq!(weights.splat_map(0), [[10, 20, 30, 40]]);
    /// assert_eq!(weights.splat_map(1), [[155, 0, 0, 0]]);
    /// ```
    pub fn splat_map(&self, number: usize) -> Vec<[u8; 4]> {
        let first = number * TYPES_PER_SPLAT_MAP;
        let texels = self.shares.par_chunks(self.types.max(1));
        texels
            .map(|shares| std::array::from_fn(|channel| shares.get(first + channel).copied().unwrap_or(0)))
            .collect()
    }

    /// The number of the type that has the largest share of each texel's ground, the first of equals;
    /// types beyond the 256th count as it. Layers are no ground.
    ///
    /// ```
    /// use upland::texture::WeightMap;
    /// let (shares, layers) = (vec![100, 155, 255], vec![2]);
    /// let weights = WeightMap { width: 1, depth: 1, types: 3, layers, shares };
    /// assert_eq!(weights.strongest(), [1]);
    /// ```
    pub fn strongest(&self) -> Vec<u8> {
        let texels = self.shares.par_chunks(self.types.max(1));
        let ground: Vec<usize> = (0..self.types).filter(|index| !self.layers.contains(index)).collect();
        let strongest = |shares: &[u8]| {
            let best = ground.iter().rev().max_by_key(|&&index| shares[index]).copied().unwrap_or(0);
            best.min(255) as u8
        };
        texels.map(strongest).collect()
    }
}

/// Which way green counts in a normal map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Green {
    /// Green is the part towards the picture's top, north: as OpenGL, Blender, Unity and Godot have it.
    #[default]
    Up,
    /// Green is the part towards the picture's bottom, south: as DirectX and Unreal have it.
    Down,
}

/// The normals of the ground in a window of a map of `size` texels: red is the part towards east, green
/// that towards north (or south, as [`Green`] says) and blue that upwards, −1 to 1 as 1 to 255 (128 is
/// 0). Level ground is (128, 128, 255).
///
/// ```
/// use upland::texture::{Green, Window, normal_map};
/// let grid = upland::Grid::new(3, 3, 1.0)?;
/// let rises_to_the_north = upland::Heightfield::from_fn(grid, |_, row| -(row as f32));
/// let texel = Window { column: 0, row: 0, width: 1, depth: 1 };
/// // The normal leans south, away from the picture's top.
/// assert_eq!(normal_map(&rises_to_the_north, (1, 1), texel, Green::Up), [[128, 38, 218]]);
/// # Ok::<(), upland::Error>(())
/// ```
pub fn normal_map(field: &Heightfield, size: (usize, usize), window: Window, green: Green) -> Vec<[u8; 3]> {
    let Grid { width, depth, .. } = field.grid();
    let level = |part: f32| (part * 127.0 + 128.0).round().clamp(0.0, 255.0) as u8;
    let mut texels = vec![[0; 3]; window.width * window.depth];
    texels.par_chunks_mut(window.width.max(1)).enumerate().for_each(|(row, texels)| {
        let z = place(window.row + row, size.1, depth);
        for (column, texel) in texels.iter_mut().enumerate() {
            let x = place(window.column + column, size.0, width);
            let normal = field.normal_between(x, z);
            let south = if green == Green::Up { -normal.z } else { normal.z };
            *texel = [level(normal.x), level(south), level(normal.y)];
        }
    });
    texels
}

impl Layer {
    /// The layer's values in a window of a map of `size` texels, between samples by straight lines: 0 to
    /// 1 as 0 to 255.
    pub fn map(&self, size: (usize, usize), window: Window) -> Vec<u8> {
        let mut levels = vec![0; window.width * window.depth];
        levels.par_chunks_mut(window.width.max(1)).enumerate().for_each_init(
            || vec![0.0; window.width],
            |values, (row, levels)| {
                self.read_texels(size, window.row + row, window.column, values);
                for (level, value) in levels.iter_mut().zip(values) {
                    *level = (*value * 255.0 + 0.5) as u8;
                }
            },
        );
        levels
    }

    /// The values in texels of one row, from a column on.
    pub(crate) fn read_texels(&self, size: (usize, usize), row: usize, column: usize, out: &mut [f32]) {
        let grid = self.grid();
        let (north, share) = place(row, size.1, grid.depth);
        let north = north as usize;
        let mut line = vec![0.0; grid.width];
        self.read_between((north, (north + 1).min(grid.depth - 1)), share, &mut line);
        for (index, out) in out.iter_mut().enumerate() {
            let (west, share) = place(column + index, size.0, grid.width);
            let west = west as usize;
            let (a, b) = (line[west], line[(west + 1).min(grid.width - 1)]);
            *out = a + (b - a) * share;
        }
    }
}
