//! What a TIFF says of the numbers of a band, in the tags in which GDAL stores NODATA, scale, offset and
//! unit.

use super::directory::Directory;
use super::tag;
use crate::elevation::formats::meaning::{Band, Role};
use crate::elevation::formats::xml;
use crate::error::Result;

/// What the tags say of a band, counted from 0. Invalid values are reported in `notes` and ignored.
///
/// # Errors
/// When the values of a tag are not in the file.
pub(super) fn read(directory: &Directory, number: usize, notes: &mut Vec<String>) -> Result<Band> {
    let mut band = Band::default();
    if let Some(text) = directory.text(tag::NODATA)? {
        band.take(Role::Nodata, &text, "", notes);
    }
    let metadata = directory.text(tag::METADATA)?.unwrap_or_default();
    for (name, role) in [("scale", Role::Scale), ("offset", Role::Offset), ("unittype", Role::Unit)] {
        if let Some(text) = item(&metadata, name, number) {
            band.take(role, &text, "", notes);
        }
    }
    Ok(band)
}

/// The text of the item of a role that belongs to a band, counted from 0:
/// `<Item name="UNITTYPE" sample="0" role="unittype">ft</Item>`.
fn item(metadata: &str, role: &str, band: usize) -> Option<String> {
    metadata.split("<Item").skip(1).find_map(|item| {
        let (attributes, rest) = item.split_once('>')?;
        let is_it = attribute(attributes, "role")?.eq_ignore_ascii_case(role)
            && attribute(attributes, "sample")?.trim().parse() == Ok(band);
        let text = rest.split_once('<').map_or(rest, |(text, _)| text);
        // GDAL escapes texts twice.
        is_it.then(|| xml::unescaped(&xml::unescaped(text)))
    })
}

/// The value of an attribute of an XML element.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let (value, others) = after[1..].split_once(quote)?;
        if key.trim() == name {
            return Some(value);
        }
        rest = others;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_by_role_and_band() {
        let xml = "<GDALMetadata>\n<Item name=\"SCALE\">7</Item><Item sample='1' role='scale' name='SCALE'>3</Item>\
             <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\
             <Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">a &amp;lt; b</Item></GDALMetadata>";
        assert_eq!(item(xml, "scale", 0).as_deref(), Some("0.5"));
        assert_eq!(item(xml, "scale", 1).as_deref(), Some("3"));
        assert_eq!(item(xml, "unittype", 0).as_deref(), Some("a < b"));
        assert_eq!(item(xml, "offset", 0), None);
        assert_eq!(item("<Item <Item sample=", "offset", 0), None);
    }
}
