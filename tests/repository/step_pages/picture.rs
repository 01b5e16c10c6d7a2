//! Pictures of 256 colours: a third of the bytes, and in a small picture one sees no difference.

use std::collections::BTreeMap;

use image::{Rgb, RgbImage};

const COLOURS: usize = 256;

/// The picture as it is kept.
pub fn shown(picture: &RgbImage) -> RgbImage {
    let (palette, indices) = indexed(picture);
    let (width, height) = picture.dimensions();
    RgbImage::from_fn(width, height, |x, y| Rgb(palette[usize::from(indices[(y * width + x) as usize])]))
}

/// The picture as a PNG file.
pub fn png(picture: &RgbImage) -> Vec<u8> {
    let (palette, indices) = indexed(picture);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.into_flattened());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header().unwrap().write_image_data(&indices).unwrap();
    bytes
}

/// Its colours, and which of them each pixel has: Heckbert's median cut (1982). The box with the widest range
/// of a channel is cut at the median of its pixels, until there are enough.
fn indexed(picture: &RgbImage) -> (Vec<[u8; 3]>, Vec<u8>) {
    let mut counts = BTreeMap::new();
    for Rgb(colour) in picture.pixels() {
        *counts.entry(*colour).or_insert(0u32) += 1;
    }
    let mut boxes: Vec<Vec<([u8; 3], u32)>> = vec![counts.into_iter().collect()];
    while boxes.len() < COLOURS {
        let width = |colours: &[([u8; 3], u32)], channel: usize| {
            let values = || colours.iter().map(|(colour, _)| colour[channel]);
            values().max().unwrap_or(0) - values().min().unwrap_or(0)
        };
        let widest =
            |colours: &Vec<_>| (0..3).map(|channel| (width(colours, channel), channel)).max().unwrap();
        let (index, (range, channel)) =
            boxes.iter().map(widest).enumerate().max_by_key(|(_, (range, _))| *range).unwrap();
        if range == 0 {
            break;
        }
        let mut low = std::mem::take(&mut boxes[index]);
        low.sort_by_key(|(colour, _)| (colour[channel], *colour));
        let half = low.iter().map(|(_, count)| count).sum::<u32>() / 2;
        let mut passed = 0;
        let at = low.iter().position(|(_, count)| {
            passed += count;
            passed > half
        });
        let high = low.split_off(at.unwrap_or(0).clamp(1, low.len() - 1));
        boxes[index] = low;
        boxes.push(high);
    }
    let mean = |colours: &[([u8; 3], u32)]| {
        let pixels: u32 = colours.iter().map(|(_, count)| count).sum();
        [0, 1, 2].map(|channel| {
            let sum: u32 = colours.iter().map(|(colour, count)| u32::from(colour[channel]) * count).sum();
            ((sum + pixels / 2) / pixels) as u8
        })
    };
    let palette: Vec<[u8; 3]> = boxes.iter().map(|colours| mean(colours)).collect();
    let numbers = boxes
        .iter()
        .zip(0u8..=255)
        .flat_map(|(colours, number)| colours.iter().map(move |(colour, _)| (*colour, number)));
    let numbers: BTreeMap<[u8; 3], u8> = numbers.collect();
    let indices = picture.pixels().map(|Rgb(colour)| numbers[colour]).collect();
    (palette, indices)
}
