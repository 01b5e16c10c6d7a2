//! The shelves of the gallery, and the cards on each.

use std::sync::Arc;

use super::card::{Card, Teaches};
use super::pictures::key_of;
use crate::lessons::{Lesson, Mistake, ShippedLesson};
use crate::params::{self, Reading};
use crate::plugin::Job;
use crate::recipe::preset::Preset;
use crate::recipe::titles::numbered;
use crate::{Lock, Recipe, Values, Variant};

/// The number of variants, and of values of a parameter.
pub(super) const MANY: usize = 9;

/// A shelf of the gallery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// The recipes that come with the program.
    #[default]
    Presets,
    /// Each generator alone, in place of the edited recipe's steps.
    Generators,
    /// The lessons that come with the program.
    Lessons,
    /// Mistakes of naive versions.
    Mistakes,
    /// The edited recipe and random variants of it.
    Neighbours,
    /// One parameter of the edited recipe at several values.
    Parameter,
}

impl Shelf {
    /// All shelves, with their names and descriptions.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Presets, "Landscapes", "The landscapes that come with upland"),
        (
            Self::Generators,
            "Generators",
            "Each generator alone, with the size, seed and texture of the edited landscape",
        ),
        (Self::Lessons, "Lessons", "One for each family of algorithms, with questions to think about"),
        (Self::Mistakes, "Mistakes", "Common mistakes in the algorithms, their causes, and how to fix them"),
        (
            Self::Neighbours,
            "Neighbours",
            "The edited landscape and variants with random numbers: choose one to continue with",
        ),
        (Self::Parameter, "One parameter", "The edited landscape with one of its numbers at nine values"),
    ];
}

/// What cards are made from.
#[derive(Clone, PartialEq)]
pub(super) struct ShelfRequest {
    pub shelf: Shelf,
    pub recipe: Option<Recipe>,
    pub spread: f32,
    pub chance: u64,
    pub locked: Vec<Lock>,
    pub parameter: Option<(String, f64, f64)>,
}

/// The last requested cards, and those that are being made.
#[derive(Default)]
pub(super) struct Shelves {
    made: Option<(ShelfRequest, Result<Vec<Card>, String>)>,
    making: Option<(ShelfRequest, Job<Result<Vec<Card>, String>>)>,
}

impl Shelves {
    /// Whether the cards for this request are ready.
    pub(super) fn has(&self, wanted: &ShelfRequest) -> bool {
        self.made.as_ref().is_some_and(|(made_from, _)| made_from == wanted)
    }

    pub(super) fn cards(&mut self, wanted: ShelfRequest) -> Result<&[Card], String> {
        if !self.has(&wanted) {
            let cards = if wanted.takes_long() {
                self.made_in_background(&wanted).ok_or("Looking for variants that differ…")?
            } else {
                wanted.cards()
            };
            self.made = Some((wanted, cards));
        }
        match &self.made {
            Some((_, Ok(cards))) => Ok(cards),
            Some((_, Err(reason))) => Err(reason.clone()),
            None => Ok(&[]),
        }
    }

    /// Cards that are made on another thread; `None` until they are ready.
    fn made_in_background(&mut self, wanted: &ShelfRequest) -> Option<Result<Vec<Card>, String>> {
        self.making.take_if(|(of, _)| of != wanted);
        let (_, job) = self.making.get_or_insert_with(|| {
            let of_job = wanted.clone();
            (wanted.clone(), Job::start_long(move |_| Ok(of_job.cards())))
        });
        let cards = job.outcome()?.unwrap_or_else(|error| Err(error.to_string()));
        self.making = None;
        Some(cards)
    }
}

impl ShelfRequest {
    /// Whether lands have to be built to find out which cards there are.
    fn takes_long(&self) -> bool {
        self.shelf == Shelf::Neighbours && self.recipe.is_some()
    }

