//! The pages of a lesson, and their rules.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::analysis::plots::PlotKind;
use crate::error::{Error, Result};
use crate::recipe::{Number, Recipe};

/// The most characters of a label, an answer or a title.
pub(super) const SHORT: usize = 160;
/// The most characters of a text or a reveal.
pub(super) const LONG: usize = 6000;
/// The numbers of answers that a question may have.
const ANSWERS: RangeInclusive<usize> = 2..=8;

/// A page of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonPage {
    /// Text in plain words. Paragraphs are separated by an empty line; within one there are no line ends.
    Text(String),
    /// A formula.
    Formula(LessonFormula),
    /// A number of the recipe that may be changed from here on, or that is shown and held fixed.
    Slider(LessonSlider),
    /// A plot of the land to look at.
    Plot(PlotKind),
    /// A question to answer before the land shows the answer.
    Question(LessonQuestion),
}

/// A formula, and the meaning of its letters.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonFormula {
    /// The formula in Unicode; a line end where it has several lines.
    pub formula: String,
    /// What every letter means; paragraphs as in [`LessonPage::Text`].
    pub meaning: String,
}

/// A number of the recipe that is shown, and is free within a lesson unless it is `locked`. Parameters
/// without a slider are locked, and not shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonSlider {
    /// Its path in the recipe, as for [`Recipe::set`]: `steps.0.hurst`. A lesson file may use a parameter's
    /// former name; this is the present one.
    pub path: String,
    /// Its name in the lesson.
    pub label: String,
    /// The range of the slider, in the number's unit, within the range that the recipe accepts. For a locked
    /// slider, the range in which its value is shown.
    pub range: RangeInclusive<f64>,
    /// Whether the lesson holds the number fixed: its value is shown, and cannot be changed.
    pub locked: bool,
    /// The number in the lesson's recipe, with its unit; its value lies within `range`.
    pub number: Number,
}

/// A question to answer before the land shows the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonQuestion {
    /// The question.
    pub ask: String,
    /// The answers to choose from, 2 to 8, all different.
    pub answers: Vec<String>,
    /// The index of the right answer, from 0.
    pub right: usize,
    /// Settings of the lesson's recipe that show the answer; [`Lesson::shown`](super::Lesson::shown) applies
    /// them. They may change locked parameters, too. Empty where there is nothing to show.
    pub show: Vec<Setting>,
    /// The explanation after an answer; paragraphs as in [`LessonPage::Text`].
    pub reveal: String,
}

/// A parameter of a recipe, and a value for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its path, as for [`Recipe::set`].
    pub path: String,
    /// The value as `--set` takes it.
    pub value: String,
}

impl LessonSlider {
    /// A value of the slider in the form of [`Recipe::set`]: without decimals if the number is whole.
    pub fn text(&self, value: f64) -> String {
        written(value, self.number.is_whole)
    }

    /// A slider for the number at `path`, between the ends `low` and `high`. A locked slider without ends has
    /// those that the recipe accepts.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such number in the recipe, or the range is missing or does not
    /// fit it.
    pub(super) fn new(
        recipe: &Recipe,
        path: String,
        label: String,
        [low, high]: [Option<f64>; 2],
        locked: bool,
    ) -> Result<Self> {
        let number = recipe.number(&path)?;
        // The path as it is now called: a lesson may use a former name.
        let path = number.path.clone();
        let wrong = |reason: String| Err(Error::parameter(format!("slider of {path}"), reason));
        let unit = if number.unit.is_empty() { String::new() } else { format!(" {}", number.unit) };
        let (least, most) = (*number.range.start(), *number.range.end());
        let missing = |name, end: Option<f64>| if end.is_none() && !locked { Some(name) } else { None };
        if let Some(name) = missing("low", low).or(missing("high", high)) {
            return wrong(format!(
                "`{name}` is missing; give `low` and `high`, between which it may be moved, or `locked: true`"
            ));
        }
        let (low, high) = (low.unwrap_or(least), high.unwrap_or(most));
        // `partial_cmp` is `None` where an end is NaN.
        if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
            return wrong(format!("low is {low} and high {high}; give a low below the high"));
        }
        if low < least || high > most {
            return wrong(format!(
                "{low} to {high}{unit} is not all accepted; give a range within {least} to {most}{unit}"
            ));
        }
        if number.is_whole && (low.fract() != 0.0 || high.fract() != 0.0) {
            return wrong(format!("{low} to {high} is for a whole number; give whole ends"));
        }
        if !(low..=high).contains(&number.value) {
            return wrong(format!(
                "the recipe has {}{unit} there, outside {low} to {high}; widen the range or change the recipe",
                number.value
            ));
        }
        // A locked slider is never moved to its ends.
        for end in [low, high].into_iter().filter(|_| !locked) {
            // Setting both ends shows whether the recipe accepts them.
            recipe.clone().set(&path, &written(end, number.is_whole))?;
        }
        Ok(Self { path, label, range: low..=high, locked, number })
    }
}

fn written(value: f64, is_whole: bool) -> String {
    if is_whole { format!("{value:.0}") } else { format!("{value}") }
}

impl LessonQuestion {
    /// Checks the answers, and applies the settings to the lesson's recipe.
    pub(super) fn check(&self, recipe: &Recipe) -> Result<()> {
        let wrong = |reason: String| Err(Error::parameter("question", reason));
        let count = self.answers.len();
        if !ANSWERS.contains(&count) {
            let (least, most) = (ANSWERS.start(), ANSWERS.end());
            return wrong(format!("its answers are {count} in number; give {least} to {most}"));
        }
        if let Some(answer) = self
            .answers
            .iter()
            .enumerate()
            .find_map(|(index, answer)| self.answers[..index].contains(answer).then_some(answer))
        {
            return wrong(format!("the answer \"{answer}\" is there twice; give answers that differ"));
        }
        if self.right >= count {
            let last = count - 1;
            return wrong(format!(
                "right: {} is not one of its {count} answers, which are counted from 0; give 0 to {last}",
                self.right
            ));
        }
        // Applied once here, so that a wrong setting is noticed when the lesson is read, not when it is
        // taught.
        self.shown(recipe).map(drop)
    }

    /// The recipe with the settings that show the answer.
    pub(super) fn shown(&self, recipe: &Recipe) -> Result<Recipe> {
        let mut paths = BTreeSet::new();
        let mut shown = recipe.clone();
        for Setting { path, value } in &self.show {
            if !paths.insert(path) {
                return Err(Error::parameter(path, "is set twice by one question; keep one of the two"));
            }
            shown.set(path, value)?;
        }
        shown.check()?;
        Ok(shown)
    }
}
