//! Laws of streamed land: no holes, no cracks, within budget, whatever has arrived.

mod flight;
mod ground;
mod overhang;
mod queries;

use std::collections::HashMap;

use glam::{DVec3, DVec4, Vec3};
use proptest::prelude::*;

use super::drawing::eye::eye_at;
use super::*;
use crate::compute::work::Work;
use crate::error::Result;

/// Rough hills that follow from the place alone.
struct Hills(LandShape);

impl Hills {
    fn height(&self, level: i32, index: [i64; 2]) -> f32 {
        let finest = self.0.finest;
        let place = index.map(|place| place << (level - finest));
        let place = self
            .0
            .last()
            .map_or(place, |last| [0, 1].map(|axis| place[axis].clamp(0, last[axis] << -finest)));
        let hash = (place[0] as u32).wrapping_mul(0x9E37_79B1) ^ (place[1] as u32).wrapping_mul(0x85EB_CA77);
        let metres = place.map(|place| place as f32 * self.0.cell_at(finest));
        let hill = (metres[0] * 0.004).sin() * (metres[1] * 0.003).cos() * 60.0;
        hill + (hash.wrapping_mul(0x2545_F491) >> 24) as f32 * 0.02
    }
}

impl TileSource for Hills {
    fn shape(&self) -> LandShape {
        self.0
    }

    fn make(&self, tile: LandTile, _: &Work) -> Result<MadeTile> {
        let side = TILE_HEIGHTS as i64;
        let first = tile.first_sample().map(|first| first - TILE_BORDER - 1);
        let heights = (0..side * side)
            .map(|place| self.height(tile.level, [first[0] + place % side, first[1] + place / side]))
            .collect();
        let colours = vec![[0; 4]; TILE_TEXELS * TILE_TEXELS];
        let data = TileData {
            heights,
            shifts: Vec::new(),
            holes: Vec::new(),
            gradients: None,
            colours,
            weights: Vec::new(),
        };
        MadeTile::new(tile, data, self.0.cell_at(tile.level))
    }
}

const BUDGET: Budget = Budget { slots: 400, jobs: 4, fade: 0.25 };

/// Plans and lets requested tiles arrive, `frames` times; every tile except each `skip`th.
fn fly(land: &dyn TileSource, residency: &mut Residency, eye: &Eye, frames: usize, skip: usize) -> f64 {
    let mut now = 0.0;
    let mut number = 0;
    for _ in 0..frames {
        let plan = residency.plan(std::slice::from_ref(eye), Drawn::TRUE, now);
        now += 0.05;
        for tile in plan.start {
            number += 1;
            if number % skip == skip - 1 {
                assert!(residency.fail(tile, residency.edits()));
            } else {
                let edit = residency.edits();
                residency.arrive(land.make(tile, &Work::new()).unwrap(), edit, now);
            }
        }
        while let Some((made, edit)) = residency.take_early() {
            residency.arrive(made, edit, now);
        }
        residency.fade(now);
    }
    now
}

