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
    let (has_roads, has_snow) = (document.recipe.has_roads(), document.recipe.has_snow());
    let land =
        LandInfo { histogram, sea_level, folder, quality, has_roads, has_snow, better: Cell::new(None) };
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

#[cfg(test)]
mod tests {
    use bevy_egui::egui::accesskit::{NodeId, Rect};

    use super::*;
    use crate::recipe::Recipe;

    /// The controls with a name: their ids, names and places.
    fn controls(
        context: &egui::Context,
        document: &mut Document,
        view: &mut TextureView,
    ) -> Vec<(NodeId, String, Rect)> {
        let mut nodes = Vec::new();
        // Places are known after the first frame.
        for _ in 0..2 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(340.0, 2000.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            let mut output = context.run_ui(input, |ui| {
                show(ui, document, view, None, Quality::High).unwrap();
            });
            output.textures_delta.clear();
            nodes = output.platform_output.accesskit_update.expect("it is on").nodes;
        }
        let named = |(id, node): &(NodeId, egui::accesskit::Node)| {
            Some((*id, node.label()?.to_owned(), node.bounds()?))
        };
        nodes.iter().filter_map(named).collect()
    }

    #[test]
    fn the_first_drag_of_a_limit_moves_no_control() {
        let context = egui::Context::default();
        context.enable_accesskit();
        for ready_made in [Skin::Temperate, Skin::Woodland, Skin::Arid] {
            let mut document = Document::new(Recipe::new("Land", (9, 9), 10.0), None);
            document.recipe.texture = ready_made;
            let last = document.recipe.texture.texture().types.len() - 1;
            let mut view = TextureView { opened: Some(last), ..TextureView::default() };
            let bars = |document: &mut Document, view: &mut TextureView| -> Vec<_> {
                let all = controls(&context, document, view).into_iter();
                all.filter(|(_, name, _)| name.starts_with("Bars of ")).collect()
            };
            let before = bars(&mut document, &mut view);
            assert!(before.len() > 1, "{before:?}");
            let mut texture = document.recipe.texture.texture();
            texture.types[last].elevation.min -= 0.01;
            document.recipe.texture = Skin::Custom(texture);
            assert_eq!(bars(&mut document, &mut view), before);
        }
    }
}
