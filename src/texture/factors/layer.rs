//! A layer of the land as a factor: flow, wear, water depth, or whatever steps have painted.
//!
//! Other factors run from 0 to 1, and limits are laid over them. A layer's numbers have a unit and no common
//! range, so what is kept is how far each sample lies within the limits.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::measured::layer_from_rows;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::params::Name;
use crate::texture::surroundings::Layer;
use crate::texture::types::Limits;

/// Limits of a layer's numbers, in the layer's own unit.
///
/// ```
/// let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
/// let factors: upland::texture::Factors =
///     options.from_str("(layer: (name: \"flow\", min: 2, release: 1))")?;
/// let layer = factors.layer.unwrap();
/// assert_eq!((layer.min, layer.max, layer.release), (Some(2.0), None, 1.0));
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Layer")]
pub struct LayerLimits {
    /// Which layer. Some step of the recipe writes it, or it is `water_depth`.
    pub name: Name,
    /// Full influence from here; `None`: no lower limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f32>,
    /// Full influence up to here, at least `min`; `None`: no upper limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f32>,
    /// Outside by this much the influence is 0, linear between; 0 (default) is a hard edge.
    #[serde(default)]
    pub release: f32,
}

impl LayerLimits {
    /// What the baker lays over a sample's influence so that it becomes just that.
    pub(super) const WHOLE: Limits = Limits::new(1.0, 1.0, 1.0);

    /// The name under which the influence is kept.
    pub(super) fn key(&self) -> String {
        let Self { name, min, max, release } = self;
        format!("layer {} {min:?} {max:?} {release}", name.as_str())
    }

    /// What is wrong with these limits, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { name, min, max, release } = self;
        if name.as_str().is_empty() {
            return Err("a layer's limits name no layer; give its name".into());
        }
        for (end, value) in [("min", min), ("max", max), ("release", &Some(*release))] {
            if let Some(value) = value.filter(|value| !value.is_finite()) {
                return Err(format!("layer {end}: {value} is no number; leave it out for no limit"));
            }
        }
        match (min, max) {
            _ if *release < 0.0 => Err(format!("layer release: {release} is below 0")),
            (Some(min), Some(max)) if min > max => {
                Err(format!("layer limits the wrong way round: min {min} is above max {max}; swap them"))
            }
            _ => Ok(()),
        }
    }

    /// The influence of every sample, from 0 to 1.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn influence(&self, values: &Heightfield, work: &Work) -> Result<Layer> {
        let low = self.min.unwrap_or(f32::NEG_INFINITY);
        let high = self.max.unwrap_or(f32::INFINITY);
        work.stage("layer", values.grid().depth);
        layer_from_rows(values.grid(), work, |row, influence| {
            for (influence, &value) in influence.iter_mut().zip(values.row(row)) {
                let excess = (low - value).max(value - high);
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

pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LayerLimits>, D::Error> {
    let limits = LayerLimits::deserialize(from)?;
    limits.check().map_err(D::Error::custom)?;
    Ok(Some(limits))
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
        let said = |limits: LayerLimits| limits.check().err().unwrap_or_default();
        assert_eq!(said(limits(Some(1.0), Some(2.0), 0.0)), "");
        assert!(said(limits(Some(3.0), Some(2.0), 0.0)).ends_with("swap them"));
        assert!(said(limits(Some(f32::NAN), None, 0.0)).starts_with("layer min: NaN is no number"));
        assert!(said(limits(None, None, -1.0)).contains("-1 is below 0"));
        assert!(said(LayerLimits { name: Name::default(), ..limits(None, None, 0.0) }).contains("no layer"));
    }
}
