//! Tiles of a finished landscape: its samples, and its colours and weights averaged over the tiles' cells.

use std::sync::Arc;

use glam::DVec2;

use super::channels::Channels;
use super::made::{MadeTile, TileData, drawn_holes, drawn_shifts, gradients_of};
use super::relief::{Relief, checked};
use super::sculpted_tile::{change_data, places_of};
use super::source::{TileSource, between, finest_tile};
use crate::build::{Cache, Keepable, Landscape};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{HOLE, SHIFT};
use crate::grid::{Grid, Heightfield, Window};
use crate::recipe::Recipe;
use crate::sculpt::{Before, Places, Sculpture};
use crate::steps::no_layer;
use crate::stream::shape::LandShape;
use crate::stream::tile::{LandTile, TILE_BORDER, TILE_TEXELS};
use crate::texture::{ColourMap, LINEAR, WeightMap, level_from_linear};

/// Tiles of a landscape are made down to this many levels below the land's own, whatever its colours'
/// resolution.
const FINEST: i32 = -4;

/// Their name in a cache.
const KEPT: &str = "tiles";

/// A picture over all of a land, with its mip levels. Texels are sRGB-encoded except for the last channel.
#[derive(Clone, Debug, Default, PartialEq)]
struct ColourMips {
    /// Columns, rows and texels of each level, the largest first.
    levels: Vec<(usize, usize, Vec<[u8; 4]>)>,
}

impl ColourMips {
    /// A picture and its mip levels. Colours are averaged in linear light.
    fn of(map: &ColourMap) -> Self {
        let mut levels = vec![(map.width, map.depth, map.texels.clone())];
        while let Some((width, depth, texels)) = levels.last().filter(|level| level.0 > 1 || level.1 > 1) {
            let (columns, rows) = ((width / 2).max(1), (depth / 2).max(1));
            let mut next = Vec::with_capacity(columns * rows);
            for row in 0..rows {
                for column in 0..columns {
                    next.push(mean(
                        texels,
                        *width,
                        covered(column, columns, *width),
                        covered(row, rows, *depth),
                    ));
                }
            }
            levels.push((columns, rows, next));
        }
        Self { levels }
    }
}

/// The texels along a side that one of the next level covers: two, or three at an odd side.
fn covered(index: usize, halved: usize, side: usize) -> std::ops::Range<usize> {
    // At odd sides two neighbours share the texel between them, so that none is left out.
    index * side / halved..((index + 1) * side).div_ceil(halved)
}

fn mean(
    texels: &[[u8; 4]],
    width: usize,
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
) -> [u8; 4] {
    let mut sums = [0.0f32; 4];
    let count = (columns.len() * rows.len()) as f32;
    for row in rows {
        for texel in &texels[row * width..][columns.clone()] {
            for channel in 0..3 {
                sums[channel] += LINEAR[usize::from(texel[channel])];
            }
            sums[3] += f32::from(texel[3]);
        }
    }
    let light = |channel: usize| level_from_linear(sums[channel] / count);
    [light(0), light(1), light(2), (sums[3] / count + 0.5) as u8]
}

/// Splat weights over all of a land, four types a layer: row by row.
#[derive(Clone, Debug, Default, PartialEq)]
struct WeightPlanes {
    /// Texels along x.
    width: usize,
    /// Texels along z.
    depth: usize,
    /// The layers.
    layers: Vec<Vec<[u8; 4]>>,
    /// The number of drawn layers.
    drawn: usize,
}

impl WeightPlanes {
    /// Weights of a map, summed for each channel over its terrain types, which are given by their indices.
    fn of(map: &WeightMap, channels: &Channels) -> Self {
        let layers = channels.layers().map(|layer| {
            let shares = map.shares.chunks_exact(map.types.max(1));
            shares.map(|shares| summed(shares, layer)).collect()
        });
        let drawn = channels.drawn_layers();
        Self { width: map.width, depth: map.depth, layers: layers.collect(), drawn }
    }
}

