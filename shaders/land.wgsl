// The land's tiles: which is resident where, and what lies at a sample or a place of one. Twin of
// `core/src/stream/drawing/table.rs`, and twin of `core/src/stream/drawing/surface.rs`: the functions have the same names
// there.
#define_import_path upland::land

#import upland::field::{field, table, errors, heights}

// Cells along a side of a tile, and samples that it has beyond them.
const TILE_CELLS: i32 = 128;
const TILE_BORDER: i32 = 4;
const TILE_TEXELS: i32 = 136;
// Chunks along a side of a tile, and quads along a side of a chunk. Twins of `TILE_CHUNKS` and `QUADS` in
// `core/src/stream/drawing/chunk.rs`.
const TILE_CHUNKS: i32 = 8;
const QUADS: i32 = 16;
// Levels of chunks that are coarser than the coarsest tiles, and are drawn with these tiles' samples. Twin of
// `COARSER` in `core/src/stream/drawing/chunk.rs`.
const COARSER: i32 = 3;
// Tiles along a side of a layer; twin of `SLOTS_ASIDE` in `src/plugin/stream/pool.rs`.
const SLOTS_ASIDE: u32 = 8u;
// Texels of a row of the table.
const TABLE_WIDTH: u32 = 64u;
// Texels of a row of the errors. Twin of `ERRORS_WIDTH` in `src/plugin/stream/pool.rs`.
const ERRORS_WIDTH: u32 = 1020u;
// Added to levels where they are stored, so that an entry in use is never 0.
const LEVEL_BIAS: i32 = 64;
// The last sample of land without an end.
const ENDLESS: i32 = 0x7fffffff;
// Which neighbours are not resident.
const OPEN_WEST: u32 = 1u;
const OPEN_NORTH: u32 = 2u;
const OPEN_NORTH_WEST: u32 = 4u;

// A tile, if it is resident.
struct Entry {
    is_resident: bool,
    level: i32,
    // Column and row among the tiles of the level.
    tile: vec2<i32>,
    slot: u32,
    open: u32,
    // From 0, just arrived and drawn as its parent, to 1.
    fade: f32,
}

// An integer hash with exact wrap-around: the processor fills the table with the same one, so it must have
// the same bits on every device.
fn hash(level: i32, tile: vec2<i32>) -> u32 {
    var hash = (u32(tile.x) * 0x9E3779B1u) ^ (u32(tile.y) * 0x85EBCA77u)
        ^ (u32(level + field.finest) * 0xC2B2AE3Du);
    hash = (hash ^ (hash >> 15u)) * 0x2C1B3C6Du;
    return hash ^ (hash >> 13u);
}

fn resident(level: i32, tile: vec2<i32>) -> Entry {
    let count = textureDimensions(table).y * TABLE_WIDTH;
    // Open addressing with linear probing. The number of entries is a power of two, at least twice that of
    // slots, so that a search ends after a few texels.
    var place = hash(level, tile) & (count - 1u);
    let stored_level = u32(level + field.finest + LEVEL_BIAS);
    // There is always an empty entry.
    for (var i = 0u; i < count; i++) {
        let entry = textureLoad(table, vec2(place % TABLE_WIDTH, place / TABLE_WIDTH), 0);
        if entry.z == 0u {
            break;
        }
        if entry.z >> 24u == stored_level && all(vec2<i32>(entry.xy) == tile) {
            let open = (entry.z >> 16u) & 7u;
            return Entry(true, level, tile, entry.z & 0xffffu, open, bitcast<f32>(entry.w));
        }
        place = (place + 1u) & (count - 1u);
    }
    return Entry(false, level, tile, 0u, 0u, 0.0);
}

// Column and row of the last sample at a level: the border's, also where that lies between two.
fn last(level: i32) -> vec2<i32> {
    let shift = vec2(u32(level));
    let beyond = field.last & vec2((1 << u32(level)) - 1);
    return (field.last >> shift) + select(vec2(0), vec2(1), beyond != vec2(0));
}

