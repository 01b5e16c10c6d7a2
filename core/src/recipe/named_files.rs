//! The files that a recipe names: where they are, and their content where it doesn't come from a disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Recipe;
use crate::files::{FilePath, Held, Use};
use crate::params::{self, Value};
use crate::texture::Tiling;

impl Recipe {
    /// Sets the folder that relative paths start from.
    pub fn set_folder(&mut self, folder: &Path) {
        self.visit_files(&mut |file, _| file.set_folder(folder));
    }

    /// Paths of the files that the recipe names, starting from the folder set by
    /// [`set_folder`](Self::set_folder): elevation, masks, maps, and the pictures of tiles with the normals
    /// and the roughness that may accompany them. Not all of them need exist.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
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
