use std::collections::HashSet;

use glam::DVec3;

use super::patches::{self, PATCHES};
use super::*;
use crate::{Cache, Preset, Recipe, Result, Work};

fn land() -> PlanetLand {
    let recipe = Preset::find("endless-highlands").unwrap().recipe().unwrap();
    PlanetLand::new(&recipe, 200_000.0, &Work::new()).unwrap()
}

/// Land that is quick to make.
fn plain(steps: &str, radius: f64) -> Result<PlanetLand> {
    let text = format!(
        "(version: 1, name: \"p\", seed: 5, size: endless, cell: 100, unit: 50000, steps: [{steps}])"
    );
    PlanetLand::new(&Recipe::from_ron(&text, "p.ron")?, radius, &Work::new())
}

/// The nodes of a depth that touch an edge of a face.
fn at_edges(depth: u8) -> impl Iterator<Item = Node> {
    let last = (1u32 << depth) - 1;
    let places = move || (0..=last).flat_map(move |row| (0..=last).map(move |column| (column, row)));
    (0..FACES).flat_map(move |face| {
        let touches =
            move |&(column, row): &(u32, u32)| [0, last].contains(&column) || [0, last].contains(&row);
        places().filter(touches).map(move |(column, row)| Node { face, depth, column, row })
    })
}

#[test]
fn seams_are_bit_equal_over_all_edges_and_corners() {
    let land = land();
    let side = QUADS as usize + 1;
    for depth in [0, 1] {
        // By the point of the cube: height, position and normal, and from how many faces.
        let mut seen = std::collections::HashMap::new();
        for node in at_edges(depth) {
            let mesh = land.mesh(node, &Work::new()).unwrap();
            let heights = land.heights(node, 0, &Work::new()).unwrap();
            for (index, height) in heights.iter().enumerate() {
                let (column, row) = (index % side, index / side);
                if ![0, side - 1].contains(&column) && ![0, side - 1].contains(&row) {
                    continue;
                }
                let point = node.point(column as i64, row as i64);
                let position = land.position(point, *height).to_array().map(f64::to_bits);
                let normal = mesh.normals[index].map(|n| (n + 0.0).to_bits());
                let (first, faces) =
                    seen.entry(point.at).or_insert(((height.to_bits(), position, normal), HashSet::new()));
                assert_eq!(*first, (height.to_bits(), position, normal), "{node:?} at {point:?}");
                faces.insert(node.face);
            }
        }
        let of_faces = |count: usize| seen.values().filter(|(_, faces)| faces.len() == count).count();
        let steps = (QUADS as usize) << depth;
        assert_eq!(of_faces(3), 8, "corners");
        assert_eq!(of_faces(2), 12 * (steps - 1), "points of edges");
    }
}

#[test]
fn levels_agree_where_their_samples_coincide() {
    // Of steps that work by position; those that look around do so at their own level.
    let land = plain("fbm(height: 900, octaves: 8), ridged(height: 300, blend: add)", 100_000.0).unwrap();
    let work = Work::new();
    let side = QUADS as usize + 1;
    for face in 0..FACES {
        for (column, row) in [(0, 0), (1, 0), (3, 2), (2, 3)] {
            let coarse = Node { face, depth: 2, column, row };
            let heights = land.heights(coarse, 0, &work).unwrap();
            for (quarter, child) in coarse.children().into_iter().enumerate() {
                let finer = land.heights(child, 0, &work).unwrap();
                for (x, y) in (0..=32).flat_map(|y| (0..=32).map(move |x| (x, y))) {
                    let (east, south) = (quarter % 2 * 32, quarter / 2 * 32);
                    let place = (y + south) * side + x + east;
                    assert_eq!(finer[2 * y * side + 2 * x].to_bits(), heights[place].to_bits(), "{child:?}");
                    let [a, b] = [
                        child.point(2 * x as i64, 2 * y as i64),
                        coarse.point((x + east) as i64, (y + south) as i64),
                    ];
                    assert_eq!(a.direction().to_array(), b.direction().to_array());
                }
            }
        }
    }
}

#[test]
fn the_bits_are_those_of_one_thread_at_any_number() {
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let land = land();
            [(0, 0, 0), (3, 0, 3), (5, 2, 1)].map(|(face, column, row)| {
                land.mesh(Node { face, depth: 2, column, row }, &Work::new()).unwrap()
            })
        })
    };
    assert!(made(1) == made(32));
}

