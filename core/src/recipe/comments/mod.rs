//! The comments of a recipe's file, which are kept when the file is rewritten.
//!
//! A recipe is values; comments are not among them. So the text that was there is compared with the text that
//! is to be written, and each comment goes to the place of what it stood at: a comment above a step, or
//! behind it, moves with the step. What stood at something that is no longer there moves to what came after
//! that; only what stood inside a step, or another item of a list, that was taken out goes with it.

mod matches;
mod tokens;
mod tree;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use matches::Matches;
use tokens::{Comment, Lexed};
use tree::{Entry, ROOT, Tree};

use super::Recipe;
use crate::error::Result;
use crate::files::FileKind;

/// What a line in brackets is indented by, as RON writes it.
const INDENTATION: &str = "    ";

impl Recipe {
    /// As [`to_ron`](Self::to_ron), with the comments of `old`, the text that this recipe came from or takes
    /// the place of. They stand at what they stood at, wherever that has moved.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let old = "(version: 1, name: \"Hills\", size: (65, 65), cell: 30, steps: [
    ///     // Old and soft.
    ///     fbm(height: 400), gaussian()])";
    /// let mut recipe = upland::Recipe::from_ron(old, "hills.ron")?;
    /// recipe.steps.reverse();
    /// let text = recipe.to_ron_with_comments(old)?;
    /// assert!(text.contains("\n        // Old and soft.\n        fbm(height: 400.0"));
    /// assert_eq!(upland::Recipe::from_ron(&text, "hills.ron")?, recipe);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// If the text is damaged, or longer than any recipe, only the comments at its head are kept.
    ///
    /// # Errors
    /// As [`to_ron`](Self::to_ron).
    pub fn to_ron_with_comments(&self, old: &str) -> Result<String> {
        let new = self.to_ron()?;
        if !may_have_comments(old) {
            return Ok(new);
        }
        let read = |text: &str| Self::from_ron(text, "").ok();
        let was = read(old).and_then(|was| was.to_ron().ok());
        let carried = carry(old, was.as_deref(), &new);
        // A comment is never worth a file that cannot be read.
        let is_same = match read(&new) {
            _ if carried.len() as u64 > FileKind::Recipe.limit() => false,
            Some(plain) => read(&carried).is_some_and(|recipe| recipe == plain),
            None => true,
        };
        Ok(if is_same { carried } else { new })
    }
}

/// Whether there is anything in a text that looks like a comment.
pub fn may_have_comments(text: &str) -> bool {
    text.contains("//") || text.contains("/*")
}

/// What a comment stands at.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    side: Side,
    /// An entry of a text.
    entry: usize,
}

/// Where a comment stands at an entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Side {
    /// On lines of its own, above the line of the entry.
    Above,
    /// Before it, on its line.
    Before,
    /// Before its value, on its line.
    BeforeValue,
    /// Behind the bracket that opens it.
    Opened,
    /// Behind it.
    Behind,
    /// On lines of its own, after all that is in it.
    Last,
}

impl Side {
    fn of(self, entry: usize) -> Anchor {
        Anchor { side: self, entry }
    }
}

/// `new` with the comments of `old`; `was` is `old` as it would have been written without changes, so that
/// items of lists are recognised however they were spelt. Where comments cannot be inserted it is `new`.
fn carry(old: &str, was: Option<&str>, new: &str) -> String {
    let [old, new] = [old, new].map(Lexed::of);
    if old.comments.is_empty() || !new.comments.is_empty() || !new.is_whole {
        return new.text.to_owned();
    }
    let was = was.map(Lexed::of).filter(|was| was.is_whole);
    let was = was.as_ref().map(Tree::of);
    let (tree, into) = (Tree::of(&old), Tree::of(&new));
    let anchors = if old.is_whole {
        moved(&tree, &Matches::of(&tree, was.as_ref(), &into))
    } else {
        let is_head = |comment: &Comment| comment.next == 0;
        old.comments.iter().map(|comment| is_head(comment).then_some(Side::Above.of(ROOT))).collect()
    };
    let kept = old.comments.iter().zip(anchors).filter_map(|(comment, anchor)| Some((comment, anchor?)));
    let text = Places::of(&into).insert(&kept.collect::<Vec<_>>());
    // Checked once more: the comments must not have become part of the text.
    let again = Lexed::of(&text);
    if again.is_whole && again.texts().eq(new.texts()) { text } else { new.text.to_owned() }
}

