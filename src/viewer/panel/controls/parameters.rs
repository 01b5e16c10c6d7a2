//! Rows for parameters, generated from their declarations.

use std::cell::Cell;
use std::ops::RangeInclusive;

use bevy_egui::egui::{self, RichText};

use super::style::{self, Tip as _};
use super::{browse, places};
use crate::files::FilePath;
use crate::params::{List, Name, Optional, Param, Params, RangeEnd, Reading, Value, Within, name_of};
use crate::shown::shown_in_line;
use crate::viewer::files::recent::FileToRead;

/// Minimum width of names, and the width of a slider's number, logical pixels for text of the usual size.
const NAME_WIDTH: f32 = 92.0;
const NUMBER_WIDTH: f32 = 82.0;

/// Settings of a row that its parameter doesn't have, because they depend on the land or on the use.
#[derive(Default)]
pub(crate) struct Usual<'a> {
    /// The range of the slider; other accepted values can be typed.
    pub range: Option<RangeInclusive<f32>>,
    /// How a number is written.
    pub text: Option<&'a dyn Fn(f32) -> String>,
    /// A parser for numbers in a special notation.
    pub parse: Option<&'a dyn Fn(&str) -> Option<f64>>,
    /// The unit, if it isn't the parameter's own.
    pub unit: Option<&'a str>,
    /// Numbers to choose from instead of a slider, and how they are written.
    pub offered: Option<(&'a [u32], &'a dyn Fn(u32) -> String)>,
    /// The kind of file for the system's dialog, if it is neither elevation nor a picture.
    pub file: Option<FileToRead>,
    /// Texts and names to choose from, instead of a text field.
    pub names: Option<Names<'a>>,
}

/// Names to choose from, for a text or the name of something.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    /// All of them.
    pub all: &'a [String],
    /// The message if there are none.
    pub none: &'a str,
    /// Whether others can be typed.
    pub open: bool,
}

/// Returns the settings for each parameter.
type Usually<'a> = dyn Fn(&Param) -> Usual<'a> + 'a;

/// A row for every parameter of `params` whose name `wanted` accepts.
pub(crate) fn show(ui: &mut egui::Ui, params: &mut dyn Params, wanted: impl Fn(&str) -> bool) {
    show_usual(ui, params, wanted, &|_| Usual::default());
}

/// Like [`show`], with the settings of `usually`.
pub(crate) fn show_usual(
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
pub(crate) fn known(params: &dyn Params, name: &str) -> Param {
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
    egui::CollapsingHeader::new(title).id_salt(id).show(ui, content).header_response.tip(tip);
}

/// A checkbox, and the value's rows if it is on.
fn optional_row(ui: &mut egui::Ui, param: &Param, optional: &mut dyn Optional, usually: &Usually) -> bool {
    let param = &param.once_there();
    let mut tip_of_usual = String::new();
    optional.usual(&mut |value| tip_of_usual = tip(param, value));
    let mut is_there = optional.reading().is_some();
    let changed = named(ui, &title(param), &tip_of_usual, |ui| {
        let tick = ui.checkbox(&mut is_there, "").tip(param.doc);
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
            let of_list = |of: &Param| {
                let names = if of.name == "name" { list_names(param, usually) } else { None };
                Usual { names, ..usually(of) }
            };
            section(ui, &name, doc, "entry", |ui| {
                show_usual(ui, entry, |_| true, &of_list);
                if ui.small_button("✖  Remove").clicked() {
                    removed = Some(index);
                }
            });
        });
    }
    if let Some(index) = removed {
        list.remove(index);
    }
    let names = list_names(param, usually);
    let lacking = names.filter(|names| names.all.is_empty() && !names.open).map(|names| names.none);
    let may_grow = (list.count() as f64) < *param.range.end();
    let add = ui.add_enabled(may_grow && lacking.is_none(), egui::Button::new("Add").small());
    let full = format!("There can be at most {}; remove one first", param.range.end());
    let add = add.on_disabled_hover_text(lacking.map_or(full, str::to_owned));
    if add.tip("Add one at the end of the list").clicked() {
        list.add();
        if let Some(entry) = list.count().checked_sub(1).and_then(|last| list.item_mut(last)) {
            name_first(entry, names);
        }
    }
}

