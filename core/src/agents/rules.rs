//! The costs of ground for agents, and the ground that is off-limits.

use super::pace::Pace;
use crate::analysis::Picture;
use crate::params::{Name, in_recipes, params};

/// The least and the greatest factor on costs.
const LEAST: f64 = 0.05;
const MOST: f64 = 100.0;

params! {
    /// The costs of ground for an agent. A metre of level, firm, dry ground costs 1; factors multiply.
    /// `LEAST` is 0.05 and `MOST` 100.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let rules: upland::agents::CostRules = ron::from_str(
    ///     r#"(max_slope: 35, wading: 0.4, types: [(name: "scree", factor: 2.5)],
    ///         layers: [(name: "road", min: 0.5, factor: 0.5)])"#,
    /// )?;
    /// assert_eq!(rules.least_factor(), 0.5);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct CostRules {
        /// The steepest ground that agents walk on; steeper ground is off-limits.
        pub max_slope: f32 = 40.0, "°" in 0.0..=90.0;
        /// The cost of slopes.
        pub pace: Pace = Pace::Tobler;
        /// The deepest water that agents wade through; deeper water is off-limits.
        pub wading: f32 = 0.6, "m" in 0.0..=1000.0;
        /// Factor for the deepest such water; less in shallower water, in proportion to its depth.
        pub wading_factor: f32 = 3.0, "" in 1.0..=MOST;
        /// Costs of terrain types.
        pub types: Vec<TypeCost> = Vec::new(), "types" in 0.0..=16.0;
        /// Costs of ground where a layer that steps have written, such as `road`, has certain values.
        pub layers: Vec<LayerCost> = Vec::new(), "layers" in 0.0..=8.0;
        /// Costs of painted masks, or whether they forbid.
        pub masks: Vec<MaskCost> = Vec::new(), "masks" in 0.0..=8.0;
        /// Speed on level, firm, dry ground, from which the time of a path follows. Tobler's hiker: 1.4.
        pub speed: f32 = 1.4, "m/s" in 0.01..=1000.0;
    }
}

params! {
    /// The cost of a terrain type.
    pub struct TypeCost {
        /// The name of a terrain type of the texture.
        pub name: String = String::new(), required;
        /// Factor where it covers all of the ground; where it covers a part, a mean by its share.
        pub factor: f32 = 1.0, "" in LEAST..=MOST;
        /// Whether ground is off-limits where it covers half of it or more.
        pub off_limits: bool = false;
    }
}

params! {
    /// The cost of ground where a layer has certain values.
    pub struct LayerCost {
        /// The layer. Some step of the recipe writes it.
        pub name: Name = Name::default(), required;
        /// Full effect from here; left out: no lower limit.
        pub min: Option<f32> = None, "" in -1e15..=1e15, bare;
        /// Full effect up to here; left out: no upper limit.
        pub max: Option<f32> = None, "" in -1e15..=1e15, bare;
        /// The effect falls evenly to nothing over this much outside; 0 is a hard edge.
        pub release: f32 = 0.0, "" in 0.0..=1e15;
        /// Factor where the effect is full; below 1 on a road.
        pub factor: f32 = 1.0, "" in LEAST..=MOST;
        /// Whether ground is off-limits where the effect is half or more.
        pub off_limits: bool = false;
    }
    law LayerCost::in_order;
}

params! {
    /// The cost of ground under a painted mask, which covers all of a bounded land: white has full effect.
    pub struct MaskCost {
        /// The picture.
        pub picture: Picture = Picture::default(), required;
        /// Factor where it is white.
        pub factor: f32 = 1.0, "" in LEAST..=MOST;
        /// Whether ground is off-limits where it is brighter than half grey.
        pub off_limits: bool = true;
    }
}

in_recipes!(CostRules);

impl LayerCost {
    fn in_order(&self) -> Result<(), String> {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => {
                Err(format!("the limits are the wrong way round: min {min} is above max {max}; swap them"))
            }
            _ => Ok(()),
        }
    }

    /// The strength of its effect where the layer has this value, in [0, 1].
    pub(super) fn share(&self, value: f32) -> f32 {
        let (low, high) = (self.min.unwrap_or(f32::NEG_INFINITY), self.max.unwrap_or(f32::INFINITY));
        let excess = (low - value).max(value - high);
        match excess {
            _ if excess <= 0.0 => 1.0,
            _ if excess < self.release => 1.0 - excess / self.release,
            _ => 0.0,
        }
    }
}

impl CostRules {
    /// The smallest possible product of the factors of a metre.
    pub fn least_factor(&self) -> f32 {
        let types = self.least_of_types();
        let layers = self.layers.iter().map(|layer| layer.factor.min(1.0)).product::<f32>();
        let masks = self.masks.iter().map(|mask| mask.factor.min(1.0)).product::<f32>();
        types * layers * masks
    }

    /// The least factor of ground that terrain types share.
    fn least_of_types(&self) -> f32 {
        self.types.iter().map(|kind| kind.factor).fold(1.0, f32::min)
    }

    /// The factor of water of this depth; `None` if it is too deep.
    pub(crate) fn wading_cost(&self, depth: f32) -> Option<f32> {
        match depth {
            _ if depth <= 0.0 => Some(1.0),
            _ if depth <= self.wading => Some(1.0 + (self.wading_factor - 1.0) * (depth / self.wading)),
            _ => None,
        }
    }

    /// The factor of the terrain types that cover ground; `None` if one of them is off-limits.
    pub(crate) fn type_cost<'a>(&self, shares: impl Iterator<Item = (&'a str, f32)> + Clone) -> Option<f32> {
        let mut factor = 1.0;
        for kind in &self.types {
            let named = shares.clone().filter(|(name, _)| *name == kind.name);
            let share = named.map(|(_, share)| share).sum::<f32>().min(1.0);
            if kind.off_limits && share >= 0.5 {
                return None;
            }
            factor += share * (kind.factor - 1.0);
        }
        Some(factor.max(self.least_of_types()))
    }
}
