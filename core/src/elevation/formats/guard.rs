//! Guards third-party decoders: a panic in one becomes an error.
//!
//! Known causes of panics are checked for before a decoder is called; the guard is for unknown ones.

use std::path::Path;

use crate::compute::panics::without_panic;
use crate::error::{Error, Result};

/// Calls a decoder of the file at `path`. Keep everything else out of `decode`: panic messages are
/// suppressed in it.
///
/// # Errors
/// Those of `decode`, and when it panics.
pub(crate) fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    // Unwind safe: the decoder's state is dropped.
    without_panic(decode).unwrap_or_else(|said| {
        let reason = "is damaged, and its decoder failed";
        Err(Error::file(path, format!("{reason} ({said}); save it again")))
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
