//! Windows: rectangles of samples of a land at some level.

use std::fmt;
use std::str::FromStr;

use super::{Domain, FARTHEST, Grid, LEVELS};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// A rectangle of samples at a level: level 0 has the land's own spacing, level −1 half of it, level 1
/// twice as much. Sample (0, 0) is the same point at every level.
///
/// ```
/// # use upland_core as upland;
/// let window: upland::grid::Window = "-1:600,-20,257x129".parse()?;
/// assert_eq!((window.level, window.first, window.size), (-1, [600, -20], [257, 129]));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// In [`LEVELS`].
    pub level: i32,
    /// Index of the first sample along x (east) and z (south), at this level.
    pub first: [i64; 2],
    /// Number of samples along x and z.
    pub size: [u32; 2],
}

impl Window {
    /// The rectangle grown by `samples` on every side.
    pub fn grown(self, samples: u32) -> Self {
        // Saturating, here and below: a window at the limits of its integers stays invalid and is refused by
        // `Domain::region`.
        let size = self.size.map(|side| side.saturating_add(samples).saturating_add(samples));
        let first = self.first.map(|first| first.saturating_sub(i64::from(samples)));
        Self { first, size, ..self }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, first: [x, z], size: [width, depth] } = self;
        write!(formatter, "{level}:{x},{z},{width}x{depth}")
    }
}

impl FromStr for Window {
    type Err = Error;

    /// Reads `LEVEL:X,Z,WxD`.
    fn from_str(text: &str) -> Result<Self> {
        let read = || {
            let (level, rest) = text.split_once(':')?;
            let mut parts = rest.split(',');
            let (x, z, size) = (parts.next()?, parts.next()?, parts.next()?);
            let (width, depth) = size.split_once(['x', '×'])?;
            let first = [x.trim().parse().ok()?, z.trim().parse().ok()?];
            let size = [width.trim().parse().ok()?, depth.trim().parse().ok()?];
            let level = level.trim().parse().ok()?;
            parts.next().is_none().then_some(Self { level, first, size })
        };
        read().ok_or_else(|| {
            let (finest, coarsest) = (LEVELS.start(), LEVELS.end());
            let reason = format!(
                "`{text}` is not a window; give LEVEL:X,Z,WxD, such as -1:600,0,257x257: the level ({finest} to {coarsest}; \
                 -1 is twice as fine), the first sample east and south, and how many there are"
            );
            Error::parameter("window", reason)
        })
    }
}

/// A window of a land: what a step computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    domain: Domain,
    window: Window,
    /// The lowest and highest height of all the land; set only for steps that need it.
    range: Option<(f32, f32)>,
}

impl From<Grid> for Region {
    /// All of a bounded land of this grid, at level 0.
    fn from(grid: Grid) -> Self {
        let window = Window { level: 0, first: [0, 0], size: [grid.width as u32, grid.depth as u32] };
        Self::unchecked(Domain::of(grid), window)
    }
}

impl Domain {
    /// All the land at level 0; `None` where it is endless.
    pub fn whole(&self) -> Option<Region> {
        let size = self.size()?;
        Some(Region::unchecked(*self, Window { level: 0, first: [0, 0], size }))
    }

    /// A window of this land.
    ///
    /// # Errors
    /// When the level is outside [`LEVELS`], when the window is empty or has more than
    /// [`MAX_SAMPLES`](crate::MAX_SAMPLES), or when it is not within the land.
    pub fn region(&self, window: Window) -> Result<Region> {
        let Window { level, first, size } = window;
        let refused = |reason: String| Err(Error::parameter("window", reason));
        if !LEVELS.contains(&level) {
            return refused(format!("level {level} is outside {} to {}", LEVELS.start(), LEVELS.end()));
        }
        if size.contains(&0) {
            return refused(format!("{}×{} samples hold nothing; give at least 1×1", size[0], size[1]));
        }
        Grid::new(size[0] as usize, size[1] as usize, self.cell_at(level))?;
        // Saturating: a window may begin at the last i64. It is then refused below.
        let last = [0, 1].map(|axis| first[axis].saturating_add(i64::from(size[axis]) - 1));
        match self.size_at(level) {
            Some(land) => {
                let is_inside = |axis: usize| first[axis] >= 0 && (last[axis] as u64) < land[axis];
                if !(is_inside(0) && is_inside(1)) {
                    return refused(format!(
                        "samples {} to {} along x and {} to {} along z reach beyond the land, which at level {level} \
                         has {}×{} samples, counted from 0",
                        first[0], last[0], first[1], last[1], land[0], land[1]
                    ));
                }
            }
            None => {
                let places = [first[0], last[0], first[1], last[1]].into_iter().zip(["x", "x", "z", "z"]);
                let mut far = places.filter(|(place, _)| place.unsigned_abs() > FARTHEST as u64);
                if let Some((far, axis)) = far.next() {
                    return refused(format!(
                        "sample {far} along {axis} at level {level} is outside -{FARTHEST} to {FARTHEST}"
                    ));
                }
            }
        }
        Ok(Region::unchecked(*self, window))
    }
}

