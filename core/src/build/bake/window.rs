//! Baking a land, or a window of it: texels have the same bits in every window of a level.
//!
//! Weights follow from the window's own heights, and from what is [measured](super::measured) of the land
//! around.

use std::sync::Arc;

use super::measured::{Measured, Measuring, key_of};
use crate::analysis::{Land, ShareMap, TerrainAnalysis};
use crate::build::Cache;
use crate::build::cache::{Keepable, Key};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::ROAD;
use crate::grid::{Heightfield, Region, Window};
use crate::recipe::Recipe;
use crate::sculpt::PaintedTypes;
use crate::steps::Ground;
use crate::texture::{Baked, Fade, FadeBaker, MapWindow, Materials, Part, TypeThere};

impl Keepable for Vec<Materials> {
    fn bytes(&self) -> u64 {
        self.iter().map(Materials::bytes).sum()
    }
}

/// A window of a land, or all of it, prepared for painting.
pub struct WindowBake {
    pub(super) fade: Fade,
    /// The window and its surroundings, or all of the land.
    ground: Ground,
    measured: Measured,
    /// The place of the texels on the map of the whole land; `None` if they are all of that map.
    place: Option<PlaceOfPart>,
    /// The window's texels on the map over `ground`.
    texels: MapWindow,
    sea_level: Option<f32>,
    seed: u64,
}

/// A part of a map and its pictures, which are scaled to its texels.
struct PlaceOfPart {
    part: Part,
    materials: Arc<Vec<Materials>>,
}

impl PlaceOfPart {
    fn parts(&self) -> (Part, &[Materials]) {
        (self.part, &self.materials[..])
    }
}

impl WindowBake {
    /// These texels of the map over `ground`, which is land of a recipe.
    fn of(
        recipe: &Recipe,
        ground: Ground,
        (fade, measured): (Fade, Measured),
        place: Option<PlaceOfPart>,
        texels: MapWindow,
    ) -> Self {
        Self { fade, ground, measured, place, texels, sea_level: recipe.sea_level(), seed: recipe.seed }
    }

