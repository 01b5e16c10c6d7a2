// Grain below the resolution of the textures, so that ground underfoot is not a smear: a few octaves
// of value noise that fade out before they would flicker. Shading only; no height changes.
#define_import_path upland::detail

#import upland::field::field

// Lattice points of the coarsest octave are this many cells of the field apart, and at most so many
// metres; each octave is finer by the lacunarity.
const CELLS: f32 = 2.5;
const MAX_SIZE: f32 = 40.0;
const LACUNARITY: f32 = 2.7;
const OCTAVES: u32 = 4u;

// Three numbers in [-1, 1] for a lattice point.
fn lattice(place: vec2<i32>) -> vec3<f32> {
    let p = vec2<u32>(place);
    var hash = (p.x * 0x9E3779B1u) ^ (p.y * 0x85EBCA77u);
    hash = (hash ^ (hash >> 15u)) * 0x2C1B3C6Du;
    hash = (hash ^ (hash >> 12u)) * 0x297A2D39u;
    hash = hash ^ (hash >> 15u);
    let tens = vec3(hash & 0x3ffu, (hash >> 10u) & 0x3ffu, hash >> 22u);
    return vec3<f32>(tens) / 511.5 - 1.0;
}

fn value_noise(p: vec2<f32>) -> vec3<f32> {
    let place = vec2<i32>(floor(p));
    let t = smoothstep(vec2(0.0), vec2(1.0), fract(p));
    let north = mix(lattice(place), lattice(place + vec2(1, 0)), t.x);
    let south = mix(lattice(place + vec2(0, 1)), lattice(place + vec2(1, 1)), t.x);
    return mix(north, south, t.y);
}

// Three independent grains about 0, seldom beyond [-1, 1], at a point in metres; `footprint` is how many
// metres a pixel covers.
fn grain(p: vec2<f32>, footprint: f32) -> vec3<f32> {
    var sum = vec3(0.0);
    var size = min(field.cell * CELLS, MAX_SIZE);
    for (var octave = 0u; octave < OCTAVES; octave++) {
        // Gone when a pixel covers half of what lies between two lattice points.
        let share = saturate(1.5 - 3.0 * footprint / size);
        if share <= 0.0 {
            break;
        }
        sum += value_noise(p / size) * share;
        size /= LACUNARITY;
    }
    return sum * 0.4;
}
