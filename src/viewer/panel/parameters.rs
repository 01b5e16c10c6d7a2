//! Rows for parameters, generated from their declarations.

use std::ops::RangeInclusive;

use bevy_egui::egui::{self, RichText};

use super::super::recent::FileToRead;
use super::{browse, places, style};
use crate::files::FilePath;
use crate::params::{List, Name, Optional, Param, Params, Reading, Value, Within, name_of};

/// Width of the names, logical pixels.
const NAME_WIDTH: f32 = 92.0;

/// Settings of a row that its parameter doesn't have, because they depend on the land or the use.
#[derive(Default)]
pub(super) struct Usual<'a> {
    /// The range of the slider; other accepted values can be typed.
    pub range: Option<RangeInclusive<f32>>,
    /// How a number is written.
    pub text: Option<&'a dyn Fn(f32) -> String>,
    /// The unit, if it isn't the parameter's own.
    pub unit: Option<&'a str>,
    /// Numbers that are offered instead of a slider, and how they are written.
    pub offered: Option<(&'a [u32], &'a dyn Fn(u32) -> String)>,
    /// What the system's dialog offers, where neither elevation is read nor a picture.
    pub file: Option<FileToRead>,
}

/// Returns the settings for each parameter.
type Usually<'a> = dyn Fn(&Param) -> Usual<'a> + 'a;

/// A row for every parameter of `params` whose name `wanted` accepts.
pub(super) fn show(ui: &mut egui::Ui, params: &mut dyn Params, wanted: impl Fn(&str) -> bool) {
    show_usual(ui, params, wanted, &|_| Usual::default());
}

/// As [`show`], with the settings of `usually`.
pub(super) fn show_usual(
    ui: &mut egui::Ui,
    params: &mut dyn Params,
    wanted: impl Fn(&str) -> bool,
    usually: &Usually,
) {
    let mut changed = Vec::new();
    params.visit(&mut |param, value| {
        if wanted(param.name) && row(ui, param, value, usually) {
            changed.push(param.name);
        }
    });
    changed.into_iter().for_each(|name| params.follow(name));
}

/// The description of the parameter called `name`.
pub(super) fn known(params: &dyn Params, name: &str) -> Param {
    let mut known = Param::new("");
    params.read(&mut |param, _| {
        if param.name == name {
            known = param.clone();
        }
    });
    known
}

/// Draws the row; returns whether the user has changed the value.
fn row(ui: &mut egui::Ui, param: &Param, value: Value<'_>, usually: &Usually) -> bool {
    match value {
        Value::Group(group) => {
            section(ui, &title(param), param.doc, param.name, |ui| {
                show_usual(ui, &mut Within { param, group }, |_| true, usually);
            });
            false
        }
        Value::List(list) => {
            section(ui, &title(param), param.doc, param.name, |ui| entries(ui, param, list, usually));
            false
        }
        Value::Optional(optional) => optional_row(ui, param, optional, usually),
        value => {
            let tip = tip(param, value.reading());
            named(ui, &title(param), &tip, |ui| leaf(ui, param, value, &usually(param)).changed())
        }
    }
}

fn title(param: &Param) -> String {
    param.name.replace('_', " ")
}

fn tip(param: &Param, value: Reading<'_>) -> String {
    format!("{}\nAccepts {}.", param.doc, param.accepted(value))
}

/// Rows under a collapsible title.
fn section(ui: &mut egui::Ui, title: &str, tip: &str, id: &str, content: impl FnOnce(&mut egui::Ui)) {
    egui::CollapsingHeader::new(title).id_salt(id).show(ui, content).header_response.on_hover_text(tip);
}

/// A checkbox, and the value's rows if it is on.
fn optional_row(ui: &mut egui::Ui, param: &Param, optional: &mut dyn Optional, usually: &Usually) -> bool {
    let param = &param.once_there();
    let mut tip_of_usual = String::new();
    optional.usual(&mut |value| tip_of_usual = tip(param, value));
    let mut is_there = optional.reading().is_some();
    let changed = named(ui, &title(param), &tip_of_usual, |ui| {
        let tick = ui.checkbox(&mut is_there, "").on_hover_text(param.doc);
        let mut changed = style::called(tick, &format!("{}: on", title(param))).changed();
        match (is_there, optional.value()) {
            (true, Some(Value::Group(_) | Value::List(_))) | (false, _) => {}
            (true, Some(value)) => changed |= leaf(ui, param, value, &usually(param)).changed(),
            (true, None) => {
                optional.insert();
            }
        }
        changed
    });
    if !is_there {
        optional.clear();
    } else if let Some(Value::Group(group)) = optional.value() {
        ui.indent(param.name, |ui| show_usual(ui, &mut Within { param, group }, |_| true, usually));
    }
    changed
}

