//! Files that say less than they mean: text grids of all dialects, what lies beside a raster, planes by name,
//! heights in colours, raw numbers.

use std::path::{Path, PathBuf};

use upland_core::formats::{self, ByteOrder, HeightChannel, RawLayout, ReadOptions, SampleType};
use upland_core::{CellSize, ElevationFile, ElevationFileOptions, Origin, Raster, Window, Work};

use crate::beside;

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name)
}

fn read(path: impl AsRef<Path>) -> Raster {
    formats::read(path, &ReadOptions::default()).unwrap()
}

/// The land of most cases: 37 × 29 samples.
fn truth() -> Vec<f32> {
    let bytes = std::fs::read(case("truth.npy")).unwrap();
    let numbers = &bytes[bytes.len() - 4 * 37 * 29..];
    numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
}

fn assert_near(values: &[f32], expected: &[f32], most: f32) {
    assert_eq!(values.len(), expected.len());
    for (index, (value, expected)) in values.iter().zip(expected).enumerate() {
        assert!((value - expected).abs() <= most, "at {index}: {value} instead of {expected}");
    }
}

fn metres(raster: &Raster) -> (f64, f64) {
    let CellSize::Metres { x, z } = raster.cell() else { panic!("{:?}", raster.cell()) };
    (x, z)
}

// ---- Text grids ----

