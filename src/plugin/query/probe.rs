//! Exact answers, which are computed on the task pool.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::ground::{GroundPoint, TypeShare};
use crate::plugin::stream::Job;
use crate::stream::{ExactGround, TileSource};
use crate::{Error, Result};

/// A question for the exact ground at a place, from [`TerrainQuery::probe`](super::TerrainQuery::probe). Dropping it
/// withdraws it. It may be kept anywhere; as a component it goes with its entity.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{GroundProbe, TerrainQuery};
///
/// fn land(terrains: TerrainQuery, mut probes: Query<(&mut GroundProbe, &mut Transform)>) {
///     for (mut probe, mut transform) in &mut probes {
///         if let Some(Ok(exact)) = terrains.answer(&mut probe) {
///             transform.translation = exact.point.position;
///         }
///     }
/// }
/// ```
#[derive(Component)]
pub struct GroundProbe {
    terrain: Entity,
    /// Metres from the land's sample (0, 0).
    place: DVec2,
    names: Arc<[Arc<str>]>,
    /// `None` once it has been answered.
    job: Option<Job<ExactGround>>,
}

/// The exact ground at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactPoint {
    /// The point.
    pub point: GroundPoint,
    /// The terrain types there, as [`TerrainQuery::types`](super::TerrainQuery::types).
    pub types: Vec<TypeShare>,
}

impl GroundProbe {
    pub(super) fn new(
        terrain: Entity,
        place: DVec2,
        source: Arc<dyn TileSource>,
        names: Arc<[Arc<str>]>,
    ) -> Self {
        let job = Job::start(move |work| source.ground(place, work));
        Self { terrain, place, names, job: Some(job) }
    }

    /// The terrain that it asks.
    pub fn terrain(&self) -> Entity {
        self.terrain
    }

    pub(super) fn place(&self) -> DVec2 {
        self.place
    }

    pub(super) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub(super) fn take(&mut self) -> Option<Result<ExactGround>> {
        let outcome = self.job.as_mut()?.outcome()?;
        self.job = None;
        Some(outcome)
    }

    pub(super) fn gone(&self) -> Error {
        Error::parameter("terrain", "is gone, and its ground with it")
    }
}

impl std::fmt::Debug for GroundProbe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_answered = self.job.is_none();
        f.debug_struct("GroundProbe")
            .field("terrain", &self.terrain)
            .field("is_answered", &is_answered)
            .finish_non_exhaustive()
    }
}
