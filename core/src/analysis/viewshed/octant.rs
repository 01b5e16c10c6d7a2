//! The eight sectors of 45° around a tower, all seen alike: rings outwards, steps aside.

use std::ops::Range;

use crate::grid::Grid;

/// A sector of 45° between an axis of the grid and a diagonal. Ring `i` is the line of samples `i` cells from
/// the tower along the axis; step `k`, from 0 on the axis to `i` on the diagonal, counts along the ring.
pub(super) struct Octant {
    /// The index of the tower's sample.
    origin: usize,
    /// From a ring to the next, in indices.
    outwards: isize,
    /// From a step to the next, in indices.
    aside: isize,
    /// The last ring that has samples within the radius.
    pub(super) reach: usize,
    /// The last step that lies on the land.
    pub(super) breadth: usize,
    /// The square of the radius, in cells.
    radius_squared: f64,
    /// Whether the axis is this octant's, and not its neighbour's.
    owns_axis: bool,
    /// Whether rings run along columns; if so, the diagonals are this octant's.
    pub(super) rings_are_columns: bool,
}

impl Octant {
    /// The octants around a column and a row in which there are samples, with a radius in cells.
    pub(super) fn around(grid: Grid, [column, row]: [usize; 2], radius: f64) -> Vec<Self> {
        let east = (1, grid.width - 1 - column);
        let south = (grid.width as isize, grid.depth - 1 - row);
        let (west, north) = ((-1, column), (-south.0, row));
        let mut octants = Vec::new();
        for (rings_are_columns, axes, sides) in
            [(true, [east, west], [south, north]), (false, [south, north], [east, west])]
        {
            for (outwards, far) in axes {
                for (aside, breadth) in sides {
                    let reach = far.min(radius as usize);
                    // The axis belongs to the first of its two octants.
                    let owns_axis = aside == sides[0].0;
                    if reach == 0 || (breadth == 0 && !owns_axis) {
                        continue;
                    }
                    let origin = row * grid.width + column;
                    let radius_squared = radius * radius;
                    octants.push(Self {
                        origin,
                        outwards,
                        aside,
                        reach,
                        breadth,
                        radius_squared,
                        owns_axis,
                        rings_are_columns,
                    });
                }
            }
        }
        octants
    }

    /// The index of a step of a ring.
    pub(super) fn index(&self, ring: usize, step: usize) -> usize {
        let away = ring as isize * self.outwards + step as isize * self.aside;
        self.origin.saturating_add_signed(away)
    }

    /// Visits some steps of some rings, each with its index, row by row. Steps that are not on the land, or
    /// lie beyond the diagonal, are left out.
    pub(super) fn visit(
        &self,
        rings: Range<usize>,
        steps: impl Fn(usize) -> Range<usize>,
        mut visitor: impl FnMut(usize, usize, usize),
    ) {
        let last = rings.end.saturating_sub(1).min(self.breadth);
        let steps: Vec<Range<usize>> = rings.clone().map(steps).collect();
        if self.rings_are_columns {
            // Rings that are columns are visited across, so that samples are read row by row as they lie in
            // memory.
            for step in 0..=last {
                // Rings within the step's own do not reach it.
                let reaching = rings.start.max(step)..rings.end;
                for ring in reaching.filter(|&ring| steps[ring - rings.start].contains(&step)) {
                    visitor(ring, step, self.index(ring, step));
                }
            }
        } else {
            for (ring, steps) in rings.zip(steps) {
                for step in steps.start..steps.end.min(last + 1) {
                    visitor(ring, step, self.index(ring, step));
                }
            }
        }
    }

    /// The steps of a ring within the radius that are this octant's, without those that a neighbour has.
    pub(super) fn steps(&self, ring: usize) -> Range<usize> {
        let first = usize::from(!self.owns_axis);
        let end = if self.rings_are_columns { ring + 1 } else { ring };
        let end = end.min(self.breadth + 1);
        let within = |step: usize| ((ring * ring + step * step) as f64) <= self.radius_squared;
        // Usually all of the ring lies within the radius.
        if end == 0 || within(end - 1) {
            return first..end.max(first);
        }
        // The square root is rounded: the last step within is this one or one next to it.
        let ring_squared = (ring * ring) as f64;
        let near = (self.radius_squared - ring_squared).max(0.0).sqrt() as usize;
        let last = (near.saturating_sub(1)..=near + 1).rev().find(|&step| within(step));
        first..last.map_or(first, |last| (last + 1).min(end).max(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_within_the_radius_is_in_one_octant() {
        for (width, depth) in [(1, 1), (1, 7), (9, 1), (2, 2), (8, 11), (23, 6)] {
            let grid = Grid::new(width, depth, 1.0).unwrap();
            for radius in [0.0, 1.0, 2.5, 5.0, 5f64.sqrt(), 1e30] {
                for place in 0..width * depth {
                    let (column, row) = (place % width, place / width);
                    let mut found = vec![0; grid.count()];
                    found[place] += 1;
                    for octant in Octant::around(grid, [column, row], radius) {
                        for ring in 1..=octant.reach {
                            octant.steps(ring).for_each(|step| found[octant.index(ring, step)] += 1);
                        }
                    }
                    for (index, count) in found.into_iter().enumerate() {
                        let (x, z) = ((index % width).abs_diff(column), (index / width).abs_diff(row));
                        let within = (x * x + z * z) as f64 <= radius * radius;
                        assert_eq!(count, usize::from(within), "{index} from {place} in {width}×{depth}");
                    }
                }
            }
        }
    }
}
