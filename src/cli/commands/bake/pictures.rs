//! The pictures of `upland bake`: colours, weights and measurements of a land, each as a whole or in patches.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::Recipe;
use crate::analysis::ShareMap;
use crate::cli::arguments::BakeArguments;
use crate::cli::outputs::Output;
use crate::compute::work::Work;
use crate::elevation::formats;
use crate::elevation::raster::MapPlace;
use crate::error::Result;
use crate::grid::{Heightfield, memory};
use crate::picture::{self, Pixel};
use crate::texture::{
    Baked, FadeBaker, Green, MapWindow, Patch, Patches, TYPES_PER_SPLAT_MAP, TerrainType, normal_map,
};

/// Refuses names under which no picture can be written, before the work begins.
pub(super) fn check(arguments: &BakeArguments) -> Result<()> {
    names(arguments).try_for_each(|(_, path)| picture::check(path))
}

/// Every requested kind of picture and its file name as given.
fn names(arguments: &BakeArguments) -> impl Iterator<Item = (&'static str, &Path)> {
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
pub(super) fn outputs(arguments: &BakeArguments, recipe: &Recipe) -> Vec<Output> {
    let maps = recipe.fade().types().len().div_ceil(TYPES_PER_SPLAT_MAP);
    let mut pictures = Vec::new();
    for (option, path) in names(arguments) {
        let first = |path: PathBuf| match arguments.patches {
            Some(_) => picture::with_suffix(&path, "-c0-r0"),
            None => path,
        };
        pictures
            .extend(files_of(option, path, maps).into_iter().map(|path| Output::new(option, first(path))));
    }
    pictures
}

/// Depths of water, as shares of the depth that is white.
pub(super) struct Water {
    shares: ShareMap,
    /// Metres.
    white: f32,
}

impl Water {
    /// From depths in metres; white is `deepest`, or the greatest depth.
    pub(super) fn of(depth: &Heightfield, deepest: Option<f32>, work: &Work) -> Result<Self> {
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

/// What all pictures of a land, or of a window of it, are drawn from.
pub(super) struct Pictures<'a> {
    pub(super) arguments: &'a BakeArguments,
    /// The texels that are baked, on the map over `field`.
    pub(super) cover: MapWindow,
    /// Texels of the map over `field`.
    pub(super) size: (usize, usize),
    pub(super) field: &'a Heightfield,
    pub(super) wetness: Option<&'a ShareMap>,
    /// The water under the texels that are baked.
    pub(super) water: Option<Water>,
    pub(super) patches: Patches,
    /// Where the texels that are baked lie on a map, if the land lies on one.
    pub(super) place: Option<MapPlace>,
}

impl Pictures<'_> {
    /// Writes the pictures of a patch of the texels that are baked.
    pub(super) fn write(&self, Patch { column, row, window, baked }: &Patch) -> Result<()> {
        let arguments = self.arguments;
        let flip = if arguments.mirror_odd { [column % 2 == 1, row % 2 == 1] } else { [false; 2] };
        let files = PatchFiles { pictures: self, patch: (*column, *row), window: *window, flip };
        files.write_colours(&arguments.output, &baked.colour.texels)?;
        // The others are made one after another; the largest is a splat map, with four bytes a texel.
        if names(arguments).nth(1).is_some() {
            let size = (window.width, window.depth);
            memory::require_for_picture(size, 4 * baked.colour.texels.len() as u64)?;
        }
        if let (Some(path), Some(weights)) = (&arguments.weights, &baked.weights) {
            for number in 0..weights.splat_maps() {
                files.write(&splat_name(path, number), Pixel::Rgba, weights.splat_map(number))?;
            }
        }
        if let (Some(path), Some(weights)) = (&arguments.ids, &baked.weights) {
            files.write_grey(path, weights.strongest())?;
        }
        let on_map = MapWindow {
            column: window.column + self.cover.column,
            row: window.row + self.cover.row,
            ..*window
        };
        if let Some(path) = &arguments.normals {
            let green = if arguments.green_down { Green::Down } else { Green::Up };
            let mut normals = normal_map(self.field, self.size, on_map, green);
            // Along a mirrored axis of the picture the normal leans the other way.
            for (axis, _) in flip.iter().enumerate().filter(|(_, flipped)| **flipped) {
                normals
                    .iter_mut()
                    .for_each(|texel| texel[axis] = (256 - u16::from(texel[axis]).max(1)) as u8);
            }
            files.write(path, Pixel::Rgb, normals)?;
        }
        if let (Some(path), Some(wetness)) = (&arguments.wetness, self.wetness) {
            files.write_grey(path, wetness.map(self.size, on_map))?;
        }
        if let Some(path) = &arguments.occlusion {
            files.write_grey(path, baked.colour.texels.iter().map(|texel| texel[3]).collect())?;
        }
        if let (Some(path), Some(water)) = (&arguments.water_depth, &self.water) {
            files.write_grey(path, water.shares.map((self.cover.width, self.cover.depth), *window))?;
        }
        files.write_places(baked)
    }
}

/// The files of a patch.
struct PatchFiles<'a> {
    pictures: &'a Pictures<'a>,
    /// Its column and row.
    patch: (usize, usize),
    /// Its texels among those that are baked.
    window: MapWindow,
    /// Whether the pictures are mirrored from east to west, and from north to south.
    flip: [bool; 2],
}

