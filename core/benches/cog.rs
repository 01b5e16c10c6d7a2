//! How fast land becomes a Cloud Optimized GeoTIFF on disk, on all cores, beside GDAL's `gdal_translate -of COG`,
//! which must be installed, from the same samples.
//!
//! `cargo bench -p upland_core --bench cog -- --ratios` takes turns between the two and prints the medians,
//! their ratio, and the sizes of both files. Without `--ratios` criterion measures each alone. A word after it
//! chooses the contests that contain it, such as `-- --ratios 8192`.

mod contest;

use std::path::Path;
use std::process::Command;

use contest::{Clock, Contest, Timed, on_processor, timed, wall};
use rayon::ThreadPoolBuilder;
use upland_core::formats::cog::{self, CogImage, CogSamples};
use upland_core::formats::{self, WriteOptions};
use upland_core::generate::Fbm;
use upland_core::{Cache, Preset, Raster, Recipe, Step, Window, Work};

/// GDAL's options for deflate as it is used by default, and with predictors.
const DEFLATE: &[&str] = &["COMPRESS=DEFLATE"];
const PREDICTED: &[&str] = &["COMPRESS=DEFLATE", "PREDICTOR=YES"];

fn main() {
    if Command::new("gdal_translate").arg("--version").output().is_err() {
        eprintln!("gdal_translate is not installed; install it, such as by `apt install gdal-bin`");
        std::process::exit(1);
    }
    contest::run(contests().into_iter());
}

fn contests() -> Vec<Contest> {
    let mut contests = Vec::new();
    for side in [2048, 8192] {
        for (land, name) in [(highlands as fn(u32) -> Vec<f32>, "highlands"), (fractal, "fractal")] {
            for options in [DEFLATE, PREDICTED] {
                let heights = move || Samples::Heights(land(side));
                contests.push(beside_gdal(name, side, heights, options));
            }
        }
        let colours = move || Samples::Colours(colours(side));
        contests.push(beside_gdal("colours", side, colours, PREDICTED));
    }
    contests.push(beside_plain(2048));
    contests
}

/// Samples of a square image.
enum Samples {
    Heights(Vec<f32>),
    Colours(Vec<u8>),
}

impl Samples {
    fn image(&self, side: usize) -> CogImage<'_> {
        let samples = match self {
            Self::Heights(heights) => CogSamples::Heights(heights),
            Self::Colours(values) => CogSamples::Bytes { channels: 3, values },
        };
        CogImage { width: side, depth: side, samples, place: None, nodata: None, metadata: &[] }
    }

    /// Writes them as a raw file that GDAL reads.
    fn write(&self, side: usize, path: &Path) {
        let (bytes, bands, kind) = match self {
            Self::Heights(heights) => {
                (heights.iter().flat_map(|height| height.to_le_bytes()).collect(), 1, 4)
            }
            Self::Colours(colours) => (colours.clone(), 3, 1),
        };
        std::fs::write(path, bytes).expect("room on the disk");
        let header = format!(
            "ENVI\nsamples = {side}\nlines = {side}\nbands = {bands}\nheader offset = 0\nfile type = ENVI Standard\n\
             data type = {kind}\ninterleave = bip\nbyte order = 0\n"
        );
        std::fs::write(path.with_extension("hdr"), header).expect("room on the disk");
    }
}

