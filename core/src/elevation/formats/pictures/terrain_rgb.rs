//! Heights in the colours of 8-bit pictures, as map tiles encode them: Mapbox's Terrain-RGB, and Terrarium.
//!
//! They are recognised by two properties that ordinary pictures lack: values of red that stand for heights on
//! Earth, and a height field that is far smoother than the brightness of the picture, whose green and blue
//! wrap around every few metres. An ordinary picture, grey or coloured, is about as smooth in both.

use std::fmt;

use rayon::prelude::*;

use crate::math::luminance::luma;

/// How colours encode heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation::formats) enum Encoding {
    /// −10000 + (red · 65536 + green · 256 + blue) · 0.1 m.
    Mapbox,
    /// red · 256 + green + blue / 256 − 32768 m.
    Terrarium,
}

/// What a picture may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation::formats) enum Guess {
    /// A picture whose brightness is the height.
    Picture,
    /// Heights, because the user says so.
    Asked(Encoding),
    /// Its colours are possible heights, but its brightness is as smooth.
    Perhaps(Encoding),
    /// Certainly heights.
    Sure(Encoding),
}

/// The decoded heights must be this many times smoother than the brightness.
const SMOOTHER: f64 = 4.0;
/// Pictures with fewer pixels along a side aren't recognised.
const FEWEST: usize = 4;
/// The lowest and highest heights that are expected, in metres: below the deepest trench, above the highest
/// summit.
const ON_EARTH: (f32, f32) = (-11_500.0, 9000.0);

impl Encoding {
    /// Its name in [`HeightChannel`](crate::elevation::formats::HeightChannel) and on the command line.
    pub(in crate::elevation::formats) fn name(self) -> &'static str {
        match self {
            Self::Mapbox => "mapbox",
            Self::Terrarium => "terrarium",
        }
    }

    /// Metres above the sea of a pixel.
    fn height(self, [red, green, blue]: [u8; 3]) -> f32 {
        let [red, green, blue] = [red, green, blue].map(f64::from);
        let height = match self {
            // Divided by 10, because 0.1 isn't exact.
            Self::Mapbox => (red * 65_536.0 + green * 256.0 + blue - 100_000.0) / 10.0,
            Self::Terrarium => red * 256.0 + green + blue / 256.0 - 32_768.0,
        };
        height as f32
    }

    /// The height of a pixel; NaN for a black one, which marks a hole.
    pub(in crate::elevation::formats) fn of_pixel(self, pixel: [u8; 3]) -> f32 {
        if is_black(&pixel) { f32::NAN } else { self.height(pixel) }
    }

    /// The heights of pixels of `step` bytes; NaN where a black one marks a hole.
    pub(in crate::elevation::formats) fn heights(self, bytes: &[u8], step: usize) -> Vec<f32> {
        let pixels = bytes.par_chunks_exact(step.max(3));
        pixels.map(|pixel| self.of_pixel([pixel[0], pixel[1], pixel[2]])).collect()
    }
}

impl Guess {
    /// How the colours are decoded, if they are.
    pub(in crate::elevation::formats) fn decoded(self) -> Option<Encoding> {
        match self {
            Self::Asked(encoding) | Self::Sure(encoding) => Some(encoding),
            Self::Perhaps(_) | Self::Picture => None,
        }
    }

    /// What was guessed, in a line.
    pub(in crate::elevation::formats) fn note(self) -> Option<String> {
        match self {
            Self::Sure(encoding) => Some(format!(
                "its colours are read as heights as {encoding}, since these are smooth and its brightness is \
                 not; give the channel luma to read brightness"
            )),
            Self::Perhaps(encoding) => Some(format!(
                "its brightness is read, but its colours may be heights as {encoding}; then give the channel \
                 {}",
                encoding.name()
            )),
            Self::Asked(_) | Self::Picture => None,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mapbox => "Mapbox's Terrain-RGB has them (mapbox)",
            Self::Terrarium => "Terrarium tiles have them (terrarium)",
        })
    }
}

/// Whether a pixel is black. It decodes to the lowest height, −10000 or −32768 m, and is used where a tile
/// has no data.
fn is_black(pixel: &[u8]) -> bool {
    pixel.starts_with(&[0; 3])
}

