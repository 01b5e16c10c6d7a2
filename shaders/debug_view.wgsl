// The ground in debug colours. The numbers of the views are those of `DebugView` in
// src/plugin/material/view.rs; legends take the same colours from src/plugin/material/scale.rs.
#define_import_path upland::debug_view

#import upland::{
    cdlod::Chunk,
    field::{field, overlay},
    land::{QUADS, TILE_CELLS, TILE_CHUNKS},
    lines::{LINE, line, relief_of, wired},
    surface::{Surface, ground_at},
}

const SLOPE: u32 = 1u;
const CONTOURS: u32 = 2u;
const NORMALS: u32 = 3u;
const LEVELS: u32 = 4u;
const POSITION: u32 = 5u;
const WIREFRAME: u32 = 6u;
const CHUNKS: u32 = 7u;
const RESIDENCY: u32 = 8u;
const ASPECT: u32 = 9u;
const OVERDRAW: u32 = 10u;
const LAYER: u32 = 11u;
const TYPES: u32 = 12u;
const VIEWSHED: u32 = 13u;

// Added by each shading of a pixel, so that overlapping ground becomes brighter.
const ONCE: vec3<f32> = vec3(0.11, 0.04, 0.012);
// Contours from one thick line to the next.
const INDEX: f32 = 5.0;
// Pixels from a line where there is none.
const FAR: f32 = 1e6;

// `baked` is the ground's colour without daylight; `in_chunk` runs from 0 to 1 over the chunk.
fn debug_colour(
    ground: Surface,
    baked: vec3<f32>,
    from_anchor: vec2<f32>,
    p_in_world: vec3<f32>,
    in_chunk: vec2<f32>,
    chunk: Chunk,
) -> vec3<f32> {
    let relief = relief_of(ground.normal);
    // These two hold for walls as well, which have no other view.
    switch field.debug_view {
        case POSITION: { return p_in_world; }
        case OVERDRAW: { return ONCE; }
        default: {}
    }
#ifdef TERRAIN_WALL
    return vec3(0.1 * relief);
#else
    let slope = degrees(atan(length(ground.gradient)));
    switch field.debug_view {
        case SLOPE: { return slope_colour(slope) * relief; }
        case CONTOURS: { return mix(vec3(0.55, 0.52, 0.45) * relief, LINE, contours(field_height(p_in_world))); }
        case NORMALS: { return ground.normal * 0.5 + 0.5; }
        case LEVELS: { return level_colour(u32(chunk.level)) * relief; }
        // A vertex that has moved keeps its place in the chunk's grid, so that edges stay on whole numbers.
        case WIREFRAME: { return wired(relief, in_chunk * f32(QUADS)); }
        case CHUNKS: { return bounds(vec3(0.3 * relief), in_chunk, chunk); }
        case RESIDENCY: { return residency(from_anchor, p_in_world) * relief; }
        case ASPECT: { return aspect_colour(ground.gradient, slope) * relief; }
        case LAYER: { return viridis(srgb(baked.r)) * relief; }
        case TYPES: { return baked * relief; }
        case VIEWSHED: { return seen_from_towers(from_anchor, baked, relief); }
        default: { return vec3(0.0); }
    }
#endif
}

// The land's own height, not as it is drawn.
fn field_height(p_in_world: vec3<f32>) -> f32 {
    let up = field.world_from_anchor[1].xyz;
    let drawn = dot(p_in_world - field.world_from_anchor[3].xyz, up) / dot(up, up);
    return select((drawn - field.bias) / field.scale, 0.0, field.scale == 0.0);
}

// Dark blue where it is level, yellow from 60 degrees on.
fn slope_colour(degrees: f32) -> vec3<f32> {
    return of_table(CIVIDIS, degrees / 60.0);
}

// 1 on a line, 0 between.
fn contours(height: f32) -> f32 {
    let steps = height / field.contour_step;
    // Derivatives first, before anything branches.
    let per_pixel = fwidth(steps);
    if per_pixel < 1e-5 {
        // Level ground would be one broad line.
        return 0.0;
    }
    return max(0.7 * line(steps, per_pixel, 1.0), line(steps / INDEX, per_pixel / INDEX, 2.0));
}