#[test]
fn nan_and_rounded_nodata_are_holes_in_a_text_grid() {
    let _beside = beside();
    for name in ["nan_first.asc", "rounded.asc"] {
        let raster = read(case(name));
        assert_eq!(raster.filled(), 24, "{name}");
        let (low, high) = raster.range();
        assert!(low >= 100.0 && high <= 244.0, "{name}: {low} {high}");
    }
    for nan in ["nan", "NaN", "NAN", "-nan", "1.#QNAN", "-1.#IND", "nan(ind)", "NA"] {
        let text = format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 30\n{nan} 2\n3 4\n");
        let raster = formats::read_bytes("x.asc", text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!((raster.filled(), raster.at(1, 1)), (1, 4.0), "{nan}");
    }
}

#[test]
fn text_grids_of_other_dialects_are_the_same_land() {
    let _beside = beside();
    let plain = "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\ncellsize 25\nNODATA_value -9999\n1 2 3\n4.5 -9999 150\n";
    let expected = formats::read_bytes("x.asc", plain.as_bytes(), &ReadOptions::default()).unwrap();
    for text in [
        "NCOLS,3\r\nNROWS,2\r\nXLLCENTER,1012.5\r\nYLLCENTER,2012.5\r\nCELLSIZE,25\r\nnodata_VALUE,-9999\r\n1,2,3\r\n4.5,-9999,150\r\n",
        "ncols\t3\nnrows\t2\nxllcorner\t1e3\nyllcorner\t2D+03\ndx\t25\ndy\t25\nNoData_Value\t-9.999E+03\n1\t2.0\t+3\n.45e1\t-9999.0\t1.5D+02\n",
        "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 2000\nDX 25\nDY 25\nNODATA -9999\n1; 2; 3\n4.5; nan; 1.5e2",
    ] {
        let raster = formats::read_bytes("x.asc", text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!((raster.values(), raster.filled()), (expected.values(), 1), "{text}");
        assert_eq!((raster.cell(), raster.origin()), (expected.cell(), expected.origin()), "{text}");
    }
    let text = plain.replace("-9999\n1", "none\n1");
    let raster = formats::read_bytes("x.asc", text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!((raster.filled(), raster.at(1, 1)), (0, -9999.0));
}

// ---- Beside a raster ----

#[test]
fn a_prj_says_what_a_text_grid_is_in() {
    let _beside = beside();
    let feet = read(case("feet.asc"));
    let (x, z) = metres(&feet);
    assert!((x - 25.0).abs() < 1e-6 && (z - 25.0).abs() < 1e-6, "{x} {z}");
    let [heights, lengths] = feet.notes() else { panic!("{:?}", feet.notes()) };
    assert!(heights.contains("nothing says that its heights are in the unit of its map"), "{heights}");
    assert!(lengths.contains("lengths on its map are converted to metres: a US survey foot"), "{lengths}");
    let local = read(case("local_metres.asc"));
    assert_eq!(metres(&local), (0.1, 0.1));
    // Without one, degrees are a guess, which is reported.
    let bytes = std::fs::read(case("local_metres.asc")).unwrap();
    let guessed = formats::read_bytes("x.asc", &bytes, &ReadOptions::default()).unwrap();
    assert!(matches!(guessed.cell(), CellSize::Degrees { .. }));
    assert!(guessed.notes()[0].contains("degrees are assumed"), "{:?}", guessed.notes());
}

fn grid(folder: &Path, prj: &str) -> Raster {
    let text = "ncols 2\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 0.1\n1 2\n3 4\n";
    std::fs::write(folder.join("x.asc"), text).unwrap();
    std::fs::write(folder.join("x.prj"), prj).unwrap();
    read(folder.join("x.asc"))
}

#[test]
fn odd_reference_systems_are_converted_or_reported() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let cubits = grid(folder.path(), r#"PROJCS["p",PROJECTION["x"],UNIT["Cubit"]]"#);
    assert_eq!(metres(&cubits), (0.1, 0.1));
    assert!(cubits.notes()[0].contains("Cubit"), "{:?}", cubits.notes());
    let moon = grid(
        folder.path(),
        r#"GEOGCS["Moon",DATUM["D",SPHEROID["Moon",1737400.0,0.0]],PRIMEM["R",0],UNIT["Degree",0.0174532925199433]]"#,
    );
    assert!((metres(&moon).1 - 3032.3).abs() < 0.1, "{:?}", moon.cell());
    let heights =
        r#"COMPD_CS["c",PROJCS["p",UNIT["metre",1]],VERT_CS["v",VERT_DATUM["d",2005],UNIT["foot",0.3048]]]"#;
    assert_eq!(grid(folder.path(), heights).at(1, 1), (4.0f64 * 0.3048) as f32);
    for hostile in ["", "PROJCS[", "\u{1b}[31m", &"A[".repeat(9999), &" ".repeat(2 << 20)] {
        let raster = grid(folder.path(), hostile);
        assert!(raster.notes().iter().any(|note| note.contains("ignored")), "{:?}", raster.notes());
    }
}

#[test]
fn a_world_file_and_metadata_place_a_picture() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    let raster = Raster::new(3, 2, vec![0.0, 10.0, 20.0, 30.0, 40.0, 7.0], CellSize::Unknown).unwrap();
    formats::write(&path, &raster, &formats::WriteOptions::default()).unwrap();
    assert_eq!(read(&path).cell(), CellSize::Unknown);
    std::fs::write(folder.path().join("x.pgw"), "25\n0\n0\n-25\n500012.5\n4999987.5\n").unwrap();
    let placed = read(&path);
    assert_eq!(metres(&placed), (25.0, 25.0));
    assert_eq!(placed.origin(), Some(Origin { west: 500_000.0, south: 4_999_950.0 }));
    // South-up: the first row is the southern one.
    std::fs::write(folder.path().join("x.pgw"), "25\n0\n0\n25\n500012.5\n4999962.5\n").unwrap();
    let turned = read(&path);
    assert_eq!(
        (turned.values(), turned.origin()),
        ([30.0, 40.0, 7.0, 0.0, 10.0, 20.0].as_slice(), placed.origin())
    );
    std::fs::remove_file(folder.path().join("x.pgw")).unwrap();
    let xml = "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>7</NoDataValue><Offset>-500</Offset>\
        <Scale>0.1</Scale></PAMRasterBand></PAMDataset>";
    std::fs::write(folder.path().join("x.png.aux.xml"), xml).unwrap();
    let scaled = read(&path);
    assert_eq!((scaled.filled(), scaled.at(1, 1)), (1, -496.0));
}

#[test]
fn a_hdr_lays_out_raw_numbers() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let heights = truth();
    let flt: Vec<u8> = heights.iter().flat_map(|height| height.to_be_bytes()).collect();
    std::fs::write(folder.path().join("x.flt"), flt).unwrap();
    let hdr = "ncols 37\nnrows 29\nxllcorner 500000\nyllcorner 4999275\ncellsize 25\nNODATA_value -9999\nbyteorder MSBFIRST\n";
    std::fs::write(folder.path().join("x.hdr"), hdr).unwrap();
    let raster = read(folder.path().join("x.flt"));
    assert_eq!(raster.values(), heights);
    assert_eq!(
        (metres(&raster), raster.origin()),
        ((25.0, 25.0), Some(Origin { west: 500_000.0, south: 4_999_275.0 }))
    );

    // Two bands by line, behind four bytes; the second band is nothing that counts.
    let mut bil = vec![0; 4];
    for row in heights.chunks(37) {
        bil.extend(row.iter().flat_map(|height| (*height as i16).to_le_bytes()));
        bil.extend([0xee; 74]);
    }
    std::fs::write(folder.path().join("y.bil"), bil).unwrap();
    let hdr = "NROWS 29\r\nNCOLS 37\r\nNBANDS 2\r\nNBITS 16\r\nPIXELTYPE SIGNEDINT\r\nBYTEORDER I\r\nLAYOUT BIL\r\n\
        SKIPBYTES 4\r\nULXMAP 500012.5\r\nULYMAP 4999987.5\r\nXDIM 25\r\nYDIM 25\r\nNODATA 100\r\n";
    std::fs::write(folder.path().join("y.hdr"), hdr).unwrap();
    let raster = read(folder.path().join("y.bil"));
    assert!(raster.filled() > 0);
    assert_eq!((metres(&raster), raster.at(36, 28)), ((25.0, 25.0), heights[37 * 29 - 1].trunc()));
    assert_eq!(raster.origin(), Some(Origin { west: 500_000.0, south: 4_999_275.0 }));
    let file =
        ElevationFile::open(folder.path().join("y.bil"), &ElevationFileOptions::default(), &Work::new())
            .unwrap();
    let window = Window { level: 0, first: [0, 0], size: [37, 29] };
    assert_eq!(file.raster(window, &Work::new()).unwrap().values(), raster.values());
    assert_eq!((file.cell(), file.origin()), (raster.cell(), raster.origin()));

    // Its second band is all of these bytes.
    let second = ReadOptions { channel: HeightChannel::of("2").unwrap(), ..ReadOptions::default() };
    let raster = formats::read(folder.path().join("y.bil"), &second).unwrap();
    assert_eq!((raster.at(0, 0), raster.at(36, 28)), (-4370.0, -4370.0));

    for (hostile, words) in [
        ("NBITS 7\nNROWS 29\nNCOLS 37", "its .hdr gives numbers of 7 bits; read are 8, 16 and 32 bits"),
        ("NROWS -1", "its .hdr has nrows `-1`; it must be a whole number"),
        (
            "NROWS 99999999999999999999",
            "its .hdr has nrows `99999999999999999999`; it must be a whole number",
        ),
        ("BYTEORDER \u{1b}[2J", "its .hdr has byteorder"),
        (
            "NROWS 29\nNCOLS 37\nNBITS 16\nTOTALROWBYTES 3",
            "rows of 3 bytes, too few for 37 samples; correct it",
        ),
    ] {
        std::fs::write(folder.path().join("y.hdr"), hostile).unwrap();
        let message =
            formats::read(folder.path().join("y.bil"), &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains(words) && !message.contains('\u{1b}'), "{hostile}: {message}");
        assert!(message.contains("y.bil"), "{message}");
    }
}

/// 4 × 3 numbers with this header beside, read.
fn raw(names: [&str; 2], header: &str, bytes: &[u8]) -> Raster {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(names[0]), bytes).unwrap();
    std::fs::write(folder.path().join(names[1]), header).unwrap();
    read(folder.path().join(names[0]))
}

