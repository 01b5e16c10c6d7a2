//! Which channel of a picture is height.

use rayon::prelude::*;

use crate::error::Result;
use crate::formats::source::Label;

/// What counts as height in an image with several channels.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Channel {
    /// Brightness by Rec. 709 of the numbers as stored; exactly the grey of a grey pixel.
    #[default]
    Luma,
    /// Red alone.
    Red,
    /// Green alone.
    Green,
    /// Blue alone.
    Blue,
    /// Opacity alone.
    Alpha,
}

/// How the channels of a pixel follow each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Layout {
    Grey,
    GreyAlpha,
    Rgb,
    Rgba,
    /// So many bands that are no colours, the first of which is height.
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

/// Reads heights out of interleaved samples.
///
/// # Errors
/// When the image has no such channel.
pub(super) fn heights<T: Copy + Sync>(
    label: Label,
    samples: &[T],
    layout: Layout,
    channel: Channel,
    number: impl Fn(T) -> f32 + Sync,
) -> Result<Vec<f32>> {
    let pixels = samples.par_chunks_exact(layout.channels());
    let index = match (layout, channel) {
        (Layout::Rgb | Layout::Rgba, Channel::Luma) => {
            let luma_of = |pixel: &[T]| luma(number(pixel[0]), number(pixel[1]), number(pixel[2]));
            return Ok(pixels.map(luma_of).collect());
        }
        (Layout::Rgb | Layout::Rgba, Channel::Red) => 0,
        (Layout::Rgb | Layout::Rgba, Channel::Green) => 1,
        (Layout::Rgb | Layout::Rgba, Channel::Blue) => 2,
        (Layout::Rgba, Channel::Alpha) => 3,
        (Layout::GreyAlpha, Channel::Alpha) => 1,
        (Layout::Rgb | Layout::Grey | Layout::Bands(_), Channel::Alpha) => {
            return Err(label.error("the image has no alpha channel to read heights from; read its luma"));
        }
        // In a grey image red, green and blue are one.
        (Layout::Grey | Layout::GreyAlpha | Layout::Bands(_), _) => 0,
    };
    Ok(pixels.map(|pixel| number(pixel[index])).collect())
}

/// Rec. 709 luma, and exactly the common value of three that are equal.
pub(super) fn luma(red: f32, green: f32, blue: f32) -> f32 {
    if red == green && green == blue {
        return red;
    }
    (0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)) as f32
}
