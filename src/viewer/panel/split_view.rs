//! Several landscapes in the window: their names, what they share, the lines between them, and their
//! difference.

use bevy::math::DVec2;
use bevy::prelude::{DetectChangesMut, Entity, Query, Rect, Vec2};
use bevy_egui::egui::{self, Color32, RichText};

use super::controls::action_button::ActionButtons as _;
use super::controls::keyboard;
use super::controls::style::{self, Tip as _};
use super::edited::EditedItem;
use super::legend;
use crate::viewer::actions::{Action, ActionQueue, Switch};
use crate::viewer::document::display_names::names_of;
use crate::viewer::document::links::{Links, season_of};
use crate::viewer::session::{DocumentRequest, Place, Tab, ViewOf};
use crate::viewer::views::difference::DifferenceView;
use crate::viewer::views::split_view::{Arrangement, Sharing};

/// How far from a line it can still be grabbed, logical pixels.
const REACH: f32 = 4.0;

/// How far an arrow key moves a line, logical pixels.
const KEY_STEP: f32 = 8.0;

/// Widths of a letter of a name, and of the buttons next to the name, logical pixels.
const LETTER: f32 = 7.5;
const BUTTONS: f32 = 160.0;

/// Height of the legend of a difference, logical pixels.
const LEGEND: f32 = 120.0;

/// How the views share the window: a line of the panel.
pub(super) fn choose(
    ui: &mut egui::Ui,
    (present, [has_difference, has_likeness]): (Sharing, [bool; 2]),
    actions: &mut ActionQueue,
) {
    ui.horizontal_wrapped(|ui| {
        for (sharing, name, tip) in Sharing::ALL {
            let button = egui::Button::selectable(sharing == present, name);
            actions.add(ui, button, tip, Action::Arrange(sharing));
        }
        let button = egui::Button::selectable(has_difference, "Difference");
        let tip = "Where, and by how much, two of the lands differ";
        actions.add(ui, button, tip, Action::Panel(Tab::Difference, Switch::from(!has_difference)));
        let button = egui::Button::selectable(has_likeness, "Likeness");
        let tip = "How alike two of the lands are: slopes, forms of ground, rivers. Open a real elevation model to measure a land against it";
        actions.add(ui, button, tip, Action::Panel(Tab::Likeness, Switch::from(!has_likeness)));
    });
}

/// Draws bars over the views, if there are several. If none is `edited`, it draws only their names and the
/// lines between them, for a picture of the lands.
pub(super) fn views(
    context: &egui::Context,
    places: &Query<(&ViewOf, &Place)>,
    arrangement: &mut Arrangement,
    documents: &mut [EditedItem],
    edited: Option<Entity>,
    space: Rect,
    actions: &mut ActionQueue,
) {
    for (view, place) in places.iter().filter(|(_, place)| place.is_seen()) {
        let letters = ((place.rect().width() - BUTTONS) / LETTER).clamp(3.0, 40.0) as usize;
        let names = names_of(documents.iter().map(|of| &*of.document), letters);
        let mut all = documents.iter_mut().zip(names).enumerate();
        let Some((index, (of, name))) = all.find(|(_, (of, _))| of.entity == view.0) else { continue };
        let EditedItem { entity, document, links, .. } = of;
        let Some(edited) = edited else {
            over_view(context, (*entity, place), |ui| drop(ui.label(RichText::new(name).strong())));
            continue;
        };
        let mut chosen = **links;
        let mark = if document.is_unsaved() { "*" } else { "" };
        let name = format!("{name}{mark}");
        let of = (name.as_str(), *entity == edited);
        let has_seasons = season_of(&document.recipe.texture).is_some();
        bar(context, (*entity, index > 0, has_seasons), of, &mut chosen, place, actions);
        links.set_if_neq(chosen);
    }
    dividers(context, arrangement, space, (documents.len(), edited.is_some()));
}

/// The document on whose view a mouse button has just been pressed.
pub(super) fn view_pressed(context: &egui::Context, places: &Query<(&ViewOf, &Place)>) -> Option<Entity> {
    let pointer =
        context.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()))?;
    let is_free = !context.egui_wants_pointer_input();
    let under = |(_, place): &(&ViewOf, &Place)| place.contains(Vec2::new(pointer.x, pointer.y));
    let found = places.iter().find(under).filter(|_| is_free);
    found.map(|(view, _)| view.0)
}

