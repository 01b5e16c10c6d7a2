//! TIFFs as other programs write them: directions, scales, units, holes, sparse files. What is expected is
//! what GDAL reads; `tests/data/cases/make_tiff.py` makes the files whose names begin with `tiff_`.

use std::path::{Path, PathBuf};

use upland_core::formats::{self, HeightChannel, ReadOptions};
use upland_core::{CellSize, ElevationFile, Origin, Raster, Window, Work};

use crate::beside;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(format!("{name}.tif"))
}

fn read(name: &str) -> Raster {
    formats::read(data(name), &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(data(name)).unwrap()
}

fn read_bytes(bytes: &[u8]) -> upland_core::Result<Raster> {
    formats::read_bytes("x.tif", bytes, &ReadOptions::default())
}

/// The land of all files: 37 × 29 samples, 25 m apart, 100 to 244 m.
fn land() -> Raster {
    let land = read("north_up");
    assert_eq!((land.width(), land.depth(), land.filled()), (37, 29, 0));
    let (low, high) = land.range();
    assert!((low - 100.0).abs() < 1.0 && (high - 244.0).abs() < 1.0, "{low} {high}");
    land
}

/// Checks that heights differ by no more than `most`.
fn check(name: &str, raster: &Raster, land: &Raster, most: f32) {
    assert_eq!((raster.width(), raster.depth()), (land.width(), land.depth()), "{name}");
    for (index, (height, expected)) in raster.values().iter().zip(land.values()).enumerate() {
        assert!((height - expected).abs() <= most, "{name} at {index}: {height}, not {expected}");
    }
}

fn has_note(notes: &[String], words: &str) -> bool {
    notes.iter().any(|note| note.contains(words))
}

/// Metres between columns and between rows.
fn metres(raster: &Raster) -> (f64, f64) {
    raster.cell().in_metres().unwrap()
}

#[test]
fn white_is_zero_heights_are_the_stored_numbers() {
    let _beside = beside();
    check("miniswhite_f32", &read("miniswhite_f32"), &land(), 0.0);
    let steps: Vec<f32> = land().values().iter().map(|height| ((height - 50.0) * 100.0).round()).collect();
    assert_eq!(read("tiff_white_is_zero").values(), steps);
}

#[test]
fn scale_offset_and_unit_of_a_band_are_applied_and_reported() {
    let _beside = beside();
    let land = land();
    let scaled = read("scale_offset");
    check("scale_offset", &scaled, &land, 0.06);
    assert!(has_note(scaled.notes(), "× 0.1"), "{:?}", scaled.notes());
    // The first of two bands is read; NODATA is compared with the stored numbers.
    check("tiff_scales_by_band", &read("tiff_scales_by_band"), &land, 0.006);
    assert!(has_note(read("tiff_scales_by_band").notes(), "first of its 2 bands"));
    let options = ReadOptions { channel: HeightChannel::of("2").unwrap(), ..Default::default() };
    let second = formats::read(data("tiff_scales_by_band"), &options).unwrap();
    assert!((second.at(5, 28) - ((land.at(5, 0) - 50.0) * 300.0 + 7.0)).abs() < 2.0, "{}", second.at(5, 28));
    assert!(!has_note(second.notes(), "first of"), "{:?}", second.notes());
    let options = ReadOptions { channel: HeightChannel::of("3").unwrap(), ..Default::default() };
    let message = formats::read(data("tiff_scales_by_band"), &options).unwrap_err().to_string();
    assert!(message.contains("from 1 to 2"), "{message}");
    let feet = read("tiff_scale_in_feet");
    check("tiff_scale_in_feet", &feet, &land, 0.006);
    assert!(has_note(feet.notes(), "foot"), "{:?}", feet.notes());
    // A range that is asked for is a range of the stored numbers.
    let options = ReadOptions { range: Some((0.0, 65535.0)), ..Default::default() };
    let stored = formats::read(data("scale_offset"), &options).unwrap();
    assert!(stored.range().0 >= 5990.0, "{:?}", stored.range());
}

#[test]
fn holes_are_holes_whatever_says_so() {
    let _beside = beside();
    let land = land();
    // Without a NODATA, nothing is a hole: -9999 m is a height there.
    let empty = read("nodata_empty");
    assert_eq!((empty.filled(), empty.range().0), (0, -9999.0));
    let is_other = |(height, expected): &(&f32, &f32)| height != expected;
    assert_eq!(empty.values().iter().zip(land.values()).filter(is_other).count(), 24);
    assert!(
        empty.values().iter().zip(land.values()).all(|(height, own)| height == own || *height == -9999.0)
    );
    let names = [
        "nodata_rounded",
        "mask_internal",
        "tiff_nan",
        "tiff_mask_tiled",
        "tiff_mask_beside",
        "tiff_alpha",
        "tiff_alpha_planar",
    ];
    for name in names {
        let raster = read(name);
        assert_eq!(raster.filled(), 24, "{name}");
        let file = ElevationFile::open(data(name), &Default::default(), &Work::new()).unwrap();
        let all = Window { level: 0, first: [0, 0], size: [37, 29] };
        assert_eq!(file.raster(all, &Work::new()).unwrap().values(), raster.values(), "{name}");
        let (low, high) = raster.range();
        assert!(
            high - low > 100.0 && low >= if name.contains("alpha") { 4990.0 } else { 99.0 },
            "{name} {low}"
        );
    }
    // Who asks for the alpha channel gets it.
    let options = ReadOptions { channel: HeightChannel::Alpha, ..Default::default() };
    let alpha = formats::read(data("tiff_alpha"), &options).unwrap();
    assert_eq!((alpha.filled(), alpha.range()), (0, (0.0, 65535.0)));
    // A truncated mask is an error and is not ignored.
    let bytes = bytes_of("mask_internal");
    assert!(read_bytes(&bytes[..bytes.len() - 30]).is_err());
}

#[test]
fn north_is_at_the_top_whichever_way_the_rows_run() {
    let _beside = beside();
    let land = land();
    let origin = Origin { west: 500_000.0, south: 4_999_275.0 };
    for name in ["south_up", "tiff_east_west", "tiff_half_turn", "tiff_transposed", "tiff_quarter_turn"] {
        let raster = read(name);
        check(name, &raster, &land, 0.0);
        assert_eq!(raster.cell(), CellSize::Metres { x: 25.0, z: 25.0 }, "{name}");
        assert_eq!(raster.origin(), Some(origin), "{name}");
        assert!(has_note(raster.notes(), "north at the top"), "{name} {:?}", raster.notes());
        // So it is in windows.
        let file = ElevationFile::open(data(name), &Default::default(), &Work::new()).unwrap();
        assert_eq!(file.notes(), raster.notes());
        let window = Window { level: 0, first: [3, 20], size: [11, 7] };
        let part = file.raster(window, &Work::new()).unwrap();
        assert_eq!((part.at(0, 0), part.at(10, 6)), (land.at(3, 20), land.at(13, 26)), "{name}");
        assert_eq!(part.origin(), Some(Origin { west: 500_075.0, south: 4_999_325.0 }), "{name}");
    }
    assert!(land.notes().is_empty(), "{:?}", land.notes());
}

#[test]
fn a_rotated_raster_is_reported_with_what_turns_it() {
    let _beside = beside();
    let raster = read("tiff_rotated");
    assert!(
        has_note(raster.notes(), "30.0°") && has_note(raster.notes(), "gdalwarp"),
        "{:?}",
        raster.notes()
    );
    let (x, z) = metres(&raster);
    assert!((x - 25.0).abs() < 1e-9 && (z - 25.0).abs() < 1e-9 && raster.origin().is_none());
}

#[test]
fn a_cell_size_that_makes_no_sense_does_not_hide_the_heights() {
    let _beside = beside();
    let good = 25.0f64.to_le_bytes().repeat(2);
    let bytes = bytes_of("north_up");
    let at = bytes.windows(16).position(|window| window == good).unwrap();
    for bad in [f64::NAN, 0.0, f64::INFINITY] {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&bad.to_le_bytes());
        let raster = read_bytes(&bytes).unwrap();
        assert_eq!((raster.cell(), raster.values()), (CellSize::Unknown, land().values()));
        assert!(has_note(raster.notes(), "makes no sense"), "{:?}", raster.notes());
    }
    // GDAL doesn't believe in negative depths either.
    let mut bytes = bytes;
    bytes[at + 8..at + 16].copy_from_slice(&(-25.0f64).to_le_bytes());
    let raster = read_bytes(&bytes).unwrap();
    assert_eq!((raster.cell(), raster.values()), (land().cell(), land().values()));
    assert!(has_note(raster.notes(), "sign"), "{:?}", raster.notes());
}

