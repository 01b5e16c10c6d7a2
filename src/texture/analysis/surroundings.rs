//! What the field alone decides and baking only reads: made once, and used again and again while only
//! the texture changes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield, Layers, Region};

use super::shadow::sun_view;
use super::sky::sky_layer;
use crate::texture::factors::{Land, Measured};
use crate::texture::light::Light;
use crate::texture::set::Texture;

/// Bytes a sample that working out the view of the sky takes at most, and of the sun.
const SKY_BYTES: u64 = 3;
const SUN_BYTES: u64 = 4;

/// Numbers in [0, 1], one for each sample of a field, kept in a byte or in two each.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    grid: Grid,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// 0 to 1 as 0 to 255.
    Coarse(Vec<u8>),
    /// 0 to 1 as 0 to 65535.
    Fine(Vec<u16>),
}

impl Layer {
    /// The layer whose values are given row by row for a field of `grid`: 0 to 1 as 0 to 255.
    ///
    /// # Errors
    /// [`Error::Size`] when there are not as many values as samples.
    pub fn new(grid: Grid, values: Vec<u8>) -> Result<Self> {
        Self { grid, values: Values::Coarse(values) }.checked()
    }

    /// As [`new`](Self::new), with finer values: 0 to 1 as 0 to 65535.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fine(grid: Grid, values: Vec<u16>) -> Result<Self> {
        Self { grid, values: Values::Fine(values) }.checked()
    }

    fn checked(self) -> Result<Self> {
        let Grid { width, depth, .. } = self.grid;
        let count = match &self.values {
            Values::Coarse(values) => values.len(),
            Values::Fine(values) => values.len(),
        };
        if count != self.grid.count() {
            let reason = format!("do not match the {count} values of a layer");
            return Err(Error::Size { width, depth, reason });
        }
        Ok(self)
    }

    /// The grid of the field.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.values {
            Values::Coarse(values) => values.len() as u64,
            Values::Fine(values) => 2 * values.len() as u64,
        }
    }

    /// What it is in the samples of another region, on whose samples and between them it is by straight
    /// lines.
    pub(crate) fn in_region(&self, from: &Region, to: &Region) -> Self {
        let axis = |axis: usize, count: usize| -> Vec<(usize, usize, f32)> {
            let (first, last) = (from.window().first[axis], self.side(axis) - 1);
            let index = |index: usize| (to.window().first[axis] + index as i64) as f64;
            let place = |number: usize| libm::ldexp(index(number), to.level() - from.level()) - first as f64;
            let tap = |place: f64| {
                let place = place.clamp(0.0, last as f64);
                let before = place as usize;
                (before, (before + 1).min(last), (place - before as f64) as f32)
            };
            (0..count).map(|number| tap(place(number))).collect()
        };
        let grid = to.grid();
        let (columns, rows) = (axis(0, grid.width), axis(1, grid.depth));
        let values = match &self.values {
            Values::Coarse(values) => Values::Coarse(between_all(values, self.grid.width, &columns, &rows)),
            Values::Fine(values) => Values::Fine(between_all(values, self.grid.width, &columns, &rows)),
        };
        Self { grid, values }
    }

    /// Layers of blocks of one size that lie side by side, row by row, as one.
    pub(crate) fn of_blocks(all: &Region, [columns, _]: [usize; 2], blocks: &[&Self]) -> Self {
        let grid = all.grid();
        let side = blocks.first().map_or(grid, |block| block.grid);
        let coarse = blocks.iter().map(|block| match &block.values {
            Values::Coarse(values) => Some(&values[..]),
            Values::Fine(_) => None,
        });
        let values = match coarse.collect::<Option<Vec<&[u8]>>>() {
            Some(blocks) => Values::Coarse(joined(&blocks, columns, side, grid)),
            None => {
                let fine: Vec<Cow<[u16]>> = blocks.iter().map(|block| block.fine_values()).collect();
                let fine: Vec<&[u16]> = fine.iter().map(|values| &**values).collect();
                Values::Fine(joined(&fine, columns, side, grid))
            }
        };
        Self { grid, values }
    }

    /// Its values as 0 to 65535.
    fn fine_values(&self) -> Cow<'_, [u16]> {
        match &self.values {
            Values::Coarse(values) => values.iter().map(|&value| u16::from(value) * 257).collect(),
            Values::Fine(values) => values.into(),
        }
    }

    /// Samples along x (0) or z (1).
    fn side(&self, axis: usize) -> usize {
        [self.grid.width, self.grid.depth][axis]
    }

    /// The value at a sample.
    pub fn at(&self, column: usize, row: usize) -> f32 {
        let index = row * self.grid.width + column;
        match &self.values {
            Values::Coarse(values) => f32::from(values[index]) / 255.0,
            Values::Fine(values) => f32::from(values[index]) / 65535.0,
        }
    }

    /// Interpolates between two rows, at `share` of the way from the northern one; values beyond the
    /// layer's width are left as they are.
    pub(crate) fn read_between(&self, rows: (usize, usize), share: f32, out: &mut [f32]) {
        self.read_part(rows, 0..self.grid.width, share, out);
    }

    /// As [`read_between`](Self::read_between), a part of the columns.
    #[inline(always)]
    pub(crate) fn read_part(
        &self,
        (north, south): (usize, usize),
        columns: Range<usize>,
        share: f32,
        out: &mut [f32],
    ) {
        let part = |row: usize| row * self.grid.width + columns.start..row * self.grid.width + columns.end;
        match &self.values {
            Values::Coarse(values) => {
                between(&values[part(north)], &values[part(south)], share, 1.0 / 255.0, out)
            }
            Values::Fine(values) => {
                between(&values[part(north)], &values[part(south)], share, 1.0 / 65535.0, out)
            }
        }
    }
}

