// What a point of the ground looks like: its normal and its colour, both from full-resolution
// textures with mips, so that shading does not change with the level of detail.
#define_import_path upland::surface

#import upland::field::{field, gradients, gradients_sampler, colours, colours_sampler}

struct Surface {
    // Rise per metre east and south.
    gradient: vec2<f32>,
    // Unit normal in the world.
    normal: vec3<f32>,
    colour: vec3<f32>,
    // Share of the sky that is seen from here, 0 to 1.
    ambient_visibility: f32,
}

// The gradients' texels sit on the samples, so the first and the last lie half a texel outside.
fn gradient(uv: vec2<f32>) -> vec2<f32> {
    let samples = vec2<f32>(field.last + 1);
    let at = (uv * vec2<f32>(field.last) + 0.5) / samples;
    return textureSample(gradients, gradients_sampler, at).rg * field.scale;
}

fn normal_from_gradient(gradient: vec2<f32>) -> vec3<f32> {
    let normal_in_field = vec3(-gradient.x, 1.0, -gradient.y);
    return normalize((field.world_from_field * vec4(normal_in_field, 0.0)).xyz);
}

fn surface(uv: vec2<f32>) -> Surface {
    let slope = gradient(uv);
    let texel = textureSample(colours, colours_sampler, uv);
    return Surface(slope, normal_from_gradient(slope), texel.rgb, texel.a);
}
