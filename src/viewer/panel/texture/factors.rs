//! What else than height and slope decides where a terrain type lies.

use bevy_egui::egui::{self, RichText};

use super::super::style;
use super::limits::Axis;
use super::terrain_type::limit;
use super::{Land, picture};
use crate::files::FilePath;
use crate::texture::{Factor, Factors, Limits, MaskLimits, WATER_NEARNESS_REACH};

/// Limits of a factor that limit nothing.
const ANY: Limits = Limits::new(0.0, 1.0, 0.0);

/// Draws the limits that there are, and a menu of those that could be.
pub(super) fn show(ui: &mut egui::Ui, factors: &mut Factors, land: &Land) {
    let axis = Axis { range: (0.0, 1.0), any: ANY, land: None, text: &text };
    for factor in Factor::ALL {
        let slot = limits_of(factors, factor);
        let Some(limits) = slot else { continue };
        let (name, tip) = described(factor);
        let kept = title(ui, name, &note(factor, *limits), tip);
        limit(ui, factor.name(), limits, &axis);
        if !kept {
            *slot = None;
        }
    }
    mask(ui, factors, &axis, land);
    add(ui, factors);
}

fn mask(ui: &mut egui::Ui, factors: &mut Factors, axis: &Axis, land: &Land) {
    let wanted_id = ui.make_persistent_id("mask wanted");
    let wanted = ui.data(|data| data.get_temp(wanted_id)).unwrap_or(false);
    let Some(mask) = &mut factors.mask else {
        if wanted && let Some(path) = picture::row(ui, "mask", "", land) {
            factors.mask = Some(MaskLimits::new(file(path, land), Limits::new(0.5, 1.0, 0.5)));
            ui.data_mut(|data| data.remove::<bool>(wanted_id));
        }
        return;
    };
    let kept = title(ui, "mask", "", "Brightness of a picture over the whole land, 0 black to 1 white.");
    if let Some(path) = picture::row(ui, "picture", mask.picture.file.text(), land) {
        mask.picture.file = file(path, land);
    }
    limit(ui, "mask", &mut mask.limits, axis);
    if !kept {
        factors.mask = None;
    }
}

fn file(path: String, land: &Land) -> FilePath {
    let mut file = FilePath::new(path);
    file.set_folder(land.folder);
    file
}

fn add(ui: &mut egui::Ui, factors: &mut Factors) {
    let wanted_id = ui.make_persistent_id("mask wanted");
    let tip = "Ask for more than height and slope: water, the ground's shape, shade, climate, a picture";
    let menu = ui.menu_button("Add limit", |ui| {
        for factor in Factor::ALL {
            let slot = limits_of(factors, factor);
            let (name, tip) = described(factor);
            let button = ui.add_enabled(slot.is_none(), egui::Button::new(name)).on_hover_text(tip);
            if button.clicked() {
                *slot = Some(ANY);
            }
        }
        let mask = ui.add_enabled(factors.mask.is_none(), egui::Button::new("mask"));
        if mask.on_hover_text("A picture of yours, where it is bright or dark enough").clicked() {
            ui.data_mut(|data| data.insert_temp(wanted_id, true));
        }
    });
    menu.response.on_hover_text(tip);
}

/// The line above a slider; `false` once it is to go.
fn title(ui: &mut egui::Ui, name: &str, note: &str, tip: &str) -> bool {
    let mut kept = true;
    ui.horizontal(|ui| {
        ui.add(egui::Label::new(name).selectable(false).sense(egui::Sense::hover())).on_hover_text(tip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let button = egui::Button::new(RichText::new("✖").color(style::QUIET)).frame(false);
            kept = !ui.add(button).on_hover_text("Take this limit off").clicked();
            ui.label(RichText::new(note).color(style::QUIET));
        });
    });
    kept
}

/// Limits in units that say more than from 0 to 1, where there are such.
fn note(factor: Factor, Limits { min, max, .. }: Limits) -> String {
    match factor {
        Factor::Temperature => {
            let celsius = |value: f32| format!("{:.0} °C", 40.0 * value - 20.0).replace('-', "−");
            format!("{} to {}", celsius(min), celsius(max))
        }
        Factor::WaterNearness => {
            let metres = |value: f32| WATER_NEARNESS_REACH * (1.0 - value);
            format!("{:.0} m to {:.0} m away", metres(max), metres(min))
        }
        _ => String::new(),
    }
}

fn text(value: f32) -> String {
    let text = format!("{value:.2}");
    if text.ends_with(".00") { text[..text.len() - 3].to_owned() } else { text }
}

fn described(factor: Factor) -> (&'static str, &'static str) {
    match factor {
        Factor::Wetness => ("wetness", "Water for plants, from sea, rivers and hollows: 0 dry to 1 wet."),
        Factor::Concavity => {
            ("concavity", "How hollow the ground is: 0 even or bulging, towards 1 in gorges.")
        }
        Factor::Convexity => {
            ("convexity", "How much the ground bulges: 0 even or hollow, towards 1 on crests.")
        }
        Factor::Shade => ("shade", "Share of a day's sun that the ground misses: 0 in full sun to 1."),
        Factor::Temperature => {
            ("temperature", "Warmth by height and side: 0.5 is freezing, each 0.1 is 4 °C.")
        }
        Factor::Moisture => {
            ("moisture", "Moisture of the climate, by the nearness of water and by the wind.")
        }
        Factor::WaterNearness => {
            ("water nearness", "Nearness of water: 1 in the water, falling to 0 a kilometre away.")
        }
    }
}

fn limits_of(factors: &mut Factors, factor: Factor) -> &mut Option<Limits> {
    match factor {
        Factor::Wetness => &mut factors.wetness,
        Factor::Concavity => &mut factors.concavity,
        Factor::Convexity => &mut factors.convexity,
        Factor::Shade => &mut factors.shade,
        Factor::Temperature => &mut factors.temperature,
        Factor::Moisture => &mut factors.moisture,
        Factor::WaterNearness => &mut factors.water_nearness,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::FREEZING;

    #[test]
    fn each_factor_has_limits_of_its_own() {
        for factor in Factor::ALL {
            let mut factors = Factors::default();
            *limits_of(&mut factors, factor) = Some(ANY);
            assert_eq!(factors.used().collect::<Vec<_>>(), [(factor, ANY)]);
        }
    }

    #[test]
    fn notes_say_what_shares_mean() {
        let limits = Limits::new(FREEZING, 1.0, 0.0);
        assert_eq!(note(Factor::Temperature, limits), "0 °C to 20 °C");
        assert_eq!(note(Factor::WaterNearness, limits), "0 m to 500 m away");
        assert_eq!([text(0.0), text(0.25), text(1.0)], ["0", "0.25", "1"]);
    }
}
