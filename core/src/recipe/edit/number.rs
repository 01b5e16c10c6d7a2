//! Numbers of a recipe by their paths, with what is declared of them: for sliders.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};
use crate::params::{self, Params, Reading};
use crate::recipe::Recipe;

/// A number in a recipe, and what is declared of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Its path, with the parameter's present name even if it was found under its former name.
    pub path: String,
    /// Its value, in its unit.
    pub value: f64,
    /// The values that are accepted.
    pub range: RangeInclusive<f64>,
    /// Its unit; empty for plain numbers.
    pub unit: &'static str,
    /// Whether it is a whole number.
    pub is_whole: bool,
    /// Whether a slider for it should be logarithmic.
    pub logarithmic: bool,
    /// Its explanation, for people.
    pub doc: &'static str,
}

impl Recipe {
    /// The number that `path` names, as [`set`](Self::set) knows it: of a step as in `steps.0.octaves`, of
    /// the water as in `water.sea_level`, of the sun as in `sun.elevation`, of the weather as in
    /// `weather.clouds`, of the texture as in `texture.types.2.slope.max`, where entries of lists are named by
    /// their index.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let recipe = upland::Preset::find("downs").unwrap().recipe()?;
    /// let hurst = recipe.number("steps.0.hurst")?;
    /// assert_eq!((hurst.value as f32, hurst.range, hurst.is_whole), (1.1, 0.0..=2.0, false));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] when nothing has this path, or no number does; the message lists what is there.
    pub fn number(&self, path: &str) -> Result<Number> {
        let texture;
        let (part, rest) = path.split_once('.').unwrap_or((path, ""));
        let (params, rest): (&dyn Params, &str) = match part {
            "water" => (&self.water, rest),
            "sun" => (&self.sun, rest),
            "weather" => (&self.weather, rest),
            "texture" => {
                texture = self.texture.texture();
                (&texture, rest)
            }
            "steps" => {
                let (index, rest) = rest.split_once('.').unwrap_or((rest, ""));
                let step = index.parse().ok().and_then(|index: usize| self.steps.get(index));
                let step = step.ok_or_else(|| {
                    let count = self.steps.len();
                    let named = self.steps.iter().position(|step| step.name() == index);
                    let reason = match named {
                        Some(number) => {
                            format!("a step is named by its number here; `{index}` is `steps.{number}`")
                        }
                        None => format!("there is no step `{index}`; the recipe has {count}, counted from 0"),
                    };
                    Error::parameter(path, reason)
                })?;
                (step, rest)
            }
            _ => {
                let reason = "numbers have paths that begin with `steps.`, `water.`, `sun.`, `weather.` or `texture.`, \
                              such as `steps.0.height`";
                return Err(Error::parameter(path, reason));
            }
        };
        let (asked, rest) = (rest, &*params::present_path(params, rest));
        let mut found = None;
        let mut known = Vec::new();
        let mut is_other = false;
        params::each(params, &mut |name, param, value| {
            let (value, is_whole) = match value {
                // Through its shortest text, so that 0.1 does not become 0.10000000149011612.
                Reading::Float(value) => (value.to_string().parse().unwrap_or(f64::from(value)), false),
                Reading::Int(value) => (f64::from(value), true),
                _ => {
                    is_other |= name == rest;
                    return;
                }
            };
            if name == rest {
                let (range, unit) = (param.range.clone(), param.unit);
                let (logarithmic, doc) = (param.logarithmic, param.doc);
                let path = format!("{}{rest}", &path[..path.len() - asked.len()]);
                found = Some(Number { path, value, range, unit, is_whole, logarithmic, doc });
            } else if known.len() < MOST_NAMES {
                known.push(name.to_owned());
            }
        });
        found.ok_or_else(|| {
            let what = if is_other { "that is not a number" } else { "there is no such number" };
            Error::parameter(path, format!("{what}; there are {}", known.join(", ")))
        })
    }
}

/// How many numbers an error names at most.
const MOST_NAMES: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    #[test]
    fn numbers_are_found_wherever_they_are_and_set_by_the_same_path() -> Result<()> {
        let mut recipe = Preset::all()[0].recipe()?;
        for path in [
            "steps.0.amount",
            "water.sea_level",
            "sun.elevation",
            "weather.clouds",
            "texture.types.0.elevation.max",
        ] {
            let number = recipe.number(path)?;
            let low = number.range.start().max(0.25);
            recipe.set(path, &low.to_string())?;
            assert_eq!(recipe.number(path)?.value, low, "{path}");
        }
        Ok(())
    }

    #[test]
    fn what_is_no_number_is_refused_with_those_that_there_are() -> Result<()> {
        let recipe = Preset::find("downs").map_or_else(|| unreachable!(), Preset::recipe)?;
        for (path, reason) in [
            ("name", "begin with"),
            ("steps.99.height", "there is no step `99`"),
            ("steps", "there is no step"),
            ("steps.0.basis", "there are height, frequency"),
            ("sun.warmth", "there are bearing"),
        ] {
            let said = recipe.number(path).unwrap_err().to_string();
            assert!(said.contains(reason), "{path}: {said}");
        }
        Ok(())
    }
}
