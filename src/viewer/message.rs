//! The one line in the window that tells what happened.

use bevy::prelude::*;

use crate::shown::shown;

/// What was last told, and how long ago.
#[derive(Resource, Default)]
pub(super) struct Message {
    /// The text; empty for nothing to tell.
    pub text: String,
    /// Whether it tells of something that went wrong. Such a message stays until it is dismissed.
    pub is_error: bool,
    told: f32,
}

/// Seconds a message that isn't an error stays.
const STAY: f32 = 6.0;

impl Message {
    /// Tells what was done.
    pub fn tell(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), is_error: false, told: 0.0 };
    }

    /// Tells what went wrong.
    pub fn error(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), is_error: true, told: 0.0 };
        error!("{}", self.text);
    }

    /// Tells nothing any more.
    pub fn dismiss(&mut self) {
        self.text.clear();
    }
}

/// Forgets messages that have been read.
pub(super) fn fade(mut message: ResMut<Message>, time: Res<Time>) {
    if !message.text.is_empty() && !message.is_error {
        message.told += time.delta_secs();
        if message.told > STAY {
            message.dismiss();
        }
    }
}
