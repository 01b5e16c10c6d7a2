//! A finished landscape: the result of building a recipe.

use std::time::{Duration, Instant};

use super::window::WindowBake;
use crate::analysis::folded_share;
use crate::build::Cache;
use crate::build::cache::Key;
use crate::compute::work::{StageTime, Work};
use crate::error::Result;
use crate::grid::layer::SHIFT;
use crate::grid::{Heightfield, Layers};
use crate::recipe::Recipe;
use crate::steps::Ground;
use crate::steps::water::{Bridge, Course, Lake, WaterBuffer, Waters};
use crate::texture::{ColourMap, Fade, GroundCover};

/// Self-intersection of the ground is reported above this share of its samples.
const LEAST_FOLDED: f64 = 1e-5;

/// The approximate share of a landscape's work that its ground takes.
const OF_GROUND: f32 = 0.6;

/// A heightfield with its colours, water and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// The ground.
    pub heightfield: Heightfield,
    /// The colours of the ground.
    pub colour: ColourMap,
    /// Which terrain types lie where, for detail near the eye; `None` if unknown.
    pub cover: Option<GroundCover>,
    /// Height of the sea in metres; `None` for a land without one.
    pub sea_level: Option<f32>,
    /// Courses of the rivers.
    pub rivers: Vec<Course>,
    /// The lakes.
    pub lakes: Vec<Lake>,
    /// The bridges on which roads cross them.
    pub bridges: Vec<Bridge>,
    /// The layers that the ground's terrain types depend on.
    pub layers: Layers,
    /// Notes for the user, such as that a mask was resampled, or that a tile's edges don't match.
    pub notes: Vec<String>,
    /// How long each stage of the build took, in order; empty if not measured. A landscape
    /// that was kept since an earlier build has the times of that build.
    pub stages: Vec<StageTime>,
}

impl Landscape {
    /// Dry land with these colours and nothing else.
    pub fn new(heightfield: Heightfield, colour: ColourMap) -> Self {
        Self {
            heightfield,
            colour,
            cover: None,
            sea_level: None,
            rivers: Vec::new(),
            lakes: Vec::new(),
            bridges: Vec::new(),
            layers: Default::default(),
            notes: Vec::new(),
            stages: Vec::new(),
        }
    }

    /// Its sea, rivers and lakes.
    pub fn waters(&self) -> Waters<'_> {
        Waters { sea_level: self.sea_level, rivers: &self.rivers, lakes: &self.lakes }
    }

    /// Depth of the sea, the rivers and the lakes, and how much of their water reaches plants. Computed at
    /// every call.
    ///
    /// # Errors
    /// As [`WaterBuffer::new`].
    pub fn water(&self, work: &Work) -> Result<WaterBuffer> {
        WaterBuffer::of(&self.heightfield, self.waters(), work)
    }
}

impl Recipe {
    /// Builds the whole landscape.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield), and those of the baker.
    pub fn build(&self, work: &Work) -> Result<Landscape> {
        Ok(self.landscape(None, work)?.0)
    }

    /// As [`build`](Self::build), reusing what `cache` remembers and adding to it. The landscape is the
    /// same, bit for bit. If the build fails or is cancelled, finished results stay in the cache.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(&self, cache: &Cache, work: &Work) -> Result<Landscape> {
        Ok(self.landscape(Some(cache), work)?.0)
    }

    /// As [`build_with`](Self::build_with), and how long the ground took: its heights and layers, without its
    /// colours.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    #[doc(hidden)]
    pub fn build_timed(&self, cache: &Cache, work: &Work) -> Result<(Landscape, Duration)> {
        self.landscape(Some(cache), work)
    }

    /// The landscape, and how long its ground took.
    fn landscape(&self, cache: Option<&Cache>, work: &Work) -> Result<(Landscape, Duration)> {
        let fade = self.fade();
        let begun = Instant::now();
        let kept = self.kept_layers(&fade);
        let (ground, key) = self.ground_with(&kept, cache, &work.part(0.0, OF_GROUND))?;
        let of_ground = begun.elapsed();
        Ok((self.dressed(ground, fade, cache.zip(key), &work.part(OF_GROUND, 1.0))?, of_ground))
    }

    /// The layers of the land that textures and drawing need.
    pub(super) fn kept_layers<'a>(&self, fade: &'a Fade) -> Vec<&'a str> {
        let mut layers = fade.layers();
        layers.extend(self.ground_layers());
        // A ready-made texture may be chosen later and needs it.
        layers.extend(self.shown_layers());
        // Several of these may name the same layer.
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    /// The landscape of this ground. The analysis that its textures need is kept in the cache under this key.
    pub(super) fn dressed(
        &self,
        ground: Ground,
        fade: Fade,
        kept: Option<(&Cache, Key)>,
        work: &Work,
    ) -> Result<Landscape> {
        let ready = self.prepare_ground(ground, fade, false, kept, &work.part(0.0, 0.4))?;
        let of_colours = &work.part(0.4, 0.8);
        let colour = ready.baker(false, of_colours)?.paint(ready.texels(), of_colours)?.colour;
        let cover = self.cover(&ready, &work.part(0.8, 1.0))?;
        // It borrows the heights, which are moved below.
        let mut notes = ready.notes().to_vec();
        notes.extend(ready.painted().and_then(|painted| ready.fade.note_on_painted(painted)));
        let Ground { heights: heightfield, rivers, lakes, bridges, layers, .. } = ready.into_ground();
        notes.extend(fold_note(&heightfield, &layers, work)?);
        Ok(Landscape {
            colour,
            cover: Some(cover),
            sea_level: self.sea_level(),
            notes,
            heightfield,
            rivers,
            lakes,
            bridges,
            layers,
            stages: work.finish(),
        })
    }

    /// Which terrain types lie where on land that has been prepared for painting.
    fn cover(&self, ready: &WindowBake, work: &Work) -> Result<GroundCover> {
        let land = self.land(ready.ground());
        let (known, painted) = (Some(ready.analysis().clone()), ready.painted().cloned());
        GroundCover::painted(&ready.fade, land, known, painted, self.seed, work)
    }
}

/// The note on ground that is moved so far that it passes through itself; `None` where it doesn't.
fn fold_note(heights: &Heightfield, layers: &Layers, work: &Work) -> Result<Option<String>> {
    let shifts = SHIFT.map(|name| layers.get(name));
    // Without shifts the ground is a plain height field, which can't fold.
    if shifts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let share = folded_share(heights, shifts, work)?;
    Ok((share > LEAST_FOLDED).then(|| {
        format!(
            "the ground passes through itself at {:.2} % of its samples, where it is moved farther than there is room; \
             it is drawn so, and a smaller depth or scale mends it",
            share * 100.0
        )
    }))
}
