//! Diffusion along a chain of nodes, solved implicitly: for smoothing, and for sand that waves spread.

use super::shoreline::Chain;

/// Solves massᵢ (yᵢ − xᵢ) = Σ linkᵢ (neighbour − own) for y along one chain. `link[i]` joins node i to the
/// next; the last one joins the ends of a closed chain and counts for nothing in an open one.
///
/// By elimination from both sides of the diagonal (Thomas); a closed chain needs a second solution, for the
/// link that closes it (Sherman and Morrison).
pub(super) fn diffuse(is_closed: bool, mass: &[f64], link: &[f64], values: &mut [f64]) {
    let count = values.len();
    if count < 2 {
        return;
    }
    let closing = if is_closed && count > 2 { link[count - 1] } else { 0.0 };
    let diagonal = |at: usize| {
        let before = if at > 0 { link[at - 1] } else { 0.0 };
        let after = if at + 1 < count { link[at] } else { 0.0 };
        // The closing link as a column times a row, (1, 0, …, −1): its diagonal part is added to the ends.
        mass[at] + before + after
    };
    let mut factor = vec![0.0; count];
    let mut right: Vec<f64> = values.iter().zip(mass).map(|(value, mass)| value * mass).collect();
    let mut ends = vec![0.0; count];
    (ends[0], ends[count - 1]) = (1.0, -1.0);
    let mut own = diagonal(0);
    for at in 0..count {
        if at > 0 {
            own = diagonal(at) - link[at - 1] * factor[at - 1];
            right[at] += link[at - 1] * right[at - 1];
            ends[at] += link[at - 1] * ends[at - 1];
        }
        factor[at] = if at + 1 < count { link[at] / own } else { 0.0 };
        right[at] /= own;
        ends[at] /= own;
    }
    for at in (0..count - 1).rev() {
        right[at] += factor[at] * right[at + 1];
        ends[at] += factor[at] * ends[at + 1];
    }
    // (A + c u uᵀ) y = b with u = (1, 0, …, −1).
    let across = |of: &[f64]| of[0] - of[count - 1];
    let share = closing * across(&right) / (1.0 + closing * across(&ends));
    for ((value, right), ends) in values.iter_mut().zip(right).zip(ends) {
        *value = right - share * ends;
    }
}

/// Smooths values along a chain over a length, metres: an exponential on both sides.
pub(super) fn smooth(chain: Chain, metres: &[f64], length: f64, values: &mut [f64]) {
    let count = values.len();
    let mass: Vec<f64> = (0..count)
        .map(|at| {
            let before = if at > 0 { metres[at - 1] } else { metres[count - 1] };
            0.5 * (before + metres[at])
        })
        .collect();
    let link: Vec<f64> = metres.iter().map(|metres| length * length / metres).collect();
    diffuse(chain.is_closed, &mass, &link, values);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the solution leaves of the equations.
    fn residual(is_closed: bool, mass: &[f64], link: &[f64], before: &[f64], after: &[f64]) -> f64 {
        let count = mass.len();
        let flows = |at: usize| {
            let next = if at > 0 || is_closed { Some((at + count - 1) % count) } else { None };
            let from_before = next.map_or(0.0, |before| link[before] * (after[before] - after[at]));
            let from_after = if at + 1 < count || is_closed {
                link[at] * (after[(at + 1) % count] - after[at])
            } else {
                0.0
            };
            from_before + from_after
        };
        (0..count).map(|at| (mass[at] * (after[at] - before[at]) - flows(at)).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn diffusion_solves_its_equations_and_keeps_the_mass() {
        for (count, is_closed) in [(1, false), (2, false), (3, true), (50, false), (51, true)] {
            let number = |at: usize, of: usize| 0.1 + ((at * 7919 + of * 31) % 97) as f64 / 97.0;
            let mass: Vec<f64> = (0..count).map(|at| number(at, 1)).collect();
            let link: Vec<f64> = (0..count).map(|at| 30.0 * number(at, 2)).collect();
            let before: Vec<f64> = (0..count).map(|at| number(at, 3)).collect();
            let mut after = before.clone();
            diffuse(is_closed, &mass, &link, &mut after);
            assert!(residual(is_closed, &mass, &link, &before, &after) < 1e-12);
            let total = |of: &[f64]| of.iter().zip(&mass).map(|(value, mass)| value * mass).sum::<f64>();
            assert!((total(&before) - total(&after)).abs() < 1e-12 * total(&before));
        }
    }
}
