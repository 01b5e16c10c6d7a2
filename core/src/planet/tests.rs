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
        // By the point of the cube: height, position and normal, and the number of faces with it.
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
    // For steps that work by position; those that look around do so at their own level.
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
fn any_number_of_threads_gives_the_same_bits() {
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
fn weights_of_patches_add_up_to_one_and_keep_the_lands_variance() {
    let steps = 1024;
    for face in 0..FACES {
        for (x, y) in (0..=64).flat_map(|y| (0..=64).map(move |x| (x * 16, y * 16))) {
            let point = CubePoint::on_face(face, steps, x, y);
            let weights: Vec<f64> = (0..PATCHES).map(|patch| patches::weight(patch, point)).collect();
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w >= 0.0));
            assert_eq!(weights[PATCHES / 2], 0.0, "the inside of the cube is not a patch");
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
fn drawn_nodes_cover_the_visible_ground_once_from_orbit_to_the_ground() {
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
        // The ground under the eye and all around it is drawn.
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
fn skirts_are_deeper_than_the_gaps_between_levels() {
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
fn unsuitable_radii_and_recipes_are_refused_with_a_remedy() {
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
    // The largest planet also has its finest nodes.
    let large = plain("fbm(height: 100)", 2e7).unwrap();
    let last = (1 << large.deepest()) - 1;
    let finest = Node { face: 5, depth: large.deepest(), column: last, row: last };
    assert!(large.mesh(finest, &Work::new()).is_ok());
    let _ = Cache::default();
}

#[test]
fn between_its_blends_a_face_is_its_patch_with_the_heights_of_samples() {
    let land = plain("fbm(height: 900, octaves: 9)", 100_000.0).unwrap();
    let point = CubePoint::on_face(2, i64::from(QUADS) << land.deepest(), 12_345, 6_789);
    let height = land.height_towards(point.direction(), &Work::new()).unwrap();
    let node = Node { face: 2, depth: land.deepest(), column: 12_345 / QUADS, row: 6_789 / QUADS };
    let heights = land.heights(node, 0, &Work::new()).unwrap();
    let place = (6_789 % QUADS) * (QUADS + 1) + 12_345 % QUADS;
    assert_eq!(height, heights[place as usize]);
}

/// The mesh of a node and of its parent.
fn with_parent(land: &PlanetLand, node: Node) -> (NodeMesh, NodeMesh) {
    let mesh = |node| land.mesh(node, &Work::new()).unwrap();
    (mesh(node), mesh(node.parent().unwrap()))
}

#[test]
fn a_node_at_its_parents_distance_is_its_parent() {
    // With steps that look around, so that the samples of two levels differ.
    let land = land();
    let side = QUADS as usize + 1;
    for (face, column, row) in [(0, 0, 0), (3, 5, 2), (4, 7, 7)] {
        let (node, parent) = with_parent(&land, Node { face, depth: 3, column, row });
        let coarser = node.coarser(&parent).unwrap();
        let from_here = parent.centre - node.centre;
        let there = |vertex: usize| glam::Vec3::from(parent.positions[vertex]).as_dvec3() + from_here;
        let [first_column, first_row] = [column, row].map(|place| (place % 2) as usize * 32);
        for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
            let vertex = y * side + x;
            let here = glam::Vec3::from(coarser.positions[vertex]);
            let above = (y / 2 + first_row) * side + x / 2 + first_column;
            if x % 2 == 0 && y % 2 == 0 {
                // Both have the vertex: nothing but the centre differs.
                assert_eq!(here, there(above).as_vec3());
                assert_eq!(coarser.normals[vertex], parent.normals[above]);
                assert_eq!(coarser.colours[vertex], parent.colours[above]);
            } else {
                // On the parent's triangles: along a side, or along the diagonal that they share.
                let (a, b) = match (x % 2, y % 2) {
                    (1, 0) => (above, above + 1),
                    (0, 1) => (above, above + side),
                    _ => (above + 1, above + side),
                };
                assert_eq!(here, ((there(a) + there(b)) / 2.0).as_vec3());
            }
        }
        // The diagonal is one of the triangles' sides.
        let of_quad = &indices(face)[..6];
        assert!(of_quad.iter().filter(|&&vertex| vertex == 1).count() == 2, "{of_quad:?}");
        assert!(of_quad.iter().filter(|&&vertex| vertex == side as u32).count() == 2, "{of_quad:?}");
        assert_eq!(coarser.positions.len(), node.positions.len(), "skirts too");
        assert!(parent.coarser(&node).is_none() && node.coarser(&node).is_none());
    }
}

#[test]
fn neighbours_become_their_parents_without_a_gap() {
    let land = land();
    let side = QUADS as usize + 1;
    // Neighbours of one parent, of two, and of two faces.
    for [west, east] in [[(2, 4), (3, 4)], [(3, 4), (4, 4)]] {
        let [(a, a_parent), (b, b_parent)] =
            [west, east].map(|(column, row)| with_parent(&land, Node { face: 1, depth: 3, column, row }));
        let [of_a, of_b] = [a.coarser(&a_parent).unwrap(), b.coarser(&b_parent).unwrap()];
        for row in 0..side {
            let (last, first) = (row * side + side - 1, row * side);
            let at =
                |mesh: &NodeMesh, position: [f32; 3]| glam::Vec3::from(position).as_dvec3() + mesh.centre;
            let gap = at(&a, of_a.positions[last]) - at(&b, of_b.positions[first]);
            // Both are rounded to 32 bits from centres of their own.
            assert!(gap.length() < 0.01, "{gap} m");
            assert_eq!(of_a.normals[last].map(|n| n + 0.0), of_b.normals[first].map(|n| n + 0.0));
        }
    }
}

#[test]
fn ground_textures_continue_from_node_to_node() {
    for radius in [10_000.0, 6_371_000.0, 2e7] {
        let land = plain("fbm(height: 100)", radius).unwrap();
        for depth in [land.deepest() - 3, land.deepest()] {
            let cell = land.cell_at(depth);
            let last = (1u32 << depth) - 1;
            for column in [0, last / 3, last - 1] {
                let node = Node { face: 2, depth, column, row: last / 2 };
                let next = Node { column: column + 1, ..node };
                let end = land.place_of(node).x + f64::from(QUADS) * cell;
                assert_eq!(end, land.place_of(next).x, "to the bit");
                assert_eq!(land.place_of(node), land.place_of(node.children()[0]), "on every level");
            }
        }
    }
    let land = plain("fbm(height: 100)", 100_000.0).unwrap();
    let node = Node { face: 1, depth: 9, column: 70, row: 33 };
    let [here, next] = [node, Node { column: 71, ..node }].map(|node| land.mesh(node, &Work::new()).unwrap());
    let side = QUADS as usize + 1;
    for row in 0..side {
        let [a, b] = [here.places[row * side + side - 1], next.places[row * side]];
        assert_eq!((a[1], a[2], b[0]), (b[1], b[2], 0.0));
    }
    let types = land.ground_cover(&Work::new()).unwrap().types.len();
    let weights = here.weights.as_ref().unwrap();
    let across = (QUADS + 2 * NodeMesh::BORDER) as usize;
    assert_eq!((weights.width, weights.depth, weights.types), (across, across, types));
    assert!(
        land.mesh(Node { face: 1, depth: 0, column: 0, row: 0 }, &Work::new()).unwrap().weights.is_none()
    );
}

#[test]
fn nodes_look_like_their_parents_where_those_split_and_like_themselves_where_they_split() {
    let land = land();
    for (pixels, quad_pixels) in [(580.0, 2.0), (580.0, 3.0), (1160.0, 3.0)] {
        let eye = PlanetEye { position: DVec3::Y * 3e5, pixels, quad_pixels };
        for depth in 1..land.deepest() {
            let [parents, own] = [depth - 1, depth].map(|depth| eye.splitting_distance(&land, depth));
            // The far end of a node that is about to be replaced.
            let across = f64::from(QUADS) * std::f64::consts::SQRT_2 * land.cell_at(depth);
            let begins = eye.morph_begins() * parents;
            assert!(
                own + across <= begins * (1.0 + 1e-9) && begins < parents,
                "{own} + {across} m, {begins} m"
            );
        }
        assert_eq!(eye.splitting_distance(&land, land.deepest()), 0.0);
    }
}

#[test]
fn the_skirts_of_the_sea_are_deeper_than_the_sag_of_a_flat_quad() {
    let text = "(version: 1, name: \"p\", seed: 5, size: endless, cell: 100, unit: 50000,
        steps: [fbm(height: 900, octaves: 8)], water: (sea: true, sea_level: 0.0))";
    let land = PlanetLand::new(&Recipe::from_ron(text, "p.ron").unwrap(), 100_000.0, &Work::new()).unwrap();
    let side = QUADS as usize + 1;
    let made = Node::roots().map(|root| land.mesh(root.children()[0], &Work::new()).unwrap());
    let with_sea: Vec<_> = made.iter().filter(|mesh| mesh.sea.is_some()).collect();
    assert!(!with_sea.is_empty());
    for mesh in with_sea {
        let sea = mesh.sea.as_ref().unwrap();
        let height = |vertex: usize| {
            (glam::Vec3::from(sea.positions[vertex]).as_dvec3() + mesh.centre).length() - land.radius()
        };
        assert_eq!(sea.positions.len(), side * side + 4 * side);
        // A quad of the node's parent is twice as long, and its middle lies below the sphere by its sag.
        let wide = 2.0 * land.cell_at(mesh.node.depth);
        let below = wide * wide / (8.0 * land.radius());
        assert!((0..side).all(|foot| height(side * side + foot) < -below), "{} m", height(side * side));
        let cell = land.cell_at(mesh.node.depth) as f32;
        let triangles = sea_indices(mesh.node.face, sea, cell);
        let is_drawn = |vertex: usize| triangles.contains(&(vertex as u32));
        let is_dry = |column: usize| sea.depths[column] < -cell && sea.depths[side + column] < -cell;
        for step in 1..side - 1 {
            let all_dry = (step - 1..=step + 1).all(is_dry);
            let all_wet = (step - 1..=step + 1).all(|column| sea.depths[column] > 0.0);
            assert!(!(all_dry && is_drawn(side * side + step)), "a skirt on land");
            assert!(!all_wet || is_drawn(side * side + step), "no skirt at sea");
        }
    }
}
