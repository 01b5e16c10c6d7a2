//! Laws of the tiling ground textures: the built-in ones are whole and tile; whatever else is given as a
//! tile is read or refused with a reason. That their maker makes them is a law of `tools/ground_textures`.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use upland_core::texture::{Tile, Tiling};

fn built_in() -> impl Iterator<Item = (&'static str, Tile)> {
    Tile::built_in().iter().map(|name| (*name, Tile::from_built_in(name).unwrap()))
}

/// A part of a tile, with all that belongs to it.
fn crop(tile: &Tile, width: usize, depth: usize) -> Tile {
    fn cut<T: Copy>(from: &[T], whole: usize, width: usize, depth: usize) -> Vec<T> {
        from.chunks(whole).take(depth).flat_map(|row| &row[..width]).copied().collect()
    }
    Tile {
        width,
        depth,
        colours: cut(&tile.colours, tile.width, width, depth),
        normals: cut(&tile.normals, tile.width, width, depth),
        roughness: cut(&tile.roughness, tile.width, width, depth),
    }
}

/// The normals and the roughness as colours, so that they can be looked at in the same way.
fn parts(tile: &Tile) -> [Tile; 2] {
    let normals = tile.normals.iter().map(|&[east, south]| [east, south, 0]).collect();
    let roughness = tile.roughness.iter().map(|&level| [level; 3]).collect();
    [normals, roughness].map(|colours| Tile { colours, ..crop(tile, tile.width, tile.depth) })
}

#[test]
fn there_are_at_least_ten_and_each_has_normals_and_roughness() {
    assert!(Tile::built_in().len() >= 10);
    for (name, tile) in built_in() {
        assert!(tile.width >= 512 && tile.depth >= 512, "{name}");
        let texels = tile.width * tile.depth;
        assert_eq!((tile.colours.len(), tile.normals.len()), (texels, texels), "{name}");
        assert_eq!(tile.roughness.len(), texels, "{name}");
        for &[east, south] in &tile.normals {
            let [x, z] = [east, south].map(|value| (f32::from(value) - 128.0) / 127.0);
            assert!(x * x + z * z < 1.03, "{name} has a normal of {x}, {z}");
        }
    }
}

#[test]
fn every_built_in_tile_tiles() {
    for (name, tile) in built_in() {
        assert_eq!(tile.warnings(false), Vec::<String>::new(), "{name}");
        for part in parts(&tile) {
            assert_eq!(part.warnings(false), Vec::<String>::new(), "{name}'s normals or roughness");
        }
    }
}

#[test]
fn a_part_of_a_tile_does_not_tile_unless_mirrored() {
    // Grass is as noisy from texel to texel as across a cut: there is no seam to see.
    for (name, tile) in built_in().filter(|(name, _)| *name != "grass") {
        let part = crop(&tile, 389, 389);
        let warnings = part.warnings(false);
        assert!(!warnings.is_empty() && warnings[0].contains("does not tile"), "{name}: {warnings:?}");
        assert!(part.warnings(true).is_empty());
    }
}

#[test]
fn normals_lean_no_way_on_average() {
    for (name, tile) in built_in() {
        for axis in 0..2 {
            let sum: i64 = tile.normals.iter().map(|normal| i64::from(normal[axis]) - 128).sum();
            let mean = sum as f64 / tile.normals.len() as f64;
            // Overhanging beds of the cliff lean a little: one degree is 2.2 levels.
            assert!(mean.abs() < 4.0, "{name}: {mean}");
        }
    }
}

/// Repeats show from afar where one part of a tile is lighter than another.
#[test]
fn no_part_of_a_tile_stands_out_from_afar() {
    const PARTS: usize = 4;
    for (name, tile) in built_in() {
        let whole = light(tile.mean_colour());
        let side = tile.width / PARTS;
        for part in 0..PARTS * PARTS {
            let (column, row) = (part % PARTS * side, part / PARTS * side);
            let rows = tile.colours.chunks(tile.width).skip(row).take(side);
            let colours = rows.flat_map(|row| &row[column..column + side]).copied().collect();
            let part = Tile { width: side, depth: side, colours, normals: Vec::new(), roughness: Vec::new() };
            let share = light(part.mean_colour()) / whole;
            assert!((share - 1.0).abs() < 0.1, "{name}: a part has {share} of the whole's light");
        }
    }
}

