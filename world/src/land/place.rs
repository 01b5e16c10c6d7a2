//! The place of a plan: a folder of this machine or an address, with or without the name of its document.

use std::path::{Path, PathBuf};

use upland_core::{Error, FilePath, Result};

use crate::plan::PLAN;

/// A plan's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlanPlace {
    Folder(PathBuf),
    Address(String),
}

impl PlanPlace {
    /// The place with this name, relative to the current folder.
    pub(super) fn of(name: &str) -> Self {
        Self::of_file(&FilePath::new(name))
    }

    /// The place that a recipe names.
    pub(super) fn of_file(file: &FilePath) -> Self {
        if file.is_address() {
            let address = file.text().trim_end_matches('/');
            return Self::Address(
                address.strip_suffix(PLAN).unwrap_or(address).trim_end_matches('/').to_owned(),
            );
        }
        let path = file.on_disk();
        let is_document = path.file_name().is_some_and(|name| name == PLAN) && !path.is_dir();
        let folder = if is_document { path.parent().unwrap_or(Path::new("")).to_owned() } else { path };
        Self::Folder(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder })
    }

    /// Its document as a recipe names it: an absolute path, or an address.
    ///
    /// # Errors
    /// When the path is not Unicode.
    pub(super) fn document(&self) -> Result<String> {
        match self {
            Self::Address(address) => Ok(format!("{address}/{PLAN}")),
            Self::Folder(folder) => {
                let path = std::path::absolute(folder).unwrap_or_else(|_| folder.clone()).join(PLAN);
                path.to_str().map(str::to_owned).ok_or_else(|| {
                    Error::file(
                        &path,
                        "has a name that is not Unicode, which a recipe cannot name; rename it",
                    )
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_with_or_without_its_document() {
        let address = PlanPlace::Address("s3://bucket/große berge".into());
        for name in
            ["s3://bucket/große berge", "s3://bucket/große berge/", "s3://bucket/große berge/plan.json"]
        {
            assert_eq!(PlanPlace::of(name), address);
        }
        assert_eq!(address.document().unwrap(), "s3://bucket/große berge/plan.json");
        assert_eq!(PlanPlace::of("plan.json"), PlanPlace::Folder(".".into()));
        assert_eq!(PlanPlace::of("a/b"), PlanPlace::of("a/b/plan.json"));
        let mut file = FilePath::new("b/plan.json");
        file.set_folder(Path::new("a"));
        assert_eq!(PlanPlace::of_file(&file), PlanPlace::Folder("a/b".into()));
    }
}
