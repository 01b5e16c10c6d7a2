//! Where rasters lie on their maps, in which units, and that this survives reading, writing, windows and
//! recipes.

use std::path::{Path, PathBuf};

use upland_core::formats::{self, MapUnit, ReadOptions, WriteOptions};
use upland_core::{CellSize, ElevationFile, MapPlace, Origin, Raster, Recipe, Window, Work};

use crate::beside;

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases").join(name)
}

fn read(path: impl AsRef<Path>) -> Raster {
    formats::read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn write(path: &Path, raster: &Raster) -> formats::Written {
    formats::write(path, raster, &WriteOptions::default()).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

/// Checks that two rasters lie at the same place of the same map, with cells of the same size on the ground.
fn assert_same_place(what: &str, raster: &Raster, expected: &Raster) {
    let (place, other) = (raster.place().expect(what), expected.place().unwrap());
    assert_eq!(place.system_name(), other.system_name(), "{what}");
    let depth = expected.depth();
    let pairs = place.transform(depth).into_iter().zip(other.transform(depth));
    assert!(pairs.clone().all(|(a, b)| near(a, b)), "{what}: {place:?}, not {other:?}");
    let (cell, ground) = (raster.cell().in_metres().unwrap(), expected.cell().in_metres().unwrap());
    assert!(near(cell.0, ground.0) && near(cell.1, ground.1), "{what}: {cell:?}, not {ground:?}");
}

const MAPS: [(&str, &str); 7] = [
    ("north_up.tif", "EPSG:32632"),
    ("feet_compound_gdal.tif", "EPSG:"),
    ("mercator_60n.tif", "EPSG:3857"),
    ("moon_degrees.tif", ""),
    ("tiff_mars.tif", ""),
    ("tiff_user_feet.tif", ""),
    ("feet.asc", "NAD_1983_StatePlane_Kentucky_FIPS_1600_Feet"),
];

#[test]
fn land_lies_where_it_did_in_every_format_that_can_say_it() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    for (name, system) in MAPS {
        let raster = read(case(name));
        let found = raster.place().and_then(MapPlace::system_name).unwrap_or_default();
        assert!(found.starts_with(system) && !found.is_empty(), "{name}: {found}");
        for extension in ["tif", "asc", "png", "exr"] {
            let path = folder.path().join(name).with_extension(extension);
            write(&path, &raster);
            let back = read(&path);
            assert_same_place(&format!("{name} as {extension}"), &back, &raster);
            // Heights are in metres by then, and are not converted again.
            let (low, high) = raster.range();
            let (own_low, own_high) = back.range();
            let most = (high - low) * 1e-4 + 1e-3;
            assert!(
                (own_low - low).abs() <= most && (own_high - high).abs() <= most,
                "{name} as {extension}"
            );
        }
    }
}

#[test]
fn a_turned_raster_keeps_its_place_where_the_format_can_say_it() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let raster = read(case("tiff_rotated.tif"));
    for extension in ["tif", "png", "exr"] {
        let path = folder.path().join("x").with_extension(extension);
        write(&path, &raster);
        assert_same_place(extension, &read(&path), &raster);
    }
    let written = write(&folder.path().join("x.asc"), &raster);
    assert!(written.message().is_some_and(|message| message.contains("is not written")), "{written:?}");
}

#[test]
fn what_an_ascii_grid_cannot_say_is_in_files_beside_it() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feet.asc");
    let written = write(&path, &read(case("feet.asc")));
    assert!(written.notes.iter().any(|note| note.contains("feet.prj")), "{written:?}");
    let prj = std::fs::read_to_string(folder.path().join("feet.prj")).unwrap();
    assert_eq!(prj.trim(), std::fs::read_to_string(case("feet.prj")).unwrap().trim());
    // What lies there of another land is reported.
    let plain = Raster::new(2, 2, vec![1.0; 4], CellSize::Metres { x: 5.0, z: 5.0 }).unwrap();
    let written = write(&path, &plain);
    assert!(written.notes.iter().any(|note| note.contains("feet.prj beside it is older")), "{written:?}");
    let written = write(&folder.path().join("utm.asc"), &read(case("north_up.tif")));
    assert!(written.notes.iter().any(|note| note.contains("utm.asc.aux.xml")), "{written:?}");
    let xml = std::fs::read_to_string(folder.path().join("utm.asc.aux.xml")).unwrap();
    assert!(xml.contains("<SRS>EPSG:32632</SRS>"), "{xml}");
    let written = write(&folder.path().join("x.r16"), &read(case("north_up.tif")));
    assert!(written.message().unwrap().contains("cannot record where it lies"), "{written:?}");
}