// The tile that a sample belongs to: that of the cell to its south-east, or of the last one.
fn owner(level: i32, index: vec2<i32>) -> vec2<i32> {
    // The border's last samples have no cell to their south-east, so that the last tile keeps them.
    return min(index, max(last(level) - 1, vec2(0))) >> vec2(7u);
}

// The resident tile that a sample belongs to, if all others that meet there are resident too: else the
// ground on the other side is coarser.
fn own(level: i32, index: vec2<i32>) -> Entry {
    var entry = resident(level, owner(level, index));
    // A sample on a tile's west or north border is drawn by chunks of both sides. Where one side is not
    // resident, both must use the coarser grid, or the border would open.
    if entry.open != 0u {
        let on_border = index == entry.tile * TILE_CELLS;
        var borders = select(0u, OPEN_WEST, on_border.x) | select(0u, OPEN_NORTH, on_border.y);
        borders |= select(0u, OPEN_NORTH_WEST, all(on_border));
        entry.is_resident = entry.is_resident && (entry.open & borders) == 0u;
    }
    return entry;
}

// Where a slot's tile begins in the textures: its north-west sample's column and row, and the layer.
fn corner(slot: u32) -> vec3<i32> {
    let in_layer = slot % (SLOTS_ASIDE * SLOTS_ASIDE);
    let place = vec2<i32>(vec2(in_layer % SLOTS_ASIDE, in_layer / SLOTS_ASIDE));
    // Tiles overlap by a border, so that filtering at the edge of a tile does not read its neighbour in the
    // texture.
    return vec3(place * TILE_TEXELS + TILE_BORDER, i32(slot / (SLOTS_ASIDE * SLOTS_ASIDE)));
}

fn height_in(slot: u32, p_in_tile: vec2<i32>) -> f32 {
    let at = corner(slot);
    return textureLoad(heights, at.xy + p_in_tile, at.z, 0).r;
}

// The number of the first chunk of the level that is `coarser` levels coarser than a tile, among all that the
// tile is drawn with.
fn first_of_coarser(coarser: u32) -> i32 {
    // T² + T² / 4 + T² / 16 …, one term for each finer level, where T is `TILE_CHUNKS`.
    let all = 4 * TILE_CHUNKS * TILE_CHUNKS;
    return (all - (all >> (2u * coarser))) / 3;
}

// The error of the chunk, a number of levels coarser than its tile, that a sample of the tile belongs to,
// metres.
fn error_at(entry: Entry, coarser: u32, index: vec2<i32>) -> f32 {
    // The samples on the east and south border count to the last chunk.
    let in_tile = min(index - entry.tile * TILE_CELLS, vec2(TILE_CELLS - 1)) / (QUADS << coarser);
    let number = first_of_coarser(coarser) + in_tile.y * (TILE_CHUNKS >> coarser) + in_tile.x;
    let place = entry.slot * u32(first_of_coarser(u32(COARSER)) + 1) + u32(number);
    return textureLoad(errors, vec2(place % ERRORS_WIDTH, place / ERRORS_WIDTH), 0).r;
}

#ifdef TERRAIN_SHIFTED
// A sample of a tile: how far the ground stands east of it, its height, and how far it stands south, metres.
fn ground_in(slot: u32, p_in_tile: vec2<i32>) -> vec3<f32> {
    let at = corner(slot);
    // The texture begins with the height, so that land without shifts can use its first number alone.
    return textureLoad(heights, at.xy + p_in_tile, at.z, 0).grb;
}
#else
fn ground_in(slot: u32, p_in_tile: vec2<i32>) -> vec3<f32> {
    return vec3(0.0, height_in(slot, p_in_tile), 0.0);
}
#endif

