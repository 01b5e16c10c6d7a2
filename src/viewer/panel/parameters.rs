//! Rows for parameters, made from what the parameters know of themselves.

use std::ops::RangeInclusive;

use bevy_egui::egui;

use super::places;
use crate::params::{Name, Param, Params, Value};

/// Width of the names, logical pixels.
const NAME_WIDTH: f32 = 92.0;

/// A row for every parameter of `params` that `wanted` picks.
pub(super) fn show(ui: &mut egui::Ui, params: &mut dyn Params, wanted: impl Fn(&str) -> bool) {
    params.visit(&mut |param, value| {
        if wanted(param.name) {
            row(ui, param, value);
        }
    });
}

fn row(ui: &mut egui::Ui, param: &Param, value: Value<'_>) {
    let tip = format!("{}\nAccepts {}.", param.doc, param.accepted(value.reading()));
    named(ui, &param.name.replace('_', " "), &tip, |ui| {
        match value {
            Value::Float(value) => {
                let range = *param.range.start() as f32..=*param.range.end() as f32;
                number(ui, value, range, param, None)
            }
            Value::Int(value) => {
                let range = *param.range.start() as u32..=*param.range.end() as u32;
                number(ui, value, range, param, Some(0))
            }
            Value::Flag(value) => ui.checkbox(value, ""),
            Value::Choice(choice) => {
                let mut index = choice.index();
                let combo = egui::ComboBox::from_id_salt(param.name).selected_text(choice.names()[index]);
                let response = combo.show_ui(ui, |ui| {
                    for (number, (name, doc)) in choice.names().iter().zip(choice.docs()).enumerate() {
                        ui.selectable_value(&mut index, number, *name).on_hover_text(*doc);
                    }
                });
                choice.set_index(index);
                response.response
            }
            Value::File(file) => {
                let mut text = file.text().to_owned();
                let response = ui.text_edit_singleline(&mut text);
                if response.changed() {
                    file.set(text);
                }
                response
            }
            Value::Name(name) => {
                let mut text = name.as_str().to_owned();
                let response = ui.text_edit_singleline(&mut text);
                // What is no name, on the way to one, isn't taken.
                if response.changed()
                    && let Ok(changed) = Name::new(text)
                {
                    *name = changed;
                }
                response
            }
            Value::Points(points) => places::show(ui, param, points),
        };
    });
}

/// A row with a name and what `content` puts beside it.
pub(super) fn named<R>(
    ui: &mut egui::Ui,
    name: &str,
    tip: &str,
    content: impl FnOnce(&mut egui::Ui) -> R,
) -> R {
    ui.horizontal(|ui| {
        let size = egui::vec2(NAME_WIDTH, ui.spacing().interact_size.y);
        let label = egui::Label::new(name).selectable(false).truncate().sense(egui::Sense::hover());
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_width(NAME_WIDTH);
            ui.add(label).on_hover_text(tip);
        });
        content(ui)
    })
    .inner
}

fn number<Number: egui::emath::Numeric>(
    ui: &mut egui::Ui,
    value: &mut Number,
    range: RangeInclusive<Number>,
    param: &Param,
    decimals: Option<usize>,
) -> egui::Response {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
    let mut slider = egui::Slider::new(value, range)
        .suffix(unit)
        .logarithmic(param.logarithmic)
        .clamping(egui::SliderClamping::Always);
    slider = match decimals {
        Some(decimals) => slider.fixed_decimals(decimals),
        None => slider.max_decimals(3),
    };
    let response = ui.add(slider);
    response.on_hover_text(param.doc)
}
