//! How a recipe's steps are shown while they are edited: one of them alone, how the land looks after each,
//! and which step is which after their list has changed. None of this is part of the recipe.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use bevy::prelude::*;
use bevy_egui::egui;

use super::found_routes::FoundRoutes;
use crate::plugin::{TerrainCache, TerrainGround, TerrainStatus};
use crate::recipe::{Recipe, Step};
use crate::thumbnail::{StepLook, looks_left_out, looks_of_steps};
use crate::viewer::document::Document;
use crate::viewer::document::revision::GroundRevision;
use crate::viewer::session::Selection;
use crate::viewer::session::derived::Derived;

/// Width and height of a step's picture, pixels.
const PICTURE: (u32, u32) = (80, 50);

/// Seconds without a change after which the pictures are drawn again.
const REST: f32 = 0.6;

/// The maximum number of removed steps that are still recognised.
const MOST_GONE: usize = 100;

/// How the steps of a [`Document`] are shown; a component next to it.
#[derive(Component, Default)]
pub(crate) struct StackView {
    /// Index of the step that is shown alone.
    pub solo: Option<usize>,
    /// Index of a step that has just been added, until it has been unfolded and scrolled to.
    pub added: Option<usize>,
    /// Courses of rivers and roads to draw over the land in the next frame, with the indices of their steps;
    /// in metres from the land's north-west corner.
    pub courses: Vec<(usize, Vec<Vec2>)>,
    /// A position that the user wants to go to, and a point to look at from there.
    pub sight: Option<(Vec3, Vec3)>,
    /// The routes that its roads have found.
    pub routes: FoundRoutes,
    /// The steps as of the last frame.
    known: Vec<KnownStep>,
    /// Steps that were removed, the latest at the end: undo may bring them back.
    gone: Vec<KnownStep>,
    /// Which of the landscapes that have been open in the document they belong to.
    landscape: usize,
    looks: Vec<Option<Look>>,
    fresh: Option<Vec<Option<StepLook>>>,
    drawn: Derived<GroundRevision, Vec<Option<StepLook>>>,
    /// Why some of the steps have no pictures, if these would take too long to draw.
    left_out: Option<String>,
}

/// A step, and the key that identifies it wherever it moves.
struct KnownStep {
    key: u64,
    step: Step,
}

impl KnownStep {
    /// A step that has not been seen before. Its key is unique in all documents.
    fn new(step: &Step) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { key: NEXT.fetch_add(1, Ordering::Relaxed), step: step.clone() }
    }
}

/// How the land looks after a step.
pub(crate) struct Look {
    /// A picture from above.
    pub picture: egui::TextureHandle,
    /// Seconds that the step took, on this many samples.
    pub seconds: f32,
    /// See `seconds`.
    pub samples: usize,
}

