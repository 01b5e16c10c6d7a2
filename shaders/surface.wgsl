// What a point of the ground looks like: its normal and its colour, both from full-resolution
// textures with mips, so that shading does not change with the level of detail.
#define_import_path upland::surface

#import upland::{
    detail::grain,
    field::{field, gradients, gradients_sampler, colours, colours_sampler},
}

// How much of the grain shows: in brightness, in rise per metre, and in metres by which the colours'
// borders are moved to and fro.
const GRAIN_IN_BRIGHTNESS: f32 = 0.35;
const GRAIN_IN_GRADIENT: f32 = 0.3;
const GRAIN_IN_PLACE: f32 = 6.0;

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
    let extent = max(field.extent, vec2(1e-6));
    let p = uv * extent;
    let east = dpdx(p);
    let south = dpdy(p);
    let speck = grain(p, sqrt(length(east) * length(south))) * field.detail;

    let slope = gradient(uv) + speck.yz * GRAIN_IN_GRADIENT;
    let moved = uv + speck.zx * GRAIN_IN_PLACE / extent;
    let texel = textureSampleGrad(colours, colours_sampler, moved, east / extent, south / extent);
    let colour = texel.rgb * (1.0 + speck.x * GRAIN_IN_BRIGHTNESS);
    return Surface(slope, normal_from_gradient(slope), colour, texel.a);
}
