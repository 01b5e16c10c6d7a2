//! What the field alone decides and baking only reads: made once, and used again and again while only
//! the texture changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::heightfield::{Grid, Heightfield};
use crate::work::Work;

use super::set::Texture;
use super::sky::sky_layer;

/// Numbers in [0, 1], one for each sample of a field, kept in a byte each.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    width: usize,
    values: Vec<u8>,
}

impl Layer {
    /// The layer whose values are given row by row for a field of `grid`: 0 to 1 as 0 to 255.
    ///
    /// # Errors
    /// [`Error::Size`] when there are not as many values as samples.
    pub fn new(grid: Grid, values: Vec<u8>) -> Result<Self> {
        if values.len() != grid.count() {
            let reason = format!("do not match the {} values of a layer", values.len());
            return Err(Error::Size { width: grid.width, depth: grid.depth, reason });
        }
        Ok(Self { width: grid.width, values })
    }

    /// All values, row by row from the north-west, 0 to 1 as 0 to 255.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// The values of one row, west to east.
    pub(super) fn row(&self, row: usize) -> &[u8] {
        &self.values[row * self.width..][..self.width]
    }
}

/// What lies around each sample of a field: how much of the sky it sees, and whatever else terrain
/// types ask for beyond height and slope. A byte a sample for each; clones share them.
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
    layers: BTreeMap<String, Arc<Layer>>,
}

impl Surroundings {
    /// Those of `field`, of which nothing is known yet but how high it lies.
    pub fn new(field: &Heightfield) -> Self {
        Self { grid: field.grid(), range: field.range(), sky: None, layers: BTreeMap::new() }
    }

    /// Works out what `texture` needs and isn't known yet. `field` must be the one of
    /// [`new`](Self::new).
    ///
    /// # Errors
    /// [`Error::Parameter`] for a field of another size; [`Error::Cancelled`].
    pub fn prepare(&mut self, field: &Heightfield, texture: &Texture, work: &Work) -> Result<()> {
        self.check(field)?;
        if texture.occlusion > 0.0 && self.sky.is_none() {
            self.sky = Some(Arc::new(sky_layer(field, work)?));
        }
        Ok(())
    }

    /// Adds what limits called `name` are about, or puts it in the place of what was there.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a layer of another size.
    pub fn insert(&mut self, name: impl Into<String>, layer: Layer) -> Result<()> {
        let name = name.into();
        if layer.width != self.grid.width || layer.values.len() != self.grid.count() {
            let Grid { width, depth, .. } = self.grid;
            let reason = format!("the layer is not of the field's {width}×{depth} samples; resample it");
            return Err(Error::parameter(name, reason));
        }
        self.layers.insert(name, Arc::new(layer));
        Ok(())
    }

    /// What was inserted under `name`.
    pub fn layer(&self, name: &str) -> Option<&Layer> {
        self.layers.get(name).map(Arc::as_ref)
    }

    /// The share of the sky that each sample sees, if it's known.
    pub fn sky(&self) -> Option<&Layer> {
        self.sky.as_deref()
    }

    /// The field's lowest and highest height in metres.
    pub fn range(&self) -> (f32, f32) {
        self.range
    }

    /// Refuses a field of another size.
    pub(super) fn check(&self, field: &Heightfield) -> Result<()> {
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
