//! Whether the coarser levels of a land are every second, fourth … sample of a finer one, bit for bit.
//!
//! A step that looks around looks as far as its samples are apart, and one with fading detail leaves out what
//! they cannot show, so that most land differs from level to level. Then only tiles of one level are of use.

use upland_core::params::{self, Reading};
use upland_core::steps::{Kind, Reach};
use upland_core::{MaskKind, Recipe, Step};

/// Steps whose heights follow from a sample's place and the height before, whatever the distance between
/// samples.
const OF_PLACE: [&str; 15] = [
    "clamp",
    "curve",
    "fbm",
    "flat",
    "heterogeneous",
    "hybrid",
    "invert",
    "island",
    "multifractal",
    "normalize",
    "power",
    "ridged",
    "scale",
    "terrace",
    "turbulence",
];

/// Whether the samples of levels coarser than `level` are samples of it.
pub(super) fn coarser_levels_are_samples(recipe: &Recipe, level: i32) -> bool {
    let Ok(domain) = recipe.domain() else { return false };
    // Two lands that differ in this way could be blended.
    if recipe.steps.iter().any(Step::opens_group) {
        return false;
    }
    for (_, step) in recipe.done().rev() {
        if step.operation.kind() == Kind::Waterway {
            if level >= 0 {
                // Made once at level 0: other levels have its samples.
                return true;
            }
            // Finer levels have what it digs on the land before.
            continue;
        }
        if step.operation.reach(domain) == Reach::Whole {
            return true;
        }
        if !is_of_place(step) {
            return false;
        }
    }
    true
}

fn is_of_place(step: &Step) -> bool {
    let mut fades = false;
    params::each(&*step.operation, &mut |path, _, value| {
        fades |= path == "fade" && matches!(value, Reading::Flag(true));
    });
    let has_plain_mask = matches!(step.mask.mask, MaskKind::None | MaskKind::Height | MaskKind::Noise);
    OF_PLACE.contains(&step.name()) && has_plain_mask && !fades
}

#[cfg(test)]
mod tests {
    use upland_core::{Cache, Window, Work};

    use super::*;

    fn recipe(steps: &str) -> Recipe {
        let text =
            format!(r#"(version: 1, name: "Land", seed: 3, size: (65, 49), cell: 20, steps: [{steps}])"#);
        Recipe::from_ron(&text, "land.ron").unwrap()
    }

    /// Compares levels with every second, fourth … sample of a finer one.
    fn are_samples(recipe: &Recipe, finest: i32) -> bool {
        let (cache, work) = (Cache::default(), Work::new());
        let field = |level: i32| {
            let size = recipe.domain().unwrap().size_at(level).unwrap().map(|side| side as u32);
            recipe.build_window(Window { level, first: [0, 0], size }, &cache, &work).unwrap().heights
        };
        let fine = field(finest);
        (finest + 1..=5).all(|level| {
            let coarse = field(level);
            let (width, apart) = (coarse.grid().width, 1 << (level - finest));
            let mut samples = coarse.heights().iter().enumerate();
            samples.all(|(index, height)| {
                height.to_bits() == fine.at(index % width * apart, index / width * apart).to_bits()
            })
        })
    }

    #[test]
    fn levels_of_land_that_counts_as_exact_are_samples_of_each_other() {
        let each = OF_PLACE.map(|name| format!("fbm(), {name}()"));
        let others = [
            "fbm(), erode()",
            "fbm(), gullies(), erode(), terrace(mask: height, mask_min: 100), normalize()",
            "fbm(octaves: 14), ridged(blend: max, amount: 0.5, mask: noise), island(), curve()",
            "fbm(basis: cellular), diamond_square(blend: add), fbm(basis: simplex, blend: multiply)",
            "fbm(), erode(), fbm(blend: add, height: 9), river()",
            "fbm(), mean(size: 3), river()",
        ];
        for steps in each.iter().map(String::as_str).chain(others) {
            let recipe = recipe(steps);
            for level in [0, -2] {
                let is_exact = coarser_levels_are_samples(&recipe, level);
                assert!(is_exact || steps.contains("mean"), "{steps} at {level}");
                assert!(!is_exact || are_samples(&recipe, level), "{steps} at {level}");
            }
        }
    }

    #[test]
    fn land_with_steps_that_look_around_is_not_exact() {
        for steps in
            ["fbm(), gullies()", "fbm(fade: true)", "fbm(), terrace(mask: slope)", "fbm(), gaussian()"]
        {
            assert!(!coarser_levels_are_samples(&recipe(steps), 0), "{steps}");
        }
        assert!(!are_samples(&recipe("fbm(), gullies()"), 0), "there is a reason for the table");
    }
}
