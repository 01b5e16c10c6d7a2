//! The pictures of the cards: drawn in the background one by one, and kept between starts.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use bevy_egui::egui;
use image::{ImageFormat, RgbaImage};

use crate::compute::panics::without_panic;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::files;
use crate::files::replace_file;
use crate::recipe::Recipe;
use crate::thumbnail::thumbnail;

/// Width and height of a picture, pixels.
pub(crate) const SIZE: (u32, u32) = (336, 210);

/// To be raised when pictures are drawn in another way: kept ones are drawn anew.
const MANNER: u32 = 1;

/// How long a picture may take: what takes longer is left out, so that the others come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most pictures that are kept in the folder; the oldest go first.
const MOST_KEPT: usize = 1000;

/// A picture.
pub(crate) enum Picture {
    /// It is waiting or being drawn.
    Drawing,
    /// It is there.
    Drawn(egui::TextureHandle),
    /// It cannot be drawn.
    Failed(String),
}

/// Pictures by the keys of their recipes.
pub(crate) struct Pictures {
    known: HashMap<u64, Picture>,
    desk: Arc<Desk>,
    /// Whether there is nobody to draw.
    is_alone: bool,
}

/// Where orders are laid down, and drawn pictures.
#[derive(Default)]
struct Desk {
    papers: Mutex<Papers>,
    /// Rings when there is an order, or when the last has been given.
    bell: Condvar,
}

#[derive(Default)]
struct Papers {
    orders: VecDeque<(u64, Arc<Recipe>)>,
    done: Vec<(u64, Result<RgbaImage>)>,
    is_over: bool,
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next order; `None` when there will be none.
    fn next(&self) -> Option<(u64, Arc<Recipe>)> {
        let mut papers = self.papers();
        loop {
            if papers.is_over {
                return None;
            }
            if let Some(order) = papers.orders.pop_front() {
                return Some(order);
            }
            papers = self.bell.wait(papers).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.desk.papers().is_over = true;
        self.desk.bell.notify_all();
    }
}

/// What a recipe's picture is kept under. Files that it reads count with the time of their last change.
pub(super) fn key_of(recipe: &Recipe) -> u64 {
    let mut hasher = DefaultHasher::new();
    (MANNER, SIZE).hash(&mut hasher);
    // What has no influence on the picture has none on the key.
    let mut seen = recipe.clone();
    (seen.name, seen.about, seen.view) = (String::new(), String::new(), None);
    seen.bookmarks.clear();
    seen.flights.clear();
    seen.to_ron_unchecked().unwrap_or_default().hash(&mut hasher);
    for file in seen.files() {
        file.hash(&mut hasher);
        files::changed(&file).hash(&mut hasher);
    }
    hasher.finish()
}

impl Pictures {
    /// Begins with none; what is drawn is kept in a folder, if there is one.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        let desk = Arc::new(Desk::default());
        let at_desk = desk.clone();
        let draw = move || {
            if let Some(folder) = &folder {
                tidy(folder, MOST_KEPT);
            }
            while let Some((key, recipe)) = at_desk.next() {
                let drawn = picture(key, &recipe, folder.as_deref(), &Work::within(PATIENCE));
                at_desk.papers().done.push((key, drawn));
            }
        };
        let is_alone = Builder::new().name("gallery".into()).spawn(draw).is_err();
        Self { known: HashMap::new(), desk, is_alone }
    }

    /// The picture of a recipe; it is ordered if nobody has asked for it yet.
    pub fn get(&mut self, key: u64, recipe: &Arc<Recipe>) -> &Picture {
        let Self { known, desk, is_alone } = self;
        known.entry(key).or_insert_with(|| {
            if *is_alone {
                return Picture::Failed("the system gives no thread to draw it".to_owned());
            }
            desk.papers().orders.push_back((key, recipe.clone()));
            desk.bell.notify_one();
            Picture::Drawing
        })
    }

    /// Takes back orders that nobody has begun with: other pictures are wanted.
    pub(super) fn take_back(&mut self) {
        for (key, _) in std::mem::take(&mut self.desk.papers().orders) {
            self.known.remove(&key);
        }
    }

    /// Takes in what has been drawn since the last call.
    pub fn receive(&mut self, context: &egui::Context) {
        let done = std::mem::take(&mut self.desk.papers().done);
        for (key, drawn) in done {
            let picture = match drawn {
                Ok(drawn) => {
                    let size = [drawn.width() as usize, drawn.height() as usize];
                    let image = egui::ColorImage::from_rgba_unmultiplied(size, drawn.as_raw());
                    let name = format!("gallery-{key:x}");
                    Picture::Drawn(context.load_texture(name, image, egui::TextureOptions::LINEAR))
                }
                Err(error) => Picture::Failed(error.to_string()),
            };
            self.known.insert(key, picture);
        }
    }
}

