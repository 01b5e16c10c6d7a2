//! Packing the values of a tile into an object: a cloud-optimised GeoTIFF with overviews.

use upland_core::elevation::raster::MapPlace;
use upland_core::formats::cog::{CogImage, CogSamples, encode};
use upland_core::grid::LayerInfo;
use upland_core::texture::TYPES_PER_SPLAT_MAP;
use upland_core::{Result, Work};

use crate::outputs::Output;
use crate::plan::{Plan, Tile};

/// The name under which a tile has the hash of its plan.
pub(crate) const HASH: &str = "UPLAND_PLAN";

/// The name under which a tile has its own name.
const TILE: &str = "UPLAND_TILE";

/// The values of a tile, row by row.
pub(super) enum Values {
    Floats(Vec<f32>),
    Bytes(Vec<u8>),
}

impl Values {
    /// Room for the values of an output.
    pub(super) fn of(output: &Output, [width, depth]: [u32; 2]) -> Self {
        let count = width as usize * depth as usize;
        match output {
            Output::Heights | Output::Layer(_) => Self::Floats(vec![0.0; count]),
            Output::Colours | Output::Weights(_) => Self::Bytes(vec![0; count * channels(output)]),
        }
    }
}

/// Channels of a value.
pub(super) fn channels(output: &Output) -> usize {
    match output {
        Output::Heights | Output::Layer(_) => 1,
        Output::Colours => 3,
        Output::Weights(_) => TYPES_PER_SPLAT_MAP,
    }
}

/// What other programs show of an output's values.
pub(super) fn metadata(plan: &Plan, output: &Output, types: &[String]) -> Vec<(String, String)> {
    let mut items = vec![(HASH.to_owned(), plan.hash.clone())];
    match output {
        Output::Heights => items.push(("UNITTYPE".into(), "m".into())),
        Output::Layer(name) => {
            let unit = LayerInfo::unit_of(name);
            items.extend((!unit.is_empty()).then(|| ("UNITTYPE".into(), unit.to_owned())));
            items.push(("DESCRIPTION".into(), name.clone()));
        }
        Output::Colours => {}
        Output::Weights(number) => {
            let own = types.chunks(TYPES_PER_SPLAT_MAP).nth(*number as usize).unwrap_or_default();
            let named = own.iter().enumerate();
            items.extend(named.map(|(channel, name)| (format!("DESCRIPTION_{}", channel + 1), name.clone())));
        }
    }
    items
}

/// The metadata of a tile's object.
pub(super) fn metadata_of(
    tile: &Tile,
    plan: &Plan,
    output: &Output,
    types: &[String],
) -> Vec<(String, String)> {
    let mut items = metadata(plan, output, types);
    items.push((TILE.into(), tile.name()));
    items
}

/// The object of a tile's values.
pub(super) fn pack(
    [width, depth]: [u32; 2],
    values: &Values,
    output: &Output,
    place: &MapPlace,
    metadata: &[(String, String)],
    work: &Work,
) -> Result<Vec<u8>> {
    let samples = match values {
        Values::Floats(values) => CogSamples::Heights(values),
        Values::Bytes(values) => CogSamples::Bytes { channels: channels(output), values },
    };
    let (width, depth) = (width as usize, depth as usize);
    let place = Some(place);
    encode(&CogImage { width, depth, samples, place, nodata: None, metadata }, work)
}
