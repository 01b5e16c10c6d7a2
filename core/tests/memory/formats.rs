//! Elevation files: what is written comes back, what others write is understood, and what nobody
//! should have written is refused with a message.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use upland_core::formats::{self, HeightChannel, ReadOptions, Stored, WriteOptions};
use upland_core::{CellSize, Origin, Raster};

use crate::{alone, beside, measured};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn jacksboro() -> Raster {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/elevation/jacksboro_fault.asc");
    formats::read(path, &ReadOptions::default()).unwrap()
}

fn read(path: impl AsRef<Path>) -> upland_core::Result<Raster> {
    formats::read(path, &ReadOptions::default())
}

fn read_bytes(name: &str, bytes: &[u8]) -> upland_core::Result<Raster> {
    formats::read_bytes(name, bytes, &ReadOptions::default())
}

/// The message of the error that reading these bytes must give.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let message = read_bytes(name, bytes).unwrap_err().to_string();
    assert!(message.starts_with(name), "the message names the file: {message}");
    message
}

fn raster(width: usize, depth: usize, height: impl Fn(usize, usize) -> f32) -> Raster {
    let values = (0..width * depth).map(|i| height(i % width, i / width)).collect();
    Raster::new(width, depth, values, CellSize::Unknown).unwrap()
}

fn with_cell(raster: Raster, cell: CellSize, origin: Option<Origin>) -> Raster {
    Raster::new(raster.width(), raster.depth(), raster.into_values(), cell).unwrap().with_origin(origin)
}

fn bytes_of(extension: &str, raster: &Raster) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field").with_extension(extension);
    formats::write(&path, raster, &WriteOptions::default()).unwrap();
    std::fs::read(path).unwrap()
}

/// Neither square nor whole nor positive, with numbers that are awkward in decimals.
fn awkward() -> Raster {
    raster(13, 7, |c, r| match (c, r) {
        (0, 0) => -123.456,
        (12, 0) => 1e-30,
        (0, 6) => 8848.86,
        (12, 6) => f32::MIN_POSITIVE / 8.0,
        _ => ((c * 7 + r * 13) as f32).sqrt() * 0.1 - 1.0,
    })
}

// ---- What is written comes back ----

#[test]
fn float_formats_give_back_every_bit() {
    let _beside = beside();
    for extension in ["tif", "tiff", "exr", "asc"] {
        let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &awkward())).unwrap();
        assert_eq!((back.width(), back.depth()), (13, 7), "{extension}");
        let bits = |raster: &Raster| raster.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&awkward()), "{extension}");
    }
}

#[test]
fn sixteen_bit_formats_give_back_heights_within_half_a_step_and_say_the_range() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let (low, high) = awkward().range();
    for extension in ["png", "r16"] {
        let path = folder.path().join("field").with_extension(extension);
        let written = formats::write(&path, &awkward(), &WriteOptions::default()).unwrap();
        let in_file = extension == "png";
        assert_eq!(written.stored, Stored::Mapped { low, high, in_file });
        let message = written.message().unwrap();
        assert!(message.contains("one step is 0.137 m"), "{message}");
        assert!(message.contains("heights -123.456 to 8848.86 m were mapped"), "{message}");

        // PNG remembers the range; of raw files it must be given, and their size too.
        let size = Some((13, 7));
        let range = if in_file { None } else { Some((low, high)) };
        let back = formats::read(&path, &ReadOptions { size, range, ..Default::default() }).unwrap();
        let half_step = (high - low) / 65535.0 / 2.0;
        for (a, b) in back.values().iter().zip(awkward().values()) {
            assert!((a - b).abs() <= half_step * 1.01, "{extension}: {a} {b}");
        }
        assert_eq!(back.range(), (low, high), "the ends are exact");
    }
}

#[test]
fn whole_numbers_pass_through_every_format_unchanged() {
    let _beside = beside();
    let ints = raster(9, 9, |c, r| (c * 809 + r * 7193) as f32);
    for format in formats::formats().iter().filter(|format| format.can_write()) {
        for extension in format.extensions {
            let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &ints)).unwrap();
            assert_eq!(back.values(), ints.values(), "{extension}");
        }
    }
}

#[test]
fn cell_size_and_place_travel_with_the_heights() {
    let _beside = beside();
    let origin = Some(Origin { west: 500_000.25, south: 4_649_776.5 });
    let cells = [
        (CellSize::Metres { x: 30.0, z: 30.0 }, origin),
        (CellSize::Metres { x: 0.25, z: 0.5 }, origin),
        (CellSize::Metres { x: 0.1, z: 0.1 }, None),
        (
            CellSize::Degrees { x: 1.0 / 1200.0, z: 1.0 / 3600.0, latitude: 36.5 + 3.5 / 3600.0 },
            Some(Origin { west: -84.41375, south: 36.5 }),
        ),
    ];
    for (cell, origin) in cells {
        let field = with_cell(awkward(), cell, origin);
        for extension in ["tif", "exr", "asc", "png"] {
            let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &field)).unwrap();
            match (back.cell(), cell) {
                (
                    CellSize::Degrees { x, z, latitude },
                    CellSize::Degrees { x: x0, z: z0, latitude: latitude0 },
                ) => {
                    assert_eq!((x, z), (x0, z0), "{extension}");
                    assert!((latitude - latitude0).abs() < 1e-9, "{extension}");
                }
                (back, cell) => assert_eq!(back, cell, "{extension}"),
            }
            if let (Some(back), Some(origin)) = (back.origin(), origin) {
                assert_eq!(back.west, origin.west, "{extension}");
                assert!((back.south - origin.south).abs() < 1e-9, "{extension}");
            } else {
                assert_eq!(origin, None, "{extension}");
            }
        }
    }
}

