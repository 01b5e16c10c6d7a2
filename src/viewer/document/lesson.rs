//! A lesson in progress: how far it has been read, which questions have been answered, and what the land
//! shows.

use std::path::PathBuf;

use bevy::prelude::*;

use super::Document;
use crate::error::{Error, Result};
use crate::lessons::{Lesson, LessonPage};

/// The message when the user changes a lesson's land by other means than its sliders.
pub(crate) const HELD_BY_LESSON: &str =
    "Only the lesson's sliders change this land; “End lesson” lets you edit it";

/// The lesson in progress, if there is one.
#[derive(Resource, Default)]
pub(crate) struct CurrentLesson(pub Option<GivenLesson>);

/// A lesson, and the reader's progress in it. Its pages are shown up to the first open question.
#[derive(Clone, Debug)]
pub(crate) struct GivenLesson {
    /// The lesson.
    pub lesson: Lesson,
    /// The file that it was read from; `None` for a built-in lesson.
    pub path: Option<PathBuf>,
    /// The index of the page with the question that the land illustrates, if it does.
    pub shown: Option<usize>,
    /// Whether it has just begun: the panel then scrolls to its top.
    pub is_at_top: bool,
    /// The reply to each page; only those of questions are used.
    replies: Vec<Reply>,
}

/// The reader's reply to a question.
#[derive(Clone, Copy, Debug, Default)]
struct Reply {
    /// The selected answer.
    marked: Option<usize>,
    state: ReplyState,
}

/// The state of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReplyState {
    /// It waits for an answer.
    #[default]
    Open,
    /// The selected answer was given.
    Answered,
    /// The reader asked for the answer instead of giving one.
    Revealed,
}

impl Document {
    /// Why only its lesson changes the land, if there is one.
    pub fn held_by_lesson(&self) -> Option<&'static str> {
        self.is_in_lesson().then_some(HELD_BY_LESSON)
    }
}

impl GivenLesson {
    /// A lesson at its beginning, and the file that it was read from, if any.
    pub fn new(lesson: Lesson, path: Option<PathBuf>) -> Self {
        let replies = vec![Reply::default(); lesson.pages.len()];
        Self { lesson, path, shown: None, is_at_top: true, replies }
    }

    /// The number of pages that can be seen and used: up to and including the first open question, or all.
    pub fn reached(&self) -> usize {
        let mut pages = self.lesson.pages.iter().zip(&self.replies);
        let open = pages.position(|(page, reply)| {
            matches!(page, LessonPage::Question(_)) && reply.state == ReplyState::Open
        });
        open.map_or(self.lesson.pages.len(), |page| page + 1)
    }

    /// The selected answer to the question on a page.
    pub fn marked(&mut self, page: usize) -> &mut Option<usize> {
        &mut self.replies[page].marked
    }

    /// Whether the question on a page has been answered, by the reader or for them.
    pub fn is_answered(&self, page: usize) -> bool {
        self.replies[page].state != ReplyState::Open
    }

    /// Moves the slider on a page.
    ///
    /// # Errors
    /// When a question before it is open, the slider is locked, or the value lies outside its range.
    pub fn set(&mut self, page: usize, value: f64, document: &mut Document) -> Result<()> {
        let Some(LessonPage::Slider(slider)) = self.lesson.pages.get(page) else { return Ok(()) };
        if page >= self.reached() {
            return Err(Error::parameter(&slider.path, "is locked until the question before it is answered"));
        }
        self.lesson.set(&mut document.recipe, &slider.path, value)?;
        self.shown = None;
        Ok(())
    }

    /// Gives the selected answer, and illustrates the right one on the land. Does nothing if no answer is
    /// selected or an earlier question is open.
    ///
    /// # Errors
    /// When the question's land cannot be shown; lessons that were read successfully have no such question.
    pub fn answer(&mut self, page: usize, document: &mut Document) -> Result<()> {
        match self.replies[page].marked {
            Some(_) => self.settle(page, ReplyState::Answered, document),
            None => Ok(()),
        }
    }

    /// Reveals the answer to a reader who does not know it. The land shows it as after
    /// [`answer`](Self::answer), and the question counts as answered, but not as right.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn reveal(&mut self, page: usize, document: &mut Document) -> Result<()> {
        self.settle(page, ReplyState::Revealed, document)
    }

    fn settle(&mut self, page: usize, state: ReplyState, document: &mut Document) -> Result<()> {
        if page >= self.reached() || self.is_answered(page) {
            return Ok(());
        }
        let reply = &mut self.replies[page];
        reply.state = state;
        // A selected answer only counts once it is given.
        reply.marked = reply.marked.filter(|_| state == ReplyState::Answered);
        self.show(page, document)
    }

    /// Illustrates the right answer to the question on a page.
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

    /// Whether the land illustrates the right answer to the question on a page. It no longer does once that
    /// change is undone.
    pub fn is_shown(&self, page: usize, document: &Document) -> bool {
        let Some(LessonPage::Question(question)) = self.lesson.pages.get(page) else { return false };
        self.shown == Some(page) && self.lesson.shown(question).is_ok_and(|land| land == document.recipe)
    }

    /// Shows the land of the lesson as it was at the beginning.
    pub fn show_first(&mut self, document: &mut Document) {
        document.recipe = self.lesson.recipe.clone();
        self.shown = None;
    }

    /// Restarts the lesson: the land is as at the beginning, and all questions are open.
    pub fn begin_again(&mut self, document: &mut Document) {
        self.replies.fill(Reply::default());
        self.is_at_top = true;
        self.show_first(document);
    }

    /// The numbers of questions answered right, of questions answered, and of all questions.
    pub fn score(&self) -> [usize; 3] {
        let mut score = [0; 3];
        for (page, reply) in self.lesson.pages.iter().zip(&self.replies) {
            let LessonPage::Question(question) = page else { continue };
            let is_right = reply.state == ReplyState::Answered && reply.marked == Some(question.right);
            score[0] += usize::from(is_right);
            score[1] += usize::from(reply.state != ReplyState::Open);
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
    fn questions_are_illustrated_once_answered_and_right_answers_count() {
        for shipped in ShippedLesson::all() {
            let lesson = shipped.lesson().unwrap();
            let mut document = Document::new(lesson.recipe.clone(), None);
            let mut given = GivenLesson::new(lesson.clone(), None);
            let questions = questions(&lesson);
            given.answer(questions[0].0, &mut document).unwrap();
            assert_eq!(given.score(), [0, 0, questions.len()], "no answer is selected");
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
            given.reveal(last, &mut document).unwrap();
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
                given.reveal(page, &mut document).unwrap();
            }
            assert_eq!(given.reached(), lesson.pages.len());
            assert_eq!(
                given.score(),
                [0, questions.len(), questions.len()],
                "revealed answers are not right answers"
            );
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
