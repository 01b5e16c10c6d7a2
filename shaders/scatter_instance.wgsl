// Objects that are scattered on a land: which one a vertex belongs to, where it stands, and how it looks. A
// *batch* is a mesh with many copies of a plant; the entity's tag says which object the first copy is, and at
// which level of detail.
#define_import_path upland::scatter_instance

#import upland::{
    field::field,
    land::{find, ground_in, level_at},
}

// Objects of a page and of a block. Twins of `PAGE` and `BLOCK` in `src/plugin/scatter/instance.rs`.
const PAGE: u32 = 64u;
const BLOCK: u32 = 4u;
// Texels of rows. Twins of `INSTANCES_WIDTH` and `PAGES_WIDTH` in `src/plugin/scatter/pool.rs`.
const INSTANCES_WIDTH: u32 = 1024u;
const PAGES_WIDTH: u32 = 256u;
// Bits of a tag for the first block; the rest is the level. Twin of `TAG_BITS` in
// `src/plugin/scatter/batch.rs`.
const TAG_BITS: u32 = 24u;
// Texels of a look: one for each level, and two more. Twins of `LOOK_TEXELS` and `LEVELS` in
// `src/plugin/scatter/rule_table.rs`.
const LOOK_TEXELS: u32 = 8u;
const LEVELS: u32 = 5u;
// The share of a level's reach over which it fades into the next. Twin of `FADE` in
// `src/plugin/scatter/batch.rs`.
const FADE: f32 = 0.125;
// Over how much of the last level's reach objects leave one by one.
const LEAVE: f32 = 0.35;

// Seconds in which plants sway and flutter a whole number of times. Twin of `LOOP` in
// `src/plugin/material/earlier_time.rs`.
const LOOP: f32 = 3600.0;
const TAU: f32 = 6.2831853;

