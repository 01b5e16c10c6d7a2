//! Paint: writes a value into a layer, through the step's mask.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Heightfield, LayerInfo};
use crate::params::{Name, params};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Writes a value into a layer and leaves the heights as they are. The step's mask and amount decide
    /// how much of the value replaces what the layer held before. Later steps can use the layer as a mask,
    /// or read it by its name, as `erode` reads `hardness`.
    pub struct Paint {
        /// The layer: one of the known ones, or any other name.
        pub layer: Name = Name::of("painted");
        /// The value, in the layer's own unit. A known layer accepts only its own range, `hardness` 0 to 1.
        pub value: f32 = 1.0, "" in -12000.0..=12000.0;
    }
}

impl Operation for Paint {
    step!("paint", "Paint a layer", Filter);

    fn formula(&self) -> Option<String> {
        let name = self.layer.as_str();
        (!name.is_empty() && name.len() <= 32).then(|| format!("{name}(x) = {}", brief(self.value)))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn writes(&self) -> Vec<&str> {
        // An empty name is an error, reported when the step runs.
        Some(self.layer.as_str()).filter(|name| !name.is_empty()).into_iter().collect()
    }

    /// # Errors
    /// When it names no layer, or the layer can't hold the value.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        self.check()?;
        let (name, grid) = (self.layer.as_str(), ground.grid());
        // A later step or the request reads the layer, or it isn't made at all.
        if !ground.wants(name) {
            return work.check();
        }
        work.stage("paint", grid.depth);
        let mut layer = Heightfield::flat(grid, 0.0);
        layer.heights_mut().par_chunks_mut(grid.width).try_for_each(|values| {
            work.check()?;
            values.fill(self.value);
            work.advance(1);
            Ok::<_, Error>(())
        })?;
        ground.write_layer(name, layer);
        Ok(())
    }

    /// Copies nothing: the heights stay as they are.
    fn applied(&self, ground: &Ground, seed: u64, work: &Work) -> Result<Ground> {
        let mut changed = ground.clone();
        self.apply(&mut changed, seed, work)?;
        Ok(changed)
    }
}

impl Paint {
    fn check(&self) -> Result<()> {
        let name = self.layer.as_str();
        if name.is_empty() {
            return Err(Error::parameter("layer", "names no layer; give a name, such as \"hardness\""));
        }
        let Some(LayerInfo { low, high, unit, .. }) = LayerInfo::of(name) else { return Ok(()) };
        if (*low..=*high).contains(&self.value) {
            return Ok(());
        }
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let accepted =
            if high.is_finite() { format!("{low} to {high}{unit}") } else { format!("{low}{unit} and more") };
        let reason = format!("{} is outside what the layer `{name}` can hold, {accepted}", self.value);
        Err(Error::parameter("value", reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn what_a_layer_cannot_hold_is_not_painted() -> Result<()> {
        let grid = Grid::new(3, 2, 1.0)?;
        let paint = |layer: &str, value| -> Result<Ground> {
            let mut ground = Ground::level(grid);
            let layer = Name::new(layer).map_err(|reason| Error::parameter("layer", reason))?;
            Paint { layer, value }.apply(&mut ground, 0, &Work::new())?;
            Ok(ground)
        };
        assert_eq!(paint("moss", -7.0)?.layer("moss")?.heights(), [-7.0; 6]);
        assert_eq!(paint("hardness", 1.0)?.heights, Heightfield::flat(grid, 0.0));
        let said = |layer, value| paint(layer, value).err().map(|error| error.to_string());
        assert_eq!(
            said("hardness", 1.5).as_deref(),
            Some("value: 1.5 is outside what the layer `hardness` can hold, 0 to 1")
        );
        assert_eq!(
            said("wear", -1.0).as_deref(),
            Some("value: -1 is outside what the layer `wear` can hold, 0 m and more")
        );
        assert!(said("", 1.0).is_some_and(|said| said.starts_with("layer: names no layer")));
        Ok(())
    }
}
