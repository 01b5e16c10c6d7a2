//! Files of meshes: GLB, OBJ, STL and PLY. Lengths are metres in all of them, and a texture is stored in the
//! file or next to it, depending on the format.

mod format;
mod glb;
mod obj;
mod ply;
mod stl;

use std::io::Write;
use std::path::{Path, PathBuf};

use png::{ColorType, Encoder};

pub use self::format::Format;
use self::format::{Amount, Target, Texture, TexturePlace};
use super::Mesh;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files::{FormatTable, check_replaceable, replace_file, replace_together, write_png_rows};
use crate::texture::ColourMap;

static TABLE: FormatTable<Format> =
    FormatTable { what: "a mesh", formats: &[glb::FORMAT, obj::FORMAT, stl::FORMAT, ply::FORMAT] };

/// Every format for meshes.
pub fn formats() -> &'static [Format] {
    TABLE.formats
}

impl Format {
    /// The format for a name's extension.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(path: impl AsRef<Path>) -> Result<&'static Self> {
        TABLE.of(path.as_ref())
    }

    /// Whether meshes of this format can have a texture.
    pub fn has_textures(&self) -> bool {
        self.texture != TexturePlace::Nowhere
    }

    /// Checks that a file of this format can hold this many triangles and vertices.
    ///
    /// # Errors
    /// When it cannot; the message names `path`.
    pub fn check(&self, path: impl AsRef<Path>, vertices: u64, triangles: u64) -> Result<()> {
        let amount = Amount { vertices, triangles, texture: 0 };
        (self.check)(amount).map_err(|reason| Error::file(path, reason))
    }
}

/// The files that [`write()`] makes for this name: the mesh, and with a texture the files next to it.
///
/// # Errors
/// When no format has this extension, and when a format cannot name the files next to it.
pub fn files(path: impl AsRef<Path>, textured: bool) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    let mut files = vec![path.to_owned()];
    if let (true, TexturePlace::Beside { material }) = (textured, format.texture) {
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_none_or(|name| name.chars().any(char::is_control)) {
            let reason = format!(
                "{} names its texture in plain text, which this name is not; give another",
                format.name
            );
            return Err(Error::file(path, reason));
        }
        files.push(path.with_extension("png"));
        files.extend(material.then(|| path.with_extension("mtl")));
    }
    Ok(files)
}

/// Writes a mesh; the extension of `path` decides the format. A texture must cover the land from border to
/// border. All files are replaced together: after a failure existing files are unchanged.
///
/// # Errors
/// When no format has this extension, when the format cannot hold the mesh or its texture, when a file cannot
/// be written, and [`Error::Cancelled`].
pub fn write(path: impl AsRef<Path>, mesh: &Mesh, texture: Option<&ColourMap>, work: &Work) -> Result<()> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    let files = files(path, texture.is_some())?;
    // Before the picture is packed, which takes seconds.
    files.iter().try_for_each(check_replaceable)?;
    if texture.is_some() && !format.has_textures() {
        return Err(Error::file(
            path,
            format!("{} cannot hold a texture; give none, or use another format", format.name),
        ));
    }
    let picture = texture.map(|texture| picture(path, texture)).transpose()?;
    let amount = Amount {
        vertices: mesh.positions.len() as u64,
        triangles: mesh.triangles.len() as u64,
        texture: picture.as_ref().map_or(0, Vec::len) as u64,
    };
    (format.check)(amount).map_err(|reason| Error::file(path, reason))?;
    work.stage("write", mesh.positions.len() + mesh.triangles.len());
    let name = |extension| {
        path.with_extension(extension).file_name().unwrap_or_default().to_string_lossy().into_owned()
    };
    let write = || {
        // Companions first, so that the mesh never names a file that isn't there.
        if let (Some(picture), Some(beside)) = (&picture, files.get(1)) {
            replace_file(beside, |file| {
                file.write_all(picture).map_err(|error| Error::io(beside, "write", error))
            })?;
            if let Some(material) = files.get(2) {
                obj::write_material(material, &name("png"))?;
            }
        }
        replace_file(path, |file| {
            let texture = picture.as_ref().map(|picture| match format.texture {
                TexturePlace::Beside { .. } => {
                    Texture::Beside { picture: name("png"), material: name("mtl") }
                }
                _ => Texture::Inside(picture),
            });
            (format.write)(&mut Target { path, file, texture }, mesh, work)
        })
    };
    // All files or none: a mesh with another mesh's picture would look wrong.
    replace_together(write).map(|((), _)| ())
}

/// A texture as PNG.
fn picture(path: &Path, texture: &ColourMap) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, texture.width as u32, texture.depth as u32);
    encoder.set_color(ColorType::Rgb);
    let opaque = |row: &[[u8; 4]]| -> Vec<u8> {
        row.iter().flat_map(|&[red, green, blue, _]| [red, green, blue]).collect()
    };
    write_png_rows(path, encoder, Vec::new(), texture.texels.chunks(texture.width).map(opaque))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(extension: &str, vertices: u64, triangles: u64) -> String {
        let format = Format::of(format!("land.{extension}")).unwrap();
        format.check("land", vertices, triangles).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn amounts_beyond_the_limits_of_a_format_are_refused() {
        for extension in ["glb", "obj", "stl", "ply"] {
            assert_eq!(reason(extension, 4_000_000, 8_000_000), "", "{extension}");
        }
        assert!(reason("stl", 3, 1 << 32).contains("4294967295 triangles"));
        assert_eq!(reason("stl", 3, (1 << 32) - 1), "");
        assert!(reason("ply", 1 << 31, 4).contains("2147483647"));
        // 4 GiB in all: 32 bytes a vertex and 12 a triangle.
        assert!(reason("glb", 1 << 26, 1 << 28).contains("4 GiB"));
        assert_eq!(reason("glb", 1 << 26, 1 << 26), "");
    }

    #[test]
    fn errors_on_unknown_extensions_list_the_formats() {
        let message = Format::of("land.fbx").unwrap_err().to_string();
        assert!(message.contains("`.fbx`; there is .glb, .obj, .stl, .ply"), "{message}");
        assert!(Format::of("land").unwrap_err().to_string().contains("no extension"));
        assert_eq!(Format::of("LAND.GLB").unwrap().name, "glTF");
    }

    #[test]
    fn files_beside_are_named_after_the_mesh() {
        let names = |path: &str, textured| files(path, textured).unwrap();
        assert_eq!(names("a/land.obj", true), ["a/land.obj", "a/land.png", "a/land.mtl"].map(PathBuf::from));
        assert_eq!(names("land.ply", true), ["land.ply", "land.png"].map(PathBuf::from));
        assert_eq!(names("land.obj", false), [PathBuf::from("land.obj")]);
        assert_eq!(names("land.glb", true), [PathBuf::from("land.glb")]);
        assert!(files("two\nlines.obj", true).is_err());
    }
}
