//! The terrain plugin for Bevy: spawn a [`Terrain`]; it is built and drawn, and answers queries for the
//! ground under a point.
//!
//! Its folders are layers like the rooms of the crate, from the foundation upwards: `setup`, `shaders`,
//! `device`, `displacement`, `floating_origin`, `ground_textures`, `jobs`, `stream`, `material`, `terrain`,
//! `chunks`, `query`, `sculpt`, `colliders`, `sky`, `water`, `planet`, `scatter`, `quality`, `capture`. Each
//! uses only those before it, which `tests/repository/rooms.rs` checks.

mod capture;
mod chunks;
mod colliders;
mod device;
mod displacement;
mod events;
mod floating_origin;
mod ground_textures;
mod jobs;
mod material;
mod owned;
mod planet;
mod quality;
mod query;
mod scatter;
mod sculpt;
mod setup;
mod shaders;
mod sky;
mod stream;
mod terrain;
mod visible;
mod water;

use bevy::app::PluginGroupBuilder;
use bevy::pbr::MaterialPlugin;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

#[cfg(feature = "render")]
pub(crate) use capture::Pending;
pub use capture::{Headless, MAX_PICTURE_SIDE};
pub use chunks::TerrainChunk;
#[cfg(feature = "avian")]
pub use colliders::AvianTerrainPlugin;
#[cfg(feature = "rapier")]
pub use colliders::RapierTerrainPlugin;
pub use colliders::{
    AwaitsGround, ColliderNeed, ColliderStatistics, TerrainCollider, TerrainColliderOf,
    TerrainColliderPlugin, TerrainColliderSystems, TerrainColliders, TerrainCollidersFailed,
};
#[cfg(feature = "viewer")]
pub(crate) use device::{DeviceFailure, note_failure};
pub use device::{LeanViewsPlugin, is_software_device, require_graphics_device};
pub use displacement::{
    DisplacedMaterial, Displacement, DisplacementFailed, DisplacementPlugin, HeightMapLayout, height_map,
};
pub use floating_origin::{
    FloatingOrigin, FloatingOriginPlugin, FloatingOriginSystems, PrecisePlace, WorldMoved, WorldOrigin,
};
#[cfg(test)]
pub(crate) use jobs::start_workers;
#[cfg(feature = "viewer")]
pub(crate) use jobs::{Job, task_pools};
pub use material::{
    DebugView, HeightMapping, Shading, Submersion, TerrainView, TerrainViewshed, Wind, absent_colour,
    aspect_colour, contour_step, level_colour, overdraw_colour, residency_colour, seen_colour, slope_colour,
    viridis,
};
pub use planet::{Planet, PlanetBudget, PlanetCamera, PlanetFailed, PlanetPlugin, PlanetStatus};
pub use quality::{Quality, QualityTrial};
pub use query::{
    CostArea, ExactPoint, GroundPoint, GroundProbe, GroundProbes, LineOfSight, ShorePoint, TerrainCosts,
    TerrainQuery, TypeShare, WaterPoint,
};
#[cfg(feature = "viewer")]
pub(crate) use scatter::drawn_up_to;
pub use scatter::{
    MakeLevels, PlantSeason, ScatterBudget, ScatterFailed, ScatterLevel, ScatterLooks, ScatterObjects,
    ScatterPlugin, ScatterStatistics, ScatterSystems, ScatteredObject, SpawnObject, TerrainScatter,
    TerrainScatterStatistics,
};
pub use sculpt::{SculptSystems, StrokeApplied, StrokeChange, StrokeFailed, TerrainStrokes};
#[cfg(feature = "render")]
pub(crate) use shaders::{WIRE_SHADER, load_wire_shader};
#[cfg(feature = "render")]
pub use sky::sky_camera_effects;
pub use sky::{Sky, SkyCamera, SkyPlugin, SkySystems};
#[cfg(feature = "viewer")]
pub(crate) use stream::Stream;
pub use stream::{TerrainBudget, TerrainStatistics};
#[cfg(feature = "render")]
pub(crate) use terrain::origin_of;
pub use terrain::{
    BuildLandscape, OverallProgress, RecipeAsset, Terrain, TerrainAnchor, TerrainBuild, TerrainCache,
    TerrainChanged, TerrainFailed, TerrainGround, TerrainProgress, TerrainReady, TerrainRepainted,
    TerrainSettled, TerrainSides, TerrainSkin, TerrainSource, TerrainStarted, TerrainStatus, TerrainSystems,
    TerrainTile, TerrainTileEvents, TerrainTilesChanged, TerrainWork, terrain_ready, terrains_have_ground,
    terrains_ready, terrains_settled,
};
pub use water::{RiverSurface, WaterPlugin, WaterSurface};

