// Positions split into whole units and the rest. A float alone holds 24 bits: counted in metres from the
// corner of a land 2,000 km wide it moves in steps of 12 cm, and every tile on the ground with it. Twin of
// `src/plugin/material/place.rs`, whose tests have the functions under the same names.
#define_import_path upland::place

// Twin of `Counted` in `src/plugin/water/waves.rs`, as it lies in uniforms.
struct Counted {
    whole: vec2<i32>,
    // From 0 to 1.
    rest: vec2<f32>,
}

// Moved by a number of units.
fn advanced(place: Counted, by: vec2<f32>) -> Counted {
    let rest = place.rest + by;
    let whole = floor(rest);
    return Counted(place.whole + vec2<i32>(whole), rest - whole);
}

// Counted in units of which `times` are `over` of those before.
fn recounted(place: Counted, times: vec2<i32>, over: vec2<i32>) -> Counted {
    let all = place.whole * times;
    // Rounded down, also below zero.
    // WGSL's division rounds towards 0, which would shift everything west and north of the corner by a unit.
    let whole = all / over - select(vec2<i32>(0, 0), vec2<i32>(1, 1), all % over < vec2<i32>(0, 0));
    // The remainder of whole numbers is exact; only it and the fraction become floats.
    let left = vec2<f32>(all - whole * over) + place.rest * vec2<f32>(times);
    return advanced(Counted(whole, vec2<f32>(0.0, 0.0)), left / vec2<f32>(over));
}
