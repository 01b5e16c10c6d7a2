// The terrain's entry points. One vertex stage serves the main pass, the prepass and the shadow
// passes, so that all of them see the same ground.

#import bevy_pbr::{
    mesh_functions::get_tag,
    mesh_view_bindings::view,
    view_transformations::position_world_to_clip,
}
#import upland::{
    cdlod::{displace, unpack_chunk, world_from_anchor},
    field::field,
    surface::{ground_at, in_world, place_from_anchor, surface, upright},
}
#ifdef TERRAIN_HOLES
#import upland::surface::is_in_hole
#endif
#ifdef TERRAIN_WALL
#import upland::wall::{bare_wall, down_wall, wall_normal}
#endif

#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_io::{Vertex, VertexOutput, FragmentOutput},
    pbr_prepass_functions,
}
#else
#import bevy_pbr::{
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
    pbr_types::{pbr_input_new, STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT},
}
#import upland::{
    ambient::ambient_on,
    debug_view::debug_colour,
    haze::in_haze,
    pbr_far_shadow::in_far_shadow,
    simple_light::simple_light,
    under_water::daylight_at,
}
#endif

// Where the camera is, from which levels of detail are counted. Shadow passes need the camera that the shadow
// is for: ground of another level of detail than the drawn one would cast its shadow onto that.
fn eye_in_world() -> vec3<f32> {
    // In a shadow pass `view.world_position` is the light's. Lamps share their shadow maps among cameras, and
    // Bevy's `lod_view_world_position` may be another camera's there than the one these chunks were chosen
    // for; so the material has the eye.
    let is_camera = all(view.world_position == view.lod_view_world_position);
    return select(field.shadow_eye.xyz, view.world_position, is_camera);
}

// The model matrix is not used: places are counted from the anchor near the eye, because world coordinates in
// 32 bits would move vertices by centimetres on land of 1000 km.
@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    let chunk = unpack_chunk(get_tag(vertex.instance_index));
    let displaced = displace(chunk, vertex.position.xz, eye_in_world());
    var drawn = displaced.drawn;
#ifdef TERRAIN_WALL
    drawn.y = down_wall(chunk, vertex.position, vertex.uv, drawn.y);
#endif
    let p_in_world = world_from_anchor(drawn);

    var out: VertexOutput;
    out.world_position = vec4(p_in_world, 1.0);
    out.position = position_world_to_clip(p_in_world);
    // The fragment stage gets the place on the land, metres from the anchor, and no texture coordinates.
    out.uv = displaced.place;
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif

#ifdef PREPASS_PIPELINE
// Set where the device cannot switch depth clipping off. Ground nearer to the sun than the shadow map's near
// plane still casts a shadow: its depth is moved onto that plane, and the fragment stage writes the real
// one.
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = normal(vertex.uv);
#endif
#ifdef MOTION_VECTOR_PREPASS
    // The ground itself does not move.
    out.previous_world_position = out.world_position;
#endif
#else
    out.world_normal = normal(vertex.uv);
#endif
    return out;
}

// The fragment stage finds the ground's normal by itself, for each pixel. In place of a normal it gets the
// vertex's position in its chunk, from which debug views draw edges.
fn normal(uv: vec2<f32>) -> vec3<f32> {
#ifdef TERRAIN_WALL
    return wall_normal(uv);
#else
    return vec3(uv.x, 1.0, uv.y);
#endif
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
#ifdef TERRAIN_WALL
    out.normal = vec4(in.world_normal * 0.5 + 0.5, 1.0);
#else
    // The normal of the main pass, not the mesh's, in which effects such as ambient occlusion would show
    // triangles that change with the level of detail.
    let place = ground_at(in.uv, in.world_position.xyz);
    out.normal = vec4(in_world(upright(place)) * 0.5 + 0.5, 1.0);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.motion_vector =
        pbr_prepass_functions::calculate_motion_vector(in.world_position, in.previous_world_position);
#endif
#ifdef TERRAIN_HOLES
    // After the last derivative, as in the main pass.
    if is_in_hole(in.uv, in.world_position.xyz) {
        discard;
    }
#endif
    return out;
}
// Without `PREPASS_FRAGMENT` Bevy still uses a fragment stage where the material may discard: shadow maps
// need it for holes.
#else ifdef TERRAIN_HOLES
// Depth and shadows alone.
@fragment
fn fragment(in: VertexOutput) {
    if is_in_hole(in.uv, in.world_position.xyz) {
        discard;
    }
}
#endif

#else

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
#ifdef TERRAIN_WALL
    var ground = bare_wall(in.world_normal, in.world_position.xyz);
#else
    var ground = surface(in.uv, in.world_position.xyz);
#endif
    let baked = ground.colour;
    let from_anchor = place_from_anchor(in.uv, in.world_position.xyz);
    // Sun, sky and lamps have crossed the same water, so dimming the colour dims them all.
    ground.colour *= daylight_at(from_anchor, in.world_position.xyz);

#ifdef TERRAIN_SIMPLE
    var pbr_input = pbr_input_new();
    pbr_input.frag_coord = in.position;
    pbr_input.world_position = in.world_position;
    let light = vec4(simple_light(ground, in.world_position, from_anchor, in.position.xy), 1.0);
#else
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    pbr_input.material.base_color *= vec4(ground.colour, 1.0);
    pbr_input.material.perceptual_roughness =
        // Only tiles have a roughness of their own; where they fade the material's counts.
        mix(pbr_input.material.perceptual_roughness, ground.roughness, ground.roughness_share);
    // Bevy lights with `N`, lights clearcoat with `clearcoat_N`, and offsets shadow look-ups along
    // `world_normal`.
    pbr_input.N = ground.normal;
    pbr_input.clearcoat_N = ground.normal;
    pbr_input.world_normal = ground.normal;
    pbr_input.diffuse_occlusion *= ground.ambient_visibility * ambient_on(ground.normal);
    pbr_input.specular_occlusion *= ground.ambient_visibility;
    // Bevy's function of lighting has no place for a shadow of our own, so what distant land hides is taken
    // away after it.
    let light = in_far_shadow(apply_pbr_lighting(pbr_input), pbr_input, from_anchor);
#endif

    var out: FragmentOutput;
    // The haze is our own, see `haze.wgsl`: Bevy's must not be added a second time.
    pbr_input.material.flags &= ~STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT;
    out.color = main_pass_post_lighting_processing(pbr_input, in_haze(light, in.world_position.xyz));
    if field.debug_view != 0u {
        // Replaces the colour after tone mapping and haze, so that it is the legend's.
        let chunk = unpack_chunk(get_tag(in.instance_index));
        let colour = debug_colour(ground, baked, in.uv, in.world_position.xyz, in.world_normal.xz, chunk);
        out.color = vec4(colour, 1.0);
    }
#ifdef TERRAIN_HOLES
    // Last: where a device ends a discarded pixel immediately, the derivatives of its neighbours are
    // undefined from here on, and a hole could have a rim of wrong colours.
    if is_in_hole(in.uv, in.world_position.xyz) {
        discard;
    }
#endif
    return out;
}

#endif