// Neighbouring levels have hues far apart, and are light and dark by turns.
fn level_colour(level: u32) -> vec3<f32> {
    // 2.4 radians are about the golden angle, which keeps the hues of any few successive levels apart.
    let hue = 2.4 * f32(level) + 1.0;
    return linear_from_oklab(vec3(select(0.52, 0.8, level % 2u == 0u), 0.1 * cos(hue), 0.1 * sin(hue)));
}

// Bounds of chunks, thin and white, and of tiles, thick and orange.
fn bounds(ground: vec3<f32>, in_chunk: vec2<f32>, chunk: Chunk) -> vec3<f32> {
    let per_pixel = max(fwidth(in_chunk), vec2(1e-6));
    let blurred = too_flat(per_pixel);
    // In pixels, so that lines are as wide near the eye as far away.
    let west_north = in_chunk / per_pixel + blurred;
    let east_south = (1.0 - in_chunk) / per_pixel + blurred;
    let near = min(west_north, east_south);
    let coloured = mix(ground, ground * level_colour(u32(chunk.level)) * 2.5, 0.6);
    let chunk_line = saturate(1.3 - min(near.x, near.y));

    // The number of chunks along a tile is a power of two, so the mask also holds for negative columns.
    let in_tile = (chunk.first_index / QUADS) & vec2(TILE_CHUNKS - 1);
    let far = vec2(FAR);
    let to_west_north = select(far, west_north, in_tile == vec2(0));
    let to_east_south = select(far, east_south, in_tile == vec2(TILE_CHUNKS - 1));
    let to_tile = min(to_west_north, to_east_south);
    let tile_line = saturate(2.8 - min(to_tile.x, to_tile.y));
    return mix(mix(coloured, vec3(0.8), 0.8 * chunk_line), vec3(1.0, 0.35, 0.02), tile_line);
}

// Far from every line where lines would touch each other: on ground that is seen at a grazing angle.
fn too_flat(sides_per_pixel: vec2<f32>) -> vec2<f32> {
    return select(vec2(0.0), vec2(FAR), sides_per_pixel > vec2(0.1));
}

