// What every terrain shader is given: the field's shape, its textures and where it stands.
//
// Spaces: *index* counts quads of a level from the field's north-west corner; *grid* counts cells
// (samples sit on whole numbers); *field* is metres with the field's centre at x = z = 0, +x east,
// +z south, +y up; *uv* runs 0 to 1 over the field; *world* is Bevy's. What has to be precise on a field
// of any extent is counted *from the anchor*, a sample near the eye, in metres.
#define_import_path upland::field

// Twin of `TerrainUniform` in src/plugin/material/extension.rs.
struct Field {
    world_from_field: mat4x4<f32>,
    // Metres from the first to the last sample, east and south.
    extent: vec2<f32>,
    // The last sample's column and row.
    last: vec2<i32>,
    // Metres between neighbouring samples.
    cell: f32,
    // A height in metres is the height texture's value · scale + bias.
    scale: f32,
    bias: f32,
    // World distance up to which the finest level reaches.
    near_range: f32,
    // No vertex moves onto a grid coarser than this level's.
    coarsest: u32,
    // Which debug view to show, 0 for none; twin of `DebugView`.
    debug_view: u32,
    // Metres between height contours.
    contour_step: f32,
    // How much grain is added below the textures' resolution, 0 for none.
    detail: f32,
    // Where the camera is (w unused), for the shadow passes: of several cameras Bevy tells those
    // passes about one alone. It may lag behind by a hundredth of the near range.
    shadow_eye: vec4<f32>,
    // Metres from the eye within which tiles are drawn.
    detail_range: f32,
    // Metres between lattice points of the coarsest grain.
    grain_size: f32,
    // Column and row of the anchor.
    anchor: vec2<i32>,
    // Where it lies from the north-west corner, counted in that size.
    grain_whole: vec2<i32>,
    grain_rest: vec2<f32>,
}

const MAX_TYPES: u32 = 16u;

// Twin of `CoverUniform` in src/plugin/material/cover.rs.
struct Cover {
    // How many types wear tiles (x), 0 for none.
    count: vec4<u32>,
    types: array<TiledType, MAX_TYPES>,
}

// A terrain type that wears a tile.
struct TiledType {
    // Its mean colour, linear.
    colour: vec3<f32>,
    // What the value 1 in its tile stands for, as a multiple of the tile's mean.
    brightest: f32,
    // Repeats per metre along the tile's columns and rows.
    repeats: vec2<f32>,
    // Metres along the longer side of a repeat.
    size: f32,
    // Its tile's layer in both arrays.
    layer: u32,
    // Where the field's anchor lies from the north-west corner, counted in repeats: east along the tile's
    // columns, south along its rows, south along its columns.
    anchor_whole: vec3<i32>,
    // How much brighter the tile's highest place is than its lowest, as a multiple of the mean.
    brightening: f32,
    anchor_rest: vec3<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> field: Field;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var heights: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var gradients: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var gradients_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(104) var colours: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(105) var colours_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(106) var<uniform> cover: Cover;
@group(#{MATERIAL_BIND_GROUP}) @binding(107) var weights: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(108) var tile_ratios: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(109) var tiles_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(110) var tile_reliefs: texture_2d_array<f32>;
