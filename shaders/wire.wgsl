// Triangles with their edges: each is as bright as it is inclined.

#import bevy_pbr::forward_io::VertexOutput
#import upland::lines::{relief_of, wired}

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    let across = dpdx(in.world_position.xyz);
    let down = dpdy(in.world_position.xyz);
    let normal = normalize(cross(down, across));
    // Seen from below the triangle is the same.
    let upwards = select(-normal, normal, normal.y >= 0.0);
    return vec4(wired(relief_of(upwards), in.uv), 1.0);
}
