//! `upland mesh`: writes a recipe's land as triangles, for modelling, games and 3D printing.

use std::path::{Path, PathBuf};

use crate::analysis::TerrainAnalysis;
use crate::cli::outputs::{self, Output};
use crate::cli::report::{Failure, Outcome, note, print};
use crate::cli::{arguments, land, progress};
use crate::compute::work::Work;
use crate::error::Result;
use crate::files::check_replaceable;
use crate::grid::layer::HOLE;
use crate::grid::{Grid, Heightfield, Layers, MAX_SAMPLES, Region, Window, memory};
use crate::mesh::formats::{self, Format};
use crate::mesh::{Bound, Mesh, Method, Seams, Tile, Triangulation, tile_borders};
use crate::picture;
use crate::texture::{ColourMap, FadeBaker, MapWindow};
use crate::{Cache, Recipe};

/// Cells along a side of the largest tiles of land that is divided automatically.
const LARGEST_TILE: usize = 4096;

/// By default the floor of a solid lies below its lowest point by this share of its longer side.
const SKIRT: f32 = 0.05;

pub(in crate::cli) fn run(arguments: &arguments::MeshArguments) -> Outcome {
    let path = arguments.output.as_path();
    let format = Format::of(path)?;
    check_replaceable(path)?;
    if arguments.texture.is_some() && !format.has_textures() {
        let reason =
            format!("--texture: {} holds no texture; leave it out, or write .glb, .obj or .ply", format.name);
        return Err(Failure::Usage(reason));
    }
    let (method, bound) = choice(arguments)?;
    // A file format that cannot hold that many is refused before the land is made.
    if let Some(count) = arguments.triangles {
        format.check(path, 0, count as u64)?;
    }
    let mut recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    if let (Some(texels), None) = (arguments.texture, arguments.window) {
        recipe.texture = recipe.drawn_texture().with(&|texture| texture.resolution = texels);
    }
    let tiles = match arguments.tiles {
        None if arguments.window.is_none() => tiles_needed(&recipe, (method, bound), format)?,
        tiles => tiles,
    };
    let name = |tile: [usize; 2]| tiles.map_or(path.to_owned(), |tiles| name_of_tile(path, tile, tiles));
    // The first of several tiles represents all: their suffixes are equally long.
    let files = formats::files(name([0, 0]), arguments.texture.is_some())?;
    let what = ["--output", "its texture", "its material"];
    let outputs: Vec<Output> =
        what.into_iter().zip(&files).map(|(what, file)| Output::new(what, file)).collect();
    outputs::check(&outputs, &outputs::inputs(&arguments.recipe, &recipe))?;
    land::announce(&recipe, arguments.window);
    let part = land::part(&recipe, arguments.window)?.unwrap_or_default();
    let ((), written) = outputs::together(|| {
        let made = progress::with_bar(|work| match tiles {
            None => make(arguments, &recipe, (method, bound), format, work),
            Some(tiles) => Tiled { arguments, recipe: &recipe, method, bound, tiles }.make(work),
        })?;
        Ok(print(&summary(&made))?)
    })?;
    written.report(&part);
    Ok(())
}

/// The name of a tile: column and row, with as many digits as the last ones have.
fn name_of_tile(path: &Path, [column, row]: [usize; 2], tiles: (usize, usize)) -> PathBuf {
    let digits = |count: usize| (count - 1).to_string().len();
    let (columns, rows) = (digits(tiles.0), digits(tiles.1));
    picture::with_suffix(path, &format!("-c{column:0columns$}-r{row:0rows$}"))
}

/// The tiles into which land must be divided because a single mesh would be more than memory or a file can
/// hold.
fn tiles_needed(
    recipe: &Recipe,
    (method, bound): (Method, Bound),
    format: &Format,
) -> Result<Option<(usize, usize)>> {
    let [width, depth] = [recipe.size.0, recipe.size.1].map(|side| side as usize);
    if matches!(bound, Bound::Triangles(count) if count < usize::MAX) || recipe.domain()?.is_endless() {
        return Ok(None);
    }
    let too_large = |samples: [usize; 2]| {
        let [width, depth] = samples.map(|samples| samples as u64);
        let is_full =
            method == Method::Grid && format.check("", width * depth, 2 * (width - 1) * (depth - 1)).is_err();
        is_full || width * depth > MAX_SAMPLES as u64
    };
    if width < 2 || depth < 2 || !too_large([width, depth]) {
        return Ok(None);
    }
    // Tiles that are as square as possible.
    let parts = |side: usize| [width, depth].map(|samples| (samples - 1).div_ceil(side).max(1));
    let sides = std::iter::successors(Some(LARGEST_TILE), |side| Some(side / 2)).take_while(|side| *side > 0);
    // The largest tiles that fit: each tile has walls of vertices that its neighbours have too.
    let found = sides.map(|side| (side, parts(side))).find(|(side, _)| !too_large([side + 1; 2]));
    let (_, [columns, rows]) = found.unwrap_or((1, parts(1)));
    note(&format!("the land is too large for one mesh; it is written in {columns}×{rows} tiles"));
    Ok(Some((columns, rows)))
}

