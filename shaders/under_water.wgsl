// Daylight on ground below the sea, for an eye that is in it: dimmed and blue with depth, and gathered by the
// waves into caustics.
#define_import_path upland::under_water

#import bevy_pbr::mesh_view_bindings::{globals, view}
#import upland::{
    field::field,
    noise::value_in,
    place::{Counted, advanced, recounted},
}

// Metres between lattice points of the pattern; twin of `CAUSTICS_SIZE` in
// `src/plugin/material/extension.rs`.
const CAUSTICS_SIZE: f32 = 2.0;
// Metres per second at which its two halves drift.
const DRIFT_A: vec2<f32> = vec2(0.34, 0.17);
const DRIFT_B: vec2<f32> = vec2(-0.21, 0.29);
// Seconds in which both halves drift by whole lattice points, and by how many. Twin of `LOOP` in
// `src/plugin/material/earlier_time.rs`.
const LOOP: f32 = 3600.0;
const LOOP_A: vec2<i32> = vec2(612, 306);
const LOOP_B: vec2<i32> = vec2(-378, 522);
// Depth at which the waves' focus has gone, and distances between which the pattern is lost, metres.
const DEEPEST: f32 = 14.0;
const SEEN_FROM: f32 = 15.0;
const SEEN_TO: f32 = 70.0;

// The share of each colour of daylight that arrives at a point of the ground.
fn daylight_at(from_anchor: vec2<f32>, p_in_world: vec3<f32>) -> vec3<f32> {
    let depth = field.water_level - p_in_world.y;
    if field.dimming.z <= 0.0 || depth <= 0.0 {
        return vec3(1.0);
    }
    // Beer and Lambert's law.
    let left = exp(-field.dimming * depth);
#ifdef TERRAIN_DETAIL
    let seen = 1.0 - smoothstep(SEEN_FROM, SEEN_TO, distance(p_in_world, view.world_position));
    // Waves first have to travel some way to be focused, and lose their focus with depth.
    let focused = seen * smoothstep(0.0, 1.5, depth) * exp(-depth / DEEPEST);
    if focused <= 0.01 {
        return left;
    }
    let here = Counted(field.caustics_whole, field.caustics_rest);
    let place = advanced(here, from_anchor / CAUSTICS_SIZE);
    // Bevy's clock begins again at 0 every hour, or after another time that a game has set: the pattern would
    // jump by it alone.
    let seconds = field.past_seconds + globals.time;
    let a = advanced(place, DRIFT_A * seconds / CAUSTICS_SIZE);
    let a_whole = a.whole + field.past_loops * LOOP_A;
    // A ratio of 5 to 4 keeps the two patterns from falling into step.
    let b = advanced(recounted(place, vec2(5), vec2(4)), DRIFT_B * seconds / CAUSTICS_SIZE);
    let b_whole = b.whole + field.past_loops * LOOP_B;
    // Bright where two drifting patterns are alike: a net of lines.
    let unlike = abs(value_in(a_whole, a.rest).x - value_in(b_whole + vec2(17, 5), b.rest).x);
    let lines = pow(1.0 - min(2.4 * unlike, 1.0), 4.0);
    return left * (1.0 + focused * (2.4 * lines - 0.55));
#else
    return left;
#endif
}
