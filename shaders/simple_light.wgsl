// The cheap way to light the ground, for devices without a graphics card: each sun by Lambert's law
// with its shadow, and the ambient light by how much sky the ground faces and sees.
#define_import_path upland::simple_light

#import bevy_pbr::{
    mesh_view_bindings::{lights, view},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
}
#import upland::{far_shadow::{lit, mapped_shadow}, surface::Surface}
#ifdef TERRAIN_CLOUDS
#import upland::{clouds::cloud_shadow, field::field}
#endif

const PI: f32 = 3.14159265;
// Brightness of the light that the ground reflects, relative to the sky's.
const GROUND_LIGHT: f32 = 0.4;

fn simple_light(
    ground: Surface,
    world_position: vec4<f32>,
    from_anchor: vec2<f32>,
    frag_coord: vec2<f32>,
) -> vec3<f32> {
    let view_z = (view.view_from_world * world_position).z;
    var light = vec3(0.0);
    for (var i = 0u; i < lights.n_directional_lights; i++) {
        let sun = &lights.directional_lights[i];
        let cosine = dot(ground.normal, (*sun).direction_to_light);
        // Ground that faces away from the sun needs no look into the shadow maps, which is the most expensive
        // part.
        if cosine > 0.0 {
            var shadow = 1.0;
            if ((*sun).flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) != 0u {
                let mapped = mapped_shadow(i, world_position, ground.normal, view_z, frag_coord);
                shadow = lit(i, world_position, view_z, from_anchor, mapped);
            }
#ifdef TERRAIN_CLOUDS
            shadow *= cloud_shadow(field.clouds, world_position.xyz, (*sun).direction_to_light);
#endif
            // Lambert: a white surface sends the light back into all directions, 1 / pi of it into each.
            light += (*sun).color.rgb * (cosine * shadow / PI);
        }
    }
    let facing_sky = mix(GROUND_LIGHT, 1.0, ground.normal.y * 0.5 + 0.5);
    light += lights.ambient_color.rgb * facing_sky * ground.ambient_visibility;
    return ground.colour * light * view.exposure;
}