fn light([red, green, blue]: [f32; 3]) -> f32 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Real ground reflects between a twentieth and nine tenths of the light.
#[test]
fn mean_colours_are_those_of_ground() {
    for (name, tile) in built_in() {
        let light = light(tile.mean_colour());
        let range = if name == "snow" { 0.7..0.95 } else { 0.04..0.6 };
        assert!(range.contains(&light), "{name} reflects {light}");
    }
}

#[test]
fn a_written_tile_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Tile::from_built_in("ice").unwrap();
    // With more colours than a palette has, with a few, and without normals and roughness.
    let many = (0..70 * 50).map(|i| [(i % 70) as u8 * 3, (i / 70) as u8 * 5, (i % 251) as u8]).collect();
    let bare = Tile { colours: many, normals: Vec::new(), roughness: Vec::new(), ..crop(&whole, 70, 50) };
    for (name, tile) in [("part.png", crop(&whole, 70, 50)), ("whole.png", whole), ("bare.png", bare)] {
        let path = folder.path().join(name);
        tile.write(&path).unwrap();
        assert!(Tile::read(&path).unwrap() == tile, "{name}");
    }
}

fn message(path: &Path) -> String {
    Tile::read(path).unwrap_err().to_string()
}

#[test]
fn a_missing_tile_is_answered_with_the_names_there_are() {
    for found in [
        Tiling::new("grasss").read().unwrap_err().to_string(),
        Tile::from_built_in("grasss").unwrap_err().to_string(),
    ] {
        assert!(found.contains("grasss") && found.contains("forest_floor"), "{found}");
    }
}

#[test]
fn broken_files_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tile.png");
    let tile = crop(&Tile::from_built_in("sand").unwrap(), 32, 16);

    fs::write(&path, b"no picture at all").unwrap();
    assert!(message(&path).contains("is neither a PNG nor a BMP"), "{}", message(&path));

    tile.write(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in [0, 9, 40, whole.len() / 2] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(message(&path).contains("tile.png"), "{}", message(&path));
    }

    // A header that promises four billion columns.
    let mut huge = whole.clone();
    huge[16..20].copy_from_slice(&u32::MAX.to_be_bytes());
    fs::write(&path, &huge).unwrap();
    message(&path);

    crop(&tile, 16, 16).write(folder.path().join("other.png")).unwrap();
    fs::write(&path, &whole).unwrap();
    fs::copy(folder.path().join("other_normal.png"), folder.path().join("tile_normal.png")).unwrap();
    let found = message(&path);
    assert!(
        found.contains("tile_normal.png") && found.contains("16×16 texels, the colours 32×16"),
        "{found}"
    );
}

#[test]
fn a_tile_may_have_4096_texels_a_side_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.png");
    for (width, fits) in [(4096, true), (4097, false)] {
        let long = Tile { width, depth: 1, colours: vec![[9; 3]; width], normals: vec![], roughness: vec![] };
        long.write(&path).unwrap();
        assert_eq!(Tile::read(&path).is_ok(), fits);
    }
    assert!(message(&path).contains("at most 4096"));
}

#[test]
fn a_single_texel_is_a_colour() {
    let texel = Tile { width: 1, depth: 1, colours: vec![[1; 3]], normals: vec![], roughness: vec![] };
    for mirrored in [false, true] {
        assert!(texel.warnings(mirrored)[0].contains("give the type a `colour`"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_turned_tile_still_tiles(columns in 0..512usize, rows in 0..512usize) {
        let mut tile = Tile::from_built_in("rock").unwrap();
        tile.colours.rotate_left(rows * tile.width);
        for row in tile.colours.chunks_mut(tile.width) {
            row.rotate_left(columns);
        }
        prop_assert!(tile.warnings(false).is_empty());
    }
}
