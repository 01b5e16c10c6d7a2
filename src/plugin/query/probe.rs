//! Exact answers, which are computed in the background.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::ground::{GroundPoint, Land, TerrainQuery, TypeShare, shares};
use crate::plugin::jobs::Job;
use crate::plugin::material::WeighedTypes;
use crate::stream::{ExactGround, TileSource, is_no_ground};
use crate::{Error, Result, Work};

/// A question for the exact ground at a place, from [`TerrainQuery::probe`](super::TerrainQuery::probe).
/// Dropping it withdraws it. It may be kept anywhere; as a component it goes with its entity.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{GroundProbe, TerrainQuery};
///
/// fn land(terrains: TerrainQuery, mut probes: Query<(&mut GroundProbe, &mut Transform)>) {
///     for (mut probe, mut transform) in &mut probes {
///         if let Some(Ok(exact)) = terrains.answer(&mut probe) {
///             transform.translation = exact.point.position;
///         }
///     }
/// }
/// ```
#[derive(Component, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false)]
pub struct GroundProbe {
    terrain: Entity,
    /// Metres from the land's sample (0, 0).
    place: DVec2,
    #[reflect(ignore)]
    types: WeighedTypes,
    /// `None` once it has been answered.
    #[reflect(ignore)]
    job: Option<Job<ExactGround>>,
}

/// The exact ground at a place.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct ExactPoint {
    /// The point.
    pub point: GroundPoint,
    /// The terrain types there, as [`TerrainQuery::types`](super::TerrainQuery::types).
    pub types: Vec<TypeShare>,
    /// The values of the layers that were asked for, in their order.
    pub layers: Vec<f32>,
}

/// Questions for the exact ground at many places, from [`TerrainQuery::probes`](super::TerrainQuery::probes),
/// which are answered together. Dropping it withdraws them. As a component it goes with its entity.
#[derive(Component, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false)]
pub struct GroundProbes {
    terrain: Entity,
    /// Metres from the land's sample (0, 0); `None` where there is no land.
    places: Arc<[Option<DVec2>]>,
    #[reflect(ignore)]
    types: WeighedTypes,
    /// `None` once they have been answered.
    #[reflect(ignore)]
    job: Option<Job<Vec<Option<Found>>>>,
}

/// The result at a place.
struct Found {
    ground: ExactGround,
    layers: Vec<f32>,
}

impl TerrainQuery<'_, '_> {
    /// Asks for the exact ground of one terrain above or below a world position: that of the recipe at its
    /// finest level, or of all samples of a heightfield. It is found in the background, within some frames:
    /// [`answer`](Self::answer) gives it, and in a hole an error. `None` outside the terrain's border or
    /// before it is built.
    pub fn probe(&self, terrain: Entity, position: Vec3) -> Option<GroundProbe> {
        let land = self.land(terrain)?;
        let place = land.has(position)?;
        Some(GroundProbe::new(terrain, place, land.stream.source(), land.ground.types.clone()))
    }

    /// The answer to a probe: once, as soon as it is known; `None` before and after that. It says where the
    /// ground is now, also if the world has been moved since it was asked for, of the land as it was then.
    ///
    /// # Errors
    /// When the ground could not be made, as that of a file that is gone, there is a hole, or the terrain is
    /// gone.
    pub fn answer(&self, probe: &mut GroundProbe) -> Option<Result<ExactPoint>> {
        let found = probe.take()?;
        Some(found.and_then(|found| {
            let land = self.land(probe.terrain()).ok_or_else(gone)?;
            // Placed now and not when it was asked: the world may have been moved since.
            Ok(land.exact(probe.place, Found { ground: found, layers: Vec::new() }, &probe.types))
        }))
    }

