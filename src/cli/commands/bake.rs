//! `upland bake`: bakes the texture of a recipe's land into pictures, whole or in patches.

mod pictures;

use std::fmt::Write;

use pictures::{Pictures, Water};

use crate::Recipe;
use crate::cli::arguments::BakeArguments;
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Outcome, note, print};
use crate::cli::{land, progress, stretch};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::{MapPlace, Raster};
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{Heightfield, Region, Window};
use crate::texture::{Baked, FadeBaker, MapWindow, PaintWindow, Patches, bake_patches};
use crate::{Cache, WindowBake};

pub(in crate::cli) fn run(arguments: &BakeArguments) -> Outcome {
    pictures::check(arguments)?;
    if let Some(path) = &arguments.heights {
        formats::check_writable(path)?;
    }
    let mut recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    if let Some(season) = arguments.season {
        recipe.texture = recipe.texture.in_season(season);
    }
    let of_patches = arguments.patch_texels.map(|texels| whole_of_patches(arguments, &recipe, texels));
    let of_map = arguments.texels.filter(|_| arguments.window.is_none());
    if let Some(texels) = of_map.or(of_patches) {
        recipe.texture = recipe.drawn_texture().with(&|texture| texture.resolution = texels);
    }
    if let Some(light) = arguments.light.or(arguments.light_at) {
        recipe.texture = recipe.drawn_texture().with(&|texture| texture.light = Some(light));
    }
    let mut files = pictures::outputs(arguments, &recipe);
    files.extend(arguments.heights.iter().map(|path| Output::new("--heights", path)));
    outputs::check(&files, &outputs::inputs(&arguments.recipe, &recipe))?;
    land::announce(&recipe, arguments.window);
    let (made, written) = outputs::together(|| {
        let made = progress::with_bar(|work| bake(arguments, &recipe, work))?;
        print(&made.legend)?;
        Ok(made)
    })?;
    written.report(&made.content);
    note_unclaimed(made.unclaimed);
    Ok(())
}

/// The result of a bake, in words.
struct Made {
    legend: String,
    /// The content of the pictures.
    content: String,
    /// The share of the ground that no terrain type claims.
    unclaimed: f32,
}

/// Bakes and writes a land, or a window of it, patch by patch; without patches, all of it is one.
fn bake(arguments: &BakeArguments, recipe: &Recipe, work: &Work) -> Result<Made> {
    let ready = prepare(arguments, recipe, work)?;
    let weights = arguments.weights.is_some() || arguments.ids.is_some();
    let cover = ready.texels();
    let place = land::place(recipe, arguments.window, work)?;
    let baked = match arguments.window {
        Some(window) => recipe.domain()?.region(window)?,
        None => *ready.ground().region(),
    };
    write_heights(arguments, recipe, (&ready, &baked), place.as_ref(), work)?;
    if arguments.window.is_none() {
        land::tell_notes_on(recipe, ready.field(), &ready.ground().rivers);
    }
    ready.notes().iter().for_each(|said| note(said));
    let samples = baked.window().size;
    let baker = ready.baker(weights, work)?;
    let (columns, rows) = arguments.patches.unwrap_or((1, 1));
    let pictures = Pictures {
        arguments,
        cover,
        size: baker.size(),
        field: ready.field(),
        wetness: ready.wetness(),
        water: water(arguments, &ready, &baked, work)?,
        patches: Patches::new((cover.width, cover.depth), columns, rows)?,
        place: place
            .map(|place| place.of_texels(samples.map(|side| side as usize), [cover.width, cover.depth])),
    };
    let mut unclaimed = 0.0;
    let sink = |patch: crate::texture::Patch| {
        let share = (patch.window.width * patch.window.depth) as f64;
        unclaimed += share * f64::from(patch.baked.unclaimed_share);
        pictures.write(&patch)
    };
    let patches = &pictures.patches;
    bake_patches(&CoverBaker { baker: &baker, cover }, patches, &patches.row_by_row(), sink, work)?;
    Ok(Made {
        legend: pictures::legend(arguments, &baker, pictures.water.as_ref()),
        content: content(arguments, recipe, (cover.width, cover.depth), ready.field())?,
        unclaimed: (unclaimed / (cover.width * cover.depth) as f64) as f32,
    })
}

/// Prepares the land, or the window of it, for painting.
fn prepare(arguments: &BakeArguments, recipe: &Recipe, work: &Work) -> Result<WindowBake> {
    let wetness = arguments.wetness.is_some();
    let layers: &[&str] = if arguments.water_depth.is_some() { &[WATER_DEPTH] } else { &[] };
    match arguments.window {
        Some(window) => {
            let texels = texels_a_cell(arguments.texels, window)?;
            recipe.prepare_window_layers(window, texels, wetness, layers, &Cache::default(), work)
        }
        None => recipe.prepare_land(layers, wetness, None, work),
    }
}

