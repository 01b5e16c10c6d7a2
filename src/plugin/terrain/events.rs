//! Reports on a terrain's life for games. Each is an event, for observers of one terrain or of all, and a
//! message, for systems that read when they like.

use std::sync::Arc;

use bevy::prelude::*;

use crate::Error;
use crate::plugin::events::Failure;
pub(crate) use crate::plugin::events::{report, report_failure, unknown_error};

/// Kinds of work for a terrain in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
#[type_path = "upland::plugin"]
pub enum TerrainWork {
    /// Its land is built.
    Build,
    /// Its colours are baked again for its [`TerrainSkin`](crate::plugin::TerrainSkin); the land stays.
    Repaint,
}

/// Sent when the work on a terrain begins. [`TerrainReady`], [`TerrainRepainted`] or [`TerrainFailed`]
/// follows, unless the terrain is changed or removed before.
#[derive(EntityEvent, Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainStarted {
    /// The terrain.
    pub entity: Entity,
    /// The work that has begun.
    pub work: TerrainWork,
}

/// Sent while a terrain is worked on, at most once a frame, and only when something has changed.
#[derive(EntityEvent, Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainProgress {
    /// The terrain.
    pub entity: Entity,
    /// The work under way.
    pub work: TerrainWork,
    /// The present stage, for people.
    pub stage: String,
    /// Share of this stage that is done, in \[0, 1\].
    pub fraction: f32,
    /// Share of all of the work that is done, in \[0, 1\]: it only grows until the work ends. See
    /// [`OverallProgress`](super::OverallProgress).
    pub overall: f32,
}

/// Sent when a terrain has a new landscape, which is drawn from this frame on.
#[derive(EntityEvent, Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainReady {
    /// The terrain.
    pub entity: Entity,
}

/// Sent when a terrain's source failed; the present landscape stays. Also sent, once until the source
/// changes, when a tile cannot be made; coarser tiles stay in its place. And sent when its transform is one
/// that land cannot be drawn with, once until that is mended.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainFailed {
    /// The terrain.
    pub entity: Entity,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl TerrainFailed {
    pub(crate) fn new(entity: Entity, cause: Error) -> Self {
        Self::of(entity, Arc::new(cause))
    }

    /// As [`new`](Self::new), of an error that others have too.
    pub(super) fn of(entity: Entity, cause: Arc<Error>) -> Self {
        Self { entity, error: cause.to_string(), cause }
    }
}

impl Failure for TerrainFailed {
    fn describe(&self) -> String {
        format!("terrain {}: {}", self.entity, self.error)
    }
}

/// Sent when a terrain has been repainted with its [`TerrainSkin`](crate::plugin::TerrainSkin).
#[derive(EntityEvent, Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainRepainted {
    /// The terrain.
    pub entity: Entity,
    /// Notes for people, as [`Landscape::notes`](crate::Landscape::notes).
    pub notes: Vec<String>,
}
