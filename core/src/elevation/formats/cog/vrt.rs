//! The list of many tiles that GDAL, and QGIS through it, opens as one image: a VRT
//! (<https://gdal.org/drivers/raster/vrt.html>).

use std::fmt::Write;

use super::image::MOST_CHANNELS;
use super::pyramid::SIDE;
use super::{metadata, pyramid};
use crate::elevation::formats::xml;
use crate::elevation::map::MapPlace;
use crate::error::{Error, Result};

/// GDAL counts columns and rows in signed numbers of 32 bits.
const LONGEST_SIDE: usize = i32::MAX as usize;

/// Tiles that are one image.
#[derive(Clone, Copy, Debug)]
pub struct Vrt<'a> {
    /// Columns of the whole image, 1 to 2³¹ − 1.
    pub width: usize,
    /// Rows of the whole image, 1 to 2³¹ − 1.
    pub depth: usize,
    /// What the samples of all tiles are.
    pub samples: VrtSamples,
    /// Where the whole image lies on its map.
    pub place: Option<&'a MapPlace>,
    /// As in [`CogImage`](super::CogImage); also the height where there is no tile, which is 0 without it.
    pub nodata: Option<f32>,
    /// As in [`CogImage`](super::CogImage).
    pub metadata: &'a [(String, String)],
    /// The tiles.
    pub tiles: &'a [VrtTile],
}

/// What the samples of a [`Vrt`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VrtSamples {
    /// Floats of 32 bits.
    Heights,
    /// Bytes.
    Bytes {
        /// Channels of a pixel, 1 to [`MOST_CHANNELS`].
        channels: usize,
    },
}

/// A file of a [`Vrt`], all of which lies within the whole image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VrtTile {
    /// Its path from the folder of the VRT, with `/` between folders.
    pub file: String,
    /// Columns of the whole image west of it.
    pub column: usize,
    /// Rows of the whole image north of it.
    pub row: usize,
    /// Its columns.
    pub width: usize,
    /// Its rows.
    pub depth: usize,
}

/// The text of a VRT over tiles that [`encode`](super::encode) has written.
///
/// A coordinate system that only the keys of a GeoTIFF define is written as well-known text, if its projection
/// is one of the usual ones. Otherwise only the tiles have it, and the VRT names its keys as metadata.
///
/// It has overviews at the factors for which the largest tile has some. Where the sides of all tiles but the
/// last of a row or column are multiples of such a factor, that overview consists of those of the tiles.
///
/// ```
/// # use upland_core as upland;
/// use upland::formats::cog::{Vrt, VrtSamples, VrtTile, vrt};
/// let tile = |file: &str, column| VrtTile { file: file.to_owned(), column, row: 0, width: 512, depth: 512 };
/// let tiles = [tile("west.tif", 0), tile("east.tif", 512)];
/// let samples = VrtSamples::Heights;
/// let text = vrt(&Vrt { width: 1024, depth: 512, samples, place: None, nodata: None, metadata: &[], tiles: &tiles })?;
/// assert!(text.contains(r#"<DstRect xOff="512" yOff="0" xSize="512" ySize="512"/>"#));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a side is 0 or too long, when a tile is empty, not within the image or without a name, and when XML
/// cannot hold a name or an item of the metadata.
pub fn vrt(image: &Vrt) -> Result<String> {
    image.check()?;
    let bands = image.bands();
    let mut text = format!("<VRTDataset rasterXSize=\"{}\" rasterYSize=\"{}\">\n", image.width, image.depth);
    if let Some(place) = image.place {
        if let Some(system) = place.text() {
            let _ = writeln!(text, "  <SRS>{}</SRS>", xml::escaped(&system));
        }
        let numbers = place.transform(image.depth).map(|number| number.to_string()).join(", ");
        let _ = writeln!(text, "  <GeoTransform>{numbers}</GeoTransform>");
    }
    text += "  <Metadata>\n    <MDI key=\"AREA_OR_POINT\">Area</MDI>\n";
    if let Some(place) = image.place.filter(|place| place.text().is_none())
        && let Some(system) = place.system()
    {
        // Keys that no text can be made of: the tiles have them.
        let _ = writeln!(text, "    <MDI key=\"upland:system\">{}</MDI>", xml::escaped(&system));
    }
    for (name, value) in metadata::of_image(image.metadata, bands) {
        let (name, value) = (xml::escaped(name), xml::escaped(value));
        let _ = writeln!(text, "    <MDI key=\"{name}\">{value}</MDI>");
    }
    text += "  </Metadata>\n";
    let levels =
        image.tiles.iter().map(|tile| pyramid::sizes(tile.width, tile.depth).len()).max().unwrap_or(1);
    if levels > 1 {
        let factors: Vec<String> = (1..levels).map(|level| (1u64 << level).to_string()).collect();
        let _ = writeln!(text, "  <OverviewList resampling=\"nearest\">{}</OverviewList>", factors.join(" "));
    }
    for band in 0..bands {
        image.write_band(band, &mut text);
    }
    Ok(text + "</VRTDataset>\n")
}