/// The values of blocks that lie side by side, `columns` of them in a row, row of samples by row of samples.
fn joined<T: Copy>(blocks: &[&[T]], columns: usize, side: Grid, grid: Grid) -> Vec<T> {
    let mut all = Vec::with_capacity(grid.count());
    for row in 0..grid.depth {
        let inside = row % side.depth * side.width;
        for block in &blocks[row / side.depth * columns..][..columns] {
            all.extend_from_slice(&block[inside..][..side.width]);
        }
    }
    all
}

/// A whole number that stands for a share.
trait Level: Copy + Into<f32> + Send + Sync {
    fn from_f32(value: f32) -> Self;
}

impl Level for u8 {
    fn from_f32(value: f32) -> Self {
        value as Self
    }
}

impl Level for u16 {
    fn from_f32(value: f32) -> Self {
        value as Self
    }
}

/// What lies between four values each.
fn between_all<T: Level>(
    values: &[T],
    width: usize,
    columns: &[(usize, usize, f32)],
    rows: &[(usize, usize, f32)],
) -> Vec<T> {
    let row = |&(north, south, down): &(usize, usize, f32)| {
        let (north, south) = (&values[north * width..], &values[south * width..]);
        columns.iter().map(move |&(west, east, across)| {
            let along = |row: &[T]| -> f32 {
                let (west, east): (f32, f32) = (row[west].into(), row[east].into());
                west + (east - west) * across
            };
            let (north, south) = (along(north), along(south));
            T::from_f32(north + (south - north) * down + 0.5)
        })
    };
    rows.par_iter().flat_map_iter(row).collect()
}

#[inline(always)]
fn between<T: Copy + Into<f32>>(north: &[T], south: &[T], share: f32, unit: f32, out: &mut [f32]) {
    for ((out, &north), &south) in out.iter_mut().zip(north).zip(south) {
        let (north, south): (f32, f32) = (north.into(), south.into());
        *out = (north + (south - north) * share) * unit;
    }
}

/// What lies around each sample of a field: how much of the sky and of the sun it sees, and whatever
/// else terrain types ask for beyond height and slope. A byte or two a sample for each; clones share
/// them.
///
/// ```
/// use upland::texture::{BakeOptions, Baker, Surroundings, Texture};
/// # use upland::{Grid, Heightfield, Work};
/// # let (field, work) = (Heightfield::flat(Grid::new(9, 9, 10.0)?, 100.0), Work::new());
/// let mut surroundings = Surroundings::new(&field);
/// for texture in [Texture::temperate(), Texture::arid()] {
///     surroundings.prepare(&field, &texture, &work)?; // The second time there is nothing to do.
///     let texture = Texture { resolution: 64, ..texture };
///     let baker = Baker::new(&field, &surroundings, &texture, BakeOptions::default(), 1, &work)?;
///     assert_eq!(baker.size(), (64, 64));
/// }
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surroundings {
    grid: Grid,
    range: (f32, f32),
    sky: Option<Arc<Layer>>,
    /// Bearing and elevation of a sun, and how much of it is seen.
    sun: Option<([f32; 2], Arc<Layer>)>,
    measured: Measured,
    layers: BTreeMap<String, Arc<Layer>>,
}

impl Surroundings {
    /// Those of `field`, of which nothing is known yet but how high it lies.
    pub fn new(field: &Heightfield) -> Self {
        Self {
            grid: field.grid(),
            range: field.range(),
            sky: None,
            sun: None,
            measured: Measured::default(),
            layers: BTreeMap::new(),
        }
    }

    /// Works out what `texture` needs on a land without water and isn't known yet. `field` must be the
    /// one of [`new`](Self::new).
    ///
    /// # Errors
    /// As [`prepare_on`](Self::prepare_on).
    pub fn prepare(&mut self, field: &Heightfield, texture: &Texture, work: &Work) -> Result<()> {
        self.prepare_on(Land::dry(field), texture, work)
    }

