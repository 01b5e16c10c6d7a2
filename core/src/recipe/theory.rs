//! Predictions of theory for a recipe's land before it is made, to compare with measurements.

use super::{Recipe, Step};
use crate::steps::generate::{
    DiamondSquare, Fault, FaultLines, FaultProfile, Fbm, Midpoint, Spectral, profile,
};

/// Faults that a land needs for the theory of many.
const MANY_FAULTS: u32 = 100;
/// Layers of splines that are a spectrum.
const MANY_PASSES: u32 = 4;

impl Recipe {
    /// The theoretical Hurst exponent H of the land, in (0, 1): that of its only step. It is known for fBm
    /// (`hurst`), of spectral synthesis (layers twice as fine each, `gain` times as high: H = −log₂ gain), of
    /// diamond-square (`hurst`) and of many straight faults, uniform, with cliffs (½). `None` for other land,
    /// and where H would not lie between 0 and 1.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, Step, generate::Fbm};
    /// let mut recipe = Recipe::new("Hills", (65, 65), 10.0);
    /// recipe.steps = vec![Step::new(Fbm { hurst: 0.75, ..Fbm::default() })];
    /// assert_eq!(recipe.hurst_in_theory(), Some(0.75));
    /// ```
    pub fn hurst_in_theory(&self) -> Option<f64> {
        let step = self.only_step()?;
        let hurst = if let Some(fbm) = step.operation_as::<Fbm>() {
            fbm.hurst
        } else if let Some(spectral) = step.operation_as::<Spectral>() {
            // A gain of 2^(−H) for each octave.
            (spectral.passes >= MANY_PASSES).then(|| -libm::log2f(spectral.gain))?
        } else if let Some(square) = step.operation_as::<DiamondSquare>() {
            square.hurst
        } else {
            let fault: &Fault = step.operation_as()?;
            let is_known = fault.faults >= MANY_FAULTS
                && fault.lines == FaultLines::Uniform
                && fault.profile == FaultProfile::Step
                && fault.roughen == 0.0;
            is_known.then_some(0.5)?
        };
        (hurst > 0.0 && hurst < 1.0).then_some(f64::from(hurst))
    }

    /// The line that the land was made from, if it begins with [`Midpoint`]: heights in metres at even
    /// distances, and the length of the line in metres. It lies across the ridges, as long as the land's
    /// diagonal. What later steps do to the land it doesn't show.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Recipe, Step, generate::Midpoint};
    /// let mut recipe = Recipe::new("Ridges", (4, 5), 10.0);
    /// recipe.steps = vec![Step::new(Midpoint { levels: 3, ..Midpoint::default() })];
    /// let (heights, length) = recipe.line().unwrap();
    /// assert_eq!((heights.len(), length), (9, 50.0));
    /// ```
    pub fn line(&self) -> Option<(Vec<f32>, f64)> {
        let (_, step) = self.done().next().filter(|(_, step)| step.replaces_all())?;
        let midpoint: &Midpoint = step.operation_as()?;
        let Midpoint { height, hurst, levels, .. } = *midpoint;
        let (columns, rows) = self.size;
        let [east, south] = [columns, rows].map(|count| f64::from(count.max(1) - 1) * f64::from(self.cell));
        let heights = profile(levels, height, hurst, [0.0; 2], step.seed(self.seed));
        Some((heights, east.hypot(south)))
    }

    /// The step that alone makes all of the land.
    fn only_step(&self) -> Option<&Step> {
        let mut done = self.done().map(|(_, step)| step);
        done.next().filter(|step| step.replaces_all() && done.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::work::Work;

    fn hurst(steps: &str) -> Option<f64> {
        let text = format!("(version: 1, name: \"T\", size: (65, 65), cell: 10.0, steps: [{steps}])");
        Recipe::from_ron(&text, "t.ron").unwrap().hurst_in_theory()
    }

    #[test]
    fn only_land_of_a_single_known_step_has_a_theory() {
        assert_eq!(hurst("fbm(hurst: 0.25)"), Some(0.25));
        assert_eq!(hurst("diamond_square(hurst: 0.5)"), Some(0.5));
        assert_eq!(hurst("fault(faults: 500)"), Some(0.5));
        assert!((hurst("spectral(gain: 0.7071068)").unwrap() - 0.5).abs() < 1e-6);
        assert_eq!(hurst("fbm(hurst: 0.25), mean(on: false)"), Some(0.25));
        for unknown in [
            "",
            "flat()",
            "ridged()",
            "fbm(hurst: 1.5)",
            "spectral(gain: 0.4)",
            "fault(profile: cosine)",
            "fbm(hurst: 0.5), mean()",
            "fbm(hurst: 0.5, amount: 0.5)",
        ] {
            assert_eq!(hurst(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_line_is_the_one_that_the_land_was_made_from() {
        let text = "(version: 1, name: \"T\", seed: 3, size: (129, 129), cell: 10.0, \
                    steps: [midpoint(levels: 7, bearing: 135.0)])";
        let recipe = Recipe::from_ron(text, "t.ron").unwrap();
        let (heights, length) = recipe.line().unwrap();
        assert!((length - 1280.0 * 2f64.sqrt()).abs() < 1e-6);
        // Ridges run from north-west to south-east: the line goes from one of the other corners to the other.
        let land = recipe.build_heightfield(&Work::new()).unwrap();
        let along: Vec<f32> = (0..129).map(|index| land.at(index, 128 - index)).collect();
        let is_same = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.5);
        let reversed: Vec<f32> = heights.iter().rev().copied().collect();
        assert!(is_same(&along, &heights) || is_same(&along, &reversed));
        let of = |steps: &str| {
            let text = text.replace("steps: [", &format!("steps: [{steps}"));
            Recipe::from_ron(&text, "t.ron").unwrap().line()
        };
        assert_eq!(of("gaussian(on: false), "), recipe.line());
        assert_eq!(of("flat(), "), None, "the land begins with another step");
        let mut later = recipe.clone();
        later.steps.push(Step::from_name("gaussian").unwrap());
        assert_eq!(later.line(), recipe.line());
    }
}
