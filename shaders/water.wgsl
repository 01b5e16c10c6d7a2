// The surface of a sea or a lake: the bed seen through it, the sky reflected by it, the sun in its
// ripples. Level and still as a mesh; all that moves is its normal. With RIVER it is that of rivers,
// which falls, flows and foams.
//
// depth      metres of water above the ground at a point, below 0 on land
// slope      rise of the water's surface per metre towards +x and +z
// variance   of the slopes of waves too small to be drawn; they blur what is reflected

#import bevy_pbr::{
    mesh_view_bindings::{globals, lights, view},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
    view_transformations::{position_world_to_clip, position_world_to_view},
}
#import upland::{
    far_shadow::{mapped_shadow, marched_share, seen_from},
    field::field,
    land::{DrawnHeight, drawn_height, level_at, on_land},
    noise,
    place::{Counted, advanced},
    sky,
}
#ifdef TERRAIN_CLOUDS
#import upland::clouds::cloud_shadow
#endif

// Lengths of waves, and the longest, metres; octaves of foam, and metres between its coarsest lattice points.
// Twins of `WAVES`, `LONGEST`, `FOAM` and `FOAM_SIZE` in `src/plugin/water/waves.rs`.
const WAVES: i32 = 7;
const LONGEST: f32 = 96.0;
const FOAM: i32 = 4;
const FOAM_SIZE: f32 = 7.0;