impl Region {
    /// See [`Domain::region`].
    fn unchecked(domain: Domain, window: Window) -> Self {
        Self { domain, window, range: None }
    }

    /// The domain that it is a window of.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The window: level, first sample and size.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The level of its samples, in [`LEVELS`].
    pub fn level(&self) -> i32 {
        self.window.level
    }

    /// The number of its samples and the metres between them.
    pub fn grid(&self) -> Grid {
        let [width, depth] = self.window.size.map(|side| side as usize);
        Grid { width, depth, cell: self.domain.cell_at(self.window.level) }
    }

    /// Whether it covers all of a bounded land, at its level.
    pub fn is_whole(&self) -> bool {
        self.domain.whole().is_some_and(|whole| whole.window == self.window)
    }

    /// Index on the land of a column of the window.
    pub fn column(&self, column: usize) -> i64 {
        self.window.first[0] + column as i64
    }

    /// Index on the land of a row of the window.
    pub fn row(&self, row: usize) -> i64 {
        self.window.first[1] + row as i64
    }

    /// East-west position of a column of the window, in units from the origin, growing eastward.
    pub fn x(&self, column: usize) -> f64 {
        self.domain.in_units(self.window.level, self.column(column))
    }

    /// North-south position of a row of the window, in units from the origin, growing southward.
    pub fn z(&self, row: usize) -> f64 {
        self.domain.in_units(self.window.level, self.row(row))
    }

    /// Position of a column of the window, in metres east of the origin.
    pub fn x_in_metres(&self, column: usize) -> f64 {
        // The scaling by a power of two is exact, so a position is rounded once, by the product.
        libm::ldexp(self.column(column) as f64, self.level()) * f64::from(self.domain.cell())
    }

    /// Position of a row of the window, in metres south of the origin.
    pub fn z_in_metres(&self, row: usize) -> f64 {
        libm::ldexp(self.row(row) as f64, self.level()) * f64::from(self.domain.cell())
    }

    /// Converts a length in samples of level 0 into samples of this level: one level finer it is twice as
    /// many.
    pub fn samples(&self, at_level_0: f64) -> f64 {
        libm::ldexp(at_level_0, -self.window.level)
    }

    /// The region grown on every side by as many samples as `metres` spans, clipped to the land.
    ///
    /// # Errors
    /// When it becomes too large; see [`Domain::region`].
    pub fn grown(&self, metres: f32) -> Result<Self> {
        self.grown_by(self.samples_within(metres))
    }

    /// The number of samples of its level within a distance in metres, rounded up.
    pub(crate) fn samples_within(&self, metres: f32) -> u32 {
        // `as` saturates, so `Domain::region` refuses numbers that are far too large.
        (metres / self.domain.cell_at(self.window.level)).ceil() as u32
    }

    /// As [`grown`](Self::grown), by a number of samples.
    ///
    /// # Errors
    /// As [`grown`](Self::grown).
    pub fn grown_by(&self, samples: u32) -> Result<Self> {
        self.clipped(self.window.grown(samples))
    }

    /// The region of a coarser `level` whose samples surround these, grown by `more` samples on every side
    /// and clipped to the land.
    ///
    /// # Errors
    /// As [`grown`](Self::grown).
    pub(crate) fn at_coarser(&self, level: i32, more: u32) -> Result<Self> {
        let finer = level - self.level();
        let along = |axis: usize| {
            let (first, size) = (self.window.first[axis], i64::from(self.window.size[axis]));
            // Shifts round down, also below 0. The last sample is rounded up by negating twice, so that the
            // coarser ones surround these.
            let (first, last) = (first >> finer, -(-(first + size - 1) >> finer));
            (first, (last - first + 1) as u32)
        };
        let ((x, width), (z, depth)) = (along(0), along(1));
        self.clipped(Window { level, first: [x, z], size: [width, depth] }.grown(more))
    }

    /// The region that covers the samples displaced by any offset `by` (from least to most, along x and along
    /// z), grown by `more` samples on every side and clipped to the land. It may be larger than
    /// [`Domain::region`] accepts.
    pub(crate) fn moved(&self, by: [[i64; 2]; 2], more: u32) -> Self {
        let mut window = self.window;
        for (axis, [least, most]) in by.into_iter().enumerate() {
            window.first[axis] = window.first[axis].saturating_add(least);
            let size = i64::from(window.size[axis]).saturating_add(most.saturating_sub(least));
            window.size[axis] = u32::try_from(size).unwrap_or(u32::MAX);
        }
        Self { window: self.clip(window.grown(more)), ..*self }
    }