// How many levels the resident tile is coarser than the pixel would like, and the bounds of tiles.
fn residency(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> vec3<f32> {
    let at = ground_at(from_anchor, p_in_world);
    // Derivatives of places jump where tiles change, but those of metres do not.
    let per_pixel = max(fwidth(from_anchor), vec2(1e-6));
    let cell = field.cell * f32(1 << u32(at.place.level));
    let side = f32(TILE_CELLS) * cell;
    let share = at.place.p_in_tile / f32(TILE_CELLS);
    let to_border = min(share, 1.0 - share) * side / per_pixel + too_flat(per_pixel / side);
    let border = saturate(1.5 - min(to_border.x, to_border.y));
    let coarser = at.place.level - clamp(i32(floor(at.lod)), 0, field.coarsest);
    return mix(residency_colour(coarser, at.place.is_resident), LINE, border);
}

fn residency_colour(coarser: i32, is_resident: bool) -> vec3<f32> {
    if !is_resident {
        return vec3(0.604, 0.191, 0.386);
    }
    switch coarser {
        case 0: { return vec3(0.0, 0.168, 0.445); }
        case 1: { return vec3(0.093, 0.456, 0.815); }
        case 2: { return vec3(0.791, 0.347, 0.0); }
        default: { return select(vec3(0.871, 0.775, 0.054), vec3(0.0, 0.168, 0.445), coarser < 0); }
    }
}

// The bearing that a slope faces: blue north, dark east, orange south, light west.
fn aspect_colour(gradient: vec2<f32>, slope: f32) -> vec3<f32> {
    // Downhill: against the gradient, whose second part points south.
    let bearing = atan2(-gradient.x, gradient.y);
    // Level ground has no bearing.
    let share = saturate((slope - 0.5) / 3.0);
    let north = share * cos(bearing);
    return linear_from_oklab(vec3(0.66 - 0.17 * share * sin(bearing), -0.07 * north, -0.1 * north));
}

// B. Ottosson, "A perceptual color space for image processing" (2020).
fn linear_from_oklab(lab: vec3<f32>) -> vec3<f32> {
    let l = lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z;
    let m = lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z;
    let s = lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z;
    let cubes = vec3(l * l * l, m * m * m, s * s * s);
    return saturate(vec3(
        dot(cubes, vec3(4.0767416621, -3.3077115913, 0.2309699292)),
        dot(cubes, vec3(-1.2684380046, 2.6097574011, -0.3413193965)),
        dot(cubes, vec3(-0.0041960863, -0.7034186147, 1.7076147010)),
    ));
}

// The colour map viridis, by S. van der Walt and N. Smith (2015), at every eighth of the way, sRGB. Twin of
// `VIRIDIS` in `src/plugin/material/scale.rs`.
const VIRIDIS: array<vec3<u32>, 9> = array(
    vec3(68, 1, 84),
    vec3(71, 45, 123),
    vec3(59, 82, 139),
    vec3(44, 114, 142),
    vec3(33, 145, 140),
    vec3(40, 174, 128),
    vec3(94, 201, 98),
    vec3(173, 220, 48),
    vec3(253, 231, 37),
);

// The colour map cividis, by J. Nuñez, C. Anderton and R. Renslow (2018), at every eighth of the way, sRGB.
// Twin of `CIVIDIS` in `src/plugin/material/scale.rs`.
const CIVIDIS: array<vec3<u32>, 9> = array(
    vec3(0, 34, 78),
    vec3(26, 56, 111),
    vec3(67, 78, 108),
    vec3(97, 101, 111),
    vec3(125, 124, 120),
    vec3(154, 147, 118),
    vec3(187, 173, 109),
    vec3(221, 200, 88),
    vec3(254, 232, 56),
);

// The colour of a share from 0 to 1, linear.
fn viridis(share: f32) -> vec3<f32> {
    return of_table(VIRIDIS, share);
}

// The colour of a share from 0 to 1 in a table of sRGB, linear.
fn of_table(colours: array<vec3<u32>, 9>, share: f32) -> vec3<f32> {
    // Only what lies in memory can be indexed by what is not constant.
    var table = colours;
    let place = saturate(share) * 8.0;
    let index = min(u32(place), 7u);
    let colour = mix(vec3<f32>(table[index]), vec3<f32>(table[index + 1u]), place - f32(index)) / 255.0;
    return select(pow((colour + 0.055) / 1.055, vec3(2.4)), colour / 12.92, colour <= vec3(0.04045));
}

fn srgb(linear: f32) -> f32 {
    let level = max(linear, 0.0);
    return select(1.055 * pow(level, 1.0 / 2.4) - 0.055, 12.92 * level, level <= 0.0031308);
}

// Seen ground by how many towers see it; ground that none sees is dark, and ground beyond what was looked at
// grey.
fn seen_from_towers(from_anchor: vec2<f32>, baked: vec3<f32>, relief: f32) -> vec3<f32> {
    // The root lightens dark ground, so that its forms stay visible under the colours.
    let brightness = sqrt(dot(baked, vec3(0.2126, 0.7152, 0.0722)));
    let p = (from_anchor - field.viewshed_corner) / max(field.viewshed_cell, 1e-6);
    let last = vec2<i32>(textureDimensions(overlay)) - 1;
    let corner = clamp(vec2<i32>(floor(p)), vec2(0), max(last - 1, vec2(0)));
    let t = saturate(p - vec2<f32>(corner));
    var share = 0.0;
    var most = 0.0;
    // Not filtered by the sampler: counts of towers have no values between, so the share that is seen is
    // interpolated, and the highest count gives the colour.
    for (var i = 0; i < 4; i++) {
        let step = vec2(i & 1, i >> 1u);
        let count = textureLoad(overlay, min(corner + step, last), 0).r * 255.0;
        let weight = select(1.0 - t, t, step == vec2(1));
        share += select(0.0, weight.x * weight.y, count > 0.5);
        most = max(most, count);
    }
    // A border one pixel wide at half of the share, however large a sample looks.
    let is_seen = saturate((share - 0.5) / max(fwidth(share), 0.05) + 0.5);
    let is_inside = all(p >= vec2(-0.5)) && all(p <= vec2<f32>(last) + 0.5);
    if field.towers == 0u || !is_inside {
        return vec3(0.55 * brightness * relief);
    }
    let unseen = vec3(0.2, 0.21, 0.25) * brightness * relief;
    return mix(unseen, seen_colour(most) * relief, is_seen);
}

// The colour of ground that a number of towers see, linear.
fn seen_colour(count: f32) -> vec3<f32> {
    let others = f32(max(field.towers, 1u) - 1u);
    return viridis(select(0.45 + 0.55 * (count - 1.0) / max(others, 1.0), 0.8, others == 0.0));
}
