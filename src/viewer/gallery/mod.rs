//! The gallery: small pictures of landscapes to choose from. The presets, every generator, chance neighbours of the
//! edited recipe to breed from, and one of its parameters at nine values.

mod pictures;
mod shelves;

use std::sync::Arc;

use bevy::prelude::*;

pub(super) use pictures::{Picture, Pictures, SIZE};
use shelves::{MANY, Shelves};
pub(super) use shelves::{Shelf, numbers_of};

use crate::lessons::{Mistake, ShippedLesson};
use crate::recipe::Recipe;

/// A landscape that can be chosen.
#[derive(Clone)]
pub(super) struct Card {
    /// What stands under it.
    pub title: String,
    /// What is said of it under the pointer.
    pub about: String,
    pub recipe: Arc<Recipe>,
    /// What it explains, if it is no mere land.
    pub teaches: Option<Teaches>,
    /// What its picture is kept under.
    pub key: u64,
}

/// What a card explains.
#[derive(Clone, Copy)]
pub(super) enum Teaches {
    /// A family of algorithms, in a lesson.
    Lesson(ShippedLesson),
    /// What a naive version gets wrong.
    Mistake(&'static Mistake),
}

/// What the gallery shows.
#[derive(Resource)]
pub(super) struct Gallery {
    /// Whether it is shown.
    pub open: bool,
    /// What of.
    pub shelf: Shelf,
    /// How far neighbours may be from the recipe, above 0 up to 1.
    pub spread: f32,
    /// What chance neighbours are made from.
    pub chance: u64,
    /// Steps that neighbours keep as they are.
    pub locked: Vec<usize>,
    /// The parameter that is given nine values, by its path, and the first and the last of them.
    pub parameter: Option<(String, f64, f64)>,
    /// Pictures that have been drawn.
    pub pictures: Pictures,
    shelves: Shelves,
}

impl Gallery {
    /// With pictures kept in a folder between starts, if there is one.
    pub fn new(folder: Option<std::path::PathBuf>) -> Self {
        Self {
            open: false,
            shelf: Shelf::Presets,
            spread: 0.25,
            chance: 1,
            locked: Vec::new(),
            parameter: None,
            pictures: Pictures::new(folder),
            shelves: Shelves::default(),
        }
    }

    /// The cards of the shelf, for the recipe that is edited; or why there are none.
    pub fn cards(&mut self, edited: &Recipe) -> Result<&[Card], String> {
        let wanted = shelves::Wanted {
            shelf: self.shelf,
            // Presets are the same whatever is edited.
            recipe: (!matches!(self.shelf, Shelf::Presets | Shelf::Lessons)).then(|| edited.clone()),
            spread: self.spread,
            chance: self.chance,
            locked: self.locked.clone(),
            parameter: self.parameter.clone(),
        };
        if !self.shelves.has(&wanted) {
            self.pictures.take_back();
        }
        self.shelves.cards(wanted)
    }

    /// Draws other neighbours by lot.
    pub fn shuffle(&mut self) {
        self.chance = self.chance.wrapping_add(MANY as u64);
    }
}
