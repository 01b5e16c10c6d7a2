//! What the samples of a TIFF are.

use super::directory::Directory;
use super::error::{CONVERT, cut_short};
use super::small::PixelKind;
use super::tag;
use crate::elevation::formats::channel::Layout;
use crate::elevation::formats::label::Label;
use crate::error::Result;

/// The beginning of a note on the height of a coloured picture.
pub(super) const BRIGHTNESS: &str = "the brightness of its colours";

/// The type of the samples of a TIFF.
pub(super) struct Kind {
    pub(super) layout: Layout,
    pub(super) pixels: PixelKind,
    /// Whether each channel has strips or tiles of its own (planar configuration 2).
    pub(super) planar: bool,
    /// The alpha channel.
    pub(super) alpha: Option<usize>,
    /// Whether they are unsigned 16-bit grey, the only kind that can be mapped to a range.
    pub(super) is_grey_16: bool,
    /// Whether they are red, green and blue of 8 bits, whose colours may encode heights.
    pub(super) is_rgb_8: bool,
    pub(super) notes: Vec<String>,
}

impl Kind {
    /// # Errors
    /// When samples of this kind aren't read.
    pub(super) fn find(label: Label, directory: &Directory) -> Result<Self> {
        let refused = |what: String| label.error(format!("{what}; convert it: {CONVERT}"));
        let samples = directory.first(tag::SAMPLES)?.unwrap_or(1);
        if !(1..=65_535).contains(&samples) {
            return Err(cut_short(label, &format!("{samples} samples a pixel")));
        }
        let samples = samples as usize;
        // The tag has a number for each channel; all must be equal.
        let alike = |tag: u16, usual: u64, what: &str| -> Result<u64> {
            let all = directory.numbers(tag)?.unwrap_or_default();
            let first = all.first().copied().unwrap_or(usual);
            if all.iter().take(samples).all(|&other| other == first) {
                Ok(first)
            } else {
                Err(refused(format!("its channels differ in their {what}, {all:?}, which isn't read")))
            }
        };
        let bits = alike(tag::BITS, 1, "bits")?;
        let format = match alike(tag::SAMPLE_FORMAT, 1, "types")? {
            // Samples of an undefined type are read as whole numbers, as other programs do.
            1 | 4 => 1,
            format @ (2 | 3) => format,
            5 | 6 => return Err(refused("complex numbers are not heights".to_owned())),
            format => return Err(refused(format!("samples of the unknown type {format} are not read"))),
        };
        let fits = if format == 3 { matches!(bits, 16 | 32 | 64) } else { matches!(bits, 8 | 16 | 32 | 64) };
        if !fits {
            let remedy = "gdal_translate -ot Float32 in.tif out.tif";
            let reason = format!("{bits} bits a sample are not supported; use 8, 16, 32 or 64");
            return Err(label.error(format!("{reason}, as {remedy} does")));
        }
        let predictor = directory.first(tag::PREDICTOR)?.unwrap_or(1);
        if !(1..=3).contains(&predictor) {
            return Err(refused(format!("its predictor {predictor} isn't known")));
        }
        let extra = directory.numbers(tag::EXTRA_SAMPLES)?.unwrap_or_default();
        let extra = if extra.len() < samples { extra } else { Vec::new() };
        let colours = samples - extra.len();
        let alpha = extra.iter().position(|kind| matches!(kind, 1 | 2)).map(|place| colours + place);
        let layout = match directory.first(tag::PHOTOMETRIC)?.unwrap_or(1) {
            2 if samples >= 3 => match (alpha, samples) {
                (Some(3), _) => Layout::Rgba,
                (None, 4) if extra.is_empty() => Layout::Rgba,
                _ => Layout::Rgb,
            },
            3 => {
                let reason = "its numbers are places in a palette of colours, not heights";
                let remedy = "gdal_translate -expand gray in.tif out.tif";
                return Err(label.error(format!("{reason}; if they are, convert it: {remedy}")));
            }
            photometric @ (5 | 6 | 8 | 9 | 10) => {
                let name = match photometric {
                    5 => "CMYK",
                    6 => "YCbCr",
                    _ => "Lab",
                };
                return Err(label
                    .error(format!("pixels of the kind {name} are not supported; save it as grey or RGB")));
            }
            _ => match (samples, alpha) {
                (1, _) => Layout::Grey,
                (2, Some(1)) => Layout::GreyAlpha,
                _ => Layout::Bands(samples),
            },
        };
        let planar = samples > 1 && directory.first(tag::PLANAR)? == Some(2);
        let pixels = PixelKind {
            little: directory.little,
            bits: bits as u16,
            samples: if planar { 1 } else { samples as u16 },
            format: format as u16,
            predictor: predictor as u16,
        };
        let is_grey_16 = layout == Layout::Grey && (bits, format) == (16, 1);
        let is_rgb_8 = layout.channels() >= 3 && (bits, format) == (8, 1);
        let mut notes = Vec::new();
        if let Layout::Bands(count) = layout
            && alpha.is_none_or(|_| count > 2)
        {
            notes.push(format!(
                "the first of its {count} bands is read as height; give the channel by its number to read another"
            ));
        }
        if matches!(layout, Layout::Rgb | Layout::Rgba) {
            notes.push(format!(
                "{BRIGHTNESS} is read as height; where colours stand for heights, give the channel mapbox or terrarium"
            ));
        }
        if let Ok(Some(orientation @ 2..=8)) = directory.first(tag::ORIENTATION) {
            notes.push(format!("its tag for the orientation, {orientation}, is ignored, as GDAL does"));
        }
        Ok(Self { layout, pixels, planar, alpha, is_grey_16, is_rgb_8, notes })
    }
}
