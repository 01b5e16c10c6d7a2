//! What is told as an event, for observers, and as a message, for systems that read when they like.

use std::sync::Arc;

use bevy::prelude::*;

use crate::Error;

/// Tells observers, and those who read messages.
pub(crate) fn tell<'a, E>(commands: &mut Commands, event: E)
where
    E: Event<Trigger<'a>: Default> + Message + Clone,
{
    commands.write_message(event.clone());
    commands.trigger(event);
}

/// What stands for an error that was not reflected: errors hold what cannot be copied.
pub(crate) fn unknown_error() -> Arc<Error> {
    Arc::new(Error::parameter("event", "the reason is unknown: it was not part of what was reflected"))
}
