//! A probe: what each step made of one sample.

use super::{Cache, Recipe, Step};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Window;
use crate::steps::{Ground, Kind};
use crate::texture::TypeThere;

/// Texels along a cell of which the one nearest to the sample is explained.
const TEXELS: u32 = 8;

/// What the steps of a recipe made of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The sample's column and row on the land.
    pub sample: [i64; 2],
    /// The steps that run, in order; rivers that are dug together count as one.
    pub steps: Vec<ProbedStep>,
    /// The terrain types there, those that cover most first, with what their limits make of the ground. The texture is
    /// baked in a corner of the cell beside the sample, 1/16 of a cell away from it.
    pub types: Vec<TypeThere>,
    /// Layers of the finished land at the sample that steps have written, with their values.
    pub layers: Vec<(String, f32)>,
}

/// What one step made of a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbedStep {
    /// Its index in the recipe.
    pub index: usize,
    /// Its title, for people.
    pub title: &'static str,
    /// Height before it, metres.
    pub before: f32,
    /// Height after it, metres.
    pub after: f32,
    /// The share in which it acts there, in [0, 1]: its amount times its mask; always 1 for rivers.
    pub share: f32,
    /// How it is blended into the land, as an equation with its numbers.
    pub equation: String,
}

impl Probe {
    /// Height of the finished land, metres.
    pub fn height(&self) -> f32 {
        self.steps.last().map_or(0.0, |step| step.after)
    }
}

impl Recipe {
    /// Finds out what each step makes of one sample, by column and row; of endless land they may be negative. Results
    /// of steps that must know all of the land are taken from the cache, or made and kept there.
    ///
    /// ```
    /// use upland::{Cache, Recipe, Work};
    ///
    /// let text = r#"(version: 1, name: "Steps", size: (9, 9), cell: 10,
    ///     steps: [flat(height: 100), flat(height: 30, blend: add, amount: 0.5), clamp(low: 0, high: 110)])"#;
    /// let probe = Recipe::from_ron(text, "steps.ron")?.probe([4, 4], &Cache::default(), &Work::new())?;
    /// let heights: Vec<f32> = probe.steps.iter().map(|step| step.after).collect();
    /// assert_eq!(heights, [100.0, 115.0, 110.0]);
    /// assert_eq!(probe.steps[1].equation, "100 + 0.5 · 30 = 115");
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the sample is not on the land, those of the steps, and [`Error::Cancelled`].
    pub fn probe(&self, [column, row]: [i64; 2], cache: &Cache, work: &Work) -> Result<Probe> {
        let (window, [x, z]) = self.around([column, row])?;
        let mut steps = Vec::new();
        let mut land = self.clone();
        let mut before = self.after(0, &mut land, window, cache, work)?;
        let mut next = 0;
        while next < self.steps.len() {
            let index = next;
            let step = &self.steps[index];
            next += 1;
            if !step.is_done() {
                continue;
            }
            // Rivers that follow one another are dug together.
            let is_river = step.operation.kind() == Kind::Waterway;
            while is_river && self.steps.get(next).is_some_and(|step| step.operation.kind() == Kind::Waterway)
            {
                next += 1;
            }
            let after = self.after(next, &mut land, window, cache, work)?;
            let (old, new) = (before.heights.at(x, z), after.heights.at(x, z));
            let share = match is_river {
                true => 1.0,
                false => step.share_at(&before, [x, z], self.seed, work)?,
            };
            let equation = step.equation(old, new, share);
            steps.push(ProbedStep { index, title: step.title(), before: old, after: new, share, equation });
            before = after;
        }
        let names = self.layers();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ground = self.build_window_layers(window, &names, cache, work)?;
        let layers = ground.layers().iter().map(|(name, layer)| (name.to_owned(), layer.at(x, z))).collect();
        let types = self.types_at([column, row], cache, work)?;
        Ok(Probe { sample: [column, row], steps, types, layers })
    }

    /// The terrain types at a sample; none on land that has no cell to paint.
    fn types_at(&self, sample: [i64; 2], cache: &Cache, work: &Work) -> Result<Vec<TypeThere>> {
        let size = self.domain()?.size();
        if size.is_some_and(|size| size.contains(&1)) {
            return Ok(Vec::new());
        }
        let (mut first, mut texel) = (sample, [0; 2]);
        for axis in 0..2 {
            // Beyond the last sample there is no cell; its texels end there.
            if size.is_some_and(|size| sample[axis] + 1 >= i64::from(size[axis])) {
                (first[axis], texel[axis]) = (sample[axis] - 1, TEXELS as usize - 1);
            }
        }
        let window = Window { level: 0, first, size: [2, 2] };
        let ready = self.prepare_window(window, TEXELS, false, cache, work)?;
        let mut types = ready.explain(texel[0], texel[1], work)?;
        types.sort_by(|a, b| b.share.total_cmp(&a.share));
        Ok(types)
    }

