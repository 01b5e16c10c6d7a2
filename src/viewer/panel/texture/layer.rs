//! The layer of the land that is shown instead of its texture, and its scale.

use bevy_egui::egui::{self, RichText};

use crate::grid::LayerInfo;
use crate::params::Name;
use crate::render::texture_view::{LayerView, TextureView};
use crate::viewer::panel::controls::parameters;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// A menu of the recipe's layers, and the scale of the one shown.
pub(super) fn show(ui: &mut egui::Ui, layers: &[String], view: &mut TextureView) {
    // The step that wrote it may have been removed.
    if view.layer.as_ref().is_some_and(|layer| !layers.iter().any(|name| name == layer.name.as_str())) {
        view.layer = None;
    }
    let title = |name: &str| LayerInfo::of(name).map_or(name.to_owned(), |layer| layer.title.to_owned());
    let tip = "Shows the texture, or a layer written by steps, such as drainage area, wear or paint.";
    parameters::named(ui, "shown", tip, |ui| {
        let selected = view.layer.as_ref().map_or("texture".into(), |layer| title(layer.name.as_str()));
        let combo = egui::ComboBox::from_id_salt("layer").selected_text(selected).show_ui(ui, |ui| {
            if ui.selectable_label(view.layer.is_none(), "texture").clicked() {
                view.layer = None;
            }
            for name in layers {
                let is_shown = view.layer.as_ref().is_some_and(|layer| layer.name.as_str() == name);
                let label = ui.selectable_label(is_shown, title(name));
                let label = match LayerInfo::of(name) {
                    Some(layer) => label.tip(layer.about),
                    None => label,
                };
                if label.clicked()
                    && let Ok(name) = Name::new(name.clone())
                {
                    view.layer = Some(LayerView::of(name));
                }
            }
        });
        style::called(combo.response, "shown");
    });
    let Some(layer) = view.layer.as_mut().filter(|layer| !layer.is_of_numbers()) else { return };
    let unit = LayerInfo::unit_of(layer.name.as_str());
    let suffix = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let before = (layer.low, layer.high);
    parameters::named(ui, "scale", "The values at both ends of the colour scale.", |ui| {
        let speed = f64::from((layer.high - layer.low).abs() / 200.0);
        let low = egui::DragValue::new(&mut layer.low).speed(speed).max_decimals(3);
        let low = low.suffix(suffix.clone()).range(LayerView::LEAST..=layer.high - LayerView::APART);
        style::called(ui.add(low), "Lower end of the scale");
        ui.label(RichText::new("to").color(style::quiet(ui)));
        let high = egui::DragValue::new(&mut layer.high).speed(speed).max_decimals(3);
        let high = high.suffix(suffix).range(layer.low + LayerView::APART..=LayerView::MOST);
        style::called(ui.add(high), "Upper end of the scale");
    });
    if (layer.low, layer.high) != before {
        layer.is_fitted = true;
    }
}
