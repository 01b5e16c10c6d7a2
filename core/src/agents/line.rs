//! The cost of a straight line over a cost map, square by square.

use glam::DVec2;

use super::map::CostMap;

/// Two crossings of grid lines closer together than this share of a line are one: the line passes through a
/// corner.
const CORNER: f64 = 1e-9;

impl CostMap {
    /// The cost of the straight line between two places, in metres of level ground: for each square that it
    /// crosses, its length there times the cost of a metre, with the slope along the line. Places are in
    /// metres from the land's sample (0, 0). `None` if the line leaves the map, or passes through a square
    /// that is off-limits or through the corner of one.
    pub fn cost_between(&self, from: DVec2, to: DVec2) -> Option<f64> {
        let cell = f64::from(self.grid().cell);
        let origin = self.origin();
        self.cost_in_samples((from - origin) / cell, (to - origin) / cell)
    }

    /// As [`cost_between`](Self::cost_between), with places in samples from the first.
    pub(super) fn cost_in_samples(&self, from: DVec2, to: DVec2) -> Option<f64> {
        let way = to - from;
        let mut square = [0, 1].map(|axis| self.square_at(from[axis], way[axis]));
        self.open_square(square)?;
        let length = way.length() * f64::from(self.grid().cell);
        if !length.is_finite() {
            return None;
        }
        // With the direction reversed, so that an end between two squares counts to the one that the line
        // comes from.
        let last = [0, 1].map(|axis| self.square_at(to[axis], -way[axis]));
        let (mut cost, mut share) = (0.0, 0.0);
        let mut height = self.height_between(from);
        let mut add = |square: [i64; 2], to: f64| {
            let index = self.index_of(square);
            let piece = (to - share) * length;
            if piece > 0.0 {
                let there = self.height_between(from + way * to);
                cost += piece * self.factor(index) * self.pace().cost((there - height) / piece);
                (share, height) = (to, there);
            }
        };
        while square != last {
            // Where the line leaves the square, along each axis.
            let leaves = [0, 1].map(|axis| match way[axis] {
                0.0 => f64::INFINITY,
                along => (square[axis] as f64 + 0.5 * along.signum() - from[axis]) / along,
            });
            let next = leaves[0].min(leaves[1]);
            // The end lies in this square, although rounding has put it into the next one.
            if next >= 1.0 || next.is_nan() {
                break;
            }
            add(square, next.max(0.0));
            let steps = [0, 1].map(|axis| (leaves[axis] - next <= CORNER).then(|| way[axis].signum() as i64));
            if let [Some(east), Some(south)] = steps {
                // Agents cannot pass between two closed squares that touch only at a corner.
                self.open_square([square[0] + east, square[1]])?;
                self.open_square([square[0], square[1] + south])?;
            }
            for axis in [0, 1] {
                square[axis] += steps[axis].unwrap_or(0);
            }
            self.open_square(square)?;
        }
        add(square, 1.0);
        Some(cost)
    }

    /// The square that contains a place along an axis, or, on the border of two, the one into which a line
    /// leads.
    fn square_at(&self, place: f64, way: f64) -> i64 {
        let above = (place + 0.5).floor();
        let is_on_line = above == place + 0.5;
        let number = if is_on_line && way < 0.0 { above - 1.0 } else { above };
        number as i64
    }

    fn index_of(&self, [column, row]: [i64; 2]) -> usize {
        row as usize * self.grid().width + column as usize
    }

    /// `Some` if the square is on the map and open.
    fn open_square(&self, square: [i64; 2]) -> Option<()> {
        let size = [self.grid().width as i64, self.grid().depth as i64];
        let is_there = (0..2).all(|axis| (0..size[axis]).contains(&square[axis]));
        (is_there && self.is_open(self.index_of(square))).then_some(())
    }

    /// The height of the ground at a place in samples, bilinear between them.
    fn height_between(&self, place: DVec2) -> f64 {
        let grid = self.grid();
        let last = DVec2::new((grid.width - 1) as f64, (grid.depth - 1) as f64);
        let place = place.clamp(DVec2::ZERO, last);
        let first = place.floor();
        let (column, row) = (first.x as usize, first.y as usize);
        let (east, south) = ((column + 1).min(grid.width - 1), (row + 1).min(grid.depth - 1));
        let at = |column: usize, row: usize| f64::from(self.heights().at(column, row));
        let share = place - first;
        let between = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let north = between(at(column, row), at(east, row), share.x);
        let below = between(at(column, south), at(east, south), share.x);
        between(north, below, share.y)
    }
}