/// The edges of all drawn triangles that are not used once in either direction, without those on the border.
fn cracks(residency: &Residency, eye: &Eye) -> (usize, Vec<[Vec3; 2]>) {
    let surface = Surface::new(residency, eye, Drawn::TRUE);
    let chunks = residency.select(eye, Drawn::TRUE);
    let mut edges: HashMap<[[u32; 3]; 2], i32> = HashMap::new();
    for (DrawnChunk { chunk, part }, _) in &chunks {
        let at = |column, row| {
            let p = surface.displace(*chunk, (column, row)).expect("there is always something coarser");
            // Zero has two signs.
            (p + 0.0).to_array().map(f32::to_bits)
        };
        let [columns, rows] = part.quads();
        for (row, column) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
            let (nw, ne) = (at(column, row), at(column + 1, row));
            let (sw, se) = (at(column, row + 1), at(column + 1, row + 1));
            for triangle in [[nw, sw, ne], [ne, sw, se]] {
                for side in 0..3 {
                    let (a, b) = (triangle[side], triangle[(side + 1) % 3]);
                    if a < b {
                        *edges.entry([a, b]).or_default() += 1;
                    } else if b < a {
                        *edges.entry([b, a]).or_default() -= 1;
                    }
                }
            }
        }
    }
    let open = edges.into_iter().filter(|(_, count)| *count != 0);
    let open = open.map(|(edge, _)| edge.map(|p| Vec3::from_array(p.map(f32::from_bits))));
    (chunks.len(), open.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bounded_land_is_one_sheet_whatever_has_arrived(
        width in 2u32..700, depth in 2u32..700, finest in -2i32..=0,
        x in -500.0f64..3000.0, y in 0.0f64..400.0, z in -500.0f64..3000.0,
        frames in 1usize..14, skip in 3usize..40,
    ) {
        let land = Hills(LandShape::bounded(4.0, [width, depth], finest));
        let mut residency = Residency::new(land.shape(), BUDGET);
        let mut eye = eye_at(DVec3::new(x, y, z));
        eye.ranges = Ranges::new(120.0, 1.5, 4.0, 40.0);
        fly(&land, &mut residency, &eye, frames, skip);
        if !residency.has(LandTile { level: land.0.coarsest, column: 0, row: 0 }) {
            return Ok(());
        }
        let (_, open) = cracks(&residency, &eye);
        let surface = Surface::new(&residency, &eye, Drawn::TRUE);
        let root = Chunk { level: land.0.coarsest, column: 0, row: 0 };
        let north_west = surface.displace(root, (0, 0)).unwrap();
        let south_east = north_west + Vec3::new((width - 1) as f32 * 4.0, 0.0, (depth - 1) as f32 * 4.0);
        for [a, b] in open {
            let on_border = |p: Vec3| {
                (p.x - north_west.x).abs() < 1e-3 || (p.x - south_east.x).abs() < 1e-3
                    || (p.z - north_west.z).abs() < 1e-3 || (p.z - south_east.z).abs() < 1e-3
            };
            prop_assert!(on_border(a) && on_border(b), "{a} to {b}");
        }
    }

    #[test]
    fn endless_land_has_no_crack_but_at_its_end(
        x in -1.0e7f64..1.0e7, y in 40.0f64..400.0, z in -1.0e7f64..1.0e7,
        frames in 3usize..14, skip in 5usize..40,
    ) {
        let land = Hills(LandShape::endless(4.0, -2, 2000.0));
        let mut residency = Residency::new(land.shape(), BUDGET);
        let mut eye = eye_at(DVec3::new(x, y, z));
        eye.ranges = Ranges::new(120.0, 1.5, 4.0, 40.0);
        eye.far = 3000.0;
        // All coarsest tiles arrive.
        for root in land.0.roots(glam::DVec2::new(x, z), 3000.0) {
            prop_assert_eq!(root.level, land.0.coarsest);
        }
        fly(&land, &mut residency, &eye, 6, usize::MAX);
        fly(&land, &mut residency, &eye, frames, skip);
        let (count, open) = cracks(&residency, &eye);
        prop_assert!(count > 0);
        let side = f64::from(land.0.cell_at(land.0.coarsest)) * TILE_CELLS as f64;
        for [a, b] in open {
            // The end of the coarsest tiles lies beyond the eye's view, except for the last tile.
            let away = a.x.abs().max(a.z.abs()).min(b.x.abs().max(b.z.abs()));
            prop_assert!(f64::from(away) > 3000.0 - side, "{a} to {b}");
        }
    }
}

/// The error of drawing a chunk without every other of its samples, as in [`ChunkFacts::error`].
fn error_of(land: &Hills, chunk: Chunk) -> f32 {
    let first = [chunk.column, chunk.row].map(|place| i64::from(place * QUADS));
    let at = |column: i64, row: i64| land.height(chunk.level, [first[0] + column, first[1] + row]);
    let places =
        (0..=i64::from(QUADS)).flat_map(|row| (0..=i64::from(QUADS)).map(move |column| (column, row)));
    let errors = places.map(|(column, row)| {
        let (east, south) = (column & 1, row & 1);
        // The diagonal of a quad runs from its north-east to its south-west.
        let coarse = 0.5 * (at(column + east, row - south) + at(column - east, row + south));
        f64::from(at(column, row) - coarse).powi(2)
    });
    2.0 * (errors.sum::<f64>() / f64::from((QUADS + 1).pow(2))).sqrt() as f32
}

