//! The routes that roads find on a recipe's land.

use std::borrow::Cow;

use glam::Vec2;

use super::land_build::LandBuild;
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::Result;
use crate::recipe::Recipe;
use crate::steps::filter::Road;

impl Recipe {
    /// The same recipe, in which roads that find their own routes have the points of these routes: to drive
    /// along a road, to draw it, or to move its points by hand. The land stays the same, bit for bit. A road
    /// that finds no route still has no points.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::filter::Road;
    /// use upland::{Cache, Recipe, Step, Work};
    ///
    /// let mut recipe = Recipe::new("Island", (257, 257), 30.0);
    /// for name in ["fbm", "island", "road"] {
    ///     recipe.add_step(Step::from_name(name).unwrap(), None);
    /// }
    /// let points = |recipe: &Recipe| recipe.steps[2].operation_as::<Road>().unwrap().points.clone();
    /// assert!(points(&recipe).is_empty());
    /// let laid = recipe.with_found_routes(&Cache::default(), &Work::new())?.into_owned();
    /// assert!(points(&laid).len() > 2);
    /// let work = Work::new();
    /// assert_eq!(laid.build_heightfield(&work)?, recipe.build_heightfield(&work)?);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`build_window`](Self::build_window).
    pub fn with_found_routes(&self, cache: &Cache, work: &Work) -> Result<Cow<'_, Self>> {
        if !self.done().any(|(_, step)| step.finds_route()) {
            return Ok(Cow::Borrowed(self));
        }
        // The recipe that is returned is the caller's own, without open files.
        let opened = self.with_open_files(Some(cache), work)?;
        opened.check_reach()?;
        let groups = opened.groups(&[])?;
        let routes = LandBuild::of(&opened, &groups, 0, Some(cache), work)?.found_routes()?;
        let mut laid = self.clone();
        for (index, points) in routes {
            if let Some(road) = self.steps[index].operation_as::<Road>() {
                laid.steps[index].operation = Road { points, ..road.clone() }.into();
            }
        }
        Ok(Cow::Owned(laid))
    }
}

impl LandBuild<'_> {
    /// The routes that roads find on the land, each with the index of the road's step.
    fn found_routes(&self) -> Result<Vec<(usize, Vec<Vec2>)>> {
        let mut routes = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            if !group.step.finds_route() {
                continue;
            }
            let known = group.looking(self.places_of(number))?;
            let points = known.and_then(|known| known.route.clone());
            routes.extend(points.map(|points| (group.first, points)));
        }
        Ok(routes)
    }
}
