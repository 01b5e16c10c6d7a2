//! A build that remembers: the same land as without, only sooner.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use upland_core::filter::{Ledges, Stones};
use upland_core::generate::Fbm;
use upland_core::grid::{Domain, Window};
use upland_core::params::set_from_text;
use upland_core::steps::{Ground, Kind, Operation, Reach};
use upland_core::{Cache, Error, Preset, Recipe, Result, Step, Work, params};

params! {
    /// Counts how often it is done.
    pub struct Counted {
        /// Which of the counters.
        pub counter: u32 = 0, "" in 0.0..=7.0;
        /// Lifts the land by so much.
        pub by: f32 = 1.0, "m" in 0.0..=100.0;
        /// Whether it fails.
        pub fails: bool = false;
    }
}

static DONE: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

impl Operation for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }
    fn title(&self) -> &'static str {
        "Counted"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        work.check()?;
        DONE[self.counter as usize].fetch_add(1, Ordering::SeqCst);
        if self.fails {
            return Err(Error::Parameter { name: "fails".into(), reason: "as it was told".into() });
        }
        ground.heights.heights_mut().iter_mut().for_each(|height| *height += self.by);
        Ok(())
    }
}

pub(super) fn done(counter: usize) -> usize {
    DONE[counter].load(Ordering::SeqCst)
}

pub(super) fn counted(counter: u32, by: f32) -> Step {
    Step::new(Counted { counter, by, fails: false })
}

/// Three steps that count, in counters of the test's own.
fn recipe(counter: u32) -> Recipe {
    let mut recipe = Recipe::new("Counted", (33, 17), 10.0);
    recipe.steps = vec![counted(counter, 1.0), counted(counter + 1, 2.0), counted(counter + 2, 4.0)];
    recipe
}

fn build(recipe: &Recipe, cache: &Cache) -> Result<f32> {
    recipe.build_with(cache, &Work::new()).map(|landscape| landscape.heightfield.at(3, 3))
}

#[test]
fn land_around_a_window_is_made_once_for_all_steps_that_look_at_it() {
    let mut recipe = Recipe::new("Looked at", (129, 129), 10.0);
    recipe.unit = Some(2000.0);
    recipe.steps = vec![Step::new(Fbm { height: 400.0, octaves: 6.0, ..Fbm::default() }), counted(7, 1.0)];
    // Each wants to know how the land lies, at samples farther apart than the window's.
    recipe.steps.extend([
        Step::new(Ledges::default()),
        Step::new(Stones::default()),
        Step::new(Stones::default()),
    ]);
    let window = Window { level: -5, first: [4000, -3000], size: [41; 2] };
    recipe.build_window(window, &Cache::default(), &Work::new()).unwrap();
    // The window, and the land around it.
    assert_eq!(done(7), 2);
}

#[test]
fn a_change_builds_from_its_step_on_and_what_was_there_is_not_built_again() {
    let (cache, mut recipe) = (Cache::default(), recipe(0));
    let times = || [done(0), done(1), done(2)];
    assert_eq!(build(&recipe, &cache).unwrap(), 7.0);
    assert_eq!(times(), [1, 1, 1]);
    // Nothing of the ground has changed.
    recipe.sun.elevation = 12.0;
    recipe.water.sea = true;
    recipe.name = "Other".into();
    assert_eq!(build(&recipe, &cache).unwrap(), 7.0);
    assert_eq!(times(), [1, 1, 1]);
    recipe.set("steps.2.by", "8").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 11.0);
    assert_eq!(times(), [1, 1, 2]);
    recipe.set("steps.1.by", "3").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 12.0);
    assert_eq!(times(), [1, 2, 3]);
    // Muted and heard again, undone and done again.
    recipe.set("steps.2.on", "false").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 4.0);
    recipe.set("steps.2.on", "true").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 12.0);
    recipe.set("steps.1.by", "2").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 11.0);
    assert_eq!(times(), [1, 2, 3]);
    // Other land altogether.
    recipe.seed = 5;
    assert_eq!(build(&recipe, &cache).unwrap(), 11.0);
    assert_eq!(times(), [2, 3, 4]);
    cache.clear();
    assert_eq!((cache.bytes(), build(&recipe, &cache).unwrap()), (0, 11.0));
    assert_eq!(times(), [3, 4, 5]);
}

