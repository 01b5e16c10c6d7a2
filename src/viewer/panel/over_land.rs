//! What is drawn over the land: what colours mean, why a land is missing, which view is edited, the message.

use bevy::prelude::*;
use bevy_egui::egui;

use super::controls::style::{self, Tip as _};
use super::edited::{EditedItem, MOST_LETTERS, item, item_mut};
use super::files::{export, output};
use super::tools::{Scene, Tools};
use super::{legend, split_view};
use crate::plugin::TerrainStatus;
use crate::render::legend::{Land, Legend};
use crate::render::texture_view::LayerView;
use crate::shown::{shown, shown_in_line};
use crate::viewer::actions::Action;
use crate::viewer::session::Place;
use crate::viewer::session::status_message::Message as Told;

/// Maximum and minimum width of a message, logical pixels.
const MESSAGE_WIDTH: f32 = 620.0;
const MESSAGE_LEAST: f32 = 120.0;

/// What the colours of each view mean, or, while levels of detail are compared, what each pane shows.
pub(super) fn captions(context: &egui::Context, scene: &Scene, documents: &[EditedItem]) {
    let corner = |place: &Place| egui::pos2(place.rect().min.x + 14.0, place.rect().max.y - 14.0);
    if scene.comparison.document.is_some() {
        let panes = scene.panes.iter().map(|(pane, place)| (pane.0, place));
        let first = scene.places.iter().filter(|(view, _)| scene.comparison.is_of(view.0));
        let seen = first.map(|(_, place)| (0, place)).chain(panes).filter(|(_, place)| place.is_seen());
        for (pane, place) in seen {
            if let Some(caption) = scene.comparison.caption(pane) {
                legend::show(&caption, context, pane, corner(place));
            }
        }
        return;
    }
    for (of, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, ground, view, towers, .. }) = item(documents, of.0) else { continue };
        let debug = view.layer.as_ref().map_or(scene.viewed.0, LayerView::debug_view);
        let land = Land {
            debug,
            layer: view.layer.as_ref(),
            texture: &document.recipe.texture.texture(),
            heights: ground.map_or((0.0, 0.0), |ground| ground.height_range()),
            seen: towers.seen.as_ref(),
        };
        if let Some(legend) = Legend::of(&land) {
            legend::show(&legend, context, of.0, corner(place));
        }
    }
}

/// Shows in the view of each land that could not be read or built why not.
pub(super) fn failures(context: &egui::Context, scene: &Scene, documents: &mut [EditedItem]) {
    for (of, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, failure, .. }) = item_mut(documents, of.0) else { continue };
        let (rect, name) = (place.rect(), shown_in_line(&document.recipe.name, MOST_LETTERS));
        if failure.0.is_empty() || rect.width() < MESSAGE_LEAST {
            continue;
        }
        let what = match document.unread() {
            Some(_) => "cannot be read",
            None => "cannot be built",
        };
        let mut is_closed = false;
        let middle = egui::pos2(rect.center().x, rect.center().y);
        let area = egui::Area::new(egui::Id::new(("failure", of.0))).pivot(egui::Align2::CENTER_CENTER);
        area.fixed_pos(middle).show(context, |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                ui.set_max_width(MESSAGE_WIDTH.min(rect.width() - 48.0));
                ui.label(egui::RichText::new(format!("{name} {what}")).strong());
                let reason = egui::RichText::new(style::quoted(&failure.0)).color(style::error(ui));
                ui.add(egui::Label::new(reason).wrap());
                is_closed =
                    style::sign(ui.button("Close"), &format!("Close the error message of {name}")).clicked();
            });
        });
        if is_closed {
            failure.0.clear();
        }
    }
}

/// Seconds after which the progress of a build is also shown over the land, where the user is looking.
const LONG: f32 = 0.8;

/// Shows the progress of each long build in the view of its land.
pub(super) fn progress(context: &egui::Context, scene: &Scene, documents: &[EditedItem]) {
    for (of, place) in scene.places.iter().filter(|(_, place)| place.is_seen()) {
        let Some(EditedItem { document, status, since, .. }) = item(documents, of.0) else { continue };
        let TerrainStatus::Building { stage, fraction } = status else { continue };
        let (rect, seconds) = (place.rect(), since.0.elapsed_secs());
        if seconds < LONG || rect.width() < MESSAGE_LEAST {
            continue;
        }
        let name = shown_in_line(&document.recipe.name, MOST_LETTERS);
        let top = egui::pos2(rect.center().x, rect.min.y + 64.0);
        let area = egui::Area::new(egui::Id::new(("progress", of.0))).pivot(egui::Align2::CENTER_TOP);
        area.fixed_pos(top).interactable(false).show(context, |ui| {
            egui::Frame::popup(ui.style()).show(ui, |ui| {
                ui.label(format!("Building {name}"));
                let text = format!("{}, {seconds:.0} s", style::stage_name(stage));
                let width = style::points(ui, 260.0).min(rect.width() - 40.0);
                ui.add(style::progress(ui, *fraction, text).desired_width(width));
            });
        });
    }
}

