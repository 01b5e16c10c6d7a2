//! Erosion by drops of water, after Beyer, "Implementation of a method for hydraulic erosion" (2015).
//!
//! Each drop begins at a random place under the brush, runs downhill with some inertia, and carries as much
//! sediment as its speed, its water and the slope allow: it erodes the ground while it can carry more, and
//! deposits what it can no longer carry. Lengths are counted in cells of the stroke's lattice. Drops run one
//! after the other, so that the result does not depend on threads.

use super::stroke::Stroke;
use crate::compute::work::Work;
use crate::error::Result;

/// The share of its former direction that a drop keeps.
const INERTIA: f32 = 0.1;
/// Sediment that a drop carries for each unit of slope, speed and water, cells.
const CAPACITY: f32 = 6.0;
/// The least slope in this formula.
const LEAST_SLOPE: f32 = 0.01;
/// Per step, this share of the capacity deficit is eroded, and of the excess deposited.
const WEAR: f32 = 0.3;
const DEPOSIT: f32 = 0.3;
/// The share of water that is lost in each step.
const EVAPORATION: f32 = 0.02;
const GRAVITY: f32 = 4.0;
/// The most steps of a drop.
const STEPS: usize = 48;
/// Drops between two checks for cancellation.
const ASKED: u64 = 256;
/// How many samples around a drop it erodes.
const BRUSH: i64 = 2;

/// The change of each height on a stroke's lattice, metres.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn erode(
    stroke: &Stroke,
    drops_per_cell: f32,
    heights: &[f32],
    [width, depth]: [usize; 2],
    cell: f64,
    work: &Work,
) -> Result<Vec<f32>> {
    // A drop needs a cell with neighbours on every side.
    if width < 4 || depth < 4 {
        return Ok(vec![0.0; heights.len()]);
    }
    // In cells, as the formulas expect, and relative to the first height: high land would lose digits.
    let (per_cell, foot) = ((1.0 / cell) as f32, heights[0]);
    let before: Vec<f32> = heights.iter().map(|height| (height - foot) * per_cell).collect();
    let mut land = before.clone();
    let brush = wear_brush();
    let count = (f64::from(drops_per_cell) * (width * depth) as f64) as u64;
    // From the stroke alone, so that it digs the same valley whenever it is made again.
    let mut random = Random(seed_of(stroke));
    for number in 0..count {
        if number.is_multiple_of(ASKED) {
            work.check()?;
        }
        // One cell less than the lattice, because a drop reads the sample to the right and below.
        let at = [random.next() * (width - 2) as f32, random.next() * (depth - 2) as f32];
        run(&mut land, [width, depth], at, &brush);
    }
    Ok(land.iter().zip(before).map(|(after, before)| (after - before) * cell as f32).collect())
}

