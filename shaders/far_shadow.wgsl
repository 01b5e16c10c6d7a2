// Shadows beyond the reach of the shadow maps: how much of a sun is seen past the heights of the land's
// tiles.
#define_import_path upland::far_shadow

#import bevy_pbr::{
    mesh_view_bindings::{lights, view},
    shadows::fetch_directional_shadow,
}
#import upland::{
    field::field,
    land::{drawn_height, level_at, on_land},
}

// Tangent of half the angle under which the sun is seen, 0.27°.
const SUN_RADIUS: f32 = 0.0047;
// From this share of the shadow maps' reach on, marched shadows take over.
const TAKE_OVER: f32 = 0.8;
// How far a march goes at most, metres of the land, and the least rise of a ray that it counts with.
const FARTHEST: f32 = 120000.0;
const LEAST_RISE: f32 = 0.004;
// Cells of the heights that a step crosses.
const CELLS_IN_STEP: f32 = 3.0;
// The height where there is no land.
const NO_LAND: f32 = -1e30;

// How much of the marched shadow counts at a distance along the view, from 0 to 1.
fn marched_share(light: u32, view_z: f32) -> f32 {
    let sun = &lights.directional_lights[light];
    let reach = (*sun).cascades[(*sun).num_cascades - 1u].far_bound;
    // The two shadows fade into each other before the maps end, since Bevy leaves the last cascade's border
    // hard.
    return smoothstep(TAKE_OVER * reach, reach, -view_z);
}

// How much of a sun's light arrives at a point of the ground: what the shadow maps say (`mapped`), and where
// they end the land's heights.
fn lit(light: u32, world_position: vec4<f32>, view_z: f32, from_anchor: vec2<f32>, mapped: f32) -> f32 {
    let share = marched_share(light, view_z);
    if share == 0.0 {
        return mapped;
    }
    return mix(mapped, seen_from_ground(light, world_position.xyz, from_anchor), share);
}

// The light according to the shadow maps, where they reach.
fn mapped_shadow(
    light: u32,
    world_position: vec4<f32>,
    normal: vec3<f32>,
    view_z: f32,
    frag_coord: vec2<f32>,
) -> f32 {
    // Also saves the look-up where the maps do not count any more.
    if marched_share(light, view_z) >= 1.0 {
        return 1.0;
    }
    return fetch_directional_shadow(light, world_position, normal, view_z, frag_coord);
}

// The share of a sun's disc, 0 to 1, that is seen from a point of the ground past all higher land.
fn seen_from_ground(light: u32, p_in_world: vec3<f32>, from_anchor: vec2<f32>) -> f32 {
#ifdef TERRAIN_FAR_SHADOWS
    // The march starts from the ground of the level, not from the mesh's, which would stand above it or
    // below.
    return seen_from(light, p_in_world, from_anchor, height_at(from_anchor, level_of_place(p_in_world)));
#else
    return 1.0;
#endif
}

// The level whose texels are about as large as a pixel.
fn level_of_place(p_in_world: vec3<f32>) -> f32 {
    if field.flat_level >= 0 {
        return f32(field.flat_level);
    }
    return max(level_at(distance(p_in_world, view.world_position) / field.world_scale), 0.0);
}

