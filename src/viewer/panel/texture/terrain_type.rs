//! An unfolded terrain type: its look, its limits, its blending.

use bevy_egui::egui::{self, RichText};

use super::land_info::{LandInfo, elevation_text, slope_text};
use super::limits::{Axis, limit};
use super::{compass, factors, tile};
use crate::params::Param;
use crate::texture::{ElevationUnit, Limits, TerrainType, Texture};
use crate::viewer::panel::controls::parameters::{self, Usual, written_number};
use crate::viewer::panel::controls::style::{self, Tip as _};

/// How far the sliders of elevation extend beyond the land at both ends, as a share of its height.
const BEYOND: f32 = 0.04;
/// How far the sliders of elevation extend below the sea at most, as a share of the land's height above it. A
/// sea floor that is many times as deep would leave the land itself a few pixels.
const BELOW_SEA: f32 = 0.5;
/// Upper end of the roughening slider, as a share of the land's height.
const ROUGHEST: f32 = 0.3;
/// Upper end of the slope's roughening slider, degrees.
const ROUGHEST_SLOPE: f32 = 30.0;

/// Draws the rows of the type at `index`.
pub(super) fn show(ui: &mut egui::Ui, texture: &mut Texture, index: usize, land: &LandInfo) {
    let (low, high) = land.range_in_unit(texture);
    let (unit, has_map) = (texture.elevation_unit, texture.map.is_some());
    let metres = match unit {
        ElevationUnit::Metres => String::new(),
        ElevationUnit::Share => in_metres(texture, texture.types[index].elevation, land),
    };
    let sea = land.sea_in_unit(texture);
    let kind = &mut texture.types[index];

    parameters::show(ui, kind, |name| name == "name");
    tile::show(ui, kind, land);
    parameters::show(ui, kind, |name| name == "blend");

    let elevation = Axis {
        range: elevation_ends((low, high), sea, kind.elevation),
        any: Limits::ANY_ELEVATION,
        land: land.histogram.map(|histogram| (&histogram.height, (low, high))),
        text: &|value| elevation_text(unit, value),
    };
    title(ui, kind, "elevation", &metres);
    limit(ui, "elevation", &mut kind.elevation, &elevation);
    let slope = Axis {
        range: (0.0, 90.0),
        any: Limits::ANY_SLOPE,
        land: land.histogram.map(|histogram| (&histogram.slope, (0.0, 90.0))),
        text: &slope_text,
    };
    title(ui, kind, "slope", "");
    limit(ui, "slope", &mut kind.slope, &slope);
    skew(ui, kind, unit, (high - low) / 500.0);
    let roughest = (ROUGHEST * (high - low)).max(1e-3);
    let in_unit = |value| elevation_text(unit, value);
    let usually = |param: &Param| match param.name {
        "roughen" => Usual { range: Some(0.0..=roughest), text: Some(&in_unit), ..Usual::default() },
        "slope_roughen" => {
            Usual { range: Some(0.0..=ROUGHEST_SLOPE), text: Some(&slope_text), ..Usual::default() }
        }
        _ => Usual::default(),
    };
    let shown = |name: &str| match name {
        "roughen" | "slope_roughen" | "variation" => true,
        "id" => has_map,
        _ => false,
    };
    parameters::show_usual(ui, kind, shown, &usually);
    factors::show(ui, &mut kind.factors, land);
}

/// The ends of the slider of elevation, for land from `low` to `high` whose sea, if any, has this level. They
/// enclose the limits that are set.
fn elevation_ends((low, high): (f32, f32), sea: Option<f32>, limits: Limits) -> (f32, f32) {
    let any = Limits::ANY_ELEVATION;
    let above_floor = sea.filter(|sea| *sea < high).map(|sea| sea - BELOW_SEA * (high - sea));
    let set = [limits.min, limits.max].into_iter().filter(|limit| *limit > any.min && *limit < any.max);
    let lowest_set = set.fold(f32::INFINITY, |lowest, limit| lowest.min(limit - limits.release));
    let from = above_floor.map_or(low, |from| from.min(lowest_set).max(low));
    let beyond = BEYOND * (high - from);
    (from - beyond, high + beyond)
}

