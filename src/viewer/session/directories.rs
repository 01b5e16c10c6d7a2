//! Where the system keeps a program's files.

use std::path::PathBuf;

use directories::{BaseDirs, ProjectDirs};

/// The folder for the program's state, such as unsaved work; `None` if the system has none.
pub(crate) fn state() -> Option<PathBuf> {
    let folders = folders()?;
    // Only Linux and similar systems separate state from data.
    Some(folders.state_dir().unwrap_or(folders.data_local_dir()).to_owned())
}

/// The folder for settings; `None` if the system has none.
pub(crate) fn settings() -> Option<PathBuf> {
    Some(folders()?.config_dir().to_owned())
}

/// The folder for what can be computed again; `None` if the system has none.
pub(crate) fn cache() -> Option<PathBuf> {
    Some(folders()?.cache_dir().to_owned())
}

/// The user's own folder, `~`; `None` if the system has none.
pub(crate) fn home() -> Option<PathBuf> {
    Some(BaseDirs::new()?.home_dir().to_owned())
}

fn folders() -> Option<ProjectDirs> {
    // Tests must not touch the files of the user who runs them.
    if cfg!(test) { None } else { ProjectDirs::from("", "", "upland") }
}