/// Lets a drop run from a place.
fn run(land: &mut [f32], [width, depth]: [usize; 2], start: [f32; 2], brush: &[(i64, i64, f32)]) {
    let [mut x, mut z] = start;
    let (mut way_x, mut way_z) = (0.0f32, 0.0f32);
    let (mut speed, mut water, mut sediment) = (1.0f32, 1.0f32, 0.0f32);
    for _ in 0..STEPS {
        let (column, row) = (x as usize, z as usize);
        let (right, down) = (x - column as f32, z - row as f32);
        let index = row * width + column;
        let [nw, ne, sw, se] = [land[index], land[index + 1], land[index + width], land[index + width + 1]];
        let slope_x = (ne - nw) * (1.0 - down) + (se - sw) * down;
        let slope_z = (sw - nw) * (1.0 - right) + (se - ne) * right;
        let height = bilinear([nw, ne, sw, se], right, down);
        // Beyer's equation: dir = dir · p_inertia − g · (1 − p_inertia).
        way_x = way_x * INERTIA - slope_x * (1.0 - INERTIA);
        way_z = way_z * INERTIA - slope_z * (1.0 - INERTIA);
        let length = (way_x * way_x + way_z * way_z).sqrt();
        // On level ground there is no way down, and a random one would make patterns.
        if length < 1e-6 {
            break;
        }
        (way_x, way_z) = (way_x / length, way_z / length);
        let (to_x, to_z) = (x + way_x, z + way_z);
        // Written so that NaN leaves the lattice as well.
        if !(to_x >= 0.0 && to_x < (width - 2) as f32 && to_z >= 0.0 && to_z < (depth - 2) as f32) {
            break;
        }
        let next = to_z as usize * width + to_x as usize;
        let corners = [land[next], land[next + 1], land[next + width], land[next + width + 1]];
        let fall = height - bilinear(corners, to_x - to_x.floor(), to_z - to_z.floor());
        // c = max(−h_dif, p_minSlope) · vel · water · p_capacity.
        let capacity = CAPACITY * fall.max(LEAST_SLOPE) * speed * water;
        if fall < 0.0 || sediment > capacity {
            // Uphill it fills the hollow behind it, as far as its sediment goes.
            let laid = if fall < 0.0 { sediment.min(-fall) } else { (sediment - capacity) * DEPOSIT };
            sediment -= laid;
            land[index] += laid * (1.0 - right) * (1.0 - down);
            land[index + 1] += laid * right * (1.0 - down);
            land[index + width] += laid * (1.0 - right) * down;
            land[index + width + 1] += laid * right * down;
        } else {
            // Never deeper than the next place, or the hollow would deepen itself.
            let worn = ((capacity - sediment) * WEAR).min(fall);
            sediment += worn;
            // Spread over neighbours: worn at a single point, each drop would cut a slot.
            for &(right, down, weight) in brush {
                let column = (column as i64 + right).clamp(0, width as i64 - 1) as usize;
                let row = (row as i64 + down).clamp(0, depth as i64 - 1) as usize;
                land[row * width + column] -= worn * weight;
            }
        }
        // v = √(v² + h_dif · p_gravity); uphill the sum may be negative, whose root would be NaN.
        speed = (speed * speed + fall * GRAVITY).max(0.0).sqrt();
        water *= 1.0 - EVAPORATION;
        (x, z) = (to_x, to_z);
    }
}

fn bilinear([nw, ne, sw, se]: [f32; 4], right: f32, down: f32) -> f32 {
    let (north, south) = (nw + (ne - nw) * right, sw + (se - sw) * right);
    north + (south - north) * down
}

/// Samples around a drop, and the share of the erosion at each: less with distance.
fn wear_brush() -> Vec<(i64, i64, f32)> {
    let around = || (-BRUSH..=BRUSH).flat_map(|down| (-BRUSH..=BRUSH).map(move |right| (right, down)));
    // A cone: it falls evenly to 0 half a cell beyond the brush.
    let weight = |(right, down): (i64, i64)| {
        let away = ((right * right + down * down) as f32).sqrt();
        (BRUSH as f32 + 0.5 - away).max(0.0)
    };
    let total: f32 = around().map(weight).sum();
    around()
        .map(|place| (place.0, place.1, weight(place) / total))
        .filter(|(_, _, weight)| *weight > 0.0)
        .collect()
}

/// Pseudorandom numbers: SplitMix64 (Steele and others, "Fast splittable pseudorandom number generators",
/// 2014).
struct Random(u64);

impl Random {
    /// The next, in [0, 1).
    fn next(&mut self) -> f32 {
        // SplitMix64, of Steele, Lea and Flood (2014): the golden ratio as the step, then a mix of all bits.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        // The upper 24 bits: as many as an f32 holds exactly.
        (mixed(self.0) >> 40) as f32 / (1u64 << 24) as f32
    }
}

fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A seed that follows from the place and size of a stroke.
fn seed_of(stroke: &Stroke) -> u64 {
    let places = stroke.path.iter().flatten().map(|place| place.to_bits());
    places.fold(u64::from(stroke.radius.to_bits()), |seed, bits| mixed(seed ^ bits))
}
