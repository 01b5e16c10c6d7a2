//! Windows of elevation files: they are parts of the whole, whatever the file's size, and whatever was done
//! to the file is reported.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use upland_core::formats::{self, HeightChannel, ReadOptions};
use upland_core::resize::catmull_rom_limited;
use upland_core::stream::{LandTile, MadeTile, RecipeSource, TileSource};
use upland_core::{
    Cache, CellSize, ElevationFile, ElevationFileOptions, Error, Grid, Heightfield, Raster, Recipe, Window,
    Work,
};

use crate::{alone, beside, measured};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn options(coarse_samples: usize, cache_bytes: usize) -> ElevationFileOptions {
    ElevationFileOptions { coarse_samples, cache_bytes, ..Default::default() }
}

/// Nothing is kept, nothing read ahead.
const BARE: fn() -> ElevationFileOptions = || options(1, 0);

fn open(path: impl AsRef<Path>, options: &ElevationFileOptions) -> upland_core::Result<ElevationFile> {
    ElevationFile::open(path, options, &Work::new())
}

fn window(level: i32, first: [i64; 2], size: [u32; 2]) -> Window {
    Window { level, first, size }
}

/// What a window must hold, of all the samples.
fn expected(
    all: &[f32],
    size: [usize; 2],
    Window { level, first, size: [width, depth] }: Window,
) -> Vec<f32> {
    let place = |axis: usize, offset: u32| {
        let last = ((size[axis] - 1) >> level) as i64;
        first[axis].saturating_add(i64::from(offset)).clamp(0, last) as usize * (1 << level)
    };
    (0..depth)
        .flat_map(|row| (0..width).map(move |column| (column, row)))
        .map(|(column, row)| all[place(1, row) * size[0] + place(0, column)])
        .collect()
}

/// Windows over all of a file, beyond its border, and in it.
fn windows_of([width, depth]: [usize; 2]) -> Vec<Window> {
    let (w, d) = (width as i64, depth as i64);
    let mut windows = Vec::new();
    for level in [0, 1, 2, 3, 5, 16] {
        windows.push(window(level, [0, 0], [width as u32, depth as u32]));
        windows.push(window(level, [-3, -2], [9, 7]));
        windows.push(window(level, [(w - 2) >> level, (d - 3) >> level], [5, 6]));
        windows.push(window(level, [w / 3, d / 2], [1, 1]));
        windows.push(window(level, [i64::MAX, i64::MIN], [2, 3]));
    }
    windows
}

fn elevation_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = [
        "tests/data",
        "tests/data/tiff",
        "tests/data/foreign",
        "tests/data/cases",
        "tests/data/found",
        "assets/elevation",
    ]
    .iter()
    .flat_map(|folder| root.join(folder).read_dir().unwrap())
    .map(|entry| entry.unwrap().path())
    .filter(|path| formats::is_readable(path))
    .collect();
    files.sort();
    assert!(files.len() > 40, "{}", files.len());
    files
}

// ---- Windows are parts of the whole ----

#[test]
fn windows_of_every_file_are_those_of_the_whole() {
    let _beside = beside();
    for path in elevation_files() {
        let Ok(whole) = formats::read(&path, &ReadOptions::default()) else {
            let read = open(&path, &BARE()).and_then(|file| {
                file.raster(window(0, [0, 0], [file.width() as u32, file.depth() as u32]), &Work::new())
            });
            let message = read.unwrap_err().to_string();
            assert!(message.starts_with(&*path.to_string_lossy()), "{message}");
            continue;
        };
        let Ok(land) = whole.to_heightfield(1.0) else {
            let message = open(&path, &BARE()).unwrap_err().to_string();
            assert!(message.contains("times as long as wide"), "{message}");
            continue;
        };
        let size = [whole.width(), whole.depth()];
        // Holes are filled from a coarse field; only if that has all samples they are as in the whole.
        let all_options: &[_] = match whole.filled() {
            0 => &[BARE(), options(1, 1 << 20), options(100, 4096), options(1 << 22, 0)],
            _ => &[options(size[0] * size[1], 0), options(1 << 22, 1 << 20)],
        };
        for options in all_options {
            let file = open(&path, options).unwrap();
            assert_eq!([file.width(), file.depth()], size);
            assert_eq!((file.cell(), file.origin()), (whole.cell(), whole.origin()));
            for window in windows_of(size) {
                let part = file.raster(window, &Work::new()).unwrap();
                let what = format!("{} {window} {options:?}", path.display());
                assert_eq!(part.values(), expected(whole.values(), size, window), "{what}");
            }
            assert_eq!(file.grid(), land.grid(), "{}", path.display());
            let size = [land.grid().width, land.grid().depth];
            for window in windows_of(size) {
                let part = file.read(window, &Work::new()).unwrap();
                let what = format!("{} {window} {options:?}", path.display());
                assert_eq!(part.heights(), expected(land.heights(), size, window), "{what}");
                let cell = f64::from(land.grid().cell) * f64::from(1 << window.level);
                assert_eq!(f64::from(part.grid().cell), cell);
            }
        }
    }
}

