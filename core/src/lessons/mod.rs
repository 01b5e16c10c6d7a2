//! Lessons on landscapes: text, formulas, sliders, plots and questions around a recipe; and the classic
//! mistakes.
//!
//! A lesson is a RON file that a teacher writes, and that may come from a stranger: [`Lesson::read`] checks
//! all of it, so that every lesson that was read can be shown. [`ShippedLesson`] lists the built-in ones,
//! [`Mistake`] the errors of naive versions of the algorithms.

mod lesson;
mod mistakes;
mod page;
mod read;
mod ron_file;
mod shipped;

pub use lesson::Lesson;
pub use mistakes::Mistake;
pub use page::{LessonFormula, LessonPage, LessonQuestion, LessonSlider, Setting};
pub use ron_file::RonFile;
pub use shipped::ShippedLesson;