#[test]
fn errors_and_cancelling_leave_what_is_done() {
    let (cache, mut recipe) = (Cache::default(), recipe(3));
    let times = || [done(3), done(4), done(5)];
    recipe.set("steps.2.fails", "true").unwrap();
    let error = build(&recipe, &cache).unwrap_err().to_string();
    assert_eq!(error, "steps.2 (counted): fails: as it was told");
    assert_eq!(times(), [1, 1, 1]);
    let cancelled = Work::new();
    cancelled.cancel();
    assert!(matches!(recipe.build_with(&cache, &cancelled), Err(Error::Cancelled)));
    recipe.set("steps.2.fails", "false").unwrap();
    assert_eq!(build(&recipe, &cache).unwrap(), 7.0);
    assert_eq!(times(), [1, 1, 2]);
}

#[test]
fn the_budget_holds_and_the_oldest_goes_first() {
    let build = |seed, cache: &Cache| {
        let mut recipe = Recipe::new("Counted", (33, 17), 10.0);
        (recipe.steps, recipe.seed) = (vec![counted(6, 1.0)], seed);
        build(&recipe, cache).unwrap();
    };
    let one = Cache::default();
    build(0, &one);
    assert!(one.bytes() >= 4 * 33 * 17);
    for (results, forgotten) in [(0, 1), (1, 1), (2, 1), (3, 0)] {
        let cache = Cache::new(results * one.bytes());
        for seed in 0..3 {
            build(seed, &cache);
            assert!(cache.bytes() <= results * one.bytes(), "{} of {results}", cache.bytes());
        }
        let before = done(6);
        // The newest are there, as many as there is room for.
        for seed in (0..3).rev().take(results as usize) {
            build(seed, &cache);
        }
        assert_eq!(done(6), before, "{results}");
        build(0, &cache);
        assert_eq!(done(6) - before, forgotten, "{results}");
    }
}

#[test]
fn a_file_that_has_changed_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.asc");
    let write = |height: f32, more: &str| {
        let text =
            format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 {height}{more}\n");
        std::fs::write(&path, text).unwrap();
    };
    write(4.0, "");
    let cache = Cache::default();
    let text = "(version: 1, name: \"File\", size: (2, 2), cell: 10, steps: [import(file: \"land.asc\")])";
    let mut recipe = Recipe::from_ron(text, "file.ron").unwrap();
    recipe.set_folder(folder.path());
    let last = |cache| recipe.build_with(cache, &Work::new()).map(|land| land.heightfield.at(1, 1));
    assert_eq!(last(&cache).unwrap(), 4.0);
    write(7.0, " ");
    assert_eq!(last(&cache).unwrap(), 7.0);
    std::fs::remove_file(&path).unwrap();
    assert!(last(&cache).unwrap_err().to_string().contains("land.asc"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is changed in whatever order, the landscape is the one that is built from nothing.
    #[test]
    fn the_landscape_is_the_one_that_is_built_from_nothing(
        preset in prop::sample::select(Preset::all().to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..7, any::<u32>()), 1..5),
        budget in prop_oneof![Just(0u64), Just(30_000), Just(100_000), Just(1 << 30)],
    ) {
        let cache = Cache::new(budget);
        let mut recipe = preset.recipe().unwrap().preview(41);
        for (which, what, number) in changes {
            let index = which.index(recipe.steps.len());
            let step = &mut recipe.steps[index];
            match what {
                0 => step.mixing.on ^= true,
                1 => step.mixing.variant = number % 5,
                2 => step.mixing.amount = 0.25 * (number % 5) as f32,
                3 => recipe.seed = u64::from(number % 3),
                4 => recipe.water.sea ^= true,
                5 => _ = set_from_text(step, "height", &format!("{}", number % 900)),
                _ => recipe.steps.swap(0, index),
            }
            let remembered = recipe.build_with(&cache, &Work::new());
            match (remembered, recipe.build(&Work::new())) {
                (Ok(mut remembered), Ok(mut plain)) => {
                    remembered.stages.clear();
                    plain.stages.clear();
                    prop_assert!(remembered == plain, "{}", preset.name);
                }
                (Err(remembered), Err(plain)) => prop_assert_eq!(remembered.to_string(), plain.to_string()),
                (remembered, plain) => {
                    prop_assert!(false, "{:?}, {:?}", remembered.map(|_| ()), plain.map(|_| ()))
                }
            }
            prop_assert!(cache.bytes() <= budget);
        }
    }
}
