//! Which channel of a picture is the height.

use rayon::prelude::*;

use crate::elevation::formats::label::Label;
use crate::error::Result;
use crate::math::luminance::luma;

/// What a reader takes as height from an image with several channels.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum HeightChannel {
    /// In an EXR, the plane whose name says that it is the height, such as `height`, `elevation` or `Z`. In
    /// an 8-bit PNG or TIFF, the height that its colours encode, if it is certain that they do. Otherwise as
    /// [`Luma`](Self::Luma). The notes of the raster report the choice.
    #[default]
    Auto,
    /// Luma by Rec. 709 of the stored values; for grey pixels exactly their grey.
    Luma,
    /// Red alone.
    Red,
    /// Green alone.
    Green,
    /// Blue alone.
    Blue,
    /// Alpha alone.
    Alpha,
    /// Heights encoded in 8-bit colours as by Mapbox: −10000 + (red · 65536 + green · 256 + blue) · 0.1 m.
    Mapbox,
    /// Heights encoded in 8-bit colours as in Terrarium tiles: red · 256 + green + blue / 256 − 32768 m.
    Terrarium,
    /// The plane of an EXR of this name, or the band of this number, from 1, of a TIFF or a raw file.
    Named(ChannelName),
}

/// The name of a plane, such as `height` or `terrain.height`: 1 to 64 bytes.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct ChannelName {
    length: u8,
    bytes: [u8; Self::LONGEST],
}

impl ChannelName {
    /// The most bytes in a name.
    pub const LONGEST: usize = 64;

    /// A name; `None` when it is empty, too long or holds control characters.
    pub fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; Self::LONGEST];
        let length = u8::try_from(name.len()).ok()?;
        if name.is_empty() || name.chars().any(char::is_control) {
            return None;
        }
        // `get_mut` refuses names that are too long.
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { length, bytes })
    }

    /// The band, counted from 0, if the name is the number of one of `count` bands, counted from 1.
    pub(super) fn band(&self, count: usize) -> Option<usize> {
        self.as_str().parse().ok().filter(|number| (1..=count).contains(number)).map(|number| number - 1)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl std::fmt::Debug for ChannelName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}

impl HeightChannel {
    /// The channel that a text stands for: `auto`, `luma`, `red`, `green`, `blue`, `alpha`, `mapbox`,
    /// `terrarium`, or else the name of a plane or the number of a band; `None` when it cannot be one.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::formats::HeightChannel;
    /// assert_eq!(HeightChannel::of("red"), Some(HeightChannel::Red));
    /// assert!(matches!(HeightChannel::of("terrain.height"), Some(HeightChannel::Named(_))));
    /// ```
    pub fn of(text: &str) -> Option<Self> {
        Some(match text {
            "auto" => Self::Auto,
            "luma" => Self::Luma,
            "red" => Self::Red,
            "green" => Self::Green,
            "blue" => Self::Blue,
            "alpha" => Self::Alpha,
            "mapbox" => Self::Mapbox,
            "terrarium" => Self::Terrarium,
            name => Self::Named(ChannelName::new(name)?),
        })
    }
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
pub(super) enum PixelValue {
    /// One channel alone.
    One(usize),
    /// The luma of the first three.
    Luma,
}

/// Resolves `channel` for an image of this layout.
///
/// # Errors
/// When the image has no such channel.
pub(super) fn wanted(label: Label, layout: Layout, channel: HeightChannel) -> Result<PixelValue> {
    Ok(match (layout, channel) {
        (layout, HeightChannel::Mapbox | HeightChannel::Terrarium) => {
            if layout.channels() < 3 {
                let reason =
                    "heights in the colours of mapbox and terrarium need red, green and blue; read its luma";
                return Err(label.error(reason));
            }
            PixelValue::Luma
        }
        (layout, HeightChannel::Named(name)) => match name.band(layout.channels()) {
            Some(band) => PixelValue::One(band),
            None => {
                let (name, count) = (name.as_str(), layout.channels());
                let reason = format!(
                    "the image has no channel called `{name}`; there are luma, red, green, blue, alpha, mapbox and \
                     terrarium, bands by their number from 1 to {count}, and planes of an EXR by their names"
                );
                return Err(label.error(reason));
            }
        },
        (Layout::Rgb | Layout::Rgba, HeightChannel::Auto | HeightChannel::Luma) => PixelValue::Luma,
        (Layout::Rgb | Layout::Rgba, HeightChannel::Red) => PixelValue::One(0),
        (Layout::Rgb | Layout::Rgba, HeightChannel::Green) => PixelValue::One(1),
        (Layout::Rgb | Layout::Rgba, HeightChannel::Blue) => PixelValue::One(2),
        (Layout::Rgba, HeightChannel::Alpha) => PixelValue::One(3),
        (Layout::GreyAlpha, HeightChannel::Alpha) => PixelValue::One(1),
        (Layout::Rgb | Layout::Grey | Layout::Bands(_), HeightChannel::Alpha) => {
            return Err(label.error("the image has no alpha channel to read heights from; read its luma"));
        }
        // In a grey image red, green and blue are the same.
        (Layout::Grey | Layout::GreyAlpha | Layout::Bands(_), _) => PixelValue::One(0),
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
        PixelValue::One(index) => pixels.map(|pixel| number(pixel[index])).collect(),
        PixelValue::Luma => {
            pixels.map(|pixel| luma(number(pixel[0]), number(pixel[1]), number(pixel[2]))).collect()
        }
    })
}
