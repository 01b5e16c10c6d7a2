//! An hour's flight, without drawing: no frame has a hole, and nothing grows.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::super::residency::Sizes;
use super::*;

/// Frames of an hour, and seconds of each.
const FRAMES: u64 = 36_000;
const FRAME: f64 = 0.1;

/// Metres per second.
const SPEED: f64 = 300.0;

const BUDGET: Budget = Budget { slots: 250, jobs: 8, fade: 0.25 };

/// Frames after a jump within which the first visible tiles are made.
const LANDING: u64 = 25;

/// Makes tiles without content, in a time that depends on the tile.
struct Workshop {
    shape: LandShape,
    heights: Arc<[f32]>,
    /// Tiles in progress: when each is ready, and after which edit it is made.
    orders: BTreeMap<LandTile, (u64, u64)>,
}

impl Workshop {
    fn order(&mut self, tile: LandTile, edit: u64, frame: u64) {
        let hash = (tile.column as u64).wrapping_mul(31) ^ (tile.row as u64).wrapping_mul(17) ^ frame;
        assert_eq!(self.orders.insert(tile, (frame + 1 + hash % 5, edit)), None, "{tile:?} is ordered twice");
    }

    fn made(&self, tile: LandTile) -> MadeTile {
        let error = 0.03 * self.shape.cell_at(tile.level);
        MadeTile {
            strokes: 0,
            tile,
            heights: self.heights.clone(),
            facts: [ChunkFacts { low: -60.0, high: 40.0, error, spread: 0.0 }; CHUNKS_IN_TILE],
            texels: TileTexels::default(),
        }
    }
}

struct Flight {
    residency: Residency,
    workshop: Workshop,
    eye: Eye,
    bearing: f64,
    landed: u64,
}

impl Flight {
    fn over(shape: LandShape, start: DVec2) -> Self {
        let heights = vec![0.0; TILE_TEXELS * TILE_TEXELS].into();
        let mut eye = eye_at(DVec3::new(start.x, 200.0, start.y));
        (eye.far, eye.texel_pixels, eye.ranges) = (6e4, 24.0, Ranges::new(1000.0, 6.0, 40.0, 160.0));
        Self {
            residency: Residency::new(shape, BUDGET),
            workshop: Workshop { shape, heights, orders: BTreeMap::new() },
            eye,
            bearing: 0.3,
            landed: 0,
        }
    }

    /// Turns, climbs and dives; stops for half a minute now and then; jumps every ten minutes.
    fn steer(&mut self, frame: u64) {
        let time = frame as f64 * FRAME;
        self.bearing += 0.02 * (time * 0.05).sin();
        let middle = self.workshop.shape.extent().map(|extent| extent * 0.5);
        if let Some(home) = middle.map(|middle| middle - DVec2::new(self.eye.position.x, self.eye.position.z))
            && home.length() > 0.6 * self.workshop.shape.extent().unwrap_or_default().length()
        {
            self.bearing = home.y.atan2(home.x);
        }
        let speed = if frame % 3000 < 300 { 0.0 } else { SPEED };
        let climb = 30.0 * (time * 0.02).cos();
        self.eye.velocity = DVec3::new(self.bearing.cos() * speed, climb, self.bearing.sin() * speed);
        self.eye.position += self.eye.velocity * FRAME;
        if frame % 6000 == 5999 {
            let far = if self.workshop.shape.size.is_some() { 3e4 } else { 4e6 };
            self.eye.position += DVec3::new(far, 0.0, -far) * if frame % 12_000 < 6000 { 1.0 } else { -1.0 };
            self.landed = frame;
        }
    }

    fn frame(&mut self, frame: u64) -> Plan {
        let now = frame as f64 * FRAME;
        if frame % 4001 == 4000 {
            self.residency.edit();
        }
        let done: Vec<_> = self
            .workshop
            .orders
            .iter()
            .filter(|(_, (due, _))| *due <= frame)
            .map(|(tile, _)| *tile)
            .collect();
        for tile in done {
            let Some((_, edit)) = self.workshop.orders.remove(&tile) else { continue };
            let is_root = tile.level == self.workshop.shape.coarsest;
            if !is_root && (tile.column ^ tile.row) & 255 == 77 {
                self.residency.fail(tile, edit);
            } else {
                self.residency.arrive(self.workshop.made(tile), edit, now);
            }
        }
        while let Some((made, edit)) = self.residency.take_early() {
            self.residency.arrive(made, edit, now);
        }
        self.residency.fade(now);
        let plan = self.residency.plan(std::slice::from_ref(&self.eye), Drawn::TRUE, now);
        for tile in &plan.stop {
            self.workshop.orders.remove(tile);
        }
        for &tile in &plan.start {
            self.workshop.order(tile, self.residency.edits(), frame);
        }
        plan
    }

    /// The drawn chunks cover every place near the eye once.
    fn has_no_hole(&self, frame: u64) {
        let shape = self.workshop.shape;
        let chunks = self.residency.select(&self.eye, Drawn::TRUE);
        let rectangles: Vec<_> = chunks.iter().map(|(chunk, _)| chunk.rectangle(shape.cell)).collect();
        let eye = DVec2::new(self.eye.position.x, self.eye.position.z);
        for away in [DVec2::ZERO, DVec2::new(300.1, 0.2), DVec2::new(-5e3, 2e3), DVec2::new(1e4, -1e4)] {
            let place = eye + away;
            if shape.has_place(place.x, place.y) {
                let count = rectangles
                    .iter()
                    .filter(|(low, high)| place.cmpge(*low).all() && place.cmplt(*high).all())
                    .count();
                assert_eq!(count, 1, "frame {frame}: chunks that cover {away} from the eye");
            }
        }
    }

