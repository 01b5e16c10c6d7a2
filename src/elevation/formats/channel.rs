//! Which channel of a picture is height.

use rayon::prelude::*;

use crate::elevation::formats::source::Label;
use crate::error::Result;

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

/// What of a pixel makes its height.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Wanted {
    /// One channel alone.
    One(usize),
    /// The luma of the first three.
    Luma,
}

/// What of a pixel is the height that was asked for.
///
/// # Errors
/// When the image has no such channel.
pub(super) fn wanted(label: Label, layout: Layout, channel: Channel) -> Result<Wanted> {
    Ok(match (layout, channel) {
        (Layout::Rgb | Layout::Rgba, Channel::Luma) => Wanted::Luma,
        (Layout::Rgb | Layout::Rgba, Channel::Red) => Wanted::One(0),
        (Layout::Rgb | Layout::Rgba, Channel::Green) => Wanted::One(1),
        (Layout::Rgb | Layout::Rgba, Channel::Blue) => Wanted::One(2),
        (Layout::Rgba, Channel::Alpha) => Wanted::One(3),
        (Layout::GreyAlpha, Channel::Alpha) => Wanted::One(1),
        (Layout::Rgb | Layout::Grey | Layout::Bands(_), Channel::Alpha) => {
            return Err(label.error("the image has no alpha channel to read heights from; read its luma"));
        }
        // In a grey image red, green and blue are one.
        (Layout::Grey | Layout::GreyAlpha | Layout::Bands(_), _) => Wanted::One(0),
    })
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
    Ok(match wanted(label, layout, channel)? {
        Wanted::One(index) => pixels.map(|pixel| number(pixel[index])).collect(),
        Wanted::Luma => {
            pixels.map(|pixel| luma(number(pixel[0]), number(pixel[1]), number(pixel[2]))).collect()
        }
    })
}

/// Rec. 709 luma, and exactly the common value of three that are equal.
pub(super) fn luma(red: f32, green: f32, blue: f32) -> f32 {
    if red == green && green == blue {
        return red;
    }
    (0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)) as f32
}
