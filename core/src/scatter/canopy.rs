//! What woods look like from far away, where single objects are too small to be drawn: a map of how much of
//! the ground the crowns hide, and of their colour.

use rayon::prelude::*;

use super::land::Scatter;
use super::points::Rectangle;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::rules::Rule;

/// The most texels of a map.
const MOST_TEXELS: usize = 1 << 24;

/// How the objects of a rule look from far away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crown {
    /// The rule, by its index in the recipe.
    pub rule: usize,
    /// The mean linear colour of what is seen of an object, without light.
    pub colour: [f32; 3],
    /// Square metres of ground that an object of size 1 hides from a distant eye.
    pub hides: f32,
}

/// A map of crowns over a part of a land.
#[derive(Clone, Debug, PartialEq)]
pub struct Canopy {
    /// West and north of the first texel, metres from the land's sample (0, 0).
    pub low: [f64; 2],
    /// Metres along a side of a texel.
    pub cell: f64,
    /// Texels along x.
    pub width: usize,
    /// Texels along z.
    pub depth: usize,
    /// Row by row: the square roots of the crowns' mean linear colour, and the share of the ground that they
    /// hide; 0 to 255. Where there are none, the colour is that of the nearest crowns to the west, so that
    /// interpolation does not darken the edge of a wood.
    pub texels: Vec<[u8; 4]>,
}

impl Canopy {
    /// The share of the ground that is hidden in a texel, from 0 to 1.
    pub fn hidden(&self, column: usize, row: usize) -> f32 {
        f32::from(self.texels[row * self.width + column][3]) / 255.0
    }
}

impl Scatter {
    /// A map of the crowns over `size` texels that are `cell` metres wide, from `low` on, metres from the
    /// land's sample (0, 0).
    ///
    /// Objects at random places of which each hides an area *a* leave a share exp(−Σ *a* / *A*) of the area
    /// *A* visible (the Boolean model of random sets: Matheron, "Random Sets and Integral Geometry", 1975).
    /// Objects that keep a distance overlap a little less. The number of objects is what a rule allows in the
    /// middle of a texel, with its patches. Room that objects of other rules take is ignored, and so are roads.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::scatter::{Crown, Rule, Scatter};
    /// use upland::{Cache, Recipe, Work};
    ///
    /// let mut recipe = Recipe::new("Plain", (129, 129), 10.0);
    /// recipe.scatter = vec![Rule::new("spruce", 200.0, 3.0)];
    /// let scatter = Scatter::new(&recipe, 0, &Cache::default(), &Work::new())?;
    /// let spruces = Crown { rule: 0, colour: [0.02, 0.05, 0.02], hides: 50.0 };
    /// let canopy = scatter.canopy(&[spruces], [0.0, 0.0], 40.0, [16, 16], &Work::new())?;
    /// // 0.02 of them on a square metre, which hide 50 m² each, times 1.013 for sizes from 0.8 to 1.2.
    /// assert!((canopy.hidden(3, 5) - (1.0 - (-1.013f32).exp())).abs() < 0.003);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a number is not finite, the cell is not above 0 or there are more than 16,777,216 texels; those of
    /// building the land; and [`Error::Cancelled`].
    pub fn canopy(
        &self,
        crowns: &[Crown],
        low: [f64; 2],
        cell: f64,
        size: [usize; 2],
        work: &Work,
    ) -> Result<Canopy> {
        let [width, depth] = size;
        let area = Rectangle { low, high: [low[0] + width as f64 * cell, low[1] + depth as f64 * cell] };
        check(area, cell, size)?;
        let mut canopy = Canopy { low, cell, width, depth, texels: vec![[0; 4]; width * depth] };
        let crowns: Vec<Cover> = crowns.iter().filter_map(|crown| self.cover(crown)).collect();
        if crowns.is_empty() || canopy.texels.is_empty() {
            return Ok(canopy);
        }
        let made = match self.whole() {
            Some(_) => None,
            None => self.site_over(area, cell, work)?,
        };
        let Some(site) = self.whole().or(made.as_ref()) else { return Ok(canopy) };
        let of_row = |(row, texels): (usize, &mut [[u8; 4]])| {
            work.check()?;
            let z = low[1] + (row as f64 + 0.5) * cell;
            let mut colour = [0; 3];
            for (column, texel) in texels.iter_mut().enumerate() {
                let x = low[0] + (column as f64 + 0.5) * cell;
                let (mut depth, mut light) = (0.0f32, [0.0f32; 3]);
                if site.has(x, z) && !self.is_cleared(x, z) {
                    for crown in &crowns {
                        let allowed = site.look((crown.index, crown.rule), crown.seed, x, z);
                        let own = crown.depth * allowed.map_or(0.0, |ground| ground.allowed);
                        depth += own;
                        light = [0, 1, 2].map(|channel| light[channel] + own * crown.colour[channel]);
                    }
                }
                if depth > 0.0 {
                    colour = light.map(|sum| byte((sum / depth).max(0.0).sqrt()));
                }
                let [red, green, blue] = colour;
                *texel = [red, green, blue, byte(1.0 - libm::expf(-depth))];
            }
            Ok(())
        };
        canopy.texels.par_chunks_mut(width).enumerate().try_for_each(of_row)?;
        Ok(canopy)
    }

