//! The one error type. Each message gives the fact, the value and the remedy.

use std::path::{Path, PathBuf};

/// What can go wrong in upland.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation on a file failed in the operating system.
    #[error("{}: cannot {action}: {}", path.display(), plain(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done to it, such as "read".
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },

    /// A file was read but its content cannot be used, or a format cannot hold what is to be written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what would be accepted.
        reason: String,
    },

    /// A recipe's text is wrong, at a known place.
    #[error("{origin}:{line}:{column}: {reason}")]
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
    #[error("{name}: {reason}")]
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
    #[error("{name}: has failed because of a bug in it: {said}")]
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

    /// The same error, whose parameter, or what has panicked, is part of what `whole` names: `whole: name`.
    pub(crate) fn within(self, whole: &str) -> Self {
        match self {
            Self::Parameter { name, reason } => Self::parameter(format!("{whole}: {name}"), reason),
            Self::Panic { name, said } => Self::panic(format!("{whole}: {name}"), said),
            error => error,
        }
    }
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