    /// As [`prepare`](Self::prepare), for a land with its sea and its rivers, which the factors of
    /// terrain types ask for.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a field or rivers of another size; when a mask cannot be read;
    /// [`Error::Size`] when there is too little memory; [`Error::Cancelled`].
    pub fn prepare_on(&mut self, land: Land, texture: &Texture, work: &Work) -> Result<()> {
        let field = land.field;
        self.check(field)?;
        for kind in &texture.types {
            self.measured.prepare(land, &kind.factors, work)?;
        }
        if texture.occlusion > 0.0 && self.sky.is_none() {
            memory::require(self.grid, SKY_BYTES * self.grid.count() as u64)?;
            self.sky = Some(Arc::new(sky_layer(field, work)?));
        }
        if let Some(light) = texture.light.filter(Light::casts_shadows)
            && self.sun(&light).is_none()
        {
            memory::require(self.grid, SUN_BYTES * self.grid.count() as u64)?;
            self.sun = Some(([light.bearing, light.elevation], Arc::new(sun_view(field, &light, work)?)));
        }
        Ok(())
    }

    /// What is known of blocks that lie side by side, row by row: of all of them together.
    pub(crate) fn of_blocks(all: &Region, counts: [usize; 2], blocks: &[Self], range: (f32, f32)) -> Self {
        let join = |layer: &dyn Fn(&Self) -> Option<&Arc<Layer>>| {
            let layers: Option<Vec<&Layer>> =
                blocks.iter().map(|block| layer(block).map(Arc::as_ref)).collect();
            layers.map(|layers| Arc::new(Layer::of_blocks(all, counts, &layers)))
        };
        let names = blocks.first().map(|block| block.layers.keys().cloned().collect::<Vec<_>>());
        let joined = |name: String| Some((name.clone(), join(&|block| block.layers.get(&name))?));
        let place = blocks.first().and_then(|block| block.sun.as_ref()).map(|(place, _)| *place);
        Self {
            grid: all.grid(),
            range,
            sky: join(&|block| block.sky.as_ref()),
            sun: place.zip(join(&|block| block.sun.as_ref().map(|(_, layer)| layer))),
            measured: Measured::default(),
            layers: names.unwrap_or_default().into_iter().filter_map(joined).collect(),
        }
    }

    /// What is known, in the samples of another region.
    pub(crate) fn in_region(&self, from: &Region, to: &Region) -> Self {
        let part = |layer: &Arc<Layer>| Arc::new(layer.in_region(from, to));
        let all = self.measured.layers().chain(self.layers.iter().map(|(name, layer)| (name.clone(), layer)));
        Self {
            grid: to.grid(),
            range: self.range,
            sky: self.sky.as_ref().map(part),
            sun: self.sun.as_ref().map(|(place, layer)| (*place, part(layer))),
            measured: Measured::default(),
            layers: all.map(|(name, layer)| (name, part(layer))).collect(),
        }
    }

    /// The same with the layers that steps have written of the land, for terrain types that ask for some.
    pub fn with_land_layers(mut self, layers: Layers) -> Self {
        self.measured.set_land(layers);
        self
    }

    /// The same without the pictures that were read, and without layers.
    pub(crate) fn without_pictures(mut self) -> Self {
        self.measured.forget_pictures();
        self
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> u64 {
        let sun = self.sun.as_ref().map(|(_, layer)| layer);
        let own = self.sky.iter().chain(sun).chain(self.layers.values());
        own.map(|layer| layer.bytes()).sum::<u64>() + self.measured.bytes()
    }

    /// Adds what limits called `name` are about, or puts it in the place of what was there.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a layer of another size.
    pub fn insert(&mut self, name: impl Into<String>, layer: Layer) -> Result<()> {
        let name = name.into();
        if layer.grid != self.grid {
            let Grid { width, depth, .. } = self.grid;
            let reason = format!("the layer is not of the field's {width}×{depth} samples; resample it");
            return Err(Error::parameter(name, reason));
        }
        self.layers.insert(name, Arc::new(layer));
        Ok(())
    }

    /// What was inserted under `name`, or measured by the factor of that name.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.get(name).map(Arc::as_ref).or_else(|| self.measured.layer(name))
    }

    /// What there is to say about the pictures that were read, such as that one was resampled.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.measured.notes()
    }

    /// The share of the sky that each sample sees, if it's known.
    pub fn sky(&self) -> Option<&Layer> {
        self.sky.as_deref()
    }

    /// The share of the sun of `light` that each sample sees over other ground, if it's known.
    pub fn sun(&self, light: &Light) -> Option<&Layer> {
        let known = self.sun.as_ref().filter(|(place, _)| *place == [light.bearing, light.elevation]);
        known.map(|(_, layer)| layer.as_ref())
    }

    /// The field's lowest and highest height in metres.
    pub fn range(&self) -> (f32, f32) {
        self.range
    }

    /// Refuses a field of another size.
    pub(crate) fn check(&self, field: &Heightfield) -> Result<()> {
        if field.grid() == self.grid {
            return Ok(());
        }
        let (ours, theirs) = (self.grid, field.grid());
        let reason = format!(
            "they are those of {}×{} samples, the field has {}×{}; make them anew",
            ours.width, ours.depth, theirs.width, theirs.depth
        );
        Err(Error::parameter("surroundings", reason))
    }
}