#[test]
fn channels_and_ranges_are_those_of_the_whole() {
    let _beside = beside();
    let channels = [HeightChannel::Luma, HeightChannel::Red, HeightChannel::Green, HeightChannel::Blue];
    for name in ["rgb16", "rgb16_planar_tiled", "rgb16_lzw_tiled", "rgb16_lzw_planar", "u16_packbits"] {
        for channel in channels {
            let reading = ReadOptions { channel, range: Some((-100.0, 900.0)), ..ReadOptions::default() };
            let path = data(&format!("tiff/{name}.tif"));
            let whole = formats::read(&path, &reading).unwrap();
            let file = open(&path, &ElevationFileOptions { reading, ..BARE() }).unwrap();
            let all = window(0, [0, 0], [37, 29]);
            assert_eq!(
                file.raster(all, &Work::new()).unwrap().values(),
                whole.values(),
                "{name} {channel:?}"
            );
        }
        let reading = ReadOptions { channel: HeightChannel::Alpha, ..Default::default() };
        let path = data(&format!("tiff/{name}.tif"));
        let refused = open(&path, &ElevationFileOptions { reading, ..BARE() }).unwrap_err();
        assert!(refused.to_string().contains("no alpha channel"), "{refused}");
    }
}

#[test]
fn a_window_lies_where_its_samples_lie() {
    let _beside = beside();
    for name in ["geo_metres_point", "geo_degrees_nodata", "geo_feet"] {
        let file = open(data(&format!("tiff/{name}.tif")), &ElevationFileOptions::default()).unwrap();
        let (x, z) = match file.cell() {
            CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. } => (x, z),
            CellSize::Unknown => panic!("{name}"),
        };
        let Some(origin) = file.origin() else { continue };
        // The place is in the map's units, which may be feet.
        let map = file.place().and_then(|place| place.cell());
        let [on_map_x, on_map_z] = map.unwrap();
        let part = file.raster(window(2, [3, 1], [4, 5]), &Work::new()).unwrap();
        let (CellSize::Metres { x: px, z: pz } | CellSize::Degrees { x: px, z: pz, .. }) = part.cell() else {
            panic!("{name}")
        };
        assert_eq!((px, pz), (4.0 * x, 4.0 * z));
        let place = part.origin().unwrap();
        // The middle of its north-western cell is that of the file's sample (12, 4).
        let east = origin.west + 12.5 * on_map_x;
        let north = origin.south + (file.depth() as f64 - 4.5) * on_map_z;
        let [px, pz] = part.place().and_then(|place| place.cell()).unwrap();
        assert_eq!((px, pz), (4.0 * on_map_x, 4.0 * on_map_z), "{name}");
        assert!((place.west + 0.5 * px - east).abs() < 1e-6 * on_map_x, "{name}");
        assert!((place.south + 4.5 * pz - north).abs() < 1e-6 * on_map_z, "{name}");
    }
}

