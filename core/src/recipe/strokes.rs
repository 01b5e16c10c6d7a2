//! Strokes of a brush in a recipe, and the file in which they are saved, next to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Recipe, Step};
use crate::error::Result;
use crate::files::{FilePath, Held, whole};
use crate::params::{self, Value};
use crate::sculpt::{STROKES_EXTENSION, Strokes};
use crate::steps::filter::SculptStrokes;

/// The step that a brush writes to, and its parameter.
const STEP: &str = "strokes";
const FILE: &str = "file";
const HOLES: &str = "holes";

impl Recipe {
    /// The last step, if it makes strokes: where a brush goes on. Strokes lie on what all other steps have
    /// made.
    fn last_strokes(&self) -> Option<(usize, &SculptStrokes)> {
        let (index, step) = self.done().next_back()?;
        Some((index, step.operation_as::<SculptStrokes>()?))
    }

    /// The strokes of the last step; none if it is another one.
    ///
    /// # Errors
    /// When their file cannot be read.
    pub fn strokes(&self) -> Result<Strokes> {
        self.last_strokes().map_or_else(|| Ok(Strokes::default()), |(_, step)| step.strokes())
    }

    /// Puts strokes in place of those of the last step, or adds a step that makes them, whose file starts
    /// from `folder`. They are kept in memory until [`write_strokes`](Self::write_strokes); the recipe reads
    /// them from there.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use std::path::{Path, PathBuf};
    /// use upland::sculpt::{Stroke, Strokes, Tool};
    /// use upland::{Recipe, Work};
    ///
    /// let mut recipe = Recipe::new("A hill", (9, 9), 10.0);
    /// let hill = Stroke::at(Tool::Raise { by: 25.0 }, [40.0, 40.0], 30.0);
    /// recipe.set_strokes(&Strokes::of(vec![hill])?, Path::new(""));
    /// assert_eq!(recipe.build_heightfield(&Work::new())?.at(4, 4), 25.0);
    /// assert!(recipe.to_ron()?.contains("strokes(file: \"a-hill.strokes.ron\""));
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn set_strokes(&mut self, strokes: &Strokes, folder: &Path) {
        let index = match self.last_strokes() {
            Some((index, _)) => index,
            None if strokes.is_empty() => return,
            None => {
                self.end_groups();
                self.steps.extend(Step::from_name(STEP));
                self.steps.len() - 1
            }
        };
        self.hold_strokes(index, strokes, folder);
    }

    /// Puts strokes in place of those of the step with this index, in memory.
    #[doc(hidden)]
    pub fn hold_strokes(&mut self, index: usize, strokes: &Strokes, folder: &Path) {
        let name = self.free_name(&folder.join(strokes_name(&self.name)), index, |_| true);
        let has_holes = strokes.iter().any(|stroke| stroke.tool.changes_holes());
        let Some(step) = self.steps.get_mut(index) else { return };
        params::each_mut(step, &mut |path, _, value| {
            if let Value::Flag(holes) = value
                && path == HOLES
            {
                *holes = has_holes;
            }
        });
        with_file(step, |file| {
            if file.text().is_empty() {
                file.set(
                    name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
                );
                file.set_folder(folder);
            }
            file.hold(held(file.on_disk(), strokes));
        });
    }