#[test]
fn what_was_never_written_is_0() {
    let _beside = beside();
    for name in ["sparse", "sparse_deflate"] {
        let raster = read(name);
        assert_eq!((raster.width(), raster.depth(), raster.range()), (64, 64, (0.0, 7.0)), "{name}");
        // One tile was.
        for row in 0..64 {
            for column in 0..64 {
                let is_there = (16..32).contains(&column) && (16..32).contains(&row);
                assert!(is_there || raster.at(column, row) == 0.0, "{name}");
            }
        }
        assert!(raster.values().contains(&7.0));
    }
    let strips = read("tiff_sparse_strips");
    let land = land();
    assert_eq!(strips.values()[..37 * 8], land.values()[..37 * 8]);
    assert!(strips.values()[37 * 8..].iter().all(|&height| height == 0.0));
}

#[test]
fn strips_without_lengths_are_read() {
    let _beside = beside();
    check("no_strip_lengths", &read("no_strip_lengths"), &land(), 0.0);
    // Packed ones, too: the tag of the lengths becomes one that nobody knows.
    let mut bytes = bytes_of("tiff_white_is_zero");
    let at =
        bytes.windows(4).position(|window| window == [0x17, 1, 3, 0] || window == [0x17, 1, 4, 0]).unwrap();
    bytes[at..at + 2].copy_from_slice(&65_000u16.to_le_bytes());
    assert_eq!(read_bytes(&bytes).unwrap().values(), read("tiff_white_is_zero").values());
}

