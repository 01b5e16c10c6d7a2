//! Panics are bugs of this program: they are reported in one line, with what the user can do.

use std::backtrace::BacktraceStatus;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::report::{Failure, Outcome};
use crate::compute::panics::said;

/// The last panic: its message, and the message with its location.
static LAST: Mutex<Option<(String, String)>> = Mutex::new(None);

/// Installs a panic hook that remembers panics instead of printing them; with `RUST_BACKTRACE` set it does
/// both.
pub(super) fn keep_quiet() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::backtrace::Backtrace::capture().status() == BacktraceStatus::Captured {
            print(info);
        }
        let said = said(info.payload()).to_owned();
        let place = info.location().map_or_else(String::new, |place| format!(" ({place})"));
        let with_place = format!("{said}{place}");
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((said, with_place));
    }));
}

/// Runs a command; a panic becomes a failure.
pub(super) fn without_panic(run: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        let said = said(&*panic);
        // Another thread may have panicked in between: the remembered location then belongs to that panic.
        let said =
            last.filter(|(last, _)| last == said).map_or(said.to_owned(), |(_, with_place)| with_place);
        // On one line, as all errors are, so that scripts can read it.
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        Err(Failure::Bug(format!("this is a bug in upland, not a mistake of yours: {said}; {}", remedy())))
    })
}

/// Advice for the user about a bug.
fn remedy() -> String {
    let more = "RUST_BACKTRACE=1 shows more";
    match env!("CARGO_PKG_REPOSITORY") {
        "" => format!("report the command and this line to its makers; {more}"),
        repository => format!("report the command and this line at {repository}; {more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tell;
    use super::*;

    #[test]
    fn a_panic_becomes_one_line_with_a_remedy_and_exit_code_1() {
        for panic in [|| panic!("the land fell"), || panic!("the {}\n  fell", "land")] {
            let outcome: Outcome = without_panic(panic);
            let Err(Failure::Bug(message)) = &outcome else { panic!("not reported as a bug") };
            assert!(message.contains("bug in upland") && message.contains("the land fell"), "{message}");
            assert!(message.contains("RUST_BACKTRACE=1") && message.lines().count() == 1, "{message}");
            assert_eq!(tell(outcome), 1);
        }
    }

    #[test]
    fn a_panic_on_the_threads_of_a_pool_is_reported_as_well() {
        use rayon::prelude::*;
        let outcome = without_panic(|| {
            (0..100).into_par_iter().for_each(|row| assert!(row != 50, "row {row} fell"));
            Ok(())
        });
        assert!(matches!(outcome, Err(Failure::Bug(message)) if message.contains("row 50 fell")));
    }

    #[test]
    fn failures_without_a_panic_stay_as_they_are() {
        assert!(without_panic(|| Ok(())).is_ok());
        assert_eq!(tell(without_panic(|| Err(Failure::Usage("no".into())))), 2);
    }
}