#[test]
fn patches_weigh_one_in_all_and_keep_the_lands_variance() {
    let steps = 1024;
    for face in 0..FACES {
        for (x, y) in (0..=64).flat_map(|y| (0..=64).map(move |x| (x * 16, y * 16))) {
            let point = CubePoint::on_face(face, steps, x, y);
            let weights: Vec<f64> = (0..PATCHES).map(|patch| patches::weight(patch, point)).collect();
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w >= 0.0));
            assert_eq!(weights[PATCHES / 2], 0.0, "the inside of the cube is no patch");
            // Neighbouring samples lie next to each other in every patch that counts.
            let next = CubePoint::on_face(face, steps, x + 1, y);
            for patch in (0..PATCHES).filter(|&patch| weights[patch] > 0.0 && x < steps) {
                let [a, b] = [point, next].map(|point| patches::place(patch, point));
                let away = [0, 1].map(|axis| (a[axis] - b[axis]).abs());
                assert!(away.iter().all(|away| *away <= 1) && away != [0, 0], "{patch}: {a:?} {b:?}");
            }
        }
    }
    // Land blended with weights whose squares add up to one is as rough as any of its patches.
    let land = plain("fbm(height: 1000, octaves: 6)", 200_000.0).unwrap();
    let heights = |node| land.heights(node, 0, &Work::new()).unwrap();
    let deviation = |nodes: &mut dyn Iterator<Item = Node>| {
        let heights: Vec<f64> = nodes.flat_map(heights).map(f64::from).collect();
        let mean = heights.iter().sum::<f64>() / heights.len() as f64;
        (heights.iter().map(|h| (h - mean) * (h - mean)).sum::<f64>() / heights.len() as f64).sqrt()
    };
    let of = |column, row| (0..FACES).map(move |face| Node { face, depth: 4, column, row });
    let edges = deviation(&mut (0..16).flat_map(|along| of(along, 0)));
    let middle = deviation(&mut (0..16).flat_map(|along| of(along, 7)));
    assert!((0.75..1.33).contains(&(edges / middle)), "{edges} m at edges, {middle} m within faces");
}

#[test]
fn nearest_points_are_their_own() {
    for steps in [64, 1 << 20] {
        for face in 0..FACES {
            for (x, y) in [(0, 0), (1, 63), (steps / 2, steps / 3), (steps, 7), (steps - 1, steps)] {
                let point = CubePoint::on_face(face, steps, x, y);
                assert_eq!(CubePoint::towards(point.direction(), steps), point);
            }
        }
    }
    assert_eq!(CubePoint::towards(DVec3::NAN, 64), CubePoint::towards(DVec3::Y, 64));
}

fn eye(position: DVec3) -> PlanetEye {
    PlanetEye { position, pixels: 600.0, quad_pixels: 3.0 }
}

#[test]
fn drawn_nodes_cover_what_is_seen_exactly_once_from_orbit_to_the_ground() {
    let land = land();
    for above in [400_000.0, 20_000.0, 900.0, 2.0] {
        let direction = DVec3::new(0.4, 0.8, -0.3).normalize();
        let eye = eye(direction * (land.radius() + 1500.0 + above));
        let drawn = select(&land, &eye, &|_| Some(land.range())).drawn;
        let set: HashSet<Node> = drawn.iter().copied().collect();
        assert_eq!(set.len(), drawn.len());
        // No node lies within another.
        for node in &drawn {
            let mut above = *node;
            while above.depth > 0 {
                above =
                    Node { depth: above.depth - 1, column: above.column / 2, row: above.row / 2, ..above };
                assert!(!set.contains(&above), "{node:?} lies in {above:?}");
            }
        }
        // The ground under the eye and all around it is there.
        for step in 0..200 {
            let away = 0.001 * f64::from(step) / 200.0;
            let side = direction.any_orthonormal_vector() * away + direction;
            let covers = |node: &&Node| {
                let point = CubePoint::towards(side, node.quads_of_face());
                let on = |axis: usize| point.at[(usize::from(node.face / 2) + axis) % 3];
                let is_face = on(0) == if node.face % 2 == 1 { point.steps } else { 0 };
                let within = |at: i64, place: u32| {
                    let first = i64::from(place) * i64::from(QUADS);
                    (first..=first + i64::from(QUADS)).contains(&at)
                };
                is_face && within(on(1), node.column) && within(on(2), node.row)
            };
            assert!(drawn.iter().any(|node| covers(&node)), "no ground {above} m under the eye");
        }
        assert!(drawn.len() < 2000, "{} nodes from {above} m", drawn.len());
    }
}

