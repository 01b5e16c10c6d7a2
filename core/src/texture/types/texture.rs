//! A whole texture: its terrain types and how they are baked.

use std::path::Path;

use crate::analysis::ShadeDay;
use crate::error::{Error, Result};
use crate::files::{FilePath, Use};
use crate::params::{self, choice, in_recipes, params};

use crate::texture::painted::PaintedMap;

use super::bands::Bands;
use super::light::Light;
use super::terrain_type::TerrainType;

choice! {
    /// What elevations (limits, releases, skew, roughen, bands) are given in.
    pub enum ElevationUnit {
        /// Metres.
        Metres = "metres",
        /// Shares of the land's height: 0 at sea level, on a dry land at the lowest point, and 1 at the
        /// highest point; what lies under water is below 0. So one texture fits every land.
        Share = "share",
    }
}

choice! {
    /// Where colours are blended.
    pub enum BlendSpace {
        /// In linear light, as light adds up in nature.
        Linear = "linear",
        /// In the sRGB values themselves, as older programs do; mixtures come out darker.
        Srgb = "srgb",
    }
}

params! {
    /// The texture of a landscape: terrain types, and how they are baked.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let texture: upland::texture::Texture = ron::from_str(
    ///     r##"(elevation_unit: share, types: [
    ///         (name: "grass", colour: "#5f7339", slope: (max: 30, release: 10)),
    ///         (name: "rock", colour: "#6e675f", slope: (min: 35, release: 10)),
    ///     ])"##,
    /// )?;
    /// assert_eq!(texture.types[1].slope.max, 90.0);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Texture {
        /// Texels along the longer side; 0 for two per sample, at most 8192. More is sharper, and slower to
        /// bake; more than 16384 must be baked in patches.
        pub resolution: u32 = 4096, "texels along the longer side" in 0.0..=65_536.0;
        /// What elevations are given in.
        pub elevation_unit: ElevationUnit = ElevationUnit::Metres;
        /// Where colours are blended.
        pub blend_space: BlendSpace = BlendSpace::Linear;
        /// Size of the largest patches of the noise that mottles colours and roughens borders; there are
        /// smaller ones down to a fortieth of it.
        pub patch: f32 = 800.0, "m" in 0.1..=1_000_000.0, log;
        /// How much of the ambient occlusion goes into the map's alpha: how much of the sky's light the
        /// land's own shape keeps from the ground, 1 − sky-view factor.
        pub occlusion: f32 = 1.0, "" in 0.0..=1.0;
        /// Light that is painted into the colours, for maps and for programs that don't light the land; none:
        /// the renderer lights them.
        pub light: Option<Light> = None;
        /// Where on the globe and on which day of the year the factor `shade` is measured; none: at 45° north
        /// at an equinox.
        pub shade: Option<ShadeDay> = None;
        /// A picture that says where the types with an id lie.
        pub map: Option<PaintedMap> = None;
        /// Height bands, laid before the types.
        pub bands: Bands = Bands::default();
        /// The terrain types; those that aren't mixed are laid over the ones before them. With the bands at
        /// most 256.
        pub types: Vec<TerrainType> = Vec::new(), "types" in 0.0..=256.0;
        /// Name of the mixed type that lies where no mixed type has any weight; none: the one that is nearest
        /// to qualifying there.
        pub fallback: Option<String> = None;
    }
}

in_recipes!(Texture);

impl Texture {
    /// The most bands and types together: as many as there are levels in a map of ids.
    pub const MOST_TYPES: usize = 256;

    /// Whether there is room for one more type.
    pub fn has_room(&self) -> bool {
        self.bands.list.len() + self.types.len() < Self::MOST_TYPES
    }

    /// The height bands as types, then the types.
    pub fn all_types(&self) -> Vec<TerrainType> {
        self.bands.types().into_iter().chain(self.types.iter().cloned()).collect()
    }

    /// The day for which factors such as shade are measured.
    pub(crate) fn shade_day(&self) -> ShadeDay {
        self.shade.unwrap_or_default()
    }

    /// Says where the relative paths of its pictures are looked for first.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Calls `visit` with every file that it names.
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

    /// Checks that every value is in its range, and that there is at least one type.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the first value that isn't, and what would be accepted.
    pub fn check(&self) -> Result<()> {
        if self.bands.list.is_empty() && self.types.is_empty() {
            return Err(Error::parameter("texture", "it has no terrain types; give at least one"));
        }
        let count = self.bands.list.len() + self.types.len();
        if count > Self::MOST_TYPES {
            let reason = format!("it has {count} bands and terrain types; give at most {}", Self::MOST_TYPES);
            return Err(Error::parameter("texture", reason));
        }
        params::check(self, "texture")?;
        for (index, kind) in self.types.iter().enumerate() {
            let name = || format!("texture.types.{index} ({})", kind.name);
            kind.check().map_err(|reason| Error::parameter(name(), reason))?;
            if let (Some(id), None) = (kind.id, &self.map) {
                let reason = format!("id: {id} is that of a map, but the texture has none; give it a `map`");
                return Err(Error::parameter(name(), reason));
            }
        }
        self.fallback_type().map(|_| ())
    }

    /// Index among [`all_types`](Self::all_types) of the type that lies where none qualifies; `None` for the
    /// nearest.
    ///
    /// # Errors
    /// [`Error::Parameter`] when no mixed type has that name.
    pub(in crate::texture) fn fallback_type(&self) -> Result<Option<usize>> {
        let Some(fallback) = &self.fallback else { return Ok(None) };
        let types = self.all_types();
        // The first type is ground, however it is blended.
        let is_mixed = |index: usize| index == 0 || types[index].blend.takes_ground();
        let mixed: Vec<usize> = (0..types.len()).filter(|index| is_mixed(*index)).collect();
        // Layers are no fallback: they would have nothing to lie on.
        let found = mixed.iter().copied().find(|index| types[*index].name == *fallback);
        found.map(Some).ok_or_else(|| {
            let names: Vec<&str> = mixed.iter().map(|index| types[*index].name.as_str()).collect();
            let reason = format!("no mixed type is called `{fallback}`; there are {}", names.join(", "));
            Error::parameter("texture.fallback", reason)
        })
    }
}
