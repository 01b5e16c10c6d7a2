//! Which channel of a picture is the height.

use rayon::prelude::*;

use crate::elevation::formats::source::Label;
use crate::error::Result;
use crate::math::luminance::luma;

/// What is read as height from an image with several channels.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum HeightChannel {
    /// Luma by Rec. 709 of the stored values; for grey pixels exactly their grey.
    #[default]
    Luma,
    /// Red alone.
    Red,
    /// Green alone.
    Green,
    /// Blue alone.
    Blue,
    /// Alpha alone.
    Alpha,
}

/// The order of channels within a pixel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Layout {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
    /// This many bands that are not colours; the first is height.
    Bands(usize),
}

impl Layout {
    pub(super) fn channels(self) -> usize {
        match self {
            Self::Grey => 1,
            Self::GreyAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
            Self::Bands(count) => count,
        }
    }
}

/// What is computed from a pixel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Wanted {
    /// One channel alone.
    One(usize),
    /// The luma of the first three.
    Luma,
}

/// Resolves `channel` for an image of this layout.
///
/// # Errors
/// When the image has no such channel.
pub(super) fn wanted(label: Label, layout: Layout, channel: HeightChannel) -> Result<Wanted> {
    Ok(match (layout, channel) {
        (Layout::Rgb | Layout::Rgba, HeightChannel::Luma) => Wanted::Luma,
        (Layout::Rgb | Layout::Rgba, HeightChannel::Red) => Wanted::One(0),
        (Layout::Rgb | Layout::Rgba, HeightChannel::Green) => Wanted::One(1),
        (Layout::Rgb | Layout::Rgba, HeightChannel::Blue) => Wanted::One(2),
        (Layout::Rgba, HeightChannel::Alpha) => Wanted::One(3),
        (Layout::GreyAlpha, HeightChannel::Alpha) => Wanted::One(1),
        (Layout::Rgb | Layout::Grey | Layout::Bands(_), HeightChannel::Alpha) => {
            return Err(label.error("the image has no alpha channel to read heights from; read its luma"));
        }
        // In a grey image red, green and blue are the same.
        (Layout::Grey | Layout::GreyAlpha | Layout::Bands(_), _) => Wanted::One(0),
    })
}

/// Extracts heights from interleaved samples.
///
/// # Errors
/// When the image has no such channel.
pub(super) fn heights<T: Copy + Sync>(
    label: Label,
    samples: &[T],
    layout: Layout,
    channel: HeightChannel,
    number: impl Fn(T) -> f32 + Sync,
) -> Result<Vec<f32>> {
    let pixels = samples.par_chunks_exact(layout.channels());
    Ok(match wanted(label, layout, channel)? {
        Wanted::One(index) => pixels.map(|pixel| number(pixel[index])).collect(),
        Wanted::Luma => {
            pixels.map(|pixel| luma(number(pixel[0]), number(pixel[1]), number(pixel[2]))).collect()
        }
    })
}
