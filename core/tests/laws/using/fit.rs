//! Recipes that are fitted to a real land.

use upland_core::fit::{FitOptions, fit};
use upland_core::likeness::compare;
use upland_core::{Error, Grid, Heightfield, Recipe, Work};

/// The elevation model that recipes use as a sample, in cells of the mean of its sides of 74 and 93 m.
fn jacksboro() -> Heightfield {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/elevation/jacksboro_fault.asc");
    let text = std::fs::read_to_string(file).unwrap();
    let numbers = text.lines().skip(6).flat_map(str::split_whitespace);
    let heights = numbers.map(|height| height.parse().unwrap()).collect();
    Heightfield::new(Grid::new(403, 344, 83.0).unwrap(), heights).unwrap()
}

const QUICK: FitOptions = FitOptions { samples: 97, rounds: 1, seed: 5 };

#[test]
fn a_search_comes_nearer_and_says_how_near_the_recipe_is() {
    let real = jacksboro();
    let fitted = fit(("Jacksboro", &real), None, &QUICK, &Work::new()).unwrap();
    println!("{}\n{} → {} in {}", fitted.comparison, fitted.first_cost(), fitted.cost(), fitted.trials);
    assert!(fitted.cost() < 0.9 * fitted.first_cost(), "{} → {}", fitted.first_cost(), fitted.cost());
    // What is reported is what the recipe gives, also after it was written and read.
    let recipe = Recipe::from_ron(&fitted.recipe.to_ron().unwrap(), "fitted.ron").unwrap();
    let land = recipe.build_heightfield(&Work::new()).unwrap();
    assert_eq!(land.range(), real_range(&fitted.comparison.names[1], &real));
    let lands = [("the fitted land", &land), ("Jacksboro", &real)];
    let again = compare(lands, [None; 2], &Work::new()).unwrap();
    for measure in ["slope", "hypsometry", "geomorphons"] {
        let (said, found) = (fitted.comparison.distance(measure).unwrap(), again.distance(measure).unwrap());
        assert!((said - found).abs() < 1e-9 * said.max(1.0), "{measure}: {found}, not {said}");
    }
}

/// The range of the real land once it has been averaged to as many samples: within that of its samples.
fn real_range(name: &str, real: &Heightfield) -> (f32, f32) {
    assert_eq!(name, "Jacksboro");
    let none = FitOptions { rounds: 0, ..QUICK };
    let fitted = fit((name, real), None, &none, &Work::new()).unwrap();
    let range = fitted.recipe.build_heightfield(&Work::new()).unwrap().range();
    assert!(range.0 >= real.range().0 && range.1 <= real.range().1, "{range:?}");
    range
}

#[test]
fn the_same_land_gives_the_same_recipe_on_any_number_of_threads() {
    let real = Heightfield::from_fn(Grid::new(90, 80, 50.0).unwrap(), |column, row| {
        let (x, z) = (column as f32 * 0.2, row as f32 * 0.17);
        300.0 + 100.0 * x.sin() * z.cos() + 40.0 * (2.3 * x + z).sin() + 15.0 * (5.1 * z - x).cos()
    });
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = FitOptions { samples: 65, ..QUICK };
        pool.install(|| fit(("waves", &real), None, &options, &Work::new()).unwrap().recipe.to_ron().unwrap())
    };
    assert_eq!(on(1), on(7));
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let refused = |land: &Heightfield, options: FitOptions, said: &str| {
        let error = fit(("land", land), None, &options, &Work::new()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    };
    let real = jacksboro();
    refused(&real, FitOptions { samples: 64, ..QUICK }, "samples: 64 is outside 65 to 1025");
    refused(&real, FitOptions { rounds: 11, ..QUICK }, "rounds: 11 is outside 0 to 10");
    let level = Heightfield::flat(Grid::new(70, 70, 10.0).unwrap(), 3.0);
    refused(&level, QUICK, "the land has no relief");
    let work = Work::new();
    work.cancel();
    assert!(matches!(fit(("land", &real), None, &QUICK, &work), Err(Error::Cancelled)));
}