// Twin of `WaterUniform` in `src/plugin/water/material.rs`.
struct Water {
    above: sky::Sky,
    // For rivers: where the anchor lies, metres east and south of the field's centre.
    anchor: vec2<f32>,
    // The height at which the sea is drawn, metres.
    level: f32,
    // Depth at which the bed is all but lost, metres.
    clarity: f32,
    // Metres per second. For rivers, a multiple of the water's own speed.
    wind: f32,
    wave_speed: f32,
    // For rivers: metres between the vertices of their sheet.
    sheet_cell: f32,
    // For rivers: how many patterns of ripples there were before `globals.time` was last 0, modulo
    // `PATTERNS`.
    past_patterns: f32,
    // Where the anchor lies in the patterns of each wavelength, and of foam.
    waves: array<Counted, WAVES>,
    foam: array<Counted, FOAM>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> water: Water;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var sky_table: texture_2d<f32>;

const PI: f32 = 3.14159265;
// Metres by which a river counts as higher for each metre from the eye, and at most, as a multiple of the
// distance between its sheet's vertices.
const LIFT: f32 = 0.005;
const MOST_LIFT: f32 = 2.0;
// How far the sea is above a river where it begins to fade out, and where it has ended, metres. The second is
// less than `DROWNED` in `core/src/steps/water/sheet.rs`.
const DROWNED_FROM: f32 = 4.0;
const DROWNED_TO: f32 = 20.0;
// By how many levels chunks may be coarser than the texels that are wanted.
const COARSER_CHUNKS: i32 = 4;
// Seconds for which a river's ripples run along before others take their place, and after how many of them
// the first come again. Twins of `RIPPLES_LAST` and `PATTERNS` in `src/plugin/water/waves.rs`.
const RIPPLES_LAST: f32 = 5.0;
const PATTERNS: f32 = 512.0;
// Froude numbers from which water breaks, and where all of it is white.
const BREAKS_FROM: f32 = 0.65;
const BREAKS_TO: f32 = 1.4;
// How much of each colour deep water sends back. Twin of `DEEP_ALBEDO` in `src/plugin/sky/look.rs`.
const DEEP_ALBEDO: vec3<f32> = vec3(0.006, 0.032, 0.058);
// How fast it absorbs each colour compared to blue. Twin of `ABSORPTION` in
// `src/plugin/material/submersion.rs`.
const ABSORPTION: vec3<f32> = vec3(6.5, 1.35, 1.0);
// Refraction of water against air.
const REFRACTION: f32 = 1.333;
// A pale bed, where the real one is not known.
const BED_ALBEDO: vec3<f32> = vec3(0.33, 0.31, 0.24);

struct Surface {
    @builtin(position) position: vec4<f32>,
    @location(0) p_in_world: vec4<f32>,
    // Metres east and south of the anchor.
    @location(1) from_anchor: vec2<f32>,
#ifdef RIVER
    // Metres per second east and south.
    @location(2) velocity: vec2<f32>,
    // The height at which the water is drawn, metres.
    @location(3) level: f32,
    @location(4) froude: f32,
    // Metres of water above the land's own samples, below 0 where the land is higher.
    @location(5) depth: f32,
    // By how much the sea has risen above the river's own level, metres.
    @location(6) drowned: f32,
#endif
}

struct Vertex {
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3<f32>,
#ifdef RIVER
    @location(2) velocity: vec2<f32>,
    // The Froude number, and metres of water above the land.
    @location(3) froude: vec2<f32>,
#endif
}

@vertex
fn vertex(in: Vertex) -> Surface {
    var out: Surface;
#ifdef RIVER
    out.from_anchor = in.position.xz - water.anchor;
    let level = max(in.position.y, water.level);
#else
    // The sheet goes with the anchor.
    out.from_anchor = in.position.xz;
    let level = water.level;
#endif
    out.p_in_world = field.world_from_anchor * vec4(out.from_anchor.x, level, out.from_anchor.y, 1.0);
    out.position = position_world_to_clip(out.p_in_world.xyz);
#ifdef RIVER
    out.velocity = in.velocity;
    out.level = level;
    out.froude = in.froude.x;
    out.drowned = level - in.position.y;
    out.depth = in.froude.y + out.drowned;
    // Far ground is drawn coarsely and bridges the bed: there the water counts as higher than it is. Only its
    // depth changes, its pixels stay where they are: the point that counts lies nearer on the way to the eye,
    // by as much as lifts it.
    let way = view.world_position - out.p_in_world.xyz;
    let lift = bridged_by(out.from_anchor, level, length(way))
        + min(LIFT * length(way), MOST_LIFT * water.sheet_cell);
    let nearer = min(lift / max(way.y, 1e-3), 0.5);
    let lifted = position_world_to_clip(out.p_in_world.xyz + nearer * way);
    out.position.z = lifted.z / lifted.w * out.position.w;
#endif
    return out;
}

@fragment
fn fragment(in: Surface) -> @location(0) vec4<f32> {
    let p = in.p_in_world.xyz;
    let away = length(p - view.world_position);
    let to_eye = (view.world_position - p) / away;
    let footprint = length(fwidth(in.from_anchor));
#ifdef RIVER
    let outside = 0.0;
#else
    let outside = distance(in.from_anchor, on_land(in.from_anchor));
#endif
    let level = level_of(in);
    let lod = max(log2(max(footprint, 1e-3) / field.cell), level_at(away / field.world_scale));
    let bed = drawn_height(on_land(in.from_anchor), lod);
#ifdef RIVER
    // Coarse ground bridges the bed, or fills it.
    let bed_depth = mix(level - bed.height, in.depth, coarseness(lod, bed));
#else
    let bed_depth = level - bed.height;
#endif
    let is_open = outside > 0.0 || !bed.is_known;
    // Beyond the land the bed is unknown: it falls away from what it was at the border, and never
    // shows.
    let unknown = 1.0 - exp(-outside / max(0.03 * max(f32(field.last.x), f32(field.last.y)) * field.cell, 1.0));
    let known = max(bed_depth, select(0.0, water.clarity, outside > 0.0));
    let depth = select(4.0 * water.clarity, mix(known, max(known, 4.0 * water.clarity), unknown), bed.is_known);
    // The shore is at least as soft as a pixel, so that it has no stairs.
    let drawn_shore = smoothstep(0.0, max(0.25, 0.7 * fwidth(bed_depth)), bed_depth);
#ifdef RIVER
    // A river ends in the sea.
    let shore = select(1.0, drawn_shore, bed.is_known) * (1.0 - smoothstep(DROWNED_FROM, DROWNED_TO, in.drowned));
#else
    let shore = select(1.0, drawn_shore, bed.is_known);
#endif

#ifdef RIVER
    let p_on_land = in.from_anchor + water.anchor;
    let waves = ripples_at(p_on_land, in.velocity, footprint);
#else
    let waves = waves_at(in.from_anchor, footprint);
#endif
    let normal = normalize(vec3(-waves.slope.x, 1.0, -waves.slope.y));
    if to_eye.y < 0.0 {
        return from_below(in, normal, waves.variance, select(shore, 1.0, is_open));
    }
    let roughness = sqrt(waves.variance);
    let cosine = max(dot(normal, to_eye), 0.02);
    // Only the near faces of waves are seen of a rough sea at a low angle.
    let facing = sqrt(cosine * cosine + 1.4 * waves.variance);
    // Schlick's approximation; water reflects 2 % of what meets it head on.
    let fresnel = 0.02 + 0.98 * pow(1.0 - min(facing, 1.0), 5.0);

    var mirrored = reflect(-to_eye, normal);
    // Waves reflect higher sky than a mirror would, since those that face away are hidden behind others; and
    // never what lies below the horizon, which is water.
    mirrored.y = abs(mirrored.y) + 0.9 * roughness * (1.0 - cosine);
    let reflected = sky::clear_sky(water.above, sky_table, normalize(mirrored));

    let sun = sunlit(in);
    // The bound keeps bloom from a few pixels from covering the picture.
    let glitter = min(sun_glitter(normal, to_eye, waves.variance) * sun * view.exposure, vec3(24.0));

    // Light that goes down into the water and comes back up.
    let down = downwards(sun);
    // Down with the sun's light and up to the eye. At a low angle the way up is longer, but only up to a
    // bound, because water bends the light upwards.
    let path = max(depth, 0.0) * (1.0 + 0.6 / max(to_eye.y, 0.35));
    // Beer and Lambert's law, for each colour.
    let through = exp(-ABSORPTION * path / water.clarity);
    // The ground drawn before lies behind a single opacity; what its green and blue lack or its red
    // has too much is made up for with a bed of guessed colour.
    let bed_alpha = select(mix(dot(through, vec3(0.2, 0.5, 0.3)), 0.0, min(outside * 10.0, 1.0)), 0.0, !bed.is_known);
    let body = DEEP_ALBEDO * down * (1.0 - through) + (through - bed_alpha) * BED_ALBEDO * down;

#ifdef RIVER
    let foam = white_water(p_on_land, in.velocity, in.froude, footprint);
#else
    let foam = select(foam_at(in.from_anchor, bed_depth, footprint), 0.0, is_open);
#endif
    var colour = max(body, vec3(0.0)) * (1.0 - fresnel) + reflected * fresnel + glitter;
    colour = mix(colour, 0.75 * down, foam);
    let alpha = mix(1.0 - bed_alpha * (1.0 - fresnel), 1.0, foam);
    // Only here, after everything that needs derivatives.
    if shore <= 0.0 && !is_open {
        discard;
    }
    // `colour` is what the water adds, over `1 - alpha` of what lies behind.
    let hazy = sky::through_haze(colour / max(alpha, 1e-3), p);
    let seen = select(alpha * shore, 1.0, is_open);
    let target_colour = sky::to_target(vec4(hazy, 1.0), in.position.xy);
    return vec4(target_colour.rgb * seen, seen);
}

#ifdef RIVER
// How far the drawn ground may rise above the water from a distance, metres. The quads of chunks are several
// texels long, so they have the heights of one of the next coarser levels.
fn bridged_by(from_anchor: vec2<f32>, level: f32, distance: f32) -> f32 {
    let texels = level_at(distance / field.world_scale);
    var bridged = 0.0;
    for (var coarser = 0; coarser <= COARSER_CHUNKS; coarser += 1) {
        let lod = texels + f32(coarser);
        let ground = drawn_height(on_land(from_anchor), lod);
        let above = max(ground.height - level, 0.0) * coarseness(lod, ground);
        bridged = select(bridged, max(bridged, above), ground.is_known);
    }
    // Twice as far, because a quad's two triangles lie in places above the surface between its four samples,
    // and a vertex may be on its way from one level to the next.
    return 2.0 * bridged;
}

// By how much the ground is too coarse to show the bed: 0 where it is as fine as the river's sheet, 1 where
// it is half as fine.
fn coarseness(lod: f32, ground: DrawnHeight) -> f32 {
    return smoothstep(0.0, 1.0, max(lod, ground.level) - log2(water.sheet_cell / field.cell));
}
#endif

// Daylight that goes down into the water, as it would look on white ground, exposed.
fn downwards(sun: vec3<f32>) -> vec3<f32> {
    let incoming = sun * max(water.above.sun_direction.y, 0.0) * 0.95 + water.above.skylight;
    return incoming / PI * view.exposure;
}

// The surface for an eye below it: a round window to the sky overhead, which waves make ragged, and around it
// a mirror of the deep.
fn from_below(in: Surface, normal: vec3<f32>, variance: f32, seen: f32) -> vec4<f32> {
    let p = in.p_in_world.xyz;
    let to_eye = normalize(view.world_position - p);
    let inwards = -normal;
    let cosine = clamp(dot(inwards, to_eye), 0.02, 1.0);
    // Snell's law, and Fresnel's for light of any polarisation.
    let sine = REFRACTION * sqrt(1.0 - cosine * cosine);
    let cosine_above = sqrt(max(1.0 - sine * sine, 0.0));
    let across = (REFRACTION * cosine - cosine_above) / (REFRACTION * cosine + cosine_above);
    let along = (cosine - REFRACTION * cosine_above) / (cosine + REFRACTION * cosine_above);
    let fresnel = select(0.5 * (across * across + along * along), 1.0, sine >= 1.0);

    var upwards = -to_eye * REFRACTION + normal * (cosine_above - REFRACTION * cosine);
    upwards = normalize(vec3(upwards.x, max(upwards.y, 0.02), upwards.z));
    var above = sky::radiance(water.above, sky_table, upwards) * view.exposure;
    // The sun through facets that lean either way.
    let away = acos(clamp(dot(upwards, water.above.sun_direction), -1.0, 1.0));
    let spread = 0.2 * variance + 0.0002;
    let sun = sunlit(in);
    above += min(sun * view.exposure * exp(-away * away / spread) / (PI * spread), vec3(24.0));

    let mirrored = reflect(-to_eye, inwards);
    let deep = sky::haze(normalize(vec3(mirrored.x, -abs(mirrored.y), mirrored.z)));
    let colour = sky::through_haze(mix(above, deep, fresnel), p);
    return vec4(sky::to_target(vec4(colour, 1.0), in.position.xy).rgb * seen, seen);
}

struct Waves {
    slope: vec2<f32>,
    variance: f32,
}

// Waves of several lengths. Those shorter than a few pixels only add to the variance.
fn waves_at(from_anchor: vec2<f32>, footprint: f32) -> Waves {
    // C. Cox and W. Munk (1954): the mean square slope of a sea in the wind, 0.003 + 0.00512 U.
    let total = 0.003 + 0.00512 * water.wind;
    // Gusts: some patches are rougher than others.
    let p = vec2<f32>(field.anchor) * field.cell + from_anchor;
    let gusts = noise::fractal(p / 900.0, 3) + 0.5 * noise::fractal(p / vec2(2900.0, 5200.0), 2);
    let rough = total * mix(0.35, 1.5, smoothstep(0.45, 1.05, gusts));
    var waves = Waves(vec2(0.0), 0.0);
    var wavelength = LONGEST;
    var turn = mat2x2(0.8, 0.6, -0.6, 0.8);
    var way = from_anchor;
    for (var i = 0; i < WAVES; i += 1) {
        // Short waves are the steeper ones.
        let share = rough * f32(i + 1) / f32(WAVES * (WAVES + 1) / 2);
        // Waves that are shorter than some pixels fade before they would flicker; their slope becomes
        // variance, so that the reflection stays as blurred.
        let seen = 1.0 - smoothstep(0.12, 0.45, footprint / wavelength);
        if seen > 0.0 {
            // `globals.time` begins again at 0 every hour, or after another time that a game has set.
            // `water.waves` have moved by the time before, or all waves would jump then. Long waves are
            // faster: in deep water the speed goes with the square root of the wavelength.
            let drift = vec2(0.35, 1.0) * globals.time * water.wave_speed * sqrt(wavelength / 24.0);
            // Crests lie across the wind: they are twice as long as they are apart.
            let place = advanced(water.waves[i], (way + drift) / (wavelength * vec2(1.0, 0.5)));
            let rise = noise::value_in(place.whole, place.rest).yz * vec2(0.5, 1.0);
            // The mean square gradient of the noise is 0.55 at unit spacing.
            waves.slope += transpose_times(i, rise) * sqrt(share / 0.55) * seen;
        }
        waves.variance += share * (1.0 - seen * seen);
        wavelength *= 0.5;
        way = turn * way;
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
    let now = water.past_patterns + globals.time * water.wave_speed / RIPPLES_LAST;
    let time = now + 0.5 * noise::value(p / 60.0).x;
    let phases = vec2(time, time + 0.5);
    let number = floor(phases) - PATTERNS * floor(phases / PATTERNS);
    let share = abs(1.0 - 2.0 * fract(phases));
    return Flow((fract(phases) - 0.5) * RIPPLES_LAST, 1.0 - share, number * vec2(7.31, 9.77));
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
            // Independent patterns add by their squares, so a plain mix would be flatter half way between
            // them.
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

// The height at which the water is drawn, metres.
fn level_of(in: Surface) -> f32 {
#ifdef RIVER
    return in.level;
#else
    return water.level;
#endif
}

// Sunlight that arrives at a point of the water, lux.
fn sunlit(in: Surface) -> vec3<f32> {
#ifdef TERRAIN_CLOUDS
    return past_land(in) * cloud_shadow(water.above.low, in.p_in_world.xyz, water.above.sun_direction);
#else
    return past_land(in);
#endif
}

// Sunlight that comes past the land to a point of the water, lux.
fn past_land(in: Surface) -> vec3<f32> {
    if lights.n_directional_lights == 0u
        || (lights.directional_lights[0].flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) == 0u {
        return water.above.sunlight;
    }
    let view_z = position_world_to_view(in.p_in_world.xyz).z;
    let up = vec3(0.0, 1.0, 0.0);
    var seen = mapped_shadow(0u, in.p_in_world, up, view_z, in.position.xy);
    let share = marched_share(0u, view_z);
    if share > 0.0 {
        seen = mix(seen, seen_from(0u, in.p_in_world.xyz, in.from_anchor, level_of(in)), share);
    }
    return water.above.sunlight * seen;
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
fn foam_at(from_anchor: vec2<f32>, depth: f32, footprint: f32) -> f32 {
    let edge = smoothstep(0.0, 0.12, depth) * (1.0 - smoothstep(0.25, 0.9, depth));
    let seen = 1.0 - smoothstep(1.0, 6.0, footprint);
    if edge <= 0.0 {
        return 0.0;
    }
    return 0.75 * edge * mix(0.25, smoothstep(0.40, 0.62, torn_at(from_anchor)), seen);
}

// As `noise::fractal` of places on the land, but precise on land of any extent.
fn torn_at(from_anchor: vec2<f32>) -> f32 {
    let turn = mat2x2(1.6, 1.2, -1.2, 1.6);
    var way = from_anchor / FOAM_SIZE;
    var amplitude = 0.5;
    var sum = 0.0;
    var total = 0.0;
    for (var i = 0; i < FOAM; i += 1) {
        let place = advanced(water.foam[i], way);
        sum += amplitude * noise::value_in(place.whole, place.rest).x;
        total += amplitude;
        amplitude *= 0.5;
        way = turn * way;
    }
    return sum / total;
}
