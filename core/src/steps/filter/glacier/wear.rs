//! How fast the bed of a glacier is worn, and the walls above it.
//!
//! Ice that slides at u metres a year wears 10⁻⁴ u metres of its bed away in a year (Humphrey and Raymond
//! 1994), mostly by pulling blocks off. It pulls more of them where its bed falls steeply, as there water
//! under it leaves hollows in the lee of steps. Where the bed rises ahead of the ice, water flows more slowly
//! and carries less debris away, which covers the rock; if it rises 1.2 times as steeply as the surface
//! falls, water freezes on its way (Alley et al. 2003). So the beginning of a basin gets steeper and its
//! bottom deeper, until its end is too steep: an overdeepening (Hooke 1991). Above the ice, frost breaks
//! walls back.

use super::bed;
use super::ice::Ice;
use crate::compute::work::Work;
use crate::error::Result;

/// Erosion by ice that slides 1 m a year, m/a (Humphrey and Raymond 1994).
pub(super) const ERODIBILITY: f64 = 1e-4;

/// Ice of this thickness erodes half as much as thick ice that is as fast: it presses less, metres.
pub(super) const THICK: f64 = 250.0;

/// How much the walls of a notch slow down the ice in it, for each unit of curvature times thickness, and the
/// width over which the curvature is measured, metres.
const DRAG: f64 = 1.5;
const NOTCH: f64 = 150.0;

/// Over which distance the ice moves and presses as one body, metres (standard deviation).
const WIDE: f64 = 300.0;

/// Over which distance ice feels how its bed falls, metres (standard deviation).
const FELT: f64 = 150.0;

/// How many times as steep as the ice's surface its bed may rise before nothing is worn any more: debris
/// covers it well before water freezes.
const ADVERSE: f64 = 0.5;

/// The most times that a steep bed is worn as fast as one that is parallel to the surface.
const MOST_PLUCKED: f64 = 2.0;

/// How fast frost breaks back walls above the ice, metres a year: about as in cirques (Sanders et al. 2012).
const FROST: f64 = 8e-4;

/// The slopes from which and beyond which frost breaks walls, metres per metre.
const WALL: [f64; 2] = [0.45, 0.8];

/// Ice that is thinner than this leaves a wall bare, metres.
const BARE: f64 = 15.0;

/// How far above the ice frost works, metres (standard deviation).
const NEAR: f64 = 120.0;

/// The most that one round wears away, metres at a right angle to the bed.
const MOST_WORN: f64 = 25.0;

/// How much some `years` wear away everywhere, metres at a right angle to the bed, under ice that slides at
/// `speed` over rock of this weakness.
pub(super) fn worn(
    ice: &Ice,
    mut speed: Vec<f64>,
    weakness: &[f64],
    years: f64,
    work: &Work,
) -> Result<Vec<f64>> {
    let grid = ice.grid();
    let (thickness, rock) = (&ice.thickness, &ice.bed);
    let has_ice = |at: usize| thickness[at] > 1.0;
    // The ice is one body: neither its speed nor its pull ends within a fraction of its thickness.
    bed::smooth_within(grid, &mut speed, has_ice, WIDE, work)?;
    let mut body = thickness.clone();
    bed::smooth_within(grid, &mut body, has_ice, WIDE, work)?;
    // Over its neighbours, so that no sample gets deeper only because it is deeper.
    let least = 0.7 * f64::from(grid.cell);
    let mut own = thickness.clone();
    bed::smooth_within(grid, &mut own, has_ice, least, work)?;
    let mut floor = rock.clone();
    bed::smooth_within(grid, &mut floor, |_| true, FELT, work)?;
    let mut near: Vec<f64> =
        thickness.iter().map(|thickness| f64::from(u8::from(*thickness > BARE))).collect();
    bed::smooth_within(grid, &mut near, |_| true, NEAR, work)?;
    let mut worn = bed::rows_of(grid, work, |column, row| {
        let at = row * grid.width + column;
        let mut fast = 0.0;
        if has_ice(at) {
            let presses = own[at] / (own[at] + THICK);
            // A notch holds the ice from both sides.
            let hollow = bed::hollow_across(grid, rock, |at| ice.surface(at), (column, row), NOTCH);
            let held = 1.0 + DRAG * body[at] * hollow;
            fast = ERODIBILITY * speed[at] / held * presses * plucked(ice, &floor, column, row);
        }
        if near[at] > 0.0 && thickness[at] < BARE {
            let [from, to] = WALL;
            let steep = ((bed::slope(grid, rock, column, row) - from) / (to - from)).clamp(0.0, 1.0);
            fast += FROST * steep * (4.0 * near[at]).min(1.0) * (1.0 - thickness[at] / BARE);
        }
        (fast * weakness[at] * years).min(MOST_WORN)
    })?;
    bed::smooth_within(grid, &mut worn, has_ice, least, work)?;
    Ok(worn)
}

/// How readily blocks are pulled off the bed, relative to one that is parallel to the ice's surface.
fn plucked(ice: &Ice, floor: &[f64], column: usize, row: usize) -> f64 {
    let grid = ice.grid();
    let [x, z] = bed::gradient(grid, |at| ice.surface(at), column, row);
    let [bed_x, bed_z] = bed::gradient(grid, |at| floor[at], column, row);
    let squared = x * x + z * z;
    if squared <= 1e-12 {
        return 1.0;
    }
    let steeper = (x * bed_x + z * bed_z) / squared;
    ((steeper + ADVERSE) / (1.0 + ADVERSE)).clamp(0.0, MOST_PLUCKED)
}
