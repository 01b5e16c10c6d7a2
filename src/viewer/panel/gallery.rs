//! The gallery's window: shelves of small pictures.

use bevy::prelude::Entity;
use bevy_egui::egui;

use super::controls::style::{self, Tip as _};
use crate::recipe::titles::numbered;
use crate::shown::shown_in_line;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::session::DocumentRequest;
use crate::viewer::views::gallery::{Card, Gallery, Picture, SIZE, Shelf, Teaches, numbers_of};
use crate::{Lock, Recipe};

/// Minimum width of a card, and the space between two, logical pixels.
const CARD: f32 = 210.0;
const GAP: f32 = 8.0;
/// Height of a title, logical pixels.
const LINE: f32 = 20.0;
/// The maximum number of characters under a picture.
const MOST_LETTERS: usize = 30;
/// The space around the window, logical pixels.
const MARGIN: f32 = 24.0;

/// Draws the gallery while it is open, for the document and the recipe that are edited.
pub(super) fn show(
    context: &egui::Context,
    gallery: &mut Gallery,
    (document, edited): (Entity, &Recipe),
    actions: &mut ActionQueue,
) {
    gallery.pictures.receive(context);
    if !gallery.open {
        return;
    }
    let (held, has_place) = (actions.state.held, actions.state.no_place.is_none());
    let mut open = true;
    let mut chosen = None;
    let free = context.content_rect().shrink(MARGIN);
    let window = egui::Window::new("Gallery").open(&mut open).collapsible(false);
    window.default_rect(free).max_size(free.size()).show(context, |ui| {
        ui.horizontal(|ui| {
            for (shelf, name, tip) in Shelf::ALL {
                ui.selectable_value(&mut gallery.shelf, shelf, name).tip(tip);
            }
        });
        ui.separator();
        let is_by_chance = controls(ui, gallery, edited, held);
        let cards = match gallery.cards(edited) {
            Ok(cards) => cards.to_vec(),
            Err(reason) => {
                ui.add_space(12.0);
                ui.label(egui::RichText::new(reason).color(style::quiet(ui)));
                return;
            }
        };
        // The first card is the landscape itself.
        if let Some(card) = cards.get(1).filter(|_| is_by_chance) {
            chosen = Some(Action::Become(Box::new((*card.recipe).clone())));
        }
        let is_edit = matches!(gallery.shelf, Shelf::Neighbours | Shelf::Parameter);
        egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let (columns, width) = columns(cards.len(), ui.available_width() - 8.0, ui.clip_rect().height());
            egui::Grid::new("cards").num_columns(columns).spacing([GAP, GAP]).show(ui, |ui| {
                for (index, card) in cards.iter().enumerate() {
                    let picture = gallery.pictures.get(card.key, &card.recipe);
                    let response = draw(ui, width, &card.title, picture);
                    let does = match (gallery.shelf, is_edit) {
                        (Shelf::Neighbours, _) => "Click to continue with this one",
                        (Shelf::Lessons, _) => "Click to start it",
                        (Shelf::Mistakes, _) => "Click to see it and the fix",
                        (_, true) => "Click to use this value",
                        (_, false) => "Click to open it",
                    };
                    let beside = if has_place { ", Shift-click to open it side by side" } else { "" };
                    let space = if card.about.is_empty() { "" } else { "\n" };
                    let does = held.filter(|_| is_edit).unwrap_or(does);
                    let response = response.tip(format!("{}{space}{does}{beside}", card.about));
                    if response.clicked() {
                        let is_beside = has_place && ui.input(|input| input.modifiers.shift);
                        chosen = Some(chosen_by(card, document, is_beside, is_edit));
                    }
                    if (index + 1) % columns == 0 {
                        ui.end_row();
                    }
                }
            });
        });
    });
    gallery.open = open;
    let Some(chosen) = chosen else { return };
    use DocumentRequest::{Learn, Show};
    match (&chosen, gallery.shelf) {
        (Action::Become(_), Shelf::Neighbours) => gallery.shuffle(),
        (Action::Document(Show { .. } | Learn { .. }) | Action::Mistake(_), _) => gallery.open = false,
        _ => {}
    }
    actions.send(chosen);
}

