//! A whole texture: its terrain types and how they are baked.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::error::{Error, Result};
use crate::files::{FilePath, Use};
use crate::params::lists;

use super::bands::Bands;
use super::light::Light;
use super::painted::PaintedMap;
use super::ranges;
use super::types::TerrainType;
use super::weights::Scale;

/// The most bands and types of a texture: as many as there are levels in a map of ids.
const MAX_TYPES: usize = 256;

/// What elevations (limits, releases, skew, roughen, bands) are given in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElevationUnit {
    /// Metres.
    #[default]
    Metres,
    /// Shares of the land's height: 0 at the sea level, or at the lowest point of a dry land, 1 at
    /// the highest point; what lies under water is below 0. So one texture fits every land.
    Share,
}

/// Where colours are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlendSpace {
    /// In linear light, as light itself adds up.
    #[default]
    Linear,
    /// In the sRGB values themselves, as older programs do; mixtures come out darker.
    Srgb,
}

/// What a landscape wears: terrain types, and how they are baked.
///
/// ```
/// let texture: upland::texture::Texture = ron::from_str(
///     r##"(elevation_unit: share, types: [
///         (name: "grass", colour: "#5f7339", slope: (max: 30, release: 10)),
///         (name: "rock", colour: "#6e675f", slope: (min: 35, release: 10)),
///     ])"##,
/// )?;
/// assert_eq!(texture.types[1].slope.max, 90.0);
/// # Ok::<(), ron::error::SpannedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texture {
    /// Texels along the longer side, from 0 to 65536; 0 for two per sample, at most 8192. More than
    /// 16384 must be baked in patches ([`bake_patches`](super::bake_patches)). Default 4096.
    #[serde(default = "default_resolution", deserialize_with = "read_resolution")]
    pub resolution: u32,
    /// What elevations are given in. Default: metres.
    #[serde(default)]
    pub elevation_unit: ElevationUnit,
    /// Where colours are blended. Default: in linear light.
    #[serde(default)]
    pub blend_space: BlendSpace,
    /// Size in metres of the largest patches of the noise that mottles colours and roughens borders,
    /// from 0.1 to 1000000; smaller ones follow down to a fortieth. Default 800.
    #[serde(default = "default_patch", deserialize_with = "read_patch")]
    pub patch: f32,
    /// How much of the ambient occlusion goes into the map's alpha, from 0 (none) to 1 (default).
    #[serde(default = "default_occlusion", deserialize_with = "read_occlusion")]
    pub occlusion: f32,
    /// Light that is painted into the colours. Default: none, the renderer lights them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light: Option<Light>,
    /// A picture that says where the types with an id lie. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<PaintedMap>,
    /// Height bands, laid before the types. Default: none.
    #[serde(default)]
    pub bands: Bands,
    /// The terrain types, in the order in which those that aren't mixed are laid over the others. With the
    /// bands at most 256.
    #[serde(default, deserialize_with = "lists::at_most::<256, _, _>")]
    pub types: Vec<TerrainType>,
}

impl Default for Texture {
    fn default() -> Self {
        Self {
            resolution: default_resolution(),
            elevation_unit: ElevationUnit::Metres,
            blend_space: BlendSpace::Linear,
            patch: default_patch(),
            occlusion: default_occlusion(),
            light: None,
            map: None,
            bands: Bands::default(),
            types: Vec::new(),
        }
    }
}

impl Texture {
    /// Height bands as types, then the types.
    pub fn all_types(&self) -> Vec<TerrainType> {
        self.bands.types().into_iter().chain(self.types.iter().cloned()).collect()
    }

    /// Says where the relative paths of its pictures are looked for first.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Shows every file that it names to `visit`.
    pub(crate) fn visit_files(&mut self, visit: &mut dyn FnMut(&mut FilePath, Use)) {
        if let Some(map) = &mut self.map {
            visit(&mut map.file, Use::Data);
        }
        for mask in self.types.iter_mut().filter_map(|kind| kind.factors.mask.as_mut()) {
            visit(&mut mask.picture.file, Use::Data);
        }
        for tile in self.types.iter_mut().filter_map(|kind| kind.tile.as_mut()) {
            visit(&mut tile.image, Use::Tile);
        }
    }

    /// Whether every value is in its range, and there is anything to lay.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the first value that isn't, and what would be accepted.
    pub fn check(&self) -> Result<()> {
        if self.bands.list.is_empty() && self.types.is_empty() {
            return Err(Error::parameter("texture", "it has no terrain types; give at least one"));
        }
        let count = self.bands.list.len() + self.types.len();
        if count > MAX_TYPES {
            let reason = format!("it has {count} bands and terrain types; give at most {MAX_TYPES}");
            return Err(Error::parameter("texture", reason));
        }
        let fields = [
            ranges::RESOLUTION.check(self.resolution as f32),
            ranges::PATCH.check(self.patch),
            ranges::OCCLUSION.check(self.occlusion),
        ];
        for field in fields {
            field.map_err(|reason| Error::parameter("texture", reason))?;
        }
        if let Some(light) = &self.light {
            light.check().map_err(|reason| Error::parameter("texture.light", reason))?;
        }
        if let Some(map) = &self.map {
            map.check().map_err(|reason| Error::parameter("texture.map", reason))?;
        }
        for (list, types) in [("bands.list", &self.bands.types()), ("types", &self.types)] {
            for (index, kind) in types.iter().enumerate() {
                let name = || format!("texture.{list}.{index} ({})", kind.name);
                kind.check().map_err(|reason| Error::parameter(name(), reason))?;
                if let (Some(id), None) = (kind.id, &self.map) {
                    let reason =
                        format!("id: {id} is that of a map, but the texture has none; give it a `map`");
                    return Err(Error::parameter(name(), reason));
                }
            }
        }
        Ok(())
    }

    /// How metres follow from this texture's unit on a land from `lowest` to `highest`.
    pub(super) fn scale(&self, (lowest, highest): (f32, f32), sea_level: Option<f32>) -> Scale {
        if self.elevation_unit == ElevationUnit::Metres {
            return Scale::METRES;
        }
        // A land that is all under water is measured from its own lowest point.
        let base = sea_level.filter(|&sea| sea.is_finite() && sea < highest).unwrap_or(lowest);
        let span = if highest > base { highest - base } else { 1.0 };
        Scale { base, span }
    }
}

fn default_resolution() -> u32 {
    4096
}

fn default_patch() -> f32 {
    800.0
}

fn default_occlusion() -> f32 {
    1.0
}

fn read_resolution<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let resolution: u32 = ranges::RESOLUTION.read_any(from)?;
    ranges::RESOLUTION.check(resolution as f32).map_err(D::Error::custom)?;
    Ok(resolution)
}

fn read_patch<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::PATCH.read(from)
}

fn read_occlusion<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    ranges::OCCLUSION.read(from)
}