#[test]
fn a_hole_has_the_same_height_in_every_window() {
    let _beside = beside();
    for name in ["geo_degrees_nodata", "f32_nan"] {
        let path = data(&format!("tiff/{name}.tif"));
        for samples in [4, 30, 300] {
            let file = open(&path, &options(samples, 1 << 16)).unwrap();
            let size = [file.width(), file.depth()];
            let all = file.raster(window(0, [0, 0], size.map(|side| side as u32)), &Work::new()).unwrap();
            let land_size = [file.grid().width, file.grid().depth];
            let land = file.read(window(0, [0, 0], land_size.map(|side| side as u32)), &Work::new()).unwrap();
            // Windows in another order, of a file that has not been read before.
            let file = open(&path, &options(samples, 0)).unwrap();
            for window in windows_of(size).into_iter().rev() {
                let part = file.raster(window, &Work::new()).unwrap();
                assert_eq!(part.values(), expected(all.values(), size, window), "{name} {samples} {window}");
            }
            for window in windows_of(land_size).into_iter().rev() {
                let part = file.read(window, &Work::new()).unwrap();
                assert_eq!(part.heights(), expected(land.heights(), land_size, window), "{name} {window}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_windows_are_parts_of_the_whole(
        which in 0usize..6, level in 0i32..=16, x in -50i64..60, z in -50i64..60,
        width in 1u32..70, depth in 1u32..70, samples in 1usize..2000, cache in 0usize..20_000,
    ) {
        let _beside = beside();
        let name = ["u16_deflate_predictor_tiled", "i16_lzw_tiled", "f32_strips", "f64_tiled_big_endian",
            "rgb16_planar_tiled", "u8_jpeg"][which];
        let path = data(&format!("tiff/{name}.tif"));
        let whole = formats::read(&path, &ReadOptions::default()).unwrap();
        let file = open(&path, &options(samples, cache)).unwrap();
        let window = window(level, [x, z], [width, depth]);
        let part = file.raster(window, &Work::new()).unwrap();
        prop_assert_eq!(part.values(), expected(whole.values(), [37, 29], window));
    }

    #[test]
    fn random_windows_of_raw_files_are_parts_of_the_whole(
        file_width in 1usize..80, file_depth in 1usize..80, level in 0i32..=16, x in -50i64..90,
        z in -50i64..90, width in 1u32..70, depth in 1u32..70,
    ) {
        let _beside = beside();
        let bytes: Vec<u8> = (0..2 * file_width * file_depth).map(|n| (n * n % 251) as u8).collect();
        let reading = ReadOptions { size: Some((file_width, file_depth)), range: Some((-7.0, 300.0)), ..Default::default() };
        let whole = formats::read_bytes("x.raw", &bytes, &reading).unwrap();
        let options = ElevationFileOptions { reading, ..BARE() };
        let file = ElevationFile::from_bytes("x.raw", bytes, &options, &Work::new()).unwrap();
        let window = window(level, [x, z], [width, depth]);
        let part = file.read(window, &Work::new()).unwrap();
        prop_assert_eq!(part.heights(), expected(whole.values(), [file_width, file_depth], window));
    }
}

#[test]
fn however_many_threads_read_at_once_all_get_the_same() {
    let _beside = beside();
    for name in ["u16_deflate_predictor_tiled", "geo_degrees_nodata", "f32_lzw_predictor_tiled"] {
        let path = data(&format!("tiff/{name}.tif"));
        let windows = windows_of([37, 29]);
        let file = open(&path, &options(60, 8192)).unwrap();
        let read = |file: &ElevationFile, window| file.read(window, &Work::new()).unwrap();
        let alone: Vec<Heightfield> = windows.iter().map(|&window| read(&file, window)).collect();
        for threads in [1, 2, 32] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // By threads of the pool's, which also do the decoding, and by others.
            let file = open(&path, &options(60, 8192)).unwrap();
            let by_pool: Vec<Heightfield> = pool.install(|| {
                use rayon::prelude::*;
                windows.par_iter().map(|&window| read(&file, window)).collect()
            });
            assert_eq!(by_pool, alone, "{name} {threads}");
            let file = open(&path, &options(60, 8192)).unwrap();
            std::thread::scope(|scope| {
                for start in 0..threads {
                    let (file, windows, alone) = (&file, &windows, &alone);
                    scope.spawn(move || {
                        for index in (0..windows.len()).map(|index| (index + start) % windows.len()) {
                            assert_eq!(read(file, windows[index]), alone[index]);
                        }
                    });
                }
            });
        }
    }
}

// ---- Files larger than memory ----

/// 2^16.
const SIDE: u64 = 65_536;

/// The height of a sample of the large files, where it isn't 0.
fn hill(column: u64, row: u64) -> u16 {
    ((column * 31 + row * 17) % 65_000) as u16 + 1
}

/// The north-western corners of the patches of 256×256 samples that the large files have.
const PATCHES: [[u64; 2]; 4] = [[0, 0], [512, 32_768], [40_960, 20_480], [65_280, 65_280]];

fn large_height(column: u64, row: u64) -> f32 {
    let inside = |[west, north]: &[u64; 2]| {
        (*west..west + 256).contains(&column) && (*north..north + 256).contains(&row)
    };
    if PATCHES.iter().any(inside) { f32::from(hill(column, row)) } else { 0.0 }
}

/// A raw file of 8 GiB that takes up half a megabyte.
fn large_raw(folder: &Path) -> PathBuf {
    let path = folder.join("large.r16");
    let mut file = File::create(&path).unwrap();
    file.set_len(2 * SIDE * SIDE).unwrap();
    for [west, north] in PATCHES {
        for row in north..north + 256 {
            file.seek(SeekFrom::Start(2 * (row * SIDE + west))).unwrap();
            let line: Vec<u8> =
                (west..west + 256).flat_map(|column| hill(column, row).to_le_bytes()).collect();
            file.write_all(&line).unwrap();
        }
    }
    path
}

/// A TIFF without compression, of tiles or strips of these lengths and places.
struct Tiff {
    size: [u32; 2],
    chunk: [u32; 2],
    tiled: bool,
    compression: u32,
    bits: u32,
    nodata: Option<&'static str>,
    /// For each tile or strip its place and length in `data`, or nothing.
    chunks: Vec<Option<(u32, u32)>>,
    data: Vec<u8>,
}

impl Tiff {
    fn bytes(&self) -> Vec<u8> {
        let (short, long) = (3u16, 4u16);
        let text = self.nodata.map(|text| format!("{text:<5}\0"));
        let count = if self.tiled { 11 } else { 10 } + u32::from(text.is_some());
        let mut tables = 8 + 2 + 12 * count + 4;
        let chunks = self.chunks.len() as u32;
        let one = chunks == 1;
        let offsets_at = tables;
        tables += if one { 0 } else { 4 * chunks };
        let lengths_at = tables;
        tables += if one { 0 } else { 4 * chunks };
        let text_at = tables;
        tables += text.as_ref().map_or(0, |text| text.len() as u32);
        let offset = |chunk: &Option<(u32, u32)>| chunk.map_or(0, |(place, _)| tables + place);
        let length = |chunk: &Option<(u32, u32)>| chunk.map_or(0, |(_, length)| length);
        let value = |at: u32, number: u32| if one { number } else { at };
        let offsets = value(offsets_at, offset(&self.chunks[0]));
        let lengths = value(lengths_at, length(&self.chunks[0]));
        let mut tags = vec![
            (256u16, long, 1, self.size[0]),
            (257, long, 1, self.size[1]),
            (258, short, 1, self.bits),
            (259, short, 1, self.compression),
            (262, short, 1, 1),
            (277, short, 1, 1),
            (339, short, 1, 1),
        ];
        if self.tiled {
            tags.push((322, long, 1, self.chunk[0]));
            tags.push((323, long, 1, self.chunk[1]));
            tags.push((324, long, chunks, offsets));
            tags.push((325, long, chunks, lengths));
        } else {
            tags.push((273, long, chunks, offsets));
            tags.push((278, long, 1, self.chunk[1]));
            tags.push((279, long, chunks, lengths));
        }
        if let Some(text) = &text {
            tags.push((42113, 2, text.len() as u32, text_at));
        }
        tags.sort_by_key(|tag| tag.0);
        assert_eq!(tags.len() as u32, count);
        let mut file = b"II*\0\x08\0\0\0".to_vec();
        file.extend((tags.len() as u16).to_le_bytes());
        for (tag, kind, count, value) in tags {
            file.extend(tag.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(count.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        file.extend([0; 4]);
        if !one {
            self.chunks.iter().for_each(|chunk| file.extend(offset(chunk).to_le_bytes()));
            self.chunks.iter().for_each(|chunk| file.extend(length(chunk).to_le_bytes()));
        }
        file.extend(text.unwrap_or_default().bytes());
        file.extend(&self.data);
        file
    }
}

/// A TIFF of 65,536² samples in tiles of 256×256, most of which are missing.
fn large_tiff(nodata: Option<&'static str>) -> Vec<u8> {
    let mut chunks = vec![None; 256 * 256];
    let mut data = Vec::new();
    for [west, north] in PATCHES {
        chunks[(north / 256 * 256 + west / 256) as usize] = Some((data.len() as u32, 131_072));
        for row in north..north + 256 {
            data.extend((west..west + 256).flat_map(|column| hill(column, row).to_le_bytes()));
        }
    }
    let size = [SIDE as u32; 2];
    Tiff { size, chunk: [256; 2], tiled: true, compression: 1, bits: 16, nodata, chunks, data }.bytes()
}

/// Windows over the large files' patches, borders and all of them.
fn large_windows() -> Vec<Window> {
    let mut windows = vec![
        window(0, [-5, -5], [300, 300]),
        window(0, [65_400, 65_400], [137, 200]),
        window(0, [500, 32_700], [137, 137]),
        window(3, [5000, 2500], [300, 300]),
        window(4, [2540, 1260], [137, 137]),
    ];
    for level in 5..=16 {
        windows.push(window(level, [0, 0], [137, 137]));
        windows.push(window(
            level,
            [i64::from(40_960u32 >> level) - 3, i64::from(20_480u32 >> level) - 3],
            [16, 16],
        ));
    }
    windows
}

fn check_large(file: &ElevationFile, window: Window) {
    let field = file.read(window, &Work::new()).unwrap();
    for row in 0..window.size[1] {
        for column in 0..window.size[0] {
            let last = (SIDE as i64 - 1) >> window.level;
            let place = |axis: usize, offset: u32| {
                ((window.first[axis] + i64::from(offset)).clamp(0, last) as u64) << window.level
            };
            let height = large_height(place(0, column), place(1, row));
            assert_eq!(field.at(column as usize, row as usize), height, "{window}: {column} {row}");
        }
    }
}

#[test]
fn windows_of_a_raw_file_of_8_gib_take_little_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = large_raw(folder.path());
    let ((), mebibytes) = measured(|| {
        let file = open(&path, &ElevationFileOptions::default()).unwrap();
        assert_eq!((file.width() as u64, file.depth() as u64, file.is_loaded()), (SIDE, SIDE, false));
        assert_eq!(file.domain().size(), Some([SIDE as u32; 2]));
        large_windows().into_iter().for_each(|window| check_large(&file, window));
    });
    assert!(mebibytes < 48.0, "{mebibytes}");
    let refused = formats::read(&path, &ReadOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("65536×65536"), "{refused}");
}

#[test]
fn windows_of_a_tiff_of_65536_a_side_take_little_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.tif");
    std::fs::write(&path, large_tiff(None)).unwrap();
    let ((), mebibytes) = measured(|| {
        let file = open(&path, &ElevationFileOptions::default()).unwrap();
        large_windows().into_iter().for_each(|window| check_large(&file, window));
    });
    assert!(mebibytes < 96.0, "{mebibytes}");
    // Opening alone needs no more than the tables of its tiles.
    let (file, mebibytes) = measured(|| open(&path, &ElevationFileOptions::default()).unwrap());
    assert!(mebibytes < 16.0, "{mebibytes}");
    assert_eq!(file.overview(1 << 22), window(5, [0, 0], [2048, 2048]));
}

#[test]
fn missing_tiles_are_holes_if_the_file_says_what_a_hole_is() {
    let _beside = beside();
    let bytes = large_tiff(Some("0"));
    let file = ElevationFile::from_bytes("x.tif", bytes, &Default::default(), &Work::new()).unwrap();
    assert_eq!(file.nodata(), Some(0.0));
    let field = file.read(window(9, [0, 0], [128, 128]), &Work::new()).unwrap();
    // All is filled from the patches.
    assert!(field.range().0 >= 1.0, "{:?}", field.range());
    // Fine windows have the coarse ones' heights, within patches and without.
    for first in [[0, 0], [512, 0], [40_960, 20_480], [30_208, 512]] {
        let fine = file.read(window(0, first, [1025, 1]), &Work::new()).unwrap();
        let coarse = file.read(window(9, first.map(|place| place / 512), [3, 1]), &Work::new()).unwrap();
        for column in 0..3 {
            assert_eq!(fine.at(512 * column, 0), coarse.at(column, 0), "{first:?}");
        }
    }
    let none = Tiff {
        size: [600, 500],
        chunk: [256; 2],
        tiled: true,
        compression: 1,
        bits: 16,
        nodata: Some("0"),
        chunks: vec![None; 6],
        data: vec![],
    };
    let file = ElevationFile::from_bytes("x.tif", none.bytes(), &Default::default(), &Work::new()).unwrap();
    let message = file.read(window(0, [0, 0], [9, 9]), &Work::new()).unwrap_err().to_string();
    assert!(message.starts_with("x.tif: has only NODATA"), "{message}");
}

#[test]
fn one_strip_of_gigabytes_is_no_hindrance_if_it_is_not_compressed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strip.tif");
    let size = [30_000, 60_000];
    let strip = Tiff {
        size,
        chunk: size,
        tiled: false,
        compression: 1,
        bits: 16,
        nodata: None,
        chunks: vec![Some((0, 2 * 30_000 * 60_000 - 1))],
        data: vec![],
    };
    let header = strip.bytes();
    let mut file = File::create(&path).unwrap();
    file.write_all(&header).unwrap();
    file.seek(SeekFrom::Start(header.len() as u64 + 2 * (30_000 * 45_678 + 12_345))).unwrap();
    file.write_all(&777u16.to_le_bytes()).unwrap();
    file.set_len(header.len() as u64 + 2 * 30_000 * 60_000).unwrap();
    let (field, mebibytes) = measured(|| {
        let file = open(&path, &ElevationFileOptions::default()).unwrap();
        file.read(window(0, [12_340, 45_670], [100, 100]), &Work::new()).unwrap()
    });
    assert_eq!((field.at(5, 8), field.range()), (777.0, (0.0, 777.0)));
    assert!(mebibytes < 100.0, "{mebibytes}");
}

// ---- Tiles of recipes that show them ----

/// A recipe that shows a large file, half as high and 10 m lower, with these steps after that.
fn recipe_of(path: &Path, steps: &str) -> Recipe {
    let name = path.file_name().unwrap().to_str().unwrap();
    let text = format!(
        "(version: 1, name: \"Large\", size: (65536, 65536), cell: 2, water: (sea: true, sea_level: -9), steps: \
         [import(file: \"{name}\", scale: 0.5, bias: -10), {steps}])"
    );
    let mut recipe = Recipe::from_ron(&text, "large.ron").unwrap();
    recipe.set_folder(path.parent().unwrap());
    recipe
}

fn source_of(recipe: Recipe, cache: &Cache) -> upland_core::Result<RecipeSource> {
    RecipeSource::new(recipe, cache, 0.1, vec![vec![0, 1], vec![2, 3]], &Work::new())
}

/// The tile of a level that has a sample of level 0 in its north-western part.
fn tile_at(level: i32, [column, row]: [u64; 2]) -> LandTile {
    let at = |place: u64| if level < 0 { place << -level } else { place >> level } as i32 / 128;
    LandTile { level, column: at(column), row: at(row) }
}

/// The samples of a tile with their places at level 0, if there are samples and land.
fn samples_of(made: &MadeTile) -> Vec<([u64; 2], f32)> {
    let tile = made.tile;
    let place = |index: i64| {
        let apart = 1 << -tile.level.min(0);
        (index % apart == 0).then_some((index / apart) << tile.level.max(0))
    };
    let inside = |place: &i64| (0..SIDE as i64).contains(place);
    let first = tile.first_sample();
    let mut samples = Vec::new();
    for row in -4..132 {
        let Some(z) = place(first[1] + row).filter(inside) else { continue };
        for column in -4..132 {
            if let Some(x) = place(first[0] + column).filter(inside) {
                samples.push(([x as u64, z as u64], made.height(column, row)));
            }
        }
    }
    samples
}

/// Tiles around the large files' patches and corners, at all levels.
fn large_tiles() -> Vec<LandTile> {
    let places = [[0, 0], [640, 32_900], [41_100, 20_500], [65_535, 65_535], [65_535, 0]];
    (-4..=9).rev().flat_map(|level| places.map(|place| tile_at(level, place))).collect()
}

/// All that was made of a tile, as bits.
fn bits_of(made: &MadeTile) -> (Vec<u32>, Vec<[u8; 4]>, Vec<[u8; 4]>) {
    let heights = made.heights.iter().map(|height| height.to_bits()).collect();
    (heights, made.texels.colours.clone(), made.texels.weights.to_vec())
}

#[test]
fn tiles_over_files_larger_than_memory_agree_at_all_levels_and_take_little_memory() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let raw = large_raw(folder.path());
    let tiff = folder.path().join("large.tif");
    std::fs::write(&tiff, large_tiff(None)).unwrap();
    let mut made_of: Vec<Vec<_>> = Vec::new();
    for path in [raw, tiff] {
        let (all, mebibytes) = measured(|| {
            let cache = Cache::new(64 << 20);
            let source = source_of(recipe_of(&path, ""), &cache).unwrap();
            assert_eq!((source.shape().coarsest, source.shape().finest), (9, -5));
            let mut all = Vec::new();
            for tile in large_tiles() {
                let made = source.make(tile, &Work::new()).unwrap();
                let samples = samples_of(&made);
                assert!(samples.len() > 5, "{tile:?}");
                for ([column, row], height) in samples {
                    let expected = large_height(column, row) * 0.5 - 10.0;
                    assert_eq!(height, expected, "{tile:?}: {column} {row}");
                }
                all.push(bits_of(&made));
            }
            all
        });
        assert!(mebibytes < 192.0, "{mebibytes} {}", path.display());
        made_of.push(all);
    }
    assert_eq!(made_of[0], made_of[1], "it is the same land, whatever its file");
}

#[test]
fn tiles_finer_than_a_file_agree_with_each_other_and_with_windows() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe_of(&large_raw(folder.path()), "fbm(height: 3, frequency: 500, blend: add)");
    let cache = Cache::default();
    let source = source_of(recipe.clone(), &cache).unwrap();
    for level in [-1, -3, -5] {
        let coarse = source.make(tile_at(level + 1, [41_100, 20_600]), &Work::new()).unwrap();
        let fine = source.make(tile_at(level, [41_100, 20_600]), &Work::new()).unwrap();
        let offset = [0, 1].map(|axis| {
            let [coarse, fine] = [&coarse, &fine].map(|made| made.tile.first_sample()[axis]);
            fine / 2 - coarse
        });
        for (x, z) in [(0, 0), (17, 5), (64, 64), (3, 60)] {
            assert_eq!(fine.height(2 * x, 2 * z), coarse.height(offset[0] + x, offset[1] + z), "{level}");
        }
        let window = fine.tile.window(4);
        let field = recipe.build_window(window, &Cache::new(0), &Work::new()).unwrap().heights;
        assert_eq!(field.heights(), &*fine.heights, "{level}");
    }
}

