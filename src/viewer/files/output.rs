//! Exports the land in the window to files for other programs: heights, a mesh, colours, splat maps, objects.
//! The files are the same as those of `upland generate`, `mesh`, `bake` and `scatter`.

use std::path::{Path, PathBuf};

use crate::analysis::TerrainAnalysis;
use crate::compute::work::Work;
use crate::elevation::formats::{self, WriteOptions};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::check_folder;
use crate::grid::layer::HOLE;
use crate::mesh::{self, Bound, Mesh, Method, Seams, Triangulation};
use crate::picture::{self, Pixel};
use crate::scatter::{self, Scatter};
use crate::shown::grouped;
use crate::steps::Ground;
use crate::texture::{FadeBaker, TYPES_PER_SPLAT_MAP};
use crate::{Cache, Recipe};

/// The maximum number of objects in a file.
const MOST_OBJECTS: usize = 20_000_000;

/// What to export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// The heights of all samples.
    #[default]
    Heights,
    /// Triangles, with colours or without.
    Mesh,
    /// The colours of the ground, seen from above.
    Colours,
    /// The weights of the terrain types at each place: a picture for every four of them.
    Splat,
    /// The places of plants, rocks and other objects.
    Objects,
}

impl OutputKind {
    /// All kinds, with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (
            Self::Heights,
            "Heights",
            "The height of every sample, as a height map for game engines and GIS programs",
        ),
        (
            Self::Mesh,
            "Mesh",
            "The land as triangles, optionally with colours, for modelling, games and printing",
        ),
        (Self::Colours, "Colours", "The colours of the ground from above, as a texture for a height map"),
        (
            Self::Splat,
            "Splat maps",
            "The weights of terrain types: a picture for every four types, a channel for each",
        ),
        (Self::Objects, "Objects", "The positions of plants, rocks and other objects that the rules place"),
    ];

    /// The extensions of the formats, the usual one first, with a description of each.
    pub fn extensions(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Heights => {
                let all = formats::formats().iter().filter(|format| format.can_write());
                let mut all: Vec<_> =
                    all.map(|format| (format.extensions[0], written(format.about))).collect();
                // The default is the format without loss: real numbers, with a position on the map.
                all.sort_by_key(|(extension, _)| *extension != "tif");
                all
            }
            Self::Mesh => mesh::formats::formats().iter().map(|of| (of.extension, of.about)).collect(),
            Self::Colours => vec![("png", "Lossless, and read by everything"), ("bmp", "Uncompressed")],
            Self::Splat => vec![("png", "Four types in red, green, blue and alpha")],
            Self::Objects => scatter::formats::formats().iter().map(|of| (of.extension, of.about)).collect(),
        }
    }
}

/// The part of a format's description that is about writing: from "written" on, if reading is described
/// separately, otherwise all of it.
fn written(about: &'static str) -> &'static str {
    about.find("; written ").map_or(about, |at| &about[at + "; ".len()..])
}

/// A file to write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// Its content.
    pub kind: OutputKind,
    /// The maximum distance of the mesh from any sample, metres, above 0; `None` for two triangles in each
    /// cell.
    pub error: Option<f32>,
    /// Whether a mesh has colours.
    pub is_coloured: bool,
    /// Texels along the longer side of colours and splat maps; 0 for the texture's own number.
    pub texels: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self { kind: OutputKind::Heights, error: Some(1.0), is_coloured: true, texels: 0 }
    }
}

impl Output {
    /// The files that will be written.
    ///
    /// # Errors
    /// When content of this kind cannot be written to such a file.
    pub fn files(&self, recipe: &Recipe, path: &Path) -> Result<Vec<PathBuf>> {
        match self.kind {
            OutputKind::Mesh => mesh::formats::files(path, self.has_colours(path)?),
            OutputKind::Splat => {
                let maps = recipe.fade().types().len().div_ceil(TYPES_PER_SPLAT_MAP);
                Ok((0..maps).map(|number| splat_name(path, number)).collect())
            }
            OutputKind::Heights | OutputKind::Colours | OutputKind::Objects => Ok(vec![path.to_owned()]),
        }
    }