    /// What a rule's crowns cover where all of its limits allow them; `None` for a rule that is not in effect.
    fn cover(&self, crown: &Crown) -> Option<Cover<'_>> {
        let (index, rule, seed) = self.rule(crown.rule)?;
        // The mean square of sizes between two: an object of twice the size hides four times as much.
        let (least, most) = (rule.size.min, rule.size.max);
        let square = (least * least + least * most + most * most) / 3.0;
        let depth = rule.density_in_metres() as f32 * crown.hides.max(0.0) * square;
        (depth > 0.0 && depth.is_finite()).then_some(Cover { index, rule, seed, depth, colour: crown.colour })
    }
}

/// The crowns of a rule.
struct Cover<'a> {
    /// The rule's place among those in effect.
    index: usize,
    rule: &'a Rule,
    seed: u64,
    /// The area that is hidden for each square metre, where crowns do not overlap.
    depth: f32,
    colour: [f32; 3],
}

fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

fn check(area: Rectangle, cell: f64, [width, depth]: [usize; 2]) -> Result<()> {
    let numbers = [cell, area.low[0], area.low[1], area.high[0], area.high[1]];
    if !numbers.iter().all(|number| number.is_finite()) || cell <= 0.0 {
        let reason =
            format!("texels of {cell} m from {:?} on are no map; give finite numbers above 0", area.low);
        return Err(Error::parameter("canopy", reason));
    }
    if width.checked_mul(depth).is_none_or(|texels| texels > MOST_TEXELS) {
        let reason = format!("has {width} × {depth} texels; there are at most {MOST_TEXELS}");
        return Err(Error::parameter("canopy", reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Cache;
    use crate::recipe::Recipe;
    use crate::texture::Limits;

    fn scatter(recipe: &Recipe) -> Scatter {
        Scatter::new(recipe, 0, &Cache::default(), &Work::new()).unwrap()
    }

    fn wooded(size: &str, rules: Vec<Rule>) -> Recipe {
        let text = format!(
            r#"(version: 1, name: "Wood", size: {size}, cell: 8, steps: [fbm(height: 300, frequency: 3)])"#
        );
        Recipe { scatter: rules, ..Recipe::from_ron(&text, "wood.ron").unwrap() }
    }

    fn crown(rule: usize, colour: [f32; 3], hides: f32) -> Crown {
        Crown { rule, colour, hides }
    }

    #[test]
    fn it_hides_what_objects_at_random_places_hide() {
        // Discs of 3 m around the objects themselves, counted on a fine grid.
        let mut rule = Rule::new("beech", 150.0, 0.5);
        rule.size.min = 1.0;
        rule.size.max = 1.0;
        let recipe = wooded("(129, 129)", vec![rule]);
        let scatter = scatter(&recipe);
        let side = 400.0;
        let area = Rectangle { low: [200.0; 2], high: [200.0 + side; 2] };
        let objects = scatter.within(area.grown(3.0), &Work::new()).unwrap();
        let near = |x: f64, z: f64| {
            objects.iter().any(|object| {
                let (x, z) = (object.position.x - x, object.position.z - z);
                x * x + z * z < 9.0
            })
        };
        let mut hidden = 0;
        for index in 0..200 * 200 {
            let at = |number: i32| 200.0 + (f64::from(number) + 0.5) * side / 200.0;
            hidden += usize::from(near(at(index % 200), at(index / 200)));
        }
        let counted = hidden as f32 / (200.0 * 200.0);
        let hides = 9.0 * std::f32::consts::PI;
        let map = scatter.canopy(&[crown(0, [0.1; 3], hides)], [200.0; 2], 100.0, [4, 4], &Work::new());
        let map = map.unwrap();
        for (column, row) in [(0, 0), (3, 1)] {
            // Objects keep their distance, so that they overlap less than those of the model, but they do.
            let hidden = map.hidden(column, row);
            assert!(hidden - 0.01 < counted && counted < hides * 0.015, "{hidden} {counted}");
            assert!((hidden - (1.0 - libm::expf(-hides * 0.015))).abs() < 0.003, "{hidden}");
        }
    }

    #[test]
    fn it_follows_the_limits_of_rules_and_mixes_their_colours() {
        let low = Rule { elevation: Limits::new(-1000.0, 0.0, 0.0), ..Rule::new("spruce", 400.0, 2.0) };
        let mut off = Rule::new("birch", 400.0, 2.0);
        off.on = false;
        let everywhere = Rule::new("birch", 400.0, 2.0);
        let recipe = wooded("(129, 129)", vec![low, off, everywhere]);
        let scatter = scatter(&recipe);
        let crowns = [
            crown(0, [0.09, 0.0, 0.0], 20.0),
            crown(1, [0.0, 0.0, 1.0], 20.0),
            crown(2, [0.0, 0.09, 0.0], 20.0),
        ];
        let map = scatter.canopy(&crowns, [-64.0, 0.0], 8.0, [136, 128], &Work::new()).unwrap();
        let land = recipe.build_heightfield(&Work::new()).unwrap();
        let (mut in_valleys, mut above) = (0, 0);
        for (index, texel) in map.texels.iter().enumerate() {
            let (column, row) = (index % map.width, index / map.width);
            if column < 8 {
                assert_eq!(texel[3], 0, "there is no land");
                continue;
            }
            assert_eq!(texel[2], 0, "a rule that is off has no crowns");
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let heights = corners.map(|(east, south)| land.at(column - 8 + east, row + south));
            if heights.iter().all(|height| *height < 0.0) {
                in_valleys += 1;
                assert!(texel[0] == texel[1] && texel[0] > 50 && texel[3] > 180, "{texel:?}");
            } else if heights.iter().all(|height| *height > 0.0) {
                above += 1;
                assert!(texel[0] == 0 && texel[1] == 77 && texel[3] > 130 && texel[3] < 160, "{texel:?}");
            }
        }
        assert!(in_valleys > 1000 && above > 1000, "{in_valleys} {above}");
    }

    #[test]
    fn endless_and_large_land_has_the_same_woods_as_the_whole() {
        let rule = Rule {
            elevation: Limits::new(0.0, 1000.0, 40.0),
            clumping: 0.8,
            clump: 90.0,
            ..Rule::new("spruce", 300.0, 2.0)
        };
        let crowns = [crown(0, [0.02, 0.05, 0.02], 40.0)];
        let whole = scatter(&wooded("(257, 257)", vec![rule.clone()]));
        let endless = scatter(&wooded("endless", vec![rule]));
        let map = |scatter: &Scatter, cell: f64| {
            scatter.canopy(&crowns, [400.0, 640.0], cell, [64, 48], &Work::new()).unwrap()
        };
        // Their noise is not the same land: only the share is alike.
        let share = |map: &Canopy| map.texels.iter().map(|texel| f32::from(texel[3])).sum::<f32>();
        assert!(share(&map(&whole, 8.0)) > 0.0 && share(&map(&endless, 8.0)) > 0.0);
        // Texels of several samples read land of a coarser level, which is nearly the same.
        let (fine, coarse) = (map(&endless, 16.0), map(&endless, 17.0));
        assert!(fine.texels.len() == coarse.texels.len() && share(&coarse) > 0.3 * share(&fine));
    }

    #[test]
    fn impossible_maps_are_refused() {
        let scatter = scatter(&wooded("(33, 33)", vec![Rule::new("spruce", 100.0, 2.0)]));
        let map = |low: [f64; 2], cell: f64, size: [usize; 2]| {
            scatter.canopy(&[crown(0, [0.1; 3], 9.0)], low, cell, size, &Work::new())
        };
        for (low, cell, size) in [
            ([f64::NAN, 0.0], 1.0, [2, 2]),
            ([0.0; 2], 0.0, [2, 2]),
            ([0.0; 2], -1.0, [2, 2]),
            ([0.0; 2], f64::INFINITY, [2, 2]),
            ([f64::MAX, 0.0], f64::MAX, [2, 2]),
            ([0.0; 2], 1.0, [1 << 20, 1 << 20]),
            ([0.0; 2], 1.0, [usize::MAX, 2]),
        ] {
            let error = map(low, cell, size).unwrap_err().to_string();
            assert!(error.starts_with("canopy: "), "{error}");
        }
        assert!(map([0.0; 2], 1.0, [0, 0]).unwrap().texels.is_empty());
        assert!(map([1e9; 2], 1.0, [2, 2]).unwrap().texels.iter().all(|texel| texel[3] == 0));
        assert_eq!(map([0.0; 2], 1.0, [4, 4]).unwrap().texels.len(), 16);
        let none = scatter.canopy(&[crown(7, [0.1; 3], 9.0)], [0.0; 2], 1.0, [2, 2], &Work::new()).unwrap();
        assert!(none.texels.iter().all(|texel| texel[3] == 0), "there is no such rule");
    }
}
