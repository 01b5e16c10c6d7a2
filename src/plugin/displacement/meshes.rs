//! The meshes that are displaced: whether they can be, and how far out they may be seen.

use std::sync::Arc;

use bevy::asset::AssetId;
use bevy::camera::primitives::{Aabb, MeshAabb};
use bevy::camera::visibility::NoAutoAabb;
use bevy::prelude::*;

use super::material::DisplacedMaterial;
use crate::Error;
use crate::plugin::events::{Failure, report_failure, unknown_error};

/// Sent, once, when the mesh of an entity with a [`DisplacedMaterial`] cannot be displaced. The entity gets
/// the material's base in its place, so that its mesh is drawn as it is. An event and a message.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct DisplacementFailed {
    /// The entity with the mesh.
    pub entity: Entity,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl DisplacementFailed {
    fn new(entity: Entity, cause: Error) -> Self {
        Self { entity, error: cause.to_string(), cause: Arc::new(cause) }
    }
}

impl Failure for DisplacementFailed {
    fn describe(&self) -> String {
        format!("displacement of {}: {}", self.entity, self.error)
    }
}

/// The inputs of an entity's bounds.
#[derive(Component, Clone, Copy, PartialEq)]
pub(super) struct Bounded {
    mesh: AssetId<Mesh>,
    reach: f32,
}

/// Reports meshes that cannot be displaced, and gives the others bounds that hold what is displaced: Bevy's
/// own are those of the mesh at rest.
pub(super) fn look_over(
    mut commands: Commands,
    drawn: Query<(Entity, &Mesh3d, &MeshMaterial3d<DisplacedMaterial>, Option<&Bounded>)>,
    meshes: Res<Assets<Mesh>>,
    materials: Res<Assets<DisplacedMaterial>>,
    mut standard: ResMut<Assets<StandardMaterial>>,
) {
    for (entity, mesh_handle, material, bounded) in &drawn {
        let (Some(mesh), Some(material)) = (meshes.get(mesh_handle), materials.get(material)) else {
            continue;
        };
        let now = Bounded { mesh: mesh_handle.id(), reach: material.extension.reach() };
        // Searched once, until the mesh or the reach of its material changes.
        if bounded == Some(&now) {
            continue;
        }
        // A mesh that is on the device alone was looked over when it came.
        let lacks = [
            (Mesh::ATTRIBUTE_NORMAL, "normals", "compute_smooth_normals()"),
            (Mesh::ATTRIBUTE_UV_0, "texture coordinates", "ATTRIBUTE_UV_0"),
        ]
        .into_iter()
        .filter(|(attribute, ..)| !mesh.try_contains_attribute(attribute.id).unwrap_or(true));
        let (lacks, remedies): (Vec<_>, Vec<_>) = lacks.map(|(_, name, remedy)| (name, remedy)).unzip();
        if !lacks.is_empty() {
            let reason = format!(
                "of {entity} has no {}, along and by which it would be displaced; give it {}",
                lacks.join(" and no "),
                remedies.join(" and "),
            );
            let base = standard.add(material.base.clone());
            commands
                .entity(entity)
                .try_remove::<MeshMaterial3d<DisplacedMaterial>>()
                .try_insert(MeshMaterial3d(base));
            report_failure(
                &mut commands,
                DisplacementFailed::new(entity, Error::parameter("the mesh", reason)),
            );
            continue;
        }
        if let Some(mut bounds) = mesh.compute_aabb().filter(|_| now.reach.is_finite()) {
            // Along normals, which may point anywhere: the box grows to all sides. `NoAutoAabb` keeps Bevy
            // from computing it again.
            bounds.half_extents += Vec3A::splat(now.reach);
            commands.entity(entity).try_insert((bounds, NoAutoAabb));
        } else {
            commands.entity(entity).try_remove::<(Aabb, NoAutoAabb)>();
        }
        commands.entity(entity).try_insert(now);
    }
}
