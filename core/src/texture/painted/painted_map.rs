//! A texture's painted map, as in recipes.

use crate::error::Result;
use crate::files::FilePath;
use crate::params::{in_recipes, params};

use super::type_map::TypeMap;

params! {
    /// More colours that stand for terrain types.
    pub struct Palette {
        /// The colour of id 0, 1, 2 …; in a recipe "#rrggbb".
        pub colours: Vec<[u8; 3]> = Vec::new(), "colours" in 0.0..=65_536.0, required;
    }
}

params! {
    /// A picture that says where the types with an id lie, and how it is enlarged. Its outermost pixels lie
    /// on the land's border, as the samples of imported heights do.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let texture: upland::texture::Texture = ron::from_str(
    ///     r##"(map: Some((file: "types.png", majority: 9, roughen: 40)), types: [
    ///         (id: Some(0), name: "water", colour: "#2b4a5e"),
    ///         (id: Some(1), name: "sand", colour: "#c8b482"),
    ///     ])"##,
    /// )?;
    /// assert_eq!(texture.map.unwrap().scale, 16);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct PaintedMap {
        /// A palette image, PNG or BMP, whose indices are the types' ids, or a grey PNG of 16 bits, whose
        /// levels are the ids; with `colours` any picture of 8 bits a channel.
        pub file: FilePath = FilePath::default(), required;
        /// The colour of id 0, 1, 2 …; in a recipe "#rrggbb". Without any, the picture's own indices are the
        /// ids.
        pub colours: Vec<[u8; 3]> = Vec::new(), "colours" in 0.0..=65_536.0;
        /// Further palettes, for a picture that was painted with several: a colour in any of them stands for
        /// its id there.
        pub palettes: Vec<Palette> = Vec::new(), "palettes" in 0.0..=64.0;
        /// Every pixel becomes this many cells along each side; types mix over the width of a cell.
        pub scale: u32 = 16, "cells a pixel" in 1.0..=64.0;
        /// Side of the window of the majority filter that rounds the blocks' corners: an odd number, 1 for
        /// none.
        pub majority: u32 = 1, "cells" in 1.0..=255.0, odd;
        /// How far noise moves the borders.
        pub roughen: f32 = 0.0, "m" in 0.0..=100_000.0;
    }
}

in_recipes!(Palette, PaintedMap);

impl PaintedMap {
    /// The map in `file`, with defaults for everything else.
    pub fn new(file: FilePath) -> Self {
        Self { file, ..Self::default() }
    }

    /// Reads the picture.
    ///
    /// # Errors
    /// As [`TypeMap::read`].
    pub fn read(&self) -> Result<TypeMap> {
        let further = self.palettes.iter().map(|palette| &palette.colours[..]);
        let tables: Vec<&[[u8; 3]]> = std::iter::once(&self.colours[..]).chain(further).collect();
        self.file.read_with(
            |path| TypeMap::read_painted(path, &tables),
            |path, bytes| TypeMap::read_painted_bytes(path, bytes, &tables),
        )
    }
}
