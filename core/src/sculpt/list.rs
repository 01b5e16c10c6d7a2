//! A list of strokes with undo and redo.

use std::sync::Arc;

use super::stroke::Stroke;
use crate::error::{Error, Result};

/// The most strokes of a list.
pub const MAX_STROKES: usize = 100_000;

/// Strokes in the order in which they were made, and undone ones that can be redone.
///
/// ```
/// # use upland_core as upland;
/// use upland::sculpt::{Stroke, Strokes, Tool};
///
/// let mut strokes = Strokes::default();
/// strokes.push(Stroke::at(Tool::Raise { by: 4.0 }, [300.0, 120.0], 50.0))?;
/// strokes.push(Stroke::at(Tool::Crater { depth: 9.0, rim: 2.0 }, [280.0, 90.0], 60.0))?;
/// assert_eq!(strokes.undo().map(|stroke| stroke.tool.name()), Some("crater"));
/// assert_eq!((strokes.len(), strokes.undone()), (1, 1));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Strokes {
    /// Shared, so that a copy for another thread costs nothing.
    done: Arc<Vec<Arc<Stroke>>>,
    /// The most recently undone last.
    undone: Vec<Arc<Stroke>>,
}

/// Two lists are equal if their strokes are, whatever was undone.
impl PartialEq for Strokes {
    fn eq(&self, other: &Self) -> bool {
        // Most lists that are compared are copies of one another, which share their strokes.
        Arc::ptr_eq(&self.done, &other.done) || self.done == other.done
    }
}

impl Strokes {
    /// A list of these strokes.
    ///
    /// # Errors
    /// When there are more than [`MAX_STROKES`], or as [`Stroke::check`], with the stroke's number from 1.
    pub fn of(strokes: Vec<Stroke>) -> Result<Self> {
        if strokes.len() > MAX_STROKES {
            return Err(Error::parameter("strokes", too_many(strokes.len())));
        }
        for (number, stroke) in strokes.iter().enumerate() {
            stroke.check().map_err(|error| match error {
                Error::Parameter { name, reason } => {
                    let name = name.replacen("stroke.", &format!("strokes.{}.", number + 1), 1);
                    Error::parameter(name, reason)
                }
                error => error,
            })?;
        }
        // Each stroke has an `Arc` of its own, so that lists and sculptures share what they have in common.
        let done = Arc::new(strokes.into_iter().map(Arc::new).collect());
        Ok(Self { done, undone: Vec::new() })
    }

    /// Adds a stroke. Undone strokes of its author can then no longer be redone.
    ///
    /// # Errors
    /// As [`of`](Self::of); the list stays as it is.
    pub fn push(&mut self, stroke: Stroke) -> Result<Arc<Stroke>> {
        stroke.check()?;
        if self.len() >= MAX_STROKES {
            return Err(Error::parameter("strokes", too_many(self.len() + 1)));
        }
        let stroke = Arc::new(stroke);
        // Copies only pointers, if another list still holds them.
        Arc::make_mut(&mut self.done).push(stroke.clone());
        // Only this author's: others may still redo theirs.
        self.undone.retain(|undone| undone.author != stroke.author);
        Ok(stroke)
    }

    /// Undoes the last stroke and returns it, if there is one.
    pub fn undo(&mut self) -> Option<Arc<Stroke>> {
        self.take_back(self.len().checked_sub(1)?)
    }

    /// Undoes the last stroke of an author and returns it, if there is one. Later strokes of others stay.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::sculpt::{Stroke, Strokes, Tool};
    ///
    /// let hill = |author, id| Stroke::at(Tool::Raise { by: 4.0 }, [300.0, 120.0], 50.0).by(author, id);
    /// let mut strokes = Strokes::of(vec![hill(1, 1), hill(2, 1), hill(1, 2), hill(2, 2)])?;
    /// assert_eq!(strokes.undo_of(1).map(|stroke| stroke.id), Some(2));
    /// let left: Vec<_> = strokes.iter().map(|stroke| (stroke.author, stroke.id)).collect();
    /// assert_eq!(left, [(1, 1), (2, 1), (2, 2)]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    pub fn undo_of(&mut self, author: u64) -> Option<Arc<Stroke>> {
        self.take_back(self.done.iter().rposition(|stroke| stroke.author == author)?)
    }

    /// Undoes this stroke, or the last of several equal ones, by [`Stroke::is_same`], and returns it, if it
    /// is in the list.
    pub fn undo_this(&mut self, stroke: &Stroke) -> Option<Arc<Stroke>> {
        self.take_back(self.done.iter().rposition(|done| done.is_same(stroke))?)
    }

    fn take_back(&mut self, index: usize) -> Option<Arc<Stroke>> {
        if index >= self.done.len() {
            return None;
        }
        let stroke = Arc::make_mut(&mut self.done).remove(index);
        self.undone.push(stroke.clone());
        Some(stroke)
    }

    /// Redoes the most recently undone stroke, after all others, and returns it, if there is one.
    pub fn redo(&mut self) -> Option<Arc<Stroke>> {
        self.make_again(self.undone.len().checked_sub(1)?)
    }

    /// As [`redo`](Self::redo), for the strokes of one author.
    pub fn redo_of(&mut self, author: u64) -> Option<Arc<Stroke>> {
        self.make_again(self.undone.iter().rposition(|stroke| stroke.author == author)?)
    }

    /// As [`redo`](Self::redo), for this stroke, found by [`Stroke::is_same`].
    pub fn redo_this(&mut self, stroke: &Stroke) -> Option<Arc<Stroke>> {
        self.make_again(self.undone.iter().rposition(|undone| undone.is_same(stroke))?)
    }

    fn make_again(&mut self, index: usize) -> Option<Arc<Stroke>> {
        if self.len() >= MAX_STROKES {
            return None;
        }
        let stroke = self.undone.remove(index);
        Arc::make_mut(&mut self.done).push(stroke.clone());
        Some(stroke)
    }

    /// Whether this stroke is in the list, done or undone, as [`Stroke::is_same`] compares strokes.
    pub fn knows(&self, stroke: &Stroke) -> bool {
        self.done.iter().chain(&self.undone).any(|known| known.is_same(stroke))
    }

    /// The highest number of an author's strokes, including undone ones; 0 if there are none.
    pub fn last_id(&self, author: u64) -> u64 {
        let known = self.done.iter().chain(&self.undone).filter(|stroke| stroke.author == author);
        known.map(|stroke| stroke.id).max().unwrap_or(0)
    }

    /// The strokes, without undone ones, first to last.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Stroke> {
        self.done.iter().map(|stroke| &**stroke)
    }

    /// The number of strokes, without undone ones.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether all strokes are undone or there are none.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The number of strokes that can be redone.
    pub fn undone(&self) -> usize {
        self.undone.len()
    }

    /// How many strokes this and another list share from the first on: the same allocations, not equal
    /// strokes that were made twice.
    #[doc(hidden)]
    pub fn alike(&self, other: &Self) -> usize {
        if Arc::ptr_eq(&self.done, &other.done) {
            return self.len();
        }
        // By address, since equal strokes of the same history are the same memory.
        self.done.iter().zip(&*other.done).take_while(|(a, b)| Arc::ptr_eq(a, b)).count()
    }

    /// The strokes, without undone ones, shared.
    pub(super) fn shared(&self) -> &Arc<Vec<Arc<Stroke>>> {
        &self.done
    }
}

fn too_many(count: usize) -> String {
    format!("{count} are too many; a list has at most {MAX_STROKES}")
}