#[test]
fn bounds_of_chunks_coarser_than_all_tiles_are_never_too_small() {
    let land = Hills(LandShape::bounded(4.0, [1025, 1025], 0));
    let mut residency = Residency::new(land.shape(), BUDGET);
    fly(&land, &mut residency, &eye_at(DVec3::new(2000.0, 50.0, 2000.0)), 100, usize::MAX);
    let mut chunks = vec![Chunk { level: land.0.coarsest_drawn(), column: 0, row: 0 }];
    for level in (land.0.coarsest..=land.0.coarsest_drawn()).rev() {
        for chunk in &chunks {
            let known = residency.known(*chunk).unwrap();
            assert_eq!(chunk.level, level);
            assert!(known.error >= error_of(&land, *chunk), "{chunk:?}: {known:?}");
            let finer = chunk.children().map(|child| residency.known(child).unwrap());
            assert!(finer.iter().all(|finer| known.error >= 2.0 * finer.error && known.finer >= finer.error));
            assert!(finer.iter().all(|finer| known.low <= finer.low && known.high >= finer.high));
        }
        chunks = chunks.into_iter().flat_map(Chunk::children).collect();
    }
}

#[test]
fn far_land_is_one_chunk_and_only_necessary_parts_are_finer() {
    let land = Hills(LandShape::bounded(4.0, [1025, 1025], 0));
    let mut residency = Residency::new(land.shape(), Budget { slots: 800, ..BUDGET });
    let mut triangles = |away: f64| {
        let mut eye = eye_at(DVec3::new(2050.0 + away, 50.0, 2050.0));
        eye.ranges = Ranges::new(1000.0, 2.0, 10.0, 80.0);
        fly(&land, &mut residency, &eye, 100, usize::MAX);
        let (_, open) = cracks(&residency, &eye);
        assert!(open.iter().all(|[a, b]| a.x == b.x || a.z == b.z), "a border has no corners");
        let parts: Vec<_> = residency.select(&eye, Drawn::TRUE).iter().map(|(drawn, _)| drawn.part).collect();
        (parts.iter().map(|part| part.triangles()).sum::<usize>(), parts)
    };
    assert_eq!(triangles(1e6).1, [ChunkPart::Whole]);
    let (far, parts) = triangles(6000.0);
    assert!(parts.iter().any(|part| *part != ChunkPart::Whole), "some quarters are left");
    // Its coarsest tile alone has 64 chunks.
    assert!(far < 64 * ChunkPart::Whole.triangles() / 2, "{far}");
    assert!(triangles(0.0).0 > 2 * far);
}

#[test]
fn arrived_tiles_are_drawn_finer_and_everything_settles() {
    let land = Hills(LandShape::bounded(4.0, [1025, 1025], -3));
    let mut residency = Residency::new(land.shape(), Budget { slots: 800, ..BUDGET });
    let eye = eye_at(DVec3::new(2000.0, 50.0, 2000.0));
    let finest = |residency: &Residency| {
        residency.select(&eye, Drawn::TRUE).iter().map(|(drawn, _)| drawn.chunk.level).min().unwrap()
    };
    let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.0);
    let levels: Vec<i32> = plan.start.iter().map(|tile| tile.level).collect();
    assert_eq!(levels, [3, 2, 2, 2], "coarse before fine");
    let (needed, there) = residency.needed();
    assert!(needed >= levels.len() && there == 0, "{there} of {needed}");
    // Tiles may be made in any order.
    for tile in plan.start.into_iter().rev() {
        let is_root = tile.level == 3;
        let arrival = residency.arrive(land.make(tile, &Work::new()).unwrap(), 0, 0.0);
        assert_eq!(matches!(arrival, Arrival::Early), !is_root);
    }
    assert_eq!(residency.resident(), 1);
    assert_eq!(finest(&residency), 3);
    assert!(!residency.is_settled());
    fly(&land, &mut residency, &eye, 400, usize::MAX);
    assert!(residency.is_settled(), "{:?}", residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 1e3));
    assert_eq!(finest(&residency), -3);
    assert_eq!(residency.pressure(), 1.0);
    let (needed, there) = residency.needed();
    assert!(there == needed && needed <= residency.resident(), "{there} of {needed}");
}

#[test]
fn slots_never_run_out_and_land_under_a_flight_is_drawn() {
    let land = Hills(LandShape::endless(4.0, -3, 4000.0));
    let mut residency = Residency::new(land.shape(), Budget { slots: 150, jobs: 4, fade: 0.2 });
    let mut eye = eye_at(DVec3::new(0.0, 60.0, 0.0));
    eye.far = 6000.0;
    eye.velocity.x = 300.0;
    fly(&land, &mut residency, &eye, 8, usize::MAX);
    let mut now = 100.0;
    for _ in 0..600 {
        now += 1.0 / 30.0;
        eye.position.x += 10.0;
        let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, now);
        for tile in plan.start {
            let edit = residency.edits();
            residency.arrive(land.make(tile, &Work::new()).unwrap(), edit, now);
        }
        while let Some((made, edit)) = residency.take_early() {
            residency.arrive(made, edit, now);
        }
        residency.fade(now);
        assert!(residency.resident() <= 150);
        assert!(!residency.select(&eye, Drawn::TRUE).is_empty());
        let under = residency.finest_at(eye.position.x, eye.position.z).unwrap();
        let facts = (residency.resident(), residency.pressure(), now);
        assert!(under.level < land.0.coarsest, "{under:?} {facts:?}");
    }
    assert!(residency.pressure() > 1.0, "150 slots are too few");
}