    /// Checks whether the file can be written, before long work begins.
    ///
    /// # Errors
    /// When the file's extension doesn't suit the kind, its folder doesn't exist, the recipe reads it, or
    /// there is nothing to write.
    pub fn check(&self, recipe: &Recipe, path: &Path) -> Result<()> {
        match self.kind {
            OutputKind::Heights => formats::check_writable(path)?,
            OutputKind::Mesh => drop(mesh::formats::Format::of(path)?),
            OutputKind::Colours => picture::check(path)?,
            OutputKind::Splat => {
                let is_png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
                if !is_png {
                    return Err(Error::file(
                        path,
                        "splat maps have four channels; choose a name that ends in .png",
                    ));
                }
            }
            OutputKind::Objects => drop(scatter::formats::Format::of(path)?),
        }
        check_folder(path)?;
        if self.kind == OutputKind::Objects && recipe.followed_rules().next().is_none() {
            let reason = "there are no objects: add a rule under Plants and rocks, or enable one";
            return Err(Error::parameter("objects", reason));
        }
        let absolute = |path: &Path| std::path::absolute(path).ok();
        let read: Vec<_> = recipe.files().iter().map(|file| absolute(file)).collect();
        match self.files(recipe, path)?.iter().find(|file| read.contains(&absolute(file))) {
            Some(file) => Err(Error::file(file, "the landscape is made from this file; choose another name")),
            None => Ok(()),
        }
    }

    /// Builds the land and writes the output. Returns a summary for the user.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), of building and of writing. After [`Error::Cancelled`], nothing has
    /// been written.
    pub fn write(&self, recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
        self.check(recipe, path)?;
        match self.kind {
            OutputKind::Heights => heights(recipe, cache, path, work),
            OutputKind::Mesh => self.mesh(recipe, cache, path, work),
            OutputKind::Colours => self.colours(recipe, cache, path, work),
            OutputKind::Splat => self.splat_maps(recipe, cache, path, work),
            OutputKind::Objects => objects(recipe, cache, path, work),
        }
    }

    fn has_colours(&self, path: &Path) -> Result<bool> {
        Ok(self.is_coloured && mesh::formats::Format::of(path)?.has_textures())
    }

    fn mesh(&self, recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
        let has_holes = recipe.has_holes();
        let layers: &[&str] = if has_holes { &[HOLE] } else { &[] };
        let (ground, texture) = if self.has_colours(path)? {
            let paint = |baker: &FadeBaker| Ok(baker.paint(baker.whole(), work)?.colour);
            let (ground, colour) = baked(&self.sized(recipe), (layers, false), cache, work, paint)?;
            (ground, Some(colour))
        } else {
            (recipe.build_layers(layers, cache, work)?, None)
        };
        let (method, bound) = match self.error {
            Some(metres) => (Method::Tin, Bound::Error(metres)),
            None => (Method::Grid, Bound::Triangles(usize::MAX)),
        };
        let holes = ground.layers().get(HOLE);
        let cut = Triangulation::with_holes(&ground.heights, holes, method, bound, Seams::default(), work)?;
        let mesh = Mesh::new(&ground.heights, &cut);
        let mesh = match holes {
            Some(holes) => mesh.without_holes(&cut, holes)?,
            None => mesh,
        };
        mesh::formats::write(path, &mesh, texture.as_ref(), work)?;
        let triangles = grouped(mesh.triangles.len());
        Ok(format!("{triangles} triangles, at most {:.2} m from the land", cut.error))
    }

    fn colours(&self, recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
        let paint = |baker: &FadeBaker| Ok((baker.size(), baker.paint(baker.whole(), work)?.colour));
        let (_, (size, colour)) = baked(&self.sized(recipe), (&[], false), cache, work, paint)?;
        work.check()?;
        picture::write_opaque(path, size, &colour.texels)?;
        Ok(format!("{} × {} texels", size.0, size.1))
    }