#[test]
fn a_real_model_survives_a_journey_through_every_format_with_a_place() {
    let _beside = beside();
    let first = jacksboro();
    let tif = read_bytes("x.tif", &bytes_of("tif", &first)).unwrap();
    let exr = read_bytes("x.exr", &bytes_of("exr", &tif)).unwrap();
    let png = read_bytes("x.png", &bytes_of("png", &exr)).unwrap();
    let last = read_bytes("x.asc", &bytes_of("asc", &png)).unwrap();
    assert_eq!(last.values(), first.values());
    let (first, last) = (first.origin().unwrap(), last.origin().unwrap());
    assert_eq!(first.west, last.west);
    assert!((first.south - last.south).abs() < 1e-12);
}

#[test]
fn a_flat_field_can_be_stored_everywhere() {
    let _beside = beside();
    for height in [0.0, -7.25, 1e6] {
        let flat = raster(4, 4, |_, _| height);
        for extension in ["png", "tif", "exr", "asc"] {
            let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &flat)).unwrap();
            assert_eq!(back.values(), flat.values(), "{extension}");
        }
        // Raw files know no range: level land is their lowest step.
        let bytes = bytes_of("r16", &flat);
        assert!(bytes.len() == 32 && bytes.iter().all(|byte| *byte == bytes[0]), "{height}: {bytes:?}");
    }
}

#[test]
fn a_given_range_is_kept_or_refused() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field.png");
    let field = raster(2, 2, |c, _| c as f32);
    let range = |low, high| WriteOptions { range: Some((low, high)), ..WriteOptions::default() };
    formats::write(&path, &field, &range(-1000.0, 9000.0)).unwrap();
    assert!((read(&path).unwrap().at(1, 1) - 1.0).abs() < 0.1);
    for bad in [range(0.5, 2.0), range(2.0, 0.0), range(f32::NAN, 1.0)] {
        assert!(formats::write(&path, &field, &bad).is_err());
    }
    assert!((read(&path).unwrap().at(1, 1) - 1.0).abs() < 0.1, "the old file is still there");
}

// ---- What others write is understood ----

#[test]
fn the_real_model_has_its_true_size_on_the_ground() {
    let _beside = beside();
    let raster = jacksboro();
    assert_eq!((raster.width(), raster.depth(), raster.range()), (403, 344, (236.0, 1076.0)));
    assert!(matches!(raster.cell(), CellSize::Degrees { .. }));
    let field = raster.to_heightfield(30.0).unwrap();
    let extent = field.grid().extent();
    assert!((extent.x - 29_865.0).abs() < 50.0, "{extent}");
    assert!((extent.y - 31_721.0).abs() < 50.0, "{extent}");
    let (low, high) = field.range();
    assert!(low >= 236.0 && high <= 1076.0 && high > 1070.0);
}

#[test]
fn the_same_model_as_text_and_as_image_has_the_same_heights() {
    let _beside = beside();
    let image = read(data("jacksboro_fault_16bit.png")).unwrap();
    assert_eq!(image.values(), jacksboro().values());
    assert_eq!(image.cell(), CellSize::Unknown);
}

#[test]
fn png_and_bmp_of_one_world_agree_on_heights_and_types() {
    let _beside = beside();
    let (png, bmp) = (read(data("world_height_64.png")).unwrap(), read(data("world_height_64.bmp")).unwrap());
    assert_eq!(png, bmp);
    assert!(png.values().iter().all(|height| height % 16.0 == 0.0));
    let types = formats::read_indices(data("world_types_64.png")).unwrap();
    let same = formats::read_indices(data("world_types_64.bmp")).unwrap();
    assert_eq!((types.width, types.depth, &types.ids), (same.width, same.depth, &same.ids));
    assert_eq!(types.palette[..5], same.palette[..5]);
    assert_eq!((types.ids.iter().min(), types.ids.iter().max()), (Some(&0), Some(&4)));
    let grey = formats::read_indices(data("jacksboro_fault_16bit.png")).unwrap_err().to_string();
    assert!(grey.contains("has no palette"), "{grey}");
    assert!(formats::read_indices_from_bytes("x.gif", b"GIF89a").is_err());
    // Snow lies above water, so both files and both readers agree on which way is up.
    let mean = |id: u8| {
        let of_type =
            types.ids.iter().zip(png.values()).filter(|(i, _)| **i == id).map(|(_, height)| *height);
        let (count, sum) = of_type.fold((0.0, 0.0), |(count, sum), height| (count + 1.0, sum + height));
        sum / count
    };
    assert!(mean(4) > mean(2) && mean(2) > mean(0));
}

/// What `tests/data/tiff/make.py` puts into its files.
fn height_of_fixture(column: usize, row: usize) -> f32 {
    (3 * column as i32 - 5 * row as i32 + (column * row) as i32 % 7) as f32
}

