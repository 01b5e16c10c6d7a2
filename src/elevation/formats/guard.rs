//! What stands around every decoder that is not ours: a panic in it becomes an error.
//!
//! What is known to make a decoder panic is looked for before it is called; this is for the rest.

use std::path::Path;

use crate::compute::panics::without_panic;
use crate::error::{Error, Result};

/// Calls a decoder of the file at `path`. Nothing but the decoder belongs into `decode`: the message
/// of a panic in there is not printed.
///
/// # Errors
/// What `decode` says, and when it panics.
pub(crate) fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    // What a decoder was doing when it panicked is dropped with it.
    without_panic(decode).unwrap_or_else(|said| {
        let reason = "is damaged in a way that its decoder has no words for";
        Err(Error::file(path, format!("{reason} ({said}); save it anew")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_names_the_file() {
        let path = Path::new("odd.png");
        let index = std::hint::black_box(7);
        let error = guarded(path, || Ok([1, 2, 3][index])).unwrap_err().to_string();
        assert!(error.starts_with("odd.png: is damaged") && error.contains("the index is 7"), "{error}");
        assert_eq!(guarded(path, || Ok(5)).unwrap(), 5);
    }
}