    fn cards(&self) -> Result<Vec<Card>, String> {
        let card = |title: String, about: String, recipe: Recipe| {
            let key = key_of(&recipe);
            Card { title, about, recipe: Arc::new(recipe), teaches: None, key }
        };
        let of = |variants: Vec<Variant>| {
            let card = |Variant { short, recipe, .. }| card(short, String::new(), recipe);
            variants.into_iter().map(card).collect()
        };
        match (self.shelf, &self.recipe) {
            (Shelf::Lessons, _) => {
                let lessons = ShippedLesson::all().iter();
                let lessons = lessons.filter_map(|shipped| Some((*shipped, shipped.lesson().ok()?)));
                let card = |(shipped, lesson): (ShippedLesson, Lesson)| {
                    let about = format!("{}: {}", lesson.family, lesson.about);
                    Card {
                        teaches: Some(Teaches::Lesson(shipped)),
                        ..card(lesson.title, about, lesson.recipe)
                    }
                };
                Ok(lessons.map(card).collect())
            }
            (Shelf::Mistakes, _) => {
                let mistakes =
                    Mistake::all().iter().filter_map(|mistake| Some((mistake, mistake.wrong().ok()?)));
                let card = |(mistake, wrong): (&'static Mistake, Recipe)| {
                    let of_card = card(mistake.title.to_owned(), mistake.why.to_owned(), wrong);
                    Card { teaches: Some(Teaches::Mistake(mistake)), ..of_card }
                };
                Ok(mistakes.map(card).collect())
            }
            (Shelf::Presets, _) | (_, None) => {
                let presets = Preset::all().iter().filter_map(|preset| preset.recipe().ok());
                Ok(presets.map(|recipe| card(recipe.name.clone(), recipe.about.clone(), recipe)).collect())
            }
            (Shelf::Generators, Some(recipe)) => Ok(of(recipe.of_each_generator())),
            (Shelf::Neighbours, Some(recipe)) => {
                Ok(of(recipe.neighbours(MANY, self.chance, self.spread, &self.locked)))
            }
            (Shelf::Parameter, Some(recipe)) => {
                let Some((path, first, last)) = &self.parameter else {
                    return Err("Choose a parameter of one of the steps".to_owned());
                };
                let values = values_of(recipe, path, (*first, *last));
                recipe.varied(path, &values).map(of).map_err(|error| error.to_string())
            }
        }
    }
}

/// Values of a parameter between two ends. A parameter that only takes whole or odd numbers gets such values.
fn values_of(recipe: &Recipe, path: &str, (first, last): (f64, f64)) -> Values {
    let mut whole = Vec::new();
    for (index, step) in recipe.steps.iter().enumerate() {
        params::each(&*step.operation, &mut |of_step, param, value| {
            if matches!(value, Reading::Int(_)) && path == format!("steps.{index}.{of_step}") {
                let at = |number: usize| first + (last - first) * number as f64 / (MANY - 1) as f64;
                let fitting = |number: usize| {
                    let number = at(number).round().max(0.0) as u32;
                    param.fitting(number, number)
                };
                whole = (0..MANY).map(fitting).collect();
            }
        });
    }
    whole.dedup();
    match whole.len() {
        // For a single value, the function that reads the ends reports what is wrong.
        0 | 1 => Values::Between { first, last, count: MANY },
        _ => Values::Each(whole.iter().map(u32::to_string).collect()),
    }
}

/// The numbers in a recipe's steps: their paths for `set`, their names, and a range around the present
/// values.
pub(crate) fn numbers_of(recipe: &Recipe) -> Vec<(String, String, (f64, f64))> {
    let mut all = Vec::new();
    for (index, step) in recipe.steps.iter().enumerate() {
        params::each(&*step.operation, &mut |path, param, value| {
            let (now, is_whole) = match value {
                Reading::Float(number) => (f64::from(number), false),
                Reading::Int(number) => (f64::from(number), true),
                _ => return,
            };
            let (low, high) = (*param.range.start(), *param.range.end());
            if !now.is_finite() || low >= high {
                return;
            }
            let reach = match now.abs() {
                0.0 => (high - low).min(1e6) / 8.0,
                size => size * 0.75,
            };
            let ends = ((now - reach).max(low), (now + reach).min(high));
            // Choose ends that nine whole numbers fit between, if the range has that many.
            let ends = if is_whole {
                // Odd or even numbers are two apart.
                let apart = if param.parity.is_some() { 2.0 } else { 1.0 };
                let before = ((now - low) / apart).floor().min(4.0);
                let first = now - before * apart;
                let after = ((high - first) / apart).floor().min(8.0);
                // A range of odd numbers may begin at 0, which is not odd.
                let fitting = |end: f64| f64::from(param.fitting(end as u32, end as u32));
                (fitting(first), fitting(first + after * apart))
            } else {
                (short(ends.0), short(ends.1))
            };
            let name = format!("{}: {path}", numbered(index, step.title()));
            all.push((format!("steps.{index}.{path}"), name, ends));
        });
    }
    all
}