impl Vrt<'_> {
    fn bands(&self) -> usize {
        match self.samples {
            VrtSamples::Heights => 1,
            VrtSamples::Bytes { channels } => channels,
        }
    }

    fn check(&self) -> Result<()> {
        let (width, depth) = (self.width, self.depth);
        let wrong = |reason: &str| Err(Error::Size { width, depth, reason: reason.to_owned() });
        if width == 0 || depth == 0 {
            return wrong("hold nothing; each side needs at least 1");
        }
        if width.max(depth) > LONGEST_SIDE {
            return wrong("are more than a VRT can have: 2147483647 along each side");
        }
        let bands = self.bands();
        if !(1..=MOST_CHANNELS).contains(&bands) {
            let reason = format!("{bands} channels a pixel are not written; give 1 to {MOST_CHANNELS}");
            return Err(Error::parameter("channels", reason));
        }
        metadata::check_nodata(self.nodata, matches!(self.samples, VrtSamples::Bytes { .. }))?;
        metadata::check(self.metadata)?;
        for tile in self.tiles {
            let refused = |reason: String| Err(Error::parameter(format!("tile {}", tile.file), reason));
            if tile.file.is_empty() {
                return refused("it has no name; give the path from the folder of the VRT".to_owned());
            }
            if let Some(letter) = xml::forbidden(&tile.file) {
                let code = u32::from(letter);
                return refused(format!(
                    "a VRT cannot hold the character U+{code:04X} in its name; give another"
                ));
            }
            let [columns, rows] = [(tile.column, tile.width), (tile.row, tile.depth)];
            let is_within = |(first, count): (usize, usize), side: usize| {
                count > 0 && first.checked_add(count).is_some_and(|end| end <= side)
            };
            if !is_within(columns, width) || !is_within(rows, depth) {
                return refused(format!(
                    "{}×{} samples from ({}, {}) on are not within the image of {width}×{depth}",
                    tile.width, tile.depth, tile.column, tile.row
                ));
            }
        }
        Ok(())
    }

    fn write_band(&self, band: usize, text: &mut String) {
        let (kind, colours) = match self.samples {
            VrtSamples::Heights => ("Float32", &["Gray"][..]),
            VrtSamples::Bytes { channels: 3 } => ("Byte", &["Red", "Green", "Blue"][..]),
            VrtSamples::Bytes { .. } => ("Byte", &["Gray"][..]),
        };
        let number = band + 1;
        let _ = writeln!(text, "  <VRTRasterBand dataType=\"{kind}\" band=\"{number}\">");
        for (name, element) in [("DESCRIPTION", "Description"), ("UNITTYPE", "UnitType")] {
            if let Some(value) = metadata::of_band(self.metadata, name, band, self.bands()) {
                let _ = writeln!(text, "    <{element}>{}</{element}>", xml::escaped(value));
            }
        }
        if let Some(nodata) = self.nodata {
            let _ = writeln!(text, "    <NoDataValue>{}</NoDataValue>", metadata::nodata(nodata));
        }
        let colour = colours.get(band).unwrap_or(&"Undefined");
        let _ = writeln!(text, "    <ColorInterp>{colour}</ColorInterp>");
        for tile in self.tiles {
            let VrtTile { column, row, width, depth, .. } = tile;
            let file = xml::escaped(&tile.file);
            // The properties save opening every file before the first sample is read.
            let _ = write!(
                text,
                "    <SimpleSource>\n      <SourceFilename relativeToVRT=\"1\">{file}</SourceFilename>\n      \
                 <SourceBand>{number}</SourceBand>\n      <SourceProperties RasterXSize=\"{width}\" \
                 RasterYSize=\"{depth}\" DataType=\"{kind}\" BlockXSize=\"{SIDE}\" BlockYSize=\"{SIDE}\"/>\n      \
                 <SrcRect xOff=\"0\" yOff=\"0\" xSize=\"{width}\" ySize=\"{depth}\"/>\n      <DstRect \
                 xOff=\"{column}\" yOff=\"{row}\" xSize=\"{width}\" ySize=\"{depth}\"/>\n    </SimpleSource>\n"
            );
        }
        *text += "  </VRTRasterBand>\n";
    }
}
