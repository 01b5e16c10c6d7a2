//! Tiles of a recipe's land, also finer than its own samples.

use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec2;
use half::f16;

use super::channels::Channels;
use super::landscape::{LandscapeSource, summed};
use super::made::{MadeTile, TILE_HEIGHTS, TileData, drawn_holes, drawn_shifts};
use super::relief::{Relief, checked};
use super::sculpted_tile::{change_data, places_of};
use super::source::{ExactGround, TileSource, between, finest_tile, no_ground};
use crate::build::{Cache, Making, Preparation, WindowBake};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::{HOLE, SHIFT};
use crate::grid::{LEVELS, Window, drawn_hole, is_hole, on_triangles};
use crate::recipe::{Recipe, Skin};
use crate::sculpt::{PaintedRow, Places, Sculpture};
use crate::steps::Ground;
use crate::stream::query::overhang::{highest_over, moved};
use crate::stream::query::samples::ground_of_cell;
use crate::stream::shape::LandShape;
use crate::stream::tile::{LandTile, TILE_BORDER, TILE_TEXELS};
use crate::texture::{Baked, WeightMap};

/// The least length of a side of the coarsest tiles of endless land, metres. With smaller ones most of the
/// drawn land would be coarsest chunks near the horizon, finer than anyone can see.
const ENDLESS_SIDE: f64 = 200_000.0;

/// The tiles of a recipe. For bounded land, tiles at its own and coarser levels are cut out of the whole
/// land; finer ones are windows that are made when they are needed. So are all tiles of endless land, and of
/// land of more than 8193² samples, unless a step must know all of it. An elevation file of such land stays
/// open: if it changes, is truncated or removed, tiles from then on are errors.
///
/// Other land can also be made as windows while the whole is still being made ([`of`](Self::of) without it).
/// Where steps work by position alone, heights are then the same, bit for bit, except where the last sample
/// of a coarse level is short of the border. A step that looks at a neighbourhood does so at the tile's own
/// level. Colours are nearly the same: the effect of distant land on them is measured around the tile.
pub struct RecipeSource {
    recipe: Recipe,
    cache: Cache,
    /// Seed of the noise in the colours.
    paint_seed: u64,
    shape: LandShape,
    /// All of a bounded land.
    whole: Option<Arc<LandscapeSource>>,
    /// The terrain types, by their indices, whose weights each channel sums.
    channels: Channels,
    /// Tiles that strokes have touched, as they were before the strokes.
    kept: BareTileCache,
}

impl RecipeSource {
    /// The tiles of a recipe down to a distance of `finest` metres between samples. For bounded land,
    /// whatever needs the whole land is made now, with its colours. For each of the `channels`, the splat
    /// weights of its terrain types, given by their indices, are summed.
    ///
    /// # Errors
    /// Those of building the land.
    pub fn new(
        recipe: Recipe,
        cache: &Cache,
        finest: f32,
        channels: impl Into<Channels>,
        work: &Work,
    ) -> Result<Self> {
        let channels = channels.into();
        let whole = match recipe.making(cache)? {
            Making::Windows => None,
            Making::Whole | Making::WindowsFirst => {
                let landscape = recipe.finished(cache, work)?;
                Some(LandscapeSource::kept(landscape, &channels, &recipe, cache)?)
            }
        };
        Self::with(recipe, cache, finest, channels, whole, work)
    }

    /// As [`new`](Self::new), with tiles of the whole of a bounded land that have already been prepared;
    /// without them, all tiles are windows.
    ///
    /// # Errors
    /// When the recipe's size or distance between samples is not possible, or an elevation file of large land
    /// cannot be opened.
    pub fn of(
        recipe: Recipe,
        cache: &Cache,
        finest: f32,
        channels: impl Into<Channels>,
        whole: Option<Arc<LandscapeSource>>,
    ) -> Result<Self> {
        Self::with(recipe, cache, finest, channels.into(), whole, &Work::new())
    }

    fn with(
        recipe: Recipe,
        cache: &Cache,
        finest: f32,
        channels: Channels,
        whole: Option<Arc<LandscapeSource>>,
        work: &Work,
    ) -> Result<Self> {
        let recipe = recipe.with_open_files(Some(cache), work)?.into_owned();
        let domain = recipe.domain()?;
        // Rounded down: tiles are at least as fine as requested.
        let level = libm::log2(f64::from(finest) / f64::from(domain.cell())).floor();
        // Nothing lies between the samples of a single row.
        let level = if domain.has_cells() { (level as i32).clamp(*LEVELS.start(), 0) } else { 0 };
        let shape = Self::shape_of(&recipe, level)?;
        let (paint_seed, cache) = (recipe.seed, cache.clone());
        Ok(Self { paint_seed, recipe, cache, shape, whole, channels, kept: BareTileCache::default() })
    }