    /// Writes strokes that are kept in memory to their files, before the recipe is written to `recipe`.
    /// `before` is what is in that file already, if the recipe came from there: the stroke files that it
    /// names are replaced. All other strokes get a new file next to the recipe, under its name, and the step
    /// names that file from then on. Without `before`, strokes that already have a file get a new one as
    /// well, or two recipes would change each other's strokes. No other file is replaced.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_strokes(&mut self, recipe: &Path, before: Option<&Self>) -> Result<()> {
        let folder = recipe.parent().unwrap_or(Path::new(""));
        let own: Vec<PathBuf> = before.map(Self::strokes_files).unwrap_or_default();
        let mut all = self.held_strokes()?;
        if before.is_none() {
            all.extend(self.strokes_on_disk());
        }
        for (index, strokes) in all {
            let step = self.steps[index].operation_as::<SculptStrokes>();
            let named = step.map(|step| step.file.on_disk()).unwrap_or_default();
            if own.iter().any(|own| is_same_file(own, &named)) {
                strokes.write(&named)?;
                // What was kept in memory is forgotten.
                with_file(&mut self.steps[index], |file| file.set(file.text().to_owned()));
                continue;
            }
            let may_be_written = |path: &Path| {
                // Files of the recipe itself may be replaced, files of others never.
                own.iter().any(|own| is_same_file(own, path)) || std::fs::symlink_metadata(path).is_err()
            };
            let path = self.free_name(&Strokes::beside(recipe), index, may_be_written);
            strokes.write(&path)?;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            with_file(&mut self.steps[index], |file| {
                file.set(name);
                file.set_folder(folder);
            });
        }
        Ok(())
    }

    /// Keeps strokes in memory that are in files now, for a recipe to which somebody may go back when the
    /// files have become others. Recipes that share `read` read each file once.
    #[doc(hidden)]
    pub fn hold_strokes_on_disk(&mut self, read: &mut StrokesRead) {
        for step in &mut self.steps {
            let Some(strokes) = step.operation_as::<SculptStrokes>() else { continue };
            if strokes.file.held().is_some() {
                continue;
            }
            let path = strokes.file.on_disk();
            let held = read.0.entry(path).or_insert_with_key(|path| {
                let strokes = strokes.strokes().ok().filter(|_| path.is_file())?;
                Some(held(path.clone(), &strokes))
            });
            if let Some(held) = held {
                with_file(step, |file| file.hold(held.clone()));
            }
        }
    }

    /// The files of strokes that steps name, whether they are there or not.
    #[doc(hidden)]
    pub fn strokes_files(&self) -> Vec<PathBuf> {
        let steps = self.steps.iter().filter_map(|step| step.operation_as::<SculptStrokes>());
        steps.filter(|step| !step.file.text().is_empty()).map(|step| step.file.on_disk()).collect()
    }

    /// `first`, or the same with a number: a file that no other step of strokes than this one reads, and that
    /// may be taken.
    fn free_name(&self, first: &Path, index: usize, may_be_taken: impl Fn(&Path) -> bool) -> PathBuf {
        let others = self.steps.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.filter_map(|(_, step)| step.operation_as::<SculptStrokes>());
        let taken: Vec<PathBuf> = others.map(|step| step.file.on_disk()).collect();
        let name = first.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = name.strip_suffix(STROKES_EXTENSION).unwrap_or(&name).trim_end_matches('.');
        let more = (2..).map(|number| first.with_file_name(format!("{stem}-{number}.{STROKES_EXTENSION}")));
        let mut all = std::iter::once(first.to_owned()).chain(more);
        all.find(|path| !taken.contains(path) && may_be_taken(path)).unwrap_or_else(|| first.to_owned())
    }

    /// The strokes that are in files that can be read, with the indices of their steps.
    fn strokes_on_disk(&self) -> Vec<(usize, Strokes)> {
        let steps = self.steps.iter().enumerate();
        let steps = steps.filter_map(|(index, step)| Some((index, step.operation_as::<SculptStrokes>()?)));
        let on_disk = steps.filter(|(_, step)| step.file.held().is_none() && step.file.on_disk().is_file());
        on_disk.filter_map(|(index, step)| Some((index, step.strokes().ok()?))).collect()
    }

    /// The strokes that are kept in memory because they have not been written yet, with the indices of their
    /// steps.
    ///
    /// # Errors
    /// When these are not strokes: files that are held in memory may have any content.
    #[doc(hidden)]
    pub fn held_strokes(&self) -> Result<Vec<(usize, Strokes)>> {
        let steps = self.steps.iter().enumerate();
        let held = steps.filter_map(|(index, step)| Some((index, step.operation_as::<SculptStrokes>()?)));
        held.filter(|(_, step)| step.file.held().is_some())
            .map(|(index, step)| Ok((index, step.strokes()?)))
            .collect()
    }
}

/// Files of strokes that have been read by [`Recipe::hold_strokes_on_disk`]; `None` for those that could not
/// be.
#[doc(hidden)]
#[derive(Default)]
pub struct StrokesRead(BTreeMap<PathBuf, Option<Held>>);

/// A file of strokes in memory.
fn held(path: PathBuf, strokes: &Strokes) -> Held {
    let text = strokes.to_text(&path).into_bytes();
    Held::new([(path, Ok(text.into()))].into())
}

/// Whether two paths are those of one file. Its folder has to be there, it itself need not.
fn is_same_file(a: &Path, b: &Path) -> bool {
    // Two paths may lead to the same file, by links or by `..`.
    a == b || whole(a).is_some_and(|a| Some(a) == whole(b))
}

/// The name of the file of strokes of a recipe that has no file yet.
fn strokes_name(recipe: &str) -> String {
    let words = recipe.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let stem: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(60).collect();
    let stem = if stem.is_empty() { "landscape" } else { &stem };
    format!("{stem}.{STROKES_EXTENSION}")
}