/// Builds and draws every [`Terrain`]. Add it after Bevy's default plugins.
///
/// Without a renderer, as on a server, terrains are built and answer [`TerrainQuery`] all the same; nothing
/// is drawn. Needed are then Bevy's `TaskPoolPlugin`, `TransformPlugin` and `AssetPlugin`, of which
/// `MinimalPlugins` has the first. [`SkyPlugin`], [`WaterPlugin`], [`PlanetPlugin`] and
/// [`DisplacementPlugin`] do nothing there.
///
/// Added a second time, it does nothing, so that a library may add it too.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerrainPlugin;

/// The plugins that most games want: terrains, sky, water, plants, colliders and a floating origin. Add it
/// after Bevy's default plugins, or on a server after those that [`TerrainPlugin`] needs there.
///
/// ```no_run
/// use bevy::prelude::*;
/// use upland::plugin::UplandPlugins;
///
/// App::new().add_plugins((DefaultPlugins, UplandPlugins)).run();
/// ```
///
/// Each plugin only does something for entities with its components, so that one which isn't needed costs
/// next to nothing: [`TerrainPlugin`]; [`SkyPlugin`] for a [`Sky`] and [`SkyCamera`]s; [`WaterPlugin`];
/// [`ScatterPlugin`]; [`TerrainColliderPlugin`] for bodies with a [`ColliderNeed`] (the physics engine needs
/// its own plugin as well); [`FloatingOriginPlugin`] for an entity with a [`FloatingOrigin`]. To leave one
/// out, or to set it otherwise, use the methods of Bevy's plugin groups:
/// `UplandPlugins.build().disable::<WaterPlugin>()`,
/// `UplandPlugins.set(SkyPlugin { shadow_map_size: 4096 })`.
#[doc(alias("plugin_group"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct UplandPlugins;

impl PluginGroup for UplandPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(TerrainPlugin)
            .add(SkyPlugin::default())
            .add(WaterPlugin)
            .add(ScatterPlugin)
            .add(TerrainColliderPlugin)
            .add(FloatingOriginPlugin)
    }
}

impl Plugin for TerrainPlugin {
    fn build(&self, app: &mut App) {
        if !setup::is_first::<Self>(app) {
            return;
        }
        #[cfg(feature = "big_space")]
        floating_origin::follow_big_space(app);
        // Without a renderer, too: a scene of a game may be loaded on its server.
        app.register_type::<TerrainView>()
            .register_type::<TerrainChunk>()
            .register_type::<HeightMapping>()
            .register_type::<PrecisePlace>()
            .register_type::<TerrainViewshed>()
            .register_type::<Submersion>()
            .register_type::<GroundProbe>()
            .register_type::<GroundProbes>()
            .register_type::<TerrainCosts>()
            .register_type::<CostArea>()
            .register_type::<ExactPoint>()
            .register_type::<GroundPoint>();
        if setup::draws(app) {
            shaders::load_shaders(app);
            app.add_plugins((
                MaterialPlugin::<material::TerrainMaterial>::default(),
                device::TexelUploadPlugin,
                terrain::BuildPlugin,
                sculpt::SculptPlugin,
                chunks::ChunksPlugin,
            ));
        } else {
            setup::init_asset_if_absent::<Image>(app);
            app.add_plugins((
                device::TexelUploadPlugin,
                terrain::BuildPlugin,
                sculpt::SculptPlugin,
                terrain::HeadlessTerrainPlugin,
            ));
        }
    }

    fn finish(&self, app: &mut App) {
        setup::complain_if_late(app);
        let adapter = app.world().get_resource::<RenderAdapterInfo>();
        // Known in `finish` only: Bevy asks for the adapter while plugins are being built.
        if adapter.is_some_and(|adapter| !is_software_device(adapter)) {
            jobs::let_workers_give_way();
        }
    }

    fn is_unique(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use bevy::ecs::system::RunSystemOnce;

    use super::*;
    use crate::Recipe;

    /// Spawns one of everything that needs a plugin, queries the ground, and returns what was reported
    /// missing.
    fn missed(app: &mut App) -> Vec<&'static str> {
        let world = app.world_mut();
        world.spawn((Terrain::default(), TerrainScatter::default()));
        world.spawn((ColliderNeed::default(), FloatingOrigin));
        world.spawn(Sky::default());
        world.spawn(SkyCamera::default());
        world.spawn(WaterSurface::new(0.0));
        world.spawn(Planet::new(Recipe::endless(10_000.0), 1e6));
        world.run_system_once(|_: TerrainQuery| ()).unwrap();
        setup::missed(world)
    }

    #[test]
    fn whatever_needs_a_plugin_says_so_where_it_is_missing() {
        let needy = [
            "ColliderNeed",
            "FloatingOrigin",
            "Planet",
            "Sky",
            "SkyCamera",
            "Terrain",
            "TerrainQuery",
            "TerrainScatter",
            "WaterSurface",
        ];
        assert_eq!(missed(&mut App::new()), needy);
    }

    #[test]
    fn the_group_has_all_that_most_games_want_and_may_be_added_beside_its_own_plugins() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()));
        app.add_plugins((TerrainPlugin, UplandPlugins));
        assert_eq!(missed(&mut app), ["Planet"]);
        app.update();
    }
}
