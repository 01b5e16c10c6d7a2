//! Where the system keeps a program's files.

use std::path::PathBuf;

/// The folder for what the program is in the middle of; `None` if the system has none.
pub(super) fn state() -> Option<PathBuf> {
    of_system("LOCALAPPDATA", "XDG_STATE_HOME", ".local/state")
}

/// The folder for settings; `None` if the system has none.
pub(super) fn settings() -> Option<PathBuf> {
    of_system("APPDATA", "XDG_CONFIG_HOME", ".config")
}

/// The folder for what can be made again; `None` if the system has none.
pub(super) fn cache() -> Option<PathBuf> {
    let folder = of_system("LOCALAPPDATA", "XDG_CACHE_HOME", ".cache")?;
    let is_of_macos = cfg!(target_os = "macos");
    let caches = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join("Library/Caches/upland"));
    if is_of_macos { caches() } else { Some(folder) }
}

/// The program's part of the folder that a variable names, on Windows or elsewhere, or else of one at home.
fn of_system(windows: &str, elsewhere: &str, at_home: &str) -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        set(windows)
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        set(elsewhere).or_else(|| set("HOME").map(|home| home.join(at_home)))
    };
    folder.map(|folder| folder.join("upland"))
}