/// Lets a requested tile arrive; returns whether it is shown.
fn arrive(land: &Hills, residency: &mut Residency, tile: LandTile, now: f64) -> bool {
    match residency.arrive(land.make(tile, &Work::new()).unwrap(), residency.edits(), now) {
        Arrival::Shown { .. } => true,
        Arrival::Early => false,
        Arrival::Dropped => panic!("{tile:?} is not needed"),
    }
}

/// Land of several levels, and an eye near its corner, with all needed tiles resident.
fn settled() -> (Hills, Residency, Eye, f64) {
    let land = Hills(LandShape::bounded(4.0, [1025, 1025], -1));
    let mut residency = Residency::new(land.shape(), BUDGET);
    let eye = eye_at(DVec3::new(100.0, 30.0, 100.0));
    let now = fly(&land, &mut residency, &eye, 300, usize::MAX);
    assert!(residency.is_settled());
    (land, residency, eye, now)
}

#[test]
fn an_edit_shows_with_its_first_tile_coarse_before_fine_and_nearest_first() {
    let (land, mut residency, eye, mut now) = settled();
    let before = residency.resident();
    residency.edit();
    let eyes = std::slice::from_ref(&eye);
    let plan = residency.plan(eyes, Drawn::TRUE, now);
    assert_eq!((residency.resident(), residency.stale()), (before, before), "drawn tiles stay");
    assert!(!residency.select(&eye, Drawn::TRUE).is_empty());
    // A tile from before the edit comes too late.
    let root = plan.start[0];
    assert_eq!(root.level, land.0.coarsest);
    let late = land.make(root, &Work::new()).unwrap();
    assert_eq!(residency.arrive(late, residency.edits() - 1, now), Arrival::Dropped);

    // A tile that is made before its parent waits for it.
    assert!(!arrive(&land, &mut residency, plan.start[1], now));
    assert!(arrive(&land, &mut residency, root, now));
    assert_eq!((residency.resident(), residency.stale()), (1, 0), "the former land is not drawn over it");
    assert!(!residency.select(&eye, Drawn::TRUE).is_empty());
    let mut shown = vec![root];
    let mut asked = plan.start[2..].to_vec();
    while !residency.is_settled() {
        shown.extend(asked.into_iter().filter(|tile| arrive(&land, &mut residency, *tile, now)));
        while let Some((made, edit)) = residency.take_early() {
            shown.push(made.tile);
            assert!(matches!(residency.arrive(made, edit, now), Arrival::Shown { .. }));
        }
        now += 0.05;
        asked = residency.plan(eyes, Drawn::TRUE, now).start;
        residency.fade(now);
    }
    for (number, tile) in shown.iter().enumerate().skip(1) {
        assert!(shown[..number].contains(&tile.parent()), "coarse before fine");
    }
    let first_of = |level: i32| shown.iter().find(|tile| tile.level == level).unwrap();
    for level in land.0.finest..land.0.coarsest {
        let first = first_of(level);
        assert_eq!((first.column, first.row), (0, 0), "level {level}: the eye is there");
    }
    assert!(residency.resident() > before * 9 / 10, "{} of {before}", residency.resident());
}

#[test]
fn former_ground_is_dropped_where_there_is_no_eye() {
    let (_, mut residency, _, now) = settled();
    residency.repaint();
    residency.plan(&[], Drawn::TRUE, now);
    assert_eq!(residency.resident(), 1, "the coarsest tile has the right ground in other colours");
    residency.edit();
    residency.plan(&[], Drawn::TRUE, now);
    assert_eq!(residency.resident(), 0, "queries would find the former ground");
}

