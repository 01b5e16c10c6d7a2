//! The components with which a game sculpts a terrain, and the reports on strokes.

use std::path::Path;
use std::sync::Arc;

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::prelude::*;
use bevy::reflect::{ReflectDeserialize, ReflectSerialize};
use serde::{Deserialize, Serialize};

use crate::plugin::events::{Failure, unknown_error};
use crate::sculpt::{Stroke, Strokes};
use crate::{Error, Result};

/// Lets a terrain be sculpted: strokes of a brush, on top of whatever its source makes.
///
/// Strokes are made by the methods of the component, and are drawn in the same frame; only tiles that a
/// stroke touches change. Where a tool looks at the ground around (smoothing, erosion), it takes some frames
/// more. Each change of the ground is reported by [`TerrainChanged`](crate::plugin::TerrainChanged).
/// Colours and terrain types follow the new ground within some frames, if the terrain's source is a recipe;
/// those of a finished landscape stay.
///
/// Strokes are kept when the terrain is built again, for example because its recipe has changed: they are
/// made on the new land. Removing the component takes them off the ground; it is despawned with its terrain.
///
/// In a networked game the server decides on the order, because the order of strokes counts: it sends each
/// change, as [`StrokeApplied`] reports it, to all players, who [`receive_change`](Self::receive_change) it.
/// The same strokes on the same recipe make the same bits everywhere. With an [author](Self::of_author),
/// strokes get numbers, and players undo only their own.
///
/// ```no_run
/// # use bevy::prelude::*;
/// use upland::plugin::{TerrainQuery, TerrainStrokes};
/// use upland::sculpt::{Stroke, Tool};
///
/// fn explode(at: Vec3, terrains: TerrainQuery, mut strokes: Single<(Entity, &mut TerrainStrokes)>) -> Result {
///     let (terrain, strokes) = &mut *strokes;
///     if let Some(place) = terrains.on_land(*terrain, at) {
///         strokes.make(Stroke::at(Tool::Crater { depth: 4.0, rim: 1.0 }, [place.x, place.z], 20.0))?;
///     }
///     Ok(())
/// }
/// ```
#[doc(alias("deform", "dig", "edit", "brush"))]
#[derive(Component, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug)]
pub struct TerrainStrokes {
    strokes: Strokes,
    /// The author of strokes made here; 0 for none.
    author: u64,
    /// The highest number that a stroke made here has had.
    #[reflect(ignore)]
    last_id: u64,
    /// Changes of the list since strokes were last applied.
    #[reflect(ignore)]
    pub(super) news: Vec<StrokeNews>,
}

/// A stroke that has not been applied yet.
#[derive(Clone, Debug)]
pub(super) struct StrokeNews {
    pub(super) stroke: Arc<Stroke>,
    pub(super) change: StrokeChange,
    pub(super) is_own: bool,
}

impl From<Strokes> for TerrainStrokes {
    /// A terrain with these strokes.
    fn from(strokes: Strokes) -> Self {
        Self { strokes, ..Self::default() }
    }
}

impl TerrainStrokes {
    /// A terrain whose strokes are those of one player, as a networked game numbers them, from 1: what is
    /// [made](Self::make) here bears this author and a number, and [`undo`](Self::undo) and
    /// [`redo`](Self::redo) leave other players' strokes.
    pub fn of_author(author: u64) -> Self {
        Self { author, ..Self::default() }
    }

    /// The author of strokes made here; 0 for none.
    pub fn author(&self) -> u64 {
        self.author
    }

    /// Changes the author of strokes made here from now on, as in [`of_author`](Self::of_author); 0 for no
    /// author.
    pub fn set_author(&mut self, author: u64) {
        self.author = author;
    }

    /// Makes a stroke. Its author's undone strokes can then no longer be redone.
    ///
    /// # Errors
    /// As [`Strokes::push`]; nothing is changed then. A stroke outside the land is no error: it changes
    /// nothing.
    pub fn make(&mut self, mut stroke: Stroke) -> Result<Arc<Stroke>> {
        let is_numbered = self.author != 0 && (stroke.author, stroke.id) == (0, 0);
        if is_numbered {
            // Numbers are never reused, even if the stroke is gone.
            let last = self.last_id.max(self.strokes.last_id(self.author));
            stroke = stroke.by(self.author, last.saturating_add(1));
        }
        let stroke = self.push(stroke, StrokeChange::Made, true)?;
        if is_numbered {
            self.last_id = stroke.id;
        }
        Ok(stroke)
    }

