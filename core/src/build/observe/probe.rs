//! A probe: the effect of each step on one sample.

use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Window;
use crate::recipe::{Blend, Recipe, StackPart, Step};
use crate::steps::{Ground, Kind};
use crate::texture::TypeThere;

/// Texels along a cell of which the one nearest to the sample is explained.
const TEXELS: u32 = 8;

/// The effects of a recipe's steps on one sample, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The sample's column and row on the land.
    pub sample: [i64; 2],
    /// The steps that run, in order; rivers that are dug together count as one.
    pub steps: Vec<ProbedStep>,
    /// The terrain types there, those that cover most first, then the layers over them, the strongest first;
    /// with what their limits make of the ground. The texture is baked in a corner of the cell next to the
    /// sample, 1/16 of a cell away from it.
    pub types: Vec<TypeThere>,
    /// Layers of the finished land at the sample that steps have written, with their values.
    pub layers: Vec<(String, f32)>,
}

/// The effect of one step on a sample.
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
    /// Its amount, in [0, 1]; always 1 for rivers.
    pub amount: f32,
    /// Its mask there, in [0, 1]; 1 without a mask.
    pub mask: f32,
    /// How the mask follows from what it goes by, with its numbers; `None` without a mask.
    pub mask_equation: Option<String>,
    /// How it is blended into the land, as an equation with its numbers.
    pub equation: String,
    /// Its formula with its present numbers ([`Operation::formula`](crate::steps::Operation::formula)). For
    /// rivers that are dug together: the formulas of all, each below its number and title.
    pub formula: Option<String>,
}

/// The share in which a step acts at a sample.
struct StepShare {
    amount: f32,
    mask: f32,
    /// How the mask follows from what it goes by.
    equation: Option<String>,
}

impl StepShare {
    /// As rivers do, which have no amount and no mask.
    const WHOLLY: Self = Self { amount: 1.0, mask: 1.0, equation: None };

    fn share(&self) -> f32 {
        self.amount * self.mask
    }

    /// The share as a product of what is not 1.
    fn product(&self) -> String {
        match (self.amount == 1.0, self.mask == 1.0) {
            (true, _) => number(self.mask),
            (_, true) => number(self.amount),
            _ => format!("{} · {}", number(self.amount), number(self.mask)),
        }
    }
}

impl Probe {
    /// Height of the finished land, metres.
    pub fn height(&self) -> f32 {
        self.steps.last().map_or(0.0, |step| step.after)
    }
}

impl Recipe {
    /// Finds out what each step makes of one sample, by column and row; of endless land they may be negative.
    /// Results of steps that must know all of the land are taken from the cache, or made and kept there.
    ///
    /// ```
    /// # use upland_core as upland;
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
        // The land before each group that is open.
        let mut outer = Vec::new();
        for (place, part) in self.stack_parts() {
            if place < next {
                continue;
            }
            // Groups without an end are all closed at the same place.
            next = (place + 1).min(self.steps.len());
            let index = match part {
                StackPart::Step => place,
                StackPart::Opens => {
                    outer.push(std::mem::replace(
                        &mut before,
                        self.after(next, &mut land, window, cache, work)?,
                    ));
                    continue;
                }
                // Its blend and its mask are those of the group, on the land before it.
                StackPart::Closes(opened) => {
                    before = outer.pop().unwrap_or(before);
                    // The outermost of those without an end is blended last.
                    if place == self.steps.len() && !outer.is_empty() {
                        continue;
                    }
                    opened
                }
            };
            let step = &self.steps[index];
            // Rivers in a row are dug together, so they have one result.
            next = self.run_together(place).last().map_or(next, |(last, _)| last + 1);
            let after = match self.steps.len() {
                count if place == count => self.build_window(window, cache, work)?,
                _ => self.after(next, &mut land, window, cache, work)?,
            };
            let (old, new) = (before.heights.at(x, z), after.heights.at(x, z));
            let acts = match step.operation.kind() {
                Kind::Waterway => StepShare::WHOLLY,
                _ if step.mask.is_of_whole_land() => {
                    let (width, depth) = self.size;
                    let all = Window { level: 0, first: [0; 2], size: [width, depth] };
                    let land = self.after(index, &mut land, all, cache, work)?;
                    let place = [column, row].map(|place| place as usize);
                    step.share_at(&land.with_sea_level(self.sea_level()), place, self.seed, work)?
                }
                _ => step.share_at(&before, [x, z], self.seed, work)?,
            };
            let equation = step.equation(old, new, &acts);
            let (share, formula) = (acts.share(), self.formula_of(index));
            let StepShare { amount, mask, equation: mask_equation } = acts;
            let shown = if place < self.steps.len() { place } else { index };
            let title = self.steps[shown].title();
            steps.push(ProbedStep {
                index: shown,
                title,
                before: old,
                after: new,
                share,
                amount,
                mask,
                mask_equation,
                equation,
                formula,
            });
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
            if size.is_some_and(|size| sample[axis].saturating_add(1) >= i64::from(size[axis])) {
                (first[axis], texel[axis]) = (sample[axis] - 1, TEXELS as usize - 1);
            }
        }
        let window = Window { level: 0, first, size: [2, 2] };
        let ready = self.prepare_window(window, TEXELS, false, cache, work)?;
        let mut types = ready.explain(texel[0], texel[1], work)?;
        // Ground before layers, and within each the larger shares first.
        types.sort_by(|a, b| a.is_layer.cmp(&b.is_layer).then(b.share.total_cmp(&a.share)));
        Ok(types)
    }

    /// The samples around one, as far as there is land, and where it is among them. Slopes and masks look so
    /// far.
    fn around(&self, sample: [i64; 2]) -> Result<(Window, [usize; 2])> {
        let size = self.domain()?.size();
        // Saturating: land ends far before numbers do, and such a window is refused.
        let mut first = sample.map(|place| place.saturating_sub(1));
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
        *land = self.up_to(count);
        // A mask may read layers that later steps have no use for.
        let masks = self.steps.get(count).and_then(Step::masked_by);
        let there = land.layers();
        let wanted: Vec<&str> =
            masks.into_iter().filter(|name| there.iter().any(|known| known == name)).collect();
        land.build_window_layers(window, &wanted, cache, work)
    }
}