/// The weights of a layer's channels from those of all types.
#[doc(hidden)]
#[inline]
pub fn summed(shares: &[u8], layer: &[Vec<usize>]) -> [u8; 4] {
    std::array::from_fn(|channel| {
        let types = layer.get(channel).map_or(&[][..], Vec::as_slice);
        let sum: u32 = types.iter().map(|&kind| shares.get(kind).map_or(0, |&share| u32::from(share))).sum();
        sum.min(255) as u8
    })
}

/// The tiles of a finished landscape.
pub struct LandscapeSource {
    landscape: Arc<Landscape>,
    colours: ColourMips,
    weights: WeightPlanes,
    shape: LandShape,
}

impl Keepable for LandscapeSource {
    fn bytes(&self) -> u64 {
        let colours: usize = self.colours.levels.iter().map(|(_, _, texels)| texels.len()).sum();
        let weights: usize = self.weights.layers.iter().map(Vec::len).sum();
        // Without the landscape, which is kept separately.
        4 * (colours + weights) as u64
    }
}

impl LandscapeSource {
    /// Tiles of a landscape in its own colours; each of the `channels` sums the splat weights of some terrain
    /// types, given by their indices.
    ///
    /// # Errors
    /// When the number of texels or weights doesn't match the stated size.
    pub fn new(landscape: Arc<Landscape>, channels: &Channels) -> Result<Self> {
        let finest = finest(landscape.heightfield.grid(), &landscape.colour);
        let weights = landscape.cover.as_ref().map(|cover| &cover.weights);
        let (colours, weights) = paint(&landscape.colour, weights, channels)?;
        Ok(Self::of(landscape, colours, weights, finest))
    }