#[test]
fn memory_of_tiles_from_before_an_edit_is_freed_bit_by_bit() {
    let (land, mut residency, eye, mut now) = settled();
    let (before, bytes) = (residency.resident(), residency.bytes());
    residency.edit();
    let eyes = std::slice::from_ref(&eye);
    let root = residency.plan(eyes, Drawn::TRUE, now).start[0];
    assert!(arrive(&land, &mut residency, root, now));
    assert_eq!((residency.resident(), residency.sizes().gone), (1, before - 1));
    assert!(residency.bytes() >= bytes - bytes / before, "it is counted until it is freed");
    let mut plans = 0;
    while residency.sizes().gone > 0 {
        let gone = residency.sizes().gone;
        now += 0.02;
        residency.plan(eyes, Drawn::TRUE, now);
        let given_back = gone - residency.sizes().gone;
        assert!(given_back > 0 && given_back <= 8.max(gone / 16), "{given_back} of {gone}");
        plans += 1;
    }
    assert!(plans > 4 && plans <= before / 8 + 1, "{plans} plans for {before} tiles");
}

#[test]
fn a_repaint_keeps_every_tile_until_it_is_remade() {
    let (land, mut residency, eye, now) = settled();
    let before = residency.resident();
    residency.repaint();
    let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, now);
    assert_eq!(plan.start[0].level, land.0.coarsest);
    for (number, tile) in plan.start.into_iter().rev().enumerate() {
        // In any order, because the ground is the same.
        assert!(arrive(&land, &mut residency, tile, now));
        assert_eq!((residency.resident(), residency.stale()), (before, before - 1 - number));
    }
    fly(&land, &mut residency, &eye, 300, usize::MAX);
    assert_eq!(residency.stale(), 0);
    assert!(residency.is_settled());
}

#[test]
fn drawn_tiles_stay_while_no_tile_of_a_changed_land_can_be_made() {
    let (_, mut residency, eye, now) = settled();
    let before = residency.resident();
    residency.edit();
    for frame in 0..9 {
        let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, now + f64::from(frame));
        for tile in plan.start {
            residency.fail(tile, residency.edits());
        }
    }
    assert_eq!(residency.resident(), before);
    assert!(residency.is_settled());
}

#[test]
fn a_failed_tile_is_reported_once_and_retried_when_the_land_changes() {
    let land = Hills(LandShape::bounded(4.0, [1025, 1025], 0));
    let mut residency = Residency::new(land.shape(), BUDGET);
    let eye = eye_at(DVec3::new(100.0, 30.0, 100.0));
    let root = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.0).start[0];
    assert!(residency.fail(root, 0) && !residency.fail(root, 0));
    let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.1);
    assert_eq!((plan.start.len(), plan.stop.len()), (0, 3), "nor are finer ones, which could not be drawn");
    residency.edit();
    assert_eq!(residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.2).start[0], root);
}

#[test]
fn a_camera_at_an_invalid_place_needs_no_tiles() {
    for shape in [LandShape::bounded(4.0, [1025, 1025], 0), LandShape::endless(4.0, -3, 4000.0)] {
        for place in [f64::NAN, f64::INFINITY, -1e300] {
            let mut residency = Residency::new(shape, BUDGET);
            let eye = eye_at(DVec3::new(0.0, place, 0.0));
            let plan = residency.plan(std::slice::from_ref(&eye), Drawn::TRUE, 0.0);
            assert!(plan.start.len() <= 9, "{place}: {}", plan.start.len());
            assert_eq!(residency.select(&eye, Drawn::TRUE), []);
        }
        // 10⁹ m away, and under the ground.
        for place in [DVec3::new(1e9, 0.0, -1e9), DVec3::new(500.0, -1e6, 500.0)] {
            let mut residency = Residency::new(shape, BUDGET);
            let plan = residency.plan(&[eye_at(place)], Drawn::TRUE, 0.0);
            assert!(plan.start.len() <= 9);
        }
    }
}

#[test]
fn tiles_outside_the_view_are_coarser() {
    let land = Hills(LandShape::endless(4.0, -3, 4000.0));
    let mut eye = eye_at(DVec3::new(0.0, 30.0, 0.0));
    eye.far = 3000.0;
    let count = |eye: &Eye| {
        let mut residency = Residency::new(land.shape(), Budget { slots: 2000, jobs: 64, fade: 0.0 });
        fly(&land, &mut residency, eye, 40, usize::MAX);
        residency.resident()
    };
    let all = count(&eye);
    eye.sides = vec![DVec4::new(1.0, 0.0, 0.0, 0.0)];
    let half = count(&eye);
    assert!(half < all * 3 / 4, "{half} of {all}");
}
