// Ambient light by the direction that a surface faces: blue from the sky, bright near the sun, and from below
// what the ground sends back. Twin of `AmbientShape` in `src/plugin/material/ambient.rs`.
#define_import_path upland::ambient

#import upland::field::field

// The ambient light on a surface with this unit normal of the world, as a multiple of that on level ground.
fn ambient_on(normal: vec3<f32>) -> vec3<f32> {
    let more = field.ambient_east * normal.x
        + field.ambient_up * (normal.y - 1.0)
        + field.ambient_bow * (normal.y * normal.y - 1.0)
        + field.ambient_south * normal.z;
    return max(1.0 + more, vec3(0.0));
}