/// What a click on a card does.
fn chosen_by(card: &Card, document: Entity, is_beside: bool, is_edit: bool) -> Action {
    let recipe = Box::new((*card.recipe).clone());
    let request = match card.teaches {
        _ if is_beside => DocumentRequest::Beside(recipe),
        Some(Teaches::Mistake(mistake)) => return Action::Mistake(mistake),
        Some(Teaches::Lesson(lesson)) => match lesson.lesson() {
            Ok(lesson) => DocumentRequest::Learn { document, lesson: Box::new(lesson), path: None },
            Err(_) => DocumentRequest::Show { document, recipe, path: None },
        },
        None if is_edit => return Action::Become(recipe),
        None => DocumentRequest::Show { document, recipe, path: None },
    };
    Action::Document(request)
}

/// The settings of variants and values. Returns whether the landscape is to be changed at random, unless a
/// lesson has `held` it.
fn controls(ui: &mut egui::Ui, gallery: &mut Gallery, edited: &Recipe, held: Option<&str>) -> bool {
    let mut is_by_chance = false;
    match gallery.shelf {
        Shelf::Presets | Shelf::Generators | Shelf::Lessons | Shelf::Mistakes => {}
        Shelf::Neighbours => {
            ui.horizontal_wrapped(|ui| {
                let slider = egui::Slider::new(&mut gallery.spread, 0.02..=1.0).logarithmic(true);
                ui.label("range");
                let tip = "How much numbers change: from a little up to twice their size";
                style::called(ui.add(slider).tip(tip), "range");
                if ui.button("More").tip("Other random variants of the same landscape").clicked() {
                    gallery.shuffle();
                }
                let tip = "Continues with one of the variants at random; undo brings back the previous land";
                let randomise = ui.add_enabled(held.is_none(), egui::Button::new("Randomise")).tip(tip);
                is_by_chance = randomise.on_disabled_hover_text(held.unwrap_or_default()).clicked();
                ui.label("keep").tip("Steps, or some of their numbers, that variants don't change");
                let numbers = numbers_of(edited);
                for (index, step) in edited.steps.iter().enumerate() {
                    let name = numbered(index, step.title());
                    let mut is_locked = gallery.locked.contains(&Lock::of_step(index));
                    if ui.toggle_value(&mut is_locked, &name).changed() {
                        gallery.toggle(Lock::of_step(index));
                    }
                    let of_step = format!("steps.{index}.");
                    let numbers: Vec<&str> =
                        numbers.iter().filter_map(|(path, ..)| path.strip_prefix(&of_step)).collect();
                    if !numbers.is_empty() {
                        single_locks(ui, gallery, (index, &name), &numbers, !is_locked);
                    }
                }
            });
            ui.separator();
        }
        Shelf::Parameter => {
            let numbers = numbers_of(edited);
            // A parameter is preselected, so that there is something to see.
            if gallery.parameter.is_none() {
                gallery.parameter =
                    numbers.first().map(|(path, _, (first, last))| (path.clone(), *first, *last));
            }
            let path = gallery.parameter.as_ref().map(|(path, ..)| path.clone());
            let known = numbers.iter().find(|(known, ..)| Some(known) == path.as_ref());
            let name = known.map_or("choose a parameter", |(_, name, _)| name);
            ui.horizontal(|ui| {
                let combo = egui::ComboBox::from_id_salt("parameter").selected_text(name).width(260.0);
                let combo = combo.show_ui(ui, |ui| {
                    for (other, name, (first, last)) in &numbers {
                        let is_chosen = path.as_ref() == Some(other);
                        if ui.selectable_label(is_chosen, name).clicked() && !is_chosen {
                            gallery.parameter = Some((other.clone(), *first, *last));
                        }
                    }
                });
                style::called(combo.response, "The parameter to vary");
                if let Some((_, first, last)) = &mut gallery.parameter {
                    let speed = (*last - *first).abs().max(1e-6) * 0.01;
                    ui.label("from");
                    style::called(ui.add(egui::DragValue::new(first).speed(speed)), "from");
                    ui.label("to");
                    style::called(ui.add(egui::DragValue::new(last).speed(speed)), "to");
                }
            });
            ui.separator();
        }
    }
    is_by_chance
}

