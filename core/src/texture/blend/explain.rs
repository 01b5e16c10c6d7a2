//! Why a terrain type lies at a place, or doesn't: how each of its limits rates the ground there.

use crate::steps::number::brief;
use crate::texture::types::TerrainType;

/// A terrain type at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeThere {
    /// The type's name.
    pub name: String,
    /// The share of the ground that it covers, in [0, 1]: the shares of all types except layers add up to 1.
    /// For a layer, how strongly it is laid over the ground.
    pub share: f32,
    /// Whether it is a layer, which takes no share of the ground ([`BlendMode`](crate::texture::BlendMode)).
    pub is_layer: bool,
    /// Its weight before it is divided by the sum over all types: the product of the influences.
    pub weight: f32,
    /// Its limits: elevation, slope, then its other factors.
    pub limits: Vec<LimitThere>,
}

/// One limit of a terrain type at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitThere {
    /// The limited quantity: `elevation`, `slope`, a factor, `mask`, a layer, or `map` for the map on which
    /// types are painted.
    pub name: String,
    /// Its value at the place: metres, degrees, or a number in [0, 1]. Elevation and slope are the values
    /// that are compared with the limits: with skew, and with the noise that roughens borders. For a layer or
    /// a painted map it is the influence.
    pub value: f32,
    /// The influence, in [0, 1]: 1 within the limits, 0 beyond the release.
    pub influence: f32,
    /// The lower limit, in the value's unit: infinite where there is none.
    pub low: f32,
    /// The upper limit, likewise.
    pub high: f32,
    /// How far beyond the limits the influence ends, in the value's unit.
    pub release: f32,
}

impl LimitThere {
    /// A quantity that was limited elsewhere: its value is its influence.
    pub(crate) fn given(name: &str, influence: f32) -> Self {
        let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
        Self { name: name.to_owned(), value: influence, influence, low, high, release: 0.0 }
    }

    /// How the influence follows from the value: `1 − (31.2 − 25) / 8 = 0.22`, or a description if the value
    /// is within or beyond all limits; only the number where nothing limits it.
    pub fn equation(&self) -> String {
        let Self { value, influence, low, high, release, .. } = *self;
        let [v, l, h, r] = [value, low, high, release].map(brief);
        let excess = if value < low { format!("{l} − {v}") } else { format!("{v} − {h}") };
        match () {
            () if value >= low && value <= high => match [low, high].map(f32::is_finite) {
                [true, true] => format!("1, from {l} to {h}"),
                [true, false] => format!("1, from {l} on"),
                [false, true] => format!("1, up to {h}"),
                [false, false] => format!("{influence:.2}"),
            },
            () if influence > 0.0 => format!("1 − ({excess}) / {r} = {influence:.2}"),
            () => format!("0: {excess} is {r} or more"),
        }
    }
}

impl TypeThere {
    /// The weight as a product, with its value: `0.5 elevation · 1 slope = 0.5`. Influences of 1 are left out
    /// unless all are 1.
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
    let measured = factors.used().map(|(factor, _)| factor.name.to_owned());
    let mask = factors.mask.iter().map(|_| "mask".to_owned());
    let layer = factors.layer.iter().map(|layer| layer.name.as_str().to_owned());
    measured.chain(mask).chain(layer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_influence_is_described_as_it_is_computed() {
        let told = |value: f32, influence: f32, [low, high, release]: [f32; 3]| {
            LimitThere { name: "slope".to_owned(), value, influence, low, high, release }.equation()
        };
        let none = f32::INFINITY;
        assert_eq!(told(31.0, 0.25, [-none, 25.0, 8.0]), "1 − (31 − 25) / 8 = 0.25");
        assert_eq!(told(-4.0, 0.6, [-2.0, none, 5.0]), "1 − (−2 − −4) / 5 = 0.60");
        assert_eq!(told(40.0, 0.0, [-none, 25.0, 8.0]), "0: 40 − 25 is 8 or more");
        assert_eq!(told(9.0, 1.0, [-none, 25.0, 8.0]), "1, up to 25");
        assert_eq!(told(9.0, 1.0, [3.0, none, 8.0]), "1, from 3 on");
        assert_eq!(told(9.0, 1.0, [3.0, 25.0, 8.0]), "1, from 3 to 25");
        assert_eq!(LimitThere::given("map", 0.5).equation(), "0.50");
    }
}
