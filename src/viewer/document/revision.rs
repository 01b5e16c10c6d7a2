//! Revisions of a document: its recipe as of the last count, with numbers that show whether it has changed.
//!
//! Panels and tools change [`Document::recipe`](super::Document::recipe) in place. Once per frame, after all
//! of them, [`count_revisions`](super::count_revisions) compares it with the last revision, so that no edit
//! is missed, however it was made. All others compare numbers, and work on the recipe of the revision: one
//! that is edited and restored between two counts has the same numbers all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::recipe::Recipe;

/// The number of a state of the ground. No other state has it, in no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroundRevision(u64);

/// The number of a state of the texture. No other state has it, in no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LookRevision(u64);

/// A state of a document's recipe.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    /// Changes whenever anything has changed, even if only the name.
    pub number: u64,
    /// Changes when the heights or the water may have changed.
    pub ground: GroundRevision,
    /// Changes when the texture has changed.
    pub look: LookRevision,
    /// The recipe in this state.
    pub recipe: Arc<Recipe>,
}

impl Revision {
    /// A state that has nothing in common with another one.
    pub(super) fn new(recipe: &Recipe) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (ground, look) = (GroundRevision(number), LookRevision(number));
        Self { number, ground, look, recipe: Arc::new(recipe.clone()) }
    }

    /// The revision after this one; `None` if `recipe` is still the same.
    pub(super) fn next(&self, recipe: &Recipe) -> Option<Self> {
        if *recipe == *self.recipe {
            return None;
        }
        let mut next = Self::new(recipe);
        if has_same_ground(recipe, &self.recipe) {
            next.ground = self.ground;
        }
        if recipe.texture == self.recipe.texture {
            next.look = self.look;
        }
        Some(next)
    }
}

/// Whether two recipes have the same ground and water, regardless of texture, name, sun and view.
fn has_same_ground(a: &Recipe, b: &Recipe) -> bool {
    (a.seed, a.size, a.cell, a.unit) == (b.seed, b.size, b.cell, b.unit)
        && a.steps == b.steps
        && a.water == b.water
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::*;
    use crate::viewer::document::{Document, count_revisions};

    /// The revisions before and after a change.
    fn counted(change: impl FnOnce(&mut Document)) -> [Revision; 2] {
        let mut app = App::new();
        app.add_systems(Update, count_revisions);
        let document = Document::new(Recipe::new("Land", (9, 9), 1.0), None);
        let before = document.revision().clone();
        let entity = app.world_mut().spawn(document).id();
        change(&mut app.world_mut().get_mut::<Document>(entity).unwrap());
        app.update();
        let document = app.world().get::<Document>(entity).unwrap();
        assert_eq!(*document.revision().recipe, document.recipe);
        [before, document.revision().clone()]
    }

    #[test]
    fn each_change_counts_where_it_is_seen() {
        let changed = |change: fn(&mut Recipe)| {
            let [before, after] = counted(|document| change(&mut document.recipe));
            (before.number != after.number, before.ground != after.ground, before.look != after.look)
        };
        assert_eq!(changed(|_| {}), (false, false, false));
        assert_eq!(changed(|recipe| recipe.name = "Hills".into()), (true, false, false));
        assert_eq!(changed(|recipe| recipe.sun.elevation = 3.0), (true, false, false));
        assert_eq!(changed(|recipe| recipe.weather.clouds = 0.5), (true, false, false));
        assert_eq!(changed(|recipe| recipe.texture = crate::Skin::Arid), (true, false, true));
        let of_ground: [fn(&mut Recipe); 6] = [
            |recipe| recipe.seed = 9,
            |recipe| recipe.size = (9, 5),
            |recipe| recipe.cell = 2.0,
            |recipe| recipe.unit = Some(100.0),
            |recipe| recipe.water.sea = true,
            |recipe| recipe.steps.push(crate::Step::from_name("fbm").unwrap()),
        ];
        for change in of_ground {
            assert_eq!(changed(change), (true, true, false));
        }
    }

    #[test]
    fn states_count_and_not_edits() {
        let [before, after] = counted(|document| {
            document.recipe.seed += 1;
            document.settle();
        });
        assert_ne!(before.ground, after.ground);
        let [before, after] = counted(|document| {
            document.recipe.seed += 1;
            document.undo();
        });
        assert_eq!((before.number, before.ground), (after.number, after.ground), "undone before the count");
        let [before, after] = counted(|document| *document = Document::new(document.recipe.clone(), None));
        let is_other = before.number != after.number && before.ground != after.ground;
        assert!(is_other, "another document in the same place, with the same recipe");
    }

    #[test]
    fn a_document_without_an_edit_is_not_touched() {
        let mut app = App::new();
        app.add_systems(Update, count_revisions);
        let land = app.world_mut().spawn(Document::new(Recipe::new("Land", (9, 9), 1.0), None)).id();
        let changed = |app: &mut App| app.world().entity(land).get_ref::<Document>().unwrap().last_changed();
        let before = changed(&mut app);
        app.update();
        assert_eq!(changed(&mut app), before, "titles and lists of files would be made again");
        app.world_mut().get_mut::<Document>(land).unwrap().bypass_change_detection().recipe.seed = 9;
        app.update();
        assert_ne!(changed(&mut app), before, "also where the edit itself went unnoticed");
    }
}