#ifdef TERRAIN_HOLES
// The layer of holes at a sample of a tile: there is no ground where it is above `HOLE_FROM`.
fn hole_in(slot: u32, p_in_tile: vec2<i32>) -> f32 {
    let at = corner(slot);
#ifdef TERRAIN_SHIFTED
    return textureLoad(heights, at.xy + p_in_tile, at.z, 0).a;
#else
    return textureLoad(heights, at.xy + p_in_tile, at.z, 0).g;
#endif
}

// The same between samples, on the two triangles of each cell. Twin of `on_triangles` in
// `core/src/grid/hole.rs`.
fn hole_at(slot: u32, p_in_tile: vec2<f32>) -> f32 {
    let cell = floor(p_in_tile);
    let t = p_in_tile - cell;
    let at = vec2<i32>(cell);
    let north_east = hole_in(slot, at + vec2(1, 0));
    let south_west = hole_in(slot, at + vec2(0, 1));
    // Without branches: a software Vulkan (Mesa 22.3) writes beyond its stack where textures are loaded in
    // them and nothing but depth is drawn.
    let is_north_west = t.x + t.y <= 1.0;
    // A triangle has both ends of the diagonal, and of the other two corners the one on its side.
    let third = hole_in(slot, at + select(vec2(1, 1), vec2(0, 0), is_north_west));
    let from_third = select(1.0 - t.yx, t, is_north_west);
    return third + (north_east - third) * from_third.x + (south_west - third) * from_third.y;
}

// Twin of `HOLE_FROM` in `core/src/grid/hole.rs`.
const HOLE_FROM: f32 = 0.5;

// Whether there is no ground at a place on the land whose pixels would like texels of `lod` levels above the
// finest.
fn is_hole(from_anchor: vec2<f32>, lod: f32) -> bool {
    let place = find(from_anchor, lod);
    if !place.is_resident {
        return false;
    }
    var hole = hole_at(place.slot, place.p_in_tile);
    if place.share < 1.0 {
        hole = mix(hole_at(place.parent_slot, place.p_in_parent), hole, place.share);
    }
    return hole > HOLE_FROM;
}
#endif

// A resident tile's sample, as much of it as shows already.
fn ground(entry: Entry, index: vec2<i32>) -> vec3<f32> {
    let own = ground_in(entry.slot, index - entry.tile * TILE_CELLS);
    if entry.fade >= 1.0 {
        return own;
    }
    let parent = resident(entry.level + 1, entry.tile >> vec2(1u));
    if !parent.is_resident {
        return own;
    }
    let at = (index >> vec2(1u)) - parent.tile * TILE_CELLS;
    let odd = index & vec2(1);
    // The two ends that the sample lies half way between on the parent's grid: two neighbours, or within a
    // quad the ends of the diagonal that its two triangles share. At fade 0 a new tile therefore has exactly
    // its parent's surface, so that its arrival is not seen.
    let a = ground_in(parent.slot, at + vec2(select(0, odd.x, odd.y == 1), 0));
    let b = ground_in(parent.slot, at + vec2(select(odd.x, 0, odd.y == 1), odd.y));
    let coarse = 0.5 * (a + b);
    // In this form no bit changes where both grids have the same number.
    return coarse + (own - coarse) * entry.fade;
}

// The place of a sample of a resident tile, metres from the anchor; the border's where it lies beyond.
// Subtracted as whole numbers and only then turned into metres: the difference is small near the eye, so it
// is exact.
fn place_of(level: i32, index: vec2<i32>) -> vec2<f32> {
    return vec2<f32>(min(index << vec2(u32(level)), field.last) - field.anchor) * field.cell;
}

// Where the ground of a sample of a resident tile is.
fn position(entry: Entry, index: vec2<i32>) -> vec3<f32> {
    let p = place_of(entry.level, index);
    let ground = ground(entry, index);
    return vec3(p.x + ground.x, ground.y * field.scale + field.bias, p.y + ground.z);
}

