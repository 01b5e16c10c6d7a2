//! Lists of all tiles of an output, which GDAL and QGIS open as one image.

use upland_core::Result;
use upland_core::formats::cog::{Vrt, VrtSamples, VrtTile, vrt};

use super::land::{Made, PlannedLand};
use super::pack::{channels, metadata};
use crate::outputs::Output;
use crate::plan::Pass;

pub(super) fn make(land: &PlannedLand, pass: &Pass) -> Result<Vec<Made>> {
    let lists = pass.outputs.iter().map(|output| list(land, output));
    lists.filter_map(Result::transpose).collect()
}

/// The list of an output's tiles; `None` if there are none, as of colours on a single row of samples.
fn list(land: &PlannedLand, output: &Output) -> Result<Option<Made>> {
    let plan = &land.plan;
    let mut tiles = Vec::new();
    let mut whole = [0, 0];
    for tile in (0..plan.tile_count()).filter_map(|number| plan.tile_at(number)) {
        let Some(size) = plan.size_in(output, &tile) else { continue };
        let [width, depth] = size.map(|side| side as usize);
        let [column, row] = [tile.column, tile.row].map(|number| number as usize * plan.tile as usize);
        whole = [whole[0].max(column + width), whole[1].max(row + depth)];
        tiles.push(VrtTile { file: output.key(tile.column, tile.row), column, row, width, depth });
    }
    if tiles.is_empty() {
        return Ok(None);
    }
    let place = land.place_of(plan.window());
    let place = if output.is_between_samples() {
        place.of_texels(plan.land.size.map(|side| side as usize), whole)
    } else {
        place
    };
    let samples = match output {
        Output::Heights | Output::Layer(_) => VrtSamples::Heights,
        Output::Colours | Output::Weights(_) => VrtSamples::Bytes { channels: channels(output) },
    };
    let types: Vec<String> =
        land.recipe.fade().types().into_iter().map(|kind| kind.name.to_string()).collect();
    let metadata = metadata(plan, output, &types);
    let [width, depth] = whole;
    let place = Some(&place);
    let list = vrt(&Vrt { width, depth, samples, place, nodata: None, metadata: &metadata, tiles: &tiles })?;
    Ok(Some(Made { key: output.index_key(), bytes: list.into_bytes() }))
}
