// What a point of the ground looks like: its normal and its colour, both from tiles whose texels are about as
// large as a pixel, so that shading does not change with the level of detail of the mesh.
#define_import_path upland::surface

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    cover::{Point, near},
    detail::grain,
    field::{field, gradients, land_sampler, colours},
    land::{Place, corner, find, level_at},
}

// How much of the grain shows: in brightness, in rise per metre, and by how much of its size the colours'
// borders are moved to and fro.
const GRAIN_IN_BRIGHTNESS: f32 = 0.35;
const GRAIN_IN_GRADIENT: f32 = 0.3;
const GRAIN_IN_PLACE: f32 = 0.15;
// How much of it is left on ground that wears a tile of true size.
const GRAIN_ON_TILES: vec2<f32> = vec2(0.5, 0.3);

// Texels that the sampler takes along the longer way of a pixel; twin of `ANISOTROPY` in
// src/plugin/stream/pool.rs.
#ifdef TERRAIN_SIMPLE
const ANISOTROPY: f32 = 1.0;
#else
const ANISOTROPY: f32 = 4.0;
#endif

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

// What is resident where a point of the ground is, at the level that suits its pixel.
struct GroundPlace {
    place: Place,
    // Levels above the finest that its texels would like to be.
    lod: f32,
    // How many texels of that level there are from pixel to pixel, in shares of the textures.
    dx: vec2<f32>,
    dy: vec2<f32>,
}

fn ground_at(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> GroundPlace {
    let east = dpdx(from_anchor);
    let south = dpdy(from_anchor);
    let longer = max(length(east), length(south));
    let shorter = min(length(east), length(south));
    // Along the longer way the sampler takes several texels.
    let footprint = max(max(shorter, longer / ANISOTROPY), 1e-6);
    var lod = log2(footprint / field.cell);
    if field.flat_level < 0 {
        // Tiles end where the coarser ones' texels look as large as they may: there these have taken over.
        lod = max(lod, level_at(distance(p_in_world, view.world_position) / field.world_scale));
    }
    let place = find(from_anchor, lod);
    let cell = field.cell * f32(1 << u32(place.level));
    let texels = vec2<f32>(textureDimensions(colours).xy);
    return GroundPlace(place, lod, east / cell / texels, south / cell / texels);
}

// Rise per metre east and south. The gradients' texels lie on the samples.
fn gradient(at: GroundPlace) -> vec2<f32> {
    let texels = vec2<f32>(textureDimensions(gradients).xy);
    let own = corner(at.place.slot);
    let uv = (vec2<f32>(own.xy) + at.place.p_in_tile + 0.5) / texels;
    var rise = textureSampleGrad(gradients, land_sampler, uv, own.z, at.dx, at.dy).rg;
    if at.place.share < 1.0 {
        let parent = corner(at.place.parent_slot);
        let uv = (vec2<f32>(parent.xy) + at.place.p_in_parent + 0.5) / texels;
        let coarse = textureSampleGrad(gradients, land_sampler, uv, parent.z, 0.5 * at.dx, 0.5 * at.dy).rg;
        rise = mix(coarse, rise, at.place.share);
    }
    return rise * field.scale;
}

// The colour, and the share of the sky that is seen. The colours' texels lie on the cells.
fn colour(at: GroundPlace) -> vec4<f32> {
    let texels = vec2<f32>(textureDimensions(colours).xy);
    let own = corner(at.place.slot);
    let uv = (vec2<f32>(own.xy) + at.place.p_in_tile) / texels;
    let texel = textureSampleGrad(colours, land_sampler, uv, own.z, at.dx, at.dy);
    if at.place.share >= 1.0 {
        return texel;
    }
    let parent = corner(at.place.parent_slot);
    let parent_uv = (vec2<f32>(parent.xy) + at.place.p_in_parent) / texels;
    let coarse = textureSampleGrad(colours, land_sampler, parent_uv, parent.z, 0.5 * at.dx, 0.5 * at.dy);
    return mix(coarse, texel, at.place.share);
}

fn normal_from_gradient(gradient: vec2<f32>) -> vec3<f32> {
    let normal = vec3(-gradient.x, 1.0, -gradient.y);
    return normalize((field.world_from_anchor * vec4(normal, 0.0)).xyz);
}

// Without detail only what is baked: what is left out here costs software devices time even where it is not seen.
#ifdef TERRAIN_DETAIL
fn surface(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> Surface {
    let east = dpdx(from_anchor);
    let south = dpdy(from_anchor);
    let footprint = sqrt(length(east) * length(south));
    let speck = grain(from_anchor, footprint) * field.detail;
    let at = ground_at(from_anchor, p_in_world);
    var moved = at;
    if any(speck.zx != vec2(0.0)) {
        moved.place = find(from_anchor + speck.zx * (GRAIN_IN_PLACE * field.grain_size), at.lod);
    }

    // Upwards in metres of the field, which may be scaled in the world.
    let up = field.world_from_anchor[1].xyz;
    let height = dot(p_in_world - field.world_from_anchor[3].xyz, up) / dot(up, up);
    let rise = vec2(dpdx(height), dpdy(height));
    var slope = gradient(at);
    let point = Point(
        vec3(from_anchor.x, height, from_anchor.y),
        vec3(east.x, rise.x, east.y),
        vec3(south.x, rise.y, south.y),
        normalize(vec3(-slope.x, 1.0, -slope.y)),
        sqrt(length(vec3(east, rise.x)) * length(vec3(south, rise.y))),
        distance(p_in_world, view.world_position),
    );
    let tiles = near(point, moved.place, speck.x);

    let left = mix(vec2(1.0), GRAIN_ON_TILES, tiles.close);
    slope += speck.yz * (GRAIN_IN_GRADIENT * left.y);
    let texel = colour(moved);
    let painted = texel.rgb * (1.0 + speck.x * GRAIN_IN_BRIGHTNESS * left.x) * tiles.ratio;
    let normal = bumped(vec3(-slope.x, 1.0, -slope.y), tiles.slope);
    return Surface(slope, normal, painted, min(texel.a * tiles.openness, 1.0), tiles.roughness, tiles.share);
}
#else
fn surface(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> Surface {
    let at = ground_at(from_anchor, p_in_world);
    let slope = gradient(at);
    let texel = colour(at);
    return Surface(slope, normal_from_gradient(slope), texel.rgb, texel.a, 0.0, 0.0);
}
#endif

// The world's normal of ground in the land's space, with a relief that rises along the land's axes.
// After M. Mikkelsen, "Surface Gradient-Based Bump Mapping Framework" (2020).
fn bumped(across_ground: vec3<f32>, rise: vec3<f32>) -> vec3<f32> {
    let normal = normalize(across_ground);
    let along_ground = rise - normal * dot(normal, rise);
    return normalize((field.world_from_anchor * vec4(normal - along_ground, 0.0)).xyz);
}
