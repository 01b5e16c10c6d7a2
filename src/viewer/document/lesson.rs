//! A lesson that is given in the window: how far it has been read, which questions have been answered, and what the land
//! shows of it.

use std::path::PathBuf;

use bevy::prelude::*;

use super::Document;
use crate::error::{Error, Result};
use crate::lessons::{Lesson, LessonPage};

/// What is said to whoever changes a lesson's land in another way than by its sliders.
pub(crate) const HELD_BY_LESSON: &str =
    "Only its sliders change the land of a lesson; “End lesson” makes it yours to edit";

/// The lesson that is given, if one is.
#[derive(Resource, Default)]
pub(crate) struct Teaching(pub Option<GivenLesson>);

/// A lesson, and what has been done in it. Its pages are read up to the first question that is open.
#[derive(Clone, Debug)]
pub(crate) struct GivenLesson {
    /// The lesson.
    pub lesson: Lesson,
    /// The file that it was read from; none for one that is built in.
    pub path: Option<PathBuf>,
    /// The index of the page whose question's land is shown, if one is.
    pub shown: Option<usize>,
    /// Whether it has just begun: it is then seen from its top.
    pub is_at_top: bool,
    /// What has been said to each page; of use for questions.
    replies: Vec<Reply>,
}

/// What has been said to a question.
#[derive(Clone, Copy, Debug, Default)]
struct Reply {
    /// The answer that is marked.
    marked: Option<usize>,
    state: State,
}

/// What has become of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// It waits for an answer.
    #[default]
    Open,
    /// The marked answer was given.
    Answered,
    /// The answer was shown to somebody who did not know.
    Told,
}

impl Document {
    /// Why only its lesson changes the land, if there is one.
    pub fn held_by_lesson(&self) -> Option<&'static str> {
        self.is_in_lesson().then_some(HELD_BY_LESSON)
    }
}

impl GivenLesson {
    /// A lesson at its beginning, which was read from this file, if from one.
    pub fn new(lesson: Lesson, path: Option<PathBuf>) -> Self {
        let replies = vec![Reply::default(); lesson.pages.len()];
        Self { lesson, path, shown: None, is_at_top: true, replies }
    }

    /// How many pages may be seen and used: those up to the first open question, it included, or all.
    pub fn reached(&self) -> usize {
        let mut pages = self.lesson.pages.iter().zip(&self.replies);
        let open = pages
            .position(|(page, reply)| matches!(page, LessonPage::Question(_)) && reply.state == State::Open);
        open.map_or(self.lesson.pages.len(), |page| page + 1)
    }

    /// The answer that is marked to the question on a page.
    pub fn marked(&mut self, page: usize) -> &mut Option<usize> {
        &mut self.replies[page].marked
    }

    /// Whether the question on a page has been answered, by the reader or for them.
    pub fn is_answered(&self, page: usize) -> bool {
        self.replies[page].state != State::Open
    }

    /// Moves the slider on a page.
    ///
    /// # Errors
    /// When a question before it is open, it is locked, or the value lies outside its range.
    pub fn set(&mut self, page: usize, value: f64, document: &mut Document) -> Result<()> {
        let Some(LessonPage::Slider(slider)) = self.lesson.pages.get(page) else { return Ok(()) };
        if page >= self.reached() {
            return Err(Error::parameter(&slider.path, "is locked until the question before it is answered"));
        }
        self.lesson.set(&mut document.recipe, &slider.path, value)?;
        self.shown = None;
        Ok(())
    }

    /// Gives the marked answer, and shows on the land what is right. Without a mark, or before all questions above have
    /// been answered, nothing happens.
    ///
    /// # Errors
    /// When the question's land cannot be shown; no lesson that was read has such a question.
    pub fn answer(&mut self, page: usize, document: &mut Document) -> Result<()> {
        match self.replies[page].marked {
            Some(_) => self.settle(page, State::Answered, document),
            None => Ok(()),
        }
    }

