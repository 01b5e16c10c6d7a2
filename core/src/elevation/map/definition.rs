//! Coordinate systems as files define them, kept so that they can be written again.

use std::sync::Arc;

use super::units;
use crate::error::harmless_line;

/// How a file defines its horizontal coordinate system.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::elevation) enum Definition {
    /// By a code of EPSG.
    Code(u16),
    /// By well-known text.
    Text(Arc<str>),
    /// By the keys of GeoTIFF, without those of heights: heights are always written in metres.
    Keys(Arc<Keys>),
}

/// The keys of a GeoTIFF: its three tags.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::elevation) struct Keys {
    /// Number of the key, tag of its value or 0, count, and value or place of it.
    pub(in crate::elevation) entries: Vec<[u16; 4]>,
    pub(in crate::elevation) floats: Vec<f64>,
    pub(in crate::elevation) texts: Vec<u8>,
}

/// The prefix of keys as text.
const KEYS: &str = "geokeys ";
/// The prefix of a code as text.
const CODE: &str = "EPSG:";

impl Definition {
    /// The code of EPSG, if it is known.
    pub(in crate::elevation) fn code(&self) -> Option<u16> {
        match self {
            Self::Code(code) => Some(*code),
            Self::Text(_) => None,
            Self::Keys(keys) => keys.code(),
        }
    }

    /// Its name, for people.
    pub(in crate::elevation) fn name(&self) -> String {
        let own = match self {
            Self::Code(_) => None,
            Self::Text(text) => text.split('"').nth(1).map(str::to_owned),
            Self::Keys(keys) => keys.name(),
        };
        // The name comes from a file: of bounded length, and without characters that steer a terminal.
        let own = own.map(|name| harmless_line(&name).chars().take(80).collect::<String>());
        match (self.code(), own.filter(|name| !name.trim().is_empty())) {
            (Some(code), _) => format!("EPSG:{code}"),
            (None, Some(name)) => name,
            (None, None) => "without a name".to_owned(),
        }
    }

    /// One line of text that [`of_line`](Self::of_line) reads: `EPSG:32632`, well-known text, or the numbers
    /// of keys.
    pub(in crate::elevation) fn line(&self) -> String {
        match self {
            Self::Code(code) => format!("{CODE}{code}"),
            // One line, since the files in which it is written have lines.
            Self::Text(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Self::Keys(keys) => {
                let entries: Vec<String> =
                    keys.entries.iter().map(|[a, b, c, d]| format!("{a},{b},{c},{d}")).collect();
                let floats: Vec<String> = keys.floats.iter().map(f64::to_string).collect();
                let texts: String = keys
                    .texts
                    .iter()
                    .map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { ' ' })
                    .collect();
                format!("{KEYS}{};{};{texts}", entries.join(" "), floats.join(" "))
            }
        }
    }

    /// Reads the output of [`line`](Self::line); `None` for other text.
    pub(in crate::elevation) fn of_line(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(code) = text.strip_prefix(CODE) {
            return code.parse().ok().filter(|code| units::is_system(*code)).map(Self::Code);
        }
        let Some(keys) = text.strip_prefix(KEYS) else {
            // Any text with a bracket may be WKT; it is parsed when it is used.
            return text.contains(['[', '(']).then(|| Self::Text(text.into()));
        };
        let (entries, rest) = keys.split_once(';')?;
        let (floats, texts) = rest.split_once(';')?;
        let entry = |text: &str| -> Option<[u16; 4]> {
            let numbers: Vec<u16> = text.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            numbers.try_into().ok()
        };
        let entries: Vec<[u16; 4]> = entries.split_ascii_whitespace().map(entry).collect::<Option<_>>()?;
        let floats = floats.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self::Keys(Arc::new(Keys { entries, floats, texts: texts.as_bytes().to_vec() })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_as_they_were_written() {
        let keys = Keys {
            entries: vec![[1024, 0, 1, 1], [3076, 34_736, 1, 0], [3073, 34_737, 5, 0]],
            floats: vec![0.3048, -1e-17],
            texts: b"a; b|".to_vec(),
        };
        for definition in [
            Definition::Code(32_632),
            Definition::Text("PROJCS[\"p\",UNIT[\"metre\",1]]".into()),
            Definition::Keys(Arc::new(keys)),
        ] {
            assert_eq!(Definition::of_line(&definition.line()), Some(definition));
        }
        for text in
            ["", "EPSG:", "EPSG:x", "EPSG:70000", "geokeys ", "geokeys 1,2;;", "geokeys 1,2,3,4;x;", "?"]
        {
            assert_eq!(Definition::of_line(text), None, "{text}");
        }
    }
}
