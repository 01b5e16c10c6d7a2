//! A recipe's endless land laid around a sphere: a cube of six faces, each a quadtree of nodes, which are
//! meshes of the same number of quads at every level.
//!
//! Every position follows from whole numbers: a point of the cube's surface is a [`CubePoint`], which is the
//! same from all of its faces, and so are its direction and its height, bit for bit. So faces meet without a
//! seam at edges, corners and poles.
//!
//! ```
//! # use upland_core as upland;
//! use upland::planet::{Node, PlanetLand};
//! use upland::{Preset, Work};
//!
//! let recipe = Preset::find("endless-highlands").unwrap().recipe()?;
//! let land = PlanetLand::new(&recipe, 200_000.0, &Work::new())?;
//! let mesh = land.mesh(Node { face: 3, depth: 4, column: 5, row: 2 }, &Work::new())?;
//! assert!(mesh.low >= -1500.0 && mesh.high < 4000.0);
//! # Ok::<(), upland::Error>(())
//! ```

mod cube;
mod land;
mod node;
mod patches;
mod select;
#[cfg(test)]
mod tests;

pub use cube::{CubePoint, FACES, Node, QUADS};
pub use land::{PlanetLand, RADII};
pub use node::{Coarser, NodeMesh, SeaMesh, indices, sea_indices};
pub use select::{PlanetEye, Selection, select};
