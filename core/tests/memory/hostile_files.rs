//! Files that were made to hang, to crash or to fill the memory of whoever reads them, each as small as
//! it can be: they are refused with a message, soon, and for little memory.

use std::path::{Path, PathBuf};

use upland_core::formats::{self, ReadOptions};
use upland_core::texture::{Picture, Tile, TypeMap};
use upland_core::{CellSize, FilePath, Grid, Lesson, Raster, Recipe, Work};

use crate::{alone, beside, measured};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(data(name)).unwrap()
}

fn read_bytes(name: &str, bytes: &[u8]) -> upland_core::Result<Raster> {
    formats::read_bytes(name, bytes, &ReadOptions::default())
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let message = read_bytes(name, bytes).unwrap_err().to_string();
    assert!(message.starts_with(name), "the message names the file: {message}");
    message
}

/// Puts `new` in place of the one `old` that there is.
fn replaced(mut bytes: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(old)).collect();
    assert_eq!((places.len(), old.len()), (1, new.len()));
    bytes[places[0]..][..new.len()].copy_from_slice(new);
    bytes
}

// ---- Files that grow ----

#[test]
fn cells_that_are_needles_are_refused_with_their_numbers() {
    let _alone = alone();
    let text = "ncols 7\nnrows 2\nxllcorner 0\nyllcorner 0\ndx 1\ndy 150000000\n1 2 3 4 5 6 7 7 6 5 4 3 2 1";
    let [dx, dy] = [1.0f64, 150_000_000.0].map(f64::to_le_bytes);
    let tiff = bytes_of("tiff/geo_metres_point.tif");
    let tiff = replaced(tiff, &25.0f64.to_le_bytes(), &dx);
    let tiff = replaced(tiff, &30.0f64.to_le_bytes(), &dy);
    for (name, bytes) in [("x.asc", text.as_bytes()), ("x.tif", &tiff)] {
        let raster = read_bytes(name, bytes).unwrap();
        assert_eq!(raster.cell(), CellSize::Metres { x: 1.0, z: 1.5e8 }, "the file itself can be read");
        let (result, mebibytes) = measured(|| raster.to_heightfield(30.0));
        let message = result.unwrap_err().to_string();
        assert!(message.contains("1 × 150000000 m") && message.contains("at most 64 times"), "{message}");
        assert!(mebibytes < 1.0, "{mebibytes}");
    }
    // At latitude 88 a cell in degrees is 29 times as long as wide: that is still land.
    let polar = CellSize::Degrees { x: 0.001, z: 0.001, latitude: 88.0 };
    let field = Raster::new(3, 5, vec![1.0; 15], polar).unwrap().to_heightfield(1.0).unwrap();
    assert_eq!((field.grid().width, field.grid().depth), (3, 116));
}

/// A planar TIFF of `planes` planes of 8 bits, which all are the one strip behind the header.
fn planes_of_one_strip(side: u32, planes: u16) -> Vec<u8> {
    let (short, long) = (3u16, 4u16);
    let tables = 8 + 2 + 9 * 12 + 4;
    let strip = tables + 2 * u32::from(planes) + 8 * u32::from(planes);
    let tags = [
        (256u16, long, 1, side),
        (257, long, 1, side),
        (258, short, u32::from(planes), tables),
        (259, short, 1, 1),
        (262, short, 1, 1),
        (273, long, u32::from(planes), tables + 2 * u32::from(planes)),
        (277, short, 1, u32::from(planes)),
        (279, long, u32::from(planes), tables + 6 * u32::from(planes)),
        (284, short, 1, 2),
    ];
    let mut file = b"II*\0\x08\0\0\0\x09\0".to_vec();
    for (tag, kind, count, value) in tags {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(u32::to_le_bytes(count));
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]);
    (0..planes).for_each(|_| file.extend(8u16.to_le_bytes()));
    (0..planes).for_each(|_| file.extend(strip.to_le_bytes()));
    (0..planes).for_each(|_| file.extend((side * side).to_le_bytes()));
    assert_eq!(file.len(), strip as usize);
    file.extend((0..side * side).map(|n| (n % 251) as u8));
    file
}