#[test]
fn headers_that_leave_something_out_are_understood() {
    let _beside = beside();
    let size = "NCOLS 4\nNROWS 3\n";
    // The bits follow from the length of the file.
    let wide: Vec<u8> = (0..12i32).flat_map(|number| (number - 7).to_le_bytes()).collect();
    assert_eq!(raw(["x.bil", "x.hdr"], size, &wide).range(), (-7.0, 4.0));
    let short: Vec<u8> = (0..12i16).flat_map(|number| (number - 7).to_le_bytes()).collect();
    assert_eq!(raw(["x.bil", "x.hdr"], size, &short).range(), (-7.0, 4.0));
    let bytes: Vec<u8> = (200..212u8).collect();
    assert_eq!(raw(["x.bil", "x.hdr"], size, &bytes).range(), (200.0, 211.0));
    // A size of cells without a corner.
    let cells = raw(["x.bil", "x.hdr"], &format!("{size}XDIM 30\nYDIM 20\n"), &short);
    assert_eq!((metres(&cells), cells.origin()), ((30.0, 20.0), None));
    assert_eq!(cells.notes(), ["nothing says what its cells are measured in; metres are assumed"]);
    // ENVI's, behind the whole name.
    let envi = |map: &str| {
        let header = format!(
            "ENVI\nsamples = 4\nlines = 3\nbands = 1\ndata type = 2\ninterleave = bsq\nbyte order = 0\n\
             map info = {{{map}}}\n"
        );
        raw(["x.raw", "x.raw.hdr"], &header, &short)
    };
    let feet = envi("Arbitrary, 1, 1, 500000, 5000000, 30, 30, units=Feet");
    assert!((metres(&feet).0 - 9.144).abs() < 1e-9 && feet.range() == (-7.0, 4.0));
    assert!(matches!(
        envi("Geographic Lat/Lon, 1, 1, 10, 50, 5, 5, WGS-84").cell(),
        CellSize::Degrees { .. }
    ));
    let utm = envi("UTM, 1, 1, 100, 50, 0.1, 0.1, 32, North, WGS-84");
    assert!(metres(&utm) == (0.1, 0.1) && utm.notes().is_empty(), "{:?}", utm.notes());
    // As GDAL reads it: one column is (25.98, 10) further, one row (15, -17.32). Cells that are not square
    // become oblique by that.
    let turned = envi("UTM, 2, 1, 500000, 5000000, 30, 20, 32, North, WGS-84, units=Meters, rotation=30");
    let [west, a, b, north, c, d] = turned.place().unwrap().transform(3);
    for (found, expected) in
        [west, a, b, north, c, d].into_iter().zip([499_970.0, 25.981, 15.0, 5_000_000.0, 10.0, -17.321])
    {
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
    assert!(turned.notes().iter().any(|note| note.contains("turned by 21.1°")), "{:?}", turned.notes());
    let south_up = envi("UTM, 1, 1, 500000, 5000000, 30, 30, 32, North, WGS-84, rotation=180");
    assert_eq!(south_up.at(0, 0), 4.0, "{:?}", south_up.notes());
}

#[test]
fn metadata_of_arcgis_gives_the_system_and_what_it_does_to_the_place_is_reported() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    let raster = Raster::new(2, 2, vec![0.0, 10.0, 20.0, 30.0], CellSize::Unknown).unwrap();
    formats::write(&path, &raster, &formats::WriteOptions::default()).unwrap();
    std::fs::write(folder.path().join("x.pgw"), "0.1\n0\n0\n-0.1\n0.05\n5.05\n").unwrap();
    let xml = |kind: &str| {
        format!(
            "<PAMDataset><Metadata domain=\"xml:ESRI\" format=\"xml\"><GeodataXform xsi:type=\"typens:{kind}\">\
             <SpatialReference><WKT>PROJCS[&quot;p&quot;,UNIT[&quot;Meter&quot;,1.0]]</WKT></SpatialReference>\
             </GeodataXform></Metadata></PAMDataset>"
        )
    };
    std::fs::write(folder.path().join("x.png.aux.xml"), xml("IdentityXform")).unwrap();
    let same = read(&path);
    assert!(metres(&same) == (0.1, 0.1) && same.notes().is_empty(), "{:?}", same.notes());
    std::fs::write(folder.path().join("x.png.aux.xml"), xml("PolynomialXform")).unwrap();
    let bent = read(&path);
    let [note] = bent.notes() else { panic!("{:?}", bent.notes()) };
    assert!(note.contains("GeodataXform") && note.contains("gdalwarp"), "{note}");
}

