//! A whole lesson: its contents, and the operations on it.

use super::page::{LessonPage, LessonQuestion, LessonSlider};
use crate::analysis::plots::PlotKind;
use crate::error::{Error, Result};
use crate::recipe::Recipe;

/// Text, formulas, sliders, plots and questions around a recipe.
///
/// ```
/// # use upland_core as upland;
/// use upland::{Lesson, LessonPage, Work};
///
/// let lesson = Lesson::from_ron(
///     r#"(
///         version: 1,
///         title: "Rough and smooth",
///         family: "Fractional Brownian motion",
///         recipe: inline(version: 1, name: "Hills", size: (65, 65), cell: 10, steps: [fbm()]),
///         pages: [
///             text("H says how rough a land is."),
///             slider(path: "steps.0.hurst", label: "Hurst exponent H", low: 0.1, high: 1.0),
///             question(
///                 ask: "Which is smoother?", answers: ["H = 0.2", "H = 0.9"], right: 1,
///                 show: {"steps.0.hurst": 0.9}, reveal: "The larger H is, the less fine detail there is.",
///             ),
///         ],
///     )"#,
///     "rough.ron",
/// )?;
/// let mut recipe = lesson.recipe.clone();
/// lesson.set(&mut recipe, "steps.0.hurst", 0.3)?;
/// assert!(lesson.set(&mut recipe, "steps.0.height", 9.0).is_err());
/// let question = lesson.questions().next().unwrap();
/// assert_eq!(lesson.shown(question)?.hurst_in_theory(), Some(f64::from(0.9f32)));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Its title, for people.
    pub title: String,
    /// The family of algorithms that it is about.
    pub family: String,
    /// What it teaches, in one sentence; may be empty.
    pub about: String,
    /// The land that it is about, in its initial state.
    pub recipe: Recipe,
    /// Its pages in order, at least one.
    pub pages: Vec<LessonPage>,
    /// Where it comes from: books and articles.
    pub sources: Vec<String>,
}

impl Lesson {
    /// The numbers that the learner may change, in the order of the pages.
    pub fn sliders(&self) -> impl Iterator<Item = &LessonSlider> {
        self.numbers().filter(|slider| !slider.locked)
    }

    /// The numbers that are shown and held fixed, in the order of the pages.
    pub fn locked_sliders(&self) -> impl Iterator<Item = &LessonSlider> {
        self.numbers().filter(|slider| slider.locked)
    }

    /// The numbers that are shown, free or not.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &LessonSlider> {
        self.pages.iter().filter_map(|page| match page {
            LessonPage::Slider(slider) => Some(slider),
            _ => None,
        })
    }

    /// The questions, in the order of the pages.
    pub fn questions(&self) -> impl Iterator<Item = &LessonQuestion> {
        self.pages.iter().filter_map(|page| match page {
            LessonPage::Question(question) => Some(question),
            _ => None,
        })
    }

    /// The plots to look at, in the order of the pages.
    pub fn plots(&self) -> impl Iterator<Item = PlotKind> {
        self.pages.iter().filter_map(|page| match page {
            LessonPage::Plot(kind) => Some(*kind),
            _ => None,
        })
    }

    /// Whether the parameter at `path` may be changed: only parameters of sliders that aren't locked may.
    pub fn is_free(&self, path: &str) -> bool {
        self.sliders().any(|slider| slider.path == path)
    }

    /// Moves a slider: sets the free number at `path` in `recipe`, which must be the lesson's or derived from
    /// it.
    ///
    /// # Errors
    /// [`Error::Parameter`] when no slider has this path or the slider is locked, or when the value lies
    /// outside the slider's range.
    pub fn set(&self, recipe: &mut Recipe, path: &str, value: f64) -> Result<()> {
        let Some(slider) = self.sliders().find(|slider| slider.path == path) else {
            let free: Vec<&str> = self.sliders().map(|slider| &*slider.path).collect();
            let reason = if free.is_empty() {
                "is locked in this lesson, as everything is".to_owned()
            } else {
                format!("is locked in this lesson; free are {}", free.join(", "))
            };
            return Err(Error::parameter(path, reason));
        };
        if !slider.range.contains(&value) {
            let (low, high) = (slider.range.start(), slider.range.end());
            return Err(Error::parameter(path, format!("{value} is outside {low} to {high} in this lesson")));
        }
        recipe.set(path, &slider.text(value))
    }

    /// The lesson's recipe with the settings that show the answer to one of its questions.
    ///
    /// # Errors
    /// None for a question of this lesson: its settings were checked when it was read.
    pub fn shown(&self, question: &LessonQuestion) -> Result<Recipe> {
        question.shown(&self.recipe)
    }

    /// The number of words in its texts, without formulas.
    pub fn words(&self) -> usize {
        let count = |text: &str| text.split_whitespace().count();
        let of_page = |page: &LessonPage| match page {
            LessonPage::Text(text) => count(text),
            LessonPage::Formula(formula) => count(&formula.meaning),
            LessonPage::Slider(slider) => count(&slider.label),
            LessonPage::Plot(_) => 0,
            LessonPage::Question(question) => {
                let answers = question.answers.iter().map(|answer| count(answer)).sum::<usize>();
                count(&question.ask) + answers + count(&question.reveal)
            }
        };
        self.pages.iter().map(of_page).sum()
    }
}
