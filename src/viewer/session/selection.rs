//! Which landscape is edited, and whether panels are shown.

use bevy::prelude::*;

/// The landscape that panels and tools work on.
#[derive(Resource)]
pub(crate) struct Selection {
    edited: Option<Entity>,
    /// Whether panels are shown.
    pub shows_panels: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self { edited: None, shows_panels: true }
    }
}

impl Selection {
    /// The document of the edited landscape; `None` until the first one is open.
    pub fn edited(&self) -> Option<Entity> {
        self.edited
    }

    /// Whether this document is edited.
    pub fn is_edited(&self, document: Entity) -> bool {
        self.edited == Some(document)
    }

    /// Edits this document from now on.
    pub fn edit(&mut self, document: Entity) {
        self.edited = Some(document);
    }

    /// Shows the editor of this document, even if panels were hidden.
    pub fn turn_to(&mut self, document: Entity) {
        (self.edited, self.shows_panels) = (Some(document), true);
    }

    /// Whether the land has the whole window.
    pub fn are_panels_hidden(&self) -> bool {
        !self.shows_panels
    }

    /// Panels that edit this document.
    #[cfg(test)]
    pub fn editing(document: Entity) -> Self {
        Self { edited: Some(document), ..Self::default() }
    }
}
