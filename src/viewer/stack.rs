//! What is shown of a recipe's steps while they are edited: one of them alone, and how the land looks after each. None of
//! it is part of the recipe.

use std::borrow::Cow;

use bevy::prelude::*;
use bevy_egui::egui;

use super::document::Document;
use super::panel::PanelState;
use super::rebuild::same_heights;
use super::window::Number;
use crate::plugin::{Job, TerrainStatus};
use crate::recipe::Recipe;
use crate::steps::Kind;
use crate::thumbnail::{StepLook, looks_of_steps};

/// Width and height of a step's picture, pixels.
const PICTURE: (u32, u32) = (80, 50);

/// Seconds without a change after which the pictures are drawn anew.
const REST: f32 = 0.6;

/// How the steps of a [`Document`] are shown; a component beside it.
#[derive(Component, Default)]
pub(super) struct StackView {
    /// Index of the step that is shown alone.
    pub solo: Option<usize>,
    /// Index of a step that has just been added, until it is unfolded and scrolled to.
    pub added: Option<usize>,
    looks: Vec<Option<Look>>,
    fresh: Option<Vec<Option<StepLook>>>,
    drawn: Option<Recipe>,
    rested: f32,
    job: Option<Job<Vec<Option<StepLook>>>>,
}

/// How the land looks after a step.
pub(super) struct Look {
    /// From above.
    pub picture: egui::TextureHandle,
    /// What the step took, in seconds, on this many samples.
    pub seconds: f32,
    /// As `seconds`.
    pub samples: usize,
}

impl StackView {
    /// The recipe as it is shown: with one step alone if that is wanted. A filter or a river would have nothing to
    /// change alone, so it is shown with the steps before it.
    pub fn seen<'a>(&self, recipe: &'a Recipe) -> Cow<'a, Recipe> {
        let Some(solo) = self.solo.filter(|solo| *solo < recipe.steps.len()) else {
            return Cow::Borrowed(recipe);
        };
        let mut seen = recipe.clone();
        let is_land = seen.steps[solo].operation.kind() == Kind::Generator;
        for (index, step) in seen.steps.iter_mut().enumerate() {
            step.mixing.on = match index.cmp(&solo) {
                std::cmp::Ordering::Less => step.mixing.on && !is_land,
                std::cmp::Ordering::Equal => true,
                std::cmp::Ordering::Greater => false,
            };
        }
        Cow::Owned(seen)
    }

    /// The look of a step, once it has been drawn.
    pub fn look(&self, step: usize) -> Option<&Look> {
        self.looks.get(step)?.as_ref()
    }

    /// Brings pictures that have been drawn to the device.
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

    /// Keeps track of a step that was taken from one place of the list and put at another.
    pub fn moved(&mut self, from: usize, to: usize) {
        if from < self.looks.len() && to < self.looks.len() {
            let look = self.looks.remove(from);
            self.looks.insert(to, look);
        }
        self.solo = self.solo.map(|solo| super::panel::moved(solo, from, to));
    }

    /// Keeps track of a step that was put into the list.
    pub fn inserted(&mut self, index: usize) {
        if index <= self.looks.len() {
            self.looks.insert(index, None);
        }
        self.solo = self.solo.map(|solo| if solo >= index { solo + 1 } else { solo });
    }

    /// Keeps track of a step that was removed.
    pub fn removed(&mut self, index: usize) {
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

/// Adds what draws the looks.
pub(super) fn add(app: &mut App) {
    app.add_systems(Update, draw_looks);
}

/// Draws the looks of the edited landscape's steps anew once it has changed and rests.
fn draw_looks(
    mut documents: Query<(&Number, &Document, &TerrainStatus, &mut StackView)>,
    state: Option<Res<PanelState>>,
    time: Res<Time>,
) {
    let Some(state) = state else { return };
    for (number, document, status, mut view) in &mut documents {
        let view = view.bypass_change_detection();
        if let Some(outcome) = view.job.as_mut().and_then(Job::outcome) {
            view.job = None;
            // Why a step cannot be built is said by the terrain.
            view.fresh = Some(outcome.unwrap_or_default());
        }
        let recipe = &document.recipe;
        if view.drawn.as_ref().is_some_and(|drawn| same_heights(drawn, recipe)) {
            continue;
        }
        view.rested += time.delta_secs();
        if number.0 != state.edited() || !status.is_settled() || view.rested < REST {
            continue;
        }
        (view.rested, view.drawn) = (0.0, Some(recipe.clone()));
        let recipe = recipe.clone();
        view.job = Some(Job::start_long(move |work| looks_of_steps(&recipe, PICTURE, work)));
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
    fn the_step_that_is_alone_stays_so_wherever_it_goes() {
        let mut view = StackView { solo: Some(2), ..StackView::default() };
        view.moved(2, 0);
        assert_eq!(view.solo, Some(0));
        view.moved(3, 0);
        assert_eq!(view.solo, Some(1));
        view.inserted(1);
        assert_eq!(view.solo, Some(2));
        view.removed(0);
        assert_eq!(view.solo, Some(1));
        view.removed(1);
        assert_eq!(view.solo, None);
    }
}