    fn splat_maps(&self, recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
        let paint = |baker: &FadeBaker| {
            let names: Vec<String> = baker.types().map(|kind| kind.name.clone()).collect();
            Ok((baker.size(), names, baker.paint(baker.whole(), work)?.weights))
        };
        let (_, (size, names, weights)) = baked(&self.sized(recipe), (&[], true), cache, work, paint)?;
        let Some(weights) = weights else { return Err(Error::parameter("texture", "has no terrain types")) };
        let mut summary = format!("{} × {} texels", size.0, size.1);
        // This is the last check for cancellation, so that all maps are written or none.
        work.check()?;
        for number in 0..weights.splat_maps() {
            let texels = weights.splat_map(number);
            let file = splat_name(path, number);
            picture::write(&file, size, Pixel::Rgba, texels.as_flattened())?;
            let types = names.iter().skip(number * TYPES_PER_SPLAT_MAP).take(TYPES_PER_SPLAT_MAP);
            let channels = ["red", "green", "blue", "alpha"].iter().zip(types);
            let channels: Vec<String> = channels.map(|(channel, name)| format!("{channel} {name}")).collect();
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            summary += &format!("\n{file}: {}", channels.join(", "));
        }
        Ok(summary)
    }

    /// The recipe with the requested number of texels.
    fn sized(&self, recipe: &Recipe) -> Recipe {
        let mut sized = recipe.clone();
        if self.texels > 0 {
            // The drawn texture has gravel on roads, which custom textures don't get automatically.
            sized.texture = recipe.drawn_texture().with(&|texture| texture.resolution = self.texels);
        }
        sized
    }
}

fn splat_name(path: &Path, number: usize) -> PathBuf {
    picture::with_suffix(path, &format!("-{number}"))
}

fn heights(recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
    let field = recipe.build_layers(&[], cache, work)?.heights;
    let (grid, (low, high)) = (field.grid(), field.range());
    work.check()?;
    let written = formats::write(path, &Raster::from(field), &WriteOptions::default())?;
    let mut summary =
        format!("{} × {} samples, {} m apart, {low:.1} to {high:.1} m", grid.width, grid.depth, grid.cell);
    if let Some(message) = written.message() {
        summary += &format!("\n{message}");
    }
    Ok(summary)
}

fn objects(recipe: &Recipe, cache: &Cache, path: &Path, work: &Work) -> Result<String> {
    let window = recipe.shown()?.window();
    let scatter = Scatter::new(recipe, window.level, cache, work)?;
    let objects = scatter.all_within(scatter.rectangle_of(window), MOST_OBJECTS, work)?;
    let domain = recipe.domain()?;
    let cell = f64::from(domain.cell());
    let middle = domain.size().map_or([0.0; 2], |size| size.map(|side| f64::from(side - 1) * cell / 2.0));
    let placed = scatter::formats::Placed { objects: &objects, rules: &recipe.scatter, middle };
    scatter::formats::write(path, &placed, work)?;
    let of_rules = recipe.followed_rules().map(|(number, rule)| {
        let count = objects.iter().filter(|object| object.rule as usize == number).count();
        format!("{} of {}", grouped(count), rule.name)
    });
    Ok(format!("{} objects: {}", grouped(objects.len()), of_rules.collect::<Vec<_>>().join(", ")))
}

