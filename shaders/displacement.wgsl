// Any mesh, displaced along its normals by a height map. One vertex stage serves the main pass, the prepass
// and the shadow passes, so that all of them see the same surface.

#import bevy_pbr::{
    mesh_functions,
    view_transformations::position_world_to_clip,
}

#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_io::{VertexOutput, FragmentOutput},
    pbr_prepass_functions,
}
#else
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{alpha_discard, apply_pbr_lighting, main_pass_post_lighting_processing},
    pbr_types::STANDARD_MATERIAL_FLAGS_UNLIT_BIT,
}
#endif

// Twin of `DisplacementUniform` in `src/plugin/displacement/material.rs`.
struct Displacement {
    // Height of a value v of the map, in the mesh's units: v * scale + bias.
    scale: f32,
    bias: f32,
    // Bits: 1 the map repeats along u, 2 along v, 4 its first and last texels lie at 0 and 1.
    flags: u32,
}

const REPEATS_U: u32 = 1u;
const REPEATS_V: u32 = 2u;
const IS_LATTICE: u32 = 4u;

// From 100 on: Bevy's standard material has the bindings below.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> displacement: Displacement;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var height_map: texture_2d<f32>;

// Bevy leaves the normals out of shadow passes, which need them here; so the vertex has its own structure.
struct Vertex {
    @builtin(instance_index) instance_index: u32,
    @location(0) position: vec3<f32>,
// Bevy numbers the same attributes differently in the prepass.
#ifdef PREPASS_PIPELINE
    @location(1) uv: vec2<f32>,
    @location(3) normal: vec3<f32>,
#ifdef VERTEX_COLORS
    @location(7) color: vec4<f32>,
#endif
#else
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
#ifdef VERTEX_COLORS
    @location(5) color: vec4<f32>,
#endif
#endif
#ifdef VERTEX_TANGENTS
    @location(4) tangent: vec4<f32>,
#endif
}

fn has(flag: u32) -> bool {
    return (displacement.flags & flag) != 0u;
}

// Texels that one unit of the texture coordinates spans.
fn texels_per_uv() -> vec2<f32> {
    let size = vec2<f32>(textureDimensions(height_map));
    return select(size, max(size - 1.0, vec2(1.0)), has(IS_LATTICE));
}

// Where texture coordinates lie among the texels: whole numbers are texels' centres.
fn texel_from_uv(uv: vec2<f32>) -> vec2<f32> {
    return uv * texels_per_uv() - select(0.5, 0.0, has(IS_LATTICE));
}

fn value(texel: vec2<i32>) -> f32 {
    let size = vec2<i32>(textureDimensions(height_map));
    // The remainder of a negative number is negative in WGSL.
    let repeated = ((texel % size) + size) % size;
    let clamped = clamp(texel, vec2(0), size - 1);
    let place = select(clamped, repeated, vec2(has(REPEATS_U), has(REPEATS_V)));
    return textureLoad(height_map, place, 0).r;
}

// The height at a place among the texels, interpolated linearly; by hand, so that it has the same bits on
// every device, and not every device filters 32-bit floats.
fn height_at(texel: vec2<f32>) -> f32 {
    let first = floor(texel);
    let share = texel - first;
    let p = vec2<i32>(first);
    let north = mix(value(p), value(p + vec2(1, 0)), share.x);
    let south = mix(value(p + vec2(0, 1)), value(p + vec2(1, 1)), share.x);
    return mix(north, south, share.y) * displacement.scale + displacement.bias;
}

// The rise of the height along u and v: differences over two texels, so that it does not jump where texels
// meet.
fn rise_at(uv: vec2<f32>) -> vec2<f32> {
    let t = texel_from_uv(uv);
    let last = vec2<f32>(textureDimensions(height_map)) - 1.0;
    let repeats = vec2(has(REPEATS_U), has(REPEATS_V));
    let low = select(max(t - 1.0, vec2(0.0)), t - 1.0, repeats);
    let high = select(min(t + 1.0, last), t + 1.0, repeats);
    // At an edge of the map the difference is taken over one texel only.
    let width = max(high - low, vec2(1e-3));
    return vec2(
        height_at(vec2(high.x, t.y)) - height_at(vec2(low.x, t.y)),
        height_at(vec2(t.x, high.y)) - height_at(vec2(t.x, low.y)),
    ) / width * texels_per_uv();
}

