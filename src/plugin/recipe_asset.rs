//! Recipes as assets: loaded from `.ron` files, and built again when such a file changes.

use std::path::Path;

use bevy::asset::io::Reader;
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::{AssetLoadFailedEvent, AssetLoader, LoadContext};
use bevy::prelude::*;

use super::terrain::{Terrain, TerrainFailed, TerrainSource, TerrainStatus};
use crate::Recipe;

/// A [`Recipe`] as a Bevy asset, loaded from a file whose name ends in `.ron`.
///
/// ```no_run
/// use bevy::prelude::*;
/// use upland::plugin::Terrain;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn(Terrain::recipe(assets.load("recipes/high-range.ron")));
/// }
/// ```
///
/// With Bevy's `file_watcher` the terrain follows the file as it is edited; a file that becomes wrong
/// is told in the log and the landscape stays. Elevation files that a recipe names are looked for
/// beside it, in the folder `assets`.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct RecipeAsset(pub Recipe);

/// Reads recipes.
#[derive(Default, TypePath)]
pub(crate) struct RecipeLoader;

impl AssetLoader for RecipeLoader {
    type Asset = RecipeAsset;
    type Settings = ();
    type Error = crate::Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> crate::Result<RecipeAsset> {
        let path = context.path().path().to_owned();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| crate::Error::io(&path, "read", error))?;
        let text = String::from_utf8(bytes).map_err(|_| crate::Error::file(&path, "is not text in UTF-8"))?;
        let mut recipe = Recipe::from_ron(&text, &path.display().to_string())?;
        let folder = FileAssetReader::get_base_path().join("assets");
        recipe.set_folder(&folder.join(path.parent().unwrap_or(Path::new(""))));
        Ok(RecipeAsset(recipe))
    }

    fn extensions(&self) -> &[&str] {
        &["ron"]
    }
}

/// Builds a terrain when its recipe has been loaded, or loaded again.
pub(crate) fn follow_recipes(
    mut events: MessageReader<AssetEvent<RecipeAsset>>,
    mut failures: MessageReader<AssetLoadFailedEvent<RecipeAsset>>,
    mut terrains: Query<(Entity, &mut Terrain, &mut TerrainStatus)>,
    mut commands: Commands,
) {
    let shows = |terrain: &Terrain, id: AssetId<RecipeAsset>| matches!(&terrain.source, TerrainSource::Recipe(handle) if handle.id() == id);
    for event in events.read() {
        if let AssetEvent::Added { id } | AssetEvent::Modified { id } = event {
            for (_, mut terrain, _) in &mut terrains {
                if shows(&terrain, *id) {
                    terrain.set_changed();
                }
            }
        }
    }
    for failure in failures.read() {
        for (entity, terrain, mut status) in &mut terrains {
            if shows(&terrain, failure.id) {
                let error = failure.error.to_string();
                *status = TerrainStatus::Failed(error.clone());
                commands.trigger(TerrainFailed { entity, error });
            }
        }
    }
}
