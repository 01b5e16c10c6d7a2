//! Which objects a game has, by the names that rules call them: the built-in plants and its own.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::prelude::*;

use crate::plants::Kind;
use crate::scatter::Object;
use crate::{Error, Result};

/// The objects that rules may name, and what they look like. A resource of
/// [`ScatterPlugin`](super::ScatterPlugin); all plants of [`plants::Kind`](crate::plants::Kind) are there by
/// their names, and may be replaced.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{ScatterLevel, ScatterLooks, ScatterObjects};
///
/// fn setup(mut objects: ResMut<ScatterObjects>) {
///     let hut = || Ok(vec![ScatterLevel::new(Cuboid::new(3.0, 2.0, 4.0).into(), 800.0)]);
///     let grey = StandardMaterial::from(Color::srgb(0.5, 0.5, 0.5));
///     objects.insert("hut", ScatterLooks::meshes(move |_| hut()).with_material(grey));
/// }
/// ```
#[derive(Resource, Clone, Debug)]
pub struct ScatterObjects {
    looks: HashMap<String, ScatterLooks>,
    edits: u64,
}

impl Default for ScatterObjects {
    fn default() -> Self {
        let looks = Kind::ALL.map(|kind| (kind.name().to_owned(), ScatterLooks::plant(kind)));
        Self { looks: looks.into(), edits: 0 }
    }
}

impl ScatterObjects {
    /// Sets what the objects of a name look like, in place of what they looked like before.
    pub fn insert(&mut self, name: impl Into<String>, looks: ScatterLooks) {
        self.looks.insert(name.into(), looks);
        self.edits += 1;
    }

    /// Removes an object: nothing is drawn for rules that name it.
    pub fn remove(&mut self, name: &str) -> Option<ScatterLooks> {
        self.edits += 1;
        self.looks.remove(name)
    }

    /// What the objects of a name look like.
    pub fn get(&self, name: &str) -> Option<&ScatterLooks> {
        self.looks.get(name)
    }

    /// How often they have been changed.
    pub(super) fn edits(&self) -> u64 {
        self.edits
    }
}

/// A mesh of an object, and up to where it is drawn.
#[derive(Clone, Debug)]
pub struct ScatterLevel {
    /// Metres, Y up, its foot at the origin. Positions are needed; normals, texture coordinates and vertex
    /// colours are used.
    pub mesh: Mesh,
    /// Distance up to which it is drawn, metres. Over the last eighth of it, it fades into the next level, or
    /// is gone.
    pub until: f32,
}

impl ScatterLevel {
    /// A mesh that is drawn up to a distance.
    pub fn new(mesh: Mesh, until: f32) -> Self {
        Self { mesh, until }
    }
}

/// Makes the levels of detail of one of an object's variants, nearest first.
pub type MakeLevels = dyn Fn(u32) -> Result<Vec<ScatterLevel>> + Send + Sync;

/// Spawns what stands for a near object.
pub type SpawnObject = dyn Fn(&mut EntityCommands, &ScatteredObject) + Send + Sync;

/// An object as [`ScatterLooks::spawned`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct ScatteredObject {
    /// The object; its place is in metres from the land's sample (0, 0).
    pub object: Object,
    /// The terrain, whose child the entity is.
    pub terrain: Entity,
    /// Where it stands, how it is turned, and its size: relative to the terrain, on the ground as it is
    /// drawn.
    pub transform: Transform,
}

/// What the objects of a name look like.
#[derive(Clone)]
pub struct ScatterLooks {
    pub(super) source: LooksSource,
    pub(super) material: StandardMaterial,
    pub(super) variants: u32,
    pub(super) shadows: bool,
    pub(super) sway: f32,
    pub(super) spawner: Option<Spawner>,
}

/// Where the meshes come from.
#[derive(Clone)]
pub(super) enum LooksSource {
    Plant(Kind),
    Meshes(Arc<MakeLevels>),
    /// There are none: near objects are spawned, others not drawn.
    Nothing,
}

/// The callback that spawns entities for near objects.
#[derive(Clone)]
pub(super) struct Spawner {
    pub(super) within: f32,
    pub(super) spawn: Arc<SpawnObject>,
}

impl std::fmt::Debug for ScatterLooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let source = match &self.source {
            LooksSource::Plant(kind) => kind.name(),
            LooksSource::Meshes(_) => "meshes",
            LooksSource::Nothing => "nothing",
        };
        let spawned = self.spawner.as_ref().map(|spawner| spawner.within);
        f.debug_struct("ScatterLooks")
            .field("source", &source)
            .field("variants", &self.variants)
            .field("spawned", &spawned)
            .finish_non_exhaustive()
    }
}

impl ScatterLooks {
    /// A plant or a rock that is grown by code.
    pub fn plant(kind: Kind) -> Self {
        let (variants, sway) = match kind {
            Kind::Spruce | Kind::Beech | Kind::Birch | Kind::Palm => (3, 0.22),
            Kind::Hazel | Kind::Juniper => (2, 0.10),
            Kind::Grass | Kind::Flowers => (3, 0.06),
            Kind::Boulder | Kind::Stone | Kind::DeadWood => (2, 0.0),
        };
        let shadows = !matches!(kind, Kind::Grass | Kind::Flowers | Kind::Stone);
        Self { variants, shadows, sway, ..Self::from(LooksSource::Plant(kind)) }
    }

