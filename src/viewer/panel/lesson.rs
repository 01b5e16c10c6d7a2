//! The lesson, in place of the editor: only what its sliders name can be changed.

use bevy_egui::egui::{self, RichText};

use super::super::document::Document;
use super::super::inside::Inside;
use super::super::message::Message;
use super::super::teaching::{GivenLesson, Teaching};
use super::super::watch::Player;
use super::style;
use crate::lessons::{LessonFormula, LessonPage, LessonQuestion, LessonSlider};

/// Draws the lesson, if one is given.
pub(super) fn show(
    ui: &mut egui::Ui,
    teaching: &mut Teaching,
    document: &mut Document,
    (inside, player): (&mut Inside, &mut Player),
    message: &mut Message,
) {
    let Some(given) = &mut teaching.0 else { return };
    ui.add_space(6.0);
    let mut is_over = false;
    ui.horizontal(|ui| {
        ui.label(RichText::new(&given.lesson.family).color(style::quiet(ui)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let tip = "Leave the lesson and edit the land as you like";
            is_over = ui.button("End lesson").on_hover_text(tip).clicked();
        });
    });
    ui.label(RichText::new(&given.lesson.title).strong().size(18.0));
    ui.separator();
    egui::ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 7.0;
        for (number, page) in given.lesson.pages.clone().iter().enumerate() {
            ui.push_id(number, |ui| match page {
                LessonPage::Text(text) => paragraphs(ui, text),
                LessonPage::Formula(formula) => show_formula(ui, formula),
                LessonPage::Slider(free) => slider(ui, free, given, document, message),
                LessonPage::Plot(kind) => {
                    let text = format!("Plot: {}", kind.to_string().replace('-', " "));
                    let tip = "Opens the plot beside the land; it follows what you change";
                    if ui.button(text).on_hover_text(tip).clicked() {
                        (inside.open, inside.kind) = (true, *kind);
                    }
                }
                LessonPage::Question(asked) => question(ui, number, asked, given, document, message),
            });
        }
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            let tip = "See how the land is built, frame by frame (F5)";
            if ui.button("Watch it work").on_hover_text(tip).clicked() {
                player.open = true;
            }
            if ui.button("As at the beginning").on_hover_text("Put all sliders back").clicked() {
                given.show_first(document);
            }
            let [right, _, all] = given.score();
            ui.label(RichText::new(format!("{right} of {all} right")).color(style::good(ui)));
        });
        ui.add_space(4.0);
        for source in &given.lesson.sources {
            ui.label(RichText::new(source).color(style::quiet(ui)).size(11.0));
        }
        ui.add_space(8.0);
    });
    if is_over {
        document.end_lesson();
        teaching.0 = None;
    }
}

fn paragraphs(ui: &mut egui::Ui, text: &str) {
    for paragraph in text.split("\n\n") {
        ui.label(paragraph);
    }
}

fn show_formula(ui: &mut egui::Ui, formula: &LessonFormula) {
    egui::Frame::new().fill(ui.visuals().extreme_bg_color).inner_margin(8.0).corner_radius(4.0).show(
        ui,
        |ui| {
            ui.set_width(ui.available_width());
            for line in formula.formula.lines() {
                ui.label(RichText::new(line).monospace().size(14.0).strong());
            }
        },
    );
    for paragraph in formula.meaning.split("\n\n") {
        ui.label(RichText::new(paragraph).color(style::quiet(ui)).size(12.5));
    }
}

fn slider(
    ui: &mut egui::Ui,
    free: &LessonSlider,
    given: &mut GivenLesson,
    document: &mut Document,
    message: &mut Message,
) {
    let Ok(now) = document.recipe.number(&free.path) else { return };
    let mut value = now.value;
    ui.label(RichText::new(&free.label).strong()).on_hover_text(now.doc);
    let suffix = if now.unit.is_empty() { String::new() } else { format!(" {}", now.unit) };
    let bar = egui::Slider::new(&mut value, free.range.clone()).suffix(suffix).logarithmic(now.logarithmic);
    let bar = if now.is_whole { bar.integer() } else { bar.max_decimals(3) };
    ui.spacing_mut().slider_width = (ui.available_width() - 90.0).max(60.0);
    if ui.add(bar).changed() {
        match given.lesson.set(&mut document.recipe, &free.path, value) {
            Ok(()) => given.shown = None,
            Err(error) => message.error(error.to_string()),
        }
    }
}

fn question(
    ui: &mut egui::Ui,
    page: usize,
    asked: &LessonQuestion,
    given: &mut GivenLesson,
    document: &mut Document,
    message: &mut Message,
) {
    let stroke = egui::Stroke::new(1.0, style::ACCENT);
    egui::Frame::group(ui.style()).stroke(stroke).inner_margin(8.0).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(RichText::new(&asked.ask).strong());
        let is_answered = given.is_answered(page);
        for (index, answer) in asked.answers.iter().enumerate() {
            let text = match (is_answered, index == asked.right, *given.marked(page) == Some(index)) {
                (true, true, _) => RichText::new(format!("{answer}  ✔")).color(style::good(ui)),
                (true, false, true) => RichText::new(format!("{answer}  ✖")).color(style::error(ui)),
                _ => RichText::new(answer),
            };
            if is_answered {
                ui.label(text);
            } else {
                ui.radio_value(given.marked(page), Some(index), text);
            }
        }
        let mut outcome = Ok(());
        if !is_answered {
            let is_marked = given.marked(page).is_some();
            let button = ui.add_enabled(is_marked, egui::Button::new("Answer and see"));
            if button.on_disabled_hover_text("Choose an answer first: guessing is part of it").clicked() {
                outcome = given.answer(page, document);
            }
        } else {
            paragraphs(ui, &asked.reveal);
            if !asked.show.is_empty() {
                ui.horizontal(|ui| {
                    let is_shown = given.shown == Some(page);
                    if ui.selectable_label(is_shown, "On the land").clicked() {
                        outcome = given.show(page, document);
                    }
                    if ui.selectable_label(!is_shown, "As at the beginning").clicked() {
                        given.show_first(document);
                    }
                });
            }
        }
        if let Err(error) = outcome {
            message.error(error.to_string());
        }
    });
}
