//! Opening the land of plans, which may be far away: on a thread of its own, while the window goes on.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Mutex, PoisonError};

use bevy::prelude::*;

use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::viewer::session::DocumentRequest;
use crate::viewer::session::status_message::Message;

/// A plan that is being opened.
#[derive(Resource)]
struct OpeningPlan {
    /// The document that its land takes the place of.
    document: Entity,
    place: String,
    outcome: Mutex<Receiver<Result<Recipe>>>,
}

/// Begins to open a plan in place of a document. Another one that is being opened is given up.
pub(super) fn begin(world: &mut World, document: Entity, place: String) {
    let (sender, outcome) = channel();
    let name = place.clone();
    let started = std::thread::Builder::new().name("plan".into()).spawn(move || {
        // Nothing receives it if another plan was opened meanwhile.
        let _ = sender.send(upland_world::open(&name));
    });
    let mut message = world.resource_mut::<Message>();
    if let Err(error) = started {
        message.error(Error::io(&place, "start a thread to open", error).to_string());
        return;
    }
    message.report(format!("Opening {place} …"));
    world.insert_resource(OpeningPlan { document, place, outcome: Mutex::new(outcome) });
}

/// Adds the systems.
pub(crate) fn add(app: &mut App) {
    app.add_systems(Update, (finish, report_notes));
}

/// Shows the land of a plan that was opened.
fn finish(
    opening: Option<Res<OpeningPlan>>,
    mut commands: Commands,
    mut requests: MessageWriter<DocumentRequest>,
    mut message: ResMut<Message>,
) {
    let Some(opening) = opening else { return };
    let outcome = opening.outcome.lock().unwrap_or_else(PoisonError::into_inner).try_recv();
    match outcome {
        Err(TryRecvError::Empty) => return,
        Err(TryRecvError::Disconnected) => {
            message.error(format!("Opening {} has failed; try again", opening.place));
        }
        Ok(Err(error)) => message.error(error.to_string()),
        Ok(Ok(recipe)) => {
            let (recipe, path) = (Box::new(recipe), Some(PathBuf::from(&opening.place)));
            requests.write(DocumentRequest::Show { document: opening.document, recipe, path });
        }
    }
    commands.remove_resource::<OpeningPlan>();
}

/// Shows what was noted while tiles were read, such as that one is damaged.
fn report_notes(mut message: ResMut<Message>) {
    for note in upland_world::take_notes() {
        message.error(note);
    }
}
