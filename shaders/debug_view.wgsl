// The ground in debug colours. The numbers of the views are those of `DebugView` in
// src/plugin/material/view.rs.
#define_import_path upland::debug_view

#import upland::field::field
#import upland::surface::Surface

const SLOPE: u32 = 1u;
const CONTOURS: u32 = 2u;
const NORMALS: u32 = 3u;
const LEVELS: u32 = 4u;
const POSITION: u32 = 5u;

fn debug_colour(ground: Surface, world_position: vec3<f32>, height: f32, level: u32) -> vec3<f32> {
    // Taken here, where all fragments pass, as derivatives must be.
    let heights_per_pixel = fwidth(height / field.contour_step);
    let relief = 0.35 + 0.65 * saturate(dot(ground.normal, normalize(vec3(-0.5, 0.7, -0.4))));
    switch field.debug_view {
        case SLOPE: { return slope_colour(degrees(atan(length(ground.gradient)))); }
        case CONTOURS: { return vec3(0.75 * relief) * (1.0 - contour(height, heights_per_pixel)); }
        case NORMALS: { return ground.normal * 0.5 + 0.5; }
        case LEVELS: { return level_colour(level) * relief; }
        default: { return world_position; }
    }
}

// Green where one can walk, yellow at 30 degrees, red from 60 on.
fn slope_colour(degrees: f32) -> vec3<f32> {
    let gentle = mix(vec3(0.03, 0.25, 0.05), vec3(0.8, 0.6, 0.05), saturate(degrees / 30.0));
    return mix(gentle, vec3(0.6, 0.02, 0.02), saturate((degrees - 30.0) / 30.0));
}

// 1 on a contour line one pixel and a half wide, 0 between.
fn contour(height: f32, heights_per_pixel: f32) -> f32 {
    if heights_per_pixel < 1e-5 {
        // Level ground would be one broad line.
        return 0.0;
    }
    let to_line = abs(fract(height / field.contour_step + 0.5) - 0.5);
    return 1.0 - saturate(to_line / heights_per_pixel - 0.25);
}

// Neighbouring levels get hues far apart.
fn level_colour(level: u32) -> vec3<f32> {
    let hue = fract(f32(level) * 0.381966) * 6.0;
    let rgb = vec3(abs(hue - 3.0) - 1.0, 2.0 - abs(hue - 2.0), 2.0 - abs(hue - 4.0));
    return mix(vec3(0.15), vec3(0.9), saturate(rgb));
}