/// Draws a row in the upper left corner of a view.
fn over_view(
    context: &egui::Context,
    (document, place): (Entity, &Place),
    content: impl FnOnce(&mut egui::Ui),
) {
    let rect = place.rect();
    let area = egui::Area::new(egui::Id::new(("view", document))).fade_in(false);
    area.fixed_pos(egui::pos2(rect.min.x + 8.0, rect.min.y + 8.0)).show(context, |ui| {
        let frame = egui::Frame::new().fill(style::over_land(ui)).inner_margin(4.0).corner_radius(5.0);
        frame.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            ui.spacing_mut().item_spacing.x = 3.0;
            // In a narrow view the buttons wrap, so that they don't cover the name in the next one.
            ui.set_max_width((rect.width() - 24.0).max(0.0));
            ui.horizontal_wrapped(content);
        });
    });
}

/// A bar over a view: its land's name, what it shares with the others, and a button that closes it.
fn bar(
    context: &egui::Context,
    (document, has_another_before, has_seasons): (Entity, bool, bool),
    (name, is_edited): (&str, bool),
    links: &mut Links,
    place: &Place,
    actions: &mut ActionQueue,
) {
    over_view(context, (document, place), |ui| {
        let name = RichText::new(name);
        // The highlight of the edited land is strong enough.
        let name = if is_edited { name } else { name.strong() };
        let tip = "Edit this land; a click on the land does the same";
        if ui.selectable_label(is_edited, name).tip(tip).clicked() {
            actions.send(Action::Edit(document));
        }
        let tip = if links.camera {
            "Camera linked with the others; click to unlink it"
        } else {
            "Camera not linked; click to link it with the others"
        };
        style::sign(ui.toggle_value(&mut links.camera, "📷"), tip);
        if has_another_before {
            let tip = if links.light {
                "Light and time of day of the first land; click for its own"
            } else {
                "Its own light and time of day; click for those of the first land"
            };
            style::sign(ui.toggle_value(&mut links.light, "☀"), tip);
        }
        if has_another_before && has_seasons {
            let tip = if links.season {
                "Season of the first land; click for its own"
            } else {
                "Its own season; click for that of the first land"
            };
            style::sign(ui.toggle_value(&mut links.season, "❄"), tip);
        }
        if style::sign(ui.button("✖"), "Close this landscape").clicked() {
            actions.send(Action::Document(DocumentRequest::CloseOne(document)));
        }
    });
}

/// Lines between views, which can be dragged, or moved by arrow keys. A double click or Enter divides the
/// space evenly.
fn dividers(
    context: &egui::Context,
    arrangement: &mut Arrangement,
    space: Rect,
    (views, can_be_moved): (usize, bool),
) {
    for (number, divider) in arrangement.dividers(space, views).into_iter().enumerate() {
        let strip = egui::Rect::from_min_max(to_egui(divider.strip.min), to_egui(divider.strip.max));
        let (is_upright, icon) = match divider.axis {
            0 => (true, egui::CursorIcon::ResizeHorizontal),
            _ => (false, egui::CursorIcon::ResizeVertical),
        };
        let reach = if is_upright { egui::vec2(REACH, 0.0) } else { egui::vec2(0.0, REACH) };
        let area = egui::Area::new(egui::Id::new(("divider", number))).fade_in(false).movable(false);
        area.fixed_pos((strip.min - reach).round()).show(context, |ui| {
            let size = strip.size() + 2.0 * reach;
            let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click_and_drag());
            let name = if is_upright { "Line between left and right" } else { "Line between top and bottom" };
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::ResizeHandle, true, name));
            let response = response.on_hover_cursor(icon);
            let is_held = response.hovered() || response.dragged() || response.has_focus();
            let is_held = is_held && can_be_moved;
            let colour =
                if is_held { style::accent_line(ui.visuals()) } else { Color32::from_black_alpha(190) };
            ui.painter().rect_filled(rect.shrink2(reach), 0.0, colour);
            if arrangement.sharing == Sharing::Swipe && can_be_moved {
                ui.painter().circle(rect.center(), 7.0, colour, egui::Stroke::new(1.5, Color32::WHITE));
            }
            let steps = KEY_STEP * keyboard::steps(ui, &response);
            let by_key = response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if response.double_clicked() || by_key {
                arrangement.even();
            } else if steps != egui::Vec2::ZERO {
                let to = divider.strip.center() + Vec2::new(steps.x, steps.y);
                arrangement.drag(&divider, to, space, views);
            } else if response.dragged()
                && let Some(at) = response.interact_pointer_pos()
            {
                arrangement.drag(&divider, Vec2::new(at.x, at.y), space, views);
            }
        });
    }
}

