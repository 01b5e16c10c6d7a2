//! Small pictures of landscapes, drawn on the processor in a few milliseconds: for galleries, and wherever a
//! picture is needed immediately or there is no graphics device.
//!
//! The land is seen from the south as a block that stands on its base, lit by the recipe's sun.

mod diorama;
mod light;
mod minimap;
mod relief;
mod steps;

use image::RgbaImage;

use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::recipe::Recipe;
use diorama::Diorama;
pub use minimap::minimap;
pub use relief::relief;
pub use steps::{StepLook, looks_left_out, looks_of_steps};

/// Samples along the longer side of land that is drawn small: 2^n + 1, which some generators require.
const SAMPLES: u32 = 257;

/// The longest that the land may take by its [estimate](Recipe::estimate), in seconds of one processor core:
/// presets take less than one.
const MOST_SECONDS: f64 = 20.0;

/// The accepted widths and heights, pixels.
const SIDES: std::ops::RangeInclusive<u32> = 8..=2048;

/// Draws a recipe's land, built with few samples, into a picture of this width and height in pixels, 8 to
/// 2048 each. The same recipe gives the same picture on every machine.
///
/// Land with few samples resembles the recipe's own but is not the same: steps that work sample by sample,
/// such as erosion, are coarser. If even that would take too long for a small picture, by its
/// [estimate](Recipe::estimate), none is drawn. Use `work` [with a time limit](Work::within) to cancel
/// drawing that takes longer than estimated.
///
/// ```
/// # use upland_core as upland;
/// use upland::{Preset, Work, thumbnail};
///
/// let recipe = Preset::find("downs").unwrap().recipe()?;
/// let picture = thumbnail(&recipe, (96, 60), &Work::new())?;
/// assert_eq!(picture.dimensions(), (96, 60));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the size is out of range, when the land cannot be built with few samples or would take too long, and
/// [`Error::Cancelled`].
pub fn thumbnail(recipe: &Recipe, (width, height): (u32, u32), work: &Work) -> Result<RgbaImage> {
    if !(SIDES.contains(&width) && SIDES.contains(&height)) {
        let reason = format!(
            "{width}×{height} pixels is not the size of a small picture; give {} to {} a side",
            SIDES.start(),
            SIDES.end()
        );
        return Err(Error::parameter("size", reason));
    }
    let (columns, rows) = recipe.size;
    // Fewer samples of the same land look the same at this size, and take seconds instead of minutes.
    let small = if columns.max(rows) > SAMPLES { recipe.resized(SAMPLES)? } else { recipe.clone() };
    if let Some(reason) = small.estimate().left_out("its small picture", MOST_SECONDS) {
        return Err(Error::parameter(recipe.name.as_str(), reason));
    }
    // Nothing is requested twice, so nothing is cached.
    let land = small.overview(SAMPLES, &Cache::new(0), work)?;
    Diorama::new(&land, small.sun, work)?.draw((width, height), work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;

    #[test]
    fn every_preset_has_a_small_picture_with_land_in_the_middle_and_sky_above() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap();
            // Land that is read from a file lies next to the presets.
            let picture = thumbnail(&recipe, (80, 50), &Work::new())
                .unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            let sky = [picture.get_pixel(0, 0), picture.get_pixel(79, 0)];
            assert_eq!(sky[0], sky[1], "{}", preset.name);
            let differs = (0..80).filter(|&x| picture.get_pixel(x, 30) != picture.get_pixel(0, 0)).count();
            assert!(differs > 60, "{}: {differs}", preset.name);
        }
    }

    #[test]
    fn a_land_that_would_take_hours_has_no_small_picture_and_says_why() {
        let mut slow = Recipe::new("Slow", (65, 65), 10.0);
        slow.steps.extend(["fbm", "deposition"].map(|name| crate::Step::from_name(name).unwrap()));
        for (path, value) in [("steps.1.drops", "10000000"), ("steps.1.series", "100")] {
            slow.set(path, value).unwrap();
        }
        let said = thumbnail(&slow, (80, 50), &Work::new()).unwrap_err().to_string();
        assert!(said.starts_with("Slow: its small picture is left out: the land would take about"), "{said}");
        assert!(said.ends_with("most of it for step 2 (Particle deposition)"), "{said}");
    }

    #[test]
    fn sizes_out_of_range_and_land_that_cannot_be_built_are_refused() {
        let recipe = Preset::find("downs").unwrap().recipe().unwrap();
        for size in [(0, 50), (80, 7), (4000, 50)] {
            let refused = thumbnail(&recipe, size, &Work::new()).unwrap_err().to_string();
            assert!(refused.contains("8 to 2048"), "{refused}");
        }
        let mut broken = Recipe::new("Broken", (65, 65), 10.0);
        broken.steps.push(crate::Step::from_name("import").unwrap());
        assert!(thumbnail(&broken, (80, 50), &Work::new()).is_err());
        let cancelled = Work::new();
        cancelled.cancel();
        assert!(matches!(thumbnail(&recipe, (80, 50), &cancelled), Err(Error::Cancelled)));
    }
}
