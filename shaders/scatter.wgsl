// Scattered objects' entry points. One vertex stage serves the main pass, the prepass and the shadow passes.

#import bevy_pbr::{
    mesh_functions::get_tag,
    mesh_view_bindings::view,
    view_transformations::position_world_to_clip,
}
#import upland::{
    field::field,
    scatter_instance::{
        LEVELS, TAG_BITS, distance_from, fade, foot_of, is_faded, look_texel, own_axes, sway, threshold, unpacked,
        upright,
    },
}
#ifdef SCATTER_IMPOSTOR
#import upland::scatter_impostor::{Texel, Views, impostor, in_view, right_of, views_of}
#endif

#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_io::{VertexOutput, FragmentOutput},
    pbr_prepass_functions,
}
#import bevy_render::globals::Globals
// Bevy binds them elsewhere than in the main pass.
@group(0) @binding(1) var<uniform> globals: Globals;
#else
#import bevy_pbr::{
    mesh_view_bindings::globals,
    forward_io::{VertexOutput, FragmentOutput},
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{alpha_discard, apply_pbr_lighting, main_pass_post_lighting_processing},
    pbr_types::{pbr_input_new, STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT},
}
#import upland::{
    ambient::ambient_on,
    haze::in_haze,
    leaves::through_leaves,
    pbr_far_shadow::in_far_shadow,
    simple_light::simple_light,
    surface::Surface,
}
#endif

// How much of an impostor's pixel must be covered.
const IMPOSTOR_CUT: f32 = 0.42;
// How much brighter or darker than others an object is, at most.
const TINT: f32 = 0.14;
// Leaves grow in flat clusters. Seen from the edge they would be spikes, so they vanish as they turn: all of
// a cluster is drawn if the sine of its angle to the eye is above the first number, none below the second.
// The two are close, because the dithering between them shows on a leaf right before the eye.
const ALL_SEEN: f32 = 0.12;
const NONE_SEEN: f32 = 0.06;

struct Vertex {
    @builtin(instance_index) instance_index: u32,
    @location(0) position: vec3<f32>,
    @location(1) uv: vec2<f32>,
    // Normal, and how far wind moves it.
    @location(2) normal: vec4<f32>,
    // Square root of the colour, and when it moves.
    @location(3) colour: vec4<f32>,
    // Which copy, low and high byte; whether it is of a tree's or a bush's leaves.
    @location(4) copy: vec4<f32>,
}

struct Drawn {
    @builtin(position) position: vec4<f32>,
    @location(0) p_in_world: vec4<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    // Impostors have the weights of their views in place of a colour.
    @location(3) colour: vec3<f32>,
    // Metres from the anchor.
    @location(4) from_anchor: vec2<f32>,
    // Shares of pixels that belong to other levels; its tint; whether it is of a tree's or a bush's leaves.
    @location(5) fading: vec4<f32>,
    @location(6) @interpolate(flat) instance_index: u32,
#ifdef MOTION_VECTOR_PREPASS
    @location(7) previous: vec4<f32>,
#endif
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    @location(8) unclipped_depth: f32,
#endif
#ifdef SCATTER_IMPOSTOR
    // The places in three views, and which these are.
    @location(9) b: vec2<f32>,
    @location(10) c: vec2<f32>,
    @location(11) @interpolate(flat) view_a: vec2<f32>,
    @location(12) @interpolate(flat) view_b: vec2<f32>,
    // Its upright direction, and its layer.
    @location(13) @interpolate(flat) up: vec4<f32>,
    @location(14) @interpolate(flat) turn: vec2<f32>,
#endif
}

// The camera that it is drawn for: in shadow passes the one that Bevy passes to these.
fn eye_in_world() -> vec3<f32> {
    return view.lod_view_world_position;
}

// Whether this is a camera's own view and not a light's. All of a batch casts shadows: where levels fade into
// each other, both cast them.
fn is_camera() -> bool {
    return all(view.world_position == view.lod_view_world_position);
}

#ifndef SCATTER_IMPOSTOR
// Whether a pixel of a leaf goes because the eye sees it from its edge. To be asked before anything is
// discarded.
fn is_edge_on(in: Drawn) -> bool {
    let across = cross(dpdx(in.p_in_world.xyz), dpdy(in.p_in_world.xyz));
    let is_parallel = view.clip_from_view[3].w == 1.0;
    let towards = select(eye_in_world() - in.p_in_world.xyz, view.world_from_view[2].xyz, is_parallel);
    // The sine of the angle between the leaf and the way to the eye.
    let seen = abs(dot(across, towards)) / max(length(across) * length(towards), 1e-20);
    // A dithered limit: leaves vanish pixel by pixel, not all together.
    let needed = mix(NONE_SEEN, ALL_SEEN, threshold(in.position.xy));
    return is_camera() && in.fading.w > 0.5 && seen < needed;
}
#endif

