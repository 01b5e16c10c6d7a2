//! Steps: what recipes are made of. The set of steps is open.
//!
//! Everything that makes land, changes it or digs water into it is an [`Operation`]. The built-in ones are
//! in tables, one for each kind; a game adds its own with [`register`]. Recipes, `--set`, the
//! panel, `upland steps` and the tests of all steps treat both alike.
//!
//! ```
//! # use upland_core as upland;
//! use upland::steps::{Ground, Kind, Operation, Reach, register};
//! use upland::{Domain, Recipe, Result, Work, params};
//!
//! params! {
//!     /// Lifts all of the land.
//!     pub struct Lift {
//!         /// Height that is added.
//!         pub by: f32 = 10.0, "m" in 0.0..=1000.0;
//!     }
//! }
//!
//! impl Operation for Lift {
//!     fn name(&self) -> &'static str {
//!         "lift"
//!     }
//!     fn title(&self) -> &'static str {
//!         "Lift"
//!     }
//!     fn kind(&self) -> Kind {
//!         Kind::Filter
//!     }
//!     fn reach(&self, _domain: Domain) -> Reach {
//!         Reach::Point
//!     }
//!     fn apply(&self, ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
//!         ground.heights.heights_mut().iter_mut().for_each(|height| *height += self.by);
//!         Ok(())
//!     }
//! }
//!
//! register::<Lift>()?;
//! let text = "(version: 1, name: \"Lifted\", size: (2, 2), cell: 10, steps: [flat(), lift(by: 7)])";
//! let land = Recipe::from_ron(text, "lifted.ron")?.build_heightfield(&Work::new())?;
//! assert_eq!(land.heights(), [7.0; 4]);
//! # Ok::<(), upland::Error>(())
//! ```

mod built_in;
pub(crate) mod common;
mod estimate;
pub mod filter;
pub mod generate;
mod ground;
mod needs;
pub(crate) mod number;
mod operation;
mod registry;
pub(crate) mod rock;
mod site;
pub mod stack;
pub mod water;

pub use ground::{Ground, HeightsAt};
pub(crate) use ground::{KnownPlaces, PlaceCells, PlaceHeights, no_layer};
pub use needs::{Needs, Reach};
pub(crate) use operation::step;
pub use operation::{Kind, Object, Operation};
pub use registry::{all, find, names, of_kind, register};
pub use rock::Bedding;
pub use site::Site;