    /// The tiles of a recipe that differs from this one in its ground alone: those of its finished landscape,
    /// if that is cached, or windows. `None` if it has another shape or other terrain types, or if all of its
    /// land must be known, or a file opened, before the first tile can be made.
    pub fn edited(&self, recipe: &Recipe, cache: &Cache) -> Option<Self> {
        let level = self.shape.finest;
        // Tiles of both lands are drawn together while they are replaced, so they need the same planes and
        // levels.
        let is_alike = recipe.texture == self.recipe.texture
            && recipe.ground_layers() == self.recipe.ground_layers()
            && Self::shape_of(recipe, level).is_ok_and(|shape| shape == self.shape);
        if !is_alike || recipe.reads_large_files() || recipe.check_plan().is_err() {
            return None;
        }
        let channels = self.channels.clone();
        let whole = LandscapeSource::known(&channels, recipe, cache);
        if whole.is_none() && recipe.making(cache).ok()? == Making::Whole {
            return None;
        }
        let shape = self.shape;
        let (recipe, cache) = (recipe.clone(), cache.clone());
        let kept = BareTileCache::default();
        Some(Self { paint_seed: recipe.seed, recipe, cache, shape, whole, channels, kept })
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The cache of its steps' results.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The terrain types, by their indices, whose weights each channel sums.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Whether tiles at the land's own and coarser levels are cut out of the whole land.
    pub fn has_whole(&self) -> bool {
        self.whole.is_some()
    }

    fn shape_of(recipe: &Recipe, finest: i32) -> Result<LandShape> {
        let domain = recipe.domain()?;
        Ok(match domain.size() {
            None => LandShape::endless(domain.cell(), finest, ENDLESS_SIDE),
            Some(size) => LandShape::bounded(domain.cell(), size, finest),
        })
    }

    /// The same land in other colours; `whole` already has them.
    pub fn repainted(
        &self,
        skin: Skin,
        seed: u64,
        channels: Channels,
        whole: Option<Arc<LandscapeSource>>,
    ) -> Self {
        let mut recipe = self.recipe.clone();
        recipe.texture = skin;
        let (cache, shape, kept) = (self.cache.clone(), self.shape, BareTileCache::default());
        Self { recipe, paint_seed: seed, cache, shape, whole, channels, kept }
    }

    /// The part of a window that lies on land, at least two samples a side, and how many columns and rows of
    /// the window lie west and north of it.
    fn on_land(&self, wanted: Window) -> (Window, [i64; 2]) {
        let mut window = wanted;
        if let Some(last) = self.shape.last() {
            for axis in [0, 1] {
                // At coarse levels the last sample may lie short of the border: the land is level from there
                // on.
                let last = (last[axis] << -wanted.level.min(0)) >> wanted.level.max(0);
                let first = wanted.first[axis].clamp(0, (last - 1).max(0));
                let end = (wanted.first[axis] + i64::from(wanted.size[axis]) - 1).min(last).max(first + 1);
                (window.first[axis], window.size[axis]) = (first, (end - first + 1) as u32);
            }
        }
        (window, [0, 1].map(|axis| window.first[axis] - wanted.first[axis]))
    }

    /// The whole of a bounded land, if tiles of a level are cut out of it.
    fn whole_at(&self, level: i32) -> Option<&Arc<LandscapeSource>> {
        // Between its samples the whole land would only give flat triangles; the steps make finer ground.
        self.whole.as_ref().filter(|_| level >= 0)
    }

    /// The steps' results at the samples of a window in land, with the layers that change its ground.
    fn built(&self, window: Window, work: &Work) -> Result<Ground> {
        self.recipe.build_window_layers(window, &self.recipe.ground_layers(), &self.cache, work)
    }

    /// Heights, shifts and holes at the samples of a window.
    fn ground_of(&self, wanted: Window, work: &Work) -> Result<TileGround> {
        let (window, cut) = self.on_land(wanted);
        let ground = self.built(window, work)?;
        Ok(self.ground_over(wanted, cut, &ground))
    }

    /// The same at the samples of a tile that has been prepared for painting.
    fn ground_prepared(&self, tile: LandTile, ready: &WindowBake, work: &Work) -> Result<TileGround> {
        let wanted = tile.window(TILE_BORDER as u32 + 1);
        let (window, cut) = self.on_land(wanted);
        let region = ready.ground().region().domain().region(window)?;
        Ok(self.ground_over(wanted, cut, &ready.ground().part(&region, work)?))
    }

    /// The same for ground that lacks `cut` columns and rows of the window in the west and north.
    fn ground_over(&self, wanted: Window, cut: [i64; 2], ground: &Ground) -> TileGround {
        let size = [ground.grid().width, ground.grid().depth];
        let wide = wanted.size.map(|side| side as usize);
        let heights = spread(wide, size, cut, |place| ground.heights.heights()[place]);
        let shifts = if self.is_shifted() {
            let layers = SHIFT.map(|name| ground.layers().get(name));
            let shift = |place: usize| layers.map(|layer| layer.map_or(0.0, |layer| layer.heights()[place]));
            spread(wide, size, cut, shift)
        } else {
            Vec::new()
        };
        let holes = ground.layers().get(HOLE);
        let holes = holes.map(|layer| spread(wide, size, cut, |place| layer.heights()[place]));
        TileGround { heights, shifts, holes: holes.unwrap_or_default() }
    }

    /// The weights of all types in a window's cells.
    fn weighed(&self, window: Window, work: &Work) -> Result<WeightMap> {
        let ready =
            self.recipe.prepare_window(window, 1, false, &self.cache, work)?.with_seed(self.paint_seed);
        Ok(ready.baker(true, work)?.paint(ready.texels(), work)?.weights.unwrap_or_default())
    }

    /// The weights of all channels in the first cell of a window.
    fn weights_of_cell(&self, window: Window, work: &Work) -> Result<Vec<u8>> {
        if self.channels.is_empty() {
            return Ok(Vec::new());
        }
        let map = self.weighed(window, work)?;
        let shares = map.shares.get(..map.types).unwrap_or_default();
        Ok(self.channels.layers().flat_map(|layer| summed(shares, layer)).collect())
    }

    /// The highest ground over a place, among all cells of a level that steps can have moved there; `None` if
    /// there is none.
    fn highest_over(&self, place: DVec2, level: i32, work: &Work) -> Result<Option<ExactGround>> {
        let cell = self.shape.cell_at(level);
        // One more: a cell belongs to the sample to its north-west.
        let around = i64::from((self.recipe.most_shifted() / cell).ceil() as i32) + 1;
        let first =
            [place.x, place.y].map(|place| ((place / f64::from(cell)).floor() as i64).saturating_sub(around));
        let size = [u32::try_from(2 * around + 2).unwrap_or(u32::MAX); 2];
        let (window, _) = self.on_land(Window { level, first, size });
        let ground = self.built(window, work)?;
        let layers = SHIFT.map(|name| ground.layers().get(name));
        let holes = ground.layers().get(HOLE);
        let width = ground.grid().width;
        let end = self.shape.extent().unwrap_or(DVec2::INFINITY);
        let at = |column: i64, row: i64| {
            let index = row as usize * width + column as usize;
            let p = DVec2::new((window.first[0] + column) as f64, (window.first[1] + row) as f64);
            // With the precision with which shifts are drawn.
            let shift = layers.map(|layer| f16::from_f32(layer.map_or(0.0, |layer| layer.heights()[index])));
            moved((p * f64::from(cell)).min(end), ground.heights.heights()[index], shift)
        };
        let hole = |column: i64, row: i64| {
            holes.map_or(0.0, |holes| drawn_hole(holes.at(column as usize, row as usize)))
        };
        let cells = window.size.map(|side| 0..i64::from(side) - 1);
        let Some(highest) = highest_over(place, cells, at, hole) else { return Ok(None) };
        let first = [0, 1].map(|axis| window.first[axis] + highest.cell[axis]);
        let weights = self.weights_of_cell(Window { level, first, size: [2, 2] }, work)?;
        Ok(Some(ExactGround { ground: highest.ground(level, cell), weights }))
    }

    /// A tile's cells prepared for painting, and how many columns and rows of it lie west and north of the
    /// land. The painted ground has all of the tile's samples.
    fn prepared(&self, tile: LandTile, work: &Work) -> Result<(WindowBake, [i64; 2])> {
        let mut cells = tile.window(TILE_BORDER as u32);
        // The last cell's other corner.
        cells.size = cells.size.map(|side| side + 1);
        let (window, cut) = self.on_land(cells);
        let how = Preparation {
            texels: 1,
            wetness: false,
            in_blocks: self.whole.is_none(),
            layers: &self.recipe.ground_layers(),
        };
        let ready = self.recipe.prepare_window_with(window, how, &self.cache, work)?;
        Ok((ready.with_seed(self.paint_seed), cut))
    }

    /// Colours and weights in the form of a tile.
    fn of_cells(&self, baked: Baked, cut: [i64; 2]) -> (Vec<[u8; 4]>, Vec<[u8; 4]>) {
        let size = [baked.colour.width, baked.colour.depth];
        let colours = spread([TILE_TEXELS; 2], size, cut, |place| baked.colour.texels[place]);
        let mut weights = Vec::new();
        let map = baked.weights.unwrap_or_default();
        for layer in self.channels.layers() {
            weights.extend(spread([TILE_TEXELS; 2], size, cut, |place| {
                summed(map.shares.get(place * map.types..(place + 1) * map.types).unwrap_or_default(), layer)
            }));
        }
        (colours, weights)
    }

    /// The texels of a tile whose cells' corners have moved, or on which a type is painted.
    fn repainted_texels(
        &self,
        tile: LandTile,
        (was, is): (&[f32], &[f32]),
        sculpture: &Sculpture,
    ) -> Vec<usize> {
        let [x, z] = places_of(tile, &self.shape, TILE_BORDER);
        let half = 0.5 * f64::from(self.shape.cell_at(tile.level));
        let mut painted = PaintedRow::<1>::default();
        let mut texels = Vec::new();
        for (row, z) in z.iter().enumerate().take(TILE_TEXELS) {
            for (column, x) in x.iter().enumerate().take(TILE_TEXELS) {
                let corner = (row + 1) * TILE_HEIGHTS + column + 1;
                let corners = [corner, corner + 1, corner + TILE_HEIGHTS, corner + TILE_HEIGHTS + 1];
                let has_moved = corners.iter().any(|index| was[*index] != is[*index]);
                let mut is_painted = || {
                    let types = sculpture.types();
                    types.is_some_and(|types| types.read([x + half], z + half, &mut painted))
                };
                if has_moved || is_painted() {
                    texels.push(row * TILE_TEXELS + column);
                }
            }
        }
        texels
    }

    /// A tile as it was before any stroke. It is cached for the next stroke, once a stroke has touched it.
    fn before_strokes(&self, tile: LandTile, work: &Work) -> Result<Arc<BareTile>> {
        // The lock is released before the tile is made, so that other threads can make theirs. Two may make
        // the same tile, with the same bits.
        if let Some(known) = self.kept.get(tile) {
            return Ok(known);
        }
        let (ready, cut) = self.prepared(tile, work)?;
        let data = match self.whole_at(tile.level) {
            Some(whole) => whole.data(tile),
            None => {
                let TileGround { heights, shifts, holes } = self.ground_prepared(tile, &ready, work)?;
                let (colours, weights) = (Vec::new(), Vec::new());
                TileData { heights, shifts, holes, gradients: None, colours, weights }
            }
        };
        let bare = Arc::new(BareTile { data, ready, cut });
        self.kept.keep(tile, &bare);
        Ok(bare)
    }
}

/// A tile before strokes: its data, without colours and weights where all of them are repainted, and its
/// cells prepared for painting.
struct BareTile {
    data: TileData,
    ready: WindowBake,
    cut: [i64; 2],
}

/// Tiles before strokes, the most recently used last.
#[derive(Default)]
struct BareTileCache(Mutex<Vec<(LandTile, Arc<BareTile>)>>);

/// Bytes of tiles that are cached for the next stroke.
const KEPT_BYTES: u64 = 96 << 20;

impl BareTile {
    fn bytes(&self) -> u64 {
        self.data.bytes() + self.ready.bytes()
    }
}

impl BareTileCache {
    fn get(&self, tile: LandTile) -> Option<Arc<BareTile>> {
        // A poisoned lock is harmless here and below: the list is whole between any two of its operations.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = kept.iter().position(|(known, _)| *known == tile)?;
        let known = kept.remove(index);
        kept.push(known.clone());
        Some(known.1)
    }

