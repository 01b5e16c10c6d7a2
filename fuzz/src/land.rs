//! Recipes: as text, changed by `--set`, and built at a tiny size.

use std::sync::atomic::{AtomicUsize, Ordering};

use arbitrary::{Result, Unstructured};
use upland::grid::Window;
use upland::params::{self, Name, Param, Params, Value};
use upland::{Cache, Lesson, Recipe, Seasons, Sets, Skin, Step, Work};

use crate::{check_message, folder};

/// Samples along the longer side of the land that is built.
const SIDE: u32 = 17;
/// Checks for cancellation after which a build is cancelled: it may take long, but not without checking.
const PATIENCE: usize = 1000;

/// Reads a recipe's text, writes it and reads it again, and builds it small. Its comments are placed where
/// they can be read again, even those of text that is not a recipe.
pub fn read(text: &str) {
    comes_back_with_comments(&Recipe::new("other", (SIDE, SIDE), 30.0), text);
    match Recipe::from_ron(text, "input.ron") {
        Ok(mut recipe) => {
            comes_back_with_comments(&recipe, text);
            let text = comes_back(&recipe);
            // With files of this machine an input would mean something else on another one.
            if !text.contains("\"/") && !text.contains("..") {
                recipe.set_folder(folder());
                build(&recipe, SIDE);
            }
        }
        Err(error) => check_message(&error, &["input.ron:"]),
    }
}

/// Reads a lesson's text. Every lesson that is read can be shown: sliders move to both of their ends, and the
/// answer to each question is a recipe that can be written.
pub fn read_lesson(text: &str) {
    match Lesson::from_ron(text, "input.ron") {
        Ok(lesson) => {
            for slider in lesson.sliders() {
                for end in [*slider.range.start(), *slider.range.end()] {
                    let mut recipe = lesson.recipe.clone();
                    lesson.set(&mut recipe, &slider.path, end).expect("an end of a slider is accepted");
                }
            }
            for question in lesson.questions() {
                assert!(question.right < question.answers.len(), "the right answer is there");
                comes_back(&lesson.shown(question).expect("settings were checked"));
            }
        }
        Err(error) => check_message(&error, &["input.ron:"]),
    }
}

/// A recipe that was read or set is written so that reading it gives an equal recipe.
fn comes_back(recipe: &Recipe) -> String {
    let text = recipe.to_ron().expect("every recipe can be written");
    match Recipe::from_ron(&text, "written.ron") {
        Ok(back) => assert_eq!(&back, recipe, "{text}"),
        Err(error) => panic!("what was written cannot be read: {error}\n{text}"),
    }
    text
}

/// A recipe that is written with the comments of a text can be read again, and is written in the same way
/// again.
fn comes_back_with_comments(recipe: &Recipe, old: &str) {
    let text = recipe.to_ron_with_comments(old).expect("every recipe can be written");
    match Recipe::from_ron(&text, "written.ron") {
        Ok(back) => assert_eq!(&back, recipe, "{text}"),
        Err(error) => panic!("what was written cannot be read: {error}\n{text}"),
    }
    assert_eq!(recipe.to_ron_with_comments(&text).expect("as before"), text);
}

/// Builds the land of a recipe with `side` samples along its longer side, with few texels.
fn build(recipe: &Recipe, side: u32) {
    let mut recipe = recipe.preview(side);
    // Pictures of the ground take a hundred times as long to read as this land takes to make; the target
    // `tile` reads them.
    recipe.texture =
        recipe.texture.with(&|texture| texture.types.iter_mut().for_each(|kind| kind.tile = None));
    match recipe.build(&patient()) {
        Ok(landscape) => {
            let heights = landscape.heightfield.heights();
            assert!(heights.iter().all(|height| height.is_finite()), "all heights are finite");
        }
        Err(error) => check_message(&error, &[]),
    }
}

/// Sets lines of `NAME=VALUE`, like `--set`, in a recipe of two steps, which the first line names.
pub fn set(text: &str) {
    let mut lines = text.lines();
    let mut recipe = Recipe::new("input", (SIDE, SIDE), 30.0);
    let names = lines.next().unwrap_or_default().split(' ');
    recipe.steps.extend(names.filter_map(Step::from_name).take(2));
    for (path, text) in lines.filter_map(|line| line.split_once('=')) {
        let before = recipe.clone();
        match recipe.set(path, text) {
            Ok(()) => drop(comes_back(&recipe)),
            Err(error) => {
                // A message shows no control characters of the path that it begins with.
                let shown = upland::Error::parameter(path, "").to_string();
                check_message(&error, &[shown.trim_end_matches(": ")]);
                assert_eq!(recipe, before, "a refused value changed nothing");
            }
        }
    }
}

