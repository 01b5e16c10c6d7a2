//! Bakes a texture too large for memory: patch by patch, each written to a file and dropped.
//!
//! `cargo run --release --no-default-features --example patches -- canyon 32768 4096 OUT` bakes the preset
//! `canyon` at 32768 texels a side in patches of at most 4096 into the folder OUT. `--size 4097` builds the
//! land with this many samples, `--dry` writes nothing.

use std::error::Error;
use std::path::Path;

use upland::texture::{BakeOptions, Baker, Patch, Patches, TerrainAnalysis, Texture, bake_patches};
use upland::{Preset, Work};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let dry = arguments.iter().position(|argument| argument == "--dry").map(|at| arguments.remove(at));
    let size = match arguments.iter().position(|argument| argument == "--size") {
        Some(at) if at + 1 < arguments.len() => Some(arguments.drain(at..at + 2).nth(1).unwrap_or_default()),
        _ => None,
    };
    let [preset, texels, side, folder] = &arguments[..] else {
        return Err("give a preset, texels along the longer side, texels of a patch, and a folder".into());
    };
    let mut recipe = Preset::find(preset).ok_or("there is no such preset")?.recipe()?;
    if let Some(size) = size {
        recipe = recipe.with_longer_side(size.parse()?);
    }
    let work = Work::new();
    let field = recipe.build_heightfield(&work)?;

    let texture = Texture { resolution: texels.parse()?, ..recipe.texture.texture() };
    let mut analysis = TerrainAnalysis::new(&field);
    analysis.prepare(&field, &texture, &work)?;
    let options = BakeOptions { sea_level: recipe.sea_level(), ..BakeOptions::default() };
    let baker = Baker::new(&field, &analysis, &texture, options, recipe.seed, &work)?;
    let patches = Patches::at_most(baker.size(), side.parse()?)?;
    std::fs::create_dir_all(folder)?;
    let write = |patch: Patch| {
        let name = format!("patch_{}_{}.png", patch.column, patch.row);
        println!("{name}: {:?}", patch.window);
        if dry.is_some() { Ok(()) } else { save(&patch, &Path::new(folder).join(name)) }
    };
    // Each patch is written and dropped before the next is painted.
    bake_patches(&baker, &patches, &patches.row_by_row(), write, &work)?;
    Ok(())
}

fn save(patch: &Patch, path: &Path) -> upland::Result<()> {
    let colour = &patch.baked.colour;
    let picture =
        image::RgbImage::from_raw(colour.width as u32, colour.depth as u32, colour.opaque().concat());
    let picture =
        picture.ok_or_else(|| upland::Error::file(path, "has more texels than a picture can hold"))?;
    picture.save(path).map_err(|error| upland::Error::file(path, format!("cannot be written: {error}")))
}
