//! Limits beyond height and slope that decide where a terrain type lies: limits of measured factors, of a
//! picture's brightness, of a layer's numbers.

use std::collections::BTreeMap;

use crate::analysis::{Factor, Picture, ShadeDay, factors};
use crate::files::FilePath;
use crate::params::{Param, Parameter, Params, Reading, Value, in_recipes, param};

use super::layer_limits::LayerLimits;
use super::limits::Limits;

/// Limits beyond those of elevation and slope; what is left out doesn't matter to the type. In a recipe the
/// limits of a factor have its name; each goes from 0 to 1. [`factors::all`] lists the factors.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{Factors, Limits, factors};
///
/// let read: Factors = ron::from_str("(wetness: (min: 0.5, release: 0.2), shade: (max: 0.6))")?;
/// assert_eq!(read.get(&factors::WETNESS), Some(Limits::new(0.5, 1.0, 0.2)));
/// assert_eq!(read.get(&factors::TEMPERATURE), None);
///
/// let made = Factors::default()
///     .with(&factors::WETNESS, Limits::new(0.5, 1.0, 0.2))
///     .with(&factors::SHADE, Limits::new(0.0, 0.6, 0.0));
/// assert_eq!(made, read);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// Limits of measured factors.
    pub measured: BTreeMap<&'static Factor, Limits>,
    /// Limits of the brightness of a picture over the whole land, or one unit of endless land.
    pub mask: Option<MaskLimits>,
    /// Limits of the numbers of a layer that steps have written.
    pub layer: Option<LayerLimits>,
}

in_recipes!(Factors);

impl Factors {
    /// Whether nothing but elevation and slope decides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The limits of a measured factor, if there are any.
    pub fn get(&self, factor: &Factor) -> Option<Limits> {
        self.measured.get(factor).copied()
    }

    /// The same with these limits of a measured factor.
    #[must_use]
    pub fn with(mut self, factor: &'static Factor, limits: Limits) -> Self {
        self.measured.insert(factor, limits);
        self
    }

    /// The measured factors that there are limits of, in the order of [`factors::all`].
    pub fn used(&self) -> impl Iterator<Item = (&'static Factor, Limits)> {
        self.listed().into_iter().filter_map(|factor| Some((factor, self.get(factor)?)))
    }

    /// The limits, each with the name of the layer that it is about in the
    /// [`TerrainAnalysis`](crate::texture::TerrainAnalysis); `day` is that of the texture's shade.
    pub(crate) fn limits(&self, day: ShadeDay) -> Vec<(String, Limits)> {
        // The order of types' limits is fixed: products of shares round differently in another order.
        let measured = self.used().map(|(factor, limits)| (factor.layer(day), limits));
        let mask = self.mask.iter().map(|mask| (mask.picture.layer(), mask.limits));
        let layer = self.layer.iter().map(|layer| (layer.key(), LayerLimits::IDENTITY));
        measured.chain(mask).chain(layer).collect()
    }

    /// All factors there are, and those that a program uses but has not registered.
    fn listed(&self) -> Vec<&'static Factor> {
        let mut all = factors::all();
        // A game may use a factor without registering it; it still has to be written to the recipe.
        let unregistered: Vec<_> = self.measured.keys().copied().filter(|own| !all.contains(own)).collect();
        all.extend(unregistered);
        all
    }
}

/// Every factor is a parameter, whether there are limits of it or not: the panel offers those that are
/// absent.
impl Params for Factors {
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>)) {
        for factor in self.listed() {
            visitor(&measured_param(factor), Reading::Optional(&self.get(factor)));
        }
        visitor(&mask_param(), self.mask.reading());
        visitor(&layer_param(), self.layer.reading());
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>)) {
        for factor in self.listed() {
            // The map has no place for absent limits, and the visitor may add or remove them.
            let mut limits = self.measured.remove(factor);
            visitor(&measured_param(factor), Value::Optional(&mut limits));
            if let Some(limits) = limits {
                self.measured.insert(factor, limits);
            }
        }
        visitor(&mask_param(), self.mask.value());
        visitor(&layer_param(), self.layer.value());
    }

    fn doc(&self) -> &'static str {
        "Limits beyond those of elevation and slope; what is left out doesn't matter to the type."
    }

    fn type_name(&self) -> &'static str {
        "Factors"
    }
}

impl Parameter for Factors {
    fn reading(&self) -> Reading<'_> {
        Reading::Group(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Group(self)
    }
}

/// The description of a measured factor's limits.
fn measured_param(factor: &Factor) -> Param {
    Param { doc: factor.doc, range: 0.0..=1.0, bare: true, was: factor.was, ..Param::new(factor.name) }
}

fn mask_param() -> Param {
    param!(
        mask,
        ["Brightness of a picture over the whole land, or one unit of endless land: 0 black to 1 white."]
            "" in 0.0..=1.0,
        bare,
    )
}

fn layer_param() -> Param {
    param!(layer, ["Numbers of a layer that steps have written, in the layer's unit."], bare,)
}

/// Limits of the brightness of a picture that lies over the whole land.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskLimits {
    /// Which picture, and how bright it is where.
    pub picture: Picture,
    /// Which brightness, from 0 (black) to 1 (white).
    pub limits: Limits,
}

impl MaskLimits {
    /// Limits of the brightness of the picture in `file`.
    pub fn new(file: FilePath, limits: Limits) -> Self {
        Self { picture: Picture::new(file), limits }
    }
}

/// In a recipe the picture stands among the limits.
impl Params for MaskLimits {
    fn read(&self, visitor: &mut dyn FnMut(&Param, Reading<'_>)) {
        visitor(&mask_file(), self.picture.reading());
        self.limits.read(visitor);
    }

    fn visit(&mut self, visitor: &mut dyn FnMut(&Param, Value<'_>)) {
        visitor(&mask_file(), self.picture.value());
        self.limits.visit(visitor);
    }

    fn doc(&self) -> &'static str {
        "Limits of the brightness of a picture that lies over the whole land."
    }

    fn type_name(&self) -> &'static str {
        "Mask"
    }

    fn law(&self) -> Result<(), String> {
        self.limits.law()
    }

    fn follow(&mut self, changed: &str) {
        self.limits.follow(changed);
    }
}

fn mask_file() -> Param {
    param!(file, ["Path of a picture over the whole land, or one unit of endless land."], required,)
}

impl Parameter for MaskLimits {
    fn reading(&self) -> Reading<'_> {
        Reading::Group(self)
    }

    fn value(&mut self) -> Value<'_> {
        Value::Group(self)
    }
}