#[test]
fn where_levels_meet_the_skirts_are_deeper_than_the_gaps() {
    let land = land();
    let direction = DVec3::new(-0.7, 0.2, 0.5).normalize();
    let eye = eye(direction * (land.radius() + 3000.0));
    let drawn = select(&land, &eye, &|_| Some(land.range())).drawn;
    let set: HashSet<Node> = drawn.iter().copied().collect();
    let side = QUADS as usize + 1;
    let work = Work::new();
    let mut borders = 0;
    for node in drawn.iter().filter(|node| node.depth > 2 && node.column % 2 == 0).take(60) {
        // The coarser neighbour in the west, on the same face.
        let Some(west) = node.column.checked_sub(1) else { continue };
        let up = |depth: u8| {
            let by = node.depth - depth;
            Node { depth, column: west >> by, row: node.row >> by, ..*node }
        };
        let Some(coarse) = (0..node.depth).rev().map(up).find(|node| set.contains(node)) else { continue };
        let by = node.depth - coarse.depth;
        let (fine, far) = (land.heights(*node, 0, &work).unwrap(), land.heights(coarse, 0, &work).unwrap());
        let first =
            (i64::from(node.row) * i64::from(QUADS)) - ((i64::from(coarse.row) * i64::from(QUADS)) << by);
        for row in 0..side {
            let place = (first + row as i64) as f32 / (1u32 << by) as f32;
            let (low, share) =
                (place.floor().min((side - 2) as f32), place - place.floor().min((side - 2) as f32));
            let at = |row: usize| far[row * side + side - 1];
            let there = at(low as usize) * (1.0 - share) + at(low as usize + 1) * share;
            let gap = fine[row * side] - there;
            let skirt = 4.0 * land.cell_at(if gap > 0.0 { node.depth } else { coarse.depth }) as f32;
            assert!(gap.abs() < skirt, "a gap of {gap} m behind a skirt of {skirt} m");
        }
        borders += 1;
    }
    assert!(borders > 5, "{borders} borders between levels");
}

#[test]
fn radii_and_recipes_that_make_no_planet_are_refused_with_what_would() {
    let recipe = Preset::find("endless-highlands").unwrap().recipe().unwrap();
    for radius in [0.0, -5.0, f64::NAN, f64::INFINITY, 9_999.0, 2.1e7] {
        let message = PlanetLand::new(&recipe, radius, &Work::new()).unwrap_err().to_string();
        assert!(message.contains("10000 to 20000000 m"), "{message}");
    }
    let eroded = Preset::find("high-range").unwrap().recipe().unwrap();
    let message = PlanetLand::new(&eroded, 200_000.0, &Work::new()).unwrap_err().to_string();
    assert!(message.starts_with("steps.") && message.contains("a planet's has no border"), "{message}");
    let land = plain("fbm(height: 100)", 50_000.0).unwrap();
    let deep = Node { face: 0, depth: land.deepest() + 1, column: 0, row: 0 };
    assert!(land.mesh(deep, &Work::new()).is_err());
    let finest = Node { depth: land.deepest(), ..deep };
    assert!(land.mesh(finest, &Work::new()).is_ok());
    // The largest planet has its finest nodes too.
    let large = plain("fbm(height: 100)", 2e7).unwrap();
    let last = (1 << large.deepest()) - 1;
    let finest = Node { face: 5, depth: large.deepest(), column: last, row: last };
    assert!(large.mesh(finest, &Work::new()).is_ok());
    let _ = Cache::default();
}

#[test]
fn a_face_between_its_blends_is_its_patch_and_the_height_in_a_direction_is_that_of_a_sample() {
    let land = plain("fbm(height: 900, octaves: 9)", 100_000.0).unwrap();
    let point = CubePoint::on_face(2, i64::from(QUADS) << land.deepest(), 12_345, 6_789);
    let height = land.height_towards(point.direction(), &Work::new()).unwrap();
    let node = Node { face: 2, depth: land.deepest(), column: 12_345 / QUADS, row: 6_789 / QUADS };
    let heights = land.heights(node, 0, &Work::new()).unwrap();
    let place = (6_789 % QUADS) * (QUADS + 1) + 12_345 % QUADS;
    assert_eq!(height, heights[place as usize]);
}
