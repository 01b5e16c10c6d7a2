//! A look at all of a land that is not made as a whole.

use super::Landscape;
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Window;
use crate::recipe::{PREVIEW_TEXELS, Recipe};

impl Recipe {
    /// A landscape of a bounded land's samples at the first level at which there are at most `samples` along
    /// the longer side. At its east and south border it may be short of the land, by less than one of its
    /// cells. For endless land it is what [`build_with`](Self::build_with) makes, with at most `samples` a
    /// side.
    ///
    /// # Errors
    /// As [`build_window_layers`](Self::build_window_layers), and those of the baker.
    #[doc(hidden)]
    pub fn overview(&self, samples: u32, cache: &Cache, work: &Work) -> Result<Landscape> {
        let Some(size) = self.domain()?.size() else {
            let mut part = self.clone();
            part.size = (part.size.0.min(samples), part.size.1.min(samples));
            return part.build_with(cache, work);
        };
        let side_at = |level: i32| size.map(|side| ((side - 1) >> level) + 1);
        // At least 2, since land of one sample has no ground.
        let is_enough = |level: &i32| side_at(*level).iter().all(|side| *side <= samples.max(2));
        let level = (0..20).find(is_enough).unwrap_or(20);
        let window = Window { level, first: [0; 2], size: side_at(level) };
        let fade = self.drawn_texture().of_few_texels(samples, PREVIEW_TEXELS).fade();
        let mut layers = fade.layers();
        let shown = self.shown_layers();
        layers.extend(shown.into_iter().filter(|name| !layers.contains(name)).collect::<Vec<_>>());
        let ground = self.build_window_layers(window, &layers, cache, work)?;
        self.dressed(ground, fade, None, work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::recipe;

    #[test]
    fn an_overview_has_the_samples_of_its_level_and_is_short_by_less_than_a_cell() {
        let recipe = recipe("(300, 131)", "fbm(height: 400)");
        let whole = recipe.build_heightfield(&Work::new()).unwrap();
        for (samples, level) in [(300, 0), (299, 1), (75, 2), (74, 3), (2, 8), (0, 8)] {
            let seen = recipe.overview(samples, &Cache::default(), &Work::new()).unwrap();
            let grid = seen.heightfield.grid();
            let [width, depth] = [299usize, 130].map(|last| (last >> level) + 1);
            assert_eq!((grid.width, grid.depth, grid.cell), (width, depth, 20.0 * f32::from(1u16 << level)));
            for (column, row) in [(0, 0), (width - 1, depth - 1), (width / 2, depth / 3)] {
                assert_eq!(seen.heightfield.at(column, row), whole.at(column << level, row << level));
            }
            assert!(seen.cover.is_some());
        }
        let endless = Recipe { unit: Some(1000.0), ..recipe };
        let seen = endless.overview(200, &Cache::default(), &Work::new()).unwrap().heightfield.grid();
        assert_eq!((seen.width, seen.depth, seen.cell), (200, 131, 20.0));
    }
}