#[test]
fn planes_that_nobody_asked_for_are_not_decoded() {
    let _alone = alone();
    let bytes = planes_of_one_strip(512, 40);
    let (raster, mebibytes) = measured(|| read_bytes("x.tif", &bytes).unwrap());
    assert!((0..512 * 512).all(|n| raster.values()[n] == (n % 251) as f32));
    // A plane of heights is 1 MiB, one of bytes a quarter of that; forty would be fifty.
    assert!(mebibytes < 4.0, "{mebibytes}");
}

/// A TIFF of one column, each row a strip of its own, all of them the same `length` bytes.
fn rows_of_one_strip(rows: u32, length: u32) -> Vec<u8> {
    let tables = 8 + 2 + 8 * 12 + 4;
    let tags = [
        (256u16, 1, 1),
        (257, 1, rows),
        (258, 1, 8),
        (259, 1, 1),
        (262, 1, 1),
        (273, rows, tables),
        (278, 1, 1),
        (279, rows, tables + 4 * rows),
    ];
    let mut file = b"II*\0\x08\0\0\0\x08\0".to_vec();
    for (tag, count, value) in tags {
        file.extend(tag.to_le_bytes());
        file.extend(4u16.to_le_bytes());
        file.extend(u32::to_le_bytes(count));
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]);
    (0..rows).for_each(|_| file.extend((tables + 8 * rows).to_le_bytes()));
    (0..rows).for_each(|_| file.extend(length.to_le_bytes()));
    file.extend(vec![7; length as usize]);
    file
}

#[test]
fn strips_that_share_their_bytes_are_read_but_not_without_end() {
    let _beside = beside();
    let shared = read_bytes("x.tif", &rows_of_one_strip(4000, 100)).unwrap();
    assert!(shared.values().iter().all(|&value| value == 7.0));
    let message = refusal("x.tif", &rows_of_one_strip(4000, 20_000));
    assert!(message.contains("its strips or tiles have 80000000 bytes in all"), "{message}");
}

#[test]
fn a_jpeg_in_a_tiff_may_not_be_larger_than_its_strip() {
    let _alone = alone();
    let bytes = bytes_of("tiff/u8_jpeg.tif");
    let raster = read_bytes("x.tif", &bytes).unwrap();
    assert_eq!((raster.width(), raster.depth()), (37, 29));
    let frame = [0xFF, 0xC0, 0, 11, 8, 0, 29, 0, 37];
    let giant = replaced(bytes, &frame, &[0xFF, 0xC0, 0, 11, 8, 0x40, 0, 0x40, 0]);
    let (message, mebibytes) = measured(|| refusal("x.tif", &giant));
    assert!(message.contains("is a JPEG of 16384×16384"), "{message}");
    assert!(mebibytes < 4.0, "{mebibytes}");
}

// ---- OpenEXR ----

/// A DWA file whose blocks promise `count` in their counter number `index`.
fn dwa_that_promises(file: &str, index: usize, count: u64) -> Vec<u8> {
    let mut bytes = bytes_of(file);
    // Eleven counters, the version 2 first, none of them large.
    let counters = |at: usize| bytes[at..at + 88].as_chunks::<8>().0.iter().map(|n| u64::from_le_bytes(*n));
    let block = |at: &usize| counters(*at).next() == Some(2) && counters(*at).all(|count| count < 1 << 16);
    let place = (0..bytes.len() - 88).find(block).expect("a block");
    bytes[place + 8 * index..][..8].copy_from_slice(&count.to_le_bytes());
    bytes
}