    /// The samples around one, as far as there is land, and where it is among them. Slopes and masks look so far.
    fn around(&self, sample: [i64; 2]) -> Result<(Window, [usize; 2])> {
        let size = self.domain()?.size();
        let mut first = sample.map(|place| place - 1);
        let mut sides = [3u32; 2];
        if let Some(size) = size {
            for axis in 0..2 {
                let last = i64::from(size[axis]) - 1;
                if !(0..=last).contains(&sample[axis]) {
                    let [column, row] = sample;
                    let reason =
                        format!("({column}, {row}) is not on land of {}×{} samples", size[0], size[1]);
                    return Err(Error::parameter("sample", reason));
                }
                first[axis] = first[axis].max(0);
                sides[axis] = ((sample[axis] + 1).min(last) - first[axis] + 1) as u32;
            }
        }
        let place = [0, 1].map(|axis| (sample[axis] - first[axis]) as usize);
        Ok((Window { level: 0, first, size: sides }, place))
    }

    /// The ground after the first `count` steps, of which `land` is made to have no more.
    fn after(
        &self,
        count: usize,
        land: &mut Self,
        window: Window,
        cache: &Cache,
        work: &Work,
    ) -> Result<Ground> {
        land.steps = self.steps[..count].to_vec();
        // A mask may read layers that later steps have no use for.
        let masks = self.steps.get(count).and_then(Step::masked_by);
        let there = land.layers();
        let wanted: Vec<&str> =
            masks.into_iter().filter(|name| there.iter().any(|known| known == name)).collect();
        land.build_window_layers(window, &wanted, cache, work)
    }
}

impl Step {
    fn share_at(&self, before: &Ground, [x, z]: [usize; 2], seed: u64, work: &Work) -> Result<f32> {
        let shares = self.mask.over(before, self.seed(seed), work)?;
        Ok(self.mixing.amount * shares.at(&before.heights, x, z))
    }

    /// How it was blended into the land, as an equation.
    fn equation(&self, old: f32, new: f32, share: f32) -> String {
        use super::Blend;
        let (from, to) = (number(old), number(new));
        match (self.operation.kind(), self.mixing.blend) {
            (Kind::Waterway, _) => format!("{from} − {} = {to}", number(old - new)),
            (Kind::Generator, Blend::Replace) if share == 1.0 => to,
            (Kind::Generator, blend) if share > 0.0 => {
                // What it made follows from the result.
                let joined = old + (new - old) / share;
                let join = match blend {
                    Blend::Replace => {
                        return format!("{from} + {} · ({} − {from}) = {to}", number(share), number(joined));
                    }
                    Blend::Add => ("+", joined - old),
                    Blend::Subtract => ("−", old - joined),
                    Blend::Multiply if old != 0.0 => ("·", joined / old),
                    Blend::Multiply => return format!("0 · its height = {to}"),
                    Blend::Min => {
                        return format!("the lower of {from} and its own, {} of it: {to}", percent(share));
                    }
                    Blend::Max => {
                        return format!("the higher of {from} and its own, {} of it: {to}", percent(share));
                    }
                };
                let (sign, made) = (join.0, number(join.1));
                match (blend, share == 1.0) {
                    (_, true) => format!("{from} {sign} {made} = {to}"),
                    (Blend::Multiply, false) => {
                        format!("{from} + {} · ({from} · {made} − {from}) = {to}", number(share))
                    }
                    (_, false) => format!("{from} {sign} {} · {made} = {to}", number(share)),
                }
            }
            (Kind::Filter, _) if share == 1.0 => {
                let sign = if new < old { "−" } else { "+" };
                format!("{from} {sign} {} = {to}", number((new - old).abs()))
            }
            (Kind::Filter, _) if share > 0.0 => {
                let (sign, whole) = (if new < old { "−" } else { "+" }, ((new - old) / share).abs());
                format!("{from} {sign} {} · {} = {to}", number(share), number(whole))
            }
            _ => format!("{from}, it does not act here"),
        }
    }
}