    /// The two halves of the region, cut across its longer side. `None` for a single sample.
    pub(crate) fn halves(&self) -> Option<[Self; 2]> {
        let [width, depth] = self.window.size;
        let axis = usize::from(depth > width);
        // The longer side is cut, so that halves stay as square as possible and share the shortest border.
        let half = self.window.size[axis] / 2;
        let (mut first, mut second) = (self.window, self.window);
        first.size[axis] = half;
        second.size[axis] -= half;
        second.first[axis] += i64::from(half);
        (half > 0).then(|| [first, second].map(|window| Self { window, ..*self }))
    }

    /// The field of the region from those of its [halves](Self::halves).
    ///
    /// # Errors
    /// As [`Heightfield::new`].
    pub(crate) fn join(&self, halves: [&Heightfield; 2]) -> Result<Heightfield> {
        let grid = self.grid();
        let mut heights = Vec::with_capacity(grid.count());
        if halves[0].grid().width == grid.width {
            halves.iter().for_each(|half| heights.extend_from_slice(half.heights()));
        } else {
            for row in 0..grid.depth {
                halves.iter().for_each(|half| heights.extend_from_slice(half.row(row)));
            }
        }
        Heightfield::new(grid, heights)
    }

    fn clipped(&self, window: Window) -> Result<Self> {
        Ok(Self { range: self.range, ..self.domain.region(self.clip(window))? })
    }

    /// The part of a window that lies on the land; if there is none, the border nearest to it.
    fn clip(&self, mut window: Window) -> Window {
        if let Some(land) = self.domain.size_at(window.level) {
            for ((first, size), land) in window.first.iter_mut().zip(&mut window.size).zip(land) {
                // At least one sample stays, at the nearest border, because an empty window is invalid.
                let end = first.saturating_add(i64::from(*size)).clamp(1, land as i64);
                *first = (*first).clamp(0, end - 1);
                *size = u32::try_from(end - *first).unwrap_or(u32::MAX);
            }
        }
        window
    }

    /// Whether all samples of another region are also samples of this one.
    pub(crate) fn has(&self, inner: &Self) -> bool {
        let (own, other) = (self.window, inner.window);
        let end = |window: Window, axis: usize| window.first[axis] + i64::from(window.size[axis]);
        let is_within =
            |axis: usize| own.first[axis] <= other.first[axis] && end(other, axis) <= end(own, axis);
        self.domain == inner.domain && own.level == other.level && is_within(0) && is_within(1)
    }

    /// Crops `field`, which covers `self`, to `inner`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when `inner` is not within `self`, and [`Error::Cancelled`].
    pub fn cut(&self, field: Heightfield, inner: &Self, work: &Work) -> Result<Heightfield> {
        if self.window == inner.window { Ok(field) } else { self.part(&field, inner, work) }
    }

    /// As [`cut`](Self::cut), for a borrowed field.
    ///
    /// # Errors
    /// As [`cut`](Self::cut).
    #[doc(hidden)]
    pub fn part(&self, field: &Heightfield, inner: &Self, work: &Work) -> Result<Heightfield> {
        let offset = [0, 1].map(|axis| inner.window.first[axis] - self.window.first[axis]);
        let to = inner.grid();
        if !self.has(inner) || field.grid() != self.grid() {
            let reason = format!("{} is not a part of {}", inner.window, self.window);
            return Err(Error::parameter("window", reason));
        }
        field.part(to, offset.map(|offset| offset as usize), work)
    }

    /// The region with the lowest and highest height of all the land attached.
    pub fn with_range(self, range: (f32, f32)) -> Self {
        Self { range: Some(range), ..self }
    }

    /// The lowest and highest height of all the land as the current step receives it: the attached range, or
    /// that of `field`, which must then be all of the land.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn range_of(&self, field: &Heightfield, work: &Work) -> Result<(f32, f32)> {
        match self.range {
            Some(range) => Ok(range),
            None => field.range_while(work),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_written_as_they_are_read() {
        for text in ["0:0,0,1x1", "-20:-5,7,65x33", "3:281474976710656,-1,1025x2"] {
            let window: Window = text.parse().unwrap();
            assert_eq!(window.to_string(), text);
        }
        for text in ["", "0", "0:1,2", "0:1,2,3", "0:1,2,3x4,5", "a:1,2,3x4", "0:1,2,-3x4", "0:1.5,2,3x4"] {
            let said = text.parse::<Window>().unwrap_err().to_string();
            assert!(said.contains("LEVEL:X,Z,WxD"), "{said}");
        }
    }

    #[test]
    fn a_halo_ends_with_the_land() -> Result<()> {
        let domain = Domain::of(Grid::new(21, 11, 10.0)?);
        let region = domain.region(Window { level: -1, first: [2, 10], size: [5, 9] })?;
        let grown = region.grown(16.0)?;
        assert_eq!(grown.window(), Window { level: -1, first: [0, 6], size: [11, 15] });
        let field = Heightfield::from_fn(grown.grid(), |column, row| (column * 100 + row) as f32);
        let cut = grown.cut(field, &region, &Work::new())?;
        assert_eq!(cut.grid(), region.grid());
        assert_eq!((cut.at(0, 0), cut.at(4, 8)), (204.0, 612.0));
        Ok(())
    }
}