#[test]
fn every_kind_of_tiff_is_read() {
    let _beside = beside();
    let kinds = [
        ("u8", 140.0),
        ("u16_strips_big_endian", 140.0),
        ("u16_deflate_predictor_tiled", 140.0),
        ("u16_packbits", 140.0),
        ("u16_lzw_predictor_tiled_big_endian", 140.0),
        ("f32_lzw_predictor_tiled", 0.0),
        ("f32_lzw_strips", 0.0),
        ("u16_bigtiff", 140.0),
        ("u32_big_endian", 140.0),
        ("i16_lzw_predictor_big_endian", 0.0),
        ("i16_lzw_tiled", 0.0),
        ("i32", 0.0),
        ("f16", 0.0),
        ("f32_strips", 0.0),
        ("f32_deflate_predictor_tiled", 0.0),
        ("f32_lzw_predictor_big_endian", 0.0),
        ("f64_tiled_big_endian", 0.0),
        ("f64_deflate_predictor", 0.0),
    ];
    for (name, offset) in kinds {
        let raster = read(data(&format!("tiff/{name}.tif"))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((raster.width(), raster.depth()), (37, 29), "{name}");
        for (index, value) in raster.values().iter().enumerate() {
            let expected = height_of_fixture(index % 37, index / 37) + offset;
            assert_eq!(*value, expected, "{name} at {index}");
        }
    }
    let halves = read(data("tiff/i8_tiled_big_endian.tif")).unwrap();
    assert_eq!(halves.at(20, 28), (height_of_fixture(20, 28) / 2.0).floor());
}

#[test]
fn channels_of_a_colour_image_are_read_by_name() {
    let _beside = beside();
    for kind in ["", "_planar_tiled", "_lzw_tiled", "_lzw_planar"] {
        let name = &format!("tiff/rgb16{kind}.tif");
        let channel = |channel| {
            formats::read(data(name), &ReadOptions { channel, ..Default::default() })
                .map(|raster| raster.at(30, 20))
        };
        let red = height_of_fixture(30, 20) + 140.0;
        assert_eq!(channel(HeightChannel::Red).unwrap(), red, "{name}");
        assert_eq!(channel(HeightChannel::Green).unwrap(), 2.0 * red);
        assert_eq!(channel(HeightChannel::Blue).unwrap(), 3.0 * red);
        let luma = (0.2126 + 2.0 * 0.7152 + 3.0 * 0.0722) * red;
        assert!((channel(HeightChannel::Luma).unwrap() - luma).abs() < 1e-3);
        assert!(channel(HeightChannel::Alpha).unwrap_err().to_string().contains("no alpha channel"));
    }
}

#[test]
fn a_geotiff_says_where_it_lies_and_where_it_has_holes() {
    let _beside = beside();
    let degrees = read(data("tiff/geo_degrees_nodata.tif")).unwrap();
    let CellSize::Degrees { x, z, latitude } = degrees.cell() else { panic!("{:?}", degrees.cell()) };
    assert!((x - 1.0 / 1200.0).abs() < 1e-12 && (z - 1.0 / 1200.0).abs() < 1e-12);
    assert!((latitude - (50.0 - 14.5 / 1200.0)).abs() < 1e-9);
    assert_eq!(degrees.filled(), 12);
    for (column, row) in [(20, 10), (22, 11), (23, 12)] {
        let difference = (degrees.at(column, row) - height_of_fixture(column, row)).abs();
        assert!(difference < 8.0, "a filled cell is about what its neighbours are: {difference}");
    }

    let metres = read(data("tiff/geo_metres_point.tif")).unwrap();
    assert_eq!(metres.cell(), CellSize::Metres { x: 25.0, z: 30.0 });
    let origin = Origin { west: 500_000.0, south: 5_000_000.0 + 15.0 - 29.0 * 30.0 };
    assert_eq!(metres.origin(), Some(origin), "its tie point is the middle of a cell");

    let feet = read(data("tiff/geo_feet.tif")).unwrap();
    assert_eq!(feet.cell(), CellSize::Metres { x: 100.0 * 0.3048, z: 100.0 * 0.3048 });
    assert_eq!(read(data("tiff/f32_nan.tif")).unwrap().filled(), 2);
    let message = read(data("tiff/f32_inf.tif")).unwrap_err().to_string();
    assert!(message.contains("the height at column 4, row 3 is inf"), "{message}");
}

#[test]
fn the_first_band_of_gdals_multi_band_files_is_the_height() {
    let _beside = beside();
    for name in ["bands_pixel", "bands_band", "tiled_bands", "two_bands_u2"] {
        let raster =
            read(data(&format!("foreign/gdal_{name}.tif"))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((raster.width(), raster.depth()), (37, 29), "{name}");
        assert_eq!(raster.cell(), CellSize::Metres { x: 25.0, z: 30.0 }, "{name}");
        let offset = if name == "two_bands_u2" { 140.0 } else { 0.0 };
        for (index, value) in raster.values().iter().enumerate() {
            assert_eq!(*value, height_of_fixture(index % 37, index / 37) + offset, "{name} at {index}");
        }
    }
}

#[test]
fn heights_in_feet_become_metres() {
    let _beside = beside();
    let (foot, us_foot) = (0.3048, 1200.0 / 3937.0);
    for (name, metres) in [
        ("tiff/geo_vertical_feet", foot),
        ("foreign/gdal_unit_feet", foot),
        ("foreign/gdal_unit_us_feet", us_foot),
        ("foreign/gdal_unit_metres", 1.0),
        ("foreign/gdal_navd88_us_feet", us_foot),
        ("foreign/gdal_navd88_metres", 1.0),
        // Horizontal feet say nothing of the heights.
        ("tiff/geo_feet", 1.0),
    ] {
        let raster = read(data(&format!("{name}.tif"))).unwrap_or_else(|error| panic!("{error}"));
        // NODATA is a number of the file's, before it becomes metres: −140, the lowest.
        assert_eq!(raster.filled(), usize::from(name == "tiff/geo_vertical_feet"), "{name}");
        for (column, row) in [(0, 0), (36, 0), (20, 17), (36, 28)] {
            let height = (f64::from(height_of_fixture(column, row)) * metres) as f32;
            assert_eq!(raster.at(column, row), height, "{name} at {column}, {row}");
        }
    }
}

#[test]
fn pictures_of_less_than_a_byte_a_pixel_are_read_however_well_they_are_packed() {
    let _beside = beside();
    for bits in [1, 2, 4] {
        let path = data(&format!("foreign/palette_{bits}.png"));
        let last = (1 << bits) - 1;
        let indexed = formats::read_indices(&path).unwrap();
        assert_eq!((indexed.width, indexed.depth, indexed.palette.len()), (1024, 1024, 1 << bits));
        assert_eq!((indexed.ids[0], indexed.ids[1024 * 1024 - 1]), (0, last));
        let coloured = formats::read_colours(&path).unwrap();
        assert_eq!((coloured.colours[0], coloured.colours[1024 * 1024 - 1]), ([0; 3], [255; 3]));
        let raster = read(&path).unwrap();
        assert_eq!((raster.at(0, 0), raster.at(1023, 1023)), (0.0, 255.0));
    }
    let grey = read(data("foreign/grey_1.png")).unwrap();
    assert_eq!((grey.at(0, 0), grey.at(1023, 1023)), (0.0, 255.0));
}

#[test]
fn exr_packed_by_cosines_is_read() {
    let _beside = beside();
    for kind in ["dwaa", "dwab"] {
        for (name, channel, offset, loss) in [
            // Colours are packed with loss, other channels without.
            ("r", HeightChannel::Red, 0.0, 1.2),
            ("r", HeightChannel::Alpha, 140.0, 0.0),
            ("y", HeightChannel::Luma, 0.0, 1.2),
            ("height", HeightChannel::Luma, 0.0, 0.0),
        ] {
            let options = ReadOptions { channel, ..Default::default() };
            let raster = formats::read(data(&format!("foreign/{kind}_{name}.exr")), &options).unwrap();
            for (index, value) in raster.values().iter().enumerate() {
                let expected = height_of_fixture(index % 37, index / 37) + offset;
                assert!((value - expected).abs() <= loss, "{kind} {name} at {index}: {value} {expected}");
            }
        }
    }
}

#[test]
fn ascii_grids_of_every_dialect_are_read() {
    let _beside = beside();
    let text = "NCOLS 3\r\nnRows 2\r\nXLLCENTER 10.5\nyllcenter\t20.5\ncellsize 1\nnodata_VALUE -1\n\
        1 2\n3 4\n\n5 -1";
    let raster = read_bytes("x.asc", text.as_bytes()).unwrap();
    assert_eq!(&raster.values()[..5], [1.0, 2.0, 3.0, 4.0, 5.0], "rows may break anywhere");
    assert_eq!(raster.filled(), 1);
    assert_eq!(raster.origin(), Some(Origin { west: 10.0, south: 20.0 }));
    assert_eq!(raster.cell(), CellSize::Metres { x: 1.0, z: 1.0 });

    let text = "ncols 2\nnrows 1\nxllcorner 7e5\nyllcorner 0\ndx 25\ndy 12.5\n-1.5e2 -9999\n";
    let raster = read_bytes("x.asc", text.as_bytes()).unwrap();
    assert_eq!(raster.cell(), CellSize::Metres { x: 25.0, z: 12.5 });
    assert_eq!((raster.values(), raster.filled()), ([-150.0, -150.0].as_slice(), 1));

    let text = "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 9\nNODATA_value nan\n4 nan";
    assert_eq!(read_bytes("x.asc", text.as_bytes()).unwrap().filled(), 1);
}

#[test]
fn raw_files_are_square_or_as_large_as_one_says() {
    let _beside = beside();
    let bytes: Vec<u8> = (0..36u16).flat_map(|n| (n * 1000).to_le_bytes()).collect();
    let square = read_bytes("x.r16", &bytes).unwrap();
    assert_eq!((square.width(), square.at(1, 0), square.at(5, 5)), (6, 1000.0, 35_000.0));
    let size = Some((9, 4));
    let wide = formats::read_bytes("x.raw", &bytes, &ReadOptions { size, ..Default::default() }).unwrap();
    assert_eq!((wide.width(), wide.at(0, 1)), (9, 9000.0));
    assert!(refusal("x.r16", &bytes[..70]).contains("give its size"));
    let wrong = ReadOptions { size: Some((5, 5)), ..Default::default() };
    assert!(formats::read_bytes("x.r16", &bytes, &wrong).unwrap_err().to_string().contains("50 bytes"));
}

/// A tile of 1201 × 1201, 3601 × 3601 or 1801 × 3601 samples, as SRTM has them.
fn hgt_of(width: usize, depth: usize, height: impl Fn(usize, usize) -> i16) -> Vec<u8> {
    (0..width * depth).flat_map(|i| height(i % width, i / width).to_be_bytes()).collect()
}

fn height_in_tile(column: usize, row: usize) -> i16 {
    ((7 * column + 13 * row) % 9000) as i16 - 400
}

#[test]
fn srtm_tiles_of_every_published_size_are_read_with_their_place() {
    let _beside = beside();
    for (width, depth) in [(1201, 1201), (3601, 3601), (1801, 3601)] {
        let bytes = hgt_of(width, depth, height_in_tile);
        let tile = read_bytes("tiles/N46E007.hgt", &bytes).unwrap();
        assert_eq!((tile.width(), tile.depth(), tile.filled()), (width, depth, 0));
        let is_right = |i: usize| tile.values()[i] == f32::from(height_in_tile(i % width, i / width));
        assert!((0..width * depth).all(is_right), "{width}×{depth}, from the north-west");

        let CellSize::Degrees { x, z, latitude } = tile.cell() else { panic!("{:?}", tile.cell()) };
        assert_eq!((x, z), (1.0 / (width - 1) as f64, 1.0 / (depth - 1) as f64));
        assert!((latitude - 46.5).abs() < 1e-9);
        // As GDAL places it: the first and the last samples stand on the degree lines.
        let Origin { west, south } = tile.origin().unwrap();
        assert!((west + x / 2.0 - 7.0).abs() < 1e-12 && (south + z / 2.0 - 46.0).abs() < 1e-12);
        assert!((west + (width as f64 - 0.5) * x - 8.0).abs() < 1e-9);
        assert!((south + (depth as f64 - 0.5) * z - 47.0).abs() < 1e-9);
    }
}

#[test]
fn a_tile_and_a_geotiff_of_it_are_the_same_land() {
    let _beside = beside();
    let first = read_bytes("s23w043.HGT", &hgt_of(1201, 1201, height_in_tile)).unwrap();
    let origin = first.origin().unwrap();
    assert!((origin.west + 43.0).abs() < 1e-3 && (origin.south + 23.0).abs() < 1e-3, "{origin:?}");
    let back = read_bytes("x.tif", &bytes_of("tif", &first)).unwrap();
    assert_eq!((back.values(), back.cell()), (first.values(), first.cell()));
    // At 22.5° south a degree is 102.9 km wide and 110.7 km long.
    let (x, z) = back.extent_in_metres().unwrap();
    assert!((x - 102_900.0).abs() < 100.0 && (z - 110_750.0).abs() < 100.0, "{x} {z}");
}

#[test]
fn voids_of_a_tile_are_filled_and_counted() {
    let _beside = beside();
    let is_void = |column: usize, row: usize| (40..44).contains(&column) && row == 1200;
    let height = |column: usize, row: usize| match (column, row) {
        (column, row) if is_void(column, row) => -32768,
        (0, 0) => -32767,
        (1, 0) => 32767,
        _ => 25,
    };
    let tile = read_bytes("N00W001.hgt", &hgt_of(1201, 1201, height)).unwrap();
    assert_eq!((tile.filled(), tile.range()), (4, (-32767.0, 32767.0)));
    assert!((40..44).all(|column| tile.at(column, 1200) == 25.0));
    assert!(refusal("N00W001.hgt", &hgt_of(1201, 1201, |_, _| -32768)).contains("every cell is NODATA"));
}

#[test]
fn a_tile_of_another_name_has_no_place_and_no_cell() {
    let _beside = beside();
    let tile = read_bytes("alps.hgt", &hgt_of(1201, 1201, height_in_tile)).unwrap();
    assert_eq!((tile.cell(), tile.origin()), (CellSize::Unknown, None));
    assert_eq!(tile.at(3, 1), f32::from(height_in_tile(3, 1)));
}

#[test]
fn a_tile_of_another_size_is_refused_with_those_there_are() {
    let _beside = beside();
    let whole = hgt_of(1201, 1201, |_, _| 7);
    let longer = [&whole[..], &[0]].concat();
    for bytes in [&b""[..], &b"PK\x03\x04"[..], &whole[..whole.len() - 1], &whole[..2 * 1201 * 1200], &longer]
    {
        let message = refusal("N46E007.hgt", bytes);
        assert!(message.contains(&format!("it has {} bytes", bytes.len())), "{message}");
        let sizes = "1201×1201 (2884802 bytes), 3601×3601 (25934402 bytes) or 1801×3601 (12970802 bytes)";
        assert!(message.contains(sizes), "{message}");
    }
    let unwritten = formats::write("N46E007.hgt", &awkward(), &WriteOptions::default());
    assert!(unwritten.unwrap_err().to_string().contains("cannot be written as `.hgt`"));
}

#[test]
fn exr_of_halves_and_of_colours_is_read() {
    let _beside = beside();
    use exr::prelude::{Image, SpecificChannels, Vec2, WritableImage, f16};
    let write = |bytes: &mut Vec<u8>, layer: &dyn Fn(&mut std::io::Cursor<&mut Vec<u8>>)| {
        layer(&mut std::io::Cursor::new(bytes));
    };
    let (mut halves, mut colours) = (Vec::new(), Vec::new());
    let at = |Vec2(x, y): Vec2<usize>| (x * 2 + y * 16) as f32;
    write(&mut halves, &|out| {
        let channels = SpecificChannels::build()
            .with_channel::<f32>("A")
            .with_channel::<f16>("height")
            .with_pixel_fn(|p| (1.0f32, f16::from_f32(at(p))));
        Image::from_channels((8, 5), channels).write().to_buffered(out).unwrap();
    });
    write(&mut colours, &|out| {
        let channels =
            SpecificChannels::rgb(|p| (at(p), at(p), if p == Vec2(3, 3) { f32::NAN } else { at(p) }));
        Image::from_channels((8, 5), channels).write().to_buffered(out).unwrap();
    });
    let halves = read_bytes("x.exr", &halves).unwrap();
    let luma = read_bytes("x.exr", &colours).unwrap();
    for index in 0..40 {
        let expected = at(Vec2(index % 8, index / 8));
        assert_eq!(halves.values()[index], expected);
        if index != 3 * 8 + 3 {
            assert_eq!(luma.values()[index], expected, "grey is exactly grey");
        }
    }
    assert_eq!(luma.filled(), 1);
    let alpha = ReadOptions { channel: HeightChannel::Alpha, ..Default::default() };
    let message = formats::read_bytes("x.exr", &colours, &alpha).unwrap_err().to_string();
    assert!(message.contains("no alpha channel; it has B, G, R"), "{message}");
}

#[test]
fn no_format_mirrors_the_land() {
    let _beside = beside();
    // Higher in the north-west corner than anywhere else, then in the north-east.
    let corner = raster(5, 4, |c, r| match (c, r) {
        (0, 0) => 3.0,
        (4, 0) => 2.0,
        (0, 3) => 1.0,
        _ => 0.0,
    });
    for extension in ["png", "tif", "exr", "asc"] {
        let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &corner)).unwrap();
        assert_eq!(back.values(), corner.values(), "{extension}");
    }
    assert!(bytes_of("r16", &raster(2, 2, |c, r| (c + 2 * r) as f32)).starts_with(&[0, 0, 1, 0, 2]));
    let text = String::from_utf8(bytes_of("asc", &corner)).unwrap();
    assert!(text.lines().nth(6).unwrap().starts_with("3 "), "the first line of an ASCII grid is the north");
}

