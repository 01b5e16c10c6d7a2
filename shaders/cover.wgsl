// Detail near the eye: the tiles that the terrain types wear, laid where the types lie. It multiplies
// the baked colour by 1 on average, so near and far agree.
#define_import_path upland::cover

#import upland::{
    field::{MAX_TYPES, colours_sampler, cover, field, weights},
    tile::{Place, Texel, tile},
}

// Types drawn at a point, the first that lie there, and how much of a type must lie there.
#ifdef TERRAIN_SIMPLE
const AT_ONCE: u32 = 2u;
const LEAST_WEIGHT: f32 = 0.2;
#else
const AT_ONCE: u32 = 4u;
const LEAST_WEIGHT: f32 = 0.05;
#endif
// How strongly the higher of two kinds of ground covers the lower one where both lie: grass grows
// between stones.
const CONTRAST: f32 = 7.0;
// How much steeper the weights must rise then, so that each type covers as much as before: the
// spread of CONTRAST · (difference of two evenly spread heights), by the usual approximation of a
// logistic curve's mean, sqrt(1 + pi/8 · variance).
const STEEPNESS: f32 = 2.06;
// Slopes (the normal's upward part) between which the tiles go over from lying to standing.
const LYING: f32 = 0.80;
const STANDING: f32 = 0.58;
// How far the patches of standing tiles are drawn out.
const DRAWN_OUT: vec2<f32> = vec2(3.0, 1.0);
// Repeats that a pixel covers where a tile begins to fade, and where it is gone.
const FADE_FROM: f32 = 0.06;
const FADE_TO: f32 = 0.25;

// What the tiles add to the ground.
struct Near {
    // By what the baked colour is multiplied.
    ratio: vec3<f32>,
    // Rise of the relief per metre along the field's axes.
    slope: vec3<f32>,
    roughness: f32,
    // By what the ambient light is multiplied.
    openness: f32,
    // Share of the ground that wears tiles here, 0 to 1, less where they fade.
    share: f32,
}

const NOTHING: Near = Near(vec3(1.0), vec3(0.0), 1.0, 1.0, 0.0);

// A point of the ground, in metres along the field's axes, and how it changes from pixel to pixel.
struct Point {
    p: vec3<f32>,
    dx: vec3<f32>,
    dy: vec3<f32>,
    // Unit normal.
    normal: vec3<f32>,
    // Metres that a pixel covers.
    footprint: f32,
    // Metres from the eye.
    distance: f32,
}

// How much each axis (east, up, south) is the one along which tiles are projected; adds up to 1.
fn projections(normal: vec3<f32>, speck: f32) -> vec3<f32> {
    let lying = smoothstep(STANDING, LYING, normal.y + 0.06 * speck);
    var across = normal.xz * normal.xz;
    across *= across;
    across *= across;
    let east = smoothstep(0.15, 0.85, across.x / max(across.x + across.y, 1e-8));
#ifdef TERRAIN_SIMPLE
    let is_east = step(0.5, east + 0.3 * speck);
    let stands = 1.0 - step(0.5, lying);
    return vec3(is_east * stands, 1.0 - stands, (1.0 - is_east) * stands);
#else
    return vec3(east * (1.0 - lying), lying, (1.0 - east) * (1.0 - lying));
#endif
}

// The plane across an axis. Pictures lie with their top to the north, and stand upright.
fn place_on(point: Point, axis: u32) -> Place {
    switch axis {
        case 0u: { return Place(flip(point.p.zy), flip(point.dx.zy), flip(point.dy.zy), DRAWN_OUT); }
        case 1u: { return Place(point.p.xz, point.dx.xz, point.dy.xz, vec2(1.0)); }
        default: { return Place(flip(point.p.xy), flip(point.dx.xy), flip(point.dy.xy), DRAWN_OUT); }
    }
}

fn flip(p: vec2<f32>) -> vec2<f32> {
    return vec2(p.x, -p.y);
}

// A relief's rise in the plane across an axis as a rise along the field's axes.
fn slope_from_plane(slope: vec2<f32>, axis: u32) -> vec3<f32> {
    switch axis {
        case 0u: { return vec3(0.0, -slope.y, slope.x); }
        case 1u: { return vec3(slope.x, 0.0, slope.y); }
        default: { return vec3(slope.x, -slope.y, 0.0); }
    }
}

// Detail at a point; `uv` is where the weights are read, `speck` the grain's height there.
fn near(point: Point, uv: vec2<f32>, speck: f32) -> Near {
    let reach = (1.0 - smoothstep(0.5, 1.0, point.distance / max(field.detail_range, 1e-3))) * field.detail;
    if cover.count.x == 0u || reach <= 0.0 {
        return NOTHING;
    }

    // Which types lie here, and how much of the detail each shows.
    var chosen: array<u32, AT_ONCE>;
    var shares: array<f32, AT_ONCE>;
    var strengths: array<f32, AT_ONCE>;
    var count = 0u;
    var total = 0.0;
    var strength = 0.0;
    var colour = vec3(0.0);
    for (var layer = 0u; layer * 4u < cover.count.x; layer++) {
        let four = textureSampleLevel(weights, colours_sampler, uv, layer, 0.0);
        for (var part = 0u; part < 4u; part++) {
            let index = layer * 4u + part;
            let share = (four[part] - LEAST_WEIGHT) / (1.0 - LEAST_WEIGHT);
            if share <= 0.0 || index >= cover.count.x || count >= AT_ONCE {
                continue;
            }
            let repeats = point.footprint / cover.types[index].size;
            let shown = saturate((FADE_TO - repeats) / (FADE_TO - FADE_FROM)) * reach;
            chosen[count] = index;
            shares[count] = share;
            strengths[count] = shown;
            count++;
            total += share;
            strength += share * shown;
            colour += share * cover.types[index].colour;
        }
    }
    if strength <= 0.0 {
        return NOTHING;
    }
    strength /= total;
    colour /= total;

    let steepness = mix(1.0, STEEPNESS, strength);
    let axes = projections(point.normal, speck);
    var sum = 0.0;
    var ratio = vec3(0.0);
    var slope = vec3(0.0);
    var roughness = 0.0;
    var openness = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        if axes[axis] <= 0.02 {
            continue;
        }
        let place = place_on(point, axis);
        for (var i = 0u; i < count; i++) {
            let kind = cover.types[chosen[i]];
            let texel = tile(kind, place);
            let above = CONTRAST * strengths[i] * (texel.height - 0.5);
            let share = axes[axis] * pow(shares[i], steepness) * exp(above);
            sum += share;
            ratio += share * kind.colour * mix(vec3(1.0), texel.ratio, strengths[i]);
            slope += share * strengths[i] * slope_from_plane(texel.slope, axis);
            roughness += share * texel.roughness;
            openness += share * mix(1.0, 0.5 + texel.openness, strengths[i]);
        }
    }
    // Ground without a tile is as high as its grain.
    let bare = max(1.0 - total, 0.0);
    let bare_share = pow(bare, steepness) * exp(CONTRAST * strength * 0.5 * speck);
    let all = sum + bare_share;
    return Near(
        clamp((ratio / colour + bare_share) / all, vec3(0.0), vec3(8.0)),
        slope / all,
        roughness / sum,
        (openness + bare_share) / all,
        strength * sum / all,
    );
}
