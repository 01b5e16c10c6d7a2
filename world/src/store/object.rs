//! What a store says of its objects, and how addresses are written.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
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
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
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
