//! The ground under bodies of a physics engine: colliders made from the tiles of a land, around each body.
//!
//! A [`ColliderTile`] is a square of ground as plain data: heights, or triangles where ground overhangs, of
//! the same surface that is drawn nearest to the eye and that
//! [`TileSource::ground`](crate::stream::TileSource::ground) returns. A [`ColliderSet`] decides which to make
//! for some [`Body`]s, and keeps those that exist; memory depends on the bodies and not on the land. All of
//! it is plain Rust: the plugin makes tiles on a thread of its own, and passes them to a physics engine.
//!
//! ```
//! # use upland_core as upland;
//! use upland::colliders::{ColliderPlace, ColliderTile};
//! use upland::stream::{RecipeSource, TileSource};
//! use upland::{Cache, Preset, Work};
//!
//! let recipe = Preset::find("endless-highlands").unwrap().recipe()?;
//! let land = RecipeSource::new(recipe, &Cache::default(), 0.25, Vec::new(), &Work::new())?;
//! let place = ColliderPlace::at(&land.shape(), land.finest_ground(), 5000.0, -300.0);
//! let tile = ColliderTile::make(&land, place, &Work::new())?;
//! assert_eq!(tile.cells(), [64, 64]);
//! assert!(tile.is_grid() && tile.spacing() <= 0.25);
//! # Ok::<(), upland::Error>(())
//! ```

mod body;
mod place;
mod set;
mod tile;

pub use body::Body;
pub use place::{COLLIDER_CELLS, ColliderPlace};
pub use set::{ColliderPlan, ColliderSet};
pub use tile::{ColliderMesh, ColliderTile};
