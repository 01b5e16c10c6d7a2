//! The classic mistakes: each breaks a law that the right version keeps.

use std::collections::BTreeSet;

use glam::vec2;
use upland_core::{Heightfield, Mistake, Recipe, Work};

fn recipes(name: &str) -> [Recipe; 2] {
    let mistake = Mistake::find(name).unwrap();
    [mistake.wrong().unwrap(), mistake.right().unwrap()]
}

/// What a law measures in the wrong land and in the right one.
fn measured(name: &str, law: impl Fn(&Heightfield) -> f64) -> [f64; 2] {
    recipes(name).map(|recipe| law(&recipe.build_heightfield(&Work::new()).unwrap()))
}

fn at(field: &Heightfield, x: usize, z: usize) -> f64 {
    f64::from(field.at(x, z))
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    sum / count
}

#[test]
fn every_mistake_is_told_and_both_recipes_are_made() {
    let mut told = BTreeSet::new();
    for mistake in Mistake::all() {
        let Mistake { name, title, why, cure, .. } = mistake;
        assert!(told.insert(*name) && told.insert(*title), "{name}");
        assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{name}");
        assert_eq!(why.matches(". ").count(), 1, "{name}: two sentences");
        assert!(cure.matches(". ").count() <= 1 && why.ends_with('.') && cure.ends_with('.'), "{name}");
        let (wrong, right) = (mistake.wrong().unwrap(), mistake.right().unwrap());
        assert_eq!((wrong.size, wrong.seed, wrong.view), (right.size, right.seed, right.view), "{name}");
        assert_ne!(wrong.name, right.name);
        for recipe in [wrong, right] {
            let again = Recipe::from_ron(&recipe.to_ron().unwrap(), "again.ron").unwrap();
            assert_eq!(again, recipe, "{name}");
            recipe.preview(65).build(&Work::new()).unwrap();
        }
    }
    assert!(Mistake::all().len() >= 7);
}

/// The mean step between two columns, where it is highest, as a multiple of that between columns in general.
#[test]
fn copies_of_a_tile_meet_without_a_step() {
    let [wrong, right] = measured("seams", |field| {
        let side = field.grid().width;
        // Over the border too: there a tile meets its copy.
        let step = |x: usize| mean((0..side).map(|z| (at(field, (x + 1) % side, z) - at(field, x, z)).abs()));
        (0..side).map(step).fold(0.0, f64::max) / mean((0..side).map(step))
    });
    assert!(right < 2.5 && wrong > 5.0, "{right} and {wrong}");
}

/// How much more the slope breaks at every `apart`th column than between them: the mean square of second
/// differences.
fn creases(field: &Heightfield, apart: usize) -> f64 {
    let side = field.grid().width;
    let bend = |x: usize| {
        mean((0..side).map(|z| (at(field, x - 1, z) - 2.0 * at(field, x, z) + at(field, x + 1, z)).powi(2)))
    };
    let (lines, others): (Vec<usize>, Vec<usize>) = (1..side - 1).partition(|x| x % apart == 0);
    mean(lines.into_iter().map(bend)) / mean(others.into_iter().map(bend))
}

#[test]
fn slopes_do_not_break_along_the_coarse_squares() {
    let [wrong, right] = measured("creases", |field| creases(field, 64));
    assert!(right < 1.5 && wrong > 4.0, "{right} and {wrong}");
}

#[test]
fn slopes_do_not_break_at_every_pixel() {
    let [wrong, right] = measured("bilinear", |field| creases(field, 8));
    // The curvature of a cubic B-spline runs straight from one pixel to the next: between a and b its mean
    // square is (a² + ab + b²)/3, at least a third of that at the pixels.
    assert!(right < 3.1 && wrong > 100.0, "{right} and {wrong}");
}

/// The highest step from a sample to the next, metres.
fn steepest_step(field: &Heightfield) -> f64 {
    let side = field.grid().width;
    let step = |x: usize, z: usize| (at(field, x, z) - at(field, x - 1, z)).abs();
    (0..side).flat_map(|z| (1..side).map(move |x| (x, z))).map(|(x, z)| step(x, z)).fold(0.0, f64::max)
}

#[test]
fn a_smooth_fault_has_no_cliff() {
    let [wrong, right] = measured("fault-cliffs", steepest_step);
    // The least displacement is 60 m. At its steepest a sine of 150 m over a twelfth of 512 samples rises by
    // 150·(π/2)/41 = 5.8 m a sample, and of 12 faults few cross at one place.
    assert!(right < 24.0 && wrong > 55.0, "{right} and {wrong}");
}

#[test]
fn no_ground_is_black() {
    let [wrong, right] = recipes("black-lowlands").map(|recipe| {
        let land = recipe.build(&Work::new()).unwrap();
        let texels = land.colour.opaque();
        let black = texels.iter().filter(|texel| texel.iter().all(|level| *level < 40)).count();
        black as f64 / texels.len() as f64
    });
    assert!(right == 0.0 && wrong > 0.02, "{right} and {wrong}");
}

/// How rough the highest tenth of the land is beside the lowest: the mean squares of second differences.
#[test]
fn valleys_of_a_hybrid_multifractal_are_smooth() {
    let [wrong, right] = measured("hybrid-most", |field| {
        let mut heights = field.heights().to_vec();
        heights.sort_by(f32::total_cmp);
        let (low, high) = (heights[heights.len() / 10], heights[heights.len() * 9 / 10]);
        let side = field.grid().width;
        let bends =
            |is_there: &dyn Fn(f32) -> bool| {
                let inside = (1..side - 1).flat_map(|z| (1..side - 1).map(move |x| (x, z)));
                mean(inside.filter(|&(x, z)| is_there(field.at(x, z))).map(|(x, z)| {
                    (at(field, x - 1, z) - 2.0 * at(field, x, z) + at(field, x + 1, z)).powi(2)
                }))
            };
        bends(&|height| height > high) / bends(&|height| height < low)
    });
    assert!(right > 4.0 && wrong < 2.0, "{right} and {wrong}");
}

/// The sharpest break of the slope as a share of the steepest slope.
#[test]
fn a_softened_cliff_has_no_edges() {
    let [wrong, right] = measured("box-filter", |field| {
        let side = field.grid().width;
        let inside = (0..side).flat_map(|z| (1..side - 1).map(move |x| (x, z)));
        let bend = |(x, z): (usize, usize)| {
            (at(field, x - 1, z) - 2.0 * at(field, x, z) + at(field, x + 1, z)).abs()
        };
        inside.map(bend).fold(0.0, f64::max) / steepest_step(field)
    });
    assert!(right < 0.2 && wrong > 0.4, "{right} and {wrong}");
}

#[test]
fn the_recipes_are_of_land_that_can_be_seen() {
    for mistake in Mistake::all() {
        let right = mistake.right().unwrap();
        let field = right.build_heightfield(&Work::new()).unwrap();
        let (low, high) = field.range();
        assert!(high - low > 100.0, "{}: {low} to {high}", mistake.name);
        assert!(field.sample(vec2(0.0, 0.0)).is_finite());
    }
}
