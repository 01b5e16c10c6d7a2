//! Objects on a land: plants, rocks and a game's own, placed by the rules of a recipe.
//!
//! A [`Rule`] says what is placed where. [`Scatter`] places the objects of any rectangle of a recipe's land.
//! The objects of a rectangle are the same whether or not those around it were ever placed, in any order, on
//! any number of threads. So a game requests the tiles around the eye, and forgets those behind it.
//!
//! ```
//! # use upland_core as upland;
//! use upland::scatter::{Rectangle, Rule, Scatter};
//! use upland::{Cache, Recipe, Work};
//!
//! let mut recipe = Recipe::new("Plain", (129, 129), 10.0);
//! recipe.scatter = vec![Rule::new("spruce", 200.0, 3.0), Rule::new("boulder", 5.0, 10.0)];
//! let (cache, work) = (Cache::default(), Work::new());
//! let scatter = Scatter::new(&recipe, 0, &cache, &work)?;
//! let tile = Rectangle { low: [0.0, 0.0], high: [400.0, 400.0] };
//! let objects = scatter.within(tile, &work)?;
//! let spruces = objects.iter().filter(|object| object.rule == 0).count() as f64;
//! // 200 to a hectare, on 16 hectares.
//! assert!((spruces / 3200.0 - 1.0).abs() < 0.05);
//! # Ok::<(), upland::Error>(())
//! ```

mod canopy;
mod clumps;
pub mod formats;
mod kinds;
mod land;
mod object;
mod place;
mod points;
mod site;

pub use canopy::{Canopy, Crown};
pub use kinds::Kind;
pub use land::Scatter;
#[doc(hidden)]
pub use land::clear;
pub use object::Object;
pub use points::Rectangle;

pub use crate::rules::{DENSEST, MOST_RULES, ROUNDS, Rule, Sizes, TypeLimits};
