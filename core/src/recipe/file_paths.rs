//! The files that a recipe names: where they are, and their content where it doesn't come from a disk.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Recipe;
use crate::files::{FilePath, Held, Use};
use crate::params::{self, Value};
use crate::steps::filter::Stamp;
use crate::steps::generate::Import;
use crate::texture::Tiling;

impl Recipe {
    /// Sets the folder that relative paths start from.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Sets the folder that relative paths start from, for a recipe that is saved elsewhere: paths that would
    /// mean other files from there are rewritten. A file in the folder gets a path relative to it, any other
    /// an absolute one. Paths of files that are not on the disk stay as they are, and so does all that is
    /// held in memory. Returns how many paths are new.
    pub fn move_to(&mut self, folder: &Path) -> usize {
        let mut moved = 0;
        self.visit_files(&mut |file, purpose| {
            if file.held().is_some() {
                return;
            }
            match files_of(file, purpose).first() {
                Some(path) if path.exists() => moved += usize::from(file.move_to(folder)),
                _ => file.set_folder(folder),
            }
        });
        moved
    }

    /// Paths of the files that the recipe names, starting from the folder set by
    /// [`set_folder`](Self::set_folder): elevation, masks, maps, and the pictures of tiles with the normals
    /// and the roughness that may accompany them. Not all of them need exist.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        // Visiting needs `&mut`, so a clone is visited.
        self.clone().visit_files(&mut |file, purpose| files.extend(files_of(file, purpose)));
        files.sort();
        files.dedup();
        files
    }

    /// Calls `read` for each of the [`files`](Self::files) and keeps the bytes, so that building the recipe
    /// reads nothing from disk: for recipes out of an archive, a network or a program. `read` returns
    /// `None` where there is no such file, and an error if the file cannot be read; building reports it if
    /// it needs the file.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, Work};
    ///
    /// let text = r#"(version: 1, name: "Held", size: (2, 2), cell: 10, steps: [import(file: "a.asc")])"#;
    /// let mut recipe = Recipe::from_ron(text, "held.ron")?;
    /// let grid = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n";
    /// recipe.hold_files(|path| path.ends_with("a.asc").then(|| Ok(grid.as_bytes().into())));
    /// assert_eq!(recipe.build_heightfield(&Work::new())?.heights(), [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn hold_files(
        &mut self,
        mut read: impl FnMut(&Path) -> Option<std::result::Result<Arc<[u8]>, String>>,
    ) {
        self.visit_files(&mut |file, purpose| {
            let paths = files_of(file, purpose).into_iter();
            file.hold(Held::new(paths.filter_map(|path| read(&path).map(|read| (path, read))).collect()));
        });
    }

    /// Keeps the file open that a step imports.
    pub(crate) fn keep_open(&mut self, step: usize, open: &Arc<dyn Any + Send + Sync>) {
        params::each_mut(&mut self.steps[step], &mut |path, _, value| {
            if let Value::File(file) = value
                && [Import::FILE, Stamp::FILE].contains(&path)
            {
                file.keep_open(open.clone());
            }
        });
    }

    /// Renames the files that the recipe names. `rename` is given the files to read for one of its paths: the
    /// first is the one that is named, the others may accompany it. It returns the new path, relative to the
    /// recipe's folder, or `None` to keep the old one.
    #[doc(hidden)]
    pub fn rename_files(&mut self, mut rename: impl FnMut(&[PathBuf]) -> Option<String>) {
        self.visit_files(&mut |file, purpose| {
            if let Some(name) = rename(&files_of(file, purpose)) {
                file.set(name);
            }
        });
    }

    /// Calls `visit` with every file path in the recipe, including empty ones.
    fn visit_files(&mut self, visit: &mut dyn FnMut(&mut FilePath, Use)) {
        for step in &mut self.steps {
            params::each_mut(step, &mut |_, _, value| {
                if let Value::File(file) = value {
                    visit(file, Use::Data);
                }
            });
        }
        self.texture.visit_files(visit);
        for rule in &mut self.scatter {
            params::each_mut(rule, &mut |_, _, value| {
                if let Value::File(file) = value {
                    visit(file, Use::Data);
                }
            });
        }
    }
}

/// The files to read for one path in a recipe.
fn files_of(file: &FilePath, purpose: Use) -> Vec<PathBuf> {
    match purpose {
        _ if file.text().is_empty() => Vec::new(),
        Use::Data => vec![file.on_disk()],
        Use::Tile => Tiling::files(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_that_moves_names_the_same_files() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        let (old, new) = (root.join("old"), root.join("old/new"));
        std::fs::create_dir_all(new.join("maps")).unwrap();
        for name in
            ["beside.asc", "moss.png", "new/maps/inside.png", "new/grass", "twice.asc", "new/twice.asc"]
        {
            std::fs::write(old.join(name), name).unwrap();
        }
        let absolute = old.join("beside.asc").to_str().unwrap().to_owned();
        let text = format!(
            r##"(version: 1, name: "Land", size: (9, 9), cell: 1, steps: [
                import(file: "./beside.asc"), import(file: "twice.asc"), import(file: {absolute:?}),
                import(file: "gone.asc"), import(file: "../elevation/world_height_64.png"), stamp(),
                fbm(mask: image, mask_image: "new/maps/inside.png"),
            ], texture: custom(types: [
                (name: "moss", colour: "#5f7339", tile: (image: "moss.png")),
                (name: "grass", colour: "#5f7339", tile: (image: "grass")),
            ]))"##
        );
        let mut recipe = Recipe::from_ron(&text, "land.ron").unwrap();
        recipe.set_folder(&old);
        let paths = |recipe: &Recipe| {
            let mut paths = Vec::new();
            recipe.clone().visit_files(&mut |file, _| paths.push(file.text().to_owned()));
            paths
        };
        let before = paths(&recipe);
        assert_eq!((recipe.move_to(&old), paths(&recipe)), (0, before.clone()));
        // The same folder with a detour.
        assert_eq!((recipe.move_to(&new.join("..")), paths(&recipe)), (0, before.clone()));
        assert_eq!(recipe.move_to(&new), 4);
        let at = |name: &str| old.join(name).to_str().unwrap().to_owned();
        let expected = [
            at("beside.asc"),
            at("twice.asc"),
            absolute,
            "gone.asc".to_owned(),
            "../elevation/world_height_64.png".to_owned(),
            String::new(),
            "maps/inside.png".to_owned(),
            at("moss.png"),
            // A built-in tile, whatever lies there.
            "grass".to_owned(),
        ];
        assert_eq!(
            paths(&recipe).into_iter().filter(|path| !path.is_empty()).collect::<Vec<_>>(),
            expected.into_iter().filter(|path| !path.is_empty()).collect::<Vec<_>>()
        );
        assert_eq!(recipe.move_to(&new), 0);
    }
}