fn with_file(step: &mut Step, change: impl FnOnce(&mut FilePath)) {
    let mut change = Some(change);
    params::each_mut(step, &mut |path, _, value| {
        if let Value::File(file) = value
            && path == FILE
            && let Some(change) = change.take()
        {
            change(file);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::compute::work::Work;
    use crate::sculpt::{Stroke, Tool};

    fn raised(by: f32) -> Strokes {
        Strokes::of(vec![Stroke::at(Tool::Raise { by }, [0.0, 0.0], 50.0)]).unwrap()
    }

    fn corner(recipe: &Recipe) -> f32 {
        recipe.build_heightfield(&Work::new()).unwrap().at(0, 0)
    }

    #[test]
    fn strokes_that_cut_holes_make_land_with_holes() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let mut recipe = Recipe::new("Mine", (33, 33), 2.0);
        let shaft = Stroke::at(Tool::Hole {}, [32.0, 32.0], 9.0);
        recipe.set_strokes(&Strokes::of(vec![shaft])?, Path::new(""));
        assert!(recipe.has_holes());
        let open = |recipe: &Recipe| -> Result<usize> {
            let ground = recipe.build_layers(&["hole"], &Cache::default(), &Work::new())?;
            Ok(ground.layer("hole")?.heights().iter().filter(|share| crate::grid::is_hole(**share)).count())
        };
        // The points of a lattice of 2 m within 9 m of one of them.
        assert_eq!(open(&recipe)?, 69);
        let path = folder.path().join("mine.ron");
        recipe.write_strokes(&path, None)?;
        assert!(recipe.to_ron()?.contains("strokes(file: \"mine.strokes.ron\", holes: true)"));
        std::fs::write(&path, recipe.to_ron()?.replace(", holes: true", "")).unwrap();
        let silent = Recipe::read(&path)?;
        let error = silent.build_heightfield(&Work::new()).unwrap_err().to_string();
        assert!(error.contains("holes") && error.contains("set it to true"), "{error}");
        // After others, holes add up with those of steps, and are closed with them.
        recipe.steps.insert(0, Step::from_name("hole").unwrap());
        assert!(open(&recipe)? >= 69);
        let closed = |radius| Strokes::of(vec![Stroke::at(Tool::Close {}, [32.0, 32.0], radius)]);
        recipe.set_strokes(&closed(5.0)?, folder.path());
        assert!((1..69).contains(&open(&recipe)?), "a ring of the step's hole is left");
        recipe.set_strokes(&closed(20.0)?, folder.path());
        assert_eq!(open(&recipe)?, 0);
        // Without such strokes the land has no layer again.
        recipe.steps.remove(0);
        recipe.set_strokes(&raised(2.0), folder.path());
        assert!(!recipe.has_holes());
        Ok(())
    }

    #[test]
    fn a_brush_goes_on_in_the_last_step_and_strokes_are_saved_beside_the_recipe() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let mut recipe = Recipe::new("My land!", (9, 9), 10.0);
        recipe.set_strokes(&Strokes::default(), Path::new(""));
        assert!(recipe.steps.is_empty() && recipe.strokes()?.is_empty(), "no step for no strokes");
        recipe.set_strokes(&raised(3.0), Path::new(""));
        let before = recipe.clone();
        recipe.set_strokes(&raised(5.0), Path::new(""));
        assert_eq!((recipe.steps.len(), corner(&before), corner(&recipe)), (1, 3.0, 5.0));
        assert!(recipe != before, "it can be undone");
        assert_eq!(recipe.strokes()?, raised(5.0));

        let path = folder.path().join("mine.ron");
        recipe.write_strokes(&path, None)?;
        std::fs::write(&path, recipe.to_ron()?).unwrap();
        assert!(folder.path().join("mine.strokes.ron").exists());
        let read = Recipe::read(&path)?;
        assert_eq!((corner(&read), read.to_ron()?), (5.0, recipe.to_ron()?));
        // From the disk it goes on in memory.
        let mut read = read;
        read.set_strokes(&raised(6.0), folder.path());
        assert_eq!((corner(&read), corner(&Recipe::read(&path)?)), (6.0, 5.0));
        // Another step over it: strokes lie on that too.
        read.steps.extend(Step::from_name("scale"));
        assert!(read.strokes()?.is_empty());
        read.set_strokes(&raised(1.0), folder.path());
        assert_eq!((read.steps.len(), corner(&read)), (3, 7.0));
        // Each step has a file of its own, which keeps its name.
        read.set_strokes(&raised(2.0), folder.path());
        assert_eq!(read.held_strokes()?.len(), 2);
        read.write_strokes(&path, Some(&recipe))?;
        let names = |recipe: &Recipe| {
            let steps = recipe.steps.iter().filter_map(|step| step.operation_as::<SculptStrokes>());
            steps.map(|step| step.file.text().to_owned()).collect::<Vec<_>>()
        };
        let both = ["mine.strokes.ron", "mine-2.strokes.ron"];
        assert_eq!(names(&read), both);
        let before = read.clone();
        read.set_strokes(&raised(4.0), folder.path());
        read.hold_strokes(0, &raised(9.0), folder.path());
        read.write_strokes(&path, Some(&before))?;
        std::fs::write(&path, read.to_ron()?).unwrap();
        assert_eq!(names(&read), both);
        // Nothing is kept in memory any more, and nothing of any step was lost.
        assert!(read.held_strokes()?.is_empty());
        assert_eq!((corner(&read), corner(&Recipe::read(&path)?)), (13.0, 13.0));
        Ok(())
    }

    #[test]
    fn a_recipe_that_is_saved_elsewhere_has_strokes_of_its_own() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("below")).unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.set_strokes(&raised(3.0), folder.path());
        recipe.write_strokes(&path("land.ron"), None)?;
        let first = recipe.clone();
        for (name, by) in [("other.ron", 5.0), ("below/land.ron", 7.0)] {
            let mut other = first.clone();
            // It has nothing in memory: its file is copied.
            other.write_strokes(&path(name), None)?;
            assert_eq!(corner(&other), 3.0);
            let before = other.clone();
            other.set_strokes(&raised(by), path(name).parent().unwrap());
            other.write_strokes(&path(name), Some(&before))?;
            assert_eq!((corner(&first), corner(&other)), (3.0, by), "{name}");
            // Strokes that were not written when the recipe was saved elsewhere, in a state that is undone
            // to: in the same folder they name the file of the first recipe.
            let mut undone = first.clone();
            undone.set_strokes(&raised(9.0), folder.path());
            undone.write_strokes(&path(name), Some(&other))?;
            assert_eq!((corner(&first), corner(&other), corner(&undone)), (3.0, 9.0, 9.0), "{name}");
            assert_eq!(undone.files(), other.files());
        }
        Ok(())
    }

    #[test]
    fn strokes_replace_no_file_but_those_of_the_recipe_that_was_there() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("land.ron");
        raised(1.0).write(folder.path().join("land.strokes.ron"))?;
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.set_strokes(&raised(3.0), folder.path());
        // The file that is there belongs to another recipe, or to a state that was undone.
        recipe.write_strokes(&path, Some(&Recipe::new("Land", (9, 9), 10.0)))?;
        assert_eq!(recipe.files(), [folder.path().join("land-2.strokes.ron")]);
        assert_eq!(corner(&recipe), 3.0);
        assert_eq!(Strokes::read(folder.path().join("land.strokes.ron"))?, raised(1.0));
        // Its own is replaced, by whatever path it is reached.
        let mut next = recipe.clone();
        next.set_folder(&folder.path().join("."));
        next.set_strokes(&raised(4.0), folder.path());
        next.write_strokes(&path, Some(&recipe))?;
        assert_eq!((next.files().len(), corner(&recipe)), (1, 4.0));
        Ok(())
    }

    #[test]
    fn strokes_in_json_are_drawn_on_and_stay_json() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("land.ron");
        raised(3.0).write(folder.path().join("mine.json"))?;
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.steps.extend(Step::from_name(STEP));
        with_file(&mut recipe.steps[0], |file| file.set("mine.json"));
        recipe.set_folder(folder.path());
        let (before, mut kept) = (recipe.clone(), recipe.clone());
        kept.hold_strokes_on_disk(&mut StrokesRead::default());
        recipe.set_strokes(&raised(5.0), folder.path());
        assert_eq!((corner(&before), corner(&recipe)), (3.0, 5.0));
        recipe.write_strokes(&path, Some(&before))?;
        assert_eq!((corner(&before), corner(&kept)), (5.0, 3.0));
        assert!(std::fs::read_to_string(folder.path().join("mine.json")).unwrap().starts_with('{'));
        Ok(())
    }

    #[test]
    fn what_is_gone_back_to_has_the_strokes_that_it_had() -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("land.ron");
        let mut recipe = Recipe::new("Land", (9, 9), 10.0);
        recipe.set_strokes(&raised(3.0), folder.path());
        recipe.write_strokes(&path, None)?;
        let (mut read, mut kept, before) = (StrokesRead::default(), recipe.clone(), recipe.clone());
        kept.hold_strokes_on_disk(&mut read);
        recipe.set_strokes(&raised(5.0), folder.path());
        recipe.write_strokes(&path, Some(&before))?;
        assert_eq!((corner(&kept), corner(&before), corner(&recipe)), (3.0, 5.0, 5.0));
        assert_eq!(kept.held_strokes()?.len(), 1);
        // What cannot be read stays as it is.
        std::fs::remove_file(folder.path().join("land.strokes.ron")).unwrap();
        recipe.hold_strokes_on_disk(&mut StrokesRead::default());
        assert!(recipe.held_strokes()?.is_empty());
        Ok(())
    }
}
