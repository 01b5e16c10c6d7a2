//! Which tiles of a terrain are shown, for games that put things on them.

use std::time::Instant;

use bevy::math::DVec3;
use bevy::prelude::*;
use rustc_hash::FxHashMap;

use super::events::report;
use crate::plugin::material::LandPlacement;
use crate::plugin::stream::Stream;
use crate::stream::{LandTile, Residency};

/// Lets a terrain report which of its tiles are shown and hidden, by [`TerrainTilesChanged`]. Without it
/// nothing is gathered.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug)]
pub struct TerrainTileEvents {
    #[reflect(ignore)]
    reported: ReportedTiles,
}

/// The tiles that have been reported, and after which edit each was made.
#[derive(Clone, Debug, Default)]
struct ReportedTiles {
    tiles: FxHashMap<LandTile, u64>,
    /// The stream of the tiles, and its count of changes.
    state: Option<(Instant, u64)>,
}

/// Sent when tiles of a terrain with [`TerrainTileEvents`] have come or gone, once a frame for all of them,
/// after the chunks have been chosen. The first lists all that are there.
///
/// A tile is shown from when it has arrived on the device until another one takes its slot: it is drawn
/// wherever a camera needs it, and queries are answered from it. A coarse tile stays shown under the finer
/// ones in its place. It is shown again when it has been made again, because the land or its colours have
/// changed.
///
/// When a terrain loses its ground or is despawned, all its tiles are hidden. That is reported by a message,
/// and, where the entity still exists, to observers.
#[derive(EntityEvent, Message, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainTilesChanged {
    /// The terrain.
    pub entity: Entity,
    /// Tiles that are shown from now on, or have been made again.
    pub shown: Vec<TerrainTile>,
    /// Tiles that are not shown any more.
    pub hidden: Vec<LandTile>,
}

/// Where a tile lies in the world. Its ground at (u, v) in \[0, 1\]² is above or below `corner + u · east + v
/// · south`.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
pub struct TerrainTile {
    /// Its level and its place in the land's grid of tiles: the same for the same place, whatever the world's
    /// origin is.
    pub tile: LandTile,
    /// Metres between its samples in the world.
    pub spacing: f32,
    /// Its north-west corner, at the height at which height 0 is drawn, metres in the world as that lay at
    /// the time of the report.
    pub corner: Vec3,
    /// Along its northern side.
    pub east: Vec3,
    /// Along its western side.
    pub south: Vec3,
    /// The lowest and highest ground in it, as drawn, metres above the terrain's own zero before its
    /// transform.
    pub heights: (f32, f32),
}

impl TerrainTile {
    fn new(tile: LandTile, residency: &Residency, land: &LandPlacement) -> Option<Self> {
        let shape = residency.shape();
        let (north_west, south_east) = tile.rectangle(shape.cell);
        let (zero, _) = land.drawn().range(0.0, 0.0);
        // In double precision, and converted only as differences, so that far away the sides of a tile are
        // exact.
        let in_world = |x: f64, z: f64| land.world_from_land.transform_point3(DVec3::new(x, zero, z));
        let corner = in_world(north_west.x, north_west.y);
        let (low, high) = residency.range(tile)?;
        let (low, high) = land.drawn().range(low, high);
        Some(Self {
            tile,
            spacing: (shape.cell_at(tile.level) as f64 * land.world_scale) as f32,
            corner: corner.as_vec3(),
            east: (in_world(south_east.x, north_west.y) - corner).as_vec3(),
            south: (in_world(north_west.x, south_east.y) - corner).as_vec3(),
            heights: (low as f32, high as f32),
        })
    }
}

/// Reports which tiles of a terrain have come and gone since the last call. If none has, this costs one
/// comparison.
pub(crate) fn report_tiles(
    commands: &mut Commands,
    entity: Entity,
    events: &mut TerrainTileEvents,
    stream: &Stream,
    land: &LandPlacement,
) {
    let residency = stream.residency();
    let reported = &mut events.reported;
    let state = Some((stream.since(), residency.changes()));
    if reported.state == state {
        return;
    }
    // Tiles of another source are others, whatever their places and edits are.
    let is_same = reported.state.is_some_and(|(since, _)| since == stream.since());
    reported.state = state;
    let before = std::mem::take(&mut reported.tiles);
    reported.tiles = residency.made().collect();
    let mut hidden: Vec<LandTile> =
        before.keys().filter(|tile| !reported.tiles.contains_key(tile)).copied().collect();
    let is_new = |tile: &LandTile, edit: &u64| !is_same || before.get(tile) != Some(edit);
    let shown = reported.tiles.iter().filter(|(tile, edit)| is_new(tile, edit));
    let mut shown: Vec<TerrainTile> =
        shown.filter_map(|(tile, _)| TerrainTile::new(*tile, residency, land)).collect();
    // The same in every run.
    hidden.sort_unstable();
    shown.sort_unstable_by_key(|shown| shown.tile);
    report(commands, TerrainTilesChanged { entity, shown, hidden });
}

/// Reports that all tiles of a terrain that has lost its ground are hidden.
pub(super) fn hide_all(
    removed: On<Remove, Stream>,
    mut terrains: Query<&mut TerrainTileEvents>,
    mut commands: Commands,
) {
    let Ok(mut events) = terrains.get_mut(removed.entity) else { return };
    let mut hidden: Vec<LandTile> = std::mem::take(&mut events.reported).tiles.into_keys().collect();
    if !hidden.is_empty() {
        hidden.sort_unstable();
        report(&mut commands, TerrainTilesChanged { entity: removed.entity, shown: Vec::new(), hidden });
    }
}