/// The names to choose from for entries of a list, if there are any.
fn list_names<'a>(list: &Param, usually: &Usually<'a>) -> Option<Names<'a>> {
    usually(list).names
}

/// Gives an entry that has just been added the first of the names to choose from.
fn name_first(entry: &mut dyn Params, names: Option<Names>) {
    let Some(first) = names.and_then(|names| names.all.first()) else { return };
    entry.visit(&mut |param, value| match value {
        Value::Text(text) if param.name == "name" => first.clone_into(text),
        Value::Name(name) if param.name == "name" => *name = Name::new(first.clone()).unwrap_or_default(),
        _ => {}
    });
}

/// The control for the value of a row, with the same name as the row.
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
        Value::Float(value) => match param.no_limit().filter(|none| *none != 0.0 && none.is_finite()) {
            Some(none) => limit(ui, value, none as f32, param, usual),
            None => number(ui, value, param, usual),
        },
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
        // All whole numbers are accepted, more than a slider has room for.
        Value::Seed(value) => ui.add(egui::DragValue::new(value).speed(1.0)),
        Value::Size(size) => return size_row(ui, param, size),
        Value::Flag(value) => ui.checkbox(value, ""),
        Value::Choice(choice) => {
            let (before, mut index) = (choice.index(), choice.index());
            let combo = egui::ComboBox::from_id_salt(param.name).selected_text(choice.names()[index]);
            let mut response = combo.show_ui(ui, |ui| {
                for (number, (name, doc)) in choice.names().iter().zip(choice.docs()).enumerate() {
                    ui.selectable_value(&mut index, number, *name).tip(*doc);
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
            let response = text_row(ui, param, &mut text, usual.names);
            // Invalid names while typing are not applied.
            if response.changed()
                && let Ok(changed) = Name::new(text)
            {
                *name = changed;
            }
            response
        }
        Value::Text(text) => text_row(ui, param, text, usual.names),
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

/// A field for a text, or a list of names to choose from.
fn text_row(ui: &mut egui::Ui, param: &Param, text: &mut String, names: Option<Names>) -> egui::Response {
    match names {
        Some(names) if !names.all.is_empty() => names_row(ui, param.name, text, names),
        Some(names) if !names.open => ui.label(RichText::new(names.none).color(style::quiet(ui))),
        _ => ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY)),
    }
}

/// A list of names to choose from, with a field for other names if these are allowed.
pub(crate) fn names_row(ui: &mut egui::Ui, id: &str, text: &mut String, names: Names) -> egui::Response {
    let before = text.clone();
    let is_own = ui.make_persistent_id((id, "own name"));
    let mut is_typed =
        names.open && ui.data(|data| data.get_temp(is_own)).unwrap_or(!names.all.contains(text));
    let selected = match (is_typed, text.is_empty()) {
        (true, _) => OTHER_NAME.to_owned(),
        (false, true) => "choose …".to_owned(),
        (false, false) => shown_in_line(text, MOST_LETTERS),
    };
    let combo = egui::ComboBox::from_id_salt(id).selected_text(selected);
    let mut response = combo
        .show_ui(ui, |ui| {
            for name in names.all {
                let is_chosen = !is_typed && name == text;
                if ui.selectable_label(is_chosen, shown_in_line(name, MOST_LETTERS)).clicked() {
                    name.clone_into(text);
                    is_typed = false;
                }
            }
            if names.open && ui.selectable_label(is_typed, OTHER_NAME).clicked() {
                is_typed = true;
            }
        })
        .response;
    ui.data_mut(|data| data.insert_temp(is_own, is_typed));
    if is_typed {
        let field = egui::TextEdit::singleline(text).desired_width(f32::INFINITY);
        style::called(ui.add(field), "another name");
    }
    if *text != before {
        response.mark_changed();
    }
    response
}

/// The entry in a list of names for a name that is not in it.
const OTHER_NAME: &str = "another name …";

/// The maximum number of letters of a name in a list.
const MOST_LETTERS: usize = 40;

/// A path, and a button that opens the system's file dialog.
fn file_row(ui: &mut egui::Ui, param: &Param, file: &mut FilePath, usual: &Usual) -> egui::Response {
    let mut text = file.text().to_owned();
    let wanted = usual.file.unwrap_or(if param.name.contains("image") {
        FileToRead::Picture
    } else {
        FileToRead::Elevation
    });
    let (mut response, chosen) = browse::field(ui, (&title(param), ""), &mut text, wanted);
    if response.changed() {
        file.set(text);
    }
    if let Some(browse::ChosenFile { text, folder }) = chosen {
        file.set(text);
        file.set_folder(&folder);
        response.mark_changed();
    }
    response
}

/// The three coordinates of a position.
fn place_row(ui: &mut egui::Ui, param: &Param, place: &mut (f32, f32, f32)) -> egui::Response {
    let range = *param.range.start() as f32..=*param.range.end() as f32;
    let row = ui.horizontal(|ui| {
        let numbers = [("x", &mut place.0), ("y", &mut place.1), ("z", &mut place.2)];
        let drags = numbers.map(|(axis, number)| {
            let drag = egui::DragValue::new(number).range(range.clone()).max_decimals(1);
            let drag = ui.add(drag).tip(format!("{axis}: {}", param.doc));
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

/// The two numbers of samples of a size.
fn size_row(ui: &mut egui::Ui, param: &Param, size: &mut (u32, u32)) -> egui::Response {
    let range = *param.range.start() as u32..=*param.range.end() as u32;
    let row = ui.horizontal(|ui| {
        let drags = [("columns", &mut size.0), ("rows", &mut size.1)].map(|(side, number)| {
            let drag = ui.add(egui::DragValue::new(number).range(range.clone()));
            style::called(drag.tip(format!("{side}: {}", param.doc)), &format!("{} {side}", title(param)))
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
        if style::sign(add, "Add a colour").clicked() {
            colours.push([128; 3]);
            changed = true;
        }
        if !colours.is_empty() && style::sign(ui.small_button("✖"), "Remove the last colour").clicked() {
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

/// A row with a name, and next to it `content`, which names its controls itself.
pub(crate) fn named<R>(
    ui: &mut egui::Ui,
    name: &str,
    tip: &str,
    content: impl FnOnce(&mut egui::Ui) -> R,
) -> R {
    ui.horizontal(|ui| {
        let whole = ui.available_width();
        let width = name_width(ui, name, whole);
        let size = egui::vec2(width, ui.spacing().interact_size.y);
        let label = egui::Label::new(name).selectable(false).truncate().sense(egui::Sense::hover());
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_width(width);
            ui.add(label).tip(tip);
        });
        // A slider takes the width left by its name and its number.
        let left = whole - width - ui.spacing().item_spacing.x - style::points(ui, NUMBER_WIDTH);
        ui.spacing_mut().slider_width = left.clamp(style::points(ui, 60.0), style::points(ui, 240.0));
        content(ui)
    })
    .inner
}

/// The width of the name of a row: the same for all names, except longer ones.
fn name_width(ui: &egui::Ui, name: &str, whole: f32) -> f32 {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let text = ui.painter().layout_no_wrap(name.to_owned(), font, egui::Color32::WHITE);
    let usual = style::points(ui, NAME_WIDTH).min(0.5 * whole);
    text.size().x.ceil().clamp(usual, usual.max(0.5 * whole))
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
    // Not `Always`, which would change values that the user hasn't touched.
    let clamping =
        if usual.range.is_some() { egui::SliderClamping::Never } else { egui::SliderClamping::Edits };
    let asked = Cell::new(None);
    let parse = |text: &str| {
        asked.set(usual.parse.unwrap_or(&typed_number)(text));
        asked.get()
    };
    let mut slider = egui::Slider::new(value, along).logarithmic(param.logarithmic).clamping(clamping);
    // Otherwise the first digit typed would be taken as the whole number.
    slider = slider.update_while_editing(false);
    slider = if Number::INTEGRAL { slider.fixed_decimals(0) } else { slider.max_decimals(3) };
    slider = match usual.text {
        Some(text) => slider.custom_formatter(move |value, _| text(value as f32)),
        None => match usual.unit.unwrap_or(param.unit) {
            "" => slider,
            unit => slider.suffix(format!(" {unit}")),
        },
    };
    let response = ui.add(slider.custom_parser(parse)).tip(param.doc);
    if response.changed() {
        let clamped = value.to_f64().clamp(*accepted.start(), *accepted.end());
        *value = Number::from_f64(clamped);
    }
    refuse(ui, param, asked.get(), value.to_f64());
    response
}

/// A limit that has no effect at the value `none`, at which it shows that word. A drag from there starts at
/// an end of the usual range.
fn limit(ui: &mut egui::Ui, value: &mut f32, none: f32, param: &Param, usual: &Usual) -> egui::Response {
    let accepted = *param.range.start() as f32..=*param.range.end() as f32;
    let is_none = *value == none;
    let land = usual.range.clone().unwrap_or(0.0..=400.0);
    let start = match param.unlimited {
        Some(RangeEnd::Above) => *land.end(),
        _ => *land.start(),
    };
    let mut now = if is_none { start.clamp(*accepted.start(), *accepted.end()) } else { *value };
    let shown = now;
    let unit = usual.unit.unwrap_or(param.unit).to_owned();
    let written = move |value: f32| match (value == none || is_none && value == shown, &*unit) {
        (true, _) => NO_LIMIT.to_owned(),
        (false, "") => written_briefly(value),
        (false, unit) => format!("{} {unit}", written_briefly(value)),
    };
    let asked = Cell::new(None);
    let parse = |text: &str| {
        let word = text.trim().to_lowercase();
        let number = match &*word {
            "" | NO_LIMIT | "any" | "no limit" => Some(f64::from(none)),
            _ => typed_number(text),
        };
        asked.set(number);
        number
    };
    let drag = egui::DragValue::new(&mut now)
        .range(accepted.clone())
        .speed((land.end() - land.start()).abs() / 400.0)
        .update_while_editing(false)
        .custom_formatter(move |value, _| written(value as f32))
        .custom_parser(parse);
    let tip = format!("{}\nDrag, or click and type; “{NO_LIMIT}” for no limit", param.doc);
    let mut response = ui.add(drag).tip(tip);
    let before = *value;
    match asked.get() {
        Some(typed) => {
            *value = (typed as f32).clamp(*accepted.start(), *accepted.end());
            refuse(ui, param, Some(typed), f64::from(*value));
        }
        // While there is no limit, the value of the field is only the start for a drag.
        None if response.changed() && !(is_none && now == shown) => *value = now,
        None => {}
    }
    let clear = format!("No limit for {}", title(param));
    if *value != none && style::sign(ui.small_button("✖"), &clear).clicked() {
        *value = none;
    }
    if *value != before {
        response.mark_changed();
    }
    response
}

/// The word for a limit without effect.
const NO_LIMIT: &str = "none";

/// A number with at most three decimals.
fn written_briefly(number: f32) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

/// The key of the reason why a typed number was not accepted unchanged.
fn place_of_refusal() -> egui::Id {
    egui::Id::new("refused number")
}

/// Keeps the reason why a typed number was not accepted unchanged; `taken` was used instead.
pub(crate) fn refuse(ui: &egui::Ui, param: &Param, typed: Option<f64>, taken: f64) {
    let Some(typed) = typed.filter(|typed| !param.range.contains(typed)) else { return };
    let [typed, taken] = [typed, taken].map(|number| written_briefly(number as f32));
    let accepted = param.accepted(Reading::Float(0.0));
    let text = format!("{} accepts {accepted}, so {typed} became {taken}", title(param));
    ui.data_mut(|data| data.insert_temp(place_of_refusal(), text));
}

/// The reason why a typed number was not accepted unchanged, if that happened since the last call.
pub(crate) fn refused(context: &egui::Context) -> Option<String> {
    context.data_mut(|data| data.remove_temp(place_of_refusal()))
}

/// Like [`written_number`], but also accepts an exponent.
fn typed_number(text: &str) -> Option<f64> {
    written_number(text).or_else(|| text.trim().parse().ok().filter(|number: &f64| number.is_finite()))
}

/// Parses a number as people write it, with or without its unit.
pub(crate) fn written_number(text: &str) -> Option<f64> {
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
    use crate::steps::filter::{Hole, Road};
    use crate::steps::water::{River, RiverCourse};
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

    /// The names and values of the controls after drawing rows.
    fn values(params: &mut dyn Params) -> Vec<(String, String)> {
        let context = egui::Context::default();
        context.enable_accesskit();
        let mut output = egui::FullOutput::default();
        for _ in 0..2 {
            let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 4000.0));
            let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
            output = context.run_ui(input, |ui| show(ui, params, |_| true));
            output.textures_delta.clear();
        }
        let nodes = output.platform_output.accesskit_update.expect("it is on").nodes;
        let shown = |node: &egui::accesskit::Node| {
            Some((node.label()?.to_owned(), node.value().unwrap_or_default().to_owned()))
        };
        nodes.iter().filter_map(|(_, node)| shown(node)).collect()
    }

    #[test]
    fn limits_without_effect_are_shown_as_none() {
        let shown = |params: &mut dyn Params, name: &str| {
            let values = values(params);
            let found = values.iter().find(|(other, _)| other == name).cloned();
            found.unwrap_or_else(|| panic!("{name} in {values:?}")).1
        };
        let mut road = Road::default();
        assert_eq!(shown(&mut road, "lowest"), "none");
        assert_eq!(road, Road::default(), "it was not touched");
        road.lowest = 12.5;
        assert_eq!(shown(&mut road, "lowest"), "12.5 m");
        // A height of 0 is a limit, and so is the smallest slope.
        road.lowest = 0.0;
        assert_eq!(shown(&mut road, "lowest"), "0 m");
        let mut hole = Hole::default();
        assert_eq!(["bottom", "top"].map(|name| shown(&mut hole, name)), ["none", "none"]);
        let mut river = River { course: RiverCourse::Valleys, sea: -12_000.0, ..River::default() };
        assert_eq!(shown(&mut river, "sea"), "none");
    }

    #[test]
    fn no_parameter_shows_a_huge_number_for_no_limit() {
        // Tests every step; rules and masks show limits of the same kind.
        for step in crate::steps::names().into_iter().filter_map(crate::recipe::Step::from_name) {
            step.read(&mut |param, value| {
                if let Reading::Float(value) = value {
                    let is_huge = value.abs() >= 10_000.0 && param.unit == "m";
                    assert!(
                        !is_huge || param.no_limit() == Some(f64::from(value)),
                        "{} {}",
                        step.name(),
                        param.name
                    );
                }
            });
        }
    }

    #[test]
    fn a_typed_number_that_was_changed_is_reported() {
        let context = egui::Context::default();
        let param = known(&Sun::default(), "elevation");
        let reported = |typed: f64, taken: f64| {
            let mut output =
                context.run_ui(egui::RawInput::default(), |ui| refuse(ui, &param, Some(typed), taken));
            output.textures_delta.clear();
            refused(&context)
        };
        assert_eq!(reported(12.0, 12.0), None);
        let text = reported(-118.0, -90.0).unwrap();
        assert!(text.starts_with("elevation accepts") && text.ends_with("so −118 became −90"), "{text}");
        assert_eq!(refused(&context), None, "it is reported once");
    }

    #[test]
    fn untouched_rows_change_nothing() {
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