// ---- What nobody should have written is refused ----

#[test]
fn an_unknown_extension_lists_what_there_is() {
    let _beside = beside();
    for name in ["field.jpg", "field", "field."] {
        let message = read_bytes(name, b"").unwrap_err().to_string();
        for known in [".png", ".bmp", ".tif", ".tiff", ".exr", ".asc", ".hgt", ".r16"] {
            assert!(message.contains(known), "{message}");
        }
    }
    let message = formats::write("x.bmp", &awkward(), &WriteOptions::default()).unwrap_err().to_string();
    assert!(message.contains("cannot be written as `.bmp`") && !message.contains(".bmp,"), "{message}");
    assert!(read("no/such/field.TIF").unwrap_err().to_string().contains("no such file"));
    assert!(read(env!("CARGO_MANIFEST_DIR").to_owned() + "/src/../tests/data/tiff").is_err());
}

/// A PNG whose header says this size, with next to nothing behind it.
fn png_of(width: u32, depth: u32) -> Vec<u8> {
    let mut bytes = bytes_of("png", &raster(2, 2, |_, _| 0.0));
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&depth.to_be_bytes());
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// A BMP header of this size, with nothing behind it.
fn bmp_of(width: i32, height: i32) -> Vec<u8> {
    let mut bytes = std::fs::read(data("world_height_64.bmp")).unwrap();
    bytes[18..22].copy_from_slice(&width.to_le_bytes());
    bytes[22..26].copy_from_slice(&height.to_le_bytes());
    bytes
}