/// A mesh that is made in tiles.
struct Tiled<'a> {
    arguments: &'a arguments::MeshArguments,
    recipe: &'a Recipe,
    method: Method,
    bound: Bound,
    tiles: (usize, usize),
}

impl Tiled<'_> {
    /// Writes all tiles, one after the other.
    fn make(&self, work: &Work) -> Result<Made> {
        match self.arguments.window {
            Some(window) => self.make_in_windows(window, work),
            None if self.recipe.is_made_in_windows()? => {
                let size = [self.recipe.size.0, self.recipe.size.1];
                self.make_in_windows(Window { level: 0, first: [0, 0], size }, work)
            }
            None => self.make_of_whole(work),
        }
    }

    /// Builds all of the land and divides it.
    fn make_of_whole(&self, work: &Work) -> Result<Made> {
        if self.arguments.texture.is_none() {
            let (field, layers) = with_holes(self.recipe, None, work)?;
            let cells = [field.grid().width, field.grid().depth].map(|samples| (samples - 1) as f64);
            return self.cut((&field, layers.get(HOLE)), |_| Ok((None, [[0.0; 2], cells])), work);
        }
        with_baker(self.recipe, work, |(field, holes), baker| {
            let cells = [field.grid().width, field.grid().depth].map(|samples| (samples - 1) as f64);
            let texels = [baker.size().0, baker.size().1];
            let paint = |[from, to]: [[usize; 2]; 2]| {
                // All texels of which the tile has a part.
                let at = |axis: usize, sample: usize| sample as f64 / cells[axis] * texels[axis] as f64;
                let begin = [0, 1].map(|axis| at(axis, from[axis]).floor() as usize);
                let end = [0, 1].map(|axis| (at(axis, to[axis]).ceil() as usize).min(texels[axis]));
                let size = [0, 1].map(|axis| end[axis] - begin[axis]);
                let window = MapWindow { column: begin[0], row: begin[1], width: size[0], depth: size[1] };
                let place = |texel: [usize; 2]| {
                    [0, 1].map(|axis| texel[axis] as f64 / texels[axis] as f64 * cells[axis])
                };
                Ok((Some(baker.paint(window, work)?.colour), [place(begin), place(size)]))
            };
            self.cut((field, holes), paint, work)
        })
    }

    /// Writes the tiles of a field; `paint` makes the texture between two samples and returns where it lies.
    fn cut(
        &self,
        (field, holes): (&Heightfield, Option<&Heightfield>),
        paint: impl Fn([[usize; 2]; 2]) -> Result<(Option<ColourMap>, [[f64; 2]; 2])>,
        work: &Work,
    ) -> Result<Made> {
        let grid = field.grid();
        let land = [grid.width, grid.depth];
        self.each_tile(land, |number, [from, to]| {
            let [width, depth] = [0, 1].map(|axis| to[axis] - from[axis] + 1);
            let tile = Grid::new(width, depth, grid.cell)?;
            memory::require(tile, 4 * tile.count() as u64)?;
            let part = |of: &Heightfield| {
                let rows = (from[1]..=to[1]).flat_map(|row| &of.row(row)[from[0]..=to[0]]);
                Heightfield::new(tile, rows.copied().collect())
            };
            let (heights, holes) = (part(field)?, holes.map(part).transpose()?);
            let (texture, picture) = paint([from, to])?;
            let tile = Tile { field, first: from, place: from, land, picture };
            self.write(number, (&heights, holes.as_ref()), &tile, texture.as_ref(), work)
        })
    }

    /// Builds the land tile by tile.
    fn make_in_windows(&self, window: Window, work: &Work) -> Result<Made> {
        let (cache, domain) = (Cache::default(), self.recipe.domain()?);
        let land = window.size.map(|side| side as usize);
        let a_cell = self.arguments.texture.map(|texels| texels_a_cell(texels, window));
        self.each_tile(land, |number, [from, to]| {
            let first = [0, 1].map(|axis| window.first[axis] + from[axis] as i64);
            let size = [0, 1].map(|axis| (to[axis] - from[axis] + 1) as u32);
            let tile = Window { level: window.level, first, size };
            // One more sample on every side where there is land, for the normals.
            let begins = first.map(|first| if domain.is_endless() { 1 } else { i64::from(first > 0) });
            let more = [0, 1].map(|axis| {
                let end = first[axis] + i64::from(size[axis]);
                let goes_on = domain.size_at(window.level).is_none_or(|land| end < land[axis] as i64);
                begins[axis] as u32 + u32::from(goes_on)
            });
            let around = Window {
                level: window.level,
                first: [0, 1].map(|axis| first[axis] - begins[axis]),
                size: [0, 1].map(|axis| size[axis] + more[axis]),
            };
            let ground = self.recipe.build_window_layers(around, &hole_layer(self.recipe), &cache, work)?;
            let [around, inner]: [Region; 2] = [domain.region(around)?, domain.region(tile)?];
            let cut = |of: &Heightfield| around.cut(of.clone(), &inner, work);
            let holes = ground.layers().get(HOLE).map(cut).transpose()?;
            let field = ground.heights;
            let heights = cut(&field)?;
            let texture = match a_cell {
                None => None,
                Some(texels) => {
                    let ready = self.recipe.prepare_window(tile, texels, false, &cache, work)?;
                    Some(ready.baker(false, work)?.paint(ready.texels(), work)?.colour)
                }
            };
            let picture = [from, size.map(|side| side as usize - 1)].map(|at| at.map(|at| at as f64));
            let begins = begins.map(|begins| begins as usize);
            let tile = Tile { field: &field, first: begins, place: from, land, picture };
            self.write(number, (&heights, holes.as_ref()), &tile, texture.as_ref(), work)
        })
    }

    /// Calls `write` with the number of every tile, and its first and last samples.
    fn each_tile(
        &self,
        land: [usize; 2],
        mut write: impl FnMut([usize; 2], [[usize; 2]; 2]) -> Result<Made>,
    ) -> Result<Made> {
        let columns = tile_borders(land[0], self.tiles.0)?;
        let rows = tile_borders(land[1], self.tiles.1)?;
        let mut all = Made { triangles: 0, vertices: 0, error: 0.0 };
        for (row, down) in rows.windows(2).enumerate() {
            for (column, across) in columns.windows(2).enumerate() {
                let made = write([column, row], [[across[0], down[0]], [across[1], down[1]]])?;
                all.triangles += made.triangles;
                all.vertices += made.vertices;
                all.error = all.error.max(made.error);
            }
        }
        Ok(all)
    }

    /// Triangulates a tile with these heights and holes and writes it.
    fn write(
        &self,
        number: [usize; 2],
        (heights, holes): (&Heightfield, Option<&Heightfield>),
        tile: &Tile,
        texture: Option<&ColourMap>,
        work: &Work,
    ) -> Result<Made> {
        // Samples on a seam are kept by both tiles, or the meshes would not meet.
        let seams = Seams::of_tile(number, [self.tiles.0, self.tiles.1]);
        let triangulation = Triangulation::with_holes(heights, holes, self.method, self.bound, seams, work)?;
        let mesh =
            finished(Mesh::of_tile(tile, &triangulation), &triangulation, holes, self.arguments.skirt)?;
        formats::write(name_of_tile(&self.arguments.output, number, self.tiles), &mesh, texture, work)?;
        let (triangles, vertices) = (mesh.triangles.len(), mesh.positions.len());
        Ok(Made { triangles, vertices, error: triangulation.error })
    }
}

