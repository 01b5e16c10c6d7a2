// The haze before the ground: Bevy's distance fog, without its look into the shadow maps. These know nothing
// of the air before a shadowed slope, and where they end there would be a border.
#define_import_path upland::haze

#import bevy_pbr::{
    fog::{atmospheric_fog, exponential_fog, exponential_squared_fog, linear_fog},
    mesh_view_bindings as view_bindings,
    mesh_view_types::{
        FOG_MODE_ATMOSPHERIC, FOG_MODE_EXPONENTIAL, FOG_MODE_EXPONENTIAL_SQUARED, FOG_MODE_LINEAR,
    },
}

// A colour (exposed) as it looks from the camera through the haze between.
fn in_haze(colour: vec4<f32>, p_in_world: vec3<f32>) -> vec4<f32> {
#ifdef DISTANCE_FOG
    let fog = view_bindings::fog;
    let from_camera = p_in_world - view_bindings::view.world_position;
    let distance = length(from_camera);
    // The rest is Bevy's own fog, line by line, so that games see the haze that they have set.
    var glow = vec3(0.0);
    if fog.directional_light_color.a > 0.0 {
        for (var i = 0u; i < view_bindings::lights.n_directional_lights; i++) {
            let light = &view_bindings::lights.directional_lights[i];
            let cosine = max(dot(from_camera, (*light).direction_to_light) / max(distance, 1e-6), 0.0);
            glow += pow(cosine, fog.directional_light_exponent) * (*light).color.rgb;
        }
        glow *= view_bindings::view.exposure;
    }
    switch fog.mode {
        case FOG_MODE_LINEAR: {
            return linear_fog(fog, colour, distance, glow);
        }
        case FOG_MODE_EXPONENTIAL: {
            return exponential_fog(fog, colour, distance, glow);
        }
        case FOG_MODE_EXPONENTIAL_SQUARED: {
            return exponential_squared_fog(fog, colour, distance, glow);
        }
        case FOG_MODE_ATMOSPHERIC: {
            return atmospheric_fog(fog, colour, distance, glow);
        }
        default: {
            return colour;
        }
    }
#else
    return colour;
#endif
}
