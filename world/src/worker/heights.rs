//! Tiles of heights and layers.

use upland_core::{Heightfield, Result, Window, Work};

use super::land::{Made, PlannedLand};
use super::pack::{Values, metadata_of, pack};
use crate::outputs::Output;
use crate::plan::{Pass, Tile};

/// Samples along the side of a block. The land around it that steps look at is made as well, which larger
/// blocks share among more samples; smaller ones take less memory.
const BLOCK: u32 = 2048;

pub(super) fn make(land: &PlannedLand, pass: &Pass, tile: Tile, work: &Work) -> Result<Vec<Made>> {
    let [made, packed] = [work.part(0.0, 0.85), work.part(0.85, 1.0)];
    let size = tile.samples.size;
    let layers: Vec<&str> = pass.outputs.iter().filter_map(layer_of).collect();
    let mut fields: Vec<Values> = pass.outputs.iter().map(|output| Values::of(output, size)).collect();
    let blocks = blocks_of(tile.samples, BLOCK);
    for (number, block) in blocks.iter().enumerate() {
        let share = |number: usize| number as f32 / blocks.len() as f32;
        let work = made.part(share(number), share(number + 1));
        let ground = if layers.is_empty() {
            land.recipe.build_window(*block, &land.cache, &work)?
        } else {
            land.recipe.build_window_layers(*block, &layers, &land.cache, &work)?
        };
        for (output, field) in pass.outputs.iter().zip(&mut fields) {
            let values = match layer_of(output) {
                Some(name) => ground.layer(name)?,
                None => &ground.heights,
            };
            if let Values::Floats(into) = field {
                copy(values, *block, into, tile.samples);
            }
        }
    }
    let place = land.place_of(tile.samples);
    let count = fields.len().max(1) as f32;
    let mut objects = Vec::new();
    // One after the other, and each freed when it is packed.
    for (number, (output, field)) in pass.outputs.iter().zip(fields).enumerate() {
        let work = packed.part(number as f32 / count, (number + 1) as f32 / count);
        let bytes = pack(size, &field, output, &place, &metadata_of(&tile, &land.plan, output, &[]), &work)?;
        objects.push(Made { key: output.key(tile.column, tile.row), bytes });
    }
    Ok(objects)
}

fn layer_of(output: &Output) -> Option<&str> {
    match output {
        Output::Layer(name) => Some(name),
        _ => None,
    }
}

/// Blocks of at most `side`² samples that cover a window, row by row.
pub(crate) fn blocks_of(window: Window, side: u32) -> Vec<Window> {
    let starts = |axis: usize| (0..window.size[axis]).step_by(side as usize);
    let block = |at: [u32; 2]| {
        let first = [0, 1].map(|axis| window.first[axis] + i64::from(at[axis]));
        let size = [0, 1].map(|axis| side.min(window.size[axis] - at[axis]));
        Window { first, size, ..window }
    };
    starts(1).flat_map(|row| starts(0).map(move |column| block([column, row]))).collect()
}

/// Copies the values of a block to their place in those of a tile.
fn copy(values: &Heightfield, block: Window, into: &mut [f32], tile: Window) {
    let [column, row] = [0, 1].map(|axis| (block.first[axis] - tile.first[axis]) as usize);
    let (width, own) = (tile.size[0] as usize, block.size[0] as usize);
    for line in 0..block.size[1] as usize {
        into[(row + line) * width + column..][..own].copy_from_slice(values.row(line));
    }
}