/// For each comment of a text what it stands at in the new text; `None` if it goes.
fn moved(old: &Tree, matches: &Matches) -> Vec<Option<Anchor>> {
    let instead = instead(old, matches);
    let moved = |comment: &Comment| {
        let Anchor { side, entry } = anchor_of(comment, old);
        let is_gone = matches.is_removed[entry] && matches!(side, Side::Opened | Side::Last);
        match matches.new[entry] {
            Some(new) => Some(side.of(new)),
            None => instead[entry].filter(|_| !is_gone),
        }
    };
    old.lexed.comments.iter().map(moved).collect()
}

/// What a comment stands at in its text.
fn anchor_of(comment: &Comment, tree: &Tree) -> Anchor {
    let is_on_line = comment.is_before && !comment.is_line();
    if let Some(&owner) = tree.owners.get(comment.next) {
        let entry = &tree.entries[owner];
        let [is_start, is_value] =
            [entry.start, entry.value].map(|token| owner != ROOT && token == comment.next);
        let is_close = entry.close == Some(comment.next);
        match (is_on_line, comment.is_behind) {
            (true, _) if is_start => return Side::Before.of(owner),
            (true, _) if is_value => return Side::BeforeValue.of(owner),
            (false, false) if is_start || is_value => return Side::Above.of(owner),
            (_, false) if is_close => return Side::Last.of(owner),
            _ => {}
        }
    } else if !comment.is_behind {
        return Side::Last.of(ROOT);
    }
    let Some(last) = comment.next.checked_sub(1) else { return Side::Above.of(ROOT) };
    let owner = tree.owners[last];
    let is_opened = tree.entries[owner].open.is_some_and(|open| last <= open);
    if is_opened { Side::Opened.of(owner) } else { Side::Behind.of(owner) }
}

/// For each entry that has no counterpart, where comments go that stood at it: to the next in the same
/// brackets that has one, or to their end. `None` where they go with something that was taken out.
fn instead(old: &Tree, matches: &Matches) -> Vec<Option<Anchor>> {
    let mut instead = vec![None; old.entries.len()];
    for (number, entry) in old.entries.iter().enumerate() {
        let mut next = match matches.new[number] {
            Some(new) => Some(Side::Last.of(new)),
            None if matches.is_removed[number] => None,
            None => instead[number],
        };
        for &child in entry.children.iter().rev() {
            match matches.new[child] {
                Some(new) => next = Some(Side::Above.of(new)),
                None => instead[child] = next,
            }
        }
    }
    instead
}

/// How a comment is inserted.
#[derive(Clone, Copy, Debug)]
enum Form<'n> {
    /// Behind a token, on its line.
    Behind,
    /// Behind the last token of a line.
    LineEnd,
    /// As lines, behind these spaces, and these.
    Lines(&'n str, &'n str),
    /// Before a token, on its line.
    Before,
}

impl Form<'_> {
    /// The order of those that are inserted at one place.
    fn rank(self) -> u8 {
        match self {
            Self::Behind | Self::LineEnd => 0,
            Self::Lines(..) => 1,
            Self::Before => 2,
        }
    }
}

/// The places in a new text at which comments can be inserted.
struct Places<'t> {
    tree: &'t Tree<'t>,
    /// For each entry the nearest around it that begins a line, or itself.
    beginners: Vec<usize>,
}

impl<'t> Places<'t> {
    fn of(tree: &'t Tree<'t>) -> Self {
        // Parents come before their children, so one pass is enough.
        let mut beginners = vec![ROOT; tree.entries.len()];
        for (number, entry) in tree.entries.iter().enumerate().skip(1) {
            let begins = tree.lexed.line_begun_by(entry.start).is_some();
            beginners[number] = if begins { number } else { beginners[entry.parent] };
        }
        Self { tree, beginners }
    }

