//! Files for other programs of the land in the window: heights, a mesh, colours, splat maps, objects. What is
//! written is what `upland generate`, `mesh`, `bake` and `scatter` write.

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

/// The most objects that are written at once.
const MOST_OBJECTS: usize = 20_000_000;

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// The heights of all samples.
    #[default]
    Heights,
    /// Triangles, with colours or without.
    Mesh,
    /// The colours of the ground, seen from above.
    Colours,
    /// How much of each terrain type lies where: a picture for every four of them.
    Splat,
    /// The places of plants, rocks and other objects.
    Objects,
}

impl OutputKind {
    /// All, with their names and what each is.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (
            Self::Heights,
            "Heights",
            "The height of every sample: a height map for engines and geographic programs",
        ),
        (
            Self::Mesh,
            "Mesh",
            "The land as triangles, with its colours if you like: for modelling, games and printing",
        ),
        (Self::Colours, "Colours", "The colours of the ground seen from above, to lie over a height map"),
        (
            Self::Splat,
            "Splat maps",
            "How much of each terrain type lies where: a picture for every four types, a channel for each",
        ),
        (Self::Objects, "Objects", "Where plants, rocks and other objects of the rules stand"),
    ];

    /// The extensions of files that can be written, the usual one first, with what each holds.
    pub fn extensions(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Heights => {
                let all = formats::formats().iter().filter(|format| format.can_write());
                let mut all: Vec<_> =
                    all.map(|format| (format.extensions[0], written(format.about))).collect();
                // Real numbers with a place on the map: nothing is lost.
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

/// What concerns writing in the line about a format: from "written" on, if it says apart what is read, else
/// all of it.
fn written(about: &'static str) -> &'static str {
    about.find("; written ").map_or(about, |at| &about[at + "; ".len()..])
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// What it holds.
    pub kind: OutputKind,
    /// How far the mesh may be from any sample, metres, above 0; `None` for a triangle pair in every cell.
    pub error: Option<f32>,
    /// Whether a mesh has colours.
    pub is_coloured: bool,
    /// Texels along the longer side of colours and splat maps; 0 for as many as the texture has.
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
    /// When nothing of this kind can be written to such a file.
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

    /// Checks, before long work begins, whether it can be written.
    ///
    /// # Errors
    /// When the file's extension is not one of this kind, its folder is not there, it is read by the recipe,
    /// or there is nothing to write.
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
                        "splat maps have four channels; give a name that ends in .png",
                    ));
                }
            }
            OutputKind::Objects => drop(scatter::formats::Format::of(path)?),
        }
        check_folder(path)?;
        if self.kind == OutputKind::Objects && recipe.followed_rules().next().is_none() {
            let reason = "there are no objects: add a rule under Plants and rocks, or switch one on";
            return Err(Error::parameter("objects", reason));
        }
        let absolute = |path: &Path| std::path::absolute(path).ok();
        let read: Vec<_> = recipe.files().iter().map(|file| absolute(file)).collect();
        match self.files(recipe, path)?.iter().find(|file| read.contains(&absolute(file))) {
            Some(file) => Err(Error::file(file, "the landscape is made from this file; give another name")),
            None => Ok(()),
        }
    }

    /// Builds the land and writes the output. Returns what was written, for people.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), of building and of writing; [`Error::Cancelled`], and then nothing is
    /// written.
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
        let (ground, texture) = match self.has_colours(path)? {
            false => (recipe.build_layers(layers, cache, work)?, None),
            true => {
                let paint = |baker: &FadeBaker| Ok(baker.paint(baker.whole(), work)?.colour);
                let (ground, colour) = baked(&self.sized(recipe), (layers, false), cache, work, paint)?;
                (ground, Some(colour))
            }
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
        let mut told = format!("{} × {} texels", size.0, size.1);
        // All of them are written or none.
        work.check()?;
        for number in 0..weights.splat_maps() {
            let texels = weights.splat_map(number);
            let file = splat_name(path, number);
            picture::write(&file, size, Pixel::Rgba, texels.as_flattened())?;
            let types = names.iter().skip(number * TYPES_PER_SPLAT_MAP).take(TYPES_PER_SPLAT_MAP);
            let channels = ["red", "green", "blue", "alpha"].iter().zip(types);
            let channels: Vec<String> = channels.map(|(channel, name)| format!("{channel} {name}")).collect();
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            told += &format!("\n{file}: {}", channels.join(", "));
        }
        Ok(told)
    }

    /// The recipe with the texels that are wanted.
    fn sized(&self, recipe: &Recipe) -> Recipe {
        let mut sized = recipe.clone();
        if self.texels > 0 {
            // With gravel on its roads, which custom textures don't get automatically.
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
    let mut told =
        format!("{} × {} samples, {} m apart, {low:.1} to {high:.1} m", grid.width, grid.depth, grid.cell);
    if let Some(message) = written.message() {
        told += &format!("\n{message}");
    }
    Ok(told)
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

/// Builds all of a land with these layers, and runs `paint` with the baker of its texture, with or without
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
    let ground = recipe.land(&made.heights, &made.rivers);
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
    fn every_kind_is_written_in_every_format_that_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let (recipe, cache, work) = (land(), Cache::default(), Work::new());
        for (kind, name, _) in OutputKind::ALL {
            assert!(!kind.extensions().is_empty(), "{name}");
            for (extension, about) in kind.extensions() {
                let path = folder.path().join(format!("{name}.{extension}"));
                let output = Output { kind, texels: 64, ..Output::default() };
                let told = output.write(&recipe, &cache, &path, &work).unwrap();
                assert!(!told.is_empty() && !about.is_empty(), "{name} {extension}");
                for file in output.files(&recipe, &path).unwrap() {
                    assert!(std::fs::metadata(&file).unwrap().len() > 0, "{}", file.display());
                }
            }
        }
    }

    #[test]
    fn formats_say_what_is_written_and_not_what_is_read() {
        for (extension, about) in OutputKind::Heights.extensions() {
            assert!(!about.contains("; written"), "{extension}: {about}");
        }
        let written = "written as GeoTIFF, 32-bit floats with cell size and place";
        assert_eq!(OutputKind::Heights.extensions()[0], ("tif", written));
    }

    #[test]
    fn the_heights_that_are_written_are_those_of_the_land() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heights.tif");
        let told = Output::default().write(&land(), &Cache::default(), &path, &Work::new()).unwrap();
        assert!(told.starts_with("33 × 33 samples, 10 m apart"), "{told}");
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
        let told = output.write(&land(), &Cache::default(), &path, &Work::new()).unwrap();
        assert!(told.contains("types-0.png: red bed, green shore"), "{told}");
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_anything_is_built() {
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
    fn what_is_cancelled_leaves_nothing() {
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