#[test]
fn the_number_of_threads_and_what_was_made_before_change_no_bit_of_a_tile() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.tif");
    std::fs::write(&path, large_tiff(Some("0"))).unwrap();
    let recipe = recipe_of(&path, "gaussian()");
    let tiles: Vec<_> = large_tiles().into_iter().step_by(3).collect();
    let made_by = |threads: usize, tiles: &[LandTile]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let source = source_of(recipe.clone(), &Cache::default()).unwrap();
        pool.install(|| -> Vec<_> {
            tiles.iter().map(|tile| bits_of(&source.make(*tile, &Work::new()).unwrap())).collect()
        })
    };
    let one = made_by(1, &tiles);
    let mut many = made_by(32, &tiles.iter().rev().copied().collect::<Vec<_>>());
    many.reverse();
    for ((tile, one), many) in tiles.iter().zip(one).zip(many) {
        assert!(one == many, "{tile:?}");
    }
}

#[test]
fn what_happens_to_a_file_while_tiles_are_made_is_told() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = large_raw(folder.path());
    let tile = |level| LandTile { level, column: 0, row: 0 };
    let said = |source: &RecipeSource| {
        [9, 3, 0, -4].map(|level| {
            let message = source.make(tile(level), &Work::new()).unwrap_err().to_string();
            assert!(message.contains("large.r16"), "{message}");
            message
        })
    };
    let renew = || {
        let _ = std::fs::remove_file(&path);
        large_raw(folder.path());
        let source = source_of(recipe_of(&path, ""), &Cache::default()).unwrap();
        source.make(tile(3), &Work::new()).unwrap();
        source
    };
    let is_told = |source: &RecipeSource, what: &str| {
        for message in said(source) {
            assert!(message.contains(what), "{message}");
        }
    };
    let source = renew();
    File::options().write(true).open(&path).unwrap().set_len(SIDE * SIDE).unwrap();
    is_told(&source, "became shorter while it was open, 4 GiB instead of 8 GiB; open it again");
    let source = renew();
    std::fs::remove_file(&path).unwrap();
    is_told(&source, "was removed or renamed while it was open");
    // Nor can it be opened any more.
    let error = source_of(recipe_of(&path, ""), &Cache::default()).unwrap_err().to_string();
    assert!(error.contains("large.r16") && error.contains("no such file"), "{error}");
    #[cfg(unix)]
    {
        let source = renew();
        let other = folder.path().join("other");
        std::fs::rename(large_raw(folder.path()), &other).unwrap();
        std::fs::copy(data("tiff/u8.tif"), &path).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(source.make(tile(0), &Work::new()).is_err());
    }
    // A source that is made again shows what is there now.
    std::fs::remove_file(&path).unwrap();
    File::create(&path).unwrap().set_len(2 * SIDE * SIDE).unwrap();
    let cache = Cache::default();
    let source = source_of(recipe_of(&path, ""), &cache).unwrap();
    assert_eq!(source.make(tile(0), &Work::new()).unwrap().height(5, 5), -10.0);
    large_raw(folder.path());
    let source = source_of(recipe_of(&path, ""), &cache).unwrap();
    let height = source.make(tile(0), &Work::new()).unwrap().height(5, 5);
    assert_eq!(height, large_height(5, 5) * 0.5 - 10.0);
}

