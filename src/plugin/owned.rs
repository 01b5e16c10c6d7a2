//! Entities that belong to one of a game's, such as the chunks of a terrain and the backdrop of a sky.
//!
//! A command runs later than the system that queues it. By then the game, or an observer of an event that was
//! queued earlier, may have despawned the owner or removed what made it one. An entity that was spawned all
//! the same would belong to nothing: it would be drawn, or stood on, for ever.

use bevy::prelude::*;

/// Spawns an entity that belongs to `owner`, unless by then `owner` is gone or has lost the component `Owner`.
/// The bundle has the relationship with the owner, such as [`ChildOf`].
///
/// Further commands to the entity must allow for it not to exist: `try_insert` instead of `insert`.
pub(super) fn spawn_owned<'a, Owner: Component>(
    commands: &'a mut Commands,
    owner: Entity,
    bundle: impl Bundle,
) -> EntityCommands<'a> {
    let mut entity = commands.spawn_empty();
    entity.queue_silenced(move |mut entity: EntityWorldMut| {
        if is_owner::<Owner>(&entity, owner) {
            entity.insert(bundle);
        } else {
            entity.despawn();
        }
    });
    entity
}

/// As [`spawn_owned`], for an entity that a game's own code adds to: the commands of `add` may insist that the
/// entity exists. Without an owner it is despawned after them, and has never had the bundle.
pub(super) fn spawn_owned_with<Owner: Component, T>(
    commands: &mut Commands,
    owner: Entity,
    bundle: impl Bundle,
    add: impl FnOnce(&mut EntityCommands) -> T,
) -> (Entity, T) {
    let mut entity = commands.spawn_empty();
    entity.queue_silenced(move |mut entity: EntityWorldMut| {
        if is_owner::<Owner>(&entity, owner) {
            entity.insert(bundle);
        }
    });
    let outcome = add(&mut entity);
    entity.queue_silenced(move |entity: EntityWorldMut| {
        if !is_owner::<Owner>(&entity, owner) {
            entity.despawn();
        }
    });
    (entity.id(), outcome)
}

/// Inserts what follows from the component `Owner`, unless by then the entity is gone or has lost that.
pub(super) fn insert_with<Owner: Component>(commands: &mut EntityCommands, bundle: impl Bundle) {
    commands.queue_silenced(move |mut entity: EntityWorldMut| {
        if entity.contains::<Owner>() {
            entity.insert(bundle);
        }
    });
}

fn is_owner<Owner: Component>(entity: &EntityWorldMut, owner: Entity) -> bool {
    entity.world().get::<Owner>(owner).is_some()
}

/// Runs a system, and `lose` on an owner before the system's commands: as if a game had queued that earlier in
/// the same stage.
#[cfg(test)]
pub(super) fn run_and_lose<Marker>(
    world: &mut World,
    system: impl IntoSystem<(), (), Marker>,
    owner: Entity,
    lose: impl FnOnce(EntityWorldMut),
) {
    let mut system = IntoSystem::into_system(system);
    system.initialize(world);
    system.run_without_applying_deferred((), world).unwrap();
    lose(world.entity_mut(owner));
    system.apply_deferred(world);
}

/// What may become of an owner before commands that spawn for it.
#[cfg(test)]
pub(super) fn losses<Owner: Component>() -> [fn(EntityWorldMut); 2] {
    [|owner| owner.despawn(), |mut owner| _ = owner.remove::<Owner>()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component)]
    struct Land;

    #[derive(Component)]
    struct Tree;

    #[derive(Component)]
    struct Nest;

    fn count<C: Component>(world: &mut World) -> usize {
        world.query::<&C>().iter(world).count()
    }

    /// A world with a land, on which a system has run, and the land.
    fn planted<M>(system: impl IntoSystem<(), (), M>, lose: impl FnOnce(EntityWorldMut)) -> (World, Entity) {
        let mut world = World::new();
        let land = world.spawn(Land).id();
        run_and_lose(&mut world, system, land, lose);
        (world, land)
    }

    fn plant(land: Single<Entity, With<Land>>, mut commands: Commands) {
        let mut tree = spawn_owned::<Land>(&mut commands, *land, (Tree, ChildOf(*land)));
        tree.try_insert(Nest);
    }

    /// A game's code insists on the entity.
    fn plant_with(land: Single<Entity, With<Land>>, mut commands: Commands) {
        let bundle = (Tree, ChildOf(*land));
        spawn_owned_with::<Land, _>(&mut commands, *land, bundle, |tree| {
            tree.insert(Nest).observe(|_: On<Add, Nest>| ()).with_child(Nest);
        });
    }

    #[test]
    fn what_is_owned_is_spawned_while_its_owner_exists() {
        let (mut world, land) = planted(plant, |_| ());
        assert_eq!((count::<Tree>(&mut world), count::<Nest>(&mut world)), (1, 1));
        assert_eq!(world.get::<Children>(land).map(|children| children.len()), Some(1));
        let (mut world, land) = planted(plant_with, |_| ());
        assert_eq!((count::<Tree>(&mut world), count::<Nest>(&mut world)), (1, 2));
        assert_eq!(world.get::<Children>(land).map(|children| children.len()), Some(1));
    }

    #[test]
    fn nothing_is_left_of_what_is_spawned_for_an_owner_that_is_gone() {
        for lose in losses::<Land>() {
            let (mut world, _) = planted(plant, lose);
            assert_eq!((count::<Tree>(&mut world), count::<Nest>(&mut world)), (0, 0));
            let (mut world, _) = planted(plant_with, lose);
            assert_eq!((count::<Tree>(&mut world), count::<Nest>(&mut world)), (0, 0));
        }
    }

    #[test]
    fn what_follows_from_a_component_is_inserted_with_it_alone() {
        fn follow(land: Single<Entity, With<Land>>, mut commands: Commands) {
            insert_with::<Land>(&mut commands.entity(*land), Nest);
        }
        assert_eq!(count::<Nest>(&mut planted(follow, |_| ()).0), 1);
        for lose in losses::<Land>() {
            assert_eq!(count::<Nest>(&mut planted(follow, lose).0), 0);
        }
    }
}
