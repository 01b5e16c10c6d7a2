//! From a picture that is being decoded to heights; shared by the formats of pictures.

use image::{ColorType, ImageDecoder, ImageError};

use crate::error::{Error, Result};
use crate::formats::channel::{Channel, Layout, heights};
use crate::formats::sixteen_bit;
use crate::formats::source::Label;

/// The heights of a picture.
pub(super) struct Pixels {
    pub(super) values: Vec<f32>,
    /// Whether they come from 16-bit grey, the one kind that is mapped to ranges.
    pub(super) is_grey_16: bool,
}

/// Decodes a picture whose size has been checked.
pub(super) fn decode(
    label: Label,
    decoder: impl ImageDecoder,
    channel: Channel,
    damaged: impl Fn(&ImageError) -> Error,
) -> Result<Pixels> {
    let colour = decoder.color_type();
    let bytes = decode_bytes(label, decoder, damaged)?;
    let layout = match colour {
        ColorType::L8 | ColorType::L16 => Layout::Grey,
        ColorType::La8 | ColorType::La16 => Layout::GreyAlpha,
        ColorType::Rgb8 | ColorType::Rgb16 => Layout::Rgb,
        ColorType::Rgba8 | ColorType::Rgba16 => Layout::Rgba,
        other => return Err(label.error(format!("pixels of the kind {other:?} are not supported"))),
    };
    let values = if colour.bytes_per_pixel() == colour.channel_count() {
        heights(label, &bytes, layout, channel, f32::from)?
    } else {
        let samples = bytes.as_chunks::<2>().0;
        heights(label, samples, layout, channel, |sample| f32::from(u16::from_ne_bytes(sample)))?
    };
    Ok(Pixels { values, is_grey_16: colour == ColorType::L16 })
}

/// The decoder's bytes.
pub(super) fn decode_bytes(
    label: Label,
    decoder: impl ImageDecoder,
    damaged: impl Fn(&ImageError) -> Error,
) -> Result<Vec<u8>> {
    let (width, depth) = decoder.dimensions();
    let (width, depth) = (width as usize, depth as usize);
    // The header has been judged before; this is the decoder's own reading of it.
    label.check_size(width, depth, usize::from(decoder.color_type().bytes_per_pixel()))?;
    let mut bytes = vec![0; width * depth * usize::from(decoder.color_type().bytes_per_pixel())];
    decoder.read_image(&mut bytes).map_err(|error| damaged(&error))?;
    Ok(bytes)
}

/// Turns 16-bit steps into heights, when a range is known.
pub(super) fn map_to_range(values: &mut [f32], range: Option<(f32, f32)>) -> Result<()> {
    let Some((low, high)) = range else { return Ok(()) };
    sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    values.iter_mut().for_each(|step| *step = sixteen_bit::height_from_step(*step, (low, high)));
    Ok(())
}
