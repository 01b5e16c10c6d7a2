//! The ground of a window of land, as far as cost rules need it.

use std::collections::BTreeSet;

use super::rules::CostRules;
use crate::analysis::ShareMap;
use crate::build::{Cache, Landscape};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{HOLE, WATER_DEPTH};
use crate::grid::{Domain, Heightfield, Layers, Window};
use crate::params;
use crate::recipe::Recipe;
use crate::steps::no_layer;
use crate::steps::water::WaterBuffer;
use crate::texture::WeightMap;

/// A window of a land with a border of one sample, where there is land, and the data that rules need.
pub(super) struct CostGround {
    /// The window with its border.
    pub(super) window: Window,
    pub(super) heights: Heightfield,
    /// Depth of water, metres.
    pub(super) depth: Heightfield,
    /// The layers that rules name, and that of holes if the land has one.
    pub(super) layers: Layers,
    /// The brightness of each rule's mask.
    pub(super) masks: Vec<ShareMap>,
    /// The terrain types' names, their shares of each texel, and the texel of each sample.
    pub(super) types: Option<Types>,
}

/// The shares of terrain types.
pub(super) struct Types {
    names: Vec<String>,
    weights: WeightMap,
    /// Texels per sample, and the position of the first sample among them.
    scale: [f64; 2],
    first: [f64; 2],
}

impl Types {
    /// The names and shares of the types at a sample, by column and row.
    pub(super) fn at(&self, column: usize, row: usize) -> impl Iterator<Item = (&str, f32)> + Clone {
        let texel = |sample: usize, axis: usize, count: usize| {
            let place = (sample as f64 + self.first[axis]) * self.scale[axis];
            (place as usize).min(count.saturating_sub(1))
        };
        let WeightMap { width, depth, types, shares, .. } = &self.weights;
        let first = (texel(row, 1, *depth) * width + texel(column, 0, *width)) * types;
        let shares = shares.get(first..first + types).unwrap_or_default();
        self.names.iter().zip(shares).map(|(name, share)| (name.as_str(), f32::from(*share) / 255.0))
    }
}

impl CostGround {
    /// For a recipe's land.
    ///
    /// # Errors
    /// Those of building and painting the window, and when the recipe has no layer or terrain type that a
    /// rule names.
    pub(super) fn of_recipe(
        recipe: &Recipe,
        window: Window,
        rules: &CostRules,
        cache: &Cache,
        work: &Work,
    ) -> Result<Self> {
        check(rules)?;
        recipe.check_land()?;
        let recipe = &*recipe.with_open_files(Some(cache), work)?;
        let domain = recipe.domain()?;
        domain.region(window)?;
        let around = bordered(window, domain.size_at(window.level));
        let mut names = names(rules);
        names.extend(recipe.has_holes().then_some(HOLE));
        let mut ground = recipe.build_window_layers(around, &names, cache, work)?;
        let depth = std::mem::take(&mut ground.layers);
        let layers = depth.clone();
        let depth = depth.get(WATER_DEPTH).cloned().unwrap_or_else(|| Heightfield::flat(ground.grid(), 0.0));
        let masks = masks(rules, &domain, around, work)?;
        // A window of a single row has no cells, and shares belong to cells.
        let types = if rules.types.is_empty() || around.size.contains(&1) {
            None
        } else {
            let ready = recipe.prepare_window(around, 1, false, cache, work)?;
            let baker = ready.baker(true, work)?;
            let names: Vec<String> = baker.types().map(|kind| kind.name.clone()).collect();
            check_types(rules, &names)?;
            let weights = baker.paint(ready.texels(), work)?.weights.unwrap_or_default();
            Some(Types { names, weights, scale: [1.0; 2], first: [0.0; 2] })
        };
        Ok(Self { window: around, heights: ground.heights, depth, layers, masks, types })
    }

