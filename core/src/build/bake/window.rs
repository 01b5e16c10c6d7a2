//! Baking a window: texels have the same bits in every window of a level.
//!
//! Weights follow from the window's own heights. Factors that depend on distant land (sky view, shadows,
//! wetness and others) are computed on all of a bounded land at level 0, or in blocks of land that is endless
//! or large ([`blocks`](super::blocks)), and interpolated linearly between those samples.

use std::sync::Arc;

use super::blocks::Around;
use super::whole::prepare_whole;
use crate::analysis::factors::WETNESS;
use crate::analysis::{Land, Picture, ShareMap, TerrainAnalysis};
use crate::build::Cache;
use crate::build::cache::{Keepable, Key};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::ROAD;
use crate::grid::{Heightfield, Region, Window};
use crate::recipe::Recipe;
use crate::sculpt::PaintedTypes;
use crate::steps::Ground;
use crate::texture::{Baked, Fade, FadeBaker, MapWindow, Materials, Part, Prepared, TypeThere};

/// The analysis of all of a bounded land, from which any part of it can be painted.
struct AllKnown {
    prepared: Prepared,
    wetness: Option<ShareMap>,
}

impl Keepable for AllKnown {
    fn bytes(&self) -> u64 {
        self.prepared.bytes() + self.wetness.as_ref().map_or(0, ShareMap::bytes)
    }
}

impl Keepable for Vec<Materials> {
    fn bytes(&self) -> u64 {
        self.iter().map(Materials::bytes).sum()
    }
}

/// A window of a land, prepared for painting.
pub struct WindowBake {
    fade: Fade,
    /// The window and its surroundings.
    ground: Ground,
    prepared: Prepared,
    materials: Arc<Vec<Materials>>,
    part: Part,
    /// The window's texels on the map over `ground`.
    texels: MapWindow,
    wetness: Option<ShareMap>,
    sea_level: Option<f32>,
    seed: u64,
}

impl WindowBake {
    /// The baker for it. Only the texels of [`texels`](Self::texels) are valid.
    ///
    /// # Errors
    /// As [`Fade::baker`].
    pub fn baker(&self, weights: bool, work: &Work) -> Result<FadeBaker<'_>> {
        let land = Land { field: &self.ground.heights, sea_level: self.sea_level, rivers: &[] };
        let part = Some((self.part, &self.materials[..]));
        self.fade.baker_of_part(land, &self.prepared, weights, self.seed, part, work)
    }

    /// The baker for the same window where its ground is another: `field` in place of [`field`](Self::field),
    /// and with these types painted over those of the recipe. What distant land does to it is that of the
    /// recipe's own ground.
    ///
    /// # Errors
    /// As [`baker`](Self::baker).
    pub(crate) fn baker_on<'a>(
        &'a self,
        field: &'a Heightfield,
        painted: Option<&Arc<PaintedTypes>>,
        weights: bool,
        work: &Work,
    ) -> Result<FadeBaker<'a>> {
        let land = Land { field, sea_level: self.sea_level, rivers: &[] };
        let part = Some((self.part, &self.materials[..]));
        let baker = self.fade.baker_of_part(land, &self.prepared, weights, self.seed, part, work)?;
        let painted = match (self.prepared.painted(), painted) {
            (Some(own), Some(painted)) => Some(Arc::new(PaintedTypes::clone(own).and(painted))),
            (own, painted) => painted.or(own).cloned(),
        };
        Ok(baker.with_painted(painted.as_ref()))
    }

    /// The terrain types at the window's texel in this column and row, and why they lie there.
    ///
    /// # Errors
    /// As [`FadeBaker::explain`].
    pub(crate) fn explain(&self, column: usize, row: usize, work: &Work) -> Result<Vec<TypeThere>> {
        self.baker(true, work)?.explain(self.texels.column + column, self.texels.row + row, work)
    }

    /// The same with another seed of the noise in the colours than the recipe's.
    pub(crate) fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The window's texels on the baker's map.
    pub fn texels(&self) -> MapWindow {
        self.texels
    }

    /// The heights that the baker's map covers: those of the window and some around it.
    pub fn field(&self) -> &Heightfield {
        &self.ground.heights
    }

    /// The ground whose heights are [`field`](Self::field), with the layers that were asked for.
    pub(crate) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.field().grid().count() as u64 + self.ground.layers().bytes() + self.prepared.bytes()
    }

    /// The analysis of the land at the samples of [`field`](Self::field).
    pub(crate) fn analysis(&self) -> &TerrainAnalysis {
        self.prepared.analysis()
    }

    /// Wetness at the samples of [`field`](Self::field), if it was asked for.
    pub fn wetness(&self) -> Option<&ShareMap> {
        self.wetness.as_ref()
    }

    /// Notes for the user about the preparation, such as that a mask was resampled.
    pub fn notes(&self) -> &[String] {
        &self.prepared.notes
    }
}

