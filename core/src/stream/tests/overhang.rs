//! Laws of ground that lies away from its samples: no cracks, and queries that find all of it.

use glam::DVec2;

use super::*;

/// Hills whose ground is moved sideways so far that it overhangs in many places.
struct Overhanging(Hills);

impl Overhanging {
    fn shift(&self, level: i32, index: [i64; 2]) -> [f32; 2] {
        let shape = self.0.0;
        let place = index.map(|place| (place << (level - shape.finest)) as f32 * shape.cell_at(shape.finest));
        [
            (place[0] * 0.035 + place[1] * 0.011).sin() * 60.0,
            (place[1] * 0.03 - place[0] * 0.007).sin() * 30.0,
        ]
    }
}

impl TileSource for Overhanging {
    fn shape(&self) -> LandShape {
        self.0.0
    }

    fn is_shifted(&self) -> bool {
        true
    }

    fn make(&self, tile: LandTile, _: &Work) -> Result<MadeTile> {
        let side = TILE_HEIGHTS as i64;
        let first = tile.first_sample().map(|first| first - TILE_BORDER - 1);
        let places = (0..side * side).map(|place| [first[0] + place % side, first[1] + place / side]);
        let heights = places.clone().map(|index| self.0.height(tile.level, index)).collect();
        let shifts = places.map(|index| self.shift(tile.level, index)).collect();
        let colours = vec![[0; 4]; TILE_TEXELS * TILE_TEXELS];
        let data =
            TileData { heights, shifts, holes: Vec::new(), gradients: None, colours, weights: Vec::new() };
        MadeTile::new(tile, data, self.0.0.cell_at(tile.level))
    }
}

fn known(finest: i32) -> Residency {
    let land = Overhanging(Hills(LandShape::bounded(8.0, [700, 300], finest)));
    let mut residency = Residency::new(land.shape(), BUDGET);
    fly(&land, &mut residency, &eye_at(DVec3::new(2000.0, 90.0, 1000.0)), 400, usize::MAX);
    residency
}

#[test]
fn shifted_ground_has_no_cracks_while_tiles_arrive_or_fail() {
    let land = Overhanging(Hills(LandShape::bounded(8.0, [700, 300], -2)));
    let shape = land.shape();
    for (frames, skip) in [(6, usize::MAX), (12, 11), (400, usize::MAX)] {
        let mut residency = Residency::new(shape, BUDGET);
        let eye = eye_at(DVec3::new(2000.0, 90.0, 1000.0));
        fly(&land, &mut residency, &eye, frames, skip);
        let (chunks, open) = cracks(&residency, &eye);
        assert!(chunks > 20);
        // Only the land's own border is open: its samples, wherever they have moved.
        let cell = shape.cell_at(shape.finest);
        let anchor = [2000.0, 1000.0].map(|place: f64| (place / f64::from(cell)).round() as f32 * cell);
        let extent = shape.extent().unwrap().as_vec2();
        let beyond = 61.0;
        let inner = |p: &Vec3| {
            let (x, z) = (p.x + anchor[0], p.z + anchor[1]);
            x > beyond && z > beyond && x < extent.x - beyond && z < extent.y - beyond
        };
        assert!(!open.is_empty());
        let cracks: Vec<_> = open.iter().filter(|edge| edge.iter().all(inner)).collect();
        assert!(cracks.is_empty(), "after {frames} frames: {cracks:?}");
    }
}

#[test]
fn parts_that_are_drawn_coarser_have_morphed() {
    let residency = known(-2);
    assert_eq!(residency.spread(), 60.0);
    // Ground of a chunk east of the picture's border may lie inside the picture.
    let eye = eye_at(DVec3::new(2000.0, 90.0, 1000.0));
    let wide = residency.select(&eye, Drawn::TRUE).len();
    let cut = |metres: f64| {
        let east = DVec4::new(-1.0, 0.0, 0.0, 2000.0 + metres);
        residency.select(&Eye { sides: vec![east], is_orthographic: true, ..eye.clone() }, Drawn::TRUE).len()
    };
    assert!(wide > 0 && cut(-60.0) <= cut(0.0));
}

/// Land that overhangs, all of which is resident at its own level.
fn all_at_its_own_level() -> (Overhanging, Residency) {
    let land = Overhanging(Hills(LandShape::bounded(8.0, [300, 200], 0)));
    let mut residency = Residency::new(land.shape(), BUDGET);
    let mut eye = eye_at(DVec3::new(1000.0, 90.0, 800.0));
    eye.texel_pixels = 0.1;
    fly(&land, &mut residency, &eye, 200, usize::MAX);
    (land, residency)
}

/// All triangles of the finest level, as they are drawn.
fn triangles(residency: &Residency) -> Vec<[DVec3; 3]> {
    let land = Overhanging(Hills(*residency.shape()));
    let shape = residency.shape();
    let at = |column: i64, row: i64| {
        let shift = land.shift(0, [column, row]).map(|shift| half::f16::from_f32(shift).to_f64());
        let height = f64::from(land.0.height(0, [column, row]));
        let cell = f64::from(shape.cell);
        DVec3::new(column as f64 * cell + shift[0], height, row as f64 * cell + shift[1])
    };
    let last = shape.last().unwrap();
    let cells = (0..last[1]).flat_map(|row| (0..last[0]).map(move |column| (column, row)));
    cells
        .flat_map(|(column, row)| {
            let [nw, ne] = [at(column, row), at(column + 1, row)];
            let [sw, se] = [at(column, row + 1), at(column + 1, row + 1)];
            [[nw, sw, ne], [se, ne, sw]]
        })
        .collect()
}

