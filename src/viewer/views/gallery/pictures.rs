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

/// Raise this when pictures are drawn differently, so that those on disk are drawn again.
const VERSION: u32 = 1;

/// A picture that takes longer than this is left out, so that the others get their turn.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum number of pictures kept in the folder; the oldest are removed first.
const MOST_KEPT: usize = 1000;

/// The state of a picture.
pub(crate) enum Picture {
    /// It is waiting or being drawn.
    Drawing,
    /// It is ready.
    Drawn(egui::TextureHandle),
    /// It cannot be drawn.
    Failed(String),
}

/// Pictures, by the keys of their recipes, and the thread that draws them.
pub(crate) struct Pictures {
    known: HashMap<u64, Picture>,
    queue: Arc<Queue>,
    /// Whether the thread could not be started.
    has_no_thread: bool,
}

/// The queue between the window and the thread that draws.
#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    /// Notified when an order has been added, or when there will be no more.
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    orders: VecDeque<(u64, Arc<Recipe>)>,
    done: Vec<(u64, Result<RgbaImage>)>,
    is_over: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next order; `None` when there will be none.
    fn next(&self) -> Option<(u64, Arc<Recipe>)> {
        let mut state = self.state();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(order) = state.orders.pop_front() {
                return Some(order);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.queue.state().is_over = true;
        self.queue.changed.notify_all();
    }
}

/// The key of a recipe's picture. It includes the modification times of files that the recipe reads.
pub(super) fn key_of(recipe: &Recipe) -> u64 {
    let mut hasher = DefaultHasher::new();
    (VERSION, SIZE).hash(&mut hasher);
    // Parts that don't affect the picture must not affect the key.
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
    /// No pictures yet; those that are drawn are kept in this folder, if there is one.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        let queue = Arc::new(Queue::default());
        let of_thread = queue.clone();
        let draw = move || {
            if let Some(folder) = &folder {
                tidy(folder, MOST_KEPT);
            }
            while let Some((key, recipe)) = of_thread.next() {
                let drawn = picture(key, &recipe, folder.as_deref(), &Work::within(PATIENCE));
                of_thread.state().done.push((key, drawn));
            }
        };
        let has_no_thread = Builder::new().name("gallery".into()).spawn(draw).is_err();
        Self { known: HashMap::new(), queue, has_no_thread }
    }

    /// The picture of a recipe. The first call orders it.
    pub fn get(&mut self, key: u64, recipe: &Arc<Recipe>) -> &Picture {
        let Self { known, queue, has_no_thread } = self;
        known.entry(key).or_insert_with(|| {
            if *has_no_thread {
                return Picture::Failed("the thread that draws pictures could not be started".to_owned());
            }
            queue.state().orders.push_back((key, recipe.clone()));
            queue.changed.notify_one();
            Picture::Drawing
        })
    }

    /// Cancels orders that have not been started, because other pictures are needed now.
    pub(super) fn cancel_waiting(&mut self) {
        for (key, _) in std::mem::take(&mut self.queue.state().orders) {
            self.known.remove(&key);
        }
    }

    /// Receives pictures drawn since the last call.
    pub fn receive(&mut self, context: &egui::Context) {
        let done = std::mem::take(&mut self.queue.state().done);
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

/// Reads a picture from the folder, or draws it and puts it there.
///
/// # Errors
/// Why there is no picture; also if `work` was cancelled because it took too long.
fn picture(key: u64, recipe: &Recipe, folder: Option<&Path>, work: &Work) -> Result<RgbaImage> {
    let path = folder.map(|folder| folder.join(format!("{key:016x}.png")));
    if let Some(kept) = path.as_deref().and_then(kept) {
        return Ok(kept);
    }
    // A panic of the builder must not end the thread.
    let drawn = without_panic(|| thumbnail(recipe, SIZE, work));
    let drawn = drawn.unwrap_or_else(|panic| {
        Err(Error::parameter("recipe", format!("one of its steps has a bug: {panic}")))
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
        // If it cannot be kept, it is drawn again at the next start.
        let _ = keep(&path, &drawn);
    }
    Ok(drawn)
}

/// A picture from the folder, if its file is intact.
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

/// Removes the oldest pictures of a folder until at most this many are left.
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
    fn pictures_are_drawn_even_if_they_cannot_be_kept() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(picture(1, &downs(), Some(file.path()), &Work::new()).is_ok());
    }

    #[test]
    fn a_picture_that_takes_too_long_is_left_out_with_a_reason() {
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
    fn old_pictures_are_removed_and_other_files_stay() {
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
    fn names_and_views_do_not_affect_a_picture() {
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
