//! Terrain colliders for the physics engine rapier.

use bevy::prelude::*;
use bevy_rapier3d::plugin::PhysicsSet;
use bevy_rapier3d::prelude::{
    Collider, CollisionGroups, Friction, Restitution, RigidBody, RigidBodyDisabled, Sleeping, SolverGroups,
};

use super::components::{
    AwaitsGround, ColliderNeed, TerrainCollider, TerrainColliderOf, TerrainCollidersFailed,
};
use super::shape::shape_in;
use super::streamed;
use super::{TerrainColliderPlugin, TerrainColliderSystems};
use crate::Error;
use crate::plugin::events::report_failure;
use crate::plugin::floating_origin::FloatingOriginSystems;

shape_in!(bevy_rapier3d::parry);

/// Gives terrains fixed rigid bodies of [rapier](bevy_rapier3d), round each entity with a [`ColliderNeed`].
///
/// [`CollisionGroups`], [`SolverGroups`], [`Friction`] and [`Restitution`] of the terrain's entity are copied
/// to its colliders as they are made. Adding the plugin more than once is the same as once.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_rapier3d::prelude::*;
/// use upland::plugin::{ColliderNeed, RapierTerrainPlugin, Terrain, TerrainPlugin};
///
/// fn main() {
///     let physics = RapierPhysicsPlugin::<NoUserData>::default();
///     App::new()
///         .add_plugins((DefaultPlugins, physics, TerrainPlugin, RapierTerrainPlugin))
///         .add_systems(Startup, |mut commands: Commands| {
///             commands.spawn(Terrain::from_file("alps.tif"));
///             let ball = (RigidBody::Dynamic, Collider::ball(0.5), ColliderNeed::default());
///             commands.spawn((ball, Transform::from_xyz(0.0, 3000.0, 0.0)));
///         })
///         .run();
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RapierTerrainPlugin;

/// Says that the plugin is there.
#[derive(Resource)]
struct Added;

/// A body that was disabled here. Reflected, so that a scene holds it together with what disables the body:
/// without it, that would count as the game's.
#[derive(Component, Default, Reflect)]
#[type_path = "upland::plugin::rapier"]
#[reflect(Component, Default)]
struct Held;

impl Plugin for RapierTerrainPlugin {
    fn is_unique(&self) -> bool {
        false
    }

    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<Added>() {
            return;
        }
        app.insert_resource(Added)
            .add_plugins(TerrainColliderPlugin)
            .register_type::<Held>()
            // Rapier writes back where bodies are, which must not undo a move of the world.
            .configure_sets(PostUpdate, FloatingOriginSystems.after(PhysicsSet::Writeback))
            .add_systems(PostUpdate, give_shapes.after(streamed::stream).in_set(TerrainColliderSystems))
            .add_observer(hold)
            .add_observer(release);
    }
}

fn give_shapes(
    mut commands: Commands,
    changed: Query<(Entity, &TerrainCollider, &TerrainColliderOf, &Transform), Changed<TerrainCollider>>,
    terrains: Query<(
        Option<&CollisionGroups>,
        Option<&SolverGroups>,
        Option<&Friction>,
        Option<&Restitution>,
    )>,
    mut bodies: Query<(&mut Sleeping, &GlobalTransform), With<ColliderNeed>>,
) {
    for (entity, collider, of, transform) in &changed {
        let shape = match shape_of(collider) {
            Ok(shape) => shape,
            Err(error) => {
                let error = Error::parameter("terrain collider", error);
                report_failure(&mut commands, TerrainCollidersFailed::new(of.0, error));
                continue;
            }
        };
        let mut tile = commands.entity(entity);
        match shape {
            Some(shape) => tile.try_insert((RigidBody::Fixed, Collider::from(shape))),
            // All of the tile has become a hole.
            None => tile.try_remove::<Collider>(),
        };
        if let Ok((groups, solver, friction, restitution)) = terrains.get(of.0) {
            groups.map(|groups| tile.try_insert(*groups));
            solver.map(|solver| tile.try_insert(*solver));
            friction.map(|friction| tile.try_insert(*friction));
            restitution.map(|restitution| tile.try_insert(*restitution));
        }
        // Engines put resting bodies to sleep and do not look at ground under them again.
        let reach = collider.size().length();
        for (mut sleeping, place) in &mut bodies {
            if sleeping.sleeping && place.translation().xz().distance(transform.translation.xz()) < reach {
                sleeping.sleeping = false;
            }
        }
    }
}

fn hold(added: On<Add, AwaitsGround>, bodies: Query<(), Without<RigidBodyDisabled>>, mut commands: Commands) {
    // A body that the game has disabled itself stays so.
    if bodies.contains(added.entity) {
        commands.entity(added.entity).try_insert((RigidBodyDisabled, Held));
    }
}

fn release(removed: On<Remove, AwaitsGround>, held: Query<(), With<Held>>, mut commands: Commands) {
    if held.contains(removed.entity) {
        commands.entity(removed.entity).try_remove::<(RigidBodyDisabled, Held)>();
    }
}
