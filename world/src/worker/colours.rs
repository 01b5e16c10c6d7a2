//! Tiles of colours and of the weights of terrain types, with a texel between each four samples.

use upland_core::{Result, Window, Work};

use super::heights::blocks_of;
use super::land::{Made, PlannedLand};
use super::pack::{Values, channels, metadata_of, pack};
use crate::outputs::Output;
use crate::plan::{Pass, Tile};

/// Cells along the side of a block. What is measured of the land around is kept for the next block, in blocks
/// of 256 samples.
const BLOCK: u32 = 1024;

pub(super) fn make(land: &PlannedLand, pass: &Pass, tile: Tile, work: &Work) -> Result<Vec<Made>> {
    let Some(samples) = land.plan.cells_of(&tile) else { return Ok(Vec::new()) };
    let [made, packed] = [work.part(0.0, 0.9), work.part(0.9, 1.0)];
    let size = samples.size.map(|side| side - 1);
    let cells = Window { size, ..samples };
    let has_weights = pass.outputs.iter().any(|output| matches!(output, Output::Weights(_)));
    let mut fields: Vec<Values> = pass.outputs.iter().map(|output| Values::of(output, size)).collect();
    let blocks = blocks_of(cells, BLOCK);
    for (number, block) in blocks.iter().enumerate() {
        let share = |number: usize| number as f32 / blocks.len() as f32;
        let work = made.part(share(number), share(number + 1));
        let around = Window { size: block.size.map(|side| side + 1), ..*block };
        let ready = land.recipe.prepare_window_in_blocks(around, 1, &land.cache, &work)?;
        let baked = ready.baker(has_weights, &work)?.paint(ready.texels(), &work)?;
        for (output, field) in pass.outputs.iter().zip(&mut fields) {
            let Values::Bytes(into) = field else { continue };
            match output {
                Output::Weights(number) => {
                    let Some(weights) = &baked.weights else { continue };
                    copy(&weights.splat_map(*number as usize), *block, into, (cells, channels(output)));
                }
                _ => copy(&baked.colour.texels, *block, into, (cells, channels(output))),
            }
        }
    }
    // Texels lie between samples: their corners are the samples of heights.
    let place = land
        .place_of(samples)
        .of_texels(samples.size.map(|side| side as usize), size.map(|side| side as usize));
    let types: Vec<String> =
        land.recipe.fade().types().into_iter().map(|kind| kind.name.to_string()).collect();
    let count = fields.len().max(1) as f32;
    let mut objects = Vec::new();
    for (number, (output, field)) in pass.outputs.iter().zip(fields).enumerate() {
        let work = packed.part(number as f32 / count, (number + 1) as f32 / count);
        let bytes =
            pack(size, &field, output, &place, &metadata_of(&tile, &land.plan, output, &types), &work)?;
        objects.push(Made { key: output.key(tile.column, tile.row), bytes });
    }
    Ok(objects)
}

/// Copies the first channels of a block's texels to their place in those of a tile.
fn copy(texels: &[[u8; 4]], block: Window, into: &mut [u8], (tile, channels): (Window, usize)) {
    let [column, row] = [0, 1].map(|axis| (block.first[axis] - tile.first[axis]) as usize);
    let (width, own) = (tile.size[0] as usize, block.size[0] as usize);
    for (line, texels) in texels.chunks_exact(own).enumerate() {
        let target = &mut into[((row + line) * width + column) * channels..][..own * channels];
        for (target, texel) in target.chunks_exact_mut(channels).zip(texels) {
            target.copy_from_slice(&texel[..channels]);
        }
    }
}
