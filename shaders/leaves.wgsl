// Sunlight that leaves let through.
#define_import_path upland::leaves

#import bevy_pbr::{
    mesh_view_bindings::{lights, view},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
    pbr_types::PbrInput,
}
#import upland::far_shadow::{lit, mapped_shadow}
#ifdef TERRAIN_CLOUDS
#import upland::{clouds::cloud_shadow, field::field}
#endif

const PI: f32 = 3.14159265;
// A leaf lets through as much as it reflects, with stronger colours.
const THROUGH: f32 = 0.5;
const DEEPER: f32 = 0.8;
// Metres of a crown through which the sun is seen: its own leaves shade it little, other trees wholly.
const CROWN: f32 = 3.0;

// The sunlight (exposed) that comes through leaves whose other side the sun shines on.
fn through_leaves(in: PbrInput, from_anchor: vec2<f32>) -> vec3<f32> {
    let colour = THROUGH * pow(max(in.material.base_color.rgb, vec3(0.0)), vec3(DEEPER));
    let view_z = (view.view_from_world * in.world_position).z;
    var light = vec3(0.0);
    for (var i = 0u; i < lights.n_directional_lights; i++) {
        let sun = &lights.directional_lights[i];
        let towards = (*sun).direction_to_light;
        let cosine = -dot(in.N, towards);
        if cosine <= 0.0 {
            continue;
        }
        var shadow = 1.0;
        if ((*sun).flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) != 0u {
            let nearer = in.world_position + vec4(towards * CROWN, 0.0);
            let mapped = mapped_shadow(i, nearer, towards, view_z, in.frag_coord.xy);
            shadow = lit(i, in.world_position, view_z, from_anchor, mapped);
        }
#ifdef TERRAIN_CLOUDS
        shadow *= cloud_shadow(field.clouds, in.world_position.xyz, towards);
#endif
        light += (*sun).color.rgb * (cosine * shadow / PI);
    }
    return colour * light * view.exposure;
}