// ---- Planes by name ----

#[test]
fn the_plane_called_height_is_read_and_another_by_its_name() {
    let _beside = beside();
    let raster = read(case("names2.exr"));
    assert_near(raster.values(), &truth(), 0.01);
    assert!(
        raster.notes()[0].contains("`height`") && raster.notes()[0].contains("debris"),
        "{:?}",
        raster.notes()
    );
    let named = |name: &str| {
        let channel = HeightChannel::of(name).unwrap();
        formats::read(case("names2.exr"), &ReadOptions { channel, ..ReadOptions::default() })
    };
    assert_eq!(named("Height").unwrap().values(), raster.values());
    assert_eq!(named("debris").unwrap().range(), (0.0, 0.0));
    let message = named("lava").unwrap_err().to_string();
    assert!(message.contains("`lava`") && message.contains("debris, height, water"), "{message}");
}

#[test]
fn a_plane_whose_name_contains_height_comes_before_others() {
    use exr::prelude::{Image, SpecificChannels, WritableImage};
    let _beside = beside();
    for name in ["terrain_height", "elevation_m", "Altitude.masl", "surfaceHeight"] {
        let mut bytes = Vec::new();
        let channels = SpecificChannels::build()
            .with_channel::<f32>("debris")
            .with_channel::<f32>(name)
            .with_pixel_fn(|_| (1.0f32, 2.0f32));
        let image = Image::from_channels((3, 2), channels);
        image.write().to_buffered(&mut std::io::Cursor::new(&mut bytes)).unwrap();
        let raster = formats::read_bytes("x.exr", &bytes, &ReadOptions::default()).unwrap();
        assert_eq!(raster.range(), (2.0, 2.0), "{name}");
        let [note] = raster.notes() else { panic!("{:?}", raster.notes()) };
        assert!(note.contains(&format!("its plane `{name}` is read as height")), "{note}");
    }
}

