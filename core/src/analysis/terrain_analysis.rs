//! The results of measuring a land, kept while textures change.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::Stamp;
use crate::grid::{Grid, Heightfield, Layers, Region, memory};
use crate::sky::sun::Sun;
use crate::steps::water::{Course, Lake, Waters};

use super::factors::Factor;
use super::land::Land;
use super::picture::Picture;
use super::shade_day::ShadeDay;
use super::shadow::sun_view;
use super::share_map::ShareMap;
use super::sky_view::sky_layer;

/// Bytes a sample that measuring the sky-view factor takes at most, and the sun's shadows.
const SKY_BYTES: u64 = 3;
const SUN_BYTES: u64 = 4;

/// Share maps of a field: its sky-view factor, how much of the sun each sample sees, and others by name, such
/// as measured [`Factor`]s. Each takes a byte or two a sample; clones share them.
///
/// It is empty at first. [`prepare`](Self::prepare) measures what a texture needs, once for all textures that
/// need it.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{BakeOptions, Baker, TerrainAnalysis, Texture};
/// # use upland::{Grid, Heightfield, Work};
/// # let (field, work) = (Heightfield::flat(Grid::new(9, 9, 10.0)?, 100.0), Work::new());
/// let mut analysis = TerrainAnalysis::new(&field);
/// for texture in [Texture::temperate(), Texture::arid()] {
///     analysis.prepare(&field, &texture, &work)?; // The second time there is nothing to do.
///     let texture = Texture { resolution: 64, ..texture };
///     let baker = Baker::new(&field, &analysis, &texture, BakeOptions::default(), 1, &work)?;
///     assert_eq!(baker.size(), (64, 64));
/// }
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TerrainAnalysis {
    grid: Grid,
    /// The rows that will be read: the slow measurements are made for these only.
    rows: Range<usize>,
    range: (f32, f32),
    sky: Option<Arc<ShareMap>>,
    /// A position of the sun, and the share of its disc that each sample sees.
    sun: Option<(Sun, Arc<ShareMap>)>,
    /// The sea and the rivers that factors were measured with.
    sea_level: Option<f32>,
    rivers: Vec<Course>,
    lakes: Vec<Lake>,
    /// The layers of the land that steps have written.
    written: Layers,
    named: BTreeMap<String, CachedLayer>,
}

/// A share map, and where it comes from.
#[derive(Clone, Debug)]
struct CachedLayer {
    layer: Arc<ShareMap>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    /// It was inserted by [`TerrainAnalysis::insert`], and only another insertion replaces it.
    Inserted,
    Measured(&'static Factor),
    /// It was read from a picture: its file's stamp, and a note for the user.
    Picture {
        stamp: Option<Stamp>,
        note: Option<String>,
    },
    /// It follows from layers that steps have written.
    Written,
}

impl TerrainAnalysis {
    /// An empty analysis of `field`, with only its lowest and highest height.
    pub fn new(field: &Heightfield) -> Self {
        Self::of(field.grid(), field.range())
    }

    /// The same, of which only some rows will be read.
    pub(crate) fn only(mut self, rows: Range<usize>) -> Self {
        self.rows = rows.start.min(self.grid.depth)..rows.end.min(self.grid.depth);
        self
    }

    /// An empty analysis of a field of this grid with this lowest and highest height.
    pub(crate) fn of(grid: Grid, range: (f32, f32)) -> Self {
        Self {
            grid,
            rows: 0..grid.depth,
            range,
            sky: None,
            sun: None,
            sea_level: None,
            rivers: Vec::new(),
            lakes: Vec::new(),
            written: Layers::default(),
            named: BTreeMap::new(),
        }
    }