// A place in a resident tile, and in its parent: what is drawn there is a mix of both.
struct Place {
    is_resident: bool,
    level: i32,
    slot: u32,
    // Cells from the tile's north-west corner.
    p_in_tile: vec2<f32>,
    // How much of it shows; the rest is its parent.
    share: f32,
    parent_slot: u32,
    p_in_parent: vec2<f32>,
}

// The resident tile at a place whose pixels would like texels `lod` levels above the finest.
fn find(from_anchor: vec2<f32>, lod: f32) -> Place {
    var level = clamp(i32(floor(lod)), 0, field.coarsest);
    var share = 1.0 - clamp(lod - f32(level), 0.0, 1.0);
    loop {
        let size = field.cell * f32(1 << u32(level));
        let mask = (1 << u32(level)) - 1;
        // Only the anchor's remainder within a cell of the level is added as a float, its whole cells as
        // whole numbers below.
        let cells = from_anchor / size + vec2<f32>(field.anchor & vec2(mask)) / f32(mask + 1);
        let steps = floor(cells);
        let index = (field.anchor >> vec2(u32(level))) + vec2<i32>(steps);
        let entry = resident(level, owner(level, index));
        if entry.is_resident || level >= field.coarsest {
            let p_in_tile = vec2<f32>(index - entry.tile * TILE_CELLS) + (cells - steps);
            // A tile without a parent in sight is mixed with itself.
            var place = Place(entry.is_resident, level, entry.slot, p_in_tile, 1.0, entry.slot, p_in_tile);
            share *= entry.fade;
            if share < 1.0 && level < field.coarsest {
                let parent = resident(level + 1, entry.tile >> vec2(1u));
                if parent.is_resident {
                    place.share = share;
                    place.parent_slot = parent.slot;
                    // The parent has half as many cells in the same length, and the tile is one of its
                    // quarters.
                    place.p_in_parent = 0.5 * (p_in_tile + vec2<f32>((entry.tile & vec2(1)) * TILE_CELLS));
                }
            }
            return place;
        }
        // Not resident: the parent takes its place as a whole.
        level += 1;
        share = 1.0;
    }
    return Place(false, 0, 0u, vec2(0.0), 0.0, 0u, vec2(0.0));
}

// The level above the finest whose texels look as large as they may from a distance in metres of the land:
// tiles of finer ones need not be there.
fn level_at(distance: f32) -> f32 {
    return log2(max(distance, 1e-3) / field.texel_reach);
}

// The place on the land that lies next to one: itself, if the land does not end before it.
fn on_land(from_anchor: vec2<f32>) -> vec2<f32> {
    if field.last.x == ENDLESS {
        return from_anchor;
    }
    let north_west = vec2<f32>(-field.anchor) * field.cell;
    return clamp(from_anchor, north_west, north_west + vec2<f32>(field.last) * field.cell);
}

struct DrawnHeight {
    // Whether there is a tile.
    is_known: bool,
    // Metres, between the four samples around.
    height: f32,
    // The level of its tile, which is coarser than requested where no finer one is resident.
    level: f32,
}

// The height at which the ground is drawn at a place on the land, of about the level `lod`.
fn drawn_height(from_anchor: vec2<f32>, lod: f32) -> DrawnHeight {
    let place = find(from_anchor, lod);
    if !place.is_resident {
        return DrawnHeight(false, 0.0, 0.0);
    }
    var height = between_samples(place.slot, place.p_in_tile);
    if place.share < 1.0 {
        height = mix(between_samples(place.parent_slot, place.p_in_parent), height, place.share);
    }
    return DrawnHeight(true, height * field.scale + field.bias, f32(place.level));
}

fn between_samples(slot: u32, p_in_tile: vec2<f32>) -> f32 {
    let corner = floor(p_in_tile);
    let t = p_in_tile - corner;
    let at = vec2<i32>(corner);
    let north = mix(height_in(slot, at), height_in(slot, at + vec2(1, 0)), t.x);
    let south = mix(height_in(slot, at + vec2(0, 1)), height_in(slot, at + vec2(1, 1)), t.x);
    return mix(north, south, t.y);
}
