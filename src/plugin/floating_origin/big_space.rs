//! Terrains in the grids of the crate `big_space`.

use bevy::math::DAffine3;
use bevy::prelude::*;
use big_space::grid::propagation::LowPrecisionRoot;
use big_space::plugin::BigSpaceSystems;
use big_space::prelude::{CellCoord, Grid};

use super::place::PrecisePlace;

/// Lets terrains follow their grids.
pub(crate) fn follow_big_space(app: &mut App) {
    app.add_systems(
        PostUpdate,
        // Once `big_space` knows where its floating origin lies in each grid, and in the set after which
        // games may read places.
        follow_grids.in_set(TransformSystems::Propagate).after(BigSpaceSystems::LocalFloatingOrigins),
    );
    app.add_observer(mark_parts);
}

/// Marks what terrains are drawn with as `big_space` itself does a frame later: chunks are spawned after
/// transforms have been propagated, and before its check of the hierarchy, which reports each that is not
/// marked.
fn mark_parts(
    added: On<Add, Mesh3d>,
    parts: Query<&ChildOf, Without<CellCoord>>,
    terrains: Query<(), (With<PrecisePlace>, With<CellCoord>)>,
    mut commands: Commands,
) {
    if parts.get(added.entity).is_ok_and(|parent| terrains.contains(parent.parent())) {
        commands.entity(added.entity).try_insert(LowPrecisionRoot);
    }
}

/// Gives each terrain in a cell of a grid its place relative to the floating origin in 64 bits. The
/// [`GlobalTransform`] that `big_space` writes is rounded to 32 bits, which is some centimetres 1000 km away.
fn follow_grids(
    grids: Query<&Grid>,
    mut terrains: Query<(&CellCoord, &Transform, &ChildOf, &mut PrecisePlace)>,
    mut left: RemovedComponents<CellCoord>,
    mut others: Query<&mut PrecisePlace, Without<CellCoord>>,
) {
    // A terrain that has left its grid counts by its transform again.
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

#[cfg(test)]
mod tests {
    use big_space::plugin::BigSpaceMinimalPlugins;
    use big_space::prelude::*;

    use super::*;

    /// Stands for the terrain's systems at the end of a frame: spawns a part of every land that has none.
    fn spawn_parts(lands: Query<Entity, (With<PrecisePlace>, Without<Children>)>, mut commands: Commands) {
        for land in &lands {
            commands.spawn((ChildOf(land), Mesh3d::default(), Transform::default()));
        }
    }

    #[test]
    fn what_a_terrain_is_drawn_with_is_known_to_big_space_in_its_first_frame() {
        let mut app = App::new();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), BigSpaceMinimalPlugins));
        follow_big_space(&mut app);
        app.add_systems(PostUpdate, spawn_parts.after(TransformSystems::Propagate));
        app.world_mut().commands().spawn_big_space(Grid::new(3000.0, 100.0), |grid| {
            grid.spawn_spatial(PrecisePlace::default());
            grid.spawn_spatial(big_space::prelude::FloatingOrigin);
        });
        let elsewhere = app.world_mut().spawn(PrecisePlace::default()).id();
        app.update();
        let world = app.world_mut();
        let mut parts = world.query_filtered::<(&ChildOf, Has<LowPrecisionRoot>), With<Mesh3d>>();
        let marked: Vec<_> =
            parts.iter(world).map(|(parent, is)| (parent.parent() == elsewhere, is)).collect();
        assert_eq!(marked.len(), 2);
        assert!(marked.contains(&(false, true)) && marked.contains(&(true, false)), "{marked:?}");
    }
}
