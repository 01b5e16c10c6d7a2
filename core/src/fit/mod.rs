//! A recipe whose land is like a real one in slopes, curvatures, forms, spectrum, hypsometry and drainage
//! density.
//!
//! The recipe is fractional Brownian motion that rivers erode, and whose heights a curve maps to those of the
//! real land. What can be measured is taken over: the roughness, the range, the steepest slopes and the
//! hypsometry. The rest is searched for one number after the other, as Hooke and Jeeves, "'Direct search'
//! solution of numerical and statistical problems" (1961), do. Nothing in it is left to chance: the same land
//! gives the same recipe.

mod search;

use search::{Numbers, STEPS};

use crate::analysis::likeness::{Comparison, coarsened, compare};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::recipe::{Recipe, Step};
use crate::steps::Ground;
use crate::steps::filter::{Curve, CurveShape, Erode, Normalize, Outlets};
use crate::steps::generate::Fbm;

/// How a recipe is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Samples along the longer side of the land that is made, 65 to 1025: a finer model is averaged to it.
    /// The time of the search grows with their square.
    pub samples: usize,
    /// Rounds of the search, 0 to 10, each with smaller steps than the one before.
    pub rounds: usize,
    /// The seed of the recipe.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { samples: 257, rounds: 3, seed: 1 }
    }
}

/// A recipe that was fitted to a real land.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The recipe.
    pub recipe: Recipe,
    /// Its land beside the real one.
    pub comparison: Comparison,
    /// The land beside the real one with which the search began.
    pub first: Comparison,
    /// Lands that were made.
    pub trials: usize,
}

impl Fitted {
    /// How far the land is from the real one: the sum of all distances, each as a multiple of what quarters
    /// of the real land are apart.
    pub fn cost(&self) -> f64 {
        cost(&self.comparison)
    }

    /// The same of the land with which the search began.
    pub fn first_cost(&self) -> f64 {
        cost(&self.first)
    }
}

/// Fits a recipe to a real land called `name`. `sea` is the height of its sea, if there is one.
///
/// # Errors
/// When an option is outside its range, and as [`compare`], of which the land must be capable.
pub fn fit(
    (name, real): (&str, &Heightfield),
    sea: Option<f32>,
    options: &FitOptions,
    work: &Work,
) -> Result<Fitted> {
    let FitOptions { samples, rounds, seed } = *options;
    if !(65..=1025).contains(&samples) {
        return Err(Error::parameter("samples", format!("{samples} is outside 65 to 1025")));
    }
    if rounds > 10 {
        return Err(Error::parameter("rounds", format!("{rounds} is outside 0 to 10")));
    }
    if !real.is_finite_while(work)? {
        return Err(Error::parameter("heights", "some are holes without a height; fill them first"));
    }
    let longer = real.grid().longer();
    let ratio = (longer.max(2) - 1) as f32 / (samples - 1) as f32;
    let real = if ratio > 1.0 { coarsened(real, real.grid().cell * ratio, work)? } else { real.clone() };
    let model = Model::of(name, &real, sea, seed, work)?;

    let mut best = Numbers::like(&model.measured.signatures[1], real.grid());
    let land = model.land(&best, work)?;
    let first = model.compared(&land.1, work)?;
    let (mut trials, mut recipe, mut comparison) = (1, land.0, first.clone());
    for round in 0..rounds {
        for number in 0..STEPS.len() {
            let done = |numbers: usize| numbers as f32 / (rounds * STEPS.len()) as f32;
            let work = work.part(done(round * STEPS.len() + number), done(round * STEPS.len() + number + 1));
            for way in [1.0, -1.0] {
                let mut is_better = false;
                // In the way that leads nearer, until it leads away.
                while let Some(next) = best.moved(number, way, round).filter(|_| trials < MOST_TRIALS) {
                    work.check()?;
                    let (next_recipe, land) = model.land(&next, &work)?;
                    let next_comparison = model.compared(&land, &work)?;
                    trials += 1;
                    if cost(&next_comparison) >= cost(&comparison) {
                        break;
                    }
                    (best, recipe, comparison, is_better) = (next, next_recipe, next_comparison, true);
                }
                if is_better {
                    break;
                }
            }
        }
    }
    Ok(Fitted { recipe, comparison, first, trials })
}

/// Lands that are made, at most.
const MOST_TRIALS: usize = 80;

