//! One rule: an object, and where and how densely it is placed.

use crate::params::{in_recipes, params};
use crate::texture::{Factors, LayerLimits, Limits};

/// The most rules of a recipe.
pub const MOST_RULES: usize = 64;

/// The most rounds in which points are placed.
pub const ROUNDS: usize = 8;

/// The most points, after each round, in a square as wide as their spacing: measured on a million points. The
/// densest possible arrangement, the hexagonal lattice, has 1.155; random ones end at 0.697 ("random
/// sequential adsorption").
pub const DENSEST: [f64; ROUNDS] = [0.3588, 0.4707, 0.5130, 0.5369, 0.5530, 0.5648, 0.5739, 0.5812];

/// Square metres of a hectare.
const HECTARE: f64 = 10_000.0;

/// The longest name of an object, letters.
const LONGEST: usize = 64;

/// Limits of heights, slopes, depths and distances.
const HIGHEST: f64 = 100_000.0;
const STEEPEST: f64 = 90.0;
const DEEPEST: f64 = 12_000.0;
const FARTHEST: f64 = 1000.0;

params! {
    /// Objects of one kind, and where they are placed. Below, `HIGHEST` is 100000, `STEEPEST` 90, `DEEPEST`
    /// 12000 and `FARTHEST` 1000.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let rule: upland::scatter::Rule = ron::from_str(
    ///     r#"(name: "wood", object: "spruce", density: 400, spacing: 3, slope: (max: 30, release: 8))"#,
    /// )?;
    /// assert_eq!(rule.slope.min, 0.0);
    /// // Objects 3 m apart leave room for no more than these.
    /// assert_eq!(rule.most().floor(), 645.0);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Rule {
        /// Its name for people.
        pub name: String = String::new(), required;
        /// What is placed: `spruce`, `boulder` or a name that a game knows, of letters, digits, `_` and `-`.
        pub object: String = String::new(), required;
        /// Whether the rule is in effect.
        pub on: bool = true;
        /// Objects per hectare of ground where all limits allow them fully.
        pub density: f32 = 100.0, "per ha" in 0.0..=500_000.0, log;
        /// The least distance between two objects of this rule.
        pub spacing: f32 = 3.0, "m" in 0.1..=1000.0, log;
        /// Room that an object needs among those of other rules: the distance of two is at least the sum of
        /// both radii. Rules earlier in the list are placed first.
        pub radius: f32 = 0.0, "m" in 0.0..=50.0;
        /// Heights of the ground. Default: any.
        pub elevation: Limits = Rule::ANY_ELEVATION, "m" in -HIGHEST..=HIGHEST;
        /// Slopes of the ground: 0 is flat, 90 a wall. Default: any.
        pub slope: Limits = Rule::ANY_SLOPE, "°" in 0.0..=STEEPEST;
        /// Depths of the water in which it is placed. Default: none, so only dry land.
        pub water_depth: Limits = Rule::DRY, "m" in 0.0..=DEEPEST;
        /// Distances from water; distances above 1000 m count as 1000. Default: any.
        pub water_distance: Limits = Rule::ANY_DISTANCE, "m" in 0.0..=FARTHEST;
        /// Distances from the edge of the nearest carriageway that a step `road` makes, without shoulders;
        /// distances above 1000 m count as 1000, and so does all land without roads. Default: any.
        pub road_distance: Limits = Rule::ANY_DISTANCE, "m" in 0.0..=FARTHEST;
        /// Wetness, shade, a painted mask and the other factors of terrain types. Default: nothing. The shade
        /// is that of 45° north at an equinox.
        pub factors: Factors = Factors::default();
        /// Limits of layers that steps have written, such as `flow`; all of them apply.
        pub layers: Vec<LayerLimits> = Vec::new(), "layers" in 0.0..=8.0;
        /// Limits of the share of a terrain type; all of them apply.
        pub types: Vec<TypeLimits> = Vec::new(), "types" in 0.0..=8.0;
        /// How strongly the objects gather in patches: 0 not at all, 1 with none between patches.
        pub clumping: f32 = 0.0, "" in 0.0..=1.0;
        /// Approximate width of the patches.
        pub clump: f32 = 60.0, "m" in 1.0..=100_000.0, log;
        /// Sizes, as multiples of the object's own.
        pub size: Sizes = Sizes::default(), "" in 0.001..=1000.0;
        /// How far it leans from upright to perpendicular to the slope: 0 for a tree, 1 for a stone.
        pub lean: f32 = 0.0, "" in 0.0..=1.0;
        /// The largest additional random tilt.
        pub tilt: f32 = 0.0, "°" in 0.0..=90.0;
        /// The largest random turn around its own axis; 0: all face the same way.
        pub turn: f32 = 360.0, "°" in 0.0..=360.0;
        /// How deep it sinks into the ground, times its size; below 0 it floats above it.
        pub sink: f32 = 0.0, "m" in -100.0..=100.0;
        /// Another seed gives other places. Rules of the same seed, density and spacing also have different
        /// places.
        pub seed: u32 = 0, "" in 0.0..=4_294_967_295.0;
    }
    law Rule::law_of_rule;
}

