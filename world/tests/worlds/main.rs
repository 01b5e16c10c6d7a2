//! Planned worlds as a whole: plans, tiles, and what may be wrong with them.

mod damage;
mod files;
mod land;
mod plans;
mod server;
mod tiles;

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use upland_core::formats::{self, ReadOptions};
use upland_core::{Raster, Recipe, Work};
use upland_world::{NewPlan, PassKind, Plan, Status, Store, Worker, status};

/// A recipe of land of this size with these steps, as they are written in a file.
fn recipe(size: &str, steps: &str) -> Recipe {
    let text = format!(
        r#"(version: 1, name: "Land", seed: 3, size: {size}, cell: 20, steps: [{steps}], texture: arid)"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// A plan in a folder of its own.
struct Planned {
    folder: TempDir,
    worker: Worker,
}

impl Planned {
    fn new(recipe: &Recipe, new: &NewPlan) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // A name as people give it.
        let root = folder.path().join("große Welt");
        let store = Arc::new(Store::folder(&root));
        assert!(new.draw(recipe, &Work::new()).unwrap().write(&store).unwrap());
        let worker = Worker::open(store.clone(), Plan::read(&store).unwrap(), false, &Work::new()).unwrap();
        Self { folder, worker }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("große Welt")
    }

    /// Makes all that is missing, and returns how many tiles that were.
    fn work(&self) -> usize {
        let passes: Vec<PassKind> = self.worker.plan().passes.iter().map(|pass| pass.kind).collect();
        let mut made = 0;
        for pass in passes {
            let todo = self.status_of(&[pass]).passes[0].to_make();
            made += todo.len();
            todo.into_iter().for_each(|tile| _ = self.worker.run(pass, tile, &Work::new()).unwrap());
        }
        made
    }

    fn status(&self) -> Status {
        self.status_of(&PassKind::ALL)
    }

    fn status_of(&self, passes: &[PassKind]) -> Status {
        status(&self.worker, passes, 0..u32::MAX, &Work::new()).unwrap()
    }

    /// The values of a tile.
    fn raster(&self, key: &str) -> Raster {
        read(&self.root().join(key))
    }
}

fn read(path: &Path) -> Raster {
    formats::read(path, &ReadOptions::default()).unwrap()
}
