//! The laws of triangulations: they cover the land once, without cracks, and keep their bounds.

use std::collections::HashMap;

use glam::{DVec3, DVec4, Vec3};
use upland_core::generate::{Fbm, Generate};
use upland_core::mesh::{
    Bound, Mesh, Method, Roam, RoamEye, RoamMesh, Seams, Tile, Triangulation, tile_borders,
};
use upland_core::{Error, Grid, Heightfield, Work};

const METHODS: [Method; 3] = [Method::Tin, Method::Rtin, Method::Grid];

/// Sides of fields: the smallest, powers of two and one, and such that are neither.
const SIZES: [(usize, usize); 8] =
    [(2, 2), (2, 7), (33, 33), (32, 40), (65, 17), (50, 23), (9, 100), (129, 129)];

fn mountains(width: usize, depth: usize) -> Heightfield {
    let grid = Grid::new(width, depth, 10.0).unwrap();
    Fbm { height: 400.0, octaves: 8.0, ..Fbm::default() }.generate(grid, 7, &Work::new()).unwrap()
}

/// Terraces with walls between them: many samples are equally far from any plane.
fn steps(width: usize, depth: usize) -> Heightfield {
    let grid = Grid::new(width, depth, 2.0).unwrap();
    Heightfield::from_fn(grid, |column, row| ((column / 5 + row / 7) % 4) as f32 * 3.0)
}

fn of(field: &Heightfield, method: Method, bound: Bound) -> Triangulation {
    Triangulation::new(field, method, bound, &Work::new()).unwrap()
}

fn corners(triangulation: &Triangulation, triangle: [u32; 3]) -> [[i64; 2]; 3] {
    triangle.map(|point| triangulation.points[point as usize].map(i64::from))
}

/// Twice the area between three samples, in cells; above 0 where they run anticlockwise as seen from above.
fn area([a, b, c]: [[i64; 2]; 3]) -> i64 {
    (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1])
}

/// Visits every sample in every triangle that it lies in, with its distance from the triangle: by weighing
/// corners.
fn visit_errors(field: &Heightfield, triangulation: &Triangulation, mut visit: impl FnMut([i64; 2], f64)) {
    let height = |[column, row]: [i64; 2]| f64::from(field.at(column as usize, row as usize));
    for &triangle in &triangulation.triangles {
        let [a, b, c] = corners(triangulation, triangle);
        let range = |axis: usize| {
            let along = [a[axis], b[axis], c[axis]];
            *along.iter().min().unwrap()..=*along.iter().max().unwrap()
        };
        for row in range(1) {
            for column in range(0) {
                let p = [column, row];
                let shares = [area([p, b, c]), area([a, p, c]), area([a, b, p])];
                if shares.iter().all(|&share| share >= 0) {
                    let heights = [height(a), height(b), height(c)];
                    let sum: f64 =
                        shares.iter().zip(heights).map(|(&share, height)| share as f64 * height).sum();
                    visit(p, (height(p) - sum / area([a, b, c]) as f64).abs());
                }
            }
        }
    }
}

/// The largest distance of a sample from the surface; every sample must lie in some triangle.
fn measured(field: &Heightfield, triangulation: &Triangulation) -> f64 {
    let Grid { width, depth, .. } = field.grid();
    let mut seen = vec![false; width * depth];
    let mut largest = 0.0f64;
    visit_errors(field, triangulation, |[column, row], error| {
        largest = largest.max(error);
        seen[row as usize * width + column as usize] = true;
    });
    assert!(seen.iter().all(|&seen| seen), "a sample lies in no triangle");
    largest
}

/// How often every edge is used in each direction.
fn edges<T: Copy + Eq + std::hash::Hash>(
    triangles: impl IntoIterator<Item = [T; 3]>,
) -> HashMap<[T; 2], usize> {
    let mut edges = HashMap::new();
    for [a, b, c] in triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    edges
}

