//! What is kept from one start to the next: quality, theme, and where panels stand.

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
    kept: Kept,
    /// `None` where there is no place for it.
    file: Option<PathBuf>,
}

/// What is kept.
#[derive(Serialize, Deserialize, Clone, Default, Debug, PartialEq)]
#[serde(default)]
pub(crate) struct Kept {
    /// Name of the quality that was chosen, or found by a trial.
    quality: Option<String>,
    /// Dark or light panels.
    pub theme: Theme,
    /// Where panels stand, or stood when they were last open.
    pub panels: BTreeMap<Tab, Home>,
    /// Whether a key has been pressed: then the flying hint is no longer shown.
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
    /// As the system has it.
    System,
}

impl Settings {
    /// The program's settings. A file that cannot be read or is damaged holds none.
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
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The quality, if one is kept that is known.
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

    /// Keeps where panels stand.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub fn keep_panels(&mut self, homes: &BTreeMap<Tab, Home>) -> Result<()> {
        if *homes == self.kept.panels {
            return Ok(());
        }
        self.change(|kept| kept.panels = homes.clone())
    }

    /// Changes what is kept.
    ///
    /// # Errors
    /// When it cannot be kept for the next start; the change counts until the end nevertheless.
    pub fn change(&mut self, change: impl FnOnce(&mut Kept)) -> Result<()> {
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
    fn what_is_kept_is_there_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/settings.ron");
        let mut settings = Settings::read(Some(file.clone()));
        assert_eq!(settings.kept(), &Kept::default());
        settings.keep_quality(Quality::Medium).unwrap();
        settings.change(|kept| kept.theme = Theme::Light).unwrap();
        settings.keep_panels(&BTreeMap::from([(Tab::Watch, Home::default())])).unwrap();
        let next = Settings::read(Some(file.clone()));
        assert_eq!(next.kept(), settings.kept());
        assert_eq!(next.quality(), Some(Quality::Medium));
    }

    #[test]
    fn a_damaged_file_holds_nothing_and_what_cannot_be_kept_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.ron");
        for damaged in ["", "(quality: 3)", "\u{fffd}", "(panels: {Watch: Side(Left, 1e400)", "(theme: Grey)"]
        {
            std::fs::write(&file, damaged).unwrap();
            assert_eq!(Settings::read(Some(file.clone())).kept(), &Kept::default(), "{damaged:?}");
        }
        std::fs::write(&file, "(quality: Some(\"best\"))").unwrap();
        assert_eq!(Settings::read(Some(file.clone())).quality(), None);
        let mut nowhere = Settings::read(Some(file.join("below/settings.ron")));
        assert!(nowhere.keep_quality(Quality::Low).is_err());
        assert_eq!(nowhere.quality(), Some(Quality::Low), "it counts until the end");
        assert!(Settings::read(None).keep_quality(Quality::Low).is_ok(), "nowhere to keep it");
    }
}