    /// Meshes of a game's own. They are made in the background, when the first terrain needs them, for the
    /// variants 0, 1, …; a panic or an error is reported by [`ScatterFailed`](super::ScatterFailed), and
    /// nothing is drawn.
    pub fn meshes(make: impl Fn(u32) -> Result<Vec<ScatterLevel>> + Send + Sync + 'static) -> Self {
        Self::from(LooksSource::Meshes(Arc::new(make)))
    }

    /// Objects that are entities near a camera, such as scenes or what physics knows, and are not drawn
    /// elsewhere: as [`with_spawner`](Self::with_spawner).
    pub fn spawned(
        within: f32,
        spawn: impl Fn(&mut EntityCommands, &ScatteredObject) + Send + Sync + 'static,
    ) -> Self {
        Self::from(LooksSource::Nothing).with_spawner(within, spawn)
    }

    fn from(source: LooksSource) -> Self {
        let material = StandardMaterial { perceptual_roughness: 0.9, reflectance: 0.2, ..default() };
        Self { source, material, variants: 1, shadows: true, sway: 0.0, spawner: None }
    }

    /// The material of a game's own meshes. An opaque one is drawn as one that is cut out by opacity, because
    /// levels fade into each other by that. Default: rough and white. Plants keep their own.
    pub fn with_material(mut self, material: StandardMaterial) -> Self {
        self.material = material;
        self
    }

    /// How many variants there are, 1 to 8. Each object is one of them at random.
    pub fn with_variants(mut self, variants: u32) -> Self {
        self.variants = variants.clamp(1, 8);
        self
    }

    /// Whether they cast shadows. Default: all but grass, flowers and stones do. Without them, small objects
    /// cost nothing in the shadow maps.
    pub fn with_shadows(mut self, shadows: bool) -> Self {
        self.shadows = shadows;
        self
    }

    /// How far a wind of 4 m/s moves the tips of a plant, metres, in \[0, 10\]. A game's own meshes don't
    /// move. Default: 0.22 m for trees, 0.1 m for bushes, 0.06 m for grass and flowers, 0 for all else.
    pub fn with_sway(mut self, sway: f32) -> Self {
        self.sway = if sway.is_finite() { sway.clamp(0.0, 10.0) } else { 0.0 };
        self
    }

    /// Spawns an entity for each object that is at most `within` metres from a camera, and despawns it
    /// beyond. Metres are those of the terrain's own land: on one that is drawn at a tenth of its size, each
    /// is a tenth of a metre in the world. The entity is a child of the terrain with the transform of the
    /// object, to which `spawn` adds components. The object's meshes are drawn as well; leave them out by
    /// [`spawned`](Self::spawned).
    pub fn with_spawner(
        mut self,
        within: f32,
        spawn: impl Fn(&mut EntityCommands, &ScatteredObject) + Send + Sync + 'static,
    ) -> Self {
        let within = if within.is_finite() { within.clamp(0.0, 10_000.0) } else { 0.0 };
        self.spawner = Some(Spawner { within, spawn: Arc::new(spawn) });
        self
    }
}

/// Distances up to which the levels of a plant are drawn, fine to coarse, and its impostors, metres; 0 for
/// none.
pub(super) fn distances(kind: Kind) -> [f32; 4] {
    match kind {
        Kind::Spruce | Kind::Beech | Kind::Birch => [28.0, 90.0, 240.0, 4000.0],
        Kind::Palm => [28.0, 90.0, 240.0, 3000.0],
        Kind::Hazel | Kind::Juniper => [12.0, 40.0, 120.0, 500.0],
        Kind::Grass => [7.0, 22.0, 100.0, 0.0],
        Kind::Flowers => [8.0, 24.0, 80.0, 0.0],
        Kind::Boulder => [25.0, 80.0, 260.0, 1200.0],
        Kind::Stone => [8.0, 25.0, 90.0, 0.0],
        Kind::DeadWood => [16.0, 50.0, 220.0, 0.0],
    }
}

/// The distance up to which a plant is drawn, metres, where a terrain draws as far as usual.
#[cfg(feature = "viewer")]
pub(crate) fn drawn_up_to(kind: Kind) -> f32 {
    distances(kind).into_iter().fold(0.0, f32::max)
}

/// Refuses levels that are none, or in no order.
pub(super) fn check_levels(levels: &[ScatterLevel]) -> Result<()> {
    if levels.is_empty() || levels.len() > 4 {
        let reason = format!("there are {} levels of detail; give 1 to 4", levels.len());
        return Err(Error::parameter("levels", reason));
    }
    let mut before = 0.0;
    for level in levels {
        if !(level.until.is_finite() && level.until > before) {
            let reason = format!(
                "a level that ends at {} m after one that ends at {before} m; give growing distances above 0",
                level.until
            );
            return Err(Error::parameter("until", reason));
        }
        before = level.until;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plant_has_looks_and_levels_that_grow_coarser_with_the_distance() {
        let objects = ScatterObjects::default();
        for kind in Kind::ALL {
            assert!(objects.get(kind.name()).is_some());
            let distances: Vec<f32> = distances(kind).into_iter().filter(|until| *until > 0.0).collect();
            assert!(distances.len() >= 3 && distances.windows(2).all(|pair| pair[0] < pair[1]), "{kind:?}");
        }
        assert!(objects.get("hut").is_none());
    }

    #[test]
    fn levels_in_no_order_are_refused() {
        let level = |until| ScatterLevel::new(Cuboid::default().into(), until);
        assert!(check_levels(&[level(10.0), level(30.0)]).is_ok());
        for wrong in [vec![], vec![level(10.0), level(10.0)], vec![level(f32::NAN)], vec![level(-1.0)]] {
            assert!(check_levels(&wrong).is_err());
        }
    }
}
