// Detail of the ground: the tiles of the terrain types by their splat weights, triplanar, and farther
// away the same tiles enlarged. It multiplies the baked colour by 1 on average, so near and far agree.
#define_import_path upland::cover

#import upland::{
    field::{MAX_TYPES, cover, field, land_sampler, tile_ratios, weights},
    land,
    tile::{ENLARGED, LARGER, Place, SCALES, SMALLER, TRUE_SIZE, Texel, tile},
}

// The least weight of a type that is drawn at a point, and the most types that are drawn there. Weights sum
// to 1, so more types than that hardly ever lie above the least weight, and none pops in or out.
#ifdef TERRAIN_SIMPLE
const LEAST_WEIGHT: f32 = 0.2;
const AT_ONCE: u32 = 4u;
#else
const LEAST_WEIGHT: f32 = 0.08;
const AT_ONCE: u32 = 6u;
#endif
// How strongly the higher of two kinds of ground covers the lower one where both lie: grass grows
// between stones.
const CONTRAST: f32 = 7.0;
// How much steeper the weights must rise then, so that each type covers as much as before: the
// spread of CONTRAST · (difference of two evenly spread heights), by the usual approximation of a
// logistic curve's mean, sqrt(1 + pi/8 · variance).
const STEEPNESS: f32 = 2.06;
// How far above the middle those places of a rare type lie on average that are not covered.
const SELECTION: f32 = 0.3;
// Slopes (the normal's y) between which projection changes from the horizontal to the vertical planes.
const LYING: f32 = 0.80;
const STANDING: f32 = 0.58;
// How far the patches of vertically projected tiles are stretched.
const DRAWN_OUT: vec2<i32> = vec2<i32>(3, 1);
// Repeats per pixel at which a tile begins to fade, and at which it is gone.
const FADE_FROM: f32 = 0.06;
const FADE_TO: f32 = 0.25;
// How much is drawn of the heights and slopes of each scale: large forms are fewer and gentler, and small
// ones must not decide which type lies on top.
const HEIGHTS: array<f32, SCALES> = array(0.15, 1.0, 0.6);
const SLOPES: array<f32, SCALES> = array(0.7, 1.0, 0.8);
// Pixels across a texel of a tile of true size at which the smaller one begins to show, and at which it shows
// most, and how much that is.
const SMALLER_FROM: f32 = 1.0;
const SMALLER_MOST: f32 = 4.0;
const SMALLER_SHARE: f32 = 0.6;
// How many more repeats a pixel may cover before they fade.
const ENLARGED_FADE: f32 = 2.0;

// The detail that the tiles add to the ground.
struct Near {
    // Factor on the baked colour.
    ratio: vec3<f32>,
    // Rise of the relief per metre along the field's axes.
    slope: vec3<f32>,
    roughness: f32,
    // Factor on the ambient light.
    openness: f32,
    // Weight of all tiles here, 0 to 1, less where they fade.
    share: f32,
    // The same of tiles of true size alone.
    close: f32,
}

const NOTHING: Near = Near(vec3(1.0), vec3(0.0), 1.0, 1.0, 0.0, 0.0);

// A point of the ground, in metres along the field's axes, level ones from the anchor, and how it changes
// from pixel to pixel.
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

// Triplanar weights: how much of each tile is projected along each axis (east, up, south). They sum to 1.
fn projections(normal: vec3<f32>, speck: f32) -> vec3<f32> {
    // A speck of grain moves the border between planes, so that it is not a line along a contour.
    let lying = smoothstep(STANDING, LYING, abs(normal.y) + 0.06 * speck);
    // The eighth power: vertical tiles mix only in a narrow band, since a mix of two is a blur.
    var across = normal.xz * normal.xz;
    across *= across;
    across *= across;
    let east = smoothstep(0.15, 0.85, across.x / max(across.x + across.y, 1e-8));
// Devices without a graphics card read one plane per pixel; grain makes the border between planes ragged in
// place of a mix.
#ifdef TERRAIN_SIMPLE
    let is_east = step(0.5, east + 0.3 * speck);
    let stands = 1.0 - step(0.5, lying);
    return vec3(is_east * stands, 1.0 - stands, (1.0 - is_east) * stands);
#else
    return vec3(east * (1.0 - lying), lying, (1.0 - east) * (1.0 - lying));
#endif
}

