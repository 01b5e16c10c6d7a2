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
    let angle = select(PI, length(cross(direction, here.sun_direction)), cosine > 0.0);
    let disc = 1.0 - smoothstep(SUN_RADIUS - pixel, SUN_RADIUS + pixel, angle);
    let corona = 0.010 * exp(-angle / 0.022) + 0.0022 * exp(-angle / 0.09);
    colour += here.sun_disc * smoothstep(-0.004, 0.004, direction.y) * (disc + corona);
    colour = over_clouds(colour, direction, cosine, above);
    return sky::to_target(vec4(colour, 1.0), frag_coord.xy);
}

const PI: f32 = 3.14159265;

// Thin ice clouds in a sheet high above: streaks along the wind, torn across it.
fn over_clouds(behind: vec3<f32>, direction: vec3<f32>, cosine: f32, above: f32) -> vec3<f32> {
    if here.clouds <= 0.0 || direction.y <= 0.0 {
        return behind;
    }
    // The sheet bends down with the planet, so it stays finite at the horizon.
    let p = direction.xz / (direction.y + 0.10);
    let wind = vec2(p.x * 0.8 + p.y * 0.6, p.y * 0.8 - p.x * 0.6);
    let torn = vec2(noise::fractal(wind * 0.9 + 3.1, 3), noise::fractal(wind * 0.9 + 71.7, 3)) - 0.5;
    let wide = noise::fractal(wind * vec2(0.35, 0.55) + torn * 0.9 + 11.0, 3);
    let fine = noise::fractal(wind * vec2(0.9, 3.2) + torn * vec2(2.0, 3.5), 5);
    let shape = 0.62 * wide + 0.38 * fine;
    let threshold = mix(0.72, 0.36, here.clouds);
    let density = smoothstep(threshold, threshold + 0.28, shape) * mix(0.55, 1.0, fine);
    let opacity = 0.65 * density * smoothstep(0.02, 0.22, direction.y) * above;
    let forward = sky::henyey_greenstein(cosine, 0.7) + 0.10;
    let light = here.sunlight_on_clouds * min(forward, 1.2) + here.skylight * 0.16;
    return mix(behind, light * view.exposure, opacity);
}
