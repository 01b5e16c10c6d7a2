//! When the systems of terrains run, and conditions for a game's own.

use bevy::prelude::*;

use super::components::Terrain;
use super::ground::TerrainGround;
use super::status::TerrainStatus;

/// The systems of [`TerrainPlugin`](crate::plugin::TerrainPlugin), in the order in which they run in a frame.
/// A game's own run before or after them:
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::TerrainSystems;
///
/// fn place_camera() {}
/// fn plant_trees() {}
///
/// # let mut app = App::new();
/// // Seen by this frame's choice of tiles and chunks.
/// app.add_systems(PostUpdate, place_camera.before(TransformSystems::Propagate));
/// // With all tiles that have come in this frame.
/// app.add_systems(PostUpdate, plant_trees.after(TerrainSystems::Choose));
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TerrainSystems {
    /// In `PreUpdate`: lands and colours that have been made in the background are taken in, so that systems
    /// in `Update` find them; progress, ready, repainted and failed are reported.
    Receive,
    /// In `PostUpdate`: lands that have been made since [`Receive`](Self::Receive) are taken in. Then changed
    /// sources and skins are noticed, and their work begins; started is reported. Changes that `Update` has
    /// made take effect in this frame.
    Build,
    /// In `PostUpdate`, after [`Build`](Self::Build), [`TransformSystems::Propagate`] and Bevy's
    /// `CameraUpdateSystems`: tiles that have been made are taken in, those that cameras and anchors need are
    /// ordered, chunks are chosen and placed. Tiles shown and hidden are reported.
    Choose,
    /// In `PostUpdate`, after [`Choose`](Self::Choose) and Bevy's `CheckVisibility`: each camera keeps its
    /// own chunks.
    Cull,
}

/// A run condition: all terrains are ready, and there is at least one.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::terrains_ready;
///
/// fn begin_the_race() {}
///
/// # let mut app = App::new();
/// app.add_systems(Update, begin_the_race.run_if(terrains_ready));
/// ```
///
/// With Bevy's states, an observer of [`TerrainReady`](super::TerrainReady) sets the next one.
pub fn terrains_ready(terrains: Query<&TerrainStatus>) -> bool {
    !terrains.is_empty() && terrains.iter().all(|status| *status == TerrainStatus::Ready)
}

/// A run condition: there are terrains, and none is being loaded, built or repainted; some may have failed.
pub fn terrains_settled(terrains: Query<&TerrainStatus>) -> bool {
    !terrains.is_empty() && terrains.iter().all(TerrainStatus::is_settled)
}

/// A run condition: all terrains have ground to stand on, and there is at least one; it may be about to
/// change. In contrast to [`terrains_ready`] it stays while a terrain is repainted or built again, so that a
/// walker need not stop.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::terrains_have_ground;
///
/// fn walk() {}
///
/// # let mut app = App::new();
/// app.add_systems(Update, walk.run_if(terrains_have_ground));
/// ```
pub fn terrains_have_ground(terrains: Query<Has<TerrainGround>, With<Terrain>>) -> bool {
    !terrains.is_empty() && terrains.iter().all(|has_ground| has_ground)
}

/// Run conditions: a terrain with this component, such as one that marks a level, is ready.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::terrain_ready;
///
/// #[derive(Component)]
/// struct Island;
///
/// fn land_on_it() {}
///
/// # let mut app = App::new();
/// app.add_systems(Update, land_on_it.run_if(terrain_ready::<Island>));
/// ```
pub fn terrain_ready<Marker: Component>(terrains: Query<&TerrainStatus, With<Marker>>) -> bool {
    terrains.iter().any(|status| *status == TerrainStatus::Ready)
}