    /// Tells the answer to whoever does not know: it is shown as after [`answer`](Self::answer), and counts as answered,
    /// but not as right.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn tell(&mut self, page: usize, document: &mut Document) -> Result<()> {
        self.settle(page, State::Told, document)
    }

    fn settle(&mut self, page: usize, state: State, document: &mut Document) -> Result<()> {
        if page >= self.reached() || self.is_answered(page) {
            return Ok(());
        }
        let reply = &mut self.replies[page];
        reply.state = state;
        // What was only marked is no answer.
        reply.marked = reply.marked.filter(|_| state == State::Answered);
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

    /// Whether the land shows what is right of the question on a page. It doesn't any more once that has been undone.
    pub fn is_shown(&self, page: usize, document: &Document) -> bool {
        let Some(LessonPage::Question(question)) = self.lesson.pages.get(page) else { return false };
        self.shown == Some(page) && self.lesson.shown(question).is_ok_and(|land| land == document.recipe)
    }

    /// Shows the land of the lesson as it was at the beginning.
    pub fn show_first(&mut self, document: &mut Document) {
        document.recipe = self.lesson.recipe.clone();
        self.shown = None;
    }

    /// Begins the lesson again: the land is as at the beginning, and all questions are open.
    pub fn begin_again(&mut self, document: &mut Document) {
        self.replies.fill(Reply::default());
        self.is_at_top = true;
        self.show_first(document);
    }

    /// Questions that were answered right, that were answered, and that there are.
    pub fn score(&self) -> [usize; 3] {
        let mut score = [0; 3];
        for (page, reply) in self.lesson.pages.iter().zip(&self.replies) {
            let LessonPage::Question(question) = page else { continue };
            let is_right = reply.state == State::Answered && reply.marked == Some(question.right);
            score[0] += usize::from(is_right);
            score[1] += usize::from(reply.state != State::Open);
            score[2] += 1;
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::ShippedLesson;

    fn questions(lesson: &Lesson) -> Vec<(usize, usize)> {
        let pages = lesson.pages.iter().enumerate();
        pages
            .filter_map(|(page, of)| match of {
                LessonPage::Question(question) => Some((page, question.right)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn questions_are_shown_once_they_are_answered_and_right_answers_count() {
        for shipped in ShippedLesson::all() {
            let lesson = shipped.lesson().unwrap();
            let mut document = Document::new(lesson.recipe.clone(), None);
            let mut given = GivenLesson::new(lesson.clone(), None);
            let questions = questions(&lesson);
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

    #[test]
    fn no_page_is_reached_before_the_questions_above_it_are_answered() {
        for shipped in ShippedLesson::all() {
            let lesson = shipped.lesson().unwrap();
            let mut document = Document::new(lesson.recipe.clone(), None);
            let mut given = GivenLesson::new(lesson.clone(), None);
            let questions = questions(&lesson);
            let last = questions.last().unwrap().0;
            *given.marked(last) = Some(0);
            given.answer(last, &mut document).unwrap();
            given.tell(last, &mut document).unwrap();
            assert!(!given.is_answered(last) && document.recipe == lesson.recipe, "out of turn");
            for &(page, _) in &questions {
                assert_eq!(given.reached(), page + 1, "{}", shipped.name);
                for (later, of) in lesson.pages.iter().enumerate().skip(page + 1) {
                    let LessonPage::Slider(slider) = of else { continue };
                    let before = document.recipe.clone();
                    let said =
                        given.set(later, *slider.range.start(), &mut document).unwrap_err().to_string();
                    assert!(said.contains("until the question") && document.recipe == before, "{said}");
                }
                given.tell(page, &mut document).unwrap();
            }
            assert_eq!(given.reached(), lesson.pages.len());
            assert_eq!(given.score(), [0, questions.len(), questions.len()], "who is told has not answered");
            for (page, of) in lesson.pages.iter().enumerate() {
                let LessonPage::Slider(slider) = of else { continue };
                let moved = given.set(page, *slider.range.start(), &mut document);
                assert_eq!(moved.is_ok(), !slider.locked, "{}: {}", shipped.name, slider.path);
            }
            given.begin_again(&mut document);
            assert_eq!((given.reached(), given.score()[1]), (questions[0].0 + 1, 0));
            assert_eq!(document.recipe, lesson.recipe);
        }
    }
}
