//! The actions that wait to be performed.

use bevy::prelude::*;

use super::{Action, WindowState, refused};

/// Actions in the order in which they were sent, and the state by which some are refused.
#[derive(Resource, Default)]
pub(crate) struct ActionQueue {
    /// The state of the window when this frame began.
    pub state: WindowState,
    waiting: Vec<Action>,
}

impl ActionQueue {
    /// Sends an action, which is performed in this frame unless it is refused.
    pub fn send(&mut self, action: Action) {
        self.waiting.push(action);
    }

    /// Why an action would be refused.
    pub fn refused(&self, action: &Action) -> Option<&str> {
        refused(action, &self.state)
    }

    /// Hands out what has been sent.
    pub fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.waiting)
    }
}
