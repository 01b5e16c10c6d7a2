//! Neighbours of a recipe to breed from: its numbers moved by chance, as far as there is still something to
//! be seen.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::compute::work::Work;
use crate::noise::stream;
use crate::params::{self, Value};
use crate::recipe::{Recipe, Step, Variant};

/// Numbers that [`Recipe::neighbours`] keeps as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The index of a step.
    pub step: usize,
    /// One of the step's numbers, by its path in the step; without it, all of them.
    pub number: Option<String>,
}

impl Lock {
    /// Keeps all numbers of a step.
    pub fn of_step(step: usize) -> Self {
        Self { step, number: None }
    }

    /// Keeps one number of a step.
    pub fn of_number(step: usize, path: impl Into<String>) -> Self {
        Self { step, number: Some(path.into()) }
    }

    fn keeps(&self, step: usize, path: &str) -> bool {
        self.step == step && self.number.as_ref().is_none_or(|number| number == path)
    }
}

impl Recipe {
    /// Makes `count` recipes like this one; the first is this one itself. In the others the numbers of its
    /// steps are moved by chance, by up to `spread` (above 0, 1 for all that is allowed), except those that
    /// are `locked`. The same `chance` gives the same recipes on every machine. A lock doesn't affect how
    /// other numbers are moved, unless a recipe is drawn again.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Lock, Preset};
    ///
    /// let recipe = Preset::find("downs").unwrap().recipe()?;
    /// let locked = [Lock::of_step(1), Lock::of_number(0, "height")];
    /// let neighbours = recipe.neighbours(3, 1, 0.3, &locked);
    /// assert!(neighbours.iter().all(|other| other.recipe.steps[1] == recipe.steps[1]));
    /// assert!(neighbours.iter().all(|other| other.recipe.number("steps.0.height").unwrap().value == 900.0));
    /// assert_ne!(neighbours[2].recipe, recipe);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// A recipe whose land is much flatter than this one's, lies almost wholly below the sea or cannot be
    /// built is drawn again, closer to this one each time; eight times at most are drawn. Land from files is
    /// not checked in this way. To check land, small versions of it are built, which may take a second: call
    /// this on a background thread.
    pub fn neighbours(&self, count: usize, chance: u64, spread: f32, locked: &[Lock]) -> Vec<Variant> {
        let own = Prospect::of(self);
        let is_whole = |index: usize| locked.contains(&Lock::of_step(index));
        let is_all_locked = (0..self.steps.len()).all(is_whole);
        let neighbour = |number: usize| {
            let title = if number == 0 { "As it is".to_owned() } else { format!("Neighbour {number}") };
            if number == 0 || is_all_locked {
                return Variant::called(title, self.clone());
            }
            // Each has chances of its own: one that is drawn again changes none of the others.
            let first = chance.wrapping_add(number as u64);
            let mut tried = (0..TRIES).map(|attempt| match attempt {
                0 => self.moved(first, spread, locked),
                _ => {
                    self.moved(stream(first, attempt), spread * (1.0 - attempt as f32 / TRIES as f32), locked)
                }
            });
            let is_worth_it = |recipe: &Self| {
                own.as_ref().is_none_or(|own| Prospect::of(recipe).is_some_and(|other| other.is_like(own)))
            };
            // After several failures the first one is shown all the same: a list with gaps would be worse.
            let recipe = tried.find(is_worth_it).unwrap_or_else(|| self.moved(first, spread, locked));
            Variant::called(title, recipe)
        };
        (0..count).map(neighbour).collect()
    }

    /// This recipe with the numbers of its steps moved by chance.
    fn moved(&self, chance: u64, spread: f32, locked: &[Lock]) -> Self {
        let mut recipe = self.clone();
        let mut random = Pcg64Mcg::seed_from_u64(chance);
        for (index, step) in recipe.steps.iter_mut().enumerate() {
            let is_locked = |path: &str| locked.iter().any(|lock| lock.keeps(index, path));
            move_numbers(step, &mut random, spread, is_locked);
        }
        recipe
    }
}

/// How many times a neighbour is drawn at most.
const TRIES: u64 = 8;

/// What there is to see of a land, judged by a few samples.
struct Prospect {
    /// Metres from the lowest to the highest.
    relief: f32,
    /// The share that is above the sea.
    dry: f32,
}

impl Prospect {
    /// Samples along the longer side.
    const SAMPLES: u32 = 17;

    /// `None` if the land cannot be made, or is made from files, which take long to read.
    fn of(recipe: &Recipe) -> Option<Self> {
        // Reading files takes long, and their land can't be made small in advance.
        if !recipe.files().is_empty() {
            return None;
        }
        let land = recipe.with_longer_side(Self::SAMPLES).build_heightfield(&Work::new()).ok()?;
        let (low, high) = land.range();
        let sea = if recipe.water.sea { recipe.water.sea_level } else { f32::NEG_INFINITY };
        let dry = land.heights().iter().filter(|height| **height > sea).count();
        Some(Self { relief: high - low, dry: dry as f32 / land.heights().len() as f32 })
    }

    /// Whether there is not far less to be seen than of `other`.
    fn is_like(&self, other: &Self) -> bool {
        self.relief >= 0.2 * other.relief && self.dry >= 0.4 * other.dry
    }
}

