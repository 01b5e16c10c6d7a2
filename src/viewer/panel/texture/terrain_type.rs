//! One terrain type, opened: what it wears, where it lies, how it is blended.

use bevy_egui::egui::{self, RichText};

use super::super::{parameters, style};
use super::limits::{self, Axis};
use super::{Land, compass, elevation_text, factors, slope_text, tile};
use crate::texture::{Blend, ElevationUnit, Limits, TerrainType, Texture};

/// Share of the land's height that the sliders of elevation reach beyond it at both ends.
const BEYOND: f32 = 0.04;
/// Share of the land's height that the slider of roughening goes up to.
const ROUGHEST: f32 = 0.3;
/// Degrees that the slider of the slope's roughening goes up to.
const ROUGHEST_SLOPE: f32 = 30.0;

/// Draws the rows of the type at `index`.
pub(super) fn show(ui: &mut egui::Ui, texture: &mut Texture, index: usize, land: &Land) {
    let (low, high) = land.range_in_unit(texture);
    let (unit, has_map) = (texture.elevation_unit, texture.map.is_some());
    let metres = match unit {
        ElevationUnit::Metres => String::new(),
        ElevationUnit::Share => in_metres(texture, texture.types[index].elevation, land),
    };
    let kind = &mut texture.types[index];

    parameters::named(ui, "name", "What people call it.", |ui| {
        ui.add(egui::TextEdit::singleline(&mut kind.name).desired_width(f32::INFINITY));
    });
    tile::show(ui, kind, land);
    parameters::named(ui, "blend", "How it is laid over the types above it in the list.", |ui| {
        egui::ComboBox::from_id_salt("blend").selected_text(blend_name(kind.blend).0).show_ui(ui, |ui| {
            for blend in Blend::ALL {
                let (name, tip) = blend_name(blend);
                ui.selectable_value(&mut kind.blend, blend, name).on_hover_text(tip);
            }
        });
    });

    let beyond = BEYOND * (high - low);
    let elevation = Axis {
        range: (low - beyond, high + beyond),
        any: Limits::ANY_ELEVATION,
        land: land.histogram.map(|histogram| (&histogram.height, (low, high))),
        text: &|value| elevation_text(unit, value),
    };
    let tip = match unit {
        ElevationUnit::Metres => "Heights that it lies on, in metres.",
        ElevationUnit::Share => {
            "Heights that it lies on: 0 at the sea, or the lowest point of a dry land, 1 at the summit."
        }
    };
    title(ui, "elevation", &metres, tip);
    limit(ui, "elevation", &mut kind.elevation, &elevation);
    let slope = Axis {
        range: (0.0, 90.0),
        any: Limits::ANY_SLOPE,
        land: land.histogram.map(|histogram| (&histogram.slope, (0.0, 90.0))),
        text: &slope_text,
    };
    title(ui, "slope", "", "Slopes that it lies on, in degrees: 0 is flat, 90 a wall.");
    limit(ui, "slope", &mut kind.slope, &slope);
    skew(ui, kind, unit, (high - low) / 500.0);
    let tip = "How far noise moves the elevation limits up and down, so that borders aren't contour lines.";
    let roughest = ROUGHEST * (high - low);
    amount(ui, "roughen", tip, &mut kind.roughen, (roughest, Limits::ANY_ELEVATION.max), &|value| {
        elevation_text(unit, value)
    });
    let tip = "How far noise moves the slope limits.";
    amount(ui, "slope roughen", tip, &mut kind.slope_roughen, (ROUGHEST_SLOPE, 90.0), &slope_text);
    let tip = "How much noise mottles the colour: 0 is even.";
    amount(ui, "variation", tip, &mut kind.variation, (1.0, 1.0), &|value| format!("{value:.2}"));
    if has_map {
        id(ui, &mut kind.id);
    }
    factors::show(ui, &mut kind.factors, land);
}

/// Elevation limits in metres, in words.
fn in_metres(texture: &Texture, Limits { min, max, .. }: Limits, land: &Land) -> String {
    let metres = |value| format!("{:.0} m", land.metres(texture, value)).replace('-', "−");
    match (min > Limits::ANY_ELEVATION.min, max < Limits::ANY_ELEVATION.max) {
        (true, true) => format!("{} to {}", metres(min), metres(max)),
        (true, false) => format!("from {}", metres(min)),
        (false, true) => format!("up to {}", metres(max)),
        (false, false) => String::new(),
    }
}

fn title(ui: &mut egui::Ui, name: &str, note: &str, tip: &str) {
    let tip = format!(
        "{tip}\nDrag the bars: between them it lies in full. Drag their feet: it fades over that much more. \
         A bar at the end means no limit. Behind them is how much such land there is.",
    );
    ui.horizontal(|ui| {
        let label = egui::Label::new(name).selectable(false).sense(egui::Sense::hover());
        ui.add(label).on_hover_text(tip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(note).color(style::QUIET));
        });
    });
}