// Twin of `ScatterUniform` in `src/plugin/scatter/material.rs`.
struct Scatter {
    // Metres per second east and south, with which plants sway.
    wind: vec2<f32>,
    // Multiple of all distances.
    reach: f32,
    // The distance that stands for every object's, for parallel projections; else -1.
    flat_distance: f32,
    // Seconds before `globals.time` was last 0, without whole loops.
    past_seconds: f32,
    // How fast gusts run over the land, radians per second, and how far they had run when `globals.time` was
    // last 0: when the wind changes its speed, they go on from where they are.
    gust_speed: f32,
    past_gust: f32,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(113) var<uniform> scatter: Scatter;
@group(#{MATERIAL_BIND_GROUP}) @binding(114) var pages: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(115) var instances: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(116) var looks: texture_2d<f32>;

// The data that the objects of a page share. Twin of `Page` in `src/plugin/scatter/pool.rs`.
struct Page {
    // The north-west corner of their cell, in samples of the finest level.
    corner: vec2<i32>,
    count: u32,
    look: u32,
    // Metres along a side of their cell.
    side: f32,
    // About how high the ground is there, metres.
    height: f32,
}

// An object.
struct Instance {
    // Whether there is one at all.
    exists: bool,
    look: u32,
    // Metres from the anchor.
    place: vec2<f32>,
    size: f32,
    sink: f32,
    up: vec3<f32>,
    // Cosine and sine of how far it is turned.
    turn: vec2<f32>,
    // Chance, from 0 to 1.
    chance: f32,
    height: f32,
}

fn page_at(number: u32) -> Page {
    let texel = textureLoad(pages, vec2(number % PAGES_WIDTH, number / PAGES_WIDTH), 0);
    // Cells are 1, 2, 4 … samples wide: the exponent is all that has to be stored.
    let doublings = (texel.z >> 16u) & 31u;
    return Page(
        bitcast<vec2<i32>>(texel.xy),
        texel.z & 255u,
        (texel.z >> 8u) & 255u,
        field.cell * f32(1u << doublings),
        bitcast<f32>(texel.w),
    );
}

// The object of a copy of a batch.
fn unpacked(tag: u32, copy: u32) -> Instance {
    // A tag counts blocks and not objects, so that its 24 bits reach four times as many of them.
    let index = (tag & ((1u << TAG_BITS) - 1u)) * BLOCK + copy;
    let page = page_at(index / PAGE);
    let texel = textureLoad(instances, vec2(index % INSTANCES_WIDTH, index / INSTANCES_WIDTH), 0);
    let share = vec2<f32>(vec2(texel.x & 0xffffu, texel.x >> 16u)) / 65535.0;
    // The difference of whole numbers is exact, and small near the eye.
    let corner = vec2<f32>(page.corner - field.anchor) * field.cell;
    let form = unpack2x16float(texel.y);
    let octahedral = unpack2x16snorm(texel.z);
    // Octahedral normals: Z. Cigolle et al., "A Survey of Efficient Representations for Independent Unit
    // Vectors" (2014).
    let up_y = 1.0 - abs(octahedral.x) - abs(octahedral.y);
    let folded = (1.0 - abs(octahedral.yx)) * select(vec2(-1.0), vec2(1.0), octahedral >= vec2(0.0));
    let across = select(folded, octahedral, up_y >= 0.0);
    let angle = f32(texel.w & 0xffffu) / 65536.0 * 6.2831853;
    return Instance(
        index % PAGE < page.count,
        page.look,
        corner + share * page.side,
        form.x,
        form.y,
        normalize(vec3(across.x, up_y, across.y)),
        vec2(cos(angle), sin(angle)),
        f32(texel.w >> 16u) / 65535.0,
        page.height,
    );
}

fn look_texel(look: u32, texel: u32) -> vec4<f32> {
    return textureLoad(looks, vec2(texel, look), 0);
}

// A direction of the object's own axes in the land's.
fn upright(object: Instance, p: vec3<f32>) -> vec3<f32> {
    let c = object.turn.x;
    let s = object.turn.y;
    let turned = vec3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
    // The shortest rotation from upwards to its upright u, by Rodrigues' formula without angles: v + a × v +
    // a × (a × v) / (1 + cos), with a = (0, 1, 0) × u.
    let axis = vec3(object.up.z, 0.0, -object.up.x);
    let once = cross(axis, turned);
    return turned + once + cross(axis, once) / max(1.0 + object.up.y, 1e-3);
}

// The reverse.
fn own_axes(object: Instance, p: vec3<f32>) -> vec3<f32> {
    let axis = vec3(-object.up.z, 0.0, object.up.x);
    let once = cross(axis, p);
    let turned = p + once + cross(axis, once) / max(1.0 + object.up.y, 1e-3);
    let c = object.turn.x;
    let s = object.turn.y;
    return vec3(c * turned.x - s * turned.z, turned.y, c * turned.z + s * turned.x);
}

// How far an object counts as being from an eye, metres of the land.
fn distance_from(eye_in_world: vec3<f32>, object: Instance, ground: f32) -> f32 {
    if scatter.flat_distance >= 0.0 {
        return scatter.flat_distance;
    }
    let foot = (field.world_from_anchor * vec4(object.place.x, ground, object.place.y, 1.0)).xyz;
    return distance(foot, eye_in_world) / field.world_scale;
}

// The shares of pixels (x) that a level has begun to take from the one before it, and (y) that the one after
// it has taken. Levels share a pattern, so that each pixel has one of both.
fn fade(look: u32, level: u32, distance: f32, chance: f32) -> vec2<f32> {
    let reach = look_texel(look, level);
    let begins = reach.x * scatter.reach;
    let ends = reach.y * scatter.reach;
    // The last eighth of a level's reach; the next level comes over the same distances, so that no pixel has
    // both or none.
    var gone = clamp((distance - ends * (1.0 - FADE)) / (ends * FADE), 0.0, 1.0);
    if reach.z > 0.5 {
        // After the last level objects vanish one by one, each at a distance of its own: all at one distance
        // would be a visible edge.
        let own = ends * (1.0 - LEAVE * chance);
        gone = clamp((distance - own * (1.0 - FADE)) / (own * FADE), 0.0, 1.0);
    }
    var come = 1.0;
    if begins > 0.0 {
        come = clamp((distance - begins * (1.0 - FADE)) / (begins * FADE), 0.0, 1.0);
    }
    return vec2(come, gone);
}

// How much of a pixel's pattern shows: from 0 to 1, a different one for each pixel of a square of 4 × 4.
// The ordered dither of Bayer (1973).
fn threshold(frag_coord: vec2<f32>) -> f32 {
    let p = vec2<u32>(frag_coord) & vec2(3u);
    let x = p.x ^ p.y;
    let value = ((x & 1u) << 3u) | ((p.y & 1u) << 2u) | ((x & 2u)) | ((p.y & 2u) >> 1u);
    return (f32(value) + 0.5) / 16.0;
}

// Whether a pixel is another level's.
fn is_faded(shares: vec2<f32>, frag_coord: vec2<f32>) -> bool {
    let pattern = threshold(frag_coord);
    // One pattern for what comes and what goes: where one level's pixels end the other's begin.
    return pattern >= shares.x || pattern < shares.y;
}

struct Foot {
    // Whether there is a tile.
    is_known: bool,
    // Metres from the anchor, heights as drawn.
    p: vec3<f32>,
}

fn between(slot: u32, p_in_tile: vec2<f32>) -> vec3<f32> {
    let corner = floor(p_in_tile);
    let t = p_in_tile - corner;
    let at = vec2<i32>(corner);
    let north_east = ground_in(slot, at + vec2(1, 0));
    let south_west = ground_in(slot, at + vec2(0, 1));
    // The triangles of a quad meet between its north-east and its south-west corner. Without branches, as in
    // `hole_at`.
    let is_north_west = t.x + t.y <= 1.0;
    let third = ground_in(slot, at + select(vec2(1, 1), vec2(0, 0), is_north_west));
    let from_third = select(1.0 - t.yx, t, is_north_west);
    return third + (north_east - third) * from_third.x + (south_west - third) * from_third.y;
}

// Where the ground is drawn under an object: of tiles whose texels look as large as they may, which the mesh
// of the ground is never more than a pixel or two away from.
fn foot_of(object: Instance, eye_in_world: vec3<f32>) -> Foot {
    let about = object.height * field.scale + field.bias;
    var lod = f32(max(field.flat_level, 0));
    if field.flat_level < 0 {
        let p = (field.world_from_anchor * vec4(object.place.x, about, object.place.y, 1.0)).xyz;
        lod = max(level_at(distance(p, eye_in_world) / field.world_scale), 0.0);
    }
    // The same tiles as for shading, so that a plant stands where its ground is drawn.
    let at = find(object.place, lod);
    if !at.is_resident {
        return Foot(false, vec3(object.place.x, about, object.place.y));
    }
    var ground = between(at.slot, at.p_in_tile);
    if at.share < 1.0 {
        ground = mix(between(at.parent_slot, at.p_in_parent), ground, at.share);
    }
    let height = ground.y * field.scale + field.bias;
    return Foot(true, vec3(object.place.x + ground.x, height, object.place.y + ground.z));
}

// The angle by which a swing of about this many radians a second has gone on. Bevy's clock begins again at 0
// every hour, or after another time that a game has set. The time before is known without whole loops, so each
// swing is made a little slower or faster, until a loop has a whole number of them: then none jumps.
fn swung(radians_per_second: f32, seconds: f32) -> f32 {
    return round(radians_per_second * (LOOP / TAU)) * (TAU / LOOP) * (scatter.past_seconds + seconds);
}

// How far wind moves a vertex, metres of the land: with gusts that run over the land, and leaves of their own
// accord. `amplitude` is for a wind of 4 m/s, `moves` from 0 to 1.
fn sway(object: Instance, amplitude: f32, moves: f32, phase: f32, seconds: f32) -> vec3<f32> {
    let speed = length(scatter.wind);
    if amplitude <= 0.0 || moves <= 0.0 || speed <= 0.01 {
        return vec3(0.0);
    }
    let along = scatter.wind / speed;
    // Objects far from the anchor sway like those near it: only differences of places count. A wave that runs
    // along the wind over the land; it turns with the wind around the anchor.
    let run = scatter.past_gust + scatter.gust_speed * seconds;
    let gust = sin(dot(object.place, along) * 0.11 - run + object.chance * 1.3);
    // Sway and flutter of each plant differ by its chance, or a meadow would nod in step.
    let swing = sin(swung(1.7, seconds) + TAU * (object.chance + phase));
    let flutter = sin(swung(5.0 + 3.0 * phase, seconds) + TAU * phase);
    let strength = amplitude * min(speed / 4.0, 4.0) * moves * object.size;
    let lean = strength * (0.55 + 0.35 * gust + 0.2 * swing);
    let across = strength * 0.22 * flutter;
    // The tip goes down as it leans, as if the stem kept its length.
    return vec3(along.x * lean - along.y * across, -0.15 * abs(lean), along.y * lean + along.x * across);
}
