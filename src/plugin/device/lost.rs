//! A graphics device that is lost: its driver has been restarted or updated, or it has been unplugged.
//!
//! Bevy's [`RenderErrorHandler`] decides what happens to the app then; by default it ends it.
//!
//! [`RenderErrorHandler`]: bevy::render::error_handler::RenderErrorHandler

use bevy::prelude::*;
use bevy::render::error_handler::{ErrorType, RenderError, RenderErrorPolicy};

/// Why nothing is drawn any more.
#[derive(Resource, Clone, Debug)]
pub(crate) struct DeviceFailure(pub(crate) String);

/// A handler of render errors that notes a [`DeviceFailure`] and draws no more.
pub(crate) fn note_failure(
    error: &RenderError,
    main_world: &mut World,
    _render_world: &mut World,
) -> RenderErrorPolicy {
    // The first error is the cause; others follow from it.
    if !main_world.contains_resource::<DeviceFailure>() {
        main_world.insert_resource(DeviceFailure(describe(error)));
    }
    RenderErrorPolicy::StopRendering
}

/// The error for people.
fn describe(error: &RenderError) -> String {
    let what = match error.ty {
        ErrorType::DeviceLost => "the graphics device was lost",
        ErrorType::OutOfMemory => "the graphics device has no memory left",
        ErrorType::Validation | ErrorType::Internal => "the graphics device refused to draw",
    };
    let reason = error.description.trim();
    if reason.is_empty() { what.into() } else { format!("{what} ({reason})") }
}