/// Checks that triangles cover the land once: all turn the same way, their areas add up, no edge ends in the
/// middle of another, and what has no neighbour lies on the border.
fn check_cover(triangulation: &Triangulation, name: &str) {
    let Grid { width, depth, .. } = triangulation.grid;
    let last = [width as i64 - 1, depth as i64 - 1];
    let mut sum = 0;
    for &triangle in &triangulation.triangles {
        let area = area(corners(triangulation, triangle));
        assert!(area > 0, "{name}: a triangle is flat or lies upside down");
        sum += area;
    }
    assert_eq!(sum, 2 * last[0] * last[1], "{name}: the areas");
    let edges = edges(triangulation.triangles.iter().copied());
    let mut border = 0;
    for (&[from, to], &times) in &edges {
        assert_eq!(times, 1, "{name}: two triangles on the same side of an edge");
        if !edges.contains_key(&[to, from]) {
            let [p, q] = [from, to].map(|point| triangulation.points[point as usize].map(i64::from));
            let is_border = (0..2).any(|axis| p[axis] == q[axis] && [0, last[axis]].contains(&p[axis]));
            assert!(is_border, "{name}: a crack from {p:?} to {q:?}");
            border += (p[0] - q[0]).abs() + (p[1] - q[1]).abs();
        }
    }
    assert_eq!(border, 2 * (last[0] + last[1]), "{name}: the outline");
    let mut points = triangulation.points.clone();
    points.sort_unstable();
    points.dedup();
    assert_eq!(points.len(), triangulation.points.len(), "{name}: a vertex twice");
    // Euler: vertices − edges + triangles of a disc.
    let undirected =
        edges.keys().filter(|[from, to]| from < to || !edges.contains_key(&[*to, *from])).count();
    let euler = points.len() as i64 - undirected as i64 + triangulation.triangles.len() as i64;
    assert_eq!(euler, 1, "{name}: holes or parts");
}

#[test]
fn no_sample_lies_farther_from_the_surface_than_the_bound() {
    for (width, depth) in SIZES {
        for (land, field) in [("mountains", mountains(width, depth)), ("steps", steps(width, depth))] {
            for method in METHODS {
                for error in [0.05, 1.0, 20.0] {
                    let name = format!("{method} of {land} {width}×{depth} within {error}");
                    let made = of(&field, method, Bound::Error(error));
                    check_cover(&made, &name);
                    let real = measured(&field, &made);
                    assert!(real <= f64::from(error), "{name}: {real}");
                    assert!((real - made.error).abs() <= 1e-9, "{name}: {real}, not {}", made.error);
                }
            }
        }
    }
}

#[test]
fn there_are_no_more_triangles_than_are_allowed() {
    for (width, depth) in SIZES {
        let field = mountains(width, depth);
        let all = 2 * (width - 1) * (depth - 1);
        for method in METHODS {
            // Right triangles of other sizes than 2^n need more along the border.
            let least = match method {
                Method::Rtin => of(&field, method, Bound::Error(1e6)).triangles.len(),
                _ => 2,
            };
            let mut least_error = f64::INFINITY;
            for most in [2, 3, 10, 100, 1000, usize::MAX] {
                let name = format!("{method} of {width}×{depth} with {most}");
                if most < least {
                    let refused = Triangulation::new(&field, method, Bound::Triangles(most), &Work::new());
                    let message = refused.unwrap_err().to_string();
                    assert!(message.contains(&format!("at least {least}, not {most}")), "{name}: {message}");
                    continue;
                }
                let made = of(&field, method, Bound::Triangles(most));
                assert!(made.triangles.len() <= most.min(all), "{name}: {}", made.triangles.len());
                check_cover(&made, &name);
                assert!((measured(&field, &made) - made.error).abs() <= 1e-9, "{name}");
                least_error = made.error;
            }
            assert!(
                least_error < 1e-9,
                "{method} of {width}×{depth} with all triangles it needs: {least_error}"
            );
        }
    }
}