    /// As [`new`](Self::new), in other colours and with other weights, with tiles down to level `finest` or
    /// to the level of the colours' resolution, whichever is finer.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn painted(
        landscape: Arc<Landscape>,
        colours: &ColourMap,
        weights: Option<&WeightMap>,
        channels: &Channels,
        least: i32,
    ) -> Result<Self> {
        let finest = finest(landscape.heightfield.grid(), colours).min(least.max(FINEST));
        let (colours, weights) = paint(colours, weights, channels)?;
        Ok(Self::of(landscape, colours, weights, finest))
    }

    /// The tiles of a recipe's finished landscape, cached in the recipe's cache.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(hidden)]
    pub fn kept(
        landscape: Arc<Landscape>,
        channels: &Channels,
        recipe: &Recipe,
        cache: &Cache,
    ) -> Result<Arc<Self>> {
        if let Some(known) = Self::known(channels, recipe, cache) {
            return Ok(known);
        }
        let made = Arc::new(Self::new(landscape, channels)?);
        recipe.keep_of_finished((KEPT, channels), &made, cache)?;
        Ok(made)
    }

    /// The tiles of a recipe's finished landscape, if they are cached.
    pub(crate) fn known(channels: &Channels, recipe: &Recipe, cache: &Cache) -> Option<Arc<Self>> {
        recipe.kept_of_finished((KEPT, channels), cache)
    }

    fn of(landscape: Arc<Landscape>, colours: ColourMips, weights: WeightPlanes, finest: i32) -> Self {
        let grid = landscape.heightfield.grid();
        let shape = LandShape::bounded(grid.cell, [grid.width as u32, grid.depth as u32], finest);
        Self { landscape, colours, weights, shape }
    }

    /// The values of a field at the samples of a window.
    fn samples(&self, field: &Heightfield, window: Window) -> Vec<f32> {
        let Window { level, first, size } = window;
        let grid = field.grid();
        let last = [grid.width as i64 - 1, grid.depth as i64 - 1];
        let [width, depth] = size.map(i64::from);
        if level >= 0 {
            // Beyond the border its sample is repeated; the last sample of a coarse level may lie beyond it
            // too.
            let place = |index: i64, axis: usize| (index << level).clamp(0, last[axis]) as usize;
            let columns: Vec<usize> = (0..width).map(|column| place(first[0] + column, 0)).collect();
            let rows = (0..depth).map(|row| field.row(place(first[1] + row, 1)));
            return rows.flat_map(|row| columns.iter().map(|&column| row[column])).collect();
        }
        let cell = f64::from(self.shape.cell_at(level));
        let place = |index: i64| (index as f64 * cell) as f32;
        let extent = grid.extent();
        (0..width * depth)
            .map(|number| {
                let p = glam::Vec2::new(place(first[0] + number % width), place(first[1] + number / width));
                // On the drawn triangles and not bilinear, so that finer tiles show no other ground than
                // level 0.
                field.sample_surface(p.clamp(glam::Vec2::ZERO, extent))
            })
            .collect()
    }

    /// Shifts at the samples of a window; empty for land that has none.
    fn shifts(&self, window: Window) -> Vec<[f32; 2]> {
        if !self.is_shifted() {
            return Vec::new();
        }
        let layer = |name: &str| self.landscape.layers.get(name).map(|layer| self.samples(layer, window));
        let [east, south] = SHIFT.map(layer);
        let at = |layer: &Option<Vec<f32>>, index: usize| layer.as_ref().map_or(0.0, |layer| layer[index]);
        let count = window.size.iter().map(|side| *side as usize).product();
        (0..count).map(|index| [at(&east, index), at(&south, index)]).collect()
    }

    /// The data of a tile.
    pub(in crate::stream) fn data(&self, tile: LandTile) -> TileData {
        let window = tile.window(TILE_BORDER as u32 + 1);
        TileData {
            heights: self.samples(&self.landscape.heightfield, window),
            shifts: self.shifts(window),
            holes: self.holes(window),
            gradients: self.gradients(tile),
            colours: self.colours(tile),
            weights: self.weights(tile),
        }
    }

    /// Lets strokes change a tile's heights and holes. Its gradients may be means over many samples; they
    /// change by as much as the gradients of its heights do.
    pub(in crate::stream) fn sculpt(
        &self,
        tile: LandTile,
        data: &mut TileData,
        sculpture: &Sculpture,
        before: &Before,
        work: &Work,
    ) -> Result<()> {
        let cell = self.shape.cell_at(tile.level);
        let was = data.gradients.as_ref().map(|_| gradients_of(&data.heights, cell));
        let [x, z] = places_of(tile, &self.shape, TILE_BORDER + 1);
        change_data(data, sculpture, Places { x: &x, z: &z }, before, work)?;
        if let Some((gradients, was)) = data.gradients.as_mut().zip(was) {
            let is = gradients_of(&data.heights, cell);
            for (rise, (is, was)) in gradients.iter_mut().zip(is.into_iter().zip(was)) {
                if is != was {
                    *rise = [rise[0] + (is[0] - was[0]), rise[1] + (is[1] - was[1])];
                }
            }
        }
        Ok(())
    }

    /// The layer of holes at the samples of a window; empty for land that has none.
    fn holes(&self, window: Window) -> Vec<f32> {
        self.landscape.layers.get(HOLE).map(|layer| self.samples(layer, window)).unwrap_or_default()
    }

    /// The mean gradient over the cells of a coarse level: that of its samples alone would depend on a few
    /// points.
    fn gradients(&self, tile: LandTile) -> Option<Vec<[f32; 2]>> {
        if tile.level == 0 {
            return Some(
                self.gradients_at(tile, |field, [column, row]| field.gradient_at(column, row).to_array()),
            );
        }
        if tile.level < 0 {
            let cell = f64::from(self.shape.cell_at(tile.level));
            let first = tile.first_sample().map(|first| first - TILE_BORDER);
            let side = TILE_TEXELS as i64;
            let field = &self.landscape.heightfield;
            let smooth = |number: i64| {
                smooth_gradient(field, [first[0] + number % side, first[1] + number / side], cell)
            };
            return Some((0..side * side).map(smooth).collect());
        }
        // Half a cell to each side, so that the mean is over one cell of the level.
        let half = 1i64 << (tile.level - 1);
        Some(self.gradients_at(tile, |field, sample| {
            let grid = field.grid();
            let last = [grid.width as i64 - 1, grid.depth as i64 - 1];
            let span = |axis: usize| {
                let middle = sample[axis] as i64;
                ((middle - half).max(0), (middle + half).min(last[axis]))
            };
            let ((west, east), (north, south)) = (span(0), span(1));
            let at = |column: i64, row: i64| field.at(column as usize, row as usize);
            // At most 17 lines across, however wide the cells are.
            let line = |low: i64, high: i64| {
                let step = ((high - low) / 16).max(1);
                (low..=high).step_by(step as usize)
            };
            let rise = |a: f32, b: f32, length: i64| (b - a) / (length.max(1) as f32 * grid.cell);
            let mean = |sum: f32, count: usize| sum / count.max(1) as f32;
            let rows = line(north, south);
            let x = mean(
                rows.clone().map(|row| rise(at(west, row), at(east, row), east - west)).sum(),
                rows.count(),
            );
            let columns = line(west, east);
            let z =
                columns.clone().map(|column| rise(at(column, north), at(column, south), south - north)).sum();
            [x, mean(z, columns.count())]
        }))
    }

    fn gradients_at(
        &self,
        tile: LandTile,
        gradient: impl Fn(&Heightfield, [usize; 2]) -> [f32; 2],
    ) -> Vec<[f32; 2]> {
        let field = &self.landscape.heightfield;
        let grid = field.grid();
        let last = [grid.width as i64 - 1, grid.depth as i64 - 1];
        let first = tile.first_sample().map(|first| first - TILE_BORDER);
        let side = TILE_TEXELS as i64;
        let place = |index: i64, axis: usize| (index << tile.level).clamp(0, last[axis]) as usize;
        (0..side * side)
            .map(|number| {
                gradient(field, [place(first[0] + number % side, 0), place(first[1] + number / side, 1)])
            })
            .collect()
    }

    /// The centres of a tile's cells, as shares of the land's sides.
    fn middles(&self, tile: LandTile) -> [Vec<f64>; 2] {
        let grid = self.landscape.heightfield.grid();
        let cells = [grid.width, grid.depth].map(|side| (side - 1).max(1) as f64);
        let first = tile.first_sample();
        let side = libm::ldexp(1.0, tile.level);
        [0, 1].map(|axis| {
            let place = |index: i64| ((first[axis] - TILE_BORDER + index) as f64 + 0.5) * side / cells[axis];
            (0..TILE_TEXELS as i64).map(place).collect()
        })
    }

    fn colours(&self, tile: LandTile) -> Vec<[u8; 4]> {
        let grid = self.landscape.heightfield.grid();
        let Some((width, depth, _)) = self.colours.levels.first() else {
            return vec![[0, 0, 0, 255]; TILE_TEXELS * TILE_TEXELS];
        };
        let texels =
            |cells: usize, texels: usize| libm::ldexp(texels as f64 / (cells - 1).max(1) as f64, tile.level);
        let in_cell = texels(grid.width, *width).max(texels(grid.depth, *depth));
        // The coarsest mip level that has a texel for each cell; 1 % fewer still count.
        let level = libm::log2(in_cell * 1.01).floor().clamp(0.0, self.colours.levels.len() as f64 - 1.0);
        let (width, depth, texels) = &self.colours.levels[level as usize];
        let [x, z] = self.middles(tile);
        let (columns, rows) = (taps(&x, *width), taps(&z, *depth));
        let mut out = Vec::with_capacity(TILE_TEXELS * TILE_TEXELS);
        for (north, south, down) in rows {
            let (north, south) = (&texels[north * width..][..*width], &texels[south * width..][..*width]);
            out.extend(columns.iter().map(|&(west, east, right)| {
                // A texel exactly at the middle keeps its bits: decoding and encoding might change a level.
                if right == 0.0 && down == 0.0 {
                    return north[west];
                }
                let mix = |channel: usize, value: &dyn Fn(u8) -> f32| {
                    let at = |texel: &[u8; 4]| value(texel[channel]);
                    let a = at(&north[west]) + (at(&north[east]) - at(&north[west])) * right;
                    let b = at(&south[west]) + (at(&south[east]) - at(&south[west])) * right;
                    a + (b - a) * down
                };
                let light = |channel| level_from_linear(mix(channel, &|value| LINEAR[usize::from(value)]));
                [light(0), light(1), light(2), (mix(3, &|value| f32::from(value)) + 0.5) as u8]
            }));
        }
        out
    }

    fn weights(&self, tile: LandTile) -> Vec<[u8; 4]> {
        let WeightPlanes { width, depth, layers, .. } = &self.weights;
        if layers.is_empty() {
            return Vec::new();
        }
        let [x, z] = self.middles(tile);
        let (columns, rows) = (taps(&x, *width), taps(&z, *depth));
        let mut out = Vec::with_capacity(layers.len() * TILE_TEXELS * TILE_TEXELS);
        for texels in layers {
            for &(north, south, down) in &rows {
                let (north, south) = (&texels[north * width..][..*width], &texels[south * width..][..*width]);
                out.extend(columns.iter().map(|&(west, east, right)| {
                    std::array::from_fn(|channel| {
                        let at = |texel: &[u8; 4]| f32::from(texel[channel]);
                        let a = at(&north[west]) + (at(&north[east]) - at(&north[west])) * right;
                        let b = at(&south[west]) + (at(&south[east]) - at(&south[west])) * right;
                        (a + (b - a) * down + 0.5) as u8
                    })
                }));
            }
        }
        out
    }
}

