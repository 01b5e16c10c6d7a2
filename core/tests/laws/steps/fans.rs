//! Fans: where a river leaves its mountain, it drops sediment on the plain.

use upland_core::filter::{Erode, Outlets};
use upland_core::steps::Operation;
use upland_core::{Grid, Heightfield, Work};

/// Samples across the land, and from its northern to its southern side.
const SIDES: (usize, usize) = (81, 129);
/// Distance between samples, metres.
const CELL: f32 = 50.0;
/// The column of the valley, and the first row of the plain.
const APEX: (usize, usize) = (40, 64);
/// Half the width of the mountain, samples.
const HALF: usize = 20;

/// A mountain with one valley, 2 km wide, in front of a plain that falls by 2 m in 1 km. All else is sea.
fn mountain() -> Heightfield {
    let grid = Grid::new(SIDES.0, SIDES.1, CELL).unwrap();
    Heightfield::from_fn(grid, |column, row| {
        let (beside, above) = (column.abs_diff(APEX.0), APEX.1.saturating_sub(row) as f32);
        let is_sea = column == 0 || column + 1 == SIDES.0 || row + 1 == SIDES.1;
        if is_sea || (beside > HALF && above > 1.0) {
            return -10.0;
        }
        let plain = 20.0 + 0.002 * CELL * (SIDES.1 - 1 - row) as f32;
        let valley = 0.08 * above + 0.6 * beside.saturating_sub(1) as f32;
        let mountain = if beside > HALF { 0.0 } else { CELL * valley.min(0.6 * above) };
        // Two metres at most, so that rivers choose their ways.
        plain + mountain + ((column * 31 + row * 17) % 23) as f32 / 11.5
    })
}

/// The samples of the plain in five sectors of 30° around the apex, from west to east: their distances from
/// it in samples and their heights.
fn sectors(land: &Heightfield) -> [Vec<(f32, f32)>; 5] {
    let mut sectors = [const { Vec::new() }; 5];
    for row in APEX.1..SIDES.1 - 1 {
        for column in 1..SIDES.0 - 1 {
            let [east, south] = [column as f32 - APEX.0 as f32, (row - APEX.1) as f32];
            let bearing = east.atan2(south).to_degrees();
            let away = (east * east + south * south).sqrt();
            if bearing.abs() < 75.0 && (1.0..38.0).contains(&away) {
                sectors[((bearing + 75.0) / 30.0) as usize].push((away, land.at(column, row)));
            }
        }
    }
    sectors
}

/// How far the ground of a sector lies above a level, in samples: the radius of a sector of as large an area.
fn radius(sector: &[(f32, f32)], level: f32) -> f32 {
    let area = sector.iter().filter(|(_, height)| *height > level).count() as f32;
    (2.0 * area / 30.0_f32.to_radians()).sqrt()
}

/// With a sediment of 2 the fan is in places 0.2° too gentle, and not round near its apex: its slope is
/// proportional to what the river has to carry.
#[test]
fn fans_at_a_mountains_foot_slope_by_1_to_6_degrees_and_bulge() {
    let before = mountain();
    for sediment in [3.0, 5.0] {
        let mut land = before.clone();
        let erode = Erode { strength: 1.0, age: 0.3, smoothing: 5.0, max_slope: 35.0, ..Erode::default() };
        let erode = Erode { variety: 0.0, outlets: Outlets::Sea, sediment, ..erode };
        erode.apply_to(&mut land, 3, &Work::new()).unwrap();
        let sectors = sectors(&land);
        // From near the apex over 500 m down.
        for (number, sector) in sectors.iter().enumerate() {
            let mean = |near: f32, far: f32| {
                let ring = sector.iter().filter(|(away, _)| (near..far).contains(away));
                let (sum, count) = ring.fold((0.0, 0), |(sum, count), (_, height)| (sum + height, count + 1));
                sum / count as f32
            };
            let slope = ((mean(1.0, 4.0) - mean(11.0, 14.0)) / (10.0 * CELL)).atan().to_degrees();
            assert!((1.0..=6.0).contains(&slope), "{sediment}: {slope}° in sector {number}");
        }
        // Contours between the fan's foot and its apex lie further down the middle than their chord between
        // the outer sectors, 60° to both sides: that is a·c/(a + c) off the apex, for their radii a and c.
        let apex = land.at(APEX.0, APEX.1 + 1);
        let foot = before.at(APEX.0, APEX.1 + 15);
        for share in [0.3, 0.45, 0.6, 0.75] {
            let level = foot + share * (apex - foot);
            let [west, _, middle, _, east] = sectors.each_ref().map(|sector| radius(sector, level));
            let chord = west * east / (west + east);
            assert!(middle > 1.1 * chord, "{sediment}: {level} m: {middle} and {chord} samples");
        }
    }
}