#[test]
fn a_tin_is_a_delaunay_triangulation() {
    for field in [mountains(50, 23), steps(65, 17), mountains(65, 65)] {
        let made = of(&field, Method::Tin, Bound::Error(2.0));
        assert!(made.triangles.len() > 40);
        for &triangle in &made.triangles {
            let [a, b, c] = corners(&made, triangle).map(|corner| corner.map(|place| place as f64));
            // The circle's centre, from the first corner.
            let (b, c) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
            let (b2, c2) = (b[0] * b[0] + b[1] * b[1], c[0] * c[0] + c[1] * c[1]);
            let d = 2.0 * (b[0] * c[1] - b[1] * c[0]);
            let centre = [(c[1] * b2 - b[1] * c2) / d, (b[0] * c2 - c[0] * b2) / d];
            let radius = centre[0].hypot(centre[1]);
            for &[column, row] in &made.points {
                let from_centre = [f64::from(column) - a[0] - centre[0], f64::from(row) - a[1] - centre[1]];
                let distance = from_centre[0].hypot(from_centre[1]);
                assert!(
                    distance >= radius * (1.0 - 1e-9),
                    "{triangle:?} has [{column}, {row}] in its circle"
                );
            }
        }
    }
}

#[test]
fn greedy_insertion_takes_the_worst_sample_at_every_turn() {
    // With one more vertex at a time the surface goes through the sample that was farthest from it before.
    let field = mountains(33, 33);
    let mut before = of(&field, Method::Tin, Bound::Triangles(2));
    for most in 3..60 {
        let after = of(&field, Method::Tin, Bound::Triangles(most));
        let new: Vec<_> = after.points.iter().filter(|point| !before.points.contains(point)).collect();
        assert!(new.len() <= 1, "{most}: {new:?}");
        if let [&[column, row]] = new[..] {
            let p = [i64::from(column), i64::from(row)];
            let triangle = before.triangles.iter().map(|&triangle| corners(&before, triangle));
            let errors = triangle.filter_map(|[a, b, c]| {
                let shares = [area([p, b, c]), area([a, p, c]), area([a, b, p])];
                let at = |[column, row]: [i64; 2]| f64::from(field.at(column as usize, row as usize));
                let sum: f64 =
                    shares.iter().zip([a, b, c]).map(|(&share, corner)| share as f64 * at(corner)).sum();
                let error = (at(p) - sum / area([a, b, c]) as f64).abs();
                shares.iter().all(|&share| share >= 0).then_some(error)
            });
            let error = errors.fold(0.0, f64::max);
            assert!((error - before.error).abs() < 1e-9, "{most}: {error}, not {}", before.error);
        }
        before = after;
    }
}

#[test]
fn a_tin_needs_fewer_triangles_than_right_triangles_do_and_these_fewer_than_a_grid() {
    // Without the finest octaves: where every sample is needed, all methods need them.
    let grid = Grid::new(129, 129, 10.0).unwrap();
    let field =
        Fbm { height: 400.0, octaves: 4.0, ..Fbm::default() }.generate(grid, 7, &Work::new()).unwrap();
    for error in [2.0, 10.0] {
        let [tin, rtin, grid] = METHODS.map(|method| of(&field, method, Bound::Error(error)).triangles.len());
        assert!(tin < rtin && rtin < grid, "{error}: {tin} {rtin} {grid}");
    }
}

#[test]
fn flat_and_evenly_sloping_land_takes_two_triangles() {
    for (width, depth) in [(2, 2), (33, 33), (40, 17), (1000, 3)] {
        let grid = Grid::new(width, depth, 5.0).unwrap();
        let flat = Heightfield::flat(grid, -17.3);
        let slope = Heightfield::from_fn(grid, |column, row| 0.25 * column as f32 - 0.5 * row as f32);
        for field in [flat, slope] {
            let made = of(&field, Method::Tin, Bound::Error(1e-9));
            assert_eq!((made.triangles.len(), made.error), (2, 0.0), "{width}×{depth}");
            assert_eq!(of(&field, Method::Tin, Bound::Triangles(1000)).triangles.len(), 2);
        }
    }
    let square = Heightfield::flat(Grid::new(65, 65, 5.0).unwrap(), 8.0);
    assert_eq!(of(&square, Method::Rtin, Bound::Error(1e-9)).triangles.len(), 2);
    assert_eq!(of(&mountains(129, 129), Method::Tin, Bound::Error(1e4)).triangles.len(), 2);
}

