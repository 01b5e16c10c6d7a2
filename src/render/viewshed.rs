//! The ground that is visible from towers on a land, for the window and for pictures.

use bevy::math::{DVec2, Vec2};

use super::overview_window::{FAR, window};
use crate::analysis::viewshed::{Tower, Viewshed, ViewshedOptions, viewshed};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::{Cache, Recipe};

/// Towers, how far they look, and how high a thing must be to be seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewshedTowers {
    /// Metres east and south of the middle of the land, and above the ground.
    pub towers: Vec<[f32; 3]>,
    /// Height of what is to be seen, how far one sees, and the planet.
    pub options: ViewshedOptions,
}

/// A viewshed in numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewshedSummary {
    /// Where the north-west sample lies, metres from the land's sample (0, 0).
    pub corner: DVec2,
    /// Shares of what was looked at that each tower sees, and all together.
    pub shares: Vec<f32>,
    pub together: f32,
    /// Size of what was looked at, metres; all of the land unless that has no end.
    pub extent: Vec2,
    pub is_part: bool,
    /// Metres between samples.
    pub cell: f32,
}

/// Finds what towers see: on all of a land, or on endless land as far as they see, within 15 km. Where that
/// would be too many samples only every second, fourth, eighth … is examined.
pub(crate) fn find(
    recipe: &Recipe,
    cache: &Cache,
    watch: &ViewshedTowers,
    work: &Work,
) -> Result<(Viewshed, ViewshedSummary)> {
    let origin = crate::plugin::origin_of(recipe);
    let places: Vec<DVec2> =
        watch.towers.iter().map(|[x, z, _]| DVec2::new((*x).into(), (*z).into()) - origin).collect();
    let (window, is_part) = window(recipe, &places, watch.options.radius.unwrap_or(FAR).min(FAR))?;
    let field = recipe.build_window(window, cache, work)?.heights;
    let grid = field.grid();
    let corner = DVec2::from(window.first.map(|first| first as f64)) * f64::from(grid.cell);
    let on_land = |(place, [x, z, height]): (&DVec2, &[f32; 3])| {
        let position = (*place - corner).as_vec2();
        // A sample stands for the ground half a cell around it, and where only every second or fourth sample
        // is examined the last may be missing.
        let near = position.clamp(Vec2::ZERO, grid.extent());
        if near.distance(position) > 1.5 * grid.cell {
            let reason = format!("{x},{z},{height} stands outside the land");
            return Err(Error::parameter("tower", reason));
        }
        Ok(Tower { position: near, height: *height })
    };
    let towers = places.iter().zip(&watch.towers).map(on_land).collect::<Result<Vec<_>>>()?;
    let found = viewshed(&field, &towers, &watch.options, work)?;
    let share = |samples: usize| samples as f32 / grid.count() as f32;
    let seen = ViewshedSummary {
        corner,
        shares: found.seen_by_tower().iter().map(|&samples| share(samples)).collect(),
        together: share(found.seen_together()),
        extent: grid.extent(),
        is_part,
        cell: grid.cell,
    };
    Ok((found, seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Step;

    fn hills() -> Recipe {
        let mut recipe = Recipe::new("Hills", (129, 129), 20.0);
        recipe.steps.push(Step::from_name("fbm").unwrap());
        recipe
    }

    fn watch(towers: &[[f32; 3]]) -> ViewshedTowers {
        ViewshedTowers { towers: towers.to_vec(), options: ViewshedOptions::default() }
    }

    #[test]
    fn towers_see_what_the_core_says() {
        let recipe = hills();
        let watch = watch(&[[0.0, 0.0, 30.0], [600.0, -400.0, 10.0]]);
        let (found, seen) = find(&recipe, &Cache::default(), &watch, &Work::new()).unwrap();
        let field = recipe.build_heightfield(&Work::new()).unwrap();
        let towers = watch
            .towers
            .clone()
            .into_iter()
            .map(|[x, z, height]| Tower { position: Vec2::new(x, z) + field.grid().extent() / 2.0, height });
        let towers: Vec<_> = towers.collect();
        assert_eq!(found, viewshed(&field, &towers, &watch.options, &Work::new()).unwrap());
        assert_eq!((seen.corner, seen.is_part, seen.shares.len()), (DVec2::ZERO, false, 2));
        assert!(seen.together >= seen.shares[0].max(seen.shares[1]) && seen.together <= 1.0);
        let outside = ViewshedTowers { towers: vec![[5000.0, 0.0, 10.0]], ..watch };
        let error = find(&recipe, &Cache::default(), &outside, &Work::new()).unwrap_err().to_string();
        assert!(error.contains("outside the land"), "{error}");
    }

    #[test]
    fn on_land_without_an_end_they_are_looked_from_as_far_as_they_see() {
        let mut recipe = hills();
        recipe.unit = Some(5000.0);
        let far = [1_000_000.0, -300_000.0, 20.0];
        let near = ViewshedTowers {
            towers: vec![far, [far[0] + 900.0, far[1], 5.0]],
            options: ViewshedOptions { radius: Some(1000.0), ..ViewshedOptions::default() },
        };
        let (_, seen) = find(&recipe, &Cache::default(), &near, &Work::new()).unwrap();
        assert!(seen.is_part && seen.cell == 20.0);
        assert!((seen.extent - Vec2::new(2900.0, 2000.0)).abs().max_element() <= 40.0, "{}", seen.extent);
        let any = watch(&[far]);
        let (window, _) = window(&recipe, &[DVec2::ZERO], FAR).unwrap();
        assert_eq!((window.level, window.size), (0, [1501, 1501]), "{any:?}");
    }
}