    /// For a window of a finished landscape's own samples.
    ///
    /// # Errors
    /// When the window is not on the land or not of level 0, or it has no layer or terrain type that a rule
    /// names.
    pub(super) fn of_landscape(
        landscape: &Landscape,
        window: Window,
        rules: &CostRules,
        work: &Work,
    ) -> Result<Self> {
        check(rules)?;
        let field = &landscape.heightfield;
        let grid = field.grid();
        let domain = Domain::of(grid);
        domain.region(window)?;
        if window.level != 0 {
            let reason = format!("a finished landscape has only samples of level 0, not of {}", window.level);
            return Err(Error::parameter("window", reason));
        }
        let around = bordered(window, domain.size_at(0));
        let (all, part) = (grid.into(), domain.region(around)?);
        let cut = |field: &Heightfield| crate::grid::Region::cut(&all, field.clone(), &part, work);
        // Rivers and lakes are known only for the whole land.
        let depth = if landscape.rivers.is_empty() && landscape.lakes.is_empty() {
            let sea = landscape.sea_level.unwrap_or(f32::NEG_INFINITY);
            let heights = cut(field)?;
            Heightfield::from_fn(heights.grid(), |column, row| (sea - heights.at(column, row)).max(0.0))
        } else {
            let depths = WaterBuffer::depths_on(field, landscape.waters(), work)?;
            cut(&Heightfield::new(grid, depths)?)?
        };
        let mut layers = Layers::default();
        for name in names(rules) {
            if name == WATER_DEPTH {
                layers.set(name, depth.clone());
                continue;
            }
            let there = landscape.layers.names().chain([WATER_DEPTH]);
            let layer = landscape.layers.get(name).ok_or_else(|| no_layer("layers", name, there))?;
            layers.set(name, cut(layer)?);
        }
        if let Some(holes) = landscape.layers.get(HOLE) {
            layers.set(HOLE, cut(holes)?);
        }
        let masks = masks(rules, &domain, around, work)?;
        let types = match (&landscape.cover, rules.types.is_empty()) {
            (_, true) => None,
            (None, false) => {
                check_types(rules, &[])?;
                None
            }
            (Some(cover), false) => {
                let names: Vec<String> = cover.types.iter().map(|kind| kind.name.clone()).collect();
                check_types(rules, &names)?;
                let weights = cover.weights.clone();
                let scale = [(weights.width, grid.width), (weights.depth, grid.depth)]
                    .map(|(texels, samples)| texels as f64 / (samples.max(2) - 1) as f64);
                Some(Types { names, weights, scale, first: around.first.map(|first| first as f64) })
            }
        };
        Ok(Self { window: around, heights: cut(field)?, depth, layers, masks, types })
    }
}

/// Refuses rules that are not valid.
fn check(rules: &CostRules) -> Result<()> {
    params::check(rules, "costs")
}

/// A window with one sample more on every side where there is land.
fn bordered(window: Window, size: Option<[u64; 2]>) -> Window {
    let mut around = window.grown(1);
    if let Some(size) = size {
        for axis in [0, 1] {
            let first = around.first[axis].max(0);
            let last = (around.first[axis] + i64::from(around.size[axis]) - 1).min(size[axis] as i64 - 1);
            (around.first[axis], around.size[axis]) = (first, (last - first + 1) as u32);
        }
    }
    around
}

/// The names of the layers that rules need.
fn names(rules: &CostRules) -> Vec<&str> {
    let named = rules.layers.iter().map(|layer| layer.name.as_str());
    named.chain([WATER_DEPTH]).collect::<BTreeSet<&str>>().into_iter().collect()
}

fn masks(rules: &CostRules, domain: &Domain, around: Window, work: &Work) -> Result<Vec<ShareMap>> {
    if domain.is_endless() && !rules.masks.is_empty() {
        let reason =
            "a painted mask lies over all of a land, and this one has no end; use a layer that a step writes";
        return Err(Error::parameter("costs.masks", reason));
    }
    let region = domain.region(around)?;
    rules.masks.iter().map(|mask| mask.picture.over_region(&region, work)).collect()
}

/// Refuses terrain types that the texture doesn't have.
fn check_types(rules: &CostRules, there: &[String]) -> Result<()> {
    let unknown = rules.types.iter().position(|kind| !there.contains(&kind.name));
    let Some(number) = unknown else { return Ok(()) };
    let name = &rules.types[number].name;
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    let reason = format!("the texture has no terrain type `{name}`; there are {there}");
    Err(Error::parameter(format!("costs.types.{number}.name"), reason))
}
