//! Changing a recipe by a path such as `steps.0.octaves`, as the command line's `--set` does.

use crate::error::{Error, Result};
use crate::params::{self, Params, declared, has_parts, names, set_in, set_part};
use crate::recipe::limits::{SHOWN, UNIT};
use crate::recipe::{Recipe, Seasons, Skin, Step};
use crate::texture::Texture;

impl Recipe {
    /// Sets what `path` names to the value in `text`:
    ///
    /// * `name`, `about`, `seed`, `cell`, `size`, which may be `endless`, and then `unit`;
    /// * `steps.N.…`, with N from 0, as in `steps.0.octaves`;
    /// * `sun.…`, `weather.…`, `water.…` and `view.…`, as in `sun.elevation` and `view.from.y`; `view` may be
    ///   `none`;
    /// * `texture`, with whatever a recipe may have there; `texture.season`; and everything in a texture,
    ///   as in `texture.resolution`, `texture.light.bearing`, `texture.types.2.elevation.min`, or by a type's
    ///   name `texture.types.snow.factors.wetness.max`. This turns a ready-made texture into a custom one.
    ///   Where several sets fade, name one of them: `texture.sets.0.types.2.slope.max`;
    /// * `scatter`, a whole list; and everything in a rule, by its index or its name, as in
    ///   `scatter.0.density` and `scatter.spruce.slope.max`; `bare`, true for a land with nothing on it;
    /// * `bookmarks` and `flights`, in the same way, as in `bookmarks.0.name`.
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
            ("size", None) if declared(self, "size").and_then(|size| size.or) == Some(text.trim()) => {
                // The word makes the land endless.
                self.size = SHOWN;
                self.unit.get_or_insert(UNIT);
            }
            ("size", None) => {
                set_part(self, path, text.trim())?;
                self.unit = None;
            }
            ("unit", None) if self.unit.is_none() => {
                return Err(
                    "is for endless land; set size=endless first: the longer side is the unit of land that \
                            has one"
                        .into(),
                );
            }
            ("unit", None) => {
                set_part(self, path, text)?;
                if self.unit.is_none() {
                    return Err(
                        "is what endless land is measured in; for land with an end, set its size".into()
                    );
                }
            }
            ("texture", None) => self.texture = Skin::named(text)?,
            ("texture", Some("season")) => {
                let season = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
                self.texture = self.texture.in_season(Seasons::new(season)?.season);
            }
            ("texture", Some(rest)) => self.set_in_texture(rest, text)?,
            ("steps", Some(rest)) if let Some((number, rest)) = rest.split_once('.') => {
                let index = self.step_called(number)?;
                set_in(&mut self.steps[index], &format!("steps.{number}"), rest, text)?;
            }
            ("steps", Some(number)) => {
                let step = &self.steps[self.step_called(number)?];
                let known = names(step).join(", ");
                return Err(format!("is a whole step ({}); set one of its parameters: {known}", step.name()));
            }
            (part, _) if names(self).contains(&part) => set_part(self, path, text)?,
            _ => return Err(format!("names nothing; there are {}", self.paths().join(", "))),
        }
        Ok(())
    }

    /// The names that a path may be, or begin with.
    fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.read(&mut |param, value| {
            paths.push(if has_parts(value) { format!("{}.…", param.name) } else { param.name.to_owned() });
        });
        paths.push("steps.N.…".to_owned());
        paths
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
