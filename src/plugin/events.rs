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

/// An event that says that something has failed.
pub(crate) trait Failure {
    /// What has failed, and why, for the log.
    fn report(&self) -> String;
}

/// Tells of a failure as of anything else, and writes it to the log: who observes nothing is not left with an empty window.
pub(crate) fn tell_failure<'a, E>(commands: &mut Commands, event: E)
where
    E: Event<Trigger<'a>: Default> + Message + Clone + Failure,
{
    tracing::error!("{}", event.report());
    tell(commands, event);
}

/// What stands for an error that was not reflected: errors hold what cannot be copied.
pub(crate) fn unknown_error() -> Arc<Error> {
    Arc::new(Error::parameter("event", "the reason is unknown: it was not part of what was reflected"))
}