// The coordinates in the plane perpendicular to an axis. Horizontal tiles have their top to the north,
// vertical ones upwards.
fn place_on(point: Point, axis: u32) -> Place {
    switch axis {
        case 0u: { return Place(axis, flip(point.p.zy), flip(point.dx.zy), flip(point.dy.zy), DRAWN_OUT); }
        case 1u: { return Place(axis, point.p.xz, point.dx.xz, point.dy.xz, vec2<i32>(1)); }
        default: { return Place(axis, flip(point.p.xy), flip(point.dx.xy), flip(point.dy.xy), DRAWN_OUT); }
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

// A type that lies at a point.
struct Worn {
    index: u32,
    share: f32,
    // How much is drawn of its tile, of the enlarged one, and of the smaller one on top of the first.
    true_size: f32,
    enlarged: f32,
    smaller: f32,
}

// How much is drawn of a tile of `size` metres, near enough to the eye.
fn shown(point: Point, size: f32, range: f32) -> f32 {
    // Fades from half of the range on, so that no border is seen.
    let reach = 1.0 - smoothstep(0.5, 1.0, point.distance / max(range, 1e-3));
    // Where a pixel covers a large part of a tile, the repetition would show; the baked colour is its mean.
    return saturate((FADE_TO - point.footprint / size) / (FADE_TO - FADE_FROM)) * reach;
}

// How much of the smaller tile shows where that of true size would be a blur.
fn shown_smaller(point: Point, size: f32) -> f32 {
#ifdef TERRAIN_SIMPLE
    return 0.0;
#else
    let texel = size / f32(textureDimensions(tile_ratios).x);
    return SMALLER_SHARE * smoothstep(SMALLER_FROM, SMALLER_MOST, texel / point.footprint);
#endif
}

// A type's tile at all scales, each as much of it as is drawn.
fn layered(worn: Worn, place: Place) -> Texel {
    let kind = cover.types[worn.index];
    var texel = Texel(vec3(1.0), 0.5, vec2(0.0), 0.0, 0.5);
    // A loop whose bounds leave out scales, because software devices evaluate both sides of an `if`, and
    // reading is expensive.
    let first = select(select(TRUE_SIZE, SMALLER, worn.smaller > 0.0), LARGER, worn.true_size <= 0.0);
    let end = select(LARGER, SCALES, worn.enlarged > 0.0);
    for (var scale = first; scale < end; scale++) {
        let read = tile(kind, place, scale);
        let share = select(select(worn.true_size, worn.enlarged, scale == LARGER), worn.smaller, scale == SMALLER);
        // Deviations from the mean are added, so that a share of 0 leaves the mean as it is.
        texel.ratio += share * (read.ratio - 1.0);
        texel.openness += share * (read.openness - 0.5);
        texel.slope += share * SLOPES[scale] * read.slope;
        texel.height += share * HEIGHTS[scale] * (read.height - 0.5);
        // The smaller tile has the roughness of the same tile again; counted once is enough.
        texel.roughness += select(share * read.roughness, 0.0, scale == SMALLER);
    }
    let drawn = worn.true_size + worn.enlarged;
    texel.roughness = select(1.0, texel.roughness / drawn, drawn > 0.0);
    return texel;
}

// Detail at a point; `at` is where the weights are read, `speck` the grain's height there.
fn near(point: Point, at: land::Place, speck: f32) -> Near {
    if cover.count.x == 0u || field.detail <= 0.0 || point.distance >= ENLARGED * field.detail_range {
        return NOTHING;
    }

    // Which types lie here, and how much of the detail each shows.
    var types: array<Worn, AT_ONCE>;
    var count = 0u;
    var total = 0.0;
    var strength = 0.0;
    var close = 0.0;
    var colour = vec3(0.0);
    let own = land::corner(at.slot);
    // Texels of weights lie between samples, like those of colours.
    let uv = (vec2<f32>(own.xy) + at.p_in_tile) / vec2<f32>(textureDimensions(weights).xy);
    for (var layer = 0u; layer * 4u < cover.count.x; layer++) {
        let in_array = u32(own.z) * cover.count.y + layer;
        // A level is given, because there are no derivatives behind a branch; weights have no other level
        // anyway.
        let four = textureSampleLevel(weights, land_sampler, uv, in_array, 0.0);
        for (var part = 0u; part < 4u; part++) {
            let index = layer * 4u + part;
            // From 0 at the least weight, so that a type fades in.
            let share = (four[part] - LEAST_WEIGHT) / (1.0 - LEAST_WEIGHT);
            if share <= 0.0 || index >= cover.count.x || count >= AT_ONCE {
                continue;
            }
            let size = cover.types[index].size;
            let true_size = shown(point, size, field.detail_range);
            let rest = 1.0 - true_size;
            let enlarged =
                // The enlarged tile takes over where that of true size fades; both together never show more
                // than one.
                rest * shown(point, ENLARGED * ENLARGED_FADE * size, ENLARGED * field.detail_range);
            let drawn = vec2(true_size, enlarged) * field.detail;
            types[count] = Worn(index, share, drawn.x, drawn.y, drawn.x * shown_smaller(point, size));
            count++;
            total += share;
            close += share * true_size * field.detail;
            strength += share * (true_size + enlarged) * field.detail;
            colour += share * cover.types[index].colour;
        }
    }
    if strength <= 0.0 {
        return NOTHING;
    }
    strength /= total;
    colour /= total;

    // A type needs steeper weights only where heights decide, which they do as far as detail is drawn.
    let steepness = mix(1.0, STEEPNESS, strength);
    let axes = projections(point.normal, speck);
    var sum = 0.0;
    var ratio = vec3(0.0);
    var slope = vec3(0.0);
    var roughness = 0.0;
    var openness = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        // Each plane costs as many reads as all types together; below 2 % none is seen.
        if axes[axis] <= 0.02 {
            continue;
        }
        let place = place_on(point, axis);
        for (var i = 0u; i < count; i++) {
            let worn = types[i];
            let drawn = worn.true_size + worn.enlarged;
            let kind = cover.types[worn.index];
            let texel = layered(worn, place);
            // A softmax of height and weight, in which exp(c · h) lets the higher ground win: height
            // blending.
            let share = axes[axis] * pow(worn.share, steepness) * exp(CONTRAST * (texel.height - 0.5));
            sum += share;
            // Where kinds meet, only the higher places of each show, and those tend to be brighter.
            let higher = SELECTION * (1.0 - worn.share / total) * drawn;
            // The brightness that the visible, higher part of a type has on average; dividing by it keeps the
            // mean colour.
            let expected = max(1.0 + kind.brightening * higher, 0.2);
            let relative = 1.0 + (texel.ratio - 1.0 + drawn) / expected - drawn;
            ratio += share * kind.colour * max(relative, vec3(0.0));
            slope += share * slope_from_plane(texel.slope, axis);
            roughness += share * texel.roughness;
            openness += share * (0.5 + texel.openness);
        }
    }
    // Ground without a tile is as high as its grain.
    let bare = max(1.0 - total, 0.0);
    let bare_share = pow(bare, steepness) * exp(CONTRAST * strength * 0.5 * speck);
    let all = sum + bare_share;
    return Near(
        // Types are summed in colours of their own and compared with the mean of all, since the baked colour
        // below is that mean already.
        clamp((ratio / colour + bare_share) / all, vec3(0.0), vec3(8.0)),
        slope / all,
        roughness / sum,
        (openness + bare_share) / all,
        strength * sum / all,
        close / total * sum / all,
    );
}