impl Step {
    fn share_at(&self, before: &Ground, [x, z]: [usize; 2], seed: u64, work: &Work) -> Result<StepShare> {
        let shares = self.mask.over(before, self.seed(seed), work)?;
        let equation = self.mask.equation(shares.measured(&before.heights, x, z));
        Ok(StepShare { amount: self.mixing.amount, mask: shares.at(&before.heights, x, z), equation })
    }

    /// How it was blended into the land, as an equation.
    fn equation(&self, old: f32, new: f32, acts: &StepShare) -> String {
        let (from, to) = (number(old), number(new));
        let (share, product) = (acts.share(), acts.product());
        // The part of the new height that is taken.
        let towards = |made: &str| match share == 1.0 {
            true => format!("{made} = {to}"),
            false => format!("{from} + {product} · ({made} − {}) = {to}", bracketed(old)),
        };
        if share == 0.0 {
            return format!("{from}, it does not act here");
        }
        // The step's own height follows from the result: the inverse of new = old + share (joined − old).
        // `share` is not 0 here.
        let joined = old + (new - old) / share;
        let kind = match self.operation.kind() {
            // The land of a group is blended as that of a generator is.
            Kind::Group => Kind::Generator,
            kind => kind,
        };
        match (kind, self.mixing.blend) {
            (Kind::Waterway, _) => format!("{from} − {} = {to}", number(old - new)),
            (Kind::Generator, Blend::Replace) if share == 1.0 => to,
            (Kind::Generator, Blend::Replace) => towards(&number(joined)),
            (Kind::Generator, blend @ (Blend::Add | Blend::Subtract)) => {
                let (sign, made) = match blend {
                    Blend::Add => ('+', joined - old),
                    _ => ('−', old - joined),
                };
                let part = if share == 1.0 { String::new() } else { format!("{product} · ") };
                format!("{from} {sign} {part}{} = {to}", bracketed(made))
            }
            (Kind::Generator, Blend::Multiply) if old == 0.0 => format!("0 · its height = {to}"),
            (Kind::Generator, Blend::Multiply) => towards(&format!("{from} · {}", bracketed(joined / old))),
            // The height of what is not taken is unknown.
            (Kind::Generator, Blend::Min) if joined >= old => format!("{from}, its own is not lower"),
            (Kind::Generator, Blend::Max) if joined <= old => format!("{from}, its own is not higher"),
            (Kind::Generator, Blend::Min) => towards(&format!("min({from}, {})", number(joined))),
            (Kind::Generator, Blend::Max) => towards(&format!("max({from}, {})", number(joined))),
            (Kind::Filter | Kind::Group, _) => {
                match self.operation.formula().and_then(|formula| computed(&formula, old)) {
                    Some(made) => towards(&made),
                    None => {
                        let sign = if new < old { '−' } else { '+' };
                        let part = if share == 1.0 { String::new() } else { format!("{product} · ") };
                        format!("{from} {sign} {part}{} = {to}", number((joined - old).abs()))
                    }
                }
            }
        }
    }
}