/// A small TIFF whose header says this size. Its first tags are width and height, 12 bytes each.
fn tiff_of(width: u32, depth: u32) -> Vec<u8> {
    let mut bytes = std::fs::read(data("tiff/f32_strips.tif")).unwrap();
    let directory = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    for (tag, value) in [(256u16, width), (257, depth)] {
        let at = (directory + 2..).step_by(12).find(|&at| bytes[at..at + 2] == tag.to_le_bytes()).unwrap();
        bytes[at + 2..at + 4].copy_from_slice(&4u16.to_le_bytes());
        bytes[at + 8..at + 12].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

const ROWS_PER_BLOCK: u32 = 16;

/// An EXR whose data window has this size.
fn exr_of(width: i32, depth: i32) -> Vec<u8> {
    let mut bytes = bytes_of("exr", &raster(2, 2, |c, _| c as f32));
    for name in [b"dataWindow\0box2i\0".as_slice(), b"displayWindow\0box2i\0"] {
        let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len() + 4;
        bytes[at + 8..at + 12].copy_from_slice(&(width - 1).to_le_bytes());
        bytes[at + 12..at + 16].copy_from_slice(&(depth - 1).to_le_bytes());
    }
    let name = b"chunkCount\0int\0";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len() + 4;
    bytes[at..at + 4].copy_from_slice(&((depth as u32).div_ceil(ROWS_PER_BLOCK) as i32).to_le_bytes());
    bytes
}

fn asc_of(width: u64, depth: u64) -> Vec<u8> {
    format!("ncols {width}\nnrows {depth}\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n").into_bytes()
}

#[test]
fn a_picture_of_nothing_is_refused() {
    let _beside = beside();
    for (name, bytes) in [
        ("x.png", png_of(0, 0)),
        ("x.bmp", bmp_of(0, 0)),
        ("x.tif", tiff_of(0, 0)),
        ("x.asc", asc_of(0, 0)),
        ("x.png", png_of(0, 5)),
    ] {
        let message = refusal(name, &bytes);
        assert!(message.contains("at least 1"), "{message}");
    }
    // In an EXR, whose header gives corners, there is no such thing: corners may be in any order.
    for name in ["x.png", "x.bmp", "x.tif", "x.exr", "x.asc", "x.hgt", "x.r16"] {
        refusal(name, b"");
    }
}

#[test]
fn a_giant_is_refused_with_the_memory_it_would_need() {
    let _beside = beside();
    let files = [
        ("x.png", png_of(60000, 60000)),
        ("x.bmp", bmp_of(60000, 60000)),
        ("x.bmp", bmp_of(60000, -60000)),
        ("x.tif", tiff_of(60000, 60000)),
        ("x.exr", exr_of(60000, 60000)),
        ("x.asc", asc_of(60000, 60000)),
    ];
    for (name, bytes) in files {
        let message = refusal(name, &bytes);
        assert!(message.contains("60000×60000") && message.contains("13.4 GiB"), "{message}");
    }
    for (name, bytes) in [
        ("x.png", png_of(u32::MAX >> 1, u32::MAX >> 1)),
        ("x.tif", tiff_of(u32::MAX, u32::MAX)),
        ("x.bmp", bmp_of(i32::MAX, i32::MIN)),
        ("x.exr", exr_of(i32::MAX, i32::MAX)),
        ("x.asc", asc_of(u64::MAX, u64::MAX)),
    ] {
        refusal(name, &bytes);
    }
}

#[test]
fn a_size_that_is_allowed_but_not_there_costs_no_memory() {
    let _alone = alone();
    for (name, bytes) in [
        ("x.png", png_of(32768, 32768)),
        ("x.tif", tiff_of(32768, 32768)),
        ("x.exr", exr_of(32768, 32768)),
        ("x.bmp", bmp_of(32768, 32768)),
        ("x.asc", asc_of(32768, 32768)),
    ] {
        // The smallest of them would take 1 GiB.
        let (_, peak) = measured(|| refusal(name, &bytes));
        assert!(peak < 500.0, "{name}: {peak} MiB");
    }
}

#[test]
fn ascii_grids_say_what_is_wrong_and_on_which_line() {
    let _beside = beside();
    let head = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
    let cases = [
        ("1 2\n3\n", "2×2 = 4 heights, but it has 3; it ends at line 8"),
        ("1 2\n3 4\n5 6\n", "but it has 6; the extra ones begin on line 8"),
        ("1 2\n3 x\n", "line 7: `x` is not a number"),
        ("1 inf\n3 4\n", "line 6: the height inf is not finite"),
        ("1 nan\n3 4\n", "never"),
        ("1 2,5\n3 4\n", "but it has 5"),
        ("1 2:5\n3 4\n", "`2:5` is not a number"),
        ("-9999 -9999 -9999 -9999", "every cell is NODATA"),
        ("cells 7\n", "line 6: `cells` is not a key"),
        ("NODATA_value none\n", "but it has 0"),
        ("NODATA_value\n", "but it has 0"),
        ("nrows 3\n", "line 6: nrows is given twice"),
        ("NODATA_value 1e999\n1 2 3 inf", "never"),
    ];
    for (rest, expected) in cases {
        let result = read_bytes("x.asc", format!("{head}{rest}").as_bytes());
        match result {
            // A NODATA value beyond all numbers marks what is beyond all numbers.
            Ok(raster) => assert_eq!((expected, raster.filled()), ("never", 1)),
            Err(error) => assert!(error.to_string().contains(expected), "{error} / {expected}"),
        }
    }
    for (text, expected) in [
        ("ncols 2\n", "nrows is missing"),
        ("ncols -2\nnrows 2\n", "ncols is -2"),
        ("ncols 2.5\nnrows 2\n", "whole number"),
        ("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n5", "above 0"),
        ("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\n5", "cellsize is missing"),
        ("ncols 1\nnrows 1\nxllcorner nan\nyllcorner 0\ncellsize 1\n5", "finite"),
        ("<html>", "missing"),
        ("\u{7f}ELF\0\0", "missing"),
        ("hello", "`hello` is not a key"),
    ] {
        let message = refusal("x.asc", text.as_bytes());
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_file_of_another_kind_is_called_that() {
    let _beside = beside();
    let text = b"This is a letter, not a landscape.";
    for (name, kind) in
        [("x.png", "not a PNG"), ("x.bmp", "not a BMP"), ("x.tif", "not a TIFF"), ("x.exr", "EXR")]
    {
        let message = refusal(name, text);
        assert!(message.contains(kind), "{message}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("field.png");
    formats::write(&path, &awkward(), &WriteOptions::default()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let impossible = WriteOptions { range: Some((0.0, 1.0)), ..WriteOptions::default() };
    assert!(formats::write(&path, &awkward(), &impossible).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left lying about");
    let nowhere = folder.path().join("no/such/folder/field.tif");
    let message = formats::write(nowhere, &awkward(), &WriteOptions::default()).unwrap_err().to_string();
    assert!(message.contains("does not exist"), "{message}");
}

/// Whole files of every format, small, to be damaged.
fn valid_files() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = ["png", "tif", "exr", "asc", "r16"]
        .into_iter()
        .map(|extension| {
            let place = Some(Origin { west: 7.0, south: 46.0 });
            let cell = CellSize::Degrees { x: 0.001, z: 0.001, latitude: 46.0 };
            let square = raster(12, 12, |c, r| (c * r) as f32 * 0.37 - 3.0);
            (format!("x.{extension}"), bytes_of(extension, &with_cell(square, cell, place)))
        })
        .collect();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(data("tiff")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.extend(
        ["world_height_64.png", "world_height_64.bmp", "world_types_64.png", "world_types_64.bmp"].map(data),
    );
    paths.sort();
    for path in paths.iter().filter(|path| formats::is_readable(path)) {
        files.push((path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()));
    }
    files
}

#[test]
fn a_file_cut_short_anywhere_is_refused_or_whole() {
    let _beside = beside();
    let mut wrong = Vec::new();
    // One of the files holds an infinite height, which is refused.
    for (name, bytes) in valid_files().into_iter().filter(|(name, _)| name != "f32_inf.tif") {
        let whole = read_bytes(&name, &bytes).unwrap();
        let mut refused = 0;
        for end in (0..bytes.len()).step_by(bytes.len() / 61 + 1) {
            match read_bytes(&name, &bytes[..end]) {
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains(&name), "{error}");
                }
                // A raw file is as large as it is: cut short, it may be a smaller square.
                Ok(read) if name == "x.r16" => assert!(whole.values().starts_with(read.values())),
                Ok(read) if read.values() == whole.values() => {}
                Ok(read) => wrong.push((name.clone(), end, bytes.len(), read.width(), read.depth())),
            }
        }
        assert!(refused > 10, "{name}: only {refused} parts of it were refused");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        file in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_header in any::<bool>(),
    ) {
        let _beside = beside();
        let files = FILES.get_or_init(valid_files);
        let (name, bytes) = &files[file.index(files.len())];
        let mut bytes = bytes.clone();
        let reach = if in_header { bytes.len().min(400) } else { bytes.len() };
        for (at, byte) in damage {
            bytes[at.index(reach)] = byte;
        }
        if let Ok(raster) = read_bytes(name, &bytes) {
            prop_assert!(raster.values().iter().all(|value| value.is_finite()));
        }
    }

    #[test]
    fn damaged_palette_images_never_panic(
        png in any::<bool>(), cut in 0usize..6000, at in 0usize..200, byte in any::<u8>(),
    ) {
        let _beside = beside();
        let files = FILES.get_or_init(valid_files);
        let name = if png { "world_types_64.png" } else { "world_types_64.bmp" };
        let mut bytes = files.iter().find(|(file, _)| file == name).unwrap().1.clone();
        bytes.truncate(cut);
        if let Some(old) = bytes.get_mut(at) {
            *old = byte;
        }
        let _ = formats::read_indices_from_bytes(name, &bytes);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), kind in 0usize..7) {
        let _beside = beside();
        let magic: [&[u8]; 7] =
            [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"II*\0\x08\0\0\0", b"\x76\x2f\x31\x01\x02\0\0\0", b"ncols 3 nrows ", b"", b"BM", b""];
        let name = ["x.png", "x.tif", "x.exr", "x.asc", "x.r16", "x.bmp", "N46E007.hgt"][kind];
        let with_magic = [magic[kind], &bytes].concat();
        let _ = read_bytes(name, &bytes);
        let _ = read_bytes(name, &with_magic);
    }
}

proptest! {
    // Every file that is written waits for the disk.
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_heights_survive_any_format(
        width in 1usize..20, heights in prop::collection::vec(-1e6f32..1e6, 1..200),
    ) {
        let _beside = beside();
        let depth = heights.len().div_ceil(width);
        let field = raster(width, depth, |c, r| heights[(r * width + c) % heights.len()]);
        for extension in ["tif", "exr", "asc"] {
            let back = read_bytes(&format!("x.{extension}"), &bytes_of(extension, &field)).unwrap();
            prop_assert_eq!(back.values(), field.values());
        }
        let back = read_bytes("x.png", &bytes_of("png", &field)).unwrap();
        let (low, high) = field.range();
        for (a, b) in back.values().iter().zip(field.values()) {
            prop_assert!((a - b).abs() <= (high - low) / 65535.0 * 0.51 + 0.07);
        }
    }
}

static FILES: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();

#[test]
fn a_file_has_the_same_bytes_every_time_it_is_written() {
    let _beside = beside();
    let origin = Some(Origin { west: 500_000.25, south: -4_000_000.5 });
    let raster =
        with_cell(raster(9, 7, |x, z| (x * z) as f32), CellSize::Metres { x: 10.0, z: 12.5 }, origin);
    for extension in ["exr", "tif", "png", "asc"] {
        let first = bytes_of(extension, &raster);
        for _ in 0..12 {
            assert!(bytes_of(extension, &raster) == first, "{extension}");
        }
        let read = read_bytes(&format!("x.{extension}"), &first).unwrap();
        assert_eq!((read.cell(), read.origin()), (raster.cell(), raster.origin()), "{extension}");
    }
}
