// Triangles with their edges: each is as bright as it is inclined.

#import bevy_pbr::{
    forward_io::{Vertex, VertexOutput},
    mesh_functions::{get_world_from_local, mesh_position_local_to_world},
    view_transformations::position_world_to_clip,
}
#import upland::lines::{relief_of, wired}

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let world_from_local = get_world_from_local(vertex.instance_index);
    out.world_position = mesh_position_local_to_world(world_from_local, vec4(vertex.position, 1.0));
    out.position = position_world_to_clip(out.world_position.xyz);
    out.uv = vertex.uv;
    return out;
}

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    // The triangle's own normal, since the mesh shares vertices among triangles.
    let across = dpdx(in.world_position.xyz);
    let down = dpdy(in.world_position.xyz);
    let normal = normalize(cross(down, across));
    // Seen from below the triangle is the same.
    let upwards = select(-normal, normal, normal.y >= 0.0);
    return vec4(wired(relief_of(upwards), in.uv), 1.0);
}