// ---- Heights in colours ----

#[test]
fn heights_in_colours_are_decoded() {
    let _beside = beside();
    let raster = read(case("terrain_rgb.png"));
    assert_near(raster.values(), &truth(), 0.11);
    assert!(raster.notes()[0].contains("mapbox"), "{:?}", raster.notes());
    let with = |channel| {
        formats::read(case("terrain_rgb.png"), &ReadOptions { channel, ..ReadOptions::default() }).unwrap()
    };
    assert_eq!(with(HeightChannel::Mapbox).values(), raster.values());
    assert!(with(HeightChannel::Luma).range().1 <= 255.0);
    assert!(with(HeightChannel::Terrarium).range().1 < -30_000.0);
}

// ---- Holes of pictures ----

/// A PNG of 4 × 3 pixels.
fn png(colour: png::ColorType, depth: png::BitDepth, trns: Option<&[u8]>, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 3);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    if let Some(trns) = trns {
        encoder.set_trns(trns.to_vec());
    }
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
    bytes
}

#[test]
fn transparent_pixels_are_holes() {
    use png::{BitDepth, ColorType};
    let _beside = beside();
    let height = |index: usize| 1000 + 100 * index as u16;
    let deep: Vec<u8> = (0..12).flat_map(|index| height(index).to_be_bytes()).collect();
    let veiled = |alpha: &dyn Fn(usize) -> u16| -> Vec<u8> {
        (0..12).flat_map(|index| [height(index), alpha(index)]).flat_map(u16::to_be_bytes).collect()
    };
    let colours: Vec<u8> = (0..12).flat_map(|index| [10 * index as u8; 3]).collect();
    let cases = [
        // By an alpha channel, of which half counts as there.
        (
            ColorType::GrayscaleAlpha,
            BitDepth::Sixteen,
            None,
            veiled(&|index| [40_000, 0][usize::from(index == 5)]),
        ),
        // By a colour that stands for nothing.
        (ColorType::Grayscale, BitDepth::Sixteen, Some(height(5).to_be_bytes().to_vec()), deep.clone()),
        (ColorType::Rgb, BitDepth::Eight, Some(vec![0, 50, 0, 50, 0, 50]), colours),
    ];
    for (colour, depth, trns, pixels) in cases {
        let bytes = png(colour, depth, trns.as_deref(), &pixels);
        let raster = formats::read_bytes("x.png", &bytes, &ReadOptions::default()).unwrap();
        assert_eq!(raster.filled(), 1, "{colour:?}");
        let about = (raster.at(0, 1) + raster.at(2, 1)) / 2.0;
        assert!((raster.at(1, 1) - about).abs() < 100.0, "{colour:?}");
    }
    // An alpha channel that was never written says nothing.
    let bytes = png(ColorType::GrayscaleAlpha, BitDepth::Sixteen, None, &veiled(&|_| 0));
    let raster = formats::read_bytes("x.png", &bytes, &ReadOptions::default()).unwrap();
    assert_eq!((raster.filled(), raster.at(1, 1)), (0, 1500.0));
    assert!(raster.notes()[0].contains("alpha channel is 0 everywhere"), "{:?}", raster.notes());
    let alpha = ReadOptions { channel: HeightChannel::Alpha, ..ReadOptions::default() };
    let bytes = png(ColorType::GrayscaleAlpha, BitDepth::Sixteen, None, &veiled(&|index| 7 * index as u16));
    assert_eq!(formats::read_bytes("x.png", &bytes, &alpha).unwrap().at(1, 1), 35.0);
    // A range is one of the heights that are there.
    let range = ReadOptions { range: Some((0.0, 65535.0)), ..ReadOptions::default() };
    let bytes = png(ColorType::GrayscaleAlpha, BitDepth::Sixteen, None, &veiled(&|index| (index > 0).into()));
    let raster = formats::read_bytes("x.png", &bytes, &range).unwrap();
    assert_eq!((raster.filled(), raster.at(1, 1)), (1, 1500.0));
}

