//! The one-line message in the window.

use bevy::prelude::*;

use crate::shown::shown;

/// The current message, and its age.
#[derive(Resource, Default)]
pub(super) struct Message {
    /// The text; empty if there is none.
    pub text: String,
    /// Whether it is an error. Errors stay until they are dismissed.
    pub is_error: bool,
    told: f32,
}

/// Seconds for which other messages stay.
const STAY: f32 = 6.0;

impl Message {
    /// Reports what was done.
    pub fn tell(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), is_error: false, told: 0.0 };
    }

    /// Reports an error.
    pub fn error(&mut self, text: impl Into<String>) {
        *self = Self { text: shown(&text.into()).into_owned(), is_error: true, told: 0.0 };
        error!("{}", self.text);
    }

    /// Removes the message.
    pub fn dismiss(&mut self) {
        self.text.clear();
    }
}

/// Removes messages after their time.
pub(super) fn fade(mut message: ResMut<Message>, time: Res<Time>) {
    if !message.text.is_empty() && !message.is_error {
        message.told += time.delta_secs();
        if message.told > STAY {
            message.dismiss();
        }
    }
}
