//! Lessons on landscapes: text, formulas, sliders, plots and questions around a recipe; and the classic mistakes.
//!
//! A lesson is a RON file that a teacher writes and a stranger may have written: [`Lesson::read`] checks all of it, so
//! that a lesson that is there can be shown. [`ShippedLesson`] lists those that are built in, [`Mistake`] what naive
//! versions of the algorithms get wrong.

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