fn degenerate_vertex() -> Drawn {
    var out: Drawn;
    // Beyond every side of the picture, so that nothing is drawn.
    out.position = vec4(2.0, 2.0, 2.0, 1.0);
    return out;
}

fn in_world(p: vec3<f32>) -> vec3<f32> {
    return (field.world_from_anchor * vec4(p, 1.0)).xyz;
}

@vertex
fn vertex(vertex: Vertex) -> Drawn {
    let tag = get_tag(vertex.instance_index);
    let copy = u32(round(vertex.copy.x * 255.0)) | (u32(round(vertex.copy.y * 255.0)) << 8u);
    let object = unpacked(tag, copy);
    // A batch's mesh has a fixed number of copies, and the last page is seldom full.
    if !object.exists {
        return degenerate_vertex();
    }
    let eye = eye_in_world();
    let foot = foot_of(object, eye);
    var shares = fade(object.look, tag >> TAG_BITS, distance_from(eye, object, foot.p.y), object.chance);
    if globals.delta_time == 0.0 {
        // Time stands still, as in a picture: levels change half-way and not pixel by pixel, since nobody sees
        // how they change, and everybody sees a pattern.
        shares = step(vec2(0.5), shares);
    }
    // Copies of another level are left out before anything else of them is computed.
    if is_camera() && (shares.x <= 0.0 || shares.y >= 1.0) {
        return degenerate_vertex();
    }
    let look = look_texel(object.look, LEVELS);

    var out: Drawn;
#ifdef SCATTER_IMPOSTOR
    let form = look_texel(object.look, LEVELS + 1u);
    let middle = foot.p + upright(object, form.xyz * object.size) - object.up * object.sink;
    let middle_in_world = in_world(middle);
    // Towards the eye, or where rays are parallel, against them.
    let is_parallel = view.clip_from_view[3].w == 1.0;
    let back = normalize(view.world_from_view[2].xyz);
    // From `view` and not the eye: an impostor faces whatever it is drawn for, in shadow maps the light.
    let towards = select(normalize(view.world_position - middle_in_world), back, is_parallel);
    // The world's axes as the land's, whatever its scale.
    let axes = mat3x3<f32>(
        normalize(field.world_from_anchor[0].xyz),
        normalize(field.world_from_anchor[1].xyz),
        normalize(field.world_from_anchor[2].xyz),
    );
    let direction = own_axes(object, towards * axes);
    let right = right_of(direction);
    let above = cross(direction, right);
    // In multiples of the radius, in the object's axes.
    let corner = right * vertex.position.x + above * vertex.position.y;
    let moved = sway(object, look.z, 0.35 * (corner.y * 0.5 + 0.5), 0.0, globals.time);
    let p = middle + upright(object, corner * (form.w * object.size)) + moved;
    let before = p;
    let views = views_of(direction);
    out.uv = in_view(views.a, corner);
    out.b = in_view(views.b, corner);
    out.c = in_view(views.c, corner);
    out.view_a = views.a;
    out.view_b = views.b;
    out.colour = views.weights;
    out.up = vec4(object.up, look.y);
    out.turn = object.turn;
    out.normal = object.up;
#else
    let own = upright(object, vertex.position * object.size) - object.up * object.sink;
    let standing = foot.p + own;
    let p = standing + sway(object, look.z, vertex.normal.w, vertex.colour.w, globals.time);
    // The place of the frame before for motion vectors: wind is the only thing that moves a plant.
    let before =
        standing + sway(object, look.z, vertex.normal.w, vertex.colour.w, globals.time - globals.delta_time);
    let normal = upright(object, vertex.normal.xyz * 2.0 - 1.0);
    out.normal = normalize((field.world_from_anchor * vec4(normal, 0.0)).xyz);
    out.uv = vertex.uv;
    // Stored as square roots, which gives dark colours more of the 8 bits.
    out.colour = vertex.colour.rgb * vertex.colour.rgb;
#endif
    let p_in_world = in_world(p);
    out.p_in_world = vec4(p_in_world, 1.0);
    out.position = position_world_to_clip(p_in_world);
    out.from_anchor = p.xz;
    // A multiple of the chance is another chance, independent of the one that decides on fading.
    let tint = 1.0 + TINT * look.w * (fract(object.chance * 7.31) * 2.0 - 1.0);
#ifdef SCATTER_IMPOSTOR
    // What wind moves has leaves, nearly all over.
    let is_of_leaves = select(0.0, 1.0, look.z > 0.0);
#else
    let is_of_leaves = vertex.copy.z;
#endif
    out.fading = vec4(select(vec2(1.0, 0.0), shares, is_camera()), tint, is_of_leaves);
    out.instance_index = vertex.instance_index;
#ifdef MOTION_VECTOR_PREPASS
    out.previous = vec4(in_world(before), 1.0);
#endif
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
    return out;
}