    /// The baker for it. Only the texels of [`texels`](Self::texels) are valid.
    ///
    /// # Errors
    /// As [`Fade::baker`].
    pub fn baker(&self, weights: bool, work: &Work) -> Result<FadeBaker<'_>> {
        self.baker_over(&self.ground.heights, weights, work)
    }

    fn baker_over<'a>(&'a self, field: &'a Heightfield, weights: bool, work: &Work) -> Result<FadeBaker<'a>> {
        let land = Land { sea_level: self.sea_level, ..Land::dry(field) };
        let part = self.place.as_ref().map(PlaceOfPart::parts);
        self.fade.baker_of_part(land, &self.measured.prepared, weights, self.seed, part, work)
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
        let baker = self.baker_over(field, weights, work)?;
        let painted = match (self.measured.prepared.painted(), painted) {
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

    /// The types that strokes paint.
    pub(super) fn painted(&self) -> Option<&Arc<PaintedTypes>> {
        self.measured.prepared.painted()
    }

    /// The ground alone.
    pub(super) fn into_ground(self) -> Ground {
        self.ground
    }

    /// The ground whose heights are [`field`](Self::field), with the layers that were asked for.
    #[doc(hidden)]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.field().grid().count() as u64 + self.ground.layers().bytes() + self.measured.prepared.bytes()
    }

    /// The analysis of the land at the samples of [`field`](Self::field).
    pub(crate) fn analysis(&self) -> &TerrainAnalysis {
        self.measured.prepared.analysis()
    }

    /// Wetness at the samples of [`field`](Self::field), if it was asked for.
    pub fn wetness(&self) -> Option<&ShareMap> {
        self.measured.wetness.as_ref()
    }

    /// Notes for the user about the preparation, such as that a mask was resampled.
    pub fn notes(&self) -> &[String] {
        &self.measured.prepared.notes
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
        self.prepare_window_layers(window, texels, wetness, &[], cache, work)
    }

    /// As [`prepare_window`](Self::prepare_window), where the ground has these layers.
    ///
    /// # Errors
    /// As [`prepare_window`](Self::prepare_window), and when no step writes one of the layers.
    #[doc(hidden)]
    pub fn prepare_window_layers(
        &self,
        window: Window,
        texels: u32,
        wetness: bool,
        layers: &[&str],
        cache: &Cache,
        work: &Work,
    ) -> Result<WindowBake> {
        let how = Preparation { texels, wetness, in_blocks: self.is_made_in_windows()?, layers };
        self.prepare_window_with(window, how, cache, work)
    }

    /// As [`prepare_window`](Self::prepare_window), where what depends on distant land is measured in blocks
    /// with a margin, as for land that is only made in windows: never of all the land.
    ///
    /// # Errors
    /// As [`prepare_window`](Self::prepare_window), and for a window of more blocks than are measured at once;
    /// 4096×4096 samples never are too many.
    #[doc(hidden)]
    pub fn prepare_window_in_blocks(
        &self,
        window: Window,
        texels: u32,
        cache: &Cache,
        work: &Work,
    ) -> Result<WindowBake> {
        let how = Preparation { texels, wetness: false, in_blocks: true, layers: &[] };
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
        let ground = self.layers_in(&around, &layers, cache, work)?;
        let textures = key_of(&fade);
        let how = Measuring { wetness, in_blocks };
        let mut measured = self.measured_in(&around, (&fade, textures), how, cache, work)?;
        if let Some(road) = ground.layers().get(ROAD).filter(|_| is_finer) {
            measured.prepared = measured.prepared.with_layer(&fade, ROAD, road, work)?;
        }
        measured.prepared = measured.prepared.with_painted(self.painted_types(Some(cache))?);
        let place = place_of_part((&fade, textures), &around, texels, cache, work)?;
        let offset = [0, 1].map(|axis| (window.first[axis] - around.window().first[axis]) as usize);
        let [column, row] = offset.map(|samples| samples * texels as usize);
        // n samples have n − 1 cells between them.
        let [width, depth] = window.size.map(|side| (side as usize - 1) * texels as usize);
        let texels = MapWindow { column, row, width, depth };
        Ok(WindowBake::of(self, ground, (fade, measured), Some(place), texels))
    }

    /// Prepares all of the land for painting, or what is shown of endless land, at the resolution of the
    /// textures. The ground has these layers.
    ///
    /// # Errors
    /// As [`build_layers`](Self::build_layers), and those of the baker.
    #[doc(hidden)]
    pub fn prepare_land(
        &self,
        layers: &[&str],
        wetness: bool,
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<WindowBake> {
        let fade = self.fade();
        let wanted = [&fade.layers()[..], layers].concat();
        let (ground, key) = self.ground_with(&wanted, cache, work)?;
        self.prepare_ground(ground, fade, wetness, cache.zip(key), work)
    }

    /// Prepares a ground for painting as a map of its own, at the resolution of the textures. Its analysis is
    /// kept in the cache under this key.
    ///
    /// # Errors
    /// As [`Fade::prepare`].
    pub(super) fn prepare_ground(
        &self,
        ground: Ground,
        fade: Fade,
        wetness: bool,
        kept: Option<(&Cache, Key)>,
        work: &Work,
    ) -> Result<WindowBake> {
        let painted = self.painted_over(ground.region(), kept.map(|(cache, _)| cache))?;
        let mut measured = self.measured_on(&ground, &fade, wetness, kept, work)?;
        measured.prepared = measured.prepared.with_painted(painted);
        let (width, depth) = fade.map_size(ground.grid());
        let texels = MapWindow { column: 0, row: 0, width, depth };
        Ok(WindowBake::of(self, ground, (fade, measured), None, texels))
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
        let land = Land { sea_level: self.sea_level(), ..Land::dry(field) };
        let known = TerrainAnalysis::of(field.grid(), range);
        let prepared = fade.prepare(land, Some(known), work)?.with_painted(self.painted_types(Some(cache))?);
        let place = place_of_part((&fade, key_of(&fade)), region, 1, cache, work)?;
        let baker = fade.baker_of_part(land, &prepared, weights, self.seed, Some(place.parts()), work)?;
        baker.paint(baker.whole(), work)
    }
}

/// The part of the map over a region, with this many texels along each of its cells.
fn place_of_part(
    (fade, textures): (&Fade, Option<Key>),
    region: &Region,
    texels: u32,
    cache: &Cache,
    work: &Work,
) -> Result<PlaceOfPart> {
    let texel = f64::from(region.grid().cell) / f64::from(texels);
    let key = textures.map(|key| key.of(("materials", texel.to_bits())));
    let materials = cache.one_of(key, || fade.materials(texel, work))?;
    Ok(PlaceOfPart { part: Part::over(region, texels), materials })
}
