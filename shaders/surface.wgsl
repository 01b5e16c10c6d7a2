// The look of a point of the ground: its normal and its colour, both from tiles whose texels are about as
// large as a pixel, so that shading does not change with the level of detail of the mesh.
#define_import_path upland::surface

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    cover::{Point, near},
    detail::grain,
    field::{field, gradients, land_sampler, colours},
    land::{Place, corner, find, level_at},
}
#ifdef TERRAIN_HOLES
#import upland::land::is_hole
#endif
#ifdef TERRAIN_CANOPY
#import upland::canopy::woods
#endif
#ifdef TERRAIN_RIBS
#import upland::ribs::ribs
#endif

// How much of the grain shows: in brightness, in rise per metre, and by how much of its size the colours'
// borders are moved to and fro.
const GRAIN_IN_BRIGHTNESS: f32 = 0.35;
const GRAIN_IN_GRADIENT: f32 = 0.3;
const GRAIN_IN_PLACE: f32 = 0.15;
// How much of it is left on ground that has a tile of true size.
const GRAIN_ON_TILES: vec2<f32> = vec2(0.5, 0.3);

// Texels that the sampler takes along the longer way of a pixel; twin of `land_sampler` in
// `src/plugin/device/images.rs`.
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

// The resident tile under a point of the ground, at the level that suits its pixel.
struct GroundPlace {
    place: Place,
    // Levels above the finest that its texels would like to be.
    lod: f32,
    // The gradients for the sampler: from one pixel to the next, in shares of the textures.
    dx: vec2<f32>,
    dy: vec2<f32>,
}

// Levels above the finest whose texels suit a pixel that spans these ways on the ground.
fn lod_of(east: vec2<f32>, south: vec2<f32>, p_in_world: vec3<f32>) -> f32 {
    let longer = max(length(east), length(south));
    let shorter = min(length(east), length(south));
    // Along the longer way the sampler averages several texels, so they may be finer by that factor without
    // flickering.
    let footprint = max(max(shorter, longer / ANISOTROPY), 1e-6);
    let lod = log2(footprint / field.cell);
    if field.flat_level < 0 {
        // Tiles end where the coarser ones' texels look as large as they may: there these have taken over.
        return max(lod, level_at(distance(p_in_world, view.world_position) / field.world_scale));
    }
    return lod;
}

