//! Reads lessons. Errors are reported with their line: each page is checked against the recipe as soon as it
//! is read, which is why the recipe must come before the pages.

use std::fmt;
use std::path::Path;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess};

use super::lesson::Lesson;
use super::page::{LONG, LessonFormula, LessonPage, LessonQuestion, LessonSlider, SHORT, Setting};
use crate::analysis::plots::PlotKind;
use crate::elevation::formats;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::params::{Key, lists, read_named, reason_in, ron_options};
use crate::recipe::Recipe;
use crate::recipe::preset::Preset;

/// The version of the format.
const VERSION: u32 = 1;
/// The most pages of a lesson.
const PAGES: usize = 200;
/// The most sources of a lesson.
const SOURCES: usize = 50;
/// The most settings of a question.
const SETTINGS: usize = 50;
/// More entries than a question may have answers, so that the page itself can report how many it accepts.
const ANSWERS_READ: usize = 100;

impl Lesson {
    /// Parses a lesson; `origin` is its name in errors. Its recipe is a preset or inline: a text has no
    /// folder in which a file would be looked for.
    ///
    /// # Errors
    /// [`Error::Recipe`] with line and column, whatever is wrong in it: the lesson is checked whole.
    pub fn from_ron(text: &str, origin: &str) -> Result<Self> {
        lesson(text, origin, None)
    }

    /// Reads a lesson from a file. Relative paths in it, and in its recipe, start from its folder.
    ///
    /// # Errors
    /// When the file or that of its recipe cannot be read, or is not a lesson.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = String::from_utf8(files::read(path, FileKind::Lesson)?).map_err(|_| {
            Error::file(path, "is not text in UTF-8; a lesson is a RON file, as docs/lessons.md explains")
        })?;
        lesson(&text, &path.display().to_string(), Some(path.parent().unwrap_or(Path::new(""))))
    }
}

/// Reads a lesson. Without a folder its recipe may not be a file.
fn lesson(text: &str, origin: &str, folder: Option<&Path>) -> Result<Lesson> {
    let wrong = |error: ron::error::SpannedError| Error::Recipe {
        origin: origin.to_owned(),
        line: error.span.end.line,
        column: error.span.end.col,
        reason: reason_in(text, error),
    };
    let read = || ron_options().from_str_seed(text, Whole { folder }).map_err(wrong);
    // The parser is not ours: a panic in it becomes an error of the file.
    formats::guarded(Path::new(origin), read)
}

/// The fields of a lesson.
const FIELDS: &[&str] = &["version", "title", "family", "about", "recipe", "pages", "sources"];

/// Reads a whole lesson.
struct Whole<'f> {
    folder: Option<&'f Path>,
}

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = Lesson;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Lesson, D::Error> {
        from.deserialize_struct("Lesson", FIELDS, self)
    }
}

impl<'de> de::Visitor<'de> for Whole<'_> {
    type Value = Lesson;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a lesson: {} in parentheses", FIELDS.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Lesson, A::Error> {
        let wrong = <A::Error as de::Error>::custom::<String>;
        let mut version = None;
        let (mut title, mut family, mut about) = (None, None, None);
        let (mut recipe, mut pages, mut sources) = (None, None, None);
        while let Some(Key(name)) = fields.next_key()? {
            let twice = || wrong(format!("`{name}` is given twice; keep one of the two"));
            let line = |place: &mut Option<String>, fields: &mut A| {
                let text = fields.next_value_seed(Text { name: &name, most: SHORT })?;
                place.replace(text).map_or(Ok(()), |_| Err(twice()))
            };
            match &*name {
                "version" => {
                    let Version = fields.next_value()?;
                    version.replace(Version).map_or(Ok(()), |_| Err(twice()))?;
                }
                "title" => line(&mut title, &mut fields)?,
                "family" => line(&mut family, &mut fields)?,
                "about" => line(&mut about, &mut fields)?,
                "recipe" => {
                    let land: Land = fields.next_value()?;
                    let land = land.recipe(self.folder).map_err(|error| wrong(error.to_string()))?;
                    recipe.replace(land).map_or(Ok(()), |_| Err(twice()))?;
                }
                "pages" => {
                    // Pages are checked against the recipe while they are read, so that errors point at their
                    // line.
                    let Some(recipe) = &recipe else {
                        let reason =
                            "`pages` come before `recipe`; put the recipe first, so that they can be checked";
                        return Err(wrong(reason.into()));
                    };
                    let read = fields.next_value_seed(Pages { recipe })?;
                    pages.replace(read).map_or(Ok(()), |_| Err(twice()))?;
                }
                "sources" => {
                    let Sources(read) = fields.next_value()?;
                    sources.replace(read).map_or(Ok(()), |_| Err(twice()))?;
                }
                "name" | "size" | "cell" | "steps" => {
                    let reason = format!(
                        "`{name}` is of a recipe, and this is to be a lesson; put the recipe into `recipe: inline(…)`, or name \
                         its file: `recipe: file(\"land.ron\")`"
                    );
                    return Err(wrong(reason));
                }
                _ => return Err(wrong(format!("unknown field `{name}`; there are {}", FIELDS.join(", ")))),
            }
        }
        let missing = |name: &str| wrong(format!("`{name}` is missing; a lesson must have it"));
        version.ok_or_else(|| missing("version"))?;
        let lesson = Lesson {
            title: title.ok_or_else(|| missing("title"))?,
            family: family.ok_or_else(|| missing("family"))?,
            about: about.unwrap_or_default(),
            recipe: recipe.ok_or_else(|| missing("recipe"))?,
            pages: pages.ok_or_else(|| missing("pages"))?,
            sources: sources.unwrap_or_default(),
        };
        let sliders = lesson.pages.iter().enumerate().filter_map(|(index, page)| match page {
            LessonPage::Slider(slider) => Some((&*slider.path, index + 1)),
            _ => None,
        });
        let mut shown: Vec<(&str, usize)> = sliders.collect();
        // By path and then page, so that two sliders of one path are neighbours.
        shown.sort_unstable();
        if let Some([(path, first), (_, second)]) = shown.array_windows().find(|[a, b]| a.0 == b.0) {
            return Err(wrong(format!(
                "{path} has two sliders, on page {first} and on page {second}; keep one of the two"
            )));
        }
        Ok(lesson)
    }
}

