//! `upland lesson`: lists the lessons, opens the land of one in the window, or prints one.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::cli::arguments::LessonArguments;
use crate::cli::report::{Failure, Outcome, print};
#[cfg(feature = "viewer")]
use crate::cli::report::{ended, note};
use crate::error::Error;
use crate::lessons::{Lesson, LessonPage, LessonQuestion, ShippedLesson};

/// The width of a printed lesson, columns.
const COLUMNS: usize = 80;
/// Indentation of the parts of a page, columns.
const INDENT: usize = 4;

pub(in crate::cli) fn run(arguments: &LessonArguments) -> Outcome {
    let Some(name) = &arguments.name else {
        return Ok(print(&list()?)?);
    };
    let (lesson, path) = find(name)?;
    if arguments.print || arguments.answers {
        return Ok(print(&printed(name, &lesson, arguments.answers))?);
    }
    open(name, lesson, path, None)
}

/// A line for each built-in lesson: name, family, title.
fn list() -> crate::Result<String> {
    let mut lessons = Vec::new();
    for shipped in ShippedLesson::all() {
        lessons.push((shipped.name, shipped.lesson()?));
    }
    let longest = lessons.iter().map(|(_, lesson)| lesson.family.chars().count()).max().unwrap_or(0);
    let line =
        |(name, lesson): &(&str, Lesson)| format!("{name:16} {:longest$}  {}\n", lesson.family, lesson.title);
    Ok(lessons.iter().map(line).collect())
}

/// The lesson that `name` stands for: a file, whose path is returned with it, or a built-in one.
fn find(name: &str) -> Result<(Lesson, Option<PathBuf>), Failure> {
    let path = Path::new(name);
    if !path.exists() {
        if let Some(shipped) = ShippedLesson::find(name) {
            return Ok((shipped.lesson()?, None));
        }
        if path.extension().is_none() {
            let names: Vec<&str> = ShippedLesson::all().iter().map(|lesson| lesson.name).collect();
            let reason = format!("no such file, and no such lesson; there are {}", names.join(", "));
            return Err(Error::file(path, reason).into());
        }
    }
    Ok((Lesson::read(path)?, Some(path.to_owned())))
}

/// Opens a lesson in the window, at a quality if one is given; without a display it is printed.
#[cfg(feature = "viewer")]
pub(super) fn open(
    name: &str,
    lesson: Lesson,
    path: Option<PathBuf>,
    quality: Option<crate::plugin::Quality>,
) -> Outcome {
    use crate::viewer;
    match viewer::Display::open() {
        Ok(display) => ended(viewer::teach(display, lesson, path, quality)?),
        Err(reason) => {
            note(&format!("{reason}; printing the lesson instead"));
            Ok(print(&printed(name, &lesson, false))?)
        }
    }
}

/// Without a window a lesson is printed.
#[cfg(not(feature = "viewer"))]
fn open(name: &str, lesson: Lesson, _: Option<PathBuf>, _: Option<()>) -> Outcome {
    Ok(print(&printed(name, &lesson, false))?)
}

/// A lesson as text for a terminal.
fn printed(name: &str, lesson: &Lesson, answers: bool) -> String {
    let mut text = format!("{}\n{}\n", lesson.title, "=".repeat(lesson.title.chars().count()));
    let _ = writeln!(text, "{}", lesson.family);
    if !lesson.about.is_empty() {
        text += &wrapped(&lesson.about, 0);
    }
    let mut question_number = 0;
    for page in &lesson.pages {
        text.push('\n');
        match page {
            LessonPage::Text(paragraphs) => text += &wrapped(paragraphs, 0),
            LessonPage::Formula(formula) => {
                for line in formula.formula.lines() {
                    let _ = writeln!(text, "{:INDENT$}{line}", "");
                }
                text.push('\n');
                text += &wrapped(&formula.meaning, 0);
            }
            LessonPage::Slider(slider) => {
                let (low, high) = (slider.range.start(), slider.range.end());
                let unit = match slider.number.unit {
                    "" => String::new(),
                    unit => format!(" {unit}"),
                };
                let (label, path, now) = (&slider.label, &slider.path, slider.number.value);
                let line = if slider.locked {
                    format!("Held fixed: {label}, {now}{unit}")
                } else {
                    format!("Slider: {label}, {low} to {high}{unit}, now {now}{unit} (--set {path}=…)")
                };
                text += &wrapped(&line, 0);
            }
            LessonPage::Plot(kind) => {
                let command = format!("upland plot {name} --what {kind} -o {kind}.svg");
                text += &wrapped(&format!("Plot: {kind} ({command})"), 0);
            }
            LessonPage::Question(question) => {
                question_number += 1;
                text += &asked(question, question_number, answers);
            }
        }
    }
    if !lesson.sources.is_empty() {
        text += "\nSources\n";
        text.extend(lesson.sources.iter().map(|source| wrapped(source, INDENT)));
    }
    if question_number > 0 && !answers {
        let _ = writeln!(text, "\nAnswers: upland lesson {name} --answers");
    }
    text
}

/// A question with its answers to choose from, and the right one if `answers` is set.
fn asked(question: &LessonQuestion, number: usize, answers: bool) -> String {
    let mut text = wrapped(&format!("Question {number}: {}", question.ask), 0);
    let letter = |index: usize| char::from(b'a' + (index % 26) as u8);
    for (index, answer) in question.answers.iter().enumerate() {
        text += &wrapped(&format!("{}) {answer}", letter(index)), INDENT);
    }
    if answers {
        text.push('\n');
        text += &wrapped(&format!("Answer: {}) {}", letter(question.right), question.reveal), INDENT);
        let shows: Vec<String> =
            question.show.iter().map(|set| format!("--set {}={}", set.path, set.value)).collect();
        if !shows.is_empty() {
            text += &wrapped(&format!("To see it: {}", shows.join(" ")), INDENT);
        }
    }
    text
}

/// Paragraphs in lines of up to [`COLUMNS`] columns, including the indentation; a longer word has a line of
/// its own.
pub(super) fn wrapped(paragraphs: &str, indent: usize) -> String {
    let mut text = String::new();
    for (index, paragraph) in paragraphs.split("\n\n").enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > COLUMNS {
                text.push('\n');
                column = 0;
            }
            if column == 0 {
                text.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else {
                text.push(' ');
                column += 1;
            }
            text += word;
            column += length;
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_held_fixed_is_printed_with_its_value_and_no_way_to_set_it() {
        let lesson = ShippedLesson::find("deposition").unwrap().lesson().unwrap();
        let text = printed("deposition", &lesson, false);
        assert!(text.contains("Held fixed: Height of the highest cell, 900 m\n"), "{text}");
        assert!(text.contains("steps.0.search=") && !text.contains("steps.0.height="), "{text}");
    }

    #[test]
    fn lines_are_wrapped_and_no_word_is_lost() {
        let text = "word ".repeat(50) + "\n\nsecond paragraph " + &"x".repeat(100) + " end";
        for indent in [0, 4] {
            let lines = wrapped(&text, indent);
            assert!(lines.lines().all(|line| line.chars().count() <= COLUMNS || !line.trim().contains(' ')));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&lines), words(&text));
            assert_eq!(lines.matches("\n\n").count(), 1);
        }
    }
}