/// Rounds a number to three digits.
fn short(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let unit = libm::pow(10.0, libm::floor(libm::log10(number.abs())) - 2.0);
    (number / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(shelf: Shelf) -> ShelfRequest {
        let recipe = Some(Preset::find("downs").unwrap().recipe().unwrap());
        ShelfRequest { shelf, recipe, spread: 0.3, chance: 1, locked: Vec::new(), parameter: None }
    }

    #[test]
    fn every_shelf_has_cards_that_differ() {
        for (shelf, ..) in Shelf::ALL {
            let mut wanted = wanted(shelf);
            let (path, _, (first, last)) = numbers_of(wanted.recipe.as_ref().unwrap()).remove(0);
            wanted.parameter = Some((path, first, last));
            let cards = wanted.cards().unwrap();
            let least = if shelf == Shelf::Mistakes { Mistake::all().len() } else { MANY };
            assert!(cards.len() >= least, "{shelf:?}: {}", cards.len());
            let mut keys: Vec<u64> = cards.iter().map(|card| card.key).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), cards.len(), "{shelf:?}");
        }
    }

    #[test]
    fn the_numbers_of_all_presets_can_be_varied_in_their_first_range() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap();
            let numbers = numbers_of(&recipe);
            assert!(!numbers.is_empty() || preset.name == "jacksboro", "{}", preset.name);
            for (path, name, (first, last)) in numbers {
                assert!(first < last, "{name}: {first} to {last}");
                for end in [first, last] {
                    let mut changed = recipe.clone();
                    changed.set(&path, &end.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
        }
    }

    #[test]
    fn whole_and_odd_parameters_get_whole_and_odd_values() {
        let text = r#"(version: 1, name: "Smooth", seed: 3, size: (17, 17), cell: 20,
            steps: [fbm(height: 300), mean(size: 3), binomial(row: 254)])"#;
        let recipe = Recipe::from_ron(text, "smooth.ron").unwrap();
        let numbers = numbers_of(&recipe).into_iter();
        for (path, name, (first, last)) in numbers.filter(|(path, ..)| !path.starts_with("steps.0.")) {
            for ends in [(first, last), (first + 0.3, first + 5.6), (last, first)] {
                let variants = recipe.varied(&path, &values_of(&recipe, &path, ends));
                let variants = variants.unwrap_or_else(|error| panic!("{name}, {ends:?}: {error}"));
                assert!((2..=MANY).contains(&variants.len()), "{name}: {}", variants.len());
            }
        }
        let sizes = values_of(&recipe, "steps.1.size", (1.0, 17.0));
        assert_eq!(sizes, Values::Each([1, 3, 5, 7, 9, 11, 13, 15, 17].map(|n: u32| n.to_string()).to_vec()));
    }

    #[test]
    fn cards_are_only_made_again_for_another_request() {
        let mut shelves = Shelves::default();
        let mut second = |wanted: ShelfRequest| loop {
            if let Ok(cards) = shelves.cards(wanted.clone()) {
                return cards[1].recipe.clone();
            }
            std::thread::yield_now();
        };
        let first = second(wanted(Shelf::Neighbours));
        assert!(Arc::ptr_eq(&first, &second(wanted(Shelf::Neighbours))));
        assert_ne!(first, second(ShelfRequest { chance: 2, ..wanted(Shelf::Neighbours) }));
        assert!(shelves.cards(wanted(Shelf::Parameter)).is_err(), "no parameter is chosen yet");
    }
}
