//! What is shown of the land: one of the plugin's views, or a layer of the recipe's.

use std::str::FromStr;

use bevy::prelude::*;
use bevy_egui::egui::{self, Key};

use super::levels::Comparison;
use super::quality::Chosen;
use super::scene;
use super::session::{Number, Slot, Viewed};
use super::texture_view::{LayerView, TextureView};
use crate::error::{Error, Result};
use crate::plugin::{DebugView, TerrainGround, TerrainView};
use crate::recipe::Recipe;

/// Shows lands as chosen.
pub(super) struct ShownPlugin;

impl Plugin for ShownPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Viewed>().add_systems(Update, (fit, apply).chain());
    }
}

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// One of the plugin's views.
    View(DebugView),
    /// A layer, by its name.
    Layer(String),
}

impl Default for Shown {
    fn default() -> Self {
        Self::View(DebugView::None)
    }
}

impl Shown {
    /// What is called `name` on the land of a recipe.
    ///
    /// # Errors
    /// When there is no such view and no such layer; the message lists both.
    pub fn find(name: &str, recipe: &Recipe) -> Result<Self> {
        let layers = recipe.layers();
        if layers.iter().any(|layer| layer == name) {
            return Ok(Self::Layer(name.to_owned()));
        }
        let view = DebugView::from_str(name).ok();
        view.filter(|view| VIEWS.contains(view)).map(Self::View).ok_or_else(|| {
            let (views, layers) = (VIEWS.map(DebugView::name).join(", "), layers.join(", "));
            let reason =
                format!("there is no view `{name}`; there are {views}, and of this land the layers {layers}");
            Error::parameter("--view", reason)
        })
    }
}

/// The views that can be chosen by name: a layer goes by its own.
pub(super) const VIEWS: [DebugView; 12] = [
    DebugView::None,
    DebugView::Wireframe,
    DebugView::Levels,
    DebugView::Chunks,
    DebugView::Residency,
    DebugView::Slope,
    DebugView::Aspect,
    DebugView::Contours,
    DebugView::Normals,
    DebugView::Types,
    DebugView::Viewshed,
    DebugView::Overdraw,
];

/// What comes `step` places after what is shown: views first, then the document's layers, and round again.
pub(super) fn stepped(viewed: DebugView, layer: Option<&str>, layers: &[String], step: isize) -> Shown {
    let count = (VIEWS.len() + layers.len()) as isize;
    let of_layer = |name: &str| layers.iter().position(|other| other == name).map(|at| VIEWS.len() + at);
    let here = layer.and_then(of_layer).or_else(|| VIEWS.iter().position(|view| *view == viewed));
    let next = (here.unwrap_or(0) as isize + step).rem_euclid(count) as usize;
    match VIEWS.get(next) {
        Some(view) => Shown::View(*view),
        None => Shown::Layer(layers[next - VIEWS.len()].clone()),
    }
}

/// How many views V goes on, with shift back.
pub(super) fn key(context: &egui::Context) -> Option<isize> {
    if context.egui_wants_keyboard_input() {
        return None;
    }
    let (is_pressed, modifiers) = context.input(|input| (input.key_pressed(Key::V), input.modifiers));
    let is_alone = !modifiers.command && !modifiers.alt;
    (is_pressed && is_alone).then_some(if modifiers.shift { -1 } else { 1 })
}

/// Gives a layer that has come into view a scale that suits its values.
fn fit(mut lands: Query<(&mut TextureView, &TerrainGround)>) {
    for (mut view, ground) in &mut lands {
        let Some(layer) = view.layer.as_ref().filter(|layer| !layer.is_fitted) else { continue };
        if let Some(field) = ground.landscape.layers.get(layer.name.as_str()) {
            view.layer = Some(LayerView::fitted(layer.name.clone(), field));
        }
    }
}

/// Tells cameras what to show.
fn apply(
    mut commands: Commands,
    viewed: Res<Viewed>,
    (chosen, comparison): (Res<Chosen>, Res<Comparison>),
    mut documents: Query<(&Number, &mut TextureView)>,
    mut cameras: Query<(Entity, &Slot, &mut TerrainView)>,
) {
    for (number, mut view) in &mut documents {
        let types = viewed.0 == DebugView::Types && view.layer.is_none();
        if view.types != types {
            view.types = types;
        }
        let debug = match view.layer {
            _ if comparison.is_of(number.0) => DebugView::Wireframe,
            Some(_) => DebugView::Layer,
            None => viewed.0,
        };
        for (camera, _, mut seen) in cameras.iter_mut().filter(|(_, slot, _)| slot.0 == number.0) {
            if seen.debug != debug {
                seen.debug = debug;
                scene::dress(commands.entity(camera), chosen.quality(), debug);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_goes_through_all_views_and_layers_and_round() {
        let layers = ["flow", "wear"].map(str::to_owned);
        let mut shown = Shown::default();
        for expected in VIEWS.map(Shown::View).into_iter().chain(layers.clone().map(Shown::Layer)) {
            assert_eq!(shown, expected);
            let (view, layer) = match &shown {
                Shown::View(view) => (*view, None),
                Shown::Layer(name) => (DebugView::Slope, Some(name.as_str())),
            };
            let next = stepped(view, layer, &layers, 1);
            let (view, layer) = match &next {
                Shown::View(view) => (*view, None),
                Shown::Layer(name) => (DebugView::Slope, Some(name.as_str())),
            };
            assert_eq!(stepped(view, layer, &layers, -1), shown);
            shown = next;
        }
        assert_eq!(shown, Shown::default());
        assert_eq!(stepped(DebugView::None, Some("gone"), &[], 1), Shown::View(VIEWS[1]));
    }

    #[test]
    fn a_view_that_is_not_known_is_refused_with_all_that_are() {
        let mut recipe = Recipe::new("Land", (9, 9), 1.0);
        recipe.steps.push(crate::Step::from_name("erode").unwrap());
        assert_eq!(Shown::find("wireframe", &recipe).unwrap(), Shown::View(DebugView::Wireframe));
        assert_eq!(Shown::find("flow", &recipe).unwrap(), Shown::Layer("flow".into()));
        let error = Shown::find("wire", &recipe).unwrap_err().to_string();
        for name in ["`wire`", "wireframe, levels", "viewshed", "flow", "water_depth"] {
            assert!(error.contains(name), "{error}");
        }
        for hidden in ["position", "layer"] {
            assert!(Shown::find(hidden, &recipe).is_err(), "it needs more than a name");
        }
    }
}