/// The method and the bound that the arguments request.
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

/// A summary of the written files.
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
    let ((field, layers), texture) = match arguments.texture {
        None => (with_holes(recipe, arguments.window, work)?, None),
        Some(texels) => {
            let (land, texture) = textured(recipe, arguments.window, texels, work)?;
            (land, Some(texture))
        }
    };
    let holes = layers.get(HOLE);
    if method == Method::Grid && !matches!(bound, Bound::Triangles(count) if count < usize::MAX) {
        let Grid { width, depth, .. } = field.grid();
        let triangles = 2 * (width - 1) as u64 * (depth - 1) as u64;
        format.check(path, (width * depth) as u64, triangles)?;
    }
    let triangulation = Triangulation::with_holes(&field, holes, method, bound, Seams::default(), work)?;
    let mesh = finished(Mesh::new(&field, &triangulation), &triangulation, holes, arguments.skirt)?;
    let error = triangulation.error;
    // The mesh has all that is written; its fields would double the memory.
    drop((field, layers, triangulation));
    formats::write(path, &mesh, texture.as_ref(), work)?;
    Ok(Made { triangles: mesh.triangles.len(), vertices: mesh.positions.len(), error })
}

/// The layer that a recipe's mesh needs in addition to the heights.
fn hole_layer(recipe: &Recipe) -> Vec<&'static str> {
    if recipe.has_holes() { vec![HOLE] } else { Vec::new() }
}

