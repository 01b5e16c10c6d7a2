//! The ground that steps work on: heights, layers, and the rivers that have been dug.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DVec2, Vec2};

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, Heightfield, Layers, Region, Window, layer};
use crate::sculpt::Sculpture;
use crate::steps::rock::Bedding;
use crate::steps::water::{Bridge, Course, Lake, RiverBed, Waters};

/// A land, or a part of one, while it is being built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    region: Region,
    pub(crate) layers: Layers,
    /// The layers that will be read later or were asked for; `None` for all.
    wanted: Option<Arc<BTreeSet<String>>>,
    /// The land that the next step looks at in place of a halo.
    context: Option<Arc<Ground>>,
    /// The strokes of the next step, which have looked at the land around them; `None` if it makes none.
    sculpture: Option<Arc<Sculpture>>,
    /// The heights before the step at the [places](super::Operation::places) that it named.
    places: Option<Arc<KnownPlaces>>,
    /// The beds of its rock, for the next step.
    bedding: Option<Arc<Bedding>>,
    /// The height of the sea, for the next step.
    sea_level: Option<f32>,
    /// The heights in metres.
    pub heights: Heightfield,
    /// Courses of the rivers, in the order in which they were dug.
    pub rivers: Vec<Course>,
    /// The lakes that have been found.
    pub lakes: Vec<Lake>,
    /// The bridges of the roads, in the order in which these were laid. Only all of a land at level 0 has
    /// them.
    pub bridges: Vec<Bridge>,
}

impl Ground {
    /// All of a land with these heights, without layers and rivers.
    pub fn new(heights: Heightfield) -> Self {
        Self::of(heights.grid().into(), heights)
    }

    /// Heights of `region` without layers and rivers.
    fn of(region: Region, heights: Heightfield) -> Self {
        Self {
            region,
            layers: Layers::default(),
            wanted: None,
            context: None,
            sculpture: None,
            places: None,
            bedding: None,
            sea_level: None,
            heights,
            rivers: Vec::new(),
            lakes: Vec::new(),
            bridges: Vec::new(),
        }
    }

    /// Level ground at height 0 over `region`.
    pub fn level_in(region: Region) -> Self {
        Self::of(region, Heightfield::flat(region.grid(), 0.0))
    }

    /// The part of the land that this is.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Crops the ground to `inner`.
    ///
    /// # Errors
    /// As [`Region::cut`].
    pub(crate) fn cut(self, inner: &Region, work: &Work) -> Result<Self> {
        let heights = self.region.cut(self.heights, inner, work)?;
        let layers = self.layers.cut(&self.region, inner, work)?;
        Ok(Self { region: *inner, heights, layers, ..self })
    }

    /// A copy of the part over `inner`, without what was prepared for the next step.
    ///
    /// # Errors
    /// As [`Region::cut`].
    pub(crate) fn part(&self, inner: &Region, work: &Work) -> Result<Self> {
        let heights = self.region.part(&self.heights, inner, work)?;
        let layers = self.layers.clone().cut(&self.region, inner, work)?;
        let (wanted, rivers, lakes) = (self.wanted.clone(), self.rivers.clone(), self.lakes.clone());
        Ok(Self { layers, wanted, rivers, lakes, ..Self::of(*inner, heights) })
    }

    /// The ground of `region` from those of its [halves](Region::halves), which have the same layers.
    ///
    /// # Errors
    /// As [`Region::join`].
    pub(crate) fn join(region: Region, [first, second]: [Self; 2]) -> Result<Self> {
        let heights = region.join([&first.heights, &second.heights])?;
        let mut layers = Layers::default();
        // A layer that only one part has can't cover the region.
        for (name, layer) in first.layers.iter() {
            if let Some(other) = second.layers.get(name) {
                layers.set(name, region.join([layer, other])?);
            }
        }
        Ok(Self { region, heights, layers, ..first })
    }