/// The entries of a list, each collapsible and removable, and a button to add one.
fn entries(ui: &mut egui::Ui, param: &Param, list: &mut dyn List, usually: &Usually) {
    let mut removed = None;
    for index in 0..list.count() {
        let Some(entry) = list.item_mut(index) else { continue };
        let name = name_of(entry).unwrap_or_else(|| index.to_string());
        let doc = entry.doc();
        ui.push_id(index, |ui| {
            section(ui, &name, doc, "entry", |ui| {
                show_usual(ui, entry, |_| true, usually);
                if ui.small_button("✖  Remove").clicked() {
                    removed = Some(index);
                }
            });
        });
    }
    if let Some(index) = removed {
        list.remove(index);
    }
    let may_grow = (list.count() as f64) < *param.range.end();
    if ui.add_enabled(may_grow, egui::Button::new("Add").small()).on_hover_text("Append one").clicked() {
        list.add();
    }
}

/// The value of a row, called as the row is.
fn leaf(ui: &mut egui::Ui, param: &Param, value: Value<'_>, usual: &Usual) -> egui::Response {
    let name = title(param);
    let one = match value {
        // These are several controls, each with a name of its own.
        Value::Points(points) => return places::show(ui, param, points),
        Value::Colours(colours) => return colours_row(ui, param, colours),
        Value::Place(place) => return place_row(ui, param, place),
        // These have rows of their own.
        Value::Group(_) | Value::List(_) | Value::Optional(_) => {
            return ui.label(RichText::new("…").color(style::quiet(ui)));
        }
        Value::Float(value) => number(ui, value, param, usual),
        Value::Int(value) => match usual.offered {
            Some((offered, text)) => {
                let combo = egui::ComboBox::from_id_salt(param.name).selected_text(text(*value));
                let mut changed = false;
                let mut response = combo.show_ui(ui, |ui| {
                    for number in offered {
                        changed |= ui.selectable_value(value, *number, text(*number)).changed();
                    }
                });
                if changed {
                    response.response.mark_changed();
                }
                response.response
            }
            None => {
                let before = *value;
                let response = number(ui, value, param, usual);
                if *value != before {
                    *value = param.fitting(*value, before);
                }
                response
            }
        },
        Value::Byte(value) => number(ui, value, param, usual),
        Value::Short(value) => number(ui, value, param, usual),
        Value::Flag(value) => ui.checkbox(value, ""),
        Value::Choice(choice) => {
            let (before, mut index) = (choice.index(), choice.index());
            let combo = egui::ComboBox::from_id_salt(param.name).selected_text(choice.names()[index]);
            let mut response = combo.show_ui(ui, |ui| {
                for (number, (name, doc)) in choice.names().iter().zip(choice.docs()).enumerate() {
                    ui.selectable_value(&mut index, number, *name).on_hover_text(*doc);
                }
            });
            choice.set_index(index);
            if index != before {
                response.response.mark_changed();
            }
            response.response
        }
        Value::File(file) => return file_row(ui, param, file, usual),
        Value::Name(name) => {
            let mut text = name.as_str().to_owned();
            let response = ui.text_edit_singleline(&mut text);
            // Invalid names while typing are not applied.
            if response.changed()
                && let Ok(changed) = Name::new(text)
            {
                *name = changed;
            }
            response
        }
        Value::Text(text) => ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY)),
        Value::Colour(colour) => {
            let mut levels = colour.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
            let response = ui.color_edit_button_srgb(&mut levels);
            if response.changed() {
                *colour = levels.map(|level| f32::from(level) / 255.0);
            }
            response
        }
    };
    style::called(one, &name)
}

/// A path, and a button that opens the system's dialog.
fn file_row(ui: &mut egui::Ui, param: &Param, file: &mut FilePath, usual: &Usual) -> egui::Response {
    let mut text = file.text().to_owned();
    let wanted = usual.file.unwrap_or(match param.name.contains("image") {
        true => FileToRead::Picture,
        false => FileToRead::Elevation,
    });
    let (mut response, chosen) = browse::field(ui, (&title(param), ""), &mut text, wanted);
    if response.changed() {
        file.set(text);
    }
    if let Some(browse::Chosen { text, folder }) = chosen {
        file.set(text);
        file.set_folder(&folder);
        response.mark_changed();
    }
    response
}

/// The three numbers of a place.
fn place_row(ui: &mut egui::Ui, param: &Param, place: &mut (f32, f32, f32)) -> egui::Response {
    let range = *param.range.start() as f32..=*param.range.end() as f32;
    let row = ui.horizontal(|ui| {
        let numbers = [("x", &mut place.0), ("y", &mut place.1), ("z", &mut place.2)];
        let drags = numbers.map(|(axis, number)| {
            let drag = egui::DragValue::new(number).range(range.clone()).max_decimals(1);
            let drag = ui.add(drag).on_hover_text(format!("{axis}: {}", param.doc));
            style::called(drag, &format!("{} {axis}", title(param)))
        });
        drags.iter().any(egui::Response::changed)
    });
    let mut response = row.response;
    if row.inner {
        response.mark_changed();
    }
    response
}

