//! The program's output: results on standard output, messages on standard error, and why a command failed.

use std::io::Write;

use crate::error::{Error, Result};
use crate::shown::shown;

/// Why a command failed.
pub(super) enum Failure {
    /// The arguments were wrong.
    Usage(String),
    /// The command failed.
    Error(Error),
    /// A bug in this program, with its report.
    Bug(String),
    /// The command failed and has reported it.
    #[cfg(feature = "render")]
    Quiet,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

pub(super) type Outcome = std::result::Result<(), Failure>;

/// Reports a failure in the same form as bad usage.
pub(super) fn report_error(message: &str) {
    say(&format!("error: {message}"));
}

/// Reports information that is not a failure.
pub(super) fn note(message: &str) {
    say(&format!("note: {message}"));
}

/// Prints a message.
pub(super) fn say(message: &str) {
    // Where standard error is closed nothing can be reported about it.
    let _ = writeln!(std::io::stderr(), "{}", shown(message));
}

/// Prints a result. A closed pipe is not an error: the reader wants no more.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    // Untrusted names may contain control sequences of terminals.
    match out.write_all(shown(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", "write", error))
        }
        _ => Ok(()),
    }
}

/// The program's outcome when the window has closed.
#[cfg(feature = "render")]
pub(super) fn ended(exit: bevy::app::AppExit) -> Outcome {
    match exit {
        bevy::app::AppExit::Success => Ok(()),
        bevy::app::AppExit::Error(_) => Err(Failure::Quiet),
    }
}