    /// The analysis of `all`, joined from those of blocks of one size that lie side by side, row by row. The
    /// last ones along a side may be smaller.
    pub(crate) fn of_blocks(all: &Region, counts: [usize; 2], blocks: &[&Self], range: (f32, f32)) -> Self {
        let join = |layer: &dyn Fn(&Self) -> Option<&ShareMap>| {
            let layers: Option<Vec<&ShareMap>> = blocks.iter().map(|block| layer(block)).collect();
            layers.map(|layers| Arc::new(ShareMap::of_blocks(all, counts, &layers)))
        };
        // Blocks have the same layers, so the first one's names are those of all.
        let names = blocks.iter().take(1).flat_map(|block| block.named.keys());
        let named = names.filter_map(|name| {
            Some((name.clone(), CachedLayer::inserted(join(&|block| block.layer(name))?)))
        });
        let sun = blocks.first().and_then(|block| block.sun.as_ref()).map(|(sun, _)| *sun);
        Self {
            sky: join(&|block| block.sky()),
            // Only if all blocks have it.
            sun: sun.and_then(|sun| Some((sun, join(&|block| block.sun(&sun))?))),
            named: named.collect(),
            ..Self::of(all.grid(), range)
        }
    }

    /// The same over the samples of another region.
    pub(crate) fn in_region(&self, from: &Region, to: &Region) -> Self {
        let part = |layer: &Arc<ShareMap>| Arc::new(layer.in_region(from, to));
        let named =
            self.named.iter().map(|(name, known)| (name.clone(), CachedLayer::inserted(part(&known.layer))));
        Self {
            sky: self.sky.as_ref().map(part),
            sun: self.sun.as_ref().map(|(sun, layer)| (*sun, part(layer))),
            named: named.collect(),
            ..Self::of(to.grid(), self.range)
        }
    }

    /// The same with the layers of the land that steps have written, which terrain types may have limits of.
    pub fn with_land_layers(mut self, layers: Layers) -> Self {
        // Results that were derived from other layers are no longer valid.
        self.named.retain(|_, known| !matches!(known.origin, Origin::Written));
        self.written = layers;
        self
    }

    /// The same without what follows from neither ground nor water: pictures, and layers that steps have
    /// written.
    pub(crate) fn without_pictures(mut self) -> Self {
        self.named.retain(|_, known| !matches!(known.origin, Origin::Picture { .. }));
        // They are kept with the land and would be kept twice.
        self.with_land_layers(Layers::default())
    }

    /// Prepares for measuring `land`: results that depended on other water are dropped.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a field of another size.
    pub(crate) fn begin(&mut self, land: Land) -> Result<()> {
        self.check(land.field)?;
        // What depends on water has to be measured again; all else stays.
        let known = Waters { sea_level: self.sea_level, rivers: &self.rivers, lakes: &self.lakes };
        if known != land.waters() {
            self.named.retain(|_, known| match known.origin {
                Origin::Measured(factor) => !factor.depends_on_water,
                _ => true,
            });
            (self.sea_level, self.rivers) = (land.sea_level, land.rivers.to_vec());
            self.lakes = land.lakes.to_vec();
        }
        Ok(())
    }

    /// Measures the sky-view factor, unless it is there already.
    ///
    /// # Errors
    /// [`Error::Size`] when there is too little memory, and [`Error::Cancelled`].
    pub(crate) fn measure_sky(&mut self, field: &Heightfield, work: &Work) -> Result<()> {
        if self.sky.is_none() {
            memory::require(self.grid, SKY_BYTES * self.grid.count() as u64)?;
            self.sky = Some(Arc::new(sky_layer(field, self.rows.clone(), work)?));
        }
        Ok(())
    }

    /// Measures which samples see the sun, unless that is there for the same position.
    ///
    /// # Errors
    /// As [`measure_sky`](Self::measure_sky).
    pub(crate) fn measure_sun(&mut self, field: &Heightfield, sun: Sun, work: &Work) -> Result<()> {
        if self.sun(&sun).is_none() {
            memory::require(self.grid, SUN_BYTES * self.grid.count() as u64)?;
            // Only the latest sun: a day's course would otherwise fill the memory.
            self.sun = Some((sun, Arc::new(sun_view(field, sun, work)?)));
        }
        Ok(())
    }

    /// Measures a factor on a day, unless it is there already.
    ///
    /// # Errors
    /// As [`Factor::measure`].
    pub(crate) fn measure(
        &mut self,
        factor: &'static Factor,
        day: ShadeDay,
        land: Land,
        work: &Work,
    ) -> Result<()> {
        if let Entry::Vacant(place) = self.named.entry(factor.layer(day)) {
            let layer = Arc::new(factor.measure_on(day, land, work)?);
            place.insert(CachedLayer { layer, origin: Origin::Measured(factor) });
        }
        Ok(())
    }

