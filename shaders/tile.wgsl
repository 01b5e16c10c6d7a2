// Reading a tile so that its repetition does not show. After I. Quilez, "Texture repetition": the
// ground is cut into irregular patches, each of which shows another part of the tile.
#define_import_path upland::tile

#import upland::{
    detail::{lattice, value_noise},
    field::{TiledType, tile_ratios, tile_reliefs, tiles_sampler},
    place::{Counted, advanced, recounted},
}

// The steepest rise per metre that a relief holds; twin of `STEEPEST` in
// `core/src/texture/tile_layer/mod.rs`.
const STEEPEST: f32 = 2.0;
// Repeats between lattice points of the noise that cuts the patches, and patches from its lowest to
// its highest value: half a repeat across a patch.
const PATCH_NOISE: i32 = 3;
const PATCHES: f32 = 9.0;
// How far the height of one patch's ground pushes the border to the next, and how soft it is.
const BORDER_RELIEF: f32 = 0.35;
const BORDER: f32 = 0.12;
// Tiles are also laid smaller, on top of those of true size where their texels are larger than pixels, and
// larger, where those of true size fade. How many times: no whole number, so that no two fall into step, but
// a ratio of such.
const ENLARGED: f32 = 12.7;
const ENLARGED_TIMES: i32 = 127;
const ENLARGED_OVER: i32 = 10;
const SMALLER: u32 = 0u;
const TRUE_SIZE: u32 = 1u;
const LARGER: u32 = 2u;
const SCALES: u32 = 3u;

// A point of the plane across an axis (0 east, 1 up, 2 south) that a tile is laid on, in metres along the
// tile's columns and rows, and how it changes from pixel to pixel. Level metres are those from the anchor.
struct Place {
    axis: u32,
    p: vec2<f32>,
    dx: vec2<f32>,
    dy: vec2<f32>,
    // How far patches are drawn out along the columns and rows: strata are to run on.
    patches: vec2<i32>,
}

struct Texel {
    // The colour as a multiple of the tile's mean colour.
    ratio: vec3<f32>,
    // 0 to 1, evenly spread.
    height: f32,
    // Rise per metre along the tile's columns and rows.
    slope: vec2<f32>,
    roughness: f32,
    // How much of the sky is seen from here, 0 to 1, half on average.
    openness: f32,
}

fn read(kind: TiledType, uv: vec2<f32>, dx: vec2<f32>, dy: vec2<f32>) -> Texel {
    // Gradients are given, because the coordinates jump from patch to patch: derivatives of these would
    // choose the coarsest mip level along every border.
    let ratio = textureSampleGrad(tile_ratios, tiles_sampler, uv, kind.layer, dx, dy);
    let relief = textureSampleGrad(tile_reliefs, tiles_sampler, uv, kind.layer, dx, dy);
    // Bytes 1 to 255 for -1 to 1, so that 128 is exactly level.
    let slope = (relief.xy * 255.0 - 128.0) / 127.0 * STEEPEST;
    return Texel(ratio.rgb * kind.brightest, ratio.a, slope, relief.z, relief.w);
}

// The part of the tile that a patch begins with.
fn start(number: f32, layer: u32) -> vec2<f32> {
    // Any number per patch and tile will do, as long as it is the same on every pixel.
    return lattice(vec2(i32(number), i32(layer))).xy;
}

// Where the anchor lies on the plane across an axis, counted in repeats. Upright pictures begin at height 0.
fn anchor_on(kind: TiledType, axis: u32) -> Counted {
    switch axis {
        case 0u: { return Counted(vec2<i32>(kind.anchor_whole.z, 0), vec2<f32>(kind.anchor_rest.z, 0.0)); }
        case 1u: { return Counted(kind.anchor_whole.xy, kind.anchor_rest.xy); }
        default: { return Counted(vec2<i32>(kind.anchor_whole.x, 0), vec2<f32>(kind.anchor_rest.x, 0.0)); }
    }
}

// The tile of a type at a place, at one of the scales.
fn tile(kind: TiledType, place: Place, scale: u32) -> Texel {
    let size = select(select(1.0, ENLARGED, scale == LARGER), 1.0 / ENLARGED, scale == SMALLER);
    let repeats = kind.repeats / size;
    let dx = place.dx * repeats;
    let dy = place.dy * repeats;
    var at = advanced(anchor_on(kind, place.axis), place.p * kind.repeats);
    // The sizes are ratios of whole numbers, so that the anchor's whole repeats stay whole numbers at every
    // scale: as floats they would lose their fraction far from the land's corner.
    if scale == LARGER {
        at = recounted(at, vec2<i32>(ENLARGED_OVER), vec2<i32>(ENLARGED_TIMES));
    }
    if scale == SMALLER {
        at = recounted(at, vec2<i32>(ENLARGED_TIMES), vec2<i32>(ENLARGED_OVER));
    }
    let on_patches = recounted(at, vec2<i32>(1), place.patches * PATCH_NOISE);
    // Each tile has patches of its own: types that lie on top of each other must not change at the same
    // places.
    let noise = value_noise(advanced(on_patches, vec2(f32(kind.layer) * 17.3))).x;
    // Noise cut into steps: the patches are the bands between its contours.
    let number = floor(noise * 0.5 * PATCHES);
    let share = noise * 0.5 * PATCHES - number;

    // Two reads where patches meet. As a loop, because processors that draw take both sides of an `if`.
    // How far from the middle between two patches the height of their ground can still matter.
    let reach = 0.5 * BORDER_RELIEF + BORDER;
    let is_border = abs(share - 0.5) <= reach;
    let first = number + select(step(0.5, share), 0.0, is_border);
    let last = first + select(0.0, 1.0, is_border);
    var a: Texel;
    // Away from borders only `b` is read, and the mix below has no share of `a`.
    var b: Texel;
    for (var patch_number = first; patch_number <= last; patch_number += 1.0) {
        a = b;
        b = read(kind, at.rest + start(patch_number, kind.layer), dx, dy);
    }
    // The higher ground of the two wins a little: stones of one patch reach over the sand of the next.
    let side = share - 0.5 + (b.height - a.height) * BORDER_RELIEF * 0.5;
    let t = select(1.0, smoothstep(-BORDER, BORDER, side), is_border);
    return Texel(
        mix(a.ratio, b.ratio, t),
        mix(a.height, b.height, t),
        mix(a.slope, b.slope, t),
        mix(a.roughness, b.roughness, t),
        mix(a.openness, b.openness, t),
    );
}