/// Builds a recipe of up to three steps with arbitrary parameters, all of which are accepted.
pub fn steps(u: &mut Unstructured) -> Result<()> {
    let recipe = chosen(u)?;
    comes_back(&recipe);
    build(&recipe, recipe.size.0.max(recipe.size.1));
    Ok(())
}

/// A recipe of up to three steps with arbitrary parameters, all of which are accepted.
fn chosen(u: &mut Unstructured) -> Result<Recipe> {
    let size = (u.int_in_range(1..=SIDE)?, u.int_in_range(1..=SIDE)?);
    let cell = *u.choose(&[30.0, 1.0, 0.1, 1e3, 1e5])?;
    let mut recipe = Recipe::new("steps", size, cell);
    recipe.seed = u.arbitrary()?;
    recipe.water.sea = u.arbitrary()?;
    recipe.texture = skin(u)?;
    let all = upland::steps::all();
    for _ in 0..u.int_in_range(1..=3)? {
        let mut step = Step::new(u.choose(&all)?.clone());
        change(u, &mut step)?;
        recipe.steps.push(step);
    }
    change(u, &mut recipe.sun)?;
    change(u, &mut recipe.weather)?;
    change(u, &mut recipe.water)?;
    Ok(recipe)
}

/// Builds windows of a recipe of up to three steps: every request ends in finite heights or in a message, and
/// a part of a window has the same heights as the window.
pub fn windows(u: &mut Unstructured) -> Result<()> {
    let size = (u.int_in_range(1..=SIDE)?, u.int_in_range(1..=SIDE)?);
    let mut recipe = Recipe::new("windows", size, *u.choose(&[30.0, 1.0, 1e3])?);
    if u.arbitrary()? {
        recipe.unit = Some(*u.choose(&[10_000.0, 1.0, 5e6])?);
    }
    let all = upland::steps::all();
    for _ in 0..u.int_in_range(1..=3)? {
        let mut step = Step::new(u.choose(&all)?.clone());
        change(u, &mut step)?;
        recipe.steps.push(step);
    }
    let level = u.int_in_range(-20..=20)?;
    let first = |u: &mut Unstructured| -> Result<i64> {
        Ok(match u.int_in_range(0..=3)? {
            0 => u.arbitrary()?,
            1 => i64::from(u.arbitrary::<i32>()?),
            _ => u.int_in_range(0..=i64::from(SIDE) << (-level).clamp(0, 20))?,
        })
    };
    let first = [first(u)?, first(u)?];
    let size = [u.int_in_range(1..=SIDE)?, u.int_in_range(1..=SIDE)?];
    let window = Window { level, first, size };
    let text = window.to_string();
    assert_eq!(text.parse::<Window>().expect("a window that was written"), window);
    let cache = Cache::new(u.int_in_range(0..=1 << 20)?);
    if std::env::var_os("UPLAND_FUZZ_SHOW").is_some() {
        eprintln!("--window={text}\n{}", recipe.to_ron().expect("a recipe can be written"));
    }
    let build = |window: Window| recipe.build_window(window, &cache, &patient());
    match build(window) {
        Ok(ground) => {
            let heights = &ground.heights;
            assert!(heights.heights().iter().all(|height| height.is_finite()), "all heights are finite");
            let skipped = size.map(|side| side / 2);
            let part = Window {
                first: [0, 1].map(|axis| first[axis] + i64::from(skipped[axis])),
                size: [0, 1].map(|axis| size[axis] - skipped[axis]),
                ..window
            };
            // A build with too many checks was cancelled.
            let Ok(part) = build(part) else { return Ok(()) };
            for row in 0..part.grid().depth {
                let whole = &heights.row(skipped[1] as usize + row)[skipped[0] as usize..];
                assert_eq!(part.heights.row(row), &whole[..part.grid().width], "{text}, row {row}");
            }
        }
        Err(error) => check_message(&error, &[]),
    }
    Ok(())
}

/// Work that is cancelled after many checks.
fn patient() -> Work {
    let asked = AtomicUsize::new(0);
    Work::watched(move |work| {
        if asked.fetch_add(1, Ordering::Relaxed) == PATIENCE {
            work.cancel();
        }
    })
}

