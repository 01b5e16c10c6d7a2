//! The files of a plan's recipe: copied into the plan, so that workers on any machine have them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use upland_core::{Error, Recipe, Result};

use super::document::{Plan, PlanFile, hex};
use crate::store::Store;

/// Digits of a file's hash in the name of its folder.
const DIGITS: usize = 16;

/// The variable with the folder of files that are copied from a store.
const CACHE: &str = "UPLAND_CACHE";

/// A file to be copied into a plan.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileCopy {
    pub(super) from: PathBuf,
    pub(super) file: PlanFile,
}

/// Renames the files of a recipe as the objects of a plan are called, and returns what is to be copied there.
/// Files that are built into the program are not copied.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn take_files(recipe: &mut Recipe) -> Result<Vec<FileCopy>> {
    let mut copies: Vec<FileCopy> = Vec::new();
    let mut failed = None;
    recipe.rename_files(|paths| {
        // What isn't there is built in, or is reported when the recipe is built.
        let main = paths.first().filter(|path| path.is_file())?;
        match taken(main, paths) {
            Ok(taken) => {
                let key = taken.first().map(|copy| copy.file.key.clone());
                copies.extend(taken);
                key
            }
            Err(error) => {
                failed.get_or_insert(error);
                None
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    copies.sort_by(|a, b| a.file.cmp(&b.file));
    copies.dedup();
    Ok(copies)
}

/// A file with those that accompany it, in a folder of its own.
fn taken(main: &Path, paths: &[PathBuf]) -> Result<Vec<FileCopy>> {
    let (_, hash) = hash_of(main)?;
    let folder = format!("files/{}", &hash[..DIGITS]);
    let mut all: Vec<PathBuf> = paths.iter().filter(|path| path.is_file()).cloned().collect();
    all.extend(companions(main));
    let (first, others) = all.split_at(1);
    let mut others = others.to_vec();
    others.sort();
    others.dedup();
    let copied = first.iter().chain(&others).map(|path| {
        let (bytes, sha256) = hash_of(path)?;
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            let reason = "has a name that is not Unicode, which a plan cannot name; rename it";
            return Err(Error::file(path, reason));
        };
        let file = PlanFile { key: format!("{folder}/{name}"), bytes, sha256 };
        Ok(FileCopy { from: path.clone(), file })
    });
    copied.collect()
}

/// Files next to a raster that say more of it: its coordinate system, world file, header, mask.
fn companions(main: &Path) -> Vec<PathBuf> {
    let Some((folder, stem)) = main.parent().zip(main.file_stem()) else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let stem = format!("{}.", stem.to_string_lossy());
    let is_companion = |name: &str| {
        let Some(rest) = name.strip_prefix(&stem) else { return false };
        let extension = rest.rsplit('.').next().unwrap_or(rest).to_ascii_lowercase();
        let is_world_file =
            (3..=4).contains(&extension.len()) && extension.ends_with('w') && extension != "raw";
        is_world_file
            || ["prj", "wld", "hdr", "msk"].contains(&extension.as_str())
            || rest.to_ascii_lowercase().ends_with("aux.xml")
    };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_companion));
    named.map(|entry| folder.join(entry.file_name())).filter(|path| path.is_file() && path != main).collect()
}

/// The length of a file and the SHA-256 of its bytes.
fn hash_of(path: &Path) -> Result<(u64, String)> {
    let failed = |error| Error::io(path, "read", error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut bytes, mut part) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        let count = file.read(&mut part).map_err(failed)?;
        if count == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&part[..count]);
        bytes += count as u64;
    }
}

impl Plan {
    /// The recipe with its files in place: those in a folder are read there, those in a bucket are copied to
    /// this machine first. With `checked` their bytes are trusted, because another process has compared them.
    ///
    /// # Errors
    /// When a file is missing or differs from the one that was planned with.
    pub fn open_recipe(&self, store: &Store, checked: bool) -> Result<Recipe> {
        let mut recipe = self.parsed_recipe()?;
        if self.files.is_empty() {
            return Ok(recipe);
        }
        let root = match store.as_folder() {
            Some(folder) => folder.to_owned(),
            None => cache_folder().join(format!("plan-{}", &self.hash[..DIGITS])),
        };
        for file in &self.files {
            let path = file.key.split('/').fold(root.clone(), |path, name| path.join(name));
            let is_right = || match fs::metadata(&path) {
                Ok(about) if about.len() != file.bytes => Ok(false),
                Ok(_) => Ok(checked || hash_of(&path)?.1 == file.sha256),
                Err(_) => Ok(false),
            };
            if is_right()? {
                continue;
            }
            if store.as_folder().is_none() {
                copy_here(store, file, &root)?;
            }
            if !is_right()? {
                return Err(store.error(
                    &file.key,
                    "is missing, or is not the file that was planned with; put that one back (SHA-256 "
                        .to_owned()
                        + &file.sha256
                        + "), or plan again into another place",
                ));
            }
        }
        recipe.set_folder(&root);
        Ok(recipe)
    }
}

/// Copies a file from a store to a folder of this machine.
fn copy_here(store: &Store, file: &PlanFile, root: &Path) -> Result<()> {
    /// Bytes that are read at a time.
    const PART: u64 = 64 << 20;

    // A store over the folder: it writes whole files, also where two processes do so at the same time.
    let here = Store::folder(root);
    let folder =
        tempfile::tempdir().map_err(|error| Error::io(root, "make a temporary folder for", error))?;
    let path = folder.path().join("file");
    let failed = |error| Error::io(&path, "write", error);
    let mut whole = File::create(&path).map_err(failed)?;
    for from in (0..file.bytes).step_by(PART as usize) {
        let Some(part) = store.get_range(&file.key, from, PART)? else {
            return Err(store.error(&file.key, "is missing; plan again into another place"));
        };
        std::io::Write::write_all(&mut whole, &part).map_err(failed)?;
    }
    drop(whole);
    here.put_file(&file.key, &path)
}

/// Where files of plans in stores are kept on this machine.
pub(crate) fn cache_folder() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    of(CACHE)
        .or_else(|| of("XDG_CACHE_HOME").map(|folder| folder.join("upland")))
        .or_else(|| of("LOCALAPPDATA").map(|folder| folder.join("upland")))
        .or_else(|| of("HOME").map(|folder| folder.join(".cache/upland")))
        .unwrap_or_else(|| std::env::temp_dir().join("upland"))
}
