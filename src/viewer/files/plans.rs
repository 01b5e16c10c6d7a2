//! Opens the land of plans on a thread of its own, because a plan may be in a store far away.

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

/// Begins to open a plan in place of a document. A plan that is still being opened is dropped.
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

/// Shows notes on the tiles that were read: that one is damaged, for example.
fn report_notes(mut message: ResMut<Message>) {
    for note in upland_world::take_notes() {
        message.error(note);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use upland_world::{NewPlan, Store};

    use super::*;
    use crate::compute::work::Work;

    /// The request that comes of opening a plan, or the message why there is none.
    fn outcome(place: &Path) -> std::result::Result<DocumentRequest, String> {
        let mut app = App::new();
        app.add_message::<DocumentRequest>().init_resource::<Message>();
        add(&mut app);
        begin(app.world_mut(), Entity::PLACEHOLDER, place.to_str().unwrap().to_owned());
        assert!(app.world().resource::<Message>().text.starts_with("Opening "));
        let start = Instant::now();
        while app.world().contains_resource::<OpeningPlan>() {
            assert!(start.elapsed() < Duration::from_secs(60), "it takes too long");
            app.update();
        }
        let request = app.world_mut().resource_mut::<Messages<DocumentRequest>>().drain().next();
        request.ok_or_else(|| app.world().resource::<Message>().text.clone())
    }

    #[test]
    fn a_plan_is_shown_under_its_recipes_name_and_a_place_without_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = outcome(folder.path()).unwrap_err();
        assert!(error.contains("plan.json"), "{error}");

        let text = r#"(version: 1, name: "Downs", size: (65, 65), cell: 20, steps: [fbm()])"#;
        let recipe = Recipe::from_ron(text, "downs.ron").unwrap();
        let store = Arc::new(Store::folder(folder.path()));
        assert!(NewPlan::default().draw(&recipe, &Work::new()).unwrap().write(&store).unwrap());
        match outcome(&folder.path().join("plan.json")).unwrap() {
            DocumentRequest::Show { document, recipe, path } => {
                assert_eq!((document, &*recipe.name), (Entity::PLACEHOLDER, "Downs"));
                assert_eq!(recipe.steps.iter().map(|step| step.name()).collect::<Vec<_>>(), ["planned"]);
                assert_eq!(path.as_deref(), Some(&*folder.path().join("plan.json")));
            }
            other => panic!("{other:?}"),
        }
    }
}
