//! How much memory every step takes while it works: at most two fields beside the one that it works on.
//!
//! Each step runs in a process of its own, this test called again, whose peak the system has measured.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

use upland::generate::{Fbm, Generate};
use upland::params::{Params, Value};
use upland::{FilePath, Grid, Heightfield, Mask, MaskKind, Step, Work};

/// Names the step of a process that was called again.
const STEP: &str = "UPLAND_MEMORY_STEP";

/// Samples on a side of the field: its 4 MiB are well above what the system rounds to.
const SIDE: usize = 1025;
const FIELD: usize = 4 * SIDE * SIDE;

/// What does not grow with the field: tables, the threads' blocks of rows; of erosion the rock on its
/// 513² points and the levels of its flood.
const CONSTANT: usize = 3 << 19;

/// Steps that are also done in part, so that the land as it was has to wait beside the new. Erosion is not
/// among them: it takes three fields then.
const MASKED: [&str; 3] = ["fbm masked", "gaussian masked", "warp masked"];

#[test]
fn no_step_takes_more_than_two_further_fields() {
    if let Ok(name) = std::env::var(STEP) {
        println!("further: {}", further(&name));
        return;
    }
    let picture = tempfile::Builder::new().suffix(".r16").tempfile().unwrap();
    fs::write(picture.path(), vec![7; 2 * SIDE * SIDE]).unwrap();
    let mut too_much = Vec::new();
    for name in Step::names().iter().chain(&MASKED) {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_step_takes_more_than_two_further_fields", "--nocapture"])
            .env(STEP, name)
            .env("UPLAND_MEMORY_FILE", picture.path())
            // What is freed goes back to the system at once and is not counted a second time.
            .env("MALLOC_MMAP_THRESHOLD_", "65536")
            .env("RAYON_NUM_THREADS", "2")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let further = text.lines().find_map(|line| line.split_once("further: ")?.1.parse::<usize>().ok());
        let further =
            further.unwrap_or_else(|| panic!("{name}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        println!("{name:<28} {:.2} fields", further as f64 / FIELD as f64);
        if further > 2 * FIELD + CONSTANT {
            too_much.push((name, further));
        }
    }
    assert!(too_much.is_empty(), "of {FIELD} bytes a field: {too_much:?}");
}

/// Bytes that a step takes at the most beside its field.
fn further(name: &str) -> usize {
    let (name, mask) = match name.strip_suffix(" masked") {
        Some(name) => (name, Mask { mask: MaskKind::Noise, ..Mask::default() }),
        None => (name, Mask::default()),
    };
    let mut step = Step::from_name(name).unwrap();
    step.mask = mask;
    step.visit(&mut |param, value| {
        if let (Value::File(file), "file") = (value, param.name) {
            *file = FilePath::new(std::env::var("UPLAND_MEMORY_FILE").unwrap());
        }
    });
    // Once on little land, so that what is only made once is there.
    let mut little = land(129);
    step.apply(&mut little, 1, &Work::new()).unwrap();
    let mut field = land(SIDE);
    let before = status("VmRSS:");
    step.apply(&mut field, 1, &Work::new()).unwrap();
    status("VmHWM:").saturating_sub(before)
}

fn land(side: usize) -> Heightfield {
    // Mostly above the sea, so that erosion has much to do.
    let mut field = Fbm::default().generate(Grid::new(side, side, 10.0).unwrap(), 2, &Work::new()).unwrap();
    field.heights_mut().iter_mut().for_each(|height| *height += 300.0);
    field
}

/// A number of bytes out of what the system knows of this process.
fn status(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}
