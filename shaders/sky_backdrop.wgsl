// Draws the sky behind everything: one triangle over the whole view, at the far end of its depth.

#import bevy_pbr::mesh_view_bindings as view_bindings
#import bevy_pbr::mesh_view_bindings::view
#import upland::clouds::{amount_at, threshold}
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
    colour = under_low_clouds(colour, direction, cosine, pixel);
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

// Metres between the low clouds' base and the highest tops, in fair weather and under an overcast.
const DEPTH: vec2<f32> = vec2(1000.0, 900.0);
// Amount of cloud from which on it reaches up to there, and by how much more that is where clouds have grown
// together, for each unit of cloud that there is on average.
const FULL_AMOUNT: vec2<f32> = vec2(0.19, 0.8);
// Share of light that a metre of cloud takes from a ray.
const DENSITY: f32 = 0.016;
// How much darker a base is under the tallest cloud.
const BASE_SHADE: f32 = 0.5;
// Most steps of a ray, the length of those within clouds and its growth with the distance, and how much
// farther a ray may go in clear air for each unit of cloud that is missing there, metres.
const STEPS: i32 = 64;
const STEP: vec2<f32> = vec2(22.0, 0.005);
const STRIDE: f32 = 1100.0;
// The finest part of the pattern that is seen, as a share of its distance, and the sine of the elevation
// below which clouds vanish in the horizon's haze.
const FINEST: f32 = 0.0028;
const VANISHING: f32 = 0.028;
// Metres below the base within which clouds fade out for an eye that rises.
const RISING: f32 = 250.0;
// Radius of the planet, metres.
const PLANET: f32 = 6.36e6;

fn full_amount() -> f32 {
    return FULL_AMOUNT.x + FULL_AMOUNT.y * max(0.5 - threshold(here.low.cover), 0.0);
}

// How far within a cloud a place is at a height over the base, above 0 inside: a round top over a flat base.
fn within(amount: f32, height: f32, depth: f32) -> f32 {
    let share = height / depth;
    return amount - full_amount() * share * share;
}

// How dense the cloud is there, 0 to 1.
fn density(within: f32, height: f32) -> f32 {
    return smoothstep(0.0, 0.05, within) * smoothstep(-20.0, 40.0, height);
}

// Light that a part of a cloud takes on its way from the sun, as a depth in which it falls to 1/e.
fn depth_towards_sun(p: vec2<f32>, height: f32, depth: f32, finest: f32) -> f32 {
    var taken = 0.0;
    var start = 0.0;
    for (var i = 0; i < 4; i += 1) {
        let end = 45.0 * exp2(f32(i)) * (1.0 + 0.3 * f32(i));
        let way = here.sun_direction * 0.5 * (start + end);
        let amount = amount_at(here.low, p + way.xz, height + way.y, max(finest, 0.5 * (end - start)));
        taken += density(within(amount, height + way.y, depth), height + way.y) * (end - start);
        start = end;
    }
    return DENSITY * taken;
}

// Metres along a ray until it is so high, over a planet that bends down. `rise` is the sine of its elevation.
fn way_up(height: f32, rise: f32) -> f32 {
    return 2.0 * height / (rise + sqrt(rise * rise + 2.0 * height / PLANET));
}

// Low clouds in front of what is behind them: a march through their layer, lit where most of the light that
// reaches the eye comes from.
fn under_low_clouds(behind: vec3<f32>, direction: vec3<f32>, cosine: f32, pixel: f32) -> vec3<f32> {
    let up = here.low.base - view.world_position.y;
    if here.low.cover <= 0.0 || direction.y <= 0.0 || up <= 0.0 {
        return behind;
    }
    let depth = mix(DEPTH.x, DEPTH.y, here.low.cover);
    let near = way_up(up, direction.y);
    let far = way_up(up + depth, direction.y);
    // What is finer than a pixel flickers, and so does what is finer than a step far away, where rays pass along
    // the layer.
    let finest = near * max(pixel, FINEST);

    var left = 1.0;
    var weight = 0.0;
    var seen_at = 0.0;
    var t = near;
    for (var i = 0; i < STEPS && t < far && left > 0.01; i += 1) {
        let p = view.world_position.xz + direction.xz * t;
        let height = t * direction.y + t * t / (2.0 * PLANET) - up;
        let here_within = within(amount_at(here.low, p, height, finest), height, depth);
        let step = max(STEP.x + STEP.y * t, -STRIDE * here_within);
        let kept = exp(-DENSITY * density(here_within, height) * step);
        seen_at += t * left * (1.0 - kept);
        weight += left * (1.0 - kept);
        left *= kept;
        t += step;
    }
    if weight <= 0.001 {
        return behind;
    }
    t = seen_at / weight;
    let p = view.world_position.xz + direction.xz * t;
    let height = t * direction.y + t * t / (2.0 * PLANET) - up;
    let share = clamp(height / depth, 0.0, 1.0);
    let taken = depth_towards_sun(p, height, depth, finest);

    // What is scattered once makes edges towards the sun shine. What is scattered often has no direction, and
    // gets deep into a cloud: by the two-stream approximation, 1 / (1 + 3/4 (1 - g) depth).
    let once = min(sky::henyey_greenstein(cosine, 0.72), 0.9) + 0.08;
    let often = 0.155 / (1.0 + 0.33 * taken);
    // Air between dims and reddens the sun less there than on the ground, more than on clouds of ice.
    let arriving = mix(here.sunlight, here.sunlight_on_clouds, 0.35);
    // Deep clouds send on the light of all the sky around, which together is white.
    let white = vec3(dot(arriving, vec3(0.2126, 0.7152, 0.0722)));
    let sun = once * exp(-taken) * arriving + often * mix(arriving, white, 0.7 * here.low.cover * here.low.cover);
    // From the sky above, and from the ground below where the sun shines on it.
    let above = here.skylight * (0.12 + 0.16 * share);
    let level_sun = here.sunlight * max(here.sun_direction.y, 0.0);
    let below = (level_sun * (1.0 - 0.8 * here.low.cover) + here.skylight) * 0.045 * (1.0 - share);
    // A base is darker the more cloud stands over it.
    let over = clamp(amount_at(here.low, p, height, finest) / full_amount(), 0.0, 1.0);
    let shade = 1.0 - BASE_SHADE * (1.0 - share) * (1.0 - share) * over;
    let colour = shade * (sun + above + below) * view.exposure;

    // Far clouds fade into the haze as far land does, a little later, since most haze lies below them.
#ifdef DISTANCE_FOG
    let clear = exp(-0.6 * t * view_bindings::fog.be);
#else
    let clear = vec3(exp(-t / 60000.0));
#endif
    let opacity = (1.0 - left) * smoothstep(0.0, RISING, up) * (1.0 - exp(-direction.y / VANISHING));
    return mix(behind, colour, opacity * clear);
}