impl StackView {
    /// The recipe as it is shown: with one step alone if the user wants that. A filter or a river alone would
    /// have nothing to change, so it is shown with the steps before it.
    pub fn seen<'a>(&self, recipe: &'a Recipe) -> Cow<'a, Recipe> {
        match self.solo_in(recipe) {
            Some(solo) => Cow::Owned(recipe.alone(solo)),
            None => Cow::Borrowed(recipe),
        }
    }

    /// Index of the step that is shown alone, if the recipe has it.
    pub fn solo_in(&self, recipe: &Recipe) -> Option<usize> {
        self.solo.filter(|solo| *solo < recipe.steps.len())
    }

    /// The look of a step, once it has been drawn.
    pub fn look(&self, step: usize) -> Option<&Look> {
        self.looks.get(step)?.as_ref()
    }

    /// Why some of the steps have no pictures, if these would take too long to draw.
    pub fn left_out(&self) -> Option<&str> {
        self.left_out.as_deref()
    }

    /// Uploads pictures that have been drawn.
    pub fn receive(&mut self, context: &egui::Context) {
        let Some(fresh) = self.fresh.take() else { return };
        let upload = |(index, look): (usize, Option<StepLook>)| {
            let StepLook { picture, seconds, samples } = look?;
            let size = [picture.width() as usize, picture.height() as usize];
            let image = egui::ColorImage::from_rgba_unmultiplied(size, picture.as_raw());
            let picture = context.load_texture(format!("step-{index}"), image, egui::TextureOptions::LINEAR);
            Some(Look { picture, seconds, samples })
        };
        self.looks = fresh.into_iter().enumerate().map(upload).collect();
    }

    /// The key of each step, which it keeps wherever it moves.
    pub fn keys(&self) -> Vec<u64> {
        self.known.iter().map(|known| known.key).collect()
    }

    /// Keeps track of steps whose list was not changed by hand: by undo, by a file that was read again, by
    /// another landscape. `landscape` is the number of the landscape among those that have been open in the
    /// document.
    pub fn follow(&mut self, landscape: usize, steps: &[Step]) {
        if landscape == self.landscape && self.known.iter().map(|known| &known.step).eq(steps) {
            return;
        }
        let before = std::mem::take(&mut self.known);
        let places = if landscape == self.landscape {
            let before: Vec<Step> = before.iter().map(|known| known.step.clone()).collect();
            places_after(&before, steps)
        } else {
            vec![None; before.len()]
        };
        let mut keys = vec![None; steps.len()];
        let mut looks: Vec<Option<Look>> = steps.iter().map(|_| None).collect();
        for (index, (known, place)) in before.into_iter().zip(&places).enumerate() {
            match *place {
                Some(place) => {
                    keys[place] = Some(known.key);
                    looks[place] = self.looks.get_mut(index).and_then(Option::take);
                }
                None => self.lose(known),
            }
        }
        let known = |(step, key): (&Step, Option<u64>)| match key {
            Some(key) => KnownStep { key, step: step.clone() },
            None => self.back(step).unwrap_or_else(|| KnownStep::new(step)),
        };
        let known = steps.iter().zip(keys).map(known).collect();
        self.solo = self.solo.and_then(|solo| places.get(solo).copied().flatten());
        (self.known, self.looks, self.landscape) = (known, looks, landscape);
    }

    fn lose(&mut self, gone: KnownStep) {
        if self.gone.len() >= MOST_GONE {
            self.gone.remove(0);
        }
        self.gone.push(gone);
    }

    /// The removed step that is equal to this one, if there is one.
    fn back(&mut self, step: &Step) -> Option<KnownStep> {
        let place = self.gone.iter().rposition(|gone| gone.step == *step)?;
        Some(self.gone.remove(place))
    }

    /// Keeps track of a step that was moved from one place in the list to another.
    pub fn moved(&mut self, from: usize, to: usize) {
        if from < self.known.len() && to < self.known.len() {
            let known = self.known.remove(from);
            self.known.insert(to, known);
        }
        if from < self.looks.len() && to < self.looks.len() {
            let look = self.looks.remove(from);
            self.looks.insert(to, look);
        }
        self.solo = self.solo.map(|solo| moved(solo, from, to));
    }

    /// Keeps track of a step that was inserted into the list.
    pub fn inserted(&mut self, index: usize, step: &Step) {
        if index <= self.known.len() {
            self.known.insert(index, KnownStep::new(step));
        }
        if index <= self.looks.len() {
            self.looks.insert(index, None);
        }
        self.solo = self.solo.map(|solo| if solo >= index { solo + 1 } else { solo });
    }

    /// Keeps track of a step that was removed.
    pub fn removed(&mut self, index: usize) {
        if index < self.known.len() {
            let gone = self.known.remove(index);
            self.lose(gone);
        }
        if index < self.looks.len() {
            self.looks.remove(index);
        }
        self.solo = match self.solo {
            Some(solo) if solo > index => Some(solo - 1),
            Some(solo) if solo < index => Some(solo),
            _ => None,
        };
    }
}

/// The new index of row `index` after a row was moved from `from` to `to`.
pub(crate) fn moved(index: usize, from: usize, to: usize) -> usize {
    if index == from {
        to
    } else if (from + 1..=to).contains(&index) {
        index - 1
    } else if (to..from).contains(&index) {
        index + 1
    } else {
        index
    }
}

/// Where each step of a list is in a later state of the list; `None` if it is gone. Equal steps are matched
/// first, those at the same place before others; steps whose numbers were changed are matched by name and
/// variant, then by name, in the order of those that are left.
pub(crate) fn places_after(before: &[Step], after: &[Step]) -> Vec<Option<usize>> {
    let mut places = vec![None; before.len()];
    let mut is_taken = vec![false; after.len()];
    // While a number is dragged, it may pass that of another step, so steps at the same place are matched
    // first.
    for (index, (old, new)) in before.iter().zip(after).enumerate() {
        if old == new {
            (places[index], is_taken[index]) = (Some(index), true);
        }
    }
    let is_same = |a: &Step, b: &Step| a == b;
    let is_varied = |a: &Step, b: &Step| a.name() == b.name() && a.mixing.variant == b.mixing.variant;
    let is_alike = |a: &Step, b: &Step| a.name() == b.name();
    for matches in [is_same as fn(&Step, &Step) -> bool, is_varied, is_alike] {
        for (step, place) in before.iter().zip(&mut places).filter(|(_, place)| place.is_none()) {
            let found = (0..after.len()).find(|index| !is_taken[*index] && matches(step, &after[*index]));
            if let Some(found) = found {
                (*place, is_taken[found]) = (Some(found), true);
            }
        }
    }
    places
}