/// The heights of a recipe's land, or of a window of it, and its layer of holes if it has one.
fn with_holes(recipe: &Recipe, window: Option<Window>, work: &Work) -> Result<(Heightfield, Layers)> {
    if !recipe.has_holes() {
        return Ok((land::heights(recipe, window, work)?, Layers::default()));
    }
    let ground = land::layers(recipe, &hole_layer(recipe), window, work)?;
    let layers = ground.layers().clone();
    Ok((ground.heights, layers))
}

/// A mesh without the parts in holes, and on a solid base if a skirt is requested.
fn finished(
    mesh: Mesh,
    triangulation: &Triangulation,
    holes: Option<&Heightfield>,
    skirt: Option<Option<f32>>,
) -> Result<Mesh> {
    let mesh = match holes {
        Some(holes) => mesh.without_holes(triangulation, holes)?,
        None => mesh,
    };
    let Some(metres) = skirt else { return Ok(mesh) };
    let depth = metres.unwrap_or(SKIRT * triangulation.grid.extent().max_element());
    if holes.is_some() { mesh.with_skirt_and_shafts(depth) } else { mesh.with_skirt(depth) }
}

/// The land of a recipe, or a window of it, and its colours, as by `upland bake`.
fn textured(
    recipe: &Recipe,
    window: Option<Window>,
    texels: u32,
    work: &Work,
) -> Result<((Heightfield, Layers), ColourMap)> {
    if let Some(window) = window {
        let ready =
            recipe.prepare_window(window, texels_a_cell(texels, window), false, &Cache::default(), work)?;
        ready.notes().iter().for_each(|said| note(said));
        let colour = ready.baker(false, work)?.paint(ready.texels(), work)?.colour;
        // Texels are painted for more ground than the window's.
        return Ok((with_holes(recipe, Some(window), work)?, colour));
    }
    with_baker(recipe, work, |(field, holes), baker| {
        let mut layers = Layers::default();
        if let Some(holes) = holes {
            layers.set(HOLE, holes.clone());
        }
        Ok(((field.clone(), layers), baker.paint(baker.whole(), work)?.colour))
    })
}

/// Calls `with` with all of a land, its layer of holes if it has one, and the baker of its colours.
fn with_baker<T>(
    recipe: &Recipe,
    work: &Work,
    with: impl FnOnce((&Heightfield, Option<&Heightfield>), &FadeBaker) -> Result<T>,
) -> Result<T> {
    let fade = recipe.fade();
    let wanted: Vec<&str> = fade.layers().into_iter().chain(hole_layer(recipe)).collect();
    // Without a cache: the land is built once, and nothing of it is asked for again.
    let made = recipe.build_layers(&wanted, &Cache::new(0), work)?;
    let layers = made.layers().clone();
    let painted = recipe.painted_over(made.region(), None)?;
    let (field, ground) = (&made.heights, recipe.land(&made));
    let known = TerrainAnalysis::new(field).with_land_layers(layers.clone());
    let prepared = fade.prepare(ground, Some(known), work)?.with_painted(painted);
    prepared.notes.iter().for_each(|said| note(said));
    let baker = fade.baker(ground, &prepared, false, recipe.seed, work)?;
    with((field, layers.get(HOLE)), &baker)
}

/// The power of two of texels along a cell with which the window has at least this many along its longer
/// side, if possible.
fn texels_a_cell(texels: u32, window: Window) -> u32 {
    let cells = window.size[0].max(window.size[1]).saturating_sub(1).max(1);
    texels.div_ceil(cells).clamp(1, 256).next_power_of_two()
}

/// The number of triangles and vertices, and the error.
fn summary(Made { triangles, vertices, error }: &Made) -> String {
    let error = in_metres(*error);
    format!("triangles   {triangles}\nvertices    {vertices}\nerror       {error} m at most\n")
}

/// Metres, with four significant digits, rounded up.
fn in_metres(error: f64) -> String {
    if error <= 0.0 {
        return "0".into();
    }
    let decimals = (3.0 - error.log10().floor()).clamp(0.0, 12.0) as usize;
    let step = 10f64.powi(decimals as i32);
    // Rounded up, since it is a bound.
    format!("{:.decimals$}", (error * step).ceil() / step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_rounded_up_to_significant_digits() {
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
    fn a_window_has_at_least_the_requested_texels() {
        let window = |side| Window { level: 0, first: [0, 0], size: [side, 2] };
        for (texels, side, a_cell) in
            [(512, 513, 1), (513, 513, 2), (100, 513, 1), (4096, 513, 8), (65_536, 2, 256)]
        {
            assert_eq!(texels_a_cell(texels, window(side)), a_cell, "{texels} on {side}");
        }
    }
}