    /// No collection exceeds its limit, and nothing is counted twice.
    fn is_in_bounds(&self, plan: &Plan) {
        let Sizes { free, in_flight, early, failed, missed, fading, gone } = self.residency.sizes();
        let resident = self.residency.resident();
        let Budget { slots, jobs, .. } = self.residency.budget();
        assert_eq!(resident + free, slots, "each slot is used once");
        assert!(gone <= free, "{gone} that went have no more memory than {free} free slots would");
        assert!(self.residency.bytes() <= slots * (4 * TILE_TEXELS * TILE_TEXELS + 2048));
        assert!(in_flight - early <= jobs && in_flight - early == self.workshop.orders.len());
        assert!(
            fading <= resident && missed <= plan.waiting + in_flight + failed && failed < 100,
            "{failed}"
        );
        assert!(early < 4 * jobs && plan.waiting < 2000, "{early}, {}", plan.waiting);
    }

    /// The table has the slot of each resident tile, and no other tile.
    fn has_a_true_table(&self) {
        let table = self.residency.table();
        let mut slots = HashSet::new();
        for tile in self.residency.tiles() {
            let entry = table.resident(tile).expect("it is in the table");
            assert!(
                slots.insert(entry.slot) && (entry.slot as usize) < self.residency.budget().slots,
                "{entry:?}"
            );
            assert!((0.0..=1.0).contains(&entry.fade));
            let is_root = tile.level == self.workshop.shape.coarsest;
            assert!(is_root || self.residency.has(tile.parent()), "{tile:?} has no parent");
            let is_open = |columns, rows| {
                let beside = tile.beside(columns, rows);
                !is_root && self.workshop.shape.has(beside) && !self.residency.has(beside)
            };
            assert_eq!(entry.open & OPEN_WEST != 0, is_open(-1, 0));
            assert_eq!(entry.open & OPEN_NORTH != 0, is_open(0, -1));
            assert_eq!(entry.open & OPEN_NORTH_WEST != 0, is_open(-1, -1));
        }
        assert_eq!(table.entries().iter().filter(|entry| **entry != [0; 4]).count(), slots.len());
    }

    fn fly(&mut self, frames: std::ops::Range<u64>) -> usize {
        let mut made = 0;
        for frame in frames {
            self.steer(frame);
            let plan = self.frame(frame);
            made += plan.start.len();
            if frame > self.landed + LANDING {
                self.has_no_hole(frame);
            }
            self.is_in_bounds(&plan);
            self.residency.table_mut().take_changes();
            if frame % 50 == 0 {
                self.has_a_true_table();
            }
        }
        made
    }
}

#[test]
fn an_hour_over_endless_land_has_no_hole_and_stays_within_its_budget() {
    let mut flight = Flight::over(LandShape::endless(10.0, -4, 40_000.0), DVec2::new(-1e6, 2e6));
    let made = flight.fly(0..FRAMES);
    assert!(made > 1500 && flight.residency.resident() > 100, "{made} tiles");
}

#[test]
fn an_hour_over_land_with_an_end_has_no_hole_and_stays_within_its_budget() {
    let mut flight = Flight::over(LandShape::bounded(10.0, [10_000, 7000], -3), DVec2::new(2e4, 3e4));
    let made = flight.fly(0..FRAMES);
    assert!(made > 1500 && flight.residency.resident() > 100, "{made} tiles");
}

#[test]
fn there_is_no_hole_with_the_smallest_or_largest_budget() {
    for (slots, jobs, fade) in [(0, 0, 0.0), (1, 1, -1.0), (usize::MAX, 3, f64::NAN), (64, 1, f64::INFINITY)]
    {
        let mut flight = Flight::over(LandShape::endless(10.0, -4, 40_000.0), DVec2::ZERO);
        // No farther than half a coarsest tile, since there are only a few then.
        flight.eye.far = 2e4;
        flight.residency = Residency::new(flight.workshop.shape, Budget { slots, jobs, fade });
        flight.landed = 200;
        flight.fly(0..1000);
    }
}

#[test]
fn a_camera_returning_from_afar_or_underground_finds_everything_unchanged() {
    for shape in [LandShape::endless(10.0, -4, 40_000.0), LandShape::bounded(10.0, [10_000, 7000], -3)] {
        let mut flight = Flight::over(shape, DVec2::splat(3e4));
        flight.fly(0..300);
        let home = flight.eye.position;
        let mut frame = 300;
        for place in
            [DVec3::NAN, DVec3::splat(f64::INFINITY), DVec3::new(1e9, 10.0, -1e9), home - DVec3::Y * 1e5]
        {
            for _ in 0..20 {
                flight.eye.position = place;
                let plan = flight.frame(frame);
                flight.is_in_bounds(&plan);
                flight.residency.select(&flight.eye, Drawn::TRUE);
                frame += 1;
            }
            flight.has_a_true_table();
            flight.eye.position = home;
            flight.landed = frame;
            flight.fly(frame..frame + 100);
            frame += 100;
        }
    }
}
