//! Recipes and lessons are both RON files: their content decides which of the two a file is.

use std::path::Path;

use super::Lesson;
use crate::elevation::formats;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::recipe::Recipe;

/// Fields that only a recipe has, and fields that only a lesson has.
const OF_RECIPES: [&str; 4] = ["name", "size", "cell", "steps"];
const OF_LESSONS: [&str; 5] = ["title", "family", "recipe", "pages", "sources"];

/// The content of a RON file.
#[derive(Debug)]
pub enum RonFile {
    /// A recipe.
    Recipe(Box<Recipe>),
    /// A lesson.
    Lesson(Box<Lesson>),
}

impl RonFile {
    /// Reads a recipe or a lesson. Errors are reported as for the kind of file that it has more fields of,
    /// however damaged they are.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is neither.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = files::read(path, FileKind::Recipe)?;
        let fields = fields(&String::from_utf8_lossy(&bytes));
        let count = |of: &[&str]| fields.iter().filter(|field| of.contains(&field.as_str())).count();
        let (of_recipe, of_lesson) = (count(&OF_RECIPES), count(&OF_LESSONS));
        if of_lesson > of_recipe {
            return Ok(Self::Lesson(Box::new(Lesson::read(path)?)));
        }
        match Recipe::from_file(bytes, path) {
            Ok(recipe) => Ok(Self::Recipe(Box::new(recipe))),
            Err(error) if of_recipe > 0 => Err(error),
            Err(Error::Recipe { origin, line, column, reason }) => {
                let reason = format!(
                    "this is neither a recipe, which has `name`, `size`, `cell` and `steps`, nor a lesson, which has \
                     `title`, `family`, `recipe` and `pages`: {reason}"
                );
                Err(Error::Recipe { origin, line, column, reason })
            }
            Err(Error::File { path, .. }) => {
                let elevation = formats::readable_extensions();
                let reason = format!(
                    "is not text in UTF-8, as recipes and lessons are, which are RON files; elevation and pictures of it \
                     are read from {elevation}"
                );
                Err(Error::file(path, reason))
            }
            Err(error) => Err(error),
        }
    }
}

/// The names of the outermost fields of a RON text, as far as it can be read.
fn fields(text: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let (mut depth, mut word, mut rest) = (0usize, "", text);
    while let Some(first) = rest.chars().next() {
        let (token, after) = rest.split_at(length(rest, first));
        rest = after;
        match first {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            // Blanks and comments may come between a name and its colon.
            '/' => continue,
            _ if first.is_whitespace() => continue,
            ':' if depth == 1 && !word.is_empty() => fields.push(word.to_owned()),
            _ => {}
        }
        word = if is_of_word(first) { token } else { "" };
    }
    fields
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The length in bytes of the text's first token, which begins with `first`. A token without an end extends
/// to the end of the text.
fn length(text: &str, first: char) -> usize {
    let upto = |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    // Only for raw strings: otherwise a long row of `#` would be counted again from each of them.
    let hashes = match first {
        'r' => text.bytes().skip(1).take_while(|byte| *byte == b'#').count(),
        _ => 0,
    };
    match first {
        '/' if text.starts_with("//") => upto(2, "\n"),
        '/' if text.starts_with("/*") => end_of_comment(text),
        '"' => end_of_string(text),
        'r' if text[1 + hashes..].starts_with('"') => upto(2 + hashes, &format!("\"{}", "#".repeat(hashes))),
        _ if is_of_word(first) => text.find(|char| !is_of_word(char)).unwrap_or(text.len()),
        _ => first.len_utf8(),
    }
}

/// Where a comment in `/*` and `*/` ends; comments may be nested.
fn end_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = text[at..].find(['/', '*']) {
        at += found;
        let here = &text[at..];
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Where a quoted string ends.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::ShippedLesson;
    use super::*;
    use crate::recipe::preset::Preset;

    fn read(text: impl AsRef<[u8]>) -> Result<RonFile> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        std::fs::write(&path, text).unwrap();
        RonFile::read(&path)
    }

    fn refused(text: impl AsRef<[u8]>) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn only_outermost_fields_count_and_no_text_or_comment_does() {
        let text = r###"#![enable(implicit_some)]
            /* a: /* b: */ c: */ Land( // d: "
            one: "e: \" f: (", two /* g: */ : r#"h: " i: ("#, three: (j: 1, k: [(l: 2)]), four: {"m": 3}, run: r, 'n'
            five: """###;
        assert_eq!(fields(text), ["one", "two", "three", "four", "run", "five"]);
        assert_eq!(fields("(a: 1)) b: 2, (c: 3"), ["a", "c"]);
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            fields(&text[..cut]);
            fields(&text[cut..]);
        }
        assert_eq!(fields("é: 1 (é: 2, /*"), ["é"]);
    }

    #[test]
    fn shipped_files_are_read_as_their_kind() {
        for preset in Preset::all() {
            assert!(matches!(read(preset.text), Ok(RonFile::Recipe(_))), "{}", preset.name);
        }
        for shipped in ShippedLesson::all() {
            // Files that a lesson names are only needed when its land is built.
            assert!(matches!(read(shipped.text), Ok(RonFile::Lesson(_))), "{}", shipped.name);
        }
    }

    #[test]
    fn errors_are_reported_for_the_kind_of_file_that_is_meant() {
        let lesson = ShippedLesson::find("faults").unwrap().text;
        let said = refused(lesson.replacen("steps.0.faults", "steps.0.fault", 1));
        assert!(said.contains("page ") && said.contains("steps.0.fault"), "{said}");
        let said = refused(&lesson[..lesson.len() / 2]);
        assert!(said.contains("x.ron:") && !said.contains("neither"), "{said}");
        let said = refused("(version: 1, name: \"A\", size: (9, 9), cell: 1, steps: [fbn()])");
        assert!(said.contains("fbn") && !said.contains("neither"), "{said}");
        for text in ["", "nothing", "(version: 1)", "(recent: [])", "// name: size: cell:"] {
            let said = refused(text);
            let both = said.contains("neither a recipe") && said.contains("nor a lesson");
            assert!(both && said.contains("x.ron:1:"), "{text}: {said}");
        }
        let said = refused([0xff, 0xfe, 0]);
        assert!(
            said.contains("recipes and lessons") && said.contains("UTF-8") && said.contains(".png, "),
            "{said}"
        );
    }
}
