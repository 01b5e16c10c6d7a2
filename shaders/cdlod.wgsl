// Continuous distance-dependent level of detail: where a vertex of a chunk is drawn.
// Twin of `core/src/stream/drawing/surface.rs`, which also names the source; the functions have the same names.
//
// No branch and no end of a loop here depends on uniforms alone: the software device of Mesa 22.3 would
// compile the shader again for every draw, and keep all of these versions: 0.75 MB a frame.
#define_import_path upland::cdlod

#import upland::field::field
#import upland::land::{COARSER, Entry, QUADS, error_at, last, own, place_of, position}

// Shares of a level's range between which its vertices move onto the next coarser grid. The end is a little
// below 1, so that rounding errors on one side of a border cannot open a crack.
const MORPH_START: f32 = 0.65;
const MORPH_END: f32 = 0.98;
// Twin of `HAZY_GROWTH` in `core/src/stream/drawing/ranges.rs`.
const HAZY_GROWTH: f32 = 0.6;
// Twin of `WHOLE_LAND_QUADS` in `core/src/stream/drawing/ranges.rs`.
const WHOLE_LAND_QUADS: f32 = 8.0;
// Bits of a packed chunk for its column, and as many for its row.
const PLACE_BITS: u32 = 13u;

struct Chunk {
    level: i32,
    // The sample at its north-west corner.
    first_index: vec2<i32>,
}

// A mesh tag has 32 bits, too few for level, column and row on any land.
// Only the last bits of columns and rows are packed; the chunk that is meant is the one next to the anchor.
// Twin of `pack` in `core/src/stream/drawing/chunk.rs`.
fn unpack_chunk(tag: u32) -> Chunk {
    let level = i32(tag >> (2u * PLACE_BITS));
    let near = (field.anchor >> vec2(u32(level))) / QUADS;
    let mask = (1u << PLACE_BITS) - 1u;
    let place = vec2<i32>(vec2(tag & mask, (tag >> PLACE_BITS) & mask));
    // The difference modulo 2^13 as a number from -2^12 to 2^12 - 1: the shift to the right copies its sign.
    let unused = 32u - PLACE_BITS;
    let away = ((place - near) << vec2(unused)) >> vec2(unused);
    return Chunk(level, (near + away) * QUADS);
}

fn world_from_anchor(p: vec3<f32>) -> vec3<f32> {
    return (field.world_from_anchor * vec4(p, 1.0)).xyz;
}

// The range of a level as it is in haze. Twin of `reach` in `core/src/stream/drawing/ranges.rs`.
fn in_haze(range: f32) -> f32 {
    if range <= field.hazy_from {
        return range;
    }
    return field.hazy_from * pow(range / field.hazy_from, HAZY_GROWTH);
}

// How far a vertex has moved onto the next coarser grid, from one that is a number of levels coarser than its
// tile.
fn moved(entry: Entry, coarser: u32, index: vec2<i32>, p: vec3<f32>, eye_in_world: vec3<f32>) -> f32 {
    let level = entry.level + i32(coarser);
    let cell = field.cell * f32(1 << u32(level));
    // Errors are measured on the field's heights; exaggerated ground is that much more wrong.
    let error = error_at(entry, coarser, index) * abs(field.scale);
    // From the coarsest tiles on, a range may be longer and its quads smaller: there all of a land is in
    // view, and its summits are a few pixels wide.
    let most = field.most * select(1.0, WHOLE_LAND_QUADS, level >= field.coarsest);
    let range = in_haze(clamp(field.per_error * error, field.least * cell, most * cell));
    // `select` in place of `if` from here on, for the reason at the head of this file.
    let distance = distance(world_from_anchor(p), eye_in_world) / field.world_scale;
    let by_distance = clamp((distance / range - MORPH_START) / (MORPH_END - MORPH_START), 0.0, 1.0);
    // In parallel projections all distances look alike, so one level is drawn everywhere.
    let by_level = select(0.0, 1.0, level < field.flat_level);
    let share = select(by_distance, by_level, field.flat_level >= 0);
    // There is no grid that is coarser than the coarsest.
    return select(share, 0.0, level >= field.coarsest + COARSER);
}

struct Vertex {
    // Where it is drawn, in metres from the anchor.
    drawn: vec3<f32>,
    // The place of the ground there: where it stands, unless it is shifted.
    place: vec2<f32>,
}

// Where a chunk's vertex is drawn. `vertex` runs 0 to 1 over the chunk. The result depends on the grid point
// and the eye alone, not on the chunk: neighbours agree to the last bit.
fn displace(chunk: Chunk, vertex: vec2<f32>, eye_in_world: vec3<f32>) -> Vertex {
    var level = chunk.level;
    var index = chunk.first_index + vec2<i32>(round(vertex * f32(QUADS)));
    var fine = vec3(0.0);
    var place = vec2(0.0);
    // More than 0 once the vertex is on its way from a finer grid to the one that is looked at.
    var share = 0.0;
    loop {
        // Coarser than all tiles, samples are some of the coarsest's.
        let coarser = u32(max(level - field.coarsest, 0));
        let on_tile = level - i32(coarser);
        // Vertices beyond the border lie on it: the triangles between them have no area, and one mesh serves
        // all chunks.
        let on_land = min(min(index, last(level)) << vec2(coarser), last(on_tile));
        let entry = own(on_tile, on_land);
        if entry.is_resident {
            let p = position(entry, on_land);
            let place_here = place_on_land(p, on_tile, on_land);
            if share > 0.0 {
                // Written so that a coordinate that is equal on both grids, as at the border, is unchanged.
                return Vertex(fine + (p - fine) * share, place + (place_here - place) * share);
            }
            share = moved(entry, coarser, on_land, p, eye_in_world);
            fine = p;
            place = place_here;
        }
        // The tile is not resident, or the vertex is still moving: both need the next coarser grid.
        let is_found = entry.is_resident & (share == 0.0);
        if is_found | (level >= field.coarsest + COARSER) {
            break;
        }
        // Wholly on the coarser grid, which is looked at next.
        share = select(share, 0.0, share == 1.0);
        index = index >> vec2(1u);
        level = level + 1;
    }
    return Vertex(fine, place);
}

fn place_on_land(p: vec3<f32>, level: i32, on_land: vec2<i32>) -> vec2<f32> {
#ifdef TERRAIN_SHIFTED
    // Shifted ground keeps its colour: that of the sample it comes from, not of the place that it is moved
    // to.
    return place_of(level, on_land);
#else
    return p.xz;
#endif
}