/// Elevation limits in metres, in words.
fn in_metres(texture: &Texture, Limits { min, max, .. }: Limits, land: &LandInfo) -> String {
    let metres = |value| format!("{:.0} m", land.metres(texture, value)).replace('-', "−");
    match (min > Limits::ANY_ELEVATION.min, max < Limits::ANY_ELEVATION.max) {
        (true, true) => format!("{} to {}", metres(min), metres(max)),
        (true, false) => format!("from {}", metres(min)),
        (false, true) => format!("up to {}", metres(max)),
        (false, false) => String::new(),
    }
}

/// The line above a slider of limits.
fn title(ui: &mut egui::Ui, kind: &TerrainType, name: &str, note: &str) {
    let tip = format!(
        "{}\nDrag the bars: the type lies fully between them. Drag their feet to set how far it fades. \
         A bar at the end means no limit. The histogram behind them shows the land.",
        parameters::known(kind, name).doc
    );
    ui.horizontal(|ui| {
        let label = egui::Label::new(name).selectable(false).sense(egui::Sense::hover());
        ui.add(label).tip(tip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(note).color(style::quiet(ui)));
        });
    });
}

/// The asymmetry between the sides of mountains, and its direction.
fn skew(ui: &mut egui::Ui, kind: &mut TerrainType, unit: ElevationUnit, speed: f32) {
    let [skew, bearing] = ["skew", "skew_bearing"].map(|name| parameters::known(kind, name));
    ui.scope(|ui| {
        // The row is as high as the compass; everything in it is centred.
        let height = std::mem::replace(&mut ui.spacing_mut().interact_size.y, compass::SIDE);
        parameters::named(ui, "skew", skew.doc, |ui| {
            ui.spacing_mut().interact_size.y = height;
            let number = egui::DragValue::new(&mut kind.skew)
                .speed(speed)
                .range(skew.range.clone())
                .custom_formatter(|value, _| elevation_text(unit, value as f32))
                .custom_parser(written_number);
            style::called(ui.add(number).tip(skew.doc), "skew");
            ui.label(RichText::new("facing").color(style::quiet(ui)));
            compass::compass(ui, &mut kind.skew_bearing).tip(bearing.doc);
            let number = egui::DragValue::new(&mut kind.skew_bearing).range(bearing.range.clone());
            let number = number.max_decimals(1).suffix(bearing.unit);
            style::called(ui.add(number).tip(bearing.doc), "skew bearing");
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_values_can_be_typed() {
        for value in [-0.25, 0.0, 0.042, 1.0] {
            let text = elevation_text(ElevationUnit::Share, value);
            assert_eq!(written_number(&text), Some(f64::from((value * 1000.0).round()) / 1000.0), "{text}");
        }
        for value in [-120.0, 0.5, 1320.0] {
            let text = elevation_text(ElevationUnit::Metres, value);
            assert_eq!(written_number(&text), Some(f64::from(value)), "{text}");
        }
        assert_eq!(written_number(&slope_text(33.5)), Some(33.5));
    }

    #[test]
    fn a_deep_sea_leaves_the_land_most_of_the_slider() {
        let any = Limits::ANY_ELEVATION;
        let near = |(from, to): (f32, f32), (low, high): (f32, f32)| {
            (from - low).abs() < 1e-4 && (to - high).abs() < 1e-4
        };
        assert!(near(elevation_ends((0.0, 1.0), None, any), (-0.04, 1.04)));
        assert!(near(elevation_ends((-0.2, 1.0), Some(0.0), any), (-0.248, 1.048)), "a shallow sea");
        assert!(near(elevation_ends((-5.0, 1.0), Some(0.0), any), (-0.56, 1.06)), "a deep one");
        // What is set can be seen and dragged.
        let of_sea_floor = Limits::new(-3.0, any.max, 0.5);
        assert!(elevation_ends((-5.0, 1.0), Some(0.0), of_sea_floor).0 < -3.5);
        assert!(near(elevation_ends((-5.0, -1.0), Some(0.0), any), (-5.16, -0.84)), "all of it under water");
    }
}