/// Moves the numbers of a step that are not locked, and takes back moves that break its laws.
fn move_numbers(step: &mut Step, random: &mut Pcg64Mcg, spread: f32, is_locked: impl Fn(&str) -> bool) {
    // From −1 to 1, more often near 0.
    let mut chance = || {
        // 24 bits: as many as an f32 holds exactly. The difference of two has a triangular distribution.
        let mut share = || (random.next_u32() >> 8) as f32 / (1u32 << 24) as f32;
        share() - share()
    };
    let before = step.clone();
    params::each_mut(&mut *step.operation, &mut |path, param, value| {
        let (low, high) = (*param.range.start() as f32, *param.range.end() as f32);
        match value {
            Value::Float(number) if number.is_finite() && high.is_finite() && low.is_finite() => {
                // Ranges are wide: most of a number's own size is moved, and a little of its range.
                let reach = number.abs().max(0.02 * (high - low)).min(high - low);
                let moved = (*number + chance() * spread * reach).clamp(low, high);
                // Chance is drawn for those that are locked, too: the others stay as they were without the
                // lock.
                if !is_locked(path) {
                    *number = moved;
                }
            }
            Value::Int(number) => {
                // Moved as if it were at least 2, or a 0 would never move.
                let moved = *number as f32 + chance() * spread * (*number as f32).max(2.0);
                if !is_locked(path) {
                    *number = param.fitting(moved.round().max(0.0) as u32, *number);
                }
            }
            _ => {}
        }
    });
    // Numbers that are fine one by one may contradict each other.
    if params::check(&*step.operation, step.operation.name()).is_err() {
        *step = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    fn hills() -> Recipe {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (33, 33), cell: 20,
            steps: [fbm(height: 400, hurst: 0.8), gaussian(sigma: 2), terrace()])"#;
        Recipe::from_ron(text, "hills.ron").unwrap()
    }

    #[test]
    fn windows_of_neighbours_have_a_middle() {
        let text = r#"(version: 1, name: "Smooth", seed: 3, size: (17, 17), cell: 20,
            steps: [fbm(height: 300), mean(size: 9), binomial(row: 6), majority(size: 5)])"#;
        let recipe = Recipe::from_ron(text, "smooth.ron").unwrap();
        for chance in 0..4 {
            for neighbour in recipe.neighbours(9, chance, 1.0, &[Lock::of_step(0)]) {
                neighbour.recipe.build_heightfield(&Work::new()).unwrap();
            }
        }
    }

    #[test]
    fn neighbours_are_accepted_differ_and_come_again() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap();
            let neighbours = recipe.neighbours(9, 7, 0.3, &[]);
            assert_eq!(neighbours[0].recipe, recipe, "{}", preset.name);
            for neighbour in &neighbours {
                neighbour.recipe.check().unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            }
            assert_eq!(neighbours, recipe.neighbours(9, 7, 0.3, &[]));
            assert_ne!(neighbours[1].recipe, recipe.neighbours(9, 8, 0.3, &[])[1].recipe);
            let all_locked: Vec<Lock> = (0..recipe.steps.len()).map(Lock::of_step).collect();
            assert!(recipe.neighbours(3, 7, 0.3, &all_locked).iter().all(|one| one.recipe == recipe));
        }
        let one = &hills().neighbours(2, 1, 0.5, &[Lock::of_step(1)])[1].recipe;
        assert_eq!(one.steps[1], hills().steps[1]);
        assert_ne!(one.steps[0], hills().steps[0]);
    }

    #[test]
    fn a_number_that_is_locked_stays_and_the_others_move_as_without_the_lock() {
        let free = hills().moved(5, 0.3, &[]);
        let value = |recipe: &Recipe, path: &str| recipe.number(path).unwrap().value;
        let mut locked = hills().moved(5, 0.3, &[Lock::of_number(0, "hurst"), Lock::of_step(1)]);
        assert_eq!(value(&locked, "steps.0.hurst"), value(&hills(), "steps.0.hurst"));
        assert_eq!(locked.steps[1], hills().steps[1]);
        assert_ne!(free.steps[0], hills().steps[0]);
        let hurst = value(&free, "steps.0.hurst").to_string();
        locked.set("steps.0.hurst", &hurst).unwrap();
        locked.steps[1] = free.steps[1].clone();
        assert_eq!(locked, free);
    }

    #[test]
    fn neighbours_of_islands_are_not_drowned() {
        let mut lost = 0;
        for name in ["archipelago", "high-range"] {
            let recipe = Preset::find(name).unwrap().recipe().unwrap();
            let own = Prospect::of(&recipe).unwrap();
            for chance in [0, 9] {
                for (number, neighbour) in recipe.neighbours(9, chance, 0.4, &[]).iter().enumerate().skip(1) {
                    let of_it = Prospect::of(&neighbour.recipe).unwrap();
                    assert!(of_it.is_like(&own), "{name}: {} and {}", of_it.dry, own.dry);
                    let first = recipe.moved(chance + number as u64, 0.4, &[]);
                    lost += usize::from(Prospect::of(&first).is_none_or(|first| !first.is_like(&own)));
                }
            }
        }
        assert!(lost > 0, "chance alone drowns some");
    }
}