/// How much one side of the mountains differs from the other, and which.
fn skew(ui: &mut egui::Ui, kind: &mut TerrainType, unit: ElevationUnit, speed: f32) {
    let tip = "How far the elevation limits lie higher on ground that faces the bearing, and lower on ground \
               that faces away. So snow lies lower on northern slopes.";
    ui.scope(|ui| {
        // The row is as high as the compass, and everything in it centred.
        let height = std::mem::replace(&mut ui.spacing_mut().interact_size.y, compass::SIDE);
        parameters::named(ui, "skew", tip, |ui| {
            ui.spacing_mut().interact_size.y = height;
            let skew = egui::DragValue::new(&mut kind.skew)
                .speed(speed)
                .range(Limits::ANY_ELEVATION.min..=Limits::ANY_ELEVATION.max)
                .custom_formatter(|value, _| elevation_text(unit, value as f32))
                .custom_parser(number);
            ui.add(skew).on_hover_text(tip);
            ui.label(RichText::new("facing").color(style::QUIET));
            compass::compass(ui, &mut kind.skew_bearing).on_hover_text("The bearing that the skew is about");
            let bearing = egui::DragValue::new(&mut kind.skew_bearing).range(-360.0..=360.0);
            ui.add(bearing.max_decimals(1).suffix("°"));
        });
    });
}

/// A slider of limits, and their exact values below it.
pub(super) fn limit(ui: &mut egui::Ui, name: &str, limits: &mut Limits, axis: &Axis) {
    limits::slider(ui, limits, axis);
    ui.push_id(name, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            let quiet = |ui: &mut egui::Ui, text| ui.label(RichText::new(text).color(style::QUIET));
            quiet(ui, "from");
            if bound(ui, &mut limits.min, axis.any.min, axis.range.0, axis) {
                limits.max = limits.max.max(limits.min);
            }
            quiet(ui, "to");
            if bound(ui, &mut limits.max, axis.any.max, axis.range.1, axis) {
                limits.min = limits.min.min(limits.max);
            }
            quiet(ui, "fading over");
            let release = egui::DragValue::new(&mut limits.release)
                .range(0.0..=axis.any.max)
                .speed(axis.span() / 400.0)
                .custom_formatter(|value, _| (axis.text)(value as f32))
                .custom_parser(number);
            ui.add(release).on_hover_text("Outside the limits by this much there is nothing of it left");
        });
    });
}

/// The exact value of one limit; `any` is the one that limits nothing, shown as if it lay at `end`.
fn bound(ui: &mut egui::Ui, value: &mut f32, any: f32, end: f32, axis: &Axis) -> bool {
    let is_any = *value == any;
    let mut shown = if is_any { end } else { *value };
    let drag = egui::DragValue::new(&mut shown)
        .range(axis.any.min..=axis.any.max)
        .speed(axis.span() / 400.0)
        .update_while_editing(false)
        .custom_formatter(move |value, _| {
            if is_any && value as f32 == end { "any".into() } else { (axis.text)(value as f32) }
        })
        .custom_parser(move |text| {
            let is_word = text.trim().is_empty() || text.trim().eq_ignore_ascii_case("any");
            if is_word { Some(f64::from(any)) } else { number(text) }
        });
    let changed = ui.add(drag).on_hover_text("Drag, or click and type; `any` for no limit").changed();
    if changed && !(is_any && shown == end) {
        *value = shown;
    }
    changed
}

/// A number as people write it, with or without its unit.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches(['m', '°', ' ']).replace('−', "-").replace(',', ".");
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A slider from 0 to the first of `most`; up to the second can be typed.
fn amount(
    ui: &mut egui::Ui,
    name: &str,
    tip: &str,
    value: &mut f32,
    most: (f32, f32),
    text: &dyn Fn(f32) -> String,
) {
    parameters::named(ui, name, tip, |ui| {
        let slider = egui::Slider::new(value, 0.0..=most.0.max(1e-3))
            .clamping(egui::SliderClamping::Never)
            .custom_formatter(|value, _| text(value as f32))
            .custom_parser(number);
        ui.add(slider).on_hover_text(tip);
    });
    *value = value.clamp(0.0, most.1);
}

/// The id that the painted map knows it by.
fn id(ui: &mut egui::Ui, id: &mut Option<u8>) {
    parameters::named(ui, "map id", "It lies only where the painted map has this id.", |ui| {
        let mut has = id.is_some();
        if ui.checkbox(&mut has, "").changed() {
            *id = has.then_some(0);
        }
        match id {
            Some(id) => drop(ui.add(egui::DragValue::new(id))),
            None => drop(ui.label(RichText::new("wherever its limits say").color(style::QUIET))),
        }
    });
}

fn blend_name(blend: Blend) -> (&'static str, &'static str) {
    match blend {
        Blend::Mix => ("mix", "The colour itself, by its share of the ground."),
        Blend::Multiply => {
            ("multiply", "Darkens what types above it in the list have made, by its own weight.")
        }
        Blend::Screen => ("screen", "Lightens what types above it in the list have made, by its own weight."),
        Blend::Overlay => (
            "overlay",
            "Darkens dark and lightens light colours of the types above it in the list: more contrast.",
        ),
        Blend::Add => {
            ("add", "Adds its light to what types above it in the list have made, by its own weight.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_or_without_their_unit() {
        for (text, number) in [("12", 12.0), (" 12.5 m ", 12.5), ("−3°", -3.0), ("0,25", 0.25)] {
            assert_eq!(super::number(text), Some(number), "{text}");
        }
        for text in ["", "m", "twelve", "NaN", "inf"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_shown_can_be_typed_again() {
        for value in [-0.25, 0.0, 0.042, 1.0] {
            let text = elevation_text(ElevationUnit::Share, value);
            assert_eq!(number(&text), Some(f64::from((value * 1000.0).round()) / 1000.0), "{text}");
        }
        for value in [-120.0, 0.5, 1320.0] {
            let text = elevation_text(ElevationUnit::Metres, value);
            assert_eq!(number(&text), Some(f64::from(value)), "{text}");
        }
        assert_eq!(number(&slope_text(33.5)), Some(33.5));
    }
}