/// How a window is prepared for painting.
pub(crate) struct Preparation<'a> {
    /// Texels along a cell.
    pub texels: u32,
    /// Whether wetness is measured.
    pub wetness: bool,
    /// Whether what depends on distant land is measured in blocks, or of all the land, which has to be made
    /// for that.
    pub in_blocks: bool,
    /// Layers that the ground shall have.
    pub layers: &'a [&'a str],
}

impl Recipe {
    /// Prepares a window for painting, with `texels` texels along each of its cells: 1, 2, 4 … 256. A
    /// window of W × D samples has W − 1 × D − 1 cells; the texture's own resolution has no effect. A texel
    /// has the same bits in every window of its level.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Cache, Preset, Work};
    ///
    /// let recipe = Preset::find("downs").unwrap().recipe()?.with_longer_side(65);
    /// let (cache, work) = (Cache::default(), Work::new());
    /// let ready = recipe.prepare_window("-1:20,30,33x17".parse()?, 2, false, &cache, &work)?;
    /// let colour = ready.baker(false, &work)?.paint(ready.texels(), &work)?.colour;
    /// assert_eq!((colour.width, colour.depth), (64, 32));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build_window`](Self::build_window); when `texels` has another value; when the window has no
    /// cell; and those of the baker.
    pub fn prepare_window(
        &self,
        window: Window,
        texels: u32,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<WindowBake> {
        let how = Preparation { texels, wetness, in_blocks: self.is_made_in_windows()?, layers: &[] };
        self.prepare_window_with(window, how, cache, work)
    }

    /// As [`prepare_window`](Self::prepare_window).
    pub(crate) fn prepare_window_with(
        &self,
        window: Window,
        Preparation { texels, wetness, in_blocks, layers }: Preparation,
        cache: &Cache,
        work: &Work,
    ) -> Result<WindowBake> {
        // A texel's side is then exact in floats, and windows of all levels share their borders.
        if !(texels.is_power_of_two() && texels <= 256) {
            let reason = format!("{texels} texels along a cell are not possible; give 1, 2, 4 … or 256");
            return Err(Error::parameter("texels", reason));
        }
        let region = self.domain()?.region(window)?;
        if window.size.contains(&1) {
            let reason = format!("{window} has no cell to paint; give at least 2 samples along either side");
            return Err(Error::parameter("window", reason));
        }
        let around = Part::region_around(&region)?;
        let fade = self.fade();
        // Made ground has sharp edges, and is known at every level.
        let is_finer = region.level() < 0 && fade.layers().contains(&ROAD);
        let layers: Vec<&str> = layers.iter().copied().chain(is_finer.then_some(ROAD)).collect();
        let ground = self.ground_in(&around, &layers, Some(cache), work)?;
        let textures = key_of(&fade);
        let whole = self.domain()?.whole().filter(|_| !in_blocks);
        let (prepared, wetness) = match whole {
            Some(whole) => self.known_of_all((&fade, textures), &whole, &around, wetness, cache, work)?,
            None => self.known_of_blocks(&fade, &around, wetness, cache, work)?,
        };
        let prepared = match ground.layers().get(ROAD) {
            Some(road) if is_finer => prepared.with_layer(&fade, ROAD, road, work)?,
            _ => prepared,
        };
        let prepared = prepared.with_painted(self.painted_types(Some(cache))?);
        let texel = f64::from(around.grid().cell) / f64::from(texels);
        // Materials depend on a texel's size alone and not on the place, so all windows share them.
        let key = textures.map(|key| key.of(("materials", texel.to_bits())));
        let materials = cache.one_of(key, || fade.materials(texel, work))?;
        let offset = [0, 1].map(|axis| (window.first[axis] - around.window().first[axis]) as usize);
        let [column, row] = offset.map(|samples| samples * texels as usize);
        // n samples have n − 1 cells between them.
        let [width, depth] = window.size.map(|side| (side as usize - 1) * texels as usize);
        Ok(WindowBake {
            fade,
            ground,
            prepared,
            materials,
            part: Part::over(&around, texels),
            texels: MapWindow { column, row, width, depth },
            wetness,
            sea_level: self.sea_level(),
            seed: self.seed,
        })
    }

    /// The colours of the cells of a field, and with `weights` also which terrain types lie there. The field
    /// is land of this recipe that has been changed, at the place of `region`. `range` is the lowest and the
    /// highest height of all the land, of which limits may be shares; what else depends on distant land is
    /// measured on the field alone.
    ///
    /// # Errors
    /// Those of the baker, and [`Error::Cancelled`].
    pub(crate) fn paint_field(
        &self,
        field: &Heightfield,
        region: &Region,
        range: (f32, f32),
        weights: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<Baked> {
        let fade = self.texture.fade();
        let land = Land { field, sea_level: self.sea_level(), rivers: &[] };
        let known = TerrainAnalysis::of(field.grid(), range);
        let prepared = fade.prepare(land, Some(known), work)?.with_painted(self.painted_types(Some(cache))?);
        let texel = f64::from(region.grid().cell);
        let key = key_of(&fade).map(|key| key.of(("materials", texel.to_bits())));
        let materials = cache.one_of(key, || fade.materials(texel, work))?;
        let part = Some((Part::over(region, 1), &materials[..]));
        let baker = fade.baker_of_part(land, &prepared, weights, self.seed, part, work)?;
        baker.paint(baker.whole(), work)
    }

    /// Prepares a region of bounded land.
    fn known_of_all(
        &self,
        (fade, textures): (&Fade, Option<Key>),
        whole: &Region,
        around: &Region,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<(Prepared, Option<ShareMap>)> {
        let sea = self.sea_level().map(f32::to_bits);
        let key = self.last_key(&fade.layers())?.zip(textures);
        let key = key.map(|(land, textures)| land.of((textures, "all", sea, wetness)));
        let all = cache.one_of(key, || self.all_known(fade, wetness, cache, work))?;
        let wetness = all.wetness.as_ref().map(|wetness| wetness.in_region(whole, around));
        Ok((all.prepared.in_region(fade, whole, around, work)?, wetness))
    }

    /// The analysis of all of a bounded land.
    fn all_known(&self, fade: &Fade, wetness: bool, cache: &Cache, work: &Work) -> Result<AllKnown> {
        let (ground, key) = self.ground_with(&self.kept_layers(fade), Some(cache), work)?;
        let land = self.land(&ground.heights, &ground.rivers);
        let kept = key.map(|key| (cache, key));
        let prepared = prepare_whole(fade, land, ground.layers(), kept, work)?;
        let wetness = wetness.then(|| WETNESS.measure(land, work)).transpose()?;
        Ok(AllKnown { prepared, wetness })
    }

    /// Prepares a region of land that is only made in windows.
    fn known_of_blocks(
        &self,
        fade: &Fade,
        around: &Region,
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<(Prepared, Option<ShareMap>)> {
        let Around { region, known, wetness } = self.known_around(fade, around, wetness, cache, work)?;
        // Notes report pictures that were resampled to the land; here every picture is, whatever its size.
        let prepared = Prepared::of(known, fade, &region, Vec::new(), work)?;
        let wetness = wetness.map(|layer| layer.in_region(&region, around));
        Ok((prepared.in_region(fade, &region, around, work)?, wetness))
    }
}

/// The key of what follows from the textures alone; `None` if a picture is missing.
pub(super) fn key_of(fade: &Fade) -> Option<Key> {
    let mut key = Some(Key::NOTHING.of(fade.at.to_bits()));
    for texture in &fade.textures {
        key = key.and_then(|key| key.with("texture", texture));
    }
    let Some(Picture { file }) = &fade.mask else { return key };
    let path = file.on_disk();
    let stamp = file.stamp(&path);
    key.filter(|_| stamp.is_some() || file.is_built_in()).map(|key| key.of((path, stamp)))
}
