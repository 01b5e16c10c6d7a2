// A planet's ground and sea. One vertex stage serves the main pass, the prepass and the shadow passes, so
// that all of them see the same surface. Each vertex carries what the node's parent looks like there, and is
// drawn as that where the parent is about to take the node's place: after F. Strugar, "Continuous
// Distance-Dependent Level of Detail for Rendering Heightmaps" (2009).
//
// `field` is the terrain's, for one node: *land* space is along the node's columns, up, and along its rows,
// and the *anchor* is its first sample.

#import bevy_pbr::{
    mesh_functions::{get_tag, get_world_from_local},
    mesh_view_bindings::view,
    view_transformations::position_world_to_clip,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    mesh_functions::get_previous_world_from_local,
    prepass_io::FragmentOutput,
    pbr_prepass_functions,
}
#else
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#ifdef TERRAIN_DETAIL
#import upland::{detail::grain, field::field}
#ifndef PLANET_SEA
#import upland::{
    cover::Point,
    land::Place,
    surface::{GRAIN_IN_PLACE, Surface, worn},
}
#endif
#endif
#endif

// Twin of `locations` in `src/plugin/planet/material.rs`.
struct Vertex {
    @builtin(instance_index) instance_index: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // The same of the parent's surface.
    @location(2) coarse_position: vec3<f32>,
    @location(3) coarse_normal: vec3<f32>,
    // sRGB-encoded; of the ground with the share of the sky that is seen, of the sea with its opacity.
    @location(4) colour: vec4<f32>,
    @location(5) coarse_colour: vec4<f32>,
    // Metres from the anchor; heights from the planet's radius.
    @location(6) place: vec3<f32>,
}

struct Drawn {
    @builtin(position) position: vec4<f32>,
    @location(0) world_position: vec4<f32>,
    // Where a triangle covers a part of a pixel, but not its middle, ground that is seen along itself has no
    // normal or colour there.
    @location(1) @interpolate(perspective, centroid) world_normal: vec3<f32>,
    // Linear.
    @location(2) @interpolate(perspective, centroid) colour: vec4<f32>,
    @location(3) place: vec3<f32>,
    @location(4) @interpolate(flat) instance_index: u32,
#ifdef MOTION_VECTOR_PREPASS
    @location(5) previous_world_position: vec4<f32>,
#endif
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    @location(6) unclipped_depth: f32,
#endif
}

// Steps of a tag's distance from one power of two to the next. Twin of `tag` in
// `src/plugin/planet/material.rs`.
const DISTANCE_STEPS: f32 = 2048.0;

// How much of the parent is drawn in place of the node, 0 to 1, at a distance from the eye.
fn coarseness(tag: u32, distance: f32) -> f32 {
    // Stored as a logarithm: 16 bits reach from 1 m to 4 million km in steps of 0.03 %.
    let end = exp2(f32(tag & 0xffffu) / DISTANCE_STEPS);
    let begins = f32((tag >> 16u) & 0xffu) / 255.0;
    let least = f32(tag >> 24u) / 255.0;
    return max(saturate((distance / end - begins) / (1.0 - begins)), least);
}

fn linear_from_srgb(colour: vec4<f32>) -> vec4<f32> {
    let rgb = colour.rgb;
    let linear = select(pow((rgb + 0.055) / 1.055, vec3(2.4)), rgb / 12.92, rgb <= vec3(0.04045));
    return vec4(linear, colour.a);
}

@vertex
fn vertex(vertex: Vertex) -> Drawn {
    // Nodes are moved, never turned.
    let centre = get_world_from_local(vertex.instance_index)[3].xyz;
    // In shadow passes too the camera that the shadow is for.
    let eye = view.lod_view_world_position;
    let coarse = coarseness(get_tag(vertex.instance_index), distance(centre + vertex.position, eye));
    let local = mix(vertex.position, vertex.coarse_position, coarse);

    var out: Drawn;
    out.world_position = vec4(centre + local, 1.0);
    out.position = position_world_to_clip(out.world_position.xyz);
    out.world_normal = normalize(mix(vertex.normal, vertex.coarse_normal, coarse));
    // Mixed as linear light: a mix of encoded colours would be too dark.
    out.colour = mix(linear_from_srgb(vertex.colour), linear_from_srgb(vertex.coarse_colour), coarse);
    out.place = vertex.place;
    out.instance_index = vertex.instance_index;
#ifdef PREPASS_PIPELINE
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    let before = get_previous_world_from_local(vertex.instance_index)[3].xyz;
    // The morph of the present frame is taken for both, so that a change of detail does not count as motion.
    out.previous_world_position = vec4(before + local, 1.0);
#endif
#endif
    return out;
}

