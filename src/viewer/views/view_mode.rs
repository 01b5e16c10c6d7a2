//! What is shown of the land: one of the plugin's views, or a layer of the recipe.

use bevy::prelude::*;

use super::levels_panes::Comparison;
use super::quality::QualitySetting;
use crate::plugin::{DebugView, TerrainGround, TerrainView};
use crate::render::scene;
use crate::render::texture_view::{LayerView, TextureView};
use crate::render::view_mode::{VIEWS, ViewMode};
use crate::viewer::session::{ShownDebugView, View};

/// Applies the view mode to lands and cameras.
pub(crate) struct ViewModePlugin;

impl Plugin for ViewModePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ShownDebugView>().add_systems(Update, (fit, apply).chain());
    }
}

/// The view mode `step` places after the present one: views first, then the document's layers, then from the
/// beginning again.
pub(crate) fn stepped(viewed: DebugView, layer: Option<&str>, layers: &[String], step: isize) -> ViewMode {
    let count = (VIEWS.len() + layers.len()) as isize;
    let of_layer = |name: &str| layers.iter().position(|other| other == name).map(|at| VIEWS.len() + at);
    let here = layer.and_then(of_layer).or_else(|| VIEWS.iter().position(|view| *view == viewed));
    let next = (here.unwrap_or(0) as isize + step).rem_euclid(count) as usize;
    match VIEWS.get(next) {
        Some(view) => ViewMode::View(*view),
        None => ViewMode::Layer(layers[next - VIEWS.len()].clone()),
    }
}

/// Fits the scale of a layer that has come into view to its values.
fn fit(mut lands: Query<(&mut TextureView, &TerrainGround)>) {
    for (mut view, ground) in &mut lands {
        let Some(layer) = view.layer.as_ref().filter(|layer| !layer.is_fitted) else { continue };
        if let Some(field) = ground.landscape.layers.get(layer.name.as_str()) {
            view.layer = Some(LayerView::fitted(layer.name.clone(), field));
        }
    }
}

/// Sets what cameras show.
fn apply(
    mut commands: Commands,
    viewed: Res<ShownDebugView>,
    (chosen, comparison): (Res<QualitySetting>, Res<Comparison>),
    mut documents: Query<(Entity, &View, &mut TextureView)>,
    mut cameras: Query<&mut TerrainView>,
) {
    for (document, seen_by, mut view) in &mut documents {
        let types = viewed.0 == DebugView::Types && view.layer.is_none();
        if view.types != types {
            view.types = types;
        }
        let debug = match &view.layer {
            _ if comparison.is_of(document) => DebugView::Wireframe,
            Some(layer) => layer.debug_view(),
            None => viewed.0,
        };
        let camera = seen_by.camera();
        if let Ok(mut seen) = cameras.get_mut(camera)
            && seen.debug != debug
        {
            seen.debug = debug;
            scene::dress(commands.entity(camera), chosen.quality(), debug);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_cycles_through_all_views_and_layers() {
        let layers = ["flow", "wear"].map(str::to_owned);
        let mut shown = ViewMode::default();
        for expected in VIEWS.map(ViewMode::View).into_iter().chain(layers.clone().map(ViewMode::Layer)) {
            assert_eq!(shown, expected);
            let (view, layer) = match &shown {
                ViewMode::View(view) => (*view, None),
                ViewMode::Layer(name) => (DebugView::Slope, Some(name.as_str())),
            };
            let next = stepped(view, layer, &layers, 1);
            let (view, layer) = match &next {
                ViewMode::View(view) => (*view, None),
                ViewMode::Layer(name) => (DebugView::Slope, Some(name.as_str())),
            };
            assert_eq!(stepped(view, layer, &layers, -1), shown);
            shown = next;
        }
        assert_eq!(shown, ViewMode::default());
        assert_eq!(stepped(DebugView::None, Some("gone"), &[], 1), ViewMode::View(VIEWS[1]));
    }
}