/// What a distance of each measure is at least worth, in the order of the measures: quarters of a small land
/// may be alike by chance.
const LEAST: [f64; 8] = [0.5, 0.05, 0.05, 2.0, 1.0, 0.1, 2.0, 0.1];

/// How far a land is from the real one: the sum of all distances, each as a multiple of what quarters of the
/// real land are apart.
fn cost(comparison: &Comparison) -> f64 {
    let measures = comparison.measures();
    let of = measures
        .iter()
        .zip(LEAST)
        .filter_map(|(measure, least)| Some(measure.distance? / measure.within.unwrap_or(least).max(least)));
    of.sum()
}

/// The land that recipes are fitted to.
struct Model<'a> {
    real: &'a Heightfield,
    sea: Option<f32>,
    seed: u64,
    name: String,
    /// Shares of its range below which a fifth, a half and four fifths of it lie.
    shares: [f32; 3],
    range: (f32, f32),
    /// Its measures, as the second land.
    measured: Comparison,
}

/// Shares of the land at which its hypsometry is taken over.
const BELOW: [f64; 3] = [0.2, 0.5, 0.8];

impl<'a> Model<'a> {
    fn of(name: &str, real: &'a Heightfield, sea: Option<f32>, seed: u64, work: &Work) -> Result<Self> {
        let measured = compare([(name, real), (name, real)], [sea; 2], work)?;
        let range = real.range_while(work)?;
        Ok(Self { real, sea, seed, name: name.to_owned(), shares: shares_below(real), range, measured })
    }

    /// The recipe that these numbers stand for, and its land.
    fn land(&self, numbers: &Numbers, work: &Work) -> Result<(Recipe, Heightfield)> {
        let grid = self.real.grid();
        let mut recipe =
            Recipe::new(format!("Like {}", self.name), (grid.width as u32, grid.depth as u32), grid.cell);
        recipe.about = format!("Fitted to {}", self.name);
        recipe.seed = self.seed;
        (recipe.water.sea, recipe.water.sea_level) = (self.sea.is_some(), self.sea.unwrap_or(0.0));
        let (low, high) = self.range;
        recipe.steps = vec![
            Step::new(Fbm {
                frequency: numbers.frequency(),
                hurst: numbers.hurst(),
                octaves: numbers.octaves(),
                ..Fbm::default()
            }),
            Step::new(Normalize { low: 0.0, high: (high - low).clamp(1.0, 12_000.0) }),
            Step::new(Erode {
                strength: numbers.strength(),
                smoothing: numbers.smoothing(),
                max_slope: numbers.steepest(),
                base_level: -12_000.0,
                outlets: Outlets::Slopes,
                ..Erode::default()
            }),
        ];
        let mut ground = Ground::new(recipe.build_heightfield(work)?);
        let from = shares_below(&ground.heights);
        let curve = Curve {
            from_1: from[0],
            to_1: self.shares[0],
            from_2: from[1],
            to_2: self.shares[1],
            from_3: from[2],
            to_3: self.shares[2],
            shape: CurveShape::Smooth,
        };
        let range = Normalize { low: low.clamp(-12_000.0, 12_000.0), high: high.clamp(-12_000.0, 12_000.0) };
        for step in [Step::new(curve), Step::new(range)] {
            step.apply(&mut ground, recipe.seed, work)?;
            recipe.steps.push(step);
        }
        Ok((recipe, ground.heights))
    }

    fn compared(&self, land: &Heightfield, work: &Work) -> Result<Comparison> {
        self.measured.with_first(("the fitted land", land), self.sea, work)
    }
}

/// The heights below which given shares of a land lie, as shares of its range; ascending, and off the ends,
/// as a curve needs them.
fn shares_below(land: &Heightfield) -> [f32; 3] {
    let mut heights = land.heights().to_vec();
    heights.sort_unstable_by(f32::total_cmp);
    let (low, high) = (heights[0], heights[heights.len() - 1]);
    let at = |share: f64| {
        let height = heights[(share * (heights.len() - 1) as f64) as usize];
        if high > low { (height - low) / (high - low) } else { share as f32 }
    };
    let mut shares = BELOW.map(at);
    let mut least = 0.001;
    for (index, share) in shares.iter_mut().enumerate() {
        *share = share.clamp(least, 0.997 + 0.001 * index as f32);
        least = *share + 0.001;
    }
    shares
}
