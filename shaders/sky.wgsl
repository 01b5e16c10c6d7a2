// The clear sky, and the haze that land and water fade into.
//
// sky.sun_direction   unit vector towards the sun, world space
// table               radiance from the sun's bearing (left) to the opposite one (right), from the
//                     horizon (first row) to the zenith; below it the same once more for the light
//                     of the haze, still without its phase function. Twin of `Daylight` in
//                     `core/src/sky/daylight.rs`
// exposed             radiance in cd/m² times the camera's exposure: what a pixel holds before
//                     tone mapping

#define_import_path upland::sky

#import bevy_pbr::mesh_view_bindings as view_bindings
#import bevy_pbr::utils::coords_to_viewport_uv
#import bevy_render::maths::powsafe
#import upland::clouds::Clouds
#ifdef TONEMAP_IN_SHADER
#import bevy_core_pipeline::tonemapping::{tone_mapping, screen_space_dither}
#endif

const PI: f32 = 3.14159265;
const COLUMNS: i32 = 32;
const ROWS: i32 = 64;
const HAZE_ANISOTROPY: f32 = 0.8;

// Twin of `SkyUniform` in `src/plugin/sky/backdrop.rs`.
struct Sky {
    sun_direction: vec3<f32>,
    // Share of the sky under high clouds.
    clouds: f32,
    // The sun's disc, exposed; far dimmer than the real one, or it would drown in its own glow.
    sun_disc: vec3<f32>,
    // Direct light on high clouds and on the sea, lux.
    sunlight_on_clouds: vec3<f32>,
    sunlight: vec3<f32>,
    // Light of the whole sky on level ground, lux.
    skylight: vec3<f32>,
    low: Clouds,
}

// The phase function of Henyey and Greenstein (1941): p(cos) = (1 - g²) / (4 pi (1 + g² - 2 g cos)^(3/2)).
fn henyey_greenstein(cosine: f32, g: f32) -> f32 {
    let base = 1.0 + g * g - 2.0 * g * cosine;
    return (1.0 - g * g) / (4.0 * PI * base * sqrt(base));
}

fn table_bilinear(table: texture_2d<f32>, place: vec2<f32>, first_row: i32) -> vec3<f32> {
    // Interpolated by hand: not every device filters floats of 32 bits, and a filter would mix the two halves
    // of the table where they meet.
    let corner = min(floor(place), vec2(f32(COLUMNS - 2), f32(ROWS - 2)));
    let t = place - corner;
    let texel = vec2<i32>(corner) + vec2(0, first_row);
    let below = mix(
        textureLoad(table, texel, 0).rgb,
        textureLoad(table, texel + vec2(1, 0), 0).rgb,
        t.x,
    );
    let above = mix(
        textureLoad(table, texel + vec2(0, 1), 0).rgb,
        textureLoad(table, texel + vec2(1, 1), 0).rgb,
        t.x,
    );
    return mix(below, above, t.y);
}

// Radiance of the clear sky in cd/m², without the sun's disc; below the horizon the horizon's.
fn radiance(sky: Sky, table: texture_2d<f32>, direction: vec3<f32>) -> vec3<f32> {
    let elevation = asin(clamp(direction.y, 0.0, 1.0));
    // The offset keeps straight up from having no bearing.
    let level = normalize(direction.xz + vec2(1e-9, 0.0));
    let level_sun = normalize(sky.sun_direction.xz + vec2(1e-9, 0.0));
    let away = acos(clamp(dot(level, level_sun), -1.0, 1.0));
    // The square root gives the horizon, where colours change fastest, more rows than the zenith.
    let place = vec2(away / PI * f32(COLUMNS - 1), sqrt(elevation * 2.0 / PI) * f32(ROWS - 1));
    let phase = henyey_greenstein(dot(direction, sky.sun_direction), HAZE_ANISOTROPY);
    // The phase function of haze has a peak at the sun that 32 columns cannot hold, so it is applied here.
    return table_bilinear(table, place, 0) + phase * table_bilinear(table, place, ROWS);
}

// The exposed colour of infinitely deep haze in a direction. It is Bevy's distance fog without the look into
// the shadow maps, which know nothing of the air before a shadowed slope, and darker downwards, as if over
// dim ground.
fn haze(direction: vec3<f32>) -> vec3<f32> {
#ifdef DISTANCE_FOG
    let fog = view_bindings::fog;
    var glow = vec3(0.0);
    for (var i = 0u; i < view_bindings::lights.n_directional_lights; i += 1u) {
        let light = &view_bindings::lights.directional_lights[i];
        let cosine = max(dot(direction, (*light).direction_to_light), 0.0);
        glow += pow(cosine, fog.directional_light_exponent) * (*light).color.rgb;
    }
    let tint = fog.directional_light_color.rgb * fog.directional_light_color.a;
    let down = smoothstep(0.0, -0.5, direction.y);
    return (fog.base_color.rgb + glow * tint * view_bindings::view.exposure) * (1.0 - 0.55 * down);
#else
    return vec3(0.0);
#endif
}

// A colour (exposed, not premultiplied) as it looks from the camera through the haze between.
fn through_haze(colour: vec3<f32>, p_in_world: vec3<f32>) -> vec3<f32> {
#ifdef DISTANCE_FOG
    let from_camera = p_in_world - view_bindings::view.world_position;
    let distance = length(from_camera);
    let fog = view_bindings::fog;
    // `be` and `bi` are Bevy's extinction and inscattering of `FogFalloff::Atmospheric`, per metre.
    let kept = exp(-distance * fog.be);
    let added = 1.0 - exp(-distance * fog.bi);
    return colour * kept + haze(from_camera / max(distance, 1e-6)) * added;
#else
    return colour;
#endif
}

// Sky and haze as they are seen, exposed: near the horizon and below it there is only haze.
fn clear_sky(sky: Sky, table: texture_2d<f32>, direction: vec3<f32>) -> vec3<f32> {
    let clear = radiance(sky, table, direction) * view_bindings::view.exposure;
#ifdef DISTANCE_FOG
    return mix(clear, haze(direction), exp(-max(direction.y, 0.0) / 0.035));
#else
    return clear;
#endif
}

// The unit direction from the camera through a pixel. Orthographic cameras look the same way
// everywhere.
fn direction_of_pixel(frag_coord: vec2<f32>) -> vec3<f32> {
    let view = view_bindings::view;
    let in_ndc = coords_to_viewport_uv(frag_coord, view.viewport) * vec2(2.0, -2.0) + vec2(-1.0, 1.0);
    let near = view.view_from_clip * vec4(in_ndc, 1.0, 1.0);
    // An orthographic projection has 1 in the last place of its matrix, a perspective one 0.
    let in_view = select(near.xyz / near.w, vec3(0.0, 0.0, -1.0), view.clip_from_view[3][3] == 1.0);
    return normalize((view.world_from_view * vec4(in_view, 0.0)).xyz);
}

// Without an HDR target a shader maps its own colours to the screen's, dithered against bands.
fn to_target(exposed: vec4<f32>, frag_coord: vec2<f32>) -> vec4<f32> {
    var colour = exposed;
#ifdef TONEMAP_IN_SHADER
    colour = tone_mapping(colour, view_bindings::view.color_grading);
#ifdef DEBAND_DITHER
    // Dither is half a step of the encoded picture, so it is added in that space.
    var encoded = powsafe(colour.rgb, 1.0 / 2.2);
    encoded += screen_space_dither(frag_coord);
    colour = vec4(powsafe(encoded, 2.2), colour.a);
#endif
#endif
    return colour;
}