/// Keeps track of the steps of all documents.
pub(crate) fn follow(mut documents: Query<(&Document, &mut StackView)>) {
    for (document, mut view) in &mut documents {
        view.bypass_change_detection().follow(document.origin_number(), &document.recipe.steps);
    }
}

/// Adds the system that draws the pictures, and looks up the routes of roads.
pub(crate) fn add(app: &mut App) {
    app.add_systems(Update, (draw_looks, find_routes));
}

/// Keeps the routes of all documents' roads up to date.
fn find_routes(
    mut documents: Query<(&Document, &TerrainStatus, Option<&TerrainGround>, &mut StackView)>,
    cache: Res<TerrainCache>,
) {
    for (document, status, ground, mut view) in &mut documents {
        // After a preview the cache lacks the whole land, which would be built beside the next preview.
        let (width, depth) = document.revision().recipe.size;
        let is_whole = ground.is_some_and(|ground| ground.samples() == [width, depth]);
        let is_built = is_whole && *status == TerrainStatus::Ready;
        view.bypass_change_detection().routes.follow(document.revision(), is_built, &cache.0);
    }
}

/// Draws the pictures of the edited landscape's steps again after it has changed and then rested.
fn draw_looks(
    mut documents: Query<(Entity, &Document, &TerrainStatus, &mut StackView)>,
    selection: Option<Res<Selection>>,
    time: Res<Time>,
) {
    let Some(selection) = selection else { return };
    for (entity, document, status, mut view) in &mut documents {
        if let Some(outcome) = view.drawn.take() {
            // If a step cannot be built, the terrain itself reports why.
            view.fresh = Some(outcome.unwrap_or_default());
        }
        let revision = document.revision();
        let has_rested = view.drawn.behind(&revision.ground, time.delta_secs()) >= REST;
        if has_rested && selection.is_edited(entity) && status.is_settled() {
            view.left_out = looks_left_out(&revision.recipe);
            let recipe = revision.recipe.clone();
            view.drawn.follow(revision.ground, true, move |_, work| looks_of_steps(&recipe, PICTURE, work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Work;

    fn hills() -> Recipe {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (33, 33), cell: 20,
            steps: [fbm(height: 400), gaussian(on: false), ridged(blend: add), invert()])"#;
        Recipe::from_ron(text, "hills.ron").unwrap()
    }

    fn seen(solo: Option<usize>) -> Vec<bool> {
        let view = StackView { solo, ..StackView::default() };
        view.seen(&hills()).steps.iter().map(|step| step.mixing.on).collect()
    }

    #[test]
    fn land_is_shown_alone_and_a_filter_with_what_it_changes() {
        assert_eq!(seen(None), [true, false, true, true]);
        assert_eq!(seen(Some(2)), [false, false, true, false]);
        assert_eq!(seen(Some(1)), [true, true, false, false], "also if it is off");
        assert_eq!(seen(Some(3)), [true, false, true, true]);
        assert_eq!(seen(Some(9)), seen(None), "a step that is gone");
        let alone = StackView { solo: Some(2), ..StackView::default() };
        let seen = alone.seen(&hills()).build_heightfield(&Work::new()).unwrap();
        let mut other = hills();
        other.steps = vec![other.steps.remove(2)];
        assert_eq!(seen, other.build_heightfield(&Work::new()).unwrap(), "with the same randomness");
    }

    #[test]
    fn a_group_is_shown_alone_and_a_step_of_it_with_the_steps_of_the_group_before_it() {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (33, 33), cell: 20,
            steps: [fbm(height: 400), group(start: level, blend: add, amount: 0.5), ridged(), invert(), end(),
                scale(bias: 9)])"#;
        let recipe = Recipe::from_ron(text, "hills.ron").unwrap();
        let alone = |index: usize| recipe.alone(index).build_heightfield(&Work::new()).unwrap();
        let land = |steps: &str| {
            let text =
                format!(r#"(version: 1, name: "x", seed: 3, size: (33, 33), cell: 20, steps: [{steps}])"#);
            Recipe::from_ron(&text, "x.ron").unwrap().build_heightfield(&Work::new()).unwrap()
        };
        let group = land("group(start: level, blend: add, amount: 0.5), ridged(), invert(), end()");
        assert!(alone(1) == group && alone(4) == group);
        assert!(alone(2) == land("ridged()"));
        assert!(alone(3) == land("ridged(), invert()"));
        assert!(alone(5) == recipe.build_heightfield(&Work::new()).unwrap());
    }

    #[test]
    fn the_step_shown_alone_stays_so_wherever_it_moves() {
        let mut view = StackView { solo: Some(2), ..StackView::default() };
        view.moved(2, 0);
        assert_eq!(view.solo, Some(0));
        view.moved(3, 0);
        assert_eq!(view.solo, Some(1));
        view.inserted(1, &Step::from_name("invert").unwrap());
        assert_eq!(view.solo, Some(2));
        view.removed(0);
        assert_eq!(view.solo, Some(1));
        view.removed(1);
        assert_eq!(view.solo, None);
    }

    fn steps(names: &[&str]) -> Vec<Step> {
        names.iter().map(|name| Step::from_name(name).unwrap()).collect()
    }

    #[test]
    fn each_step_keeps_its_key_whatever_changes_the_list() {
        let mut view = StackView { solo: Some(1), ..StackView::default() };
        let first = steps(&["fbm", "gaussian", "gaussian"]);
        view.follow(0, &first);
        let [fbm, one, other] = view.keys()[..] else { panic!("three steps") };
        // Moved by hand, even where steps are equal.
        view.moved(2, 1);
        view.follow(0, &first);
        assert_eq!(view.keys(), [fbm, other, one]);
        view.moved(1, 2);
        assert_eq!(view.keys(), [fbm, one, other]);
        // Changed by undo and the like.
        view.solo = Some(1);
        let mut changed = steps(&["gaussian", "fbm", "gaussian"]);
        changed[1].mixing.amount = 0.5;
        view.follow(0, &changed);
        assert_eq!((view.keys(), view.solo), (vec![one, fbm, other], Some(0)));
        view.follow(0, &first[..1]);
        assert_eq!((view.keys(), view.solo), (vec![fbm], None));
        view.follow(0, &first);
        let back = view.keys();
        assert!(back[0] == fbm && back[1..].contains(&one) && back[1..].contains(&other), "{back:?}");
    }

    #[test]
    fn a_number_that_passes_that_of_another_step_changes_no_key() {
        let mut view = StackView::default();
        let mut both = steps(&["gaussian", "gaussian"]);
        both[0].mixing.amount = 0.4;
        both[1].mixing.amount = 0.5;
        view.follow(0, &both);
        let keys = view.keys();
        for amount in [0.45, 0.5, 0.55] {
            both[0].mixing.amount = amount;
            view.follow(0, &both);
            assert_eq!(view.keys(), keys, "at {amount}");
        }
    }

    #[test]
    fn steps_of_another_landscape_are_new_and_undo_recognises_the_first_again() {
        let mut view = StackView { solo: Some(0), ..StackView::default() };
        let (first, second) = (steps(&["fbm", "gaussian"]), steps(&["fbm", "terrace"]));
        view.follow(0, &first);
        let keys = view.keys();
        let mut changed = second.clone();
        changed[0].mixing.amount = 0.5;
        view.follow(1, &changed);
        assert!(view.keys().iter().all(|key| !keys.contains(key)) && view.solo.is_none());
        view.follow(0, &first);
        assert_eq!(view.keys(), keys);
    }

    #[test]
    fn routes_are_not_looked_up_after_a_preview() {
        let mut recipe = Recipe::new("Land", (65, 33), 10.0);
        recipe.steps = Step::list_from_ron("[road(points: [])]").unwrap();
        let mut app = App::new();
        app.init_resource::<TerrainCache>().add_systems(Update, find_routes);
        let land = (Document::new(recipe, None), StackView::default(), TerrainStatus::Ready);
        let land = app.world_mut().spawn(land).id();
        for (size, is_requested) in [((33, 17), false), ((65, 33), true)] {
            let grid = crate::Grid::new(size.0, size.1, 10.0).unwrap();
            let ground = TerrainGround::bare(crate::Heightfield::flat(grid, 0.0));
            app.world_mut().entity_mut(land).insert(ground);
            app.update();
            let routes = &app.world().get::<StackView>(land).unwrap().routes;
            assert_eq!(routes.is_requested(), is_requested, "{size:?}");
        }
    }
}
