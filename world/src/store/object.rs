//! What a store says of its objects, and how addresses are written.

use url::Url;

/// Schemes of places that can be written.
pub(super) const SCHEMES: &str = "s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER";

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Its name, with `/` between folders.
    pub key: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// The beginning of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Its first bytes.
    pub bytes: Vec<u8>,
    /// The length of all of it.
    pub size: u64,
}

/// An address with its letters in place of their codes.
pub(super) fn readable(url: &Url) -> String {
    let text = url.as_str().trim_end_matches('/');
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_with_their_letters() {
        let url = Url::parse("s3://bucket/große berge/").unwrap();
        assert_eq!(readable(&url), "s3://bucket/große berge");
    }
}
