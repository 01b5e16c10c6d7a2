//! `upland bake`: bakes the texture of a recipe's land into pictures, whole or in patches.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::analysis::factors::WETNESS;
use crate::analysis::{ShareMap, TerrainAnalysis};
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Outcome, note, print};
use crate::cli::{arguments, land, progress, stretch};
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::{MapPlace, Raster};
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::memory;
use crate::grid::{self, Heightfield};
use crate::picture::{self, Pixel};
use crate::texture::{
    Baked, FadeBaker, Green, MapWindow, PaintWindow, Patches, TYPES_PER_SPLAT_MAP, TerrainType, bake_patches,
    normal_map,
};
use crate::{Cache, Recipe};

pub(in crate::cli) fn run(arguments: &arguments::BakeArguments) -> Outcome {
    for (_, path) in names(arguments) {
        picture::check(path)?;
    }
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
    let mut files = pictures(arguments, &recipe);
    files.extend(arguments.heights.iter().map(|path| Output::new("--heights", path)));
    outputs::check(&files, &outputs::inputs(&arguments.recipe, &recipe))?;
    land::announce(&recipe, arguments.window);
    let (made, written) = outputs::together(|| {
        let made = progress::with_bar(|work| match arguments.window {
            Some(window) => bake_window(arguments, &recipe, window, work),
            None => bake(arguments, &recipe, work),
        })?;
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

/// The content of the pictures of a land, or of a part of it.
fn content(
    arguments: &arguments::BakeArguments,
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
fn whole_of_patches(arguments: &arguments::BakeArguments, recipe: &Recipe, texels: u32) -> u32 {
    let (columns, rows) = arguments.patches.unwrap_or((1, 1));
    let share = |samples: u32, patches: usize| samples.saturating_sub(1) as f64 / patches as f64;
    let (width, depth) = recipe.size;
    let longest = share(width, columns).max(share(depth, rows));
    let whole = f64::from(width.max(depth).saturating_sub(1).max(1));
    (f64::from(texels) * whole / longest.max(1e-9)).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Every requested kind of picture and its file name as given.
fn names(arguments: &arguments::BakeArguments) -> impl Iterator<Item = (&'static str, &Path)> {
    let more = [
        ("--weights", &arguments.weights),
        ("--ids", &arguments.ids),
        ("--normals", &arguments.normals),
        ("--wetness", &arguments.wetness),
        ("--occlusion", &arguments.occlusion),
        ("--water-depth", &arguments.water_depth),
    ];
    let more = more.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
    std::iter::once(("--output", arguments.output.as_path())).chain(more)
}

/// Every picture to be written; with patches, the first of each kind. If those names differ, all others do,
/// because the suffixes are equally long.
fn pictures(arguments: &arguments::BakeArguments, recipe: &Recipe) -> Vec<Output> {
    let maps = recipe.fade().types().len().div_ceil(TYPES_PER_SPLAT_MAP);
    let mut pictures = Vec::new();
    for (option, path) in names(arguments) {
        let all = match option {
            "--weights" => (0..maps).map(|number| splat_name(path, number)).collect(),
            _ => vec![path.to_owned()],
        };
        let first = |path: PathBuf| match arguments.patches {
            Some(_) => picture::with_suffix(&path, "-c0-r0"),
            None => path,
        };
        pictures.extend(all.into_iter().map(|path| Output::new(option, first(path))));
    }
    pictures
}

/// Bakes and writes patch by patch.
fn bake(arguments: &arguments::BakeArguments, recipe: &Recipe, work: &Work) -> Result<Made> {
    let fade = recipe.fade();
    let mut wanted = fade.layers();
    if arguments.water_depth.is_some() && !wanted.contains(&WATER_DEPTH) {
        wanted.push(WATER_DEPTH);
    }
    let made = recipe.build_layers(&wanted, &Cache::new(0), work)?;
    let layers = made.layers().clone();
    let painted = recipe.painted_over(made.region(), None)?;
    let water = arguments.water_depth.as_ref().map(|_| made.layer(WATER_DEPTH)).transpose()?;
    let water = water.map(|depth| Water::of(depth, arguments.deepest, work)).transpose()?;
    let (field, rivers) = (made.heights, made.rivers);
    let place = land::place(recipe, None, work)?;
    write_heights(arguments, &field, (recipe, place.as_ref()), work)?;
    land::tell_notes_on(recipe, &field, &rivers);
    let ground = recipe.land(&field, &rivers);
    let wetness = match arguments.wetness {
        Some(_) => Some(WETNESS.measure(ground, work)?),
        None => None,
    };
    let known = TerrainAnalysis::new(&field).with_land_layers(layers);
    let prepared = fade.prepare(ground, Some(known), work)?.with_painted(painted);
    prepared.notes.iter().for_each(|said| note(said));
    let weights = arguments.weights.is_some() || arguments.ids.is_some();
    let baker = fade.baker(ground, &prepared, weights, recipe.seed, work)?;
    let (columns, rows) = arguments.patches.unwrap_or((1, 1));
    let patches = Patches::new(PaintWindow::size(&baker), columns, rows)?;
    let (size, first) = (baker.size(), [0, 0]);
    let water = water.map(|water| WaterMap { water, size, first });
    let cover = MapWindow { column: 0, row: 0, width: size.0, depth: size.1 };
    let grid = field.grid();
    let place = place.map(|place| place.of_texels([grid.width, grid.depth], [cover.width, cover.depth]));
    let pictures = Pictures { arguments, field: &field, wetness, water, patches, size, place, cover };
    let mut unclaimed = 0.0;
    let sink = |patch: crate::texture::Patch| {
        let share = (patch.window.width * patch.window.depth) as f64;
        unclaimed += share * f64::from(patch.baked.unclaimed_share);
        pictures.write((patch.column, patch.row), patch.window, &patch.baked)
    };
    bake_patches(&baker, &patches, &patches.row_by_row(), sink, work)?;
    let (width, depth) = baker.size();
    Ok(Made {
        legend: legend(arguments, &baker, pictures.water.as_ref()),
        content: content(arguments, recipe, (width, depth), &field)?,
        unclaimed: (unclaimed / (width * depth) as f64) as f32,
    })
}

/// Bakes and writes a window of the land.
fn bake_window(
    arguments: &arguments::BakeArguments,
    recipe: &Recipe,
    window: grid::Window,
    work: &Work,
) -> Result<Made> {
    let texels = texels_a_cell(arguments.texels, window)?;
    let wetness = arguments.wetness.is_some();
    let ready = recipe.prepare_window(window, texels, wetness, &Cache::default(), work)?;
    ready.notes().iter().for_each(|said| note(said));
    let weights = arguments.weights.is_some() || arguments.ids.is_some();
    let baker = ready.baker(weights, work)?;
    let patches = Patches::new(PaintWindow::size(&baker), 1, 1)?;
    let wetness = ready.wetness().cloned();
    let texels = ready.texels();
    let water = match arguments.water_depth {
        None => None,
        Some(_) => {
            let water =
                Water::of(&land::layer(recipe, WATER_DEPTH, Some(window), work)?, arguments.deepest, work)?;
            let (size, first) = ((texels.width, texels.depth), [texels.column, texels.row]);
            Some(WaterMap { water, size, first })
        }
    };
    let place = land::place(recipe, Some(window), work)?;
    if arguments.heights.is_some() {
        let field = land::heights(recipe, Some(window), work)?;
        write_heights(arguments, &field, (recipe, place.as_ref()), work)?;
    }
    let samples = window.size.map(|side| side as usize);
    let place = place.map(|place| place.of_texels(samples, [texels.width, texels.depth]));
    let (size, field) = (baker.size(), ready.field());
    let pictures = Pictures { arguments, field, wetness, water, patches, size, place, cover: texels };
    let baked = baker.paint(texels, work)?;
    pictures.write((0, 0), texels, &baked)?;
    Ok(Made {
        legend: legend(arguments, &baker, pictures.water.as_ref()),
        content: content(arguments, recipe, (texels.width, texels.depth), ready.field())?,
        unclaimed: baked.unclaimed_share,
    })
}

/// Writes the heights of the baked ground, if they are requested.
fn write_heights(
    arguments: &arguments::BakeArguments,
    field: &Heightfield,
    (recipe, place): (&Recipe, Option<&MapPlace>),
    work: &Work,
) -> Result<()> {
    let Some(path) = &arguments.heights else { return Ok(()) };
    let part = (recipe, None, arguments.window);
    let range = stretch::of_land(path, arguments.to_range, part, work)?;
    let field = stretch::fitted(path, field.clone(), arguments.to_range, range)?;
    let written =
        formats::write(path, &Raster::from(field).with_place(place.cloned()), &WriteOptions { range })?;
    if let Some(message) = written.message() {
        note(&format!("{}: {message}", path.display()));
    }
    Ok(())
}

/// Texels along a cell, for a window's picture with `asked` texels along its longer side.
fn texels_a_cell(asked: Option<u32>, window: grid::Window) -> Result<u32> {
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

/// Depths of water, as shares of the depth that is white.
struct Water {
    shares: ShareMap,
    /// Metres.
    white: f32,
}

impl Water {
    /// From depths in metres; white is `deepest`, or the greatest depth.
    fn of(depth: &Heightfield, deepest: Option<f32>, work: &Work) -> Result<Self> {
        let white = deepest.unwrap_or_else(|| depth.range().1);
        // On dry land any depth will do.
        let white = if white > 0.0 { white } else { 1.0 };
        let shares = ShareMap::from_rows(depth.grid(), work, |row, shares| {
            shares.iter_mut().zip(depth.row(row)).for_each(|(share, metres)| *share = metres / white);
            Ok(())
        })?;
        Ok(Self { shares, white })
    }
}

/// Water under a map with this size in texels, whose first texel is `first` in the baker's map.
struct WaterMap {
    water: Water,
    size: (usize, usize),
    first: [usize; 2],
}

/// The pictures of a patch and where each is written.
struct Pictures<'a> {
    arguments: &'a arguments::BakeArguments,
    field: &'a Heightfield,
    wetness: Option<ShareMap>,
    water: Option<WaterMap>,
    patches: Patches,
    size: (usize, usize),
    /// Where the texels of `cover` lie on a map, if the land lies on one.
    place: Option<MapPlace>,
    /// All texels that are painted.
    cover: MapWindow,
}

impl Pictures<'_> {
    fn write(&self, patch: (usize, usize), window: MapWindow, baked: &Baked) -> Result<()> {
        let size = (window.width, window.depth);
        let arguments = self.arguments;
        let name = |path: &Path| self.name(path, patch);
        let flip = if arguments.mirror_odd { [patch.0 % 2 == 1, patch.1 % 2 == 1] } else { [false; 2] };
        if flip == [false; 2] {
            picture::write_opaque(&name(&arguments.output), size, &baked.colour.texels)?;
        } else {
            let mut colour = baked.colour.texels.clone();
            mirror(&mut colour, window.width, flip);
            picture::write_opaque(&name(&arguments.output), size, &colour)?;
        }
        // The others are made one after another; the largest is a splat map, with four bytes a texel.
        if names(arguments).nth(1).is_some() {
            memory::require_for_picture(size, 4 * baked.colour.texels.len() as u64)?;
        }
        let grey = |path: &Path, mut levels: Vec<u8>| {
            mirror(&mut levels, window.width, flip);
            picture::write(&name(path), size, Pixel::Grey, &levels)
        };
        if let (Some(path), Some(weights)) = (&arguments.weights, &baked.weights) {
            for number in 0..weights.splat_maps() {
                let mut texels = weights.splat_map(number);
                mirror(&mut texels, window.width, flip);
                picture::write(&name(&splat_name(path, number)), size, Pixel::Rgba, texels.as_flattened())?;
            }
        }
        if let (Some(path), Some(weights)) = (&arguments.ids, &baked.weights) {
            grey(path, weights.strongest())?;
        }
        if let Some(path) = &arguments.normals {
            let green = if arguments.green_down { Green::Down } else { Green::Up };
            let mut texels = normal_map(self.field, self.size, window, green);
            mirror(&mut texels, window.width, flip);
            // Along a mirrored axis of the picture the normal leans the other way.
            for (axis, _) in flip.iter().enumerate().filter(|(_, flipped)| **flipped) {
                texels.iter_mut().for_each(|texel| texel[axis] = (256 - u16::from(texel[axis]).max(1)) as u8);
            }
            picture::write(&name(path), size, Pixel::Rgb, texels.as_flattened())?;
        }
        if let (Some(path), Some(wetness)) = (&arguments.wetness, &self.wetness) {
            grey(path, wetness.map(self.size, window))?;
        }
        if let Some(path) = &arguments.occlusion {
            grey(path, baked.colour.texels.iter().map(|texel| texel[3]).collect())?;
        }
        if let (Some(path), Some(WaterMap { water, size, first: [column, row] })) =
            (&arguments.water_depth, &self.water)
        {
            let part = MapWindow { column: window.column - column, row: window.row - row, ..window };
            grey(path, water.shares.map(*size, part))?;
        }
        if let Some(place) = self.place.as_ref().filter(|_| flip == [false; 2]) {
            let from_south = self.cover.row + self.cover.depth - window.row - window.depth;
            let first = [(window.column - self.cover.column) as f64, from_south as f64];
            let place = place.of_samples(first, [1.0; 2]);
            for path in self.written(baked) {
                formats::write_place(name(&path), &place, window.depth)?;
            }
        }
        Ok(())
    }

    /// The names of all pictures of a patch, without its column and row.
    fn written(&self, baked: &Baked) -> Vec<PathBuf> {
        let maps = baked.weights.as_ref().map_or(0, |weights| weights.splat_maps());
        let of_option = |(option, path): (&str, &Path)| match option {
            "--weights" => (0..maps).map(|number| splat_name(path, number)).collect(),
            _ => vec![path.to_owned()],
        };
        names(self.arguments).flat_map(of_option).collect()
    }

    /// The name of a picture, with column and row if there are patches.
    fn name(&self, path: &Path, (column, row): (usize, usize)) -> PathBuf {
        if self.arguments.patches.is_none() {
            return path.to_owned();
        }
        let digits = |count: usize| (count - 1).to_string().len();
        let (columns, rows) = (digits(self.patches.columns()), digits(self.patches.rows()));
        picture::with_suffix(path, &format!("-c{column:0columns$}-r{row:0rows$}"))
    }
}

/// Mirrors texels in rows of `width` from east to west, from north to south, or both.
fn mirror<T>(texels: &mut [T], width: usize, [columns, rows]: [bool; 2]) {
    if columns {
        texels.chunks_mut(width).for_each(<[T]>::reverse);
    }
    if rows {
        // Reverses all texels, then every row.
        texels.reverse();
        texels.chunks_mut(width).for_each(<[T]>::reverse);
    }
}

fn splat_name(path: &Path, number: usize) -> PathBuf {
    picture::with_suffix(path, &format!("-{number}"))
}

/// The terrain type of each channel or grey level, and the depth of white water.
fn legend(arguments: &arguments::BakeArguments, baker: &FadeBaker, water: Option<&WaterMap>) -> String {
    let mut legend = String::new();
    let types: Vec<&TerrainType> = baker.types().collect();
    let layers = baker.layers();
    // Layers have weights of their own, beside the shares of the ground.
    let name = |index: usize| {
        let layer = if layers.contains(&index) { " (layer)" } else { "" };
        types.get(index).map(|kind| format!("{}{layer}", kind.name)).unwrap_or_default()
    };
    if let Some(path) = &arguments.weights {
        for number in 0..types.len().div_ceil(TYPES_PER_SPLAT_MAP) {
            let first = number * TYPES_PER_SPLAT_MAP;
            let channels = ["red", "green", "blue", "alpha"].into_iter().zip(first..types.len());
            let channels: Vec<String> =
                channels.map(|(channel, index)| format!("{channel} {}", name(index))).collect();
            let _ = writeln!(legend, "{}: {}", splat_name(path, number).display(), channels.join(", "));
        }
    }
    if let Some(path) = &arguments.ids {
        let ground = (0..types.len()).filter(|index| !layers.contains(index));
        let levels: Vec<String> = ground.map(|level| format!("{level} {}", name(level))).collect();
        let _ = writeln!(legend, "{}: {}", path.display(), levels.join(", "));
    }
    if let (Some(path), Some(WaterMap { water, .. })) = (&arguments.water_depth, water) {
        let _ = writeln!(legend, "{}: black dry, white {} m of water", path.display(), water.white);
    }
    legend
}
