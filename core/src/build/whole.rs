//! Building a recipe: its steps in turn, the rivers among them together, and the landscape that they leave.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cache::Key;
use super::groups::StepGroup;
use super::landscape::Landscape;
use super::{Cache, layers};
use crate::analysis::{TerrainAnalysis, folded_share};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::{ROAD, SHIFT};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield, Layers, MAX_SAMPLES};
use crate::recipe::{PREVIEW_TEXELS, Recipe};
use crate::resize::bilinear;
use crate::steps::Ground;
use crate::steps::water::Course;
use crate::texture::{Baked, Fade, GroundCover};

/// Fields in memory at once while a step runs: its own and two more.
pub(super) const FIELDS: u64 = 3;

/// The share of samples at which ground passes through itself from which it is told.
const LEAST_FOLDED: f64 = 1e-5;

/// The approximate share of a landscape's work that its ground takes.
const OF_GROUND: f32 = 0.6;

/// Samples along the longer side at which a sketch looks, and its texels for each of them, at most.
const SKETCH_SAMPLES: usize = 129;
const SKETCH_TEXELS: u32 = 2;

impl Recipe {
    /// Builds the heights: runs every step in turn.
    ///
    /// # Errors
    /// Those of the steps, with the step's index and name, and [`Error::Cancelled`].
    pub fn build_heightfield(&self, work: &Work) -> Result<Heightfield> {
        Ok(self.build_ground(work)?.0)
    }

