//! Reports that are events, for observers, and messages, for systems that read them when they like.

use std::sync::Arc;

use bevy::prelude::*;

use crate::Error;

/// Reports to observers, and to those who read messages.
pub(crate) fn report<'a, E>(commands: &mut Commands, event: E)
where
    E: Event<Trigger<'a>: Default> + Message + Clone,
{
    commands.write_message(event.clone());
    commands.trigger(event);
}

/// An event that says that something has failed.
pub(crate) trait Failure {
    /// The part that has failed, and the reason, for the log.
    fn describe(&self) -> String;
}

/// Reports a failure like anything else, and writes it to the log: a game that observes nothing would
/// otherwise show an empty window without a reason.
pub(crate) fn report_failure<'a, E>(commands: &mut Commands, event: E)
where
    E: Event<Trigger<'a>: Default> + Message + Clone + Failure,
{
    tracing::error!("{}", event.describe());
    report(commands, event);
}

/// The stand-in for an error that was not reflected: errors hold what cannot be copied.
pub(crate) fn unknown_error() -> Arc<Error> {
    Arc::new(Error::parameter("event", "the reason is unknown: it was not part of what was reflected"))
}