#[test]
fn steps_that_must_know_all_of_the_land_are_refused_by_name_where_there_is_too_much() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = large_raw(folder.path());
    for (step, title) in [("normalize()", "Normalise"), ("erode()", "River erosion"), ("river()", "River")] {
        let recipe = recipe_of(&path, step);
        let window = window(0, [0, 0], [9, 9]);
        let message = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap_err().to_string();
        assert!(message.contains("steps.1 (") && message.contains(title), "{message}");
        assert!(message.contains("needs to know all of the land, and 65536×65536 samples"), "{message}");
        let said = source_of(recipe, &Cache::default()).unwrap_err().to_string();
        assert_eq!(said, message);
    }
    // All of it at once cannot be had; the message names what can.
    let message = recipe_of(&path, "").build_heightfield(&Work::new()).unwrap_err().to_string();
    assert!(message.ends_with("are supported; ask for windows of this land"), "{message}");
}

#[test]
fn windows_of_a_small_file_stretched_over_large_land_are_parts_of_the_whole() {
    let _beside = beside();
    let raster =
        formats::read(data("tiff/u16_deflate_predictor_tiled.tif"), &ReadOptions::default()).unwrap();
    let grid = Grid::new(65_536, 1025, 2.0).unwrap();
    let small = Grid::new(raster.width(), raster.depth(), 1.0).unwrap();
    let values = raster.into_values().iter().map(|value| value * 0.5 - 10.0).collect();
    let whole = catmull_rom_limited(&Heightfield::new(small, values).unwrap(), grid, &Work::new()).unwrap();
    let mut recipe = recipe_of(&data("tiff/u16_deflate_predictor_tiled.tif"), "");
    recipe.size = (65_536, 1025);
    let cache = Cache::default();
    for level in [0, 1, 4, 9] {
        let window = window(level, [40_000 >> level, 1000 >> level], [30, 1]);
        let field = recipe.build_window(window, &cache, &Work::new()).unwrap().heights;
        for column in 0..30 {
            let expected = whole.at((window.first[0] as usize + column) << level, 1000 >> level << level);
            assert!((field.at(column, 0) - expected).abs() <= expected.abs() * 1e-6, "{level} {column}");
            // Scaling by a power of two rounds nothing, and neither does a small whole number.
            let finer = Window {
                level: -3,
                first: [(window.first[0] + column as i64) << (level + 3), 8000],
                size: [1, 1],
            };
            let finer = recipe.build_window(finer, &cache, &Work::new()).unwrap().heights.at(0, 0);
            if level == 0 {
                assert_eq!(finer, field.at(column, 0));
            }
        }
    }
}