/// A button for each colour of a list, one to add a colour, and one to remove the last.
fn colours_row(ui: &mut egui::Ui, param: &Param, colours: &mut Vec<[u8; 3]>) -> egui::Response {
    let row = ui.horizontal_wrapped(|ui| {
        let mut changed = false;
        for (number, colour) in colours.iter_mut().enumerate() {
            let well = ui.color_edit_button_srgb(colour);
            changed |= style::called(well, &format!("{} {}", title(param), number + 1)).changed();
        }
        let may_grow = (colours.len() as f64) < *param.range.end();
        let add = ui.add_enabled(may_grow, egui::Button::new("➕").small());
        if style::sign(add, "Another colour").clicked() {
            colours.push([128; 3]);
            changed = true;
        }
        if !colours.is_empty() && style::sign(ui.small_button("✖"), "Remove the last one").clicked() {
            colours.pop();
            changed = true;
        }
        changed
    });
    let mut response = row.response;
    if row.inner {
        response.mark_changed();
    }
    response
}

/// A row with a name and what `content` puts beside it, which names its controls itself.
pub(super) fn named<R>(
    ui: &mut egui::Ui,
    name: &str,
    tip: &str,
    content: impl FnOnce(&mut egui::Ui) -> R,
) -> R {
    ui.horizontal(|ui| {
        let size = egui::vec2(NAME_WIDTH, ui.spacing().interact_size.y);
        let label = egui::Label::new(name).selectable(false).truncate().sense(egui::Sense::hover());
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_width(NAME_WIDTH);
            ui.add(label).on_hover_text(tip);
        });
        content(ui)
    })
    .inner
}

/// A slider over the usual range, or over the accepted one.
fn number<Number: egui::emath::Numeric>(
    ui: &mut egui::Ui,
    value: &mut Number,
    param: &Param,
    usual: &Usual,
) -> egui::Response {
    let accepted = param.range.clone();
    let along = match &usual.range {
        Some(range) => f64::from(*range.start())..=f64::from(*range.end()),
        None => accepted.clone(),
    };
    let along = Number::from_f64(*along.start())..=Number::from_f64(*along.end());
    // Not `Always`, which would round values that the user hasn't touched.
    let clamping =
        if usual.range.is_some() { egui::SliderClamping::Never } else { egui::SliderClamping::Edits };
    let mut slider = egui::Slider::new(value, along).logarithmic(param.logarithmic).clamping(clamping);
    slider = if Number::INTEGRAL { slider.fixed_decimals(0) } else { slider.max_decimals(3) };
    slider = match usual.text {
        Some(text) => {
            slider.custom_formatter(move |value, _| text(value as f32)).custom_parser(written_number)
        }
        None => match usual.unit.unwrap_or(param.unit) {
            "" => slider,
            unit => slider.suffix(format!(" {unit}")),
        },
    };
    let response = ui.add(slider).on_hover_text(param.doc);
    if response.changed() {
        let clamped = value.to_f64().clamp(*accepted.start(), *accepted.end());
        *value = Number::from_f64(clamped);
    }
    response
}

/// Parses a number as people write it, with or without its unit.
pub(super) fn written_number(text: &str) -> Option<f64> {
    let number = text.trim().replace('−', "-").replace(',', ".");
    let end = number.find(|letter: char| !letter.is_ascii_digit() && !"+-.".contains(letter));
    let (number, unit) = number.split_at(end.unwrap_or(number.len()));
    let is_unit = unit.trim().chars().all(|letter| letter.is_alphabetic() || letter == '°');
    number.parse().ok().filter(|number: &f64| is_unit && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Recipe, View};
    use crate::sky::sun::Sun;
    use crate::texture::{Light, Texture};

    #[test]
    fn numbers_are_read_with_or_without_their_unit() {
        for (text, number) in
            [("12", 12.0), (" 12.5 m ", 12.5), ("−3°", -3.0), ("0,25", 0.25), ("0.25 summer", 0.25)]
        {
            assert_eq!(written_number(text), Some(number), "{text}");
        }
        for text in ["", "m", "twelve", "NaN", "inf", "1 2"] {
            assert_eq!(written_number(text), None, "{text}");
        }
    }

    /// Draws all rows of something twice.
    fn draw(params: &mut dyn Params) {
        let context = egui::Context::default();
        for _ in 0..2 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 4000.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            let mut output = context.run_ui(input, |ui| show(ui, params, |_| true));
            output.textures_delta.clear();
        }
    }

    #[test]
    fn rows_that_nobody_touches_change_nothing() {
        let mut recipe = Recipe::new("Rows", (3, 3), 1.0);
        recipe.view = Some(View { from: (1.25, 2e9, -3.0), look: (0.0, 0.1, 0.0) });
        let mut texture =
            Texture { light: Some(Light { strength: 12.3456, ..Light::default() }), ..Texture::temperate() };
        texture.types[0].roughen = 0.003_456;
        let before = (recipe.view, texture.clone(), Sun::default());
        let (mut view, mut sun) = (before.0.unwrap(), before.2);
        for params in [&mut view as &mut dyn Params, &mut texture, &mut sun] {
            draw(params);
        }
        assert_eq!((Some(view), texture, sun), before);
    }
}
