//! The domain of a land, and the lattices of samples on which it can be evaluated.
//!
//! A position follows from whole numbers alone: the index of a sample and its level. So the same point has
//! the same bits in every window, and a point ten thousand kilometres away is as exact as one at the origin.

use std::ops::RangeInclusive;

use super::Grid;
use crate::error::{Error, Result};

/// The levels at which land can be requested: samples lie cell · 2^level apart.
pub const LEVELS: RangeInclusive<i32> = -20..=20;

/// How far from the origin land can be requested, in samples of the window's own level: 2⁴⁸. Positions
/// further out, as shares of a unit, would no longer be exact in f64.
pub const FARTHEST: i64 = 1 << 48;

/// Accepted lengths, in metres, of a generator's unit on endless land.
pub const UNITS: RangeInclusive<f32> = 1.0..=10_000_000.0;

/// Samples of the largest land that is made as a whole, 256 MiB of heights. The limit is the same on all
/// machines, whatever their memory, because land made in windows can differ in its last bits from land made
/// whole.
const LARGE: u64 = 8193 * 8193;

/// Where there is land, the distance between its samples at level 0, and the length of a generator's unit.
/// Frequencies are counted per unit, and positions in [`Region::x`](super::Region::x) are in units.
///
/// ```
/// # use upland_core as upland;
/// use upland::grid::{Domain, Window};
/// use upland::Grid;
///
/// // 8 km, and its longer side is the unit.
/// let bounded = Domain::of(Grid::new(1025, 513, 7.8125)?);
/// let finer = Window { level: -1, first: [600, 0], size: [65, 65] };
/// assert_eq!(bounded.region(finer)?.grid().cell, 3.90625);
/// assert!(bounded.region(Window { first: [2000, 0], ..finer }).is_err());
/// let endless = Domain::endless(10.0, 20_000.0)?;
/// assert!(endless.region(Window { first: [-1_000_000, 7], ..finer }).is_ok());
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    cell: f32,
    /// Samples along x and z at level 0; `None` where the land is endless.
    size: Option<[u32; 2]>,
    /// Metres in a unit.
    unit: f32,
    /// Cells of level 0 in a unit, possibly less than one.
    cells_in_unit: f64,
}

impl Domain {
    /// Bounded land of this grid; its unit is its longer side.
    pub fn of(grid: Grid) -> Self {
        Self {
            cell: grid.cell,
            size: Some([grid.width as u32, grid.depth as u32]),
            unit: grid.extent().max_element(),
            // From whole numbers rather than from `unit / cell`, whose rounding would shift positions.
            cells_in_unit: (grid.longer() - 1).max(1) as f64,
        }
    }

    /// Endless land, with samples `cell` metres apart at level 0 and a unit of `unit` metres.
    ///
    /// # Errors
    /// When `cell` is not above 0, or `unit` is outside [`UNITS`].
    pub fn endless(cell: f32, unit: f32) -> Result<Self> {
        if !(cell.is_finite() && cell > 0.0) {
            let reason = format!("{cell} is not a distance between samples; give metres above 0");
            return Err(Error::parameter("cell", reason));
        }
        if !UNITS.contains(&unit) {
            let reason = format!("{unit} is outside {} to {} m", UNITS.start(), UNITS.end());
            return Err(Error::parameter("unit", reason));
        }
        Ok(Self { cell, size: None, unit, cells_in_unit: f64::from(unit) / f64::from(cell) })
    }

    /// Metres between samples at level 0.
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Samples along x and z at level 0; `None` where the land is endless.
    pub fn size(&self) -> Option<[u32; 2]> {
        self.size
    }

    /// Whether there is ground between its samples: land with a single row of samples has none.
    pub(crate) fn has_cells(&self) -> bool {
        self.size().is_none_or(|size| size.iter().all(|side| *side > 1))
    }

    /// Whether the land has no border.
    pub fn is_endless(&self) -> bool {
        self.size.is_none()
    }

    /// Whether the land is bounded and has more than 8193² samples at level 0. Such land is made in windows
    /// only, unless a step must know all of it.
    pub fn is_large(&self) -> bool {
        self.size.is_some_and(|[width, depth]| u64::from(width) * u64::from(depth) > LARGE)
    }