/// The water on the samples that are baked, if it is requested.
fn water(
    arguments: &BakeArguments,
    ready: &WindowBake,
    baked: &Region,
    work: &Work,
) -> Result<Option<Water>> {
    if arguments.water_depth.is_none() {
        return Ok(None);
    }
    let depth = part(ready, ready.ground().layer(WATER_DEPTH)?, baked, work)?;
    Water::of(&depth, arguments.deepest, work).map(Some)
}

/// The part of a field over the prepared ground that is baked: a window is prepared with its surroundings.
fn part(ready: &WindowBake, field: &Heightfield, baked: &Region, work: &Work) -> Result<Heightfield> {
    ready.ground().region().part(field, baked, work)
}

/// The texels of a map that are baked, as a map of their own.
struct CoverBaker<'a> {
    baker: &'a FadeBaker<'a>,
    cover: MapWindow,
}

impl PaintWindow for CoverBaker<'_> {
    fn size(&self) -> (usize, usize) {
        (self.cover.width, self.cover.depth)
    }

    fn paint_window(&self, window: MapWindow, work: &Work) -> Result<Baked> {
        let (column, row) = (window.column + self.cover.column, window.row + self.cover.row);
        self.baker.paint_window(MapWindow { column, row, ..window }, work)
    }
}

/// The content of the pictures of a land, or of a part of it.
fn content(
    arguments: &BakeArguments,
    recipe: &Recipe,
    (width, depth): (usize, usize),
    field: &Heightfield,
) -> Result<String> {
    let mut content = format!("{width} × {depth} texels");
    if let Some((columns, rows)) = arguments.patches {
        let _ = write!(content, " in {columns} × {rows} patches");
    }
    if let Some(part) = land::part(recipe, arguments.window)? {
        let _ = write!(content, ", {part}");
    }
    Ok(content + ", " + &outputs::range("heights", field.range(), "m"))
}

/// Texels along the longer side of the whole picture, if patches have `texels` along theirs.
fn whole_of_patches(arguments: &BakeArguments, recipe: &Recipe, texels: u32) -> u32 {
    let (columns, rows) = arguments.patches.unwrap_or((1, 1));
    let share = |samples: u32, patches: usize| samples.saturating_sub(1) as f64 / patches as f64;
    let (width, depth) = recipe.size;
    let longest = share(width, columns).max(share(depth, rows));
    let whole = f64::from(width.max(depth).saturating_sub(1).max(1));
    (f64::from(texels) * whole / longest.max(1e-9)).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Writes the heights of the baked ground, if they are requested.
fn write_heights(
    arguments: &BakeArguments,
    recipe: &Recipe,
    (ready, baked): (&WindowBake, &Region),
    place: Option<&MapPlace>,
    work: &Work,
) -> Result<()> {
    let Some(path) = &arguments.heights else { return Ok(()) };
    let field = part(ready, ready.field(), baked, work)?;
    let range = stretch::of_land(path, arguments.to_range, (recipe, None, arguments.window), work)?;
    let field = stretch::fitted(path, field, arguments.to_range, range)?;
    let options = WriteOptions { range, ..WriteOptions::default() };
    let written = formats::write(path, &Raster::from(field).with_place(place.cloned()), &options)?;
    if let Some(message) = written.message() {
        note(&format!("{}: {message}", path.display()));
    }
    Ok(())
}

/// Texels along a cell, for a window's picture with `asked` texels along its longer side.
fn texels_a_cell(asked: Option<u32>, window: Window) -> Result<u32> {
    let cells = window.size[0].max(window.size[1]).saturating_sub(1).max(1);
    let Some(texels) = asked else { return Ok(2) };
    let a_cell = texels / cells;
    if texels % cells == 0 && a_cell.is_power_of_two() && a_cell <= 256 {
        return Ok(a_cell);
    }
    let nearest = cells * (texels as f32 / cells as f32).max(1.0).log2().round().exp2().min(256.0) as u32;
    let reason = format!(
        "{texels} texels don't lie evenly over a window of {cells} cells, 1, 2, 4 … 256 on each; give {nearest}, or a \
         level finer or coarser"
    );
    Err(Error::parameter("--texels", reason))
}

/// Reports that some of the ground, as a share, fits no terrain type. Less than a hundredth is not reported.
fn note_unclaimed(share: f32) {
    if share >= 0.01 {
        let percent = 100.0 * share;
        note(&format!("{percent:.0} % of the ground fits no terrain type; the nearest one was used"));
    }
}