#ifdef TERRAIN_HOLES
// Whether a pixel lies in a hole, where nothing is drawn. Ask it where all four pixels of a quad take the same
// way, because it needs derivatives, and discard the pixel after the last other derivative.
fn is_in_hole(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> bool {
    return is_hole(from_anchor, lod_of(dpdx(from_anchor), dpdy(from_anchor), p_in_world));
}
#endif

fn ground_at(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> GroundPlace {
    let east = dpdx(from_anchor);
    let south = dpdy(from_anchor);
    let lod = lod_of(east, south, p_in_world);
    let place = find(from_anchor, lod);
    let cell = field.cell * f32(1 << u32(place.level));
    let texels = vec2<f32>(textureDimensions(colours).xy);
    // Gradients for the sampler. Implicit ones would be wrong where pixels of a quad read different tiles,
    // which lie anywhere in the texture.
    return GroundPlace(place, lod, east / cell / texels, south / cell / texels);
}

// The gradients' textures at a place. Their texels lie on the samples.
fn slope_texel(at: GroundPlace) -> vec3<f32> {
    let texels = vec2<f32>(textureDimensions(gradients).xy);
    let own = corner(at.place.slot);
    // Samples lie on the centres of texels, which are half a texel from their corners.
    let uv = (vec2<f32>(own.xy) + at.place.p_in_tile + 0.5) / texels;
    let texel = textureSampleGrad(gradients, land_sampler, uv, own.z, at.dx, at.dy).rgb;
    if at.place.share >= 1.0 {
        return texel;
    }
    let parent = corner(at.place.parent_slot);
    let parent_uv = (vec2<f32>(parent.xy) + at.place.p_in_parent + 0.5) / texels;
    // The parent's texels are twice as large, so the same pixel spans half as many of them.
    let coarse = textureSampleGrad(gradients, land_sampler, parent_uv, parent.z, 0.5 * at.dx, 0.5 * at.dy).rgb;
    return mix(coarse, texel, at.place.share);
}

// The ground's normal in the land's space, of any length: 1 up, and against the rise per metre east and
// south. Where it is shifted it may point down.
fn upright(at: GroundPlace) -> vec3<f32> {
#ifdef TERRAIN_SHIFTED
    let normal = slope_texel(at);
    // A normal is scaled by the inverse: (x, y / s, z), which has the direction of (s · x, y, s · z).
    return vec3(normal.x * field.scale, normal.y, normal.z * field.scale);
#else
    let rise = slope_texel(at).xy * field.scale;
    return vec3(-rise.x, 1.0, -rise.y);
#endif
}

// Rise per metre east and south of ground with a normal; steep as can be where it is upright or overhangs.
fn gradient_of(normal: vec3<f32>) -> vec2<f32> {
    // The lower bound keeps the normal upwards: the gradient of an overhang would otherwise point the other
    // way.
    return -normal.xz / max(normal.y, 1e-3 * length(normal.xz) + 1e-6);
}

// The colour, and the share of the sky that is seen. The colours' texels lie on the cells.
fn colour(at: GroundPlace) -> vec4<f32> {
    let texels = vec2<f32>(textureDimensions(colours).xy);
    let own = corner(at.place.slot);
    // Texels of colours lie between four samples, so that no half is added.
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

// A normal of the land's space as a unit normal of the world's.
fn in_world(normal: vec3<f32>) -> vec3<f32> {
    return normalize((field.world_from_anchor * vec4(normal, 0.0)).xyz);
}

// Where a point of the ground at a place stands, metres from the anchor east and south: shifted ground does
// not stand on its place.
fn place_from_anchor(place: vec2<f32>, p_in_world: vec3<f32>) -> vec2<f32> {
#ifdef TERRAIN_SHIFTED
    // The anchor's axes are at right angles but may be scaled: a component along one is divided by its length
    // twice.
    let axes = field.world_from_anchor;
    let p = p_in_world - axes[3].xyz;
    let along = vec2(dot(p, axes[0].xyz), dot(p, axes[2].xyz));
    return along / vec2(dot(axes[0].xyz, axes[0].xyz), dot(axes[2].xyz, axes[2].xyz));
#else
    return place;
#endif
}

// Without detail only what is baked: what is left out here costs software devices time even where it is not
// seen.
#ifdef TERRAIN_DETAIL
fn surface(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> Surface {
    // Derivatives come first, before anything branches.
    let east = dpdx(from_anchor);
    let south = dpdy(from_anchor);
    // About the side of a square as large as the pixel on the ground.
    let footprint = sqrt(length(east) * length(south));
    let speck = grain(from_anchor, footprint) * field.detail;
    let at = ground_at(from_anchor, p_in_world);
    // The borders of colours are moved by noise, so that the baked texels' own squares do not show near the
    // eye, and along ribs.
    var by = speck.zx * (GRAIN_IN_PLACE * field.grain_size);
#ifdef TERRAIN_RIBS
    let fine = ribs(at.place, from_anchor, gradient_of(upright(at)), footprint);
    by += fine.to_types;
#endif
    var moved = at;
    if any(by != vec2(0.0)) {
        // Only the place is looked up again; derivatives of the noise would be large and choose coarse tiles.
        moved.place = find(from_anchor + by, at.lod);
    }

    // Upwards in metres of the field, which may be scaled in the world.
    let up = field.world_from_anchor[1].xyz;
    let height = dot(p_in_world - field.world_from_anchor[3].xyz, up) / dot(up, up);
    let stands = place_from_anchor(from_anchor, p_in_world);
    let p = vec3(stands.x, height, stands.y);
    let dx = dpdx(p);
    let dy = dpdy(p);
    let across = upright(at);
    let point = Point(
        p,
        dx,
        dy,
        normalize(across),
        sqrt(length(dx) * length(dy)),
        distance(p_in_world, view.world_position),
    );
    var baked = colour(moved);
    var ground = across;
#ifdef TERRAIN_RIBS
    ground -= vec3(fine.rise.x, 0.0, fine.rise.y) * abs(across.y);
    baked = vec4(baked.rgb * fine.brightness, baked.a);
#endif
    let bare = worn(point, moved.place, speck, ground, baked);
#ifdef TERRAIN_CANOPY
    return wooded(bare, across, stands, by, p_in_world, crown_footprint(east, south));
#else
    return bare;
#endif
}

// Ground with the tiles that lie at a point, and its grain `speck`, laid on what is `baked`: the colour, and
// the share of the sky that is seen. `bare` is its normal in the land's space, of any length. Planets
// use it too.
fn worn(point: Point, at: Place, speck: vec3<f32>, bare: vec3<f32>, baked: vec4<f32>) -> Surface {
    let tiles = near(point, at, speck.x);
    // Tiles have a relief of their own; all of the grain on top would be too rough.
    let left = mix(vec2(1.0), GRAIN_ON_TILES, tiles.close);
    let rough = speck.yz * (GRAIN_IN_GRADIENT * left.y) * abs(bare.y);
    let across = bare - vec3(rough.x, 0.0, rough.y);
    // The grain and the tiles are factors whose mean is 1, so the baked colour stays the average and fits to
    // what is drawn far away.
    let painted = baked.rgb * (1.0 + speck.x * GRAIN_IN_BRIGHTNESS * left.x) * tiles.ratio;
    let normal = bumped(across, tiles.slope);
    let sky = min(baked.a * tiles.openness, 1.0);
    return Surface(gradient_of(across), normal, painted, sky, tiles.roughness, tiles.share);
}
#else
fn surface(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> Surface {
    let at = ground_at(from_anchor, p_in_world);
    let across = upright(at);
    let texel = colour(at);
    let bare = Surface(gradient_of(across), in_world(across), texel.rgb, texel.a, 0.0, 0.0);
#ifdef TERRAIN_CANOPY
    let footprint = crown_footprint(dpdx(from_anchor), dpdy(from_anchor));
    return wooded(bare, across, from_anchor, vec2(0.0), p_in_world, footprint);
#else
    return bare;
#endif
}
#endif

#ifdef TERRAIN_CANOPY
// Metres that a pixel covers on woods: of trees that stand upright a grazing eye sees more than of flat ground.
fn crown_footprint(east: vec2<f32>, south: vec2<f32>) -> f32 {
    let longer = max(length(east), length(south));
    let shorter = min(length(east), length(south));
    return pow(shorter, 0.65) * pow(longer, 0.35);
}

// Ground under the woods that are painted on it far away. `across` is its normal in the land's space, of any
// length, and `by` the way to the place whose woods grow here.
fn wooded(
    bare: Surface,
    across: vec3<f32>,
    from_anchor: vec2<f32>,
    by: vec2<f32>,
    p_in_world: vec3<f32>,
    footprint: f32,
) -> Surface {
    let crowns = woods(from_anchor, by, p_in_world, footprint);
    if crowns.share <= 0.0 {
        return bare;
    }
    var ground = bare;
    ground.colour = mix(bare.colour, crowns.colour, crowns.share);
    let above = bumped(across, vec3(crowns.rise.x, 0.0, crowns.rise.y));
    ground.normal = normalize(mix(bare.normal, above, crowns.share));
    ground.ambient_visibility = bare.ambient_visibility * mix(1.0, crowns.openness, crowns.share);
    ground.roughness_share = mix(bare.roughness_share, 1.0, crowns.share);
    ground.roughness = mix(bare.roughness, 1.0, crowns.share);
    return ground;
}
#endif

// The world's normal of ground in the land's space, with a relief that rises along the land's axes.
// After M. Mikkelsen, "Surface Gradient-Based Bump Mapping Framework" (2020).
fn bumped(across_ground: vec3<f32>, rise: vec3<f32>) -> vec3<f32> {
    // The normal minus the surface gradient, which is the part of the rise that lies along the surface.
    let normal = normalize(across_ground);
    let along_ground = rise - normal * dot(normal, rise);
    return normalize((field.world_from_anchor * vec4(normal - along_ground, 0.0)).xyz);
}