    /// Metres in a generator's unit of length: the longer side of bounded land.
    pub fn unit(&self) -> f32 {
        self.unit
    }

    /// Extent of bounded land along x and z, in units; `None` where the land is endless.
    pub fn extent_in_units(&self) -> Option<[f64; 2]> {
        self.size.map(|size| size.map(|side| self.in_units(0, i64::from(side) - 1)))
    }

    /// Position, in units, of sample `index` of a row or column at `level`. The only rounding is one
    /// division.
    pub fn in_units(&self, level: i32, index: i64) -> f64 {
        // Scaling by a power of two is exact, so only the quotient is rounded, alike at every level.
        index as f64 * power_of_two(level) / self.cells_in_unit
    }

    /// Metres between samples at `level`.
    pub fn cell_at(&self, level: i32) -> f32 {
        self.cell * power_of_two(level) as f32
    }

    /// Samples of all the land along x and z at `level`; `None` where it is endless. From level 1 on, the
    /// last samples may lie short of the border.
    pub fn size_at(&self, level: i32) -> Option<[u64; 2]> {
        self.size.map(|size| {
            size.map(|side| {
                let cells = u64::from(side) - 1;
                if level < 0 {
                    // Shifts are clamped, because a shift by more bits than a number has panics.
                    (cells << -level.max(*LEVELS.start())) + 1
                } else {
                    (cells >> level.min(63)) + 1
                }
            })
        })
    }
}

/// 2^exponent, exactly.
fn power_of_two(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Window;

    #[test]
    fn a_place_has_the_same_bits_at_every_level() -> Result<()> {
        for domain in [Domain::of(Grid::new(1000, 77, 3.3)?), Domain::endless(0.7, 12_345.6)?] {
            for index in [0, 1, 7, 999] {
                let place = domain.in_units(0, index);
                for level in -20..=0 {
                    assert_eq!(domain.in_units(level, index << -level), place);
                }
                assert_eq!(domain.in_units(0, index * 1024), domain.in_units(10, index));
            }
        }
        Ok(())
    }

    #[test]
    fn windows_are_refused_just_outside_the_land_and_not_just_inside() -> Result<()> {
        let domain = Domain::of(Grid::new(101, 51, 10.0)?);
        let may = |level, first, size| domain.region(Window { level, first, size }).map(|_| ());
        assert!(may(0, [0, 0], [101, 51]).is_ok());
        assert!(may(0, [1, 0], [101, 51]).is_err() && may(0, [-1, 0], [2, 2]).is_err());
        // 201 × 101 samples; at level 1 51 × 26, at level 3 13 × 7: the remainder lies between samples of
        // that level.
        assert!(may(-1, [200, 100], [1, 1]).is_ok() && may(-1, [201, 100], [1, 1]).is_err());
        assert!(may(1, [50, 25], [1, 1]).is_ok() && may(1, [50, 26], [1, 1]).is_err());
        assert!(may(3, [12, 6], [1, 1]).is_ok() && may(3, [13, 6], [1, 1]).is_err());
        assert!(may(20, [0, 0], [1, 1]).is_ok() && may(21, [0, 0], [1, 1]).is_err());
        assert!(may(-20, [100 << 20, 50 << 20], [1, 1]).is_ok() && may(-21, [0, 0], [1, 1]).is_err());
        assert!(may(0, [0, 0], [0, 1]).is_err() && may(0, [i64::MAX, 0], [2, 1]).is_err());
        Ok(())
    }

    #[test]
    fn endless_land_ends_where_numbers_do() -> Result<()> {
        let domain = Domain::endless(1.0, 1000.0)?;
        let at = |x| domain.region(Window { level: 0, first: [x, 0], size: [1, 1] });
        assert!(at(FARTHEST).is_ok() && at(-FARTHEST).is_ok());
        assert!(at(FARTHEST + 1).is_err() && at(-FARTHEST - 1).is_err() && at(i64::MIN).is_err());
        assert!(Domain::endless(0.0, 1000.0).is_err() && Domain::endless(1.0, 0.99).is_err());
        assert!(Domain::endless(1.0, f32::NAN).is_err() && Domain::endless(1.0, 1.1e7).is_err());
        Ok(())
    }
}
