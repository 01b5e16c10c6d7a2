// Grain below the resolution of the textures, so that ground underfoot is not a smear: a few octaves
// of value noise that fade out before they would flicker. Shading only; no height changes.
#define_import_path upland::detail

#import upland::{
    field::field,
    place::{Counted, advanced, recounted},
}

// Each octave is finer by the lacunarity: a ratio of whole numbers, so that positions stay exact when they
// are counted in the next octave's cells, and not 2, so that lattice points of octaves seldom coincide.
const LACUNARITY: f32 = 2.7;
const LACUNARITY_TIMES: i32 = 27;
const LACUNARITY_OVER: i32 = 10;
const OCTAVES: u32 = 4u;

// Three numbers in [-1, 1] for a lattice point.
fn lattice(place: vec2<i32>) -> vec3<f32> {
    let p = vec2<u32>(place);
    var hash = (p.x * 0x9E3779B1u) ^ (p.y * 0x85EBCA77u);
    hash = (hash ^ (hash >> 15u)) * 0x2C1B3C6Du;
    hash = (hash ^ (hash >> 12u)) * 0x297A2D39u;
    hash = hash ^ (hash >> 15u);
    let tens = vec3(hash & 0x3ffu, (hash >> 10u) & 0x3ffu, hash >> 22u);
    // One hash gives three numbers of ten bits.
    return vec3<f32>(tens) / 511.5 - 1.0;
}

fn value_noise(p: Counted) -> vec3<f32> {
    let t = smoothstep(vec2(0.0), vec2(1.0), p.rest);
    let north = mix(lattice(p.whole), lattice(p.whole + vec2(1, 0)), t.x);
    let south = mix(lattice(p.whole + vec2(0, 1)), lattice(p.whole + vec2(1, 1)), t.x);
    return mix(north, south, t.y);
}

// Three independent grains about 0, seldom beyond [-1, 1], at a point in metres from the anchor;
// `footprint` is how many metres a pixel covers.
fn grain(from_anchor: vec2<f32>, footprint: f32) -> vec3<f32> {
    var sum = vec3(0.0);
    var size = field.grain_size;
    var place = advanced(Counted(field.grain_whole, field.grain_rest), from_anchor / size);
    for (var octave = 0u; octave < OCTAVES; octave++) {
        // Gone when a pixel covers half of what lies between two lattice points.
        let share = saturate(1.5 - 3.0 * footprint / size);
        if share <= 0.0 {
            break;
        }
        sum += value_noise(place) * share;
        size /= LACUNARITY;
        place = recounted(place, vec2<i32>(LACUNARITY_TIMES), vec2<i32>(LACUNARITY_OVER));
    }
    return sum * 0.4;
}
