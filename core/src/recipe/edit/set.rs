//! Changing a recipe by a path such as `steps.0.octaves`, as the command line's `--set` does.

use crate::error::{Error, Result};
use crate::params::{self, names, params, set_in};
use crate::recipe::{Recipe, Seasons, Skin, Step, View, Water, limits, size};
use crate::rules::Rule;
use crate::sky::sun::Sun;
use crate::texture::Texture;

params! {
    /// The parts of a recipe that are parameters, as a path finds them.
    pub struct Parts {
        /// What stands on the land.
        pub scatter: Vec<Rule> = Vec::new(), "rules" in 0.0..=64.0;
        /// The position of the sun.
        pub sun: Sun = Sun::default();
        /// The initial viewpoint.
        pub view: Option<View> = None;
        /// The sea.
        pub water: Water = Water::default();
    }
}

impl Recipe {
    /// Sets what `path` names to the value in `text`:
    ///
    /// * `name`, `about`, `seed`, `cell`, `size`, which may be `endless`, and then `unit`;
    /// * `steps.N.…`, with N from 0, as in `steps.0.octaves`;
    /// * `sun.…`, `water.…` and `view.…`, as in `sun.elevation` and `view.from.y`; `view` may be `none`;
    /// * `texture`, with whatever a recipe may have there; `texture.season`; and everything in a texture,
    ///   as in `texture.resolution`, `texture.light.bearing`, `texture.types.2.elevation.min`, or by a type's
    ///   name `texture.types.snow.factors.wetness.max`. This turns a ready-made texture into a custom one.
    ///   Where several sets fade, name one of them: `texture.sets.0.types.2.slope.max`;
    /// * `scatter`, a whole list; and everything in a rule, by its index or its name, as in
    ///   `scatter.0.density` and `scatter.spruce.slope.max`; `bare`, true for a land with nothing on it.
    ///
    /// A minimum set above its maximum raises the maximum with it, and the reverse. Nothing changes on an
    /// error.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Hills", (65, 65), 30.0);
    /// recipe.set("texture.types.2.elevation.min", "0.3")?;
    /// recipe.set("view.from", "(0, 500, 900)")?;
    /// assert_eq!(recipe.texture.texture().types[2].elevation.min, 0.3);
    /// let error = recipe.set("texture.types.2.hight", "1").unwrap_err().to_string();
    /// assert!(error.contains("`texture.types.2` has name, id, colour"), "{error}");
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such parameter or it does not accept the value; the message lists what is
    /// available.
    pub fn set(&mut self, path: &str, text: &str) -> Result<()> {
        let mut changed = self.clone();
        changed.set_part(path, text).map_err(|reason| Error::parameter(path, reason))?;
        *self = changed;
        Ok(())
    }

