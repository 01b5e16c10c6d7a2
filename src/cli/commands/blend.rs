//! `upland blend`: blends bitmaps by the height of a land into one picture.

use crate::analysis::Land;
use crate::cli::outputs::{self, Output};
use crate::cli::reading;
use crate::cli::report::{Failure, Outcome, note};
use crate::cli::{arguments, progress};
use crate::elevation::formats;
use crate::error::Error;
use crate::picture;
use crate::recipe::DEFAULT_CELL;
use crate::texture::{Fade, Texture, Tiling};

pub(in crate::cli) fn run(arguments: &arguments::BlendArguments) -> Outcome {
    picture::check(&arguments.output)?;
    let count = arguments.textures.len();
    if count < 2 {
        let message = format!("blending takes at least two bitmaps, {count} given; name another");
        return Err(Failure::Usage(message));
    }
    for (given, what) in [(arguments.bands.len(), "--bands"), (arguments.tile.len(), "--tile")] {
        if given != 0 && given != count && (what == "--bands" || given != 1) {
            let message = format!("{what} gives {given} numbers for {count} bitmaps; give one for each");
            return Err(Failure::Usage(message));
        }
    }
    let mut inputs = vec![arguments.height.clone()];
    inputs.extend(arguments.textures.iter().map(Into::into));
    outputs::check(&[Output::new("--output", &arguments.output)], &inputs)?;
    let raster = formats::read(&arguments.height, &reading::options(&arguments.reading, &arguments.height)?)?;
    reading::say_filled(&arguments.height.display().to_string(), &raster);
    let field = raster.to_heightfield(DEFAULT_CELL)?;
    // The samples are not needed twice.
    drop(raster);
    let (lowest, high) = field.range();
    let low = arguments.sea.filter(|&sea| sea < high).unwrap_or(lowest);
    let centres = match arguments.bands.as_slice() {
        [] => Texture::even_centres(low, high, count),
        given => given.to_vec(),
    };
    let resolution = arguments.texels.unwrap_or(field.grid().longer() as u32);
    let texel = field.grid().extent().max_element() / resolution as f32;
    let mut bitmaps = Vec::new();
    for (index, name) in arguments.textures.iter().enumerate() {
        let mut bitmap = Tiling { mirror: arguments.mirror, ..Tiling::new(name) };
        let tile = bitmap.read()?;
        let given = arguments.tile.get(index).or(arguments.tile.first());
        bitmap.size = given.copied().unwrap_or(tile.width.max(tile.depth) as f32 * texel.max(1e-3));
        bitmaps.push(bitmap);
    }
    let banded = Texture::banded(&bitmaps, &centres).map_err(usage)?;
    let fade = Fade::from(Texture { resolution, ..banded });
    fade.check().map_err(usage)?;
    let baked = progress::with_bar(|work| fade.bake(Land::dry(&field), false, 0, work))?;
    baked.notes.iter().for_each(|said| note(said));
    let colour = baked.colour;
    let ((), written) = outputs::together(|| {
        Ok(picture::write_opaque(&arguments.output, (colour.width, colour.depth), &colour.texels)?)
    })?;
    let heights = outputs::range("heights", (lowest, high), "m");
    written.report(&format!("{} × {} texels, {heights}", colour.width, colour.depth));
    Ok(())
}

/// Reports an error in arguments as bad usage.
fn usage(error: Error) -> Failure {
    Failure::Usage(error.to_string())
}
