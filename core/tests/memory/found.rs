//! Input that once broke something, most of it made by a fuzzer (`fuzz/README.md`): every file of
//! `tests/data/found` goes to everything that reads its kind. To add a case, put a file there.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use upland_core::formats::{self, ReadOptions};
use upland_core::texture::{Picture, Tile, TypeMap};
use upland_core::{DEFAULT_CELL, FilePath, Grid, Recipe, Step, Work};

use crate::{ALLOCATOR, alone, beside};

/// Bytes that none of the files may take.
const MOST_MEMORY: usize = 1 << 30;
/// Far longer than any of the files takes on a busy machine; what hangs is given up.
const PATIENCE: Duration = Duration::from_secs(120);

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/found");
    let mut cases: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_none_or(|extension| extension != "md"));
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

#[test]
fn whatever_broke_once_is_now_read_or_refused() {
    let _alone = alone();
    let mut broken = Vec::new();
    for path in cases() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        let (done, ended) = mpsc::channel();
        std::thread::spawn(move || {
            use_file(&path);
            let _ = done.send(());
        });
        // A panic drops the sender.
        match ended.recv_timeout(PATIENCE) {
            Ok(()) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => broken.push(format!("{name} panics")),
            Err(mpsc::RecvTimeoutError::Timeout) => broken.push(format!("{name} hangs")),
        }
        let taken = ALLOCATOR.peak_usage().saturating_sub(before);
        if taken > MOST_MEMORY {
            broken.push(format!("{name} takes {} MiB", taken >> 20));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Hands a file to everything that reads its kind.
fn use_file(path: &Path) {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ron") => {
            if let Ok(recipe) = Recipe::from_ron(&text(path), "found.ron") {
                comes_back(&recipe);
                let _ = recipe.preview(17).build(&Work::new());
            }
        }
        Some("set") => set(&text(path)),
        extension => {
            if let Ok(raster) = formats::read(path, &ReadOptions::default()) {
                assert!(raster.values().iter().all(|value| value.is_finite()));
                let _ = raster.to_heightfield(DEFAULT_CELL);
            }
            if matches!(extension, Some("png" | "bmp" | "tif")) {
                let picture = Picture::new(FilePath::new(path.to_string_lossy()));
                let _ = picture.over(Grid::new(9, 7, 30.0).unwrap(), &Work::new());
            }
            if matches!(extension, Some("png" | "bmp")) {
                let _ = formats::read_indices(path);
                let _ = formats::read_colours(path);
                let _ = TypeMap::read(path, &[[0, 0, 0]]);
                let _ = Tile::read(path);
            }
        }
    }
}

/// Steps in the first line, then what is set in a recipe of them, one `NAME=VALUE` a line.
fn set(text: &str) {
    let mut lines = text.lines();
    let mut recipe = Recipe::new("found", (17, 17), 30.0);
    recipe.steps.extend(lines.next().unwrap_or_default().split(' ').filter_map(Step::from_name));
    for (path, value) in lines.filter_map(|line| line.split_once('=')) {
        let before = recipe.clone();
        if recipe.set(path, value).is_err() {
            assert_eq!(recipe, before, "what was refused changed nothing");
        }
        comes_back(&recipe);
    }
}

fn comes_back(recipe: &Recipe) {
    let text = recipe.to_ron().unwrap();
    assert_eq!(&Recipe::from_ron(&text, "written.ron").unwrap(), recipe);
}

fn text(path: &Path) -> String {
    String::from_utf8(std::fs::read(path).unwrap()).unwrap()
}

/// Parsers that call themselves run out of stack, which no guard catches.
#[test]
fn deep_nesting_is_refused_also_on_a_small_stack() {
    let _beside = beside();
    let recipe = |steps: &str, rest: &str| {
        format!("(version: 1, name: \"deep\", size: (9, 9), cell: 30, steps: [{steps}]{rest})")
    };
    let deep = 8000;
    let texts = [
        "[".repeat(deep),
        "(".repeat(deep),
        recipe(&"[".repeat(deep), ""),
        recipe(&format!("river(points: {}", "[".repeat(deep)), ""),
        recipe("", &format!(", view: {}", "Some(".repeat(deep))),
        recipe("", &format!(", texture: {}temperate", "sets(sets: [arid, ".repeat(deep))),
    ];
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
        for text in texts {
            assert!(Recipe::from_ron(&text, "deep.ron").is_err());
        }
        let mut recipe = Recipe::new("deep", (9, 9), 30.0);
        let value = format!("{}temperate", "sets(sets: [arid, ".repeat(deep));
        assert!(recipe.set("texture", &value).is_err());
    });
    thread.unwrap().join().unwrap();
}