#[test]
fn a_recipe_of_a_file_larger_than_memory_is_made_without_reading_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = large_raw(folder.path());
    let (recipe, mebibytes) = measured(|| Recipe::open(&path).unwrap());
    assert_eq!(
        (recipe.size, recipe.cell, recipe.water.sea),
        ((65_536, 65_536), upland_core::DEFAULT_CELL, false)
    );
    assert!(mebibytes < 48.0, "{mebibytes}");
    // A preview of it is made from some of its samples.
    let (preview, mebibytes) = measured(|| recipe.preview(257).build_heightfield(&Work::new()).unwrap());
    assert_eq!(preview.at(0, 0), large_height(0, 0));
    assert_eq!(preview.at(256, 256), large_height(SIDE - 1, SIDE - 1));
    assert!(mebibytes < 64.0, "{mebibytes}");
}

// ---- What nobody should have written ----

#[test]
fn windows_are_refused_just_outside_what_is_possible_and_not_just_inside() {
    let _beside = beside();
    let file = open(data("tiff/u8.tif"), &ElevationFileOptions::default()).unwrap();
    let read = |window| file.read(window, &Work::new());
    for level in [0, 16] {
        assert!(read(window(level, [0, 0], [1, 1])).is_ok());
    }
    for (wrong, says) in [
        (window(-1, [0, 0], [1, 1]), "window: level -1 is outside 0 to 16"),
        (window(17, [0, 0], [1, 1]), "window: level 17"),
        (window(0, [0, 0], [0, 1]), "window: 0×1 samples hold nothing"),
        (window(0, [0, 0], [1, 0]), "window: 1×0 samples hold nothing"),
        (window(0, [0, 0], [32_768, 32_769]), "at most 32768×32768"),
        (window(0, [0, 0], [u32::MAX, u32::MAX]), "at most 32768×32768"),
    ] {
        for message in [read(wrong).unwrap_err(), file.raster(wrong, &Work::new()).unwrap_err()] {
            assert!(message.to_string().contains(says), "{message}");
        }
    }
    let of = |default_cell| ElevationFileOptions { default_cell, ..Default::default() };
    assert_eq!(open(data("tiff/u8.tif"), &of(2.5)).unwrap().grid().cell, 2.5);
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(open(data("tiff/u8.tif"), &of(cell)).is_err());
    }
    let work = Work::new();
    work.cancel();
    assert!(matches!(file.read(window(0, [0, 0], [9, 9]), &work), Err(Error::Cancelled)));
    assert!(matches!(ElevationFile::open(data("tiff/u8.tif"), &of(1.0), &work), Err(Error::Cancelled)));
}