    /// Builds the heights, and the courses of the rivers, one for each active waterway. Consecutive
    /// waterways are dug together by [`water::dig`](crate::steps::water::dig), so their order has no
    /// effect. Those after other steps join the earlier ones.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground(&self, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], None, work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// As [`build_ground`](Self::build_ground), reusing what `cache` remembers.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground_with(&self, cache: &Cache, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], Some(cache), work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// The ground after all steps, with these layers, and its key in the cache.
    pub(super) fn ground(
        &self,
        layers: &[&str],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<(Ground, Option<Key>)> {
        let groups = self.groups(layers)?;
        let key = groups.last().map_or(Some(Key::of_level_ground(self)), |last| last.key);
        if self.unit.is_none() {
            return Ok((self.whole_after(&groups, cache, work)?, key));
        }
        let kept = cache.zip(key);
        if let Some(last) = groups.last()
            && let Some(known) = last.known(cache)
        {
            return Ok((Ground::clone(&known).wanting(&last.wanted), key));
        }
        let ground = self.ground_in(&self.shown()?, layers, cache, work)?;
        if let Some((cache, key)) = kept {
            cache.keep(key, &ground);
        }
        Ok((ground, key))
    }

    /// The active steps in order, consecutive waterways as one group, given the layers asked for of the
    /// finished land.
    ///
    /// # Errors
    /// When no step writes a layer that is asked for.
    pub(super) fn groups(&self, layers: &[&str]) -> Result<Vec<StepGroup<'_>>> {
        let mut done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done()).peekable();
        let mut groups: Vec<StepGroup> = Vec::new();
        let mut key = Some(Key::of_level_ground(self));
        while let Some((first, step)) = done.next() {
            let mut last = step;
            key = key.and_then(|key| key.after(step));
            let mut waterways: Vec<_> = step.waterway(self.seed).into_iter().collect();
            while !waterways.is_empty()
                && let Some(next) = done.peek().and_then(|(_, step)| step.waterway(self.seed))
            {
                waterways.push(next);
                (_, last) = done.next().unwrap_or((first, last));
                key = key.and_then(|key| key.after(last));
            }
            let (needs, wanted) = (BTreeSet::new(), Arc::default());
            groups.push(StepGroup { first, step, waterways, key, needs, wanted });
        }
        layers::tell(&mut groups, layers)?;
        Ok(groups)
    }

    /// The key of the finished land, given the layers asked for; `None` if it cannot be cached.
    ///
    /// # Errors
    /// As [`groups`](Self::groups).
    pub(super) fn last_key(&self, layers: &[&str]) -> Result<Option<Key>> {
        Ok(self.groups(layers)?.last().map_or(Some(Key::of_level_ground(self)), |last| last.key))
    }

    /// All of the land at level 0 after these steps, starting from the last result that `cache` remembers.
    pub(super) fn whole_after(
        &self,
        groups: &[StepGroup],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<Ground> {
        let grid = self.grid().map_err(|error| match error {
            Error::Size { width, depth, reason } if width.saturating_mul(depth) > MAX_SAMPLES => {
                Error::Size { width, depth, reason: reason + "; ask for windows of this land" }
            }
            error => error,
        })?;
        let fields = FIELDS + groups.last().map_or(0, |last| last.wanted.len() as u64);
        memory::require(grid, fields * 4 * grid.count() as u64)?;
        let remembered = (0..groups.len()).rev().find_map(|last| Some((last, groups[last].known(cache)?)));
        let (from, mut ground) = match remembered {
            Some((last, ground)) => (last + 1, Ground::clone(&ground).wanting(&groups[last].wanted)),
            None => (0, Ground::level(grid)),
        };
        let steps = (groups.len() - from.min(groups.len())).max(1) as f32;
        for (index, group) in groups.iter().enumerate().skip(from) {
            let work = &work.part((index - from) as f32 / steps, (index - from + 1) as f32 / steps);
            if group.is_strokes() {
                let around = self.windows_on(&ground, index, cache, work)?;
                let seen = around.seen_by(group, index, ground.region())?;
                ground = ground.with_sculpture(Some(seen));
            }
            group.apply(&mut ground, self.seed, work)?;
            ground = ground.with_sculpture(None);
            if let (Some(cache), Some(key)) = (cache, group.key) {
                cache.keep(key, &ground);
            }
        }
        Ok(ground)
    }

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

    /// As [`build_with`](Self::build_with), and how long the ground took: its heights and layers, without its colours.
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
        Ok((self.dressed(ground, &fade, cache.zip(key), &work.part(OF_GROUND, 1.0))?, of_ground))
    }

    /// The layers of the land that textures and drawing need.
    pub(super) fn kept_layers<'a>(&self, fade: &'a Fade) -> Vec<&'a str> {
        let mut layers = fade.layers();
        layers.extend(self.ground_layers());
        // A ready-made texture may be chosen later and needs it.
        layers.extend(self.has_roads().then_some(ROAD));
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    /// A landscape of this ground, with what textures need to know of it in the cache under this key.
    pub(super) fn dressed(
        &self,
        ground: Ground,
        fade: &Fade,
        kept: Option<(&Cache, Key)>,
        work: &Work,
    ) -> Result<Landscape> {
        let painted = self.painted_over(ground.region(), kept.map(|(cache, _)| cache))?;
        let Ground { heights: heightfield, rivers, layers, .. } = ground;
        let land = self.land(&heightfield, &rivers);
        let known = kept.and_then(|(cache, key)| cache.surroundings(key));
        let known =
            known.unwrap_or_else(|| TerrainAnalysis::new(&heightfield)).with_land_layers(layers.clone());
        let prepared = fade.prepare(land, Some(known), &work.part(0.0, 0.4))?;
        if let Some((cache, key)) = kept {
            // Pictures belong to the texture, not to the land.
            cache.keep_surroundings(key, prepared.analysis().clone().without_pictures());
        }
        let note_on_painted = painted.as_ref().and_then(|painted| fade.note_on_painted(painted));
        let prepared = prepared.with_painted(painted.clone());
        let of_colours = &work.part(0.4, 0.8);
        let baker = fade.baker(land, &prepared, false, self.seed, of_colours)?;
        let colour = baker.paint(baker.whole(), of_colours)?.colour;
        let known = Some(prepared.analysis().clone());
        let cover = GroundCover::painted(fade, land, known, painted, self.seed, &work.part(0.8, 1.0))?;
        drop(baker);
        let mut notes = prepared.notes.clone();
        notes.extend(note_on_painted);
        notes.extend(fold_note(&heightfield, &layers, work)?);
        Ok(Landscape {
            colour,
            cover: Some(cover),
            sea_level: self.sea_level(),
            notes,
            heightfield,
            rivers,
            layers,
            stages: work.finish(),
        })
    }

    /// Bakes the colours of `field`, without rivers.
    ///
    /// # Errors
    /// Those of the baker, and [`Error::Cancelled`].
    pub fn bake(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let (fade, land) = (self.texture.fade(), self.land(field, &[]));
        let prepared = fade.prepare(land, None, work)?.with_painted(self.painted_types(None)?);
        let baker = fade.baker(land, &prepared, false, self.seed, work)?;
        Ok(Baked { notes: prepared.notes.clone(), ..baker.paint(baker.whole(), work)? })
    }

    /// As [`bake`](Self::bake), but quick: with at most three texels a sample of `field`, as a
    /// [`preview`](Self::preview) has.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_preview(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        self.bake_with_few_texels(field, PREVIEW_TEXELS, work)
    }

    /// As [`bake`](Self::bake), but as quick for land of any size: `field` is looked at with at most 129 samples along
    /// its longer side, and there are at most two texels for each of them.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_sketch(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let grid = field.grid();
        let cells = (grid.longer() - 1).max(1) as f32;
        let share = (SKETCH_SAMPLES - 1) as f32 / cells;
        if share >= 1.0 {
            return self.bake_with_few_texels(field, SKETCH_TEXELS, work);
        }
        let along = |samples: usize| ((samples - 1) as f32 * share).round() as usize + 1;
        let coarse = Grid::new(along(grid.width), along(grid.depth), grid.cell / share)?;
        self.bake_with_few_texels(&bilinear(field, coarse, work)?, SKETCH_TEXELS, work)
    }

    fn bake_with_few_texels(&self, field: &Heightfield, texels: u32, work: &Work) -> Result<Baked> {
        let texture = self.texture.of_few_texels(field.grid().longer() as u32, texels);
        Self { texture, ..self.clone() }.bake(field, work)
    }
}

/// What is to be said of ground that is moved so far that it passes through itself; nothing where it doesn't.
fn fold_note(heights: &Heightfield, layers: &Layers, work: &Work) -> Result<Option<String>> {
    let shifts = SHIFT.map(|name| layers.get(name));
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