    /// The same ground with the height range of all the land, for the next step.
    pub(crate) fn with_range(self, range: (f32, f32)) -> Self {
        Self { region: self.region.with_range(range), ..self }
    }

    /// The land before the step over the region that it [looks at](super::Operation::looks_at) in place of a
    /// halo, if it returned [`Needs::Context`](super::Needs::Context) for this window.
    pub fn context(&self) -> Option<&Self> {
        self.context.as_deref()
    }

    /// The same, with or without the land that a step looks at.
    pub(crate) fn with_context(self, context: Option<Self>) -> Self {
        Self { context: context.map(Arc::new), ..self }
    }

    /// Strokes that have looked around, for the step that makes them.
    pub(crate) fn sculpture(&self) -> Option<&Arc<Sculpture>> {
        self.sculpture.as_ref()
    }

    /// The same, with or without strokes that have looked around.
    pub(crate) fn with_sculpture(self, sculpture: Option<Arc<Sculpture>>) -> Self {
        Self { sculpture, ..self }
    }

    /// The same ground with other heights.
    pub(crate) fn with_heights(&self, heights: Heightfield) -> Self {
        let Self { region, layers, wanted, context, sculpture, places, rivers, lakes, bridges, .. } = self;
        let (bedding, sea_level) = (self.bedding.clone(), self.sea_level);
        let (layers, wanted) = (layers.clone(), wanted.clone());
        let (rivers, lakes, bridges) = (rivers.clone(), lakes.clone(), bridges.clone());
        let (context, places) = (context.clone(), places.clone());
        let sculpture = sculpture.clone();
        let region = *region;
        Self {
            region,
            layers,
            wanted,
            context,
            sculpture,
            places,
            bedding,
            sea_level,
            heights,
            rivers,
            lakes,
            bridges,
        }
    }

    /// The heights before the step at these places, which it has named in
    /// [`Operation::places`](super::Operation::places) or in
    /// [`Operation::places_after`](super::Operation::places_after): between the samples of the land's own
    /// level, bilinear. Places beyond the border have its height.
    ///
    /// # Errors
    /// When the ground is a window that no recipe builds, or these are not the places of the step.
    pub fn heights_at(&self, places: &[DVec2]) -> Result<Vec<f32>> {
        let known = self.places.iter().flat_map(|known| [&known.first, &known.further]);
        if let Some(known) = known.into_iter().find(|known| known.places == places) {
            return Ok(known.heights.clone());
        }
        if places.is_empty() {
            return Ok(Vec::new());
        }
        // Heights at places are always those of level 0: a road must not change with the level of a window.
        if self.region.level() == 0 && self.region.is_whole() {
            let cells = PlaceCells::of(&self.region.domain(), places);
            return Ok(cells.heights(&self.region, &self.heights, 0..places.len()));
        }
        let reason = "have no heights in a window that no recipe builds; build it from a recipe";
        Err(Error::parameter("places", reason))
    }

    /// The same, with or without the heights at the places of a step.
    pub(crate) fn with_places(self, places: Option<Arc<KnownPlaces>>) -> Self {
        Self { places, ..self }
    }

    /// The places that the step has named in [`Operation::places_after`](super::Operation::places_after), if
    /// they are known.
    pub(crate) fn further_places(&self) -> Option<&[DVec2]> {
        self.places.as_ref().map(|known| known.further.places.as_slice())
    }