/// Builds a whole land with these layers, and runs `paint` with the baker of its texture, with or without
/// weights.
fn baked<T>(
    recipe: &Recipe,
    (layers, weights): (&[&str], bool),
    cache: &Cache,
    work: &Work,
    paint: impl FnOnce(&FadeBaker) -> Result<T>,
) -> Result<(Ground, T)> {
    let fade = recipe.fade();
    let wanted: Vec<&str> = fade.layers().into_iter().chain(layers.iter().copied()).collect();
    let made = recipe.build_layers(&wanted, cache, work)?;
    let painted_over = recipe.painted_over(made.region(), None)?;
    let ground = recipe.land(&made);
    let known = TerrainAnalysis::new(&made.heights).with_land_layers(made.layers().clone());
    let prepared = fade.prepare(ground, Some(known), work)?.with_painted(painted_over);
    let baker = fade.baker(ground, &prepared, weights, recipe.seed, work)?;
    let painted = paint(&baker)?;
    drop(baker);
    Ok((made, painted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Step;

    fn land() -> Recipe {
        let mut recipe = Recipe::new("Hills", (33, 33), 10.0);
        recipe.steps.push(Step::from_name("fbm").unwrap());
        let rule = recipe.new_rule(None);
        recipe.scatter.push(rule);
        recipe
    }

    #[test]
    fn every_kind_can_be_written_in_each_of_its_formats() {
        let folder = tempfile::tempdir().unwrap();
        let (recipe, cache, work) = (land(), Cache::default(), Work::new());
        for (kind, name, _) in OutputKind::ALL {
            assert!(!kind.extensions().is_empty(), "{name}");
            for (extension, about) in kind.extensions() {
                let path = folder.path().join(format!("{name}.{extension}"));
                let output = Output { kind, texels: 64, ..Output::default() };
                let summary = output.write(&recipe, &cache, &path, &work).unwrap();
                assert!(!summary.is_empty() && !about.is_empty(), "{name} {extension}");
                for file in output.files(&recipe, &path).unwrap() {
                    assert!(std::fs::metadata(&file).unwrap().len() > 0, "{}", file.display());
                }
            }
        }
    }

    #[test]
    fn descriptions_of_formats_are_about_writing_only() {
        for (extension, about) in OutputKind::Heights.extensions() {
            assert!(!about.contains("; written"), "{extension}: {about}");
        }
        let written = "written as GeoTIFF, 32-bit floats with cell size and place";
        assert_eq!(OutputKind::Heights.extensions()[0], ("tif", written));
    }

    #[test]
    fn written_heights_are_those_of_the_land() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heights.tif");
        let summary = Output::default().write(&land(), &Cache::default(), &path, &Work::new()).unwrap();
        assert!(summary.starts_with("33 × 33 samples, 10 m apart"), "{summary}");
        let read = formats::read(&path, &formats::ReadOptions::default()).unwrap();
        let built = land().build_heightfield(&Work::new()).unwrap();
        assert_eq!(Recipe::from_raster(&path, &read).unwrap().size, (33, 33));
        assert_eq!(Raster::from(built).values(), read.values());
    }

    #[test]
    fn splat_maps_say_which_channel_is_which_type() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output { kind: OutputKind::Splat, texels: 32, ..Output::default() };
        let path = folder.path().join("types.png");
        let summary = output.write(&land(), &Cache::default(), &path, &Work::new()).unwrap();
        assert!(summary.contains("types-0.png: red bed, green shore"), "{summary}");
    }

    #[test]
    fn invalid_outputs_are_refused_before_anything_is_built() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |kind: OutputKind, name: &str, recipe: &Recipe| {
            let output = Output { kind, ..Output::default() };
            output.check(recipe, &folder.path().join(name)).unwrap_err().to_string()
        };
        let land = land();
        for (kind, name) in [
            (OutputKind::Heights, "a.glb"),
            (OutputKind::Mesh, "a.tif"),
            (OutputKind::Colours, "a.jpg"),
            (OutputKind::Splat, "a.bmp"),
            (OutputKind::Objects, "a.png"),
            (OutputKind::Heights, "none/a.tif"),
        ] {
            refused(kind, name, &land);
        }
        let bare = Recipe { scatter: Vec::new(), ..land };
        assert!(refused(OutputKind::Objects, "a.csv", &bare).contains("add a rule"));
        let text = format!(
            "(version: 1, name: \"Copy\", size: (9, 9), cell: 1, steps: [import(file: {:?})])",
            folder.path().join("own.asc")
        );
        let copy = Recipe::from_ron(&text, "copy.ron").unwrap();
        assert!(refused(OutputKind::Heights, "own.asc", &copy).contains("made from this file"));
    }

    #[test]
    fn a_cancelled_export_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::new();
        work.cancel();
        for (kind, name, _) in OutputKind::ALL {
            let path = folder.path().join(format!("{name}.{}", kind.extensions()[0].0));
            let output = Output { kind, ..Output::default() };
            let outcome = output.write(&land(), &Cache::default(), &path, &work);
            assert!(matches!(outcome, Err(Error::Cancelled)), "{name}: {outcome:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