#[test]
fn a_range_is_one_of_grey_pixels_of_any_depth() {
    use png::{BitDepth, ColorType};
    let _beside = beside();
    let range = ReadOptions { range: Some((100.0, 355.0)), ..ReadOptions::default() };
    let pixels: Vec<u8> = (0..12).map(|index| if index == 11 { 255 } else { 10 * index }).collect();
    let grey = png(ColorType::Grayscale, BitDepth::Eight, None, &pixels);
    let raster = formats::read_bytes("x.png", &grey, &range).unwrap();
    assert_eq!((raster.range(), raster.at(1, 1)), ((100.0, 355.0), 150.0));
    assert!(raster.notes().is_empty(), "{:?}", raster.notes());
    assert_eq!(formats::read_bytes("x.png", &grey, &ReadOptions::default()).unwrap().range(), (0.0, 255.0));
    let colours: Vec<u8> = (0..12).flat_map(|index| [10 * index, 0, 0]).collect();
    let coloured = png(ColorType::Rgb, BitDepth::Eight, None, &colours);
    let raster = formats::read_bytes("x.png", &coloured, &range).unwrap();
    let [note] = raster.notes() else { panic!("{:?}", raster.notes()) };
    assert!(note.contains("the range is ignored"), "{note}");
}

// ---- Raw numbers ----

#[test]
fn a_raw_file_of_the_other_byte_order_is_read() {
    let _beside = beside();
    let range = Some((100.0, 244.0));
    let options = ReadOptions { range, ..ReadOptions::default() };
    let noise = formats::read(case("big_endian.r16"), &options).unwrap();
    assert!(noise.notes()[0].contains("--byte-order big"), "{:?}", noise.notes());
    let raw = RawLayout { order: Some(ByteOrder::Big), ..RawLayout::default() };
    let land = formats::read(case("big_endian.r16"), &ReadOptions { raw, ..options }).unwrap();
    assert!(land.notes().is_empty());
    let steep = land.values().chunks(37).flat_map(|row| row.windows(2)).map(|pair| (pair[0] - pair[1]).abs());
    assert!(steep.fold(0.0, f32::max) < 15.0 && land.range().0 >= 100.0 && land.range().1 <= 244.0);
}

