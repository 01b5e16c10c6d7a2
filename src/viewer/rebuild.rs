//! Keeps the terrains in step with their recipes: a small preview as soon as something changes, the
//! full size when the hand rests.

use bevy::prelude::*;
use bevy::time::Stopwatch;

use super::document::Document;
use super::message::Message;
use crate::plugin::{Sky, Terrain, TerrainFailed, TerrainStatus};
use crate::recipe::Recipe;

/// Samples along the longer side of a preview.
const PREVIEW: u32 = 257;
/// Seconds without a change after which the full size is built.
const REST: f32 = 0.35;

/// Rebuilds what was edited.
pub(super) struct RebuildPlugin;

impl Plugin for RebuildPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, (rebuild, move_sun, watch)).add_observer(say_failure);
    }
}

/// What a terrain was last asked to be, and since when it has been so.
#[derive(Component)]
#[require(BuildTime)]
pub(super) struct Asked {
    recipe: Recipe,
    rested: f32,
    full: bool,
}

impl Asked {
    /// A terrain that was asked for `recipe` at its full size.
    pub fn full(recipe: Recipe) -> Self {
        Self { recipe, rested: 0.0, full: true }
    }
}

/// How long a terrain has been building.
#[derive(Component, Default)]
pub(super) struct BuildTime(pub Stopwatch);

fn watch(mut terrains: Query<(Ref<Terrain>, &TerrainStatus, &mut BuildTime)>, time: Res<Time>) {
    for (terrain, status, mut since) in &mut terrains {
        if terrain.is_changed() {
            since.0.reset();
        } else if !status.is_settled() {
            since.0.tick(time.delta());
        }
    }
}

/// The sky that goes with a document.
#[derive(Component)]
pub(super) struct SkyOf(pub Entity);

fn rebuild(
    mut documents: Query<(&mut Document, &mut Asked, &mut Terrain)>,
    buttons: Res<ButtonInput<MouseButton>>,
    time: Res<Time>,
) {
    for (mut document, mut asked, mut terrain) in &mut documents {
        if !same_land(&document.recipe, &asked.recipe) {
            asked.recipe = document.recipe.clone();
            asked.rested = 0.0;
            let (width, depth) = asked.recipe.size;
            asked.full = width.max(depth) <= PREVIEW;
            *terrain =
                Terrain::from(if asked.full { asked.recipe.clone() } else { asked.recipe.preview(PREVIEW) });
        } else if buttons.pressed(MouseButton::Left) {
            asked.rested = 0.0;
        } else {
            asked.rested += time.delta_secs();
            if asked.rested >= REST {
                // Bypassed, because settling changes nothing that anybody shows.
                document.bypass_change_detection().settle();
                if !asked.full {
                    asked.full = true;
                    *terrain = Terrain::from(asked.recipe.clone());
                }
            }
        }
    }
}

/// Whether two recipes make the same land; name, sun and view don't matter to it.
fn same_land(a: &Recipe, b: &Recipe) -> bool {
    (a.seed, a.size, a.cell) == (b.seed, b.size, b.cell)
        && a.steps == b.steps
        && a.water == b.water
        && a.texture == b.texture
}

fn move_sun(documents: Query<&Document, Changed<Document>>, mut skies: Query<(&SkyOf, &mut Sky)>) {
    for (SkyOf(entity), mut sky) in &mut skies {
        if let Ok(document) = documents.get(*entity)
            && sky.sun != document.recipe.sun
        {
            sky.sun = document.recipe.sun;
        }
    }
}

fn say_failure(failed: On<TerrainFailed>, documents: Query<&Document>, mut message: ResMut<Message>) {
    if let Ok(document) = documents.get(failed.entity) {
        message.error(format!("{}: {}", document.recipe.name, failed.error));
    }
}
