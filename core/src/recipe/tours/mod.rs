//! The bookmarks and flights of a recipe: adding them, and tours along them.

mod bookmark;

pub use bookmark::{Bookmark, Flight, Tour, Waypoint};
pub(super) use bookmark::{MOST_BOOKMARKS, MOST_FLIGHTS};

use super::Recipe;
use crate::error::{Error, Result};
use crate::params;

impl Recipe {
    /// The most bookmarks of a recipe.
    pub const MOST_BOOKMARKS: usize = MOST_BOOKMARKS;

    /// The most flights of a recipe.
    pub const MOST_FLIGHTS: usize = MOST_FLIGHTS;

    /// Adds a bookmark behind the others, if it and their number are accepted. Nothing else in the recipe is
    /// checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the reason why it is not accepted; the recipe stays as it is.
    pub fn add_bookmark(&mut self, bookmark: Bookmark) -> Result<()> {
        let count = self.bookmarks.len();
        if count >= MOST_BOOKMARKS {
            let reason = format!("there are {count}, and no recipe has more; remove one to add another");
            return Err(Error::parameter("bookmarks", reason));
        }
        params::check(&bookmark, &format!("bookmarks.{count}"))?;
        self.bookmarks.push(bookmark);
        Ok(())
    }

    /// Adds a flight behind the others, if it and their number are accepted. Nothing else in the recipe is
    /// checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the reason why it is not accepted; the recipe stays as it is.
    pub fn add_flight(&mut self, flight: Flight) -> Result<()> {
        let (count, path) = (self.flights.len(), format!("flights.{}", self.flights.len()));
        if count >= MOST_FLIGHTS {
            let reason = format!("there are {count}, and no recipe has more; remove one to add another");
            return Err(Error::parameter("flights", reason));
        }
        params::check(&flight, &path)?;
        self.flights.push(flight);
        Ok(())
    }

    /// A tour along a flight, by its name, or along the bookmarks. If several flights have the name, it is
    /// the first; for another one there is [`Tour::along`].
    ///
    /// # Errors
    /// When there is no such flight, the message lists those that there are; and when there are fewer than
    /// two places.
    pub fn tour(&self, flight: Option<&str>) -> Result<Tour> {
        let Some(name) = flight else {
            return Tour::of(&self.bookmarks).ok_or_else(|| {
                let reason = format!("there are {}; a tour needs at least two", self.bookmarks.len());
                Error::parameter("bookmarks", reason)
            });
        };
        let refused = |reason: String| Error::parameter("flight", reason);
        let found = self.flights.iter().find(|flight| flight.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.flights.iter().map(|flight| &*flight.name).collect();
            let there = if names.is_empty() { "it has none".to_owned() } else { names.join(", ") };
            refused(format!("the recipe has no flight `{name}`; there are: {there}"))
        })?;
        let count = found.waypoints.len();
        Tour::along(found)
            .ok_or_else(|| refused(format!("`{name}` has {count} places; it needs at least two")))
    }
}