    fn keep(&self, tile: LandTile, bare: &Arc<BareTile>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have made the same tile meanwhile.
        kept.retain(|(known, _)| *known != tile);
        kept.push((tile, bare.clone()));
        let mut bytes: u64 = kept.iter().map(|(_, bare)| bare.bytes()).sum();
        // The newest stays even if it alone exceeds the budget: the next stroke needs it.
        while bytes > KEPT_BYTES && kept.len() > 1 {
            bytes -= kept.remove(0).1.bytes();
        }
    }
}

/// The data of a tile's ground.
struct TileGround {
    heights: Vec<f32>,
    shifts: Vec<[f32; 2]>,
    holes: Vec<f32>,
}

impl std::fmt::Debug for RecipeSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecipeSource").field("recipe", &self.recipe.name).field("shape", &self.shape).finish()
    }
}

/// A rectangle of `wide` values from a smaller one that lacks `cut` values in the west and north: beyond its
/// borders these values continue.
fn spread<T>(wide: [usize; 2], size: [usize; 2], cut: [i64; 2], value: impl Fn(usize) -> T) -> Vec<T> {
    let place =
        |index: usize, axis: usize| (index as i64 - cut[axis]).clamp(0, size[axis] as i64 - 1) as usize;
    let [side, depth] = wide;
    (0..side * depth).map(|index| value(place(index / side, 1) * size[0] + place(index % side, 0))).collect()
}