#[test]
fn zstd_is_read_with_every_predictor_and_lerc_is_named() {
    let _beside = beside();
    let land = land();
    for name in ["z_zstd_1", "tiff_zstd_f4_2", "tiff_zstd_f4_3", "tiff_zstd_f8_3"] {
        check(name, &read(name), &land, 0.0);
    }
    assert_eq!(read("tiff_zstd_u2_2").values(), read("tiff_white_is_zero").values());
    let message = formats::read(data("tiff_lerc"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(message.contains("LERC") && message.contains("gdal_translate -co COMPRESS=DEFLATE"), "{message}");
    assert!(!message.contains("damaged"), "{message}");
}

#[test]
fn lengths_on_the_map_become_lengths_on_the_ground() {
    let _beside = beside();
    let us_foot = 1200.0 / 3937.0;
    // Name, metres between columns and rows, and what is reported.
    for (name, x, z, note) in [
        ("feet_compound_gdal", 100.0 * us_foot, 100.0 * us_foot, "US survey foot"),
        ("tiff_feet", 30.48, 30.48, "foot"),
        ("tiff_user_feet", 100.0 * us_foot, 100.0 * us_foot, "US survey foot"),
        ("mercator_60n", 25.0, 25.0, "latitude 60.0"),
        // 100 m by the scale factors that PROJ gives.
        ("tiff_mercator_ellipsoid", 62.36, 62.36, "latitude"),
        ("tiff_mercator_by_hand", 62.52, 62.52, "latitude"),
        ("tiff_plate_carree", 50.1, 100.0, "latitude"),
        ("moon_degrees", 472.2, 473.8, "1737.4 km"),
        // By the radii of curvature of its ellipsoid at 49.98° north.
        ("tiff_mars", 382.4876, 591.8908, "3396.19 km"),
    ] {
        let raster = read(name);
        let (east, south) = metres(&raster);
        assert!(
            (east / x - 1.0).abs() < 2e-3 && (south / z - 1.0).abs() < 2e-3,
            "{name}: {east} × {south} m"
        );
        assert!(has_note(raster.notes(), note), "{name}: {:?}", raster.notes());
    }
    // 0.01 grads are 0.009°, and 50 grads are 45°.
    let CellSize::Degrees { x, z, latitude } = read("tiff_grads").cell() else { panic!() };
    assert!((x - 0.009).abs() < 1e-9 && (z - 0.009).abs() < 1e-9 && (latitude - 44.982).abs() < 1e-6);
}

#[test]
fn an_unknown_code_is_reported() {
    let _beside = beside();
    // The coordinate system 32632 becomes one that there isn't, and the unit of its lengths one that there
    // isn't.
    let mut bytes = bytes_of("north_up");
    for (key, code) in [(3072u16, 1999u16), (3076, 8999)] {
        let entry = [key, 0, 1].map(u16::to_le_bytes).concat();
        let at = bytes.windows(6).position(|window| window == entry).unwrap();
        bytes[at + 6..at + 8].copy_from_slice(&code.to_le_bytes());
    }
    let raster = read_bytes(&bytes).unwrap();
    assert_eq!(raster.cell(), CellSize::Metres { x: 25.0, z: 25.0 });
    assert!(has_note(raster.notes(), "EPSG:8999"), "{:?}", raster.notes());
}