    /// The text with these comments, which are in the order in which they stood.
    fn insert(&self, comments: &[(&Comment, Anchor)]) -> String {
        let text = self.tree.lexed.text;
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
        for Insertion { at, form, comment, said } in self.insertions(comments) {
            out += &text[copied..at];
            copied = at;
            match form {
                Form::Lines(spaces, more) => {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out += newline;
                    }
                    if comment.blank_above && !is_after_blank(&out) {
                        out += newline;
                    }
                    out.extend([spaces, more, &*said, newline]);
                    if comment.blank_below {
                        out += newline;
                    }
                }
                Form::Before => out.extend([&*said, " "]),
                Form::Behind | Form::LineEnd => out.extend([" ", &*said]),
            }
        }
        out + &text[copied..]
    }

    /// What is inserted, in the order of the places.
    fn insertions<'c>(&self, comments: &[(&'c Comment<'c>, Anchor)]) -> Vec<Insertion<'c, 't>> {
        let places: Vec<_> = comments.iter().map(|(_, anchor)| self.place(*anchor)).collect();
        let ends = places.iter().enumerate().filter(|(_, (_, form))| matches!(form, Form::LineEnd));
        let last_on_line: HashMap<usize, usize> = ends.map(|(number, (at, _))| (*at, number)).collect();
        let insertion = |(number, &(comment, anchor)): (usize, &(&'c Comment<'c>, Anchor))| {
            let (at, form) = places[number];
            let is_fine = match form {
                Form::Lines(..) => true,
                Form::LineEnd => last_on_line.get(&at) == Some(&number),
                // It must not take the rest of the line with it.
                Form::Before | Form::Behind => false,
            };
            match comment.in_line().filter(|_| !is_fine) {
                Some(said) => Insertion { at, form, comment, said: said.into() },
                None => {
                    let (at, form) = if is_fine { (at, form) } else { self.above(anchor.entry) };
                    Insertion { at, form, comment, said: comment.text.into() }
                }
            }
        };
        let mut insertions: Vec<_> = comments.iter().enumerate().map(insertion).collect();
        insertions.sort_by_key(|insertion| (insertion.at, insertion.form.rank()));
        insertions
    }

    /// Where a comment is inserted, in bytes, and how.
    fn place(&self, Anchor { side, entry }: Anchor) -> (usize, Form<'t>) {
        let lexed = self.tree.lexed;
        let Entry { start, value, open, close, .. } = self.tree.entries[entry];
        let before = |token: usize| Some((lexed.tokens.get(token)?.start, Form::Before));
        let place = match side {
            Side::Last if entry == ROOT => Some((lexed.text.len(), Form::Lines("", ""))),
            _ if entry == ROOT => None,
            Side::Above => None,
            Side::Before => before(start),
            Side::BeforeValue => before(value),
            Side::Opened => match open {
                Some(open) if lexed.ends_line(open) => Some((lexed.tokens[open].end, Form::LineEnd)),
                Some(open) => Some((lexed.tokens[open].end, Form::Before)),
                None => Some(self.behind(entry)),
            },
            Side::Behind => Some(self.behind(entry)),
            Side::Last => {
                let line = close.and_then(|close| lexed.line_begun_by(close));
                line.map(|(line, spaces)| (line, Form::Lines(spaces, INDENTATION)))
            }
        };
        place.unwrap_or_else(|| self.above(entry))
    }

    fn above(&self, entry: usize) -> (usize, Form<'t>) {
        let beginner = Some(self.beginners[entry]).filter(|beginner| *beginner != ROOT);
        let line = beginner.and_then(|entry| self.tree.lexed.line_begun_by(self.tree.entries[entry].start));
        line.map_or((0, Form::Lines("", "")), |(line, spaces)| (line, Form::Lines(spaces, "")))
    }

    fn behind(&self, entry: usize) -> (usize, Form<'t>) {
        let lexed = self.tree.lexed;
        let Entry { end, comma, .. } = self.tree.entries[entry];
        let last = comma.unwrap_or(end);
        match lexed.ends_line(last) {
            true => (lexed.tokens[last].end, Form::LineEnd),
            false => (lexed.tokens[end].end, Form::Behind),
        }
    }
}

/// A comment at its place in a new text, in bytes.
struct Insertion<'c, 'n> {
    at: usize,
    form: Form<'n>,
    comment: &'c Comment<'c>,
    /// The part of it that is written.
    said: Cow<'c, str>,
}

/// Whether nothing or an empty line is before the end of a text.
fn is_after_blank(text: &str) -> bool {
    text.is_empty() || text == "\n" || text.ends_with("\n\n") || text.ends_with("\n\r\n")
}