#[test]
fn a_block_of_cosines_takes_no_more_memory_than_its_pixels() {
    let _alone = alone();
    for file in ["foreign/dwaa_r.exr", "foreign/dwab_y.exr", "foreign/dwaa_height.exr"] {
        // The sizes of its four parts unpacked: others, runs packed and not, waves and means.
        for index in [1, 6, 7, 8, 9] {
            for count in [1 << 50, 1 << 33, 1 << 20] {
                let bytes = dwa_that_promises(file, index, count);
                let (message, mebibytes) = measured(|| refusal("x.exr", &bytes));
                assert!(message.contains(&format!("promises {count} numbers")), "{message}");
                assert!(mebibytes < 4.0, "{mebibytes}");
            }
        }
    }
}

#[test]
fn a_recipe_that_comes_upon_such_a_file_says_so() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.exr"), dwa_that_promises("foreign/dwaa_r.exr", 8, 1 << 50))
        .unwrap();
    let text = r#"(version: 1, name: "x", size: (9, 9), cell: 1, steps: [import(file: "bad.exr")])"#;
    std::fs::write(folder.path().join("x.ron"), text).unwrap();
    let recipe = Recipe::read(folder.path().join("x.ron")).unwrap();
    let message = recipe.build_heightfield(&Work::new()).unwrap_err().to_string();
    assert!(message.contains("bad.exr") && message.contains("damaged"), "{message}");
}

#[test]
fn blocks_of_an_exr_may_not_be_read_again_and_again() {
    let _beside = beside();
    // 64 rows in four blocks; the table that says where they are names the first one each time.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.exr");
    let values = (0..64 * 64).map(|n| (n * n % 97) as f32).collect();
    let raster = Raster::new(64, 64, values, CellSize::Unknown).unwrap();
    formats::write(&path, &raster, &Default::default()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(read_bytes("x.exr", &bytes).unwrap().values(), raster.values());
    let table = (0..bytes.len() - 32).find(|&at| {
        let places = bytes[at..at + 32].as_chunks::<8>().0.iter().map(|place| u64::from_le_bytes(*place));
        places.clone().next() == Some(at as u64 + 32) && places.is_sorted()
    });
    let table = table.expect("the table ends where the first block begins");
    let first: [u8; 8] = bytes[table..table + 8].try_into().unwrap();
    bytes[table + 8..table + 16].copy_from_slice(&first);
    assert!(refusal("x.exr", &bytes).contains("chunk offset table"));
}

// ---- PNG ----

/// A chunk without a right checksum in front of it: decoders look at that only where it matters.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    let named = [kind.as_slice(), data].concat();
    let checksum = !named.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step));
    [&(data.len() as u32).to_be_bytes(), named.as_slice(), &checksum.to_be_bytes()].concat()
}

/// A palette image with this palette, however long.
fn png_with_palette(palette: &[u8]) -> Vec<u8> {
    let bytes = bytes_of("world_types_64.png");
    let at = bytes.windows(4).position(|kind| kind == b"PLTE").unwrap() - 4;
    let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    [&bytes[..at], &chunk(b"PLTE", palette), &bytes[at + length + 12..]].concat()
}

#[test]
fn a_palette_that_makes_the_decoder_panic_is_refused_wherever_pictures_are_read() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.png");
    for length in [0, 1, 2, 4, 5, 766, 769, 771, 1024] {
        let bytes = png_with_palette(&vec![7; length]);
        std::fs::write(&path, &bytes).unwrap();
        let said = |error: upland_core::Error| {
            let message = error.to_string();
            assert!(
                message.contains("bad.png") && message.contains(&format!("has {length} bytes")),
                "{message}"
            );
        };
        said(formats::read(&path, &ReadOptions::default()).unwrap_err());
        said(formats::read_indices(&path).unwrap_err());
        said(formats::read_colours(&path).unwrap_err());
        said(Tile::read(&path).unwrap_err());
        said(TypeMap::read(&path, &[[7; 3]]).unwrap_err());
        let mask = Picture::new(FilePath::new(path.to_str().unwrap()));
        said(mask.over(Grid::new(4, 4, 1.0).unwrap(), &Work::new()).unwrap_err());
    }
    assert!(formats::read_indices_from_bytes("x.png", &png_with_palette(&[7; 768])).is_ok());
}

