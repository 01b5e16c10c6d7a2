//! The lesson, in place of the editor: only its sliders can change the land, and the text after a question is
//! shown once that is answered.

use bevy_egui::egui::{self, RichText};

use crate::lessons::{LessonFormula, LessonPage, LessonQuestion, LessonSlider};
use crate::viewer::actions::{Action, ActionQueue, Switch};
use crate::viewer::document::Document;
use crate::viewer::document::lesson::{CurrentLesson, GivenLesson};
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::session::Tab;
use crate::viewer::session::status_message::Message;

/// Draws the lesson, if one is in progress.
pub(crate) fn show(
    ui: &mut egui::Ui,
    teaching: &mut CurrentLesson,
    document: &mut Document,
    actions: &mut ActionQueue,
    message: &mut Message,
) {
    let Some(given) = &mut teaching.0 else { return };
    ui.add_space(6.0);
    let mut is_over = false;
    ui.horizontal(|ui| {
        ui.label(RichText::new(&given.lesson.family).color(style::quiet(ui)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let tip = "Leave the lesson and edit the land as you like";
            is_over = ui.button("End lesson").tip(tip).clicked();
        });
    });
    ui.label(RichText::new(&given.lesson.title).strong().size(style::points(ui, 18.0)));
    let score = given.score();
    if score[2] > 0 {
        ui.label(RichText::new(progress(score)).color(style::good(ui)));
    }
    ui.separator();
    // An id of its own, so that neither the editor's scroll position nor that of the previous lesson is used.
    let mut area = egui::ScrollArea::vertical().id_salt("lesson").auto_shrink([false, false]);
    if std::mem::take(&mut given.is_at_top) {
        area = area.vertical_scroll_offset(0.0);
    }
    area.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 7.0;
        let reached = given.reached();
        for (number, page) in given.lesson.pages.clone().iter().enumerate().take(reached) {
            ui.push_id(number, |ui| match page {
                LessonPage::Text(text) => paragraphs(ui, text),
                LessonPage::Formula(formula) => show_formula(ui, formula),
                LessonPage::Slider(of) => slider(ui, number, of, given, document, message),
                LessonPage::Plot(kind) => {
                    let text = format!("Plot: {}", kind.to_string().replace('-', " "));
                    let tip = "Opens the plot; it follows your changes";
                    actions.button(ui, text, tip, Action::Plot(*kind));
                }
                LessonPage::Question(asked) => question(ui, number, asked, given, document, message),
            });
        }
        if reached < given.lesson.pages.len() {
            let text = "The lesson continues once you have answered the question.";
            ui.label(RichText::new(text).color(style::quiet(ui)));
        }
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            let tip = "See how the land is built, frame by frame (F5)";
            actions.button(ui, "Watch it work", tip, Action::Panel(Tab::Watch, Switch::On));
            if ui.button("Reset").tip("Reset all sliders").clicked() {
                given.show_first(document);
            }
            let tip = "Reset all sliders, and ask all questions again";
            if ui.button("Restart").tip(tip).clicked() {
                given.begin_again(document);
            }
        });
        ui.add_space(4.0);
        for source in &given.lesson.sources {
            ui.label(RichText::new(source).color(style::quiet(ui)).size(style::points(ui, 11.0)));
        }
        ui.add_space(8.0);
    });
    if is_over {
        document.end_lesson();
        teaching.0 = None;
    }
}

/// The reader's progress, from the numbers of questions answered right, questions answered, and all
/// questions.
fn progress([right, answered, all]: [usize; 3]) -> String {
    let word = if all == 1 { "question" } else { "questions" };
    let right = if right > 0 { format!(", {right} right") } else { String::new() };
    format!("{answered} of {all} {word}{right}")
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
                ui.label(RichText::new(line).monospace().size(style::points(ui, 14.0)).strong());
            }
        },
    );
    for paragraph in formula.meaning.split("\n\n") {
        ui.label(RichText::new(paragraph).color(style::quiet(ui)).size(style::points(ui, 12.5)));
    }
}

fn slider(
    ui: &mut egui::Ui,
    page: usize,
    of: &LessonSlider,
    given: &mut GivenLesson,
    document: &mut Document,
    message: &mut Message,
) {
    let Ok(now) = document.recipe.number(&of.path) else { return };
    let mut value = now.value;
    let name = ui.label(RichText::new(&of.label).strong()).tip(now.doc);
    let suffix = if now.unit.is_empty() { String::new() } else { format!(" {}", now.unit) };
    let bar = egui::Slider::new(&mut value, of.range.clone()).suffix(suffix).logarithmic(now.logarithmic);
    // A question may show a value beyond the slider's ends; drawing the slider must not change it.
    let bar = bar.clamping(egui::SliderClamping::Edits);
    let bar = if now.is_whole { bar.integer() } else { bar.max_decimals(3) };
    ui.spacing_mut().slider_width = (ui.available_width() - 90.0).max(60.0);
    let bar = ui.add_enabled(!of.locked, bar).labelled_by(name.id);
    if bar.on_disabled_hover_text("The lesson holds this number fixed").changed()
        && !of.locked
        && let Err(error) = given.set(page, value, document)
    {
        message.error(error.to_string());
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
            ui.horizontal_wrapped(|ui| {
                let is_marked = given.marked(page).is_some();
                let button = ui.add_enabled(is_marked, egui::Button::new("Answer and see"));
                if button
                    .on_disabled_hover_text("Choose an answer first; guessing is part of learning")
                    .clicked()
                {
                    outcome = given.answer(page, document);
                }
                let tip = "See the answer without choosing one; it does not count as right";
                if ui.button("Show me").tip(tip).clicked() {
                    outcome = given.reveal(page, document);
                }
            });
        } else {
            paragraphs(ui, &asked.reveal);
            if !asked.show.is_empty() {
                ui.horizontal(|ui| {
                    let is_shown = given.is_shown(page, document);
                    if ui.selectable_label(is_shown, "On the land").clicked() {
                        outcome = given.show(page, document);
                    }
                    if ui
                        .selectable_label(document.recipe == given.lesson.recipe, "As at the beginning")
                        .clicked()
                    {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_described() {
        assert_eq!(progress([0, 0, 3]), "0 of 3 questions");
        assert_eq!(progress([1, 2, 3]), "2 of 3 questions, 1 right");
        assert_eq!(progress([1, 1, 1]), "1 of 1 question, 1 right");
    }
}
