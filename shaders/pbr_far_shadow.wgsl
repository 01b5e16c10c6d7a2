// Takes from ground in Bevy's full light what the shadows of distant land and of clouds take away: Bevy's own
// light ends its shadows where the shadow maps end, and knows no clouds.
#define_import_path upland::pbr_far_shadow

#import bevy_pbr::{
    lighting,
    mesh_types::MESH_FLAGS_SHADOW_RECEIVER_BIT,
    mesh_view_bindings::{lights, view},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
    pbr_functions::calculate_F0_dielectric,
    pbr_types::PbrInput,
}
#import upland::far_shadow::{lit, mapped_shadow, marched_share}
#ifdef TERRAIN_CLOUDS
#import upland::{clouds::cloud_shadow, field::field}
#endif

// The light (exposed) of ground that Bevy has lit.
fn in_far_shadow(light: vec4<f32>, in: PbrInput, from_anchor: vec2<f32>) -> vec4<f32> {
    if (in.flags & MESH_FLAGS_SHADOW_RECEIVER_BIT) == 0u {
        return light;
    }
    let view_z = (view.view_from_world * in.world_position).z;
    var left = light;
    for (var i = 0u; i < lights.n_directional_lights; i++) {
        let sun = &lights.directional_lights[i];
        let has_shadows = ((*sun).flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) != 0u;
        let is_marched = has_shadows && marched_share(i, view_z) != 0.0;
        var through_clouds = 1.0;
#ifdef TERRAIN_CLOUDS
        through_clouds = cloud_shadow(field.clouds, in.world_position.xyz, (*sun).direction_to_light);
#endif
        // Nothing to do: neither clouds nor land beyond the reach of the maps, or ground that faces away from
        // the sun.
        let is_as_bevy = !is_marched && through_clouds == 1.0;
        if is_as_bevy || dot(in.N, (*sun).direction_to_light) <= 0.0 {
            continue;
        }
        // Bevy has lit the ground by this share of the sun.
        var mapped = 1.0;
        var arrives = 1.0;
        if has_shadows {
            mapped = mapped_shadow(i, in.world_position, in.world_normal, view_z, in.frag_coord.xy);
            arrives = lit(i, in.world_position, view_z, from_anchor, mapped);
        }
        let too_much = mapped - arrives * through_clouds;
        if too_much != 0.0 {
            // Light is a sum over lamps and suns, so the part of one sun can be taken away exactly. What was
            // added is exposed already.
            left -= vec4(view.exposure * too_much * of_sun(i, in), 0.0);
        }
    }
    return left;
}

// The light of one unshadowed sun, as in Bevy's `apply_pbr_lighting` for a material that is neither metal nor
// glass.
fn of_sun(light: u32, in: PbrInput) -> vec3<f32> {
    let n_dot_v = max(dot(in.N, in.V), 0.0001);
    var input: lighting::LightingInput;
    input.layers[lighting::LAYER_BASE].NdotV = n_dot_v;
    input.layers[lighting::LAYER_BASE].N = in.N;
    input.layers[lighting::LAYER_BASE].R = reflect(-in.V, in.N);
    input.layers[lighting::LAYER_BASE].perceptual_roughness = in.material.perceptual_roughness;
    input.layers[lighting::LAYER_BASE].roughness =
        lighting::perceptualRoughnessToRoughness(in.material.perceptual_roughness);
    input.P = in.world_position.xyz;
    input.V = in.V;
    input.diffuse_color = in.material.base_color.rgb;
    input.metallic = 0.0;
    input.F0_dielectric = calculate_F0_dielectric(in.material.reflectance);
    input.F0_metallic = in.material.base_color.rgb;
    input.F_ab = lighting::F_AB(in.material.perceptual_roughness, n_dot_v);
    // Without its shadow, which `too_much` stands for above.
    return lighting::directional_light(light, &input, true);
}
