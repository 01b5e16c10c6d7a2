//! What the user wants to be done with documents, where that may lose something.

use std::path::PathBuf;

use bevy::prelude::*;

use crate::lessons::Lesson;
use crate::recipe::Recipe;

/// A request that may lose something.
#[derive(Message, Clone, Debug)]
pub(crate) enum DocumentRequest {
    /// To close the window.
    Close,
    /// To save this document.
    Save(Entity),
    /// To open another recipe in place of this document.
    Show {
        /// The document that it takes the place of.
        document: Entity,
        /// The other recipe.
        recipe: Box<Recipe>,
        /// The file that it was read from; none for a preset.
        path: Option<PathBuf>,
    },
    /// To open the land of a plan in place of this document, once it has been read.
    #[cfg(feature = "world")]
    OpenPlan {
        /// The document that it takes the place of.
        document: Entity,
        /// The plan's path or address.
        place: String,
    },
    /// To open a recipe next to the documents.
    Beside(Box<Recipe>),
    /// To open a copy of what this document shows next to the documents.
    Copy {
        /// The document that it is a copy of.
        document: Entity,
        /// The copy, which may have another name.
        recipe: Box<Recipe>,
    },
    /// To close this document; the others stay.
    CloseOne(Entity),
    /// To begin a lesson with its land in place of this document.
    Learn {
        /// The document that it takes the place of.
        document: Entity,
        /// The lesson.
        lesson: Box<Lesson>,
        /// The file that it was read from; none for one that is built in.
        path: Option<PathBuf>,
    },
    /// To save this document to another file, in place of what is there.
    SaveAs {
        /// The document.
        document: Entity,
        /// The file.
        path: PathBuf,
    },
}
