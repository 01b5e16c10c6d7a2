//! The facts about a recipe's land that rules of scattered objects need.

use std::collections::BTreeSet;

use crate::analysis::factors::WATER_NEARNESS;
use crate::analysis::{ShadeDay, ShareMap};
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{HOLE, WATER_DEPTH};
use crate::grid::{Heightfield, Layers, Window};
use crate::recipe::{Recipe, Skin};
use crate::rules::Rule;
use crate::steps::Ground;
use crate::texture::{Limits, TerrainType, Texture, WeightMap};

/// The ground of a window as rules see it.
pub(crate) struct RuleGround {
    pub(crate) heights: Heightfield,
    /// The layers that steps have written, and the depth of water where a rule has limits of it.
    pub(crate) layers: Layers,
    /// The measured factors by their names, each at the samples of the window and some around it, with the
    /// number of columns and rows by which those begin before the window.
    pub(crate) measured: Vec<(String, ShareMap, [usize; 2])>,
    /// How much the terrain types that rules name cover of each cell of the window.
    pub(crate) types: Option<(Vec<String>, WeightMap)>,
}

impl RuleGround {
    /// Where a rule's limit of the nearness of water finds it.
    pub(crate) fn water_nearness() -> String {
        WATER_NEARNESS.layer(ShadeDay::default())
    }

    /// The limits of what is measured that a rule has, each with the name of its layer.
    pub(crate) fn limits_of_factors(rule: &Rule) -> Vec<(String, Limits)> {
        rule.factors.limits(ShadeDay::default())
    }
}

impl Recipe {
    /// The ground of a window for the rules that are followed; with `all`, bounded land is built as a
    /// whole and not as a window.
    ///
    /// # Errors
    /// Those of building and painting the window, and when the texture lacks a type that a rule names.
    pub(crate) fn ground_for_rules(
        &self,
        window: Window,
        all: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<RuleGround> {
        let layers = self.layers_of_rules();
        let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
        let ground = match all {
            true => self.build_layers(&layers, cache, work)?,
            false => self.build_window_layers(window, &layers, cache, work)?,
        };
        let measured = self.measured_for_rules(window, cache, work)?;
        let types = self.types_for_rules(window, cache, work)?;
        let Ground { heights, layers, .. } = ground;
        Ok(RuleGround { heights, layers, measured, types })
    }

    /// The layers of the land that its rules have limits of, and that of holes, in which nothing stands.
    fn layers_of_rules(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        names.extend(self.has_holes().then(|| HOLE.to_owned()));
        for (_, rule) in self.followed_rules() {
            names.extend(rule.layers.iter().map(|limits| limits.name.as_str().to_owned()));
            if has_limits(&rule.water_depth, &Rule::ANY_DEPTH) {
                names.insert(WATER_DEPTH.to_owned());
            }
        }
        names
    }

    /// Measures what rules have limits of: as textures do whose types have the same.
    fn measured_for_rules(
        &self,
        window: Window,
        cache: &Cache,
        work: &Work,
    ) -> Result<Vec<(String, ShareMap, [usize; 2])>> {
        let mut texture = Texture { occlusion: 0.0, ..Texture::default() };
        let mut names = BTreeSet::new();
        for (_, rule) in self.followed_rules() {
            let mut factors = rule.factors.clone();
            if has_limits(&rule.water_distance, &Rule::ANY_DISTANCE) {
                // Limits that let everything through: only the map is needed, and rules apply their own.
                factors.measured.entry(&WATER_NEARNESS).or_default();
            }
            if !factors.is_empty() {
                names.extend(factors.limits(ShadeDay::default()).into_iter().map(|(name, _)| name));
                texture.types.push(TerrainType { factors, ..TerrainType::new(&rule.name, [0.0; 3]) });
            }
        }
        if names.is_empty() {
            return Ok(Vec::new());
        }
        // A texture of one type for each rule measures all factors by the same code as a picture's.
        let measuring = Self { texture: Skin::Custom(texture), ..self.clone() };
        let ready = measuring.prepare_window(window, 1, false, cache, work)?;
        let before = [ready.texels().column, ready.texels().row];
        let layer = |name: String| {
            let layer = ready.analysis().layer(&name).cloned()?;
            Some((name, layer, before))
        };
        Ok(names.into_iter().filter_map(layer).collect())
    }

    /// How much each terrain type that a rule names covers.
    fn types_for_rules(
        &self,
        window: Window,
        cache: &Cache,
        work: &Work,
    ) -> Result<Option<(Vec<String>, WeightMap)>> {
        let mut named = self.followed_rules().flat_map(|(number, rule)| {
            rule.types.iter().enumerate().map(move |(index, limits)| (number, index, &limits.name))
        });
        let Some(first) = named.next() else { return Ok(None) };
        let ready = self.prepare_window(window, 1, false, cache, work)?;
        let baker = ready.baker(true, work)?;
        let types: Vec<String> = baker.types().map(|kind| kind.name.clone()).collect();
        for (number, index, name) in [first].into_iter().chain(named) {
            if !types.contains(name) {
                let there = types.join(", ");
                let reason = format!("the texture has no terrain type `{name}`; it has {there}");
                return Err(Error::parameter(format!("scatter.{number}.types.{index}.name"), reason));
            }
        }
        let weights = baker.paint(ready.texels(), work)?.weights.unwrap_or_default();
        Ok(Some((types, weights)))
    }
}

/// Whether limits are any others than those that allow everything.
fn has_limits(limits: &Limits, any: &Limits) -> bool {
    limits.min > any.min || limits.max < any.max
}
