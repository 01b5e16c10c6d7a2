//! From a picture's decoder to heights; shared by the picture formats.

use image::{ColorType, ImageDecoder, ImageResult};

use crate::elevation::formats::channel::{HeightChannel, Layout, heights};
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::sixteen_bit;
use crate::elevation::formats::source::Label;
use crate::error::{Error, Result};

/// The heights of a picture.
pub(super) struct Pixels {
    pub(super) values: Vec<f32>,
    /// Whether they come from 16-bit grey, the only kind that is mapped to a range.
    pub(super) is_grey_16: bool,
}

/// Decodes a picture whose size has been checked; `open` creates its decoder.
pub(super) fn decode<D: ImageDecoder>(
    label: Label,
    open: impl FnOnce() -> ImageResult<D>,
    channel: HeightChannel,
) -> Result<Pixels> {
    let Decoded { bytes, colour, .. } = decode_bytes(label, open)?;
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

/// The output of a decoder.
pub(super) struct Decoded {
    pub(super) width: usize,
    pub(super) depth: usize,
    pub(super) colour: ColorType,
    pub(super) bytes: Vec<u8>,
}

/// The decoded bytes of a picture whose header has been checked; `open` creates the decoder.
pub(super) fn decode_bytes<D: ImageDecoder>(
    label: Label,
    open: impl FnOnce() -> ImageResult<D>,
) -> Result<Decoded> {
    let damaged = |error| label.error(format!("the picture is cut short or damaged ({error})"));
    guarded(label.path, || {
        let decoder = open().map_err(damaged)?;
        let (width, depth) = decoder.dimensions();
        let (width, depth) = (width as usize, depth as usize);
        // The header was checked before; here the decoder parses it itself.
        label.check_size(width, depth, 1)?;
        let colour = decoder.color_type();
        let size = width * depth * usize::from(colour.bytes_per_pixel());
        // What is made of the bytes, be it heights, colours or ids, takes at most four bytes a pixel.
        label.require(width, depth, size as u64 + 4 * width as u64 * depth as u64)?;
        let mut bytes = vec![0; size];
        decoder.read_image(&mut bytes).map_err(damaged)?;
        Ok(Decoded { width, depth, colour, bytes })
    })
}

/// Maps 16-bit values to heights, if a range is known.
pub(super) fn map_to_range(values: &mut [f32], range: Option<(f32, f32)>) -> Result<()> {
    let Some((low, high)) = range else { return Ok(()) };
    sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    values.iter_mut().for_each(|step| *step = sixteen_bit::height_from_step(*step, (low, high)));
    Ok(())
}
