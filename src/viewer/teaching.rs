//! A lesson that is given in the window: which pages have been answered, and what the land shows of it.

use bevy::prelude::*;

use super::document::Document;
use crate::error::Result;
use crate::lessons::{Lesson, LessonPage};

/// The lesson that is given, if one is.
#[derive(Resource, Default)]
pub(super) struct Teaching(pub Option<GivenLesson>);

/// A lesson, and what has been done in it.
#[derive(Clone, Debug)]
pub(super) struct GivenLesson {
    /// The lesson.
    pub lesson: Lesson,
    /// The index of the page whose question's land is shown, if one is.
    pub shown: Option<usize>,
    /// For each page the answer that is marked, and whether it was given.
    answers: Vec<(Option<usize>, bool)>,
}

impl GivenLesson {
    /// A lesson at its beginning.
    pub fn new(lesson: Lesson) -> Self {
        let answers = vec![(None, false); lesson.pages.len()];
        Self { lesson, shown: None, answers }
    }

    /// The answer that is marked to the question on a page.
    pub fn marked(&mut self, page: usize) -> &mut Option<usize> {
        &mut self.answers[page].0
    }

    /// Whether the question on a page has been answered.
    pub fn is_answered(&self, page: usize) -> bool {
        self.answers[page].1
    }

    /// Gives the marked answer, and shows on the land what is right. Without a mark nothing happens.
    ///
    /// # Errors
    /// When the question's land cannot be shown; no lesson that was read has such a question.
    pub fn answer(&mut self, page: usize, document: &mut Document) -> Result<()> {
        if self.answers[page].0.is_none() {
            return Ok(());
        }
        self.answers[page].1 = true;
        self.show(page, document)
    }

    /// Shows on the land what is right of the question on a page.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn show(&mut self, page: usize, document: &mut Document) -> Result<()> {
        if let Some(LessonPage::Question(question)) = self.lesson.pages.get(page)
            && !question.show.is_empty()
        {
            document.recipe = self.lesson.shown(question)?;
            self.shown = Some(page);
        }
        Ok(())
    }

    /// Shows the land of the lesson as it was at the beginning.
    pub fn show_first(&mut self, document: &mut Document) {
        document.recipe = self.lesson.recipe.clone();
        self.shown = None;
    }

    /// Questions that were answered right, that were answered, and that there are.
    pub fn score(&self) -> [usize; 3] {
        let mut score = [0; 3];
        for (page, &(marked, is_given)) in self.lesson.pages.iter().zip(&self.answers) {
            let LessonPage::Question(question) = page else { continue };
            score[0] += usize::from(is_given && marked == Some(question.right));
            score[1] += usize::from(is_given);
            score[2] += 1;
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::ShippedLesson;

    #[test]
    fn questions_are_shown_once_they_are_answered_and_right_answers_count() {
        for shipped in ShippedLesson::all() {
            let lesson = shipped.lesson().unwrap();
            let mut document = Document::new(lesson.recipe.clone(), None);
            let mut given = GivenLesson::new(lesson.clone());
            let questions: Vec<(usize, usize)> = (lesson.pages.iter().enumerate())
                .filter_map(|(page, of)| match of {
                    LessonPage::Question(question) => Some((page, question.right)),
                    _ => None,
                })
                .collect();
            given.answer(questions[0].0, &mut document).unwrap();
            assert_eq!(given.score(), [0, 0, questions.len()], "no answer is marked");
            for (number, &(page, right)) in questions.iter().enumerate() {
                *given.marked(page) = Some(if number == 0 { right + 1 } else { right });
                assert!(!given.is_answered(page));
                given.answer(page, &mut document).unwrap();
                assert!(given.is_answered(page));
            }
            assert_eq!(given.score(), [questions.len() - 1, questions.len(), questions.len()]);
            given.show_first(&mut document);
            assert_eq!((given.shown, &document.recipe), (None, &lesson.recipe), "{}", shipped.name);
        }
    }
}
