// The inputs of every terrain shader: where the land stands, its tiles, and its ground textures.
//
// Spaces: a *level* counts from the finest, 0, of the land's tiles; *index* counts samples of a level from
// the land's sample (0, 0), which lies on whole numbers at every level. Everything that has to be precise on
// land of any extent is counted *from the anchor*, a sample near the eye, in metres: +x east, +z south, +y
// up, heights as they are drawn. *world* is Bevy's.
#define_import_path upland::field

#import upland::clouds::Clouds

// Twin of `TerrainUniform` in `src/plugin/material/extension.rs`.
struct Field {
    // From metres from the anchor.
    world_from_anchor: mat4x4<f32>,
    // The sample of the finest level next to the eye.
    anchor: vec2<i32>,
    // The last sample of the finest level: of endless land the last that can be counted.
    last: vec2<i32>,
    // Metres between samples of the finest level.
    cell: f32,
    // Metres in the world for each metre of the land.
    world_scale: f32,
    // A height is drawn at height · scale + bias.
    scale: f32,
    bias: f32,
    // The finest level as it is counted elsewhere, where 0 is the land's own.
    finest: i32,
    // The coarsest level: no vertex moves onto a coarser grid.
    coarsest: i32,
    // Below this level all vertices lie on coarser grids; for orthographic projections, else -1.
    flat_level: i32,
    // Which debug view to show, 0 for none; twin of `DebugView` in `src/plugin/material/view.rs`.
    debug_view: u32,
    // How far levels reach: metres for each metre of error, and at least and at most for each metre between
    // samples. Twin of `Ranges` in `core/src/stream/drawing/ranges.rs`.
    per_error: f32,
    least: f32,
    most: f32,
    // Metres from the eye at which texels of the finest level are as large as texels may look.
    texel_reach: f32,
    // Where the camera is (w unused), for shadow passes: lamps share their shadow maps among cameras, and
    // Bevy passes the place of one camera for all.
    shadow_eye: vec4<f32>,
    // Metres between height contours.
    contour_step: f32,
    // How much grain is added below the textures' resolution, 0 for none.
    detail: f32,
    // Metres from the eye within which tiles are drawn.
    detail_range: f32,
    // Metres between lattice points of the coarsest grain.
    grain_size: f32,
    // Where the anchor lies from the land's sample (0, 0), counted in that size.
    grain_whole: vec2<i32>,
    grain_rest: vec2<f32>,
    // Where the eye is under water: what is lost of each colour of daylight per metre of depth, else 0, the
    // world height of the surface, and where the anchor lies from the land's sample (0, 0), counted in the
    // size of caustics.
    dimming: vec3<f32>,
    water_level: f32,
    caustics_whole: vec2<i32>,
    caustics_rest: vec2<f32>,
    // Height as drawn that no ground stands above, metres.
    highest: f32,
    // Heights that are looked at towards a sun where no shadow map reaches, 0 for no shadows there.
    far_steps: u32,
    // Metres from the eye between which woods far away appear.
    canopy_from: f32,
    canopy_until: f32,
    // The walls under the border: their colour, linear, and the height of their foot as drawn, metres.
    wall_colour: vec3<f32>,
    wall_foot: f32,
    // The map of what towers see: where its north-west sample lies from the anchor, metres between its
    // samples, and how many towers there are, 0 for none.
    viewshed_corner: vec2<f32>,
    viewshed_cell: f32,
    towers: u32,
    // How ambient light differs with a unit normal of the world, as shares of that on level ground: by its part
    // to the east, by how far its part upwards and the square of that fall short of 1, and by its part to the
    // south.
    ambient_east: vec3<f32>,
    // Metres from the eye beyond which haze hides errors, so that levels reach less far. As `per_error`.
    hazy_from: f32,
    ambient_up: vec3<f32>,
    // Where the eye is under water: the time before `globals.time` was last 0, in whole loops of the caustics
    // and seconds of the one that had begun.
    past_loops: i32,
    ambient_bow: vec3<f32>,
    past_seconds: f32,
    ambient_south: vec3<f32>,
    // How strong ribs and gullies are that are finer than the heights, 0 for none.
    ribs: f32,
    // The map of woods far away: where it begins, metres from the anchor, and shares of it for each metre.
    canopy_corner: vec2<f32>,
    canopy_per_metre: vec2<f32>,
    // Where the anchor lies from the land's sample (0, 0), counted by `LATTICE`.
    lattice_whole: vec2<i32>,
    lattice_rest: vec2<f32>,
    // The low clouds that shade the land.
    clouds: Clouds,
}

const MAX_TYPES: u32 = 16u;

// Metres between the lattice points that crowns and ribs are counted by; twin of `LATTICE` in
// `src/plugin/material/extension.rs`.
const LATTICE: f32 = 6.0;

// Twin of `CoverUniform` in `src/plugin/material/cover.rs`.
struct Cover {
    // How many types have tiles (x), 0 for none; layers of weights that each tile of the land has (y).
    count: vec4<u32>,
    types: array<TiledType, MAX_TYPES>,
}

// A terrain type that has a tile.
struct TiledType {
    // Its mean colour, linear.
    colour: vec3<f32>,
    // The value 1 in its tile, as a multiple of the tile's mean.
    brightest: f32,
    // Repeats per metre along the tile's columns and rows.
    repeats: vec2<f32>,
    // Metres along the longer side of a repeat.
    size: f32,
    // Its tile's layer in both arrays.
    layer: u32,
    // Where the anchor lies from the land's sample (0, 0), counted in repeats: east along the tile's
    // columns, south along its rows, south along its columns.
    anchor_whole: vec3<i32>,
    // How much brighter the tile's highest place is than its lowest, as a multiple of the mean.
    brightening: f32,
    anchor_rest: vec3<f32>,
    // How strong its ribs are where it is steep, 0 to 1.
    ribs: f32,
}

// From 100 on: an extension shares its bind group with Bevy's standard material, which has the numbers below.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> field: Field;
// The tiles of the land: which are where, the errors of their chunks, and their texels.
// Integers, which are read without a filter and keep all bits of columns, rows and slots.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var table: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var errors: texture_2d<f32>;
// Floats of 32 bits, which not every device can filter: they are read texel by texel and interpolated by
// hand. This also gives the same bits as on the processor.
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var heights: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(104) var gradients: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(105) var land_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(106) var colours: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(107) var weights: texture_2d_array<f32>;
// The ground textures of the types.
@group(#{MATERIAL_BIND_GROUP}) @binding(108) var<uniform> cover: Cover;
@group(#{MATERIAL_BIND_GROUP}) @binding(109) var tile_ratios: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(110) var tiles_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(111) var tile_reliefs: texture_2d_array<f32>;
// A map over the land, whose texels are one of two things, so that they need one binding: in the debug view of
// it, how many towers see each sample, 1 for 255; else crowns of woods, the square roots of their colour, linear,
// and the share of the ground that they hide.
@group(#{MATERIAL_BIND_GROUP}) @binding(112) var overlay: texture_2d<f32>;
