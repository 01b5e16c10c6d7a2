// Impostors: pictures of a plant from all around and above, of which those three are blended that are nearest
// to the eye's direction. Twin of `core/src/plants/impostor.rs`, which also names the source.
#define_import_path upland::scatter_impostor

// Views along a side of an impostor. Twin of `VIEWS` in `src/plugin/scatter/impostors.rs`.
const VIEWS: f32 = 8.0;

@group(#{MATERIAL_BIND_GROUP}) @binding(117) var albedo: texture_2d_array<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(118) var impostor_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(119) var normals: texture_2d_array<f32>;

// The three views next to a direction, and their weights.
struct Views {
    a: vec2<f32>,
    b: vec2<f32>,
    c: vec2<f32>,
    weights: vec3<f32>,
}

// Where a direction lies on the map, in views: whole numbers are their middles.
fn view_of(direction: vec3<f32>) -> vec2<f32> {
    // A hemisphere on a square, after Cigolle et al. (2014); directions from below count as level ones.
    let up = max(direction.y, 0.0);
    let p = direction.xz / max(abs(direction.x) + up + abs(direction.z), 1e-6);
    let square = vec2(p.x - p.y, p.x + p.y);
    return (square * 0.5 + 0.5) * VIEWS - 0.5;
}

fn views_of(direction: vec3<f32>) -> Views {
    let place = clamp(view_of(direction), vec2(0.0), vec2(VIEWS - 1.0));
    let corner = min(floor(place), vec2(VIEWS - 2.0));
    let t = place - corner;
    let diagonal = corner + vec2(1.0);
    // The square of four views is cut into two triangles; within one, barycentric weights change without a
    // jump.
    if t.x > t.y {
        let weights = vec3(1.0 - t.x, t.x - t.y, t.y);
        return Views(corner, corner + vec2(1.0, 0.0), diagonal, weights);
    }
    let weights = vec3(1.0 - t.y, t.y - t.x, t.x);
    return Views(corner, corner + vec2(0.0, 1.0), diagonal, weights);
}

// The direction from which a view looks. Twin of `direction_of_view` in
// `core/src/plants/impostor.rs`.
fn direction_of(view: vec2<f32>) -> vec3<f32> {
    let p = (view + 0.5) / VIEWS * 2.0 - 1.0;
    let x = (p.x + p.y) / 2.0;
    let z = (p.y - p.x) / 2.0;
    return normalize(vec3(x, 1.0 - abs(x) - abs(z), z));
}

// To the right and upwards as seen from a direction. Twin of `Projection` in
// `core/src/plants/raster.rs`.
fn right_of(eye: vec3<f32>) -> vec3<f32> {
    let right = vec3(eye.z, 0.0, -eye.x);
    let size = length(right);
    return select(vec3(1.0, 0.0, 0.0), right / max(size, 1e-8), size > 1e-4);
}

// Where a point, in multiples of the radius from the middle, lies in a view: (0, 0) upper left to (1, 1).
fn in_view(view: vec2<f32>, p: vec3<f32>) -> vec2<f32> {
    let eye = direction_of(view);
    let right = right_of(eye);
    let up = cross(eye, right);
    return vec2(dot(p, right), -dot(p, up)) * 0.5 + 0.5;
}

struct Texel {
    colour: vec3<f32>,
    opacity: f32,
    // In the plant's axes, of any length.
    normal: vec3<f32>,
}

fn read(view: vec2<f32>, place: vec2<f32>, layer: u32, dx: vec2<f32>, dy: vec2<f32>) -> Texel {
    let inside = all(place >= vec2(0.0)) && all(place <= vec2(1.0));
    // Half a texel of the smallest level stays clear of the next view.
    let uv = (view + clamp(place, vec2(0.01), vec2(0.99))) / VIEWS;
    let colour = textureSampleGrad(albedo, impostor_sampler, uv, layer, dx, dy);
    let normal = textureSampleGrad(normals, impostor_sampler, uv, layer, dx, dy);
    return Texel(colour.rgb, select(0.0, colour.a, inside), normal.xyz * 2.0 - 1.0);
}

// The three views' texels at their places, blended.
fn impostor(views: Views, a: vec2<f32>, b: vec2<f32>, c: vec2<f32>, layer: u32) -> Texel {
    // The gradients of one view serve all three: they look at the same plant from nearly the same side.
    let dx = dpdx(a) / VIEWS;
    let dy = dpdy(a) / VIEWS;
    let first = read(views.a, a, layer, dx, dy);
    let second = read(views.b, b, layer, dx, dy);
    let third = read(views.c, c, layer, dx, dy);
    // Weighed by opacity as well: where one view sees past a branch it has no colour to add.
    let weights = views.weights * vec3(first.opacity, second.opacity, third.opacity);
    let opacity = weights.x + weights.y + weights.z;
    let shares = weights / max(opacity, 1e-4);
    return Texel(
        first.colour * shares.x + second.colour * shares.y + third.colour * shares.z,
        opacity,
        first.normal * shares.x + second.normal * shares.y + third.normal * shares.z,
    );
}
