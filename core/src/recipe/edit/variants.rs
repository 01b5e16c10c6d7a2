//! Recipes that differ from another in one thing, to be compared with it: one parameter at several values,
//! each generator in place of the steps.

use crate::error::Result;
use crate::params;
use crate::recipe::titles::title_among;
use crate::recipe::{Recipe, Step};
use crate::steps::{self, Kind};

/// A recipe, and its title among others.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its difference from the others, for people.
    pub title: String,
    /// The same in fewer letters, for where there is little room.
    pub short: String,
    /// The recipe.
    pub recipe: Recipe,
}

impl Variant {
    /// One whose title is short already.
    pub(crate) fn called(title: String, recipe: Recipe) -> Self {
        Self { short: title.clone(), title, recipe }
    }
}

/// Values that a parameter is given one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `count` numbers from the first to the last, evenly spaced, both included.
    Between {
        /// The first.
        first: f64,
        /// The last.
        last: f64,
        /// How many, at least 2.
        count: usize,
    },
    /// These, as they are written in recipes.
    Each(Vec<String>),
}

impl Values {
    /// Reads `LOW..HIGH`, which stands for `count` numbers, or a list such as `0.2,0.5,0.9`.
    ///
    /// # Errors
    /// When an end isn't a number, or there are fewer than two values.
    pub fn read(text: &str, count: usize) -> std::result::Result<Self, String> {
        let Some((first, last)) = text.split_once("..") else {
            let values: Vec<String> = text.split(',').map(|value| value.trim().to_owned()).collect();
            return match values.len() {
                0 | 1 => {
                    Err(format!("`{text}` is one value; give LOW..HIGH or several, such as 0.2,0.5,0.9"))
                }
                _ => Ok(Self::Each(values)),
            };
        };
        let end = |text: &str| {
            let number: Option<f64> = text.trim().parse().ok();
            number.filter(|number| number.is_finite()).ok_or_else(|| format!("`{text}` is not a number"))
        };
        let (first, last) = (end(first)?, end(last)?);
        if count < 2 {
            return Err(format!("{count} values are none from {first} to {last}; give 2 or more"));
        }
        Ok(Self::Between { first, last, count })
    }

    /// The values as they are written in recipes. Whole numbers stay whole where all are.
    fn texts(&self) -> Vec<String> {
        match self {
            Self::Each(values) => values.clone(),
            Self::Between { first, last, count } => {
                let steps = count.saturating_sub(1).max(1) as f64;
                let at = |index: usize| {
                    let share = index as f64 / steps;
                    first + (last - first) * share
                };
                // Enough digits to distinguish one from the next.
                let step = (last - first).abs() / steps;
                let digits = match step {
                    0.0 => 3,
                    _ => (1.0 - libm::floor(libm::log10(step))).clamp(0.0, 9.0) as usize,
                };
                let is_whole = (0..*count).all(|index| (at(index) - at(index).round()).abs() < 1e-9);
                let text = |index| match is_whole {
                    true => format!("{:.0}", at(index)),
                    false => format!("{:.digits$}", at(index)),
                };
                (0..*count).map(text).collect()
            }
        }
    }
}

