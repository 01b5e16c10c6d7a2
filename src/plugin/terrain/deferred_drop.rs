//! Frees lands that are no longer drawn in the background, because the system needs longer than a frame for
//! hundreds of megabytes.

use std::any::Any;

use bevy::prelude::*;

use super::ground::TerrainGround;
use crate::plugin::jobs::workers;

/// The lands that terrains have lost since the last frame.
#[derive(Resource, Default)]
pub(super) struct DeferredDrop(Vec<Box<dyn Any + Send + Sync>>);

/// Keeps the land that a terrain is about to lose, so that it is not freed here.
pub(super) fn keep(
    // `Discard` and not `Remove`: it also comes when an insert replaces the component, which is how a new
    // land takes the place of the old one.
    discarded: On<Discard, TerrainGround>,
    grounds: Query<&TerrainGround>,
    mut dropped: ResMut<DeferredDrop>,
) {
    if let Ok(TerrainGround { landscape, recipe, .. }) = grounds.get(discarded.entity) {
        // This clones only the two `Arc`s. Their last owner frees the memory, and that is to be the worker.
        dropped.0.push(Box::new((landscape.clone(), recipe.clone())));
    }
}

/// Frees the lands that were lost in the frame before.
pub(super) fn give_back(mut dropped: ResMut<DeferredDrop>) {
    // The resource is not marked as changed in frames without lost lands, which are nearly all.
    if !dropped.0.is_empty() {
        // A frame later: until then the component and its systems may still own the land, and the worker
        // would not be the last.
        let lost = std::mem::take(&mut dropped.0);
        workers().spawn(async move { drop(lost) }).detach();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};
    use std::time::Duration;

    use super::*;
    use crate::{Grid, Heightfield};

    struct Tells(Sender<ThreadId>);

    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(current().id()).unwrap();
        }
    }

    #[test]
    fn what_was_lost_is_given_back_on_another_thread() {
        let mut app = App::new();
        let (sender, dropped) = channel();
        app.insert_resource(DeferredDrop(vec![Box::new(Tells(sender))])).add_systems(First, give_back);
        app.update();
        assert_ne!(dropped.recv_timeout(Duration::from_secs(60)).unwrap(), current().id());
        assert!(app.world().resource::<DeferredDrop>().0.is_empty());
    }

    #[test]
    fn ground_is_kept_when_it_is_replaced_and_when_its_terrain_is_gone() {
        let mut app = App::new();
        app.init_resource::<DeferredDrop>().add_observer(keep);
        let ground = || TerrainGround::bare(Heightfield::flat(Grid::new(9, 9, 1.0).unwrap(), 0.0));
        let terrain = app.world_mut().spawn(ground()).id();
        let kept = |app: &App| app.world().resource::<DeferredDrop>().0.len();
        assert_eq!(kept(&app), 0);
        app.world_mut().entity_mut(terrain).insert(ground());
        assert_eq!(kept(&app), 1);
        app.world_mut().despawn(terrain);
        assert_eq!(kept(&app), 2);
    }
}
