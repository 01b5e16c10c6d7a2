// Value noise in the plane, for things that need no more: clouds, ripples, foam.

#define_import_path upland::noise

// After the pcg2d hash of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering" (2020).
fn hash(cell: vec2<i32>) -> f32 {
    // Integers only: hashes made of sines differ from device to device.
    var v = bitcast<vec2<u32>>(cell) * 1664525u + 1013904223u;
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v = v ^ (v >> vec2(16u));
    v.x += v.y * 1664525u;
    // The upper 24 bits, which a float holds exactly: the result stays below 1.
    return f32((v.x ^ (v.x >> 16u)) >> 8u) / 16777216.0;
}

// In [0, 1], with the gradient in yz.
fn value(p: vec2<f32>) -> vec3<f32> {
    return value_in(vec2<i32>(floor(p)), fract(p));
}

// As `value`, at a place in a cell, from 0 to 1.
fn value_in(cell: vec2<i32>, f: vec2<f32>) -> vec3<f32> {
    // Perlin's quintic: first and second derivatives are 0 at lattice points, so that slopes have no creases
    // there.
    let u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
    let a = hash(cell);
    let b = hash(cell + vec2(1, 0));
    let c = hash(cell + vec2(0, 1));
    let d = hash(cell + vec2(1, 1));
    let twist = a - b - c + d;
    return vec3(
        a + (b - a) * u.x + (c - a) * u.y + twist * u.x * u.y,
        du * (vec2(b - a, c - a) + twist * u.yx),
    );
}

// As `value_in`, but in space: `z` counts cells upwards. In [0, 1].
fn solid_in(cell: vec2<i32>, f: vec2<f32>, z: f32) -> f32 {
    let layer = floor(z);
    let t = z - layer;
    // Layers are parts of one plane, far enough from each other.
    let below = value_in(cell + i32(layer) * vec2(57, 113), f).x;
    let above = value_in(cell + (i32(layer) + 1) * vec2(57, 113), f).x;
    return mix(below, above, t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
}

// Octaves of `value`, each turned against the one before it so that no grid shows. In [0, 1].
fn fractal(p: vec2<f32>, octaves: i32) -> f32 {
    // A turn by 37 degrees and a scale of 2: its columns have the length 2.
    let turn = mat2x2(1.6, 1.2, -1.2, 1.6);
    var place = p;
    var amplitude = 0.5;
    var sum = 0.0;
    var total = 0.0;
    for (var i = 0; i < octaves; i += 1) {
        sum += amplitude * value(place).x;
        total += amplitude;
        amplitude *= 0.5;
        // The offset keeps octaves apart at the origin, which the turn leaves where it is.
        place = turn * place + vec2(17.3, 41.7);
    }
    return sum / total;
}
