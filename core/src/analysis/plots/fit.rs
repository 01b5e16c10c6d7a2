//! Straight lines through points by weighted least squares, and power laws as such lines of logarithms.

/// y = `start` + `slope`·x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    pub(super) slope: f64,
    pub(super) start: f64,
}

/// A power law through points (x, y), each with a weight: the line of ln y over ln x. `None` with fewer than
/// two different x. Points that have no logarithm don't count.
pub(super) fn power_law(points: impl IntoIterator<Item = ([f64; 2], f64)>) -> Option<Fit> {
    let logs = points.into_iter().filter(|([x, y], _)| *x > 0.0 && *y > 0.0);
    let logs: Vec<_> = logs.map(|([x, y], weight)| ([libm::log(x), libm::log(y)], weight)).collect();
    let all: f64 = logs.iter().map(|(_, weight)| weight).sum();
    let mean = |axis: usize| logs.iter().map(|(point, weight)| point[axis] * weight).sum::<f64>() / all;
    let (x, y) = (mean(0), mean(1));
    // Sums around the means, which lose fewer digits than sums of squares.
    let along: f64 = logs.iter().map(|(point, weight)| weight * (point[0] - x).powi(2)).sum();
    let up: f64 = logs.iter().map(|(point, weight)| weight * (point[0] - x) * (point[1] - y)).sum();
    let slope = up / along;
    // Points at practically one x give no slope.
    (along > 1e-12 * all && slope.is_finite()).then_some(Fit { slope, start: y - slope * x })
}

impl Fit {
    /// The power law at `x`.
    pub(super) fn at(&self, x: f64) -> f64 {
        libm::exp(self.start + self.slope * libm::log(x))
    }

    /// Another power law, which meets this one at `x`.
    pub(super) fn turned(&self, slope: f64, x: f64) -> Self {
        Self { slope, start: self.start + (self.slope - slope) * libm::log(x) }
    }

    /// Its ends from one x to another.
    pub(super) fn ends(&self, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
        vec![[from, self.at(from)], [to, self.at(to)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_through_its_own_points() {
        let points = (1..9).map(|x| ([f64::from(x), 5.0 * f64::from(x).powf(-1.5)], f64::from(x)));
        let fit = power_law(points).unwrap();
        assert!((fit.slope + 1.5).abs() < 1e-12 && (fit.at(4.0) - 5.0 / 8.0).abs() < 1e-12, "{fit:?}");
        let turned = fit.turned(2.0, 4.0);
        assert!((turned.at(4.0) - 5.0 / 8.0).abs() < 1e-12 && (turned.at(8.0) - 2.5).abs() < 1e-12);
    }

    #[test]
    fn points_above_each_other_have_no_law() {
        assert_eq!(power_law([([2.0, 1.0], 1.0), ([2.0, 3.0], 1.0)]), None);
        assert_eq!(power_law([([2.0, 1.0], 1.0), ([3.0, 0.0], 1.0)]), None);
        assert_eq!(power_law([]), None);
    }
}
