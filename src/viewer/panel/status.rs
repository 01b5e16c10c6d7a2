//! The status line: build progress, the ground under the cursor, triangles, frame rate.

use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::time::Stopwatch;
use bevy_egui::egui;

use super::controls::style::{self, Tip as _};
use super::edited::MOST_LETTERS;
use crate::plugin::{GroundPoint, TerrainGround, TerrainStatus, TypeShare};
use crate::recipe::{Recipe, length_of_time};
use crate::render::short_numbers::count;
use crate::shown::shown_in_line;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::camera::pilot::{Mode, Pilot};
use crate::viewer::document::Document;
use crate::viewer::document::display_names::names_of;

/// From this many seconds of one processor core, the estimate for a land is shown.
const LONG: f64 = 60.0;

/// Draws the line.
pub(super) fn show<'a>(
    ui: &mut egui::Ui,
    documents: impl Iterator<Item = (&'a Document, &'a TerrainStatus, &'a Stopwatch, Option<&'a TerrainGround>)>,
    diagnostics: &DiagnosticsStore,
    (pilot, actions): (&Pilot, &mut ActionQueue),
    under: Option<&(GroundPoint, Vec<TypeShare>)>,
    triangles: usize,
) {
    let documents: Vec<_> = documents.collect();
    // For several lands there is no space to show everything.
    let is_one = documents.len() == 1;
    let letters = MOST_LETTERS / documents.len().max(1);
    let names = names_of(documents.iter().map(|(of, ..)| *of), letters);
    ui.horizontal(|ui| {
        for (name, (document, status, since, ground)) in names.into_iter().zip(documents) {
            state(ui, name, (status, since), ground, is_one);
            if let TerrainStatus::Building { .. } = status {
                estimated(ui, &document.recipe);
            }
            ui.separator();
        }
        style::lasting(ui, "mode", |ui| mode(ui, pilot, actions));
        let place = pilot.place;
        let text = format!("height {} m, {}/s", whole(place.y), metres(pilot.moving_speed()));
        ui.label(egui::RichText::new(text).color(style::quiet(ui))).tip(format!(
            "Height, counted as that of the ground, and speed; the wheel sets the speed.\n\
             Position: {} and {} of the land's middle.",
            away(place.x, ["west", "east"]),
            away(place.z, ["north", "south"]),
        ));
        if let Some((point, types)) = under {
            ui.separator();
            ground(ui, point, types);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let fps = diagnostics.get(&FrameTimeDiagnosticsPlugin::FPS).and_then(|fps| fps.smoothed());
            // Below ten, a whole number would be too coarse.
            let fps = fps.unwrap_or(0.0);
            ui.label(if fps < 9.95 { format!("{fps:.1} fps") } else { format!("{fps:.0} fps") });
            let text = format!("{} triangles", count(triangles));
            ui.label(text).tip("Triangles in the chunks that the cameras see");
        });
    });
}

/// The menu of the pilot's modes.
fn mode(ui: &mut egui::Ui, pilot: &Pilot, actions: &mut ActionQueue) {
    let name = Mode::ALL.iter().find(|(mode, ..)| *mode == pilot.mode).map_or("", |(_, name, _)| name);
    let menu = ui.menu_button(egui::RichText::new(name).color(style::quiet(ui)), |ui| {
        for (mode, name, tip) in Mode::ALL {
            if ui.radio(pilot.mode == mode, name).tip(tip).clicked() {
                actions.send(Action::Move(mode));
                ui.close();
            }
        }
    });
    menu.response.tip("Fly, walk on the ground, or orbit around the point in the middle of the view");
}

/// The ground under the cursor: height, slope, and terrain type.
fn ground(ui: &mut egui::Ui, point: &GroundPoint, types: &[TypeShare]) {
    let mut text = format!("ground {} m, {:.0}°", whole(point.position.y.into()), point.slope());
    if point.depth() > 0.0 {
        text += &format!(", {} under water", metres(point.depth()));
    } else if let Some(most) = types.first() {
        text += &format!(", {}", shown_in_line(&most.name, MOST_LETTERS));
    }
    ui.label(egui::RichText::new(text).color(style::quiet(ui)));
}

/// The estimated time for a land, if it is long.
fn estimated(ui: &mut egui::Ui, recipe: &Recipe) {
    let estimate = recipe.estimate();
    if estimate.seconds() >= LONG {
        let text = format!("of about {}", length_of_time(estimate.seconds()));
        let text = egui::RichText::new(text).color(style::quiet(ui));
        ui.label(text)
            .on_hover_text(format!("The whole land takes {estimate}; several cores may share the work"));
    }
}

fn state(
    ui: &mut egui::Ui,
    name: String,
    (status, since): (&TerrainStatus, &Stopwatch),
    ground: Option<&TerrainGround>,
    is_one: bool,
) {
    ui.label(egui::RichText::new(name).strong());
    match status {
        TerrainStatus::Waiting => drop(ui.label("waiting")),
        TerrainStatus::Building { stage, fraction } => {
            let text = format!("{} {}", style::stage_name(stage), time(since.elapsed_secs()));
            ui.add(style::progress(ui, *fraction, text).desired_width(style::points(ui, 190.0)));
        }
        TerrainStatus::Failed(_) => {
            let text = match ground {
                Some(_) => "failed; the previous land stays",
                None => "failed; there is no land yet",
            };
            ui.label(egui::RichText::new(text).color(style::error(ui)));
        }
        TerrainStatus::Ready => {}
    }
    if let Some(ground) = ground.filter(|_| is_one) {
        let [width, depth] = ground.samples();
        let samples = format!("{} samples", count(width as usize * depth as usize));
        ui.label(samples).tip(format!("{width} × {depth}"));
        let stages = &ground.landscape.stages;
        if matches!(status, TerrainStatus::Ready) && !stages.is_empty() {
            let total: f32 = stages.iter().map(|stage| stage.seconds).sum();
            let each: Vec<String> =
                stages.iter().map(|stage| format!("{}: {}", stage.name, time(stage.seconds))).collect();
            ui.label(format!("built in {}", time(total))).tip(each.join("\n"));
        }
    }
}

fn time(seconds: f32) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1000.0) } else { format!("{seconds:.1} s") }
}

/// A distance with its direction: `back` if negative, `ahead` otherwise.
fn away(place: f64, [back, ahead]: [&str; 2]) -> String {
    format!("{} {}", metres(place.abs() as f32), if place < 0.0 { back } else { ahead })
}

/// Rounded, and never "-0".
fn whole(height: f64) -> f64 {
    height.round() + 0.0
}

fn metres(length: f32) -> String {
    if length < 1000.0 { format!("{length:.0} m") } else { format!("{:.1} km", length / 1000.0) }
}
