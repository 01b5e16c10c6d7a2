//! Names of open documents for tabs, titles and captions.

use super::Document;
use crate::render::display_names::{LEAST, display_names};
use crate::shown::shown_in_line;

/// Ends the name of a copy.
pub(crate) const COPY: &str = " (copy)";

/// The names of documents, made different by [`display_names`]. Copies of the same landscape with different
/// seeds get these at the end: "High range, seed 7".
pub(crate) fn names_of<'a>(documents: impl IntoIterator<Item = &'a Document>, letters: usize) -> Vec<String> {
    let documents: Vec<&Document> = documents.into_iter().collect();
    let lands: Vec<(&str, u64)> =
        documents.iter().map(|document| (document.recipe.name.as_str(), document.recipe.seed)).collect();
    let names = with_seeds(&lands, letters);
    let lands = names.iter().zip(&documents).map(|(name, document)| (name.as_str(), document.path()));
    display_names(&lands.collect::<Vec<_>>(), letters)
}

/// Appends the seed to names that differ in nothing else, where there is room.
fn with_seeds(lands: &[(&str, u64)], letters: usize) -> Vec<String> {
    let stem = |name: &'_ str| name.strip_suffix(COPY).unwrap_or(name).to_owned();
    let marked = |&(name, seed): &(&str, u64)| {
        let is_other_seed = |other: &&(&str, u64)| stem(other.0) == stem(name) && other.1 != seed;
        let mark = format!(", seed {seed}");
        match letters.checked_sub(mark.chars().count()).filter(|room| *room >= LEAST) {
            Some(room) if lands.iter().any(|other| is_other_seed(&other)) => {
                shown_in_line(name, room) + &mark
            }
            _ => name.to_owned(),
        }
    };
    lands.iter().map(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_with_different_seeds_show_them() {
        let range = "High range";
        let copy = "High range (copy)";
        let same = [(range, 3), (copy, 3), ("Downs", 4)];
        assert_eq!(with_seeds(&same, 40), [range, copy, "Downs"]);
        let seeds = with_seeds(&[(range, 3), (copy, 4), (range, 5), ("Downs", 4)], 40);
        let expected = ["High range, seed 3", "High range (copy), seed 4", "High range, seed 5", "Downs"];
        assert_eq!(seeds, expected);
        assert_eq!(with_seeds(&[(range, 3), (range, 4)], 14), ["High …, seed 3", "High …, seed 4"]);
        assert_eq!(with_seeds(&[(range, 3), (range, 4)], 8), [range, range], "there is no room");
    }
}