    /// Reads a picture, unless it is there already and its file hasn't changed.
    ///
    /// # Errors
    /// As [`Picture::over`].
    pub(crate) fn read_picture(&mut self, picture: &Picture, work: &Work) -> Result<()> {
        let (name, now) = (picture.layer(), picture.stamp());
        let known = self.named.get(&name).is_some_and(|known| match &known.origin {
            // A changed file is read again; inserted layers are never replaced by a picture.
            Origin::Picture { stamp, .. } => *stamp == now,
            _ => true,
        });
        if !known {
            let (layer, note) = picture.over(self.grid, work)?;
            let origin = Origin::Picture { stamp: now, note };
            self.named.insert(name, CachedLayer { layer: Arc::new(layer), origin });
        }
        Ok(())
    }

    /// Keeps under `name` the map that `make` derives from the layers that steps have written, unless there
    /// is one.
    ///
    /// # Errors
    /// Those of `make`, and [`Error::Size`] when there is too little memory.
    pub(crate) fn derive(
        &mut self,
        name: String,
        make: impl FnOnce(&Layers) -> Result<ShareMap>,
    ) -> Result<()> {
        if !self.named.contains_key(&name) {
            memory::require(self.grid, 2 * self.grid.count() as u64)?;
            let layer = Arc::new(make(&self.written)?);
            self.named.insert(name, CachedLayer { layer, origin: Origin::Written });
        }
        Ok(())
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> u64 {
        let sun = self.sun.as_ref().map(|(_, layer)| layer);
        let named = self.named.values().map(|known| &known.layer);
        let layers = self.sky.iter().chain(sun).chain(named);
        layers.map(|layer| layer.bytes()).sum::<u64>() + self.written.bytes()
    }

    /// Adds the share map for the limits `name`, replacing any of that name.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a layer of another size.
    pub fn insert(&mut self, name: impl Into<String>, layer: ShareMap) -> Result<()> {
        let name = name.into();
        if layer.grid() != self.grid {
            let Grid { width, depth, .. } = self.grid;
            let reason = format!("the layer is not of the field's {width}×{depth} samples; resample it");
            return Err(Error::parameter(name, reason));
        }
        self.named.insert(name, CachedLayer::inserted(Arc::new(layer)));
        Ok(())
    }

    /// The share map called `name`: one that was inserted, or the measured factor of that name.
    pub fn layer(&self, name: &str) -> Option<&ShareMap> {
        self.named.get(name).map(|known| known.layer.as_ref())
    }

    /// Notes for the user about pictures that were read, such as that one was resampled.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.named.values().filter_map(|known| match &known.origin {
            Origin::Picture { note, .. } => note.as_deref(),
            _ => None,
        })
    }

    /// The sky-view factor of each sample, if it was measured.
    pub fn sky(&self) -> Option<&ShareMap> {
        self.sky.as_deref()
    }

    /// The share of the sun's disc that each sample sees over other ground while the sun stands at `sun`, if
    /// that was measured.
    pub fn sun(&self, sun: &Sun) -> Option<&ShareMap> {
        self.sun.as_ref().filter(|(known, _)| known == sun).map(|(_, layer)| layer.as_ref())
    }

    /// The field's lowest and highest height in metres.
    pub fn range(&self) -> (f32, f32) {
        self.range
    }

    /// Refuses a field of another size.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub(crate) fn check(&self, field: &Heightfield) -> Result<()> {
        if field.grid() == self.grid {
            return Ok(());
        }
        let (ours, theirs) = (self.grid, field.grid());
        let reason = format!(
            "it is that of {}×{} samples, the field has {}×{}; make it again",
            ours.width, ours.depth, theirs.width, theirs.depth
        );
        Err(Error::parameter("analysis", reason))
    }
}

impl CachedLayer {
    fn inserted(layer: Arc<ShareMap>) -> Self {
        Self { layer, origin: Origin::Inserted }
    }
}
