//! Shared by the fuzz targets: the laws that every input must keep, and builders of files that pass the first
//! checks of a reader.
//!
//! The laws: no panic reaches the caller, nothing hangs, no input makes the program take more than
//! [`MOST_MEMORY`] at a time, and every refusal has a message that names the file. libFuzzer itself watches
//! for aborts and hangs.

#![forbid(unsafe_code)]

pub mod exr;
pub mod land;
pub mod png;
pub mod tiff;
pub mod windows;

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use peak_alloc::PeakAlloc;
use upland::formats::{self, HeightChannel, ReadOptions};
use upland::texture::{Picture, Tile, TypeMap};
use upland::{FilePath, Grid, Raster, Work};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most bytes that one input may make the program take, all together. The longest input is 16 KiB, and a
/// reader accepts a file that unpacks to 4096 times its length.
pub const MOST_MEMORY: usize = 1 << 30;

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Called once before the first input.
pub fn init() {
    // All work on this thread: passing a few bytes to another one takes longer than reading them.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("nothing has used rayon before");
    // libfuzzer-sys aborts at every panic, even at one in a decoder that a reader catches and reports as an
    // error. Here only panics that reach the caller count; see `guarded`.
    panic::set_hook(Box::new(|info| {
        let trace = std::backtrace::Backtrace::capture();
        LAST_PANIC.set(format!("{info}\n{trace}"));
    }));
}

/// Runs one input and checks the laws.
///
/// # Panics
/// When `input` does, or takes more than [`MOST_MEMORY`].
pub fn guarded(input: impl FnOnce()) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(input)) {
        eprintln!("{}", LAST_PANIC.take());
        panic::resume_unwind(panic);
    }
    let taken = ALLOCATOR.peak_usage().saturating_sub(before);
    if taken > MOST_MEMORY {
        eprintln!("{} MiB of memory were taken at once", taken >> 20);
        std::process::abort();
    }
}

/// Reads elevation in the format of `extension`, and makes land of it.
pub fn read_elevation(extension: &str, bytes: &[u8]) {
    let name = format!("input.{extension}");
    // The length determines the options, so that an input is a real file and nothing else.
    let channels = [
        HeightChannel::Auto,
        HeightChannel::Luma,
        HeightChannel::Red,
        HeightChannel::Green,
        HeightChannel::Blue,
        HeightChannel::Alpha,
        HeightChannel::Mapbox,
        HeightChannel::Terrarium,
    ];
    let options = ReadOptions {
        channel: channels[bytes.len() % channels.len()],
        range: (bytes.len() % 2 == 1).then_some((-100.0, 4000.0)),
        ..ReadOptions::default()
    };
    match formats::read_bytes(&name, bytes, &options) {
        Ok(raster) => use_raster(&raster),
        Err(error) => check_message(&error, &[&name, "range", "cell", "heights"]),
    }
}

/// Reads an SRTM tile: its name is in the first bytes, its heights are the others, over and over.
pub fn read_srtm_tile(bytes: &[u8]) {
    let (name, heights) = bytes.split_at(bytes.len().min(10));
    let name = name.iter().filter(|byte| byte.is_ascii_alphanumeric() || b"+-. ".contains(byte));
    let name: String = name.map(|byte| char::from(*byte)).collect();
    let name = format!("{name}.hgt");
    if heights.is_empty() {
        return;
    }
    // A file of so few bytes cannot be a tile.
    let tile: Vec<u8> = heights.iter().copied().cycle().take(2 * 1201 * 1201).collect();
    match formats::read_bytes(&name, &tile, &ReadOptions::default()) {
        Ok(raster) => use_raster(&raster),
        Err(error) => check_message(&error, &[&name, "heights"]),
    }
}

