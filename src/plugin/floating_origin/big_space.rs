//! Terrains in the grids of the crate `big_space`.

use bevy::math::DAffine3;
use bevy::prelude::*;
use big_space::plugin::BigSpaceSystems;
use big_space::prelude::{CellCoord, Grid};

use super::place::PrecisePlace;

/// Lets terrains follow their grids.
pub(crate) fn follow_big_space(app: &mut App) {
    app.add_systems(
        PostUpdate,
        follow_grids.in_set(TransformSystems::Propagate).after(BigSpaceSystems::LocalFloatingOrigins),
    );
}

/// Tells each terrain that lies in a cell of a grid where it is relative to the floating origin, in 64 bits: what
/// `big_space` writes into its [`GlobalTransform`] is rounded to 32, which is some centimetres 1000 km away.
fn follow_grids(
    grids: Query<&Grid>,
    mut terrains: Query<(&CellCoord, &Transform, &ChildOf, &mut PrecisePlace)>,
    mut left: RemovedComponents<CellCoord>,
    mut others: Query<&mut PrecisePlace, Without<CellCoord>>,
) {
    for entity in left.read() {
        if let Ok(mut place) = others.get_mut(entity) {
            place.set_if_neq(PrecisePlace(None));
        }
    }
    for (cell, transform, parent, mut place) in &mut terrains {
        let Ok(grid) = grids.get(parent.parent()) else {
            place.set_if_neq(PrecisePlace(None));
            continue;
        };
        let origin = grid.local_floating_origin();
        // In cells from the floating origin's, as whole numbers: the difference is exact.
        let from_origin = grid.cell_to_float(&(*cell - origin.cell()));
        let in_grid = DAffine3::from_scale_rotation_translation(
            transform.scale.as_dvec3(),
            transform.rotation.as_dquat(),
            transform.translation.as_dvec3() + from_origin,
        );
        place.set_if_neq(PrecisePlace(Some(origin.grid_transform() * in_grid)));
    }
}