    fn set_part(&mut self, path: &str, text: &str) -> std::result::Result<(), String> {
        let (part, rest) = match path.split_once('.') {
            Some((part, rest)) => (part, Some(rest)),
            None => (path, None),
        };
        match (part, rest) {
            ("name", None) => text.clone_into(&mut self.name),
            ("about", None) => text.clone_into(&mut self.about),
            ("seed", None) => {
                self.seed = text.parse().map_err(|_| {
                    format!("`{text}` is not a seed; give a whole number from 0 to {}", u64::MAX)
                })?;
            }
            ("cell", None) => {
                let cell = text
                    .parse()
                    .map_err(|_| format!("`{text}` is not a number of metres between samples"))?;
                limits::check_cell(cell)?;
                self.cell = cell;
            }
            ("size", None) if text.trim() == "endless" => {
                self.size = size::SHOWN;
                self.unit.get_or_insert(size::UNIT);
            }
            ("unit", None) if self.unit.is_none() => {
                return Err(
                    "is for endless land; set size=endless first: the longer side is the unit of land that \
                            has one"
                        .into(),
                );
            }
            ("unit", None) => {
                let unit = text.parse().map_err(|_| format!("`{text}` is not a number of metres"))?;
                limits::check_unit(unit)?;
                self.unit = Some(unit);
            }
            ("size", None) => {
                let sides = text.trim_matches(['(', ')']).split_once([',', 'x']);
                let side = |text: &str| text.trim().parse().ok();
                let size = sides.and_then(|(width, depth)| side(width).zip(side(depth)));
                let size = size.ok_or_else(|| {
                    format!("`{text}` is neither two numbers of samples, such as (1025, 513) or 1025x513, nor endless")
                })?;
                limits::check_size(size)?;
                (self.size, self.unit) = (size, None);
            }
            ("scatter" | "sun" | "view" | "water", _) => self.set_in_parts(path, text)?,
            ("texture", None) => self.texture = Skin::named(text)?,
            ("texture", Some("season")) => {
                let season = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
                self.texture = self.texture.in_season(Seasons::new(season)?.season);
            }
            ("texture", Some(rest)) => self.set_in_texture(rest, text)?,
            ("bare", None) => {
                self.bare = text.parse().map_err(|_| format!("`{text}` is neither true nor false"))?;
            }
            ("steps", Some(rest)) if let Some((number, rest)) = rest.split_once('.') => {
                let index = self.step_called(number)?;
                set_in(&mut self.steps[index], &format!("steps.{number}"), rest, text)?;
            }
            ("steps", Some(number)) => {
                let step = &self.steps[self.step_called(number)?];
                let known = names(step).join(", ");
                return Err(format!("is a whole step ({}); set one of its parameters: {known}", step.name()));
            }
            _ => {
                return Err(
                    "names nothing; there are name, about, seed, size, unit, cell, steps.N.…, water.…, texture, \
                            texture.…, scatter.…, bare, sun.… and view.…"
                        .into(),
                );
            }
        }
        Ok(())
    }

    /// The index of the step that a path calls `name`: its index, or its own name if no other has it.
    pub(super) fn step_called(&self, name: &str) -> std::result::Result<usize, String> {
        if let Some(index) = name.parse().ok().filter(|index: &usize| *index < self.steps.len()) {
            return Ok(index);
        }
        let list = |steps: &mut dyn Iterator<Item = (usize, &Step)>| {
            steps.map(|(index, step)| format!("{index} ({})", step.name())).collect::<Vec<_>>().join(", ")
        };
        let mut called = self.steps.iter().enumerate().filter(|(_, step)| step.name() == name);
        match (called.next(), called.next()) {
            (Some((index, _)), None) => Ok(index),
            (Some(first), Some(second)) => {
                let found = list(&mut [first, second].into_iter().chain(called));
                Err(format!("several steps are called {name}; give the index of one: {found}"))
            }
            (None, _) if self.steps.is_empty() => {
                Err(format!("there is no step {name}; the recipe has none"))
            }
            (None, _) => {
                let all = list(&mut self.steps.iter().enumerate());
                Err(format!("there is no step {name}; the recipe has {all}"))
            }
        }
    }

    /// Sets a parameter of the parts. After an error they are lost: [`set`](Self::set) works on a copy.
    fn set_in_parts(&mut self, path: &str, text: &str) -> std::result::Result<(), String> {
        let mut parts = Parts {
            scatter: std::mem::take(&mut self.scatter),
            sun: std::mem::take(&mut self.sun),
            view: self.view.take(),
            water: std::mem::take(&mut self.water),
        };
        set_in(&mut parts, "", path, text)?;
        Parts { scatter: self.scatter, sun: self.sun, view: self.view, water: self.water } = parts;
        Ok(())
    }

    fn set_in_texture(&mut self, rest: &str, text: &str) -> std::result::Result<(), String> {
        let first = rest.split('.').next().unwrap_or_default();
        if let Skin::Sets(sets) = &self.texture
            && params::names(&Texture::default()).contains(&first)
        {
            let last = sets.sets.len().saturating_sub(1);
            return Err(format!(
                "the ground has several texture sets; name one, from texture.sets.0.{rest} to texture.sets.{last}.{rest}"
            ));
        }
        set_in(&mut self.texture, "texture", rest, text)
    }
}