    /// Asks as [`probe`](Self::probe) for the exact ground at many positions, and for the values there of any
    /// layers of the finished land, by name. All of them are found by one job in the background:
    /// [`answers`](Self::answers) gives them. `None` before the terrain is built.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::{GroundProbes, TerrainQuery};
    /// fn ask(terrains: TerrainQuery, terrain: Entity, wells: Vec<Vec3>) -> Option<GroundProbes> {
    ///     terrains.probes(terrain, &wells, &["flow", "water_depth"])
    /// }
    ///
    /// fn hear(terrains: TerrainQuery, mut asked: Query<&mut GroundProbes>) {
    ///     for mut probes in &mut asked {
    ///         if let Some(Ok(answers)) = terrains.answers(&mut probes) {
    ///             for exact in answers.iter().flatten() {
    ///                 info!("{} km² drain through {}", exact.layers[0], exact.point.position);
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    pub fn probes(&self, terrain: Entity, positions: &[Vec3], layers: &[&str]) -> Option<GroundProbes> {
        let land = self.land(terrain)?;
        let places: Arc<[Option<DVec2>]> = positions.iter().map(|position| land.has(*position)).collect();
        let layers: Vec<String> = layers.iter().map(|name| String::from(*name)).collect();
        // The source with the strokes of this moment; later ones do not change the answer.
        let (source, of_job) = (land.stream.source(), places.clone());
        let job = Job::start(move |work| find_all(&*source, &of_job, &layers, work));
        Some(GroundProbes { terrain, places, types: land.ground.types.clone(), job: Some(job) })
    }

    /// The answers to probes, in the order of the positions: once, as soon as all are known; `None` before
    /// and after that. A position without land, or in a hole, has none. As those of [`answer`](Self::answer)
    /// they say where the ground is now.
    ///
    /// # Errors
    /// When ground could not be made, or the terrain is gone, and when the land has no layer of a name that
    /// was asked for; the message lists those that it has.
    pub fn answers(&self, probes: &mut GroundProbes) -> Option<Result<Vec<Option<ExactPoint>>>> {
        let found = probes.job.as_mut()?.outcome()?;
        probes.job = None;
        Some(found.and_then(|found| {
            let land = self.land(probes.terrain).ok_or_else(gone)?;
            let exact = |(place, found): (&Option<DVec2>, Option<Found>)| {
                Some(land.exact((*place)?, found?, &probes.types))
            };
            Ok(probes.places.iter().zip(found).map(exact).collect())
        }))
    }
}

impl Land<'_> {
    /// The place of a world position in the land, if there is land.
    fn has(&self, position: Vec3) -> Option<DVec2> {
        let place = self.place(position);
        self.stream.shape().has_place(place.x, place.z).then(|| DVec2::new(place.x, place.z))
    }

    fn exact(&self, place: DVec2, found: Found, types: &WeighedTypes) -> ExactPoint {
        let Found { ground: ExactGround { ground, weights }, layers } = found;
        ExactPoint { point: self.point(place, ground), types: shares(types, &weights), layers }
    }
}

fn gone() -> Error {
    Error::parameter("terrain", "is gone, and its ground with it")
}

/// The exact ground and the layers at all places.
fn find_all(
    source: &dyn TileSource,
    places: &[Option<DVec2>],
    layers: &[String],
    work: &Work,
) -> Result<Vec<Option<Found>>> {
    let names: Vec<&str> = layers.iter().map(String::as_str).collect();
    let find = |place: &Option<DVec2>| {
        let Some(place) = *place else { return Ok(None) };
        work.check()?;
        let ground = match source.ground(place, work) {
            // In a hole: the other places have ground.
            Err(error) if is_no_ground(&error) => return Ok(None),
            ground => ground?,
        };
        let layers = if names.is_empty() { Vec::new() } else { source.layers(place, &names, work)? };
        Ok(Some(Found { ground, layers }))
    };
    places.iter().map(find).collect()
}

impl GroundProbe {
    fn new(terrain: Entity, place: DVec2, source: Arc<dyn TileSource>, types: WeighedTypes) -> Self {
        let job = Job::start(move |work| source.ground(place, work));
        Self { terrain, place, types, job: Some(job) }
    }

    /// The terrain that it asks.
    pub fn terrain(&self) -> Entity {
        self.terrain
    }

    fn take(&mut self) -> Option<Result<ExactGround>> {
        let outcome = self.job.as_mut()?.outcome()?;
        self.job = None;
        Some(outcome)
    }
}

impl std::fmt::Debug for GroundProbe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_answered = self.job.is_none();
        f.debug_struct("GroundProbe")
            .field("terrain", &self.terrain)
            .field("is_answered", &is_answered)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for GroundProbes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_answered = self.job.is_none();
        f.debug_struct("GroundProbes")
            .field("terrain", &self.terrain)
            .field("places", &self.places.len())
            .field("is_answered", &is_answered)
            .finish_non_exhaustive()
    }
}
