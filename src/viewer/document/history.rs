//! When changes become a step of the history: once the hand rests, whatever the land shows meanwhile.

use bevy::prelude::*;

use super::Document;

/// Seconds without a change after which what was changed is one step that can be undone.
const REST: f32 = 0.35;

/// Changes of a document that are no step of its history yet.
#[derive(Component, Default)]
pub(crate) struct Unsettled {
    /// The number of the revision with them, when it was last looked at; `None` if there were none.
    revision: Option<u64>,
    /// Seconds without another change.
    rested: f32,
}

/// Makes changes one step that can be undone when there has been none for a while, whatever the land shows meanwhile: so a
/// word is one step, and not each of its letters.
pub(crate) fn settle(
    mut documents: Query<(&mut Document, &mut Unsettled)>,
    buttons: Res<ButtonInput<MouseButton>>,
    time: Res<Time>,
) {
    for (mut document, mut unsettled) in &mut documents {
        if document.is_settled() {
            unsettled.revision = None;
        } else if unsettled.revision != Some(document.revision().number) {
            *unsettled = Unsettled { revision: Some(document.revision().number), rested: 0.0 };
        } else if buttons.pressed(MouseButton::Left) {
            // The hand is still on the slider.
            unsettled.rested = 0.0;
        } else {
            unsettled.rested += time.delta_secs();
            if unsettled.rested >= REST {
                // Bypassing change detection: settling changes nothing visible.
                document.bypass_change_detection().settle();
            }
        }
    }
}