#[test]
fn chunks_by_the_million_are_passed_over_within_the_buffer() {
    let _beside = beside();
    // Each time that the buffer is dropped, its 256 KiB are read again.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chunks.png");
    let bytes = bytes_of("world_height_64.png");
    let (before, after) = bytes.split_at(33);
    let mut long = before.to_vec();
    let tiny = chunk(b"zzZz", b"");
    (0..1_000_000).for_each(|_| long.extend(&tiny));
    long.extend(after);
    std::fs::write(&path, &long).unwrap();
    let before = bytes_read_so_far();
    let raster = formats::read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(raster.values(), read_bytes("x.png", &bytes).unwrap().values());
    if let (Some(before), Some(after)) = (before, bytes_read_so_far()) {
        // Once to look at what stands before the pixels, once to decode.
        assert!(after - before < 4 * long.len() as u64, "{} of {}", after - before, long.len());
    }
}

/// Bytes that this process has asked the system for; `None` where it doesn't tell.
fn bytes_read_so_far() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

// ---- Recipes ----

#[test]
fn recipes_nested_without_end_are_refused() {
    let _alone = alone();
    for open in ["(", "[", "(steps: [", "Some(", "{a: ", "(version: 1, texture: layers([", "/*"] {
        let text = open.repeat(1 << 18);
        let (result, mebibytes) = measured(|| Recipe::from_ron(&text, "x.ron"));
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("x.ron:"), "{message}");
        assert!(mebibytes < 64.0, "{mebibytes}");
    }
}

#[test]
fn lists_in_recipes_have_an_end() {
    let _alone = alone();
    let recipe = |inside: &str| {
        let text = format!(r#"(version: 1, name: "x", size: (9, 9), cell: 1, {inside})"#);
        assert!(text.len() < 16 << 20);
        measured(|| Recipe::from_ron(&text, "x.ron"))
    };
    for (list, entry, most) in [
        ("steps: [@]", "flat(),", 1000),
        ("steps: [], texture: custom(types: [@])", "(name:\"a\"),", 256),
        (
            "steps: [], texture: custom(bands: (list: [@]))",
            "(name:\"a\",colour:\"#000000\",centre:1,range:1),",
            256,
        ),
        ("steps: [], texture: sets(sets: [@])", "arid,", 64),
        ("steps: [], texture: custom(map: (file: \"a.png\", colours: [@]))", "\"#000000\",", 256),
    ] {
        let (allowed, _) = recipe(&list.replace('@', &entry.repeat(most)));
        allowed.unwrap_or_else(|error| panic!("{list}: {error}"));
        for count in [most + 1, (15 << 20) / entry.len()] {
            let (refused, mebibytes) = recipe(&list.replace('@', &entry.repeat(count)));
            let message = refused.unwrap_err().to_string();
            assert!(message.contains(&format!("more than {most} entries")), "{message}");
            assert!(mebibytes < 8.0, "{list}: {mebibytes}");
        }
    }
}

// ---- Lessons ----

#[test]
fn lessons_nested_without_end_are_refused() {
    let _alone = alone();
    for open in ["(", "[", "(pages: [", "Some(", "{a: ", "(version: 1, recipe: inline(", "/*"] {
        let text = open.repeat(1 << 16);
        let (result, mebibytes) = measured(|| Lesson::from_ron(&text, "x.ron"));
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("x.ron:"), "{message}");
        assert!(mebibytes < 64.0, "{mebibytes}");
    }
}

