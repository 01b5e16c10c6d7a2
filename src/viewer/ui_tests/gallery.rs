//! The gallery: small pictures to click on.

use bevy::prelude::*;
use bevy_egui::egui::accesskit::Role;

use super::Driven;
use super::panels::land;
use crate::viewer::views::gallery::Gallery;
use crate::{Lock, Recipe};

/// The generators that can make land with this size and seed: their titles, and the names of their steps.
fn generators(recipe: &Recipe) -> Vec<(String, String)> {
    let all = recipe.of_each_generator().into_iter();
    all.map(|variant| (variant.title, variant.recipe.steps[0].name().to_owned())).collect()
}

#[test]
fn one_click_shows_all_generators_and_another_opens_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm(), gaussian()")], folder.path());
    driven.settle();
    let all = generators(&driven.document(0).recipe);
    assert!(all.len() > 10, "{all:?}");
    driven.click("All generators");
    driven.frames(4);
    let of = |driven: &mut Driven, title: &str| driven.named(title);
    for (title, _) in &all {
        assert!(of(&mut driven, title).is_some(), "{title} in {:?}", driven.names());
    }
    let seed = driven.document(0).recipe.seed;
    let (title, step) = all.iter().find(|(_, step)| step == "fault").unwrap();
    let place = of(&mut driven, title).unwrap().center();
    driven.click_at(place);
    driven.settle();
    let recipe = &driven.document(0).recipe;
    assert_eq!((recipe.steps.len(), recipe.steps[0].name(), recipe.seed), (1, &**step, seed));
    assert!(!driven.app.world().resource::<Gallery>().open, "the gallery closes");
    driven.command(KeyCode::KeyZ, "z");
    assert_eq!(driven.document(0).recipe.steps.len(), 2, "undo goes back");
}

#[test]
fn equal_steps_are_numbered_where_they_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm(), fbm()")], folder.path());
    driven.settle();
    driven.order("Shelf of the gallery: Neighbours");
    driven.frames(4);
    let locked = |driven: &Driven| driven.app.world().resource::<Gallery>().locked.clone();
    driven.click("2  Fractional Brownian motion");
    assert_eq!(locked(&driven), [Lock::of_step(1)]);
    driven.click("1  Fractional Brownian motion");
    assert_eq!(locked(&driven), [Lock::of_step(1), Lock::of_step(0)]);
    // The menu of a step's numbers is available unless the whole step is locked.
    driven.click("1  Fractional Brownian motion");
    driven.click("Keep single numbers of 1  Fractional Brownian motion");
    driven.frames(4);
    let hurst = driven.find(Role::CheckBox, "hurst").center();
    driven.click_at(hurst);
    assert_eq!(locked(&driven), [Lock::of_step(1), Lock::of_number(0, "hurst")]);
    driven.click_at(hurst);
    assert_eq!(locked(&driven), [Lock::of_step(1)]);
}