#[test]
fn bounds_and_fields_that_cannot_be_are_refused() {
    let field = mountains(9, 9);
    let refused = |field: &Heightfield, bound| {
        METHODS.map(|method| Triangulation::new(field, method, bound, &Work::new()).unwrap_err().to_string())
    };
    for error in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for message in refused(&field, Bound::Error(error)) {
            assert!(message.contains("give metres above 0"), "{message}");
        }
    }
    for message in [0, 1].into_iter().flat_map(|count| refused(&field, Bound::Triangles(count))) {
        assert!(message.contains("at least 2"), "{message}");
    }
    for (width, depth) in [(1, 1), (1, 50), (50, 1)] {
        let line = Heightfield::flat(Grid::new(width, depth, 1.0).unwrap(), 0.0);
        for message in refused(&line, Bound::Error(1.0)) {
            assert!(message.contains("at least 2 along either side"), "{message}");
        }
    }
    for height in [f32::NAN, f32::INFINITY] {
        let mut broken = field.clone();
        broken.heights_mut()[40] = height;
        for message in refused(&broken, Bound::Error(1.0)) {
            assert!(message.contains("NaN or infinite"), "{message}");
        }
    }
}

#[test]
fn heights_at_the_ends_of_what_floats_hold_are_triangulated_or_refused() {
    let grid = Grid::new(18, 18, 1.0).unwrap();
    let extreme = Heightfield::from_fn(grid, |column, row| match (column * 5 + row * 3) % 4 {
        0 => f32::MAX,
        1 => f32::MIN,
        2 => f32::MIN_POSITIVE,
        _ => 0.0,
    });
    for method in METHODS {
        for bound in [Bound::Error(1.0), Bound::Error(f32::MAX), Bound::Triangles(200)] {
            // An error can be more than floats hold; then right triangles cannot be few.
            match Triangulation::new(&extreme, method, bound, &Work::new()) {
                Ok(made) => check_cover(&made, &format!("{method} {bound:?}")),
                Err(error) => assert!(method == Method::Rtin, "{method} {bound:?}: {error}"),
            }
        }
    }
}

#[test]
fn cancelled_work_stops() {
    let field = mountains(129, 129);
    for method in METHODS {
        for chosen in [0, 1, 5, 50] {
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let work = Work::watched(move |work| {
                if asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == chosen {
                    work.cancel();
                }
            });
            let made = Triangulation::new(&field, method, Bound::Error(1.0), &work);
            assert!(matches!(made, Err(Error::Cancelled)), "{method} at {chosen}");
        }
    }
}

#[test]
fn triangles_are_the_same_at_any_number_of_threads() {
    let field = mountains(129, 100);
    for method in METHODS {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| of(&field, method, Bound::Error(3.0)))
        };
        let one = on(1);
        assert!([2, 7].into_iter().all(|threads| on(threads) == one), "{method}");
    }
}

#[test]
fn a_mesh_lies_around_the_middle_of_the_land_and_has_its_normals() {
    let field = mountains(50, 23);
    let triangulation = of(&field, Method::Tin, Bound::Error(2.0));
    let mesh = Mesh::new(&field, &triangulation);
    let (low, high) = mesh.bounds();
    assert_eq!((low.x, high.x, low.z, high.z), (-245.0, 245.0, -110.0, 110.0));
    for (index, &[column, row]) in triangulation.points.iter().enumerate() {
        let (column, row) = (column as usize, row as usize);
        assert_eq!(mesh.positions[index].y, field.at(column, row));
        assert_eq!(mesh.normals[index], field.normal_at(column, row));
        let uv = mesh.uvs[index];
        assert!((uv.x * 490.0 - 245.0 - mesh.positions[index].x).abs() < 1e-3, "{uv}");
        assert!((uv.y * 220.0 - 110.0 - mesh.positions[index].z).abs() < 1e-3, "{uv}");
    }
    for &triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        assert!((b - a).cross(c - a).y > 0.0, "a triangle that is not seen from above");
    }
}

