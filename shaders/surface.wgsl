// What a point of the ground looks like: its normal and its colour, both from full-resolution
// textures with mips, so that shading does not change with the level of detail.
#define_import_path upland::surface

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    cover::{Point, near},
    detail::grain,
    field::{field, gradients, gradients_sampler, colours, colours_sampler},
    height::uv_from_anchor,
}

// How much of the grain shows: in brightness, in rise per metre, and in metres by which the colours'
// borders are moved to and fro.
const GRAIN_IN_BRIGHTNESS: f32 = 0.35;
const GRAIN_IN_GRADIENT: f32 = 0.3;
const GRAIN_IN_PLACE: f32 = 6.0;
// How much of it is left on ground that wears a tile of true size.
const GRAIN_ON_TILES: vec2<f32> = vec2(0.5, 0.3);

struct Surface {
    // Rise per metre east and south.
    gradient: vec2<f32>,
    // Unit normal in the world.
    normal: vec3<f32>,
    colour: vec3<f32>,
    // Share of the sky that is seen from here, 0 to 1.
    ambient_visibility: f32,
    // Perceptual roughness where tiles lie, and how much of it counts.
    roughness: f32,
    roughness_share: f32,
}

// The gradients' texels sit on the samples, so the first and the last lie half a texel outside.
fn gradient(uv: vec2<f32>) -> vec2<f32> {
    let samples = vec2<f32>(field.last + 1);
    let at = (uv * vec2<f32>(field.last) + 0.5) / samples;
    return textureSample(gradients, gradients_sampler, at).rg * field.scale;
}

fn normal_from_gradient(gradient: vec2<f32>) -> vec3<f32> {
    let normal_in_field = vec3(-gradient.x, 1.0, -gradient.y);
    return normalize((field.world_from_field * vec4(normal_in_field, 0.0)).xyz);
}

fn surface(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> Surface {
    let extent = max(field.extent, vec2(1e-6));
    let uv = uv_from_anchor(from_anchor);
    let east = dpdx(from_anchor);
    let south = dpdy(from_anchor);
    let footprint = sqrt(length(east) * length(south));
    let speck = grain(from_anchor, footprint) * field.detail;
    let moved = uv + speck.zx * GRAIN_IN_PLACE / extent;

    // Upwards in metres of the field, which may be scaled in the world.
    let up = field.world_from_field[1].xyz;
    let height = dot(p_in_world - field.world_from_field[3].xyz, up) / dot(up, up);
    let rise = vec2(dpdx(height), dpdy(height));
    var slope = gradient(uv);
    let point = Point(
        vec3(from_anchor.x, height, from_anchor.y),
        vec3(east.x, rise.x, east.y),
        vec3(south.x, rise.y, south.y),
        normalize(vec3(-slope.x, 1.0, -slope.y)),
        sqrt(length(vec3(east, rise.x)) * length(vec3(south, rise.y))),
        distance(p_in_world, view.world_position),
    );
    let tiles = near(point, moved, speck.x);

    let left = mix(vec2(1.0), GRAIN_ON_TILES, tiles.close);
    slope += speck.yz * (GRAIN_IN_GRADIENT * left.y);
    let texel = textureSampleGrad(colours, colours_sampler, moved, east / extent, south / extent);
    let colour = texel.rgb * (1.0 + speck.x * GRAIN_IN_BRIGHTNESS * left.x) * tiles.ratio;
    let normal = bumped(vec3(-slope.x, 1.0, -slope.y), tiles.slope);
    return Surface(slope, normal, colour, min(texel.a * tiles.openness, 1.0), tiles.roughness, tiles.share);
}

// The world's normal of ground in the field's space, with a relief that rises along the field's axes.
// After M. Mikkelsen, "Surface Gradient-Based Bump Mapping Framework" (2020).
fn bumped(across_ground: vec3<f32>, rise: vec3<f32>) -> vec3<f32> {
    let normal = normalize(across_ground);
    let along_ground = rise - normal * dot(normal, rise);
    return normalize((field.world_from_field * vec4(normal - along_ground, 0.0)).xyz);
}
