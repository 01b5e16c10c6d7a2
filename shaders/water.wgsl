// The surface of a sea or a lake: the bed seen through it, the sky reflected by it, the sun in its
// ripples. Level and still as a mesh; all that moves is its normal. With RIVER it is that of rivers,
// which falls, flows and foams.
//
// depth      metres of water above the ground at a point, below 0 on land
// slope      rise of the water's surface per metre towards +x and +z
// variance   of the slopes of waves too small to be drawn; they blur what is reflected

#import bevy_pbr::{
    mesh_functions,
    mesh_view_bindings::{globals, lights, view},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
    shadows,
    view_transformations::{position_world_to_clip, position_world_to_view},
}
#import upland::noise
#import upland::sky

// Twin: `WaterUniform` in src/plugin/water/material.rs.
struct Water {
    above: sky::Sky,
    // The field's size and the distance between its samples, metres.
    extent: vec2<f32>,
    cell: f32,
    // The height at which the sea is drawn, metres.
    level: f32,
    // A height of the field is drawn at `height * height_scale + height_bias`.
    height_scale: f32,
    height_bias: f32,
    // Depth at which the bed is all but lost, metres.
    clarity: f32,
    // Metres per second. Of rivers, how many times as fast as it would the water flows.
    wind: f32,
    wave_speed: f32,
    // How much higher rivers may count than they are, metres.
    lift: f32,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> water: Water;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var table: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(2) var heights: texture_2d<f32>;

const PI: f32 = 3.14159265;
// Metres by which a river counts as higher for each metre from the eye.
const LIFT: f32 = 0.005;
// Seconds for which a river's ripples run along before others take their place.
const RIPPLES_LAST: f32 = 5.0;
// Froude numbers from which water breaks, and where all of it is white.
const BREAKS_FROM: f32 = 0.65;
const BREAKS_TO: f32 = 1.4;
// How much of each colour deep water sends back, and how fast it absorbs it compared to the whole.
const DEEP_ALBEDO: vec3<f32> = vec3(0.006, 0.032, 0.058);
const ABSORPTION: vec3<f32> = vec3(6.5, 1.35, 1.0);
// A pale bed, where the real one is not known.
const BED_ALBEDO: vec3<f32> = vec3(0.33, 0.31, 0.24);

struct Surface {
    @builtin(position) position: vec4<f32>,
    @location(0) p_in_world: vec4<f32>,
    // Metres east and south of the field's centre.
    @location(1) p_from_centre: vec2<f32>,
#ifdef RIVER
    // Metres per second east and south.
    @location(2) velocity: vec2<f32>,
    // The height at which the water is drawn, metres.
    @location(3) level: f32,
    @location(4) froude: f32,
#endif
}

struct Vertex {
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3<f32>,
#ifdef RIVER
    @location(2) velocity: vec2<f32>,
    // The Froude number; y unused.
    @location(3) froude: vec2<f32>,
#endif
}

@vertex
fn vertex(in: Vertex) -> Surface {
    var out: Surface;
    let world_from_local = mesh_functions::get_world_from_local(in.instance);
    out.p_in_world = mesh_functions::mesh_position_local_to_world(world_from_local, vec4(in.position, 1.0));
    out.position = position_world_to_clip(out.p_in_world.xyz);
    out.p_from_centre = in.position.xz;
#ifdef RIVER
    out.velocity = in.velocity;
    out.level = in.position.y;
    out.froude = in.froude.x;
    // Far ground is drawn coarsely and bridges the bed: there the water counts as higher than it is.
    let lift = min(LIFT * distance(out.p_in_world.xyz, view.world_position), water.lift);
    let lifted = position_world_to_clip(out.p_in_world.xyz + vec3(0.0, lift, 0.0));
    out.position.z = lifted.z / lifted.w * out.position.w;
#endif
    return out;
}

@fragment
fn fragment(in: Surface) -> @location(0) vec4<f32> {
    let p = in.p_in_world.xyz;
    let distance = length(p - view.world_position);
    let to_eye = (view.world_position - p) / distance;
    let footprint = length(fwidth(in.p_from_centre));
#ifdef RIVER
    let outside = 0.0;
    let level = in.level;
#else
    let outside = length(max(abs(in.p_from_centre) - 0.5 * water.extent, vec2(0.0)));
    let level = water.level;
#endif
    let bed_depth = level - ground(in.p_from_centre);
    // Beyond the field nobody knows the bed: it falls away from what it was at the border, and never
    // shows.
    let away = 1.0 - exp(-outside / max(0.03 * max(water.extent.x, water.extent.y), 1.0));
    let known = max(bed_depth, select(0.0, water.clarity, outside > 0.0));
    let depth = mix(known, max(known, 4.0 * water.clarity), away);
    let shore = smoothstep(0.0, max(0.25, 0.7 * fwidth(bed_depth)), bed_depth);

#ifdef RIVER
    let waves = ripples_at(in.p_from_centre, in.velocity, footprint);
#else
    let waves = waves_at(in.p_from_centre, footprint);
#endif
    let normal = normalize(vec3(-waves.slope.x, 1.0, -waves.slope.y));
    let roughness = sqrt(waves.variance);
    let cosine = max(dot(normal, to_eye), 0.02);
    // Of a rough sea seen at a low angle only the near faces of waves are seen.
    let facing = sqrt(cosine * cosine + 1.4 * waves.variance);
    let fresnel = 0.02 + 0.98 * pow(1.0 - min(facing, 1.0), 5.0);

    var mirrored = reflect(-to_eye, normal);
    mirrored.y = abs(mirrored.y) + 0.9 * roughness * (1.0 - cosine);
    let reflected = sky::clear_sky(water.above, table, normalize(mirrored));

    let sun = sunlit(in.p_in_world, in.position.xy);
    let glitter = min(sun_glitter(normal, to_eye, waves.variance) * sun * view.exposure, vec3(24.0));

    // Light that goes down into the water and comes back up.
    let incoming = sun * max(water.above.sun_direction.y, 0.0) * 0.95 + water.above.skylight;
    let down = incoming / PI * view.exposure;
    let path = max(depth, 0.0) * (1.0 + 0.6 / max(to_eye.y, 0.35));
    let through = exp(-ABSORPTION * path / water.clarity);
    // The ground drawn before lies behind a single opacity; what its green and blue lack or its red
    // has too much is made up for with a bed of guessed colour.
    let bed_alpha = mix(dot(through, vec3(0.2, 0.5, 0.3)), 0.0, min(outside * 10.0, 1.0));
    let body = DEEP_ALBEDO * down * (1.0 - through) + (through - bed_alpha) * BED_ALBEDO * down;

#ifdef RIVER
    let foam = white_water(in.p_from_centre, in.velocity, in.froude, footprint);
#else
    let foam = foam_at(in.p_from_centre, bed_depth, footprint) * select(0.0, 1.0, outside <= 0.0);
#endif
    var colour = max(body, vec3(0.0)) * (1.0 - fresnel) + reflected * fresnel + glitter;
    colour = mix(colour, 0.75 * down, foam);
    let alpha = mix(1.0 - bed_alpha * (1.0 - fresnel), 1.0, foam);
    if shore <= 0.0 && outside <= 0.0 {
        discard;
    }
#ifdef RIVER
    if level < water.level {
        discard;
    }
#endif

    // `colour` is what the water adds, over `1 - alpha` of what lies behind.
    let hazy = sky::through_haze(colour / max(alpha, 1e-3), p);
    let seen = select(alpha * shore, 1.0, outside > 0.0);
    let target_colour = sky::to_target(vec4(hazy, 1.0), in.position.xy);
    return vec4(target_colour.rgb * seen, seen);
}

// The height at which the ground is drawn, bilinear; the border's outside the field.
fn ground(p_from_centre: vec2<f32>) -> f32 {
    let last = vec2<i32>(textureDimensions(heights)) - 1;
    let place = clamp((p_from_centre + 0.5 * water.extent) / water.cell, vec2(0.0), vec2<f32>(last));
    let corner = vec2<i32>(floor(place));
    let opposite = min(corner + 1, last);
    let t = place - floor(place);
    let north = mix(
        textureLoad(heights, corner, 0).r,
        textureLoad(heights, vec2(opposite.x, corner.y), 0).r,
        t.x,
    );
    let south = mix(
        textureLoad(heights, vec2(corner.x, opposite.y), 0).r,
        textureLoad(heights, opposite, 0).r,
        t.x,
    );
    return mix(north, south, t.y) * water.height_scale + water.height_bias;
}

struct Waves {
    slope: vec2<f32>,
    variance: f32,
}

// Waves of seven lengths. Those shorter than a few pixels only add to the variance.
fn waves_at(p: vec2<f32>, footprint: f32) -> Waves {
    // After C. Cox and W. Munk (1954): the mean square slope of a sea in the wind.
    let total = 0.003 + 0.00512 * water.wind;
    // Gusts: some patches are rougher than others.
    let gusts = noise::fractal(p / 900.0, 3) + 0.5 * noise::fractal(p / vec2(2900.0, 5200.0), 2);
    let rough = total * mix(0.35, 1.5, smoothstep(0.45, 1.05, gusts));
    var waves = Waves(vec2(0.0), 0.0);
    var wavelength = 96.0;
    var turn = mat2x2(0.8, 0.6, -0.6, 0.8);
    var place = p;
    for (var i = 0; i < 7; i += 1) {
        // Short waves are the steeper ones.
        let share = rough * f32(i + 1) / 28.0;
        let seen = 1.0 - smoothstep(0.12, 0.45, footprint / wavelength);
        if seen > 0.0 {
            // Long waves are faster, as in deep water.
            let drift = vec2(0.35, 1.0) * globals.time * water.wave_speed * sqrt(wavelength / 24.0);
            // Crests lie across the wind: they are twice as long as they are apart.
            let unit = (place + drift) / (wavelength * vec2(1.0, 0.5));
            let rise = noise::value(unit).yz * vec2(0.5, 1.0);
            // The mean square gradient of the noise is 0.55 at unit spacing.
            waves.slope += transpose_times(i, rise) * sqrt(share / 0.55) * seen;
        }
        waves.variance += share * (1.0 - seen * seen);
        wavelength *= 0.5;
        place = turn * place + vec2(31.7, 11.3);
    }
    waves.variance = max(waves.variance, 0.0004);
    return waves;
}

// A pattern that flows along for a while before another takes its place: two of them, one grown while the
// other is changed. After A. Vlachos, "Water Flow in Portal 2" (2010).
struct Flow {
    // Metres by which each has moved, and its share; the first grows while the second fades.
    moved: vec2<f32>,
    share: vec2<f32>,
    // The number of each pattern.
    number: vec2<f32>,
}

fn flow_now(p: vec2<f32>) -> Flow {
    // Not everywhere at once.
    let time = globals.time * water.wave_speed / RIPPLES_LAST + 0.5 * noise::value(p / 60.0).x;
    let phases = vec2(time, time + 0.5);
    let share = abs(1.0 - 2.0 * fract(phases));
    return Flow((fract(phases) - 0.5) * RIPPLES_LAST, 1.0 - share, floor(phases) * vec2(7.31, 9.77));
}

// Ripples of a river: the faster it flows the rougher.
fn ripples_at(p: vec2<f32>, velocity: vec2<f32>, footprint: f32) -> Waves {
    let flow = flow_now(p);
    let speed = length(velocity);
    let total = 0.0006 + 0.0045 * min(speed, 4.0);
    var waves = Waves(vec2(0.0), 0.0);
    var wavelength = 9.0;
    for (var i = 0; i < 5; i += 1) {
        let share = total * f32(i + 1) / 15.0;
        let seen = 1.0 - smoothstep(0.12, 0.45, footprint / wavelength);
        if seen > 0.0 {
            let a = noise::value((p - velocity * flow.moved.x) / wavelength + flow.number.x + f32(i)).yz;
            let b = noise::value((p - velocity * flow.moved.y) / wavelength + flow.number.y + f32(i)).yz;
            // As rough while one goes over into the other.
            let rise = (a * flow.share.x + b * flow.share.y) / length(flow.share);
            waves.slope += rise * sqrt(share / 0.55) * seen;
        }
        waves.variance += share * (1.0 - seen * seen);
        wavelength *= 0.5;
    }
    waves.variance = max(waves.variance, 0.0004);
    return waves;
}

// Foam where a river is faster than waves run in it: rapids.
fn white_water(p: vec2<f32>, velocity: vec2<f32>, froude: f32, footprint: f32) -> f32 {
    let breaks = smoothstep(BREAKS_FROM, BREAKS_TO, froude);
    if breaks <= 0.0 {
        return 0.0;
    }
    let flow = flow_now(p);
    let a = noise::fractal((p - velocity * flow.moved.x) / 5.0 + flow.number.x, 4);
    let b = noise::fractal((p - velocity * flow.moved.y) / 5.0 + flow.number.y, 4);
    let torn = mix(0.5, (a * flow.share.x + b * flow.share.y), 1.0 - smoothstep(1.0, 6.0, footprint));
    return 0.8 * smoothstep(0.75 - 0.6 * breaks, 0.95 - 0.4 * breaks, torn);
}

// Turns a slope back from the frame of octave `octave`.
fn transpose_times(octave: i32, slope: vec2<f32>) -> vec2<f32> {
    let angle = 0.6435 * f32(octave);
    let s = sin(angle);
    let c = cos(angle);
    return vec2(c * slope.x + s * slope.y, c * slope.y - s * slope.x);
}

// Sunlight that arrives at a point of the water, lux.
fn sunlit(p_in_world: vec4<f32>, frag_coord: vec2<f32>) -> vec3<f32> {
    if lights.n_directional_lights == 0u
        || (lights.directional_lights[0].flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) == 0u {
        return water.above.sunlight;
    }
    let view_z = position_world_to_view(p_in_world.xyz).z;
    let up = vec3(0.0, 1.0, 0.0);
    return water.above.sunlight * shadows::fetch_directional_shadow(0u, p_in_world, up, view_z, frag_coord);
}

// The part of the sunlight that ripples throw towards the eye: Beckmann's distribution of facets.
fn sun_glitter(normal: vec3<f32>, to_eye: vec3<f32>, variance: f32) -> f32 {
    let to_sun = water.above.sun_direction;
    let half = normalize(to_sun + to_eye);
    let c = clamp(dot(normal, half), 0.01, 1.0);
    let n_sun = max(dot(normal, to_sun), 0.0);
    if n_sun <= 0.0 {
        return 0.0;
    }
    let tangent2 = (1.0 - c * c) / (c * c);
    let facets = exp(-tangent2 / variance) / (PI * variance * c * c * c * c);
    let fresnel = 0.02 + 0.98 * pow(1.0 - clamp(dot(half, to_eye), 0.0, 1.0), 5.0);
    return 0.25 * fresnel * facets * n_sun / max(max(dot(normal, to_eye), n_sun), 0.05);
}

// Foam where waves run ashore: a broken line in the first half metre of depth.
fn foam_at(p: vec2<f32>, depth: f32, footprint: f32) -> f32 {
    let edge = smoothstep(0.0, 0.12, depth) * (1.0 - smoothstep(0.25, 0.9, depth));
    let torn = noise::fractal(p / 7.0, 4);
    let seen = 1.0 - smoothstep(1.0, 6.0, footprint);
    return 0.75 * edge * mix(0.25, smoothstep(0.40, 0.62, torn), seen);
}
