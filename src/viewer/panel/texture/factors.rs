//! The limits of a terrain type beyond height and slope.

use bevy_egui::egui::{self, RichText};

use super::land_info::LandInfo;
use super::limits::{Axis, limit};
use super::picture;
use crate::analysis::factors;
use crate::params::{Optional, Param, Params, Reading, Value, Within};
use crate::texture::{Factors, Limits};
use crate::viewer::panel::controls::parameters;
use crate::viewer::panel::controls::style::{self, Tip as _};

/// The parameters of limits.
const LIMITS: [&str; 3] = ["min", "max", "release"];

/// The initial limits of a picture's brightness.
const OF_A_PICTURE: Limits = Limits::new(0.5, 1.0, 0.5);

/// Draws the present limits, and a menu of others to add.
pub(super) fn show(ui: &mut egui::Ui, factors: &mut Factors, land: &LandInfo) {
    // The key under which egui remembers factors whose picture has not been named yet.
    let wanted = ui.make_persistent_id("pictures wanted");
    factors.visit(&mut |param, value| {
        if let Value::Optional(factor) = value {
            one(ui, param, factor, land, wanted.with(param.name));
        }
    });
    add(ui, factors, wanted);
}

/// The limits of one factor, if present, or the row for its picture.
fn one(ui: &mut egui::Ui, param: &Param, factor: &mut dyn Optional, land: &LandInfo, wanted: egui::Id) {
    let Some(Value::Group(group)) = factor.value() else {
        if ui.data(|data| data.get_temp(wanted)).unwrap_or(false)
            && let Some(path) = picture::row(ui, &param.name.replace('_', " "), "", land)
            && let Value::Group(group) = factor.insert()
        {
            name_file(group, &path, land);
            set_limits(group, OF_A_PICTURE);
            ui.data_mut(|data| data.remove::<bool>(wanted));
        }
        return;
    };
    let mut group = Within { param, group };
    let (low, high) = (*param.range.start() as f32, *param.range.end() as f32);
    let axis = Axis { range: (low, high), any: Limits::new(low, high, 0.0), land: None, text: &text };
    let mut limits = limits_in(&group);
    let kept = title(ui, &param.name.replace('_', " "), &note(param.name, limits), param.doc);
    if let Some(path) = file_of(&group)
        && let Some(path) = picture::row(ui, "picture", &path, land)
    {
        name_file(&mut group, &path, land);
    }
    let is_shown = |name: &str| LIMITS.contains(&name) || name == "file";
    parameters::show(ui, &mut group, |name| !is_shown(name));
    limit(ui, param.name, &mut limits, &axis);
    set_limits(&mut group, limits);
    if !kept {
        factor.clear();
    }
}

/// The limits among some parameters.
fn limits_in(params: &dyn Params) -> Limits {
    let mut limits = Limits::default();
    params.read(&mut |param, value| match (param.name, value) {
        ("min", Reading::Float(value)) => limits.min = value,
        ("max", Reading::Float(value)) => limits.max = value,
        ("release", Reading::Float(value)) => limits.release = value,
        _ => {}
    });
    limits
}

fn set_limits(params: &mut dyn Params, limits: Limits) {
    params.visit(&mut |param, value| match (param.name, value) {
        ("min", Value::Float(value)) => *value = limits.min,
        ("max", Value::Float(value)) => *value = limits.max,
        ("release", Value::Float(value)) => *value = limits.release,
        _ => {}
    });
}

/// The file among some parameters, if there is one to name.
fn file_of(params: &dyn Params) -> Option<String> {
    let mut path = None;
    params.read(&mut |_, value| {
        if let Reading::File(file) = value {
            path = Some(file.text().to_owned());
        }
    });
    path
}

fn name_file(params: &mut dyn Params, path: &str, land: &LandInfo) {
    params.visit(&mut |_, value| {
        if let Value::File(file) = value {
            file.set(path);
            file.set_folder(land.folder);
        }
    });
}

fn add(ui: &mut egui::Ui, factors: &mut Factors, wanted: egui::Id) {
    let tip = "Limit it by other factors: water, the ground's shape, shade, climate, a picture";
    let menu = ui.menu_button("Add limit", |ui| {
        factors.visit(&mut |param, value| {
            let Value::Optional(factor) = value else { return };
            let button = egui::Button::new(param.name.replace('_', " "));
            let button = ui.add_enabled(factor.reading().is_none(), button).tip(param.doc);
            if button.clicked() {
                let mut needs_file = false;
                factor.usual(&mut |usual| {
                    needs_file = matches!(usual, Reading::Group(group) if file_of(group).is_some());
                });
                if needs_file {
                    ui.data_mut(|data| data.insert_temp(wanted.with(param.name), true));
                } else {
                    factor.insert();
                }
            }
        });
    });
    menu.response.tip(tip);
}

/// The line above a slider; returns `false` to remove the limit.
fn title(ui: &mut egui::Ui, name: &str, note: &str, tip: &str) -> bool {
    let mut kept = true;
    ui.horizontal(|ui| {
        ui.add(egui::Label::new(name).selectable(false).sense(egui::Sense::hover())).tip(tip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let button = egui::Button::new(RichText::new("✖").color(style::quiet(ui))).frame(false);
            kept = !style::sign(ui.add(button), "Remove this limit").clicked();
            ui.label(RichText::new(note).color(style::quiet(ui)));
        });
    });
    kept
}

/// The limits in a more meaningful unit than 0 to 1, if there is one.
fn note(factor: &str, Limits { min, max, .. }: Limits) -> String {
    let scale = factors::find(factor).and_then(|factor| factor.scale);
    scale.map_or_else(String::new, |scale| scale.describe(min, max))
}

fn text(value: f32) -> String {
    let text = format!("{value:.2}");
    if text.ends_with(".00") { text[..text.len() - 3].to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::FREEZING;

    #[test]
    fn limits_are_read_and_set_by_their_names() {
        let mut own = Factors::default();
        let limits = Limits::new(0.25, 0.5, 0.125);
        own.visit(&mut |_, value| {
            let Value::Optional(factor) = value else { panic!("factors are there or not") };
            let Value::Group(group) = factor.insert() else { panic!("factors are limits") };
            assert_eq!(limits_in(group), Limits::new(0.0, 1.0, 0.0));
            set_limits(group, limits);
        });
        let expected: Vec<_> = factors::all().into_iter().map(|factor| (factor, limits)).collect();
        assert_eq!(own.used().collect::<Vec<_>>(), expected);
        assert_eq!(own.mask.as_ref().map(|mask| mask.limits), Some(limits));
        assert_eq!(own.mask.and_then(|mask| file_of(&mask)), Some(String::new()));
    }

    #[test]
    fn notes_say_what_shares_mean() {
        let limits = Limits::new(FREEZING, 1.0, 0.0);
        assert_eq!(note("temperature", limits), "0 to 20 °C");
        assert_eq!(note("water_nearness", limits), "0 to 500 m away");
        assert_eq!([text(0.0), text(0.25), text(1.0)], ["0", "0.25", "1"]);
    }
}
