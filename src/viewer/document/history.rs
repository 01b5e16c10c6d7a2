//! Turns changes into steps of the history once the user pauses, whatever the land shows meanwhile.

use bevy::prelude::*;

use super::Document;

/// Seconds without a change after which the changes become one step that can be undone.
const REST: f32 = 0.35;

/// Changes of a document that are not a step of its history yet.
#[derive(Component, Default)]
pub(crate) struct Unsettled {
    /// The number of the revision with the changes, as of the last frame; `None` if there were none.
    revision: Option<u64>,
    /// Seconds without another change.
    rested: f32,
}

/// Turns changes into one step that can be undone once there has been a pause. So a typed word is one step,
/// rather than each of its letters.
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
            // The user still holds the slider.
            unsettled.rested = 0.0;
        } else {
            unsettled.rested += time.delta_secs();
            if unsettled.rested >= REST {
                // The recipe stays the same, so systems that follow changes need not run.
                document.bypass_change_detection().settle();
            }
        }
    }
}
