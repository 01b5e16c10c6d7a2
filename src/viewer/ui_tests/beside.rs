//! Several lands in one window: a failure of one of them, and the difference between two.

use bevy_egui::egui::accesskit::Role;

use super::Driven;
use super::panels::land;
use crate::plugin::TerrainStatus;
use crate::recipe::{Recipe, Step};
use crate::viewer::build::terrain_override::TerrainOverride;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::session::Selection;
use crate::viewer::views::difference::DifferenceView;
use crate::viewer::views::landscapes::close_landscape;
use crate::viewer::views::likeness::LikenessView;

/// The status of each land, from left to right.
fn statuses(driven: &Driven) -> Vec<TerrainStatus> {
    driven.of_landscapes::<TerrainStatus>().into_iter().map(|status| status.unwrap().clone()).collect()
}

#[test]
fn if_one_of_four_lands_fails_the_others_are_built_and_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut lands = ["Hills", "Downs", "Broken", "Dunes"].map(|name| land(name, "fbm()")).to_vec();
    lands[2].steps.push(Step::from_name("import").unwrap());
    let mut driven = Driven::open(lands, folder.path());
    let is_as_expected = |driven: &mut Driven| {
        use TerrainStatus::{Failed, Ready};
        matches!(statuses(driven)[..], [Ready, Ready, Failed(_), Ready])
    };
    driven.until("three are built, one fails", is_as_expected);
    driven.frames(4);
    assert!(driven.has(Role::Button, "Close the error message of Broken"));
    for name in ["Hills", "Downs", "Dunes"] {
        assert!(!driven.has(Role::Button, &format!("Close the error message of {name}")));
    }
    driven.document_mut(3).recipe.seed = 9;
    driven.frames(60);
    driven.until("the last one is rebuilt", is_as_expected);
    assert!(driven.has(Role::Button, "Close the error message of Broken"), "the message stays");
}

#[test]
fn a_failure_is_shown_in_the_view_of_its_land_and_the_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    let mut broken = land("Broken", "fbm()");
    broken.steps.push(Step::from_name("import").unwrap());
    let mut driven = Driven::open(vec![land("Hills", "fbm()"), broken], folder.path());
    let is_as_expected = |driven: &mut Driven| {
        matches!(statuses(driven)[..], [TerrainStatus::Ready, TerrainStatus::Failed(_)])
    };
    driven.until("one is built, one fails", is_as_expected);
    driven.frames(4);
    let views = driven.views();
    const CLOSE: &str = "Close the error message of Broken";
    let said = driven.find(Role::Button, CLOSE);
    assert!(views[1].contains(said.center()) && !views[0].contains(said.center()), "{said:?} {views:?}");
    assert!(!driven.has(Role::Button, "Close the error message of Hills"));
    assert!(driven.has(Role::Label, "failed; there is no land yet"));

    // When the other land is changed and built, the message stays.
    let change = |driven: &mut Driven, index: usize, change: &dyn Fn(&mut Recipe)| {
        change(&mut driven.document_mut(index).recipe);
        driven.frames(30);
    };
    change(&mut driven, 0, &|recipe| recipe.seed = 9);
    driven.until("it is rebuilt", is_as_expected);
    assert!(driven.has(Role::Button, CLOSE));
    // The message can be closed, appears again after another failure, and disappears once the land is built.
    let place = driven.find(Role::Button, CLOSE).center();
    driven.click_at(place);
    assert!(!driven.has(Role::Button, CLOSE));
    change(&mut driven, 1, &|recipe| recipe.seed = 5);
    driven.until("the message appears again", |driven| driven.has(Role::Button, CLOSE));
    change(&mut driven, 1, &|recipe| drop(recipe.steps.pop()));
    driven.until("both are built", |driven| {
        statuses(driven).iter().all(|status| *status == TerrainStatus::Ready)
    });
    driven.frames(3);
    assert!(!driven.has(Role::Button, CLOSE));
    // This time there is a previous land that stays.
    change(&mut driven, 1, &|recipe| recipe.steps.push(Step::from_name("import").unwrap()));
    driven.until("it fails again", is_as_expected);
    driven.frames(3);
    assert!(driven.has(Role::Label, "failed; the previous land stays"));
}