/// The version, if it is supported.
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let version: u32 = read_named("version", &format!("{VERSION}"), from)?;
        if version == VERSION {
            return Ok(Self);
        }
        let reason =
            format!("`version`: {version} is not supported; this program reads lessons of version {VERSION}");
        Err(de::Error::custom(reason))
    }
}

/// Where the recipe is.
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Land {
    Preset(String),
    File(String),
    Inline(Box<Recipe>),
}

impl Land {
    fn recipe(self, folder: Option<&Path>) -> Result<Recipe> {
        match self {
            Self::Inline(mut recipe) => {
                recipe.set_folder(folder.unwrap_or(Path::new("")));
                Ok(*recipe)
            }
            Self::Preset(name) => {
                let names = || Preset::all().iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
                let found = Preset::find(&name);
                let missing = || format!("there is no preset `{name}`; there are {}", names());
                found.ok_or_else(|| Error::parameter("recipe", missing()))?.recipe()
            }
            Self::File(file) => match folder {
                Some(folder) => Recipe::read(folder.join(file)),
                None => {
                    let reason = "a lesson that isn't a file has no folder to look for a recipe's file in; \
                                  give preset(\"…\") or inline(…)";
                    Err(Error::parameter("recipe", reason))
                }
            },
        }
    }
}

/// Reads the pages, each checked against the recipe.
struct Pages<'r> {
    recipe: &'r Recipe,
}

impl<'de> DeserializeSeed<'de> for Pages<'_> {
    type Value = Vec<LessonPage>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> de::Visitor<'de> for Pages<'_> {
    type Value = Vec<LessonPage>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of pages: text, formula, slider, plot, question")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let wrong = |reason: String| <A::Error as de::Error>::custom(reason);
        let mut pages = Vec::new();
        while let Some(page) =
            list.next_element_seed(NumberedPage { number: pages.len() + 1, recipe: self.recipe })?
        {
            if pages.len() == PAGES {
                return Err(wrong(format!("a lesson has at most {PAGES} pages; make two lessons of it")));
            }
            pages.push(page);
        }
        if pages.is_empty() {
            Err(wrong(
                "a lesson without pages teaches nothing; give at least one, such as text(\"…\")".into(),
            ))
        } else {
            Ok(pages)
        }
    }
}

/// Reads a page and checks it, before the next page is read, so that errors have this page's line.
struct NumberedPage<'r> {
    number: usize,
    recipe: &'r Recipe,
}

impl<'de> DeserializeSeed<'de> for NumberedPage<'_> {
    type Value = LessonPage;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<LessonPage, D::Error> {
        // Checked inside the parser, which then knows the line of an error.
        let page = Page::deserialize(from)?.checked(self.recipe);
        page.map_err(|error| de::Error::custom(format!("page {}: {error}", self.number)))
    }
}

/// A page as it is written in the file.
#[derive(serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Page {
    Text(String),
    Formula(String, String),
    Slider {
        path: String,
        label: String,
        #[serde(default)]
        low: Option<f64>,
        #[serde(default)]
        high: Option<f64>,
        #[serde(default)]
        locked: bool,
    },
    Plot(Kind),
    Question {
        ask: String,
        #[serde(deserialize_with = "lists::at_most::<ANSWERS_READ, _, _>")]
        answers: Vec<String>,
        right: usize,
        #[serde(default)]
        show: Settings,
        reveal: String,
    },
}

