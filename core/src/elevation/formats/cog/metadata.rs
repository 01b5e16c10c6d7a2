//! Metadata as GDAL stores it in a TIFF: items as XML, and the NODATA value as text.

use std::fmt::Write;

use crate::elevation::formats::xml;
use crate::error::{Error, Result};

/// The most bytes that all names and texts may have.
const MOST_BYTES: usize = 1 << 20;

/// Items that are properties of bands: their names, and the roles by which GDAL knows them.
const OF_BANDS: [(&str, &str); 2] = [("UNITTYPE", "unittype"), ("DESCRIPTION", "description")];

/// # Errors
/// When a name is empty, when a text has a character that XML cannot hold, or when all are too long.
pub(super) fn check(items: &[(String, String)]) -> Result<()> {
    let mut bytes = 0;
    for (name, text) in items {
        let shown: String = name.chars().take(40).collect();
        if name.is_empty() {
            return Err(Error::parameter("metadata", "an item has no name; give it one"));
        }
        if let Some(letter) = xml::forbidden(name).or_else(|| xml::forbidden(text)) {
            let reason = format!(
                "the item `{shown}` has the character U+{:04X}, which a GeoTIFF's XML cannot hold; leave it out",
                u32::from(letter)
            );
            return Err(Error::parameter("metadata", reason));
        }
        bytes += name.len() + text.len();
    }
    if bytes > MOST_BYTES {
        let reason = format!("names and texts have {bytes} bytes; at most {MOST_BYTES} are written");
        return Err(Error::parameter("metadata", reason));
    }
    Ok(())
}

/// # Errors
/// When a NODATA value is infinite, or given for an image of bytes.
pub(super) fn check_nodata(nodata: Option<f32>, of_bytes: bool) -> Result<()> {
    let Some(nodata) = nodata.filter(|nodata| of_bytes || nodata.is_infinite()) else { return Ok(()) };
    let reason = if of_bytes {
        "among bytes, which are averaged; leave it out"
    } else {
        "in this format; give NaN or a finite number such as -9999"
    };
    Err(Error::parameter("nodata", format!("{nodata} cannot mark holes {reason}")))
}

/// The role of an item that is a property of bands, and the one band that it belongs to, counted from 0, if
/// not to all.
fn role(name: &str, bands: usize) -> Option<(&'static str, Option<usize>)> {
    OF_BANDS.iter().find_map(|(own, role)| {
        let number = name.strip_prefix(own)?;
        if number.is_empty() {
            return Some((*role, None));
        }
        let number = number.strip_prefix('_')?.parse().ok().filter(|number| (1..=bands).contains(number))?;
        Some((*role, Some(number - 1)))
    })
}

/// The items that aren't properties of bands.
pub(super) fn of_image(items: &[(String, String)], bands: usize) -> impl Iterator<Item = &(String, String)> {
    items.iter().filter(move |(name, _)| role(name, bands).is_none())
}

/// The text of a property of a band, counted from 0: the last one given for this band, or otherwise for all.
pub(super) fn of_band<'a>(
    items: &'a [(String, String)],
    wanted: &str,
    band: usize,
    bands: usize,
) -> Option<&'a str> {
    let given = |of: Option<usize>| {
        let is_it = |(name, _): &&(String, String)| role(name, bands) == Some((wanted_role(wanted), of));
        items.iter().rev().find(is_it).map(|(_, text)| text.as_str())
    };
    given(Some(band)).or_else(|| given(None))
}

fn wanted_role(name: &str) -> &'static str {
    OF_BANDS.iter().find(|(own, _)| *own == name).map_or("", |(_, role)| role)
}

/// All items as the text of GDAL's tag; `None` without any. Texts, but not names, are escaped twice, as GDAL
/// does and expects it.
pub(super) fn text(items: &[(String, String)], bands: usize) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let mut text = "<GDALMetadata>\n".to_owned();
    for (name, value) in of_image(items, bands) {
        let (name, value) = (xml::escaped(name), xml::escaped(&xml::escaped(value)));
        let _ = writeln!(text, "  <Item name=\"{name}\">{value}</Item>");
    }
    for band in 0..bands {
        for (name, role) in OF_BANDS {
            if let Some(value) = of_band(items, name, band, bands) {
                let value = xml::escaped(&xml::escaped(value));
                let _ = writeln!(
                    text,
                    "  <Item name=\"{name}\" sample=\"{band}\" role=\"{role}\">{value}</Item>"
                );
            }
        }
    }
    Some(text + "</GDALMetadata>\n")
}

/// The text of a NODATA value: exactly the number, whichever precision it is read with.
pub(super) fn nodata(value: f32) -> String {
    let value = f64::from(value);
    if value.is_nan() {
        "nan".to_owned()
    } else if value != 0.0 && !(1e-4..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[(&str, &str)]) -> Vec<(String, String)> {
        items.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn properties_of_bands_have_roles_and_all_else_is_an_item() {
        let items = items(&[
            ("plan", "a<b & \"c\""),
            ("UNITTYPE", "m"),
            ("DESCRIPTION_2", "rock"),
            ("DESCRIPTION_3", "not a band"),
            ("UNITTYPES", "x"),
        ]);
        let text = text(&items, 2).unwrap();
        for line in [
            "<Item name=\"plan\">a&amp;lt;b &amp;amp; &amp;quot;c&amp;quot;</Item>",
            "<Item name=\"DESCRIPTION_3\">not a band</Item>",
            "<Item name=\"UNITTYPES\">x</Item>",
            "<Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">m</Item>",
            "<Item name=\"UNITTYPE\" sample=\"1\" role=\"unittype\">m</Item>",
            "<Item name=\"DESCRIPTION\" sample=\"1\" role=\"description\">rock</Item>",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        assert_eq!(text.matches("<Item").count(), 6, "{text}");
        assert_eq!(super::text(&[], 1), None);
    }

    #[test]
    fn what_xml_cannot_hold_is_refused() {
        for (name, text) in [("a\0", "x"), ("a", "x\u{1b}[2J"), ("a", "x\r\n"), ("", "x"), ("a", "\u{ffff}")]
        {
            let message = check(&items(&[(name, text)])).unwrap_err().to_string();
            assert!(message.starts_with("metadata: ") && !message.contains(char::is_control), "{message}");
        }
        assert!(check(&items(&[("größe", "a\tb\nc & <d>")])).is_ok());
        let long = "x".repeat(MOST_BYTES);
        assert!(check(&items(&[("a", &long[1..])])).is_ok());
        assert!(check(&items(&[("a", &long)])).is_err());
    }

    #[test]
    fn nodata_is_written_exactly() {
        let texts = [-9999.0, 0.0, f32::NAN, 0.1, -32768.0].map(nodata);
        assert_eq!(texts, ["-9999", "0", "nan", "0.10000000149011612", "-32768"]);
        assert_eq!(nodata(f32::MIN), "-3.4028234663852886e38");
        for value in [f32::MIN, f32::MAX, f32::MIN_POSITIVE, 1e-20, 1e16, 123_456.79] {
            assert_eq!(nodata(value).parse::<f64>().unwrap(), f64::from(value));
        }
    }
}