#[test]
fn a_land_only_shows_its_own_difference() {
    let folder = tempfile::tempdir().unwrap();
    let lands = ["Hills", "Downs", "Alps"].map(|name| land(name, "fbm()"));
    let mut driven = Driven::open(lands.to_vec(), folder.path());
    driven.settle();
    let wears = |driven: &mut Driven| {
        driven.of_landscapes::<TerrainOverride>().iter().map(Option::is_some).collect::<Vec<_>>()
    };
    let [hills, downs, alps] = [0, 1, 2].map(|index| driven.landscape(index));
    let context = driven.context();
    let is_found = |driven: &mut Driven| {
        driven.app.world_mut().resource_mut::<DifferenceView>().found(&context).is_some()
    };
    driven.order("Difference of two landscapes");
    driven.app.world_mut().resource_mut::<DifferenceView>().on_land = true;
    driven.until("the second shows it", |driven| wears(driven) == [false, true, false]);

    // When another second land is selected, the known difference belongs to the one before.
    driven.app.world_mut().resource_mut::<DifferenceView>().pair = Some([hills, alps]);
    driven.frames(1);
    assert_eq!((wears(&mut driven), is_found(&mut driven)), (vec![false; 3], false));
    driven.until("the third shows it", |driven| wears(driven) == [false, false, true]);

    // A land that is not compared is closed.
    close_landscape(driven.app.world_mut(), downs);
    driven.frames(1);
    assert_eq!((wears(&mut driven), is_found(&mut driven)), (vec![false, true], true));
    assert_eq!(driven.app.world().resource::<DifferenceView>().pair, Some([hills, alps]));
}

#[test]
fn two_lands_are_measured_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let lands = ["Hills", "Downs"].map(|name| land(name, "fbm()"));
    let mut driven = Driven::open(lands.to_vec(), folder.path());
    driven.settle();
    let pair = |driven: &Driven| driven.app.world().resource::<LikenessView>().pair;
    let [hills, downs] = [0, 1].map(|index| driven.landscape(index));
    driven.order("Likeness of two landscapes");
    driven.until("the table is there", |driven| driven.has(Role::Label, "slope (mean)"));
    assert_eq!(pair(&driven), Some([hills, downs]));
    driven.click("Exchange both");
    driven.until("it is measured again", |driven| driven.has(Role::Label, "slope (mean)"));
    assert_eq!(pair(&driven), Some([downs, hills]));

    // With one land left there is nothing to compare.
    close_landscape(driven.app.world_mut(), downs);
    driven.frames(3);
    assert!(!driven.has(Role::Label, "slope (mean)"));
    assert_eq!(pair(&driven), None);
}

#[test]
fn a_new_copy_is_edited_and_names_show_different_seeds() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", "fbm()")], folder.path());
    driven.settle();
    let seed = driven.document(0).recipe.seed;
    driven
        .app
        .world_mut()
        .resource_mut::<Pilot>()
        .put(bevy::math::Vec3::new(10.0, 5.0, 10.0), bevy::math::Vec3::new(11.0, 5.0, 10.0));
    driven.order("Compare with another seed");
    driven.until("there are two", |driven| driven.landscapes() == 2);
    driven.until("all of both is seen", |driven| driven.app.world().resource::<Pilot>().place.y > 100.0);
    driven.frames(4);
    assert!(driven.app.world().resource::<Selection>().is_edited(driven.landscape(1)));
    let other = driven.document(1).recipe.clone();
    assert_eq!((other.name.as_str(), other.seed), ("Hills", seed + 1));
    let names = driven.names().join("\n");
    for seed in [seed, seed + 1] {
        assert!(names.contains(&format!("Hills, seed {seed}")), "{names}");
    }
    // A change only affects the copy.
    driven.order("Compare with a copy");
    driven.until("there are three", |driven| driven.landscapes() == 3);
    driven.frames(4);
    driven.order("Another random seed");
    assert_eq!([0, 1].map(|number| driven.document(number).recipe.seed), [seed, seed + 1]);
    assert_eq!(driven.document(2).recipe.name, "Hills (copy)");
}
