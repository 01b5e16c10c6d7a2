//! Components that a game spawns, and the messages and status that it gets.

use bevy::camera::Hdr;
use bevy::core_pipeline::prepass::DepthPrepass;
use bevy::math::DVec3;
use bevy::prelude::*;
use std::sync::Arc;
use std::time::Duration;

use crate::planet::PlanetLand;
use crate::plugin::events::{Failure, unknown_error};
use crate::plugin::setup::needs;
use crate::{Error, Recipe};

/// A planet: a recipe's endless land around a sphere. It is drawn around the camera with [`PlanetCamera`];
/// leave its transform as it is.
///
/// Changing it builds the planet again. Removing the component removes what is drawn.
#[derive(Component, Clone, Debug, Reflect)]
#[component(on_add = needs("PlanetPlugin", "Planet"))]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
#[require(PlanetStatus, Transform, Visibility)]
pub struct Planet {
    /// The land. Its height 0 is at the radius; its sea is the planet's.
    pub recipe: Arc<Recipe>,
    /// Metres, in [`RADII`](crate::planet::RADII).
    pub radius: f64,
    /// How dense the air is: 1 is the Earth's, 0 none.
    pub air: f32,
}

impl Planet {
    /// A planet with air as dense as the Earth's.
    pub fn new(recipe: Recipe, radius: f64) -> Self {
        Self { recipe: Arc::new(recipe), radius, air: 1.0 }
    }
}

/// How far a planet is made.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Default, Clone, Debug)]
pub enum PlanetStatus {
    /// Its land is being surveyed; nothing is drawn.
    #[default]
    Building,
    /// It is drawn.
    Drawn {
        /// The land, to ask for heights.
        land: Arc<PlanetLand>,
        /// Nodes that are drawn, and nodes that are yet to be made for the camera.
        nodes: (usize, usize),
    },
    /// It could not be made; [`PlanetFailed`] has been sent.
    Failed(String),
}

impl PlanetStatus {
    /// Whether all that the camera needs is there, or never will be.
    pub fn is_settled(&self) -> bool {
        match self {
            Self::Building => false,
            Self::Drawn { nodes, .. } => nodes.1 == 0,
            Self::Failed(_) => true,
        }
    }
}

/// Sent when a planet cannot be made, and when the first of its parts cannot be. Coarser nodes stay in the
/// place of parts that are missing. An event and a message.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct PlanetFailed {
    /// The planet.
    pub entity: Entity,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl PlanetFailed {
    pub(super) fn new(entity: Entity, cause: Error) -> Self {
        Self { entity, error: cause.to_string(), cause: Arc::new(cause) }
    }
}

impl Failure for PlanetFailed {
    fn describe(&self) -> String {
        format!("planet {}: {}", self.entity, self.error)
    }
}

/// A camera that sees a planet from a position in 64 bits. Its transform only turns it. If there are several,
/// the first counts.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[component(on_add = needs("PlanetPlugin", "PlanetCamera"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Camera3d, Hdr, DepthPrepass, AmbientLight)]
pub struct PlanetCamera {
    /// From the planet's centre, metres.
    pub position: DVec3,
    /// The largest apparent size of a quad, pixels.
    pub quad_pixels: f64,
}

impl PlanetCamera {
    /// A camera at a position, with quads of 3 pixels at most.
    pub fn at(position: DVec3) -> Self {
        Self { position, quad_pixels: 3.0 }
    }
}

/// Limits of the work and memory for planets.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct PlanetBudget {
    /// Nodes that are made at the same time, in the background.
    pub jobs: usize,
    /// Meshes that are uploaded in a frame for all planets together, and at least one of each.
    pub uploads: usize,
    /// Nodes that are kept: those that were drawn last. About 0.7 MB each, 1.2 MB with sea.
    pub kept: usize,
    /// Duration of the fade to a late node from the coarser one that was drawn in its place.
    pub fade: Duration,
}

impl Default for PlanetBudget {
    fn default() -> Self {
        Self { jobs: 4, uploads: 8, kept: 1500, fade: Duration::from_millis(500) }
    }
}
