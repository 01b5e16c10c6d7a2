//! The sides of a terrain: walls under its border, so that it looks cut out of the ground.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use super::components::TerrainGround;
use crate::Heightfield;
use crate::plugin::material::HeightMapping;

/// Gives a terrain walls under its border, if it has one. Leave it out where another terrain adjoins. Removing the
/// component removes the walls.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct TerrainSides {
    /// Depth of the walls below the lowest point, as a share of the longer side. Default 0.02.
    pub depth: f32,
    /// Colour of the walls.
    pub colour: Color,
}

impl Default for TerrainSides {
    fn default() -> Self {
        Self { depth: 0.02, colour: Color::srgb(0.27, 0.235, 0.2) }
    }
}

/// The walls of a terrain, stored on the terrain's entity.
#[derive(Component)]
pub(crate) struct Walls(Entity);

/// Rebuilds the walls whenever the ground changes.
pub(crate) fn build_sides(
    mut commands: Commands,
    terrains: Query<
        (Entity, &TerrainSides, &TerrainGround, &HeightMapping, Option<&RenderLayers>, Option<&Walls>),
        Or<(Changed<TerrainGround>, Changed<HeightMapping>, Changed<TerrainSides>, Changed<RenderLayers>)>,
    >,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (entity, sides, ground, mapping, layers, walls) in &terrains {
        if let Some(Walls(old)) = walls {
            commands.entity(*old).try_despawn();
        }
        if ground.is_endless() {
            commands.entity(entity).remove::<Walls>();
            continue;
        }
        let mesh = meshes.add(mesh(
            &ground.landscape.heightfield,
            ground.extent(),
            ground.height_range(),
            *mapping,
            sides.depth,
        ));
        let material = materials.add(StandardMaterial {
            base_color: sides.colour,
            perceptual_roughness: 1.0,
            reflectance: 0.1,
            // Mirrored land shows the other side.
            cull_mode: None,
            double_sided: true,
            ..default()
        });
        let layers = layers.cloned().unwrap_or_default();
        let walls = commands
            .spawn((Mesh3d(mesh), MeshMaterial3d(material), NotShadowCaster, layers, ChildOf(entity)))
            .id();
        commands.entity(entity).insert(Walls(walls));
    }
}

/// Removes the walls of a terrain that has lost its sides or its ground.
pub(crate) fn take_down(
    removed: On<Remove, (TerrainSides, TerrainGround)>,
    walls: Query<&Walls>,
    mut commands: Commands,
) {
    if let Ok(&Walls(walls)) = walls.get(removed.entity) {
        commands.entity(walls).try_despawn();
        commands.entity(removed.entity).try_remove::<Walls>();
    }
}

/// Resets the walls' layers when a terrain's layers were removed.
pub(crate) fn leave_layers(removed: On<Remove, RenderLayers>, walls: Query<&Walls>, mut commands: Commands) {
    if let Ok(&Walls(walls)) = walls.get(removed.entity) {
        commands.entity(walls).try_insert(RenderLayers::default());
    }
}