in_recipes!(Rule);

params! {
    /// The sizes of a rule's objects, evenly distributed.
    pub struct Sizes {
        /// The smallest.
        pub min: f32 = 0.8;
        /// The largest, at least `min`.
        pub max: f32 = 1.2;
    }
    law Sizes::in_order;
    follow Sizes::push;
}

impl Copy for Sizes {}

impl Sizes {
    fn in_order(&self) -> Result<(), String> {
        let Self { min, max } = self;
        if min > max {
            Err(format!("the sizes are the wrong way round: min {min} is above max {max}; swap them"))
        } else {
            Ok(())
        }
    }

    /// A size that is set beyond the other moves the other along.
    fn push(&mut self, changed: &str) {
        match changed {
            "min" => self.max = self.max.max(self.min),
            "max" => self.min = self.min.min(self.max),
            _ => {}
        }
    }
}

params! {
    /// Limits of the share of ground that a terrain type covers.
    pub struct TypeLimits {
        /// The name of a terrain type of the recipe's texture.
        pub name: String = String::new(), required;
        /// The share, from 0 (nothing) to 1 (all of the ground).
        pub share: Limits = Limits::new(0.5, 1.0, 0.4), "" in 0.0..=1.0;
    }
}

impl Rule {
    /// Any height of the ground.
    pub const ANY_ELEVATION: Limits = Limits::new(-HIGHEST as f32, HIGHEST as f32, 0.0);
    /// Any slope.
    pub const ANY_SLOPE: Limits = Limits::new(0.0, STEEPEST as f32, 0.0);
    /// Any depth of water, and dry land.
    pub const ANY_DEPTH: Limits = Limits::new(0.0, DEEPEST as f32, 0.0);
    /// No depth of water: dry land alone.
    pub const DRY: Limits = Limits::new(0.0, 0.0, 0.0);
    /// Any distance from water or from roads.
    pub const ANY_DISTANCE: Limits = Limits::new(0.0, FARTHEST as f32, 0.0);

    /// A rule with the name of its object.
    pub fn new(object: impl Into<String>, density: f32, spacing: f32) -> Self {
        let object = object.into();
        Self { name: object.clone(), object, density, spacing, ..Self::default() }
    }

    /// The most objects per hectare for which the spacing leaves room.
    pub fn most(&self) -> f64 {
        let spacing = f64::from(self.spacing);
        DENSEST[ROUNDS - 1] * HECTARE / (spacing * spacing)
    }

    /// The distance up to which roads matter, metres; `None` if they don't.
    // Beyond the farthest distance that matters roads need not be looked for.
    pub(crate) fn road_reach(&self) -> Option<f64> {
        let Limits { min, max, release } = self.road_distance;
        let farthest = FARTHEST as f32;
        if max < farthest {
            return Some(f64::from((max + release).min(farthest)));
        }
        // As far away as the limit: all roads beyond `min` have the same effect.
        (min > 0.0).then_some(f64::from(min))
    }

    /// Objects per square metre where all limits allow them.
    pub(crate) fn density_in_metres(&self) -> f64 {
        f64::from(self.density) / HECTARE
    }