impl Page {
    fn checked(self, recipe: &Recipe) -> Result<LessonPage> {
        Ok(match self {
            Self::Text(text) => LessonPage::Text(plain("text", &text, LONG)?),
            Self::Formula(formula, meaning) => {
                // Each line is checked separately.
                let lines = formula.lines().map(str::trim).filter(|line| !line.is_empty());
                let lines: Result<Vec<_>> = lines.map(|line| plain("formula", line, SHORT)).collect();
                let formula = lines?.join("\n");
                if formula.is_empty() {
                    return Err(Error::parameter("formula", "is empty; write it, or leave the page out"));
                }
                LessonPage::Formula(LessonFormula { formula, meaning: plain("meaning", &meaning, LONG)? })
            }
            Self::Slider { path, label, low, high, locked } => {
                let label = plain("label", &label, SHORT)?;
                LessonPage::Slider(LessonSlider::new(recipe, path, label, [low, high], locked)?)
            }
            Self::Plot(Kind(kind)) => LessonPage::Plot(kind),
            Self::Question { ask, answers, right, show: Settings(show), reveal } => {
                let answers: Result<_> =
                    answers.iter().map(|answer| plain("answers", answer, SHORT)).collect();
                let (ask, reveal) = (plain("ask", &ask, LONG)?, plain("reveal", &reveal, LONG)?);
                let question = LessonQuestion { ask, answers: answers?, right, show, reveal };
                question.check(recipe)?;
                LessonPage::Question(question)
            }
        })
    }
}

/// The name of a plot, with or without quotes; `slope_area` is `slope-area`.
struct Kind(PlotKind);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Key(name) = Key::deserialize(from)?;
        name.replace('_', "-").parse().map(Self).map_err(|_| {
            let names = PlotKind::ALL.map(PlotKind::name).join(", ").replace('-', "_");
            de::Error::custom(format!("there is no plot `{name}`; there are {names}"))
        })
    }
}

/// The sources.
struct Sources(Vec<String>);

impl<'de> Deserialize<'de> for Sources {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read: Vec<String> = lists::at_most::<SOURCES, _, _>(from)?;
        let read = read.iter().map(|source| plain("sources", source, LONG));
        read.collect::<Result<_>>().map(Self).map_err(de::Error::custom)
    }
}

/// Settings in the order in which they are written.
#[derive(Default)]
struct Settings(Vec<Setting>);

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> de::Visitor<'de> for Reader {
            type Value = Settings;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "settings such as {{\"steps.0.hurst\": 0.2}}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Settings, A::Error> {
                let mut settings = Vec::new();
                while let Some((path, Set(value))) = map.next_entry::<String, Set>()? {
                    if settings.len() == SETTINGS {
                        let reason = format!("more than {SETTINGS} settings; leave some out");
                        return Err(de::Error::custom(reason));
                    }
                    settings.push(Setting { path, value });
                }
                Ok(Settings(settings))
            }
        }
        from.deserialize_map(Reader)
    }
}

/// A value as `--set` takes it.
struct Set(String);

impl<'de> Deserialize<'de> for Set {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl de::Visitor<'_> for Reader {
            type Value = Set;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a number, true or false, or in quotes what --set takes")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Set, E> {
                Ok(Set(value.to_string()))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Set, E> {
                Ok(Set(value.to_string()))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Set, E> {
                Ok(Set(value.to_string()))
            }

            // Without converting to f64, which would write 0.1 with all the digits of its f32.
            fn visit_f32<E: de::Error>(self, value: f32) -> Result<Set, E> {
                Ok(Set(value.to_string()))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Set, E> {
                Ok(Set(value.to_string()))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Set, E> {
                Ok(Set(value.to_owned()))
            }
        }
        from.deserialize_any(Reader)
    }
}

/// Reads a text of one line.
struct Text<'n> {
    name: &'n str,
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        let text: String = read_named(self.name, "a text", from)?;
        plain(self.name, &text, self.most).map_err(de::Error::custom)
    }
}

/// The paragraphs of a text: an empty line ends one; other line ends and runs of blanks become a blank.
fn plain(name: &str, text: &str, most: usize) -> Result<String> {
    let wrong = |reason: String| Err(Error::parameter(name, reason));
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        if line.trim().is_empty() {
            paragraphs.push(String::new());
        }
        for word in line.split_whitespace() {
            if let Some(paragraph) = paragraphs.last_mut() {
                let gap = if paragraph.is_empty() { "" } else { " " };
                *paragraph += gap;
                *paragraph += word;
            }
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    let plain = paragraphs.join("\n\n");
    let count = plain.chars().count();
    if count == 0 {
        return wrong("is empty; write something, or leave it out".into());
    }
    if count > most {
        return wrong(format!("has {count} characters; at most {most} are read, so split it"));
    }
    if let Some(character) = plain.chars().find(|character| character.is_control() && *character != '\n') {
        let code = u32::from(character);
        return wrong(format!("has the control character U+{code:04X}, which cannot be shown; leave it out"));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_lines_end_paragraphs() {
        let text = "  one\n   two\tthree \n\n \n four";
        assert_eq!(plain("text", text, 99).unwrap(), "one two three\n\nfour");
        assert!(plain("text", " \n\n ", 99).is_err());
        assert!(plain("text", "abcd", 3).unwrap_err().to_string().contains("4 characters"));
        assert!(plain("text", "a\u{1b}[2J", 99).unwrap_err().to_string().contains("U+001B"));
    }
}
