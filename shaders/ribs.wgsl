// Ribs and gullies of steep ground that are finer than its heights, for its shading alone: waves across the slope
// that run down it, and fork and end where patches of them meet. The heights of land that has been eroded are
// smooth between their samples, and real slopes are not.
#define_import_path upland::ribs

#import upland::{
    detail::lattice,
    field::{LATTICE, cover, field, land_sampler, weights},
    land,
    place::{Counted, advanced, recounted},
}

const TAU: f32 = 6.2831853;
// The coarsest waves are that many lattice points long, and each octave a third of the one before.
const LONGEST: i32 = 18;
const SHORTER: i32 = 3;
const OCTAVES: u32 = 4u;
// Rise per metre of a wave on the steepest ground, and the rises of the ground between which waves grow.
const STEEPNESS: f32 = 0.5;
const FROM: f32 = 0.12;
const UNTIL: f32 = 0.6;
// How much brighter ribs are than gullies.
const BRIGHTNESS: f32 = 0.25;
// How far down the slope what grows on ribs comes from, as a share of their length: rock reaches down on ribs,
// and green up in gullies.
const REACH: f32 = 0.4;

struct Ribs {
    // Rise per metre east and south.
    rise: vec2<f32>,
    // A factor of the colour.
    brightness: f32,
    // Metres east and south to the place whose types lie here.
    to_types: vec2<f32>,
}

const NONE: Ribs = Ribs(vec2(0.0), 1.0, vec2(0.0));

// How strong the ribs of the types are that lie at a place, 0 to 1.
fn strength_at(at: land::Place) -> f32 {
    let own = land::corner(at.slot);
    let uv = (vec2<f32>(own.xy) + at.p_in_tile) / vec2<f32>(textureDimensions(weights).xy);
    var sum = 0.0;
    for (var layer = 0u; layer * 4u < cover.count.x; layer++) {
        let four = textureSampleLevel(weights, land_sampler, uv, u32(own.z) * cover.count.y + layer, 0.0);
        for (var part = 0u; part < 4u; part++) {
            // Types beyond the last have none.
            sum += four[part] * cover.types[min(layer * 4u + part, cover.count.x - 1u)].ribs;
        }
    }
    return min(sum, 1.0);
}

// The ribs at a point, metres from the anchor, of ground with this rise per metre. `footprint` is how many metres
// a pixel covers.
fn ribs(at: land::Place, from_anchor: vec2<f32>, rise: vec2<f32>, footprint: f32) -> Ribs {
    let steep = length(rise);
    if steep <= FROM || footprint >= LATTICE * f32(LONGEST) || cover.count.x == 0u {
        return NONE;
    }
    let amount = field.ribs * strength_at(at) * smoothstep(FROM, UNTIL, steep);
    if amount <= 0.01 {
        return NONE;
    }
    var place = advanced(Counted(field.lattice_whole, field.lattice_rest), from_anchor / LATTICE);
    place = recounted(place, vec2<i32>(1), vec2<i32>(LONGEST));
    var size = LATTICE * f32(LONGEST);
    var sum = vec2(0.0);
    var height = 0.0;
    var along = 0.0;
    for (var octave = 0u; octave < OCTAVES; octave++) {
        // Gone when a pixel covers half a wave.
        let share = saturate(1.5 - 3.0 * footprint / size);
        if share <= 0.0 {
            break;
        }
        // Finer ribs run down the sides of coarser ones.
        let down = normalize(rise + sum * STEEPNESS);
        let wave = waves(place, vec2(-down.y, down.x));
        sum += share * wave.xy;
        height += share * wave.z;
        along += share * wave.z * size;
        size /= f32(SHORTER);
        place = recounted(place, vec2<i32>(SHORTER), vec2<i32>(1));
    }
    let uphill = normalize(rise);
    return Ribs(sum * (STEEPNESS * amount), 1.0 + BRIGHTNESS * amount * height, uphill * (REACH * amount * along));
}

// Waves whose crests lie across `across`: the slope, from −1 to 1, and the height.
fn waves(p: Counted, across: vec2<f32>) -> vec3<f32> {
    let t = p.rest * p.rest * (3.0 - 2.0 * p.rest);
    var slope = 0.0;
    var height = 0.0;
    for (var corner = 0; corner < 4; corner++) {
        let step = vec2(corner & 1, corner >> 1u);
        let chance = lattice(p.whole + step);
        // Each lattice point has waves of its own length and phase.
        let phase = TAU * (dot(p.rest - vec2<f32>(step), across) * (1.0 + 0.3 * chance.y) + 0.5 * chance.x);
        let near = select(1.0 - t, t, step == vec2(1));
        let share = near.x * near.y;
        slope -= share * sin(phase);
        height += share * cos(phase);
    }
    return vec3(across * slope, height);
}