    fn law_of_rule(&self) -> Result<(), String> {
        check_object(&self.object)?;
        let most = self.most();
        if f64::from(self.density) <= most {
            return Ok(());
        }
        let spacing = (DENSEST[ROUNDS - 1] / self.density_in_metres()).sqrt();
        Err(format!(
            "density {} is more than there is room for: {} m apart, at most {:.0} objects stand on a hectare; give \
             that, or a spacing of {:.2} m",
            self.density,
            self.spacing,
            most.floor(),
            (spacing * 100.0).floor() / 100.0
        ))
    }
}

/// Checks the name of an object.
fn check_object(name: &str) -> Result<(), String> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || ['_', '-'].contains(&letter);
    if !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_allowed) {
        return Ok(());
    }
    let shown: String = name.chars().take(LONGEST).collect();
    Err(format!(
        "object `{shown}` is not a name of 1 to {LONGEST} letters, digits, `_` and `-`, such as dead-wood"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    fn read(text: &str) -> Result<Rule, String> {
        params::ron_options().from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_rule_is_written_without_defaults() {
        let rule =
            read(r#"(name: "wood", object: "dead-wood", elevation: (max: 900), water_depth: (max: 2))"#)
                .unwrap();
        assert_eq!((rule.elevation.min, rule.elevation.max), (-HIGHEST as f32, 900.0));
        assert_eq!((rule.water_depth.min, rule.water_depth.max), (0.0, 2.0));
        assert_eq!(read(&params::ron_options().to_string(&rule).unwrap()), Ok(rule));
    }

    #[test]
    fn roads_matter_up_to_the_distance_of_the_limits() {
        let reach = |limits| Rule { road_distance: limits, ..Rule::new("spruce", 1.0, 3.0) }.road_reach();
        assert_eq!(reach(Rule::ANY_DISTANCE), None);
        assert_eq!(reach(Limits::new(0.0, 1000.0, 50.0)), None, "no distance is outside the limits");
        assert_eq!(
            reach(Limits::new(6.0, 1000.0, 2.0)),
            Some(6.0),
            "all farther distances have the same effect"
        );
        assert_eq!(reach(Limits::new(0.0, 20.0, 5.0)), Some(25.0));
        assert_eq!(reach(Limits::new(0.0, 900.0, 500.0)), Some(1000.0));
        let rule = read(r#"(name: "signs", object: "sign", road_distance: (min: 1, max: 3))"#).unwrap();
        assert_eq!(rule.road_distance, Limits::new(1.0, 3.0, 0.0));
        let said = read(r#"(name: "a", object: "b", road_distance: (max: 1001))"#).unwrap_err();
        assert!(said.contains("outside 0 to 1000"), "{said}");
    }

    #[test]
    fn impossible_rules_are_refused() {
        for (text, expected) in [
            (r#"(name: "a", object: "dead wood")"#, "`dead wood` is not a name"),
            (r#"(name: "a", object: "")"#, "is not a name"),
            (r#"(name: "a", object: "a\u{1b}")"#, "is not a name"),
            (r#"(name: "a")"#, "object"),
            (r#"(name: "a", object: "b", density: 1000, spacing: 3)"#, "at most 645 objects"),
            (r#"(name: "a", object: "b", density: NaN)"#, "density"),
            (r#"(name: "a", object: "b", spacing: 0)"#, "0 is outside 0.1 to 1000"),
            (r#"(name: "a", object: "b", size: (min: 2, max: 1))"#, "the wrong way round"),
            (r#"(name: "a", object: "b", slope: (min: 20, max: 10))"#, "the wrong way round"),
            (r#"(name: "a", object: "b", layers: [(min: 1)])"#, "name"),
            (r#"(name: "a", object: "b", types: [(name: "rock", share: (max: 1.5))])"#, "outside 0 to 1"),
            (r#"(name: "a", object: "b", radius: -1)"#, "outside 0 to 50"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }

    #[test]
    fn the_remedy_of_too_dense_a_rule_is_accepted() {
        let rule = Rule { density: 1000.0, ..Rule::new("spruce", 1.0, 3.0) };
        assert!(rule.law_of_rule().unwrap_err().contains("a spacing of 2.41 m"));
        assert_eq!(Rule { spacing: 2.41, ..rule.clone() }.law_of_rule(), Ok(()));
        assert_eq!(Rule { density: 645.0, ..rule }.law_of_rule(), Ok(()));
    }
}