/// The level whose cells are about as large as the texels of these colours; 0 or below.
fn finest(grid: Grid, colours: &ColourMap) -> i32 {
    let finer = |cells: usize, texels: usize| texels as f64 / (cells - 1).max(1) as f64;
    let texels = finer(grid.width, colours.width).max(finer(grid.depth, colours.depth)).max(1.0);
    // A picture with a texel for each sample has slightly more than one per cell.
    (-(libm::log2(texels) - 0.1).ceil()).clamp(f64::from(FINEST), 0.0) as i32
}

/// Colours and weights in the form from which tiles are cut.
fn paint(
    colours: &ColourMap,
    weights: Option<&WeightMap>,
    channels: &Channels,
) -> Result<(ColourMips, WeightPlanes)> {
    let ColourMap { width, depth, texels } = colours;
    let wrong =
        |what: String, width, depth| Error::Size { width, depth, reason: format!("do not match {what}") };
    if *width == 0 || *depth == 0 || texels.len() != width * depth {
        return Err(wrong(format!("the {} texels of the colour map", texels.len()), *width, *depth));
    }
    let planes = match weights.filter(|_| !channels.is_empty()) {
        Some(map)
            if map.width == 0 || map.depth == 0 || map.shares.len() != map.width * map.depth * map.types =>
        {
            let what = format!("the {} weights of {} types", map.shares.len(), map.types);
            return Err(wrong(what, map.width, map.depth));
        }
        Some(map) => WeightPlanes::of(map, channels),
        None => WeightPlanes::default(),
    };
    Ok((ColourMips::of(colours), planes))
}

