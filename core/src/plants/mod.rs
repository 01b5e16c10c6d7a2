//! Plants, rocks and grass, grown by code from a seed, for scattering over land.
//!
//! A species is a struct of parameters; a seed makes one plant of it, a season changes its leaves, and each
//! of three levels of detail makes triangles of it. All plants use one [`Atlas`]. Far away an [`Impostor`]
//! replaces a plant.
//!
//! ```
//! # use upland_core as upland;
//! use upland::plants::{Detail, Season, Species, Spruce};
//!
//! let tree = Spruce { height: 12.0, ..Spruce::default() }.grow(7, Season::Summer)?;
//! let near = tree.mesh(Detail::Fine);
//! let far = tree.mesh(Detail::Coarse);
//! assert!(near.triangles.len() <= 6000 && far.triangles.len() <= 300);
//! // Its foot is at the origin, its top about so high.
//! let (_, high) = near.bounds();
//! assert!((11.0..14.0).contains(&high.y));
//! # Ok::<(), upland::Error>(())
//! ```

mod atlas;
mod branching;
mod files;
mod form;
mod impostor;
mod kind;
mod mesh;
mod portrait;
mod random;
mod raster;
mod season;
mod species;
mod turn;

pub use atlas::{ALPHA_CUT, Atlas, Picture};
pub use files::{files, write};
pub use impostor::{Impostor, direction_of_view};
pub use kind::Kind;
pub use mesh::{Detail, Material, PlantMesh, PlantVertex};
pub use portrait::{Sitter, portrait};
pub use season::Season;
pub use species::{Beech, Birch, Boulder, DeadWood, Flowers, Grass, Hazel, Juniper, Palm, Spruce, Stone};

use glam::{Vec2, Vec3};

use crate::error::Result;
use crate::params::{self, Params};
use form::Form;

/// A kind of plant or stone with its parameters.
pub trait Species: Params + Grown {
    /// Grows the plant with this seed: the same on every machine.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    fn grow(&self, seed: u64, season: Season) -> Result<Plant>;
}

impl<T: Params + Grown> Species for T {
    fn grow(&self, seed: u64, season: Season) -> Result<Plant> {
        params::check(self, &self.type_name().to_lowercase())?;
        Ok(Plant { form: self.form(seed, season) })
    }
}

use grown::Grown;

/// Seals [`Species`](super::Species): only the species of this room can implement it.
mod grown {
    use super::{Form, Season};

    pub trait Grown {
        /// The stems, leaves and solids of the plant.
        fn form(&self, seed: u64, season: Season) -> Form;
    }
}

/// A plant with its stems and leaves, before it becomes triangles.
pub struct Plant {
    form: Form,
}

impl Plant {
    /// Its triangles at a level of detail. Levels share stems and colours; coarser ones have fewer and larger
    /// leaves, of about the same area in all.
    pub fn mesh(&self, detail: Detail) -> PlantMesh {
        mesh::of_form(&self.form, detail)
    }

    /// Radius of the obstacle that it is to walkers: of the upright cylinder around all parts of its trunks
    /// and rocks below `height` metres above the foot, in metres at size 1; 0 where there is neither, as for
    /// grass. Breast height is 1.3 m. A lying trunk is as wide as it is long, which a cylinder represents
    /// badly.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::plants::{Kind, Season};
    ///
    /// let trunk = Kind::Spruce.grow(1, Season::Summer).solid_radius(1.3);
    /// assert!((0.1..1.0).contains(&trunk));
    /// ```
    pub fn solid_radius(&self, height: f32) -> f32 {
        let aside = |p: &Vec3| Vec2::new(p.x, p.z).length();
        let trunks = self.form.stems.iter().filter(|stem| stem.order == 0);
        let of_trunks = trunks.flat_map(|stem| stem.points.iter().zip(&stem.radii));
        // The foot always counts, because the next point of a trunk may be higher.
        let low = of_trunks.filter(|(p, _)| p.y <= height.max(0.0)).map(|(p, radius)| aside(p) + radius);
        let rocks = self.form.solids.iter().flat_map(|solid| &solid.levels[0].positions);
        let of_rocks = rocks.filter(|p| p.y <= height).map(aside);
        low.chain(of_rocks).fold(0.0, f32::max)
    }
}
