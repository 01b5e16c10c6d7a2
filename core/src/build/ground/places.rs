//! The heights of the land at the places that a step must know, whatever window is made: along a road, for
//! example.

use std::cell::RefCell;
use std::sync::Arc;

use glam::DVec2;

use super::land_build::{LandBuild, once};
use crate::build::cache::Keepable;
use crate::build::groups::StepGroup;
use crate::error::Result;
use crate::steps::filter::Road;
use crate::steps::water::RiverBed;
use crate::steps::{KnownPlaces, PlaceCells, PlaceHeights};

/// Cells along a side of a block of land. Blocks are made where a step must know heights at places.
const PLACE_BLOCK: i64 = 64;

impl Keepable for KnownPlaces {
    fn bytes(&self) -> u64 {
        let bytes = |known: &PlaceHeights| 20 * known.places.len() as u64;
        let route = self.route.as_ref().map_or(0, |points| 8 * points.len() as u64);
        let rivers: u64 = self.rivers.iter().map(RiverBed::bytes).sum();
        bytes(&self.first) + bytes(&self.further) + route + rivers
    }
}

impl LandBuild<'_> {
    /// The heights at the places that the step of a group must know, whatever window is made; `None` if there
    /// are none.
    pub(super) fn places_of(&self, number: usize) -> Result<Option<Arc<KnownPlaces>>> {
        let (group, known) = (&self.groups[number], &self.made[number].places);
        // Only if they aren't known yet: a road's places are the whole curve, and it is run on many windows.
        if known.get().is_none() && group.step.operation.places(&self.domain).is_empty() {
            return Ok(None);
        }
        once(known, || self.places_before(group, number)).map(Some)
    }

    /// The heights after the first `count` groups at the places that the step of the next one must know.
    pub(super) fn places_before(&self, group: &StepGroup, count: usize) -> Result<Arc<KnownPlaces>> {
        let operation = &group.step.operation;
        let make = || {
            let first = self.heights_after(count, operation.places(&self.domain))?;
            // The last heights that a road asks for are those along its route, which are its further places
            // too.
            let last = RefCell::new(PlaceHeights::default());
            let heights_at = |places: &[DVec2]| {
                if last.borrow().places != places {
                    let heights = self.heights_after(count, places.to_vec())?;
                    last.replace(heights);
                }
                Ok(last.borrow().heights.clone())
            };
            let mut rivers = Vec::new();
            let (further, route) = match group.step.operation_as::<Road>() {
                Some(road) => {
                    rivers = self.rivers_after(count)?;
                    let heights = &first.heights;
                    let route = road.found_points(&self.domain, heights, &heights_at, &rivers, self.work)?;
                    let line = route.as_ref().map(|points| road.places_through(points, &self.domain));
                    (line.unwrap_or_default(), route)
                }
                None => {
                    let further =
                        operation.places_after(&self.domain, &first.heights, &heights_at, self.work)?;
                    (further, None)
                }
            };
            heights_at(&further)?;
            Ok(KnownPlaces { first, further: last.into_inner(), route, rivers })
        };
        match self.cache {
            Some(cache) => cache.one_of(group.key.map(|key| key.of("places")), make),
            None => Ok(Arc::new(make()?)),
        }
    }

    /// The beds of the rivers that the first `count` groups have dug.
    fn rivers_after(&self, count: usize) -> Result<Vec<RiverBed>> {
        let Some(last) = self.groups[..count].iter().rposition(|group| !group.waterways.is_empty()) else {
            return Ok(Vec::new());
        };
        // All later ground has the same rivers, and may be known already.
        if let Some(known) = self.made[count - 1].base.get() {
            return Ok(known.river_beds());
        }
        for stored in (last + 1..=count).filter_map(|count| self.stored(count)) {
            if let Some(beds) = stored.river_beds(self.work)? {
                return Ok(beds);
            }
        }
        Ok(self.base(last + 1)?.river_beds())
    }

    /// The heights after the first `count` groups at some places.
    fn heights_after(&self, count: usize, places: Vec<DVec2>) -> Result<PlaceHeights> {
        let cells = PlaceCells::of(&self.domain, &places);
        let whole = count.checked_sub(1).and_then(|last| {
            // Not `base()`, which would build all of the land.
            let base = self.made[last].base.get().cloned();
            base.or_else(|| self.groups[last].known(self.cache)).filter(|ground| ground.region().is_whole())
        });
        if let Some(whole) = whole {
            let heights = cells.heights(whole.region(), &whole.heights, 0..places.len());
            return Ok(PlaceHeights { places, heights });
        }
        // In blocks: places lie far apart along a line, so that one window of them all would be most of the
        // land.
        let mut heights = vec![0.0; places.len()];
        for (_, numbers) in cells.blocks(PLACE_BLOCK) {
            self.work.check()?;
            let region = self.domain.region(cells.window_of(&self.domain, &numbers))?;
            let ground = self.after(count, &region)?;
            let found = cells.heights(&region, &ground.heights, numbers.iter().copied());
            numbers.into_iter().zip(found).for_each(|(number, height)| heights[number] = height);
        }
        Ok(PlaceHeights { places, heights })
    }
}