/// The gradient between samples: bilinear between those of the samples around.
fn smooth_gradient(field: &Heightfield, index: [i64; 2], cell: f64) -> [f32; 2] {
    let grid = field.grid();
    let place = |axis: usize, side: usize| {
        let at = (index[axis] as f64 * cell / f64::from(grid.cell)).clamp(0.0, (side - 1) as f64);
        let low = (at.floor() as usize).min(side - 1);
        (low, (low + 1).min(side - 1), (at - low as f64) as f32)
    };
    let ((west, east, right), (north, south, down)) = (place(0, grid.width), place(1, grid.depth));
    let at = |column: usize, row: usize| field.gradient_at(column, row);
    let a = at(west, north).lerp(at(east, north), right);
    let b = at(west, south).lerp(at(east, south), right);
    a.lerp(b, down).to_array()
}

/// For places along a side, in shares of it: the texels before and after, and the share of the way to the
/// latter.
fn taps(places: &[f64], texels: usize) -> Vec<(usize, usize, f32)> {
    let tap = |place: &f64| {
        let at = (place * texels as f64 - 0.5).clamp(0.0, texels as f64 - 1.0);
        let low = at.floor() as usize;
        let rest = (at - low as f64) as f32;
        // So close to a texel that the texel itself is used.
        let rest = if rest < 1e-3 { 0.0 } else { rest };
        (low, (low + 1).min(texels - 1), rest)
    };
    places.iter().map(tap).collect()
}

