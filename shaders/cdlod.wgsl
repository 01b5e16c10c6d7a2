// Continuous distance-dependent level of detail: where a vertex of a chunk is drawn.
// Twin of src/lod/morph.rs, which also says whose idea it is; the functions have the same names.
#define_import_path upland::cdlod

#import upland::field::field
#import upland::height::{Position, position_at}

const QUADS: i32 = 32;
const MORPH_START: f32 = 0.65;
const MORPH_END: f32 = 0.98;

struct Chunk {
    level: u32,
    // The north-west corner, in quads of the level.
    first_index: vec2<i32>,
}

fn unpack_chunk(tag: u32) -> Chunk {
    let place = vec2<i32>(vec2(tag & 0xfffu, (tag >> 12u) & 0xfffu));
    return Chunk(tag >> 24u, place * QUADS);
}

// How far a vertex of a level has moved onto the next coarser grid at a distance from the eye.
fn morph(level: u32, distance: f32) -> f32 {
    if level >= field.coarsest {
        return 0.0;
    }
    let range = field.near_range * f32(1u << level);
    return clamp((distance / range - MORPH_START) / (MORPH_END - MORPH_START), 0.0, 1.0);
}

fn world_from_field(p_in_field: vec3<f32>) -> vec3<f32> {
    return (field.world_from_field * vec4(p_in_field, 1.0)).xyz;
}

// Where a chunk's vertex is drawn. `vertex` runs 0 to 1 over the chunk. The result depends on the grid
// point and the eye alone, not on the chunk: neighbours agree to the last bit.
fn displace(chunk: Chunk, vertex: vec2<f32>, eye_in_world: vec3<f32>) -> Position {
    var level = chunk.level;
    var index = chunk.first_index + vec2<i32>(round(vertex * f32(QUADS)));
    var fine = position_at(index << vec2(level));
    loop {
        let moved = morph(level, distance(world_from_field(fine.p_in_field), eye_in_world));
        if moved == 0.0 {
            break;
        }
        index = index >> vec2(1u);
        level = level + 1u;
        let coarse = position_at(index << vec2(level));
        if moved < 1.0 {
            fine.p_in_field += (coarse.p_in_field - fine.p_in_field) * moved;
            fine.from_anchor += (coarse.from_anchor - fine.from_anchor) * moved;
            break;
        }
        fine = coarse;
    }
    return fine;
}