#[test]
fn windows_lie_where_the_file_has_them() {
    let _beside = beside();
    for (name, cell) in [("mercator_60n.tif", 50.0), ("feet.asc", 25.0 * 3937.0 / 1200.0)] {
        let file = ElevationFile::open(case(name), &Default::default(), &Work::new()).unwrap();
        let all = file.place().unwrap().origin().unwrap();
        // The whole has 29 rows: those from the 8th to the 17th at every second sample.
        let part = file.raster(Window { level: 1, first: [3, 4], size: [7, 5] }, &Work::new()).unwrap();
        let place = part.place().unwrap();
        assert_eq!(place.system_name(), file.place().unwrap().system_name());
        let at = place.origin().unwrap();
        assert!((at.west - (all.west + 5.5 * cell)).abs() < 0.01, "{name}: {at:?}");
        assert!((at.south - (all.south + 11.5 * cell)).abs() < 0.01, "{name}: {at:?}");
        let [x, z] = place.cell().unwrap();
        assert!((x / cell - 2.0).abs() < 1e-6 && (z / cell - 2.0).abs() < 1e-6, "{name}: {x} {z}");
        let ground = part.cell().in_metres().unwrap();
        assert!((ground.0 - 50.0).abs() < 0.1, "{name}: {ground:?}");
    }
}