/// Draws names and buttons over the views of several landscapes; a click on a view selects it for editing.
pub(super) fn views(
    context: &egui::Context,
    tools: &mut Tools,
    documents: &mut [EditedItem],
    land: Rect,
    is_free: bool,
) {
    let arrangement = &mut *tools.scene.arrangement;
    // In a screenshot of the land, names are shown without buttons.
    let edited = tools.selection.edited().filter(|_| !tools.windows.screenshots.is_of_land);
    let actions = &mut *tools.actions;
    split_view::views(context, &tools.scene.places, arrangement, documents, edited, land, actions);
    let is_clicking = tools.drawing.is_on() || tools.scene.tower_tool.is_on || tools.windows.probing.open;
    let is_clicking = is_clicking || tools.windows.sculpting.open;
    let pressed = split_view::view_pressed(context, &tools.scene.places).filter(|_| !is_clicking && is_free);
    if let Some(document) = pressed {
        actions.send(Action::Edit(document));
    }
}

/// Where a message of this size stands: at `corner`, or below the windows that it would cover.
fn beside_windows(context: &egui::Context, corner: egui::Pos2, size: egui::Vec2) -> egui::Pos2 {
    let mut place = corner;
    for title in [export::TITLE, output::TITLE] {
        let id = egui::Id::new(title);
        let layer = egui::LayerId::new(egui::Order::Middle, id);
        let window =
            context.memory(|memory| memory.area_rect(id).filter(|_| memory.areas().is_visible(&layer)));
        if let Some(window) = window
            && window.intersects(egui::Rect::from_min_size(place, size))
        {
            place.y = window.max.y + 8.0;
        }
    }
    place
}

/// The current message, in the upper left corner of the land, but not over a window that it is about.
pub(super) fn show_message(context: &egui::Context, message: &mut Told, land: Rect, below: f32) {
    if message.text.is_empty() {
        return;
    }
    let corner = egui::pos2(land.min.x + 16.0, land.min.y + 16.0 + below);
    let before = context.memory(|memory| memory.area_rect("message"));
    // Its size is known once it has been drawn.
    let least = egui::vec2(MESSAGE_WIDTH.min(land.width()), 40.0);
    let place = beside_windows(context, corner, before.map_or(least, |rect| rect.size()));
    let mut dismissed = false;
    let area = egui::Area::new("message".into()).fixed_pos(place).show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_max_width(MESSAGE_WIDTH.min(land.width() - 64.0).max(MESSAGE_LEAST));
            ui.horizontal(|ui| {
                let colour = if message.is_error { style::error(ui) } else { style::good(ui) };
                let text = egui::RichText::new(style::quoted(&message.text)).color(colour);
                let text = ui.add(egui::Label::new(text).wrap());
                if let Some(path) = &message.path {
                    let whole = path.display().to_string();
                    let tip = shown(&whole).into_owned();
                    text.tip(&tip);
                    if ui.button("Copy path").tip(tip).clicked() {
                        ui.ctx().copy_text(whole);
                    }
                }
                if message.is_error {
                    dismissed = ui.button("Dismiss").clicked();
                }
            });
        });
    });
    if area.response.contains_pointer() {
        message.stay();
    }
    if dismissed {
        message.dismiss();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_covers_no_window_that_it_is_about() {
        let context = egui::Context::default();
        let mut message = Told::default();
        message.report("Drew hills.png in ~/Pictures, as it was asked for in the window beside it");
        let land = Rect::new(0.0, 0.0, 900.0, 700.0);
        let place = |context: &egui::Context, id: egui::Id| context.memory(|memory| memory.area_rect(id));
        for title in [export::TITLE, output::TITLE] {
            for _ in 0..4 {
                let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                    let window = egui::Window::new(title).id(egui::Id::new(title));
                    let window = window.fixed_pos((200.0, 20.0)).default_width(400.0);
                    window.show(ui.ctx(), |ui| ui.set_min_size(egui::vec2(400.0, 200.0)));
                    show_message(ui.ctx(), &mut message, land, 0.0);
                });
                output.textures_delta.clear();
            }
            let (window, shown) = (place(&context, egui::Id::new(title)), place(&context, "message".into()));
            let (window, shown) = (window.unwrap(), shown.unwrap());
            assert!(!shown.intersects(window) && shown.min.y > window.max.y, "{shown} and {window}");
        }
        for _ in 0..4 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                show_message(ui.ctx(), &mut message, land, 0.0);
            });
            output.textures_delta.clear();
        }
        assert!(place(&context, "message".into()).unwrap().min.y < 20.0, "without a window at the top");
    }
}
