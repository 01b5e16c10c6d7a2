//! Limits of a layer that steps have written: flow, wear, water depth, or any that they have painted.
//!
//! Measured factors run from 0 to 1, and the bake applies limits to each texel's value. A layer's numbers
//! have a unit and no common range, so the limits are applied to the samples beforehand, and their influence
//! is what the bake reads.

use crate::analysis::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::params::{Name, params};

use super::limits::Limits;

params! {
    /// Limits of a layer's numbers, in the layer's own unit.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
    /// let factors: upland::texture::Factors =
    ///     options.from_str("(layer: (name: \"flow\", min: 2, release: 1))")?;
    /// let layer = factors.layer.unwrap();
    /// assert_eq!((layer.min, layer.max, layer.release), (Some(2.0), None, 1.0));
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct LayerLimits {
        /// Which layer. Some step of the recipe writes it, or it is `water_depth`.
        pub name: Name = Name::default(), required;
        /// Full influence from here; left out: no lower limit.
        pub min: Option<f32> = None, "" in -FARTHEST..=FARTHEST, bare;
        /// Full influence up to here, at least `min`; left out: no upper limit.
        pub max: Option<f32> = None, "" in -FARTHEST..=FARTHEST, bare;
        /// The influence falls to 0 over this much outside, evenly; 0 is a hard edge.
        pub release: f32 = 0.0, "" in 0.0..=FARTHEST;
    }
    law LayerLimits::in_order;
    follow LayerLimits::push;
}

/// The largest number that a limit may be: more than Earth has square metres.
const FARTHEST: f64 = 1e15;

impl LayerLimits {
    /// Limits of the influence itself, which leave it as it is.
    // `influence` has applied the limits already: 1 lets the share through, with a release of 1 below.
    pub(super) const IDENTITY: Limits = Limits::new(1.0, 1.0, 1.0);

    /// The name under which the influence is kept in the
    /// [`TerrainAnalysis`](crate::texture::TerrainAnalysis).
    pub(crate) fn key(&self) -> String {
        let Self { name, min, max, release } = self;
        // With the limits in the key: two types may read the same layer by other limits.
        format!("layer {} {min:?} {max:?} {release}", name.as_str())
    }

    /// Checks that the limits are the right way round.
    fn in_order(&self) -> std::result::Result<(), String> {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => Err(format!("min {min} is above max {max}; swap them")),
            _ => Ok(()),
        }
    }

    /// A limit that was set beyond the other takes it along.
    fn push(&mut self, changed: &str) {
        if let (Some(min), Some(max)) = (self.min, self.max) {
            match changed {
                "min" => self.max = Some(max.max(min)),
                "max" => self.min = Some(min.min(max)),
                _ => {}
            }
        }
    }

    /// The influence at every sample of a layer with these `values`, from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn influence(&self, values: &Heightfield, work: &Work) -> Result<ShareMap> {
        let low = self.min.unwrap_or(f32::NEG_INFINITY);
        let high = self.max.unwrap_or(f32::INFINITY);
        work.stage("layer", values.grid().depth);
        ShareMap::from_rows(values.grid(), work, |row, influence| {
            for (influence, &value) in influence.iter_mut().zip(values.row(row)) {
                // Above 0 on whichever side the value is outside. Infinite ends give −∞, which never wins.
                let excess = (low - value).max(value - high);
                // With a release of 0 the middle branch is never taken, so nothing is divided by 0.
                *influence = if excess <= 0.0 {
                    1.0
                } else if excess < self.release {
                    1.0 - excess / self.release
                } else {
                    0.0
                };
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn limits(min: Option<f32>, max: Option<f32>, release: f32) -> LayerLimits {
        LayerLimits { name: Name::of("flow"), min, max, release }
    }

    #[test]
    fn influence_is_whole_within_the_limits_and_fades_over_the_release() -> Result<()> {
        let values = Heightfield::from_fn(Grid::new(6, 1, 1.0)?, |column, _| 10.0 * column as f32);
        let of = |limits: LayerLimits| -> Result<Vec<f32>> {
            let influence = limits.influence(&values, &Work::new())?;
            Ok((0..6).map(|column| (influence.at(column, 0) * 4.0).round() / 4.0).collect())
        };
        assert_eq!(of(limits(Some(20.0), Some(30.0), 20.0))?, [0.0, 0.5, 1.0, 1.0, 0.5, 0.0]);
        assert_eq!(of(limits(Some(20.0), None, 0.0))?, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(of(limits(None, Some(20.0), 0.0))?, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        Ok(())
    }

    #[test]
    fn limits_that_mean_nothing_are_refused() {
        let said = |text: &str| {
            let read = ron::Options::default()
                .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
                .from_str::<crate::texture::Factors>(&format!("(layer: ({text}))"));
            read.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(said("name: \"flow\", min: 1, max: 2"), "");
        for (text, expected) in [
            ("name: \"flow\", min: 3, max: 2", "min 3 is above max 2; swap them"),
            ("name: \"flow\", min: 2e15", "is outside"),
            ("name: \"flow\", release: -1", "-1 is outside 0 to"),
            ("min: 3", "name"),
            ("name: \"\"", "names no layer"),
            ("name: \"A b\"", "is not a name of lower-case letters"),
        ] {
            assert!(said(text).contains(expected), "{text}: {}", said(text));
        }
    }
}
