//! What else than height and slope decides where a terrain type lies: limits of measured factors, of a
//! picture's brightness, of a layer's numbers.

use crate::analysis::{Factor, Picture, ShadeDay};
use crate::files::FilePath;
use crate::params::{Param, Parameter, Params, Reading, Value, in_recipes, param, params};

use super::layer_limits::LayerLimits;
use super::limits::Limits;

params! {
    /// Limits beyond those of elevation and slope; what is left out doesn't matter to the type. Each is about
    /// the [`Factor`] of its name.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let factors: upland::texture::Factors =
    ///     ron::from_str("(wetness: (min: 0.5, release: 0.2), shade: (max: 0.6))")?;
    /// assert_eq!(factors.wetness.unwrap().max, 1.0);
    /// assert_eq!(factors.temperature, None);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Factors {
        /// Water for plants, from sea, rivers and hollows: 0 dry to 1 wet.
        pub wetness: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// How hollow the ground is: 0 even or bulging, towards 1 in gorges.
        pub concavity: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// How much the ground bulges: 0 even or hollow, towards 1 on crests.
        pub convexity: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Share of a day's sun that the ground misses: 0 in full sun to 1.
        pub shade: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Warmth by height and aspect: 0.5 is freezing, each 0.1 is 4 °C.
        pub temperature: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Moisture of the climate, by the nearness of water and by the wind.
        pub moisture: Option<Limits> = None, "" in 0.0..=1.0, bare;
        /// Nearness of water: 1 in the water, falling to 0 a kilometre away. Older recipes call it
        /// `water_distance`.
        pub water_nearness: Option<Limits> = None, "" in 0.0..=1.0, bare, was water_distance;
        /// Brightness of a picture over the whole land, or one unit of endless land: 0 black to 1 white.
        pub mask: Option<MaskLimits> = None, "" in 0.0..=1.0, bare;
        /// Numbers of a layer that steps have written, in the layer's unit.
        pub layer: Option<LayerLimits> = None, bare;
    }
}

in_recipes!(Factors);

impl Factors {
    /// Whether nothing but elevation and slope decides.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The measured factors that there are limits of.
    pub fn used(&self) -> impl Iterator<Item = (Factor, Limits)> {
        let all = [
            self.wetness,
            self.concavity,
            self.convexity,
            self.shade,
            self.temperature,
            self.moisture,
            self.water_nearness,
        ];
        Factor::ALL.into_iter().zip(all).filter_map(|(factor, limits)| Some((factor, limits?)))
    }

    /// The limits, each with the name of the layer that it is about in the
    /// [`TerrainAnalysis`](crate::texture::TerrainAnalysis); `day` is that of the texture's shade.
    pub(crate) fn limits(&self, day: ShadeDay) -> Vec<(String, Limits)> {
        let measured = self.used().map(|(factor, limits)| (factor.layer(day), limits));
        let mask = self.mask.iter().map(|mask| (mask.picture.layer(), mask.limits));
        let layer = self.layer.iter().map(|layer| (layer.key(), LayerLimits::IDENTITY));
        measured.chain(mask).chain(layer).collect()
    }

    /// The limits of every measured factor, in the order of [`Factor::ALL`].
    pub(crate) fn all_mut(&mut self) -> [&mut Option<Limits>; 7] {
        [
            &mut self.wetness,
            &mut self.concavity,
            &mut self.convexity,
            &mut self.shade,
            &mut self.temperature,
            &mut self.moisture,
            &mut self.water_nearness,
        ]
    }
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