#[test]
fn raw_files_must_have_the_length_that_their_size_needs() {
    let _beside = beside();
    let of = |bytes: usize, size| {
        let reading = ReadOptions { size, ..Default::default() };
        let options = ElevationFileOptions { reading, ..Default::default() };
        ElevationFile::from_bytes("x.raw", vec![7; bytes], &options, &Work::new())
    };
    assert!(of(72, Some((9, 4))).is_ok() && of(72, None).is_ok());
    for (bytes, size, says) in [
        (71, Some((9, 4)), "72 bytes, but it has 71"),
        (73, Some((9, 4)), "72 bytes, but it has 73"),
        (70, None, "give its size"),
        (0, None, "not a square"),
        (0, Some((0, 9)), "hold nothing"),
        (8, Some((usize::MAX, usize::MAX)), "but it has 8"),
    ] {
        let message = of(bytes, size).unwrap_err().to_string();
        assert!(message.starts_with("x.raw: ") && message.contains(says), "{message}");
    }
}

/// Opens a file in memory and reads all of it, if it isn't large, and a coarse window.
fn use_bytes(
    name: &str,
    bytes: &[u8],
    options: &ElevationFileOptions,
) -> upland_core::Result<Option<Raster>> {
    let file = ElevationFile::from_bytes(name, bytes, options, &Work::new())?;
    file.read(window(9, [0, 0], [137, 137]), &Work::new())?;
    if file.width() * file.depth() > 1 << 20 {
        return Ok(None);
    }
    let all = [file.width() as u32, file.depth() as u32];
    file.raster(window(0, [0, 0], all), &Work::new()).map(Some)
}

#[test]
fn a_file_cut_short_anywhere_is_refused_or_whole() {
    let _beside = beside();
    for path in elevation_files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".tif") || !path.to_string_lossy().contains("/tiff/") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let Ok(Some(whole)) = use_bytes(&name, &bytes, &options(50, 4096)) else { continue };
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 1500) {
            match use_bytes(&name, &bytes[..length], &options(50, 4096)) {
                Ok(part) => assert_eq!(part.unwrap().values(), whole.values(), "{name} {length}"),
                Err(error) => assert!(error.to_string().starts_with(&name), "{error}"),
            }
        }
    }
    let bytes: Vec<u8> = vec![1; 98];
    for length in 0..98 {
        let reading = ReadOptions { size: Some((7, 7)), ..Default::default() };
        let options = ElevationFileOptions { reading, ..Default::default() };
        assert!(use_bytes("x.raw", &bytes[..length], &options).is_err());
    }
}