    /// As [`make`](Self::make), of a stroke that was made elsewhere: for networked games.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    pub fn receive(&mut self, stroke: Stroke) -> Result<Arc<Stroke>> {
        self.push(stroke, StrokeChange::Received, false)
    }

    /// Applies a change to a stroke that was made elsewhere, as [`StrokeApplied`] reported it there: made,
    /// undone or redone. Returns the stroke if that changes anything here. A numbered stroke that comes
    /// twice, or an undo of one that isn't there, changes nothing, so a change sent back to its own author
    /// does no harm.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    pub fn receive_change(&mut self, stroke: Stroke, change: StrokeChange) -> Result<Option<Arc<Stroke>>> {
        let found = match change {
            StrokeChange::Made | StrokeChange::Received => {
                if stroke.id != 0 && self.strokes.knows(&stroke) {
                    return Ok(None);
                }
                return self.receive(stroke).map(Some);
            }
            StrokeChange::Undone => self.strokes.undo_this(&stroke),
            StrokeChange::Redone => self.strokes.redo_this(&stroke),
        };
        Ok(found.inspect(|stroke| self.report(stroke, change, false)))
    }

    fn push(&mut self, stroke: Stroke, change: StrokeChange, is_own: bool) -> Result<Arc<Stroke>> {
        let stroke = self.strokes.push(stroke)?;
        self.report(&stroke, change, is_own);
        Ok(stroke)
    }

    fn report(&mut self, stroke: &Arc<Stroke>, change: StrokeChange, is_own: bool) {
        self.news.push(StrokeNews { stroke: stroke.clone(), change, is_own });
    }

    /// Undoes the last stroke, of the [author](Self::of_author) if there is one, and returns it.
    pub fn undo(&mut self) -> Option<Arc<Stroke>> {
        let stroke = match self.author {
            0 => self.strokes.undo(),
            author => self.strokes.undo_of(author),
        }?;
        self.report(&stroke, StrokeChange::Undone, true);
        Some(stroke)
    }

    /// Undoes the last stroke of any author: for servers.
    pub fn undo_of(&mut self, author: u64) -> Option<Arc<Stroke>> {
        let stroke = self.strokes.undo_of(author)?;
        self.report(&stroke, StrokeChange::Undone, true);
        Some(stroke)
    }

    /// Redoes the stroke that was undone last, of the [author](Self::of_author) if there is one, after all
    /// others, and returns it.
    pub fn redo(&mut self) -> Option<Arc<Stroke>> {
        let stroke = match self.author {
            0 => self.strokes.redo(),
            author => self.strokes.redo_of(author),
        }?;
        self.report(&stroke, StrokeChange::Redone, true);
        Some(stroke)
    }

    /// Redoes the stroke that was undone last by any author: for servers.
    pub fn redo_of(&mut self, author: u64) -> Option<Arc<Stroke>> {
        let stroke = self.strokes.redo_of(author)?;
        self.report(&stroke, StrokeChange::Redone, true);
        Some(stroke)
    }

    /// The strokes.
    pub fn strokes(&self) -> &Strokes {
        &self.strokes
    }

    /// Puts other strokes in place of all. [`StrokeApplied`] isn't sent for them.
    pub fn replace(&mut self, strokes: Strokes) {
        // The last number stays, so that none is used twice.
        *self = Self { author: self.author, last_id: self.last_id, ..strokes.into() };
    }

    /// Writes the strokes to a file, as [`Strokes::write`].
    ///
    /// # Errors
    /// As [`Strokes::write`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.strokes.write(path)
    }

    /// Puts the strokes of a file in place of all, as [`Strokes::read`].
    ///
    /// # Errors
    /// As [`Strokes::read`]; the present strokes stay then.
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<()> {
        self.replace(Strokes::read(path)?);
        Ok(())
    }
}

/// A stroke has been made on a terrain, or taken back. Sent in the frame in which it is drawn, in the order
/// in which strokes were made: a networked game sends those that are its [own](Self::is_own) to others, who
/// [`receive_change`](TerrainStrokes::receive_change) them.
///
/// It implements serde's traits. An entity's number means nothing on another machine: the game replaces it
/// with its own entity there, as with Bevy's [`MapEntities`].
#[derive(Message, Clone, Debug, PartialEq, Reflect, Serialize, Deserialize)]
#[type_path = "upland::plugin"]
#[reflect(opaque, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrokeApplied {
    /// The terrain.
    #[serde(with = "as_bits")]
    pub terrain: Entity,
    /// The stroke.
    #[serde(with = "as_stroke")]
    pub stroke: Arc<Stroke>,
    /// Its new state.
    pub change: StrokeChange,
    /// Whether the change was made here and not received.
    pub is_own: bool,
}

impl MapEntities for StrokeApplied {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.terrain = mapper.get_mapped(self.terrain);
    }
}

/// An entity as a number.
mod as_bits {
    use bevy::prelude::Entity;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(entity: &Entity, serializer: S) -> Result<S::Ok, S::Error> {
        entity.to_bits().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Entity, D::Error> {
        let bits = u64::deserialize(deserializer)?;
        Entity::try_from_bits(bits).ok_or_else(|| D::Error::custom(format!("{bits} is not an entity")))
    }
}

/// A shared stroke as one of its own.
mod as_stroke {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::sculpt::Stroke;

    pub(super) fn serialize<S: Serializer>(stroke: &Arc<Stroke>, serializer: S) -> Result<S::Ok, S::Error> {
        Stroke::serialize(stroke, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Stroke>, D::Error> {
        Stroke::deserialize(deserializer).map(Arc::new)
    }
}

/// The new state of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrokeChange {
    /// It was made here.
    Made,
    /// It was made elsewhere, and received.
    Received,
    /// It was taken back.
    Undone,
    /// It was made again after that.
    Redone,
}

/// Sent when a stroke has no effect on a terrain, although it could be applied: it paints a terrain type that
/// the land doesn't have. Once for each type on a terrain; all other strokes take effect. An event and a
/// message.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct StrokeFailed {
    /// The terrain.
    pub entity: Entity,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl StrokeFailed {
    pub(super) fn new(entity: Entity, cause: Error) -> Self {
        Self { entity, error: cause.to_string(), cause: Arc::new(cause) }
    }
}

impl Failure for StrokeFailed {
    fn describe(&self) -> String {
        format!("strokes on terrain {}: {}", self.entity, self.error)
    }
}
