//! Settings that are kept from one start to the next: quality, theme, and where panels are.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Home, Tab, directories};
use crate::error::{Error, Result};
use crate::files::{self, FileKind, replace_file};
use crate::plugin::Quality;

/// The settings, and the file that they are kept in.
#[derive(Resource, Default)]
pub(crate) struct Settings {
    kept: SavedSettings,
    /// `None` if there is no place for it.
    file: Option<PathBuf>,
}

/// The content of the settings file.
#[derive(Serialize, Deserialize, Clone, Default, Debug, PartialEq)]
#[serde(default)]
pub(crate) struct SavedSettings {
    /// Name of the quality that the user selected or a trial found.
    quality: Option<String>,
    /// Dark or light panels.
    pub theme: Theme,
    /// Where panels are, or were when they were last open.
    pub panels: BTreeMap<Tab, Home>,
    /// Whether a key has been pressed: the hint about flying is no longer shown then.
    pub knows_keys: bool,
    /// Whether the guided tour was taken or declined.
    pub knows_tour: bool,
}

/// Whether panels are dark or light.
#[derive(Serialize, Deserialize, Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    #[default]
    Dark,
    Light,
    /// Follows the system.
    System,
}

impl Settings {
    /// The program's settings. A file that is damaged or cannot be read counts as empty.
    pub fn of_program() -> Self {
        Self::read(directories::settings().map(|folder| folder.join("settings.ron")))
    }

    /// The settings in a file.
    pub fn read(file: Option<PathBuf>) -> Self {
        let read = |path: &PathBuf| {
            let text = String::from_utf8(files::read(path, FileKind::Settings).ok()?).ok()?;
            ron::from_str(&text).ok()
        };
        Self { kept: file.as_ref().and_then(read).unwrap_or_default(), file }
    }

    /// What is kept now.
    pub fn kept(&self) -> &SavedSettings {
        &self.kept
    }

    /// The quality, if the file has one with a known name.
    pub fn quality(&self) -> Option<Quality> {
        self.kept.quality.as_ref()?.parse().ok()
    }

    /// Keeps a quality.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub fn keep_quality(&mut self, quality: Quality) -> Result<()> {
        self.change(|kept| kept.quality = Some(quality.name().to_owned()))
    }

    /// Keeps where panels are.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub fn keep_panels(&mut self, homes: &BTreeMap<Tab, Home>) -> Result<()> {
        if *homes == self.kept.panels {
            return Ok(());
        }
        self.change(|kept| kept.panels = homes.clone())
    }

    /// Changes the settings and writes them to the file.
    ///
    /// # Errors
    /// When they cannot be written; the change still applies until the program ends.
    pub fn change(&mut self, change: impl FnOnce(&mut SavedSettings)) -> Result<()> {
        let before = self.kept.clone();
        change(&mut self.kept);
        let Some(path) = self.file.as_ref().filter(|_| self.kept != before) else { return Ok(()) };
        let text = ron::ser::to_string_pretty(&self.kept, ron::ser::PrettyConfig::default())
            .map_err(|error| Error::file(path, error.to_string()))?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make", error))?;
        }
        replace_file(path, |file| writeln!(file, "{text}").map_err(|error| Error::io(path, "write", error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_there_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/settings.ron");
        let mut settings = Settings::read(Some(file.clone()));
        assert_eq!(settings.kept(), &SavedSettings::default());
        settings.keep_quality(Quality::Medium).unwrap();
        settings.change(|kept| kept.theme = Theme::Light).unwrap();
        settings.keep_panels(&BTreeMap::from([(Tab::Watch, Home::default())])).unwrap();
        let next = Settings::read(Some(file.clone()));
        assert_eq!(next.kept(), settings.kept());
        assert_eq!(next.quality(), Some(Quality::Medium));
    }

    #[test]
    fn a_damaged_file_counts_as_empty_and_a_failure_to_write_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.ron");
        for damaged in ["", "(quality: 3)", "\u{fffd}", "(panels: {Watch: Side(Left, 1e400)", "(theme: Grey)"]
        {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(Settings::read(Some(file.clone())).kept(), &SavedSettings::default(), "{damaged:?}");
        }
        std::fs::write(&file, "(quality: Some(\"best\"))").unwrap();
        assert_eq!(Settings::read(Some(file.clone())).quality(), None);
        let mut nowhere = Settings::read(Some(file.join("below/settings.ron")));
        assert!(nowhere.keep_quality(Quality::Low).is_err());
        assert_eq!(nowhere.quality(), Some(Quality::Low), "it applies until the program ends");
        assert!(Settings::read(None).keep_quality(Quality::Low).is_ok(), "nowhere to keep it");
    }
}
