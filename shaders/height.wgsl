// Reading heights. They are loaded texel by texel, never filtered by a sampler: the same on every
// device, and equal to the CPU's bit for bit.
#define_import_path upland::height

#import upland::field::{field, heights}

// The height in metres of a sample.
fn height_at(sample: vec2<i32>) -> f32 {
    return textureLoad(heights, sample, 0).r * field.scale + field.bias;
}

// A sample's place in metres from the centre of the field; the border's where it lies beyond.
fn position_at(sample: vec2<i32>) -> vec3<f32> {
    let on_field = min(sample, field.last);
    let p = vec2<f32>(on_field) * field.cell - field.extent * 0.5;
    return vec3(p.x, height_at(on_field), p.y);
}

// Where on the field's textures a point in metres from its centre is.
fn uv_from_field(p_in_field: vec3<f32>) -> vec2<f32> {
    return p_in_field.xz / max(field.extent, vec2(1e-6)) + 0.5;
}