fn to_egui(point: Vec2) -> egui::Pos2 {
    egui::pos2(point.x, point.y)
}

/// Lets the user choose one land of a pair, which is read out as `called`.
pub(super) fn land_of_pair(
    ui: &mut egui::Ui,
    pair: &mut [Entity; 2],
    index: usize,
    lands: &[(Entity, String)],
    called: &str,
) {
    let other = pair[1 - index];
    let chosen = &mut pair[index];
    let name = lands.iter().find(|(land, _)| land == chosen).map_or("", |(_, name)| name);
    let combo = egui::ComboBox::from_id_salt(index).selected_text(name);
    let combo = combo.show_ui(ui, |ui| {
        for (land, name) in lands.iter().filter(|(land, _)| *land != other) {
            ui.selectable_value(chosen, *land, name);
        }
    });
    style::called(combo.response, called);
}

/// The difference between two lands. Returns the place on the map that was clicked: metres east and south of
/// the middle of the land.
pub(super) fn difference(
    ui: &mut egui::Ui,
    differing: &mut DifferenceView,
    lands: &[(Entity, String)],
) -> Option<DVec2> {
    let mut chosen = None;
    if let Some(pair) = &mut differing.pair
        && lands.len() > 2
    {
        ui.horizontal(|ui| {
            land_of_pair(ui, pair, 1, lands, "Land to subtract it from");
            ui.label("minus");
            land_of_pair(ui, pair, 0, lands, "Land to subtract");
        });
    }
    let tip = "The second land shows the difference instead of its colours: red is higher than the first land, blue is lower";
    ui.checkbox(&mut differing.on_land, "On the land").tip(tip);
    let is_behind = differing.is_behind();
    match differing.found(ui.ctx()) {
        None => drop(ui.horizontal(|ui| (ui.spinner(), ui.label("comparing both lands")))),
        Some(Err(reason)) => drop(ui.label(RichText::new(reason).color(style::error(ui)))),
        Some(Ok((found, map))) => {
            let full = map.size_vec2();
            let scale =
                (ui.available_width() / full.x).min((ui.available_height() - LEGEND).max(200.0) / full.y);
            let (rect, response) = ui.allocate_exact_size(full * scale, egui::Sense::click());
            egui::Image::new(map).paint_at(ui, rect);
            let name = "Map of the difference: click to go there";
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Image, true, name));
            if is_behind {
                egui::Spinner::new()
                    .paint_at(ui, egui::Rect::from_center_size(rect.center(), egui::vec2(28.0, 28.0)));
            }
            let grid = found.difference.heights.grid();
            if let Some(at) = response.hover_pos() {
                let share = (at - rect.min) / rect.size();
                let of = |share: f32, count: usize| ((share * count as f32) as usize).min(count - 1);
                let (column, row) = (of(share.x, grid.width), of(share.y, grid.depth));
                let here = found.difference.heights.at(column, row);
                let middle = DVec2::new((grid.width - 1) as f64, (grid.depth - 1) as f64) / 2.0;
                let place = (DVec2::new(column as f64, row as f64) - middle) * f64::from(grid.cell);
                if response.clicked() {
                    chosen = Some(place);
                }
                response.on_hover_text_at_pointer(format!("{here:+.1} m\nclick to go there"));
            }
            ui.add_space(4.0);
            legend::content(&found.legend, ui);
        }
    }
    chosen
}