/// With four digits.
fn number(number: f32) -> String {
    let size = number.abs();
    let digits = match size {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

fn percent(share: f32) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    fn recipe(size: &str, steps: &str) -> Recipe {
        let text =
            format!(r#"(version: 1, name: "Land", seed: 3, size: {size}, cell: 20, steps: [{steps}])"#);
        Recipe::from_ron(&text, "land.ron").unwrap()
    }

    fn probe(recipe: &Recipe, sample: [i64; 2]) -> Probe {
        recipe.probe(sample, &Cache::default(), &Work::new()).unwrap()
    }

    #[test]
    fn a_probe_ends_at_the_height_of_the_land_on_every_preset() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap().with_longer_side(65);
            let (width, depth) = recipe.size;
            let first = recipe.shown().unwrap().window().first;
            let field = recipe.build_heightfield(&Work::new()).unwrap();
            for (x, z) in [(0, 0), (width / 2, depth / 3), (width - 1, depth - 1)] {
                let sample = [first[0] + i64::from(x), first[1] + i64::from(z)];
                let probe = probe(&recipe, sample);
                assert_eq!(probe.height(), field.at(x as usize, z as usize), "{} at {x}, {z}", preset.name);
                for pair in probe.steps.windows(2) {
                    assert_eq!(pair[0].after, pair[1].before, "{}", preset.name);
                }
                assert!(probe.steps.iter().all(|step| !step.equation.is_empty()));
            }
        }
    }

    #[test]
    fn equations_tell_how_steps_are_blended() {
        let of = |steps: &str| {
            let probe = probe(&recipe("(9, 9)", steps), [4, 4]);
            probe.steps.last().unwrap().equation.clone()
        };
        assert_eq!(of("flat(height: 40)"), "40");
        assert_eq!(of("flat(height: 40), flat(height: 60, amount: 0.25)"), "40 + 0.25 · (60 − 40) = 45");
        assert_eq!(of("flat(height: 40), flat(height: 7.5, blend: subtract)"), "40 − 7.5 = 32.5");
        assert_eq!(of("flat(height: 40), flat(height: 2, blend: multiply)"), "40 · 2 = 80");
        assert_eq!(
            of("flat(height: 40), flat(height: 90, blend: min)"),
            "the lower of 40 and its own, 100 % of it: 40"
        );
        assert_eq!(of("flat(height: 40), scale(factor: 3)"), "40 + 80 = 120");
        assert_eq!(of("flat(height: 40), scale(factor: 3, amount: 0.5)"), "40 + 0.5 · 80 = 80");
        let masked = "flat(height: 40), scale(factor: 3, mask: height, mask_min: 100, mask_max: 200)";
        assert_eq!(of(masked), "40, it does not act here");
    }

    #[test]
    fn masks_count_where_they_are_and_samples_that_are_not_on_the_land_are_refused() {
        let land = recipe("(9, 9)", "fbm(height: 100), flat(height: 5, blend: add, mask: noise)");
        let shares: Vec<f32> = (0..9).map(|column| probe(&land, [column, 3]).steps[1].share).collect();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        for outside in [[9, 0], [0, -1], [i64::MAX, 0], [0, i64::MIN + 1]] {
            let refused = land.probe(outside, &Cache::default(), &Work::new()).unwrap_err().to_string();
            assert!(refused.contains("not on land of 9×9"), "{refused}");
        }
    }

    #[test]
    fn types_are_told_with_what_makes_them_lie_there() {
        let land = Preset::find("high-range").unwrap().recipe().unwrap().with_longer_side(65);
        for sample in [[0, 0], [64, 64], [30, 20]] {
            let types = probe(&land, sample).types;
            let sum: f32 = types.iter().map(|kind| kind.share).sum();
            assert!((sum - 1.0).abs() < 0.05 && types.is_sorted_by(|a, b| a.share >= b.share), "{types:?}");
            assert!(types.iter().all(|kind| kind.limits.len() >= 2 && !kind.equation().is_empty()));
        }
        assert_eq!(probe(&recipe("(1, 1)", "flat()"), [0, 0]).types, []);
    }

    #[test]
    fn layers_are_told_with_their_values() {
        let land = recipe("(65, 65)", "fbm(height: 400), erode()");
        let probe = probe(&land, [30, 30]);
        assert!(probe.layers.iter().any(|(name, _)| name == "flow"), "{:?}", probe.layers);
    }
}