impl TileSource for LandscapeSource {
    fn shape(&self) -> LandShape {
        self.shape
    }

    fn weight_layers(&self) -> usize {
        self.weights.drawn
    }

    fn is_shifted(&self) -> bool {
        SHIFT.iter().any(|name| self.landscape.layers.get(name).is_some())
    }

    fn has_holes(&self) -> bool {
        self.landscape.layers.get(HOLE).is_some()
    }

    /// At levels coarser than the land's own its samples, at finer ones its surface.
    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        work.check()?;
        Ok(self.samples(&self.landscape.heightfield, window))
    }

    /// Between its own samples the land consists of flat triangles.
    fn finest_ground(&self) -> i32 {
        self.shape.finest.max(0)
    }

    fn relief(&self, window: Window, work: &Work) -> Result<Relief> {
        work.check()?;
        checked(&self.shape, window)?;
        let heights = self.samples(&self.landscape.heightfield, window);
        Relief::new(window, heights, drawn_shifts(self.shifts(window)), drawn_holes(self.holes(window)))
    }

    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
        work.check()?;
        MadeTile::new(tile, self.data(tile), self.shape.cell_at(tile.level))
    }

    /// Colours and weights stay those of the picture.
    fn make_sculpted(&self, tile: LandTile, sculpture: &Sculpture, work: &Work) -> Result<MadeTile> {
        work.check()?;
        let mut data = self.data(tile);
        self.sculpt(tile, &mut data, sculpture, &|window| self.heights(window, work), work)?;
        MadeTile::new(tile, data, self.shape.cell_at(tile.level))
    }

    fn layers(&self, place: DVec2, names: &[&str], _work: &Work) -> Result<Vec<f32>> {
        finest_tile(&self.shape, place)?;
        let there = &self.landscape.layers;
        let layer = |name: &&str| there.get(name).ok_or_else(|| no_layer("layers", name, there.names()));
        let layers = names.iter().map(layer).collect::<Result<Vec<_>>>()?;
        Ok(between(&layers, place / f64::from(self.shape.cell)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(width: usize, depth: usize, colour: ColourMap) -> LandscapeSource {
        let grid = Grid::new(width, depth, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| (column * 7 + row * 13) as f32 % 31.0);
        LandscapeSource::new(Arc::new(Landscape::new(field, colour)), &Channels::default()).unwrap()
    }

    fn grey(width: usize, depth: usize) -> ColourMap {
        let texel = |index: usize| [(index % width) as u8, (index / width) as u8, 7, 255];
        ColourMap { width, depth, texels: (0..width * depth).map(texel).collect() }
    }

    #[test]
    fn heights_are_the_samples_and_the_border_continues() {
        let source = source(300, 200, grey(1, 1));
        assert_eq!(source.shape(), LandShape::bounded(10.0, [300, 200], 0));
        let field = &source.landscape.heightfield;
        for (level, column, row) in [(0, 0, 0), (0, 2, 1), (1, 0, 0), (2, 0, 0)] {
            let tile = LandTile { level, column, row };
            let made = source.make(tile, &Work::new()).unwrap();
            let first = tile.first_sample();
            for (x, z) in [(-4, -4), (0, 0), (17, 64), (128, 0), (131, 131)] {
                let place = |index: i64, side: i64| (index << level).clamp(0, side - 1) as usize;
                let expected = field.at(place(first[0] + x, 300), place(first[1] + z, 200));
                assert_eq!(made.height(x, z), expected, "{tile:?}: {x}, {z}");
            }
        }
    }

    #[test]
    fn a_texel_per_cell_is_kept_exactly_and_finer_ones_make_finer_levels() {
        let same = source(129, 129, grey(128, 128));
        assert_eq!(same.shape().finest, 0);
        let made = same.make(LandTile { level: 0, column: 0, row: 0 }, &Work::new()).unwrap();
        assert_eq!(made.texels.colours[(4 + 9) * TILE_TEXELS + 4 + 5], [5, 9, 7, 255]);
        // A texel for each sample doesn't justify a finer level.
        assert_eq!(source(129, 129, grey(129, 129)).shape().finest, 0);
        let fine = source(65, 65, grey(256, 256));
        assert_eq!(fine.shape().finest, -2);
        let made = fine.make(LandTile { level: -2, column: 1, row: 0 }, &Work::new()).unwrap();
        assert_eq!(made.texels.colours[(4 + 9) * TILE_TEXELS + 4 + 5], [133, 9, 7, 255]);
        assert_eq!(source(2, 2, grey(4096, 1)).shape().finest, FINEST);
    }

    #[test]
    fn mip_levels_preserve_the_light() {
        let texel = |index: usize| {
            [if index.is_multiple_of(2) { 255 } else { 0 }, 100, 50, if index < 8 { 255 } else { 0 }]
        };
        let map = ColourMap { width: 4, depth: 4, texels: (0..16).map(texel).collect() };
        let mips = ColourMips::of(&map);
        let sizes: Vec<_> = mips.levels.iter().map(|level| (level.0, level.1)).collect();
        assert_eq!(sizes, [(4, 4), (2, 2), (1, 1)]);
        // Half of the light is 188 in sRGB.
        assert_eq!(
            mips.levels[1].2,
            [[188, 100, 50, 255], [188, 100, 50, 255], [188, 100, 50, 0], [188, 100, 50, 0]]
        );
        assert_eq!(mips.levels[2].2, [[188, 100, 50, 128]]);
        let odd = ColourMap { width: 5, depth: 1, texels: vec![[9; 4]; 5] };
        assert_eq!(ColourMips::of(&odd).levels[1], (2, 1, vec![[9; 4]; 2]));
    }

    #[test]
    fn other_colours_keep_the_levels_and_mismatches_are_refused() {
        let fine = source(65, 65, grey(256, 256));
        let land = fine.landscape.clone();
        let other = LandscapeSource::painted(
            land.clone(),
            &grey(16, 16),
            None,
            &Channels::default(),
            fine.shape().finest,
        );
        assert_eq!(other.unwrap().shape(), fine.shape());
        let map = ColourMap { width: 4, depth: 4, texels: vec![[0; 4]; 15] };
        let error = LandscapeSource::painted(land.clone(), &map, None, &Channels::default(), 0)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("15 texels"), "{error}");
        let weights = WeightMap { width: 2, depth: 2, types: 3, shares: vec![0; 11], layers: Vec::new() };
        let channels = vec![vec![0]].into();
        let error = LandscapeSource::painted(land, &grey(2, 2), Some(&weights), &channels, 0).err().unwrap();
        assert!(error.to_string().contains("11 weights of 3 types"), "{error}");
    }

    #[test]
    fn slopes_of_coarse_tiles_are_means() {
        let grid = Grid::new(257, 257, 2.0).unwrap();
        // A slope of 1 under a sawtooth that samples of level 1 never see.
        let field = Heightfield::from_fn(grid, |column, _| 2.0 * column as f32 + (column % 2) as f32);
        let landscape = Arc::new(Landscape::new(field, grey(1, 1)));
        let source = LandscapeSource::new(landscape, &Channels::default()).unwrap();
        let made = source.make(LandTile { level: 2, column: 0, row: 0 }, &Work::new()).unwrap();
        let [east, south] = made.texels.gradients[20 * TILE_TEXELS + 20].map(half::f16::to_f32);
        assert!((east - 1.0).abs() < 1e-3 && south.abs() < 1e-3, "{east} {south}");
    }
}
