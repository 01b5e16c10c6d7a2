//! Tests that no lazy static is computed in parallel, here or in the core.
//!
//! A static that waits for rayon while it is initialised can deadlock: the initialising thread takes up other
//! work meanwhile, and if that needs the same static, the thread waits for itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Daylight, Sun};

/// Every file with lazy statics, how many there are, and what fills them all.
const STATICS: &[(&str, usize, fn())] = &[
    ("core/src/sky/atmosphere.rs", 2, || drop(Daylight::new(Sun::default()))),
    ("core/src/noise/lattice.rs", 1, || _ = LazyLock::force(&crate::noise::GRADIENTS)),
    #[cfg(feature = "bevy")]
    ("src/plugin/jobs/job.rs", 1, crate::plugin::start_workers),
    ("core/src/texture/colour/srgb.rs", 2, || {
        LazyLock::force(&crate::texture::LINEAR);
        crate::texture::level_from_linear(0.5);
    }),
];

/// Set in the process that fills the statics: a process does it once.
const ALONE: &str = "UPLAND_TEST_FILLS_STATICS";
/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn every_lazy_static_fills_while_all_threads_of_rayons_are_busy() {
    if std::env::var_os(ALONE).is_some() {
        return fill_while_all_are_busy();
    }
    let name = "lazy_statics::every_lazy_static_fills_while_all_threads_of_rayons_are_busy";
    let mut process = Command::new(std::env::current_exe().unwrap());
    let mut process = process.args(["--exact", name, "--nocapture"]).env(ALONE, "1").spawn().unwrap();
    let start = Instant::now();
    while process.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            process.kill().unwrap();
            panic!("a lazy static waits for rayon; the last one named above");
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(process.wait().unwrap().success());
}

fn fill_while_all_are_busy() {
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    rayon::spawn_broadcast(|_| {
        BUSY.fetch_add(1, Ordering::SeqCst);
        // Until the process ends.
        loop {
            thread::park();
        }
    });
    while BUSY.load(Ordering::SeqCst) < rayon::current_num_threads() {
        thread::yield_now();
    }
    for (file, _, fill) in STATICS {
        eprintln!("filling the lazy statics of {file}");
        fill();
    }
}

#[test]
fn the_list_of_lazy_statics_is_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeMap::new();
    count_in(&root.join("src"), root, &mut found);
    // The core lies next to this crate in the repository, but not where this crate is taken from a registry.
    let core = root.join("core/src");
    let has_core = core.is_dir();
    if has_core {
        count_in(&core, root, &mut found);
    }
    found.retain(|file, _| cfg!(feature = "bevy") || !file.starts_with("src/plugin/"));
    let is_here = |file: &str| has_core || !file.starts_with("core/");
    let listed = STATICS.iter().filter(|(file, ..)| is_here(file));
    let listed = listed.map(|&(file, count, _)| (file.to_owned(), count)).collect();
    assert_eq!(found, listed, "name each file with lazy statics above, and what fills them");
}

/// Counts the lazy statics of all files in a folder, by the files' paths from `root`.
fn count_in(folder: &Path, root: &Path, found: &mut BTreeMap<String, usize>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count_in(&path, root, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let is_lazy = |line: &&str| {
            let line = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            line.starts_with("static ")
                && ["LazyLock<", "OnceLock<", "Lazy<"].iter().any(|t| line.contains(t))
        };
        let count = text.lines().filter(is_lazy).count();
        if count > 0 {
            let name = path.strip_prefix(root).unwrap().components();
            let name: Vec<_> = name.map(|part| part.as_os_str().to_string_lossy()).collect();
            found.insert(name.join("/"), count);
        }
    }
}
