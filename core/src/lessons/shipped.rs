//! The lessons of `assets/` that are built into the program.

use super::Lesson;
use crate::error::Result;

/// A lesson that is built into the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShippedLesson {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its text, from `assets/lessons/`.
    pub text: &'static str,
}

/// One line for each lesson of `assets/lessons/`.
macro_rules! lessons {
    ($($name:literal,)+) => {
        &[$(ShippedLesson {
            name: $name,
            text: include_str!(concat!("../../assets/lessons/", $name, ".ron")),
        },)+]
    };
}

static LESSONS: &[ShippedLesson] = lessons![
    "brownian",
    "spectral",
    "midpoint",
    "diamond-square",
    "faults",
    "deposition",
    "multifractals",
    "filters",
    "resizing",
    "erosion",
    "sediment",
    "strata",
    "drainage",
    "talus",
    "dunes",
];

impl ShippedLesson {
    /// All built-in lessons, in the recommended order of reading.
    pub fn all() -> &'static [Self] {
        LESSONS
    }

    /// The lesson called `name`.
    pub fn find(name: &str) -> Option<&'static Self> {
        LESSONS.iter().find(|lesson| lesson.name == name)
    }

    /// Parses the lesson.
    ///
    /// # Errors
    /// None as long as the tests pass, which parse every lesson.
    pub fn lesson(&self) -> Result<Lesson> {
        Lesson::from_ron(self.text, &format!("lesson {}", self.name))
    }
}
