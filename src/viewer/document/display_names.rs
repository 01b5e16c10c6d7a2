//! Names of open documents for tabs, titles and captions.

use super::Document;
use crate::render::display_names::{LEAST, display_names};
use crate::shown::shown_in_line;

/// Ends the name of a copy.
pub(crate) const COPY: &str = " (copy)";

/// The names of documents, made different by [`display_names`]. Copies of the same landscape with different
/// seeds get these at the end: "High range, seed 7". In narrow places the name is cut or left out, and the
/// seed stays.
pub(crate) fn names_of<'a>(documents: impl IntoIterator<Item = &'a Document>, letters: usize) -> Vec<String> {
    let documents: Vec<&Document> = documents.into_iter().collect();
    let lands: Vec<(&str, u64)> =
        documents.iter().map(|document| (document.recipe.name.as_str(), document.recipe.seed)).collect();
    let marks = seed_marks(&lands);
    // A seed is never cut, because names that lack it say nothing.
    let letters = marks.iter().flatten().map(|mark| mark.chars().count()).fold(letters, usize::max);
    let names = with_marks(&lands, marks, letters);
    let lands = names.iter().zip(&documents).map(|(name, document)| (name.as_str(), document.path()));
    display_names(&lands.collect::<Vec<_>>(), letters)
}

/// The seed of each landscape whose name, apart from that of a copy, another one with another seed has too.
fn seed_marks(lands: &[(&str, u64)]) -> Vec<Option<String>> {
    let stem = |name: &'_ str| name.strip_suffix(COPY).unwrap_or(name).to_owned();
    let marked = |&(name, seed): &(&str, u64)| {
        let is_other_seed = |other: &(&str, u64)| stem(other.0) == stem(name) && other.1 != seed;
        lands.iter().any(is_other_seed).then(|| format!("seed {seed}"))
    };
    lands.iter().map(marked).collect()
}

/// Appends marks to names. Where there is no room for both, the mark stands alone.
fn with_marks(lands: &[(&str, u64)], marks: Vec<Option<String>>, letters: usize) -> Vec<String> {
    let marked = |(&(name, _), mark): (&(&str, u64), Option<String>)| {
        let Some(mark) = mark else { return name.to_owned() };
        match letters.checked_sub(mark.chars().count() + 2).filter(|room| *room >= LEAST) {
            Some(room) => format!("{}, {mark}", shown_in_line(name, room)),
            None => mark,
        }
    };
    lands.iter().zip(marks).map(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn copies_with_different_seeds_show_them() {
        let range = "High range";
        let copy = "High range (copy)";
        let with_seeds = |lands: &[(&str, u64)], letters| with_marks(lands, seed_marks(lands), letters);
        let same = [(range, 3), (copy, 3), ("Downs", 4)];
        assert_eq!(with_seeds(&same, 40), [range, copy, "Downs"]);
        let seeds = with_seeds(&[(range, 3), (copy, 4), (range, 5), ("Downs", 4)], 40);
        let expected = ["High range, seed 3", "High range (copy), seed 4", "High range, seed 5", "Downs"];
        assert_eq!(seeds, expected);
        assert_eq!(with_seeds(&[(range, 3), (range, 4)], 14), ["High …, seed 3", "High …, seed 4"]);
        assert_eq!(
            with_seeds(&[(range, 3), (range, 4)], 8),
            ["seed 3", "seed 4"],
            "there is no room for more"
        );
    }

    #[test]
    fn seeds_are_seen_in_the_narrowest_view() {
        let land = |name: &str, seed| {
            let recipe = Recipe::new(name, (9, 9), 1.0);
            Document::new(Recipe { seed, ..recipe }, None)
        };
        let lands = [land("Untitled", 7), land("Untitled", 123_456), land("Downs", 7)];
        for letters in 0..40 {
            let names = names_of(&lands, letters);
            assert!(names[0].ends_with("seed 7") && names[1].ends_with("seed 123456"), "{names:?}");
        }
        assert_eq!(names_of(&lands, 3), ["seed 7", "seed 123456", "Downs"]);
    }
}
