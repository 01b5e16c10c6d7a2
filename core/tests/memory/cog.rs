//! Cloud Optimized GeoTIFFs: what is written comes back, overviews are coarser levels of land, and what
//! cannot be written is refused.

use std::path::{Path, PathBuf};

use upland_core::formats::cog::{self, CogImage, CogSamples, Vrt, VrtSamples, VrtTile, vrt};
use upland_core::formats::{self, HeightChannel, ReadOptions, WriteOptions};
use upland_core::{Cache, CellSize, MapPlace, Origin, Raster, Recipe, Window, Work};

use crate::{alone, beside, measured};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name)
}

fn read(path: impl AsRef<Path>) -> Raster {
    formats::read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn read_bytes(bytes: &[u8], channel: HeightChannel) -> Raster {
    let options = ReadOptions { channel, ..Default::default() };
    formats::read_bytes("x.tif", bytes, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn of_heights(width: usize, depth: usize, heights: &[f32]) -> CogImage<'_> {
    CogImage { width, depth, samples: CogSamples::Heights(heights), place: None, nodata: None, metadata: &[] }
}

fn of_bytes(width: usize, depth: usize, channels: usize, values: &[u8]) -> CogImage<'_> {
    let samples = CogSamples::Bytes { channels, values };
    CogImage { samples, ..of_heights(width, depth, &[]) }
}

fn encode(image: &CogImage) -> Vec<u8> {
    cog::encode(image, &Work::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(image: &CogImage) -> String {
    cog::encode(image, &Work::new()).unwrap_err().to_string()
}

fn items(items: &[(&str, &str)]) -> Vec<(String, String)> {
    items.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Heights that are awkward in decimals, rough enough to differ everywhere.
fn rough(width: usize, depth: usize) -> Vec<f32> {
    let height =
        |column: usize, row: usize| ((column * 7919 + row * 104_729) % 65_537) as f32 * 0.137 - 500.3;
    (0..width * depth).map(|index| height(index % width, index / width)).collect()
}

#[test]
fn heights_come_back_bit_for_bit() {
    let _beside = beside();
    for (width, depth) in [(1, 1), (3, 2), (512, 512), (1, 600), (700, 1), (513, 1030)] {
        let heights = rough(width, depth);
        let back = read_bytes(&encode(&of_heights(width, depth, &heights)), HeightChannel::Auto);
        assert_eq!((back.width(), back.depth(), back.filled()), (width, depth, 0));
        assert!(
            back.values().iter().zip(&heights).all(|(a, b)| a.to_bits() == b.to_bits()),
            "{width}×{depth}"
        );
        // The overviews are no images that could be meant.
        assert_eq!(back.notes(), [] as [String; 0]);
    }
}

#[test]
fn bytes_come_back_in_every_channel() {
    let _beside = beside();
    let (width, depth) = (530, 517);
    for channels in [1usize, 2, 3, 4, 7] {
        let values: Vec<u8> = (0..width * depth * channels).map(|n| (n * n / 5 % 251) as u8).collect();
        let file = encode(&of_bytes(width, depth, channels, &values));
        for channel in 0..channels {
            let name = match (channels, channel) {
                (3, 0) => "red".to_owned(),
                (3, 1) => "green".to_owned(),
                (3, _) => "blue".to_owned(),
                _ => (channel + 1).to_string(),
            };
            let back = read_bytes(&file, HeightChannel::of(&name).unwrap());
            let expected = values.iter().skip(channel).step_by(channels).map(|&value| f32::from(value));
            assert!(back.values().iter().copied().eq(expected), "channel {name} of {channels}");
        }
    }
}

#[test]
fn an_overview_is_the_land_at_a_coarser_level() {
    let _beside = beside();
    let text = r#"(version: 1, name: "x", size: (1301, 1025), cell: 7.5, steps: [fbm(height: 900.0, octaves: 9.0)])"#;
    let recipe = Recipe::from_ron(text, "x.ron").unwrap();
    let field = recipe.build_heightfield(&Work::new()).unwrap();
    let file = encode(&of_heights(1301, 1025, field.heights()));
    let mut decoder = tiff::decoder::Decoder::new(std::io::Cursor::new(file)).unwrap();
    for level in 0..3 {
        let (width, depth) = decoder.dimensions().unwrap();
        let window = Window { level, first: [0, 0], size: [width, depth] };
        let land = recipe.build_window(window, &Cache::default(), &Work::new()).unwrap().heights;
        let tiff::decoder::DecodingResult::F32(overview) = decoder.read_image().unwrap() else { panic!() };
        assert!(
            land.heights().iter().zip(&overview).all(|(a, b)| a.to_bits() == b.to_bits()),
            "level {level}"
        );
        assert_eq!(land.heights().len(), overview.len());
        if decoder.more_images() {
            decoder.next_image().unwrap();
        }
    }
    assert!(!decoder.more_images(), "the third image is the smallest: 326×257");
}

#[test]
fn land_lies_where_it_did() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let mut rasters: Vec<(String, Raster)> = [
        "north_up.tif",
        "feet_compound_gdal.tif",
        "mercator_60n.tif",
        "moon_degrees.tif",
        "tiff_mars.tif",
        "tiff_user_feet.tif",
        "tiff_rotated.tif",
        "tiff_quarter_turn.tif",
        "tiff_grads.tif",
        "tiff_mercator_ellipsoid.tif",
        "feet.asc",
        "local_metres.asc",
    ]
    .map(|name| (name.to_owned(), read(case(name))))
    .into();
    let origin = Some(Origin { west: 7.25, south: -46.5 });
    for cell in [
        CellSize::Degrees { x: 1.0 / 3600.0, z: 1.0 / 1200.0, latitude: -46.498_333_333_333_33 },
        CellSize::Metres { x: 0.25, z: 0.5 },
        CellSize::Unknown,
    ] {
        for origin in [origin, None] {
            let raster = Raster::new(3, 4, rough(3, 4), cell).unwrap().with_origin(origin);
            rasters.push((format!("{cell:?} at {origin:?}"), raster));
        }
    }
    for (name, raster) in rasters {
        let [plain, cloud] = [false, true].map(|cog| {
            let path = folder.path().join(format!("{cog}.tif"));
            formats::write(&path, &raster, &WriteOptions { cog, range: None }).unwrap();
            read(path)
        });
        // As an ordinary GeoTIFF brings it back, to the last bit of every number of its place.
        assert_eq!(cloud.values(), plain.values(), "{name}");
        assert_eq!(cloud.cell(), plain.cell(), "{name}");
        assert_eq!(cloud.notes(), plain.notes(), "{name}");
        let name_of = |raster: &Raster| raster.place().and_then(MapPlace::system_name);
        assert_eq!(name_of(&cloud), name_of(&plain), "{name}");
        let depth = raster.depth();
        let transform = |raster: &Raster| raster.place().map(|place| place.transform(depth));
        assert_eq!(transform(&cloud), transform(&plain), "{name}");
    }
}

#[test]
fn holes_are_marked_by_the_given_height() {
    let _beside = beside();
    let (width, depth) = (520, 3);
    let mut heights = rough(width, depth);
    heights[0] = f32::NAN;
    heights[515] = f32::NAN;
    for nodata in [f32::NAN, -9999.0, f32::MIN] {
        let image = CogImage { nodata: Some(nodata), ..of_heights(width, depth, &heights) };
        let back = read_bytes(&encode(&image), HeightChannel::Auto);
        assert_eq!(back.filled(), 2, "{nodata}");
        assert!(back.was_hole(0, 0) && back.was_hole(515, 0));
        assert!(back.values().iter().zip(&heights).filter(|(_, b)| !b.is_nan()).all(|(a, b)| a == b));
    }
    let message = refusal(&of_heights(width, depth, &heights));
    assert!(message.contains("column 0, row 0 is NaN") && message.contains("NODATA"), "{message}");
    heights[0] = f32::INFINITY;
    let image = CogImage { nodata: Some(f32::NAN), ..of_heights(width, depth, &heights) };
    assert!(refusal(&image).contains("column 0, row 0 is inf"));
}

#[test]
fn metadata_is_stored_with_units_that_are_understood() {
    let _beside = beside();
    let heights = rough(4, 3);
    let metadata = items(&[("plan", "sha256:12 & <34> \"ü\""), ("UNITTYPE", "ft"), ("a&<b>", "c\n\td")]);
    let file = encode(&CogImage { metadata: &metadata, ..of_heights(4, 3, &heights) });
    let back = read_bytes(&file, HeightChannel::Auto);
    assert!(back.notes().iter().any(|note| note.contains("foot")), "{:?}", back.notes());
    assert_eq!(back.at(0, 0), (f64::from(heights[0]) * 0.3048) as f32);
    let mut decoder = tiff::decoder::Decoder::new(std::io::Cursor::new(file)).unwrap();
    let xml = decoder.get_tag_ascii_string(tiff::tags::Tag::Unknown(42_112)).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let found = |name: &str| {
        let mut items = document.descendants().filter(|node| node.attribute("name") == Some(name));
        items.next().and_then(|node| node.text()).map(str::to_owned)
    };
    // Texts are escaped twice, as by GDAL.
    for (name, text) in
        [("plan", "sha256:12 &amp; &lt;34&gt; &quot;ü&quot;"), ("UNITTYPE", "ft"), ("a&<b>", "c\n\td")]
    {
        assert_eq!(found(name).as_deref(), Some(text));
    }
    for (name, text) in [("plan", "a\0b"), ("plan", "\u{1b}[2J"), ("", "x"), ("\u{7}", "x")] {
        let metadata = items(&[(name, text)]);
        let message = refusal(&CogImage { metadata: &metadata, ..of_heights(4, 3, &heights) });
        assert!(message.starts_with("metadata: ") && !message.contains(char::is_control), "{message}");
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let _beside = beside();
    let heights = [0.0; 6];
    let values = [0; 6];
    for (image, part) in [
        (of_heights(0, 5, &[]), "hold nothing"),
        (of_heights(5, 0, &[]), "hold nothing"),
        (of_heights(3, 3, &heights), "6 heights given"),
        (of_heights(usize::MAX, 2, &heights), "are supported"),
        (of_heights(usize::MAX, usize::MAX, &heights), "are supported"),
        (of_heights(1 << 31, 1, &heights), "are supported"),
        (of_heights(1 << 24, 1, &heights), "write tiles"),
        (of_bytes(2, 2, 0, &values), "0 channels"),
        (of_bytes(2, 2, 65, &values), "65 channels"),
        (of_bytes(2, 2, usize::MAX, &values), "channels"),
        (of_bytes(2, 2, 3, &values), "12 bytes, and 6 are given"),
        (CogImage { nodata: Some(0.0), ..of_bytes(2, 3, 1, &values) }, "cannot mark holes"),
        (CogImage { nodata: Some(f32::INFINITY), ..of_heights(2, 3, &heights) }, "cannot mark holes"),
    ] {
        let message = refusal(&image);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn only_a_tiff_can_be_cloud_optimized() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let raster = Raster::new(2, 2, vec![1.0; 4], CellSize::Unknown).unwrap();
    for extension in ["png", "asc", "exr", "r16"] {
        let path = folder.path().join("x").with_extension(extension);
        let error = formats::write(&path, &raster, &WriteOptions { cog: true, range: None }).unwrap_err();
        assert!(error.to_string().contains("give the extension .tif"), "{error}");
        assert!(!path.exists());
    }
}

#[test]
fn little_more_is_held_than_the_file() {
    let _alone = alone();
    let side = 3072;
    let heights = rough(side, side);
    let colours = vec![200; side * side * 3];
    let mib = |bytes: usize| bytes as f32 / (1 << 20) as f32;
    // Compressed blocks that wait to be appended, the buffers of the threads, and overviews of bytes.
    let threads = rayon::current_num_threads() as f32;
    for (image, overviews) in
        [(of_heights(side, side, &heights), 0), (of_bytes(side, side, 3, &colours), side * side)]
    {
        let (file, peak) = measured(|| encode(&image));
        assert!(file.capacity() < file.len() * 9 / 8 + (1 << 20), "{} {}", file.capacity(), file.len());
        let most = 2.0 * mib(file.len()) + mib(overviews) + 3.0 * threads + 64.0;
        assert!(peak < most.min(2.2 * mib(side * side * 4) + 3.0 * threads), "{peak} MiB, not {most}");
    }
}

// ---- VRT ----

/// The tiles of an image of two by two.
fn tiles() -> Vec<VrtTile> {
    let tile = |file: &str, column: usize, row: usize, width: usize, depth: usize| VrtTile {
        file: file.to_owned(),
        column,
        row,
        width,
        depth,
    };
    vec![
        tile("a b/ü&<1>.tif", 0, 0, 1024, 1024),
        tile("\"2\".tif", 1024, 0, 76, 1024),
        tile("it's.tif", 0, 1024, 1024, 30),
        tile("4.tif", 1024, 1024, 76, 30),
    ]
}

fn whole<'a>(tiles: &'a [VrtTile]) -> Vrt<'a> {
    let samples = VrtSamples::Heights;
    Vrt { width: 1100, depth: 1054, samples, place: None, nodata: Some(f32::NAN), metadata: &[], tiles }
}

#[test]
fn a_vrt_names_every_tile_at_its_place() {
    let tiles = tiles();
    let place = read(case("north_up.tif")).place().unwrap().clone();
    let metadata = items(&[("plan", "<&>"), ("UNITTYPE", "m"), ("DESCRIPTION", "heights")]);
    let text = vrt(&Vrt { place: Some(&place), metadata: &metadata, ..whole(&tiles) }).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let all = |name: &str| {
        let nodes = document.descendants().filter(|node| node.has_tag_name(name));
        nodes.map(|node| node.text().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let files: Vec<String> = tiles.iter().map(|tile| tile.file.clone()).collect();
    assert_eq!(all("SourceFilename"), files);
    assert_eq!(all("SRS"), ["EPSG:32632"]);
    let numbers: Vec<f64> =
        all("GeoTransform")[0].split(", ").map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers, place.transform(1054));
    assert_eq!(all("OverviewList"), ["2"]);
    assert_eq!((all("NoDataValue"), all("UnitType")), (vec!["nan".to_owned()], vec!["m".to_owned()]));
    assert_eq!(all("MDI"), ["Area", "<&>"]);
    let places: Vec<[usize; 4]> = document
        .descendants()
        .filter(|node| node.has_tag_name("DstRect"))
        .map(|node| {
            ["xOff", "yOff", "xSize", "ySize"].map(|name| node.attribute(name).unwrap().parse().unwrap())
        })
        .collect();
    assert_eq!(places, tiles.iter().map(|t| [t.column, t.row, t.width, t.depth]).collect::<Vec<_>>());
}

#[test]
fn a_vrt_of_bytes_has_a_band_for_each_channel() {
    let tiles = tiles();
    for (channels, colours) in
        [(1, &["Gray"][..]), (3, &["Red", "Green", "Blue"]), (4, &["Gray", "Undefined"])]
    {
        let image = Vrt { samples: VrtSamples::Bytes { channels }, nodata: None, ..whole(&tiles) };
        let text = vrt(&image).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let bands: Vec<_> =
            document.descendants().filter(|node| node.has_tag_name("VRTRasterBand")).collect();
        assert_eq!(bands.len(), channels);
        for (index, band) in bands.iter().enumerate() {
            assert_eq!(band.attribute("band"), Some(format!("{}", index + 1).as_str()));
            let of = |name: &str| {
                let nodes = band.descendants().filter(|node| node.has_tag_name(name));
                nodes.map(|node| node.text().unwrap().to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(of("ColorInterp"), [*colours.get(index).unwrap_or(&"Undefined")]);
            assert_eq!(of("SourceBand"), vec![format!("{}", index + 1); 4]);
        }
    }
}

#[test]
fn a_vrt_that_cannot_be_is_refused() {
    let tiles = tiles();
    let refusal = |image: &Vrt| vrt(image).unwrap_err().to_string();
    assert!(refusal(&Vrt { width: 0, ..whole(&tiles) }).contains("hold nothing"));
    assert!(refusal(&Vrt { depth: 1 << 31, ..whole(&tiles) }).contains("2147483647"));
    assert!(refusal(&Vrt { width: 1099, ..whole(&tiles) }).contains("not within the image of 1099×1054"));
    assert!(
        refusal(&Vrt { samples: VrtSamples::Bytes { channels: 0 }, ..whole(&tiles) }).contains("0 channels")
    );
    let bytes = VrtSamples::Bytes { channels: 1 };
    assert!(refusal(&Vrt { samples: bytes, ..whole(&tiles) }).contains("NaN cannot mark holes among bytes"));
    let changed = |change: fn(&mut VrtTile)| {
        let mut tiles = tiles.clone();
        change(&mut tiles[1]);
        refusal(&whole(&tiles))
    };
    assert!(changed(|tile| tile.file.clear()).contains("has no name"));
    let message = changed(|tile| tile.file = "a\u{1b}[2J.tif".to_owned());
    assert!(message.contains("U+001B") && !message.contains('\u{1b}'), "{message}");
    assert!(changed(|tile| tile.width = 0).contains("not within"));
    assert!(changed(|tile| tile.column = usize::MAX).contains("not within"));
    let metadata = items(&[("a", "\0")]);
    assert!(refusal(&Vrt { metadata: &metadata, ..whole(&tiles) }).starts_with("metadata: "));
}
