//! Changing a recipe by a path such as `steps.0.octaves`, as the command line's `--set` does.

use crate::error::{Error, Result};
use crate::params;
use crate::recipe::{Recipe, Seasons, Skin, limits};

impl Recipe {
    /// Sets what `path` names to the value that `text` is: `name`, `seed`, `cell`, `water.…`,
    /// `sun.…`, or `steps.N.…` with N from 0.
    ///
    /// # Errors
    /// When there is no such thing, or it doesn't accept the value; the message says what there is.
    pub fn set(&mut self, path: &str, text: &str) -> Result<()> {
        let mut parts = path.splitn(3, '.');
        let part = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        match part {
            ("name", None, None) => self.name = text.to_owned(),
            ("seed", None, None) => {
                self.seed = text.parse().map_err(|_| {
                    Error::parameter(
                        path,
                        format!("`{text}` is no seed; give a whole number from 0 to {}", u64::MAX),
                    )
                })?;
            }
            ("cell", None, None) => {
                let cell = text.parse().map_err(|_| {
                    Error::parameter(path, format!("`{text}` is no number of metres between samples"))
                })?;
                limits::check_cell(cell).map_err(|reason| Error::parameter(path, reason))?;
                self.cell = cell;
            }
            ("texture", None, None) => {
                self.texture = Skin::named(text).map_err(|reason| Error::parameter(path, reason))?;
            }
            ("texture", Some("season"), None) => {
                let season =
                    text.parse().map_err(|_| Error::parameter(path, format!("`{text}` is no number")))?;
                let season = Seasons::new(season).map_err(|reason| Error::parameter(path, reason))?;
                self.texture = Skin::Seasons(season);
            }
            ("sun", Some(name), None) => named(path, params::set_from_text(&mut self.sun, name, text))?,
            ("water", Some(name), None) => named(path, params::set_from_text(&mut self.water, name, text))?,
            ("steps", Some(number), Some(name)) => {
                let count = self.steps.len();
                let step = number.parse().ok().and_then(|index: usize| self.steps.get_mut(index));
                let step = step.ok_or_else(|| {
                    Error::parameter(
                        path,
                        format!("there is no step {number}; the recipe has {count}, counted from 0"),
                    )
                })?;
                named(path, params::set_from_text(step, name, text))?;
            }
            _ => {
                let reason =
                    "names nothing; there are name, seed, cell, texture, sun.…, water.… and steps.N.…";
                return Err(Error::parameter(path, reason));
            }
        }
        Ok(())
    }
}

/// The same outcome with the whole path in its error.
fn named(path: &str, outcome: Result<()>) -> Result<()> {
    outcome.map_err(|error| match error {
        Error::Parameter { reason, .. } => Error::parameter(path, reason),
        error => error,
    })
}