/// Our writer beside GDAL's with these creation options.
fn beside_gdal(
    name: &str,
    side: u32,
    samples: impl FnOnce() -> Samples + 'static,
    options: &'static [&'static str],
) -> Contest {
    let side = side as usize;
    let name = format!("{name} {side}², gdal_translate {}", options.join(" "));
    let shown = name.clone();
    Contest {
        name,
        aim: "aim: at least as fast, at most 5 % larger",
        prepare: Box::new(move || {
            let (folder, samples) = (tempfile::tempdir().expect("a folder"), samples());
            let [raw, theirs, ours] =
                ["in.raw", "theirs.tif", "ours.tif"].map(|name| folder.path().join(name));
            samples.write(side, &raw);
            gdal(&raw, &theirs, options);
            write(&samples.image(side), &ours);
            let [their_bytes, our_bytes] =
                [&theirs, &ours].map(|path| std::fs::metadata(path).expect("a file").len());
            let share = our_bytes as f64 / their_bytes as f64;
            println!("{shown}: {our_bytes} bytes, GDAL's {their_bytes}, {share:.3} times");
            let translate: Timed =
                Box::new(move |clock: Clock| timed(clock, || gdal(&raw, &theirs, options)));
            let encode: Timed = Box::new(move |clock: Clock| {
                // The folder is here so that it lasts as long as the contest.
                let ours = folder.path().join("ours.tif");
                timed(clock, || write(&samples.image(side), &ours))
            });
            [translate, encode]
        }),
        clock: wall,
        samples: side * side,
    }
}

/// On one thread, the bytes of the same land as an ordinary GeoTIFF on disk, which has no overviews.
fn beside_plain(side: u32) -> Contest {
    Contest {
        name: format!("highlands {side}² on one thread, plain GeoTIFF"),
        aim: "",
        prepare: Box::new(move || {
            let folder = tempfile::tempdir().expect("a folder");
            let heights = highlands(side);
            let side = side as usize;
            let raster = Raster::new(side, side, heights.clone(), Default::default()).expect("a raster");
            let path = folder.path().join("plain.tif");
            let plain: Timed = Box::new(move |clock: Clock| {
                let write = || formats::write(&path, &raster, &WriteOptions::default()).expect("a file");
                timed(clock, write)
            });
            let samples = Samples::Heights(heights);
            let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            let write = move |clock: Clock| {
                let path = folder.path().join("cog.tif");
                let image = samples.image(side);
                pool.install(|| timed(clock, || write(&image, &path)))
            };
            [plain, Box::new(write)]
        }),
        clock: on_processor,
        samples: (side * side) as usize,
    }
}

fn gdal(from: &Path, to: &Path, options: &[&str]) {
    let mut command = Command::new("gdal_translate");
    command.args(["-q", "-of", "COG", "-co", "NUM_THREADS=ALL_CPUS"]);
    options.iter().for_each(|option| {
        command.args(["-co", option]);
    });
    assert!(command.arg(from).arg(to).status().expect("GDAL").success());
}

fn write(image: &CogImage, path: &Path) {
    let bytes = cog::encode(image, &Work::new()).expect("an image that is supported");
    std::fs::write(path, bytes).expect("room on the disk");
}

/// Endless land with a warp, gullies and rough ground.
fn highlands(side: u32) -> Vec<f32> {
    window(&Preset::find("endless-highlands").expect("a preset").recipe().expect("a recipe"), side)
}

/// One fractal.
fn fractal(side: u32) -> Vec<f32> {
    let mut recipe = Recipe::new("Fractal", (side, side), 10.0);
    recipe.unit = Some(20_000.0);
    recipe.steps.push(Step::new(Fbm { height: 1200.0, octaves: 12.0, ..Fbm::default() }));
    window(&recipe, side)
}

fn window(recipe: &Recipe, side: u32) -> Vec<f32> {
    let window = Window { level: 0, first: [0, 0], size: [side, side] };
    let ground = recipe.build_window(window, &Cache::default(), &Work::new()).expect("land");
    ground.heights.into_heights()
}

/// The highlands from green over grey to white, shaded from the west.
fn colours(side: u32) -> Vec<u8> {
    let heights = highlands(side);
    let rows = heights.chunks_exact(side as usize);
    let colours = rows.flat_map(|row| {
        (0..row.len()).flat_map(|column| {
            let (height, slope) = (row[column], (row[column] - row[column.saturating_sub(1)]) / 12.0);
            let (share, light) = ((height / 1500.0).clamp(0.0, 1.0), 0.75 + 0.25 * slope.clamp(-1.0, 1.0));
            [0.2 + 0.8 * share, 0.4 + 0.6 * share, 0.1 + 0.9 * share].map(|tint| (255.0 * tint * light) as u8)
        })
    });
    colours.collect()
}