#[test]
fn sizes_that_lie_cost_no_memory() {
    let _alone = alone();
    let tiff = |size: [u32; 2], chunk: [u32; 2], tiled, compression, chunks: usize| {
        let chunks = vec![Some((0, 20)); chunks];
        Tiff { size, chunk, tiled, compression, bits: 16, nodata: None, chunks, data: vec![9; 40] }.bytes()
    };
    let many = u32::MAX;
    for (bytes, says) in [
        // One column of four billion samples in one strip; in one tile.
        (tiff([1, many], [1, many], false, 1, 1), "cut short"),
        (tiff([1, many], [1, many], false, 8, 1), "windows are read from at most 64 MiB"),
        (tiff([many, 1], [many, 1], false, 1, 1), "windows are read from at most 64 MiB"),
        (tiff([many, many], [many, many], false, 1, 1), "windows are read from at most 64 MiB"),
        (tiff([many, many], [256, 256], true, 1, 1), "damaged"),
        (tiff([9, 9], [many, many], true, 8, 1), "x.tif: "),
        // A block of 64 MiB is accepted (and then found to be short), one of more is not.
        (tiff([40_000, 40_000], [4096, 4096], true, 8, 100), "x.tif: the TIFF is cut short or damaged"),
        (tiff([40_000, 40_000], [4096, 4112], true, 8, 100), "its tiles have 64.2 MiB each"),
    ] {
        let (read, mebibytes) = measured(|| use_bytes("x.tif", &bytes, &Default::default()));
        let message = read.unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
        assert!(mebibytes < 300.0, "{mebibytes} {message}");
    }
    // A tile that says it has gigabytes of packed bytes.
    let bytes = Tiff {
        size: [600, 600],
        chunk: [256; 2],
        tiled: true,
        compression: 8,
        bits: 16,
        nodata: None,
        chunks: vec![Some((0, 3 << 30)); 9],
        data: vec![9; 40],
    };
    let (read, mebibytes) = measured(|| use_bytes("x.tif", &bytes.bytes(), &Default::default()));
    assert!(read.unwrap_err().to_string().starts_with("x.tif: the TIFF is"));
    assert!(mebibytes < 16.0, "{mebibytes}");
}

#[test]
fn infinite_heights_are_told_with_their_place() {
    let _beside = beside();
    let file = open(data("tiff/f32_inf.tif"), &BARE()).unwrap();
    assert!(file.read(window(0, [5, 3], [4, 4]), &Work::new()).is_ok());
    let message = file.read(window(0, [0, 0], [9, 9]), &Work::new()).unwrap_err().to_string();
    assert!(message.contains("f32_inf.tif: the height at column 4, row 3 is inf"), "{message}");
}

#[test]
fn what_happens_to_the_file_while_it_is_open_is_told() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    for name in ["u16_deflate_predictor_tiled.tif", "field.raw"] {
        let path = folder.path().join(name);
        let bytes = if name.ends_with("raw") {
            vec![3; 2 * 64 * 64]
        } else {
            std::fs::read(data("tiff").join(name)).unwrap()
        };
        let renew = || {
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, &bytes).unwrap();
            let file = open(&path, &options(1, 1 << 20)).unwrap();
            file.read(window(0, [0, 0], [9, 9]), &Work::new()).unwrap();
            file
        };
        let said = |file: &ElevationFile| {
            let message = file.read(window(0, [0, 0], [9, 9]), &Work::new()).unwrap_err().to_string();
            assert!(message.starts_with(&*path.to_string_lossy()), "{message}");
            message
        };
        let file = renew();
        File::options().write(true).open(&path).unwrap().set_len(9).unwrap();
        assert!(said(&file).contains("became shorter while it was open, 9 bytes instead of"));
        let file = renew();
        File::options().append(true).open(&path).unwrap().write_all(&[0; 3]).unwrap();
        assert!(said(&file).contains("became longer"));
        let file = renew();
        std::fs::remove_file(&path).unwrap();
        assert!(said(&file).contains("was removed or renamed"));
        std::fs::create_dir(&path).unwrap();
        assert!(said(&file).contains("was replaced"));
        std::fs::remove_dir(&path).unwrap();
        let file = renew();
        let other = folder.path().join("other");
        std::fs::write(&other, &bytes).unwrap();
        std::fs::rename(&other, &path).unwrap();
        #[cfg(unix)]
        assert!(said(&file).contains("was replaced"));
    }
}

#[test]
fn a_survey_can_be_cancelled_and_taken_up_again() {
    let _beside = beside();
    let path = data("tiff/u16_deflate_predictor_tiled.tif");
    let file = open(&path, &options(1000, 0)).unwrap();
    let mut cancelled = 0;
    for after in 0.. {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let work = Work::watched(move |work| {
            if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == after {
                work.cancel();
            }
        });
        match file.read(window(3, [0, 0], [5, 4]), &work) {
            Err(Error::Cancelled) => cancelled += 1,
            read => {
                let whole = formats::read(&path, &ReadOptions::default()).unwrap();
                let expected = expected(whole.values(), [37, 29], window(3, [0, 0], [5, 4]));
                assert_eq!(read.unwrap().heights(), expected);
                break;
            }
        }
    }
    assert!(cancelled > 0);
}
