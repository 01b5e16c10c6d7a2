//! Results of a bake other than its colours: splat maps, the strongest type's number, normals, and measured
//! factors. All of them have the same texels over the same land.

use rayon::prelude::*;

use crate::analysis::ShareMap;
use crate::grid::{Grid, Heightfield};
use crate::texture::bake::{MapWindow, WeightMap};
use crate::texture::texels::tap;

/// Types that one splat map holds: one each in red, green, blue and alpha.
pub const TYPES_PER_SPLAT_MAP: usize = 4;

impl WeightMap {
    /// The number of splat maps that hold all types.
    pub fn splat_maps(&self) -> usize {
        self.types.div_ceil(TYPES_PER_SPLAT_MAP)
    }

    /// The weights of types 4 · `number` and the three after it as red, green, blue and alpha; 0 where
    /// there are no more types.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::WeightMap;
    /// let shares = vec![10, 20, 30, 40, 155];
    /// let weights = WeightMap { width: 1, depth: 1, types: 5, shares, ..WeightMap::default() };
    /// assert_eq!(weights.splat_map(0), [[10, 20, 30, 40]]);
    /// assert_eq!(weights.splat_map(1), [[155, 0, 0, 0]]);
    /// ```
    pub fn splat_map(&self, number: usize) -> Vec<[u8; 4]> {
        let first = number * TYPES_PER_SPLAT_MAP;
        // A map without types has no chunks at all, but `par_chunks(0)` would panic.
        let texels = self.shares.par_chunks(self.types.max(1));
        texels
            .map(|shares| std::array::from_fn(|channel| shares.get(first + channel).copied().unwrap_or(0)))
            .collect()
    }

    /// For each texel the number of the type with the largest share of its ground, the first of equals; types
    /// after number 255 count as 255. Layers are not ground.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::WeightMap;
    /// let (shares, layers) = (vec![100, 155, 255], vec![2]);
    /// let weights = WeightMap { width: 1, depth: 1, types: 3, layers, shares };
    /// assert_eq!(weights.strongest(), [1]);
    /// ```
    pub fn strongest(&self) -> Vec<u8> {
        let texels = self.shares.par_chunks(self.types.max(1));
        let ground: Vec<usize> = (0..self.types).filter(|index| !self.layers.contains(index)).collect();
        let strongest = |shares: &[u8]| {
            // `max_by_key` takes the last of equals; reversed, that is the first type.
            let best = ground.iter().rev().max_by_key(|&&index| shares[index]).copied().unwrap_or(0);
            // A texture has at most 256 types, so no number is cut off.
            best.min(255) as u8
        };
        texels.map(strongest).collect()
    }
}

/// The direction of green in a normal map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Green {
    /// Green is the part towards the picture's top, north, as in OpenGL, Blender, Unity and Godot.
    #[default]
    Up,
    /// Green is the part towards the picture's bottom, south, as in DirectX and Unreal.
    Down,
}

/// The normals of the ground in a window of a map of `size` texels: red is the part towards east, green
/// that towards north (or south, as [`Green`] says) and blue that upwards, −1 to 1 as 1 to 255 (128 is
/// 0). Level ground is (128, 128, 255).
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{Green, MapWindow, normal_map};
/// let grid = upland::Grid::new(3, 3, 1.0)?;
/// let rises_to_the_north = upland::Heightfield::from_fn(grid, |_, row| -(row as f32));
/// let texel = MapWindow { column: 0, row: 0, width: 1, depth: 1 };
/// // The normal leans south, away from the picture's top.
/// assert_eq!(normal_map(&rises_to_the_north, (1, 1), texel, Green::Up), [[128, 38, 218]]);
/// # Ok::<(), upland::Error>(())
/// ```
pub fn normal_map(
    field: &Heightfield,
    size: (usize, usize),
    window: MapWindow,
    green: Green,
) -> Vec<[u8; 3]> {
    let Grid { width, depth, .. } = field.grid();
    // −1 … 1 to 1 … 255, so that 0 is exactly 128: with 127.5 no level would be an upright normal.
    let level = |part: f32| (part * 127.0 + 128.0).round().clamp(0.0, 255.0) as u8;
    let mut texels = vec![[0; 3]; window.width * window.depth];
    texels.par_chunks_mut(window.width.max(1)).enumerate().for_each(|(row, texels)| {
        let z = tap(window.row + row, size.1, depth);
        for (column, texel) in texels.iter_mut().enumerate() {
            let x = tap(window.column + column, size.0, width);
            let normal = field.normal_between(x, z);
            let south = if green == Green::Up { -normal.z } else { normal.z };
            *texel = [level(normal.x), level(south), level(normal.y)];
        }
    });
    texels
}

impl ShareMap {
    /// The layer interpolated bilinearly to a window of a map of `size` texels: 0 to 1 as 0 to 255.
    pub fn map(&self, size: (usize, usize), window: MapWindow) -> Vec<u8> {
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
}