// The normal of the displaced surface: after Mikkelsen, "Bump Mapping Unparametrized Surfaces on the GPU"
// (2010). It takes the displaced position: what lies along the normal falls out of the cross products, and
// what remains is the surface's stretch by its own curvature, which belongs in it.
fn displaced_normal(uv: vec2<f32>, p: vec3<f32>, normal: vec3<f32>, scale: f32) -> vec3<f32> {
    // The paper's symbols: `p_x`, `p_y` are the derivatives of the position on the screen, `height_x`,
    // `height_y` those of the height (there Bs and Bt), `along_x`, `along_y` are R1 and R2, and `area` is the
    // determinant.
    let n = normalize(normal);
    let rise = rise_at(uv) * scale;
    let p_x = dpdx(p);
    let p_y = dpdy(p);
    let height_x = dot(rise, dpdx(uv));
    let height_y = dot(rise, dpdy(uv));
    let along_x = cross(p_y, n);
    let along_y = cross(n, p_x);
    let area = dot(p_x, along_x);
    // The sign makes it the same on triangles that are mirrored on the screen.
    let gradient = sign(area) * (height_x * along_x + height_y * along_y);
    let bent = abs(area) * n - gradient;
    let size = length(bent);
    // A triangle seen edge-on has no area, and its normal would have no length.
    return select(n, bent / max(size, 1e-30), size > 1e-30);
}

// World metres in a unit of the mesh.
fn world_scale(instance_index: u32) -> f32 {
    return length(mesh_functions::get_world_from_local(instance_index)[0].xyz);
}

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    let world_from_local = mesh_functions::get_world_from_local(vertex.instance_index);
    let height = height_at(texel_from_uv(vertex.uv));
    // Scaled meshes are displaced in their own units; the fragment stage scales the rise to match.
    let p = vec4(vertex.position + normalize(vertex.normal) * height, 1.0);

    var out: VertexOutput;
    out.world_position = mesh_functions::mesh_position_local_to_world(world_from_local, p);
    out.position = position_world_to_clip(out.world_position.xyz);
    out.uv = vertex.uv;
#ifdef VERTEX_UVS_B
    // Materials may read textures by the second coordinates, which the map's vertices do not have.
    out.uv_b = vertex.uv;
#endif
#ifdef VERTEX_COLORS
    out.color = vertex.color;
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    let world_normal = mesh_functions::mesh_normal_local_to_world(vertex.normal, vertex.instance_index);

#ifdef PREPASS_PIPELINE
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = world_normal;
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, vertex.tangent, vertex.instance_index);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    let before = mesh_functions::get_previous_world_from_local(vertex.instance_index);
    out.previous_world_position = mesh_functions::mesh_position_local_to_world(before, p);
#endif
#else
    out.world_normal = world_normal;
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, vertex.tangent, vertex.instance_index);
#endif
#endif
    return out;
}

#ifdef PREPASS_PIPELINE

#ifdef PREPASS_FRAGMENT
@fragment
fn fragment(in: VertexOutput) -> FragmentOutput {
    var out: FragmentOutput;
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.frag_depth = in.unclipped_depth;
#endif
#ifdef NORMAL_PREPASS
    let scale = world_scale(in.instance_index);
    let normal = displaced_normal(in.uv, in.world_position.xyz, in.world_normal, scale);
    out.normal = vec4(normal * 0.5 + 0.5, 1.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.motion_vector =
        pbr_prepass_functions::calculate_motion_vector(in.world_position, in.previous_world_position);
#endif
    // After the last derivative, which the normal needs.
    pbr_prepass_functions::prepass_alpha_discard(in);
    return out;
}
#else
@fragment
fn fragment(in: VertexOutput) {
    pbr_prepass_functions::prepass_alpha_discard(in);
}
#endif

#else

@fragment
fn fragment(surface: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var in = surface;
    let scale = world_scale(in.instance_index);
    // Before anything is discarded: derivatives need all four pixels of a quad.
    in.world_normal = displaced_normal(in.uv, in.world_position.xyz, in.world_normal, scale);
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    pbr_input.material.base_color = alpha_discard(pbr_input.material, pbr_input.material.base_color);

    var out: FragmentOutput;
    if (pbr_input.material.flags & STANDARD_MATERIAL_FLAGS_UNLIT_BIT) == 0u {
        out.color = apply_pbr_lighting(pbr_input);
    } else {
        out.color = pbr_input.material.base_color;
    }
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}

#endif
