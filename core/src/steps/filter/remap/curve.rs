//! Curve: maps heights by a curve through five points.
//!
//! The curve maps the lowest and the highest point of the land to themselves and goes through three points
//! between. It is piecewise linear, or a monotone cubic whose slopes are harmonic means, so that it never
//! overshoots its points (Fritsch and Butland, "A Method for Constructing Local Monotone Piecewise Cubic
//! Interpolants", 1984).

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::params::{choice, params};
use crate::steps::filter::remap::each_height;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

choice! {
    /// How a curve runs between its points.
    pub enum CurveShape {
        /// Smooth, and level where it turns.
        Smooth = "smooth",
        /// Straight, with a corner at every point.
        Straight = "straight",
    }
}

params! {
    /// Maps heights along a curve: wide plains, steep middles, cut-off or upturned summits. All values are
    /// shares of the land's range, 0 its lowest and 1 its highest point; these two stay where they are.
    pub struct Curve {
        /// Height of the first point before: this height …
        pub from_1: f32 = 0.25, "" in 0.001..=0.999;
        /// … becomes this one.
        pub to_1: f32 = 0.1, "" in 0.0..=1.0;
        /// Height of the second point before, above that of the first: this height …
        pub from_2: f32 = 0.5, "" in 0.001..=0.999;
        /// … becomes this one.
        pub to_2: f32 = 0.3, "" in 0.0..=1.0;
        /// Height of the third point before, above that of the second: this height …
        pub from_3: f32 = 0.75, "" in 0.001..=0.999;
        /// … becomes this one.
        pub to_3: f32 = 0.6, "" in 0.0..=1.0;
        /// How the curve runs between the points.
        pub shape: CurveShape = CurveShape::Smooth;
    }
}

impl Operation for Curve {
    step!("curve", "Curve", Filter);

    /// # Errors
    /// When the points are not in ascending order.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let pieces = self.pieces()?;
        let (low, high) = ground.region().range_of(&ground.heights, work)?;
        let span = high - low;
        // Level ground has no range to take shares of.
        if span <= 0.0 {
            return Ok(());
        }
        each_height(ground, "curve", work, |height| {
            let share = (height - low) / span;
            // The index is counted, not searched for: on rough land a search mispredicts most branches.
            let piece: usize = pieces[1..].iter().map(|piece| usize::from(share >= piece.from)).sum();
            // Rounding may leave the range by a little, and later steps rely on it.
            (low + span * pieces[piece].at(share)).clamp(low, high)
        })
    }

    fn formula(&self) -> Option<String> {
        self.pieces().ok()?;
        let points = [(self.from_1, self.to_1), (self.from_2, self.to_2), (self.from_3, self.to_3)];
        let points = points.map(|(from, to)| format!("{}→{}", brief(from), brief(to))).join(", ");
        let shape = match self.shape {
            CurveShape::Smooth => "monotone cubics",
            CurveShape::Straight => "straight lines",
        };
        Some(format!(
            "h′ = min h + r · C((h − min h) / r),  r = max h − min h\nC: 0→0, {points}, 1→1 by {shape}"
        ))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Range
    }
}

/// The cubic between two points of the curve: ((cubic·t + square)·t + slope)·t + to.
struct Piece {
    from: f32,
    length: f32,
    to: f32,
    slope: f32,
    square: f32,
    cubic: f32,
}

impl Piece {
    fn at(&self, share: f32) -> f32 {
        let t = (share - self.from) / self.length;
        ((self.cubic * t + self.square) * t + self.slope) * t + self.to
    }
}

impl Curve {
    fn pieces(&self) -> Result<[Piece; 4]> {
        let from = [0.0, self.from_1, self.from_2, self.from_3, 1.0];
        let to = [0.0, self.to_1, self.to_2, self.to_3, 1.0];
        for (index, name) in [(1, "from_2"), (2, "from_3")] {
            // Pieces of no length would divide by 0.
            if from[index + 1] <= from[index] {
                let reason = format!("{} is not above `from_{index}`, {}", from[index + 1], from[index]);
                return Err(Error::parameter(name, format!("{reason}; points go upwards")));
            }
        }
        let length: [f32; 4] = std::array::from_fn(|index| from[index + 1] - from[index]);
        let rise: [f32; 4] = std::array::from_fn(|index| (to[index + 1] - to[index]) / length[index]);
        let slope: [f32; 5] = std::array::from_fn(|index| match index {
            // At both ends the slope of the first and the last chord, as there is nothing beyond.
            0 => rise[0],
            4 => rise[3],
            _ => harmonic_mean([rise[index - 1], rise[index]], [length[index - 1], length[index]]),
        });
        Ok(std::array::from_fn(|index| {
            let (length, change) = (length[index], to[index + 1] - to[index]);
            let piece =
                Piece { from: from[index], length, to: to[index], slope: change, square: 0.0, cubic: 0.0 };
            match self.shape {
                CurveShape::Straight => piece,
                CurveShape::Smooth => {
                    let (begin, end) = (slope[index] * length, slope[index + 1] * length);
                    Piece {
                        slope: begin,
                        // The cubic Hermite polynomial over t = 0 … 1 in powers of t.
                        square: 3.0 * change - 2.0 * begin - end,
                        cubic: begin + end - 2.0 * change,
                        ..piece
                    }
                }
            }
        }))
    }
}

/// The slope at a point between two segments, weighted by their lengths; 0 where their slopes have opposite
/// signs.
fn harmonic_mean(rise: [f32; 2], length: [f32; 2]) -> f32 {
    // At an extreme, and where one side is level, only a slope of 0 keeps the curve monotone.
    if rise[0] * rise[1] <= 0.0 {
        return 0.0;
    }
    let whole = length[0] + length[1];
    // Fritsch and Butland's weighted harmonic mean: never above three times the smaller slope, so that cubics
    // don't overshoot.
    3.0 * whole / ((whole + length[1]) / rise[0] + (whole + length[0]) / rise[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Heightfield};

    fn ramp() -> Result<Heightfield> {
        Ok(Heightfield::from_fn(Grid::new(1001, 1, 1.0)?, |column, _| column as f32))
    }

    #[test]
    fn the_curve_goes_through_its_points_and_rises_where_they_rise() -> Result<()> {
        for shape in [CurveShape::Smooth, CurveShape::Straight] {
            let mut land = ramp()?;
            Curve { shape, ..Curve::default() }.apply_to(&mut land, 0, &Work::new())?;
            for (column, height) in [(0, 0.0), (250, 100.0), (500, 300.0), (750, 600.0), (1000, 1000.0)] {
                assert!((land.at(column, 0) - height).abs() < 1e-2, "{shape:?} at {column}");
            }
            assert!(land.heights().windows(2).all(|pair| pair[1] >= pair[0]), "{shape:?}");
        }
        Ok(())
    }

    #[test]
    fn a_curve_that_turns_stays_between_its_points() -> Result<()> {
        let mut land = ramp()?;
        let curve = Curve { to_1: 0.9, to_2: 0.2, to_3: 0.2, ..Curve::default() };
        curve.apply_to(&mut land, 0, &Work::new())?;
        assert!(land.heights()[..=250].iter().all(|&height| height <= 900.01));
        assert!(land.heights()[250..=1000].iter().all(|&height| height >= 199.99));
        Ok(())
    }

    #[test]
    fn points_out_of_order_are_refused() {
        let curve = Curve { from_2: 0.2, ..Curve::default() };
        let said = curve.pieces().err().map(|error| error.to_string());
        assert_eq!(said.as_deref(), Some("from_2: 0.2 is not above `from_1`, 0.25; points go upwards"));
    }
}