#[test]
fn a_skirt_makes_a_closed_solid_of_the_right_volume() {
    for (field, method) in
        METHODS.into_iter().flat_map(|method| [(mountains(33, 20), method), (steps(20, 9), method)])
    {
        let flat = Mesh::new(&field, &of(&field, method, Bound::Error(1.5)));
        let (low, high) = flat.bounds();
        let solid = flat.clone().with_skirt(12.0).unwrap();
        let place = |vertex: u32| solid.positions[vertex as usize].to_array().map(f32::to_bits);
        let edges = edges(solid.triangles.iter().map(|triangle| triangle.map(place)));
        for ([from, to], times) in &edges {
            assert_eq!((*times, edges.get(&[*to, *from])), (1, Some(&1)), "{method}: an open edge");
        }
        assert_eq!(solid.bounds().0.y, low.y - 12.0);
        // The volume by the divergence theorem is that of the prisms under the ground.
        let signed = |triangle: &[u32; 3], mesh: &Mesh, floor: f32| -> f64 {
            let up = DVec3::new(0.0, f64::from(floor), 0.0);
            let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize].as_dvec3() - up);
            a.dot(b.cross(c)) / 6.0
        };
        let volume: f64 = solid.triangles.iter().map(|triangle| signed(triangle, &solid, 0.0)).sum();
        let prism = |triangle: &[u32; 3]| -> f64 {
            let [a, b, c] = triangle.map(|vertex| flat.positions[vertex as usize].as_dvec3());
            let mean = (a.y + b.y + c.y) / 3.0 - f64::from(low.y - 12.0);
            (b - a).cross(c - a).y / 2.0 * mean
        };
        let expected: f64 = flat.triangles.iter().map(prism).sum();
        assert!((volume / expected - 1.0).abs() < 1e-5, "{method}: {volume}, not {expected}");
        // Normals point the same way as their triangles.
        for triangle in &solid.triangles[flat.triangles.len()..] {
            let [a, b, c] = triangle.map(|vertex| solid.positions[vertex as usize]);
            let facing = (b - a).cross(c - a).normalize();
            let told = triangle.map(|vertex| solid.normals[vertex as usize]);
            assert!(
                told.iter().all(|normal: &Vec3| normal.dot(facing) > 0.999),
                "{method}: {told:?} {facing}"
            );
        }
        assert!(high.y > low.y);
    }
    let field = mountains(9, 9);
    let mesh = Mesh::new(&field, &of(&field, Method::Grid, Bound::Error(1.0)));
    for depth in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30] {
        assert!(mesh.clone().with_skirt(depth).is_err(), "{depth}");
    }
}

/// The meshes of a land in tiles, each with the error of its triangulation.
fn tiled(field: &Heightfield, tiles: [usize; 2], method: Method, error: f32) -> Vec<(Mesh, f64)> {
    let Grid { width, depth, cell } = field.grid();
    let (columns, rows) = (tile_borders(width, tiles[0]).unwrap(), tile_borders(depth, tiles[1]).unwrap());
    let mut made = Vec::new();
    for (row, down) in rows.windows(2).enumerate() {
        for (column, across) in columns.windows(2).enumerate() {
            let grid = Grid::new(across[1] - across[0] + 1, down[1] - down[0] + 1, cell).unwrap();
            let heights = Heightfield::from_fn(grid, |x, z| field.at(across[0] + x, down[0] + z));
            let seams = Seams::of_tile([column, row], tiles);
            let bound = Bound::Error(error);
            let triangulation = Triangulation::of_tile(&heights, method, bound, seams, &Work::new()).unwrap();
            check_cover(&triangulation, &format!("{method} {column} {row}"));
            let found = measured(&heights, &triangulation);
            assert!(found <= f64::from(error) + 1e-9, "{method} {column} {row}: {found}");
            assert!((found - triangulation.error).abs() < 1e-6, "{found} {}", triangulation.error);
            let first = [across[0], down[0]];
            let picture =
                [first.map(|at| at as f64), [grid.width - 1, grid.depth - 1].map(|cells| cells as f64)];
            let tile = Tile { field, first, place: first, land: [width, depth], picture };
            made.push((Mesh::of_tile(&tile, &triangulation), triangulation.error));
        }
    }
    made
}