/// A picture from the folder, or a new one, which is put there.
///
/// # Errors
/// The reason for no picture, including that `work` was cancelled because it took too long.
fn picture(key: u64, recipe: &Recipe, folder: Option<&Path>, work: &Work) -> Result<RgbaImage> {
    let path = folder.map(|folder| folder.join(format!("{key:016x}.png")));
    if let Some(kept) = path.as_deref().and_then(kept) {
        return Ok(kept);
    }
    // A recipe that makes the builder panic must not end the thread.
    let drawn = without_panic(|| thumbnail(recipe, SIZE, work));
    let drawn = drawn.unwrap_or_else(|panic| {
        Err(Error::parameter("recipe", format!("a bug of one of its steps: {panic}")))
    });
    let drawn = drawn.map_err(|error| match error {
        Error::Cancelled => {
            let reason =
                format!("its small picture is left out: it was not ready within {} s", PATIENCE.as_secs());
            Error::parameter(recipe.name.as_str(), reason)
        }
        error => error,
    })?;
    if let Some(path) = path {
        // Without it the picture is drawn again at the next start.
        let _ = keep(&path, &drawn);
    }
    Ok(drawn)
}

/// A picture that was kept, if it is whole.
fn kept(path: &Path) -> Option<RgbaImage> {
    let bytes = std::fs::read(path).ok()?;
    let picture = image::load_from_memory_with_format(&bytes, ImageFormat::Png).ok()?.into_rgba8();
    (picture.dimensions() == SIZE).then_some(picture)
}

fn keep(path: &Path, picture: &RgbaImage) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make", error))?;
    }
    let mut bytes = std::io::Cursor::new(Vec::new());
    let encoded = picture.write_to(&mut bytes, ImageFormat::Png);
    encoded.map_err(|error| Error::file(path, error.to_string()))?;
    replace_file(path, |file| {
        std::io::Write::write_all(file, bytes.get_ref()).map_err(|error| Error::io(path, "write", error))
    })
}

/// Removes the oldest pictures of a folder with more than so many.
fn tidy(folder: &Path, most: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_picture = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "png");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_picture);
    let mut pictures: Vec<_> = paths.map(|path| (files::changed(&path), path)).collect();
    pictures.sort();
    for (_, path) in pictures.iter().take(pictures.len().saturating_sub(most)) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    fn downs() -> Recipe {
        Preset::find("downs").unwrap().recipe().unwrap().with_longer_side(33)
    }

    #[test]
    fn a_kept_picture_is_not_drawn_again_and_a_damaged_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("gallery");
        let (recipe, key) = (downs(), key_of(&downs()));
        let drawn = picture(key, &recipe, Some(&inner), &Work::new()).unwrap();
        let path = inner.join(format!("{key:016x}.png"));
        assert_eq!(kept(&path).unwrap(), drawn);

        let other = RgbaImage::from_pixel(SIZE.0, SIZE.1, image::Rgba([1, 2, 3, 255]));
        keep(&path, &other).unwrap();
        assert_eq!(picture(key, &recipe, Some(&inner), &Work::new()).unwrap(), other, "as it is kept");
        for damaged in [&b""[..], b"\x89PNG\r\n\x1a\nno picture at all", b"GIF89a"] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(picture(key, &recipe, Some(&inner), &Work::new()).unwrap(), drawn);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_nothing_but_time() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(picture(1, &downs(), Some(file.path()), &Work::new()).is_ok());
    }

    #[test]
    fn a_picture_that_takes_too_long_is_left_out_and_says_so() {
        let work = Work::new();
        work.cancel();
        let said = picture(1, &downs(), None, &work).unwrap_err().to_string();
        assert!(said.ends_with("its small picture is left out: it was not ready within 60 s"), "{said}");
        let mut slow = downs();
        slow.steps.extend(crate::Step::from_name("deposition"));
        let last = slow.steps.len() - 1;
        slow.set(&format!("steps.{last}.drops"), "10000000").unwrap();
        slow.set(&format!("steps.{last}.series"), "1000").unwrap();
        let said = picture(1, &slow, None, &Work::new()).unwrap_err().to_string();
        assert!(said.contains("its small picture is left out: the land would take about"), "{said}");
    }

    #[test]
    fn old_pictures_go_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..5 {
            std::fs::write(folder.path().join(format!("{number}.png")), "x").unwrap();
        }
        std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
        tidy(folder.path(), 3);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
        assert!(folder.path().join("notes.txt").exists());
        tidy(&folder.path().join("not there"), 3);
    }

    #[test]
    fn names_and_views_have_no_influence_on_a_picture() {
        let mut changed = downs();
        (changed.name, changed.view) = ("Other".into(), None);
        assert_eq!(key_of(&changed), key_of(&downs()));
        changed.seed = 99;
        assert_ne!(key_of(&changed), key_of(&downs()));
    }

    #[test]
    fn pictures_arrive_or_say_why_not() {
        let context = egui::Context::default();
        let mut pictures = Pictures::new(None);
        let mut broken = Recipe::new("Broken", (33, 33), 10.0);
        broken.steps.push(crate::Step::from_name("import").unwrap());
        let recipes = [downs(), broken].map(Arc::new);
        for (key, recipe) in recipes.iter().enumerate() {
            assert!(matches!(pictures.get(key as u64, recipe), Picture::Drawing));
        }
        while recipes
            .iter()
            .enumerate()
            .any(|(key, recipe)| matches!(pictures.get(key as u64, recipe), Picture::Drawing))
        {
            pictures.receive(&context);
            std::thread::yield_now();
        }
        assert!(matches!(pictures.get(0, &recipes[0]), Picture::Drawn(_)));
        let Picture::Failed(reason) = pictures.get(1, &recipes[1]) else { panic!("it has no file") };
        assert!(!reason.is_empty());
    }
}