    /// Its water, with a sea of this height.
    pub fn waters(&self, sea_level: Option<f32>) -> Waters<'_> {
        Waters { sea_level, rivers: &self.rivers, lakes: &self.lakes }
    }

    /// The beds of the rock, if an earlier step has laid any: a step `strata`.
    pub fn bedding(&self) -> Option<&Arc<Bedding>> {
        self.bedding.as_ref()
    }

    /// Lays beds of rock, for the next steps.
    pub fn lay_beds(&mut self, bedding: Bedding) {
        self.bedding = Some(Arc::new(bedding));
    }

    /// The same, with or without beds of rock, for the next step.
    pub(crate) fn with_bedding(self, bedding: Option<Arc<Bedding>>) -> Self {
        Self { bedding, ..self }
    }

    /// The height of the sea in metres, if the recipe has one.
    pub(crate) fn sea_level(&self) -> Option<f32> {
        self.sea_level
    }

    /// The same, with or without a sea, for the next step.
    pub(crate) fn with_sea_level(self, sea_level: Option<f32>) -> Self {
        Self { sea_level, ..self }
    }

    /// The beds of the rivers of earlier steps, for a step with [places](super::Operation::places): of all
    /// the land, whatever window this is.
    pub(crate) fn rivers_before(&self) -> Vec<RiverBed> {
        let known = self.places.as_ref().map(|known| &known.rivers).filter(|rivers| !rivers.is_empty());
        known.cloned().unwrap_or_else(|| self.river_beds())
    }

    /// The beds of its rivers.
    pub(crate) fn river_beds(&self) -> Vec<RiverBed> {
        self.rivers.iter().filter_map(Course::river_bed).collect()
    }

    /// The same ground with other layers.
    pub(crate) fn with_layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    /// The same ground where no other layers than these will be read; steps need not write others.
    pub fn keeping(self, layers: &[&str]) -> Self {
        self.wanting(&Arc::new(layers.iter().map(|name| String::from(*name)).collect()))
    }

    /// As [`keeping`](Self::keeping).
    pub(crate) fn wanting(mut self, wanted: &Arc<BTreeSet<String>>) -> Self {
        self.want(wanted);
        self
    }

    /// Restricts the layers that will be read later to `wanted`.
    pub(crate) fn want(&mut self, wanted: &Arc<BTreeSet<String>>) {
        // Layers are dropped as soon as no later step reads them, which frees their memory.
        self.layers.retain(|name| wanted.contains(name));
        self.wanted = Some(wanted.clone());
    }

    /// The layers, each as the last step that wrote it left it. In a recipe, only layers exist that a step
    /// reads or that were asked for.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The layer called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when no step has written it; the message lists the layers that exist.
    pub fn layer(&self, name: &str) -> Result<&Heightfield> {
        self.layers.get(name).ok_or_else(|| no_layer("layer", name, self.layers.names()))
    }

    /// Whether the layer `name` will be read later. A step need not write one that won't.
    pub fn wants(&self, name: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(name))
    }

    /// Writes a layer, one value for every sample, replacing any of this name. Does nothing where the layer
    /// isn't [wanted](Self::wants).
    pub fn write_layer(&mut self, name: &str, values: Heightfield) {
        if self.wants(name) {
            self.layers.set(name, values);
        }
    }

    /// Level ground at height 0: what the first step of a recipe is given.
    pub fn level(grid: Grid) -> Self {
        Self::level_in(grid.into())
    }

    /// The grid of the heights and the layers.
    pub fn grid(&self) -> Grid {
        self.heights.grid()
    }
}

/// The heights before a step at some places, in metres from sample (0, 0), as [`Ground::heights_at`] returns
/// them.
pub type HeightsAt<'a> = dyn Fn(&[DVec2]) -> Result<Vec<f32>> + 'a;

/// The heights at the places that a step must know.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KnownPlaces {
    /// Those of [`Operation::places`](super::Operation::places).
    pub(crate) first: PlaceHeights,
    /// Those of [`Operation::places_after`](super::Operation::places_after).
    pub(crate) further: PlaceHeights,
    /// The points of the route that a road has found.
    pub(crate) route: Option<Vec<Vec2>>,
    /// The beds of the rivers of earlier steps.
    pub(crate) rivers: Vec<RiverBed>,
}

/// The height of the land at each of some places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PlaceHeights {
    pub(crate) places: Vec<DVec2>,
    pub(crate) heights: Vec<f32>,
}

