//! The layout of whole files: what GDAL's readers count on, and that nothing depends on threads.

use std::io::Cursor;

use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use super::*;

/// Rough land of this size, with a level plain in the west.
fn heights(width: usize, depth: usize) -> Vec<f32> {
    let height = |column: usize, row: usize| {
        let noise = (column as u32).wrapping_mul(2_654_435_761) ^ (row as u32).wrapping_mul(2_246_822_519);
        let slope = (column * column + 3 * row) as f32 * 0.37;
        if column < width / 3 { 12.5 } else { slope + (noise >> 20) as f32 / 4096.0 }
    };
    (0..width * depth).map(|index| height(index % width, index / width)).collect()
}

fn of_heights(width: usize, depth: usize, heights: &[f32]) -> CogImage<'_> {
    CogImage { width, depth, samples: CogSamples::Heights(heights), place: None, nodata: None, metadata: &[] }
}

fn of_bytes(width: usize, depth: usize, channels: usize, values: &[u8]) -> CogImage<'_> {
    let samples = CogSamples::Bytes { channels, values };
    CogImage { samples, ..of_heights(width, depth, &[]) }
}

/// A number of `bytes` bytes of a file.
fn number(file: &[u8], place: usize, bytes: usize) -> usize {
    file[place..place + bytes].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Checks that blocks are where the lines at the beginning of the file say that they are: one after the
/// other, those of the smallest overview first, each between its length and its last bytes.
fn assert_layout(file: &[u8], levels: usize) {
    let big = file[2] == 43;
    let text = String::from_utf8_lossy(&file[if big { 16 } else { 8 }..]);
    assert!(text.starts_with("GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\n"));
    let first = if big { number(file, 8, 8) } else { number(file, 4, 4) };
    assert_eq!(first, (if big { 16usize } else { 8 } + 43 + 140).next_multiple_of(2));
    let mut decoder = Decoder::new(Cursor::new(file)).unwrap();
    let mut images = Vec::new();
    loop {
        let table = |decoder: &mut Decoder<_>, tag| decoder.get_tag_u64_vec(tag).unwrap();
        images.push((table(&mut decoder, Tag::TileOffsets), table(&mut decoder, Tag::TileByteCounts)));
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().unwrap();
    }
    assert_eq!(images.len(), levels);
    let blocks = images.iter().rev().flat_map(|(offsets, lengths)| offsets.iter().zip(lengths));
    let mut end = None;
    for (&offset, &length) in blocks {
        let (offset, length) = (offset as usize, length as usize);
        assert_eq!(number(file, offset - 4, 4), length);
        assert_eq!(file[offset + length - 4..offset + length], file[offset + length..offset + length + 4]);
        assert!(end.is_none_or(|end| end == offset - 4), "{end:?} {offset}");
        end = Some(offset + length + 4);
    }
    assert_eq!(end, Some(file.len()));
}

/// The heights of all images of a file, read by the crate `tiff`.
fn images(file: &[u8]) -> Vec<([usize; 2], Vec<f32>)> {
    let mut decoder = Decoder::new(Cursor::new(file)).unwrap();
    let mut images = Vec::new();
    loop {
        let (width, depth) = decoder.dimensions().unwrap();
        let DecodingResult::F32(heights) = decoder.read_image().unwrap() else { panic!() };
        images.push(([width as usize, depth as usize], heights));
        if !decoder.more_images() {
            return images;
        }
        decoder.next_image().unwrap();
    }
}

#[test]
fn every_overview_has_every_second_sample_of_the_one_before() {
    for (width, depth) in [(1, 1), (512, 512), (513, 1), (1, 1025), (1300, 700), (2049, 514)] {
        let heights = heights(width, depth);
        let file = encode(&of_heights(width, depth, &heights), &Work::new()).unwrap();
        let images = images(&file);
        assert_layout(&file, images.len());
        for (level, ([columns, rows], found)) in images.iter().enumerate() {
            let at =
                |index: usize| heights[((index / columns) << level) * width + ((index % columns) << level)];
            assert_eq!([*columns, *rows], [width, depth].map(|side| ((side - 1) >> level) + 1));
            let same =
                found.iter().enumerate().all(|(index, height)| height.to_bits() == at(index).to_bits());
            assert!(same, "{width}×{depth} at level {level}");
        }
        let [last, _] = images[images.len() - 1].0;
        assert!(last <= 512);
    }
}

#[test]
fn longer_files_become_big_tiffs_with_the_same_blocks() {
    let heights = heights(1300, 700);
    let image = of_heights(1300, 700, &heights);
    let plain = encode(&image, &Work::new()).unwrap();
    let big = encode_within(plain.len() as u64 - 1, &image, &Work::new()).unwrap();
    assert_eq!((plain[2], big[2]), (42, 43));
    assert_layout(&big, 3);
    assert_eq!(images(&big), images(&plain));
    assert!(big.len() > plain.len());
    let back = crate::formats::read_bytes("x.tif", &big, &Default::default()).unwrap();
    assert_eq!(back.values(), heights);
    assert_eq!(encode_within(plain.len() as u64, &image, &Work::new()).unwrap(), plain);
}

#[test]
fn the_same_image_gives_the_same_bytes_at_any_number_of_threads() {
    let heights = heights(1300, 700);
    let colours: Vec<u8> =
        heights.iter().flat_map(|height| height.to_le_bytes()).take(3 * 700 * 1300).collect();
    let encoded = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            [of_heights(1300, 700, &heights), of_bytes(1300, 700, 3, &colours)]
                .map(|image| encode(&image, &Work::new()).unwrap())
        })
    };
    let one = encoded(1);
    assert!(encoded(8) == one && encoded(3) == one);
}

#[test]
fn the_bytes_are_those_of_every_machine_and_version() {
    // FNV-1a. Another compressor, or another version of one, may give other bytes that are just as valid: then
    // tiles of one plan that different builds have made differ, and their version must tell them apart.
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let heights = heights(700, 600);
    let rough = encode(&of_heights(700, 600, &heights), &Work::new()).unwrap();
    let whole: Vec<f32> = heights.iter().map(|height| height.round()).collect();
    let whole = encode(&of_heights(700, 600, &whole), &Work::new()).unwrap();
    assert_eq!([hash(&rough), hash(&whole)], [10_591_260_622_636_581_305, 15_785_944_030_233_449_636]);
}

#[test]
fn work_that_is_cancelled_ends() {
    let heights = heights(1300, 700);
    let bytes = vec![7; 1300 * 700 * 2];
    for image in [of_heights(1300, 700, &heights), of_bytes(1300, 700, 2, &bytes)] {
        let checks = std::sync::atomic::AtomicUsize::new(0);
        let work = Work::watched(move |work| {
            if checks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 3 {
                work.cancel();
            }
        });
        assert!(matches!(encode(&image, &work), Err(crate::Error::Cancelled)));
    }
}
