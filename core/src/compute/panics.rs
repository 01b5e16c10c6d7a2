//! Turns panics of decoders and of steps into errors.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is about to become an error.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `run` and catches a panic. While it runs, panic messages of this thread are not printed, so keep
/// everything else out of `run`. After a panic, whatever `run` was changing is left partly changed.
///
/// # Errors
/// The panic's message.
pub fn without_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    be_quiet_when_guarded();
    // Calls may be nested: the inner one must not end the silence of the outer one.
    let outer = GUARDED.replace(true);
    // Unwind-safe, because the caller accepts what `run` leaves partly changed.
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    result.map_err(|panic| said(&*panic).to_owned())
}

/// The message of a panic.
pub fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    // `panic!` with a literal throws a `&str`, with arguments a `String`.
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it gave no reason")
}

/// Installs a panic hook that prints nothing for guarded threads. All other panics are printed as before;
/// where panics abort the program, they are always printed.
fn be_quiet_when_guarded() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A hook can't be replaced while this thread panics: that would panic again and abort.
        if cfg!(panic = "unwind") && !std::thread::panicking() {
            let tell = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // While a thread ends, its thread-local variables are already gone: such a panic is printed.
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
    fn a_panic_says_what_it_says_and_no_more() {
        let index = std::hint::black_box(7);
        let said = without_panic(|| [1, 2, 3][index]).unwrap_err();
        assert!(said.contains("the index is 7"), "{said}");
        assert!(!GUARDED.get(), "and the guard is off again");
        assert_eq!(without_panic(|| 5), Ok(5));
        let inner = without_panic(|| {
            let _ = without_panic(|| -> u8 { panic!("inside") });
            GUARDED.get()
        });
        assert_eq!(inner, Ok(true), "the outer guard stays");
        assert!(!GUARDED.get());
    }
}
