// Reading heights. They are loaded texel by texel, never filtered by a sampler: the same on every
// device, and equal to the CPU's bit for bit.
#define_import_path upland::height

#import upland::field::{field, heights}

// The height in metres of a sample.
fn height_at(sample: vec2<i32>) -> f32 {
    return textureLoad(heights, sample, 0).r * field.scale + field.bias;
}

struct Position {
    // Metres from the centre of the field.
    p_in_field: vec3<f32>,
    // Metres east and south of the anchor.
    from_anchor: vec2<f32>,
}

// Where a sample is; the border's where it lies beyond.
fn position_at(sample: vec2<i32>) -> Position {
    let on_field = min(sample, field.last);
    let p = vec2<f32>(on_field) * field.cell - field.extent * 0.5;
    let from_anchor = vec2<f32>(on_field - field.anchor) * field.cell;
    return Position(vec3(p.x, height_at(on_field), p.y), from_anchor);
}

// Where on the field's textures a point in metres from the anchor is.
fn uv_from_anchor(from_anchor: vec2<f32>) -> vec2<f32> {
    let p_in_grid = vec2<f32>(field.anchor) + from_anchor / field.cell;
    return p_in_grid / max(vec2<f32>(field.last), vec2(1.0));
}
