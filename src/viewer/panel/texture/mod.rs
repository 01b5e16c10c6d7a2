//! The texture section: the set, its terrain types, and baking.

mod compass;
mod factors;
mod histogram;
mod land_info;
mod layer;
mod limits;
mod list;
mod picture;
mod sets;
mod terrain_type;
mod tile;
mod whole;

use std::cell::Cell;
use std::path::Path;

use bevy::prelude::App;
use bevy_egui::egui;

use super::controls::style;
use crate::plugin::Quality;
use crate::recipe::Skin;
use crate::render::texture_view::TextureView;
use crate::viewer::document::Document;

pub(super) use histogram::GroundHistogram;
use land_info::LandInfo;

/// Adds what the panel needs: the view of each document's texture, and the histograms.
pub(super) fn add(app: &mut App) {
    app.register_required_components::<Document, TextureView>();
    histogram::add(app);
}

/// Draws the section. A change of a ready-made set makes it a custom one. A change that would leave the land
/// without a texture is refused, with the reason as the error. Returns another quality, if the user requests
/// it.
pub(super) fn show(
    ui: &mut egui::Ui,
    document: &mut Document,
    view: &mut TextureView,
    histogram: Option<&GroundHistogram>,
    quality: Quality,
) -> Result<Option<Quality>, String> {
    let path = document.path().map(Path::to_owned);
    let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let sea_level = document.recipe.sea_level();
    let has_roads = document.recipe.has_roads();
    let land = LandInfo { histogram, sea_level, folder, quality, has_roads, better: Cell::new(None) };
    layer::show(ui, &document.recipe.layers(), view);
    sets::show(ui, &mut document.recipe.texture, view, &land);
    let skin = sets::edited(&mut document.recipe.texture, view);
    let before = land.own_types(skin);
    let mut texture = before.clone();

    list::show(ui, &mut texture, view, &land);
    if let Some(caveat) = view.caveat(&texture) {
        ui.label(egui::RichText::new(caveat).color(style::error(ui)));
    }
    whole::bands(ui, &mut texture, view);
    whole::map(ui, &mut texture, &land);
    whole::baking(ui, &mut texture, &land);

    let better = land.better.get();
    if texture == before {
        return Ok(better);
    }
    texture.check().map_err(|error| error.to_string())?;
    *skin = Skin::Custom(texture);
    Ok(better)
}
