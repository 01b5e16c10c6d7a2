// Woods far away, where trees are too small to be drawn: crowns painted on the ground, from a map of how much
// of it they hide.
#define_import_path upland::canopy

#import bevy_pbr::mesh_view_bindings::view
#import upland::{
    detail::lattice,
    field::{LATTICE, field, land_sampler, overlay},
    place::{Counted, advanced, recounted},
}

// Crowns stand one lattice point apart. The radius of a crown, in distances between crowns, and its height in the
// same.
const RADIUS: f32 = 0.78;
const RISE: f32 = 0.62;
// Groups of trees of one age: each size is that many times the one before, from crowns on. How far their tops rise
// above those of the next group, per metre, and how much they differ in brightness.
const GROUP: i32 = 3;
const GROUPS: u32 = 3u;
const GROUP_RISE: f32 = 0.15;
const GROUP_VARIES: f32 = 0.2;
// How far groups reach over the border of a wood, as a share of hidden ground.
const RAGGED: f32 = 0.7;
// Crowns shade each other: the brightness of gaps and of tops, as multiples of a crown's colour without light.
const GAP: f32 = 0.3;
const TOP: f32 = 1.05;
// How much crowns differ in brightness.
const CROWN_VARIES: f32 = 0.22;

struct Woods {
    // Share of the ground that is hidden.
    share: f32,
    // Linear.
    colour: vec3<f32>,
    // Rise per metre east and south of the crowns' surface.
    rise: vec2<f32>,
    // Share of the sky that is seen from there, as a multiple of that of the ground.
    openness: f32,
}

// The woods at a point, metres from the anchor; `by` is the way to the place whose woods grow there, and
// `footprint` how many metres a pixel covers.
fn woods(from_anchor: vec2<f32>, by: vec2<f32>, p_in_world: vec3<f32>, footprint: f32) -> Woods {
    let uv = (from_anchor + by - field.canopy_corner) * field.canopy_per_metre;
    // Before anything branches: the sampler needs derivatives.
    let texel = textureSample(overlay, land_sampler, uv);
    let away = distance(p_in_world, view.world_position) / field.world_scale;
    let inside = all(uv >= vec2(0.0)) && all(uv <= vec2(1.0));
    let near = smoothstep(field.canopy_from, field.canopy_until, away);
    if !inside || texel.a * near <= 0.004 {
        return Woods(0.0, vec3(0.0), vec2(0.0), 1.0);
    }
    let place = advanced(Counted(field.lattice_whole, field.lattice_rest), from_anchor / LATTICE);

    var hidden = texel.a;
    var brightness = 1.0;
    var rise = vec2(0.0);
    var group = place;
    var size = LATTICE;
    for (var i = 0u; i < GROUPS; i++) {
        group = recounted(group, vec2<i32>(1), vec2<i32>(GROUP));
        size *= f32(GROUP);
        let share = saturate(1.6 - 3.2 * footprint / size);
        let noise = value_and_slope(group);
        brightness += GROUP_VARIES * share * noise.x;
        rise += GROUP_RISE * share * noise.yz;
        // The border of a wood follows groups of trees; the map is coarser than they are.
        hidden += RAGGED * share * noise.x * texel.a * (1.0 - texel.a) * 2.0;
    }
    // Woods have edges, however few trees a hectare has.
    hidden = smoothstep(0.12, 0.75, hidden) * near;

    let single = saturate(1.6 - 2.4 * footprint / LATTICE);
    var relief = mix(GAP, TOP, 0.6);
    var openness = 0.8;
    if single > 0.0 {
        let crown = nearest_crown(place, hidden);
        let is_crown = smoothstep(0.0, 0.25, crown.top);
        hidden = mix(hidden, is_crown * smoothstep(0.0, 0.3, hidden), single);
        relief = mix(relief, mix(GAP, TOP, sqrt(crown.top)), single);
        brightness += CROWN_VARIES * crown.tint * single;
        rise += crown.slope * (RISE * single * is_crown);
        openness = mix(openness, mix(0.45, 1.0, crown.top), single);
    }
    // Square roots are stored, which spread the dark colours of leaves over more of the 8 bits.
    return Woods(hidden, texel.rgb * texel.rgb * (relief * brightness), rise, openness);
}

struct Crown {
    // Height as a share of a crown's, 0 where there is none.
    top: f32,
    slope: vec2<f32>,
    tint: f32,
}

// The crown at a place: each cell of a lattice has one somewhere near its middle, as far as trees stand there at
// all, and the highest of those around is seen.
fn nearest_crown(place: Counted, hidden: f32) -> Crown {
    var seen = Crown(0.0, vec2(0.0), 0.0);
    for (var south = -1; south <= 1; south++) {
        for (var east = -1; east <= 1; east++) {
            let chance = lattice(place.whole + vec2(east, south));
            let off = place.rest - vec2(f32(east), f32(south)) - 0.5 - 0.42 * chance.xy;
            let size = RADIUS * (0.85 + 0.25 * chance.x);
            let height = (1.0 - dot(off, off) / (size * size)) * (0.9 + 0.2 * chance.y);
            if chance.z * 0.5 + 0.5 <= hidden && height > seen.top {
                seen = Crown(height, -2.0 * off / (size * size), chance.y);
            }
        }
    }
    return seen;
}

// Noise from −1 to 1, and its slope in shares of that for each lattice point.
fn value_and_slope(p: Counted) -> vec3<f32> {
    let t = p.rest * p.rest * (3.0 - 2.0 * p.rest);
    let dt = 6.0 * p.rest * (1.0 - p.rest);
    let a = lattice(p.whole).x;
    let b = lattice(p.whole + vec2(1, 0)).x;
    let c = lattice(p.whole + vec2(0, 1)).x;
    let d = lattice(p.whole + vec2(1, 1)).x;
    let twist = a - b - c + d;
    return vec3(
        a + (b - a) * t.x + (c - a) * t.y + twist * t.x * t.y,
        dt * (vec2(b - a, c - a) + twist * t.yx),
    );
}
