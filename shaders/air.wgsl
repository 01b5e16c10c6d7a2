// The air of a planet, seen from the ground or from space: light that it scatters towards the eye once, and
// what it takes from the light of all that lies behind. One triangle over the whole view, drawn last.

#import bevy_pbr::{
    mesh_view_bindings::{lights, view},
    prepass_utils,
    view_transformations::{frag_coord_to_ndc, position_ndc_to_world},
}

// Twin of `AirUniform` in `src/plugin/planet/air.rs`.
struct Air {
    // Upwards at the eye.
    up: vec3<f32>,
    // The eye's, metres above the planet's radius. In its place lengths from the centre would be too coarse.
    altitude: f32,
    // Share of light that is scattered out of the way from space straight down: red, green and blue.
    molecules: vec3<f32>,
    // The same of haze, alike for all colours.
    haze: f32,
    // Metres.
    radius: f32,
    // Altitude of the sea or of the lowest land, metres.
    floor: f32,
    // Altitude at which the air is thinner by e, metres.
    scale_height: f32,
    // Altitude at which it ends, metres.
    top: f32,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> air: Air;

const PI: f32 = 3.14159265;
const STEPS: i32 = 24;
// How far haze scatters forward: Henyey and Greenstein's g.
const FORWARD: f32 = 0.76;
// Light that is scattered more than once, as a share of what is scattered once, from all sides.
const MULTIPLE: f32 = 0.14;

@vertex
fn vertex(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    // At the near end of the view, before everything.
    // Bevy's depth is reversed: 1 is the near end.
    return vec4(position.xy, 1.0, 1.0);
}

// Where a ray leaves and enters the sphere at an altitude: half the sum and half the difference of the
// distances; the latter is below 0 if it misses. `along` is the distance from the eye's place back to the
// ray's nearest to the centre. Differences of altitudes keep 32 bits precise.
fn half_chord(along: f32, altitude: f32) -> f32 {
    // (r + a)² - (r + b)² = (a - b) (2 r + a + b), without the squares of the radius, which would leave
    // nothing of the altitudes in 32 bits.
    let c = (air.altitude - altitude) * (2.0 * air.radius + air.altitude + altitude);
    let square = along * along - c;
    return select(-1.0, sqrt(max(square, 0.0)), square > 0.0);
}

@fragment
fn fragment(@builtin(position) frag_coord: vec4<f32>) -> @location(0) vec4<f32> {
    let ndc = frag_coord_to_ndc(vec4(frag_coord.xy, 0.5, 1.0));
    let direction = normalize(position_ndc_to_world(vec3(ndc.xy, 0.5)) - view.world_position);
    let rise = dot(direction, air.up);
    let from_centre = air.radius + air.altitude;
    let along = from_centre * rise;
    let chord = half_chord(along, air.top);
    var begin = max(-along - chord, 0.0);
    var end = -along + chord;
    let ground = half_chord(along, air.floor);
    // Only ground ahead of the eye ends the ray.
    if ground > 0.0 && -along - ground > 0.0 {
        end = min(end, -along - ground);
    }
#ifdef DEPTH_PREPASS
    let depth = prepass_utils::prepass_depth(frag_coord, 0u);
    if depth > 0.0 {
        end = min(end, length(position_ndc_to_world(vec3(ndc.xy, depth)) - view.world_position));
    }
#endif
    if chord <= 0.0 || end <= begin || lights.n_directional_lights == 0u {
        return vec4(0.0);
    }

    let sun = lights.directional_lights[0].direction_to_light;
    let cosine = dot(direction, sun);
    // Rayleigh's phase function.
    let of_molecules = 3.0 / (16.0 * PI) * (1.0 + cosine * cosine);
    let g = FORWARD;
    // Henyey and Greenstein's.
    let of_haze = (1.0 - g * g) / (4.0 * PI * pow(1.0 + g * g - 2.0 * g * cosine, 1.5));
    let all = air.molecules + air.haze;
    // After Chapman: how many times as much air as straight up there is level ahead.
    // The Chapman function at the horizon: sqrt(pi r / 2 H) for a scale height H.
    let level = sqrt(PI * air.radius / (2.0 * air.scale_height));

    var taken = vec3(0.0);
    var scattered = vec3(0.0);
    // From within the air, what is near counts most.
    let is_within = air.altitude < air.top;
    for (var step = 0; step < STEPS; step++) {
        let share = (f32(step) + 0.5) / f32(STEPS);
        // Squared shares place more steps near the eye; the derivative, 2 · share, is the width of a step.
        let place = select(share, share * share, is_within);
        let width = (end - begin) / f32(STEPS) * select(1.0, 2.0 * share, is_within);
        let t = begin + (end - begin) * place;
        // As in `half_chord`: the square of the distance from the centre less r², and the altitude as x /
        // (sqrt(r² + x) + r), in which nothing large is subtracted.
        let x = 2.0 * along * t + t * t + air.altitude * (2.0 * air.radius + air.altitude);
        let altitude = x / (sqrt(max(air.radius * air.radius + x, 0.0)) + air.radius);
        let up = (air.up * from_centre + direction * t) / (air.radius + altitude);
        let height = dot(up, sun);
        let density = exp(-max(altitude - air.floor, 0.0) / air.scale_height);
        // The planet's shadow; the horizon lies lower from above.
        // How far the horizon lies below level, seen from a height h: sqrt(2 h / r).
        let dip = sqrt(max(2.0 * (altitude - air.floor) / air.radius, 0.0));
        let lit = smoothstep(-0.09, 0.03, height + dip);
        // From 1 for a sun overhead to Chapman's `level` for one at the horizon.
        let way = level / ((level - 1.0) * max(height, 0.0) + 1.0);
        let sunlight = lit * exp(-all * density * way);
        let part = density / air.scale_height * width;
        // To the middle of the step.
        let before = exp(-(taken + 0.5 * all * part));
        let single = sunlight * (air.molecules * of_molecules + air.haze * of_haze);
        // Light that has been scattered more than once comes from all sides and gets farther into shade: less
        // of it is taken away on the way.
        let multiple = lit * exp(-0.3 * all * density * way) * MULTIPLE / (4.0 * PI) * all;
        scattered += before * part * (single + multiple);
        taken += all * part;
    }
    let colour = scattered * lights.directional_lights[0].color.rgb * view.exposure;
    // Blending has one opacity for all colours: their mean.
    let opacity = 1.0 - dot(exp(-taken), vec3(1.0 / 3.0));
    return vec4(colour, opacity);
}
