//! `upland mesh`: writes a recipe's land as triangles, for modelling, games and 3D printing.

use std::path::Path;

use super::outputs::{self, Output};
use super::{Failure, Outcome, arguments, land, print, progress, report};
use crate::analysis::Surroundings;
use crate::compute::work::Work;
use crate::elevation::formats::check_folder;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, Window};
use crate::mesh::formats::{self, Format};
use crate::mesh::{Bound, Mesh, Method, Triangulation};
use crate::recipe::{Cache, Recipe};
use crate::texture::ColourMap;

/// The floor of a solid lies below its lowest point by this share of its longer side, unless told otherwise.
const SKIRT: f32 = 0.05;

pub(super) fn run(arguments: &arguments::MeshArguments) -> Outcome {
    let path = arguments.output.as_path();
    let format = Format::of(path)?;
    check_folder(path)?;
    if arguments.texture.is_some() && !format.has_textures() {
        let reason =
            format!("--texture: {} holds no texture; leave it out, or write .glb, .obj or .ply", format.name);
        return Err(Failure::Usage(reason));
    }
    let (method, bound) = choice(arguments)?;
    if let Some(count) = arguments.triangles {
        format.check(path, 0, count as u64)?;
    }
    let mut recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    if let (Some(texels), None) = (arguments.texture, arguments.window) {
        recipe.texture = recipe.texture.with(&|texture| texture.resolution = texels);
    }
    let files = formats::files(path, arguments.texture.is_some())?;
    let what = ["--output", "its texture", "its material"];
    let outputs: Vec<Output> =
        what.into_iter().zip(&files).map(|(what, file)| Output::new(what, file)).collect();
    outputs::check(&outputs, &outputs::inputs(&arguments.recipe, &recipe))?;
    let made = progress::with_bar(|work| make(arguments, &recipe, (method, bound), format, work))?;
    Ok(print(&summary(&files, &made)?)?)
}

/// The method and the bound that the arguments ask for.
fn choice(arguments: &arguments::MeshArguments) -> std::result::Result<(Method, Bound), Failure> {
    let method = if arguments.grid { Method::Grid } else { arguments.method };
    let bound = match (arguments.error, arguments.triangles) {
        (Some(metres), _) => Bound::Error(metres),
        (_, Some(count)) => Bound::Triangles(count),
        (None, None) if method == Method::Grid => Bound::Triangles(usize::MAX),
        (None, None) => {
            let reason = "how fine? Give --error METRES or --triangles N, or --grid for every sample";
            return Err(Failure::Usage(reason.into()));
        }
    };
    Ok((method, bound))
}

/// What was written.
struct Made {
    triangles: usize,
    vertices: usize,
    error: f64,
}

/// Builds the land, triangulates it and writes its mesh.
fn make(
    arguments: &arguments::MeshArguments,
    recipe: &Recipe,
    (method, bound): (Method, Bound),
    format: &Format,
    work: &Work,
) -> Result<Made> {
    let path = arguments.output.as_path();
    let (field, texture) = match arguments.texture {
        None => (land::heights(recipe, arguments.window, work)?, None),
        Some(texels) => {
            let (field, texture) = textured(recipe, arguments.window, texels, work)?;
            (field, Some(texture))
        }
    };
    if method == Method::Grid && !matches!(bound, Bound::Triangles(count) if count < usize::MAX) {
        let Grid { width, depth, .. } = field.grid();
        let triangles = 2 * (width - 1) as u64 * (depth - 1) as u64;
        format.check(path, (width * depth) as u64, triangles)?;
    }
    let triangulation = Triangulation::new(&field, method, bound, work)?;
    let mut mesh = Mesh::new(&field, &triangulation);
    if let Some(metres) = arguments.skirt {
        let extent = field.grid().extent().max_element();
        mesh = mesh.with_skirt(metres.unwrap_or(SKIRT * extent))?;
    }
    let error = triangulation.error;
    drop((field, triangulation));
    formats::write(path, &mesh, texture.as_ref(), work)?;
    Ok(Made { triangles: mesh.triangles.len(), vertices: mesh.positions.len(), error })
}

/// The land of a recipe, or a window of it, and its colours, as `upland bake` makes them.
fn textured(
    recipe: &Recipe,
    window: Option<Window>,
    texels: u32,
    work: &Work,
) -> Result<(Heightfield, ColourMap)> {
    if let Some(window) = window {
        let ready =
            recipe.prepare_window(window, texels_a_cell(texels, window), false, &Cache::default(), work)?;
        ready.notes().iter().for_each(|note| report(note));
        let colour = ready.baker(false, work)?.paint(ready.texels(), work)?.colour;
        // Texels are painted of more ground than the window's.
        return Ok((land::heights(recipe, Some(window), work)?, colour));
    }
    let fade = recipe.texture.fade();
    let made = recipe.build_layers(&fade.layers(), &Cache::new(0), work)?;
    let layers = made.layers().clone();
    let (field, rivers) = (made.heights, made.rivers);
    let ground = recipe.land(&field, &rivers);
    let known = Surroundings::new(&field).with_land_layers(layers);
    let prepared = fade.prepare(ground, Some(known), work)?;
    prepared.notes.iter().for_each(|note| report(note));
    let baker = fade.baker(ground, &prepared, false, recipe.seed, work)?;
    let colour = baker.paint(baker.whole(), work)?.colour;
    drop(baker);
    Ok((field, colour))
}

/// The power of two of texels along a cell that makes at least so many along the window's longer side, as far
/// as there can be.
fn texels_a_cell(texels: u32, window: Window) -> u32 {
    let cells = window.size[0].max(window.size[1]).saturating_sub(1).max(1);
    texels.div_ceil(cells).clamp(1, 256).next_power_of_two()
}

/// How many triangles and vertices, how far from the land, how many bytes.
fn summary(files: &[impl AsRef<Path>], made: &Made) -> Result<String> {
    let mut bytes = 0;
    for file in files {
        let file = file.as_ref();
        bytes += std::fs::metadata(file).map_err(|error| Error::io(file, "read", error))?.len();
    }
    let names: Vec<String> = files.iter().map(|file| file.as_ref().display().to_string()).collect();
    let Made { triangles, vertices, error } = made;
    Ok(format!(
        "{}\ntriangles   {triangles}\nvertices    {vertices}\nerror       {} m at most\nsize        {}\n",
        names.join(", "),
        in_metres(*error),
        in_bytes(bytes)
    ))
}

/// Metres, with four digits that matter, rounded up.
fn in_metres(error: f64) -> String {
    if error <= 0.0 {
        return "0".into();
    }
    let decimals = (3.0 - error.log10().floor()).clamp(0.0, 12.0) as usize;
    let step = 10f64.powi(decimals as i32);
    format!("{:.decimals$}", (error * step).ceil() / step)
}

fn in_bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_with_digits_that_matter_and_never_too_small() {
        for (error, text) in [
            (0.0, "0"),
            (1.0, "1.000"),
            (12.345_67, "12.35"),
            (0.000_123_41, "0.0001235"),
            (40_321.5, "40322"),
        ] {
            assert_eq!(in_metres(error), text);
        }
    }

    #[test]
    fn a_window_has_as_many_texels_as_asked_for_or_more() {
        let window = |side| Window { level: 0, first: [0, 0], size: [side, 2] };
        for (texels, side, a_cell) in
            [(512, 513, 1), (513, 513, 2), (100, 513, 1), (4096, 513, 8), (65_536, 2, 256)]
        {
            assert_eq!(texels_a_cell(texels, window(side)), a_cell, "{texels} on {side}");
        }
    }
}
