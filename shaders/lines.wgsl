// Lines on surfaces, as wide in pixels everywhere, and the relief under them.
#define_import_path upland::lines

const LINE: vec3<f32> = vec3(0.015, 0.02, 0.03);
// The surface that wires are drawn on.
const FILL: vec3<f32> = vec3(0.3, 0.33, 0.36);

// How bright a surface is: level ground has the very colours of the legend.
fn relief_of(normal: vec3<f32>) -> f32 {
    // 0.738 is what level ground gets: 0.7 over the length of the vector.
    let facing = dot(normal, normalize(vec3(-0.5, 0.7, -0.4))) / 0.738;
    return clamp(0.25 + 0.75 * facing, 0.25, 1.15);
}

// 1 on lines a number of pixels wide at whole numbers, 0 between. Where they lie too close to be
// distinguished, they fade.
fn line(at: f32, per_pixel: f32, pixels: f32) -> f32 {
    // Pixels to the nearest whole number.
    let away = abs(fract(at + 0.5) - 0.5) / per_pixel;
    // The second factor is the fading: from the distance on at which lines cover more than a sixth of the
    // ground.
    return saturate(0.5 * pixels + 0.5 - away) * (1.0 - saturate(3.0 * pixels * per_pixel - 0.5));
}

// The edges of triangles whose corners lie at neighbouring whole numbers, with diagonals from south-west to
// north-east.
fn wired(relief: f32, p: vec2<f32>) -> vec3<f32> {
    // Along a diagonal the sum of both coordinates is whole.
    let along = vec3(p, p.x + p.y);
    let per_pixel = max(fwidth(along), vec3(1e-6));
    let edge = max(
        max(line(along.x, per_pixel.x, 1.2), line(along.y, per_pixel.y, 1.2)),
        line(along.z, per_pixel.z, 1.2),
    );
    return mix(FILL * relief, LINE, 0.8 * edge);
}
