// Continuous distance-dependent level of detail: where a vertex of a chunk is drawn.
// Twin of src/stream/surface.rs, which also says whose idea it is; the functions have the same names.
#define_import_path upland::cdlod

#import upland::field::field
#import upland::land::{Entry, QUADS, error_at, last, own, position}

const MORPH_START: f32 = 0.65;
const MORPH_END: f32 = 0.98;
// Bits of a packed chunk for its column, and as many for its row.
const PLACE_BITS: u32 = 13u;

struct Chunk {
    level: i32,
    // The sample at its north-west corner.
    first_index: vec2<i32>,
}

// Of columns and rows only the last bits are packed; the chunk that is meant is the one next to the anchor.
fn unpack_chunk(tag: u32) -> Chunk {
    let level = i32(tag >> (2u * PLACE_BITS));
    let near = (field.anchor >> vec2(u32(level))) / QUADS;
    let mask = (1u << PLACE_BITS) - 1u;
    let place = vec2<i32>(vec2(tag & mask, (tag >> PLACE_BITS) & mask));
    // The sign of what is left of the difference.
    let unused = 32u - PLACE_BITS;
    let away = ((place - near) << vec2(unused)) >> vec2(unused);
    return Chunk(level, (near + away) * QUADS);
}

fn world_from_anchor(p: vec3<f32>) -> vec3<f32> {
    return (field.world_from_anchor * vec4(p, 1.0)).xyz;
}

// How far a vertex of a level has moved onto the next coarser grid.
fn moved(entry: Entry, index: vec2<i32>, p: vec3<f32>, eye_in_world: vec3<f32>) -> f32 {
    if entry.level >= field.coarsest {
        return 0.0;
    }
    if field.flat_level >= 0 {
        return select(0.0, 1.0, entry.level < field.flat_level);
    }
    let cell = field.cell * f32(1 << u32(entry.level));
    let error = error_at(entry, index) * abs(field.scale);
    let range = clamp(field.per_error * error, field.least * cell, field.most * cell);
    let distance = distance(world_from_anchor(p), eye_in_world) / field.world_scale;
    return clamp((distance / range - MORPH_START) / (MORPH_END - MORPH_START), 0.0, 1.0);
}

// Where a chunk's vertex is drawn, in metres from the anchor. `vertex` runs 0 to 1 over the chunk. The result
// depends on the grid point and the eye alone, not on the chunk: neighbours agree to the last bit.
fn displace(chunk: Chunk, vertex: vec2<f32>, eye_in_world: vec3<f32>) -> vec3<f32> {
    var level = chunk.level;
    var index = chunk.first_index + vec2<i32>(round(vertex * f32(QUADS)));
    var fine = vec3(0.0);
    var share = 0.0;
    loop {
        let on_land = min(index, last(level));
        let entry = own(level, on_land);
        if entry.is_resident {
            let p = position(entry, on_land);
            if share > 0.0 {
                // Written so that a coordinate that is equal on both grids, as at the border, is unchanged.
                return fine + (p - fine) * share;
            }
            share = moved(entry, on_land, p, eye_in_world);
            fine = p;
            if share == 0.0 {
                break;
            }
            if share == 1.0 {
                share = 0.0;
            }
        }
        if level >= field.coarsest {
            break;
        }
        index = index >> vec2(1u);
        level = level + 1;
    }
    return fine;
}
