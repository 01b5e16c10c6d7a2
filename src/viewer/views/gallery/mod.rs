//! The gallery: small pictures of landscapes to choose from. They are the presets, every generator, lessons,
//! mistakes, random variants of the edited recipe, and one of its parameters at nine values.

mod card;
mod pictures;
mod shelves;

use bevy::prelude::*;

pub(crate) use card::{Card, Teaches};
pub(crate) use pictures::{Picture, Pictures, SIZE};
use shelves::{MANY, Shelves};
pub(crate) use shelves::{Shelf, numbers_of};

use crate::viewer::build::step_stack::places_after;
use crate::{Lock, Recipe, Step};

/// The state of the gallery.
#[derive(Resource)]
pub(crate) struct Gallery {
    /// Whether it is shown.
    pub open: bool,
    /// The shelf that is shown.
    pub shelf: Shelf,
    /// How far variants may deviate from the recipe, above 0, up to 1.
    pub spread: f32,
    /// The seed of the random variants.
    pub chance: u64,
    /// Steps, or single numbers of steps, that variants don't change.
    pub locked: Vec<Lock>,
    /// The path of the parameter that is shown at nine values, and the first and the last of these.
    pub parameter: Option<(String, f64, f64)>,
    /// The edited landscape and its steps, which `locked` and `parameter` refer to.
    followed: Option<((Entity, usize), Vec<Step>)>,
    /// Pictures that have been drawn.
    pub pictures: Pictures,
    shelves: Shelves,
}

impl Gallery {
    /// A gallery that keeps its pictures between starts in this folder, if there is one.
    pub fn new(folder: Option<std::path::PathBuf>) -> Self {
        Self {
            open: false,
            shelf: Shelf::Presets,
            spread: 0.25,
            chance: 1,
            locked: Vec::new(),
            parameter: None,
            followed: None,
            pictures: Pictures::new(folder),
            shelves: Shelves::default(),
        }
    }

    /// Opens it at a shelf.
    pub fn open_at(&mut self, shelf: Shelf) {
        (self.open, self.shelf) = (true, shelf);
    }

    /// Keeps track of steps that are locked or varied, wherever they move in the edited landscape.
    /// `landscape` is the entity of its document, and its number among those that have been open there. A
    /// different landscape has no locks.
    pub fn follow(&mut self, landscape: (Entity, usize), steps: &[Step]) {
        if self.followed.as_ref().is_some_and(|(of, known)| *of == landscape && known == steps) {
            return;
        }
        let before = self.followed.replace((landscape, steps.to_vec()));
        let Some((_, before)) = before.filter(|(of, _)| *of == landscape) else {
            (self.locked, self.parameter) = (Vec::new(), None);
            return;
        };
        let places = places_after(&before, steps);
        let place = |index: usize| places.get(index).copied().flatten();
        let locked = std::mem::take(&mut self.locked).into_iter();
        self.locked = locked.filter_map(|lock| Some(Lock { step: place(lock.step)?, ..lock })).collect();
        self.parameter = self.parameter.take().and_then(|(path, first, last)| {
            let (index, rest) = path.strip_prefix("steps.")?.split_once('.')?;
            Some((format!("steps.{}.{rest}", place(index.parse().ok()?)?), first, last))
        });
    }

    /// Locks something, or unlocks it.
    pub fn toggle(&mut self, lock: Lock) {
        let count = self.locked.len();
        self.locked.retain(|other| *other != lock);
        if self.locked.len() == count {
            self.locked.push(lock);
        }
    }

    /// The cards of the shelf for the edited recipe, or why there are none.
    pub fn cards(&mut self, edited: &Recipe) -> Result<&[Card], String> {
        let wanted = shelves::ShelfRequest {
            shelf: self.shelf,
            // These are the same whatever is edited, so editing need not make them again.
            recipe: (!matches!(self.shelf, Shelf::Presets | Shelf::Lessons)).then(|| edited.clone()),
            spread: self.spread,
            chance: self.chance,
            locked: self.locked.clone(),
            parameter: self.parameter.clone(),
        };
        if !self.shelves.has(&wanted) {
            self.pictures.cancel_waiting();
        }
        self.shelves.cards(wanted)
    }

    /// Draws other random variants.
    pub fn shuffle(&mut self) {
        self.chance = self.chance.wrapping_add(MANY as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(names: &[&str]) -> Vec<Step> {
        names.iter().map(|name| Step::from_name(name).unwrap()).collect()
    }

    #[test]
    fn locks_and_the_varied_number_stay_with_their_steps() {
        let mut gallery = Gallery::new(None);
        let land = (Entity::PLACEHOLDER, 0);
        let first = steps(&["fbm", "gaussian", "ridged"]);
        gallery.follow(land, &first);
        gallery.locked = vec![Lock::of_number(2, "hurst"), Lock::of_step(0)];
        gallery.parameter = Some(("steps.2.height".into(), 1.0, 2.0));
        let locked = |gallery: &mut Gallery, steps: &[Step]| {
            gallery.follow(land, steps);
            let is_of_number = |lock: &Lock| lock.number.as_deref() == Some("hurst");
            assert!(gallery.locked.first().is_none_or(is_of_number), "{:?}", gallery.locked);
            let locked: Vec<usize> = gallery.locked.iter().map(|lock| lock.step).collect();
            (locked, gallery.parameter.as_ref().map(|(path, ..)| path.clone()))
        };
        let path = |index: usize| Some(format!("steps.{index}.height"));
        assert_eq!(locked(&mut gallery, &first), (vec![2, 0], path(2)));
        assert_eq!(locked(&mut gallery, &steps(&["ridged", "fbm", "gaussian"])), (vec![0, 1], path(0)));
        assert_eq!(locked(&mut gallery, &steps(&["turbulence", "ridged", "fbm"])), (vec![1, 2], path(1)));
        let mut changed = steps(&["turbulence", "ridged", "fbm"]);
        changed[1].mixing.amount = 0.5;
        assert_eq!(locked(&mut gallery, &changed), (vec![1, 2], path(1)), "a changed step keeps its lock");
        assert_eq!(locked(&mut gallery, &changed[..2]), (vec![1], path(1)), "a removed step is not locked");
        assert_eq!(locked(&mut gallery, &first), (vec![2], path(2)), "as after undo");
        assert_eq!(locked(&mut gallery, &first[..2]), (vec![], None));
    }

    #[test]
    fn another_land_has_no_locks() {
        let mut gallery = Gallery::new(None);
        let steps = steps(&["fbm", "gaussian"]);
        gallery.follow((Entity::PLACEHOLDER, 0), &steps);
        gallery.locked = vec![Lock::of_step(1)];
        gallery.follow((Entity::PLACEHOLDER, 1), &steps);
        assert!(gallery.locked.is_empty());
    }
}
