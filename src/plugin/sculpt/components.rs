//! What a game adds to a terrain to sculpt it, and what it hears of strokes.

use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;

use crate::Result;
use crate::sculpt::{Stroke, Strokes};

/// Lets a terrain be sculpted: strokes of a brush, on top of whatever its source makes.
///
/// Strokes are made by the methods of the component, and are drawn in the same frame; only tiles that a stroke touches
/// change. Where a tool looks at the ground around (smoothing, erosion), it takes some frames more. Whatever is made
/// from the ground hears of it by [`TerrainChanged`](crate::plugin::TerrainChanged). Colours and terrain types follow the
/// new ground within some frames, if the terrain's source is a recipe; those of a finished landscape stay.
///
/// Strokes are kept when the terrain is built anew, for example because its recipe has changed: they are made on the new
/// land. Removing the component takes them off the ground; it is despawned with its terrain.
///
/// In a networked game the server decides on the order, because the order of strokes counts: it sends each stroke to all
/// players, who [`receive`](Self::receive) it. The same strokes on the same recipe make the same bits everywhere.
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
#[derive(Component, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug)]
pub struct TerrainStrokes {
    strokes: Strokes,
    /// What has been made since strokes were last applied.
    #[reflect(ignore)]
    pub(super) news: Vec<(Arc<Stroke>, StrokeChange)>,
}

impl From<Strokes> for TerrainStrokes {
    /// A terrain with these strokes.
    fn from(strokes: Strokes) -> Self {
        Self { strokes, news: Vec::new() }
    }
}

impl TerrainStrokes {
    /// Makes a stroke. Those that were undone are gone then.
    ///
    /// # Errors
    /// As [`Strokes::push`]; nothing is changed then. A stroke outside the land is no error: it changes nothing.
    pub fn make(&mut self, stroke: Stroke) -> Result<Arc<Stroke>> {
        self.push(stroke, StrokeChange::Made)
    }

    /// As [`make`](Self::make), of a stroke that was made elsewhere: for networked games.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    pub fn receive(&mut self, stroke: Stroke) -> Result<Arc<Stroke>> {
        self.push(stroke, StrokeChange::Received)
    }

    fn push(&mut self, stroke: Stroke, change: StrokeChange) -> Result<Arc<Stroke>> {
        let stroke = self.strokes.push(stroke)?;
        self.news.push((stroke.clone(), change));
        Ok(stroke)
    }

    /// Takes back the last stroke; it, if there is one.
    pub fn undo(&mut self) -> Option<Arc<Stroke>> {
        let stroke = self.strokes.undo()?;
        self.news.push((stroke.clone(), StrokeChange::Undone));
        Some(stroke)
    }

    /// Makes the stroke again that was undone last; it, if there is one.
    pub fn redo(&mut self) -> Option<Arc<Stroke>> {
        let stroke = self.strokes.redo()?;
        self.news.push((stroke.clone(), StrokeChange::Redone));
        Some(stroke)
    }

    /// The strokes.
    pub fn strokes(&self) -> &Strokes {
        &self.strokes
    }

    /// Puts other strokes in place of all. [`StrokeApplied`] isn't sent for them.
    pub fn replace(&mut self, strokes: Strokes) {
        *self = strokes.into();
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

/// A stroke has been made on a terrain, or taken back. Sent in the frame in which it is drawn, in the order in which
/// strokes were made: a networked game sends those that were [`Made`](StrokeChange::Made) here to others.
#[derive(Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(opaque, Clone, Debug, PartialEq)]
pub struct StrokeApplied {
    /// The terrain.
    pub terrain: Entity,
    /// The stroke.
    pub stroke: Arc<Stroke>,
    /// What has become of it.
    pub change: StrokeChange,
}

/// What has become of a stroke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
