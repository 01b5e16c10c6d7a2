// Draws the sky behind everything: one triangle over the whole view, at the far end of its depth.

#import bevy_pbr::mesh_view_bindings::view
#import upland::noise
#import upland::sky

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> here: sky::Sky;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var table: texture_2d<f32>;

// The sun's radius, radians; a little above the real 0.0047, as painters draw it.
const SUN_RADIUS: f32 = 0.0065;

@vertex
fn vertex(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    // Bevy's depth is reversed: 0 is infinitely far away, so that everything else is in front.
    return vec4(position.xy, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) frag_coord: vec4<f32>) -> @location(0) vec4<f32> {
    let direction = sky::direction_of_pixel(frag_coord.xy);
    // One pixel's width as an angle, for soft edges.
    let pixel = length(fwidth(direction));
    var colour = sky::clear_sky(here, table, direction);

    // Nothing of the sun or of clouds is seen through the haze below the horizon.
    let above = smoothstep(-0.002, 0.03, direction.y);
    let cosine = dot(direction, here.sun_direction);
    // By the sine: `acos` of numbers close to 1 has too few bits for an angle as small as the sun.
    let angle = select(PI, length(cross(direction, here.sun_direction)), cosine > 0.0);
    let disc = 1.0 - smoothstep(SUN_RADIUS - pixel, SUN_RADIUS + pixel, angle);
    let corona = 0.010 * exp(-angle / 0.022) + 0.0022 * exp(-angle / 0.09);
    colour += here.sun_disc * smoothstep(-0.004, 0.004, direction.y) * (disc + corona);
    colour = over_clouds(colour, direction, cosine, above);
    return sky::to_target(vec4(colour, 1.0), frag_coord.xy);
}

const PI: f32 = 3.14159265;

// Thin ice clouds in a sheet high above: patches of fibres, combed along the wind and torn.
fn over_clouds(behind: vec3<f32>, direction: vec3<f32>, cosine: f32, above: f32) -> vec3<f32> {
    if here.clouds <= 0.0 || direction.y <= 0.0 {
        return behind;
    }
    // The sheet bends down with the planet, so it stays finite at the horizon.
    let p = direction.xz / (direction.y + 0.12);
    let wind = vec2(p.x * 0.8 + p.y * 0.6, p.y * 0.8 - p.x * 0.6) + vec2(5.2, 1.4);
    let patches = noise::fractal(wind * vec2(0.45, 0.7), 4);
    // Domain warping: noise moves the places at which the next noise is read, which tears the fibres.
    let torn = vec2(noise::fractal(wind * 1.1 + 3.1, 4), noise::fractal(wind * 1.1 + 71.7, 4)) - 0.5;
    let fibres = noise::fractal((wind + torn * vec2(0.5, 0.9)) * vec2(1.1, 5.5), 6);
    let veil = noise::fractal((wind + torn * 0.6) * vec2(1.4, 2.6) + 37.0, 6);
    let cover = smoothstep(0.0, 0.32, patches - mix(0.66, 0.28, here.clouds));
    let thickness = cover * (1.1 * pow(smoothstep(0.30, 0.85, veil), 1.5) + 1.6 * pow(smoothstep(0.38, 0.9, fibres), 1.6));
    let opacity = (1.0 - exp(-1.7 * thickness)) * smoothstep(0.015, 0.25, direction.y) * above;
    // Ice scatters forward less strongly than haze, and a part in all directions.
    let forward = sky::henyey_greenstein(cosine, 0.65) + 0.10;
    let light = here.sunlight_on_clouds * min(forward, 0.8) + here.skylight * 0.2;
    return mix(behind, light * view.exposure, 0.8 * opacity);
}
