//! Makes the tiling ground textures of `core/assets/textures` anew, and a picture of them all.
//!
//! `cargo run --release --manifest-path tools/ground_textures/Cargo.toml [FOLDER [SHEET]]` writes each
//! texture's colours, normals and roughness into FOLDER (`core/assets/textures`), and into SHEET
//! (`docs/pictures/ground-textures.png`) a part of each, lit by a low sun in the north-west.

use std::path::PathBuf;

use glam::Vec3;
use upland_core::Result;
use upland_core::texture::Tile;
use upland_ground_textures::GroundTexture;

fn main() -> Result<()> {
    let path = |index: usize, usual: &str| PathBuf::from(std::env::args().nth(index).unwrap_or(usual.into()));
    let (folder, sheet_path) =
        (path(1, "core/assets/textures"), path(2, "docs/pictures/ground-textures.png"));
    let mut sheet = Sheet::new(GroundTexture::all().len());
    for (index, texture) in GroundTexture::all().iter().enumerate() {
        let tile = texture.make();
        let path = folder.join(format!("{}.png", texture.name));
        tile.write(&path)?;
        sheet.add(index, texture.name, &tile);
        println!("{}: {}", path.display(), texture.about);
    }
    sheet.picture.write(sheet_path)
}

/// Samples in rows of four with their names below.
struct Sheet {
    picture: Tile,
}

const COLUMNS: usize = 4;
/// Texels: of a sample's side, of the gap between two, of the strip for a name.
const SAMPLE: usize = 310;
const GAP: usize = 8;
const NAME: usize = 22;
const PAPER: [u8; 3] = [24; 3];
const INK: [u8; 3] = [216; 3];

impl Sheet {
    fn new(samples: usize) -> Self {
        let width = COLUMNS * SAMPLE + (COLUMNS + 1) * GAP;
        let depth = samples.div_ceil(COLUMNS) * (SAMPLE + NAME) + GAP;
        let colours = vec![PAPER; width * depth];
        Self { picture: Tile { width, depth, colours, normals: Vec::new(), roughness: Vec::new() } }
    }

    fn add(&mut self, index: usize, name: &str, tile: &Tile) {
        let left = GAP + index % COLUMNS * (SAMPLE + GAP);
        let top = GAP + index / COLUMNS * (SAMPLE + NAME);
        for row in 0..SAMPLE {
            for column in 0..SAMPLE {
                self.put(
                    left + column,
                    top + row,
                    lit(tile, row % tile.depth * tile.width + column % tile.width),
                );
            }
        }
        for (place, letter) in name.chars().enumerate() {
            for (row, bits) in glyph(letter).into_iter().enumerate() {
                for column in (0..5).filter(|column| bits >> (4 - column) & 1 == 1) {
                    // Every dot is two by two texels.
                    for dot in 0..4 {
                        let (x, z) = (left + (place * 6 + column) * 2, top + SAMPLE + 3 + row * 2);
                        self.put(x + dot % 2, z + dot / 2, INK);
                    }
                }
            }
        }
    }

    fn put(&mut self, column: usize, row: usize, colour: [u8; 3]) {
        self.picture.colours[row * self.picture.width + column] = colour;
    }
}

/// A texel in the light of the sun and the sky.
fn lit(tile: &Tile, index: usize) -> [u8; 3] {
    let [east, south] = tile.normals[index].map(|level| (f32::from(level) - 128.0) / 127.0);
    let normal = Vec3::new(east, (1.0 - east * east - south * south).max(0.0).sqrt(), south);
    let sun = Vec3::new(-0.6, 0.55, -0.45).normalize();
    let light = 0.42 * (0.5 + 0.5 * normal.y) + 1.05 * normal.dot(sun).max(0.0);
    tile.colours[index].map(|level| {
        let reflected = (f32::from(level) / 255.0).powf(2.2) * light;
        (reflected.powf(1.0 / 2.2).min(1.0) * 255.0) as u8
    })
}

/// The letters that the names need, as seven rows of five dots.
fn glyph(letter: char) -> [u8; 7] {
    match letter {
        'a' => [0, 0, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111],
        'c' => [0, 0, 0b01111, 0b10000, 0b10000, 0b10000, 0b01111],
        'd' => [0b00001, 0b00001, 0b01111, 0b10001, 0b10001, 0b10001, 0b01111],
        'e' => [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
        'f' => [0b00110, 0b01000, 0b11110, 0b01000, 0b01000, 0b01000, 0b01000],
        'g' => [0, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110],
        'i' => [0b00100, 0, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110],
        'k' => [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010],
        'l' => [0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        'm' => [0, 0, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101],
        'n' => [0, 0, 0b11110, 0b10001, 0b10001, 0b10001, 0b10001],
        'o' => [0, 0, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110],
        'r' => [0, 0, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000],
        's' => [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        't' => [0b01000, 0b01000, 0b11110, 0b01000, 0b01000, 0b01001, 0b00110],
        'u' => [0, 0, 0b10001, 0b10001, 0b10001, 0b10001, 0b01111],
        'v' => [0, 0, 0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
        'w' => [0, 0, 0b10101, 0b10101, 0b10101, 0b10101, 0b01010],
        'y' => [0, 0b10001, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110],
        _ => [0; 7],
    }
}
