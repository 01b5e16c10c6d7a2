//! The files that are written next to a raster whose format cannot say which map it lies on: a `.prj` of the
//! coordinate system's text, or an `.aux.xml` of its code, both of which GDAL reads.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::xml;
use crate::elevation::map::{Definition, MapPlace};
use crate::error::{Error, Result};
use crate::files::replace_file;

/// Writes files for what an ASCII grid cannot say of its place. Returns notes on them, a line each.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write(path: &Path, place: Option<&MapPlace>) -> Result<Vec<String>> {
    let definition = place.and_then(MapPlace::definition);
    let is_upright = place.is_some_and(|place| place.cell().is_some());
    let (prj, aux) = (path.with_extension("prj"), aux_of(path));
    let written = match definition.filter(|_| is_upright) {
        None => None,
        Some(Definition::Text(text)) => Some((&prj, format!("{text}\n"))),
        Some(other) => Some((&aux, metadata(Some(other), None))),
    };
    let mut notes = Vec::new();
    if let Some((path, text)) = &written {
        write_text(path, text)?;
        notes.push(format!("its coordinate system is in {} beside it", name(path)));
    } else if definition.is_some() {
        notes.push(
            "its place is not written, since it is rotated on its map; write a .tif for that".to_owned(),
        );
    }
    let is_left =
        |other: &&PathBuf| written.as_ref().is_none_or(|(path, _)| *path != *other) && other.exists();
    let left = [&prj, &aux].into_iter().filter(is_left);
    notes.extend(left.map(|path| {
        let name = name(path);
        format!("{name} beside it is older and will be read with it; remove it if it belongs to another land")
    }));
    Ok(notes)
}

/// Writes a world file and the coordinate system next to a picture of land, so that GIS programs find its
/// place; `depth` is the number of its rows. Returns their paths.
///
/// # Errors
/// When a file cannot be written.
pub fn write_place(path: impl AsRef<Path>, place: &MapPlace, depth: usize) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let [a, b, c, d, e, f] = place.transform(depth);
    let (x, y) = (a + (b + c) / 2.0, d + (e + f) / 2.0);
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let first = extension.chars().next().unwrap_or('p');
    let last = extension.chars().last().unwrap_or('g');
    let world = path.with_extension(format!("{first}{last}w"));
    write_text(&world, &format!("{b}\n{e}\n{c}\n{f}\n{x}\n{y}\n"))?;
    let Some(definition) = place.definition() else { return Ok(vec![world]) };
    let aux = aux_of(path);
    write_text(&aux, &metadata(Some(definition), Some([a, b, c, d, e, f])))?;
    Ok(vec![world, aux])
}

/// GDAL's persistent auxiliary metadata.
fn metadata(definition: Option<&Definition>, transform: Option<[f64; 6]>) -> String {
    let mut xml = "<PAMDataset>\n".to_owned();
    match definition {
        None => {}
        // GDAL also accepts a code where it expects the text.
        Some(definition) => match (definition.code(), definition) {
            (Some(code), _) => xml += &format!("  <SRS>EPSG:{code}</SRS>\n"),
            (None, Definition::Text(text)) => xml += &format!("  <SRS>{}</SRS>\n", xml::escaped(text)),
            (None, other) => {
                let line = xml::escaped(&other.line());
                xml += &format!("  <Metadata>\n    <MDI key=\"upland:system\">{line}</MDI>\n  </Metadata>\n");
            }
        },
    }
    if let Some(transform) = transform {
        let numbers = transform.map(|number| number.to_string()).join(", ");
        xml += &format!("  <GeoTransform>{numbers}</GeoTransform>\n");
    }
    xml + "</PAMDataset>\n"
}

fn write_text(path: &Path, text: &str) -> Result<()> {
    replace_file(path, |file| {
        file.write_all(text.as_bytes()).map_err(|error| Error::io(path, "write", error))
    })
}

fn aux_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".aux.xml");
    PathBuf::from(name)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
