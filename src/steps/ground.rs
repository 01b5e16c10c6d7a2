//! What steps work on: the heights, the layers that lie on them, and the rivers that run over them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, Layers, Region, layer};
use crate::steps::water::Course;

/// Land in the making.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ground {
    region: Region,
    pub(crate) layers: Layers,
    /// The layers that somebody will ask for; `None` for all.
    wanted: Option<Arc<BTreeSet<String>>>,
    surroundings: Option<Arc<Ground>>,
    /// The heights in metres.
    pub heights: Heightfield,
    /// Where water runs, one course for each river, in the order in which they were dug.
    pub rivers: Vec<Course>,
}

impl Ground {
    /// All of a land of these heights, without rivers.
    pub fn new(heights: Heightfield) -> Self {
        Self::of(heights.grid().into(), heights)
    }

    /// Heights without anything on them.
    fn of(region: Region, heights: Heightfield) -> Self {
        Self {
            region,
            layers: Layers::default(),
            wanted: None,
            surroundings: None,
            heights,
            rivers: Vec::new(),
        }
    }

    /// Level ground at height 0 in a part of a land.
    pub fn level_in(region: Region) -> Self {
        Self::of(region, Heightfield::flat(region.grid(), 0.0))
    }

    /// The part of the land that it is.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The same with heights that nobody shares, copied on all cores if somebody does.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn unshared_while(self, work: &Work) -> Result<Self> {
        Ok(Self { heights: self.heights.unshared_while(work)?, ..self })
    }

    /// The samples that lie in `inner`.
    ///
    /// # Errors
    /// As [`Region::cut`].
    pub(crate) fn cut(self, inner: &Region, work: &Work) -> Result<Self> {
        let heights = self.region.cut(self.heights, inner, work)?;
        let layers = self.layers.cut(&self.region, inner, work)?;
        Ok(Self { region: *inner, heights, layers, ..self })
    }

    /// The same, where a step is to know the range of all the land.
    pub(crate) fn with_range(self, range: (f32, f32)) -> Self {
        Self { region: self.region.with_range(range), ..self }
    }

    /// The land around at a coarser level, before the step that asks: there where the region is finer than the
    /// step's [`surroundings_level`](super::Operation::surroundings_level). It reaches as far beyond the
    /// region as the step's [`reach`](super::Operation::reach) says, and two samples more, as far as there is
    /// land.
    pub fn surroundings(&self) -> Option<&Self> {
        self.surroundings.as_deref()
    }

    /// The same, where a step is to know the land around at a coarser level, or no longer.
    pub(crate) fn with_surroundings(self, surroundings: Option<Self>) -> Self {
        Self { surroundings: surroundings.map(Arc::new), ..self }
    }

    /// The same with other heights.
    pub(crate) fn with_heights(&self, heights: Heightfield) -> Self {
        let Self { region, layers, wanted, surroundings, rivers, .. } = self;
        let (layers, wanted, rivers) = (layers.clone(), wanted.clone(), rivers.clone());
        Self { heights, region: *region, layers, wanted, surroundings: surroundings.clone(), rivers }
    }

    /// The same with other layers.
    pub(crate) fn with_layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    /// The same where nobody will ask for other layers than these, which steps then need not write.
    pub fn keeping(self, layers: &[&str]) -> Self {
        self.wanting(&Arc::new(layers.iter().map(|name| String::from(*name)).collect()))
    }

    /// As [`keeping`](Self::keeping).
    pub(crate) fn wanting(mut self, wanted: &Arc<BTreeSet<String>>) -> Self {
        self.want(wanted);
        self
    }

    /// Says that nobody will ask for other layers than these.
    pub(crate) fn want(&mut self, wanted: &Arc<BTreeSet<String>>) {
        self.layers.retain(|name| wanted.contains(name));
        self.wanted = Some(wanted.clone());
    }

    /// The layers that lie on it, each as the last step that wrote it has left it. In a recipe only those are
    /// there that some step reads or that were asked for.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The layer called `name`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when no step has written it, with those that there are.
    pub fn layer(&self, name: &str) -> Result<&Heightfield> {
        self.layers.get(name).ok_or_else(|| no_layer("layer", name, self.layers.names()))
    }

    /// Whether anybody will ask for the layer called `name`. A step need not write one that nobody does.
    pub fn wants(&self, name: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(name))
    }

    /// Writes a layer: a number for every sample, in place of what had its name. Nothing happens where nobody
    /// [wants](Self::wants) it.
    pub fn write_layer(&mut self, name: &str, values: Heightfield) {
        if self.wants(name) {
            self.layers.set(name, values);
        }
    }

    /// Level ground at height 0, as the first step of a recipe finds it.
    pub fn level(grid: Grid) -> Self {
        Self::level_in(grid.into())
    }

    /// The grid of the heights and of all that lies on them.
    pub fn grid(&self) -> Grid {
        self.heights.grid()
    }
}

/// What is said of a layer that nobody has written.
pub(crate) fn no_layer<'a>(parameter: &str, name: &str, there: impl IntoIterator<Item = &'a str>) -> Error {
    let there = layer::listed(there);
    let reason = if name.is_empty() {
        format!("names no layer; {there}")
    } else {
        format!("nobody has written a layer `{name}` here; {there}")
    };
    Error::parameter(parameter, reason)
}