#[test]
fn every_surface_over_a_place_is_found() {
    let (land, residency) = all_at_its_own_level();
    let all = triangles(&residency);
    let mut several = 0;
    for number in 0..200 {
        let place = DVec2::new(150.3 + (number * 37 % 2000) as f64, 120.7 + (number * 53 % 1300) as f64);
        let mut expected: Vec<(f64, bool)> = Vec::new();
        for [a, b, c] in &all {
            let across = |p: DVec2, q: DVec2| p.x * q.y - p.y * q.x;
            let [a2, b2, c2] = [a, b, c].map(|p| DVec2::new(p.x, p.z) - place);
            let parts = [across(b2, c2), across(c2, a2), across(a2, b2)];
            let area: f64 = parts.iter().sum();
            if area != 0.0 && parts.iter().all(|part| part / area >= 0.0) {
                let height = (parts[0] * a.y + parts[1] * b.y + parts[2] * c.y) / area;
                expected.push((height, area < 0.0));
            }
        }
        expected.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = KnownGround::new(&residency).all_at(place.x, place.y);
        assert_eq!(found.len(), expected.len(), "{place}: {found:?} {expected:?}");
        for (found, (height, faces_up)) in found.iter().zip(&expected) {
            assert!((f64::from(found.height) - height).abs() < 1e-3, "{place}: {found:?} {height}");
            assert_eq!(found.normal.y > 0.0, *faces_up, "{place}");
        }
        assert_eq!(KnownGround::new(&residency).at(place.x, place.y), found.first().copied());
        if number % 5 == 0 {
            let exact = land.ground(place, &Work::new()).unwrap().ground;
            assert_eq!(Some(exact), found.first().copied(), "{place}");
        }
        several += usize::from(found.len() > 1);
    }
    assert!(several > 20, "{several} places have several surfaces");
    assert!(KnownGround::new(&residency).all_at(f64::NAN, 0.0).is_empty());
}

#[test]
fn a_line_enters_the_ground_at_the_first_triangle_on_it() {
    let (_, residency) = all_at_its_own_level();
    let all = triangles(&residency);
    let ground = KnownGround::new(&residency);
    for drawn in [Drawn::TRUE, Drawn { scale: -1.5, bias: 20.0 }] {
        let mut met = 0;
        for number in 0..150i32 {
            let place = |factor: i32, side: i32| f64::from((number * factor + 131) % side) + 0.37;
            let from = DVec3::new(place(37, 2300), 150.0 - place(61, 200), place(53, 1500));
            let to = DVec3::new(place(91, 2300), -90.0 + place(17, 200), place(29, 1500));
            let way = to - from;
            let mut nearest = f64::INFINITY;
            for corners in &all {
                let [a, b, c] = corners.map(|p| DVec3::new(p.x, p.y * drawn.scale + drawn.bias, p.z));
                // Cramer's rule on from + way · t = a + (b − a) · u + (c − a) · v.
                let (e, f, from_a) = (b - a, c - a, from - a);
                let scale = way.cross(f).dot(e);
                if scale == 0.0 || e.cross(f).dot(way) >= 0.0 {
                    continue;
                }
                let u = way.cross(f).dot(from_a) / scale;
                let v = from_a.cross(e).dot(way) / scale;
                let t = from_a.cross(e).dot(f) / scale;
                if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t) {
                    nearest = nearest.min(t);
                }
            }
            let found = ground.entered(from, to, drawn);
            match found {
                None => assert_eq!(nearest, f64::INFINITY, "{from} to {to}"),
                Some((p, at)) => {
                    met += 1;
                    assert!(p.distance(from + way * nearest) < 1e-3, "{p} {nearest}");
                    let height = f64::from(at.height) * drawn.scale + drawn.bias;
                    assert!((height - p.y).abs() < 1e-3);
                }
            }
        }
        assert!(met > 40, "{met} ways meet the ground");
    }
    for nowhere in [f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(ground.entered(DVec3::splat(nowhere), DVec3::ZERO, Drawn::TRUE), None);
        assert_eq!(ground.entered(DVec3::ZERO, DVec3::splat(nowhere), Drawn::TRUE), None);
    }
}

#[test]
fn unshifted_ground_is_found_as_by_following_the_line() {
    let land = Hills(LandShape::bounded(8.0, [700, 300], -2));
    let mut residency = Residency::new(land.0, BUDGET);
    fly(&land, &mut residency, &eye_at(DVec3::new(2000.0, 90.0, 1000.0)), 400, usize::MAX);
    let known = KnownGround::new(&residency);
    for number in 0..100i32 {
        let place = |factor: i32| f64::from((number * factor + 17) % 1000);
        let (x, z) = (1500.3 + place(37), 500.7 + place(53));
        let one = known.at(x, z).unwrap();
        let all = super::super::query::overhang::surfaces_over(&residency, DVec2::new(x, z));
        assert_eq!(all.len(), 1);
        assert!((all[0].height - one.height).abs() < 1e-4 && all[0].level == one.level);
        assert!(all[0].normal.distance(one.normal) < 1e-5);
    }
}