impl TileSource for RecipeSource {
    fn shape(&self) -> LandShape {
        self.shape
    }

    fn weight_layers(&self) -> usize {
        self.channels.drawn_layers()
    }

    fn is_shifted(&self) -> bool {
        self.recipe.is_shifted()
    }

    fn has_holes(&self) -> bool {
        self.recipe.has_holes()
    }

    fn most_shifted(&self) -> f32 {
        self.recipe.most_shifted()
    }

    fn relief(&self, window: Window, work: &Work) -> Result<Relief> {
        if let Some(whole) = self.whole_at(window.level) {
            return whole.relief(window, work);
        }
        checked(&self.shape, window)?;
        let TileGround { heights, shifts, holes } = self.ground_of(window, work)?;
        Relief::new(window, heights, drawn_shifts(shifts), drawn_holes(holes))
    }

    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
        if let Some(whole) = self.whole_at(tile.level) {
            return whole.make(tile, work);
        }
        let (ready, cut) = self.prepared(tile, work)?;
        let TileGround { heights, shifts, holes } = self.ground_prepared(tile, &ready, work)?;
        let baked = ready.baker(!self.channels.is_empty(), work)?.paint(ready.texels(), work)?;
        let (colours, weights) = self.of_cells(baked, cut);
        let data = TileData { heights, shifts, holes, gradients: None, colours, weights };
        MadeTile::new(tile, data, self.shape.cell_at(tile.level))
    }

    /// In the whole land, coarser levels have every 2nd, 4th, 8th … sample; a window comes from steps at its
    /// own level.
    fn tells_by_tiles(&self, level: i32) -> bool {
        let has_tiles = (self.shape.finest..=self.shape.coarsest).contains(&level);
        has_tiles && (level <= 0 || self.whole.is_none())
    }

    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        Ok(self.recipe.build_window(window, &self.cache, work)?.heights.heights().to_vec())
    }

    /// Colours and weights are the recipe's for the new ground, where that has changed; the effect of distant
    /// land on them is that of the land before strokes.
    fn make_sculpted(&self, tile: LandTile, sculpture: &Sculpture, work: &Work) -> Result<MadeTile> {
        let bare = self.before_strokes(tile, work)?;
        let BareTile { data, ready, cut } = &*bare;
        let before = |window: Window| self.heights(window, work);
        let mut data = data.clone();
        let was = data.heights.clone();
        match self.whole_at(tile.level) {
            Some(whole) => whole.sculpt(tile, &mut data, sculpture, &before, work)?,
            None => {
                let [x, z] = places_of(tile, &self.shape, TILE_BORDER + 1);
                change_data(&mut data, sculpture, Places { x: &x, z: &z }, &before, work)?;
            }
        }
        let region = ready.ground().region();
        let mut field = ready.field().clone();
        let x: Vec<f64> = (0..field.grid().width).map(|column| region.x_in_metres(column)).collect();
        let z: Vec<f64> = (0..field.grid().depth).map(|row| region.z_in_metres(row)).collect();
        // The painted field is changed as well, because its slopes and heights decide the colours.
        sculpture.change(field.heights_mut(), Places { x: &x, z: &z }, &before, work)?;
        let baker = ready.baker_on(&field, sculpture.types(), !self.channels.is_empty(), work)?;
        let (colours, weights) = self.of_cells(baker.paint(ready.texels(), work)?, *cut);
        if data.colours.is_empty() {
            (data.colours, data.weights) = (colours, weights);
        } else {
            // Colours of the finished picture stay where the ground has not moved.
            let layers = weights.len() / (TILE_TEXELS * TILE_TEXELS);
            for texel in self.repainted_texels(tile, (&was, &data.heights), sculpture) {
                data.colours[texel] = colours[texel];
                for layer in 0..layers {
                    let index = layer * TILE_TEXELS * TILE_TEXELS + texel;
                    if let Some(weight) = data.weights.get_mut(index) {
                        *weight = weights[index];
                    }
                }
            }
        }
        MadeTile::new(tile, data, self.shape.cell_at(tile.level))
    }

    /// From the finest level's samples around the place.
    fn layers(&self, place: DVec2, names: &[&str], work: &Work) -> Result<Vec<f32>> {
        let level = finest_tile(&self.shape, place)?.level;
        let in_samples = place / f64::from(self.shape.cell_at(level));
        let first = [in_samples.x, in_samples.y].map(|place| place.floor() as i64);
        let (window, _) = self.on_land(Window { level, first, size: [2, 2] });
        let ground = self.recipe.build_window_layers(window, names, &self.cache, work)?;
        let layers = names.iter().map(|name| ground.layer(name)).collect::<Result<Vec<_>>>()?;
        let share = in_samples - DVec2::new(window.first[0] as f64, window.first[1] as f64);
        Ok(between(&layers, share))
    }

    /// From the one cell that contains the place, and not from a tile; for land that overhangs, from all
    /// cells that may have been moved there.
    fn ground(&self, place: DVec2, work: &Work) -> Result<ExactGround> {
        let tile = finest_tile(&self.shape, place)?;
        if let Some(whole) = self.whole_at(tile.level) {
            return whole.ground(place, work);
        }
        let cell = f64::from(self.shape.cell_at(tile.level));
        if self.is_shifted()
            && let Some(highest) = self.highest_over(place, tile.level, work)?
        {
            return Ok(highest);
        }
        let first = [place.x, place.y].map(|place| (place / cell).floor() as i64);
        let (window, _) = self.on_land(Window { level: tile.level, first, size: [2, 2] });
        let made = self.built(window, work)?;
        let corner = DVec2::new(window.first[0] as f64, window.first[1] as f64) * cell;
        if let Some(holes) = made.layers().get(HOLE) {
            let row = |row: usize| [0, 1].map(|column| drawn_hole(holes.at(column, row)));
            let share = ((place - corner) / cell).clamp(DVec2::ZERO, DVec2::ONE);
            if is_hole(on_triangles(row(0), row(1), share.to_array())) {
                return Err(no_ground(place));
            }
        }
        let ground = ground_of_cell(&made.heights, tile.level, place - corner);
        Ok(ExactGround { ground, weights: self.weights_of_cell(window, work)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    fn source(name: &str, side: Option<u32>, channels: Vec<Vec<usize>>) -> RecipeSource {
        let recipe = Preset::find(name).unwrap().recipe().unwrap();
        let recipe = side.map_or(recipe.clone(), |side| recipe.with_longer_side(side));
        RecipeSource::new(recipe, &Cache::default(), 0.25, channels, &Work::new()).unwrap()
    }

    #[test]
    fn fine_tiles_pass_through_the_samples_of_the_land() {
        let source = source("downs", Some(65), vec![(0..4).collect(), (4..16).collect()]);
        assert!(source.shape().finest < -4);
        let work = Work::new();
        let whole = source.make(LandTile { level: 0, column: 0, row: 0 }, &work).unwrap();
        let fine = source.make(LandTile { level: -2, column: 1, row: 0 }, &work).unwrap();
        assert_eq!(fine.texels.weights.len(), TILE_TEXELS * TILE_TEXELS);
        for (x, z) in [(0, 0), (4, 8), (100, 96), (128, 0)] {
            assert_eq!(fine.height(x, z), whole.height(32 + x / 4, z / 4), "{x}, {z}");
        }
        assert_eq!(fine.height(131, 5), fine.height(128, 5), "the land ends 128 samples on");
        assert!(whole.texels.weights.iter().any(|shares| shares[0] > 0 || shares[1] > 0));
        assert!(fine.texels.weights.iter().any(|shares| shares[0] > 0 || shares[1] > 0));
        assert!(
            fine.texels.weights.iter().all(|shares| shares[2] == 0 && shares[3] == 0),
            "there are two channels"
        );
    }

    #[test]
    fn land_of_a_single_sample_or_row_has_tiles() {
        for size in ["(1, 1)", "(1, 9)", "(300, 1)"] {
            let text = format!(
                "(version: 1, name: \"Row\", size: {size}, cell: 8, steps: [fbm()], texture: temperate)"
            );
            let recipe = Recipe::from_ron(&text, "row.ron").unwrap();
            let source =
                RecipeSource::new(recipe, &Cache::default(), 0.25, vec![vec![0]], &Work::new()).unwrap();
            assert_eq!(source.shape().finest, 0);
            for root in source.shape().roots(DVec2::ZERO, 1e6) {
                source.make(root, &Work::new()).unwrap();
            }
            source.make(LandTile { level: 0, column: 0, row: 0 }, &Work::new()).unwrap();
            source.ground(DVec2::ZERO, &Work::new()).unwrap();
        }
    }

    /// The same tiles, without the recipe's own exact answers.
    struct Tiles<'a>(&'a RecipeSource);

    impl TileSource for Tiles<'_> {
        fn shape(&self) -> LandShape {
            self.0.shape()
        }

        fn weight_layers(&self) -> usize {
            self.0.weight_layers()
        }

        fn is_shifted(&self) -> bool {
            self.0.is_shifted()
        }

        fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile> {
            self.0.make(tile, work)
        }
    }

    #[test]
    fn the_exact_ground_of_overhangs_is_the_highest_there_and_so_are_its_types() {
        let text = r##"(version: 1, name: "Wall", size: (65, 65), cell: 2, steps: [
            fbm(height: 90, frequency: 3, octaves: 2), scale(factor: 4), clamp(low: -5, high: 25),
            undercut(depth: 9, level: -5, height: 26, middle: 0.2, reach: 8),
        ], texture: custom(types: [
            (name: "rock", colour: "#776655", slope: (min: 30)), (name: "grass", colour: "#557733"),
        ]))"##;
        let recipe = Recipe::from_ron(text, "wall.ron").unwrap();
        assert_eq!(recipe.most_shifted(), 9.0);
        let work = Work::new();
        let source = RecipeSource::of(recipe, &Cache::default(), 1.0, vec![vec![0, 1]], None).unwrap();
        let mut beside = 0;
        for number in 0..40 {
            let place = DVec2::new(14.3 + f64::from(number * 37 % 100), 13.7 + f64::from(number * 53 % 100));
            let exact = source.ground(place, &work).unwrap();
            // A tile's types are those of land that the steps made around it: nearly the same.
            let of_tiles = Tiles(&source).ground(place, &work).unwrap();
            assert_eq!(exact.ground, of_tiles.ground, "{place}");
            let tile = finest_tile(&source.shape(), place).unwrap();
            let made = source.make(tile, &work).unwrap();
            let on_samples = crate::stream::query::samples::ground_in(
                &made.heights,
                tile,
                &source.shape(),
                place.x,
                place.y,
            );
            beside += usize::from((on_samples.height - exact.ground.height).abs() > 2.0);
            let apart = |channel: usize| exact.weights[channel].abs_diff(of_tiles.weights[channel]);
            assert!((0..2).all(|channel| apart(channel) < 8), "{place}: {exact:?} {of_tiles:?}");
        }
        assert!(beside > 3, "at {beside} places shifts matter");
    }

    #[test]
    fn the_exact_ground_is_that_of_the_finest_tile_there() {
        let work = Work::new();
        let channels = || vec![(0..4).collect(), (4..16).collect()];
        for (source, places) in [
            (source("downs", Some(33), channels()), [(123.4, 77.7), (-1.0, -1.0)]),
            (source("endless-highlands", None, Vec::new()), [(-3.3, 8.1), (1e6 + 0.1, -1e6)]),
        ] {
            let shape = source.shape();
            // The last corner of land that ends.
            let place = |(x, z)| if x == -1.0 { shape.extent().unwrap() } else { DVec2::new(x, z) };
            for place in places.map(place) {
                let tile = shape.tile_at(shape.finest, place.x, place.y);
                let made = source.make(tile, &work).unwrap();
                let exact = source.ground(place, &work).unwrap();
                let of_tile =
                    crate::stream::query::samples::ground_in(&made.heights, tile, &shape, place.x, place.y);
                assert_eq!(exact.ground, of_tile, "{place}");
                let weights = &made.texels.weights;
                let of_tile =
                    crate::stream::query::samples::weights_in(weights, tile, &shape, place.x, place.y);
                assert_eq!(exact.weights, of_tile.collect::<Vec<_>>(), "{place}");
            }
            for nowhere in [DVec2::NAN, DVec2::splat(f64::INFINITY), DVec2::splat(-1e200)] {
                assert!(source.ground(nowhere, &work).is_err(), "{nowhere}");
            }
        }
    }

    /// The cached bytes of a tile, counted plane by plane.
    fn counted(bare: &BareTile) -> usize {
        let TileData { heights, shifts, holes, gradients, colours, weights } = &bare.data;
        let rises = gradients.as_ref().map_or(0, |rises| size_of_val(&rises[..]));
        let ground = size_of_val(&heights[..]) + size_of_val(&shifts[..]) + size_of_val(&holes[..]) + rises;
        ground + size_of_val(&colours[..]) + size_of_val(&weights[..]) + bare.ready.bytes() as usize
    }

    #[test]
    fn tiles_cached_for_the_next_stroke_stay_within_their_memory_limit() {
        let source = source("downs", Some(129), vec![(0..4).collect()]);
        let work = Work::new();
        for level in [0, -1] {
            let tile = LandTile { level, column: 0, row: 0 };
            let bare = source.before_strokes(tile, &work).unwrap();
            assert_eq!(bare.data.gradients.is_some(), level == 0, "the whole has gradients of its own");
            assert_eq!(bare.bytes(), counted(&bare) as u64, "level {level}");
            let (kept, most) = (BareTileCache::default(), KEPT_BYTES / counted(&bare) as u64);
            for column in 0..most as i32 + 9 {
                kept.keep(LandTile { column, ..tile }, &bare);
            }
            assert_eq!(kept.0.lock().unwrap().len() as u64, most, "as many as fit, at level {level}");
        }
    }

    #[test]
    fn endless_land_has_tiles_anywhere_at_any_level() {
        let source = source("endless-highlands", None, Vec::new());
        let work = Work::new();
        for (level, column, row) in [(source.shape().coarsest, -1, 0), (-5, 1 << 20, -(1 << 20))] {
            let made = source.make(LandTile { level, column, row }, &work).unwrap();
            let east = source.make(LandTile { level, column: column + 1, row }, &work).unwrap();
            for z in [-4, 0, 77, 131] {
                assert_eq!(made.height(128, z), east.height(0, z), "level {level}");
            }
        }
    }

    #[test]
    fn land_that_was_built_before_has_the_tiles_of_the_whole_without_waiting() {
        let text = r#"(version: 1, name: "Land", seed: 3, size: (129, 193), cell: 20, steps: [fbm(height: 400), erode(), river()])"#;
        let recipe = Recipe::from_ron(text, "land.ron").unwrap();
        let mut other = recipe.clone();
        other.seed = 4;
        let (cache, channels, work) = (Cache::default(), vec![(0..4).collect()], Work::new());
        let built = |recipe: &Recipe| {
            RecipeSource::new(recipe.clone(), &cache, 5.0, channels.clone(), &work).unwrap()
        };
        let first = built(&recipe);
        assert!(first.edited(&other, &cache).is_none(), "rivers must know all of the land");
        let second = built(&other);
        let back = second.edited(&recipe, &cache).unwrap();
        assert!(back.has_whole());
        for tile in tiles(-2..=first.shape().coarsest).filter(|tile| first.shape().has(*tile)) {
            let [was, is] = [&first, &back].map(|source| source.make(tile, &work).unwrap());
            assert!(was.heights == is.heights && was.facts == is.facts, "{tile:?}");
            assert!(
                was.texels.colours == is.texels.colours && was.texels.weights == is.texels.weights,
                "{tile:?}"
            );
        }
        assert!(second.edited(&recipe, &Cache::default()).is_none(), "another cache is empty");
    }

    /// The tiles of a recipe from its whole land, and from windows.
    fn both(steps: &str) -> [RecipeSource; 2] {
        let text = format!(
            r#"(version: 1, name: "Land", seed: 3, size: (257, 385), cell: 20, water: (sea: true), steps: [{steps}])"#
        );
        let recipe = Recipe::from_ron(&text, "land.ron").unwrap();
        let (cache, channels) = (Cache::default(), vec![(0..4).collect()]);
        assert_eq!(recipe.making(&cache).unwrap(), Making::WindowsFirst);
        let windows = RecipeSource::of(recipe.clone(), &cache, 5.0, channels.clone(), None).unwrap();
        let whole = RecipeSource::new(recipe, &cache, 5.0, channels, &Work::new()).unwrap();
        assert!(whole.has_whole() && !windows.has_whole() && whole.shape() == windows.shape());
        [whole, windows]
    }

    fn tiles(levels: impl Iterator<Item = i32>) -> impl Iterator<Item = LandTile> {
        levels.flat_map(|level| [[0, 0], [1, 2], [0, 1]].map(|[column, row]| LandTile { level, column, row }))
    }

    #[test]
    fn tiles_of_steps_by_position_equal_those_cut_out_of_the_whole() {
        let [whole, windows] = both(
            "fbm(height: 400, octaves: 12), ridged(height: 300, blend: add, mask: height, mask_min: 50), terrace()",
        );
        let work = Work::new();
        for tile in tiles(-2..=whole.shape().coarsest).filter(|tile| whole.shape().has(*tile)) {
            let [cut, made] = [&whole, &windows].map(|source| source.make(tile, &work).unwrap());
            assert!(cut.heights == made.heights && cut.facts == made.facts, "{tile:?}");
            // Distant land is seen from closer by, and texels are not averaged: the colours are similar.
            let light = |made: &MadeTile| {
                let sum: u32 = made.texels.colours.iter().flat_map(|c| &c[..3]).map(|&c| u32::from(c)).sum();
                sum as f32 / made.texels.colours.len() as f32 / 3.0
            };
            assert!((light(&cut) - light(&made)).abs() < 12.0, "{tile:?}: {} {}", light(&cut), light(&made));
        }
    }

    #[test]
    fn tiles_of_steps_that_look_around_equal_the_whole_at_its_own_level() {
        let [whole, windows] = both("fbm(height: 400), gaussian(sigma: 3), warp(), gullies()");
        for tile in tiles(0..1) {
            let [cut, made] = [&whole, &windows].map(|source| source.make(tile, &Work::new()).unwrap());
            assert!(cut.heights == made.heights, "{tile:?}");
        }
    }

    #[test]
    fn an_edit_of_the_ground_alone_keeps_the_shape_of_the_land() {
        let source = source("downs", Some(65), vec![vec![0]]);
        let cache = source.cache.clone();
        let edit = |change: &dyn Fn(&mut Recipe)| {
            let mut recipe = source.recipe.clone();
            change(&mut recipe);
            source.edited(&recipe, &cache)
        };
        // The erosion is cached.
        let last = source.recipe.steps.len() - 1;
        let edited = edit(&|recipe| _ = recipe.steps.remove(last)).unwrap();
        assert!(edited.shape() == source.shape() && edited.channels() == source.channels());
        assert!(edit(&|recipe| recipe.seed += 1).is_none(), "other land must be eroded first");
        assert!(edit(&|recipe| recipe.size = (65, 66)).is_none());
        assert!(edit(&|recipe| recipe.cell *= 2.0).is_none());
        assert!(edit(&|recipe| recipe.texture = Skin::Arid).is_none());
        assert!(edit(&|recipe| recipe.cell = f32::NAN).is_none());
    }
}