impl PatchFiles<'_> {
    fn write<const N: usize>(&self, path: &Path, pixel: Pixel, mut texels: Vec<[u8; N]>) -> Result<()> {
        mirror(&mut texels, self.window.width, self.flip);
        picture::write(&self.name(path), self.size(), pixel, texels.as_flattened())
    }

    fn write_grey(&self, path: &Path, mut levels: Vec<u8>) -> Result<()> {
        mirror(&mut levels, self.window.width, self.flip);
        picture::write(&self.name(path), self.size(), Pixel::Grey, &levels)
    }

    fn write_colours(&self, path: &Path, texels: &[[u8; 4]]) -> Result<()> {
        if self.flip == [false; 2] {
            return picture::write_opaque(&self.name(path), self.size(), texels);
        }
        let mut texels = texels.to_vec();
        mirror(&mut texels, self.window.width, self.flip);
        picture::write_opaque(&self.name(path), self.size(), &texels)
    }

    /// Writes where each of the pictures lies on a map, unless they are mirrored.
    fn write_places(&self, baked: &Baked) -> Result<()> {
        let Pictures { arguments, cover, place, .. } = self.pictures;
        let Some(place) = place.as_ref().filter(|_| self.flip == [false; 2]) else { return Ok(()) };
        let MapWindow { column, row, depth, .. } = self.window;
        let place = place.of_samples([column as f64, (cover.depth - row - depth) as f64], [1.0; 2]);
        let maps = baked.weights.as_ref().map_or(0, |weights| weights.splat_maps());
        for (option, path) in names(arguments) {
            for path in files_of(option, path, maps) {
                formats::write_place(self.name(&path), &place, depth)?;
            }
        }
        Ok(())
    }

    fn size(&self) -> (usize, usize) {
        (self.window.width, self.window.depth)
    }

    /// The name of a picture, with column and row if there are patches.
    fn name(&self, path: &Path) -> PathBuf {
        let Pictures { arguments, patches, .. } = self.pictures;
        if arguments.patches.is_none() {
            return path.to_owned();
        }
        let (column, row) = self.patch;
        let digits = |count: usize| (count - 1).to_string().len();
        let (columns, rows) = (digits(patches.columns()), digits(patches.rows()));
        picture::with_suffix(path, &format!("-c{column:0columns$}-r{row:0rows$}"))
    }
}

/// The files of a kind of picture, of which weights have one for each of `maps` splat maps.
fn files_of(option: &str, path: &Path, maps: usize) -> Vec<PathBuf> {
    match option {
        "--weights" => (0..maps).map(|number| splat_name(path, number)).collect(),
        _ => vec![path.to_owned()],
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
pub(super) fn legend(arguments: &BakeArguments, baker: &FadeBaker, water: Option<&Water>) -> String {
    let mut legend = String::new();
    let types: Vec<&TerrainType> = baker.types().collect();
    let layers = baker.layers();
    // Layers have weights of their own, in addition to the shares of the ground.
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
    if let (Some(path), Some(water)) = (&arguments.water_depth, water) {
        let _ = writeln!(legend, "{}: black dry, white {} m of water", path.display(), water.white);
    }
    legend
}