#[test]
fn tiles_meet_without_cracks() {
    // Positions and normals by their bits.
    let key = |mesh: &Mesh, vertex: u32| {
        let (p, n) = (mesh.positions[vertex as usize], mesh.normals[vertex as usize]);
        [p.x, p.y, p.z, n.x, n.y, n.z].map(f32::to_bits)
    };
    for (width, depth, tiles) in [(65, 65, [2, 2]), (50, 77, [3, 2]), (40, 33, [1, 4]), (9, 7, [8, 6])] {
        for field in [mountains(width, depth), steps(width, depth)] {
            for method in METHODS {
                for error in [0.5, 3.0, 1000.0] {
                    let name = format!("{method} {width}×{depth} {error}");
                    let meshes = tiled(&field, tiles, method, error);
                    let all = meshes.iter().flat_map(|(mesh, _)| {
                        mesh.triangles.iter().map(|triangle| triangle.map(|vertex| key(mesh, vertex)))
                    });
                    // All tiles together use every edge once each way, but for the land's own border.
                    let edges = edges(all);
                    let (low, high) = meshes.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), (mesh, _)| {
                        let (lowest, highest) = mesh.bounds();
                        (low.min(lowest), high.max(highest))
                    });
                    for (&[from, to], &count) in &edges {
                        assert_eq!(count, 1, "{name}");
                        let at = |end: [u32; 6], axis: usize| f32::from_bits(end[axis]);
                        let on = |axis: usize, place: f32| at(from, axis) == place && at(to, axis) == place;
                        let is_outside = on(0, low.x) || on(0, high.x) || on(2, low.z) || on(2, high.z);
                        assert_eq!(edges.contains_key(&[to, from]), !is_outside, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_tile_without_neighbours_is_the_land() {
    let field = mountains(40, 33);
    for method in METHODS {
        let whole = Triangulation::new(&field, method, Bound::Error(2.0), &Work::new()).unwrap();
        let tile = Triangulation::of_tile(&field, method, Bound::Error(2.0), Seams::default(), &Work::new());
        assert_eq!(tile.unwrap(), whole);
        assert_eq!(tiled(&field, [1, 1], method, 2.0)[0].0, Mesh::new(&field, &whole));
    }
    let seams = Seams { north: true, ..Seams::default() };
    let said = Triangulation::of_tile(&field, Method::Tin, Bound::Triangles(100), seams, &Work::new());
    assert!(said.unwrap_err().to_string().contains("would not meet"));
}

/// Places of an eye over and beside a field, metres from its north-west sample.
const EYES: [[f64; 3]; 6] = [
    [200.0, 30.0, 150.0],
    [640.0, 300.0, 640.0],
    [-500.0, 100.0, 300.0],
    [100.0, -50.0, 100.0],
    [3000.0, 1500.0, -2000.0],
    [60_000.0, 8000.0, 60_000.0],
];

fn eye(position: [f64; 3]) -> RoamEye {
    RoamEye { position: position.into(), pixels: 800.0, pixel_error: 2.0, sides: Vec::new() }
}

fn of_eye(roam: &Roam, eye: &RoamEye) -> (RoamMesh, Triangulation) {
    let mesh = roam.mesh(eye);
    let mut numbers = HashMap::new();
    let mut points = Vec::new();
    let mut number = |point: [u32; 2]| {
        *numbers.entry(point).or_insert_with(|| {
            points.push(point);
            points.len() as u32 - 1
        })
    };
    let triangles = mesh.triangles.iter().map(|triangle| triangle.map(&mut number)).collect();
    let triangulation =
        Triangulation { grid: roam.field().grid(), points, triangles, error: f64::from(mesh.error) };
    (mesh, triangulation)
}

/// How far samples in view lie above or below the mesh at most: in metres, and in pixels as the eye sees it.
fn seen_errors(roam: &Roam, triangulation: &Triangulation, eye: &RoamEye) -> (f64, f64) {
    let field = roam.field();
    let cell = f64::from(field.grid().cell);
    let (mut metres, mut pixels) = (0.0f64, 0.0f64);
    visit_errors(field, triangulation, |[column, row], error| {
        let height = field.at(column as usize, row as usize);
        let place = DVec3::new(column as f64 * cell, height.into(), row as f64 * cell);
        if eye.sides.iter().all(|side| side.truncate().dot(place) + side.w >= 0.0) {
            metres = metres.max(error);
            pixels = pixels.max(error * eye.pixels / place.distance(eye.position));
        }
    });
    (metres, pixels)
}

#[test]
fn from_anywhere_right_triangles_cover_the_land_and_no_sample_looks_too_far_from_them() {
    for (width, depth) in SIZES {
        for field in [mountains(width, depth), steps(width, depth)] {
            let roam = Roam::new(field, &Work::new()).unwrap();
            let mut counts = Vec::new();
            for position in EYES {
                let all = eye(position);
                // The north of the land, and what lies beyond a slanting plane.
                let north = DVec4::new(0.0, 0.0, -1.0, f64::from(depth as u32) * 4.0);
                let slanting = DVec3::new(0.6, 0.3, 0.5).normalize().extend(-400.0);
                for sides in [vec![], vec![north], vec![north, slanting]] {
                    let eye = RoamEye { sides, ..all.clone() };
                    let (mesh, triangulation) = of_eye(&roam, &eye);
                    let name = format!("{width}×{depth} from {position:?}, {} sides", eye.sides.len());
                    check_cover(&triangulation, &name);
                    let (metres, pixels) = seen_errors(&roam, &triangulation, &eye);
                    assert!(pixels <= eye.pixel_error, "{name}: {pixels} pixels");
                    assert!(metres <= f64::from(mesh.error), "{name}: {metres} m, not {}", mesh.error);
                    assert!(pixels <= f64::from(mesh.pixels) * (1.0 + 1e-6), "{name}: {pixels}");
                    assert!(mesh.pixels <= 2.0, "{name}: {}", mesh.pixels);
                    counts.push(mesh.triangles.len());
                }
            }
            assert!(counts.chunks(3).all(|count| count[0] >= count[1] && count[1] >= count[2]), "{counts:?}");
        }
    }
}

#[test]
fn an_eye_that_is_nowhere_sees_few_triangles_and_one_at_a_sample_all_around_it() {
    let roam = Roam::new(mountains(65, 65), &Work::new()).unwrap();
    for position in [[f64::NAN; 3], [f64::INFINITY, 0.0, 0.0], [1e300; 3]] {
        let (mesh, triangulation) = of_eye(&roam, &eye(position));
        check_cover(&triangulation, "nowhere");
        assert!(mesh.triangles.len() <= 2 * 64 * 64, "{position:?}");
    }
    let field = roam.field();
    let ground = eye([320.0, f64::from(field.at(32, 32)), 320.0]);
    let (mesh, triangulation) = of_eye(&roam, &ground);
    check_cover(&triangulation, "on the ground");
    let around = mesh.triangles.iter().filter(|triangle| triangle.contains(&[32, 32]));
    let is_small = |triangle: &[[u32; 2]; 3]| area(triangle.map(|corner| corner.map(i64::from))) == 1;
    assert!(around.clone().count() >= 4 && around.clone().all(is_small));
    let none = RoamEye { pixel_error: f64::NAN, ..ground };
    check_cover(&of_eye(&roam, &none).1, "no bound");
}

#[test]
fn land_without_ground_between_its_samples_has_no_mesh_for_an_eye() {
    for (width, depth) in [(1, 5), (5, 1), (1, 1)] {
        let field = Heightfield::flat(Grid::new(width, depth, 1.0).unwrap(), 0.0);
        assert!(matches!(Roam::new(field, &Work::new()), Err(Error::Size { .. })));
    }
    let mut field = mountains(9, 9);
    field.heights_mut()[40] = f32::NAN;
    let error = Roam::new(field, &Work::new()).err().unwrap().to_string();
    assert!(error.contains("NaN"), "{error}");
}