// As `seen_from_ground`, from a height (`own`) at that place: metres, as the ground's are drawn.
fn seen_from(light: u32, p_in_world: vec3<f32>, from_anchor: vec2<f32>, own: f32) -> f32 {
#ifdef TERRAIN_FAR_SHADOWS
    let to_sun = land_from_world(lights.directional_lights[light].direction_to_light);
    let level_length = length(to_sun.xz);
    // A sun overhead casts no shadow that reaches beyond the maps.
    if level_length < 1e-3 {
        return 1.0;
    }
    // Heights along the ray are compared as tangents: height over distance along the ground, without any
    // angle.
    let ahead = to_sun.xz / level_length;
    let rise = to_sun.y / level_length;
    // The sun's radius as a difference of tangents: d(tan a) = (1 + tan² a) da.
    let radius = SUN_RADIUS * (1.0 + rise * rise);

    if own == NO_LAND || own >= field.highest {
        return 1.0;
    }
    // Beyond this the ray is above all ground. A ray to a sun at the horizon would never end, so its rise has
    // a lower bound here.
    let reach = min((field.highest - own) / max(rise, LEAST_RISE), FARTHEST);
    let lod = level_of_place(p_in_world);
    let cell = field.cell * exp2(lod);

    // Steps grow with the distance: what is near has to be known better.
    // Each round looks at two places, so two fifths of all looks refine the crest that the others find.
    let rounds = max(field.far_steps / 5u, 1u);
    let steps = max(field.far_steps, 2u * rounds + 2u) - 2u * rounds;
    var horizon = NO_LAND;
    var highest_at = 0.0;
    var before = 0.0;
    var width = 0.0;
    for (var i = 1u; i <= steps; i++) {
        let share = f32(i) / f32(steps);
        // Squared for steps that grow; the second term makes the first steps at least a cell long, so that
        // the ground does not shade itself.
        let along = reach * share * share + cell * f32(i);
        let p = from_anchor + ahead * along;
        if is_beyond(p) {
            break;
        }
        // Long steps read coarser tiles, whose samples stand for the ground between two steps: single summits
        // would be missed or hit by chance.
        let tangent = (height_at(p, level_of_step(along - before, lod)) - own) / along;
        // The whole disc is hidden, and nothing farther away can show it again.
        if tangent >= rise + radius {
            return 0.0;
        }
        if tangent > horizon {
            horizon = tangent;
            highest_at = along;
            width = along - before;
        }
        before = along;
    }
    // The crest may lie between two steps.
    // A search that halves its width around the highest tangent so far.
    for (var i = 0u; i < rounds; i++) {
        width *= 0.5;
        let middle = highest_at;
        for (var side = -1.0; side <= 1.0; side += 2.0) {
            let along = middle + side * width;
            let p = from_anchor + ahead * along;
            if !is_beyond(p) {
                let tangent = (height_at(p, level_of_step(width, lod)) - own) / along;
                if tangent > horizon {
                    horizon = tangent;
                    highest_at = along;
                }
            }
        }
        if horizon >= rise + radius {
            return 0.0;
        }
    }
    // The share of the disc above the horizon: a soft edge as wide as the sun makes it.
    return 1.0 - smoothstep(rise - radius, rise + radius, horizon);
#else
    // A software device would run through the loops even if none of its pixels needed them.
    return 1.0;
#endif
}

// The level of heights for steps of a length in metres, but not finer than `lod`.
fn level_of_step(step: f32, lod: f32) -> f32 {
    return max(lod, log2(step / (CELLS_IN_STEP * field.cell)));
}

// A direction of the world in the land's space, whose axes may be turned and scaled there.
fn land_from_world(direction: vec3<f32>) -> vec3<f32> {
    let axes = field.world_from_anchor;
    let east = axes[0].xyz;
    let up = axes[1].xyz;
    let south = axes[2].xyz;
    // The inverse of a matrix whose axes are at right angles: components along each, divided by its squared
    // length.
    return vec3(
        dot(direction, east) / dot(east, east),
        dot(direction, up) / dot(up, up),
        dot(direction, south) / dot(south, south),
    );
}

// Whether a place lies beyond the border of bounded land.
fn is_beyond(from_anchor: vec2<f32>) -> bool {
    return any(from_anchor != on_land(from_anchor));
}

// The ground's height at a place, metres as it is drawn, of about the level `lod`.
fn height_at(from_anchor: vec2<f32>, lod: f32) -> f32 {
    let drawn = drawn_height(from_anchor, lod);
    return select(NO_LAND, drawn.height, drawn.is_known);
}
