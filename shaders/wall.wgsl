// The walls under the border of land that ends: they stand on the very vertices that the ground is drawn with.
#define_import_path upland::wall

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    cdlod::Chunk,
    field::field,
    land::{QUADS, last},
    surface::Surface,
}

// The height of a wall's vertex, metres as drawn. `outwards` is east and south where the wall faces, `foot` 0 at the
// ground and 1 at the wall's foot. Where the land goes on beyond the chunk, there is no wall: it has no height.
fn down_wall(chunk: Chunk, outwards: vec2<f32>, foot: f32, ground: f32) -> f32 {
    // Quads from the chunk's sides to the border.
    let before = chunk.first_index;
    let behind = last(chunk.level) - QUADS - chunk.first_index;
    let to_border = select(before, behind, outwards > vec2(0.0));
    let is_border = any((to_border <= vec2(0)) & (outwards != vec2(0.0)));
    return select(ground, field.wall_foot, is_border && foot > 0.0);
}

// The unit normal in the world of a wall that faces `outwards`.
fn wall_normal(outwards: vec2<f32>) -> vec3<f32> {
    return normalize((field.world_from_anchor * vec4(outwards.x, 0.0, outwards.y, 0.0)).xyz);
}

// What a wall looks like, from either side.
fn bare_wall(normal: vec3<f32>, p_in_world: vec3<f32>) -> Surface {
    let is_seen_from_inside = dot(normal, view.world_position - p_in_world) < 0.0;
    let towards_eye = normalize(select(normal, -normal, is_seen_from_inside));
    return Surface(vec2(0.0), towards_eye, field.wall_colour, 1.0, 0.0, 0.0);
}