/// Examines pixels of `step` bytes, red, green and blue first, `width` in a row.
pub(in crate::elevation::formats) fn guess(bytes: &[u8], step: usize, width: usize) -> Guess {
    let pixels = || bytes.par_chunks_exact(step.max(3));
    let count = bytes.len() / step.max(3);
    let is_small = width < FEWEST || count / width.max(1) < FEWEST;
    let is_grey = || pixels().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    // Tiles have no alpha, or have transparent pixels where there is no data; their colours mean nothing.
    let is_clear = |pixel: &[u8]| pixel.get(3) == Some(&0) || is_black(pixel);
    let is_glassy = || step == 4 && pixels().any(|pixel| !matches!(pixel[3], 0 | 255));
    if is_small || is_grey() || is_glassy() || pixels().all(is_clear) {
        return Guess::Picture;
    }
    let (low, high) = ON_EARTH;
    for encoding in [Encoding::Mapbox, Encoding::Terrarium] {
        let height = |pixel: &[u8]| encoding.height([pixel[0], pixel[1], pixel[2]]);
        if !pixels().all(|pixel| is_clear(pixel) || (low..=high).contains(&height(pixel))) {
            continue;
        }
        let brightness = |pixel: &[u8]| {
            let [red, green, blue] = [pixel[0], pixel[1], pixel[2]].map(f32::from);
            luma(red, green, blue)
        };
        let rows = count / width;
        let rough = |value: &(dyn Fn(&[u8]) -> f32 + Sync)| {
            roughness(
                &|column, row| {
                    let pixel = &bytes[(row * width + column) * step..][..step];
                    if is_clear(pixel) { f64::NAN } else { f64::from(value(pixel)) }
                },
                [width, rows],
            )
        };
        let (decoded, bright) = (rough(&height), rough(&brightness));
        if decoded > 0.0 && bright >= SMOOTHER * decoded {
            return Guess::Sure(encoding);
        }
        // Pictures with little red, or with nearly the same red everywhere, are rare but do occur.
        let reds = pixels().filter(|pixel| !is_clear(pixel)).map(|pixel| (pixel[0], pixel[0]));
        let (least, most) = reds.reduce(|| (255, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if most <= least.saturating_add(1) && decoded > 0.0 && bright >= decoded {
            return Guess::Perhaps(encoding);
        }
    }
    Guess::Picture
}

/// The roughness of a field: the mean of its second differences, as a share of its standard deviation. NaN is
/// skipped.
fn roughness(at: &(dyn Fn(usize, usize) -> f64 + Sync), [width, depth]: [usize; 2]) -> f64 {
    // Row sums are added in order, so that the result does not depend on threads.
    let rows: Vec<[f64; 5]> = (0..depth)
        .into_par_iter()
        .map(|row| {
            let [mut count, mut sum, mut squares, mut bent, mut bends] = [0.0; 5];
            let mut bend = |before: f64, here: f64, after: f64| {
                let by = (before - 2.0 * here + after).abs();
                if !by.is_nan() {
                    bent += 1.0;
                    bends += by;
                }
            };
            for column in 0..width {
                let here = at(column, row);
                if here.is_nan() {
                    continue;
                }
                count += 1.0;
                sum += here;
                squares += here * here;
                if column > 0 && column + 1 < width {
                    bend(at(column - 1, row), here, at(column + 1, row));
                }
                if row > 0 && row + 1 < depth {
                    bend(at(column, row - 1), here, at(column, row + 1));
                }
            }
            [count, sum, squares, bent, bends]
        })
        .collect();
    let mut all = [0.0; 5];
    rows.iter().for_each(|row| all.iter_mut().zip(row).for_each(|(all, row)| *all += row));
    let [count, sum, squares, bent, bends] = all;
    let variance = squares / count - (sum / count) * (sum / count);
    if variance > 1e-9 && bent > 0.0 { bends / bent / variance.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(size: usize, colour: impl Fn(f64, f64) -> [u8; 3]) -> Vec<u8> {
        let at = |i: usize| colour((i % size) as f64 / size as f64, (i / size) as f64 / size as f64);
        (0..size * size).flat_map(at).collect()
    }

    fn hills(x: f64, y: f64, rise: f64) -> f64 {
        let waves = libm::sin(9.0 * x) * libm::cos(7.0 * y) + 0.2 * libm::sin(31.0 * x + 17.0 * y);
        100.0 + rise * (waves + 1.2)
    }

    fn coded(encoding: Encoding, height: f64) -> [u8; 3] {
        let number = match encoding {
            Encoding::Mapbox => (height + 10_000.0) * 10.0,
            Encoding::Terrarium => (height + 32_768.0) * 256.0,
        } as u32;
        [(number >> 16) as u8, (number >> 8) as u8, number as u8]
    }

    #[test]
    fn heights_in_colours_are_recognised_and_decoded() {
        for encoding in [Encoding::Mapbox, Encoding::Terrarium] {
            for rise in [60.0, 300.0, 1500.0] {
                let bytes = picture(64, |x, y| coded(encoding, hills(x, y, rise)));
                assert_eq!(guess(&bytes, 3, 64), Guess::Sure(encoding), "{rise}");
                let heights = encoding.heights(&bytes, 3);
                let expected = hills(17.0 / 64.0, 5.0 / 64.0, rise);
                assert!((f64::from(heights[5 * 64 + 17]) - expected).abs() < 0.11, "{rise}");
            }
        }
    }

    #[test]
    fn ordinary_pictures_stay_pictures() {
        let byte = |value: f64| value.clamp(0.0, 255.0) as u8;
        let grey = picture(64, |x, y| [byte(hills(x, y, 60.0)); 3]);
        let dark = picture(64, |x, y| [byte(hills(x, y, 0.5) - 99.0); 3]);
        let tint = picture(64, |x, y| {
            let height = hills(x, y, 60.0);
            [byte(height), byte(255.0 - height), byte(height / 2.0)]
        });
        let normals = picture(64, |x, y| [byte(128.0 + 90.0 * x), byte(128.0 - 60.0 * y), 240]);
        let noise = picture(64, |x, y| {
            let hash = ((x * 64.0) as u32 * 7919 + (y * 64.0) as u32 * 104_729).wrapping_mul(2_654_435_761);
            [(hash >> 24) as u8 / 8 + 100, (hash >> 16) as u8, (hash >> 8) as u8]
        });
        let blue = picture(64, |x, y| [0, byte(hills(x, y, 30.0)), byte(255.0 - hills(y, x, 50.0))]);
        for (name, bytes, expected) in [
            ("grey", grey, Guess::Picture),
            ("dark", dark, Guess::Picture),
            ("tint", tint, Guess::Picture),
            ("normals", normals, Guess::Picture),
            ("noise", noise, Guess::Picture),
            // Without red, its colours are possible heights: this is reported, and they are not decoded.
            ("blue", blue, Guess::Perhaps(Encoding::Mapbox)),
        ] {
            assert_eq!(guess(&bytes, 3, 64), expected, "{name}");
        }
    }

    #[test]
    fn clear_pixels_do_not_count() {
        let rgb = picture(64, |x, y| coded(Encoding::Mapbox, hills(x, y, 300.0)));
        let mut rgba: Vec<u8> = rgb.chunks(3).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
        assert_eq!(guess(&rgba, 4, 64), Guess::Sure(Encoding::Mapbox));
        rgba.chunks_mut(4).step_by(7).for_each(|pixel| pixel.fill(0));
        assert_eq!(guess(&rgba, 4, 64), Guess::Sure(Encoding::Mapbox));
        // Black pixels don't count either: they mark holes.
        let mut holed = rgb.clone();
        holed.chunks_mut(3).step_by(7).for_each(|pixel| pixel.fill(0));
        assert_eq!(guess(&holed, 3, 64), Guess::Sure(Encoding::Mapbox));
        assert!(Encoding::Mapbox.heights(&holed, 3)[7].is_nan());
        rgba[7] = 100;
        assert_eq!(guess(&rgba, 4, 64), Guess::Picture, "a transparent picture is not elevation");
    }
}
