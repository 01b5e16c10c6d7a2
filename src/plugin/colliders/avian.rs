//! Terrain colliders for the physics engine avian.

use avian3d::dynamics::solver::islands::WakeBody;
use avian3d::prelude::{
    Collider, ColliderOf, CollisionLayers, Friction, PhysicsSystems, Restitution, RigidBody,
    RigidBodyColliders, RigidBodyDisabled, Sleeping,
};
use bevy::prelude::*;

use super::components::{
    AwaitsGround, ColliderNeed, TerrainCollider, TerrainColliderOf, TerrainCollidersFailed,
};
use super::shape::shape_in;
use super::streamed;
use super::{TerrainColliderPlugin, TerrainColliderSystems};
use crate::Error;
use crate::plugin::events::report_failure;
use crate::plugin::floating_origin::FloatingOriginSystems;

shape_in!(avian3d::parry);

/// Gives terrains static rigid bodies of [avian](avian3d), round each entity with a [`ColliderNeed`].
///
/// [`CollisionLayers`], [`Friction`] and [`Restitution`] of the terrain's entity are copied to its colliders
/// as they are made. Adding the plugin more than once is the same as once.
///
/// ```no_run
/// use avian3d::prelude::*;
/// use bevy::prelude::*;
/// use upland::plugin::{AvianTerrainPlugin, ColliderNeed, Terrain, TerrainPlugin};
///
/// fn main() {
///     App::new()
///         .add_plugins((DefaultPlugins, PhysicsPlugins::default(), TerrainPlugin, AvianTerrainPlugin))
///         .add_systems(Startup, |mut commands: Commands| {
///             commands.spawn(Terrain::from_file("alps.tif"));
///             let ball = (RigidBody::Dynamic, Collider::sphere(0.5), ColliderNeed::default());
///             commands.spawn((ball, Transform::from_xyz(0.0, 3000.0, 0.0)));
///         })
///         .run();
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AvianTerrainPlugin;

/// Says that the plugin is there.
#[derive(Resource)]
struct Added;

/// A body that was disabled here. Reflected, so that a scene holds it together with what disables the body:
/// without it, that would count as the game's.
#[derive(Component, Default, Reflect)]
#[type_path = "upland::plugin::avian"]
#[reflect(Component, Default)]
struct Held;

impl Plugin for AvianTerrainPlugin {
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
            // Physics may be set to run in `PostUpdate`; it then writes places back, which must not undo a
            // move of the world.
            .configure_sets(PostUpdate, FloatingOriginSystems.after(PhysicsSystems::Last))
            .add_systems(PostUpdate, give_shapes.after(streamed::stream).in_set(TerrainColliderSystems))
            .add_observer(hold)
            .add_observer(release);
    }
}

fn give_shapes(
    mut commands: Commands,
    changed: Query<(Entity, &TerrainCollider, &TerrainColliderOf, &Transform), Changed<TerrainCollider>>,
    terrains: Query<(Option<&CollisionLayers>, Option<&Friction>, Option<&Restitution>)>,
    sleeping: Query<(Entity, &GlobalTransform), (With<Sleeping>, With<ColliderNeed>)>,
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
            Some(shape) => tile.try_insert((RigidBody::Static, Collider::from(shape))),
            // All of the tile has become a hole.
            None => tile.try_remove::<Collider>(),
        };
        if let Ok((layers, friction, restitution)) = terrains.get(of.0) {
            layers.map(|layers| tile.try_insert(*layers));
            friction.map(|friction| tile.try_insert(*friction));
            restitution.map(|restitution| tile.try_insert(*restitution));
        }
        // Engines put resting bodies to sleep and do not look at ground under them again.
        let reach = collider.size().length();
        for (body, place) in &sleeping {
            if place.translation().xz().distance(transform.translation.xz()) < reach {
                commands.queue_silenced(WakeBody(body));
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

fn release(
    removed: On<Remove, AwaitsGround>,
    held: Query<Option<&RigidBodyColliders>, With<Held>>,
    mut commands: Commands,
) {
    let Ok(colliders) = held.get(removed.entity) else { return };
    commands.entity(removed.entity).try_remove::<(RigidBodyDisabled, Held)>();
    // avian 0.7 does not notice that a body is enabled again: it goes on marking the body's colliders as
    // disabled, and then adds each of their contacts twice. That fails an assertion, or without assertions
    // breaks its list of contacts (its issue 1067). Attached again, the colliders get the right mark.
    for collider in colliders.into_iter().flatten() {
        commands.entity(collider).try_insert(ColliderOf { body: removed.entity });
    }
}