#[test]
fn lists_in_lessons_have_an_end() {
    let _alone = alone();
    for (page, entry, reason) in [
        ("@", "text(\"t\"),", "at most 200 pages"),
        ("question(ask: \"a\", answers: [@], right: 0, reveal: \"r\")", "\"a\",", "more than 100 entries"),
        (
            "question(ask: \"a\", answers: [\"a\", \"b\"], right: 0, show: {@}, reveal: \"r\")",
            "\"seed\": 1,",
            "more than 50 settings",
        ),
    ] {
        let pages = page.replace('@', &entry.repeat((1 << 19) / entry.len()));
        let text = format!(
            "(version: 1, title: \"T\", family: \"F\", recipe: preset(\"downs\"), pages: [{pages}], sources: [])"
        );
        let (refused, mebibytes) = measured(|| Lesson::from_ron(&text, "x.ron"));
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(reason), "{message}");
        assert!(mebibytes < 8.0, "{page}: {mebibytes}");
    }
}

#[test]
fn a_lesson_of_giant_land_is_read_for_little_memory() {
    let _alone = alone();
    let text = "(version: 1, title: \"T\", family: \"F\", recipe: inline(version: 1, name: \"x\", size: (65536, 65536), \
                cell: 1, steps: [fbm()]), pages: [slider(path: \"steps.0.hurst\", label: \"H\", low: 0, high: 1)])";
    let (lesson, mebibytes) = measured(|| Lesson::from_ron(text, "x.ron"));
    assert_eq!(lesson.unwrap().recipe.size, (65536, 65536));
    assert!(mebibytes < 8.0, "{mebibytes}");
}

// ---- The door ----

#[test]
fn what_is_no_file_is_refused_wherever_a_recipe_may_name_one() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let mut strangers = vec![folder.path().to_owned()];
    if cfg!(unix) {
        strangers.push("/dev/zero".into());
        let pipe = folder.path().join("pipe");
        if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            strangers.push(pipe);
        }
    }
    for path in &strangers {
        let said = |error: upland_core::Error| {
            let message = error.to_string();
            let kinds = ["is a folder", "is a device", "is a pipe"];
            assert!(kinds.iter().any(|kind| message.contains(kind)), "{message}");
        };
        said(Recipe::read(path).unwrap_err());
        said(Lesson::read(path).unwrap_err());
        said(Tile::read(path).unwrap_err());
        said(formats::read_indices(path).unwrap_err());
        said(formats::read_colours(path).unwrap_err());
        said(TypeMap::read(path, &[]).unwrap_err());
        let mask = Picture::new(FilePath::new(path.to_str().unwrap()));
        said(mask.over(Grid::new(4, 4, 1.0).unwrap(), &Work::new()).unwrap_err());
    }
    #[cfg(unix)]
    for extension in ["png", "tif", "exr", "asc", "r16", "bmp"] {
        let path = folder.path().join("device").with_extension(extension);
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let message = formats::read(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("is a device"), "{message}");
    }
}

#[test]
fn a_giant_is_refused_as_tile_mask_map_and_recipe() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("giant.png");
    std::fs::File::create(&path).unwrap().set_len(6 << 30).unwrap();
    let said = |error: upland_core::Error| {
        let message = error.to_string();
        assert!(message.contains("has 6 GiB") && message.contains("at most"), "{message}");
    };
    let ((), mebibytes) = measured(|| {
        said(Recipe::read(&path).unwrap_err());
        said(Lesson::read(&path).unwrap_err());
        said(Tile::read(&path).unwrap_err());
        said(formats::read_indices(&path).unwrap_err());
        said(TypeMap::read(&path, &[[0; 3]]).unwrap_err());
        let mask = Picture::new(FilePath::new(path.to_str().unwrap()));
        said(mask.over(Grid::new(4, 4, 1.0).unwrap(), &Work::new()).unwrap_err());
    });
    assert!(mebibytes < 4.0, "{mebibytes}");
}