#[test]
fn land_of_a_file_lies_where_the_file_does_at_any_resolution() {
    let _beside = beside();
    let work = Work::new();
    let raster = read(case("mercator_60n.tif"));
    let recipe = Recipe::from_elevation(case("mercator_60n.tif")).unwrap();
    let place = recipe.map_place(None, &work).unwrap().unwrap().unwrap();
    assert_eq!(place.system_name().as_deref(), Some("EPSG:3857"));
    let field = recipe.build_heightfield(&work).unwrap();
    assert_eq!((field.grid().width, field.grid().depth), (37, 29));
    // The place is kept in f64; the cell of a land is an f32.
    let cell = raster.cell().in_metres().unwrap().0;
    assert_eq!(field.grid().cell, cell as f32);
    assert_eq!(Some(&place), raster.place());
    // Twice as many cells are half as large, and the middles of the outermost samples stay.
    let fine = recipe.with_longer_side(73);
    let at = fine.map_place(None, &work).unwrap().unwrap().unwrap();
    let (own, fine_at) = (raster.origin().unwrap(), at.origin().unwrap());
    assert!((at.cell().unwrap()[0] - 25.0).abs() < 1e-6);
    assert!(
        (fine_at.west - (own.west + 12.5)).abs() < 1e-6 && (fine_at.south - (own.south + 12.5)).abs() < 1e-6
    );
    // So it is in windows of it.
    let window = Window { level: -1, first: [4, 6], size: [11, 9] };
    let part = recipe.map_place(Some(window), &work).unwrap().unwrap().unwrap();
    let part_at = part.origin().unwrap();
    assert!((part.cell().unwrap()[0] - 25.0).abs() < 1e-6);
    assert!((part_at.west - (own.west + 12.5 + 4.0 * 25.0)).abs() < 1e-6, "{part_at:?}");
    assert!((part_at.south - (own.south + 12.5 + (57.0 - 15.0) * 25.0)).abs() < 1e-6, "{part_at:?}");
    // A land of another size lies nowhere.
    let mut larger = recipe.clone();
    larger.cell *= 3.0;
    let reason = larger.map_place(None, &work).unwrap().unwrap().unwrap_err();
    assert!(reason.contains("is not kept"), "{reason}");
    let flat =
        Recipe::from_ron(r#"(version: 1, name: "x", size: (9, 9), cell: 1, steps: [flat()])"#, "x.ron");
    assert!(flat.unwrap().map_place(None, &work).unwrap().is_none());
}

#[test]
fn a_step_that_imports_a_file_can_say_what_its_map_is_in() {
    let _beside = beside();
    let work = Work::new();
    let file = case("local_metres.asc").display().to_string().replace('\\', "/");
    // The same land, 3.6 × 2.8 m, without its .prj would be taken for degrees.
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("alone.asc");
    std::fs::copy(file, &alone).unwrap();
    let alone = alone.display().to_string().replace('\\', "/");
    let place = |cell: f64, more: &str| {
        let text = format!(
            r#"(version: 1, name: "x", size: (37, 29), cell: {cell}, steps: [import(file: "{alone}"{more})])"#
        );
        Recipe::from_ron(&text, "x.ron").unwrap().map_place(None, &work).unwrap().unwrap()
    };
    assert!(place(0.1, "").is_err(), "degrees");
    let metres = place(0.1, ", map: m").unwrap();
    assert_eq!(metres.cell(), Some([0.1, 0.1]));
    assert!(place(0.03048, ", map: ft").is_ok());
    let text = |more: &str| {
        let step = format!(
            r#"(version: 1, name: "x", size: (37, 29), cell: 7, steps: [import(file: "{alone}"{more})])"#
        );
        Recipe::from_ron(&step, "x.ron").unwrap().map_place(None, &work).unwrap()
    };
    assert!(text("").unwrap().is_err());
    assert!(text(", spacing: 7").is_none(), "a grid of cells of an unknown map lies nowhere");
}

#[test]
fn units_and_cells_that_are_given_replace_those_of_the_file() {
    let _beside = beside();
    let bytes = std::fs::read(case("local_metres.asc")).unwrap();
    let with = |options: ReadOptions| formats::read_bytes("x.asc", &bytes, &options).unwrap();
    let metres = with(ReadOptions { map_unit: Some(MapUnit::Metres(1.0)), ..Default::default() });
    assert_eq!(metres.cell(), CellSize::Metres { x: 0.1, z: 0.1 });
    assert!(metres.notes().is_empty(), "{:?}", metres.notes());
    let degrees = with(ReadOptions { map_unit: Some(MapUnit::Degrees), ..Default::default() });
    assert!(matches!(degrees.cell(), CellSize::Degrees { .. }) && degrees.notes().is_empty());
    let given = with(ReadOptions { cell: Some(7.5), ..Default::default() });
    assert_eq!((given.cell(), given.origin()), (CellSize::Metres { x: 7.5, z: 7.5 }, None));
    let feet = with(ReadOptions { height_unit: Some(0.3048), ..Default::default() });
    assert!((feet.range().1 - metres.range().1 * 0.3048).abs() < 1e-3);
    for options in [
        ReadOptions { map_unit: Some(MapUnit::Metres(0.0)), ..Default::default() },
        ReadOptions { height_unit: Some(f64::NAN), ..Default::default() },
        ReadOptions { cell: Some(-1.0), ..Default::default() },
    ] {
        let message = formats::read_bytes("x.asc", &bytes, &options).unwrap_err().to_string();
        assert!(message.contains("give a number above 0"), "{message}");
    }
    // So it is of windows of a TIFF, whose own units are then not reported.
    let reading =
        ReadOptions { map_unit: Some(MapUnit::Metres(1.0)), height_unit: Some(1.0), ..Default::default() };
    let options = upland_core::ElevationFileOptions { reading, ..Default::default() };
    let file = ElevationFile::open(case("feet_compound_gdal.tif"), &options, &Work::new()).unwrap();
    assert_eq!(file.cell(), CellSize::Metres { x: 100.0, z: 100.0 });
    assert!(file.notes().is_empty(), "{:?}", file.notes());
}

#[test]
fn files_beside_a_tiff_say_what_it_leaves_out() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tif");
    write(&path, &Raster::new(2, 3, (0..6).map(|n| n as f32).collect(), CellSize::Unknown).unwrap());
    assert_eq!(read(&path).place(), None);
    std::fs::write(folder.path().join("x.tfw"), "100\n0\n0\n-100\n1050\n5250\n").unwrap();
    std::fs::copy(case("feet.prj"), folder.path().join("x.prj")).unwrap();
    let raster = read(&path);
    let (x, z) = raster.cell().in_metres().unwrap();
    assert!((x - 100.0 * 1200.0 / 3937.0).abs() < 1e-9 && x == z, "{x} {z}");
    assert_eq!(raster.origin(), Some(Origin { west: 1000.0, south: 5000.0 }));
    let file = ElevationFile::open(&path, &Default::default(), &Work::new()).unwrap();
    assert_eq!((file.cell(), file.origin(), file.notes()), (raster.cell(), raster.origin(), raster.notes()));
    // An .aux.xml was added later than all else: south up, in metres, in tenths.
    let xml = "<PAMDataset><SRS>EPSG:32632</SRS><GeoTransform>500000, 10, 0, 5000000, 0, 10</GeoTransform>\
        <PAMRasterBand band=\"1\"><NoDataValue>5</NoDataValue><Scale>0.1</Scale></PAMRasterBand></PAMDataset>";
    std::fs::write(folder.path().join("x.tif.aux.xml"), xml).unwrap();
    let raster = read(&path);
    assert_eq!(raster.cell(), CellSize::Metres { x: 10.0, z: 10.0 });
    assert_eq!(raster.origin(), Some(Origin { west: 500_000.0, south: 5_000_000.0 }));
    assert_eq!((raster.filled(), raster.at(0, 0), raster.at(1, 2)), (1, 0.4, 0.1));
    // The same for a TIFF with tags of its own.
    let own = folder.path().join("own.tif");
    std::fs::copy(case("north_up.tif"), &own).unwrap();
    std::fs::copy(folder.path().join("x.tfw"), folder.path().join("own.tfw")).unwrap();
    assert_eq!(read(&own).cell(), CellSize::Metres { x: 25.0, z: 25.0 }, "its tags come before a world file");
    std::fs::copy(folder.path().join("x.tif.aux.xml"), folder.path().join("own.tif.aux.xml")).unwrap();
    assert_eq!(read(&own).cell(), CellSize::Metres { x: 10.0, z: 10.0 });
}

