//! Panics that become errors: those of decoders and of steps.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is about to become an error.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `run`; should it panic, what the panic says. The message of a panic in there is not printed, so
/// nothing else belongs into it. What `run` was changing is half changed then.
///
/// # Errors
/// What the panic says.
pub(crate) fn without_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    be_quiet_when_guarded();
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    result.map_err(|panic| said(&*panic).to_owned())
}

/// What a panic says.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it gave no reason")
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
