// The walls under the border of land that ends: they stand on the very vertices that the ground is drawn
// with.
#define_import_path upland::wall

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    cdlod::Chunk,
    field::field,
    land::{QUADS, last},
    surface::Surface,
}

// The height of a wall's vertex, metres as drawn. Its position runs 0 to 1 over the chunk, and is 0 at the
// ground and 1 at the wall's foot; `outwards` is east and south where the wall faces. Where the land goes on
// beyond it, there is no wall: it has no height.
fn down_wall(chunk: Chunk, position: vec3<f32>, outwards: vec2<f32>, ground: f32) -> f32 {
    // Quads from the vertex to the border.
    let before = chunk.first_index + vec2<i32>(round(position.xz * f32(QUADS)));
    let behind = last(chunk.level) - before;
    let to_border = select(before, behind, outwards > vec2(0.0));
    // One mesh with walls on all sides serves every chunk at the border: those walls that are not on it have
    // no height.
    let is_border = any((to_border <= vec2(0)) & (outwards != vec2(0.0)));
    return select(ground, field.wall_foot, is_border && position.y > 0.0);
}

// The unit normal in the world of a wall that faces `outwards`.
fn wall_normal(outwards: vec2<f32>) -> vec3<f32> {
    return normalize((field.world_from_anchor * vec4(outwards.x, 0.0, outwards.y, 0.0)).xyz);
}

// The look of a wall, from either side.
fn bare_wall(normal: vec3<f32>, p_in_world: vec3<f32>) -> Surface {
    // Walls are not culled: the eye may be under the ground.
    let is_seen_from_inside = dot(normal, view.world_position - p_in_world) < 0.0;
    let towards_eye = normalize(select(normal, -normal, is_seen_from_inside));
    return Surface(vec2(0.0), towards_eye, field.wall_colour, 1.0, 0.0, 0.0);
}