impl Recipe {
    /// Copies of this recipe, one for each of these values of a parameter. The path of the parameter is as in
    /// [`set`](Self::set).
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Preset, Values};
    ///
    /// let recipe = Preset::find("downs").unwrap().recipe()?;
    /// let seeds = recipe.varied("seed", &Values::read("1..9", 9).unwrap())?;
    /// assert_eq!((seeds.len(), seeds[8].recipe.seed, &*seeds[8].title), (9, 9, "seed = 9"));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`set`](Self::set), of the first value that is not accepted.
    pub fn varied(&self, path: &str, values: &Values) -> Result<Vec<Variant>> {
        let variant = |text: String| {
            let mut recipe = self.clone();
            recipe.set(path, &text)?;
            recipe.check()?;
            let [title, short] = self.names_of(path).map(|name| format!("{name} = {text}"));
            Ok(Variant { title, short, recipe })
        };
        values.texts().into_iter().map(variant).collect()
    }

    /// The name of the parameter with this path: with its step's title, and without.
    fn names_of(&self, path: &str) -> [String; 2] {
        let of_step = path.strip_prefix("steps.").and_then(|rest| rest.split_once('.'));
        let found = of_step.and_then(|(step, name)| Some((self.step_called(step).ok()?, name)));
        let Some((index, name)) = found else { return [path.to_owned(), path.to_owned()] };
        [format!("{}: {name}", title_among(&self.steps, index)), name.to_owned()]
    }

    /// Copies of this recipe, one for each generator, which takes the place of all steps with its default
    /// parameters. Generators that need a file are left out, and those that cannot make land of this size.
    pub fn of_each_generator(&self) -> Vec<Variant> {
        let variant = |operation: Box<dyn steps::Operation>| {
            let title = operation.title().to_owned();
            let recipe = Self { steps: vec![Step::new(operation)], view: None, ..self.clone() };
            (recipe.files().is_empty() && recipe.check().is_ok()).then_some(Variant::called(title, recipe))
        };
        let needs_no_file = |operation: &dyn steps::Operation| {
            let mut needs = false;
            params::each(operation, &mut |_, _, value| needs |= matches!(value, params::Reading::File(_)));
            !needs
        };
        let generators = steps::of_kind(Kind::Generator).filter(|operation| needs_no_file(&**operation));
        generators.filter_map(variant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills() -> Recipe {
        let text = r#"(version: 1, name: "Hills", seed: 3, size: (33, 33), cell: 20,
            steps: [fbm(height: 400, hurst: 0.8), gaussian(sigma: 2), terrace()])"#;
        Recipe::from_ron(text, "hills.ron").unwrap()
    }

    #[test]
    fn a_range_has_both_ends_and_as_many_digits_as_needed() {
        let texts = |text: &str, count| Values::read(text, count).unwrap().texts();
        assert_eq!(texts("1..9", 9), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(texts("0.1..0.9", 3), ["0.10", "0.50", "0.90"]);
        assert_eq!(texts("0..1000", 3), ["0", "500", "1000"]);
        assert_eq!(texts("5..1", 2), ["5", "1"]);
        assert_eq!(texts("0..1e-5", 2), ["0.000000", "0.000010"]);
        assert_eq!(texts("2..2", 2), ["2", "2"]);
        assert_eq!(texts("gradient, value", 9), ["gradient", "value"]);
        for (text, count) in [("1", 9), ("", 9), ("a..b", 9), ("1..inf", 9), ("1..2", 1), ("1..", 3)] {
            assert!(Values::read(text, count).is_err(), "{text}");
        }
    }

    #[test]
    fn a_varied_parameter_is_all_that_differs() {
        let recipe = hills();
        let varied = recipe.varied("steps.fbm.hurst", &Values::read("0.2..0.8", 4).unwrap()).unwrap();
        assert_eq!(
            varied.iter().map(|variant| &*variant.short).collect::<Vec<_>>(),
            ["hurst = 0.20", "hurst = 0.40", "hurst = 0.60", "hurst = 0.80"]
        );
        assert_eq!(varied[3].recipe, recipe);
        assert_ne!(varied[0].recipe, recipe);
        let refused = recipe.varied("steps.fbm.hurst", &Values::Each(vec!["0.5".into(), "9".into()]));
        assert!(refused.unwrap_err().to_string().contains("steps.fbm.hurst"));
        assert!(recipe.varied("steps.nothing.x", &Values::Each(vec!["1".into(), "2".into()])).is_err());
    }

    #[test]
    fn a_varied_parameter_is_named_with_the_title_of_its_step() {
        let mut recipe = hills();
        let titles = |recipe: &Recipe, path: &str| {
            let varied = recipe.varied(path, &Values::Each(vec!["3".into()])).unwrap();
            [varied[0].title.clone(), varied[0].short.clone()]
        };
        let fbm = recipe.steps[0].title().to_owned();
        for path in ["steps.0.octaves", "steps.fbm.octaves"] {
            assert_eq!(titles(&recipe, path), [format!("{fbm}: octaves = 3"), "octaves = 3".into()]);
        }
        assert_eq!(titles(&recipe, "seed"), ["seed = 3", "seed = 3"]);
        recipe.steps.push(recipe.steps[1].clone());
        let gaussian = recipe.steps[1].title();
        let second = titles(&recipe, "steps.3.sigma");
        assert_eq!(second, [format!("{gaussian} (step 4): sigma = 3"), "sigma = 3".into()]);
    }

    #[test]
    fn all_generators_that_need_no_file_are_there_and_can_be_made() {
        let variants = Recipe { size: (65, 65), ..hills() }.of_each_generator();
        let names: Vec<&str> = variants.iter().map(|variant| variant.recipe.steps[0].name()).collect();
        assert!(
            names.contains(&"fbm") && names.contains(&"diamond_square") && names.contains(&"fault"),
            "{names:?}"
        );
        assert!(!names.contains(&"import"), "{names:?}");
        assert!(names.len() + 1 >= steps::of_kind(Kind::Generator).count(), "{names:?}");
    }
}