/// The numbers of a step, each of which can be kept by itself, unless the whole step is kept.
fn single_locks(
    ui: &mut egui::Ui,
    gallery: &mut Gallery,
    (index, name): (usize, &str),
    numbers: &[&str],
    is_free: bool,
) {
    let is_single = |lock: &&Lock| lock.step == index && lock.number.is_some();
    let text = match gallery.locked.iter().filter(is_single).count() {
        0 => "⏷".to_owned(),
        count => format!("⏷ {count}"),
    };
    let button = style::sign(ui.button(text), &format!("Keep single numbers of {name}"));
    let popup = egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    popup.show(|ui| {
        ui.add_enabled_ui(is_free, |ui| {
            for path in numbers {
                let lock = Lock::of_number(index, *path);
                let mut is_locked = !is_free || gallery.locked.contains(&lock);
                if ui.checkbox(&mut is_locked, path.replace('_', " ")).changed() {
                    gallery.toggle(lock);
                }
            }
        });
    });
}

/// The number of columns for this many cards, and the width of each: as large as fits without scrolling, or
/// the minimum.
fn columns(count: usize, width: f32, height: f32) -> (usize, f32) {
    let card = |columns: usize| ((width + GAP) / columns as f32 - GAP).floor().max(1.0);
    let most = (((width + GAP) / (CARD + GAP)) as usize).max(1);
    let fits = |columns: &usize| {
        let high = card(*columns) * SIZE.1 as f32 / SIZE.0 as f32 + LINE + GAP;
        card(*columns) <= 1.5 * SIZE.0 as f32 && count.div_ceil(*columns) as f32 * high <= height
    };
    let columns = (1..=most).find(fits).unwrap_or(most);
    (columns, card(columns))
}

/// A picture with its title below.
fn draw(ui: &mut egui::Ui, width: f32, title: &str, picture: &Picture) -> egui::Response {
    let height = width * SIZE.1 as f32 / SIZE.0 as f32;
    let (place, response) = ui.allocate_exact_size(egui::vec2(width, height + LINE), egui::Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, title));
    let mut above = place;
    above.max.y -= LINE;
    let painter = ui.painter();
    painter.rect_filled(above, 4.0, ui.visuals().extreme_bg_color);
    match picture {
        Picture::Drawn(texture) => {
            egui::Image::new(texture).corner_radius(4.0).paint_at(ui, above);
        }
        Picture::Drawing => {
            let side = egui::Vec2::splat(22.0);
            egui::Spinner::new().paint_at(ui, egui::Rect::from_center_size(above.center(), side));
        }
        Picture::Failed(reason) => {
            let galley =
                painter.layout(reason.clone(), style::font(ui, 12.0), style::error(ui), above.width() - 16.0);
            painter.with_clip_rect(above).galley(above.min + egui::vec2(8.0, 8.0), galley, style::error(ui));
        }
    }
    if response.hovered() || response.has_focus() {
        let stroke = egui::Stroke::new(2.0, style::accent_line(ui.visuals()));
        painter.rect_stroke(above, 4.0, stroke, egui::StrokeKind::Inside);
    }
    let under = egui::pos2(place.left() + 2.0, place.bottom() - LINE / 2.0);
    let colour = ui.visuals().text_color();
    let title = shown_in_line(title, MOST_LETTERS);
    ui.painter().text(under, egui::Align2::LEFT_CENTER, title, style::font(ui, 13.0), colour);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_as_large_as_fits_in_the_window() {
        let (few, wide) = columns(9, 1360.0, 700.0);
        assert!((3..=5).contains(&few) && wide > 250.0, "{few} of {wide}");
        let (many, narrow) = columns(200, 1360.0, 700.0);
        assert!(many == 6 && narrow >= CARD, "{many} of {narrow}");
        for count in [0, 1, 9, 19, 64] {
            for width in [1.0, 90.0, 400.0, 3000.0] {
                let (columns, card) = columns(count, width, 500.0);
                assert!(columns as f32 * (card + GAP) - GAP <= width.max(1.0), "{count} in {width}");
            }
        }
    }
}