/// The right side of a formula of one line that needs nothing but the height before, with that height in it.
fn computed(formula: &str, height: f32) -> Option<String> {
    let right = formula.strip_prefix("h′ = ").filter(|right| !right.contains('\n'))?;
    let height = bracketed(height);
    let mut text = String::new();
    let mut rest = right;
    while let Some(letter) = rest.chars().next() {
        // Cut into words and what lies between them, so that an h in another word stays.
        let end = rest.find(|other: char| other.is_alphabetic() != letter.is_alphabetic());
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        text += match part {
            "h" => &height,
            // And not the lowest and highest height of the land, min h and max h.
            "min" | "max" if after.starts_with('(') => part,
            _ if letter.is_alphabetic() => return None,
            _ => part,
        };
        rest = after;
    }
    Some(text)
}

/// A number, in brackets if it has a sign.
fn bracketed(value: f32) -> String {
    let text = number(value);
    if text.starts_with('−') { format!("({text})") } else { text }
}

/// With four digits.
pub(super) fn number(number: f32) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Skin;
    use crate::recipe::preset::Preset;
    use crate::texture::{BlendMode, TerrainType, Texture};

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
                    // The land of a group is its own.
                    let between = &recipe.steps[pair[0].index..=pair[1].index];
                    if between.iter().all(|step| !["group", "end"].contains(&step.name())) {
                        assert_eq!(pair[0].after, pair[1].before, "{}", preset.name);
                    }
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
        assert_eq!(
            of("flat(height: -40), flat(height: 60, amount: 0.25)"),
            "−40 + 0.25 · (60 − (−40)) = −15"
        );
        assert_eq!(of("flat(height: 40), flat(height: 7.5, blend: subtract)"), "40 − 7.5 = 32.5");
        assert_eq!(of("flat(height: 40), flat(height: 2, blend: multiply)"), "40 · 2 = 80");
        assert_eq!(
            of("flat(height: 40), flat(height: 2, blend: multiply, amount: 0.5)"),
            "40 + 0.5 · (40 · 2 − 40) = 60"
        );
        assert_eq!(of("flat(height: 40), flat(height: 90, blend: min)"), "40, its own is not lower");
        assert_eq!(of("flat(height: 40), flat(height: 90, blend: max)"), "max(40, 90) = 90");
        assert_eq!(
            of("flat(height: 40), flat(height: 30, blend: min, amount: 0.5)"),
            "40 + 0.5 · (min(40, 30) − 40) = 35"
        );
        assert_eq!(of("flat(height: 40), flat(height: -8, blend: add, amount: 0.5)"), "40 + 0.5 · (−8) = 36");
        assert_eq!(of("flat(height: 40), scale(factor: 3)"), "3 · 40 = 120");
        assert_eq!(of("flat(height: -40), clamp(low: 0, high: 9)"), "min(max((−40), 0), 9) = 0");
        assert_eq!(of("flat(height: 40), scale(factor: 3, amount: 0.5)"), "40 + 0.5 · (3 · 40 − 40) = 80");
        // A formula that needs more than the height has no such equation.
        assert_eq!(of("flat(height: 40), gaussian()"), "40 + 0 = 40");
        let masked = "flat(height: 40), scale(factor: 3, mask: height, mask_min: 100, mask_max: 200)";
        assert_eq!(of(masked), "40, it does not act here");
    }

    #[test]
    fn a_mask_is_told_apart_from_the_amount() {
        let steps =
            "flat(height: 40), scale(factor: 3, amount: 0.5, mask: height, mask_min: 60, mask_release: 80)";
        let steps = probe(&recipe("(9, 9)", steps), [4, 4]).steps;
        let [flat, scale] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!((flat.amount, flat.mask, &flat.mask_equation), (1.0, 1.0, &None));
        assert_eq!((scale.amount, scale.mask, scale.share), (0.5, 0.75, 0.375));
        assert_eq!(
            scale.mask_equation.as_deref(),
            Some("height 40 m, in full from 60 m up, fading over 80 m: 1 − (60 − 40) / 80 = 0.75")
        );
        assert_eq!(scale.equation, "40 + 0.5 · 0.75 · (3 · 40 − 40) = 70");
        assert_eq!(scale.formula.as_deref(), Some("h′ = 3 · h"));
    }

    #[test]
    fn only_what_the_height_alone_decides_is_computed() {
        assert_eq!(computed("h′ = −0.5 · h − 12.25", 4.0).as_deref(), Some("−0.5 · 4 − 12.25"));
        assert_eq!(computed("h′ = min(max(h, 1), 2)", -4.0).as_deref(), Some("min(max((−4), 1), 2)"));
        for other in ["h′ = max h − (h − min h)", "h′ = h + 5\nand more", "w(x) = 1", "h′ = h · S(h)"]
        {
            assert_eq!(computed(other, 4.0), None, "{other}");
        }
    }

    #[test]
    fn rivers_that_are_dug_together_are_told_with_what_each_does() {
        let steps = "flat(height: 40), river(depth: 5, bank: 0), gaussian(on: false), river(depth: 7, bank: 0), mean()";
        let land = recipe("(65, 65)", steps);
        let probe = probe(&land, [30, 30]);
        let indices: Vec<usize> = probe.steps.iter().map(|step| step.index).collect();
        assert_eq!(indices, [0, 1, 4]);
        let [first, second] = [1, 3].map(|index| land.steps[index].operation.formula().unwrap());
        assert_ne!(first, second);
        let both = format!("2  River\n{first}\n4  River\n{second}");
        assert_eq!(probe.steps[1].formula.as_deref(), Some(&*both));
        assert_eq!(land.formula_of(4), land.steps[4].operation.formula());
        assert_eq!(land.formula_of(9), None);
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
            assert!((sum - 1.0).abs() < 1e-5 && types.is_sorted_by(|a, b| a.share >= b.share), "{types:?}");
            assert!(types.iter().all(|kind| kind.limits.len() >= 2 && !kind.equation().is_empty()));
        }
        assert_eq!(probe(&recipe("(1, 1)", "flat()"), [0, 0]).types, []);
    }

    #[test]
    fn shares_of_the_ground_add_up_whatever_is_laid_over_it() {
        let mut land = recipe("(33, 33)", "fbm(height: 300)");
        let kind = |name: &str, blend| TerrainType { blend, ..TerrainType::new(name, [0.4; 3]) };
        let types = [BlendMode::Mix, BlendMode::Multiply, BlendMode::Mix, BlendMode::Add, BlendMode::Screen];
        let types = ["rock", "wet", "grass", "frost", "haze"].into_iter().zip(types);
        let types = types.map(|(name, blend)| kind(name, blend)).collect();
        land.texture = Skin::Custom(Texture { types, ..Texture::default() });
        let types = probe(&land, [16, 16]).types;
        let (layers, ground): (Vec<_>, Vec<_>) = types.iter().partition(|kind| kind.is_layer);
        assert_eq!((ground.len(), layers.len()), (2, 3));
        assert!((ground.iter().map(|kind| kind.share).sum::<f32>() - 1.0).abs() < 1e-5, "{types:?}");
        assert!(layers.iter().all(|kind| kind.share == 1.0));
        assert!(types[..2].iter().all(|kind| !kind.is_layer), "the ground comes first");
    }

    #[test]
    fn places_near_the_largest_numbers_are_refused() {
        let ends = [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX, 1 << 48, -(1 << 50)];
        for (size, text) in [("(9, 9)", ""), ("endless", ", unit: 1000")] {
            let text = format!(r#"(version: 1, name: "x", size: {size}, cell: 20{text}, steps: [fbm()])"#);
            let land = Recipe::from_ron(&text, "land.ron").unwrap();
            for end in ends {
                for sample in [[end, 0], [0, end], [end; 2]] {
                    assert!(
                        land.probe(sample, &Cache::default(), &Work::new()).is_err(),
                        "{size} {sample:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn layers_are_told_with_their_values() {
        let land = recipe("(65, 65)", "fbm(height: 400), erode()");
        let probe = probe(&land, [30, 30]);
        assert!(probe.layers.iter().any(|(name, _)| name == "flow"), "{:?}", probe.layers);
    }
}
