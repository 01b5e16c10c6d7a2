//! Why a terrain type lies somewhere, or doesn't: what each of its limits makes of the ground there.

use crate::texture::types::TerrainType;

/// A terrain type at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeThere {
    /// The type's name.
    pub name: String,
    /// The share of the ground that it covers, in [0, 1]; of a layer that is laid over others, how much of it.
    pub share: f32,
    /// Its weight before it is divided by the sum over all types: the product of the influences.
    pub weight: f32,
    /// Its limits: elevation, slope, then its other factors.
    pub limits: Vec<LimitThere>,
}

/// One limit of a terrain type at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitThere {
    /// What is limited: `elevation`, `slope`, a factor, `mask`, a layer, or `map` for the map that types are
    /// painted on.
    pub name: String,
    /// What it is there: metres, degrees, or a number in [0, 1]. Elevation and slope are those that are compared with
    /// the limits: with skew, and with the noise that roughens borders. Of a layer and of a painted map the influence.
    pub value: f32,
    /// The influence, in [0, 1]: 1 within the limits, 0 beyond the release.
    pub influence: f32,
}

impl TypeThere {
    /// The weight as a product, with its number: `0.5 elevation · 1 slope = 0.5`. Influences of 1 are left out
    /// unless all are.
    pub fn equation(&self) -> String {
        let part = |limit: &LimitThere| format!("{:.2} {}", limit.influence, limit.name.replace('_', " "));
        let parts: Vec<String> = self.limits.iter().filter(|limit| limit.influence < 1.0).map(part).collect();
        if parts.is_empty() {
            "1, within all limits".to_owned()
        } else {
            format!("{} = {:.2}", parts.join(" · "), self.weight)
        }
    }
}

/// The names of a type's factors, in the order of [`Factors::limits`](crate::texture::Factors).
pub(crate) fn names_of_factors(kind: &TerrainType) -> Vec<String> {
    let factors = &kind.factors;
    let measured = factors.used().map(|(factor, _)| factor.name().to_owned());
    let mask = factors.mask.iter().map(|_| "mask".to_owned());
    let layer = factors.layer.iter().map(|layer| layer.name.as_str().to_owned());
    measured.chain(mask).chain(layer).collect()
}