#ifdef PREPASS_PIPELINE

#ifdef PREPASS_FRAGMENT
@fragment
fn fragment(in: Drawn) -> FragmentOutput {
    var out: FragmentOutput;
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.frag_depth = in.unclipped_depth;
#endif
#ifdef NORMAL_PREPASS
    out.normal = vec4(normalize(in.world_normal) * 0.5 + 0.5, 1.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.motion_vector =
        pbr_prepass_functions::calculate_motion_vector(in.world_position, in.previous_world_position);
#endif
    return out;
}
#else
// Bevy also uses a fragment stage in passes of depth alone where a material may discard. Nothing is discarded
// here.
@fragment
fn fragment(in: Drawn) {}
#endif

#else

#ifdef TERRAIN_DETAIL
// The axes of land space in the world, as columns.
fn land_axes() -> mat3x3<f32> {
    let axes = field.world_from_anchor;
    return mat3x3(axes[0].xyz, axes[1].xyz, axes[2].xyz);
}

#ifdef PLANET_SEA
// How steep waves are, as a share of the grain that they are made of.
const WAVES: f32 = 0.11;

// The normal of the sea with waves as large as pixels can show.
fn wavy(in: Drawn, normal: vec3<f32>) -> vec3<f32> {
    let dx = dpdx(in.place.xz);
    let dy = dpdy(in.place.xz);
    // The noise fades before it is finer than pixels, so that the sea does not flicker from afar.
    let rise = grain(in.place.xz, sqrt(length(dx) * length(dy))).yz * (field.detail * WAVES);
    return normalize(normal - land_axes() * vec3(rise.x, 0.0, rise.y));
}
#else
// Texels of the weights beyond the node's own quads; twin of `BORDER` in `core/src/planet/node.rs`. The
// land's tiles have `TILE_BORDER` of them, and places in them are counted from there.
const WEIGHTS_BORDER: f32 = 3.0;
const TILE_BORDER: f32 = 4.0;

// The ground with the tiles of its terrain types.
fn detailed(in: Drawn) -> Surface {
    let p = in.place;
    let dx = dpdx(p);
    let dy = dpdy(p);
    let speck = grain(p.xz, sqrt(length(dx.xz) * length(dy.xz))) * field.detail;
    // The weights of a node are one picture with a border of its own; `cover` counts places as in a tile of
    // the land.
    let at = (p.xz + speck.zx * (GRAIN_IN_PLACE * field.grain_size)) / field.cell + WEIGHTS_BORDER - TILE_BORDER;
    // A vector times a matrix is the transpose: the axes are unit vectors, so this turns the normal into land
    // space.
    let across = normalize(in.world_normal) * land_axes();
    let away = distance(in.world_position.xyz, view.world_position);
    let point = Point(p, dx, dy, across, sqrt(length(dx) * length(dy)), away);
    // The level and the slot of a tile that do not exist here: a node has one picture of weights, in the
    // first slot.
    return worn(point, Place(true, 0, 0u, at, 1.0, 0u, at), speck, across, in.colour);
}
#endif
#endif

@fragment
fn fragment(in: Drawn, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var standard: VertexOutput;
    standard.position = in.position;
    standard.world_position = in.world_position;
    standard.world_normal = in.world_normal;
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    standard.instance_index = in.instance_index;
#endif
    var pbr_input = pbr_input_from_standard_material(standard, is_front);
    // Skirts are seen from both sides, and lit as the ground that they hang from.
    var normal = normalize(in.world_normal);
#ifdef PLANET_SEA
    pbr_input.material.base_color = in.colour;
#ifdef TERRAIN_DETAIL
    normal = wavy(in, normal);
#endif
#else
    var sky = in.colour.a;
#ifdef TERRAIN_DETAIL
    let ground = detailed(in);
    normal = ground.normal;
    sky = ground.ambient_visibility;
    pbr_input.material.base_color *= vec4(ground.colour, 1.0);
    pbr_input.material.perceptual_roughness =
        mix(pbr_input.material.perceptual_roughness, ground.roughness, ground.roughness_share);
#else
    pbr_input.material.base_color *= vec4(in.colour.rgb, 1.0);
#endif
    pbr_input.diffuse_occlusion *= sky;
    pbr_input.specular_occlusion *= sky;
#endif
    // See `terrain.wgsl`: Bevy reads the normal at three places.
    pbr_input.N = normal;
    pbr_input.clearcoat_N = normal;
    pbr_input.world_normal = normal;

    var out: FragmentOutput;
    out.color = main_pass_post_lighting_processing(pbr_input, apply_pbr_lighting(pbr_input));
    return out;
}

#endif
