//! Interpolation between two textures: the limits and the colours of types of the same name move, so that a
//! snow line moves down a mountain where a cross-fade would make the whole slope half white.

use crate::error::{Error, Result};
use crate::texture::colour::srgb::{linear_from_srgb, srgb_from_linear};
use crate::texture::types::{Band, Bands, Factors, Limits, TerrainType, Texture};

impl Texture {
    /// The texture at `share` of the way, in [0, 1], from this one to `other`, which has types of the same
    /// names in the same order. Numbers are interpolated, colours in linear light. Anything else (tiles,
    /// blend modes, factors that only one has, the texture's own settings) comes from the nearer one. At 0
    /// and 1 the result is one of the two itself.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `share` lies outside [0, 1], or the types of the two don't correspond.
    pub fn towards(&self, other: &Self, share: f32) -> Result<Self> {
        if !(0.0..=1.0).contains(&share) {
            let reason = format!("{share} is outside 0 (the one texture) to 1 (the other)");
            return Err(Error::parameter("share", reason));
        }
        let (ours, theirs) = (self.all_types(), other.all_types());
        let pairs = || ours.iter().zip(&theirs);
        if ours.len() != theirs.len() || pairs().any(|(ours, theirs)| ours.name != theirs.name) {
            let names = |types: &[TerrainType]| {
                types.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>().join(", ")
            };
            let reason = format!(
                "the one has {}, the other {}; give both types of the same names in the same order, or \
                 cross-fade them",
                names(&ours),
                names(&theirs)
            );
            return Err(Error::parameter("types", reason));
        }
        if self.elevation_unit != other.elevation_unit {
            let reason = "one gives elevations in metres, the other in shares; use the same for both";
            return Err(Error::parameter("elevation_unit", reason));
        }
        // Bands whose weights are not divided must stay bands; others may become the types that represent
        // them.
        let undivided = [self, other].map(|texture| texture.bands.are_undivided());
        let counts = [self, other].map(|texture| texture.bands.list.len());
        if undivided[0] != undivided[1] || (undivided[0] && counts[0] != counts[1]) {
            let reason =
                "the two have different numbers of bands that don't extend; give both the same number";
            return Err(Error::parameter("bands", reason));
        }
        let kept = if undivided[0] { counts[0] } else { 0 };
        // Exactly the one or the other at the ends, including what can't be mixed.
        if share == 0.0 || share == 1.0 {
            return Ok(if share == 0.0 { self.clone() } else { other.clone() });
        }
        let way = Interpolation { share };
        let nearer = if share < 0.5 { self } else { other };
        Ok(Self {
            patch: way.number(self.patch, other.patch),
            occlusion: way.number(self.occlusion, other.occlusion),
            bands: Bands {
                list: self
                    .bands
                    .list
                    .iter()
                    .zip(&other.bands.list)
                    .take(kept)
                    .map(|(a, b)| way.band(a, b))
                    .collect(),
                extend: !undivided[0],
            },
            types: pairs().skip(kept).map(|(ours, theirs)| way.kind(ours, theirs)).collect(),
            ..nearer.clone()
        })
    }
}

struct Interpolation {
    share: f32,
}

impl Interpolation {
    fn number(&self, ours: f32, theirs: f32) -> f32 {
        ours + (theirs - ours) * self.share
    }

    fn nearer<T: Clone>(&self, ours: &T, theirs: &T) -> T {
        if self.share < 0.5 { ours.clone() } else { theirs.clone() }
    }

    fn band(&self, ours: &Band, theirs: &Band) -> Band {
        Band {
            name: ours.name.clone(),
            colour: self.colour(ours.colour, theirs.colour),
            centre: self.number(ours.centre, theirs.centre),
            range: self.number(ours.range, theirs.range),
        }
    }

    fn kind(&self, ours: &TerrainType, theirs: &TerrainType) -> TerrainType {
        TerrainType {
            colour: match (ours.colour, theirs.colour) {
                (Some(ours), Some(theirs)) => Some(self.colour(ours, theirs)),
                (ours, theirs) => self.nearer(&ours, &theirs),
            },
            elevation: self.limits(ours.elevation, theirs.elevation),
            slope: self.limits(ours.slope, theirs.slope),
            skew: self.number(ours.skew, theirs.skew),
            skew_bearing: self.number(ours.skew_bearing, theirs.skew_bearing),
            factors: self.factors(&ours.factors, &theirs.factors),
            variation: self.number(ours.variation, theirs.variation),
            roughen: self.number(ours.roughen, theirs.roughen),
            slope_roughen: self.number(ours.slope_roughen, theirs.slope_roughen),
            ..self.nearer(ours, theirs)
        }
    }

    fn colour(&self, ours: [f32; 3], theirs: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|channel| {
            // In linear light, as eyes see a cross-fade: halfway between encoded colours is too dark.
            let ends = [ours, theirs].map(|colour| linear_from_srgb(colour[channel]));
            srgb_from_linear(self.number(ends[0], ends[1])).clamp(0.0, 1.0)
        })
    }

    fn limits(&self, ours: Limits, theirs: Limits) -> Limits {
        Limits {
            min: self.number(ours.min, theirs.min),
            max: self.number(ours.max, theirs.max),
            release: self.number(ours.release, theirs.release),
        }
    }

    fn factors(&self, ours: &Factors, theirs: &Factors) -> Factors {
        // A factor that only one of them has can't be interpolated: the nearer one decides.
        let mut factors = self.nearer(ours, theirs);
        for (factor, limits) in ours.used() {
            if let Some(theirs) = theirs.get(factor) {
                factors.measured.insert(factor, self.limits(limits, theirs));
            }
        }
        factors
    }
}
