//! Converts the output of a picture's decoder to heights; shared by the picture formats.

use image::{ColorType, ImageDecoder, ImageError, ImageResult};
use rayon::prelude::*;

use crate::elevation::formats::channel::{HeightChannel, Layout, heights};
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::label::Label;
use crate::elevation::formats::pictures::terrain_rgb::{self, Encoding, Guess};
use crate::elevation::formats::sixteen_bit;
use crate::error::{Error, Result};

/// The heights of a picture.
pub(in crate::elevation::formats) struct Pixels {
    pub(in crate::elevation::formats) values: Vec<f32>,
    /// The number that is white in grey pixels, with or without alpha; only these can be mapped to a range.
    pub(in crate::elevation::formats) white: Option<f32>,
    /// Whether colours were decoded to metres.
    pub(in crate::elevation::formats) are_heights: bool,
    /// The guess that was made, as a note.
    pub(in crate::elevation::formats) note: Option<String>,
}

/// Decodes a picture whose size has been checked; `open` creates its decoder.
pub(in crate::elevation::formats) fn decode<D: ImageDecoder>(
    label: Label,
    open: impl FnOnce() -> ImageResult<D>,
    channel: HeightChannel,
) -> Result<Pixels> {
    let DecodedPicture { bytes, colour, width, .. } = decode_bytes(label, open)?;
    let layout = match colour {
        ColorType::L8 | ColorType::L16 => Layout::Grey,
        ColorType::La8 | ColorType::La16 => Layout::GreyAlpha,
        ColorType::Rgb8 | ColorType::Rgb16 => Layout::Rgb,
        ColorType::Rgba8 | ColorType::Rgba16 => Layout::Rgba,
        other => return Err(label.error(format!("pixels of the kind {other:?} are not supported"))),
    };
    let is_rgb_8 = matches!(colour, ColorType::Rgb8 | ColorType::Rgba8);
    let encoding = match channel {
        HeightChannel::Mapbox => Some(Encoding::Mapbox),
        HeightChannel::Terrarium => Some(Encoding::Terrarium),
        _ => None,
    };
    if let Some(encoding) = encoding.filter(|_| !is_rgb_8) {
        let reason = format!("heights as {encoding} need 8-bit red, green and blue; read its luma instead");
        return Err(label.error(reason));
    }
    let clear = if channel == HeightChannel::Alpha { Clear::Nowhere } else { Clear::of(&bytes, colour) };
    let step = usize::from(colour.bytes_per_pixel());
    let mut note = (clear == Clear::Everywhere).then(|| ALPHA_IGNORED.to_owned());
    let guess = match (encoding, channel) {
        (Some(encoding), _) => Guess::Asked(encoding),
        (None, HeightChannel::Auto) if is_rgb_8 => terrain_rgb::guess(&bytes, step, width),
        _ => Guess::Picture,
    };
    note = guess.note().or(note);
    let decoded = guess.decoded();
    let mut values = match decoded {
        Some(encoding) => encoding.heights(&bytes, step),
        None if colour.bytes_per_pixel() == colour.channel_count() => {
            heights(label, &bytes, layout, channel, f32::from)?
        }
        None => {
            let samples = bytes.as_chunks::<2>().0;
            heights(label, samples, layout, channel, |sample| f32::from(u16::from_ne_bytes(sample)))?
        }
    };
    if clear == Clear::Somewhere {
        let pixels = values.par_iter_mut().zip(bytes.par_chunks_exact(step));
        pixels.filter(|(_, pixel)| is_clear(pixel, colour)).for_each(|(value, _)| *value = f32::NAN);
    }
    let white = match colour {
        ColorType::La8 | ColorType::La16 if channel == HeightChannel::Alpha => None,
        ColorType::L8 | ColorType::La8 => Some(255.0),
        ColorType::L16 | ColorType::La16 => Some(65_535.0),
        _ => None,
    };
    Ok(Pixels { values, white, are_heights: decoded.is_some(), note })
}

/// The note for an alpha channel that would leave no ground at all.
pub(in crate::elevation::formats) const ALPHA_IGNORED: &str =
    "its alpha channel is 0 everywhere and is ignored; elsewhere such pixels are holes";

/// Where a picture is transparent; transparent pixels are holes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clear {
    Nowhere,
    Somewhere,
    /// Its alpha channel was never written.
    Everywhere,
}

impl Clear {
    fn of(bytes: &[u8], colour: ColorType) -> Self {
        let step = usize::from(colour.bytes_per_pixel());
        if !colour.has_alpha() || bytes.len() < step {
            return Self::Nowhere;
        }
        let pixels = || bytes.par_chunks_exact(step);
        if !pixels().any(|pixel| is_clear(pixel, colour)) {
            Self::Nowhere
        } else if pixels().all(|pixel| is_clear(pixel, colour)) {
            Self::Everywhere
        } else {
            Self::Somewhere
        }
    }
}

/// Whether the alpha channel of a pixel, its last, is 0.
fn is_clear(pixel: &[u8], colour: ColorType) -> bool {
    let alpha = usize::from(colour.bytes_per_pixel() / colour.channel_count());
    pixel.iter().rev().take(alpha).all(|&byte| byte == 0)
}

/// The output of a decoder.
pub(in crate::elevation::formats) struct DecodedPicture {
    pub(in crate::elevation::formats) width: usize,
    pub(in crate::elevation::formats) depth: usize,
    pub(in crate::elevation::formats) colour: ColorType,
    pub(in crate::elevation::formats) bytes: Vec<u8>,
}

/// The decoded bytes of a picture whose header has been checked; `open` creates the decoder.
pub(in crate::elevation::formats) fn decode_bytes<D: ImageDecoder>(
    label: Label,
    open: impl FnOnce() -> ImageResult<D>,
) -> Result<DecodedPicture> {
    let damaged = |error| unread(label, &error);
    guarded(label.path, || {
        let decoder = open().map_err(damaged)?;
        let (width, depth) = decoder.dimensions();
        let (width, depth) = (width as usize, depth as usize);
        // The header was checked before; here the decoder parses it itself.
        label.check_size(width, depth, 1)?;
        let colour = decoder.color_type();
        let size = width * depth * usize::from(colour.bytes_per_pixel());
        // Heights, colours or ids take at most four bytes a pixel, in addition to the decoded bytes.
        label.require(width, depth, size as u64 + 4 * width as u64 * depth as u64)?;
        let mut bytes = vec![0; size];
        decoder.read_image(&mut bytes).map_err(damaged)?;
        Ok(DecodedPicture { width, depth, colour, bytes })
    })
}

/// Why a picture cannot be read: it is damaged, or the decoder doesn't know its kind.
pub(in crate::elevation::formats) fn unread(label: Label, error: &ImageError) -> Error {
    match error {
        ImageError::Unsupported(_) => {
            label.error(format!("this kind of picture isn't read ({error}); save it as an ordinary PNG"))
        }
        ImageError::Limits(_) => label.error(format!("the picture is too large to be read ({error})")),
        _ => label.error(format!("the picture is cut short or damaged ({error})")),
    }
}

/// Maps the numbers of grey pixels to the heights of black and of `white`.
pub(in crate::elevation::formats) fn map_to_range(
    values: &mut [f32],
    white: f32,
    (low, high): (f32, f32),
) -> Result<()> {
    sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    // Whole numbers, so that white becomes 65535 exactly.
    let times = 65_535.0 / white;
    values.iter_mut().for_each(|step| *step = sixteen_bit::height_from_step(*step * times, (low, high)));
    Ok(())
}
