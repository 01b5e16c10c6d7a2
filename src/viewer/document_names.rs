//! Names of open documents, as tabs, titles and captions show them.

use super::document::Document;
use crate::render::display_names::display_names;

/// The names of documents as [`display_names`] tells them.
pub(super) fn names_of<'a>(documents: impl IntoIterator<Item = &'a Document>, letters: usize) -> Vec<String> {
    let lands = documents.into_iter().map(|document| (document.recipe.name.as_str(), document.path()));
    display_names(&lands.collect::<Vec<_>>(), letters)
}