#[test]
fn a_picture_of_land_is_placed_by_files_beside_it() {
    let _beside = beside();
    let folder = tempfile::tempdir().unwrap();
    let raster = read(case("mercator_60n.tif"));
    let path = folder.path().join("colours.png");
    let place = raster.place().unwrap().of_texels([37, 29], [72, 56]);
    let written = formats::write_place(&path, &place, 56).unwrap();
    assert_eq!(written, [folder.path().join("colours.pgw"), folder.path().join("colours.png.aux.xml")]);
    // A picture of as many pixels is read where it belongs.
    let grey = Raster::new(72, 56, vec![0.5; 72 * 56], CellSize::Unknown).unwrap();
    write(&path, &grey);
    let back = read(&path);
    let (at, own) = (back.origin().unwrap(), raster.origin().unwrap());
    assert!((at.west - own.west - 25.0).abs() < 1e-6 && (at.south - own.south - 25.0).abs() < 1e-6, "{at:?}");
    assert_eq!(back.place().unwrap().system_name().as_deref(), Some("EPSG:3857"));
    let (x, _) = back.cell().in_metres().unwrap();
    assert!((x - 12.5).abs() < 0.01, "{x}");
}

#[test]
fn windows_of_a_file_share_the_range_of_all_of_it() {
    let _beside = beside();
    let stretch = |name: &str| {
        let file = ElevationFile::open(case(name), &Default::default(), &Work::new()).unwrap();
        file.stretch(&Work::new()).unwrap()
    };
    assert_eq!(stretch("north_up.tif"), Some(read(case("north_up.tif")).range()));
    assert_eq!(stretch("tiff_white_is_zero.tif"), None, "whole numbers stay what they are");
    // Holes have no height, and what fills them is between others.
    assert_eq!(stretch("tiff_nan.tif"), Some(read(case("tiff_nan.tif")).range()));
    assert_eq!(stretch("nan_first.asc"), Some(read(case("nan_first.asc")).range()));
}

#[test]
fn holes_of_a_file_can_stay_open() {
    let _beside = beside();
    let work = Work::new();
    let land = |holes: &str, size: &str| {
        let file = case("nan_first.asc").display().to_string().replace('\\', "/");
        let text = format!(
            r#"(version: 1, name: "x", size: {size}, cell: 25, steps: [import(file: "{file}", holes: {holes})])"#
        );
        Recipe::from_ron(&text, "x.ron").unwrap()
    };
    let filled = land("fill", "(37, 29)");
    assert!(!filled.has_holes());
    let kept = land("keep", "(37, 29)");
    assert!(kept.has_holes());
    let ground = kept.build_layers(&["hole"], &upland_core::Cache::new(0), &work).unwrap();
    let holes = ground.layer("hole").unwrap();
    let raster = read(case("nan_first.asc"));
    for row in 0..29 {
        for column in 0..37 {
            assert_eq!(holes.at(column, row) > 0.5, raster.was_hole(column, row), "{column} {row}");
        }
    }
    assert_eq!(holes.heights().iter().filter(|share| **share > 0.5).count(), 24);
    // The ground around them is that of filled holes.
    assert_eq!(ground.heights, filled.build_heightfield(&work).unwrap());
    // Twice as many samples have holes of the same size.
    let fine = land("keep", "(73, 57)").build_layers(&["hole"], &upland_core::Cache::new(0), &work).unwrap();
    let count = fine.layer("hole").unwrap().heights().iter().filter(|share| **share > 0.5).count();
    assert!((60..=110).contains(&count), "{count}");
}