#[test]
fn raw_numbers_of_every_kind_are_the_same_as_a_whole_and_by_windows() {
    let _beside = beside();
    let number = |column: usize, row: usize| (column * 5 + row * 3) as i32;
    let kinds = [
        SampleType::U8,
        SampleType::U16,
        SampleType::I16,
        SampleType::U32,
        SampleType::I32,
        SampleType::F32,
        SampleType::F64,
    ];
    for sample in kinds {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for (skip, flip_rows, flip_columns) in
                [(0, false, false), (11, true, false), (512, false, true), (3, true, true)]
            {
                let mut bytes = vec![0xab; skip];
                for row in 0..6 {
                    for column in 0..9 {
                        let row = if flip_rows { 5 - row } else { row };
                        let column = if flip_columns { 8 - column } else { column };
                        let number = number(column, row);
                        let mut one = match sample {
                            SampleType::U8 => vec![number as u8],
                            SampleType::U16 | SampleType::I16 => (number as i16).to_le_bytes().to_vec(),
                            SampleType::U32 | SampleType::I32 => number.to_le_bytes().to_vec(),
                            SampleType::F32 => (number as f32).to_le_bytes().to_vec(),
                            SampleType::F64 => f64::from(number).to_le_bytes().to_vec(),
                        };
                        if order == ByteOrder::Big {
                            one.reverse();
                        }
                        bytes.extend(one);
                    }
                }
                let raw = RawLayout {
                    sample: Some(sample),
                    order: Some(order),
                    skip: Some(skip as u64),
                    flip_rows,
                    flip_columns,
                };
                let reading = ReadOptions { size: Some((9, 6)), raw, ..ReadOptions::default() };
                let whole = formats::read_bytes("x.raw", &bytes, &reading).unwrap();
                let expected: Vec<f32> = (0..54).map(|i| number(i % 9, i / 9) as f32).collect();
                assert_eq!(whole.values(), expected, "{raw:?}");
                let options = ElevationFileOptions { reading, ..ElevationFileOptions::default() };
                let file = ElevationFile::from_bytes("x.raw", bytes, &options, &Work::new()).unwrap();
                let part =
                    file.raster(Window { level: 0, first: [2, 1], size: [5, 4] }, &Work::new()).unwrap();
                for (index, value) in part.values().iter().enumerate() {
                    assert_eq!(*value, whole.at(2 + index % 5, 1 + index / 5), "{raw:?}");
                }
            }
        }
    }
}

#[test]
fn what_a_refusal_of_a_raw_file_advises_works() {
    let _beside = beside();
    for length in [2 * 37 * 29, 2 * 30 + 1, 2 * 101, 6] {
        let bytes = vec![1; length];
        let message = formats::read_bytes("x.raw", &bytes, &ReadOptions::default()).unwrap_err().to_string();
        let command = message.split('`').nth(1).unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[..4], ["upland", "convert", "x.raw", "OTHER.tif"], "{message}");
        let after = |key: &str| words.iter().position(|word| *word == key).map(|at| words[at + 1]);
        let size = after("--size").and_then(|size| size.split_once('x')).unwrap();
        let raw =
            RawLayout { skip: after("--skip").map(|skip| skip.parse().unwrap()), ..RawLayout::default() };
        let size = Some((size.0.parse().unwrap(), size.1.parse().unwrap()));
        formats::read_bytes("x.raw", &bytes, &ReadOptions { size, raw, ..ReadOptions::default() }).unwrap();
    }
}

// ---- Extremes ----

#[test]
fn a_cell_size_that_no_file_can_hold_is_refused_before_it_is_written() {
    for size in [1e308, 1e200, 1.1e12] {
        let cell = CellSize::Metres { x: size, z: size };
        let message = Raster::new(2, 2, vec![0.0; 4], cell).unwrap_err().to_string();
        assert!(message.contains("is not a distance between samples"), "{message}");
    }
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let largest = CellSize::Metres { x: CellSize::LARGEST, z: CellSize::LARGEST };
    let raster = Raster::new(3, 2, vec![1.0; 6], largest).unwrap();
    for extension in ["asc", "tif", "exr", "png"] {
        let path = folder.path().join("x").with_extension(extension);
        formats::write(&path, &raster, &formats::WriteOptions::default()).unwrap();
        assert_eq!(read(&path).cell(), largest, "{extension}");
    }
}

#[test]
fn no_message_quotes_control_characters_of_a_file() {
    let _beside = beside();
    let bad = "\u{1b}[2J\u{7}\u{202e}";
    for text in [
        format!("{bad}ncols 3"),
        format!("a{bad} 3"),
        format!("ncols {bad}"),
        format!("ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n{bad}"),
    ] {
        let message =
            formats::read_bytes("x.asc", text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(!message.contains(['\u{1b}', '\u{7}', '\u{202e}', '\n']), "{message:?}");
    }
}