#ifdef SCATTER_IMPOSTOR
// The texel of an impostor, with its normal turned into the world's.
fn seen(in: Drawn) -> Texel {
    let views = Views(in.view_a, in.view_b, in.view_a + vec2(1.0), in.colour);
    var texel = impostor(views, in.uv, in.b, in.c, u32(in.up.w + 0.5));
    let c = in.turn.x;
    let s = in.turn.y;
    let n = texel.normal;
    let turned = vec3(c * n.x + s * n.z, n.y, c * n.z - s * n.x);
    let axis = vec3(in.up.z, 0.0, -in.up.x);
    let once = cross(axis, turned);
    let on_land = turned + once + cross(axis, once) / max(1.0 + in.up.y, 1e-3);
    // The addend keeps a texel without a normal from dividing by 0.
    texel.normal = normalize((field.world_from_anchor * vec4(on_land, 0.0)).xyz + vec3(0.0, 1e-4, 0.0));
    return texel;
}
#endif

// The input of Bevy's functions.
fn as_bevy(in: Drawn) -> VertexOutput {
    var out: VertexOutput;
    out.position = in.position;
    out.world_position = in.p_in_world;
    out.uv = in.uv;
    out.instance_index = in.instance_index;
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = in.normal;
#endif
#else
    out.world_normal = in.normal;
#endif
    return out;
}

#ifdef PREPASS_PIPELINE

#ifdef PREPASS_FRAGMENT
@fragment
fn fragment(in: Drawn) -> FragmentOutput {
    var normal = normalize(in.normal);
#ifdef SCATTER_IMPOSTOR
    let texel = seen(in);
    if texel.opacity < IMPOSTOR_CUT {
        discard;
    }
    normal = texel.normal;
#else
    // Derivatives come before the first discard.
    let is_spike = is_edge_on(in);
    pbr_prepass_functions::prepass_alpha_discard(as_bevy(in));
    if is_spike {
        discard;
    }
#endif
    if is_faded(in.fading.xy, in.position.xy) {
        discard;
    }
    var out: FragmentOutput;
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.frag_depth = in.unclipped_depth;
#endif
#ifdef NORMAL_PREPASS
    out.normal = vec4(normal * 0.5 + 0.5, 1.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.motion_vector = pbr_prepass_functions::calculate_motion_vector(in.p_in_world, in.previous);
#endif
    return out;
}
#else
@fragment
fn fragment(in: Drawn) {
#ifdef SCATTER_IMPOSTOR
    if seen(in).opacity < IMPOSTOR_CUT {
        discard;
    }
#else
    let is_spike = is_edge_on(in);
    pbr_prepass_functions::prepass_alpha_discard(as_bevy(in));
    if is_spike {
        discard;
    }
#endif
    if is_faded(in.fading.xy, in.position.xy) {
        discard;
    }
}
#endif

#else

@fragment
fn fragment(in: Drawn, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var given = as_bevy(in);
#ifdef SCATTER_IMPOSTOR
    let texel = seen(in);
    given.world_normal = texel.normal;
#else
    // As in the prepass: derivatives come before the first discard.
    let is_spike = is_edge_on(in);
#endif
    var pbr_input = pbr_input_from_standard_material(given, is_front);
#ifdef SCATTER_IMPOSTOR
    if texel.opacity < IMPOSTOR_CUT {
        discard;
    }
    pbr_input.material.base_color = vec4(texel.colour, 1.0);
#else
    pbr_input.material.base_color = alpha_discard(pbr_input.material, pbr_input.material.base_color);
    if is_spike {
        discard;
    }
    pbr_input.material.base_color *= vec4(in.colour, 1.0);
#endif
    if is_faded(in.fading.xy, in.position.xy) {
        discard;
    }
    pbr_input.material.base_color *= vec4(vec3(in.fading.z), 1.0);
    // Bevy's input takes the normal from a normal prepass where there is one. With leaves that are dithered
    // away it may have found another surface's.
    pbr_input.N = normalize(given.world_normal);
    pbr_input.world_normal = pbr_input.N;

#ifdef TERRAIN_SIMPLE
    let ground = Surface(vec2(0.0), pbr_input.N, pbr_input.material.base_color.rgb, 1.0, 0.0, 0.0);
    let light = vec4(simple_light(ground, in.p_in_world, in.from_anchor, in.position.xy), 1.0);
#else
    pbr_input.diffuse_occlusion *= ambient_on(pbr_input.N);
    var light = in_far_shadow(apply_pbr_lighting(pbr_input), pbr_input, in.from_anchor);
    if in.fading.w > 0.5 {
        light += vec4(through_leaves(pbr_input, in.from_anchor), 0.0);
    }
#endif
    var out: FragmentOutput;
    // The haze is our own.
    pbr_input.material.flags &= ~STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT;
    out.color = main_pass_post_lighting_processing(pbr_input, in_haze(light, in.p_in_world.xyz));
    return out;
}

#endif