fn skin(u: &mut Unstructured) -> Result<Skin> {
    let share = |u: &mut Unstructured| Ok(f32::from(u.arbitrary::<u8>()?) / 255.0);
    Ok(match u.int_in_range(0..=7)? {
        0 => Skin::Temperate,
        1 => Skin::Arid,
        2 => Skin::Seasons(Seasons::new(share(u)?).expect("within the year")),
        3 => Skin::Sets(Sets { sets: vec![Skin::Temperate, Skin::Arid], at: share(u)?, mask: None }),
        _ => Skin::Woodland,
    })
}

/// Changes some of the parameters one after another, as an editor does: values that depend on one another
/// follow.
fn change(u: &mut Unstructured, params: &mut dyn Params) -> Result<()> {
    for name in params::names(params) {
        let mut outcome = Ok(());
        params.visit(&mut |param, value| {
            if param.name == name {
                outcome = change_one(u, param, value);
            }
        });
        outcome?;
        params.follow(name);
    }
    Ok(())
}

fn change_one(u: &mut Unstructured, param: &Param, value: Value<'_>) -> Result<()> {
    if u.ratio(2, 3)? {
        return Ok(());
    }
    match value {
        Value::Float(value) => *value = number(u, param)? as f32,
        // Some parameters accept only odd or even numbers.
        Value::Int(value) => *value = param.fitting(number(u, param)? as u32, *value),
        Value::Flag(value) => *value = u.arbitrary()?,
        Value::Choice(choice) => choice.set_index(u.choose_index(choice.names().len())?),
        Value::File(file) => file.set("../elevation/world_height_64.png"),
        Value::Name(name) => {
            // Layers that steps write, one that no step writes, and none.
            let names = ["flow", "wear", "hardness", "painted", "nobodys", ""];
            if let Ok(chosen) = Name::new(*u.choose(&names)?) {
                *name = chosen;
            }
        }
        Value::Points(points) => {
            for _ in 0..u.int_in_range(0..=12)? {
                points.push([number(u, param)? as f32, number(u, param)? as f32].into());
            }
        }
        Value::Text(text) => {
            // Coefficients of `convolve`, valid and invalid ones.
            let texts = ["0 1 0, 1 -4 1, 0 1 0", "0.5", "1 2, 3 4", "1e38 -1e38 1, 0 0 0, 1 1 1", "", "x"];
            (*u.choose(&texts)?).clone_into(text);
        }
        Value::Group(group) => change(u, group)?,
        // Steps have none of the others.
        _ => {}
    }
    Ok(())
}

/// A number that the parameter accepts, often one of its limits.
fn number(u: &mut Unstructured, param: &Param) -> Result<f64> {
    let (low, high) = (*param.range.start(), *param.range.end());
    Ok(match u.int_in_range(0..=5)? {
        0 => low,
        1 => high,
        2 => (low + 1.0).min(high),
        _ => low + (high - low) * f64::from(u.arbitrary::<u16>()?) / 65535.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices;

    /// The window of a majority filter would have had two samples.
    const EVEN_WINDOW: [u8; 24] = [
        0x10, 0x81, 0x58, 0x73, 0x9c, 0x7b, 0xf2, 0xac, 0x40, 0x58, 0x08, 0x79, 0x53, 0x04, 0x48, 0x99, 0x62,
        0x50, 0xce, 0x59, 0xcb, 0x10, 0x25, 0x91,
    ];

    /// Bytes without a pattern, always the same.
    fn inputs(count: u64) -> impl Iterator<Item = [u8; 96]> {
        (0..count).map(|number| {
            let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
        })
    }

    #[test]
    fn an_input_that_chose_an_even_window_keeps_the_laws() {
        let recipe = chosen(&mut choices(&EVEN_WINDOW)).unwrap();
        assert_eq!(recipe.steps[0].name(), "majority");
        steps(&mut choices(&EVEN_WINDOW)).unwrap();
    }

    #[test]
    fn every_recipe_that_is_chosen_is_accepted() {
        let mut seen = std::collections::BTreeSet::new();
        for bytes in inputs(3000) {
            let recipe = chosen(&mut choices(&bytes)).unwrap();
            for step in &recipe.steps {
                params::check(step, step.name()).unwrap_or_else(|error| panic!("{error}: {bytes:?}"));
                seen.insert(step.name());
            }
            comes_back(&recipe);
        }
        assert_eq!(seen.len(), upland::steps::names().len(), "every step is chosen: {seen:?}");
    }

    #[test]
    fn recipes_that_are_chosen_are_built_or_refused() {
        inputs(40).for_each(|bytes| steps(&mut choices(&bytes)).unwrap());
    }
}
