//! Tiling ground textures: which one a terrain type has, how large it is, and the pictures.

use std::path::{Path, PathBuf};

use image::DynamicImage;

use crate::elevation::formats::pictures::picture;
use crate::error::{Error, Result};
use crate::files::embedded;
use crate::files::{self, FileKind};
use crate::files::{FilePath, Held};
use crate::params::{in_recipes, params};

/// The longest side of a tile, texels.
const MAX_SIDE: usize = 4096;

params! {
    /// The tiling picture of a terrain type, and its size on the ground.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let tiling: upland::texture::Tiling = ron::from_str(r#"(image: "grass", size: 3, mirror: true)"#)?;
    /// assert_eq!(tiling.size, 3.0);
    /// # Ok::<(), ron::error::SpannedError>(())
    /// ```
    pub struct Tiling {
        /// The name of a built-in tile ([`Tile::built_in`]), or the path of a picture: `moss.png` has its
        /// colours; `moss_normal.png` and `moss_roughness.png` next to it, if they exist, its normals and its
        /// roughness.
        pub image: FilePath = FilePath::default(), required;
        /// Metres along the longer side of one repeat.
        pub size: f32 = 4.0, "m" in 0.01..=100_000.0, log;
        /// Whether every other repeat is mirrored, along each axis, so that even pictures that don't tile
        /// have no seams.
        pub mirror: bool = false;
    }
}

in_recipes!(Tiling);

impl Tiling {
    /// A tile by its name or path, four metres large.
    pub fn new(image: impl Into<String>) -> Self {
        Self { image: FilePath::new(image), ..Self::default() }
    }

    /// Reads the pictures.
    ///
    /// # Errors
    /// As [`Tile::read`].
    pub fn read(&self) -> Result<Tile> {
        match Tile::built_in().iter().find(|name| **name == self.image.text()) {
            Some(name) => Tile::from_built_in(name),
            None => match self.image.held() {
                Some(held) => Tile::from_held(&self.image.on_disk(), held),
                None => Tile::read(self.image.on_disk()),
            },
        }
    }

    /// The files that are read: the colours, and the normals and the roughness if they exist; none for a
    /// built-in tile.
    #[doc(hidden)]
    pub fn files(image: &FilePath) -> Vec<PathBuf> {
        if Tile::built_in().contains(&image.text()) {
            return Vec::new();
        }
        let path = image.on_disk();
        ["", "_normal", "_roughness"].map(|part| part_path(&path, part)).into()
    }
}

/// A tiling ground texture: colours, normals and roughness of a square or oblong piece of ground that
/// repeats without a seam. Rows run along +Z, the first texel is the north-west one.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// sRGB-encoded colours, row by row.
    pub colours: Vec<[u8; 3]>,
    /// Unit normals: x towards east and z towards south, −1 to 1 as 1 to 255 (128 is 0); up is the
    /// rest. Empty for level ground.
    pub normals: Vec<[u8; 2]>,
    /// Perceptual roughness, 0 to 1 as 0 to 255. Empty for wholly rough ground.
    pub roughness: Vec<u8>,
}

impl Tile {
    /// The names of the tiles that are built into the program.
    pub fn built_in() -> &'static [&'static str] {
        embedded::TILES
    }

    /// A tile that is built into the program.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn from_built_in(name: &str) -> Result<Self> {
        let part = |part: &str| embedded::tile(&format!("{name}{part}.png"));
        let Some(colours) = part("") else {
            let known = Self::built_in().join(", ");
            return Err(Error::parameter("image", format!("there is no tile `{name}`; there are {known}")));
        };
        let path = Path::new(name);
        Self::decode(path, colours, part("_normal"), part("_roughness"))
    }

    /// Reads a picture of 8 bits a channel, and the normals and roughness next to it.
    ///
    /// # Errors
    /// When the picture does not exist, is neither PNG nor BMP, or has more than 4096 texels a side, or the
    /// normals or the roughness have another size.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = |path: &Path| files::read(path, FileKind::Tile);
        // Missing parts are no error: many tiles have colours alone.
        let beside = |part: &str| {
            let path = part_path(path, part);
            path.exists().then(|| bytes(&path)).transpose()
        };
        if !path.exists() {
            let known = Self::built_in().join(", ");
            let reason = format!("is neither an existing picture nor a built-in tile ({known})");
            return Err(Error::file(path, reason));
        }
        let (normals, roughness) = (beside("_normal")?, beside("_roughness")?);
        Self::decode(path, &bytes(path)?, normals.as_deref(), roughness.as_deref())
    }

    /// As [`read`](Self::read), from memory.
    fn from_held(path: &Path, held: &Held) -> Result<Self> {
        let colours = held.bytes(path)?.ok_or_else(|| held.missing(path))?;
        let beside = |part: &str| held.bytes(&part_path(path, part));
        Self::decode(path, colours, beside("_normal")?, beside("_roughness")?)
    }

    fn decode(path: &Path, colours: &[u8], normals: Option<&[u8]>, roughness: Option<&[u8]>) -> Result<Self> {
        let picture = decode(path, colours)?;
        let (width, depth) = (picture.width(), picture.height());
        let part = |bytes: Option<&[u8]>, name: &str, what: &str| {
            let Some(bytes) = bytes else { return Ok(None) };
            let path = part_path(path, name);
            let part = decode(&path, bytes)?;
            if (part.width(), part.height()) != (width, depth) {
                let reason = format!(
                    "the {what} are {}×{} texels, the colours {width}×{depth}; give them the same size",
                    part.width(),
                    part.height(),
                );
                return Err(Error::file(&path, reason));
            }
            Ok(Some(part))
        };
        let normals = part(normals, "_normal", "normals")?.map(|picture| picture.to_rgb8());
        let roughness =
            part(roughness, "_roughness", "roughness values")?.map(|picture| picture.to_luma8().into_raw());
        Ok(Self {
            width: width as usize,
            depth: depth as usize,
            colours: picture.to_rgb8().pixels().map(|pixel| pixel.0).collect(),
            normals: normals.map_or(Vec::new(), |picture| {
                picture.pixels().map(|pixel| [pixel.0[0], pixel.0[1]]).collect()
            }),
            roughness: roughness.unwrap_or_default(),
        })
    }
}

/// A name with the extension of a path, if that has one; built-in tiles are named without extension.
fn with_extension(name: String, path: &Path) -> String {
    match path.extension() {
        Some(extension) => format!("{name}.{}", extension.to_string_lossy()),
        None => name,
    }
}

/// The file of a tile's normals or roughness next to that of its colours.
pub(crate) fn part_path(path: &Path, part: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(with_extension(format!("{stem}{part}"), path))
}

/// Decodes a picture, if it isn't too large.
fn decode(path: &Path, bytes: &[u8]) -> Result<DynamicImage> {
    let allowed = |width, depth| {
        if width > MAX_SIDE || depth > MAX_SIDE {
            let reason = format!("is {width}×{depth} texels; a tile has at most {MAX_SIDE} a side");
            return Err(Error::file(path, reason));
        }
        Ok(())
    };
    picture::decode(path, bytes, allowed)?
        .ok_or_else(|| Error::file(path, "is neither a PNG nor a BMP; save the tile as one of them"))
}