/// Four walls around land of this extent, each a strip from the border's heights down to a common floor below the
/// `(low, high)` range of the field. The field may end short of the land; the border goes on then.
fn mesh(
    field: &Heightfield,
    extent: Vec2,
    (low, high): (f32, f32),
    mapping: HeightMapping,
    depth: f32,
) -> Mesh {
    let grid = field.grid();
    let floor = mapping.map(low).min(mapping.map(high)) - depth * extent.max_element();
    let is_short = grid.extent().cmplt(extent);
    let (last_column, last_row) =
        (grid.width - 1 + usize::from(is_short.x), grid.depth - 1 + usize::from(is_short.y));
    let north: Vec<_> = (0..=last_column).map(|column| (column, 0)).collect();
    let east: Vec<_> = (0..=last_row).map(|row| (last_column, row)).collect();
    let south: Vec<_> = (0..=last_column).rev().map(|column| (column, last_row)).collect();
    let west: Vec<_> = (0..=last_row).rev().map(|row| (0, row)).collect();

    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for (line, normal) in [(north, Vec3::NEG_Z), (east, Vec3::X), (south, Vec3::Z), (west, Vec3::NEG_X)] {
        let first = positions.len() as u32;
        for (column, row) in &line {
            let p = (Vec2::new(*column as f32, *row as f32) * grid.cell).min(extent) - extent / 2.0;
            let top = mapping.map(field.at((*column).min(grid.width - 1), (*row).min(grid.depth - 1)));
            positions.extend([[p.x, top, p.y], [p.x, floor, p.y]]);
            normals.extend([normal.to_array(); 2]);
        }
        for step in 0..line.len() as u32 - 1 {
            let corner = first + 2 * step;
            indices.extend([corner, corner + 2, corner + 1, corner + 1, corner + 2, corner + 3]);
        }
    }
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD);
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals);
    mesh.insert_indices(Indices::U32(indices));
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn walls_follow_the_border_and_end_on_one_floor() {
        let field = Heightfield::from_fn(Grid::new(4, 3, 10.0).unwrap(), |column, row| (column * row) as f32);
        let mesh = mesh(&field, field.grid().extent(), field.range(), HeightMapping::default(), 0.1);
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).unwrap().as_float3().unwrap();
        assert_eq!(positions.len(), 2 * (4 + 3 + 4 + 3));
        for pair in positions.chunks(2) {
            let p_in_field = Vec2::new(pair[0][0], pair[0][2]) + field.grid().extent() / 2.0;
            assert_eq!(pair[0][1], field.sample(p_in_field));
            assert_eq!(pair[1][1], -3.0);
        }
    }

    #[test]
    fn walls_stand_at_the_border_of_a_land_that_the_field_is_short_of() {
        let field = Heightfield::from_fn(Grid::new(4, 3, 10.0).unwrap(), |column, row| (column * row) as f32);
        let extent = Vec2::new(37.0, 20.0);
        let mesh = mesh(&field, extent, field.range(), HeightMapping::default(), 0.1);
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).unwrap().as_float3().unwrap();
        assert_eq!(positions.len(), 2 * (5 + 3 + 5 + 3));
        assert!(positions.iter().all(|p| p[0].abs() == 18.5 || p[2].abs() == 10.0));
        let corner = positions.iter().filter(|p| [p[0], p[2]] == [18.5, 10.0]).map(|p| p[1]);
        assert_eq!(corner.fold(f32::MIN, f32::max), 6.0);
    }

    #[test]
    fn walls_come_and_go_with_the_component_that_asks_for_them() {
        let mut app = App::new();
        app.init_resource::<Assets<Mesh>>()
            .init_resource::<Assets<StandardMaterial>>()
            .add_systems(PostUpdate, build_sides)
            .add_observer(take_down)
            .add_observer(leave_layers);
        let ground = TerrainGround::bare(Heightfield::flat(Grid::new(4, 3, 10.0).unwrap(), 5.0));
        let terrain = app.world_mut().spawn((TerrainSides::default(), ground, HeightMapping::default())).id();
        let walls = |app: &mut App| {
            app.update();
            app.world_mut().query_filtered::<(), With<Mesh3d>>().iter(app.world()).count()
        };
        assert_eq!(walls(&mut app), 1);
        app.world_mut().entity_mut(terrain).remove::<TerrainSides>();
        assert_eq!(walls(&mut app), 0);
        app.world_mut().entity_mut(terrain).insert(TerrainSides { depth: 0.5, ..default() });
        assert_eq!(walls(&mut app), 1);
        app.world_mut().entity_mut(terrain).insert(TerrainSides::default());
        assert_eq!(walls(&mut app), 1, "the old ones are gone");

        let layers = |app: &mut App| {
            app.update();
            app.world_mut()
                .query_filtered::<&RenderLayers, With<Mesh3d>>()
                .single(app.world())
                .unwrap()
                .clone()
        };
        app.world_mut().entity_mut(terrain).insert(RenderLayers::layer(3));
        assert_eq!(layers(&mut app), RenderLayers::layer(3));
        app.world_mut().entity_mut(terrain).remove::<RenderLayers>();
        assert_eq!(layers(&mut app), RenderLayers::default());
    }

    #[test]
    fn a_single_sample_has_walls_of_no_width() {
        let field = Heightfield::flat(Grid::new(1, 1, 1.0).unwrap(), 5.0);
        let mesh = mesh(&field, Vec2::ZERO, field.range(), HeightMapping::default(), 0.1);
        assert_eq!(mesh.indices().unwrap().len(), 0);
    }
}
