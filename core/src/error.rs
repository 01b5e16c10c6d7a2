//! The one error type. Each message gives the fact, the value and the remedy.
//!
//! A message may quote a file: bytes that could control a terminal are replaced when it is shown.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What can go wrong in upland.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation on a file failed in the operating system.
    #[error("{}: cannot {action}: {}", name(path), plain(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done to it, such as "read".
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },

    /// A file was read but its content cannot be used, or a format cannot hold what is to be written.
    #[error("{}: {}", name(path), harmless_line(reason))]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be accepted.
        reason: String,
    },

    /// A recipe's text is wrong, at a known place.
    #[error("{}:{line}:{column}: {}", harmless_line(origin), harmless(reason))]
    Recipe {
        /// The name of the file or preset.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong and what would be accepted.
        reason: String,
    },

    /// A parameter, or a combination of parameters, is not accepted.
    #[error("{}: {}", harmless_line(name), harmless(reason))]
    Parameter {
        /// The parameter's path, such as `steps.0.octaves`.
        name: String,
        /// What is wrong and what would be accepted.
        reason: String,
    },

    /// A grid that does not fit into memory, or exceeds what is supported.
    #[error("{width}×{depth} samples {reason}")]
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        depth: usize,
        /// What is wrong and what would be accepted.
        reason: String,
    },

    /// Code that was called, such as a game's own step, has panicked: a bug in it.
    #[error("{}: has failed because of a bug in it: {}", harmless_line(name), harmless(said))]
    Panic {
        /// What it was, such as `steps.0 (waves)`.
        name: String,
        /// The panic's message.
        said: String,
    },

    /// The work was cancelled by its owner.
    #[error("cancelled")]
    Cancelled,
}

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An [`Error::Io`] for `path` while doing `action`.
    pub fn io(path: impl AsRef<Path>, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.as_ref().to_owned(), action, source }
    }

    /// An [`Error::File`] for `path`.
    pub fn file(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::File { path: path.as_ref().to_owned(), reason: reason.into() }
    }

    /// An [`Error::Parameter`] for the parameter called `name`.
    pub fn parameter(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Parameter { name: name.into(), reason: reason.into() }
    }

    /// An [`Error::Panic`] of what is called `name`.
    pub fn panic(name: impl Into<String>, said: impl Into<String>) -> Self {
        Self::Panic { name: name.into(), said: said.into() }
    }

    /// The same error for a part of what `whole` names: its parameter, or what panicked, becomes `whole:
    /// name`.
    pub(crate) fn within(self, whole: &str) -> Self {
        match self {
            Self::Parameter { name, reason } => Self::parameter(format!("{whole}: {name}"), reason),
            Self::Panic { name, said } => Self::panic(format!("{whole}: {name}"), said),
            error => error,
        }
    }
}

/// A copy has the same message. For an error of the operating system it keeps the error number if there is
/// one, otherwise kind and message.
impl Clone for Error {
    fn clone(&self) -> Self {
        match self {
            Self::Io { path, action, source } => {
                // An error of the system is its number; others keep their kind and text, as their inner error
                // can't be copied.
                let copy = || std::io::Error::new(source.kind(), source.to_string());
                let source = source.raw_os_error().map_or_else(copy, std::io::Error::from_raw_os_error);
                Self::Io { path: path.clone(), action, source }
            }
            Self::File { path, reason } => Self::File { path: path.clone(), reason: reason.clone() },
            Self::Recipe { origin, line, column, reason } => {
                Self::Recipe { origin: origin.clone(), line: *line, column: *column, reason: reason.clone() }
            }
            Self::Parameter { name, reason } => {
                Self::Parameter { name: name.clone(), reason: reason.clone() }
            }
            Self::Size { width, depth, reason } => {
                Self::Size { width: *width, depth: *depth, reason: reason.clone() }
            }
            Self::Panic { name, said } => Self::Panic { name: name.clone(), said: said.clone() },
            Self::Cancelled => Self::Cancelled,
        }
    }
}

/// `text` without characters that affect the text around them: control characters, which begin escape
/// sequences, and marks that reverse text direction. Each becomes U+FFFD; newlines and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    // Reasons may have several lines; names may not, since a line break in one would forge another message.
    replaced(text, |letter| is_harmful(letter) && !matches!(letter, '\n' | '\t'))
}

/// As [`harmless`], on one line.
pub(crate) fn harmless_line(text: &str) -> Cow<'_, str> {
    replaced(text, is_harmful)
}

fn replaced(text: &str, refused: impl Fn(char) -> bool + Copy) -> Cow<'_, str> {
    // Nearly all texts are harmless already, and need no copy.
    if !text.contains(refused) {
        return Cow::Borrowed(text);
    }
    let instead = |letter: char| match letter {
        '\n' | '\t' | '\r' if refused(letter) => ' ',
        letter if refused(letter) => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    Cow::Owned(text.chars().map(instead).collect())
}

/// Whether a character affects the text around it.
pub(crate) fn is_harmful(letter: char) -> bool {
    // Control characters steer terminals; the others are line breaks and changes of the writing direction,
    // which can make a text look like another.
    letter.is_control() || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A path for a message.
fn name(path: &Path) -> String {
    harmless_line(&path.to_string_lossy()).into_owned()
}

/// The system's message without its error number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let short = text.split(" (os error").next().unwrap_or(&text);
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".into(),
        _ => short.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_commands_a_terminal() {
        let bad = "a\u{1b}[2J\u{7}\u{9b}b\u{202e}c\nd";
        let errors = [
            Error::file(bad, bad),
            Error::parameter(bad, bad),
            Error::panic(bad, bad),
            Error::io(bad, "read", std::io::Error::other("full")),
            Error::Recipe { origin: bad.into(), line: 1, column: 1, reason: bad.into() },
        ];
        for error in errors {
            let shown = error.to_string();
            assert!(!shown.contains(|c| is_harmful(c) && c != '\n'), "{shown:?}");
            assert!(shown.starts_with("a\u{fffd}[2J"), "{shown:?}");
        }
        assert!(!Error::file("x", bad).to_string().contains('\n'));
    }

    #[test]
    fn a_copy_says_the_same() {
        let missing = || std::fs::read("/nowhere/at/all").unwrap_err();
        let made = std::io::Error::other("the line is cut");
        for error in [
            Error::io("a.png", "read", missing()),
            Error::io("a.png", "read", made),
            Error::file("a.tif", "is not a picture"),
            Error::Recipe { origin: "a.ron".into(), line: 3, column: 7, reason: "what?".into() },
            Error::parameter("steps.0.octaves", "99 is too many"),
            Error::Size { width: 3, depth: 5, reason: "are too few".into() },
            Error::panic("step", "out of eggs"),
            Error::Cancelled,
        ] {
            let copy = error.clone();
            assert_eq!((copy.to_string(), format!("{copy:?}")), (error.to_string(), format!("{error:?}")));
        }
    }
}