/// Places between samples of the land's own level.
pub(crate) struct PlaceCells {
    /// Column and row of the sample to the north-west of each, and how far it is on the way to the next.
    cells: Vec<([i64; 2], [f64; 2])>,
}

impl PlaceCells {
    /// The cells of places in metres. Places beyond the border are moved onto it.
    pub(crate) fn of(domain: &Domain, places: &[DVec2]) -> Self {
        let cell = f64::from(domain.cell());
        let last = domain.size().map(|size| size.map(|side| i64::from(side) - 1));
        let cells = places.iter().map(|place| {
            let along = |axis: usize| {
                let at = place[axis] / cell;
                let first = at.floor();
                match last {
                    // Places beyond the border have its height.
                    Some(last) if at <= 0.0 || last[axis] == 0 => (0, 0.0),
                    // The last cell has an end as well.
                    Some(last) if at >= last[axis] as f64 => (last[axis] - 1, 1.0),
                    _ => (first as i64, at - first),
                }
            };
            let ((column, east), (row, south)) = (along(0), along(1));
            ([column, row], [east, south])
        });
        Self { cells: cells.collect() }
    }

    /// The block of `side`² cells that each place lies in, and the places of each: in order.
    pub(crate) fn blocks(&self, side: i64) -> BTreeMap<[i64; 2], Vec<usize>> {
        let mut blocks: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
        for (number, (cell, _)) in self.cells.iter().enumerate() {
            blocks.entry(cell.map(|cell| cell.div_euclid(side))).or_default().push(number);
        }
        blocks
    }

    /// The window of the land's own level that holds the samples around some of the places.
    pub(crate) fn window_of(&self, domain: &Domain, numbers: &[usize]) -> Window {
        let cells = || numbers.iter().map(|number| self.cells[*number].0);
        let mut window = Window { level: 0, first: [0; 2], size: [1; 2] };
        for axis in [0, 1] {
            let first = cells().map(|cell| cell[axis]).min().unwrap_or(0);
            // One more, since a cell has its far corner there.
            let last = cells().map(|cell| cell[axis]).max().unwrap_or(0).saturating_add(1);
            let last = domain.size().map_or(last, |size| last.min(i64::from(size[axis]) - 1));
            window.first[axis] = first;
            window.size[axis] = (last - first + 1).max(1) as u32;
        }
        window
    }

    /// The heights of some of the places, of a region that holds the samples around them.
    pub(crate) fn heights(
        &self,
        region: &Region,
        heights: &Heightfield,
        numbers: impl IntoIterator<Item = usize>,
    ) -> Vec<f32> {
        let grid = heights.grid();
        let first = region.window().first;
        let height = |number: usize| {
            let (cell, [east, south]) = self.cells[number];
            let place = |axis: usize, count: usize| {
                // A land of one column has no next one: both heights are the same then.
                let from = (cell[axis] - first[axis]).clamp(0, count as i64 - 1) as usize;
                (from, (from + 1).min(count - 1))
            };
            let ((column, next_column), (row, next_row)) = (place(0, grid.width), place(1, grid.depth));
            // In f64, with the cell as whole numbers: results don't depend on the window from which they
            // come.
            let between =
                |from: f32, to: f32, share: f64| f64::from(from) + (f64::from(to) - f64::from(from)) * share;
            let north = between(heights.at(column, row), heights.at(next_column, row), east);
            let below = between(heights.at(column, next_row), heights.at(next_column, next_row), east);
            (north + (below - north) * south) as f32
        };
        numbers.into_iter().map(height).collect()
    }
}

/// The error for a layer that no step has written.
pub(crate) fn no_layer<'a>(parameter: &str, name: &str, there: impl IntoIterator<Item = &'a str>) -> Error {
    let there = layer::listed(there);
    let reason = if name.is_empty() {
        format!("names no layer; {there}")
    } else {
        format!("no step has written a layer `{name}`; {there}")
    };
    Error::parameter(parameter, reason)
}