/// Reads raw numbers with a companion file of these bytes; the first byte chooses its kind.
pub fn read_beside(bytes: &[u8]) {
    let Some((first, text)) = bytes.split_first() else { return };
    let names = ["input.prj", "input.ftw", "input.flt.aux.xml", "input.hdr"];
    let numbers: Vec<u8> = (0..64u8).flat_map(|number| f32::from(number % 11).to_le_bytes()).collect();
    let path = as_file("input.flt", &numbers);
    let beside = as_file(names[usize::from(*first) % names.len()], text);
    match formats::read(&path, &ReadOptions::default()) {
        Ok(raster) => {
            use_raster(&raster);
            assert!(!raster.notes().iter().any(|note| note.contains('\u{1b}')), "{:?}", raster.notes());
        }
        Err(error) => check_message(&error, &[&path.to_string_lossy(), "heights", "cell"]),
    }
    std::fs::remove_file(beside).expect("it can be removed");
}

fn use_raster(raster: &Raster) {
    assert_eq!(raster.values().len(), raster.width() * raster.depth());
    assert!(raster.values().iter().all(|value| value.is_finite()), "all heights are finite");
    match raster.to_heightfield(upland::DEFAULT_CELL) {
        Ok(field) => {
            let ((low, high), (lowest, highest)) = (field.range(), raster.range());
            assert!(lowest <= low && high <= highest, "square cells stay within the file's heights");
        }
        Err(error) => check_message(&error, &[]),
    }
}

/// Checks that a message begins with one of `starts`, or with anything if there are none.
pub fn check_message(error: &upland::Error, starts: &[&str]) {
    let message = error.to_string();
    let fits = starts.is_empty() || starts.iter().any(|start| message.starts_with(start));
    assert!(fits, "the message says what it is about: {message:?}");
}

/// Writes `bytes` to a file called `name`, always the same one in this process, for readers that need files.
pub fn as_file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("the temporary folder can be written to");
    path
}

/// An empty folder of this process.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // In memory where that is possible, because a file is written for each input.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = tempfile::Builder::new().prefix("upland-fuzz-").tempdir_in(place);
        folder.expect("a temporary folder can be made").keep()
    })
}

/// Reads a type map in all possible ways.
pub fn read_type_map(bytes: &[u8]) {
    let name = "input.png";
    match formats::read_indices_from_bytes(name, bytes) {
        Ok(indexed) => {
            assert_eq!(indexed.ids.len(), indexed.width * indexed.depth);
            assert!(indexed.ids.iter().all(|&id| usize::from(id) < indexed.palette.len()));
        }
        Err(error) => check_message(&error, &[name]),
    }
    match formats::read_colours_from_bytes(name, bytes) {
        Ok(coloured) => assert_eq!(coloured.colours.len(), coloured.width * coloured.depth),
        Err(error) => check_message(&error, &[name]),
    }
    for table in [&[][..], &[[0, 0, 0], [255, 255, 255]]] {
        match TypeMap::read_bytes(name, bytes, table) {
            Ok(map) => assert_eq!(map.ids().len(), map.width() * map.depth()),
            Err(error) => check_message(&error, &[name]),
        }
    }
}

/// Reads the picture of a ground texture.
pub fn read_tile(bytes: &[u8]) {
    let path = as_file("tile.png", bytes);
    match Tile::read(&path) {
        Ok(tile) => assert_eq!(tile.colours.len(), tile.width * tile.depth),
        Err(error) => check_message(&error, &[&path.to_string_lossy()]),
    }
}

/// Reads a picture as a mask of a terrain type.
pub fn read_mask(bytes: &[u8]) {
    let tiff = bytes.starts_with(b"II") || bytes.starts_with(b"MM");
    let path = as_file(if tiff { "mask.tif" } else { "mask.png" }, bytes);
    let picture = Picture::new(FilePath::new(path.to_string_lossy()));
    let grid = Grid::new(9, 7, 30.0).expect("a possible grid");
    if let Err(error) = picture.over(grid, &Work::new()) {
        check_message(&error, &[]);
    }
}

/// The bytes of an input as choices of a builder.
pub fn choices(bytes: &[u8]) -> arbitrary::Unstructured<'_> {
    arbitrary::Unstructured::new(bytes)
}
