//! The routes that roads without points of their own find on the land.

use bevy::math::Vec2;

use crate::recipe::{Recipe, Step};
use crate::steps::filter::Road;
use crate::viewer::document::revision::{GroundRevision, Revision};
use crate::viewer::session::derived::Derived;
use crate::{Cache, Result, Work};

/// The routes that the roads of a recipe have found: the points of each step's route; none for other steps.
#[derive(Default)]
pub(crate) struct FoundRoutes(Derived<GroundRevision, Vec<Vec<Vec2>>>);

/// Whether a step is a road that finds its own route.
pub(crate) fn finds_route(step: &Step) -> bool {
    step.operation_as::<Road>().is_some_and(|road| road.points.is_empty())
}

impl FoundRoutes {
    /// The points of the route that the road with this index has found. While they are looked up again, these
    /// are the previous ones. `None` if they aren't known, empty if the road has found no route.
    pub fn points(&self, recipe: &Recipe, step: usize) -> Option<&[Vec2]> {
        // The terrain reports why land cannot be built.
        let points = self.0.latest()?.as_ref().ok()?;
        let is_of_list = points.len() == recipe.steps.len();
        let road = recipe.steps.get(step).filter(|step| is_of_list && finds_route(step) && step.is_done());
        road.map(|_| points[step].as_slice())
    }

    /// Whether they are those of the land as it is: not while that is built or they are looked up.
    pub fn is_current(&self) -> bool {
        self.0.is_current()
    }

    /// Whether they are being looked up, or have been.
    #[cfg(test)]
    pub fn is_requested(&self) -> bool {
        self.0.requested().is_some()
    }

    /// Looks the routes up once the land `is_built`: the cache keeps them with it.
    pub fn follow(&mut self, revision: &Revision, is_built: bool, cache: &Cache) {
        self.0.receive();
        let recipe = &revision.recipe;
        // On endless land a road finds no route.
        if recipe.unit.is_some() || !recipe.steps.iter().any(finds_route) {
            *self = Self::default();
            return;
        }
        let (recipe, cache) = (recipe.clone(), cache.clone());
        self.0.follow(revision.ground, is_built, move |_, work| routes(&recipe, &cache, work));
    }
}

/// The points of each step's route.
fn routes(recipe: &Recipe, cache: &Cache, work: &Work) -> Result<Vec<Vec<Vec2>>> {
    let laid = recipe.with_found_routes(cache, work)?;
    let of_step = |(before, after): (&Step, &Step)| {
        let road = after.operation_as::<Road>().filter(|_| finds_route(before));
        road.map_or(Vec::new(), |road| road.points.clone())
    };
    Ok(recipe.steps.iter().zip(&laid.steps).map(of_step).collect())
}
