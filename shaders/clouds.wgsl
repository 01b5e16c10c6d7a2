// Low clouds: heaps with flat bases, up to an overcast. One pattern in the plane says how much cloud stands
// over a place; the sky draws it, and the sun's light on the ground falls through it.
//
// amount   of cloud over a place: 0 at its edge, below 0 in clear air, some 0.2 in the middle of a large one
// finest   length in metres, below which the pattern is left out
#define_import_path upland::clouds

#import bevy_pbr::mesh_view_bindings::globals
#import upland::{noise, place::{Counted, advanced}}

// Twin of `CloudsUniform` in `src/plugin/material/clouds.rs`.
struct Clouds {
    // Where the world's origin lies in the pattern when `globals.time` is 0, counted in `SIZE`.
    whole: vec2<i32>,
    rest: vec2<f32>,
    // How far the pattern goes east and south in a second, in `SIZE`.
    drift: vec2<f32>,
    // Share of the sky under clouds, 0 for none.
    cover: f32,
    // Height of their base, metres of the world.
    base: f32,
}

// Metres between lattice points of the coarsest octave. Twin of `SIZE` in `src/plugin/sky/clouds.rs`.
const SIZE: f32 = 2600.0;
// How many octaves there are, and from which on they also change with the height.
const OCTAVES: i32 = 7;
const SOLID_FROM: i32 = 2;
// How strong each octave is compared to the one before, and all of them together.
const GAIN: f32 = 0.6;
const TOTAL: f32 = 2.43;
// The finest part of the pattern that a shadow has, metres.
const FINEST_SHADOW: f32 = 90.0;
// Share of the sun's light that comes through the thickest cloud, and how fast it falls with the amount.
const LEAST_LIGHT: f32 = 0.16;
const DARKENING: f32 = 26.0;
// Metres over the base within which ground that stands there comes out of the clouds' shade.
const OUT_OF_SHADE: f32 = 200.0;

// The value of the pattern from which on there is cloud, so that clouds cover a share of the sky. Twin of
// `threshold` in `src/plugin/sky/clouds.rs`.
fn threshold(cover: f32) -> f32 {
    // Fitted to the distribution of the pattern's values, which is nearly that of a bell.
    let x = cover - 0.5;
    return 0.5 - x * (0.335 + 22.0 * x * x * x * x * x * x);
}

// How much cloud there is at a place of the world, east and south, and so many metres above the base.
fn amount_at(clouds: Clouds, p_in_world: vec2<f32>, height: f32, finest: f32) -> f32 {
    let way = p_in_world / SIZE - clouds.drift * globals.time;
    var place = advanced(Counted(clouds.whole, clouds.rest), way);
    var size = SIZE;
    var strength = 1.0 / TOTAL;
    // What is still to come cannot raise the value by more than half of its strength.
    var to_come = 1.0;
    var amount = 0.5 - threshold(clouds.cover);
    for (var i = 0; i < OCTAVES; i += 1) {
        let seen = 1.0 - smoothstep(0.5, 1.3, finest / size);
        if seen <= 0.0 || amount + 0.5 * to_come < 0.0 {
            break;
        }
        var value = 0.0;
        if i < SOLID_FROM {
            value = noise::value_in(place.whole, place.rest).x;
        } else {
            value = noise::solid_in(place.whole, place.rest, height / size);
        }
        amount += strength * seen * (value - 0.5);
        to_come -= strength;
        strength *= GAIN;
        size *= 0.5;
        place = turned(place);
    }
    return amount;
}

// A place in the next octave: turned by 37 degrees and counted in half the size.
fn turned(place: Counted) -> Counted {
    let all = vec2(8 * place.whole.x - 6 * place.whole.y, 6 * place.whole.x + 8 * place.whole.y);
    // Rounded down, also below zero. The remainder of whole numbers is exact, so the pattern is as sharp far
    // from where it began.
    let whole = all / 5 - select(vec2(0), vec2(1), all % 5 < vec2(0));
    let left = vec2<f32>(all - whole * 5) / 5.0;
    let rest = mat2x2(1.6, 1.2, -1.2, 1.6) * place.rest;
    // The offset keeps octaves apart at the origin, which the turn leaves where it is.
    return advanced(Counted(whole + vec2(17, 41), vec2(0.3, 0.7)), left + rest);
}

// The share of the sun's light that comes through the clouds to a point of the world.
fn cloud_shadow(clouds: Clouds, p_in_world: vec3<f32>, to_sun: vec3<f32>) -> f32 {
    let up = clouds.base - p_in_world.y;
    if clouds.cover <= 0.0 || up <= -OUT_OF_SHADE {
        return 1.0;
    }
    // A sun at the horizon would shine through clouds infinitely far away.
    let crossed = p_in_world.xz + to_sun.xz * (max(up, 0.0) / max(to_sun.y, 0.05));
    let amount = amount_at(clouds, crossed, 0.0, FINEST_SHADOW);
    let lit = mix(LEAST_LIGHT, 1.0, exp(-DARKENING * max(amount, 0.0)));
    return mix(1.0, lit, smoothstep(-OUT_OF_SHADE, 0.0, up));
}
