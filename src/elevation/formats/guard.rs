//! What stands around every decoder that is not ours: a panic in it becomes an error.
//!
//! What is known to make a decoder panic is looked for before it is called; this is for the rest.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use crate::error::{Error, Result};

thread_local! {
    /// Whether a panic on this thread is about to become an error.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a decoder of the file at `path`. Nothing but the decoder belongs into `decode`: the message
/// of a panic in there is not printed.
///
/// # Errors
/// What `decode` says, and when it panics.
pub(crate) fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    be_quiet_when_guarded();
    let outer = GUARDED.replace(true);
    // What a decoder was doing when it panicked is dropped with it.
    let result = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| {
        let reason = "is damaged in a way that its decoder has no words for";
        Err(Error::file(path, format!("{reason} ({}); save it anew", said(&*panic))))
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it stopped")
}

/// Leaves panics of guarded threads out of what is printed; all others are told as before. Where a
/// panic ends the program it is told in any case.
fn be_quiet_when_guarded() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if cfg!(panic = "unwind") && !std::thread::panicking() {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if !GUARDED.try_with(Cell::get).unwrap_or(false) {
                    tell(panic);
                }
            }));
        }
    });
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
        assert!(!GUARDED.get(), "and the guard is off again");
        assert_eq!(guarded(path, || Ok(5)).unwrap(), 5);
        let inner = guarded(path, || {
            let _ = guarded(path, || -> Result<()> { panic!("inside") });
            assert!(GUARDED.get(), "the outer guard stays");
            Ok(())
        });
        assert!(inner.is_ok() && !GUARDED.get());
    }
}
